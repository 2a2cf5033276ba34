/**
 * @file mcp/process.h
 * @brief A run or a resume for somebody who is not at its terminal: a process of its own.
 */
#pragma once

#include "base/ids.h"
#include "mcp/run_command.h"
#include <sys/types.h>

typedef struct mcp_process {
        pid_t pid;                     /**< 0: there is none, or it has ended */
        int out, err;                  /**< what it wrote: files in memory; -1: none */
        uint64_t seq;                  /**< of the last event that was looked at */
        int64_t steps;                 /**< of its run, which were completed up to there */
        char run_id[PAWL__ID_MAX + 1]; /**< of the run that it has claimed; empty: none yet */
} mcp_process;

#define MCP_PROCESS_INIT                                                                           \
        {                                                                                          \
                0, -1, -1, 0, 0, ""                                                                \
        }

/**
 * Start `pawl COMMAND --no-input WORD...` on the log, in its workspace.
 * @param apart  a signal to this process's group is none to it.
 * @return PAWL_EREADONLY, PAWL_EINVAL (too many words), PAWL_ENOMEM, PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status mcp_process_start(mcp_process *p, const mcp_log *log,
        const char *command, const char *actor, const mcp_words *words, bool apart,
        pawl_error *err);
/** Count the steps of its run in what the log has after @p p's seq. As pawl__log_each(). */
PAWL_MUST_CHECK pawl_status mcp_process_follow(mcp_process *p, pawl_log *log, pawl_error *err);
/** It has ended, with this status of wait(): what it came to. Where it failed, the failure is the
 *  last line that it said. Closes its files. */
void mcp_process_ended(mcp_outcome *out, mcp_process *p, int status);
/** Close its files. */
void mcp_process_close(mcp_process *p);

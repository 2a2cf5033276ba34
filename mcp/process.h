/**
 * @file mcp/process.h
 * @brief A run or a resume for somebody who is not at its terminal: a process of its own.
 */
#pragma once

#include "mcp/run_command.h"
#include <sys/types.h>

typedef struct mcp_process {
        pid_t pid;    /**< 0: there is none, or it has ended */
        int out, err; /**< what it wrote: files in memory; -1: none */
} mcp_process;

#define MCP_PROCESS_INIT                                                                           \
        {                                                                                          \
                0, -1, -1                                                                          \
        }

/**
 * Start `pawl COMMAND --no-input WORD...` on the log, in its workspace.
 * @param apart  a signal to this process's group is none to it.
 * @return PAWL_EREADONLY, PAWL_EINVAL (too many words), PAWL_ENOMEM, PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status mcp_process_start(mcp_process *p, const mcp_log *log,
        const char *command, const mcp_words *words, bool apart, pawl_error *err);
/** It has ended, with this status of wait(): what it came to. Where it failed, the failure is the
 *  last line that it said. Closes its files. */
void mcp_process_ended(mcp_outcome *out, mcp_process *p, int status);
/** Close its files. */
void mcp_process_close(mcp_process *p);

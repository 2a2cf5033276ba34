/**
 * @file mcp/run_command.h
 * @brief Running a command in this process, as a service runs it: its output as JSON, or its
 * failure.
 */
#pragma once

#include "mcp/tools.h"

/** What a command came to. Zero-initialise; mcp_outcome_free(). */
typedef struct mcp_outcome {
        int code;
        pawl__buf output; /**< what it printed */
        pawl_error failure;
} mcp_outcome;

/** The log that commands use from call to call, and what else they are given. */
typedef struct mcp_log {
        const cli_call *cli; /**< of the command that serves: it names the log, which is opened when
                                it is first needed; NULL: the log is open, and another's */
        pawl_log *log;
        const char *home, *config_home; /**< see cli_context */
        const char *workspace;          /**< the root directory; NULL: as the log says */
        bool needs_workspace;           /**< without one, commands on files are refused */
        bool read_only;                 /**< commands that change something are refused */
        const char *db, *key_file;      /**< what names them to a process; NULL: nothing does */
} mcp_log;

/**
 * Run it, in the name of @p actor where the words don't say.
 * @return PAWL_ENOMEM; what the command fails with is its outcome.
 */
PAWL_MUST_CHECK pawl_status mcp_run_command(mcp_outcome *out, mcp_log *log, const mcp_tool *tool,
        const mcp_words *words, const char *actor, pawl_error *err);
/** The same with words that are known to be right; @p words ends with NULL. */
PAWL_MUST_CHECK pawl_status mcp_run_line(mcp_outcome *out, mcp_log *log,
        const cli_registry *registry, const char *tool, const char *const *words, const char *actor,
        pawl_error *err);
void mcp_outcome_free(mcp_outcome *outcome);
/** Open it, where it is not: as cli_open_log(). */
PAWL_MUST_CHECK pawl_status mcp_log_open(mcp_log *log, cli_access access, pawl_error *err);
void mcp_log_close(mcp_log *log);

/**
 * @file cli/pawl/workspace.h
 * @brief What the commands on workspace checkpoints share: which workspace, and how one is shown.
 */
#pragma once

#include "command/table.h"
#include <pawl/workspace.h>

/** The options of a command that reads the workspace; rows for its table. */
#define CLI_WORKSPACE_OPTIONS                                                                      \
        {"root", 0, 0, CLI_FILE, "DIR", NULL,                                                      \
                "the workspace (default: that of the log, or the directory that holds .pawl)"},    \
                {"max-file", 0, 0, CLI_SIZE, "SIZE", NULL,                                         \
                        "list a larger file in place of capturing it (default: 64M)"},             \
                {"force-root", 0, 0, CLI_LOCAL, NULL, NULL,                                        \
                        "even where the workspace is the home directory or /"},                    \
        {                                                                                          \
                "actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who does it (default: user:NAME)"         \
        }

/** Those of one that takes a checkpoint. */
#define CLI_CHECKPOINT_OPTIONS                                                                     \
        CLI_WORKSPACE_OPTIONS,                                                                     \
                {"max-files", 0, 0, CLI_NUMBER, "N", NULL,                                         \
                        "refuse a workspace of more files (default: as the last, or 200000)"},     \
                {"max-bytes", 0, 0, CLI_SIZE, "SIZE", NULL,                                        \
                        "refuse one of larger files together (default: as the last, or 10G)"},     \
        {                                                                                          \
                "budget", 0, 0, CLI_DURATION, "TIME", NULL,                                        \
                        "list what it has not read by then in place of capturing it"               \
        }

/** How far the reading of a large workspace is, on a terminal. Zero-initialise. */
typedef struct cli_scan {
        int64_t told_ms; /**< 0: nothing was told */
} cli_scan;
/** Let a reading by @p options be shown; @p scan must outlive it. */
void cli_scan_show(cli_scan *scan, pawl_workspace_options *options, const cli_call *cli);
/** End the line, if there is one. */
void cli_scan_end(const cli_scan *scan);

/** Which workspace the options name, and who asks. */
PAWL_MUST_CHECK pawl_status cli_workspace_options(
        pawl_workspace_options *out, const cli_call *cli, pawl_error *err);
/** What `include` and `exclude` of config.yaml beside the log say, in @p arena. */
PAWL_MUST_CHECK pawl_status cli_workspace_patterns(
        pawl_workspace_options *out, const char *log_path, pawl__arena *arena, pawl_error *err);
/** The same of CLI_CHECKPOINT_OPTIONS, with these. */
PAWL_MUST_CHECK pawl_status cli_checkpoint_options(
        pawl_workspace_options *out, const cli_call *cli, pawl_error *err);

/** How many arguments are no paths: those before a "--". */
int cli_before_paths(const cli_call *cli);
/** The others as the paths of @p options. Relative ones are so to the working directory, in a
 *  service to the root. */
PAWL_MUST_CHECK pawl_status cli_take_paths(
        pawl_workspace_options *options, const cli_call *cli, pawl_error *err);

/** What the command of a step finds in its environment: whose checkpoint it is, and how tool calls
 *  are kept. NULL: not set, empty, or in a service, which has none. */
const char *cli_variable(const cli_call *cli, const char *name);

/** Of a pawl_workspace_checkpoint_info, a pawl_not_captured, a pawl_file_change and a
 * pawl_given_up. */
extern const cli_field cli_checkpoint_fields[], cli_missed_fields[], cli_change_fields[],
        cli_given_up_fields[];
/** The same of a member of JSON that differs. */
extern const cli_field cli_member_fields[];
void cli_members_print(FILE *out, const pawl_member_change *members, size_t n);

/** Say on stderr, in a line, how many checkpoints could not be taken after the event @p since, and
 * why the last one. */
void cli_say_failed_checkpoints(const cli_call *cli, pawl_log *log, uint64_t since);

/** "file", "folder" or "link" of the kind that the value is; NULL: nothing. */
const char *cli_kind_word(const void *value, char buf[CLI_WORD_MAX]);
/** A path that differs, as a line. */
void cli_change_print(FILE *out, const pawl_file_change *file);
/** A path that one side did not capture, as a line. */
void cli_unknown_print(FILE *out, const pawl_unknown_file *unknown);
/** What was not captured, a line each. */
void cli_missed_print(FILE *out, const pawl_not_captured *missed, size_t n);

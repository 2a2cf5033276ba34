/**
 * @file cli/pawl/workspace.h
 * @brief What the commands on workspace checkpoints share: which workspace, and how one is shown.
 */
#ifndef CLI_PAWL_WORKSPACE_H
#define CLI_PAWL_WORKSPACE_H

#include "base/json_write.h"
#include "command/command.h"
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

/** Which workspace the options name; @p actor keeps the text of who asks. */
PAWL_MUST_CHECK pawl_status cli_workspace_options(
        pawl_workspace_options *out, pawl__buf *actor, const cli_call *cli, pawl_error *err);

/** How many arguments are no paths: those before a "--" that comes after the first. */
int cli_before_paths(const cli_call *cli);
/** The others as the paths of @p options; what they point to lies in @p arena. Relative ones are so
 *  to the working directory, in a service to the root. */
PAWL_MUST_CHECK pawl_status cli_take_paths(
        pawl_workspace_options *options, pawl__arena *arena, const cli_call *cli, pawl_error *err);

/** What the command of a step finds in its environment: whose checkpoint it is, and how tool calls
 *  are kept. NULL: not set, empty, or in a service, which has none. */
const char *cli_variable(const cli_call *cli, const char *name);

/** The members of contract section 4, and more, into an object that is open. */
void cli_checkpoint_members(pawl__json_writer *w, const pawl_workspace_checkpoint_info *info);
/** Bytes that may be no UTF-8: then NAME shows each wrong one as \xNN, and NAME_hex has all of
 *  them. */
void cli_text_member(pawl__json_writer *w, const char *name, pawl_text bytes);
static inline void cli_path_member(pawl__json_writer *w, pawl_text path)
{
        cli_text_member(w, "path", path);
}

/** Say on stderr, in a line, how many checkpoints could not be taken after the event @p since, and
 * why the last one. */
void cli_say_failed_checkpoints(const cli_call *cli, pawl_log *log, uint64_t since);

/** "file", "folder" or "link"; NULL: nothing. */
const char *cli_kind_name(char kind);
/** A path that differs: an object; a line. */
void cli_change_json(pawl__json_writer *w, const pawl_file_change *file);
void cli_change_print(FILE *out, const pawl_file_change *file);

/** What was not captured: a line each; the member not_captured. */
void cli_missed_print(FILE *out, const pawl_not_captured *missed, size_t n);
void cli_missed_member(pawl__json_writer *w, const pawl_not_captured *missed, size_t n);

#endif

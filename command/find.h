/**
 * @file command/find.h
 * @brief Which log an invocation is about, and opening it.
 */
#pragma once

#include "base/text.h"
#include "command/command.h"
#include "state/state.h"
#include <pawl/events.h>

#define CLI_LOG_NAME ".pawl/events.db"

/**
 * The log's path, appended to @p path: the one that was named, else CLI_LOG_NAME in the working
 * directory or the nearest directory above it.
 * @return PAWL_ENOTFOUND "no log here: ..." when nothing was named and there is none above;
 *         PAWL_EACCESS for one that was found and is not the user's own (command/owner.h).
 */
PAWL_MUST_CHECK pawl_status cli_find_log(pawl__buf *path, const cli_call *cli, pawl_error *err);

/** Beside which path the files of that log lie: its own, or that of pawl__log_place_find(). */
PAWL_MUST_CHECK pawl_status cli_find_place(pawl__buf *path, const cli_call *cli, pawl_error *err);

/** The nearest CLI_LOG_NAME in the directory of that absolute path or above it. Where one on the
 * way is the top of a linked work tree, the main work tree's comes before those above. */
PAWL_MUST_CHECK pawl_status cli_find_above(
        pawl__buf *path, const cli_call *cli, const char *here, pawl_error *err);

/** Where a log is made that commands in the directory of that absolute path find: in a repository,
 *  at the top of its main work tree, else in the directory itself. NULL: the working directory. */
PAWL_MUST_CHECK pawl_status cli_log_to_make(pawl__buf *path, bool *in_repository,
        const cli_call *cli, const char *directory, pawl_error *err);

/** Print a message that may name commands, as "`pawl resume RUN`": such a command works as it is
 *  printed, so that it names the log, and the key's file, where this call does. */
void cli_say(const cli_call *cli, FILE *out, const char *message);
/** What such a command of pawl ends with: " --db PATH", " --key-file FILE", both or nothing. For
 * who prints it piece by piece. */
void cli_say_log(const cli_call *cli, FILE *out);
/** Let the documents that the library makes of the log end their commands so, too. */
PAWL_MUST_CHECK pawl_status cli_name_log(const cli_call *cli, pawl_log *log, pawl_error *err);
/** A message made as by printf, without a newline. */
void cli_sayf(const cli_call *cli, FILE *out, const char *format, ...) PAWL_PRINTF(3, 4);
/** One line on in->err, beside what the command does. */
void cli_notice(const cli_call *cli, const char *line);
/** Wait a fifth of a second for what is to come; false: nobody reads the stream any more. */
bool cli_wait_a_little(FILE *stream);
/** The same, for whoever tells lines one by one; @p user is the const cli_call *. */
void cli_print_problem(const char *line, void *user);
void cli_noticef(const cli_call *cli, const char *format, ...) PAWL_PRINTF(2, 3);

/** A run's id in place of 4 characters or more that it alone begins with; left as it is where the
 *  log's tables can't be asked. May be absent. PAWL_EINVAL: several begin so. */
PAWL_MUST_CHECK pawl_status cli_whole_run(
        pawl_text *run_id, pawl_log *log, pawl__arena *arena, pawl_error *err);

/** The same; PAWL_ENOTFOUND where the log's tables have no such run. */
PAWL_MUST_CHECK pawl_status cli_known_run(
        pawl_text *run_id, pawl_log *log, pawl__arena *arena, pawl_error *err);

/** The run of that id as it is; one that the log's tables do not have has no columns but that. */
PAWL_MUST_CHECK pawl_status cli_run_row(
        pawl__row *run, pawl_text run_id, const cli_call *cli, pawl_log *log, pawl_error *err);

/** For people, the beginning of an id of that table that names it; whole where the log's tables
 *  can't be asked. It lives in @p arena. */
PAWL_MUST_CHECK pawl_status cli_short_id(
        pawl_text *id, pawl_log *log, pawl__table table, pawl__arena *arena, pawl_error *err);

/** The context's log, which is as open as it is; or one of its own, with the key that --key-file or
 * $PAWL_KEY_FILE names, where the access asks for one. */
PAWL_MUST_CHECK pawl_status cli_open_log(
        pawl_log **out, const cli_call *cli, cli_access access, pawl_error *err);
/** The same for a log at @p path. */
PAWL_MUST_CHECK pawl_status cli_open_path(
        pawl_log **out, const cli_call *cli, const char *path, cli_access access, pawl_error *err);
/** The same for a path that nobody named: the log, or the place for it, must be the user's own. */
PAWL_MUST_CHECK pawl_status cli_open_found(
        pawl_log **out, const cli_call *cli, const char *path, cli_access access, pawl_error *err);
/** Close it, unless it is the context's; NULL is allowed. Where it was removed meanwhile it is put
 * back first (pawl__log_keep()); where that fails, so does the invocation. What the log has to warn
 * of is said in one line. */
void cli_close_log(const cli_call *cli, pawl_log *log);
/** Open the log, call @p fn with it, close it: what a cli_cmd with on_log does, for one that has
 * something to look at first. Returns the exit code. */
int cli_with_log(cli_call *cli, cli_access access, cli_log_fn *fn);

/**
 * @file mission/attempts.h
 * @brief The attempts at a step as the log has them, and what their commands wrote to standard
 * error.
 *
 * While a command runs, the newest of what it writes lies in a file beside the log, for who looks
 * on: "LOG-logs/RUN/STEP.ATTEMPT", which begins with 20 digits and a line feed, the number of bytes
 * that came before the ones that follow. It goes when the attempt is recorded; one whose pawl was
 * killed is recorded from it when the step is started again.
 */
#pragma once

#include "base/map.h"
#include "state/state.h"

#define PAWL__LOG_FILE_HEAD 21 /* bytes before what is kept */

/** An attempt at a step. Texts live in the arena. */
typedef struct pawl__attempt_view {
        uint64_t number;
        uint64_t seq;     /**< of the event that ended it; 0: it has not */
        int64_t time_us;  /**< of that event */
        pawl_text status; /**< completed, failed, interrupted, blocked (its output is held back), or
                               running (where it is being looked at: or its pawl was killed) */
        pawl_text reason; /**< why it failed, or absent */
        int64_t exit_code;   /**< -1: it has none */
        uint64_t bytes;      /**< that it wrote */
        pawl_text hash;      /**< of what is kept of them, or absent */
        pawl_text last_line; /**< or absent */
        bool again;          /**< it failed, and another is to follow */
} pawl__attempt_view;

typedef struct pawl__attempts {
        pawl__attempt_view *list;
        size_t n, cap;
} pawl__attempts;

/** A run and one of its steps. PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__step_find(pawl__row *run, pawl__row *step, pawl_log *log,
        pawl_text run_id, pawl_text step_id, pawl__arena *arena, pawl_error *err);

/**
 * The attempts at a step in order, the one that runs last. list is freed with free().
 * @return PAWL_ENOTFOUND: no such run, no such step in it.
 */
PAWL_MUST_CHECK pawl_status pawl__attempts_read(pawl__attempts *out, pawl_log *log,
        pawl_text run_id, pawl_text step_id, pawl__arena *arena, pawl_error *err);

/** What is kept of what it wrote, appended to @p out; @p before (may be NULL): how many bytes came
 *  before that. PAWL_ENOTFOUND: it is no longer kept. */
PAWL_MUST_CHECK pawl_status pawl__attempt_log(pawl__buf *out, uint64_t *before, pawl_log *log,
        pawl_text run_id, pawl_text step_id, const pawl__attempt_view *attempt, pawl_error *err);

/** For every step of a run, by its id: the number of its last attempt that was recorded. Keys live
 * in the arena. */
PAWL_MUST_CHECK pawl_status pawl__attempts_count(
        pawl__map *out, pawl_log *log, pawl_text run_id, pawl__arena *arena, pawl_error *err);

/** The path of the file of an attempt; its directory is the first *dir bytes of it. */
PAWL_MUST_CHECK pawl_status pawl__log_file_path(pawl__buf *path, size_t *dir, const pawl_log *log,
        pawl_text run_id, pawl_text step_id, uint64_t attempt);

/** The path of a file that tells a step's command of the glossary, the @p number th of those at
 *  work: "LOG-logs/RUN/terms-NUMBER.KIND". */
PAWL_MUST_CHECK pawl_status pawl__terms_file_path(pawl__buf *path, size_t *dir, const pawl_log *log,
        pawl_text run_id, unsigned number, const char *kind);

/** Make the two directories above a file whose directory is the first @p dir bytes of its path. An
 *  error number or 0. */
int pawl__log_file_directories(char *path, size_t dir);
/** Remove them where they are empty; cuts @p path. */
void pawl__log_file_tidy(char *path);

/** Remove files, their paths each with its NUL, and the directories that are empty then; empties
 *  @p paths. */
void pawl__log_files_remove(pawl__buf *paths);

/** The file's bytes after its head, appended to @p out. PAWL_ENOTFOUND: there is none. */
PAWL_MUST_CHECK pawl_status pawl__log_file_read(
        pawl__buf *out, uint64_t *before, const char *path, pawl_error *err);

/** The last line that says something, as it can be shown and put into a payload, NUL-ended. */
void pawl__last_line(char *out, size_t size, pawl_text text);

/**
 * @file pawl/query.h
 * @brief What a log holds now: runs, their steps, conflicts and senses, as `pawl runs`, `conflicts`
 * and `glossary list` show them. Sessions: pawl/session.h; a step's checkpoint: pawl/checkpoint.h.
 *
 * Each call gives a list {items, n} of copies, free of the log, to be freed by its function; NULL
 * may be freed. Texts are absent where they do not apply. Errors: a failure with its message in @p
 * err (may be NULL); *out is as it was.
 */
#ifndef PAWL_QUERY_H
#define PAWL_QUERY_H

#include <pawl/pipeline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A run as it is now. */
typedef struct pawl_run {
        pawl_text run_id, mission_id, session_id;
        pawl_text
                status; /**< queued, running, blocked, interrupted, completed, failed or cancelled;
                           running while a live process owns it, else as the log says */
        pawl_text reason;       /**< why it failed */
        pawl_text current_step; /**< started last, not completed */
        pawl_text retry_token;  /**< of that step */
        uint64_t steps_completed, steps_total, open_conflicts;
        uint64_t started_seq, updated_seq; /**< seq of its first and last event */
        int64_t started_us, updated_us;    /**< since 1970-01-01 UTC; for people */
        int64_t owner_pid;                 /**< 0: nobody owns it */
        pawl_text owner_host;
} pawl_run;

typedef struct pawl_runs {
        const pawl_run *items;
        size_t n;
} pawl_runs;

/** Runs, those that started last first. @p status: only such, NULL: any; @p limit: 0: all.
 * PAWL_EINVAL. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_run_list(
        pawl_runs **out, pawl_log *log, const char *status, uint64_t limit, pawl_error *err);
/** The run of that id, or else the only one whose id begins so (4 characters at least): a list of
 *  one. PAWL_ENOTFOUND; PAWL_EINVAL for the beginning of several. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_run_find(
        pawl_runs **out, pawl_log *log, const char *run_id, pawl_error *err);
PAWL_EXTERN void pawl_runs_free(pawl_runs *runs);

/** A step of a run as it is now. */
typedef struct pawl_step_info {
        pawl_text step_id;
        pawl_text status; /**< pending, running, blocked, completed or failed; unfinished: it ran
                             and no process holds its run any more; skipped: it was passed by, or
                             the mission has it no more */
        pawl_text retry_token, cursor; /**< of its newest checkpoint */
        pawl_text input_hash;          /**< 64 hex digits; of the inputs it ran with last */
        pawl_text output_hash;         /**< 64 hex digits */
        pawl_text inputs, output; /**< canonical JSON; absent: there is none, or it is not kept */
        uint64_t checkpoint_seq;  /**< of its newest checkpoint; 0: it has none */
        int64_t exit_code;    /**< of its command, 128 + signal when killed; -1: none has ended */
        pawl_text blocked_by; /**< the program's own layer that holds it back; absent: none does */
        pawl_text reason;     /**< why that layer does */
} pawl_step_info;

typedef struct pawl_steps {
        const pawl_step_info *items;
        size_t n;
} pawl_steps;

/** The steps of a run, in mission order; those of a program's run as they started. @p run_id as for
 *  pawl_run_find(). @p contents: inputs and output too, which may be large. PAWL_ENOTFOUND. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_step_list(
        pawl_steps **out, pawl_log *log, const char *run_id, bool contents, pawl_error *err);
PAWL_EXTERN void pawl_steps_free(pawl_steps *steps);

/** A conflict as the log has it, and where it stands. */
typedef struct pawl_conflict_info {
        pawl_conflict conflict;
        pawl_text mission_id, run_id, step_id;
        pawl_text retry_token; /**< to go on with when it is resolved */
        pawl_text status;      /**< open or resolved */
        int64_t requested_us;  /**< since 1970-01-01 UTC; for people */
        uint64_t resolved_seq; /**< of the event that answered it; 0: none */
        /* Of what a step asks people, conflict_type "question"; else absent. */
        pawl_text answer;    /**< absent: it is open, or nobody answered in time */
        pawl_text otherwise; /**< the answer when its time is over; absent: the step fails */
        int64_t due_us;      /**< when that is; 0: there is no time limit */
} pawl_conflict_info;

typedef struct pawl_conflicts {
        const pawl_conflict_info *items;
        size_t n;
} pawl_conflicts;

/** Conflicts in the order in which they were asked; of one run (NULL: of all); those alone that
 * hold their step back, or @p resolved ones too. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_conflict_list(
        pawl_conflicts **out, pawl_log *log, const char *run_id, bool resolved, pawl_error *err);
PAWL_EXTERN void pawl_conflicts_free(pawl_conflicts *conflicts);

/** A sense and where it comes from. */
typedef struct pawl_sense_info {
        pawl_sense sense;
        pawl_text status; /**< active, draft, deprecated or ignored */
        pawl_text source; /**< such as seed_file or user_clarification */
        pawl_text actor;
        uint64_t seq; /**< of the event that gave it */
} pawl_sense_info;

typedef struct pawl_senses {
        const pawl_sense_info *items;
        size_t n;
} pawl_senses;

/** The senses that hold for a run, in order of seq: of the glossary versions that it began with,
 * and what its mission was answered since. NULL: those of each scope's newest version.
 * PAWL_ENOTFOUND: no such run. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_sense_list(
        pawl_senses **out, pawl_log *log, const char *run_id, pawl_error *err);
PAWL_EXTERN void pawl_senses_free(pawl_senses *senses);

#ifdef __cplusplus
}
#endif

#endif

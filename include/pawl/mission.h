/**
 * @file pawl/mission.h
 * @brief Missions: reading the file, and carrying its steps through the pipeline.
 *
 * Running starts child processes and waits for them. The library installs no signal handler: a
 * program that wants INT and TERM forwarded gives a descriptor to watch
 * (pawl_run_options.signal_fd).
 */
#ifndef PAWL_MISSION_H
#define PAWL_MISSION_H

#include <pawl/pipeline.h>
#include <pawl/workspace.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pawl_mission pawl_mission; /**< Opaque. Free with pawl_mission_free(). */

/** Read and check a mission file. PAWL_ENOTFOUND, PAWL_EACCESS, PAWL_EIO, PAWL_EPARSE
 *  "FILE: line N: KEY: WHAT; REMEDY". */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_load(
        pawl_mission **out, const char *path, pawl_error *err);
PAWL_EXTERN void pawl_mission_free(pawl_mission *mission);
PAWL_EXTERN const char *pawl_mission_id(const pawl_mission *mission);
PAWL_EXTERN size_t pawl_mission_steps(const pawl_mission *mission);
PAWL_EXTERN const char *pawl_mission_step_id(const pawl_mission *mission, size_t index);

/** A parameter of a mission. Texts live as long as the mission; value until another is given. */
typedef struct pawl_mission_param {
        const char *name, *type; /**< the type is string, number, boolean or json */
        const char *description; /**< NULL: none */
        const char *value; /**< canonical JSON: what was given, else the default; NULL: none yet */
} pawl_mission_param;

/** How many there are, and where. */
PAWL_EXTERN size_t pawl_mission_params(const pawl_mission *mission, const pawl_mission_param **out);
/**
 * Give a parameter its value, for a run or a submission of this mission that comes later: @p text
 * is the string itself, or the JSON of a value of another type.
 * @return PAWL_EINVAL: it is not declared, or the text is not of its type.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_set_param(
        pawl_mission *mission, const char *name, const char *text, pawl_error *err);
/** The same with a file, YAML or JSON, of names and values. PAWL_ENOTFOUND, PAWL_EACCESS, PAWL_EIO,
 *  PAWL_EPARSE "FILE: line N: NAME: WHAT; REMEDY"; those before that one are given then. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_load_params(
        pawl_mission *mission, const char *path, pawl_error *err);

/** What a run is doing, for progress. What has ended well is told once the log has it: the next
 * step may be checked by then. */
typedef enum pawl_run_stage {
        PAWL_STEP_CHECKING,
        PAWL_STEP_RUNNING,
        PAWL_STEP_COMPLETED,
        PAWL_STEP_SKIPPED, /**< it completed earlier in this run */
        PAWL_STEP_BLOCKED,
        PAWL_STEP_FAILED,
        PAWL_STEP_LEFT_OUT /**< its `when` said no, or somebody skipped it */
} pawl_run_stage;

typedef void (*pawl_progress_fn)(
        pawl_run_stage stage, const char *step_id, size_t number, size_t of, void *user);

/** What there is to say beside the run: a handoff that could not be written, sessions that were
 *  pruned. One line without a newline. */
typedef void (*pawl_notice_fn)(const char *line, void *user);

/** A checkpoint of the workspace that the run took itself; @p info lives as long as the call. Of
 * the one with which a run is resumed, has_changed and what goes with it tell what changed before
 * that since its base, but for what Pawl wrote itself. */
typedef void (*pawl_run_checkpoint_fn)(const pawl_workspace_checkpoint_info *info, void *user);

/** What is to be done about a checkpoint of the workspace that failed. */
typedef enum pawl_trouble_answer {
        PAWL_TROUBLE_RETRY,
        PAWL_TROUBLE_SKIP, /**< go on without it */
        PAWL_TROUBLE_STOP  /**< interrupt the run, to be resumed */
} pawl_trouble_answer;

/** @p line says what failed; one line without a newline. */
typedef pawl_trouble_answer (*pawl_trouble_fn)(const char *line, void *user);

/** What a mission file differs from the mission that its run began with in. */
typedef struct pawl_mission_change {
        const char *step_id;
        const char *change; /**< "added", "removed", "moved", "inputs" (others), "run" (another
                                 command) or "glossary" (it completed with a sense that has changed
                                 since; only where such steps are to run again) */
} pawl_mission_change;

/** Go on all the same, and keep what is completed? Set *yes; it comes in as false. Asked before the
 *  run is claimed; and again, should somebody else have been at it meanwhile. */
typedef pawl_status (*pawl_confirm_mission_fn)(
        bool *yes, const pawl_mission_change *changes, size_t n, void *user);

/** Options for run and resume. Start from PAWL_RUN_OPTIONS_INIT. */
typedef struct pawl_run_options {
        unsigned version;           /**< PAWL_RUN_OPTIONS_VERSION */
        const char *actor;          /**< "user:ana"; NULL: "program" */
        const char *run_id;         /**< run: this id; NULL: a fresh one */
        const char *strictness;     /**< run: override for every step; NULL: none */
        bool accept_changed_inputs; /**< resume: yes without asking */
        unsigned wait_ms;           /**< how long to wait for another owner and, on resume without
                                         clarify, for answers given elsewhere; 0: not at all */
        int signal_fd;              /**< a byte read from it is a signal's number; -1: none */
        pawl_clarify_fn clarify;    /**< NULL: defer */
        pawl_clarify_terms_fn clarify_terms; /**< NULL: one by one */
        void *clarify_user;
        pawl_confirm_fn confirm; /**< NULL: no */
        void *confirm_user;
        pawl_progress_fn progress; /**< NULL: silent */
        void *progress_user;
        pawl_notice_fn notice; /**< NULL: silent */
        void *notice_user;
        uint64_t time_limit_ms;  /**< stop the run after so long, to be resumed; 0: no limit */
        const char *home;        /**< of the user; see pawl_workspace_options; NULL: not known */
        pawl_trouble_fn trouble; /**< NULL: PAWL_TROUBLE_SKIP, and a notice */
        void *trouble_user;
        bool accept_changed_mission; /**< resume: keep what is completed; yes without asking */
        bool rerun_changed; /**< resume: yes, and steps whose inputs or command changed, new ones,
                                 completed ones that were told what the glossary says no more, and
                                 those that take from any of them run again */
        pawl_confirm_mission_fn confirm_mission; /**< NULL: no */
        void *confirm_mission_user;
        const char *config_home;           /**< see pawl_workspace_options; NULL: below home */
        pawl_run_checkpoint_fn checkpoint; /**< NULL: silent */
        void *checkpoint_user;
        const char *directory; /**< resume, of a run that was submitted: an absolute path, where its
                                    files are set up, in place of what is there from other runs; it
                                    is made if it is not there. NULL: such a run is refused */
        bool alone; /**< run: not beside an unfinished run of the mission file, whoever begins one
                       at the same time: PAWL_EHELD while that is at work, else PAWL_ESTATE */
        const char *within; /**< resume: an absolute path without links, of a directory; a run whose
                                 mission file is not in it is refused (PAWL_EACCESS), unless it was
                                 submitted. NULL: any */
} pawl_run_options;

#define PAWL_RUN_OPTIONS_VERSION 1
#define PAWL_RUN_OPTIONS_INIT                                                                      \
        {                                                                                          \
                PAWL_RUN_OPTIONS_VERSION, NULL, NULL, NULL, false, 0, -1, NULL, NULL, NULL, NULL,  \
                        NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, false, false, NULL,     \
                        NULL, NULL, NULL, NULL, NULL, false, NULL                                  \
        }

/** A step's outcome. Texts live as long as the result. */
typedef struct pawl_step_result {
        const char *step_id,
                *status;         /**< pending, running, blocked, completed, failed, skipped (its
                                      `when` said no, somebody went past it, or it is removed) */
        const char *retry_token; /**< NULL: none yet */
        const char *cursor;      /**< NULL: none yet */
        bool unfinished; /**< pending, since the process that was at it ended before it did */
        bool removed;    /**< skipped, since the mission has it no more */
} pawl_step_result;

/** A member of a step's inputs that changed since its checkpoint. */
typedef struct pawl_changed_member {
        pawl_text path;          /**< "inputs.requirements[1]" */
        pawl_text before, after; /**< canonical JSON; absent: the member was not there */
} pawl_changed_member;

/** The inputs of a step that changed since its checkpoint. */
typedef struct pawl_changed_inputs {
        const char *step_id; /**< NULL: those of no step did */
        const pawl_changed_member *items;
        size_t n;                                   /**< 0 also where the inputs were not kept */
        const char *checkpoint_hash, *current_hash; /**< 64 hex digits */
} pawl_changed_inputs;

/** An open conflict of a run. */
typedef struct pawl_run_conflict {
        const char *id;
        bool can_pick; /**< it has a candidate that pawl_answer.pick can name; else the term is to
                            be defined */
        bool is_question;    /**< what a step asks people, and no term: see pawl_answer.answer */
        const char *step_id; /**< whose conflict it is */
} pawl_run_conflict;

/** What a run came to. Free with pawl_run_result_free(). */
typedef struct pawl_run_result {
        const char *run_id, *mission_id, *session_id;
        const char *status; /**< completed, blocked, interrupted or failed */
        const pawl_step_result *steps;
        size_t n_steps;
        uint64_t steps_completed, steps_total; /**< of the run, as pawl_run has them */
        const pawl_run_conflict *conflicts;
        size_t n_conflicts;
        const pawl_mission_change *changes; /**< what the mission file was found to differ from the
                                                 run's mission in, accepted or not */
        size_t n_changes;
        pawl_changed_inputs inputs; /**< those that had changed, accepted or not */
        int signal;                 /**< after PAWL_EINTERRUPTED: the signal; else 0 */
        bool cancelled;             /**< failed, as somebody ended it for good */
} pawl_run_result;

PAWL_EXTERN void pawl_run_result_free(pawl_run_result *result);

/**
 * Run every step of a mission.
 *
 * @param[out] out  set whenever the run got as far as to exist in the log (also for PAWL_BLOCKED,
 *                  PAWL_ESTEP, PAWL_EINPUTS, PAWL_EINTERRUPTED); else NULL.
 * @return PAWL_OK, PAWL_BLOCKED, PAWL_ESTEP, PAWL_EINTERRUPTED, PAWL_EHELD, PAWL_EFENCED,
 * PAWL_EEXISTS (the run id), PAWL_EINVAL (a parameter has no value), or another failure; @p err has
 * the message for all but PAWL_OK.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_run(pawl_run_result **out,
        pawl_mission *mission, pawl_log *log, const pawl_run_options *options, pawl_error *err);

/**
 * Go on with a run. @p what: a retry token or a run id, or 4 characters or more that it alone
 * begins with; or NULL for the one run that is interrupted, or blocked with all its answers in
 * (with wait_ms: blocked), which is then said by options.notice. PAWL_ENOTFOUND where there is
 * none, PAWL_ESTATE where there are several. A token or run that has completed gives its recorded
 * result and PAWL_OK.
 * @return as pawl_mission_run(), and PAWL_ENOTFOUND; PAWL_EINPUTS: the inputs of a step changed
 * since its checkpoint, or the mission since the run began (then nothing was written), and nobody
 * said yes.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_resume(pawl_run_result **out, pawl_log *log,
        const char *what, const pawl_run_options *options, pawl_error *err);

/**
 * Put a run of a mission in line for a worker: its file, its seeds and its workspace, as a
 * checkpoint, are in the log, durably, when this returns, so that a worker elsewhere needs nothing
 * but the log. Runs nothing.
 * @param[out] run_id  of 129 bytes.
 * @param options      actor, run_id, strictness, home, config_home and checkpoint count.
 * @return PAWL_EINVAL where the mission file, or a command of it that is named by a relative path,
 *         is no part of the workspace that was captured: then nothing was written. Else as
 *         pawl_mission_run() and pawl_workspace_checkpoint().
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_submit(char run_id[129], pawl_mission *mission,
        pawl_log *log, const pawl_run_options *options, pawl_error *err);

/**
 * Go past a step that failed, while nobody holds its run: it is completed from now on, with
 * @p output, the JSON of any value, as its output (NULL: null). Whoever resumes the run goes on
 * behind it.
 * @param actor  who says so; NULL: "program".
 * @return PAWL_ENOTFOUND; PAWL_ESTATE: it has not failed; PAWL_EHELD; PAWL_EPARSE, of the output.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_skip(pawl_log *log, const char *run_id,
        const char *step_id, const char *output, size_t len, const char *actor, pawl_error *err);

/**
 * End a run for good, whoever holds it: nobody can append to it or resume it any more, its
 * conflicts are open no longer, and its owner, wherever it is, ends its command (by TERM) within
 * seconds.
 * @param actor  who says so; NULL: "program".
 * @return PAWL_ENOTFOUND; PAWL_ESTATE: it is completed, or cancelled.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_cancel(
        pawl_log *log, const char *run_id, const char *actor, pawl_error *err);

/** A run that can be resumed. */
typedef struct pawl_unfinished {
        char run_id[129];
        char status[16];    /**< blocked, interrupted, failed, or running: somebody is at it now */
        int64_t updated_us; /**< its last event's time */
        uint64_t steps_completed, steps_total;
        char session_id[129]; /**< the one that has it, or had it last; "": none */
        int64_t pid;          /**< of the process that holds it, when it is running */
        char host[256];
} pawl_unfinished;

/** The newest run of a mission file that is blocked, interrupted, failed or running.
 * PAWL_ENOTFOUND, without a message, when there is none. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_unfinished(
        pawl_unfinished *out, const pawl_mission *mission, pawl_log *log, pawl_error *err);

/**
 * Layers 1 and 2 and the gate's verdict for each step (or the one named), writing nothing.
 * Inputs that come from an earlier step's output stay as their {"$from"} object. A command that is
 * not there, looked for as a run would, is a failure (PAWL_ENOTFOUND, PAWL_EACCESS).
 * @param[out] json  an array of {"step_id","input_hash","effective_strictness","terms","findings",
 *                   "overall_severity","recommended_action","blocked"}; free with pawl_free().
 * @param log        may be NULL: then only the mission's own seeds are in force.
 * @return PAWL_OK, PAWL_BLOCKED when a step would be held, or a failure.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_mission_check(char **json, size_t *len,
        pawl_mission *mission, pawl_log *log, const char *step_id, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif

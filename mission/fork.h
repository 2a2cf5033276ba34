/**
 * @file mission/fork.h
 * @brief A new run that begins as another one was before a step of it.
 *
 *   open -> (parameters) -> where its files are -> commit -> close
 *
 * Nothing is written before the commit but the files of a new root: it is one transaction, so that
 * there is the whole run or none. The other run is not touched.
 */
#pragma once

#include "mission/mission.h"
#include "workspace/workspace.h"

typedef struct pawl__fork {
        pawl_log *log;
        pawl__state *state;
        pawl__row now;    /**< the run as it stands */
        pawl__row source; /**< it, or the one that it has the step itself from */
        pawl__row run;    /**< that one as it was then ... */
        pawl__row *steps; /**< ... with its steps, in mission order */
        size_t n_steps;
        pawl_text step_id;
        uint64_t seq;                              /**< the last event that is taken over */
        pawl_text document, file;                  /**< hashes of its mission then */
        struct pawl__fork_completion *completions; /**< in their order */
        size_t n_completions, cap_completions;
        pawl__json_tree begun;     /**< of the event that it started with */
        pawl__row checkpoint;      /**< of its files then ... */
        const char *no_checkpoint; /**< ... or why there is none */
        pawl_text root;            /**< that its files have for themselves; absent: the log's */
        bool submitted;            /**< its files are wherever a worker is */
        pawl_mission *mission;     /**< with parameters that were given; NULL: they are the run's */
        bool *asks_again;          /**< of each step: not taken over; NULL: all are */
        const char *path;          /**< of the mission's file, for the new run */
        uint64_t from;             /**< whose files it begins with; 0: they stay */
        const char *filled;        /**< the directory that has them; emptied where it comes to
                                        nothing; NULL: none */
        char run_id[37];           /**< the new one's */
        pawl__arena arena;
} pawl__fork;

/** Look the run up, and what it was before it first began the step, since that was last given up or
 *  was to run again. Close it in any case. PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__fork_open(
        pawl__fork *f, pawl_log *log, const char *run_id, const char *step_id, pawl_error *err);
void pawl__fork_close(pawl__fork *f);

/** The mission as its file is now, with the parameters that the run began with. */
PAWL_MUST_CHECK pawl_status pawl__fork_mission(pawl_mission **out, pawl__fork *f, pawl_error *err);
/** Begin with this one's parameters; it must live as long. A question before that takes one that is
 *  another now is asked again, and what needs its answer runs again; other steps that took one are
 *  told of: they are not run again. */
PAWL_MUST_CHECK pawl_status pawl__fork_params(pawl__fork *f, pawl_mission *mission,
        void (*tell)(const char *line, void *user), void *user, pawl_error *err);

/** Set its files up in @p directory, absolute, absent or empty. PAWL_EINVAL, PAWL_ESTATE. */
PAWL_MUST_CHECK pawl_status pawl__fork_set_up(pawl__fork *f, const char *directory,
        const pawl_workspace_options *options, pawl_error *err);
/** The new run's files are where the run's are. PAWL_ESTATE: those have no place here. */
PAWL_MUST_CHECK pawl_status pawl__fork_in_place(pawl__fork *f, pawl_error *err);

/** Of a fork that failed, so that it can be tried again: its directory is as empty as it was. */
void pawl__fork_clean_up(const pawl__fork *f);

PAWL_MUST_CHECK pawl_status pawl__fork_commit(pawl__fork *f, const char *actor, pawl_error *err);

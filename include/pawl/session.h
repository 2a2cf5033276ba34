/**
 * @file pawl/session.h
 * @brief Sessions: one stretch of work of a runner or an agent on a mission, and the handoff to the
 * next.
 *
 * A run's session is opened and closed by pawl_mission_run() and pawl_mission_resume(), and how far
 * it is, is how far its run is. An agent that is not run by a mission keeps its own, by the calls
 * below. Everything is an event in the log; nothing else is kept.
 *
 * Errors: PAWL_OK or a failure with its message in @p err (may be NULL); a call that failed changed
 * nothing. Ids are NUL-ended texts of at most 128 bytes, as everywhere.
 */
#ifndef PAWL_SESSION_H
#define PAWL_SESSION_H

#include <pawl/events.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room for "session-YYYYMMDD-HHMMSS-", 12 hex digits and a NUL. */
#define PAWL_SESSION_ID_MAX 40

/** A session as it is. Texts are absent where they do not apply, and live as long as the list.
 */
typedef struct pawl_session {
        pawl_text session_id, mission_id, actor;
        pawl_text run_id;       /**< absent: an agent's session */
        pawl_text status;       /**< active, completed, interrupted or error */
        pawl_text reason;       /**< why it ended: "blocked", "SIGTERM", a step's failure */
        pawl_text current_step; /**< the current one; when it has ended, the one it stopped at */
        pawl_text summary;      /**< the context, in its keeper's words */
        int64_t started_us, updated_us; /**< start and last activity; for people */
        int64_t ended_us;               /**< 0: active */
        uint64_t steps_completed, steps_total;
        uint64_t checkpoints;    /**< how many SessionCheckpointed events it has */
        uint64_t checkpoint_seq; /**< seq of the last of them, or 0 */
        uint64_t seq;            /**< of its SessionStarted */
        bool pinned;             /**< prune leaves it alone */
        /** The linked work tree of git that it began in, and where its top is now or was last;
         * absent: the log's own. */
        pawl_text worktree, worktree_path;
} pawl_session;

typedef struct pawl_sessions {
        const pawl_session *items;
        size_t n;
} pawl_sessions; /**< Free with pawl_sessions_free(). */

/** Which sessions. Start from PAWL_SESSION_FILTER_INIT, which means all of them. */
typedef struct pawl_session_filter {
        unsigned version; /**< PAWL_SESSION_FILTER_VERSION */
        const char *mission_id, *session_id, *status;
        size_t limit;         /**< the newest so many; 0: all */
        const char *worktree; /**< "": that has the log; else a linked one's id; NULL: any */
} pawl_session_filter;

#define PAWL_SESSION_FILTER_VERSION 1
#define PAWL_SESSION_FILTER_INIT                                                                   \
        {                                                                                          \
                PAWL_SESSION_FILTER_VERSION, NULL, NULL, NULL, 0, NULL                             \
        }

/**
 * Sessions, newest first. One whose process died is found here: a log that can be
 * written gets its SessionEnded (interrupted); from another it is only shown so.
 * @param filter  NULL: all.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_list(
        pawl_sessions **out, pawl_log *log, const pawl_session_filter *filter, pawl_error *err);
PAWL_EXTERN void pawl_sessions_free(pawl_sessions *list);

/** A step of a session. Texts live as long as the details. */
typedef struct pawl_session_step {
        pawl_text step_id;
        pawl_text status; /**< as pawl_step_info has it; an agent's may be interrupted */
} pawl_session_step;

/** One of its SessionCheckpointed events. */
typedef struct pawl_session_checkpoint_info {
        uint64_t seq;
        int64_t time_us;  /**< since 1970-01-01 UTC; for people */
        pawl_text reason; /**< as for pawl_session_checkpoint(); absent: it was pruned */
} pawl_session_checkpoint_info;

/** A checkpoint of the workspace that was taken in it. */
typedef struct pawl_session_capture {
        uint64_t n;
        pawl_text id, step_id, description;
        pawl_text git_head, git_branch; /**< where git stood; absent: there is no repository */
        int64_t created_us;
} pawl_session_capture;

/** A session with its steps and checkpoints. Free with pawl_session_details_free(). */
typedef struct pawl_session_details {
        pawl_session session;
        const pawl_session_step
                *steps; /**< completed ones, then those at hand, then pending ones */
        size_t n_steps;
        const pawl_session_checkpoint_info *checkpoints; /**< oldest first */
        size_t n_checkpoints;
        const pawl_session_capture *captures; /**< oldest first */
        size_t n_captures;
        pawl_text commit, branch; /**< where git stood at the last capture; absent: not known */
} pawl_session_details;

/** @param session_id  the session, or the only one whose id begins so; NULL: the latest.
 *  @return PAWL_ENOTFOUND; PAWL_EINVAL for the beginning of several. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_find(
        pawl_session_details **out, pawl_log *log, const char *session_id, pawl_error *err);
PAWL_EXTERN void pawl_session_details_free(pawl_session_details *details);

/* ---- An agent's session ---------------------------------------------------------------------- */

/** What an agent tells of its work. Zero-initialised tells nothing. */
typedef struct pawl_session_work {
        const char *current_step;     /**< NULL: as it was; "": none is at hand */
        const char *summary;          /**< NULL: as it was */
        const char *const *completed; /**< steps that are completed, beside those told before */
        size_t n_completed;
        const char *const *pending; /**< all steps that are pending; NULL: as they were */
        size_t n_pending;
        const char *const *files; /**< files that matter, beside those told before */
        size_t n_files;
} pawl_session_work;

/** Options for starting and resuming. Start from PAWL_SESSION_OPTIONS_INIT. */
typedef struct pawl_session_options {
        unsigned version;  /**< PAWL_SESSION_OPTIONS_VERSION */
        const char *actor; /**< "agent:builder"; NULL: "program" */
        bool take_over;    /**< end the mission's active session as interrupted, if there is one */
} pawl_session_options;

#define PAWL_SESSION_OPTIONS_VERSION 1
#define PAWL_SESSION_OPTIONS_INIT                                                                  \
        {                                                                                          \
                PAWL_SESSION_OPTIONS_VERSION, NULL, false                                          \
        }

/**
 * Start a session of a mission.
 * @param[out] session_id  its id.
 * @param work             NULL: nothing yet.
 * @return PAWL_EHELD when the mission has an active session of an agent: the message names it, its
 *         actor and its last activity.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_start(char session_id[PAWL_SESSION_ID_MAX],
        pawl_log *log, const char *mission_id, const pawl_session_work *work,
        const pawl_session_options *options, pawl_error *err);

/** Tell more of a session's work. Of a run's session only summary and files can be told.
 *  PAWL_ENOTFOUND; PAWL_ESTATE when it has ended. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_update(pawl_log *log, const char *session_id,
        const char *actor, const pawl_session_work *work, pawl_error *err);

/** The same, and a SessionCheckpointed event that holds the whole of it: what pawl_session_resume()
 *  goes on from. One durable commit.
 *  @param reason  manual, step_complete, context_warning, error_recovery, time_limit, task_complete
 *                 or session_end.
 *  @param[out] seq  the checkpoint's; may be NULL. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_checkpoint(uint64_t *seq, pawl_log *log,
        const char *session_id, const char *actor, const char *reason,
        const pawl_session_work *work, pawl_error *err);

/** End an agent's session. @p status: completed, interrupted or error; @p reason may be NULL.
 *  PAWL_ESTATE for one that has ended, or a run's. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_end(pawl_log *log, const char *session_id,
        const char *actor, const char *status, const char *reason, const pawl_session_work *work,
        pawl_error *err);

/** A new session of the same mission with the work as an agent's session left it, or as it was at
 *  one of its checkpoints.
 *  @param checkpoint_seq  0: as it was left.
 *  @return PAWL_EHELD while this or another session of the mission is active, unless
 *          options.take_over ends that one as interrupted. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_resume(
        char new_session_id[PAWL_SESSION_ID_MAX], pawl_log *log, const char *session_id,
        uint64_t checkpoint_seq, const pawl_session_options *options, pawl_error *err);

/** Keep a session, of whatever status, from being pruned; or no longer. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_pin(
        pawl_log *log, const char *session_id, bool pinned, pawl_error *err);

/* ---- Pruning --------------------------------------------------------------------------------- */

/** One session, and whether it goes. Texts live as long as the report. */
typedef struct pawl_pruned_session {
        pawl_text session_id, mission_id, status;
        const char *stays; /**< why: newest, pinned, active, open conflict ...; NULL: it goes */
        uint64_t seq;
} pawl_pruned_session;

/** Every session, newest first, and how many go. Free with pawl_prune_report_free(). */
typedef struct pawl_prune_report {
        const pawl_pruned_session *items;
        size_t n, going;
} pawl_prune_report;

/**
 * Delete old session data: the payloads of their events, for good; the chain still verifies, and
 * a Pruned event says which. The newest @p keep stay, and those that are active, pinned, or of a
 * run that can be resumed or has an open conflict. Nothing to delete: nothing is written.
 * @param dry_run  only tell.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_prune(pawl_prune_report **out, pawl_log *log,
        size_t keep, bool dry_run, const char *actor, pawl_error *err);
PAWL_EXTERN void pawl_prune_report_free(pawl_prune_report *report);

/* ---- The handoff ----------------------------------------------------------------------------- */

/**
 * The handoff document of a session: plain text for people and models, made of the log alone, so
 * that the same log gives the same bytes.
 * @param[out] text        the caller's, ended by a NUL that len does not count; pawl_free().
 * @param session_id       NULL: the latest.
 * @param summary          how many entries DONE lists at most, the rest counted; 0: all.
 * @return PAWL_ENOTFOUND.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_handoff(char **text, size_t *len,
        pawl_log *log, const char *session_id, size_t summary, pawl_error *err);

/**
 * What the handoff says, as a JSON object: status, steps_completed, steps_total, done[],
 * in_progress[] and next[] (step_id, status, retry_token, cursor, exit_code, conflicts[], terms[]),
 * files[], commits[], workspace_checkpoints[], issues[], notes[] and go_on, the command to resume
 * with (docs/reference/handoff.md).
 * @param[out] json   the caller's, ended by a NUL that len does not count; pawl_free().
 * @param session_id  NULL: the latest.
 * @return PAWL_ENOTFOUND.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_handoff_json(
        char **json, size_t *len, pawl_log *log, const char *session_id, pawl_error *err);

/**
 * A handoff document as people left it, read as `pawl resume` reads it, as a JSON object:
 * {"session_id","sections":[{"name","entries":[{"text","ticked"}]}]}, session_id null if the title
 * names none. No log is needed.
 * @param[out] json  as above.
 * @return PAWL_EPARSE for what is not a text: not UTF-8, a NUL byte, more than 1 MiB.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_handoff_parse(
        char **json, size_t *out_len, const char *text, size_t len, pawl_error *err);

/**
 * The same into a file, whole or not at all: beside it first, synced, then in its place. A file
 * that is there keeps its mode; a new one has 0644, less the umask. Where @p path is a symbolic
 * link, the file that it leads to is replaced, and the link stays.
 * @return PAWL_ENOTFOUND (the session, or the directory), PAWL_EINVAL where @p path is no regular
 * file, PAWL_EACCESS, PAWL_EREADONLY, PAWL_EFULL, PAWL_EIO: the file is as it was.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_session_handoff_write(
        pawl_log *log, const char *session_id, const char *path, size_t summary, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif

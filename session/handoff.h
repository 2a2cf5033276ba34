/**
 * @file session/handoff.h
 * @brief The handoff document inside the library: what it says, and its text.
 *
 * What a log says of a session is gathered first (session/handoff_gather.c) and printed then
 * (session/handoff_print.c); docs/reference/handoff.md is the format.
 */
#pragma once

#include "glossary/terms.h"
#include "session/session.h"
#include "session/standing.h"
#include "state/answer_way.h"

/** The sections, in the order of the document. */
typedef enum pawl__section {
        PAWL__SECTION_TITLE, /**< what is before the first heading */
        PAWL__SECTION_CURRENT,
        PAWL__SECTION_DONE,
        PAWL__SECTION_IN_PROGRESS,
        PAWL__SECTION_NEXT,
        PAWL__SECTION_FILES,
        PAWL__SECTION_ISSUES,
        PAWL__SECTION_NOTES,
        PAWL__SECTION_GO_ON,
        PAWL__SECTION_OTHER, /**< a heading that the format has not */
        PAWL__SECTIONS
} pawl__section;

/** "CURRENT", "IN PROGRESS" ...; "" for title and other. */
const char *pawl__section_name(pawl__section section);

/** A step as the document shows it. */
typedef struct pawl__hand_step {
        const pawl__row *row; /**< of PAWL__STEPS; an agent's has its id alone */
        pawl_text status;     /**< as people are told it */
        pawl__step_why why;
        pawl_glossary_terms terms; /**< what its command is told of the glossary; of one at hand */
} pawl__hand_step;

typedef struct pawl__hand_steps {
        pawl__hand_step *list;
        size_t n;
} pawl__hand_steps;

/** A file that changed while the session was at work. */
typedef struct pawl__hand_change {
        pawl_text path;
        const char *how; /**< "added", "changed" or "removed" */
} pawl__hand_change;

/** A rollback of the session's work tree since the session began. */
typedef struct pawl__hand_rollback {
        const char *kind; /**< "rollback", "undo" or "redo" */
        int64_t target, ended_us;
        pawl_text reason; /**< absent: none was given */
        bool in_part;     /**< of some files */
} pawl__hand_rollback;

/** A checkpoint of the workspace that the session took. */
typedef struct pawl__hand_checkpoint {
        int64_t n, created_us;
        pawl_text id, step_id, description, git_head, git_branch; /**< absent: none */
} pawl__hand_checkpoint;

/** All that a document says. Texts and arrays lie in an arena. */
typedef struct pawl__handoff {
        pawl__row session, run;
        bool has_run;
        pawl__worktree_place place;     /**< where the session is at work */
        pawl__worktree_place run_place; /**< where its run's files are */
        pawl_text current;              /**< step; absent: none */
        pawl__hand_steps done, at_hand, next;
        uint64_t steps_completed, steps_total;
        pawl__row *conflicts;   /**< open ones */
        pawl__answer_way *ways; /**< how each is answered */
        size_t n_conflicts;
        pawl_text *files;
        size_t n_files;
        pawl__hand_change *changes;
        size_t n_changes;
        int64_t from_n, to_n; /**< between which checkpoints they lie; 0: there are none */
        pawl__hand_rollback *rollbacks; /**< oldest first */
        size_t n_rollbacks;
        pawl__notes notes;
        size_t summary;    /**< entries that DONE lists at most; 0: all */
        const char *named; /**< what commands end with */
        int64_t now_us;    /**< for what is due */
        bool at_work;      /**< some process is at its run, as the log has it */
        bool has_active;   /**< of an agent's: its mission has an active session of an agent */
} pawl__handoff;

/** What the log says of the session whose row is @p session. */
PAWL_MUST_CHECK pawl_status pawl__handoff_gather(pawl__handoff *out, pawl_log *log,
        pawl__state *state, const pawl__row *session, pawl__arena *arena, pawl_error *err);

/** The files that differ between where the session's work tree was when it began and where it is;
 *  the rollbacks since. After pawl__handoff's other members: files that were told are listed once.
 *  Contents that are gone: no changes. */
PAWL_MUST_CHECK pawl_status pawl__handoff_changes(
        pawl__handoff *out, pawl_log *log, pawl__state *state, pawl__arena *arena, pawl_error *err);

/** The checkpoints of the workspace that a session took, oldest first. */
PAWL_MUST_CHECK pawl_status pawl__session_captures(pawl__hand_checkpoint **out, size_t *n,
        pawl__state *state, const pawl__row *session, pawl__arena *arena, pawl_error *err);

/** One of a session's own checkpoints: SessionCheckpointed. */
typedef struct pawl__session_mark {
        uint64_t seq;
        int64_t time_us;
        pawl_text reason; /**< absent: it was pruned */
} pawl__session_mark;

/** They, oldest first. */
PAWL_MUST_CHECK pawl_status pawl__session_marks(pawl__session_mark **out, size_t *n, pawl_log *log,
        const pawl__row *session, pawl__arena *arena, pawl_error *err);

/** The notes in force of a mission: those of its newest session that has any. */
PAWL_MUST_CHECK pawl_status pawl__notes_in_force(pawl__notes *out, pawl_log *log,
        pawl__state *state, pawl_text mission_id, pawl__arena *arena, pawl_error *err);

/** The array `notes` (or another of its form) of a SessionNoted payload. */
PAWL_MUST_CHECK pawl_status pawl__notes_read(pawl__notes *out, const pawl__json_tree *payload,
        const char *member, pawl__arena *arena, pawl_error *err);

/** As members of an object that is open: status, figures, steps, files, commits, checkpoints,
 *  conflicts, notes and the command to go on with. */
PAWL_MUST_CHECK pawl_status pawl__handoff_json(
        pawl__json_writer *w, pawl_log *log, const char *session_id, pawl_error *err);
/** Steps as a member of it, or into an array that is open (name NULL); checkpoints as
 *  `workspace_checkpoints`. */
void pawl__hand_steps_json(pawl__json_writer *w, const char *name, const pawl__hand_steps *steps,
        const pawl__handoff *h);
void pawl__hand_checkpoints_json(pawl__json_writer *w, const pawl__hand_checkpoint *list, size_t n);
/** Notes as the member @p name of it. */
void pawl__notes_json(pawl__json_writer *w, const char *name, const pawl__notes *notes);

/** Is nothing left to do? What an agent that told no steps has left to do is not known. */
bool pawl__handoff_is_over(const pawl__handoff *h);
/** Append the command to go on with; nothing where there is none. */
PAWL_MUST_CHECK pawl_status pawl__handoff_command(
        pawl__buf *out, const pawl__handoff *handoff, pawl_error *err);

/** Append the section NOTES; nothing where there are none. */
PAWL_MUST_CHECK pawl_status pawl__handoff_print_notes(
        pawl__buf *out, const pawl__notes *notes, pawl_error *err);

/** Append the document. */
PAWL_MUST_CHECK pawl_status pawl__handoff_print(
        pawl__buf *out, const pawl__handoff *handoff, pawl_error *err);

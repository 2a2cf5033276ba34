/**
 * @file session/session.h
 * @brief Sessions inside the library: their ids and events, how one stands, and those left behind.
 */
#pragma once

#include "base/json_write.h"
#include "events/types.h"
#include "state/state.h"
#include <pawl/session.h>

/** A new id, "session-YYYYMMDD-HHMMSS-RANDOM": the time is in UTC, RANDOM is 12 hex digits. Two
 * calls give different ids, in whatever process, second or log. */
void pawl__session_id(char out[PAWL_SESSION_ID_MAX], const pawl_log *log);

/* ---- Events (session/events.c). @p like gives the envelope's ids. ---------------------------- */

/** What an event of a session says; a member that is NULL or false is left out. */
typedef struct pawl__session_report {
        const char *status; /**< of SessionEnded: "completed", "interrupted" or "error" */
        const char *reason;
        const char *run_status; /**< of SessionEnded: what its run is now, where the step that came
                                     last does not say it; NULL: it does */
        uint64_t turn_checkpoint; /**< of SessionUpdated: a turn has ended at it; 0: none has */
        bool found;               /**< ended by another process than the session's */
        const pawl__state *in;    /**< of SessionStarted: whose work tree it begins in */
        const pawl_session_work *work;
} pawl__session_report;

PAWL_MUST_CHECK pawl_status pawl__session_emit(pawl__batch *batch, pawl__event_type type,
        const pawl_event *like, const pawl__session_report *told, pawl_error *err);
/** A turn of an agent's session has ended: what the agent said last (NULL: nothing) and the
 * checkpoint that the workspace is at (0: there is none, and the turn is not counted). */
PAWL_MUST_CHECK pawl_status pawl__session_turn(pawl_log *log, const char *session_id,
        const char *actor, const char *summary, uint64_t checkpoint, pawl_error *err);
/** Ended by another process than the session's, which died or was superseded. Its append is refused
 * with PAWL_ESTATE when the session has ended itself meanwhile. */
PAWL_MUST_CHECK pawl_status pawl__session_found_ended(
        pawl__batch *batch, const pawl__row *session, const char *reason, pawl_error *err);

/* ---- Work, as members of an event (session/work.c) ------------------------------------------- */

/** Are ids and texts of their form, and such as that session (@p like: of a run or not) may tell?
 */
PAWL_MUST_CHECK pawl_status pawl__work_check(
        const pawl_session_work *work, const pawl_event *like, pawl_error *err);
void pawl__work_write(pawl__json_writer *w, const pawl_session_work *work);
/** What a row says of the work. */
void pawl__work_write_row(pawl__json_writer *w, const pawl__row *session);

/** Is it one of the reasons that a checkpoint may have? */
bool pawl__session_reason_known(const char *reason);

/* ---- Notes of people (session/handoff_notes.c) ----------------------------------------------- */

/** A note of people. */
typedef struct pawl__note {
        pawl_text section; /**< where it was written: "NEXT", or any heading; "": none */
        pawl_text text;
} pawl__note;

typedef struct pawl__notes {
        pawl__note *list;
        size_t n;
} pawl__notes;

/**
 * What people wrote into the handoff document at @p path since it was written, as a SessionNoted
 * event of the session and mission of @p like; no event where there is nothing new.
 * @return PAWL_OK also where there is no such file; PAWL_EPARSE for one that is no text or has more
 *         notes than are kept; PAWL_EACCESS, PAWL_EIO: the batch is as it was.
 */
PAWL_MUST_CHECK pawl_status pawl__handoff_take_notes(pawl__batch *batch, const pawl_event *like,
        pawl_log *log, pawl__state *state, const char *path, pawl_error *err);

/* ---- How one stands (session/view.c) --------------------------------------------------------- */

/** pawl_session_list() of those that began before this event (0: all). */
PAWL_MUST_CHECK pawl_status pawl__session_list(pawl_sessions **out, pawl_log *log,
        const pawl_session_filter *filter, uint64_t before, pawl_error *err);

/** A session by its id; NULL: the latest, of @p mission_id (absent: of any). PAWL_ENOTFOUND. */
PAWL_MUST_CHECK pawl_status pawl__session_find(pawl__row *session, pawl__state *state,
        const char *session_id, pawl_text mission_id, pawl__arena *arena, pawl_error *err);

/** The session as it was at one of its checkpoints. PAWL_ENOTFOUND when @p seq is none of them.
 */
PAWL_MUST_CHECK pawl_status pawl__session_at(pawl__row *out, pawl_log *log,
        const pawl__row *session, uint64_t seq, pawl__arena *arena, pawl_error *err);

/** Was an active session left behind: has the process that held its run died, or another the run?
 * An agent's never is: no process is known to be it. */
PAWL_MUST_CHECK pawl_status pawl__session_left(bool *left, pawl_log *log, pawl__state *state,
        const pawl__row *session, pawl__arena *arena, pawl_error *err);

/** The step that an agent's session is at; absent: none, or one that it told as done since. The
 * text lives in the row. */
PAWL_MUST_CHECK pawl_status pawl__session_current(
        pawl_text *out, const pawl__row *session, pawl_error *err);

/** The session as it is, with what its run says while it is active. Texts lie in the row and
 * the arena. */
PAWL_MUST_CHECK pawl_status pawl__session_view(pawl_session *out, pawl_log *log, pawl__state *state,
        const pawl__row *session, pawl__arena *arena, pawl_error *err);

/** Record the end of every session that was left behind. Does nothing to a read-only log. */
PAWL_MUST_CHECK pawl_status pawl__sessions_settle(
        pawl_log *log, pawl__state *state, pawl_error *err);
/** The same before a look, which a log without room for that does not keep from telling. */
PAWL_MUST_CHECK pawl_status pawl__sessions_settle_if_room(
        pawl_log *log, pawl__state *state, pawl_error *err);

/** As pawl_session_handoff_write(), a new file with the mode @p new_mode, less the umask. */
PAWL_MUST_CHECK pawl_status pawl__handoff_write(pawl_log *log, const char *session_id,
        const char *path, size_t summary, unsigned new_mode, pawl_error *err);

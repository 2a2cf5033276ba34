/* How a session stands: its row, and what its run says of it while it is active. */
#include "base/error.h"
#include "session/session.h"
#include "session/standing.h"
#include "workspace/worktree.h"

pawl_status pawl__session_find(pawl__row *session, pawl__state *state, const char *session_id,
        pawl_text mission_id, pawl__arena *arena, pawl_error *err)
{
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status;

        if (session_id) {
                const pawl__table table = PAWL__SESSIONS;
                pawl_text id = pawl__text(session_id);
                status = pawl__state_whole_id(&id, state, &table, 1, "session", arena, err);
                if (status)
                        return status;
                *session = (pawl__row){.v[PAWL__SES_ID].text = id};
                status = pawl__state_get(state, PAWL__SESSIONS, session, arena, err);
                if (!status && pawl__text_is(session->v[PAWL__SES_STATUS].text, "pruned"))
                        return pawl__fail(err, PAWL_ENOTFOUND,
                                "session %.128s: was pruned; `pawl sessions` lists the others",
                                session_id);
                if (status != PAWL_ENOTFOUND)
                        return status;
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "session %.128s: is not in this log; `pawl sessions` lists them",
                        session_id);
        }
        status = pawl__state_sessions(&rows, &n, state, mission_id,
                pawl__state_worktree(state, NULL), &(pawl__page){.limit = 1}, arena, err);
        if (!status && n)
                *session = rows[0];
        if (status || n)
                return status;
        return pawl__fail(err, PAWL_ENOTFOUND,
                "sessions: no session yet in this work tree%s%.*s; `pawl run MISSION` or `pawl session "
                "start --mission M` begins one",
                mission_id.data ? " of mission " : "", PAWL__FMT(mission_id));
}

/* The run of a session. PAWL_ENOTFOUND, without a message, also for an agent's session. */
static pawl_status get_run(pawl__row *run, pawl__state *state, const pawl__row *session,
        pawl__arena *arena, pawl_error *err)
{
        *run = (pawl__row){.v[PAWL__RUN_ID].text = session->v[PAWL__SES_RUN].text};
        if (!run->v[PAWL__RUN_ID].text.data)
                return PAWL_ENOTFOUND;
        return pawl__state_get(state, PAWL__RUNS, run, arena, err);
}

pawl_status pawl__session_left(bool *left, pawl_log *log, pawl__state *state,
        const pawl__row *session, pawl__arena *arena, pawl_error *err)
{
        pawl__row run;
        pawl_owner owner;
        bool held;
        pawl_status status = get_run(&run, state, session, arena, err);

        *left = false;
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        if (!pawl__text_eq(run.v[PAWL__RUN_SESSION].text, session->v[PAWL__SES_ID].text)) {
                *left = true;
                return PAWL_OK;
        }
        status = pawl__log_holder(&held, &owner, log, run.v[PAWL__RUN_ID].text);
        if (status) {
                if (err)
                        *err = *pawl__log_error(log);
                return status;
        }
        *left = !held;
        return PAWL_OK;
}

pawl_status pawl__session_current(pawl_text *out, const pawl__row *session, pawl_error *err)
{
        const pawl_text current = session->v[PAWL__SES_CURRENT].text;
        const pawl_text done = session->v[PAWL__SES_COMPLETED].text;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        *out = current;
        if (!current.data || !done.data)
                return PAWL_OK;
        pawl_status status = pawl__json_tree_read(&tree, done.data, done.len, err);
        for (pawl__node at = status ? PAWL__NO_NODE : pawl__json_first(&tree, 0);
                at != PAWL__NO_NODE; at = pawl__json_after(&tree, 0, at))
                if (pawl__text_eq(pawl__json_at(&tree, at)->value, current))
                        *out = (pawl_text){NULL, 0};
        pawl__json_tree_free(&tree);
        return status;
}

pawl_status pawl__session_view(pawl_session *out, pawl_log *log, pawl__state *state,
        const pawl__row *session, pawl__arena *arena, pawl_error *err)
{
        const pawl__value *v = session->v;
        pawl__row run;
        bool left;
        pawl_status status;

        *out = (pawl_session){.session_id = v[PAWL__SES_ID].text,
                .mission_id = v[PAWL__SES_MISSION].text,
                .actor = v[PAWL__SES_ACTOR].text,
                .run_id = v[PAWL__SES_RUN].text,
                .status = v[PAWL__SES_STATUS].text,
                .reason = v[PAWL__SES_REASON].text,
                .current_step = v[PAWL__SES_CURRENT].text,
                .summary = v[PAWL__SES_SUMMARY].text,
                .started_us = v[PAWL__SES_STARTED_US].integer,
                .updated_us = v[PAWL__SES_UPDATED_US].integer,
                .ended_us = v[PAWL__SES_ENDED_US].integer,
                .steps_completed = (uint64_t)v[PAWL__SES_DONE].integer,
                .steps_total = (uint64_t)v[PAWL__SES_TOTAL].integer,
                .checkpoints = (uint64_t)v[PAWL__SES_CHECKPOINTS].integer,
                .checkpoint_seq = (uint64_t)v[PAWL__SES_CHECKPOINT_SEQ].integer,
                .seq = (uint64_t)v[PAWL__SES_SEQ].integer,
                .pinned = v[PAWL__SES_PINNED].integer != 0,
                .worktree = v[PAWL__SES_WORKTREE].text,
                .worktree_path = pawl__state_place(
                        state, v[PAWL__SES_WORKTREE].text, v[PAWL__SES_ROOT].text, arena)
                                         .root};
        TRY(pawl__arena_check(arena, err));
        status = get_run(&run, state, session, arena, err);
        if (status == PAWL_ENOTFOUND)
                return pawl__session_current(&out->current_step, session, err);
        if (status)
                return status;
        /* A run that was rolled back since, and not resumed, is where it is. */
        if (!run.v[PAWL__RUN_SESSION].text.data ||
                pawl__text_eq(run.v[PAWL__RUN_SESSION].text, out->session_id)) {
                TRY(pawl__run_current(&out->current_step, state, &run, arena, err));
                out->steps_completed = (uint64_t)run.v[PAWL__RUN_DONE].integer;
                out->steps_total = (uint64_t)run.v[PAWL__RUN_STEPS].integer;
        }
        if (!pawl__text_is(out->status, "active"))
                return PAWL_OK;
        if (out->updated_us < run.v[PAWL__RUN_UPDATED_US].integer)
                out->updated_us = run.v[PAWL__RUN_UPDATED_US].integer;
        status = pawl__session_left(&left, log, state, session, arena, err);
        if (!status && left)
                out->status = pawl__text("interrupted");
        return status;
}

/* The session's end as somebody else found it. Its run goes out of the dead owner's hands in the
 * same transaction: one that was only silent adds nothing behind the end. PAWL_EFENCED: the run is
 * out of them already. */
static pawl_status settle_one(
        pawl_log *log, pawl__batch *batch, const pawl__row *session, bool releases, pawl_error *err)
{
        const pawl_text run_id = session->v[PAWL__SES_RUN].text;
        pawl_owner owner = {0};
        bool held = true;
        pawl_status status = pawl__session_found_ended(batch, session, "process died", err);

        if (!status && releases && run_id.data)
                status = pawl__log_failed(log, pawl__log_holder(&held, &owner, log, run_id), err);
        if (!status && !held && owner.fence)
                status = pawl__batch_release(batch, run_id, err);
        if (status)
                return status;
        return pawl__log_failed(log,
                pawl__log_commit(log, batch, batch->releases.data ? owner.fence : 0, NULL), err);
}

pawl_status pawl__sessions_settle(pawl_log *log, pawl__state *state, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = PAWL_OK;

        if (!pawl__log_readonly(log))
                status = pawl__state_active_sessions(&rows, &n, state, &arena, err);
        for (size_t i = 0; i < n && !status; i++) {
                bool left;
                if (pawl__log_holder_seen(log, rows[i].v[PAWL__SES_RUN].text))
                        continue;
                status = pawl__session_left(&left, log, state, &rows[i], &arena, err);
                if (status || !left)
                        continue;
                status = settle_one(log, &batch, &rows[i], true, err);
                if (status == PAWL_EFENCED) {
                        pawl__batch_clear(&batch);
                        status = settle_one(log, &batch, &rows[i], false, err);
                }
                if (status == PAWL_ESTATE) { /* it has ended itself, or another found it */
                        pawl__batch_clear(&batch);
                        status = PAWL_OK;
                }
        }
        pawl__batch_free(&batch);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__sessions_settle_if_room(pawl_log *log, pawl__state *state, pawl_error *err)
{
        pawl__worktrees_follow(state);
        const pawl_status status = pawl__sessions_settle(log, state, err);

        return status == PAWL_EFULL ? PAWL_OK : status;
}

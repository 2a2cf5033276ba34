/*
 * What the events of a session change.
 *
 * A run's session keeps little of its own: its run says what is done. An agent's session says it by
 * members that SessionStarted, SessionUpdated, SessionCheckpointed and SessionEnded may all have:
 * current_step, completed_steps and files (more of them), pending_steps (all of them), summary.
 */
#include "base/error.h"
#include "base/json_write.h"
#include "state/rules.h"
#include "state/text_list.h"
#include <inttypes.h>
#include <stdio.h>

/* The event's session, which must be there. */
static pawl_status get_session(pawl__row *session, const pawl__apply_ctx *a)
{
        memset(session, 0, sizeof *session);
        session->v[PAWL__SES_ID].text = a->event->session_id;
        pawl_status status = a->store->get(a->store, PAWL__SESSIONS, session, a->err);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(a->err, PAWL_ESTATE,
                        "seq %" PRIu64 " (%.*s): there is no session %.*s; append "
                        "SessionStarted first",
                        a->event->seq, PAWL__FMT(a->event->type), PAWL__FMT(a->event->session_id));
        if (!status && a->event->v > 1 &&
                !pawl__text_eq(a->event->run_id, session->v[PAWL__SES_RUN].text))
                return pawl__rules_refuse(a, "session-known",
                        "session %.*s is not of that run; give the run that it started with",
                        PAWL__FMT(a->event->session_id));
        return status;
}

/* ---- The members that tell of the work ------------------------------------------------------- */

static const char *const list_members[] = {"completed_steps", "pending_steps", "files"};
static const char *const text_members[] = {"current_step", "summary"};
enum { LISTS = sizeof list_members / sizeof *list_members };
enum { TEXTS = sizeof text_members / sizeof *text_members };

static bool is_text_list(const pawl__json_tree *tree, pawl__node list)
{
        if (pawl__json_at(tree, list)->type != PAWL__JSON_ARRAY)
                return false;
        for (pawl__node n = pawl__json_first(tree, list); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, list, n))
                if (pawl__json_at(tree, n)->type != PAWL__JSON_STRING)
                        return false;
        return true;
}

static pawl_status check_members(const pawl__apply_ctx *a)
{
        char field[32];

        for (int i = 0; i < LISTS; i++) {
                pawl__node node = pawl__json_get(a->tree, 0, list_members[i]);
                if (node == PAWL__NO_NODE || is_text_list(a->tree, node))
                        continue;
                snprintf(field, sizeof field, "payload.%s", list_members[i]);
                return pawl__apply_refuse(a, PAWL_EINVAL, field, "is no array of texts; write one");
        }
        for (int i = 0; i < TEXTS; i++) {
                pawl__node node = pawl__json_get(a->tree, 0, text_members[i]);
                if (node == PAWL__NO_NODE ||
                        pawl__json_at(a->tree, node)->type == PAWL__JSON_STRING)
                        continue;
                snprintf(field, sizeof field, "payload.%s", text_members[i]);
                return pawl__apply_refuse(a, PAWL_EINVAL, field, "is no text; write one");
        }
        return PAWL_OK;
}

static pawl_status add_to(pawl__row *session, int column, const pawl__apply_ctx *a, pawl__node more)
{
        pawl_text *list = &session->v[column].text;

        return pawl__text_list_add(list, a->arena, *list, a->tree, more, a->err);
}

static pawl_status remove_from(
        pawl__row *session, int column, const pawl__apply_ctx *a, pawl__node less)
{
        pawl_text *list = &session->v[column].text;

        return pawl__text_list_remove(list, a->arena, *list, a->tree, less, a->err);
}

/* A step is completed or pending, not both: what the event says last holds. */
static pawl_status take_steps(pawl__row *session, const pawl__apply_ctx *a)
{
        pawl__node completed = pawl__json_get(a->tree, 0, "completed_steps");
        pawl__node pending = pawl__json_get(a->tree, 0, "pending_steps");
        pawl_status status = PAWL_OK;

        if (completed != PAWL__NO_NODE) {
                status = add_to(session, PAWL__SES_COMPLETED, a, completed);
                if (!status && session->v[PAWL__SES_PENDING].text.data)
                        status = remove_from(session, PAWL__SES_PENDING, a, completed);
        }
        if (!status && pending != PAWL__NO_NODE) {
                session->v[PAWL__SES_PENDING].text = pawl__text(NULL);
                status = add_to(session, PAWL__SES_PENDING, a, pending);
                if (!status && session->v[PAWL__SES_COMPLETED].text.data)
                        status = remove_from(session, PAWL__SES_COMPLETED, a, pending);
        }
        return status;
}

/* How many steps an agent's session has: those completed, those pending, and the current one. */
static pawl_status count_steps(pawl__row *session, const pawl__apply_ctx *a)
{
        pawl__json_tree current = PAWL__JSON_TREE_INIT;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_text all = session->v[PAWL__SES_COMPLETED].text;
        size_t done, total;
        pawl_status status = pawl__text_list_count(&done, all, a->err);

        pawl__json_open_array(&w);
        if (session->v[PAWL__SES_CURRENT].text.data)
                pawl__json_text(&w, session->v[PAWL__SES_CURRENT].text);
        pawl__json_close_array(&w);
        if (!status && pawl__json_end_writer(&w))
                status = pawl__nomem(a->err);
        if (!status)
                status = pawl__json_tree_read(&current, w.buf.data, w.buf.len, a->err);
        if (!status)
                status = pawl__text_list_add(&all, a->arena, all, &current, 0, a->err);
        if (!status && session->v[PAWL__SES_PENDING].text.data) {
                pawl__json_tree pending = PAWL__JSON_TREE_INIT;
                pawl_text list = session->v[PAWL__SES_PENDING].text;
                status = pawl__json_tree_read(&pending, list.data, list.len, a->err);
                if (!status)
                        status = pawl__text_list_add(&all, a->arena, all, &pending, 0, a->err);
                pawl__json_tree_free(&pending);
        }
        if (!status)
                status = pawl__text_list_count(&total, all, a->err);
        if (!status) {
                session->v[PAWL__SES_DONE].integer = (int64_t)done;
                session->v[PAWL__SES_TOTAL].integer = (int64_t)total;
        }
        pawl__json_tree_free(&current);
        pawl__json_writer_free(&w);
        return status;
}

static pawl_status take_members(pawl__row *session, const pawl__apply_ctx *a)
{
        pawl__node files = pawl__json_get(a->tree, 0, "files");
        pawl_text current = pawl__apply_optional(a, "current_step");
        pawl_text summary = pawl__apply_optional(a, "summary");
        pawl_status status = take_steps(session, a);

        session->v[PAWL__SES_UPDATED_US].integer = a->event->time_us;
        if (summary.data)
                session->v[PAWL__SES_SUMMARY].text = summary;
        if (!status && files != PAWL__NO_NODE)
                status = add_to(session, PAWL__SES_FILES, a, files);
        if (status || session->v[PAWL__SES_RUN].text.data)
                return status;
        if (current.data) /* "": none is at hand any more */
                session->v[PAWL__SES_CURRENT].text = current.len ? current : pawl__text(NULL);
        return count_steps(session, a);
}

/* ---- One function an event ------------------------------------------------------------------- */

static pawl_status take_worktree(pawl__row *session, const pawl__apply_ctx *a)
{
        pawl__value *v = session->v;

        TRY(pawl__apply_maybe_text(&v[PAWL__SES_WORKTREE].text, a, "worktree"));
        TRY(pawl__apply_maybe_text(&v[PAWL__SES_ROOT].text, a, "root"));
        return v[PAWL__SES_WORKTREE].text.len <= PAWL__WORKTREE_ID_MAX
                       ? PAWL_OK
                       : pawl__apply_refuse(a, PAWL_EINVAL, "payload.worktree",
                                 "is longer than 64 bytes; write the id of the work tree");
}

pawl_status pawl__apply_session_started(pawl__apply_ctx *a)
{
        pawl__row session = {0};
        pawl_status status = check_members(a);

        if (status)
                return status;
        session.v[PAWL__SES_ID].text = a->event->session_id;
        status = a->store->get(a->store, PAWL__SESSIONS, &session, a->err);
        if (status == PAWL_OK)
                return pawl__fail(a->err, PAWL_EEXISTS,
                        "session %.*s: started already at seq %" PRId64
                        "; take an id that the log does not have",
                        PAWL__FMT(a->event->session_id), session.v[PAWL__SES_SEQ].integer);
        if (status != PAWL_ENOTFOUND)
                return status;
        session.v[PAWL__SES_SEQ].integer = (int64_t)a->event->seq;
        session.v[PAWL__SES_MISSION].text = a->event->mission_id;
        session.v[PAWL__SES_RUN].text = a->event->run_id;
        session.v[PAWL__SES_ACTOR].text = a->event->actor;
        session.v[PAWL__SES_STATUS].text = pawl__text("active");
        session.v[PAWL__SES_STARTED_US].integer = a->event->time_us;
        TRY(take_worktree(&session, a));
        status = take_members(&session, a);
        return status ? status : pawl__apply_put(a, PAWL__SESSIONS, &session);
}

/* The event's session with the members that the event gives. */
static pawl_status changed_session(pawl__row *session, const pawl__apply_ctx *a)
{
        pawl_status status = check_members(a);

        if (!status)
                status = get_session(session, a);
        return status ? status : take_members(session, a);
}

/* One more turn has ended, at a checkpoint that is there. */
static pawl_status take_turn(pawl__row *session, const pawl__apply_ctx *a)
{
        pawl_text *turns = &session->v[PAWL__SES_TURNS].text;
        pawl__row checkpoint = {0};
        pawl__buf text = PAWL__BUF_INIT;
        bool ok = true;

        if (pawl__json_get(a->tree, 0, "turn_checkpoint") == PAWL__NO_NODE)
                return PAWL_OK;
        TRY(pawl__apply_integer(
                &checkpoint.v[PAWL__WCP_N].integer, a, 0, "payload", "turn_checkpoint"));
        const int64_t n = checkpoint.v[PAWL__WCP_N].integer;
        pawl_status status = a->store->get(a->store, PAWL__WORKSPACE, &checkpoint, a->err);
        if (status == PAWL_ENOTFOUND)
                return pawl__apply_refuse(a, PAWL_EINVAL, "payload.turn_checkpoint",
                        "is not the number of a checkpoint; write one");
        if (status)
                return status;
        if (turns->len)
                pawl__buf_add(&text, turns->data, turns->len - 1); /* without the bracket */
        pawl__buf_addf(
                &text, "%s[%" PRId64 ",%" PRIu64 "]]", turns->len ? "," : "[", n, a->event->seq);
        status = pawl__buf_check(&text, a->err);
        *turns = pawl__arena_text(a->arena, pawl__buf_text(&text), &ok);
        pawl__buf_free(&text);
        return status || ok ? status : pawl__nomem(a->err);
}

pawl_status pawl__apply_session_updated(pawl__apply_ctx *a)
{
        pawl__node pinned = pawl__json_get(a->tree, 0, "pinned");
        pawl__row session;
        pawl_status status = changed_session(&session, a);

        if (!status)
                status = take_turn(&session, a);
        if (status)
                return status;
        if (pinned != PAWL__NO_NODE)
                session.v[PAWL__SES_PINNED].integer =
                        pawl__json_at(a->tree, pinned)->type == PAWL__JSON_TRUE;
        return pawl__apply_put(a, PAWL__SESSIONS, &session);
}

pawl_status pawl__apply_session_checkpointed(pawl__apply_ctx *a)
{
        pawl__row session;
        pawl_status status = changed_session(&session, a);

        if (status)
                return status;
        session.v[PAWL__SES_CHECKPOINTS].integer++;
        session.v[PAWL__SES_CHECKPOINT_SEQ].integer = (int64_t)a->event->seq;
        return pawl__apply_put(a, PAWL__SESSIONS, &session);
}

pawl_status pawl__apply_session_noted(pawl__apply_ctx *a)
{
        pawl__row session;
        pawl_status status = get_session(&session, a);

        if (status)
                return status;
        session.v[PAWL__SES_UPDATED_US].integer = a->event->time_us;
        session.v[PAWL__SES_NOTES_SEQ].integer = (int64_t)a->event->seq;
        return pawl__apply_put(a, PAWL__SESSIONS, &session);
}

/* What a run's session leaves: how far its run was; and a run that it was at work on, interrupted,
 * if the session was. A blocked or completed one stays so, and one that a later session has
 * claimed; but of a run with several steps at work the session knows better, and says what it is.
 */
static pawl_status leave_run(pawl__row *session, pawl__row *run, const char **becomes,
        const pawl__apply_ctx *a, pawl_text status_text)
{
        const pawl_text told = pawl__apply_optional(a, "run_status");

        run->v[PAWL__RUN_ID].text = session->v[PAWL__SES_RUN].text;
        pawl_status status = a->store->get(a->store, PAWL__RUNS, run, a->err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        pawl_text holder = run->v[PAWL__RUN_SESSION].text;
        const bool running = pawl__text_is(run->v[PAWL__RUN_STATUS].text, "running");
        const bool blocked = pawl__text_is(run->v[PAWL__RUN_STATUS].text, "blocked");
        if (pawl__text_is(status_text, "interrupted") &&
                (!holder.data || pawl__text_eq(holder, session->v[PAWL__SES_ID].text))) {
                if ((running || blocked) && pawl__text_is(told, "blocked"))
                        *becomes = "blocked";
                else if (running || (blocked && pawl__text_is(told, "interrupted")))
                        *becomes = "interrupted";
        }
        session->v[PAWL__SES_DONE] = run->v[PAWL__RUN_DONE];
        session->v[PAWL__SES_TOTAL] = run->v[PAWL__RUN_STEPS];
        session->v[PAWL__SES_CURRENT] = run->v[PAWL__RUN_CURRENT];
        return PAWL_OK;
}

/* Once. With "found" it is another process that found the session left behind. */
pawl_status pawl__apply_session_ended(pawl__apply_ctx *a)
{
        pawl_text status_text = pawl__apply_optional(a, "status");
        pawl__node found = pawl__json_get(a->tree, 0, "found");
        pawl__row session, run = {0};
        const char *becomes = NULL;
        pawl_status status = check_members(a);

        if (!status)
                status = get_session(&session, a);
        if (status)
                return status;
        if ((found != PAWL__NO_NODE || a->event->v > 1) &&
                !pawl__text_is(session.v[PAWL__SES_STATUS].text, "active"))
                return pawl__fail(a->err, PAWL_ESTATE,
                        "session %.*s: has ended already; look at it again",
                        PAWL__FMT(a->event->session_id));
        status = take_members(&session, a);
        if (!status && session.v[PAWL__SES_RUN].text.data)
                status = leave_run(&session, &run, &becomes, a, status_text);
        if (status)
                return status;
        session.v[PAWL__SES_STATUS].text = status_text.data ? status_text : pawl__text("pruned");
        session.v[PAWL__SES_ENDED_US].integer = a->event->time_us;
        session.v[PAWL__SES_REASON].text = pawl__apply_optional(a, "reason");
        status = pawl__apply_put(a, PAWL__SESSIONS, &session);
        if (status == PAWL_OK && becomes)
                status = pawl__apply_put_run(a, &run, becomes);
        return status;
}

/* What the payloads said is gone from the row as from the log, so that a replay, which finds them
 * gone, comes to the same. */
static pawl_status prune_session(pawl__apply_ctx *a, pawl_text session_id)
{
        static const int said[] = {PAWL__SES_REASON, PAWL__SES_CURRENT, PAWL__SES_COMPLETED,
                PAWL__SES_PENDING, PAWL__SES_FILES, PAWL__SES_DONE, PAWL__SES_TOTAL,
                PAWL__SES_SUMMARY, PAWL__SES_NOTES_SEQ, PAWL__SES_PINNED, PAWL__SES_TURNS,
                PAWL__SES_WORKTREE, PAWL__SES_ROOT};
        pawl__row session = {.v[PAWL__SES_ID].text = session_id};
        pawl_status status = a->store->get(a->store, PAWL__SESSIONS, &session, a->err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
                session.v[said[i]] = (pawl__value){0};
        session.v[PAWL__SES_STATUS].text = pawl__text("pruned");
        return pawl__apply_put(a, PAWL__SESSIONS, &session);
}

pawl_status pawl__apply_pruned(pawl__apply_ctx *a)
{
        pawl__node pruned = pawl__json_get(a->tree, 0, "pruned");
        pawl_status status = PAWL_OK;

        if (pawl__text_is(pawl__apply_optional(a, "kind"), "checkpoints"))
                return pawl__apply_pruned_checkpoints(a);
        const bool threads = pawl__text_is(pawl__apply_optional(a, "kind"), "threads");
        if (!threads && !pawl__text_is(pawl__apply_optional(a, "kind"), "sessions"))
                return PAWL_OK;
        if (!is_text_list(a->tree, pruned))
                return pawl__apply_refuse(
                        a, PAWL_EINVAL, "payload.pruned", "is no array of ids; write one");
        for (pawl__node n = pawl__json_first(a->tree, pruned); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, pruned, n))
                status = (threads ? pawl__apply_pruned_thread : prune_session)(
                        a, pawl__json_at(a->tree, n)->value);
        return status;
}

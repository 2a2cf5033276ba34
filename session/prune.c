/*
 * Pruning sessions: the payloads of a session's own events go, its envelopes and hashes stay, so
 * that the chain still verifies. Its run and what that left are not touched.
 */
#include "base/error.h"
#include "base/map.h"
#include "session/session.h"
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct own_report {
        pawl_prune_report shown;
        pawl__arena arena;
} own_report;

void pawl_prune_report_free(pawl_prune_report *shown)
{
        own_report *report = (own_report *)shown;

        if (!report)
                return;
        pawl__arena_free(&report->arena);
        free(report);
}

/* ---- What is pruned, and why the rest stays -------------------------------------------------- */

/* Why the run of a session keeps it; NULL: it does not. */
static pawl_status run_keeps(const char **why, pawl__state *state, const pawl__row *session,
        pawl__arena *arena, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = session->v[PAWL__SES_RUN].text};
        pawl__row *conflicts;
        size_t n;
        pawl_status status;

        if (!run.v[PAWL__RUN_ID].text.data)
                return PAWL_OK;
        status = pawl__state_get(state, PAWL__RUNS, &run, arena, err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        status = pawl__state_conflicts(&conflicts, &n, state, run.v[PAWL__RUN_ID].text,
                (pawl_text){NULL, 0}, true, arena, err);
        if (status)
                return status;
        if (n)
                *why = "open conflict";
        else if (!pawl__text_is(run.v[PAWL__RUN_STATUS].text, "completed"))
                *why = "its run can be resumed";
        return PAWL_OK;
}

static pawl_status judge(const char **why, pawl__state *state, const pawl__row *session,
        size_t newer, size_t keep, bool noted, pawl__arena *arena, pawl_error *err)
{
        *why = NULL;
        if (newer < keep)
                *why = "newest";
        else if (noted)
                *why = "its notes are passed on";
        else if (session->v[PAWL__SES_PINNED].integer)
                *why = "pinned";
        else if (pawl__text_is(session->v[PAWL__SES_STATUS].text, "active"))
                *why = "active";
        return *why ? PAWL_OK : run_keeps(why, state, session, arena, err);
}

/* Of the sessions of a mission, newest first: the first with notes, which are those in force. */
static pawl_status has_notes(
        bool *noted, pawl__map *missions, const pawl__row *session, pawl_error *err)
{
        pawl_text mission = session->v[PAWL__SES_MISSION].text;

        *noted = mission.data && session->v[PAWL__SES_NOTES_SEQ].integer > 0 &&
                 pawl__map_get(missions, mission) == PAWL__MAP_NONE;
        return *noted && pawl__map_put(missions, mission, 0) ? pawl__nomem(err) : PAWL_OK;
}

static pawl_status fill_report(own_report *report, pawl__state *state, size_t keep, pawl_error *err)
{
        pawl_text any = {NULL, 0};
        pawl__map missions = PAWL__MAP_INIT;
        pawl_pruned_session *items;
        pawl__row *rows;
        size_t n = 0;
        bool noted;
        pawl_status status = pawl__state_sessions(
                &rows, &n, state, any, NULL, &(pawl__page){0, 0}, &report->arena, err);

        if (status)
                return status;
        report->shown.items = items = pawl__arena_array(&report->arena, n, sizeof *items);
        if (!items)
                return pawl__nomem(err);
        for (size_t i = 0; i < n && !status; i++) {
                pawl_pruned_session *one = &items[report->shown.n++];
                *one = (pawl_pruned_session){.session_id = rows[i].v[PAWL__SES_ID].text,
                        .mission_id = rows[i].v[PAWL__SES_MISSION].text,
                        .status = rows[i].v[PAWL__SES_STATUS].text,
                        .seq = (uint64_t)rows[i].v[PAWL__SES_SEQ].integer};
                status = has_notes(&noted, &missions, &rows[i], err);
                if (!status)
                        status = judge(
                                &one->stays, state, &rows[i], i, keep, noted, &report->arena, err);
                report->shown.going += !one->stays;
        }
        pawl__map_free(&missions);
        return status;
}

static pawl_status make_report(
        pawl_prune_report **out, pawl__state *state, size_t keep, pawl_error *err)
{
        own_report *report = calloc(1, sizeof *report);

        if (!report)
                return pawl__nomem(err);
        pawl_status status = fill_report(report, state, keep, err);
        if (status)
                pawl_prune_report_free(&report->shown);
        else
                *out = &report->shown;
        return status;
}

/* ---- Pruning --------------------------------------------------------------------------------- */

typedef struct removal {
        pawl__batch batch;
        pawl__map sessions;
} removal;

/* Every session event of those that go. */
static pawl_status collect(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        removal *g = user;

        if (type < PAWL__SESSION_STARTED || type > PAWL__SESSION_ENDED || !event->payload.data ||
                !event->session_id.data ||
                pawl__map_get(&g->sessions, event->session_id) == PAWL__MAP_NONE)
                return PAWL_OK;
        return pawl__batch_prune(&g->batch, event->seq, err);
}

static pawl_status emit_pruned(
        pawl__batch *batch, const pawl_prune_report *report, const char *actor, pawl_error *err)
{
        const pawl_event like = {.actor = pawl__text(actor ? actor : "program")};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "kind", "sessions");
        pawl__json_name(&w, "pruned");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < report->n; i++)
                if (!report->items[i].stays)
                        pawl__json_text(&w, report->items[i].session_id);
        pawl__json_close_array(&w);
        return pawl__batch_emit(batch, PAWL__PRUNED, &like, &w, err);
}

typedef struct intent {
        const pawl_prune_report *report;
        pawl__state *state;
        size_t keep;
} intent;

/* Does this report prune all that the other one did? Both have the newest first. */
static bool may_go(const pawl_prune_report *asked, const pawl_prune_report *now)
{
        size_t at = 0;

        for (size_t i = 0; i < asked->n; i++) {
                if (asked->items[i].stays)
                        continue;
                while (at < now->n && now->items[at].seq != asked->items[i].seq)
                        at++;
                if (at == now->n || now->items[at].stays)
                        return false;
        }
        return true;
}

/* Inside of the transaction, where nobody pins one or passes its notes on meanwhile. */
static pawl_status look_again(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const intent *it = user;
        pawl_prune_report *now = NULL;
        pawl_status status = make_report(&now, it->state, it->keep, err);

        (void)log, (void)batch;
        if (!now)
                return status;
        if (!may_go(it->report, now))
                status = pawl__fail(
                        err, PAWL_EEXISTS, "sessions: one that was to go stays by now; try again");
        pawl_prune_report_free(now);
        return status;
}

/* PAWL_EEXISTS: look again what is to be pruned. */
static pawl_status let_go(pawl_log *log, intent *it, const char *actor, pawl_error *err)
{
        const pawl_prune_report *report = it->report;
        removal g = {PAWL__BATCH_INIT, PAWL__MAP_INIT};
        uint64_t first = UINT64_MAX;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < report->n && !status; i++) {
                if (report->items[i].stays)
                        continue;
                if (report->items[i].seq < first)
                        first = report->items[i].seq;
                if (pawl__map_put(&g.sessions, report->items[i].session_id, 0))
                        status = pawl__nomem(err);
        }
        if (!status)
                status = pawl__log_each(log, first - 1, collect, &g, err);
        if (!status)
                status = emit_pruned(&g.batch, report, actor, err);
        if (!status) {
                g.batch.prepare = look_again;
                g.batch.prepare_user = it;
                status = pawl__log_commit(log, &g.batch, 0, NULL);
                if (status && err)
                        *err = *pawl__log_error(log);
        }
        pawl__map_free(&g.sessions);
        pawl__batch_free(&g.batch);
        return status;
}

pawl_status pawl_session_prune(pawl_prune_report **out, pawl_log *log, size_t keep, bool dry_run,
        const char *actor, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        enum { TRIES = 8 };
        pawl__state *state;
        pawl_prune_report *report = NULL;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__sessions_settle(log, state, err);
        if (status)
                return status;
        for (int i = 0; i < TRIES; i++) {
                status = make_report(&report, state, keep, err);
                if (report && !dry_run && report->going)
                        status = let_go(log, &(intent){report, state, keep}, actor, err);
                if (!status) {
                        *out = report;
                        return PAWL_OK;
                }
                pawl_prune_report_free(report);
                report = NULL;
                if (status != PAWL_EEXISTS)
                        break;
        }
        return status;
}

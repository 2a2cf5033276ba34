#include "workspace/rollback/at_work.h"
#include "base/error.h"
#include "events/types.h"
#include "workspace/log_record.h"
#include <stdlib.h>

/* ---- Spans ----------------------------------------------------------------------------------- */

static pawl_status open_span(pawl__at_work *w, pawl__work_span span, pawl_error *err)
{
        if (pawl__grow(&w->spans, &w->cap_spans, w->n_spans + 1, sizeof *w->spans) ||
                pawl__grow(&w->open, &w->cap_open, w->n_open + 1, sizeof *w->open))
                return pawl__nomem(err);
        span.end = UINT64_MAX;
        span.run_id = pawl__arena_copy(w->arena, span.run_id);
        span.step_id = pawl__arena_copy(w->arena, span.step_id);
        span.agent = pawl__arena_copy(w->arena, span.agent);
        span.session_id = pawl__arena_copy(w->arena, span.session_id);
        w->open[w->n_open++] = w->n_spans;
        w->spans[w->n_spans++] = span;
        return pawl__arena_check(w->arena, err);
}

/* The place in the list of those that are open; SIZE_MAX: it is not. */
static size_t find_step(const pawl__at_work *w, const pawl_event *event)
{
        for (size_t i = w->n_open; i-- > 0;) {
                const pawl__work_span *span = &w->spans[w->open[i]];
                if (pawl__text_eq(span->step_id, event->step_id) &&
                        pawl__text_eq(span->run_id, event->run_id))
                        return i;
        }
        return SIZE_MAX;
}

static size_t find_agent(const pawl__at_work *w, pawl_text session_id)
{
        for (size_t i = w->n_open; i-- > 0;) {
                const pawl__work_span *span = &w->spans[w->open[i]];
                if (!span->run_id.data && pawl__text_eq(span->session_id, session_id))
                        return i;
        }
        return SIZE_MAX;
}

static void close_span(pawl__at_work *w, size_t open, uint64_t end)
{
        w->spans[w->open[open]].end = end;
        w->open[open] = w->open[--w->n_open];
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

static bool is_here(const pawl__at_work *w, const pawl__row *row)
{
        return row->v[PAWL__WCP_ROOT].text.data &&
               pawl__same_worktree(row->v[PAWL__WCP_WORKTREE].text, w->ws->worktree);
}

/* The newest checkpoint of all work trees whose event is before @p seq. NULL: there is none. */
static const pawl__row *checkpoint_before(const pawl__at_work *w, uint64_t seq)
{
        size_t low = 0;

        for (size_t high = w->all->n; low < high;) {
                const size_t middle = low + (high - low) / 2;
                if ((uint64_t)w->all->rows[middle].v[PAWL__WCP_SEQ].integer < seq)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low ? &w->all->rows[low - 1] : NULL;
}

/* A session that ends takes a checkpoint first, if something changed since the last one. */
static uint64_t end_of(const pawl__at_work *w, const pawl__work_span *span, uint64_t seq)
{
        const pawl__row *row = checkpoint_before(w, seq);

        while (row && !is_here(w, row))
                row = row > w->all->rows ? row - 1 : NULL;
        if (!row || !pawl__text_eq(row->v[PAWL__WCP_SESSION].text, span->session_id))
                return seq;
        const uint64_t taken = (uint64_t)row->v[PAWL__WCP_SEQ].integer;
        return taken > span->call ? taken : seq;
}

static pawl_status add_mark(pawl__at_work *w, uint64_t seq, int64_t n, pawl_error *err)
{
        if (pawl__grow(&w->marks, &w->cap_marks, w->n_marks + 1, sizeof *w->marks))
                return pawl__nomem(err);
        w->marks[w->n_marks++] = (pawl__work_mark){seq, n};
        return PAWL_OK;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Does the payload have that member? One that was pruned has none. */
static pawl_status has_member(
        bool *has, int64_t *number, const pawl_event *event, const char *name, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        *has = event->payload.data &&
               memmem(event->payload.data, event->payload.len, name, strlen(name));
        if (!*has)
                return PAWL_OK;
        const pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
        if (!status) {
                const pawl__node node = pawl__json_get(&tree, 0, name);
                *has = node != PAWL__NO_NODE;
                if (*has && number)
                        *has = pawl__json_int(pawl__json_at(&tree, node), number);
        }
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status begin_step(pawl__at_work *w, const pawl_event *event, pawl_error *err)
{
        const size_t open = find_step(w, event);

        if (open != SIZE_MAX) /* its process was killed */
                close_span(w, open, event->seq);
        return open_span(w,
                (pawl__work_span){
                        .begin = event->seq, .run_id = event->run_id, .step_id = event->step_id},
                err);
}

/* One that is not open began before the events that are read, or ran no command. */
static pawl_status end_step(
        pawl__at_work *w, const pawl_event *event, pawl__event_type type, pawl_error *err)
{
        size_t open = find_step(w, event);
        bool ran = true, has = false;

        if (type == PAWL__STEP_ATTEMPT_FAILED)
                TRY(has_member(&has, NULL, event, "retry_at", err));
        if (has) /* there is to be another */
                return PAWL_OK;
        if (type == PAWL__GENERATION_BLOCKED)
                TRY(has_member(&ran, NULL, event, "attempt", err));
        if (type == PAWL__STEP_COMPLETED && open == SIZE_MAX) {
                TRY(has_member(&has, NULL, event, "skipped", err));
                if (!has)
                        TRY(has_member(&has, NULL, event, "forked", err));
                ran = !has;
        }
        if (open == SIZE_MAX && ran) {
                TRY(open_span(w,
                        (pawl__work_span){.run_id = event->run_id, .step_id = event->step_id},
                        err));
                open = w->n_open - 1;
        }
        if (open != SIZE_MAX)
                close_span(w, open, ran ? event->seq : 0);
        return PAWL_OK;
}

/* One of a step's command is that step's; one without a session is of a program that tells of no
 * turns, whose work ends nobody knows when. */
static pawl_status begin_call(pawl__at_work *w, const pawl_event *event, pawl_error *err)
{
        const pawl__row *row = checkpoint_before(w, event->seq);
        const size_t open = find_agent(w, event->session_id);

        if (event->run_id.data || !event->session_id.data || !row || !is_here(w, row))
                return PAWL_OK;
        if (open != SIZE_MAX) {
                w->spans[w->open[open]].call = event->seq;
                return PAWL_OK;
        }
        return open_span(w,
                (pawl__work_span){.begin = event->seq,
                        .agent = event->actor,
                        .session_id = event->session_id,
                        .call = event->seq},
                err);
}

static pawl_status end_turn(pawl__at_work *w, const pawl_event *event, pawl_error *err)
{
        const size_t open = find_agent(w, event->session_id);
        int64_t n = 0;
        bool ends;

        TRY(has_member(&ends, &n, event, "turn_checkpoint", err));
        if (!ends)
                return PAWL_OK;
        if (open != SIZE_MAX)
                close_span(w, open, event->seq);
        return add_mark(w, event->seq, n, err);
}

static void end_all(pawl__at_work *w, const pawl_event *event)
{
        for (size_t i = w->n_open; i-- > 0;) {
                const pawl__work_span *span = &w->spans[w->open[i]];
                if (event->run_id.data ? pawl__text_eq(span->run_id, event->run_id)
                                       : !span->run_id.data &&
                                                 pawl__text_eq(span->session_id, event->session_id))
                        close_span(
                                w, i, span->run_id.data ? event->seq : end_of(w, span, event->seq));
        }
}

static pawl_status read_event(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        pawl__at_work *w = user;

        if (event->run_id.data && pawl__map_get(&w->elsewhere, event->run_id) != PAWL__MAP_NONE)
                return PAWL_OK;
        switch (type) {
        case PAWL__STEP_STARTED:
        case PAWL__STEP_RESUMED:
                return begin_step(w, event, err);
        case PAWL__STEP_COMPLETED:
        case PAWL__STEP_FAILED:
        case PAWL__STEP_ATTEMPT_FAILED:
        case PAWL__GENERATION_BLOCKED:
                return end_step(w, event, type, err);
        case PAWL__TOOL_CALL_CHECKPOINTED:
                return begin_call(w, event, err);
        case PAWL__SESSION_UPDATED:
                return end_turn(w, event, err);
        case PAWL__RUN_COMPLETED:
        case PAWL__RUN_FAILED:
        case PAWL__RUN_CANCELLED:
        case PAWL__SESSION_ENDED:
                end_all(w, event);
                return PAWL_OK;
        default:
                return PAWL_OK;
        }
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The event behind the newest checkpoint before a tool call that is not newer than @p since: the
 * turn may be open at that one. It, if there is none, or that session has ended. */
static pawl_status find_begin(
        uint64_t *begin, pawl__at_work *w, const pawl__row *since, pawl_error *err)
{
        pawl_text last = {NULL, 0};

        *begin = since ? (uint64_t)since->v[PAWL__WCP_SEQ].integer : 0;
        for (size_t i = since ? (size_t)(since - w->all->rows) + 1 : 0; i-- > 0;) {
                const pawl__row *row = &w->all->rows[i];
                pawl__row session = {.v[PAWL__SES_ID].text = row->v[PAWL__WCP_SESSION].text};
                pawl__log_record record;
                if (!session.v[PAWL__SES_ID].text.data || row->v[PAWL__WCP_RUN].text.data ||
                        !is_here(w, row))
                        continue;
                if (!pawl__text_eq(last, session.v[PAWL__SES_ID].text)) {
                        last = session.v[PAWL__SES_ID].text;
                        const pawl_status status = pawl__state_get(
                                w->ws->state, PAWL__SESSIONS, &session, w->arena, err);
                        if (status && status != PAWL_ENOTFOUND)
                                return status;
                        if (status || (session.v[PAWL__SES_ENDED_US].integer &&
                                              session.v[PAWL__SES_ENDED_US].integer <
                                                      since->v[PAWL__WCP_CREATED_US].integer))
                                return PAWL_OK;
                }
                const pawl_status status =
                        pawl__log_record_behind(&record, w->ws->log, row, w->arena, err);
                if (status == PAWL_OK)
                        *begin = (uint64_t)row->v[PAWL__WCP_SEQ].integer;
                if (status != PAWL_DONE)
                        return status;
        }
        return PAWL_OK;
}

static pawl_status add_rollbacks(pawl__at_work *w, uint64_t since, pawl_error *err)
{
        pawl__undo_stacks all;

        TRY(pawl__undo_stacks_read(&all, w->ws->state, w->arena, err));
        for (size_t i = 0; i < all.n; i++) {
                const pawl__value *v = all.items[i].row.v;
                const uint64_t ended = (uint64_t)v[PAWL__RB_ENDED_SEQ].integer;
                if (ended > since && !pawl__text_is(v[PAWL__RB_STATUS].text, "abandoned") &&
                        !(v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART) &&
                        pawl__same_worktree(v[PAWL__RB_WORKTREE].text, w->ws->worktree))
                        TRY(add_mark(w, ended, v[PAWL__RB_TARGET].integer, err));
        }
        return PAWL_OK;
}

static int by_seq(const void *a, const void *b)
{
        const pawl__work_mark *x = a, *y = b;

        return (x->seq > y->seq) - (x->seq < y->seq);
}

static int by_begin(const void *a, const void *b)
{
        const pawl__work_span *x = a, *y = b;

        return (x->begin > y->begin) - (x->begin < y->begin);
}

static void sort(pawl__at_work *w)
{
        uint64_t reach = 0;

        if (w->n_marks)
                qsort(w->marks, w->n_marks, sizeof *w->marks, by_seq);
        if (w->n_spans) /* one whose beginning was not read is not in its place */
                qsort(w->spans, w->n_spans, sizeof *w->spans, by_begin);
        for (size_t i = 0; i < w->n_spans; i++) {
                if (w->spans[i].end > reach)
                        reach = w->spans[i].end;
                w->spans[i].reach = reach;
        }
}

pawl_status pawl__at_work_read(pawl__at_work *out, pawl__workspace *ws, const pawl__line *all,
        const pawl__row *since, pawl__arena *arena, pawl_error *err)
{
        uint64_t begin;

        out->ws = ws;
        out->all = all;
        out->arena = arena;
        for (size_t i = 0; i < all->n; i++) {
                const pawl_text run_id = all->rows[i].v[PAWL__WCP_RUN].text;
                if (run_id.data && !is_here(out, &all->rows[i]) &&
                        pawl__map_put(&out->elsewhere, run_id, 0))
                        return pawl__nomem(err);
        }
        TRY(find_begin(&begin, out, since, err));
        TRY(add_rollbacks(out, begin, err));
        TRY(pawl__log_each(ws->log, begin, read_event, out, err));
        sort(out);
        return PAWL_OK;
}

void pawl__at_work_free(pawl__at_work *w)
{
        pawl__map_free(&w->elsewhere);
        free(w->spans);
        free(w->open);
        free(w->marks);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* The last time until @p until that the workspace was as @p from has it. */
static uint64_t left_at(const pawl__at_work *w, const pawl__row *from, uint64_t until)
{
        const uint64_t taken = from ? (uint64_t)from->v[PAWL__WCP_SEQ].integer : 0;
        size_t low = 0;

        for (size_t high = w->n_marks; low < high;) { /* the first one behind `until` */
                const size_t middle = low + (high - low) / 2;
                if (w->marks[middle].seq <= until)
                        low = middle + 1;
                else
                        high = middle;
        }
        for (; from && low-- > 0 && w->marks[low].seq > taken;)
                if (w->marks[low].n == from->v[PAWL__WCP_N].integer)
                        return w->marks[low].seq;
        return taken;
}

const pawl__work_span *pawl__at_work_between(
        const pawl__at_work *w, const pawl__row *from, uint64_t until)
{
        const uint64_t since = left_at(w, from, until);
        size_t low = 0;

        for (size_t high = w->n_spans; low < high;) { /* the first that begins behind `until` */
                const size_t middle = low + (high - low) / 2;
                if (w->spans[middle].begin <= until)
                        low = middle + 1;
                else
                        high = middle;
        }
        while (low-- > 0 && w->spans[low].reach > since)
                if (w->spans[low].end > since)
                        return &w->spans[low];
        return NULL;
}

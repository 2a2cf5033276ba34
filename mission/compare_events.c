#include "mission/compare_events.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "events/types.h"
#include "state/forked.h"
#include "state/run_range.h"
#include "state/undone.h"
#include "workspace/at.h"
#include <stdlib.h>

typedef struct reading {
        pawl_log *log;
        pawl__state *state;
        pawl__step_record *records;
        const pawl__map *at;
        pawl_text run_id;
        pawl__undone undone;
        pawl__map asked;    /* conflicts of the present line */
        pawl__row standing; /* the checkpoint that its files stand at */
        bool stands;
        pawl__arena *arena;
        pawl_error *err;
} reading;

static pawl_status put_answer(
        reading *r, pawl__step_record *to, const pawl__json_tree *tree, pawl_text term)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__step_answer *at = NULL;
        const pawl__node sense = pawl__json_get(tree, 0, "selected_sense");
        pawl_text text = pawl__json_get_text(tree, 0, "answer");

        if (!text.data && sense != PAWL__NO_NODE &&
                pawl__json_at(tree, sense)->type == PAWL__JSON_OBJECT)
                text = pawl__json_get_text(tree, sense, "definition");
        if (text.data)
                pawl__json_text(&w, text);
        else
                pawl__json_raw(&w, pawl__text("null"));
        bool failed = pawl__json_end_writer(&w) != PAWL_OK;
        for (size_t i = 0; i < to->n_answers && !at; i++)
                at = pawl__text_eq(to->answers[i].term, term) ? &to->answers[i] : NULL;
        if (!failed && !at) {
                failed = pawl__grow(&to->answers, &to->cap_answers, to->n_answers + 1,
                                 sizeof *to->answers) != PAWL_OK;
                at = failed ? NULL : &to->answers[to->n_answers++];
        }
        if (!failed)
                *at = (pawl__step_answer){pawl__arena_copy(r->arena, term),
                        pawl__arena_copy(r->arena, pawl__buf_text(&w.buf))};
        pawl__json_writer_free(&w);
        return failed ? pawl__nomem(r->err) : pawl__arena_check(r->arena, r->err);
}

static pawl_status take_answer(
        reading *r, pawl__step_record *to, const pawl_event *event, bool undone)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, r->err);

        if (!status &&
                (!undone || (!to->completed && pawl__map_get(&r->asked,
                                                       pawl__json_get_text(&tree, 0,
                                                               "conflict_id")) != PAWL__MAP_NONE)))
                status = put_answer(r, to, &tree, pawl__json_get_text(&tree, 0, "term_surface"));
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status take_question(reading *r, const pawl_event *event)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, r->err);

        if (!status) {
                const pawl_text id =
                        pawl__arena_copy(r->arena, pawl__json_get_text(&tree, 0, "conflict_id"));
                if (!id.data || pawl__map_put(&r->asked, id, 1))
                        status = pawl__nomem(r->err);
        }
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status stand_at(reading *r, pawl__step_record *to, int64_t n)
{
        pawl__row row = {.v[PAWL__WCP_N].integer = n};
        const pawl_status status =
                pawl__state_get(r->state, PAWL__WORKSPACE, &row, r->arena, r->err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        r->standing = row;
        r->stands = true;
        if (to) {
                to->files.after = row;
                to->files.known = to->files.changed = true;
        }
        return PAWL_OK;
}

static pawl_status take_checkpoint(reading *r, pawl__step_record *to, const pawl_event *event)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        int64_t n = 0;
        const pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, r->err);
        const pawl__node node = status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "n");

        if (node == PAWL__NO_NODE || !pawl__json_int(pawl__json_at(&tree, node), &n))
                n = 0;
        pawl__json_tree_free(&tree);
        return status || !n ? status : stand_at(r, to, n);
}

static pawl_status take_rollback(reading *r, uint64_t seq)
{
        for (size_t i = 0; i < r->undone.n; i++)
                if (r->undone.items[i].until == seq)
                        return stand_at(r, NULL, r->undone.items[i].target);
        return PAWL_OK;
}

static void begin(pawl__step_record *to, const pawl_event *event)
{
        to->started_us = event->time_us;
        to->completed = false;
}

static void end(
        const reading *r, pawl__step_record *to, const pawl_event *event, pawl__event_type type)
{
        static const char copied[] = "\"forked\":true";

        if (event->payload.data &&
                memmem(event->payload.data, event->payload.len, copied, sizeof copied - 1))
                return;
        if (to->started_us)
                to->duration_ms = (event->time_us - to->started_us) / 1000;
        to->files = (pawl__left_files){.after = r->standing, .known = r->stands};
        to->completed = type == PAWL__STEP_COMPLETED;
}

static pawl_status take_event(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        reading *r = user;
        const uint32_t at =
                event->step_id.data ? pawl__map_get(r->at, event->step_id) : PAWL__MAP_NONE;
        pawl__step_record *to = at == PAWL__MAP_NONE ? NULL : &r->records[at];
        const bool undone = pawl__is_undone(&r->undone, event->seq);

        (void)err;
        if (type == PAWL__CLARIFICATION_RESOLVED)
                return to && event->payload.data ? take_answer(r, to, event, undone) : PAWL_OK;
        if (undone)
                return PAWL_OK;
        switch (type) {
        case PAWL__STEP_STARTED:
        case PAWL__STEP_RESUMED:
                if (to)
                        begin(to, event);
                return PAWL_OK;
        case PAWL__STEP_COMPLETED:
        case PAWL__STEP_FAILED:
                if (to)
                        end(r, to, event, type);
                return PAWL_OK;
        case PAWL__CLARIFICATION_REQUESTED:
                return event->payload.data ? take_question(r, event) : PAWL_OK;
        case PAWL__WORKSPACE_CHECKPOINTED:
                return event->payload.data ? take_checkpoint(r, to, event) : PAWL_OK;
        case PAWL__ROLLED_BACK:
                return take_rollback(r, event->seq);
        default:
                return PAWL_OK;
        }
}

static pawl_status find_standing(reading *r, const pawl__row *run)
{
        const uint64_t started = (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer;
        const bool own = pawl__run_submitted(run) || pawl__run_root(run).data;
        uint64_t from = 0;
        pawl_status status = PAWL_OK;

        if (own)
                status = pawl__began_with(&from, r->log, started, r->arena, r->err);
        if (!status)
                status = pawl__workspace_at(&r->standing, r->state,
                        own ? r->run_id : (pawl_text){NULL, 0}, from, started, r->arena, r->err);
        r->stands = !status;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* What a fork has from another run comes first: what it did itself replaces that. As deep as forks
 * were forked. */
static pawl_status read_events(const reading *of, pawl__row run, uint64_t until)
{
        const uint64_t started = (uint64_t)run.v[PAWL__RUN_STARTED_SEQ].integer;
        reading r = *of;
        pawl__forked from = {.seq = 0};
        pawl_status status = pawl__forked_read(&from, r.log, started, r.arena, r.err);

        r.run_id = run.v[PAWL__RUN_ID].text;
        if (!status && from.run_id.data && from.seq < started) {
                pawl__row other = {.v[PAWL__RUN_ID].text = from.run_id};
                status = pawl__state_get(r.state, PAWL__RUNS, &other, r.arena, r.err);
                if (!status && (uint64_t)other.v[PAWL__RUN_STARTED_SEQ].integer < started)
                        status = read_events(of, other, from.seq);
                if (status == PAWL_ENOTFOUND)
                        status = PAWL_OK;
        }
        if (!status)
                status = find_standing(&r, &run);
        if (!status)
                status = pawl__undone_read(
                        &r.undone, r.log, r.state, r.run_id, until, r.arena, r.err);
        if (!status)
                status = pawl__run_each(r.log, r.run_id, started - 1, until, take_event, &r, r.err);
        pawl__map_free(&r.asked);
        return status;
}

pawl_status pawl__step_records(pawl__step_record *records, const pawl__map *at, pawl_log *log,
        pawl__state *state, const pawl__row *run, pawl__arena *arena, pawl_error *err)
{
        const reading r = {.log = log,
                .state = state,
                .records = records,
                .at = at,
                .asked = PAWL__MAP_INIT,
                .arena = arena,
                .err = err};

        return read_events(&r, *run, (uint64_t)run->v[PAWL__RUN_UPDATED_SEQ].integer);
}

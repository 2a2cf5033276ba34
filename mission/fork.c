#include "mission/fork.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/json_write.h"
#include "base/map.h"
#include "events/types.h"
#include "mission/params.h"
#include "mission/runner.h"
#include "mission/runs.h"
#include "state/forked.h"
#include "state/store.h"
#include "state/threads.h"
#include "workspace/at.h"
#include <stdio.h>
#include <stdlib.h>

struct pawl__fork_completion {
        pawl_text step_id;
        uint64_t seq;
};

#define RUN(f) PAWL__FMT((f)->now.v[PAWL__RUN_ID].text)

/* ---- When the step began --------------------------------------------------------------------- */

/* What the step's beginning was from an event on. */
struct beginning {
        uint64_t from;
        uint64_t began; /* the first event of the step; 0: there was none yet */
        bool copied;    /* that is none of this run's own doing: it is a fork, too */
};

typedef struct following {
        pawl__fork *f;
        struct beginning now, *all; /* in their order */
        size_t n, cap;
} following;

static pawl_status note_beginning(following *l, struct beginning now, pawl_error *err)
{
        if (pawl__grow(&l->all, &l->cap, l->n + 1, sizeof *l->all))
                return pawl__nomem(err);
        l->all[l->n++] = l->now = now;
        return PAWL_OK;
}

/* Has what happened made the step pending again? */
static pawl_status given_up(bool *out, const following *l, pawl__store *store, pawl_error *err)
{
        pawl__row step = {.v[PAWL__STEP_RUN].text = l->f->source.v[PAWL__RUN_ID].text,
                .v[PAWL__STEP_ID].text = l->f->step_id};
        const pawl_status status = store->get(store, PAWL__STEPS, &step, err);

        *out = status || pawl__text_is(step.v[PAWL__STEP_STATUS].text, "pending");
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* The place of the checkpoint that a rollback or an undo went back to; 0: it went nowhere. */
static pawl_status find_target(
        uint64_t *seq, const pawl_event *ended, pawl__store *store, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__row rollback = {0}, target = {0};
        pawl_status status =
                pawl__json_tree_read(&tree, ended->payload.data, ended->payload.len, err);

        *seq = 0;
        if (!status && pawl__json_int(pawl__json_at(&tree, pawl__json_get(&tree, 0, "started_seq")),
                               &rollback.v[PAWL__RB_SEQ].integer))
                status = store->get(store, PAWL__ROLLBACKS, &rollback, err);
        pawl__json_tree_free(&tree);
        if (status || !pawl__text_is(rollback.v[PAWL__RB_STATUS].text, "done"))
                return status;
        target.v[PAWL__WCP_N] = rollback.v[PAWL__RB_TARGET];
        status = store->get(store, PAWL__WORKSPACE, &target, err);
        *seq = (uint64_t)target.v[PAWL__WCP_SEQ].integer;
        return status;
}

/* A step that was put back began when it had begun at the place that was gone back to. */
static pawl_status follow_change(
        following *l, const pawl_event *event, pawl__store *store, pawl_error *err)
{
        struct beginning then = l->now;
        uint64_t target = 0;
        bool again = false;
        pawl_status status = given_up(&again, l, store, err);

        if (!status && !again && pawl__event_type_of(event->type) == PAWL__ROLLED_BACK)
                status = find_target(&target, event, store, err);
        if (status)
                return status;
        if (again)
                then = (struct beginning){0};
        for (size_t i = l->n; target && i-- > 0;)
                if (l->all[i].from <= target) {
                        then = l->all[i];
                        break;
                }
        then.from = event->seq;
        return note_beginning(l, then, err);
}

static pawl_status note_completed(pawl__fork *f, const pawl_event *event, pawl_error *err)
{
        if (pawl__grow(&f->completions, &f->cap_completions, f->n_completions + 1,
                    sizeof *f->completions))
                return pawl__nomem(err);
        f->completions[f->n_completions++] = (struct pawl__fork_completion){
                pawl__arena_copy(&f->arena, event->step_id), event->seq};
        return pawl__arena_check(&f->arena, err);
}

static pawl_status follow(const pawl_event *event, pawl__store *store, void *user, pawl_error *err)
{
        static const char copied[] = "\"forked\":true";
        following *l = user;
        const pawl__event_type type = pawl__event_type_of(event->type);

        if (type == PAWL__RUN_MISSION_CHANGED || type == PAWL__ROLLED_BACK)
                return follow_change(l, event, store, err);
        if (type == PAWL__STEP_COMPLETED) {
                const pawl_status status = note_completed(l->f, event, err);
                if (status)
                        return status;
        }
        if (l->now.began || !pawl__text_eq(event->step_id, l->f->step_id))
                return PAWL_OK;
        const bool is_copied =
                event->payload.data &&
                memmem(event->payload.data, event->payload.len, copied, sizeof copied - 1);
        return note_beginning(l, (struct beginning){event->seq, event->seq, is_copied}, err);
}

/* The hashes of the mission that the run was held against. */
static pawl_status take_mission(
        const pawl_event *event, pawl__store *store, void *user, pawl_error *err)
{
        pawl__fork *f = user;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        const pawl__event_type type = pawl__event_type_of(event->type);

        (void)store;
        if ((type != PAWL__RUN_STARTED && type != PAWL__RUN_SUBMITTED &&
                    type != PAWL__RUN_MISSION_CHANGED) ||
                !event->payload.data)
                return PAWL_OK;
        const pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
        if (!status && pawl__json_get(&tree, 0, "mission_hash") != PAWL__NO_NODE) {
                f->document = pawl__arena_copy(
                        &f->arena, pawl__json_get_text(&tree, 0, "mission_document"));
                f->file =
                        pawl__arena_copy(&f->arena, pawl__json_get_text(&tree, 0, "mission_hash"));
        }
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(&f->arena, err);
}

static pawl_status fold(
        pawl__fork *f, uint64_t until, pawl__folded_fn fn, void *user, pawl_error *err)
{
        pawl__store *store = NULL;
        pawl_status status = pawl__store_memory(&store, err);

        if (!status)
                status = pawl__state_fold_run(
                        store, f->state, f->source.v[PAWL__RUN_ID].text, until, fn, user, err);
        if (store)
                store->free(store);
        return status;
}

/* The run that a fork has its completed steps from. */
static pawl_status find_source(pawl__fork *f, pawl_error *err)
{
        pawl__forked from;
        pawl_status status = pawl__forked_read(&from, f->log,
                (uint64_t)f->source.v[PAWL__RUN_STARTED_SEQ].integer, &f->arena, err);

        if (status)
                return status;
        f->n_completions = 0;
        f->source = (pawl__row){.v[PAWL__RUN_ID].text = from.run_id};
        status = from.run_id.data
                         ? pawl__state_get(f->state, PAWL__RUNS, &f->source, &f->arena, err)
                         : PAWL_ENOTFOUND;
        return status == PAWL_ENOTFOUND
                       ? pawl__fail(err, PAWL_EDAMAGED,
                                 "run %.*s: what it was forked from is not in the log; run "
                                 "`eventlog verify`",
                                 RUN(f))
                       : status;
}

static pawl_status find_place(pawl__fork *f, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        following l = {.f = f};
        uint64_t head = 0;
        pawl_status status = pawl_log_head(&head, hash, f->log);

        if (status)
                return pawl__log_failed(f->log, status, err);
        f->source = f->now;
        status = fold(f, head, follow, &l, err);
        while (!status && l.now.copied) {
                l.now = (struct beginning){0};
                l.n = 0;
                status = find_source(f, err);
                if (!status)
                        status = fold(f, head, follow, &l, err);
        }
        free(l.all);
        f->seq = l.now.began ? l.now.began - 1 : head;
        if (!status)
                status = fold(f, f->seq, take_mission, f, err);
        return status ? status
                      : pawl__state_steps_at(&f->run, &f->steps, &f->n_steps, f->state,
                                f->source.v[PAWL__RUN_ID].text, f->seq, &f->arena, err);
}

/* ---- The run --------------------------------------------------------------------------------- */

static bool is_in_mission(const pawl__row *step)
{
        return !pawl__text_is(step->v[PAWL__STEP_STATUS].text, "skipped");
}

static pawl_status find_step(const pawl__fork *f, pawl_error *err)
{
        for (size_t i = 0; i < f->n_steps; i++)
                if (pawl__text_eq(f->steps[i].v[PAWL__STEP_ID].text, f->step_id) &&
                        is_in_mission(&f->steps[i]))
                        return PAWL_OK;
        return pawl__fail(err, PAWL_ENOTFOUND,
                "step %.*s: run %.*s has none of that id; `pawl runs --id %.*s` lists them",
                PAWL__FMT(f->step_id), RUN(f), RUN(f));
}

static pawl_status find_run(pawl__fork *f, const char *run_id, pawl_error *err)
{
        pawl__run_view view;
        pawl_event event;
        pawl_status status = pawl__run_get(&view, NULL, f->log, pawl__text(run_id), &f->arena, err);

        if (status)
                return status;
        f->now = view.row;
        if (pawl__run_is_thread(&f->now) || !f->now.v[PAWL__RUN_MISSION_PATH].text.data)
                return pawl__fail(err, PAWL_ESTATE,
                        "run %.*s: has no mission file, a program began it; fork it there", RUN(f));
        status = pawl__log_event(
                &event, &f->arena, f->log, (uint64_t)f->now.v[PAWL__RUN_STARTED_SEQ].integer);
        if (status)
                return pawl__log_failed(f->log, status, err);
        if (!event.payload.data)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "run %.*s: what it began with was pruned; start a new run", RUN(f));
        f->submitted = pawl__run_submitted(&f->now);
        f->root = pawl__run_root(&f->now);
        return pawl__json_tree_read(&f->begun, event.payload.data, event.payload.len, err);
}

/* Does the mission that it had take checkpoints of the workspace by itself? */
static pawl_status takes_checkpoints(bool *takes, const pawl__fork *f, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf document = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = PAWL_ENOTFOUND;

        *takes = true;
        if (f->document.data && pawl__unhex32(hash, f->document))
                status = pawl__log_blob(&document, f->log, hash);
        if (!status)
                status = pawl__json_tree_read(&tree, document.data, document.len, err);
        else if (status != PAWL_ENOTFOUND)
                status = pawl__log_failed(f->log, status, err);
        if (!status) {
                const pawl__node workspace = pawl__json_get(&tree, 0, "workspace");
                const pawl_text when =
                        workspace == PAWL__NO_NODE
                                ? (pawl_text){NULL, 0}
                                : pawl__json_get_text(&tree, workspace, "checkpoint");
                *takes = pawl__run_submitted(&f->source) || !when.data ||
                         pawl__text_is(when, "each_step");
        }
        pawl__json_tree_free(&tree);
        pawl__buf_free(&document);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* The checkpoint of its files as they were then. */
static pawl_status find_checkpoint(pawl__fork *f, pawl_error *err)
{
        const bool own = pawl__run_submitted(&f->source) || pawl__run_root(&f->source).data;
        const uint64_t started = (uint64_t)f->source.v[PAWL__RUN_STARTED_SEQ].integer;
        uint64_t from = 0;
        bool takes;
        pawl_status status = takes_checkpoints(&takes, f, err);

        if (status)
                return status;
        if (!takes) {
                f->no_checkpoint = "the run took no checkpoints of the workspace";
                return PAWL_OK;
        }
        if (own)
                status = pawl__began_with(&from, f->log, started, &f->arena, err);
        if (!status)
                status = pawl__workspace_at(&f->checkpoint, f->state,
                        own ? f->source.v[PAWL__RUN_ID].text : (pawl_text){NULL, 0}, from, f->seq,
                        &f->arena, err);
        if (status == PAWL_ENOTFOUND)
                f->no_checkpoint = "no checkpoint of the workspace was taken before it";
        else if (!status && f->checkpoint.v[PAWL__WCP_PRUNED_SEQ].integer)
                f->no_checkpoint = "the checkpoint of the workspace before it was pruned";
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

pawl_status pawl__fork_open(
        pawl__fork *f, pawl_log *log, const char *run_id, const char *step_id, pawl_error *err)
{
        *f = (pawl__fork){.log = log, .begun = PAWL__JSON_TREE_INIT, .arena = PAWL__ARENA_INIT};
        pawl_status status = pawl__id_check(pawl__text(step_id), "step id", err);

        f->step_id = pawl__arena_copy(&f->arena, pawl__text(step_id));
        if (!status)
                status = pawl__arena_check(&f->arena, err);
        if (!status)
                status = pawl__state_of(&f->state, log, err);
        if (!status)
                status = find_run(f, run_id, err);
        if (!status)
                status = find_place(f, err);
        if (!status)
                status = find_step(f, err);
        if (!status)
                status = find_checkpoint(f, err);
        if (!status) {
                const pawl_sources *sources = pawl__log_sources(log);
                sources->uuid(f->run_id, sources->user);
        }
        return status;
}

void pawl__fork_close(pawl__fork *f)
{
        free(f->completions);
        pawl__json_tree_free(&f->begun);
        pawl__arena_free(&f->arena);
}

/* ---- The commit ------------------------------------------------------------------------------ */

static void write_from(pawl__json_writer *w, const pawl__fork *f)
{
        pawl__json_name(w, "forked_from");
        pawl__json_open_object(w);
        pawl__json_member_text(w, "run_id", f->now.v[PAWL__RUN_ID].text);
        pawl__json_member_text(w, "step_id", f->step_id);
        pawl__json_member_integer(w, "seq", (int64_t)f->seq);
        pawl__json_close_object(w);
}

static void write_steps(pawl__json_writer *w, const pawl__fork *f)
{
        pawl__json_name(w, "steps");
        pawl__json_open_array(w);
        for (size_t i = 0; i < f->n_steps; i++)
                if (is_in_mission(&f->steps[i]))
                        pawl__json_text(w, f->steps[i].v[PAWL__STEP_ID].text);
        pawl__json_close_array(w);
}

static void copy_member(pawl__json_writer *w, const pawl__fork *f, const char *name)
{
        const pawl__node node = pawl__json_get(&f->begun, 0, name);

        if (node == PAWL__NO_NODE)
                return;
        pawl__json_name(w, name);
        pawl__json_node_value(w, pawl__json_at(&f->begun, node));
}

static pawl_status add_started(
        pawl__batch *batch, const pawl__fork *f, const pawl_event *like, pawl_error *err)
{
        const pawl_text refs = f->run.v[PAWL__RUN_SCOPE_REFS].text;
        const pawl_text strictness = f->run.v[PAWL__RUN_STRICTNESS].text;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        write_from(&w, f);
        if (f->from)
                pawl__json_member_integer(&w, "checkpoint", (int64_t)f->from);
        if (f->document.data)
                pawl__json_member_text(&w, "mission_document", f->document);
        if (f->file.data)
                pawl__json_member_text(&w, "mission_hash", f->file);
        pawl__json_member_string(&w, "mission_path", f->path);
        write_steps(&w, f);
        pawl_status status = PAWL_OK;
        if (f->run.v[PAWL__RUN_RULES].integer & PAWL__RULES_PLANNED &&
                (status = pawl__rows_write_plan(
                         &w, f->steps, f->n_steps, f->mission, f->log, err))) {
                pawl__json_writer_free(&w);
                return status;
        }
        pawl__json_member_raw(&w, "scope_refs", refs.data ? refs : pawl__text("[]"));
        if (strictness.data)
                pawl__json_member_text(&w, "strictness", strictness);
        if (f->mission)
                pawl__params_write(&w, f->mission);
        else
                copy_member(&w, f, "params");
        copy_member(&w, f, "notify");
        return pawl__batch_emit(batch, PAWL__RUN_STARTED, like, &w, err);
}

/* The outputs are in the log, by their hashes. */
static pawl_status add_completed(
        pawl__batch *batch, const pawl__row *step, const pawl_event *like, pawl_error *err)
{
        const pawl__value *v = step->v;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_event event = *like;

        event.step_id = v[PAWL__STEP_ID].text;
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "exit_code", v[PAWL__STEP_EXIT_CODE].integer);
        pawl__json_member_bool(&w, "forked", true);
        pawl__json_member_text(&w, "input_hash", v[PAWL__STEP_INPUT_HASH].text);
        pawl__json_member_text(&w, "output_hash", v[PAWL__STEP_OUTPUT_HASH].text);
        if (v[PAWL__STEP_EXIT_CODE].integer < 0)
                pawl__json_member_bool(&w, "skipped", true);
        return pawl__batch_emit(batch, PAWL__STEP_COMPLETED, &event, &w, err);
}

/* In the order in which they completed last, so that a fork of this run finds it, too. */
static pawl_status add_steps(
        pawl__batch *batch, pawl__fork *f, const pawl_event *like, pawl_error *err)
{
        pawl__map at = PAWL__MAP_INIT, last = PAWL__MAP_INIT;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < f->n_steps && !status; i++)
                if (pawl__text_is(f->steps[i].v[PAWL__STEP_STATUS].text, "completed") &&
                        !(f->asks_again && f->asks_again[i]) &&
                        pawl__map_put(&at, f->steps[i].v[PAWL__STEP_ID].text, (uint32_t)i))
                        status = pawl__nomem(err);
        for (size_t i = 0; i < f->n_completions && !status; i++)
                if (f->completions[i].seq <= f->seq &&
                        pawl__map_put(&last, f->completions[i].step_id, (uint32_t)i))
                        status = pawl__nomem(err);
        for (size_t i = 0; i < f->n_completions && !status; i++) {
                const pawl_text id = f->completions[i].step_id;
                const uint32_t step = pawl__map_get(&at, id);
                if (step != PAWL__MAP_NONE && pawl__map_get(&last, id) == i)
                        status = add_completed(batch, &f->steps[step], like, err);
        }
        pawl__map_free(&at);
        pawl__map_free(&last);
        return status;
}

pawl_status pawl__fork_commit(pawl__fork *f, const char *actor, pawl_error *err)
{
        const pawl_text run_id = pawl__text(f->run_id);
        const pawl_event like = {.mission_id = f->now.v[PAWL__RUN_MISSION].text,
                .run_id = run_id,
                .actor = pawl__text(actor)};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_owner owner = {0};
        uint64_t fence = 0;
        pawl_status status = pawl__id_check(like.actor, "actor", err);

        if (!status)
                status = add_started(&batch, f, &like, err);
        if (!status)
                status = add_steps(&batch, f, &like, err);
        if (!status) {
                status = pawl__log_claim(&fence, f->log, like.mission_id, run_id,
                        (pawl_text){NULL, 0}, like.actor, &batch, &owner);
                if (status)
                        status = pawl__log_failed(f->log, status, err);
        }
        pawl__batch_free(&batch);
        if (status)
                return status;
        /* What is recorded stands; a lease that is not released ends with this process. */
        pawl_status ignored = pawl_log_release(f->log, f->run_id, fence);
        (void)ignored;
        return PAWL_OK;
}

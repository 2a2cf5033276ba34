/*
 * Deleting threads: the payloads of their events go, and the values that neither another thread nor
 * a checkpoint of the workspace names; envelopes and hashes stay, so that the chain still verifies.
 */
#include "base/digest.h"
#include "base/error.h"
#include "base/json_write.h"
#include "events/types.h"
#include "threads/threads.h"
#include "workspace/store/mark.h"
#include "workspace/store/sweep.h"
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct own_report {
        pawl_thread_prune_report shown;
        pawl__arena arena;
} own_report;

typedef struct pruning {
        pawl_threads *threads;
        const char *actor;
        pawl_text *runs; /* of the threads that go */
        size_t n_runs;
        pawl__map going;    /* the same, by run */
        pawl__batch *batch; /* NULL: only count */
        pawl__mark *reach;  /* contents that stay */
        uint64_t checkpoints, writes, contents, bytes;
        pawl__arena arena;
        pawl_error *err;
} pruning;

/* There are some. */
static pawl_status count_hash(const unsigned char hash[32], void *user, pawl_error *err)
{
        (void)hash, (void)err;
        ((pruning *)user)->contents++;
        return PAWL_OK;
}

static pawl_status note_event(uint64_t seq, void *user, pawl_error *err)
{
        pruning *p = user;
        pawl__thread_payload payload = {0, 0};
        pawl_status status =
                pawl__thread_hashes(&payload, p->threads->log, seq, count_hash, p, err);

        p->bytes += payload.bytes;
        p->writes += payload.writes;
        return status || !p->batch ? status : pawl__batch_prune(p->batch, seq, err);
}

static pawl_status keep_hash(const unsigned char hash[32], void *user, pawl_error *err)
{
        return pawl__mark_content(((pruning *)user)->reach, hash, 0, err);
}

static pawl_status mark_those_that_stay(pruning *p)
{
        pawl__row *rows = NULL;
        size_t n = 0;
        unsigned char tree[32];
        pawl_status status = pawl__mark_new(&p->reach, p->threads->contents, p->err);

        if (!status)
                status = pawl__thread_hashes_all(
                        p->threads->log, p->threads->state, &p->going, keep_hash, p, p->err);
        if (!status)
                status = pawl__state_workspace_all(&rows, &n, p->threads->state, &p->arena, p->err);
        for (size_t i = 0; i < n && !status; i++)
                if (!rows[i].v[PAWL__WCP_PRUNED_SEQ].integer &&
                        pawl__unhex32(tree, rows[i].v[PAWL__WCP_TREE].text))
                        status = pawl__mark_add(p->reach, tree, 0, p->err);
        return status;
}

static bool keeps(const unsigned char hash[32], void *user)
{
        const pruning *p = user;

        return pawl__mark_has(NULL, p->reach, hash);
}

static pawl_status drop_contents(pruning *p)
{
        pawl__swept swept = {0, 0};
        pawl_status status = p->contents ? mark_those_that_stay(p) : PAWL_OK;

        if (!status && p->contents)
                status = pawl__contents_sweep(
                        &swept, p->threads->contents, keeps, p, !p->batch, p->err);
        p->contents = swept.contents;
        p->bytes += swept.bytes;
        pawl__mark_free(p->reach);
        p->reach = NULL;
        return status;
}

static pawl_status emit_pruned(pawl__batch *batch, const pruning *p)
{
        const pawl_event like = {.actor = pawl__text(p->actor ? p->actor : "program")};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "bytes", (int64_t)p->bytes);
        pawl__json_member_integer(&w, "checkpoints", (int64_t)p->checkpoints);
        pawl__json_member_integer(&w, "contents", (int64_t)p->contents);
        pawl__json_member_string(&w, "kind", "threads");
        pawl__json_name(&w, "pruned");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < p->n_runs; i++)
                pawl__json_text(&w, p->runs[i]);
        pawl__json_close_array(&w);
        pawl__json_member_integer(&w, "writes", (int64_t)p->writes);
        return pawl__batch_emit(batch, PAWL__PRUNED, &like, &w, p->err);
}

/* Within the transaction: what others put until now is seen. PAWL_DONE: there is nothing to do.
 * Without a batch it is only counted. */
static pawl_status let_go(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        pruning *p = user;
        pawl_error *outer = p->err;
        pawl_status status = PAWL_OK;
        size_t parts = 0;

        (void)log;
        p->err = err;
        p->batch = batch;
        p->checkpoints = p->writes = p->contents = p->bytes = 0;
        for (size_t i = 0; i < p->n_runs && !status; i++) {
                pawl__row *rows = NULL;
                size_t n = 0;
                status = pawl__state_thread_parts(
                        &rows, &n, p->threads->state, p->runs[i], &p->arena, err);
                for (size_t k = 0; k < n && !status; k++) {
                        p->checkpoints += rows[k].v[PAWL__STEP_CHECKPOINT_SEQ].integer != 0;
                        status = pawl__thread_seqs(&rows[k], note_event, p, err);
                }
                parts += n;
        }
        if (!status && !parts)
                status = PAWL_DONE;
        if (!status)
                status = drop_contents(p);
        if (!status && batch)
                status = emit_pruned(batch, p);
        p->err = outer;
        return status;
}

/* Delete p->runs, or only count what they have. */
static pawl_status prune(pruning *p, bool dry_run)
{
        pawl_status status =
                p->actor ? pawl__id_check(pawl__text(p->actor), "actor", p->err) : PAWL_OK;

        for (size_t i = 0; i < p->n_runs && !status; i++)
                if (pawl__map_put(&p->going, p->runs[i], 0))
                        status = pawl__nomem(p->err);
        if (!status)
                status = dry_run ? let_go(p->threads->log, NULL, p, p->err)
                                 : pawl__contents_commit(p->threads->contents, let_go, p, p->err);
        *p->threads->manifest.run = '\0';
        pawl__thread_cache_empty(p->threads);
        pawl__map_free(&p->going);
        pawl__arena_free(&p->arena);
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl_thread_delete(
        pawl_threads *threads, const char *thread_id, const char *actor, pawl_error *err)
{
        if (!threads)
                return pawl__log_usable(NULL, err);
        TRY(pawl__log_usable(threads->log, err));

        pawl__thread_key key;
        pawl_text run;
        pruning p = {.threads = threads, .actor = actor, .runs = &run, .n_runs = 1, .err = err};
        const pawl_text none = {NULL, 0};

        TRY(pawl__thread_key_of(
                &key, threads, pawl__text(thread_id ? thread_id : ""), none, none, err));
        run = pawl__text(key.run);
        return prune(&p, false);
}

/* ---- Many ------------------------------------------------------------------------------------ */

void pawl_thread_prune_free(pawl_thread_prune_report *shown)
{
        own_report *report = (own_report *)shown;

        if (!report)
                return;
        pawl__arena_free(&report->arena);
        free(report);
}

/* Which go, into p->runs. */
static pawl_status judge(own_report *report, pruning *p, size_t keep, int64_t older_us)
{
        pawl__row *rows = NULL;
        pawl_pruned_thread *items;
        size_t n = 0;

        TRY(pawl__state_threads(&rows, &n, p->threads->state, &report->arena, p->err));
        report->shown.items = items = pawl__arena_array(&report->arena, n + 1, sizeof *items);
        p->runs = pawl__arena_array(&report->arena, n + 1, sizeof *p->runs);
        if (!items || !p->runs)
                return pawl__nomem(p->err);
        for (size_t i = 0; i < n; i++) {
                const pawl__value *v = rows[i].v;
                const bool newest = keep != SIZE_MAX && i < keep;
                const bool young =
                        older_us != INT64_MAX && v[PAWL__RUN_UPDATED_US].integer >= older_us;
                items[i] = (pawl_pruned_thread){.thread_id = v[PAWL__RUN_ID].text,
                        .mission_id = v[PAWL__RUN_MISSION].text,
                        .checkpoints = (uint64_t)v[PAWL__RUN_DONE].integer,
                        .updated_us = v[PAWL__RUN_UPDATED_US].integer,
                        .stays = newest  ? "newest"
                                 : young ? "not older"
                                         : NULL};
                if (!items[i].stays)
                        p->runs[p->n_runs++] = v[PAWL__RUN_ID].text;
        }
        report->shown.n = n;
        report->shown.going = p->n_runs;
        return PAWL_OK;
}

pawl_status pawl_thread_prune(pawl_thread_prune_report **out, pawl_threads *threads, size_t keep,
        int64_t older_us, bool dry_run, const char *actor, pawl_error *err)
{
        if (!threads)
                return pawl__log_usable(NULL, err);
        TRY(pawl__log_usable(threads->log, err));

        pruning p = {.threads = threads, .actor = actor, .err = err};
        own_report *report;
        pawl_status status;

        if (keep == SIZE_MAX && older_us == INT64_MAX)
                return pawl__fail(err, PAWL_EINVAL,
                        "prune: nothing is asked for; say how many to keep, or since when");
        report = calloc(1, sizeof *report);
        if (!report)
                return pawl__nomem(err);
        status = judge(report, &p, keep, older_us);
        if (!status && p.n_runs)
                status = prune(&p, dry_run);
        report->shown.checkpoints = p.checkpoints;
        report->shown.writes = p.writes;
        report->shown.contents = p.contents;
        report->shown.bytes = p.bytes;
        if (status)
                pawl_thread_prune_free(&report->shown);
        else
                *out = &report->shown;
        return status;
}

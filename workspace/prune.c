/*
 * Letting old checkpoints go, by reachability: within the transaction, what the checkpoints that
 * stay name is found, and every other content goes. So a checkpoint that is taken meanwhile is
 * either seen here or finds what it needs gone and keeps it anew.
 *
 * The events stay, and with them what a checkpoint was of. So do blobs: inputs, outputs and plans.
 */
#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/json_write.h"
#include "base/map.h"
#include "state/forked.h"
#include "workspace/prune_internal.h"
#include "workspace/store/mark.h"
#include "workspace/store/sweep.h"
#include "workspace/store/thread_values.h"
#include "workspace/workspace.h"
#include <pawl/space.h>
#include <stdlib.h>

/* ---- Why one stays --------------------------------------------------------------------------- */

/* The safety copies that undo and redo go to, now or after other undos and redos. */
static bool is_way_back(const pruning *p, const pawl__row *row)
{
        const int64_t seq = row->v[PAWL__WCP_ROLLBACK].integer;
        const pawl__undo_entry *of = row->v[PAWL__WCP_SAFETY].integer && seq > 0
                                             ? pawl__undo_stacks_at(&p->stacks, (uint64_t)seq)
                                             : NULL;

        return of && of->may_be != PAWL__NO_REVERSAL;
}

static bool is_submitted(const pruning *p, int64_t n)
{
        for (size_t i = 0; i < p->n_submitted; i++)
                if (p->submitted[i] == n)
                        return true;
        return false;
}

/* Whoever goes on with a submitted run, or a fork with a root of its own, may have to begin with
 * that one. */
static pawl_status find_submitted(pruning *p)
{
        pawl__row *runs = NULL;
        size_t n = 0;
        p->n_submitted = 0;
        pawl_status status = pawl__state_runs(
                &runs, &n, p->state, PAWL__RUNS_UNFINISHED, 0, 0, &p->report->arena, p->err);

        if (!status &&
                !(p->submitted = pawl__arena_array(&p->report->arena, n + 1, sizeof *p->submitted)))
                return pawl__nomem(p->err);
        for (size_t i = 0; i < n && !status; i++) {
                pawl__json_tree tree = PAWL__JSON_TREE_INIT;
                pawl_event event;
                if (!pawl__run_submitted(&runs[i]) && !pawl__run_root(&runs[i]).data)
                        continue;
                status = pawl__log_event(&event, &p->report->arena, p->log,
                        (uint64_t)runs[i].v[PAWL__RUN_STARTED_SEQ].integer);
                if (status)
                        return pawl__log_failed(p->log, status, p->err);
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, p->err);
                const pawl__node node =
                        status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "checkpoint");
                int64_t with;
                if (node != PAWL__NO_NODE && pawl__json_int(pawl__json_at(&tree, node), &with) &&
                        !is_submitted(p, with))
                        p->submitted[p->n_submitted++] = with;
                pawl__json_tree_free(&tree);
        }
        return status;
}

/* A run that waits or is at work keeps all of its checkpoints; one that can be gone on with, its
 * newest. */
static pawl_status run_keeps(const char **why, pruning *p, const pawl__row *row)
{
        pawl__row run = {.v[PAWL__RUN_ID] = row->v[PAWL__WCP_RUN]};
        uint32_t at = 0;

        if (!run.v[PAWL__RUN_ID].text.data)
                return PAWL_OK;
        pawl_status status = pawl__state_get(p->state, PAWL__RUNS, &run, &p->report->arena, p->err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        if (pawl__text_is(run.v[PAWL__RUN_STATUS].text, "blocked"))
                *why = "its run is blocked";
        else if (pawl__text_is(run.v[PAWL__RUN_STATUS].text, "running"))
                *why = "its run is at work";
        else if (!pawl__text_is(run.v[PAWL__RUN_STATUS].text, "completed")) {
                if (pawl__map_number(&at, &p->newest, run.v[PAWL__RUN_ID].text,
                            (uint32_t)p->report->shown.n))
                        return pawl__nomem(p->err);
                if (at == (uint32_t)p->report->shown.n ||
                        (p->retention && !pawl__text_is(run.v[PAWL__RUN_STATUS].text, "cancelled")))
                        *why = "its run is unfinished";
        }
        return PAWL_OK;
}

/* Does it count: was it taken by a program, or are all of them asked for? */
static bool counts(const pruning *p, const pawl__row *row)
{
        return p->options->include_manual ||
               !pawl__text_is(row->v[PAWL__WCP_TRIGGER].text, "manual");
}

/* The one that the work tree of that row is at. */
static pawl_status mark_current(pruning *p, const pawl__row *row)
{
        char id[PAWL__WORKTREE_ID_MAX + 1] = "";
        pawl__row current, by;
        bool put_back;
        const pawl_text kept = row->v[PAWL__WCP_WORKTREE].text;

        if (kept.data && kept.len <= PAWL__WORKTREE_ID_MAX)
                memcpy(id, kept.data, kept.len);
        pawl_status status = pawl__state_set_worktree(p->state, id, NULL, p->err);
        if (!status)
                status = pawl__workspace_current(
                        &current, &by, &put_back, p->state, &p->report->arena, p->err);
        if (!status && current.v[PAWL__WCP_N].integer > 0 &&
                (size_t)current.v[PAWL__WCP_N].integer <= p->n_rows)
                p->current[current.v[PAWL__WCP_N].integer - 1] = true;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Of each work tree, its newest checkpoint leads to the one that it is at. */
static pawl_status mark_all_current(pruning *p)
{
        const char *root;
        const pawl_text id = pawl__arena_copy(
                &p->report->arena, pawl__text(pawl__state_worktree(p->state, &root)));
        const char *const kept_root =
                root ? pawl__arena_copy(&p->report->arena, pawl__text(root)).data : NULL;
        pawl__map seen = PAWL__MAP_INIT;
        pawl_status status = pawl__arena_check(&p->report->arena, p->err);

        for (size_t i = p->n_rows; i-- > 0 && !status;) {
                const pawl__value *v = p->rows[i].v;
                const pawl_text tree = v[PAWL__WCP_WORKTREE].text.data ? v[PAWL__WCP_WORKTREE].text
                                                                       : pawl__text("");
                if (!v[PAWL__WCP_ROOT].text.data || pawl__map_get(&seen, tree) != PAWL__MAP_NONE)
                        continue;
                status = pawl__map_put(&seen, tree, 1) ? pawl__nomem(p->err)
                                                       : mark_current(p, &p->rows[i]);
        }
        pawl__map_free(&seen);
        const pawl_status restored =
                id.data ? pawl__state_set_worktree(p->state, id.data, kept_root, p->err) : PAWL_OK;
        return status ? status : restored;
}

static pawl_status judge(const char **why, pruning *p, const pawl__row *row, size_t newer)
{
        const pawl_workspace_prune_options *o = p->options;

        *why = NULL;
        if (p->current[row->v[PAWL__WCP_N].integer - 1])
                *why = "current";
        else if (is_way_back(p, row))
                *why = "undo or redo needs it";
        else if (row->v[PAWL__WCP_PINNED].integer)
                *why = "pinned";
        else if (!counts(p, row))
                *why = "taken by hand";
        else if (o->keep != SIZE_MAX && newer < o->keep)
                *why = "newest";
        else if (o->older_us != INT64_MAX && row->v[PAWL__WCP_CREATED_US].integer >= o->older_us)
                *why = "not older";
        const char *run = NULL;
        pawl_status status = run_keeps(&run, p, row);
        if (!*why)
                *why = run;
        if (!*why && is_submitted(p, row->v[PAWL__WCP_N].integer))
                *why = "a submitted run is unfinished";
        return status;
}

static pawl_status list_all(pruning *p)
{
        own_report *report = p->report;

        report->shown.n = 0;
        for (size_t i = p->n_rows; i-- > 0;) {
                const pawl__row *row = &p->rows[i];
                if (row->v[PAWL__WCP_PRUNED_SEQ].integer)
                        continue;
                report->list[report->shown.n++] =
                        (pawl_pruned_checkpoint){.n = (uint64_t)row->v[PAWL__WCP_N].integer,
                                .id = row->v[PAWL__WCP_ID].text,
                                .stays = p->stays[i]};
                report->shown.going += !p->stays[i];
        }
        return PAWL_OK;
}

/* Newest first; those that are pruned already are passed over. */
static pawl_status judge_all(pruning *p)
{
        own_report *report = p->report;
        size_t newer = 0;
        pawl_status status =
                pawl__state_workspace_all(&p->rows, &p->n_rows, p->state, &report->arena, p->err);

        report->shown.n = report->shown.going = 0;
        if (status || p->n_rows == 0)
                return status;
        report->list = pawl__arena_array(&report->arena, p->n_rows, sizeof *report->list);
        p->stays = pawl__arena_array(&report->arena, p->n_rows, sizeof *p->stays);
        p->current = pawl__arena_array(&report->arena, p->n_rows, sizeof *p->current);
        if (!report->list || !p->stays || !p->current)
                return pawl__nomem(p->err);
        memset(p->current, 0, p->n_rows * sizeof *p->current);
        report->shown.items = report->list;
        status = mark_all_current(p);
        if (!status)
                status = pawl__undo_stacks_read(&p->stacks, p->state, &report->arena, p->err);
        if (!status)
                status = find_submitted(p);
        for (size_t i = p->n_rows; i-- > 0 && !status;) {
                const pawl__row *row = &p->rows[i];
                if (row->v[PAWL__WCP_PRUNED_SEQ].integer)
                        continue;
                status = judge(&p->stays[i], p, row, newer);
                newer += counts(p, row);
                report->shown.n++;
        }
        pawl__map_free(&p->newest);
        p->newest = (pawl__map)PAWL__MAP_INIT;
        if (!status && p->retention)
                status = pawl__retention_choose(p);
        return status ? status : list_all(p);
}

/* ---- What goes with them --------------------------------------------------------------------- */

static pawl_status stays(const unsigned char hash[32], void *user, pawl_error *err)
{
        return pawl__mark_content(((pruning *)user)->reach, hash, 0, err);
}

static pawl_status reach_those_that_stay(pruning *p)
{
        unsigned char tree[32];
        pawl_status status = pawl__mark_new(&p->reach, p->contents, p->err);

        for (size_t i = 0; i < p->n_rows && !status; i++) {
                const pawl__row *row = &p->rows[i];
                pawl_error why = PAWL_ERROR_INIT;
                if (row->v[PAWL__WCP_PRUNED_SEQ].integer || !p->stays[i])
                        continue;
                status = pawl__prune_tree(tree, p, row);
                if (status)
                        return status;
                status = pawl__mark_add(p->reach, tree, 0, &why);
                if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                        status = pawl__fail(p->err, PAWL_EDAMAGED,
                                "checkpoint %lld: stays, but what it holds is not known: %.300s",
                                (long long)row->v[PAWL__WCP_N].integer, why.message);
                else if (status && p->err)
                        *p->err = why;
        }
        if (!status)
                status = pawl__thread_hashes_all(p->log, p->state, NULL, stays, p, p->err);
        return status;
}

static bool keeps(const unsigned char hash[32], void *user)
{
        const pruning *p = user;

        return pawl__mark_has(NULL, p->reach, hash);
}

static pawl_status sweep(pruning *p)
{
        pawl__swept swept = {0, 0};
        pawl_status status = reach_those_that_stay(p);

        if (!status)
                status = pawl__contents_sweep(
                        &swept, p->contents, keeps, p, p->options->dry_run, p->err);
        p->report->shown.contents = swept.contents;
        p->report->shown.bytes = swept.bytes;
        pawl__mark_free(p->reach);
        p->reach = NULL;
        return status;
}

/* ---- Letting go ------------------------------------------------------------------------------ */

static pawl_status add_event(pawl__batch *batch, const pruning *p)
{
        const own_report *report = p->report;
        const char *actor = p->options->actor;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "kind", "checkpoints");
        pawl__json_name(&w, "pruned");
        pawl__json_open_array(&w);
        for (size_t i = report->shown.n; i-- > 0;)
                if (!report->list[i].stays)
                        pawl__json_integer(&w, (int64_t)report->list[i].n);
        pawl__json_close_array(&w);
        pawl__json_member_integer(&w, "contents", (int64_t)report->shown.contents);
        pawl__json_member_integer(&w, "bytes", (int64_t)report->shown.bytes);
        pawl__json_close_object(&w);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(p->err) : PAWL_OK;
        const pawl_event event = {.type = pawl__text("Pruned"),
                .actor = pawl__text(actor ? actor : "program"),
                .payload = pawl__buf_text(&w.buf)};
        if (!status)
                status = pawl__batch_event(batch, &event, p->err);
        pawl__json_writer_free(&w);
        return status;
}

static pawl_status check_settled(pruning *p)
{
        pawl__reversal is;
        pawl__row row;
        pawl_status status =
                pawl__state_rollback_pending(&row, p->state, &p->report->arena, p->err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        TRY(pawl__reversal_of(&is, &row, p->state, &p->report->arena, p->err));
        return pawl__fail(p->err, PAWL_ESTATE,
                "prune: %s %s to checkpoint %lld was interrupted; finish it with `pawl "
                "rollback --finish` or give it up with `pawl undo`",
                is == PAWL__IS_UNDO ? "an" : "a", pawl__reversal_word(is),
                (long long)row.v[PAWL__RB_TARGET].integer);
}

/* PAWL_DONE: there is nothing that goes, so that nothing is written. */
static pawl_status let_go(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        pruning *p = user;
        pawl_error *outer = p->err;

        (void)log;
        p->err = err;
        pawl_status status = check_settled(p);
        if (!status)
                status = judge_all(p);
        if (!status && p->report->shown.going == 0)
                status = PAWL_DONE;
        if (!status)
                status = sweep(p);
        if (!status)
                status = add_event(batch, p);
        p->err = outer;
        return status;
}

static pawl_status commit(pruning *p)
{
        const pawl_status status = pawl__contents_commit(p->contents, let_go, p, p->err);

        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status prune(pruning *p)
{
        TRY(pawl__state_of(&p->state, p->log, p->err));
        TRY(check_settled(p));
        TRY(pawl__contents_open(&p->contents, p->log, p->err));
        pawl_status status = judge_all(p);
        if (!status && p->report->shown.going > 0)
                status = p->options->dry_run ? sweep(p) : commit(p);
        pawl__contents_close(p->contents);
        return status;
}

pawl_status pawl__prune(pawl_workspace_prune_report **out, pruning *p)
{
        p->report = calloc(1, sizeof *p->report);
        if (!p->report)
                return pawl__nomem(p->err);
        const pawl_status status = prune(p);
        if (status)
                pawl_workspace_prune_free(&p->report->shown);
        else
                *out = &p->report->shown;
        return status;
}

static pawl_status check_options(const pawl_workspace_prune_options *o, pawl_error *err)
{
        if (!o || o->version != PAWL_CHECKPOINT_PRUNE_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "prune: options: are not of a version that this library knows; start from "
                        "PAWL_CHECKPOINT_PRUNE_INIT");
        if (o->keep == SIZE_MAX && o->older_us == INT64_MAX)
                return pawl__fail(err, PAWL_EINVAL,
                        "prune: nothing is asked for; say how many to keep, or since when");
        return o->actor ? pawl__id_check(pawl__text(o->actor), "actor", err) : PAWL_OK;
}

pawl_status pawl_workspace_prune(pawl_workspace_prune_report **out, pawl_log *log,
        const pawl_workspace_prune_options *options, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pruning p = {.options = options, .log = log, .err = err};
        TRY(check_options(options, err));
        return pawl__prune(out, &p);
}

void pawl_workspace_prune_free(pawl_workspace_prune_report *shown)
{
        own_report *report = (own_report *)shown;

        if (!report)
                return;
        pawl__arena_free(&report->arena);
        free(report);
}

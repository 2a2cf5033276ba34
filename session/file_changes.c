#include "session/file_changes.h"
#include "base/error.h"
#include "base/map.h"
#include "state/undo_stacks.h"
#include "workspace/ignored_then.h"
#include "workspace/rollback/plan.h"
#include "workspace/store/contents.h"
#include <stdlib.h>

/* ---- Between two trees ----------------------------------------------------------------------- */

static bool is_file(const pawl__entry *entry)
{
        return entry->kind && entry->kind != PAWL__ENTRY_DIRECTORY;
}

static bool is_same(const pawl__entry *a, const pawl__entry *b)
{
        if (a->kind != b->kind)
                return false;
        return a->kind == PAWL__ENTRY_LINK
                       ? pawl__text_eq(a->target, b->target)
                       : a->mode == b->mode && memcmp(a->hash, b->hash, sizeof a->hash) == 0;
}

const char *pawl__file_change_how(const pawl__file_change *change)
{
        const bool was = is_file(&change->from), is = is_file(&change->to);

        if (!was && !is)
                return NULL;
        if (!was || !is)
                return is ? "added" : "removed";
        return is_same(&change->from, &change->to) ? NULL : "changed";
}

pawl__file_change *pawl__file_changes_find(const pawl__file_changes *changes, pawl_text path)
{
        size_t low = 0, high = changes->n;

        while (low < high) {
                const size_t middle = low + (high - low) / 2;
                const int order = pawl__path_cmp(changes->list[middle].path, path);
                if (order == 0)
                        return &changes->list[middle];
                if (order < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        return NULL;
}

static pawl__entry copy_entry(const pawl__file_changes *changes, const pawl__entry *entry)
{
        pawl__entry copy = {.kind = PAWL__ENTRY_NONE};

        if (!entry)
                return copy;
        copy = *entry;
        copy.name = (pawl_text){NULL, 0};
        copy.target = pawl__arena_copy(changes->arena, entry->target);
        return copy;
}

static pawl_status append(pawl__file_changes *changes, pawl_text path, const pawl__entry *from,
        const pawl__entry *to, pawl_error *err)
{
        if (pawl__grow(&changes->list, &changes->cap, changes->n + 1, sizeof *changes->list))
                return pawl__nomem(err);
        changes->list[changes->n++] = (pawl__file_change){pawl__arena_copy(changes->arena, path),
                copy_entry(changes, from), copy_entry(changes, to)};
        return pawl__arena_check(changes->arena, err);
}

typedef struct between {
        pawl__file_changes *changes;
        pawl__ignored_then then[2];
} between;

/* What one side did not capture did not come or go for all that is known. */
static pawl_status add(const pawl__change *change, void *user, pawl_error *err)
{
        between *b = user;
        pawl__file_changes *changes = b->changes;
        bool ignored;

        if (change->unknown)
                return PAWL_OK;
        if ((!change->from || !is_file(change->from)) && (!change->to || !is_file(change->to)))
                return PAWL_OK;
        TRY(pawl__ignored_then_change(&ignored, b->then, change, err));
        return ignored ? PAWL_OK : append(changes, change->path, change->from, change->to, err);
}

pawl_status pawl__file_changes_between(pawl__file_changes *out, pawl_log *log,
        const pawl__row *from, const pawl__row *to, pawl_error *err)
{
        unsigned char before[32], after[32];
        pawl__contents *contents = NULL;
        pawl_error why = PAWL_ERROR_INIT;

        if (!pawl__unhex32(before, from->v[PAWL__WCP_TREE].text) ||
                !pawl__unhex32(after, to->v[PAWL__WCP_TREE].text))
                return PAWL_OK;
        pawl_status status = pawl__contents_open(&contents, log, &why);
        if (!status) {
                const pawl__directories directories = pawl__contents_directories(contents);
                between b = {out, {{.contents = contents,
                                           .directories = &directories,
                                           .tree = before,
                                           .seq = (uint64_t)from->v[PAWL__WCP_SEQ].integer},
                                          {.contents = contents,
                                                  .directories = &directories,
                                                  .tree = after,
                                                  .seq = (uint64_t)to->v[PAWL__WCP_SEQ].integer}}};
                status = pawl__diff_trees(&directories, before, after, add, &b, &why);
                pawl__ignored_then_free(&b.then[0]);
                pawl__ignored_then_free(&b.then[1]);
                pawl__contents_close(contents);
        }
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED) { /* they were pruned, say */
                out->n = 0;
                out->unknown = true;
                return PAWL_OK;
        }
        if (status && err)
                *err = why;
        return status;
}

/* ---- Rollbacks ------------------------------------------------------------------------------- */

/* Changes while rollbacks are followed: in any order, found by their paths. */
typedef struct following {
        pawl__file_changes *changes;
        pawl__map places; /* from a path to its place in the list */
} following;

/* For each step of the plan: could its path not be written? */
static pawl_status read_not_written(
        bool **out, const pawl__json_tree *end, size_t n_steps, pawl__arena *arena, pawl_error *err)
{
        const pawl__node list = pawl__json_get(end, 0, "not_written");
        int64_t n;

        *out = pawl__arena_array(arena, n_steps + 1, sizeof **out);
        if (!*out)
                return pawl__nomem(err);
        memset(*out, 0, n_steps * sizeof **out);
        for (pawl__node at = list == PAWL__NO_NODE ? list : pawl__json_first(end, list);
                at != PAWL__NO_NODE; at = pawl__json_after(end, list, at))
                if (pawl__json_int(pawl__json_at(end, at), &n) && n >= 0 && (size_t)n < n_steps)
                        (*out)[n] = true;
        return PAWL_OK;
}

/* The path is now what @p is says; it was what @p was says before the rollback. */
static pawl_status put(following *f, const pawl__plan_step *step, const pawl__entry *was,
        const pawl__entry *is, pawl_error *err)
{
        pawl__file_changes *const changes = f->changes;
        const uint32_t place = pawl__map_get(&f->places, step->path);

        if (place != PAWL__MAP_NONE) {
                changes->list[place].to = copy_entry(changes, is);
                return pawl__arena_check(changes->arena, err);
        }
        if (pawl__map_put_copy(&f->places, changes->arena, step->path, (uint32_t)changes->n))
                return pawl__nomem(err);
        return append(changes, step->path, was, is, err);
}

/* One of some paths put those as its plan says; one of all left those that it could not write. */
static pawl_status follow(following *f, pawl_log *log, const pawl__row *rollback,
        const pawl__json_tree *end, pawl_error *err)
{
        const bool all = rollback->v[PAWL__RB_UNDO].integer < PAWL__RB_IN_PART;
        pawl__plan plan = PAWL__PLAN_INIT;
        pawl__buf encoded = PAWL__BUF_INIT;
        unsigned char hash[32];
        bool *not_written = NULL;
        pawl_status status = PAWL_OK;

        if (all && pawl__json_get(end, 0, "not_written") == PAWL__NO_NODE)
                return PAWL_OK;
        if (pawl__unhex32(hash, rollback->v[PAWL__RB_PLAN_HASH].text))
                status = pawl__log_blob(&encoded, log, hash);
        if (!status)
                status = pawl__plan_decode(&plan, pawl__buf_text(&encoded), err);
        if (!status)
                status = read_not_written(&not_written, end, plan.n_steps, f->changes->arena, err);
        for (size_t i = 0; i < plan.n_steps && !status; i++) {
                const pawl__plan_step *step = &plan.steps[i];
                if (not_written[i] != all || (!is_file(&step->from) && !is_file(&step->to)))
                        continue;
                status = all ? put(f, step, &step->to, &step->from, err)
                             : put(f, step, &step->from, &step->to, err);
        }
        pawl__plan_free(&plan);
        pawl__buf_free(&encoded);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED) { /* of an older log, say */
                f->changes->unknown = true;
                return PAWL_OK;
        }
        return status;
}

static pawl_status take(following *f, pawl__handoff *out, pawl_log *log,
        const pawl__undo_entry *entry, int64_t since, pawl_error *err)
{
        const pawl__value *v = entry->row.v;
        pawl__json_tree end = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_failed(log,
                pawl__log_event(
                        &event, f->changes->arena, log, (uint64_t)v[PAWL__RB_ENDED_SEQ].integer),
                err);

        if (status)
                return status;
        out->rollbacks[out->n_rollbacks++] =
                (pawl__hand_rollback){.kind = pawl__reversal_word(entry->is),
                        .target = v[PAWL__RB_TARGET].integer,
                        .ended_us = event.time_us,
                        .reason = v[PAWL__RB_REASON].text,
                        .in_part = v[PAWL__RB_UNDO].integer >= PAWL__RB_IN_PART};
        if (v[PAWL__RB_ENDED_SEQ].integer < since || !event.payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&end, event.payload.data, event.payload.len, err);
        if (!status)
                status = follow(f, log, &entry->row, &end, err);
        pawl__json_tree_free(&end);
        return status;
}

static int by_path(const void *a, const void *b)
{
        return pawl__path_cmp(
                ((const pawl__file_change *)a)->path, ((const pawl__file_change *)b)->path);
}

static pawl_status take_all(following *f, pawl__handoff *out, pawl_log *log,
        const pawl__undo_stacks *stacks, pawl_text worktree, int64_t since, pawl_error *err)
{
        const int64_t start = out->session.v[PAWL__SES_SEQ].integer;

        for (size_t i = 0; i < f->changes->n; i++)
                if (pawl__map_put(&f->places, f->changes->list[i].path, (uint32_t)i))
                        return pawl__nomem(err);
        for (size_t i = 0; i < stacks->n; i++) {
                const pawl__value *v = stacks->items[i].row.v;
                const bool ended = pawl__text_is(v[PAWL__RB_STATUS].text, "done") ||
                                   pawl__text_is(v[PAWL__RB_STATUS].text, "undone");
                if (ended && v[PAWL__RB_SEQ].integer > start &&
                        pawl__text_cmp(v[PAWL__RB_WORKTREE].text, worktree) == 0)
                        TRY(take(f, out, log, &stacks->items[i], since, err));
        }
        return PAWL_OK;
}

pawl_status pawl__file_changes_rolled_back(pawl__file_changes *changes, pawl__handoff *out,
        pawl_log *log, pawl__state *state, pawl_text worktree, int64_t since, pawl_error *err)
{
        following f = {changes, PAWL__MAP_INIT};
        const size_t in_order = changes->n;
        pawl__undo_stacks stacks;

        TRY(pawl__undo_stacks_read(&stacks, state, changes->arena, err));
        if (!stacks.n)
                return PAWL_OK;
        out->rollbacks = pawl__arena_array(changes->arena, stacks.n, sizeof *out->rollbacks);
        if (!out->rollbacks)
                return pawl__nomem(err);
        const pawl_status status = take_all(&f, out, log, &stacks, worktree, since, err);
        pawl__map_free(&f.places);
        if (changes->n > in_order)
                qsort(changes->list, changes->n, sizeof *changes->list, by_path);
        return status;
}

#include "session/file_changes.h"
#include "base/error.h"
#include "state/undo_stacks.h"
#include "workspace/rollback/plan.h"
#include "workspace/store/contents.h"

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

/* At its place in the order. */
static pawl_status insert(pawl__file_changes *changes, size_t at, pawl_text path,
        const pawl__entry *from, const pawl__entry *to, pawl_error *err)
{
        if (pawl__grow(&changes->list, &changes->cap, changes->n + 1, sizeof *changes->list))
                return pawl__nomem(err);
        memmove(changes->list + at + 1, changes->list + at,
                (changes->n - at) * sizeof *changes->list);
        changes->list[at] = (pawl__file_change){pawl__arena_copy(changes->arena, path),
                copy_entry(changes, from), copy_entry(changes, to)};
        changes->n++;
        return pawl__arena_check(changes->arena, err);
}

static pawl_status add(const pawl__change *change, void *user, pawl_error *err)
{
        pawl__file_changes *changes = user;

        if (change->unknown)
                return PAWL_OK;
        if ((!change->from || !is_file(change->from)) && (!change->to || !is_file(change->to)))
                return PAWL_OK;
        return insert(changes, changes->n, change->path, change->from, change->to, err);
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
                status = pawl__diff_trees(&directories, before, after, add, out, &why);
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

/* Is the step among those whose paths could not be written? */
static bool was_not_written(const pawl__json_tree *end, size_t step)
{
        const pawl__node list = pawl__json_get(end, 0, "not_written");
        int64_t n;

        for (pawl__node at = list == PAWL__NO_NODE ? list : pawl__json_first(end, list);
                at != PAWL__NO_NODE; at = pawl__json_after(end, list, at))
                if (pawl__json_int(pawl__json_at(end, at), &n) && (size_t)n == step)
                        return true;
        return false;
}

/* The path is now what @p is says; it was what @p was says before the rollback. */
static pawl_status put(pawl__file_changes *changes, const pawl__plan_step *step,
        const pawl__entry *was, const pawl__entry *is, pawl_error *err)
{
        pawl__file_change *known = pawl__file_changes_find(changes, step->path);
        size_t at = 0;

        if (known) {
                known->to = copy_entry(changes, is);
                return pawl__arena_check(changes->arena, err);
        }
        while (at < changes->n && pawl__path_cmp(changes->list[at].path, step->path) < 0)
                at++;
        return insert(changes, at, step->path, was, is, err);
}

/* One of some paths put those as its plan says; one of all left those that it could not write. */
static pawl_status follow(pawl__file_changes *changes, pawl_log *log, const pawl__row *rollback,
        const pawl__json_tree *end, pawl_error *err)
{
        const bool all = rollback->v[PAWL__RB_UNDO].integer < PAWL__RB_IN_PART;
        pawl__plan plan = PAWL__PLAN_INIT;
        pawl__buf encoded = PAWL__BUF_INIT;
        unsigned char hash[32];
        pawl_status status = PAWL_OK;

        if (all && pawl__json_get(end, 0, "not_written") == PAWL__NO_NODE)
                return PAWL_OK;
        if (pawl__unhex32(hash, rollback->v[PAWL__RB_PLAN_HASH].text))
                status = pawl__log_blob(&encoded, log, hash);
        if (!status)
                status = pawl__plan_decode(&plan, pawl__buf_text(&encoded), err);
        for (size_t i = 0; i < plan.n_steps && !status; i++) {
                const pawl__plan_step *step = &plan.steps[i];
                if (was_not_written(end, i) != all ||
                        (!is_file(&step->from) && !is_file(&step->to)))
                        continue;
                status = all ? put(changes, step, &step->to, &step->from, err)
                             : put(changes, step, &step->from, &step->to, err);
        }
        pawl__plan_free(&plan);
        pawl__buf_free(&encoded);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED) { /* of an older log, say */
                changes->unknown = true;
                return PAWL_OK;
        }
        return status;
}

static pawl_status take(pawl__file_changes *changes, pawl__handoff *out, pawl_log *log,
        const pawl__undo_entry *entry, int64_t since, pawl_error *err)
{
        const pawl__value *v = entry->row.v;
        pawl__json_tree end = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_failed(log,
                pawl__log_event(
                        &event, changes->arena, log, (uint64_t)v[PAWL__RB_ENDED_SEQ].integer),
                err);

        if (status)
                return status;
        out->rollbacks[out->n_rollbacks++] =
                (pawl__hand_rollback){.kind = entry->is == PAWL__IS_UNDO   ? "undo"
                                              : entry->is == PAWL__IS_REDO ? "redo"
                                                                           : "rollback",
                        .target = v[PAWL__RB_TARGET].integer,
                        .ended_us = event.time_us,
                        .reason = v[PAWL__RB_REASON].text,
                        .in_part = v[PAWL__RB_UNDO].integer >= PAWL__RB_IN_PART};
        if (v[PAWL__RB_ENDED_SEQ].integer < since || !event.payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&end, event.payload.data, event.payload.len, err);
        if (!status)
                status = follow(changes, log, &entry->row, &end, err);
        pawl__json_tree_free(&end);
        return status;
}

pawl_status pawl__file_changes_rolled_back(pawl__file_changes *changes, pawl__handoff *out,
        pawl_log *log, pawl__state *state, pawl_text worktree, int64_t since, pawl_error *err)
{
        const int64_t start = out->session.v[PAWL__SES_SEQ].integer;
        pawl__undo_stacks stacks;

        TRY(pawl__undo_stacks_read(&stacks, state, changes->arena, err));
        out->rollbacks = pawl__arena_array(changes->arena, stacks.n, sizeof *out->rollbacks);
        if (!out->rollbacks)
                return pawl__nomem(err);
        for (size_t i = 0; i < stacks.n; i++) {
                const pawl__value *v = stacks.items[i].row.v;
                const bool ended = pawl__text_is(v[PAWL__RB_STATUS].text, "done") ||
                                   pawl__text_is(v[PAWL__RB_STATUS].text, "undone");
                if (ended && v[PAWL__RB_SEQ].integer > start &&
                        pawl__text_cmp(v[PAWL__RB_WORKTREE].text, worktree) == 0)
                        TRY(take(changes, out, log, &stacks.items[i], since, err));
        }
        return PAWL_OK;
}

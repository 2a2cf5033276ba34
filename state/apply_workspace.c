/* What the events of the workspace's checkpoints change. Their numbers count 1, 2, 3, ...: that one
 * is there follows from the number of the last. */
#include "base/digest.h"
#include "base/sources.h"
#include "state/apply_ctx.h"
#include <stdio.h>

enum { ID_MAX = 128 };

/* ---- Members, and what they name ------------------------------------------------------------- */

static pawl_status refuse_member(
        const pawl__apply_ctx *a, pawl_status status, const char *name, const char *what)
{
        char field[48];

        snprintf(field, sizeof field, "payload.%s", name);
        return pawl__apply_refuse(a, status, field, what);
}

static pawl_status get_workspace(pawl__row *checkpoint, const pawl__apply_ctx *a, int64_t n)
{
        memset(checkpoint, 0, sizeof *checkpoint);
        checkpoint->v[PAWL__WCP_N].integer = n;
        return a->store->get(a->store, PAWL__WORKSPACE, checkpoint, a->err);
}

pawl_status pawl__apply_workspace(
        pawl__row *checkpoint, const pawl__apply_ctx *a, int64_t n, const char *field)
{
        pawl_status status = get_workspace(checkpoint, a, n);

        return status == PAWL_ENOTFOUND
                       ? refuse_member(a, PAWL_ESTATE, field,
                                 "names a checkpoint that is not there; look at `pawl "
                                 "checkpoints`")
                       : status;
}

/* The rollback for which the newest checkpoint was taken, or that was under way then, if it still
 * is. PAWL_ENOTFOUND. */
static pawl_status rollback_under_way(
        pawl__row *rollback, const pawl__apply_ctx *a, const pawl__row *newest)
{
        pawl_status status = PAWL_ENOTFOUND;

        *rollback = (pawl__row){.v[PAWL__RB_SEQ] = newest->v[PAWL__WCP_ROLLBACK]};
        if (newest->v[PAWL__WCP_ROLLBACK].integer)
                status = a->store->get(a->store, PAWL__ROLLBACKS, rollback, a->err);
        return !status && !pawl__text_is(rollback->v[PAWL__RB_STATUS].text, "started")
                       ? PAWL_ENOTFOUND
                       : status;
}

/* A worker's directory, or another work tree, is not what is rolled back. Later events find the
 * rollback by the checkpoint's row, as by that of the safety copy. */
static pawl_status carry_rollback(
        pawl__row *row, const pawl__apply_ctx *a, const pawl__row *newest, bool of_run)
{
        pawl__row rollback;
        const pawl_status status = rollback_under_way(&rollback, a, newest);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        if (!of_run &&
                pawl__text_eq(rollback.v[PAWL__RB_WORKTREE].text, row->v[PAWL__WCP_WORKTREE].text))
                return pawl__apply_refuse(a, PAWL_ESTATE, "the workspace",
                        "a rollback was interrupted; finish it with `pawl rollback --finish` or "
                        "give it up with `pawl undo`");
        row->v[PAWL__WCP_ROLLBACK] = newest->v[PAWL__WCP_ROLLBACK];
        return PAWL_OK;
}

/* The newest checkpoint before number @p n that is the log's own workspace's. PAWL_ENOTFOUND. */
static pawl_status find_own(pawl__row *own, const pawl__apply_ctx *a, int64_t base, int64_t n)
{
        pawl_status status = PAWL_ENOTFOUND;

        for (int64_t at = base > 0 ? base : n - 1; at > 0; at--) {
                status = get_workspace(own, a, at);
                if (status ||
                        (own->v[PAWL__WCP_ROOT].text.data && !own->v[PAWL__WCP_WORKTREE].text.len))
                        return status;
                if (at == base) /* it was rolled back to one from elsewhere */
                        at = n;
        }
        return PAWL_ENOTFOUND;
}

/* A rollback writes below the root: another program must not lead it elsewhere. */
static pawl_status keeps_root(const pawl__apply_ctx *a, const pawl__row *row)
{
        pawl__row own;
        const pawl__value *v = row->v;

        if (!v[PAWL__WCP_ROOT].text.data || v[PAWL__WCP_WORKTREE].text.len)
                return PAWL_OK;
        const pawl_status status =
                find_own(&own, a, v[PAWL__WCP_BASE].integer, v[PAWL__WCP_N].integer);
        if (!status && !pawl__text_eq(own.v[PAWL__WCP_ROOT].text, v[PAWL__WCP_ROOT].text))
                return refuse_member(a, PAWL_ESTATE, "root",
                        "is not that of the checkpoints before; open another log for it");
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* ---- Arrays of numbers ----------------------------------------------------------------------- */

pawl_status pawl__apply_numbers(const pawl__apply_ctx *a, const char *field)
{
        pawl__node list = pawl__json_get(a->tree, 0, field);
        pawl_status status = PAWL_OK;

        for (pawl__node at = pawl__json_first(a->tree, list); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(a->tree, list, at)) {
                const pawl__json_node *node = pawl__json_at(a->tree, at);
                pawl__row checkpoint;
                int64_t n;
                if (node->type != PAWL__JSON_NUMBER || !pawl__json_int(node, &n))
                        return refuse_member(a, PAWL_EINVAL, field,
                                "holds what is no checkpoint's number; write numbers");
                status = pawl__apply_workspace(&checkpoint, a, n, field);
        }
        return status;
}

pawl_status pawl__apply_to_numbers(
        const pawl__apply_ctx *a, const char *field, pawl__workspace_change change, void *user)
{
        pawl__node list = pawl__json_get(a->tree, 0, field);
        pawl_status status = PAWL_OK;

        for (pawl__node at = pawl__json_first(a->tree, list); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(a->tree, list, at)) {
                pawl__row checkpoint;
                int64_t n = 0;
                (void)pawl__json_int(pawl__json_at(a->tree, at), &n); /* it is one */
                status = pawl__apply_workspace(&checkpoint, a, n, field);
                if (status)
                        return status;
                change(&checkpoint, a, user);
                status = pawl__apply_put(a, PAWL__WORKSPACE, &checkpoint);
        }
        return status;
}

/* ---- A checkpoint ---------------------------------------------------------------------------- */

/* A name that people type and see: no character of it has a meaning in a shell. */
static bool is_id(pawl_text id)
{
        if (id.len == 0 || id.len > ID_MAX)
                return false;
        for (size_t i = 0; i < id.len; i++) {
                char c = id.data[i];
                if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
                        return false;
        }
        return true;
}

static pawl_status take_count(
        pawl__value *out, const pawl__apply_ctx *a, const char *name, int64_t least)
{
        pawl_status status = pawl__apply_integer(&out->integer, a, 0, "payload", name);

        if (!status && out->integer < least)
                return refuse_member(
                        a, PAWL_EINVAL, name, "is too small a number; its writer must count");
        return status;
}

static pawl_status take_hash(pawl_text *out, const pawl__apply_ctx *a, const char *name)
{
        unsigned char hash[32];
        pawl_status status = pawl__apply_maybe_text(out, a, name);

        if (!status && out->data && !pawl__unhex32(hash, *out))
                return refuse_member(a, PAWL_EINVAL, name,
                        "is not a hash of 64 lower-case hex digits; write it so");
        return status;
}

/* What the payload alone says. */
static pawl_status take_members(pawl__row *row, const pawl__apply_ctx *a)
{
        static const struct {
                const char *name;
                int column;
                int64_t least;
        } counts[] = {{"n", PAWL__WCP_N, 1}, {"files", PAWL__WCP_FILES, 0},
                {"bytes", PAWL__WCP_BYTES, 0}, {"skipped", PAWL__WCP_SKIPPED, 0}};
        pawl__value *v = row->v;
        pawl_status status = PAWL_OK;
        pawl_text git_rules;
        int safety = 0;

        for (size_t i = 0; i < sizeof counts / sizeof counts[0] && !status; i++)
                status = take_count(&v[counts[i].column], a, counts[i].name, counts[i].least);
        if (!status && pawl__json_get(a->tree, 0, "base") != PAWL__NO_NODE)
                status = take_count(&v[PAWL__WCP_BASE], a, "base", 0);
        if (!status)
                status = take_hash(&v[PAWL__WCP_STATE_HASH].text, a, "state_hash");
        if (!status)
                status = take_hash(&v[PAWL__WCP_OUTPUTS_HASH].text, a, "outputs_hash");
        if (!status)
                status = take_hash(&git_rules, a, "git_rules");
        if (!status)
                status = pawl__apply_maybe_text(&v[PAWL__WCP_DESCRIPTION].text, a, "description");
        if (!status)
                status = pawl__apply_git(&v[PAWL__WCP_GIT_HEAD].text, a, "head");
        if (!status)
                status = pawl__apply_git(&v[PAWL__WCP_GIT_BRANCH].text, a, "branch");
        if (!status)
                status = pawl__apply_flag(&safety, a, "safety");
        v[PAWL__WCP_SAFETY].integer = safety;
        v[PAWL__WCP_ID].text = pawl__apply_optional(a, "id");
        v[PAWL__WCP_TRIGGER].text = pawl__apply_optional(a, "trigger");
        v[PAWL__WCP_ROOT].text = pawl__apply_optional(a, "root");
        v[PAWL__WCP_TREE].text = pawl__apply_optional(a, "tree");
        if (!status)
                status = pawl__apply_maybe_text(&v[PAWL__WCP_WORKTREE].text, a, "worktree");
        if (!v[PAWL__WCP_WORKTREE].text.data)
                v[PAWL__WCP_WORKTREE].text = pawl__text("");
        if (!status && v[PAWL__WCP_WORKTREE].text.len > PAWL__WORKTREE_ID_MAX)
                status = refuse_member(a, PAWL_EINVAL, "worktree",
                        "is longer than 64 bytes; write the id of the work tree");
        if (!status && !is_id(v[PAWL__WCP_ID].text))
                status = refuse_member(a, PAWL_EINVAL, "id",
                        "is not made of 1 to 128 lower-case letters, digits and hyphens; name it so");
        if (!status && !pawl__text_is(v[PAWL__WCP_TRIGGER].text, "auto") &&
                !pawl__text_is(v[PAWL__WCP_TRIGGER].text, "manual"))
                status = refuse_member(a, PAWL_EINVAL, "trigger",
                        "is neither \"auto\" nor \"manual\"; write one of them");
        return status;
}

/* An imported one shows the step and the time of where it was taken. It belongs to no root, and is
 * not the position of the workspace. */
static pawl_status take_origin(pawl__row *row, const pawl__apply_ctx *a)
{
        const pawl__node origin = pawl__json_get(a->tree, 0, "origin");
        int imported;
        pawl_status status = pawl__apply_flag(&imported, a, "imported");

        if (status || !imported)
                return status;
        if (origin == PAWL__NO_NODE || !pawl__time_parse(&row->v[PAWL__WCP_CREATED_US].integer,
                                               pawl__json_get_text(a->tree, origin, "time")))
                return refuse_member(
                        a, PAWL_EINVAL, "origin", "does not say when it was taken; write its time");
        row->v[PAWL__WCP_STEP].text = pawl__json_get_text(a->tree, origin, "step_id");
        row->v[PAWL__WCP_ROOT].text = pawl__text(NULL);
        return PAWL_OK;
}

pawl_status pawl__apply_workspace_checkpointed(pawl__apply_ctx *a)
{
        pawl__row row = {0}, other;
        int of_run = 0;
        pawl_status status = take_members(&row, a);

        if (status)
                return status;
        int64_t n = row.v[PAWL__WCP_N].integer;
        status = get_workspace(&other, a, n);
        if (status == PAWL_OK)
                return refuse_member(a, PAWL_EEXISTS, "n",
                        "is that of a checkpoint that is there; count on from the last one");
        if (status == PAWL_ENOTFOUND)
                status = n > 1 ? get_workspace(&other, a, n - 1) : PAWL_OK;
        if (status == PAWL_ENOTFOUND)
                return refuse_member(a, PAWL_ESTATE, "n",
                        "leaves numbers out; count on by one from the last checkpoint");
        if (!status)
                status = pawl__apply_flag(&of_run, a, "of_run");
        if (!status && n > 1)
                status = carry_rollback(&row, a, &other, of_run);
        if (status)
                return status;
        if (row.v[PAWL__WCP_BASE].integer >= n)
                return refuse_member(a, PAWL_ESTATE, "base",
                        "names a checkpoint that is not there; name an earlier one, or 0");
        row.v[PAWL__WCP_SEQ].integer = (int64_t)a->event->seq;
        row.v[PAWL__WCP_MISSION].text = a->event->mission_id;
        row.v[PAWL__WCP_RUN].text = a->event->run_id;
        row.v[PAWL__WCP_STEP].text = a->event->step_id;
        row.v[PAWL__WCP_SESSION].text = a->event->session_id;
        row.v[PAWL__WCP_CREATED_US].integer = a->event->time_us;
        status = take_origin(&row, a);
        if (of_run) /* in the directory of a worker: it is no position of the workspace */
                row.v[PAWL__WCP_ROOT].text = pawl__text(NULL);
        if (!status)
                status = keeps_root(a, &row);
        return status ? status : pawl__apply_put(a, PAWL__WORKSPACE, &row);
}

/* ---- What becomes of it ---------------------------------------------------------------------- */

static pawl_status named(pawl__row *checkpoint, const pawl__apply_ctx *a)
{
        int64_t n;
        pawl_status status = pawl__apply_integer(&n, a, 0, "payload", "n");

        return status ? status : pawl__apply_workspace(checkpoint, a, n, "n");
}

/* It changes nothing, but is found from its checkpoint: by the event right after it. */
pawl_status pawl__apply_tool_call_checkpointed(pawl__apply_ctx *a)
{
        pawl__row checkpoint;
        int64_t n;
        pawl_status status = pawl__apply_integer(&n, a, 0, "payload", "checkpoint");

        if (!status)
                status = pawl__apply_workspace(&checkpoint, a, n, "checkpoint");
        if (status)
                return status;
        if (checkpoint.v[PAWL__WCP_SEQ].integer + 1 != (int64_t)a->event->seq)
                return refuse_member(a, PAWL_ESTATE, "checkpoint",
                        "names one that was not taken right before; take one for the call");
        if (!pawl__text_eq(checkpoint.v[PAWL__WCP_ID].text,
                    pawl__json_get_text(a->tree, 0, "checkpoint_id")))
                return refuse_member(
                        a, PAWL_ESTATE, "checkpoint_id", "is not that of the checkpoint");
        return PAWL_OK;
}

/* The first reason stays; but one that was only given up by a rollback may be damaged, too.
 */
pawl_status pawl__apply_checkpoint_invalidated(pawl__apply_ctx *a)
{
        pawl__row checkpoint;
        pawl_status status = named(&checkpoint, a);

        if (status ||
                (checkpoint.v[PAWL__WCP_INVALID_SEQ].integer && !pawl__row_given_up(&checkpoint)))
                return status;
        checkpoint.v[PAWL__WCP_INVALID_SEQ].integer = (int64_t)a->event->seq;
        checkpoint.v[PAWL__WCP_INVALID_REASON].text = pawl__apply_optional(a, "reason");
        return pawl__apply_put(a, PAWL__WORKSPACE, &checkpoint);
}

pawl_status pawl__apply_checkpoint_updated(pawl__apply_ctx *a)
{
        pawl__row checkpoint;
        int pinned = 0, valid = 0;
        pawl_status status = pawl__apply_flag(&pinned, a, "pinned");

        if (!status)
                status = pawl__apply_flag(&valid, a, "valid");
        if (!status)
                status = named(&checkpoint, a);
        if (status)
                return status;
        if (pawl__json_get(a->tree, 0, "pinned") != PAWL__NO_NODE)
                checkpoint.v[PAWL__WCP_PINNED].integer = pinned;
        if (valid) {
                checkpoint.v[PAWL__WCP_INVALID_SEQ].integer = 0;
                checkpoint.v[PAWL__WCP_INVALID_REASON].text = pawl__text(NULL);
        }
        return pawl__apply_put(a, PAWL__WORKSPACE, &checkpoint);
}

static void is_pruned(pawl__row *checkpoint, const pawl__apply_ctx *a, void *user)
{
        (void)user;
        if (!checkpoint->v[PAWL__WCP_PRUNED_SEQ].integer)
                checkpoint->v[PAWL__WCP_PRUNED_SEQ].integer = (int64_t)a->event->seq;
}

pawl_status pawl__apply_pruned_checkpoints(pawl__apply_ctx *a)
{
        pawl_status status = pawl__apply_numbers(a, "pruned");

        return status ? status : pawl__apply_to_numbers(a, "pruned", is_pruned, NULL);
}

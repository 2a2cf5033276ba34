/* A rollback as the public header shows it. */
#include "base/error.h"
#include "workspace/rollback/rollback_internal.h"
#include <stdlib.h>

static pawl_rollback_plan_item item_of(const pawl__plan_step *step)
{
        const pawl__entry *from = &step->from, *to = &step->to;
        pawl_rollback_plan_item item = {
                .path = step->path, .kind = (char)to->kind, .size = to->size};
        bool same = from->kind == to->kind;

        if (to->kind == PAWL__ENTRY_NONE) {
                item.action = PAWL_PLAN_REMOVE;
                item.kind = (char)from->kind;
        } else if (same && (to->kind == PAWL__ENTRY_DIRECTORY ||
                                   (to->kind == PAWL__ENTRY_FILE && from->size == to->size &&
                                           memcmp(from->hash, to->hash, 32) == 0))) {
                item.action = PAWL_PLAN_MODE;
                item.size = 0;
        } else {
                item.action = PAWL_PLAN_WRITE;
        }
        return item;
}

/* What could not be written is left as it is, with the system's reason. */
static void mark_unwritten(pawl_rollback_plan_item *item, int reason)
{
        item->wanted = item->action != PAWL_PLAN_REMOVE;
        item->action = PAWL_PLAN_LEAVE;
        item->kind = 0;
        item->size = 0;
        item->missed = item->unwritten = true;
        item->why = pawl__unwritten_text(reason);
        item->fix = pawl__unwritten_fix(reason);
}

/* What no checkpoint can have, its own names, is not missed. */
static pawl_rollback_plan_item left_item(const pawl__plan_left *left)
{
        const bool lost = left->why == PAWL__LEFT_NOT_CAPTURED;

        return (pawl_rollback_plan_item){.action = PAWL_PLAN_LEAVE,
                .path = left->path,
                .wanted = left->wanted,
                .lost = lost,
                .missed = left->wanted && !lost && left->why != PAWL__LEFT_OWN,
                .why = pawl__left_text(left)};
}

static void count(pawl_rollback_plan_counts *counts, const pawl_rollback_plan_item *item)
{
        counts->writes += item->action == PAWL_PLAN_WRITE;
        counts->removes += item->action == PAWL_PLAN_REMOVE;
        counts->modes += item->action == PAWL_PLAN_MODE;
        counts->left += item->action == PAWL_PLAN_LEAVE;
        counts->lost += item->lost;
        counts->missed += item->missed;
        counts->bytes += item->size;
}

static pawl_status tell_effect(pawl_rollback_plan *p)
{
        pawl_rollback_plan_effect *e = &p->effect;
        pawl_put_back *back = pawl__arena_array(&p->arena, p->n_back + 1, sizeof *back);

        if (!back)
                return PAWL_ENOMEM;
        for (size_t i = 0; i < p->n_back; i++)
                back[i] = (pawl_put_back){.run_id = p->run_id,
                        .step_id = p->back[i].v[PAWL__STEP_ID].text,
                        .status = p->back[i].v[PAWL__STEP_STATUS].text};
        e->in_part = p->plan.in_part;
        e->run_id = p->n_steps || p->n_back ? p->run_id : pawl__text(NULL);
        e->own_run = p->own_run;
        e->run_status = p->run_then.v[PAWL__RUN_STATUS].text;
        if (!p->has_run_then || pawl__text_is(e->run_status, "running"))
                e->run_status = pawl__text("interrupted");
        if (!e->run_id.data)
                e->run_status = pawl__text(NULL);
        e->back = back;
        e->n_back = p->n_back;
        e->given_up = p->given_up;
        e->n_given_up = p->n_given_up;
        e->taken_up = p->taken_up;
        e->n_taken_up = p->n_taken_up;
        return PAWL_OK;
}

pawl_status pawl__rollback_report(pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        const pawl__plan *plan = &p->plan;

        p->items = pawl__arena_array(&p->arena, plan->n_steps + plan->n_left + 2, sizeof *p->items);
        if (!p->items)
                return pawl__nomem(err);
        p->n_items = 0;
        p->counts = (pawl_rollback_plan_counts){0};
        for (size_t i = 0; i < plan->n_steps; i++) {
                pawl__plan_step step = plan->steps[i];
                if (p->abandons) {
                        step.from = plan->steps[i].to;
                        step.to = plan->steps[i].from;
                }
                if (!pawl__rollback_shows(&step) && !(p->unwritten && p->unwritten[i]))
                        continue;
                pawl_rollback_plan_item *item = &p->items[p->n_items++];
                *item = item_of(&step);
                if (p->unwritten && p->unwritten[i])
                        mark_unwritten(item, p->unwritten[i]);
                if (p->work) { /* not of one that was interrupted */
                        item->run_id = p->work[i] == 'r' ? p->work_of[i] : pawl__text(NULL);
                        item->agent = p->work[i] == 'a' ? p->work_of[i] : pawl__text(NULL);
                        item->by_hand = p->work[i] == 'h';
                }
        }
        for (size_t i = 0; i < plan->n_left && !p->abandons; i++)
                p->items[p->n_items++] = left_item(&plan->left[i]);
        if (p->git_left)
                p->items[p->n_items++] = (pawl_rollback_plan_item){.action = PAWL_PLAN_LEAVE,
                        .path = pawl__text(".git"),
                        .missed = true,
                        .why = p->git_left,
                        .fix = p->git_fix};
        for (size_t i = 0; i < p->n_items; i++)
                count(&p->counts, &p->items[i]);
        if (tell_effect(p))
                return pawl__nomem(err);
        p->info = pawl__checkpoint_info(
                &p->target, ws->any ? (uint64_t)ws->current.v[PAWL__WCP_N].integer : 0);
        return PAWL_OK;
}

void pawl_rollback_plan_free(pawl_rollback_plan *plan)
{
        if (!plan)
                return;
        pawl__plan_free(&plan->plan);
        pawl__paths_free(&plan->named);
        pawl__buf_free(&plan->encoded);
        pawl__arena_free(&plan->arena);
        free(plan);
}

pawl_rollback_plan_view pawl_rollback_plan_look(const pawl_rollback_plan *plan)
{
        if (!plan)
                return (pawl_rollback_plan_view){0};
        return (pawl_rollback_plan_view){.hash = plan->hash,
                .target = &plan->info,
                .safety = (uint64_t)plan->started.v[PAWL__RB_SAFETY].integer,
                .undo = plan->plan.undo,
                .redo = plan->is == PAWL__IS_REDO,
                .abandons = plan->abandons,
                .exact = plan->same_tree && plan->counts.left == 0,
                .reverses = (uint64_t)plan->undone.v[PAWL__RB_SEQ].integer,
                .reversed_target = (uint64_t)plan->undone.v[PAWL__RB_TARGET].integer,
                .reversed = plan->plan.undo ? pawl__reversal_word(plan->was) : NULL,
                .items = plan->items,
                .n_items = plan->n_items,
                .counts = plan->counts,
                .steps = plan->steps,
                .n_steps = plan->n_steps,
                .effect = plan->effect,
                .git = plan->git.branch.data ? &plan->git : NULL};
}

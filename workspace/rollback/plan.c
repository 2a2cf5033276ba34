#include "workspace/rollback/plan.h"
#include "base/error.h"
#include <stdlib.h>

/* A directory that is to go, while what is in it is gone through. */
typedef struct going {
        size_t step;
        bool stays; /* something in it does */
} going;

typedef struct planner {
        pawl__plan *plan;
        const pawl__plan_rights *rights;
        const pawl__world *world;
        const pawl__directories *directories;
        going *going;
        size_t n_going, cap_going;
        bool git_root;     /* the root is git's own, now or then */
        pawl_text blocked; /* what is in it stays as it is; absent: nothing */
        pawl_text fresh;   /* a directory that is made: nothing is in it; absent: none */
        pawl_error *err;
} planner;

/* ---- Paths ---------------------------------------------------------------------------------- */

int pawl__path_cmp(pawl_text a, pawl_text b)
{
        size_t len = a.len < b.len ? a.len : b.len;

        for (size_t i = 0; i < len; i++) {
                unsigned char x = (unsigned char)a.data[i], y = (unsigned char)b.data[i];
                if (x != y)
                        return (x == '/' ? -1 : x) - (y == '/' ? -1 : y);
        }
        return (a.len > b.len) - (a.len < b.len);
}

static bool is(const pawl__entry *entry, pawl__entry_kind kind)
{
        return entry && entry->kind == kind;
}

/* ---- Writing it down ------------------------------------------------------------------------ */

static pawl_status keep_path(pawl_text *out, planner *p, pawl_text path)
{
        *out = pawl__arena_copy(&p->plan->arena, path);
        return pawl__arena_check(&p->plan->arena, p->err);
}

static pawl_status keep_entry(pawl__entry *out, planner *p, const pawl__entry *entry)
{
        *out = (pawl__entry){.kind = PAWL__ENTRY_NONE};
        if (!entry)
                return PAWL_OK;
        out->kind = entry->kind;
        out->mode = entry->mode;
        out->size = entry->size;
        if (entry->kind == PAWL__ENTRY_FILE)
                memcpy(out->hash, entry->hash, sizeof out->hash);
        if (entry->kind == PAWL__ENTRY_LINK)
                out->target = pawl__arena_copy(&p->plan->arena, entry->target);
        return pawl__arena_check(&p->plan->arena, p->err);
}

/* The mode bits that may come of the target: none runs as somebody that did not before. What a new
 * directory has of its own is known when it is made. */
static uint32_t mode_mask(const planner *p, const pawl__change *change)
{
        if (p->rights->imported)
                return 01777;
        if (change->from && change->to && change->from->kind == change->to->kind)
                return 01777 | change->from->mode;
        return is(change->to, PAWL__ENTRY_DIRECTORY) ? 07777 : 01777;
}

static pawl_status add_step(planner *p, const pawl__change *change)
{
        pawl__plan *plan = p->plan;

        if (pawl__grow(&plan->steps, &plan->cap_steps, plan->n_steps + 1, sizeof *plan->steps))
                return pawl__nomem(p->err);
        pawl__plan_step *step = &plan->steps[plan->n_steps];
        pawl_status status = keep_path(&step->path, p, change->path);
        if (!status)
                status = keep_entry(&step->from, p, change->from);
        if (!status)
                status = keep_entry(&step->to, p, change->to);
        step->to.mode &= mode_mask(p, change);
        if (!status)
                plan->n_steps++;
        return status;
}

static pawl_status add_left(
        planner *p, pawl_text path, pawl__left_why why, pawl__skip skip, bool wanted)
{
        pawl__plan *plan = p->plan;

        if (p->n_going)
                p->going[p->n_going - 1].stays = true;
        if (pawl__grow(&plan->left, &plan->cap_left, plan->n_left + 1, sizeof *plan->left))
                return pawl__nomem(p->err);
        pawl__plan_left *left = &plan->left[plan->n_left];
        *left = (pawl__plan_left){.why = why, .skip = skip, .wanted = wanted};
        pawl_status status = keep_path(&left->path, p, path);
        if (!status)
                plan->n_left++;
        return status;
}

/* ---- Directories that go --------------------------------------------------------------------- */

/* The end of the directory at the top: it stays if something in it does, and its step is struck. */
static pawl_status leave_going(planner *p)
{
        going top = p->going[--p->n_going];
        pawl__plan_step *step = &p->plan->steps[top.step];
        bool wanted = step->to.kind != PAWL__ENTRY_NONE;

        if (!top.stays)
                return PAWL_OK;
        step->to = step->from; /* its entries go all the same, and it may need to be writable */
        return add_left(p, step->path, PAWL__LEFT_HOLDS, (pawl__skip)0, wanted);
}

static pawl_status leave_until(planner *p, pawl_text path)
{
        pawl_status status = PAWL_OK;

        while (!status && p->n_going &&
                !pawl__path_within(path, p->plan->steps[p->going[p->n_going - 1].step].path))
                status = leave_going(p);
        return status;
}

/* The step was added; what is in the directory comes next. */
static pawl_status enter_going(planner *p, const pawl__change *change)
{
        going top = {.step = p->plan->n_steps - 1};
        pawl_status status = p->world->holds_more(
                &top.stays, change->path, change->from->hash, p->world->user, p->err);

        if (!status && pawl__grow(&p->going, &p->cap_going, p->n_going + 1, sizeof *p->going))
                status = pawl__nomem(p->err);
        if (!status)
                p->going[p->n_going++] = top;
        return status;
}

/* The directory stays, and so does what is in it, but for what may be touched. */
static pawl_status enter_kept(planner *p, const pawl__change *change)
{
        TRY(add_step(p, change));
        TRY(enter_going(p, change));
        p->going[p->n_going - 1].stays = true;
        return PAWL_OK;
}

/* ---- Deciding ------------------------------------------------------------------------------- */

static bool has(const pawl__map *paths, pawl_text path)
{
        return paths && pawl__map_get(paths, path) != PAWL__MAP_NONE;
}

/* *why_not is 0 if it may be touched. */
static pawl_status may_touch(pawl__left_why *why_not, planner *p, const pawl__change *change)
{
        const pawl__plan_rights *rights = p->rights;
        bool recorded = false, removable = true;

        *why_not = (pawl__left_why)0;
        if (rights->clean || has(rights->also, change->path) ||
                (change->to && rights->target_recorded))
                return PAWL_OK;
        TRY(pawl__tracked_paths_has(&recorded, rights->recorded, change->path, p->err));
        if (!change->to && rights->removable)
                TRY(pawl__tracked_paths_has(&removable, rights->removable, change->path, p->err));
        if (!recorded || !removable)
                *why_not = recorded ? PAWL__LEFT_OTHERS : PAWL__LEFT_UNRECORDED;
        return PAWL_OK;
}

/* Left as it is, with all that is in it on either side. */
static pawl_status block(
        planner *p, const pawl__change *change, pawl__left_why why, pawl__skip skip)
{
        const bool gits = why == PAWL__LEFT_SKIPPED && skip == PAWL__SKIP_REPOSITORY;
        pawl_status status = add_left(p, change->path, why, skip, change->to && !gits);

        if (!status)
                p->blocked = p->plan->left[p->plan->n_left - 1].path;
        return status;
}

/* The target has it, and the tree of the workspace has nothing there. */
static pawl_status consider_added(planner *p, const pawl__change *change)
{
        bool directory = is(change->to, PAWL__ENTRY_DIRECTORY);
        char kind = 0;
        pawl_status status = PAWL_OK;

        if (!pawl__path_within(change->path, p->fresh))
                status = p->world->look(&kind, change->path, p->world->user, p->err);
        if (status || (kind == 'd' && directory))
                return status; /* an ignored directory; each entry is looked at by itself */
        if (kind)
                return block(p, change, PAWL__LEFT_IGNORED, (pawl__skip)0);
        status = add_step(p, change);
        if (!status && directory && !pawl__path_within(change->path, p->fresh))
                p->fresh = p->plan->steps[p->plan->n_steps - 1].path;
        return status;
}

static pawl_status consider_kind(planner *p, const pawl__change *change)
{
        pawl_status status = add_step(p, change);

        if (!status && is(change->to, PAWL__ENTRY_DIRECTORY))
                p->fresh = p->plan->steps[p->plan->n_steps - 1].path;
        if (!status && is(change->from, PAWL__ENTRY_DIRECTORY))
                status = enter_going(p, change);
        return status;
}

/* Are both alike, but for their modes? */
static bool alike(const pawl__entry *a, const pawl__entry *b)
{
        if (a->kind != b->kind)
                return false;
        return a->kind == PAWL__ENTRY_FILE   ? memcmp(a->hash, b->hash, sizeof a->hash) == 0
               : a->kind == PAWL__ENTRY_LINK ? pawl__text_eq(a->target, b->target)
                                             : true;
}

/* The step that is tried again, where something else is there than before, or after, it was tried
 * first. NULL: nothing else is. */
static const pawl__plan_step *changed_since(const planner *p, const pawl__change *change)
{
        const uint32_t at = p->rights->tried && change->from
                                    ? pawl__map_get(p->rights->also, change->path)
                                    : PAWL__MAP_NONE;
        const pawl__plan_step *tried = at == PAWL__MAP_NONE ? NULL : &p->rights->tried[at];

        return tried && !alike(change->from, &tried->from) && !alike(change->from, &tried->to)
                       ? tried
                       : NULL;
}

static pawl_status try_again(planner *p, const pawl__change *change, const pawl__plan_step *tried)
{
        const pawl__change again = {.path = change->path,
                .from = tried->from.kind ? &tried->from : NULL,
                .to = tried->to.kind ? &tried->to : NULL};

        TRY(add_step(p, &again));
        p->blocked = p->plan->steps[p->plan->n_steps - 1].path;
        if (p->n_going)
                p->going[p->n_going - 1].stays = true;
        return PAWL_OK;
}

/* Did the rollback that is undone make it, where nothing was? */
static bool was_made(const planner *p, pawl_text path)
{
        return p->plan->undo && p->rights->also && pawl__map_get(p->rights->also, path) == 1;
}

static pawl_status consider_known(planner *p, const pawl__change *change)
{
        const bool directory = is(change->from, PAWL__ENTRY_DIRECTORY);
        pawl__left_why why_not = PAWL__LEFT_IGNORED;
        bool ignored = false;

        if (!change->to && p->world->ignored_then && !was_made(p, change->path))
                TRY(p->world->ignored_then(
                        &ignored, change->path, directory, p->world->user, p->err));
        if (!ignored)
                TRY(may_touch(&why_not, p, change));
        if (why_not && !change->to && directory && p->rights->touched &&
                pawl__paths_below(p->rights->touched, change->path))
                return enter_kept(p, change);
        if (why_not)
                return block(p, change, why_not, (pawl__skip)0);
        switch (change->kind) {
        case PAWL__CHANGE_ADDED:
                return consider_added(p, change);
        case PAWL__CHANGE_REMOVED:
        case PAWL__CHANGE_KIND:
                return consider_kind(p, change);
        case PAWL__CHANGE_MODIFIED:
        case PAWL__CHANGE_MODE:
                return add_step(p, change);
        case PAWL__CHANGE_INSIDE:
                break;
        }
        return PAWL_OK;
}

/* Is the directory git's own? Then *is becomes true. */
static pawl_status look_for_git(bool *is, const planner *p, const unsigned char hash[32])
{
        pawl__buf encoded = PAWL__BUF_INIT;
        const pawl_status status =
                p->directories->get(&encoded, hash, p->directories->user, p->err);

        *is = *is || (!status && pawl__tree_is_git(pawl__buf_text(&encoded)));
        pawl__buf_free(&encoded);
        return status;
}

/* What pawl or git alone may write, which an earlier checkpoint may have captured. */
static pawl_status block_own(bool *blocked, planner *p, const pawl__change *change)
{
        *blocked = true;
        if (pawl__own_files_named(p->rights->own, change->path))
                return block(p, change, PAWL__LEFT_OWN, (pawl__skip)0);
        *blocked = p->git_root;
        if (is(change->to, PAWL__ENTRY_DIRECTORY))
                TRY(look_for_git(blocked, p, change->to->hash));
        return *blocked ? block(p, change, PAWL__LEFT_SKIPPED, PAWL__SKIP_REPOSITORY) : PAWL_OK;
}

/* A directory above the paths that are asked for: it comes where the target has it, and is only
 * written in where it is. */
static pawl_status consider_above(planner *p, const pawl__change *change)
{
        pawl__change same = *change;
        bool own;

        if (is(change->from, PAWL__ENTRY_SKIPPED))
                return block(p, change, PAWL__LEFT_SKIPPED, change->from->why);
        TRY(block_own(&own, p, change));
        if (own)
                return PAWL_OK;
        if (is(change->to, PAWL__ENTRY_DIRECTORY) && !is(change->from, PAWL__ENTRY_DIRECTORY))
                return consider_known(p, change);
        if (!is(change->from, PAWL__ENTRY_DIRECTORY) || (change->from->mode & 0300) == 0300)
                return PAWL_OK;
        same.to = same.from;
        return add_step(p, &same);
}

static pawl_status consider(const pawl__change *change, void *user, pawl_error *err)
{
        planner *p = user;
        bool own;
        pawl_status status = leave_until(p, change->path);

        (void)err;
        if (status || pawl__path_within(change->path, p->blocked))
                return status;
        const pawl__paths *paths = p->rights->paths;
        if (paths && !pawl__paths_have(paths, change->path)) {
                if (p->n_going) /* others put it into a directory that is to go */
                        p->going[p->n_going - 1].stays = true;
                return pawl__paths_below(paths, change->path) ? consider_above(p, change) : PAWL_OK;
        }
        const pawl__plan_step *tried = changed_since(p, change);
        if (tried)
                return try_again(p, change, tried);
        if (is(change->from, PAWL__ENTRY_SKIPPED))
                return block(p, change, PAWL__LEFT_SKIPPED, change->from->why);
        if (is(change->to, PAWL__ENTRY_SKIPPED))
                return block(p, change, PAWL__LEFT_NOT_CAPTURED, change->to->why);
        TRY(block_own(&own, p, change));
        if (own)
                return PAWL_OK;
        if (change->kind == PAWL__CHANGE_INSIDE) /* only to be written in */
                return (change->from->mode & 0300) == 0300 ? PAWL_OK : add_step(p, change);
        return consider_known(p, change);
}

/* ---- The whole ------------------------------------------------------------------------------ */

static int by_path(const void *a, const void *b)
{
        return pawl__path_cmp(
                ((const pawl__plan_left *)a)->path, ((const pawl__plan_left *)b)->path);
}

/* Is there nothing to be done? A directory that cannot be written in is to be, for a while. */
static bool is_idle(const pawl__plan_step *step)
{
        const pawl__entry *from = &step->from, *to = &step->to;

        if (from->kind != to->kind || from->mode != to->mode)
                return false;
        if (from->kind == PAWL__ENTRY_DIRECTORY)
                return (from->mode & 0300) == 0300;
        return from->kind == PAWL__ENTRY_FILE && memcmp(from->hash, to->hash, sizeof to->hash) == 0;
}

/* What is left alone was noted when a directory ended. */
static void put_in_order(pawl__plan *plan)
{
        size_t n = 0;

        for (size_t i = 0; i < plan->n_steps; i++) {
                if (!is_idle(&plan->steps[i]))
                        plan->steps[n++] = plan->steps[i];
        }
        plan->n_steps = n;
        if (plan->n_left)
                qsort(plan->left, plan->n_left, sizeof *plan->left, by_path);
}

pawl_status pawl__plan_make(pawl__plan *plan, const pawl__directories *directories,
        const pawl__plan_rights *rights, const pawl__world *world, pawl_error *err)
{
        planner p = {plan, rights, world, directories, .err = err};

        if (memcmp(plan->now, plan->target_tree, 32) == 0)
                return PAWL_OK;
        TRY(look_for_git(&p.git_root, &p, plan->now));
        TRY(look_for_git(&p.git_root, &p, plan->target_tree));
        pawl_status status =
                pawl__diff_trees(directories, plan->now, plan->target_tree, consider, &p, err);
        while (!status && p.n_going)
                status = leave_going(&p);
        free(p.going);
        if (!status)
                put_in_order(plan);
        return status;
}

pawl_status pawl__plan_leave(
        pawl__plan *plan, const pawl__plan_left *more, size_t n, pawl_error *err)
{
        planner p = {.plan = plan, .err = err};
        pawl__paths known = {.exact = false};
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < plan->n_left && !status; i++)
                status = pawl__paths_add(&known, plan->left[i].path, err);
        for (size_t i = 0; i < n && !status; i++) {
                if (pawl__paths_have(&known, more[i].path))
                        continue;
                status = add_left(&p, more[i].path, more[i].why, more[i].skip, false);
                if (!status)
                        status = pawl__paths_add(&known, more[i].path, err);
        }
        pawl__paths_free(&known);
        put_in_order(plan);
        return status;
}

void pawl__plan_free(pawl__plan *plan)
{
        free(plan->steps);
        free(plan->left);
        pawl__arena_free(&plan->arena);
        *plan = (pawl__plan)PAWL__PLAN_INIT;
}

const char *pawl__left_text(const pawl__plan_left *left)
{
        static const char *const now[] = {"not captured", "not captured: too large",
                "not captured: unreadable", "not captured: special file", "not captured: changing",
                "not captured: unreadable rules", "not captured: a repository's own",
                "not captured: no time was left", "not captured: a reserved name",
                "not captured: a fork's", "not captured: another work tree's"};
        static const char *const then[] = {"can't be brought back: not captured then",
                "can't be brought back: too large then", "can't be brought back: unreadable then",
                "can't be brought back: a special file", "can't be brought back: changing then",
                "can't be brought back: unreadable rules then",
                "can't be brought back: a repository's own",
                "can't be brought back: no time was left then",
                "can't be brought back: a reserved name", "can't be brought back: a fork's",
                "can't be brought back: another work tree's"};
        const size_t skip =
                (size_t)left->skip < sizeof now / sizeof now[0] ? (size_t)left->skip : 0;

        switch (left->why) {
        case PAWL__LEFT_UNRECORDED:
                return "no checkpoint recorded it";
        case PAWL__LEFT_OTHERS:
                return "not made by what is taken back";
        case PAWL__LEFT_IGNORED:
                return "ignored";
        case PAWL__LEFT_OWN:
                return "the log's own, or git's, which no rollback writes";
        case PAWL__LEFT_SKIPPED:
                return now[skip];
        case PAWL__LEFT_NOT_CAPTURED:
                return then[skip];
        case PAWL__LEFT_HOLDS:
                return "holds something that stays";
        }
        return "left alone";
}

/* Old automatic checkpoints go until the limits hold, oldest first. */
#include "workspace/retention.h"
#include "base/error.h"
#include "base/sources.h"
#include "events/log.h"
#include "workspace/prune_internal.h"
#include "workspace/store/sweep.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t DAY_US = INT64_C(86400000000);

bool pawl__retention_set(const pawl__retention *limits)
{
        return limits->days || limits->count || limits->bytes;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Undo walks back through the rollbacks that are done, and redo through the undos. */
pawl_status pawl__retention_ways(pruning *p)
{
        const pawl__page all = {0, 0};
        pawl__row *rows = NULL;
        size_t n = 0;

        p->n_ways = 0;
        TRY(pawl__state_rollbacks_page(&rows, &n, p->state, &all, &p->report->arena, p->err));
        p->ways = pawl__arena_array(&p->report->arena, n + 1, sizeof *p->ways);
        if (!p->ways)
                return pawl__nomem(p->err);
        for (size_t i = 0; i < n; i++)
                if (!pawl__text_is(rows[i].v[PAWL__RB_STATUS].text, "abandoned"))
                        p->ways[p->n_ways++] = rows[i].v[PAWL__RB_SAFETY].integer;
        return PAWL_OK;
}

/* What each of the candidates, oldest first, is the last to name. */
typedef struct weighing {
        const pawl__mark *marks;
        uint64_t *own; /* by candidate; behind them, what those that stay name */
} weighing;

static pawl_status weigh(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        const weighing *w = user;
        uint32_t owner;

        (void)size, (void)parts;
        if (pawl__mark_has(&owner, w->marks, hash))
                w->own[owner] += stored;
        return PAWL_OK;
}

/* What is damaged takes up what can be found of it. */
static pawl_status mark_row(pawl__mark *marks, const pruning *p, size_t row, size_t owner)
{
        pawl_error why = PAWL_ERROR_INIT;
        unsigned char tree[32];

        TRY(pawl__prune_tree(tree, p, &p->rows[row]));
        const pawl_status status = pawl__mark_add(marks, tree, (uint32_t)owner, &why);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return PAWL_OK;
        if (status)
                *p->err = why;
        return status;
}

static pawl_status weigh_all(
        weighing *w, pawl__mark *marks, const pruning *p, const size_t *candidates, size_t n)
{
        pawl__mark_first(marks);
        for (size_t i = 0; i < p->n_rows; i++)
                if (!p->rows[i].v[PAWL__WCP_PRUNED_SEQ].integer && p->stays[i])
                        TRY(mark_row(marks, p, i, n));
        for (size_t i = n; i-- > 0;)
                TRY(mark_row(marks, p, candidates[i], i));
        return pawl__contents_each(p->contents, weigh, w, p->err);
}

/* How many of the candidates go, so that what is left takes up no more than the limit. */
static pawl_status choose_bytes(size_t *going, pruning *p, const size_t *candidates, size_t n)
{
        weighing w = {.own = pawl__arena_array(&p->report->arena, n + 1, sizeof *w.own)};
        pawl__mark *marks = NULL;
        uint64_t stored = 0;

        if (!w.own)
                return pawl__nomem(p->err);
        memset(w.own, 0, (n + 1) * sizeof *w.own);
        TRY(pawl__mark_new(&marks, p->contents, p->err));
        w.marks = marks;
        const pawl_status status = weigh_all(&w, marks, p, candidates, n);
        pawl__mark_free(marks);
        for (size_t i = 0; i <= n; i++)
                stored += w.own[i];
        for (size_t i = 0; i < n && (i < *going || stored > p->retention->bytes); i++) {
                stored -= w.own[i];
                *going = i + 1 > *going ? i + 1 : *going;
        }
        return status;
}

static bool is_automatic(const pawl__row *row)
{
        return !row->v[PAWL__WCP_PRUNED_SEQ].integer &&
               !pawl__text_is(row->v[PAWL__WCP_TRIGGER].text, "manual");
}

pawl_status pawl__retention_choose(pruning *p)
{
        const pawl__retention *limits = p->retention;
        size_t *candidates =
                pawl__arena_array(&p->report->arena, p->n_rows + 1, sizeof *candidates);
        size_t n = 0, automatic = 0, going = 0;

        if (!candidates)
                return pawl__nomem(p->err);
        for (size_t i = 0; i < p->n_rows; i++) {
                automatic += is_automatic(&p->rows[i]);
                if (is_automatic(&p->rows[i]) && !p->stays[i])
                        candidates[n++] = i;
        }
        while (limits->days && going < n &&
                p->rows[candidates[going]].v[PAWL__WCP_CREATED_US].integer <
                        p->now_us - (int64_t)limits->days * DAY_US)
                going++;
        while (limits->count && going < n && automatic - going > limits->count)
                going++;
        if (limits->bytes && n > 0)
                TRY(choose_bytes(&going, p, candidates, n));
        for (size_t i = going; i < n; i++)
                p->stays[candidates[i]] = "within retention";
        return PAWL_OK;
}

/* ---- Applying -------------------------------------------------------------------------------- */

/* The log's files bound what checkpoints take up, and cost nothing to look at. */
static pawl_status is_larger(bool *larger, pawl_log *log, uint64_t bytes, pawl_error *err)
{
        uint64_t files = 0, free = 0;

        TRY(pawl__log_failed(log, pawl__log_space(&files, &free, log), err));
        *larger = files - free > bytes;
        return PAWL_OK;
}

static pawl_status prune_once(uint64_t *going, pawl__retained *out, pawl_log *log,
        const pawl__retention *limits, bool dry_run, const char *actor, pawl_error *err)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_workspace_prune_report *report = NULL;
        pruning p = {.options = &options,
                .retention = limits,
                .now_us = pawl__wall_us(log),
                .log = log,
                .err = err};

        options.dry_run = dry_run;
        options.actor = actor;
        TRY(pawl__prune(&report, &p));
        *going = report->going;
        out->checkpoints += report->going;
        out->bytes += report->bytes;
        pawl_workspace_prune_free(report);
        return PAWL_OK;
}

static pawl_status shrink(uint64_t *freed, pawl_log *log, uint64_t least, pawl_error *err)
{
        uint64_t files = 0, free = 0;

        TRY(pawl__log_failed(log, pawl__log_space(&files, &free, log), err));
        if (free < files / 4 || free < least)
                return PAWL_OK;
        return pawl__log_failed(log, pawl_log_shrink(freed, log), err);
}

pawl_status pawl__retention_apply(pawl__retained *out, pawl_log *log, const pawl__retention *limits,
        bool dry_run, const char *actor, pawl_error *err)
{
        enum { ROUNDS = 8 }; /* differences from what goes are made whole, which takes up more */
        pawl__retention now = *limits;
        pawl__retained done = {0, 0, 0};
        uint64_t going = 1;
        bool larger = false;

        for (int i = 0; i < ROUNDS && going; i++) {
                if (limits->bytes)
                        TRY(is_larger(&larger, log, limits->bytes, err));
                now.bytes = larger ? limits->bytes : 0;
                if (!pawl__retention_set(&now))
                        break;
                TRY(prune_once(&going, &done, log, &now, dry_run, actor, err));
                if (dry_run || !now.bytes)
                        break;
        }
        if (done.checkpoints && !dry_run)
                TRY(shrink(&done.freed, log, limits->shrink, err));
        *out = done;
        return PAWL_OK;
}

/* ---- Without a limit ------------------------------------------------------------------------- */

/* Once a day: a file beside the log says when it was looked at last. */
static bool is_due(const char *path, int64_t now_us)
{
        struct stat st;

        return stat(path, &st) != 0 || now_us / 1000000 - (int64_t)st.st_mtime >= 86400 ||
               now_us / 1000000 < (int64_t)st.st_mtime;
}

static pawl_status look(bool *warns, uint64_t *stored, pawl_log *log, uint64_t warn,
        const char *path, pawl_error *err)
{
        pawl_usage *usage = NULL;

        TRY(pawl_workspace_usage(&usage, log, err));
        *stored = usage->total.stored;
        pawl_usage_free(usage);
        *warns = *stored >= warn;
        const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0) {
                const struct timespec now = {.tv_sec = (time_t)(pawl__wall_us(log) / 1000000)};
                (void)futimens(fd, (const struct timespec[]){now, now});
                close(fd);
        }
        return PAWL_OK;
}

pawl_status pawl__retention_warns(bool *warns, uint64_t *stored, pawl_log *log,
        const pawl__retention *limits, pawl_error *err)
{
        const char *const place = pawl__log_place(log), *const slash = strrchr(place, '/');
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;
        bool larger = false;

        *warns = false;
        if (pawl__retention_set(limits))
                return PAWL_OK;
        TRY(is_larger(&larger, log, limits->warn - 1, err));
        if (!larger)
                return PAWL_OK;
        pawl__buf_add(&path, place, slash ? (size_t)(slash - place) + 1 : 0);
        if (pawl__buf_adds(&path, "retention.looked"))
                return pawl__nomem(err);
        if (is_due(path.data, pawl__wall_us(log)))
                status = look(warns, stored, log, limits->warn, path.data, err);
        pawl__buf_free(&path);
        return status;
}

/* Old automatic checkpoints go until the limits hold, oldest first: which they are. */
#include "base/digest.h"
#include "base/error.h"
#include "workspace/prune_internal.h"
#include "workspace/store/sweep.h"

static const int64_t DAY_US = INT64_C(86400000000);

pawl_status pawl__prune_tree(unsigned char tree[32], const pruning *p, const pawl__row *row)
{
        if (row->v[PAWL__WCP_TREE].text.data && pawl__unhex32(tree, row->v[PAWL__WCP_TREE].text))
                return PAWL_OK;
        return pawl__fail(p->err, PAWL_EDAMAGED,
                "checkpoint %lld: its tree is no hash; run `pawl init --rebuild`",
                (long long)row->v[PAWL__WCP_N].integer);
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

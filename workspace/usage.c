/* What checkpoints take up: each content once, and whose it is alone. */
#include "base/digest.h"
#include "base/error.h"
#include "state/state.h"
#include "workspace/store/mark.h"
#include "workspace/store/sweep.h"
#include "workspace/store/thread_values.h"
#include <pawl/space.h>
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct own_usage {
        pawl_usage shown;
        pawl__arena arena;
        pawl_workspace_checkpoint_usage *list;
} own_usage;

typedef struct counting {
        own_usage *usage;
        pawl__mark *reach;
} counting;

static pawl_status count(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        const counting *c = user;
        pawl_usage_totals *total = &c->usage->shown.total;
        uint32_t owner = PAWL__MARK_SHARED;

        (void)parts;
        if (!pawl__mark_is_chunk(c->reach, hash)) {
                total->contents++;
                total->bytes += size;
        }
        total->stored += stored;
        if (!pawl__mark_has(&owner, c->reach, hash)) {
                total->unnamed++;
                total->unnamed_stored += stored;
        } else if (owner != PAWL__MARK_SHARED) {
                c->usage->list[owner].own += stored;
        }
        return PAWL_OK;
}

/* A checkpoint that is damaged takes up what can be found of it. */
static pawl_status add_row(counting *c, const pawl__row *row, pawl_error *err)
{
        own_usage *usage = c->usage;
        pawl_workspace_checkpoint_usage *one = &usage->list[usage->shown.n];
        unsigned char tree[32];
        pawl_status status = PAWL_EDAMAGED;

        *one = (pawl_workspace_checkpoint_usage){.n = (uint64_t)row->v[PAWL__WCP_N].integer,
                .id = row->v[PAWL__WCP_ID].text,
                .files = (uint64_t)row->v[PAWL__WCP_FILES].integer,
                .bytes = (uint64_t)row->v[PAWL__WCP_BYTES].integer};
        if (row->v[PAWL__WCP_TREE].text.data && pawl__unhex32(tree, row->v[PAWL__WCP_TREE].text))
                status = pawl__mark_add(c->reach, tree, (uint32_t)usage->shown.n, err);
        one->damaged = status == PAWL_EDAMAGED || status == PAWL_ENOTFOUND;
        usage->shown.n++;
        return one->damaged ? PAWL_OK : status;
}

static pawl_status add_rows(counting *c, pawl_log *log, pawl_error *err)
{
        own_usage *usage = c->usage;
        pawl__state *state;
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__state_workspace_all(&rows, &n, state, &usage->arena, err);
        if (status)
                return status;
        usage->list = pawl__arena_array(&usage->arena, n + 1, sizeof *usage->list);
        if (!usage->list)
                return pawl__nomem(err);
        usage->shown.items = usage->list;
        for (size_t i = 0; i < n && !status; i++)
                if (rows[i].v[PAWL__WCP_PRUNED_SEQ].integer)
                        usage->shown.total.pruned++;
                else
                        status = add_row(c, &rows[i], err);
        usage->shown.total.checkpoints = usage->shown.n;
        return status;
}

static pawl_status add_hash(const unsigned char hash[32], void *user, pawl_error *err)
{
        return pawl__mark_content(((counting *)user)->reach, hash, PAWL__MARK_SHARED, err);
}

/* What threads hold is no checkpoint's own, and not unnamed. */
static pawl_status add_threads(counting *c, pawl_log *log, pawl_error *err)
{
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        return status ? status : pawl__thread_hashes_all(log, state, NULL, add_hash, c, err);
}

static pawl_status measure(own_usage *usage, pawl_log *log, pawl_error *err)
{
        counting c = {.usage = usage};
        pawl__contents *contents = NULL;
        pawl_status status = pawl__contents_open(&contents, log, err);

        if (!status)
                status = pawl__mark_new(&c.reach, contents, err);
        if (!status)
                status = add_rows(&c, log, err);
        if (!status)
                status = add_threads(&c, log, err);
        if (!status) {
                status = pawl__contents_each(contents, count, &c, err);
                if (!status)
                        status = pawl__log_failed(log,
                                pawl__log_space(
                                        &usage->shown.total.log, &usage->shown.total.free, log),
                                err);
        }
        pawl__mark_free(c.reach);
        pawl__contents_close(contents);
        return status;
}

pawl_status pawl_workspace_usage(pawl_usage **out, pawl_log *log, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        own_usage *usage = calloc(1, sizeof *usage);

        if (!usage)
                return pawl__nomem(err);
        pawl_status status = measure(usage, log, err);
        if (status)
                pawl_usage_free(&usage->shown);
        else
                *out = &usage->shown;
        return status;
}

void pawl_usage_free(pawl_usage *shown)
{
        own_usage *usage = (own_usage *)shown;

        if (!usage)
                return;
        pawl__arena_free(&usage->arena);
        free(usage);
}

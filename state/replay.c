#include "base/error.h"
#include "events/log.h"
#include "state/past.h"
#include "state/projection.h"
#include "state/run_range.h"

/* ---- The fold -------------------------------------------------------------------------------- */

struct folding {
        pawl__applier applier;
        uint64_t *head_seq;
        unsigned char *head_hash;
};

/* DIRTY_MAX: changed rows in memory, of a store in a file. */
enum { DIRTY_MAX = 1024 };

static pawl_status fold(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        struct folding *f = user;

        (void)type;
        *f->head_seq = event->seq;
        memcpy(f->head_hash, event->hash, 32);
        TRY(pawl__fold_event(&f->applier, event, err));
        return pawl__store_spill(f->applier.store, DIRTY_MAX, err);
}

/* All that is put into a store is put: what is got from now on is read where its rows are. */
static pawl_status end_puts(pawl__store *store, bool in_file, pawl_error *err)
{
        return in_file ? pawl__store_sql_flush(store, true, err) : PAWL_OK;
}

static pawl_status new_store(pawl__store **out, bool in_file, pawl_error *err)
{
        return in_file ? pawl__store_scratch(out, err) : pawl__store_memory(out, err);
}

static pawl_status fold_all(pawl__store *store, bool in_file, uint64_t *head_seq,
        unsigned char head_hash[32], pawl_log *log, uint64_t until, pawl_error *err)
{
        struct folding f = {{.store = store, .log = log, .judges = true, .past_rules = &pawl__past},
                head_seq, head_hash};

        *head_seq = 0;
        memset(head_hash, 0, 32);
        const pawl_status status = pawl__log_walk(log, 0, until, fold, &f, err);
        pawl__applier_free(&f.applier);
        return status ? status : end_puts(store, in_file, err);
}

/* ---- What a filter leaves -------------------------------------------------------------------- */

pawl_status pawl__checkpoint_complete(
        pawl__row *row, pawl_log *log, pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;

        if (row->v[PAWL__CP_RUN].text.data)
                return PAWL_OK;
        pawl__arena_clear(arena);
        TRY(pawl__log_failed(log,
                pawl__log_event(&event, arena, log, (uint64_t)row->v[PAWL__CP_SEQ].integer), err));
        pawl_status status =
                pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        row->v[PAWL__CP_RUN].text = event.run_id;
        row->v[PAWL__CP_STEP].text = event.step_id;
        for (int c = PAWL__CP_CURSOR; c <= PAWL__CP_STRICTNESS && !status; c++)
                row->v[c].text = pawl__arena_copy(
                        arena, pawl__json_get_text(
                                       &tree, 0, pawl__tables[PAWL__CHECKPOINTS].column[c].name));
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(arena, err);
}

struct filtering {
        pawl__store *from, *to;
        pawl_log *log;
        pawl__arena arena;
        const pawl__replay_filter *filter;
        pawl__table table;
};

static bool passes(pawl_text wanted, pawl_text is)
{
        return !wanted.data || pawl__text_eq(wanted, is);
}

static pawl_status has(
        bool *there, pawl__store *store, pawl__table table, pawl__row *key, pawl_error *err)
{
        pawl_status status = store->get(store, table, key, err);

        *there = status == PAWL_OK;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* A run passes by its mission and its id and, where a step is asked for, if it has that step. */
static pawl_status run_passes(
        bool *keep, const struct filtering *f, const pawl__row *run, pawl_error *err)
{
        *keep = passes(f->filter->mission_id, run->v[PAWL__RUN_MISSION].text) &&
                passes(f->filter->run_id, run->v[PAWL__RUN_ID].text);
        if (!*keep || !f->filter->step_id.data)
                return PAWL_OK;
        pawl__row step = {0};
        step.v[PAWL__STEP_RUN] = run->v[PAWL__RUN_ID];
        step.v[PAWL__STEP_ID].text = f->filter->step_id;
        return has(keep, f->from, PAWL__STEPS, &step, err);
}

/* What belongs to a run passes if that run did; runs come first. */
static pawl_status part_passes(
        bool *keep, const struct filtering *f, pawl_text run_id, pawl_text step_id, pawl_error *err)
{
        pawl__row run = {0};

        *keep = run_id.data && passes(f->filter->step_id, step_id);
        if (!*keep)
                return PAWL_OK;
        run.v[PAWL__RUN_ID].text = run_id;
        return has(keep, f->to, PAWL__RUNS, &run, err);
}

static pawl_status copy_if_passes(const pawl__row *row, void *user, pawl_error *err)
{
        struct filtering *f = user;
        const pawl__value *v = row->v;
        pawl__row whole;
        pawl_status status = PAWL_OK;
        bool keep = true; /* the glossary, whatever is asked for */

        switch (f->table) {
        case PAWL__RUNS:
                status = run_passes(&keep, f, row, err);
                break;
        case PAWL__STEPS:
                status = part_passes(&keep, f, v[PAWL__STEP_RUN].text, v[PAWL__STEP_ID].text, err);
                break;
        case PAWL__CHECKPOINTS:
                whole = *row;
                v = whole.v;
                TRY(pawl__checkpoint_complete(&whole, f->log, &f->arena, err));
                status = part_passes(&keep, f, v[PAWL__CP_RUN].text, v[PAWL__CP_STEP].text, err);
                break;
        case PAWL__CONFLICTS:
                status = part_passes(&keep, f, v[PAWL__CON_RUN].text, v[PAWL__CON_STEP].text, err);
                break;
        case PAWL__SESSIONS: /* of a mission alone: those that never had a run, too */
                keep = !f->filter->run_id.data && !f->filter->step_id.data &&
                       passes(f->filter->mission_id, v[PAWL__SES_MISSION].text);
                if (!keep)
                        status = part_passes(
                                &keep, f, v[PAWL__SES_RUN].text, f->filter->step_id, err);
                break;
        case PAWL__WORKSPACE:
                keep = !f->filter->run_id.data && !f->filter->step_id.data &&
                       passes(f->filter->mission_id, v[PAWL__WCP_MISSION].text);
                if (!keep)
                        status = part_passes(
                                &keep, f, v[PAWL__WCP_RUN].text, v[PAWL__WCP_STEP].text, err);
                break;
        case PAWL__ROLLBACKS: { /* with the checkpoint that they went to */
                pawl__row target = {.v[PAWL__WCP_N] = v[PAWL__RB_TARGET]};
                status = has(&keep, f->to, PAWL__WORKSPACE, &target, err);
                break;
        }
        case PAWL__SENSES:
        case PAWL__SCOPES:
        case PAWL__TABLES:
                break;
        }
        if (!status && keep)
                status = f->to->put(f->to, f->table, row, err);
        return status ? status : pawl__store_spill(f->to, DIRTY_MAX, err);
}

/* Rows that other runs' events change, too. */
static bool is_shared(pawl__table table)
{
        return table == PAWL__SENSES || table == PAWL__SCOPES || table == PAWL__WORKSPACE ||
               table == PAWL__ROLLBACKS;
}

/* @p shared: where those rows are; NULL: in *store, too. */
static pawl_status narrow(pawl__store **store, bool in_file, pawl__store *shared, pawl_log *log,
        const pawl__replay_filter *filter, pawl_error *err)
{
        struct filtering f = {.log = log, .filter = filter};
        pawl_status status = PAWL_OK;

        TRY(new_store(&f.to, in_file, err));
        for (int t = 0; t < PAWL__TABLES && status == PAWL_OK; t++) {
                f.table = (pawl__table)t;
                f.from = shared && is_shared(f.table) ? shared : *store;
                status = f.from->each(f.from, f.table, copy_if_passes, &f, err);
        }
        pawl__arena_free(&f.arena);
        if (!status)
                status = end_puts(f.to, in_file, err);
        if (status) {
                f.to->free(f.to);
                return status;
        }
        (*store)->free(*store);
        *store = f.to;
        return PAWL_OK;
}

/* ---- One run --------------------------------------------------------------------------------- */

/* Whether a run broke rules is judged by the events before, of any run. */
static pawl_status keeps_rules(bool *keeps, pawl__state *state, pawl_text run_id, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        const pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, &arena, err);

        *keeps = !pawl__run_illegal(&run) &&
                 run.v[PAWL__RUN_RULES].integer & (PAWL__RULES_JUDGED | PAWL__RULES_IMPORTED);
        pawl__arena_free(&arena);
        return status;
}

/* Its own events alone, where the tables know in which part of the log they are: what others change
 * as well, the glossary and the workspace, is taken from the tables. PAWL_DONE: all events must be
 * read. */
static pawl_status replay_run(pawl__store **out, uint64_t *head_seq, unsigned char head_hash[32],
        pawl_log *log, const pawl__replay_filter *filter, pawl_error *err)
{
        pawl__event_filter range;
        pawl__state *state;
        pawl__store *store, *tables = NULL;
        bool alone = false;

        TRY(pawl__run_range(&range, log, filter->run_id, err));
        TRY(pawl__state_of(&state, log, err));
        if (range.before && !filter->until)
                TRY(keeps_rules(&alone, state, filter->run_id, err));
        if (!alone)
                return PAWL_DONE;
        TRY(pawl__log_failed(log, pawl_log_head(head_seq, head_hash, log), err));
        TRY(pawl__store_memory(&store, err));
        pawl_status status = pawl__state_fold_run(
                store, state, filter->run_id, range.before - 1, NULL, NULL, err);
        if (!status)
                status = pawl__store_sql(&tables, log, err);
        if (!status)
                status = narrow(&store, false, tables, log, filter, err);
        if (tables)
                tables->free(tables);
        if (status)
                store->free(store);
        else
                *out = store;
        return status;
}

pawl_status pawl__replay(pawl__store **out, uint64_t *head_seq, unsigned char head_hash[32],
        pawl_log *log, const pawl__replay_filter *filter, pawl_error *err)
{
        return pawl__replay_within(
                PAWL__EVENTS_IN_MEMORY, out, head_seq, head_hash, log, filter, err);
}

pawl_status pawl__replay_within(uint64_t events, pawl__store **out, uint64_t *head_seq,
        unsigned char head_hash[32], pawl_log *log, const pawl__replay_filter *filter,
        pawl_error *err)
{
        static const pawl__replay_filter everything = {.until = 0};
        pawl__store *store = NULL;
        uint64_t seq = 0;
        unsigned char hash[32];

        if (!filter)
                filter = &everything;
        pawl_status status = PAWL_DONE;
        if (filter->run_id.data)
                status = replay_run(out, head_seq, head_hash, log, filter, err);
        if (status != PAWL_DONE)
                return status;
        TRY(pawl__log_failed(log, pawl_log_head(&seq, hash, log), err));
        const uint64_t until = filter->until ? filter->until : UINT64_MAX;
        const bool in_file = (seq < until ? seq : until) > events;
        TRY(new_store(&store, in_file, err));
        status = fold_all(store, in_file, &seq, hash, log, until, err);
        if (status == PAWL_OK &&
                (filter->mission_id.data || filter->run_id.data || filter->step_id.data))
                status = narrow(&store, in_file, NULL, log, filter, err);
        if (status) {
                store->free(store);
                return status;
        }
        *out = store;
        *head_seq = seq;
        memcpy(head_hash, hash, 32);
        return PAWL_OK;
}

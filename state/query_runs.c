/*
 * Runs and conflicts, newest first by the event they started with: an order that stays as it is
 * while runs go on, so that a listing can be read page by page.
 *
 * Unfinished runs have an index in that order. For the others there are two ways: to walk the log
 * back from the start of the page, which is fast if runs have few events; or to scan the table of
 * runs, which is fast if there are few runs. The cheaper one is chosen, by the
 * average number of events of a run; a walk that has found no full page after WALK events falls
 * back to the scan.
 */
#include "base/error.h"
#include "events/log.h"
#include "state/projection.h"

/* Events of a walk, at most: 6 ms. Runs that are counted, at most: more are many. A row of the
 * table costs so many events of a walk. */
enum { WALK = 16384, COUNTED = 2048, ROW = 3 };

/* ?1 and ?2: started before and not before; ?3: how many. */
#define FROM_EVENTS                                                                                 \
        "FROM (SELECT seq AS walked_seq, type AS walked_type, run_id AS walked_run FROM {events}) " \
        "AS walked {CROSS JOIN} {runs} ON runs.run_id = walked_run AND started_seq = walked_seq "   \
        "WHERE walked_seq < ?1 AND walked_seq >= ?2 "                                               \
        "AND walked_type IN ('RunStarted', 'RunSubmitted', 'RunClaimed', "                          \
        "'ThreadCheckpointed', 'ThreadWritesPut') "
#define FROM_RUNS "FROM {runs} WHERE started_seq < ?1 AND started_seq >= ?2 "

static pawl_status read_rows(pawl__row **rows, size_t *n, pawl__state *state, pawl__table table,
        const char *rest, const int64_t numbers[3], pawl__arena *arena, pawl_error *err)
{
        pawl__query *query;
        pawl_status status = pawl__query_cached(&query, state, table, rest, err);

        if (status)
                return status;
        pawl__query_bind(query, "iii", numbers[0], numbers[1], numbers[2]);
        return pawl__sql_collect(rows, n, state->log, table, query, arena, err);
}

/* Is it cheaper to scan the table than to walk to a page of so many runs? */
static pawl_status prefer_table(
        bool *yes, pawl__state *state, uint64_t head, int64_t limit, pawl_error *err)
{
        static const char count[] =
                "SELECT count(*) FROM (SELECT 1 FROM {runs} LIMIT ?1) AS counted";
        pawl_status status = pawl__log_interrupted(state->log, err);

        if (!status && !state->count_runs)
                status = pawl__query_prepare(&state->count_runs, state->log, count, err);
        if (status)
                return status;
        pawl__query_bind(state->count_runs, "i", (int64_t)COUNTED);
        status = pawl__query_step(state->count_runs, PAWL__READING, err);
        const double runs = status ? 0 : (double)pawl__query_integer(state->count_runs, 0);
        pawl__query_reset(state->count_runs);
        if (status)
                return status;
        *yes = runs < (double)COUNTED && (double)limit * (double)head > (double)ROW * runs * runs;
        return PAWL_OK;
}

pawl_status pawl__state_runs(pawl__row **rows, size_t *n, pawl__state *state,
        pawl__runs_which which, uint64_t before, size_t limit, pawl__arena *arena, pawl_error *err)
{
        /* The condition of those at work is that of the index runs_unfinished. */
        static const char *const walked[] = {
                [PAWL__RUNS_ALL] = FROM_EVENTS "ORDER BY walked_seq DESC LIMIT ?3",
                [PAWL__RUNS_COMPLETED] =
                        FROM_EVENTS "AND status = 'completed' ORDER BY walked_seq DESC LIMIT ?3",
        };
        static const char *const scanned[] = {
                [PAWL__RUNS_ALL] = FROM_RUNS "ORDER BY started_seq DESC LIMIT ?3",
                [PAWL__RUNS_COMPLETED] =
                        FROM_RUNS "AND status = 'completed' ORDER BY started_seq DESC LIMIT ?3",
                [PAWL__RUNS_UNFINISHED] =
                        FROM_RUNS "AND status <> 'completed' ORDER BY started_seq DESC LIMIT ?3",
        };
        int64_t many = limit && limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
        int64_t numbers[3] = {before && before < INT64_MAX ? (int64_t)before : INT64_MAX, 0, many};
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status;
        bool table = false;
        uint64_t head;

        if (which == PAWL__RUNS_UNFINISHED || many == INT64_MAX)
                return read_rows(rows, n, state, PAWL__RUNS, scanned[which], numbers, arena, err);
        status = pawl_log_head(&head, hash, state->log);
        if (status)
                return pawl__log_failed(state->log, status, err);
        status = prefer_table(&table, state, head, many, err);
        if (status)
                return status;
        if (table)
                return read_rows(rows, n, state, PAWL__RUNS, scanned[which], numbers, arena, err);
        if (numbers[0] > (int64_t)head)
                numbers[0] = (int64_t)head + 1;
        numbers[1] = numbers[0] > WALK ? numbers[0] - WALK : 0;
        pawl__row *found = NULL;
        size_t count = 0;
        status = read_rows(&found, &count, state, PAWL__RUNS, walked[which], numbers, arena, err);
        if (!status && count < limit && numbers[1] > 0) {
                numbers[1] = 0;
                status = read_rows(
                        &found, &count, state, PAWL__RUNS, scanned[which], numbers, arena, err);
        }
        if (!status) {
                *rows = found;
                *n = count;
        }
        return status;
}

pawl_status pawl__state_completed_since(
        bool *yes, pawl__state *state, const pawl__row *step, int64_t seq, pawl_error *err)
{
        pawl__query *query = NULL;

        TRY(pawl__query_prepare(&query, state->log,
                "SELECT 1 FROM (SELECT MAX(ended_seq) AS ended FROM {rollbacks}) AS back "
                "{CROSS JOIN} {events} ON seq < ended WHERE ended > ?1 AND seq > ?1 AND run_id = "
                "?2 AND step_id = ?3 AND type = 'StepCompleted' LIMIT 1",
                err));
        pawl__query_bind(
                query, "itt", seq, step->v[PAWL__STEP_RUN].text, step->v[PAWL__STEP_ID].text);
        const pawl_status status = pawl__query_step(query, PAWL__READING, err);
        pawl__query_finalize(query);
        if (status && status != PAWL_DONE)
                return status;
        *yes = status == PAWL_OK;
        return PAWL_OK;
}

/* ?1 and ?2: requested before and not before; ?3: how many. A conflict is found by the index of its
 * step. */
#define FROM_REQUESTS                                                                              \
        "FROM (SELECT seq AS walked_seq, type AS walked_type, run_id AS walked_run, "              \
        "step_id AS walked_step FROM {events}) AS walked {CROSS JOIN} {conflicts} "                \
        "ON conflicts.run_id = walked_run AND conflicts.step_id = walked_step "                    \
        "AND conflicts.seq = walked_seq WHERE walked_seq < ?1 AND walked_seq >= ?2 "               \
        "AND walked_type = 'GlossaryClarificationRequested' ORDER BY walked_seq DESC LIMIT ?3"

pawl_status pawl__state_conflicts_page(pawl__row **rows, size_t *n, pawl__state *state,
        bool open_only, const pawl__page *page, pawl__arena *arena, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        pawl__row *found = NULL;
        size_t count = 0;
        uint64_t head;
        pawl_status status;

        if (page->limit && !open_only) {
                status = pawl_log_head(&head, hash, state->log);
                if (status)
                        return pawl__log_failed(state->log, status, err);
                const int64_t end =
                        (int64_t)(page->before && page->before <= head ? page->before : head + 1);
                const int64_t numbers[3] = {end, end > WALK ? end - WALK : 0, (int64_t)page->limit};
                status = read_rows(
                        &found, &count, state, PAWL__CONFLICTS, FROM_REQUESTS, numbers, arena, err);
                if (status || count == page->limit) {
                        *rows = found;
                        *n = count;
                        return status;
                }
        }
        return pawl__query_page(rows, n, state, PAWL__CONFLICTS,
                open_only ? "FROM {conflicts} WHERE " PAWL__CONFLICT_BLOCKS
                            " AND seq < ?1 ORDER BY seq DESC LIMIT ?2"
                          : "FROM {conflicts} WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2",
                page, NULL, 0, arena, err);
}

/* Conflicts that hold a run back are those of pawl__state_conflicts(). */
pawl_status pawl__state_in_line(pawl__row **rows, size_t *n, pawl__state *state, size_t limit,
        pawl__arena *arena, pawl_error *err)
{
        static const char rest[] =
                "FROM (SELECT runs.*, row_number() OVER"
                " (PARTITION BY mission_id ORDER BY started_seq) AS turn FROM {runs}"
                " WHERE substr(mission_path, 1, 1) <> '/' AND (status IN ('queued', 'interrupted')"
                " OR (status = 'blocked' AND NOT EXISTS (SELECT 1 FROM {conflicts}"
                " WHERE conflicts.run_id = runs.run_id AND " PAWL__CONFLICT_BLOCKS ")))) AS runs"
                " ORDER BY turn, (SELECT coalesce(max(seq), 0) FROM {sessions}"
                " WHERE sessions.mission_id = runs.mission_id), started_seq LIMIT ?3";
        static const pawl_text none[2] = {{NULL, 0}, {NULL, 0}};

        return pawl__query_rows(rows, n, state, PAWL__RUNS, rest, none, (int64_t)limit, arena, err);
}

#include "state/sql.h"
#include "support/history.h"
#include "support/sweep.h"
#include <malloc.h>

/* The two stores side by side: each test puts both through the same. */
struct stores {
        struct history *h;
        pawl__store *memory, *sql;
        pawl_error err;
};

static int setup(void **state)
{
        struct stores *s = test_alloc(sizeof *s);

        history_setup((void **)&s->h);
        assert_ok(pawl__store_memory(&s->memory, &s->err));
        assert_ok(pawl__store_sql(&s->sql, s->h->log, &s->err));
        *state = s;
        return 0;
}

static int teardown(void **state)
{
        struct stores *s = *state;

        s->memory->free(s->memory);
        s->sql->free(s->sql);
        history_teardown((void **)&s->h);
        return 0;
}

#define ON_STORES(name) UNIT_TEST_WITH(name, struct stores *s, setup, teardown)

static pawl__row run_row(const char *id, const char *status, const char *reason, int64_t seq)
{
        pawl__row row = {0};

        row.v[PAWL__RUN_ID].text = pawl__text(id);
        row.v[PAWL__RUN_STATUS].text = pawl__text(status);
        row.v[PAWL__RUN_REASON].text = pawl__text(reason);
        row.v[PAWL__RUN_STARTED_SEQ].integer = seq;
        return row;
}

static pawl__row sense_row(const char *mission, const char *scope, const char *normal)
{
        pawl__row row = {0};

        row.v[PAWL__SENSE_MISSION].text = pawl__text(mission);
        row.v[PAWL__SENSE_SCOPE].text = pawl__text(scope);
        row.v[PAWL__SENSE_VERSION].text = pawl__text("");
        row.v[PAWL__SENSE_NORMAL].text = pawl__text(normal);
        row.v[PAWL__SENSE_IDENTITY].text = pawl__text("");
        row.v[PAWL__SENSE_CONFIDENCE].real = 0.1;
        return row;
}

static void put(struct stores *s, pawl__store *store, pawl__table table, pawl__row row)
{
        assert_ok(store->put(store, table, &row, &s->err));
}

static pawl__row get_run(struct stores *s, pawl__store *store, const char *id)
{
        pawl__row row = run_row(id, NULL, NULL, 0);

        assert_ok(store->get(store, PAWL__RUNS, &row, &s->err));
        return row;
}

/* Run a check over the store in memory, the one in SQL, and that one while it keeps rows back. */
static void on_all(struct stores *s, void (*check)(struct stores *, pawl__store *))
{
        check(s, s->memory);
        check(s, s->sql);
        history_sql(s->h, "DELETE FROM runs; DELETE FROM senses");
        pawl__store_sql_begin(s->sql, false);
        check(s, s->sql);
        pawl__store_sql_abandon(s->sql);
}

static void absent_rows(struct stores *s, pawl__store *store)
{
        pawl__row row = run_row("none", "kept", NULL, 7);

        s->err = (pawl_error)PAWL_ERROR_INIT;
        assert_int_equal(store->get(store, PAWL__RUNS, &row, &s->err), PAWL_ENOTFOUND);
        assert_string_equal(s->err.message, "");
        assert_text(row.v[PAWL__RUN_STATUS].text, "kept");
        assert_int_equal(row.v[PAWL__RUN_STARTED_SEQ].integer, 7);
}

ON_STORES(a_row_that_is_not_there_is_not_found_and_says_nothing)
{
        on_all(s, absent_rows);
}

static void put_and_get(struct stores *s, pawl__store *store)
{
        put(s, store, PAWL__RUNS, run_row("a", "running", NULL, 3));
        put(s, store, PAWL__RUNS, run_row("b", "blocked", "", 4));

        pawl__row a = get_run(s, store, "a");
        assert_text(a.v[PAWL__RUN_STATUS].text, "running");
        assert_null(a.v[PAWL__RUN_REASON].text.data);
        assert_int_equal(a.v[PAWL__RUN_STARTED_SEQ].integer, 3);
        pawl__row b = get_run(s, store, "b");
        assert_text(b.v[PAWL__RUN_STATUS].text, "blocked");
        assert_non_null(b.v[PAWL__RUN_REASON].text.data); /* empty is not absent */
        assert_int_equal(b.v[PAWL__RUN_REASON].text.len, 0);
}

ON_STORES(a_row_that_was_put_is_got)
{
        on_all(s, put_and_get);
}

static void put_over(struct stores *s, pawl__store *store)
{
        static const char *const texts[] = {
                "running", "blocked", "x", "", NULL, "", "interrupted", NULL, "failed"};

        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
                put(s, store, PAWL__RUNS, run_row("a", "kept", texts[i], (int64_t)i));
                put(s, store, PAWL__RUNS, run_row("other", texts[i], "kept", (int64_t)i));
                pawl__row a = get_run(s, store, "a");
                assert_text(a.v[PAWL__RUN_REASON].text, texts[i]);
                assert_text(a.v[PAWL__RUN_STATUS].text, "kept");
                assert_int_equal(a.v[PAWL__RUN_STARTED_SEQ].integer, i);
                pawl__row other = get_run(s, store, "other");
                assert_text(other.v[PAWL__RUN_STATUS].text, texts[i]);
                assert_text(other.v[PAWL__RUN_REASON].text, "kept");
        }
}

ON_STORES(a_row_is_put_over_the_former_one_whatever_its_lengths)
{
        on_all(s, put_over);
}

/* A row that was got, changed and put again: its own texts stand in the store. */
static void change(struct stores *s, pawl__store *store)
{
        put(s, store, PAWL__RUNS, run_row("a", "running", "because", 1));
        pawl__row a = get_run(s, store, "a");
        a.v[PAWL__RUN_STATUS].text = pawl__text("ok");
        put(s, store, PAWL__RUNS, a);
        a = get_run(s, store, "a");
        assert_text(a.v[PAWL__RUN_ID].text, "a");
        assert_text(a.v[PAWL__RUN_STATUS].text, "ok");
        assert_text(a.v[PAWL__RUN_REASON].text, "because");
}

ON_STORES(a_row_that_was_got_can_be_changed_and_put)
{
        on_all(s, change);
}

/* Keys of several columns whose texts, one after the other, are the same. */
static void similar_keys(struct stores *s, pawl__store *store)
{
        put(s, store, PAWL__SENSES, sense_row("ab", "c", "d"));
        put(s, store, PAWL__SENSES, sense_row("a", "bc", "d"));
        pawl__row row = sense_row("a", "b", "cd");
        assert_int_equal(store->get(store, PAWL__SENSES, &row, &s->err), PAWL_ENOTFOUND);
        row = sense_row("a", "bc", "d");
        row.v[PAWL__SENSE_CONFIDENCE].real = 0;
        assert_ok(store->get(store, PAWL__SENSES, &row, &s->err));
        assert_true(row.v[PAWL__SENSE_CONFIDENCE].real == 0.1);
}

ON_STORES(keys_of_several_columns_are_kept_apart)
{
        on_all(s, similar_keys);
}

struct listing {
        char ids[256];
        int stop_after;
};

static pawl_status list_id(const pawl__row *row, void *user, pawl_error *err)
{
        struct listing *l = user;
        size_t len = strlen(l->ids);

        snprintf(l->ids + len, sizeof l->ids - len, "%.*s ", (int)row->v[0].text.len,
                row->v[0].text.data);
        if (--l->stop_after == 0) {
                snprintf(err->message, sizeof err->message, "enough");
                return PAWL_ESTATE;
        }
        return PAWL_OK;
}

static void list(struct stores *s, pawl__store *store)
{
        struct listing all = {"", 0}, two = {"", 2};

        put(s, store, PAWL__RUNS, run_row("d", NULL, NULL, 9));
        put(s, store, PAWL__RUNS, run_row("b", NULL, NULL, 5));
        put(s, store, PAWL__RUNS, run_row("a", NULL, NULL, 5));
        put(s, store, PAWL__RUNS, run_row("c", NULL, NULL, 1));
        put(s, store, PAWL__RUNS, run_row("d", NULL, NULL, 2)); /* moved */
        if (store == s->sql)
                assert_ok(pawl__store_sql_flush(store, false, &s->err));
        assert_ok(store->each(store, PAWL__RUNS, list_id, &all, &s->err));
        assert_string_equal(all.ids, "c d a b ");
        assert_int_equal(store->each(store, PAWL__RUNS, list_id, &two, &s->err), PAWL_ESTATE);
        assert_string_equal(two.ids, "c d ");
        assert_string_equal(s->err.message, "enough");
}

ON_STORES(rows_are_listed_in_order_and_a_failure_ends_it)
{
        on_all(s, list);
}

ON_STORES(what_is_kept_back_is_written_by_a_flush_alone)
{
        pawl__store_sql_begin(s->sql, false);
        put(s, s->sql, PAWL__RUNS, run_row("a", "running", NULL, 1));
        put(s, s->sql, PAWL__RUNS, run_row("a", "blocked", NULL, 1));
        put(s, s->sql, PAWL__RUNS, run_row("b", "running", NULL, 2));
        assert_int_equal(pawl__store_sql_dirty(s->sql), 2);
        assert_int_equal(history_count(s->h, "runs"), 0);
        assert_ok(pawl__store_sql_flush(s->sql, true, &s->err));
        assert_int_equal(pawl__store_sql_dirty(s->sql), 0);
        assert_int_equal(history_count(s->h, "runs WHERE status = 'blocked'"), 1);
        assert_int_equal(history_count(s->h, "runs"), 2);
}

ON_STORES(what_is_abandoned_is_forgotten)
{
        pawl__row row = run_row("a", NULL, NULL, 0);

        pawl__store_sql_begin(s->sql, false);
        put(s, s->sql, PAWL__RUNS, run_row("a", "running", NULL, 1));
        pawl__store_sql_abandon(s->sql);
        assert_int_equal(pawl__store_sql_dirty(s->sql), 0);
        assert_int_equal(s->sql->get(s->sql, PAWL__RUNS, &row, &s->err), PAWL_ENOTFOUND);
        pawl__store_sql_begin(s->sql, false);
        assert_int_equal(s->sql->get(s->sql, PAWL__RUNS, &row, &s->err), PAWL_ENOTFOUND);
        assert_ok(pawl__store_sql_flush(s->sql, true, &s->err));
        assert_int_equal(history_count(s->h, "runs"), 0);
}

/* Others may write between two transactions: nothing that was read in the first is still believed.
 */
ON_STORES(rows_are_read_anew_in_each_transaction)
{
        put(s, s->sql, PAWL__RUNS, run_row("a", "running", NULL, 1));
        pawl__store_sql_begin(s->sql, false);
        get_run(s, s->sql, "a");
        assert_ok(pawl__store_sql_flush(s->sql, true, &s->err));
        history_sql(s->h, "UPDATE runs SET status = 'blocked'");
        pawl__store_sql_begin(s->sql, false);
        assert_text(get_run(s, s->sql, "a").v[PAWL__RUN_STATUS].text, "blocked");
        pawl__store_sql_abandon(s->sql);
        assert_text(get_run(s, s->sql, "a").v[PAWL__RUN_STATUS].text, "blocked");
}

/* An engine whose rows are dear keeps them as long as nobody else writes, and none that was undone.
 */
ON_STORES(what_is_kept_is_read_once)
{
        put(s, s->sql, PAWL__RUNS, run_row("a", "running", NULL, 1));
        pawl__store_sql_begin(s->sql, false);
        get_run(s, s->sql, "a");
        put(s, s->sql, PAWL__RUNS, run_row("b", "running", NULL, 2));
        assert_ok(pawl__store_sql_flush(s->sql, true, &s->err));
        history_sql(s->h, "UPDATE runs SET status = 'blocked'");
        assert_text(get_run(s, s->sql, "a").v[PAWL__RUN_STATUS].text, "blocked");
        pawl__store_sql_begin(s->sql, true);
        assert_int_equal(pawl__store_sql_dirty(s->sql), 0);
        assert_text(get_run(s, s->sql, "a").v[PAWL__RUN_STATUS].text, "running");
        assert_text(get_run(s, s->sql, "b").v[PAWL__RUN_STATUS].text, "running");
        put(s, s->sql, PAWL__RUNS, run_row("a", "failed", NULL, 1));
        pawl__store_sql_abandon(s->sql);
        pawl__store_sql_begin(s->sql, true);
        assert_text(get_run(s, s->sql, "a").v[PAWL__RUN_STATUS].text, "blocked");
        pawl__store_sql_abandon(s->sql);
}

ON_STORES(columns_that_are_not_stored_are_kept_in_memory_alone)
{
        pawl__row row = {0};

        row.v[PAWL__CP_TOKEN].text = pawl__text(TOKEN(1));
        row.v[PAWL__CP_SEQ].integer = 4;
        row.v[PAWL__CP_CURSOR].text = pawl__text("post_gate");
        put(s, s->memory, PAWL__CHECKPOINTS, row);
        put(s, s->sql, PAWL__CHECKPOINTS, row);
        assert_ok(s->memory->get(s->memory, PAWL__CHECKPOINTS, &row, &s->err));
        assert_text(row.v[PAWL__CP_CURSOR].text, "post_gate");
        row.v[PAWL__CP_TOKEN].text = pawl__text(TOKEN(1));
        assert_ok(s->sql->get(s->sql, PAWL__CHECKPOINTS, &row, &s->err));
        assert_int_equal(row.v[PAWL__CP_SEQ].integer, 4);
        assert_null(row.v[PAWL__CP_CURSOR].text.data);
}

enum { ROWS = 70, CALLS_MAX = 2000 };

static pawl_status put_rows(struct stores *s, pawl__store *store)
{
        pawl_status status = PAWL_OK;
        char id[8];

        pawl__store_sql_begin(store, false);
        for (int i = 0; i < ROWS && !status; i++) {
                snprintf(id, sizeof id, "%d", i);
                pawl__row row = run_row(id, "running", NULL, i + 1);
                status = store->put(store, PAWL__RUNS, &row, &s->err);
        }
        return status;
}

/* Memory that ran out at any put: once there is some again, every row that is put gets there. */
ON_STORES(rows_after_a_lack_of_memory_are_written)
{
        (void)mallopt(M_PERTURB, 0x55); /* what was not written is not 0 */
        for (sweep w = {.once = true, .keeps = true}; sweep_next(&w);) {
                pawl__store *store = NULL;
                assert_ok(pawl__store_sql(&store, s->h->log, &s->err));
                sweep_arm(&w);
                (void)sweep_done(&w, put_rows(s, store), NULL);
                pawl__store_sql_abandon(store);
                assert_ok(put_rows(s, store));
                assert_int_equal(pawl__store_sql_dirty(store), ROWS);
                store->free(store);
        }
        (void)mallopt(M_PERTURB, 0);
}

/* A statement that stands on a row holds a snapshot, and the next writer of it would be refused. */
ON_STORES(a_get_leaves_no_transaction_open)
{
        put(s, s->sql, PAWL__RUNS, run_row("a", "running", NULL, 1));
        get_run(s, s->sql, "a");
        history_sql(s->h, "UPDATE runs SET status = 'blocked'");
        put(s, s->sql, PAWL__RUNS, run_row("a", "failed", NULL, 1));
        assert_text(get_run(s, s->sql, "a").v[PAWL__RUN_STATUS].text, "failed");
}

ON_STORES(a_table_that_is_missing_is_reported)
{
        pawl__row row = run_row("a", "kept", NULL, 0);
        struct listing listing = {"", 0};

        history_sql(s->h, "DROP TABLE runs");
        assert_int_equal(s->sql->get(s->sql, PAWL__RUNS, &row, &s->err), PAWL_EDAMAGED);
        assert_says(s->err.message, "no such table: runs");
        assert_text(row.v[PAWL__RUN_STATUS].text, "kept");
        assert_int_equal(s->sql->put(s->sql, PAWL__RUNS, &row, &s->err), PAWL_EDAMAGED);
        assert_int_equal(
                s->sql->each(s->sql, PAWL__RUNS, list_id, &listing, &s->err), PAWL_EDAMAGED);
        assert_string_equal(listing.ids, "");
}

/* Needs PAWL_WITH_POSTGRES. */
/* Rows that are written one behind the other go many to a statement, and are what they are one by
 * one; and what they hold may be a text that the server cannot. */
#include "events/postgres/server.h"
#include "state/state.h"
#include "support/event_log.h"

enum { MANY = 1500, FEW = 8 };

static const pawl__postgres_library *real;
static pawl__postgres_library counting;
static int sent;

static int count_sent(PGconn *conn, const char *name, int n, const char *const *values,
        const int *lengths, const int *formats, int format)
{
        sent++;
        return real->PQsendQueryPrepared(conn, name, n, values, lengths, formats, format);
}

static void begin(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__log_write_begin(f->log, &err));
}

static pawl__query *prepare(event_log *f, const char *sql)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__query *query = NULL;

        if (pawl__query_prepare(&query, f->log, sql, &err))
                fail_msg("%s", err.message);
        return query;
}

static pawl__query *putter(event_log *f)
{
        return prepare(f,
                "INSERT INTO {=rollbacks} ({log_id,}seq, target, safety, undo, tree, ended_seq) "
                "VALUES ({log,}?1, ?2, ?3, 0, ?4, 0) ON CONFLICT ({log_id,}seq) DO UPDATE SET "
                "target = excluded.target, tree = excluded.tree");
}

static void put(pawl__query *query, int64_t seq, int64_t target, const char *tree)
{
        pawl__query_bind(query, "iiit", seq, target, (int64_t)0, pawl__text(tree));
        assert_ok(pawl__query_run(query, NULL, "test", NULL));
}

static int64_t ask(event_log *f, const char *sql)
{
        pawl__query *query = prepare(f, sql);

        assert_ok(pawl__query_step(query, "test", NULL));
        const int64_t answer = pawl__query_integer(query, 0);
        pawl__query_finalize(query);
        return answer;
}

OPEN_LOG_TEST(many_rows_are_few_statements)
{
        pawl_error err = PAWL_ERROR_INIT;

        begin(f);
        pawl__query *query = putter(f);
        real = f->log->server->pq;
        counting = *real;
        counting.PQsendQueryPrepared = count_sent;
        f->log->server->pq = &counting;
        for (int i = 1; i <= MANY; i++)
                put(query, i, i, i % 3 ? i % 2 ? "odd\xee\x80\x80" : "" : NULL);
        assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks}"), MANY);
        assert_in_range(sent, 1, MANY / 50);
        f->log->server->pq = real;
        assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks} WHERE tree IS NULL"), MANY / 3);
        assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks} WHERE tree = ''"), MANY / 3);
        assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks} WHERE target <> seq"), 0);
        pawl__query_finalize(query);
        assert_ok(pawl__log_write_end(f->log, PAWL_OK, &err));
        assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks}"), MANY);
}

OPEN_LOG_TEST(so_are_few_rows)
{
        pawl_error err = PAWL_ERROR_INIT;

        begin(f);
        pawl__query *query = putter(f);
        int64_t seq = 0;
        for (int n = 1; n <= FEW + 1; n++) { /* so many to a statement */
                for (int i = 0; i < n; i++, seq++)
                        put(query, seq, seq, i % 2 ? "t" : NULL);
                assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks}"), seq);
        }
        pawl__query_finalize(query);
        assert_ok(pawl__log_write_end(f->log, PAWL_OK, &err));
        assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks} WHERE target = seq"), seq);
        assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks} WHERE tree = 't'"), 20);
}

OPEN_LOG_TEST(a_row_that_is_written_twice_is_what_it_was_at_last)
{
        pawl_error err = PAWL_ERROR_INIT;

        begin(f);
        pawl__query *query = putter(f);
        for (int i = 1; i <= 9; i++)
                put(query, i % 3, i, NULL);
        assert_int_equal(ask(f, "SELECT count(*) FROM {rollbacks}"), 3);
        assert_int_equal(ask(f, "SELECT min(target) FROM {rollbacks}"), 7);
        put(query, 0, 10, "t");
        assert_int_equal(ask(f, "SELECT target FROM {rollbacks} WHERE tree = 't'"), 10);
        put(query, 0, 11, "t"); /* waits when its statement goes */
        pawl__query_finalize(query);
        assert_ok(pawl__log_write_end(f->log, PAWL_OK, &err));
        assert_int_equal(ask(f, "SELECT target FROM {rollbacks} WHERE tree = 't'"), 11);
}

OPEN_LOG_TEST(one_that_is_refused_undoes_them_all)
{
        pawl_error err = PAWL_ERROR_INIT;

        begin(f);
        pawl__query *query = prepare(
                f, "INSERT INTO {=pruned} ({log_id,}seq, payload_hash) VALUES ({log,}?1, ?2)");
        for (int i = 1; i <= 600; i++) {
                pawl__query_bind(query, "ib", (int64_t)(i == 300 ? 1 : i), "hash", (size_t)4);
                assert_ok(pawl__query_run(query, NULL, "test", NULL));
        }
        pawl__query_finalize(query);
        assert_int_equal(pawl__log_write_end(f->log, PAWL_OK, &err), PAWL_EDAMAGED);
        assert_says(err.message, "duplicate key");
        assert_int_equal(ask(f, "SELECT count(*) FROM {pruned}"), 0);
        const pawl_event event = {.type = pawl__text("GlossaryScopeActivated"),
                .payload = pawl__text("{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\"}")};
        assert_ok(append_one(f->log, event, 0));
}

LOG_TEST(texts_may_hold_what_the_server_cannot)
{
        static const char payload[] = "{\"glossary_version_id\":\"\\u0000 \xee\x80\x80"
                                      "0 \xee\x80\x80\",\"scope_id\":\"a\"}";
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *tables;
        pawl_event event;
        pawl_verify_result result;
        pawl_error err = PAWL_ERROR_INIT;

        event_log_open(f);
        assert_ok(pawl__state_of(&tables, f->log, &err));
        assert_ok(append_one(f->log, event_scope(payload), 0));
        assert_ok(pawl__log_event(&event, &arena, f->log, 1));
        assert_text(event.payload, payload);
        pawl__arena_free(&arena);
        assert_ok(pawl__replay_check(f->log, &err));
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, 1);
}

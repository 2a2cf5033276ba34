/* Appending: one transaction, checked, chained, canonical, and nothing at all when it fails. */
#include "support/event_log.h"

static pawl_event event_of(const char *type, const char *payload)
{
        return (pawl_event){.type = pawl__text(type), .payload = pawl__text(payload)};
}

/* It fails so, says so, and the log holds what it held. */
static void check_refused(event_log *f, pawl_event event, pawl_status status, const char *says)
{
        int64_t before = event_log_count(f);
        uint64_t seq = 99;

        assert_int_equal(pawl__log_append(&seq, f->log, &event, 1, 0), status);
        assert_int_equal(f->log->err.status, status);
        assert_says(pawl_log_errmsg(f->log), says);
        assert_int_equal(seq, 99);
        assert_int_equal(event_log_count(f), before);
}

LOG_TEST(the_chain_is_what_another_program_computes)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event = event_scope(NULL), read;
        uint64_t seq;
        char hex[65];

        event_log_open(f);
        event.actor = pawl__text("user:ana");
        event.mission_id = pawl__text("m\xc3\xa9");
        assert_ok(pawl__log_append(&seq, f->log, &event, 1, 0));
        assert_int_equal(seq, 1);
        event = event_of("SessionStarted", NULL);
        event.mission_id = pawl__text("m \"2\"");
        event.run_id = pawl__text("r");
        event.step_id = pawl__text("s");
        event.session_id = pawl__text("x");
        event.time_us = -1;
        assert_ok(append_one(f->log, event, 0));

        /* tests/golden/make_chain.py */
        assert_ok(pawl__log_event(&read, &arena, f->log, 1));
        pawl__hex(hex, read.hash, 32);
        assert_string_equal(
                hex, "2ddb67fcde39d729e78747ce6fecc8753979e268fb9387032b1488e00a9de086");
        assert_ok(pawl__log_event(&read, &arena, f->log, 2));
        pawl__hex(hex, read.hash, 32);
        assert_string_equal(
                hex, "e23eb39ed9f318dac8e24fafcd6f0656b257ebc281ff5b0afe05ec35609e35ec");
        pawl__hex(hex, read.prev, 32);
        assert_string_equal(
                hex, "2ddb67fcde39d729e78747ce6fecc8753979e268fb9387032b1488e00a9de086");
        pawl__arena_free(&arena);
}

OPEN_LOG_TEST(payloads_are_kept_in_canonical_form)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event read;

        assert_ok(append_one(f->log,
                event_scope("{ \"scope_id\" : \"\\u0063ore\", \"z\": 1.0,\n"
                            "\"glossary_version_id\":\"v1\" }"),
                0));
        assert_ok(pawl__log_event(&read, &arena, f->log, 1));
        assert_text(read.payload, "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"z\":1}");
        assert_int_equal(read.v, 1);
        assert_int_equal(read.time_us, f->wall_us);
        assert_null(read.run_id.data);
        pawl__arena_free(&arena);
}

OPEN_LOG_TEST(order_is_that_of_appending_whatever_the_clock_says)
{
        pawl_verify_result result;

        event_log_fill(f, 1);
        f->wall_us -= 3600000000;
        event_log_fill(f, 1);
        assert_int_equal(event_log_integer(f, "SELECT group_concat(seq, '') FROM "
                                              "(SELECT seq FROM events ORDER BY time)"),
                21);
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, 2);
}

OPEN_LOG_TEST(events_that_are_not_of_their_form_are_refused)
{
        pawl_event e;

        check_refused(f, event_of("RunExploded", "{}"), PAWL_EINVAL,
                "event type \"RunExploded\": is not known");
        check_refused(f, (pawl_event){.seq = 0}, PAWL_EINVAL, "event type \"\"");
        check_refused(f, event_scope("{\"scope_id\":\"core\"}"), PAWL_EINVAL,
                "GlossaryScopeActivated: payload.glossary_version_id: is missing; it must be text");
        check_refused(f, event_scope("{\"scope_id\":\"a\",\"scope_id\":\"b\"}"), PAWL_EPARSE,
                "GlossaryScopeActivated: payload: line 1, column");
        check_refused(f, event_scope("[]"), PAWL_EINVAL, "payload: is no JSON object");
        check_refused(f, event_scope(""), PAWL_EPARSE, "payload");
        check_refused(f, event_of("GlossaryScopeActivated", NULL), PAWL_EINVAL, "is missing");
        e = event_scope(NULL);
        e.v = 3;
        check_refused(f, e, PAWL_ENEWER, "version 3, and this program knows 2");
        e.v = -1;
        check_refused(f, e, PAWL_EINVAL, "versions count from 1");
        e = event_scope(NULL);
        e.time_us = INT64_MAX;
        check_refused(f, e, PAWL_EINVAL, "outside of the years 1 to 9999");
}

LOG_TEST(ids_that_are_not_of_their_form_are_refused)
{
        static const size_t at[] = {offsetof(pawl_event, mission_id), offsetof(pawl_event, run_id),
                offsetof(pawl_event, step_id), offsetof(pawl_event, session_id),
                offsetof(pawl_event, actor)};
        static const char *const what[] = {
                "mission id", "run id", "step id", "session id", "actor"};
        char many[301];

        event_log_open(f);
        memset(many, 'a', 300);
        many[300] = '\0';
        const pawl_text bad[] = {
                {"", 0}, {"a\nb", 3}, {"a\0b", 3}, {"../x", 4}, {"\xff", 1}, {many, 300}};
        for (size_t i = 0; i < 5; i++)
                for (size_t j = 0; j < sizeof bad / sizeof bad[0]; j++) {
                        pawl_event e = event_scope(NULL);
                        *(pawl_text *)(void *)((char *)&e + at[i]) = bad[j];
                        check_refused(f, e, PAWL_EINVAL, what[i]);
                }
}

LOG_TEST(a_batch_is_all_or_nothing)
{
        pawl_event events[3] = {event_scope(NULL), event_scope(NULL), event_scope("{}")};
        uint64_t seq = 99;

        event_log_open(f);
        assert_int_equal(pawl__log_append(&seq, f->log, events, 3, 0), PAWL_EINVAL);
        assert_int_equal(seq, 99);
        assert_int_equal(event_log_count(f), 0);
        assert_ok(pawl__log_append(&seq, f->log, events, 2, 0));
        assert_int_equal(seq, 2);
        assert_int_equal(event_log_count(f), 2);
}

LOG_TEST(a_batch_copies_what_it_is_given_and_survives_a_failure)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        char payload[] = "{\"scope_id\":\"core\",\"glossary_version_id\":\"v1\"}";
        pawl_event event = event_scope(payload), bad = event_scope("{}");
        uint64_t seq = 99;

        event_log_open(f);
        assert_ok(pawl__batch_event(&batch, &event, &err));
        memset(payload, 'x', sizeof payload - 1);
        assert_ok(pawl__batch_event(&batch, &bad, &err));
        assert_int_equal(pawl__log_commit(f->log, &batch, 0, &seq), PAWL_EINVAL);
        assert_int_equal(batch.n, 2);
        batch.n = 1;
        assert_ok(pawl__log_commit(f->log, &batch, 0, &seq));
        assert_int_equal(seq, 1);
        assert_int_equal(batch.n, 0);
        assert_ok(pawl__log_commit(f->log, &batch, 0, &seq)); /* empty */
        assert_int_equal(event_log_count(f), 1);
        pawl__batch_free(&batch);
}

OPEN_LOG_TEST(blobs_are_kept_once_and_hashed_when_read)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32], none[32] = {1};
        const pawl_text content = {"a\0b", 3}, empty = {"", 0};

        assert_ok(pawl__sha256(f->log->hasher, hash, content.data, content.len, NULL));
        for (int i = 0; i < 2; i++) {
                assert_ok(pawl__batch_blob(&batch, hash, content, &err));
                assert_ok(pawl__log_commit(f->log, &batch, 0, NULL));
        }
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM blobs"), 1);
        assert_ok(pawl__buf_adds(&out, "before "));
        assert_ok(pawl__log_blob(&out, f->log, hash));
        assert_int_equal(out.len, 10);
        assert_memory_equal(out.data, "before a\0b", 10);

        assert_int_equal(pawl__log_blob(&out, f->log, none), PAWL_ENOTFOUND);
        assert_says(pawl_log_errmsg(f->log), "blob 0100000000000000: is not in the log");
        event_log_sql(f, "UPDATE blobs SET content = x'00'");
        assert_int_equal(pawl__log_blob(&out, f->log, hash), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "its content was changed");
        assert_int_equal(out.len, 10);

        assert_ok(pawl__sha256(f->log->hasher, hash, "", 0, NULL));
        assert_ok(pawl__batch_blob(&batch, hash, empty, &err));
        assert_ok(pawl__log_commit(f->log, &batch, 0, NULL));
        assert_ok(pawl__log_blob(&out, f->log, hash));
        assert_int_equal(out.len, 10);
        pawl__buf_free(&out);
        pawl__batch_free(&batch);
}

/* A row that is removed behind the log's back shows whether it is put again. */
OPEN_LOG_TEST(a_blob_is_put_again_where_it_may_have_been_removed)
{
        const pawl_event event = event_scope(NULL), unknown = {.type = pawl__text("Unknown")};
        pawl_log *other = event_log_another(f);

        assert_ok(append_blob(f->log, "a", event));
        event_log_sql(f, "DELETE FROM blobs");
        assert_ok(append_blob(f->log, "a", event)); /* nobody else appended: it is there */
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM blobs"), 0);
        assert_ok(append_one(other, event, 0));
        assert_ok(append_blob(f->log, "a", event));
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM blobs"), 1);

        assert_int_equal(
                append_blob(f->log, "b", unknown), PAWL_EINVAL); /* undone: it is not there */
        assert_ok(append_blob(f->log, "b", event));
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM blobs"), 2);
        event_log_sql(f, "DELETE FROM blobs");
        assert_ok(append_blob(other, "b", event));
        assert_ok(append_blob(f->log, "b", event)); /* of another handle alone it is not known */
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM blobs"), 1);
        pawl_log_close(other);
}

/* ---- The projector -------------------------------------------------------------------------- */

struct projection {
        char calls[64]; /* b(egin), a(pply), f(lush), x: abandon, c(lose) */
        char fail_at;
        pawl_log *log;
        uint64_t last_seq;
};

static pawl_status note(struct projection *p, char call, pawl_error *err)
{
        size_t len = strlen(p->calls);

        if (len < sizeof p->calls - 1)
                p->calls[len] = call;
        return p->fail_at == call ? pawl__fail(err, PAWL_EEXISTS, "projector: fails; at %c", call)
                                  : PAWL_OK;
}

static pawl_status p_begin(void *user, pawl_error *err)
{
        return note(user, 'b', err);
}

static pawl_status p_apply(void *user, const pawl_event *event, pawl__event_type type,
        const pawl__json_tree *payload, pawl_error *err)
{
        struct projection *p = user;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event row;

        (void)type;

        /* Its row is in, and says the same. */
        assert_ok(pawl__log_event(&row, &arena, p->log, event->seq));
        assert_memory_equal(row.hash, event->hash, 32);
        assert_true(pawl__text_eq(row.payload, event->payload));
        assert_true(pawl__text_eq(row.payload, pawl__json_at(payload, 0)->value));
        pawl__arena_free(&arena);
        p->last_seq = event->seq;
        return note(user, 'a', err);
}

static pawl_status p_flush(void *user, pawl_error *err)
{
        return note(user, 'f', err);
}

static void p_abandon(void *user)
{
        note(user, 'x', NULL);
}

static void p_close(void *user)
{
        note(user, 'c', NULL);
}

LOG_TEST(the_projector_is_called_in_order_and_its_failure_rolls_back)
{
        struct projection p = {.log = event_log_open(f)};
        const pawl__projector projector = {
                p_begin, p_apply, p_flush, p_abandon, p_close, &p, NULL, NULL};
        pawl_event events[2] = {event_scope(NULL), event_scope(NULL)};
        static const struct {
                char fail_at;
                const char *calls;
        } cases[] = {{'b', "bx"}, {'a', "bax"}, {'f', "baafx"}};

        assert_null(pawl__log_projector(f->log));
        pawl__log_set_projector(f->log, &projector);
        assert_ptr_equal(pawl__log_projector(f->log), &p);
        for (size_t i = 0; i < 3; i++) {
                memset(p.calls, 0, sizeof p.calls);
                p.fail_at = cases[i].fail_at;
                assert_int_equal(pawl__log_append(NULL, f->log, events, 2, 0), PAWL_EEXISTS);
                assert_says(pawl_log_errmsg(f->log), "projector: fails");
                assert_string_equal(p.calls, cases[i].calls);
                assert_int_equal(event_log_count(f), 0);
        }
        memset(p.calls, 0, sizeof p.calls);
        p.fail_at = 0;
        assert_ok(pawl__log_append(NULL, f->log, events, 2, 0));
        assert_int_equal(p.last_seq, 2);
        pawl_event bad = event_scope("{}");
        assert_int_equal(append_one(f->log, bad, 0), PAWL_EINVAL);
        event_log_close(f);
        /* What is refused where the head was assumed is refused once more, where it was read. */
        assert_string_equal(p.calls, on_server() ? "baafbxbxc" : "baafbxc");
}

/* ---- What the file itself refuses
 * ---------------------------------------------------------------- */

LOG_TEST(any_sqlite_client_is_kept_from_changing_events)
{
        static const struct {
                const char *sql, *says;
        } cases[] = {
                {"UPDATE events SET payload = NULL WHERE seq = 1", "never changed"},
                {"DELETE FROM events WHERE seq = 2", "never deleted"},
                {"INSERT OR REPLACE INTO events (seq, type, v, time, prev, hash) "
                 "VALUES (1, 'x', 1, 1, x'00', x'00')",
                        "without a gap"},
                {"INSERT INTO events (seq, type, v, time, prev, hash) "
                 "VALUES (4, 'x', 1, 1, x'00', x'00')",
                        "without a gap"},
                {"INSERT INTO events (type, v, time, prev, hash) VALUES ('x', 1, 1, x'00', x'00')",
                        "without a gap"},
                {"INSERT INTO events (seq, type, v, time, prev, hash) "
                 "VALUES (3, 'x', 'one', 1, x'00', x'00')",
                        "cannot store TEXT"},
        };
        pawl_verify_result result;
        sqlite3 *db;

        event_log_open(f);
        event_log_fill(f, 2);
        needs_file();
        assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                char *message = NULL;
                assert_int_not_equal(
                        sqlite3_exec(db, cases[i].sql, NULL, NULL, &message), SQLITE_OK);
                assert_says(message, cases[i].says);
                sqlite3_free(message);
        }
        sqlite3_close(db);
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, 2);
}

OPEN_LOG_TEST(a_trigger_that_somebody_put_into_the_file_does_not_run)
{
        event_log_close(f);
        event_log_sql(f, "CREATE TRIGGER meddle AFTER INSERT ON events BEGIN "
                         "INSERT INTO pruned VALUES (NEW.seq, x'00'); END");
        event_log_open(f);
        event_log_fill(f, 2);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM events"), 2);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM pruned"), 0);
}

LOG_TEST(a_hundred_thousand_events_are_one_transaction)
{
        enum { N = 100000 };
        pawl_event *events = test_alloc(N * sizeof *events);
        pawl_verify_result result;
        uint64_t seq;

        for (size_t i = 0; i < N; i++)
                events[i] = event_scope(NULL);
        event_log_open(f);
        assert_ok(pawl__log_append(&seq, f->log, events, N, 0));
        assert_int_equal(seq, N);
        assert_ok(pawl_log_verify(&result, f->log, 0, NULL));
        assert_int_equal(result.events, N);
}

OPEN_LOG_TEST(an_append_within_an_append_is_refused)
{
        assert_ok(pawl__tx_begin(f->log, false));
        assert_int_equal(append_one(f->log, event_scope(NULL), 0), PAWL_ESTATE);
        assert_says(pawl_log_errmsg(f->log), "an append is under way");
        assert_ok(pawl__tx_rollback(f->log, PAWL_OK, false));
        assert_ok(append_one(f->log, event_scope(NULL), 0));
}

/* What is appended can be printed inside of the event's own object, and read again. */
LOG_TEST(payloads_are_nested_less_than_json_may_be)
{
        static const char start[] = "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"x\":";
        enum { DEEPEST = 500 };
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf line = PAWL__BUF_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        char payload[sizeof start + 2 * DEEPEST + 2];
        pawl_event event;

        event_log_open(f);
        for (int depth = DEEPEST; depth <= DEEPEST + 1; depth++) {
                const size_t n = (size_t)depth - 1; /* the payload itself is one */
                memcpy(payload, start, sizeof start - 1);
                memset(payload + sizeof start - 1, '[', n);
                memset(payload + sizeof start - 1 + n, ']', n);
                memcpy(payload + sizeof start - 1 + 2 * n, "}", 2);
                if (depth == DEEPEST)
                        assert_ok(append_one(f->log, event_scope(payload), 0));
                else
                        check_refused(f, event_scope(payload), PAWL_EINVAL,
                                "GlossaryScopeActivated: payload: is nested deeper than 500; make "
                                "it flatter");
        }
        assert_ok(pawl__log_event(&event, &arena, f->log, 1));
        assert_ok(pawl__event_json(&line, &event, NULL, NULL));
        assert_ok(pawl__json_tree_read(&tree, line.data, line.len, NULL));
        pawl__json_tree_free(&tree);
        pawl__buf_free(&line);
        pawl__arena_free(&arena);
}

/* An event as it is appended, but of this seq, and of the hashes that it then has. */
static void put_at(event_log *f, uint64_t seq)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        unsigned char payload_hash[32];
        char hex[65], sql[200];

        assert_ok(pawl__log_event(&event, &arena, f->log, 1));
        assert_ok(pawl__log_payload_hash(payload_hash, f->log, &event, &f->log->err));
        event.seq = seq;
        memcpy(event.prev, event.hash, 32);
        assert_ok(pawl__chain_hash(
                event.hash, f->log->hasher, &f->log->envelope, &event, payload_hash));
        pawl__hex(hex, event.hash, 32);
        snprintf(sql, sizeof sql,
                "UPDATE events SET seq = %llu, hash = x'%s', "
                "prev = (SELECT hash FROM events WHERE seq = 1) WHERE seq = 3",
                (unsigned long long)seq, hex);
        event_log_sql(f, sql);
        pawl__arena_free(&arena);
}

OPEN_LOG_TEST(no_event_follows_the_last_seq_there_can_be)
{
        event_log_fill(f, 3);
        event_log_unguard(f);
        put_at(f, INT64_MAX);
        event_log_close(f); /* which knows that the last one was another */
        event_log_open(f);
        event_log_unguard(f);
        check_refused(f, event_scope(NULL), PAWL_EDAMAGED,
                "seq 9223372036854775806: the event is missing");
        event_log_sql(f, "UPDATE events SET seq = 9223372036854775806, "
                         "hash = (SELECT hash FROM events WHERE seq = 1) WHERE seq = 2");
        check_refused(f, event_scope(NULL), PAWL_EDAMAGED,
                "seq 9223372036854775807: no seq can follow the last event's; the log is damaged");
}

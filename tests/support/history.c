#include "support/history.h"
#include "events/handle.h"
#include "support/left_logs.h"
#include "support/replay_json.h"
#include <sqlite3.h>
#include <stdio.h>

static int64_t counting_clock(void *user)
{
        struct history *h = user;

        return ++h->now_us;
}

static void counted_uuid(char out[37], void *user)
{
        struct history *h = user;

        snprintf(out, 37, "00000000-0000-4000-8000-%012u", ++h->uuids);
}

static void open_log(struct history *h, unsigned flags)
{
        /* By hand, below the rules of the order of events. */
        const pawl__log_setup setup = {.event_v = 1};

        h->options.flags = flags;
        log_by_hand(h->path);
        if (pawl__log_open_as(&h->log, h->path, &h->options, &setup, &h->err)) {
                print_error("%s\n", h->err.message);
                fail();
        }
        h->state = NULL;
}

int history_setup(void **state)
{
        struct history *h = test_alloc(sizeof *h);
        h->directory = directory_make();
        h->path = log_in(h->directory, "events.db");
        h->now_us = INT64_C(1795177700000000); /* 2026-11-20 */
        h->options = (pawl_log_options)PAWL_LOG_OPTIONS_INIT;
        h->options.sources.wall_us = counting_clock;
        h->options.sources.uuid = counted_uuid;
        h->options.sources.user = h;
        h->mission = "mission-1";
        h->run = "run-1";
        h->step = "one";
        h->actor = "user:ana";
        open_log(h, PAWL_LOG_CREATE);
        history_attach(h);
        *state = h;
        return 0;
}

int history_teardown(void **state)
{
        struct history *h = *state;

        pawl__batch_free(&h->batch);
        pawl_log_close(h->log);
        pawl__arena_free(&h->arena);
        return 0;
}

void history_reopen(struct history *h, unsigned flags)
{
        pawl_log_close(h->log);
        open_log(h, flags);
}

void history_attach(struct history *h)
{
        if (pawl__state_of(&h->state, h->log, &h->err)) {
                print_error("%s\n", h->err.message);
                fail();
        }
}

void check_ok(struct history *h, pawl_status status, const char *file, int line)
{
        if (status == PAWL_OK)
                return;
        print_error("%s: %s\n", pawl_status_name(status), pawl_log_errmsg(h->log));
        _fail(file, line);
}

pawl_status history_claim(struct history *h)
{
        size_t i = 0;

        while (i < h->n_claims && strcmp(h->claims[i].run, h->run) != 0)
                i++;
        assert_true(i < HISTORY_RUNS);
        snprintf(h->claims[i].run, sizeof h->claims[i].run, "%s", h->run);
        if (i == h->n_claims)
                h->n_claims++;
        return pawl__log_claim(&h->claims[i].fence, h->log, pawl__text(h->mission),
                pawl__text(h->run), pawl__text(h->session), pawl__text(h->actor), &h->batch, NULL);
}

void history_add(struct history *h, const char *type, const char *format, ...)
{
        char payload[4096];
        va_list args;

        va_start(args, format);
        int len = vsnprintf(payload, sizeof payload, format, args);
        va_end(args);
        assert_in_range(len, 0, sizeof payload - 1);
        pawl_event event = {.type = pawl__text(type),
                .v = h->log->event_v ? h->log->event_v : 1,
                .mission_id = pawl__text(h->mission),
                .run_id = pawl__text(h->run),
                .step_id = pawl__text(h->step),
                .session_id = pawl__text(h->session),
                .actor = pawl__text(h->actor),
                .payload = pawl__text_n(payload, (size_t)len)};
        assert_ok(pawl__batch_event(&h->batch, &event, &h->err));
}

pawl_status history_commit(struct history *h)
{
        uint64_t fence = 0;

        for (size_t i = 0; i < h->n_claims; i++)
                if (h->run && strcmp(h->claims[i].run, h->run) == 0)
                        fence = h->claims[i].fence;
        pawl_status status = pawl__log_commit(h->log, &h->batch, fence, NULL);
        pawl__batch_clear(&h->batch);
        return status;
}

void history_start(struct history *h, const char *steps_json)
{
        const char *step = h->step;

        h->step = NULL;
        history_add(h, "RunStarted",
                "{\"steps\":%s,\"scope_refs\":[{\"scope\":\"team_domain\",\"version_id\":\"" HASH_C
                "\"}],\"mission_hash\":\"" HASH_A "\",\"mission_path\":\"/m.yaml\"}",
                steps_json);
        h->step = step;
}

void history_step_started(struct history *h)
{
        history_add(h, "StepStarted", "{\"input_hash\":\"" HASH_A "\"}");
}

void history_evaluated(struct history *h)
{
        history_add(h, "SemanticCheckEvaluated",
                "{\"findings\":[],\"overall_severity\":\"none\",\"confidence\":1,"
                "\"effective_strictness\":\"medium\",\"recommended_action\":\"proceed\","
                "\"blocked\":false}");
}

void history_checkpointed(struct history *h, const char *cursor, const char *token)
{
        history_add(h, "StepCheckpointed",
                "{\"strictness\":\"medium\",\"scope_refs\":[{\"scope\":\"team_domain\","
                "\"version_id\":\"" HASH_C "\"}],\"input_hash\":\"" HASH_A
                "\",\"input_hash_alg\":\"jcs-sha256\",\"cursor\":\"%s\",\"retry_token\":\"%s\"}",
                cursor, token);
}

void history_blocked(struct history *h)
{
        history_add(h, "GenerationBlockedBySemanticConflict",
                "{\"conflicts\":[],\"strictness_mode\":\"medium\","
                "\"effective_strictness\":\"medium\"}");
}

void history_blocked_by(struct history *h, const char *conflict)
{
        history_add(h, "GenerationBlockedBySemanticConflict",
                "{\"conflicts\":[{\"conflict_id\":\"%s\"}],\"strictness_mode\":\"medium\","
                "\"effective_strictness\":\"medium\"}",
                conflict);
}

void history_requested(struct history *h, const char *conflict, const char *token)
{
        history_add(h, "GlossaryClarificationRequested",
                "{\"conflict_id\":\"%s\",\"question\":\"Which?\",\"term\":\"workspace\","
                "\"options\":[{\"surface\":\"workspace\",\"scope\":\"team_domain\","
                "\"definition\":\"A folder.\",\"confidence\":0.9}],\"urgency\":\"high\","
                "\"retry_token\":\"%s\",\"input_hash\":\"" HASH_A
                "\",\"conflict_type\":\"ambiguous\",\"severity\":\"high\",\"confidence\":0.75,"
                "\"context\":\"in the workspace\"}",
                conflict, token);
}

void history_resolved(struct history *h, const char *conflict, const char *definition)
{
        history_add(h, "GlossaryClarificationResolved",
                "{\"conflict_id\":\"%s\",\"term_surface\":\"Workspace\",\"normal\":\"workspace\","
                "\"selected_sense\":{\"surface\":\"Workspace\",\"scope\":\"team_domain\","
                "\"definition\":\"%s\",\"confidence\":0.9},\"actor\":{\"actor_id\":\"user:ana\","
                "\"actor_type\":\"user\",\"display_name\":\"ana\"},\"resolution_mode\":\"async\","
                "\"provenance\":{\"source\":\"user_clarification\",\"timestamp\":"
                "\"2026-11-20T12:35:00.000000Z\",\"actor_id\":\"user:ana\"}}",
                conflict, definition);
}

void history_sense(struct history *h, const char *surface, const char *scope,
        const char *definition, const char *status, const char *version)
{
        history_add(h, "GlossarySenseUpdated",
                "{\"term_surface\":\"%s\",\"scope\":\"%s\",\"new_sense\":{\"surface\":\"%s\","
                "\"scope\":\"%s\",\"definition\":\"%s\",\"confidence\":1,\"status\":\"%s\"},"
                "\"actor\":{\"actor_id\":\"user:ana\",\"actor_type\":\"user\","
                "\"display_name\":\"ana\"},\"update_type\":\"create\",\"provenance\":{"
                "\"source\":\"seed_file\",\"timestamp\":\"2026-11-20T12:35:00.000000Z\","
                "\"actor_id\":\"user:ana\"}%s%s%s}",
                surface, scope, surface, scope, definition, status,
                version ? ",\"version_id\":\"" : "", version ? version : "", version ? "\"" : "");
}

void history_resumed(struct history *h, const char *token)
{
        history_add(h, "StepResumed",
                "{\"retry_token\":\"%s\",\"cursor\":\"post_gate\",\"inputs_changed\":false}",
                token);
}

void history_completed(struct history *h)
{
        history_add(h, "StepCompleted",
                "{\"input_hash\":\"" HASH_A "\",\"output_hash\":\"" HASH_B "\",\"exit_code\":0}");
}

uint64_t history_head(struct history *h)
{
        unsigned char hash[32];
        uint64_t seq = 0;

        assert_ok(pawl_log_head(&seq, hash, h->log));
        return seq;
}

void check_refused(
        struct history *h, pawl_status status, const char *part, const char *file, int line)
{
        uint64_t head = history_head(h);
        char *before = history_replay(h, NULL);
        pawl_status is = history_commit(h);

        if (is != status) {
                print_error("%s: %s\n", pawl_status_name(is), pawl_log_errmsg(h->log));
                _fail(file, line);
        }
        check_says(pawl_log_errmsg(h->log), part, file, line);
        char *after = history_replay(h, NULL);
        assert_int_equal(history_head(h), head);
        assert_string_equal(after, before);
        assert_ok(pawl__replay_check(h->log, &h->err));
}

static pawl__row key_of(const char *key, const char *key_2)
{
        pawl__row row = {0};

        row.v[0].text = pawl__text(key);
        if (key_2)
                row.v[1].text = pawl__text(key_2);
        return row;
}

pawl__row history_row(struct history *h, pawl__table table, const char *key, const char *key_2)
{
        pawl__row row = key_of(key, key_2);
        pawl_status status = pawl__state_get(h->state, table, &row, &h->arena, &h->err);

        if (status) {
                print_error("%s %s: %s\n", pawl__tables[table].name, key, pawl_status_name(status));
                fail();
        }
        return row;
}

bool history_has(struct history *h, pawl__table table, const char *key, const char *key_2)
{
        pawl__row row = key_of(key, key_2);
        pawl_status status = pawl__state_get(h->state, table, &row, &h->arena, &h->err);

        assert_true(status == PAWL_OK || status == PAWL_ENOTFOUND);
        return status == PAWL_OK;
}

static int64_t run_sql(struct history *h, const char *sql)
{
        sqlite3 *db;
        sqlite3_stmt *stmt;
        int64_t result = 0;

        needs_file();
        assert_int_equal(sqlite3_open(h->path, &db), SQLITE_OK);
        sqlite3_busy_timeout(db, 5000);
        while (*sql) {
                if (sqlite3_prepare_v2(db, sql, -1, &stmt, &sql) != SQLITE_OK) {
                        print_error("%s\n", sqlite3_errmsg(db));
                        fail();
                }
                int rc = sqlite3_step(stmt);
                if (rc == SQLITE_ROW)
                        result = sqlite3_column_int64(stmt, 0);
                else if (stmt)
                        assert_int_equal(rc, SQLITE_DONE);
                sqlite3_finalize(stmt);
        }
        sqlite3_close(db);
        return result;
}

void history_sql(struct history *h, const char *sql)
{
        if (strstr(sql, "DROP TRIGGER events_refuse"))
                log_damaged(h->path);
        run_sql(h, sql);
}

int64_t history_count(struct history *h, const char *what)
{
        char sql[256];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", what);
        return run_sql(h, sql);
}

char *history_replay(struct history *h, const pawl__replay_filter *filter)
{
        pawl__store *store;
        uint64_t seq;
        unsigned char hash[32];
        pawl__buf out = PAWL__BUF_INIT;
        pawl_status status = pawl__replay(&store, &seq, hash, h->log, filter, &h->err);

        if (status == PAWL_OK) {
                status = replay_json(&out, store, h->log, seq, hash, &h->err);
                store->free(store);
        }
        if (status) {
                print_error("%s\n", h->err.message);
                fail();
        }
        return test_take(&out);
}

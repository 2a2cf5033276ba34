#include "support/event_log.h"
#include "support/left_logs.h"

#define SCOPE "{\"scope_id\":\"core\",\"glossary_version_id\":\"v1\"}"

static int64_t fixed_wall(void *user)
{
        return ((event_log *)user)->wall_us;
}

static int64_t fixed_boot(void *user)
{
        return ((event_log *)user)->boot_ms;
}

static int64_t fixed_start(int64_t pid, void *user)
{
        const event_log *f = user;

        for (int i = 0; i < PROCESSES; i++)
                if (f->alive[i].pid == pid)
                        return f->alive[i].start;
        return PAWL__START_GONE;
}

int event_log_setup(void **state)
{
        event_log *f = test_alloc(sizeof *f);
        f->directory = directory_make();
        f->path = log_in(f->directory, ".pawl/events.db");
        f->flags = PAWL_LOG_CREATE;
        f->busy_ms = 5000;
        f->lease_ms = 30000;
        f->event_v = 1;
        f->wall_us = INT64_C(1795178100000000); /* 2026-11-20T12:35:00Z */
        f->boot_ms = 1000000;
        f->self.pid = 100;
        f->self.pid_start = 7;
        f->self.pid_ns = 1;
        f->self.start_of = fixed_start;
        f->self.user = f;
        strcpy(f->self.host, "host-a");
        strcpy(f->self.boot_id, "boot-1");
        f->alive[0].pid = 100;
        f->alive[0].start = 7;
        *state = f;
        return 0;
}

int event_log_setup_open(void **state)
{
        if (event_log_setup(state))
                return -1;
        event_log_open(*state);
        return 0;
}

int event_log_teardown(void **state)
{
        event_log *f = *state;

        event_log_close(f);
        return 0;
}

pawl_status event_log_try(pawl_log **out, event_log *f, pawl_error *err)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        const pawl__log_setup setup = {
                .vfs = f->vfs, .identity = &f->self, .wal = f->wal, .event_v = f->event_v};

        options.flags = f->flags;
        options.busy_ms = f->busy_ms;
        options.lease_ms = f->lease_ms;
        options.key = f->key;
        options.key_len = f->key ? strlen(f->key) : 0;
        options.sources = (pawl_sources){fixed_wall, fixed_boot, NULL, f};
        if (f->event_v == 1)
                log_by_hand(f->path);
        return pawl__log_open_as(out, f->path, &options, &setup, err);
}

pawl_log *event_log_another(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        if (event_log_try(&log, f, &err))
                fail_msg("%s", err.message);
        return log;
}

pawl_log *event_log_open(event_log *f)
{
        event_log_close(f);
        f->log = event_log_another(f);
        return f->log;
}

void event_log_close(event_log *f)
{
        pawl_log_close(f->log);
        f->log = NULL;
}

void event_log_sql(event_log *f, const char *sql)
{
        sqlite3 *db;
        char *message = NULL;

        needs_file();
        assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
        sqlite3_busy_timeout(db, 5000);
        if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
                fail_msg("%s: %s", sql, message);
        sqlite3_close(db);
}

int64_t event_log_integer(event_log *f, const char *sql)
{
        sqlite3 *db;
        sqlite3_stmt *stmt;

        needs_file();
        assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
        sqlite3_busy_timeout(db, 5000);
        if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
                fail_msg("%s: %s", sql, sqlite3_errmsg(db));
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        int64_t value = sqlite3_column_int64(stmt, 0);
        sqlite3_finalize(stmt);
        sqlite3_close(db);
        return value;
}

int64_t event_log_count(event_log *f)
{
        unsigned char hash[32];
        uint64_t head = 0;

        if (!on_server())
                return event_log_integer(f, "SELECT count(*) FROM events");
        pawl_log *log = event_log_another(f);
        assert_ok(pawl_log_head(&head, hash, log));
        pawl_log_close(log);
        return (int64_t)head;
}

void event_log_unguard(event_log *f)
{
        log_damaged(f->path);
        event_log_sql(f, "DROP TRIGGER events_refuse_update; DROP TRIGGER events_refuse_delete; "
                         "DROP TRIGGER events_refuse_gap");
}

pawl_event event_scope(const char *scope_payload)
{
        pawl_event event = {.type = {"GlossaryScopeActivated", 22}};

        event.payload = pawl__text(scope_payload ? scope_payload : SCOPE);
        return event;
}

void event_log_fill(event_log *f, int n)
{
        for (int i = 0; i < n; i++)
                assert_ok(append_one(f->log, event_scope(NULL), 0));
}

pawl_status append_one(pawl_log *log, pawl_event event, uint64_t fence)
{
        return pawl__log_append(NULL, log, &event, 1, fence);
}

pawl_status append_blob(pawl_log *log, const char *content, pawl_event event)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        unsigned char hash[32];

        assert_ok(pawl__sha256(log->hasher, hash, content, strlen(content), NULL));
        assert_ok(pawl__batch_blob(&batch, hash, pawl__text(content), NULL));
        assert_ok(pawl__batch_event(&batch, &event, NULL));
        const pawl_status status = pawl__log_commit(log, &batch, 0, NULL);
        pawl__batch_free(&batch);
        return status;
}

/*
 * A power cut after every operation that a workload makes on its disk, with unsynced writes
 * dropped, reordered and torn (support/crash.h says what is assumed of a disk). Whatever is left,
 * the process that comes next finds all that was promised, no transaction by half, and goes on.
 */
#include "events/sqlite/sqlite.h"
#include "state/state.h"
#include "support/aftermath.h"
#include "support/event_log.h"
#include "support/mission.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Workloads ------------------------------------------------------------------------------ */

/* What the recording says was written is what lies there. */
static void check_recording(const recording *r)
{
        crash_disk disk = {0};
        char *copy = directory_make();
        size_t files = 0;

        crash_build(&disk, r, r->n_ops, &(crash_choice){.kind = CRASH_ALL});
        crash_write(&disk, copy);
        crash_free(&disk);
        for (size_t i = 0; i < r->n_nodes; i++) {
                char *written = path_in(copy, r->nodes[i].name);
                char *there = path_in(r->directory, r->nodes[i].name);
                size_t written_len, there_len;
                assert_int_equal(access(written, F_OK), access(there, F_OK));
                if (!r->nodes[i].directory && access(there, F_OK) == 0) {
                        char *a = file_read(written, &written_len);
                        char *b = file_read(there, &there_len);
                        assert_int_equal(written_len, there_len);
                        assert_memory_equal(a, b, there_len);
                        files++;
                }
        }
        assert_true(files >= 2); /* the log and its -wal */
        directory_remove(copy);
}

enum { CI_SEEDS = 3, FULL_SEEDS = 120, SINGLES = 6 };

static power_result sweep(const char *name, const recording *r, const struct aftermath *x)
{
        const power_sweep sweep = {.r = r,
                .stride = 1,
                .singles = test_full() ? 10 * SINGLES : SINGLES,
                .seeds = test_full() ? FULL_SEEDS : CI_SEEDS,
                .check = aftermath_check,
                .user = x};
        power_result result = power_cut(&sweep);

        print_message("power cut: %s: %zu operations, %ld states, %ld lost, %ld wrong\n", name,
                r->n_ops, result.states, result.lost, result.wrong);
        return result;
}

/* Ends the recording. */
static void survives(const char *name, recording *r, const struct aftermath *x)
{
        static const struct aftermath nothing_more = {.schema = NULL};

        recorder_stop();
        check_recording(r);
        power_result result = sweep(name, r, x ? x : &nothing_more);
        recording_free(r);
        assert_string_equal(result.first, "");
        assert_true(result.states > 50);
}

/* The log of the fixture, made and with some events, and closed again. */
static void make_log(event_log *f, int n)
{
        f->vfs = NULL;
        event_log_open(f);
        event_log_fill(f, n);
        event_log_close(f);
        f->flags = 0;
}

/* What is in the log by now is promised. */
static void start(recording *r, const char *directory, const char *path)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log = NULL;

        options.flags = PAWL_LOG_READONLY;
        recorder_start(r, directory);
        if (access(path, F_OK) != 0)
                return;
        assert_ok(pawl_log_open(&log, path, &options, NULL));
        recorder_promise_head(log);
        pawl_log_close(log);
}

static void start_log(recording *r, event_log *f)
{
        start(r, f->directory, f->path);
        f->vfs = RECORDER_VFS;
}

static void open_watched(event_log *f)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;

        event_log_open(f);
        recorder_watch(f->log);
        assert_ok(pawl__state_of(&state, f->log, &err));
}

/* n events as one transaction, each with so many bytes of payload. */
static void append_batch(event_log *f, size_t n, size_t len)
{
        char *payload = malloc(len + 100);
        pawl_event events[8];

        assert_true(payload && n <= 8);
        int at = sprintf(
                payload, "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"pad\":\"");
        memset(payload + at, 'p', len);
        strcpy(payload + at + len, "\"}");
        for (size_t i = 0; i < n; i++)
                events[i] = event_scope(payload);
        assert_ok(pawl_log_append(NULL, f->log, events, n, 0));
        free(payload);
}

/* Alone and in batches, short and longer than a page; then the log is closed, which empties the
 * -wal, and opened and written to again. */
static void append_events(event_log *f)
{
        open_watched(f);
        append_batch(f, 1, 10);
        append_batch(f, 1, 9000);
        append_batch(f, 5, 10);
        append_batch(f, 1, 10);
        append_batch(f, 3, 2000);
        event_log_close(f);
        open_watched(f);
        append_batch(f, 1, 10);
        append_batch(f, 2, 1000);
        event_log_close(f);
}

LOG_TEST(appended_events)
{
        recording r;

        make_log(f, 2);
        start_log(&r, f);
        append_events(f);
        survives("append", &r, NULL);
}

#define CLAIMS "SELECT count(*) FROM events WHERE type = 'RunClaimed'"

/* The lock file, which is not recorded, as the last claim left it: its mark is on disk before that
 * claim is (tests/events/lease_test.c). */
static void put_lock_file(pawl_log *log, int64_t fence)
{
        unsigned char mark[32];
        char text[32], path[PATH_MAX];
        int len = snprintf(text, sizeof text, "run-1 %d", (int)fence);
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__sha256(log->hasher, mark, text, (size_t)len, &err));
        snprintf(path, sizeof path, "%s-lock", pawl__log_path(log));
        file_write(path, (const char *)mark, sizeof mark);
}

/* What is lost of a lease is the lease: whoever claims the run next gets a fence that was never
 * given before, and the one given last is refused. */
static pawl_status claim_after(pawl_log *log, bool readonly, pawl_error *err)
{
        int64_t claims = 0;
        uint64_t fence = 0;
        pawl_status status = pawl__db_integer(&claims, log, CLAIMS, err);

        if (readonly || status)
                return status;
        if (claims)
                put_lock_file(log, claims);
        status = pawl_log_claim(&fence, log, "mission", "run-1", "actor", NULL);
        if (status)
                return pawl__fail(err, status, "claim: %s", pawl_log_errmsg(log));
        if (fence != (uint64_t)claims + 1)
                return pawl__fail(
                        err, PAWL_ESTATE, "fence %d after %d claims", (int)fence, (int)claims);
        if (claims && pawl_log_renew(log, "run-1", (uint64_t)claims) != PAWL_EFENCED)
                return pawl__fail(err, PAWL_ESTATE, "the last fence still holds");
        return PAWL_OK;
}

static void append_owned(event_log *f, uint64_t fence)
{
        pawl_event event = {.type = pawl__text("RunStarted"),
                .mission_id = pawl__text("mission"),
                .run_id = pawl__text("run-1"),
                .actor = pawl__text("actor"),
                .payload = pawl__text(
                        "{\"steps\":[],\"scope_refs\":[],\"mission_hash\":\""
                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
                        "\"mission_path\":\"/m.yaml\"}")};

        assert_ok(append_one(f->log, event, fence));
}

LOG_TEST(leases)
{
        static const struct aftermath x = {.more = claim_after};
        uint64_t fence;
        recording r;

        make_log(f, 1);
        start_log(&r, f);
        open_watched(f);
        for (int i = 0; i < 3; i++) {
                assert_ok(pawl_log_claim(&fence, f->log, "mission", "run-1", "actor", NULL));
                if (i == 0)
                        append_owned(f, fence);
                assert_ok(pawl_log_renew(f->log, "run-1", fence));
                assert_ok(pawl_log_renew(f->log, "run-1", fence));
                append_batch(f, 1, 10);
                assert_ok(pawl_log_renew(f->log, "run-1", fence));
                if (i < 2) /* the last is given back by closing */
                        assert_ok(pawl_log_release(f->log, "run-1", fence));
        }
        event_log_close(f);
        survives("leases", &r, &x);
}

/* The same for a keyed log: the MACs are there with their events. */
LOG_TEST(a_keyed_log)
{
        static const char key[] = "0123456789abcdef0123456789abcdef";
        static const struct aftermath x = {.key = key};
        recording r;

        f->key = key;
        make_log(f, 2);
        start_log(&r, f);
        append_events(f);
        survives("keyed", &r, &x);
}

/* Limits so small that the -wal is moved into the log, and begun from its start, many times; and
 * for a while a reader is in the way. */
LOG_TEST(checkpoints)
{
        static const pawl__wal_limits limits = {
                .checkpoint_frames = 12, .restart_frames = 24, .wait_ms = 1, .warn_bytes = 1 << 30};
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *reader = NULL;
        recording r;

        make_log(f, 1);
        f->wal = &limits;
        start_log(&r, f);
        open_watched(f);
        options.flags = PAWL_LOG_READONLY;
        assert_ok(pawl_log_open(&reader, f->path, &options, NULL));
        for (int i = 0; i < 14; i++) {
                if (i == 4)
                        assert_int_equal(
                                sqlite3_exec(pawl__log_db(reader),
                                        "BEGIN; SELECT count(*) FROM events", NULL, NULL, NULL),
                                SQLITE_OK);
                if (i == 10)
                        assert_int_equal(
                                sqlite3_exec(pawl__log_db(reader), "COMMIT", NULL, NULL, NULL),
                                SQLITE_OK);
                append_batch(f, 1 + (size_t)i % 3, 10 + (size_t)i * 400);
        }
        pawl_log_close(reader);
        event_log_close(f);
        survives("checkpoints", &r, NULL);
}

LOG_TEST(first_creation)
{
        recording r;

        start_log(&r, f);
        open_watched(f);
        append_batch(f, 1, 10);
        event_log_close(f);
        survives("first creation", &r, NULL);
}

/* Before it came to syncing anything, one was killed that made the directory, and in it an empty
 * file, or a part of a log that has no name yet. */
LOG_TEST(creation_where_another_died)
{
        char *directory = path_in(f->directory, ".pawl");

        for (int empty = 0; empty < 2; empty++) {
                recording r;
                start_log(&r, f);
                assert_int_equal(mkdir(directory, 0700), 0);
                if (empty) {
                        assert_int_equal(mknod(f->path, S_IFREG | 0600, 0), 0);
                } else {
                        int fd = mkostemp(path_in(directory, "events.db-new-XXXXXX"), O_CLOEXEC);
                        assert_int_equal(write(fd, "SQLite format 3", 16), 16);
                        assert_int_equal(close(fd), 0);
                }
                open_watched(f);
                append_batch(f, 1, 10);
                event_log_close(f);
                survives("creation where another died", &r, NULL);
                directory_remove(directory);
        }
}

static pawl_status count_up(pawl_log *log, pawl_error *err)
{
        return pawl__db_exec(log, "UPDATE steps_run SET n = n + 1", "count", err);
}

/* Each step was run once; a reader finds the old schema or the new. */
static pawl_status check_migrated(pawl_log *log, bool readonly, pawl_error *err)
{
        const int old = pawl__schema_current.version;
        int64_t version = 0, run = 0;
        pawl_status status = pawl__db_integer(&version, log, "PRAGMA main.user_version", err);

        if (!status && version == old + 2)
                status = pawl__db_integer(&run, log, "SELECT n FROM main.steps_run", err);
        if (status)
                return status;
        if ((version == old + 2 && run == 1) || (version == old && readonly))
                return PAWL_OK;
        return pawl__fail(err, PAWL_ESTATE, "version %d, steps run %d", (int)version, (int)run);
}

LOG_TEST(a_migration)
{
        const int old = pawl__schema_current.version;
        const pawl__migration steps[] = {
                {old, "CREATE TABLE steps_run (n INTEGER); INSERT INTO steps_run VALUES (0)", NULL,
                        false},
                {old + 1, NULL, count_up, true},
        };
        const pawl__schema schema = {old + 2, pawl__schema_current.sql, steps, 2};
        const struct aftermath x = {.schema = &schema, .more = check_migrated};
        const pawl__log_setup setup = {.vfs = RECORDER_VFS, .schema = &schema};
        pawl_error err = PAWL_ERROR_INIT;
        recording r;

        make_log(f, 5);
        start_log(&r, f);
        assert_ok(pawl__log_open_as(&f->log, f->path, NULL, &setup, &err));
        recorder_watch(f->log);
        append_batch(f, 1, 10);
        event_log_close(f);
        survives("migration", &r, &x);
}

LOG_TEST(a_rebuild)
{
        pawl_error err = PAWL_ERROR_INIT;
        recording r;

        make_log(f, 5);
        start_log(&r, f);
        open_watched(f);
        assert_ok(pawl__state_rebuild(f->log, &err));
        append_batch(f, 1, 10);
        event_log_close(f);
        survives("rebuild", &r, NULL);
}

static const char mission_yaml[] =
        "mission: refunds\n"
        "steps:\n"
        "  - id: research\n"
        "    run: [echo, found]\n"
        "  - id: specify\n"
        "    critical: true\n"
        "    inputs: {description: Refunds land in the workspace., earlier: {$from: research}}\n"
        "    metadata: {glossary_watch_terms: [workspace]}\n"
        "    run: [cat]\n";

/* A run that blocks, is answered, and resumed from its token. */
MISSION_TEST(a_whole_run)
{
        const pawl__log_setup setup = {.vfs = RECORDER_VFS};
        recording r;

        mission_write(f, mission_yaml);
        pawl_log_close(f->log);
        f->log = NULL;
        start(&r, f->directory, f->db);
        assert_ok(pawl__log_open_as(&f->log, f->db, &f->log_options, &setup, &f->err));
        recorder_watch(f->log);
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        mission_resolve(f);
        assert_ok(mission_resume(f, mission_token(f, "specify")));
        assert_string_equal(f->result->status, "completed");
        pawl_log_close(f->log);
        f->log = NULL;
        survives("run, resolve, resume", &r, NULL);
}

/* The library's own limit, a thousand pages; then the -wal begins anew. Only the end of it is
 * swept: the commits before are as those of the other workloads. */
LOG_TEST(a_checkpoint_of_a_thousand_pages)
{
        static const struct aftermath x = {.schema = NULL};
        size_t from = 0;
        recording r;

        make_log(f, 1);
        start_log(&r, f);
        open_watched(f);
        for (int i = 0; i < 13; i++)
                append_batch(f, 4, 80000);
        append_batch(f, 1, 10);
        event_log_close(f);
        recorder_stop();
        check_recording(&r);
        while (r.ops[from].kind != RECORDER_WRITE ||
                strcmp(r.nodes[r.ops[from].node].name, ".pawl/events.db") != 0)
                from++; /* where the checkpoint begins to write to the log */
        assert_true(from > 1000);
        const power_sweep sweep = {.r = &r,
                .from = from - 20,
                .stride = test_full() ? 5 : 97,
                .singles = 1,
                .seeds = test_full() ? 4 : 1,
                .check = aftermath_check,
                .user = &x};
        power_result result = power_cut(&sweep);
        print_message("power cut: thousand pages: %zu operations from %zu, %ld states\n", r.n_ops,
                from, result.states);
        recording_free(&r);
        assert_string_equal(result.first, "");
        assert_true(result.states > 50);
}

/* ---- The instrument ------------------------------------------------------------------------- */

/* With commits that do not wait for the disk, acknowledged events are lost, and that is seen. */
LOG_TEST(commits_that_do_not_sync_are_found_out)
{
        static const char *const pragmas[] = {
                "PRAGMA synchronous = OFF", "PRAGMA synchronous = NORMAL"};
        static const struct aftermath x = {.schema = NULL};

        make_log(f, 2);
        for (size_t i = 0; i < 2; i++) {
                recording r;
                start_log(&r, f);
                open_watched(f);
                assert_int_equal(sqlite3_exec(pawl__log_db(f->log), pragmas[i], NULL, NULL, NULL),
                        SQLITE_OK);
                append_batch(f, 1, 10);
                append_batch(f, 3, 10);
                event_log_close(f);
                recorder_stop();
                check_recording(&r);
                power_result result = sweep(pragmas[i], &r, &x);
                recording_free(&r);
                assert_true(result.lost > 0);
                assert_says(result.first, "ends at");
        }
}

int main(void)
{
        return test_run_in_memory(NULL, NULL);
}

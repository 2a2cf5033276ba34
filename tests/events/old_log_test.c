/* Logs that older programs wrote (tests/golden/logs): each opens, becomes one of today in one
 * transaction, and says what it said; read only, it stays what it is. */
#include "support/event_log.h"
#include "support/vfs.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TODAY = 6, SWEEP_MAX = 400 };

static const char *const stored[] = {"v1", "v1-wal", "v2", "v2-wal", "v3", "v3-wal", "v3-keyed"};
enum { STORED = sizeof stored / sizeof stored[0], FILES = 3 };

static const char *const suffixes[FILES] = {"", "-wal", "-shm"};

typedef struct head {
        uint64_t seq;
        char hash[65];
} head;

static char *golden(const char *name, const char *suffix)
{
        char file[64];

        snprintf(file, sizeof file, "logs/%s%s", name, suffix);
        return path_in(GOLDEN_DIR, file);
}

/* Copy the file FROM, if there is one, to TO; else see that there is none. */
static void copy(const char *from, const char *to)
{
        size_t len;

        (void)unlink(to);
        if (access(from, F_OK) != 0)
                return;
        char *content = file_read(from, &len);
        file_write(to, content, len);
}

/* The stored log, as it was, in the fixture's place; what it must say is in *out. */
static void put(event_log *f, const char *name, head *out)
{
        char *directory = path_in(f->directory, ".pawl"), to[4096], suffix[16];
        unsigned long long seq;

        (void)mkdir(directory, 0700);
        for (size_t i = 0; i < FILES; i++) {
                snprintf(suffix, sizeof suffix, ".db%s", suffixes[i]);
                snprintf(to, sizeof to, "%s%s", f->path, suffixes[i]);
                char *from = golden(name, suffix);
                copy(from, to);
        }
        char *from = golden(name, ".head");
        char *text = file_read(from, NULL);
        assert_int_equal(sscanf(text, "%llu %64s", &seq, out->hash), 2);
        out->seq = seq;
        f->flags = 0;
        f->key = strstr(name, "keyed") ? "0123456789abcdef0123456789abcdef" : NULL;
}

/* The whole chain, up to the head that the old program named. */
static void check_says_what_it_said(pawl_log *log, const head *expected, bool keyed)
{
        pawl_verify_result result;
        unsigned char hash[32];
        char hex[65];
        uint64_t seq;

        if (pawl_log_verify(&result, log, 0, NULL))
                fail_msg("%s", result.why.message);
        assert_int_equal(result.events, expected->seq);
        assert_int_equal(result.keyed, keyed);
        assert_ok(pawl_log_head(&seq, hash, log));
        pawl__hex(hex, hash, 32);
        assert_int_equal(seq, expected->seq);
        assert_string_equal(hex, expected->hash);
}

/* A row of a derived table that no event made: it is gone once the tables are folded again. The
 * -wal stays what it is, but for that row. */
static void mark(event_log *f)
{
        sqlite3 *db;

        assert_int_equal(sqlite3_open_v2(f->path, &db, SQLITE_OPEN_READWRITE, f->vfs), SQLITE_OK);
        assert_int_equal(
                sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL), SQLITE_OK);
        assert_int_equal(
                sqlite3_exec(db, "INSERT INTO scopes VALUES ('mark', 'v', 1, 1)", NULL, NULL, NULL),
                SQLITE_OK);
        sqlite3_close(db);
}

#define MARKS "SELECT count(*) FROM scopes WHERE scope_id = 'mark'"

static int64_t ask(pawl_log *log, const char *sql)
{
        int64_t value = -1;

        assert_ok(pawl__db_integer(&value, log, sql, NULL));
        return value;
}

/* "v2-wal": 2. */
static int version_of(const char *name)
{
        return name[1] - '0';
}

static pawl_status refuse(
        const unsigned char hash[32], uint64_t size, uint64_t bytes, uint64_t parts, void *user)
{
        (void)hash, (void)size, (void)bytes, (void)parts, (void)user;
        return PAWL_EDAMAGED;
}

/* There are none, with the table or without. */
static void check_no_contents(pawl_log *log)
{
        static const unsigned char hash[32];
        pawl__buf out = PAWL__BUF_INIT;
        bool has = true;

        assert_ok(pawl__log_content_has(&has, log, hash));
        assert_false(has);
        assert_int_equal(pawl__log_content_get(&out, NULL, log, hash, 0), PAWL_ENOTFOUND);
        assert_ok(pawl__log_content_each(log, refuse, NULL));
}

/* What the file is now, by a handle that changes nothing: of the old version and whole, or
 * migrated.
 */
static int64_t check_whole(event_log *f, const head *expected)
{
        f->flags = PAWL_LOG_READONLY;
        event_log_open(f);
        check_says_what_it_said(f->log, expected, f->key != NULL);
        int64_t version = ask(f->log, "PRAGMA user_version");
        assert_int_equal(ask(f->log, "SELECT count(*) FROM sqlite_schema "
                                     "WHERE name IN ('macs', 'chain_key')"),
                version == 1 ? 0 : 2);
        assert_int_equal(ask(f->log, "SELECT count(*) FROM sqlite_schema WHERE name = 'contents'"),
                version < 4 ? 0 : 1);
        check_no_contents(f->log);
        event_log_close(f);
        f->flags = 0;
        return version;
}

/* Opened for writing, without faults, it is one of today and takes events. */
static void check_goes_on(event_log *f, const head *expected)
{
        event_log_open(f);
        assert_int_equal(ask(f->log, "PRAGMA user_version"), TODAY);
        check_says_what_it_said(f->log, expected, f->key != NULL);
        assert_int_equal(ask(f->log, MARKS), 0); /* the derived tables are made anew */
        event_log_fill(f, 2);
        event_log_close(f);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM pragma_integrity_check "
                                              "CROSS JOIN events WHERE integrity_check = 'ok'"),
                (int64_t)expected->seq + 2);
}

LOG_TEST(an_old_log_becomes_one_of_today)
{
        head expected;

        for (size_t i = 0; i < STORED; i++) {
                put(f, stored[i], &expected);
                mark(f);
                assert_int_equal(check_whole(f, &expected), version_of(stored[i]));
                check_goes_on(f, &expected);
                event_log_open(f); /* and stays so */
                event_log_fill(f, 1);
                event_log_close(f);
        }
}

/* The same objects as in a log that is made today, in the same words. */
LOG_TEST(its_schema_is_then_that_of_a_new_log)
{
        event_log new_one = *f;
        char sql[600];
        head expected;

        new_one.path = path_in(f->directory, "new.db");
        new_one.log = NULL;
        event_log_open(&new_one);
        event_log_close(&new_one);
        put(f, "v1", &expected);
        event_log_open(f);
        event_log_close(f);
        snprintf(sql, sizeof sql,
                "ATTACH '%s' AS new; CREATE TEMP TABLE apart AS SELECT name FROM "
                "(SELECT * FROM main.sqlite_schema UNION ALL SELECT * FROM new.sqlite_schema) "
                "GROUP BY type, name, tbl_name HAVING count(*) <> 2; "
                "CREATE TEMP TABLE none (n CHECK (n = 0)); "
                "INSERT INTO none SELECT count(*) FROM apart",
                new_one.path);
        event_log_sql(f, sql);
}

LOG_TEST(an_old_log_takes_no_key)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        head expected;

        put(f, "v1", &expected);
        mark(f);
        f->key = "0123456789abcdef0123456789abcdef";
        assert_int_equal(event_log_try(&log, f, &err), PAWL_EKEY);
        assert_says(err.message, "this log was made without one");
        f->key = NULL;
        check_goes_on(f, &expected);
}

LOG_TEST(processes_that_open_an_old_log_together_migrate_it_once)
{
        enum { CHILDREN = 4 };
        pid_t child[CHILDREN];
        head expected;

        for (size_t i = 0; i < STORED; i++) {
                put(f, stored[i], &expected);
                mark(f);
                for (int k = 0; k < CHILDREN; k++) {
                        child[k] = process_fork();
                        if (child[k] == 0) {
                                pawl_error err = PAWL_ERROR_INIT;
                                pawl_log *log = NULL;
                                if (event_log_try(&log, f, &err) ||
                                        append_one(log, event_scope(NULL), 0)) {
                                        fprintf(stderr, "%s\n",
                                                log ? pawl_log_errmsg(log) : err.message);
                                        _exit(1);
                                }
                                pawl_log_close(log);
                                _exit(0);
                        }
                }
                for (int k = 0; k < CHILDREN; k++) {
                        child_exits(child[k], 0);
                }
                assert_int_equal(event_log_integer(f, "PRAGMA user_version"), TODAY);
                assert_int_equal(event_log_count(f), (int64_t)expected.seq + CHILDREN);
                assert_int_equal(event_log_integer(f, MARKS), 0);
        }
}

/* Opens the log while the disk is about to fail at operation n; 0: it was not reached. */
static void child_opens(event_log *f, fault_kind kind, bool stays, int n)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        fault_at(kind, n, stays);
        pawl_status status = event_log_try(&log, f, &err);
        bool reached = fault_count() >= n;
        if (status && status != PAWL_EIO && status != PAWL_EFULL) {
                fprintf(stderr, "operation %d: %s\n", n, err.message);
                _exit(2);
        }
        if (status && !reached)
                _exit(3);
        /* Without closing: what a process that goes on would do about it, it does not do. */
        _exit(reached ? 1 : 0);
}

/* The fixture's files, to be put back again and again. */
typedef struct image {
        char *content[FILES]; /* NULL: it is not there */
        size_t len[FILES];
} image;

static void take(image *out, const event_log *f)
{
        char path[4096];

        for (size_t i = 0; i < FILES; i++) {
                snprintf(path, sizeof path, "%s%s", f->path, suffixes[i]);
                out->content[i] = access(path, F_OK) == 0 ? file_read(path, &out->len[i]) : NULL;
        }
}

static void put_back(const image *from, const event_log *f)
{
        char path[4096];

        for (size_t i = 0; i < FILES; i++) {
                snprintf(path, sizeof path, "%s%s", f->path, suffixes[i]);
                if (from->content[i])
                        file_write(path, from->content[i], from->len[i]);
                else
                        (void)unlink(path);
        }
}

static bool same(const image *a, const image *b)
{
        bool same = true;

        for (size_t i = 0; i < FILES && same; i++)
                same = !a->content[i] == !b->content[i] &&
                       (!a->content[i] ||
                               (a->len[i] == b->len[i] &&
                                       memcmp(a->content[i], b->content[i], a->len[i]) == 0));
        return same;
}

/* Files that the fault before this one left just so are looked at once. Each version, with and
 * without a -wal or a key, at the full size; else each once. */
static void sweep(event_log *f, fault_kind kind, bool stays)
{
        head expected;
        image before, after, seen = {0};
        int64_t version = 0;

        f->vfs = FAULT_VFS;
        fault_reset();
        for (size_t i = 0; i < STORED; i += test_full() ? 1 : 3) {
                int status = 0, n, old = 0, migrated = 0, looks = 0;
                put(f, stored[i], &expected);
                mark(f);
                take(&before, f);
                for (n = 1; n < SWEEP_MAX; n++) {
                        put_back(&before, f);
                        pid_t child = process_fork();
                        if (child == 0)
                                child_opens(f, kind, stays, n);
                        assert_int_equal(waitpid(child, &status, 0), child);
                        if (WIFSIGNALED(status))
                                assert_int_equal(WTERMSIG(status), SIGKILL);
                        else
                                assert_true(WEXITSTATUS(status) <= 1);
                        take(&after, f);
                        if (!same(&after, &seen)) {
                                version = check_whole(f, &expected);
                                check_goes_on(f, &expected);
                                looks++;
                        }
                        seen = after;
                        if (version == version_of(stored[i]))
                                old++;
                        else
                                migrated++;
                        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
                                break;
                }
                assert_true(n < SWEEP_MAX);
                /* The last round's log is migrated; before its commit reached the disk, none was.
                 */
                assert_true(old >= 2);
                assert_true(migrated >= 1);
                print_message("%s: %d operations, %d left the old log, in %d ways\n", stored[i],
                        n - 1, old, looks);
        }
}

LOG_TEST(a_process_killed_while_it_migrates_leaves_the_old_log)
{
        sweep(f, FAULT_KILL, false);
}

LOG_TEST(a_power_cut_while_it_migrates_leaves_the_old_log)
{
        sweep(f, FAULT_POWER_CUT, false);
}

LOG_TEST(an_io_error_while_it_migrates_leaves_the_old_log)
{
        sweep(f, FAULT_EIO, false);
        sweep(f, FAULT_EIO, true);
}

LOG_TEST(a_full_disk_while_it_migrates_leaves_the_old_log)
{
        sweep(f, FAULT_SHORT, true);
}

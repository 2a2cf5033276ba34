/* Opening a log: what is made, what is refused, and how one is read where nothing may be written.
 */
#include "support/event_log.h"
#include "support/left_logs.h"
#include <sys/stat.h>
#include <unistd.h>

static unsigned mode_of(const char *path)
{
        struct stat st;

        assert_int_equal(stat(path, &st), 0);
        return st.st_mode & 07777;
}

static bool exists(event_log *f, const char *suffix)
{
        char name[4096];

        snprintf(name, sizeof name, "%s%s", f->path, suffix);
        return access(name, F_OK) == 0;
}

static void check_refused(event_log *f, pawl_status status, const char *says)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = (pawl_log *)f;

        assert_int_equal(event_log_try(&log, f, &err), status);
        assert_ptr_equal(log, f);
        assert_int_equal(err.status, status);
        assert_says(err.message, says);
}

/* An SQLite file of somebody else's, at the fixture's path. */
static void foreign_file(event_log *f, const char *sql)
{
        assert_int_equal(mkdir(path_in(f->directory, ".pawl"), 0700), 0);
        event_log_sql(f, sql);
}

LOG_TEST(creating_makes_a_private_directory_and_private_files_whatever_the_umask)
{
        char *directory, name[4096];
        static const char *const names[] = {
                "events.db", "events.db-wal", "events.db-shm", ".gitignore"};
        static const mode_t masks[] = {0, 0777};

        needs_file();
        directory = path_in(f->directory, ".pawl");
        for (size_t m = 0; m < 2; m++) {
                mode_t before = umask(masks[m]);
                event_log_open(f);
                umask(before);
                assert_int_equal(mode_of(directory), 0700);
                for (size_t i = 0; i < 4; i++) {
                        snprintf(name, sizeof name, "%s/%s", directory, names[i]);
                        assert_int_equal(mode_of(name), 0600);
                }
                event_log_close(f);
                for (size_t i = 0; i < 4; i++) {
                        snprintf(name, sizeof name, "%s/%s", directory, names[i]);
                        assert_int_equal(unlink(name), 0);
                }
                assert_int_equal(rmdir(directory), 0);
        }
}

LOG_TEST(a_directory_that_stands_keeps_its_mode)
{
        char *directory;

        needs_file();
        directory = path_in(f->directory, ".pawl");
        assert_int_equal(mkdir(directory, 0750), 0);
        event_log_open(f);
        assert_int_equal(mode_of(directory), 0750);
}

OPEN_LOG_TEST(a_new_log_is_named_in_its_header)
{
        unsigned char hash[32], zero[32] = {0};
        uint64_t seq = 9;

        assert_int_equal(event_log_integer(f, "PRAGMA application_id"), PAWL__APPLICATION_ID);
        assert_int_equal(event_log_integer(f, "PRAGMA user_version"), 6);
        assert_int_equal(
                event_log_integer(f, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
        assert_ok(pawl_log_head(&seq, hash, f->log));
        assert_int_equal(seq, 0);
        assert_memory_equal(hash, zero, 32);
}

LOG_TEST(without_create_a_missing_log_is_not_found_and_not_made)
{
        f->flags = 0;
        check_refused(f, PAWL_ENOTFOUND,
                on_server() ? "there is no log" : "there is no log; make one with `pawl init`");
        f->flags = PAWL_LOG_READONLY;
        check_refused(f, PAWL_ENOTFOUND, "there is no log");
        assert_int_equal(access(path_in(f->directory, ".pawl"), F_OK), on_server() ? 0 : -1);
}

LOG_TEST(a_path_that_cannot_be_made_is_refused)
{
        char *const good = f->path;
        static const struct {
                const char *path, *says;
                pawl_status status;
        } cases[] = {
                {"", "the path is empty", PAWL_EINVAL},
                {"no/such/folder/events.db", "No such file", PAWL_ENOTFOUND},
                {"file/events.db", "Not a directory", PAWL_ENOTFOUND},
                {"new/", "names a directory", PAWL_EINVAL},
                {".", "not a regular file", PAWL_EFORMAT},
                {"fifo", "not a regular file", PAWL_EFORMAT},
                {"dangling", "No such file", PAWL_ENOTFOUND},
        };
        char *file = path_in(f->directory, "file"), *fifo = path_in(f->directory, "fifo");

        file_write(file, "x", 1);
        assert_int_equal(mkfifo(fifo, 0600), 0);
        assert_int_equal(symlink("/nowhere/at/all", path_in(f->directory, "dangling")), 0);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                f->path = cases[i].path[0] ? path_in(f->directory, cases[i].path) : test_copy("");
                check_refused(f, cases[i].status, cases[i].says);
        }
        f->path = good;
}

LOG_TEST(options_that_are_not_known_are_refused)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        options.version = 2;
        assert_int_equal(pawl_log_open(&log, f->path, &options, &err), PAWL_EINVAL);
        assert_says(err.message, "version 2 is not known");
        options.version = 1;
        options.flags = 8;
        assert_int_equal(pawl_log_open(&log, f->path, &options, &err), PAWL_EINVAL);
        assert_says(err.message, "flags 0x8");
        options.flags = PAWL_LOG_CREATE | PAWL_LOG_READONLY;
        assert_int_equal(pawl_log_open(&log, f->path, &options, &err), PAWL_EINVAL);
        assert_says(err.message, "only be read");
        assert_int_equal(pawl_log_open(&log, f->path, &options, NULL), PAWL_EINVAL);
        assert_null(log);
        assert_int_equal(access(f->path, F_OK), -1);
}

LOG_TEST(a_file_that_is_not_sqlite_is_refused_and_left_alone)
{
        char *directory, *now;
        char text[5000];
        size_t len;

        needs_file();
        directory = path_in(f->directory, ".pawl");
        memset(text, 'x', sizeof text);
        assert_int_equal(mkdir(directory, 0700), 0);
        for (size_t n = 1; n <= sizeof text; n += 4999) {
                file_write(f->path, text, n);
                check_refused(f, PAWL_EFORMAT, "is not a Pawl log");
                now = file_read(f->path, &len);
                assert_int_equal(len, n);
                assert_memory_equal(now, text, n);
                assert_false(exists(f, "-wal"));
        }
}

LOG_TEST(another_applications_database_is_refused_by_name_and_left_alone)
{
        size_t before_len, len;

        needs_file();
        foreign_file(f, "PRAGMA application_id = 42; CREATE TABLE events (seq)");
        char *before = file_read(f->path, &before_len);
        check_refused(f, PAWL_EFORMAT, "another application's SQLite database (application id 42)");
        f->flags = 0;
        check_refused(f, PAWL_EFORMAT, "application id 42");
        char *now = file_read(f->path, &len);
        assert_int_equal(len, before_len);
        assert_memory_equal(now, before, len);
}

LOG_TEST(a_database_without_application_id_but_with_tables_is_refused)
{
        needs_file();
        foreign_file(f, "CREATE TABLE mine (a)");
        check_refused(f, PAWL_EFORMAT, "another application's");
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM sqlite_schema"), 1);
}

/* U+FFFF would be read back as another character than the one that was hashed. */
LOG_TEST(a_database_of_utf_16_is_no_log)
{
        needs_file();
        foreign_file(f, "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (a); DROP TABLE t");
        f->flags = PAWL_LOG_CREATE;
        check_refused(f, PAWL_EFORMAT, "is not a Pawl log: its texts are UTF-16; name another");
        f->flags = PAWL_LOG_READONLY;
        check_refused(f, PAWL_EFORMAT, "its texts are UTF-16");
}

LOG_TEST(an_empty_file_becomes_a_log_only_with_create)
{
        needs_file();
        for (int fresh = 0; fresh < 2; fresh++) {
                if (fresh)
                        event_log_sql(f, "PRAGMA journal_mode = WAL");
                else
                        foreign_file(f, "");
                f->flags = 0;
                check_refused(f, PAWL_EFORMAT, "it is empty; make it one with `pawl init`");
                f->flags = PAWL_LOG_READONLY;
                check_refused(f, PAWL_EFORMAT, "it is empty");
                f->flags = PAWL_LOG_CREATE;
                event_log_open(f);
                event_log_fill(f, 1);
                event_log_close(f);
                assert_int_equal(unlink(f->path), 0);
        }
}

OPEN_LOG_TEST(a_newer_log_is_refused_by_its_version)
{
        event_log_close(f);
        event_log_sql(f, "PRAGMA user_version = 7");
        for (unsigned flags = 0; flags <= PAWL_LOG_READONLY; flags += PAWL_LOG_READONLY) {
                f->flags = flags;
                check_refused(f, PAWL_ENEWER,
                        "schema version 7, and this program knows versions "
                        "up to 6; use a newer pawl");
        }
        event_log_sql(f, "PRAGMA user_version = -1");
        check_refused(f, PAWL_EDAMAGED, "version -1, which never was");
}

OPEN_LOG_TEST(a_log_without_its_events_is_damaged_and_not_made_anew)
{
        event_log_close(f);
        log_damaged(f->path);
        event_log_sql(f, "DROP TABLE events");
        check_refused(f, PAWL_EDAMAGED, "has lost its table of events");
        f->flags = PAWL_LOG_READONLY;
        check_refused(f, PAWL_EDAMAGED, "has lost its table of events");
}

LOG_TEST(a_path_with_uri_characters_is_taken_as_it_is)
{
        char name[4096];

        f->path = path_in(f->directory, "a?b#c%41&mode=rw.db");
        event_log_open(f);
        event_log_fill(f, 1);
        event_log_close(f);
        snprintf(name, sizeof name, "%s-shm", f->path);
        assert_int_equal(unlink(name), 0);
        f->flags = PAWL_LOG_READONLY;
        event_log_open(f); /* by a URI */
        assert_int_equal(event_log_count(f), 1);
        assert_string_equal(pawl__log_path(f->log), f->path);
}

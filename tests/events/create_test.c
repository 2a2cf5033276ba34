/* Making a log: there is all of it, or nothing, whoever else makes one and whatever goes wrong. */
#include "support/event_log.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAKERS = 8 };

static const char *const suffixes[] = {"", "-wal", "-shm"};

static void remove_log(event_log *f)
{
        char name[4096];

        for (size_t i = 0; i < 3; i++) {
                snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
                (void)unlink(name);
        }
}

/* How many files there are in the log's directory. */
static int count_files(event_log *f)
{
        DIR *dir = opendir(path_in(f->directory, ".pawl"));
        int n = 0;

        assert_non_null(dir);
        for (const struct dirent *entry; (entry = readdir(dir));)
                n += entry->d_name[0] != '.';
        closedir(dir);
        return n;
}

static pid_t start(event_log *f, int gun, void (*fn)(event_log *f))
{
        char byte;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
                if (read(gun, &byte, 1) != 1)
                        _exit(1);
                fn(f);
                _exit(0);
        }
        return child;
}

static void make_and_append(event_log *f)
{
        pawl_log *log = NULL;
        pawl_error err = PAWL_ERROR_INIT;

        if (event_log_try(&log, f, &err) || append_one(log, event_scope(NULL), 0)) {
                fprintf(stderr, "%s\n", log ? pawl_log_errmsg(log) : err.message);
                _exit(1);
        }
        pawl_log_close(log);
}

/* Looks at the log, as eventlog does, until it is there: it is none, or a whole one. */
static void look_until_there(event_log *f)
{
        pawl_status status = PAWL_ENOTFOUND;
        pawl_error err = PAWL_ERROR_INIT;

        f->flags = PAWL_LOG_READONLY;
        for (int i = 0; i < 100000 && status == PAWL_ENOTFOUND; i++) {
                pawl_log *log = NULL;
                pawl_verify_result result;
                status = event_log_try(&log, f, &err);
                if (!status)
                        status = pawl_log_verify(&result, log, 0, NULL);
                pawl_log_close(log);
        }
        if (status && status != PAWL_EBUSY) { /* a view without locks says so of what changes */
                fprintf(stderr, "a reader: %s\n", err.message);
                _exit(1);
        }
}

LOG_TEST(makers_at_once_make_one_log)
{
        const int rounds = test_full() ? 500 : 25;

        for (int round = 0; round < rounds; round++) {
                pid_t child[MAKERS];
                int gun[2], how;
                assert_int_equal(pipe(gun), 0);
                for (int i = 0; i < MAKERS; i++) {
                        child[i] = start(f, gun[0], i ? make_and_append : look_until_there);
                }
                assert_int_equal(write(gun[1], "01234567", MAKERS), MAKERS);
                for (int i = 0; i < MAKERS; i++) {
                        assert_int_equal(waitpid(child[i], &how, 0), child[i]);
                        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
                }
                close(gun[0]);
                close(gun[1]);
                assert_int_equal(count_files(f), 3);
                event_log_open(f);
                assert_int_equal(event_log_count(f), MAKERS - 1);
                event_log_close(f);
                remove_log(f);
        }
}

OPEN_LOG_TEST(a_new_log_is_sound_and_of_the_write_ahead_kind_at_once)
{
        size_t len;

        event_log_close(f);
        char *bytes = file_read(f->path, &len);
        assert_true(len > 100);
        assert_int_equal(bytes[18], 2);
        assert_int_equal(bytes[19], 2);
        assert_int_equal(
                event_log_integer(f, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
                1);
}

LOG_TEST(what_a_maker_that_died_left_goes_with_the_next)
{
        char *directory = path_in(f->directory, ".pawl");
        char *left = path_in(directory, "events.db-new-a1B2c3");
        char *others = path_in(directory, "events.db-new-ideas.txt");

        assert_int_equal(mkdir(directory, 0700), 0);
        file_write(left, "SQLite", 6);
        file_write(others, "mine", 4);
        event_log_open(f);
        assert_int_equal(access(left, F_OK), -1);
        assert_int_equal(access(others, F_OK), 0);
}

LOG_TEST(without_room_there_is_no_log_and_later_there_is)
{
        struct rlimit before, little;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        little = before;
        little.rlim_cur = 5000;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        pawl_status status = event_log_try(&log, f, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, PAWL_EFULL);
        assert_says(err.message, "cannot make the log");
        assert_says(err.message, "free some space");
        assert_null(log);
        assert_int_equal(count_files(f), 0);
        event_log_open(f);
        event_log_fill(f, 1);
}

/* The size of the write-ahead log: it is bounded, unless somebody pins it, who is then named.
 * (durability/readers is about those who read and go on all the time.) */
#include "support/event_log.h"
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20, LARGE = 256 << 10 };

/* An event of a quarter of a MiB brings the -wal some steps further. */
static const pawl__wal_limits low = {
        .checkpoint_frames = 64,
        .restart_frames = 256,
        .wait_ms = 20,
        .warn_bytes = 4 * MIB,
};

static int wal_setup(void **state)
{
        if (event_log_setup(state))
                return -1;
        event_log *f = *state;
        f->wal = &low;
        pawl__identity_system(&f->self);
        event_log_open(f);
        return 0;
}

#define WAL_TEST(name) UNIT_TEST_WITH(name, event_log *f, wal_setup, event_log_teardown)

static int64_t wal_size(const event_log *f)
{
        char name[4096];
        struct stat st;

        snprintf(name, sizeof name, "%s-wal", f->path);
        assert_int_equal(stat(name, &st), 0);
        return (int64_t)st.st_size;
}

/* n events of a quarter of a MiB, one append each. */
static void append_large(event_log *f, int n)
{
        char *payload = test_alloc(LARGE);

        int len = snprintf(
                payload, LARGE, "{\"scope_id\":\"core\",\"glossary_version_id\":\"v1\",\"pad\":\"");
        memset(payload + len, 'x', (size_t)(LARGE - len));
        strcpy(payload + LARGE - 4, "\"}");
        for (int i = 0; i < n; i++)
                assert_ok(append_one(f->log, event_scope(payload), 0));
}

typedef struct shell {
        pid_t pid;
        FILE *in, *out;
} shell;

/* The program sqlite3 at the log. */
static void shell_start(shell *s, event_log *f)
{
        int in[2], out[2];

        assert_int_equal(pipe(in), 0);
        assert_int_equal(pipe(out), 0);
        fflush(NULL);
        s->pid = fork();
        assert_true(s->pid >= 0);
        if (s->pid == 0) {
                dup2(in[0], STDIN_FILENO);
                dup2(out[1], STDOUT_FILENO);
                for (int i = 0; i < 2; i++) {
                        close(in[i]);
                        close(out[i]);
                }
                execlp("sqlite3", "sqlite3", "-batch", f->path, (char *)NULL);
                _exit(127);
        }
        close(in[0]);
        close(out[1]);
        s->in = fdopen(in[1], "w");
        s->out = fdopen(out[0], "r");
        assert_true(s->in && s->out);
}

static void shell_run(shell *s, const char *sql)
{
        char line[64];

        fprintf(s->in, "%s\nSELECT 'done';\n", sql);
        fflush(s->in);
        do {
                if (!fgets(line, sizeof line, s->out))
                        fail_msg("sqlite3 has ended");
        } while (strcmp(line, "done\n") != 0);
}

static void shell_end(shell *s)
{
        fclose(s->in);
        fclose(s->out);
        assert_int_equal(waitpid(s->pid, NULL, 0), s->pid);
}

WAL_TEST(without_readers_it_stays_small_and_nothing_is_said)
{
        for (int i = 0; i < 64; i++) {
                append_large(f, 1);
                assert_true(wal_size(f) < MIB);
        }
        assert_null(pawl_log_warning(f->log));
}

WAL_TEST(who_pins_it_is_named_once_an_hour_and_it_shrinks_when_he_is_gone)
{
        char who[64];
        shell s;

        append_large(f, 1);
        shell_start(&s, f);
        shell_run(&s, "BEGIN; SELECT count(*) FROM events;");
        append_large(f, 8);
        assert_null(pawl_log_warning(f->log)); /* half of warn_bytes */
        append_large(f, 80);
        assert_true(wal_size(f) > 20 * MIB);
        const char *warning = pawl_log_warning(f->log);
        assert_non_null(warning);
        assert_true(strncmp(warning, f->path, strlen(f->path)) == 0);
        assert_says(warning, ": its write-ahead log has grown to ");
        snprintf(who, sizeof who, " MiB, as process %d (sqlite3) keeps an old state", (int)s.pid);
        assert_says(warning, who);
        assert_says(warning, "; end that transaction or that process");
        /* Once; and not again by what comes in the same hour. */
        assert_null(pawl_log_warning(f->log));
        append_large(f, 8);
        f->boot_ms += 3600 * 1000 - 1;
        append_large(f, 8);
        assert_null(pawl_log_warning(f->log));
        f->boot_ms += 1;
        append_large(f, 8);
        warning = pawl_log_warning(f->log);
        assert_non_null(warning);
        assert_says(warning, who);
        /* Nor does it fail anything: all is there for others to read. */
        assert_int_equal(event_log_count(f), 1 + 8 + 80 + 24);
        shell_run(&s, "COMMIT;");
        append_large(f, 2);
        assert_true(wal_size(f) <= 16 * MIB);
        shell_end(&s);
        append_large(f, 64);
        assert_true(wal_size(f) <= 16 * MIB);
        assert_null(pawl_log_warning(f->log));
}

/* One that reads from the database alone, since all was moved when it began, is in the way too. */
WAL_TEST(who_pins_a_log_that_was_wholly_moved_is_named_as_well)
{
        char who[64];
        shell s;

        append_large(f, 4);
        event_log_close(f);
        event_log_open(f);
        shell_start(&s, f);
        shell_run(&s, "BEGIN; SELECT count(*) FROM events;");
        append_large(f, 40);
        const char *warning = pawl_log_warning(f->log);
        assert_non_null(warning);
        snprintf(who, sizeof who, "process %d (sqlite3)", (int)s.pid);
        assert_says(warning, who);
        shell_end(&s);
}

WAL_TEST(a_transaction_left_open_in_this_process_is_named_so)
{
        char who[64];
        sqlite3 *db;

        append_large(f, 1);
        needs_file();
        assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
        assert_int_equal(
                sqlite3_exec(db, "BEGIN; SELECT count(*) FROM events", NULL, NULL, NULL), 0);
        append_large(f, 40);
        const char *warning = pawl_log_warning(f->log);
        assert_non_null(warning);
        snprintf(who, sizeof who, "process %d (", (int)getpid());
        assert_says(warning, who);
        sqlite3_close(db);
}

/* A command's name is what its process makes it: it goes into one line. */
WAL_TEST(a_name_of_no_readable_form_is_made_readable)
{
        char name[PAWL__PROCESS_NAME], path[64], wanted[64];
        FILE *comm;

        snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)getpid());
        comm = fopen(path, "w");
        assert_non_null(comm);
        fputs("a\nb\033[1m\377", comm);
        fclose(comm);
        pawl__process_name(name, getpid());
        snprintf(wanted, sizeof wanted, "process %d (a?b?[1m?)", (int)getpid());
        assert_string_equal(name, wanted);
        pawl__process_name(name, INT32_MAX);
        assert_string_equal(name, "process 2147483647");
}

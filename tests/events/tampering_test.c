/* Whatever is done to the events of a log is found, at the first event that it touches: the table
 * tests/golden/tamperings.tsv, which tests/cli/verify_test.sh puts to the program. */
#include "support/event_log.h"
#include "support/left_logs.h"
#include <sys/stat.h>
#include <unistd.h>

enum { SEQ, ANCHOR, WHY, SQL, FIELDS, EVENTS = 59 };

typedef struct tampering {
        const char *field[FIELDS];
} tampering;

/* The next line that is no comment, cut at its tabs; *at moves on. */
static bool next(tampering *out, char **at)
{
        char *line;

        while ((line = *at) && *line) {
                char *end = strchr(line, '\n');
                *at = end ? end + 1 : NULL;
                if (end)
                        *end = '\0';
                if (*line == '#')
                        continue;
                for (int i = 0; i < FIELDS; i++) {
                        assert_non_null(line);
                        out->field[i] = line;
                        line = strchr(line, '\t');
                        if (line)
                                *line++ = '\0';
                }
                return true;
        }
        return false;
}

/* A fresh copy of the log, with the first line's SQL and this. */
static void tamper(
        event_log *f, const char *log, size_t len, const tampering *first, const tampering *this)
{
        static const char *const suffixes[] = {"-wal", "-shm"};
        char *directory = path_in(f->directory, ".pawl"), name[4096];

        (void)mkdir(directory, 0700);
        for (size_t i = 0; i < 2; i++) {
                snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
                (void)unlink(name);
        }
        log_damaged(f->path);
        file_write(f->path, log, len);
        pawl__buf sql = PAWL__BUF_INIT;
        assert_ok(pawl__buf_addf(&sql, "%s%s", first->field[SQL], this->field[SQL]));
        event_log_sql(f, sql.data);
        pawl__buf_free(&sql);
}

static void check(event_log *f, const tampering *t, const unsigned char anchor[32])
{
        bool anchored = strcmp(t->field[ANCHOR], "anchor") == 0;
        pawl_verify_result result;
        char says[32];

        f->flags = PAWL_LOG_READONLY;
        event_log_open(f);
        pawl_status status =
                pawl_log_verify(&result, f->log, anchored ? EVENTS : 0, anchored ? anchor : NULL);
        if (strcmp(t->field[SEQ], "-") == 0) {
                if (status)
                        fail_msg("%s: %s", t->field[SQL], pawl_log_errmsg(f->log));
        } else {
                long seq = strtol(t->field[SEQ], NULL, 10);
                uint64_t bad = seq < 1 ? 1 : (uint64_t)seq;
                snprintf(says, sizeof says, "seq %ld: ", seq);
                if (status != PAWL_EDAMAGED || result.bad_seq != bad || result.events != bad - 1 ||
                        strncmp(result.why.message, says, strlen(says)) != 0 ||
                        !strstr(result.why.message, t->field[WHY]))
                        fail_msg("%s: %s, seq %d: %s", t->field[SQL], pawl_status_name(status),
                                (int)result.bad_seq, pawl_log_errmsg(f->log));
        }
        event_log_close(f);
}

LOG_TEST(whatever_is_done_to_the_events_is_found)
{
        unsigned char anchor[32];
        tampering first, t;
        size_t len;
        int n = 0;
        char *table = file_read(GOLDEN_DIR "/tamperings.tsv", NULL);
        char *head = file_read(GOLDEN_DIR "/logs/v1.head", NULL);
        char *log = file_read(GOLDEN_DIR "/logs/v1.db", &len), *at = table;

        assert_true(pawl__unhex32(anchor, pawl__text_n(strchr(head, ' ') + 1, 64)));
        assert_true(next(&first, &at));
        assert_string_equal(first.field[SEQ], "=");
        for (; next(&t, &at); n++) {
                tamper(f, log, len, &first, &t);
                check(f, &t, anchor);
        }
        assert_true(n > 90);
        print_message("%d ways\n", n);
}

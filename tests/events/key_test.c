/* A keyed log: nobody appends to it without its key, and what was made without it is found. */
#include "support/event_log.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY   "0123456789abcdef0123456789abcdef"
#define OTHER "0123456789abcdef0123456789abcdeg"
/* printf "pawl chain key 1" | openssl mac -digest SHA256 -macopt key:KEY -in /dev/stdin HMAC */
#define KEY_CHECK "0a620bab9f876bf064887c204b6f2867afba575f469e9dda273916f851760897"

/* Ten events under KEY, the guards gone; the handle stays open. */
static void make(event_log *f)
{
        f->key = KEY;
        event_log_open(f);
        event_log_fill(f, 10);
        event_log_unguard(f);
}

static int64_t rows(event_log *f)
{
        return event_log_integer(f, "SELECT (SELECT count(*) FROM events) + "
                                    "(SELECT count(*) FROM macs) * 1000 + "
                                    "(SELECT count(*) FROM leases) * 1000000 + "
                                    "(SELECT count(*) FROM blobs) * 10000000");
}

static void check_opens(event_log *f, const char *key, pawl_status status, const char *says)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        int64_t before = rows(f);

        f->key = key;
        assert_int_equal(event_log_try(&log, f, &err), status);
        assert_null(log);
        assert_says(err.message, says);
        assert_int_equal(rows(f), before);
}

/* Of a handle that only reads, as eventlog's is. */
static void check_verifies(
        event_log *f, const char *key, pawl_status wanted, uint64_t bad_seq, const char *says)
{
        pawl_verify_result result;
        pawl_log *log;

        memset(&result, 0, sizeof result);
        f->flags = PAWL_LOG_READONLY;
        f->key = key;
        log = event_log_another(f);
        f->flags = PAWL_LOG_CREATE;
        pawl_status status = pawl_log_verify(&result, log, 0, NULL);
        if (status != wanted || result.bad_seq != bad_seq)
                fail_msg("%s, seq %d: %s", pawl_status_name(status), (int)result.bad_seq,
                        pawl_log_errmsg(log));
        if (status)
                assert_says(pawl_log_errmsg(log), says);
        if (status == PAWL_EDAMAGED)
                assert_int_equal(result.events, bad_seq - 1);
        pawl_log_close(log);
}

LOG_TEST(each_event_of_a_keyed_log_has_its_mac)
{
        unsigned char hash[32], mac[32];
        char sql[200], hex[65];
        uint64_t seq;

        make(f);
        assert_int_equal(
                event_log_integer(f, "SELECT count(*) FROM events JOIN macs USING (seq)"), 10);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM macs"), 10);
        assert_ok(pawl_log_head(&seq, hash, f->log));
        assert_ok(pawl__mac_of(f->log->key, mac, hash, 32));
        pawl__hex(hex, mac, 32);
        snprintf(sql, sizeof sql, "SELECT mac = x'%s' FROM macs WHERE seq = 10", hex);
        assert_int_equal(event_log_integer(f, sql), 1);
        assert_int_equal(event_log_integer(f,
                                 "SELECT lower(hex(key_check)) = '" KEY_CHECK "' FROM chain_key"),
                1);
        event_log_close(f);
        check_verifies(f, KEY, PAWL_OK, 0, NULL);
        check_verifies(f, NULL, PAWL_OK, 0, NULL);
        check_verifies(f, OTHER, PAWL_EKEY, 0, "the key is not this log's");
}

OPEN_LOG_TEST(a_plain_log_has_no_macs_and_takes_no_key)
{
        event_log_close(f); /* not even while it is empty */
        check_opens(f, KEY, PAWL_EKEY, "a key was given, and this log was made without one");
        f->key = NULL;
        event_log_open(f);
        event_log_fill(f, 2);
        assert_int_equal(event_log_integer(f, "SELECT count(*) FROM macs"), 0);
        event_log_close(f);
        check_opens(f, KEY, PAWL_EKEY, "leave the key out, or make another log with it");
        check_verifies(f, KEY, PAWL_EDAMAGED, 1, "seq 1: it has no MAC: the log has no key");
}

LOG_TEST(another_key_is_refused_at_once)
{
        make(f);
        event_log_close(f);
        check_opens(
                f, OTHER, PAWL_EKEY, "the key is not this log's; give the one that it was made");
        check_opens(f, KEY "0", PAWL_EKEY, "the key is not this log's");
}

LOG_TEST(without_the_key_nothing_is_appended)
{
        const pawl_text none = {NULL, 0}, run = {"run", 3};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);
        unsigned char hash[32] = {1};
        uint64_t seq = 99, fence = 99;

        make(f);
        f->key = NULL;
        event_log_open(f);
        int64_t before = rows(f);
        assert_int_equal(pawl__log_append(&seq, f->log, &event, 1, 0), PAWL_EKEY);
        assert_says(
                pawl_log_errmsg(f->log), "the log is keyed, and takes no event without its key");
        assert_int_equal(seq, 99);
        assert_int_equal(pawl_log_claim(&fence, f->log, "m", "run", "a", NULL), PAWL_EKEY);
        assert_ok(pawl__batch_event(&batch, &event, NULL));
        assert_ok(pawl__batch_blob(&batch, hash, run, NULL));
        assert_int_equal(pawl__log_commit(f->log, &batch, 0, &seq), PAWL_EKEY);
        assert_int_equal(
                pawl__log_claim(&fence, f->log, none, run, none, none, &batch, NULL), PAWL_EKEY);
        assert_int_equal(seq, 99);
        assert_int_equal(fence, 99);
        assert_int_equal(rows(f), before);
        pawl__batch_free(&batch);
        /* It can be read. */
        pawl_cursor *cursor;
        assert_ok(pawl_cursor_open(&cursor, f->log, 9));
        assert_ok(pawl_cursor_next(cursor, &event));
        assert_int_equal(event.seq, 10);
        pawl_cursor_close(cursor);
        /* And with the key it goes on. */
        f->key = KEY;
        event_log_open(f);
        event_log_fill(f, 1);
        event_log_close(f);
        check_verifies(f, KEY, PAWL_OK, 0, NULL);
}

LOG_TEST(keys_of_a_wrong_length_are_refused)
{
        static char longest[PAWL_KEY_MAX + 2];
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        static const size_t lengths[] = {1, PAWL_KEY_MIN - 1, PAWL_KEY_MAX + 1};

        for (size_t i = 0; i < 3; i++) {
                memset(longest, 'k', lengths[i]);
                longest[lengths[i]] = '\0';
                f->key = longest;
                assert_int_equal(event_log_try(&log, f, &err), PAWL_EINVAL);
                assert_says(err.message, "bytes; give 32 to 1024, or none");
        }
        memset(longest, 'k', PAWL_KEY_MAX);
        longest[PAWL_KEY_MAX] = '\0';
        event_log_open(f);
        event_log_fill(f, 1);
        event_log_close(f);
        check_verifies(f, longest, PAWL_OK, 0, NULL);
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        options.key_len = 32;
        assert_int_equal(pawl_log_open(&log, f->path, &options, &err), PAWL_EINVAL);
        options.key_len = 0;
        options.key = KEY;
        assert_int_equal(pawl_log_open(&log, f->path, &options, &err), PAWL_EINVAL);
}

LOG_TEST(what_was_done_to_the_macs_is_found)
{
        static const struct {
                const char *sql;
                uint64_t bad_seq;
                const char *says;
        } cases[] = {
                {"UPDATE macs SET mac = zeroblob(32) WHERE seq = 6", 6, "its MAC does not fit"},
                {"UPDATE macs SET mac = (SELECT m.mac FROM macs m WHERE m.seq = 6) WHERE seq = 5",
                        5, "its MAC does not fit"},
                {"UPDATE macs SET mac = x'00' WHERE seq = 4", 4, "its MAC is not 32 bytes"},
                {"UPDATE macs SET mac = zeroblob(33) WHERE seq = 4", 4, "its MAC is not 32 bytes"},
                {"DELETE FROM macs WHERE seq = 1", 1, "its MAC is missing"},
                {"DELETE FROM macs WHERE seq = 7", 7, "its MAC is missing"},
                {"DELETE FROM macs WHERE seq = 10", 10, "its MAC is missing"},
                {"DELETE FROM macs", 1, "its MAC is missing"},
                {"UPDATE macs SET seq = seq + 100 WHERE seq > 3", 4, "its MAC is missing"},
                {"DELETE FROM events WHERE seq > 8", 9,
                        "the log ends at 8 and there are MACs up to 10, so its tail was cut"},
                {"DELETE FROM events", 1, "the log ends at 0 and there are MACs up to 10"},
                {"DELETE FROM chain_key", 1, "it has no MAC: the log has no key"},
                {"DELETE FROM chain_key; DELETE FROM macs", 1, "it has no MAC"},
                {"DROP TABLE chain_key; DROP TABLE macs; PRAGMA user_version = 1", 1,
                        "it has no MAC"},
                {"UPDATE chain_key SET key_check = zeroblob(32)", 1,
                        "its MAC fits, but the check of the key was changed"},
                {"UPDATE chain_key SET key_check = x'00'", 1,
                        "the check of the log's key is not 32 bytes"},
                {"UPDATE events SET actor = 'user:eve' WHERE seq = 3", 3, "its hash does not fit"},
        };

        make(f);
        event_log_close(f);
        char *wal = path_in(f->directory, ".pawl/events.db-wal");
        char *shm = path_in(f->directory, ".pawl/events.db-shm");
        size_t len;
        char *good = file_read(f->path, &len);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                event_log_sql(f, cases[i].sql);
                check_verifies(f, KEY, PAWL_EDAMAGED, cases[i].bad_seq, cases[i].says);
                file_write(f->path, good, len);
                (void)remove(wal);
                (void)remove(shm);
                check_verifies(f, KEY, PAWL_OK, 0, NULL);
        }
}

/* Somebody without the key changes an event and makes every hash after it again. */
LOG_TEST(a_chain_that_was_made_again_without_the_key_is_found)
{
        char *forged = path_in(f->directory, "forged.db"), sql[400];

        make(f);
        event_log_close(f);
        event_log other = *f;
        other.path = forged;
        other.key = NULL;
        other.log = NULL;
        event_log_open(&other);
        event_log_fill(&other, 5);
        pawl_event event =
                event_scope("{\"scope_id\":\"core\",\"glossary_version_id\":\"forged\"}");
        assert_ok(append_one(other.log, event, 0));
        event_log_fill(&other, 4);
        event_log_close(&other);
        snprintf(sql, sizeof sql,
                "ATTACH '%s' AS forged; DELETE FROM events; "
                "INSERT INTO events SELECT * FROM forged.events",
                forged);
        event_log_sql(f, sql);
        check_verifies(f, NULL, PAWL_OK, 0, NULL);
        check_verifies(f, KEY, PAWL_EDAMAGED, 6, "seq 6: its MAC does not fit its hash");
        /* Nothing follows it under the key, which would vouch for it. */
        f->key = KEY;
        event_log_open(f);
        assert_int_equal(append_one(f->log, event, 0), PAWL_EDAMAGED);
        assert_non_null(strstr(pawl_log_errmsg(f->log), "seq 10: its MAC does not fit its hash"));
        assert_int_equal(event_log_count(f), 10);
        event_log_close(f);
        check_verifies(f, KEY, PAWL_EDAMAGED, 6, "seq 6: its MAC does not fit its hash");
}

/* What a child does that finds no log, or another's: 0 appended, 1 refused, 2 something else. */
static int make_and_append(event_log *f, const char *key)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;

        f->key = key;
        pawl_status status = event_log_try(&log, f, &err);
        if (!status)
                status = append_one(log, event_scope(NULL), 0);
        if (status && status != PAWL_EKEY)
                fprintf(stderr, "%s\n", log ? pawl_log_errmsg(log) : err.message);
        pawl_log_close(log);
        return !status ? 0 : status == PAWL_EKEY ? 1 : 2;
}

LOG_TEST(of_processes_that_make_a_log_at_once_one_says_whether_it_is_keyed)
{
        enum { CHILDREN = 6, ROUNDS = 5 };
        static const char *const suffixes[] = {"", "-wal", "-shm"};
        char name[4096];

        for (int round = 0; round < ROUNDS; round++) {
                pid_t child[CHILDREN];
                int status, appended = 0;
                for (int i = 0; i < CHILDREN; i++) {
                        fflush(NULL);
                        child[i] = fork();
                        assert_true(child[i] >= 0);
                        if (child[i] == 0)
                                _exit(make_and_append(f, i % 2 ? KEY : NULL));
                }
                for (int i = 0; i < CHILDREN; i++) {
                        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
                        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
                        appended += WEXITSTATUS(status) == 0;
                }
                assert_int_equal(appended, CHILDREN / 2);
                assert_int_equal(event_log_count(f), CHILDREN / 2);
                bool keyed = event_log_integer(f, "SELECT count(*) FROM chain_key") == 1;
                assert_int_equal(event_log_integer(f, "SELECT count(*) FROM macs"),
                        keyed ? CHILDREN / 2 : 0);
                check_verifies(f, keyed ? KEY : NULL, PAWL_OK, 0, NULL);
                for (size_t i = 0; i < 3; i++) {
                        snprintf(name, sizeof name, "%s%s", f->path, suffixes[i]);
                        (void)remove(name);
                }
        }
}

typedef struct appender {
        pthread_t thread;
        pawl_log *log;
        pawl_status worst;
} appender;

enum { APPENDS = 40 };

static void *append_some(void *user)
{
        appender *a = user;

        for (int i = 0; i < APPENDS; i++) {
                pawl_status status = append_one(a->log, event_scope(NULL), 0);
                if (status)
                        a->worst = status;
        }
        return NULL;
}

/* Handles of one process share commits: whose handle has no key gets in with nobody. */
LOG_TEST(no_event_comes_in_with_those_of_a_handle_that_has_the_key)
{
        enum { THREADS = 4 };
        appender all[THREADS];

        f->key = KEY;
        event_log_open(f);
        for (int i = 0; i < THREADS; i++) {
                f->key = i == 2 ? NULL : KEY;
                all[i] = (appender){.log = event_log_another(f)};
                f->key = KEY;
        }
        for (int i = 0; i < THREADS; i++)
                assert_int_equal(pthread_create(&all[i].thread, NULL, append_some, &all[i]), 0);
        for (int i = 0; i < THREADS; i++) {
                assert_int_equal(pthread_join(all[i].thread, NULL), 0);
                assert_int_equal(all[i].worst, i == 2 ? PAWL_EKEY : PAWL_OK);
                pawl_log_close(all[i].log);
        }
        assert_int_equal(event_log_count(f), (THREADS - 1) * APPENDS);
        event_log_close(f);
        check_verifies(f, KEY, PAWL_OK, 0, NULL);
}

/* Contents: put and dropped within a batch's prepare hook, in the batch's transaction or not at
 * all. */
#include "state/state.h"
#include "support/contents.h"
#include <unistd.h>

LOG_TEST(contents_and_events_of_a_fill_are_one_transaction)
{
        pawl_log *log = event_log_open(f);
        content_work w = {.first = 7, .contents = 2, .part_len = CONTENT_PART, .events = 2};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);
        uint64_t seq = 0;

        assert_ok(pawl__batch_event(&batch, &event, NULL));
        assert_ok(contents_commit(log, &w, &batch, &seq));
        assert_int_equal(w.calls, 1);
        assert_int_equal(seq, 3);
        assert_int_equal(batch.n, 0); /* cleared, the hook too */
        assert_null(batch.prepare);
        assert_int_equal(event_log_count(f), 3);
        assert_int_equal(contents_rows(f), 2 * CONTENT_PARTS);
        content_check(log, 7, CONTENT_PART);
        content_check(log, 8, CONTENT_PART);
        /* Once each: what is there stays as it is, though other bytes come for it. */
        w = (content_work){.first = 8, .contents = 2, .part_len = 10};
        assert_ok(contents_commit(log, &w, &batch, NULL));
        assert_int_equal(contents_rows(f), 3 * CONTENT_PARTS);
        content_check(log, 8, CONTENT_PART);
        content_check(log, 9, 10);
        /* Parts without a byte, too. */
        w = (content_work){.first = 10, .contents = 1, .part_len = 0};
        assert_ok(contents_commit(log, &w, &batch, NULL));
        content_check(log, 10, 0);
        pawl__batch_free(&batch);
}

LOG_TEST(what_is_not_there_is_not_found)
{
        pawl_log *log = event_log_open(f);
        content_work w = {.first = 7, .contents = 1, .part_len = CONTENT_PART};
        unsigned char hash[32];
        pawl__buf out = PAWL__BUF_INIT;
        uint64_t size = 99;
        bool has = true;

        assert_ok(contents_commit_one(log, &w));
        content_hash(hash, 7);
        assert_int_equal(
                pawl__log_content_get(&out, &size, log, hash, CONTENT_PARTS), PAWL_ENOTFOUND);
        assert_says(pawl_log_errmsg(log),
                "content 0707070707070707: its part 3 is not in the log; it was pruned");
        content_hash(hash, 8);
        assert_int_equal(pawl__log_content_get(&out, &size, log, hash, 0), PAWL_ENOTFOUND);
        assert_int_equal(size, 99);
        assert_int_equal(out.len, 0);
        assert_ok(pawl__log_content_has(&has, log, hash));
        assert_false(has);
}

LOG_TEST(contents_are_listed_once_each_and_dropped_whole)
{
        pawl_log *log = event_log_open(f);
        unsigned char hash[32];
        content_work w = {.first = 9, .contents = 1, .part_len = 10}, drop = {.drops = hash};
        content_listing all = {.stop_at = 4}, two = {.stop_at = 2}, left = {.stop_at = 4};

        assert_ok(contents_commit_one(log, &w));
        w = (content_work){.first = 7, .contents = 2, .part_len = CONTENT_PART};
        assert_ok(contents_commit_one(log, &w));
        assert_ok(pawl__log_content_each(log, contents_list, &all));
        assert_int_equal(all.n, 3);
        for (unsigned char i = 0; i < 3; i++) {
                content_hash(hash, (unsigned char)(7 + i));
                assert_memory_equal(all.hash[i], hash, 32);
                assert_int_equal(all.size[i], 1007 + i);
                assert_int_equal(all.stored[i], CONTENT_PARTS * (i < 2 ? CONTENT_PART : 10));
                assert_int_equal(all.parts[i], CONTENT_PARTS);
        }
        assert_int_equal(pawl__log_content_each(log, contents_list, &two), PAWL_EEXISTS);
        assert_int_equal(two.n, 2);

        content_hash(hash, 8);
        assert_ok(contents_commit_one(log, &drop));
        assert_ok(pawl__log_content_each(log, contents_list, &left));
        assert_int_equal(left.n, 2);
        assert_int_equal(left.hash[1][0], 9);
        assert_int_equal(contents_rows(f), 2 * CONTENT_PARTS);
        assert_ok(contents_commit_one(log, &drop)); /* that it is gone is no failure */
        /* Dropped and put in one fill, it is what was put: how a damaged one is mended. */
        content_hash(hash, 9);
        w = (content_work){.drops = hash, .first = 9, .contents = 1, .part_len = CONTENT_PART};
        assert_ok(contents_commit_one(log, &w));
        content_check(log, 9, CONTENT_PART);
}

/* Its status, whatever it is; nothing written; the batch as it was, and good for another try. */
LOG_TEST(a_fill_that_fails_takes_everything_back)
{
        pawl_log *log = event_log_open(f);
        static const pawl_status statuses[] = {PAWL_EINPUTS, PAWL_EIO, PAWL_EBUSY, PAWL_BLOCKED};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);

        assert_ok(pawl__batch_event(&batch, &event, NULL));
        for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
                content_work w = {.first = 7,
                        .contents = 2,
                        .part_len = CONTENT_PART,
                        .events = 3,
                        .fails = statuses[i]};
                uint64_t seq = 99;
                assert_int_equal(contents_commit(log, &w, &batch, &seq), statuses[i]);
                assert_string_equal(
                        pawl_log_errmsg(log), "a file: changed while it was read; try again");
                assert_int_equal(seq, 99);
                assert_int_equal(w.calls, 1);
                assert_int_equal(batch.n, 1);
                assert_int_equal(event_log_count(f), 0);
                assert_int_equal(contents_rows(f), 0);
        }
        content_work w = {.first = 7, .contents = 1, .part_len = CONTENT_PART, .events = 1};
        assert_ok(contents_commit(log, &w, &batch, NULL));
        assert_int_equal(event_log_count(f), 2);
        content_check(log, 7, CONTENT_PART);
        pawl__batch_free(&batch);
}

/* What the hook added fails after it: the same. */
LOG_TEST(an_event_that_is_refused_after_the_fill_takes_everything_back)
{
        pawl_log *log = event_log_open(f);
        const pawl_event unknown = {.type = pawl__text("Unheard")};
        content_work w = {.first = 7,
                .contents = 1,
                .part_len = CONTENT_PART,
                .events = 1,
                .event = &unknown};
        pawl__batch batch = PAWL__BATCH_INIT;

        assert_int_equal(contents_commit(log, &w, &batch, NULL), PAWL_EINVAL);
        assert_says(pawl_log_errmsg(log), "\"Unheard\": is not known");
        assert_int_equal(batch.n, 0);
        assert_int_equal(contents_rows(f), 0);
        pawl__batch_free(&batch);
}

LOG_TEST(a_fence_is_asked_for_before_the_fill_and_for_what_it_adds)
{
        pawl_log *log = event_log_open(f);
        const pawl_event owned = {.type = pawl__text("RunCompleted"),
                .run_id = pawl__text("run-1"),
                .payload = pawl__text("{}")};
        content_work w = {.first = 7, .contents = 1, .part_len = CONTENT_PART};
        pawl__batch batch = PAWL__BATCH_INIT;
        uint64_t fence = 0;

        assert_ok(pawl__batch_event(&batch, &owned, NULL));
        assert_int_equal(contents_commit(log, &w, &batch, NULL), PAWL_EFENCED);
        assert_int_equal(w.calls, 0);
        pawl__batch_clear(&batch);

        w.events = 1;
        w.event = &owned;
        assert_int_equal(contents_commit(log, &w, &batch, NULL), PAWL_EFENCED);
        assert_int_equal(w.calls, 1);
        assert_int_equal(contents_rows(f), 0);

        /* A claim's fill has the claim already. */
        batch.prepare = contents_fill;
        batch.prepare_user = &w;
        assert_ok(pawl__log_claim(&fence, log, pawl__text("mission"), pawl__text("run-1"),
                pawl__text(NULL), pawl__text(NULL), &batch, NULL));
        assert_int_equal(w.calls, 2);
        assert_null(batch.prepare);
        assert_int_equal(contents_rows(f), CONTENT_PARTS);
        assert_int_equal(event_log_count(f), 2);
        pawl__batch_free(&batch);
}

/* What a prepare hook adds may go between events that wait; where it fails, they wait on in their
 * order. */
LOG_TEST(a_fill_may_add_its_event_between_others)
{
        pawl_log *log = event_log_open(f);
#define OF(scope) event_scope("{\"glossary_version_id\":\"v1\",\"scope_id\":\"" scope "\"}")
        pawl_event first = OF("first"), second = OF("second"), between = OF("between");
        content_work w = {.events = 1, .event = &between, .fails = PAWL_EINPUTS};
        pawl__batch batch = PAWL__BATCH_INIT;

        assert_ok(pawl__batch_event(&batch, &first, NULL));
        assert_ok(pawl__batch_event(&batch, &second, NULL));
        batch.prepare_between = true;
        batch.n_before = 1;
        assert_int_equal(contents_commit(log, &w, &batch, NULL), PAWL_EINPUTS);
        assert_int_equal(event_log_count(f), 0);
        assert_int_equal(batch.n, 2);
        w.fails = PAWL_OK;
        assert_ok(contents_commit(log, &w, &batch, NULL));
        assert_int_equal(event_log_count(f), 3);
        for (int i = 0; i < 3; i++) {
                static const char *const order[] = {"first", "between", "second"};
                char sql[128];
                snprintf(sql, sizeof sql,
                        "SELECT count(*) FROM events WHERE seq = %d AND payload LIKE '%%\"%s\"%%'",
                        i + 1, order[i]);
                assert_int_equal(event_log_integer(f, sql), 1);
        }
        pawl__batch_free(&batch);
}

LOG_TEST(a_claim_whose_fill_fails_claims_nothing)
{
        pawl_log *log = event_log_open(f);
        content_work w = {.first = 7,
                .contents = 1,
                .part_len = CONTENT_PART,
                .events = 1,
                .fails = PAWL_EINPUTS};
        pawl__batch batch = {.prepare = contents_fill, .prepare_user = &w};
        uint64_t fence = 99;
        bool held = true;

        assert_int_equal(pawl__log_claim(&fence, log, pawl__text("mission"), pawl__text("run-1"),
                                 pawl__text(NULL), pawl__text(NULL), &batch, NULL),
                PAWL_EINPUTS);
        assert_says(pawl_log_errmsg(log), "changed while it was read");
        assert_int_equal(fence, 99);
        assert_int_equal(batch.n, 0);
        assert_int_equal(event_log_count(f), 0);
        assert_int_equal(contents_rows(f), 0);
        assert_ok(pawl__log_holder(&held, NULL, log, pawl__text("run-1")));
        assert_false(held);
        pawl__batch_free(&batch);
}

/* A prepare hook sees the log as it will stand, and cannot append on its own. */
static pawl_log *the_log;

static void look_and_append(void *user)
{
        bool *has = user;
        unsigned char hash[32];

        content_hash(hash, 7);
        assert_ok(pawl__log_content_has(has, the_log, hash));
        assert_int_equal(append_one(the_log, event_scope(NULL), 0), PAWL_ESTATE);
}

LOG_TEST(a_fill_sees_what_it_put_and_cannot_append)
{
        bool has = false;
        content_work w = {.first = 7,
                .contents = 1,
                .part_len = CONTENT_PART,
                .meanwhile = look_and_append,
                .user = &has};

        the_log = event_log_open(f);
        assert_ok(contents_commit_one(the_log, &w));
        assert_true(has);
        assert_int_equal(event_log_count(f), 1);
}

LOG_TEST(a_log_that_is_read_only_gives_contents_and_takes_none)
{
        content_work w = {.first = 7, .contents = 1, .part_len = CONTENT_PART};

        assert_ok(contents_commit_one(event_log_open(f), &w));
        event_log_close(f);
        f->flags = PAWL_LOG_READONLY;
        event_log_open(f);
        content_check(f->log, 7, CONTENT_PART);
        assert_int_equal(contents_commit_one(f->log, &w), PAWL_EREADONLY);
        assert_int_equal(w.calls, 1);
}

LOG_TEST(rows_of_other_forms_are_damage)
{
        content_work w = {.first = 7, .contents = 1, .part_len = CONTENT_PART};
        unsigned char hash[32];
        pawl__buf out = PAWL__BUF_INIT;
        content_listing l = {.stop_at = 4};

        content_hash(hash, 7);
        assert_ok(contents_commit_one(event_log_open(f), &w));
        event_log_sql(f, "UPDATE contents SET size = -1");
        assert_int_equal(pawl__log_content_get(&out, NULL, f->log, hash, 0), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "content 0707070707070707: its size is not a size");
        assert_int_equal(pawl__log_content_each(f->log, contents_list, &l), PAWL_EDAMAGED);
        event_log_sql(
                f, "UPDATE contents SET size = 1; UPDATE contents SET hash = x'00' WHERE part = 0");
        assert_int_equal(pawl__log_content_each(f->log, contents_list, &l), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "whose hash is not 32 bytes");
        event_log_sql(f, "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = "
                         "replace(sql, 'STRICT', '') WHERE name = 'contents'");
        event_log_sql(f, "UPDATE contents SET data = 'text' WHERE part = 1");
        event_log_close(f);
        event_log_open(f);
        assert_int_equal(pawl__log_content_get(&out, NULL, f->log, hash, 1), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "its data is not bytes");
        assert_int_equal(out.len, 0);
}

LOG_TEST(a_backup_has_them_and_a_rebuild_keeps_them)
{
        content_work w = {.first = 7, .contents = 3, .part_len = CONTENT_PART};
        event_log copy = *f;
        pawl_verify_result result;

        needs_file();
        assert_ok(contents_commit_one(event_log_open(f), &w));
        assert_ok(pawl__state_rebuild(f->log, pawl__log_error(f->log)));
        content_check(f->log, 8, CONTENT_PART);
        copy.path = path_in(f->directory, "copy.db");
        assert_ok(pawl_log_backup(NULL, f->log, copy.path, NULL, NULL));
        copy.flags = PAWL_LOG_READONLY;
        copy.log = NULL;
        event_log_open(&copy);
        assert_ok(pawl_log_verify(&result, copy.log, 0, NULL));
        for (unsigned char which = 7; which < 10; which++)
                content_check(copy.log, which, CONTENT_PART);
        event_log_close(&copy);
}

/* ---- Beside other writers -------------------------------------------------------------------- */

typedef struct appender {
        pawl_log *log;
        pthread_t thread;
        pawl_status status;
} appender;

enum { APPENDERS = 3 };

typedef struct others {
        appender a[APPENDERS];
        bool wait_for_them; /* to give up */
} others;

static void *append_once(void *user)
{
        appender *a = user;

        a->status = append_one(a->log, event_scope(NULL), 0);
        return NULL;
}

/* In the hook: others come, and wait. */
static void let_others_come(void *user)
{
        others *o = user;

        for (size_t i = 0; i < APPENDERS; i++) {
                assert_int_equal(pthread_create(&o->a[i].thread, NULL, append_once, &o->a[i]), 0);
                while (!o->wait_for_them && pawl__group_waiting(the_log) < i + 1)
                        usleep(100);
        }
        for (size_t i = 0; i < APPENDERS && o->wait_for_them; i++)
                assert_int_equal(pthread_join(o->a[i].thread, NULL), 0);
}

static void beside(event_log *f, others *o, pawl_status fails)
{
        content_work w = {.first = 7,
                .contents = 1,
                .part_len = CONTENT_PART,
                .fails = fails,
                .meanwhile = let_others_come,
                .user = o};

        the_log = event_log_open(f);
        for (size_t i = 0; i < APPENDERS; i++)
                o->a[i].log = event_log_another(f);
        assert_int_equal(contents_commit_one(the_log, &w), fails);
        for (size_t i = 0; i < APPENDERS && !o->wait_for_them; i++)
                assert_int_equal(pthread_join(o->a[i].thread, NULL), 0);
        for (size_t i = 0; i < APPENDERS; i++)
                pawl_log_close(o->a[i].log);
        assert_int_equal(w.calls, 1);
}

LOG_TEST(those_who_wait_meanwhile_are_served_after_it)
{
        others o = {.wait_for_them = false};

        beside(f, &o, PAWL_OK);
        for (size_t i = 0; i < APPENDERS; i++)
                assert_ok(o.a[i].status);
        assert_int_equal(event_log_count(f), 1 + APPENDERS);
        assert_int_equal(contents_rows(f), CONTENT_PARTS);
}

LOG_TEST(those_who_wait_do_not_share_its_failure)
{
        others o = {.wait_for_them = false};

        beside(f, &o, PAWL_EINPUTS);
        for (size_t i = 0; i < APPENDERS; i++)
                assert_ok(o.a[i].status);
        assert_int_equal(event_log_count(f), APPENDERS);
        assert_int_equal(contents_rows(f), 0);
}

LOG_TEST(those_who_wait_for_too_long_are_refused_as_busy)
{
        others o = {.wait_for_them = true};

        f->busy_ms = 20;
        beside(f, &o, PAWL_OK);
        for (size_t i = 0; i < APPENDERS; i++)
                assert_int_equal(o.a[i].status, PAWL_EBUSY);
        assert_int_equal(event_log_count(f), 1);
        assert_int_equal(contents_rows(f), CONTENT_PARTS);
}

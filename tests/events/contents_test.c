/* Contents: put and dropped within a batch's fill, in the batch's transaction or not at all. */
#include "events/group.h"
#include "state/state.h"
#include "support/allocator.h"
#include "support/event_log.h"
#include "support/vfs.h"
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 3, PART = 6000, SWEEP_MAX = 2000 };

/* What a fill does, in this order, and how often it was called. */
typedef struct work {
        unsigned char first; /* contents of these hashes are put */
        int contents;
        size_t part_len;
        int events;
        const pawl_event *event; /* what it adds; NULL: of a scope */
        const unsigned char *drops;
        pawl_status fails;
        void (*meanwhile)(void *user);
        void *user;
        int calls;
} work;

static void hash_of(unsigned char hash[32], unsigned char which)
{
        memset(hash, which, 32);
}

/* What zstd would leave: bytes that do not repeat. */
static void data_of(unsigned char *data, size_t len, uint32_t seed)
{
        for (size_t i = 0; i < len; i++) {
                seed = seed * 1664525 + 1013904223;
                data[i] = (unsigned char)(seed >> 24);
        }
}

static pawl_status put_content(pawl_log *log, unsigned char which, size_t part_len)
{
        unsigned char hash[32];
        unsigned char *data = malloc(part_len ? part_len : 1);
        pawl_status status = data ? PAWL_OK : PAWL_ENOMEM;

        hash_of(hash, which);
        for (uint32_t part = 0; part < PARTS && !status; part++) {
                data_of(data, part_len, which * 16U + part);
                status = pawl__log_content_put(
                        log, hash, part, 1000U + which, part_len ? data : NULL, part_len);
        }
        free(data);
        return status;
}

static pawl_status do_work(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        work *w = user;
        pawl_status status = PAWL_OK;

        w->calls++;
        if (w->drops)
                status = pawl__log_content_drop(log, w->drops);
        for (int i = 0; i < w->contents && !status; i++)
                status = put_content(log, (unsigned char)(w->first + i), w->part_len);
        for (int i = 0; i < w->events && !status; i++) {
                pawl_event event = w->event ? *w->event : event_scope(NULL);
                status = pawl__batch_event(batch, &event, err);
        }
        if (w->meanwhile)
                w->meanwhile(w->user);
        if (!status && w->fails)
                return pawl__fail(err, w->fails, "a file: changed while it was read; try again");
        return status;
}

static pawl_status commit(pawl_log *log, work *w, pawl__batch *batch, uint64_t *seq)
{
        batch->fill = do_work;
        batch->fill_user = w;
        return pawl__log_commit(log, batch, 0, seq);
}

/* A batch of one event and a fill. */
static pawl_status commit_one(pawl_log *log, work *w)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);
        pawl_status status = pawl__batch_event(&batch, &event, pawl__log_error(log));

        if (!status)
                status = commit(log, w, &batch, NULL);
        pawl__batch_free(&batch);
        return status;
}

static int64_t rows(event_log *f)
{
        return event_log_integer(f, "SELECT count(*) FROM contents");
}

static void check_content(pawl_log *log, unsigned char which, size_t part_len)
{
        unsigned char hash[32], *data = malloc(part_len ? part_len : 1);
        uint64_t size = 0;
        bool has = false;

        assert_non_null(data);
        hash_of(hash, which);
        assert_int_equal(pawl__log_content_has(&has, log, hash), PAWL_OK);
        assert_true(has);
        for (uint32_t part = 0; part < PARTS; part++) {
                pawl__buf out = PAWL__BUF_INIT;
                assert_int_equal(pawl__buf_adds(&out, "before"), PAWL_OK);
                assert_int_equal(pawl__log_content_get(&out, &size, log, hash, part), PAWL_OK);
                data_of(data, part_len, which * 16U + part);
                assert_int_equal(out.len, 6 + part_len);
                assert_memory_equal(out.data + 6, data, part_len);
                assert_int_equal(size, 1000U + which);
                pawl__buf_free(&out);
        }
        free(data);
}

static void contents_and_events_of_a_fill_are_one_transaction(void **state)
{
        event_log *f = *state;
        pawl_log *log = event_log_open(f);
        work w = {.first = 7, .contents = 2, .part_len = PART, .events = 2};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);
        uint64_t seq = 0;

        assert_int_equal(pawl__batch_event(&batch, &event, NULL), PAWL_OK);
        assert_int_equal(commit(log, &w, &batch, &seq), PAWL_OK);
        assert_int_equal(w.calls, 1);
        assert_int_equal(seq, 3);
        assert_int_equal(batch.n, 0); /* cleared, the fill too */
        assert_null(batch.fill);
        assert_int_equal(event_log_count(f), 3);
        assert_int_equal(rows(f), 2 * PARTS);
        check_content(log, 7, PART);
        check_content(log, 8, PART);
        /* Once each: what is there stays as it is, though other bytes come for it. */
        w = (work){.first = 8, .contents = 2, .part_len = 10};
        assert_int_equal(commit(log, &w, &batch, NULL), PAWL_OK);
        assert_int_equal(rows(f), 3 * PARTS);
        check_content(log, 8, PART);
        check_content(log, 9, 10);
        /* Parts without a byte, too. */
        w = (work){.first = 10, .contents = 1, .part_len = 0};
        assert_int_equal(commit(log, &w, &batch, NULL), PAWL_OK);
        check_content(log, 10, 0);
        pawl__batch_free(&batch);
}

static void what_is_not_there_is_not_found(void **state)
{
        event_log *f = *state;
        pawl_log *log = event_log_open(f);
        work w = {.first = 7, .contents = 1, .part_len = PART};
        unsigned char hash[32];
        pawl__buf out = PAWL__BUF_INIT;
        uint64_t size = 99;
        bool has = true;

        assert_int_equal(commit_one(log, &w), PAWL_OK);
        hash_of(hash, 7);
        assert_int_equal(pawl__log_content_get(&out, &size, log, hash, PARTS), PAWL_ENOTFOUND);
        assert_says(pawl_log_errmsg(log),
                "content 0707070707070707: its part 3 is not in the log; it was pruned");
        hash_of(hash, 8);
        assert_int_equal(pawl__log_content_get(&out, &size, log, hash, 0), PAWL_ENOTFOUND);
        assert_int_equal(size, 99);
        assert_int_equal(out.len, 0);
        assert_int_equal(pawl__log_content_has(&has, log, hash), PAWL_OK);
        assert_false(has);
}

typedef struct listing {
        unsigned char hash[4][32];
        uint64_t size[4], stored[4], parts[4];
        size_t n, stop_at;
} listing;

static pawl_status list(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        listing *l = user;

        if (l->n == l->stop_at)
                return PAWL_EEXISTS;
        memcpy(l->hash[l->n], hash, 32);
        l->size[l->n] = size;
        l->stored[l->n] = stored;
        l->parts[l->n++] = parts;
        return PAWL_OK;
}

static void contents_are_listed_once_each_and_dropped_whole(void **state)
{
        event_log *f = *state;
        pawl_log *log = event_log_open(f);
        unsigned char hash[32];
        work w = {.first = 9, .contents = 1, .part_len = 10}, drop = {.drops = hash};
        listing all = {.stop_at = 4}, two = {.stop_at = 2}, left = {.stop_at = 4};

        assert_int_equal(commit_one(log, &w), PAWL_OK);
        w = (work){.first = 7, .contents = 2, .part_len = PART};
        assert_int_equal(commit_one(log, &w), PAWL_OK);
        assert_int_equal(pawl__log_content_each(log, list, &all), PAWL_OK);
        assert_int_equal(all.n, 3);
        for (unsigned char i = 0; i < 3; i++) {
                hash_of(hash, (unsigned char)(7 + i));
                assert_memory_equal(all.hash[i], hash, 32);
                assert_int_equal(all.size[i], 1007 + i);
                assert_int_equal(all.stored[i], PARTS * (i < 2 ? PART : 10));
                assert_int_equal(all.parts[i], PARTS);
        }
        assert_int_equal(pawl__log_content_each(log, list, &two), PAWL_EEXISTS);
        assert_int_equal(two.n, 2);

        hash_of(hash, 8);
        assert_int_equal(commit_one(log, &drop), PAWL_OK);
        assert_int_equal(pawl__log_content_each(log, list, &left), PAWL_OK);
        assert_int_equal(left.n, 2);
        assert_int_equal(left.hash[1][0], 9);
        assert_int_equal(rows(f), 2 * PARTS);
        assert_int_equal(commit_one(log, &drop), PAWL_OK); /* that it is gone is no failure */
        /* Dropped and put in one fill, it is what was put: how a damaged one is mended. */
        hash_of(hash, 9);
        w = (work){.drops = hash, .first = 9, .contents = 1, .part_len = PART};
        assert_int_equal(commit_one(log, &w), PAWL_OK);
        check_content(log, 9, PART);
}

/* Its status, whatever it is; nothing written; the batch as it was, and good for another try. */
static void a_fill_that_fails_takes_everything_back(void **state)
{
        event_log *f = *state;
        pawl_log *log = event_log_open(f);
        static const pawl_status statuses[] = {PAWL_EINPUTS, PAWL_EIO, PAWL_EBUSY, PAWL_BLOCKED};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);

        assert_int_equal(pawl__batch_event(&batch, &event, NULL), PAWL_OK);
        for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
                work w = {.first = 7,
                        .contents = 2,
                        .part_len = PART,
                        .events = 3,
                        .fails = statuses[i]};
                uint64_t seq = 99;
                assert_int_equal(commit(log, &w, &batch, &seq), statuses[i]);
                assert_string_equal(
                        pawl_log_errmsg(log), "a file: changed while it was read; try again");
                assert_int_equal(seq, 99);
                assert_int_equal(w.calls, 1);
                assert_int_equal(batch.n, 1);
                assert_int_equal(event_log_count(f), 0);
                assert_int_equal(rows(f), 0);
        }
        work w = {.first = 7, .contents = 1, .part_len = PART, .events = 1};
        assert_int_equal(commit(log, &w, &batch, NULL), PAWL_OK);
        assert_int_equal(event_log_count(f), 2);
        check_content(log, 7, PART);
        pawl__batch_free(&batch);
}

/* What the fill added fails after it: the same. */
static void an_event_that_is_refused_after_the_fill_takes_everything_back(void **state)
{
        event_log *f = *state;
        pawl_log *log = event_log_open(f);
        const pawl_event unknown = {.type = pawl__text("Unheard")};
        work w = {.first = 7, .contents = 1, .part_len = PART, .events = 1, .event = &unknown};
        pawl__batch batch = PAWL__BATCH_INIT;

        assert_int_equal(commit(log, &w, &batch, NULL), PAWL_EINVAL);
        assert_says(pawl_log_errmsg(log), "\"Unheard\": is not known");
        assert_int_equal(batch.n, 0);
        assert_int_equal(rows(f), 0);
        pawl__batch_free(&batch);
}

static void a_fence_is_asked_for_before_the_fill_and_for_what_it_adds(void **state)
{
        event_log *f = *state;
        pawl_log *log = event_log_open(f);
        const pawl_event owned = {.type = pawl__text("RunCompleted"),
                .run_id = pawl__text("run-1"),
                .payload = pawl__text("{}")};
        work w = {.first = 7, .contents = 1, .part_len = PART};
        pawl__batch batch = PAWL__BATCH_INIT;
        uint64_t fence = 0;

        assert_int_equal(pawl__batch_event(&batch, &owned, NULL), PAWL_OK);
        assert_int_equal(commit(log, &w, &batch, NULL), PAWL_EFENCED);
        assert_int_equal(w.calls, 0);
        pawl__batch_clear(&batch);

        w.events = 1;
        w.event = &owned;
        assert_int_equal(commit(log, &w, &batch, NULL), PAWL_EFENCED);
        assert_int_equal(w.calls, 1);
        assert_int_equal(rows(f), 0);

        /* A claim's fill has the claim already. */
        batch.fill = do_work;
        batch.fill_user = &w;
        assert_int_equal(pawl__log_claim(&fence, log, pawl__text("mission"), pawl__text("run-1"),
                                 pawl__text(NULL), pawl__text(NULL), &batch, NULL),
                PAWL_OK);
        assert_int_equal(w.calls, 2);
        assert_null(batch.fill);
        assert_int_equal(rows(f), PARTS);
        assert_int_equal(event_log_count(f), 2);
        pawl__batch_free(&batch);
}

static void a_claim_whose_fill_fails_claims_nothing(void **state)
{
        event_log *f = *state;
        pawl_log *log = event_log_open(f);
        work w = {.first = 7, .contents = 1, .part_len = PART, .events = 1, .fails = PAWL_EINPUTS};
        pawl__batch batch = {.fill = do_work, .fill_user = &w};
        uint64_t fence = 99;
        bool held = true;

        assert_int_equal(pawl__log_claim(&fence, log, pawl__text("mission"), pawl__text("run-1"),
                                 pawl__text(NULL), pawl__text(NULL), &batch, NULL),
                PAWL_EINPUTS);
        assert_says(pawl_log_errmsg(log), "changed while it was read");
        assert_int_equal(fence, 99);
        assert_int_equal(batch.n, 0);
        assert_int_equal(event_log_count(f), 0);
        assert_int_equal(rows(f), 0);
        assert_int_equal(pawl__log_holder(&held, NULL, log, pawl__text("run-1")), PAWL_OK);
        assert_false(held);
        pawl__batch_free(&batch);
}

/* A fill sees the log as it will stand, and cannot append by itself. */
static pawl_log *the_log;

static void look_and_append(void *user)
{
        bool *has = user;
        unsigned char hash[32];

        hash_of(hash, 7);
        assert_int_equal(pawl__log_content_has(has, the_log, hash), PAWL_OK);
        assert_int_equal(append_one(the_log, event_scope(NULL), 0), PAWL_ESTATE);
}

static void a_fill_sees_what_it_put_and_cannot_append(void **state)
{
        event_log *f = *state;
        bool has = false;
        work w = {.first = 7,
                .contents = 1,
                .part_len = PART,
                .meanwhile = look_and_append,
                .user = &has};

        the_log = event_log_open(f);
        assert_int_equal(commit_one(the_log, &w), PAWL_OK);
        assert_true(has);
        assert_int_equal(event_log_count(f), 1);
}

static void a_log_that_is_read_only_gives_contents_and_takes_none(void **state)
{
        event_log *f = *state;
        work w = {.first = 7, .contents = 1, .part_len = PART};

        assert_int_equal(commit_one(event_log_open(f), &w), PAWL_OK);
        event_log_close(f);
        f->flags = PAWL_LOG_READONLY;
        event_log_open(f);
        check_content(f->log, 7, PART);
        assert_int_equal(commit_one(f->log, &w), PAWL_EREADONLY);
        assert_int_equal(w.calls, 1);
}

static void rows_of_other_forms_are_damage(void **state)
{
        event_log *f = *state;
        work w = {.first = 7, .contents = 1, .part_len = PART};
        unsigned char hash[32];
        pawl__buf out = PAWL__BUF_INIT;
        listing l = {.stop_at = 4};

        hash_of(hash, 7);
        assert_int_equal(commit_one(event_log_open(f), &w), PAWL_OK);
        event_log_sql(f, "UPDATE contents SET size = -1");
        assert_int_equal(pawl__log_content_get(&out, NULL, f->log, hash, 0), PAWL_EDAMAGED);
        assert_says(pawl_log_errmsg(f->log), "content 0707070707070707: its size is not a size");
        assert_int_equal(pawl__log_content_each(f->log, list, &l), PAWL_EDAMAGED);
        event_log_sql(
                f, "UPDATE contents SET size = 1; UPDATE contents SET hash = x'00' WHERE part = 0");
        assert_int_equal(pawl__log_content_each(f->log, list, &l), PAWL_EDAMAGED);
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

static void a_backup_has_them_and_a_rebuild_keeps_them(void **state)
{
        event_log *f = *state;
        work w = {.first = 7, .contents = 3, .part_len = PART};
        event_log copy = *f;
        pawl_verify_result result;

        assert_int_equal(commit_one(event_log_open(f), &w), PAWL_OK);
        assert_int_equal(pawl__state_rebuild(f->log, pawl__log_error(f->log)), PAWL_OK);
        check_content(f->log, 8, PART);
        copy.path = path_in(f->folder, "copy.db");
        assert_int_equal(pawl_log_backup(NULL, f->log, copy.path, NULL, NULL), PAWL_OK);
        copy.flags = PAWL_LOG_READONLY;
        copy.log = NULL;
        event_log_open(&copy);
        assert_int_equal(pawl_log_verify(&result, copy.log, 0, NULL), PAWL_OK);
        for (unsigned char which = 7; which < 10; which++)
                check_content(copy.log, which, PART);
        event_log_close(&copy);
        free(copy.path);
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

/* In the fill: others come, and wait. */
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
        work w = {.first = 7,
                .contents = 1,
                .part_len = PART,
                .fails = fails,
                .meanwhile = let_others_come,
                .user = o};

        the_log = event_log_open(f);
        for (size_t i = 0; i < APPENDERS; i++)
                o->a[i].log = event_log_another(f);
        assert_int_equal(commit_one(the_log, &w), fails);
        for (size_t i = 0; i < APPENDERS && !o->wait_for_them; i++)
                assert_int_equal(pthread_join(o->a[i].thread, NULL), 0);
        for (size_t i = 0; i < APPENDERS; i++)
                pawl_log_close(o->a[i].log);
        assert_int_equal(w.calls, 1);
}

static void those_who_wait_meanwhile_are_served_after_it(void **state)
{
        event_log *f = *state;
        others o = {.wait_for_them = false};

        beside(f, &o, PAWL_OK);
        for (size_t i = 0; i < APPENDERS; i++)
                assert_int_equal(o.a[i].status, PAWL_OK);
        assert_int_equal(event_log_count(f), 1 + APPENDERS);
        assert_int_equal(rows(f), PARTS);
}

static void those_who_wait_do_not_share_its_failure(void **state)
{
        event_log *f = *state;
        others o = {.wait_for_them = false};

        beside(f, &o, PAWL_EINPUTS);
        for (size_t i = 0; i < APPENDERS; i++)
                assert_int_equal(o.a[i].status, PAWL_OK);
        assert_int_equal(event_log_count(f), APPENDERS);
        assert_int_equal(rows(f), 0);
}

static void those_who_wait_for_too_long_are_refused_as_busy(void **state)
{
        event_log *f = *state;
        others o = {.wait_for_them = true};

        f->busy_ms = 20;
        beside(f, &o, PAWL_OK);
        for (size_t i = 0; i < APPENDERS; i++)
                assert_int_equal(o.a[i].status, PAWL_EBUSY);
        assert_int_equal(event_log_count(f), 1);
        assert_int_equal(rows(f), PARTS);
}

/* ---- What goes wrong ------------------------------------------------------------------------- */

static void a_large_fill_that_fails_leaves_no_large_write_ahead_log(void **state)
{
        event_log *f = *state;
        pawl_log *log = event_log_open(f);
        work w = {.first = 1, .contents = 4, .part_len = 2 << 20, .fails = PAWL_EINPUTS};
        char *wal = path_in(f->folder, ".pawl/events.db-wal");
        struct stat st;

        assert_int_equal(commit_one(log, &w), PAWL_EINPUTS);
        assert_int_equal(stat(wal, &st), 0);
        assert_true(st.st_size < 1 << 20);
        assert_int_equal(rows(f), 0);
        w.fails = PAWL_OK;
        assert_int_equal(commit_one(log, &w), PAWL_OK);
        check_content(log, 4, 2 << 20);
        free(wal);
}

/* With the fault at the n-th operation, for each n: the event is there with all of its contents, or
 * neither is. */
static void sweep_faults(event_log *f, fault_kind kind, bool stays)
{
        int n, failures = 0;

        f->vfs = FAULT_VFS;
        fault_reset();
        event_log_open(f);
        int64_t events = event_log_count(f);
        event_log_close(f);
        for (n = 1; n < SWEEP_MAX; n++) {
                work w = {.first = (unsigned char)(1 + n % 200), .contents = 2, .part_len = PART};
                unsigned char drop[2][32];
                event_log_open(f);
                fault_at(kind, n, stays);
                pawl_status status = commit_one(f->log, &w);
                bool reached = fault_count() >= n;
                if (status && status != PAWL_EIO && status != PAWL_EFULL)
                        fail_msg("operation %d: %s", n, pawl_log_errmsg(f->log));
                failures += status != PAWL_OK;
                event_log_close(f);
                fault_reset();
                event_log_open(f);
                int64_t found = event_log_count(f);
                assert_true(found == events + 1 || (status && found == events));
                assert_int_equal(rows(f), (found - events) * 2 * PARTS);
                if (found > events)
                        check_content(f->log, w.first, PART);
                for (unsigned char i = 0; i < 2; i++) {
                        work goes = {.drops = drop[i]};
                        hash_of(drop[i], (unsigned char)(w.first + i));
                        assert_int_equal(commit_one(f->log, &goes), PAWL_OK);
                }
                assert_int_equal(rows(f), 0);
                events = found + 2;
                event_log_close(f);
                if (!reached)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        assert_true(failures >= 5);
}

static void an_io_error_at_any_operation_keeps_all_of_it_or_nothing(void **state)
{
        sweep_faults(*state, FAULT_EIO, false);
        sweep_faults(*state, FAULT_EIO, true);
}

static void a_disk_that_fills_up_keeps_all_of_it_or_nothing(void **state)
{
        sweep_faults(*state, FAULT_SHORT, false);
}

static void without_memory_at_any_allocation_nothing_is_kept(void **state)
{
        event_log *f = *state;
        unsigned char hash[32];
        size_t n;
        int refused = 0;

        if (!allocator_works())
                skip();
        hash_of(hash, 7);
        f->vfs = FAULT_VFS;
        fault_reset();
        event_log_open(f);
        event_log_fill(f, 1);
        for (n = 1; n < SWEEP_MAX; n++) {
                work w = {.first = 7, .contents = 1, .part_len = PART, .events = 1};
                pawl__buf out = PAWL__BUF_INIT;
                listing l = {.stop_at = 4};
                bool has = false;
                event_log_close(f);
                event_log_open(f);
                int64_t before = event_log_count(f);
                allocator_fail_at(n);
                pawl_status status = commit_one(f->log, &w);
                pawl_status wrote = status;
                if (!status)
                        status = pawl__log_content_has(&has, f->log, hash);
                if (!status)
                        status = pawl__log_content_get(&out, NULL, f->log, hash, 1);
                if (!status)
                        status = pawl__log_content_each(f->log, list, &l);
                work goes = {.drops = hash};
                if (!status)
                        status = commit_one(f->log, &goes);
                bool failed = allocator_failed();
                allocator_fail_at(0);
                pawl__buf_free(&out);
                if (status && status != PAWL_ENOMEM)
                        fail_msg("allocation %d: %s", (int)n, pawl_log_errmsg(f->log));
                refused += status != PAWL_OK;
                if (wrote) {
                        assert_int_equal(event_log_count(f), before);
                        assert_int_equal(rows(f), 0);
                } else if (status) {
                        assert_int_equal(rows(f), PARTS);
                        assert_int_equal(commit_one(f->log, &goes), PAWL_OK);
                }
                assert_int_equal(rows(f), 0);
                if (!failed)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        assert_true(refused > 10);
}

static int contents_teardown(void **state)
{
        fault_reset();
        return event_log_teardown(state);
}

#define CONTENTS_TEST(name)                                                                        \
        cmocka_unit_test_setup_teardown(name, event_log_setup, contents_teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                CONTENTS_TEST(contents_and_events_of_a_fill_are_one_transaction),
                CONTENTS_TEST(what_is_not_there_is_not_found),
                CONTENTS_TEST(contents_are_listed_once_each_and_dropped_whole),
                CONTENTS_TEST(a_fill_that_fails_takes_everything_back),
                CONTENTS_TEST(an_event_that_is_refused_after_the_fill_takes_everything_back),
                CONTENTS_TEST(a_fence_is_asked_for_before_the_fill_and_for_what_it_adds),
                CONTENTS_TEST(a_claim_whose_fill_fails_claims_nothing),
                CONTENTS_TEST(a_fill_sees_what_it_put_and_cannot_append),
                CONTENTS_TEST(a_log_that_is_read_only_gives_contents_and_takes_none),
                CONTENTS_TEST(rows_of_other_forms_are_damage),
                CONTENTS_TEST(a_backup_has_them_and_a_rebuild_keeps_them),
                CONTENTS_TEST(those_who_wait_meanwhile_are_served_after_it),
                CONTENTS_TEST(those_who_wait_do_not_share_its_failure),
                CONTENTS_TEST(those_who_wait_for_too_long_are_refused_as_busy),
                CONTENTS_TEST(a_large_fill_that_fails_leaves_no_large_write_ahead_log),
                CONTENTS_TEST(an_io_error_at_any_operation_keeps_all_of_it_or_nothing),
                CONTENTS_TEST(a_disk_that_fills_up_keeps_all_of_it_or_nothing),
                CONTENTS_TEST(without_memory_at_any_allocation_nothing_is_kept),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

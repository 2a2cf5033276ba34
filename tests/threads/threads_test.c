/* Threads of graph runners: what is put comes back, is kept once, and goes when it is deleted. */
#include "state/state.h"
#include "support/left_logs.h"
#include "support/threads.h"
#include "workspace/store/sweep.h"

static pawl_status count(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        (void)hash, (void)size, (void)stored, (void)parts;
        ++*(int *)user;
        return PAWL_OK;
}

static int contents(threads *t)
{
        pawl__contents *all;
        int n = 0;

        assert_ok(pawl__contents_open(&all, t->f->log, &t->err));
        assert_ok(pawl__contents_each(all, count, &n, &t->err));
        pawl__contents_close(all);
        return n;
}

THREADS_TEST(a_checkpoint_comes_back_with_the_values_that_did_not_change)
{
        threads_put(t, "t", NULL, "1", "a1=x b1=*y");
        threads_put(t, "t", "1", "2", "a2=z b1");
        threads_put(t, "t", "2", "3", "a2 b1");
        assert_string_equal(
                threads_of(t, "t"), "t 3<2 a=z b=y*10000\nt 2<1 a=z b=y*10000\nt 1< a=x b=y*10000");
        assert_int_equal(contents(t), 1);
        threads_open_again(t);
        threads_put(t, "t", "3", "4", "a2 b1");
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;
        filter.thread_id = "t";
        filter.checkpoint_ns = "";
        filter.limit = 1;
        assert_string_equal(threads_text(t, &filter), "t 4<3 a=z b=y*10000");
}

/* The payload of the last event. */
static const char *last_payload(threads *t)
{
        static char payload[8192];
        pawl_event event;
        pawl_cursor *cursor;

        assert_ok(pawl_cursor_open(&cursor, t->f->log, (uint64_t)event_log_count(t->f) - 1));
        assert_ok(pawl_cursor_next(cursor, &event));
        snprintf(payload, sizeof payload, "%.*s", (int)event.payload.len, event.payload.data);
        pawl_cursor_close(cursor);
        return payload;
}

THREADS_TEST(a_value_that_is_not_large_stands_in_one_event_and_is_named_by_those_after_it)
{
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;

        threads_put(t, "t", NULL, "1", "a1=x b1=+y");
        threads_put(t, "t", "1", "2", "a2=z b1");
        assert_says(last_payload(t),
                "{\"channel\":\"b\",\"seq\":1,\"type\":\"json\",\"version\":\"1\"}");
        threads_put(t, "t", "2", "3", "a2 b2=+q c1=+r");
        threads_put(t, "t", "3", "4", "a2 b2 c1");
        threads_put(t, "t", "1", "5", "b1 c1"); /* a copy: c is that of 3 and 4 */
        static const char all[] =
                "t 5<1 b=y*1000 c=r*1000\nt 4<3 a=z b=q*1000 c=r*1000\n"
                "t 3<2 a=z b=q*1000 c=r*1000\nt 2<1 a=z b=y*1000\nt 1< a=x b=y*1000";
        assert_string_equal(threads_of(t, "t"), all);
        assert_int_equal(contents(t), 0);
        for (int by_id = 0; by_id < 2; by_id++) {
                threads_open_again(t);
                filter.thread_id = "t";
                filter.checkpoint_id = by_id ? "4" : NULL;
                filter.checkpoint_ns = by_id ? "" : NULL;
                assert_string_equal(
                        threads_text(t, &filter), by_id ? "t 4<3 a=z b=q*1000 c=r*1000" : all);
                threads_put(t, "t", "4", by_id ? "7" : "6", "a2 b2 c1");
                assert_says(last_payload(t), "{\"channel\":\"c\",\"seq\":3,");
        }
        assert_says(
                threads_of(t, "t"), "t 7<4 a=z b=q*1000 c=r*1000\nt 6<4 a=z b=q*1000 c=r*1000\n");
}

THREADS_TEST(a_value_is_given_once_to_each_event_of_a_transaction_and_named_after_it)
{
        char text[200];
        const pawl_thread_channel given = {T("c"), T("1"), T("json"), {text, sizeof text}},
                                  kept = {T("c"), T("1"), {NULL, 0}, {NULL, 0}};
        const pawl_thread_write write = {
                T("task"), {NULL, 0}, T("c"), 0, T("json"), {text, sizeof text}};
        pawl_thread_checkpoint items[3] = {{.channels = &given},
                {.parent_id = T("1"), .channels = &kept}, {.writes = &write, .n_writes = 1}};
        static const char *const ids[] = {"1", "2", "2"};

        memset(text, 'q', sizeof text);
        for (int i = 0; i < 3; i++) {
                items[i].thread_id = T("t");
                items[i].checkpoint_id = T(ids[i]);
                items[i].n_channels = i < 2;
                if (i < 2)
                        items[i].checkpoint = T("{}");
        }
        assert_ok(pawl_thread_put(t->threads, items, 3, &t->err));
        threads_put(t, "t", "2", "3", "c1");
        assert_says(last_payload(t), "{\"channel\":\"c\",\"seq\":2,");
        assert_says(threads_of(t, "t"), "t 3<2 c=q*200\nt 2<1 c=q*200 [task 0 qqq");
}

THREADS_TEST(what_was_put_is_read_wherever_the_cache_was_emptied)
{
        enum { CACHE = 4096, WRITES = CACHE - 2, STEPS = 64 };
        static pawl_thread_checkpoint items[WRITES];
        static char ids[STEPS][8];
        const pawl_thread_write write = {T("task"), {NULL, 0}, T("c"), -1, T("json"), T("w")};

        threads_put(t, "t", NULL, "1", "");
        for (int i = 0; i < WRITES; i++) {
                snprintf(ids[i % STEPS], sizeof ids[0], "w%d", i % STEPS);
                items[i] = (pawl_thread_checkpoint){.thread_id = T("t"),
                        .checkpoint_id = T(ids[i % STEPS]),
                        .writes = &write,
                        .n_writes = 1};
        }
        assert_ok(pawl_thread_put(t->threads, items, WRITES, &t->err));
        threads_put(t, "t", "1", "2", "a1=+x"); /* the value is cached, and gone with the rest */
        assert_string_equal(threads_of(t, "t"), "t 2<1 a=x*1000\nt 1<");
}

THREADS_TEST(a_value_that_the_named_event_has_not_is_damage)
{
        pawl_thread_checkpoints *list = NULL;
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;
        static const char *const bad[] = {"9", "1", "0", "-1", "\"1\""};
        char payload[200];

        log_damaged(t->f->path);
        threads_put(t, "t", NULL, "1", "b1=+y");
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
                const char id[2] = {(char)('2' + i), '\0'};
                snprintf(payload, sizeof payload,
                        "{\"channels\":[{\"channel\":\"c\",\"seq\":%s,\"type\":\"json\",\"version\":\"1\"}],"
                        "\"checkpoint\":\"{}\",\"metadata\":\"{}\"}",
                        bad[i]);
                const pawl_event event = {.type = T("ThreadCheckpointed"),
                        .mission_id = T("langgraph"),
                        .run_id = T("t"),
                        .step_id = T(id),
                        .payload = T(payload)};
                assert_ok(pawl_log_append(NULL, t->f->log, &event, 1, 0));
                filter.thread_id = "t";
                filter.checkpoint_ns = "";
                filter.checkpoint_id = id;
                assert_int_not_equal(
                        pawl_thread_list(&list, t->threads, &filter, &t->err), PAWL_OK);
                assert_null(list);
                assert_says(t->err.message, i == 1 ? "seq 1: has no value of channel c" : "seq");
        }
        t->damaged = true;
}

static pawl_status add_stored(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        (void)hash, (void)size, (void)parts;
        *(uint64_t *)user += stored;
        return PAWL_OK;
}

THREADS_TEST(a_large_value_that_changes_a_little_takes_little)
{
        enum { SIZE = 100000, STEPS = 12 };
        static char value[SIZE];
        char id[8], parent[8];
        uint32_t random = 1;
        uint64_t stored = 0;
        pawl__contents *all;

        for (size_t i = 0; i < SIZE; i++) {
                random = random * 1664525 + 1013904223;
                value[i] = (char)('a' + (random >> 24) % 26);
        }
        for (int step = 0; step < STEPS; step++) {
                value[(size_t)step * 7919 % SIZE] = '-';
                snprintf(parent, sizeof parent, "%d", 100 + step - 1);
                snprintf(id, sizeof id, "%d", 100 + step);
                const pawl_thread_channel channel = {T("c"), T(id), T("json"), {value, SIZE}};
                const pawl_thread_checkpoint item = {.thread_id = T("t"),
                        .checkpoint_id = T(id),
                        .parent_id = step ? T(parent) : (pawl_text){NULL, 0},
                        .checkpoint = T("{}"),
                        .channels = &channel,
                        .n_channels = 1};
                assert_ok(pawl_thread_put(t->threads, &item, 1, &t->err));
        }
        assert_ok(pawl__contents_open(&all, t->f->log, &t->err));
        assert_ok(pawl__contents_each(all, add_stored, &stored, &t->err));
        pawl__contents_close(all);
        assert_true(stored < 2 * SIZE);
        threads_open_again(t);
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;
        pawl_thread_checkpoints *list;
        filter.thread_id = "t";
        assert_ok(pawl_thread_list(&list, t->threads, &filter, &t->err));
        assert_int_equal(list->n, STEPS);
        assert_int_equal(list->items[0].channels[0].data.len, SIZE);
        assert_memory_equal(list->items[0].channels[0].data.data, value, SIZE);
        pawl_thread_checkpoints_free(list);
        assert_ok(pawl_thread_delete(t->threads, "t", NULL, &t->err));
        assert_int_equal(contents(t), 0);
}

THREADS_TEST(a_value_that_nobody_put_is_left_out_and_a_copy_has_those_of_its_version)
{
        threads_put(t, "t", NULL, "1", "a1 b1");
        assert_string_equal(threads_of(t, "t"), "t 1<");
        threads_put(t, "t", "1", "2", "a2=two");
        threads_put(t, "t", "2", "3", "a3=three");
        threads_put(t, "t", "2", "4", "a3=other"); /* a fork: the same version of another value */
        threads_put(t, "t", "3", "5", "a3");
        threads_put(t, "t", "4", "6", "a3");
        threads_put(t, "t", "1", "7", "a2"); /* a copy of 2, beside it */
        assert_string_equal(threads_of(t, "t"),
                "t 7<1 a=two\nt 6<4 a=other\nt 5<3 a=three\nt 4<2 a=other\nt 3<2 a=three\n"
                "t 2<1 a=two\nt 1<");
}

THREADS_TEST(namespaces_lie_apart_and_are_listed_together)
{
        static const char long_ns[] =
                "agent:11111111-2222-3333-4444-555555555555|tools:11111111-2222-3333-4444-5555555555"
                "55|deep:11111111-2222-3333-4444-555555555555";
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;

        threads_put(t, "t", NULL, "1", "a1=root");
        assert_ok(threads_put_at(t, "t", "sub:x", NULL, "2", "a1=sub"));
        assert_ok(threads_put_at(t, "t", "sub:x|in:y", NULL, "3", "a1=in"));
        assert_ok(threads_put_at(t, "t", long_ns, NULL, "4", "a1=deep"));
        threads_put(t, "t", "1", "5", "a1");
        threads_put(t, "u", NULL, "6", "a1=other");
        filter.thread_id = "t";
        filter.checkpoint_ns = "";
        assert_string_equal(threads_text(t, &filter), "t 5<1 a=root\nt 1< a=root");
        filter.before = "5";
        assert_string_equal(threads_text(t, &filter), "t 1< a=root");
        filter.before = NULL;
        filter.checkpoint_ns = "sub:x";
        assert_string_equal(threads_text(t, &filter), "tsub:x 2< a=sub");
        filter.checkpoint_ns = "none";
        assert_string_equal(threads_text(t, &filter), "");
        filter.checkpoint_ns = long_ns;
        filter.checkpoint_id = "4";
        char expected[400];
        snprintf(expected, sizeof expected, "t%s 4< a=deep", long_ns);
        assert_string_equal(threads_text(t, &filter), expected);
        filter.checkpoint_ns = filter.thread_id = filter.checkpoint_id = NULL;
        filter.before = "4";
        assert_string_equal(
                threads_text(t, &filter), "tsub:x|in:y 3< a=in\ntsub:x 2< a=sub\nt 1< a=root");
        filter.before = NULL;
        filter.checkpoint_id = "2";
        assert_string_equal(threads_text(t, &filter), "tsub:x 2< a=sub");
        filter.checkpoint_id = NULL;
        filter.limit = 1;
        assert_string_equal(threads_text(t, &filter), "u 6< a=other");
}

THREADS_TEST(a_listing_goes_on_behind_what_it_gave)
{
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;
        pawl_thread_checkpoints *page, *next;

        threads_put(t, "t", NULL, "1", "");
        threads_put(t, "u", NULL, "1", "");
        assert_ok(threads_put_at(t, "t", "n", NULL, "1", ""));
        threads_put(t, "t", NULL, "2", "");
        for (int of_one = 0; of_one < 2; of_one++) {
                size_t n = 0;
                filter = (pawl_thread_filter)PAWL_THREAD_FILTER_INIT;
                filter.thread_id = of_one ? "t" : NULL;
                filter.checkpoint_ns = of_one ? "" : NULL;
                filter.limit = 1;
                assert_ok(pawl_thread_list(&page, t->threads, &filter, &t->err));
                while (page->n) {
                        n++;
                        filter.after = &page->items[0];
                        assert_ok(pawl_thread_list(&next, t->threads, &filter, &t->err));
                        pawl_thread_checkpoints_free(page);
                        page = next;
                }
                pawl_thread_checkpoints_free(page);
                assert_int_equal(n, of_one ? 2 : 4);
        }
}

THREADS_TEST(metadata_is_filtered_by_its_members)
{
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;

        threads_put(t, "t", NULL, "1", "");
        filter.metadata = "{\"step\":1.0}";
        assert_string_equal(threads_of(t, "t"), threads_text(t, &filter));
        filter.metadata = "{\"step\":\"1\"}";
        assert_string_equal(threads_text(t, &filter), "");
        filter.metadata = "{\"step\":1,\"source\":\"input\"}";
        assert_string_equal(threads_text(t, &filter), "");
        filter.metadata = "{}";
        assert_string_equal(threads_text(t, &filter), "t 1<");
        pawl_thread_checkpoints *list = NULL;
        filter.metadata = "[]";
        assert_int_equal(pawl_thread_list(&list, t->threads, &filter, &t->err), PAWL_EINVAL);
        assert_says(t->err.message, "no JSON object");
        filter.version = 9;
        assert_int_equal(pawl_thread_list(&list, t->threads, &filter, &t->err), PAWL_EINVAL);
        assert_null(list);
}

THREADS_TEST(writes_are_once_but_the_special_ones_and_may_come_first)
{
        assert_ok(threads_write(t, "t", "1", "task-b", NULL, 0, "early"));
        assert_string_equal(threads_of(t, "t"), "");
        threads_put(t, "t", NULL, "1", "");
        assert_ok(threads_write(t, "t", "1", "task-b", NULL, 0, "late"));
        assert_ok(threads_write(t, "t", "1", "task-b", NULL, -3, "asks"));
        assert_ok(threads_write(t, "t", "1", "task-b", NULL, -3, "asks again"));
        assert_ok(threads_write(t, "t", "1", "task-a", "~2", 0, "path"));
        assert_ok(threads_write(t, "t", "1", "task-c", "~1", 1, "path"));
        assert_string_equal(threads_of(t, "t"),
                "t 1< [task-b -3 asks again] [task-b 0 early] [task-c 1 path] [task-a 0 path]");
        threads_put(t, "t", NULL, "1", "a1=again"); /* replaced: its writes stay */
        assert_string_equal(threads_of(t, "t"),
                "t 1< a=again [task-b -3 asks again] [task-b 0 early] [task-c 1 path] "
                "[task-a 0 path]");
}

THREADS_TEST(a_checkpoint_may_have_many_writes)
{
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;
        pawl_thread_checkpoints *list;
        char task[16];

        threads_put(t, "t", NULL, "1", "");
        for (int i = 0; i < 500; i++) {
                snprintf(task, sizeof task, "task-%03d", i);
                assert_ok(threads_write(t, "t", "1", task, NULL, 0, "x"));
        }
        filter.thread_id = "t";
        assert_ok(pawl_thread_list(&list, t->threads, &filter, &t->err));
        assert_int_equal(list->items[0].n_writes, 500);
        assert_text(list->items[0].writes[499].task_id, "task-499");
        pawl_thread_checkpoints_free(list);
}

THREADS_TEST(values_are_any_bytes_and_other_texts_are_checked)
{
        static const char bytes[] = "a\0\xff";
        const pawl_thread_channel channel = {T("c"), T("1"), T("bytes"), {bytes, 3}};
        pawl_thread_checkpoint item = {.thread_id = T("any/thread \n"),
                .checkpoint_id = T("1"),
                .checkpoint = T("no JSON"),
                .metadata = T("\\ud800"),
                .channels = &channel,
                .n_channels = 1};
        pawl_thread_checkpoints *list;
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;

        assert_ok(pawl_thread_put(t->threads, &item, 1, &t->err));
        filter.thread_id = "any/thread \n";
        assert_ok(pawl_thread_list(&list, t->threads, &filter, &t->err));
        assert_int_equal(list->n, 1);
        assert_text(list->items[0].thread_id, "any/thread \n");
        assert_text(list->items[0].metadata, "\\ud800");
        assert_text(list->items[0].checkpoint, "no JSON");
        assert_int_equal(list->items[0].channels[0].data.len, 3);
        assert_memory_equal(list->items[0].channels[0].data.data, bytes, 3);
        pawl_thread_checkpoints_free(list);

        const int64_t events = event_log_count(t->f);
        const struct {
                pawl_text thread, id, metadata;
                const char *says;
        } bad[] = {{T(""), T("1"), T("{}"), "thread id"}, {{NULL, 0}, T("1"), T("{}"), "thread id"},
                {T("\xff"), T("1"), T("{}"), "UTF-8"}, {T("t"), T(""), T("{}"), "checkpoint id"},
                {T("t"), T("a b"), T("{}"), "checkpoint id"},
                {T("t"), T("(x) 1"), T("{}"), "checkpoint id"},
                {T("t"), T("1/2"), T("{}"), "slash"}, {T("t"), T("1"), T("\xff"), "metadata"}};
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
                item.thread_id = bad[i].thread;
                item.checkpoint_id = bad[i].id;
                item.metadata = bad[i].metadata;
                assert_int_equal(pawl_thread_put(t->threads, &item, 1, &t->err), PAWL_EINVAL);
                assert_says(t->err.message, bad[i].says);
        }
        assert_int_equal(threads_write(t, "t", "1", "", NULL, 0, "x"), PAWL_EINVAL);
        assert_says(t->err.message, "task id");
        assert_int_equal(event_log_count(t->f), events);
}

THREADS_TEST(a_deleted_thread_is_gone_with_what_no_other_has)
{
        threads_put(t, "t", NULL, "1", "a1=*x b1=*y c1=+c");
        assert_ok(threads_put_at(t, "t", "sub", NULL, "1", "a1=secret"));
        assert_ok(threads_write(t, "t", "1", "task", NULL, 0, "w"));
        threads_put(t, "t", NULL, "1", "a2=*z b1 c1"); /* replaced */
        threads_put(t, "u", NULL, "1", "a1=*x");
        assert_int_equal(contents(t), 3);
        assert_ok(pawl_thread_delete(t->threads, "t", "user:ana", &t->err));
        assert_string_equal(threads_of(t, "t"), "");
        assert_string_equal(threads_of(t, "u"), "u 1< a=x*10000");
        assert_int_equal(contents(t), 1);
        threads_check(t);
        const int64_t events = event_log_count(t->f);
        assert_ok(pawl_thread_delete(t->threads, "t", NULL, &t->err));
        assert_ok(pawl_thread_delete(t->threads, "none", NULL, &t->err));
        assert_int_equal(event_log_count(t->f), events);
        assert_int_equal(pawl_thread_delete(t->threads, "u", "\n", &t->err), PAWL_EINVAL);
        assert_int_equal(pawl_thread_delete(t->threads, "", NULL, &t->err), PAWL_EINVAL);

        pawl_event receipt = {0};
        pawl_cursor *cursor;
        assert_ok(pawl_cursor_open(&cursor, t->f->log, (uint64_t)events - 1));
        assert_ok(pawl_cursor_next(cursor, &receipt));
        assert_text(receipt.type, "Pruned");
        assert_text(receipt.actor, "user:ana");
        assert_says(receipt.payload.data, "\"checkpoints\":2,\"contents\":2,\"kind\":\"threads\","
                                          "\"pruned\":[\"t\"],\"writes\":1}");
        pawl_cursor_close(cursor);
}

THREADS_TEST(a_deleted_thread_can_be_begun_anew_and_is_not_built_on)
{
        threads_put(t, "t", NULL, "1", "a1=x");
        assert_ok(pawl_thread_delete(t->threads, "t", NULL, &t->err));
        const int64_t events = event_log_count(t->f);
        assert_int_equal(threads_put_at(t, "t", "", "1", "2", "a1"), PAWL_ESTATE);
        assert_says(t->err.message, "was deleted");
        assert_int_equal(threads_write(t, "t", "1", "task", NULL, 0, "w"), PAWL_ESTATE);
        assert_int_equal(event_log_count(t->f), events);
        threads_put(t, "t", NULL, "1", "a1=new");
        threads_put(t, "t", "1", "3", "a1");
        assert_string_equal(threads_of(t, "t"), "t 3<1 a=new\nt 1< a=new");
}

THREADS_TEST(a_run_of_a_mission_is_no_thread_and_a_thread_no_run)
{
        uint64_t fence = 0;

        assert_ok(pawl_log_claim(&fence, t->f->log, "m", "r", "user:ana", NULL));
        const int64_t events = event_log_count(t->f);
        assert_int_equal(threads_put_at(t, "r", "", NULL, "1", ""), PAWL_EEXISTS);
        assert_says(t->err.message, "mission's run");
        assert_int_equal(event_log_count(t->f), events);
        threads_put(t, "t", NULL, "1", "");
        assert_int_equal(
                pawl_log_claim(&fence, t->f->log, "m", "t", "user:ana", NULL), PAWL_EEXISTS);
        assert_says(pawl_log_errmsg(t->f->log), "is a thread's");
}

THREADS_TEST(pruning_keeps_the_newest_and_the_young)
{
        pawl_thread_prune_report *report = NULL;

        t->f->wall_us = 1000;
        threads_put(t, "a", NULL, "1", "a1=*x");
        assert_int_equal(threads_write(t, "a", "1", "task", NULL, 0, "w"), PAWL_OK);
        assert_int_equal(threads_write(t, "a", "1", "task", NULL, 1, "secret"), PAWL_OK);
        threads_put(t, "b", NULL, "1", "a1=*y");
        t->f->wall_us = 2000;
        threads_put(t, "c", NULL, "1", "a1=*z");
        const int64_t events = event_log_count(t->f);
        assert_int_equal(
                pawl_thread_prune(&report, t->threads, SIZE_MAX, INT64_MAX, false, NULL, &t->err),
                PAWL_EINVAL);
        assert_ok(pawl_thread_prune(&report, t->threads, 2, INT64_MAX, true, NULL, &t->err));
        assert_int_equal(report->n, 3);
        assert_int_equal(report->going, 1);
        assert_text(report->items[0].thread_id, "c");
        assert_string_equal(report->items[1].stays, "newest");
        assert_null(report->items[2].stays);
        assert_int_equal(report->checkpoints, 1);
        assert_int_equal(report->writes, 2);
        assert_int_equal(report->contents, 1);
        const uint64_t bytes_of_one = report->bytes;
        pawl_thread_prune_free(report);
        assert_int_equal(event_log_count(t->f), events);
        assert_int_equal(contents(t), 3);
        assert_ok(
                pawl_thread_prune(&report, t->threads, SIZE_MAX, 2000, false, "user:ana", &t->err));
        assert_int_equal(report->going, 2);
        assert_int_equal(report->contents, 2);
        assert_int_equal(report->checkpoints, 2);
        assert_int_equal(report->writes, 2);
        assert_true(report->bytes > bytes_of_one && bytes_of_one > 8 + strlen("secret"));
        assert_string_equal(report->items[0].stays, "not older");
        pawl_thread_prune_free(report);
        assert_string_equal(
                threads_text(t, &(pawl_thread_filter)PAWL_THREAD_FILTER_INIT), "c 1< a=z*10000");
        assert_int_equal(contents(t), 1);
}

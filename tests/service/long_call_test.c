/* Calls that go on, without a connection: what their streams send, and how they end. */
#include "service/fixture.h"
#include "service/long_call.h"
#include <stdlib.h>
#include <time.h>

static test_service s;

#define CALL(name) UNIT_TEST_OF(name, setup, teardown, NULL)

/* A call that does what a test says, and the reader of its stream. */
typedef struct call {
        service_long_call base;
        void (*act)(struct call *call);
        service_answer answer;
        bool asleep;              /* under the lock: the reader sleeps */
        atomic_int sent, gave_up; /* events; the room that it did not get */
} call;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static atomic_int n_freed;

static int setup(void **state)
{
        pawl_error err = PAWL_ERROR_INIT;

        (void)state;
        test_service_prepare(&s, NULL);
        test_service_open(&s);
        atomic_store(&n_freed, 0);
        return service_long_calls_open(&s.site.long_calls, &s.site, &err);
}

static int teardown(void **state)
{
        (void)state;
        service_long_calls_stop(s.site.long_calls);
        service_long_calls_free(s.site.long_calls);
        s.site.long_calls = NULL;
        test_service_close(&s);
        return 0;
}

static void sleeps(void *user, bool asleep)
{
        call *c = user;

        pthread_mutex_lock(&lock);
        c->asleep = asleep;
        pthread_cond_broadcast(&woken);
        pthread_mutex_unlock(&lock);
}

static void wait_until_woken(call *c)
{
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 30;
        pthread_mutex_lock(&lock);
        while (c->asleep)
                if (pthread_cond_timedwait(&woken, &lock, &until))
                        fail_msg("the reader sleeps for too long");
        pthread_mutex_unlock(&lock);
}

static bool is_asleep(call *c)
{
        pthread_mutex_lock(&lock);
        const bool asleep = c->asleep;
        pthread_mutex_unlock(&lock);
        return asleep;
}

static void reaches(atomic_int *count, int n)
{
        const struct timespec moment = {0, 1000000};

        for (int i = 0; atomic_load(count) < n; i++, nanosleep(&moment, NULL))
                assert_true(i < 30000);
}

static void run(service_long_call *base)
{
        call *c = (call *)base;

        c->act(c);
}

static void freed(service_long_call *base)
{
        (void)base;
        atomic_fetch_add(&n_freed, 1);
}

static call *make(void (*act)(call *call), bool goes)
{
        call *c = test_alloc(sizeof *c);
        c->base.run = run;
        c->base.free = freed;
        c->base.goes = goes;
        c->base.beat_ms = goes ? SERVICE_GOES_BEAT_MS : SERVICE_BEAT_MS;
        c->act = act;
        return c;
}

static call *begin(void (*act)(call *call), bool goes)
{
        call *c = make(act, goes);
        pawl_error err = PAWL_ERROR_INIT;
        service_answer answer = {.status = 0};

        assert_ok(service_long_call_start(&answer, &c->base, &s.site, &err));
        c->answer = answer;
        assert_int_equal(answer.status, 200);
        assert_string_equal(answer.content_type, "text/event-stream");
        service_stream_start(answer.stream, sleeps, c);
        return c;
}

/* It is freed by this, or when its thread has ended. */
static void close_call(call *c)
{
        service_answer answer = c->answer;

        service_answer_free(&answer);
}

static ssize_t read_some(call *c, char *out, size_t max)
{
        wait_until_woken(c);
        return service_stream_read(c->answer.stream, out, max);
}

static void read_all(pawl__buf *out, call *c)
{
        char bytes[4096];
        ssize_t n;

        while ((n = read_some(c, bytes, sizeof bytes)) >= 0)
                assert_ok(pawl__buf_add(out, bytes, (size_t)n));
}

/* ---- What calls do --------------------------------------------------------------------------- */

static void send(call *c, const char *event)
{
        service_long_call_send(&c->base, pawl__text(event));
        atomic_fetch_add(&c->sent, 1);
}

static void say_three(call *c)
{
        send(c, "data: 1\n\n");
        send(c, "data: 2\n\n");
        send(c, "data: 3\n\n");
}

/* More than fits, until nobody reads any more. */
static void say_much(call *c)
{
        static char event[8192];

        memset(event, 'x', sizeof event - 1);
        for (int i = 0; i < 1000; i++) {
                if (!service_long_call_accepts(&c->base)) {
                        atomic_fetch_add(&c->gave_up, 1);
                        return;
                }
                send(c, event);
        }
}

/* An event for which there is no memory, and one after it. */
static void say_too_much(call *c)
{
        send(c, "data: 1\n\n");
        service_long_call_send(&c->base, pawl__text_n("", SIZE_MAX / 2));
        send(c, "data: 3\n\n");
}

/* Say again what it is told, until it is to end. */
static void repeat(call *c)
{
        pawl__buf in;

        send(c, "data: ready\n\n");
        while (service_long_call_wait(&c->base, 60000, &in)) {
                for (size_t at = 0; at < in.len; at += strlen(in.data + at) + 1)
                        send(c, in.data + at);
                pawl__buf_free(&in);
        }
        pawl__buf_free(&in);
        atomic_fetch_add(&c->gave_up, 1);
}

static bool is_call(const service_long_call *base, const void *user)
{
        return (const void *)base == user;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

CALL(events_come_whole_and_in_order)
{
        pawl__buf text = PAWL__BUF_INIT;

        call *c = begin(say_three, true);
        read_all(&text, c);
        assert_string_equal(text.data, "data: 1\n\ndata: 2\n\ndata: 3\n\n");
        close_call(c);
        reaches(&n_freed, 1);
        pawl__buf_free(&text);
}

CALL(a_call_waits_for_its_reader)
{
        pawl__buf text = PAWL__BUF_INIT;

        call *c = begin(say_much, true);
        reaches(&c->sent, SERVICE_UNSENT_MAX / 8192); /* and one or two beyond */
        assert_true(atomic_load(&c->sent) <= SERVICE_UNSENT_MAX / 8191 + 2);
        read_all(&text, c);
        assert_int_equal(text.len, 1000 * 8191);
        assert_int_equal(atomic_load(&c->gave_up), 0);
        close_call(c);
        reaches(&n_freed, 1);
        pawl__buf_free(&text);
}

CALL(a_reader_that_never_has_it_all_costs_no_more_than_what_it_has_not_read)
{
        char bytes[4096];

        call *c = begin(repeat, false);
        reaches(&c->sent, 1);
        assert_int_equal(read_some(c, bytes, 1), 1);
        for (int i = 0; i < 1000; i++) {
                assert_int_equal(service_long_calls_notify(s.site.long_calls, is_call, c,
                                         pawl__text("data: a word\n\n")),
                        1);
                reaches(&c->sent, i + 2);
                assert_int_equal(read_some(c, bytes, 14), 14);
        }
        assert_true(c->base.out.cap <= 256);
        close_call(c);
        service_long_calls_stop(s.site.long_calls);
        reaches(&n_freed, 1);
}

CALL(a_stream_without_memory_is_seen_to_be_cut)
{
        char bytes[100];

        call *c = begin(say_too_much, false);
        reaches(&c->sent, 2);
        assert_int_equal(read_some(c, bytes, sizeof bytes), 9);
        assert_memory_equal(bytes, "data: 1\n\n", 9);
        assert_int_equal(read_some(c, bytes, sizeof bytes), SERVICE_STREAM_CUT);
        close_call(c);
        reaches(&n_freed, 1);
}

CALL(a_reader_that_takes_too_long_is_given_up)
{
        char bytes[100];

        s.options.answer_ms = 50;
        call *c = begin(say_much, true);
        reaches(&c->sent, 1);
        assert_int_equal(read_some(c, bytes, sizeof bytes), 100); /* a little is not enough */
        reaches(&c->gave_up, 1);
        assert_true(atomic_load(&c->sent) < 20);
        close_call(c);
        reaches(&n_freed, 1);
}

CALL(a_call_ends_with_its_client_if_it_is_to)
{
        call *goes = begin(repeat, true), *stays = begin(repeat, false),
             *much = begin(say_much, true);
        reaches(&goes->sent, 1);
        reaches(&stays->sent, 1);
        reaches(&much->sent, SERVICE_UNSENT_MAX / 8192);
        close_call(goes);
        close_call(stays);
        close_call(much);
        reaches(&n_freed, 2);
        assert_int_equal(atomic_load(&stays->gave_up), 0);
        service_long_calls_stop(s.site.long_calls);
        reaches(&n_freed, 3);
}

CALL(a_call_that_only_reads_is_interrupted)
{
        call *c = make(repeat, true);
        pawl_error err = PAWL_ERROR_INIT;

        c->base.reads = true;
        assert_ok(service_long_call_start(&c->answer, &c->base, &s.site, &err));
        service_stream_start(c->answer.stream, sleeps, c);
        reaches(&c->sent, 1);
        service_long_calls_stop(s.site.long_calls);
        assert_true(c->base.worker.interrupted);
        close_call(c);
        reaches(&n_freed, 1);
}

CALL(a_call_gets_what_is_for_it_alone)
{
        char bytes[100];

        call *one = begin(repeat, true), *other = begin(repeat, true);
        reaches(&one->sent, 1);
        reaches(&other->sent, 1);
        assert_int_equal(service_long_calls_notify(
                                 s.site.long_calls, is_call, one, pawl__text("data: for one\n\n")),
                1);
        assert_int_equal(
                service_long_calls_notify(s.site.long_calls, is_call, NULL, pawl__text("x")), 0);
        reaches(&one->sent, 2);
        const ssize_t n = read_some(one, bytes, sizeof bytes);
        assert_memory_equal(bytes, "data: ready\n\ndata: for one\n\n", (size_t)n);
        assert_int_equal(n, 28);
        assert_int_equal(atomic_load(&other->sent), 1);
        close_call(one);
        close_call(other);
        reaches(&n_freed, 2);
}

CALL(a_silent_stream_has_a_beat)
{
        char bytes[100];

        call *goes = begin(repeat, true), *stays = begin(repeat, false);
        call *both[] = {goes, stays};
        for (int i = 0; i < 2; i++) {
                reaches(&both[i]->sent, 1);
                assert_int_equal(read_some(both[i], bytes, sizeof bytes), 13);
                assert_int_equal(read_some(both[i], bytes, sizeof bytes), 0);
        }
        const int64_t now_ms = service_now_ms();
        service_long_calls_beat(s.site.long_calls, now_ms + SERVICE_GOES_BEAT_MS);
        assert_true(is_asleep(stays));
        assert_int_equal(read_some(goes, bytes, sizeof bytes), 14);
        assert_memory_equal(bytes, ": keep-alive\n\n", 14);
        service_long_calls_beat(s.site.long_calls, now_ms + SERVICE_BEAT_MS);
        assert_int_equal(read_some(stays, bytes, sizeof bytes), 14);
        close_call(goes);
        close_call(stays);
        service_long_calls_stop(s.site.long_calls);
        reaches(&n_freed, 2);
}

CALL(there_are_so_many_and_no_more)
{
        call *all[SERVICE_LONG_CALLS];
        pawl_error err = PAWL_ERROR_INIT;

        for (int i = 0; i < SERVICE_LONG_CALLS; i++)
                all[i] = begin(repeat, true);
        call *more = make(repeat, true);
        assert_int_equal(
                service_long_call_start(&more->answer, &more->base, &s.site, &err), PAWL_EBUSY);
        assert_string_equal(err.message,
                "the service: has 64 calls that go on already; wait for one, or try again");
        assert_null(more->answer.stream);
        close_call(all[0]);
        reaches(&n_freed, 1);
        assert_ok(service_long_call_start(&more->answer, &more->base, &s.site, &err));
        all[0] = more;
        service_long_calls_stop(s.site.long_calls);
        for (int i = 0; i < SERVICE_LONG_CALLS; i++)
                close_call(all[i]);
        reaches(&n_freed, SERVICE_LONG_CALLS + 1);
        more = make(repeat, true);
        assert_int_equal(
                service_long_call_start(&more->answer, &more->base, &s.site, &err), PAWL_EBUSY);
        assert_string_equal(
                err.message, "the service: is being stopped; ask again when it is back");
}

/* Streams of calls that were ended are read to their end. */
CALL(what_was_sent_before_the_end_still_comes)
{
        pawl__buf text = PAWL__BUF_INIT;

        call *c = begin(repeat, false);
        reaches(&c->sent, 1);
        service_long_calls_stop(s.site.long_calls);
        read_all(&text, c);
        assert_string_equal(text.data, "data: ready\n\n");
        close_call(c);
        reaches(&n_freed, 1);
        pawl__buf_free(&text);
}

/*
 * A server and its clients in one process: who is too slow, streams, the bounds, and stopping. Its
 * routes are of this test alone; the times that they may take are short.
 */
#include "service/fixture.h"
#include "service/pool.h"
#include "service/server.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static test_service s;
static service_server *server;

/* What the routes wait for. */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_moved = PTHREAD_COND_INITIALIZER;
static bool gate_open;
static int at_gate;

static void open_gate(bool to)
{
        pthread_mutex_lock(&gate_lock);
        gate_open = to;
        pthread_cond_broadcast(&gate_moved);
        pthread_mutex_unlock(&gate_lock);
}

static void wait_at_gate(int n)
{
        pthread_mutex_lock(&gate_lock);
        while (at_gate < n)
                pthread_cond_wait(&gate_moved, &gate_lock);
        pthread_mutex_unlock(&gate_lock);
}

static void quick(service_answer *answer, service_call *call)
{
        (void)call;
        service_answer_fixed(answer, 200, "text/plain", "quick", 5);
}

static void gated(service_answer *answer, service_call *call)
{
        pthread_mutex_lock(&gate_lock);
        at_gate++;
        pthread_cond_broadcast(&gate_moved);
        while (!gate_open)
                pthread_cond_wait(&gate_moved, &gate_lock);
        at_gate--;
        pthread_mutex_unlock(&gate_lock);
        quick(answer, call);
}

/* A command that would go on for ever, but for the log, which it asks now and then. */
static void endless(service_answer *answer, service_call *call)
{
        const struct timespec moment = {0, 1000000};
        unsigned char hash[32];
        pawl_status status;
        uint64_t seq;

        pthread_mutex_lock(&gate_lock);
        at_gate++;
        pthread_cond_broadcast(&gate_moved);
        pthread_mutex_unlock(&gate_lock);
        while ((status = pawl_log_head(&seq, hash, call->log)) == PAWL_OK)
                nanosleep(&moment, NULL);
        pthread_mutex_lock(&gate_lock);
        at_gate--;
        pthread_mutex_unlock(&gate_lock);
        service_answer_refuse(answer, service_http_status(status), status, "endless: ended; -");
}

static void large(service_answer *answer, service_call *call)
{
        static const char much[32 << 20];

        (void)call;
        service_answer_fixed(answer, 200, "application/octet-stream", much, sizeof much);
}

/* A source that gives what the test puts. */
static struct {
        pthread_mutex_t lock;
        char text[64];
        bool ended;
        service_waker *waker;
        int open, closed;
} source = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void source_start(void *user, service_waker *waker)
{
        (void)user;
        pthread_mutex_lock(&source.lock);
        source.waker = waker;
        source.open++;
        pthread_mutex_unlock(&source.lock);
}

static ssize_t source_read(void *user, char *out, size_t max)
{
        (void)user;
        pthread_mutex_lock(&source.lock);
        size_t n = strlen(source.text);
        if (n > max)
                n = max;
        memcpy(out, source.text, n);
        memmove(source.text, source.text + n, strlen(source.text + n) + 1);
        const bool over = n == 0 && source.ended;
        pthread_mutex_unlock(&source.lock);
        return over ? -1 : (ssize_t)n;
}

static void source_close(void *user)
{
        (void)user;
        pthread_mutex_lock(&source.lock);
        source.waker = NULL;
        source.closed++;
        pthread_mutex_unlock(&source.lock);
}

static void source_put(const char *text, bool ended)
{
        pthread_mutex_lock(&source.lock);
        strcat(source.text, text);
        source.ended = ended;
        if (source.waker)
                service_wake(source.waker);
        pthread_mutex_unlock(&source.lock);
}

/* Until so many were closed. */
static void wait_closed(int n)
{
        const struct timespec moment = {0, 10 * 1000000};
        int closed = 0;

        for (int i = 0; i < 1000 && closed < n; i++) {
                nanosleep(&moment, NULL);
                pthread_mutex_lock(&source.lock);
                closed = source.closed;
                pthread_mutex_unlock(&source.lock);
        }
        assert_int_equal(closed, n);
}

static void stream(service_answer *answer, service_call *call)
{
        const service_source from = {source_start, source_read, source_close, NULL};

        (void)call;
        service_answer_source(answer, "text/event-stream", &from);
}

static const service_route routes[] = {
        {"GET", "/quick", 0, NULL, quick},
        {"GET", "/gated", 0, NULL, gated},
        {"POST", "/gated", 0, NULL, gated},
        {"GET", "/large", 0, NULL, large},
        {"GET", "/endless", 0, NULL, endless},
        {"GET", "/stream", SERVICE_STREAM, NULL, stream},
        {NULL, NULL, 0, NULL, NULL},
};
static const service_route *const tables[] = {routes, NULL};
static const cli_program *const no_programs[] = {NULL};
static const cli_registry no_commands = {no_programs};

static int set_up(void **state)
{
        (void)state;
        test_service_prepare(&s, &no_commands);
        s.options.tables = tables;
        s.options.grace_ms = 300;
        s.options.threads = 2;
        gate_open = false;
        source.text[0] = '\0';
        source.ended = false;
        source.open = source.closed = 0;
        return 0;
}

#define SHORT_MS 700

/* Requests and answers that are under way for longer than that are ended. */
static void hurry(void)
{
        s.options.request_ms = s.options.answer_ms = SHORT_MS;
}

static void start(void)
{
        pawl_error err = PAWL_ERROR_INIT;

        test_service_open(&s);
        if (service_server_start(&server, &s.site, &err))
                fail_msg("%s", err.message);
}

static int tear_down(void **state)
{
        (void)state;
        open_gate(true);
        service_server_stop(server);
        server = NULL;
        test_service_close(&s);
        return 0;
}

static int connect_to(void)
{
        struct sockaddr_in to = {.sin_family = AF_INET,
                .sin_port = htons(service_server_port(server)),
                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        const struct timeval patience = {20, 0};
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        assert_true(fd >= 0);
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
        return fd;
}

static void put(int fd, const char *text)
{
        const size_t len = strlen(text);

        assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), len);
}

/* A request's head; @p rest is more of its lines. */
static void ask(int fd, const char *method, const char *path, const char *rest)
{
        char head[512];

        snprintf(head, sizeof head,
                "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n%s\r\n", method, path,
                s.program_token, rest);
        put(fd, head);
}

/* Read until @p end was seen; "": until the server closes. */
static void takes(int fd, const char *end, char *out, size_t size)
{
        size_t len = 0;

        out[0] = '\0';
        while (!*end || !strstr(out, end)) {
                assert_true(len + 1 < size);
                const ssize_t n = recv(fd, out + len, size - len - 1, 0);
                if (n < 0 && errno != ECONNRESET)
                        fail_msg("nothing comes after: %s", out);
                if (n <= 0)
                        break;
                len += (size_t)n;
                out[len] = '\0';
        }
        if (*end && !strstr(out, end))
                fail_msg("\"%s\" is not in: %s", end, out);
}

/* Ask on a connection of its own; the answer holds this. */
static void gets(const char *path, const char *says)
{
        char answer[4096];
        const int fd = connect_to();

        ask(fd, "GET", path, "Connection: close\r\n");
        takes(fd, "", answer, sizeof answer);
        assert_says(answer, says);
        close(fd);
}

/* Give a byte now and then, until the server has had enough. */
static void dribble(int fd)
{
        const struct timespec moment = {0, 20 * 1000000};
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

        for (int i = 0; i < 1000; i++) {
                if (send(fd, "a", 1, MSG_NOSIGNAL) != 1 || poll(&poll_fd, 1, 0) > 0)
                        return;
                nanosleep(&moment, NULL);
        }
        fail_msg("a slow sender is never ended");
}

static void who_sends_slowly_is_ended_and_holds_up_nobody(void **state)
{
        static const char *const begun[] = {"G", "GET /quick HTTP/1.1\r\nX: "};
        char answer[4096];

        (void)state;
        hurry();
        start();
        for (size_t i = 0; i < 3; i++) {
                const int fd = connect_to();
                if (i < 2)
                        put(fd, begun[i]);
                else
                        ask(fd, "POST", "/gated", "Content-Length: 100000\r\n");
                gets("/quick", "quick");
                dribble(fd);
                takes(fd, "", answer, sizeof answer);
                assert_says(answer, "HTTP/1.1 408 ");
                close(fd);
        }
        assert_true(s.site.gauges.timeouts >= 3);
        gets("/quick", "quick");
}

/* Between requests a connection may rest; the time of a request is counted from its first byte. */
static void who_rests_between_requests_is_not(void **state)
{
        const struct timespec rest = {1, 0};
        char answer[4096];

        (void)state;
        hurry();
        start();
        const int fd = connect_to();
        for (int i = 0; i < 2; i++) {
                nanosleep(&rest, NULL);
                ask(fd, "GET", "/quick", "");
                takes(fd, "quick", answer, sizeof answer);
        }
        assert_int_equal(s.site.gauges.timeouts, 0);
        /* but not with half a request that came with the one before */
        ask(fd, "GET", "/quick", "");
        put(fd, "GET /qui");
        takes(fd, "quick", answer, sizeof answer);
        put(fd, "c");
        dribble(fd);
        close(fd);
}

static void who_takes_an_answer_slowly_is_ended(void **state)
{
        const struct timespec moment = {0, 10 * 1000000};

        (void)state;
        hurry();
        start();
        const int fd = connect_to();
        ask(fd, "GET", "/large", "");
        for (int i = 0; i < 1000 && s.site.gauges.timeouts == 0; i++)
                nanosleep(&moment, NULL);
        assert_int_equal(s.site.gauges.timeouts, 1);
        gets("/quick", "quick");
        close(fd);
}

static void a_stream_gives_what_comes_and_sleeps_between(void **state)
{
        char answer[4096];

        (void)state;
        hurry();
        start();
        const int fd = connect_to();
        ask(fd, "GET", "/stream", "");
        takes(fd, "text/event-stream", answer, sizeof answer);
        source_put("one\n", false);
        takes(fd, "one\n", answer, sizeof answer);
        /* longer than a request or an answer may take */
        const struct timespec rest = {1, 0};
        nanosleep(&rest, NULL);
        source_put("two\n", false);
        takes(fd, "two\n", answer, sizeof answer);
        assert_int_equal(s.site.gauges.streams, 1);
        source_put("", true);
        takes(fd, "0\r\n\r\n", answer, sizeof answer);
        close(fd);
        wait_closed(1);
}

static void streams_have_a_bound_and_leave_their_place(void **state)
{
        char answer[4096];
        int fds[2];

        (void)state;
        s.options.streams = 2;
        start();
        for (int i = 0; i < 2; i++) {
                fds[i] = connect_to();
                ask(fds[i], "GET", "/stream", "");
                takes(fds[i], "\r\n\r\n", answer, sizeof answer);
                assert_says(answer, "200 OK");
        }
        gets("/stream", "HTTP/1.1 503 ");
        gets("/stream", "Retry-After: ");
        gets("/quick", "quick");
        for (int i = 0; i < 2; i++)
                close(fds[i]);
        /* both are woken: the last one by its own waker, the other when the server is stopped */
        source_put("x", false);
        service_server_stop(server);
        server = NULL;
        assert_int_equal(s.site.gauges.streams, 0);
        assert_int_equal(source.open, 2);
        assert_int_equal(source.closed, 2);
}

static void *open_later(void *user)
{
        const struct timespec moment = {0, 50 * 1000000};

        (void)user;
        nanosleep(&moment, NULL);
        open_gate(true);
        return NULL;
}

static void stopping_ends_streams_and_waits_for_what_runs(void **state)
{
        char answer[4096];
        int streams, runs;

        (void)state;
        s.options.grace_ms = 5000;
        start();
        streams = connect_to();
        ask(streams, "GET", "/stream", "");
        takes(streams, "\r\n\r\n", answer, sizeof answer);
        runs = connect_to();
        ask(runs, "GET", "/gated", "");
        wait_at_gate(1);
        pthread_t opener;
        assert_int_equal(pthread_create(&opener, NULL, open_later, NULL), 0);
        service_server_stop(server);
        server = NULL;
        pthread_join(opener, NULL);
        takes(runs, "quick", answer, sizeof answer);
        assert_says(answer, "Connection: close");
        takes(streams, "0\r\n\r\n", answer, sizeof answer);
        close(runs);
        close(streams);
}

static void stopping_ends_what_runs_on_and_says_so(void **state)
{
        char answer[4096];

        (void)state;
        s.options.grace_ms = 50;
        start();
        const int fd = connect_to();
        ask(fd, "GET", "/endless", "");
        wait_at_gate(1);
        service_server_stop(server);
        server = NULL;
        takes(fd, "", answer, sizeof answer);
        assert_says(answer, "HTTP/1.1 503 ");
        assert_says(answer, "PAWL_EINTERRUPTED");
        close(fd);
}

static void more_than_the_queue_holds_is_told_to_come_again(void **state)
{
        enum { FIT = SERVICE_QUEUE_MAX };
        char answer[4096];
        int fds[FIT + 2];

        (void)state;
        s.options.threads = 1;
        start();
        fds[0] = connect_to();
        ask(fds[0], "GET", "/gated", "Connection: close\r\n");
        wait_at_gate(1);
        for (int i = 1; i <= FIT; i++) {
                fds[i] = connect_to();
                ask(fds[i], "GET", "/gated", "Connection: close\r\n");
        }
        const struct timespec moment = {0, 10 * 1000000};
        for (int i = 0; i < 1000 && s.site.gauges.queued < FIT; i++)
                nanosleep(&moment, NULL);
        gets("/quick", "HTTP/1.1 503 ");
        open_gate(true);
        for (int i = 0; i <= FIT; i++) {
                takes(fds[i], "", answer, sizeof answer);
                assert_says(answer, "quick");
                close(fds[i]);
        }
        gets("/quick", "quick");
}

/* One worker of two is kept for reading. */
static void who_writes_holds_up_no_reader(void **state)
{
        char answer[4096];
        int fds[3];

        (void)state;
        start();
        for (int i = 0; i < 3; i++) {
                fds[i] = connect_to();
                ask(fds[i], "POST", "/gated", "Content-Length: 0\r\nConnection: close\r\n");
        }
        wait_at_gate(1);
        for (int i = 0; i < 5; i++)
                gets("/quick", "quick");
        pthread_mutex_lock(&gate_lock);
        assert_int_equal(at_gate, 1);
        pthread_mutex_unlock(&gate_lock);
        open_gate(true);
        for (int i = 0; i < 3; i++) {
                takes(fds[i], "", answer, sizeof answer);
                assert_says(answer, "quick");
                close(fds[i]);
        }
}

static void an_address_that_is_taken_is_said(void **state)
{
        pawl_error err = PAWL_ERROR_INIT;
        service_server *second = NULL;

        (void)state;
        start();
        s.options.port = service_server_port(server);
        assert_int_equal(service_server_start(&second, &s.site, &err), PAWL_EEXISTS);
        assert_says(err.message, "another program listens there");
        s.options.port = 0;
        s.options.address = "192.0.2.1";
        assert_int_equal(service_server_start(&second, &s.site, &err), PAWL_EINVAL);
        assert_says(err.message, "give an address of this machine");
        s.options.address = "127.0.0.1";
        s.options.tls_cert = s.options.tls_key = "no PEM";
        assert_int_equal(service_server_start(&second, &s.site, &err), PAWL_EINVAL);
        assert_says(err.message, "TLS: does not start");
        s.options.tls_cert = s.options.tls_key = NULL;
        assert_null(second);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        const struct CMUnitTest tests[] = {
                TEST(who_sends_slowly_is_ended_and_holds_up_nobody),
                TEST(who_rests_between_requests_is_not),
                TEST(who_takes_an_answer_slowly_is_ended),
                TEST(a_stream_gives_what_comes_and_sleeps_between),
                TEST(streams_have_a_bound_and_leave_their_place),
                TEST(stopping_ends_streams_and_waits_for_what_runs),
                TEST(stopping_ends_what_runs_on_and_says_so),
                TEST(more_than_the_queue_holds_is_told_to_come_again),
                TEST(who_writes_holds_up_no_reader),
                TEST(an_address_that_is_taken_is_said),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

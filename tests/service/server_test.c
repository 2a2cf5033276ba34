/* A server and its clients in one process: who is too slow, streams, the bounds, and stopping. The
 * times that its routes may take are short. */

#include "service/server_fixture.h"
#include <unistd.h>

#define SHORT_MS 700
#define LAST     "Connection: close\r\n" /* no request after this one */

/* Requests and answers that are under way for longer than that are ended. */
static void start_in_a_hurry(void)
{
        s.options.request_ms = s.options.answer_ms = SHORT_MS;
        start();
}

SERVER_TEST(who_sends_slowly_is_ended_and_holds_up_nobody)
{
        static const char *const begun[] = {"G", "GET /quick HTTP/1.1\r\nX: "};

        start_in_a_hurry();
        for (size_t i = 0; i < 3; i++) {
                const int fd = connect_to();
                if (i < 2)
                        put(fd, begun[i]);
                else
                        ask(fd, "POST", "/gated", "Content-Length: 100000\r\n");
                answers("/quick", "quick");
                dribble(fd);
                assert_says(takes(fd, ""), "HTTP/1.1 408 ");
                close(fd);
        }
        assert_true(s.site.gauges.timeouts >= 3);
        answers("/quick", "quick");
}

/* Between requests a connection may rest; the time of a request is counted from its first byte. */
SERVER_TEST(who_rests_between_requests_is_not)
{
        start_in_a_hurry();
        const int fd = connect_to();
        for (int i = 0; i < 2; i++) {
                rest_ms(1000);
                ask(fd, "GET", "/quick", "");
                takes(fd, "quick");
        }
        assert_int_equal(s.site.gauges.timeouts, 0);
        /* but not with half a request that came with the one before */
        ask(fd, "GET", "/quick", "");
        put(fd, "GET /qui");
        takes(fd, "quick");
        put(fd, "c");
        dribble(fd);
        close(fd);
}

SERVER_TEST(who_takes_an_answer_slowly_is_ended)
{
        start_in_a_hurry();
        const int fd = asked("GET", "/large", "");
        for (int i = 0; i < 1000 && s.site.gauges.timeouts == 0; i++)
                rest_ms(10);
        assert_int_equal(s.site.gauges.timeouts, 1);
        answers("/quick", "quick");
        close(fd);
}

SERVER_TEST(a_stream_gives_what_comes_and_sleeps_between)
{
        start_in_a_hurry();
        const int fd = asked("GET", "/stream", "");
        takes(fd, "text/event-stream");
        tell("one");
        takes(fd, "\"mission_id\":\"one\"");
        rest_ms(1000); /* longer than a request or an answer may take */
        tell("two");
        takes(fd, "\"mission_id\":\"two\"");
        assert_int_equal(s.site.gauges.streams, 1);
        close(fd);
        for (int i = 0; i < 1000 && s.site.gauges.streams > 0; i++) {
                tell("gone"); /* what is written to it fails */
                rest_ms(10);
        }
        assert_int_equal(s.site.gauges.streams, 0);
}

SERVER_TEST(streams_have_a_bound_and_leave_their_place)
{
        int fds[2];

        s.options.streams = 2;
        start();
        for (int i = 0; i < 2; i++) {
                fds[i] = asked("GET", "/stream", "");
                assert_says(takes(fds[i], "\r\n\r\n"), "200 OK");
        }
        answers("/stream", "HTTP/1.1 503 ");
        answers("/stream", "Retry-After: ");
        answers("/quick", "quick");
        for (int i = 0; i < 2; i++)
                close(fds[i]);
        stop();
        assert_int_equal(s.site.gauges.streams, 0);
}

/* Once nobody can come any more, what waits may go on. */
static void *open_later(void *user)
{
        (void)user;
        while (!refuses_to_connect())
                rest_ms(10);
        gate_open = true;
        return NULL;
}

SERVER_TEST(stopping_lets_nobody_in_ends_streams_and_waits_for_what_runs)
{
        s.options.grace_ms = 5000;
        start();
        const int streams = asked("GET", "/stream", "");
        takes(streams, "\r\n\r\n");
        const int runs = asked("GET", "/gated", "");
        reaches(&at_gate, 1);
        pthread_t opener;
        assert_int_equal(pthread_create(&opener, NULL, open_later, NULL), 0);
        stop();
        pthread_join(opener, NULL);
        assert_says(takes(runs, "quick"), "Connection: close");
        takes(streams, "0\r\n\r\n");
        close(runs);
        close(streams);
}

SERVER_TEST(stopping_ends_what_runs_on_and_says_so)
{
        s.options.grace_ms = 50;
        start();
        const int fd = asked("GET", "/endless", "");
        reaches(&at_gate, 1);
        stop();
        const char *answer = takes(fd, "");
        assert_says(answer, "HTTP/1.1 503 ");
        assert_says(answer, "PAWL_EINTERRUPTED");
        close(fd);
}

SERVER_TEST(more_than_the_queue_holds_is_told_to_come_again)
{
        enum { FIT = SERVICE_QUEUE_MAX };
        int fds[FIT + 1];

        s.options.threads = 1;
        start();
        fds[0] = asked("GET", "/gated", LAST);
        reaches(&at_gate, 1);
        for (int i = 1; i <= FIT; i++)
                fds[i] = asked("GET", "/gated", LAST);
        for (int i = 0; i < 1000 && s.site.gauges.queued < FIT; i++)
                rest_ms(10);
        answers("/quick", "HTTP/1.1 503 ");
        gate_open = true;
        for (int i = 0; i <= FIT; i++) {
                assert_says(takes(fds[i], ""), "quick");
                close(fds[i]);
        }
        answers("/quick", "quick");
}

/* One worker of two is kept for reading. */
SERVER_TEST(who_writes_holds_up_no_reader)
{
        int fds[3];

        start();
        for (int i = 0; i < 3; i++)
                fds[i] = asked("POST", "/gated", "Content-Length: 0\r\n" LAST);
        reaches(&at_gate, 1);
        for (int i = 0; i < 5; i++)
                answers("/quick", "quick");
        assert_int_equal(at_gate, 1);
        gate_open = true;
        for (int i = 0; i < 3; i++) {
                assert_says(takes(fds[i], ""), "quick");
                close(fds[i]);
        }
}

SERVER_TEST(an_address_that_is_taken_is_said)
{
        pawl_error err = PAWL_ERROR_INIT;
        service_server *second = NULL;

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

/* A request taken apart: what it is, and what is refused of it. */
#include "service/request.h"
#include "support/test.h"

static service_request request;
static pawl_error err;

static int set_up(void **state)
{
        (void)state;
        request = (service_request)SERVICE_REQUEST_INIT;
        err = (pawl_error)PAWL_ERROR_INIT;
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        service_request_free(&request);
        return 0;
}

static pawl_status target(const char *text)
{
        service_request_free(&request);
        return service_request_target(&request, pawl__text("GET"), pawl__text(text), &err);
}

UNIT_TEST_OF(a_path_is_its_segments_decoded_once, set_up, tear_down, NULL)
{
        assert_ok(target("/"));
        assert_int_equal(request.n_segments, 0);
        assert_text(request.method, "GET");
        assert_ok(target("/api/v1/runs/a%20b%2525/%C3%A4"));
        assert_int_equal(request.n_segments, 5);
        assert_text(request.segments[3], "a b%25");
        assert_text(request.segments[4], "\xc3\xa4");
        /* a plus is a space in a query alone; an empty segment is one */
        assert_ok(target("/a+b//"));
        assert_int_equal(request.n_segments, 3);
        assert_text(request.segments[0], "a+b");
        assert_text(request.segments[1], "");
        assert_text(request.segments[2], "");
}

UNIT_TEST_OF(a_path_that_could_be_read_in_two_ways_is_refused, set_up, tear_down, NULL)
{
        static const char *const refused[] = {"", "api", "*", "http://127.0.0.1/", "/a%2fb",
                "/a%2Fb", "/%00", "/a%", "/a%2", "/a%zz", "/a%2 ", "/a b", "/a\tb", "/a\x7f",
                "/%ff", "/%c3", "/%ed%a0%80", "/.", "/a/..", "/%2e%2e/a", "/a?b=%00", "/?a=%zz",
                "/?%ff=1"};

        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
                if (target(refused[i]) != PAWL_EINVAL)
                        fail_msg("\"%s\" is not refused", refused[i]);
                assert_says(err.message, ": ");
                assert_says(err.message, "; ");
        }
}

UNIT_TEST_OF(a_query_is_its_parameters, set_up, tear_down, NULL)
{
        uint64_t number = 7;

        assert_ok(target("/r?limit=20&q=a+b%2Fc%26&empty=&bare&&n=x"));
        assert_int_equal(request.n_query, 5);
        assert_text(service_query(&request, "q"), "a b/c&");
        assert_text(service_query(&request, "empty"), "");
        assert_text(service_query(&request, "bare"), "");
        assert_null(service_query(&request, "limi").data);
        assert_ok(service_query_number(&number, &request, "absent", 1, 100, &err));
        assert_int_equal(number, 7);
        assert_ok(service_query_number(&number, &request, "limit", 1, 100, &err));
        assert_int_equal(number, 20);
        assert_int_equal(
                service_query_number(&number, &request, "limit", 21, 100, &err), PAWL_EINVAL);
        assert_says(err.message, "limit is \"20\"");
        assert_int_equal(service_query_number(&number, &request, "n", 0, 9, &err), PAWL_EINVAL);
        assert_int_equal(service_query_number(&number, &request, "empty", 0, 9, &err), PAWL_EINVAL);
        assert_int_equal(number, 20);
        assert_ok(target("/r?n=9223372036854775808"));
        assert_int_equal(
                service_query_number(&number, &request, "n", 0, UINT64_MAX, &err), PAWL_EINVAL);
        assert_int_equal(target("/r?a=1&b=2&a=3"), PAWL_EINVAL);
        assert_says(err.message, "a is given twice");
}

UNIT_TEST_OF(what_is_too_much_is_refused, set_up, tear_down, NULL)
{
        char text[SERVICE_TARGET_MAX + 2];

        memset(text, 'a', sizeof text);
        text[0] = '/';
        text[sizeof text - 1] = '\0';
        assert_int_equal(target(text), PAWL_ETOOBIG);
        text[sizeof text - 2] = '\0';
        assert_ok(target(text));
        assert_ok(target("/1/2/3/4/5/6/7/8/9/10/11/12"));
        assert_int_equal(target("/1/2/3/4/5/6/7/8/9/10/11/12/13"), PAWL_ETOOBIG);
        assert_ok(target("/?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p"));
        assert_int_equal(target("/?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q"), PAWL_ETOOBIG);
}

UNIT_TEST_OF(headers_that_count_come_once_and_whole, set_up, tear_down, NULL)
{
        char longest[SERVICE_HEADER_MAX + 1];

        assert_ok(service_request_header(&request, "hOsT", pawl__text("localhost"), &err));
        assert_text(request.headers[SERVICE_HOST], "localhost");
        assert_null(request.headers[SERVICE_ORIGIN].data);
        assert_int_equal(
                service_request_header(&request, "Host", pawl__text("evil"), &err), PAWL_EINVAL);
        assert_says(err.message, "the header Host: is given twice");
        /* of others nothing is asked */
        for (int i = 0; i < 2; i++)
                assert_ok(
                        service_request_header(&request, "X-Other", pawl__text("\x01\xff"), &err));
        assert_int_equal(
                service_request_header(&request, "Origin", pawl__text("a\x01"), &err), PAWL_EINVAL);
        assert_int_equal(service_request_header(&request, "X-Pawl-Actor", pawl__text("\xff"), &err),
                PAWL_EINVAL);
        assert_null(request.headers[SERVICE_ACTOR].data);
        memset(longest, 'a', sizeof longest);
        assert_int_equal(service_request_header(&request, "Authorization",
                                 pawl__text_n(longest, sizeof longest), &err),
                PAWL_ETOOBIG);
        assert_ok(service_request_header(
                &request, "Authorization", pawl__text_n(longest, sizeof longest - 1), &err));
}

UNIT_TEST_OF(a_body_has_a_bound, set_up, tear_down, NULL)
{
        static const char half[SERVICE_BODY_MAX / 2];

        assert_ok(service_request_body(&request, half, sizeof half, &err));
        assert_ok(service_request_body(&request, half, sizeof half, &err));
        assert_int_equal(service_request_body(&request, half, 1, &err), PAWL_ETOOBIG);
        assert_says(err.message, "larger than 1048576 bytes");
        assert_int_equal(request.body.len, SERVICE_BODY_MAX);
}

/* Who may ask, and who may not: each way in, tried. */
#include "service/fixture.h"

static test_service s;

#define OURS "http://127.0.0.1:7473"

/* A request with these headers, up to the first NULL name. */
static unsigned asks(const char *method, const char *target, const char *a, const char *av,
        const char *b, const char *bv, const char *c, const char *cv)
{
        const char *headers[7] = {a, av, b, bv, c, cv, NULL};
        const bool posts = strcmp(method, "POST") == 0;

        if (!b)
                headers[2] = NULL;
        if (!c)
                headers[4] = NULL;
        return test_service_ask(
                &s, method, target, headers, posts ? "{\"command\":\"conflicts\"}" : NULL);
}

#define GETS(...)  asks("GET", "/metrics", __VA_ARGS__)
#define POSTS(...) asks("POST", "/executeCommand", __VA_ARGS__)
#define NONE       NULL, NULL

SERVICE_TEST(a_program_needs_the_token_of_the_file, &s)
{
        char wrong[80];

        (void)state;
        test_service_open(&s);
        assert_int_equal(GETS("Authorization", s.program_token, NONE, NONE), 200);
        assert_int_equal(POSTS("Authorization", s.program_token, NONE, NONE), 200);
        assert_int_equal(GETS(NONE, NONE, NONE), 401);
        assert_true(s.answer.challenge);
        assert_true(s.answer.close);
        answer_says(&s, "\"PAWL_EACCESS\"");
        answer_says(&s, "the token: is missing; ");
        assert_int_equal(POSTS(NONE, NONE, NONE), 401);
        assert_int_equal(GETS("Authorization", "Basic abc", NONE, NONE), 401);
        assert_int_equal(GETS("Authorization", "Bearer ", NONE, NONE), 401);
        assert_int_equal(GETS("Authorization", s.program_token + 7, NONE, NONE), 401);
        memcpy(wrong, s.program_token, sizeof wrong);
        wrong[70] = wrong[70] == '0' ? '1' : '0';
        assert_int_equal(GETS("Authorization", wrong, NONE, NONE), 401);
        answer_says(&s, "the token: is not this service's; ");
        assert_int_equal(s.site.gauges.unauthorized, 6);
        /* the scheme's name is of any case */
        memcpy(wrong, s.program_token, sizeof wrong);
        memcpy(wrong, "bEARER", 6);
        assert_int_equal(GETS("Authorization", wrong, NONE, NONE), 200);
}

SERVICE_TEST(what_is_not_there_is_told_to_nobody_without_a_token, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(asks("GET", "/nothing", NONE, NONE, NONE), 401);
        assert_int_equal(
                asks("GET", "/nothing", "Authorization", s.program_token, NONE, NONE), 404);
        assert_int_equal(asks("OPTIONS", "/metrics", NONE, NONE, NONE), 401);
        assert_int_equal(
                asks("OPTIONS", "/metrics", "Authorization", s.program_token, NONE, NONE), 405);
        assert_string_equal(s.answer.allow, "GET, HEAD");
}

SERVICE_TEST(a_name_that_is_not_ours_is_answered_by_nobody, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(
                GETS("Host", "evil.example:7473", "Authorization", s.program_token, NONE), 421);
        assert_int_equal(asks("GET", "/healthz", "Host", "evil.example", NONE, NONE), 421);
        assert_int_equal(asks("GET", "/healthz", "Host", "", NONE, NONE), 421);
        assert_int_equal(GETS("Host", "localhost", "Authorization", s.program_token, NONE), 200);
}

SERVICE_TEST(another_sites_page_can_do_nothing, &s)
{
        static const char *const origins[] = {"http://evil.example", "null", "",
                "http://127.0.0.1:8080", "http://localhost:7473", "https://127.0.0.1:7473.evil",
                "file://"};

        (void)state;
        test_service_open(&s);
        for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
                assert_int_equal(
                        GETS("Authorization", s.page_token, "Origin", origins[i], NONE), 403);
                assert_int_equal(
                        POSTS("Authorization", s.page_token, "Origin", origins[i], NONE), 403);
                assert_int_equal(
                        GETS("Authorization", s.program_token, "Origin", origins[i], NONE), 403);
                assert_int_equal(asks("GET", "/healthz", "Origin", origins[i], NONE, NONE), 403);
        }
        assert_int_equal(
                GETS("Authorization", s.page_token, "Sec-Fetch-Site", "cross-site", NONE), 403);
        assert_int_equal(
                GETS("Authorization", s.page_token, "Sec-Fetch-Site", "same-site", NONE), 403);
        /* also where the two headers do not fit each other */
        assert_int_equal(
                GETS("Authorization", s.page_token, "Origin", OURS, "Sec-Fetch-Site", "cross-site"),
                403);
        assert_int_equal(
                GETS("Authorization", s.page_token, "Origin", OURS, "Sec-Fetch-Site", "none"), 403);
        /* a link that is clicked may lead to what is open, and to nothing else */
        assert_int_equal(asks("GET", "/healthz", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
                                 "navigate", NONE),
                200);
        assert_int_equal(asks("GET", "/healthz", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
                                 "no-cors", NONE),
                403);
        assert_int_equal(GETS("Authorization", s.program_token, "Sec-Fetch-Site", "cross-site",
                                 "Sec-Fetch-Mode", "navigate"),
                403);
}

SERVICE_TEST(our_page_asks_with_its_own_token_alone, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(GETS("Authorization", s.page_token, "Origin", OURS, NONE), 200);
        assert_int_equal(POSTS("Authorization", s.page_token, "Origin", OURS, NONE), 200);
        assert_int_equal(POSTS("Authorization", s.page_token, "Origin", OURS, "Sec-Fetch-Site",
                                 "same-origin"),
                200);
        assert_int_equal(
                GETS("Authorization", s.page_token, "Sec-Fetch-Site", "same-origin", NONE), 200);
        /* browsers send neither for a GET to an address beyond loopback without TLS */
        assert_int_equal(GETS("Authorization", s.page_token, NONE, NONE), 200);
        assert_int_equal(POSTS("Authorization", s.page_token, NONE, NONE), 403);
        answer_says(&s, "is the one of the page, and no page asks");
        assert_int_equal(GETS("Authorization", s.page_token, "Sec-Fetch-Site", "none", NONE), 403);
        assert_int_equal(GETS("Authorization", s.program_token, "Origin", OURS, NONE), 403);
        answer_says(&s, "is the one of programs, and a page asks");
        /* what agents ask is not the page's */
        assert_int_equal(
                asks("POST", "/mcp", "Authorization", s.page_token, "Origin", OURS, NONE), 403);
        assert_int_equal(GETS("Origin", OURS, NONE, NONE), 401);
}

/* A form of another site can send no Authorization; so what a program calls its JSON is its own. */
SERVICE_TEST(a_body_is_json_whatever_it_is_called, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(POSTS("Authorization", s.program_token, "Content-Type",
                                 "application/x-www-form-urlencoded", NONE),
                200);
        assert_int_equal(
                POSTS("Authorization", s.program_token, "Content-Type", "text/plain", NONE), 200);
        assert_int_equal(POSTS("Content-Type", "text/plain", NONE, NONE), 401);
}

SERVICE_TEST(every_answer_forbids_what_a_browser_could_do_with_it, &s)
{
        bool csp = false;

        (void)state;
        test_service_open(&s);
        for (const service_fixed_header *h = service_fixed_headers;
                h < service_fixed_headers + SERVICE_FIXED_HEADERS; h++)
                if (strcmp(h->name, "Content-Security-Policy") == 0) {
                        csp = true;
                        assert_non_null(strstr(h->value, "default-src 'none'"));
                        assert_non_null(strstr(h->value, "frame-ancestors 'none'"));
                        assert_null(strstr(h->value, "unsafe"));
                        assert_null(strstr(h->value, "*"));
                } else {
                        assert_null(strstr(h->name, "Access-Control"));
                }
        assert_true(csp);
}

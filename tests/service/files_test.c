/* The page's files: whole, to anybody, and not again to who has them. */
#include "service/fixture.h"
#include <stdio.h>

static test_service s;

static const char *const nobody[] = {NULL};

static void same_as_the_file(const char *name)
{
        static char content[256 * 1024];
        char path[512];

        snprintf(path, sizeof path, "%s/page/%s", SOURCE_DIR, name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t len = fread(content, 1, sizeof content, file);
        fclose(file);
        const pawl_text body = service_answer_bytes(&s.answer);
        assert_int_equal(body.len, len);
        assert_memory_equal(body.data, content, len);
}

SERVICE_TEST(each_file_is_given_as_it_is_without_a_token, &s)
{
        static const struct {
                const char *target, *name, *type;
        } files[] = {{"/", "index.html", "text/html; charset=utf-8"},
                {"/page/index.html", "index.html", "text/html; charset=utf-8"},
                {"/page/app.js", "app.js", "text/javascript; charset=utf-8"},
                {"/page/style.css", "style.css", "text/css; charset=utf-8"},
                {"/page/icon.svg", "icon.svg", "image/svg+xml"}};

        (void)state;
        test_service_open(&s);
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
                assert_int_equal(test_service_ask(&s, "GET", files[i].target, nobody, NULL), 200);
                assert_string_equal(s.answer.content_type, files[i].type);
                assert_string_equal(s.answer.cache, "no-cache");
                same_as_the_file(files[i].name);
        }
}

SERVICE_TEST(a_browser_that_has_it_is_told_so, &s)
{
        (void)state;
        test_service_open(&s);
        assert_int_equal(test_service_ask(&s, "GET", "/page/app.js", nobody, NULL), 200);
        const char *etag = s.answer.etag;
        const char *const has[] = {"If-None-Match", etag, NULL};
        const char *const other[] = {"If-None-Match", "\"0\"", NULL};
        assert_int_equal(test_service_ask(&s, "GET", "/page/app.js", has, NULL), 304);
        assert_int_equal(service_answer_bytes(&s.answer).len, 0);
        assert_string_equal(s.answer.etag, etag);
        assert_int_equal(test_service_ask(&s, "GET", "/page/app.js", other, NULL), 200);
        assert_int_equal(test_service_ask(&s, "GET", "/page/style.css", has, NULL), 200);
}

SERVICE_TEST(what_is_no_file_of_the_page_is_not_there, &s)
{
        static const char *const targets[] = {"/page/nope.js", "/page/app.j", "/page/app.jss",
                "/page/APP.JS", "/page", "/app.js", "/index.html"};

        (void)state;
        test_service_open(&s);
        for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
                if (test_service_get(&s, targets[i]) != 404)
                        fail_msg("%s: %u", targets[i], s.answer.status);
        assert_int_equal(test_service_get(&s, "/page/nope.js"), 404);
        answer_says(&s, "nope.js: the page has no such file; ");
        assert_int_equal(test_service_post(&s, "/", "{}"), 405);
}

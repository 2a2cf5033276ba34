#include "base/json_canon.h"
#include "base/json_order.h"
#include "support/test.h"
#include <time.h>

static void hash_of(char hex[65], const char *text, size_t len)
{
        unsigned char hash[32];
        pawl__hasher *hasher;

        assert_ok(pawl__hasher_new(&hasher, NULL));
        assert_ok(pawl__sha256(hasher, hash, text, len, NULL));
        pawl__hex(hex, hash, sizeof hash);
        pawl__hasher_free(hasher);
}

/* Canonical text, and hash as SHA-256 of that, by every way in. */
static bool agrees(const char *text, size_t len, const char *canonical, size_t canonical_len)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf out = PAWL__BUF_INIT;
        char wanted[65], hex[65];
        char *exact = malloc(len ? len : 1); /* so that a sanitizer sees a byte read beyond it */

        assert_non_null(exact);
        memcpy(exact, text, len);
        assert_ok(pawl__buf_adds(&out, "before "));
        const pawl_status status = pawl__json_canon(&out, exact, len, &err);
        hash_of(wanted, canonical, canonical_len);
        const bool same =
                !status && out.len == canonical_len + 7 && memcmp(out.data, "before ", 7) == 0 &&
                memcmp(out.data + 7, canonical, canonical_len) == 0 && !out.data[out.len] &&
                !pawl_json_hash(hex, exact, len, &err) && strcmp(hex, wanted) == 0;
        if (!same)
                print_error("%.*s\n  is  %s\n  not %.*s\n", (int)(len < 300 ? len : 300), text,
                        status ? err.message : out.data + 7,
                        (int)(canonical_len < 300 ? canonical_len : 300), canonical);
        pawl__buf_free(&out);
        free(exact);
        return same;
}

static void check(const char *text, const char *canonical)
{
        assert_true(agrees(text, strlen(text), canonical, strlen(canonical)));
}

UNIT_TEST(the_examples_of_rfc_8785_come_out)
{
        check("{\n  \"numbers\": [333333333.33333329, 1E30, 4.50,\n              2e-3, "
              "0.000000000000000000000000001],\n  \"string\": "
              "\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n  \"literals\": "
              "[null, "
              "true, false]\n}",
                "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-"
                "27]"
                ",\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
        check("{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter "
              "Dalet With Dagesh\",\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning "
              "Face\",\"\\u0080\":\"Control\",\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}",
                "{\"\\r\":\"Carriage "
                "Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\",\"\xc3\xb6\":\"Latin Small Letter "
                "O "
                "With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\",\"\xf0\x9f\x98\x80\":\"Emoji: "
                "Grinning Face\",\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
}

UNIT_TEST(scalars_and_empty_containers_are_documents_too)
{
        check(" null ", "null");
        check("\ttrue", "true");
        check("false\r\n", "false");
        check("\"\"", "\"\"");
        check("[ ]", "[]");
        check("{\n}", "{}");
        check("[[],{},[{}],[[ ]] ]", "[[],{},[{}],[[]]]");
        check("0", "0");
}

UNIT_TEST(integers_keep_every_digit)
{
        check("-0", "0");
        check("[9007199254740991,-9007199254740991]", "[9007199254740991,-9007199254740991]");
        check("[9007199254740992,9007199254740993]", "[9007199254740992,9007199254740993]");
        check("-123456789012345678901234567890", "-123456789012345678901234567890");
        check("1000000000000000000000000", "1000000000000000000000000");
        check("18446744073709551617", "18446744073709551617");
        check("9007199254740993.0", "9007199254740992"); /* a point: a double */
        check("1000000000000000000000e0", "1e+21");
        check("[1.50,-0.0,1e-7,0.0000001,1E2,-1e-400]", "[1.5,0,1e-7,1e-7,100,0]");
}

UNIT_TEST(strings_keep_only_the_escapes_that_they_need)
{
        check("\"\\u0000\\u0001\\u0007\\u0008\\u0009\\u000a\\u000b\\u000c\\u000d\\u001F \\u007f\"",
                "\"\\u0000\\u0001\\u0007\\b\\t\\n\\u000b\\f\\r\\u001f \x7f\"");
        check("\"\\b\\f\\n\\r\\t\\\"\\\\\\/\"", "\"\\b\\f\\n\\r\\t\\\"\\\\/\"");
        check("\"\\u00e9\\u20AC\\ud83d\\ude00\\u2028\"",
                "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xe2\x80\xa8\"");
        check("\"an ASCII text that is longer than two times sixteen bytes\\/\"",
                "\"an ASCII text that is longer than two times sixteen bytes/\"");
}

UNIT_TEST(members_stand_in_the_order_of_utf_16_units)
{
        check("{\"b\":1,\"a\":2,\"\":3,\"ab\":4,\"a\\u0000\":5}",
                "{\"\":3,\"a\":2,\"a\\u0000\":5,\"ab\":4,\"b\":1}");
        /* a character of two units comes before U+E000 to U+FFFF, not after */
        check("{\"\\uffff\":1,\"\\ue000\":2,\"\\ud83d\\ude00\":3,\"\\ud7ff\":4}",
                "{\"\xed\x9f\xbf\":4,\"\xf0\x9f\x98\x80\":3,\"\xee\x80\x80\":2,\"\xef\xbf\xbf\":"
                "1}");
        /* by what the escapes stand for, not by how they are written */
        check("{\"\\\\\":1,\"Z\":2,\"]\":3,\"\\\"\":4,\"!\":5,\"#\":6,\"\\n\":7,\"\\u0001\":8}",
                "{\"\\u0001\":8,\"\\n\":7,\"!\":5,\"\\\"\":4,\"#\":6,\"Z\":2,\"\\\\\":1,\"]\":3}");
        /* where the first eight bytes, which are compared first, are the same */
        check("{\"same_start_b\":1,\"same_start_a\":2,\"same_start\":3,\"same_sta\":4,\"same_st\":"
              "5}",
                "{\"same_st\":5,\"same_sta\":4,\"same_start\":3,\"same_start_a\":2,\"same_start_"
                "b\":1}");
        check("{\"12345678\\uffff\":1,\"12345678\\ud83d\\ude00\":2,\"12345678\\\\\":3,"
              "\"12345678Z\":4,\"12345678\\u0001\":5,\"12345678\":6}",
                "{\"12345678\":6,\"12345678\\u0001\":5,\"12345678Z\":4,\"12345678\\\\\":3,"
                "\"12345678\xf0\x9f\x98\x80\":2,\"12345678\xef\xbf\xbf\":1}");
        assert_true(pawl__utf16_cmp("\xf0\x9f\x98\x80", 4, "\xef\xbf\xbf", 3) < 0);
        assert_true(pawl__utf16_cmp("\xed\x9f\xbf", 3, "\xf0\x9f\x98\x80", 4) < 0);
        assert_true(pawl__utf16_cmp("a", 1, "ab", 2) < 0);
        assert_true(pawl__utf16_cmp("ab", 2, "ab", 2) == 0);
        assert_true(pawl__utf16_cmp("b", 1, "ab", 2) > 0);
        assert_true(pawl__utf16_cmp("", 0, NULL, 0) == 0);
}

/* A line of the vectors: the text, a tab, its canonical form. */
static bool check_line(const char *line, size_t len)
{
        const char *tab = memchr(line, '\t', len);

        assert_non_null(tab);
        const size_t text_len = (size_t)(tab - line);
        return agrees(line, text_len, tab + 1, len - text_len - 1);
}

UNIT_TEST(another_program_has_the_same_canonical_forms)
{
        size_t len, lines = 0;
        char *all = file_read(GOLDEN_DIR "/json_vectors.txt", &len);

        for (char *p = all; p < all + len; lines++) {
                char *end = memchr(p, '\n', (size_t)(all + len - p));
                assert_non_null(end);
                assert_true(check_line(p, (size_t)(end - p)));
                p = end + 1;
        }
        assert_true(lines > 1500);
}

UNIT_TEST(node_has_the_same_canonical_forms_for_134_thousand_more)
{
        FILE *node;
        char *line = NULL;
        size_t cap = 0, lines = 0, bad = 0;
        ssize_t n;

        if (system("node --version >/dev/null 2>&1") != 0) {
                print_message("no node here: only the committed vectors were compared\n");
                skip();
        }
        node = popen("node " GOLDEN_DIR "/json_vectors.mjs full", "r");
        assert_non_null(node);
        while ((n = getline(&line, &cap, node)) > 0 && bad < 10) {
                bad += !check_line(line, (size_t)n - 1);
                lines++;
        }
        free(line);
        assert_int_equal(bad, 0);
        assert_int_equal(pclose(node), 0);
        assert_true(lines > 110000);
}

/* {"z":[{"y":..., "x":...}, ...], "a":1} of about so many bytes: large objects, out of order, in
 * large objects. Its canonical form is made beside it. */
static void make_large(pawl__buf *text, pawl__buf *canonical, unsigned depth, unsigned width)
{
        pawl__buf inner = PAWL__BUF_INIT, inner_canonical = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (depth == 0) {
                for (unsigned i = 0; i < width; i++)
                        status |= pawl__buf_addf(
                                &inner, "%s{\"name\": %u, \"id\": %u.50}", i ? ", " : "", i, i);
                for (unsigned i = 0; i < width; i++)
                        status |= pawl__buf_addf(&inner_canonical, "%s{\"id\":%u.5,\"name\":%u}",
                                i ? "," : "", i, i);
        } else {
                make_large(&inner, &inner_canonical, depth - 1, width);
        }
        status |= pawl__buf_addf(text,
                "{\"z%u\" :[%s],\"m\":0,\"a\":\"%s\", \"b\":{\"d\":[1],\"c\":[2]}}", depth,
                inner.data, "x");
        status |= pawl__buf_addf(canonical,
                "{\"a\":\"x\",\"b\":{\"c\":[2],\"d\":[1]},\"m\":0,\"z%u\":[%s]}", depth,
                inner_canonical.data);
        assert_ok(status);
        pawl__buf_free(&inner);
        pawl__buf_free(&inner_canonical);
}

UNIT_TEST(large_objects_in_large_objects_are_put_in_order)
{
        for (unsigned width = 1; width <= 30000; width = width * 5 + 7) {
                pawl__buf text = PAWL__BUF_INIT, canonical = PAWL__BUF_INIT;
                assert_ok(pawl__buf_adds(&text, "[0, "));
                assert_ok(pawl__buf_adds(&canonical, "[0,"));
                for (unsigned i = 0; i < 3; i++) { /* and several of them in an array */
                        make_large(&text, &canonical, 2 * i, width);
                        assert_ok(pawl__buf_adds(&text, i < 2 ? ", " : " ]"));
                        assert_ok(pawl__buf_adds(&canonical, i < 2 ? "," : "]"));
                }
                assert_true(agrees(text.data, text.len, canonical.data, canonical.len));
                pawl__buf_free(&text);
                pawl__buf_free(&canonical);
        }
}

/* Members are moved 32 bytes at a time, into what is free behind the text: each length of the last
 * one and of the one before it, around one and two such pieces. */
UNIT_TEST(members_of_each_length_change_places)
{
        char small[66], capital[66];

        for (int i = 0; i < 66; i++) {
                small[i] = (char)('a' + i % 26);
                capital[i] = (char)('A' + i % 26);
        }
        for (int first = 0; first < 66; first++)
                for (int last = 0; last < 66; last++) {
                        char text[256], canonical[256];
                        snprintf(text, sizeof text, "{\"b\":\"%.*s\",\"a\":\"%.*s\"}", first, small,
                                last, capital);
                        snprintf(canonical, sizeof canonical, "{\"a\":\"%.*s\",\"b\":\"%.*s\"}",
                                last, capital, first, small);
                        check(text, canonical);
                }
}

/* Sorted, reversed, and shuffled; more than the sort does by insertion, and enough for it to part.
 */
UNIT_TEST(thousands_of_members_are_put_in_order)
{
        enum { MEMBERS = 20011 };
        const unsigned steps[] = {1, MEMBERS - 1, 7919, 2};

        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
                pawl__buf text = PAWL__BUF_INIT, canonical = PAWL__BUF_INIT;
                pawl_status status = PAWL_OK;
                for (unsigned i = 0; i < MEMBERS; i++) {
                        const unsigned n = (unsigned)((uint64_t)i * steps[k] % MEMBERS);
                        status |= pawl__buf_addf(&text, "%s\"%s%05u\":%u", i ? "," : "{",
                                n % 2 ? "" : "prefix__", n, n);
                }
                for (unsigned odd = 2; odd-- > 0;) /* digits come before letters */
                        for (unsigned i = odd; i < MEMBERS; i += 2)
                                status |= pawl__buf_addf(&canonical, "%s\"%s%05u\":%u",
                                        canonical.len ? "," : "{", odd ? "" : "prefix__", i, i);
                status |= pawl__buf_adds(&text, "}") | pawl__buf_adds(&canonical, "}");
                assert_ok(status);
                assert_true(agrees(text.data, text.len, canonical.data, canonical.len));
                pawl__buf_free(&text);
                pawl__buf_free(&canonical);
        }
}

/* Numbers whose canonical form is many times as long, so that the buffer must grow on the way. */
UNIT_TEST(numbers_may_grow)
{
        pawl__buf text = PAWL__BUF_INIT, canonical = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        for (int i = 0; i < 30000; i++) {
                status |= pawl__buf_addf(&text, "%s\"%05d\":1e20", i ? "," : "{", 29999 - i);
                status |= pawl__buf_addf(
                        &canonical, "%s\"%05d\":100000000000000000000", i ? "," : "{", i);
        }
        status |= pawl__buf_adds(&text, "}") | pawl__buf_adds(&canonical, "}");
        assert_ok(status);
        assert_true(agrees(text.data, text.len, canonical.data, canonical.len));
        pawl__buf_free(&text);
        pawl__buf_free(&canonical);
}

static double seconds(void)
{
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What would be slow if every level moved all that is in it, or compared every name with every
 * other. The bound is far above what it takes, and far below what it would take then. */
UNIT_TEST(hostile_documents_take_no_longer_than_others)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;
        unsigned char hash[32];
        pawl_error err;

        for (int i = 0; i < 500; i++)
                status |= pawl__buf_adds(&text, "{\"b\":");
        status |= pawl__buf_adds(&text, "[");
        for (int i = 0; i < 100000; i++)
                status |= pawl__buf_adds(&text, "{\"y\":\"0123456789abcdef0123456789\",\"x\":[]},");
        status |= pawl__buf_adds(&text, "0]");
        for (int i = 0; i < 500; i++)
                status |= pawl__buf_adds(&text, ",\"a\":0}");
        assert_ok(status);
        double start = seconds();
        assert_ok(pawl__json_canon_hash(hash, NULL, text.data, text.len, &err));
        assert_true(seconds() - start < 2);

        pawl__buf_clear(&text);
        status |= pawl__buf_adds(&text, "{");
        for (unsigned i = 0; i < 100000; i++) /* names that agree for long */
                status |= pawl__buf_addf(&text, "\"the_same_beginning_of_a_name_%06u\":0,",
                        (unsigned)((uint64_t)i * 61681 % 100003));
        status |= pawl__buf_adds(&text, "\"z\":0}");
        assert_ok(status);
        start = seconds();
        assert_ok(pawl__json_canon_hash(hash, NULL, text.data, text.len, &err));
        assert_true(seconds() - start < 2);
        pawl__buf_free(&text);
}

/* Median of three from a pattern that makes every part lopsided: the heap must take over. */
UNIT_TEST(the_sort_does_not_degrade)
{
        enum { N = 4000 };
        static char text[N * 8];
        static pawl__member members[N];
        pawl__order none = {0, ""};

        for (unsigned k = 0; k < 3; k++) {
                for (unsigned i = 0; i < N; i++) {
                        const unsigned n = k == 0   ? (i % 2 ? i : N - i)
                                           : k == 1 ? i / 2 + (i % 2) * N / 2
                                                    : i ^ 1;
                        snprintf(text + 8 * i, 8, "\"%05u\"", n);
                        members[i] = (pawl__member){0, 8 * i, 8 * i + 7}; /* names decide alone */
                }
                pawl__members_sort(text, members, N, &none);
                for (unsigned i = 1; i < N; i++) {
                        const int order = pawl__member_cmp(text, &members[i - 1], &members[i]);
                        assert_true(order < 0 ||
                                    (order == 0 && members[i - 1].start < members[i].start));
                }
        }
}

UNIT_TEST(the_public_functions_do_the_same)
{
        char hex[65], wanted[65], *out;
        size_t len;

        assert_ok(pawl_json_canonical(&out, &len, "{\"b\":1,\"a\":[]}", 14, NULL));
        assert_string_equal(out, "{\"a\":[],\"b\":1}");
        assert_int_equal(len, 14);
        hash_of(wanted, out, len);
        pawl_free(out);
        assert_ok(pawl_json_hash(hex, "{\"b\":1,\"a\":[]}", 14, NULL));
        assert_string_equal(hex, wanted);
        assert_int_equal(pawl_json_hash(hex, "x", (size_t)UINT32_MAX + 1, NULL), PAWL_ETOOBIG);
        assert_string_equal(hex, wanted);
}

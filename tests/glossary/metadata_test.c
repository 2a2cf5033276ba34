/* A step's glossary metadata: what is read of it, and what is refused. */
#include "glossary/extract.h"
#include "support/test.h"

UNIT_TEST(metadata_is_read_and_open)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        char json[] =
                "{\"other\":1,\"glossary_fields\":[\"a\",\"b\"],\"glossary_watch_terms\":null,"
                "\"glossary_exclude_terms\":[],\"glossary_aliases\":{\"x\":\"y\"}}";
        pawl__metadata read;

        assert_ok(pawl__metadata_read(&read, &arena, pawl__text(json), NULL));
        memset(json, 'x', sizeof json - 1);
        assert_int_equal(read.n_fields, 2);
        assert_text(read.fields[1], "b");
        assert_int_equal(read.n_watch_terms + read.n_exclude_terms, 0);
        assert_int_equal(read.n_aliases, 1);
        assert_text(read.aliases[0].alias, "x");
        assert_text(read.aliases[0].term, "y");
        assert_ok(pawl__metadata_read(&read, &arena, pawl__text("null"), NULL));
        assert_int_equal(read.n_fields + read.n_aliases, 0);
        pawl__arena_free(&arena);
}

UNIT_TEST(malformed_metadata_is_refused_by_name)
{
        static const struct {
                const char *json, *message;
                pawl_status status;
        } cases[] = {
                {"[]", "metadata: not an object", PAWL_EINVAL},
                {"{\"glossary_watch_terms\":\"x\"}",
                        "metadata.glossary_watch_terms: not an array of strings", PAWL_EINVAL},
                {"{\"glossary_exclude_terms\":[\"x\",1]}",
                        "metadata.glossary_exclude_terms: not an array of strings", PAWL_EINVAL},
                {"{\"glossary_fields\":{}}", "metadata.glossary_fields: not an array of strings",
                        PAWL_EINVAL},
                {"{\"glossary_aliases\":[]}", "metadata.glossary_aliases: not an object of strings",
                        PAWL_EINVAL},
                {"{\"glossary_aliases\":{\"a\":null}}",
                        "metadata.glossary_aliases: not an object of strings", PAWL_EINVAL},
                {"{\"a\":1,\"a\":2}", "metadata: line 1, column 8:", PAWL_EPARSE},
        };
        pawl__arena arena = PAWL__ARENA_INIT;

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__metadata read, before;
                memset(&read, 0x5a, sizeof read);
                before = read;
                assert_int_equal(
                        pawl__metadata_read(&read, &arena, pawl__text(cases[i].json), &err),
                        cases[i].status);
                assert_says(err.message, cases[i].message);
                assert_memory_equal(&read, &before, sizeof read);
        }
        pawl__arena_free(&arena);
}

/* Each allocation fails in its turn: the status and message say so, nothing leaks, and what was
 * there before is untouched. */
#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "base/map.h"
#include "support/sweep.h"
#include "support/test.h"

static int setup(void **state)
{
        pawl__buf *text = test_alloc(sizeof *text);

        /* large objects in large objects, escapes, numbers that grow */
        for (int level = 0; level < 3; level++) {
                assert_ok(pawl__buf_adds(text, "{\"z\":"));
        }
        assert_ok(pawl__buf_adds(text, "{"));
        for (int i = 0; i < 3000; i++)
                assert_ok(pawl__buf_addf(text, "\"k\\u00e9%04d\":[1e20,\"\\t\"],", 2999 - i));
        assert_ok(pawl__buf_adds(text, "\"last\":{\"b\":1,\"a\":2}}"));
        for (int level = 0; level < 3; level++)
                assert_ok(pawl__buf_adds(text, ",\"a\":0}"));
        *state = text;
        return 0;
}

static int teardown(void **state)
{
        pawl__buf_free(*state);
        return 0;
}

typedef pawl_status (*work)(const pawl__buf *text, pawl_error *err);

static void fail_each(work run, const pawl__buf *text)
{
        for (sweep s = {0}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                (void)sweep_done(&s, run(text, &err), &err);
        }
}

static pawl_status canonical(const pawl__buf *text, pawl_error *err)
{
        char *out = NULL;
        size_t len = 99;
        const pawl_status status = pawl_json_canonical(&out, &len, text->data, text->len, err);

        if (status) {
                assert_null(out);
                assert_int_equal(len, 99);
        }
        pawl_free(out);
        return status;
}

static pawl_status canonical_behind(const pawl__buf *text, pawl_error *err)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_status status = pawl__buf_adds(&out, "before");

        if (status) {
                pawl__nomem(err);
        } else {
                status = pawl__json_canon(&out, text->data, text->len, err);
                if (status)
                        assert_text(pawl__buf_text(&out), "before");
        }
        pawl__buf_free(&out);
        return status;
}

static pawl_status hash(const pawl__buf *text, pawl_error *err)
{
        char hex[65] = "untouched";
        const pawl_status status = pawl_json_hash(hex, text->data, text->len, err);

        if (status)
                assert_string_equal(hex, "untouched");
        return status;
}

static pawl_status tree(const pawl__buf *text, pawl_error *err)
{
        pawl__json_tree out = PAWL__JSON_TREE_INIT;
        const pawl_status status = pawl__json_tree_read(&out, text->data, text->len, err);

        if (status)
                assert_int_equal(out.n, 0);
        pawl__json_tree_free(&out);
        return status;
}

static pawl_status writer(const pawl__buf *text, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        for (int i = 0; i < 5; i++)
                pawl__json_text(&w, pawl__buf_text(text));
        pawl__json_close_array(&w);
        const pawl_status status = pawl__json_end_writer(&w);
        pawl__json_writer_free(&w);
        return status ? pawl__fail(err, status, "out of memory") : PAWL_OK;
}

static pawl_status quote(const pawl__buf *text, pawl_error *err)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_status status = pawl__buf_adds(&out, "before");

        if (!status) {
                status = pawl__json_quote(&out, pawl__buf_text(text));
                if (status)
                        assert_text(pawl__buf_text(&out), "before");
        }
        pawl__buf_free(&out);
        return status ? pawl__nomem(err) : PAWL_OK;
}

static pawl_status map(const pawl__buf *text, pawl_error *err)
{
        pawl__map keys = PAWL__MAP_INIT;
        pawl_status status = PAWL_OK;
        uint32_t i = 0;

        for (; i < 1000 && !status; i++)
                status = pawl__map_put(&keys, pawl__text_n(text->data + i, 12), i);
        if (status) { /* the last one is not in it, the others are */
                for (uint32_t k = 0; k + 1 < i; k++)
                        assert_true(pawl__map_get(&keys, pawl__text_n(text->data + k, 12)) !=
                                    PAWL__MAP_NONE);
                pawl__nomem(err);
        }
        pawl__map_free(&keys);
        return status;
}

UNIT_TEST(the_canonical_form_survives_any_failed_allocation)
{
        fail_each(canonical, *state);
        fail_each(canonical_behind, *state);
}

UNIT_TEST(the_hash_survives_any_failed_allocation)
{
        fail_each(hash, *state);
}

UNIT_TEST(the_tree_survives_any_failed_allocation)
{
        fail_each(tree, *state);
}

UNIT_TEST(the_writer_survives_any_failed_allocation)
{
        fail_each(writer, *state);
        fail_each(quote, *state);
}

UNIT_TEST(the_map_survives_any_failed_allocation)
{
        fail_each(map, *state);
}

TESTS_MAIN(setup, teardown)

/* Pawl's JSON as trees of cJSON: what they can hold comes and goes whole, the rest is refused.
 * Needs PAWL_WITH_CJSON. */
#include "support/pipeline.h"
#include "support/sweep.h"

#include <locale.h>
#include <math.h>
#include <pawl/cjson.h>

static pawl_status read_text(cJSON **out, const char *text, pawl_error *err)
{
        return pawl_cjson_read(out, text, strlen(text), err);
}

static void expect_text(const cJSON *tree, const char *wanted)
{
        pawl_error err = PAWL_ERROR_INIT;
        char *text = NULL;
        size_t len = 0;

        assert_ok(pawl_cjson_write(&text, &len, tree, &err));
        assert_string_equal(text, wanted);
        assert_int_equal(len, strlen(wanted));
        pawl_free(text);
}

static void expect_refused(cJSON *tree, pawl_status wanted, const char *says)
{
        pawl_error err = PAWL_ERROR_INIT;
        char *text = NULL;
        size_t len = 0;

        assert_int_equal(pawl_cjson_write(&text, &len, tree, &err), wanted);
        assert_null(text);
        assert_says(err.message, says);
        cJSON_Delete(tree);
}

UNIT_TEST(a_text_comes_back_canonical)
{
        static const char *const texts[][2] = {
                {"{\"b\":[1,2.5,-0,1e2],\"a\":\"\\u00e9\\n\"}",
                        "{\"a\":\"\xc3\xa9\\n\",\"b\":[1,2.5,0,100]}"},
                {"0.30000000000000004", "0.30000000000000004"},
                {"5e-324", "5e-324"},
                {"1.25e-30", "1.25e-30"},
                {"9007199254740991", "9007199254740991"},
                {"[true,false,null,{},[]]", "[true,false,null,{},[]]"},
                {"\"a\\\\u0000\"", "\"a\\\\u0000\""},
        };

        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                cJSON *tree = NULL;

                assert_ok(read_text(&tree, texts[i][0], &err));
                expect_text(tree, texts[i][1]);
                cJSON_Delete(tree);
        }
}

UNIT_TEST(what_a_tree_cannot_hold_is_refused)
{
        static const char *const texts[][2] = {
                {"{\"a\":9007199254740993}", "9007199254740992 is an integer beyond 2^53 - 1"},
                {"12345678901234567890", "integer beyond"},
                {"\"a\\u0000b\"", "cJSON would lose a part"},
                {"{\"a\\u0000\":1}", "cJSON would lose a part"},
                {"{\"a\":1,\"a\":2}", "column"},
                {"1e400", "column"},
                {"01", "column"},
        };

        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                cJSON *tree = NULL;

                assert_int_equal(read_text(&tree, texts[i][0], &err), PAWL_EPARSE);
                assert_null(tree);
                assert_says(err.message, texts[i][1]);
        }
}

UNIT_TEST(what_a_tree_may_have_lost_is_refused)
{
        expect_refused(cJSON_CreateNumber(9007199254740992.0), PAWL_EPARSE, "integer beyond");
        expect_refused(cJSON_CreateNumber(INFINITY), PAWL_EPARSE, "not finite");
        expect_refused(cJSON_CreateNumber(NAN), PAWL_EPARSE, "not finite");
        expect_refused(cJSON_CreateRaw("[1]"), PAWL_EPARSE, "no JSON value");
        expect_refused(cJSON_CreateString("\xff"), PAWL_EPARSE, "UTF-8");
        expect_refused(NULL, PAWL_EINVAL, "is NULL");

        cJSON *twice = cJSON_CreateObject();
        cJSON_AddNumberToObject(twice, "a", 1);
        cJSON_AddNumberToObject(twice, "a", 2);
        expect_refused(twice, PAWL_EPARSE, "\"a\"");

        cJSON *nameless = cJSON_CreateObject();
        cJSON_AddItemToArray(nameless, cJSON_CreateNull());
        expect_refused(nameless, PAWL_EPARSE, "no name");

        cJSON *deep = cJSON_CreateArray(), *at = deep;
        for (int i = 0; i < 600; i++) {
                cJSON *inner = cJSON_CreateArray();
                cJSON_AddItemToArray(at, inner);
                at = inner;
        }
        expect_refused(deep, PAWL_EPARSE, "deeper than 512");

        cJSON *round = cJSON_CreateArray(); /* it holds itself */
        round->child = round;
        pawl_error err = PAWL_ERROR_INIT;
        char *text = NULL;
        size_t len;
        assert_int_equal(pawl_cjson_write(&text, &len, round, &err), PAWL_EPARSE);
        round->child = NULL;
        cJSON_Delete(round);
}

UNIT_TEST(numbers_are_spelled_the_same_in_every_locale)
{
        cJSON *tree = cJSON_CreateNumber(0.5);

        if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
                print_message("de_DE.UTF-8 is not there: the point is tried alone\n");
        expect_text(tree, "0.5");
        setlocale(LC_NUMERIC, "C");
        cJSON_Delete(tree);
}

static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

static cJSON *tree_of(const char *text)
{
        pawl_error err = PAWL_ERROR_INIT;
        cJSON *tree = NULL;

        assert_ok(read_text(&tree, text, &err));
        return tree;
}

PIPED_TEST(a_step_takes_trees_and_gives_them)
{
        cJSON *inputs = tree_of("{\"b\":2,\"a\":[1.5]}"), *output = NULL;

        p->ctx = piped_context(p, "s", "{}");
        assert_ok(pawl_cjson_set_inputs(p->ctx, inputs, &p->err));
        assert_text(pawl_context_inputs(p->ctx), "{\"a\":[1.5],\"b\":2}");
        assert_ok(piped_run(p));
        assert_int_equal(pawl_cjson_output(&output, p->ctx, &p->err), PAWL_ENOTFOUND);
        assert_null(output);

        cJSON *rounded = cJSON_CreateNumber(1e17);
        const uint64_t head = piped_head(p);
        assert_int_equal(pawl_cjson_complete(p->pipeline, p->ctx, rounded, &p->err), PAWL_EPARSE);
        assert_int_equal(piped_head(p), head);
        assert_ok(pawl_cjson_complete(p->pipeline, p->ctx, inputs, &p->err));
        assert_ok(pawl_cjson_output(&output, p->ctx, &p->err));
        assert_true(cJSON_Compare(inputs, output, true));
        cJSON_Delete(rounded);
        cJSON_Delete(output);
        cJSON_Delete(inputs);
}

PIPED_TEST(a_checkpoint_its_conflict_and_its_events_come_as_trees)
{
        pawl_step_checkpoint *checkpoint = NULL;
        pawl_conflicts *conflicts = NULL;
        pawl_cursor *cursor = NULL;
        pawl_event event;
        cJSON *tree = NULL, *inputs = tree_of(ambiguous);
        bool same = false;

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(pawl_step_checkpoint_load(&checkpoint, p->log, p->token, &p->err));
        assert_ok(pawl_cjson_checkpoint(&tree, checkpoint, &p->err));
        assert_string_equal(
                cJSON_GetStringValue(cJSON_GetObjectItem(tree, "retry_token")), p->token);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(tree, "time")),
                "2026-11-20T12:35:00.000000Z");
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(tree, "scope_refs")),
                checkpoint->n_scope_refs);
        cJSON_Delete(tree);
        assert_ok(pawl_cjson_verify(&same, checkpoint, inputs, &p->err));
        assert_true(same);
        cJSON_AddTrueToObject(inputs, "more");
        assert_ok(pawl_cjson_verify(&same, checkpoint, inputs, &p->err));
        assert_false(same);

        assert_ok(pawl_conflict_list(&conflicts, p->log, NULL, false, &p->err));
        assert_int_equal(conflicts->n, 1);
        assert_ok(pawl_cjson_conflict(&tree, &conflicts->items[0], &p->err));
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(tree, "term")), "workspace");
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(tree, "resolved_seq")));
        const cJSON *second = cJSON_GetArrayItem(cJSON_GetObjectItem(tree, "candidates"), 1);
        assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(second, "n")), 2);
        cJSON_Delete(tree);

        assert_ok(pawl_cursor_open(&cursor, p->log, 0));
        for (uint64_t seq = 1; pawl_cursor_next(cursor, &event) == PAWL_OK; seq++) {
                assert_ok(pawl_cjson_event(&tree, &event, &p->err));
                assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(tree, "seq")), seq);
                char *payload = NULL;
                size_t len;
                assert_ok(pawl_cjson_write(
                        &payload, &len, cJSON_GetObjectItem(tree, "payload"), &p->err));
                assert_int_equal(len, event.payload.len);
                assert_memory_equal(payload, event.payload.data, len);
                pawl_free(payload);
                cJSON_Delete(tree);
        }
        pawl_cursor_close(cursor);
        pawl_conflicts_free(conflicts);
        pawl_step_checkpoint_free(checkpoint);
        cJSON_Delete(inputs);
}

PIPED_TEST(an_event_is_appended_with_a_tree)
{
        cJSON *payload = tree_of("{\"scope_id\":\"core\",\"glossary_version_id\":\"v1\"}"),
              *list = cJSON_CreateArray();
        const pawl_event event = {
                .type = pawl__text("GlossaryScopeActivated"), .mission_id = pawl__text("m")};
        uint64_t seq = 0;

        assert_ok(pawl_cjson_append(&seq, p->log, &event, payload, 0, &p->err));
        assert_int_equal(seq, piped_head(p));
        assert_string_equal(piped_payload(p, "GlossaryScopeActivated", seq - 1, 0),
                "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\"}");
        assert_true(pawl_cjson_append(&seq, p->log, &event, list, 0, &p->err) < 0);
        assert_int_equal(seq, piped_head(p));
        cJSON_Delete(payload);
        cJSON_Delete(list);
}

/* What is NULL is refused by name, and nothing is written. */
PIPED_TEST(null_is_refused)
{
        cJSON *tree = NULL, *payload = tree_of("{}");
        const pawl_event event = {.type = pawl__text("GlossaryScopeActivated")};
        const uint64_t head = piped_head(p);

        assert_int_equal(pawl_cjson_append(NULL, p->log, NULL, payload, 0, &p->err), PAWL_EINVAL);
        assert_says(p->err.message, "the event: is NULL; give one");
        assert_true(pawl_cjson_append(NULL, p->log, &event, NULL, 0, &p->err) < 0);
        assert_int_equal(pawl_cjson_event(&tree, NULL, &p->err), PAWL_EINVAL);
        assert_int_equal(pawl_cjson_checkpoint(&tree, NULL, &p->err), PAWL_EINVAL);
        assert_says(p->err.message, "the checkpoint: is NULL; give one");
        assert_int_equal(pawl_cjson_conflict(&tree, NULL, &p->err), PAWL_EINVAL);
        assert_true(pawl_cjson_set_inputs(p->ctx, NULL, &p->err) < 0);
        assert_null(tree);
        assert_int_equal(piped_head(p), head);
        cJSON_Delete(payload);
}

PIPED_TEST(without_memory_a_call_says_so_and_leaves_nothing)
{
        pawl_conflicts *conflicts = NULL;
        cJSON *inputs = tree_of(ambiguous);

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(pawl_conflict_list(&conflicts, p->log, NULL, false, &p->err));
        for (sweep s = {.least = 10}; sweep_next(&s);) {
                cJSON *tree = NULL;
                sweep_arm(&s);
                const pawl_status status =
                        pawl_cjson_conflict(&tree, &conflicts->items[0], &p->err);
                sweep_done(&s, status, &p->err);
                assert_int_equal(tree != NULL, status == PAWL_OK);
                cJSON_Delete(tree);
        }
        for (sweep s = {.least = 5}; sweep_next(&s);) {
                cJSON *tree = NULL;
                sweep_arm(&s);
                const pawl_status status = read_text(&tree, "{\"a\":[1,\"b\"]}", &p->err);
                sweep_done(&s, status, &p->err);
                cJSON_Delete(tree);
        }
        for (sweep s = {.least = 5}; sweep_next(&s);) {
                sweep_arm(&s);
                const pawl_status status = pawl_cjson_set_inputs(p->ctx, inputs, &p->err);
                sweep_done(&s, status, &p->err);
        }
        pawl_conflicts_free(conflicts);
        cJSON_Delete(inputs);
}

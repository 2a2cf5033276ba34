/* A checkpoint's form: encoded, decoded, and refused field by field. */
#include "checkpoint/checkpoint.h"
#include "support/history.h"
#include "support/sweep.h"
#include <pawl/checkpoint.h>

static pawl__checkpoint sample(void)
{
        return (pawl__checkpoint){.mission_id = pawl__text("mission-1"),
                .run_id = pawl__text("run-1"),
                .step_id = pawl__text("one"),
                .strictness = PAWL__STRICTNESS_MEDIUM,
                .scope_refs = {{pawl__text("team_domain"), pawl__text(HASH_C)}},
                .n_scope_refs = 1,
                .input_hash = HASH_A,
                .cursor = PAWL__AT_PRE_GENERATION_GATE,
                .retry_token = TOKEN(1)};
}

static const char sample_json[] =
        "{\"cursor\":\"pre_generation_gate\",\"input_hash\":\"" HASH_A
        "\",\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":\"" TOKEN(
                1) "\",\"scope_refs\":[{\"scope\":\"team_domain\",\"version_id\":\"" HASH_C
                   "\"}],\"strictness\":\"medium\"}";

static pawl_event event_of(const char *payload)
{
        return (pawl_event){.seq = 41,
                .v = 1,
                .type = pawl__text("StepCheckpointed"),
                .mission_id = pawl__text("mission-1"),
                .run_id = pawl__text("run-1"),
                .step_id = pawl__text("one"),
                .payload = pawl__text(payload)};
}

/* ---- Names ----------------------------------------------------------------------------------- */

UNIT_TEST(every_name_leads_back_to_its_value)
{
        for (int i = PAWL__AT_PRE_GENERATION_GATE; i <= PAWL__AT_POST_GENERATION; i++) {
                pawl__cursor_at cursor;
                assert_true(pawl__cursor_of(
                        &cursor, pawl__text(pawl__cursor_name((pawl__cursor_at)i))));
                assert_int_equal(cursor, i);
        }
        for (int i = PAWL__STRICTNESS_OFF; i <= PAWL__STRICTNESS_MAX; i++) {
                pawl__strictness strictness;
                assert_true(pawl__strictness_of(
                        &strictness, pawl__text(pawl__strictness_name((pawl__strictness)i))));
                assert_int_equal(strictness, i);
        }
}

UNIT_TEST(what_is_never_encoded_has_no_name)
{
        static const char *const unknown[] = {NULL, "", "Off", "post_gate ", "start", "unset"};

        assert_null(pawl__cursor_name(PAWL__AT_START));
        assert_null(pawl__cursor_name((pawl__cursor_at)5));
        assert_null(pawl__strictness_name(PAWL__STRICTNESS_UNSET));
        assert_null(pawl__strictness_name((pawl__strictness)4));
        for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
                pawl__cursor_at cursor = PAWL__AT_POST_GATE;
                pawl__strictness strictness = PAWL__STRICTNESS_MAX;
                assert_false(pawl__cursor_of(&cursor, pawl__text(unknown[i])));
                assert_false(pawl__strictness_of(&strictness, pawl__text(unknown[i])));
                assert_int_equal(cursor, PAWL__AT_POST_GATE);
                assert_int_equal(strictness, PAWL__STRICTNESS_MAX);
        }
}

/* ---- Encoding -------------------------------------------------------------------------------- */

UNIT_TEST(a_checkpoint_is_encoded_as_canonical_json)
{
        pawl__checkpoint checkpoint = sample();
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        char *canonical;
        size_t len;

        assert_ok(pawl__buf_adds(&out, "before"));
        assert_ok(pawl__checkpoint_encode(&out, &checkpoint, &err));
        assert_string_equal(out.data + 6, sample_json);
        assert_ok(pawl_json_canonical(&canonical, &len, out.data + 6, out.len - 6, &err));
        assert_string_equal(canonical, sample_json);
        pawl_free(canonical);
        pawl__buf_free(&out);
}

HISTORY_TEST(the_longest_of_everything_stays_below_the_limit)
{
        static const char *const scopes[] = {
                "mission_local", "team_domain", "audience_domain", "spec_kitty_core"};
        char id[129];
        pawl__checkpoint checkpoint = sample(), back;
        pawl__buf out = PAWL__BUF_INIT;

        memset(id, 'x', 128);
        id[128] = '\0';
        checkpoint.mission_id = checkpoint.run_id = checkpoint.step_id = pawl__text(id);
        checkpoint.n_scope_refs = 4;
        for (size_t i = 0; i < 4; i++)
                checkpoint.scope_refs[i] =
                        (pawl__scope_ref){pawl__text(scopes[i]), pawl__text(HASH_B)};
        checkpoint.cursor = PAWL__AT_PRE_GENERATION_GATE;
        memcpy(checkpoint.output_hash, HASH_B, 65);
        assert_ok(pawl__checkpoint_encode(&out, &checkpoint, &h->err));
        assert_in_range(out.len, 700, PAWL__CHECKPOINT_MAX);

        /* and the log takes it, ids and all */
        h->mission = h->run = h->step = id;
        history_start(h, "[]");
        assert_ok(pawl__log_claim(&h->claims[0].fence, h->log, pawl__text(id), pawl__text(id),
                pawl__text(NULL), pawl__text(NULL), &h->batch, NULL));
        history_step_started(h);
        history_add(h, "StepCheckpointed", "%s", out.data);
        assert_ok(pawl__log_commit(h->log, &h->batch, h->claims[0].fence, NULL));
        assert_ok(pawl__checkpoint_load(&back, &h->arena, h->log, pawl__text(TOKEN(1)), &h->err));
        assert_int_equal(back.n_scope_refs, 4);
        assert_text(back.step_id, id);
        assert_string_equal(back.output_hash, HASH_B);
        pawl__buf_free(&out);
}

UNIT_TEST(scope_names_that_are_too_long_together_are_refused)
{
        char scopes[4][129];
        pawl__checkpoint checkpoint = sample();
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        checkpoint.n_scope_refs = 4;
        for (size_t i = 0; i < 4; i++) {
                memset(scopes[i], 'a' + (int)i, 128);
                scopes[i][128] = '\0';
                checkpoint.scope_refs[i] =
                        (pawl__scope_ref){pawl__text(scopes[i]), pawl__text(HASH_B)};
        }
        assert_int_equal(pawl__checkpoint_encode(&out, &checkpoint, &err), PAWL_ETOOBIG);
        assert_says(err.message, "bytes, 1024 at most; use shorter scope names");
        assert_null(out.data);
}

/* One field made wrong, by a function, and the message that names it. */
struct flaw {
        void (*make)(pawl__checkpoint *checkpoint);
        const char *says;
};

static void no_mission(pawl__checkpoint *c)
{
        c->mission_id = pawl__text(NULL);
}
static void control_in_run(pawl__checkpoint *c)
{
        c->run_id = pawl__text("a\nb");
}
static void path_in_step(pawl__checkpoint *c)
{
        c->step_id = pawl__text("../a");
}
static void no_strictness(pawl__checkpoint *c)
{
        c->strictness = PAWL__STRICTNESS_UNSET;
}
static void no_cursor(pawl__checkpoint *c)
{
        c->cursor = PAWL__AT_START;
}
static void short_hash(pawl__checkpoint *c)
{
        c->input_hash[63] = '\0';
}
static void upper_hash(pawl__checkpoint *c)
{
        c->input_hash[9] = 'A';
}
static void no_token(pawl__checkpoint *c)
{
        c->retry_token[0] = '\0';
}
static void odd_token(pawl__checkpoint *c)
{
        c->retry_token[8] = '0';
}
static void odd_output(pawl__checkpoint *c)
{
        c->output_hash[0] = 'x';
}
static void no_output_after_generation(pawl__checkpoint *c)
{
        c->cursor = PAWL__AT_POST_GENERATION;
}
static void no_version(pawl__checkpoint *c)
{
        c->scope_refs[0].version_id = pawl__text(NULL);
}
static void odd_version(pawl__checkpoint *c)
{
        c->scope_refs[0].version_id = pawl__text("v1");
}
static void empty_scope(pawl__checkpoint *c)
{
        c->scope_refs[0].scope = pawl__text("");
}
static void scope_twice(pawl__checkpoint *c)
{
        c->scope_refs[1] = c->scope_refs[0];
        c->n_scope_refs = 2;
}
static void five_scopes(pawl__checkpoint *c)
{
        c->n_scope_refs = 5;
}

UNIT_TEST(a_field_that_is_not_of_its_form_is_refused)
{
        static const struct flaw flaws[] = {
                {no_mission, "StepCheckpointed: mission_id: id \"\": is empty"},
                {control_in_run, "run_id: id \"a\\x0ab\": holds a control character"},
                {path_in_step, "step_id: id \"../a\": holds a slash"},
                {no_strictness, "strictness: is not known; use off, medium or max"},
                {no_cursor, "cursor: is not known; use pre_generation_gate"},
                {short_hash, "input_hash: is no hash"},
                {upper_hash, "input_hash: is no hash"},
                {no_token, "retry_token: is no UUID"},
                {odd_token, "retry_token: is no UUID"},
                {odd_output, "output_hash: is no hash"},
                {no_output_after_generation, "output_hash: is no hash"},
                {no_version, "scope_refs[].version_id: \"\" is no content hash"},
                {odd_version, "scope_refs[].version_id: \"v1\" is no content hash"},
                {empty_scope, "scope_refs[].scope: id \"\": is empty"},
                {scope_twice, "scope_refs: scope team_domain is named twice"},
                {five_scopes, "scope_refs: there are 5; name each scope once, 4 at most"},
        };

        for (size_t i = 0; i < sizeof flaws / sizeof flaws[0]; i++) {
                pawl__checkpoint checkpoint = sample();
                pawl__buf out = PAWL__BUF_INIT;
                pawl_error err = PAWL_ERROR_INIT;
                flaws[i].make(&checkpoint);
                assert_int_equal(pawl__checkpoint_encode(&out, &checkpoint, &err), PAWL_EINVAL);
                assert_says(err.message, flaws[i].says);
                assert_null(out.data);
        }
}

/* ---- Decoding -------------------------------------------------------------------------------- */

UNIT_TEST(what_was_encoded_is_decoded_to_the_same)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_event event = event_of(sample_json);
        pawl__checkpoint is, wanted = sample();

        assert_ok(pawl__checkpoint_decode(&is, &arena, &event, &err));
        assert_int_equal(is.seq, 41);
        assert_int_equal(is.evaluated_seq, 0);
        assert_text(is.mission_id, "mission-1");
        assert_text(is.run_id, "run-1");
        assert_text(is.step_id, "one");
        assert_int_equal(is.strictness, wanted.strictness);
        assert_int_equal(is.cursor, wanted.cursor);
        assert_int_equal(is.n_scope_refs, 1);
        assert_text(is.scope_refs[0].scope, "team_domain");
        assert_text(is.scope_refs[0].version_id, HASH_C);
        assert_string_equal(is.input_hash, HASH_A);
        assert_string_equal(is.output_hash, "");
        assert_string_equal(is.retry_token, TOKEN(1));
        pawl__arena_free(&arena);
}

/* A payload: its members, each of which a test may exchange. */
static void payload_of(char out[2048], const char *cursor, const char *strictness, const char *refs,
        const char *more)
{
        snprintf(out, 2048,
                "{\"cursor\":%s,\"input_hash\":\"" HASH_A
                "\",\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":\"" TOKEN(
                        1) "\",\"scope_refs\":%s,\"strictness\":%s%s}",
                cursor, refs, strictness, more);
}

UNIT_TEST(fields_that_are_not_known_are_ignored)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__checkpoint is;
        char payload[2048];

        payload_of(payload, "\"post_generation\"", "\"max\"",
                "[{\"version_id\":\"" HASH_C "\",\"scope\":\"core\",\"more\":[1]}]",
                ",\"zeal\":{\"cursor\":7},\"output_hash\":\"" HASH_B "\"");
        pawl_event event = event_of(payload);
        assert_ok(pawl__checkpoint_decode(&is, &arena, &event, &err));
        assert_int_equal(is.cursor, PAWL__AT_POST_GENERATION);
        assert_int_equal(is.strictness, PAWL__STRICTNESS_MAX);
        assert_string_equal(is.output_hash, HASH_B);
        payload_of(payload, "\"post_gate\"", "\"off\"", "[]", ",\"output_hash\":null");
        event = event_of(payload);
        assert_ok(pawl__checkpoint_decode(&is, &arena, &event, &err));
        assert_string_equal(is.output_hash, "");
        assert_int_equal(is.n_scope_refs, 0);
        pawl__arena_free(&arena);
}

static void refuses(const pawl_event *event, pawl_status status, const char *says)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__checkpoint kept = sample(), is;

        memcpy(&is, &kept, sizeof is); /* padding and all */
        assert_int_equal(pawl__checkpoint_decode(&is, &arena, event, &err), status);
        assert_says(err.message, says);
        assert_memory_equal(&is, &kept, sizeof is);
        pawl__arena_free(&arena);
}

UNIT_TEST(a_malformed_event_is_refused_with_its_seq_and_field)
{
#define REF(n) "{\"scope\":\"s" n "\",\"version_id\":\"" HASH_C "\"}"
        static const struct {
                const char *cursor, *strictness, *refs, *more, *says;
        } broken[] = {
                {"\"later\"", "\"max\"", "[]", "",
                        "seq 41 (StepCheckpointed): cursor: is not known; use pre_"},
                {"\"\"", "\"max\"", "[]", "", "cursor: is not known"},
                {"null", "\"max\"", "[]", "", "payload.cursor: is not text"},
                {"\"post_gate\"", "\"high\"", "[]", "",
                        "seq 41 (StepCheckpointed): strictness: is not known; use off"},
                {"\"post_gate\"", "\"max\"", "{}", "", "payload.scope_refs: is not an array"},
                {"\"post_gate\"", "\"max\"", "[7]", "", "scope_refs[].scope: id \"\": is empty"},
                {"\"post_gate\"", "\"max\"", "[{\"scope\":\"core\"}]", "",
                        "seq 41 (StepCheckpointed): scope_refs[].version_id: \"\" is no content"},
                {"\"post_gate\"", "\"max\"",
                        "[" REF("1") "," REF("2") "," REF("3") "," REF("4") "," REF("5") "]", "",
                        "scope_refs: holds more than 4"},
                {"\"post_gate\"", "\"max\"", "[" REF("1") "," REF("1") "]", "",
                        "scope_refs: scope s1 is named twice"},
                {"\"post_gate\"", "\"max\"", "[]", ",\"output_hash\":\"abc\"",
                        "output_hash: is no hash"},
                {"\"post_gate\"", "\"max\"", "[]", ",\"output_hash\":7", "output_hash: is no hash"},
                {"\"post_gate\"", "\"max\"", "[]",
                        ",\"output_hash\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"",
                        "output_hash: is no hash"},
                {"\"post_generation\"", "\"max\"", "[]", "", "output_hash: is no hash"},
        };
        char payload[2048];

        for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
                payload_of(payload, broken[i].cursor, broken[i].strictness, broken[i].refs,
                        broken[i].more);
                pawl_event event = event_of(payload);
                refuses(&event, PAWL_EINVAL, broken[i].says);
        }
}

UNIT_TEST(another_hash_algorithm_is_refused)
{
        pawl_event event = event_of("{\"cursor\":\"post_gate\",\"input_hash\":\"" HASH_A
                                    "\",\"input_hash_alg\":\"md5\",\"retry_token\":\"" TOKEN(
                                            1) "\",\"scope_refs\":[],\"strictness\":\"max\"}");

        refuses(&event, PAWL_EINVAL,
                "seq 41 (StepCheckpointed): input_hash_alg: is not known; it must be "
                "jcs-sha256");
}

UNIT_TEST(an_event_of_another_type_or_version_is_refused)
{
        pawl_event event = event_of(sample_json);

        event.type = pawl__text("StepStarted");
        refuses(&event, PAWL_EINVAL, "seq 41 (StepStarted): type: is no StepCheckpointed");
        event = event_of(sample_json);
        event.v = 3;
        refuses(&event, PAWL_ENEWER, "seq 41 (StepCheckpointed): its payload has version 3");
}

UNIT_TEST(an_envelope_without_its_ids_is_refused)
{
        pawl_event event = event_of(sample_json);

        event.step_id = pawl__text(NULL);
        refuses(&event, PAWL_EINVAL, "seq 41 (StepCheckpointed): step_id: id \"\": is empty");
        event = event_of(sample_json);
        event.mission_id = pawl__text(NULL);
        refuses(&event, PAWL_EINVAL, "mission_id: id \"\": is empty");
        event = event_of(sample_json);
        event.run_id = pawl__text("a/b");
        refuses(&event, PAWL_EINVAL, "run_id: id \"a/b\": holds a slash");
}

UNIT_TEST(a_payload_that_is_gone_or_no_json_is_refused)
{
        pawl_event event = event_of(NULL);

        refuses(&event, PAWL_EINVAL, "seq 41 (StepCheckpointed): payload: was pruned");
        event = event_of("{\"cursor\":");
        refuses(&event, PAWL_EINVAL, "seq 41 (StepCheckpointed): payload: line 1, column 11");
        event = event_of("[]");
        refuses(&event, PAWL_EINVAL, "seq 41 (StepCheckpointed): payload: is no JSON object");
}

UNIT_TEST(running_out_of_memory_leaks_nothing)
{
        pawl_event event = event_of(sample_json);

        for (sweep s = {0}; sweep_next(&s);) {
                pawl__checkpoint checkpoint = sample();
                pawl__arena arena = PAWL__ARENA_INIT;
                pawl__buf out = PAWL__BUF_INIT;
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                pawl_status status = pawl__checkpoint_encode(&out, &checkpoint, &err);
                if (status == PAWL_OK)
                        status = pawl__checkpoint_decode(&checkpoint, &arena, &event, &err);
                (void)sweep_done(&s, status, &err);
                pawl__buf_free(&out);
                pawl__arena_free(&arena);
        }
}

UNIT_TEST(a_payload_is_parsed_for_a_program)
{
        pawl_step_checkpoint *checkpoint = NULL;
        pawl_error err = PAWL_ERROR_INIT;

        if (pawl_step_checkpoint_parse(&checkpoint, sample_json, strlen(sample_json), &err))
                fail_msg("%s", err.message);
        assert_string_equal(checkpoint->retry_token, TOKEN(1));
        assert_string_equal(checkpoint->cursor, "pre_generation_gate");
        assert_string_equal(checkpoint->input_hash, HASH_A);
        assert_string_equal(checkpoint->strictness, "medium");
        assert_int_equal(checkpoint->n_scope_refs, 1);
        assert_text(checkpoint->scope_refs[0].scope, "team_domain");
        assert_null(checkpoint->run_id.data);
        assert_int_equal(checkpoint->seq, 0);
        pawl_step_checkpoint_free(checkpoint);
        checkpoint = NULL;
        assert_int_equal(pawl_step_checkpoint_parse(&checkpoint, "{}", 2, &err), PAWL_EINVAL);
        assert_int_equal(pawl_step_checkpoint_parse(&checkpoint, "{", 1, &err), PAWL_EINVAL);
        assert_null(checkpoint);
}

/* Events that were written by something else than this library, or damaged: each type refuses a
 * payload that lacks a required field or has one of another kind, naming seq and field. */
#include "events/types.h"
#include "state/apply.h"
#include "support/history.h"

struct fixture {
        pawl__store *store;
        pawl__applier applier;
        pawl_error err;
        size_t rows; /* that each() saw */
};

static int setup(void **state)
{
        struct fixture *f = test_alloc(sizeof *f);

        assert_ok(pawl__store_memory(&f->store, &f->err));
        f->applier.store = f->store;
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        f->store->free(f->store);
        pawl__json_tree_free(&f->applier.tree);
        pawl__arena_free(&f->applier.arena);
        return 0;
}

#define MALFORMED(name) UNIT_TEST_WITH(name, struct fixture *f, setup, teardown)

static pawl_status count_row(const pawl__row *row, void *user, pawl_error *err)
{
        (void)row, (void)err;
        ((struct fixture *)user)->rows++;
        return PAWL_OK;
}

static size_t rows(struct fixture *f)
{
        f->rows = 0;
        for (int t = 0; t < PAWL__TABLES; t++)
                assert_ok(f->store->each(f->store, (pawl__table)t, count_row, f, &f->err));
        return f->rows;
}

/* A value of a kind, and one that is not. */
static const char *const right[] = {
        [PAWL__FIELD_TEXT] = "\"text\"",
        [PAWL__FIELD_INTEGER] = "1",
        [PAWL__FIELD_COUNT] = "1",
        [PAWL__FIELD_NUMBER] = "0.5",
        [PAWL__FIELD_BOOL] = "true",
        [PAWL__FIELD_HASH] = "\"" HASH_A "\"",
        [PAWL__FIELD_UUID] = "\"" TOKEN(1) "\"",
        [PAWL__FIELD_OBJECT] = "{}",
        [PAWL__FIELD_MAYBE_OBJECT] = "null",
        [PAWL__FIELD_ARRAY] = "[]",
        [PAWL__FIELD_REFS] = "[]",
        [PAWL__FIELD_OWNER] = "{\"boot_id\":\"b\",\"host\":\"h\",\"pid\":1,\"pid_start\":1}",
        [PAWL__FIELD_FINDINGS] = "[]",
        [PAWL__FIELD_CONFLICTS] = "[]",
};

static const char *const wrong[] = {
        [PAWL__FIELD_TEXT] = "null",
        [PAWL__FIELD_INTEGER] = "1.5",
        [PAWL__FIELD_COUNT] = "1.5",
        [PAWL__FIELD_NUMBER] = "\"0.5\"",
        [PAWL__FIELD_BOOL] = "0",
        [PAWL__FIELD_HASH] = "\"0123456789abcdef\"",
        [PAWL__FIELD_UUID] = "\"00000000-0000-4000-8000-00000000000G\"",
        [PAWL__FIELD_OBJECT] = "[]",
        [PAWL__FIELD_MAYBE_OBJECT] = "[]",
        [PAWL__FIELD_ARRAY] = "{}",
        [PAWL__FIELD_REFS] = "[0]",
        [PAWL__FIELD_OWNER] = "{}",
        [PAWL__FIELD_FINDINGS] = "[{\"term\":\"t\"}]",
        [PAWL__FIELD_CONFLICTS] = "[0]",
        [PAWL__FIELD_CHOICE] = "\"else\"",
};

enum { FIELDS = sizeof((pawl__event_def *)0)->required / sizeof(pawl__event_field) };

/* The form's fields, that at @p odd left out or of another kind. */
static void write_payload(pawl__buf *out, const pawl__event_def *form, int odd, bool left_out)
{
        const char *comma = "";

        pawl__buf_clear(out);
        assert_ok(pawl__buf_adds(out, "{"));
        for (int i = 0; i < FIELDS && form->required[i].name; i++) {
                const pawl__event_field *field = &form->required[i];
                if (i == odd && left_out)
                        continue;
                assert_ok(pawl__buf_addf(out, "%s\"%s\":", comma, field->name));
                if (field->choices && i != odd)
                        assert_ok(pawl__buf_addf(out, "\"%.*s\"", (int)strcspn(field->choices, ","),
                                field->choices));
                else
                        assert_ok(pawl__buf_adds(out, (i == odd ? wrong : right)[field->kind]));
                comma = ",";
        }
        assert_ok(pawl__buf_adds(out, "}"));
}

static pawl_event event_of(const pawl__event_def *form, pawl_text payload)
{
        return (pawl_event){.seq = 41,
                .v = form->v,
                .type = pawl__text(form->name),
                .mission_id = pawl__text("m"),
                .run_id = pawl__text("r"),
                .step_id = pawl__text("s"),
                .session_id = pawl__text("i"),
                .payload = payload};
}

MALFORMED(every_required_field_of_every_type_is_asked_for)
{
        pawl__buf payload = PAWL__BUF_INIT;
        int fields = 0;

        for (int t = 0; t < PAWL__EVENT_TYPES; t++) {
                const pawl__event_def *form = pawl__event_def_of((pawl__event_type)t);
                for (int i = 0; i < FIELDS && form->required[i].name; i++, fields++) {
                        for (int left_out = 0; left_out < 2; left_out++) {
                                char says[128];
                                write_payload(&payload, form, i, left_out);
                                pawl_event event = event_of(form, pawl__buf_text(&payload));
                                snprintf(says, sizeof says, "seq 41 (%s): payload.%s: is %s",
                                        form->name, form->required[i].name,
                                        left_out ? "missing" : "not");
                                assert_int_equal(
                                        pawl__apply(&f->applier, &event, &f->err), PAWL_EINVAL);
                                assert_says(f->err.message, says);
                        }
                }
        }
        pawl__buf_free(&payload);
        assert_in_range(fields, 50, 150);
        assert_int_equal(rows(f), 0);
}

MALFORMED(a_payload_that_is_no_json_is_refused)
{
        for (int t = 0; t < PAWL__EVENT_TYPES; t++) {
                pawl_event event =
                        event_of(pawl__event_def_of((pawl__event_type)t), pawl__text("{\"a\":1,}"));
                assert_int_equal(pawl__apply(&f->applier, &event, &f->err), PAWL_EINVAL);
                assert_says(f->err.message, "seq 41 (");
                assert_says(f->err.message, "): payload: line 1, column 8");
        }
        assert_int_equal(rows(f), 0);
}

MALFORMED(a_newer_version_of_a_type_is_refused)
{
        pawl__buf payload = PAWL__BUF_INIT;

        for (int t = 0; t < PAWL__EVENT_TYPES; t++) {
                const pawl__event_def *form = pawl__event_def_of((pawl__event_type)t);
                write_payload(&payload, form, -1, false);
                pawl_event event = event_of(form, pawl__buf_text(&payload));
                event.v++;
                assert_int_equal(pawl__apply(&f->applier, &event, &f->err), PAWL_ENEWER);
                assert_says(f->err.message, "seq 41 (");
        }
        pawl__buf_free(&payload);
        assert_int_equal(rows(f), 0);
}

MALFORMED(types_that_are_not_known_are_passed_over)
{
        pawl_event event = {.seq = 1, .v = 9, .type = pawl__text("SomethingToCome")};

        event.payload = pawl__text("no JSON at all");
        assert_ok(pawl__apply(&f->applier, &event, &f->err));
        assert_int_equal(rows(f), 0);
}

/* What a type needs of its envelope beside what the log itself asks for. */
MALFORMED(ids_that_a_type_needs_must_be_in_its_envelope)
{
        static const struct {
                pawl__event_type type;
                const char *ids; /* m, r, s, i */
        } types[] = {
                {PAWL__RUN_STARTED, "mr"},
                {PAWL__RUN_CLAIMED, "mr"},
                {PAWL__RUN_COMPLETED, "r"},
                {PAWL__RUN_FAILED, "r"},
                {PAWL__STEP_STARTED, "rs"},
                {PAWL__STEP_COMPLETED, "rs"},
                {PAWL__STEP_FAILED, "rs"},
                {PAWL__CHECK_EVALUATED, "rs"},
                {PAWL__STEP_CHECKPOINTED, "rs"},
                {PAWL__GENERATION_BLOCKED, "rs"},
                {PAWL__CLARIFICATION_REQUESTED, "mrs"},
                {PAWL__STEP_RESUMED, "rs"},
                {PAWL__SESSION_STARTED, "i"},
                {PAWL__SESSION_ENDED, "i"},
        };
        pawl__buf payload = PAWL__BUF_INIT;

        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
                const pawl__event_def *form = pawl__event_def_of(types[t].type);
                write_payload(&payload, form, -1, false);
                for (const char *id = types[t].ids; *id; id++) {
                        pawl_event event = event_of(form, pawl__buf_text(&payload));
                        const char *name = *id == 'm'   ? "mission_id"
                                           : *id == 'r' ? "run_id"
                                           : *id == 's' ? "step_id"
                                                        : "session_id";
                        pawl_text *field = *id == 'm'   ? &event.mission_id
                                           : *id == 'r' ? &event.run_id
                                           : *id == 's' ? &event.step_id
                                                        : &event.session_id;
                        char says[96];
                        *field = pawl__text(NULL);
                        snprintf(
                                says, sizeof says, "seq 41 (%s): %s: is missing", form->name, name);
                        assert_int_equal(pawl__apply(&f->applier, &event, &f->err), PAWL_EINVAL);
                        assert_says(f->err.message, says);
                }
        }
        pawl__buf_free(&payload);
        assert_int_equal(rows(f), 0);
}

/* A payload that prune dropped is no loss where the type says nothing of what is. */
MALFORMED(a_pruned_payload_is_refused_where_it_would_say_what_is)
{
        pawl_event observed = event_of(pawl__event_def_of(PAWL__TERM_OBSERVED), pawl__text(NULL));
        pawl_event aborted = event_of(pawl__event_def_of(PAWL__RESUME_ABORTED), pawl__text(NULL));
        pawl_event started = event_of(pawl__event_def_of(PAWL__RUN_STARTED), pawl__text(NULL));

        assert_ok(pawl__apply(&f->applier, &observed, &f->err));
        assert_ok(pawl__apply(&f->applier, &aborted, &f->err));
        assert_int_equal(pawl__apply(&f->applier, &started, &f->err), PAWL_EINVAL);
        assert_says(f->err.message, "seq 41 (RunStarted): payload: was pruned");
        assert_int_equal(rows(f), 0);
}

/* Members inside of the required ones. */
MALFORMED(members_of_members_are_asked_for_too)
{
        static const struct {
                pawl__event_type type;
                const char *payload, *says;
        } broken[] = {
                {PAWL__RUN_STARTED, "{\"steps\":[],\"scope_refs\":[{\"scope\":\"core\"}]}",
                        "payload.scope_refs: is not an array of {scope, version_id}"},
                {PAWL__RUN_STARTED, "{\"steps\":[],\"scope_refs\":[7]}",
                        "payload.scope_refs: is not an array of {scope, version_id}"},
                {PAWL__STEP_COMPLETED,
                        "{\"input_hash\":\"" HASH_A "\",\"output_hash\":\"" HASH_A
                        "\",\"exit_code\":\"0\"}",
                        "payload.exit_code: is not an integer"},
                {PAWL__CLARIFICATION_REQUESTED,
                        "{\"conflict_id\":\"c\",\"question\":\"q\",\"term\":\"t\",\"options\":[{}],"
                        "\"urgency\":\"high\",\"retry_token\":\"" TOKEN(
                                1) "\",\"input_hash\":\"" HASH_A "\"}",
                        "payload.options[].scope: is missing"},
                {PAWL__CLARIFICATION_REQUESTED,
                        "{\"conflict_id\":\"c\",\"question\":\"q\",\"term\":\"t\",\"options\":[],"
                        "\"urgency\":\"high\",\"retry_token\":\"" TOKEN(
                                1) "\",\"input_hash\":\"" HASH_A "\",\"confidence\":7}",
                        "payload.confidence: is missing or no number from 0 to 1"},
        };

        for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
                pawl_event event =
                        event_of(pawl__event_def_of(broken[i].type), pawl__text(broken[i].payload));
                assert_int_equal(pawl__apply(&f->applier, &event, &f->err), PAWL_EINVAL);
                assert_says(f->err.message, "seq 41 (");
                assert_says(f->err.message, broken[i].says);
        }
        assert_int_equal(rows(f), 0);
}

MALFORMED(an_answer_must_carry_a_whole_sense)
{
        static const char *const senses[] = {"{}", "{\"definition\":\"D\"}",
                "{\"definition\":\"D\",\"confidence\":-0.1}",
                "{\"definition\":7,\"confidence\":0.1}"};
        pawl_event asked = event_of(pawl__event_def_of(PAWL__CLARIFICATION_REQUESTED),
                pawl__text(
                        "{\"conflict_id\":\"c\",\"question\":\"q\",\"term\":\"t\",\"options\":[],"
                        "\"urgency\":\"high\",\"retry_token\":\"" TOKEN(
                                1) "\",\"input_hash\":\"" HASH_A "\"}"));
        pawl__row conflict = {0};

        assert_ok(pawl__apply(&f->applier, &asked, &f->err));
        for (size_t i = 0; i < sizeof senses / sizeof senses[0]; i++) {
                char payload[512];
                snprintf(payload, sizeof payload,
                        "{\"conflict_id\":\"c\",\"term_surface\":\"t\",\"selected_sense\":%s,"
                        "\"actor\":{\"actor_id\":\"a\"},\"resolution_mode\":\"async\","
                        "\"provenance\":{\"source\":\"s\"}}",
                        senses[i]);
                pawl_event event = event_of(
                        pawl__event_def_of(PAWL__CLARIFICATION_RESOLVED), pawl__text(payload));
                assert_int_equal(pawl__apply(&f->applier, &event, &f->err), PAWL_EINVAL);
                assert_says(f->err.message,
                        "seq 41 (GlossaryClarificationResolved): payload.selected_sense.");
        }
        conflict.v[PAWL__CON_ID].text = pawl__text("c");
        assert_ok(f->store->get(f->store, PAWL__CONFLICTS, &conflict, &f->err));
        assert_text(conflict.v[PAWL__CON_STATUS].text, "open");
        assert_int_equal(rows(f), 1);
}

/* The table of event types against the page that documents it, and what a check refuses. */
#include "events/types.h"
#include "support/test.h"

static const char *const value_of[] = {
        [PAWL__FIELD_TEXT] = "\"text\"",
        [PAWL__FIELD_INTEGER] = "-7",
        [PAWL__FIELD_COUNT] = "0",
        [PAWL__FIELD_NUMBER] = "0.5",
        [PAWL__FIELD_BOOL] = "false",
        [PAWL__FIELD_HASH] = "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"",
        [PAWL__FIELD_UUID] = "\"01234567-89ab-cdef-0123-456789abcdef\"",
        [PAWL__FIELD_OBJECT] = "{}",
        [PAWL__FIELD_MAYBE_OBJECT] = "null",
        [PAWL__FIELD_ARRAY] = "[]",
        [PAWL__FIELD_REFS] = "[{\"scope\":\"core\",\"version_id\":\"v\"}]",
        [PAWL__FIELD_OWNER] = "{\"boot_id\":\"b\",\"host\":\"h\",\"pid\":1,\"pid_start\":2}",
        [PAWL__FIELD_FINDINGS] = "[{\"severity\":\"low\",\"term\":\"t\"}]",
        [PAWL__FIELD_CONFLICTS] = "[{\"conflict_id\":\"c\"}]",
        [PAWL__FIELD_TIME] = "\"2026-11-20T12:35:00.000000Z\"",
};

/* Values that are nearly of the kind. */
static const char *const wrong_value_of[] = {
        [PAWL__FIELD_TEXT] = "null",
        [PAWL__FIELD_INTEGER] = "1.5",
        [PAWL__FIELD_COUNT] = "-1",
        [PAWL__FIELD_NUMBER] = "\"0.5\"",
        [PAWL__FIELD_BOOL] = "0",
        [PAWL__FIELD_HASH] = "\"00112233445566778899AABBccddeeff00112233445566778899aabbccddeeff\"",
        [PAWL__FIELD_UUID] = "\"01234567-89ab-cdef-0123-456789abcdeg\"",
        [PAWL__FIELD_OBJECT] = "[]",
        [PAWL__FIELD_MAYBE_OBJECT] = "[]",
        [PAWL__FIELD_ARRAY] = "{}",
        [PAWL__FIELD_REFS] = "[{\"scope\":\"core\"}]",
        [PAWL__FIELD_OWNER] = "{\"boot_id\":\"b\",\"host\":\"h\",\"pid\":-1,\"pid_start\":2}",
        [PAWL__FIELD_FINDINGS] = "[{\"severity\":\"huge\",\"term\":\"t\"}]",
        [PAWL__FIELD_CONFLICTS] = "[{}]",
        [PAWL__FIELD_TIME] = "\"2026-02-30T12:35:00.000000Z\"",
        [PAWL__FIELD_CHOICE] = "\"else\"",
};

/* The payload of a form with all required fields; `but` is left out, or has `instead`. */
static void payload_of(
        pawl__buf *out, const pawl__event_def *form, const char *but, const char *instead)
{
        const char *comma = "";

        pawl__buf_clear(out);
        assert_ok(pawl__buf_adds(out, "{"));
        for (size_t i = 0; i < 10 && form->required[i].name; i++) {
                const pawl__event_field *field = &form->required[i];
                const char *value = field->choices ? NULL : value_of[field->kind];
                char first[40];
                if (field->choices) {
                        snprintf(first, sizeof first, "\"%.*s\"", (int)strcspn(field->choices, ","),
                                field->choices);
                        value = first;
                }
                if (but && strcmp(but, field->name) == 0)
                        value = instead;
                if (!value)
                        continue;
                assert_ok(pawl__buf_addf(out, "%s\"%s\":%s", comma, field->name, value));
                comma = ",";
        }
        assert_ok(pawl__buf_adds(out, "}"));
}

static pawl_status check(const pawl__event_def *form, pawl__event_type type, uint64_t seq,
        pawl__buf *payload, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event = {.seq = seq, .v = form->v, .type = pawl__text(form->name)};

        assert_ok(pawl__json_tree_read(&tree, payload->data, payload->len, err));
        pawl_status status = pawl__event_check(&event, type, &tree, err);
        pawl__json_tree_free(&tree);
        return status;
}

UNIT_TEST(each_required_field_is_missed_by_name_and_checked_for_its_kind)
{
        pawl__buf payload = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        char says[200];

        for (int t = 0; t < PAWL__EVENT_TYPES; t++) {
                const pawl__event_def *form = pawl__event_def_of((pawl__event_type)t);

                payload_of(&payload, form, NULL, NULL);
                if (check(form, (pawl__event_type)t, 0, &payload, &err))
                        fail_msg("%s", err.message);
                for (size_t i = 0; i < 10 && form->required[i].name; i++) {
                        const pawl__event_field *field = &form->required[i];

                        payload_of(&payload, form, field->name, NULL);
                        assert_int_equal(
                                check(form, (pawl__event_type)t, 7, &payload, &err), PAWL_EINVAL);
                        snprintf(says, sizeof says, "seq 7 (%s): payload.%s: is missing; it must",
                                form->name, field->name);
                        assert_says(err.message, says);

                        payload_of(&payload, form, field->name, wrong_value_of[field->kind]);
                        assert_int_equal(
                                check(form, (pawl__event_type)t, 0, &payload, &err), PAWL_EINVAL);
                        snprintf(says, sizeof says, "%s: payload.%s: is not ", form->name,
                                field->name);
                        assert_memory_equal(err.message, says, strlen(says));
                }
        }
        pawl__buf_free(&payload);
}

/* Another member is put behind the required ones. */
static void add_member(pawl__buf *payload, const char *name, const char *value)
{
        payload->len--;
        assert_ok(
                pawl__buf_addf(payload, "%s\"%s\":%s}", payload->len > 1 ? "," : "", name, value));
}

UNIT_TEST(an_optional_field_may_be_null_and_is_checked_for_its_kind)
{
        pawl__buf payload = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        char says[200];

        for (int t = 0; t < PAWL__EVENT_TYPES; t++) {
                const pawl__event_def *form = pawl__event_def_of((pawl__event_type)t);

                for (const pawl__event_field *f = form->optional; f && f->name; f++) {
                        payload_of(&payload, form, NULL, NULL);
                        add_member(&payload, f->name, "null");
                        assert_ok(check(form, (pawl__event_type)t, 7, &payload, &err));

                        payload_of(&payload, form, NULL, NULL);
                        add_member(&payload, f->name,
                                f->kind == PAWL__FIELD_TEXT ? "7" : wrong_value_of[f->kind]);
                        assert_int_equal(
                                check(form, (pawl__event_type)t, 0, &payload, &err), PAWL_EINVAL);
                        snprintf(says, sizeof says, "%s: payload.%s: is not ", form->name, f->name);
                        assert_memory_equal(err.message, says, strlen(says));
                }
        }
        pawl__buf_free(&payload);
}

/* Row by row: the type's name, and each field that is in bold outside of its braces. */
UNIT_TEST(the_table_says_what_the_reference_page_says)
{
        size_t len;
        char *page = file_read(SOURCE_DIR "/docs/reference/event-log.md", &len), *save, *line;
        int rows = 0;

        for (line = strtok_r(page, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
                char name[64];
                if (sscanf(line, "| `%63[A-Za-z]` |", name) != 1 || *name > 'Z')
                        continue; /* not of an event: their names begin with a capital */
                pawl__event_type type = pawl__event_type_of(pawl__text(name));
                if (type == PAWL__EVENT_OTHER)
                        fail_msg("%s has no form", name);
                const pawl__event_def *form = pawl__event_def_of(type);
                size_t n = 0;
                for (char *bold = line; (bold = strstr(bold, "**`")) != NULL; n++) {
                        char field[64];
                        assert_int_equal(sscanf(bold, "**`%63[a-z_]`**", field), 1);
                        if (!form->required[n].name || strcmp(form->required[n].name, field) != 0)
                                fail_msg("%s: the page requires %s, the table %s", name, field,
                                        form->required[n].name ? form->required[n].name : "none");
                        bold += strlen(field) + 6;
                }
                assert_true(n < 10);
                if (form->required[n].name)
                        fail_msg("%s: the page does not require %s", name, form->required[n].name);
                rows++;
        }
        assert_int_equal(rows, PAWL__EVENT_TYPES);
}

UNIT_TEST(what_only_the_owner_of_a_run_may_append_is_marked)
{
        static const char *const open_to_all[] = {"RunSubmitted", "RunNotified",
                "GlossaryScopeActivated", "GlossaryClarificationResolved", "GlossarySenseUpdated",
                "SessionStarted", "SessionUpdated", "SessionCheckpointed", "SessionNoted",
                "SessionEnded", "Pruned", "WorkspaceCheckpointed", "ToolCallCheckpointed",
                "WorkspaceRollbackStarted", "CheckpointInvalidated", "CheckpointUpdated",
                "ThreadCheckpointed", "ThreadWritesPut"};
        const size_t n = sizeof open_to_all / sizeof open_to_all[0];
        size_t unowned = 0;

        for (int t = 0; t < PAWL__EVENT_TYPES; t++)
                unowned += !pawl__event_def_of((pawl__event_type)t)->needs_fence;
        assert_int_equal(unowned, n);
        for (size_t i = 0; i < n; i++)
                assert_false(pawl__event_def_of(pawl__event_type_of(pawl__text(open_to_all[i])))
                                     ->needs_fence);
}

UNIT_TEST(names_are_taken_exactly)
{
        assert_int_equal(pawl__event_type_of(pawl__text("RunStarted")), PAWL__RUN_STARTED);
        assert_int_equal(pawl__event_type_of(pawl__text("runstarted")), PAWL__EVENT_OTHER);
        assert_int_equal(pawl__event_type_of(pawl__text_n("RunStarted\0", 11)), PAWL__EVENT_OTHER);
        assert_int_equal(pawl__event_type_of(pawl__text(NULL)), PAWL__EVENT_OTHER);
}

UNIT_TEST(unknown_fields_and_types_pass_and_newer_versions_do_not)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_event event = {.seq = 3, .v = 1};
        static const char text[] = "{\"reason\":\"r\",\"later\":[{}]}";

        event.type = pawl__text("RunFailed");
        assert_ok(pawl__json_tree_read(&tree, text, sizeof text - 1, &err));
        assert_ok(pawl__event_check(&event, PAWL__RUN_FAILED, &tree, &err));
        event.v = 3;
        assert_int_equal(pawl__event_check(&event, PAWL__RUN_FAILED, &tree, &err), PAWL_ENEWER);
        assert_says(err.message, "seq 3 (RunFailed): its payload has version 3");
        assert_ok(pawl__event_check(&event, PAWL__EVENT_OTHER, &tree, &err));
        pawl__json_tree_free(&tree);
}

UNIT_TEST(a_checkpoint_has_at_most_1024_bytes)
{
        const pawl__event_def *form = pawl__event_def_of(PAWL__STEP_CHECKPOINTED);
        pawl__buf payload = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        char refs[1100];

        for (size_t want = 1024; want <= 1025; want++) {
                payload_of(
                        &payload, form, "scope_refs", "[{\"scope\":\"core\",\"version_id\":\"\"}]");
                const size_t pad = want - payload.len;
                snprintf(refs, sizeof refs, "[{\"scope\":\"core\",\"version_id\":\"%0*d\"}]",
                        (int)pad, 0);
                payload_of(&payload, form, "scope_refs", refs);
                assert_int_equal(payload.len, want);
                assert_int_equal(check(form, PAWL__STEP_CHECKPOINTED, 0, &payload, &err),
                        want == 1024 ? PAWL_OK : PAWL_ETOOBIG);
        }
        assert_says(err.message, "StepCheckpointed: payload: has 1025 bytes; at most 1024");
        pawl__buf_free(&payload);
}

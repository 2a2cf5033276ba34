/* What the events of the glossary and of conflicts change, and which are refused. */
#include "support/history.h"

static int setup_started(void **state)
{
        struct history *h;

        history_setup(state);
        h = *state;
        history_start(h, "[\"one\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        return 0;
}

#define STARTED(name) UNIT_TEST_WITH(name, struct history *h, setup_started, history_teardown)

/* ---- Conflicts ------------------------------------------------------------------------------- */

static int setup_asked(void **state)
{
        setup_started(state);
        history_requested(*state, "c1", TOKEN(1));
        check_ok(*state, history_commit(*state), __FILE__, __LINE__);
        return 0;
}

#define ASKED(name) UNIT_TEST_WITH(name, struct history *h, setup_asked, history_teardown)

static pawl__row conflict(struct history *h)
{
        return history_row(h, PAWL__CONFLICTS, "c1", NULL);
}

ASKED(a_question_opens_a_conflict)
{
        pawl__row row = conflict(h);

        assert_text(row.v[PAWL__CON_RUN].text, "run-1");
        assert_text(row.v[PAWL__CON_STEP].text, "one");
        assert_text(row.v[PAWL__CON_MISSION].text, "mission-1");
        assert_text(row.v[PAWL__CON_TOKEN].text, TOKEN(1));
        assert_text(row.v[PAWL__CON_TERM].text, "workspace");
        assert_text(row.v[PAWL__CON_TYPE].text, "ambiguous");
        assert_text(row.v[PAWL__CON_SEVERITY].text, "high");
        assert_true(row.v[PAWL__CON_CONFIDENCE].real == 0.75);
        assert_text(row.v[PAWL__CON_CONTEXT].text, "in the workspace");
        assert_text(row.v[PAWL__CON_CANDIDATES].text,
                "[{\"confidence\":0.9,\"definition\":\"A folder.\",\"scope\":\"team_domain\","
                "\"surface\":\"workspace\"}]");
        assert_text(row.v[PAWL__CON_STATUS].text, "open");
        assert_int_equal(row.v[PAWL__CON_SEQ].integer, 3);
        assert_int_equal(row.v[PAWL__CON_RESOLVED_SEQ].integer, 0);
}

ASKED(a_question_asked_again_gets_the_new_token_and_keeps_its_place)
{
        int64_t first_us = conflict(h).v[PAWL__CON_REQUESTED_US].integer;

        history_requested(h, "c1", TOKEN(2));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(conflict(h).v[PAWL__CON_TOKEN].text, TOKEN(2));
        assert_int_equal(conflict(h).v[PAWL__CON_SEQ].integer, 3);
        assert_int_equal(conflict(h).v[PAWL__CON_REQUESTED_US].integer, first_us);
        assert_int_equal(history_count(h, "conflicts"), 1);
}

ASKED(an_answer_resolves_the_conflict_and_is_the_missions_own_sense)
{
        h->mission = h->run = h->step = NULL; /* from another session */
        history_resolved(h, "c1", "A folder.");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(conflict(h).v[PAWL__CON_STATUS].text, "resolved");
        assert_int_equal(conflict(h).v[PAWL__CON_RESOLVED_SEQ].integer, 4);

        pawl__row sense = {0};
        sense.v[PAWL__SENSE_MISSION].text = pawl__text("mission-1");
        sense.v[PAWL__SENSE_SCOPE].text = pawl__text("mission_local");
        sense.v[PAWL__SENSE_VERSION].text = pawl__text("");
        sense.v[PAWL__SENSE_NORMAL].text = pawl__text("workspace");
        sense.v[PAWL__SENSE_IDENTITY].text = pawl__text("");
        assert_ok(pawl__state_get(h->state, PAWL__SENSES, &sense, &h->arena, &h->err));
        assert_text(sense.v[PAWL__SENSE_SURFACE].text, "Workspace");
        assert_text(sense.v[PAWL__SENSE_DEFINITION].text, "A folder.");
        assert_text(sense.v[PAWL__SENSE_STATUS].text, "active");
        assert_text(sense.v[PAWL__SENSE_SOURCE].text, "user_clarification");
        assert_text(sense.v[PAWL__SENSE_ACTOR].text, "user:ana");
        assert_true(sense.v[PAWL__SENSE_CONFIDENCE].real == 0.9);
        assert_int_equal(sense.v[PAWL__SENSE_SEQ].integer, 4);
}

ASKED(a_second_answer_is_refused)
{
        history_resolved(h, "c1", "A folder.");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_resolved(h, "c1", "A room.");
        history_refuses(
                h, PAWL_EEXISTS, "conflict c1: was answered already at seq 4; see eventlog show 4");
}

/* Two answers in one append: the first of them is kept back and must be seen all the same. */
ASKED(two_answers_in_one_append_are_refused_whole)
{
        history_resolved(h, "c1", "A folder.");
        history_resolved(h, "c1", "A room.");
        history_refuses(h, PAWL_EEXISTS, "conflict c1: was answered already at seq 4");
        assert_text(conflict(h).v[PAWL__CON_STATUS].text, "open");
        assert_int_equal(history_count(h, "senses"), 0);
}

ASKED(an_answer_to_no_conflict_is_refused)
{
        history_resolved(h, "c9", "A folder.");
        history_refuses(
                h, PAWL_ESTATE, "conflict c9: there is none of that id in the log; see pawl conf");
}

ASKED(a_question_after_its_answer_changes_nothing)
{
        history_resolved(h, "c1", "A folder.");
        history_requested(h, "c1", TOKEN(2));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_text(conflict(h).v[PAWL__CON_STATUS].text, "resolved");
        assert_text(conflict(h).v[PAWL__CON_TOKEN].text, TOKEN(1));
        assert_int_equal(conflict(h).v[PAWL__CON_RESOLVED_SEQ].integer, 4);
}

/* ---- The glossary ---------------------------------------------------------------------------- */

STARTED(a_scope_version_keeps_its_first_seq_and_moves_its_last_use)
{
        /* used by RunStarted, 2 */

        assert_int_equal(
                history_row(h, PAWL__SCOPES, "team_domain", HASH_C).v[PAWL__SCOPE_USED_SEQ].integer,
                2);
        history_append(h, "GlossaryScopeActivated",
                "{\"scope_id\":\"team_domain\",\"glossary_version_id\":\"" HASH_C "\"}");
        pawl__row row = history_row(h, PAWL__SCOPES, "team_domain", HASH_C);
        assert_int_equal(row.v[PAWL__SCOPE_SEQ].integer, 2);
        assert_int_equal(row.v[PAWL__SCOPE_USED_SEQ].integer, 3);
}

HISTORY_TEST(a_sense_is_one_by_its_definition)
{
        h->run = h->step = h->mission = NULL;
        history_sense(h, "Workspace", "team_domain", "A folder.", "active", NULL);
        history_sense(h, "Workspace", "team_domain", "A room.", "active", NULL);
        history_sense(h, "workspace", "team_domain", "A folder.", "deprecated", NULL);
        history_sense(h, "Workspace", "team_domain", "A folder.", "active", HASH_C);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_int_equal(history_count(h, "senses"), 3);
        /* without a normal form in the event, ASCII letters are lowered */
        assert_int_equal(history_count(h, "senses WHERE normal = 'workspace'"), 3);
        assert_int_equal(
                history_count(h, "senses WHERE status = 'deprecated' AND version_id = '' AND "
                                 "definition = 'A folder.' AND seq = 3 AND surface = 'workspace'"),
                1);
}

HISTORY_TEST(a_mission_local_sense_is_one_a_surface_and_mission)
{
        history_sense(h, "workspace", "mission_local", "A folder.", "active", NULL);
        history_sense(h, "workspace", "mission_local", "A room.", "active", NULL);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        assert_int_equal(history_count(h, "senses"), 1);
        assert_int_equal(history_count(h, "senses WHERE definition = 'A room.' AND "
                                          "mission_id = 'mission-1'"),
                1);
        h->mission = NULL;
        history_sense(h, "workspace", "mission_local", "A desk.", "active", NULL);
        history_refuses(h, PAWL_EINVAL, "(GlossarySenseUpdated): mission_id: is missing");
}

HISTORY_TEST(a_sense_must_be_whole)
{
        static const struct {
                const char *sense, *says;
        } broken[] = {
                {"{\"confidence\":1,\"status\":\"active\"}", "payload.new_sense.definition: is"},
                {"{\"definition\":\"D\",\"confidence\":1}", "payload.new_sense.status: is missing"},
                {"{\"definition\":\"D\",\"status\":\"active\"}",
                        "payload.new_sense.confidence: is missing or no number from 0 to 1"},
                {"{\"definition\":\"D\",\"status\":\"active\",\"confidence\":1.01}",
                        "payload.new_sense.confidence"},
                {"{\"definition\":\"D\",\"status\":\"active\",\"confidence\":\"1\"}",
                        "payload.new_sense.confidence"},
        };

        for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
                history_add(h, "GlossarySenseUpdated",
                        "{\"term_surface\":\"T\",\"scope\":\"core\",\"new_sense\":%s,\"actor\":"
                        "{\"actor_id\":\"a\"},\"update_type\":\"create\",\"provenance\":"
                        "{\"source\":\"s\"}}",
                        broken[i].sense);
                history_refuses(h, PAWL_EINVAL, broken[i].says);
        }
        history_add(h, "GlossarySenseUpdated",
                "{\"term_surface\":\"T\",\"scope\":\"core\",\"new_sense\":{\"definition\":\"D\","
                "\"status\":\"active\",\"confidence\":1},\"actor\":{},\"update_type\":\"create\","
                "\"provenance\":{\"source\":\"s\"}}");
        history_refuses(h, PAWL_EINVAL, "payload.actor.actor_id: is missing");
        history_add(h, "GlossarySenseUpdated",
                "{\"term_surface\":\"T\",\"scope\":\"core\",\"new_sense\":{\"definition\":\"D\","
                "\"status\":\"active\",\"confidence\":1},\"actor\":{\"actor_id\":\"a\"},"
                "\"update_type\":\"create\",\"provenance\":{}}");
        history_refuses(h, PAWL_EINVAL, "payload.provenance.source: is missing");
}

/* ---- All ------------------------------------------------------------------------------------- */

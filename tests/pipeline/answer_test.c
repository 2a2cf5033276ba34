/* What an answer appends. */
#include "pipeline/answer.h"
#include "support/pipeline.h"

static const pawl_sense senses[] = {
        {{"Workspace", 9}, {"core", 4}, {"A folder", 8}, 0.75},
};

static const pawl_conflict conflict = {.conflict_id = {"0123456789abcdef", 16},
        .term = {"workspace", 9},
        .candidates = senses,
        .n_candidates = 1};

struct emitted {
        pawl__batch batch;
        pawl__arena arena;
        pawl__sense chosen;
        pawl_error err;
};

static int setup(void **state)
{
        *state = test_alloc(sizeof(struct emitted));
        return *state ? 0 : -1;
}

static int teardown(void **state)
{
        struct emitted *e = *state;

        pawl__batch_free(&e->batch);
        pawl__arena_free(&e->arena);
        return 0;
}

#define TEST(name) UNIT_TEST_WITH(name, struct emitted *e, setup, teardown)

static pawl_status emit(struct emitted *e, const pawl_answer *answer, const char *actor)
{
        pawl_event like = {.mission_id = pawl__text("m"),
                .run_id = pawl__text("r"),
                .step_id = pawl__text("s"),
                .actor = pawl__text(actor)};

        return pawl__answer_emit(&e->batch, &e->chosen, NULL, &e->arena, &conflict, answer, "async",
                0, NULL, &like, 1795178100000000, &e->err);
}

TEST(a_pick_resolves_with_the_candidate_as_it_stood)
{
        assert_ok(emit(e, &(pawl_answer){.pick = 1}, "user:ana"));
        assert_int_equal(e->batch.n, 1);
        const pawl_event *event = &e->batch.events[0];
        assert_text(event->type, "GlossaryClarificationResolved");
        assert_text(event->run_id, "r");
        assert_int_equal(event->time_us, 1795178100000000);
        assert_holds(event->payload, "\"conflict_id\":\"0123456789abcdef\"");
        assert_holds(event->payload, "\"term_surface\":\"workspace\"");
        assert_holds(event->payload, "\"normal\":\"workspace\"");
        assert_holds(event->payload, "\"scope\":\"core\"");
        assert_holds(event->payload, "\"confidence\":0.75");
        assert_holds(event->payload, "\"actor\":{\"actor_id\":\"user:ana\",\"actor_type\":\"user\","
                                     "\"display_name\":\"ana\"}");
        assert_holds(event->payload, "\"resolution_mode\":\"async\"");
        assert_holds(event->payload,
                "\"provenance\":{\"actor_id\":\"user:ana\",\"source\":\"user_clarification\","
                "\"timestamp\":\"2026-11-20T12:35:00.000000Z\"}");
        assert_int_equal(e->chosen.scope, PAWL__MISSION_LOCAL);
        assert_text(e->chosen.normal, "workspace");
        assert_text(e->chosen.definition, "A folder");
}

TEST(a_definition_is_a_sense_of_the_team_and_resolves)
{
        assert_ok(emit(e, &(pawl_answer){.define = pawl__text("A room")}, "program"));
        assert_int_equal(e->batch.n, 2);
        assert_text(e->batch.events[0].type, "GlossarySenseUpdated");
        pawl_text updated = e->batch.events[0].payload;
        assert_holds(updated, "\"normal\":\"workspace\"");
        assert_holds(updated, "\"definition\":\"A room\"");
        assert_holds(updated, "\"scope\":\"team_domain\"");
        assert_holds(updated, "\"confidence\":1");
        assert_holds(updated, "\"status\":\"active\"");
        assert_holds(updated, "\"update_type\":\"create\"");
        assert_holds(updated, "\"source\":\"user_clarification\"");
        assert_holds(updated, "2026-11-20T12:35:00.000000Z");
        assert_text(e->batch.events[1].type, "GlossaryClarificationResolved");
        assert_holds(e->batch.events[1].payload, "\"definition\":\"A room\"");
        assert_holds(e->batch.events[1].payload, "\"actor_type\":\"program\"");
}

TEST(a_definition_goes_where_it_is_told_to)
{
        pawl_answer answer = {
                .define = pawl__text("A room"), .scope = pawl__text("spec_kitty_core")};

        assert_ok(emit(e, &answer, "user:ana"));
        assert_holds(e->batch.events[0].payload, "\"scope\":\"core\"");
}

TEST(what_is_no_answer_appends_nothing)
{
        static const struct {
                pawl_answer answer;
                const char *says;
        } cases[] = {
                {{0}, "0 is no candidate; pick 1 to 1, or define \"workspace\""},
                {{.pick = 2}, "2 is no candidate"},
                {{.pick = SIZE_MAX}, "is no candidate"},
                {{.define = {"", 0}}, "the definition is empty; write what \"workspace\" means"},
                {{.define = {"\xff", 1}}, "not valid UTF-8"},
                {{.define = {"x", 1}, .scope = {"world", 5}}, "scope \"world\": is not known"},
                {{.pick = 1, .define = {"x", 1}}, "in two ways"},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                e->chosen.confidence = 7;
                assert_int_equal(emit(e, &cases[i].answer, "user:ana"), PAWL_EINVAL);
                assert_says(e->err.message, cases[i].says);
                assert_int_equal(e->batch.n, 0);
                assert_true(e->chosen.confidence > 6);
        }
}

TEST(without_candidates_there_is_nothing_to_pick)
{
        pawl_conflict none = conflict;
        pawl_event like = {.actor = pawl__text("program")};

        none.n_candidates = 0;
        assert_int_equal(pawl__answer_emit(&e->batch, &e->chosen, NULL, &e->arena, &none,
                                 &(pawl_answer){.pick = 1}, "async", 0, NULL, &like, 1, &e->err),
                PAWL_EINVAL);
        assert_says(e->err.message, "has no candidate to pick; define \"workspace\"");
}

/* The rules of the order of events, on append: what breaks one is refused by its name, and nothing
 * is written. tests/model judges whole histories; tests/cli/illegal what came another way. */
#include "events/log.h"
#include "support/test.h"
#include <pawl/pawl.h>

#define HASH_1   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_2   "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define TOKEN(n) "00000000-0000-4000-8000-00000000000" n
/* The conflicts about the term, and about what the step asks. */
#define ABOUT_T  "0b54960342376d9a"
#define ABOUT_IT "8b98552875921ab0"
#define STARTED  "StepStarted", "a", "{\"input_hash\":\"" HASH_1 "\"}"
#define CHECKED_AS(blocked, action, severity, findings)                                            \
        "SemanticCheckEvaluated", "a",                                                             \
                "{\"blocked\":" blocked                                                            \
                ",\"confidence\":1,\"effective_strictness\":\"medium\",\"findings\":[" findings    \
                "],\"overall_severity\":\"" severity "\",\"recommended_action\":\"" action "\"}"
#define FOUND      "{\"severity\":\"high\",\"term\":\"t\"}"
#define FOUND_IT   CHECKED_AS("true", "block", "high", FOUND)
#define FOUND_NONE CHECKED_AS("false", "proceed", "none", "")
#define CHECKPOINTED(cursor, token)                                                                \
        "StepCheckpointed", "a",                                                                   \
                "{\"cursor\":\"" cursor "\",\"input_hash\":\"" HASH_1                              \
                "\",\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":\"" token                    \
                "\",\"scope_refs\":[],\"strictness\":\"medium\"}"
#define BLOCKED                                                                                    \
        "GenerationBlockedBySemanticConflict", "a",                                                \
                "{\"conflicts\":[{\"conflict_id\":\"" ABOUT_T "\"},{\"conflict_id\":\"" ABOUT_IT   \
                "\"}],\"effective_strictness\":\"medium\","                                        \
                "\"strictness_mode\":\"medium\"}"
#define ASKED(id)                                                                                  \
        "GlossaryClarificationRequested", "a",                                                     \
                "{\"conflict_id\":\"" id "\",\"question\":\"?\",\"term\":\"t\",\"options\":[],"    \
                "\"urgency\":\"high\",\"retry_token\":\"" TOKEN("1") "\",\"input_hash\":\"" HASH_1 \
                                                                     "\"}"
#define RESUMED(cursor, token)                                                                     \
        "StepResumed", "a",                                                                        \
                "{\"cursor\":\"" cursor "\",\"inputs_changed\":false,\"retry_token\":\"" token     \
                "\"}"
#define COMPLETED(hash, more)                                                                      \
        "StepCompleted", "a", "{\"input_hash\":\"" hash "\",\"output_hash\":\"" HASH_2 "\"" more "}"

struct run {
        pawl_log *log;
        uint64_t fence;
};

static int setup(void **state)
{
        struct run *r = test_alloc(sizeof *r);
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;

        options.flags = PAWL_LOG_CREATE;
        assert_ok(pawl_log_open(&r->log, log_in(directory_make(), "events.db"), &options, NULL));
        assert_ok(pawl_log_claim(&r->fence, r->log, "m", "r", "user:ana", NULL));
        *state = r;
        return 0;
}

static int teardown(void **state)
{
        pawl_log_close(((struct run *)*state)->log);
        return 0;
}

#define RULE(name) UNIT_TEST_WITH(name, struct run *r, setup, teardown)

static pawl_status append(struct run *r, const char *type, const char *step, const char *payload)
{
        const pawl_event event = {.type = pawl__text(type),
                .mission_id = pawl__text("m"),
                .run_id = pawl__text("r"),
                .step_id = pawl__text(step),
                .payload = pawl__text(payload)};

        return pawl_log_append(NULL, r->log, &event, 1, r->fence);
}

static void takes(struct run *r, const char *type, const char *step, const char *payload)
{
        if (append(r, type, step, payload))
                fail_msg("%s", pawl_log_errmsg(r->log));
}

static void refuses(
        struct run *r, const char *rule, const char *type, const char *step, const char *payload)
{
        unsigned char hash[32];
        uint64_t before, after;

        assert_ok(pawl_log_head(&before, hash, r->log));
        assert_int_equal(append(r, type, step, payload), PAWL_ESTATE);
        assert_says(pawl_log_errmsg(r->log), rule);
        assert_ok(pawl_log_head(&after, hash, r->log));
        assert_int_equal(after, before);
}

static void start(struct run *r)
{
        takes(r, "RunStarted", NULL, "{\"scope_refs\":[],\"steps\":[\"a\"]}");
}

static void block(struct run *r)
{
        start(r);
        takes(r, STARTED);
        takes(r, FOUND_IT);
        takes(r, CHECKPOINTED("pre_generation_gate", TOKEN("1")));
        takes(r, BLOCKED);
        takes(r, ASKED(ABOUT_T));
}

static void pass(struct run *r)
{
        start(r);
        takes(r, STARTED);
        takes(r, FOUND_NONE);
        takes(r, CHECKPOINTED("post_gate", TOKEN("1")));
}

RULE(nothing_comes_before_the_start_of_a_run)
{
        refuses(r, "rule run-phase", STARTED);
        refuses(r, "rule run-phase", "RunCompleted", NULL, "{}");
        refuses(r, "rule run-phase", "RunFailed", NULL, "{\"reason\":\"\"}");
}

RULE(a_blocked_step_is_not_completed_and_its_run_does_not_end)
{
        block(r);
        refuses(r, "rule step-status", COMPLETED(HASH_1, ""));
        refuses(r, "rule step-status", COMPLETED(HASH_1, ",\"forked\":true"));
}

RULE(a_blocked_step_passes_the_gate_by_an_answer_or_a_new_check)
{
        block(r);
        refuses(r, "rule step-status", CHECKPOINTED("post_gate", TOKEN("2")));
        refuses(r, "rule gate-open", CHECKPOINTED("post_clarification", TOKEN("2")));
        refuses(r, "rule all-steps-done", "RunCompleted", NULL, "{}");
        refuses(r, "rule asked-when-blocked", ASKED("0123456789abcdef"));
        refuses(r, "rule step-status", STARTED);
        takes(r, RESUMED("pre_generation_gate", TOKEN("1")));
        refuses(r, "rule gate-open", CHECKPOINTED("post_gate", TOKEN("2")));
        takes(r, FOUND_IT);
        refuses(r, "rule gate-open", CHECKPOINTED("post_gate", TOKEN("2")));
        takes(r, FOUND_NONE);
        takes(r, CHECKPOINTED("post_gate", TOKEN("2")));
        takes(r, COMPLETED(HASH_1, ""));
}

#define ANSWERED(term, sense)                                                                      \
        "GlossaryClarificationResolved", "a",                                                      \
                "{\"actor\":{\"actor_id\":\"user:ana\"},\"conflict_id\":\"" ABOUT_T                \
                "\",\"provenance\":{\"source\":\"s\"},"                                            \
                "\"resolution_mode\":\"async\",\"selected_sense\":{\"confidence\":1,"              \
                "\"definition\":\"d\",\"scope\":\"team_domain\",\"surface\":\"" sense              \
                "\"},\"term_surface\":\"" term "\"}"

RULE(an_answer_is_to_what_was_asked_and_by_its_actor)
{
        block(r);
        refuses(r, "rule answer-fits", ANSWERED("other", "t"));
        refuses(r, "rule answer-fits", ANSWERED("t", "other"));
        refuses(r, "rule answer-fits", ANSWERED("t\",\"normal\":\"other", "t"));
        refuses(r, "rule answer-fits", ANSWERED("t", "t")); /* by nobody */
}

RULE(what_a_check_says_of_all_is_what_it_found)
{
        start(r);
        takes(r, STARTED);
        refuses(r, "rule check-agrees", CHECKED_AS("false", "block", "high", FOUND));
        refuses(r, "rule check-agrees", CHECKED_AS("false", "warn", "high", FOUND));
        refuses(r, "rule check-agrees", CHECKED_AS("true", "proceed", "high", FOUND));
        refuses(r, "rule check-agrees", CHECKED_AS("false", "proceed", "high", ""));
        refuses(r, "rule check-agrees", CHECKED_AS("true", "block", "low", FOUND));
        takes(r, FOUND_IT);
}

RULE(what_blocks_a_step_blocks_it_when_it_begins_anew)
{
        block(r);
        takes(r, "RunMissionChanged", NULL, "{\"changes\":[],\"rerun\":[\"a\"],\"steps\":[\"a\"]}");
        takes(r, STARTED);
        refuses(r, "rule gate-open", CHECKPOINTED("post_gate", TOKEN("2")));
        takes(r, "StepFailed", "a", "{\"exit_code\":1,\"reason\":\"r\"}");
        refuses(r, "rule gate-open", COMPLETED(HASH_1, ",\"skipped\":true"));
        takes(r, STARTED);
        takes(r, FOUND_NONE);
        takes(r, CHECKPOINTED("post_gate", TOKEN("2")));
}

RULE(a_blocked_step_is_left_out_only_by_a_when_of_another_mission)
{
        start(r);
        takes(r, STARTED);
        takes(r, FOUND_IT);
        takes(r, CHECKPOINTED("pre_generation_gate", TOKEN("1")));
        takes(r, BLOCKED);
        takes(r, "GlossaryClarificationRequested", "a",
                "{\"conflict_id\":\"" ABOUT_IT
                "\",\"conflict_type\":\"question\",\"question\":\"?\","
                "\"term\":\"?\",\"options\":[],\"urgency\":\"high\",\"retry_token\":\"" TOKEN(
                        "1") "\",\"input_hash\":\"" HASH_1 "\"}");
        refuses(r, "rule step-status", COMPLETED(HASH_1, ",\"reason\":\"when\",\"skipped\":true"));
        takes(r, "RunMissionChanged", NULL,
                "{\"changes\":[{\"change\":\"run\",\"step_id\":\"a\"}],\"mission_hash\":\"" HASH_2
                "\",\"rerun\":[],\"steps\":[\"a\"]}");
        refuses(r, "rule step-status", COMPLETED(HASH_1, ",\"skipped\":true"));
        takes(r, COMPLETED(HASH_1, ",\"reason\":\"when\",\"skipped\":true"));
        takes(r, "RunCompleted", NULL, "{}");
}

#define QUESTION(question, options, more)                                                          \
        "GlossaryClarificationRequested", "a",                                                     \
                "{\"conflict_id\":\"" ABOUT_IT                                                     \
                "\",\"conflict_type\":\"question\",\"question\":\"" question                       \
                "\",\"term\":\"" question "\",\"options\":[" options                               \
                "],\"urgency\":\"high\",\"retry_token\":\"" TOKEN(                                 \
                        "1") "\",\"input_hash\":\"" HASH_1 "\"" more "}"
#define OPTION(text)                                                                               \
        "{\"surface\":\"?\",\"scope\":\"mission_local\",\"definition\":\"" text                    \
        "\",\"confidence\":1}"
#define BOTH      OPTION("yes") "," OPTION("no")
#define TO(actor) ",\"to\":[\"" actor "\"]"

/* The hash is that of {"options":["yes","no"],"otherwise":null,"question":"?","to":["user:ana"],
 * "within":0}. */
RULE(a_step_asks_what_its_mission_says_and_ends_with_the_answer)
{
        static const char plan[] =
                "{\"steps\":[\"a\"],\"scope_refs\":[],\"plan\":[{\"ask\":"
                "\"beabe8eb11fb873d3a02fe486f308ec5c2d6b641a7e6e78579aee04e18b14cbc\"}]}";

        takes(r, "RunStarted", NULL, plan);
        takes(r, STARTED);
        takes(r, CHECKPOINTED("pre_generation_gate", TOKEN("1")));
        takes(r, BLOCKED);
        refuses(r, "does not have step a ask that", QUESTION("Delete?", BOTH, TO("user:ana")));
        refuses(r, "does not have step a ask that", QUESTION("?", OPTION("yes"), TO("user:ana")));
        refuses(r, "does not have step a ask that", QUESTION("?", BOTH, TO("user:mal")));
        refuses(r, "does not have step a ask that", QUESTION("?", BOTH, ""));
        refuses(r, "does not have step a ask that",
                QUESTION("?", BOTH, TO("user:ana") ",\"otherwise\":\"yes\""));
        refuses(r, "does not have step a ask that",
                QUESTION("?", BOTH, TO("user:ana") ",\"due_at\":\"2020-01-01T00:00:00.000000Z\""));
        takes(r, QUESTION("?", BOTH, TO("user:ana")));
        refuses(r, "rule mission", "RunMissionChanged", NULL,
                "{\"changes\":[],\"rerun\":[],\"steps\":[\"a\"],\"plan\":[{}]}");
}

RULE(a_step_that_asks_does_not_end_without_having_asked)
{
        takes(r, "RunStarted", NULL,
                "{\"steps\":[\"a\"],\"scope_refs\":[],\"plan\":[{\"ask\":\"" HASH_1 "\"}]}");
        takes(r, STARTED);
        takes(r, FOUND_NONE);
        takes(r, CHECKPOINTED("post_gate", TOKEN("1")));
        refuses(r, "rule question-answer", COMPLETED(HASH_1, ""));
}

RULE(a_mission_with_a_document_has_a_plan)
{
        refuses(r, "rule mission", "RunStarted", NULL,
                "{\"steps\":[\"a\"],\"scope_refs\":[],\"mission_document\":\"" HASH_1 "\"}");
}

RULE(an_event_is_of_the_mission_of_its_run)
{
        const pawl_event other = {.type = pawl__text("StepStarted"),
                .mission_id = pawl__text("other"),
                .run_id = pawl__text("r"),
                .step_id = pawl__text("a"),
                .payload = pawl__text("{\"input_hash\":\"" HASH_1 "\"}")};

        start(r);
        assert_int_equal(pawl_log_append(NULL, r->log, &other, 1, r->fence), PAWL_ESTATE);
        assert_says(pawl_log_errmsg(r->log), "rule mission");
}

RULE(a_step_completes_once_behind_the_gate_with_its_own_inputs)
{
        start(r);
        takes(r, STARTED);
        refuses(r, "rule gate-passed", COMPLETED(HASH_1, ""));
        refuses(r, "rule gate-passed", CHECKPOINTED("post_generation", TOKEN("1")));
        refuses(r, "rule step-status", COMPLETED(HASH_1, ",\"skipped\":true"));
        refuses(r, "rule fork-first", COMPLETED(HASH_1, ",\"forked\":true"));
        takes(r, FOUND_NONE);
        takes(r, CHECKPOINTED("post_gate", TOKEN("1")));
        refuses(r, "rule input-hash", COMPLETED(HASH_2, ""));
        takes(r, COMPLETED(HASH_1, ""));
        refuses(r, "rule step-status", COMPLETED(HASH_1, ""));
        refuses(r, "rule step-status", STARTED);
        takes(r, "RunCompleted", NULL, "{}");
        refuses(r, "rule run-phase", STARTED);
        refuses(r, "rule run-phase", "RunCompleted", NULL, "{}");
}

RULE(a_retry_token_is_of_one_step_and_its_inputs)
{
        pass(r);
        refuses(r, "rule token-of-step", RESUMED("pre_generation_gate", TOKEN("1")));
        refuses(r, "rule token-of-step", RESUMED("post_gate", TOKEN("9")));
        takes(r, CHECKPOINTED("post_gate", TOKEN("2")));
        refuses(r, "rule token-once", CHECKPOINTED("post_gate", TOKEN("1")));
        refuses(r, "rule token-of-step", RESUMED("post_gate", TOKEN("1")));
        takes(r, RESUMED("post_gate", TOKEN("2")));
}

RULE(what_was_imported_and_older_versions_stay_out)
{
        const pawl_event old = {
                .type = pawl__text("StepStarted"), .v = 1, .run_id = pawl__text("r")};

        pass(r);
        refuses(r, "rule no-origin", COMPLETED(HASH_1, ",\"origin\":{\"file\":\"f\",\"line\":1}"));
        assert_int_equal(pawl_log_append(NULL, r->log, &old, 1, r->fence), PAWL_EINVAL);
        assert_says(pawl_log_errmsg(r->log), "v: is 1, and events are written as 2");
}

#define STARTED_AS(step, hash) "StepStarted", step, "{\"input_hash\":\"" hash "\"}"
#define LEFT_OUT(step)                                                                             \
        "StepCompleted", step,                                                                     \
                "{\"input_hash\":\"" HASH_1 "\",\"output_hash\":\"" HASH_2                         \
                "\",\"reason\":\"when\",\"skipped\":true}"
#define AT_STRICTNESS(strictness)                                                                  \
        "SemanticCheckEvaluated", "a",                                                             \
                "{\"blocked\":false,\"confidence\":1,\"effective_strictness\":\"" strictness       \
                "\",\"findings\":[],\"overall_severity\":\"none\",\"recommended_action\":"         \
                "\"proceed\"}"

/* a, then b where c let it and a says so; c begins at once. */
static void start_plan(struct run *r)
{
        takes(r, "RunStarted", NULL,
                "{\"plan\":[{},{\"needs\":[\"a\",\"the c\"],\"when\":true},"
                "{\"needs\":[],\"strictness\":\"max\"}],\"scope_refs\":[],"
                "\"steps\":[\"a\",\"b\",\"the c\"]}");
}

static void complete_a(struct run *r)
{
        takes(r, STARTED);
        takes(r, FOUND_NONE);
        takes(r, CHECKPOINTED("post_gate", TOKEN("1")));
        takes(r, COMPLETED(HASH_1, ""));
}

RULE(a_step_begins_when_what_it_needs_is_done)
{
        start_plan(r);
        refuses(r, "rule needs-done: step b needs a,", STARTED_AS("b", HASH_1));
        refuses(r, "rule needs-done", LEFT_OUT("b"));
        complete_a(r);
        refuses(r, "rule needs-done: step b needs the c,", STARTED_AS("b", HASH_1));
        takes(r, STARTED_AS("the c", HASH_1));
        takes(r, "StepFailed", "the c", "{\"exit_code\":1,\"reason\":\"r\"}");
        refuses(r, "rule needs-done", STARTED_AS("b", HASH_1));
        takes(r, "StepCompleted", "the c",
                "{\"input_hash\":\"" HASH_1 "\",\"output_hash\":\"" HASH_2 "\",\"skipped\":true}");
        takes(r, STARTED_AS("b", HASH_1));
}

RULE(a_step_is_left_out_by_its_own_when_or_by_somebody_behind_its_failure)
{
        start_plan(r);
        refuses(r, "rule when", LEFT_OUT("a"));
        refuses(r, "rule when", COMPLETED(HASH_1, ",\"skipped\":true"));
        takes(r, STARTED);
        takes(r, "StepFailed", "a", "{\"exit_code\":1,\"reason\":\"r\"}");
        refuses(r, "rule when", LEFT_OUT("a"));
        takes(r, COMPLETED(HASH_1, ",\"skipped\":true"));
        takes(r, STARTED_AS("the c", HASH_1));
        takes(r, "StepFailed", "the c", "{\"exit_code\":1,\"reason\":\"r\"}");
        takes(r, "StepCompleted", "the c",
                "{\"input_hash\":\"" HASH_1 "\",\"output_hash\":\"" HASH_2 "\",\"skipped\":true}");
        takes(r, LEFT_OUT("b"));
        takes(r, "RunCompleted", NULL, "{}");
}

RULE(a_step_is_checked_as_strictly_as_its_mission_says)
{
        start_plan(r);
        takes(r, STARTED);
        refuses(r, "rule strictness", AT_STRICTNESS("off"));
        refuses(r, "rule strictness", "GenerationBlockedBySemanticConflict", "a",
                "{\"conflicts\":[],\"effective_strictness\":\"off\",\"strictness_mode\":\"max\"}");
        refuses(r, "rule strictness", "StepCheckpointed", "a",
                "{\"cursor\":\"post_gate\",\"input_hash\":\"" HASH_1
                "\",\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":\"" TOKEN(
                        "1") "\",\"scope_refs\":[],\"strictness\":\"off\"}");
        takes(r, AT_STRICTNESS("max"));
        takes(r, "RunMissionChanged", NULL,
                "{\"changes\":[],\"plan\":[{\"strictness\":\"off\"},{},{}],\"rerun\":[],"
                "\"steps\":[\"a\",\"b\",\"the c\"]}");
        refuses(r, "rule strictness", AT_STRICTNESS("off")); /* it has started already */
        takes(r, "StepFailed", "a", "{\"exit_code\":1,\"reason\":\"r\"}");
        takes(r, STARTED);
        takes(r, AT_STRICTNESS("off"));
}

RULE(a_plan_is_of_its_steps_and_what_is_added_has_one)
{
        static const char *const plans[] = {"{}", "[]", "[{},{}]", "[1]", "[{\"needs\":[\"b\"]}]",
                "[{\"needs\":1}]", "[{\"needs\":[1]}]", "[{\"when\":1}]",
                "[{\"strictness\":\"low\"}]", "[{\"strictness\":null}]"};
        char payload[200];

        for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
                snprintf(payload, sizeof payload,
                        "{\"plan\":%s,\"scope_refs\":[],\"steps\":[\"a\"]}", plans[i]);
                assert_int_equal(append(r, "RunStarted", NULL, payload), PAWL_EINVAL);
                assert_says(pawl_log_errmsg(r->log), "payload.plan: is ");
        }
        assert_int_equal(append(r, "RunStarted", NULL,
                                 "{\"plan\":[{}],\"scope_refs\":[],\"steps\":[\"a/b\"]}"),
                PAWL_EINVAL);
        assert_says(pawl_log_errmsg(r->log), "payload.steps: holds what is no step's id");
        start_plan(r);
        refuses(r, "rule mission: it adds a step without a plan", "RunMissionChanged", NULL,
                "{\"changes\":[{\"change\":\"added\",\"step_id\":\"d\"}],\"rerun\":[],"
                "\"steps\":[\"a\",\"b\",\"the c\",\"d\"]}");
        takes(r, "RunMissionChanged", NULL,
                "{\"changes\":[],\"rerun\":[],\"steps\":[\"a\",\"b\",\"the c\"]}");
        refuses(r, "rule needs-done", STARTED_AS("b", HASH_1));
}

RULE(a_checkpoint_has_the_versions_of_its_run)
{
        start(r);
        takes(r, STARTED);
        refuses(r, "rule scope-refs", "StepCheckpointed", "a",
                "{\"cursor\":\"post_gate\",\"input_hash\":\"" HASH_1
                "\",\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":\"" TOKEN(
                        "1") "\",\"scope_refs\":[{\"scope\":\"core\",\"version_id\":\"" HASH_1
                             "\"}],\"strictness\":\"medium\"}");
}

RULE(somebody_is_told_of_an_end)
{
        unsigned char hash[32];
        char payload[64];
        uint64_t head;

        pass(r);
        refuses(r, "rule told-of", "RunNotified", NULL, "{\"seq\":1}");
        refuses(r, "rule told-of", "RunNotified", NULL, "{\"seq\":99}");
        takes(r, COMPLETED(HASH_1, ""));
        takes(r, "RunCompleted", NULL, "{}");
        assert_ok(pawl_log_head(&head, hash, r->log));
        snprintf(payload, sizeof payload, "{\"seq\":%d}", (int)head);
        takes(r, "RunNotified", NULL, payload);
        refuses(r, "rule told-of", "RunNotified", NULL, "{\"seq\":99}");
}

TESTS_MAIN(NULL, NULL)

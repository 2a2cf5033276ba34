/* Steps that ask people: the answer that counts, who gave it, and when nobody did. */
#include "base/error.h"
#include "events/log.h"
#include "pipeline/question.h"
#include "support/mission.h"
#include <pawl/pipeline.h>
#include <pawl/query.h>

static const char asks[] = "mission: m\n"
                           "steps:\n"
                           "  - id: a\n"
                           "    ask: {question: Publish?, options: [yes, no]}\n"
                           "  - id: b\n"
                           "    inputs: {said: {$from: a}}\n"
                           "    run: [sh, -c, 'cat >> journal']\n";

static const char asks_in_time[] = "mission: m\n"
                                   "steps:\n"
                                   "  - id: a\n"
                                   "    ask: {question: Publish?, options: [yes, no], within: 1h,\n"
                                   "          otherwise: no}\n"
                                   "  - id: b\n"
                                   "    inputs: {said: {$from: a}}\n"
                                   "    run: [sh, -c, 'cat >> journal']\n";

/* A person at a terminal, and what happens while he thinks. */
struct person {
        struct mission_fixture *f;
        const char *says;
        const char *other; /* somebody else's answer meanwhile; NULL: none */
        size_t asked;
};

static void resolve(struct mission_fixture *f, const char *id, const char *text, pawl_status wanted)
{
        const pawl_answer answer = {.answer = pawl__text(text)};
        pawl_log *log = NULL;

        if (pawl_log_open(&log, f->db, NULL, &f->err))
                fail_msg("%s", f->err.message);
        if (pawl_conflict_resolve(log, id, &answer, "user:ben", &f->err) != wanted)
                fail_msg("%s", f->err.message);
        pawl_log_close(log);
}

static pawl_status answers(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        struct person *person = user;
        char id[17];

        assert_text(conflict->conflict_type, "question");
        assert_text(conflict->term, "Publish?");
        assert_int_equal(conflict->n_candidates, 2);
        snprintf(id, sizeof id, "%.*s", PAWL__FMT(conflict->conflict_id));
        person->asked++;
        if (person->other)
                resolve(person->f, id, person->other, PAWL_OK);
        answer->answer = pawl__text(person->says);
        return PAWL_OK;
}

MISSION_TEST(a_prompt_answers_it_and_the_answer_is_the_output)
{
        struct person ana = {.f = f, .says = "yes"};

        mission_write(f, asks);
        f->options.clarify = answers;
        f->options.clarify_user = &ana;
        assert_ok(mission_run(f));
        assert_int_equal(ana.asked, 1);
        mission_journal_is(f, "{\"said\":\"yes\"}");
        mission_payload_says(f, "GlossaryClarificationResolved", "\"answer\":\"yes\"");
        mission_payload_says(f, "GlossaryClarificationResolved", "\"selected_sense\":null");
        assert_int_equal(mission_events(f, "GlossarySenseUpdated"), 0);
        assert_ok(pawl__replay_check(f->log, &f->err));
}

MISSION_TEST(of_two_answers_at_once_the_first_counts)
{
        struct person ana = {.f = f, .says = "yes", .other = "no"};

        mission_write(f, asks);
        f->options.clarify = answers;
        f->options.clarify_user = &ana;
        assert_ok(mission_run(f));
        assert_int_equal(ana.asked, 1);
        mission_journal_is(f, "{\"said\":\"no\"}");
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), 1);
        assert_ok(pawl__replay_check(f->log, &f->err));
}

MISSION_TEST(an_answer_that_is_none_ends_the_pass_and_leaves_it_open)
{
        struct person ana = {.f = f, .says = "maybe"};

        mission_write(f, asks);
        f->options.clarify = answers;
        f->options.clarify_user = &ana;
        assert_int_equal(mission_run(f), PAWL_EINVAL);
        assert_says(f->err.message, "\"maybe\" is none of its options; answer yes, no");
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), 0);
        ana.says = "no";
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "{\"said\":\"no\"}");
}

MISSION_TEST(a_run_tells_that_it_is_held_by_a_question)
{
        mission_write(f, asks);
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        assert_says(f->err.message, "step a: waits for an answer to \"Publish?\"; `pawl resolve ");
        assert_int_equal(f->result->n_conflicts, 1);
        assert_true(f->result->conflicts[0].is_question);
        assert_true(f->result->conflicts[0].can_pick);
        resolve(f, f->result->conflicts[0].id, "yes", PAWL_OK);
        resolve(f, f->result->conflicts[0].id, "no", PAWL_EEXISTS);
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "{\"said\":\"yes\"}");
}

/* ---- Time ------------------------------------------------------------------------------------ */

struct clocks {
        int64_t wall_us, boot_ms;
};

static int64_t wall_us(void *user)
{
        return ((struct clocks *)user)->wall_us;
}

static int64_t boot_ms(void *user)
{
        return ((struct clocks *)user)->boot_ms;
}

static const int64_t hour_us = INT64_C(3600) * 1000000, hour_ms = 3600 * 1000;

/* A run that asks for an hour, by these clocks. */
static void ask_in_time(struct mission_fixture *f, struct clocks *clocks)
{
        *clocks = (struct clocks){INT64_C(1800000000) * 1000000, 5000};
        pawl_log_close(f->log);
        f->log_options.sources = (pawl_sources){wall_us, boot_ms, NULL, clocks};
        assert_ok(pawl_log_open(&f->log, f->db, &f->log_options, &f->err));
        mission_write(f, asks_in_time);
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
}

static void settle(struct mission_fixture *f, pawl__question_clock *clock)
{
        pawl__state *state;

        assert_ok(pawl__state_of(&state, f->log, &f->err));
        if (pawl__questions_settle(clock, f->log, state, &f->err))
                fail_msg("%s", f->err.message);
}

MISSION_TEST(when_its_time_is_over_a_resume_records_what_then_holds)
{
        struct clocks clocks;

        ask_in_time(f, &clocks);
        clocks.wall_us += hour_us - 1000000;
        assert_int_equal(mission_resume(f, "run-1"), PAWL_BLOCKED);
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), 0);
        clocks.wall_us += 2000000;
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "{\"said\":\"no\"}");
        mission_payload_says(f, "GlossaryClarificationResolved", "\"actor_id\":\"system:timeout\"");
        mission_payload_says(f, "GlossaryClarificationResolved", "\"resolution_mode\":\"timeout\"");
        assert_ok(pawl__replay_check(f->log, &f->err));
}

MISSION_TEST(a_list_of_conflicts_says_what_was_asked_and_answered)
{
        pawl_conflicts *list;
        struct clocks clocks;

        ask_in_time(f, &clocks);
        assert_ok(pawl_conflict_list(&list, f->log, "run-1", false, &f->err));
        assert_int_equal(list->n, 1);
        assert_text(list->items[0].otherwise, "no");
        assert_null(list->items[0].answer.data);
        assert_int_equal(list->items[0].due_us, clocks.wall_us + hour_us);
        pawl_conflicts_free(list);
        clocks.wall_us += 2 * hour_us;
        settle(f, NULL);
        assert_ok(pawl_conflict_list(&list, f->log, "run-1", true, &f->err));
        assert_int_equal(list->n, 1);
        assert_text(list->items[0].answer, "no");
        pawl_conflicts_free(list);
}

/* Who looks again and again goes by the clock that does not step, as long as he looks. */
MISSION_TEST(a_clock_that_is_set_back_delays_nothing_for_who_keeps_looking)
{
        pawl__question_clock clock = {.wall_us = 0};
        struct clocks clocks;

        ask_in_time(f, &clocks);
        settle(f, &clock);
        assert_false(pawl__questions_due(&clock, f->log));
        clocks.wall_us -= 24 * hour_us;
        clocks.boot_ms += hour_ms / 2;
        settle(f, &clock);
        assert_false(pawl__questions_due(&clock, f->log));
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), 0);
        clocks.boot_ms += hour_ms / 2 + 1000;
        assert_true(pawl__questions_due(&clock, f->log));
        settle(f, &clock);
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), 1);
        assert_false(pawl__questions_due(&clock, f->log));
        settle(f, &clock);
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), 1);
}

MISSION_TEST(an_answer_that_came_first_is_not_replaced_when_the_time_is_over)
{
        struct clocks clocks;

        ask_in_time(f, &clocks);
        resolve(f, f->result->conflicts[0].id, "yes", PAWL_OK);
        clocks.wall_us += 2 * hour_us;
        settle(f, NULL);
        assert_int_equal(mission_events(f, "GlossaryClarificationResolved"), 1);
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "{\"said\":\"yes\"}");
}

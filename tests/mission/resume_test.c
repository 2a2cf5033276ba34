/* Going on with runs that were blocked, failed or cut off. */
#include "support/mission.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Two steps; the second is held until somebody says what a workspace is. */
#define MISSION                                                                                    \
        "mission: refunds\n"                                                                       \
        "steps:\n"                                                                                 \
        "  - id: research\n"                                                                       \
        "    run: [sh, -c, 'echo research >> journal; echo found']\n"                              \
        "  - id: specify\n"                                                                        \
        "    critical: true\n"                                                                     \
        "    inputs: {description: Refunds land in the workspace., earlier: {$from: "              \
        "research}%s}\n"                                                                           \
        "    metadata: {glossary_watch_terms: [workspace]}\n"                                      \
        "    run: [sh, -c, 'echo specify >> journal; cat > inputs']\n"

/* Fails until the file "go" is there; notes its key each time. */
#define MISSION_FAILS                                                                              \
        "mission: m\n"                                                                             \
        "steps:\n"                                                                                 \
        "  - id: one\n"                                                                            \
        "    run: [sh, -c, 'echo $PAWL_RETRY_TOKEN >> journal; test -e go']\n"

static void write_mission(struct mission_fixture *f, const char *more_inputs)
{
        char yaml[1024];

        snprintf(yaml, sizeof yaml, MISSION, more_inputs);
        mission_write(f, yaml);
}

static void block(struct mission_fixture *f)
{
        write_mission(f, "");
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        mission_journal_is(f, "research\n");
}

MISSION_TEST(a_resolved_run_goes_on_without_running_anything_twice)
{
        block(f);
        mission_resolve(f);
        char *session = test_copy(f->result->session_id);
        assert_ok(mission_resume(f, mission_token(f, "specify")));
        assert_string_equal(f->result->status, "completed");
        assert_string_not_equal(f->result->session_id, session);
        assert_int_equal(f->result->n_conflicts, 0);
        mission_journal_is(f, "research\nspecify\n");
        assert_int_equal(mission_events(f, "RunStarted"), 1);
        assert_int_equal(mission_events(f, "RunClaimed"), 2);
        assert_int_equal(mission_events(f, "StepResumed"), 1);
        assert_int_equal(mission_events(f, "RunCompleted"), 1);

        char *inputs = file_read(path_in(f->directory, "inputs"), NULL);
        assert_says(inputs, "\"earlier\":\"found\\n\"");
}

MISSION_TEST(a_run_that_is_still_unresolved_blocks_again)
{
        block(f);
        char *conflict = test_copy(f->result->conflicts[0].id);
        assert_int_equal(mission_resume(f, "run-1"), PAWL_BLOCKED);
        assert_int_equal(f->result->n_conflicts, 1);
        assert_string_equal(f->result->conflicts[0].id, conflict);
        mission_resolve(f);
        assert_ok(mission_resume(f, NULL));
        mission_journal_is(f, "research\nspecify\n");
}

/* Somebody who waits holds nothing and writes nothing until the answer is there. */
MISSION_TEST(who_waits_goes_on_when_the_answer_comes)
{
        const struct timespec while_it_waits = {0, 200000000};
        int how;

        block(f);
        size_t events = mission_events(f, NULL);
        f->options.wait_ms = 60000;
        pid_t pid = mission_fork(f, true, "run-1");
        nanosleep(&while_it_waits, NULL);
        assert_int_equal(waitpid(pid, &how, WNOHANG), 0);
        assert_int_equal(mission_events(f, NULL), events);
        mission_resolve(f);
        child_exits(pid, 0);
        mission_journal_is(f, "research\nspecify\n");
        assert_int_equal(mission_events(f, "GenerationBlockedBySemanticConflict"), 1);
}

MISSION_TEST(who_waited_in_vain_is_blocked)
{
        block(f);
        f->options.wait_ms = 100;
        assert_int_equal(mission_resume(f, "run-1"), PAWL_BLOCKED);
        assert_int_equal(f->result->n_conflicts, 1);
        mission_journal_is(f, "research\n");
}

/* A signal ends the waiting, and the run is as it was. */
MISSION_TEST(who_waits_can_be_interrupted)
{
        const unsigned char number = SIGTERM;
        int ends[2];

        block(f);
        size_t events = mission_events(f, NULL);
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], &number, 1), 1);
        f->options.signal_fd = ends[0];
        f->options.wait_ms = 60000;
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINTERRUPTED);
        assert_says(f->err.message, "interrupted by SIGTERM; go on with `pawl resume run-1`");
        assert_int_equal(mission_events(f, NULL), events);
        close(ends[0]);
        close(ends[1]);
}

MISSION_TEST(a_failed_step_is_started_again_under_the_same_key)
{
        char journal[128];

        mission_write(f, MISSION_FAILS);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        mission_file(f, "go", "");
        assert_ok(mission_resume(f, NULL));
        snprintf(journal, sizeof journal, "%s\n%s\n%s\n", mission_token(f, "one"),
                mission_token(f, "one"), mission_token(f, "one"));
        mission_journal_is(f, journal);
        assert_int_equal(mission_events(f, "StepFailed"), 2);
        assert_int_equal(mission_events(f, "RunFailed"), 2);
        assert_int_equal(mission_events(f, "StepCompleted"), 1);
}

MISSION_TEST(what_has_completed_is_told_again_and_not_run)
{
        block(f);
        char *research = test_copy(mission_token(f, "research"));
        size_t before = mission_events(f, NULL);
        assert_ok(mission_resume(f, research)); /* the step's, not the run's */
        assert_string_equal(f->result->status, "blocked");
        assert_string_equal(mission_status(f, "research"), "completed");
        assert_int_equal(mission_events(f, NULL), before);

        mission_resolve(f);
        assert_ok(mission_resume(f, "run-1"));
        before = mission_events(f, NULL);
        assert_ok(mission_resume(f, "run-1"));
        assert_ok(mission_resume(f, mission_token(f, "specify")));
        assert_string_equal(f->result->status, "completed");
        assert_int_equal(mission_events(f, NULL), before);
        mission_journal_is(f, "research\nspecify\n");
}

static void take_notice(const char *line, void *user)
{
        snprintf(user, 200, "%s", line);
}

/* Interrupted, failed, or blocked with all its answers in; not held back by a question. */
MISSION_TEST(without_a_name_the_one_run_that_waits_for_nothing_goes_on)
{
        char said[200] = "";

        f->options.notice = take_notice;
        f->options.notice_user = said;
        assert_int_equal(mission_resume(f, NULL), PAWL_ENOTFOUND);
        assert_says(f->err.message, "nothing to resume");
        block(f);
        f->options.run_id = "run-2";
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        mission_write(f, "mission: done\nsteps: [{id: one, run: ['true']}]\n");
        f->options.run_id = "run-3";
        assert_ok(mission_run(f));
        mission_write(f, "mission: failing\nsteps: [{id: one, run: ['false']}]\n");
        f->options.run_id = "run-4";
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        assert_int_equal(mission_resume(f, NULL), PAWL_ESTEP);
        assert_says(said, "run run-4");
        assert_ok(pawl_mission_cancel(f->log, "run-4", NULL, &f->err));
        write_mission(f, "");
        size_t before = mission_events(f, NULL);
        assert_int_equal(mission_resume(f, NULL), PAWL_ENOTFOUND);
        assert_int_equal(mission_events(f, NULL), before);

        assert_int_equal(mission_resume(f, "run-2"), PAWL_BLOCKED);
        mission_resolve(f);
        assert_ok(mission_resume(f, NULL));
        assert_string_equal(f->result->run_id, "run-2");
        assert_says(said, "going on with mission refunds, run run-2");
}

MISSION_TEST(without_a_name_several_runs_are_too_many)
{
        const pawl_answer answer = {.define = pawl__text("A folder.")};

        block(f);
        char *conflict = test_copy(f->result->conflicts[0].id);
        f->options.run_id = "run-2";
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        mission_resolve(f);
        assert_ok(pawl_conflict_resolve(f->log, conflict, &answer, NULL, &f->err));
        size_t before = mission_events(f, NULL);
        assert_int_equal(mission_resume(f, NULL), PAWL_ESTATE);
        assert_says(f->err.message, "resume: 2 runs can be resumed; name one");
        assert_null(f->result);
        assert_int_equal(mission_events(f, NULL), before);
}

/* A run, or a token, by 4 characters or more that it alone begins with. */
MISSION_TEST(ids_are_taken_by_what_they_alone_begin_with)
{
        char token[9];

        block(f);
        snprintf(token, sizeof token, "%s", mission_token(f, "specify"));
        f->options.run_id = "run-2";
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        assert_int_equal(mission_resume(f, token), PAWL_BLOCKED);
        assert_string_equal(f->result->run_id, "run-1");
        size_t before = mission_events(f, NULL);
        assert_int_equal(mission_resume(f, "run-"), PAWL_EINVAL);
        assert_says(
                f->err.message, "resume run-: is more than one (run-1, run-2); give more of it");
        assert_int_equal(mission_resume(f, "run"), PAWL_ENOTFOUND);
        assert_int_equal(mission_events(f, NULL), before);
}

MISSION_TEST(what_is_not_there_cannot_be_resumed)
{
        static const struct {
                const char *what, *says;
                pawl_status status;
        } cases[] = {
                {"run-9", "resume run-9: is no", PAWL_ENOTFOUND},
                {"00000000-0000-4000-8000-000000000000", "resume 00000000-", PAWL_ENOTFOUND},
                {"", "token or run id", PAWL_EINVAL},
                {"a\033[31m", "token or run id", PAWL_EINVAL},
        };

        block(f);
        size_t before = mission_events(f, NULL);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                assert_int_equal(mission_resume(f, cases[i].what), cases[i].status);
                assert_says(f->err.message, cases[i].says);
                assert_null(f->result);
        }
        assert_int_equal(mission_events(f, NULL), before);
}

MISSION_TEST(a_run_whose_id_looks_like_a_token_is_found)
{
        f->options.run_id = "00000000-0000-4000-8000-000000000001";
        block(f);
        assert_int_equal(mission_resume(f, f->options.run_id), PAWL_BLOCKED);
        assert_string_equal(f->result->run_id, f->options.run_id);
}

MISSION_TEST(changed_inputs_are_refused_until_accepted)
{
        char hash[17];

        block(f);
        mission_resolve(f);
        write_mission(f, ", days: 3, more: [1]");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINPUTS);
        assert_says(f->err.message, "step specify: its inputs changed since the checkpoint: ");
        assert_says(f->err.message, "inputs.days");
        assert_says(f->err.message, "and 1 more");
        assert_says(f->err.message, "--accept-changed-inputs");
        char *aborted = mission_payload(f, "StepResumeAborted");
        assert_says(aborted, "\"inputs_changed\":true");
        char *started = mission_payload(f, "StepStarted");
        snprintf(hash, sizeof hash, "%s", strstr(started, "hash\":\"") + strlen("hash\":\""));
        assert_says(f->err.message, hash);
        const pawl_changed_inputs *inputs = &f->result->inputs;
        assert_string_equal(inputs->step_id, "specify");
        assert_int_equal(inputs->n, 2);
        assert_text(inputs->items[0].path, "inputs.days");
        assert_null(inputs->items[0].before.data);
        assert_text(inputs->items[0].after, "3");
        mission_payload_says(f, "StepResumeAborted", inputs->checkpoint_hash);
        mission_payload_says(f, "StepResumeAborted", inputs->current_hash);
        assert_string_equal(f->result->status, "blocked");
        mission_payload_says(f, "SessionEnded", "\"reason\":\"inputs changed\"");
        mission_journal_is(f, "research\n");

        f->options.accept_changed_inputs = true;
        assert_ok(mission_resume(f, "run-1"));
        mission_journal_is(f, "research\nspecify\n");
}

static pawl_status say_yes(bool *yes, const pawl_input_change *change, void *user)
{
        char *diff = user;

        assert_false(*yes);
        snprintf(diff, 256, "%s", change->diff);
        *yes = true;
        return PAWL_OK;
}

MISSION_TEST(changed_inputs_can_be_confirmed_when_asked)
{
        char diff[256] = "";

        block(f);
        mission_resolve(f);
        write_mission(f, ", days: 3");
        f->options.confirm = say_yes;
        f->options.confirm_user = diff;
        assert_ok(mission_resume(f, "run-1"));
        assert_says(diff, "inputs.days");
        mission_payload_says(f, "StepResumed", "\"inputs_changed\":true");
}

MISSION_TEST(seeds_are_not_read_again)
{
        mission_file(f, "team.yaml", "terms: [{surface: desk, definition: A table.}]\n");
        mission_write(f, "mission: m\n"
                         "glossary: {team_domain: team.yaml}\n"
                         "steps:\n"
                         "  - id: one\n"
                         "    critical: true\n"
                         "    inputs: {description: A desk in a workspace.}\n"
                         "    metadata: {glossary_watch_terms: [workspace, desk]}\n"
                         "    run: ['true']\n");
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        assert_int_equal(f->result->n_conflicts, 1);
        mission_file(f, "team.yaml", "terms: [not, a, seed]\n");
        mission_resolve(f);
        assert_ok(mission_resume(f, "run-1"));
        assert_int_equal(mission_events(f, "GlossaryScopeActivated"), 1);
}

MISSION_TEST(the_strictness_of_the_run_is_kept)
{
        mission_write(f, "mission: m\n"
                         "steps:\n"
                         "  - {id: one, run: [test, -e, go]}\n"
                         "  - id: two\n"
                         "    inputs: {description: A snake_case name.}\n"
                         "    run: ['true']\n");
        f->options.strictness = "max";
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_file(f, "go", "");
        f->options.strictness = NULL;
        assert_int_equal(mission_resume(f, "run-1"), PAWL_BLOCKED); /* medium would let it pass */
        assert_string_equal(mission_status(f, "two"), "blocked");
}

MISSION_TEST(a_run_needs_its_mission_file)
{
        block(f);
        size_t before = mission_events(f, NULL);
        assert_int_equal(unlink(f->file), 0);
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ENOTFOUND);
        assert_says(f->err.message, "run run-1: its mission file ");
        assert_says(f->err.message, "/mission.yaml is not there; put it back");
        mission_file(f, "mission.yaml", "mission: other\nsteps: [{id: specify, run: ['true']}]\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EINVAL);
        assert_says(f->err.message, "is mission other, but run run-1 is one of refunds");
        mission_file(f, "mission.yaml", "mission: refunds\nsteps: 3\n");
        assert_int_equal(mission_resume(f, "run-1"), PAWL_EPARSE);
        assert_null(f->result);
        assert_int_equal(mission_events(f, NULL), before);
}

MISSION_TEST(steps_that_came_into_the_file_since_are_run)
{
        mission_write(f, MISSION_FAILS);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_file(f, "go", "");
        mission_write(f, "mission: m\n"
                         "steps:\n"
                         "  - {id: before, run: [sh, -c, 'echo before >> journal']}\n"
                         "  - {id: one, run: ['true']}\n"
                         "  - {id: after, run: [sh, -c, 'echo after >> journal']}\n");
        f->options.signal_fd = -1;
        f->options.accept_changed_mission = true;
        assert_ok(mission_resume(f, "run-1"));
        assert_int_equal(f->result->n_steps, 3);
        assert_string_equal(f->result->steps[0].step_id, "before");
        assert_string_equal(mission_status(f, "before"), "completed");
        assert_string_equal(mission_status(f, "after"), "completed");
        char *journal = mission_journal(f);
        assert_says(journal, "\nbefore\nafter\n");
}

MISSION_TEST(a_step_that_left_the_file_is_gone_on_without)
{
        mission_write(f, MISSION_FAILS);
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        size_t before = mission_events(f, NULL);
        char *token = test_copy(mission_token(f, "one"));
        mission_write(f, "mission: m\nsteps: [{id: other, run: ['true']}]\n");
        assert_int_equal(mission_resume(f, token), PAWL_EINPUTS);
        assert_says(f->err.message, "step other is new, step one was removed; put it back");
        assert_string_equal(f->result->status, "failed");
        assert_int_equal(mission_events(f, NULL), before);

        f->options.accept_changed_mission = true;
        assert_ok(mission_resume(f, token));
        assert_int_equal(f->result->n_steps, 2);
        assert_string_equal(mission_status(f, "other"), "completed");
        assert_string_equal(mission_status(f, "one"), "skipped");
}

/* At max a conflict in the output holds it back: it is kept, and not made again. */
MISSION_TEST(an_output_that_was_held_back_is_kept)
{
        mission_write(f, "mission: m\n"
                         "strictness: max\n"
                         "steps:\n"
                         "  - id: one\n"
                         "    run: [sh, -c, 'echo one >> journal; echo A snake_case name.']\n"
                         "  - id: two\n"
                         "    inputs: {plain: {$from: one}}\n"
                         "    run: [sh, -c, 'cat >> journal']\n");
        assert_int_equal(mission_run(f), PAWL_BLOCKED);
        assert_string_equal(mission_status(f, "one"), "blocked");
        assert_string_equal(mission_cursor(f, "one"), "post_generation");
        assert_says(f->err.message, "step one: generation is blocked by 1 unresolved conflict;");
        assert_int_equal(mission_resume(f, mission_token(f, "one")), PAWL_BLOCKED);
        mission_resolve(f);
        assert_ok(mission_resume(f, mission_token(f, "one")));
        mission_journal_is(f, "one\n{\"plain\":\"A snake_case name.\\n\"}");
        assert_int_equal(mission_events(f, "StepCompleted"), 2);
        assert_int_equal(
                mission_events(f, "SessionCheckpointed"), 2); /* each is one of the session */
}

MISSION_TEST(a_new_step_whose_inputs_lead_nowhere_fails_the_run)
{
        mission_write(f, "mission: m\n"
                         "steps: [{id: one, run: [echo, '{}']}, {id: two, run: ['false']}]\n");
        assert_int_equal(mission_run(f), PAWL_ESTEP);
        mission_write(f, "mission: m\n"
                         "steps: [{id: one, run: ['true']}, {id: new, inputs: {$from: one#/x},"
                         " run: ['true']}, {id: two, run: ['true']}]\n");
        f->options.accept_changed_mission = true;
        assert_int_equal(mission_resume(f, "run-1"), PAWL_ESTEP);
        assert_says(f->err.message, "new");
        assert_string_equal(f->result->status, "failed");
        assert_string_equal(mission_status(f, "new"), "failed");
        assert_int_equal(mission_events(f, "StepFailed"), 2);
        assert_int_equal(mission_events(f, "RunFailed"), 2);
}

MISSION_TEST(a_run_that_a_program_began_goes_on_there)
{
        pawl_pipeline *chain;
        pawl_context *ctx;

        assert_ok(pawl_pipeline_new(&chain, f->log, NULL, &f->err));
        assert_ok(pawl_context_new(&ctx, "m", "run-p", "one", &f->err));
        assert_ok(pawl_pipeline_run(chain, ctx));
        pawl_context_free(ctx);
        pawl_pipeline_free(chain);
        assert_int_equal(mission_resume(f, NULL), PAWL_ENOTFOUND);
        assert_int_equal(mission_resume(f, "run-p"), PAWL_ENOTFOUND);
        assert_says(f->err.message, "run run-p: has no mission file");
}

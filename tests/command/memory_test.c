/* Commands that change the glossary, each allocation of theirs failing once: they say so, leak
 * nothing, and leave the log true. */
#include "base/error.h"
#include "cli/pawl/program.h"
#include "command/command.h"
#include "state/state.h"
#include "support/stories.h"
#include "support/sweep.h"

static int setup(void **state)
{
        struct stories *s = test_alloc(sizeof *s);
        stories_setup(s);
        *state = s;
        return 0;
}

static int teardown(void **state)
{
        stories_teardown(*state);
        return 0;
}

#define TEST(name) UNIT_TEST_WITH(name, struct stories *s, setup, teardown)

static pawl_status run(pawl_log *log, const char *const *words, size_t n, pawl_error *err)
{
        FILE *none = fopen("/dev/null", "w");
        const cli_context in = {
                .out = none, .err = none, .log = log, .actor = "user:ana", .failure = err};

        if (!none)
                return pawl__nomem(err);
        const int code = cli_execute(&pawl_program, words, n, &in);
        fclose(none);
        assert_int_equal(code == CLI_DONE, err->status == PAWL_OK);
        return err->status;
}

/* From the same log each time; what was written before may stay. */
static void sweep_command(struct stories *s, const char *const *words, size_t n)
{
        for (sweep w = {.warm = 3, .spread = 32, .least = 2}; sweep_next(&w);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__state *state;
                pawl_log *log;
                stories_put_back(s, STORY_ANSWERED);
                assert_ok(pawl_log_open(&log, s->f->db, NULL, &err));
                sweep_arm(&w);
                (void)sweep_done(&w, run(log, words, n, &err), &err);
                pawl_log_close(log);
                err = (pawl_error)PAWL_ERROR_INIT;
                assert_ok(pawl_log_open(&log, s->f->db, NULL, &err));
                if (pawl__state_of(&state, log, &err) || pawl__replay_check(log, &err))
                        fail_msg("%s", err.message);
                pawl_log_close(log);
        }
}

#define SWEEP(...)                                                                                 \
        do {                                                                                       \
                static const char *const words[] = {__VA_ARGS__};                                  \
                sweep_command(s, words, sizeof words / sizeof words[0]);                           \
        } while (0)

TEST(a_sense_is_edited)
{
        SWEEP("glossary", "edit", "workspace", "--mission", "refunds", "--define", "Ours.");
}

TEST(a_sense_is_retired)
{
        SWEEP("glossary", "deprecate", "workspace", "--mission", "refunds");
}

TEST(a_word_is_ignored)
{
        SWEEP("glossary", "ignore", "workspace");
}

TEST(the_glossary_and_its_history_are_listed)
{
        SWEEP("glossary", "list", "--json");
        SWEEP("glossary", "log", "workspace", "--json");
}

/* One of them before the answer, which is folded again. */
TEST(a_run_is_shown_with_what_its_steps_were_told)
{
        char run_id[129];
        const char *const words[] = {"runs", "--id", run_id, "--json"};

        snprintf(run_id, sizeof run_id, "%s", s->f->result->run_id);
        sweep_command(s, words, sizeof words / sizeof words[0]);
}

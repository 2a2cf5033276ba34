/* Answering conflicts: in a burst, and from another session. */
#include "support/pipeline.h"
#include <time.h>
#include <unistd.h>

static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

PIPED_TEST(five_conflicts_ask_three_questions_and_defer_two)
{
        static const char five[] = "{\"description\":\"\\\"alpha\\\" \\\"beta\\\" \\\"gamma\\\" "
                                   "\\\"delta\\\" \\\"eps\\\"\"}";
        const pawl_answer answers[] = {{.define = pawl__text("first")},
                {.define = pawl__text("second")}, {.define = pawl__text("third")}};

        p->options.clarify = script_answer;
        p->script.answers = answers;
        p->script.n = 3;
        piped_pipeline(p);
        assert_int_equal(piped_at_max(p, five), PAWL_BLOCKED);
        assert_int_equal(p->script.asked, 3);
        assert_int_equal(pawl_context_conflicts(p->ctx), 2);
        assert_text(pawl_context_conflict(p->ctx, 0)->term, "eps");
        assert_text(pawl_context_conflict(p->ctx, 1)->term, "gamma");
        assert_string_equal(piped_status(p, "s"), "blocked");
        /* the other two are open to any session; asked next time, in a burst of their own */
        p->script.n = 0;
        assert_ok(piped_define(p, piped_conflict(p, 1), "fourth"));
        p->script.asked = 0;
        assert_int_equal(piped_critical_resume(p, "s", five), PAWL_BLOCKED);
        assert_int_equal(p->script.asked, 1);
        assert_text(p->script.terms[0], "eps");
}

PIPED_TEST(a_second_answer_is_refused_and_changes_nothing)
{
        char conflict[17], prefix[5];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        snprintf(prefix, sizeof prefix, "%.4s", conflict);
        assert_ok(piped_define(p, prefix, "the first answer"));
        uint64_t head = piped_head(p);
        assert_int_equal(piped_define(p, conflict, "the second"), PAWL_EEXISTS);
        assert_says(p->err.message, conflict);
        assert_says(p->err.message, "was answered already");
        assert_int_equal(piped_head(p), head);
}

struct rival {
        int go[2];
        bool told;
};

/* While the write transaction is open that completes the step, the other process answers: what it
 * reads before it has a transaction of its own is the step still running. */
static pawl_status let_the_rival_answer(
        pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct rival *rival = user;
        const struct timespec while_it_waits = {.tv_nsec = 400000000};

        (void)log, (void)batch, (void)err;
        rival->told = write(rival->go[1], "g", 1) == 1;
        nanosleep(&while_it_waits, NULL);
        return PAWL_OK;
}

static int answer_again(struct piped *p, const char *conflict, int go)
{
        const pawl_answer again = {.define = pawl__text("another"), .replace = true};
        pawl_log *log;
        char byte;

        if (pawl_log_open(&log, p->db, &p->log_options, &p->err) || read(go, &byte, 1) != 1)
                return 99;
        const pawl_status status = pawl_conflict_resolve(log, conflict, &again, NULL, &p->err);
        pawl_log_close(log);
        return status == PAWL_ESTATE && strstr(p->err.message, "step s of run r has completed") ? 0
                                                                                                : 1;
}

PIPED_TEST(an_answer_is_not_replaced_while_its_step_completes)
{
        struct rival rival = {.told = false};
        char conflict[17];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        assert_ok(piped_define(p, conflict, "the first answer"));
        piped_context(p, "s", ambiguous); /* a log does not survive fork() */
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        pawl_log_close(p->log);
        p->log = NULL;
        assert_int_equal(pipe(rival.go), 0);
        pid_t pid = fork();
        if (pid == 0)
                _exit(answer_again(p, conflict, rival.go[0]));
        piped_reopen(p);
        assert_ok(piped_critical_resume(p, "s", ambiguous));
        pawl__pipeline_batch(p->pipeline)->prepare = let_the_rival_answer;
        pawl__pipeline_batch(p->pipeline)->prepare_user = &rival;
        assert_ok(piped_complete(p, "\"done\""));
        const uint64_t head = piped_head(p);
        assert_true(rival.told);
        child_exits(pid, 0);
        assert_int_equal(piped_head(p), head);
        close(rival.go[0]);
        close(rival.go[1]);
}

PIPED_TEST(answers_to_no_conflict_are_refused)
{
        static const struct {
                const char *id;
                pawl_status status;
                const char *says;
        } cases[] = {
                {"abcdef0123456789", PAWL_ENOTFOUND, "there is none; `pawl conflicts --all`"},
                {"abc", PAWL_EINVAL, "give 4 digits or more"},
                {"", PAWL_EINVAL, "conflict id"},
                {"a\nbcd", PAWL_EINVAL, "control character"},
                {"%%%%", PAWL_ENOTFOUND, "there is none"},
        };
        pawl_answer pick = {.pick = 1};

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        uint64_t head = piped_head(p);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                assert_int_equal(piped_define(p, cases[i].id, "x"), cases[i].status);
                assert_says(p->err.message, cases[i].says);
        }
        assert_int_equal(
                pawl_conflict_resolve(p->log, piped_conflict(p, 0), &pick, "bad\nactor", &p->err),
                PAWL_EINVAL);
        assert_says(p->err.message, "actor");
        pick.pick = 3;
        assert_int_equal(pawl_conflict_resolve(p->log, piped_conflict(p, 0), &pick, NULL, &p->err),
                PAWL_EINVAL);
        assert_says(p->err.message, "3 is no candidate; pick 1 to 2");
        assert_int_equal(piped_head(p), head);
        pick.pick = 2;
        assert_ok(pawl_conflict_resolve(p->log, piped_conflict(p, 0), &pick, NULL, &p->err));
        pawl_text payload = pawl__text(piped_payload(p, "GlossaryClarificationResolved", head, 0));
        assert_holds(payload, "A virtual desktop");
        assert_holds(payload, "\"actor_id\":\"program\"");
}

/* A run's steps as they were at an earlier place in the log. */
#include "support/rollback_events.h"
#include "support/sweep.h"

enum { MOST = 128, STEPS = 4 };

/* What the tables said right after an event. */
struct moment {
        uint64_t seq;
        pawl__row run, steps[STEPS];
        size_t n;
};

struct moments {
        struct moment at[MOST];
        size_t n;
};

static void note(struct history *h, struct moments *m)
{
        struct moment *now = &m->at[m->n++];
        pawl__row *rows;

        assert_true(m->n < MOST);
        now->seq = history_head(h);
        now->run = history_row(h, PAWL__RUNS, "run-1", NULL);
        assert_ok(pawl__state_steps(
                &rows, &now->n, h->state, pawl__text("run-1"), &h->arena, &h->err));
        assert_true(now->n <= STEPS);
        memcpy(now->steps, rows, now->n * sizeof *rows);
}

static void check(struct history *h, const struct moment *then)
{
        pawl__row run, *steps = NULL;
        size_t n = 0;

        assert_ok(pawl__state_steps_at(
                &run, &steps, &n, h->state, pawl__text("run-1"), then->seq, &h->arena, &h->err));
        assert_int_equal(n, then->n);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(pawl__row_diff(PAWL__STEPS, &steps[i], &then->steps[i]), -1);
        assert_int_equal(run.v[PAWL__RUN_DONE].integer, then->run.v[PAWL__RUN_DONE].integer);
        assert_int_equal(run.v[PAWL__RUN_STEPS].integer, then->run.v[PAWL__RUN_STEPS].integer);
        assert_true(
                pawl__text_eq(run.v[PAWL__RUN_CURRENT].text, then->run.v[PAWL__RUN_CURRENT].text));
        assert_true(
                pawl__text_eq(run.v[PAWL__RUN_STATUS].text, then->run.v[PAWL__RUN_STATUS].text));
}

static void do_step(struct history *h, struct moments *m, const char *id)
{
        h->step = id;
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        note(h, m);
        history_completed(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        note(h, m);
        h->step = NULL;
}

/* Another run and its step, in between. */
static void another(struct history *h)
{
        h->run = "run-2";
        if (!history_has(h, PAWL__RUNS, "run-2", NULL)) {
                history_start(h, "[\"one\"]");
                check_ok(h, history_claim(h), __FILE__, __LINE__);
        }
        h->step = "one";
        history_step_started(h);
        history_completed(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        h->step = NULL;
        h->run = "run-1";
}

static void go_back(struct history *h, struct moments *m, int target, int n, const char *undo,
        const char *steps)
{
        int seq = history_roll_back(h, target, n, undo);
        note(h, m);
        history_rolled_back(h, seq, "done", "", "", steps);
        note(h, m);
}

static void live(struct history *h, struct moments *m)
{
        history_take(h, 1, "");
        another(h);
        history_start(h, "[\"one\",\"two\",\"three\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        note(h, m);
        do_step(h, m, "one");
        history_take(h, 2, "");
        note(h, m);
        do_step(h, m, "two");
        another(h);
        note(h, m);
        do_step(h, m, "four"); /* which the mission did not name */
}

HISTORY_TEST(every_place_is_as_it_was)
{
        struct moments m = {.n = 0};

        live(h, &m);
        for (size_t i = 0; i < m.n; i++)
                check(h, &m.at[i]);
        go_back(h, &m, 2, 3, "false", STEP("two") "," STEP("four"));
        do_step(h, &m, "two");
        go_back(h, &m, 3, 4, "true", "");
        do_step(h, &m, "three");
        h->step = "one"; /* once more */
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        note(h, &m);
        for (size_t i = 0; i < m.n; i++)
                check(h, &m.at[i]);
        history_check(h);
        /* whatever the tables say by now, the log says what was */
        m.at[m.n - 1].seq = UINT64_MAX;
        check(h, &m.at[m.n - 1]);
}

HISTORY_TEST(before_its_start_there_is_no_run)
{
        struct moments m = {.n = 0};
        pawl__row run = {0}, *steps = NULL;
        size_t n = 7;

        live(h, &m);
        const struct {
                const char *run;
                uint64_t seq;
        } cases[] = {{"run-1", 0}, {"run-1", 1}, {"run-9", UINT64_MAX}, {"run-9", 2}};
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
                assert_int_equal(
                        pawl__state_steps_at(&run, &steps, &n, h->state, pawl__text(cases[i].run),
                                cases[i].seq, &h->arena, &h->err),
                        PAWL_ENOTFOUND);
        assert_string_equal(h->err.message, "");
        assert_null(steps);
        assert_int_equal(n, 7);
}

HISTORY_TEST(without_memory_it_says_so)
{
        struct moments m = {.n = 0};

        live(h, &m);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                pawl__row run = {0}, *steps = NULL;
                size_t n = 0;
                sweep_arm(&s);
                const bool ok = sweep_done(&s,
                        pawl__state_steps_at(&run, &steps, &n, h->state, pawl__text("run-1"),
                                m.at[2].seq, &h->arena, &h->err),
                        NULL);
                assert_int_equal(steps != NULL, ok);
        }
}

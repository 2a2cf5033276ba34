/* Random histories of valid events, in appends of random sizes, through handles that come and go:
 * the tables are always what a fold from nothing says, and can be made again from nothing. */
#include "support/history.h"
#include <pawl/session.h>

enum { RUNS = 5, STEPS = 4, BATCHES = 120, HISTORIES = 6 };

struct world {
        struct history *h;
        uint64_t random;  /* xorshift64 (G. Marsaglia, 2003) */
        unsigned counter; /* for tokens, conflicts, sessions and senses */
        bool started[RUNS];
        unsigned steps[RUNS];             /* bits: the steps that have started */
        unsigned asked[RUNS], open[RUNS]; /* the last conflict of the run; is it open? */
        unsigned sessions[RUNS];          /* the last session of the run; 0: none */
        unsigned checkpoints, rolling;    /* of the workspace; the seq of a rollback under way */
        unsigned undo;                    /* the safety copy to undo it by; 0: nothing to undo */
        unsigned rolling_safety;          /* of the one under way; 0: it is an undo */
        unsigned undo_run;                /* whose steps it gave up */
        char run[24], step[24], session[24];
};

static unsigned below(struct world *w, unsigned n)
{
        w->random ^= w->random << 13;
        w->random ^= w->random >> 7;
        w->random ^= w->random << 17;
        return (unsigned)(w->random >> 33) % n;
}

static const char *one_of(struct world *w, const char *const *texts, unsigned n)
{
        return texts[below(w, n)];
}

#define ONE_OF(w, ...)                                                                             \
        one_of((w), (const char *const[]){__VA_ARGS__},                                            \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void token(struct world *w, char out[37])
{
        snprintf(out, 37, "00000000-0000-4000-8000-%012u", ++w->counter);
}

static void set_session(struct world *w, unsigned number)
{
        snprintf(w->session, sizeof w->session, "session-%u", number);
        w->h->session = number ? w->session : NULL;
}

/* A step of the run that has started, into h->step; starts one where there is none. */
static void some_step(struct world *w, unsigned run)
{
        unsigned step = below(w, STEPS);

        if (w->steps[run])
                while (!(w->steps[run] >> step & 1))
                        step = (step + 1) % STEPS;
        snprintf(w->step, sizeof w->step, "step-%u", step);
        w->h->step = w->step;
        if (!w->steps[run])
                history_step_started(w->h);
        w->steps[run] |= 1u << step;
}

static void add_glossary(struct world *w)
{
        char definition[24];

        snprintf(definition, sizeof definition, "D%u", below(w, 6));
        if (below(w, 4))
                history_sense(w->h, ONE_OF(w, "Workspace", "workspace", "Ledger", "Zoë"),
                        ONE_OF(w, "core", "team_domain", "mission_local"), definition,
                        ONE_OF(w, "active", "draft", "deprecated"),
                        ONE_OF(w, NULL, HASH_A, HASH_B));
        else
                history_add(w->h, "GlossaryScopeActivated",
                        "{\"scope_id\":\"%s\",\"glossary_version_id\":\"%s\"}",
                        ONE_OF(w, "core", "team_domain"), ONE_OF(w, HASH_A, HASH_B));
}

static void add_conflict(struct world *w, unsigned run)
{
        char id[24], retry_token[37];

        if (!w->open[run] || below(w, 2)) { /* a new one, or the same again */
                if (!w->open[run])
                        w->asked[run] = ++w->counter;
                token(w, retry_token);
                snprintf(id, sizeof id, "conflict-%u", w->asked[run]);
                history_requested(w->h, id, retry_token);
                w->open[run] = 1;
                return;
        }
        snprintf(id, sizeof id, "conflict-%u", w->asked[run]);
        history_resolved(w->h, id, ONE_OF(w, "A folder.", "A room."));
        w->open[run] = 0;
}

/* What a session may tell of itself, one event. */
static void tell_of_session(struct world *w)
{
        static const char work[] =
                "{\"reason\":\"manual\",\"notes\":[],\"completed_steps\":[\"%s\"],"
                "\"pending_steps\":[\"%s\",\"d\"],\"current_step\":\"%s\",\"files\":[\"%s\"],"
                "\"summary\":\"%s\",\"pinned\":%s}";

        history_add(w->h, ONE_OF(w, "SessionUpdated", "SessionCheckpointed", "SessionNoted"), work,
                ONE_OF(w, "a", "b", "c"), ONE_OF(w, "a", "b", "c"), ONE_OF(w, "a", "", "e"),
                ONE_OF(w, "x", "y", "z"), ONE_OF(w, "one", "two", "three"),
                ONE_OF(w, "true", "false", "false"));
}

static void add_session(struct world *w, unsigned run)
{
        if (!w->sessions[run]) {
                w->sessions[run] = ++w->counter;
                set_session(w, w->sessions[run]);
                history_add(w->h, "SessionStarted", "{}");
                return;
        }
        set_session(w, w->sessions[run]);
        if (below(w, 3)) {
                tell_of_session(w);
                return;
        }
        history_add(w->h, "SessionEnded", "{\"status\":\"%s\"}",
                ONE_OF(w, "completed", "interrupted", "error"));
        w->sessions[run] = 0;
}

/* An agent's, from its start to its end or not. */
static void add_agent(struct world *w)
{
        struct history *h = w->h;
        const char *run = h->run, *step = h->step;

        h->run = h->step = NULL;
        set_session(w, ++w->counter);
        history_add(h, "SessionStarted", "{\"pending_steps\":[\"a\",\"b\",\"c\"]}");
        for (unsigned i = below(w, 6); i > 0; i--)
                tell_of_session(w);
        if (below(w, 2))
                history_add(h, "SessionEnded", "{\"status\":\"interrupted\",\"summary\":\"s\"}");
        h->run = run;
        h->step = step;
}

static void add_one(struct world *w, unsigned run)
{
        char retry_token[37];

        set_session(w, w->sessions[run]);
        some_step(w, run);
        switch (below(w, 15)) {
        case 0:
                add_glossary(w);
                break;
        case 1:
        case 2:
                add_conflict(w, run);
                break;
        case 3:
                add_session(w, run);
                break;
        case 14:
                add_agent(w);
                break;
        case 4:
                history_blocked(w->h);
                break;
        case 5:
                history_step_started(w->h);
                history_completed(w->h);
                break;
        case 6:
                history_add(
                        w->h, "StepFailed", "{\"reason\":\"x\",\"exit_code\":%u}", below(w, 200));
                break;
        case 7:
                history_add(w->h, "RunFailed", "{\"reason\":\"%s\"}", ONE_OF(w, "x", "", "step"));
                break;
        case 8:
                history_add(w->h, "RunCompleted", "{}");
                break;
        case 9:
                history_evaluated(w->h);
                break;
        case 10:
                history_resumed(w->h, TOKEN(1));
                break;
        case 11:
                w->steps[run] |= 1u << below(w, STEPS); /* some_step starts none of these */
                for (unsigned s = 0; s < STEPS; s++)
                        if (w->steps[run] >> s & 1) {
                                snprintf(w->step, sizeof w->step, "step-%u", s);
                                history_step_started(w->h);
                        }
                break;
        default:
                token(w, retry_token);
                history_checkpointed(w->h,
                        ONE_OF(w, "pre_generation_gate", "post_gate", "post_clarification"),
                        retry_token);
        }
}

static void choose_run(struct world *w, unsigned run)
{
        snprintf(w->run, sizeof w->run, "run-%u", run);
        w->h->run = w->run;
        w->h->mission = run % 2 ? "mission-1" : "mission-2";
        w->h->step = NULL;
        set_session(w, 0);
}

/* One append: a claim, some events of a run, or some that are refused at their end. */
static void append_some(struct world *w, unsigned run)
{
        struct history *h = w->h;
        struct world before = *w;

        choose_run(w, run);
        if (!w->started[run]) {
                history_start(h, ONE_OF(w, "[]", "[\"step-0\"]", "[\"step-2\",\"step-1\"]"));
                w->started[run] = true;
                check_ok(h, history_claim(h), __FILE__, __LINE__);
                return;
        }
        for (unsigned i = 1 + below(w, 8); i > 0; i--)
                add_one(w, run);
        if (below(w, 5)) {
                check_ok(h, history_commit(h), __FILE__, __LINE__);
                return;
        }
        history_resolved(h, "no-such-conflict", "D");
        assert_int_equal(history_commit(h), PAWL_ESTATE);
        before.random = w->random; /* none of it happened */
        before.counter = w->counter;
        *w = before;
}

/* ---- The workspace, whose events are appends of their own ------------------------------------ */

static void add_checkpoint(struct world *w, const char *more)
{
        unsigned n = ++w->checkpoints;

        history_add(w->h, "WorkspaceCheckpointed",
                "{\"n\":%u,\"id\":\"cp-%02u\",\"trigger\":\"%s\",\"root\":\".\",\"tree\":\"" HASH_A
                "\",\"files\":%u,\"bytes\":%u,\"skipped\":0,\"base\":%u%s}",
                n, n, ONE_OF(w, "auto", "manual"), below(w, 9), below(w, 999), below(w, n), more);
}

static void start_rollback(struct world *w, unsigned run, bool undo)
{
        unsigned target = undo ? w->undo : 1 + below(w, w->checkpoints);

        add_checkpoint(w, ",\"safety\":true");
        history_add(w->h, "WorkspaceRollbackStarted",
                "{\"target\":%u,\"safety\":%u,\"tree\":\"" HASH_A "\",\"plan_hash\":\"" HASH_B
                "\",\"undo\":%s}",
                target, w->checkpoints, undo ? "true" : "false");
        check_ok(w->h, history_commit(w->h), __FILE__, __LINE__);
        w->rolling = (unsigned)history_head(w->h);
        w->rolling_safety = undo ? 0 : w->checkpoints;
        if (!undo)
                w->undo_run = run;
}

/* Steps that have started, by the bits of @p which. */
static void list_steps(char *out, size_t size, const struct world *w, unsigned run, unsigned which)
{
        size_t len = 0;

        out[0] = '\0';
        for (unsigned s = 0; s < STEPS; s++)
                if (w->steps[run] & which & 1u << s)
                        len += (size_t)snprintf(out + len, size - len,
                                "%s{\"run_id\":\"run-%u\",\"step_id\":\"step-%u\"}", len ? "," : "",
                                run, s);
}

static void end_rollback(struct world *w)
{
        bool done = below(w, 4) != 0;
        char steps[400] = "", numbers[2][16] = {"", ""};

        if (done) {
                list_steps(steps, sizeof steps, w, w->undo_run, below(w, 16));
                for (int i = 0; i < 2; i++)
                        if (below(w, 2))
                                snprintf(numbers[i], sizeof numbers[i], "%u",
                                        1 + below(w, w->checkpoints));
        }
        history_add(w->h, "WorkspaceRolledBack",
                "{\"started_seq\":%u,\"outcome\":\"%s\",\"invalidated\":[%s],\"revalidated\":[%s],"
                "\"steps\":[%s]}",
                w->rolling, done ? "done" : "abandoned", numbers[0], numbers[1], steps);
        check_ok(w->h, history_commit(w->h), __FILE__, __LINE__);
        if (done)
                w->undo = w->rolling_safety;
        w->rolling = 0;
}

/* In any order that can be. */
static void change_workspace(struct world *w, unsigned run)
{
        if (!w->started[run])
                return;
        if (w->rolling || (w->undo && below(w, 2)))
                run = w->undo_run; /* by its owner */
        choose_run(w, run);
        if (w->rolling) {
                end_rollback(w);
                return;
        }
        if (w->undo && run == w->undo_run && below(w, 3) == 0) {
                start_rollback(w, run, true);
                return;
        }
        switch (w->checkpoints ? below(w, 6) : 0) {
        case 0:
        case 1:
                add_checkpoint(w, ONE_OF(w, "", ",\"description\":\"d\"", ",\"safety\":true"));
                break;
        case 2:
                history_add(w->h, "CheckpointInvalidated", "{\"n\":%u,\"reason\":\"x\"}",
                        1 + below(w, w->checkpoints));
                break;
        case 3:
                history_add(w->h, "CheckpointUpdated", "{\"n\":%u,%s}",
                        1 + below(w, w->checkpoints),
                        ONE_OF(w, "\"pinned\":true", "\"pinned\":false", "\"valid\":true"));
                break;
        default:
                start_rollback(w, run, false);
                return;
        }
        check_ok(w->h, history_commit(w->h), __FILE__, __LINE__);
}

/* What old sessions said goes, and is missed by no replay. */
static void prune(struct world *w)
{
        pawl_prune_report *report;

        check_ok(w->h, pawl_session_prune(&report, w->h->log, below(w, 4), false, NULL, &w->h->err),
                __FILE__, __LINE__);
        pawl_prune_report_free(report);
        memset(w->sessions, 0, sizeof w->sessions);
}

/* Now and then another handle appends without a state, or this one is opened again. */
static void change_hands(struct world *w)
{
        struct history *h = w->h;

        if (below(w, 6))
                return;
        history_reopen(h, 0);
        if (below(w, 2)) {
                choose_run(w, 0);
                h->run = NULL;
                add_glossary(w);
                check_ok(h, history_commit(h), __FILE__, __LINE__);
        }
        history_attach(h);
        for (unsigned run = 0; run < RUNS; run++)
                if (w->started[run]) {
                        choose_run(w, run);
                        check_ok(h, history_claim(h), __FILE__, __LINE__);
                }
}

static void tables_are_the_fold(struct history *h)
{
        if (pawl__replay_check(h->log, &h->err) == PAWL_OK)
                return;
        print_error("%s\n", h->err.message);
        fail();
}

static void tell(uint64_t seed)
{
        print_message("seed %llu\n", (unsigned long long)seed);
}

static void one_history(uint64_t seed)
{
        struct world w = {.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
        void *fixture;

        tell(seed);
        history_setup(&fixture);
        w.h = fixture;
        for (int i = 0; i < BATCHES; i++) {
                append_some(&w, below(&w, RUNS));
                if (below(&w, 2))
                        change_workspace(&w, below(&w, RUNS));
                change_hands(&w);
                if (below(&w, 8) == 0)
                        prune(&w);
                if (below(&w, 10) == 0)
                        tables_are_the_fold(w.h);
        }
        tables_are_the_fold(w.h);

        char *before = history_replay(w.h, NULL), *again = history_replay(w.h, NULL);
        assert_string_equal(before, again);
        history_sql(w.h, "DELETE FROM runs; DELETE FROM steps; DELETE FROM checkpoints; "
                         "DELETE FROM conflicts; DELETE FROM senses; DELETE FROM scopes; "
                         "DELETE FROM sessions; DELETE FROM rollbacks; "
                         "DELETE FROM workspace_checkpoints");
        assert_int_equal(pawl__replay_check(w.h->log, &w.h->err), PAWL_EDAMAGED);
        assert_ok(pawl__state_rebuild(w.h->log, &w.h->err));
        tables_are_the_fold(w.h);
        append_some(&w, 0);
        tables_are_the_fold(w.h);
        history_teardown(&fixture);
}

UNIT_TEST(the_tables_are_always_the_fold_of_the_events)
{
        const char *seed = getenv("PAWL_TEST_SEED");

        if (seed) {
                one_history(strtoull(seed, NULL, 10));
                return;
        }
        for (uint64_t i = 1; i <= HISTORIES; i++)
                one_history(i);
}

/* What a program that links the library can list. */
#include "support/pipeline.h"
#include <pawl/query.h>
#include <unistd.h>

/* A run of mission "m" that is held at step "s" by "workspace". */
static void block(struct piped *p)
{
        assert_int_equal(
                piped_critical(p, "s", "{\"description\":\"Refunds land in the workspace\"}"),
                PAWL_BLOCKED);
}

PIPED_TEST(a_run_is_listed_as_it_stands)
{
        pawl_runs *runs;

        assert_ok(pawl_run_list(&runs, p->log, NULL, 0, &p->err));
        assert_int_equal(runs->n, 0);
        pawl_runs_free(runs);
        block(p);
        assert_ok(pawl_run_list(&runs, p->log, NULL, 0, &p->err));
        assert_int_equal(runs->n, 1);
        assert_text(runs->items[0].run_id, "r");
        assert_text(runs->items[0].mission_id, "m");
        assert_text(runs->items[0].status, "running"); /* this process owns it */
        assert_int_equal(runs->items[0].owner_pid, getpid());
        assert_text(runs->items[0].current_step, "s");
        assert_text(runs->items[0].retry_token, p->token);
        assert_int_equal(runs->items[0].open_conflicts, 1);
        pawl_runs_free(runs);
        piped_reopen(p);
        assert_ok(pawl_run_list(&runs, p->log, "blocked", 5, &p->err));
        assert_int_equal(runs->n, 1);
        assert_int_equal(runs->items[0].owner_pid, 0);
        pawl_runs_free(runs);
        runs = (pawl_runs *)p;
        assert_int_equal(pawl_run_list(&runs, p->log, "asleep", 0, &p->err), PAWL_EINVAL);
        assert_says(p->err.message, "status asleep: is not known; give queued, running");
        assert_ptr_equal(runs, p);
}

PIPED_TEST(an_open_conflict_is_listed_until_it_is_answered)
{
        pawl_conflicts *list;

        block(p);
        assert_ok(pawl_conflict_list(&list, p->log, NULL, false, &p->err));
        assert_int_equal(list->n, 1);
        const pawl_conflict_info *info = &list->items[0];
        assert_text(info->conflict.conflict_id, piped_conflict(p, 0));
        assert_text(info->conflict.term, "workspace");
        assert_text(info->conflict.conflict_type, "ambiguous");
        assert_int_equal(info->conflict.n_candidates, 2);
        assert_text(info->run_id, "r");
        assert_text(info->step_id, "s");
        assert_text(info->retry_token, p->token);
        assert_text(info->status, "open");
        assert_int_equal(info->resolved_seq, 0);
        assert_ok(piped_define(p, info->conflict.conflict_id.data, "Where refunds land"));
        pawl_conflicts_free(list);
        assert_ok(pawl_conflict_list(&list, p->log, "r", false, &p->err));
        assert_int_equal(list->n, 0);
        pawl_conflicts_free(list);
        assert_ok(pawl_conflict_list(&list, p->log, "r", true, &p->err));
        assert_int_equal(list->n, 1);
        assert_text(list->items[0].status, "resolved");
        assert_int_equal(list->items[0].resolved_seq, piped_head(p));
        pawl_conflicts_free(list);
        assert_ok(pawl_conflict_list(&list, p->log, "other", true, &p->err));
        assert_int_equal(list->n, 0);
        pawl_conflicts_free(list);
}

static size_t count(const pawl_senses *senses, const char *surface, const char *scope)
{
        size_t n = 0;

        for (size_t i = 0; i < senses->n; i++)
                n += pawl__text_is(senses->items[i].sense.surface, surface) &&
                     pawl__text_is(senses->items[i].sense.scope, scope);
        return n;
}

PIPED_TEST(senses_are_those_of_the_run_and_its_answers)
{
        pawl_senses *senses;

        block(p);
        assert_ok(pawl_sense_list(&senses, p->log, "r", &p->err));
        assert_int_equal(senses->n, 3); /* of the seed */
        assert_text(senses->items[0].source, "seed_file");
        pawl_senses_free(senses);
        assert_ok(piped_define(p, piped_conflict(p, 0), "Where refunds land"));
        assert_ok(pawl_sense_list(&senses, p->log, "r", &p->err));
        assert_int_equal(count(senses, "workspace", "mission_local"), 1);
        pawl_senses_free(senses);
        assert_ok(pawl_sense_list(&senses, p->log, NULL, &p->err));
        assert_true(senses->n >= 3);
        assert_int_equal(count(senses, "workspace", "mission_local"), 0);
        pawl_senses_free(senses);
        senses = (pawl_senses *)p;
        assert_int_equal(pawl_sense_list(&senses, p->log, "other", &p->err), PAWL_ENOTFOUND);
        assert_says(p->err.message, "run other: is not in this log; `pawl runs` lists them");
        assert_ptr_equal(senses, p);
}

PIPED_TEST(one_run_is_found_by_its_id_or_the_start_of_it)
{
        pawl_runs *runs = (pawl_runs *)p;

        pawl_context_free(p->ctx);
        for (int i = 0; i < 2; i++) {
                assert_ok(pawl_context_new(
                        &p->ctx, "m", i ? "release-12" : "release-1", "s", &p->err));
                assert_ok(piped_run(p));
                pawl_context_free(p->ctx);
        }
        p->ctx = NULL;
        assert_int_equal(pawl_run_find(&runs, p->log, "rele", &p->err), PAWL_EINVAL);
        assert_int_equal(pawl_run_find(&runs, p->log, "other", &p->err), PAWL_ENOTFOUND);
        assert_ptr_equal(runs, p);
        /* the whole id of a run is that run, whatever begins so too */
        assert_ok(pawl_run_find(&runs, p->log, "release-1", &p->err));
        assert_int_equal(runs->n, 1);
        assert_text(runs->items[0].run_id, "release-1");
        assert_text(runs->items[0].mission_id, "m");
        pawl_runs_free(runs);
        assert_ok(pawl_run_find(&runs, p->log, "release-12", &p->err));
        assert_text(runs->items[0].run_id, "release-12");
        pawl_runs_free(runs);
}

PIPED_TEST(the_steps_of_a_run_are_listed_with_inputs_and_outputs)
{
        pawl_steps *steps = (pawl_steps *)p;

        assert_int_equal(pawl_step_list(&steps, p->log, "r", true, &p->err), PAWL_ENOTFOUND);
        assert_ptr_equal(steps, p);
        assert_ok(piped_critical(p, "done", "{\"b\":2,\"a\":1}"));
        assert_ok(piped_complete(p, "[42]"));
        assert_ok(piped_critical(p, "running", "{}"));
        block(p);
        assert_ok(pawl_step_list(&steps, p->log, "r", true, &p->err));
        assert_int_equal(steps->n, 3);
        const pawl_step_info *s = steps->items;
        assert_text(s[0].step_id, "done");
        assert_text(s[0].status, "completed");
        assert_text(s[0].inputs, "{\"a\":1,\"b\":2}");
        assert_text(s[0].output, "[42]");
        assert_int_equal(s[0].input_hash.len, 64);
        assert_int_equal(s[0].output_hash.len, 64);
        assert_int_equal(s[0].exit_code, 0);
        assert_text(s[1].status, "running");
        assert_text(s[1].cursor, "post_gate");
        assert_null(s[1].output.data);
        assert_int_equal(s[1].exit_code, -1);
        assert_text(s[2].status, "blocked");
        assert_text(s[2].retry_token, p->token);
        assert_true(s[2].checkpoint_seq > 0);
        assert_null(s[2].blocked_by.data); /* the gate does, not a layer */
        pawl_steps_free(steps);
        assert_ok(pawl_step_list(&steps, p->log, "r", false, &p->err));
        assert_null(steps->items[0].inputs.data);
        assert_null(steps->items[0].output.data);
        pawl_steps_free(steps);
        piped_reopen(p);
        assert_ok(pawl_step_list(&steps, p->log, "r", false, &p->err));
        assert_text(steps->items[1].status, "unfinished");
        pawl_steps_free(steps);
        pawl_steps_free(NULL);
}

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

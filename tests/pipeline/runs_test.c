/* Whose a run is, how it ends, and several of them in one pipeline. */
#include "support/claims.h"
#include "support/pipeline.h"

static const char plain[] = "{\"description\":\"the tenant pays\"}";

PIPED_TEST(a_run_that_another_holds_is_left_alone)
{
        struct piped other = *p;

        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        other.log = NULL;
        other.pipeline = NULL;
        other.ctx = NULL;
        other.text = NULL;
        assert_ok(pawl_log_open(&other.log, p->db, &p->log_options, &p->err));
        piped_pipeline(&other);
        assert_int_equal(piped_critical(&other, "t", plain), PAWL_EHELD);
        assert_says(pawl_pipeline_errmsg(other.pipeline), "r");
        assert_int_equal(piped_complete(&other, "1"), PAWL_ESTATE);
        assert_int_equal(piped_head(p), head);

        /* once it is given back, the other gets it, and the former owner is refused */
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        assert_ok(piped_critical(&other, "t", plain));
        pawl_context_free(other.ctx);
        pawl_pipeline_free(other.pipeline);
        pawl_log_close(other.log);
}

PIPED_TEST(a_run_belongs_to_one_mission_and_ends_once)
{
        assert_ok(piped_critical(p, "s", plain));
        assert_ok(piped_complete(p, "1"));
        for (int reopened = 0; reopened < 2; reopened++) {
                uint64_t head = piped_head(p);
                pawl_context_free(p->ctx);
                assert_ok(pawl_context_new(&p->ctx, "other", "r", "t", NULL));
                assert_int_equal(piped_run(p), PAWL_EINVAL);
                assert_says(pawl_pipeline_errmsg(p->pipeline),
                        "run r: is one of mission m, not of other");
                assert_int_equal(piped_head(p), head);
                piped_reopen(p);
        }
        assert_int_equal(pawl_pipeline_renew(p->pipeline, "r"), PAWL_ESTATE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "has not claimed it");
        assert_ok(piped_critical(p, "t", plain));
        assert_ok(piped_complete(p, "1"));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
        uint64_t head = piped_head(p);
        assert_int_equal(piped_critical(p, "u", plain), PAWL_ESTATE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "run r: has completed");
        assert_int_equal(piped_head(p), head);
}

PIPED_TEST(a_run_may_end_failed_and_go_on_later)
{
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", "gave up"));
        assert_string_equal(piped_types(p, head), "RunFailed");
        assert_holds(pawl__text(piped_payload(p, "RunFailed", head, 0)), "\"reason\":\"gave up\"");
        assert_ok(piped_critical_resume(p, "s", plain));
}

PIPED_TEST(one_pipeline_writes_to_several_runs)
{
        pawl_context *other;

        p->options.defer_completion = true;
        piped_pipeline(p);
        assert_ok(pawl_context_new(&other, "m2", "r2", "s", NULL));
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        assert_ok(piped_complete(p, "1"));
        assert_ok(pawl_pipeline_run(p->pipeline, other));
        assert_string_equal(piped_types(p, head),
                "SemanticCheckEvaluated StepCompleted RunClaimed RunStarted " TYPES_CHECKED);
        assert_ok(pawl_pipeline_complete(p->pipeline, other, "2", 1));
        assert_ok(piped_critical(p, "t", plain));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r2", NULL));
        assert_ok(piped_complete(p, "1"));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
        pawl_context_free(other);
}

/* What waits for one run is appended, though another process took the other one meanwhile. */
static void a_run_that_is_lost_takes_nothing_from_another(struct piped *p, bool lost_first)
{
        pawl_context *lost;
        pawl_log *thief;
        uint64_t fence;

        needs_file(); /* a server's leases are by its clock */
        p->options.defer_completion = true;
        piped_pipeline(p);
        assert_ok(pawl_context_new(&lost, "m2", "r2", "s", NULL));
        if (lost_first)
                assert_ok(pawl_pipeline_run(p->pipeline, lost));
        assert_ok(piped_critical(p, "s", plain));
        if (!lost_first) {
                assert_ok(pawl_pipeline_run(p->pipeline, lost));
                assert_ok(piped_critical(p, "t", plain));
        }
        uint64_t head = piped_head(p);
        assert_ok(piped_complete(p, "1"));

        assert_ok(pawl_log_open(&thief, p->db, &p->log_options, &p->err));
        claims_elsewhere(thief);
        assert_int_equal(pawl_log_claim(&fence, thief, "m2", "r2", "user:eve", NULL), PAWL_EHELD);
        p->counted.passed_ms += 60000;
        assert_ok(pawl_log_claim(&fence, thief, "m2", "r2", "user:eve", NULL));
        pawl_log_close(thief);
        assert_int_equal(pawl_pipeline_renew(p->pipeline, "r2"), PAWL_EFENCED);

        if (pawl_pipeline_flush(p->pipeline))
                fail_msg("%s", pawl_pipeline_errmsg(p->pipeline));
        assert_string_equal(
                piped_types(p, head), "RunClaimed SemanticCheckEvaluated StepCompleted");
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", "enough"));
        pawl_context_free(lost);
}

PIPED_TEST(a_run_that_is_lost_first)
{
        a_run_that_is_lost_takes_nothing_from_another(p, true);
}

PIPED_TEST(a_run_that_is_lost_last)
{
        a_run_that_is_lost_takes_nothing_from_another(p, false);
}

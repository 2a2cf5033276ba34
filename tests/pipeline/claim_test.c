/* The pipeline's claim on a run: lost, raced for, kept while the log cannot be written. */
#include "pipeline/object.h"
#include "support/claims.h"
#include "support/pipeline.h"
#include <sqlite3.h>
#include <unistd.h>

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

static void sql(struct piped *p, const char *statement)
{
        sqlite3 *db;

        needs_file();
        assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, statement, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
}

/* Another process takes the run, as it may when the lease has run out, and gives it back. */
static void take_over(struct piped *p)
{
        pawl_log *other;
        uint64_t fence;

        sql(p, "UPDATE leases SET held = 0");
        assert_ok(pawl_log_open(&other, p->db, &p->log_options, &p->err));
        assert_ok(pawl_log_claim(&fence, other, "m", "r", "user:ben", NULL));
        assert_ok(pawl_log_release(other, "r", fence));
        pawl_log_close(other);
}

PIPED_TEST(a_pipeline_that_lost_its_claim_writes_nothing_more_under_it)
{
        assert_ok(piped_critical(p, "s", plain));
        take_over(p);
        uint64_t head = piped_head(p);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1), PAWL_EFENCED);
        assert_int_equal(piped_head(p), head);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1), PAWL_ESTATE);
        /* a new pass claims anew, and goes on at the command */
        assert_ok(piped_resume(p, "s", plain));
        assert_string_equal(piped_types(p, head), "RunClaimed StepResumed");
        assert_ok(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1));
}

PIPED_TEST(a_completion_that_waits_goes_with_the_claim)
{
        p->options.defer_completion = true;
        piped_pipeline(p);
        assert_ok(piped_critical(p, "s", plain));
        assert_ok(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1));
        take_over(p);
        assert_int_equal(piped_critical(p, "t", plain), PAWL_EFENCED);
        assert_int_equal(pawl__pipeline_batch(p->pipeline)->n, 0);
        assert_string_equal(piped_status(p, "s"), "running");
}

PIPED_TEST(an_adopted_claim_that_is_lost_stays_with_its_owner)
{
        pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX];
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__glossary *senses;
        uint64_t fence;

        assert_ok(piped_critical(p, "s", plain));
        piped_reopen(p);
        assert_ok(pawl__glossary_new(&senses, NULL));
        pawl__pipeline_use_glossary(p->pipeline, senses, refs, piped_refs(p, refs, &arena), NULL);
        assert_ok(pawl_log_claim(&fence, p->log, "m", "r", "user:ana", NULL));
        pawl__pipeline_adopt(p->pipeline, pawl__text("r"), pawl__text("x"), fence);
        /* adopted again under another fence, as after a renewal that failed */
        pawl__pipeline_adopt(p->pipeline, pawl__text("r"), pawl__text("x"), fence);
        assert_ok(piped_critical(p, "t", plain));
        take_over(p);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1), PAWL_EFENCED);
        assert_int_equal(piped_critical(p, "u", plain), PAWL_EFENCED);
        pawl_context_free(p->ctx);
        p->ctx = NULL;
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        pawl__glossary_free(senses);
        pawl__arena_free(&arena);
}

/* The first look at the clock, between our look at the run and our claim, gives another time to
 * start and end it. */
struct racing {
        struct piped *p;
        pawl_log_options options;
        int64_t (*wall_us)(void *user);
        void *user;
        bool done;
};

static int64_t race(void *user)
{
        struct racing *r = user;
        struct piped other = {.db = r->p->db, .seed = r->p->seed, .options = r->p->options};

        if (!r->done) {
                r->done = true;
                assert_ok(pawl_log_open(&other.log, other.db, &r->options, &other.err));
                piped_pipeline(&other);
                assert_ok(piped_critical(&other, "first", plain));
                pawl_context_free(other.ctx);
                pawl_pipeline_free(other.pipeline);
                pawl_log_close(other.log);
        }
        return r->wall_us(r->user);
}

static int64_t boot(void *user)
{
        (void)user;
        return 1000;
}

static void count_up(char out[37], void *user)
{
        struct racing *r = user;

        r->options.sources.uuid(out, r->options.sources.user);
}

PIPED_TEST(a_run_that_another_started_meanwhile_is_joined)
{
        struct racing r = {.p = p,
                .options = p->log_options,
                .wall_us = p->log_options.sources.wall_us,
                .user = p->log_options.sources.user};

        p->log_options.sources = (pawl_sources){race, boot, count_up, &r};
        piped_reopen(p);
        assert_false(r.done);
        assert_ok(piped_critical(p, "s", plain));
        assert_true(r.done);
        assert_string_equal(piped_types(p, 0),
                "RunClaimed RunStarted GlossaryScopeActivated GlossarySenseUpdated "
                "GlossarySenseUpdated GlossarySenseUpdated StepStarted SemanticCheckEvaluated "
                "StepCheckpointed RunClaimed StepStarted SemanticCheckEvaluated StepCheckpointed");
}

PIPED_TEST(a_process_that_died_loses_its_claim_at_once)
{
        /* a log does not survive fork(): the child opens its own */
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        pawl_log_close(p->log);
        p->log = NULL;
        pid_t pid = fork();
        if (pid == 0) {
                if (pawl_log_open(&p->log, p->db, &p->log_options, &p->err) ||
                        pawl_pipeline_new(&p->pipeline, p->log, &p->options, &p->err))
                        _exit(99);
                piped_context(p, "s", plain);
                _exit(pawl_pipeline_run(p->pipeline, p->ctx) ? 98 : 0); /* at its command */
        }
        child_exits(pid, 0);
        p->counted.uuids = 100; /* the child's are taken */
        piped_reopen(p);
        strcpy(p->token, "00000000-0000-4000-8000-000000000001");
        uint64_t head = piped_head(p);
        assert_ok(piped_resume(p, "s", plain));
        assert_string_equal(piped_types(p, head), "RunClaimed StepResumed");
        assert_string_equal(
                pawl_context_retry_token(p->ctx), "00000000-0000-4000-8000-000000000001");
}

PIPED_TEST(a_long_generation_keeps_its_run_as_long_as_it_renews)
{
        pawl_log *other;
        uint64_t fence;

        needs_file(); /* a server's leases are by its clock */
        assert_int_equal(pawl_pipeline_renew(p->pipeline, "r"), PAWL_ESTATE);
        assert_string_equal(pawl_pipeline_errmsg(p->pipeline),
                "run r: this pipeline has not claimed it; pass a step of it first");
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        assert_ok(pawl_log_open(&other, p->db, &p->log_options, &p->err));
        for (int i = 0; i < 3; i++) {
                p->counted.passed_ms += 29000;
                assert_ok(pawl_pipeline_renew(p->pipeline, "r"));
        }
        p->counted.passed_ms += 29000;
        assert_int_equal(pawl_log_claim(&fence, other, "m", "r", "user:ben", NULL), PAWL_EHELD);
        assert_int_equal(piped_head(p), head);
        claims_elsewhere(other);
        assert_int_equal(pawl_log_claim(&fence, other, "m", "r", "user:ben", NULL), PAWL_EHELD);
        p->counted.passed_ms += 30001;
        assert_ok(pawl_log_claim(&fence, other, "m", "r", "user:ben", NULL));
        assert_int_equal(pawl_pipeline_renew(p->pipeline, "r"), PAWL_EFENCED);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1), PAWL_ESTATE);
        assert_string_equal(piped_types(p, head), "RunClaimed");
        pawl_log_close(other);
}

PIPED_TEST(what_cannot_be_written_now_may_be_later)
{
        sqlite3 *lock;

        p->log_options.busy_ms = 20;
        piped_reopen(p);
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        needs_file();
        assert_int_equal(sqlite3_open(p->db, &lock), SQLITE_OK);
        assert_int_equal(sqlite3_exec(lock, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(pawl_pipeline_failed(p->pipeline, p->ctx, 1, "late"), PAWL_EBUSY);
        assert_int_equal(pawl_pipeline_end_run(p->pipeline, "r", "late"), PAWL_EBUSY);
        assert_true(pawl_pipeline_errmsg(p->pipeline)[0]);
        sqlite3_close(lock);
        assert_int_equal(piped_head(p), head);
        assert_ok(pawl_pipeline_flush(p->pipeline));
        assert_int_equal(piped_head(p), head);
        assert_ok(pawl_pipeline_failed(p->pipeline, p->ctx, 1, "late"));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", "late"));
        assert_string_equal(piped_types(p, head), "StepFailed RunFailed");
}

static pawl_status refuse(const pawl_layer *layer, pawl_context *ctx)
{
        (void)layer;
        return pawl_context_fail(ctx, PAWL_EIO, "refused");
}

PIPED_TEST(a_completion_that_waits_survives_a_pass_that_fails)
{
        const pawl_layer mine = {"mine", refuse, NULL};

        p->options.defer_completion = true;
        piped_pipeline(p);
        assert_ok(piped_critical(p, "s", plain));
        uint64_t head = piped_head(p);
        assert_ok(pawl_pipeline_complete(p->pipeline, p->ctx, "[1]", 3));
        assert_ok(pawl_pipeline_add_after(p->pipeline, "generation_gate", &mine));
        assert_int_equal(piped_critical(p, "t", ambiguous), PAWL_EIO);
        assert_int_equal(piped_head(p), head);
        assert_ok(pawl_pipeline_flush(p->pipeline));
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted");
        assert_int_equal(piped_critical(p, "s", plain), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "[1]");
}

PIPED_TEST(a_log_that_is_only_read_takes_no_answer_and_no_pass)
{
        pawl_answer pick = {.pick = 1};
        char conflict[17];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        p->log_options.flags = PAWL_LOG_READONLY;
        piped_reopen(p);
        uint64_t head = piped_head(p);
        assert_int_equal(
                pawl_conflict_resolve(p->log, conflict, &pick, NULL, &p->err), PAWL_EREADONLY);
        assert_says(p->err.message, "reading only");
        assert_int_equal(piped_critical(p, "t", plain), PAWL_EREADONLY);
        assert_int_equal(piped_resume(p, "s", ambiguous), PAWL_EREADONLY);
        assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1), PAWL_ESTATE);
        assert_int_equal(piped_head(p), head);
}

PIPED_TEST(a_run_names_at_most_four_scopes)
{
        pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX + 1] = {{{NULL, 0}, {NULL, 0}}};

        assert_ok(piped_critical(p, "s", plain));
        pawl__claim *claim = pawl__claim_find(p->pipeline, pawl__text("r"));
        const pawl__glossary *before = claim->glossary;
        assert_int_equal(pawl__claim_reload(p->pipeline, claim, refs, 5, &p->err), PAWL_ETOOBIG);
        assert_says(p->err.message, "run r: names 5 scopes; a run has at most 4");
        assert_ptr_equal(claim->glossary, before);
        assert_int_equal(claim->n_refs, 1);
}

/* Layer 5 where the log does not hold what a checkpoint depends on, and where scopes differ. That
 * which goes well is in chain_test.c. */
#include "pipeline/object.h"
#include "pipeline/resume.h"
#include "support/left_logs.h"
#include "support/pipeline.h"
#include <sqlite3.h>

#define VERSION "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

/* What no program does: change the log behind its back. */
static void tamper(struct piped *p, const char *sql)
{
        sqlite3 *db;

        needs_file();
        log_damaged(p->db);
        assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
        assert_int_equal(
                sqlite3_exec(db, "DROP TRIGGER events_refuse_update", NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
        assert_true(sqlite3_changes(db) > 0);
        sqlite3_close(db);
        p->damaged = true;
}

static pawl_status run(struct piped *p, const char *inputs, const char *strictness)
{
        piped_context(p, "s", inputs);
        pawl_context_set_critical(p->ctx, true);
        if (strictness)
                assert_ok(pawl_context_set_strictness(p->ctx, strictness));
        return piped_run(p);
}

UNIT_TEST_OF(what_a_checkpoint_rests_on_must_be_there, piped_setup, piped_teardown, NULL)
{
        struct piped *p = *state;
        static const struct {
                const char *sql;
                pawl_status status;
                const char *says;
        } cases[] = {
                {"DELETE FROM steps", PAWL_EDAMAGED, "step s: has a checkpoint but no state"},
                {"UPDATE checkpoints SET evaluated_seq = 999", PAWL_EDAMAGED,
                        "the check it rests on, seq 999, is not in the log"},
                {"UPDATE events SET payload = NULL WHERE type = 'SemanticCheckEvaluated'",
                        PAWL_ESTATE, "its payload was pruned; start step s again without a token"},
                {"UPDATE events SET payload = '{' WHERE type = 'SemanticCheckEvaluated'",
                        PAWL_EPARSE, "(SemanticCheckEvaluated): line 1"},
                {"UPDATE events SET payload = '{\"findings\":[{}]}' WHERE type = "
                 "'SemanticCheckEvaluated'",
                        PAWL_EINVAL, "(SemanticCheckEvaluated): "},
                {"UPDATE events SET payload = '{}' WHERE type = 'StepCheckpointed'", PAWL_EDAMAGED,
                        "checkpoint 00000000-"},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                if (i) {
                        assert_int_equal(piped_teardown(state), 0);
                        assert_int_equal(piped_setup(state), 0);
                        p = *state;
                }
                assert_int_equal(run(p, ambiguous, NULL), PAWL_BLOCKED);
                tamper(p, cases[i].sql);
                uint64_t head = piped_head(p);
                assert_int_equal(piped_resume(p, "s", ambiguous), cases[i].status);
                assert_says(pawl_pipeline_errmsg(p->pipeline), cases[i].says);
                assert_int_equal(piped_head(p), head);
                assert_int_equal(pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1), PAWL_ESTATE);
        }
}

UNIT_TEST_OF(an_output_that_is_lost_or_changed_is_not_given_out, piped_setup, piped_teardown, NULL)
{
        struct piped *p = *state;
        static const struct {
                const char *sql, *says;
        } cases[] = {
                {"DELETE FROM blobs", "its recorded output"},
                {"UPDATE blobs SET content = x'31'", ""},
        };

        for (size_t i = 0; i < 2; i++) {
                for (int completed = 0; completed < 2; completed++) {
                        assert_int_equal(piped_teardown(state), 0);
                        assert_int_equal(piped_setup(state), 0);
                        p = *state;
                        p->options.store_inputs = false;
                        piped_pipeline(p);
                        assert_ok(run(p, plain, completed ? NULL : "max"));
                        assert_int_equal(pawl_pipeline_complete(
                                                 p->pipeline, p->ctx, "\"the workspace\"", 15),
                                completed ? PAWL_OK : PAWL_BLOCKED);
                        memcpy(p->token, pawl_context_retry_token(p->ctx), sizeof p->token);
                        tamper(p, cases[i].sql);
                        uint64_t head = piped_head(p);
                        assert_int_equal(piped_resume(p, "s", plain), PAWL_EDAMAGED);
                        assert_says(pawl_pipeline_errmsg(p->pipeline), cases[i].says);
                        assert_null(pawl_context_output(p->ctx).data);
                        assert_int_equal(piped_head(p), head);
                }
        }
}

PIPED_TEST(kept_inputs_that_were_changed_are_not_compared)
{
        assert_ok(run(p, plain, NULL));
        tamper(p, "UPDATE blobs SET content = x'31'");
        uint64_t head = piped_head(p);
        assert_int_equal(piped_resume(p, "s", ambiguous), PAWL_EDAMAGED);
        assert_null(pawl_context_input_diff(p->ctx));
        assert_int_equal(piped_head(p), head);
}

PIPED_TEST(a_newer_checkpoint_that_is_damaged_is_not_passed_over)
{
        char blocked[37];

        assert_int_equal(run(p, ambiguous, NULL), PAWL_BLOCKED);
        memcpy(blocked, p->token, sizeof blocked);
        assert_ok(piped_define(p, piped_conflict(p, 0), "Here"));
        assert_ok(piped_resume(p, "s", ambiguous));
        tamper(p, "UPDATE events SET payload = '{}' WHERE seq = (SELECT max(seq) FROM events)");
        uint64_t head = piped_head(p);
        memcpy(p->token, blocked, sizeof p->token);
        assert_int_equal(piped_resume(p, "s", ambiguous), PAWL_EDAMAGED);
        assert_int_equal(piped_head(p), head);
}

/* A runner that brings its own senses, of no seed: the checkpoint's versions are loaded instead. */
PIPED_TEST(the_scopes_of_the_checkpoint_are_taken_up)
{
        pawl__glossary *none;
        pawl_owner owner;
        uint64_t fence;

        assert_int_equal(run(p, ambiguous, NULL), PAWL_BLOCKED);
        piped_reopen(p);
        assert_ok(pawl__glossary_new(&none, NULL));
        assert_ok(pawl_log_claim(&fence, p->log, "m", "r", "user:ana", &owner));
        pawl__pipeline_adopt(p->pipeline, pawl__text("r"), pawl__text("session-1"), fence);
        pawl__pipeline_use_glossary(p->pipeline, none, NULL, 0, NULL);
        uint64_t head = piped_head(p);
        assert_int_equal(piped_resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_int_equal(pawl_context_conflict(p->ctx, 0)->n_candidates, 2);
        assert_text(p->ctx->session_id, "session-1");
        assert_holds(pawl__text(piped_payload(p, "StepCheckpointed", head, 0)), "team_domain");
        assert_int_equal(pawl__glossary_count(none), 0);
        pawl_context_free(p->ctx);
        p->ctx = NULL;
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        pawl__glossary_free(none);
}

PIPED_TEST(an_adopted_run_uses_the_senses_it_was_lent)
{
        pawl__glossary *own;
        pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX];
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__sense sense = {.surface = pawl__text("workspace"),
                .definition = pawl__text("Lent"),
                .scope = PAWL__TEAM_DOMAIN,
                .confidence = 1,
                .status = PAWL__ACTIVE};

        assert_ok(run(p, plain, NULL));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", "enough"));
        piped_reopen(p);
        pawl_owner owner;
        uint64_t fence;
        assert_ok(pawl__glossary_new(&own, NULL));
        assert_ok(pawl__glossary_add(own, &sense, NULL));
        assert_ok(pawl_log_claim(&fence, p->log, "m", "r", "user:ana", &owner));
        pawl__pipeline_adopt(p->pipeline, pawl__text("r"), pawl__text("session-1"), fence);
        pawl__pipeline_use_glossary(p->pipeline, own, refs, piped_refs(p, refs, &arena), NULL);
        uint64_t head = piped_head(p);
        piped_context(p, "t", ambiguous);
        pawl_context_set_critical(p->ctx, true);
        assert_ok(piped_run(p));
        assert_string_equal(
                piped_types(p, head), "StepStarted SemanticCheckEvaluated StepCheckpointed");
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", "enough"));
        /* the claim is the caller's: it still holds */
        assert_ok(pawl_log_renew(p->log, "r", fence));
        pawl__arena_free(&arena);
        pawl_context_free(p->ctx);
        p->ctx = NULL;
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        pawl__glossary_free(own);
}

/* The same scope in another version, as a seed that was changed under the runner. */
PIPED_TEST(another_version_of_a_scope_is_not_taken_for_it)
{
        pawl__scope_ref ref = {pawl__text("team_domain"), pawl__text(VERSION)};
        pawl__glossary *other;
        uint64_t fence;

        assert_int_equal(run(p, ambiguous, NULL), PAWL_BLOCKED);
        piped_reopen(p);
        assert_ok(pawl__glossary_new(&other, NULL));
        assert_ok(pawl_log_claim(&fence, p->log, "m", "r", "user:ana", NULL));
        pawl__pipeline_adopt(p->pipeline, pawl__text("r"), pawl__text("x"), fence);
        pawl__pipeline_use_glossary(p->pipeline, other, &ref, 1, NULL);
        assert_int_equal(piped_resume(p, "s", ambiguous), PAWL_BLOCKED);
        assert_int_equal(pawl_context_conflict(p->ctx, 0)->n_candidates, 2);
        pawl_context_free(p->ctx);
        p->ctx = NULL;
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        pawl__glossary_free(other);
}

/* The chain looks before it claims; a step that another completes right then is seen by the layer.
 */
PIPED_TEST(the_layer_itself_gives_the_output_of_a_step_that_completed)
{
        assert_ok(run(p, plain, NULL));
        assert_ok(pawl_pipeline_complete(p->pipeline, p->ctx, "[42]", 4));
        uint64_t head = piped_head(p);
        piped_context(p, "s", plain);
        assert_ok(pawl_context_set_retry_token(p->ctx, p->token));
        pawl__pipeline_attach(p->pipeline, p->ctx);
        assert_ok(pawl__resume_load(p->ctx, pawl__text(p->token)));
        assert_int_equal(pawl__layer_resume.process(&pawl__layer_resume, p->ctx), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "[42]");
        assert_int_equal(pawl__pipeline_batch(p->pipeline)->n, 0);
        assert_int_equal(piped_head(p), head);
}

static pawl_status say_yes(bool *yes, const pawl_input_change *change, void *user)
{
        (void)user;
        assert_string_equal(change->diff, "");
        *yes = true;
        return PAWL_OK;
}

PIPED_TEST(inputs_are_not_kept_where_that_is_turned_off)
{
        pawl__buf blob = PAWL__BUF_INIT;
        unsigned char hash[32];

        p->options.store_inputs = false;
        p->options.confirm = say_yes;
        piped_pipeline(p);
        assert_ok(run(p, plain, NULL));
        assert_ok(piped_resume(p, "s", "{\"description\":\"otherwise\"}"));
        assert_true(pawl__unhex32(hash, pawl__text(pawl_context_input_hash(p->ctx))));
        assert_int_equal(pawl__log_blob(&blob, p->log, hash), PAWL_ENOTFOUND);
        pawl__buf_free(&blob);
}

PIPED_TEST(a_context_that_is_not_resumed_passes_the_layer)
{
        void *alone;

        assert_int_equal(alone_setup(&alone), 0);
        struct alone *made = alone;
        assert_ok(pawl__layer_resume.process(&pawl__layer_resume, made->ctx));
        assert_int_equal(made->batch.n, 0);
        alone_teardown(&alone);
}

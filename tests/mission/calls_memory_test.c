/*
 * Every allocation of what goes on with a run, and of what a program calls that embeds the library,
 * fails once: the call says so, leaks nothing, leaves the log true and the gate closed.
 */
#include "base/error.h"
#include "state/state.h"
#include "support/stories.h"
#include "support/sweep.h"
#include <pawl/checkpoint.h>
#include <pawl/pipeline.h>
#include <pawl/query.h>

struct calls {
        struct stories s;
        pawl_log *log;
        pawl_error err;
        char run_id[32]; /* another each time */
};

typedef pawl_status call(struct calls *c);

/* The message of a handle, where the call has no pawl_error. */
static pawl_status said(struct calls *c, pawl_status status, const char *message)
{
        if (status)
                (void)pawl__fail(&c->err, status, "%s", message);
        return status;
}

static void check_log(struct calls *c)
{
        pawl_verify_result verified;
        pawl__state *state;

        assert_ok(pawl_log_open(&c->s.f->log, c->s.f->db, NULL, &c->err));
        assert_ok(pawl_log_verify(&verified, c->s.f->log, 0, NULL));
        if (pawl__state_of(&state, c->s.f->log, &c->err) ||
                pawl__replay_check(c->s.f->log, &c->err))
                fail_msg("%s", c->err.message);
        stories_check_gate(&c->s);
        pawl_log_close(c->s.f->log);
        c->s.f->log = NULL;
}

/* Early allocations each, later ones by sample. */
static void sweep_call(struct calls *c, enum story story, call *what)
{
        for (sweep s = {.warm = 3, .spread = 32, .least = 2}; sweep_next(&s);) {
                stories_put_back(&c->s, story);
                snprintf(c->run_id, sizeof c->run_id, "call-%zu", s.rounds);
                c->err = (pawl_error)PAWL_ERROR_INIT;
                assert_ok(pawl_log_open(&c->log, c->s.f->db, NULL, &c->err));
                sweep_arm(&s);
                (void)sweep_done(&s, what(c), &c->err);
                pawl_log_close(c->log);
                check_log(c);
        }
}

/* ---- What is called ------------------------------------------------------------------------- */

static pawl_status resume(struct calls *c)
{
        pawl_run_result *result = NULL;
        pawl_status status =
                pawl_mission_resume(&result, c->log, c->s.token, &c->s.f->options, &c->err);

        pawl_run_result_free(result);
        return status;
}

/* The blocked step has other inputs, which is accepted, and a step more is there. */
static pawl_status resume_changed(struct calls *c)
{
        pawl_run_options options = c->s.f->options;
        pawl_run_result *result = NULL;

        options.rerun_changed = true;
        pawl_status status = pawl_mission_resume(&result, c->log, c->s.token, &options, &c->err);
        pawl_run_result_free(result);
        return status == PAWL_EINPUTS ? PAWL_OK : status;
}

/* Nobody says yes. */
static pawl_status refuse_changed(struct calls *c)
{
        pawl_run_result *result = NULL;
        pawl_status status =
                pawl_mission_resume(&result, c->log, c->s.token, &c->s.f->options, &c->err);

        pawl_run_result_free(result);
        return status == PAWL_EINPUTS ? PAWL_OK : status;
}

static pawl_status resolve(struct calls *c)
{
        const pawl_answer answer = {.define = pawl__text("Where refunds land.")};

        return pawl_conflict_resolve(c->log, c->s.conflict, &answer, "user:ana", &c->err);
}

/* In place of the answer of the story. */
static pawl_status resolve_again(struct calls *c)
{
        const pawl_answer answer = {.define = pawl__text("Where else they land."), .replace = true};

        return pawl_conflict_resolve(c->log, c->s.conflict, &answer, "user:ana", &c->err);
}

static pawl_status resolve_many(struct calls *c)
{
        const pawl_conflict_answer answers[] = {{c->s.conflict, {.dismiss = true}}};

        return pawl_conflicts_resolve(c->log, answers, 1, "user:ana", NULL, &c->err);
}

/* Put in line, then carried out in a directory. */
static pawl_status submit(struct calls *c)
{
        pawl_run_options options = c->s.f->options;
        pawl_run_result *result = NULL;
        char run_id[129], directory[300];

        snprintf(directory, sizeof directory, "%s/.pawl/slot", c->s.f->directory);
        options.run_id = c->run_id;
        options.directory = directory;
        pawl_status status =
                pawl_mission_submit(run_id, c->s.f->mission, c->log, &options, &c->err);
        if (!status) {
                assert_string_equal(run_id, c->run_id);
                status = pawl_mission_resume(&result, c->log, run_id, &options, &c->err);
        }
        pawl_run_result_free(result);
        return status == PAWL_BLOCKED ? PAWL_OK : status;
}

static pawl_status check(struct calls *c)
{
        char *json = NULL;
        size_t len = 0;
        pawl_status status =
                pawl_mission_check(&json, &len, c->s.f->mission, c->log, NULL, &c->err);

        pawl_free(json);
        return status == PAWL_BLOCKED ? PAWL_OK : status;
}

static pawl_status claim(struct calls *c)
{
        pawl_owner owner;
        unsigned char hash[32];
        uint64_t fence, seq;
        pawl_status status = pawl_log_claim(&fence, c->log, "m", c->run_id, "user:ana", &owner);

        if (!status)
                status = pawl_log_head(&seq, hash, c->log);
        if (!status)
                status = pawl_log_renew(c->log, c->run_id, fence);
        if (!status)
                status = pawl_log_renew_all(c->log);
        if (!status)
                status = pawl_log_release(c->log, c->run_id, fence);
        return said(c, status, pawl_log_errmsg(c->log));
}

/* A user's layer that looks around and emits an event, and holds nothing back. */
static pawl_status emit(const pawl_layer *layer, pawl_context *ctx)
{
        static const char payload[] = "{\"scope_id\":\"core\",\"glossary_version_id\":\"v1\"}";
        pawl_scopes scopes;
        pawl_terms terms;
        pawl_findings findings;
        pawl_glossary_terms told;
        pawl_status status = pawl_context_scopes(&scopes, ctx);

        if (!status)
                status = pawl_context_extracted_terms(&terms, ctx);
        if (!status)
                status = pawl_context_findings(&findings, ctx);
        if (!status)
                status = pawl_context_terms(&told, ctx);
        if (!status)
                status = pawl_context_emit(
                        ctx, "GlossaryScopeActivated", payload, sizeof payload - 1);

        (void)layer;
        return status == PAWL_ENOMEM ? pawl_context_fail(ctx, status, "layer: out of memory")
                                     : status;
}

static pawl_status step(
        struct calls *c, pawl_pipeline *pipeline, pawl_context **out, const char *step_id)
{
        static const char inputs[] = "{\"description\":\"the tenant pays\"}";
        static const char metadata[] = "{\"glossary_watch_terms\":[\"tenant\"]}";
        pawl_context *ctx = NULL;
        pawl_status status = pawl_context_new(&ctx, "m", c->run_id, step_id, &c->err);

        if (!status)
                status = pawl_context_set_inputs(ctx, inputs, sizeof inputs - 1);
        if (!status)
                status = pawl_context_set_metadata(ctx, metadata, sizeof metadata - 1);
        if (!status)
                status = pawl_context_set_critical(ctx, false);
        if (status && ctx)
                (void)said(c, status, pawl_context_errmsg(ctx));
        *out = ctx;
        if (status)
                return status;
        status = pawl_pipeline_run(pipeline, ctx);
        return said(c, status, pawl_pipeline_errmsg(pipeline));
}

/* One step that completes, its events kept back and flushed, and one that fails. */
static pawl_status embed_steps(struct calls *c, pawl_pipeline *pipeline)
{
        pawl_context *ctx;
        pawl_status status = step(c, pipeline, &ctx, "one");

        if (!status)
                status = said(c, pawl_pipeline_renew(pipeline, c->run_id),
                        pawl_pipeline_errmsg(pipeline));
        if (!status)
                status = said(c, pawl_pipeline_complete(pipeline, ctx, "1", 1),
                        pawl_pipeline_errmsg(pipeline));
        if (!status)
                status = said(c, pawl_pipeline_flush(pipeline), pawl_pipeline_errmsg(pipeline));
        pawl_context_free(ctx);
        if (status)
                return status;
        status = step(c, pipeline, &ctx, "two");
        if (!status)
                status = said(c, pawl_pipeline_failed(pipeline, ctx, 1, "no"),
                        pawl_pipeline_errmsg(pipeline));
        if (!status)
                status = said(c, pawl_pipeline_end_run(pipeline, c->run_id, "no"),
                        pawl_pipeline_errmsg(pipeline));
        pawl_context_free(ctx);
        return status;
}

static pawl_status embed(struct calls *c)
{
        static const pawl_layer first = {"first", emit, NULL}, last = {"last", emit, NULL};
        pawl_pipeline_options options = PAWL_PIPELINE_OPTIONS_INIT;
        pawl_pipeline *pipeline = NULL;

        options.defer_completion = true;
        pawl_status status = pawl_pipeline_new(&pipeline, c->log, &options, &c->err);
        if (status)
                return status;
        status = said(c, pawl_pipeline_add_before(pipeline, "extraction", &first),
                pawl_pipeline_errmsg(pipeline));
        if (!status)
                status = said(c, pawl_pipeline_add_after(pipeline, "resume", &last),
                        pawl_pipeline_errmsg(pipeline));
        if (!status)
                status = embed_steps(c, pipeline);
        pawl_pipeline_free(pipeline);
        return status;
}

static pawl_status open_another(struct calls *c)
{
        pawl_log *log = NULL;
        pawl_status status = pawl_log_open(&log, c->s.f->db, NULL, &c->err);

        pawl_log_close(log);
        return status;
}

/* What a log holds, as lists. */
static pawl_status list(struct calls *c)
{
        pawl_step_checkpoint *checkpoint = NULL;
        pawl_conflicts *conflicts = NULL;
        pawl_senses *senses = NULL, *of_run = NULL;
        pawl_runs *runs = NULL;
        pawl_status status = pawl_run_list(&runs, c->log, NULL, 0, &c->err);

        if (!status)
                status = pawl_conflict_list(&conflicts, c->log, NULL, true, &c->err);
        if (!status)
                status = pawl_sense_list(&senses, c->log, NULL, &c->err);
        if (!status)
                status = pawl_sense_list(&of_run, c->log, runs->items[0].run_id.data, &c->err);
        if (!status)
                status = pawl_step_checkpoint_latest(
                        &checkpoint, c->log, runs->items[0].run_id.data, "specify", &c->err);
        pawl_runs_free(runs);
        pawl_conflicts_free(conflicts);
        pawl_senses_free(senses);
        pawl_senses_free(of_run);
        pawl_step_checkpoint_free(checkpoint);
        return status;
}

static pawl_status wait_for_events(struct calls *c)
{
        pawl_event_filter filter = PAWL_EVENT_FILTER_INIT;
        pawl_cursor *cursor = NULL;

        filter.type = "RunStarted";
        pawl_status status = pawl_cursor_find(&cursor, c->log, &filter);
        if (!status)
                status = pawl_cursor_wait(cursor, 0);
        pawl_cursor_close(cursor);
        return status ? said(c, status, pawl_log_errmsg(c->log)) : PAWL_OK;
}

/* What a log holds, one by one. */
static pawl_status find(struct calls *c)
{
        static const char checkpoint[] =
                "{\"cursor\":\"post_gate\",\"input_hash\":"
                "\"0000000000000000000000000000000000000000000000000000000000000000\","
                "\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":"
                "\"00000000-0000-4000-8000-000000000001\",\"scope_refs\":[],"
                "\"strictness\":\"medium\"}";
        static const char document[] = "# Handoff\n\n## NEXT\n\n- [ ] one\n";
        pawl_runs *all = NULL, *runs = NULL;
        pawl_steps *steps = NULL;
        pawl_session_details *session = NULL;
        pawl_step_checkpoint *parsed = NULL;
        char *json = NULL, *read = NULL;
        size_t len;
        pawl_status status = pawl_run_list(&all, c->log, NULL, 0, &c->err);

        if (!status)
                status = pawl_run_find(&runs, c->log, all->items[0].run_id.data, &c->err);
        if (!status)
                status = pawl_step_list(&steps, c->log, all->items[0].run_id.data, true, &c->err);
        if (!status)
                status = pawl_session_find(&session, c->log, NULL, &c->err);
        if (!status)
                status = pawl_session_handoff_json(&json, &len, c->log, NULL, &c->err);
        if (!status)
                status = pawl_handoff_parse(&read, &len, document, sizeof document - 1, &c->err);
        if (!status)
                status = pawl_step_checkpoint_parse(
                        &parsed, checkpoint, sizeof checkpoint - 1, &c->err);
        if (!status)
                status = wait_for_events(c);
        pawl_runs_free(all);
        pawl_runs_free(runs);
        pawl_steps_free(steps);
        pawl_session_details_free(session);
        pawl_step_checkpoint_free(parsed);
        pawl_free(json);
        pawl_free(read);
        return status;
}

/* ---- The tests ------------------------------------------------------------------------------ */

static int setup(void **state)
{
        struct calls *c = test_alloc(sizeof *c);
        stories_setup(&c->s);
        *state = c;
        return 0;
}

static int teardown(void **state)
{
        struct calls *c = *state;

        stories_teardown(&c->s);
        return 0;
}

#define TEST(name) UNIT_TEST_WITH(name, struct calls *c, setup, teardown)
#define SWEEP_TEST(name, story, what)                                                              \
        TEST(name)                                                                                 \
        {                                                                                          \
                sweep_call(c, story, what);                                                        \
        }

SWEEP_TEST(resuming, STORY_ANSWERED, resume)
SWEEP_TEST(answering, STORY_BLOCKED, resolve)
SWEEP_TEST(answering_again, STORY_ANSWERED, resolve_again)
SWEEP_TEST(answering_many, STORY_BLOCKED, resolve_many)
SWEEP_TEST(checking, STORY_BLOCKED, check)
SWEEP_TEST(claiming, STORY_BLOCKED, claim)
SWEEP_TEST(opening, STORY_BLOCKED, open_another)
SWEEP_TEST(submitting, STORY_BLOCKED, submit)
SWEEP_TEST(listing, STORY_ANSWERED, list)
SWEEP_TEST(finding, STORY_ANSWERED, find)
SWEEP_TEST(embedding, STORY_BLOCKED, embed)

/* The mission of the story with another command at its end. */
static void change_mission(struct calls *c)
{
        char *yaml = file_read(c->s.f->file, NULL);
        char *changed = test_alloc(strlen(yaml) + 100);

        sprintf(changed, "%s  - {id: more, inputs: {from: {$from: specify}}, run: ['true']}\n",
                yaml);
        mission_file(c->s.f, "mission.yaml", changed);
}

TEST(resuming_with_another_mission)
{
        change_mission(c);
        sweep_call(c, STORY_ANSWERED, resume_changed);
}

TEST(refusing_another_mission)
{
        change_mission(c);
        sweep_call(c, STORY_ANSWERED, refuse_changed);
}

/* A child of the process that opened a log uses none of its handles, and takes nothing from it by
 * closing them. */
#include "support/pipeline.h"
#include <pawl/query.h>
#include <unistd.h>

static const char plain[] = "{\"description\":\"the tenant pays\"}";

/* What the child finds, as an exit code: 0, or which call let it through. */
static int use_in_child(struct piped *p)
{
        uint64_t seq, fence;
        unsigned char hash[32];
        pawl_event event;
        pawl_cursor *cursor;
        pawl_runs *runs;
        const pawl_status found[] = {pawl_log_head(&seq, hash, p->log),
                pawl_cursor_open(&cursor, p->log, 0), pawl_log_append(NULL, p->log, &event, 0, 0),
                pawl_log_claim(&fence, p->log, "m", "other", "user:ana", NULL),
                pawl_log_release(p->log, "r", 1), pawl_log_renew_all(p->log),
                pawl_run_list(&runs, p->log, NULL, 0, &p->err),
                pawl_pipeline_run(p->pipeline, p->ctx),
                pawl_pipeline_complete(p->pipeline, p->ctx, "1", 1),
                pawl_pipeline_failed(p->pipeline, p->ctx, 1, "no"),
                pawl_pipeline_renew(p->pipeline, "r"), pawl_pipeline_flush(p->pipeline),
                pawl_pipeline_end_run(p->pipeline, "r", NULL),
                pawl_context_set_inputs(p->ctx, plain, strlen(plain))};

        for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
                if (found[i] != PAWL_ESTATE)
                        return (int)i + 1;
        return strstr(pawl_log_errmsg(p->log), "was forked since") ? 0 : 99;
}

static void close_in_child(struct piped *p)
{
        pawl_context_free(p->ctx);
        pawl_pipeline_free(p->pipeline);
        pawl_log_close(p->log);
}

PIPED_TEST(a_child_uses_nothing_and_releases_nothing)
{
        pawl_owner owner = {0};
        pawl_log *other;
        uint64_t fence;

        piped_context(p, "s", plain);
        assert_ok(piped_run(p));
        const uint64_t head = piped_head(p);
        for (int i = 0; i < 3; i++) {
                const pid_t child = process_fork();
                if (child == 0) {
                        const int code = use_in_child(p);
                        if (i < 2)
                                close_in_child(p);
                        _exit(code);
                }
                child_exits(child, 0);
                assert_int_equal(piped_head(p), head);
        }
        /* the claim holds, and the parent's connection does */
        assert_ok(pawl_log_open(&other, p->db, &p->log_options, &p->err));
        assert_int_equal(pawl_log_claim(&fence, other, "m", "r", "user:eve", &owner), PAWL_EHELD);
        pawl_log_close(other);
        assert_ok(pawl_pipeline_renew(p->pipeline, "r"));
        assert_ok(piped_complete(p, "1"));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
}

PIPED_TEST(a_child_opens_the_log_for_itself)
{
        piped_context(p, "s", plain);
        assert_ok(piped_run(p));
        const pid_t child = process_fork();
        if (child == 0) {
                pawl_pipeline *pipeline;
                pawl_context *ctx;
                pawl_log *log;
                close_in_child(p);
                const bool ok = !pawl_log_open(&log, p->db, &p->log_options, &p->err) &&
                                !pawl_pipeline_new(&pipeline, log, NULL, &p->err) &&
                                !pawl_context_new(&ctx, "m", "of-the-child", "s", &p->err) &&
                                !pawl_pipeline_run(pipeline, ctx) &&
                                !pawl_pipeline_complete(pipeline, ctx, "1", 1) &&
                                !pawl_pipeline_end_run(pipeline, "of-the-child", NULL);
                if (ok) {
                        pawl_context_free(ctx);
                        pawl_pipeline_free(pipeline);
                        pawl_log_close(log);
                }
                _exit(!ok);
        }
        child_exits(child, 0);
        assert_ok(piped_complete(p, "1"));
        assert_ok(pawl_pipeline_end_run(p->pipeline, "r", NULL));
        piped_replays(p);
}

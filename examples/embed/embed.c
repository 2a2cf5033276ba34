/* One step of one run, guarded by Pawl: `./embed LOG` begins and resumes it; a token may follow. */
#include <pawl/pawl.h>
#include <stdio.h>

static const char inputs[] = "{\"description\": \"Refunds land in the customer's workspace.\"}";
static const char metadata[] = "{\"glossary_watch_terms\": [\"workspace\"]}";
static const char output[] = "Refunds are paid within 3 days."; /* what a real one generates */

static int run(pawl_pipeline *chain, pawl_context *ctx)
{
        pawl_status status;

        pawl_context_set_critical(ctx, true);
        status = pawl_pipeline_run(chain, ctx);
        if (status == PAWL_BLOCKED) { /* nothing was generated: `pawl resolve`, then the token */
                printf("token %s\n", pawl_context_retry_token(ctx));
                for (size_t i = 0; i < pawl_context_conflicts(ctx); i++)
                        printf("conflict %.*s\n",
                                (int)pawl_context_conflict(ctx, i)->conflict_id.len,
                                pawl_context_conflict(ctx, i)->conflict_id.data);
                return 3;
        }
        if (status == PAWL_OK) { /* the token is the key to generate under: a retry has the same */
                printf("generating under %s\n", pawl_context_retry_token(ctx));
                status = pawl_pipeline_complete(chain, ctx, output, sizeof output - 1);
        }
        if (status == PAWL_OK || status == PAWL_DONE) /* done: see pawl_context_output() */
                status = pawl_pipeline_end_run(chain, "refunds-1", NULL);
        if (status == PAWL_OK)
                return 0;
        fprintf(stderr, "embed: %s\n", pawl_pipeline_errmsg(chain));
        return 1;
}

int main(int argc, char **argv)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        pawl_pipeline *chain = NULL;
        pawl_context *ctx = NULL;
        int code = 1;

        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&log, argc > 1 ? argv[1] : "events.db", &options, &err) ||
                pawl_pipeline_new(&chain, log, NULL, &err) ||
                pawl_context_new(&ctx, "refund-service", "refunds-1", "specify", &err))
                fprintf(stderr, "embed: %s\n", err.message);
        else if (pawl_context_set_inputs(ctx, inputs, sizeof inputs - 1) ||
                 pawl_context_set_metadata(ctx, metadata, sizeof metadata - 1) ||
                 (argc > 2 && pawl_context_set_retry_token(ctx, argv[2])))
                fprintf(stderr, "embed: %s\n", pawl_context_errmsg(ctx));
        else
                code = run(chain, ctx);
        pawl_context_free(ctx);
        pawl_pipeline_free(chain);
        pawl_log_close(log);
        return code;
}

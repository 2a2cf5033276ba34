/* The step of embed.c, of a program that holds its JSON in trees of cJSON: `./with_cjson LOG
 * [TOKEN]`. */
#include <pawl/cjson.h>
#include <pawl/pawl.h>
#include <stdio.h>

static pawl_status show_conflicts(pawl_log *log, pawl_error *err)
{
        pawl_conflicts *open = NULL;
        pawl_status status = pawl_conflict_list(&open, log, "refunds-1", false, err);

        for (size_t i = 0; !status && i < open->n; i++) {
                cJSON *conflict = NULL;
                status = pawl_cjson_conflict(&conflict, &open->items[i], err);
                char *text = cJSON_PrintUnformatted(conflict);
                puts(text ? text : "?");
                cJSON_free(text);
                cJSON_Delete(conflict);
        }
        pawl_conflicts_free(open);
        return status;
}

static pawl_status step(pawl_log *log, pawl_pipeline *chain, pawl_context *ctx, const cJSON *output,
        pawl_error *err)
{
        pawl_status status = pawl_pipeline_run(chain, ctx);

        if (status == PAWL_BLOCKED) {
                printf("token %s\n", pawl_context_retry_token(ctx));
                status = show_conflicts(log, err);
                return status ? status : PAWL_BLOCKED;
        }
        if (status == PAWL_OK) /* generate here */
                return pawl_cjson_complete(chain, ctx, output, err);
        if (status != PAWL_DONE)
                snprintf(err->message, sizeof err->message, "%s", pawl_pipeline_errmsg(chain));
        return status;
}

int main(int argc, char **argv)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log = NULL;
        pawl_pipeline *chain = NULL;
        pawl_context *ctx = NULL;
        cJSON *inputs = cJSON_CreateObject(), *output = cJSON_CreateObject();

        cJSON_AddStringToObject(
                inputs, "description", "Refunds land in the customer's \"workspace\".");
        cJSON_AddNumberToObject(output, "days", 3);
        options.flags = PAWL_LOG_CREATE;
        pawl_status status = pawl_log_open(&log, argc > 1 ? argv[1] : "events.db", &options, &err);
        if (!status)
                status = pawl_pipeline_new(&chain, log, NULL, &err);
        if (!status)
                status = pawl_context_new(&ctx, "refund-service", "refunds-1", "specify", &err);
        if (!status)
                status = pawl_cjson_set_inputs(ctx, inputs, &err);
        if (!status)
                status = pawl_context_set_strictness(ctx, "max");
        if (!status && argc > 2)
                status = pawl_context_set_retry_token(ctx, argv[2]);
        if (!status)
                status = step(log, chain, ctx, output, &err);
        if (status < 0)
                fprintf(stderr, "with_cjson: %s\n", err.message);
        cJSON_Delete(inputs);
        cJSON_Delete(output);
        pawl_context_free(ctx);
        pawl_pipeline_free(chain);
        pawl_log_close(log);
        return status < 0 ? 1 : status == PAWL_BLOCKED ? 3 : 0;
}

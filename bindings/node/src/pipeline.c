/* The five layers over a log, and one step's way through them. */
#include "task.h"

typedef struct node_pipeline {
        pawl_pipeline *pipeline;
        handle *log;
        task *asks; /* the call that is under way */
} node_pipeline;

static pawl_status clarify(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        const node_pipeline *p = user;

        return task_clarify(answer, conflict, p->asks);
}

static pawl_status confirm(bool *yes, const pawl_input_change *change, void *user)
{
        const node_pipeline *p = user;

        return task_confirm(yes, change, p->asks);
}

/* arg: 0 actor, 1 which functions there are, 2 keep the inputs, 3 accept changed inputs */
void op_pipeline_open(task *t)
{
        pawl_pipeline_options options = PAWL_PIPELINE_OPTIONS_INIT;
        const uint64_t functions = task_natural(t, 1);
        node_pipeline *p = calloc(1, sizeof *p);

        t->status = PAWL_ENOMEM;
        if (!p)
                return;
        options.actor = t->arg[0];
        options.clarify = functions & 1 ? clarify : NULL;
        options.confirm = functions & 2 ? confirm : NULL;
        options.clarify_user = options.confirm_user = p;
        options.store_inputs = task_natural(t, 2);
        options.accept_inputs = task_natural(t, 3);
        t->status = pawl_pipeline_new(&p->pipeline, task_log(t), &options, &t->err);
        if (t->status) {
                free(p);
                return;
        }
        p->log = t->on;
        p->log->users++;
        task_make(t, PIPELINE, p);
        if (t->made)
                t->made->log = t->on;
}

void close_pipeline(void *pointer)
{
        node_pipeline *p = pointer;
        handle *log = p->log;

        pawl_pipeline_free(p->pipeline);
        free(p);
        log->users--;
        if (log->dropped)
                drop_handle(log);
}

/* arg: 0 mission, 1 run, 2 step, 3 inputs, 4 metadata, 5 strictness, 6 retry token, 7 critical */
void op_context_new(task *t)
{
        pawl_context *ctx;

        t->status = pawl_context_new(&ctx, t->arg[0], t->arg[1], t->arg[2], &t->err);
        if (t->status)
                return;
        pawl_context_set_critical(ctx, task_natural(t, 7));
        t->status = pawl_context_set_inputs(ctx, t->arg[3], t->len[3]);
        if (!t->status && t->arg[4])
                t->status = pawl_context_set_metadata(ctx, t->arg[4], t->len[4]);
        if (!t->status && t->arg[5])
                t->status = pawl_context_set_strictness(ctx, t->arg[5]);
        if (!t->status && t->arg[6])
                t->status = pawl_context_set_retry_token(ctx, t->arg[6]);
        if (!t->status) {
                task_make(t, CONTEXT, ctx);
                return;
        }
        snprintf(t->err.message, sizeof t->err.message, "%s", pawl_context_errmsg(ctx));
        pawl_context_free(ctx);
}

static const json_field term_fields[] = {FIELD(pawl_glossary_term, term),
        FIELD(pawl_glossary_term, definition), FIELD(pawl_glossary_term, scope),
        FIELD(pawl_glossary_term, confidence), FIELD(pawl_glossary_term, source),
        FIELD(pawl_glossary_term, conflict_id)};

static pawl_status write_terms(json_out *o, pawl_context *ctx)
{
        pawl_glossary_terms terms;
        const pawl_status st = pawl_context_terms(&terms, ctx);

        if (st)
                return st;
        JSON_ARRAY(o, "terms", term_fields, terms.items, terms.n);
        return PAWL_OK;
}

/* The result of a pass; after one over the inputs also the terms for the generation. */
static void finish_pass(task *t, const node_pipeline *p, pawl_context *ctx, bool over_inputs)
{
        const pawl_status verdict = t->status;
        const char *cursor = pawl_context_cursor(ctx);

        if (verdict < 0) {
                snprintf(t->err.message, sizeof t->err.message, "%s",
                        pawl_pipeline_errmsg(p->pipeline));
                return;
        }
        json_open(&t->json, NULL, "{");
        json_string(&t->json, "status",
                verdict == PAWL_BLOCKED ? "blocked"
                : verdict == PAWL_DONE  ? "done"
                                        : "ok");
        json_string(&t->json, "retryToken", pawl_context_retry_token(ctx));
        json_string(&t->json, "inputHash", pawl_context_input_hash(ctx));
        json_string(&t->json, "cursor", *cursor ? cursor : NULL);
        json_open(&t->json, "conflicts", "[");
        for (size_t i = 0; i < pawl_context_conflicts(ctx); i++)
                write_conflict(&t->json, pawl_context_conflict(ctx, i));
        json_close(&t->json, "]");
        json_raw(&t->json, "output", pawl_context_output(ctx));
        t->status = over_inputs ? write_terms(&t->json, ctx) : PAWL_OK;
        if (t->status)
                snprintf(t->err.message, sizeof t->err.message, "%s", pawl_context_errmsg(ctx));
        json_close(&t->json, "}");
}

/* A call of a pipeline, to which its questions belong. */
static node_pipeline *at_work(task *t)
{
        node_pipeline *p = t->on->pointer;

        p->asks = t;
        return p;
}

/* and the context */
void op_pipeline_run(task *t)
{
        const node_pipeline *p = at_work(t);
        pawl_context *ctx = t->second->pointer;

        t->status = pawl_pipeline_run(p->pipeline, ctx);
        finish_pass(t, p, ctx, true);
}

/* arg: 0 output, and the context */
void op_pipeline_complete(task *t)
{
        const node_pipeline *p = at_work(t);
        pawl_context *ctx = t->second->pointer;
        char *canonical = NULL;
        size_t len;

        /* what is no JSON would be taken for a text */
        t->status = pawl_json_canonical(&canonical, &len, t->arg[0], t->len[0], &t->err);
        if (t->status)
                return;
        t->status = pawl_pipeline_complete(p->pipeline, ctx, canonical, len);
        pawl_free(canonical);
        finish_pass(t, p, ctx, false);
}

static void finish(task *t, const node_pipeline *p)
{
        if (t->status < 0)
                snprintf(t->err.message, sizeof t->err.message, "%s",
                        pawl_pipeline_errmsg(p->pipeline));
}

/* arg: 0 exit code, 1 why, and the context */
void op_pipeline_failed(task *t)
{
        const node_pipeline *p = at_work(t);

        t->status = pawl_pipeline_failed(p->pipeline, t->second->pointer, (int)task_natural(t, 0),
                t->arg[1] ? t->arg[1] : "");
        finish(t, p);
}

/* arg: 0 scope, 1 file */
void op_pipeline_seed(task *t)
{
        const node_pipeline *p = at_work(t);

        t->status = pawl_pipeline_seed(p->pipeline, t->arg[0], t->arg[1]);
        finish(t, p);
}

/* arg: 0 run */
void op_pipeline_renew(task *t)
{
        const node_pipeline *p = at_work(t);

        t->status = pawl_pipeline_renew(p->pipeline, t->arg[0]);
        finish(t, p);
}

/* arg: 0 run, 1 why it failed */
void op_pipeline_end_run(task *t)
{
        const node_pipeline *p = at_work(t);

        t->status = pawl_pipeline_end_run(p->pipeline, t->arg[0], t->arg[1]);
        finish(t, p);
}

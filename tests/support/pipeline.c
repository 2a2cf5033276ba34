#include "support/pipeline.h"
#include "base/error.h"

enum { NOVEMBER_2026_S = 1795178100 }; /* 2026-11-20T12:35:00Z */

static int64_t stopped_clock(void *user)
{
        (void)user;
        return (int64_t)NOVEMBER_2026_S * 1000000;
}

static int64_t set_boot_clock(void *user)
{
        const struct counted *counted = user;

        return 1000 + counted->passed_ms;
}

static void counted_uuid(char out[37], void *user)
{
        struct counted *counted = user;

        snprintf(out, 37, "00000000-0000-4000-8000-%012u", ++counted->uuids);
}

pawl_sources counted_sources(struct counted *counted)
{
        return (pawl_sources){stopped_clock, set_boot_clock, counted_uuid, counted};
}

pawl_status script_answer(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        struct script *script = user;
        size_t at = script->asked++;

        if (at < sizeof script->terms / sizeof script->terms[0])
                script->terms[at] = conflict->term;
        if (script->before)
                script->before(script->before_user);
        if (script->fail_at && script->asked >= script->fail_at)
                return script->status;
        if (at < script->n)
                *answer = script->answers[at];
        return PAWL_OK;
}

void check_holds(pawl_text text, const char *part, const char *file, int line)
{
        if (text.data && memmem(text.data, text.len, part, strlen(part)))
                return;
        print_error("\"%.*s\" does not hold \"%s\"\n", (int)text.len,
                text.data ? text.data : "(absent)", part);
        _fail(file, line);
}

static void join(pawl__buf *out, pawl_text part, const char *between)
{
        if (out->len)
                assert_ok(pawl__buf_adds(out, between));
        assert_ok(pawl__buf_add(out, part.data, part.len));
}

/* ---- A context alone ------------------------------------------------------------------------ */

static pawl_status alone_wait(pawl_context *ctx)
{
        struct alone *a = ctx->wait_user;
        pawl__buf all = PAWL__BUF_INIT;

        a->waits++;
        if (a->wait_status)
                return pawl__fail_prefix(&ctx->error, a->wait_status, "the log");
        if (a->committed)
                join(&all, pawl__text(a->committed), "");
        if (a->batch.n)
                join(&all, pawl__text(alone_types(a)), " | ");
        pawl__batch_clear(&a->batch);
        a->committed = test_take(&all);
        ctx->answer_waits = false;
        return PAWL_OK;
}

static pawl_status alone_reload(pawl_context *ctx)
{
        struct alone *a = ctx->wait_user;

        a->reloads++;
        return PAWL_OK;
}

int alone_setup(void **state)
{
        struct alone *a = test_alloc(sizeof *a);
        a->sources = counted_sources(&a->counted);
        assert_ok(pawl_context_new(&a->ctx, "m", "r", "s", NULL));
        assert_ok(pawl__glossary_new(&a->glossary, NULL));
        a->ctx->glossary = a->glossary;
        a->ctx->batch = &a->batch;
        a->ctx->sources = &a->sources;
        a->ctx->actor = pawl__text("user:ana");
        a->ctx->wait = alone_wait;
        a->ctx->wait_user = a;
        a->ctx->reload = alone_reload;
        a->ctx->clarify_user = &a->script;
        *state = a;
        return 0;
}

int alone_teardown(void **state)
{
        struct alone *a = *state;

        pawl_context_free(a->ctx);
        pawl__glossary_free(a->glossary);
        pawl__batch_free(&a->batch);
        return 0;
}

void alone_sense(struct alone *a, const char *scope, const char *surface, const char *definition,
        double confidence)
{
        pawl__sense sense = {.surface = pawl__text(surface),
                .definition = pawl__text(definition),
                .confidence = confidence,
                .status = PAWL__ACTIVE};

        assert_true(pawl__scope_of(&sense.scope, pawl__text(scope)));
        assert_ok(pawl__glossary_add(a->glossary, &sense, NULL));
}

void alone_inputs(struct alone *a, const char *json)
{
        assert_ok(pawl_context_set_inputs(a->ctx, json, strlen(json)));
}

const char *alone_types(struct alone *a)
{
        pawl__buf all = PAWL__BUF_INIT;
        bool ok = true;

        for (size_t i = 0; i < a->batch.n; i++)
                join(&all, a->batch.events[i].type, " ");
        pawl_text kept = pawl__arena_text(&a->ctx->arena, pawl__buf_text(&all), &ok);
        pawl__buf_free(&all);
        assert_true(ok);
        return kept.data;
}

/* What the pipeline writes is canonical as it is: then an append has nothing to sort. */
static void check_canonical(pawl_text payload)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        bool canonical;

        if (pawl__json_tree_read_canonical(&canonical, &tree, payload.data, payload.len, &err) ||
                !canonical)
                fail_msg("not canonical: %.*s %s", PAWL__FMT(payload), err.message);
        pawl__json_tree_free(&tree);
}

pawl_text alone_payload(struct alone *a, const char *type, size_t n)
{
        for (size_t i = 0; i < a->batch.n; i++)
                if (pawl__text_is(a->batch.events[i].type, type) && n-- == 0) {
                        check_canonical(a->batch.events[i].payload);
                        return a->batch.events[i].payload;
                }
        fail_msg("no event %s waits", type);
        return (pawl_text){NULL, 0};
}

void alone_check(struct alone *a)
{
        const pawl_layer *const layers[] = {&pawl__layer_extraction, &pawl__layer_check};

        for (size_t i = 0; i < 2; i++)
                if (layers[i]->process(layers[i], a->ctx))
                        fail_msg("%s: %s", layers[i]->name, pawl_context_errmsg(a->ctx));
}

/* ---- A log and a pipeline ------------------------------------------------------------------- */

static void open_log(struct piped *p)
{
        if (pawl_log_open(&p->log, p->db, &p->log_options, &p->err))
                fail_msg("%s", p->err.message);
}

void piped_pipeline(struct piped *p)
{
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        if (pawl_pipeline_new(&p->pipeline, p->log, &p->options, &p->err))
                fail_msg("%s", p->err.message);
        if (pawl_pipeline_seed(p->pipeline, "team_domain", p->seed))
                fail_msg("%s", pawl_pipeline_errmsg(p->pipeline));
}

void piped_reopen(struct piped *p)
{
        pawl_context_free(p->ctx);
        p->ctx = NULL;
        pawl_pipeline_free(p->pipeline);
        p->pipeline = NULL;
        pawl_log_close(p->log);
        open_log(p);
        piped_pipeline(p);
}

/* "workspace" has two senses, "tenant" one. */
static const char seed_yaml[] =
        "terms:\n"
        "  - {surface: workspace, definition: The folder of one customer's files, confidence: "
        "0.9}\n"
        "  - {surface: workspace, definition: A virtual desktop, confidence: 0.7}\n"
        "  - {surface: tenant, definition: A paying customer with its own data}\n";

int piped_setup(void **state)
{
        struct piped *p = test_alloc(sizeof *p);
        p->directory = directory_make();
        p->db = log_in(p->directory, "events.db");
        p->seed = path_in(p->directory, "team.yaml");
        file_write(p->seed, seed_yaml, sizeof seed_yaml - 1);
        p->log_options = (pawl_log_options)PAWL_LOG_OPTIONS_INIT;
        p->log_options.flags = PAWL_LOG_CREATE;
        p->log_options.sources = counted_sources(&p->counted);
        p->options = (pawl_pipeline_options)PAWL_PIPELINE_OPTIONS_INIT;
        p->options.actor = "user:ana";
        p->options.clarify_user = &p->script;
        open_log(p);
        piped_pipeline(p);
        *state = p;
        return 0;
}

int piped_teardown(void **state)
{
        struct piped *p = *state;

        if (!p->damaged)
                piped_replays(p);
        pawl_context_free(p->ctx);
        pawl_pipeline_free(p->pipeline);
        pawl_log_close(p->log);
        return 0;
}

pawl_context *piped_context(struct piped *p, const char *step, const char *inputs)
{
        pawl_context_free(p->ctx);
        p->ctx = NULL;
        if (pawl_context_new(&p->ctx, "m", "r", step, &p->err))
                fail_msg("%s", p->err.message);
        if (pawl_context_set_inputs(p->ctx, inputs, strlen(inputs)))
                fail_msg("%s", pawl_context_errmsg(p->ctx));
        return p->ctx;
}

pawl_status piped_run(struct piped *p)
{
        pawl_status status = pawl_pipeline_run(p->pipeline, p->ctx);
        const char *token = pawl_context_retry_token(p->ctx);

        if (token)
                memcpy(p->token, token, sizeof p->token);
        return status;
}

pawl_status piped_resume(struct piped *p, const char *step, const char *inputs)
{
        piped_context(p, step, inputs);
        if (pawl_context_set_retry_token(p->ctx, p->token))
                fail_msg("%s", pawl_context_errmsg(p->ctx));
        return piped_run(p);
}

pawl_status piped_critical(struct piped *p, const char *step, const char *inputs)
{
        pawl_context_set_critical(piped_context(p, step, inputs), true);
        return piped_run(p);
}

pawl_status piped_critical_resume(struct piped *p, const char *step, const char *inputs)
{
        pawl_context_set_critical(piped_context(p, step, inputs), true);
        if (pawl_context_set_retry_token(p->ctx, p->token))
                fail_msg("%s", pawl_context_errmsg(p->ctx));
        return piped_run(p);
}

pawl_status piped_at_max(struct piped *p, const char *inputs)
{
        if (pawl_context_set_strictness(piped_context(p, "s", inputs), "max"))
                fail_msg("%s", pawl_context_errmsg(p->ctx));
        return piped_run(p);
}

pawl_status piped_complete(struct piped *p, const char *output)
{
        return pawl_pipeline_complete(p->pipeline, p->ctx, output, strlen(output));
}

static const char *give_out(struct piped *p, pawl__buf *text)
{
        p->text = test_take(text);
        return p->text;
}

const char *piped_types(struct piped *p, uint64_t since)
{
        pawl__buf all = PAWL__BUF_INIT;
        pawl_cursor *cursor;
        pawl_event event;

        assert_ok(pawl_cursor_open(&cursor, p->log, since));
        while (pawl_cursor_next(cursor, &event) == PAWL_OK)
                join(&all, event.type, " ");
        pawl_cursor_close(cursor);
        return give_out(p, &all);
}

const char *piped_payload(struct piped *p, const char *type, uint64_t since, size_t n)
{
        pawl__buf payload = PAWL__BUF_INIT;
        pawl_cursor *cursor;
        pawl_event event;
        bool found = false;

        assert_ok(pawl_cursor_open(&cursor, p->log, since));
        while (!found && pawl_cursor_next(cursor, &event) == PAWL_OK) {
                found = pawl__text_is(event.type, type) && n-- == 0;
                if (found)
                        join(&payload, event.payload, "");
        }
        pawl_cursor_close(cursor);
        if (!found)
                fail_msg("no event %s after %llu", type, (unsigned long long)since);
        return give_out(p, &payload);
}

uint64_t piped_head(struct piped *p)
{
        unsigned char hash[32];
        uint64_t seq;

        assert_ok(pawl_log_head(&seq, hash, p->log));
        return seq;
}

const char *piped_conflict(struct piped *p, size_t n)
{
        const pawl_conflict *conflict = pawl_context_conflict(p->ctx, n);

        assert_non_null(conflict);
        return conflict->conflict_id.data;
}

pawl_status piped_define(struct piped *p, const char *conflict_id, const char *definition)
{
        pawl_answer answer = {.define = pawl__text(definition)};
        pawl_log *other;
        pawl_status status;

        assert_ok(pawl_log_open(&other, p->db, &p->log_options, &p->err));
        status = pawl_conflict_resolve(other, conflict_id, &answer, "user:ben", &p->err);
        pawl_log_close(other);
        return status;
}

const char *piped_status(struct piped *p, const char *step)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        pawl__state *state;
        pawl__row row = {0};

        row.v[PAWL__STEP_RUN].text = pawl__text("r");
        row.v[PAWL__STEP_ID].text = pawl__text(step);
        assert_ok(pawl__state_of(&state, p->log, &p->err));
        assert_ok(pawl__state_get(state, PAWL__STEPS, &row, &arena, &p->err));
        join(&text, row.v[PAWL__STEP_STATUS].text, "");
        pawl__arena_free(&arena);
        return give_out(p, &text);
}

size_t piped_refs(struct piped *p, pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX], pawl__arena *arena)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = pawl__text("r")};
        pawl__state *state;
        size_t n = 0;

        assert_ok(pawl__state_of(&state, p->log, &p->err));
        assert_ok(pawl__state_get(state, PAWL__RUNS, &run, arena, &p->err));
        assert_ok(
                pawl__scope_refs_read(refs, &n, arena, run.v[PAWL__RUN_SCOPE_REFS].text, &p->err));
        return n;
}

void piped_replays(struct piped *p)
{
        if (pawl__replay_check(p->log, &p->err))
                fail_msg("%s", p->err.message);
}

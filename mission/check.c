/* What the first three layers would say of each step, without a run: nothing is written. */
#include "base/error.h"
#include "base/ids.h"
#include "glossary/seed.h"
#include "mission/ask.h"
#include "mission/checker.h"
#include "mission/command.h"
#include "mission/graph.h"
#include "mission/runner.h"
#include "pipeline/gate.h"
#include "pipeline/layers.h"

typedef struct checker {
        pawl__checker of;
        pawl__json_writer w;
        size_t checked, at; /* steps so far, and the current one */
        bool blocked;
} checker;

/* ---- The glossary that a run would have ----------------------------------------------------- */

/* The senses of the log, then those of the seeds, as a run would append them; one that is in the
 * log already is the same. */
static pawl_status load_glossary(pawl__checker *c, const pawl__seed *seeds, size_t n)
{
        pawl__scope_ref refs[PAWL__SCOPES_N];
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < n; i++)
                refs[i] = (pawl__scope_ref){pawl__text(pawl__scope_name(seeds[i].scope)),
                        pawl__text(seeds[i].version_id)};
        if (c->state)
                status = pawl__glossary_load(
                        c->glossary, c->state, c->mission->id, refs, n, &c->error);
        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < seeds[i].n && !status; k++)
                        status = pawl__glossary_add(c->glossary, &seeds[i].senses[k], &c->error);
        return status;
}

static pawl_status make_glossary(pawl__checker *c, pawl_log *log)
{
        pawl__seeds seeds = {.n = 0};
        pawl__sense_filter filter;
        bool required;
        pawl_status status = pawl__glossary_new(&c->glossary, &c->error);

        if (!status && log)
                status = pawl__mission_trust(&required, &c->trust, &filter, c->glossary, c->mission,
                        log, c->state, &c->error);
        if (!status)
                status = pawl__seeds_load(&seeds, c->mission, NULL, c->problems, &c->error);
        if (!status)
                status = load_glossary(c, seeds.seed, seeds.n);
        pawl__seeds_free(&seeds);
        return status;
}

/* ---- One step ------------------------------------------------------------------------------- */

static void write_terms(pawl__json_writer *w, const pawl__terms *terms)
{
        pawl__json_open_array(w);
        for (size_t i = 0; i < terms->n; i++) {
                const pawl__term *term = &terms->items[i];
                pawl__json_open_object(w);
                pawl__json_member_text(w, "surface", term->surface);
                pawl__json_member_string(w, "source", pawl__source_name(term->source));
                pawl__json_member_number(w, "confidence", term->confidence);
                pawl__json_member_text(w, "original", term->original);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* Does the step's input take the output of @p other? */
static bool takes_from(const pawl_mission *mission, pawl__node root, pawl_text other)
{
        const pawl__json_tree *tree = &mission->document.tree;
        const pawl__node end = root == PAWL__NO_NODE ? 0 : pawl__json_at(tree, root)->next;
        pawl_text id, pointer;

        for (pawl__node n = root; n < end; n++) {
                const pawl_text from = pawl__from_of(tree, n);
                pawl__from_split(&id, &pointer, from.data ? from : pawl__text(""));
                if (from.data && pawl__text_eq(id, other))
                        return true;
        }
        return false;
}

/* What the gate will say of a step that nothing is wrong with so far: its inputs may depend on
 * outputs that are not known yet. */
static void put_open_verdict(
        pawl__buf *out, const pawl_mission *mission, const pawl__step *step, bool checked)
{
        const char *between = "depends on ";

        for (size_t i = 0; i < mission->n_steps && checked; i++)
                if (takes_from(mission, step->inputs, mission->steps[i].id)) {
                        pawl__buf_adds(out, between);
                        pawl__buf_add_text(out, mission->steps[i].id);
                        between = ", ";
                }
        if (!out->len)
                pawl__buf_adds(out, "proceed");
}

static pawl_status write_verdict(checker *c, pawl_context *ctx, bool blocked)
{
        pawl__json_writer *w = &c->w;
        pawl__buf open = PAWL__BUF_INIT;
        pawl__severity severity = pawl__findings_severity(&ctx->findings);

        pawl__json_open_object(w);
        pawl__json_member_text(w, "step_id", ctx->step_id);
        pawl__json_member_string(w, "input_hash", ctx->input_hash);
        pawl__json_member_string(w, "effective_strictness", pawl__strictness_name(ctx->effective));
        pawl__json_name(w, "terms");
        write_terms(w, &ctx->terms);
        pawl__json_name(w, "findings");
        pawl__findings_write(w, &ctx->findings);
        pawl__json_member_string(w, "overall_severity", pawl__severity_name(severity));
        put_open_verdict(
                &open, c->of.mission, &c->of.mission->steps[c->at], pawl__context_checks(ctx));
        pawl__json_member_text(w, "recommended_action",
                blocked           ? pawl__text("block")
                : ctx->findings.n ? pawl__text("warn")
                                  : pawl__buf_text(&open));
        pawl__json_member_bool(w, "blocked", blocked);
        pawl__graph_write(w, c->of.mission, c->at);
        pawl__json_close_object(w);
        const pawl_status status = pawl__buf_check(&open, &c->of.error);
        pawl__buf_free(&open);
        return status;
}

/* The layers themselves, over a context whose batch is thrown away. */
pawl_status pawl__checker_judge(bool *blocked, const pawl__checker *c, pawl_context *ctx)
{
        static const pawl_layer *const layers[] = {&pawl__layer_extraction, &pawl__layer_check};
        pawl__batch unwritten = PAWL__BATCH_INIT;
        pawl__blocker *held = NULL;
        size_t n_leases = 0;
        pawl_status status = PAWL_OK;

        ctx->glossary = c->glossary;
        ctx->batch = &unwritten;
        for (size_t i = 0; i < 2 && !status; i++)
                status = layers[i]->process(layers[i], ctx);
        if (!status)
                status = pawl__gate_blockers(&held, &n_leases, ctx);
        pawl__batch_free(&unwritten);
        ctx->batch = NULL;
        *blocked = n_leases > 0;
        return status;
}

pawl_status pawl__checker_begin(const pawl__checker *c, pawl_context *ctx, const pawl__step *step)
{
        ctx->project_strictness = c->project;
        ctx->actor = pawl__text("program");
        return pawl__step_settings(ctx, c->mission, step);
}

static pawl_status judge(checker *c, pawl_context *ctx, const pawl__step *step)
{
        pawl__buf inputs = PAWL__BUF_INIT;
        bool blocked = false;
        pawl_status status = pawl__checker_begin(&c->of, ctx, step);

        if (status)
                return status;
        status = pawl__step_inputs(&inputs, c->of.mission, step, NULL, NULL, &ctx->error);
        if (status)
                pawl__fail_prefix(&ctx->error, status, "step %.*s", PAWL__FMT(step->id));
        else
                status = pawl_context_set_inputs(ctx, inputs.data, inputs.len);
        pawl__buf_free(&inputs);
        if (!status)
                status = pawl__checker_judge(&blocked, &c->of, ctx);
        if (status)
                return status;
        c->blocked |= blocked;
        return write_verdict(c, ctx, blocked);
}

static pawl_status find_command(pawl__checker *c, const pawl__step *step)
{
        const pawl__command command = {
                .argv = step->argv, .directory = c->mission->directory, .cwd = step->how->cwd};

        if (!step->argv || !*step->argv[0]) /* or a parameter that has no value yet */
                return PAWL_OK;
        pawl_status status = pawl__command_find(&command, &c->error);

        return status ? pawl__fail_prefix(&c->error, status, "step %.*s", PAWL__FMT(step->id))
                      : PAWL_OK;
}

static pawl_status find_notify(pawl__checker *c)
{
        const pawl__command command = {
                .argv = c->mission->notify, .directory = c->mission->directory};
        pawl_status status = command.argv ? pawl__command_find(&command, &c->error) : PAWL_OK;

        return status ? pawl__fail_prefix(&c->error, status, "notify") : PAWL_OK;
}

static pawl_status check_step(checker *c, size_t index)
{
        const pawl__step *step = &c->of.mission->steps[index];
        pawl_context *ctx;

        c->at = index;
        pawl_status status = find_command(&c->of, step);

        if (status)
                return status;
        status = pawl_context_new(&ctx, pawl_mission_id(c->of.mission), "check",
                pawl_mission_step_id(c->of.mission, index), &c->of.error);
        if (status)
                return status;
        status = judge(c, ctx, step);
        if (status)
                c->of.error = ctx->error;
        pawl_context_free(ctx);
        c->checked++;
        return status;
}

static pawl_status check(checker *c, const char *step_id)
{
        const pawl_mission *mission = c->of.mission;
        pawl_status status = PAWL_OK;

        if (step_id)
                status = pawl__id_check(pawl__text(step_id), "step id", &c->of.error);
        if (!status)
                status = find_notify(&c->of);
        pawl__json_open_array(&c->w);
        for (size_t i = 0; i < mission->n_steps && !status; i++)
                if (!step_id || pawl__text_is(mission->steps[i].id, step_id))
                        status = check_step(c, i);
        pawl__json_close_array(&c->w);
        if (status)
                return status;
        if (step_id && !c->checked)
                return pawl__fail(&c->of.error, PAWL_ENOTFOUND,
                        "step %.*s: mission %.*s has none of that id; look for it in %.*s",
                        PAWL__FMT(pawl__text(step_id)), PAWL__FMT(mission->id),
                        PAWL__FMT(pawl__text(mission->path)));
        return pawl__json_end_writer(&c->w) ? pawl__nomem(&c->of.error) : PAWL_OK;
}

static pawl_status open_log(pawl__checker *c, pawl_log *log)
{
        pawl__config config;
        pawl_status status;

        if (!log)
                return PAWL_OK;
        status = pawl__config_load(&config, pawl__log_place(log), &c->error);
        if (status)
                return status;
        c->project = config.settings.strictness;
        return pawl__state_of(&c->state, log, &c->error);
}

pawl_status pawl__checker_open(pawl__checker *c, pawl_log *log)
{
        const pawl_status status = open_log(c, log);

        return status ? status : make_glossary(c, log);
}

void pawl__checker_close(pawl__checker *c)
{
        pawl__glossary_free(c->glossary);
        pawl__trust_free(&c->trust);
}

pawl_status pawl__mission_check(char **json, size_t *len, pawl_mission *mission, pawl_log *log,
        const char *step_id, pawl__problems *problems, pawl_error *err)
{
        checker c = {.of = {.mission = mission, .problems = problems}, .w = PAWL__JSON_WRITER_INIT};
        pawl_status status = pawl__mission_whole(mission, &c.of.error);

        if (!status)
                status = pawl__checker_open(&c.of, log);
        if (!status)
                status = check(&c, step_id);
        if (!status) {
                size_t n;
                char *text = pawl__buf_take(&c.w.buf, &n);
                if (text) {
                        *json = text;
                        *len = n;
                        status = c.blocked ? PAWL_BLOCKED : PAWL_OK;
                } else {
                        status = pawl__nomem(&c.of.error);
                }
        }
        if (status && status != PAWL_BLOCKED && err)
                *err = c.of.error;
        pawl__json_writer_free(&c.w);
        pawl__checker_close(&c.of);
        return status;
}

pawl_status pawl_mission_check(char **json, size_t *len, pawl_mission *mission, pawl_log *log,
        const char *step_id, pawl_error *err)
{
        TRY(pawl__mission_usable(mission, err));
        if (log)
                TRY(pawl__log_usable(log, err));

        return pawl__mission_check(json, len, mission, log, step_id, NULL, err);
}

/* Which steps of a recorded run a mission would run again, and why: nothing is run or written. */
#include "base/error.h"
#include "base/map.h"
#include "glossary/terms.h"
#include "mission/ask.h"
#include "mission/baseline.h"
#include "mission/checker.h"
#include "mission/inputs.h"
#include "mission/param_text.h"
#include "mission/params.h"
#include "mission/runner.h"
#include "mission/runs.h"
#include "pipeline/question.h"
#include <stdio.h>

enum { NAMED = 3 }; /* steps that the failure's line names */

enum { INPUTS = 1, COMMAND = 2, GLOSSARY = 4, ORDER = 8, ADDED = 16, REMOVED = 32 };

static const char *const words[] = {"inputs", "command", "glossary", "order", "added", "removed"};

typedef struct verdict {
        unsigned why;
        bool blocked;
        pawl_text from, need; /* the changed step that it takes from, and needs; absent: none */
} verdict;

typedef struct against {
        pawl__checker checker;
        const pawl_mission *mission;
        pawl_log *log;
        const char *step_id; /* NULL: all */
        pawl__run_view run;
        pawl__row *rows;
        size_t n_rows;
        pawl__map row_at, step_at;       /* by id */
        const pawl_glossary_terms *told; /* by each row */
        bool *param_changed;
        pawl__buf output, inputs, scratch;
        verdict *verdicts; /* of each step of the mission */
        pawl__mission_changes changes;
        pawl__arena arena;
        pawl_error *err;
} against;

static const pawl__row *row_of(const against *a, pawl_text step_id)
{
        const uint32_t at = pawl__map_get(&a->row_at, step_id);

        return at == PAWL__MAP_NONE ? NULL : &a->rows[at];
}

static bool changed(const verdict *v)
{
        return (v->why & ~(unsigned)REMOVED) || v->from.data || v->need.data;
}

/* ---- What is recorded ------------------------------------------------------------------------ */

static pawl_status number_ids(against *a)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < a->n_rows && !status; i++)
                status = pawl__map_put(&a->row_at, a->rows[i].v[PAWL__STEP_ID].text, (uint32_t)i);
        for (size_t i = 0; i < a->mission->n_steps && !status; i++)
                status = pawl__map_put(&a->step_at, a->mission->steps[i].id, (uint32_t)i);
        return status ? pawl__nomem(a->err) : PAWL_OK;
}

/* What each step was told when its command started. */
static pawl_status read_told(against *a)
{
        pawl__metadata *metadata = pawl__arena_array(&a->arena, a->n_rows, sizeof *metadata);
        const pawl__steps_query of = {
                .run = &a->run.row, .steps = a->rows, .n = a->n_rows, .metadata = metadata};
        pawl_glossary_terms *told = NULL;
        pawl_status status = pawl__arena_check(&a->arena, a->err);

        for (size_t i = 0; i < a->n_rows && !status; i++) {
                const uint32_t at = pawl__map_get(&a->step_at, a->rows[i].v[PAWL__STEP_ID].text);
                if (at != PAWL__MAP_NONE)
                        status = pawl__metadata_read(
                                &metadata[i], &a->arena, a->mission->steps[at].metadata, a->err);
        }
        if (!status)
                status = pawl__terms_of_steps(&told, &a->arena, a->log, &of, a->err);
        a->told = told;
        return status;
}

/* Those whose values are not what the run began with. */
static pawl_status compare_params(against *a)
{
        const size_t n = a->mission->n_params;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;

        a->param_changed = pawl__arena_array(&a->arena, n, sizeof *a->param_changed);
        if (!a->param_changed)
                return pawl__nomem(a->err);
        if (!n)
                return PAWL_OK;
        pawl_status status = pawl__log_event(
                &event, &a->arena, a->log, (uint64_t)a->run.row.v[PAWL__RUN_STARTED_SEQ].integer);
        if (status)
                return pawl__log_failed(a->log, status, a->err);
        if (event.payload.data)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, a->err);
        const pawl__node then =
                status || !tree.n ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "params");
        for (size_t i = 0; i < n && then != PAWL__NO_NODE; i++) {
                const pawl_mission_param *param = &a->mission->params[i];
                const pawl__node was = pawl__json_get(&tree, then, param->name);
                pawl__json_writer w = PAWL__JSON_WRITER_INIT;
                if (was != PAWL__NO_NODE && param->value) {
                        pawl__json_node_value(&w, pawl__json_at(&tree, was));
                        if (pawl__json_end_writer(&w))
                                status = pawl__nomem(a->err);
                        a->param_changed[i] =
                                !status && !pawl__text_is(pawl__buf_text(&w.buf), param->value);
                }
                pawl__json_writer_free(&w);
        }
        pawl__json_tree_free(&tree);
        return status;
}

/* ---- One step -------------------------------------------------------------------------------- */

/* Does the text take one? NULL takes none. */
static bool has_changed_param(const against *a, const char *text)
{
        pawl_text rest = pawl__text(text ? text : ""), name;

        while (pawl__text_next_param(&name, &rest))
                if (a->param_changed[pawl__param_find(a->mission, name) - a->mission->params])
                        return true;
        return false;
}

/* Does its command, or a variable of it, take a parameter that has another value? */
static bool takes_changed_param(const against *a, const pawl__step *step)
{
        bool takes = false;

        for (size_t i = 0; step->argv && step->argv[i]; i++)
                takes = takes || has_changed_param(a, step->word_texts[i]);
        for (size_t i = 0; i < step->how->env.n; i++)
                takes = takes || has_changed_param(a, step->how->env.items[i].text);
        for (size_t i = 0; i < a->mission->env.n; i++)
                takes = takes || has_changed_param(a, a->mission->env.items[i].text);
        return takes || has_changed_param(a, step->how->cwd_text);
}

/* The recorded output of a step. PAWL_ENOTFOUND: it has none, or not any more. */
static pawl_status output_of(pawl_text *output, pawl_text step_id, void *user, pawl_error *err)
{
        against *a = user;
        const pawl__row *row = row_of(a, step_id);
        unsigned char hash[PAWL__HASH_LEN];

        if (!row || !pawl__unhex32(hash, row->v[PAWL__STEP_OUTPUT_HASH].text))
                return pawl__fail(err, PAWL_ENOTFOUND, "step %.*s: has no output; complete it",
                        PAWL__FMT(step_id));
        pawl__buf_clear(&a->output);
        const pawl_status status = pawl__log_blob(&a->output, a->log, hash);
        if (status)
                return pawl__log_failed(a->log, status, err);
        *output = pawl__buf_text(&a->output);
        return PAWL_OK;
}

/* The step's inputs, with the recorded outputs where they are there: *whole. */
static pawl_status set_inputs(bool *whole, against *a, pawl_context *ctx, const pawl__step *step)
{
        pawl__buf_clear(&a->inputs);
        pawl_status status =
                pawl__step_inputs(&a->inputs, a->mission, step, output_of, a, &ctx->error);
        *whole = !status;
        if (status == PAWL_ENOTFOUND || status == PAWL_EPARSE || status == PAWL_ETOOBIG) {
                pawl__buf_clear(&a->inputs);
                status = pawl__step_inputs(&a->inputs, a->mission, step, NULL, NULL, &ctx->error);
        }
        return status ? status : pawl_context_set_inputs(ctx, a->inputs.data, a->inputs.len);
}

/* Was it told, or held back, otherwise than it would be now? */
static pawl_status compare_glossary(verdict *v, against *a, pawl_context *ctx, const pawl__row *row)
{
        const pawl__terms_query q = {.log = a->log,
                .state = a->checker.state,
                .glossary = a->checker.glossary,
                .metadata = &ctx->metadata,
                .run_id = a->run.row.v[PAWL__RUN_ID].text,
                .step_id = ctx->step_id,
                .inputs = ctx->inputs};
        pawl_glossary_terms now = {NULL, 0};
        pawl__row *open = NULL;
        bool other = false;
        size_t n = 0;
        pawl_status status = pawl__terms_decided(&now, &a->arena, &q, &ctx->error);

        if (!status && pawl__terms_changed(&other, &a->scratch, &a->told[row - a->rows], &now))
                status = pawl__nomem(&ctx->error);
        if (!status && !v->blocked && pawl__text_is(row->v[PAWL__STEP_STATUS].text, "blocked"))
                status = pawl__state_conflicts(&open, &n, a->checker.state,
                        a->run.row.v[PAWL__RUN_ID].text, ctx->step_id, true, &a->arena,
                        &ctx->error);
        for (size_t i = 0; i < n; i++)
                other = other || !pawl__is_question(open[i].v[PAWL__CON_TYPE].text);
        if (other || v->blocked)
                v->why |= GLOSSARY;
        return status;
}

static pawl_status judge(verdict *v, against *a, pawl_context *ctx, const pawl__step *step)
{
        static const char none[] =
                "0000000000000000000000000000000000000000000000000000000000000000";
        const pawl__row *row = row_of(a, step->id);
        const pawl_text strictness = a->run.row.v[PAWL__RUN_STRICTNESS].text;
        bool whole = false;
        pawl_status status = pawl__checker_begin(&a->checker, ctx, step);

        if (strictness.data)
                (void)pawl__strictness_of(&ctx->runtime_strictness, strictness);
        if (!status)
                status = set_inputs(&whole, a, ctx, step);
        if (!status)
                status = pawl__checker_judge(&v->blocked, &a->checker, ctx);
        if (status || !row)
                return status;
        const pawl_text then = row->v[PAWL__STEP_INPUT_HASH].text;
        if (whole && then.data && !pawl__text_is(then, none) &&
                !pawl__text_is(then, ctx->input_hash))
                v->why |= INPUTS;
        if (takes_changed_param(a, step))
                v->why |= COMMAND;
        return compare_glossary(v, a, ctx, row);
}

static pawl_status judge_step(against *a, size_t index)
{
        pawl_context *ctx;
        pawl_status status = pawl_context_new(&ctx, pawl_mission_id(a->mission), "check",
                pawl_mission_step_id(a->mission, index), a->err);

        if (status)
                return status;
        status = judge(&a->verdicts[index], a, ctx, &a->mission->steps[index]);
        if (status && a->err)
                *a->err = ctx->error;
        pawl_context_free(ctx);
        return status ? pawl__fail_prefix(
                                a->err, status, "step %.*s", PAWL__FMT(a->mission->steps[index].id))
                      : PAWL_OK;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* What the file says otherwise than the run's mission. */
static pawl_status compare_files(against *a)
{
        static const struct {
                const char *change;
                unsigned why;
        } known[] = {{"inputs", INPUTS}, {"run", COMMAND}, {"moved", ORDER}, {"added", ADDED}};
        pawl__buf recorded = PAWL__BUF_INIT;
        pawl_status status = pawl__mission_recorded(&recorded, a->log, &a->run.row, a->err);

        if (!status)
                status = pawl__mission_compare(&a->changes, &a->arena, a->mission,
                        recorded.data ? pawl__buf_text(&recorded) : (pawl_text){NULL, 0}, NULL,
                        a->rows, a->n_rows, pawl__log_hasher(a->log), a->err);
        pawl__buf_free(&recorded);
        for (size_t i = 0; i < a->changes.n && !status; i++) {
                const pawl_mission_change *change = &a->changes.items[i];
                const uint32_t at = pawl__map_get(&a->step_at, pawl__text(change->step_id));
                for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
                        if (at != PAWL__MAP_NONE && strcmp(change->change, known[k].change) == 0)
                                a->verdicts[at].why |= known[k].why;
        }
        return status;
}

/* A changed step that this node of another takes from. */
static pawl_text changed_source(const against *a, pawl__node root)
{
        const pawl__json_tree *tree = &a->mission->document.tree;
        const pawl__node end = root == PAWL__NO_NODE ? 0 : pawl__json_at(tree, root)->next;

        for (pawl__node n = root; n < end; n++) {
                pawl_text from = pawl__from_of(tree, n), id, pointer;
                if (!from.data)
                        continue;
                pawl__from_split(&id, &pointer, from);
                const uint32_t at = pawl__map_get(&a->step_at, id);
                if (at != PAWL__MAP_NONE && changed(&a->verdicts[at]))
                        return id;
        }
        return (pawl_text){NULL, 0};
}

/* What takes from a changed step, or says that it needs it; in the mission's order, so that one
 * pass finds them all. */
static void spread(against *a)
{
        for (size_t i = 0; i < a->mission->n_steps; i++) {
                const uint32_t at = a->mission->order[i];
                const pawl__step *step = &a->mission->steps[at];
                const pawl__needs *needs = &a->mission->needs[at];
                verdict *v = &a->verdicts[at];
                v->from = changed_source(a, step->inputs);
                if (!v->from.data)
                        v->from = changed_source(a, step->when);
                for (size_t k = 0; k < needs->n && step->needs_at != PAWL__NO_NODE; k++)
                        if (changed(&a->verdicts[needs->items[k]]) && !v->need.data)
                                v->need = a->mission->steps[needs->items[k]].id;
        }
}

static void write_verdict(against *a, pawl__json_writer *w, pawl_text step_id, const verdict *v)
{
        char line[200];

        if (a->step_id && !pawl__text_is(step_id, a->step_id))
                return;
        pawl__json_open_object(w);
        pawl__json_member_text(w, "step_id", step_id);
        pawl__json_member_string(w, "verdict",
                v->blocked   ? "blocked"
                : changed(v) ? "again"
                             : "same");
        pawl__json_name(w, "reasons");
        pawl__json_open_array(w);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
                if (v->why & 1U << i)
                        pawl__json_string(w, words[i]);
        snprintf(line, sizeof line, "$from %.*s", PAWL__FMT(v->from));
        if (v->from.data)
                pawl__json_string(w, line);
        snprintf(line, sizeof line, "needs %.*s", PAWL__FMT(v->need));
        if (v->need.data && !pawl__text_eq(v->need, v->from))
                pawl__json_string(w, line);
        pawl__json_close_array(w);
        pawl__json_close_object(w);
}

static pawl_status write_all(pawl__buf *json, against *a)
{
        static const verdict removed = {.why = REMOVED};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        for (size_t i = 0; i < a->mission->n_steps; i++)
                write_verdict(a, &w, a->mission->steps[i].id, &a->verdicts[i]);
        for (size_t i = 0; i < a->n_rows; i++) {
                const pawl_text id = a->rows[i].v[PAWL__STEP_ID].text;
                if (pawl__map_get(&a->step_at, id) == PAWL__MAP_NONE &&
                        !pawl__text_is(a->rows[i].v[PAWL__STEP_STATUS].text, "skipped"))
                        write_verdict(a, &w, id, &removed);
        }
        pawl__json_close_array(&w);
        if (pawl__json_end_writer(&w))
                pawl__nomem(a->err);
        else
                pawl__buf_add_text(json, pawl__buf_text(&w.buf));
        const bool failed = w.buf.failed;
        pawl__json_writer_free(&w);
        return failed ? pawl__nomem(a->err) : pawl__buf_check(json, a->err);
}

/* PAWL_EINPUTS, naming the first of them. */
static pawl_status conclude(against *a)
{
        char names[300] = "";
        size_t n = 0, len = 0;

        for (size_t i = 0; i < a->mission->n_steps; i++) {
                const pawl_text id = a->mission->steps[i].id;
                if ((a->step_id && !pawl__text_is(id, a->step_id)) ||
                        !(changed(&a->verdicts[i]) || a->verdicts[i].blocked))
                        continue;
                if (n++ < NAMED)
                        len += (size_t)snprintf(names + len, sizeof names - len, "%s%.60s",
                                n > 1 ? ", " : "", pawl_mission_step_id(a->mission, i));
        }
        if (!n)
                return PAWL_OK;
        if (n > NAMED)
                snprintf(names + len, sizeof names - len, " and %zu more", n - NAMED);
        return pawl__fail(a->err, PAWL_EINPUTS,
                "mission %.*s: would not go as run %.*s did: %s; put it back, or go on with what "
                "changed",
                PAWL__FMT(a->mission->id), PAWL__FMT(a->run.row.v[PAWL__RUN_ID].text), names);
}

static pawl_status refuse_other(against *a)
{
        const pawl_text of = a->run.row.v[PAWL__RUN_MISSION].text;
        size_t n = 0;

        if (!pawl__text_eq(a->mission->id, of))
                return pawl__fail(a->err, PAWL_EINVAL,
                        "%s: is mission %.*s, but run %.*s is one of %.*s; name a run of the mission",
                        a->mission->path, PAWL__FMT(a->mission->id),
                        PAWL__FMT(a->run.row.v[PAWL__RUN_ID].text), PAWL__FMT(of));
        for (size_t i = 0; a->step_id && i < a->mission->n_steps; i++)
                n += pawl__text_is(a->mission->steps[i].id, a->step_id);
        if (a->step_id && !n)
                return pawl__fail(a->err, PAWL_ENOTFOUND,
                        "step %.100s: mission %.*s has none of that id; look for it in %s",
                        a->step_id, PAWL__FMT(a->mission->id), a->mission->path);
        return PAWL_OK;
}

static pawl_status hold(pawl__buf *json, against *a, const char *run_id)
{
        pawl__run_steps steps;
        pawl_status status =
                pawl__run_get(&a->run, &steps, a->log, pawl__text(run_id), &a->arena, a->err);

        if (!status) {
                a->rows = steps.rows;
                a->n_rows = steps.n;
                status = refuse_other(a);
        }
        if (!status)
                status = pawl__params_complete(a->mission, a->err);
        if (!status)
                status = number_ids(a);
        if (status)
                return status;
        a->verdicts = pawl__arena_array(&a->arena, a->mission->n_steps, sizeof *a->verdicts);
        status = pawl__checker_open(&a->checker, a->log);
        if (status && a->err)
                *a->err = a->checker.error;
        if (!status)
                status = pawl__arena_check(&a->arena, a->err);
        if (!status)
                status = compare_params(a);
        if (!status)
                status = read_told(a);
        if (!status)
                status = compare_files(a);
        for (size_t i = 0; i < a->mission->n_steps && !status; i++)
                status = judge_step(a, i);
        if (status)
                return status;
        spread(a);
        status = write_all(json, a);
        return status ? status : conclude(a);
}

pawl_status pawl__mission_against(pawl__buf *json, const pawl_mission *mission, pawl_log *log,
        const char *run_id, const char *step_id, pawl__problems *problems, pawl_error *err)
{
        against a = {.checker = {.mission = mission, .problems = problems},
                .mission = mission,
                .log = log,
                .step_id = step_id,
                .err = err};
        const pawl_status status = hold(json, &a, run_id);

        pawl__checker_close(&a.checker);
        pawl__map_free(&a.row_at);
        pawl__map_free(&a.step_at);
        pawl__buf_free(&a.output);
        pawl__buf_free(&a.inputs);
        pawl__buf_free(&a.scratch);
        pawl__arena_free(&a.arena);
        return status;
}

pawl_status pawl__mission_take_recorded(
        pawl_mission *mission, pawl_log *log, const char *run_id, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__run_view run;
        pawl_status status = pawl__run_get(&run, NULL, log, pawl__text(run_id), &arena, err);

        if (!status)
                status = pawl__params_of_run(mission, log, &run.row, err);
        pawl__arena_free(&arena);
        return status;
}

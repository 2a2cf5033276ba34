/* Which steps completed with a sense that has changed since. */
#include "base/error.h"
#include "cli/pawl/senses.h"
#include "glossary/terms.h"
#include "glossary/uses.h"

typedef struct telling {
        const cli_call *cli;
        pawl_log *log;
        const pawl__row *sense;
        pawl_text mission; /* empty: any */
        pawl__automaton *term;
        pawl__state *state;
        cli_affected_steps *out;
} telling;

/* By its normal form, and by those of its aliases, which have rows of their own. */
static pawl_status find_by(telling *t, const cli_senses *senses, pawl_error *err)
{
        const pawl_text surface = t->sense->v[PAWL__SENSE_SURFACE].text;
        pawl_text *normals = pawl__arena_array(t->cli->arena, senses->n + 1, sizeof *normals);
        size_t n = 0;

        if (!normals)
                return pawl__nomem(err);
        normals[n++] = t->sense->v[PAWL__SENSE_NORMAL].text;
        for (size_t i = 0; i < senses->n; i++)
                if (pawl__text_eq(senses->rows[i].v[PAWL__SENSE_SURFACE].text, surface))
                        normals[n++] = senses->rows[i].v[PAWL__SENSE_NORMAL].text;
        return pawl__term_automaton(&t->term, normals, n, err);
}

static bool is_sense(const telling *t, const pawl_glossary_term *told)
{
        return pawl__text_eq(told->definition, t->sense->v[PAWL__SENSE_DEFINITION].text) &&
               pawl__text_eq(told->scope, t->sense->v[PAWL__SENSE_SCOPE].text) &&
               pawl__text_eq(told->term, t->sense->v[PAWL__SENSE_SURFACE].text);
}

static pawl_status add(telling *t, const pawl__row *run, const pawl__row *step, pawl_error *err)
{
        pawl__arena *arena = t->cli->arena;
        cli_affected_steps *out = t->out;
        const pawl_text run_id = run->v[PAWL__RUN_ID].text, id = step->v[PAWL__STEP_ID].text;

        for (size_t i = 0; i < out->n; i++)
                if (pawl__text_eq(out->items[i].step_id, id) &&
                        pawl__text_eq(out->items[i].run_id, run_id))
                        return PAWL_OK;
        if (pawl__grow(&out->items, &out->cap, out->n + 1, sizeof *out->items))
                return pawl__nomem(err);
        out->items[out->n++] = (cli_affected_step){.run_id = pawl__arena_copy(arena, run_id),
                .mission_id = pawl__arena_copy(arena, run->v[PAWL__RUN_MISSION].text),
                .step_id = pawl__arena_copy(arena, id),
                .rerun = run->v[PAWL__RUN_MISSION_PATH].text.data &&
                         !pawl__text_is(run->v[PAWL__RUN_STATUS].text, "completed") &&
                         !pawl__text_is(run->v[PAWL__RUN_STATUS].text, "cancelled")};
        return pawl__arena_check(arena, err);
}

/* Steps of one run that use the term: what they were told of it. */
static pawl_status look(telling *t, const pawl__row *steps, size_t n, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row run = {.v[PAWL__RUN_ID] = steps[0].v[PAWL__STEP_RUN]};
        const pawl__steps_query of = {.run = &run, .steps = steps, .n = n};
        pawl_glossary_terms *terms = NULL;
        pawl_status status = pawl__state_get(t->state, PAWL__RUNS, &run, &arena, err);
        const pawl_text mission = t->mission;

        if (!status && (!mission.len || pawl__text_eq(mission, run.v[PAWL__RUN_MISSION].text)))
                status = pawl__terms_of_steps(&terms, &arena, t->log, &of, err);
        for (size_t i = 0; terms && i < n; i++)
                for (size_t k = 0; k < terms[i].n && !status; k++)
                        if (is_sense(t, &terms[i].items[k]))
                                status = add(t, &run, &steps[i], err);
        pawl__arena_free(&arena);
        return status;
}

/* Those that use the term come to the front of their run's. */
static pawl_status look_at_runs(telling *t, pawl__row *steps, size_t n, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0, end; i < n && !status; i = end) {
                size_t used = i;
                for (end = i; end < n && !status &&
                              pawl__text_eq(steps[end].v[PAWL__STEP_RUN].text,
                                      steps[i].v[PAWL__STEP_RUN].text);
                        end++) {
                        bool uses;
                        status = pawl__step_uses(&uses, t->log, t->term, &steps[end], err);
                        if (uses) {
                                const pawl__row step = steps[end];
                                steps[end] = steps[used];
                                steps[used++] = step;
                        }
                }
                if (!status && used > i)
                        status = look(t, &steps[i], used - i, err);
        }
        return status;
}

pawl_status cli_affected_add(cli_affected_steps *out, const cli_call *cli, pawl_log *log,
        const cli_senses *senses, const pawl__row *sense, pawl_text mission, pawl_error *err)
{
        telling t = {.cli = cli, .log = log, .sense = sense, .mission = mission, .out = out};
        pawl__row *steps = NULL;
        size_t n = 0;
        pawl_status status = pawl__state_of(&t.state, log, err);

        if (!status)
                status = find_by(&t, senses, err);
        if (!status)
                status = pawl__state_completed(&steps, &n, t.state,
                        mission.len ? mission : pawl__text(NULL), cli->arena, err);
        if (!status)
                status = look_at_runs(&t, steps, n, err);
        pawl__automaton_free(t.term);
        return status;
}

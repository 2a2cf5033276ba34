/*
 * Which step of a run comes when: one begins when all that it needs are completed. A step that
 * fails or is blocked holds what needs it, and nothing else; the run then comes to the worst of
 * them.
 */
#include "base/error.h"
#include "mission/runner.h"
#include <stdlib.h>

typedef struct schedule {
        pawl__runner *r;
        pawl__map rows;  /* those of the run's steps, by id */
        uint32_t *waits; /* of each step: for so many others; TAKEN: it has begun */
        uint32_t *next;  /* the steps that need step i: next[first[i]] up to next[first[i + 1]] */
        uint32_t *first;
        size_t from; /* no step before this one is ready */
        size_t done;
        pawl_status came_to; /* PAWL_OK, or the worst of what steps came to */
        pawl_error why, failure;
} schedule;

#define TAKEN UINT32_MAX

/* ---- The graph ------------------------------------------------------------------------------ */

static pawl_status make_graph(schedule *s)
{
        const pawl_mission *mission = s->r->mission;
        const size_t n = mission->n_steps;
        size_t edges = 0;

        for (size_t i = 0; i < n; i++)
                edges += mission->needs[i].n;
        s->waits = calloc(n, sizeof *s->waits);
        s->first = calloc(n + 2, sizeof *s->first);
        s->next = calloc(edges + 1, sizeof *s->next);
        if (!s->waits || !s->first || !s->next)
                return pawl__nomem(&s->r->error);
        /* first[i + 2] counts them, then first[i + 1] is where the next of them goes. */
        for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < mission->needs[i].n; k++)
                        s->first[mission->needs[i].items[k] + 2]++;
        for (size_t i = 2; i < n + 2; i++)
                s->first[i] += s->first[i - 1];
        for (size_t i = 0; i < n; i++) {
                s->waits[i] = (uint32_t)mission->needs[i].n;
                for (size_t k = 0; k < mission->needs[i].n; k++)
                        s->next[s->first[mission->needs[i].items[k] + 1]++] = (uint32_t)i;
        }
        return PAWL_OK;
}

/* The first in the file of those that wait for nothing; n_steps: none is ready. */
static size_t take_ready(schedule *s)
{
        const size_t n = s->r->mission->n_steps;

        while (s->from < n && s->waits[s->from])
                s->from++;
        if (s->from < n)
                s->waits[s->from] = TAKEN;
        return s->from;
}

static void completed(schedule *s, size_t step)
{
        s->done++;
        for (uint32_t i = s->first[step]; i < s->first[step + 1]; i++) {
                const uint32_t next = s->next[i];
                if (--s->waits[next] == 0 && next < s->from)
                        s->from = next;
        }
}

/* ---- Its steps ------------------------------------------------------------------------------ */

/* How bad it is for a run that a step came to this; 0: it is over at once. */
static int weight(pawl_status status)
{
        return status == PAWL_ESTEP     ? 3
               : status == PAWL_EINPUTS ? 2
               : status == PAWL_BLOCKED ? 1
                                        : 0;
}

static void keep_worst(schedule *s, pawl_status status)
{
        pawl__runner *r = s->r;

        if (weight(status) <= weight(s->came_to))
                return;
        s->came_to = status;
        s->why = r->error;
        s->failure = r->failure;
}

static pawl_status run_step(schedule *s, size_t index)
{
        pawl__runner *r = s->r;
        pawl__step_run p = {.r = r, .step = &r->mission->steps[index], .index = index};
        const uint32_t at = pawl__map_get(&s->rows, p.step->id);

        if (at != PAWL__MAP_NONE)
                p.row = &r->rows[at];
        if (p.row && pawl__text_is(p.row->v[PAWL__STEP_STATUS].text, "completed")) {
                pawl__step_run_progress(&p, PAWL_STEP_SKIPPED);
                completed(s, index);
                return PAWL_OK;
        }
        pawl_status status = pawl__step_run_begin(&p);
        pawl_context_free(p.ctx);
        if (weight(status)) {
                keep_worst(s, status);
                return PAWL_OK;
        }
        if (status)
                return status;
        completed(s, index);
        /* the end takes that of the last one, but of a submitted run */
        if (s->done < r->mission->n_steps || r->directory)
                status = pawl__runner_snapshot(r, p.step->id, NULL, NULL);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status run_all(schedule *s)
{
        pawl__runner *r = s->r;

        for (;;) {
                const size_t step = take_ready(s);
                if (step == r->mission->n_steps)
                        break;
                pawl_status status = pawl__runner_signalled(r, 0);
                if (!status)
                        status = pawl__runner_in_time(r);
                if (!status)
                        status = run_step(s, step);
                if (status)
                        return status;
        }
        if (s->came_to) {
                r->error = s->why;
                r->failure = s->failure;
        }
        return s->came_to;
}

pawl_status pawl__runner_steps(pawl__runner *r)
{
        schedule s = {.r = r, .rows = PAWL__MAP_INIT};
        pawl_status status;

        status = pawl__glossary_load(
                r->glossary, r->state, r->mission->id, r->refs, r->n_refs, &r->error);
        if (status)
                return status;
        pawl__pipeline_use_glossary(r->pipeline, r->glossary, r->refs, r->n_refs);
        for (size_t i = 0; i < r->n_rows && !status; i++)
                if (pawl__map_put(&s.rows, r->rows[i].v[PAWL__STEP_ID].text, (uint32_t)i))
                        status = pawl__nomem(&r->error);
        if (!status)
                status = make_graph(&s);
        if (!status)
                status = run_all(&s);
        pawl__map_free(&s.rows);
        free(s.waits);
        free(s.next);
        free(s.first);
        return status;
}

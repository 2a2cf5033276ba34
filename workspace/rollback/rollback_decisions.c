/* The answers that a mission was given since the checkpoint: kept, or, where that was asked for,
 * set aside, so that they are asked for again; an undo puts them in force again. */
#include "glossary/seed.h"
#include "workspace/rollback/rollback_internal.h"

static const char by_rollback[] = "rollback", by_undo[] = "undo";

typedef struct deciding {
        pawl__batch *batch;
        pawl_rollback_plan *p;
        pawl_event like;
        int64_t since;
} deciding;

/* A mission has one answer a surface, of no seed's version. */
static bool is_answer(const deciding *d, const pawl__row *row)
{
        const pawl__value *v = row->v;

        return pawl__text_is(v[PAWL__SENSE_SCOPE].text, "mission_local") &&
               v[PAWL__SENSE_VERSION].text.len == 0 && v[PAWL__SENSE_IDENTITY].text.len == 0 &&
               pawl__text_eq(v[PAWL__SENSE_MISSION].text, d->like.mission_id) &&
               v[PAWL__SENSE_SEQ].integer > d->since;
}

/* What was dropped comes back with an undo; what an undo brought back goes with the next one. */
static pawl_status decide(const pawl__row *row, void *user, pawl_error *err)
{
        deciding *d = user;
        const pawl__value *v = row->v;
        const bool active = pawl__text_is(v[PAWL__SENSE_STATUS].text, "active");
        const bool comes = !active && pawl__text_is(v[PAWL__SENSE_SOURCE].text, by_rollback);
        const bool goes = active && pawl__text_is(v[PAWL__SENSE_SOURCE].text, by_undo);
        const pawl__sense sense = {.surface = v[PAWL__SENSE_SURFACE].text,
                .normal = v[PAWL__SENSE_NORMAL].text,
                .definition = v[PAWL__SENSE_DEFINITION].text,
                .scope = PAWL__MISSION_LOCAL,
                .confidence = v[PAWL__SENSE_CONFIDENCE].real,
                .status = comes ? PAWL__ACTIVE : PAWL__DEPRECATED,
                .answered = true};

        if (!is_answer(d, row) || !(d->p->plan.undo ? comes || goes : active))
                return PAWL_OK;
        return pawl__sense_updated(d->batch, &sense, pawl__text(NULL),
                comes ? by_undo : by_rollback, true, &d->like, err);
}

pawl_status pawl__rollback_decisions(
        pawl__batch *batch, pawl_rollback_plan *p, pawl__workspace *ws, pawl_error *err)
{
        deciding d = {.batch = batch,
                .p = p,
                .like = {.mission_id = p->answers_of,
                        .actor = p->actor,
                        .time_us = pawl__wall_us(ws->log)},
                .since = p->plan.undo ? p->undone.v[PAWL__RB_ENDED_SEQ].integer
                                      : p->target.v[PAWL__WCP_SEQ].integer};

        if (!p->answers_of.data || (!p->plan.undo && !p->plan.drop_decisions))
                return PAWL_OK;
        return pawl__state_each(ws->state, PAWL__SENSES, decide, &d, err);
}

/* One session with its steps, its checkpoints and the commit that it stood at. */
#include "base/error.h"
#include "session/handoff.h"
#include <stdlib.h>

/* What the caller gets comes first, so that a pointer to it is one to this. */
typedef struct details {
        pawl_session_details public;
        pawl__arena arena;
} details;

void pawl_session_details_free(pawl_session_details *public)
{
        details *d = (details *)public;

        if (!d)
                return;
        pawl__arena_free(&d->arena);
        free(d);
}

static pawl_session_step *put_steps(pawl_session_step *to, const pawl__hand_steps *steps)
{
        for (size_t i = 0; i < steps->n; i++)
                *to++ = (pawl_session_step){
                        steps->list[i].row->v[PAWL__STEP_ID].text, steps->list[i].status};
        return to;
}

static pawl_status take_steps(details *d, const pawl__handoff *h, pawl_error *err)
{
        const size_t n = h->done.n + h->at_hand.n + h->next.n;
        pawl_session_step *steps = pawl__arena_array(&d->arena, n, sizeof *steps);

        if (!steps)
                return pawl__nomem(err);
        put_steps(put_steps(put_steps(steps, &h->done), &h->at_hand), &h->next);
        d->public.steps = steps;
        d->public.n_steps = n;
        return PAWL_OK;
}

static pawl_status take_checkpoints(
        details *d, pawl_log *log, const pawl__row *session, pawl_error *err)
{
        pawl__session_mark *marks = NULL;
        size_t n = 0;
        const pawl_status status = pawl__session_marks(&marks, &n, log, session, &d->arena, err);

        if (status)
                return status;
        pawl_session_checkpoint_info *to = pawl__arena_array(&d->arena, n, sizeof *to);
        if (!to)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++)
                to[i] = (pawl_session_checkpoint_info){
                        marks[i].seq, marks[i].time_us, marks[i].reason};
        d->public.checkpoints = to;
        d->public.n_checkpoints = n;
        return PAWL_OK;
}

static pawl_status take_captures(
        details *d, pawl__state *state, const pawl__row *session, pawl_error *err)
{
        pawl__hand_checkpoint *taken = NULL;
        size_t n = 0;
        const pawl_status status =
                pawl__session_captures(&taken, &n, state, session, &d->arena, err);

        if (status)
                return status;
        pawl_session_capture *to = pawl__arena_array(&d->arena, n, sizeof *to);
        if (!to)
                return pawl__nomem(err);
        for (size_t i = 0; i < n; i++) {
                to[i] = (pawl_session_capture){.n = (uint64_t)taken[i].n,
                        .id = taken[i].id,
                        .step_id = taken[i].step_id,
                        .description = taken[i].description,
                        .git_head = taken[i].git_head,
                        .git_branch = taken[i].git_branch,
                        .created_us = taken[i].created_us};
                d->public.commit = to[i].git_head;
                d->public.branch = to[i].git_branch;
        }
        d->public.captures = to;
        d->public.n_captures = n;
        return PAWL_OK;
}

static pawl_status fill(details *d, pawl_log *log, const char *session_id, pawl_error *err)
{
        pawl__state *state;
        pawl__row session;
        pawl__handoff hand;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__sessions_settle_if_room(log, state, err);
        if (!status)
                status = pawl__session_find(
                        &session, state, session_id, (pawl_text){NULL, 0}, &d->arena, err);
        if (!status)
                status = pawl__session_view(
                        &d->public.session, log, state, &session, &d->arena, err);
        if (!status)
                status = pawl__handoff_gather(&hand, log, state, &session, &d->arena, err);
        if (!status)
                status = take_steps(d, &hand, err);
        if (!status)
                status = take_checkpoints(d, log, &session, err);
        return status ? status : take_captures(d, state, &session, err);
}

pawl_status pawl_session_find(
        pawl_session_details **out, pawl_log *log, const char *session_id, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        details *d = calloc(1, sizeof *d);
        const pawl_status status = d ? fill(d, log, session_id, err) : pawl__nomem(err);

        if (status && d)
                pawl_session_details_free(&d->public);
        if (status)
                return status;
        *out = &d->public;
        return PAWL_OK;
}

/*
 * Which step of a run comes when: one begins when all that it needs are completed. A step that
 * fails or is blocked holds what needs it, and nothing else; the run then comes to the worst of
 * them.
 */
#include "base/error.h"
#include "glossary/past.h"
#include "mission/command_io.h"
#include "mission/ready.h"
#include "mission/runner.h"
#include "pipeline/question.h"
#include <stdio.h>
#include <stdlib.h>

struct blocked {
        uint32_t step;
        pawl_text why; /* in the runner's arena */
};

typedef struct schedule {
        pawl__runner *r;
        pawl__row row; /* of the step that begins */
        pawl__arena scratch;
        pawl__ready_steps ready;
        pawl__step_run
                *slots; /* those at work, or that wait for another attempt; step NULL: free */
        size_t n_slots, used;
        uint32_t *unasked; /* with questions that nobody was asked while others were at work */
        size_t n_unasked;
        struct blocked *blocked; /* those that wait for answers */
        size_t n_blocked;
        bool looks;          /* steps may be known to a run that begins here, too */
        pawl_status came_to; /* PAWL_OK, or the worst of what steps came to */
        pawl_error why, failure;
        pawl_status stop; /* nothing begins any more; what is at work is ended */
        pawl_error stop_why;
        bool told; /* stop_why is what a step came to by it */
} schedule;

/* ---- Its steps ------------------------------------------------------------------------------ */

/* How bad it is for a run that a step came to this; 0: it is over at once. */
static int weight(pawl_status status)
{
        return status == PAWL_ESTEP     ? 3
               : status == PAWL_EINPUTS ? 2
               : status == PAWL_BLOCKED ? 1
                                        : 0;
}

/* An answer that comes while others are at work lets it begin anew. */
static pawl_status keep_blocked(schedule *s, size_t step)
{
        pawl__runner *r = s->r;
        bool ok = true;
        const pawl_text why = pawl__arena_text(&r->arena, pawl__text(r->error.message), &ok);

        s->blocked[s->n_blocked++] = (struct blocked){(uint32_t)step, why};
        return ok ? PAWL_OK : pawl__nomem(&r->error);
}

/* The reason of the run names each failed step, as far as there is room. */
static void add_failure(pawl_error *all, const char *more)
{
        static const char rest[] = "; and others";
        const size_t len = strlen(all->message);

        if (len + strlen(more) + sizeof rest + 2 <= sizeof all->message)
                snprintf(all->message + len, sizeof all->message - len, "; %s", more);
        else if (len < sizeof rest || strcmp(all->message + len + 1 - sizeof rest, rest) != 0)
                snprintf(all->message + len, sizeof all->message - len, "%s", rest);
}

static void keep_worst(schedule *s, pawl_status status)
{
        pawl__runner *r = s->r;

        if (status == PAWL_ESTEP && s->came_to == PAWL_ESTEP) {
                pawl__runner_notice(r, r->error.message);
                add_failure(&s->failure, r->failure.message);
        }
        if (weight(status) <= weight(s->came_to))
                return;
        s->came_to = status;
        s->why = r->error;
        s->failure = r->failure;
}

/* ---- Stopping ------------------------------------------------------------------------------- */

static void free_slot(schedule *s, pawl__step_run *p)
{
        pawl_context_free(p->ctx);
        pawl__step_log_free(p->log);
        *p = (pawl__step_run){.step = NULL};
        s->used--;
}

/* Commands get the signal that ended the run, else TERM; who waits for another attempt goes. */
static void end_all(schedule *s)
{
        pawl__runner *r = s->r;

        for (size_t i = 0; i < s->n_slots; i++) {
                pawl__child *child = pawl__step_run_child(&s->slots[i]);
                if (child && r->signal && !child->interrupted_by)
                        pawl__child_forward(child, r->signal);
                else if (child && !r->signal)
                        pawl__child_stop(child, s->stop);
                else if (s->slots[i].step && !child)
                        free_slot(s, &s->slots[i]);
        }
}

/* What stopped the run first counts; but what a step came to by a signal says more than that there
 * was one. */
static void stop(schedule *s, pawl_status status, bool of_step)
{
        const bool first = !s->stop;

        if (first || (status == PAWL_EINTERRUPTED && s->stop == status && of_step && !s->told))
                s->stop_why = s->r->error;
        s->told = s->told || of_step;
        if (!first)
                return;
        s->stop = status;
        end_all(s);
}

/* ---- Its steps ------------------------------------------------------------------------------ */

static pawl_status take_snapshot(schedule *s, size_t step)
{
        pawl__runner *r = s->r;

        r->n_running = 0;
        for (size_t i = 0; i < s->n_slots; i++)
                if (s->slots[i].step && s->slots[i].work)
                        r->running[r->n_running++] = s->slots[i].step->id;
        const pawl_status status = pawl__runner_snapshot(r, r->mission->steps[step].id, NULL, NULL);
        r->n_running = 0;
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* In a pass with others at work nobody is asked: they would wait for the answer, too. */
static void let_ask(const schedule *s)
{
        s->r->others_wait = s->used > 1;
        s->r->put_off = false;
        pawl__pipeline_ask(s->r->pipeline, s->used == 1);
}

/* Was anybody there who could be asked, had the step been at work alone? */
static bool puts_off(const schedule *s, pawl_status status)
{
        const pawl_run_options *options = &s->r->options;

        if (status == PAWL_EINPUTS)
                return s->r->put_off;
        return status == PAWL_BLOCKED && s->used > 1 &&
               (options->clarify || options->clarify_terms);
}

/* What has come of a step so far. */
static void settle(schedule *s, pawl__step_run *p, pawl_status status)
{
        pawl__runner *r = s->r;
        const size_t step = p->index;
        const bool unasked = puts_off(s, status);
        const bool asks = status == PAWL_BLOCKED && p->ctx && pawl_context_conflicts(p->ctx);

        if (!status && (p->work || ((p->passed || p->again) && !s->stop)))
                return;
        const bool left = (p->passed || p->again) && !status;
        free_slot(s, p);
        if (left)
                return;
        if (unasked) {
                s->unasked[s->n_unasked++] = (uint32_t)step;
        } else if (asks) {
                status = keep_blocked(s, step);
                if (status)
                        stop(s, status, false);
        } else if (weight(status)) {
                keep_worst(s, status);
        } else if (status) {
                stop(s, status, true);
        } else {
                pawl__ready_completed(&s->ready, step);
                /* the end takes that of the last one, but of a submitted run */
                if (s->ready.done < r->mission->n_steps || r->directory)
                        status = take_snapshot(s, step);
                if (status)
                        stop(s, status, false);
        }
}

static void begin(schedule *s, size_t index, const pawl__row *row)
{
        pawl__runner *r = s->r;
        pawl__step_run *p = s->slots;

        while (p->step)
                p++;
        *p = (pawl__step_run){
                .r = r, .step = &r->mission->steps[index], .index = index, .row = row};
        s->used++;
        let_ask(s);
        const pawl_status status = pawl__step_run_begin(p);
        p->row = NULL;
        settle(s, p, status);
}

/* A step as it is. NULL: the run does not know it yet. */
static pawl_status find_row(const pawl__row **out, schedule *s, size_t index)
{
        pawl__runner *r = s->r;

        *out = NULL;
        pawl__arena_clear(&s->scratch);
        s->row = (pawl__row){.v[PAWL__STEP_RUN].text = r->run_id,
                .v[PAWL__STEP_ID].text = r->mission->steps[index].id};
        const pawl_status status =
                pawl__state_get(r->state, PAWL__STEPS, &s->row, &s->scratch, &r->error);
        if (!status && s->row.v[PAWL__STEP_ORDER_SEQ].integer >= r->started_seq)
                *out = &s->row;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static void begin_or_pass(schedule *s, size_t index)
{
        pawl__runner *r = s->r;
        const pawl__step_run p = {.r = r, .step = &r->mission->steps[index], .index = index};
        const pawl__row *row = NULL;
        pawl_status status = PAWL_OK;

        if (r->started_seq || s->looks) /* one that begins here has nothing to be found */
                status = find_row(&row, s, index);
        const bool completed = row && pawl__text_is(row->v[PAWL__STEP_STATUS].text, "completed");
        if (!status && completed)
                status = pawl__step_counts(r, index, row);
        if (status) {
                stop(s, status, false);
        } else if (completed) {
                pawl__step_run_progress(&p, pawl__text_is(pawl__row_step_status(row), "skipped")
                                                    ? PAWL_STEP_LEFT_OUT
                                                    : PAWL_STEP_SKIPPED);
                pawl__ready_completed(&s->ready, index);
        } else {
                begin(s, index, row);
        }
}

static void begin_as_many(schedule *s)
{
        pawl__runner *r = s->r;

        while (!s->stop && s->used < s->n_slots) {
                const size_t step = pawl__ready_take(&s->ready);
                if (step == r->mission->n_steps)
                        return;
                pawl_status status = pawl__runner_signalled(r, 0);
                if (!status)
                        status = pawl__runner_in_time(r);
                if (status)
                        stop(s, status, false);
                else
                        begin_or_pass(s, step);
        }
}

/* The first commit takes what lets all of them start. */
static bool start_passed(schedule *s)
{
        bool any = false;

        for (size_t i = 0; i < s->n_slots && !s->stop; i++) {
                pawl__step_run *p = &s->slots[i];
                if (!p->passed)
                        continue;
                any = true;
                settle(s, p, pawl__step_run_start(p));
        }
        return any;
}

/* One that ends at once, since its command is not there, makes room for others. */
static void begin_ready(schedule *s)
{
        do
                begin_as_many(s);
        while (start_passed(s));
}

/* Nothing is at work: the questions that were put off are asked. The steps are at checkpoints of
 * this session. */
static bool ask_next(schedule *s)
{
        const pawl__row *row;

        if (s->stop || !s->n_unasked)
                return false;
        const size_t step = s->unasked[0];
        memmove(s->unasked, s->unasked + 1, --s->n_unasked * sizeof *s->unasked);
        const pawl_status status = find_row(&row, s, step);
        if (status)
                stop(s, status, false);
        else
                begin(s, step, row);
        return !s->stop;
}

/* Others may have answered while steps were at work. False: nobody has. */
static bool take_answered(schedule *s)
{
        pawl__runner *r = s->r;
        const size_t n = s->n_blocked;
        pawl__row *open;
        size_t n_open = 0;

        if (s->stop || !n)
                return false;
        pawl__arena_clear(&s->scratch);
        pawl_status status = pawl__questions_settle(NULL, r->log, r->state, &r->error);
        if (!status)
                status = pawl__state_conflicts(&open, &n_open, r->state, r->run_id,
                        (pawl_text){NULL, 0}, true, &s->scratch, &r->error);
        if (status) {
                stop(s, status, false);
                return false;
        }
        s->n_blocked = 0;
        for (size_t i = 0; i < n; i++) {
                const struct blocked *one = &s->blocked[i];
                const pawl_text id = r->mission->steps[one->step].id;
                size_t k = 0;
                while (k < n_open && !pawl__text_eq(open[k].v[PAWL__CON_STEP].text, id))
                        k++;
                if (k < n_open)
                        s->blocked[s->n_blocked++] = *one;
                else
                        pawl__ready_again(&s->ready, one->step);
        }
        s->looks = s->looks || s->n_blocked < n;
        return s->n_blocked < n;
}

/* ---- Waiting -------------------------------------------------------------------------------- */

/* What was put into the batch is in the log before it is waited. */
static pawl_status commit(pawl__runner *r)
{
        pawl_status status = PAWL_OK;

        if (pawl__pipeline_batch(r->pipeline)->n)
                status = pawl_pipeline_flush(r->pipeline);
        if (status) {
                r->error = *pawl__pipeline_error(r->pipeline);
                return status;
        }
        return pawl__runner_snapshot_settle(r);
}

/* Until something else than a command is due. */
static int64_t wait_ms(const schedule *s)
{
        const pawl__runner *r = s->r;
        int64_t at = r->look_at;

        if (r->deadline_ms && r->deadline_ms < at)
                at = r->deadline_ms;
        for (size_t i = 0; i < s->n_slots; i++)
                if (s->slots[i].step && !s->slots[i].work && s->slots[i].due_ms < at)
                        at = s->slots[i].due_ms;
        const int64_t ms = at - pawl__boot_ms(r->log);
        return ms > 0 ? ms : 0;
}

static pawl_status wait_for_any(schedule *s)
{
        pawl__runner *r = s->r;
        pawl__child *list[PAWL__COMMANDS_MOST];
        size_t n = 0;
        pawl_status status = pawl__runner_keep_claim(r);

        for (size_t i = 0; i < s->n_slots; i++)
                if (s->slots[i].work)
                        list[n++] = pawl__step_run_child(&s->slots[i]);
        if (status)
                return status;
        if (!n) {
                status = pawl__runner_signalled(r, (int)wait_ms(s));
                return status ? status : pawl__runner_in_time(r);
        }
        const int signal =
                pawl__children_wait(list, n, &r->options.signal_fd, s->stop ? -1 : wait_ms(s));
        return signal ? pawl__runner_interrupted(r, signal) : PAWL_OK;
}

static void wait_once(schedule *s)
{
        pawl__runner *r = s->r;
        pawl_status status = s->stop ? PAWL_OK : commit(r);

        if (!status)
                status = wait_for_any(s);
        if (status)
                stop(s, status, false);
        for (size_t i = 0; i < s->n_slots; i++) {
                pawl__step_run *p = &s->slots[i];
                const bool done = p->work && pawl__child_done(pawl__step_run_child(p));
                if (!done && (!p->again || p->work || s->stop))
                        continue;
                let_ask(s);
                status = done ? pawl__step_run_ended(p) : PAWL_OK;
                if (!status && !s->stop)
                        status = pawl__step_run_go_on(p);
                settle(s, p, status);
        }
}

static pawl_status run_all(schedule *s)
{
        pawl__runner *r = s->r;

        do {
                begin_ready(s);
                while (s->used) {
                        wait_once(s);
                        begin_ready(s);
                }
        } while (take_answered(s) || ask_next(s));
        if (s->stop) {
                r->error = s->stop_why;
                return s->stop;
        }
        if (s->came_to) {
                r->error = s->why;
                r->failure = s->failure;
                return s->came_to;
        }
        if (s->n_blocked)
                return pawl__fail(&r->error, PAWL_BLOCKED, "%s", s->blocked[0].why.data);
        return PAWL_OK;
}

static pawl_status make_slots(schedule *s)
{
        const pawl_mission *mission = s->r->mission;

        s->n_slots = mission->parallel;
        s->slots = calloc(s->n_slots, sizeof *s->slots);
        s->unasked = calloc(mission->n_steps, sizeof *s->unasked);
        s->blocked = calloc(mission->n_steps, sizeof *s->blocked);
        return s->slots && s->unasked && s->blocked ? PAWL_OK : pawl__nomem(&s->r->error);
}

pawl_status pawl__runner_steps(pawl__runner *r)
{
        schedule s = {.r = r, .scratch = PAWL__ARENA_INIT};
        pawl_status status = r->stopped ? PAWL_EINTERRUPTED : pawl__runner_require_signed(r);

        if (!status && r->resumes)
                status = pawl__past_present(&r->glossary, &r->hidden, &r->arena, r->log, &r->begun,
                        &r->filter, &r->error);
        else if (!status)
                status = pawl__glossary_load(
                        r->glossary, r->state, r->mission->id, r->refs, r->n_refs, &r->error);
        if (status)
                return status;
        pawl__pipeline_use_glossary(r->pipeline, r->glossary, r->refs, r->n_refs, &r->hidden);
        if (!r->changes_open) /* else it is recorded when the step that changed passes */
                pawl__document_drop_tree(&r->mission->document);
        status = pawl__ready_make(&s.ready, r->mission, &r->error);
        if (!status)
                status = make_slots(&s);
        if (!status)
                status = run_all(&s);
        pawl__watchers_end(&r->watchers); /* they have the run's lock, too */
        pawl__step_terms_tidy(r->log, r->run_id, r->n_terms);
        pawl__arena_free(&s.scratch);
        pawl__ready_free(&s.ready);
        free(s.slots);
        free(s.unasked);
        free(s.blocked);
        return status;
}

#include "state/verified.h"
#include "base/error.h"
#include "base/map.h"
#include "events/log.h"
#include "state/projection.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A step's past, beside its row. */
struct step_past {
        bool again;          /* it was begun although it had completed */
        uint64_t blocked;    /* its last GenerationBlocked since it was started; 0: none */
        char blocked_on[65]; /* the hash of its inputs then */
        pawl_text question;  /* id of the question that it asked last; absent: none */
        uint32_t completion; /* index of the last one + 1; 0: none */
};

struct pawl__verified_fold {
        size_t users; /* pawl__state_verify() less pawl__state_unverify() */
        pawl__store *store;
        pawl__applier applier;
        pawl__json_tree tree; /* the payload of the event, before it is applied */
        pawl__buf key;
        pawl__arena arena;   /* keys of the maps */
        pawl__arena scratch; /* rows as they were before the event */
        int64_t latest_us;
        uint64_t glossary; /* the last change of it that was no answer */
        pawl__map asked_at, step_at;
        pawl__asked *asked;
        struct step_past *steps;
        pawl__verified_answer *answers;
        pawl__verified_completion *completions;
        size_t n_asked, cap_asked, n_steps, cap_steps, n_answers, cap_answers, n_completions,
                cap_completions;
};

void pawl__verified_free(pawl__verified_fold *f)
{
        if (!f)
                return;
        if (f->store)
                f->store->free(f->store);
        pawl__json_tree_free(&f->applier.tree);
        pawl__arena_free(&f->applier.arena);
        pawl__json_tree_free(&f->tree);
        pawl__buf_free(&f->key);
        pawl__map_free(&f->asked_at);
        pawl__map_free(&f->step_at);
        pawl__arena_free(&f->arena);
        pawl__arena_free(&f->scratch);
        free(f->asked);
        free(f->steps);
        free(f->answers);
        free(f->completions);
        free(f);
}

/* ---- Facts beside the rows ------------------------------------------------------------------- */

static pawl_status step_key(pawl__verified_fold *f, pawl_text run_id, pawl_text step_id)
{
        pawl__buf_clear(&f->key);
        pawl__buf_add_text(&f->key, run_id);
        pawl__buf_addc(&f->key, '\xff'); /* which no id has */
        pawl__buf_add_text(&f->key, step_id);
        return pawl__buf_check(&f->key, NULL);
}

/* The step's, made at the first event of it. */
static pawl_status step_of(
        struct step_past **out, pawl__verified_fold *f, const pawl_event *event, pawl_error *err)
{
        if (step_key(f, event->run_id, event->step_id))
                return pawl__nomem(err);
        uint32_t at = pawl__map_get(&f->step_at, pawl__buf_text(&f->key));
        if (at == PAWL__MAP_NONE) {
                at = (uint32_t)f->n_steps;
                if (pawl__grow(&f->steps, &f->cap_steps, f->n_steps + 1, sizeof *f->steps) ||
                        pawl__map_put_copy(&f->step_at, &f->arena, pawl__buf_text(&f->key), at))
                        return pawl__nomem(err);
                f->steps[f->n_steps++] = (struct step_past){.completion = 0};
        }
        *out = &f->steps[at];
        return PAWL_OK;
}

static bool is(const pawl__verified_fold *f, const char *name, pawl_text value)
{
        return pawl__text_eq(pawl__json_get_text(&f->tree, 0, name), value);
}

static bool is_true(const pawl__verified_fold *f, const char *name)
{
        const pawl__node node = pawl__json_get(&f->tree, 0, name);

        return node != PAWL__NO_NODE && pawl__json_at(&f->tree, node)->type == PAWL__JSON_TRUE;
}

static void copy_hash(char out[65], pawl_text hash)
{
        snprintf(out, 65, "%.*s", PAWL__FMT(hash));
}

/* An event, and the rows that it is about as they were before it. */
typedef struct change {
        const pawl_event *event;
        pawl__row conflict, step;
        bool open, completed; /* the conflict has no answer; the step has completed */
} change;

static pawl_status note_asked(pawl__verified_fold *f, const change *c, pawl_error *err)
{
        const pawl_text id = c->conflict.v[PAWL__CON_ID].text;
        uint32_t at = pawl__map_get(&f->asked_at, id);
        struct step_past *step;
        pawl_status status = step_of(&step, f, c->event, err);

        if (status)
                return status;
        if (is(f, "conflict_type", pawl__text("question")))
                step->question = pawl__arena_copy(&f->arena, id);
        const bool first = at == PAWL__MAP_NONE;
        if (first) {
                at = (uint32_t)f->n_asked;
                if (pawl__grow(&f->asked, &f->cap_asked, f->n_asked + 1, sizeof *f->asked) ||
                        pawl__map_put_copy(&f->asked_at, &f->arena, id, at))
                        return pawl__nomem(err);
                f->n_asked++;
        }
        if (first || !c->open)
                f->asked[at].since_us = f->latest_us;
        f->asked[at].seq = c->event->seq;
        return pawl__arena_check(&f->arena, err);
}

static int by_seq(const void *key, const void *item)
{
        const uint64_t a = *(const uint64_t *)key;
        const uint64_t b = ((const pawl__verified_answer *)item)->seq;

        return (a > b) - (a < b);
}

static pawl__verified_answer *answer_at(const pawl__verified_fold *f, uint64_t seq)
{
        return f->n_answers ? bsearch(&seq, f->answers, f->n_answers, sizeof *f->answers, by_seq)
                            : NULL;
}

static pawl_status note_answer(pawl__verified_fold *f, const change *c, pawl_error *err)
{
        const uint32_t at = pawl__map_get(&f->asked_at, c->conflict.v[PAWL__CON_ID].text);

        if (pawl__grow(&f->answers, &f->cap_answers, f->n_answers + 1, sizeof *f->answers))
                return pawl__nomem(err);
        pawl__verified_answer *former =
                c->open ? NULL
                        : answer_at(f, (uint64_t)c->conflict.v[PAWL__CON_RESOLVED_SEQ].integer);
        if (former)
                former->replaced = true;
        f->answers[f->n_answers++] = (pawl__verified_answer){.seq = c->event->seq,
                .asked = at == PAWL__MAP_NONE ? (pawl__asked){0} : f->asked[at],
                .replaces = c->open ? 0 : (uint64_t)c->conflict.v[PAWL__CON_RESOLVED_SEQ].integer,
                .time_us = f->latest_us,
                .run_id = pawl__arena_copy(&f->arena, c->conflict.v[PAWL__CON_RUN].text),
                .step_id = pawl__arena_copy(&f->arena, c->conflict.v[PAWL__CON_STEP].text)};
        return pawl__arena_check(&f->arena, err);
}

static bool status_is(const change *c, const char *status)
{
        return pawl__text_is(c->step.v[PAWL__STEP_STATUS].text, status);
}

static pawl_status note_completed(pawl__verified_fold *f, const change *c, pawl_error *err)
{
        struct step_past *step;
        pawl__verified_completion done = {.seq = c->event->seq,
                .forked = is_true(f, "forked"),
                .skipped = is_true(f, "skipped"),
                .when = is(f, "reason", pawl__text("when")),
                .glossary = f->glossary};
        pawl_status status = step_of(&step, f, c->event, err);

        if (!status && pawl__grow(&f->completions, &f->cap_completions, f->n_completions + 1,
                               sizeof *f->completions))
                status = pawl__nomem(err);
        if (!status && step->question.data) {
                pawl__row asked = {.v[PAWL__CON_ID].text = step->question};
                status = f->store->get(f->store, PAWL__CONFLICTS, &asked, err);
                if (!status)
                        done.answer = (uint64_t)asked.v[PAWL__CON_RESOLVED_SEQ].integer;
                status = status == PAWL_ENOTFOUND ? PAWL_OK : status;
                done.asked = true;
        }
        if (status)
                return status;
        copy_hash(done.output_hash, pawl__json_get_text(&f->tree, 0, "output_hash"));
        const bool passed =
                status_is(c, "running") &&
                is(f, "input_hash", c->step.v[PAWL__STEP_INPUT_HASH].text) &&
                (pawl__text_is(c->step.v[PAWL__STEP_CURSOR].text, "post_gate") ||
                        pawl__text_is(c->step.v[PAWL__STEP_CURSOR].text, "post_generation"));
        done.legal = !step->again && (done.forked                        ? status_is(c, "pending")
                                             : done.skipped && done.when ? !c->completed
                                             : done.skipped              ? status_is(c, "failed")
                                                                         : passed);
        done.blocked = step->blocked;
        done.other_inputs = step->blocked && !is(f, "input_hash", pawl__text(step->blocked_on));
        done.before = step->completion;
        f->completions[f->n_completions++] = done;
        step->completion = (uint32_t)f->n_completions;
        return PAWL_OK;
}

static pawl_status note_begun(
        pawl__verified_fold *f, const change *c, pawl__event_type type, pawl_error *err)
{
        struct step_past *step;
        const pawl_status status = step_of(&step, f, c->event, err);

        if (status)
                return status;
        if (type == PAWL__GENERATION_BLOCKED) {
                const pawl__node by = pawl__json_get(&f->tree, 0, "conflicts");
                if (by == PAWL__NO_NODE || !pawl__json_at(&f->tree, by)->count)
                        return PAWL_OK; /* by a layer that names none */
                step->blocked = c->event->seq;
                copy_hash(step->blocked_on, c->step.v[PAWL__STEP_INPUT_HASH].text);
                return PAWL_OK;
        }
        step->again = c->completed || (step->again && type == PAWL__STEP_RESUMED);
        if (!c->step.v[PAWL__STEP_STATUS].text.data || status_is(c, "pending"))
                step->blocked = 0; /* it begins anew */
        return PAWL_OK;
}

static pawl_status note(
        pawl__verified_fold *f, const change *c, pawl__event_type type, pawl_error *err)
{
        switch (type) {
        case PAWL__CLARIFICATION_REQUESTED:
                return note_asked(f, c, err);
        case PAWL__CLARIFICATION_RESOLVED:
                return note_answer(f, c, err);
        case PAWL__STEP_COMPLETED:
                return note_completed(f, c, err);
        case PAWL__SCOPE_ACTIVATED:
                f->glossary = c->event->seq;
                return PAWL_OK;
        case PAWL__SENSE_UPDATED: {
                const pawl__node from = pawl__json_get(&f->tree, 0, "provenance");
                if (!pawl__text_is(
                            pawl__json_get_text(&f->tree, from, "source"), "user_clarification"))
                        f->glossary = c->event->seq;
                return PAWL_OK;
        }
        default:
                return note_begun(f, c, type, err);
        }
}

static bool is_noted(pawl__event_type type)
{
        return type == PAWL__CLARIFICATION_REQUESTED || type == PAWL__CLARIFICATION_RESOLVED ||
               type == PAWL__STEP_COMPLETED || type == PAWL__STEP_STARTED ||
               type == PAWL__STEP_RESUMED || type == PAWL__GENERATION_BLOCKED ||
               type == PAWL__SCOPE_ACTIVATED || type == PAWL__SENSE_UPDATED;
}

static pawl_status get(pawl__verified_fold *f, pawl__table table, pawl__row *row, pawl_error *err)
{
        const pawl_status status = f->store->get(f->store, table, row, err);

        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status look(change *c, pawl__verified_fold *f, const pawl_event *event, pawl_error *err)
{
        *c = (change){.event = event};
        pawl_status status =
                pawl__json_tree_read(&f->tree, event->payload.data, event->payload.len, err);

        if (status)
                return status;
        c->conflict.v[PAWL__CON_ID].text = pawl__json_get_text(&f->tree, 0, "conflict_id");
        c->step.v[PAWL__STEP_RUN].text = event->run_id;
        c->step.v[PAWL__STEP_ID].text = event->step_id;
        if (c->conflict.v[PAWL__CON_ID].text.data)
                status = get(f, PAWL__CONFLICTS, &c->conflict, err);
        if (!status && event->step_id.data)
                status = get(f, PAWL__STEPS, &c->step, err);
        if (!status && c->conflict.v[PAWL__CON_RUN].text.data) /* as it was, whatever is put */
                status = pawl__row_copy(&c->conflict, PAWL__CONFLICTS, &f->scratch, err);
        if (!status && c->step.v[PAWL__STEP_STATUS].text.data)
                status = pawl__row_copy(&c->step, PAWL__STEPS, &f->scratch, err);
        c->open = pawl__text_is(c->conflict.v[PAWL__CON_STATUS].text, "open");
        c->completed = pawl__text_is(c->step.v[PAWL__STEP_STATUS].text, "completed");
        return status;
}

/* ---- The fold -------------------------------------------------------------------------------- */

static pawl_status fold(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        pawl__verified_fold *f = user;
        const bool noted = is_noted(type) && event->payload.data;
        pawl_error why;
        change c;
        pawl_status status = PAWL_OK;

        if (event->time_us > f->latest_us)
                f->latest_us = event->time_us;
        pawl__arena_clear(&f->scratch);
        if (noted)
                status = look(&c, f, event, err);
        if (status)
                return status;
        why.message[0] = '\0';
        status = pawl__apply(&f->applier, event, &why);
        if (status == PAWL_EEXISTS || status == PAWL_ESTATE) /* it changes nothing */
                return PAWL_OK;
        if (status)
                return pawl__fail(err, pawl__as_damage(status), "%s", why.message);
        return noted ? note(f, &c, type, err) : PAWL_OK;
}

bool pawl__state_is_verified(const pawl__state *state)
{
        return state->verified && state->verified->users;
}

pawl_status pawl__state_source(pawl__store **out, pawl__state *state, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;

        *out = state->tables;
        if (!pawl__state_is_verified(state))
                return PAWL_OK;
        *out = state->verified->store;
        const pawl_status status = pawl__log_verified_walk(state->log, fold, state->verified, &why);
        if (status && err)
                *err = why;
        return status;
}

pawl_status pawl__state_verify(pawl__state *state, pawl_error *err)
{
        pawl__store *store;

        if (!state->verified) {
                pawl__verified_fold *f = calloc(1, sizeof *f);
                if (!f)
                        return pawl__nomem(err);
                const pawl_status status = pawl__store_memory(&f->store, err);
                if (status) {
                        free(f);
                        return status;
                }
                f->applier = (pawl__applier){.store = f->store, .log = state->log, .judges = true};
                state->verified = f;
        }
        state->verified->users++;
        pawl__log_verified_guard(state->log, true);
        const pawl_status status = pawl__state_source(&store, state, err);
        if (status)
                pawl__state_unverify(state);
        return status;
}

void pawl__state_unverify(pawl__state *state)
{
        if (--state->verified->users == 0)
                pawl__log_verified_guard(state->log, false);
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct listing {
        pawl__table table;
        pawl__row_match match;
        const void *user;
        pawl__arena *arena;
        pawl__row *rows;
        size_t n, cap;
};

static pawl_status list(const pawl__row *row, void *user, pawl_error *err)
{
        struct listing *l = user;

        if (!l->match(row, l->user))
                return PAWL_OK;
        if (pawl__grow(&l->rows, &l->cap, l->n + 1, sizeof *l->rows))
                return pawl__nomem(err);
        l->rows[l->n] = *row;
        return pawl__row_copy(&l->rows[l->n++], l->table, l->arena, err);
}

pawl_status pawl__verified_rows(pawl__row **rows, size_t *n, pawl__state *state, pawl__table table,
        pawl__row_match match, const void *user, pawl__arena *arena, pawl_error *err)
{
        struct listing l = {.table = table, .match = match, .user = user, .arena = arena};
        pawl__store *store;
        pawl_status status = pawl__state_source(&store, state, err);

        if (!status)
                status = store->each(store, table, list, &l, err);
        pawl__row *out = status ? NULL : pawl__arena_array(arena, l.n + 1, sizeof *out);
        if (!status && !out)
                status = pawl__nomem(err);
        if (!status) {
                if (l.n)
                        memcpy(out, l.rows, l.n * sizeof *out);
                *rows = out;
                *n = l.n;
        }
        free(l.rows);
        return status;
}

pawl__asked pawl__verified_asked(pawl__state *state, pawl_text conflict_id)
{
        const pawl__verified_fold *f = state->verified;
        const uint32_t at = pawl__map_get(&f->asked_at, conflict_id);

        return at == PAWL__MAP_NONE ? (pawl__asked){0} : f->asked[at];
}

const pawl__verified_answer *pawl__verified_answer_at(pawl__state *state, uint64_t seq)
{
        return answer_at(state->verified, seq);
}

const pawl__verified_answer *pawl__verified_answers(size_t *n, pawl__state *state)
{
        *n = state->verified->n_answers;
        return state->verified->answers;
}

const pawl__verified_completion *pawl__verified_completed(pawl__state *state, pawl_text run_id,
        pawl_text step_id, pawl_text output_hash, uint64_t until)
{
        pawl__verified_fold *f = state->verified;
        uint32_t at = PAWL__MAP_NONE;

        if (!step_key(f, run_id, step_id))
                at = pawl__map_get(&f->step_at, pawl__buf_text(&f->key));
        at = at == PAWL__MAP_NONE ? 0 : f->steps[at].completion;
        while (at) {
                const pawl__verified_completion *done = &f->completions[at - 1];
                if (done->seq <= until && pawl__text_is(output_hash, done->output_hash))
                        return done;
                at = done->before;
        }
        return NULL;
}

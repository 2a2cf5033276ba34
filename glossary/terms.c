/* What a step is told of the glossary. */
#include "glossary/terms.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/map.h"
#include "glossary/conflict.h"
#include "glossary/normal.h"
#include "glossary/past.h"
#include "state/run_range.h"
#include <stdlib.h>

/* The conflicts of a run whose answers decide: read once for all of the run's steps, when the first
 * of them uses a term that was answered. */
struct answers {
        pawl_text run_id; /* absent: nothing was read */
        pawl__arena arena;
        pawl__row *rows;
        pawl__map newest; /* folded form of a term: the row that was answered last */
};

typedef struct telling {
        const pawl__terms_query *q;
        pawl__arena *arena;
        struct answers *answers;
        pawl__arena scratch;
        pawl_error *err;
        pawl__map seen; /* normal forms that were looked up */
        pawl_glossary_term *items;
        size_t n, cap;
        pawl__buf buf;
} telling;

/* An answer to what a step asks people is about no term. */
static bool is_resolved(const pawl__row *conflict)
{
        return !pawl__text_is(conflict->v[PAWL__CON_TYPE].text,
                       pawl__conflict_type_name(PAWL__QUESTION)) &&
               pawl__text_is(conflict->v[PAWL__CON_STATUS].text, "resolved");
}

static pawl_text normal_of(telling *t, pawl_text surface)
{
        pawl__buf_clear(&t->buf);
        if (pawl__folded_form(&t->buf, surface))
                t->buf.failed = true;
        return pawl__buf_text(&t->buf);
}

static void free_answers(struct answers *answers)
{
        pawl__arena_free(&answers->arena);
        pawl__map_free(&answers->newest);
        *answers = (struct answers){.arena = PAWL__ARENA_INIT};
}

static pawl_status index_answer(struct answers *answers, telling *t, uint32_t i)
{
        const pawl__row *row = &answers->rows[i];
        const pawl_text normal = normal_of(t, row->v[PAWL__CON_TERM].text);
        const uint32_t known = pawl__map_get(&answers->newest, normal);

        if (known != PAWL__MAP_NONE && answers->rows[known].v[PAWL__CON_RESOLVED_SEQ].integer >=
                                               row->v[PAWL__CON_RESOLVED_SEQ].integer)
                return PAWL_OK;
        const pawl_text key = pawl__arena_copy(&answers->arena, normal);
        return key.data && !pawl__map_put(&answers->newest, key, i) ? PAWL_OK : pawl__nomem(t->err);
}

static pawl_status read_answers(telling *t)
{
        struct answers *answers = t->answers;
        size_t n = 0;

        if (answers->run_id.data && pawl__text_eq(answers->run_id, t->q->run_id))
                return PAWL_OK;
        free_answers(answers);
        pawl_status status = pawl__state_conflicts(&answers->rows, &n, t->q->state, t->q->run_id,
                (pawl_text){NULL, 0}, false, &answers->arena, t->err);
        if (!status && n >= PAWL__MAP_NONE)
                status = pawl__nomem(t->err);
        for (uint32_t i = 0; i < n && !status; i++)
                if (is_resolved(&answers->rows[i]))
                        status = index_answer(answers, t, i);
        answers->run_id = pawl__arena_copy(&answers->arena, t->q->run_id);
        return status ? status : pawl__arena_check(&answers->arena, t->err);
}

/* The conflict that the event of an answer names. PAWL_ENOTFOUND: the event's payload was pruned.
 */
static pawl_status named_conflict(pawl__row *out, telling *t, const pawl__sense *sense)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, &t->scratch, t->q->log, sense->seq);

        if (status || !event.payload.data) {
                return status && status != PAWL_ENOTFOUND
                               ? pawl__log_failed(t->q->log, status, t->err)
                               : PAWL_ENOTFOUND;
        }
        status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, t->err);
        if (!status) {
                *out = (pawl__row){.v[PAWL__CON_ID].text = pawl__arena_copy(&t->scratch,
                                           pawl__json_get_text(&tree, 0, "conflict_id"))};
                status = out->v[PAWL__CON_ID].text.data
                                 ? pawl__state_get(
                                           t->q->state, PAWL__CONFLICTS, out, &t->scratch, t->err)
                                 : PAWL_ENOTFOUND;
        }
        pawl__json_tree_free(&tree);
        return status;
}

/* The conflict whose answer a sense is: of this run the one that was answered last, else the one
 * that the answer's event names. */
static pawl_status conflict_of(pawl__row *out, telling *t, const pawl__sense *sense)
{
        TRY(read_answers(t));
        const uint32_t newest = pawl__map_get(&t->answers->newest, sense->normal);
        if (newest == PAWL__MAP_NONE)
                return named_conflict(out, t, sense);
        *out = t->answers->rows[newest];
        return PAWL_OK;
}

/* Where the mission has its answer from: a candidate that was picked, or what somebody wrote. */
static pawl_status tell_answer(telling *t, pawl_glossary_term *to, const pawl__sense *sense)
{
        pawl_sense *candidates = NULL;
        size_t n = 0;
        pawl__row row = {0};
        pawl_status status = conflict_of(&row, t, sense);

        to->source = "answer";
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        const pawl_text json = row.v[PAWL__CON_CANDIDATES].text;
        if (json.data)
                status = pawl__candidates_read(&candidates, &n, &t->scratch, json, t->err);
        if (status)
                return status;
        to->source = "definition";
        for (size_t i = 0; i < n; i++)
                if (pawl__text_eq(candidates[i].definition, sense->definition))
                        to->source = "answer";
        to->conflict_id = pawl__arena_copy(t->arena, row.v[PAWL__CON_ID].text);
        return PAWL_OK;
}

static pawl_status tell(telling *t, pawl_text normal, pawl__resolution found)
{
        if (found.n != 1 || pawl__map_get(&t->seen, normal) != PAWL__MAP_NONE)
                return PAWL_OK;
        const pawl__sense *sense = found.senses[0];
        if (pawl__map_put(&t->seen, sense->normal, 1) ||
                pawl__grow(&t->items, &t->cap, t->n + 1, sizeof *t->items))
                return pawl__nomem(t->err);
        pawl_glossary_term *to = &t->items[t->n++];
        *to = (pawl_glossary_term){.term = pawl__arena_copy(t->arena, sense->surface),
                .definition = pawl__arena_copy(t->arena, sense->definition),
                .scope = pawl__text(pawl__scope_name(sense->scope)),
                .confidence = sense->confidence,
                .source = sense->written ? "definition" : "seed"};
        return sense->answered ? tell_answer(t, to, sense) : PAWL_OK;
}

static pawl_status tell_found(telling *t, const pawl__terms *found)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < found->n && !status; i++) {
                const pawl__resolution r = pawl__term_resolve(t->q->glossary, &found->items[i]);
                if (r.n == 1)
                        status = tell(t, r.senses[0]->normal, r);
        }
        return status;
}

static pawl_status look(telling *t)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__extraction *extraction;
        pawl__terms found;
        pawl_status status =
                pawl__extraction_new(&extraction, t->q->glossary, t->q->metadata, t->err);

        if (status)
                return status;
        status = pawl__json_tree_read(&tree, t->q->inputs.data, t->q->inputs.len, t->err);
        if (!status)
                status = pawl__extraction_json(extraction, &tree, t->err);
        if (!status)
                status = pawl__extraction_terms(&found, extraction, t->err);
        if (!status)
                status = tell_found(t, &found);
        pawl__extraction_free(extraction);
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status tell_answers(telling *t)
{
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = pawl__state_conflicts(
                &rows, &n, t->q->state, t->q->run_id, t->q->step_id, false, &t->scratch, t->err);

        for (size_t i = 0; i < n && !status; i++) {
                if (!is_resolved(&rows[i]))
                        continue;
                const pawl_text normal = normal_of(t, rows[i].v[PAWL__CON_TERM].text);
                status = tell(t, normal, pawl__glossary_resolve(t->q->glossary, normal));
        }
        return status;
}

static int compare(const void *left, const void *right)
{
        return pawl__text_cmp(((const pawl_glossary_term *)left)->term,
                ((const pawl_glossary_term *)right)->term);
}

static pawl_status give(pawl_glossary_terms *out, telling *t)
{
        pawl_glossary_term *items = pawl__arena_array(t->arena, t->n, sizeof *items);

        if (!items || t->buf.failed)
                return pawl__nomem(t->err);
        for (size_t i = 0; i < t->n; i++)
                items[i] = t->items[i];
        if (t->n)
                qsort(items, t->n, sizeof *items, compare);
        const pawl_status status = pawl__arena_check(t->arena, t->err);
        if (!status)
                *out = (pawl_glossary_terms){items, t->n};
        return status;
}

static pawl_status decide(pawl_glossary_terms *out, pawl__arena *arena, const pawl__terms_query *q,
        struct answers *answers, pawl_error *err)
{
        telling t = {.q = q,
                .arena = arena,
                .answers = answers,
                .scratch = PAWL__ARENA_INIT,
                .err = err};
        pawl_status status = PAWL_OK;

        if (q->glossary && pawl__glossary_count(q->glossary)) {
                if (q->found)
                        status = tell_found(&t, q->found);
                else if (q->inputs.data)
                        status = look(&t);
                if (!status)
                        status = tell_answers(&t);
        }
        if (!status)
                status = give(out, &t);
        pawl__map_free(&t.seen);
        pawl__buf_free(&t.buf);
        pawl__arena_free(&t.scratch);
        free(t.items);
        return status;
}

pawl_status pawl__terms_decided(
        pawl_glossary_terms *out, pawl__arena *arena, const pawl__terms_query *q, pawl_error *err)
{
        struct answers answers = {.arena = PAWL__ARENA_INIT};
        const pawl_status status = decide(out, arena, q, &answers, err);

        free_answers(&answers);
        return status;
}

void pawl__terms_write(pawl__json_writer *w, const pawl_glossary_terms *terms)
{
        pawl__json_open_array(w);
        for (size_t i = 0; i < terms->n; i++) {
                const pawl_glossary_term *term = &terms->items[i];
                pawl__json_open_object(w);
                pawl__json_member_text(w, "term", term->term);
                pawl__json_member_text(w, "definition", term->definition);
                pawl__json_member_text(w, "scope", term->scope);
                pawl__json_member_number(w, "confidence", term->confidence);
                pawl__json_member_string(w, "source", term->source);
                pawl__json_member_text(w, "conflict_id", term->conflict_id);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* White space as single spaces: a line stays one. */
static void put_line(pawl__buf *out, pawl_text text)
{
        bool space = false;

        for (size_t i = 0; i < text.len; i++) {
                const char c = text.data[i];
                if (c == ' ' || (c >= '\t' && c <= '\r')) {
                        space = true;
                        continue;
                }
                if (space && i > 0)
                        pawl__buf_addc(out, ' ');
                space = false;
                pawl__buf_addc(out, c);
        }
}

pawl_status pawl__terms_markdown(pawl__buf *out, const pawl_glossary_terms *terms, pawl_error *err)
{
        for (size_t i = 0; i < terms->n; i++) {
                pawl__buf_adds(out, "- **");
                put_line(out, terms->items[i].term);
                pawl__buf_adds(out, "**: ");
                put_line(out, terms->items[i].definition);
                pawl__buf_addc(out, '\n');
        }
        return pawl__buf_check(out, err);
}

/* ---- For readers of the log ------------------------------------------------------------------ */

static pawl_status of_step(pawl_glossary_terms *out, pawl__arena *arena, pawl__terms_query *q,
        struct answers *answers, const pawl__row *step, pawl__buf *inputs, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = PAWL_ENOTFOUND;

        pawl__buf_clear(inputs);
        q->step_id = step->v[PAWL__STEP_ID].text;
        if (pawl__unhex32(hash, step->v[PAWL__STEP_INPUT_HASH].text))
                status = pawl__log_blob(inputs, q->log, hash);
        if (status && status != PAWL_ENOTFOUND)
                return pawl__log_failed(q->log, status, err);
        q->inputs = status ? (pawl_text){NULL, 0} : pawl__buf_text(inputs);
        return decide(out, arena, q, answers, err);
}

/* When a step was told: one that runs or has completed, when its command started last; another is
 * told when its command starts. */
typedef struct moment {
        uint64_t at;
        size_t step;
        pawl_text run_id; /* whose step it was then, */
        uint64_t until;   /* up to this seq */
        bool elsewhere;   /* in a run that this one was forked from */
} moment;

struct moments {
        const pawl__steps_query *of;
        moment *items; /* one a step */
};

static uint64_t checkpoint_of(const pawl__row *step)
{
        const pawl_text status = step->v[PAWL__STEP_STATUS].text;
        const bool told = pawl__text_is(status, "completed") || pawl__text_is(status, "running") ||
                          pawl__text_is(status, "unfinished");

        return told && step->v[PAWL__STEP_CHECKPOINT_SEQ].integer > 0
                       ? (uint64_t)step->v[PAWL__STEP_CHECKPOINT_SEQ].integer
                       : UINT64_MAX;
}

/* A fork's step that completed without a checkpoint did so in the run that it was forked from, or
 * further back. One that began anew there since was told by what the fork began with. */
static pawl_status look_in_source(moment *m, pawl__past *past, const pawl__row *step,
        const pawl__forked *from, pawl_error *err)
{
        pawl__row there = {
                .v[PAWL__STEP_RUN].text = from->run_id, .v[PAWL__STEP_ID] = step->v[PAWL__STEP_ID]};
        const pawl_status status =
                pawl__state_get(past->state, PAWL__STEPS, &there, &past->arena, err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        const uint64_t at = checkpoint_of(&there);
        m->run_id = from->run_id;
        m->until = from->seq;
        m->elsewhere = at == UINT64_MAX;
        if (at <= from->seq)
                m->at = at;
        return PAWL_OK;
}

static pawl_status look_in_sources(struct moments *m, pawl__past *past, pawl_error *err)
{
        uint64_t started = past->started;
        pawl_status status = PAWL_OK;
        bool more = true;

        while (more && !status && started) {
                pawl__forked from = {.seq = 0};
                status = pawl__forked_read(&from, past->log, started, &past->arena, err);
                if (status || !from.run_id.data || from.seq >= started)
                        return status;
                pawl__row run = {.v[PAWL__RUN_ID].text = from.run_id};
                status = pawl__state_get(past->state, PAWL__RUNS, &run, &past->arena, err);
                more = false;
                for (size_t i = 0; i < m->of->n && !status; i++) {
                        if (m->items[i].elsewhere)
                                status = look_in_source(
                                        &m->items[i], past, &m->of->steps[i], &from, err);
                        more = more || m->items[i].elsewhere;
                }
                started = (uint64_t)run.v[PAWL__RUN_STARTED_SEQ].integer;
        }
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* A command that was started again from a checkpoint was told then. */
static pawl_status take_resumed(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        struct moments *m = user;

        (void)err;
        if (type != PAWL__STEP_RESUMED)
                return PAWL_OK;
        for (size_t i = 0; i < m->of->n; i++)
                if (m->items[i].at < event->seq && event->seq <= m->items[i].until &&
                        pawl__text_eq(event->run_id, m->items[i].run_id) &&
                        pawl__text_eq(event->step_id, m->of->steps[i].v[PAWL__STEP_ID].text))
                        m->items[i].at = event->seq;
        return PAWL_OK;
}

/* In the run itself, and in those that it was forked from. */
static pawl_status look_for_resumed(
        struct moments *m, const pawl__past *past, uint64_t since, pawl__map *seen, pawl_error *err)
{
        for (size_t i = 0; i < m->of->n; i++) {
                const pawl_text run_id = m->items[i].run_id;
                if (pawl__map_get(seen, run_id) != PAWL__MAP_NONE)
                        continue;
                if (pawl__map_put(seen, run_id, 1))
                        return pawl__nomem(err);
                TRY(pawl__run_each(past->log, run_id, since, UINT64_MAX, take_resumed, m, err));
        }
        return PAWL_OK;
}

static int compare_moments(const void *left, const void *right)
{
        const moment *a = left, *b = right;

        return a->at != b->at ? (a->at > b->at) - (a->at < b->at)
                              : (a->step > b->step) - (a->step < b->step);
}

/* Earliest first. The log is read only where people changed something since. */
static pawl_status find_moments(struct moments *m, pawl__past *past, pawl_error *err)
{
        uint64_t first = UINT64_MAX;
        pawl__map seen = PAWL__MAP_INIT;
        pawl_status status = PAWL_OK;
        bool any = false;

        for (size_t i = 0; i < m->of->n; i++) {
                const pawl__row *step = &m->of->steps[i];
                const uint64_t at = checkpoint_of(step);
                const bool elsewhere = at == UINT64_MAX &&
                                       pawl__text_is(step->v[PAWL__STEP_STATUS].text, "completed");
                m->items[i] = (moment){elsewhere ? past->started : at, i,
                        m->of->run->v[PAWL__RUN_ID].text, UINT64_MAX, elsewhere};
                any = any || elsewhere;
        }
        if (any)
                status = look_in_sources(m, past, err);
        for (size_t i = 0; i < m->of->n; i++) {
                if (m->of->now)
                        m->items[i].at = UINT64_MAX;
                if (m->items[i].at < first)
                        first = m->items[i].at;
        }
        if (!status && first < past->changed)
                status = look_for_resumed(m, past, first, &seen, err);
        pawl__map_free(&seen);
        if (m->of->n)
                qsort(m->items, m->of->n, sizeof *m->items, compare_moments);
        return status;
}

static pawl_status of_steps(pawl_glossary_terms *list, pawl__arena *arena, pawl__past *past,
        pawl__terms_query *q, struct moments *m, pawl_error *err)
{
        struct answers answers = {.arena = PAWL__ARENA_INIT};
        pawl__buf inputs = PAWL__BUF_INIT;
        pawl_status status = find_moments(m, past, err);

        for (size_t k = 0; k < m->of->n && !status; k++) {
                const size_t i = m->items[k].step;
                q->metadata = m->of->metadata ? &m->of->metadata[i] : NULL;
                q->run_id = m->items[k].run_id;
                status = pawl__past_glossary(&q->glossary, past, m->items[k].at, err);
                if (!status)
                        status = of_step(
                                &list[i], arena, q, &answers, &m->of->steps[i], &inputs, err);
        }
        free_answers(&answers);
        pawl__buf_free(&inputs);
        return status;
}

pawl_status pawl__terms_of_steps(pawl_glossary_terms **out, pawl__arena *arena, pawl_log *log,
        const pawl__steps_query *of, pawl_error *err)
{
        pawl__terms_query q = {.log = log};
        pawl_glossary_terms *list = pawl__arena_array(arena, of->n, sizeof *list);
        struct moments m = {of, pawl__arena_array(arena, of->n, sizeof *m.items)};
        pawl__past past;
        pawl_status status = list && m.items ? PAWL_OK : pawl__nomem(err);

        if (status)
                return status;
        status = pawl__past_open(&past, log, of->run, err);
        if (status)
                return status;
        q.state = past.state;
        status = of_steps(list, arena, &past, &q, &m, err);
        pawl__past_close(&past);
        if (!status)
                *out = list;
        return status;
}

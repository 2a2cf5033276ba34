#include "mission/compare.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/map.h"
#include "checkpoint/checkpoint.h"
#include "glossary/terms.h"
#include "mission/compare_events.h"
#include "mission/graph.h"
#include <stdlib.h>

typedef struct side {
        pawl__row *rows;
        size_t n;
        pawl__map at; /* by id */
        pawl__needs *needs;
        bool graph; /* some step says what it needs */
        pawl__step_record *records;
        const pawl_glossary_terms *told; /* by step; NULL: not asked for yet */
} side;

typedef struct comparing {
        pawl__run_comparison *out;
        pawl_log *log;
        pawl__state *state;
        pawl__file_comparing files;
        side sides[2];
        pawl__arena *arena;
        pawl_error *err;
} comparing;

static pawl_status read_side(comparing *c, int number, const char *run_id)
{
        side *of = &c->sides[number];
        pawl__run_view *run = &c->out->runs[number];
        pawl_text *when;
        pawl__run_steps steps;
        pawl_status status =
                pawl__run_get(run, &steps, c->log, pawl__text(run_id), c->arena, c->err);

        if (status)
                return status;
        of->rows = steps.rows;
        of->n = steps.n;
        of->records = calloc(of->n + 1, sizeof *of->records);
        if (!of->records)
                return pawl__nomem(c->err);
        status = pawl__run_needs(&of->needs, &when, &of->graph, c->log, &run->row, of->rows, of->n,
                c->arena, c->err);
        for (size_t i = 0; i < of->n && !status; i++) {
                of->records[i].duration_ms = -1;
                if (pawl__map_put(&of->at, of->rows[i].v[PAWL__STEP_ID].text, (uint32_t)i))
                        status = pawl__nomem(c->err);
        }
        return status ? status
                      : pawl__step_records(of->records, &of->at, c->log, c->state, &run->row,
                                c->arena, c->err);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

typedef struct collecting {
        pawl_member_change *items;
        size_t n, cap;
        pawl__arena *arena;
} collecting;

static pawl_status collect(const pawl__member_change *change, void *user)
{
        collecting *to = user;

        if (pawl__grow(&to->items, &to->cap, to->n + 1, sizeof *to->items))
                return PAWL_ENOMEM;
        to->items[to->n++] = (pawl_member_change){pawl__arena_copy(to->arena, change->path),
                pawl__arena_copy(to->arena, change->before),
                pawl__arena_copy(to->arena, change->after)};
        return pawl__arena_check(to->arena, NULL);
}

/* The text of that hash; where it is not kept, the hash as JSON. */
static pawl_status text_of(bool *kept, pawl__buf *out, const comparing *c, pawl_text hash)
{
        unsigned char bytes[32];

        *kept = true;
        if (!hash.data)
                return PAWL_OK;
        const pawl_status status =
                pawl__unhex32(bytes, hash) ? pawl__log_blob(out, c->log, bytes) : PAWL_ENOTFOUND;
        *kept = !status;
        return status && status != PAWL_ENOTFOUND ? pawl__log_failed(c->log, status, c->err)
                                                  : PAWL_OK;
}

static pawl_text quoted(pawl__arena *arena, pawl_text text)
{
        pawl__buf json = PAWL__BUF_INIT;

        pawl__json_quote(&json, text);
        const pawl_text copy =
                json.failed ? (pawl_text){NULL, 0} : pawl__arena_copy(arena, pawl__buf_text(&json));
        pawl__buf_free(&json);
        return copy;
}

/* Two documents by their hashes, of which one may be absent: it has none. */
static pawl_status compare_documents(pawl_member_change **out, size_t *n, comparing *c,
        const char *root, pawl_text a, pawl_text b)
{
        pawl__buf before = PAWL__BUF_INIT, after = PAWL__BUF_INIT;
        collecting to = {.arena = c->arena};
        bool kept_a, kept_b;
        pawl_status status;

        if (pawl__text_eq(a, b) && !a.data == !b.data)
                return PAWL_OK;
        status = text_of(&kept_a, &before, c, a);
        if (!status)
                status = text_of(&kept_b, &after, c, b);
        if (!status && kept_a && kept_b && a.data && b.data) {
                status = pawl__inputs_diff(root, pawl__buf_text(&before), pawl__buf_text(&after),
                        collect, &to, c->err);
                if (status == PAWL_ENOMEM)
                        pawl__nomem(c->err);
        } else if (!status) {
                const pawl__member_change whole = {.path = pawl__text(root),
                        .before = !a.data  ? (pawl_text){NULL, 0}
                                  : kept_a ? pawl__buf_text(&before)
                                           : quoted(c->arena, a),
                        .after = !b.data  ? (pawl_text){NULL, 0}
                                 : kept_b ? pawl__buf_text(&after)
                                          : quoted(c->arena, b)};
                status = collect(&whole, &to) ? pawl__nomem(c->err) : PAWL_OK;
        }
        *out = pawl__arena_array(c->arena, to.n, sizeof **out);
        for (size_t i = 0; i < to.n && *out; i++)
                (*out)[(*n)++] = to.items[i];
        free(to.items);
        pawl__buf_free(&before);
        pawl__buf_free(&after);
        return status ? status : pawl__arena_check(c->arena, c->err);
}

/* Was the step told that definition all the same, as somebody had answered before? */
static pawl_status was_told(
        bool *told, comparing *c, int number, uint32_t step, const pawl__step_answer *wanted)
{
        side *of = &c->sides[number];
        const pawl__steps_query query = {
                .run = &c->out->runs[number].row, .steps = of->rows, .n = of->n};
        pawl_glossary_terms *terms = NULL;
        pawl_status status = PAWL_OK;

        *told = false;
        if (step == PAWL__MAP_NONE)
                return PAWL_OK;
        if (!of->told) {
                status = pawl__terms_of_steps(&terms, c->arena, c->log, &query, c->err);
                of->told = terms;
        }
        for (size_t i = 0; !status && i < of->told[step].n; i++) {
                const pawl_glossary_term *term = &of->told[step].items[i];
                *told = *told ||
                        (pawl__text_eq(term->term, wanted->term) &&
                                pawl__text_eq(quoted(c->arena, term->definition), wanted->value));
        }
        return status ? status : pawl__arena_check(c->arena, c->err);
}

static const pawl__step_answer *answer_to(const pawl__step_record *of, pawl_text term)
{
        for (size_t i = 0; of && i < of->n_answers; i++)
                if (pawl__text_eq(of->answers[i].term, term))
                        return &of->answers[i];
        return NULL;
}

static pawl_status compare_answers(pawl__compared_step *step, comparing *c,
        const pawl__step_record *const records[2], const uint32_t at[2])
{
        const size_t most =
                (records[0] ? records[0]->n_answers : 0) + (records[1] ? records[1]->n_answers : 0);
        pawl_status status = PAWL_OK;

        step->answers = pawl__arena_array(c->arena, most, sizeof *step->answers);
        if (!step->answers)
                return pawl__nomem(c->err);
        for (int k = 0; k < 2; k++)
                for (size_t i = 0; records[k] && i < records[k]->n_answers && !status; i++) {
                        const pawl__step_answer *one = &records[k]->answers[i];
                        const pawl__step_answer *other = answer_to(records[1 - k], one->term);
                        bool told = other && (k == 1 || pawl__text_eq(one->value, other->value));
                        if (!other)
                                status = was_told(&told, c, 1 - k, at[1 - k], one);
                        if (status || told)
                                continue;
                        const pawl_text value = other ? other->value : (pawl_text){NULL, 0};
                        step->answers[step->n_answers++] = (pawl__compared_answer){
                                one->term, k ? value : one->value, k ? one->value : value};
                }
        return status;
}

static pawl_status compare_step(pawl__compared_step *step, comparing *c, const uint32_t at[2])
{
        const pawl__row *rows[2] = {NULL, NULL};
        const pawl__step_record *records[2] = {NULL, NULL};
        pawl_text inputs[2] = {{NULL, 0}, {NULL, 0}}, outputs[2] = {{NULL, 0}, {NULL, 0}};

        for (int i = 0; i < 2; i++) {
                step->duration_ms[i] = -1;
                if (at[i] == PAWL__MAP_NONE)
                        continue;
                rows[i] = &c->sides[i].rows[at[i]];
                records[i] = &c->sides[i].records[at[i]];
                step->step_id = rows[i]->v[PAWL__STEP_ID].text;
                step->status[i] = pawl__row_step_status(rows[i]);
                step->duration_ms[i] = records[i]->duration_ms;
                inputs[i] = rows[i]->v[PAWL__STEP_INPUT_HASH].text;
                outputs[i] = rows[i]->v[PAWL__STEP_OUTPUT_HASH].text;
        }
        pawl_status status = compare_documents(
                &step->inputs, &step->n_inputs, c, "inputs", inputs[0], inputs[1]);
        if (!status)
                status = compare_documents(
                        &step->output, &step->n_output, c, "output", outputs[0], outputs[1]);
        if (!status)
                status = compare_answers(step, c, records, at);
        if (!status && records[0] && records[1])
                status = pawl__compare_left_files(
                        &step->files, &c->files, &records[0]->files, &records[1]->files, c->err);
        step->same = rows[0] && rows[1] && !step->moved && !step->n_inputs && !step->n_output &&
                     !step->n_answers && !step->files &&
                     pawl__text_eq(step->status[0], step->status[1]);
        c->out->same = c->out->same && step->same;
        return status;
}

/* Those that both have and whose places among those are not the same. */
static void find_moved_in_order(bool *moved, const side *a, const side *b, const uint32_t *at)
{
        size_t k = 0;

        for (size_t i = 0; i < a->n; i++) {
                if (at[i] == PAWL__MAP_NONE)
                        continue;
                while (pawl__map_get(&a->at, b->rows[k].v[PAWL__STEP_ID].text) == PAWL__MAP_NONE)
                        k++;
                moved[i] = k++ != at[i];
        }
}

static pawl_status find_moved(comparing *c)
{
        const side *a = &c->sides[0], *b = &c->sides[1];
        const pawl__graph_side is = {a->needs, a->n}, was = {b->needs, b->n};
        bool *moved = pawl__arena_array(c->arena, a->n, sizeof *moved);
        uint32_t *at = pawl__arena_array(c->arena, a->n, sizeof *at);
        pawl_status status = moved && at ? PAWL_OK : pawl__nomem(c->err);

        for (size_t i = 0; i < a->n && !status; i++)
                at[i] = pawl__map_get(&b->at, a->rows[i].v[PAWL__STEP_ID].text);
        if (!status && (a->graph || b->graph))
                status = pawl__graph_moved(moved, &is, &was, at, c->arena, c->err);
        else if (!status)
                find_moved_in_order(moved, a, b, at);
        for (size_t i = 0; i < a->n && !status; i++)
                c->out->steps[i].moved = moved[i];
        return status;
}

static pawl_status compare_all(comparing *c)
{
        pawl__run_comparison *out = c->out;
        const side *a = &c->sides[0], *b = &c->sides[1];
        pawl_status status = PAWL_OK;

        out->steps = pawl__arena_array(c->arena, a->n + b->n, sizeof *out->steps);
        if (!out->steps)
                return pawl__nomem(c->err);
        out->same = pawl__text_eq(out->runs[0].row.v[PAWL__RUN_MISSION].text,
                out->runs[1].row.v[PAWL__RUN_MISSION].text);
        status = find_moved(c);
        for (size_t i = 0; i < a->n && !status; i++) {
                const uint32_t at[2] = {
                        (uint32_t)i, pawl__map_get(&b->at, a->rows[i].v[PAWL__STEP_ID].text)};
                status = compare_step(&out->steps[out->n++], c, at);
        }
        for (size_t i = 0; i < b->n && !status; i++) {
                const uint32_t at[2] = {PAWL__MAP_NONE, (uint32_t)i};
                if (pawl__map_get(&a->at, b->rows[i].v[PAWL__STEP_ID].text) == PAWL__MAP_NONE)
                        status = compare_step(&out->steps[out->n++], c, at);
        }
        return status;
}

pawl_status pawl__runs_compare(pawl__run_comparison *out, pawl_log *log,
        const char *const run_ids[2], const pawl_workspace_options *options, pawl_error *err)
{
        comparing c = {.out = out, .log = log, .arena = &out->arena, .err = err};

        *out = (pawl__run_comparison){.arena = PAWL__ARENA_INIT};
        pawl_status status = pawl__state_of(&c.state, log, err);

        if (!status)
                status = pawl__file_comparing_open(&c.files, log, c.state, options, err);
        for (int i = 0; i < 2 && !status; i++)
                status = read_side(&c, i, run_ids[i]);
        if (!status)
                status = compare_all(&c);
        for (int i = 0; i < 2; i++) {
                for (size_t k = 0; k < c.sides[i].n && c.sides[i].records; k++)
                        free(c.sides[i].records[k].answers);
                free(c.sides[i].records);
                pawl__map_free(&c.sides[i].at);
        }
        pawl__file_comparing_close(&c.files);
        return status;
}

void pawl__run_comparison_free(pawl__run_comparison *comparison)
{
        for (size_t i = 0; i < comparison->n; i++)
                pawl_comparison_free(comparison->steps[i].files);
        pawl__arena_free(&comparison->arena);
}

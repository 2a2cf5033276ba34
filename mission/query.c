/* What a log holds now, as lists for programs that link the library. */
#include "base/error.h"
#include "base/ids.h"
#include "base/json_tree.h"
#include "mission/runs.h"
#include "pipeline/answer.h"
#include "pipeline/object.h"
#include "pipeline/question.h"
#include <pawl/query.h>
#include <stdlib.h>

/* Copies of rows in one piece of memory; the public list comes first, so that a pointer to it is
 * one to this. */
typedef struct list {
        struct {
                const void *items;
                size_t n;
        } public;
        void *items;
        size_t n, cap;
        pawl__arena arena;
} list;

static void free_list(void *public)
{
        list *l = public;

        if (!l)
                return;
        free(l->items);
        pawl__arena_free(&l->arena);
        free(l);
}

/* Hand it out, or free it. */
static pawl_status give(void *out, list *l, pawl_status status)
{
        if (status) {
                free_list(l);
                return status;
        }
        l->public.items = l->items;
        l->public.n = l->n;
        memcpy(out, &l, sizeof l);
        return PAWL_OK;
}

static list *new_list(pawl_status *status, pawl_error *err)
{
        list *l = calloc(1, sizeof *l);

        *status = l ? PAWL_OK : pawl__nomem(err);
        return l;
}

/* Room for one more item of @p size bytes, zero. NULL: no memory. */
static void *add(list *l, size_t size)
{
        if (pawl__grow(&l->items, &l->cap, l->n + 1, size))
                return NULL;
        return memset((char *)l->items + l->n++ * size, 0, size);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static pawl_status take_run(const pawl__run_view *run, void *user, pawl_error *err)
{
        list *l = user;
        const pawl__value *v = run->row.v;
        pawl_run *to = add(l, sizeof *to);

        if (!to)
                return pawl__nomem(err);
        to->run_id = pawl__arena_copy(&l->arena, v[PAWL__RUN_ID].text);
        to->mission_id = pawl__arena_copy(&l->arena, v[PAWL__RUN_MISSION].text);
        to->session_id = pawl__arena_copy(&l->arena, v[PAWL__RUN_SESSION].text);
        to->status = pawl__arena_copy(&l->arena, run->status);
        to->reason = pawl__arena_copy(&l->arena, v[PAWL__RUN_REASON].text);
        to->current_step = pawl__arena_copy(&l->arena, v[PAWL__RUN_CURRENT].text);
        to->retry_token = pawl__arena_copy(&l->arena, run->retry_token);
        to->steps_completed = (uint64_t)v[PAWL__RUN_DONE].integer;
        to->steps_total = (uint64_t)v[PAWL__RUN_STEPS].integer;
        to->open_conflicts = run->conflicts_open;
        to->started_seq = (uint64_t)v[PAWL__RUN_STARTED_SEQ].integer;
        to->updated_seq = (uint64_t)v[PAWL__RUN_UPDATED_SEQ].integer;
        to->started_us = run->started_us;
        to->updated_us = v[PAWL__RUN_UPDATED_US].integer;
        if (run->held) {
                to->owner_pid = run->owner.pid;
                to->owner_host = pawl__arena_copy(&l->arena, run->owner.host);
        }
        return pawl__arena_check(&l->arena, err);
}

pawl_status pawl_run_list(
        pawl_runs **out, pawl_log *log, const char *status, uint64_t limit, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl_status done;
        list *l = new_list(&done, err);
        uint64_t next;

        if (!done)
                done = pawl__runs_list(&next, log, pawl__text(status), 0,
                        limit ? limit : UINT64_MAX, take_run, l, err);
        return give(out, l, done);
}

pawl_status pawl_run_find(pawl_runs **out, pawl_log *log, const char *run_id, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));
        TRY(pawl__id_check(pawl__text(run_id), "run id", err));

        pawl_status status;
        list *l = new_list(&status, err);
        pawl__run_view run;

        if (!status)
                status = pawl__run_get(&run, NULL, log, pawl__text(run_id), &l->arena, err);
        if (!status)
                status = take_run(&run, l, err);
        return give(out, l, status);
}

void pawl_runs_free(pawl_runs *runs)
{
        free_list(runs);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* What is kept under a hash, if it is. */
static pawl_status read_content(
        pawl_text *out, list *l, pawl_log *log, pawl_text hash, pawl_error *err)
{
        pawl__buf content = PAWL__BUF_INIT;
        unsigned char bytes[PAWL__HASH_LEN];
        pawl_status status = PAWL_ENOTFOUND;

        if (hash.data && pawl__unhex32(bytes, hash))
                status = pawl__log_blob(&content, log, bytes);
        if (!status)
                *out = pawl__arena_copy(&l->arena, pawl__buf_text(&content));
        pawl__buf_free(&content);
        return status == PAWL_ENOTFOUND ? PAWL_OK : pawl__log_failed(log, status, err);
}

static pawl_status take_step(
        list *l, pawl_log *log, const pawl__row *row, bool contents, pawl_error *err)
{
        const pawl__value *v = row->v;
        pawl_step_info *to = add(l, sizeof *to);
        pawl_status status = PAWL_OK;

        if (!to)
                return pawl__nomem(err);
        *to = (pawl_step_info){.step_id = v[PAWL__STEP_ID].text,
                .status = pawl__row_step_status(row),
                .retry_token = v[PAWL__STEP_TOKEN].text,
                .cursor = v[PAWL__STEP_CURSOR].text,
                .input_hash = v[PAWL__STEP_INPUT_HASH].text,
                .output_hash = v[PAWL__STEP_OUTPUT_HASH].text,
                .checkpoint_seq = (uint64_t)v[PAWL__STEP_CHECKPOINT_SEQ].integer,
                .exit_code = v[PAWL__STEP_EXIT_CODE].integer};
        if (pawl__text_is(to->status, "blocked"))
                status = pawl__step_blocked_by(&to->blocked_by, &to->reason, log,
                        v[PAWL__STEP_RUN].text, to->step_id, &l->arena, err);
        if (!status && contents)
                status = read_content(&to->inputs, l, log, to->input_hash, err);
        if (!status && contents)
                status = read_content(&to->output, l, log, to->output_hash, err);
        return status ? status : pawl__arena_check(&l->arena, err);
}

pawl_status pawl_step_list(
        pawl_steps **out, pawl_log *log, const char *run_id, bool contents, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));
        TRY(pawl__id_check(pawl__text(run_id), "run id", err));

        pawl_status status;
        list *l = new_list(&status, err);
        pawl__run_view run;
        pawl__run_steps steps = {.n = 0};

        if (!status)
                status = pawl__run_get(&run, &steps, log, pawl__text(run_id), &l->arena, err);
        for (size_t i = 0; i < steps.n && !status; i++)
                status = take_step(l, log, &steps.rows[i], contents, err);
        return give(out, l, status);
}

void pawl_steps_free(pawl_steps *steps)
{
        free_list(steps);
}

/* ---- Conflicts ------------------------------------------------------------------------------- */

static pawl_status take_conflict(list *l, pawl_log *log, const pawl__row *row, pawl_error *err)
{
        pawl__question_info asked = {.n_to = 0};
        pawl_conflict_info *to = add(l, sizeof *to);

        if (!to)
                return pawl__nomem(err);
        to->mission_id = row->v[PAWL__CON_MISSION].text;
        to->run_id = row->v[PAWL__CON_RUN].text;
        to->step_id = row->v[PAWL__CON_STEP].text;
        to->retry_token = row->v[PAWL__CON_TOKEN].text;
        to->status = row->v[PAWL__CON_STATUS].text;
        to->requested_us = row->v[PAWL__CON_REQUESTED_US].integer;
        to->resolved_seq = (uint64_t)row->v[PAWL__CON_RESOLVED_SEQ].integer;
        pawl_status status = pawl__conflict_of(&to->conflict, &l->arena, row, err);
        if (!status && pawl__is_question(row->v[PAWL__CON_TYPE].text))
                status = pawl__question_read(&asked, &l->arena, log, row, err);
        to->answer = asked.answer;
        to->otherwise = asked.otherwise;
        to->due_us = asked.due_us;
        return status;
}

pawl_status pawl_conflict_list(
        pawl_conflicts **out, pawl_log *log, const char *run_id, bool resolved, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl_status status;
        list *l = new_list(&status, err);
        pawl__state *state;
        pawl__row *rows;
        size_t n = 0;

        if (!status)
                status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__state_conflicts(&rows, &n, state, pawl__text(run_id),
                        (pawl_text){NULL, 0}, !resolved, &l->arena, err);
        for (size_t i = 0; i < n && !status; i++)
                status = take_conflict(l, log, &rows[i], err);
        return give(out, l, status);
}

void pawl_conflicts_free(pawl_conflicts *conflicts)
{
        free_list(conflicts);
}

/* ---- Senses ---------------------------------------------------------------------------------- */

static pawl_status take_sense(const pawl__row *row, void *user, pawl_error *err)
{
        list *l = user;
        pawl__buf buf = PAWL__BUF_INIT;
        bool alias;
        const pawl_status status = pawl__sense_is_alias(&alias, &buf, row, err);

        pawl__buf_free(&buf);
        if (status || alias)
                return status;
        pawl_sense_info *to = add(l, sizeof *to);
        bool ok = to != NULL;
        if (!ok)
                return pawl__nomem(err);
        to->sense.surface = pawl__arena_text(&l->arena, row->v[PAWL__SENSE_SURFACE].text, &ok);
        to->sense.scope = pawl__arena_text(&l->arena, row->v[PAWL__SENSE_SCOPE].text, &ok);
        to->sense.definition =
                pawl__arena_text(&l->arena, row->v[PAWL__SENSE_DEFINITION].text, &ok);
        to->sense.confidence = row->v[PAWL__SENSE_CONFIDENCE].real;
        to->status = pawl__arena_text(&l->arena, row->v[PAWL__SENSE_STATUS].text, &ok);
        to->source = pawl__arena_text(&l->arena, row->v[PAWL__SENSE_SOURCE].text, &ok);
        to->actor = pawl__arena_text(&l->arena, row->v[PAWL__SENSE_ACTOR].text, &ok);
        to->seq = (uint64_t)row->v[PAWL__SENSE_SEQ].integer;
        return ok ? PAWL_OK : pawl__nomem(err);
}

typedef struct versions {
        pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX];
        size_t n;
        pawl__arena *arena;
} versions;

/* The version of each scope that was used last. */
static pawl_status versions_in_force(versions *v, pawl__state *state, pawl_error *err)
{
        for (int scope = 0; scope < PAWL__SCOPES_N; scope++) {
                const pawl_text name = pawl__text(pawl__scope_name((pawl__scope)scope));
                pawl__row row;
                pawl_status status = pawl__state_scope_in_force(&row, state, name, v->arena, err);
                if (status == PAWL_ENOTFOUND)
                        continue;
                if (status)
                        return status;
                v->refs[v->n++] = (pawl__scope_ref){name, row.v[PAWL__SCOPE_VERSION].text};
        }
        return PAWL_OK;
}

/* The mission and the versions that a run began with. */
static pawl_status versions_of_run(
        versions *v, pawl_text *mission_id, pawl__state *state, pawl_text run_id, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
        pawl_status status = pawl__state_get(state, PAWL__RUNS, &run, v->arena, err);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "run %.*s: is not in this log; `pawl runs` lists them", PAWL__FMT(run_id));
        if (status)
                return status;
        *mission_id = run.v[PAWL__RUN_MISSION].text;
        return pawl__scope_refs_read(
                v->refs, &v->n, v->arena, run.v[PAWL__RUN_SCOPE_REFS].text, err);
}

pawl_status pawl_sense_list(pawl_senses **out, pawl_log *log, const char *run_id, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl_text mission_id = {NULL, 0};
        pawl_status status;
        list *l = new_list(&status, err);
        versions v = {.n = 0};
        pawl__state *state;

        if (!status)
                status = pawl__state_of(&state, log, err);
        if (status)
                return give(out, l, status);
        v.arena = &l->arena;
        status = run_id ? versions_of_run(&v, &mission_id, state, pawl__text(run_id), err)
                        : versions_in_force(&v, state, err);
        if (!status)
                status = pawl__state_senses(
                        NULL, state, mission_id, v.refs, v.n, take_sense, l, err);
        return give(out, l, status);
}

void pawl_senses_free(pawl_senses *senses)
{
        free_list(senses);
}

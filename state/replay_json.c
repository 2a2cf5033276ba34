/* The fold as the object of contract section 5. The order of every array is that of its table
 * (pawl__row_cmp_order), which docs/reference/event-log.md states. */
#include "base/digest.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "state/state.h"
#include <stdlib.h>

struct printing {
        pawl__json_writer w;
        pawl__store *store;
        pawl__json_tree tree; /* of a conflict's candidates */
        pawl__row *steps;     /* all of them, the steps of a run together */
        size_t n_steps, cap_steps, at_step;
        pawl__versions versions; /* those in force */
        pawl__alias_fn alias;
        pawl__buf scratch;
        pawl__table table; /* of the current array, and its rows' members */
        const struct member *list;
};

/* ---- Members from columns -------------------------------------------------------------------- */

/* How a column is printed. */
enum how {
        PLAIN,  /* 0 is null: a seq of 0 means none */
        NUMBER, /* 0 is 0 */
        FLAG,
        KEY /* '' is null: in a key it means that the column does not apply */
};

struct member {
        const char *name;
        int column;
        enum how how;
};

static void members(
        pawl__json_writer *w, pawl__table table, const pawl__row *row, const struct member *list)
{
        for (; list->name; list++) {
                const pawl__value *value = &row->v[list->column];
                const pawl__column_type type = pawl__tables[table].column[list->column].type;
                pawl__json_name(w, list->name);
                if (type == PAWL__REAL)
                        pawl__json_number(w, value->real);
                else if (list->how == FLAG)
                        pawl__json_bool(w, value->integer != 0);
                else if (type == PAWL__INT && (value->integer || list->how == NUMBER))
                        pawl__json_integer(w, value->integer);
                else if (type == PAWL__INT || (list->how == KEY && !value->text.len))
                        pawl__json_null(w);
                else
                        pawl__json_text(w, value->text);
        }
}

/* A row as an object of the members listed. */
static pawl_status print_row(const pawl__row *row, void *user, pawl_error *err)
{
        struct printing *p = user;

        (void)err;
        pawl__json_open_object(&p->w);
        members(&p->w, p->table, row, p->list);
        pawl__json_close_object(&p->w);
        return PAWL_OK;
}

/* ---- Runs and their steps -------------------------------------------------------------------- */

static const struct member run_members[] = {{"run_id", PAWL__RUN_ID, PLAIN},
        {"mission_id", PAWL__RUN_MISSION, PLAIN}, {"status", PAWL__RUN_STATUS, PLAIN},
        {NULL, 0, PLAIN}};

static const struct member step_members[] = {{"step_id", PAWL__STEP_ID, PLAIN},
        {"status", PAWL__STEP_STATUS, PLAIN}, {"input_hash", PAWL__STEP_INPUT_HASH, PLAIN},
        {"output_hash", PAWL__STEP_OUTPUT_HASH, PLAIN}, {"retry_token", PAWL__STEP_TOKEN, PLAIN},
        {"cursor", PAWL__STEP_CURSOR, PLAIN}, {NULL, 0, PLAIN}};

static pawl_status keep_step(const pawl__row *row, void *user, pawl_error *err)
{
        struct printing *p = user;

        if (pawl__grow(&p->steps, &p->cap_steps, p->n_steps + 1, sizeof *p->steps))
                return pawl__nomem(err);
        p->steps[p->n_steps] = *row; /* a store in memory keeps its texts while nothing is put */
        p->steps[p->n_steps++].v[PAWL__STEP_STATUS].text = pawl__row_step_status(row);
        return PAWL_OK;
}

/* Runs and steps are listed by the same seq, that of RunStarted: one walk over both pairs them. */
static pawl_status print_run(const pawl__row *run, void *user, pawl_error *err)
{
        struct printing *p = user;

        (void)err;
        pawl__json_open_object(&p->w);
        members(&p->w, PAWL__RUNS, run, run_members);
        pawl__json_name(&p->w, "steps");
        pawl__json_open_array(&p->w);
        for (; p->at_step < p->n_steps; p->at_step++) {
                const pawl__row *step = &p->steps[p->at_step];
                if (!pawl__text_eq(step->v[PAWL__STEP_RUN].text, run->v[PAWL__RUN_ID].text))
                        break;
                pawl__json_open_object(&p->w);
                members(&p->w, PAWL__STEPS, step, step_members);
                pawl__json_close_object(&p->w);
        }
        pawl__json_close_array(&p->w);
        pawl__json_close_object(&p->w);
        return PAWL_OK;
}

/* ---- Checkpoints, conflicts, sessions, the workspace
 * -------------------------------------------------------- */

static const struct member checkpoint_members[] = {{"retry_token", PAWL__CP_TOKEN, PLAIN},
        {"seq", PAWL__CP_SEQ, PLAIN}, {"run_id", PAWL__CP_RUN, PLAIN},
        {"step_id", PAWL__CP_STEP, PLAIN}, {"cursor", PAWL__CP_CURSOR, PLAIN},
        {"input_hash", PAWL__CP_INPUT_HASH, PLAIN}, {"strictness", PAWL__CP_STRICTNESS, PLAIN},
        {NULL, 0, PLAIN}};

static const struct member session_members[] = {{"session_id", PAWL__SES_ID, PLAIN},
        {"mission_id", PAWL__SES_MISSION, PLAIN}, {"run_id", PAWL__SES_RUN, PLAIN},
        {"status", PAWL__SES_STATUS, PLAIN}, {NULL, 0, PLAIN}};

static const struct member workspace_members[] = {{"n", PAWL__WCP_N, PLAIN},
        {"id", PAWL__WCP_ID, PLAIN}, {"seq", PAWL__WCP_SEQ, PLAIN},
        {"mission_id", PAWL__WCP_MISSION, PLAIN}, {"run_id", PAWL__WCP_RUN, PLAIN},
        {"step_id", PAWL__WCP_STEP, PLAIN}, {"trigger", PAWL__WCP_TRIGGER, PLAIN},
        {"description", PAWL__WCP_DESCRIPTION, PLAIN}, {"tree", PAWL__WCP_TREE, PLAIN},
        {"files", PAWL__WCP_FILES, NUMBER}, {"bytes", PAWL__WCP_BYTES, NUMBER},
        {"skipped", PAWL__WCP_SKIPPED, NUMBER}, {"state_hash", PAWL__WCP_STATE_HASH, PLAIN},
        {"outputs_hash", PAWL__WCP_OUTPUTS_HASH, PLAIN}, {"git_head", PAWL__WCP_GIT_HEAD, PLAIN},
        {"git_branch", PAWL__WCP_GIT_BRANCH, PLAIN}, {"base", PAWL__WCP_BASE, PLAIN},
        {"invalid_seq", PAWL__WCP_INVALID_SEQ, PLAIN},
        {"invalid_reason", PAWL__WCP_INVALID_REASON, PLAIN},
        {"pruned_seq", PAWL__WCP_PRUNED_SEQ, PLAIN}, {"safety", PAWL__WCP_SAFETY, FLAG},
        {"pinned", PAWL__WCP_PINNED, FLAG}, {NULL, 0, PLAIN}};

static const struct member rollback_members[] = {{"seq", PAWL__RB_SEQ, PLAIN},
        {"target", PAWL__RB_TARGET, PLAIN}, {"safety", PAWL__RB_SAFETY, PLAIN},
        {"status", PAWL__RB_STATUS, PLAIN}, {"ended_seq", PAWL__RB_ENDED_SEQ, PLAIN},
        {"reason", PAWL__RB_REASON, PLAIN}, {"actor", PAWL__RB_ACTOR, PLAIN}, {NULL, 0, PLAIN}};

static pawl_status print_rollback(const pawl__row *row, void *user, pawl_error *err)
{
        struct printing *p = user;

        (void)err;
        pawl__json_open_object(&p->w);
        members(&p->w, PAWL__ROLLBACKS, row, rollback_members);
        pawl__json_member_bool(
                &p->w, "undo", (row->v[PAWL__RB_UNDO].integer & PAWL__RB_IS_UNDO) != 0);
        if (row->v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART)
                pawl__json_member_bool(&p->w, "in_part", true);
        pawl__json_close_object(&p->w);
        return PAWL_OK;
}

static const struct member conflict_head[] = {{"conflict_id", PAWL__CON_ID, PLAIN},
        {"run_id", PAWL__CON_RUN, PLAIN}, {"step_id", PAWL__CON_STEP, PLAIN},
        {"retry_token", PAWL__CON_TOKEN, PLAIN}, {"term", PAWL__CON_TERM, PLAIN},
        {"conflict_type", PAWL__CON_TYPE, PLAIN}, {"severity", PAWL__CON_SEVERITY, PLAIN},
        {"confidence", PAWL__CON_CONFIDENCE, PLAIN}, {"context", PAWL__CON_CONTEXT, PLAIN},
        {NULL, 0, PLAIN}};

static const struct member conflict_tail[] = {{"status", PAWL__CON_STATUS, PLAIN},
        {"resolved_seq", PAWL__CON_RESOLVED_SEQ, PLAIN}, {NULL, 0, PLAIN}};

/* The candidates as they were asked, each with the number that an answer picks it by. */
static pawl_status print_candidates(struct printing *p, pawl_text json, pawl_error *err)
{
        pawl_status status = pawl__json_tree_read(&p->tree, json.data, json.len, err);
        int64_t number = 0;

        if (status)
                return status;
        pawl__json_name(&p->w, "candidates");
        pawl__json_open_array(&p->w);
        for (pawl__node n = pawl__json_first(&p->tree, 0); n != PAWL__NO_NODE;
                n = pawl__json_after(&p->tree, 0, n)) {
                static const char *const names[] = {"scope", "definition", "confidence"};
                pawl__json_open_object(&p->w);
                pawl__json_member_integer(&p->w, "n", ++number);
                for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
                        pawl__node member = pawl__json_get(&p->tree, n, names[i]);
                        pawl__json_name(&p->w, names[i]);
                        if (member == PAWL__NO_NODE)
                                pawl__json_null(&p->w);
                        else if (pawl__json_at(&p->tree, member)->type == PAWL__JSON_STRING)
                                pawl__json_text(&p->w, pawl__json_at(&p->tree, member)->value);
                        else
                                pawl__json_raw(&p->w, pawl__json_at(&p->tree, member)->value);
                }
                pawl__json_close_object(&p->w);
        }
        pawl__json_close_array(&p->w);
        return PAWL_OK;
}

static pawl_status print_conflict(const pawl__row *row, void *user, pawl_error *err)
{
        struct printing *p = user;

        pawl__json_open_object(&p->w);
        members(&p->w, PAWL__CONFLICTS, row, conflict_head);
        pawl_status status = print_candidates(p, row->v[PAWL__CON_CANDIDATES].text, err);
        members(&p->w, PAWL__CONFLICTS, row, conflict_tail);
        pawl__json_close_object(&p->w);
        return status;
}

/* ---- The glossary in force ------------------------------------------------------------------- */

static const struct member sense_members[] = {{"scope", PAWL__SENSE_SCOPE, PLAIN},
        {"surface", PAWL__SENSE_SURFACE, PLAIN}, {"definition", PAWL__SENSE_DEFINITION, PLAIN},
        {"confidence", PAWL__SENSE_CONFIDENCE, PLAIN}, {"status", PAWL__SENSE_STATUS, PLAIN},
        {"since_seq", PAWL__SENSE_SEQ, PLAIN}, {"mission_id", PAWL__SENSE_MISSION, KEY},
        {"version_id", PAWL__SENSE_VERSION, KEY}, {NULL, 0, PLAIN}};

static pawl_status print_sense(const pawl__row *row, void *user, pawl_error *err)
{
        struct printing *p = user;
        bool holds = false, alias = false;
        pawl_status status = pawl__versions_hold(&holds, &p->versions, row, err);

        if (!status && holds && p->alias)
                status = p->alias(&alias, &p->scratch, row, err);
        if (status || !holds)
                return status;
        pawl__json_open_object(&p->w);
        members(&p->w, p->table, row, p->list);
        if (alias)
                pawl__json_member_text(&p->w, "alias", row->v[PAWL__SENSE_NORMAL].text);
        pawl__json_close_object(&p->w);
        return PAWL_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static pawl_status print_array(
        struct printing *p, const char *name, pawl__row_fn fn, pawl_error *err)
{
        pawl__json_name(&p->w, name);
        pawl__json_open_array(&p->w);
        pawl_status status = p->store->each(p->store, p->table, fn, p, err);
        pawl__json_close_array(&p->w);
        return status;
}

static pawl_status print_all(
        struct printing *p, uint64_t head_seq, const unsigned char head_hash[32], pawl_error *err)
{
        static const struct {
                const char *name;
                pawl__table table;
                pawl__row_fn fn;
                const struct member *list;
        } arrays[] = {
                {"runs", PAWL__RUNS, print_run, NULL},
                {"checkpoints", PAWL__CHECKPOINTS, print_row, checkpoint_members},
                {"conflicts", PAWL__CONFLICTS, print_conflict, NULL},
                {"glossary", PAWL__SENSES, print_sense, sense_members},
                {"sessions", PAWL__SESSIONS, print_row, session_members},
                {"workspace_checkpoints", PAWL__WORKSPACE, print_row, workspace_members},
                {"rollbacks", PAWL__ROLLBACKS, print_rollback, NULL},
        };
        char hex[65];
        pawl_status status = p->store->each(p->store, PAWL__STEPS, keep_step, p, err);

        if (status == PAWL_OK)
                status = pawl__versions_in_force(&p->versions, p->store, err);
        pawl__hex(hex, head_hash, 32);
        pawl__json_open_object(&p->w);
        pawl__json_name(&p->w, "head");
        pawl__json_open_object(&p->w);
        pawl__json_member_integer(&p->w, "seq", (int64_t)head_seq);
        pawl__json_member_string(&p->w, "hash", hex);
        pawl__json_close_object(&p->w);
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == PAWL_OK; i++) {
                p->table = arrays[i].table;
                p->list = arrays[i].list;
                status = print_array(p, arrays[i].name, arrays[i].fn, err);
        }
        pawl__json_close_object(&p->w);
        if (status == PAWL_OK && pawl__json_end_writer(&p->w))
                status = pawl__nomem(err);
        return status;
}

pawl_status pawl__replay_json(pawl__buf *out, pawl__store *store, uint64_t head_seq,
        const unsigned char head_hash[32], pawl__alias_fn alias, pawl_error *err)
{
        struct printing p = {.w = PAWL__JSON_WRITER_INIT, .store = store, .alias = alias};
        pawl_status status = print_all(&p, head_seq, head_hash, err);

        if (status == PAWL_OK && pawl__buf_add(out, p.w.buf.data, p.w.buf.len))
                status = pawl__nomem(err);
        pawl__json_writer_free(&p.w);
        pawl__json_tree_free(&p.tree);
        free(p.steps);
        pawl__buf_free(&p.scratch);
        pawl__versions_free(&p.versions);
        return status;
}

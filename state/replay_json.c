/* The fold as the object of contract section 5. The order of every array is that of its table
 * (pawl__row_cmp_order), which docs/reference/event-log.md states. */
#include "base/error.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "state/projection.h"

struct printing {
        pawl__json_writer w;
        pawl__store *store;
        pawl_log *log;
        pawl__arena arena;
        pawl__json_tree tree;    /* of a conflict's candidates */
        pawl__rows steps;        /* of all runs, the steps of a run together */
        pawl__row step;          /* the next one of them */
        pawl_status step_is;     /* PAWL_DONE: there is none */
        pawl__versions versions; /* those in force */
        pawl__alias_fn alias;
        pawl__buf scratch;
        pawl__element_fn fn;
        void *user;
        const char *array; /* the current one, its table, and its rows' members */
        pawl__table table;
        const struct member *list;
};

static void begin(struct printing *p)
{
        pawl__buf_clear(&p->w.buf);
        p->w.need_comma = false;
        pawl__json_open_object(&p->w);
}

/* The object that was begun is an element. */
static pawl_status end(struct printing *p, const char *array, pawl_error *err)
{
        pawl__json_close_object(&p->w);
        TRY(pawl__buf_check(&p->w.buf, err));
        return p->fn(array, pawl__buf_text(&p->w.buf), p->user, err);
}

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

        begin(p);
        members(&p->w, p->table, row, p->list);
        return end(p, p->array, err);
}

/* ---- Runs and their steps -------------------------------------------------------------------- */

static const struct member run_members[] = {{"run_id", PAWL__RUN_ID, PLAIN},
        {"mission_id", PAWL__RUN_MISSION, PLAIN}, {"status", PAWL__RUN_STATUS, PLAIN},
        {NULL, 0, PLAIN}};

static const struct member step_members[] = {{"step_id", PAWL__STEP_ID, PLAIN},
        {"status", PAWL__STEP_STATUS, PLAIN}, {"input_hash", PAWL__STEP_INPUT_HASH, PLAIN},
        {"output_hash", PAWL__STEP_OUTPUT_HASH, PLAIN}, {"retry_token", PAWL__STEP_TOKEN, PLAIN},
        {"cursor", PAWL__STEP_CURSOR, PLAIN}, {NULL, 0, PLAIN}};

static pawl_status next_step(struct printing *p, pawl_error *err)
{
        p->step_is = p->store->rows_next(&p->steps, &p->step, err);
        return p->step_is == PAWL_DONE ? PAWL_OK : p->step_is;
}

/* Runs and steps are listed by the same seq, that of RunStarted: one walk over both pairs them. */
static pawl_status print_run(const pawl__row *run, void *user, pawl_error *err)
{
        struct printing *p = user;

        TRY(print_row(run, p, err));
        while (!p->step_is &&
                pawl__text_eq(p->step.v[PAWL__STEP_RUN].text, run->v[PAWL__RUN_ID].text)) {
                p->step.v[PAWL__STEP_STATUS].text = pawl__row_step_status(&p->step);
                begin(p);
                members(&p->w, PAWL__STEPS, &p->step, step_members);
                TRY(end(p, "steps", err));
                TRY(next_step(p, err));
        }
        return PAWL_OK;
}

/* ---- Checkpoints, conflicts, sessions, the workspace ----------------------------------------- */

static const struct member checkpoint_members[] = {{"retry_token", PAWL__CP_TOKEN, PLAIN},
        {"seq", PAWL__CP_SEQ, PLAIN}, {"run_id", PAWL__CP_RUN, PLAIN},
        {"step_id", PAWL__CP_STEP, PLAIN}, {"cursor", PAWL__CP_CURSOR, PLAIN},
        {"input_hash", PAWL__CP_INPUT_HASH, PLAIN}, {"strictness", PAWL__CP_STRICTNESS, PLAIN},
        {NULL, 0, PLAIN}};

static pawl_status print_checkpoint(const pawl__row *row, void *user, pawl_error *err)
{
        struct printing *p = user;
        pawl__row whole = *row;

        TRY(pawl__checkpoint_complete(&whole, p->log, &p->arena, err));
        return print_row(&whole, p, err);
}

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

        begin(p);
        members(&p->w, PAWL__ROLLBACKS, row, rollback_members);
        pawl__json_member_bool(
                &p->w, "undo", (row->v[PAWL__RB_UNDO].integer & PAWL__RB_IS_UNDO) != 0);
        if (row->v[PAWL__RB_UNDO].integer & PAWL__RB_IN_PART)
                pawl__json_member_bool(&p->w, "in_part", true);
        return end(p, p->array, err);
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

        begin(p);
        members(&p->w, PAWL__CONFLICTS, row, conflict_head);
        TRY(print_candidates(p, row->v[PAWL__CON_CANDIDATES].text, err));
        members(&p->w, PAWL__CONFLICTS, row, conflict_tail);
        return end(p, p->array, err);
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
        begin(p);
        members(&p->w, p->table, row, p->list);
        if (alias)
                pawl__json_member_text(&p->w, "alias", row->v[PAWL__SENSE_NORMAL].text);
        return end(p, p->array, err);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static pawl_status print_all(
        struct printing *p, uint64_t head_seq, const unsigned char head_hash[32], pawl_error *err)
{
        static const struct {
                const char *name;
                pawl__table table;
                pawl__row_fn fn;
                const struct member *list;
        } arrays[] = {
                {"runs", PAWL__RUNS, print_run, run_members},
                {"checkpoints", PAWL__CHECKPOINTS, print_checkpoint, checkpoint_members},
                {"conflicts", PAWL__CONFLICTS, print_conflict, NULL},
                {"glossary", PAWL__SENSES, print_sense, sense_members},
                {"sessions", PAWL__SESSIONS, print_row, session_members},
                {"workspace_checkpoints", PAWL__WORKSPACE, print_row, workspace_members},
                {"rollbacks", PAWL__ROLLBACKS, print_rollback, NULL},
        };

        TRY(next_step(p, err));
        TRY(pawl__versions_in_force(&p->versions, p->store, err));
        begin(p);
        pawl__json_member_integer(&p->w, "seq", (int64_t)head_seq);
        pawl__json_member_hash(&p->w, "hash", head_hash);
        TRY(end(p, "head", err));
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
                p->array = arrays[i].name;
                p->table = arrays[i].table;
                p->list = arrays[i].list;
                TRY(p->fn(p->array, pawl__text(NULL), p->user, err));
                TRY(p->store->each(p->store, p->table, arrays[i].fn, p, err));
        }
        return PAWL_OK;
}

pawl_status pawl__replay_each(pawl__store *store, pawl_log *log, uint64_t head_seq,
        const unsigned char head_hash[32], pawl__alias_fn alias, pawl__element_fn fn, void *user,
        pawl_error *err)
{
        struct printing p = {.w = PAWL__JSON_WRITER_INIT,
                .store = store,
                .log = log,
                .alias = alias,
                .fn = fn,
                .user = user};

        TRY(store->rows(&p.steps, store, PAWL__STEPS, err));
        const pawl_status status = print_all(&p, head_seq, head_hash, err);
        store->rows_end(&p.steps);
        pawl__json_writer_free(&p.w);
        pawl__json_tree_free(&p.tree);
        pawl__buf_free(&p.scratch);
        pawl__versions_free(&p.versions);
        pawl__arena_free(&p.arena);
        return status;
}

/* ---- As one object --------------------------------------------------------------------------- */

/* The steps are the last member of their run. */
pawl_status pawl__replay_add(const char *array, pawl_text element, void *user, pawl_error *err)
{
        pawl__replay_object *o = user;
        const bool is_step = array && strcmp(array, "steps") == 0;

        if (o->in_run && !is_step) {
                pawl__buf_adds(o->out, "]}");
                o->in_run = false;
        }
        if (!array) {
                pawl__buf_adds(o->out, o->in_array ? "]}" : "}");
        } else if (strcmp(array, "head") == 0) {
                pawl__buf_adds(o->out, "{\"head\":");
                pawl__buf_add_text(o->out, element);
        } else if (!element.data) {
                pawl__buf_addf(o->out, "%s,\"%s\":[", o->in_array ? "]" : "", array);
                o->in_array = true;
                o->elements = 0;
        } else {
                if ((is_step ? o->steps++ : o->elements++) > 0)
                        pawl__buf_addc(o->out, ',');
                o->in_run = is_step || strcmp(array, "runs") == 0;
                if (o->in_run && !is_step) {
                        element.len--;
                        o->steps = 0;
                }
                pawl__buf_add_text(o->out, element);
                if (o->in_run && !is_step)
                        pawl__buf_adds(o->out, ",\"steps\":[");
        }
        return pawl__buf_check(o->out, err);
}

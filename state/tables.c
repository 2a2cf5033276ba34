#include "state/tables.h"

const pawl__table_form pawl__tables[PAWL__TABLES] = {
        [PAWL__RUNS] = {"runs", 1, PAWL__RUN_COLUMNS, PAWL__RUN_COLUMNS, PAWL__RUN_STARTED_SEQ, -1,
                {{"run_id", PAWL__TEXT}, {"mission_id", PAWL__TEXT}, {"status", PAWL__TEXT},
                        {"started_seq", PAWL__INT}, {"updated_seq", PAWL__INT},
                        {"updated_us", PAWL__INT}, {"mission_hash", PAWL__TEXT},
                        {"mission_path", PAWL__TEXT}, {"strictness", PAWL__TEXT},
                        {"reason", PAWL__TEXT}, {"fence", PAWL__INT}, {"session_id", PAWL__TEXT},
                        {"scope_refs", PAWL__TEXT}, {"steps", PAWL__INT}, {"done", PAWL__INT},
                        {"current_step", PAWL__TEXT}}},
        [PAWL__STEPS] = {"steps", 2, PAWL__STEP_COLUMNS, PAWL__STEP_COLUMNS, PAWL__STEP_ORDER_SEQ,
                PAWL__STEP_NUMBER,
                {{"run_id", PAWL__TEXT}, {"step_id", PAWL__TEXT}, {"order_seq", PAWL__INT},
                        {"number", PAWL__INT}, {"status", PAWL__TEXT}, {"input_hash", PAWL__TEXT},
                        {"output_hash", PAWL__TEXT}, {"retry_token", PAWL__TEXT},
                        {"cursor", PAWL__TEXT}, {"checkpoint_seq", PAWL__INT},
                        {"evaluated_seq", PAWL__INT}, {"exit_code", PAWL__INT}}},
        [PAWL__CHECKPOINTS] = {"checkpoints", 1, PAWL__CP_COLUMNS, PAWL__CP_EVALUATED_SEQ + 1,
                PAWL__CP_SEQ, -1,
                {{"retry_token", PAWL__TEXT}, {"seq", PAWL__INT}, {"evaluated_seq", PAWL__INT},
                        {"run_id", PAWL__TEXT}, {"step_id", PAWL__TEXT}, {"cursor", PAWL__TEXT},
                        {"input_hash", PAWL__TEXT}, {"strictness", PAWL__TEXT}}},
        [PAWL__CONFLICTS] = {"conflicts", 1, PAWL__CON_COLUMNS, PAWL__CON_COLUMNS, PAWL__CON_SEQ,
                -1,
                {{"conflict_id", PAWL__TEXT}, {"seq", PAWL__INT}, {"run_id", PAWL__TEXT},
                        {"step_id", PAWL__TEXT}, {"mission_id", PAWL__TEXT},
                        {"retry_token", PAWL__TEXT}, {"term", PAWL__TEXT},
                        {"conflict_type", PAWL__TEXT}, {"severity", PAWL__TEXT},
                        {"confidence", PAWL__REAL}, {"context", PAWL__TEXT},
                        {"candidates", PAWL__TEXT}, {"status", PAWL__TEXT},
                        {"requested_us", PAWL__INT}, {"resolved_seq", PAWL__INT}}},
        [PAWL__SENSES] = {"senses", 5, PAWL__SENSE_COLUMNS, PAWL__SENSE_COLUMNS, PAWL__SENSE_SEQ,
                -1,
                {{"mission_id", PAWL__TEXT}, {"scope", PAWL__TEXT}, {"version_id", PAWL__TEXT},
                        {"normal", PAWL__TEXT}, {"identity", PAWL__TEXT}, {"seq", PAWL__INT},
                        {"surface", PAWL__TEXT}, {"definition", PAWL__TEXT},
                        {"confidence", PAWL__REAL}, {"status", PAWL__TEXT}, {"source", PAWL__TEXT},
                        {"actor", PAWL__TEXT}}},
        [PAWL__SCOPES] = {"scopes", 2, PAWL__SCOPE_COLUMNS, PAWL__SCOPE_COLUMNS, PAWL__SCOPE_SEQ,
                -1,
                {{"scope_id", PAWL__TEXT}, {"version_id", PAWL__TEXT}, {"seq", PAWL__INT},
                        {"used_seq", PAWL__INT}}},
        [PAWL__SESSIONS] = {"sessions", 1, PAWL__SES_COLUMNS, PAWL__SES_COLUMNS, PAWL__SES_SEQ, -1,
                {{"session_id", PAWL__TEXT}, {"seq", PAWL__INT}, {"mission_id", PAWL__TEXT},
                        {"run_id", PAWL__TEXT}, {"actor", PAWL__TEXT}, {"status", PAWL__TEXT},
                        {"started_us", PAWL__INT}, {"updated_us", PAWL__INT},
                        {"ended_us", PAWL__INT}, {"reason", PAWL__TEXT},
                        {"current_step", PAWL__TEXT}, {"completed", PAWL__TEXT},
                        {"pending", PAWL__TEXT}, {"files", PAWL__TEXT}, {"done", PAWL__INT},
                        {"total", PAWL__INT}, {"summary", PAWL__TEXT}, {"checkpoints", PAWL__INT},
                        {"checkpoint_seq", PAWL__INT}, {"notes_seq", PAWL__INT},
                        {"pinned", PAWL__INT}}},
};

static int cmp_value(pawl__column_type type, const pawl__value *a, const pawl__value *b)
{
        switch (type) {
        case PAWL__TEXT:
                return pawl__text_cmp(a->text, b->text);
        case PAWL__INT:
                return (a->integer > b->integer) - (a->integer < b->integer);
        case PAWL__REAL:
                break;
        }
        return (a->real > b->real) - (a->real < b->real);
}

int pawl__row_cmp_key(pawl__table table, const pawl__row *a, const pawl__row *b)
{
        const pawl__table_form *form = &pawl__tables[table];
        int order = 0;

        for (int c = 0; c < form->keys && order == 0; c++)
                order = cmp_value(form->column[c].type, &a->v[c], &b->v[c]);
        return order;
}

int pawl__row_cmp_order(pawl__table table, const pawl__row *a, const pawl__row *b)
{
        const pawl__table_form *form = &pawl__tables[table];
        int order = cmp_value(PAWL__INT, &a->v[form->order], &b->v[form->order]);

        if (order == 0 && form->then >= 0)
                order = cmp_value(PAWL__INT, &a->v[form->then], &b->v[form->then]);
        return order ? order : pawl__row_cmp_key(table, a, b);
}

int pawl__row_diff(pawl__table table, const pawl__row *a, const pawl__row *b)
{
        const pawl__table_form *form = &pawl__tables[table];

        for (int c = 0; c < form->columns; c++)
                if (cmp_value(form->column[c].type, &a->v[c], &b->v[c]) != 0)
                        return c;
        return -1;
}

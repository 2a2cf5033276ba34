#include "state/tables.h"

const pawl__table_def pawl__tables[PAWL__TABLES] = {
        [PAWL__RUNS] = {"runs", 1, PAWL__RUN_COLUMNS, PAWL__RUN_COLUMNS, PAWL__RUN_STARTED_SEQ, -1,
                0,
                {{"run_id", PAWL__TEXT, 0}, {"mission_id", PAWL__TEXT, 0},
                        {"status", PAWL__TEXT, 0}, {"started_seq", PAWL__INT, 0},
                        {"updated_seq", PAWL__INT, 0}, {"updated_us", PAWL__INT, 0},
                        {"mission_hash", PAWL__TEXT, 0}, {"mission_path", PAWL__TEXT, 0},
                        {"strictness", PAWL__TEXT, 0}, {"reason", PAWL__TEXT, 0},
                        {"fence", PAWL__INT, 0}, {"session_id", PAWL__TEXT, 0},
                        {"scope_refs", PAWL__TEXT, 0}, {"steps", PAWL__INT, 0},
                        {"done", PAWL__INT, 3}, {"current_step", PAWL__TEXT, 3}}},
        [PAWL__STEPS] = {"steps", 2, PAWL__STEP_COLUMNS, PAWL__STEP_COLUMNS, PAWL__STEP_ORDER_SEQ,
                PAWL__STEP_NUMBER, 0,
                {{"run_id", PAWL__TEXT, 0}, {"step_id", PAWL__TEXT, 0}, {"order_seq", PAWL__INT, 0},
                        {"number", PAWL__INT, 0}, {"status", PAWL__TEXT, 0},
                        {"input_hash", PAWL__TEXT, 0}, {"output_hash", PAWL__TEXT, 0},
                        {"retry_token", PAWL__TEXT, 0}, {"cursor", PAWL__TEXT, 0},
                        {"checkpoint_seq", PAWL__INT, 0}, {"evaluated_seq", PAWL__INT, 0},
                        {"exit_code", PAWL__INT, 0}}},
        [PAWL__CHECKPOINTS] = {"checkpoints", 1, PAWL__CP_COLUMNS, PAWL__CP_EVALUATED_SEQ + 1,
                PAWL__CP_SEQ, -1, 0,
                {{"retry_token", PAWL__TEXT, 0}, {"seq", PAWL__INT, 0},
                        {"evaluated_seq", PAWL__INT, 0}, {"run_id", PAWL__TEXT, 0},
                        {"step_id", PAWL__TEXT, 0}, {"cursor", PAWL__TEXT, 0},
                        {"input_hash", PAWL__TEXT, 0}, {"strictness", PAWL__TEXT, 0}}},
        [PAWL__CONFLICTS] = {"conflicts", 1, PAWL__CON_COLUMNS, PAWL__CON_COLUMNS, PAWL__CON_SEQ,
                -1, 0,
                {{"conflict_id", PAWL__TEXT, 0}, {"seq", PAWL__INT, 0}, {"run_id", PAWL__TEXT, 0},
                        {"step_id", PAWL__TEXT, 0}, {"mission_id", PAWL__TEXT, 0},
                        {"retry_token", PAWL__TEXT, 0}, {"term", PAWL__TEXT, 0},
                        {"conflict_type", PAWL__TEXT, 0}, {"severity", PAWL__TEXT, 0},
                        {"confidence", PAWL__REAL, 0}, {"context", PAWL__TEXT, 0},
                        {"candidates", PAWL__TEXT, 0}, {"status", PAWL__TEXT, 0},
                        {"requested_us", PAWL__INT, 0}, {"resolved_seq", PAWL__INT, 0}}},
        [PAWL__SENSES] = {"senses", 5, PAWL__SENSE_COLUMNS, PAWL__SENSE_COLUMNS, PAWL__SENSE_SEQ,
                -1, 0,
                {{"mission_id", PAWL__TEXT, 0}, {"scope", PAWL__TEXT, 0},
                        {"version_id", PAWL__TEXT, 0}, {"normal", PAWL__TEXT, 0},
                        {"identity", PAWL__TEXT, 0}, {"seq", PAWL__INT, 0},
                        {"surface", PAWL__TEXT, 0}, {"definition", PAWL__TEXT, 0},
                        {"confidence", PAWL__REAL, 0}, {"status", PAWL__TEXT, 0},
                        {"source", PAWL__TEXT, 0}, {"actor", PAWL__TEXT, 0}}},
        [PAWL__SCOPES] = {"scopes", 2, PAWL__SCOPE_COLUMNS, PAWL__SCOPE_COLUMNS, PAWL__SCOPE_SEQ,
                -1, 0,
                {{"scope_id", PAWL__TEXT, 0}, {"version_id", PAWL__TEXT, 0}, {"seq", PAWL__INT, 0},
                        {"used_seq", PAWL__INT, 0}}},
        [PAWL__SESSIONS] = {"sessions", 1, PAWL__SES_COLUMNS, PAWL__SES_COLUMNS, PAWL__SES_SEQ, -1,
                0,
                {{"session_id", PAWL__TEXT, 0}, {"seq", PAWL__INT, 0},
                        {"mission_id", PAWL__TEXT, 0}, {"run_id", PAWL__TEXT, 0},
                        {"actor", PAWL__TEXT, 3}, {"status", PAWL__TEXT, 0},
                        {"started_us", PAWL__INT, 0}, {"updated_us", PAWL__INT, 3},
                        {"ended_us", PAWL__INT, 0}, {"reason", PAWL__TEXT, 0},
                        {"current_step", PAWL__TEXT, 3}, {"completed", PAWL__TEXT, 3},
                        {"pending", PAWL__TEXT, 3}, {"files", PAWL__TEXT, 3},
                        {"done", PAWL__INT, 3}, {"total", PAWL__INT, 3}, {"summary", PAWL__TEXT, 3},
                        {"checkpoints", PAWL__INT, 3}, {"checkpoint_seq", PAWL__INT, 3},
                        {"notes_seq", PAWL__INT, 3}, {"pinned", PAWL__INT, 3}}},
        [PAWL__WORKSPACE] = {"workspace_checkpoints", 1, PAWL__WCP_COLUMNS, PAWL__WCP_COLUMNS,
                PAWL__WCP_SEQ, -1, 4,
                {{"n", PAWL__INT, 4}, {"seq", PAWL__INT, 4}, {"id", PAWL__TEXT, 4},
                        {"mission_id", PAWL__TEXT, 4}, {"run_id", PAWL__TEXT, 4},
                        {"step_id", PAWL__TEXT, 4}, {"session_id", PAWL__TEXT, 4},
                        {"trigger", PAWL__TEXT, 4}, {"description", PAWL__TEXT, 4},
                        {"root", PAWL__TEXT, 4}, {"tree", PAWL__TEXT, 4}, {"files", PAWL__INT, 4},
                        {"bytes", PAWL__INT, 4}, {"skipped", PAWL__INT, 4},
                        {"state_hash", PAWL__TEXT, 4}, {"outputs_hash", PAWL__TEXT, 4},
                        {"git_head", PAWL__TEXT, 4}, {"git_branch", PAWL__TEXT, 4},
                        {"base", PAWL__INT, 4}, {"safety", PAWL__INT, 4},
                        {"created_us", PAWL__INT, 4}, {"invalid_seq", PAWL__INT, 4},
                        {"invalid_reason", PAWL__TEXT, 4}, {"pinned", PAWL__INT, 4},
                        {"pruned_seq", PAWL__INT, 4}, {"rollback_seq", PAWL__INT, 4}}},
        [PAWL__ROLLBACKS] = {"rollbacks", 1, PAWL__RB_COLUMNS, PAWL__RB_COLUMNS, PAWL__RB_SEQ, -1,
                4,
                {{"seq", PAWL__INT, 4}, {"target", PAWL__INT, 4}, {"safety", PAWL__INT, 4},
                        {"undo", PAWL__INT, 4}, {"tree", PAWL__TEXT, 4},
                        {"plan_hash", PAWL__TEXT, 4}, {"status", PAWL__TEXT, 4},
                        {"ended_seq", PAWL__INT, 4}, {"git_from", PAWL__TEXT, 4},
                        {"git_to", PAWL__TEXT, 4}, {"reason", PAWL__TEXT, 4},
                        {"actor", PAWL__TEXT, 4}, {"steps_before", PAWL__TEXT, 4}}},
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
        const pawl__table_def *def = &pawl__tables[table];
        int order = 0;

        for (int c = 0; c < def->keys && order == 0; c++)
                order = cmp_value(def->column[c].type, &a->v[c], &b->v[c]);
        return order;
}

int pawl__row_cmp_order(pawl__table table, const pawl__row *a, const pawl__row *b)
{
        const pawl__table_def *def = &pawl__tables[table];
        int order = cmp_value(PAWL__INT, &a->v[def->order], &b->v[def->order]);

        if (order == 0 && def->then >= 0)
                order = cmp_value(PAWL__INT, &a->v[def->then], &b->v[def->then]);
        return order ? order : pawl__row_cmp_key(table, a, b);
}

int pawl__row_diff(pawl__table table, const pawl__row *a, const pawl__row *b)
{
        const pawl__table_def *def = &pawl__tables[table];

        for (int c = 0; c < def->columns; c++)
                if (cmp_value(def->column[c].type, &a->v[c], &b->v[c]) != 0)
                        return c;
        return -1;
}

bool pawl__row_given_up(const pawl__row *checkpoint)
{
        const pawl_text reason = checkpoint->v[PAWL__WCP_INVALID_REASON].text;
        const size_t len = sizeof PAWL__GIVEN_UP - 1;

        return checkpoint->v[PAWL__WCP_INVALID_SEQ].integer && reason.len >= len &&
               memcmp(reason.data, PAWL__GIVEN_UP, len) == 0;
}

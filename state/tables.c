#include "state/tables.h"
#include "base/error.h"

#define COLUMN(id, name, type, since) {#name, PAWL__##type, since},

const pawl__table_def pawl__tables[PAWL__TABLES] = {
        [PAWL__RUNS] = {"runs", 1, PAWL__RUN_COLUMNS, PAWL__RUN_COLUMNS, PAWL__RUN_STARTED_SEQ, -1,
                0, {PAWL__RUN_LIST(COLUMN)}},
        [PAWL__STEPS] = {"steps", 2, PAWL__STEP_COLUMNS, PAWL__STEP_JOINED + 1,
                PAWL__STEP_ORDER_SEQ, PAWL__STEP_NUMBER, 0, {PAWL__STEP_LIST(COLUMN)}},
        [PAWL__CHECKPOINTS] = {"checkpoints", 1, PAWL__CP_COLUMNS, PAWL__CP_EVALUATED_SEQ + 1,
                PAWL__CP_SEQ, -1, 0, {PAWL__CP_LIST(COLUMN)}},
        [PAWL__CONFLICTS] = {"conflicts", 1, PAWL__CON_COLUMNS, PAWL__CON_COLUMNS, PAWL__CON_SEQ,
                -1, 0, {PAWL__CON_LIST(COLUMN)}},
        [PAWL__SENSES] = {"senses", 5, PAWL__SENSE_COLUMNS, PAWL__SENSE_COLUMNS, PAWL__SENSE_SEQ,
                -1, 0, {PAWL__SENSE_LIST(COLUMN)}},
        [PAWL__SCOPES] = {"scopes", 2, PAWL__SCOPE_COLUMNS, PAWL__SCOPE_COLUMNS, PAWL__SCOPE_SEQ,
                -1, 0, {PAWL__SCOPE_LIST(COLUMN)}},
        [PAWL__SESSIONS] = {"sessions", 1, PAWL__SES_COLUMNS, PAWL__SES_COLUMNS, PAWL__SES_SEQ, -1,
                0, {PAWL__SES_LIST(COLUMN)}},
        [PAWL__WORKSPACE] = {"workspace_checkpoints", 1, PAWL__WCP_COLUMNS, PAWL__WCP_COLUMNS,
                PAWL__WCP_SEQ, -1, 4, {PAWL__WCP_LIST(COLUMN)}},
        [PAWL__ROLLBACKS] = {"rollbacks", 1, PAWL__RB_COLUMNS, PAWL__RB_COLUMNS, PAWL__RB_SEQ, -1,
                4, {PAWL__RB_LIST(COLUMN)}},
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

bool pawl__run_submitted(const pawl__row *run)
{
        const pawl_text path = run->v[PAWL__RUN_MISSION_PATH].text;

        return path.len && *path.data != '/';
}

bool pawl__row_of_run(const pawl__row *checkpoint)
{
        return !checkpoint->v[PAWL__WCP_ROOT].text.data && checkpoint->v[PAWL__WCP_RUN].text.data;
}

pawl_text pawl__row_step_status(const pawl__row *step)
{
        const pawl_text status = step->v[PAWL__STEP_STATUS].text;

        return step->v[PAWL__STEP_EXIT_CODE].integer < 0 && pawl__text_is(status, "completed")
                       ? pawl__text("skipped")
                       : status;
}

static pawl_text until_space(pawl_text *left)
{
        const char *space = left->len ? memchr(left->data, ' ', left->len) : NULL;
        const pawl_text word = pawl__text_n(left->data, space ? (size_t)(space - left->data) : 0);

        *left = space ? pawl__text_n(space + 1, left->len - word.len - 1) : pawl__text("");
        return word.len ? word : pawl__text(NULL);
}

void pawl__step_split(pawl__row *step)
{
        pawl_text gate = step->v[PAWL__STEP_JOINED].text;

        if (gate.len < 2) /* an older log has none */
                return;
        const bool open = *gate.data == '!';
        step->v[PAWL__STEP_GATE].integer = gate.data[1] & 1; /* of a digit */
        step->v[PAWL__STEP_STRICTNESS].integer = (gate.data[1] - '0') / 2;
        gate = pawl__text_n(gate.data + 2, gate.len - 2);
        step->v[PAWL__STEP_PLAN].text = until_space(&gate);
        step->v[PAWL__STEP_QUESTION].text = until_space(&gate);
        step->v[PAWL__STEP_HELD].text = until_space(&gate);
        step->v[PAWL__STEP_BLOCKERS].text = open ? gate : pawl__text(NULL);
}

static char *add(char *at, pawl_text text)
{
        if (text.data)
                memcpy(at, text.data, text.len);
        return at + text.len;
}

pawl_status pawl__step_join(pawl__row *step, pawl__arena *arena, pawl_error *err)
{
        pawl__value *v = step->v;
        pawl_text *const words[] = {
                &v[PAWL__STEP_PLAN].text, &v[PAWL__STEP_QUESTION].text, &v[PAWL__STEP_HELD].text};
        const int64_t strictness = v[PAWL__STEP_STRICTNESS].integer;
        const int digit =
                (v[PAWL__STEP_GATE].integer != 0) + 2 * (strictness > 0) + 2 * (strictness > 1);
        size_t len = 5; /* of '!', the digit and the spaces */
        const pawl_text open = v[PAWL__STEP_BLOCKERS].text;

        for (int i = 0; i < 3; i++) {
                if (words[i]->data &&
                        (!words[i]->len || memchr(words[i]->data, ' ', words[i]->len)))
                        *words[i] = pawl__text(NULL);
                len += words[i]->len;
        }
        v[PAWL__STEP_JOINED].text = pawl__text(NULL);
        if (!digit && !open.data && len == 5)
                return PAWL_OK;
        char *const gate = pawl__arena_alloc(arena, len + open.len);
        if (!gate)
                return pawl__nomem(err);
        char *at = gate;
        *at++ = open.data ? '!' : '-';
        *at++ = (char)('0' + digit);
        for (int i = 0; i < 3; i++) {
                at = add(at, *words[i]);
                *at++ = ' ';
        }
        at = add(at, open);
        v[PAWL__STEP_JOINED].text = pawl__text_n(gate, (size_t)(at - gate));
        return PAWL_OK;
}

bool pawl__step_has_blocker(const pawl__row *step, pawl_text id)
{
        pawl_text ids = step->v[PAWL__STEP_BLOCKERS].text;

        while (ids.len >= id.len && id.len) {
                if (memcmp(ids.data, id.data, id.len) == 0 &&
                        (ids.len == id.len || ids.data[id.len] == ' '))
                        return true;
                const char *space = memchr(ids.data, ' ', ids.len);
                if (!space)
                        return false;
                ids = pawl__text_n(space + 1, ids.len - (size_t)(space + 1 - ids.data));
        }
        return false;
}

bool pawl__row_given_up(const pawl__row *checkpoint)
{
        const pawl_text reason = checkpoint->v[PAWL__WCP_INVALID_REASON].text;
        const size_t len = sizeof PAWL__GIVEN_UP - 1;

        return checkpoint->v[PAWL__WCP_INVALID_SEQ].integer && reason.len >= len &&
               memcmp(reason.data, PAWL__GIVEN_UP, len) == 0;
}

#include "state/steps_before.h"
#include "base/error.h"

static const int run_columns[] = {PAWL__RUN_ID, PAWL__RUN_STATUS, PAWL__RUN_CURRENT};
enum { RUN_COLUMNS = sizeof run_columns / sizeof run_columns[0] };

static void add_member(pawl__json_writer *w, const pawl__column *column, const pawl__value *value)
{
        if (column->type == PAWL__TEXT)
                pawl__json_member_text(w, column->name, value->text);
        else
                pawl__json_member_integer(w, column->name, value->integer);
}

/* No other process has a rollback's run, so one that was running is interrupted. A prune may remove
 * the end of the session that says so: then the fold of the remaining events is the same. */
void pawl__steps_before_open(pawl__json_writer *w, const pawl__row *run)
{
        pawl__row row = *run;

        if (pawl__text_is(row.v[PAWL__RUN_STATUS].text, "running"))
                row.v[PAWL__RUN_STATUS].text = pawl__text("interrupted");
        pawl__json_open_object(w);
        for (size_t i = 0; i < RUN_COLUMNS; i++)
                add_member(w, &pawl__tables[PAWL__RUNS].column[run_columns[i]],
                        &row.v[run_columns[i]]);
        pawl__json_name(w, "steps");
        pawl__json_open_array(w);
}

void pawl__steps_before_add(pawl__json_writer *w, const pawl__row *step)
{
        pawl__json_open_object(w);
        for (int c = PAWL__STEP_ID; c < PAWL__STEP_COLUMNS; c++)
                if (c != PAWL__STEP_JOINED && c != PAWL__STEP_PLAN)
                        add_member(w, &pawl__tables[PAWL__STEPS].column[c], &step->v[c]);
        pawl__json_close_object(w);
}

pawl_status pawl__steps_before_close(pawl__json_writer *w)
{
        pawl__json_close_array(w);
        pawl__json_close_object(w);
        return pawl__json_end_writer(w);
}

/* ---- Read back: the table may have been in anybody's hands ----------------------------------- */

static pawl_status damaged(pawl_error *err)
{
        return pawl__fail(err, PAWL_EDAMAGED,
                "rollbacks: steps_before is not what was kept there; run `pawl init --rebuild`");
}

static pawl_status take_member(pawl__value *value, const pawl__json_tree *tree, pawl__node object,
        const pawl__column *column, pawl_error *err)
{
        pawl__node node = pawl__json_get(tree, object, column->name);

        if (node == PAWL__NO_NODE) /* an older program wrote it */
                return column->since < 6 ? damaged(err) : PAWL_OK;
        const pawl__json_node *member = pawl__json_at(tree, node);
        if (column->type == PAWL__INT) {
                bool number = member->type == PAWL__JSON_NUMBER &&
                              pawl__json_int(member, &value->integer);
                return number ? PAWL_OK : damaged(err);
        }
        if (member->type != PAWL__JSON_STRING && member->type != PAWL__JSON_NULL)
                return damaged(err);
        value->text = member->type == PAWL__JSON_STRING ? member->value : pawl__text(NULL);
        return PAWL_OK;
}

pawl_status pawl__steps_before_read(
        pawl__json_tree *tree, pawl__row *run, pawl_text text, pawl_error *err)
{
        pawl__row found = {0};
        pawl_status status = pawl__json_tree_read(tree, text.data, text.len, NULL);
        pawl__node steps;

        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (status || pawl__json_at(tree, 0)->type != PAWL__JSON_OBJECT ||
                (steps = pawl__json_get(tree, 0, "steps")) == PAWL__NO_NODE ||
                pawl__json_at(tree, steps)->type != PAWL__JSON_ARRAY)
                return damaged(err);
        for (size_t i = 0; i < RUN_COLUMNS && !status; i++)
                status = take_member(&found.v[run_columns[i]], tree, 0,
                        &pawl__tables[PAWL__RUNS].column[run_columns[i]], err);
        if (!status)
                *run = found;
        return status;
}

pawl__node pawl__steps_before_first(const pawl__json_tree *tree)
{
        return pawl__json_first(tree, pawl__json_get(tree, 0, "steps"));
}

pawl__node pawl__steps_before_after(const pawl__json_tree *tree, pawl__node node)
{
        return pawl__json_after(tree, pawl__json_get(tree, 0, "steps"), node);
}

pawl_status pawl__steps_before_step(pawl__row *step, const pawl__json_tree *tree, pawl__node node,
        pawl_text run_id, pawl_error *err)
{
        pawl__row found = {.v[PAWL__STEP_RUN].text = run_id};
        pawl_status status = PAWL_OK;

        if (pawl__json_at(tree, node)->type != PAWL__JSON_OBJECT)
                return damaged(err);
        for (int c = PAWL__STEP_ID; c < PAWL__STEP_COLUMNS && !status; c++)
                status = take_member(
                        &found.v[c], tree, node, &pawl__tables[PAWL__STEPS].column[c], err);
        if (!status && !found.v[PAWL__STEP_ID].text.data)
                return damaged(err);
        if (!status)
                *step = found;
        return status;
}

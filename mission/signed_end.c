/* Checks the completed steps of a run that requires signatures and has ended. */
#include "base/error.h"
#include "base/json_tree.h"
#include "mission/runner.h"
#include "pipeline/question.h"

/* A step of the mission's document. Whether a time was over is not known without its file. */
static pawl_status check_step(
        pawl__runner *r, const pawl__json_tree *tree, pawl__node step, pawl_text run_id)
{
        pawl__row row = {.v[PAWL__STEP_RUN].text = run_id,
                .v[PAWL__STEP_ID].text = pawl__json_get_text(tree, step, "id")};
        const pawl__node ask = pawl__json_get(tree, step, "ask");
        const pawl__question asks = {
                .within_ms = pawl__json_get(tree, ask, "within") != PAWL__NO_NODE,
                .otherwise = pawl__json_get_text(tree, ask, "otherwise")};
        bool left_out = false;
        pawl_status status = pawl__state_get(r->state, PAWL__STEPS, &row, &r->arena, &r->error);

        if (status == PAWL_ENOTFOUND ||
                (!status && !pawl__text_is(row.v[PAWL__STEP_STATUS].text, "completed")))
                return pawl__fail(&r->error, PAWL_EDAMAGED,
                        "run %.*s: has ended, but its step %.*s has not; put back a copy of the log, "
                        "or start a new run",
                        PAWL__FMT(run_id), PAWL__FMT(row.v[PAWL__STEP_ID].text));
        return status ? status
                      : pawl__trust_completed(&left_out, &r->trust, &row,
                                ask == PAWL__NO_NODE ? NULL : &asks, &r->error);
}

pawl_status pawl__runner_check_end(pawl__runner *r, const pawl__row *run, pawl_text step_id)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf document = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (!r->trust.begun)
                return PAWL_OK;
        status = pawl__mission_recorded(&document, r->log, run, &r->error);
        if (!status)
                status = pawl__json_tree_read(&tree, document.data, document.len, &r->error);
        const pawl__node steps = status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "steps");
        for (pawl__node s = steps == PAWL__NO_NODE ? steps : pawl__json_first(&tree, steps);
                s != PAWL__NO_NODE && !status; s = pawl__json_after(&tree, steps, s))
                if (!step_id.data || pawl__text_eq(step_id, pawl__json_get_text(&tree, s, "id")))
                        status = check_step(r, &tree, s, run->v[PAWL__RUN_ID].text);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&document);
        return status;
}

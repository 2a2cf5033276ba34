/*
 * Any bytes as the plan of a rollback, as a log may hold it. What is refused is refused on one
 * line; what is read encodes to the same bytes, and its paths lead nowhere out of the root.
 */
#include "fuzz/fuzzing.h"
#include "workspace/rollback/plan.h"
#include "workspace/store/rootdir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const pawl_text input = {(const char *)data, size};
        pawl__plan plan = PAWL__PLAN_INIT;
        pawl__buf again = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = pawl__plan_decode(&plan, input, &err);

        if (status) {
                require(status == PAWL_EDAMAGED || status == PAWL_ENEWER || status == PAWL_ETOOBIG);
                require_message(&err, status);
        } else {
                for (size_t i = 0; i < plan.n_steps; i++)
                        require(pawl__rootdir_path_ok(plan.steps[i].path));
                for (size_t i = 0; i < plan.n_left; i++)
                        require(pawl__left_text(&plan.left[i]) != NULL);
                require(pawl__plan_encode(&again, &plan, &err) == PAWL_OK);
                require(pawl__text_eq(pawl__buf_text(&again), input));
        }
        pawl__buf_free(&again);
        pawl__plan_free(&plan);
        return 0;
}

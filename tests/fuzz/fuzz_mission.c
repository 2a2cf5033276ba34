/*
 * Any bytes as a mission file; the first one decides YAML or JSON. What is refused is refused on
 * one line that names the file and the line. What is read has what a mission must have, and its
 * check, which carries every step through the first layers, ends with a verdict that is JSON, the
 * same each time, or is refused on one line. A seed file, seed.yaml, lies beside it.
 */
#include "fuzz/fuzzing.h"
#include "mission/mission.h"
#include "support/scratch.h"
#include "support/test.h"

static void check_parts(const pawl_mission *mission)
{
        require(pawl_mission_id(mission) && pawl_mission_steps(mission) > 0);
        for (size_t i = 0; i < mission->n_steps; i++) {
                const pawl__step *step = &mission->steps[i];
                require(pawl__mission_find(mission, step->id) == i);
                require(step->argv && step->argv[0] && step->argv[0][0]);
                require(step->settings.output_max >= 1);
                require(step->inputs == PAWL__NO_NODE || step->inputs < mission->document.tree.n);
        }
        for (size_t i = 0; i < mission->n_seeds; i++)
                require(mission->seeds[i].path[0] == '/');
}

static void check_verdict(pawl_mission *mission)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT, again_err = PAWL_ERROR_INIT;
        char *json = NULL, *again = NULL;
        size_t len = 0, again_len = 0;
        const pawl_status status = pawl_mission_check(&json, &len, mission, NULL, NULL, &err);

        require(pawl_mission_check(&again, &again_len, mission, NULL, NULL, &again_err) == status);
        if (status < 0) {
                require_message(&err, status);
                require(strcmp(err.message, again_err.message) == 0);
        } else {
                require(status == PAWL_OK || status == PAWL_BLOCKED);
                require(len == again_len && memcmp(json, again, len) == 0);
                require(pawl__json_tree_read(&tree, json, len, NULL) == PAWL_OK);
                require(pawl__json_at(&tree, 0)->count == mission->n_steps);
        }
        pawl__json_tree_free(&tree);
        pawl_free(json);
        pawl_free(again);
}

static char *paths[2];

static void prepare(void)
{
        static const char seed[] = "terms:\n"
                                   "  - {surface: workspace, definition: A folder of files.}\n"
                                   "  - {surface: workspace, definition: A room.}\n"
                                   "  - {surface: refund, definition: Money that goes back.}\n";
        char *path = path_in(scratch_directory(), "seed.yaml");

        scratch_write(path, seed, sizeof seed - 1);
        paths[0] = path_in(scratch_directory(), "m.yaml");
        paths[1] = path_in(scratch_directory(), "m.json");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_mission *mission = NULL;

        if (size == 0)
                return 0;
        if (!paths[0])
                prepare();
        const char *path = paths[data[0] == '{'];
        scratch_write(path, data + 1, size - 1);
        const pawl_status status = pawl_mission_load(&mission, path, &err);
        if (status) {
                require(!mission);
                require_message(&err, status);
                require(strncmp(err.message, path, strlen(path)) == 0);
                require(strncmp(err.message + strlen(path), ": line ", 7) == 0);
                return 0;
        }
        check_parts(mission);
        check_verdict(mission);
        pawl_mission_free(mission);
        return 0;
}

/* Every allocation of reading a mission, its inputs and running a command fails once. */
#include "mission/inputs.h"
#include "support/allocator.h"
#include "support/command.h"

static const char text[] = "mission: m\n"
                           "strictness: max\n"
                           "glossary: {team_domain: team.yaml}\n"
                           "workspace: {exclude: [x], tool_checkpoints: on, edit_tools: [e, f],\n"
                           "  tool_checkpoint_files: calls}\n"
                           "steps:\n"
                           "- {id: a, run: [./a, b]}\n"
                           "- id: b\n"
                           "  run: [./b]\n"
                           "  inputs: {x: {$from: 'a#/k'}, y: [{$from: a}]}\n"
                           "  metadata: {glossary_watch_terms: [w], glossary_aliases: {c: d}}\n";
static const char cycle[] = "mission: m\n"
                            "steps:\n"
                            "- {id: a, run: [x], inputs: {\"x y\": [{$from: b}]}}\n"
                            "- {id: b, run: [x], inputs: {$from: a}}\n";

struct fixture {
        char *folder, *path;
        pawl_mission *mission;
};

static int setup(void **state)
{
        struct fixture *f = calloc(1, sizeof *f);
        pawl_error err;

        f->folder = folder_make();
        f->path = path_in(f->folder, "m.yaml");
        file_write(f->path, text, sizeof text - 1);
        *state = f;
        return pawl_mission_load(&f->mission, f->path, &err) ? -1 : 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        pawl_mission_free(f->mission);
        folder_remove(f->folder);
        free(f->path);
        free(f);
        return 0;
}

static void a_mission_survives_any_failed_allocation(void **state)
{
        struct fixture *f = *state;

        if (!allocator_works())
                skip();
        for (size_t n = 1;; n++) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_mission *mission = NULL;
                long live = allocator_live();
                allocator_fail_at(n);
                pawl_status status = pawl_mission_load(&mission, f->path, &err);
                bool failed = allocator_failed();
                allocator_fail_at(0);
                if (status) {
                        assert_int_equal(status, PAWL_ENOMEM);
                        assert_says(err.message, "out of memory");
                        assert_null(mission);
                }
                pawl_mission_free(mission);
                assert_int_equal(allocator_live(), live);
                if (!failed) {
                        assert_int_equal(status, PAWL_OK);
                        break;
                }
        }
}

static void what_was_left_unfinished_is_found_or_not_for_any_failed_allocation(void **state)
{
        struct fixture *f = *state;
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        char *path = path_in(f->folder, "events.db");
        pawl_error err = PAWL_ERROR_INIT;
        pawl_unfinished unfinished;
        pawl_log *log;

        if (!allocator_works()) {
                free(path);
                skip();
        }
        options.flags = PAWL_LOG_CREATE;
        assert_int_equal(pawl_log_open(&log, path, &options, &err), PAWL_OK);
        for (size_t n = 1;; n++) {
                allocator_fail_at(n);
                pawl_status status = pawl_mission_unfinished(&unfinished, f->mission, log, &err);
                bool failed = allocator_failed();
                allocator_fail_at(0);
                if (!failed) {
                        assert_int_equal(status, PAWL_ENOTFOUND);
                        break;
                }
                assert_true(status == PAWL_ENOMEM || status == PAWL_ENOTFOUND);
        }
        pawl_log_close(log);
        free(path);
}

static void a_refused_mission_survives_any_failed_allocation(void **state)
{
        struct fixture *f = *state;

        if (!allocator_works())
                skip();
        file_write(f->path, cycle, sizeof cycle - 1);
        for (size_t n = 1;; n++) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_mission *mission = NULL;
                long live = allocator_live();
                allocator_fail_at(n);
                pawl_status status = pawl_mission_load(&mission, f->path, &err);
                bool failed = allocator_failed();
                allocator_fail_at(0);
                assert_true(status == PAWL_ENOMEM || status == PAWL_EPARSE);
                assert_says(err.message, status == PAWL_ENOMEM ? "out of memory" : " in turn, ");
                assert_null(mission);
                assert_int_equal(allocator_live(), live);
                if (!failed) {
                        assert_int_equal(status, PAWL_EPARSE);
                        break;
                }
        }
}

static pawl_status output(pawl_text *out, pawl_text step_id, void *user, pawl_error *err)
{
        (void)step_id, (void)user, (void)err;
        *out = pawl__text("{\"k\":\"v\\n\"}");
        return PAWL_OK;
}

static void inputs_survive_any_failed_allocation(void **state)
{
        struct fixture *f = *state;

        if (!allocator_works())
                skip();
        for (size_t n = 1;; n++) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__buf out = PAWL__BUF_INIT;
                long live = allocator_live();
                allocator_fail_at(n);
                pawl_status status = pawl__inputs_resolve(
                        &out, f->mission, &f->mission->steps[1], output, NULL, &err);
                bool failed = allocator_failed();
                allocator_fail_at(0);
                assert_int_equal(status, failed ? PAWL_ENOMEM : PAWL_OK);
                if (status) {
                        assert_says(err.message, "out of memory");
                        assert_int_equal(out.len, 0);
                } else {
                        assert_text(
                                pawl__buf_text(&out), "{\"x\":\"v\\n\",\"y\":[{\"k\":\"v\\n\"}]}");
                }
                pawl__buf_free(&out);
                assert_int_equal(allocator_live(), live);
                if (!failed)
                        break;
        }
}

/* What a command writes to standard error, kept as a run keeps it. */
static pawl_status keep_log(const char *data, size_t len, void *user)
{
        return pawl__buf_add(user, data, len);
}

static void a_command_survives_any_failed_allocation(void **state)
{
        struct fixture *f = *state;
        static const char *const env[] = {"A=b", NULL};
        char *argv[] = {(char *)"sh", (char *)"-c",
                (char *)"echo log >&2; head -c 300000 /dev/zero; cat", NULL};
        pawl__buf log = PAWL__BUF_INIT;
        pawl__command command = {.argv = argv,
                .log = keep_log,
                .log_user = &log,
                .directory = f->folder,
                .env = env,
                .input = pawl__text("input"),
                .output_max = 1 << 20,
                .signal_fd = -1};
        int open_before = open_files();
        size_t failures = 0;

        if (!allocator_works())
                skip();
        for (size_t n = 1;; n++) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__command_result result;
                long live = allocator_live();
                allocator_fail_at(n);
                pawl_status status = pawl__command_run(&result, &command, &err);
                bool failed = allocator_failed();
                allocator_fail_at(0);
                if (status) {
                        assert_int_equal(status, PAWL_ENOMEM);
                        assert_says(err.message, "out of memory");
                        assert_null(result.output.data);
                        failures++;
                } else {
                        assert_int_equal(result.output.len, 300005);
                        assert_text(pawl__buf_text(&log), "log\n");
                }
                pawl__buf_free(&log);
                free(result.output.data);
                assert_int_equal(allocator_live(), live);
                assert_int_equal(open_files(), open_before);
                if (!failed)
                        break;
        }
        assert_true(failures >= 3);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(
                        what_was_left_unfinished_is_found_or_not_for_any_failed_allocation, setup,
                        teardown),
                T(a_mission_survives_any_failed_allocation),
                T(a_refused_mission_survives_any_failed_allocation),
                T(inputs_survive_any_failed_allocation),
                T(a_command_survives_any_failed_allocation),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

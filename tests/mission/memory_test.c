/* Every allocation of reading a mission, its inputs and running a command fails once. */
#include "mission/inputs.h"
#include "mission/secrets.h"
#include "support/command.h"
#include "support/sweep.h"

static const char text[] =
        "mission: m\n"
        "strictness: max\n"
        "glossary: {team_domain: team.yaml}\n"
        "workspace: {exclude: [x], tool_checkpoints: on, edit_tools: [e, f],\n"
        "  tool_checkpoint_files: calls}\n"
        "params: {p: {default: v}}\n"
        "secrets: [SECRET_OF_A_TEST]\n"
        "env: {A: {$param: p}}\n"
        "steps:\n"
        "- {id: a, run: [./a, b], cwd: sub, env: {B: 1}, timeout: 5s, retry: {attempts: 2}}\n"
        "- id: b\n"
        "  run: [./b]\n"
        "  inputs: {x: {$from: 'a#/k'}, y: [{$from: a}]}\n"
        "  metadata: {glossary_watch_terms: [w], glossary_aliases: {c: d}}\n";
static const char cycle[] = "mission: m\n"
                            "steps:\n"
                            "- {id: a, run: [x], inputs: {\"x y\": [{$from: b}]}}\n"
                            "- {id: b, run: [x], inputs: {$from: a}}\n";

struct fixture {
        char *directory, *path;
        pawl_mission *mission;
};

static int setup(void **state)
{
        struct fixture *f = test_alloc(sizeof *f);
        pawl_error err;

        f->directory = directory_make();
        f->path = path_in(f->directory, "m.yaml");
        file_write(f->path, text, sizeof text - 1);
        *state = f;
        return pawl_mission_load(&f->mission, f->path, &err) ? -1 : 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        pawl_mission_free(f->mission);
        return 0;
}

#define T(name) UNIT_TEST_WITH(name, struct fixture *f, setup, teardown)

static void sweep_load(struct fixture *f, pawl_status wanted, const char *message)
{
        for (sweep s = {.wanted = wanted}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl_mission *mission = NULL;
                sweep_arm(&s);
                const pawl_status status = pawl_mission_load(&mission, f->path, &err);
                if (sweep_done(&s, status, status == PAWL_ENOMEM ? &err : NULL))
                        assert_says(err.message, message);
                assert_true((mission == NULL) == (status != PAWL_OK));
                pawl_mission_free(mission);
        }
}

T(a_mission_survives_any_failed_allocation)
{
        sweep_load(f, PAWL_OK, "");
}

T(what_was_left_unfinished_is_found_or_not_for_any_failed_allocation)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_unfinished unfinished;
        pawl_log *log;

        options.flags = PAWL_LOG_CREATE;
        assert_ok(pawl_log_open(&log, path_in(f->directory, "events.db"), &options, &err));
        for (sweep s = {.wanted = PAWL_ENOTFOUND, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                (void)sweep_done(
                        &s, pawl_mission_unfinished(&unfinished, f->mission, log, &err), &err);
        }
        pawl_log_close(log);
}

T(a_refused_mission_survives_any_failed_allocation)
{
        file_write(f->path, cycle, sizeof cycle - 1);
        sweep_load(f, PAWL_EPARSE, " in turn, ");
}

static pawl_status output(pawl_text *out, pawl_text step_id, void *user, pawl_error *err)
{
        (void)step_id, (void)user, (void)err;
        *out = pawl__text("{\"k\":\"v\\n\"}");
        return PAWL_OK;
}

static void sweep_inputs(struct fixture *f)
{
        for (sweep s = {0}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__buf out = PAWL__BUF_INIT;
                sweep_arm(&s);
                const pawl_status status = pawl__inputs_resolve(
                        &out, f->mission, &f->mission->steps[1], output, NULL, &err);
                if (sweep_done(&s, status, &err))
                        assert_text(
                                pawl__buf_text(&out), "{\"x\":\"v\\n\",\"y\":[{\"k\":\"v\\n\"}]}");
                else
                        assert_int_equal(out.len, 0);
                assert_int_equal(status, s.failed ? PAWL_ENOMEM : PAWL_OK);
                pawl__buf_free(&out);
        }
}

T(inputs_survive_any_failed_allocation)
{
        sweep_inputs(f);
        pawl__document_drop_tree(&f->mission->document);
        sweep_inputs(f);
}

T(a_mission_is_read_again_or_not_for_any_failed_allocation)
{
        const size_t nodes = f->mission->document.tree.n;

        for (sweep s = {0}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__document_drop_tree(&f->mission->document);
                sweep_arm(&s);
                const bool read = sweep_done(&s, pawl__mission_whole(f->mission, &err), &err);
                assert_int_equal(f->mission->document.tree.n, read ? nodes : 0);
        }
}

T(secrets_survive_any_failed_allocation)
{
        assert_int_equal(setenv("SECRET_OF_A_TEST", "a \"secret\" value", 1), 0);
        for (sweep s = {.least = 3}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__secrets secrets = {.names = PAWL__BUF_INIT};
                pawl__buf output = PAWL__BUF_INIT;
                assert_ok(pawl__buf_adds(&output, "[\"a \\u0022secret\\\" value!\"]"));
                sweep_arm(&s);
                pawl_status status = pawl__secrets_load(&secrets, f->mission, &err);
                if (!status)
                        status = pawl__secrets_mask_output(&secrets.mask, &output, &err);
                if (sweep_done(&s, status, &err))
                        assert_text(pawl__buf_text(&output), "[\"***!\"]");
                pawl__buf_free(&output);
                pawl__secrets_free(&secrets);
        }
}

/* What a command writes to standard error, kept as a run keeps it. */
static pawl_status keep_log(pawl_text *shown, const char *data, size_t len, void *user)
{
        *shown = pawl__text_n(data, len);
        return pawl__buf_add(user, data, len);
}

T(a_command_survives_any_failed_allocation)
{
        static const char *const env[] = {"A=b", NULL};
        char *argv[] = {(char *)"sh", (char *)"-c",
                (char *)"echo log >&2; head -c 300000 /dev/zero; cat", NULL};
        pawl__buf log = PAWL__BUF_INIT;
        pawl__command command = {.argv = argv,
                .log = keep_log,
                .log_user = &log,
                .directory = f->directory,
                .env = env,
                .input = pawl__text("input"),
                .output_max = 1 << 20,
                .signal_fd = -1};
        int open_before = open_files();

        for (sweep s = {.least = 3}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__command_result result;
                sweep_arm(&s);
                if (sweep_done(&s, pawl__command_run(&result, &command, &err), &err)) {
                        assert_int_equal(result.output.len, 300005);
                        assert_text(pawl__buf_text(&log), "log\n");
                } else {
                        assert_null(result.output.data);
                }
                pawl__buf_free(&log);
                free(result.output.data);
                assert_int_equal(open_files(), open_before);
        }
}

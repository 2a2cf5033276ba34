#include "support/mission.h"
#include <time.h>
#include <unistd.h>

static void open_log(struct mission_fixture *f)
{
        assert_ok(pawl_log_open(&f->log, f->db, &f->log_options, &f->err));
}

int mission_setup(void **state)
{
        struct mission_fixture *f = test_alloc(sizeof *f);
        f->directory = directory_make();
        f->db = log_in(f->directory, ".pawl/events.db");
        f->file = path_in(f->directory, "mission.yaml");
        f->log_options = (pawl_log_options)PAWL_LOG_OPTIONS_INIT;
        f->log_options.flags = PAWL_LOG_CREATE;
        f->options = (pawl_run_options)PAWL_RUN_OPTIONS_INIT;
        f->options.run_id = strcpy(f->run_id, "run-1");
        open_log(f);
        *state = f;
        return 0;
}

int mission_teardown(void **state)
{
        struct mission_fixture *f = *state;

        pawl_run_result_free(f->result);
        pawl_mission_free(f->mission);
        pawl_log_close(f->log);
        return 0;
}

void mission_file(struct mission_fixture *f, const char *name, const char *text)
{
        char *path = path_in(f->directory, name);

        file_write(path, text, strlen(text));
}

void mission_write(struct mission_fixture *f, const char *yaml)
{
        mission_file(f, "mission.yaml", yaml);
        pawl_mission_free(f->mission);
        f->mission = NULL;
        if (pawl_mission_load(&f->mission, f->file, &f->err))
                fail_msg("%s", f->err.message);
}

pawl_status mission_run(struct mission_fixture *f)
{
        pawl_run_result_free(f->result);
        f->err = (pawl_error)PAWL_ERROR_INIT;
        return pawl_mission_run(&f->result, f->mission, f->log, &f->options, &f->err);
}

pawl_status mission_resume(struct mission_fixture *f, const char *what)
{
        pawl_run_result *result = NULL; /* what may be a text of the result before */
        f->err = (pawl_error)PAWL_ERROR_INIT;
        pawl_status status = pawl_mission_resume(&result, f->log, what, &f->options, &f->err);

        pawl_run_result_free(f->result);
        f->result = result;
        return status;
}

pid_t mission_fork(struct mission_fixture *f, bool resume, const char *what)
{
        pawl_log_close(f->log); /* a log does not survive fork(), so none is open */
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid > 0) {
                open_log(f);
                return pid;
        }
        pawl_run_result *result = NULL;
        pawl_log *log = NULL;
        setsid();
        pawl_mission *mission = NULL; /* nor does a mission */
        pawl_status status = pawl_log_open(&log, f->db, &f->log_options, &f->err);
        if (!status && !resume)
                status = pawl_mission_load(&mission, f->file, &f->err);
        if (!status)
                status = resume ? pawl_mission_resume(&result, log, what, &f->options, &f->err)
                                : pawl_mission_run(&result, mission, log, &f->options, &f->err);
        pawl_run_result_free(result);
        pawl_log_close(log);
        _exit(status < 0 ? -status : status);
}

void mission_await(struct mission_fixture *f, const char *name)
{
        char *path = path_in(f->directory, name);

        for (int i = 0; access(path, F_OK) != 0; i++) {
                assert_true(i < 6000);
                nanosleep(&(struct timespec){0, 10000000}, NULL);
        }
}

char *mission_journal(struct mission_fixture *f)
{
        char *path = path_in(f->directory, "journal");

        return access(path, F_OK) == 0 ? file_read(path, NULL) : test_copy("");
}

void mission_journal_is(struct mission_fixture *f, const char *text)
{
        assert_string_equal(mission_journal(f), text);
}

/* Every event in turn; the texts of *event are the cursor's. */
static void each_event(struct mission_fixture *f, uint64_t since,
        void (*fn)(const pawl_event *event, void *user), void *user)
{
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status;

        assert_ok(pawl_cursor_open(&cursor, f->log, since));
        while ((status = pawl_cursor_next(cursor, &event)) == PAWL_OK)
                fn(&event, user);
        assert_int_equal(status, PAWL_DONE);
        pawl_cursor_close(cursor);
}

struct count {
        const char *type;
        size_t n;
        pawl__buf last;
};

static void count_one(const pawl_event *event, void *user)
{
        struct count *count = user;

        if (count->type && !pawl__text_is(event->type, count->type))
                return;
        count->n++;
        pawl__buf_clear(&count->last);
        assert_ok(pawl__buf_add(&count->last, event->payload.data, event->payload.len));
}

size_t mission_events(struct mission_fixture *f, const char *type)
{
        struct count count = {type, 0, PAWL__BUF_INIT};

        each_event(f, 0, count_one, &count);
        pawl__buf_free(&count.last);
        return count.n;
}

char *mission_payload(struct mission_fixture *f, const char *type)
{
        struct count count = {type, 0, PAWL__BUF_INIT};

        each_event(f, 0, count_one, &count);
        return test_take(&count.last);
}

void mission_payload_says(struct mission_fixture *f, const char *type, const char *part)
{
        assert_says(mission_payload(f, type), part);
}

static void add_type(const pawl_event *event, void *user)
{
        pawl__buf *types = user;

        if (types->len)
                assert_ok(pawl__buf_addc(types, ' '));
        assert_ok(pawl__buf_add(types, event->type.data, event->type.len));
}

char *mission_types(struct mission_fixture *f, uint64_t since)
{
        pawl__buf types = PAWL__BUF_INIT;

        each_event(f, since, add_type, &types);
        return test_take(&types);
}

void mission_resolve(struct mission_fixture *f)
{
        pawl_answer answer = {.define = pawl__text("The place where a customer's refunds land.")};

        assert_non_null(f->result);
        assert_int_equal(f->result->n_conflicts, 1);
        assert_ok(pawl_conflict_resolve(
                f->log, f->result->conflicts[0].id, &answer, "user:ana", &f->err));
}

static const pawl_step_result *find(struct mission_fixture *f, const char *step_id)
{
        assert_non_null(f->result);
        for (size_t i = 0; i < f->result->n_steps; i++) {
                const pawl_step_result *step = &f->result->steps[i];
                if (strcmp(step->step_id, step_id) == 0)
                        return step;
        }
        fail_msg("the result has no step %s", step_id);
        return NULL;
}

const char *mission_status(struct mission_fixture *f, const char *step_id)
{
        return find(f, step_id)->status;
}

const char *mission_token(struct mission_fixture *f, const char *step_id)
{
        return find(f, step_id)->retry_token;
}

bool mission_unfinished(struct mission_fixture *f, const char *step_id)
{
        return find(f, step_id)->unfinished;
}

const char *mission_cursor(struct mission_fixture *f, const char *step_id)
{
        return find(f, step_id)->cursor;
}

void mission_open_log(struct mission_fixture *f)
{
        if (pawl_log_open(&f->log, f->db, &f->log_options, &f->err))
                fail_msg("%s", f->err.message);
}

void mission_close_log(struct mission_fixture *f)
{
        pawl_log_close(f->log);
        f->log = NULL;
}

pawl_status mission_go_on(struct mission_fixture *f)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row row = {.v[PAWL__RUN_ID].text = pawl__text(f->run_id)};
        pawl__state *state;

        assert_ok(pawl__state_of(&state, f->log, &f->err));
        const pawl_status found = pawl__state_get(state, PAWL__RUNS, &row, &arena, &f->err);
        pawl__arena_free(&arena);
        return found ? mission_run(f) : mission_resume(f, f->run_id);
}

void mission_check_log(struct mission_fixture *f)
{
        pawl_verify_result verified;

        mission_open_log(f);
        assert_ok(pawl_log_verify(&verified, f->log, 0, NULL));
        if (pawl__replay_check(f->log, &f->err))
                fail_msg("%s", f->err.message);
        mission_close_log(f);
}

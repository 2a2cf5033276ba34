/* The project's settings beside its log. */
#include "mission/mission.h"
#include "support/test.h"
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
        char *directory, *path, *log;
};

static int setup(void **state)
{
        struct fixture *f = test_alloc(sizeof *f);

        f->directory = directory_make();
        f->path = path_in(f->directory, "config.yaml");
        f->log = path_in(f->directory, "events.db");
        *state = f;
        return 0;
}

#define T(name) UNIT_TEST_WITH(name, struct fixture *f, setup, NULL)

static void check_strictness(struct fixture *f, const char *text, pawl__strictness strictness)
{
        pawl__config config = {.settings.strictness = PAWL__STRICTNESS_MAX};
        pawl_error err = PAWL_ERROR_INIT;

        if (text)
                file_write(f->path, text, strlen(text));
        assert_ok(pawl__config_load(&config, f->log, &err));
        assert_int_equal(config.settings.strictness, strictness);
        assert_string_equal(err.message, "");
}

static void check_refused(
        struct fixture *f, const char *text, pawl_status status, const char *message)
{
        pawl__config config = {.settings.strictness = PAWL__STRICTNESS_MAX};
        pawl_error err = PAWL_ERROR_INIT;

        file_write(f->path, text, strlen(text));
        assert_int_equal(pawl__config_load(&config, f->log, &err), status);
        assert_int_equal(err.status, status);
        assert_memory_equal(err.message, f->path, strlen(f->path));
        assert_string_equal(err.message + strlen(f->path), message);
        assert_int_equal(config.settings.strictness, PAWL__STRICTNESS_MAX);
        assert_int_equal(pawl__config_load(&config, f->log, NULL), status);
}

T(without_a_file_nothing_is_set)
{
        check_strictness(f, NULL, PAWL__STRICTNESS_UNSET);
}

T(a_file_that_says_nothing_sets_nothing)
{
        check_strictness(f, "", PAWL__STRICTNESS_UNSET);
        check_strictness(f, "# strictness: max\n", PAWL__STRICTNESS_UNSET);
        check_strictness(f, "{}", PAWL__STRICTNESS_UNSET);
}

T(strictness_is_read)
{
        check_strictness(f, "strictness: off\n", PAWL__STRICTNESS_OFF);
        check_strictness(f, "strictness: medium\n", PAWL__STRICTNESS_MEDIUM);
        check_strictness(f, "strictness: max\n", PAWL__STRICTNESS_MAX);
}

T(anything_else_is_refused_with_file_line_and_key)
{
        check_refused(f, "# x\nstrictness: high\n", PAWL_EPARSE,
                ": line 2: strictness: \"high\" is not known; write off, medium or max");
        check_refused(f, "strictness: 1\n", PAWL_EPARSE,
                ": line 1: strictness: must be a string; quote it");
        check_refused(f, "strictnes: max\n", PAWL_EPARSE,
                ": line 1: strictnes: unknown key; did you mean strictness?");
        check_refused(
                f, "- max\n", PAWL_EPARSE, ": line 1: must be a mapping; write strictness: medium");
        check_refused(f, "a: [", PAWL_EPARSE,
                ": line 2, column 1: did not find expected node content while parsing a flow node "
                "(line 2); fix the YAML there");
}

T(a_directory_in_its_place_is_refused)
{
        pawl__config config = {.settings.strictness = PAWL__STRICTNESS_MAX};
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(mkdir(f->path, 0700), 0);
        assert_int_equal(pawl__config_load(&config, f->log, &err), PAWL_EIO);
        assert_says(err.message, "config.yaml: is a directory");
        assert_int_equal(config.settings.strictness, PAWL__STRICTNESS_MAX);
}

T(a_log_named_without_a_directory_is_in_this_one)
{
        char *before = getcwd(NULL, 0);
        pawl__config config = {.settings.strictness = PAWL__STRICTNESS_UNSET};
        pawl_error err = PAWL_ERROR_INIT;

        file_write(f->path, "strictness: max", 15);
        assert_int_equal(chdir(f->directory), 0);
        assert_ok(pawl__config_load(&config, "events.db", &err));
        assert_int_equal(chdir(before), 0);
        assert_int_equal(config.settings.strictness, PAWL__STRICTNESS_MAX);
        free(before);
}

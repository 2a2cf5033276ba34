#include "support/mission_file.h"

int file_setup(void **state)
{
        struct file_fixture *f = test_alloc(sizeof *f);

        f->directory = directory_make();
        f->path = path_in(f->directory, "m.yaml");
        *state = f;
        return 0;
}

int file_teardown(void **state)
{
        struct file_fixture *f = *state;

        pawl_mission_free(f->mission);
        return 0;
}

void file_load_from(struct file_fixture *f, const char *path)
{
        pawl_mission_free(f->mission);
        f->mission = NULL;
        f->err = (pawl_error)PAWL_ERROR_INIT;
        if (pawl_mission_load(&f->mission, path, &f->err))
                print_error("%s\n", f->err.message);
        assert_non_null(f->mission);
        assert_string_equal(f->err.message, "");
}

void file_load(struct file_fixture *f, const char *text)
{
        file_write(f->path, text, strlen(text));
        file_load_from(f, f->path);
}

void file_refused(struct file_fixture *f, const char *text, unsigned line, const char *message)
{
        pawl_mission *const untouched = (pawl_mission *)f;
        pawl_mission *mission = untouched;
        pawl_error err = PAWL_ERROR_INIT;
        char *expected = test_alloc(strlen(f->path) + strlen(message) + 40);

        sprintf(expected, "%s: line %u: %s", f->path, line, message);
        file_write(f->path, text, strlen(text));
        assert_int_equal(pawl_mission_load(&mission, f->path, &err), PAWL_EPARSE);
        assert_int_equal(err.status, PAWL_EPARSE);
        assert_string_equal(err.message, expected);
        assert_ptr_equal(mission, untouched);
        assert_int_equal(pawl_mission_load(&mission, f->path, NULL), PAWL_EPARSE);
}

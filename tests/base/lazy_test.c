#include "base/lazy.h"
#include "support/test.h"

/* libm, which is on every machine, stands for a library that few commands use. */
struct maths {
        double (*cos)(double);
        double (*sqrt)(double);
};

static int starts;

static bool count_start(void)
{
        starts++;
        return true;
}

static bool do_not_start(void)
{
        return false;
}

static const pawl__lazy_symbol symbols[] = {
        PAWL__LAZY_SYMBOL(struct maths, cos), PAWL__LAZY_SYMBOL(struct maths, sqrt)};
static const pawl__lazy_symbol others[] = {
        {"cos", offsetof(struct maths, cos)}, {"pawl_no_such_function", 0}};

UNIT_TEST(a_library_is_loaded_once_and_its_functions_called)
{
        static struct maths maths;
        static pawl__lazy library = {"libm.so.6", "libm", symbols, 2, &maths, count_start,
                PTHREAD_MUTEX_INITIALIZER, false};
        pawl_error err = PAWL_ERROR_INIT;

        starts = 0;
        for (int i = 0; i < 3; i++)
                assert_ok(pawl__lazy_load(&library, &err));
        assert_int_equal(starts, 1);
        assert_true(maths.cos(0.0) > 0.99 && maths.sqrt(4.0) > 1.99);
        assert_string_equal(err.message, "");
}

static void *load_from_a_thread(void *library)
{
        return pawl__lazy_load(library, NULL) ? library : NULL;
}

UNIT_TEST(threads_that_ask_at_once_start_it_once)
{
        static struct maths maths;
        static pawl__lazy library = {"libm.so.6", "libm", symbols, 2, &maths, count_start,
                PTHREAD_MUTEX_INITIALIZER, false};
        pthread_t threads[16];

        starts = 0;
        for (size_t i = 0; i < 16; i++)
                assert_int_equal(
                        pthread_create(&threads[i], NULL, load_from_a_thread, &library), 0);
        for (size_t i = 0; i < 16; i++) {
                void *failed = &library;
                assert_int_equal(pthread_join(threads[i], &failed), 0);
                assert_null(failed);
        }
        assert_int_equal(starts, 1);
}

UNIT_TEST(a_missing_library_says_what_to_install_each_time)
{
        static struct maths maths;
        static pawl__lazy library = {"libpawl-none.so.9", "libpawl-none", symbols, 2, &maths, NULL,
                PTHREAD_MUTEX_INITIALIZER, false};

        for (int i = 0; i < 2; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                assert_int_equal(pawl__lazy_load(&library, &err), PAWL_ENOTFOUND);
                assert_int_equal(err.status, PAWL_ENOTFOUND);
                assert_string_equal(err.message,
                        "libpawl-none.so.9: cannot be loaded (cannot open shared object file: No "
                        "such file or directory); install libpawl-none");
        }
        assert_null(maths.cos);
}

UNIT_TEST(a_library_without_a_function_is_refused_by_its_name)
{
        static struct maths maths;
        static pawl__lazy library = {"libm.so.6", "libm", others, 2, &maths, count_start,
                PTHREAD_MUTEX_INITIALIZER, false};
        pawl_error err = PAWL_ERROR_INIT;

        starts = 0;
        assert_int_equal(pawl__lazy_load(&library, &err), PAWL_ENOTFOUND);
        assert_says(err.message,
                "libm.so.6: has no function pawl_no_such_function; install the libm that this was built with");
        assert_int_equal(starts, 0);
}

UNIT_TEST(a_library_that_does_not_start_is_not_used)
{
        static struct maths maths;
        static pawl__lazy library = {"libm.so.6", "libm", symbols, 2, &maths, do_not_start,
                PTHREAD_MUTEX_INITIALIZER, false};
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(pawl__lazy_load(&library, &err), PAWL_ESTATE);
        assert_says(err.message, "libm.so.6: does not start; ");
        assert_false(library.ready);
}

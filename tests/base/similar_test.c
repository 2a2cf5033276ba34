/* The known name that a mistyped one is nearest to. */
#include "base/similar.h"
#include "support/test.h"

static const char *const names[] = {"run", "runs", "resume", "restore", "check", "checkpoint",
        "conflicts", "session start", "id", NULL};

static const char *nearest(const char *typed)
{
        static const char *const synonyms[][2] = {
                {"continue", "resume"}, {"go", "elsewhere"}, {NULL, NULL}};
        pawl__similar similar = {.typed = pawl__text(typed), .synonyms = synonyms};

        for (size_t i = 0; names[i]; i++)
                pawl__similar_try(&similar, names[i]);
        return similar.found ? similar.found : "";
}

static void a_slip_of_the_fingers_is_near(void **state)
{
        (void)state;
        assert_string_equal(nearest("rnu"), "run");
        assert_string_equal(nearest("rns"), "runs");
        assert_string_equal(nearest("resmue"), "resume");
        assert_string_equal(nearest("chekc"), "check");
        assert_string_equal(nearest("confilct"), "conflicts");
        assert_string_equal(nearest("sesion stat"), "session start");
        assert_string_equal(nearest("run"), "run");
}

static void the_beginning_of_a_name_is_near_and_what_is_nearer_goes_before(void **state)
{
        (void)state;
        assert_string_equal(nearest("conf"), "conflicts");
        assert_string_equal(nearest("checkp"), "check");
        assert_string_equal(nearest("checkpoin"), "checkpoint");
}

static void a_synonym_is_near_where_its_name_is_known(void **state)
{
        (void)state;
        assert_string_equal(nearest("continue"), "resume");
        assert_string_equal(nearest("go"), "");
}

static void what_has_little_in_common_is_not_near(void **state)
{
        char longest[60];

        (void)state;
        memset(longest, 'r', sizeof longest - 1);
        longest[sizeof longest - 1] = '\0';
        assert_string_equal(nearest(""), "");
        assert_string_equal(nearest("x"), "");
        assert_string_equal(nearest("cmd"), "");
        assert_string_equal(nearest("frobnicate"), "");
        assert_string_equal(nearest(longest), "");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_slip_of_the_fingers_is_near),
                cmocka_unit_test(the_beginning_of_a_name_is_near_and_what_is_nearer_goes_before),
                cmocka_unit_test(a_synonym_is_near_where_its_name_is_known),
                cmocka_unit_test(what_has_little_in_common_is_not_near),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

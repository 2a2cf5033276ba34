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

UNIT_TEST(a_slip_of_the_fingers_is_near)
{
        assert_string_equal(nearest("rnu"), "run");
        assert_string_equal(nearest("rns"), "runs");
        assert_string_equal(nearest("resmue"), "resume");
        assert_string_equal(nearest("chekc"), "check");
        assert_string_equal(nearest("confilct"), "conflicts");
        assert_string_equal(nearest("sesion stat"), "session start");
        assert_string_equal(nearest("run"), "run");
}

UNIT_TEST(the_beginning_of_a_name_is_near_and_what_is_nearer_goes_before)
{
        assert_string_equal(nearest("conf"), "conflicts");
        assert_string_equal(nearest("checkp"), "check");
        assert_string_equal(nearest("checkpoin"), "checkpoint");
}

UNIT_TEST(a_synonym_is_near_where_its_name_is_known)
{
        assert_string_equal(nearest("continue"), "resume");
        assert_string_equal(nearest("go"), "");
}

UNIT_TEST(what_has_little_in_common_is_not_near)
{
        char longest[60];

        memset(longest, 'r', sizeof longest - 1);
        longest[sizeof longest - 1] = '\0';
        assert_string_equal(nearest(""), "");
        assert_string_equal(nearest("x"), "");
        assert_string_equal(nearest("cmd"), "");
        assert_string_equal(nearest("frobnicate"), "");
        assert_string_equal(nearest(longest), "");
}

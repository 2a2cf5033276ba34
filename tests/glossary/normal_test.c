/* The normal form of a term, plurals and common words. */
#include "glossary/normal.h"
#include "support/test.h"

static void check_normal(const char *surface, const char *normal)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&out, "kept:"));
        assert_ok(pawl__normal_form(&out, pawl__text(surface)));
        assert_memory_equal(out.data, "kept:", 5);
        assert_text(pawl__text_n(out.data + 5, out.len - 5), normal);
        assert_int_equal(out.data[out.len], '\0');
        pawl__buf_free(&out);
}

/* And the normal form of a normal form is itself. */
static void check_again(const char *surface, const char *normal)
{
        pawl__buf again = PAWL__BUF_INIT;

        check_normal(surface, normal);
        assert_ok(pawl__normal_form(&again, pawl__text(normal)));
        assert_text(pawl__buf_text(&again), normal);
        pawl__buf_free(&again);
}

UNIT_TEST(white_space_is_trimmed_and_single)
{
        check_again("workspace", "workspace");
        check_again("  Work \t\r\n space ", "work space");
        check_again("a\u00a0\u2003b", "a b");
        check_again(" \n\t\u3000", "");
        check_again("", "");
}

UNIT_TEST(a_plural_becomes_singular_where_that_is_safe)
{
        check_again("Refunds", "refund");
        check_again("customer workspaces", "customer workspace");
        check_again("customers workspaces", "customers workspace"); /* the last word alone */
        check_again("class", "class");
        check_again("status", "status");
        check_again("alias", "alias");
        check_again("analysis", "analysis");
        check_again("chaos", "chaos");
        check_again("bus", "bus");
        check_again("ids", "ids"); /* three letters */
        check_again("IDs", "id");
        check_again("policies", "policy");
        check_again("branches", "branch");
        check_again("classes", "class");
        check_again("boxes", "box");
        check_again("databases", "database");
        check_again("aliases", "alias");
        check_again("caches", "cache");
        check_again("cookies", "cookie");
        check_again("series", "series");
        check_again("ties", "tie");
        check_again("PDFs", "pdf");
        check_again("APIs", "api");
        check_normal("CORS", "cors"); /* names are not cut */
        check_normal("MkDocs", "mkdocs");
        check_normal("the MkDocs", "the mkdocs");
        check_normal("MAX_IDS", "max_ids");
        check_again("e-mails", "e-mails");
        check_again("on-bus", "on-bus");
        check_again("C++", "c++");
        check_again("workspaces.", "workspaces."); /* no word at the end */
        check_again("caf\u00e9s", "caf\u00e9");
        check_again("\u00e9\u00e9s", "\u00e9\u00e9s"); /* letters are counted, not bytes */
        check_again("Stra\u00df", "strass");
        check_normal("user_ids", "user_ids");
}

UNIT_TEST(case_and_composition_do_not_matter)
{
        check_again("CAFE\u0301", "caf\u00e9");
        check_again("\u039f\u03b4\u03cc\u03c2", "\u03bf\u03b4\u03cc\u03c3");
        check_again("\u0130stanbul", "i\u0307stanbul");
        check_again("\u6f22\u5b57", "\u6f22\u5b57");
}

UNIT_TEST(a_text_may_hold_a_nul)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__normal_form(&out, pawl__text_n("A\0Bs", 4)));
        assert_int_equal(out.len, 4);
        assert_memory_equal(out.data, "a\0bs", 4);
        pawl__buf_free(&out);
}

UNIT_TEST(the_hundred_most_common_words_are_common_with_their_forms)
{
        static const char lemmas[] =
                "the be to of and a in that have i it for not on with he as you do at this but his "
                "by from they we say her she or an will my one all would there their what so up "
                "out if about who get which go me when make can like time no just him know take "
                "people into year your good some could them see other than then now look only come "
                "its over think also back after use two how our work first well way even new want "
                "because any these day most us give";
        static const char forms[] =
                "is are was were been am has had did does said went gone made known took taken "
                "seen saw came thought gave given got better best whom whose those";
        static const char not_common[] =
                "workspace term child world hand wa refund life order record test";
        size_t n = 0;

        for (const char *at = lemmas; *at; at += strcspn(at, " "), at += *at == ' ', n++)
                if (!pawl__common_word(pawl__text_n(at, strcspn(at, " "))))
                        fail_msg("%s is not common", at);
        assert_int_equal(n, 100);
        for (const char *at = forms; *at; at += strcspn(at, " "), at += *at == ' ')
                if (!pawl__common_word(pawl__text_n(at, strcspn(at, " "))))
                        fail_msg("%s is not common", at);
        for (const char *at = not_common; *at; at += strcspn(at, " "), at += *at == ' ')
                if (pawl__common_word(pawl__text_n(at, strcspn(at, " "))))
                        fail_msg("%s is common", at);
        assert_true(pawl__verb(pawl__text("verify")) && !pawl__verb(pawl__text("commit")));
        assert_true(pawl__adjective(pawl__text("local")) && !pawl__adjective(pawl__text("animal")));
        assert_true(pawl__noun(pawl__text("mode")) && !pawl__noun(pawl__text("run")));
        assert_true(
                pawl__stress_word(pawl__text("verify")) && !pawl__stress_word(pawl__text("mode")));
        assert_false(pawl__common_word(pawl__text("")));
        assert_false(pawl__common_word(pawl__text_n("the\0", 4)));
}

/* A handoff document as people left it: what is understood of it. */
#include "session/handoff_text.h"
#include "support/test.h"

/* "HEADING: entry / its next line | [x]entry; HEADING: ..." */
static void understood_n(const char *data, size_t len, const char *expected)
{
        pawl__handoff_text text;
        pawl_error err;
        pawl__buf out = PAWL__BUF_INIT;

        assert_ok(pawl__handoff_parse(&text, "h.md", data, len, &err));
        for (size_t i = 0; i < text.n; i++) {
                const pawl__handoff_entry *entry = &text.list[i];
                bool same = i && pawl__text_eq(entry->heading, text.list[i - 1].heading);
                if (same)
                        assert_false(pawl__buf_adds(&out, " | "));
                else
                        assert_false(
                                pawl__buf_addf(&out, "%s%s: ", i ? "; " : "", entry->heading.data));
                if (entry->ticked)
                        assert_false(pawl__buf_adds(&out, "[x]"));
                for (size_t at = 0; at < entry->text.len; at++)
                        assert_false(entry->text.data[at] == '\n'
                                             ? pawl__buf_adds(&out, " / ")
                                             : pawl__buf_addc(&out, entry->text.data[at]));
        }
        assert_text(pawl__buf_text(&out), expected);
        pawl__buf_free(&out);
        pawl__handoff_text_free(&text);
}

static void understood(const char *data, const char *expected)
{
        understood_n(data, strlen(data), expected);
}

UNIT_TEST(bullets_are_what_people_make_them)
{
        understood(
                "NEXT\n----\n1. one\n2) two\n- three\n* four\n+ five\n\u2022 six\nseven\n\teight\n",
                "NEXT: one | two | three | four | five | six | seven / eight");
        understood("NEXT\n[x] a\n- [X] b\n3. [ ] c\n- []\n-\n1.\n- [\u2713] d\n",
                "NEXT: [x]a | [x]b | c | [x]d");
        understood("NEXT\n-5 degrees\n1.5 times\n*bold* word\n2024. a year\n",
                "NEXT: -5 degrees | 1.5 times | *bold* word | a year");
}

UNIT_TEST(headings_survive_editing)
{
        understood("ISSUES\n- b\nNEXT\n- a\nNEXT\n- c\n", "ISSUES: b; NEXT: a | c");
        understood("# Next\na\n## in  progress ##\nb\n**Done**\nc\nIssues:\nd\nnotes\n-----\ne\n"
                   "== GO ON ==\nf\n",
                "NEXT: a; IN PROGRESS: b; DONE: c; ISSUES: d; NOTES: e; GO ON: f");
        understood("  NEXT  \n    a\n\t- b\n", "NEXT: a | b");
        understood("NEXT\na\nnext\ndone\n", "NEXT: a | next | done");
        understood("Who signs?\n\nAsk Ben\n=======\none\ntwo\n\n- three\n# Alone\n",
                ": Who signs?; Ask Ben: one / two | three; : # Alone");
}

UNIT_TEST(ends_of_lines_and_marks_of_bytes_are_no_text)
{
        understood("\xef\xbb\xbfNEXT\r\n----\r\n- a\r\n  b\r\n\r\n- c", "NEXT: a / b | c");
        understood("NEXT\r- a\r- b\r", "NEXT: a | b");
        understood("", "");
        understood("\n\n \t\n\xe3\x80\x80\n-----\n", "");
        understood("NEXT\n- \xe6\xb3\xa8\xe6\x84\x8f\xe4\xba\x8b\xe9\xa0\x85\n- \xd7\xa2\xd7\xa8\n",
                "NEXT: \xe6\xb3\xa8\xe6\x84\x8f\xe4\xba\x8b\xe9\xa0\x85 | \xd7\xa2\xd7\xa8");
}

UNIT_TEST(quoted_lines_go_on)
{
        understood("NOTES\n- (NEXT) a\n  > NEXT\n  >\n  > - b\n- c\n",
                "NOTES: (NEXT) a / NEXT /  / - b | c");
        understood("> a\n> NEXT\nNEXT\n> b\n", ": a / NEXT; NEXT: b");
}

static void refused(const char *data, size_t len, const char *says)
{
        pawl__handoff_text text;
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(pawl__handoff_parse(&text, "h.md", data, len, &err), PAWL_EPARSE);
        assert_says(err.message, says);
}

UNIT_TEST(what_is_no_text_is_refused)
{
        char *large = test_alloc(PAWL__HANDOFF_MAX + 1);

        memset(large, 'a', PAWL__HANDOFF_MAX + 1);
        refused("a\0b", 3, "h.md: has a NUL byte");
        refused("NEXT\n\xff", 6, "h.md: byte 6: is not UTF-8");
        refused(large, PAWL__HANDOFF_MAX + 1, "h.md: is larger than a handoff document");
        pawl__handoff_text text;
        assert_ok(pawl__handoff_parse(&text, "h.md", large, PAWL__HANDOFF_MAX, NULL));
        assert_int_equal(text.n, 1);
        pawl__handoff_text_free(&text);
}

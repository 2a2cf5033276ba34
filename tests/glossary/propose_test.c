/* What documents define, what they propose for a glossary, and what lint finds in one. */
#include "base/error.h"
#include "glossary/lint.h"
#include "glossary/propose.h"
#include "support/sweep.h"
#include "support/test.h"

/* ---- Definitions ----------------------------------------------------------------------------- */

static pawl_status put_line(const pawl__definition *found, void *user)
{
        pawl__buf *out = user;

        pawl__buf_addf(
                out, "%s %.*s = ", pawl__definition_form_name(found->form), PAWL__FMT(found->term));
        pawl__buf_add_text(out, found->text);
        pawl__buf_addc(out, '\n');
        return out->failed ? PAWL_ENOMEM : PAWL_OK;
}

static void check_definitions(const char *document, const char *wanted)
{
        pawl__markups markups = {NULL, 0, 0};
        pawl__buf found = PAWL__BUF_INIT;

        assert_ok(pawl__markups_find(&markups, pawl__text(document)));
        assert_ok(pawl__definitions_find(pawl__text(document), &markups, put_line, &found));
        assert_text(pawl__buf_text(&found), wanted);
        pawl__buf_free(&found);
        free(markups.items);
}

UNIT_TEST(marked_terms_are_defined_by_what_follows_them)
{
        check_definitions(
                "**Cursor**: where a run goes on.", "bold Cursor = where a run goes on.\n");
        check_definitions(
                "**Cursor:** where a run\ngoes on.", "bold Cursor = where a run goes on.\n");
        check_definitions("__Cursor__ \xe2\x80\x94 the place.", "bold Cursor = the place.\n");
        check_definitions("- **The cursor** is the place.", "bold cursor = the place.\n");
        check_definitions("- **Cursor.** Where it goes on.", "bold Cursor = Where it goes on.\n");
        check_definitions("* `retry_token` - the key of it", "code retry_token = the key of it\n");
        check_definitions(
                "1. **Cursor**: a [place](x.md) in `code`.", "bold Cursor = a place in `code`.\n");
}

UNIT_TEST(what_is_marked_and_is_no_term_is_passed_over)
{
        check_definitions("**Note**: read this first.", "");
        check_definitions("**Cursor** goes on.", "");
        check_definitions("- **Run the tests before you push**: it helps.", "");
        check_definitions("- **Cursor**: if nothing else helps.", "");
        check_definitions("- **Step 3**: the last one.", "");
        check_definitions("- **Cursor**: place", "");
        check_definitions("```\n**Cursor**: a place in code.\n```\n", "");
        check_definitions("---\n**Cursor**: a front matter.\n---\n", "");
}

UNIT_TEST(lists_and_tables_of_terms_define)
{
        check_definitions("Cursor\n: a place\n\nBatch\n:   some events\n",
                "definition_list Cursor = a place\ndefinition_list Batch = some events\n");
        check_definitions("Cursor:: a place in it\n", "definition_list Cursor = a place in it\n");
        check_definitions(
                "| Word | x | Meaning |\n|---|:-:|---|\n| cursor | 1 | **a** place |\n|y|\n",
                "table cursor = a place\n");
        check_definitions("| file | size |\n|---|---|\n| a cursor | one place |\n", "");
        check_definitions("| term | meaning |\n| cursor | one place |\n", "");
}

UNIT_TEST(sentences_define)
{
        check_definitions("A cursor is a place. Then it ends.", "is_a cursor = a place.\n");
        check_definitions("# Cursor\nThe retry token is the key.", "is_a retry token = the key.\n");
        check_definitions("Lease means the right to a run.", "means Lease = the right to a run.\n");
        check_definitions("WAL stands for write-ahead log.", "means WAL = write-ahead log.\n");
}

UNIT_TEST(sentences_that_say_nothing_of_a_term_are_passed_over)
{
        check_definitions("This is a place. It is the end. There is a cursor.", "");
        check_definitions("A cursor means that it goes on.", "");
        check_definitions("Is a cursor is a place?", "");
        check_definitions("If the cursor is a place, it ends.", "");
        check_definitions("A cursor is a problem.", "");
        check_definitions("The last cursor is a place.", "");
}

UNIT_TEST(a_long_definition_is_cut_between_sentences_or_words)
{
        pawl__buf document = PAWL__BUF_INIT, wanted = PAWL__BUF_INIT;

        pawl__buf_adds(&document, "**Cursor**: a place. ");
        pawl__buf_adds(&wanted, "bold Cursor = a place.\n");
        for (int i = 0; i < 100; i++)
                pawl__buf_adds(&document, "and so on ");
        check_definitions(document.data, wanted.data);
        pawl__buf_clear(&document);
        pawl__buf_clear(&wanted);
        pawl__buf_adds(&document, "**Cursor**:");
        pawl__buf_adds(&wanted, "bold Cursor =");
        for (int i = 0; i < 100; i++)
                pawl__buf_adds(&document, " caf\u00e9s");
        for (int i = 0; i < 57; i++)
                pawl__buf_adds(&wanted, " caf\u00e9s");
        pawl__buf_adds(&wanted, "\n");
        check_definitions(document.data, wanted.data);
        pawl__buf_free(&document);
        pawl__buf_free(&wanted);
}

/* ---- Without memory -------------------------------------------------------------------------- */

static pawl_status propose_and_lint(pawl_error *err)
{
        static const char *const documents[] = {
                "# T\n\n- **Grace period**: some days.\n\nA ledger is a book of the Grace period. "
                "ledgers, ledger and API, API. payout queue, payout queue, payout queue",
                "| term | meaning |\n|-|-|\n| ledger | another book |\n| gate | what ledgers have |"};
        pawl_text texts[2];
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__proposals proposals = {NULL, 99};
        pawl__lint_findings found = {NULL, 99};
        pawl__lint_sense senses[16];

        for (size_t i = 0; i < 2; i++)
                texts[i] = pawl__text(documents[i]);
        pawl_status status = pawl__propose(&proposals, &arena, NULL, texts, 2, err);
        assert_true(!status || proposals.n == 99);
        for (size_t i = 0; !status && i < proposals.n && i < 16; i++)
                senses[i] = (pawl__lint_sense){.surface = proposals.items[i].surface,
                        .normal = proposals.items[i].normal,
                        .definition = pawl__text("Of the \"grace  period\" and the LEDGER a gate."),
                        .scope = PAWL__CORE};
        if (!status) {
                assert_in_range(proposals.n, 5, 16);
                status = pawl__lint(&found, &arena, senses, proposals.n, err);
                assert_true(!status || found.n == 99);
        }
        if (!status)
                assert_in_range(found.n, 5, 98);
        pawl__arena_free(&arena);
        return status;
}

UNIT_TEST(without_memory_each_call_says_so)
{
        for (sweep s = {.least = 50}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                (void)sweep_done(&s, propose_and_lint(&err), &err);
        }
}

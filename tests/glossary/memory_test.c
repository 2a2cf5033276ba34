/* Extraction and the check when there is no memory: at whichever call it ends, each says so, leaks
 * nothing and gives nothing out. */
#include "base/error.h"
#include "glossary/conflict.h"
#include "support/glossary_find.h"
#include "support/sweep.h"
#include "support/test.h"

static const char text[] =
        "The \"Grace Period\" of caf\u00e9s: API, snake_case, well-known, ledger ledgers ledger's, "
        "customer workspaces and WS. A workspace is not a folder; ledger means a desk. CAFE\u0301";

static const char metadata[] =
        "{\"glossary_watch_terms\":[\"Grace\",\"k\u00f6nig\"],\"glossary_fields\":[\"x\"],"
        "\"glossary_aliases\":{\"ws\":\"workspace\"},\"glossary_exclude_terms\":[\"api\"]}";

static const struct {
        const char *surface, *definition;
} senses[] = {
        {"Customer Workspace", "a shared folder"},
        {"workspace", "a folder"},
        {"ledger", "a book of accounts"},
        {"Ledgers", "accounts of a book"},
        {"caf\u00e9", "a place"},
};

/* ---- One try: everything from a glossary to findings that were written and read back --------- */

static pawl_status fill(pawl__glossary *glossary, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < sizeof senses / sizeof senses[0] && status == PAWL_OK; i++) {
                const size_t before = pawl__glossary_count(glossary);
                pawl__sense sense = {.surface = pawl__text(senses[i].surface),
                        .definition = pawl__text(senses[i].definition),
                        .scope = PAWL__CORE,
                        .confidence = 0.5};
                status = pawl__glossary_add(glossary, &sense, err);
                assert_int_equal(pawl__glossary_count(glossary), before + (status == PAWL_OK));
        }
        return status;
}

static pawl_status there_and_back(
        pawl__arena *arena, const pawl__findings *findings, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__findings back = {NULL, 99};

        pawl__findings_write(&w, findings);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        if (status == PAWL_OK)
                status = pawl__json_tree_read(&tree, w.buf.data, w.buf.len, err);
        if (status == PAWL_OK)
                status = pawl__findings_read(&back, arena, &tree, 0, err);
        assert_int_equal(back.n, status == PAWL_OK ? findings->n : 99);
        pawl__json_tree_free(&tree);
        pawl__json_writer_free(&w);
        return status;
}

static pawl_status check(
        pawl__arena *arena, pawl__glossary *glossary, const pawl__terms *terms, pawl_error *err)
{
        pawl__findings findings = {NULL, 99}, again = {NULL, 99};
        pawl_status status =
                pawl__findings_make(&findings, arena, glossary, terms, true, pawl__text(text), err);

        assert_true(status == PAWL_OK || findings.n == 99);
        if (status == PAWL_OK)
                status = pawl__findings_reevaluate(&again, arena, glossary, &findings, err);
        assert_true(status == PAWL_OK || again.n == 99);
        return status ? status : there_and_back(arena, &findings, err);
}

static pawl_status make_contexts(pawl__arena *arena, pawl__terms *terms, pawl_error *err)
{
        pawl__buf scratch = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < terms->n && status == PAWL_OK; i++)
                status = pawl__term_context(
                        &terms->items[i].context, arena, &scratch, &terms->items[i]);
        pawl__buf_free(&scratch);
        return status ? pawl__nomem(err) : PAWL_OK;
}

static pawl_status extract(pawl__arena *arena, pawl__glossary *glossary, pawl_error *err)
{
        pawl__extraction *extraction = NULL;
        pawl__metadata read;
        pawl__terms terms = {NULL, 99};
        pawl_status status = pawl__metadata_read(&read, arena, pawl__text(metadata), err);

        if (status == PAWL_OK)
                status = pawl__extraction_new(&extraction, glossary, &read, err);
        if (status == PAWL_OK)
                status = pawl__extraction_text(extraction, pawl__text(text), err);
        if (status == PAWL_OK)
                status = pawl__extraction_terms(&terms, extraction, err);
        assert_true(status == PAWL_OK || terms.n == 99);
        if (status == PAWL_OK)
                status = make_contexts(arena, &terms, err);
        if (status == PAWL_OK)
                status = check(arena, glossary, &terms, err);
        pawl__extraction_free(extraction);
        return status;
}

static pawl_status ignore(const glossary_match *match, void *user)
{
        (void)match, (void)user;
        return PAWL_OK;
}

static pawl_status everything(pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__glossary *glossary = NULL;
        pawl_status status = pawl__glossary_new(&glossary, err);

        if (status == PAWL_OK)
                status = fill(glossary, err);
        if (status == PAWL_OK)
                status = glossary_find(glossary, pawl__text(text), ignore, NULL, err);
        if (status == PAWL_OK)
                status = extract(&arena, glossary, err);
        pawl__glossary_free(glossary);
        pawl__arena_free(&arena);
        return status;
}

UNIT_TEST(running_out_of_memory_anywhere_is_said_and_leaks_nothing)
{
        for (sweep s = {.least = 50}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                (void)sweep_done(&s, everything(&err), &err);
        }
}

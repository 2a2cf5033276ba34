/*
 * Documents, with a NUL between them. What is proposed of them is in its order and in normal form,
 * each term once, is where it says, and becomes a glossary that knows all of it.
 */
#include "fuzz/fuzzing.h"
#include "glossary/lint.h"
#include "glossary/normal.h"
#include "glossary/propose.h"

enum { DOCUMENTS = 4 };

static void check_normal(pawl_text normal, pawl_text surface)
{
        pawl__buf folded = PAWL__BUF_INIT;

        require(normal.len > 0 && surface.len > 0);
        require(pawl__folded_form(&folded, normal) == PAWL_OK);
        require(pawl__text_eq(pawl__buf_text(&folded), normal));
        require(pawl__utf8_valid(surface.data, surface.len));
        pawl__buf_free(&folded);
}

static void check_place(const pawl__cited *at, const pawl_text *documents, size_t n)
{
        uint64_t lines = 1;

        require(at->document < n);
        for (size_t i = 0; i < documents[at->document].len; i++)
                lines += documents[at->document].data[i] == '\n';
        require(at->line <= lines);
        require(!at->text.data || pawl__utf8_valid(at->text.data, at->text.len));
}

static void check(const pawl__proposal *p, const pawl_text *documents, size_t n)
{
        check_normal(p->normal, p->surface);
        check_place(&p->first, documents, n);
        require(p->documents <= n && p->documents <= p->count);
        for (size_t i = 0; i < p->n_definitions; i++) {
                const pawl__cited *d = &p->definitions[i];
                check_place(d, documents, n);
                require(d->text.len > 0 && d->text.len <= PAWL__DEFINITION_MAX && d->line > 0);
                require(!memchr(d->text.data, '\n', d->text.len));
        }
}

static void check_lint(pawl__arena *arena, const pawl__proposals *proposals)
{
        pawl__lint_sense *senses = pawl__arena_array(arena, proposals->n, sizeof *senses);
        pawl__lint_findings found;

        require(senses);
        for (size_t i = 0; i < proposals->n; i++)
                senses[i] = (pawl__lint_sense){.surface = proposals->items[i].surface,
                        .normal = proposals->items[i].normal,
                        .definition = proposals->items[i].n_definitions
                                              ? proposals->items[i].definitions[0].text
                                              : pawl__text("Not defined yet."),
                        .scope = PAWL__CORE,
                        .status = PAWL__DRAFT};
        require(pawl__lint(&found, arena, senses, proposals->n, NULL) == PAWL_OK);
        for (size_t i = 0; i < found.n; i++)
                require(found.items[i].sense && found.items[i].term.len &&
                        found.items[i].kind != PAWL__LINT_UNUSED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *input = (const char *)data;
        pawl_text documents[DOCUMENTS];
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__proposals proposals;
        size_t n = 0;

        if (size == 0 || !pawl__utf8_valid(input, size))
                return 0;
        for (size_t at = 0; at < size && n < DOCUMENTS; n++) {
                const char *end = memchr(input + at, '\0', size - at);
                const size_t len = end ? (size_t)(end - input) - at : size - at;
                documents[n] = pawl__text_n(input + at, len);
                at += len + 1;
        }
        require(pawl__propose(&proposals, &arena, NULL, documents, n, NULL) == PAWL_OK);
        for (size_t i = 0; i < proposals.n; i++) {
                check(&proposals.items[i], documents, n);
                for (size_t j = 0; j < i && proposals.n < 100; j++)
                        require(!pawl__text_eq(
                                proposals.items[i].normal, proposals.items[j].normal));
        }
        check_lint(&arena, &proposals);
        pawl__arena_free(&arena);
        return 0;
}

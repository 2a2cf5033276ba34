/*
 * Surfaces, one a line, then a NUL and a text. What extraction finds is in its order, once, in
 * normal form and where it says; the surfaces found are those that the glossary finds by itself;
 * and the check of all of it ends.
 */
#include "base/unicode.h"
#include "fuzz/fuzzing.h"
#include "glossary/conflict.h"
#include "glossary/normal.h"
#include "support/glossary_find.h"

static bool is_normal(pawl_text surface)
{
        pawl__buf normal = PAWL__BUF_INIT;

        require(pawl__folded_form(&normal, surface) == PAWL_OK);
        bool same = pawl__text_eq(pawl__buf_text(&normal), surface);
        pawl__buf_free(&normal);
        return same;
}

static void add_surfaces(pawl__glossary *glossary, pawl_text lines)
{
        for (size_t at = 0; at < lines.len;) {
                const char *start = lines.data + at;
                const char *end = memchr(start, '\n', lines.len - at);
                size_t len = end ? (size_t)(end - start) : lines.len - at;
                pawl__sense sense = {.surface = pawl__text_n(start, len),
                        .definition = pawl__text_n(start, lines.len - at),
                        .scope = PAWL__CORE,
                        .confidence = 1};
                pawl_status status = pawl__glossary_add(glossary, &sense, NULL);
                require(status == PAWL_OK || status == PAWL_EINVAL);
                at += len + 1;
        }
}

struct finding {
        const pawl__terms *terms;
        pawl_text text;
};

static const pawl__term *term_of(const pawl__terms *terms, pawl_text surface)
{
        for (size_t i = 0; i < terms->n; i++)
                if (pawl__text_eq(terms->items[i].surface, surface))
                        return &terms->items[i];
        return NULL;
}

static pawl_status check_match(const glossary_match *match, void *user)
{
        const struct finding *finding = user;
        const pawl__term *term = term_of(finding->terms, match->normal);

        require(match->start < match->end && match->end <= finding->text.len);
        require(is_normal(match->normal));
        require(term && term->source == PAWL__GLOSSARY_MATCH);
        return PAWL_OK;
}

static size_t characters(pawl_text text)
{
        size_t n = 0;
        uint32_t character;

        for (size_t at = 0; at < text.len; n++)
                at += pawl__unicode_decode(&character, text.data + at, text.len - at);
        return n;
}

static void check_context(const pawl__term *term)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf buf = PAWL__BUF_INIT;
        pawl_text context;

        require(pawl__term_context(&context, &arena, &buf, term) == PAWL_OK);
        require(characters(context) <= 80);
        require(pawl__utf8_valid(context.data, context.len));
        pawl__buf_free(&buf);
        pawl__arena_free(&arena);
}

/* A term that the glossary's automaton found resolves as one that is looked up. */
static void check_resolution(const pawl__glossary *glossary, const pawl__term *term)
{
        pawl__resolution by_number = pawl__term_resolve(glossary, term);
        pawl__resolution by_surface = pawl__glossary_resolve(glossary, term->surface);

        require(by_number.n == by_surface.n && by_number.senses == by_surface.senses);
}

static void check_terms(const pawl__glossary *glossary, const pawl__terms *terms, pawl_text text)
{
        for (size_t i = 0; i < terms->n; i++) {
                const pawl__term *term = &terms->items[i], *before = term - (i > 0);
                require(term->surface.len > 0 && is_normal(term->surface));
                require(i == 0 || before->confidence > term->confidence ||
                        pawl__text_cmp(before->surface, term->surface) < 0);
                require(term->original.data >= text.data &&
                        term->original.data + term->original.len <= text.data + text.len);
                check_context(term);
                check_resolution(glossary, term);
        }
}

static void run(pawl_text surfaces, pawl_text text)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__extraction *extraction;
        pawl__findings findings;
        pawl__glossary *glossary;
        pawl__terms terms;

        require(pawl__glossary_new(&glossary, NULL) == PAWL_OK);
        add_surfaces(glossary, surfaces);
        require(pawl__extraction_new(&extraction, glossary, NULL, NULL) == PAWL_OK);
        require(pawl__extraction_text(extraction, text, NULL) == PAWL_OK);
        require(pawl__extraction_terms(&terms, extraction, NULL) == PAWL_OK);
        check_terms(glossary, &terms, text);
        struct finding finding = {&terms, text};
        require(glossary_find(glossary, text, check_match, &finding, NULL) == PAWL_OK);
        require(pawl__findings_make(&findings, &arena, glossary, &terms, true, text, NULL) ==
                PAWL_OK);
        for (size_t i = 0; i < findings.n; i++)
                require(findings.items[i].severity != PAWL__SEVERITY_NONE);
        pawl__extraction_free(extraction);
        pawl__glossary_free(glossary);
        pawl__arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const char *input = (const char *)data;

        if (size == 0 || !pawl__utf8_valid(input, size))
                return 0;
        const char *end = memchr(input, '\0', size);
        size_t len = end ? (size_t)(end - input) : 0;
        size_t from = end ? len + 1 : 0;
        run(pawl__text_n(input, len), pawl__text_n(input + from, size - from));
        return 0;
}

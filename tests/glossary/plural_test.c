/* Each pair of tests/golden/plurals.tsv: whichever of the two a glossary defines, the other is
 * found. */
#include "glossary/extract.h"
#include "glossary/normal.h"
#include "support/test.h"
#include <stdio.h>

typedef struct pair {
        char singular[40], plural[40], by[8];
} pair;

static bool next_pair(pair *p, FILE *file)
{
        char line[128];

        while (fgets(line, sizeof line, file))
                if (line[0] != '#')
                        return sscanf(line, "%39s %39s %7s", p->singular, p->plural, p->by) == 3;
        return false;
}

static pawl__glossary *glossary_of(const char *surface, const char *alias)
{
        pawl__buf normal = PAWL__BUF_INIT;
        pawl__sense sense = {.surface = pawl__text(surface),
                .definition = pawl__text("d"),
                .scope = PAWL__TEAM_DOMAIN,
                .confidence = 1};
        pawl__glossary *glossary;

        assert_ok(pawl__glossary_new(&glossary, NULL));
        if (alias) {
                assert_ok(pawl__normal_form(&normal, pawl__text(alias)));
                sense.alias = pawl__buf_text(&normal);
        }
        assert_ok(pawl__glossary_add(glossary, &sense, NULL));
        pawl__buf_free(&normal);
        return glossary;
}

/* The text's only term is the glossary's. */
static void check_known(pawl__glossary *glossary, const char *text, const char *word)
{
        pawl__extraction *extraction;
        pawl__terms terms;

        assert_ok(pawl__extraction_new(&extraction, glossary, NULL, NULL));
        assert_ok(pawl__extraction_text(extraction, pawl__text(text), NULL));
        assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
        if (terms.n != 1 || terms.items[0].source != PAWL__GLOSSARY_MATCH ||
                pawl__term_resolve(glossary, &terms.items[0]).n != 1)
                fail_msg("%s: \"%s\": %zu terms, the first is %.*s", word, text, terms.n,
                        terms.n ? (int)terms.items[0].surface.len : 0,
                        terms.n ? terms.items[0].surface.data : "");
        pawl__extraction_free(extraction);
}

static void check_pair(const char *surface, const char *alias, const char *word)
{
        pawl__glossary *glossary = glossary_of(surface, alias);
        char text[256];

        snprintf(text, sizeof text, "the \"%s\", the %s, %s", word, word, word);
        check_known(glossary, text, surface);
        pawl__glossary_free(glossary);
}

UNIT_TEST(a_plural_is_found_by_its_singular_and_back)
{
        size_t n = 0;
        pair p;
        FILE *file = fopen(GOLDEN_DIR "/plurals.tsv", "r");

        assert_non_null(file);
        for (; next_pair(&p, file); n++) {
                const bool alias = strcmp(p.by, "alias") == 0;
                check_pair(p.singular, alias ? p.plural : NULL, p.plural);
                check_pair(p.plural, alias ? p.singular : NULL, p.singular);
        }
        fclose(file);
        assert_true(n >= 500);
}

static void check_repeated(const char *text, const char *expected)
{
        pawl__extraction *extraction;
        pawl__terms terms;

        assert_ok(pawl__extraction_new(&extraction, NULL, NULL, NULL));
        assert_ok(pawl__extraction_text(extraction, pawl__text(text), NULL));
        assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
        assert_int_equal(terms.n, 1);
        assert_text(terms.items[0].surface, expected);
        pawl__extraction_free(extraction);
}

UNIT_TEST(an_unknown_plural_counts_with_a_singular_of_the_same_text)
{
        check_repeated("a repo, repos, repos", "repo");
        check_repeated("repos repos repos", "repos"); /* os: not safe to cut */
        check_repeated("indices index indices", "index");
        check_repeated("policies policies policies", "policy");
        check_repeated("branches branches branches", "branch");
        check_repeated("MkDocs MkDocs MkDocs", "mkdocs");
        check_repeated("MkDocs mkdocs mkdocs", "mkdocs");
}

/* Does the text hold the term, in whatever form? */
static void check_met(const char *surface, const char *text, bool met)
{
        pawl__glossary *glossary = glossary_of(surface, NULL);
        pawl__extraction *extraction;
        pawl__terms terms;

        assert_ok(pawl__extraction_new(&extraction, glossary, NULL, NULL));
        assert_ok(pawl__extraction_text(extraction, pawl__text(text), NULL));
        assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
        assert_int_equal(terms.n, met);
        pawl__extraction_free(extraction);
        pawl__glossary_free(glossary);
}

UNIT_TEST(of_a_surface_in_the_plural_every_form_is_met)
{
        check_met("indices", "an index", true);
        check_met("indices", "two indexes", true);
        check_met("matrices", "two matrixes", true);
        check_met("search indices", "Search Indexes", true);
        check_met("leaves", "a leaf", true);
        check_met("policies", "a policy", true);
        check_met("indices", "the indexed", false);
        check_met("news", "a new one", false);
        check_met("breaking news", "the Breaking News", true);
        check_met("goods", "it is good", false);
        check_met("lens", "two lenses", true);
}

UNIT_TEST(a_surface_of_its_own_goes_before_a_form_of_another)
{
        pawl__glossary *glossary = glossary_of("datum", NULL);
        const pawl__sense data = {.surface = pawl__text("data"),
                .definition = pawl__text("of its own"),
                .scope = PAWL__CORE,
                .confidence = 1};
        pawl__extraction *extraction;
        pawl__terms terms;

        assert_ok(pawl__glossary_add(glossary, &data, NULL));
        assert_ok(pawl__extraction_new(&extraction, glossary, NULL, NULL));
        assert_ok(pawl__extraction_text(extraction, pawl__text("data"), NULL));
        assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
        assert_int_equal(terms.n, 1);
        assert_text(terms.items[0].surface, "data");
        assert_text(
                pawl__term_resolve(glossary, &terms.items[0]).senses[0]->definition, "of its own");
        pawl__extraction_free(extraction);
        pawl__glossary_free(glossary);
}

/* Senses, resolution, and finding surfaces in text. */
#include "glossary/automaton.h"
#include "glossary/glossary.h"
#include "glossary/normal.h"
#include "support/glossary_find.h"
#include "support/test.h"

static pawl__glossary *glossary_make(void)
{
        pawl__glossary *glossary;

        assert_ok(pawl__glossary_new(&glossary, NULL));
        return glossary;
}

static void add_sense(pawl__glossary *glossary, pawl__scope scope, const char *surface,
        const char *definition, double confidence, pawl__sense_status status)
{
        pawl__sense sense = {.surface = pawl__text(surface),
                .definition = pawl__text(definition),
                .scope = scope,
                .confidence = confidence,
                .status = status};

        assert_ok(pawl__glossary_add(glossary, &sense, NULL));
}

static void add_active(pawl__glossary *glossary, const char *surface)
{
        add_sense(glossary, PAWL__CORE, surface, "a thing", 1, PAWL__ACTIVE);
}

/* The definitions that a term resolves to, "a|b". */
static void check_resolves(const pawl__glossary *glossary, const char *normal, const char *expected)
{
        pawl__resolution resolution = pawl__glossary_resolve(glossary, pawl__text(normal));
        pawl__buf got = PAWL__BUF_INIT;

        for (size_t i = 0; i < resolution.n; i++)
                assert_ok(pawl__buf_addf(&got, "%s%.*s", i ? "|" : "",
                        (int)resolution.senses[i]->definition.len,
                        resolution.senses[i]->definition.data));
        assert_text(pawl__buf_text(&got), expected);
        pawl__buf_free(&got);
}

UNIT_TEST(names_of_scopes_and_statuses_are_read_and_written)
{
        pawl__scope scope = PAWL__AUDIENCE_DOMAIN;
        pawl__sense_status status = PAWL__DRAFT;

        for (unsigned i = 0; i < PAWL__SCOPES_N; i++) {
                assert_true(pawl__scope_of(&scope, pawl__text(pawl__scope_name((pawl__scope)i))));
                assert_int_equal(scope, i);
        }
        assert_true(pawl__scope_of(&scope, pawl__text("spec_kitty_core")));
        assert_int_equal(scope, PAWL__CORE);
        scope = PAWL__AUDIENCE_DOMAIN;
        assert_false(pawl__scope_of(&scope, pawl__text("Core")));
        assert_false(pawl__scope_of(&scope, pawl__text("")));
        assert_int_equal(scope, PAWL__AUDIENCE_DOMAIN);
        for (unsigned i = 0; i <= PAWL__DEPRECATED; i++) {
                const char *name = pawl__sense_status_name((pawl__sense_status)i);
                assert_true(pawl__sense_status_of(&status, pawl__text(name)));
                assert_int_equal(status, i);
        }
        assert_false(pawl__sense_status_of(&status, pawl__text("actives")));
        assert_int_equal(status, PAWL__DEPRECATED);
}

static int setup(void **state)
{
        *state = glossary_make();
        return 0;
}

static int teardown(void **state)
{
        pawl__glossary_free(*state);
        return 0;
}

#define GLOSSARY_TEST(name) UNIT_TEST_WITH(name, pawl__glossary *g, setup, teardown)

GLOSSARY_TEST(the_first_scope_with_an_active_sense_decides)
{
        check_resolves(g, "workspace", "");
        add_sense(g, PAWL__CORE, "Workspace", "core 1", 0.5, PAWL__ACTIVE);
        add_sense(g, PAWL__CORE, "workspaces", "core 2", 0.9, PAWL__ACTIVE);
        check_resolves(g, "workspace", "core 2|core 1");
        add_sense(g, PAWL__TEAM_DOMAIN, "workspace", "team draft", 1, PAWL__DRAFT);
        add_sense(g, PAWL__AUDIENCE_DOMAIN, "workspace", "old", 1, PAWL__DEPRECATED);
        check_resolves(g, "workspace", "core 2|core 1");
        add_sense(g, PAWL__TEAM_DOMAIN, "workspace", "team", 0.1, PAWL__ACTIVE);
        check_resolves(g, "workspace", "team");
        check_resolves(g, "workspaces", "");
        assert_int_equal(pawl__glossary_count(g), 5);
}

GLOSSARY_TEST(equal_confidence_keeps_the_order_of_adding)
{
        for (int i = 0; i < 40; i++) {
                char definition[8];
                snprintf(definition, sizeof definition, "%d", i);
                add_sense(g, PAWL__CORE, "x", definition, i == 39 ? 1 : 0.5, PAWL__ACTIVE);
        }
        pawl__resolution resolution = pawl__glossary_resolve(g, pawl__text("x"));
        assert_int_equal(resolution.n, 40);
        assert_text(resolution.senses[0]->definition, "39");
        for (size_t i = 1; i < 40; i++)
                assert_int_equal(strtoul(resolution.senses[i]->definition.data, NULL, 10), i - 1);
}

GLOSSARY_TEST(the_same_sense_again_replaces_itself)
{
        add_sense(g, PAWL__CORE, "term", "a", 0.5, PAWL__ACTIVE);
        add_sense(g, PAWL__CORE, "term", "b", 0.4, PAWL__ACTIVE);
        add_sense(g, PAWL__CORE, "Terms", "b", 0.9, PAWL__ACTIVE);
        assert_int_equal(pawl__glossary_count(g), 2);
        check_resolves(g, "term", "b|a");
        add_sense(g, PAWL__CORE, "term", "b", 0.9, PAWL__DEPRECATED);
        check_resolves(g, "term", "a");
        assert_int_equal(pawl__glossary_count(g), 2);
}

static void add_answer(pawl__glossary *glossary, const char *surface, const char *definition)
{
        pawl__sense sense = {.surface = pawl__text(surface),
                .definition = pawl__text(definition),
                .scope = PAWL__MISSION_LOCAL,
                .confidence = 0.2,
                .answered = true};

        assert_ok(pawl__glossary_add(glossary, &sense, NULL));
}

GLOSSARY_TEST(an_answer_decides_alone_and_the_last_one_stands)
{
        add_sense(g, PAWL__MISSION_LOCAL, "term", "first", 1, PAWL__ACTIVE);
        add_sense(g, PAWL__MISSION_LOCAL, "terms", "second", 0.4, PAWL__ACTIVE);
        check_resolves(g, "term", "first|second");
        add_answer(g, "term", "second");
        check_resolves(g, "term", "second");
        add_answer(g, "terms", "third");
        check_resolves(g, "term", "third");
        assert_int_equal(pawl__glossary_count(g), 3);
}

GLOSSARY_TEST(a_sense_without_a_surface_is_refused)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__sense sense = {.surface = pawl__text(" \n"), .definition = pawl__text("x")};

        assert_int_equal(pawl__glossary_add(g, &sense, &err), PAWL_EINVAL);
        assert_says(err.message, "surface is empty; name the term");
        assert_int_equal(pawl__glossary_count(g), 0);
        check_resolves(g, "", "");
}

GLOSSARY_TEST(what_was_given_may_change_after_it_was_added)
{
        char surface[] = "Ledgers", definition[] = "a book";

        add_active(g, "other");
        add_sense(g, PAWL__CORE, surface, definition, 1, PAWL__ACTIVE);
        memset(surface, 'x', sizeof surface - 1);
        memset(definition, 'x', sizeof definition - 1);
        check_resolves(g, "ledger", "a book");
        pawl__resolution resolution = pawl__glossary_resolve(g, pawl__text("ledger"));
        assert_text(resolution.senses[0]->surface, "Ledgers");
        assert_text(resolution.senses[0]->normal, "ledger");
}

/* ---- Finding --------------------------------------------------------------------------------- */

static pawl_status note_match(const glossary_match *match, void *user)
{
        return pawl__buf_addf(user, "%s%zu-%zu %.*s", ((pawl__buf *)user)->len ? ", " : "",
                match->start, match->end, (int)match->normal.len, match->normal.data);
}

static void check_found(pawl__glossary *glossary, const char *text, const char *expected)
{
        pawl__buf got = PAWL__BUF_INIT;

        assert_ok(glossary_find(glossary, pawl__text(text), note_match, &got, NULL));
        assert_text(pawl__buf_text(&got), expected);
        pawl__buf_free(&got);
}

GLOSSARY_TEST(surfaces_are_found_as_whole_words_in_any_case_and_number)
{
        check_found(g, "nothing is known", "");
        add_active(g, "Workspaces");
        add_active(g, "bus");
        check_found(g, "workspace", "0-9 workspace");
        check_found(g, "a WORKSPACES.", "2-12 workspace");
        check_found(g, "workspacess my_workspace workspace2 subworkspace", "");
        check_found(g, "workspace's (workspace)", "0-9 workspace, 13-22 workspace");
        check_found(g, "workspace-bus", "0-9 workspace, 10-13 bus");
        check_found(g, "buses, bu", "0-5 bus");
        check_found(g, "", "");
}

GLOSSARY_TEST(white_space_inside_a_surface_is_any_white_space)
{
        add_active(g, "customer  workspace");
        check_found(g, "a customer\r\n\t workspaces b", "2-24 customer workspace");
        check_found(g, "customer\u00a0workspace", "0-19 customer workspace");
        check_found(g, "customerworkspace customer-workspace customers workspace", "");
}

GLOSSARY_TEST(overlapping_surfaces_are_all_found)
{
        add_active(g, "new york");
        add_active(g, "york city hall");
        add_active(g, "new york city");
        add_active(g, "city");
        add_active(g, "york");
        check_found(g, "new new york city halls",
                "4-12 new york, 8-12 york, 4-17 new york city, 13-17 city, 8-23 york city hall");
}

GLOSSARY_TEST(surfaces_with_signs_are_found)
{
        add_active(g, "C++");
        add_active(g, "e-mail");
        add_active(g, "node.js");
        add_active(g, "/api/v1");
        add_active(g, "--");
        check_found(g, "C++, (c++) e-mails Node.js. /API/v1 C++11 xC++",
                "0-3 c++, 6-9 c++, 11-18 e-mail, 19-26 node.js, 28-35 /api/v1");
        check_found(g, "foo/api/v1 /api/v12 e--mail a -- b", "30-32 --");
        check_found(g, "c+++", "0-3 c++");
}

GLOSSARY_TEST(text_beyond_ascii_is_found_by_its_folding_and_told_by_its_bytes)
{
        add_active(g, "Caf\u00e9");
        add_active(g, "Stra\u00dfe");
        add_active(g, "\u03bf\u03b4\u03cc\u03c2");
        add_active(g, "\u6f22\u5b57");
        add_active(g, "a \u2260 b");
        check_found(g, "CAFE\u0301S caf\u00e9", "0-7 caf\u00e9, 8-13 caf\u00e9");
        check_found(g, "strasse STRASSEN stra\u00dfe", "0-7 strasse, 17-24 strasse");
        check_found(g, "\u039f\u0394\u039f\u0301\u03a3", "0-10 \u03bf\u03b4\u03cc\u03c3");
        check_found(g, "\u3002\u6f22\u5b57\u3002\u6f22\u5b57\u5b57", "3-9 \u6f22\u5b57");
        check_found(g, "x a =\u0338 b", "2-9 a \u2260 b");
}

GLOSSARY_TEST(surfaces_are_found_whatever_the_status_of_their_senses)
{
        add_sense(g, PAWL__CORE, "draft", "x", 1, PAWL__DRAFT);
        add_active(g, "term");
        check_found(g, "draft term", "0-5 draft, 6-10 term");
        add_sense(g, PAWL__CORE, "term", "a thing", 1, PAWL__DEPRECATED);
        check_found(g, "draft term", "0-5 draft, 6-10 term");
        add_sense(g, PAWL__CORE, "draft", "x", 1, PAWL__ACTIVE);
        add_sense(g, PAWL__CORE, "new", "x", 1, PAWL__DRAFT);
        check_found(g, "new draft", "0-3 new, 4-9 draft");
}

static pawl_status stop(const glossary_match *match, void *user)
{
        (void)match;
        ++*(int *)user;
        return PAWL_DONE;
}

GLOSSARY_TEST(a_callback_can_end_the_search)
{
        int calls = 0;

        add_active(g, "a");
        assert_int_equal(glossary_find(g, pawl__text("a a a"), stop, &calls, NULL), PAWL_DONE);
        assert_int_equal(calls, 1);
}

/* ---- The automaton against a naive search ---------------------------------------------------- */

static unsigned next_random(unsigned *seed)
{
        *seed = *seed * 1664525u + 1013904223u;
        return *seed >> 8;
}

static size_t random_text(char *out, size_t max, unsigned *seed)
{
        static const char *const parts[] = {
                "ab", "b", "abs", "bbbs", " ", "  ", "-", "+", "A", "s"};
        size_t len = 0, n = next_random(seed) % max;

        for (size_t i = 0; i < n; i++) {
                const char *part = parts[next_random(seed) % 10];
                memcpy(out + len, part, strlen(part));
                len += strlen(part);
        }
        return len;
}

/* Every run of tokens whose folded form is a pattern's, found by trying them all. */
static void search_naively(pawl__buf *out, pawl_text text, char patterns[][64], size_t n_patterns)
{
        pawl__tokens tokens = pawl__tokens_of(text);
        pawl__token all[256], token;
        pawl__buf normal = PAWL__BUF_INIT;
        size_t n = 0;

        while ((token = pawl__token_next(&tokens)).kind)
                all[n++] = token;
        for (size_t end = 0; end < n; end++)
                for (size_t start = 0; start <= end; start++) {
                        if (all[start].kind == PAWL__TOKEN_SPACE ||
                                all[end].kind == PAWL__TOKEN_SPACE || all[start].after_word ||
                                all[end].before_word)
                                continue;
                        pawl__buf_clear(&normal);
                        assert_ok(pawl__folded_form(
                                &normal, pawl__text_n(text.data + all[start].start,
                                                 all[end].end - all[start].start)));
                        for (size_t i = 0; i < n_patterns; i++)
                                if (pawl__text_is(pawl__buf_text(&normal), patterns[i]))
                                        assert_ok(pawl__buf_addf(out, "%zu-%zu %zu\n",
                                                all[start].start, all[end].end, i));
                }
        pawl__buf_free(&normal);
}

static pawl_status note_scan(uint32_t number, size_t start, size_t end, void *user)
{
        return pawl__buf_addf(user, "%zu-%zu %u\n", start, end, number);
}

static void compare_one(unsigned *seed)
{
        char patterns[12][64], text[512];
        pawl__automaton *automaton;
        pawl__buf naive = PAWL__BUF_INIT, got = PAWL__BUF_INIT;
        size_t n = 0, wanted = next_random(seed) % 12;

        assert_ok(pawl__automaton_new(&automaton));
        while (n < wanted) {
                pawl__buf normal = PAWL__BUF_INIT;
                size_t len = random_text(text, 6, seed);
                assert_ok(pawl__folded_form(&normal, pawl__text_n(text, len)));
                snprintf(patterns[n], sizeof patterns[n], "%s", normal.data ? normal.data : "");
                pawl__buf_free(&normal);
                bool fresh = patterns[n][0] != '\0';
                for (size_t i = 0; i < n; i++)
                        fresh = fresh && strcmp(patterns[i], patterns[n]) != 0;
                if (!fresh) {
                        wanted--;
                        continue;
                }
                assert_ok(pawl__automaton_add(automaton, pawl__text(patterns[n]), (uint32_t)n));
                n++;
        }
        assert_ok(pawl__automaton_build(automaton));
        pawl_text all = pawl__text_n(text, random_text(text, 100, seed));
        search_naively(&naive, all, patterns, n);
        assert_ok(pawl__automaton_scan(automaton, all, note_scan, &got));
        if (!pawl__text_eq(pawl__buf_text(&naive), pawl__buf_text(&got)))
                fail_msg("in \"%.*s\"\n%s--\n%s", (int)all.len, all.data,
                        naive.data ? naive.data : "", got.data ? got.data : "");
        pawl__automaton_free(automaton);
        pawl__buf_free(&naive);
        pawl__buf_free(&got);
}

UNIT_TEST(the_automaton_finds_what_a_naive_search_finds)
{
        unsigned seed = 20261120;

        for (int round = 0; round < 3000; round++)
                compare_one(&seed);
}

/* A long surface of one word again and again is where an automaton without its links would go over
 * the same words for each. */
GLOSSARY_TEST(many_overlapping_surfaces_take_one_pass)
{
        pawl__buf surface = PAWL__BUF_INIT;
        int calls = 0;

        for (int i = 0; i < 20000; i++)
                assert_ok(pawl__buf_adds(&surface, "a "));
        assert_ok(pawl__buf_adds(&surface, "b"));
        add_active(g, surface.data);
        surface.data[surface.len - 1] = 'a';
        for (int i = 0; i < 400000; i++) /* each word the start of a match that fails */
                assert_ok(pawl__buf_adds(&surface, " a"));
        assert_ok(glossary_find(g, pawl__buf_text(&surface), stop, &calls, NULL));
        assert_int_equal(calls, 0);
        pawl__buf_free(&surface);
}

GLOSSARY_TEST(a_hundred_thousand_senses_are_found)
{
        char surface[40];

        for (int i = 0; i < 100000; i++) {
                snprintf(surface, sizeof surface, i % 3 ? "term%d" : "some term%d", i);
                add_active(g, surface);
        }
        assert_int_equal(pawl__glossary_count(g), 100000);
        check_found(g, "Some term99999, term2, some term2 term100000",
                "0-14 some term99999, 16-21 term2, 28-33 term2");
}

GLOSSARY_TEST(what_is_ignored_in_the_deciding_scope_has_no_sense_and_is_not_asked_about)
{
        pawl__sense answer = {.surface = pawl__text("x"),
                .definition = pawl__text("mine"),
                .scope = PAWL__MISSION_LOCAL,
                .status = PAWL__ACTIVE,
                .answered = true};

        add_sense(g, PAWL__CORE, "x", "a", 1, PAWL__ACTIVE);
        assert_true(pawl__resolves(pawl__glossary_resolve(g, pawl__text("x"))));
        add_sense(g, PAWL__TEAM_DOMAIN, "x", "", 1, PAWL__IGNORED);
        add_sense(g, PAWL__TEAM_DOMAIN, "x", "b", 1, PAWL__ACTIVE);
        add_sense(g, PAWL__TEAM_DOMAIN, "x", "c", 1, PAWL__ACTIVE);
        check_resolves(g, "x", "");
        assert_true(pawl__glossary_resolve(g, pawl__text("x")).ignored);
        assert_true(pawl__resolves(pawl__glossary_resolve(g, pawl__text("x"))));
        /* taken back */
        add_sense(g, PAWL__TEAM_DOMAIN, "x", "", 1, PAWL__DEPRECATED);
        check_resolves(g, "x", "b|c");
        assert_false(pawl__resolves(pawl__glossary_resolve(g, pawl__text("x"))));
        assert_ok(pawl__glossary_add(g, &answer, NULL));
        check_resolves(g, "x", "mine");
        answer.status = PAWL__IGNORED;
        assert_ok(pawl__glossary_add(g, &answer, NULL));
        assert_true(pawl__glossary_resolve(g, pawl__text("x")).ignored);
        assert_false(pawl__resolves(pawl__glossary_resolve(g, pawl__text("y"))));
}

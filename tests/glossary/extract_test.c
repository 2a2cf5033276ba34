/* Layer 1's rules, each by what it finds and what it leaves. */
#include "glossary/extract.h"
#include "support/test.h"

static const char letters[PAWL__SOURCES] = {'h', 'g', 'q', 'a', 'c', 'n'};

/* The terms as "surface/source" in their order, the source by its letter above. */
static void write_terms(pawl__buf *out, const pawl__terms *terms)
{
        for (size_t i = 0; i < terms->n; i++) {
                const pawl__term *term = &terms->items[i];
                assert_true(term->confidence == pawl__source_confidence(term->source));
                assert_int_equal(term->watched, term->source == PAWL__METADATA_HINT);
                assert_ok(pawl__buf_addf(out, "%s%.*s/%c", i ? ", " : "", (int)term->surface.len,
                        term->surface.data, letters[term->source]));
        }
}

static void check_all(pawl__glossary *glossary, const pawl__metadata *metadata,
        const char *const *texts, size_t n, const char *expected)
{
        pawl__extraction *extraction;
        pawl__terms terms;
        pawl__buf got = PAWL__BUF_INIT;

        assert_ok(pawl__extraction_new(&extraction, glossary, metadata, NULL));
        for (size_t i = 0; i < n; i++)
                assert_ok(pawl__extraction_text(extraction, pawl__text(texts[i]), NULL));
        for (int again = 0; again < 2; again++) { /* asked twice, it says the same */
                pawl__buf_clear(&got);
                assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
                write_terms(&got, &terms);
                assert_text(pawl__buf_text(&got), expected);
        }
        pawl__buf_free(&got);
        pawl__extraction_free(extraction);
}

static void check(const char *text, const char *expected)
{
        check_all(NULL, NULL, &text, 1, expected);
}

static void check_with(const char *metadata, const char *text, const char *expected)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__metadata read;

        assert_ok(pawl__metadata_read(&read, &arena, pawl__text(metadata), NULL));
        check_all(NULL, &read, &text, 1, expected);
        pawl__arena_free(&arena);
}

static pawl__glossary *glossary_of(const char *const *surfaces, size_t n)
{
        pawl__glossary *glossary;

        assert_ok(pawl__glossary_new(&glossary, NULL));
        for (size_t i = 0; i < n; i++) {
                pawl__sense sense = {.surface = pawl__text(surfaces[i]),
                        .definition = pawl__text("a thing"),
                        .scope = PAWL__CORE,
                        .confidence = 1};
                assert_ok(pawl__glossary_add(glossary, &sense, NULL));
        }
        return glossary;
}

UNIT_TEST(sources_have_their_names_and_confidences)
{
        static const char *const names[PAWL__SOURCES] = {"metadata_hint", "glossary_match",
                "quoted_phrase", "acronym", "casing_pattern", "repeated_noun"};
        static const double confidences[PAWL__SOURCES] = {1, 1, 0.8, 0.8, 0.8, 0.5};

        for (unsigned i = 0; i < PAWL__SOURCES; i++) {
                assert_string_equal(pawl__source_name((pawl__source)i), names[i]);
                assert_true(pawl__source_confidence((pawl__source)i) == confidences[i]);
        }
}

UNIT_TEST(quoted_text_is_a_term)
{
        check("the \"Grace Period\" ends", "grace period/q");
        check("the \u201cgrace  period\u201d and the \u201eFrist\u201c, \u201ea b\u201d",
                "a b/q, frist/q, grace period/q");
        check("\"one\"\"ledger\"", "ledger/q");
        check("\"\" \"  \" \"", "");
        check("\" spaced rows \"", "spaced row/q");
        check("\"no one\" \"it is done.\" \"Go, now\" \"a b c d e f\" \"x\" \"1 2\" \"node.js\"",
                "node.js/q");
        check("\"a\nb\" \"c\r\nd\"", "a b/q, c d/q");
        check("\"a\n\nb\" \"c", "");
        check("\"a\nb\nc\" d", "");
        check("5\" pipe\n\nthe \"valve\"", "valve/q");
        check("\u201che said \"valve\" twice\u201d", "he said \"valve\" twice/q, valve/q");
        check("\u201couter \u201cinner\u201d", "inner/q");
        check("\u201d \u201d open \u201cnever closed", "");
        check("the \"does\", \"the\" and \"time\"", "");
        check("\"it is the\"", "");
}

UNIT_TEST(two_to_five_capitals_alone_are_an_acronym)
{
        check("the API and the SLA's end", "api/a, sla/a");
        check("X ABCDEF API_X API2 Api", "api_x/c");
        check("REST-API", "api/a, rest/a");
        check("AND IT US", ""); /* common words in capitals */
        check("APIs IDs", "");
        check("\u00c4\u00d6 \u0391\u0392\u0393 A\u0308O\u0308",
                "\u00e4\u00f6/a, \u03b1\u03b2\u03b3/a");
        check("DON'T", "");
        check("\u6f22\u5b57", "");
}

UNIT_TEST(names_out_of_code_are_terms)
{
        check("snake_case a_1 MAX_SIZE", "a_1/c, max_size/c, snake_case/c");
        check("_x x_ a__b Snake_Case 1_a _ __", "");
        check("camelCase iPhone eBay xY", "camelcase/c, ebay/c, iphone/c, xy/c");
        check("JavaScript HTTPServer OAuth GitHub",
                "github/c, httpserver/c, javascript/c, oauth/c");
        check("APIs IDs PDFs Word Words URLs Ab1", "");
        check("ProcessIDs MkDocs", "mkdocs/c, processids/c");
        check("well-known state-of-the-art covid-19 e-mails",
                "covid-19/c, e-mails/c, state-of-the-art/c");
        check("2026-11-20 Well-known well--known -x x- a-B c_d-e ab-2026-Xy", "c_d/c");
        check("read-only write-ahead built-in newly-found half-way", "read-only/c, write-ahead/c");
        check("--accept-all-inputs, `--dry-run` [--no-git] @some-body #some-room foo--bar-baz",
                "bar-baz/c");
        check("accept-all-inputs, (some-room) some-body's",
                "accept-all-inputs/c, some-body/c, some-room/c");
        check("well-kept's up-to", "");
        check("grace-period's up-to-now", "grace-period/c");
        check("\u00fcber-fein gr\u00f6\u00dfenWahl", "gr\u00f6ssenwahl/c, \u00fcber-fein/c");
        check("u\u0308ber-fein", "\u00fcber-fein/c");
        check("foo-bar/baz (foo-baz)", "foo-bar/c, foo-baz/c");
}

UNIT_TEST(words_for_stress_and_parts_of_dates_are_no_acronyms)
{
        check("MUST STOP JAN YYYY-MM-DD NOTE API REST XII", "api/a, rest/a");
        check("VERIFY; LOCAL; EUR and the EUR, an EUR", "");
        check("FR-001, FR-002; AB-12; SHA-256 and ADR-0012, an ADR", "ab/a, adr/a, sha/a");
}

UNIT_TEST(how_a_text_uses_a_word_tells_whether_it_is_a_noun)
{
        check("You can decant it. Please decant the wine. We decant them.", "");
        check("The decant ends, a decant. You can decant it. Decant the wine.", "decant/n");
        check("It is murky. They are murky. A pond was murky.", "");
        check("the plated spoon, a plated fork, one plated dish", "");
        check("The plated is old. No plated of theirs, a plated", "plated/n");
        check("audibly here, audibly there, audibly so", "");
        check("reheating the soup, reheating a stew, by reheating", "");
        check("the reheating, a reheating, by reheating", "reheating/n");
        check("gadget gadget gadget", "gadget/n"); /* nothing tells */
        check("verify verify verify", "");         /* but English has it as no noun */
        check("verify, a verify, verify", "verify/n");
        check("local pump, local pipe: local", "");
        check("the local is here, local pipe: local", "local/n");
        check("a pump mode the, pump mode the, one mode the",
                "mode/n"); /* English has no such verb */
        check("a tribal song, the tribal drum, its tribal dance: tribal mask", "");
        check("a tribal song, the tribal drum. The tribal is here", "tribal/n");
}

UNIT_TEST(people_who_speak_are_no_terms)
{
        check("Mirela: the valve leaks.\n\n[09:04] Mirela: again.\nMirela went.", "");
        check("**Mirela**: so.\n- Mirela: and so. Mirela went.", "");
        check("Author: Mirela Voss\n\nMirela and Mirela.", "");
        check("Mirela says so, thanks Mirela. Mirela!", "");
        check("ask @mirela. Mirela <mirela@example.org>, Mirela", "");
        check("Valve: what leaks.\nValve: again.\nthe valve", "valve/n");
        check("Mirela\nMirela\nMirela", "mirela/n"); /* nothing tells */
}

UNIT_TEST(what_is_only_a_part_of_something_is_no_noun)
{
        check("src/valve.c src/pump.c src/pipe.c", "");
        check("src/valve.c src/pump.c src/pipe.c in src", "src/n");
        check("cert-list cert-map cert-set", "cert-list/c, cert-map/c, cert-set/c");
        check("/srv/a /srv/b /srv/c then srv.local", "");
}

UNIT_TEST(an_acronym_stands_alone)
{
        check("$LANG is set; WORK-4512; it takes 12 MB or 3GB", "");
        check("OF GENERAL TERMS and CONDITIONS FOR ALL", "");
        check("CVE-2021-4512, SHA-256, 12 PDF and a PDF", "cve/a, pdf/a, sha/a");
}

UNIT_TEST(the_form_of_a_quotation_decides_not_what_it_says)
{
        check("\"no valve\" \"pump is open\" \"tank of state\" \"the valve\" \"rebase -i\"",
                "no valve/q, pump is open/q, rebase -i/q, tank of state/q, the valve/q");
        check("per-valve no-valve pump-2026112 pipe-01", "no-valve/c, per-valve/c, pipe-01/c");
}

UNIT_TEST(what_is_no_prose_has_no_new_terms)
{
        static const char *const surfaces[] = {"ledger", "grace period"};
        const char *everywhere = "```\na ledger\n```\n<b title=\"grace period\">";
        pawl__glossary *glossary = glossary_of(surfaces, 2);

        check("---\nfoo-bar: \"grace period\"\n---\nAPI", "api/a");
        check("---\nfoo-bar", "foo-bar/c"); /* never closed */
        check("```sh\nfoo-bar API\n``\n```\nXML", "xml/a");
        check("> ~~~\n> foo-bar\n> ~~~~\nXML", "xml/a");
        check("```\nfoo-bar", "");
        check("[XML](foo-bar/a-b \"grace period\") API", "api/a, xml/a");
        check("[XML]: foo-bar/a-b\nAPI", "api/a, xml/a");
        check("see https://x.org/foo-bar?a-b, www.foo-bar.org (http://foo-bar/API). XML", "xml/a");
        check("<foo-bar title=\"grace period\"> a < b-c <!-- API\n\nAPI --> XML", "b-c/c, xml/a");
        check("`ledger` `retry_token` `a::b()` `x-y.z` `of` `7up`",
                "a::b/q, ledger/q, retry_token/q, x-y/c, x-y.z/q");
        check("`foo-bar -n \"grace period\"` ``a `b` MAX_SIZE`` `never", "foo-bar/c, max_size/c");
        check("`ledger -n` `ledger -m` `ledger -o`", "ledger/n");
        check_all(glossary, NULL, &everywhere, 1, "grace period/g, ledger/g");
        check_with("{\"glossary_watch_terms\":[\"ledger\"]}", "```\na ledger", "ledger/h");
        pawl__glossary_free(glossary);
}

UNIT_TEST(a_word_written_three_times_is_a_term)
{
        check("ledger Ledgers the LEDGER.", "ledger/n");
        check("ledger ledger", "");
        check("ab ab ab a1b a1b a1b 1abc 1abc 1abc ab_c ab_c ab_c", "ab_c/c");
        check("the the the times times time would would would does does does", "");
        check("customer's customer customers", "customer/n");
        check("customer\u2019s customer customers", "customer/n");
        check("don't don't don't we\u2019ll we\u2019ll we\u2019ll o'clocks o'clocks o'clocks", "");
        check("'ledger' 'ledger' ledgers'", "ledger/n");
        check("caf\u00e9 Cafe\u0301 caf\u00e9s", "caf\u00e9/n");
        check("\u03bf\u03b4\u03cc\u03c2 \u039f\u03b4\u03bf\u0301\u03c2 \u03bf\u03b4\u03cc\u03c3",
                "\u03bf\u03b4\u03cc\u03c3/n");
        check("\u6f22\u5b57\u5178 \u6f22\u5b57\u5178\u3001\u6f22\u5b57\u5178",
                "\u6f22\u5b57\u5178/n");
        check("sha256 sha256 sha256", "sha256/n");
}

UNIT_TEST(words_are_counted_over_all_texts)
{
        static const char *const texts[] = {"ledger", "", "a ledger", "ledgers \"x y", "z\""};

        check_all(NULL, NULL, texts, 5, "ledger/n");
}

UNIT_TEST(the_best_source_of_a_term_counts)
{
        static const char *const surfaces[] = {"ledger"};
        const char *text =
                "ledger \"ledger\" Ledger, API \"API\" fooBar \"foobar\" \"foo_x\" foo_x";
        pawl__glossary *glossary = glossary_of(surfaces, 1);

        check(text, "api/q, foo_x/q, foobar/q, ledger/q");
        check_all(glossary, NULL, &text, 1, "ledger/g, api/q, foo_x/q, foobar/q");
        pawl__glossary_free(glossary);
}

UNIT_TEST(surfaces_of_the_glossary_are_terms_even_common_words)
{
        static const char *const surfaces[] = {"time", "customer workspace", "C++", "REST"};
        const char *text = "Times of customer\nworkspaces in C++; the rest";
        pawl__glossary *glossary = glossary_of(surfaces, 4);

        check_all(glossary, NULL, &text, 1, "c++/g, customer workspace/g, rest/g, time/g");
        text = "nothing of them";
        check_all(glossary, NULL, &text, 1, "");
        pawl__glossary_free(glossary);
}

UNIT_TEST(hints_are_terms_whether_they_are_written_or_not)
{
        check_with("{\"glossary_watch_terms\":[\"Work  Spaces\",\"time\",\" \"]}", "no time",
                "time/h, work space/h");
        check_with("{\"glossary_aliases\":{\"WS\":\"workspace\"}}", "none", "workspace/h");
}

UNIT_TEST(an_alias_in_the_text_becomes_its_term)
{
        check_with("{\"glossary_aliases\":{\"WS\":\"Workspace\"}}", "the WS and \"ws\"",
                "workspace/h");
        check_with("{\"glossary_aliases\":{\"a\":\"b\",\"b\":\"c\"}}", "\"a\"", "b/h, c/h");
        check_with("{\"glossary_aliases\":{\"ledger\":\"Ledgers\"}}", "\"ledger\"", "ledger/h");
}

UNIT_TEST(excluded_terms_are_none_whatever_their_source)
{
        static const char *const surfaces[] = {"ledger"};
        static const char metadata[] =
                "{\"glossary_exclude_terms\":[\"Ledgers\",\"api\",\"x y\",\"fooBar\",\"noun\"],"
                "\"glossary_watch_terms\":[\"ledger\",\"kept\"]}";
        const char *text = "ledger API \"x y\" fooBar noun noun noun";
        pawl__glossary *glossary = glossary_of(surfaces, 1);
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__metadata read;

        assert_ok(pawl__metadata_read(&read, &arena, pawl__text(metadata), NULL));
        check_all(glossary, &read, &text, 1, "kept/h");
        pawl__arena_free(&arena);
        pawl__glossary_free(glossary);
        check_with("{\"glossary_exclude_terms\":[\"ws\"],\"glossary_aliases\":{\"ws\":\"work\"}}",
                "the WS", "work/h");
        check_with("{\"glossary_exclude_terms\":[\"work\"],\"glossary_aliases\":{\"ws\":\"work\"}}",
                "the WS", "");
}

/* ---- What a term says of the text ------------------------------------------------------------ */

static const pawl__term *find_term(const pawl__terms *terms, const char *surface)
{
        for (size_t i = 0; i < terms->n; i++)
                if (pawl__text_is(terms->items[i].surface, surface))
                        return &terms->items[i];
        fail_msg("no term %s", surface);
        return NULL;
}

static void check_place(const char *metadata, const char *text, const char *surface,
        const char *original, const char *context)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf buf = PAWL__BUF_INIT;
        pawl__extraction *extraction;
        pawl__metadata read;
        pawl__terms terms;
        pawl_text around;

        assert_ok(pawl__metadata_read(&read, &arena, pawl__text(metadata), NULL));
        assert_ok(pawl__extraction_new(&extraction, NULL, &read, NULL));
        assert_ok(pawl__extraction_text(extraction, pawl__text(text), NULL));
        assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
        const pawl__term *term = find_term(&terms, surface);
        assert_text(term->original, original);
        assert_ok(pawl__term_context(&around, &arena, &buf, term));
        assert_text(around, context);
        pawl__buf_free(&buf);
        pawl__extraction_free(extraction);
        pawl__arena_free(&arena);
}

UNIT_TEST(a_term_tells_how_and_where_it_was_first_written)
{
        check_place(NULL, "The  \"Grace\nPeriod\" ends;\tgrace period.", "grace period",
                "Grace\nPeriod", "The \"Grace Period\" ends; grace period.");
        check_place(NULL, "Ledgers, a ledger, LEDGER", "ledger", "Ledgers",
                "Ledgers, a ledger, LEDGER");
        check_place(NULL, "Api api \"API\"", "api", "Api", "Api api \"API\"");
        check_place("{\"glossary_watch_terms\":[\"Work Space\"]}", "nothing", "work space",
                "Work Space", NULL);
        check_place("{\"glossary_watch_terms\":[\"work space\"]}", "my Work\n Spaces!",
                "work space", "Work\n Spaces", "my Work Spaces!");
        check_place("{\"glossary_aliases\":{\"customer space\":\"workspace\"}}",
                "the Customer Space", "workspace", "Customer Space", "the Customer Space");
}

/* The context of API in LEFT API RIGHT, each side so many of one character. */
static void check_context(
        const char *unit, size_t left, size_t right, size_t kept_left, size_t kept_right)
{
        pawl__buf text = PAWL__BUF_INIT, context = PAWL__BUF_INIT;

        for (size_t i = 0; i < left; i++)
                assert_ok(pawl__buf_adds(&text, unit));
        assert_ok(pawl__buf_adds(&text, " \n API\t\t"));
        for (size_t i = 0; i < right; i++)
                assert_ok(pawl__buf_adds(&text, unit));
        for (size_t i = 0; i < kept_left; i++)
                assert_ok(pawl__buf_adds(&context, unit));
        assert_ok(pawl__buf_addf(&context, "%sAPI%s", kept_left ? " " : "", kept_right ? " " : ""));
        for (size_t i = 0; i < kept_right; i++)
                assert_ok(pawl__buf_adds(&context, unit));
        check_place(NULL, text.data, "api", "API", context.data);
        pawl__buf_free(&text);
        pawl__buf_free(&context);
}

UNIT_TEST(the_context_is_eighty_characters_around_the_term)
{
        /* 80 = 38 + space + API + space + 37: the greater half of an odd rest is on the left */
        check_context("x", 100, 100, 38, 37);
        check_context("\u6f22", 100, 100, 38, 37);
        check_context("x", 10, 100, 10, 65);
        check_context("x", 100, 10, 65, 10);
        check_context("x", 0, 100, 0, 76);
        check_context("x", 5, 6, 5, 6);
        /* a term that is longer itself is cut; here the 80th character is white space */
        check_place(NULL,
                "\"aaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbb ccccccccccccccccccc "
                "ddddddddddddddddddd eeeeeeeee\"",
                "aaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbb ccccccccccccccccccc ddddddddddddddddddd "
                "eeeeeeeee",
                "aaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbb ccccccccccccccccccc ddddddddddddddddddd "
                "eeeeeeeee",
                "aaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbb ccccccccccccccccccc ddddddddddddddddddd");
}

/* ---- Long texts ------------------------------------------------------------------------------ */

UNIT_TEST(a_term_in_the_last_word_of_ten_megabytes_is_found)
{
        static const char *const surfaces[] = {"the end"};
        pawl__glossary *glossary = glossary_of(surfaces, 1);
        pawl__buf text = PAWL__BUF_INIT;
        char word[16];

        for (unsigned i = 0; text.len < 10000000; i++) {
                snprintf(word, sizeof word, "w%xz ", i * 2654435761u);
                assert_ok(pawl__buf_adds(&text, word));
        }
        assert_ok(pawl__buf_adds(&text, "OAuth the \"last words\" of THE end"));
        const char *texts[] = {text.data};
        check_all(glossary, NULL, texts, 1, "the end/g, last word/q, oauth/c");
        pawl__buf_free(&text);
        pawl__glossary_free(glossary);
}

/* The number that the automaton gives says the same as looking the surface up, but an alias's is
 * not that of the term it stands for. */
UNIT_TEST(terms_resolve_by_number_as_by_surface)
{
        static const char *const surfaces[] = {"ledger", "workspace", "ws", "grace period"};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__metadata read;
        pawl__extraction *extraction;
        pawl__terms terms;
        size_t known = 0;

        pawl__glossary *glossary = glossary_of(surfaces, 3);
        assert_ok(pawl__metadata_read(&read, &arena,
                pawl__text("{\"glossary_aliases\":{\"ws\":\"grace period\"}}"), NULL));
        assert_ok(pawl__extraction_new(&extraction, glossary, &read, NULL));
        assert_ok(pawl__extraction_text(
                extraction, pawl__text("The WS, two Ledgers, a workspace; OAuth."), NULL));
        assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
        assert_int_equal(terms.n, 4);
        for (size_t i = 0; i < terms.n; i++) {
                const pawl__term *term = &terms.items[i];
                pawl__resolution by_number = pawl__term_resolve(glossary, term);
                pawl__resolution by_surface = pawl__glossary_resolve(glossary, term->surface);
                known += term->known > 0;
                assert_int_equal(by_number.n, by_surface.n);
                assert_ptr_equal(by_number.senses, by_surface.senses);
        }
        assert_int_equal(known, 2);
        pawl__extraction_free(extraction);
        pawl__glossary_free(glossary);
        pawl__arena_free(&arena);
}

/* What would be slow if any rule looked back or ahead further than it must. */
UNIT_TEST(long_runs_of_one_kind_take_one_pass)
{
        static const char *const units[] = {"a", " ", "\"", "-", "a-", "'", "a'", "\u201c", "_",
                "\u0301", "\u00e9", "\"a\n", "\u201e\u201c", "A", "a\u2019s"};

        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
                pawl__buf text = PAWL__BUF_INIT;
                pawl__extraction *extraction;
                pawl__terms terms;
                while (text.len < 300000)
                        assert_ok(pawl__buf_adds(&text, units[i]));
                assert_ok(pawl__extraction_new(&extraction, NULL, NULL, NULL));
                assert_ok(pawl__extraction_text(extraction, pawl__buf_text(&text), NULL));
                assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
                assert_true(terms.n <= 1);
                pawl__extraction_free(extraction);
                pawl__buf_free(&text);
        }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void check_json(const char *metadata, const char *json, const char *expected)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__extraction *extraction;
        pawl__metadata read;
        pawl__terms terms;
        pawl__buf got = PAWL__BUF_INIT;

        assert_ok(pawl__metadata_read(&read, &arena, pawl__text(metadata), NULL));
        assert_ok(pawl__json_tree_read(&tree, json, strlen(json), NULL));
        assert_ok(pawl__extraction_new(&extraction, NULL, &read, NULL));
        assert_ok(pawl__extraction_json(extraction, &tree, NULL));
        assert_ok(pawl__extraction_terms(&terms, extraction, NULL));
        write_terms(&got, &terms);
        assert_text(pawl__buf_text(&got), expected);
        pawl__buf_free(&got);
        pawl__extraction_free(extraction);
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
}

UNIT_TEST(the_fields_of_a_step_are_read)
{
        static const char document[] =
                "{\"description\":\"AA\",\"prompt\":[\"BB\",[\"CC\",{\"output\":\"DX\"},\"EE\"],3],"
                "\"requirements\":{\"x\":\"FF\"},\"output\":\"GG\",\"other\":\"HJ\","
                "\"deep\":{\"prompt\":\"IJ\",\"list\":[[\"JJ\"]]},\"KK\":null}";

        check_json(NULL, document, "aa/a, bb/a, cc/a, ee/a, gg/a");
        check_json("{\"glossary_fields\":[\"other\",\"output\"]}", document,
                "aa/a, bb/a, cc/a, ee/a, gg/a, hj/a");
        check_json("{\"glossary_fields\":[\"*\"]}", document,
                "aa/a, bb/a, cc/a, dx/a, ee/a, ff/a, gg/a, hj/a, ij/a, jj/a");
}

UNIT_TEST(a_document_without_fields_is_read_as_one)
{
        check_json(NULL, "\"AA\"", "aa/a");
        check_json(NULL, "[\"AA\",[\"BB\"],{\"output\":\"CC\"}]", "aa/a, bb/a");
        check_json("{\"glossary_fields\":[\"*\"]}", "[{\"x\":{\"y\":\"CC\"}}]", "cc/a");
        check_json(NULL, "17", "");
        check_json(NULL, "null", "");
        check_json(NULL, "{}", "");
        check_json(NULL, "{\"output\":\"a \\u0000 \\\"x\\\\y\\\" \\ud83d\\ude00 AA\"}",
                "aa/a, x\\y/q");
}

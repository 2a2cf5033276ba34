/* Layer 2's rules: conflicts, their severity, contradictions, and findings as JSON. */
#include "glossary/conflict.h"
#include "glossary/contradict.h"
#include "support/test.h"

UNIT_TEST(names_are_read_and_written)
{
        pawl__conflict_type type = PAWL__AMBIGUOUS;

        for (unsigned i = 0; i <= PAWL__UNRESOLVED_CRITICAL; i++) {
                const char *name = pawl__conflict_type_name((pawl__conflict_type)i);
                assert_true(pawl__conflict_type_of(&type, pawl__text(name)));
                assert_int_equal(type, i);
        }
        assert_false(pawl__conflict_type_of(&type, pawl__text("Unknown")));
        assert_int_equal(type, PAWL__UNRESOLVED_CRITICAL);
        for (unsigned i = 0; i <= PAWL__SEVERITY_HIGH; i++)
                assert_int_equal(
                        pawl__severity_of(pawl__text(pawl__severity_name((pawl__severity)i))), i);
        assert_int_equal(pawl__severity_of(pawl__text("dire")), PAWL__SEVERITY_HIGH);
        assert_int_equal(pawl__severity_of(pawl__text("")), PAWL__SEVERITY_HIGH);
}

/* ---- Making findings ------------------------------------------------------------------------- */

struct fixture {
        pawl__glossary *glossary;
        pawl__arena arena;
};

static int set_up(void **state)
{
        struct fixture *f = test_alloc(sizeof *f);
        assert_ok(pawl__glossary_new(&f->glossary, NULL));
        *state = f;
        return 0;
}

static int tear_down(void **state)
{
        struct fixture *f = *state;

        pawl__glossary_free(f->glossary);
        pawl__arena_free(&f->arena);
        return 0;
}

#define WITH_FIXTURE(name) UNIT_TEST_WITH(name, struct fixture *f, set_up, tear_down)

static void define(struct fixture *f, pawl__scope scope, const char *surface,
        const char *definition, double confidence, pawl__sense_status status)
{
        pawl__sense sense = {.surface = pawl__text(surface),
                .definition = pawl__text(definition),
                .scope = scope,
                .confidence = confidence,
                .status = status};

        assert_ok(pawl__glossary_add(f->glossary, &sense, NULL));
}

static pawl__term term_of(const char *surface, double confidence, bool watched)
{
        return (pawl__term){.surface = pawl__text(surface),
                .original = pawl__text(surface),
                .source = PAWL__ACRONYM,
                .confidence = confidence,
                .watched = watched};
}

/* The findings as "term type severity(candidates)". */
static void write_findings(pawl__buf *out, const pawl__findings *findings)
{
        for (size_t i = 0; i < findings->n; i++) {
                const pawl__finding *finding = &findings->items[i];
                assert_int_equal(
                        pawl__buf_addf(out, "%s%.*s %s %s(", i ? ", " : "", (int)finding->term.len,
                                finding->term.data, pawl__conflict_type_name(finding->type),
                                pawl__severity_name(finding->severity)),
                        PAWL_OK);
                for (size_t j = 0; j < finding->n_candidates; j++)
                        assert_int_equal(pawl__buf_addf(out, "%s%.*s", j ? "|" : "",
                                                 (int)finding->candidates[j].definition.len,
                                                 finding->candidates[j].definition.data),
                                PAWL_OK);
                assert_int_equal(pawl__buf_adds(out, ")"), PAWL_OK);
        }
}

static pawl__findings make(
        struct fixture *f, pawl__term *terms, size_t n, bool critical, const char *output)
{
        const pawl__terms all = {terms, n};
        pawl__findings findings;

        assert_ok(pawl__findings_make(
                &findings, &f->arena, f->glossary, &all, critical, pawl__text(output), NULL));
        return findings;
}

static void check_findings(const pawl__findings *findings, const char *expected)
{
        pawl__buf got = PAWL__BUF_INIT;

        write_findings(&got, findings);
        assert_text(pawl__buf_text(&got), expected);
        pawl__buf_free(&got);
}

static void check_one(struct fixture *f, pawl__term term, bool critical, const char *expected)
{
        pawl__findings findings = make(f, &term, 1, critical, NULL);

        check_findings(&findings, expected);
}

WITH_FIXTURE(a_term_without_an_active_sense_is_unknown)
{
        define(f, PAWL__CORE, "drafted", "x", 1, PAWL__DRAFT);
        check_one(f, term_of("x", 1, false), false, "x unknown low()");
        check_one(f, term_of("drafted", 0.8, false), false, "drafted unknown low()");
        check_one(f, term_of("x", 0.79, false), false, "x unknown medium()");
        check_one(f, term_of("x", 0.5, false), true, "x unknown medium()");
        check_one(f, term_of("x", 0.49, false), false, "x unknown medium()");
        check_one(f, term_of("x", 1, true), false, "x unknown low()");
}

WITH_FIXTURE(in_a_critical_step_what_matters_is_unresolved_critical)
{
        check_one(f, term_of("x", 1, true), true, "x unresolved_critical high()");
        check_one(f, term_of("x", 0.49, false), true, "x unresolved_critical high()");
        check_one(f, term_of("x", 0.8, false), true, "x unknown low()");
}

WITH_FIXTURE(several_senses_in_the_deciding_scope_are_ambiguous)
{
        define(f, PAWL__CORE, "x", "far", 1, PAWL__ACTIVE);
        define(f, PAWL__TEAM_DOMAIN, "x", "a", 0.2, PAWL__ACTIVE);
        define(f, PAWL__TEAM_DOMAIN, "x", "old", 1, PAWL__DEPRECATED);
        check_one(f, term_of("x", 1, true), true, "");
        define(f, PAWL__TEAM_DOMAIN, "x", "b", 0.9, PAWL__ACTIVE);
        check_one(f, term_of("x", 1, false), false, "x ambiguous medium(b|a)");
        check_one(f, term_of("x", 1, false), true, "x ambiguous high(b|a)");
}

WITH_FIXTURE(findings_stand_in_the_order_of_the_terms_and_are_copies)
{
        char surface[] = "zz", context[] = "around";
        pawl__term terms[] = {
                term_of(surface, 0.8, false), term_of("x", 1, false), term_of("aa", 0.5, false)};

        terms[0].context = pawl__text(context);
        define(f, PAWL__CORE, "x", "known", 1, PAWL__ACTIVE);
        pawl__findings findings = make(f, terms, 3, false, NULL);
        memset(surface, '?', 2);
        memset(context, '?', 6);
        check_findings(&findings, "zz unknown low(), aa unknown medium()");
        assert_text(findings.items[0].context, "around");
        assert_text(findings.items[0].original, "zz");
        assert_null(findings.items[1].context.data);
        assert_true(findings.items[1].confidence == 0.5);
        assert_int_equal(pawl__findings_severity(&findings), PAWL__SEVERITY_MEDIUM);
        findings.n = 0;
        assert_int_equal(pawl__findings_severity(&findings), PAWL__SEVERITY_NONE);
}

/* ---- Contradictions -------------------------------------------------------------------------- */

static const char workspace[] = "A shared folder where a customer keeps invoices";

static bool contradicts(const char *text, const char *term, const char *definition)
{
        bool contradicted = false;
        const pawl__definition_check claim = {
                pawl__text(term), pawl__text(definition), &contradicted};

        assert_ok(pawl__contradictions(pawl__text(text), &claim, 1));
        return contradicted;
}

static void check_each(const char *const *texts, bool expected)
{
        for (; *texts; texts++)
                if (contradicts(*texts, "workspace", workspace) != expected)
                        fail_msg("\"%s\" %s", *texts,
                                expected ? "does not contradict" : "contradicts");
}

UNIT_TEST(negating_a_key_word_contradicts)
{
        static const char *const negations[] = {"A workspace is not a folder.",
                "WORKSPACES are not folders", "the workspace\nis not the Customer",
                "The workspace isn't a folder, is it?", "Workspaces aren\u2019t folders",
                "A workspace is no folder", "the \"workspace\" is not a folder",
                "`workspace` is not an invoice!", "workspace is not shared", NULL};
        static const char *const others[] = {"A workspace is not a car", "workspace not a folder",
                "A workspace is not", "A workspace is not a", "my_workspace is not a folder",
                "This is not a folder", "the workspace's owner is not a folder",
                "The workspace, is not a folder", "workspace isn a folder",
                "A workspace is not a big folder", "", NULL};

        check_each(negations, true);
        check_each(others, false);
        assert_false(contradicts("A term is not a term", "term", "a term"));
        assert_true(contradicts("\u039f\u0394\u039f\u0301\u03a3 is not a STRASSE",
                "\u03bf\u03b4\u03cc\u03c3", "Stra\u00dfe"));
}

UNIT_TEST(redefining_with_other_words_contradicts)
{
        static const char *const redefinitions[] = {"A workspace means a desk.",
                "workspace refers to the office", "Workspaces are rooms in a building",
                "A Workspace is a desk", "workspace is an area. It is a shared folder of customers",
                "workspace means a desk\n\nshared folder customer", NULL};
        static const char *const others[] = {"A workspace is a shared folder of a customer",
                "A workspace is an area where customers keep things, in folders",
                "A workspace is open", "workspace means", "workspace means .", "workspace is a.",
                "workspaces are not desks", "workspace refers a desk",
                "workspace means version 1.5 of the shared folder", NULL};

        check_each(redefinitions, true);
        assert_true(contradicts("workspace means a desk (e.g. shared folder)", "workspace",
                workspace)); /* a stop before white space ends a sentence, whatever it stands for */
        check_each(others, false);
        assert_false(contradicts("x means nothing", "x", "it is in the"));
        assert_true(contradicts("x means y \u3002 ledger", "x", "ledger"));
        assert_false(contradicts("x means y ledger\u3002", "x", "ledger"));
}

UNIT_TEST(under_thirty_percent_is_too_little)
{
        static const char ten[] = "alpha bravo charlie delta echo foxtrot golf hotel india juliet";

        assert_true(contradicts("x means alpha bravo", "x", ten));
        assert_false(contradicts("x means alpha bravo charlie", "x", ten));
        assert_true(contradicts("x means alpha alpha alphas", "x", ten));
        /* each redefinition by what comes after it */
        assert_true(contradicts("x means alpha bravo charlie and x means delta", "x", ten));
        assert_false(contradicts("x means zulu and x means alpha bravo charlie", "x", ten));
}

WITH_FIXTURE(each_term_is_held_against_its_own_definition)
{
        pawl__term terms[] = {term_of("ledger", 1, false), term_of("order book", 1, false),
                term_of("invoice", 1, false), term_of("stranger", 1, false)};

        define(f, PAWL__CORE, "ledger", "a book of accounts", 1, PAWL__ACTIVE);
        define(f, PAWL__CORE, "order book", "list of orders", 1, PAWL__ACTIVE);
        define(f, PAWL__CORE, "invoice", "a bill", 1, PAWL__ACTIVE);
        pawl__findings findings = make(f, terms, 4, true,
                "The ledger is a table. Order\nbooks are not lists of orders. An invoice is a bill."
                " A stranger is a friend.");
        check_findings(&findings,
                "ledger inconsistent low(a book of accounts),"
                " order book inconsistent low(list of orders), stranger unknown low()");
        findings = make(f, terms, 3, true, NULL);
        check_findings(&findings, "");
        findings = make(f, terms, 3, true, "");
        check_findings(&findings, "");
}

/* Every mention waits for the end of the one sentence; none may read it anew. */
UNIT_TEST(a_long_sentence_of_redefinitions_takes_one_pass)
{
        enum { CLAIMS = 2000 };
        static bool contradicted[CLAIMS];
        static char names[CLAIMS][16];
        static pawl__definition_check claims[CLAIMS];
        pawl__buf text = PAWL__BUF_INIT;

        for (unsigned i = 0; i < CLAIMS; i++) {
                snprintf(names[i], sizeof names[i], "term%u", i);
                claims[i] = (pawl__definition_check){pawl__text(names[i]),
                        pawl__text(i % 2 ? "ledger" : "unheard"), &contradicted[i]};
        }
        for (unsigned i = 0; i < 100000; i++)
                assert_ok(pawl__buf_addf(&text, "term%u means something, ", i % CLAIMS));
        assert_ok(pawl__buf_adds(&text, "ledger"));
        assert_ok(pawl__contradictions(pawl__buf_text(&text), claims, CLAIMS));
        for (unsigned i = 0; i < CLAIMS; i++)
                assert_int_equal(contradicted[i], i % 2 == 0);
        pawl__buf_free(&text);
}

/* ---- Judging again --------------------------------------------------------------------------- */

static void check_again(struct fixture *f, const pawl__findings *recorded, const char *expected)
{
        pawl__findings again;

        assert_ok(pawl__findings_reevaluate(&again, &f->arena, f->glossary, recorded, NULL));
        check_findings(&again, expected);
}

WITH_FIXTURE(findings_are_judged_again_by_the_glossary_as_it_is)
{
        pawl__term terms[] = {term_of("amb", 1, false), term_of("crit", 1, true),
                term_of("incon", 1, false), term_of("unk", 0.8, false)};

        define(f, PAWL__CORE, "amb", "a", 0.5, PAWL__ACTIVE);
        define(f, PAWL__CORE, "amb", "b", 0.4, PAWL__ACTIVE);
        define(f, PAWL__CORE, "incon", "book", 1, PAWL__ACTIVE);
        pawl__findings findings = make(f, terms, 4, true, "incon is not a book");
        check_findings(&findings, "amb ambiguous high(a|b), crit unresolved_critical high(),"
                                  " incon inconsistent low(book), unk unknown low()");
        check_again(f, &findings,
                "amb ambiguous high(a|b), crit unresolved_critical high(),"
                " incon inconsistent low(book), unk unknown low()");
        /* a better candidate, and two senses of what was unknown */
        define(f, PAWL__CORE, "amb", "c", 0.9, PAWL__ACTIVE);
        define(f, PAWL__CORE, "unk", "d", 0.5, PAWL__ACTIVE);
        define(f, PAWL__CORE, "unk", "e", 0.4, PAWL__ACTIVE);
        define(f, PAWL__CORE, "crit", "f", 0.5, PAWL__ACTIVE);
        check_again(f, &findings,
                "amb ambiguous high(c|a|b), incon inconsistent low(book),"
                " unk ambiguous medium(d|e)");
        define(f, PAWL__CORE, "crit", "g", 0.4, PAWL__ACTIVE);
        check_again(f, &findings,
                "amb ambiguous high(c|a|b), crit ambiguous high(f|g),"
                " incon inconsistent low(book), unk ambiguous medium(d|e)");
        /* answered */
        define(f, PAWL__MISSION_LOCAL, "amb", "a", 1, PAWL__ACTIVE);
        define(f, PAWL__MISSION_LOCAL, "unk", "d", 1, PAWL__ACTIVE);
        define(f, PAWL__MISSION_LOCAL, "crit", "f", 1, PAWL__ACTIVE);
        check_again(f, &findings, "incon inconsistent low(book)");
        /* and taken back */
        define(f, PAWL__MISSION_LOCAL, "amb", "a", 1, PAWL__DEPRECATED);
        define(f, PAWL__CORE, "amb", "a", 0.5, PAWL__DEPRECATED);
        define(f, PAWL__CORE, "amb", "b", 0.5, PAWL__DEPRECATED);
        define(f, PAWL__CORE, "amb", "c", 0.5, PAWL__DEPRECATED);
        check_again(f, &findings, "amb unknown high(), incon inconsistent low(book)");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static pawl_status read_back(
        pawl__findings *out, struct fixture *f, const char *json, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        assert_ok(pawl__json_tree_read(&tree, json, strlen(json), NULL));
        pawl_status status = pawl__findings_read(out, &f->arena, &tree, 0, err);
        pawl__json_tree_free(&tree);
        return status;
}

WITH_FIXTURE(findings_are_written_and_read_back)
{
        static const char expected[] =
                "[{\"candidate_senses\":[{\"confidence\":0.5,\"definition\":\"a "
                "\\\"\",\"scope\":\"core\",\"surface\":\"Ambs\"},{\"confidence\":0.25,"
                "\"definition\":\"b\",\"scope\":\"core\",\"surface\":\"amb\"}],\"confidence\":0.8,"
                "\"conflict_type\":\"ambiguous\",\"context\":\"an amb\",\"original\":\"amb\","
                "\"severity\":\"high\",\"term\":\"amb\"},{\"candidate_senses\":[],\"confidence\":1,"
                "\"conflict_type\":\"unresolved_critical\",\"context\":null,\"original\":\"x\","
                "\"severity\":\"high\",\"term\":\"x\"}]";
        pawl__term terms[] = {term_of("amb", 0.8, false), term_of("x", 1, true)};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__findings back;

        terms[0].context = pawl__text("an amb");
        define(f, PAWL__CORE, "Ambs", "a \"", 0.5, PAWL__ACTIVE);
        define(f, PAWL__CORE, "amb", "b", 0.25, PAWL__ACTIVE);
        pawl__findings findings = make(f, terms, 2, true, NULL);
        pawl__findings_write(&w, &findings);
        assert_ok(pawl__json_end_writer(&w));
        assert_text(pawl__buf_text(&w.buf), expected);
        assert_ok(read_back(&back, f, w.buf.data, NULL));
        check_findings(&back, "amb ambiguous high(a \"|b), x unresolved_critical high()");
        assert_text(back.items[0].original, "amb");
        assert_text(back.items[0].context, "an amb");
        assert_text(back.items[0].candidates[0].surface, "Ambs");
        assert_text(back.items[0].candidates[0].normal, "amb");
        assert_int_equal(back.items[0].candidates[0].scope, PAWL__CORE);
        assert_true(back.items[0].candidates[0].confidence == 0.5);
        assert_true(back.items[0].confidence == 0.8);
        assert_null(back.items[1].context.data);
        pawl__json_writer_free(&w);
}

#define SENSE                                                                                      \
        "{\"surface\":\"s\",\"scope\":\"spec_kitty_core\",\"definition\":\"d\",\"confidence\":1}"
#define FINDING                                                                                    \
        "\"term\":\"x\",\"conflict_type\":\"unknown\",\"severity\":\"low\",\"confidence\":0.5,"    \
        "\"candidate_senses\":[" SENSE "]"

WITH_FIXTURE(what_a_newer_writer_added_is_read)
{
        pawl__findings back;

        assert_ok(read_back(&back, f,
                "[{" FINDING ",\"context\":\"c\",\"conflict_id\":\"1\",\"new\":[]}]", NULL));
        check_findings(&back, "x unknown low(d)");
        assert_null(back.items[0].original.data);
        assert_ok(read_back(&back, f,
                "[{\"term\":\"x\",\"conflict_type\":\"unknown\",\"severity\":"
                "\"dire\",\"confidence\":1,\"candidate_senses\":[],\"context\":null}]",
                NULL));
        check_findings(&back, "x unknown high()");
        assert_ok(read_back(&back, f, "[]", NULL));
        assert_int_equal(back.n, 0);
}

WITH_FIXTURE(malformed_findings_are_refused_by_field)
{
        static const struct {
                const char *json, *message;
        } cases[] = {
                {"{}", "findings: not an array"},
                {"[1]", "finding 1: term: missing"},
                {"[{" FINDING "}]", "finding 1: context: missing"},
                {"[{" FINDING ",\"context\":1}]", "finding 1: context: not a string"},
                {"[{" FINDING ",\"context\":\"\"},{\"term\":1}]", "finding 2: term: not a string"},
                {"[{\"term\":\"x\"}]", "finding 1: conflict_type: missing"},
                {"[{\"term\":\"x\",\"conflict_type\":\"odd\"}]",
                        "finding 1: conflict_type: not a type of conflict"},
                {"[{\"term\":\"x\",\"conflict_type\":\"unknown\"}]",
                        "finding 1: severity: missing"},
                {"[{\"term\":\"x\",\"conflict_type\":\"unknown\",\"severity\":\"low\","
                 "\"confidence\":1.5}]",
                        "finding 1: confidence: not between 0 and 1"},
                {"[{\"term\":\"x\",\"conflict_type\":\"unknown\",\"severity\":\"low\","
                 "\"confidence\":1}]",
                        "finding 1: candidate_senses: missing"},
                {"[{\"term\":\"x\",\"conflict_type\":\"unknown\",\"severity\":\"low\","
                 "\"confidence\":1,\"candidate_senses\":[" SENSE ",{\"surface\":\"s\",\"scope\":"
                 "\"moon\"}]}]",
                        "finding 1: candidate_senses[1].scope: not a scope"},
        };

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__findings back = {NULL, 77};
                assert_int_equal(read_back(&back, f, cases[i].json, &err), PAWL_EINVAL);
                assert_int_equal(err.status, PAWL_EINVAL);
                assert_says(err.message, cases[i].message);
                assert_null(back.items);
                assert_int_equal(back.n, 77);
        }
}

/* Seed files, and how their senses get into the log. */
#include "events/log.h"
#include "glossary/seed.h"
#include "support/test.h"
#include <time.h>
#include <unistd.h>

static const int64_t NOON = INT64_C(1795176000) * 1000000; /* 2026-11-20T12:00:00Z */

struct fixture {
        char *directory, *path;
        pawl_log *log;
        pawl__state *state;
        pawl__seed seed;
        pawl__batch batch;
        pawl_event like;
        pawl_error err;
};

static int setup(void **state)
{
        struct fixture *f = test_alloc(sizeof *f);
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        char *db;

        f->directory = directory_make();
        f->path = path_in(f->directory, "seed.yaml");
        db = path_in(f->directory, "events.db");
        options.flags = PAWL_LOG_CREATE;
        assert_ok(pawl_log_open(&f->log, db, &options, &f->err));
        assert_ok(pawl__state_of(&f->state, f->log, &f->err));
        f->like = (pawl_event){
                .mission_id = pawl__text("m"), .actor = pawl__text("user:ana"), .time_us = NOON};
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        pawl__seed_free(&f->seed);
        pawl__batch_free(&f->batch);
        pawl_log_close(f->log);
        return 0;
}

#define T(name) UNIT_TEST_WITH(name, struct fixture *f, setup, teardown)

static void load(struct fixture *f, const char *text, pawl__scope scope)
{
        pawl__seed_free(&f->seed);
        file_write(f->path, text, strlen(text));
        f->err = (pawl_error)PAWL_ERROR_INIT;
        if (pawl__seed_load(&f->seed, f->path, scope, NULL, &f->err))
                print_error("%s\n", f->err.message);
        assert_string_equal(f->err.message, "");
}

static void check_refused(struct fixture *f, const char *text, unsigned line, const char *message)
{
        char expected[600];
        pawl__seed seed;
        pawl_error err = PAWL_ERROR_INIT;

        memset(&seed, 0x5a, sizeof seed);
        pawl__seed before = seed;
        snprintf(expected, sizeof expected, "%s: line %u: %s", f->path, line, message);
        file_write(f->path, text, strlen(text));
        assert_int_equal(
                pawl__seed_load(&seed, f->path, PAWL__TEAM_DOMAIN, NULL, &err), PAWL_EPARSE);
        assert_int_equal(err.status, PAWL_EPARSE);
        assert_string_equal(err.message, expected);
        assert_memory_equal(&seed, &before, sizeof seed);
}

/* ---- Reading -------------------------------------------------------------------------------- */

T(a_seed_is_read_with_its_defaults)
{
        load(f,
                "terms:\n"
                "  - {surface: Work  Spaces, definition: A place., confidence: 0.25, status: "
                "draft}\n"
                "  - {surface: workspace, definition: A place.}\n"
                "  - {surface: workspace, definition: Another., status: deprecated}\n",
                PAWL__TEAM_DOMAIN);
        assert_int_equal(f->seed.n, 3);
        assert_int_equal(f->seed.scope, PAWL__TEAM_DOMAIN);
        assert_int_equal(strlen(f->seed.version_id), 64);
        const pawl__sense *s = f->seed.senses;
        assert_text(s[0].surface, "Work  Spaces");
        assert_text(s[0].normal, "work space");
        assert_text(s[0].definition, "A place.");
        assert_true(s[0].confidence == 0.25);
        assert_int_equal(s[0].status, PAWL__DRAFT);
        assert_int_equal(s[0].scope, PAWL__TEAM_DOMAIN);
        assert_text(s[1].normal, "workspace");
        assert_true(s[1].confidence == 1.0);
        assert_int_equal(s[1].status, PAWL__ACTIVE);
        assert_int_equal(s[2].status, PAWL__DEPRECATED);
}

T(a_seed_may_be_empty)
{
        load(f, "terms: []\n", PAWL__CORE);
        assert_int_equal(f->seed.n, 0);
}

T(malformed_seeds_are_refused_with_file_line_and_field)
{
        const char *no_terms = "terms: is missing; write terms: [{surface, definition}]";

        check_refused(f, "", 1, no_terms);
        check_refused(f, "- a\n", 1, no_terms);
        check_refused(
                f, "{}", 1, "terms: is missing; list the senses: terms: [{surface, definition}]");
        check_refused(f, "terms: {a: 1}", 1,
                "terms: must be a list; list the senses: terms: [{surface, definition}]");
        check_refused(f, "terms: []\nscope: x\n", 2, "scope: unknown key; the keys here are terms");
        check_refused(f, "term: []\n", 1, "term: unknown key; did you mean terms?");
        check_refused(f, "terms:\n- a\n", 2,
                "terms[0]: must be a mapping; write surface: and definition:");
        check_refused(f, "terms:\n- {surface: a, definition: b}\n- {surface: a}\n", 3,
                "terms[1].definition: is missing; write what it means: definition: TEXT");
        check_refused(f, "terms:\n- {definition: b}\n", 2,
                "terms[0].surface: is missing; write the term: surface: TERM");
        check_refused(f, "terms:\n- surface: a\n  definition: b\n  meaning: c\n", 4,
                "terms[0].meaning: unknown key; did you mean definition?");
        check_refused(f, "terms:\n- {surface: 1, definition: b}\n", 2,
                "terms[0].surface: must be a string; quote it");
        check_refused(f, "terms:\n- surface: a\n  definition:\n", 3,
                "terms[0].definition: is empty; write a string");
        check_refused(f, "terms:\n- {surface: ' ', definition: b}\n", 2,
                "terms[0].surface: is empty; write the term");
        check_refused(f, "terms:\n- surface: a\n  definition: \" \\n\"\n", 3,
                "terms[0].definition: is empty; write what the term means");
        check_refused(f, "terms:\n- {surface: a, definition: b, status: open}\n", 2,
                "terms[0].status: \"open\" is not known; write active, draft, deprecated or ignored");
        check_refused(f, "terms:\n- {surface: a, definition: b, confidence: high}\n", 2,
                "terms[0].confidence: must be a number; write it without quotes or unit");
        check_refused(f, "terms:\n- {surface: a, definition: b, confidence: 1.01}\n", 2,
                "terms[0].confidence: 1.01 is out of range; write 0 to 1");
        check_refused(f, "terms:\n- {surface: a, definition: b, confidence: -0.1}\n", 2,
                "terms[0].confidence: -0.1 is out of range; write 0 to 1");
}

static void collect(const char *line, void *user)
{
        pawl__buf_adds(user, strchr(line, '/') ? strstr(line, "seed.yaml") : line);
        pawl__buf_adds(user, "\n");
}

/* Every error is said, each with its line; and nothing is taken. */
static void check_all(struct fixture *f, const char *text, const char *told, const char *last)
{
        pawl__buf lines = PAWL__BUF_INIT;
        pawl__problems problems = {.tell = collect, .user = &lines};
        pawl__seed seed;
        pawl_error err = PAWL_ERROR_INIT;

        file_write(f->path, text, strlen(text));
        assert_int_equal(
                pawl__seed_load(&seed, f->path, PAWL__TEAM_DOMAIN, &problems, &err), PAWL_EPARSE);
        assert_string_equal(lines.data ? lines.data : "", told);
        assert_string_equal(strstr(err.message, "seed.yaml"), last);
        pawl__buf_free(&lines);
}

T(all_errors_of_a_seed_are_said_each_with_its_line)
{
        check_all(f, "terms:\n- {surface: a}\n", "",
                "seed.yaml: line 2: terms[0].definition: is missing; write what it means: "
                "definition: TEXT");
        check_all(f,
                "term: 1\nterms:\n- surface: a\n  meaning: b\n- c\n"
                "- {surface: ok, definition: fine}\n"
                "- {surface: ok, definition: fine}\n"
                "- surface: ' '\n  definition: ''\n  confidence: 2\n  status: open\n"
                "- surface: d\n  definition: e\n  aliases: [1, '', f]\n"
                "  synonyms_to_avoid: [g, 2]\n  see_also: h\n",
                "seed.yaml: line 1: term: unknown key; did you mean terms?\n"
                "seed.yaml: line 4: terms[0].meaning: unknown key; did you mean definition?\n"
                "seed.yaml: line 3: terms[0].definition: is missing; write what it means: "
                "definition: TEXT\n"
                "seed.yaml: line 5: terms[1]: must be a mapping; write surface: and definition:\n"
                "seed.yaml: line 7: terms[3].surface: \"ok\" has the same definition on line 6; "
                "remove one\n"
                "seed.yaml: line 8: terms[4].surface: is empty; write the term\n"
                "seed.yaml: line 9: terms[4].definition: is empty; write what the term means\n"
                "seed.yaml: line 10: terms[4].confidence: 2 is out of range; write 0 to 1\n"
                "seed.yaml: line 11: terms[4].status: \"open\" is not known; write active, draft, "
                "deprecated or ignored\n"
                "seed.yaml: line 16: terms[5].see_also: must be a list; write [A, B], or a dash "
                "before each element\n",
                "seed.yaml: 1 more error; fix those that are named first");
}

T(another_tools_keys_are_kept_or_passed_over)
{
        load(f,
                "x-owner: the team\n"
                "terms:\n"
                "  - surface: status commit\n"
                "    definition: A commit that records a state.\n"
                "    see_also:\n"
                "      - {tactic: regex, path: src/a.yaml}\n"
                "      - workspace\n"
                "    synonyms_to_avoid: [ceremony commit, \"ceremony\"]\n"
                "    introduced_in_mission: charter-01KSAF14\n"
                "    x-anything: {a: [1]}\n"
                "  - {surface: lane, definition: A way., see_also: null, synonyms_to_avoid: null,\n"
                "     introduced_in_mission: null}\n",
                PAWL__TEAM_DOMAIN);
        assert_int_equal(f->seed.n, 2);
        assert_text(f->seed.senses[0].notes->see_also,
                "[{\"tactic\":\"regex\",\"path\":\"src/a.yaml\"},\"workspace\"]");
        assert_text(
                f->seed.senses[0].notes->synonyms_to_avoid, "[\"ceremony commit\",\"ceremony\"]");
        assert_null(f->seed.senses[1].notes);
        load(f, "terms:\n", PAWL__TEAM_DOMAIN); /* a bare key, where there is none yet */
        assert_int_equal(f->seed.n, 0);
        check_refused(f, "terms:\n- {surface: a, definition: b, see_alsoo: [c]}\n", 2,
                "terms[0].see_alsoo: unknown key; did you mean see_also?");
        check_refused(f, "terms:\n- {surface: a, definition: b, synonyms_to_avoid: c}\n", 2,
                "terms[0].synonyms_to_avoid: must be a list; write [A, B], or a dash before each "
                "element");
}

T(one_sense_twice_names_both_lines)
{
        pawl__seed seed;

        check_refused(f,
                "terms:\n- surface: workspace\n  definition: b\n- definition: b\n"
                "  surface: Workspaces\n",
                5,
                "terms[1].surface: \"Workspaces\" has the same definition on line 2; remove one");
        /* Neither a surface nor a definition ends at a NUL. */
        load(f,
                "terms:\n- {surface: \"a\", definition: \"b\\0c\"}\n"
                "- {surface: \"a\\0b\", definition: \"c\"}\n",
                PAWL__CORE);
        assert_int_equal(f->seed.n, 2);
        static const char text[] = "terms:\n- {surface: a, definition: b}\n"
                                   "- {surface: A, definition: c}\n";
        load(f, text, PAWL__CORE);
        assert_ok(pawl__seed_load(&seed, f->path, PAWL__MISSION_LOCAL, NULL, &f->err));
        assert_int_equal(seed.n, 2);
        pawl__seed_free(&seed);
}

T(a_seed_that_is_missing_or_too_big_is_refused)
{
        pawl__seed seed;

        assert_int_equal(
                pawl__seed_load(&seed, f->path, PAWL__CORE, NULL, &f->err), PAWL_ENOTFOUND);
        assert_says(f->err.message, "seed.yaml: there is no such file; check the path");
        file_write(f->path, "", 0);
        assert_int_equal(truncate(f->path, 100000000), 0);
        assert_int_equal(pawl__seed_load(&seed, f->path, PAWL__CORE, NULL, &f->err), PAWL_ETOOBIG);
        assert_says(f->err.message, "seed.yaml: is larger than 64 MiB; split it");
}

/* ---- Activating ----------------------------------------------------------------------------- */

#define TWO                                                                                        \
        "terms:\n- {surface: Sessions, definition: One sitting.}\n"                                \
        "- {surface: fence, definition: A number., confidence: 0.5, status: draft}\n"

static void activate(struct fixture *f)
{
        pawl_status status = pawl__seed_activate(&f->batch, &f->seed, f->state, &f->like, &f->err);

        assert_string_equal(f->err.message, "");
        assert_ok(status);
}

static void commit(struct fixture *f)
{
        pawl_status status = pawl__log_commit(f->log, &f->batch, 0, NULL);

        if (status)
                print_error("%s\n", pawl_log_errmsg(f->log));
        assert_ok(status);
}

T(a_new_version_brings_its_senses)
{
        char expected[1000];

        load(f, TWO, PAWL__TEAM_DOMAIN);
        activate(f);
        assert_int_equal(f->batch.n, 3);
        const pawl_event *e = f->batch.events;
        assert_text(e[0].type, "GlossaryScopeActivated");
        snprintf(expected, sizeof expected,
                "{\"glossary_version_id\":\"%s\",\"scope_id\":\"team_domain\"}",
                f->seed.version_id);
        assert_text(e[0].payload, expected);
        assert_text(e[0].mission_id, "m");
        assert_text(e[0].actor, "user:ana");
        assert_true(e[0].time_us == NOON);
        assert_text(e[1].type, "GlossarySenseUpdated");
        snprintf(expected, sizeof expected,
                "{\"actor\":{\"actor_id\":\"user:ana\",\"actor_type\":\"user\","
                "\"display_name\":\"ana\"},\"new_sense\":{\"confidence\":1,"
                "\"definition\":\"One sitting.\",\"scope\":\"team_domain\",\"status\":\"active\","
                "\"surface\":\"Sessions\"},\"normal\":\"session\","
                "\"provenance\":{\"actor_id\":\"user:ana\",\"source\":\"seed_file\","
                "\"timestamp\":\"2026-11-20T12:00:00.000000Z\"},\"scope\":\"team_domain\","
                "\"term_surface\":\"Sessions\",\"update_type\":\"create\","
                "\"version_id\":\"%s\"}",
                f->seed.version_id);
        assert_text(e[1].payload, expected);
        assert_says(e[2].payload.data, "\"confidence\":0.5,");
        assert_says(e[2].payload.data, "\"status\":\"draft\"");
        commit(f);
}

T(a_version_that_the_log_has_brings_nothing)
{
        load(f, TWO, PAWL__TEAM_DOMAIN);
        activate(f);
        commit(f);
        activate(f);
        assert_int_equal(f->batch.n, 0);
        f->like.mission_id = pawl__text("another");
        activate(f);
        assert_int_equal(f->batch.n, 0);
        load(f, TWO, PAWL__CORE); /* the same file for another scope is another version there */
        activate(f);
        assert_int_equal(f->batch.n, 3);
        commit(f);
        load(f, TWO "# changed\n", PAWL__TEAM_DOMAIN); /* in no sense */
        activate(f);
        assert_int_equal(f->batch.n, 1);
}

static void load_new(struct fixture *f, pawl__scope scope, size_t n)
{
        char version[65];

        memcpy(version, f->seed.version_id, sizeof version);
        pawl__seed_free(&f->seed);
        assert_ok(pawl__seed_load_new(&f->seed, f->path, scope, f->state, NULL, &f->err));
        assert_string_equal(f->seed.version_id, version);
        assert_int_equal(f->seed.n, n);
        activate(f);
        pawl__batch_clear(&f->batch);
}

T(a_version_that_the_log_has_is_not_read_again)
{
        load(f, TWO, PAWL__TEAM_DOMAIN);
        load_new(f, PAWL__TEAM_DOMAIN, 2);
        activate(f);
        commit(f);
        load_new(f, PAWL__TEAM_DOMAIN, 0);
        load_new(f, PAWL__CORE, 2); /* there the log has it not */
        load(f, TWO, PAWL__MISSION_LOCAL);
        activate(f);
        commit(f);
        load_new(f, PAWL__MISSION_LOCAL, 2); /* another mission may need them */
        assert_int_equal(
                pawl__seed_load_new(&f->seed, "/no/such/file", PAWL__CORE, f->state, NULL, &f->err),
                PAWL_ENOTFOUND);
        assert_says(f->err.message, "/no/such/file: there is no such file; check the path");
        f->err = (pawl_error)PAWL_ERROR_INIT;
}

/* mission_local senses are each mission's own, so that a file two missions share is needed twice.
 */
T(a_seed_of_mission_local_is_activated_by_each_mission)
{
        load(f, TWO, PAWL__MISSION_LOCAL);
        activate(f);
        assert_int_equal(f->batch.n, 3);
        commit(f);
        activate(f);
        assert_int_equal(f->batch.n, 0);
        f->like.mission_id = pawl__text("another");
        activate(f);
        assert_int_equal(f->batch.n, 3);
        commit(f);
        activate(f);
        assert_int_equal(f->batch.n, 0);
}

T(actors_without_a_kind_are_programs)
{
        static const struct {
                const char *actor, *written;
        } cases[] = {
                {NULL, "\"actor\":{\"actor_id\":\"program\",\"actor_type\":\"program\","
                       "\"display_name\":\"program\"}"},
                {"cron", "\"actor\":{\"actor_id\":\"cron\",\"actor_type\":\"program\","
                         "\"display_name\":\"cron\"}"},
                {"agent:a:b", "\"actor\":{\"actor_id\":\"agent:a:b\",\"actor_type\":\"agent\","
                              "\"display_name\":\"a:b\"}"},
                {":x", "\"actor\":{\"actor_id\":\":x\",\"actor_type\":\"program\","
                       "\"display_name\":\":x\"}"},
                {"x:", "\"actor\":{\"actor_id\":\"x:\",\"actor_type\":\"x\","
                       "\"display_name\":\"x:\"}"},
        };

        load(f, TWO, PAWL__CORE);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl__batch_clear(&f->batch);
                f->like.actor = pawl__text(cases[i].actor);
                activate(f);
                assert_says(f->batch.events[1].payload.data, cases[i].written);
        }
}

/* ---- Importing ------------------------------------------------------------------------------ */

static void check_import(struct fixture *f, size_t n_new, size_t n_updated)
{
        pawl__imported counts = {99, 99, 99, 99, 99};
        pawl_status status =
                pawl__seed_import(&f->batch, &counts, &f->seed, f->state, &f->like, &f->err);

        assert_string_equal(f->err.message, "");
        assert_ok(status);
        assert_int_equal(counts.added, n_new);
        assert_int_equal(counts.updated, n_updated);
        assert_int_equal(counts.aliases_added + counts.aliases_updated, 0);
        assert_int_equal(f->batch.n, n_new + n_updated);
}

T(an_import_brings_what_is_new_or_differs)
{
        load(f, TWO, PAWL__TEAM_DOMAIN);
        check_import(f, 2, 0);
        assert_says(f->batch.events[0].payload.data, "\"source\":\"import\"");
        assert_says(f->batch.events[0].payload.data, "\"update_type\":\"create\"");
        assert_null(strstr(f->batch.events[0].payload.data, "version_id"));
        commit(f);
        check_import(f, 0, 0);
        load(f,
                "terms:\n- {surface: Sessions, definition: One sitting.}\n"
                "- {surface: fence, definition: A number., confidence: 0.5}\n"
                "- {surface: fence, definition: A wall.}\n",
                PAWL__TEAM_DOMAIN);
        check_import(f, 1, 1);
        assert_says(f->batch.events[0].payload.data, "\"update_type\":\"update\"");
        assert_says(f->batch.events[0].payload.data, "\"status\":\"active\"");
        commit(f);
        check_import(f, 0, 0);
        load(f, "terms:\n- {surface: SESSION, definition: One sitting., confidence: 0.1}\n",
                PAWL__TEAM_DOMAIN);
        check_import(f, 0, 1);
}

T(an_import_into_mission_local_needs_a_mission)
{
        pawl__imported counts = {99, 99, 99, 99, 99};

        load(f, TWO, PAWL__MISSION_LOCAL);
        f->like.mission_id = (pawl_text){NULL, 0};
        assert_int_equal(
                pawl__seed_import(&f->batch, &counts, &f->seed, f->state, &f->like, &f->err),
                PAWL_EINVAL);
        assert_says(f->err.message, "scope mission_local: belongs to a mission");
        assert_int_equal(counts.added, 99);
        assert_int_equal(counts.updated, 99);
        assert_int_equal(f->batch.n, 0);
}

T(a_hundred_thousand_senses_are_quick)
{
        pawl__buf text = PAWL__BUF_INIT;
        struct timespec start, end;

        assert_ok(pawl__buf_adds(&text, "terms:\n"));
        for (int i = 0; i < 100000; i++)
                assert_ok(pawl__buf_addf(&text,
                        "  - surface: term %d of the house\n"
                        "    definition: What number %d stands for.\n",
                        i, i));
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
        load(f, text.data, PAWL__CORE);
        activate(f);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        double took =
                (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
        print_message("100,000 senses read and made events in %.2f s of the processor\n", took);
        assert_int_equal(f->batch.n, 100001);
        assert_true(took < 15);
        pawl__buf_free(&text);
}

/* Every allocation on the way from a file's text to its tree, and to a seed, fails once. */
#include "events/log.h"
#include "glossary/seed.h"
#include "support/sweep.h"
#include "support/test.h"

static int warm_up(void **state);
#define T(name) UNIT_TEST_OF(name, warm_up, NULL, NULL)

static const char yaml[] = "a: &x {b: [1, two, 0x1F], c: \"quo\\u0000ted\"}\n"
                           "d: *x\n"
                           "k1: 1\nk2: 1\nk3: 1\nk4: 1\nk5: 1\nk6: 1\nk7: 1\nk8: 1\nk9: 1\n"
                           "k10: 1\nk11: 1\nk12: 1\nk13: 1\nk14: 1\nk15: 1\nk16: 1\nk17: 1\n"
                           "e: |\n  block\n  text\n";
static const char json[] = "{\"a\": [1, \"esc\\naped\", {\"b\": null}], \"c\": \"d\"}";

static void sweep_document(const char *path, const char *text, size_t len)
{
        pawl__document document;

        for (sweep s = {.least = 5}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                memset(&document, 0x5a, sizeof document);
                const pawl__document before = document;
                sweep_arm(&s);
                if (sweep_done(&s, pawl__document_parse(&document, path, text, len, &err), &err))
                        pawl__document_free(&document);
                else
                        assert_memory_equal(&document, &before, sizeof document);
        }
}

T(a_yaml_file_survives_any_failed_allocation)
{
        sweep_document("a.yaml", yaml, sizeof yaml - 1);
}

T(a_json_file_survives_any_failed_allocation)
{
        sweep_document("a.json", json, sizeof json - 1);
}

T(a_seed_survives_any_failed_allocation)
{
        static const char text[] =
                "terms:\n- {surface: Work spaces, definition: A place.}\n"
                "- {surface: fence, definition: A number., status: draft,\n"
                "   aliases: [fencing], see_also: [a], synonyms_to_avoid: [b]}\n";
        char *directory = directory_make(), *path = path_in(directory, "seed.yaml");

        file_write(path, text, sizeof text - 1);
        for (sweep s = {.least = 5}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__seed seed;
                sweep_arm(&s);
                if (sweep_done(&s, pawl__seed_load(&seed, path, PAWL__CORE, NULL, &err), &err))
                        pawl__seed_free(&seed);
        }
}

T(an_event_of_a_sense_survives_any_failed_allocation)
{
        const pawl__sense sense = {.surface = pawl__text("fence"),
                .normal = pawl__text("fence"),
                .definition = pawl__text("A number."),
                .scope = PAWL__CORE,
                .confidence = 1};
        const pawl_event like = {.actor = pawl__text("user:ana")};

        for (sweep s = {0}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                pawl__batch batch = PAWL__BATCH_INIT;
                sweep_arm(&s);
                const pawl_status status = pawl__sense_updated(
                        &batch, &sense, pawl__text("v"), "import", false, &like, &err);
                const bool ok = sweep_done(&s, status, &err);
                assert_int_equal(ok, !s.failed);
                assert_int_equal(batch.n, s.failed ? 0 : 1);
                pawl__batch_free(&batch);
        }
}

/* OpenSSL keeps what it fetched first: that is no leak. */
static int warm_up(void **state)
{
        pawl__document document;
        pawl_error err = PAWL_ERROR_INIT;

        (void)state;
        if (pawl__document_parse(&document, "a.yaml", yaml, sizeof yaml - 1, &err))
                return -1;
        pawl__document_free(&document);
        return 0;
}

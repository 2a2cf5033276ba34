/* Versions of a seed that rest on earlier ones: what they append, and what holds in each. */
#include "events/log.h"
#include "glossary/seed.h"
#include "support/replay_json.h"
#include "support/sweep.h"
#include "support/test.h"

enum { TERMS = 24, EDITS = 60 };

struct fixture {
        char *directory, *path;
        pawl_log *log;
        pawl__state *state;
        pawl_error err;
        uint64_t random;
        /* the file: 0 confidence is a term that is not there */
        struct term {
                int confidence, meaning;
        } terms[TERMS];
        size_t edits;
        struct version {
                char id[65];
                char *senses; /* what it holds, as lines */
                size_t n;
        } versions[EDITS + 1];
        size_t n_versions;
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
        for (size_t i = 0; i < TERMS; i++)
                f->terms[i] = (struct term){1 + (int)i % 9, 0};
        f->random = 20261122;
        *state = f;
        return 0;
}

static int teardown(void **state)
{
        struct fixture *f = *state;

        pawl_log_close(f->log);
        return 0;
}

#define VERSIONS_TEST(name) UNIT_TEST_WITH(name, struct fixture *f, setup, teardown)

static unsigned draw(struct fixture *f, unsigned n)
{
        f->random = f->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        return (unsigned)(f->random >> 33) % n;
}

static uint64_t head(struct fixture *f)
{
        unsigned char hash[32];
        uint64_t seq = 0;

        assert_ok(pawl_log_head(&seq, hash, f->log));
        return seq;
}

static int by_text(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines in the order of their texts. */
static char *sorted(char *text, size_t *n)
{
        char *lines[TERMS * 4], *out = test_alloc(strlen(text) + 1), *save = NULL;

        *n = 0;
        for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
                lines[(*n)++] = line;
        qsort(lines, *n, sizeof *lines, by_text);
        for (size_t i = 0; i < *n; i++)
                strcat(strcat(out, lines[i]), "\n");
        return out;
}

/* Write the file and activate it; remember what it holds. */
static pawl_status activate(struct fixture *f)
{
        pawl__buf yaml = PAWL__BUF_INIT, senses = PAWL__BUF_INIT;
        pawl__batch batch = PAWL__BATCH_INIT;
        const pawl_event like = {.time_us = 1};
        pawl__seed seed;

        assert_ok(pawl__buf_addf(&yaml, "# edit %zu\nterms:\n", f->edits++));
        for (size_t i = 0; i < TERMS; i++) {
                const struct term *t = &f->terms[i];
                if (!t->confidence)
                        continue;
                assert_ok(pawl__buf_addf(&yaml,
                        "  - {surface: term%zu, definition: meaning %d, "
                        "confidence: 0.%d}\n",
                        i, t->meaning, t->confidence));
                assert_ok(pawl__buf_addf(
                        &senses, "term%zu meaning %d 0.%d\n", i, t->meaning, t->confidence));
        }
        if (!senses.data) {
                yaml.len -= 1;
                assert_ok(pawl__buf_adds(&yaml, " []\n"));
                assert_ok(pawl__buf_adds(&senses, "\n"));
        }
        file_write(f->path, yaml.data, yaml.len);
        assert_ok(pawl__seed_load(&seed, f->path, PAWL__TEAM_DOMAIN, NULL, &f->err));
        pawl_status status = pawl__seed_activate(&batch, &seed, f->state, &like, &f->err);
        if (!status)
                status = pawl__log_commit(f->log, &batch, 0, NULL);
        if (!status) {
                struct version *v = &f->versions[f->n_versions++];
                strcpy(v->id, seed.version_id);
                v->senses = sorted(test_take(&senses), &v->n);
        }
        pawl__buf_free(&senses);
        pawl__buf_free(&yaml);
        pawl__batch_free(&batch);
        pawl__seed_free(&seed);
        return status;
}

static pawl_status add_line(const pawl__row *row, void *user, pawl_error *err)
{
        const pawl__value *v = row->v;

        (void)err;
        return pawl__buf_addf(user, "%.*s %.*s %.1f\n", (int)v[PAWL__SENSE_SURFACE].text.len,
                v[PAWL__SENSE_SURFACE].text.data, (int)v[PAWL__SENSE_DEFINITION].text.len,
                v[PAWL__SENSE_DEFINITION].text.data, v[PAWL__SENSE_CONFIDENCE].real);
}

/* The version holds what its file held. The cost of reading it. */
static size_t check_version(struct fixture *f, const struct version *v)
{
        const pawl__scope_ref ref = {pawl__text("team_domain"), pawl__text(v->id)};
        pawl__buf found = PAWL__BUF_INIT;
        size_t cost = 0, n;

        assert_ok(pawl__state_senses(
                &cost, f->state, pawl__text(NULL), &ref, 1, add_line, &found, &f->err));
        assert_string_equal(sorted(test_take(&found), &n), v->senses);
        return cost;
}

/* What `replay --json` says is in force. */
static void check_replay(struct fixture *f, const struct version *v)
{
        pawl__store *store;
        unsigned char hash[32];
        uint64_t seq;
        pawl__buf json = PAWL__BUF_INIT;
        size_t n = 0;

        assert_ok(pawl__replay_check(f->log, &f->err));
        assert_ok(pawl__replay(&store, &seq, hash, f->log, NULL, &f->err));
        assert_ok(replay_json(&json, store, f->log, seq, hash, &f->err));
        for (const char *at = json.data; (at = strstr(at, "\"surface\":\"term")); at++)
                n++;
        assert_int_equal(n, v->n);
        assert_null(strstr(json.data, "\"removed\""));
        pawl__buf_free(&json);
        store->free(store);
}

/* Of the file, as people edit: *changes counts what a reader would call different. */
static void edit(struct fixture *f, size_t *changes)
{
        for (unsigned i = 0, n = draw(f, 3); i < n; i++) {
                struct term *t = &f->terms[draw(f, TERMS)];
                switch (draw(f, 3)) {
                case 0:
                        t->confidence = t->confidence ? 0 : 5;
                        break;
                case 1:
                        t->confidence = t->confidence ? 1 + t->confidence % 9 : 0;
                        break;
                default:
                        t->meaning++;
                }
                *changes += 2; /* an other meaning is one sense less and one more */
        }
}

VERSIONS_TEST(each_version_holds_what_its_file_held)
{
        size_t changes = TERMS, most = 0;

        assert_ok(activate(f));
        for (int i = 0; i < EDITS; i++) {
                edit(f, &changes);
                assert_ok(activate(f));
                for (size_t v = 0; v < f->n_versions; v++) {
                        const size_t cost = check_version(f, &f->versions[v]);
                        most = cost > most ? cost : most;
                }
        }
        check_replay(f, &f->versions[f->n_versions - 1]);
        /* reading costs no more than was promised, and what is told anew was paid for before */
        assert_true(most <= 2 * TERMS + 64 + 2 * 8);
        assert_true(
                head(f) <= (EDITS + 1) + changes + TERMS * (EDITS * 8 + changes) / (TERMS + 64));
        /* and anew, from the events alone */
        assert_ok(pawl__state_rebuild(f->log, &f->err));
        for (size_t v = 0; v < f->n_versions; v++)
                check_version(f, &f->versions[v]);
}

VERSIONS_TEST(one_edit_is_one_event_beside_its_version)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        assert_ok(activate(f));
        assert_int_equal(head(f), 1 + TERMS);
        f->terms[3].confidence = 1;
        assert_ok(activate(f));
        assert_int_equal(head(f), 1 + TERMS + 2);
        f->terms[4].confidence = 0;
        assert_ok(activate(f));
        assert_int_equal(head(f), 1 + TERMS + 2 + 1);
        assert_ok(pawl__log_event(&event, &arena, f->log, head(f)));
        assert_says(event.payload.data,
                "\"removed\":[{\"definition\":\"meaning 0\",\"normal\":\"term4\"}]");
        assert_says(event.payload.data, "\"base_version_id\":\"");
        pawl__arena_free(&arena);
        for (size_t v = 0; v < 3; v++)
                check_version(f, &f->versions[v]);
        check_replay(f, &f->versions[2]);
}

VERSIONS_TEST(a_file_that_is_another_is_told_whole)
{
        assert_ok(activate(f));
        for (size_t i = 0; i < TERMS; i++)
                f->terms[i].meaning = 7;
        assert_ok(activate(f));
        assert_int_equal(head(f), 2 * (1 + TERMS));
        memset(f->terms, 0, sizeof f->terms); /* and one of no term at all */
        assert_ok(activate(f));
        assert_int_equal(head(f), 2 * (1 + TERMS) + 1);
        for (size_t v = 0; v < 3; v++)
                check_version(f, &f->versions[v]);
        check_replay(f, &f->versions[2]);
}

static void refuses(struct fixture *f, const char *payload, pawl_status status, const char *says)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = {.type = pawl__text("GlossaryScopeActivated"),
                .payload = pawl__text(payload),
                .time_us = 1};
        const uint64_t before = head(f);

        assert_ok(pawl__batch_event(&batch, &event, &f->err));
        assert_int_equal(pawl__log_commit(f->log, &batch, 0, NULL), status);
        assert_says(pawl_log_errmsg(f->log), says);
        assert_int_equal(head(f), before);
        pawl__batch_free(&batch);
}

VERSIONS_TEST(a_base_must_be_there)
{
        char payload[400];

        assert_ok(activate(f));
        const char *first = f->versions[0].id;
        refuses(f,
                "{\"scope_id\":\"team_domain\",\"glossary_version_id\":\"b\","
                "\"base_version_id\":\"a\"}",
                PAWL_ESTATE, "payload.base_version_id: names a version that was not there");
        snprintf(payload, sizeof payload,
                "{\"scope_id\":\"core\",\"glossary_version_id\":\"b\",\"base_version_id\":\"%s\"}",
                first);
        refuses(f, payload, PAWL_ESTATE, "payload.base_version_id: names a version");
        snprintf(payload, sizeof payload,
                "{\"scope_id\":\"team_domain\",\"glossary_version_id\":\"%s\","
                "\"base_version_id\":\"%s\"}",
                first, first);
        refuses(f, payload, PAWL_ESTATE, "payload.base_version_id: names a version that was not");
        snprintf(payload, sizeof payload,
                "{\"scope_id\":\"team_domain\",\"glossary_version_id\":\"b\","
                "\"base_version_id\":\"%s\",\"removed\":[{\"normal\":\"x\"}]}",
                first);
        refuses(f, payload, PAWL_EINVAL, "payload.removed[].definition: is missing");
        snprintf(payload, sizeof payload,
                "{\"scope_id\":\"team_domain\",\"glossary_version_id\":\"b\","
                "\"base_version_id\":\"%s\",\"removed\":7}",
                first);
        refuses(f, payload, PAWL_EINVAL, "payload.removed: is no array");
        refuses(f,
                "{\"scope_id\":\"mission_local\",\"glossary_version_id\":\"b\","
                "\"base_version_id\":\"a\"}",
                PAWL_EINVAL, "payload.base_version_id: is there, but a version of mission_local");
        refuses(f, "{\"scope_id\":\"core\",\"glossary_version_id\":\"b\",\"base_version_id\":7}",
                PAWL_EINVAL, "payload.base_version_id: is no text");
        check_version(f, &f->versions[0]);
}

VERSIONS_TEST(without_memory_nothing_is_written)
{
        size_t n = 0;

        assert_ok(activate(f));
        f->terms[2].meaning = 5;
        assert_ok(activate(f));
        const pawl__scope_ref ref = {pawl__text("team_domain"), pawl__text(f->versions[1].id)};
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                pawl__buf found = PAWL__BUF_INIT;
                assert_ok(pawl__buf_add(&found, "", 0));
                sweep_arm(&s);
                (void)sweep_done(&s,
                        pawl__state_senses(
                                &n, f->state, pawl__text(NULL), &ref, 1, add_line, &found, &f->err),
                        &f->err);
                pawl__buf_free(&found);
        }
}

/*
 * Any bytes as a seed file; the first one decides YAML or JSON. What is refused is refused on one
 * line that names the file and the line. What is read can be added to a glossary and found in text,
 * and becomes events that are of their form and mean the same senses.
 */
#include "base/json_canon.h"
#include "events/types.h"
#include "fuzz/fuzzing.h"
#include "glossary/seed.h"
#include "state/apply.h"
#include "support/glossary_find.h"
#include "support/scratch.h"
#include "support/test.h"

static const pawl_event like = {.time_us = INT64_C(1795178100000000),
        .mission_id = {"mission-1", 9},
        .actor = {"user:ana", 8}};

/* ---- As a glossary --------------------------------------------------------------------------- */

static pawl_status count_match(const glossary_match *match, void *user)
{
        require(match->start < match->end);
        ++*(size_t *)user;
        return PAWL_OK;
}

static void check_glossary(const pawl__seed *seed)
{
        pawl__glossary *glossary;
        size_t matches = 0;

        require(pawl__glossary_new(&glossary, NULL) == PAWL_OK);
        for (size_t i = 0; i < seed->n; i++) {
                const pawl__sense *sense = &seed->senses[i];
                require(sense->surface.len && sense->normal.len && sense->definition.len);
                require(sense->confidence >= 0 && sense->confidence <= 1);
                require(pawl__glossary_add(glossary, sense, NULL) == PAWL_OK);
        }
        require(pawl__glossary_count(glossary) <= seed->n);
        for (size_t i = 0; i < seed->n && i < 8; i++)
                require(glossary_find(glossary, seed->senses[i].definition, count_match, &matches,
                                NULL) == PAWL_OK);
        pawl__glossary_free(glossary);
}

/* ---- As events ------------------------------------------------------------------------------- */

static pawl_status count_row(const pawl__row *row, void *user, pawl_error *err)
{
        (void)err;
        require(row->v[PAWL__SENSE_SURFACE].text.len && row->v[PAWL__SENSE_DEFINITION].text.len);
        ++*(size_t *)user;
        return PAWL_OK;
}

static void apply_event(pawl__applier *applier, const pawl_event *event, uint64_t seq)
{
        pawl__buf payload = PAWL__BUF_INIT;
        pawl_event appended = *event;

        require(pawl__json_canon(&payload, event->payload.data, event->payload.len, NULL) ==
                PAWL_OK);
        appended.seq = seq;
        appended.payload = pawl__buf_text(&payload);
        require(pawl__apply(applier, &appended, NULL) == PAWL_OK);
        pawl__buf_free(&payload);
}

static void check_events(const pawl__seed *seed)
{
        pawl__applier applier = {.store = NULL};
        pawl__batch batch = PAWL__BATCH_INIT;
        size_t rows = 0;

        require(pawl__store_memory(&applier.store, NULL) == PAWL_OK);
        for (size_t i = 0; i < seed->n; i++)
                require(pawl__sense_updated(&batch, &seed->senses[i], pawl__text(seed->version_id),
                                "seed_file", false, &like, NULL) == PAWL_OK);
        for (size_t i = 0; i < batch.n; i++)
                apply_event(&applier, &batch.events[i], i + 1);
        require(applier.store->each(applier.store, PAWL__SENSES, count_row, &rows, NULL) ==
                PAWL_OK);
        require(rows == seed->n);
        applier.store->free(applier.store);
        pawl__json_tree_free(&applier.tree);
        pawl__arena_free(&applier.arena);
        pawl__batch_free(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static char *paths[2];
        pawl_error err = PAWL_ERROR_INIT;
        pawl__seed seed;

        if (size == 0)
                return 0;
        if (!paths[0]) {
                paths[0] = path_in(scratch_directory(), "s.yaml");
                paths[1] = path_in(scratch_directory(), "s.json");
        }
        const char *path = paths[data[0] == '{'];
        scratch_write(path, data + 1, size - 1);
        const pawl_status status =
                pawl__seed_load(&seed, path, (pawl__scope)(data[0] % PAWL__SCOPES_N), NULL, &err);
        if (status) {
                require_message(&err, status);
                require(strncmp(err.message, path, strlen(path)) == 0);
                require(strncmp(err.message + strlen(path), ": line ", 7) == 0);
                return 0;
        }
        check_glossary(&seed);
        check_events(&seed);
        pawl__seed_free(&seed);
        return 0;
}

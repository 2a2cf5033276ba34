/* Needs PAWL_WITH_ARCHIVE. */
/*
 * Any bytes as an archive of checkpoints, or as its manifest. It is refused with one line, or it
 * holds together: the manifest that is written of it is read as the same.
 *
 * The input: a byte that says what the rest is: 0 a tar, 1 a tar compressed by Zstandard, 2 a
 * manifest.
 */
#include "base/text.h"
#include "fuzz/fuzzing.h"
#include "workspace/archive/archive_check.h"

static void require_same(const pawl__manifest *a, const pawl__manifest *b)
{
        require(a->n_checkpoints == b->n_checkpoints && a->n_contents == b->n_contents);
        for (size_t i = 0; i < a->n_checkpoints; i++)
                require(a->checkpoints[i].n == b->checkpoints[i].n &&
                        a->checkpoints[i].seq == b->checkpoints[i].seq &&
                        memcmp(a->checkpoints[i].event_hash, b->checkpoints[i].event_hash, 32) ==
                                0);
        for (size_t i = 0; i < a->n_contents; i++)
                require(a->contents[i].size == b->contents[i].size &&
                        a->contents[i].directory == b->contents[i].directory &&
                        memcmp(a->contents[i].hash, b->contents[i].hash, 32) == 0);
        require(memcmp(a->log, b->log, 32) == 0 && memcmp(a->head, b->head, 32) == 0);
        require(memcmp(a->digest, b->digest, 32) == 0 &&
                memcmp(a->events_hash, b->events_hash, 32) == 0);
        require(a->first_seq == b->first_seq && a->last_seq == b->last_seq &&
                a->events_size == b->events_size && a->head_seq == b->head_seq);
}

static void check_manifest(const pawl__manifest *carried)
{
        pawl__manifest again = {.n_contents = 0};
        pawl__buf text = PAWL__BUF_INIT;

        require(pawl__manifest_write(&text, carried, NULL) == PAWL_OK);
        require(pawl__manifest_read(&again, pawl__buf_text(&text), "again", NULL) == PAWL_OK);
        require_same(carried, &again);
        pawl__manifest_free(&again);
        pawl__buf_free(&text);
}

/* What a check that ends well has seen. */
static void check_carried(const pawl__manifest *carried)
{
        for (size_t i = 0; i < carried->n_checkpoints; i++) {
                const pawl__checkpoint_event *it = &carried->checkpoints[i];
                require(it->event.payload.data && it->event.seq == it->seq);
                require(it->n > 0 && (i == 0 || it->n > it[-1].n));
        }
        for (size_t i = 0; i < carried->n_contents; i++) {
                const pawl__object *it = &carried->contents[i];
                require(it->directory || it->file || it->document);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        bytes input = {data, size};
        pawl__manifest carried = {.n_contents = 0};
        pawl_error err = PAWL_ERROR_INIT;
        const size_t kind = take_choice(&input, 3);
        const pawl_text text = take_bytes(&input, input.left);
        const pawl__archive_source source = {.name = "input",
                .fd = -1,
                .memory = text.data,
                .len = text.len,
                .plain = kind == 0};
        const pawl_status status = kind == 2 ? pawl__manifest_read(&carried, text, "input", &err)
                                             : pawl__archive_check(&carried, &source, &err);

        if (status) {
                require(status == PAWL_EFORMAT || status == PAWL_ENEWER || status == PAWL_ETOOBIG ||
                        status == PAWL_ENOMEM);
                require_message(&err, status);
        } else {
                check_manifest(&carried);
                if (kind != 2)
                        check_carried(&carried);
        }
        pawl__manifest_free(&carried);
        return 0;
}

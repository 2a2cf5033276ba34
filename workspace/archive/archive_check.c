#include "workspace/archive/archive_check.h"
#include "base/error.h"
#include "workspace/store/contents.h"
#include "workspace/store/history.h"
#include <stdlib.h>

#define DOCUMENT_MAX ((uint64_t)64 << 20) /* bytes */

struct check {
        pawl__manifest *c;
        const pawl__archive_source *source;
        pawl__archive_reader *reader;
        pawl__hasher *hasher;
        pawl__chain_excerpt_reader excerpt;
        pawl__object_set objects;
        pawl__map places;       /* of the manifest's contents, by hash */
        pawl_text *directories; /* their encodings, in the manifest's order */
        size_t n_directories;
        pawl__buf text; /* of the member that is read whole */
        pawl_error *err;
};

void pawl__content_name(char out[PAWL__CONTENT_NAME], const unsigned char hash[32])
{
        memcpy(out, "contents/", 9);
        pawl__hex(out + 9, hash, 32);
}

static pawl_status refuse(struct check *k, const char *name, const char *what)
{
        return pawl__archive_refuse(k->err, k->source->name, "%s %s", name, what);
}

/* ---- Members --------------------------------------------------------------------------------- */

static pawl_status to_hash(const void *data, size_t len, void *user, pawl_error *err)
{
        return pawl__hasher_add(user, data, len) ? pawl__nomem(err) : PAWL_OK;
}

static pawl_status to_excerpt(const void *data, size_t len, void *user, pawl_error *err)
{
        struct check *k = user;

        if (pawl__hasher_add(k->hasher, data, len))
                return pawl__nomem(err);
        return pawl__chain_excerpt_take(data, len, &k->excerpt, err);
}

/* The next member has this name and this size. */
static pawl_status next(struct check *k, const char *name, uint64_t size)
{
        uint64_t found;
        pawl_status status = pawl__archive_next(k->reader, name, &found, k->err);

        if (!status && found != size)
                status = refuse(k, name, "is of another size than the manifest says");
        return status;
}

static pawl_status is_hash(struct check *k, const unsigned char hash[32], const char *name)
{
        unsigned char found[32];

        if (pawl__hasher_end(k->hasher, found))
                return pawl__nomem(k->err);
        return memcmp(found, hash, 32) == 0 ? PAWL_OK
                                            : refuse(k, name, "is not what its hash says");
}

static pawl_status check_manifest(struct check *k)
{
        uint64_t size;
        pawl_status status = pawl__archive_next(k->reader, "manifest.json", &size, k->err);

        if (!status && size > PAWL__ARCHIVE_MANIFEST_MAX)
                status = pawl__fail(k->err, PAWL_ETOOBIG,
                        "%.200s: its manifest is larger than 192 MiB; export fewer checkpoints",
                        k->source->name);
        if (!status)
                status =
                        pawl__archive_take(k->reader, size, pawl__content_to_buf, &k->text, k->err);
        if (!status)
                status = pawl__manifest_read(
                        k->c, pawl__buf_text(&k->text), k->source->name, k->err);
        pawl__buf_free(&k->text);
        return status;
}

static pawl_status check_events(struct check *k)
{
        k->excerpt.manifest = k->c;
        k->excerpt.name = k->source->name;
        pawl_status status = pawl__hasher_new(&k->excerpt.hasher, k->err);
        if (!status)
                status = next(k, "events.jsonl", k->c->events_size);
        if (!status)
                status = pawl__hasher_begin(k->hasher, k->err);
        if (!status)
                status = pawl__archive_take(k->reader, k->c->events_size, to_excerpt, k, k->err);
        if (!status)
                status = is_hash(k, k->c->events_hash, "events.jsonl");
        return status ? status : pawl__chain_excerpt_end(&k->excerpt, k->err);
}

/* ---- Directories, and what they say must be there
 * ------------------------------------------------ */

static pawl_status place_contents(struct check *k)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < k->c->n_contents && !status; i++)
                status = pawl__map_put(&k->places,
                        pawl__text_n((const char *)k->c->contents[i].hash, 32), (uint32_t)i);
        return status ? pawl__nomem(k->err) : PAWL_OK;
}

/* A content that is held in memory, verified, its text in k->text. */
static pawl_status read_whole(struct check *k, const pawl__object *content)
{
        char name[PAWL__CONTENT_NAME];
        unsigned char found[32];

        pawl__content_name(name, content->hash);
        pawl__buf_clear(&k->text);
        pawl_status status = next(k, name, content->size);
        if (!status)
                status = pawl__archive_take(
                        k->reader, content->size, pawl__content_to_buf, &k->text, k->err);
        if (!status)
                status = pawl__sha256(
                        k->hasher, found, pawl__buf_text(&k->text).data, k->text.len, k->err);
        if (!status && memcmp(found, content->hash, 32) != 0)
                status = refuse(k, name, "is not what its hash says");
        return status;
}

static pawl_status check_directories(struct check *k)
{
        pawl__manifest *c = k->c;
        pawl_status status = PAWL_OK;
        bool ok = true;

        while (k->n_directories < c->n_contents && c->contents[k->n_directories].directory)
                k->n_directories++;
        k->directories = pawl__arena_array(&c->arena, k->n_directories + 1, sizeof *k->directories);
        if (!k->directories)
                return pawl__nomem(k->err);
        for (size_t i = 0; i < k->n_directories && !status; i++) {
                status = read_whole(k, &c->contents[i]);
                if (!status)
                        k->directories[i] =
                                pawl__arena_text(&c->arena, pawl__buf_text(&k->text), &ok);
                if (!status && !ok)
                        status = pawl__nomem(k->err);
        }
        return status;
}

static pawl_status get_directory(
        pawl__buf *out, const unsigned char hash[32], void *user, pawl_error *err)
{
        struct check *k = user;
        const uint32_t at = pawl__map_get(&k->places, pawl__text_n((const char *)hash, 32));
        char name[PAWL__CONTENT_NAME];

        if (at == PAWL__MAP_NONE || at >= k->n_directories) {
                pawl__content_name(name, hash);
                return pawl__archive_refuse(err, k->source->name,
                        "%s is a directory of a tree, and not in its manifest", name);
        }
        return pawl__buf_add(out, k->directories[at].data, k->directories[at].len)
                       ? pawl__nomem(err)
                       : PAWL_OK;
}

static pawl_status hold_document(
        struct check *k, bool there, const unsigned char hash[32], bool history)
{
        char name[PAWL__CONTENT_NAME];

        if (!there)
                return PAWL_OK;
        pawl__content_name(name, hash);
        const uint32_t at = pawl__map_get(&k->places, pawl__text_n((const char *)hash, 32));
        if (at == PAWL__MAP_NONE)
                return refuse(k, name, "is a document of a checkpoint, and not in its manifest");
        if (k->c->contents[at].size > DOCUMENT_MAX)
                return pawl__fail(k->err, PAWL_ETOOBIG,
                        "%.200s: %s, a document, is larger than 64 MiB; make it smaller",
                        k->source->name, name);
        return pawl__object_set_document(
                &k->objects, hash, k->c->contents[at].size, history, k->err);
}

static pawl_status hold_checkpoint(struct check *k, const pawl__checkpoint_event *it)
{
        const pawl__directories directories = {get_directory, k};
        pawl_error why = PAWL_ERROR_INIT;
        pawl__tree_sums sums;
        pawl_status status =
                pawl__object_set_tree(&k->objects, &sums, it->tree, &directories, &why);

        /* what the trees themselves are wrong about names no archive yet */
        if (status == PAWL_EDAMAGED || status == PAWL_ETOOBIG || status == PAWL_ENEWER)
                return pawl__archive_refuse(k->err, k->source->name, "checkpoint %llu: %.200s",
                        (unsigned long long)it->n, why.message);
        if (status) {
                if (k->err)
                        *k->err = why;
                return status;
        }
        if (sums.files != it->files || sums.bytes != it->bytes)
                return pawl__archive_refuse(k->err, k->source->name,
                        "checkpoint %llu has other files than its event counts",
                        (unsigned long long)it->n);
        status = hold_document(k, it->has_state, it->state, false);
        if (!status)
                status = hold_document(k, it->has_history, it->history, true);
        return status ? status : hold_document(k, it->has_outputs, it->outputs, false);
}

/* What the checkpoints need is what the manifest lists: no more, no less. */
static pawl_status check_holdings(struct check *k)
{
        pawl__manifest *c = k->c;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < c->n_checkpoints && !status; i++)
                status = hold_checkpoint(k, &c->checkpoints[i]);
        if (status)
                return status;
        pawl__object_set_sort(&k->objects);
        bool same = k->objects.n == c->n_contents;
        for (size_t i = 0; i < k->objects.n && same; i++) {
                const pawl__object *a = &k->objects.list[i], *b = &c->contents[i];
                same = a->size == b->size && a->directory == b->directory &&
                       memcmp(a->hash, b->hash, 32) == 0;
                c->contents[i].file = a->file;
                c->contents[i].document = a->document;
                c->contents[i].history = a->history;
        }
        return same ? PAWL_OK
                    : refuse(k, "its manifest lists other contents than its checkpoints %s",
                              "have");
}

/* ---- Files and documents --------------------------------------------------------------------- */

/* As pawl_json_canonical() writes it: that is how a log keeps it, and readers rely on it. */
static pawl_status check_document(struct check *k, const pawl__object *content)
{
        char name[PAWL__CONTENT_NAME], *canonical = NULL;
        size_t len = 0;
        const pawl_text text = pawl__buf_text(&k->text);
        pawl_status status = pawl_json_canonical(&canonical, &len, text.data, text.len, NULL);

        if (status == PAWL_ENOMEM)
                return pawl__nomem(k->err);
        const bool same = !status && pawl__text_eq(text, pawl__text_n(canonical, len));
        pawl_free(canonical);
        pawl__content_name(name, content->hash);
        if (!same)
                return refuse(k, name, "is a document, and no canonical JSON");
        if (!content->history)
                return PAWL_OK;
        pawl__buf state = PAWL__BUF_INIT;
        status = pawl__history_state(&state, text, UINT64_MAX, NULL);
        pawl__buf_free(&state);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(k->err);
        return status ? refuse(k, name, "is not the history of a run") : PAWL_OK;
}

static pawl_status check_content(struct check *k, const pawl__object *content)
{
        char name[PAWL__CONTENT_NAME];
        pawl_status status;

        if (content->document) {
                status = read_whole(k, content);
                return status ? status : check_document(k, content);
        }
        pawl__content_name(name, content->hash);
        status = next(k, name, content->size);
        if (!status)
                status = pawl__hasher_begin(k->hasher, k->err);
        if (!status)
                status = pawl__archive_take(k->reader, content->size, to_hash, k->hasher, k->err);
        return status ? status : is_hash(k, content->hash, name);
}

static pawl_status check_all(struct check *k)
{
        unsigned char digest[32];
        pawl_status status = check_manifest(k);

        if (!status)
                status = check_events(k);
        if (!status)
                status = pawl__manifest_digest(digest, k->c, k->err);
        if (!status && memcmp(digest, k->c->digest, 32) != 0)
                status = refuse(k, "manifest.json", "has another digest than its checkpoints");
        if (!status)
                status = place_contents(k);
        if (!status)
                status = check_directories(k);
        if (!status)
                status = check_holdings(k);
        for (size_t i = 0; i < k->n_directories && !status; i++) {
                if (!k->c->contents[i].document)
                        continue; /* a directory's encoding is no JSON */
                status = refuse(k, "a content", "is both a directory and a document");
        }
        for (size_t i = k->n_directories; i < k->c->n_contents && !status; i++)
                status = check_content(k, &k->c->contents[i]);
        return status ? status : pawl__archive_end(k->reader, k->err);
}

pawl_status pawl__archive_check(
        pawl__manifest *out, const pawl__archive_source *source, pawl_error *err)
{
        struct check k = {.c = out, .source = source, .err = err};
        pawl_status status = pawl__hasher_new(&k.hasher, err);

        if (!status)
                status = pawl__archive_open(&k.reader, source, err);
        if (!status)
                status = check_all(&k);
        pawl__archive_reader_free(k.reader);
        pawl__hasher_free(k.hasher);
        pawl__chain_excerpt_free(&k.excerpt);
        pawl__object_set_free(&k.objects);
        pawl__map_free(&k.places);
        pawl__buf_free(&k.text);
        return status;
}

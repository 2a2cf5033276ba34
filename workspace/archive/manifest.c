#include "workspace/archive/manifest.h"
#include "base/error.h"
#include "base/json_write.h"
#include "workspace/archive/archive_read.h"
#include <inttypes.h>
#include <stdlib.h>

void pawl__manifest_free(pawl__manifest *c)
{
        pawl__arena_free(&c->arena);
        free(c->contents);
        *c = (pawl__manifest){.n_contents = 0};
}

static const unsigned char none[32];

pawl_status pawl__manifest_digest(unsigned char out[32], const pawl__manifest *c, pawl_error *err)
{
        pawl__hasher *hasher;
        pawl_status status = pawl__hasher_new(&hasher, err);

        if (status)
                return status;
        status = pawl__hasher_begin(hasher, err);
        for (size_t i = 0; i < c->n_checkpoints && !status; i++) {
                const pawl__checkpoint_event *it = &c->checkpoints[i];
                const unsigned char *state = it->has_state     ? it->state
                                             : it->has_history ? it->history
                                                               : none;
                if (pawl__hasher_add(hasher, it->tree, 32) || pawl__hasher_add(hasher, state, 32) ||
                        pawl__hasher_add(hasher, it->has_outputs ? it->outputs : none, 32))
                        status = pawl__nomem(err);
        }
        if (!status && pawl__hasher_end(hasher, out))
                status = pawl__nomem(err);
        pawl__hasher_free(hasher);
        return status;
}

/* ---- Writing the manifest -------------------------------------------------------------------- */

static void add_count(pawl__json_writer *w, const char *name, uint64_t value)
{
        pawl__json_member_integer(w, name, (int64_t)value);
}

static void write_checkpoints(pawl__json_writer *w, const pawl__manifest *c)
{
        pawl__json_name(w, "checkpoints");
        pawl__json_open_array(w);
        for (size_t i = 0; i < c->n_checkpoints; i++) {
                pawl__json_open_object(w);
                pawl__json_member_hash(w, "event", c->checkpoints[i].event_hash);
                if (c->checkpoints[i].in_manifest)
                        pawl__json_member_hash(w, "history", c->checkpoints[i].history);
                add_count(w, "n", c->checkpoints[i].n);
                add_count(w, "seq", c->checkpoints[i].seq);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void write_contents(pawl__json_writer *w, const pawl__manifest *c)
{
        pawl__json_name(w, "contents");
        pawl__json_open_array(w);
        for (size_t i = 0; i < c->n_contents; i++) {
                pawl__json_open_object(w);
                if (c->contents[i].directory)
                        pawl__json_member_bool(w, "folder", true);
                pawl__json_member_hash(w, "hash", c->contents[i].hash);
                add_count(w, "size", c->contents[i].size);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* What has no history is of the form that the first programs read. */
static int version_of(const pawl__manifest *c)
{
        for (size_t i = 0; i < c->n_checkpoints; i++)
                if (c->checkpoints[i].in_manifest)
                        return PAWL__ARCHIVE_VERSION;
        return 1;
}

/* Members in the alphabet's order: the text is canonical. */
pawl_status pawl__manifest_write(pawl__buf *out, const pawl__manifest *c, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        write_checkpoints(&w, c);
        write_contents(&w, c);
        pawl__json_member_hash(&w, "digest", c->digest);
        pawl__json_name(&w, "events");
        pawl__json_open_object(&w);
        add_count(&w, "first", c->first_seq);
        pawl__json_member_hash(&w, "hash", c->events_hash);
        add_count(&w, "last", c->last_seq);
        add_count(&w, "size", c->events_size);
        pawl__json_close_object(&w);
        pawl__json_member_string(&w, "format", "pawl checkpoints");
        pawl__json_name(&w, "log");
        pawl__json_open_object(&w);
        pawl__json_member_hash(&w, "first", c->log);
        pawl__json_member_hash(&w, "head", c->head);
        add_count(&w, "seq", c->head_seq);
        pawl__json_close_object(&w);
        pawl__json_member_integer(&w, "version", version_of(c));
        pawl__json_close_object(&w);
        pawl_status status = pawl__json_end_writer(&w);
        if (status || pawl__buf_add(out, w.buf.data, w.buf.len) || pawl__buf_addc(out, '\n'))
                status = pawl__nomem(err);
        pawl__json_writer_free(&w);
        return status;
}

/* ---- Reading it ------------------------------------------------------------------------------ */

struct reading {
        pawl__manifest *c;
        const pawl__json_tree *tree;
        const char *name;
        pawl_error *err;
};

static pawl_status wrong(const struct reading *r, const char *what)
{
        return pawl__archive_refuse(
                r->err, r->name, "manifest.json: %s is missing or not of its form", what);
}

static pawl_status read_checkpoints(struct reading *r)
{
        const pawl__node list = pawl__json_get(r->tree, 0, "checkpoints");
        size_t n = 0;

        if (list == PAWL__NO_NODE || pawl__json_at(r->tree, list)->type != PAWL__JSON_ARRAY ||
                pawl__json_at(r->tree, list)->count == 0)
                return wrong(r, "checkpoints");
        const size_t count = pawl__json_at(r->tree, list)->count;
        pawl__checkpoint_event *all = pawl__arena_array(&r->c->arena, count, sizeof *all);
        if (!all)
                return pawl__nomem(r->err);
        for (pawl__node at = pawl__json_first(r->tree, list); at != PAWL__NO_NODE;
                at = pawl__json_after(r->tree, list, at), n++) {
                if (!pawl__event_count_member(&all[n].n, r->tree, at, "n") ||
                        !pawl__event_count_member(&all[n].seq, r->tree, at, "seq") ||
                        !pawl__event_hash_member(all[n].event_hash, r->tree, at, "event") ||
                        !pawl__event_optional_hash(
                                &all[n].in_manifest, all[n].history, r->tree, at, "history"))
                        return wrong(r, "a checkpoint");
                if (all[n].n <= (n ? all[n - 1].n : 0) || all[n].seq <= (n ? all[n - 1].seq : 0))
                        return wrong(r, "the order of checkpoints");
        }
        r->c->checkpoints = all;
        r->c->n_checkpoints = n;
        return PAWL_OK;
}

static bool in_order(const pawl__object *a, const pawl__object *b)
{
        if (a->directory != b->directory)
                return a->directory;
        return memcmp(a->hash, b->hash, 32) < 0;
}

static pawl_status read_content(struct reading *r, pawl__node at, pawl__object *out)
{
        const pawl__node directory = pawl__json_get(r->tree, at, "folder");

        if (!pawl__event_hash_member(out->hash, r->tree, at, "hash") ||
                !pawl__event_count_member(&out->size, r->tree, at, "size"))
                return wrong(r, "a content");
        out->directory = directory != PAWL__NO_NODE;
        if (out->directory && pawl__json_at(r->tree, directory)->type != PAWL__JSON_TRUE)
                return wrong(r, "a content");
        return PAWL_OK;
}

static pawl_status read_contents(struct reading *r)
{
        const pawl__node list = pawl__json_get(r->tree, 0, "contents");
        uint64_t directories = 0, all = 0;
        size_t cap = 0, n = 0;

        if (list == PAWL__NO_NODE || pawl__json_at(r->tree, list)->type != PAWL__JSON_ARRAY)
                return wrong(r, "contents");
        for (pawl__node at = pawl__json_first(r->tree, list); at != PAWL__NO_NODE;
                at = pawl__json_after(r->tree, list, at), n++) {
                if (pawl__grow(&r->c->contents, &cap, n + 1, sizeof *r->c->contents))
                        return pawl__nomem(r->err);
                pawl__object *it = &r->c->contents[n];
                *it = (pawl__object){.size = 0};
                pawl_status status = read_content(r, at, it);
                if (status)
                        return status;
                if (n > 0 && !in_order(&it[-1], it))
                        return wrong(r, "the order of contents");
                if (it->size > PAWL__ARCHIVE_MAX - all ||
                        (it->directory && it->size > PAWL__ARCHIVE_DIRECTORIES_MAX - directories))
                        return pawl__fail(r->err, PAWL_ETOOBIG,
                                "%.200s: says it holds more than 64 GiB, or 256 MiB of directories; "
                                "export fewer checkpoints at a time",
                                r->name);
                all += it->size;
                directories += it->directory ? it->size : 0;
        }
        r->c->n_contents = n;
        return PAWL_OK;
}

static pawl_status read_rest(struct reading *r)
{
        const pawl__node log = pawl__json_get(r->tree, 0, "log");
        const pawl__node events = pawl__json_get(r->tree, 0, "events");
        pawl__manifest *c = r->c;

        if (!pawl__event_hash_member(c->log, r->tree, log, "first") ||
                !pawl__event_hash_member(c->head, r->tree, log, "head") ||
                !pawl__event_count_member(&c->head_seq, r->tree, log, "seq"))
                return wrong(r, "log");
        if (!pawl__event_count_member(&c->first_seq, r->tree, events, "first") ||
                !pawl__event_count_member(&c->last_seq, r->tree, events, "last") ||
                !pawl__event_count_member(&c->events_size, r->tree, events, "size") ||
                !pawl__event_hash_member(c->events_hash, r->tree, events, "hash") ||
                c->first_seq == 0 || c->first_seq > c->last_seq || c->last_seq != c->head_seq)
                return wrong(r, "events");
        if (c->events_size > PAWL__ARCHIVE_EVENTS_MAX)
                return pawl__fail(r->err, PAWL_ETOOBIG,
                        "%.200s: says it has more than 1 GiB of events; export fewer checkpoints",
                        r->name);
        return pawl__event_hash_member(c->digest, r->tree, 0, "digest") ? PAWL_OK
                                                                        : wrong(r, "digest");
}

static pawl_status read_manifest(struct reading *r)
{
        uint64_t version;

        if (!pawl__text_is(pawl__json_get_text(r->tree, 0, "format"), "pawl checkpoints"))
                return wrong(r, "format");
        if (!pawl__event_count_member(&version, r->tree, 0, "version") || version == 0)
                return wrong(r, "version");
        if (version > PAWL__ARCHIVE_VERSION)
                return pawl__fail(r->err, PAWL_ENEWER,
                        "%.200s: is of version %" PRIu64 " of archives; use a newer pawl", r->name,
                        version);
        pawl_status status = read_checkpoints(r);
        if (!status)
                status = read_contents(r);
        return status ? status : read_rest(r);
}

/* The tree of a text costs by its values. Those of a manifest are long, hashes most of them: one of
 * many short ones would take many times the memory. */
static bool is_dense(pawl_text text)
{
        enum { VALUES_FREE = 1 << 20, VALUE_BYTES = 16 };
        size_t commas = 0;

        for (size_t i = 0; i < text.len; i++)
                commas += text.data[i] == ',';
        return commas > VALUES_FREE + text.len / VALUE_BYTES;
}

pawl_status pawl__manifest_read(
        pawl__manifest *out, pawl_text text, const char *name, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        struct reading r = {out, &tree, name, err};
        pawl_error why = PAWL_ERROR_INIT;

        if (is_dense(text))
                return pawl__archive_refuse(
                        err, name, "manifest.json: has too many values for its size");
        pawl_status status = pawl__json_tree_read(&tree, text.data, text.len, &why);

        if (status == PAWL_ENOMEM)
                status = pawl__nomem(err);
        else if (status)
                status = pawl__archive_refuse(err, name, "manifest.json: %.200s", why.message);
        else
                status = read_manifest(&r);
        pawl__json_tree_free(&tree);
        return status;
}

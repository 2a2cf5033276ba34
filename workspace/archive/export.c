/* Checkpoints into an archive (docs/reference/checkpoint-archive.md). */
#include "base/error.h"
#include "events/own_files.h"
#include "state/state.h"
#include "workspace/archive/archive_check.h"
#include "workspace/archive/archive_write.h"
#include "workspace/store/history.h"
#include "workspace/workspace.h"
#include <pawl/workspace.h>
#include <stdlib.h>

/* A run's, up to the last of the checkpoints. */
struct history {
        bool any; /* the log has the run */
        unsigned char hash[32];
        pawl__buf text;
};

struct exporting {
        pawl_log *log;
        pawl__state *state;
        pawl__contents *contents;
        pawl__archive_writer *writer;
        pawl__manifest manifest;
        pawl__object_set objects;
        pawl__map runs; /* into histories, by id */
        struct history *histories;
        size_t n_histories, cap_histories;
        pawl__buf text;
        pawl_error *err;
};

/* ---- Which ----------------------------------------------------------------------------------- */

static pawl_status find(pawl__row *out, struct exporting *x, const char *which)
{
        pawl_status status = pawl__workspace_find(out, x->state, which, &x->manifest.arena, x->err);

        if (!status && out->v[PAWL__WCP_PRUNED_SEQ].integer != 0)
                status = pawl__fail(x->err, PAWL_ENOTFOUND,
                        "checkpoint %.100s: was pruned; take another", which);
        return status;
}

static int by_number(const void *a, const void *b)
{
        const pawl__row *first = a, *second = b;
        const int64_t x = first->v[PAWL__WCP_N].integer, y = second->v[PAWL__WCP_N].integer;

        return (x > y) - (x < y);
}

/* Those named, each once, by number; without names all that are valid and no safety copy. */
static pawl_status choose(
        pawl__row **out, size_t *n, struct exporting *x, const char *const *which, size_t n_which)
{
        pawl__row *rows = NULL;
        size_t count = 0, kept = 0;
        pawl_status status = PAWL_OK;

        if (n_which == 0) {
                status = pawl__state_workspace_all(
                        &rows, &count, x->state, &x->manifest.arena, x->err);
        } else {
                rows = pawl__arena_array(&x->manifest.arena, n_which, sizeof *rows);
                if (!rows)
                        return pawl__nomem(x->err);
                for (; count < n_which && !status; count++)
                        status = find(&rows[count], x, which[count]);
                if (!status)
                        qsort(rows, count, sizeof *rows, by_number);
        }
        for (size_t i = 0; i < count && !status; i++) {
                const pawl__value *v = rows[i].v;
                const bool wanted = n_which > 0
                                            ? kept == 0 || by_number(&rows[kept - 1], &rows[i]) != 0
                                            : (v[PAWL__WCP_INVALID_SEQ].integer == 0 ||
                                                      pawl__row_given_up(&rows[i])) &&
                                                      v[PAWL__WCP_PRUNED_SEQ].integer == 0 &&
                                                      v[PAWL__WCP_SAFETY].integer == 0;
                if (wanted)
                        rows[kept++] = rows[i];
        }
        if (!status && kept == 0)
                return pawl__fail(x->err, PAWL_ENOTFOUND,
                        "export: the log has no checkpoint; take one with `pawl checkpoint`");
        *out = rows;
        *n = kept;
        return status;
}

/* ---- What is carried ------------------------------------------------------------------------- */

static pawl_status hold_document(struct exporting *x, bool there, const unsigned char hash[32])
{
        if (!there)
                return PAWL_OK;
        pawl__buf_clear(&x->text);
        pawl_status status =
                pawl__log_failed(x->log, pawl__log_blob(&x->text, x->log, hash), x->err);
        return status ? status
                      : pawl__object_set_document(&x->objects, hash, x->text.len, false, x->err);
}

/* The state of a run's checkpoint is what its events say, which the other log will not have. */
static bool has_run_state(const pawl__row *row)
{
        return !row->v[PAWL__WCP_STATE_HASH].text.data && row->v[PAWL__WCP_RUN].text.data;
}

static pawl_status add_history(struct exporting *x, const pawl__row *row)
{
        const pawl_text run_id = row->v[PAWL__WCP_RUN].text;

        if (pawl__grow(
                    &x->histories, &x->cap_histories, x->n_histories + 1, sizeof *x->histories) ||
                pawl__map_put(&x->runs, run_id, (uint32_t)x->n_histories))
                return pawl__nomem(x->err);
        struct history *h = &x->histories[x->n_histories++];
        *h = (struct history){.any = false};
        pawl_status status = pawl__run_history(
                &h->text, x->state, run_id, (uint64_t)row->v[PAWL__WCP_SEQ].integer, x->err);
        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        h->any = true;
        return pawl__sha256(pawl__log_hasher(x->log), h->hash, h->text.data, h->text.len, x->err);
}

/* One a run, from its last checkpoint on back. */
static pawl_status add_histories(struct exporting *x, const pawl__row *rows, size_t n)
{
        pawl_status status = PAWL_OK;

        for (size_t i = n; i-- > 0 && !status;)
                if (has_run_state(&rows[i]) &&
                        pawl__map_get(&x->runs, rows[i].v[PAWL__WCP_RUN].text) == PAWL__MAP_NONE)
                        status = add_history(x, &rows[i]);
        return status;
}

static pawl_status hold_state(struct exporting *x, pawl__checkpoint_event *it, const pawl__row *row)
{
        if (!has_run_state(row))
                return it->has_history ? hold_document(x, true, it->history)
                                       : hold_document(x, it->has_state, it->state);
        const struct history *h =
                &x->histories[pawl__map_get(&x->runs, row->v[PAWL__WCP_RUN].text)];
        if (!h->any)
                return PAWL_OK;
        it->has_history = it->in_manifest = true;
        memcpy(it->history, h->hash, 32);
        return pawl__object_set_document(&x->objects, h->hash, h->text.len, true, x->err);
}

static pawl_status run_checkpoint(
        pawl__checkpoint_event *out, struct exporting *x, const pawl__row *row)
{
        const pawl__directories directories = pawl__contents_directories(x->contents);
        pawl__tree_sums sums;
        pawl_event event;
        pawl_status status = pawl__log_failed(x->log,
                pawl__log_event(&event, &x->manifest.arena, x->log,
                        (uint64_t)row->v[PAWL__WCP_SEQ].integer),
                x->err);

        if (!status)
                status = pawl__checkpoint_event_read(out, &event, &x->manifest.arena, x->err);
        if (!status)
                status = pawl__object_set_tree(&x->objects, &sums, out->tree, &directories, x->err);
        if (!status)
                status = hold_state(x, out, row);
        if (!status)
                status = hold_document(x, out->has_outputs, out->outputs);
        return status ? pawl__fail_prefix(x->err, status, "checkpoint %llu",
                                (unsigned long long)row->v[PAWL__WCP_N].integer)
                      : PAWL_OK;
}

static pawl_status run_checkpoints(struct exporting *x, const pawl__row *rows, size_t n)
{
        pawl__manifest *c = &x->manifest;
        pawl_status status = PAWL_OK;

        c->checkpoints = pawl__arena_array(&c->arena, n, sizeof *c->checkpoints);
        if (!c->checkpoints)
                return pawl__nomem(x->err);
        status = add_histories(x, rows, n);
        for (; c->n_checkpoints < n && !status; c->n_checkpoints++)
                status = run_checkpoint(
                        &c->checkpoints[c->n_checkpoints], x, &rows[c->n_checkpoints]);
        if (status)
                return status;
        pawl__object_set_sort(&x->objects);
        uint64_t bytes = 0, directories = 0;
        for (size_t i = 0; i < x->objects.n; i++) {
                const pawl__object *it = &x->objects.list[i];
                if (it->size > PAWL__ARCHIVE_MAX - bytes ||
                        (it->directory && it->size > PAWL__ARCHIVE_DIRECTORIES_MAX - directories))
                        return pawl__fail(x->err, PAWL_ETOOBIG,
                                "export: there are more than 64 GiB of contents, or 256 MiB of "
                                "directories; export fewer checkpoints at a time");
                bytes += it->size;
                directories += it->directory ? it->size : 0;
        }
        c->contents = x->objects.list; /* both point there until the end */
        c->n_contents = x->objects.n;
        return pawl__manifest_digest(c->digest, c, x->err);
}

/* ---- The part of the chain: from the first of the checkpoints to the log's end --------------- */

struct lines {
        struct exporting *x;
        pawl__hasher *hasher; /* the first time; then the writer */
        uint64_t size;
};

static pawl_status each_line(struct exporting *x, uint64_t from, uint64_t to,
        pawl_status (*take)(const pawl_event *event, pawl_text line, struct lines *lines),
        struct lines *lines)
{
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status =
                pawl__log_failed(x->log, pawl_cursor_open(&cursor, x->log, from - 1), x->err);

        if (status)
                return status;
        for (uint64_t seq = from; seq <= to && !status; seq++) {
                status = pawl_cursor_next(cursor, &event);
                if (status) {
                        status = status == PAWL_DONE
                                         ? pawl__fail(x->err, PAWL_EDAMAGED,
                                                   "seq %llu: is not in the log; run `eventlog "
                                                   "verify`",
                                                   (unsigned long long)seq)
                                         : pawl__log_failed(x->log, status, x->err);
                        break;
                }
                pawl__buf_clear(&x->text);
                status = pawl__chain_excerpt_line(&x->text, x->log, &event, x->err);
                if (!status && x->text.len > PAWL__ARCHIVE_LINE_MAX)
                        status = pawl__fail(x->err, PAWL_ETOOBIG,
                                "seq %llu: has more than 16 MiB; export later checkpoints",
                                (unsigned long long)seq);
                if (!status)
                        status = take(&event, pawl__buf_text(&x->text), lines);
        }
        pawl_cursor_close(cursor);
        return status;
}

static pawl_status measure_line(const pawl_event *event, pawl_text line, struct lines *lines)
{
        struct exporting *x = lines->x;

        if (pawl__hasher_add(lines->hasher, line.data, line.len))
                return pawl__nomem(x->err);
        lines->size += line.len;
        if (lines->size > PAWL__ARCHIVE_EVENTS_MAX)
                return pawl__fail(x->err, PAWL_ETOOBIG,
                        "export: there is more than 1 GiB of events since the first of these "
                        "checkpoints; export later ones");
        x->manifest.head_seq = event->seq;
        memcpy(x->manifest.head, event->hash, 32);
        return PAWL_OK;
}

static pawl_status write_line(const pawl_event *event, pawl_text line, struct lines *lines)
{
        (void)event;
        return pawl__archive_put(line.data, line.len, lines->x->writer, lines->x->err);
}

static pawl_status measure_events(struct exporting *x)
{
        pawl__manifest *c = &x->manifest;
        struct lines lines = {x, NULL, 0};
        pawl_event first;
        uint64_t head = 0;
        unsigned char hash[32];
        pawl_status status =
                pawl__log_failed(x->log, pawl__log_event(&first, &c->arena, x->log, 1), x->err);

        if (!status)
                status = pawl__log_failed(x->log, pawl_log_head(&head, hash, x->log), x->err);
        if (!status)
                status = pawl__hasher_new(&lines.hasher, x->err);
        if (status)
                return status;
        memcpy(c->log, first.hash, 32);
        c->first_seq = c->checkpoints[0].seq;
        status = pawl__hasher_begin(lines.hasher, x->err);
        if (!status)
                status = each_line(x, c->first_seq, head, measure_line, &lines);
        if (!status && pawl__hasher_end(lines.hasher, c->events_hash))
                status = pawl__nomem(x->err);
        c->last_seq = c->head_seq;
        c->events_size = lines.size;
        pawl__hasher_free(lines.hasher);
        return status;
}

/* ---- The members ----------------------------------------------------------------------------- */

static pawl_status write_manifest(struct exporting *x)
{
        pawl__buf_clear(&x->text);
        pawl_status status = pawl__manifest_write(&x->text, &x->manifest, x->err);
        if (!status && x->text.len > PAWL__ARCHIVE_MANIFEST_MAX)
                status = pawl__fail(x->err, PAWL_ETOOBIG,
                        "export: the manifest is larger than 192 MiB; export fewer checkpoints at "
                        "a time, or keep files out of them by `exclude`");
        if (!status)
                status = pawl__archive_add(x->writer, "manifest.json", x->text.len, x->err);
        return status ? status : pawl__archive_put(x->text.data, x->text.len, x->writer, x->err);
}

static pawl_status write_events(struct exporting *x)
{
        const pawl__manifest *c = &x->manifest;
        struct lines lines = {x, NULL, 0};
        pawl_status status = pawl__archive_add(x->writer, "events.jsonl", c->events_size, x->err);

        return status ? status : each_line(x, c->first_seq, c->last_seq, write_line, &lines);
}

/* A document that was made for the archive, and is in no log; NULL: it is not one of those. */
static const pawl__buf *made_document(const struct exporting *x, const pawl__object *it)
{
        for (size_t i = 0; i < x->n_histories && it->history; i++)
                if (x->histories[i].any && memcmp(x->histories[i].hash, it->hash, 32) == 0)
                        return &x->histories[i].text;
        return NULL;
}

static pawl_status write_content(struct exporting *x, const pawl__object *it)
{
        char name[PAWL__CONTENT_NAME];

        pawl__content_name(name, it->hash);
        pawl_status status = pawl__archive_add(x->writer, name, it->size, x->err);
        if (status)
                return status;
        if (it->directory || it->file)
                return pawl__contents_read(
                        x->contents, it->hash, it->size, pawl__archive_put, x->writer, x->err);
        const pawl__buf *made = made_document(x, it);
        if (made)
                return pawl__archive_put(made->data, made->len, x->writer, x->err);
        pawl__buf_clear(&x->text);
        status = pawl__log_failed(x->log, pawl__log_blob(&x->text, x->log, it->hash), x->err);
        return status ? status : pawl__archive_put(x->text.data, x->text.len, x->writer, x->err);
}

static pawl_status write_archive(pawl_archive_result *out, struct exporting *x, const char *path)
{
        unsigned char sha256[32];
        pawl_archive_result result = {
                .checkpoints = x->manifest.n_checkpoints, .contents = x->manifest.n_contents};

        TRY(pawl__own_files_spare(pawl__log_place(x->log), path, x->err));
        pawl_status status = pawl__archive_create(&x->writer, path, x->err);

        if (!status)
                status = write_manifest(x);
        if (!status)
                status = write_events(x);
        for (size_t i = 0; i < x->manifest.n_contents && !status; i++)
                status = write_content(x, &x->manifest.contents[i]);
        if (!status)
                status = pawl__archive_finish(x->writer, sha256, &result.bytes, x->err);
        if (status)
                return status;
        pawl__hex(result.sha256, sha256, 32);
        pawl__hex(result.digest, x->manifest.digest, 32);
        *out = result;
        return PAWL_OK;
}

/* In one view: what it says is there stays there until it is written. */
static pawl_status export_view(pawl_archive_result *out, struct exporting *x,
        const char *const *which, size_t n, const char *path)
{
        pawl__row *rows = NULL;
        size_t count = 0;
        pawl_status status = pawl__log_view_begin(x->log, x->err);

        if (status)
                return status;
        status = choose(&rows, &count, x, which, n);
        if (!status)
                status = run_checkpoints(x, rows, count);
        if (!status)
                status = measure_events(x);
        if (!status)
                status = write_archive(out, x, path);
        pawl__log_view_end(x->log);
        return status;
}

static pawl_status export_once(pawl_archive_result *out, pawl_log *log, const char *const *which,
        size_t n, const char *path, pawl_error *err)
{
        struct exporting x = {.log = log, .err = err};
        pawl_status status = pawl__state_of(&x.state, log, err);

        if (!status)
                status = pawl__contents_open(&x.contents, log, err);
        if (!status)
                status = export_view(out, &x, which, n, path);
        pawl__archive_writer_free(x.writer);
        pawl__contents_close(x.contents);
        x.manifest.contents = NULL; /* the object set's */
        pawl__manifest_free(&x.manifest);
        pawl__object_set_free(&x.objects);
        for (size_t i = 0; i < x.n_histories; i++)
                pawl__buf_free(&x.histories[i].text);
        free(x.histories);
        pawl__map_free(&x.runs);
        pawl__buf_free(&x.text);
        return status;
}

pawl_status pawl_workspace_export(pawl_archive_result *out, pawl_log *log, const char *const *which,
        size_t n, const char *path, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl_status status;

        do
                status = export_once(out, log, which, n, path, err);
        while (pawl__log_view_again(log, status));
        return status;
}

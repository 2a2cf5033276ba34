/* Checkpoints out of an archive, into a log (docs/reference/checkpoint-archive.md). The archive is
 * read twice: once to check all of it, and again, in the transaction, to store what the log lacks,
 * each content hashed once more. */
#include "base/error.h"
#include "base/ids.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "base/system.h"
#include "events/types.h"
#include "state/state.h"
#include "workspace/archive/archive_check.h"
#include "workspace/store/chunk_writer.h"
#include "workspace/workspace.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pawl/validate.h>
#include <pawl/workspace.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct importing {
        pawl_log *log;
        pawl__state *state;
        pawl__contents *contents;
        pawl_text actor;
        pawl__archive_source source;
        unsigned char sha256[32]; /* of the file */
        uint64_t bytes;
        pawl__manifest manifest;
        bool *have; /* beside the checkpoints: the log has it */
        size_t n_new, n_healed;
        pawl__arena arena;
};

/* ---- The file -------------------------------------------------------------------------------- */

static pawl_status hash_file(struct importing *m, const char *path, pawl_error *err)
{
        enum { PIECE = 256 << 10 };
        pawl__hasher *hasher = NULL;
        char *piece = malloc(PIECE);
        pawl_status status = piece ? pawl__hasher_new(&hasher, err) : pawl__nomem(err);

        if (!status)
                status = pawl__hasher_begin(hasher, err);
        for (ssize_t n = 1; n > 0 && !status;) {
                n = pread(m->source.fd, piece, PIECE, (off_t)m->bytes);
                if (n < 0 && errno == EINTR) {
                        n = 1;
                        continue;
                }
                if (n < 0)
                        status = pawl__fail_errno(err, errno, path, "read the archive");
                else if (n > 0 && pawl__hasher_add(hasher, piece, (size_t)n))
                        status = pawl__nomem(err);
                m->bytes += n > 0 ? (uint64_t)n : 0;
        }
        if (!status && pawl__hasher_end(hasher, m->sha256))
                status = pawl__nomem(err);
        pawl__hasher_free(hasher);
        free(piece);
        return status;
}

static pawl_status open_file(struct importing *m, const char *path, pawl_error *err)
{
        struct stat st;

        if (!path)
                return pawl__fail(err, PAWL_EINVAL, "archive: its path is NULL; name a file");
        m->source.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (m->source.fd < 0 || fstat(m->source.fd, &st) != 0)
                return pawl__fail_errno(err, errno, path, "read the archive");
        if (!S_ISREG(st.st_mode))
                return pawl__fail(err, PAWL_EINVAL,
                        "%.300s: is no plain file; copy the archive into one", path);
        return hash_file(m, path, err);
}

static pawl_status rewind_file(struct importing *m, pawl_error *err)
{
        return lseek(m->source.fd, 0, SEEK_SET) == 0
                       ? PAWL_OK
                       : pawl__fail_errno(err, errno, m->source.name, "read the archive");
}

/* ---- What the log has already ---------------------------------------------------------------- */

/* Mark the carried checkpoints whose event, or a copy of it, is that row's. */
static pawl_status mark(struct importing *m, const pawl__row *row, pawl_error *err)
{
        pawl__checkpoint_event known;
        pawl_event event;
        pawl_status status = pawl__log_failed(m->log,
                pawl__log_event(&event, &m->arena, m->log, (uint64_t)row->v[PAWL__WCP_SEQ].integer),
                err);

        if (status || row->v[PAWL__WCP_PRUNED_SEQ].integer != 0 || !event.payload.data)
                return status;
        status = pawl__checkpoint_event_read(&known, &event, &m->arena, err);
        for (size_t i = 0; i < m->manifest.n_checkpoints && !status; i++) {
                if (!m->have[i] &&
                        memcmp(m->manifest.checkpoints[i].identity, known.identity, 32) == 0) {
                        m->have[i] = true;
                        m->n_new--;
                }
        }
        return status;
}

static pawl_status look(struct importing *m, pawl__row **newest, pawl_error *err)
{
        pawl__row *rows = NULL;
        size_t n = 0;
        pawl_status status = pawl__state_workspace_all(&rows, &n, m->state, &m->arena, err);

        m->have = pawl__arena_array(&m->arena, m->manifest.n_checkpoints, sizeof *m->have);
        if (!m->have)
                return pawl__nomem(err);
        m->n_new = m->manifest.n_checkpoints;
        for (size_t i = 0; i < n && !status; i++)
                status = mark(m, &rows[i], err);
        *newest = n > 0 ? &rows[n - 1] : NULL;
        return status;
}

/* ---- The events ------------------------------------------------------------------------------ */

/* Members of the payload that this log says for itself, and the rules: an archive brings none. */
static bool is_own(pawl_text name)
{
        static const char *const own[] = {"n", "id", "root", "base", "safety", "of_run", "origin",
                "imported", "exclude", "include", "max_file", "git_rules"};

        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
                if (pawl__text_is(name, own[i]))
                        return true;
        }
        return false;
}

static pawl_status copy_members(pawl__json_writer *w, const pawl__json_tree *tree)
{
        pawl__buf name = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        for (pawl__node at = pawl__json_first(tree, 0); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, 0, at)) {
                const pawl__json_node *member = pawl__json_at(tree, at);
                if (is_own(member->name) || memchr(member->name.data, 0, member->name.len))
                        continue; /* no event of ours has a name with a NUL */
                pawl__buf_clear(&name);
                status = pawl__buf_add(&name, member->name.data, member->name.len);
                if (!status) {
                        pawl__json_name(w, name.data ? name.data : "");
                        pawl__json_node_value(w, member);
                }
        }
        pawl__buf_free(&name);
        return status;
}

/* "cp-04-implement-20260120-143000" under another number. */
static pawl_status write_id(pawl__json_writer *w, uint64_t n, pawl_text id)
{
        pawl__buf text = PAWL__BUF_INIT;
        size_t at = 3;

        if (id.len > 3 && memcmp(id.data, "cp-", 3) == 0) {
                while (at < id.len && id.data[at] >= '0' && id.data[at] <= '9')
                        at++;
                if (at > 3 && at + 1 < id.len && id.data[at] == '-')
                        id = pawl__text_n(id.data + at + 1, id.len - at - 1);
        }
        pawl_status status = pawl__buf_addf(&text, "cp-%02" PRIu64 "-", n);
        if (!status)
                status = pawl__buf_add(&text, id.data, id.len);
        if (!status)
                pawl__json_member_text(w, "id", pawl__buf_text(&text));
        pawl__buf_free(&text);
        return status;
}

/* Where it was taken, which an archive of another's import says. */
static void write_taken(pawl__json_writer *w, const pawl_event *event, const pawl__json_tree *tree)
{
        const pawl__node origin = pawl__json_get(tree, 0, "origin");
        const struct {
                const char *name;
                pawl_text own;
        } ids[] = {{"mission_id", event->mission_id}, {"run_id", event->run_id},
                {"step_id", event->step_id}};
        int64_t time_us;
        char time[28];

        for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
                pawl_text id = origin == PAWL__NO_NODE
                                       ? ids[i].own
                                       : pawl__json_get_text(tree, origin, ids[i].name);
                if (id.data && pawl__id_check(id, ids[i].name, NULL))
                        id = pawl__text(NULL);
                pawl__json_member_text(w, ids[i].name, id);
        }
        if (origin == PAWL__NO_NODE ||
                !pawl__time_parse(&time_us, pawl__json_get_text(tree, origin, "time")))
                time_us = event->time_us;
        pawl__time_format(time, time_us);
        pawl__json_member_string(w, "time", time);
}

static void write_origin(pawl__json_writer *w, const struct importing *m,
        const pawl__checkpoint_event *it, const pawl__json_tree *tree)
{
        pawl__json_name(w, "origin");
        pawl__json_open_object(w);
        pawl__json_member_hash(w, "archive", m->sha256);
        pawl__json_member_hash(w, "hash", it->identity);
        pawl__json_member_hash(w, "log", m->manifest.log);
        pawl__json_member_integer(w, "n", (int64_t)it->n);
        write_taken(w, &it->event, tree);
        pawl__json_close_object(w);
}

/* The event of a checkpoint that comes in as number @p n. It belongs to no run of this log. */
static pawl_status add_event(struct importing *m, pawl__batch *batch,
        const pawl__checkpoint_event *it, uint64_t n, pawl_error *err)
{
        const pawl_event event = {.actor = m->actor};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status =
                pawl__json_tree_read(&tree, it->event.payload.data, it->event.payload.len, err);

        pawl__json_open_object(&w);
        if (!status)
                status = copy_members(&w, &tree);
        if (!status)
                status = write_id(&w, n, pawl__json_get_text(&tree, 0, "id"));
        pawl__json_member_integer(&w, "n", (int64_t)n);
        pawl__json_member_string(&w, "root", "."); /* until it is rolled back to, it has none */
        if (it->in_manifest) { /* it stands for the state of a run that this log does not have */
                pawl__json_member_hash(&w, "history", it->history);
                pawl__json_member_integer(&w, "history_seq", (int64_t)it->history_seq);
        }
        pawl__json_member_bool(&w, "imported", true);
        if (!status)
                write_origin(&w, m, it, &tree);
        if (!status)
                status = pawl__batch_emit(batch, PAWL__WORKSPACE_CHECKPOINTED, &event, &w, err);
        if (status == PAWL_ENOMEM)
                status = pawl__nomem(err);
        pawl__json_writer_free(&w);
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status add_events(
        struct importing *m, pawl__batch *batch, const pawl__row *newest, pawl_error *err)
{
        uint64_t n = newest ? (uint64_t)newest->v[PAWL__WCP_N].integer : 0;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < m->manifest.n_checkpoints && !status; i++) {
                if (!m->have[i])
                        status = add_event(m, batch, &m->manifest.checkpoints[i], ++n, err);
        }
        return status;
}

/* ---- The contents ---------------------------------------------------------------------------- */

struct storing {
        struct importing *m;
        const pawl__object *content;
        pawl__batch *batch;
        pawl__hasher *hasher;
        bool put;                  /* into the contents, which lack it */
        pawl__buf text;            /* whole: of a document, or a content of up to a part */
        pawl__chunk_writer chunks; /* of a larger one */
};

static pawl_status store(const void *data, size_t len, void *user, pawl_error *err)
{
        struct storing *s = user;

        if (pawl__hasher_add(s->hasher, data, len))
                return pawl__nomem(err);
        if (s->content->document || (s->put && s->content->size <= PAWL__PART_SIZE))
                return pawl__buf_add(&s->text, data, len) ? pawl__nomem(err) : PAWL_OK;
        return s->put ? pawl__chunk_writer_add(data, len, &s->chunks, err) : PAWL_OK;
}

static pawl_status keep_content(struct storing *s, pawl_error *err)
{
        pawl__contents *contents = s->m->contents;
        const pawl__object *content = s->content;

        if (content->size <= PAWL__PART_SIZE)
                return pawl__contents_put_whole(
                        contents, content->hash, pawl__buf_text(&s->text), NULL, err);
        TRY(pawl__chunk_writer_end(&s->chunks, content->hash, err));
        return pawl__contents_put(
                contents, content->hash, 0, content->size, pawl__buf_text(&s->chunks.list), err);
}

/* A document is a blob, and may be a file's content as well. */
static pawl_status keep_document(struct storing *s, pawl_error *err)
{
        const pawl_text whole = pawl__buf_text(&s->text);
        pawl_status status = pawl__batch_blob(s->batch, s->content->hash, whole, err);

        if (!status && s->put)
                status = pawl__contents_put_whole(
                        s->m->contents, s->content->hash, whole, NULL, err);
        return status;
}

static pawl_status store_content(struct storing *s, pawl__archive_reader *reader, pawl_error *err)
{
        char name[PAWL__CONTENT_NAME];
        unsigned char found[32];
        uint64_t size;
        bool has = false;
        pawl_status status;

        s->put = false;
        pawl__buf_clear(&s->text);
        TRY(pawl__chunk_writer_begin(
                &s->chunks, s->m->contents, NULL, pawl__chunk_to_log, s->m->contents, err));
        pawl__content_name(name, s->content->hash);
        if (s->content->directory || s->content->file) {
                TRY(pawl__contents_has(&has, s->m->contents, s->content->hash, err));
                TRY(pawl__contents_lacks(&s->put, s->m->contents, s->content->hash, err));
                s->m->n_healed += has && s->put;
        }
        status = pawl__archive_next(reader, name, &size, err);
        if (!status && size != s->content->size)
                status = pawl__archive_refuse(err, s->m->source.name, "%s changed meanwhile", name);
        if (!status)
                status = pawl__hasher_begin(s->hasher, err);
        if (!status)
                status = pawl__archive_take(reader, size, store, s, err);
        if (!status && pawl__hasher_end(s->hasher, found))
                status = pawl__nomem(err);
        if (!status && memcmp(found, s->content->hash, 32) != 0)
                status = pawl__archive_refuse(err, s->m->source.name, "%s changed meanwhile", name);
        if (!status && s->content->document)
                return keep_document(s, err);
        return !status && s->put ? keep_content(s, err) : status;
}

static pawl_status store_all(struct importing *m, pawl__batch *batch, pawl_error *err)
{
        static const char *const first[] = {"manifest.json", "events.jsonl"};
        struct storing s = {.m = m, .batch = batch};
        pawl__archive_reader *reader = NULL;
        uint64_t size;
        pawl_status status = rewind_file(m, err);

        if (!status)
                status = pawl__archive_open(&reader, &m->source, err);
        if (!status)
                status = pawl__hasher_new(&s.hasher, err);
        for (size_t i = 0; i < 2 && !status; i++) {
                status = pawl__archive_next(reader, first[i], &size, err);
                if (!status)
                        status = pawl__archive_take(
                                reader, size, pawl__content_to_nothing, NULL, err);
        }
        for (size_t i = 0; i < m->manifest.n_contents && !status; i++) {
                s.content = &m->manifest.contents[i];
                status = store_content(&s, reader, err);
        }
        pawl__archive_reader_free(reader);
        pawl__hasher_free(s.hasher);
        pawl__buf_free(&s.text);
        pawl__chunk_writer_free(&s.chunks);
        return status;
}

/* Inside the transaction: what is there is looked at anew. */
static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct importing *m = user;
        pawl__row *newest = NULL;
        pawl_status status = look(m, &newest, err);

        (void)log;
        m->n_healed = 0;
        if (!status)
                status = store_all(m, batch, err);
        return status ? status : add_events(m, batch, newest, err);
}

static pawl_status import(struct importing *m, pawl_error *err)
{
        const pawl_status status = pawl__archive_check(&m->manifest, &m->source, err);

        return status ? status : pawl__contents_commit(m->contents, fill, m, err);
}

/* What came back may make checkpoints whole again that are marked as damaged. */
static pawl_status mark_again(struct importing *m, pawl_error *err)
{
        pawl_validation *found = NULL;
        pawl__row *rows = NULL;
        size_t n = 0;
        bool damaged = false;

        TRY(pawl__state_workspace_all(&rows, &n, m->state, &m->arena, err));
        for (size_t i = 0; i < n; i++)
                damaged = damaged || pawl__checkpoint_damaged(&rows[i]);
        if (damaged)
                TRY(pawl_workspace_validate(&found, m->log, NULL, NULL, true, m->actor.data, err));
        pawl_validation_free(found);
        return PAWL_OK;
}

pawl_status pawl_workspace_import(pawl_archive_result *out, pawl_log *log, const char *path,
        const char *actor, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        struct importing m = {.log = log, .actor = pawl__text(actor ? actor : "program")};
        pawl_status status;

        m.source = (pawl__archive_source){.name = path, .fd = -1};
        if (pawl__log_readonly(log))
                return pawl__fail(err, PAWL_EREADONLY,
                        "%.300s: the log is open for reading; open it for writing", path);
        status = pawl__state_of(&m.state, log, err);
        if (!status)
                status = pawl__contents_open(&m.contents, log, err);
        if (!status)
                status = open_file(&m, path, err);
        if (!status)
                status = import(&m, err);
        if (!status)
                status = mark_again(&m, err);
        if (!status) {
                *out = (pawl_archive_result){.bytes = m.bytes,
                        .checkpoints = m.n_new,
                        .known = m.manifest.n_checkpoints - m.n_new,
                        .contents = m.manifest.n_contents,
                        .healed = m.n_healed};
                pawl__hex(out->sha256, m.sha256, 32);
                pawl__hex(out->digest, m.manifest.digest, 32);
        }
        if (m.source.fd >= 0)
                close(m.source.fd);
        pawl__manifest_free(&m.manifest);
        pawl__contents_close(m.contents);
        pawl__arena_free(&m.arena);
        return status;
}

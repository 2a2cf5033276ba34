/*
 * Three passes over one state of the log: the events, with the blobs that they name; the trees of
 * the checkpoints that were not pruned, which gives the contents that must be there; and the
 * contents as they are kept, pack by pack, so that each is read once.
 */
#include "workspace/verify/contents_verify.h"
#include "base/error.h"
#include "events/types.h"
#include "state/sql.h"
#include "workspace/store/chunks.h"
#include "workspace/store/contents.h"
#include "workspace/store/object_set.h"
#include "workspace/store/sweep.h"
#include <inttypes.h>
#include <stdlib.h>

/* A checkpoint whose contents are kept. */
typedef struct checkpoint {
        int64_t n;
        uint64_t seq;
        unsigned char tree[32];
        size_t end; /* its objects, and those of the checkpoints before it, are so many */
} checkpoint;

enum { RECENT = 64 };

typedef struct verifying {
        pawl_log *log;
        pawl__contents *contents;
        pawl__contents_verdict verdict;
        pawl__json_tree tree;
        unsigned char recent[RECENT][32]; /* blobs that verify, named by many events */
        checkpoint *checkpoints;
        size_t n, cap;
        pawl__object_set objects;
        pawl__buf list; /* of chunks */
        bool *seen;     /* beside the objects */
        pawl_error *err;
} verifying;

static bool is_finding(pawl_status status)
{
        return status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED || status == PAWL_ENEWER ||
               status == PAWL_ETOOBIG;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Members that name a blob. */
static const char *const blob_names[] = {"mission_document", "mission_file", "output_hash",
        "log_hash", "state_hash", "outputs_hash", "history", "document", "plan_hash", "git_rules"};

static pawl_status check_blob(verifying *v, const pawl_event *event, const char *name,
        const unsigned char hash[32], bool may_miss)
{
        static const unsigned char none[32];
        unsigned char *recent = v->recent[hash[0] % RECENT];
        char hex[65];

        if (memcmp(hash, none, 32) == 0 || memcmp(recent, hash, 32) == 0)
                return PAWL_OK;
        const pawl_status status = pawl__log_blob_check(v->log, hash);
        if (status == PAWL_ENOTFOUND && may_miss)
                return PAWL_OK;
        if (is_finding(status)) {
                pawl__hex(hex, hash, 32);
                v->verdict.bad_seq = event->seq;
                return pawl__fail(v->err, PAWL_EDAMAGED,
                        "seq %" PRIu64 ": %.*s: its %s, blob %.16s, %s; put back a copy of the log",
                        event->seq, PAWL__FMT(event->type), name, hex,
                        status == PAWL_ENOTFOUND ? "is not in the log"
                                                 : "is not what its hash says");
        }
        if (!status) {
                memcpy(recent, hash, 32);
                v->verdict.blobs++;
        }
        return pawl__log_failed(v->log, status, v->err);
}

static pawl_status check_blobs(verifying *v, const pawl_event *event)
{
        unsigned char hash[32];
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < sizeof blob_names / sizeof blob_names[0] && !status; i++)
                if (pawl__unhex32(hash, pawl__json_get_text(&v->tree, 0, blob_names[i])))
                        status = check_blob(v, event, blob_names[i], hash, false);
        /* store_inputs: false keeps the hash alone */
        if (!status && pawl__unhex32(hash, pawl__json_get_text(&v->tree, 0, "input_hash")))
                status = check_blob(v, event, "input_hash", hash, true);
        return status;
}

static pawl_status add_checkpoint(verifying *v, const pawl_event *event)
{
        checkpoint one = {.seq = event->seq};
        const pawl__node n = pawl__json_get(&v->tree, 0, "n");

        if (n == PAWL__NO_NODE || !pawl__json_int(pawl__json_at(&v->tree, n), &one.n) ||
                !pawl__unhex32(one.tree, pawl__json_get_text(&v->tree, 0, "tree")))
                return PAWL_OK;
        if (pawl__grow(&v->checkpoints, &v->cap, v->n + 1, sizeof *v->checkpoints))
                return pawl__nomem(v->err);
        v->checkpoints[v->n++] = one;
        return PAWL_OK;
}

static void drop_checkpoint(verifying *v, int64_t n)
{
        for (size_t i = 0; i < v->n; i++)
                if (v->checkpoints[i].n == n) {
                        v->n--;
                        memmove(&v->checkpoints[i], &v->checkpoints[i + 1],
                                (v->n - i) * sizeof *v->checkpoints);
                        return;
                }
}

static void drop_pruned(verifying *v)
{
        const pawl__node list = pawl__json_get(&v->tree, 0, "pruned");
        int64_t n;

        if (list == PAWL__NO_NODE ||
                !pawl__text_is(pawl__json_get_text(&v->tree, 0, "kind"), "checkpoints"))
                return;
        for (pawl__node it = pawl__json_first(&v->tree, list); it != PAWL__NO_NODE;
                it = pawl__json_after(&v->tree, list, it))
                if (pawl__json_int(pawl__json_at(&v->tree, it), &n))
                        drop_checkpoint(v, n);
}

/* Values of a thread that are kept as contents. */
static pawl_status check_values(verifying *v, const pawl_event *event, const char *name)
{
        const pawl__node list = pawl__json_get(&v->tree, 0, name);
        unsigned char hash[32];
        pawl_status status = PAWL_OK;
        char hex[65];

        if (list == PAWL__NO_NODE || pawl__json_at(&v->tree, list)->type != PAWL__JSON_ARRAY)
                return PAWL_OK;
        for (pawl__node it = pawl__json_first(&v->tree, list); it != PAWL__NO_NODE && !status;
                it = pawl__json_after(&v->tree, list, it)) {
                bool has = true;
                if (pawl__unhex32(hash, pawl__json_get_text(&v->tree, it, "hash")))
                        status = pawl__contents_has(&has, v->contents, hash, v->err);
                if (status || has)
                        continue;
                pawl__hex(hex, hash, 32);
                v->verdict.bad_seq = event->seq;
                status = pawl__fail(v->err, PAWL_EDAMAGED,
                        "seq %" PRIu64 ": %.*s: its content %.16s is not in the log; put back a "
                        "copy of the log",
                        event->seq, PAWL__FMT(event->type), hex);
        }
        return status;
}

static pawl_status check_event(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        verifying *v = user;

        if (!event->payload.data) /* pruned */
                return PAWL_OK;
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status =
                pawl__json_tree_read(&v->tree, event->payload.data, event->payload.len, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (status)
                return pawl__fail(err, PAWL_EDAMAGED, "seq %" PRIu64 ": payload: %s", event->seq,
                        why.message);
        /* what another product recorded has hashes of its own */
        if (pawl__json_get(&v->tree, 0, "origin") != PAWL__NO_NODE)
                return type == PAWL__WORKSPACE_CHECKPOINTED ? add_checkpoint(v, event) : PAWL_OK;
        status = check_blobs(v, event);
        if (status)
                return status;
        switch (type) {
        case PAWL__WORKSPACE_CHECKPOINTED:
                return add_checkpoint(v, event);
        case PAWL__PRUNED:
                drop_pruned(v);
                return PAWL_OK;
        case PAWL__THREAD_CHECKPOINTED:
                return check_values(v, event, "channels");
        case PAWL__THREAD_WRITES_PUT:
                return check_values(v, event, "writes");
        default:
                return PAWL_OK;
        }
}

/* ---- Contents -------------------------------------------------------------------------------- */

static pawl_status name_checkpoint(verifying *v, const checkpoint *it, const pawl_error *why)
{
        v->verdict.bad_seq = it->seq;
        return pawl__fail(v->err, PAWL_EDAMAGED, "seq %" PRIu64 ": checkpoint %" PRId64 ": %s",
                it->seq, it->n, why->message);
}

/* The chunks of the objects from the i-th on. */
static pawl_status add_chunks(verifying *v, size_t i, pawl_error *err)
{
        for (; i < v->objects.n; i++) {
                unsigned char hash[32];
                if (v->objects.list[i].size <= PAWL__PART_SIZE)
                        continue;
                memcpy(hash, v->objects.list[i].hash, 32);
                const pawl_status status = pawl__contents_list(&v->list, v->contents, hash, err);
                if (status == PAWL_ENOTFOUND)
                        continue;
                TRY(status);
                const pawl_text list = pawl__buf_text(&v->list);
                for (size_t k = 0; k < pawl__chunks_count(list); k++) {
                        const pawl__chunk chunk = pawl__chunks_at(list, k);
                        TRY(pawl__object_set_chunk(&v->objects, chunk.hash, chunk.len, err));
                }
        }
        return PAWL_OK;
}

static pawl_status walk_trees(verifying *v)
{
        const pawl__directories directories = pawl__contents_directories(v->contents);
        pawl__tree_sums sums;

        for (size_t i = 0; i < v->n; i++) {
                pawl_error why = PAWL_ERROR_INIT;
                const size_t known = v->objects.n;
                pawl_status status = pawl__object_set_tree(
                        &v->objects, &sums, v->checkpoints[i].tree, &directories, &why);
                if (!status)
                        status = add_chunks(v, known, &why);
                if (is_finding(status))
                        return name_checkpoint(v, &v->checkpoints[i], &why);
                if (status) {
                        *v->err = why;
                        return status;
                }
                v->checkpoints[i].end = v->objects.n;
        }
        v->seen = calloc(v->objects.n + 1, sizeof *v->seen);
        return v->seen ? PAWL_OK : pawl__nomem(v->err);
}

/* An object is first met in the tree of the checkpoint that is returned. */
static const checkpoint *checkpoint_of(const verifying *v, size_t object)
{
        size_t i = 0;

        while (v->checkpoints[i].end <= object)
                i++;
        return &v->checkpoints[i];
}

static bool is_chunk_alone(const verifying *v, uint32_t at)
{
        const pawl__object *it = at == PAWL__MAP_NONE ? NULL : &v->objects.list[at];

        return it && it->chunk && !it->file && !it->directory;
}

static pawl_status check_content(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        verifying *v = user;
        const uint32_t at = pawl__map_get(&v->objects.map, pawl__text_n((const char *)hash, 32));
        pawl_error why = PAWL_ERROR_INIT;

        (void)stored, (void)parts;
        if (is_chunk_alone(v, at)) { /* which is read with its content */
                v->seen[at] = true;
                v->verdict.contents++;
                return PAWL_OK;
        }
        const pawl_status status =
                pawl__contents_read(v->contents, hash, size, pawl__content_to_nothing, NULL, &why);
        if (at != PAWL__MAP_NONE)
                v->seen[at] = true;
        v->verdict.contents += !status;
        if (is_finding(status) && at != PAWL__MAP_NONE)
                return name_checkpoint(v, checkpoint_of(v, at), &why);
        if (status)
                *v->err = why;
        return is_finding(status) ? PAWL_EDAMAGED : status;
}

static pawl_status check_missing(verifying *v)
{
        pawl_error why;
        char hex[65];

        for (size_t i = 0; i < v->objects.n; i++) {
                if (v->seen[i])
                        continue;
                pawl__hex(hex, v->objects.list[i].hash, 32);
                pawl__fail(&why, PAWL_EDAMAGED,
                        "content %.16s: is not in the log; import an archive that has it, or put "
                        "back a copy of the log",
                        hex);
                return name_checkpoint(v, checkpoint_of(v, i), &why);
        }
        return PAWL_OK;
}

/* The sweep reports a callback's failure by the log's message: what is found goes beside it. */
static pawl_status check_contents(verifying *v)
{
        pawl_error found = PAWL_ERROR_INIT, *err = v->err;

        v->err = &found;
        pawl_status status = pawl__contents_each(v->contents, check_content, v, err);
        v->err = err;
        if (status && found.message[0])
                *err = found;
        return status ? status : check_missing(v);
}

static void forget(verifying *v)
{
        v->verdict = (pawl__contents_verdict){0, 0, 0};
        v->n = 0;
        memset(v->recent, 0, sizeof v->recent);
        pawl__object_set_free(&v->objects);
        v->objects = (pawl__object_set)PAWL__OBJECT_SET_INIT;
        free(v->seen);
        v->seen = NULL;
}

static pawl_status verify_snapshot(verifying *v)
{
        pawl_status status = pawl__log_each(v->log, 0, check_event, v, v->err);

        if (!status)
                status = walk_trees(v);
        return status ? status : check_contents(v);
}

/* What a prune takes away meanwhile is not missing. */
static pawl_status verify(verifying *v)
{
        enum { TRIES = 3 };

        for (int i = 1;; i++) {
                forget(v);
                pawl_status status = pawl__log_snapshot_begin(v->log, v->err);
                if (status)
                        return status;
                status = verify_snapshot(v);
                if (pawl__log_snapshot_end(v->log) ||
                        (i >= TRIES && !pawl__log_view_again(v->log, status)))
                        return status;
        }
}

pawl_status pawl__contents_verify(pawl__contents_verdict *out, pawl_log *log, pawl_error *err)
{
        verifying v = {.log = log, .objects = PAWL__OBJECT_SET_INIT, .err = err};
        pawl_status status = pawl__contents_open(&v.contents, log, err);

        v.tree = (pawl__json_tree)PAWL__JSON_TREE_INIT;
        if (!status)
                status = verify(&v);
        *out = v.verdict;
        forget(&v);
        pawl__buf_free(&v.list);
        pawl__contents_close(v.contents);
        pawl__json_tree_free(&v.tree);
        free(v.checkpoints);
        return status;
}

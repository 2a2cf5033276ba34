/* The part of a log's chain that an archive carries, as lines of JSON (events.jsonl). */
#include "base/error.h"
#include "base/sources.h"
#include "events/types.h"
#include "workspace/archive/archive_read.h"
#include "workspace/archive/manifest.h"
#include <inttypes.h>

/* Events whose payloads say what checkpoints are and what became of them. */
static bool is_ours(pawl_text type)
{
        switch (pawl__event_type_of(type)) {
        case PAWL__WORKSPACE_CHECKPOINTED:
        case PAWL__ROLLBACK_STARTED:
        case PAWL__ROLLED_BACK:
        case PAWL__CHECKPOINT_INVALIDATED:
        case PAWL__CHECKPOINT_UPDATED:
                return true;
        default:
                return false;
        }
}

/* ---- Writing --------------------------------------------------------------------------------- */

pawl_status pawl__chain_excerpt_line(
        pawl__buf *out, pawl_log *log, const pawl_event *event, pawl_error *err)
{
        pawl_event shown = *event;
        unsigned char hash[32];
        char hex[65];
        pawl_status status = pawl__log_payload_hash(hash, log, event, err);

        if (!status && !is_ours(event->type))
                shown.payload = (pawl_text){NULL, 0};
        if (!status)
                status = pawl__event_json(out, &shown, NULL, err);
        if (status)
                return status;
        pawl__hex(hex, hash, 32);
        out->len--; /* the brace */
        if (pawl__buf_addf(out, ",\"payload_hash\":\"%s\"}\n", hex))
                return pawl__nomem(err);
        return PAWL_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static pawl_status wrong(const pawl__chain_excerpt_reader *r, pawl_error *err, const char *what)
{
        return pawl__archive_refuse(err, r->name,
                "events.jsonl: the event after seq %" PRIu64 ": %s",
                r->seq ? r->seq : r->manifest->first_seq - 1, what);
}

/* A member that is text or null. */
static bool get_text(pawl_text *out, const pawl__json_tree *tree, const char *name)
{
        const pawl__node node = pawl__json_get(tree, 0, name);

        if (node == PAWL__NO_NODE)
                return false;
        const pawl__json_node *value = pawl__json_at(tree, node);
        if (value->type == PAWL__JSON_STRING)
                *out = value->value;
        return value->type == PAWL__JSON_STRING || value->type == PAWL__JSON_NULL;
}

static bool get_number(int64_t *out, const pawl__json_tree *tree, const char *name)
{
        const pawl__node node = pawl__json_get(tree, 0, name);

        return node != PAWL__NO_NODE && pawl__json_at(tree, node)->type == PAWL__JSON_NUMBER &&
               pawl__json_int(pawl__json_at(tree, node), out);
}

/* The envelope and, where it is there, the payload. */
static bool take_envelope(
        pawl_event *out, unsigned char payload_hash[32], pawl__chain_excerpt_reader *r)
{
        const pawl__json_tree *tree = &r->tree;
        const pawl__node payload = pawl__json_get(tree, 0, "payload");
        pawl_event e = {.seq = 0};
        pawl_text time = {NULL, 0};
        int64_t seq, v;

        if (!get_number(&seq, tree, "seq") || seq <= 0 || !get_number(&v, tree, "v") || v < 1 ||
                v > INT32_MAX || !get_text(&e.type, tree, "type") || !e.type.data ||
                !get_text(&time, tree, "time") || !time.data ||
                !pawl__time_parse(&e.time_us, time) ||
                !get_text(&e.mission_id, tree, "mission_id") ||
                !get_text(&e.run_id, tree, "run_id") || !get_text(&e.step_id, tree, "step_id") ||
                !get_text(&e.session_id, tree, "session_id") ||
                !get_text(&e.actor, tree, "actor") ||
                !pawl__unhex32(e.prev, pawl__json_get_text(tree, 0, "prev")) ||
                !pawl__unhex32(e.hash, pawl__json_get_text(tree, 0, "hash")) ||
                !pawl__unhex32(payload_hash, pawl__json_get_text(tree, 0, "payload_hash")) ||
                payload == PAWL__NO_NODE)
                return false;
        e.seq = (uint64_t)seq;
        e.v = (int)v;
        const pawl__json_node *value = pawl__json_at(tree, payload);
        if (value->type == PAWL__JSON_OBJECT)
                e.payload = value->value;
        else if (value->type != PAWL__JSON_NULL)
                return false;
        *out = e;
        return true;
}

/* The hashes hold, and it is the next in the chain. */
static pawl_status check_chain(pawl__chain_excerpt_reader *r, const pawl_event *e,
        const unsigned char payload_hash[32], pawl_error *err)
{
        const pawl__manifest *c = r->manifest;
        unsigned char hash[32];
        pawl_status status = PAWL_OK;

        if (e->seq != (r->seq ? r->seq + 1 : c->first_seq))
                return wrong(r, err, "it is not the next");
        if (r->seq && memcmp(e->prev, r->hash, 32) != 0)
                return wrong(r, err, "its prev is not the hash of the one before");
        if (e->payload.data) {
                status = pawl__sha256(r->hasher, hash, e->payload.data, e->payload.len, err);
                if (!status && memcmp(hash, payload_hash, 32) != 0)
                        return wrong(r, err, "its payload is not what its hash says");
        }
        if (!status && pawl__chain_hash(hash, r->hasher, &r->scratch, e, payload_hash))
                status = pawl__nomem(err);
        if (!status && memcmp(hash, e->hash, 32) != 0)
                return wrong(r, err, "it is not what its hash says");
        if (!status && e->seq == 1 && memcmp(e->hash, c->log, 32) != 0)
                return wrong(r, err, "it is not of the log that the manifest names");
        return status;
}

/* Is it the next checkpoint of the manifest? */
static pawl_status meet_checkpoint(
        pawl__chain_excerpt_reader *r, const pawl_event *e, pawl_error *err)
{
        pawl__manifest *c = r->manifest;
        pawl__checkpoint_event found;
        pawl_error why = PAWL_ERROR_INIT;

        if (r->met == c->n_checkpoints || c->checkpoints[r->met].seq != e->seq)
                return PAWL_OK;
        const pawl__checkpoint_event *named = &c->checkpoints[r->met];
        if (pawl__event_type_of(e->type) != PAWL__WORKSPACE_CHECKPOINTED ||
                memcmp(e->hash, named->event_hash, 32) != 0)
                return wrong(r, err, "it is not the checkpoint that the manifest names");
        pawl_status status = pawl__checkpoint_event_read(&found, e, &c->arena, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (status)
                return wrong(r, err, why.message);
        if (found.n != named->n)
                return wrong(r, err, "the manifest gives it another number");
        if (named->in_manifest) {
                if (found.has_state || found.has_history)
                        return wrong(r, err, "the manifest gives it a history beside its state");
                found.has_history = found.in_manifest = true;
                memcpy(found.history, named->history, 32);
                found.history_seq = found.seq;
        }
        c->checkpoints[r->met++] = found;
        return PAWL_OK;
}

static pawl_status take_line(pawl__chain_excerpt_reader *r, pawl_error *err)
{
        unsigned char payload_hash[32];
        pawl_event event;
        pawl_status status = pawl__json_tree_read(&r->tree, r->line.data, r->line.len, NULL);

        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (status || !take_envelope(&event, payload_hash, r))
                return wrong(r, err, "it is not of its form");
        status = check_chain(r, &event, payload_hash, err);
        if (!status)
                status = meet_checkpoint(r, &event, err);
        if (status)
                return status;
        r->seq = event.seq;
        memcpy(r->hash, event.hash, 32);
        return PAWL_OK;
}

pawl_status pawl__chain_excerpt_take(const void *data, size_t len, void *user, pawl_error *err)
{
        pawl__chain_excerpt_reader *r = user;
        const char *at = data, *end = at + len;
        pawl_status status = PAWL_OK;

        while (at < end && !status) {
                const char *newline = memchr(at, '\n', (size_t)(end - at));
                const size_t n = (size_t)((newline ? newline : end) - at);
                if (n > PAWL__ARCHIVE_LINE_MAX - r->line.len)
                        return wrong(r, err, "its line is longer than 16 MiB");
                if (pawl__buf_add(&r->line, at, n))
                        return pawl__nomem(err);
                at += n + (newline != NULL);
                if (newline) {
                        status = take_line(r, err);
                        pawl__buf_clear(&r->line);
                }
        }
        return status;
}

pawl_status pawl__chain_excerpt_end(pawl__chain_excerpt_reader *r, pawl_error *err)
{
        const pawl__manifest *c = r->manifest;

        if (r->line.len > 0)
                return wrong(r, err, "its line has no end");
        if (r->seq != c->last_seq || memcmp(r->hash, c->head, 32) != 0)
                return wrong(r, err, "it should be the last one that the manifest names");
        if (r->met != c->n_checkpoints)
                return wrong(r, err, "a checkpoint of the manifest is not among the events");
        return PAWL_OK;
}

void pawl__chain_excerpt_free(pawl__chain_excerpt_reader *r)
{
        pawl__hasher_free(r->hasher);
        pawl__buf_free(&r->line);
        pawl__buf_free(&r->scratch);
        pawl__json_tree_free(&r->tree);
}

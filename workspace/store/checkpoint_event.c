#include "workspace/store/checkpoint_event.h"
#include "base/error.h"
#include <inttypes.h>

static pawl_status missing(const pawl_event *event, const char *field, pawl_error *err)
{
        return pawl__fail(err, PAWL_EDAMAGED,
                "seq %" PRIu64 ": %s: is missing or not of its form; run `eventlog verify`",
                event->seq, field);
}

bool pawl__event_hash_member(
        unsigned char out[32], const pawl__json_tree *tree, pawl__node at, const char *name)
{
        return pawl__unhex32(out, pawl__json_get_text(tree, at, name));
}

bool pawl__event_count_member(
        uint64_t *out, const pawl__json_tree *tree, pawl__node at, const char *name)
{
        const pawl__node node = pawl__json_get(tree, at, name);
        int64_t value;

        if (node == PAWL__NO_NODE || pawl__json_at(tree, node)->type != PAWL__JSON_NUMBER ||
                !pawl__json_int(pawl__json_at(tree, node), &value) || value < 0)
                return false;
        *out = (uint64_t)value;
        return true;
}

bool pawl__event_optional_hash(bool *has, unsigned char out[32], const pawl__json_tree *tree,
        pawl__node at, const char *name)
{
        *has = pawl__json_get(tree, at, name) != PAWL__NO_NODE;
        return !*has || pawl__event_hash_member(out, tree, at, name);
}

static pawl_status take_members(pawl__checkpoint_event *c, const pawl_event *event,
        const pawl__json_tree *tree, pawl_error *err)
{
        const pawl__node origin = pawl__json_get(tree, 0, "origin");

        if (pawl__json_at(tree, 0)->type != PAWL__JSON_OBJECT)
                return missing(event, "payload", err);
        if (!pawl__event_count_member(&c->n, tree, 0, "n") || c->n == 0)
                return missing(event, "n", err);
        if (!pawl__event_hash_member(c->tree, tree, 0, "tree"))
                return missing(event, "tree", err);
        if (!pawl__event_count_member(&c->files, tree, 0, "files"))
                return missing(event, "files", err);
        if (!pawl__event_count_member(&c->bytes, tree, 0, "bytes"))
                return missing(event, "bytes", err);
        if (!pawl__event_optional_hash(&c->has_state, c->state, tree, 0, "state_hash"))
                return missing(event, "state_hash", err);
        if (!pawl__event_optional_hash(&c->has_outputs, c->outputs, tree, 0, "outputs_hash"))
                return missing(event, "outputs_hash", err);
        if (!pawl__event_optional_hash(&c->has_history, c->history, tree, 0, "history") ||
                (c->has_history && (c->has_state || !pawl__event_count_member(&c->history_seq, tree,
                                                            0, "history_seq"))))
                return missing(event, "history", err);
        if (origin != PAWL__NO_NODE && !pawl__event_hash_member(c->identity, tree, origin, "hash"))
                return missing(event, "origin.hash", err);
        return PAWL_OK;
}

static pawl_status keep_event(
        pawl_event *out, const pawl_event *event, pawl__arena *arena, pawl_error *err)
{
        *out = *event;
        out->type = pawl__arena_copy(arena, event->type);
        out->mission_id = pawl__arena_copy(arena, event->mission_id);
        out->run_id = pawl__arena_copy(arena, event->run_id);
        out->step_id = pawl__arena_copy(arena, event->step_id);
        out->session_id = pawl__arena_copy(arena, event->session_id);
        out->actor = pawl__arena_copy(arena, event->actor);
        out->payload = pawl__arena_copy(arena, event->payload);
        return pawl__arena_check(arena, err);
}

pawl_status pawl__checkpoint_event_read(
        pawl__checkpoint_event *out, const pawl_event *event, pawl__arena *arena, pawl_error *err)
{
        pawl__checkpoint_event c = {.seq = event->seq};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        if (!event->payload.data)
                return missing(event, "payload", err);
        memcpy(c.event_hash, event->hash, 32);
        memcpy(c.identity, event->hash, 32);
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
        if (status == PAWL_EPARSE)
                status = missing(event, "payload", err);
        if (!status)
                status = take_members(&c, event, &tree, err);
        if (!status)
                status = keep_event(&c.event, event, arena, err);
        pawl__json_tree_free(&tree);
        if (!status)
                *out = c;
        return status;
}

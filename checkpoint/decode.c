#include "base/error.h"
#include "base/json_tree.h"
#include "checkpoint/model.h"
#include "events/types.h"
#include <inttypes.h>

/* One event on its way into a checkpoint. */
struct decoding {
        pawl__checkpoint *to;
        pawl__arena *arena;
        const pawl_event *event;
        pawl__json_tree tree;
        pawl_error *err;
};

static pawl_status refuse(const struct decoding *d, const char *field, const char *what)
{
        return pawl__fail(d->err, PAWL_EINVAL, "seq %" PRIu64 " (StepCheckpointed): %s: %s",
                d->event->seq, field, what);
}

/* What of the payload is text and must be one of a set. */
static pawl_status decode_names(struct decoding *d)
{
        if (!pawl__strictness_of(
                    &d->to->strictness, pawl__json_get_text(&d->tree, 0, "strictness")))
                return refuse(
                        d, "payload.strictness", "is not known; it must be off, medium or max");
        if (!pawl__cursor_of(&d->to->cursor, pawl__json_get_text(&d->tree, 0, "cursor")))
                return refuse(d, "payload.cursor",
                        "is not known; it must be pre_generation_gate, post_clarification, "
                        "post_gate or post_generation");
        if (!pawl__text_is(
                    pawl__json_get_text(&d->tree, 0, "input_hash_alg"), PAWL__INPUT_HASH_ALG))
                return refuse(d, "payload.input_hash_alg",
                        "is not known; it must be " PAWL__INPUT_HASH_ALG);
        return PAWL_OK;
}

/* A text of exactly so many bytes into a buffer of one more. */
static bool take(char *to, size_t len, pawl_text text)
{
        if (!text.data || text.len != len)
                return false;
        memcpy(to, text.data, len);
        to[len] = '\0';
        return true;
}

static pawl_status decode_hashes(struct decoding *d)
{
        pawl__node output = pawl__json_get(&d->tree, 0, "output_hash");
        bool none =
                output == PAWL__NO_NODE || pawl__json_at(&d->tree, output)->type == PAWL__JSON_NULL;

        if (!take(d->to->input_hash, 64, pawl__json_get_text(&d->tree, 0, "input_hash")))
                return refuse(d, "payload.input_hash",
                        "is no hash of 64 digits; write 64 lower-case hex digits");
        if (!take(d->to->retry_token, 36, pawl__json_get_text(&d->tree, 0, "retry_token")))
                return refuse(d, "payload.retry_token", "is no UUID of 36 characters; write one");
        if (!none && !take(d->to->output_hash, 64, pawl__json_get_text(&d->tree, 0, "output_hash")))
                return refuse(d, "payload.output_hash",
                        "is no hash; it must be 64 lower-case hex digits");
        return PAWL_OK;
}

static pawl_status decode_refs(struct decoding *d)
{
        pawl__node refs = pawl__json_get(&d->tree, 0, "scope_refs");
        bool ok = true;

        for (pawl__node n = pawl__json_first(&d->tree, refs); n != PAWL__NO_NODE;
                n = pawl__json_after(&d->tree, refs, n)) {
                if (d->to->n_scope_refs == PAWL__SCOPE_REFS_MAX)
                        return refuse(d, "payload.scope_refs",
                                "holds more than 4; each of the 4 scopes may stand there once");
                pawl__scope_ref *ref = &d->to->scope_refs[d->to->n_scope_refs++];
                ref->scope =
                        pawl__arena_text(d->arena, pawl__json_get_text(&d->tree, n, "scope"), &ok);
                ref->version_id = pawl__arena_text(
                        d->arena, pawl__json_get_text(&d->tree, n, "version_id"), &ok);
        }
        return ok ? PAWL_OK : pawl__nomem(d->err);
}

static pawl_status decode_envelope(struct decoding *d)
{
        bool ok = true;

        d->to->seq = d->event->seq;
        d->to->time_us = d->event->time_us;
        d->to->mission_id = pawl__arena_text(d->arena, d->event->mission_id, &ok);
        d->to->run_id = pawl__arena_text(d->arena, d->event->run_id, &ok);
        d->to->step_id = pawl__arena_text(d->arena, d->event->step_id, &ok);
        return ok ? PAWL_OK : pawl__nomem(d->err);
}

static pawl_status decode(struct decoding *d)
{
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status;

        if (!d->event->payload.data)
                return refuse(d, "payload", "was pruned; restore the log from a copy");
        status =
                pawl__json_tree_read(&d->tree, d->event->payload.data, d->event->payload.len, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(d->err);
        if (status)
                return refuse(d, "payload", why.message);
        status = pawl__event_check(d->event, PAWL__STEP_CHECKPOINTED, &d->tree, d->err);
        if (status == PAWL_OK)
                status = decode_envelope(d);
        if (status == PAWL_OK)
                status = decode_names(d);
        if (status == PAWL_OK)
                status = decode_hashes(d);
        if (status == PAWL_OK)
                status = decode_refs(d);
        if (status == PAWL_OK && pawl__checkpoint_check(d->to, &why))
                status = pawl__fail(d->err, PAWL_EINVAL, "seq %" PRIu64 " (StepCheckpointed): %s",
                        d->event->seq, why.message);
        return status;
}

pawl_status pawl__checkpoint_decode(
        pawl__checkpoint *out, pawl__arena *arena, const pawl_event *event, pawl_error *err)
{
        pawl__checkpoint checkpoint = {0};
        struct decoding d = {&checkpoint, arena, event, PAWL__JSON_TREE_INIT, err};
        pawl_status status;

        if (pawl__event_type_of(event->type) != PAWL__STEP_CHECKPOINTED)
                return pawl__fail(err, PAWL_EINVAL,
                        "seq %" PRIu64 " (%.*s): type: is no StepCheckpointed; name the seq of one",
                        event->seq, PAWL__FMT(event->type));
        status = decode(&d);
        pawl__json_tree_free(&d.tree);
        if (status == PAWL_OK)
                *out = checkpoint;
        return status;
}

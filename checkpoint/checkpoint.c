#include "checkpoint/checkpoint.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "events/types.h"
#include <inttypes.h>

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *const cursors[] = {
        [PAWL__AT_START] = NULL,
        [PAWL__AT_PRE_GENERATION_GATE] = "pre_generation_gate",
        [PAWL__AT_POST_CLARIFICATION] = "post_clarification",
        [PAWL__AT_POST_GATE] = "post_gate",
        [PAWL__AT_POST_GENERATION] = "post_generation",
};

static const char *const strictnesses[] = {
        [PAWL__STRICTNESS_UNSET] = NULL,
        [PAWL__STRICTNESS_OFF] = "off",
        [PAWL__STRICTNESS_MEDIUM] = "medium",
        [PAWL__STRICTNESS_MAX] = "max",
};

enum {
        CURSORS = sizeof cursors / sizeof cursors[0],
        STRICTNESSES = sizeof strictnesses / sizeof strictnesses[0]
};

const char *pawl__cursor_name(pawl__cursor_at cursor)
{
        return (unsigned)cursor < CURSORS ? cursors[cursor] : NULL;
}

const char *pawl__strictness_name(pawl__strictness strictness)
{
        return (unsigned)strictness < STRICTNESSES ? strictnesses[strictness] : NULL;
}

/* The first of each set has no name. */
bool pawl__cursor_of(pawl__cursor_at *out, pawl_text name)
{
        const size_t found = pawl__text_index(name, cursors, CURSORS) % CURSORS;

        if (found)
                *out = (pawl__cursor_at)found;
        return found;
}

bool pawl__strictness_of(pawl__strictness *out, pawl_text name)
{
        const size_t found = pawl__text_index(name, strictnesses, STRICTNESSES) % STRICTNESSES;

        if (found)
                *out = (pawl__strictness)found;
        return found;
}

/* ---- Validity -------------------------------------------------------------------------------- */

bool pawl__hash_valid(pawl_text text)
{
        unsigned char bytes[PAWL__HASH_LEN];

        return text.data && pawl__unhex32(bytes, text);
}

static pawl_status check_id(pawl_text id, const char *field, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;

        if (!pawl__id_check(id, "id", &why))
                return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL, "%s: %s", field, why.message);
}

static pawl_status check_refs(const pawl__checkpoint *checkpoint, pawl_error *err)
{
        if (checkpoint->n_scope_refs > PAWL__SCOPE_REFS_MAX)
                return pawl__fail(err, PAWL_EINVAL,
                        "scope_refs: there are %zu; name each scope once, %d at most",
                        checkpoint->n_scope_refs, PAWL__SCOPE_REFS_MAX);
        for (size_t i = 0; i < checkpoint->n_scope_refs; i++) {
                const pawl__scope_ref *ref = &checkpoint->scope_refs[i];
                pawl_status status = check_id(ref->scope, "scope_refs[].scope", err);
                if (status)
                        return status;
                if (!pawl__hash_valid(ref->version_id))
                        return pawl__fail(err, PAWL_EINVAL,
                                "scope_refs[].version_id: \"%.*s\" is no content hash; give 64 "
                                "lower-case hex digits",
                                PAWL__FMT(ref->version_id));
                for (size_t j = 0; j < i; j++)
                        if (pawl__text_eq(checkpoint->scope_refs[j].scope, ref->scope))
                                return pawl__fail(err, PAWL_EINVAL,
                                        "scope_refs: scope %.*s is named twice; name each "
                                        "once",
                                        PAWL__FMT(ref->scope));
        }
        return PAWL_OK;
}

pawl_status pawl__checkpoint_check(const pawl__checkpoint *checkpoint, pawl_error *err)
{
        pawl_text output_hash = pawl__text(checkpoint->output_hash);
        pawl_status status;

        if ((status = check_id(checkpoint->mission_id, "mission_id", err)) ||
                (status = check_id(checkpoint->run_id, "run_id", err)) ||
                (status = check_id(checkpoint->step_id, "step_id", err)) ||
                (status = check_refs(checkpoint, err)))
                return status;
        if (!pawl__strictness_name(checkpoint->strictness))
                return pawl__fail(
                        err, PAWL_EINVAL, "strictness: is not known; use off, medium or max");
        if (!pawl__cursor_name(checkpoint->cursor))
                return pawl__fail(err, PAWL_EINVAL,
                        "cursor: is not known; use pre_generation_gate, post_clarification, "
                        "post_gate or post_generation");
        if (!pawl__hash_valid(pawl__text(checkpoint->input_hash)))
                return pawl__fail(
                        err, PAWL_EINVAL, "input_hash: is no hash; give 64 lower-case hex digits");
        if (!pawl__uuid_valid(pawl__text(checkpoint->retry_token)))
                return pawl__fail(err, PAWL_EINVAL,
                        "retry_token: is no UUID; give one in lower case, 8-4-4-4-12 digits");
        if (output_hash.len ? !pawl__hash_valid(output_hash)
                            : checkpoint->cursor == PAWL__AT_POST_GENERATION)
                return pawl__fail(err, PAWL_EINVAL,
                        "output_hash: is no hash; give the 64 lower-case hex digits of the output "
                        "that is kept");
        return PAWL_OK;
}

/* ---- Encoding and decoding ------------------------------------------------------------------- */

void pawl__scope_refs_write(pawl__json_writer *w, const pawl__scope_ref *refs, size_t n)
{
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++) {
                pawl__json_open_object(w);
                pawl__json_member_text(w, "scope", refs[i].scope);
                pawl__json_member_text(w, "version_id", refs[i].version_id);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

pawl_status pawl__scope_refs_read(pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX], size_t *n,
        pawl__arena *arena, pawl_text json, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = pawl__json_tree_read(&tree, json.data, json.len, err);

        *n = 0;
        for (pawl__node i = pawl__json_first(&tree, 0); i != PAWL__NO_NODE && !status;
                i = pawl__json_after(&tree, 0, i)) {
                if (*n == PAWL__SCOPE_REFS_MAX) {
                        status = pawl__fail(err, PAWL_ETOOBIG,
                                "scope_refs: holds more than %d; name each scope once",
                                PAWL__SCOPE_REFS_MAX);
                        break;
                }
                refs[*n].scope = pawl__arena_copy(arena, pawl__json_get_text(&tree, i, "scope"));
                refs[(*n)++].version_id =
                        pawl__arena_copy(arena, pawl__json_get_text(&tree, i, "version_id"));
        }
        pawl__json_tree_free(&tree);
        return status ? status : pawl__arena_check(arena, err);
}

/* Members in RFC 8785's order, so that the text is canonical as it is written. */
static void write_payload(pawl__json_writer *w, const pawl__checkpoint *checkpoint)
{
        pawl__json_open_object(w);
        pawl__json_member_string(w, "cursor", pawl__cursor_name(checkpoint->cursor));
        pawl__json_member_string(w, "input_hash", checkpoint->input_hash);
        pawl__json_member_string(w, "input_hash_alg", PAWL__INPUT_HASH_ALG);
        if (checkpoint->output_hash[0])
                pawl__json_member_string(w, "output_hash", checkpoint->output_hash);
        pawl__json_member_string(w, "retry_token", checkpoint->retry_token);
        pawl__json_name(w, "scope_refs");
        pawl__scope_refs_write(w, checkpoint->scope_refs, checkpoint->n_scope_refs);
        pawl__json_member_string(w, "strictness", pawl__strictness_name(checkpoint->strictness));
        pawl__json_close_object(w);
}

pawl_status pawl__checkpoint_encode(
        pawl__buf *out, const pawl__checkpoint *checkpoint, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error why = PAWL_ERROR_INIT;

        if (pawl__checkpoint_check(checkpoint, &why))
                return pawl__fail(err, PAWL_EINVAL, "StepCheckpointed: %s", why.message);
        write_payload(&w, checkpoint);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        if (status == PAWL_OK && w.buf.len > PAWL__CHECKPOINT_MAX)
                status = pawl__fail(err, PAWL_ETOOBIG,
                        "StepCheckpointed: the payload would have %zu bytes, %d at most; use "
                        "shorter scope names",
                        w.buf.len, PAWL__CHECKPOINT_MAX);
        if (status == PAWL_OK && pawl__buf_add(out, w.buf.data, w.buf.len))
                status = pawl__nomem(err);
        pawl__json_writer_free(&w);
        return status;
}

/* A text of exactly so many bytes into a buffer of one more; any other becomes what is no hash. */
static void take(char *to, size_t len, pawl_text text)
{
        if (text.data && text.len == len)
                memcpy(to, text.data, len);
        else
                memcpy(to, "?", 2);
        to[len] = '\0';
}

/* The fields, as far as they have a value of ours; pawl__checkpoint_check() looks at them. */
static pawl_status take_fields(pawl__checkpoint *to, pawl__arena *arena, const pawl_event *event,
        const pawl__json_tree *tree, pawl_error *err)
{
        const pawl__node output = pawl__json_get(tree, 0, "output_hash");

        to->seq = event->seq;
        to->time_us = event->time_us;
        to->mission_id = pawl__arena_copy(arena, event->mission_id);
        to->run_id = pawl__arena_copy(arena, event->run_id);
        to->step_id = pawl__arena_copy(arena, event->step_id);
        (void)pawl__strictness_of(&to->strictness, pawl__json_get_text(tree, 0, "strictness"));
        (void)pawl__cursor_of(&to->cursor, pawl__json_get_text(tree, 0, "cursor"));
        take(to->input_hash, 64, pawl__json_get_text(tree, 0, "input_hash"));
        take(to->retry_token, 36, pawl__json_get_text(tree, 0, "retry_token"));
        if (output != PAWL__NO_NODE && pawl__json_at(tree, output)->type != PAWL__JSON_NULL)
                take(to->output_hash, 64, pawl__json_get_text(tree, 0, "output_hash"));
        if (!pawl__text_is(pawl__json_get_text(tree, 0, "input_hash_alg"), PAWL__INPUT_HASH_ALG))
                return pawl__fail(err, PAWL_EINVAL,
                        "input_hash_alg: is not known; it must be " PAWL__INPUT_HASH_ALG);
        return pawl__scope_refs_read(to->scope_refs, &to->n_scope_refs, arena,
                pawl__json_at(tree, pawl__json_get(tree, 0, "scope_refs"))->value, err);
}

static pawl_status decode(pawl__checkpoint *to, pawl__arena *arena, const pawl_event *event,
        pawl__json_tree *tree, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status;

        if (!event->payload.data)
                status = pawl__fail(
                        &why, PAWL_EINVAL, "payload: was pruned; restore the log from a copy");
        else if ((status = pawl__json_tree_read(
                          tree, event->payload.data, event->payload.len, &why)))
                status = pawl__fail_prefix(&why, status, "payload");
        else if ((status = pawl__event_check(event, PAWL__STEP_CHECKPOINTED, tree, err)))
                return status;
        else if (pawl__text_is(
                         pawl__json_get_text(tree, 0, "input_hash_alg"), PAWL__PYTHON_HASH_ALG))
                return pawl__fail(err, PAWL_ESTATE,
                        "checkpoint %.*s: was taken over from another tool, which hashes inputs "
                        "otherwise; start a new run",
                        PAWL__FMT(pawl__json_get_text(tree, 0, "retry_token")));
        else if (!(status = take_fields(to, arena, event, tree, &why)))
                status = pawl__checkpoint_check(to, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        return status ? pawl__fail(err, PAWL_EINVAL, "seq %" PRIu64 " (StepCheckpointed): %s",
                                event->seq, why.message)
                      : PAWL_OK;
}

pawl_status pawl__checkpoint_decode(
        pawl__checkpoint *out, pawl__arena *arena, const pawl_event *event, pawl_error *err)
{
        pawl__checkpoint checkpoint = {0};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        if (pawl__event_type_of(event->type) != PAWL__STEP_CHECKPOINTED)
                return pawl__fail(err, PAWL_EINVAL,
                        "seq %" PRIu64 " (%.*s): type: is no StepCheckpointed; name the seq of one",
                        event->seq, PAWL__FMT(event->type));
        const pawl_status status = decode(&checkpoint, arena, event, &tree, err);
        pawl__json_tree_free(&tree);
        if (status == PAWL_OK)
                *out = checkpoint;
        return status;
}

/* ---- Resume ---------------------------------------------------------------------------------- */

/* Did the gate, since the asked checkpoint, let the step pass over the same inputs? */
static bool passed_since(const pawl__checkpoint *asked, const pawl__checkpoint *newest)
{
        return newest && newest->seq > asked->seq &&
               (newest->cursor == PAWL__AT_POST_GATE ||
                       newest->cursor == PAWL__AT_POST_GENERATION) &&
               strcmp(newest->input_hash, asked->input_hash) == 0;
}

pawl__resume_decision pawl__resume_decide(const pawl__checkpoint *asked,
        const pawl__checkpoint *newest, pawl_text step_status, const char *input_hash)
{
        const pawl__checkpoint *from = passed_since(asked, newest) ? newest : asked;

        if (pawl__text_is(step_status, "completed")) {
                const pawl__checkpoint *last = newest ? newest : asked;
                if (strcmp(last->input_hash, input_hash) != 0)
                        return (pawl__resume_decision){PAWL__RESUME_CHANGED, PAWL__AT_START, last};
                return (pawl__resume_decision){PAWL__RESUME_DONE, from->cursor, from};
        }
        if (strcmp(asked->input_hash, input_hash) != 0)
                return (pawl__resume_decision){PAWL__RESUME_CHANGED, PAWL__AT_START, asked};
        return (pawl__resume_decision){PAWL__RESUME_AT_CURSOR, from->cursor, from};
}

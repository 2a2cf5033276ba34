#include "workspace/store/thread_values.h"
#include "base/digest.h"
#include "base/error.h"
#include "events/types.h"
#include <inttypes.h>

static pawl_text string_of(const pawl__json_node *node)
{
        return node->type == PAWL__JSON_STRING ? node->value : (pawl_text){NULL, 0};
}

/* In one pass: a list of checkpoints has thousands of them. */
static bool read_value(pawl__thread_value *out, const pawl__json_tree *tree, pawl__node at)
{
        pawl_text hash = {NULL, 0};
        int64_t seq = 0, size = -1;
        bool whole = true;

        *out = (pawl__thread_value){.index = 0};
        for (pawl__node n = pawl__json_first(tree, at); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, at, n)) {
                const pawl__json_node *member = pawl__json_at(tree, n);
                if (pawl__text_is(member->name, "channel"))
                        out->channel = string_of(member);
                else if (pawl__text_is(member->name, "version"))
                        out->version = string_of(member);
                else if (pawl__text_is(member->name, "type"))
                        out->type = string_of(member);
                else if (pawl__text_is(member->name, "text"))
                        out->text = string_of(member);
                else if (pawl__text_is(member->name, "hash"))
                        hash = string_of(member);
                else if (pawl__text_is(member->name, "seq"))
                        whole = pawl__json_int(member, &seq) && whole;
                else if (pawl__text_is(member->name, "size"))
                        whole = pawl__json_int(member, &size) && whole;
                else if (pawl__text_is(member->name, "index"))
                        whole = pawl__json_int(member, &out->index) && whole;
        }
        if (!whole || !out->channel.data || !out->type.data)
                return false;
        if (out->text.data)
                return true;
        if (hash.data) {
                out->size = size;
                return pawl__unhex32(out->hash, hash) && size >= 0;
        }
        out->seq = (uint64_t)seq;
        return seq > 0;
}

pawl_status pawl__thread_values_read(pawl__thread_value **out, size_t *n, uint64_t seq,
        const pawl__json_tree *payload, const char *member, pawl__arena *arena, pawl_error *err)
{
        const pawl__node list = pawl__json_get(payload, 0, member);
        pawl__thread_value *values;
        size_t count = 0;

        if (list == PAWL__NO_NODE || pawl__json_at(payload, list)->type != PAWL__JSON_ARRAY)
                return pawl__fail(err, PAWL_EDAMAGED, "seq %" PRIu64 ": payload.%s: is no array",
                        seq, member);
        values = pawl__arena_array(arena, pawl__json_at(payload, list)->count + 1, sizeof *values);
        if (!values)
                return pawl__nomem(err);
        for (pawl__node at = pawl__json_first(payload, list); at != PAWL__NO_NODE;
                at = pawl__json_after(payload, list, at)) {
                pawl__thread_value *value = &values[count++];
                if (!read_value(value, payload, at))
                        return pawl__fail(err, PAWL_EDAMAGED,
                                "seq %" PRIu64 ": payload.%s[%zu]: is no value", seq, member,
                                count - 1);
                value->channel = pawl__arena_copy(arena, value->channel);
                value->version = pawl__arena_copy(arena, value->version);
                value->type = pawl__arena_copy(arena, value->type);
                value->text = pawl__arena_copy(arena, value->text);
        }
        *out = values;
        *n = count;
        return pawl__arena_check(arena, err);
}

pawl_status pawl__thread_seqs(
        const pawl__row *step, pawl__thread_seq_fn fn, void *user, pawl_error *err)
{
        const pawl_text seqs = step->v[PAWL__STEP_CURSOR].text;
        const uint64_t own = (uint64_t)step->v[PAWL__STEP_CHECKPOINT_SEQ].integer;
        pawl_status status = PAWL_OK;
        uint64_t seq = 0;

        for (size_t i = 0; i < seqs.len && !status; i++) {
                if (seqs.data[i] != ' ')
                        seq = 10 * seq + (uint64_t)(seqs.data[i] - '0');
                if (seqs.data[i] == ' ' || i + 1 == seqs.len) {
                        status = fn(seq, user, err);
                        seq = 0;
                }
        }
        return !status && own ? fn(own, user, err) : status;
}

pawl_status pawl__thread_hashes(pawl__thread_payload *out, pawl_log *log, uint64_t seq,
        pawl__thread_hash_fn fn, void *user, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__thread_value *values = NULL;
        pawl_event event;
        size_t n = 0;
        pawl_status status = pawl__log_failed(log, pawl__log_event(&event, &arena, log, seq), err);

        if (!status && event.payload.data) {
                const bool writes = pawl__event_type_of(event.type) == PAWL__THREAD_WRITES_PUT;
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
                if (!status)
                        status = pawl__thread_values_read(&values, &n, seq, &tree,
                                writes ? "writes" : "channels", &arena, err);
                if (!status && out)
                        *out = (pawl__thread_payload){event.payload.len, writes ? n : 0};
        }
        for (size_t i = 0; i < n && !status; i++)
                if (pawl__thread_is_content(&values[i]))
                        status = fn(values[i].hash, user, err);
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
        return status;
}

typedef struct walk {
        pawl_log *log;
        pawl__thread_hash_fn fn;
        void *user;
} walk;

static pawl_status each_seq(uint64_t seq, void *user, pawl_error *err)
{
        const walk *w = user;

        return pawl__thread_hashes(NULL, w->log, seq, w->fn, w->user, err);
}

pawl_status pawl__thread_hashes_all(pawl_log *log, pawl__state *state, const pawl__map *but,
        pawl__thread_hash_fn fn, void *user, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row *rows = NULL;
        size_t n = 0;
        walk w = {log, fn, user};
        pawl_status status =
                pawl__state_thread_parts(&rows, &n, state, (pawl_text){NULL, 0}, &arena, err);

        for (size_t i = 0; i < n && !status; i++)
                if (!but || pawl__map_get(but, rows[i].v[PAWL__STEP_RUN].text) == PAWL__MAP_NONE)
                        status = pawl__thread_seqs(&rows[i], each_seq, &w, err);
        pawl__arena_free(&arena);
        return status;
}

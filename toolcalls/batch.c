#include "toolcalls/batch.h"
#include "base/error.h"
#include "base/json_write.h"
#include "events/mask.h"
#include <stdio.h>
#include <stdlib.h>

/* The longest id of a call, and name of a tool, that an event takes; bytes. */
enum { WORD_MAX_LEN = 512 };
enum { CALLS_MAX = 4096 };

/* ---- Reading --------------------------------------------------------------------------------- */

static pawl_status not_too_long(
        pawl_text text, const char *where, const char *name, pawl_error *err)
{
        if (text.len <= WORD_MAX_LEN)
                return PAWL_OK;
        return pawl__fail(err, PAWL_ETOOBIG, "%s%s: has %zu bytes; at most %d are taken", where,
                name, text.len, WORD_MAX_LEN);
}

static bool is_edit_tool(const pawl_toolcalls_options *options, pawl_text tool)
{
        static const char *const usual[] = {"replace", "write_file"};
        const char *const *names = options->edit_tools ? options->edit_tools : usual;
        size_t n = options->edit_tools ? options->n_edit_tools : 2;

        for (size_t i = 0; i < n; i++)
                if (pawl__text_is(tool, names[i]))
                        return true;
        return false;
}

static pawl_status read_call(pawl__call *call, const pawl__json_tree *tree, size_t index,
        const pawl_toolcalls_options *options, pawl_error *err)
{
        char where[40], inside[48];

        snprintf(where, sizeof where, "calls[%zu]", index);
        snprintf(inside, sizeof inside, "%s.", where);
        pawl_status status = pawl__toolcall_check(tree, call->node, where, true, err);
        if (!status)
                status = pawl__toolcall_member(
                        tree, call->node, inside, "callId", PAWL__JSON_STRING, true, err);
        if (status)
                return status;
        call->outcome.call_id = pawl__json_get_text(tree, call->node, "callId");
        call->outcome.tool = pawl__json_get_text(tree, call->node, "name");
        call->outcome.edits = is_edit_tool(options, call->outcome.tool);
        if (call->outcome.call_id.len == 0)
                return pawl__fail(err, PAWL_EINVAL,
                        "calls[%zu].callId: is empty; give each call an id", index);
        status = not_too_long(call->outcome.call_id, inside, "callId", err);
        return status ? status : not_too_long(call->outcome.tool, inside, "name", err);
}

/* The array of calls. */
static pawl_status find_calls(pawl__node *out, const pawl__json_tree *tree, pawl_error *err)
{
        static const char *const ours[] = {"toolCall", "commitHash"};

        *out = 0;
        if (pawl__json_at(tree, 0)->type == PAWL__JSON_ARRAY)
                return PAWL_OK;
        if (pawl__json_at(tree, 0)->type != PAWL__JSON_OBJECT)
                return pawl__fail(err, PAWL_EINVAL,
                        "calls: are no array; write [{\"callId\", \"name\", \"args\"}], or an object "
                        "with such a member");
        for (size_t i = 0; i < 2; i++)
                if (pawl__json_get(tree, 0, ours[i]) != PAWL__NO_NODE)
                        return pawl__fail(err, PAWL_EINVAL,
                                "%s: belongs to the document that is made of a call; leave it out",
                                ours[i]);
        *out = pawl__json_get(tree, 0, "calls");
        pawl_status status =
                pawl__toolcall_member(tree, 0, "", "calls", PAWL__JSON_ARRAY, true, err);
        return status ? status : pawl__toolcall_context(tree, 0, err);
}

static pawl_status read_calls(
        pawl_toolcalls *batch, const pawl_toolcalls_options *options, pawl_error *err)
{
        const pawl__json_tree *tree = &batch->tree;
        pawl__node list;
        pawl_status status = find_calls(&list, tree, err);

        if (status)
                return status;
        batch->n = pawl__json_at(tree, list)->count;
        if (batch->n > CALLS_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "calls: are %zu; at most %d are taken, give them in several batches",
                        batch->n, CALLS_MAX);
        batch->calls = calloc(batch->n + 1, sizeof *batch->calls);
        if (!batch->calls)
                return pawl__nomem(err);
        pawl__node node = pawl__json_first(tree, list);
        for (size_t i = 0; i < batch->n && !status; i++) {
                batch->calls[i].node = node;
                status = read_call(&batch->calls[i], tree, i, options, err);
                node = pawl__json_after(tree, list, node);
        }
        return status;
}

pawl_status pawl__calls_read(pawl_toolcalls **out, const char *json, size_t len,
        const pawl__mask *mask, const pawl_toolcalls_options *options, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_text masked = pawl__text_n(json, len);
        pawl_toolcalls *batch;
        pawl_status status;

        if (len > PAWL_TOOLCALL_MAX)
                return pawl__fail(err, PAWL_ETOOBIG, "calls: have %zu bytes; at most %zu are read",
                        len, PAWL_TOOLCALL_MAX);
        batch = calloc(1, sizeof *batch);
        if (!batch)
                return pawl__nomem(err);
        status = pawl__calls_mask(&masked, mask, &arena);
        if (!status)
                status = pawl__buf_add_text(&batch->text, masked);
        pawl__arena_free(&arena);
        if (status)
                status = pawl__nomem(err);
        const pawl_text whole = pawl__buf_text(&batch->text);
        if (!status)
                status = pawl__json_tree_read(&batch->tree, whole.data, whole.len, err);
        if (!status)
                status = read_calls(batch, options, err);
        if (status) {
                pawl_toolcalls_free(batch);
                return status;
        }
        *out = batch;
        return PAWL_OK;
}

/* ---- Telling --------------------------------------------------------------------------------- */

size_t pawl_toolcalls_count(const pawl_toolcalls *batch)
{
        return batch ? batch->n : 0;
}

size_t pawl_toolcalls_failed(const pawl_toolcalls *batch)
{
        size_t failed = 0;

        for (size_t i = 0; i < pawl_toolcalls_count(batch); i++)
                failed += batch->calls[i].outcome.status != PAWL_OK;
        return failed;
}

const pawl_toolcall_outcome *pawl_toolcalls_at(const pawl_toolcalls *batch, size_t index)
{
        return index < pawl_toolcalls_count(batch) ? &batch->calls[index].outcome : NULL;
}

pawl_status pawl_toolcalls_json(
        char **json, size_t *len, const pawl_toolcalls *batch, pawl_error *err)
{
        pawl__buf out = PAWL__BUF_INIT;
        const char *comma = "";

        if (!batch)
                return pawl__fail(err, PAWL_EINVAL, "batch: " PAWL__NO_HANDLE);
        pawl__buf_adds(&out, "{\"calls\":[");
        for (size_t i = 0; i < batch->n; i++) {
                pawl__buf_adds(&out, i ? "," : "");
                pawl__toolcall_call(&out, &batch->tree, batch->calls[i].node,
                        batch->calls[i].outcome.checkpoint, false);
        }
        pawl__buf_adds(&out, "],\"errors\":[");
        for (size_t i = 0; i < batch->n; i++) {
                if (!batch->calls[i].outcome.status)
                        continue;
                pawl__buf_addf(&out, "%s{\"callId\":", comma);
                pawl__json_quote(&out, batch->calls[i].outcome.call_id);
                pawl__buf_adds(&out, ",\"error\":");
                pawl__json_quote(&out, pawl__text(batch->calls[i].outcome.error));
                pawl__buf_addc(&out, '}');
                comma = ",";
        }
        pawl__buf_adds(&out, "]}");
        char *taken = pawl__buf_take(&out, len);
        pawl__buf_free(&out);
        if (!taken)
                return pawl__nomem(err);
        *json = taken;
        return PAWL_OK;
}

void pawl_toolcalls_free(pawl_toolcalls *batch)
{
        if (!batch)
                return;
        pawl__json_tree_free(&batch->tree);
        pawl__buf_free(&batch->text);
        free(batch->calls);
        free(batch);
}

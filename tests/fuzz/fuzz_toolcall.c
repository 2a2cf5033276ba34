/*
 * The first byte says whether what follows is a document of a tool call or a batch of calls. What
 * is refused says so by the member; what is read is written again without a loss, and each call of
 * a batch makes a document that is read. Names made of what calls say are names that a restore
 * takes.
 */
#include "base/json_canon.h"
#include "base/json_write.h"
#include "fuzz/fuzzing.h"
#include "toolcalls/batch.h"

/* The canonical form of @p json without the member @p left_out of the object that it is. */
static void canonical(pawl__buf *out, pawl_text json, const char *left_out)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf members = PAWL__BUF_INIT;
        const char *comma = "{";

        require(pawl__json_tree_read(&tree, json.data, json.len, NULL) == PAWL_OK);
        for (pawl__node m = pawl__json_first(&tree, 0); m != PAWL__NO_NODE;
                m = pawl__json_after(&tree, 0, m)) {
                const pawl__json_node *node = pawl__json_at(&tree, m);
                if (left_out && pawl__text_is(node->name, left_out))
                        continue;
                /* from its value on, to where that ends */
                pawl__json_reader reader;
                pawl__json_token token = {.raw = NULL};
                pawl__json_reader_init(&reader, json.data + node->offset, json.len - node->offset);
                do
                        require(pawl__json_next(&reader, &token, NULL) == PAWL_OK);
                while (reader.depth > 0);
                require(!pawl__buf_adds(&members, comma) &&
                        !pawl__json_quote(&members, node->name) && !pawl__buf_adds(&members, ":") &&
                        !pawl__buf_add(&members, json.data + node->offset, reader.at));
                comma = ",";
        }
        require(!pawl__buf_adds(&members, *comma == '{' ? "{}" : "}"));
        require(pawl__json_canon(out, members.data, members.len, NULL) == PAWL_OK);
        pawl__buf_free(&members);
        pawl__json_tree_free(&tree);
}

static void same_but_for(const char *member, pawl_text a, pawl_text b)
{
        pawl__buf one = PAWL__BUF_INIT, two = PAWL__BUF_INIT;

        canonical(&one, a, member);
        canonical(&two, b, member);
        require(pawl__text_eq(pawl__buf_text(&one), pawl__buf_text(&two)));
        pawl__buf_free(&one);
        pawl__buf_free(&two);
}

static void is_object(pawl_text json)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        require(pawl__json_tree_read(&tree, json.data, json.len, NULL) == PAWL_OK);
        require(pawl__json_at(&tree, 0)->type == PAWL__JSON_OBJECT);
        pawl__json_tree_free(&tree);
}

static void check_written(const pawl_toolcall *call, pawl_text original, const char *commit)
{
        pawl_toolcall *again = NULL;
        char *json;
        size_t len;

        require(pawl_toolcall_write(&json, &len, call, commit, NULL) == PAWL_OK);
        same_but_for(commit ? "commitHash" : NULL, original, pawl__text_n(json, len));
        require(pawl_toolcall_read(&again, json, len, NULL) == PAWL_OK);
        if (commit)
                require(pawl__text_is(pawl_toolcall_told(again)->commit_hash, commit));
        require(pawl__text_eq(pawl_toolcall_told(again)->tool, pawl_toolcall_told(call)->tool));
        pawl_toolcall_free(again);
        pawl_free(json);
}

static void document(pawl_text text)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_toolcall *call = NULL;
        pawl_status status = pawl_toolcall_read(&call, text.data, text.len, &err);

        if (status) {
                require_message(&err, status);
                require(!call);
                return;
        }
        const pawl_toolcall_info *info = pawl_toolcall_told(call);
        require(info->tool.data && pawl__utf8_valid(info->tool.data, info->tool.len));
        is_object(info->args);
        is_object(info->tool_call);
        check_written(call, text, NULL);
        check_written(call, text, "cp-01-before-a-b-20260120-143000");
        pawl_toolcall_free(call);
}

static void check_call(const pawl_toolcalls *batch, size_t index)
{
        const pawl_toolcall_outcome *outcome = pawl_toolcalls_at(batch, index);
        char id[PAWL__TOOLCALL_PART_MAX], tool[PAWL__TOOLCALL_PART_MAX];
        char name[PAWL__TOOLCALL_NAME_MAX];
        pawl__buf text = PAWL__BUF_INIT;
        pawl_toolcall *call = NULL;

        require(outcome->status == PAWL_OK && !outcome->checkpoint && !outcome->error);
        pawl__toolcall_part(id, outcome->call_id);
        pawl__toolcall_part(tool, outcome->tool);
        pawl__toolcall_name(name, INT64_C(1768919400123), id, tool);
        require(!pawl__toolcall_name_wrong(pawl__text(name)));
        pawl__toolcall_compose(
                &text, &batch->tree, 0, batch->calls[index].node, "calls", pawl__text("cp-01"));
        require(pawl__toolcall_of(&call, &text, NULL) == PAWL_OK);
        require(pawl__text_is(pawl_toolcall_told(call)->commit_hash, "cp-01"));
        require(pawl__text_eq(pawl_toolcall_told(call)->tool, outcome->tool));
        pawl_toolcall_free(call);
}

static void batch_of(pawl_text text)
{
        pawl_toolcalls_options options = PAWL_TOOLCALLS_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_toolcalls *batch = NULL;
        char *json;
        size_t len;

        options.off = true;
        pawl_status status =
                pawl_toolcalls_checkpoint(&batch, NULL, text.data, text.len, &options, &err);
        if (status) {
                require_message(&err, status);
                require(!batch);
                return;
        }
        for (size_t i = 0; i < pawl_toolcalls_count(batch); i++)
                check_call(batch, i);
        require(pawl_toolcalls_failed(batch) == 0);
        require(pawl_toolcalls_json(&json, &len, batch, NULL) == PAWL_OK);
        is_object(pawl__text_n(json, len));
        pawl_free(json);
        pawl_toolcalls_free(batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        bytes input = {data, size};
        bool is_batch = take_byte(&input) & 1;
        pawl_text text = take_bytes(&input, input.left);

        if (is_batch)
                batch_of(text);
        else
                document(text);
        require(!text.len || pawl__toolcall_name_wrong(text) || !memchr(text.data, '/', text.len));
        return 0;
}

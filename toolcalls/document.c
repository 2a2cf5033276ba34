#include "toolcalls/document.h"
#include "base/error.h"
#include "base/json_write.h"
#include "toolcalls/named_paths.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- Reading --------------------------------------------------------------------------------- */

static const char *called(pawl__json_type type)
{
        switch (type) {
        case PAWL__JSON_STRING:
                return "text";
        case PAWL__JSON_ARRAY:
                return "an array";
        default:
                return "an object";
        }
}

pawl_status pawl__toolcall_member(const pawl__json_tree *tree, pawl__node object, const char *where,
        const char *name, pawl__json_type type, bool required, pawl_error *err)
{
        pawl__node node = pawl__json_get(tree, object, name);

        /* one that is null counts as absent */
        if (node == PAWL__NO_NODE || pawl__json_at(tree, node)->type == PAWL__JSON_NULL)
                return !required ? PAWL_OK
                                 : pawl__fail(err, PAWL_EINVAL, "%s%s: is missing; it must be %s",
                                           where, name, called(type));
        if (pawl__json_at(tree, node)->type != type)
                return pawl__fail(err, PAWL_EINVAL, "%s%s: is not %s; write it so", where, name,
                        called(type));
        return PAWL_OK;
}

pawl_status pawl__toolcall_check(const pawl__json_tree *tree, pawl__node node, const char *where,
        bool may_lack_args, pawl_error *err)
{
        char inside[64];

        if (pawl__json_at(tree, node)->type != PAWL__JSON_OBJECT)
                return pawl__fail(err, PAWL_EINVAL,
                        "%s: is not an object; write {\"name\", \"args\"}", where);
        snprintf(inside, sizeof inside, "%s.", where);
        pawl_status status =
                pawl__toolcall_member(tree, node, inside, "name", PAWL__JSON_STRING, true, err);
        return status ? status
                      : pawl__toolcall_member(
                                tree, node, inside, "args", PAWL__JSON_OBJECT, !may_lack_args, err);
}

pawl_status pawl__toolcall_context(const pawl__json_tree *tree, pawl__node object, pawl_error *err)
{
        static const struct {
                const char *name;
                pawl__json_type type;
        } members[] = {{"history", PAWL__JSON_ARRAY}, {"clientHistory", PAWL__JSON_ARRAY},
                {"messageId", PAWL__JSON_STRING}};
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < sizeof members / sizeof members[0] && !status; i++)
                status = pawl__toolcall_member(
                        tree, object, "", members[i].name, members[i].type, false, err);
        return status;
}

static pawl_status check_document(const pawl__json_tree *tree, pawl_error *err)
{
        pawl__node call = pawl__json_get(tree, 0, "toolCall");

        if (pawl__json_at(tree, 0)->type != PAWL__JSON_OBJECT)
                return pawl__fail(err, PAWL_EINVAL,
                        "document: is not an object; write {\"toolCall\": {\"name\", \"args\"}}");
        if (call == PAWL__NO_NODE)
                return pawl__fail(err, PAWL_EINVAL, "toolCall: is missing; it must be an object");
        pawl_status status = pawl__toolcall_check(tree, call, "toolCall", false, err);
        if (!status)
                status = pawl__toolcall_context(tree, 0, err);
        return status ? status
                      : pawl__toolcall_member(
                                tree, 0, "", "commitHash", PAWL__JSON_STRING, false, err);
}

/* A container as it was written; absent where it is not there. */
static pawl_text written(const pawl__json_tree *tree, pawl__node node)
{
        return node == PAWL__NO_NODE || pawl__json_at(tree, node)->type == PAWL__JSON_NULL
                       ? pawl__text(NULL)
                       : pawl__json_at(tree, node)->value;
}

static void tell(pawl_toolcall *call)
{
        const pawl__json_tree *tree = &call->tree;
        pawl__node tool_call = pawl__json_get(tree, 0, "toolCall");

        call->info = (pawl_toolcall_info){.tool = pawl__json_get_text(tree, tool_call, "name"),
                .args = written(tree, pawl__json_get(tree, tool_call, "args")),
                .tool_call = written(tree, tool_call),
                .history = written(tree, pawl__json_get(tree, 0, "history")),
                .client_history = written(tree, pawl__json_get(tree, 0, "clientHistory")),
                .commit_hash = pawl__json_get_text(tree, 0, "commitHash"),
                .message_id = pawl__json_get_text(tree, 0, "messageId")};
}

pawl_status pawl__toolcall_of(pawl_toolcall **out, pawl__buf *text, pawl_error *err)
{
        pawl_toolcall *call = calloc(1, sizeof *call);
        pawl_status status = PAWL_OK;

        if (!call) {
                pawl__buf_free(text);
                return pawl__nomem(err);
        }
        call->text = *text;
        *text = (pawl__buf)PAWL__BUF_INIT;
        if (call->text.len > PAWL_TOOLCALL_MAX)
                status = pawl__fail(err, PAWL_ETOOBIG,
                        "document: has %zu bytes; at most %zu are read", call->text.len,
                        PAWL_TOOLCALL_MAX);
        const pawl_text whole = pawl__buf_text(&call->text);
        if (!status)
                status = pawl__json_tree_read(&call->tree, whole.data, whole.len, err);
        if (!status)
                status = check_document(&call->tree, err);
        if (!status)
                tell(call);
        if (!status)
                status = pawl__named_paths(&call->info.named.paths, &call->info.named.n_paths,
                        &call->tree,
                        pawl__json_get(
                                &call->tree, pawl__json_get(&call->tree, 0, "toolCall"), "args"),
                        &call->arena, err);
        if (status) {
                pawl_toolcall_free(call);
                return status;
        }
        *out = call;
        return PAWL_OK;
}

pawl_status pawl_toolcall_read(pawl_toolcall **out, const char *json, size_t len, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;

        if (len > PAWL_TOOLCALL_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "document: has %zu bytes; at most %zu are read", len, PAWL_TOOLCALL_MAX);
        if (pawl__buf_add(&text, json, len))
                return pawl__nomem(err);
        return pawl__toolcall_of(out, &text, err);
}

const pawl_toolcall_info *pawl_toolcall_told(const pawl_toolcall *call)
{
        return call ? &call->info : NULL;
}

const pawl_rollback_plan *pawl_toolcall_plan(const pawl_toolcall *call)
{
        return call ? call->plan : NULL;
}

void pawl_toolcall_free(pawl_toolcall *call)
{
        if (!call)
                return;
        pawl_rollback_plan_free(call->plan);
        pawl__json_tree_free(&call->tree);
        pawl__arena_free(&call->arena);
        pawl__buf_free(&call->text);
        free(call);
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct writing {
        pawl__buf *out;
        const pawl__json_tree *tree;
        const char *comma;
} writing;

static void put_name(writing *w, pawl_text name)
{
        pawl__buf_adds(w->out, w->comma);
        pawl__json_quote(w->out, name);
        pawl__buf_adds(w->out, ":");
        w->comma = ",";
}

static void put_member(writing *w, pawl__node member)
{
        put_name(w, pawl__json_at(w->tree, member)->name);
        pawl__json_node_text(w->out, pawl__json_at(w->tree, member));
}

static void put_if_there(writing *w, pawl__node object, const char *name)
{
        pawl__node member = pawl__json_get(w->tree, object, name);

        if (member != PAWL__NO_NODE)
                put_member(w, member);
}

static void put_call(writing *w, pawl__node call, const char *checkpoint, bool with_args)
{
        const pawl__json_tree *tree = w->tree;
        const pawl__node args = pawl__json_get(tree, call, "args");
        const bool has_args =
                args != PAWL__NO_NODE && pawl__json_at(tree, args)->type != PAWL__JSON_NULL;

        pawl__buf_adds(w->out, "{");
        w->comma = "";
        for (pawl__node m = pawl__json_first(tree, call); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, call, m))
                if (!pawl__text_is(pawl__json_at(tree, m)->name, "checkpoint") &&
                        (m != args || has_args || !with_args))
                        put_member(w, m);
        if (with_args && !has_args) {
                put_name(w, pawl__text("args"));
                pawl__buf_adds(w->out, "{}");
        }
        if (checkpoint) {
                put_name(w, pawl__text("checkpoint"));
                pawl__json_quote(w->out, pawl__text(checkpoint));
        }
        pawl__buf_adds(w->out, "}");
        w->comma = ",";
}

void pawl__toolcall_call(pawl__buf *out, const pawl__json_tree *tree, pawl__node call,
        const char *checkpoint, bool with_args)
{
        writing w = {out, tree, ""};

        put_call(&w, call, checkpoint, with_args);
}

static bool is_known(pawl_text name)
{
        static const char *const known[] = {
                "history", "clientHistory", "commitHash", "messageId", "toolCall"};

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                if (pawl__text_is(name, known[i]))
                        return true;
        return false;
}

void pawl__toolcall_compose(pawl__buf *out, const pawl__json_tree *tree, pawl__node root,
        pawl__node call, const char *leave_out, pawl_text commit)
{
        writing w = {out, tree, ""};
        bool object = pawl__json_at(tree, root)->type == PAWL__JSON_OBJECT;
        pawl__node others = object ? root : PAWL__NO_NODE;

        pawl__buf_adds(out, "{");
        put_if_there(&w, others, "history");
        put_if_there(&w, others, "clientHistory");
        if (commit.data) {
                put_name(&w, pawl__text("commitHash"));
                pawl__json_quote(out, commit);
        } else {
                put_if_there(&w, others, "commitHash");
        }
        put_if_there(&w, others, "messageId");
        if (call == PAWL__NO_NODE) {
                put_if_there(&w, others, "toolCall");
        } else {
                put_name(&w, pawl__text("toolCall"));
                put_call(&w, call, NULL, true);
        }
        for (pawl__node m = object ? pawl__json_first(tree, root) : PAWL__NO_NODE;
                m != PAWL__NO_NODE; m = pawl__json_after(tree, root, m)) {
                pawl_text name = pawl__json_at(tree, m)->name;
                if (!is_known(name) && !(leave_out && pawl__text_is(name, leave_out)))
                        put_member(&w, m);
        }
        pawl__buf_adds(out, "}");
}

pawl_status pawl_toolcall_write(char **json, size_t *len, const pawl_toolcall *call,
        const char *commit_hash, pawl_error *err)
{
        pawl__buf out = PAWL__BUF_INIT;

        if (!call)
                return pawl__fail(err, PAWL_EINVAL, "call: " PAWL__NO_HANDLE);
        if (commit_hash && !pawl__utf8_valid(commit_hash, strlen(commit_hash)))
                return pawl__fail(
                        err, PAWL_EINVAL, "commitHash: is not UTF-8; write it in that encoding");
        pawl__toolcall_compose(&out, &call->tree, 0, PAWL__NO_NODE, NULL, pawl__text(commit_hash));
        char *taken = pawl__buf_take(&out, len);
        pawl__buf_free(&out);
        if (!taken)
                return pawl__nomem(err);
        *json = taken;
        return PAWL_OK;
}

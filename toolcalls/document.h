/**
 * @file toolcalls/document.h
 * @brief The document of a tool call: {history?, clientHistory?, commitHash?, messageId?,
 *        toolCall: {name, args}}, read strictly and written with all that it held.
 *
 * Values are passed on as they were written, digit by digit; only strings are written anew, with
 * the same characters. So what this version does not know survives, at any depth.
 */
#pragma once

#include "base/json_tree.h"
#include <pawl/toolcalls.h>

struct pawl_toolcall {
        pawl__buf text;
        pawl__json_tree tree; /* of the text */
        pawl__arena arena;
        pawl_toolcall_info info;
        pawl_rollback_plan *plan;
};

/** Is @p node an object {name, args} of text and an object? @p may_lack_args: it may have none.
 *  PAWL_EINVAL "WHERE.name: ...". */
PAWL_MUST_CHECK pawl_status pawl__toolcall_check(const pawl__json_tree *tree, pawl__node node,
        const char *where, bool may_lack_args, pawl_error *err);

/** Is the member @p name of the object, if there is one, of this type? PAWL_EINVAL "WHEREname: ".
 */
PAWL_MUST_CHECK pawl_status pawl__toolcall_member(const pawl__json_tree *tree, pawl__node object,
        const char *where, const char *name, pawl__json_type type, bool required, pawl_error *err);

/** Those of the members history, clientHistory and messageId that are there are of their types. */
PAWL_MUST_CHECK pawl_status pawl__toolcall_context(
        const pawl__json_tree *tree, pawl__node object, pawl_error *err);

/** Read @p text, which the document takes over. On failure nothing is to be freed. */
PAWL_MUST_CHECK pawl_status pawl__toolcall_of(
        pawl_toolcall **out, pawl__buf *text, pawl_error *err);

/**
 * Append a document: of @p root the known members in their order, then the others, but for
 * @p leave_out (NULL: none).
 * @param commit  its commitHash; absent: the one that is there
 * @param call    the object that becomes toolCall, without a member `checkpoint` and with args;
 *                PAWL__NO_NODE: the member toolCall of root, as it is
 */
void pawl__toolcall_compose(pawl__buf *out, const pawl__json_tree *tree, pawl__node root,
        pawl__node call, const char *leave_out, pawl_text commit);

/** Append @p call as it came, its member `checkpoint` replaced by @p checkpoint (NULL: left out).
 *  @p with_args: {} where it has none. */
void pawl__toolcall_call(pawl__buf *out, const pawl__json_tree *tree, pawl__node call,
        const char *checkpoint, bool with_args);

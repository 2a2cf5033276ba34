/**
 * @file base/json_tree.h
 * @brief A JSON document as a tree to look into: one flat array of nodes in document order.
 *
 * The tree borrows the text it was read from and, for strings with escapes, keeps decoded copies.
 * A node is named by its index; the root is 0. PAWL__NO_NODE means "none".
 */
#pragma once

#include "base/json_read.h"
#include "base/text.h"

typedef uint32_t pawl__node;
#define PAWL__NO_NODE UINT32_MAX

typedef struct pawl__json_node {
        uint8_t type;    /**< NULL, FALSE, TRUE, NUMBER, STRING, ARRAY or OBJECT */
        pawl__node next; /**< index just past this node's subtree */
        uint32_t count;  /**< elements or members of a container */
        uint32_t offset; /**< of the value in the text */
        pawl_text name;  /**< decoded, when its parent is an object; absent otherwise */
        pawl_text value; /**< string: decoded; number: its literal; container: its whole text */
} pawl__json_node;

typedef struct pawl__json_tree {
        const char *text;
        size_t len;
        pawl__json_node *nodes;
        size_t n, cap;
        unsigned depth;    /**< how deep its containers are nested */
        pawl__arena arena; /**< decoded strings */
} pawl__json_tree;

/** Zero-initialised is empty; may be read into again and again, keeping its memory,
 * but for what one text needed that was far larger than the next. */
#define PAWL__JSON_TREE_INIT                                                                       \
        {                                                                                          \
                NULL, 0, NULL, 0, 0, 0, PAWL__ARENA_INIT                                           \
        }

/** Read @p text, which must outlive the tree. PAWL_EPARSE (duplicate names too), PAWL_ENOMEM;
 *  PAWL_ETOOBIG from 4 GiB on. */
PAWL_MUST_CHECK pawl_status pawl__json_tree_read(
        pawl__json_tree *tree, const char *text, size_t len, pawl_error *err);
/** The same, and whether @p text is its own canonical form (RFC 8785), in the one pass. */
PAWL_MUST_CHECK pawl_status pawl__json_tree_read_canonical(
        bool *canonical, pawl__json_tree *tree, const char *text, size_t len, pawl_error *err);
void pawl__json_tree_free(pawl__json_tree *tree);

static inline const pawl__json_node *pawl__json_at(const pawl__json_tree *tree, pawl__node node)
{
        return &tree->nodes[node];
}

/** The first child of a container, or PAWL__NO_NODE; the sibling after, or PAWL__NO_NODE.
 *  for (n = first(t, p); n != PAWL__NO_NODE; n = after(t, p, n)) */
pawl__node pawl__json_first(const pawl__json_tree *tree, pawl__node parent);
pawl__node pawl__json_after(const pawl__json_tree *tree, pawl__node parent, pawl__node node);

/** The member of that name, or PAWL__NO_NODE (also when @p object is none or no object). */
pawl__node pawl__json_get_n(const pawl__json_tree *tree, pawl__node object, pawl_text name);
static inline pawl__node pawl__json_get(
        const pawl__json_tree *tree, pawl__node object, const char *name)
{
        return pawl__json_get_n(tree, object, pawl__text(name));
}

/** A member's string (decoded), or the absent text when missing or of another type. */
pawl_text pawl__json_get_text(const pawl__json_tree *tree, pawl__node object, const char *name);

/** RFC 6901: "" is the root, "/a/0/b~1c" a path; PAWL__NO_NODE when it leads nowhere. A pointer
 *  that is not of the form gives PAWL__NO_NODE too. */
pawl__node pawl__json_pointer(const pawl__json_tree *tree, pawl_text pointer);

/** A number node as an integer: false when it has a fraction, an exponent or does not fit. */
bool pawl__json_int(const pawl__json_node *node, int64_t *out);
/** A number node as a double (in the C locale, correctly rounded). */
double pawl__json_double(const pawl__json_node *node);

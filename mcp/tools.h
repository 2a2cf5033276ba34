/**
 * @file mcp/tools.h
 * @brief The commands as tools: what a client may call, and a call as the words of a command line.
 *
 * A tool has the command's name with `_` for each space. Its arguments have the names of the
 * command's arguments, in lower case, and of its options; `-` and `_` in a name are the same.
 */
#pragma once

#include "base/json_tree.h"
#include "base/json_write.h"
#include "command/registry.h"

/** A member of a client's message, or PAWL__NO_NODE; a member that is null counts as absent. */
static inline pawl__node mcp_get(const pawl__json_tree *tree, pawl__node object, const char *name)
{
        const pawl__node node = pawl__json_get(tree, object, name);

        return node != PAWL__NO_NODE && pawl__json_at(tree, node)->type == PAWL__JSON_NULL
                       ? PAWL__NO_NODE
                       : node;
}

/** A tool's command, and the name by which a command line calls it. */
typedef struct mcp_tool {
        const cli_program *program;
        const cli_cmd *cmd;
        bool starts; /**< it starts programs: it is run in a process of its own */
} mcp_tool;

/** False: there is no such tool. */
bool mcp_tool_find(mcp_tool *out, const cli_registry *registry, pawl_text name);

/** Is this a choice of tools: "core", "all", names of tools, or several of these between commas?
 *  PAWL_EINVAL names the word that is neither. */
PAWL_MUST_CHECK pawl_status mcp_tools_check(
        const char *choice, const cli_registry *registry, pawl_error *err);
/** Write {"tools": [...]} as members of an object that is open: those of @p choice; NULL: "core".
 *  Every tool can be called, listed or not. */
void mcp_tools_write(pawl__json_writer *w, const cli_registry *registry, const char *choice);

/** Append what a command says, in the words of tools: a client knows neither programs nor options.
 */
void mcp_tool_text(pawl__buf *out, pawl_text text, const cli_registry *registry);
/** The same as a member. */
void mcp_tool_member(
        pawl__json_writer *w, const char *name, const char *text, const cli_registry *registry);

/** A command line. Zero-initialise; mcp_words_free(). */
typedef struct mcp_words {
        const char **list;
        size_t n, cap;
        pawl__arena arena;
} mcp_words;

/**
 * The words of a call, without the command's name: --json, the options, the arguments.
 * @param arguments  an object of @p tree, or PAWL__NO_NODE.
 * @return PAWL_EINVAL naming the argument.
 */
PAWL_MUST_CHECK pawl_status mcp_tool_words(mcp_words *out, const mcp_tool *tool,
        const pawl__json_tree *tree, pawl__node arguments, pawl_error *err);
/** Append a word; the text is copied. */
PAWL_MUST_CHECK pawl_status mcp_words_add(mcp_words *words, pawl_text word, pawl_error *err);
void mcp_words_free(mcp_words *words);

/* ---- For the parts of this ------------------------------------------------------------------- */

/** Call @p fn for each command that is a tool, with its name as one. */
typedef void (*mcp_tool_fn)(const mcp_tool *tool, const pawl__buf *name, void *user);
void mcp_each_tool(const cli_registry *registry, mcp_tool_fn fn, void *user);

/** One word of a command's arguments, "A [B] [PATH...]". */
typedef struct mcp_argument {
        char name[32]; /**< in lower case; of "[TOKEN|RUN]" the first */
        bool required, repeated;
} mcp_argument;

/** As cli_next_arg(). */
bool mcp_next_argument(mcp_argument *out, const char **at);
/** Is the option an argument of the tool? Not those of this machine alone, --json, which is always
 *  given, and --actor, since the client's name says who acts. */
bool mcp_offers(const cli_option *option, const mcp_tool *tool);

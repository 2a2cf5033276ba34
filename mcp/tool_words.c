/* A call as the words of a command line. */
#include "base/error.h"
#include "mcp/tools.h"
#include <ctype.h>
#include <stdlib.h>

void mcp_words_free(mcp_words *words)
{
        free(words->list);
        pawl__arena_free(&words->arena);
}

pawl_status mcp_words_add(mcp_words *words, pawl_text word, pawl_error *err)
{
        if (pawl__grow(&words->list, &words->cap, words->n + 1, sizeof *words->list))
                return pawl__nomem(err);
        words->list[words->n] = pawl__arena_copy(&words->arena, word).data;
        pawl_status status = pawl__arena_check(&words->arena, err);
        words->n += !status;
        return status;
}

/* "Dry_Run" is "dry-run". */
static bool is_named(pawl_text given, const char *name)
{
        if (given.len != strlen(name))
                return false;
        for (size_t i = 0; i < given.len; i++) {
                const char c = given.data[i] == '_' ? '-' : given.data[i];
                if (tolower((unsigned char)c) != tolower((unsigned char)name[i]))
                        return false;
        }
        return true;
}

/* The value as a word would have it. The absent text: it has another type. */
static pawl_text word_of(const pawl__json_node *node)
{
        switch (node->type) {
        case PAWL__JSON_STRING:
        case PAWL__JSON_NUMBER:
                return node->value;
        case PAWL__JSON_TRUE:
                return pawl__text("true");
        default:
                return pawl__text(NULL);
        }
}

static pawl_status wrong(const pawl__json_node *node, const char *what, pawl_error *err)
{
        return pawl__fail(err, PAWL_EINVAL, "arguments.%.*s: %s", PAWL__FMT(node->name), what);
}

static pawl_status check_word(
        pawl_text *word, const pawl__json_node *of, const pawl__json_node *value, pawl_error *err)
{
        *word = word_of(value);
        if (!word->data)
                return wrong(of, "is no text or number; give one", err);
        return memchr(word->data, '\0', word->len) ? wrong(of, "holds a NUL; leave it out", err)
                                                   : PAWL_OK;
}

static pawl_status add_option(mcp_words *out, const cli_option *option, const pawl__json_node *of,
        const pawl__json_node *value, pawl_error *err)
{
        pawl__buf word = PAWL__BUF_INIT;
        pawl_text text;
        pawl_status status = PAWL_OK;

        pawl__buf_addf(&word, "--%s", option->name);
        if (cli_is_flag(option)) {
                if (value->type == PAWL__JSON_FALSE)
                        goto end;
                if (value->type != PAWL__JSON_TRUE)
                        status = wrong(of, "is no boolean; give true or false", err);
        } else {
                status = check_word(&text, of, value, err);
                if (!status) {
                        pawl__buf_addc(&word, '=');
                        pawl__buf_add_text(&word, text);
                }
        }
        if (!status)
                status = pawl__buf_check(&word, err);
        if (!status)
                status = mcp_words_add(out, pawl__buf_text(&word), err);
end:
        pawl__buf_free(&word);
        return status;
}

static pawl_status add_options(mcp_words *out, const cli_option *option,
        const pawl__json_tree *tree, pawl__node node, pawl_error *err)
{
        const pawl__json_node *value = pawl__json_at(tree, node);
        pawl_status status = PAWL_OK;

        if (option->kind != CLI_TEXTS || value->type != PAWL__JSON_ARRAY)
                return add_option(out, option, value, value, err);
        for (pawl__node at = pawl__json_first(tree, node); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, node, at))
                status = add_option(out, option, value, pawl__json_at(tree, at), err);
        return status;
}

static const cli_option *find_option(const mcp_tool *tool, pawl_text name)
{
        for (const cli_option *o = tool->cmd->options; o && o->name; o++)
                if (mcp_offers(o, tool) && is_named(name, o->name))
                        return o;
        return NULL;
}

static bool is_argument(const mcp_tool *tool, pawl_text name)
{
        const char *at = tool->cmd->args;
        mcp_argument arg;

        while (mcp_next_argument(&arg, &at))
                if (is_named(name, arg.name))
                        return true;
        return false;
}

static pawl__node find_member(const pawl__json_tree *tree, pawl__node object, const char *name)
{
        if (object == PAWL__NO_NODE)
                return PAWL__NO_NODE;
        for (pawl__node at = pawl__json_first(tree, object); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, object, at))
                if (pawl__json_at(tree, at)->type != PAWL__JSON_NULL &&
                        is_named(pawl__json_at(tree, at)->name, name))
                        return at;
        return PAWL__NO_NODE;
}

static pawl_status add_argument(
        mcp_words *out, const pawl__json_tree *tree, pawl__node node, pawl_error *err)
{
        const pawl__json_node *of = pawl__json_at(tree, node);
        pawl_text word;
        pawl_status status = PAWL_OK;

        if (of->type != PAWL__JSON_ARRAY) {
                status = check_word(&word, of, of, err);
                return status ? status : mcp_words_add(out, word, err);
        }
        for (pawl__node at = pawl__json_first(tree, node); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, node, at)) {
                status = check_word(&word, of, pawl__json_at(tree, at), err);
                if (!status)
                        status = mcp_words_add(out, word, err);
        }
        return status;
}

/* After "--" nothing is an option; where paths come last, it is before them. */
static pawl_status add_arguments(mcp_words *out, const mcp_tool *tool, const pawl__json_tree *tree,
        pawl__node arguments, pawl_error *err)
{
        const char *const dashes = "--";
        const char *at = tool->cmd->args ? tool->cmd->args : "";
        const bool paths = strchr(at, ' ') && strstr(at, "...");
        pawl_status status = PAWL_OK;
        bool missing = false;
        mcp_argument arg;

        if (*at && !paths)
                status = mcp_words_add(out, pawl__text(dashes), err);
        while (!status && mcp_next_argument(&arg, &at)) {
                const pawl__node node = find_member(tree, arguments, arg.name);
                if (node == PAWL__NO_NODE) {
                        if (arg.required)
                                return pawl__fail(err, PAWL_EINVAL,
                                        "arguments.%s: is missing; give it", arg.name);
                        missing = true;
                        continue;
                }
                if (missing && !(paths && arg.repeated))
                        return pawl__fail(err, PAWL_EINVAL,
                                "arguments.%s: wants the one before it; give that too", arg.name);
                if (paths && arg.repeated)
                        status = mcp_words_add(out, pawl__text(dashes), err);
                else if (paths && pawl__text_starts(word_of(pawl__json_at(tree, node)), "-"))
                        return wrong(
                                pawl__json_at(tree, node), "begins with -; name it otherwise", err);
                if (!status)
                        status = add_argument(out, tree, node, err);
        }
        return status;
}

pawl_status mcp_tool_words(mcp_words *out, const mcp_tool *tool, const pawl__json_tree *tree,
        pawl__node arguments, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (arguments != PAWL__NO_NODE && pawl__json_at(tree, arguments)->type != PAWL__JSON_OBJECT)
                return pawl__fail(err, PAWL_EINVAL, "arguments: is no object; give one");
        for (const cli_option *o = tool->cmd->options; o && o->name && !status; o++)
                if (strcmp(o->name, "json") == 0)
                        status = mcp_words_add(out, pawl__text("--json"), err);
        if (arguments == PAWL__NO_NODE)
                return status ? status : add_arguments(out, tool, tree, arguments, err);
        for (pawl__node at = pawl__json_first(tree, arguments); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, arguments, at)) {
                const pawl__json_node *node = pawl__json_at(tree, at);
                const cli_option *option = find_option(tool, node->name);
                if (pawl__text_is(node->name, "next"))
                        continue; /* not the command's: which page of its result is wanted */
                if (!option && !is_argument(tool, node->name))
                        status = wrong(
                                node, "is not known; the tool's schema lists the arguments", err);
                else if (option && node->type != PAWL__JSON_NULL)
                        status = add_options(out, option, tree, at, err);
        }
        return status ? status : add_arguments(out, tool, tree, arguments, err);
}

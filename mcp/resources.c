#include "base/error.h"
#include "mcp/server.h"

static const char json[] = "application/json", plain[] = "text/plain";

/* A resource is a command; after the last `/` of a template comes the command's argument. */
static const struct resource {
        const char *uri, *name, *title;
        const char *argument;             /* NULL: none; a template's */
        const char *type, *tool, *option; /* NULL: the argument stands alone */
} resources[] = {
        {"pawl://status", "status", "What is blocked, failed, interrupted or at work", NULL, json,
                "status", NULL},
        {"pawl://runs", "runs", "All runs and how far they are", NULL, json, "runs", NULL},
        {"pawl://conflicts", "conflicts", "Open questions about terms, with their candidate senses",
                NULL, json, "conflicts", NULL},
        {"pawl://checkpoints", "checkpoints", "Checkpoints of the workspace", NULL, json,
                "checkpoints", NULL},
        {"pawl://sessions", "sessions", "Sessions, newest first", NULL, json, "sessions", NULL},
        {"pawl://glossary", "glossary", "The senses in force", NULL, json, "glossary_list", NULL},
        {"pawl://handoff", "handoff", "What the last session did, and what is next", NULL, plain,
                "handoff", NULL},
        {"pawl://runs/", "run", "One run and its steps", "run", json, "runs", "--id"},
        {"pawl://checkpoints/", "checkpoint", "One checkpoint", "checkpoint", json, "show", NULL},
        {"pawl://handoff/", "session handoff", "What that session did", "session", plain, "handoff",
                NULL},
};

enum { N_RESOURCES = sizeof resources / sizeof *resources };

static void write(pawl__json_writer *w, bool templates)
{
        pawl__json_name(w, templates ? "resourceTemplates" : "resources");
        pawl__json_open_array(w);
        for (const struct resource *r = resources; r < resources + N_RESOURCES; r++) {
                pawl__buf uri = PAWL__BUF_INIT;
                if (templates != (r->argument != NULL))
                        continue;
                pawl__buf_adds(&uri, r->uri);
                if (templates)
                        pawl__buf_addf(&uri, "{%s}", r->argument);
                pawl__json_open_object(w);
                pawl__json_member_text(w, templates ? "uriTemplate" : "uri", pawl__buf_text(&uri));
                pawl__json_member_string(w, "name", r->name);
                pawl__json_member_string(w, "title", r->title);
                pawl__json_member_string(w, "mimeType", r->type);
                pawl__json_close_object(w);
                w->buf.failed |= uri.failed;
                pawl__buf_free(&uri);
        }
        pawl__json_close_array(w);
}

void mcp_resources_write(pawl__json_writer *w)
{
        write(w, false);
}

void mcp_resource_templates_write(pawl__json_writer *w)
{
        write(w, true);
}

static const struct resource *find(pawl_text *argument, pawl_text uri)
{
        for (const struct resource *r = resources; r < resources + N_RESOURCES; r++) {
                const size_t len = strlen(r->uri);
                if (!r->argument && pawl__text_is(uri, r->uri))
                        return r;
                if (r->argument && uri.len > len && pawl__text_starts(uri, r->uri)) {
                        *argument = (pawl_text){uri.data + len, uri.len - len};
                        return r;
                }
        }
        return NULL;
}

/* Percent-encoding (RFC 3986) undone, at the end of @p out. False: it is wrong, or holds a NUL. */
static bool decode(pawl__buf *out, pawl_text text)
{
        static const char hex[] = "0123456789abcdef0123456789ABCDEF";

        for (size_t i = 0; i < text.len; i++) {
                char c = text.data[i];
                if (c == '%') {
                        const char *high =
                                i + 2 < text.len ? memchr(hex, text.data[i + 1], 32) : NULL;
                        const char *low = high ? memchr(hex, text.data[i + 2], 32) : NULL;
                        if (!low)
                                return false;
                        c = (char)((high - hex) % 16 << 4 | (low - hex) % 16);
                        i += 2;
                }
                if (!c)
                        return false;
                pawl__buf_addc(out, c);
        }
        return true;
}

/* A handoff's text is a member of what the command prints as JSON. */
static pawl_status take_text(pawl__buf *text, pawl_text output, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = pawl__json_tree_read(&tree, output.data, output.len, err);

        if (!status)
                pawl__buf_add_text(text, pawl__json_get_text(&tree, 0, "text"));
        pawl__json_tree_free(&tree);
        return status ? status : pawl__buf_check(text, err);
}

pawl_status mcp_resource_read(pawl__buf *text, const char **type, pawl_text uri, mcp_log *log,
        const cli_registry *registry, pawl_error *err)
{
        pawl__buf argument = PAWL__BUF_INIT;
        pawl_text given = {NULL, 0};
        mcp_outcome outcome = {.code = CLI_DONE};
        const struct resource *r = find(&given, uri);

        if (!r || !decode(&argument, given)) {
                pawl__buf_free(&argument);
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%.*s: is no resource; resources/list has those there are", PAWL__FMT(uri));
        }
        const char *const words[] = {r->option && argument.len ? r->option : "--",
                argument.len ? argument.data : NULL, NULL};
        pawl_status status = pawl__buf_check(&argument, err);
        if (!status)
                status = mcp_run_line(&outcome, log, registry, r->tool, words, NULL, err);
        if (!status && outcome.code)
                status = pawl__fail(
                        err, PAWL_ENOTFOUND, "%.*s: %s", PAWL__FMT(uri), outcome.failure.message);
        if (!status && r->type == plain)
                status = take_text(text, pawl__buf_text(&outcome.output), err);
        else if (!status)
                status = pawl__buf_add_text(text, pawl__buf_text(&outcome.output))
                                 ? pawl__nomem(err)
                                 : PAWL_OK;
        *type = r->type;
        mcp_outcome_free(&outcome);
        pawl__buf_free(&argument);
        return status;
}

/* pawl glossary propose: a seed draft from documents. */
#include "base/error.h"
#include "base/printable.h"
#include "base/unicode.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/documents.h"
#include "cli/pawl/senses.h"
#include "command/printable.h"
#include "command/table.h"
#include "glossary/propose.h"
#include <stdio.h>

enum { LIMIT = 50 };

typedef struct meaning {
        pawl_text definition;
        const char *form, *file;
        uint64_t line;
} meaning;

typedef struct item {
        pawl_text surface, definition, context;
        const char *source, *file;
        uint64_t count, documents, line;
        meaning *definitions;
        size_t n_definitions;
} item;

static const cli_field meaning_fields[] = {
        {"definition", CLI_AS_TEXT, CLI_AT(meaning, definition)},
        {"form", CLI_AS_STRING, CLI_AT(meaning, form)},
        {"file", CLI_AS_STRING, CLI_AT(meaning, file)},
        {"line", CLI_AS_INTEGER, CLI_AT(meaning, line)},
        CLI_NO_FIELD,
};

static const cli_field fields[] = {
        {"surface", CLI_AS_TEXT, CLI_AT(item, surface)},
        {"definition", CLI_AS_TEXT, CLI_AT(item, definition)},
        {"source", CLI_AS_STRING, CLI_AT(item, source)},
        {"count", CLI_AS_INTEGER, CLI_AT(item, count)},
        {"documents", CLI_AS_INTEGER, CLI_AT(item, documents)},
        {"file", CLI_AS_STRING, CLI_AT(item, file)},
        {"line", CLI_AS_INTEGER, CLI_AT(item, line)},
        {"context", CLI_AS_TEXT, CLI_AT(item, context)},
        {"definitions", CLI_AS_LIST, CLI_ITEMS(item, definitions, n_definitions),
                .fields = meaning_fields},
        CLI_NO_FIELD,
};

static item item_of(const cli_call *cli, const pawl__proposal *p, const cli_documents *documents)
{
        item made = {.surface = p->surface,
                .context = p->first.text,
                .source = p->source,
                .file = documents->names[p->first.document],
                .count = p->count,
                .documents = p->documents,
                .line = p->first.line,
                .definitions =
                        pawl__arena_array(cli->arena, p->n_definitions, sizeof *made.definitions)};

        for (size_t i = 0; made.definitions && i < p->n_definitions; i++) {
                const pawl__cited *d = &p->definitions[i];
                made.definitions[made.n_definitions++] =
                        (meaning){d->text, d->form, documents->names[d->document], d->line};
        }
        if (made.n_definitions)
                made.definition = made.definitions[0].definition;
        return made;
}

/* ---- As a seed ------------------------------------------------------------------------------- */

/* In double quotes, as YAML and JSON have them: of any text the same text again. */
static void put_quoted(FILE *out, pawl_text text)
{
        uint32_t c;

        fputc('"', out);
        for (size_t at = 0; at < text.len;) {
                const size_t size = pawl__unicode_decode(&c, text.data + at, text.len - at);
                if (c == '"' || c == '\\')
                        fprintf(out, "\\%c", (char)c);
                else if (pawl__unprintable(c))
                        fprintf(out, c > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)c);
                else
                        fwrite(text.data + at, 1, size, out);
                at += size;
        }
        fputc('"', out);
}

static void put_place(FILE *out, const char *file, uint64_t line)
{
        cli_puts(out, file);
        fprintf(out, ":%llu", (unsigned long long)line);
}

static void put_term(FILE *out, const item *it)
{
        fprintf(out, "  # %llu %s in %llu %s, first ", (unsigned long long)it->count,
                it->count == 1 ? "time" : "times", (unsigned long long)it->documents,
                it->documents == 1 ? "document" : "documents");
        put_place(out, it->file, it->line);
        if (!it->n_definitions && it->context.data) {
                fputs(": ", out);
                put_quoted(out, it->context);
        }
        for (size_t i = 0; i < it->n_definitions; i++) {
                fputs(i ? "\n  # or, by " : "; defined in ", out);
                put_place(out, it->definitions[i].file, it->definitions[i].line);
                if (i) {
                        fputs(": ", out);
                        put_quoted(out, it->definitions[i].definition);
                }
        }
        fputs("\n  - surface: ", out);
        put_quoted(out, it->surface);
        fputs("\n    definition: ", out);
        put_quoted(out, it->definition.data ? it->definition : pawl__text("Not defined yet."));
        fputs("\n    status: draft\n", out);
}

static void put_seed(FILE *out, const item *items, size_t n, size_t all, size_t documents)
{
        fprintf(out,
                "# Proposed from %zu %s: %zu of %zu terms, most worthwhile first. Edit the "
                "definitions, delete\n# what is no term of yours, and remove \"status: draft\" "
                "from each sense that is to hold.\n",
                documents, documents == 1 ? "document" : "documents", n, all);
        fputs(n ? "terms:\n" : "terms: []\n", out);
        for (size_t i = 0; items && i < n; i++)
                put_term(out, &items[i]);
}

/* ---- The command ----------------------------------------------------------------------------- */

static pawl_status print(cli_call *cli, const cli_documents *documents,
        const pawl__proposals *proposals, pawl_error *err)
{
        const uint64_t limit = cli_number(cli, "limit", LIMIT);
        const size_t n = proposals->n < limit ? proposals->n : (size_t)limit;
        item *items = pawl__arena_array(cli->arena, n, sizeof *items);

        for (size_t i = 0; items && i < n; i++)
                items[i] = item_of(cli, &proposals->items[i], documents);
        const pawl_status status = pawl__arena_check(cli->arena, err);
        if (status || cli_given(cli, "json"))
                return status ? status
                              : cli_print_list(cli, NULL, fields, items, n, sizeof *items, err);
        put_seed(cli->in->out, items, n, proposals->n, documents->n);
        return PAWL_OK;
}

static int propose_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__glossary *glossary = NULL;
        pawl__proposals proposals;
        cli_documents documents;

        pawl_status status = cli_documents_read(&documents, cli, &err);
        if (status)
                return cli_fail(cli, &err);
        status = pawl__glossary_new(&glossary, &err);
        if (!status)
                status = cli_glossary_load(glossary, cli, &err);
        if (!status)
                status = pawl__propose(
                        &proposals, cli->arena, glossary, documents.texts, documents.n, &err);
        if (!status)
                status = print(cli, &documents, &proposals, &err);
        pawl__glossary_free(glossary);
        cli_documents_free(&documents);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option propose_options[] = {
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "so many terms at most (default: 50)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_glossary_propose_cmd = {
        .name = "glossary propose",
        .args = "FILE...",
        .options = propose_options,
        .help = "Print a seed draft from documents: their terms and what they say of them",
        .run = propose_run,
};

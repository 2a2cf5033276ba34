/* pawl terms: layer 1 on a text. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/senses.h"
#include "command/fields.h"
#include "command/input.h"
#include "glossary/extract.h"
#include <stdio.h>

struct extracting {
        const cli_call *cli;
        pawl__arena arena;
        pawl__glossary *glossary;
        pawl__metadata metadata;
};

static pawl_status read_metadata(struct extracting *x, const char *name, pawl_error *err)
{
        cli_input input;
        pawl_text json;
        char *canonical;
        size_t len;

        if (!name)
                return PAWL_OK;
        pawl_status status = cli_input_open(&input, name, err);
        if (status)
                return status;
        status = cli_input_all(&json, &input, err);
        if (!status) {
                status = pawl_json_canonical(&canonical, &len, json.data, json.len, err);
                if (!status) {
                        status = pawl__metadata_read(
                                &x->metadata, &x->arena, pawl__text_n(canonical, len), err);
                        pawl_free(canonical);
                }
                if (status)
                        status = pawl__fail_prefix(err, status, "%.200s", name);
        }
        cli_input_close(&input);
        return status;
}

static const char *source_word(const void *value, char buf[CLI_WORD_MAX])
{
        (void)buf;
        return pawl__source_name(*(const pawl__source *)value);
}

static const cli_field fields[] = {
        {"surface", CLI_AS_TEXT, CLI_AT(pawl__term, surface)},
        {"source", CLI_AS_WORD, CLI_AT(pawl__term, source), .word = source_word},
        {"confidence", CLI_AS_NUMBER, CLI_AT(pawl__term, confidence)},
        {"original", CLI_AS_TEXT, CLI_AT(pawl__term, original)},
        CLI_NO_FIELD,
};

static pawl_status extract(
        struct extracting *x, const cli_input *input, pawl_text text, pawl_error *err)
{
        pawl__extraction *extraction;
        pawl__terms terms;
        size_t valid = pawl__utf8_span(text.data, text.len);

        if (valid < text.len)
                return pawl__fail(err, PAWL_EPARSE,
                        "%.200s: byte %zu: invalid UTF-8; give the text in UTF-8", input->name,
                        valid + 1);
        pawl_status status = pawl__extraction_new(&extraction, x->glossary, &x->metadata, err);
        if (status)
                return status;
        status = pawl__extraction_text(extraction, text, err);
        if (!status)
                status = pawl__extraction_terms(&terms, extraction, err);
        for (size_t i = 0; !status && i < terms.n; i++)
                status = cli_print_object(x->cli, fields, &terms.items[i], err);
        pawl__extraction_free(extraction);
        return status;
}

static pawl_status extract_from(struct extracting *x, const char *name, pawl_error *err)
{
        cli_input input;
        pawl_text text;

        pawl_status status = cli_input_open(&input, name, err);
        if (status)
                return status;
        status = cli_input_all(&text, &input, err);
        if (!status)
                status = extract(x, &input, text, err);
        cli_input_close(&input);
        return status;
}

static int terms_run(cli_call *cli)
{
        struct extracting x = {.cli = cli, .arena = PAWL__ARENA_INIT};
        pawl_error err = PAWL_ERROR_INIT;

        pawl_status status = read_metadata(&x, cli_value(cli, "metadata"), &err);
        if (!status)
                status = pawl__glossary_new(&x.glossary, &err);
        if (!status)
                status = cli_glossary_load(x.glossary, cli, &err);
        if (!status)
                status = extract_from(&x, cli_arg(cli, 0), &err);
        pawl__glossary_free(x.glossary);
        pawl__arena_free(&x.arena);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option terms_options[] = {
        {"metadata", 0, 0, CLI_FILE, "FILE", NULL, "a step's glossary metadata, a JSON object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_terms_cmd = {
        .name = "terms",
        .args = "[FILE]",
        .options = terms_options,
        .help = "Print the terms that layer 1 finds in a text, as JSON Lines",
        .run = terms_run,
};

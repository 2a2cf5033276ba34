/* pawl hash: the input hash, or the canonical text, of a JSON document or of many. */
#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_read.h"
#include "cli/pawl/commands.h"
#include "command/input.h"
#include <stdio.h>

struct hashing {
        FILE *out;
        bool canonical;
        pawl__hasher *hasher;
        pawl__buf text;
};

static pawl_status print_one(struct hashing *hashing, pawl_text json, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        char hex[2 * PAWL__HASH_LEN + 1];

        if (!hashing->canonical) {
                pawl_status status =
                        pawl__json_canon_hash(hash, hashing->hasher, json.data, json.len, err);
                if (status)
                        return status;
                pawl__hex(hex, hash, sizeof hash);
                fprintf(hashing->out, "%s\n", hex);
                return PAWL_OK;
        }
        pawl__buf_clear(&hashing->text);
        pawl_status status = pawl__json_canon(&hashing->text, json.data, json.len, err);
        if (status)
                return status;
        fwrite(hashing->text.data, 1, hashing->text.len, hashing->out);
        fputc('\n', hashing->out);
        return PAWL_OK;
}

static pawl_status print_lines(struct hashing *hashing, cli_input *input, pawl_error *err)
{
        pawl_text line;
        pawl_status status;

        for (size_t n = 1;; n++) {
                status = cli_input_line(&line, input, err);
                if (status == PAWL_DONE)
                        return PAWL_OK;
                if (status)
                        return status;
                status = print_one(hashing, line, err);
                if (status)
                        return pawl__json_fail_on_line(err, status, input->name, n);
        }
}

static pawl_status print_all(struct hashing *hashing, cli_input *input, pawl_error *err)
{
        pawl_text json;
        pawl_status status = cli_input_all(&json, input, err);

        if (status)
                return status;
        status = print_one(hashing, json, err);
        return status ? pawl__fail_prefix(err, status, "%.200s", input->name) : PAWL_OK;
}

static int hash_run(cli_call *cli)
{
        struct hashing hashing = {.out = cli->in->out, .canonical = cli_given(cli, "canonical")};
        pawl_error err = PAWL_ERROR_INIT;
        cli_input input;

        pawl_status status = cli_input_open(&input, cli_arg(cli, 0), &err);
        if (status)
                return cli_fail(cli, &err);
        input.answers = cli->in->out;
        status = pawl__hasher_new(&hashing.hasher, &err);
        if (!status)
                status = cli_given(cli, "jsonl") ? print_lines(&hashing, &input, &err)
                                                 : print_all(&hashing, &input, &err);
        pawl__hasher_free(hashing.hasher);
        pawl__buf_free(&hashing.text);
        cli_input_close(&input);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option hash_options[] = {
        {"canonical", 0, 0, CLI_FLAG, NULL, NULL, "print the canonical text in place of its hash"},
        {"jsonl", 0, 0, CLI_FLAG, NULL, NULL,
                "take and print one a line; stop at the first bad one"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_hash_cmd = {
        .name = "hash",
        .args = "[FILE]",
        .options = hash_options,
        .help = "Print the input hash of a JSON document: 64 lower-case hex digits",
        .run = hash_run,
};

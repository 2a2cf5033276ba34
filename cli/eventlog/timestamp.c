/* eventlog timestamp: ask a time-stamping authority about a note (RFC 3161), and keep its answer
 * beside it. Sending the query is for programs that speak HTTP. */
#include "base/timestamp.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/evidence.h"
#include "command/find.h"
#include "command/input.h"
#include "events/own_files.h"
#include <stdio.h>
#include <string.h>

static pawl_status put_beside(const cli_call *cli, const char *name, const char *ending,
        pawl_text content, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT, log = PAWL__BUF_INIT;
        pawl_error none = PAWL_ERROR_INIT;

        pawl__buf_addf(&path, "%s%s", name, ending);
        pawl_status status = pawl__buf_check(&path, err);
        if (!status && !cli_find_place(&log, cli, &none))
                status = pawl__own_files_spare(log.data, path.data, err);
        if (!status) {
                const int failed = pawl__replace_file(path.data, content.data, content.len, 0666);
                if (failed)
                        status = pawl__fail(err, pawl__errno_status(failed),
                                "%.300s: %s; give a note in a directory that you may write",
                                path.data, strerror(failed));
                else
                        fprintf(cli->in->out, "%s\n", path.data);
        }
        pawl__buf_free(&log);
        pawl__buf_free(&path);
        return status;
}

static pawl_status keep_answer(const cli_call *cli, const char *name, const char *answer,
        const unsigned char *hash, pawl_error *err)
{
        cli_input input;
        pawl_text all;
        pawl_status status = cli_input_open(&input, answer, err);

        if (status)
                return status;
        status = cli_input_all(&all, &input, err);
        if (!status && (status = pawl__timestamp_check(all, hash, err)))
                pawl__fail_prefix(err, status, "%.300s", input.name);
        if (!status)
                status = put_beside(cli, name, ".tsr", all, err);
        cli_input_close(&input);
        return status;
}

static int timestamp(cli_call *cli)
{
        const char *name = cli->args[0], *answer = cli_value(cli, "answer");
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf text = PAWL__BUF_INIT, query = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl__note note;
        pawl_status status = cli_evidence_read_note(&note, &text, name, &err);

        if (!status)
                status = pawl__sha256(NULL, hash, text.data, text.len, &err);
        if (!status && answer)
                status = keep_answer(cli, name, answer, hash, &err);
        else if (!status) {
                status = pawl__timestamp_query(&query, hash, &err);
                if (!status)
                        status = put_beside(cli, name, ".tsq", pawl__buf_text(&query), &err);
        }
        pawl__buf_free(&query);
        pawl__buf_free(&text);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option timestamp_options[] = {
        {"answer", 0, 0, CLI_FILE, "FILE", NULL,
                "what the authority answered: kept as NOTE.tsr, if it is over this note"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_timestamp_cmd = {
        .name = "timestamp",
        .args = "NOTE",
        .arg_help = {"the file of a note"},
        .options = timestamp_options,
        .help = "Write a timestamp query over a note (RFC 3161), or keep its answer",
        .run = timestamp,
};

/* eventlog note: a signed checkpoint of the log's tree, to be given to others (C2SP
 * tlog-checkpoint). */
#include "cli/eventlog/commands.h"
#include "cli/eventlog/evidence.h"
#include <stdio.h>

static pawl_status print_note(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_evidence evidence = {0};
        pawl__buf out = PAWL__BUF_INIT;
        pawl_status status = cli_evidence_begin(&evidence, cli, log, err);

        if (!status && cli_given(cli, "verifier"))
                status = pawl__note_verifier(&out, &evidence.key, evidence.note.origin, err);
        else if (!status) {
                pawl__merkle_reading reading = {.size = evidence.note.size};
                status = pawl__merkle_read(&reading, log, err);
                memcpy(evidence.note.root, reading.root, sizeof reading.root);
                if (!status)
                        status = cli_evidence_note(&out, &evidence, err);
        }
        if (!status)
                fwrite(out.data, 1, out.len, cli->in->out);
        pawl__buf_free(&out);
        cli_evidence_end(&evidence);
        return status;
}

static const cli_option note_options[] = {
        {"key", 0, 'k', CLI_FILE, "FILE", NULL,
                "sign with this Ed25519 key: PEM (PKCS #8), or a key of Go's note package"},
        {"origin", 0, 0, CLI_TEXT, "NAME", NULL,
                "how others know the log; left out: the hash of its first event"},
        {"verifier", 0, 0, CLI_FLAG, NULL, NULL,
                "print the line by which others verify the notes of this key"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_note_cmd = {
        .name = "note",
        .options = note_options,
        .help = "Sign what the log is now: a note to give to others",
        .on_log = print_note,
        .access = CLI_READ,
};

/* eventlog prove: that an event is in the log, or that the log grew from what a note said (C2SP
 * tlog-proof, and the form in which tlog-witness takes a consistency proof). */
#include "base/error.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/evidence.h"
#include "command/find.h"
#include <inttypes.h>
#include <stdio.h>

typedef struct proof {
        cli_evidence evidence;
        pawl__buf note_text; /* of a note that was given */
        pawl__note note;
        pawl__merkle_part parts[PAWL__PROOF_MAX];
        pawl__buf out;
} proof;

static pawl_status add_parts(proof *p, size_t n, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < n && !status; i++) {
                status = pawl__base64_add(&p->out, p->parts[i].hash, PAWL__HASH_LEN, err);
                if (!status && pawl__buf_addc(&p->out, '\n'))
                        status = pawl__nomem(err);
        }
        if (!status && pawl__buf_addc(&p->out, '\n'))
                status = pawl__nomem(err);
        return status;
}

/* The event in the tree of the note that was given, or of the log as it is now. */
static pawl_status prove_event(proof *p, uint64_t seq, const char *name, pawl_error *err)
{
        pawl__note *now = &p->evidence.note;
        pawl_status status = PAWL_OK;

        if (name) {
                status = cli_evidence_read_note(&p->note, &p->note_text, name, err);
                if (!status)
                        status = cli_evidence_reaches(&p->note, name, now->size, err);
        } else {
                p->note = *now;
        }
        if (!status && seq > p->note.size)
                status = pawl__fail(err, PAWL_ENOTFOUND,
                        name ? "seq %" PRIu64 ": the note is of the first %" PRIu64
                               " events alone; give a later one"
                             : "seq %" PRIu64 ": the log has %" PRIu64
                               " events; see `eventlog head`",
                        seq, p->note.size);
        if (status)
                return status;
        const size_t n = pawl__merkle_inclusion(p->parts, seq - 1, p->note.size);
        pawl__merkle_reading reading = {.size = p->note.size, .parts = p->parts, .n_parts = n};
        status = pawl__merkle_read(&reading, p->evidence.log, err);
        if (!status && name)
                status = cli_evidence_compare(&p->note, name, reading.root, err);
        if (status)
                return status;
        pawl__buf_addf(&p->out, "c2sp.org/tlog-proof@v1\nindex %" PRIu64 "\n", seq - 1);
        status = add_parts(p, n, err);
        memcpy(now->root, reading.root, sizeof reading.root);
        if (!status && name)
                return pawl__buf_add_text(&p->out, pawl__buf_text(&p->note_text)) ? pawl__nomem(err)
                                                                                  : PAWL_OK;
        return status ? status : cli_evidence_note(&p->out, &p->evidence, err);
}

static pawl_status prove_growth(proof *p, const cli_call *cli, const char *name, pawl_error *err)
{
        pawl__note *now = &p->evidence.note;
        pawl_status status = cli_evidence_read_note(&p->note, &p->note_text, name, err);

        if (!status)
                status = cli_evidence_reaches(&p->note, name, now->size, err);
        if (!status)
                status = cli_evidence_check_note(
                        &p->evidence, cli, &p->note, pawl__buf_text(&p->note_text), name, err);
        if (status)
                return status;
        const size_t n = pawl__merkle_consistency(p->parts, p->note.size, now->size);
        pawl__merkle_reading reading = {
                .size = now->size, .mark = p->note.size, .parts = p->parts, .n_parts = n};
        status = pawl__merkle_read(&reading, p->evidence.log, err);
        if (!status)
                status = cli_evidence_compare(&p->note, name, reading.mark_root, err);
        if (status)
                return status;
        memcpy(now->root, reading.root, sizeof reading.root);
        pawl__buf_addf(&p->out, "old %" PRIu64 "\n", p->note.size);
        status = add_parts(p, n, err);
        return status ? status : cli_evidence_note(&p->out, &p->evidence, err);
}

static pawl_status prove(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *since = cli_value(cli, "since");
        proof p = {0};
        uint64_t seq = 0;
        pawl_status status = cli_evidence_begin(&p.evidence, cli, log, err);

        if (!since)
                cli_parse_number(&seq, cli->args[0]);
        if (!status)
                status = since ? prove_growth(&p, cli, since, err)
                               : prove_event(&p, seq, cli_value(cli, "note"), err);
        if (!status)
                fwrite(p.out.data, 1, p.out.len, cli->in->out);
        pawl__buf_free(&p.out);
        pawl__buf_free(&p.note_text);
        cli_evidence_end(&p.evidence);
        return status;
}

static int prove_run(cli_call *cli)
{
        uint64_t seq;

        if ((cli->n_args == 1) == (cli_value(cli, "since") != NULL))
                return cli_usage(cli, "give an event's seq, or --since and a note");
        if (cli_value(cli, "note") && (cli_value(cli, "since") || cli_value(cli, "key")))
                return cli_usage(cli, "--note stands in place of --since and --key");
        if (cli->n_args == 1 && (!cli_parse_number(&seq, cli->args[0]) || seq == 0))
                return cli_usage(
                        cli, "\"%s\" is not a number from 1 up; give an event's seq", cli->args[0]);
        return cli_with_log(cli, CLI_READ, prove);
}

static const cli_option prove_options[] = {
        {"since", 0, 0, CLI_FILE, "NOTE", NULL,
                "prove that the log grew from what this note is of, and was not rewritten"},
        {"note", 0, 0, CLI_FILE, "NOTE", NULL,
                "prove it against this note; left out: against a new one"},
        {"key", 0, 0, CLI_FILE, "FILE", NULL,
                "sign the new note, and verify the one given to --since; left out: neither"},
        {"origin", 0, 0, CLI_TEXT, "NAME", NULL,
                "how others know the log; left out: the hash of its first event"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_prove_cmd = {
        .name = "prove",
        .args = "[SEQ]",
        .arg_help = {"the seq of an event"},
        .options = prove_options,
        .help = "Prove that an event is in the log, or that the log only grew",
        .run = prove_run,
};

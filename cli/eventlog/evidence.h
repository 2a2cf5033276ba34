/**
 * @file cli/eventlog/evidence.h
 * @brief What the commands share that print evidence for others: who signs, for which origin, how
 * long the log is.
 */
#pragma once

#include "command/command.h"
#include "events/merkle.h"
#include "events/note.h"

/** Zero-initialise; cli_evidence_end(), also after a failure. */
typedef struct cli_evidence {
        pawl_log *log;
        pawl__note note; /**< the origin, and the log's size when the command began; the root is not
                            set yet */
        pawl__note_key key;
        bool has_key;
        char id[2 * PAWL__HASH_LEN + 1];
        pawl__buf key_text;
} cli_evidence;

/** By --key and --origin. */
PAWL_MUST_CHECK pawl_status cli_evidence_begin(
        cli_evidence *evidence, const cli_call *cli, pawl_log *log, pawl_error *err);
/** Add the note, signed where there is a key. */
PAWL_MUST_CHECK pawl_status cli_evidence_note(
        pawl__buf *out, const cli_evidence *evidence, pawl_error *err);
void cli_evidence_end(cli_evidence *evidence);

/** The note in a file; its text stays in @p text. A note of more events than the log has, or of
 *  another tree, is seen by cli_evidence_compare() when the log's tree was read up to its size. */
PAWL_MUST_CHECK pawl_status cli_evidence_read_note(
        pawl__note *out, pawl__buf *text, const char *name, pawl_error *err);
/** PAWL_EDAMAGED: the log is not what the note says it was. @p root: the log's, of that size. */
PAWL_MUST_CHECK pawl_status cli_evidence_compare(const pawl__note *note, const char *name,
        const unsigned char root[PAWL__HASH_LEN], pawl_error *err);
/** PAWL_EDAMAGED: the log has fewer events than the note says. */
PAWL_MUST_CHECK pawl_status cli_evidence_reaches(
        const pawl__note *note, const char *name, uint64_t size, pawl_error *err);
/** PAWL_EACCESS: the note is of another origin, or is not signed by --key. Without --key a notice
 *  says that the signature was not verified. */
PAWL_MUST_CHECK pawl_status cli_evidence_check_note(const cli_evidence *evidence,
        const cli_call *cli, const pawl__note *note, pawl_text text, const char *name,
        pawl_error *err);

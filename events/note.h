/**
 * @file events/note.h
 * @brief Signed notes over a log's tree (C2SP signed-note, tlog-checkpoint): its origin, size and
 * root.
 */
#pragma once

#include "base/digest.h"
#include "base/sign.h"

/** Who signs: an Ed25519 key and its name. Zero-initialise; pawl__note_key_free(). */
typedef struct pawl__note_key {
        pawl__signer signer;
        pawl_text name; /**< absent: the note's origin; borrowed from the text it was read from */
} pawl__note_key;

/** @p text is PEM (PKCS #8), or "PRIVATE+KEY+NAME+ID+BASE64" as Go's note package writes it.
 * PAWL_EPARSE. */
PAWL_MUST_CHECK pawl_status pawl__note_key_read(
        pawl__note_key *out, pawl_text text, pawl_error *err);
void pawl__note_key_free(pawl__note_key *key);
/** Add the line by which others verify: "NAME+ID+BASE64", and a newline. */
PAWL_MUST_CHECK pawl_status pawl__note_verifier(
        pawl__buf *out, const pawl__note_key *key, pawl_text origin, pawl_error *err);

/** The body of a note. */
typedef struct pawl__note {
        pawl_text origin;
        uint64_t size;
        unsigned char root[PAWL__HASH_LEN];
} pawl__note;

/** Can it stand in a note? PAWL_EINVAL: it is empty, or has spaces, "+" or control characters. */
PAWL_MUST_CHECK pawl_status pawl__note_check_origin(pawl_text origin, pawl_error *err);
/** Add the note; @p key NULL: its body alone, unsigned. */
PAWL_MUST_CHECK pawl_status pawl__note_write(
        pawl__buf *out, const pawl__note *note, const pawl__note_key *key, pawl_error *err);
/** What a note says. Its signatures are not verified. The origin is borrowed. PAWL_EPARSE. */
PAWL_MUST_CHECK pawl_status pawl__note_read(pawl__note *out, pawl_text text, pawl_error *err);
/** Is @p text, from which @p note was read, that note alone, and signed by @p key? Other signatures
 *  may stand beside that one. PAWL_EACCESS. */
PAWL_MUST_CHECK pawl_status pawl__note_verify(
        const pawl__note *note, pawl_text text, const pawl__note_key *key, pawl_error *err);

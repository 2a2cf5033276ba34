/**
 * @file pipeline/signed.h
 * @brief Answers that are signed by whoever gives them, and runs that take no others.
 *
 * What is signed is the canonical JSON of {"actor", "answer", "conflict_id", "input_hash"}, which
 * the event of the answer alone yields: actor is the envelope's, answer the payload's
 * selected_sense or, to a question, its answer. Signing and verifying are whose who calls: this
 * library starts no program here.
 */
#pragma once

#include "base/json_write.h"
#include "base/map.h"
#include "glossary/glossary.h"
#include "state/state.h"
#include <pawl/pipeline.h>

#define PAWL__SIGNERS_MAX ((size_t)1 << 20) /* bytes of an allowed signers file */

/** Add to @p signature that of @p text, armoured, by @p actor. */
typedef pawl_status (*pawl__sign_fn)(
        pawl__buf *signature, pawl_text text, pawl_text actor, void *user, pawl_error *err);

/** Did @p actor sign @p text, by what the file @p signers allows? PAWL_EACCESS: no, and why; what
 *  else fails says nothing about it. */
typedef pawl_status (*pawl__verify_fn)(
        pawl_text text, pawl_text signature, pawl_text actor, pawl_text signers, pawl_error *err);

/** Whose answers a run takes. */
typedef struct pawl__signers {
        pawl_text file;     /**< its name, as the mission says it */
        pawl_text recorded; /**< what it said when the run began, or its mission was accepted;
                                 absent: nothing is required by that */
        pawl_text present;  /**< what it says now; absent: not known, or not required */
} pawl__signers;

static inline bool pawl__signers_required(const pawl__signers *signers)
{
        return signers->recorded.data || signers->present.data;
}

/** What the document that the log keeps of a run's mission says of it. All absent: nothing, or the
 *  log has none. Texts in the arena. */
PAWL_MUST_CHECK pawl_status pawl__signers_recorded(pawl__signers *out, pawl__arena *arena,
        pawl_log *log, const pawl__row *run, pawl_error *err);

/** Whoever may sign and verify here. */
typedef struct pawl__sealer {
        pawl__sign_fn sign; /**< NULL: the answers are not signed */
        void *user;
        pawl__verify_fn verify;
} pawl__sealer;

/** What an answer at hand is signed with, and for which inputs. NULL where one is taken: it is not.
 */
typedef struct pawl__seal {
        const pawl__sealer *by;
        pawl__signers signers; /**< all absent: the signature is taken as it is */
        char input_hash[65];
} pawl__seal;

/**
 * What answering this conflict of @p run takes. PAWL_EACCESS: its run takes signed answers alone,
 * and @p by (NULL: nobody) does not sign; the message says how to.
 * @param[out] sealed  is it signed?
 */
PAWL_MUST_CHECK pawl_status pawl__seal_begin(bool *sealed, pawl__seal *out, pawl__arena *arena,
        pawl_log *log, pawl__state *state, const pawl__row *conflict, const pawl__sealer *by,
        pawl_error *err);

/** Sign the answer, a JSON text, and put `input_hash` and `signature` into the payload. The
 *  signature is verified where that is required: PAWL_EACCESS. */
PAWL_MUST_CHECK pawl_status pawl__seal_write(pawl__json_writer *w, const pawl__seal *seal,
        pawl_text actor, pawl_text conflict_id, pawl_text answer, pawl_error *err);

/** Which answers of a log count. */
typedef struct pawl__trust {
        pawl_log *log;
        pawl__state *state;
        pawl_text mission_id;
        pawl__signers signers;
        pawl__verify_fn verify;
        pawl__map good; /**< their seqs, so that each is verified once; keys in the arena */
        pawl__arena arena;
} pawl__trust;

void pawl__trust_free(pawl__trust *trust);

/** Does the answer at @p seq count, for the conflict that it names? PAWL_EACCESS: no, and why; that
 *  is for a message. Another failure says nothing about it. */
PAWL_MUST_CHECK pawl_status pawl__trust_answer(pawl__trust *trust, uint64_t seq, pawl_error *err);

/** Of a glossary: the senses that come from answers of the mission that do not count are none.
 *  @p trust must outlive it. */
pawl__sense_filter pawl__trust_filter(pawl__trust *trust);

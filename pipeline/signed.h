/**
 * @file pipeline/signed.h
 * @brief Answers that are signed by whoever gives them, and runs that take no others.
 *
 * The signed text is the canonical JSON of {"actor", "answer", "conflict_id", "input_hash",
 * "question", "replaces"}. The answer's event alone yields it: actor is the envelope's, answer the
 * payload's selected_sense or, to a question, its answer, question and replaces its question_hash
 * and replaces_hash. Whether these two are right, the events before it say. The callers sign and
 * verify: the library starts no program here.
 *
 * A run that requires signatures believes verified events alone: its trust reads the state by
 * state/verified.h. The document of its mission says what it requires; the event that the run
 * began with names that document by hash.
 */
#pragma once

#include "base/json_write.h"
#include "base/map.h"
#include "glossary/glossary.h"
#include "state/recorded_signers.h"
#include <pawl/pipeline.h>

#define PAWL__SIGNERS_MAX ((size_t)1 << 20) /* bytes of an allowed signers file */

/** Add to @p signature that of @p text, armoured, by @p actor. */
typedef pawl_status (*pawl__sign_fn)(
        pawl__buf *signature, pawl_text text, pawl_text actor, void *user, pawl_error *err);

/** Did @p actor sign @p text, by what the file @p signers allowed at @p at_us (0: allows now)?
 *  PAWL_EACCESS: no, and why; another failure says nothing about it. */
typedef pawl_status (*pawl__verify_fn)(pawl_text text, pawl_text signature, pawl_text actor,
        pawl_text signers, int64_t at_us, pawl_error *err);

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
        char question[65]; /**< hash of the newest request */
        char replaces[65]; /**< hash of the answer in force; "": there is none */
} pawl__seal;

/** What runs require of answers, each read once for a command that gives many; texts in the arena.
 */
typedef struct pawl__signers_known {
        pawl__map runs; /**< from a run's id to its place among the items */
        pawl__signers *items;
        size_t n, cap;
} pawl__signers_known;
void pawl__signers_known_free(pawl__signers_known *known);

/**
 * What answering this conflict takes; where @p by signs, the state is read by verified events.
 * PAWL_EACCESS: its run takes signed answers alone,
 * and @p by (NULL: nobody) does not sign; the message says how to.
 * @param[out] sealed  is it signed?
 */
PAWL_MUST_CHECK pawl_status pawl__seal_begin(bool *sealed, pawl__seal *out, pawl__arena *arena,
        pawl_log *log, pawl__state *state, const pawl__row *conflict, const pawl__sealer *by,
        pawl__signers_known *known, pawl_error *err);

/** Sign the answer, a JSON text, and put its members into the payload. The
 *  signature is verified where that is required: PAWL_EACCESS. */
PAWL_MUST_CHECK pawl_status pawl__seal_write(pawl__json_writer *w, const pawl__seal *seal,
        pawl_text actor, pawl_text conflict_id, pawl_text answer, pawl_error *err);

/** The signed text. @p replaces absent or "": null. */
PAWL_MUST_CHECK pawl_status pawl__signed_text(pawl__buf *out, pawl_text actor, pawl_text answer,
        pawl_text conflict_id, pawl_text input_hash, pawl_text question, pawl_text replaces,
        pawl_error *err);
/** By each of the two that is required. */
PAWL_MUST_CHECK pawl_status pawl__signers_verify(const pawl__signers *signers,
        pawl__verify_fn verify, pawl_text text, pawl_text signature, pawl_text actor, int64_t at_us,
        pawl_error *err);

/* ---- Looking again (pipeline/trust.c) -------------------------------------------------------- */

/** Which answers of a log count. */
typedef struct pawl__trust {
        pawl_log *log;
        pawl__state *state;
        pawl_text mission_id;
        pawl__signers signers;
        pawl__verify_fn verify;
        pawl__map good; /**< their seqs, so that each is verified once; keys in the arena */
        pawl__arena arena;
        bool begun;
} pawl__trust;

/** From now on the state says what verified events say, until pawl__trust_free(). PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__trust_begin(pawl__trust *trust, pawl_error *err);
void pawl__trust_free(pawl__trust *trust);

/** Does the answer at @p seq count, for the conflict that it names? PAWL_EACCESS: no, and why; that
 *  is for a message. Another failure says nothing about it. */
PAWL_MUST_CHECK pawl_status pawl__trust_answer(pawl__trust *trust, uint64_t seq, pawl_error *err);

struct pawl__question;
/** Did nobody answer in time, and was @p text what holds then? By the clock of the caller. */
bool pawl__trust_otherwise(const pawl__trust *trust, uint64_t seq,
        const struct pawl__question *question, pawl_text actor, pawl_text text);

/**
 * Does the completion of @p step, a row, count? What people were asked must have been answered so
 * that it counted, and the output be that answer. A fork's is looked at in the run that it has it
 * from.
 * @param asks  the question that the step asks; NULL: it asks none.
 * @param[out] left_out  its `when` is said to have been false, which the caller can tell.
 * @return PAWL_EDAMAGED naming the event that completes it.
 */
PAWL_MUST_CHECK pawl_status pawl__trust_completed(bool *left_out, pawl__trust *trust,
        const pawl__row *step, const struct pawl__question *asks, pawl_error *err);

/** Of a glossary: the senses that come from answers of the mission that do not count are none.
 *  @p trust must outlive it. */
pawl__sense_filter pawl__trust_filter(pawl__trust *trust);

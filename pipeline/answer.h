/**
 * @file pipeline/answer.h
 * @brief The events of an answer to a conflict, from a terminal or from another session.
 */
#pragma once

#include "pipeline/context.h"
#include "pipeline/signed.h"

/**
 * GlossaryClarificationResolved for a pick; GlossarySenseUpdated and GlossaryClarificationResolved
 * for a definition, and to say that the term is none. A definition of what is ignored in its scope
 * ends that. @p like gives the envelope's ids and the actor.
 * @param state        what is ignored; NULL: nothing is.
 * @param mode         "interactive" or "async".
 * @param replaces     the seq of the answer that this one takes the place of; 0: it is the first.
 * @param seal         what it is signed with; NULL: it is not.
 * @param[out] chosen  the sense that now holds for the mission (mission_local).
 * @return PAWL_EINVAL for a number that is no candidate, an empty definition, an unknown scope.
 */
PAWL_MUST_CHECK pawl_status pawl__answer_emit(pawl__batch *batch, pawl__sense *chosen,
        pawl__state *state, pawl__arena *arena, const pawl_conflict *conflict,
        const pawl_answer *answer, const char *mode, int64_t replaces, const pawl__seal *seal,
        const pawl_event *like, int64_t now_us, pawl_error *err);

/** The answer without what the log masks, so that it is signed, recorded and passed on alike. */
PAWL_MUST_CHECK pawl_status pawl__answer_mask(pawl_answer *out, const pawl_answer *answer,
        const pawl_log *log, pawl__arena *arena, pawl_error *err);

/**
 * The conflict of this id, or of the first digits of it, four or more; answered or not.
 * @return PAWL_ENOTFOUND; PAWL_EINVAL for what is no id, too short, or the beginning of several.
 */
PAWL_MUST_CHECK pawl_status pawl__conflict_find(
        pawl__row *row, pawl__state *state, pawl_text id, pawl__arena *arena, pawl_error *err);

/** What becomes of answers that are refused. */
typedef struct pawl__refusals {
        /** Called for each, after which the next are looked at; NULL: the first ends it. */
        void (*tell)(size_t i, const pawl_error *why, void *user);
        void *user;
        size_t n;  /**< how many there are, those that the caller knows of included: with any,
                      nothing  is appended */
        size_t at; /**< set: which one a failure is about; the number of them: none */
} pawl__refusals;

/** pawl_conflicts_resolve(), for who wants to hear of all that is wrong, or signs (@p sealer; NULL:
 *  nobody does). PAWL_OK with refusals->n: nothing was appended. */
PAWL_MUST_CHECK pawl_status pawl__conflicts_resolve(pawl_log *log,
        const pawl_conflict_answer *answers, size_t n, const char *actor,
        const pawl__sealer *sealer, pawl__refusals *refusals, pawl_error *err);

/** A row as a conflict with its candidates. Its texts are the row's and the arena's. */
PAWL_MUST_CHECK pawl_status pawl__conflict_of(
        pawl_conflict *out, pawl__arena *arena, const pawl__row *row, pawl_error *err);

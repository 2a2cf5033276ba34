/**
 * @file glossary/past.h
 * @brief The glossary of a run as it stood at earlier places of the log.
 *
 * Senses of a run's seed versions never change. What people changed since, and what the mission was
 * answered, is folded again from the events: only where something did change, and up to the
 * latest place that was asked for, once; the former glossary is then brought forward by what
 * changed, not made anew. For a run that is a fork, what they changed between its place in the
 * other run and its start is left out.
 */
#pragma once

#include "checkpoint/checkpoint.h"
#include "glossary/glossary.h"
#include "state/apply.h"
#include "state/forked.h"

typedef struct pawl__past {
        pawl_log *log;
        pawl__state *state;
        pawl_text mission_id;
        pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX];
        size_t n_refs;
        pawl__glossary *present, *former;
        pawl__sense_filter filter; /**< of both */
        uint64_t changed;          /**< where people changed something last; 0: nowhere */
        uint64_t started;          /**< where the run began */
        bool older;                /**< people changed something before that */
        pawl__hidden hidden;       /**< what they changed that does not count for it */
        uint64_t former_at;        /**< former is the glossary as it was after this event */
        pawl__row *seeds;          /**< senses of the seed versions, by seq; NULL: not read yet */
        size_t n_seeds;
        pawl__applier applier; /**< of what was folded so far */
        uint64_t folded;       /**< up to this seq */
        uint64_t applied;      /**< the last event that the fold applied */
        pawl__arena arena;
} pawl__past;

/** Of the mission and the seed versions of this run, a row of the state tables. */
PAWL_MUST_CHECK pawl_status pawl__past_open(
        pawl__past *out, pawl_log *log, const pawl__row *run, pawl_error *err);
void pawl__past_close(pawl__past *past);

/** The same as it is now, for the owner of the run: *glossary becomes it, and what was there is
 * freed; *hidden, in @p arena, is what later looks at the log leave out. @p filter: of its rows. */
PAWL_MUST_CHECK pawl_status pawl__past_present(pawl__glossary **glossary, pawl__hidden *hidden,
        pawl__arena *arena, pawl_log *log, const pawl__row *run, const pawl__sense_filter *filter,
        pawl_error *err);

/** As it was after the event @p seq, which is not before one that was asked for earlier;
 *  UINT64_MAX: as it is. Valid until the next call. */
PAWL_MUST_CHECK pawl_status pawl__past_glossary(
        pawl__glossary **out, pawl__past *past, uint64_t seq, pawl_error *err);

/**
 * @file state/recorded_signers.h
 * @brief Whose signed answers a run takes.
 */
#pragma once

#include "state/state.h"

/** Whose answers a run takes. */
typedef struct pawl__signers {
        pawl_text file;     /**< its name, as the mission says it */
        pawl_text recorded; /**< what it said when the run began; absent: nothing is required by
                                 that */
        pawl_text present;  /**< what it says now; absent: not known, or not required */
} pawl__signers;

static inline bool pawl__signers_required(const pawl__signers *signers)
{
        return signers->recorded.data || signers->present.data;
}

/** Reads the requirement from the event that a run began with, by the document that it names. All
 *  absent: nothing is required. Texts in the arena. PAWL_EDAMAGED: event or document is missing, or
 * not the run's. */
PAWL_MUST_CHECK pawl_status pawl__signers_recorded(pawl__signers *out, pawl__arena *arena,
        pawl_log *log, const pawl__row *run, pawl_error *err);

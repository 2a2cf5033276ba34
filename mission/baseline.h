/**
 * @file mission/baseline.h
 * @brief The mission that a run is compared with: the document that the log keeps of it, and what a
 *        mission file differs from it in.
 *
 * The document is the mission file as canonical JSON, so that comments and form are no part of it,
 * but for two members of a step: `run` is the list of its words, as they are handed to the command
 * ("1.10" stays apart from "1.1"); and where `store_inputs` is false, `inputs` is their hash. And
 * `require_signed` is what its file says, too: {"file", "signers"}.
 */
#pragma once

#include "base/digest.h"
#include "mission/mission.h"

/** The document and its SHA-256. */
PAWL_MUST_CHECK pawl_status pawl__mission_document(pawl__buf *out, unsigned char hash[32],
        const pawl_mission *mission, pawl__hasher *hasher, pawl_error *err);

/** The one that a run is compared with, appended to @p out; nothing where the log has none. */
PAWL_MUST_CHECK pawl_status pawl__mission_recorded(
        pawl__buf *out, pawl_log *log, const pawl__row *run, pawl_error *err);

typedef struct pawl__mission_changes {
        pawl_mission_change *items; /**< in the file's order, then what is removed */
        size_t n;
        bool *rerun;    /**< one a step of the file: it changed or is new, or was told what does not
                             hold any more, or takes from such one */
        bool at_resume; /**< none but inputs of steps that are at a checkpoint, which layer 5
                             holds against it and asks about */
} pawl__mission_changes;

/**
 * What @p mission differs from the one that its run is compared with in.
 * @param recorded  that one's document; absent: a run of a log that has none. Then only the order
 *                  of the steps is known, and the inputs of those that have begun and take nothing
 *                  from another.
 * @param outdated  one a step of the file: it completed with a sense that has changed since; NULL:
 *                  that is not asked.
 * @param rows      the run's steps. Those that left the mission earlier are `skipped`.
 * Everything lives in @p arena. PAWL_EDAMAGED for a document that is none.
 */
PAWL_MUST_CHECK pawl_status pawl__mission_compare(pawl__mission_changes *out, pawl__arena *arena,
        const pawl_mission *mission, pawl_text recorded, const bool *outdated,
        const pawl__row *rows, size_t n_rows, pawl__hasher *hasher, pawl_error *err);

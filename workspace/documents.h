/**
 * @file workspace/documents.h
 * @brief The documents of a checkpoint: the mission's state and its outputs.
 */
#pragma once

#include "workspace/store/run_state.h"

typedef enum pawl__document_kind {
        PAWL__DOCUMENT_STATE,
        PAWL__DOCUMENT_OUTPUTS
} pawl__document_kind;

/** Append the document, canonical. PAWL_DONE: the checkpoint has none. PAWL_ENOTFOUND: the log has
 *  it no longer. */
PAWL_MUST_CHECK pawl_status pawl__checkpoint_document(pawl__buf *out, pawl_log *log,
        const pawl__row *checkpoint, pawl__document_kind kind, pawl_error *err);

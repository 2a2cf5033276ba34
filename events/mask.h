/**
 * @file events/mask.h
 * @brief Masking of the events that a log appends.
 *
 * A log masks the payload of each event before it is hashed, so that no caller can forget it. What
 * is kept by its hash is masked by the caller, who computes the hash.
 */
#pragma once

#include "base/mask.h"
#include "events/log.h"

/** Mask the strings of an event's payload, a JSON object, other than those that Pawl itself reads:
 *  ids, hashes, cursors and every other member that has one of some words. The new text is in the
 *  arena. */
PAWL_MUST_CHECK pawl_status pawl__payload_mask(
        pawl_event *event, const pawl__mask *mask, pawl__arena *arena);
/** As pawl__payload_mask(), of all strings of a canonical JSON document, the names of members too,
 *  which stay different from each other. It stays canonical. */
PAWL_MUST_CHECK pawl_status pawl__document_mask(
        pawl_text *document, const pawl__mask *mask, pawl__arena *arena);
/** As pawl__document_mask(), of tool calls as an agent has them: their form's own names stay, and
 *  so does the order. A `callId` that is masked is followed by the beginning of its hash. */
PAWL_MUST_CHECK pawl_status pawl__calls_mask(
        pawl_text *calls, const pawl__mask *mask, pawl__arena *arena);

/** What the log masks: NULL or empty at first. */
const pawl__mask *pawl__log_mask(const pawl_log *log);
/** Let the log mask by @p mask, which must live until it is replaced. Returns the previous one. */
const pawl__mask *pawl__log_set_mask(pawl_log *log, const pawl__mask *mask);
/** The log's own mask, from now on in use; values are added to it. It lives as long as the log. */
pawl__mask *pawl__log_own_mask(pawl_log *log);

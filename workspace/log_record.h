/**
 * @file workspace/log_record.h
 * @brief The tool calls that the log knows: each is the event right behind its checkpoint.
 */
#pragma once

#include "events/log.h"
#include "state/state.h"

typedef struct pawl__log_record {
        pawl_text name; /**< of the document */
        unsigned char document[32];
        int64_t n; /**< of the checkpoint */
} pawl__log_record;

/** The call that the event after a checkpoint's tells of; the name lies in @p arena. PAWL_DONE:
 *  that event is another, there is none, or its payload is gone. */
PAWL_MUST_CHECK pawl_status pawl__log_record_behind(pawl__log_record *out, pawl_log *log,
        const pawl__row *checkpoint, pawl__arena *arena, pawl_error *err);

/** Has the turn that the checkpoint before a call is of not ended since? The session is the
 * caller's (NULL: none). If not, the next call is to have a checkpoint of its own, so that the log
 * tells what is the agent's from what was changed by hand between two turns. */
PAWL_MUST_CHECK pawl_status pawl__log_record_goes_on(bool *goes_on, pawl_log *log,
        const pawl__row *checkpoint, const char *session_id, pawl_error *err);

/** The newest call of that name, in @p arena. One read of an event a checkpoint. PAWL_ENOTFOUND
 *  without a message. */
PAWL_MUST_CHECK pawl_status pawl__log_record_find(
        pawl__log_record *out, pawl_log *log, pawl_text name, pawl__arena *arena, pawl_error *err);

/** Called for each, oldest first; the name is valid during the call. */
typedef pawl_status (*pawl__log_record_fn)(
        const pawl__log_record *call, void *user, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__log_record_each(
        pawl_log *log, pawl__log_record_fn fn, void *user, pawl_error *err);

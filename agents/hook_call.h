/**
 * @file agents/hook_call.h
 * @brief What an agent tells a hook: the JSON that it writes to the hook's standard input.
 *
 * The agents' forms differ in names alone, so that one reading takes them all. Members that are not
 * known are passed over; of those that are known, one of the wrong type counts as missing, and so
 * does one that strict JSON refuses: a hook is to do what can be done.
 */
#pragma once

#include "agents/agent.h"
#include "base/json_tree.h"

typedef enum pawl__hook_event {
        PAWL__HOOK_OTHER, /**< nothing is to be done */
        PAWL__HOOK_BEFORE_TOOL,
        PAWL__HOOK_SESSION_START,
        PAWL__HOOK_BEFORE_COMPACTION,
        PAWL__HOOK_TURN_END,
        PAWL__HOOK_SESSION_END
} pawl__hook_event;

/** Texts live as long as the tree that was read. */
typedef struct pawl__hook_call {
        const pawl__agent *agent;
        pawl__hook_event event;
        pawl_text event_name;
        pawl_text session;   /**< the agent's own id; absent: it gave none */
        pawl_text directory; /**< where the agent works; absent: as the process */
        pawl_text tool, call_id, message_id;
        pawl_text arguments; /**< JSON, an object; absent: there are none */
        pawl_text message;   /**< what the agent said last, at the end of a turn */
        pawl_text reason;    /**< why a session ends */
} pawl__hook_call;

/** How far a text that comes in pieces was looked at; at first all 0. */
typedef struct pawl__hook_scan {
        size_t at, depth;
        bool quoted;
} pawl__hook_scan;

/** Does @p text, which begins with what @p scan (a pawl__hook_scan) has seen, hold a whole JSON
 * object or array, so that nothing more of it will come? */
bool pawl__hook_call_whole(pawl_text text, void *scan);

/**
 * @param tree   gets the document; @p json and @p kept must outlive it.
 * @param kept   gets what there is of a document that is not strict JSON.
 * @param agent  NULL: to be found out from the document.
 * @return PAWL_EPARSE; PAWL_EINVAL: not an object, or without the name of an event.
 */
PAWL_MUST_CHECK pawl_status pawl__hook_call_read(pawl__hook_call *out, pawl__json_tree *tree,
        pawl__buf *kept, pawl_text json, const pawl__agent *agent, pawl_error *err);

/**
 * @file session/handoff_known.h
 * @brief What the log's own document of a session says or ever said: what is none of people's.
 */
#ifndef PAWL_SESSION_HANDOFF_KNOWN_H
#define PAWL_SESSION_HANDOFF_KNOWN_H

#include "base/map.h"
#include "session/handoff_text.h"

typedef struct pawl__known {
        pawl_log *log;
        pawl__state *state;
        const pawl__row *session; /**< or NULL: no document is known */
        pawl_text mission_id;
        pawl__notes in_force;
        pawl__arena *arena;
        pawl_error *err;
        pawl__map map; /**< entries and lines, collapsed; keys lie in the arena */
        pawl__handoff handoff;
} pawl__known;

/** Learn what its document says now, or would say whichever steps and conflicts were done. */
PAWL_MUST_CHECK pawl_status pawl__known_present(pawl__known *known);
/** Learn, from the events since its run started, what it once said. After pawl__known_present(). */
PAWL_MUST_CHECK pawl_status pawl__known_past(pawl__known *known);

PAWL_MUST_CHECK pawl_status pawl__known_is(bool *is, pawl__known *known, pawl_text text);
PAWL_MUST_CHECK pawl_status pawl__known_add(pawl__known *known, pawl_text text);
/** @p text collapsed, in the arena: what two texts that differ in white space alone share. */
PAWL_MUST_CHECK pawl_status pawl__known_key(pawl_text *key, pawl__known *known, pawl_text text);

/** The next line of @p rest, which becomes absent after the last; false then. */
bool pawl__next_line(pawl_text *line, pawl_text *rest);

#endif

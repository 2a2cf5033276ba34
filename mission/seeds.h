/**
 * @file mission/seeds.h
 * @brief The seeds that a mission names, read before anything is written.
 */
#pragma once

#include "glossary/seed.h"
#include "mission/mission.h"

typedef struct pawl__seeds {
        pawl__seed seed[PAWL__SCOPES_N];
        size_t n;
} pawl__seeds;

/** Read all of the mission's. After any call they are to be freed.
 *  @param state  of the log: of versions that it has only the hash is taken; NULL: there is none.
 */
PAWL_MUST_CHECK pawl_status pawl__seeds_load(pawl__seeds *out, const pawl_mission *mission,
        pawl__state *state, pawl__problems *problems, pawl_error *err);
void pawl__seeds_free(pawl__seeds *seeds);

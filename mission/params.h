/**
 * @file mission/params.h
 * @brief A mission's parameters: declared in its file, given by who starts a run, recorded with it.
 *
 * mission/param_text.h has how a file refers to them.
 */
#pragma once

#include "base/json_write.h"
#include "mission/loader.h"
#include "state/state.h"

/** The mapping `params:`. */
PAWL_MUST_CHECK pawl_status pawl__params_read(const pawl__place *place, pawl__node node);

/** PAWL_EINVAL naming the first that has no value. */
PAWL_MUST_CHECK pawl_status pawl__params_complete(const pawl_mission *mission, pawl_error *err);

/** Member `params` of the event that begins a run; nothing where the mission has none. */
void pawl__params_write(pawl__json_writer *w, const pawl_mission *mission);
/** The values that the run began with, from that event's payload. One that the mission has had only
 *  since then has its default, or none. */
PAWL_MUST_CHECK pawl_status pawl__params_recorded(
        pawl_mission *mission, const pawl__json_tree *payload, pawl_error *err);

/** The same of a run, a row of the state tables. PAWL_ENOTFOUND where they were pruned.
 *  (mission/accept.c) */
PAWL_MUST_CHECK pawl_status pawl__params_of_run(
        pawl_mission *mission, pawl_log *log, const pawl__row *run, pawl_error *err);

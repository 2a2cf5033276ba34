/**
 * @file mission/secrets.h
 * @brief Secrets: variables of this process that a mission's commands get, and whose values are
 * masked in what is kept and shown.
 *
 * A command learns their names by $PAWL_SECRETS, so that a `pawl` that it starts masks the same
 * values. These it has from its own environment.
 */
#pragma once

#include "base/mask.h"
#include "mission/mission.h"
#include "state/state.h"

typedef struct pawl__secrets {
        pawl__mask mask;
        pawl__buf names; /**< as $PAWL_SECRETS has them, separated by commas */
} pawl__secrets;

/** Their values now, and those of the names in $PAWL_SECRETS. PAWL_EINVAL naming the first of the
 *  mission that is not set, or is too short. */
PAWL_MUST_CHECK pawl_status pawl__secrets_load(
        pawl__secrets *out, const pawl_mission *mission, pawl_error *err);
/** Would pawl__secrets_load() succeed? */
PAWL_MUST_CHECK pawl_status pawl__secrets_check(const pawl_mission *mission, pawl_error *err);
void pawl__secrets_free(pawl__secrets *secrets);

/** Add the values of the names in $PAWL_SECRETS; one that is not set, or is too short, is left out.
 */
PAWL_MUST_CHECK pawl_status pawl__secrets_inherited(pawl__mask *mask, pawl_error *err);

/** Let the log mask the values that this process has of the secrets of a run's mission, as
 * recorded; one that is not set is left out. A run without a mission has none. */
PAWL_MUST_CHECK pawl_status pawl__secrets_of_run(
        pawl_log *log, const pawl__row *run, pawl_error *err);

/** Mask a command's output, in the canonical form too where it is JSON. */
PAWL_MUST_CHECK pawl_status pawl__secrets_mask_output(
        const pawl__mask *mask, pawl__buf *output, pawl_error *err);

/**
 * @file mission/checker.h
 * @brief The first three layers without a run: the glossary that one would have, and their verdict.
 */
#pragma once

#include "glossary/seed.h"
#include "mission/mission.h"
#include "pipeline/context.h"
#include "pipeline/signed.h"

typedef struct pawl__checker {
        const pawl_mission *mission;
        pawl__problems *problems; /**< of a seed; NULL: the first is enough */
        pawl__state *state;       /**< NULL: no log */
        pawl__glossary *glossary;
        pawl__strictness project;
        pawl__trust trust; /**< whose answers count */
        pawl_error error;
} pawl__checker;

/** With mission and problems set. @p log NULL: there is none. Close it in any case. */
PAWL_MUST_CHECK pawl_status pawl__checker_open(pawl__checker *c, pawl_log *log);
void pawl__checker_close(pawl__checker *c);

/** Let no sense of an answer count in the glossary that the mission's `require_signed`, or what the
 *  trust has recorded of it, does not allow; then the state is read from verified events. The trust
 *  must outlive it. *required false: all count. */
PAWL_MUST_CHECK pawl_status pawl__mission_trust(bool *required, pawl__trust *trust,
        pawl__sense_filter *filter, pawl__glossary *glossary, const pawl_mission *mission,
        pawl_log *log, pawl__state *state, pawl_error *err);

/** Put into a new context what the file says of a step, its inputs apart. Why it failed: in ctx. */
PAWL_MUST_CHECK pawl_status pawl__checker_begin(
        const pawl__checker *c, pawl_context *ctx, const pawl__step *step);
/** Would the gate hold it, with the inputs that it has? Nothing is written. Likewise. */
PAWL_MUST_CHECK pawl_status pawl__checker_judge(
        bool *blocked, const pawl__checker *c, pawl_context *ctx);

/**
 * Which steps of a run the mission, whose parameters have their values, would run again, and why:
 * a JSON array of {"step_id","verdict","reasons"}, in the file's order, then what is removed.
 * @return PAWL_OK: none; PAWL_EINPUTS with *json, and a message that names them.
 */
PAWL_MUST_CHECK pawl_status pawl__mission_against(pawl__buf *json, const pawl_mission *mission,
        pawl_log *log, const char *run_id, const char *step_id, pawl__problems *problems,
        pawl_error *err);
/** Give the mission the parameters that the run began with; what has none keeps its default. */
PAWL_MUST_CHECK pawl_status pawl__mission_take_recorded(
        pawl_mission *mission, pawl_log *log, const char *run_id, pawl_error *err);

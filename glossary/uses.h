/**
 * @file glossary/uses.h
 * @brief Which steps' inputs use a term.
 */
#pragma once

#include "glossary/automaton.h"
#include "state/state.h"

/** To find a term by any of these normal forms, singular or plural. *out is the caller's. */
PAWL_MUST_CHECK pawl_status pawl__term_automaton(
        pawl__automaton **out, const pawl_text *normals, size_t n, pawl_error *err);

/** Is it in the inputs of a step, a row of the state tables? Where they were not kept it may be. */
PAWL_MUST_CHECK pawl_status pawl__step_uses(bool *used, pawl_log *log, const pawl__automaton *term,
        const pawl__row *step, pawl_error *err);

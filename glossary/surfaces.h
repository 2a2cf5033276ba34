/**
 * @file glossary/surfaces.h
 * @brief The automaton of a glossary's surfaces, which an extraction runs beside other rules.
 */
#pragma once

#include "glossary/automaton.h"
#include "glossary/glossary.h"

/** The automaton that finds every surface, whatever the status of its senses (a term whose only
 * sense is a draft, or was deprecated, is one without a meaning, not no term): whole words, any
 * case, singular or plural, several words too; overlapping matches are all reported. Built if a
 * surface was added since the last time; NULL: there is none. Valid until the next call after an
 * add. */
PAWL_MUST_CHECK pawl_status pawl__glossary_automaton(
        const pawl__automaton **out, pawl__glossary *glossary, pawl_error *err);

/** The normal form behind the number of a match; the glossary's. */
pawl_text pawl__glossary_surface(const pawl__glossary *glossary, uint32_t number);

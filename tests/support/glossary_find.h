/**
 * @file tests/support/glossary_find.h
 * @brief A glossary's surfaces in a text, found as an extraction finds them.
 */
#pragma once

#include "base/error.h"
#include "glossary/surfaces.h"

typedef struct glossary_match {
        size_t start, end; /**< bytes of the text */
        pawl_text normal;  /**< of the surface found; the glossary's */
} glossary_match;

typedef pawl_status (*glossary_match_fn)(const glossary_match *match, void *user);

struct glossary_finding {
        pawl__glossary *glossary;
        glossary_match_fn fn;
        void *user;
};

static inline pawl_status glossary_found(uint32_t number, size_t start, size_t end, void *user)
{
        struct glossary_finding *finding = user;
        glossary_match match = {start, end, pawl__glossary_surface(finding->glossary, number)};

        return finding->fn(&match, finding->user);
}

/** Call @p fn for each; a status other than PAWL_OK ends it and is passed on. */
static inline pawl_status glossary_find(
        pawl__glossary *glossary, pawl_text text, glossary_match_fn fn, void *user, pawl_error *err)
{
        struct glossary_finding finding = {glossary, fn, user};
        const pawl__automaton *automaton = NULL;
        pawl_status status = pawl__glossary_automaton(&automaton, glossary, err);

        if (status || !automaton)
                return status;
        status = pawl__automaton_scan(automaton, text, glossary_found, &finding);
        return status == PAWL_ENOMEM ? pawl__nomem(err) : status;
}

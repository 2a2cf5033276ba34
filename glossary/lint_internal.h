/**
 * @file glossary/lint_internal.h
 * @brief What the checks of a glossary share.
 */
#pragma once

#include "base/map.h"
#include "glossary/automaton.h"
#include "glossary/lint.h"

/* A term: all senses of one normal form. Edges lead to the terms that its definitions use. */
typedef struct pawl__lint_node {
        const pawl__lint_sense *sense; /* the first */
        pawl_text squeezed;            /* without what joins words */
        uint64_t letters;              /* a bit for each that is in it */
        uint32_t *uses;
        size_t n_uses, cap_uses;
        uint32_t came_from, round; /* of the search for circles */
} pawl__lint_node;

typedef struct pawl__linting {
        pawl__arena *arena;
        const pawl__lint_sense *senses;
        size_t n_senses;
        uint32_t *terms;     /* by the sense: the node of its term */
        pawl__map by_normal; /* the node of each normal form, an alias's too */
        pawl__lint_node *nodes;
        size_t n, cap;
        pawl__automaton *automaton; /* of those normal forms */
        struct pawl__lint_use {
                uint32_t number;
                size_t start, end;
        } * uses; /* the terms in the current definition, none within another */
        size_t n_uses, cap_uses;
        uint32_t *queue;
        pawl__lint_finding *items;
        size_t n_items, cap_items;
        pawl__map seen; /* circles, by their terms */
        size_t n_circles;
        pawl__buf buf;
} pawl__linting;

static inline bool pawl__lint_live(const pawl__lint_sense *sense)
{
        return sense->status == PAWL__ACTIVE || sense->status == PAWL__DRAFT;
}

/* The node of a sense's term: of an alias, that of what it stands for. */
static inline uint32_t pawl__lint_term(const pawl__linting *l, const pawl__lint_sense *sense)
{
        return l->terms[sense - l->senses];
}

/** A finding. @p others are copied, their texts are not. */
PAWL_MUST_CHECK pawl_status pawl__lint_put(pawl__linting *l, pawl__lint_kind kind,
        const pawl__lint_sense *sense, pawl_text term, const pawl_text *others, size_t n,
        const char *why);

/** Find the near duplicates. */
PAWL_MUST_CHECK pawl_status pawl__lint_near(pawl__linting *l);

/**
 * @file glossary/propose_internal.h
 * @brief What documents propose, while it is found: candidates and the documents.
 */
#pragma once

#include "base/map.h"
#include "glossary/automaton.h"
#include "glossary/propose.h"

enum { DEFINITIONS_MAX = 4 }; /* that are kept of a term */

/* Where a candidate comes from that layer 1 does not find. */
enum { BY_DEFINITION = PAWL__SOURCES, BY_COMPOUND, SOURCES };
enum { COMPOUND_LEAST = 3 }; /* times that two nouns stand together, to be a term */

typedef struct pawl__candidate {
        pawl_text normal, original, context;
        size_t document; /* where the original is */
        uint64_t line;
        unsigned source; /* a pawl__source, or one of those below */
        uint32_t is;     /* 1 + the candidate that it is the plural of; 0: it is one of its own */
        uint64_t lower;  /* how often it is written in small letters alone */
        uint64_t count, documents;
        size_t last; /* 1 + the last document that it was met in */
        pawl__cited definitions[DEFINITIONS_MAX];
        pawl__definition_form forms[DEFINITIONS_MAX];
        size_t n_definitions;
        uint64_t score;
} pawl__candidate;

typedef struct pawl__proposing {
        pawl__arena *arena;
        const pawl__automaton *known; /* of the glossary; may be NULL */
        const pawl_text *documents;
        size_t n_documents, at; /* the current document */
        pawl__map by_normal;
        pawl__map people; /* how sure it is that a normal form is a person's name */
        pawl__map pairs;  /* how often two nouns stand side by side, by their normal form */
        pawl__candidate *items;
        size_t n, cap;
        pawl__markups markups; /* of that document */
        size_t markup;
        pawl__buf buf;
        size_t counted; /* lines of that document: up to this byte ... */
        uint64_t lines; /* ... so many */
} pawl__proposing;

/** The candidate of this normal form, made if there is none. */
PAWL_MUST_CHECK pawl_status pawl__candidate_of(
        pawl__proposing *p, pawl__candidate **out, pawl_text normal);
/** Has the glossary it, folded? */
bool pawl__candidate_known(pawl__proposing *p, pawl_text folded);
/** The markup that a byte of the current document is in, or NULL; bytes come in order. */
const pawl__markup *pawl__candidate_markup(pawl__proposing *p, size_t byte);

/** Two nouns that often stand side by side are a candidate. */
PAWL_MUST_CHECK pawl_status pawl__propose_compounds(pawl__proposing *p);

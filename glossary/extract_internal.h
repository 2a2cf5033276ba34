/**
 * @file glossary/extract_internal.h
 * @brief The private parts of an extraction: the texts, their words, and the terms found.
 */
#pragma once

#include "base/map.h"
#include "glossary/extract.h"
#include "glossary/markup.h"
#include "glossary/surfaces.h"
#include "glossary/usage.h"

#define PAWL__NOWHERE UINT32_MAX /* a text's index: not in a text */

/** A range of a text. Spans are ordered by text, then by start. */
typedef struct pawl__span {
        uint32_t text;
        size_t start, end;
} pawl__span;

static inline bool pawl__span_earlier(pawl__span a, pawl__span b)
{
        return a.text != b.text ? a.text < b.text : a.start < b.start;
}

/** The automata that run side by side. */
enum { PAWL__BY_GLOSSARY, PAWL__BY_HINTS, PAWL__WALKS };

/** Bits of a word beside those of casing.h. */
enum {
        PAWL__MAY_BE_NOUN = 16, /**< three letters, not common */
        PAWL__IS_COMMON = 32,
        PAWL__IS_NAME = 256,  /**< of a normal form: a spelling of it is a name, so it is not cut */
        PAWL__IN_LOWER = 512, /**< of a normal form: it was written in small letters, too */
        PAWL__ALONE = 1024,   /**< of a normal form: it was more than a part of something longer */
        PAWL__ROLE_AT = 16    /**< an ordinary word's pawl__role is in the bits from here on */
};

/** A word as it is spelled, or the normal form of one. What the rules need of a spelling is
 * computed when it is first seen; each further occurrence costs one look-up. */
typedef struct pawl__word {
        pawl_text text;
        uint32_t normal; /**< the word that is its normal form; maybe itself */
        uint32_t token[PAWL__WALKS];
        uint32_t count;   /**< of a normal form: nouns among its spellings; saturates */
        pawl__span first; /**< of a normal form: the first of them */
        unsigned bits;
        pawl__usage usage; /**< of a normal form */
} pawl__word;

static inline pawl__role pawl__word_role(unsigned bits)
{
        return (pawl__role)(bits >> PAWL__ROLE_AT);
}

typedef struct pawl__words {
        pawl__map by_text;
        pawl__word *items;
        size_t n, cap;
        pawl__arena arena;
        pawl__buf buf;
} pawl__words;

/** A normal form that is a term, or that the metadata names. */
typedef struct pawl__term_row {
        pawl_text normal;
        pawl_text hint;      /**< as the metadata writes it; absent: it does not */
        uint32_t stands_for; /**< an alias: the term meant; else PAWL__MAP_NONE */
        uint32_t known; /**< 1 + the glossary's number for the normal form, once it was found */
        bool excluded, observed;
        pawl__source source; /**< the best, of an observed one */
        pawl__span first;
} pawl__term_row;

typedef struct pawl__term_table {
        pawl__map by_normal;
        pawl__term_row *items;
        size_t n, cap;
} pawl__term_table;

/** A text's tokens as they go by. */
struct pawl__extraction {
        pawl__glossary *glossary;
        const pawl__metadata *metadata;
        pawl__arena arena;
        pawl_text *texts;
        size_t n_texts, cap_texts;
        pawl__words words;
        pawl__term_table term_table;
        pawl__automaton *hints;           /**< NULL: there are none */
        pawl__matcher walks[PAWL__WALKS]; /**< of no automaton: nothing to look for */
        unsigned char
                *exhausted[PAWL__WALKS]; /**< a bit a state: all that ends there was reported */
        pawl__buf buf;
        pawl__markups markups; /**< of the text that is scanned */
};

/** The word spelled like this, added if it is new; @p text must outlive the extraction. */
PAWL_MUST_CHECK pawl_status pawl__words_index(
        uint32_t *out, pawl__extraction *extraction, pawl_text text);
/** All texts were read: let plurals count as their singulars. */
PAWL_MUST_CHECK pawl_status pawl__words_join_plurals(pawl__extraction *extraction);
void pawl__words_free(pawl__words *words);

/** Add the terms that the metadata names, and build the automaton that finds them. */
PAWL_MUST_CHECK pawl_status pawl__term_table_prepare(pawl__extraction *extraction);
/** A term was found. @p normal is the glossary's, a word's, or in the extraction's room (copied
 *  then). A hint is found by PAWL__METADATA_HINT. */
PAWL_MUST_CHECK pawl_status pawl__term_table_add(
        pawl__extraction *extraction, pawl_text normal, pawl__source source, pawl__span span);
/** A surface of the glossary was found. */
PAWL_MUST_CHECK pawl_status pawl__term_table_add_known(
        pawl__extraction *extraction, pawl_text normal, uint32_t number, pawl__span span);

/** Run every rule over the newest text. */
PAWL_MUST_CHECK pawl_status pawl__extraction_scan(pawl__extraction *extraction);
/** Get ready to walk by an automaton (NULL: not at all). */
PAWL_MUST_CHECK pawl_status pawl__extraction_match_by(
        pawl__extraction *extraction, int by, const pawl__automaton *automaton);

/** Up to 80 characters of a text around [start, end), white space as single spaces. */
PAWL_MUST_CHECK pawl_status pawl__context_of(
        pawl__buf *out, pawl_text text, size_t start, size_t end);

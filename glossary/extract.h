/**
 * @file glossary/extract.h
 * @brief Layer 1's rules: the terms in a step's texts.
 */
#pragma once

#include "base/json_tree.h"
#include "glossary/glossary.h"

/** In the order that decides between sources of equal confidence. */
typedef enum pawl__source {
        PAWL__METADATA_HINT,
        PAWL__GLOSSARY_MATCH,
        PAWL__QUOTED_PHRASE,
        PAWL__ACRONYM,
        PAWL__CASING_PATTERN,
        PAWL__REPEATED_NOUN,
        PAWL__SOURCES
} pawl__source;

const char *pawl__source_name(pawl__source source);
double pawl__source_confidence(pawl__source source);

/** A step's glossary metadata, read from JSON. Unknown members are ignored: metadata is open. */
typedef struct pawl__metadata {
        pawl_text *watch_terms, *exclude_terms, *fields;
        size_t n_watch_terms, n_exclude_terms, n_fields;
        struct pawl__alias {
                pawl_text alias, term;
        } * aliases;
        size_t n_aliases;
} pawl__metadata;

/** glossary_watch_terms, glossary_exclude_terms and glossary_fields are arrays of strings,
 *  glossary_aliases an object of strings: anything else is PAWL_EINVAL "metadata.NAME: ...". An
 *  absent or null metadata is empty. Texts are copied into the arena. */
PAWL_MUST_CHECK pawl_status pawl__metadata_read(
        pawl__metadata *out, pawl__arena *arena, pawl_text json, pawl_error *err);

typedef struct pawl__term {
        pawl_text surface;  /**< the normal form */
        pawl_text original; /**< as it was first written */
        pawl_text within;   /**< the text where that was; absent: a hint alone */
        pawl_text context;  /**< what pawl__term_context() made, or absent */
        pawl__source source;
        double confidence;
        bool watched;   /**< hinted, whatever its source */
        uint32_t known; /**< 1 + the number of the glossary's surface that it is; 0: look it up */
} pawl__term;

typedef struct pawl__terms {
        pawl__term *items;
        size_t n;
} pawl__terms;

/** What a term of an extraction by this glossary means. */
static inline pawl__resolution pawl__term_resolve(
        const pawl__glossary *glossary, const pawl__term *term)
{
        return term->known ? pawl__glossary_resolve_number(glossary, term->known - 1)
                           : pawl__glossary_resolve(glossary, term->surface);
}

/** Collects texts, then lists their terms. */
typedef struct pawl__extraction pawl__extraction;

/** @p glossary (may be NULL) and @p metadata (may be NULL: nothing) must outlive the extraction,
 *  and the glossary must not change meanwhile. After PAWL_ENOMEM it can only be freed. */
PAWL_MUST_CHECK pawl_status pawl__extraction_new(pawl__extraction **out, pawl__glossary *glossary,
        const pawl__metadata *metadata, pawl_error *err);
/** One text (valid UTF-8), any length; must outlive the extraction. */
PAWL_MUST_CHECK pawl_status pawl__extraction_text(
        pawl__extraction *extraction, pawl_text text, pawl_error *err);
/** The texts of a step's inputs or output (canonical JSON, which must outlive the extraction): the
 *  fields description, prompt, requirements and output, those that the metadata names, or with "*"
 *  every string at any depth; strings, and strings inside arrays. A document that is itself a
 *  string or an array is read as a field. */
PAWL_MUST_CHECK pawl_status pawl__extraction_json(
        pawl__extraction *extraction, const pawl__json_tree *tree, pawl_error *err);
/** The terms, one a normal form, by confidence, highest first, then by surface. They live
 *  as long as the extraction. */
PAWL_MUST_CHECK pawl_status pawl__extraction_terms(
        pawl__terms *out, pawl__extraction *extraction, pawl_error *err);
void pawl__extraction_free(pawl__extraction *extraction);

/** The text around a term's first occurrence: up to 80 characters, on one line, in the arena;
 * absent for a term that is only a hint. The text must still exist. @p buf is scratch memory. A
 * separate call, since terms that resolve need no context (it takes a fifth of layer 1's time). */
PAWL_MUST_CHECK pawl_status pawl__term_context(
        pawl_text *out, pawl__arena *arena, pawl__buf *buf, const pawl__term *term);

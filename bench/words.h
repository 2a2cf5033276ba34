/**
 * @file bench/words.h
 * @brief Text like that of English, as far as the frequencies and lengths of words go, and
 *        glossaries of surfaces that occur in it. The same at each run.
 */
#pragma once

#include "bench/measure.h"
#include "glossary/conflict.h"
#include "glossary/surfaces.h"

void bench_require(pawl_status status);

/** Call first. */
void bench_words_make(void);

/** Words until there are so many bytes, or so many of them. */
void bench_words_text(pawl__buf *out, size_t bytes, size_t max_words);

/** @p n senses. Of a hundred all but @p crowded have a surface that none before them has; the rest
 *  take what they draw. The surfaces are written to @p list, a line each (NULL: not). */
pawl__glossary *bench_words_glossary(size_t n, size_t crowded, FILE *list);

/** Extraction of a text's terms, and if @p arena is given the findings too; nanoseconds. */
double bench_extract_ns(size_t *n_terms, size_t *n_findings, pawl__glossary *glossary,
        pawl_text text, pawl__arena *arena);

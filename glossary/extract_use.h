/**
 * @file glossary/extract_use.h
 * @brief The scan's part that sees how words are used: what is before and behind each.
 */
#pragma once

#include "glossary/extract_internal.h"
#include "glossary/tokens.h"

/** The words before. */
struct use {
        pawl__role role;      /**< of the word that only white space is behind */
        pawl__role noun_role; /**< of the word before that one, if it may be a noun */
        uint32_t noun;        /**< its normal form then, or PAWL__MAP_NONE */
        size_t word_end;      /**< where it ends */
        bool byline;          /**< the rest of the line names people */
};

static inline void forget_words(struct use *use)
{
        use->noun = PAWL__MAP_NONE;
        use->role = PAWL__NO_ROLE;
}

/* What an ordinary word says of the noun in front of it. */
static inline void see_behind(
        struct use *use, pawl__extraction *extraction, pawl__role role, size_t start)
{
        pawl__word *noun = &extraction->words.items[use->noun];
        const size_t gap = start - use->word_end;

        if (!memchr(extraction->texts[extraction->n_texts - 1].data + use->word_end, '\n', gap))
                pawl__usage_before(&noun->usage, use->noun_role, role, noun->text);
}

/* The places of a word that begins with a capital, or is part of something longer. */
static inline void see_name(struct use *use, pawl__extraction *extraction, pawl__word *normal,
        pawl__span span, bool glued)
{
        const pawl_text text = extraction->texts[extraction->n_texts - 1];
        unsigned sure = 0;

        if (glued && span.start > 0 && text.data[span.start - 1] == '@')
                sure = PAWL__SURE_NAME;
        else if (glued && span.end < text.len && text.data[span.end] == '@')
                sure = PAWL__SURE_NAME / 2;
        else if (!glued)
                sure = use->byline ? PAWL__SURE_NAME
                                   : pawl__speaker(&use->byline, text, span.start, span.end);
        normal->usage.names = pawl__usage_sum(normal->usage.names, sure) & PAWL__USAGE_MAX;
}

static inline void join(pawl__usage *usage)
{
        usage->joins = pawl__usage_sum(usage->joins, 1) & PAWL__USAGE_MAX;
}

/* One of the first places of a word that may be a noun. */
static inline void see_place(struct use *use, pawl__extraction *extraction, pawl__word *normal,
        unsigned bits, pawl__span span)
{
        const bool glued =
                pawl__is_glued(extraction->texts[extraction->n_texts - 1], span.start, span.end);

        if (normal->count == 0)
                normal->first = span;
        if (!glued)
                normal->bits |= PAWL__ALONE | (bits & PAWL__STARTS_LOWER ? PAWL__IN_LOWER : 0);
        if (glued || !(bits & (PAWL__STARTS_LOWER | PAWL__IS_CAPITALS)))
                see_name(use, extraction, normal, span, glued);
        if (use->noun != PAWL__MAP_NONE)
                join(&extraction->words.items[use->noun].usage);
        else if (use->role)
                pawl__usage_behind(&normal->usage, use->role, normal->text);
        use->noun_role = use->role;
        use->word_end = span.end;
}

/* Every place counts; what the first ones tell is kept. */
static inline void see_noun(struct use *use, pawl__extraction *extraction, const pawl__word *word,
        pawl__word *normal, pawl__span span)
{
        const bool told = normal->count >= PAWL__ENOUGH && normal->bits & PAWL__ALONE;

        if (!told)
                see_place(use, extraction, normal, word->bits, span);
        normal->count += normal->count < UINT32_MAX;
        use->noun = told ? PAWL__MAP_NONE : word->normal;
        use->role = PAWL__NO_ROLE;
}

static inline void see_ordinary(struct use *use, pawl__extraction *extraction,
        const pawl__word *word, const pawl__token *token)
{
        const pawl__role role = pawl__word_role(word->bits);

        if (role && use->noun != PAWL__MAP_NONE)
                see_behind(use, extraction, role, token->start);
        if (!(word->bits & PAWL__STARTS_LOWER))
                (void)pawl__speaker(&use->byline, extraction->texts[extraction->n_texts - 1],
                        token->start, token->end);
        use->noun = PAWL__MAP_NONE;
        use->role = role;
}

/* The terms of an extraction: those of the metadata, those that were found, and the sorted list. */
#include "base/error.h"
#include "glossary/extract_internal.h"
#include "glossary/normal.h"
#include <stdlib.h>

static const struct {
        const char *name;
        double confidence;
} sources[PAWL__SOURCES] = {
        {"metadata_hint", 1.0},
        {"glossary_match", 1.0},
        {"quoted_phrase", 0.8},
        {"acronym", 0.8},
        {"casing_pattern", 0.8},
        {"repeated_noun", 0.5},
};

const char *pawl__source_name(pawl__source source)
{
        return sources[source].name;
}

double pawl__source_confidence(pawl__source source)
{
        return sources[source].confidence;
}

/* The item of a normal form, made if there is none. Only the extraction's room does not live as
 * long as it: a word, or the glossary's, is borrowed. */
static pawl_status index_of(pawl__extraction *extraction, uint32_t *out, pawl_text normal)
{
        pawl__term_table *term_table = &extraction->term_table;
        bool ok = true;

        if (normal.data == extraction->buf.data) {
                *out = pawl__map_get(&term_table->by_normal, normal);
                if (*out != PAWL__MAP_NONE)
                        return PAWL_OK;
                normal = pawl__arena_text(&extraction->arena, normal, &ok);
        }
        if (term_table->n >= PAWL__MAP_NONE - 1)
                return PAWL_ETOOBIG;
        if (!ok ||
                pawl__grow(&term_table->items, &term_table->cap, term_table->n + 1,
                        sizeof *term_table->items) ||
                pawl__map_number(out, &term_table->by_normal, normal, (uint32_t)term_table->n))
                return PAWL_ENOMEM;
        if (*out < term_table->n)
                return PAWL_OK;
        term_table->items[term_table->n++] = (pawl__term_row){.normal = normal,
                .stands_for = PAWL__MAP_NONE,
                .source = PAWL__SOURCES,
                .first = {PAWL__NOWHERE, 0, 0}};
        return PAWL_OK;
}

/* The item of what the metadata writes; PAWL__MAP_NONE for nothing but white space. */
static pawl_status index_of_surface(pawl__extraction *extraction, uint32_t *out, pawl_text surface)
{
        pawl__buf_clear(&extraction->buf);
        pawl_status status = pawl__normal_form(&extraction->buf, surface);

        *out = PAWL__MAP_NONE;
        if (status || extraction->buf.len == 0)
                return status;
        return index_of(extraction, out, pawl__buf_text(&extraction->buf));
}

static pawl_status hint(pawl__extraction *extraction, uint32_t *out, pawl_text surface)
{
        pawl_status status = index_of_surface(extraction, out, surface);

        if (status == PAWL_OK && *out != PAWL__MAP_NONE) {
                pawl__term_row *item = &extraction->term_table.items[*out];
                if (!item->hint.data)
                        item->hint = surface;
        }
        return status;
}

/* Of two aliases with one normal form the first counts; one that is its own term says nothing. */
static pawl_status take_alias(pawl__extraction *extraction, const struct pawl__alias *alias)
{
        uint32_t term, other;
        pawl_status status = hint(extraction, &term, alias->term);

        if (status == PAWL_OK)
                status = index_of_surface(extraction, &other, alias->alias);
        if (status || term == PAWL__MAP_NONE || other == PAWL__MAP_NONE || term == other)
                return status;
        pawl__term_row *item = &extraction->term_table.items[other];
        if (item->stands_for == PAWL__MAP_NONE)
                item->stands_for = term;
        return PAWL_OK;
}

static pawl_status build_hints(pawl__extraction *extraction)
{
        const pawl__term_table *term_table = &extraction->term_table;
        pawl_status status = PAWL_OK;

        for (uint32_t i = 0; i < term_table->n && status == PAWL_OK; i++) {
                const pawl__term_row *item = &term_table->items[i];
                if (!item->hint.data && item->stands_for == PAWL__MAP_NONE)
                        continue;
                if (!extraction->hints)
                        status = pawl__automaton_new(&extraction->hints);
                if (status == PAWL_OK)
                        status = pawl__automaton_add(extraction->hints, item->normal, i);
        }
        for (uint32_t i = 0; i < term_table->n && status == PAWL_OK; i++) {
                const pawl__term_row *item = &term_table->items[i];
                if (item->hint.data || item->stands_for != PAWL__MAP_NONE)
                        status = pawl__automaton_add_forms(extraction->hints, item->normal, i,
                                item->hint.data && pawl__is_name(item->hint));
        }
        if (status == PAWL_OK && extraction->hints)
                status = pawl__automaton_build(extraction->hints);
        return status;
}

pawl_status pawl__term_table_prepare(pawl__extraction *extraction)
{
        const pawl__metadata *metadata = extraction->metadata;
        pawl_status status = PAWL_OK;
        uint32_t index;

        for (size_t i = 0; i < metadata->n_watch_terms && status == PAWL_OK; i++)
                status = hint(extraction, &index, metadata->watch_terms[i]);
        for (size_t i = 0; i < metadata->n_aliases && status == PAWL_OK; i++)
                status = take_alias(extraction, &metadata->aliases[i]);
        for (size_t i = 0; i < metadata->n_exclude_terms && status == PAWL_OK; i++) {
                status = index_of_surface(extraction, &index, metadata->exclude_terms[i]);
                if (status == PAWL_OK && index != PAWL__MAP_NONE)
                        extraction->term_table.items[index].excluded = true;
        }
        return status ? status : build_hints(extraction);
}

/* *out: the item, unless it is an alias of another. */
static pawl_status observe(pawl__extraction *extraction, pawl__term_row **out, pawl_text normal,
        pawl__source source, pawl__span span)
{
        uint32_t index;

        *out = NULL;
        if (normal.len == 0)
                return PAWL_OK;

        TRY(index_of(extraction, &index, normal));
        pawl__term_row *item = &extraction->term_table.items[index];
        if (item->stands_for != PAWL__MAP_NONE && !item->excluded)
                item = &extraction->term_table.items[item->stands_for];
        else
                *out = item;
        if (item->excluded)
                return PAWL_OK;
        if (source < item->source)
                item->source = source;
        item->observed = true;
        if (pawl__span_earlier(span, item->first))
                item->first = span;
        return PAWL_OK;
}

pawl_status pawl__term_table_add(
        pawl__extraction *extraction, pawl_text normal, pawl__source source, pawl__span span)
{
        pawl__term_row *item;

        return observe(extraction, &item, normal, source, span);
}

pawl_status pawl__term_table_add_known(
        pawl__extraction *extraction, pawl_text normal, uint32_t number, pawl__span span)
{
        pawl__term_row *item;
        pawl_status status = observe(extraction, &item, normal, PAWL__GLOSSARY_MATCH, span);

        if (status == PAWL_OK && item)
                item->known = number + 1;
        return status;
}

/* Nouns become terms when all texts are counted; once they are, counting them again is harmless. */
static pawl_status add_repeated_nouns(pawl__extraction *extraction)
{
        const pawl__words *words = &extraction->words;
        pawl_status status = pawl__words_join_plurals(extraction);

        for (size_t i = 0; i < words->n && status == PAWL_OK; i++) {
                const pawl__word *word = &words->items[i];
                const bool lower = (word->bits & PAWL__IN_LOWER) != 0;
                if (word->count >= 3 && word->bits & PAWL__ALONE &&
                        (lower || !pawl__stress_word(word->text)) &&
                        pawl__usage_is_noun(&word->usage, word->text, word->count, lower))
                        status = pawl__term_table_add(
                                extraction, word->text, PAWL__REPEATED_NOUN, word->first);
        }
        return status;
}

static bool is_term(const pawl__term_row *item)
{
        return (item->hint.data || item->observed) && !item->excluded;
}

static void make_term(
        pawl__term *term, const pawl__extraction *extraction, const pawl__term_row *item)
{
        const pawl__span *first = &item->first;

        term->surface = item->normal;
        term->known = item->known;
        term->watched = item->hint.data != NULL;
        term->source = term->watched ? PAWL__METADATA_HINT : item->source;
        term->confidence = pawl__source_confidence(term->source);
        term->original = item->hint;
        if (first->text == PAWL__NOWHERE)
                return;
        term->within = extraction->texts[first->text];
        term->original = pawl__text_n(term->within.data + first->start, first->end - first->start);
}

pawl_status pawl__term_context(
        pawl_text *out, pawl__arena *arena, pawl__buf *buf, const pawl__term *term)
{
        bool ok = true;

        *out = (pawl_text){NULL, 0};
        if (!term->within.data)
                return PAWL_OK;
        size_t start = (size_t)(term->original.data - term->within.data);
        pawl__buf_clear(buf);
        if (pawl__context_of(buf, term->within, start, start + term->original.len))
                return PAWL_ENOMEM;
        *out = pawl__arena_text(arena, pawl__buf_text(buf), &ok);
        return ok ? PAWL_OK : PAWL_ENOMEM;
}

static int compare_terms(const void *left, const void *right)
{
        const pawl__term *a = left, *b = right;

        if (a->confidence < b->confidence || a->confidence > b->confidence)
                return a->confidence > b->confidence ? -1 : 1;
        /* No surface is empty: mostly the first byte tells (3 of 100 us of 250 terms). */
        int first = (unsigned char)*a->surface.data - (unsigned char)*b->surface.data;
        if (first)
                return first;
        return pawl__text_cmp(a->surface, b->surface);
}

static pawl_status make_terms(pawl__terms *out, pawl__extraction *extraction)
{
        const pawl__term_table *term_table = &extraction->term_table;
        pawl__terms terms = {NULL, 0};

        for (size_t i = 0; i < term_table->n; i++)
                terms.n += is_term(&term_table->items[i]);
        terms.items = pawl__arena_array(&extraction->arena, terms.n, sizeof *terms.items);
        if (!terms.items)
                return PAWL_ENOMEM;
        size_t at = 0;
        for (size_t i = 0; i < term_table->n; i++)
                if (is_term(&term_table->items[i]))
                        make_term(&terms.items[at++], extraction, &term_table->items[i]);
        if (terms.n)
                qsort(terms.items, terms.n, sizeof *terms.items, compare_terms);
        *out = terms;
        return PAWL_OK;
}

pawl_status pawl__extraction_terms(pawl__terms *out, pawl__extraction *extraction, pawl_error *err)
{
        pawl_status status = add_repeated_nouns(extraction);

        if (status == PAWL_OK)
                status = make_terms(out, extraction);
        if (status == PAWL_ETOOBIG)
                return pawl__fail(
                        err, status, "extraction: more than 4 billion terms; divide the text");
        return status ? pawl__nomem(err) : PAWL_OK;
}

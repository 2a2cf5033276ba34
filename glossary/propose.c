#include "base/error.h"
#include "glossary/normal.h"
#include "glossary/people.h"
#include "glossary/plural.h"
#include "glossary/propose_internal.h"
#include "glossary/surfaces.h"
#include "glossary/tokens.h"
#include <stdlib.h>

/* What the form of a term and of its surest definition are worth, and how often one without a
 * definition must be there. Measured on documents with glossaries of their own. */
static const struct {
        unsigned worth, least;
} by_source[SOURCES] = {
        [PAWL__METADATA_HINT] = {10, 1},
        [PAWL__GLOSSARY_MATCH] = {10, 1},
        [PAWL__QUOTED_PHRASE] = {8, 2},
        [PAWL__ACRONYM] = {10, 2},
        [PAWL__CASING_PATTERN] = {4, 3},
        [PAWL__REPEATED_NOUN] = {10, 3},
        [BY_DEFINITION] = {4, 1},
        [BY_COMPOUND] = {16, COMPOUND_LEAST},
};
static const unsigned by_form[PAWL__DEFINITION_FORMS] = {
        [PAWL__IN_TABLE] = 60,
        [PAWL__IN_LIST] = 50,
        [PAWL__AS_BOLD] = 30,
        [PAWL__AS_CODE] = 8,
        [PAWL__BY_MEANS] = 24,
        [PAWL__BY_IS] = 24,
};

/* ---- What layer 1 finds ---------------------------------------------------------------------- */

static pawl_status take_terms(pawl__proposing *p, const pawl__terms *terms)
{
        pawl_status status = PAWL_OK;
        pawl__candidate *c;

        for (size_t i = 0; i < terms->n && !status; i++) {
                const pawl__term *term = &terms->items[i];
                if (term->known)
                        continue;
                status = pawl__candidate_of(p, &c, term->surface);
                if (status)
                        break;
                /* pawl__grow() has set it; NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
                c->source = term->source;
                c->original = pawl__arena_copy(p->arena, term->original);
                status = pawl__term_context(&c->context, p->arena, &p->buf, term);
        }
        return p->arena->failed ? PAWL_ENOMEM : status;
}

static pawl_status extract(pawl__proposing *p, pawl__glossary *glossary, pawl_error *err)
{
        pawl__extraction *extraction;
        pawl__terms terms;
        pawl_status status = pawl__extraction_new(&extraction, glossary, NULL, err);

        if (status)
                return status;
        for (size_t i = 0; i < p->n_documents && !status; i++)
                status = pawl__extraction_text(extraction, p->documents[i], err);
        if (!status)
                status = pawl__extraction_terms(&terms, extraction, err);
        if (!status && take_terms(p, &terms))
                status = pawl__nomem(err);
        pawl__extraction_free(extraction);
        return status;
}

/* ---- What the documents define --------------------------------------------------------------- */

/* The line of a byte of the current document; bytes come in order. */
static uint64_t line_of(pawl__proposing *p, size_t byte)
{
        const char *data = p->documents[p->at].data;

        for (; p->counted < byte; p->counted++)
                p->lines += data[p->counted] == '\n';
        return p->lines + 1;
}

/* The surest first, and each once. */
static void add_definition(
        pawl__candidate *c, const pawl__cited *definition, pawl__definition_form form)
{
        size_t to = c->n_definitions;

        for (size_t i = 0; i < c->n_definitions; i++)
                if (pawl__text_eq(c->definitions[i].text, definition->text))
                        return;
        while (to > 0 && c->forms[to - 1] > form)
                to--;
        if (to == DEFINITIONS_MAX)
                return;
        c->n_definitions += c->n_definitions < DEFINITIONS_MAX;
        for (size_t i = c->n_definitions - 1; i > to; i--) {
                c->definitions[i] = c->definitions[i - 1];
                c->forms[i] = c->forms[i - 1];
        }
        c->forms[to] = form;
        c->definitions[to] = *definition;
}

static pawl_status take_definition(const pawl__definition *found, void *user)
{
        pawl__proposing *p = user;
        pawl__candidate *c;

        pawl__buf_clear(&p->buf);
        if (pawl__folded_form(&p->buf, found->term))
                return PAWL_ENOMEM;
        if (pawl__candidate_known(p, pawl__buf_text(&p->buf)))
                return PAWL_OK;
        pawl__buf_clear(&p->buf);
        if (pawl__normal_form(&p->buf, found->term))
                return PAWL_ENOMEM;
        if (p->buf.len == 0)
                return PAWL_OK;

        TRY(pawl__candidate_of(p, &c, pawl__buf_text(&p->buf)));
        if (!c->original.data)
                c->original = pawl__arena_copy(p->arena, found->term);
        const pawl__cited definition = {pawl__arena_copy(p->arena, found->text), p->at,
                line_of(p, found->at), pawl__definition_form_name(found->form)};
        add_definition(c, &definition, found->form);
        return p->arena->failed ? PAWL_ENOMEM : PAWL_OK;
}

static pawl_status define(pawl__proposing *p)
{
        pawl_status status = PAWL_OK;

        for (p->at = 0; p->at < p->n_documents && !status; p->at++) {
                p->counted = p->lines = 0;
                status = pawl__markups_find(&p->markups, p->documents[p->at]);
                if (!status)
                        status = pawl__definitions_find(
                                p->documents[p->at], &p->markups, take_definition, p);
        }
        return status;
}

/* ---- Plurals --------------------------------------------------------------------------------- */

/* A plural that is a name somewhere, as `files` is, is a candidate beside its singular: it counts
 * as that, and what it means is what that means. */
static void join_plural(pawl__proposing *p, pawl__candidate *c)
{
        pawl__buf_clear(&p->buf);
        pawl__buf_add_text(&p->buf, c->normal);
        if (p->buf.failed)
                return;
        const size_t len = pawl__singular(p->buf.data, p->buf.len);
        const uint32_t index =
                len == c->normal.len ? PAWL__MAP_NONE
                                     : pawl__map_get(&p->by_normal, pawl__text_n(p->buf.data, len));
        if (index == PAWL__MAP_NONE)
                return;
        c->is = index + 1;
        for (size_t i = 0; i < c->n_definitions; i++)
                add_definition(&p->items[index], &c->definitions[i], c->forms[i]);
}

static pawl_status join_plurals(pawl__proposing *p)
{
        for (size_t i = 0; i < p->n; i++)
                join_plural(p, &p->items[i]);
        return p->buf.failed ? PAWL_ENOMEM : PAWL_OK;
}

/* ---- How often, and where -------------------------------------------------------------------- */

static bool is_lower(pawl_text text)
{
        for (size_t i = 0; i < text.len; i++)
                if (text.data[i] >= 'A' && text.data[i] <= 'Z')
                        return false;
        return true;
}

static pawl_status count_match(uint32_t number, size_t start, size_t end, void *user)
{
        pawl__proposing *p = user;
        pawl__candidate *c = &p->items[number];
        const pawl_text document = p->documents[p->at];

        /* Matches come in the order of their ends, so the last byte is looked at. */
        const pawl__markup *markup = pawl__candidate_markup(p, end - 1);
        if (markup && markup->kind == PAWL__NOT_PROSE)
                return PAWL_OK;
        c->count++;
        c->lower += is_lower(pawl__text_n(document.data + start, end - start));
        if (c->last == p->at + 1)
                return PAWL_OK;
        if (c->last == 0) {
                c->document = p->at;
                c->line = line_of(p, end - 1);
        }
        c->last = p->at + 1;
        c->documents++;
        return PAWL_OK;
}

/* What is nowhere as it is told, as where markup stands between its words, is there where it is
 * defined. */
static void count_definition(pawl__candidate *c)
{
        if (c->count || !c->n_definitions)
                return;
        c->count = c->documents = 1;
        c->document = c->definitions[0].document;
        c->line = c->definitions[0].line;
}

static uint32_t counted_as(const pawl__proposing *p, uint32_t i)
{
        return p->items[i].is ? p->items[i].is - 1 : i;
}

static pawl_status count(pawl__proposing *p)
{
        pawl__automaton *automaton;
        pawl_status status = pawl__automaton_new(&automaton);

        if (status)
                return status;
        for (uint32_t i = 0; i < p->n && !status; i++)
                status = pawl__automaton_add(automaton, p->items[i].normal, counted_as(p, i));
        for (uint32_t i = 0; i < p->n && !status; i++)
                status = pawl__automaton_add_forms(automaton, p->items[i].normal, counted_as(p, i),
                        pawl__is_name(p->items[i].original));
        if (!status)
                status = pawl__automaton_build(automaton);
        for (p->at = 0; p->at < p->n_documents && !status; p->at++) {
                p->counted = p->lines = p->markup = 0;
                status = pawl__markups_find(&p->markups, p->documents[p->at]);
                if (!status)
                        status = pawl__automaton_scan(
                                automaton, p->documents[p->at], count_match, p);
        }
        pawl__automaton_free(automaton);
        for (size_t i = 0; i < p->n; i++)
                count_definition(&p->items[i]);
        return status;
}

/* ---- Which are worth it ---------------------------------------------------------------------- */

/* 16 times the logarithm to base 2, by straight lines between the powers of two. */
static uint64_t log16(uint64_t n)
{
        unsigned bits = 0;

        while (n >> bits > 1)
                bits++;
        return 16 * bits + (((n << 4) >> bits) & 15);
}

enum { FLAT = 32 }; /* what being there once is worth: as much as being there four times more */

static void rate(pawl__candidate *c)
{
        const uint64_t worth =
                by_source[c->source].worth + (c->n_definitions ? by_form[c->forms[0]] : 0);

        if (!c->n_definitions && c->count < by_source[c->source].least)
                return;
        c->score = worth * (FLAT + log16(c->count)) * (FLAT + log16(c->documents));
}

static int compare(const void *left, const void *right)
{
        const pawl__candidate *a = left, *b = right;

        if (a->score != b->score)
                return a->score > b->score ? -1 : 1;
        if (a->count != b->count)
                return a->count > b->count ? -1 : 1;
        return pawl__text_cmp(a->normal, b->normal);
}

/* As people write it: in small letters where it is often written so, unless it is an identifier. */
static pawl_text surface_of(const pawl__candidate *c)
{
        return c->lower > c->count / 4 && c->source != PAWL__CASING_PATTERN ? c->normal
                                                                            : c->original;
}

static const char *source_name(unsigned source)
{
        return source == BY_DEFINITION ? "definition"
               : source == BY_COMPOUND ? "compound"
                                       : pawl__source_name((pawl__source)source);
}

static pawl_status give(pawl__proposals *out, pawl__proposing *p)
{
        size_t n = 0;

        for (size_t i = 0; i < p->n; i++)
                if (!p->items[i].is &&
                        (p->items[i].lower || !pawl__people_has(&p->people, p->items[i].normal)))
                        rate(&p->items[i]);
        if (p->n)
                qsort(p->items, p->n, sizeof *p->items, compare);
        while (n < p->n && p->items[n].score)
                n++;
        pawl__proposal *items = pawl__arena_array(p->arena, n, sizeof *items);
        for (size_t i = 0; items && i < n; i++) {
                const pawl__candidate *c = &p->items[i];
                items[i] = (pawl__proposal){.surface = surface_of(c),
                        .normal = c->normal,
                        .source = source_name(c->source),
                        .count = c->count,
                        .documents = c->documents,
                        .first = {c->context, c->document, c->line, NULL},
                        .definitions = pawl__arena_array(
                                p->arena, c->n_definitions, sizeof *c->definitions),
                        .n_definitions = c->n_definitions};
                for (size_t d = 0; items[i].definitions && d < c->n_definitions; d++)
                        items[i].definitions[d] = c->definitions[d];
        }
        if (!items || p->arena->failed)
                return PAWL_ENOMEM;
        *out = (pawl__proposals){items, n};
        return PAWL_OK;
}

pawl_status pawl__propose(pawl__proposals *out, pawl__arena *arena, pawl__glossary *glossary,
        const pawl_text *documents, size_t n, pawl_error *err)
{
        pawl__proposing p = {.arena = arena, .documents = documents, .n_documents = n};
        pawl_status status = glossary ? pawl__glossary_automaton(&p.known, glossary, err) : PAWL_OK;

        if (!status)
                status = extract(&p, glossary, err);
        if (!status) {
                status = define(&p);
                if (!status)
                        status = pawl__propose_compounds(&p);
                if (!status)
                        status = join_plurals(&p);
                if (!status)
                        status = count(&p);
                if (!status)
                        status = give(out, &p);
                if (status)
                        status = status == PAWL_ETOOBIG
                                         ? pawl__fail(err, status,
                                                   "documents: too many terms; give fewer at once")
                                         : pawl__nomem(err);
        }
        pawl__map_free(&p.by_normal);
        pawl__map_free(&p.people);
        pawl__map_free(&p.pairs);
        pawl__buf_free(&p.buf);
        free(p.markups.items);
        free(p.items);
        return status;
}

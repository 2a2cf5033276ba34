#include "glossary/conflict.h"
#include "base/error.h"
#include "glossary/contradict.h"
#include <stdlib.h>

static const char *const type_names[] = {
        "unknown", "ambiguous", "inconsistent", "unresolved_critical", "question"};
static const char *const severity_names[] = {"none", "low", "medium", "high"};

const char *pawl__conflict_type_name(pawl__conflict_type type)
{
        return type_names[type];
}

bool pawl__conflict_type_of(pawl__conflict_type *out, pawl_text name)
{
        const size_t n = sizeof type_names / sizeof type_names[0];
        const size_t i = pawl__text_index(name, type_names, n);

        if (i < n)
                *out = (pawl__conflict_type)i;
        return i < n;
}

const char *pawl__severity_name(pawl__severity severity)
{
        return severity_names[severity < PAWL__SEVERITY_HIGH ? severity : PAWL__SEVERITY_HIGH];
}

pawl__severity pawl__severity_of(pawl_text name)
{
        return (pawl__severity)pawl__text_index(name, severity_names, PAWL__SEVERITY_HIGH);
}

/* ---- Evaluating ------------------------------------------------------------------------------ */

/* Of a term that does not resolve to one sense. */
static pawl__conflict_type type_of(const pawl__term *term, size_t senses, bool critical)
{
        if (senses > 1)
                return PAWL__AMBIGUOUS;
        if (critical && (term->watched || term->confidence < 0.5))
                return PAWL__UNRESOLVED_CRITICAL;
        return PAWL__UNKNOWN;
}

static pawl__severity severity_of(pawl__conflict_type type, double confidence, bool critical)
{
        const pawl__severity otherwise = critical ? PAWL__SEVERITY_HIGH : PAWL__SEVERITY_MEDIUM;

        switch (type) {
        case PAWL__UNRESOLVED_CRITICAL:
        case PAWL__QUESTION:
                return PAWL__SEVERITY_HIGH;
        case PAWL__AMBIGUOUS:
                return otherwise;
        case PAWL__INCONSISTENT:
                return PAWL__SEVERITY_LOW;
        case PAWL__UNKNOWN:
                break;
        }
        if (confidence >= 0.8)
                return PAWL__SEVERITY_LOW;
        return confidence >= 0.5 ? PAWL__SEVERITY_MEDIUM : otherwise;
}

/* A finding's texts, and the senses of its resolution, copied into the arena. */
static void copy_texts(pawl__finding *finding, pawl__arena *arena, pawl__resolution resolution)
{
        finding->term = pawl__arena_copy(arena, finding->term);
        finding->original = pawl__arena_copy(arena, finding->original);
        finding->context = pawl__arena_copy(arena, finding->context);
        finding->candidates = pawl__arena_array(arena, resolution.n, sizeof *finding->candidates);
        finding->n_candidates = finding->candidates ? resolution.n : 0;
        for (size_t i = 0; i < finding->n_candidates; i++) {
                pawl__sense *copy = &finding->candidates[i];
                *copy = *resolution.senses[i];
                copy->surface = pawl__arena_copy(arena, copy->surface);
                copy->normal = pawl__arena_copy(arena, copy->normal);
                copy->definition = pawl__arena_copy(arena, copy->definition);
        }
}

/* Compare the output with the terms that have one sense. */
static pawl_status find_contradictions(bool *contradicted, const pawl__glossary *glossary,
        const pawl__terms *terms, pawl_text output)
{
        pawl__definition_check *claims = calloc(terms->n + 1, sizeof *claims);
        pawl_status status = PAWL_ENOMEM;
        size_t n = 0;

        if (!claims)
                return status;
        for (size_t i = 0; i < terms->n; i++) {
                pawl_text surface = terms->items[i].surface;
                pawl__resolution resolution = pawl__term_resolve(glossary, &terms->items[i]);
                if (resolution.n == 1)
                        claims[n++] = (pawl__definition_check){
                                surface, resolution.senses[0]->definition, &contradicted[i]};
        }
        status = pawl__contradictions(output, claims, n);
        free(claims);
        return status;
}

static void make_finding(pawl__finding *finding, pawl__arena *arena, const pawl__term *term,
        pawl__resolution resolution, bool critical)
{
        pawl__conflict_type type =
                resolution.n == 1 ? PAWL__INCONSISTENT : type_of(term, resolution.n, critical);

        *finding = (pawl__finding){
                .term = term->surface,
                .original = term->original,
                .context = term->context,
                .type = type,
                .severity = severity_of(type, term->confidence, critical),
                .confidence = term->confidence,
        };
        copy_texts(finding, arena, resolution);
}

pawl_status pawl__findings_make(pawl__findings *out, pawl__arena *arena,
        const pawl__glossary *glossary, const pawl__terms *terms, bool critical, pawl_text output,
        pawl_error *err)
{
        pawl__findings findings = {pawl__arena_array(arena, terms->n, sizeof *findings.items), 0};
        bool *contradicted = pawl__arena_array(arena, terms->n, sizeof *contradicted);
        pawl_status status;

        if (contradicted && output.len &&
                find_contradictions(contradicted, glossary, terms, output))
                return pawl__nomem(err);
        for (size_t i = 0; i < terms->n && contradicted && !arena->failed; i++) {
                const pawl__term *term = &terms->items[i];
                pawl__resolution resolution = pawl__term_resolve(glossary, term);
                if (!pawl__resolves(resolution) || contradicted[i])
                        make_finding(
                                &findings.items[findings.n++], arena, term, resolution, critical);
        }
        status = pawl__arena_check(arena, err);
        if (!status)
                *out = findings;
        return status;
}

pawl__severity pawl__findings_severity(const pawl__findings *findings)
{
        pawl__severity highest = PAWL__SEVERITY_NONE;

        for (size_t i = 0; i < findings->n; i++)
                if (findings->items[i].severity > highest)
                        highest = findings->items[i].severity;
        return highest;
}

/* ---- Re-evaluating --------------------------------------------------------------------------- */

/* A term that now has several senses is ambiguous, and one that has none any more is unknown. It
 * does not become less severe than it was recorded, which includes whether the step is critical. */
static void update_type(pawl__finding *finding, size_t senses)
{
        pawl__conflict_type type = finding->type;

        if (type == PAWL__INCONSISTENT)
                return;
        if (senses > 1)
                type = PAWL__AMBIGUOUS;
        else if (type == PAWL__AMBIGUOUS)
                type = PAWL__UNKNOWN;
        if (type == finding->type)
                return;
        pawl__severity severity = severity_of(type, finding->confidence, false);
        finding->type = type;
        if (severity > finding->severity)
                finding->severity = severity;
}

pawl_status pawl__findings_reevaluate(pawl__findings *out, pawl__arena *arena,
        const pawl__glossary *glossary, const pawl__findings *recorded, pawl_error *err)
{
        pawl__findings findings = {
                pawl__arena_array(arena, recorded->n, sizeof *findings.items), 0};

        for (size_t i = 0; i < recorded->n && !arena->failed; i++) {
                const pawl__finding *old = &recorded->items[i];
                pawl__resolution resolution = pawl__glossary_resolve(glossary, old->term);
                if (resolution.ignored || (resolution.n == 1 && old->type != PAWL__INCONSISTENT))
                        continue;
                pawl__finding *finding = &findings.items[findings.n++];
                *finding = *old;
                update_type(finding, resolution.n);
                copy_texts(finding, arena, resolution);
        }
        const pawl_status status = pawl__arena_check(arena, err);
        if (!status)
                *out = findings;
        return status;
}

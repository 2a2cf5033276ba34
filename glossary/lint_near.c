/* Terms that are nearly one: plurals, other spellings, one meaning for two, two for one. */
#include "base/similar.h"
#include "glossary/lint_internal.h"
#include "glossary/normal.h"
#include "glossary/plural.h"
#include <stdlib.h>

enum { LEAST_LETTERS = 5, TWO_FROM = 10 }; /* of words that may differ in one letter, or in two */

static unsigned bits_of(uint64_t bits)
{
        unsigned n = 0;

        for (; bits; bits &= bits - 1)
                n++;
        return n;
}

/* In which way are two terms nearly one? NULL: in none. */
static const char *nearness(const pawl__lint_node *a, const pawl__lint_node *b)
{
        const size_t shorter =
                a->squeezed.len < b->squeezed.len ? a->squeezed.len : b->squeezed.len;
        const size_t allowed = shorter >= TWO_FROM ? 2 : shorter >= LEAST_LETTERS ? 1 : 0;
        pawl__similar search = {.typed = a->squeezed};

        if (pawl__text_eq(a->squeezed, b->squeezed))
                return "differs only in how its words are joined";
        if (allowed == 0 || a->squeezed.len > b->squeezed.len + allowed ||
                b->squeezed.len > a->squeezed.len + allowed ||
                bits_of(a->letters ^ b->letters) > 2 * allowed)
                return NULL;
        pawl__similar_try(&search, b->squeezed.data);
        return search.found && search.distance <= allowed ? "is spelled nearly the same" : NULL;
}

/* Told of the sense that is looked at; of two, of the later one. */
static pawl_status put(pawl__linting *l, const pawl__lint_sense *first,
        const pawl__lint_sense *later, const char *why)
{
        const bool swap = later->context;
        const pawl__lint_sense *of = swap ? first : later, *other = swap ? later : first;

        return of->context ? PAWL_OK
                           : pawl__lint_put(l, PAWL__LINT_DUPLICATE, of, of->surface,
                                     &other->surface, 1, why);
}

/* One of the singulars in the room that is a term, or @p index. */
static uint32_t known_singular(const pawl__linting *l, const pawl__buf *buf, uint32_t index)
{
        for (size_t at = 0; at < buf->len && !buf->failed;) {
                const pawl_text found = pawl__text(buf->data + at);
                const uint32_t other = pawl__map_get(&l->by_normal, found);
                if (other != PAWL__MAP_NONE && other != index)
                        return other;
                at += found.len + 1;
        }
        return index;
}

/* The term whose plural this one is, or itself. A normal form may be a plural that was cut short
 * ("indice"), so what was cut is looked at, too. */
static uint32_t singular_of(pawl__linting *l, uint32_t index)
{
        const pawl__lint_sense *sense = l->nodes[index].sense;
        pawl__buf folded = PAWL__BUF_INIT;
        uint32_t found = index;

        pawl__buf_clear(&l->buf);
        if (pawl__is_name(sense->surface))
                return index;
        pawl__singulars(&l->buf, sense->normal);
        if (!sense->alias)
                l->buf.failed |= pawl__folded_form(&folded, sense->surface) != PAWL_OK;
        found = known_singular(l, &l->buf, index);
        if (found == index && folded.len && !l->buf.failed) {
                pawl__buf_clear(&l->buf);
                pawl__singulars(&l->buf, pawl__buf_text(&folded));
                found = known_singular(l, &l->buf, index);
        }
        pawl__buf_free(&folded);
        return found;
}

static bool same_term(const pawl__linting *l, uint32_t a, uint32_t b)
{
        return pawl__lint_term(l, l->nodes[a].sense) == pawl__lint_term(l, l->nodes[b].sense);
}

static pawl_status find_plurals(pawl__linting *l)
{
        pawl_status status = PAWL_OK;

        for (uint32_t i = 0; i < l->n && !status; i++) {
                const uint32_t singular = singular_of(l, i);
                l->nodes[i].came_from = singular;
                if (l->buf.failed)
                        return PAWL_ENOMEM;
                if (singular != i && !same_term(l, i, singular))
                        status = put(
                                l, l->nodes[singular].sense, l->nodes[i].sense, "is its singular");
        }
        return status;
}

static int compare(const void *left, const void *right)
{
        const pawl__lint_node *a = *(pawl__lint_node *const *)left;
        const pawl__lint_node *b = *(pawl__lint_node *const *)right;
        const int order = pawl__text_cmp(a->squeezed, b->squeezed);

        return order ? order : a < b ? -1 : 1;
}

static pawl_status see_pair(pawl__linting *l, const pawl__lint_node *a, const pawl__lint_node *b)
{
        const uint32_t i = (uint32_t)(a - l->nodes), j = (uint32_t)(b - l->nodes);

        if (same_term(l, i, j) || a->came_from == j || b->came_from == i)
                return PAWL_OK;
        const char *why = nearness(a, b);
        if (!why)
                return PAWL_OK;
        return i < j ? put(l, a->sense, b->sense, why) : put(l, b->sense, a->sense, why);
}

/* Only words that begin alike are compared with each other, so that not every pair is. */
static pawl_status find_spellings(pawl__linting *l)
{
        const pawl__lint_node **sorted = pawl__arena_array(l->arena, l->n, sizeof *sorted);
        pawl_status status = sorted ? PAWL_OK : PAWL_ENOMEM;

        for (size_t i = 0; i < l->n && !status; i++)
                sorted[i] = &l->nodes[i];
        if (l->n && !status)
                qsort(sorted, l->n, sizeof *sorted, compare);
        for (size_t i = 0; i < l->n && !status; i++)
                for (size_t j = i + 1; j < l->n && !status; j++) {
                        const pawl__lint_node *a = sorted[i], *b = sorted[j];
                        if (a->squeezed.len == 0 || *a->squeezed.data != *b->squeezed.data)
                                break;
                        status = see_pair(l, a, b);
                }
        return status;
}

/* The sense, before this one, of the same key; or itself. */
static pawl_status earlier(const pawl__lint_sense **out, pawl__linting *l, pawl__map *seen,
        const pawl__lint_sense *sense)
{
        const pawl_text key = pawl__arena_copy(l->arena, pawl__buf_text(&l->buf));
        uint32_t number;

        if (l->buf.failed || !key.data ||
                pawl__map_number(&number, seen, key, (uint32_t)(sense - l->senses)))
                return PAWL_ENOMEM;
        *out = &l->senses[number];
        return PAWL_OK;
}

/* One surface with two meanings in a scope, and one meaning with two surfaces. */
static pawl_status find_twice(pawl__linting *l)
{
        pawl__map seen = PAWL__MAP_INIT;
        pawl_status status = PAWL_OK;
        const pawl__lint_sense *first = NULL;

        for (size_t i = 0; i < l->n_senses && !status; i++) {
                const pawl__lint_sense *s = &l->senses[i];
                if (!pawl__lint_live(s))
                        continue;
                pawl__buf_clear(&l->buf);
                pawl__buf_addf(&l->buf, "%d ", (int)s->scope);
                pawl__buf_add_text(&l->buf, s->normal);
                status = earlier(&first, l, &seen, s);
                if (!status && first != s && !pawl__text_eq(first->definition, s->definition)) {
                        status = put(l, first, s,
                                first->alias || s->alias
                                        ? "has a surface with it in common"
                                        : "has another definition in the same scope");
                        continue;
                }
                if (status || s->alias)
                        continue;
                pawl__buf_clear(&l->buf);
                pawl__buf_addc(&l->buf, '=');
                pawl__buf_add_text(&l->buf, s->definition);
                status = earlier(&first, l, &seen, s);
                if (!status && !pawl__text_eq(first->normal, s->normal) &&
                        !pawl__text_is(s->definition, "Not defined yet."))
                        status = put(l, first, s, "has the same definition");
        }
        pawl__map_free(&seen);
        return status;
}

pawl_status pawl__lint_near(pawl__linting *l)
{
        pawl_status status = find_plurals(l);

        if (!status)
                status = find_spellings(l);
        if (!status)
                status = find_twice(l);
        return status;
}

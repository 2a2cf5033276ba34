/* Terms that are nearly one: plurals, other spellings, one meaning for two, two for one. */
#include "base/error.h"
#include "base/similar.h"
#include "glossary/lint_internal.h"
#include "glossary/normal.h"
#include "glossary/plural.h"
#include <stdlib.h>

/* Of words that may differ in one letter, or in two; PARTS_MAX: see find_spellings(). */
enum { LEAST_LETTERS = 5, TWO_FROM = 10, PARTS_MAX = 5 };

static size_t allowed_in(size_t letters)
{
        return letters >= TWO_FROM ? 2 : letters >= LEAST_LETTERS ? 1 : 0;
}

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
        const size_t allowed = allowed_in(shorter);
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

/* ---- Spellings --------------------------------------------------------------------------------
 */

/*
 * Two words that differ in k places at most, a place being a letter more or less, another letter,
 * or two that changed places, have one of 2k + 1 parts of the shorter one in common, at most k
 * letters from where it was: each place is in two parts at most. So only words that share such a
 * part are compared, of those that begin with the same letter.
 */
struct part {
        uint64_t hash; /* of the first letter, the word's length, the part's number and its text */
        uint32_t word, next; /* next: 1 + the next part of its slot */
};

struct spellings {
        const pawl__lint_node **words; /* sorted */
        uint32_t *compared;            /* by the word: 1 + that which was compared with it last */
        struct part *parts;
        uint32_t *slots; /* by the hash: 1 + the first part; a power of two of them */
        size_t n, n_parts, n_slots;
        struct pair {
                uint32_t a, b;
        } * pairs;
        size_t n_pairs, cap_pairs;
};

static size_t parts_of(size_t len)
{
        return 2 * allowed_in(len) + 1;
}

static uint64_t hash_part(const char *text, size_t len, char first, size_t of, size_t number)
{
        uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
        const unsigned char head[] = {
                (unsigned char)first, (unsigned char)of, (unsigned char)number};

        for (size_t i = 0; i < sizeof head; i++)
                hash = (hash ^ head[i]) * UINT64_C(1099511628211);
        for (size_t i = 0; i < len; i++)
                hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
        return hash;
}

static int compare_pairs(const void *left, const void *right)
{
        const struct pair *a = left, *b = right;

        return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

static void add_parts(struct spellings *s, uint32_t word)
{
        const pawl_text text = s->words[word]->squeezed;
        const size_t n = text.len < LEAST_LETTERS ? 0 : parts_of(text.len);

        for (size_t i = 0; i < n; i++) {
                const size_t from = text.len * i / n, to = text.len * (i + 1) / n;
                const uint64_t hash =
                        hash_part(text.data + from, to - from, *text.data, text.len, i);
                uint32_t *slot = &s->slots[hash & (s->n_slots - 1)];
                s->parts[s->n_parts++] = (struct part){hash, word, *slot};
                *slot = (uint32_t)s->n_parts;
        }
}

/* Of two of one length, each finds the other. */
static pawl_status add_pair(struct spellings *s, uint32_t a, uint32_t b)
{
        const pawl_text one = s->words[a]->squeezed, other = s->words[b]->squeezed;

        if ((one.len == other.len && a >= b) || *one.data != *other.data || s->compared[b] == a + 1)
                return PAWL_OK;
        s->compared[b] = a + 1;
        if (!nearness(s->words[a], s->words[b]))
                return PAWL_OK;
        if (pawl__grow(&s->pairs, &s->cap_pairs, s->n_pairs + 1, sizeof *s->pairs))
                return PAWL_ENOMEM;
        s->pairs[s->n_pairs++] = a < b ? (struct pair){a, b} : (struct pair){b, a};
        return PAWL_OK;
}

/* With the words that have this part. */
static pawl_status find_part(struct spellings *s, uint32_t word, uint64_t hash)
{
        for (uint32_t at = s->slots[hash & (s->n_slots - 1)]; at; at = s->parts[at - 1].next)
                if (s->parts[at - 1].hash == hash)
                        TRY(add_pair(s, word, s->parts[at - 1].word));
        return PAWL_OK;
}

/* With the words of this length, which is its own or less. */
static pawl_status find_shorter(struct spellings *s, uint32_t word, size_t len)
{
        const pawl_text text = s->words[word]->squeezed;
        const size_t n = parts_of(len), moved = allowed_in(len);

        for (size_t i = 0; i < n; i++) {
                const size_t from = len * i / n, part = len * (i + 1) / n - from;
                for (size_t at = from < moved ? 0 : from - moved;
                        at <= from + moved && at + part <= text.len; at++)
                        TRY(find_part(
                                s, word, hash_part(text.data + at, part, *text.data, len, i)));
        }
        return PAWL_OK;
}

static pawl_status find_pairs(struct spellings *s)
{
        for (uint32_t i = 0; i < s->n; i++)
                add_parts(s, i);
        for (uint32_t i = 0; i < s->n; i++) {
                const pawl_text text = s->words[i]->squeezed;
                for (uint32_t j = i + 1; text.len && text.len < LEAST_LETTERS && j < s->n; j++) {
                        if (!pawl__text_eq(text, s->words[j]->squeezed))
                                break;
                        TRY(add_pair(s, i, j));
                }
                for (size_t len = LEAST_LETTERS; len <= text.len; len++)
                        if (len + allowed_in(len) >= text.len)
                                TRY(find_shorter(s, i, len));
        }
        if (s->n_pairs)
                qsort(s->pairs, s->n_pairs, sizeof *s->pairs, compare_pairs);
        return PAWL_OK;
}

static pawl_status find_spellings(pawl__linting *l)
{
        struct spellings s = {.words = pawl__arena_array(l->arena, l->n, sizeof *s.words),
                .compared = pawl__arena_array(l->arena, l->n, sizeof *s.compared),
                .parts = pawl__arena_array(l->arena, l->n * PARTS_MAX, sizeof *s.parts),
                .n = l->n,
                .n_slots = 1};

        while (s.n_slots < l->n * PARTS_MAX)
                s.n_slots *= 2;
        s.slots = pawl__arena_array(l->arena, s.n_slots, sizeof *s.slots);
        pawl_status status = l->arena->failed ? PAWL_ENOMEM : PAWL_OK;
        for (size_t i = 0; i < l->n && !status; i++)
                s.words[i] = &l->nodes[i];
        if (l->n && !status)
                qsort(s.words, l->n, sizeof *s.words, compare);
        if (!status)
                status = find_pairs(&s);
        for (size_t i = 0; i < s.n_pairs && !status; i++)
                status = see_pair(l, s.words[s.pairs[i].a], s.words[s.pairs[i].b]);
        free(s.pairs);
        return status;
}

/* ---- One word, two meanings -------------------------------------------------------------------
 */

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

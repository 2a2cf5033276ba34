#include "glossary/lint.h"
#include "base/error.h"
#include "glossary/extract.h"
#include "glossary/lint_internal.h"
#include "glossary/normal.h"
#include "glossary/plain.h"
#include <stdlib.h>

/* ---- The terms ------------------------------------------------------------------------------- */

/* Letters and digits alone, so that "check-point" is "checkpoint". */
static pawl_text squeeze(pawl__linting *l, pawl_text normal)
{
        pawl__buf_clear(&l->buf);
        for (size_t i = 0; i < normal.len; i++)
                if (!strchr(" -_./", normal.data[i]) || !normal.data[i])
                        pawl__buf_addc(&l->buf, normal.data[i]);
        return pawl__arena_copy(l->arena, pawl__buf_text(&l->buf));
}

static uint64_t letters_of(pawl_text text)
{
        uint64_t bits = 0;

        for (size_t i = 0; i < text.len; i++)
                bits |= UINT64_C(1) << ((unsigned char)text.data[i] % 64);
        return bits;
}

static pawl_status add_node(pawl__linting *l, const pawl__lint_sense *sense)
{
        uint32_t index = pawl__map_get(&l->by_normal, sense->normal);

        if (index != PAWL__MAP_NONE)
                return PAWL_OK;
        if (l->n >= PAWL__MAP_NONE - 1)
                return PAWL_ETOOBIG;
        if (pawl__grow(&l->nodes, &l->cap, l->n + 1, sizeof *l->nodes))
                return PAWL_ENOMEM;
        const pawl_text squeezed = squeeze(l, sense->normal);
        l->nodes[l->n] = (pawl__lint_node){
                .sense = sense, .squeezed = squeezed, .letters = letters_of(squeezed)};
        index = (uint32_t)l->n++;
        return l->buf.failed ? PAWL_ENOMEM : pawl__map_put(&l->by_normal, sense->normal, index);
}

/* The node of the term that each sense is of. */
static pawl_status find_terms(pawl__linting *l)
{
        l->terms = pawl__arena_array(l->arena, l->n_senses, sizeof *l->terms);
        for (size_t i = 0; l->terms && i < l->n_senses; i++) {
                const pawl__lint_sense *sense = &l->senses[i];
                uint32_t index = PAWL__MAP_NONE;
                if (sense->alias) {
                        pawl__buf_clear(&l->buf);
                        if (pawl__normal_form(&l->buf, sense->surface))
                                return PAWL_ENOMEM;
                        index = pawl__map_get(&l->by_normal, pawl__buf_text(&l->buf));
                }
                l->terms[i] = index == PAWL__MAP_NONE ? pawl__map_get(&l->by_normal, sense->normal)
                                                      : index;
        }
        return l->terms ? PAWL_OK : PAWL_ENOMEM;
}

static pawl_status add_nodes(pawl__linting *l)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < l->n_senses && !status; i++)
                if (pawl__lint_live(&l->senses[i]))
                        status = add_node(l, &l->senses[i]);
        if (!status)
                status = find_terms(l);
        if (!status)
                status = pawl__automaton_new(&l->automaton);
        for (uint32_t i = 0; i < l->n && !status; i++)
                status = pawl__automaton_add(l->automaton, l->nodes[i].sense->normal, i);
        for (uint32_t i = 0; i < l->n && !status; i++)
                status = pawl__automaton_add_forms(l->automaton, l->nodes[i].sense->normal, i,
                        pawl__is_name(l->nodes[i].sense->surface));
        if (!status && l->n)
                status = pawl__automaton_build(l->automaton);
        return l->arena->failed ? PAWL_ENOMEM : status;
}

/* ---- Never used ------------------------------------------------------------------------------ */

static pawl_status find_unused(pawl__linting *l)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < l->n_senses && !status; i++) {
                const pawl__lint_sense *sense = &l->senses[i];
                if (!sense->used && !sense->context && sense->status == PAWL__ACTIVE &&
                        !sense->alias)
                        status = pawl__lint_put(
                                l, PAWL__LINT_UNUSED, sense, sense->surface, NULL, 0, NULL);
        }
        return status;
}

/* ---- What definitions use -------------------------------------------------------------------- */

/* Matches come in the order of their ends, at one end the longest first. */
static pawl_status take_use(uint32_t number, size_t start, size_t end, void *user)
{
        pawl__linting *l = user;

        while (l->n_uses && l->uses[l->n_uses - 1].start >= start &&
                l->uses[l->n_uses - 1].end < end)
                l->n_uses--;
        if (l->n_uses && l->uses[l->n_uses - 1].end == end)
                return PAWL_OK;
        if (pawl__grow(&l->uses, &l->cap_uses, l->n_uses + 1, sizeof *l->uses))
                return PAWL_ENOMEM;
        l->uses[l->n_uses++] = (struct pawl__lint_use){number, start, end};
        return PAWL_OK;
}

static pawl_status read_uses(
        pawl__linting *l, const pawl__automaton *automaton, pawl_text definition)
{
        l->n_uses = 0;
        return pawl__automaton_scan(automaton, definition, take_use, l);
}

static pawl_status add_edge(pawl__linting *l, uint32_t from, uint32_t to)
{
        pawl__lint_node *node = &l->nodes[from];

        for (size_t i = 0; i < node->n_uses; i++)
                if (node->uses[i] == to)
                        return PAWL_OK;
        if (from == to)
                return PAWL_OK;
        if (pawl__grow(&node->uses, &node->cap_uses, node->n_uses + 1, sizeof *node->uses))
                return PAWL_ENOMEM;
        node->uses[node->n_uses++] = to;
        return PAWL_OK;
}

/* A definition says what a thing is in its first sentence; what follows tells more. */
static pawl_status add_edges(pawl__linting *l)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < l->n_senses && !status; i++) {
                const pawl__lint_sense *sense = &l->senses[i];
                if (!pawl__lint_live(sense) || sense->alias)
                        continue;
                const size_t end = pawl__sentence_end(sense->definition, 0);
                status = read_uses(l, l->automaton, pawl__text_part(sense->definition, 0, end));
                for (size_t u = 0; u < l->n_uses && !status; u++)
                        status = add_edge(l, pawl__lint_term(l, sense),
                                pawl__lint_term(l, l->nodes[l->uses[u].number].sense));
        }
        return status;
}

/* ---- Words that are not defined -------------------------------------------------------------- */

enum { REPEATED = 3 }; /* definitions that use a word that has not the form of a term */

/* In how many definitions, other than that of the word itself, does it stand? */
typedef struct unknown {
        const pawl__term *term;
        const pawl__lint_sense *first;
        pawl_text *users;
        size_t n, cap;
} unknown;

static pawl_status take_users(pawl__linting *l, const pawl__automaton *automaton, unknown *found,
        const pawl__lint_sense *sense)
{
        pawl_status status = read_uses(l, automaton, sense->definition);

        for (size_t u = 0; u < l->n_uses && !status; u++) {
                unknown *to = &found[l->uses[u].number];
                if (to->n && pawl__text_eq(to->users[to->n - 1], sense->surface))
                        continue;
                if (pawl__grow(&to->users, &to->cap, to->n + 1, sizeof *to->users))
                        return PAWL_ENOMEM;
                if (!to->first)
                        to->first = sense;
                to->users[to->n++] = sense->surface;
        }
        return status;
}

static bool is_read(const pawl__lint_sense *sense)
{
        return pawl__lint_live(sense) && !sense->alias && !sense->context;
}

static pawl_status put_unknown(pawl__linting *l, const pawl__terms *terms)
{
        unknown *found = pawl__arena_array(l->arena, terms->n, sizeof *found);
        pawl__automaton *automaton = NULL;
        pawl_status status = found ? pawl__automaton_new(&automaton) : PAWL_ENOMEM;
        uint32_t n = 0;

        for (size_t i = 0; i < terms->n && !status; i++)
                if (!terms->items[i].known) {
                        found[n].term = &terms->items[i];
                        status = pawl__automaton_add(automaton, terms->items[i].surface, n++);
                }
        for (uint32_t i = 0; i < n && !status; i++)
                status = pawl__automaton_add_forms(automaton, found[i].term->surface, i,
                        pawl__is_name(found[i].term->original));
        if (!status && n)
                status = pawl__automaton_build(automaton);
        for (size_t i = 0; i < l->n_senses && !status && n; i++)
                if (is_read(&l->senses[i]))
                        status = take_users(l, automaton, found, &l->senses[i]);
        for (uint32_t i = 0; i < n && !status; i++)
                if (found[i].n >= (found[i].term->source == PAWL__REPEATED_NOUN ? REPEATED : 1))
                        status = pawl__lint_put(l, PAWL__LINT_UNDEFINED, found[i].first,
                                pawl__arena_copy(l->arena, found[i].term->original), found[i].users,
                                found[i].n, NULL);
        for (uint32_t i = 0; i < n; i++)
                free(found[i].users);
        pawl__automaton_free(automaton);
        return status;
}

/* Layer 1, over all definitions. */
static pawl_status find_unknown(pawl__linting *l, pawl_error *err)
{
        pawl__extraction *extraction = NULL;
        pawl__glossary *glossary;
        pawl__terms terms = {NULL, 0};
        pawl_status status = pawl__glossary_new(&glossary, err);

        if (status)
                return status;
        for (size_t i = 0; i < l->n_senses && !status; i++) {
                const pawl__lint_sense *s = &l->senses[i];
                if (s->status != PAWL__DEPRECATED)
                        status = pawl__glossary_add(glossary,
                                &(pawl__sense){.surface = s->surface,
                                        .normal = s->normal,
                                        .definition = s->definition,
                                        .scope = s->scope,
                                        .status = s->status},
                                err);
        }
        if (!status)
                status = pawl__extraction_new(&extraction, glossary, NULL, err);
        for (size_t i = 0; i < l->n_senses && !status; i++)
                if (is_read(&l->senses[i]))
                        status = pawl__extraction_text(extraction, l->senses[i].definition, err);
        if (!status)
                status = pawl__extraction_terms(&terms, extraction, err);
        if (!status && put_unknown(l, &terms))
                status = pawl__nomem(err);
        pawl__extraction_free(extraction);
        pawl__glossary_free(glossary);
        return status;
}

/* ---- Circles --------------------------------------------------------------------------------- */

enum { CIRCLE_MAX = 6 }; /* terms of a circle: nobody follows a longer one */

/* The circle that leads back to @p start by @p last, told once, from its first term on. */
static pawl_status put_circle(pawl__linting *l, uint32_t start, uint32_t last)
{
        uint32_t path[CIRCLE_MAX], n = 0, first = 0;
        pawl_text terms[CIRCLE_MAX];

        for (uint32_t at = last; n < CIRCLE_MAX; at = l->nodes[at].came_from) {
                path[CIRCLE_MAX - ++n] = at;
                if (at == start)
                        break;
        }
        const uint32_t *way = path + CIRCLE_MAX - n;
        for (uint32_t i = 1; i < n; i++)
                if (way[i] < way[first])
                        first = i;
        pawl__buf_clear(&l->buf);
        bool context = true;
        for (uint32_t i = 0; i < n; i++) {
                const pawl__lint_node *node = &l->nodes[way[(first + i) % n]];
                terms[i] = node->sense->surface;
                context = context && node->sense->context;
                pawl__buf_addf(&l->buf, "%u ", way[(first + i) % n]);
        }
        uint32_t seen;
        const pawl_text key = pawl__arena_copy(l->arena, pawl__buf_text(&l->buf));
        if (l->buf.failed || !key.data || pawl__map_number(&seen, &l->seen, key, start))
                return PAWL_ENOMEM;
        if (l->seen.count == l->n_circles || context)
                return PAWL_OK;
        l->n_circles = l->seen.count;
        const pawl__lint_sense *sense = l->nodes[way[first]].sense;
        return pawl__lint_put(l, PAWL__LINT_CIRCLE, sense, sense->surface, terms + 1, n - 1, NULL);
}

/* The shortest circle through a term, by a search in breadth. */
static pawl_status find_circle(pawl__linting *l, uint32_t start)
{
        size_t head = 0, tail = 0, depth_end = 1;
        unsigned depth = 1;

        l->queue[tail++] = start;
        l->nodes[start].round = start + 1;
        for (; head < tail && depth <= CIRCLE_MAX; head++) {
                if (head == depth_end) {
                        depth_end = tail;
                        if (++depth > CIRCLE_MAX)
                                break;
                }
                const pawl__lint_node *node = &l->nodes[l->queue[head]];
                for (size_t i = 0; i < node->n_uses; i++) {
                        pawl__lint_node *next = &l->nodes[node->uses[i]];
                        if (node->uses[i] == start)
                                return put_circle(l, start, l->queue[head]);
                        if (next->round == start + 1)
                                continue;
                        next->round = start + 1;
                        next->came_from = l->queue[head];
                        l->queue[tail++] = node->uses[i];
                }
        }
        return PAWL_OK;
}

static pawl_status find_circles(pawl__linting *l)
{
        pawl_status status = add_edges(l);

        l->queue = pawl__arena_array(l->arena, l->n, sizeof *l->queue);
        if (!l->queue)
                return PAWL_ENOMEM;
        for (uint32_t i = 0; i < l->n && !status; i++)
                status = find_circle(l, i);
        return status;
}

/* ---------------------------------------------------------------------------------------------- */

static pawl_status find_all(pawl__linting *l, pawl_error *err)
{
        pawl_status status = add_nodes(l);

        if (!status)
                status = find_unused(l);
        if (!status)
                status = pawl__lint_near(l);
        if (!status && l->n) {
                status = find_unknown(l, err);
                if (status)
                        return status;
                status = find_circles(l);
        }
        if (status == PAWL_ETOOBIG)
                return pawl__fail(err, status, "glossary: too many terms; lint parts of it");
        return status || l->arena->failed ? pawl__nomem(err) : PAWL_OK;
}

static int compare(const void *left, const void *right)
{
        const pawl__lint_finding *a = left, *b = right;

        if (a->kind != b->kind)
                return a->kind < b->kind ? -1 : 1;
        if (a->sense != b->sense)
                return a->sense < b->sense ? -1 : 1;
        const int order = pawl__text_cmp(a->term, b->term);
        return order || a->n_others == 0 || b->n_others == 0
                       ? order
                       : pawl__text_cmp(a->others[0], b->others[0]);
}

pawl_status pawl__lint(pawl__lint_findings *out, pawl__arena *arena, const pawl__lint_sense *senses,
        size_t n, pawl_error *err)
{
        pawl__linting l = {.arena = arena, .senses = senses, .n_senses = n};
        pawl_status status = find_all(&l, err);
        pawl__lint_finding *items =
                status ? NULL : pawl__arena_array(arena, l.n_items, sizeof *items);

        if (!status && !items)
                status = pawl__nomem(err);
        for (size_t i = 0; i < l.n_items && !status; i++)
                items[i] = l.items[i];
        if (!status && l.n_items)
                qsort(items, l.n_items, sizeof *items, compare);
        if (!status)
                *out = (pawl__lint_findings){items, l.n_items};
        for (size_t i = 0; i < l.n; i++)
                free(l.nodes[i].uses);
        free(l.nodes);
        free(l.uses);
        free(l.items);
        pawl__automaton_free(l.automaton);
        pawl__map_free(&l.by_normal);
        pawl__map_free(&l.seen);
        pawl__buf_free(&l.buf);
        return status;
}

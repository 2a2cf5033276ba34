#include "glossary/automaton.h"
#include "base/error.h"
#include "base/map.h"
#include "glossary/normal.h"
#include "glossary/plural.h"
#include <stdlib.h>

#define NO_PATTERN PAWL__NO_PATTERN
#define MAX_STATES ((size_t)1 << 30)

struct state {
        uint32_t parent, token; /* how it is reached */
        uint32_t fail;          /* the state of the longest proper suffix that is one */
        uint32_t output_link; /* the nearest state on the way of fails where a pattern ends, or 0 */
        uint32_t number;      /* of the pattern that ends here, or NO_PATTERN */
        uint32_t depth : 30;  /* tokens from the start */
        uint32_t goes_on : 1; /* a transition leads on from here */
        uint32_t sign_first : 1; /* the first of them is a sign */
};

/* A transition; a key of 0 is a free slot, as those of state 0 are in from_start. */
struct edge {
        uint64_t key; /* state << 32 | token */
        uint32_t target;
};

struct pawl__automaton {
        pawl__map vocabulary; /* folded token: its number */
        pawl__arena arena;    /* made forms, the only tokens that are no part of a pattern */
        pawl__buf forms;
        struct state *states;
        size_t n_states, cap_states;
        uint32_t *from_start; /* the target of each token from state 0; 0: none */
        size_t n_tokens, cap_tokens;
        struct edge *edges;
        size_t n_edges, cap_edges; /* cap is a power of two, or 0 */
        uint32_t longest;          /* tokens of the longest pattern */
        uint32_t ascii[128];       /* the numbers of one-character tokens */
};

static pawl_status add_state(
        pawl__automaton *a, uint32_t *out, uint32_t parent, uint32_t token, bool sign_first)
{
        if (a->n_states >= MAX_STATES)
                return PAWL_ETOOBIG;

        TRY(pawl__grow(&a->states, &a->cap_states, a->n_states + 1, sizeof *a->states));
        *out = (uint32_t)a->n_states++;
        uint32_t depth = *out ? a->states[parent].depth + 1 : 0;
        a->states[*out] =
                (struct state){parent, token, 0, 0, NO_PATTERN, depth & 0x3fffffff, 0, sign_first};
        if (depth > a->longest)
                a->longest = depth;
        return PAWL_OK;
}

pawl_status pawl__automaton_new(pawl__automaton **out)
{
        pawl__automaton *a = calloc(1, sizeof *a);
        uint32_t start;

        if (!a)
                return PAWL_ENOMEM;
        pawl_status status = add_state(a, &start, 0, 0, false);
        if (status) {
                free(a);
                return status;
        }
        *out = a;
        return PAWL_OK;
}

void pawl__automaton_free(pawl__automaton *a)
{
        if (!a)
                return;
        pawl__map_free(&a->vocabulary);
        pawl__arena_free(&a->arena);
        pawl__buf_free(&a->forms);
        free(a->states);
        free(a->from_start);
        free(a->edges);
        free(a);
}

uint32_t pawl__automaton_states(const pawl__automaton *a)
{
        return (uint32_t)a->n_states;
}

uint32_t pawl__automaton_token(const pawl__automaton *a, pawl_text folded)
{
        return pawl__map_get(&a->vocabulary, folded);
}

const uint32_t *pawl__automaton_ascii(const pawl__automaton *a)
{
        return a->ascii;
}

/* The slot of a transition, or the free one where it belongs. The mixing is the end of MurmurHash3
 * (Appleby, public domain). */
static struct edge *find_edge(struct edge *edges, size_t cap, uint64_t key)
{
        uint64_t hash = key;

        hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
        hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
        for (size_t i = (hash ^ hash >> 33) & (cap - 1);; i = (i + 1) & (cap - 1))
                if (edges[i].key == 0 || edges[i].key == key)
                        return &edges[i];
}

/* Where a token leads, or 0: nowhere. */
static uint32_t target_of(const pawl__automaton *a, uint32_t state, uint32_t token)
{
        if (state == 0)
                return a->from_start[token];
        if (!a->states[state].goes_on)
                return 0;
        return find_edge(a->edges, a->cap_edges, (uint64_t)state << 32 | token)->target;
}

static pawl_status grow_edges(pawl__automaton *a)
{
        size_t cap = a->cap_edges ? a->cap_edges * 2 : 64;
        struct edge *edges = calloc(cap, sizeof *edges);

        if (!edges)
                return PAWL_ENOMEM;
        for (size_t i = 0; i < a->cap_edges; i++)
                if (a->edges[i].key)
                        *find_edge(edges, cap, a->edges[i].key) = a->edges[i];
        free(a->edges);
        a->edges = edges;
        a->cap_edges = cap;
        return PAWL_OK;
}

static pawl_status set_target(pawl__automaton *a, uint32_t state, uint32_t token, uint32_t target)
{
        if (state == 0) {
                a->from_start[token] = target;
                return PAWL_OK;
        }
        if (a->n_edges >= a->cap_edges / 2 && grow_edges(a))
                return PAWL_ENOMEM;
        struct edge *edge = find_edge(a->edges, a->cap_edges, (uint64_t)state << 32 | token);
        *edge = (struct edge){(uint64_t)state << 32 | token, target};
        a->n_edges++;
        a->states[state].goes_on = 1;
        return PAWL_OK;
}

static pawl_status number_token(pawl__automaton *a, uint32_t *out, pawl_text text)
{
        if (a->n_tokens >= MAX_STATES)
                return PAWL_ETOOBIG;
        if (pawl__grow(&a->from_start, &a->cap_tokens, a->n_tokens + 1, sizeof *a->from_start) ||
                pawl__map_number(out, &a->vocabulary, text, (uint32_t)a->n_tokens))
                return PAWL_ENOMEM;
        if (*out == a->n_tokens)
                a->from_start[a->n_tokens++] = 0;
        return PAWL_OK;
}

/* Advance to the state that a token leads to; add it if there is none. */
static pawl_status extend(pawl__automaton *a, uint32_t *state, pawl_text token, bool sign)
{
        uint32_t number, next;
        pawl_status status = number_token(a, &number, token);

        if (status)
                return status;
        next = target_of(a, *state, number);
        if (next == 0) {
                bool sign_first = *state ? a->states[*state].sign_first : sign;
                status = add_state(a, &next, *state, number, sign_first);
                if (status == PAWL_OK)
                        status = set_target(a, *state, number, next);
        }
        if (status == PAWL_OK)
                *state = next;
        return status;
}

/* The tokens of a pattern; *before is the state in front of its last one. */
static pawl_status extend_all(pawl__automaton *a, uint32_t *state, uint32_t *before,
        pawl__token *last, pawl__tokens *tokens)
{
        pawl_status status = PAWL_OK;
        pawl__token token;

        *state = *before = 0;
        while (status == PAWL_OK && (token = pawl__token_next(tokens)).kind) {
                *last = token;
                *before = *state;
                pawl_text text = token.kind == PAWL__TOKEN_SPACE ? pawl__text(" ")
                                                                 : pawl__token_text(tokens, &token);
                status = extend(a, state, text, token.kind == PAWL__TOKEN_SIGN);
        }
        return status;
}

pawl_status pawl__automaton_add(pawl__automaton *a, pawl_text pattern, uint32_t number)
{
        pawl__tokens tokens = pawl__tokens_of(pattern);
        pawl__token last;
        uint32_t state, before;
        pawl_status status = extend_all(a, &state, &before, &last, &tokens);

        if (status == PAWL_OK)
                a->states[state].number = number;
        return status;
}

/* A further path to a pattern, with another last word; unless a pattern has it already. */
static pawl_status add_form(pawl__automaton *a, uint32_t before, pawl_text word, uint32_t number)
{
        uint32_t state = before;

        if (pawl__map_get(&a->vocabulary, word) == PAWL__MAP_NONE) {
                bool ok = true;
                word = pawl__arena_text(&a->arena, word, &ok);
                if (!ok)
                        return PAWL_ENOMEM;
        }
        pawl_status status = extend(a, &state, word, false);
        if (status == PAWL_OK && a->states[state].number == NO_PATTERN)
                a->states[state].number = number;
        return status;
}

/* Of a plural whose singular is no part of it, that singular's other plurals: of indices, indexes.
 */
static void add_siblings(pawl__buf *forms, size_t from, pawl_text word)
{
        char singular[64];

        for (size_t at = from, end = forms->len; at < end && !forms->failed;) {
                const pawl_text found = pawl__text(forms->data + at);
                at += found.len + 1;
                if (found.len > sizeof singular || pawl__text_starts(word, found.data) ||
                        pawl__common_word(found))
                        continue;
                memcpy(singular, found.data, found.len); /* which moves with the buffer */
                pawl__plurals(forms, pawl__text_n(singular, found.len));
        }
}

pawl_status pawl__automaton_add_forms(
        pawl__automaton *a, pawl_text pattern, uint32_t number, bool name)
{
        pawl__tokens tokens = pawl__tokens_of(pattern);
        pawl__token last = {PAWL__TOKEN_END, 0, 0, false, false};
        uint32_t state, before;
        pawl_status status = extend_all(a, &state, &before, &last, &tokens);

        if (status || last.kind != PAWL__TOKEN_WORD)
                return status;
        const pawl_text word = pawl__token_text(&tokens, &last);
        pawl__buf_clear(&a->forms);
        pawl__plurals(&a->forms, word);
        const size_t plurals = a->forms.len;
        if (!name)
                pawl__singulars(&a->forms, word);
        if (a->forms.failed)
                return PAWL_ENOMEM;
        add_siblings(&a->forms, plurals, word);
        if (a->forms.failed)
                return PAWL_ENOMEM;
        for (size_t at = 0; at < a->forms.len && !status;) {
                const pawl_text found = pawl__text(a->forms.data + at);
                if (at < plurals || found.len + 1 != word.len ||
                        !pawl__common_word(found)) /* "news" has no "new" in it */
                        status = add_form(a, before, found, number);
                at += found.len + 1;
        }
        return status;
}

uint32_t pawl__automaton_find(const pawl__automaton *a, pawl_text pattern)
{
        pawl__tokens tokens = pawl__tokens_of(pattern);
        pawl__token token;
        uint32_t state = 0;

        while ((token = pawl__token_next(&tokens)).kind) {
                const pawl_text text = token.kind == PAWL__TOKEN_SPACE
                                               ? pawl__text(" ")
                                               : pawl__token_text(&tokens, &token);
                const uint32_t number = pawl__automaton_token(a, text);
                state = number == PAWL__NO_TOKEN ? 0 : target_of(a, state, number);
                if (state == 0)
                        return PAWL__NO_PATTERN;
        }
        return a->states[state].number;
}

uint32_t pawl__automaton_of_token(const pawl__automaton *a, uint32_t token)
{
        const uint32_t state = a->from_start[token];

        return state ? a->states[state].number : PAWL__NO_PATTERN;
}

static void link_state(pawl__automaton *a, struct state *state)
{
        if (state->depth > 1) {
                uint32_t at = a->states[state->parent].fail;
                uint32_t found;
                while ((found = target_of(a, at, state->token)) == 0 && at != 0)
                        at = a->states[at].fail;
                state->fail = found;
        }
        const struct state *fail = &a->states[state->fail];
        state->output_link = fail->number != NO_PATTERN ? state->fail : fail->output_link;
}

/* A state's fail is nearer to the start than it is: so they are linked by depth, sorted by
 * counting. */
pawl_status pawl__automaton_build(pawl__automaton *a)
{
        size_t *upto = calloc((size_t)a->longest + 2, sizeof *upto);
        uint32_t *order = malloc(a->n_states * sizeof *order);

        if (!upto || !order) {
                free(upto);
                free(order);
                return PAWL_ENOMEM;
        }
        for (size_t i = 0; i < a->n_states; i++)
                upto[a->states[i].depth + 1]++;
        for (size_t depth = 1; depth <= a->longest; depth++)
                upto[depth] += upto[depth - 1];
        for (size_t i = 0; i < a->n_states; i++)
                order[upto[a->states[i].depth]++] = (uint32_t)i;
        for (size_t i = 1; i < a->n_states; i++) /* the loop above has filled it: */
                /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) */
                link_state(a, &a->states[order[i]]);
        free(upto);
        free(order);
        for (int c = 0; c < 128; c++) {
                char character = (char)c;
                a->ascii[c] = pawl__automaton_token(a, pawl__text_n(&character, 1));
        }
        return PAWL_OK;
}

pawl_status pawl__matcher_start(pawl__matcher *walk, const pawl__automaton *automaton)
{
        size_t places = 1;

        while (places < automaton->longest)
                places *= 2;
        struct pawl__matcher_place *ring = calloc(places, sizeof *ring);
        if (!ring)
                return PAWL_ENOMEM;
        *walk = (pawl__matcher){automaton, 0, 0, ring, places - 1};
        return PAWL_OK;
}

void pawl__matcher_again(pawl__matcher *walk)
{
        walk->state = 0;
}

void pawl__matcher_end(pawl__matcher *walk)
{
        free(walk->places);
        *walk = (pawl__matcher){NULL, 0, 0, NULL, 0};
}

uint32_t pawl__matcher_advance(pawl__matcher *walk, const pawl__token *token, uint32_t number)
{
        const pawl__automaton *a = walk->automaton;
        uint32_t next = 0;

        while ((next = target_of(a, walk->state, number)) == 0 && walk->state != 0)
                walk->state = a->states[walk->state].fail;
        walk->state = next;
        if (next == 0)
                return 0;
        walk->places[walk->n++ & walk->mask] =
                (struct pawl__matcher_place){token->start, token->after_word};
        if (token->before_word)
                return 0;
        return a->states[next].number != NO_PATTERN ? next : a->states[next].output_link;
}

uint32_t pawl__matcher_output_link(const pawl__matcher *walk, uint32_t state)
{
        return walk->automaton->states[state].output_link;
}

bool pawl__matcher_match(const pawl__matcher *walk, uint32_t state, uint32_t *number, size_t *start)
{
        const struct state *found = &walk->automaton->states[state];
        const struct pawl__matcher_place *first =
                &walk->places[(walk->n - found->depth) & walk->mask];

        *number = found->number;
        *start = first->start;
        return !(found->sign_first && first->after_word);
}

/* The folded text of a token: white space as one space, and what is folded already as it is. */
static pawl_status fold_token(pawl_text *out, pawl__buf *buf, pawl_text text, bool space)
{
        *out = space ? pawl__text(" ") : text;
        for (size_t i = 0; i < text.len && !space; i++) {
                unsigned char c = (unsigned char)text.data[i];
                if (c < 0x80 && !(c >= 'A' && c <= 'Z'))
                        continue;
                pawl__buf_clear(buf);
                if (pawl__fold(buf, text))
                        return PAWL_ENOMEM;
                *out = pawl__buf_text(buf);
                break;
        }
        return PAWL_OK;
}

static pawl_status report(
        const pawl__matcher *walk, uint32_t state, size_t end, pawl__scan_fn fn, void *user)
{
        pawl_status status = PAWL_OK;
        uint32_t number;
        size_t start;

        for (; state && status == PAWL_OK; state = pawl__matcher_output_link(walk, state))
                if (pawl__matcher_match(walk, state, &number, &start))
                        status = fn(number, start, end, user);
        return status;
}

pawl_status pawl__automaton_scan(
        const pawl__automaton *automaton, pawl_text text, pawl__scan_fn fn, void *user)
{
        pawl__tokens tokens = pawl__tokens_of(text);
        pawl__buf buf = PAWL__BUF_INIT;
        pawl__matcher walk;
        pawl__token token;
        pawl_status status = pawl__matcher_start(&walk, automaton);

        if (status)
                return status;
        while (status == PAWL_OK && (token = pawl__token_next(&tokens)).kind) {
                pawl_text folded;
                status = fold_token(&folded, &buf, pawl__token_text(&tokens, &token),
                        token.kind == PAWL__TOKEN_SPACE);
                if (status == PAWL_OK) {
                        uint32_t number = pawl__automaton_token(automaton, folded);
                        uint32_t state = pawl__matcher_step(&walk, &token, number);
                        status = report(&walk, state, token.end, fn, user);
                }
        }
        pawl__matcher_end(&walk);
        pawl__buf_free(&buf);
        return status;
}

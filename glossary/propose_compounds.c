/* Two nouns that are side by side so often that they are a term. */
#include "base/error.h"
#include "glossary/normal.h"
#include "glossary/people.h"
#include "glossary/propose_internal.h"
#include "glossary/tokens.h"

/* The word folded, if it may be part of a term. */
static bool is_part(pawl__proposing *p, pawl_text word, pawl__buf *folded)
{
        if (!pawl__noun_like(word))
                return false;
        pawl__buf_clear(folded);
        p->buf.failed |= pawl__normal_form(folded, word) != PAWL_OK;
        return !pawl__common_word(pawl__buf_text(folded));
}

/* So often that it is a term? Only then it is a candidate. */
static pawl_status take_compound(pawl__proposing *p, pawl_text span)
{
        pawl__candidate *c;

        pawl__buf_clear(&p->buf);
        if (pawl__normal_form(&p->buf, span))
                return PAWL_ENOMEM;
        const pawl_text normal = pawl__buf_text(&p->buf);
        const uint32_t n = pawl__map_get(&p->pairs, normal);
        if (n == PAWL__MAP_NONE)
                return pawl__map_put_copy(&p->pairs, p->arena, normal, 1);
        if (n >= COMPOUND_LEAST)
                return PAWL_OK;
        if (pawl__map_put_copy(&p->pairs, p->arena, normal, n + 1))
                return PAWL_ENOMEM;
        if (n + 1 < COMPOUND_LEAST || pawl__candidate_known(p, normal))
                return PAWL_OK;
        pawl_status status = pawl__candidate_of(p, &c, normal);
        if (!status && c->source == BY_DEFINITION)
                c->source = BY_COMPOUND;
        if (!status && !c->original.data)
                c->original = pawl__arena_copy(p->arena, span);
        return p->arena->failed ? PAWL_ENOMEM : status;
}

static pawl_status join_nouns(pawl__proposing *p, pawl__buf *folded)
{
        const pawl_text text = p->documents[p->at];
        pawl__tokens tokens = pawl__tokens_of(text);
        size_t first = SIZE_MAX; /* where the noun before the white space begins */
        bool byline = false;
        pawl__token token;
        pawl_status status = PAWL_OK;

        p->markup = 0;
        while (!status && (token = pawl__token_next(&tokens)).kind) {
                const pawl_text at = pawl__token_text(&tokens, &token);
                if (token.kind == PAWL__TOKEN_SPACE && pawl__line_breaks(at))
                        byline = false;
                if (token.kind == PAWL__TOKEN_WORD)
                        status = pawl__people_take(
                                &p->people, p->arena, &p->buf, text, &token, &byline);
                if (token.kind == PAWL__TOKEN_SPACE && pawl__line_breaks(at) < 2)
                        continue;
                if (token.kind != PAWL__TOKEN_WORD || pawl__candidate_markup(p, token.start) ||
                        pawl__word_contracted(text, token.start, token.end) ||
                        !is_part(p, at, folded)) {
                        first = SIZE_MAX;
                        continue;
                }
                if (first != SIZE_MAX)
                        status = take_compound(
                                p, pawl__text_n(text.data + first, token.end - first));
                first = token.start;
        }
        return status;
}

pawl_status pawl__propose_compounds(pawl__proposing *p)
{
        pawl__buf folded = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        for (p->at = 0; p->at < p->n_documents && !status; p->at++) {
                status = pawl__markups_find(&p->markups, p->documents[p->at]);
                if (!status)
                        status = join_nouns(p, &folded);
        }
        pawl__buf_free(&folded);
        return status;
}

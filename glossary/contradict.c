#include "glossary/contradict.h"
#include "base/map.h"
#include "glossary/automaton.h"
#include "glossary/normal.h"
#include "glossary/plural.h"
#include <stdlib.h>

/* Key words of a claim, computed when they are first needed, and a redefinition that waits for the
 * end of its sentence. Of several in a sentence the last counts: the less of the sentence is left,
 * the fewer key words can be in it. */
struct checked {
        pawl_text *words; /* the definition's key words */
        size_t n_words, cap_words;
        pawl__map by_word; /* the same */
        bool known, waits;
        size_t from; /* where the redefinition's text begins */
};

struct check {
        pawl_text text;
        const pawl__definition_check *claims;
        struct checked *checked;
        size_t n;
        uint32_t *waiting; /* claims that wait, all in the sentence that ends at end */
        size_t n_waiting;
        size_t end;
        pawl__arena arena; /* key words */
        pawl__buf buf;
        bool common; /* the word whose normal form is in the room, as it is written */
};

/* The normal form of a noun, in the check's room. */
static pawl_status normal_of(pawl_text *out, struct check *check, pawl_text word)
{
        pawl__buf_clear(&check->buf);
        pawl_status status = pawl__fold(&check->buf, word);

        *out = pawl__buf_text(&check->buf);
        check->common = pawl__common_word(*out);
        if (!status)
                out->len = pawl__singular(check->buf.data, out->len);
        return status;
}

/* Is the word that normal_of() was asked for last common, as it is written or by its normal form?
 */
static bool is_common(const struct check *check, pawl_text normal)
{
        return check->common || pawl__common_word(normal);
}

static pawl_status add_key_word(struct check *check, struct checked *checked, pawl_text normal)
{
        const pawl_text copy = pawl__arena_copy(&check->arena, normal);
        uint32_t index;

        if (!copy.data ||
                pawl__grow(&checked->words, &checked->cap_words, checked->n_words + 1,
                        sizeof *checked->words) ||
                pawl__map_number(&index, &checked->by_word, copy, (uint32_t)checked->n_words))
                return PAWL_ENOMEM;
        if (index == checked->n_words)
                checked->words[checked->n_words++] = copy;
        return PAWL_OK;
}

static pawl_status know_key_words(struct check *check, uint32_t claim)
{
        struct checked *checked = &check->checked[claim];
        pawl__tokens tokens = pawl__tokens_of(check->claims[claim].definition);
        pawl_status status = PAWL_OK;
        pawl__token word;

        if (checked->known)
                return PAWL_OK;
        while (status == PAWL_OK && pawl__noun_next(&tokens, &word)) {
                pawl_text normal;
                status = normal_of(&normal, check, pawl__token_text(&tokens, &word));
                if (status == PAWL_OK && !is_common(check, normal) &&
                        !pawl__text_eq(normal, check->claims[claim].term))
                        status = add_key_word(check, checked, normal);
        }
        checked->known = status == PAWL_OK;
        return status;
}

/* ---- Sentences ------------------------------------------------------------------------------- */

static bool is_closer(const pawl__tokens *tokens, const pawl__token *token)
{
        switch (pawl__token_symbol(tokens, token)) {
        case '"':
        case '\'':
        case ')':
        case ']':
        case '*':
        case '`':
        case 0x2019:
        case 0x201c:
        case 0x201d:
        case 0xbb:
                return true;
        default:
                return false;
        }
}

static bool is_stop(const pawl__tokens *tokens, const pawl__token *token)
{
        uint32_t sign = pawl__token_symbol(tokens, token);

        return sign == '.' || sign == '!' || sign == '?';
}

/* The end of the sentence that holds @p from. */
static size_t sentence_end(pawl_text text, size_t from)
{
        pawl__tokens tokens = {text, from, false};
        bool stopped = false;
        pawl__token token;

        while ((token = pawl__token_next(&tokens)).kind) {
                if (token.kind == PAWL__TOKEN_SPACE) {
                        if (stopped || pawl__line_breaks(pawl__token_text(&tokens, &token)) > 1)
                                break;
                } else if (token.kind == PAWL__TOKEN_SIGN) {
                        uint32_t sign = pawl__token_symbol(&tokens, &token);
                        if (sign == 0x3002 || sign == 0xff01 || sign == 0xff1f)
                                break;
                        stopped =
                                is_stop(&tokens, &token) || (stopped && is_closer(&tokens, &token));
                } else {
                        stopped = false;
                }
        }
        return token.start;
}

/* The last occurrence of each word in a sentence, by normal form. */
struct lasts {
        pawl__map by_word; /* index into starts */
        size_t *starts, n, cap;
        size_t last; /* where the last word of all starts */
        pawl__arena arena;
};

static pawl_status note_last(struct lasts *lasts, pawl_text normal, size_t start)
{
        const pawl_text copy = pawl__arena_copy(&lasts->arena, normal);
        uint32_t index;

        if (!copy.data || lasts->n >= PAWL__MAP_NONE - 1 ||
                pawl__grow(&lasts->starts, &lasts->cap, lasts->n + 1, sizeof *lasts->starts) ||
                pawl__map_number(&index, &lasts->by_word, copy, (uint32_t)lasts->n))
                return PAWL_ENOMEM;
        lasts->n += index == lasts->n;
        /* pawl__grow() has set it; NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        lasts->starts[index] = start;
        return PAWL_OK;
}

static pawl_status note_sentence(struct lasts *lasts, struct check *check, size_t from)
{
        pawl__tokens tokens = {{check->text.data, check->end}, from, false};
        pawl_status status = PAWL_OK;
        pawl__token token;

        while (status == PAWL_OK && (token = pawl__token_next(&tokens)).kind) {
                pawl_text word = pawl__token_text(&tokens, &token), normal;
                if (token.kind != PAWL__TOKEN_WORD)
                        continue;
                lasts->last = token.start;
                if (!pawl__noun_like(word))
                        continue;
                status = normal_of(&normal, check, word);
                if (status == PAWL_OK)
                        status = note_last(lasts, normal, token.start);
        }
        return status;
}

/* Is under 30 % of the key words in the sentence from the redefinition on? */
static bool shares_little(const struct checked *checked, const struct lasts *lasts)
{
        size_t shared = 0;

        if (checked->n_words == 0 || lasts->last < checked->from)
                return false;
        for (size_t i = 0; i < checked->n_words; i++) {
                uint32_t index = pawl__map_get(&lasts->by_word, checked->words[i]);
                /* a word in the map has a start;
                 * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
                shared += index != PAWL__MAP_NONE && lasts->starts[index] >= checked->from;
        }
        return shared * 10 < checked->n_words * 3;
}

/* The end of a sentence: evaluate the redefinitions that wait for it. */
static pawl_status end_sentence(struct check *check)
{
        struct lasts lasts = {PAWL__MAP_INIT, NULL, 0, 0, 0, PAWL__ARENA_INIT};
        size_t from = SIZE_MAX;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < check->n_waiting; i++)
                if (check->checked[check->waiting[i]].from < from)
                        from = check->checked[check->waiting[i]].from;
        if (check->n_waiting)
                status = note_sentence(&lasts, check, from);
        for (size_t i = 0; i < check->n_waiting && status == PAWL_OK; i++) {
                const uint32_t claim = check->waiting[i];
                status = know_key_words(check, claim);
                check->checked[claim].waits = false;
                if (status == PAWL_OK && shares_little(&check->checked[claim], &lasts))
                        *check->claims[claim].contradicted = true;
        }
        check->n_waiting = 0;
        pawl__map_free(&lasts.by_word);
        free(lasts.starts);
        pawl__arena_free(&lasts.arena);
        return status;
}

static pawl_status redefine(struct check *check, uint32_t claim, size_t from)
{
        struct checked *checked = &check->checked[claim];
        pawl_status status = PAWL_OK;

        if (from >= check->end) {
                status = end_sentence(check);
                check->end = sentence_end(check->text, from);
        }
        if (!checked->waits)
                check->waiting[check->n_waiting++] = claim;
        checked->waits = true;
        if (from > checked->from)
                checked->from = from;
        return status;
}

/* ---- What is said of a term ------------------------------------------------------------------ */

static bool word_is(const pawl__tokens *tokens, const pawl__token *token, const char *const *words)
{
        pawl_text word = pawl__token_text(tokens, token);

        for (; *words; words++) {
                size_t i = 0;
                while (i < word.len && (*words)[i] && (word.data[i] | 0x20) == (*words)[i])
                        i++;
                if (i == word.len && !(*words)[i])
                        return true;
        }
        return false;
}

static const char *const a_or_an[] = {"a", "an", NULL};
static const char *const articles[] = {"a", "an", "the", NULL};
static const char *const be[] = {"is", "are", NULL};
static const char *const singular_be[] = {"is", NULL};
static const char *const short_be[] = {"isn", "aren", NULL};
static const char *const mean[] = {"means", "mean", NULL};
static const char *const refer[] = {"refers", "refer", NULL};
static const char *const to[] = {"to", NULL};
static const char *const not [] = {"not", NULL};
static const char *const no[] = {"no", NULL};
static const char *const t[] = {"t", NULL};

/* The word after white space. */
static bool next_word(pawl__tokens *tokens, pawl__token *word)
{
        *word = pawl__token_next(tokens);
        if (word->kind == PAWL__TOKEN_SPACE)
                *word = pawl__token_next(tokens);
        return word->kind == PAWL__TOKEN_WORD;
}

/* The term is not this word, past its article: is it a key word? */
static pawl_status negate(struct check *check, uint32_t claim, pawl__tokens tokens)
{
        pawl__token word;
        pawl_text normal;

        if (!next_word(&tokens, &word))
                return PAWL_OK;
        if (word_is(&tokens, &word, articles) && !next_word(&tokens, &word))
                return PAWL_OK;
        pawl_status status = know_key_words(check, claim);
        if (status == PAWL_OK)
                status = normal_of(&normal, check, pawl__token_text(&tokens, &word));
        if (status == PAWL_OK &&
                pawl__map_get(&check->checked[claim].by_word, normal) != PAWL__MAP_NONE)
                *check->claims[claim].contradicted = true;
        return status;
}

/* After "is" or "are". */
static pawl_status see_predicate(
        struct check *check, uint32_t claim, pawl__tokens tokens, bool singular)
{
        size_t from = tokens.at;
        pawl__token word;

        if (!next_word(&tokens, &word))
                return PAWL_OK;
        if (word_is(&tokens, &word, not ) || word_is(&tokens, &word, no))
                return negate(check, claim, tokens);
        if (!singular)
                return redefine(check, claim, from);
        return word_is(&tokens, &word, a_or_an) ? redefine(check, claim, tokens.at) : PAWL_OK;
}

/* The apostrophe and the t of "isn't". */
static bool pass_contraction(pawl__tokens *tokens)
{
        pawl__token sign = pawl__token_next(tokens);

        if (sign.kind != PAWL__TOKEN_SIGN)
                return false;
        uint32_t apostrophe = pawl__token_symbol(tokens, &sign);
        pawl__token rest = pawl__token_next(tokens);
        return (apostrophe == '\'' || apostrophe == 0x2019) && rest.kind == PAWL__TOKEN_WORD &&
               word_is(tokens, &rest, t);
}

/* A term was found: read on from its end, past closing marks. */
static pawl_status see_mention(uint32_t claim, size_t start, size_t end, void *user)
{
        struct check *check = user;
        pawl__tokens tokens = {check->text, end, true};
        pawl__token word = pawl__token_next(&tokens);

        (void)start;
        if (*check->claims[claim].contradicted)
                return PAWL_OK;
        while (word.kind == PAWL__TOKEN_SIGN && is_closer(&tokens, &word))
                word = pawl__token_next(&tokens);
        if (word.kind != PAWL__TOKEN_SPACE || !next_word(&tokens, &word))
                return PAWL_OK;
        if (word_is(&tokens, &word, short_be))
                return pass_contraction(&tokens) ? negate(check, claim, tokens) : PAWL_OK;
        if (word_is(&tokens, &word, be))
                return see_predicate(check, claim, tokens, word_is(&tokens, &word, singular_be));
        if (word_is(&tokens, &word, mean))
                return redefine(check, claim, tokens.at);
        if (word_is(&tokens, &word, refer) && next_word(&tokens, &word) &&
                word_is(&tokens, &word, to))
                return redefine(check, claim, tokens.at);
        return PAWL_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static pawl_status scan(struct check *check)
{
        pawl__automaton *automaton;
        pawl_status status = pawl__automaton_new(&automaton);

        if (status)
                return status;
        for (size_t i = 0; i < check->n && status == PAWL_OK; i++)
                status = pawl__automaton_add(automaton, check->claims[i].term, (uint32_t)i);
        for (size_t i = 0; i < check->n && status == PAWL_OK; i++)
                status = pawl__automaton_add_forms(
                        automaton, check->claims[i].term, (uint32_t)i, false);
        if (status == PAWL_OK)
                status = pawl__automaton_build(automaton);
        if (status == PAWL_OK)
                status = pawl__automaton_scan(automaton, check->text, see_mention, check);
        if (status == PAWL_OK)
                status = end_sentence(check);
        pawl__automaton_free(automaton);
        return status;
}

pawl_status pawl__contradictions(pawl_text text, const pawl__definition_check *claims, size_t n)
{
        struct check check = {.text = text, .claims = claims, .n = n};
        pawl_status status = PAWL_OK;

        if (n == 0)
                return PAWL_OK;
        if (n >= UINT32_MAX)
                return PAWL_ETOOBIG;
        check.checked = calloc(n, sizeof *check.checked);
        check.waiting = calloc(n, sizeof *check.waiting);
        status = check.checked && check.waiting ? scan(&check) : PAWL_ENOMEM;
        for (size_t i = 0; i < n && check.checked; i++) {
                free(check.checked[i].words);
                pawl__map_free(&check.checked[i].by_word);
        }
        free(check.checked);
        free(check.waiting);
        pawl__arena_free(&check.arena);
        pawl__buf_free(&check.buf);
        return status;
}

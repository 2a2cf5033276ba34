/* The words of an extraction: each spelling is classified once. */
#include "glossary/casing.h"
#include "glossary/extract_internal.h"
#include "glossary/normal.h"
#include "glossary/plural.h"
#include "glossary/tokens.h"
#include <stdlib.h>

void pawl__words_free(pawl__words *words)
{
        pawl__map_free(&words->by_text);
        pawl__arena_free(&words->arena);
        pawl__buf_free(&words->buf);
        free(words->items);
}

static bool is_folded(pawl_text text)
{
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = (unsigned char)text.data[i];
                if (c >= 0x80 || (c >= 'A' && c <= 'Z'))
                        return false;
        }
        return true;
}

/* ASCII letters in lower case and nothing else, as most words are: folded already, and what the
 * rules ask of one needs no look at its characters. Spares a tenth of an extraction. */
static bool is_plain(pawl_text text)
{
        for (size_t i = 0; i < text.len; i++)
                if (text.data[i] < 'a' || text.data[i] > 'z')
                        return false;
        return true;
}

/* The word folded: itself, or in the words' room. */
static pawl_status fold(pawl_text *out, pawl__words *words, pawl_text text)
{
        *out = text;
        if (is_folded(text))
                return PAWL_OK;
        pawl__buf_clear(&words->buf);
        pawl_status status = pawl__fold(&words->buf, text);
        *out = pawl__buf_text(&words->buf);
        return status;
}

/* The word of a text; *is_new if it had to be added. */
static pawl_status add(pawl__words *words, uint32_t *out, bool *is_new, pawl_text text)
{
        if (words->n >= PAWL__MAP_NONE - 1)
                return PAWL_ETOOBIG;
        if ((words->n == words->cap &&
                    pawl__grow(&words->items, &words->cap, words->n + 1, sizeof *words->items)) ||
                pawl__map_number(out, &words->by_text, text, (uint32_t)words->n))
                return PAWL_ENOMEM;
        *is_new = *out == words->n;
        if (*is_new)
                words->items[words->n++] = (pawl__word){.text = text, .normal = *out};
        return PAWL_OK;
}

/* The normal form of the surface or hint that a word is in any of its forms, or absent. */
static pawl_text known_form(const pawl__extraction *extraction, const uint32_t *tokens)
{
        for (int by = 0; by < PAWL__WALKS; by++) {
                const pawl__automaton *automaton = extraction->walks[by].automaton;
                const uint32_t number = automaton && tokens[by] != PAWL__NO_TOKEN
                                                ? pawl__automaton_of_token(automaton, tokens[by])
                                                : PAWL__NO_PATTERN;
                if (number != PAWL__NO_PATTERN)
                        return by == PAWL__BY_GLOSSARY
                                       ? pawl__glossary_surface(extraction->glossary, number)
                                       : extraction->term_table.items[number].normal;
        }
        return (pawl_text){NULL, 0};
}

/* What its plural would be cut to, in the extraction's room. */
static pawl_text cut(pawl__extraction *extraction, pawl_text folded)
{
        pawl__buf *buf = &extraction->buf;

        pawl__buf_clear(buf);
        if (pawl__buf_add_text(buf, folded))
                return folded;
        return pawl__text_n(buf->data, pawl__singular(buf->data, buf->len));
}

/* What the rules ask of a word, all but which its normal form is. */
static void classify(pawl__extraction *extraction, uint32_t index, pawl_text folded, bool plain)
{
        pawl__word *word = &extraction->words.items[index];

        word->bits = plain ? PAWL__IS_SEGMENT | PAWL__STARTS_LOWER : pawl__casing(word->text);
        if (pawl__common_word(folded) || (folded.len > 3 && folded.data[folded.len - 1] == 's' &&
                                                 pawl__common_word(cut(extraction, folded))))
                word->bits |= PAWL__IS_COMMON | (unsigned)pawl__role_of(folded) << PAWL__ROLE_AT;
        else if (plain ? word->text.len >= 3 : pawl__noun_like(word->text))
                word->bits |= PAWL__MAY_BE_NOUN;
        for (int by = 0; by < PAWL__WALKS; by++) {
                const pawl__automaton *automaton = extraction->walks[by].automaton;
                word->token[by] =
                        automaton ? pawl__automaton_token(automaton, folded) : PAWL__NO_TOKEN;
        }
}

/* A word that is its own normal form. The text is copied if it is in the words' room. */
static pawl_status normal_index(
        pawl__extraction *extraction, uint32_t *out, pawl_text normal, bool copy)
{
        pawl__words *words = &extraction->words;
        bool ok = true, is_new = false;

        if (copy) {
                *out = pawl__map_get(&words->by_text, normal);
                if (*out != PAWL__MAP_NONE)
                        return PAWL_OK;
                normal = pawl__arena_text(&words->arena, normal, &ok);
        }
        pawl_status status = ok ? add(words, out, &is_new, normal) : PAWL_ENOMEM;
        if (status == PAWL_OK && is_new)
                classify(extraction, *out, normal, is_plain(normal));
        return status;
}

pawl_status pawl__words_index(uint32_t *out, pawl__extraction *extraction, pawl_text text)
{
        pawl__words *words = &extraction->words;
        pawl_text folded;
        uint32_t normal;
        bool is_new = false;
        pawl_status status = add(words, out, &is_new, text);

        if (status || !is_new)
                return status;
        bool plain = is_plain(text);
        folded = text;
        if (!plain)
                status = fold(&folded, words, text);
        if (status)
                return status;
        classify(extraction, *out, folded, plain);
        const pawl_text known = known_form(extraction, words->items[*out].token);
        if (known.data)
                status = normal_index(extraction, &normal, known, false);
        else if (folded.data == text.data) /* its own normal form, as far as can be told now */
                return PAWL_OK;
        else
                status = normal_index(extraction, &normal, folded, true);
        if (status == PAWL_OK)
                words->items[*out].normal = normal;
        return status;
}

/* ---- When all texts were read ---------------------------------------------------------------- */

/* Is there such a noun in the texts? */
static uint32_t noun_of_text(const pawl__words *words, pawl_text text)
{
        const uint32_t index = pawl__map_get(&words->by_text, text);

        return index != PAWL__MAP_NONE && words->items[index].count ? index : PAWL__MAP_NONE;
}

/* What a noun is the plural of: another one of the texts, else what is safe to cut. */
static pawl_status singular_index(pawl__extraction *extraction, uint32_t *out, uint32_t plural)
{
        pawl__words *words = &extraction->words;
        pawl__buf *buf = &extraction->buf;
        const pawl_text text = words->items[plural].text;

        *out = plural;
        if (words->items[plural].bits & PAWL__IS_NAME)
                return PAWL_OK;
        pawl__buf_clear(buf);
        pawl__singulars(buf, text);
        for (size_t at = 0; at < buf->len && *out == plural && !buf->failed;) {
                const pawl_text found = pawl__text(buf->data + at);
                const uint32_t index = noun_of_text(words, found);
                if (index != PAWL__MAP_NONE)
                        *out = index;
                at += found.len + 1;
        }
        if (buf->failed)
                return PAWL_ENOMEM;
        if (*out != plural)
                return PAWL_OK;
        const pawl_text singular = cut(extraction, text);
        if (buf->failed)
                return PAWL_ENOMEM;
        return singular.len == text.len ? PAWL_OK : normal_index(extraction, out, singular, true);
}

/* Does the glossary or a hint know it? Then it is its own normal form. */
static bool is_known(const pawl__extraction *extraction, const pawl__word *word)
{
        return known_form(extraction, word->token).data != NULL;
}

pawl_status pawl__words_join_plurals(pawl__extraction *extraction)
{
        pawl__words *words = &extraction->words;
        const size_t n = words->n;
        pawl_status status = PAWL_OK;

        for (uint32_t i = 0; i < n && !status; i++) {
                uint32_t singular = i;
                if (words->items[i].count == 0 || is_known(extraction, &words->items[i]))
                        continue;
                const uint32_t count = words->items[i].count;
                status = singular_index(extraction, &singular, i);
                if (status || singular == i)
                        continue;
                pawl__word *plural = &words->items[i], *to = &words->items[singular];
                if (to->count == 0 || pawl__span_earlier(plural->first, to->first))
                        to->first = plural->first;
                to->count = to->count > UINT32_MAX - count ? UINT32_MAX : to->count + count;
                plural->count = 0;
                pawl__usage_join(&to->usage, &plural->usage);
                if (pawl__is_gerund(to->text)) /* no verb has such a form: "settings" */
                        to->usage.heads = pawl__usage_sum(to->usage.heads,
                                                  count < UINT8_MAX ? count : UINT8_MAX) &
                                          PAWL__USAGE_MAX;
                to->bits |= plural->bits & (PAWL__IN_LOWER | PAWL__ALONE);
        }
        return status;
}

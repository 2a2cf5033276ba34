/* The words of an extraction: each spelling is classified once. */
#include "base/unicode.h"
#include "glossary/casing.h"
#include "glossary/extract_internal.h"
#include "glossary/normal.h"
#include "glossary/tokens.h"
#include <stdlib.h>

void pawl__words_free(pawl__words *words)
{
        pawl__map_free(&words->by_text);
        pawl__arena_free(&words->arena);
        pawl__buf_free(&words->room);
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
        pawl__buf_clear(&words->room);
        pawl_status status = pawl__fold(&words->room, text);
        *out = pawl__buf_text(&words->room);
        return status;
}

/* The word of a text; *is_new if it had to be added. */
static pawl_status add(pawl__words *words, uint32_t *out, bool *is_new, pawl_text text)
{
        if (words->n >= PAWL__MAP_NONE - 1)
                return PAWL_ETOOBIG;
        if (pawl__grow(&words->items, &words->cap, words->n + 1, sizeof *words->items) ||
                pawl__map_number(out, &words->by_text, text, (uint32_t)words->n))
                return PAWL_ENOMEM;
        *is_new = *out == words->n;
        if (*is_new)
                words->items[words->n++] = (pawl__word){.text = text, .normal = *out};
        return PAWL_OK;
}

/* What the rules ask of a word, all but which its normal form is. */
static void classify(pawl__extraction *extraction, uint32_t index, pawl_text folded, bool plain)
{
        pawl__word *word = &extraction->words.items[index];
        size_t singular = pawl__singular_len(folded.data, folded.len);

        word->bits = plain ? PAWL__IS_SEGMENT | PAWL__STARTS_LOWER : pawl__casing(word->text);
        if (pawl__common_word(folded) ||
                (singular < folded.len && pawl__common_word(pawl__text_n(folded.data, singular))))
                word->bits |= PAWL__IS_COMMON;
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
        size_t singular = pawl__singular_len(folded.data, folded.len);
        if (folded.data == text.data && singular == text.len) /* its own normal form */
                return PAWL_OK;
        status = normal_index(
                extraction, &normal, pawl__text_n(folded.data, singular), folded.data != text.data);
        if (status == PAWL_OK)
                words->items[*out].normal = normal;
        return status;
}

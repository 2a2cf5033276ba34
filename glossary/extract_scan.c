/* One pass over a text for all rules: each token is read once. */
#include "base/unicode.h"
#include "glossary/casing.h"
#include "glossary/extract_internal.h"
#include "glossary/extract_use.h"
#include "glossary/normal.h"
#include "glossary/tokens.h"
#include <stdlib.h>

/* A quotation that is open: where its text starts, and how many line breaks came since. */
struct quote {
        bool open;
        size_t start, line_breaks;
        uint32_t opened_by;
};

/* Words joined by single hyphens so far. */
struct chain {
        size_t start, end, words;
        bool fits;   /* all of them are such as kebab-case is made of */
        bool hyphen; /* one hyphen follows the last */
};

/* The pass. The two kinds of quotation marks do not see each other, so that one may hold the other.
 */
struct scan {
        pawl__extraction *extraction;
        pawl__tokens tokens;
        uint32_t text;
        struct quote straight, curly;
        struct chain chain;
        size_t markup;               /* the next one that the scan has not passed */
        size_t change;               /* where it, or what of it the scan is in, begins or ends */
        bool hidden;                 /* within what is no prose */
        bool in_code;                /* within inline code */
        bool walks;                  /* there is an automaton */
        uint32_t space[PAWL__WALKS]; /* the number of white space in each */
        struct use use;              /* how the words before were used */
};

pawl_status pawl__extraction_match_by(
        pawl__extraction *extraction, int by, const pawl__automaton *automaton)
{
        if (!automaton)
                return PAWL_OK;
        size_t bytes = pawl__automaton_states(automaton) / 8 + 1;
        extraction->exhausted[by] = calloc(bytes, 1);
        if (!extraction->exhausted[by] || pawl__matcher_start(&extraction->walks[by], automaton)) {
                free(extraction->exhausted[by]);
                extraction->exhausted[by] = NULL;
                return PAWL_ENOMEM;
        }
        return PAWL_OK;
}

static bool is_settled(const unsigned char *bits, uint32_t state)
{
        return (bits[state / 8] >> (state % 8)) & 1;
}

/* The terms that end here by a walk. A state whose matches were all taken is done with: the first
 * time says where a term was first written, so no later time adds anything. */
static pawl_status take_matches(struct scan *scan, int by, uint32_t state, size_t end)
{
        pawl__extraction *extraction = scan->extraction;
        const pawl__matcher *walk = &extraction->walks[by];
        unsigned char *exhausted = extraction->exhausted[by];
        const uint32_t longest = state;
        bool all = true;

        for (; state && !is_settled(exhausted, state);
                state = pawl__matcher_output_link(walk, state)) {
                pawl__span span = {scan->text, 0, end};
                pawl_text normal;
                uint32_t number;
                if (!pawl__matcher_match(walk, state, &number, &span.start)) {
                        all = false;
                        continue;
                }
                pawl_status status;
                if (by == PAWL__BY_HINTS) {
                        normal = extraction->term_table.items[number].normal;
                        status =
                                pawl__term_table_add(extraction, normal, PAWL__METADATA_HINT, span);
                } else {
                        normal = pawl__glossary_surface(extraction->glossary, number);
                        status = pawl__term_table_add_known(extraction, normal, number, span);
                }
                if (status)
                        return status;
        }
        if (all)
                exhausted[longest / 8] |= (unsigned char)(1u << (longest % 8));
        return PAWL_OK;
}

/* Advance every automaton by a token. */
static inline pawl_status step(struct scan *scan, const pawl__token *token, const uint32_t *numbers)
{
        pawl_status status = PAWL_OK;

        for (int by = scan->walks ? 0 : PAWL__WALKS; by < PAWL__WALKS && status == PAWL_OK; by++) {
                pawl__matcher *walk = &scan->extraction->walks[by];
                if (!walk->automaton)
                        continue;
                uint32_t state = pawl__matcher_step(walk, token, numbers[by]);
                if (state)
                        status = take_matches(scan, by, state, token->end);
        }
        return status;
}

/* What the glossary or a hint calls a folded phrase, in any of its forms; or absent. */
static pawl_text known_phrase(const pawl__extraction *extraction, pawl_text folded)
{
        for (int by = 0; by < PAWL__WALKS; by++) {
                const pawl__automaton *automaton = extraction->walks[by].automaton;
                const uint32_t number =
                        automaton ? pawl__automaton_find(automaton, folded) : PAWL__NO_PATTERN;
                if (number != PAWL__NO_PATTERN)
                        return by == PAWL__BY_GLOSSARY
                                       ? pawl__glossary_surface(extraction->glossary, number)
                                       : extraction->term_table.items[number].normal;
        }
        return (pawl_text){NULL, 0};
}

enum { PARTICLE = 3 }; /* letters, at most, of such words as "to", "off" and "and" */

/* Does an ordinary word in a word with hyphens tell that it describes, and names nothing:
 * "up-to-date", "well-known", "newly-made"? */
static bool describes(pawl_text word)
{
        if (word.len <= PARTICLE || pawl__text_is(word, "well") || pawl__text_is(word, "half"))
                return true;
        const char *end = word.data + word.len - 2;
        return word.len > 4 && (memcmp(end, "ed", 2) == 0 || memcmp(end, "ly", 2) == 0);
}

/* Nothing but ordinary words, and signs between them: "not at all". With hyphens, one of them tells
 * that it is no name: "read-only" and "write-ahead" are. */
static bool is_ordinary(pawl_text folded, bool hyphens)
{
        pawl__tokens tokens = pawl__tokens_of(folded);
        pawl__token token;
        bool none = !hyphens;

        while ((token = pawl__token_next(&tokens)).kind) {
                const pawl_text word = pawl__token_text(&tokens, &token);
                if (token.kind != PAWL__TOKEN_WORD)
                        continue;
                if (!pawl__common_word(word))
                        return false;
                none = none || describes(word);
        }
        return none;
}

/* A run of text that is a term as it is, unless it is an ordinary word. */
static pawl_status add_phrase(struct scan *scan, pawl__source source, size_t start, size_t end)
{
        pawl__extraction *extraction = scan->extraction;
        pawl__buf *buf = &extraction->buf;
        pawl_text phrase = pawl__text_n(scan->tokens.text.data + start, end - start);

        pawl__buf_clear(buf);
        if (pawl__folded_form(buf, phrase))
                return PAWL_ENOMEM;
        pawl_text normal = known_phrase(extraction, pawl__buf_text(buf));
        if (!normal.data) {
                if (is_ordinary(pawl__buf_text(buf), source == PAWL__CASING_PATTERN))
                        return PAWL_OK;
                pawl__buf_clear(buf);
                if (pawl__normal_form(buf, phrase))
                        return PAWL_ENOMEM;
                normal = pawl__buf_text(buf);
                if (pawl__common_word(normal))
                        return PAWL_OK;
        }
        return pawl__term_table_add(
                extraction, normal, source, (pawl__span){scan->text, start, end});
}

/* ---- Hyphens --------------------------------------------------------------------------------- */

static inline pawl_status end_chain(struct scan *scan)
{
        const struct chain *chain = &scan->chain;
        const bool ends = chain->words >= 2 && chain->fits;

        scan->chain.words = 0;
        scan->chain.hyphen = false;
        return ends ? add_phrase(scan, PAWL__CASING_PATTERN, chain->start, chain->end) : PAWL_OK;
}

enum { NUMBER = 6 }; /* digits of what is a date, a time or a number of something, and no name */

static pawl_status chain_word(
        struct scan *scan, const pawl__token *token, unsigned bits, bool contracted)
{
        struct chain *chain = &scan->chain;
        pawl_status status = PAWL_OK;
        bool fits = (bits & PAWL__IS_SEGMENT) && !contracted &&
                    !(!(bits & PAWL__STARTS_LOWER) && token->end - token->start >= NUMBER &&
                            pawl__is_number(pawl__token_text(&scan->tokens, token)));

        if (!chain->hyphen) {
                status = end_chain(scan);
                *chain = (struct chain){token->start, token->end, 0, true, false};
                fits = fits && (bits & PAWL__STARTS_LOWER) &&
                       !pawl__is_marked(scan->tokens.text, token->start);
        }
        chain->end = token->end;
        chain->words++;
        chain->hyphen = false;
        chain->fits = chain->fits && fits;
        return status;
}

/* ---- Quotation marks ------------------------------------------------------------------------- */

enum { LEFT = 0x201c, RIGHT = 0x201d, LOW = 0x201e };

static void open_quote(struct quote *quote, const pawl__token *token, uint32_t mark)
{
        *quote = (struct quote){true, token->end, 0, mark};
}

enum { QUOTED_WORDS = 5 };

/* A sentence's punctuation, where white space or the end follows it: "node.js" has none. */
static bool is_stop(uint32_t mark)
{
        return mark == '.' || mark == ',' || mark == ';' || mark == ':' || mark == '!' ||
               mark == '?' || mark == 0x2026 || mark == 0x3002 || mark == 0xff01 || mark == 0xff1f;
}

static size_t letters_of(pawl_text word)
{
        uint32_t character;
        size_t n = 0;

        for (size_t at = 0; at < word.len && n < 2;) {
                at += pawl__unicode_decode(&character, word.data + at, word.len - at);
                n += (pawl__unicode_class(character) & PAWL__LETTER) != 0;
        }
        return n;
}

/* The phrase that ends in front of @p end, if it has the form of a term: two letters or more, five
 * words at most, nothing that ends a sentence or a part of one. */
static pawl_status close_quote(struct scan *scan, struct quote *quote, size_t end)
{
        pawl__tokens inner = pawl__tokens_of(
                pawl__text_n(scan->tokens.text.data + quote->start, end - quote->start));
        size_t first = SIZE_MAX, last = 0, words = 1, letters = 0;
        bool stop = false;
        pawl__token token;

        quote->open = false;
        while ((token = pawl__token_next(&inner)).kind) {
                if (token.kind == PAWL__TOKEN_SPACE) {
                        if (stop)
                                return PAWL_OK;
                        words += token.end < inner.text.len && last > 0;
                        continue;
                }
                const uint32_t mark =
                        token.kind == PAWL__TOKEN_SIGN ? pawl__token_symbol(&inner, &token) : 0;
                stop = is_stop(mark);
                if (token.kind == PAWL__TOKEN_WORD)
                        letters += letters_of(pawl__token_text(&inner, &token));
                if (first == SIZE_MAX)
                        first = token.start;
                last = token.end;
        }
        if (first == SIZE_MAX || stop || words > QUOTED_WORDS || letters < 2)
                return PAWL_OK;
        return add_phrase(scan, PAWL__QUOTED_PHRASE, quote->start + first, quote->start + last);
}

static pawl_status see_quote(struct scan *scan, const pawl__token *token)
{
        const uint32_t mark = pawl__token_symbol(&scan->tokens, token);
        struct quote *quote = mark == '"' ? &scan->straight : &scan->curly;

        if (mark != '"' && mark != LEFT && mark != RIGHT && mark != LOW)
                return PAWL_OK;
        bool closes = mark == '"' || mark == RIGHT || (mark == LEFT && quote->opened_by == LOW);
        if (quote->open && closes)
                return close_quote(scan, quote, token->start);
        if (mark != RIGHT)
                open_quote(quote, token, mark);
        return PAWL_OK;
}

/* A quotation runs over one line break, not over two, and so over no blank line. */
static void break_quote(struct quote *quote, size_t line_breaks)
{
        quote->line_breaks += line_breaks;
        if (quote->line_breaks > 1)
                quote->open = false;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* The rules for a spelling's form. Each needs to see it once. */
static pawl_status see_form(struct scan *scan, pawl__word *word, pawl__span span)
{
        pawl__extraction *extraction = scan->extraction;
        pawl__word *normal = &extraction->words.items[word->normal];
        const unsigned bits = word->bits;
        const bool acronym = bits & PAWL__IS_ACRONYM;
        pawl_status status = PAWL_OK;

        if (acronym && !pawl__acronym_alone(scan->tokens.text, span.start, span.end))
                return PAWL_OK;
        word->bits = bits & ~(unsigned)(PAWL__IS_ACRONYM | PAWL__IS_PATTERN);
        normal->bits |= PAWL__IS_NAME;
        if (bits & PAWL__IS_COMMON || (acronym && pawl__stress_word(normal->text)))
                return PAWL_OK;
        if (acronym)
                status = pawl__term_table_add(extraction, normal->text, PAWL__ACRONYM, span);
        if (status == PAWL_OK && bits & PAWL__IS_PATTERN)
                status = pawl__term_table_add(extraction, normal->text, PAWL__CASING_PATTERN, span);
        return status;
}

/* The rules for single words. What a word is used for counts every time. */
static pawl_status see_word(struct scan *scan, uint32_t index, const pawl__token *token)
{
        pawl__extraction *extraction = scan->extraction;
        pawl__word *word = &extraction->words.items[index];
        const pawl__span span = {scan->text, token->start, token->end};

        if (word->bits & PAWL__MAY_BE_NOUN)
                see_noun(
                        &scan->use, extraction, word, &extraction->words.items[word->normal], span);
        else
                see_ordinary(&scan->use, extraction, word, token);
        return word->bits & (PAWL__IS_ACRONYM | PAWL__IS_PATTERN) ? see_form(scan, word, span)
                                                                  : PAWL_OK;
}

static pawl_status scan_word(struct scan *scan, const pawl__token *token)
{
        pawl__extraction *extraction = scan->extraction;
        const pawl_text text = scan->tokens.text;
        uint32_t index;
        pawl_status status =
                pawl__words_index(&index, extraction, pawl__token_text(&scan->tokens, token));

        if (status)
                return status;
        const unsigned bits = extraction->words.items[index].bits;
        if (scan->hidden)
                return step(scan, token, extraction->words.items[index].token);
        bool contracted = pawl__word_contracted(text, token->start, token->end);
        if (!contracted)
                status = see_word(scan, index, token);
        if (status == PAWL_OK)
                status = chain_word(scan, token, bits, contracted);
        return status ? status : step(scan, token, extraction->words.items[index].token);
}

/* The numbers of an ASCII character; ' ' is any white space. */
static void numbers_of(
        uint32_t numbers[PAWL__WALKS], const pawl__extraction *extraction, char character)
{
        for (int by = 0; by < PAWL__WALKS; by++) {
                const pawl__automaton *automaton = extraction->walks[by].automaton;
                numbers[by] = automaton ? pawl__automaton_ascii(automaton)[(unsigned char)character]
                                        : PAWL__NO_TOKEN;
        }
}

static pawl_status scan_space(struct scan *scan, const pawl__token *token)
{
        pawl_status status = end_chain(scan);

        if (scan->straight.open || scan->curly.open || scan->use.byline) {
                size_t breaks = pawl__line_breaks(pawl__token_text(&scan->tokens, token));
                scan->use.byline = scan->use.byline && breaks == 0;
                break_quote(&scan->straight, breaks);
                break_quote(&scan->curly, breaks);
        }
        return status ? status : step(scan, token, scan->space);
}

/* A sign beyond ASCII is looked up like a word: its numbers are found once. */
static pawl_status step_by_sign(struct scan *scan, const pawl__token *token)
{
        pawl__extraction *extraction = scan->extraction;
        const pawl_text text = pawl__token_text(&scan->tokens, token);
        uint32_t index, numbers[PAWL__WALKS];

        if (text.len == 1) {
                numbers_of(numbers, extraction, text.data[0]);
                return step(scan, token, numbers);
        }
        pawl_status status = pawl__words_index(&index, extraction, text);
        return status ? status : step(scan, token, extraction->words.items[index].token);
}

static pawl_status scan_sign(struct scan *scan, const pawl__token *token)
{
        struct chain *chain = &scan->chain;
        pawl_status status = PAWL_OK;

        forget_words(&scan->use);
        if (pawl__token_is(&scan->tokens, token, '-') && chain->words && !chain->hyphen)
                chain->hyphen = true;
        else
                status = end_chain(scan);
        if (status == PAWL_OK && !scan->hidden && !scan->in_code)
                status = see_quote(scan, token);
        return status ? status : step_by_sign(scan, token);
}

/* The markup that a token is in. An identifier is a term of its own. */
static pawl_status see_markup(struct scan *scan, const pawl__token *token)
{
        const pawl__markups *all = &scan->extraction->markups;
        pawl_status status = PAWL_OK;

        if (token->start == all->items[scan->markup].start)
                status = end_chain(scan); /* it was written before this one */
        while (scan->markup < all->n && token->start >= all->items[scan->markup].end)
                scan->markup++;
        const pawl__markup *at = &all->items[scan->markup];
        const bool is_in = scan->markup < all->n && token->start >= at->start;
        scan->change = scan->markup == all->n ? SIZE_MAX : is_in ? at->end : at->start;
        scan->hidden = is_in && at->kind == PAWL__NOT_PROSE;
        scan->in_code = is_in && !scan->hidden;
        if (is_in && at->kind == PAWL__NOT_PROSE)
                scan->straight.open = scan->curly.open = false;
        if (!status && is_in && at->kind == PAWL__IDENTIFIER && token->start == at->start)
                status = add_phrase(scan, PAWL__QUOTED_PHRASE, at->start, at->end);
        return status;
}

pawl_status pawl__extraction_scan(pawl__extraction *extraction)
{
        const uint32_t text = (uint32_t)(extraction->n_texts - 1);
        struct scan scan = {.extraction = extraction,
                .tokens = pawl__tokens_of(extraction->texts[text]),
                .text = text,
                .change = SIZE_MAX,
                .use.noun = PAWL__MAP_NONE,
                .walks = extraction->walks[PAWL__BY_GLOSSARY].automaton ||
                         extraction->walks[PAWL__BY_HINTS].automaton};
        pawl_status status = pawl__markups_find(&extraction->markups, scan.tokens.text);
        pawl__token token;

        numbers_of(scan.space, extraction, ' ');
        if (!status && extraction->markups.n)
                scan.change = extraction->markups.items[0].start;
        for (int by = 0; by < PAWL__WALKS; by++)
                pawl__matcher_again(&extraction->walks[by]);
        while (status == PAWL_OK && (token = pawl__token_next(&scan.tokens)).kind) {
                if (token.start >= scan.change)
                        status = see_markup(&scan, &token);
                if (status)
                        break;
                if (token.kind == PAWL__TOKEN_WORD)
                        status = scan_word(&scan, &token);
                else if (token.kind == PAWL__TOKEN_SPACE)
                        status = scan_space(&scan, &token);
                else
                        status = scan_sign(&scan, &token);
        }
        return status ? status : end_chain(&scan);
}

/**
 * @file glossary/automaton.h
 * @brief Finds every surface of a glossary in one pass over a text.
 *
 * Aho and Corasick, "Efficient string matching: an aid to bibliographic search", CACM 18 (6), 1975,
 * over tokens instead of characters: words and signs are numbered by a hash table, white space is
 * one token whatever its length, and the transitions of all states are in one open-addressing
 * table. A pass takes time proportional to the tokens and the matches, however many patterns there
 * are.
 *
 * A pattern is a normal form. The other forms of its last word, its plurals and what it may be the
 * plural of, are further paths to the same pattern.
 */
#pragma once

#include "base/text.h"
#include "glossary/tokens.h"

typedef struct pawl__automaton pawl__automaton;

#define PAWL__NO_TOKEN UINT32_MAX /* a text's token that is in no pattern */

PAWL_MUST_CHECK pawl_status pawl__automaton_new(pawl__automaton **out);
void pawl__automaton_free(pawl__automaton *automaton);

/** Add a pattern, not empty, that must outlive the automaton; its number is reported with each
 *  match. The same pattern again takes the new number. After a failure the automaton can only be
 *  freed. PAWL_ENOMEM, or PAWL_ETOOBIG beyond a billion states. */
PAWL_MUST_CHECK pawl_status pawl__automaton_add(
        pawl__automaton *automaton, pawl_text pattern, uint32_t number);
/** Let the other forms of a pattern that was added lead to it: the plurals of its last word, and,
 *  unless it is a name, the words whose plural that may be. Not those that are patterns themselves,
 *  which must all be there before. Of ordinary words it is no plural. */
PAWL_MUST_CHECK pawl_status pawl__automaton_add_forms(
        pawl__automaton *automaton, pawl_text pattern, uint32_t number, bool name);
/** Make it ready: once, after the last pattern. */
PAWL_MUST_CHECK pawl_status pawl__automaton_build(pawl__automaton *automaton);

#define PAWL__NO_PATTERN UINT32_MAX
/** The number of the pattern that a folded text is, as a whole and in any of its forms; or
 *  PAWL__NO_PATTERN. */
uint32_t pawl__automaton_find(const pawl__automaton *automaton, pawl_text text);

/** The same of one token, by its number. */
uint32_t pawl__automaton_of_token(const pawl__automaton *automaton, uint32_t token);

/** States, which are numbered from 0; 0 is the one at the start. */
uint32_t pawl__automaton_states(const pawl__automaton *automaton);

/** The number of a folded token; a run of white space is " ". */
uint32_t pawl__automaton_token(const pawl__automaton *automaton, pawl_text folded);
/** The numbers of the tokens of one ASCII character, 128 of them. */
const uint32_t *pawl__automaton_ascii(const pawl__automaton *automaton);

/** A pass over a text, token by token. */
typedef struct pawl__matcher {
        const pawl__automaton *automaton;
        uint32_t state;
        size_t n; /* tokens so far */
        struct pawl__matcher_place {
                size_t start;
                bool after_word;
        } * places; /* of the last tokens: a ring */
        size_t mask;
} pawl__matcher;

PAWL_MUST_CHECK pawl_status pawl__matcher_start(
        pawl__matcher *walk, const pawl__automaton *automaton);
void pawl__matcher_again(pawl__matcher *walk); /**< another text */
void pawl__matcher_end(pawl__matcher *walk);

/** The same of a number that is not PAWL__NO_TOKEN. */
uint32_t pawl__matcher_advance(pawl__matcher *walk, const pawl__token *token, uint32_t number);
/** Advance by a token, whose number is @p number. Returns the state whose pattern, the longest,
 * ends here, or 0; pawl__matcher_output_link() gives the ones that end here too. */
static inline uint32_t pawl__matcher_step(
        pawl__matcher *walk, const pawl__token *token, uint32_t number)
{
        if (number != PAWL__NO_TOKEN)
                return pawl__matcher_advance(walk, token, number);
        walk->state = 0;
        return 0;
}
uint32_t pawl__matcher_output_link(const pawl__matcher *walk, uint32_t state);
/** The pattern that ends in a state, and where in the text it starts. False: it starts with a sign
 *  right after a word, so it is no whole word. */
bool pawl__matcher_match(
        const pawl__matcher *walk, uint32_t state, uint32_t *number, size_t *start);

/** One match of a scan. Any status but PAWL_OK ends it and is its result. */
typedef pawl_status (*pawl__scan_fn)(uint32_t number, size_t start, size_t end, void *user);

/** Every match in a text, in the order of their ends, at one end the longest first. */
PAWL_MUST_CHECK pawl_status pawl__automaton_scan(
        const pawl__automaton *automaton, pawl_text text, pawl__scan_fn fn, void *user);

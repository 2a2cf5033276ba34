/**
 * @file glossary/usage.h
 * @brief How a text uses its words: as nouns, as verbs, as people's names. What its neighbours say
 * of a word that no list knows.
 */
#pragma once

#include "base/text.h"
#include "base/unicode.h"

/** What an ordinary word says of the one before it, or behind it. */
typedef enum pawl__role {
        PAWL__NO_ROLE,
        PAWL__DETERMINER,  /**< the, your, every: a noun follows, or what belongs to one */
        PAWL__PREPOSITION, /**< by, with: the same */
        PAWL__OF,          /**< the same, and a noun is before it */
        PAWL__BE,          /**< is, are: what is before it is a noun, what follows is mostly none */
        PAWL__HAS,         /**< has: what is before it is a noun */
        PAWL__MODAL,       /**< can, must: the same, and a verb follows */
        PAWL__SUBJECT,     /**< we, don't: a verb follows */
        PAWL__OBJECT,      /**< them, whether: a verb is before it */
        PAWL__SPEAKS,      /**< says, asked: a person is before it */
        PAWL__GREETS       /**< thanks, ask: a person is behind it */
} pawl__role;

/** What the places of a word say of it. Counts saturate. */
typedef struct pawl__usage {
        unsigned nouns : 6; /**< behind a determiner or a preposition */
        unsigned heads : 6; /**< before what only a noun, or a name, is before */
        unsigned verbs : 6; /**< where only a verb is, or an adjective behind "is" */
        unsigned joins : 6; /**< before another word that may be a noun */
        unsigned names : 6; /**< where only a person's name is, by how sure that is */
} pawl__usage;

enum {
        PAWL__USAGE_MAX = 63,
        PAWL__SURE_NAME = 4, /**< names: from here on, a person's */
        PAWL__ENOUGH = 8     /**< places of a word that tell what it is; more would tell the same */
};

static inline unsigned pawl__usage_sum(unsigned a, unsigned b)
{
        return a + b > PAWL__USAGE_MAX ? PAWL__USAGE_MAX : a + b;
}

static inline void pawl__usage_join(pawl__usage *to, const pawl__usage *from)
{
        to->nouns = pawl__usage_sum(to->nouns, from->nouns) & PAWL__USAGE_MAX;
        to->heads = pawl__usage_sum(to->heads, from->heads) & PAWL__USAGE_MAX;
        to->verbs = pawl__usage_sum(to->verbs, from->verbs) & PAWL__USAGE_MAX;
        to->joins = pawl__usage_sum(to->joins, from->joins) & PAWL__USAGE_MAX;
        to->names = pawl__usage_sum(to->names, from->names) & PAWL__USAGE_MAX;
}

static inline bool pawl__role_determines(pawl__role role)
{
        return role == PAWL__DETERMINER;
}

/** Is a noun behind it? */
static inline bool pawl__role_before_noun(pawl__role role)
{
        return role >= PAWL__DETERMINER && role <= PAWL__OF;
}

/** A word that may be a noun is before one of role @p role, behind one of role @p before. */
void pawl__usage_before(pawl__usage *usage, pawl__role before, pawl__role role, pawl_text word);

/** A word that may be a noun is behind one of this role. */
void pawl__usage_behind(pawl__usage *usage, pawl__role role, pawl_text word);

/** The role of an ordinary word, folded. */
pawl__role pawl__role_of(pawl_text word);

/** Does a word that is used like this, @p count times, name a thing? @p lower: it was written in
 *  small letters, too. */
bool pawl__usage_is_noun(const pawl__usage *usage, pawl_text word, uint32_t count, bool lower);

/** Does the word end in -ing, as what is done does? A preposition before it is no sign of a noun.
 */
static inline bool pawl__is_gerund(pawl_text word)
{
        return word.len > 5 && memcmp(word.data + word.len - 3, "ing", 3) == 0;
}

/** A word with a capital at [start, end): how sure its place makes it the name of a person who
 * speaks here; *byline: the rest of the line names people. */
unsigned pawl__speaker(bool *byline, pawl_text text, size_t start, size_t end);

/** Does an acronym at [start, end) stand alone: not as a number's unit, a ticket's key, a shell's
 *  variable, or one word of several in capitals? */
bool pawl__acronym_alone(pawl_text text, size_t start, size_t end);

/** Is what begins at @p start a flag of a command (--dry-run), a handle (@some-body), or a channel
 *  (#some-channel)? */
bool pawl__is_marked(pawl_text text, size_t start);

/** Digits alone? */
bool pawl__is_number(pawl_text word);

/** A letter or a digit, or a byte of a character beyond ASCII? */
static inline bool pawl__joins_word(char byte)
{
        const unsigned char c = (unsigned char)byte;

        return c >= 0x80 || (pawl__ascii_class[c] & (PAWL__LETTER | PAWL__DIGIT));
}

/** Is the word at [start, end) a part of something that no white space divides: a path, a file's
 *  name, an address, words with hyphens? */
static inline bool pawl__is_glued(pawl_text text, size_t start, size_t end)
{
        const char before = start > 0 ? text.data[start - 1] : ' ';
        const char after = end < text.len ? text.data[end] : ' ';

        if (before == ' ' && after == ' ')
                return false;
        if (before == '/' || before == '\\' || before == '@' || before == '$' || after == '/' ||
                after == '\\' || after == '@' || after == '=')
                return true;
        if ((before == '.' || before == '-') && start > 1 && pawl__joins_word(text.data[start - 2]))
                return true;
        return (after == '.' || after == '-') && end + 1 < text.len &&
               pawl__joins_word(text.data[end + 1]);
}

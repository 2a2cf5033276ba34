#include "glossary/casing.h"
#include "base/unicode.h"

/* The class of a character. */
enum kind { NONE, UPPER, LOWER, DIGIT, UNDERSCORE, FOREIGN, KINDS };

static enum kind kind_of(uint32_t character)
{
        unsigned class = pawl__unicode_class(character);

        if (character == '_')
                return UNDERSCORE;
        if (class & PAWL__UPPER)
                return UPPER;
        if (class & PAWL__LOWER)
                return LOWER;
        return class & PAWL__DIGIT ? DIGIT : FOREIGN;
}

/* The next character that is no mark, and how far it reaches with its marks. NONE at the end. */
static enum kind next_kind(pawl_text word, size_t *at, uint32_t *character)
{
        while (*at < word.len) {
                *at += pawl__unicode_decode(character, word.data + *at, word.len - *at);
                if (!(pawl__unicode_class(*character) & PAWL__MARK))
                        return kind_of(*character);
        }
        return NONE;
}

/* What one reading of a word counts. */
struct shape {
        size_t count[KINDS];
        enum kind first, last;
        size_t humps;        /* parts that begin with a capital */
        bool even;           /* underscores are single, between other characters */
        bool plural_acronym; /* two capitals or more, and then a lone s */
};

/* A hump begins at a capital that follows another kind, and at the last of a run of capitals when
 * a small letter comes after it: HTTP|Server. */
static bool begins_hump(enum kind before, enum kind kind, enum kind after)
{
        return kind == UPPER && (before != UPPER || after == LOWER);
}

static struct shape shape_of(pawl_text word)
{
        struct shape shape = {{0}, NONE, NONE, 0, true, false};
        uint32_t character = 0, next_character = 0;
        size_t at = 0, capitals = 0;
        enum kind before = NONE, kind = next_kind(word, &at, &character);

        shape.first = kind;
        while (kind != NONE) {
                enum kind after = next_kind(word, &at, &next_character);
                shape.count[kind]++;
                shape.humps += begins_hump(before, kind, after);
                if (kind == UNDERSCORE && (before == NONE || before == UNDERSCORE || after == NONE))
                        shape.even = false;
                if (after == NONE)
                        shape.plural_acronym = character == 's' && capitals >= 2 &&
                                               shape.count[UPPER] == capitals &&
                                               shape.count[LOWER] == 1;
                capitals = kind == UPPER ? capitals + 1 : 0;
                shape.last = before = kind;
                character = next_character;
                kind = after;
        }
        return shape;
}

static bool is_snake(const struct shape *shape)
{
        const size_t *count = shape->count;

        return shape->even && count[UNDERSCORE] && !(count[UPPER] && count[LOWER]) &&
               (shape->first == UPPER || shape->first == LOWER);
}

static bool is_camel_or_pascal(const struct shape *shape)
{
        if (shape->count[UNDERSCORE] || !shape->count[UPPER] || !shape->count[LOWER])
                return false;
        if (shape->first == LOWER)
                return true;
        return shape->first == UPPER && shape->humps >= 2 && !shape->plural_acronym;
}

unsigned pawl__casing(pawl_text word)
{
        const struct shape shape = shape_of(word);
        const size_t *count = shape.count;
        unsigned bits = 0;

        if (count[FOREIGN])
                return 0;
        if (count[UPPER] >= 2 && count[UPPER] <= 5 &&
                !(count[LOWER] || count[DIGIT] || count[UNDERSCORE]))
                bits |= PAWL__IS_ACRONYM;
        if (count[UPPER] >= 2 && !count[LOWER])
                bits |= PAWL__IS_CAPITALS;
        if (shape.plural_acronym)
                bits |= PAWL__IS_PLURAL_ACRONYM;
        if (is_snake(&shape) || is_camel_or_pascal(&shape))
                bits |= PAWL__IS_PATTERN;
        if (!count[UPPER] && !count[UNDERSCORE])
                bits |= PAWL__IS_SEGMENT;
        if (shape.first == LOWER)
                bits |= PAWL__STARTS_LOWER;
        return bits;
}

/* Patterns as chains of parts, and the places in them that a text leads to (workspace/scan/glob.h).
 */
#include "workspace/scan/glob.h"
#include <stdlib.h>

typedef enum part_kind {
        ONE_BYTE,    /* this one */
        ONE_OF_SET,  /* one of a bracket */
        ONE_ANY,     /* any but '/' */
        MANY_NAME,   /* any number of any but '/' */
        MANY_ANY,    /* any number of any */
        DIRECTORIES, /* nothing, or what INSIDE, the next part, takes */
        INSIDE       /* any number of any, and a '/' */
} part_kind;

struct pawl__glob_part {
        unsigned char kind, byte;
        unsigned short set;
};

/* ---- Brackets -------------------------------------------------------------------------------- */

/* The classes of POSIX, of ASCII: pairs of a first and a last byte. No name has a NUL. */
static const struct {
        const char *name, *ranges;
} classes[] = {{"alnum", "09AZaz"}, {"alpha", "AZaz"}, {"blank", "\t\t  "},
        {"cntrl", "\001\037\177\177"}, {"digit", "09"}, {"graph", "!~"}, {"lower", "az"},
        {"print", " ~"}, {"punct", "!/:@[`{~"}, {"space", "\t\n\r\r  "}, /* what git calls so */
        {"upper", "AZ"}, {"xdigit", "09AFaf"}};

static void put_range(unsigned char set[32], unsigned first, unsigned last)
{
        for (unsigned c = first; c <= last; c++)
                set[c / 8] |= (unsigned char)(1U << c % 8);
}

/* The small letters of the capitals that are in a set: what is matched is in small letters. */
static void fold_capitals(unsigned char set[32])
{
        for (unsigned c = 'A'; c <= 'Z'; c++)
                if (set[c / 8] >> c % 8 & 1)
                        put_range(set, c - 'A' + 'a', c - 'A' + 'a');
}

/* "[:name:]" at p.data[at]: puts the class in, and *at is the ']' that ends it. False: malformed.
 * Where no ":]" follows, the '[' stands for itself, and *at stays. */
static bool take_class(unsigned char set[32], pawl_text p, size_t *at, bool *is_class)
{
        size_t end = *at + 2;

        while (end < p.len && p.data[end] != ']')
                end++;
        if (end == p.len)
                return false;
        *is_class = end > *at + 2 && p.data[end - 1] == ':';
        if (!*is_class) {
                put_range(set, '[', '[');
                return true;
        }
        const pawl_text name = {p.data + *at + 2, end - *at - 3};
        const char *ranges = NULL;
        for (size_t i = 0; i < sizeof classes / sizeof classes[0] && !ranges; i++)
                if (pawl__text_is(name, classes[i].name))
                        ranges = classes[i].ranges;
        for (const char *r = ranges; r && *r; r += 2)
                put_range(set, (unsigned char)r[0], (unsigned char)r[1]);
        *at = end;
        return ranges != NULL;
}

/* The byte at p.data[*at], or the one that a backslash there is before. False: it ends. */
static bool take_escaped(unsigned *byte, pawl_text p, size_t *at)
{
        if (*at < p.len && p.data[*at] == '\\')
                ++*at;
        if (*at >= p.len)
                return false;
        *byte = (unsigned char)p.data[*at];
        return true;
}

/* The bracket whose '[' is at p.data[*at]; *at is its ']' afterwards. False: malformed. */
static bool take_bracket(unsigned char set[32], pawl_text p, size_t *at, bool fold)
{
        unsigned char single[32] = {0};           /* what is named alone, which git does not fold */
        bool negated = false, before_set = false; /* may a range begin with the byte before? */
        unsigned before = 0, byte;
        size_t i = *at + 1;

        memset(set, 0, 32);
        if (i < p.len && (p.data[i] == '!' || p.data[i] == '^')) {
                negated = true;
                i++;
        }
        for (bool first = true; first || i >= p.len || p.data[i] != ']'; first = false, i++) {
                bool is_class = false;
                if (i >= p.len)
                        return false;
                if (p.data[i] == '-' && before_set && i + 1 < p.len && p.data[i + 1] != ']') {
                        i++;
                        if (!take_escaped(&byte, p, &i))
                                return false;
                        put_range(set, before, byte);
                        before_set = false;
                        continue;
                }
                if (p.data[i] == '[' && i + 1 < p.len && p.data[i + 1] == ':') {
                        if (!take_class(set, p, &i, &is_class))
                                return false;
                        before = '[';
                        before_set = !is_class;
                        continue;
                }
                if (!take_escaped(&byte, p, &i))
                        return false;
                put_range(single, byte, byte);
                before = byte;
                before_set = true;
        }
        if (fold)
                fold_capitals(set);
        for (size_t k = 0; k < 32; k++) {
                set[k] |= single[k];
                if (negated)
                        set[k] = (unsigned char)~set[k];
        }
        set['/' / 8] &= (unsigned char)~(1U << '/' % 8);
        *at = i;
        return true;
}

/* ---- Compiling ------------------------------------------------------------------------------- */

size_t pawl__glob_plain(pawl_text pattern)
{
        size_t n = 0;

        while (n < pattern.len && !strchr("*?[\\", pattern.data[n]))
                n++;
        return n;
}

static void add_part(pawl__glob *glob, part_kind kind, unsigned byte, size_t set)
{
        glob->parts[glob->n++] =
                (pawl__glob_part){(unsigned char)kind, (unsigned char)byte, (unsigned short)set};
}

/* The stars that begin at p.data[at]; returns where they, and a '/' that belongs to them, end. */
static size_t take_stars(pawl__glob *glob, pawl_text p, size_t at)
{
        size_t end = at;

        while (end < p.len && p.data[end] == '*')
                end++;
        const bool slash = end < p.len && p.data[end] == '/';
        const bool escaped = end + 1 < p.len && p.data[end] == '\\' && p.data[end + 1] == '/';
        if (end - at < 2 || (at > 0 && p.data[at - 1] != '/') ||
                !(end == p.len || slash || escaped)) {
                add_part(glob, MANY_NAME, 0, 0);
                return end;
        }
        if (!slash) {
                add_part(glob, MANY_ANY, 0, 0);
                return end;
        }
        add_part(glob, DIRECTORIES, 0, 0);
        add_part(glob, INSIDE, 0, 0);
        return end + 1;
}

static unsigned folded(const pawl__glob *glob, char c)
{
        return (unsigned char)(glob->fold ? pawl__glob_small(c) : c);
}

/* False: malformed. */
static bool take_parts(pawl__glob *glob, pawl_text p)
{
        unsigned byte;

        for (size_t at = 0; at < p.len; at++) {
                switch (p.data[at]) {
                case '*':
                        at = take_stars(glob, p, at) - 1;
                        break;
                case '?':
                        add_part(glob, ONE_ANY, 0, 0);
                        break;
                case '[':
                        if (!take_bracket(glob->sets[glob->n_sets], p, &at, glob->fold))
                                return false;
                        add_part(glob, ONE_OF_SET, 0, glob->n_sets++);
                        break;
                case '\\':
                        if (!take_escaped(&byte, p, &at))
                                return false;
                        add_part(glob, ONE_BYTE, byte, 0);
                        break;
                default:
                        add_part(glob, ONE_BYTE, folded(glob, p.data[at]), 0);
                }
        }
        return true;
}

static size_t row_words(const pawl__glob *glob)
{
        return (glob->n + 1 + 63) / 64;
}

pawl_status pawl__glob_compile(pawl__glob *out, pawl_text pattern, bool fold)
{
        pawl__glob glob = {NULL, 0, NULL, 0, NULL, false, fold};
        size_t brackets = 0;

        for (size_t i = 0; i < pattern.len; i++)
                brackets += pattern.data[i] == '[';
        /* "**" and a '/' are three bytes and two parts: there are never more parts than bytes. */
        glob.parts = malloc((pattern.len + 1) * sizeof *glob.parts);
        glob.sets = malloc((brackets + 1) * sizeof *glob.sets);
        if (!glob.parts || !glob.sets)
                goto failed;
        glob.never = brackets > UINT16_MAX || !take_parts(&glob, pattern);
        glob.places = malloc(2 * row_words(&glob) * sizeof *glob.places);
        if (!glob.places)
                goto failed;
        *out = glob;
        return PAWL_OK;
failed:
        pawl__glob_free(&glob);
        return PAWL_ENOMEM;
}

void pawl__glob_free(pawl__glob *glob)
{
        free(glob->parts);
        free(glob->sets);
        free(glob->places);
        *glob = (pawl__glob){NULL, 0, NULL, 0, NULL, false, false};
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* The place at part i, and those that are reached from it with nothing. */
static void reach(const pawl__glob *glob, uint64_t *row, size_t i)
{
        for (;;) {
                row[i / 64] |= (uint64_t)1 << i % 64;
                if (i == glob->n)
                        return;
                switch (glob->parts[i].kind) {
                case DIRECTORIES:
                        row[(i + 1) / 64] |= (uint64_t)1 << (i + 1) % 64;
                        i += 2;
                        break;
                case MANY_NAME:
                case MANY_ANY:
                        i++;
                        break;
                default:
                        return;
                }
        }
}

/* What the byte c leads to from part i. */
static void step(const pawl__glob *glob, uint64_t *row, size_t i, unsigned c)
{
        const pawl__glob_part *part = &glob->parts[i];

        switch (part->kind) {
        case ONE_BYTE:
                if (c == part->byte)
                        reach(glob, row, i + 1);
                break;
        case ONE_OF_SET:
                if (glob->sets[part->set][c / 8] >> c % 8 & 1)
                        reach(glob, row, i + 1);
                break;
        case ONE_ANY:
                if (c != '/')
                        reach(glob, row, i + 1);
                break;
        case MANY_NAME:
                if (c != '/')
                        reach(glob, row, i);
                break;
        case MANY_ANY:
                reach(glob, row, i);
                break;
        case INSIDE:
                row[i / 64] |= (uint64_t)1 << i % 64;
                if (c == '/')
                        reach(glob, row, i + 1);
                break;
        default: /* DIRECTORIES has nothing of its own: reach() went on from there */
                break;
        }
}

bool pawl__glob_match(pawl__glob *glob, pawl_text text)
{
        const size_t words = row_words(glob);
        uint64_t *now = glob->places, *next = now + words;

        if (glob->never)
                return false;
        memset(now, 0, words * sizeof *now);
        reach(glob, now, 0);
        for (size_t t = 0; t < text.len; t++) {
                const unsigned c = folded(glob, text.data[t]);
                uint64_t any = 0;
                memset(next, 0, words * sizeof *next);
                for (size_t w = 0; w < words; w++)
                        for (uint64_t bits = now[w]; bits; bits &= bits - 1) {
                                const size_t i = w * 64 + (size_t)__builtin_ctzll(bits);
                                if (i < glob->n)
                                        step(glob, next, i, c);
                        }
                for (size_t w = 0; w < words; w++)
                        any |= next[w];
                if (!any)
                        return false;
                uint64_t *swap = now;
                now = next;
                next = swap;
        }
        return now[glob->n / 64] >> glob->n % 64 & 1;
}

/* The rules are those of school grammars, with the Latin and Greek plurals that dictionaries list:
 * a suffix and what takes its place. */
#include "glossary/plural.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static bool ends(pawl_text word, const char *suffix)
{
        const size_t n = strlen(suffix);

        return word.len >= n && memcmp(word.data + word.len - n, suffix, n) == 0;
}

/* The word without its last @p cut bytes, and a suffix. */
static void form(pawl__buf *out, pawl_text word, size_t cut, const char *suffix)
{
        pawl__buf_add(out, word.data, word.len - cut);
        pawl__buf_adds(out, suffix);
        pawl__buf_addc(out, '\0');
}

static bool is_vowel(char c)
{
        return c && strchr("aeiou", c) != NULL;
}

/* The same of a suffix whose length is known; most words end in another letter. */
static inline bool ends_in(pawl_text word, const char *suffix, size_t n)
{
        return word.len >= n && word.data[word.len - 1] == suffix[n - 1] &&
               memcmp(word.data + word.len - n, suffix, n) == 0;
}

#define BOTH(singular, plural) singular, plural, sizeof(singular) - 1, sizeof(plural) - 1

/* Nouns, also as the end of a longer one, whose plural follows no rule. */
static const struct {
        const char *singular, *plural;
        unsigned char singular_len, plural_len; /* their bytes */
} irregular[] = {
        {BOTH("foot", "feet")},
        {BOTH("tooth", "teeth")},
        {BOTH("goose", "geese")},
        {BOTH("mouse", "mice")},
        {BOTH("louse", "lice")},
        {BOTH("child", "children")},
        {BOTH("ox", "oxen")},
        {BOTH("calf", "calves")},
        {BOTH("half", "halves")},
        {BOTH("elf", "elves")},
        {BOTH("hoof", "hooves")},
        {BOTH("knife", "knives")},
        {BOTH("leaf", "leaves")},
        {BOTH("life", "lives")},
        {BOTH("loaf", "loaves")},
        {BOTH("scarf", "scarves")},
        {BOTH("sheaf", "sheaves")},
        {BOTH("thief", "thieves")},
        {BOTH("wife", "wives")},
        {BOTH("wolf", "wolves")},
        {BOTH("dwarf", "dwarves")},
        {BOTH("wharf", "wharves")},
        {BOTH("man", "men")},
        {BOTH("criterion", "criteria")},
        {BOTH("phenomenon", "phenomena")},
        {BOTH("automaton", "automata")},
        {BOTH("hedron", "hedra")},
        {BOTH("ganglion", "ganglia")},
        {BOTH("mitochondrion", "mitochondria")},
        {BOTH("genus", "genera")},
        {BOTH("corpus", "corpora")},
        {BOTH("quiz", "quizzes")},
        {BOTH("whiz", "whizzes")},
};

/* Endings of a singular beside the regular ones, of words of so many letters or more. */
static const struct {
        const char *singular, *plural;
        unsigned char singular_len, plural_len, least;
} endings[] = {
        {BOTH("is", "es"), 4},    /* analysis */
        {BOTH("ex", "ices"), 5},  /* index */
        {BOTH("ix", "ices"), 5},  /* matrix */
        {BOTH("us", "i"), 5},     /* radius */
        {BOTH("um", "a"), 5},     /* datum */
        {BOTH("a", "ae"), 4},     /* formula */
        {BOTH("ma", "mata"), 5},  /* schema */
        {BOTH("eau", "eaux"), 5}, /* plateau */
        {BOTH("z", "zzes"), 4},   /* fez */
        {BOTH("o", "oes"), 4},    /* hero */
};

static bool takes_es(pawl_text word)
{
        return ends(word, "s") || ends(word, "x") || ends(word, "z") || ends(word, "ch") ||
               ends(word, "sh");
}

void pawl__plurals(pawl__buf *out, pawl_text word)
{
        const char before = word.len > 1 ? word.data[word.len - 2] : '\0';

        if (word.len == 0)
                return;
        if (takes_es(word))
                form(out, word, 0, "es");
        if (!takes_es(word) || ends(word, "ch") || ends(word, "z")) /* epochs */
                form(out, word, 0, "s");
        if (ends(word, "y") && (!is_vowel(before) || ends(word, "quy")))
                form(out, word, 1, "ies");
        for (size_t i = 0; i < COUNT(irregular); i++)
                if (ends_in(word, irregular[i].singular, irregular[i].singular_len))
                        form(out, word, irregular[i].singular_len, irregular[i].plural);
        for (size_t i = 0; i < COUNT(endings); i++)
                if (word.len >= endings[i].least &&
                        ends_in(word, endings[i].singular, endings[i].singular_len))
                        form(out, word, endings[i].singular_len, endings[i].plural);
}

/* Nouns whose last s is no plural's, though without it they are a word of another meaning. */
static bool is_no_plural(pawl_text word)
{
        static const char *const nouns[] = {"news", "goods", "means", "lens", "customs"};

        return pawl__text_index(word, nouns, COUNT(nouns)) < COUNT(nouns);
}

void pawl__singulars(pawl__buf *out, pawl_text word)
{
        const bool long_enough = word.len >= 4;

        if (is_no_plural(word))
                return;
        if (long_enough && ends(word, "ies"))
                form(out, word, 3, "y");
        if (long_enough && ends(word, "s") && !ends(word, "ss"))
                form(out, word, 1, "");
        if (long_enough && ends(word, "es") && takes_es(pawl__text_n(word.data, word.len - 2)))
                form(out, word, 2, "");
        for (size_t i = 0; i < COUNT(irregular); i++)
                if (ends_in(word, irregular[i].plural, irregular[i].plural_len))
                        form(out, word, irregular[i].plural_len, irregular[i].singular);
        for (size_t i = 0; i < COUNT(endings); i++)
                if (ends_in(word, endings[i].plural, endings[i].plural_len) &&
                        word.len - endings[i].plural_len + endings[i].singular_len >=
                                endings[i].least)
                        form(out, word, endings[i].plural_len, endings[i].singular);
}

/* ---- What is safe to cut --------------------------------------------------------------------- */

/* What words end in whose singular ends in `ie`, and in `che`. */
static const char *const in_ie[] = {"cookie", "movie", "calorie", "zombie", "rookie", "brownie",
        "genie", "hoodie", "selfie", "prairie", "pixie", "sortie", "smoothie", "newbie", "freebie",
        "specie", "serie", "goalie", "eerie", "lingerie", "reverie", "menagerie", "boogie",
        "budgie"};
static const char *const in_che[] = {"cache", "ache", "niche", "creche", "cliche", "avalanche",
        "psyche", "quiche", "apache", "tranche", "axe"};
/* And words in `s` that take `es`, of those whose ending has mostly an e of its own. */
static const char *const in_s[] = {"alia", "bia", "canva", "atla", "ga", "christma", "len"};
/* And words in `use`, of those whose ending is mostly `us` and `es`. */
static const char *const in_use[] = {
        "ause", "ouse", "fuse", "muse", "ruse", "cuse", "recluse", "abuse", "reuse"};

static bool ends_any(pawl_text word, const char *const *list, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (ends(word, list[i]))
                        return true;
        return false;
}

/* Of a word in `es`: how many letters are the plural's? */
static size_t plural_letters(pawl_text word)
{
        const pawl_text one = pawl__text_n(word.data, word.len - 1);
        const pawl_text two = pawl__text_n(word.data, word.len - 2);

        if (ends(word, "sses") || ends(word, "shes") || ends(word, "zzes") || ends(word, "tzes"))
                return 2;
        if (ends(word, "ches") || ends(word, "xes"))
                return ends_any(one, in_che, COUNT(in_che)) ? 1 : 2;
        if (ends(word, "uses"))
                return word.len == 4 || ends_any(one, in_use, COUNT(in_use)) ? 1 : 2;
        if (ends(word, "ses"))
                return ends_any(pawl__text_n(two.data, two.len - 1), in_s, COUNT(in_s)) &&
                                       !ends(word, "bases") && !ends(word, "leases")
                               ? 2
                               : 1;
        return 1;
}

/* Characters, as far as they matter here: up to four. */
static size_t count_characters(const char *word, size_t len)
{
        size_t n = 0;

        for (size_t i = 0; i < len && n < 4; i++)
                n += ((unsigned char)word[i] & 0xc0) != 0x80;
        return n;
}

size_t pawl__singular(char *word, size_t len)
{
        const pawl_text text = pawl__text_n(word, len);

        if (len < 4 || word[len - 1] != 's' || memchr("suaio", word[len - 2], 5) ||
                count_characters(word, len) <= 3)
                return len;
        if (word[len - 2] != 'e')
                return is_no_plural(text) ? len : len - 1;
        if (word[len - 3] != 'i')
                return len - plural_letters(text);
        if (ends(text, "series") || ends(text, "species"))
                return len;
        if (len == 4 || ends_any(pawl__text_n(word, len - 1), in_ie, COUNT(in_ie)))
                return len - 1;
        word[len - 3] = 'y';
        return len - 2;
}

/* Lists of words: glossary/{ordinary,stress}_words.txt, verbs.txt and adjectives.txt, which name
 * their sources. */
#include "adjectives.h"
#include "glossary/normal.h"
#include "nouns.h"
#include "ordinary_words.h"
#include "stress_words.h"
#include "verbs.h"
#include <stdlib.h>

enum { LONGEST = sizeof ordinary_words[0] - 1 }; /* letters of a word */

static int compare(const void *key, const void *element)
{
        return memcmp(key, element, LONGEST);
}

static bool is_in(pawl_text word, const char (*words)[LONGEST + 1], size_t n)
{
        char key[LONGEST] = {0};

        if (word.len == 0 || word.len > LONGEST || memchr(word.data, '\0', word.len))
                return false;
        memcpy(key, word.data, word.len);
        return bsearch(key, words, n, sizeof *words, compare) != NULL;
}

bool pawl__common_word(pawl_text word)
{
        return is_in(word, ordinary_words, sizeof ordinary_words / sizeof *ordinary_words);
}

bool pawl__stress_word(pawl_text word)
{
        return pawl__common_word(word) || pawl__verb(word) || pawl__adjective(word) ||
               is_in(word, stress_words, sizeof stress_words / sizeof *stress_words);
}

bool pawl__verb(pawl_text word)
{
        return is_in(word, verbs, sizeof verbs / sizeof *verbs);
}

bool pawl__adjective(pawl_text word)
{
        return is_in(word, adjectives, sizeof adjectives / sizeof *adjectives);
}

bool pawl__noun(pawl_text word)
{
        return is_in(word, nouns, sizeof nouns / sizeof *nouns);
}

/* Lists of words: glossary/{ordinary,stress}_words.txt, verbs.txt and adjectives.txt, which name
 * their sources. */
#include "adjectives.h"
#include "glossary/normal.h"
#include "nouns.h"
#include "ordinary_words.h"
#include "stress_words.h"
#include "verbs.h"
#include <endian.h>
#include <string.h>

enum { LONGEST = sizeof ordinary_words[0] - 1 }; /* letters of a word */

/* A word's first eight bytes as a number that sorts as they do. */
static inline uint64_t head_of(const char *word)
{
        uint64_t head;

        memcpy(&head, word, sizeof head);
        return be64toh(head);
}

/* A binary search that looks at heads first: the time of a new word in a text is mostly this. */
static bool is_in(pawl_text word, const char (*words)[LONGEST + 1], size_t n)
{
        char key[LONGEST] = {0};

        if (word.len == 0 || word.len > LONGEST || memchr(word.data, '\0', word.len))
                return false;
        memcpy(key, word.data, word.len);
        const uint64_t head = head_of(key);
        for (size_t low = 0, high = n; low < high;) {
                const size_t middle = low + (high - low) / 2;
                const uint64_t other = head_of(words[middle]);
                const int order =
                        head != other ? head < other ? -1 : 1 : memcmp(key, words[middle], LONGEST);
                if (order == 0)
                        return true;
                if (order < 0)
                        high = middle;
                else
                        low = middle + 1;
        }
        return false;
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

/* The hundred most common lemmas of English by the Oxford English Corpus, each with its forms: the
 * list is a fact, so the forms are what a grammar says of each word. Forms that only add an s are
 * found by their singular and stand here where their s stays. */
#include "glossary/normal.h"
#include <stdlib.h>

enum { LONGEST = 8 }; /* letters of a word */

/* In byte order. */
static const char words[][LONGEST + 1] = {"a", "about", "after", "all", "also", "am", "an", "and",
        "any", "are", "as", "at", "back", "be", "because", "been", "being", "best", "better", "but",
        "by", "came", "can", "come", "comes", "coming", "could", "day", "days", "did", "do", "does",
        "doing", "done", "even", "first", "for", "from", "gave", "get", "gets", "getting", "give",
        "given", "gives", "giving", "go", "goes", "going", "gone", "good", "got", "gotten", "had",
        "has", "have", "having", "he", "her", "hers", "him", "his", "how", "i", "if", "in", "into",
        "is", "it", "its", "just", "knew", "know", "knowing", "known", "knows", "like", "liked",
        "likes", "look", "looked", "looking", "looks", "made", "make", "makes", "making", "me",
        "mine", "most", "my", "new", "newer", "newest", "no", "not", "now", "of", "on", "one",
        "ones", "only", "or", "other", "others", "our", "ours", "out", "over", "people", "said",
        "saw", "say", "saying", "says", "see", "seeing", "seen", "sees", "she", "so", "some",
        "take", "taken", "takes", "taking", "than", "that", "the", "their", "theirs", "them",
        "then", "there", "these", "they", "think", "thinking", "thinks", "this", "those", "thought",
        "time", "times", "to", "took", "two", "up", "us", "use", "used", "uses", "using", "want",
        "wanted", "wanting", "wants", "was", "way", "ways", "we", "well", "went", "were", "what",
        "when", "which", "who", "whom", "whose", "will", "with", "work", "worked", "working",
        "works", "would", "year", "years", "you", "your", "yours"};

static int compare(const void *key, const void *element)
{
        return memcmp(key, element, LONGEST);
}

bool pawl__common_word(pawl_text word)
{
        char key[LONGEST] = {0};

        if (word.len == 0 || word.len > LONGEST || memchr(word.data, '\0', word.len))
                return false;
        memcpy(key, word.data, word.len);
        return bsearch(key, words, sizeof words / sizeof words[0], sizeof words[0], compare) !=
               NULL;
}

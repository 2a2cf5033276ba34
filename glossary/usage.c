#include "glossary/usage.h"
#include "glossary/normal.h"
#include "glossary/tokens.h"
#include <stdlib.h>

enum {
        ADJECTIVES = 4,  /* all but one of so many places are where an adjective is */
        GERUNDS = 3,     /* of so many places one at least tells that it is no noun */
        RARE = 3,        /* the same of other words */
        VERBS = 3,       /* so many places of a verb count as one of a noun */
        ACRONYM_MAX = 5, /* letters */
        TICKET = 4       /* digits of a ticket's number: SHOP-1234, and not SHA-256 */
};

/* ---- Roles ----------------------------------------------------------------------------------- */

static const struct role_row {
        char word[10];
        unsigned char role;
} roles[] = {
        /* In byte order. "that", "her" and "so" have more than one role, and so none. */
        {"a", PAWL__DETERMINER},
        {"all", PAWL__DETERMINER},
        {"an", PAWL__DETERMINER},
        {"any", PAWL__DETERMINER},
        {"are", PAWL__BE},
        {"argued", PAWL__SPEAKS},
        {"argues", PAWL__SPEAKS},
        {"ask", PAWL__GREETS},
        {"asked", PAWL__GREETS},
        {"asking", PAWL__GREETS},
        {"asks", PAWL__SPEAKS},
        {"at", PAWL__PREPOSITION},
        {"be", PAWL__BE},
        {"been", PAWL__BE},
        {"being", PAWL__BE},
        {"believes", PAWL__SPEAKS},
        {"between", PAWL__PREPOSITION},
        {"by", PAWL__PREPOSITION},
        {"can", PAWL__MODAL},
        {"cannot", PAWL__MODAL},
        {"could", PAWL__MODAL},
        {"dear", PAWL__GREETS},
        {"each", PAWL__DETERMINER},
        {"every", PAWL__DETERMINER},
        {"for", PAWL__PREPOSITION},
        {"from", PAWL__PREPOSITION},
        {"had", PAWL__HAS},
        {"has", PAWL__HAS},
        {"his", PAWL__DETERMINER},
        {"i", PAWL__SUBJECT},
        {"if", PAWL__OBJECT},
        {"in", PAWL__PREPOSITION},
        {"into", PAWL__PREPOSITION},
        {"is", PAWL__BE},
        {"it", PAWL__OBJECT},
        {"its", PAWL__DETERMINER},
        {"let", PAWL__SUBJECT},
        {"may", PAWL__MODAL},
        {"might", PAWL__MODAL},
        {"must", PAWL__MODAL},
        {"my", PAWL__DETERMINER},
        {"no", PAWL__DETERMINER},
        {"not", PAWL__SUBJECT},
        {"of", PAWL__OF},
        {"our", PAWL__DETERMINER},
        {"per", PAWL__DETERMINER},
        {"please", PAWL__SUBJECT},
        {"said", PAWL__SPEAKS},
        {"says", PAWL__SPEAKS},
        {"shall", PAWL__MODAL},
        {"should", PAWL__MODAL},
        {"suggests", PAWL__SPEAKS},
        {"tell", PAWL__GREETS},
        {"thank", PAWL__GREETS},
        {"thanks", PAWL__GREETS},
        {"the", PAWL__DETERMINER},
        {"their", PAWL__DETERMINER},
        {"them", PAWL__OBJECT},
        {"these", PAWL__DETERMINER},
        {"they", PAWL__SUBJECT},
        {"thinks", PAWL__SPEAKS},
        {"this", PAWL__DETERMINER},
        {"those", PAWL__DETERMINER},
        {"told", PAWL__GREETS},
        {"us", PAWL__OBJECT},
        {"was", PAWL__BE},
        {"we", PAWL__SUBJECT},
        {"were", PAWL__BE},
        {"whether", PAWL__OBJECT},
        {"who", PAWL__SUBJECT},
        {"will", PAWL__MODAL},
        {"with", PAWL__PREPOSITION},
        {"without", PAWL__PREPOSITION},
        {"would", PAWL__MODAL},
        {"wrote", PAWL__SPEAKS},
        {"you", PAWL__SUBJECT},
        {"your", PAWL__DETERMINER},
};

static int compare_row(const void *key, const void *element)
{
        return strcmp(key, ((const struct role_row *)element)->word);
}

pawl__role pawl__role_of(pawl_text word)
{
        char key[sizeof roles->word] = {0};

        if (word.len >= sizeof key || memchr(word.data, '\0', word.len))
                return PAWL__NO_ROLE;
        memcpy(key, word.data, word.len);
        const struct role_row *row =
                bsearch(key, roles, sizeof roles / sizeof *roles, sizeof *roles, compare_row);
        return row ? (pawl__role)row->role : PAWL__NO_ROLE;
}

void pawl__usage_before(pawl__usage *usage, pawl__role before, pawl__role role, pawl_text word)
{
        if (role >= PAWL__OF && role <= PAWL__MODAL)
                usage->heads = pawl__usage_sum(usage->heads, 1) & PAWL__USAGE_MAX;
        else if (role == PAWL__SPEAKS)
                usage->names = pawl__usage_sum(usage->names, PAWL__SURE_NAME / 2) & PAWL__USAGE_MAX;
        else if ((pawl__role_determines(role) || role == PAWL__OBJECT) &&
                 (!pawl__role_before_noun(before) || pawl__is_gerund(word)))
                usage->verbs = pawl__usage_sum(usage->verbs, 1) & PAWL__USAGE_MAX;
}

void pawl__usage_behind(pawl__usage *usage, pawl__role role, pawl_text word)
{
        if (pawl__role_before_noun(role))
                usage->nouns = pawl__usage_sum(usage->nouns,
                                       !pawl__is_gerund(word) || pawl__role_determines(role)) &
                               PAWL__USAGE_MAX;
        else if (role == PAWL__MODAL || role == PAWL__SUBJECT ||
                 (role == PAWL__BE && (pawl__adjective(word) || pawl__verb(word))))
                usage->verbs = pawl__usage_sum(usage->verbs, 1) & PAWL__USAGE_MAX;
        else if (role == PAWL__GREETS)
                usage->names = pawl__usage_sum(usage->names, PAWL__SURE_NAME / 2) & PAWL__USAGE_MAX;
}

/* ---- What a word is -------------------------------------------------------------------------- */

static bool ends_in(pawl_text word, const char *end)
{
        const size_t len = strlen(end);

        return word.len > len && memcmp(word.data + word.len - len, end, len) == 0;
}

/* Adverbs, adjectives and participles of the past by what they end in, unless used as a noun. */
static bool is_modifier(pawl_text word)
{
        static const char *const adverbs[] = {
                "ab", "ant", "ed", "ent", "ib", "ical", "ing", "ive", "less", "ous", "te"};

        switch (word.data[word.len - 1]) {
        case 'd':
                return word.len >= 6 && ends_in(word, "ed") && !ends_in(word, "eed");
        case 'l':
                return ends_in(word, "ful");
        case 's':
                return ends_in(word, "less") || ends_in(word, "ous");
        case 'y':
                if (!ends_in(word, "ly"))
                        return false;
                word.len -= 2;
                for (size_t i = 0; i < sizeof adverbs / sizeof *adverbs; i++)
                        if (ends_in(word, adverbs[i]))
                                return true;
                return false;
        default:
                return false;
        }
}

/* What may be an adjective by its end, and is always where one is. */
static bool is_adjective(const pawl__usage *usage, pawl_text word, unsigned places)
{
        if (usage->heads > 0)
                return false;
        if (pawl__adjective(word) && usage->nouns <= usage->joins)
                return true;
        if (ADJECTIVES * (usage->joins + usage->verbs) < (ADJECTIVES - 1) * places)
                return false;
        return ends_in(word, "able") || ends_in(word, "al") || ends_in(word, "ible") ||
               ends_in(word, "ic") || ends_in(word, "ive");
}

bool pawl__usage_is_noun(const pawl__usage *usage, pawl_text word, uint32_t count, bool lower)
{
        const unsigned nouns = usage->nouns + usage->heads;
        const unsigned places = count < PAWL__ENOUGH ? count : PAWL__ENOUGH;

        if (usage->names >= PAWL__SURE_NAME && !lower && usage->nouns == 0)
                return false;
        if (pawl__noun(word))
                return true;
        if ((is_modifier(word) && usage->heads == 0) || is_adjective(usage, word, places))
                return false;
        if (nouns == 0 && pawl__verb(word))
                return false;
        if (pawl__is_gerund(word))
                return usage->verbs <= nouns || GERUNDS * usage->verbs < places;
        return usage->verbs < 2 || RARE * usage->verbs < places || usage->verbs <= VERBS * nouns;
}

/* ---- Who speaks ------------------------------------------------------------------------------ */

/* Keys of lines that name people. */
static bool is_byline(pawl_text key)
{
        static const char *const keys[] = {"absent", "approver", "assignee", "attendees", "author",
                "authors", "cc", "contact", "excused", "facilitator", "from", "maintainer",
                "maintainers", "owner", "owners", "participants", "present", "reporter", "reviewer",
                "reviewers", "scribe", "signed", "to"};

        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
                if (key.len == strlen(keys[i]) && strncasecmp(key.data, keys[i], key.len) == 0)
                        return true;
        return false;
}

enum { BEFORE_SPEAKER = 40 }; /* bytes of marks and of a time */

/* Is nothing but marks, and what is in brackets, between a line's start and @p at? */
static bool begins_line(pawl_text text, size_t at)
{
        bool within = false; /* brackets */

        for (size_t n = 0; at > 0 && n < BEFORE_SPEAKER; n++) {
                const char c = text.data[--at];
                if (c == '\n')
                        return !within;
                if (c == ']' || c == ')')
                        within = true;
                else if (c == '[' || c == '(')
                        within = false;
                else if (!within && !strchr(" \t*_>+-", c))
                        return false;
        }
        return at == 0 && !within;
}

unsigned pawl__speaker(bool *byline, pawl_text text, size_t start, size_t end)
{
        size_t at = end;

        while (at < text.len && (text.data[at] == '*' || text.data[at] == '_'))
                at++;
        if (at >= text.len || text.data[at] != ':' || !begins_line(text, start))
                return 0;
        *byline = is_byline(pawl__text_n(text.data + start, end - start));
        return *byline ? 0 : PAWL__SURE_NAME / 2;
}

/* ---- Acronyms -------------------------------------------------------------------------------- */

static bool is_capital(char c)
{
        return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

bool pawl__is_marked(pawl_text text, size_t start)
{
        size_t at = start;

        if (at > 0 && (text.data[at - 1] == '@' || text.data[at - 1] == '#'))
                return true;
        while (at > 0 && text.data[at - 1] == '-')
                at--;
        return at < start && (at == 0 || !pawl__joins_word(text.data[at - 1]));
}

bool pawl__is_number(pawl_text word)
{
        for (size_t i = 0; i < word.len; i++)
                if (!is_digit(word.data[i]))
                        return false;
        return true;
}

bool pawl__acronym_alone(pawl_text text, size_t start, size_t end)
{
        const char *data = text.data;
        size_t at = end, digits = 0;

        if (start > 0 && (data[start - 1] == '$' || is_digit(data[start - 1])))
                return false;
        if (start > 1 && data[start - 1] == ' ' && is_digit(data[start - 2]))
                return false;
        if (at < text.len && data[at] == '-')
                while (at + 1 + digits < text.len && is_digit(data[at + 1 + digits]))
                        digits++;
        if (digits > 1 && data[at + 1] == '0')
                return false;
        if (digits >= TICKET && !(at + 1 + digits < text.len && data[at + 1 + digits] == '-'))
                return false;
        while (at + 1 < text.len && data[end] == ' ' && is_capital(data[at + 1]))
                at++;
        if (at - end > ACRONYM_MAX)
                return false;
        for (at = start; at > 1 && data[start - 1] == ' ' && is_capital(data[at - 2]);)
                at--;
        return start - at <= ACRONYM_MAX;
}

/* Blocks of a document (a table, a paragraph, an item of a list), and the definition that each may
 * be. Each byte is looked at a few times, whatever the document. */
#include "glossary/definitions.h"
#include "glossary/normal.h"
#include "glossary/plain.h"
#include "glossary/tokens.h"

enum {
        TERM_MAX = 60, /* bytes */
        TERM_WORDS = 5,
        SUBJECT_WORDS = 4, /* of a sentence */
        CELLS = 8,
        PLAIN_MAX = 4 * PAWL__DEFINITION_MAX, /* bytes that a definition is cut from */
        BLOCK_MAX = 65536                     /* bytes of a block whose sentences are read */
};

static const char *const form_names[PAWL__DEFINITION_FORMS] = {
        "table", "definition_list", "bold", "means", "is_a", "code"};

const char *pawl__definition_form_name(pawl__definition_form form)
{
        return form_names[form];
}

typedef struct search {
        pawl_text document;
        const pawl__markups *markups;
        size_t markup; /* the next one that the search has not passed */
        pawl__buf term, text, folded;
        pawl__definition_fn fn;
        void *user;
} search;

static bool is_in(pawl_text word, const char *const *words, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (word.len == strlen(words[i]) && strncasecmp(word.data, words[i], word.len) == 0)
                        return true;
        return false;
}
#define IS_IN(word, words) is_in(word, words, sizeof(words) / sizeof(words)[0])

/* ---- What may be a term ---------------------------------------------------------------------- */

static const char *const particles[] = {"a", "about", "after", "all", "also", "an", "and",
        "another", "any", "are", "as", "at", "be", "because", "before", "but", "by", "can", "do",
        "does", "don't", "each", "every", "first", "for", "from", "he", "her", "here", "his", "how",
        "i", "if", "in", "is", "it", "its", "last", "my", "new", "next", "no", "not", "on", "only",
        "or", "other", "our", "own", "over", "same", "she", "so", "some", "such", "than", "that",
        "the", "their", "then", "there", "these", "they", "this", "those", "to", "under", "was",
        "we", "were", "whole", "what", "when", "where", "which", "while", "who", "why", "will",
        "with", "without", "you", "your"};

typedef struct subject {
        size_t words, letters;
        bool particle; /* one is among them */
        bool ordinary; /* all of them are */
        bool last_ordinary, stop, number;
} subject;

static subject subject_of(search *s, pawl_text term)
{
        pawl__tokens tokens = pawl__tokens_of(term);
        subject found = {.ordinary = true};
        pawl__token token;

        while ((token = pawl__token_next(&tokens)).kind) {
                const pawl_text text = pawl__token_text(&tokens, &token);
                if (token.kind == PAWL__TOKEN_SIGN)
                        found.stop |= text.len == 1 &&
                                      strchr(".,;:!?()[]{}<>=|*\"#%$&+@~^", *text.data) &&
                                      !(token.after_word && token.before_word);
                if (token.kind != PAWL__TOKEN_WORD)
                        continue;
                pawl__buf_clear(&s->folded);
                s->folded.failed |= pawl__fold(&s->folded, text) != PAWL_OK;
                const bool ordinary = pawl__stress_word(pawl__buf_text(&s->folded));
                found.words++;
                found.number |= text.data[0] >= '0' && text.data[0] <= '9';
                found.letters += text.len;
                found.particle |= IS_IN(text, particles);
                found.ordinary = found.ordinary && ordinary;
                found.last_ordinary = ordinary;
        }
        return found;
}

static const char *const articles[] = {"a", "an", "the"};

/* Without the article that it begins with. */
static pawl_text without_article(pawl_text term)
{
        const char *space = memchr(term.data, ' ', term.len);
        const size_t first = space ? (size_t)(space - term.data) : term.len;

        return space && IS_IN(pawl__text_part(term, 0, first), articles)
                       ? pawl__text_part(term, first + 1, term.len)
                       : term;
}

static pawl_text word_at(pawl_text text, size_t at)
{
        size_t end = at;

        while (end < text.len && !strchr(" ,.;:", text.data[end]))
                end++;
        return pawl__text_part(text, at, end);
}

/* Does it not begin as half a sentence does, or an order? */
static bool may_define(pawl_text text)
{
        static const char *const beginnings[] = {"and", "are", "as", "at", "but", "by", "can", "do",
                "don't", "for", "from", "if", "in", "into", "is", "must", "no", "not", "of", "on",
                "or", "run", "see", "should", "that", "then", "to", "use", "was", "when", "will",
                "with", "without", "yes", "you"};
        const pawl_text first = word_at(text, 0);

        return first.len > 0 && !IS_IN(first, beginnings);
}

/* Tell it, if both parts have the form. The term is in s->term, the definition in s->text. */
static pawl_status put(search *s, pawl__definition_form form, size_t at)
{
        pawl_text term = pawl__text_trim(pawl__buf_text(&s->term));
        const pawl_text text = pawl__sentences_cut(
                pawl__text_trim(pawl__buf_text(&s->text)), PAWL__DEFINITION_MAX);

        while (term.len && strchr(":.*_", term.data[term.len - 1]))
                term.len--;
        term = pawl__text_trim(without_article(pawl__text_trim(term)));
        const subject found = subject_of(s, term);
        if (s->term.failed || s->text.failed || s->folded.failed)
                return PAWL_ENOMEM;
        if (term.len == 0 || term.len > TERM_MAX || term.data[0] == '-' || found.letters < 2 ||
                found.stop || found.words > TERM_WORDS || !memchr(text.data, ' ', text.len))
                return PAWL_OK;
        if (form > PAWL__IN_LIST &&
                (found.particle || found.number || found.ordinary || !may_define(text)))
                return PAWL_OK;
        return s->fn(&(pawl__definition){term, text, at, form}, s->user);
}

/* ---- Sentences ------------------------------------------------------------------------------- */

static const struct {
        const char *verb;
        size_t skip; /* of it, before the definition begins */
        pawl__definition_form form;
} verbs[] = {
        {" means ", 7, PAWL__BY_MEANS},
        {" refers to ", 11, PAWL__BY_MEANS},
        {" stands for ", 12, PAWL__BY_MEANS},
        {" denotes ", 9, PAWL__BY_MEANS},
        {" is a ", 4, PAWL__BY_IS},
        {" is an ", 4, PAWL__BY_IS},
        {" is the ", 4, PAWL__BY_IS},
        {" is what ", 4, PAWL__BY_IS},
};

/* What says nothing about what it is. */
static const char *const empty_words[] = {"that", "bit", "failure", "few", "good", "bad", "great",
        "little", "lot", "mistake", "must", "non-issue", "pain", "pity", "problem", "reason",
        "shame", "same", "only", "first", "last", "next", "default", "better", "best", "worst",
        "bug", "question", "no-op"};

static bool says_nothing(pawl_text definition)
{
        pawl_text word = word_at(definition, 0);

        if (IS_IN(word, articles) && word.len + 1 < definition.len)
                word = word_at(definition, word.len + 1);
        return IS_IN(word, empty_words);
}

/* Is the sentence of the form "X is a ..."? */
static pawl_status see_sentence(search *s, pawl_text sentence, size_t at)
{
        size_t verb = SIZE_MAX, which = 0;

        if (sentence.len == 0 || sentence.data[sentence.len - 1] == '?')
                return PAWL_OK;
        const size_t most = sentence.len < TERM_MAX + 8 ? sentence.len : TERM_MAX + 8;
        for (size_t i = 1; i < most && verb == SIZE_MAX; i++)
                for (size_t v = 0; sentence.data[i] == ' ' && v < sizeof verbs / sizeof *verbs; v++)
                        if (pawl__text_at(sentence, i, verbs[v].verb)) {
                                verb = i;
                                which = v;
                                break;
                        }
        if (verb == SIZE_MAX)
                return PAWL_OK;
        const pawl_text term = without_article(pawl__text_part(sentence, 0, verb));
        const pawl_text text = pawl__text_part(sentence, verb + verbs[which].skip, sentence.len);
        const subject found = subject_of(s, term);
        if (found.words == 0 || found.words > SUBJECT_WORDS || found.last_ordinary ||
                says_nothing(text))
                return PAWL_OK;
        pawl__plain(&s->term, term, PLAIN_MAX, false);
        pawl__buf plain = s->text; /* the sentence is in it */
        s->text = (pawl__buf)PAWL__BUF_INIT;
        pawl__buf_add_text(&s->text, text);
        const pawl_status status = put(s, verbs[which].form, at);
        pawl__buf_free(&s->text);
        s->text = plain;
        return status;
}

static pawl_status see_sentences(search *s, pawl_text block, size_t at)
{
        pawl_status status = PAWL_OK;

        pawl__plain(&s->text, block, BLOCK_MAX, true);
        if (s->text.failed)
                return PAWL_ENOMEM;
        for (size_t start = 0; start < s->text.len && !status;) {
                const pawl_text text = pawl__buf_text(&s->text);
                const size_t end = pawl__sentence_end(text, start);
                status = see_sentence(s, pawl__text_trim(pawl__text_part(text, start, end)), at);
                start = end;
        }
        return status;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* What separates a term from its definition at @p at, with the white space around it; 0: nothing.
 */
static size_t separator(pawl_text text, size_t at)
{
        static const char *const signs[] = {":", "\xe2\x80\x94" /* em dash */,
                "\xe2\x80\x93" /* en dash */, "--", "- ", "= ", ". "};
        size_t i = at;

        while (i < text.len && (text.data[i] == ' ' || text.data[i] == '\t'))
                i++;
        for (size_t n = 0; n < sizeof signs / sizeof *signs; n++)
                if (pawl__text_at(text, i, signs[n]))
                        return i + strlen(signs[n]) - at;
        return 0;
}

/* "**X**: ...", "`X` - ...", and in a list "**X** ..." too. *taken: it is of that form. */
static pawl_status see_marked(search *s, bool *taken, pawl_text body, bool item, size_t at)
{
        const char *mark = pawl__text_at(body, 0, "**")   ? "**"
                           : pawl__text_at(body, 0, "__") ? "__"
                                                          : "`";
        const size_t size = strlen(mark);

        *taken = false;
        if (!pawl__text_at(body, 0, mark))
                return PAWL_OK;
        const size_t most = body.len < TERM_MAX + 8 ? body.len : TERM_MAX + 8;
        size_t close = size;
        while (close < most && !pawl__text_at(body, close, mark))
                close++;
        if (close >= most || memchr(body.data, '\n', close))
                return PAWL_OK;
        const bool bold = size == 2;
        const bool within =
                close > size && (body.data[close - 1] == ':' || body.data[close - 1] == '.');
        const size_t sign = separator(body, close + size);
        if (!sign && !within && !(item && bold))
                return PAWL_OK;
        *taken = true;
        pawl__plain(&s->term, pawl__text_part(body, size, close), PLAIN_MAX, false);
        pawl__plain(
                &s->text, pawl__text_part(body, close + size + sign, body.len), PLAIN_MAX, true);
        if (pawl__text_starts(pawl__buf_text(&s->text), "is ")) {
                s->text.len -= 3;
                memmove(s->text.data, s->text.data + 3, s->text.len + 1);
        }
        return put(s, bold ? PAWL__AS_BOLD : PAWL__AS_CODE, at);
}

/* "X\n: ...", or "X:: ..." */
static pawl_status see_list(search *s, bool *taken, pawl_text body, size_t at)
{
        const char *newline = memchr(body.data, '\n', body.len);
        const size_t line = newline ? (size_t)(newline - body.data) : body.len;
        const char *colons = memmem(body.data, line, "::", 2);
        size_t term = line, text = line + 1;

        *taken = false;
        if (colons && (size_t)(colons - body.data) + 2 < body.len && strchr(" \t\n", colons[2]) &&
                colons[2]) {
                term = (size_t)(colons - body.data);
                text = term + 2;
        } else if (!newline || !pawl__text_at(body, line + 1, ":") || line + 2 >= body.len ||
                   !strchr(" \t", body.data[line + 2])) {
                return PAWL_OK;
        } else {
                text++;
        }
        *taken = true;
        pawl__plain(&s->term, pawl__text_part(body, 0, term), PLAIN_MAX, false);
        pawl__plain(&s->text, pawl__text_part(body, text, body.len), PLAIN_MAX, true);
        return put(s, PAWL__IN_LIST, at);
}

/* Past white space and the mark of a list's item at the beginning of a line; *item: there is one.
 */
static size_t past_marker(pawl_text text, size_t at, size_t end, bool *item)
{
        size_t i = at;

        while (i < end && strchr(" \t>", text.data[i]) && text.data[i])
                i++;
        size_t digits = i;
        while (digits < end && text.data[digits] >= '0' && text.data[digits] <= '9')
                digits++;
        *item = false;
        if (i + 1 < end && strchr("-*+", text.data[i]) && text.data[i] && text.data[i + 1] == ' ')
                *item = true, i += 2;
        else if (digits > i && digits - i < 4 && digits + 1 < end &&
                 strchr(".)", text.data[digits]) && text.data[digits] &&
                 text.data[digits + 1] == ' ')
                *item = true, i = digits + 2;
        while (*item && i < end && text.data[i] == ' ')
                i++;
        return i;
}

static size_t line_end(pawl_text text, size_t at)
{
        const char *end = at < text.len ? memchr(text.data + at, '\n', text.len - at) : NULL;

        return end ? (size_t)(end - text.data) + 1 : text.len;
}

/* Past what is no prose and covers the beginning of this line, or @p at. */
static size_t past_markup(search *s, size_t at)
{
        const pawl__markups *all = s->markups;

        while (s->markup < all->n && all->items[s->markup].end <= at)
                s->markup++;
        for (size_t i = s->markup; i < all->n && all->items[i].start <= at; i++)
                if (all->items[i].kind == PAWL__NOT_PROSE && all->items[i].end > at)
                        return line_end(s->document, all->items[i].end - 1);
        return at;
}

/* Past the lines that belong to the block at @p at. */
static size_t block_end(search *s, size_t at)
{
        const pawl_text text = s->document;
        size_t end = line_end(text, at);
        bool item;
        const size_t first = past_marker(text, at, end, &item);

        if (first >= end || strchr("\r\n#", text.data[first])) /* blank, or a heading */
                return end;
        while (end < text.len) {
                const size_t next = line_end(text, end);
                const size_t body = past_marker(text, end, next, &item);
                if (item || body >= next || strchr("\r\n|#", text.data[body]) ||
                        past_markup(s, end) > end)
                        break;
                end = next;
        }
        return end;
}

static pawl_status see_block(search *s, size_t at, size_t end)
{
        bool item, taken = false;
        const size_t start = past_marker(s->document, at, line_end(s->document, at), &item);
        const pawl_text body =
                pawl__text_trim(pawl__text_part(s->document, start < end ? start : end, end));

        if (body.len == 0 || body.data[0] == '#')
                return PAWL_OK;
        pawl_status status = see_marked(s, &taken, body, item, at);
        if (!status && !taken)
                status = see_list(s, &taken, body, at);
        return status || taken ? status : see_sentences(s, body, at);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static const char *const term_titles[] = {
        "term", "terms", "word", "words", "concept", "acronym", "abbreviation", "notion"};
static const char *const text_titles[] = {"definition", "meaning", "means", "description",
        "explanation", "what it is", "what it means", "expansion", "stands for", "is"};

/* The cells of a row, or 0: it is none. */
static size_t cells_of(pawl_text cells[CELLS], pawl_text row)
{
        size_t n = 0, start = 1;

        row = pawl__text_trim(row);
        if (row.len < 3 || row.data[0] != '|')
                return 0;
        for (size_t i = 1; i <= row.len && n < CELLS; i++)
                if (i == row.len || (row.data[i] == '|' && row.data[i - 1] != '\\')) {
                        if (i < row.len || start < i)
                                cells[n++] = pawl__text_trim(pawl__text_part(row, start, i));
                        start = i + 1;
                }
        return n;
}

static bool is_rule(pawl_text row)
{
        row = pawl__text_trim(row);
        for (size_t i = 0; i < row.len; i++)
                if (!strchr("|-: ", row.data[i]) || !row.data[i])
                        return false;
        return row.len > 2 && memchr(row.data, '-', row.len);
}

static pawl_status see_table(search *s, size_t *at)
{
        const pawl_text text = s->document;
        size_t head = *at, rule = line_end(text, head), row = line_end(text, rule);
        size_t term = CELLS, meaning = CELLS;
        pawl_text cells[CELLS];
        pawl_status status = PAWL_OK;

        const size_t n = cells_of(cells, pawl__text_part(text, head, rule));
        for (size_t i = n; i-- > 0;) {
                if (IS_IN(cells[i], term_titles))
                        term = i;
                if (IS_IN(cells[i], text_titles))
                        meaning = i;
        }
        if (n < 2 || !is_rule(pawl__text_part(text, rule, row))) {
                *at = rule;
                return PAWL_OK;
        }
        size_t next;
        for (*at = row; row < text.len && !status; row = *at = next) {
                next = line_end(text, row);
                const size_t m = cells_of(cells, pawl__text_part(text, row, next));
                if (m == 0)
                        break;
                if (term == CELLS || meaning == CELLS || term >= m || meaning >= m)
                        continue;
                pawl__plain(&s->term, cells[term], PLAIN_MAX, false);
                pawl__plain(&s->text, cells[meaning], PLAIN_MAX, true);
                status = put(s, PAWL__IN_TABLE, row);
        }
        return status;
}

/* ---- The document ---------------------------------------------------------------------------- */

pawl_status pawl__definitions_find(
        pawl_text document, const pawl__markups *markups, pawl__definition_fn fn, void *user)
{
        search s = {.document = document, .markups = markups, .fn = fn, .user = user};
        pawl_status status = PAWL_OK;

        for (size_t at = 0; at < document.len && !status;) {
                const size_t past = past_markup(&s, at);
                if (past > at) {
                        at = past;
                        continue;
                }
                if (document.data[at] == '|') {
                        status = see_table(&s, &at);
                        continue;
                }
                const size_t end = block_end(&s, at);
                status = see_block(&s, at, end);
                at = end;
        }
        pawl__buf_free(&s.term);
        pawl__buf_free(&s.text);
        pawl__buf_free(&s.folded);
        return status;
}

#include "bench/words.h"

enum { WORDS = 50000 };

void bench_require(pawl_status status)
{
        if (status)
                bench_die(pawl_status_name(status));
}

static double chance(void)
{
        static unsigned long long seed = 20261120;

        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        return (double)(seed >> 11) / 9007199254740992.0;
}

static char words[WORDS][24];
static double weights[WORDS]; /* the sum of the weights of a rank and of those before it */

static void make_word(char word[24])
{
        static const char *const onsets[] = {"b", "br", "c", "ch", "cl", "d", "f", "fl", "g", "gr",
                "h", "j", "k", "l", "m", "n", "p", "pl", "pr", "qu", "r", "s", "sh", "st", "str",
                "t", "th", "tr", "v", "w"};
        static const char *const nuclei[] = {"a", "e", "i", "o", "u", "ai", "ea", "ee", "io", "ou"};
        static const char *const codas[] = {
                "", "", "", "n", "r", "l", "s", "t", "nd", "st", "ck", "m", "ng", "rt"};
        size_t len = 0;
        int syllables = 1 + (int)(chance() * 3.5);

        for (int i = 0; i < syllables; i++)
                len += (size_t)snprintf(word + len, 24 - len, "%s%s%s",
                        onsets[(size_t)(chance() * 30)], nuclei[(size_t)(chance() * 10)],
                        codas[(size_t)(chance() * 14)]);
}

void bench_words_make(void)
{
        double sum = 0;

        for (size_t i = 0; i < WORDS; i++) {
                make_word(words[i]);
                weights[i] = sum += 1 / ((double)i + 2.7); /* Zipf's law as Mandelbrot has it */
        }
}

static const char *any_word(void)
{
        double at = chance() * weights[WORDS - 1];
        size_t low = 0, high = WORDS - 1;

        while (low < high) {
                size_t middle = (low + high) / 2;
                if (weights[middle] < at)
                        low = middle + 1;
                else
                        high = middle;
        }
        return words[low];
}

void bench_words_text(pawl__buf *out, size_t bytes, size_t max_words)
{
        size_t line = 0;
        bool starts = true;

        for (size_t n = 0; out->len < bytes && n < max_words; n++) {
                size_t from = out->len;
                bench_require(pawl__buf_adds(out, any_word()));
                if (starts || chance() < 0.02)
                        out->data[from] = (char)(out->data[from] - 'a' + 'A');
                double sign = chance();
                starts = sign < 0.06;
                if (sign < 0.15)
                        bench_require(pawl__buf_addc(out, starts ? '.' : ','));
                line += out->len - from + 1;
                bench_require(pawl__buf_addc(out, line > 72 ? '\n' : ' '));
                line = line > 72 ? 0 : line;
        }
}

/* Of every ten surfaces seven are single words, most of them rare ones of the text; the rest are
 * two words. */
static void make_surface(char surface[64], size_t i)
{
        char other[24];
        const char *word = words[1000 + (size_t)(chance() * (WORDS - 1000))];

        make_word(other);
        if (i % 10 < 5)
                snprintf(surface, 64, "%s", word);
        else if (i % 10 < 7)
                snprintf(surface, 64, "%s%s", other, word);
        else
                snprintf(surface, 64, "%s %s", any_word(), word);
}

/* Whether the glossary has a surface already; as it is written, the words being folded ones. */
static bool has(const pawl__glossary *glossary, const char *surface)
{
        return pawl__glossary_resolve(glossary, pawl__text(surface)).n > 0;
}

pawl__glossary *bench_words_glossary(size_t n, size_t crowded, FILE *list)
{
        pawl__glossary *glossary;

        bench_require(pawl__glossary_new(&glossary, NULL));
        for (size_t i = 0; i < n; i++) {
                char surface[64], definition[48];
                do
                        make_surface(surface, i);
                while (i % 100 >= crowded && has(glossary, surface));
                snprintf(definition, sizeof definition, "a thing numbered %zu", i);
                pawl__sense sense = {.surface = pawl__text(surface),
                        .definition = pawl__text(definition),
                        .scope = PAWL__CORE,
                        .confidence = 1};
                bench_require(pawl__glossary_add(glossary, &sense, NULL));
                if (list)
                        fprintf(list, "%s\n", surface);
        }
        return glossary;
}

/* Of the terms that do not resolve, as the pipeline does it. */
static void make_contexts(pawl__terms *terms, const pawl__glossary *glossary, pawl__arena *arena)
{
        pawl__buf buf = PAWL__BUF_INIT;

        for (size_t i = 0; i < terms->n; i++) {
                pawl__term *term = &terms->items[i];
                if (pawl__term_resolve(glossary, term).n != 1)
                        bench_require(pawl__term_context(&term->context, arena, &buf, term));
        }
        pawl__buf_free(&buf);
}

/* Extraction, and if @p arena is given the findings too. */
double bench_extract_ns(size_t *n_terms, size_t *n_findings, pawl__glossary *glossary,
        pawl_text text, pawl__arena *arena)
{
        pawl__extraction *extraction;
        pawl__findings findings;
        pawl__terms terms;
        double start = bench_now_ns();

        bench_require(pawl__extraction_new(&extraction, glossary, NULL, NULL));
        bench_require(pawl__extraction_text(extraction, text, NULL));
        bench_require(pawl__extraction_terms(&terms, extraction, NULL));
        if (arena)
                make_contexts(&terms, glossary, arena);
        if (arena)
                bench_require(pawl__findings_make(
                        &findings, arena, glossary, &terms, true, (pawl_text){NULL, 0}, NULL));
        *n_terms = terms.n;
        if (arena)
                *n_findings = findings.n;
        pawl__extraction_free(extraction);
        return bench_now_ns() - start;
}

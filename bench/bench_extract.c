/*
 * Layers 1 and 2: all of extraction over a long text beside GNU grep looking for the same surfaces,
 * and a step's few words under a large glossary beside one durable write.
 *
 *   build/bench/bench_extract [MEGABYTES]     (default 10)
 */
#include "bench/measure.h"
#include "glossary/conflict.h"
#include "glossary/surfaces.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 50000, SURFACES = 10000, SENSES = 100000, FEW = 500, ROUNDS = 7, PASSES = 400 };

/* grep takes minutes where many surfaces begin alike: it is asked again only while that is quick.
 */
static const double PATIENCE_NS = 20e9;

static void require(pawl_status status)
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

/* ---- Words like those of English ------------------------------------------------------------- */

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

static void make_words(void)
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

static void make_text(pawl__buf *out, size_t bytes, size_t max_words)
{
        size_t line = 0;
        bool starts = true;

        for (size_t n = 0; out->len < bytes && n < max_words; n++) {
                size_t from = out->len;
                require(pawl__buf_adds(out, any_word()));
                if (starts || chance() < 0.02)
                        out->data[from] = (char)(out->data[from] - 'a' + 'A');
                double sign = chance();
                starts = sign < 0.06;
                if (sign < 0.15)
                        require(pawl__buf_addc(out, starts ? '.' : ','));
                line += out->len - from + 1;
                require(pawl__buf_addc(out, line > 72 ? '\n' : ' '));
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

static pawl__glossary *make_glossary(size_t n, FILE *list)
{
        pawl__glossary *glossary;

        require(pawl__glossary_new(&glossary, NULL));
        for (size_t i = 0; i < n; i++) {
                char surface[64], definition[32];
                make_surface(surface, i);
                snprintf(definition, sizeof definition, "a thing numbered %zu", i);
                pawl__sense sense = {.surface = pawl__text(surface),
                        .definition = pawl__text(definition),
                        .scope = PAWL__CORE,
                        .confidence = 1};
                require(pawl__glossary_add(glossary, &sense, NULL));
                if (list)
                        fprintf(list, "%s\n", surface);
        }
        return glossary;
}

static double build_ns(pawl__glossary *glossary)
{
        const pawl__automaton *automaton;
        double start = bench_now_ns();

        require(pawl__glossary_automaton(&automaton, glossary, NULL));
        return bench_now_ns() - start;
}

/* ---- What is measured ------------------------------------------------------------------------ */

/* Extraction, and if @p arena is given the findings too. */
static double extract_ns(
        size_t *n_terms, pawl__glossary *glossary, pawl_text text, pawl__arena *arena)
{
        pawl__extraction *extraction;
        pawl__findings findings;
        pawl__terms terms;
        double start = bench_now_ns();

        require(pawl__extraction_new(&extraction, glossary, NULL, NULL));
        require(pawl__extraction_text(extraction, text, NULL));
        require(pawl__extraction_terms(&terms, extraction, NULL));
        if (arena)
                require(pawl__findings_make(
                        &findings, arena, glossary, &terms, true, (pawl_text){NULL, 0}, NULL));
        *n_terms = terms.n;
        pawl__extraction_free(extraction);
        return bench_now_ns() - start;
}

static double grep_ns(void)
{
        double start = bench_now_ns();

        if (system("LC_ALL=C.UTF-8 grep -oiwFf surfaces text >/dev/null") != 0)
                bench_die("grep failed");
        return bench_now_ns() - start;
}

static void beside_grep(size_t megabytes)
{
        bench_series extraction = {NULL, 0, 0}, grep = {NULL, 0, 0};
        pawl__buf text = PAWL__BUF_INIT;
        double waited = 0;
        size_t n = 0;

        make_text(&text, megabytes * 1000000, SIZE_MAX);
        FILE *file = fopen("text", "w");
        if (!file || fwrite(text.data, 1, text.len, file) != text.len || fclose(file))
                bench_die("cannot write the text");
        file = fopen("surfaces", "w");
        if (!file)
                bench_die("cannot write the surfaces");
        pawl__glossary *glossary = make_glossary(SURFACES, file);
        fclose(file);
        for (int i = 0; i < ROUNDS && waited < PATIENCE_NS; i++) {
                double took = grep_ns();
                waited += took;
                bench_add(&grep, took);
                bench_add(&extraction, extract_ns(&n, glossary, pawl__buf_text(&text), NULL));
        }
        bench_answer(&(bench_question){.what = "extraction, 10 MB of text, 10,000 surfaces",
                             .beside = "grep -oiwFf, a process",
                             .target = 1},
                &extraction, &grep);
        bench_clear(&extraction);
        bench_clear(&grep);
        pawl__glossary_free(glossary);
        pawl__buf_free(&text);
}

static double write_ns(int fd)
{
        static char block[4096];
        double start = bench_now_ns();

        if (pwrite(fd, block, sizeof block, 0) != (ssize_t)sizeof block || fdatasync(fd))
                bench_die("cannot write");
        return bench_now_ns() - start;
}

static void beside_a_write(void)
{
        bench_series layers = {NULL, 0, 0}, writes = {NULL, 0, 0};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        size_t n = 0;

        pawl__glossary *glossary = make_glossary(SENSES, NULL);
        bench_note("the automaton of 100,000 senses, once: %.0f ms", build_ns(glossary) / 1e6);
        make_text(&text, SIZE_MAX, FEW);
        int fd = open("block", O_RDWR | O_CREAT, 0600);
        if (fd < 0)
                bench_die("cannot open a file");
        write_ns(fd);
        for (int i = 0; i < PASSES; i++) {
                pawl__arena_clear(&arena);
                bench_add(&writes, write_ns(fd));
                bench_add(&layers, extract_ns(&n, glossary, pawl__buf_text(&text), &arena));
        }
        close(fd);
        bench_answer(&(bench_question){.what = "extraction and check, 500 words, 100,000 senses",
                             .beside = "write + fdatasync, 4 KiB",
                             .target = 1},
                &layers, &writes);
        bench_clear(&layers);
        bench_clear(&writes);
        pawl__glossary_free(glossary);
        pawl__arena_free(&arena);
        pawl__buf_free(&text);
}

int main(int argc, char **argv)
{
        bench_folder();
        make_words();
        beside_a_write();
        beside_grep(bench_count(argc, argv, 10));
        return 0;
}

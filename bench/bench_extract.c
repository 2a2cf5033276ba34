/* Layer 1's extraction over a long text, every rule of it, beside GNU grep looking for the same
 * surfaces.
 *
 *   build/bench/bench_extract [MEGABYTES]     (default 10; needs grep) */
#include "bench/words.h"

enum { SURFACES = 10000, ROUNDS = 7 };

/* grep takes minutes where many surfaces begin alike: it is asked again only while that is quick.
 */
static const double PATIENCE_NS = 20e9;

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

        bench_words_text(&text, megabytes * 1000000, SIZE_MAX);
        FILE *file = fopen("text", "w");
        if (!file || fwrite(text.data, 1, text.len, file) != text.len || fclose(file))
                bench_die("cannot write the text");
        file = fopen("surfaces", "w");
        if (!file)
                bench_die("cannot write the surfaces");
        pawl__glossary *glossary = bench_words_glossary(SURFACES, 1, file);
        fclose(file);
        for (int i = 0; i < ROUNDS && waited < PATIENCE_NS; i++) {
                double took = grep_ns();
                waited += took;
                bench_add(&grep, took);
                bench_add(&extraction,
                        bench_extract_ns(&n, NULL, glossary, pawl__buf_text(&text), NULL));
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

int main(int argc, char **argv)
{
        bench_folder();
        bench_words_make();
        beside_grep(bench_count(argc, argv, 10));
        return 0;
}

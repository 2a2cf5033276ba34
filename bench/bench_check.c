/* Layers 1 and 2 over a step's few words, under a glossary of 100,000 senses, beside one durable
 * write.
 *
 *   build/bench/bench_check [PASSES]     (default 400) */
#include "bench/words.h"
#include "bench/write.h"

enum { SENSES = 100000, FEW = 500 };

static double build_ns(pawl__glossary *glossary)
{
        const pawl__automaton *automaton;
        double start = bench_now_ns();

        bench_require(pawl__glossary_automaton(&automaton, glossary, NULL));
        return bench_now_ns() - start;
}

static void beside_a_write(size_t passes, size_t crowded, const bench_question *question)
{
        bench_series layers = {NULL, 0, 0}, writes = {NULL, 0, 0};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        size_t n = 0, findings = 0;

        pawl__glossary *glossary = bench_words_glossary(SENSES, crowded, NULL);
        bench_note("the automaton of 100,000 senses, once: %.0f ms", build_ns(glossary) / 1e6);
        bench_words_text(&text, SIZE_MAX, FEW);
        bench_write_ns();
        for (size_t i = 0; i < passes; i++) {
                pawl__arena_clear(&arena);
                bench_add(&writes, bench_write_ns());
                bench_add(&layers,
                        bench_extract_ns(&n, &findings, glossary, pawl__buf_text(&text), &arena));
        }
        bench_note("%zu terms, %zu findings", n, findings);
        bench_answer(question, &layers, &writes);
        bench_clear(&layers);
        bench_clear(&writes);
        pawl__glossary_free(glossary);
        pawl__arena_free(&arena);
        pawl__buf_free(&text);
}

int main(int argc, char **argv)
{
        size_t passes = bench_count(argc, argv, 400);

        bench_folder();
        bench_words_make();
        beside_a_write(passes, 1,
                &(bench_question){.what = "extraction and check, 500 words, 100,000 senses",
                        .beside = "write + fdatasync, 4 KiB",
                        .target = 1});
        beside_a_write(passes, 100,
                &(bench_question){.what = "the same, most terms ambiguous",
                        .beside = "write + fdatasync, 4 KiB"});
        return 0;
}

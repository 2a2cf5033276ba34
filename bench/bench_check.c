/* Layers 1 and 2 over a step's few words, under a glossary of 100,000 senses, beside one durable
 * commit: of one event's row, by raw SQLite. And beside the least that a disk's wait can cost.
 *
 *   build/bench/bench_check [PASSES]     (default 400) */
#include "bench/checkpoints.h"
#include "bench/raw_twin.h"
#include "bench/words.h"
#include "bench/write.h"

enum { SENSES = 100000, FEW = 500, CASES = 2 };

struct committing {
        checkpoints c;
        raw_twin twin;
};

/* The next event's row, committed by raw SQLite. */
static double commit_ns(struct committing *k)
{
        uint64_t since = k->c.seq;

        checkpoints_make(&k->c, 1);
        checkpoints_append_ns(&k->c, 1);
        raw_twin_take(&k->twin, since, "");
        bench_write_ns(); /* it comes to memory that a wait has left cold, as layers do */
        return raw_twin_write_ns(&k->twin);
}

static double build_ns(pawl__glossary *glossary)
{
        const pawl__automaton *automaton;
        double start = bench_now_ns();

        bench_require(pawl__glossary_automaton(&automaton, glossary, NULL));
        return bench_now_ns() - start;
}

static void beside_a_commit(
        struct committing *k, size_t passes, size_t crowded, bench_question question)
{
        bench_series layers = {NULL, 0, 0}, writes = {NULL, 0, 0}, commits = {NULL, 0, 0};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        size_t n = 0, findings = 0;

        pawl__glossary *glossary = bench_words_glossary(SENSES, crowded, NULL);
        bench_note("the automaton of 100,000 senses, once: %.0f ms", build_ns(glossary) / 1e6);
        bench_words_text(&text, SIZE_MAX, FEW);
        bench_write_ns();
        for (size_t i = 0; i < passes; i++) {
                pawl__arena_clear(&arena);
                bench_add(&commits, commit_ns(k));
                bench_add(&writes, bench_write_ns());
                bench_add(&layers,
                        bench_extract_ns(&n, &findings, glossary, pawl__buf_text(&text), &arena));
        }
        bench_note("%zu terms, %zu findings", n, findings);
        question.beside = "a commit of one event's row, raw SQLite";
        bench_answer(&question, &layers, &commits);
        question.beside = "write + fdatasync, 4 KiB";
        question.target = 0;
        bench_answer(&question, &layers, &writes);
        bench_clear(&layers);
        bench_clear(&commits);
        bench_clear(&writes);
        pawl__glossary_free(glossary);
        pawl__arena_free(&arena);
        pawl__buf_free(&text);
}

int main(int argc, char **argv)
{
        static const twin_table events = {"events", "seq > ?1"};
        size_t passes = bench_count(argc, argv, 400);
        static struct committing k;

        bench_folder();
        bench_words_make();
        checkpoints_open(&k.c, "events.db", CASES * passes, 2);
        raw_twin_open(&k.twin, "events.db", "raw.db", &events, 1);
        beside_a_commit(&k, passes, 1,
                (bench_question){
                        .what = "extraction and check, 500 words, 100,000 senses", .target = 1});
        beside_a_commit(
                &k, passes, 100, (bench_question){.what = "the same, most terms ambiguous"});
        raw_twin_close(&k.twin);
        pawl_log_close(k.c.log);
        return 0;
}

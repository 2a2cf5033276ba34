/* A durable append of a step's checkpoint, alone and in batches of 100: the event in its chain, the
 * rows of state that follow from it, their indexes. Beside raw SQLite that writes the same rows,
 * and beside write + fdatasync of 4 KiB into a file that has its length.
 *
 *   build/bench/bench_append [APPENDS]     (default 2000) */
#include "bench/raw_twin.h"
#include "events/log.h"
#include "state/state.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 100, PAGE = 4096, PAGES = 1024 };

#define HASH "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define RUN  "2f4c3a52-7f4e-4be0-a1c3-0d5d8a1d9b11"

/* The rows of state that StepCheckpointed writes. A blob it has none. */
static const twin_table tables[] = {
        {"events", "seq > ?1"},
        {"checkpoints",
                "retry_token IN (SELECT payload ->> '$.retry_token' FROM events WHERE seq > ?1)"},
        {"steps", "run_id = '" RUN "' AND step_id IN (SELECT step_id FROM events WHERE seq > ?1)"},
        {"runs", "run_id = '" RUN "'"},
        {"projection", "id = 1"},
};

struct bench {
        pawl_log *log;
        pawl__state *state;
        uint64_t fence, seq;
        raw_twin twin;
        int file;
        int64_t page;
        size_t step; /* the next that gets its checkpoint */
        pawl_event events[BATCH];
        char ids[BATCH][32], payloads[BATCH][768];
};

static void step_id(char out[32], size_t n)
{
        snprintf(out, 32, "step-%zu", n);
}

static pawl_event event_of(const char *type, const char *step, const char *payload)
{
        return (pawl_event){.type = pawl__text(type),
                .mission_id = pawl__text("refund-service"),
                .run_id = pawl__text(RUN),
                .step_id = pawl__text(step),
                .actor = pawl__text("user:ana"),
                .payload = pawl__text(payload)};
}

/* The run is claimed and its steps are started, so that each can be checkpointed. */
static void start_run(struct bench *b, size_t steps)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        char id[32];

        for (size_t i = 0; i <= steps; i++) {
                pawl_event event = event_of("RunStarted", NULL, "{\"steps\":[],\"scope_refs\":[]}");
                if (i > 0) {
                        step_id(id, i);
                        event = event_of("StepStarted", id, "{\"input_hash\":\"" HASH "\"}");
                }
                if (pawl__batch_event(&batch, &event, pawl__log_error(b->log)))
                        bench_die(pawl_log_errmsg(b->log));
        }
        pawl_text none = {NULL, 0};
        if (pawl__log_claim(&b->fence, b->log, pawl__text("refund-service"), pawl__text(RUN), none,
                    none, &batch, NULL))
                bench_die(pawl_log_errmsg(b->log));
        pawl__batch_free(&batch);
}

static void open_file(struct bench *b)
{
        static const char zero[PAGE];

        b->file = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        for (int i = 0; i < PAGES; i++)
                if (write(b->file, zero, PAGE) != PAGE)
                        bench_die("cannot write");
        if (fsync(b->file) != 0)
                bench_die("cannot sync");
}

static void set_up(struct bench *b, size_t steps)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32];

        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&b->log, "events.db", &options, &err) ||
                pawl__state_of(&b->state, b->log, &err))
                bench_die(err.message);
        start_run(b, steps);
        if (pawl_log_head(&b->seq, hash, b->log))
                bench_die(pawl_log_errmsg(b->log));
        raw_twin_open(&b->twin, "events.db", "raw.db", tables, sizeof tables / sizeof tables[0]);
        open_file(b);
}

static void tear_down(struct bench *b)
{
        raw_twin_close(&b->twin);
        pawl_log_close(b->log);
        close(b->file);
}

static void make_events(struct bench *b, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                unsigned long long x = (unsigned long long)++b->step * 0x9e3779b97f4a7c15ull;
                step_id(b->ids[i], b->step);
                snprintf(b->payloads[i], sizeof b->payloads[i],
                        "{\"cursor\":\"pre_generation_gate\",\"input_hash\":\"" HASH
                        "\",\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":"
                        "\"%08llx-%04llx-4000-8000-%012zu\",\"scope_refs\":["
                        "{\"scope\":\"mission_local\",\"version_id\":\"" HASH
                        "\"},{\"scope\":\"team_domain\",\"version_id\":\"" HASH
                        "\"},{\"scope\":\"core\",\"version_id\":\"" HASH
                        "\"}],\"strictness\":\"medium\"}",
                        x >> 32, x >> 16 & 0xffff, b->step);
                b->events[i] = event_of("StepCheckpointed", b->ids[i], b->payloads[i]);
        }
}

static double append_ns(struct bench *b, size_t n)
{
        double start = bench_now_ns();

        if (pawl_log_append(&b->seq, b->log, b->events, n, b->fence))
                bench_die(pawl_log_errmsg(b->log));
        return bench_now_ns() - start;
}

static double write_page_ns(struct bench *b)
{
        static char page[PAGE];

        memset(page, (int)(b->page & 0xff), sizeof page);
        double start = bench_now_ns();
        if (pwrite(b->file, page, PAGE, b->page++ % PAGES * PAGE) != PAGE ||
                fdatasync(b->file) != 0)
                bench_die("cannot write");
        return bench_now_ns() - start;
}

static void compare(struct bench *b, size_t rounds, size_t n, const bench_question *beside_raw,
        const bench_question *beside_page)
{
        bench_series log = {NULL, 0, 0}, raw = {NULL, 0, 0}, page = {NULL, 0, 0};

        for (size_t i = 0; i < rounds; i++) {
                uint64_t since = b->seq;
                make_events(b, n);
                bench_add(&page, write_page_ns(b));
                bench_add(&log, append_ns(b, n));
                raw_twin_take(&b->twin, since, "");
                bench_add(&raw, raw_twin_write_ns(&b->twin));
        }
        bench_answer(beside_raw, &log, &raw);
        if (beside_page)
                bench_answer(beside_page, &log, &page);
        bench_clear(&log);
        bench_clear(&raw);
        bench_clear(&page);
}

int main(int argc, char **argv)
{
        static struct bench b;
        size_t rounds = bench_count(argc, argv, 2000), batches = rounds / 10 + 1;

        bench_folder();
        set_up(&b, rounds + batches * BATCH);
        compare(&b, rounds, 1,
                &(bench_question){.what = "durable append of one event",
                        .beside = "raw SQLite, the same rows",
                        .target = 1.25},
                &(bench_question){.what = "durable append of one event",
                        .beside = "write + fdatasync, 4 KiB",
                        .target = 2.5});
        compare(&b, batches, BATCH,
                &(bench_question){.what = "durable append in batches of 100, an event",
                        .beside = "raw SQLite, the same rows",
                        .target = 1.6,
                        .per = BATCH},
                NULL);
        tear_down(&b);
        return 0;
}

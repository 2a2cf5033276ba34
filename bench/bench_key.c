/* A durable append to a keyed log, beside the same one to a log without a key; and the MAC alone.
 *
 *   build/bench/bench_key [APPENDS]     (default 2000) */
#include "base/mac.h"
#include "base/text.h"
#include "bench/measure.h"
#include "events/log.h"
#include <pawl/events.h>
#include <string.h>

enum { PAYLOAD = 600, BATCH = 100, MACS = 1000, ROUNDS = 200 };

static const unsigned char key[32] = {1, 2, 3};

static pawl_log *open_log(const char *path, bool with_key)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        options.flags = PAWL_LOG_CREATE;
        options.key = with_key ? key : NULL;
        options.key_len = with_key ? sizeof key : 0;
        if (pawl_log_open(&log, path, &options, &err))
                bench_die(err.message);
        return log;
}

static double append_ns(pawl_log *log, size_t n)
{
        static pawl_event events[BATCH];
        static char payload[PAYLOAD + 1];

        if (!*payload) {
                int len = snprintf(payload, sizeof payload,
                        "{\"glossary_version_id\":\"v1\",\"scope_id\":\"core\",\"text\":\"");
                memset(payload + len, 'x', PAYLOAD - 2 - (size_t)len);
                memcpy(payload + PAYLOAD - 2, "\"}", 3);
        }
        for (size_t i = 0; i < n; i++)
                events[i] = (pawl_event){.type = pawl__text("GlossaryScopeActivated"),
                        .mission_id = pawl__text("refund-service"),
                        .actor = pawl__text("user:ana"),
                        .payload = pawl__text_n(payload, PAYLOAD)};
        double start = bench_now_ns();
        if (pawl__log_append(NULL, log, events, n, 0))
                bench_die(pawl_log_errmsg(log));
        return bench_now_ns() - start;
}

static void compare(
        pawl_log *keyed, pawl_log *plain, size_t rounds, size_t n, const bench_question *question)
{
        bench_series with = {NULL, 0, 0}, without = {NULL, 0, 0};

        for (size_t i = 0; i < rounds; i++) {
                bench_add(&without, append_ns(plain, n));
                bench_add(&with, append_ns(keyed, n));
        }
        bench_answer(question, &with, &without);
        bench_clear(&with);
        bench_clear(&without);
}

static void measure_mac(void)
{
        bench_series series = {NULL, 0, 0};
        unsigned char hash[32] = {0};
        pawl__mac *mac;

        if (pawl__mac_new(&mac, key, sizeof key, NULL))
                bench_die("no MAC");
        for (int round = 0; round < ROUNDS; round++) {
                double start = bench_now_ns();
                for (int i = 0; i < MACS; i++)
                        if (pawl__mac_of(mac, hash, hash, sizeof hash))
                                bench_die("no MAC");
                bench_add(&series, bench_now_ns() - start);
        }
        bench_answer(&(bench_question){.what = "the MAC of a hash", .per = MACS}, &series, NULL);
        bench_clear(&series);
        pawl__mac_free(mac);
}

int main(int argc, char **argv)
{
        size_t rounds = bench_count(argc, argv, 2000);

        bench_folder();
        pawl_log *keyed = open_log("keyed.db", true), *plain = open_log("plain.db", false);
        compare(keyed, plain, rounds, 1,
                &(bench_question){.what = "durable append of one event to a keyed log",
                        .beside = "to a log without a key"});
        compare(keyed, plain, rounds / 10 + 1, BATCH,
                &(bench_question){
                        .what = "durable append in batches of 100 to a keyed log, an event",
                        .beside = "to a log without a key",
                        .per = BATCH});
        measure_mac();
        pawl_log_close(keyed);
        pawl_log_close(plain);
        return 0;
}

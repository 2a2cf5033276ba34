#include "bench/checkpoints.h"
#include <string.h>

#define HASH "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void step_id(char out[32], size_t n)
{
        snprintf(out, 32, "step-%zu", n);
}

static pawl_event event_of(const char *type, const char *step, const char *payload)
{
        return (pawl_event){.type = pawl__text(type),
                .mission_id = pawl__text("refund-service"),
                .run_id = pawl__text(CHECKPOINTS_RUN),
                .step_id = pawl__text(step),
                .actor = pawl__text("user:ana"),
                .payload = pawl__text(payload)};
}

/* Of so many scopes, and the end of an object. */
static void write_refs(char *out, size_t size, size_t scopes)
{
        static const char *const names[] = {"mission_local", "team_domain", "core"};
        int len = snprintf(out, size, "\"scope_refs\":[");

        for (size_t i = 0; i < scopes; i++)
                len += snprintf(out + len, size - (size_t)len,
                        "%s{\"scope\":\"%s\",\"version_id\":\"" HASH "\"}", i ? "," : "",
                        names[(i + 1) % 3]);
        snprintf(out + len, size - (size_t)len, "],");
}

/* The run is claimed and its steps are started, so that each can be checkpointed. */
static void start_run(checkpoints *c, size_t steps)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        char id[32], begins[768], refs[700];

        write_refs(refs, sizeof refs, c->scopes);
        snprintf(begins, sizeof begins, "{%s\"steps\":[]}", refs);
        for (size_t i = 0; i <= steps; i++) {
                pawl_event event = event_of("RunStarted", NULL, begins);
                if (i > 0) {
                        step_id(id, i);
                        event = event_of("StepStarted", id, "{\"input_hash\":\"" HASH "\"}");
                }
                if (pawl__batch_event(&batch, &event, pawl__log_error(c->log)))
                        bench_die(pawl_log_errmsg(c->log));
        }
        pawl_text none = {NULL, 0};
        if (pawl__log_claim(&c->fence, c->log, pawl__text("refund-service"),
                    pawl__text(CHECKPOINTS_RUN), none, none, &batch, NULL))
                bench_die(pawl_log_errmsg(c->log));
        pawl__batch_free(&batch);
}

void checkpoints_open(checkpoints *c, const char *path, size_t steps, size_t scopes)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32];

        c->scopes = scopes;
        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&c->log, path, &options, &err) || pawl__state_of(&c->state, c->log, &err))
                bench_die(err.message);
        start_run(c, steps);
        if (pawl_log_head(&c->seq, hash, c->log))
                bench_die(pawl_log_errmsg(c->log));
}

static void make_payload(char out[768], size_t step, size_t scopes)
{
        unsigned long long x = (unsigned long long)step * 0x9e3779b97f4a7c15ull;
        const int len = snprintf(out, 768,
                "{\"cursor\":\"pre_generation_gate\",\"input_hash\":\"" HASH
                "\",\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":"
                "\"%08llx-%04llx-4000-8000-%012zu\",",
                x >> 32, x >> 16 & 0xffff, step);

        write_refs(out + len, 768 - (size_t)len, scopes);
        const size_t at = strlen(out);
        snprintf(out + at, 768 - at, "\"strictness\":\"medium\"}");
}

void checkpoints_make(checkpoints *c, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                step_id(c->ids[i], ++c->step);
                make_payload(c->payloads[i], c->step, c->scopes);
                c->events[i] = event_of("StepCheckpointed", c->ids[i], c->payloads[i]);
        }
}

double checkpoints_append_ns(checkpoints *c, size_t n)
{
        double start = bench_now_ns();

        if (pawl_log_append(&c->seq, c->log, c->events, n, c->fence))
                bench_die(pawl_log_errmsg(c->log));
        return bench_now_ns() - start;
}

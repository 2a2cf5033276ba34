#include "bench/filled_log.h"
#include "events/handle.h"
#include <string.h>

#define HASH "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SENSE                                                                                      \
        "{\"surface\":\"term\",\"scope\":\"team_domain\",\"definition\":\"%.100s\","               \
        "\"confidence\":0.9}"

static void add(pawl__batch *batch, const filled_sample *at, bool of_step, const char *type,
        const char *payload)
{
        pawl_event event = {.type = pawl__text(type),
                .mission_id = pawl__text("bench"),
                .run_id = pawl__text(at->run),
                .step_id = pawl__text(of_step ? at->step : NULL),
                .actor = pawl__text("user:bench"),
                .payload = pawl__text(payload)};
        pawl_error err;

        if (pawl__batch_event(batch, &event, &err))
                bench_die(err.message);
}

/* Tokens as they are: spread evenly over all there could be. */
static void make_token(char out[37], size_t n)
{
        unsigned long long x = (unsigned long long)n * 0x9e3779b97f4a7c15ull;

        snprintf(out, 37, "%08llx-%04llx-4000-8000-%012llx", x >> 32, x >> 16 & 0xffff,
                (unsigned long long)n & 0xffffffffffff);
}

static void add_findings(
        filled_log *f, pawl__batch *batch, const filled_sample *at, const char *type, bool blocks)
{
        char payload[2048];

        for (size_t i = 0; i < f->terms; i++) {
                snprintf(payload, sizeof payload,
                        "{\"term\":\"term %zu\",\"source_step\":\"%s\",\"actor_id\":\"user:bench\","
                        "\"confidence\":0.8,\"extraction_method\":\"quoted_phrase\",\"context\":"
                        "\"%.300s\"}",
                        f->steps, at->step, f->text);
                add(batch, at, true, "TermCandidateObserved", payload);
        }
        snprintf(payload, sizeof payload,
                "{\"findings\":[{\"term\":\"term %zu\",\"original\":\"Term\",\"conflict_type\":"
                "\"%s\",\"severity\":\"high\",\"confidence\":0.8,\"candidate_senses\":[" SENSE
                "],\"context\":\"%.590s\"}],\"overall_severity\":\"high\",\"confidence\":0.8,"
                "\"effective_strictness\":\"medium\",\"recommended_action\":\"%s\",\"blocked\":%s,"
                "\"phase\":\"inputs\"}",
                f->steps, type, f->text, f->text, blocks ? "block" : "warn",
                blocks ? "true" : "false");
        add(batch, at, true, "SemanticCheckEvaluated", payload);
        snprintf(payload, sizeof payload,
                "{\"strictness\":\"medium\",\"scope_refs\":[{\"scope\":\"team_domain\","
                "\"version_id\":\"" HASH "\"},{\"scope\":\"core\",\"version_id\":\"" HASH
                "\"}],\"input_hash\":\"" HASH "\",\"input_hash_alg\":\"jcs-sha256\",\"cursor\":"
                "\"%s\",\"retry_token\":\"%s\"}",
                blocks ? "pre_generation_gate" : "post_gate", at->token);
        add(batch, at, true, "StepCheckpointed", payload);
}

static void add_question(filled_log *f, pawl__batch *batch, const filled_sample *at)
{
        char payload[2048];

        snprintf(payload, sizeof payload,
                "{\"conflict_id\":\"c-%zu\",\"question\":\"%.200s\",\"term\":\"term\",\"options\":"
                "[" SENSE "],\"urgency\":\"high\",\"retry_token\":\"%s\",\"input_hash\":\"" HASH
                "\",\"conflict_type\":\"ambiguous\",\"severity\":\"high\",\"confidence\":0.8,"
                "\"context\":\"%.200s\"}",
                f->steps, f->text, f->text, at->token, f->text);
        add(batch, at, true, "GlossaryClarificationRequested", payload);
}

static void add_answer(filled_log *f, pawl__batch *batch, const filled_sample *at)
{
        char payload[2048];

        snprintf(payload, sizeof payload,
                "{\"conflict_id\":\"c-%zu\",\"term_surface\":\"term %zu\",\"selected_sense\":" SENSE
                ",\"actor\":{\"actor_id\":\"user:bench\",\"actor_type\":\"human\","
                "\"display_name\":\"bench\"},\"resolution_mode\":\"async\",\"provenance\":{"
                "\"source\":\"candidate\",\"timestamp\":\"2026-11-20T00:00:00.000000Z\","
                "\"actor_id\":\"user:bench\"}}",
                f->steps, f->steps % 50, f->text);
        add(batch, at, true, "GlossaryClarificationResolved", payload);
}

static void add_block(filled_log *f, pawl__batch *batch, const filled_sample *at)
{
        char payload[256];

        snprintf(payload, sizeof payload,
                "{\"conflicts\":[{\"conflict_id\":\"c-%zu\"}],\"strictness_mode\":\"medium\","
                "\"effective_strictness\":\"medium\"}",
                f->steps);
        add(batch, at, true, "GenerationBlockedBySemanticConflict", payload);
}

static void add_step(filled_log *f, pawl__batch *batch, filled_sample *at, bool blocks)
{
        make_token(at->token, ++f->steps);
        snprintf(at->step, sizeof at->step, "step-%zu", f->steps % FILLED_STEPS);
        if (f->steps % f->every == 0 && f->n_sample < FILLED_SAMPLES)
                f->sample[f->n_sample++] = *at;
        add(batch, at, true, "StepStarted", "{\"input_hash\":\"" HASH "\"}");
        add_findings(f, batch, at, blocks ? "ambiguous" : "unknown", blocks);
        if (blocks)
                add_block(f, batch, at);
        add_question(f, batch, at);
        if (blocks)
                return;
        add_answer(f, batch, at);
        add(batch, at, true, "StepCompleted",
                "{\"input_hash\":\"" HASH "\",\"output_hash\":\"" HASH "\",\"exit_code\":0}");
}

static void append_run(filled_log *f, pawl__batch *batch, const char *run)
{
        uint64_t fence;

        if (pawl__log_claim(&fence, f->log, pawl__text("bench"), pawl__text(run),
                    (pawl_text){NULL, 0}, (pawl_text){NULL, 0}, batch, NULL) ||
                pawl_log_release(f->log, run, fence))
                bench_die(pawl_log_errmsg(f->log));
}

void filled_open(filled_log *f, const char *path, size_t events, size_t terms)
{
        filled_open_blocked(f, path, events, terms, FILLED_OPEN);
}

void filled_open_blocked(filled_log *f, const char *path, size_t events, size_t terms, size_t open)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl__batch batch = PAWL__BATCH_INIT;
        size_t steps = events / (FILLED_STEP_EVENTS + terms) + 1;
        unsigned char head[32];
        pawl_error err = PAWL_ERROR_INIT;

        memset(f, 0, sizeof *f);
        f->terms = terms;
        f->open = open;
        f->every = steps < FILLED_SAMPLES ? 1 : steps / FILLED_SAMPLES;
        for (size_t i = 0; i + 1 < sizeof f->text; i++)
                f->text[i] = "the refund lands in the workspace of a customer "[i % 48];
        options.flags = PAWL_LOG_CREATE;
        /* Made by hand: no rule judges the order of events with v 1. */
        if (pawl__log_open_as(&f->log, path, &options, &(pawl__log_setup){.event_v = 1}, &err) ||
                pawl__state_of(&f->state, f->log, &err))
                bench_die(err.message);
        for (size_t number = 0; f->steps < steps; number++) {
                filled_sample at = {"", "", ""};
                snprintf(at.run, sizeof at.run, "run-%zu", number);
                add(&batch, &at, false, "RunStarted", "{\"steps\":[],\"scope_refs\":[]}");
                for (size_t i = 0; i < FILLED_STEPS && f->steps < steps; i++)
                        add_step(f, &batch, &at, f->steps + f->open >= steps);
                if (f->steps < steps)
                        add(&batch, &at, false, "RunCompleted", "{}");
                append_run(f, &batch, at.run);
        }
        pawl__batch_free(&batch);
        if (pawl_log_head(&f->events, head, f->log))
                bench_die(pawl_log_errmsg(f->log));
}

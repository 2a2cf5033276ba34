/**
 * @file bench/filled_log.h
 * @brief A log filled with so many events of missions as they are: runs of steps that are checked,
 *        checkpointed and completed, payloads of about 600 bytes on average.
 */
#ifndef BENCH_FILLED_LOG_H
#define BENCH_FILLED_LOG_H

#include "bench/measure.h"
#include "events/log.h"
#include "state/state.h"
#include <string.h>

enum { FILLED_STEPS = 400, FILLED_STEP_EVENTS = 7, FILLED_TOKENS = 128 };

typedef struct filled_log {
        pawl_log *log;
        size_t tokens;                  /* checkpoints made */
        char sample[FILLED_TOKENS][37]; /* tokens spread over the whole log */
        size_t n_sample;
        char text[600]; /* context that findings quote */
} filled_log;

static inline void filled_add(pawl__batch *batch, const char *run, const char *step,
        const char *type, const char *payload)
{
        pawl_event event = {.v = 1,
                .type = {type, strlen(type)},
                .mission_id = {"bench", 5},
                .run_id = {run, strlen(run)},
                .step_id = {step, step ? strlen(step) : 0},
                .actor = {"user:bench", 10},
                .payload = {payload, strlen(payload)}};
        pawl_error err;

        if (pawl__batch_event(batch, &event, &err))
                bench_die(err.message);
}

#define FILLED_HASH "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* Tokens as they are: spread evenly over all there could be. */
static inline void filled_token(char out[37], size_t n)
{
        unsigned long long x = (unsigned long long)n * 0x9e3779b97f4a7c15ull;

        snprintf(out, 37, "%08llx-%04llx-4000-8000-%012llx", x >> 32, x >> 16 & 0xffff,
                (unsigned long long)n);
}

/* The seven events of a step that passed the gate. */
static inline void filled_step(
        filled_log *f, pawl__batch *batch, const char *run, size_t number, size_t every)
{
        char step[32], token[37], payload[2048];

        snprintf(step, sizeof step, "step-%zu", number);
        filled_token(token, ++f->tokens);
        if (f->tokens % every == 0 && f->n_sample < FILLED_TOKENS)
                memcpy(f->sample[f->n_sample++], token, 37);
        filled_add(batch, run, step, "StepStarted", "{\"input_hash\":\"" FILLED_HASH "\"}");
        for (int i = 0; i < 2; i++) {
                snprintf(payload, sizeof payload,
                        "{\"term\":\"term %zu\",\"source_step\":\"%s\",\"actor_id\":\"user:bench\","
                        "\"confidence\":0.8,\"extraction_method\":\"quoted_phrase\",\"context\":"
                        "\"%.300s\"}",
                        f->tokens, step, f->text);
                filled_add(batch, run, step, "TermCandidateObserved", payload);
        }
        snprintf(payload, sizeof payload,
                "{\"findings\":[{\"term\":\"term %zu\",\"original\":\"Term\",\"conflict_type\":"
                "\"unknown\",\"severity\":\"low\",\"confidence\":0.8,\"candidate_senses\":[{"
                "\"surface\":\"term\",\"scope\":\"team_domain\",\"definition\":\"%.200s\","
                "\"confidence\":0.9}],\"context\":\"%.590s\"}],\"overall_severity\":\"low\","
                "\"confidence\":0.8,\"effective_strictness\":\"medium\",\"recommended_action\":"
                "\"warn\",\"blocked\":false,\"phase\":\"inputs\"}",
                f->tokens, f->text, f->text);
        filled_add(batch, run, step, "SemanticCheckEvaluated", payload);
        snprintf(payload, sizeof payload,
                "{\"strictness\":\"medium\",\"scope_refs\":[{\"scope\":\"team_domain\","
                "\"version_id\":\"" FILLED_HASH
                "\"},{\"scope\":\"core\",\"version_id\":\"" FILLED_HASH
                "\"}],\"input_hash\":\"" FILLED_HASH
                "\",\"input_hash_alg\":\"jcs-sha256\",\"cursor\":\"post_gate\",\"retry_token\":"
                "\"%s\"}",
                token);
        filled_add(batch, run, step, "StepCheckpointed", payload);
        filled_add(batch, run, step, "StepCompleted",
                "{\"input_hash\":\"" FILLED_HASH "\",\"output_hash\":\"" FILLED_HASH
                "\",\"exit_code\":0}");
        snprintf(payload, sizeof payload,
                "{\"conflict_id\":\"c-%zu\",\"question\":\"%.200s\",\"term\":\"term\",\"options\":"
                "[{\"surface\":\"term\",\"scope\":\"team_domain\",\"definition\":\"%.100s\","
                "\"confidence\":0.9}],\"urgency\":\"low\",\"retry_token\":\"%s\",\"input_hash\":"
                "\"" FILLED_HASH "\"}",
                f->tokens, f->text, f->text, token);
        filled_add(batch, run, step, "GlossaryClarificationRequested", payload);
}

/** Fill a new log at @p path with at least @p events, in large appends, its tables kept in step. */
static inline void filled_open(filled_log *f, const char *path, size_t events)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__state *state;
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t fence;
        size_t done = 0, steps = events / FILLED_STEP_EVENTS + 1;
        size_t every = steps < FILLED_TOKENS ? 1 : steps / FILLED_TOKENS;

        memset(f, 0, sizeof *f);
        for (size_t i = 0; i + 1 < sizeof f->text; i++)
                f->text[i] = "the refund lands in the workspace of a customer "[i % 48];
        options.flags = PAWL_LOG_CREATE;
        if (pawl_log_open(&f->log, path, &options, &err) || pawl__state_of(&state, f->log, &err))
                bench_die(err.message);
        for (size_t number = 0; done < events; number++) {
                char run[32];
                snprintf(run, sizeof run, "run-%zu", number);
                filled_add(&batch, run, NULL, "RunStarted", "{\"steps\":[],\"scope_refs\":[]}");
                for (size_t i = 0; i < FILLED_STEPS && done < events; i++) {
                        filled_step(f, &batch, run, i, every);
                        done += FILLED_STEP_EVENTS;
                }
                filled_add(&batch, run, NULL, "RunCompleted", "{}");
                if (pawl__log_claim(&fence, f->log, (pawl_text){"bench", 5},
                            (pawl_text){run, strlen(run)}, (pawl_text){NULL, 0},
                            (pawl_text){NULL, 0}, &batch, NULL) ||
                        pawl_log_release(f->log, run, fence))
                        bench_die(pawl_log_errmsg(f->log));
        }
        pawl__batch_free(&batch);
}

#endif

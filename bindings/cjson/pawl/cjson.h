/**
 * @file pawl/cjson.h
 * @brief Pawl's JSON as trees of cJSON, for programs that hold theirs so. Library: libpawl-cjson.
 *
 *   pawl_cjson_set_inputs(ctx, inputs, &err);
 *   if (pawl_pipeline_run(chain, ctx) == PAWL_OK)
 *           pawl_cjson_complete(chain, ctx, output, &err);
 *
 * A tree of cJSON can hold less than a JSON text: integers beyond +-(2^53 - 1) are rounded, a
 * string ends at its first U+0000, a number beyond a double becomes null. What a tree cannot hold
 * is refused on the way in, and what it may have lost already, on the way out: PAWL_EPARSE, saying
 * where. The calls of <pawl/pawl.h> on texts take and give such values whole.
 *
 * Trees that are given stay their owner's; trees that come are the caller's, freed with
 * cJSON_Delete(). All of it is allocated by cJSON's hooks. After a failure *out is as it was.
 * Threads: as the objects given; no call has a state of its own.
 */
#ifndef PAWL_CJSON_H
#define PAWL_CJSON_H

#include <cjson/cJSON.h>
#include <pawl/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A JSON text as a tree that holds all of it.
 * @return PAWL_EPARSE: what pawl_json_canonical() refuses, and what a tree cannot hold;
 * PAWL_ENOMEM.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_read(
        cJSON **out, const char *json, size_t len, pawl_error *err);

/**
 * A tree's canonical text (RFC 8785), ended by a NUL that *len does not count; pawl_free().
 * @return PAWL_EPARSE: an integer that cJSON may have rounded, a number that is none, a string that
 *         is not UTF-8, two members of one name, deeper than 512, cJSON_Raw; PAWL_ENOMEM.
 */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_write(
        char **out, size_t *len, const cJSON *tree, pawl_error *err);

/** pawl_context_set_inputs() of a tree. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_set_inputs(
        pawl_context *ctx, const cJSON *inputs, pawl_error *err);
/** pawl_context_set_metadata() of a tree. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_set_metadata(
        pawl_context *ctx, const cJSON *metadata, pawl_error *err);
/** pawl_pipeline_complete() with a tree as the output. A tree that is refused completes nothing. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_complete(
        pawl_pipeline *pipeline, pawl_context *ctx, const cJSON *output, pawl_error *err);
/** pawl_context_output(). PAWL_ENOTFOUND: there is none yet. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_output(
        cJSON **out, const pawl_context *ctx, pawl_error *err);

/** pawl_log_append() of one event: its type and ids as @p event has them, and @p payload, an
 *  object, as its payload. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_append(uint64_t *seq, pawl_log *log,
        const pawl_event *event, const cJSON *payload, uint64_t fence, pawl_error *err);
/** An event as a line of `eventlog export` has it; a payload that was pruned is null. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_event(
        cJSON **out, const pawl_event *event, pawl_error *err);

/** {mission_id, run_id, step_id, retry_token, input_hash, cursor, strictness, scope_refs: [{scope,
 *  version_id}], seq, time}. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_checkpoint(
        cJSON **out, const pawl_step_checkpoint *checkpoint, pawl_error *err);
/** pawl_step_checkpoint_verify() of a tree. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_verify(
        bool *same, const pawl_step_checkpoint *checkpoint, const cJSON *inputs, pawl_error *err);

/** A conflict as an element of `pawl conflicts --json` has it, but for `to`, `answered_by` and
 *  `seq`. */
PAWL_EXTERN PAWL_MUST_CHECK pawl_status pawl_cjson_conflict(
        cJSON **out, const pawl_conflict_info *info, pawl_error *err);

#ifdef __cplusplus
}
#endif

#endif

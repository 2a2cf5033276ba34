/**
 * @file tests/support/replay_json.h
 * @brief A fold as the whole of what `eventlog replay --json` prints.
 */
#pragma once

#include "state/state.h"

static inline pawl_status replay_json(pawl__buf *out, pawl__store *store, pawl_log *log,
        uint64_t head_seq, const unsigned char head_hash[32], pawl_error *err)
{
        pawl__replay_object object = {.out = out};
        const pawl_status status = pawl__replay_each(
                store, log, head_seq, head_hash, NULL, pawl__replay_add, &object, err);

        return status ? status : pawl__replay_add(NULL, pawl__text(NULL), &object, err);
}

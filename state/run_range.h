/**
 * @file state/run_range.h
 * @brief The events of one run, read where its row says that they are.
 */
#pragma once

#include "events/log.h"
#include "state/state.h"

/** The events of the run: @p out has its id, and the part of the log that they are in. It begins
 *  with the log's for a run of before the rules, which may have events from before its row, and is
 *  the whole log for a run without a row. */
PAWL_MUST_CHECK pawl_status pawl__run_range(
        pawl__event_filter *out, pawl_log *log, pawl_text run_id, pawl_error *err);

/** Call @p fn for each event of the run after @p since and up to @p until, in order, as
 * pawl__log_each(). */
PAWL_MUST_CHECK pawl_status pawl__run_each(pawl_log *log, pawl_text run_id, uint64_t since,
        uint64_t until, pawl__event_fn fn, void *user, pawl_error *err);

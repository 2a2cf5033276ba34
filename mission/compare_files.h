/**
 * @file mission/compare_files.h
 * @brief The files that two runs of a step left behind, where one of them changed them.
 */
#pragma once

#include "state/state.h"
#include "workspace/store/contents.h"
#include <pawl/workspace.h>

/** How the workspace stood after a step. */
typedef struct pawl__left_files {
        pawl__row after; /**< the checkpoint */
        bool known;      /**< there is one */
        bool changed;    /**< it was taken of the step: what it changed since the one before it */
} pawl__left_files;

typedef struct pawl__file_comparing {
        pawl_log *log;
        pawl__state *state;
        pawl__contents *contents;
        const pawl_workspace_options *options;
} pawl__file_comparing;

PAWL_MUST_CHECK pawl_status pawl__file_comparing_open(pawl__file_comparing *out, pawl_log *log,
        pawl__state *state, const pawl_workspace_options *options, pawl_error *err);
void pawl__file_comparing_close(pawl__file_comparing *c);

/** *out stays as it is where none differs, or nothing is known of them (any more). What was there
 *  before either step is no difference between the two. */
PAWL_MUST_CHECK pawl_status pawl__compare_left_files(pawl_comparison **out, pawl__file_comparing *c,
        const pawl__left_files *a, const pawl__left_files *b, pawl_error *err);

/**
 * @file state/steps_before.h
 * @brief A run and some of its steps as they were before a rollback gave them up: kept in the
 *        rollback's row as JSON, and put back when it is undone.
 */
#pragma once

#include "base/json_tree.h"
#include "base/json_write.h"
#include "state/store.h"

/** Begin with the run; steps follow one by one. pawl__steps_before_close() returns a failure. */
void pawl__steps_before_open(pawl__json_writer *w, const pawl__row *run);
void pawl__steps_before_add(pawl__json_writer *w, const pawl__row *step);
PAWL_MUST_CHECK pawl_status pawl__steps_before_close(pawl__json_writer *w);

/** Read the text into @p tree; the run's id, status and current step, whose texts are those of the
 *  tree. PAWL_EDAMAGED: the text is none that was made by the above. */
PAWL_MUST_CHECK pawl_status pawl__steps_before_read(
        pawl__json_tree *tree, pawl__row *run, pawl_text text, pawl_error *err);
/** The first step's node, and the next one's after @p node; PAWL__NO_NODE: no more. */
pawl__node pawl__steps_before_first(const pawl__json_tree *tree);
pawl__node pawl__steps_before_after(const pawl__json_tree *tree, pawl__node node);
/** The whole row of the step at @p node, of that run. PAWL_EDAMAGED. */
PAWL_MUST_CHECK pawl_status pawl__steps_before_step(pawl__row *step, const pawl__json_tree *tree,
        pawl__node node, pawl_text run_id, pawl_error *err);

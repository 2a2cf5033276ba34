/**
 * @file state/text_list.h
 * @brief Lists of texts as a column keeps them: a canonical JSON array, each text once.
 */
#pragma once

#include "base/json_tree.h"

/** @p list (absent: empty) and then those of the array @p more that it has not, in their order. */
PAWL_MUST_CHECK pawl_status pawl__text_list_add(pawl_text *out, pawl__arena *arena, pawl_text list,
        const pawl__json_tree *tree, pawl__node more, pawl_error *err);

/** @p list (absent: empty) without those of the array @p less. */
PAWL_MUST_CHECK pawl_status pawl__text_list_remove(pawl_text *out, pawl__arena *arena,
        pawl_text list, const pawl__json_tree *tree, pawl__node less, pawl_error *err);

/** How many texts a list (absent: empty) holds. */
PAWL_MUST_CHECK pawl_status pawl__text_list_count(size_t *out, pawl_text list, pawl_error *err);

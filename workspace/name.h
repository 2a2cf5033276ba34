/**
 * @file workspace/name.h
 * @brief The id of a checkpoint beside its number: "cp-04-implement-20260120-143000".
 */
#pragma once

#include "base/text.h"

#define PAWL__CHECKPOINT_ID_MAX 96

/** @param words  what it is of: a step's id or the first words of a description; of it stay letters
 *  and digits of ASCII, in lower case, with '-' between them, at most 32. Absent: "files". The time
 *  is UTC, and for people. */
void pawl__checkpoint_id(
        char out[PAWL__CHECKPOINT_ID_MAX], uint64_t n, pawl_text words, int64_t wall_us);

/**
 * @file mission/ready.h
 * @brief Which steps of a run may begin: those that wait for no other.
 */
#pragma once

#include "mission/mission.h"

/** Zero-initialised may be freed. */
typedef struct pawl__ready_steps {
        size_t n;        /**< steps of the mission */
        uint32_t *waits; /**< of each: for so many others; UINT32_MAX: it was taken */
        uint32_t *next;  /**< those that need step i: next[first[i]] up to next[first[i + 1]] */
        uint32_t *first;
        size_t from; /**< none before this one is ready */
        size_t done; /**< so many are completed */
} pawl__ready_steps;

/** None is completed. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__ready_make(
        pawl__ready_steps *steps, const pawl_mission *mission, pawl_error *err);
void pawl__ready_free(pawl__ready_steps *steps);

/** Take the first in the file of those that are ready; n: none is. */
size_t pawl__ready_take(pawl__ready_steps *steps);
/** One that was taken is completed. */
void pawl__ready_completed(pawl__ready_steps *steps, size_t step);
/** One that was taken, and is not completed, is ready anew. */
void pawl__ready_again(pawl__ready_steps *steps, size_t step);

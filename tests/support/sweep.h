/**
 * @file tests/support/sweep.h
 * @brief A call over and over, each time with another allocation that fails, until none does.
 *
 * @code
 * for (sweep s = {.least = 20}; sweep_next(&s);) {
 *         // what the call needs
 *         sweep_arm(&s);
 *         status = pawl_...(..., &err);
 *         if (!sweep_done(&s, status, &err))
 *                 // it failed: check that nothing was written
 *         // put things back, free what there is
 * }
 * @endcode
 *
 * A call fails with "out of memory", or succeeds; a round leaves no more blocks than it
 * found: one that does is repeated, and a library's cache does not grow twice.
 * Under a sanitizer, where no allocation can fail, there is one round.
 *
 * Each public function that is called between sweep_arm() and sweep_done() is recorded, and whether
 * an allocation failed in it, in PROGRAM.swept. tests/house/sweeps_test.sh reads these records.
 */
#pragma once

#include "support/allocator.h"
#include "support/test.h"
#include "swept.h"

typedef struct sweep {
        /* ---- What the test asks for ---- */
        size_t step;   /**< every so many allocations only, unless tests are full; 0: each */
        size_t spread; /**< and further apart the later: n / spread more; 0: not */
        size_t warm;   /**< rounds before in which nothing fails: the last one's gain is no leak */
        size_t least;  /**< so many calls must fail; 0: one */
        bool once;     /**< the first call that succeeds ends it */
        bool keeps;    /**< blocks may stay: the call fills caches */
        pawl_status wanted; /**< what the call returns if no allocation fails */
        /* ---- What it finds ---- */
        size_t n;       /**< the allocation that fails, from 1; 0: none, in warm rounds */
        size_t refused; /**< calls that failed */
        bool failed;    /**< an allocation failed in this round */
        bool ends;      /**< this round is the last */
        /* ---- Its own ---- */
        bool again; /* the same allocation once more: it left blocks */
        size_t rounds;
        void *mark; /* what the round makes belongs to it, not to the test */
        long live, gain;
} sweep;

/** To the next round, if there is one. */
bool sweep_next(sweep *s);
/** Allocations of this round begin to be counted. */
void sweep_arm(sweep *s);
/** They are not any more. The status must be right, and the message, unless @p err is NULL. Did the
 * call succeed? */
bool sweep_done(sweep *s, pawl_status status, const pawl_error *err);

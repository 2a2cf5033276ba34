/**
 * @file state/memory.h
 * @brief Rows in memory, by index: what a replay folds into, and the cache of the SQL store in a
 * transaction.
 *
 * A row, once there, keeps its index until the store is cleared. Nothing is ever removed singly.
 */
#pragma once

#include "state/store.h"

typedef struct pawl__memory pawl__memory; /**< a pawl__store whose rows can be named by index */

/** With @p stored it keeps the columns that the database has, and no others. */
PAWL_MUST_CHECK pawl_status pawl__memory_new(pawl__memory **out, bool stored, pawl_error *err);
void pawl__memory_free(pawl__memory *memory);
/** Remove every row; some of the memory is kept for reuse. */
void pawl__memory_clear(pawl__memory *memory);

/** The index of the row with the key that @p row holds. PAWL_ENOTFOUND without a message. */
PAWL_MUST_CHECK pawl_status pawl__memory_find(uint32_t *index, pawl__memory *memory,
        pawl__table table, const pawl__row *row, pawl_error *err);
/** How many rows there are: the next new one has this index. */
size_t pawl__memory_count(const pawl__memory *memory, pawl__table table);
/** The row at an index; its texts are valid until it is put again or the store is cleared. */
void pawl__memory_read(
        const pawl__memory *memory, pawl__table table, uint32_t index, pawl__row *row);
/** Insert a row, or replace the one with its key; copies. On failure the store is as it was. */
PAWL_MUST_CHECK pawl_status pawl__memory_put(uint32_t *index, pawl__memory *memory,
        pawl__table table, const pawl__row *row, pawl_error *err);

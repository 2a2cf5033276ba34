/**
 * @file tests/support/hostile_rows.h
 * @brief Bytes as changes to a log's database, and to the bytes of its file.
 */
#pragma once

#include "fuzz/fuzzing.h"
#include "support/hostile_log.h"

/** Append events of all sorts, put, change and delete rows of any table, change the schema: as
 *  many changes as the input has. What SQLite refuses is left. */
void hostile_rows(sqlite3 *db, pawl__hasher *hasher, bytes *input);

/** Bind text, or NULL where it is absent; it must outlive the step. SQLite's result. */
int hostile_bind_text(sqlite3_stmt *stmt, int index, pawl_text text);

/** A text with some of its bytes exchanged for others of the input. */
pawl_text hostile_text(pawl__buf *out, pawl_text sample, bytes *input);

/** Overwrite parts of the image's files, or cut the last one. */
void hostile_damage(log_image *image, bytes *input);

/**
 * @file bench/document.h
 * @brief A JSON document of mixed content, as missions' inputs are: records with members out of
 *        order, some of them indented, text that is not ASCII, escapes, numbers.
 */
#pragma once

#include "base/text.h"

/** About @p size bytes, the same at each run. Freed by the caller. */
void bench_document(pawl__buf *out, size_t size);

/**
 * @file tests/support/document.h
 * @brief Texts that are read as files, or refused.
 */
#pragma once

#include "document/document.h"
#include "support/test.h"

/** The document of a text, which must be well-formed; free it. */
pawl__document document_parsed(const char *path, const char *text, size_t len);
/** The text is refused with this status and a line that starts with the path and says this. */
void document_refused(
        const char *path, const char *text, size_t len, pawl_status status, const char *message);

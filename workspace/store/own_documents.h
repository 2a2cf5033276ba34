/**
 * @file workspace/store/own_documents.h
 * @brief Which documents Pawl wrote into the workspace, by their hashes, in a file beside the log.
 *
 * A file that has one of these hashes was not changed by hand since. The file may be removed, and
 * older hashes go: then such a document counts as changed by hand.
 */
#pragma once

#include "events/log.h"

/** Note that @p path was written; a failure is no loss, and is not reported. Nothing is noted of a
 *  path beside the log, which no workspace has. */
void pawl__own_document_note(pawl_log *log, const char *path, const void *text, size_t len);

/** All of them into @p out; none where they cannot be read. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__own_documents_read(
        pawl__buf *out, const pawl_log *log, pawl_error *err);
bool pawl__own_documents_have(const pawl__buf *documents, const unsigned char hash[32]);

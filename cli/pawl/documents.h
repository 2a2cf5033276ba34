/**
 * @file cli/pawl/documents.h
 * @brief The documents that arguments name: files, whole directories, standard input.
 */
#pragma once

#include "base/text.h"
#include "command/command.h"

typedef struct cli_documents {
        pawl__arena arena;
        pawl_text *texts;   /**< valid UTF-8, without a byte order mark */
        const char **names; /**< as they were named, or found below a directory */
        size_t n, cap_texts, cap_names;
        size_t left_out; /**< in directories, as no documents by their names */
} cli_documents;

/**
 * Read what the arguments name: a file, "-", or a directory, of which the documents by their names
 * (.md, .rst, .adoc, .txt and the like) are taken, in the order of their paths; not those whose
 * name begins with a dot, nor what its .gitignore files leave out, nor what symbolic links lead to.
 * What is no text, not UTF-8 or longer than 64 MiB is left out, and said so.
 * @return PAWL_ENOTFOUND, PAWL_EACCESS, PAWL_EIO; PAWL_EINVAL if nothing was left to be read.
 */
PAWL_MUST_CHECK pawl_status cli_documents_read(
        cli_documents *out, const cli_call *cli, pawl_error *err);
void cli_documents_free(cli_documents *documents);

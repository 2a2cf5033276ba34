/**
 * @file workspace/archive/archive_check.h
 * @brief Is an archive whole, and what it says it is? Found out before anything of it is used.
 */
#pragma once

#include "workspace/archive/archive_read.h"
#include "workspace/archive/manifest.h"

/** "contents/" and 64 digits. */
enum { PAWL__CONTENT_NAME = 9 + 65 };
void pawl__content_name(char out[PAWL__CONTENT_NAME], const unsigned char hash[32]);

/**
 * Go through all of an archive: manifest, chain, directories, files and documents are each what
 * their hashes say, hold together (every content that a tree names is there, and none else), and
 * nothing else is in it. Directories are kept in memory meanwhile, one document at a time, of files
 * a piece.
 *
 * @param[out] out  zero-initialised; freed by the caller in any case. Its contents have `file` and
 *                  `document` set.
 * @return PAWL_EFORMAT, PAWL_ENEWER or PAWL_ETOOBIG with one line that names the archive.
 */
PAWL_MUST_CHECK pawl_status pawl__archive_check(
        pawl__manifest *out, const pawl__archive_source *source, pawl_error *err);

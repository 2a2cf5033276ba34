/**
 * @file workspace/diff/binary_patch.h
 * @brief Binary contents in a patch as `git apply` reads them.
 */
#pragma once

#include "base/text.h"

/** The "index" line of a change: the SHA-1 ids that git gives the contents; data NULL: there is
 * none on that side. `git apply` wants them whole. */
void pawl__binary_index(pawl__buf *out, pawl_text before, pawl_text after);

/** "GIT binary patch", forward and back, each side literal. Not compressed: a zlib stream (RFC
 * 1950) of stored blocks, in git's base 85. The buffer's failure is its own. */
void pawl__binary_patch(pawl__buf *out, pawl_text before, pawl_text after);

/**
 * @file service/token.h
 * @brief The tokens that a request must carry: one in a file, for programs, and one for the page.
 *
 * The file's stays until the file is removed, so that programs keep working when the service
 * restarts. The page's is new at each start, and is only in the printed link.
 */
#pragma once

#include <pawl/base.h>
#include <stdbool.h>

#define SERVICE_TOKEN_BYTES 32
#define SERVICE_TOKEN_HEX   (2 * SERVICE_TOKEN_BYTES)

typedef struct service_token {
        unsigned char bytes[SERVICE_TOKEN_BYTES];
} service_token;

/** Random bytes of the system. PAWL_EIO without any. */
PAWL_MUST_CHECK pawl_status service_token_make(service_token *out, pawl_error *err);

/**
 * The token in the file at @p path: 64 hex digits and a newline. Without a file it is created,
 * 0600, atomically: of two services that start together one creates it.
 * @return PAWL_EACCESS for a file that others may read or write, that belongs to somebody else, or
 *         is a link; PAWL_EINVAL for one that holds something else; PAWL_ENOTFOUND (its directory),
 *         PAWL_EFULL, PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status service_token_file(
        service_token *out, const char *path, pawl_error *err);

/** Is this text the token, in hex? In constant time. */
bool service_token_is(const service_token *token, pawl_text hex);

/** Lower-case hex and a NUL. */
void service_token_format(char out[SERVICE_TOKEN_HEX + 1], const service_token *token);

/**
 * @file service/token.h
 * @brief The secrets that a request must know: one in a file, for programs, and one for the page.
 *
 * The file's stays until the file is removed, so that programs keep working when the service starts
 * again. The page's is another at each start, and is nowhere but in the link that is printed.
 */
#ifndef SERVICE_TOKEN_H
#define SERVICE_TOKEN_H

#include <pawl/base.h>
#include <stdbool.h>

#define SERVICE_TOKEN_BYTES 32
#define SERVICE_TOKEN_HEX   (2 * SERVICE_TOKEN_BYTES)

typedef struct service_token {
        unsigned char bytes[SERVICE_TOKEN_BYTES];
} service_token;

/** Random bytes of the system. PAWL_EIO where there are none. */
PAWL_MUST_CHECK pawl_status service_token_make(service_token *out, pawl_error *err);

/**
 * The token in the file at @p path: 64 hex digits and a newline. Where there is no file it is made,
 * 0600, whole at once: of two services that start together one makes it.
 * @return PAWL_EACCESS for a file that others may read or write, that belongs to somebody else, or
 *         is a link; PAWL_EINVAL for one that holds something else; PAWL_ENOTFOUND (its folder),
 *         PAWL_EFULL, PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status service_token_file(
        service_token *out, const char *path, pawl_error *err);

/** Is this text the token, in hex? In a time that does not tell where they part. */
bool service_token_is(const service_token *token, pawl_text hex);

/** Lower-case hex and a NUL. */
void service_token_format(char out[SERVICE_TOKEN_HEX + 1], const service_token *token);

#endif

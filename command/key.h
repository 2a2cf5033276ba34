/**
 * @file command/key.h
 * @brief The key of a log's chain, from the file that --key-file or $PAWL_KEY_FILE names.
 */
#pragma once

#include "command/command.h"
#include <pawl/events.h>

typedef struct cli_key {
        unsigned char bytes[PAWL_KEY_MAX + 1]; /* one more, to see that a file is too long */
        size_t len;                            /**< 0: no file was named */
} cli_key;

/**
 * The bytes of the file as they are, a newline at its end among them. cli_key_forget() them soon,
 * also after a failure.
 * @return PAWL_ENOTFOUND, PAWL_EACCESS (also for a file that others may read or write), PAWL_EINVAL
 *         (a directory; too short or too long), PAWL_EIO.
 */
PAWL_MUST_CHECK pawl_status cli_key_read(cli_key *out, const cli_call *cli, pawl_error *err);
void cli_key_forget(cli_key *key);

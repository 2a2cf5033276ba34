/**
 * @file command/input.h
 * @brief Reading what an argument names: a file, or standard input for "-" or no argument.
 */
#pragma once

#include "base/text.h"
#include <stdio.h>

/** Bytes on their way in. Zero-initialise; cli_input_open() or fail. */
typedef struct cli_input {
        int fd;
        const char *name; /**< for messages */
        pawl__buf buf;
        size_t at; /**< where the next line starts */
        bool ended;
        FILE *answers; /**< flushed before a read of a line that may wait; NULL: none */
} cli_input;

/** PAWL_ENOTFOUND, PAWL_EACCESS, PAWL_EIO; @p name NULL or "-": standard input. */
PAWL_MUST_CHECK pawl_status cli_input_open(cli_input *input, const char *name, pawl_error *err);
/** All that is left. Valid until the next call. PAWL_ETOOBIG from 4 GiB on. */
PAWL_MUST_CHECK pawl_status cli_input_all(pawl_text *out, cli_input *input, pawl_error *err);
/** The next line without its newline; PAWL_DONE at the end. Valid until the next call.
 *  input->answers is flushed before a read that may wait, so that a program at both ends gets its
 *  answers. */
PAWL_MUST_CHECK pawl_status cli_input_line(pawl_text *out, cli_input *input, pawl_error *err);
/** The same up to the end, or where @p whole says that nothing more is wanted. */
typedef bool (*cli_whole_fn)(pawl_text so_far, void *user);
PAWL_MUST_CHECK pawl_status cli_input_until(
        pawl_text *out, cli_input *input, cli_whole_fn whole, void *user, pawl_error *err);
void cli_input_close(cli_input *input);

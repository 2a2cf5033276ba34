/**
 * @file command/values.h
 * @brief Options' values: where they are kept, and what they must be. For command/ alone.
 */
#pragma once

#include "command/command.h"

/** One value of an option that may be given again and again. */
struct cli_repeated {
        const cli_option *option;
        const char *value;
};

/** The place of the option of this name, which ends at @p len, in a table (may be NULL); -1: none.
 */
int cli_option_place(const cli_option *options, const char *name, size_t len);
/** Is the value of the option's kind? CLI_USAGE after saying that it is not. */
int cli_check_value(const cli_call *cli, const cli_option *option, const char *value);

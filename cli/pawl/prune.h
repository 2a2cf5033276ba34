/**
 * @file cli/pawl/prune.h
 * @brief What both prune commands show of what goes and what stays.
 */
#pragma once

#include "command/table.h"

/** "goes", or "stays: " and why, of a const char * that says why it stays. */
const char *cli_goes(const void *value, char buf[CLI_WORD_MAX]);

/** The fields of that value: what is shown of it, and the members goes and why. */
#define CLI_GOES(...)                                                                              \
        {NULL, CLI_AS_WORD, __VA_ARGS__, .title = "what", .cut = CLI_CUT, .word = cli_goes},       \
                {"goes", CLI_AS_NULL, __VA_ARGS__},                                                \
        {                                                                                          \
                "why", CLI_AS_STRING, __VA_ARGS__                                                  \
        }

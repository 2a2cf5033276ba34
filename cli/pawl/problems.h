/**
 * @file cli/pawl/problems.h
 * @brief What is wrong with a file, told all at once: a line each for people, with --json also
 * {"problems":[...]}, which is what a service passes on.
 */
#pragma once

#include "base/json_write.h"
#include "command/command.h"
#include "document/fields.h"

typedef struct cli_problems {
        pawl__problems of; /**< what a reader collects them in */
        const cli_call *cli;
        pawl__json_writer list;
} cli_problems;

void cli_problems_begin(cli_problems *problems, const cli_call *cli);
/** At the end, whatever the reader returned and told in @p err; returns that. */
pawl_status cli_problems_end(cli_problems *problems, pawl_status status, const pawl_error *err);

/**
 * @file cli/pawl/serve.h
 * @brief pawl serve: its table is in every build, the service only with PAWL_WITH_SERVICE.
 */
#pragma once

#include "command/command.h"

#define DEFAULT_ADDRESS "127.0.0.1"
#define DEFAULT_LISTEN  DEFAULT_ADDRESS ":7473"

int pawl_serve_run(cli_call *cli);

#include "cli/registry.h"
#include "cli/eventlog/program.h"
#include "cli/pawl/program.h"

static const cli_program *const programs[] = {&pawl_program, &eventlog_program, NULL};

const cli_registry cli_commands = {programs};

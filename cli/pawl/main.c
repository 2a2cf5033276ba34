#include "cli/main.h"
#include "cli/pawl/program.h"
#include "cli/registry.h"

int main(int argc, char **argv)
{
        return cli_main(&pawl_program, &cli_commands, argc, argv);
}

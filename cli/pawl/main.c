#include "cli/main.h"
#include "cli/pawl/program.h"

int main(int argc, char **argv)
{
        return cli_main(&pawl_program, argc, argv);
}

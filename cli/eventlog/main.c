#include "cli/main.h"
#include "cli/eventlog/program.h"

int main(int argc, char **argv)
{
        return cli_main(&eventlog_program, NULL, argc, argv);
}

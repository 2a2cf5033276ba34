#include "cli/eventlog/commands.h"

static const cli_cmd *const cmds[] = {
        &eventlog_replay_cmd,
        &eventlog_list_cmd,
        &eventlog_tail_cmd,
        &eventlog_show_cmd,
        &eventlog_verify_cmd,
        &eventlog_head_cmd,
        &eventlog_stats_cmd,
        &eventlog_export_cmd,
        &cli_help_cmd,
        &cli_completion_cmd,
        NULL,
};

int main(int argc, char **argv)
{
        static const cli_program program = {
                "eventlog", "Look into a log of events, changing nothing in it", cmds, NULL};

        return cli_main(&program, argc, argv);
}

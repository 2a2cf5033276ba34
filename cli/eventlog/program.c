#include "cli/eventlog/program.h"
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
        &eventlog_trace_cmd,
        &eventlog_note_cmd,
        &eventlog_prove_cmd,
        &eventlog_tiles_cmd,
        &eventlog_timestamp_cmd,
        &cli_help_cmd,
        &cli_completion_cmd,
        NULL,
};

const cli_program eventlog_program = {
        "eventlog", "Look into a log of events, changing nothing in it", cmds, NULL};

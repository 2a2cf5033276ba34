/**
 * @file cli/eventlog/commands.h
 * @brief The subcommands of `eventlog`, one a file. All of them open the log read-only.
 */
#ifndef CLI_EVENTLOG_COMMANDS_H
#define CLI_EVENTLOG_COMMANDS_H

#include "command/command.h"

extern const cli_cmd eventlog_replay_cmd, eventlog_list_cmd, eventlog_tail_cmd, eventlog_show_cmd,
        eventlog_verify_cmd, eventlog_head_cmd, eventlog_stats_cmd, eventlog_export_cmd,
        eventlog_trace_cmd;

#endif

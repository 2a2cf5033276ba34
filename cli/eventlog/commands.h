/**
 * @file cli/eventlog/commands.h
 * @brief The subcommands of `eventlog`, one a file. All of them open the log read-only.
 */
#pragma once

#include "command/command.h"

extern const cli_cmd eventlog_replay_cmd, eventlog_list_cmd, eventlog_tail_cmd, eventlog_show_cmd,
        eventlog_verify_cmd, eventlog_head_cmd, eventlog_stats_cmd, eventlog_export_cmd,
        eventlog_trace_cmd, eventlog_note_cmd, eventlog_prove_cmd, eventlog_tiles_cmd,
        eventlog_timestamp_cmd;

/**
 * @file cli/pawl/commands.h
 * @brief The subcommands of `pawl`, one a file.
 */
#pragma once

#include "command/command.h"

extern const cli_cmd pawl_init_cmd, pawl_run_cmd, pawl_resume_cmd, pawl_check_cmd,
        pawl_conflicts_cmd, pawl_resolve_cmd, pawl_glossary_list_cmd, pawl_glossary_import_cmd,
        pawl_glossary_edit_cmd, pawl_glossary_deprecate_cmd, pawl_glossary_ignore_cmd,
        pawl_glossary_log_cmd, pawl_glossary_propose_cmd, pawl_glossary_lint_cmd, pawl_hash_cmd,
        pawl_terms_cmd, pawl_status_cmd, pawl_runs_cmd, pawl_logs_cmd, pawl_output_cmd,
        pawl_sessions_cmd, pawl_session_start_cmd, pawl_session_update_cmd,
        pawl_session_checkpoint_cmd, pawl_session_end_cmd, pawl_session_resume_cmd,
        pawl_session_pin_cmd, pawl_prune_sessions_cmd, pawl_task_done_cmd, pawl_hooks_install_cmd,
        pawl_hooks_uninstall_cmd, pawl_hooks_status_cmd, pawl_hook_cmd, pawl_mcp_cmd,
        pawl_handoff_cmd, pawl_backup_cmd, pawl_copy_cmd, pawl_list_logs_cmd,
        pawl_workspace_checkpoint_cmd, pawl_workspace_checkpoints_cmd, pawl_show_cmd, pawl_diff_cmd,
        pawl_rollback_cmd, pawl_undo_cmd, pawl_redo_cmd, pawl_rollbacks_cmd, pawl_pin_cmd,
        pawl_du_cmd, pawl_prune_checkpoints_cmd, pawl_prune_threads_cmd, pawl_export_cmd,
        pawl_import_cmd, pawl_import_events_cmd, pawl_validate_cmd, pawl_rebuild_cmd,
        pawl_serve_cmd, pawl_tool_checkpoint_cmd, pawl_restore_cmd, pawl_restore_list_cmd,
        pawl_submit_cmd, pawl_skip_cmd, pawl_cancel_cmd, pawl_fork_cmd, pawl_compare_cmd,
        pawl_plan_cmd, pawl_work_cmd, pawl_workers_cmd;

#include "cli/pawl/program.h"
#include "cli/pawl/commands.h"

static const cli_cmd *const cmds[] = {
        &pawl_init_cmd,
        &pawl_run_cmd,
        &pawl_resume_cmd,
        &pawl_check_cmd,
        &pawl_conflicts_cmd,
        &pawl_resolve_cmd,
        &pawl_glossary_list_cmd,
        &pawl_glossary_import_cmd,
        &pawl_runs_cmd,
        &pawl_output_cmd,
        &pawl_logs_cmd,
        &pawl_sessions_cmd,
        &pawl_session_start_cmd,
        &pawl_session_update_cmd,
        &pawl_session_checkpoint_cmd,
        &pawl_session_end_cmd,
        &pawl_session_resume_cmd,
        &pawl_session_pin_cmd,
        &pawl_task_done_cmd,
        &pawl_hooks_install_cmd,
        &pawl_prune_sessions_cmd,
        &pawl_handoff_cmd,
        &pawl_checkpoint_cmd,
        &pawl_checkpoints_cmd,
        &pawl_show_cmd,
        &pawl_diff_cmd,
        &pawl_rollback_cmd,
        &pawl_undo_cmd,
        &pawl_tool_checkpoint_cmd,
        &pawl_restore_cmd,
        &pawl_restore_list_cmd,
        &pawl_pin_cmd,
        &pawl_du_cmd,
        &pawl_prune_checkpoints_cmd,
        &pawl_backup_cmd,
        &pawl_validate_cmd,
        &pawl_rebuild_cmd,
        &pawl_export_cmd,
        &pawl_import_cmd,
        &pawl_serve_cmd,
        &pawl_hash_cmd,
        &pawl_terms_cmd,
        &cli_help_cmd,
        &cli_completion_cmd,
        NULL,
};

static const cli_option shared[] = {
        {"key-file", 0, 0, CLI_FILE, "FILE", NULL,
                "the key of the log's chain, in place of $PAWL_KEY_FILE"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_program pawl_program = {
        "pawl", "Run missions, and go on where they stopped", cmds, shared};

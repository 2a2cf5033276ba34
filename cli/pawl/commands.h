/**
 * @file cli/pawl/commands.h
 * @brief The subcommands of `pawl`, one a file.
 */
#ifndef CLI_PAWL_COMMANDS_H
#define CLI_PAWL_COMMANDS_H

#include "cli/command.h"

extern const cli_cmd pawl_init_cmd, pawl_run_cmd, pawl_resume_cmd, pawl_check_cmd,
        pawl_conflicts_cmd, pawl_resolve_cmd, pawl_glossary_list_cmd, pawl_glossary_import_cmd,
        pawl_backup_cmd, pawl_hash_cmd, pawl_terms_cmd;

#endif

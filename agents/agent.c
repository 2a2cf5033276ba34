#include "agents/agent.h"

const pawl__agent pawl__agents[] = {
        {"claude", "Claude Code", ".claude/settings.json", "CLAUDE_CONFIG_DIR", ".claude",
                "settings.json", PAWL__HOOK_GROUPED, 60, "disableAllHooks", "true",
                "settings.local.json",
                {{"PreToolUse", "Edit|MultiEdit|Write|NotebookEdit|Bash"}, {"SessionStart", NULL},
                        {"PreCompact", NULL}, {"Stop", NULL}, {"SessionEnd", NULL}}},
        {"codex", "Codex", ".codex/hooks.json", "CODEX_HOME", ".codex", "hooks.json",
                PAWL__HOOK_GROUPED, 60, "features.hooks", "false", "config.toml",
                {{"PreToolUse", NULL}, {"SessionStart", NULL}, {"PreCompact", NULL},
                        {"Stop", NULL}}},
        {"gemini", "Gemini CLI", ".gemini/settings.json", NULL, ".gemini", "settings.json",
                PAWL__HOOK_GROUPED, 60000, "hooksConfig.enabled", "false", NULL,
                {{"BeforeTool", "write_file|replace|run_shell_command"}, {"SessionStart", NULL},
                        {"PreCompress", NULL}, {"AfterAgent", NULL}, {"SessionEnd", NULL}}},
        {"vscode", "VS Code", ".github/hooks/pawl.json", NULL, ".copilot/hooks", "pawl.json",
                PAWL__HOOK_TYPED, 60, NULL, NULL, NULL,
                {{"PreToolUse", NULL}, {"SessionStart", NULL}, {"PreCompact", NULL},
                        {"Stop", NULL}}},
        {"cursor", "Cursor", ".cursor/hooks.json", NULL, ".cursor", "hooks.json", PAWL__HOOK_PLAIN,
                60, NULL, NULL, NULL,
                {{"preToolUse", NULL}, {"beforeShellExecution", NULL}, {"sessionStart", NULL},
                        {"preCompact", NULL}, {"stop", NULL}, {"sessionEnd", NULL}}},
        {.name = NULL},
};

const pawl__agent *pawl__agent_named(const char *name)
{
        for (const pawl__agent *agent = pawl__agents; name && agent->name; agent++)
                if (strcmp(agent->name, name) == 0)
                        return agent;
        return NULL;
}

bool pawl__agent_reports_end(const pawl__agent *agent)
{
        for (size_t i = 0; i < PAWL__AGENT_EVENTS && agent->events[i].name; i++)
                if (strcmp(agent->events[i].name + 1, "essionEnd") == 0)
                        return true;
        return false;
}

bool pawl__tool_changes_files(pawl_text tool)
{
        static const char *const names[] = {
                "Edit", "MultiEdit", "Write", "NotebookEdit", "Bash",  /* Claude Code, Codex */
                "apply_patch", "exec_command", "shell", "local_shell", /* Codex */
                "write_file", "replace", "run_shell_command",          /* Gemini CLI */
                "Shell", "Delete",                                     /* Cursor */
                "create_file", "replace_string_in_file", "insert_edit_into_file",
                "multi_replace_string_in_file", "edit_notebook_file", "editFiles",
                "run_in_terminal", "runInTerminal", "run_task", "delete_file", "edit_file",
                "create_directory", "runTerminalCommand", "createFile", /* VS Code */
        };

        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (pawl__text_is(tool, names[i]))
                        return true;
        return false;
}

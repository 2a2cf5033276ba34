/**
 * @file agents/settings.h
 * @brief Putting hooks into the text of an agent's settings, and taking them out again.
 *
 * The settings are JSON that may have comments and trailing commas, and belong to the user: what is
 * put in is put in as text, so that every other byte stays as it was, and is taken out as text, so
 * that the file is then what it was before. Where the agent has written its settings anew since,
 * the hooks are found by their command and taken out with what then would be empty around them.
 */
#pragma once

#include "agents/agent.h"
#include "base/memory.h"
#include <string.h>

/**
 * Put a hook for each of the agent's events into @p text that has none of ours for it yet.
 * @param text     in: the settings, empty where there is no file; out: with the hooks.
 * @param command  what the hooks run, a shell's command that ends as pawl__hook_command_end() says.
 *                 The tools that it begins with, as PAWL__HOOK_TOOLS says, are in the matcher too.
 * @return PAWL_DONE: all of them were there. PAWL_EPARSE, PAWL_EINVAL: the text is no such
 * settings; it is as it was.
 */
PAWL_MUST_CHECK pawl_status pawl__settings_install(
        pawl__buf *text, const pawl__agent *agent, const char *command, pawl_error *err);

/**
 * Take our hooks out of @p text.
 * @param[out] remove_file  the text was nothing but what an install writes where there is no file.
 * @return PAWL_DONE: there were none. Otherwise as above.
 */
PAWL_MUST_CHECK pawl_status pawl__settings_uninstall(
        bool *remove_file, pawl__buf *text, const pawl__agent *agent, pawl_error *err);

/** Which of the agent's events have a hook of ours: bit I stands for agent->events[I]. */
PAWL_MUST_CHECK pawl_status pawl__settings_hooked(
        unsigned *events, pawl_text text, const pawl__agent *agent, pawl_error *err);

/** A command begins with this where it has tools of its own: their names, with commas between them,
 *  and a space follow. */
#define PAWL__HOOK_TOOLS "env PAWL_EDIT_TOOLS="

static inline bool pawl__settings_have_tools(pawl_text text)
{
        return text.len && strstr(text.data, PAWL__HOOK_TOOLS);
}

/** Are the agent's hooks switched off by this file of settings, TOML or JSON, ended by NUL? @return
 * as @p off, unless the file says nothing of it or is none. */
bool pawl__settings_switch(bool off, pawl_text text, const pawl__agent *agent);

/** What the command of a hook ends with: by it, and `pawl` in the name of its program, our hooks
 * are known. */
PAWL_MUST_CHECK pawl_status pawl__hook_command_end(
        pawl__buf *out, const pawl__agent *agent, pawl_error *err);

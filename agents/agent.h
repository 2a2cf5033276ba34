/**
 * @file agents/agent.h
 * @brief The agents whose hooks call `pawl hook`: where their settings are and which hooks they
 * get.
 */
#pragma once

#include "base/text.h"

/** How an agent's settings write one hook of an event. */
typedef enum pawl__hook_form {
        PAWL__HOOK_GROUPED, /**< {matcher, hooks: [{type, command, timeout}]} */
        PAWL__HOOK_TYPED,   /**< {type, command, timeout} */
        PAWL__HOOK_PLAIN    /**< {command, timeout}, in a document with `version` */
} pawl__hook_form;

/** One event that an agent tells of, and of which tools. */
typedef struct pawl__agent_event {
        const char *name;
        const char *matcher; /**< a pattern for the names of tools; NULL: all, or it has none */
} pawl__agent_event;

enum { PAWL__AGENT_EVENTS = 6 };

typedef struct pawl__agent {
        const char *name, *title;
        const char *project_file; /**< relative to the project's directory */
        const char
                *home_variable; /**< names the directory of the user's settings; NULL: none does */
        const char *home_directory, *home_file; /**< relative to the home directory, and to that */
        pawl__hook_form form;
        int timeout;                         /**< of a hook: 60 seconds in the agent's own unit */
        const char *switch_key, *switch_off; /**< what switches all hooks off, "a.b", and to what;
                                                  NULL: nothing that is known */
        const char *switch_file; /**< where that may be too, beside the settings; NULL: nowhere */
        pawl__agent_event events[PAWL__AGENT_EVENTS]; /**< ended by a NULL name, or full */
} pawl__agent;

/** The agents, ended by a NULL name. */
extern const pawl__agent pawl__agents[];

/** NULL: there is none of that name. */
const pawl__agent *pawl__agent_named(const char *name);

/** Does it tell when a session ends? */
bool pawl__agent_reports_end(const pawl__agent *agent);

/** Does a tool of this name, of any agent, edit files or run a shell? */
bool pawl__tool_changes_files(pawl_text tool);

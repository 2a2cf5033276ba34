/**
 * @file cli/pawl/hook.h
 * @brief One call of a hook: what it is about, and what its events do.
 */
#pragma once

#include "agents/hook_call.h"
#include "base/json_write.h"
#include "command/command.h"
#include "command/input.h"
#include "mission/mission.h"
#include <pawl/session.h>
#include <pawl/workspace.h>

/** One invocation. */
typedef struct hooking {
        const cli_call *cli;
        cli_input input;
        pawl__json_tree tree;
        pawl__buf kept; /* of an input that is not strict JSON */
        pawl__hook_call call;
        pawl_log *log;
        pawl__buf actor, mission;
        char session_id[PAWL_SESSION_ID_MAX]; /* of the log; empty: none is active */
        uint64_t kept_seq;                    /* of its last checkpoint, or 0 */
        pawl_workspace_options workspace;
        pawl__patterns edit_tools; /* of the log's settings */
        uint64_t left_out, n;      /* by the time budget, of checkpoint n */
        pawl__arena arena;
        pawl__json_writer reply; /* an object that is open */
        pawl_error err;
} hooking;

/** Open the log from the directory that the agent is in, or the top of its project where none is
 *  there and one is to be made. PAWL_DONE: there is none, and none is to be made. */
PAWL_MUST_CHECK pawl_status hook_open_log(hooking *h, bool make);
/** In the command of a step, checkpoints are of the step, its run and its session. */
bool hook_in_step(const hooking *h);
/** Are checkpoints of tools and turns switched off? */
bool hook_switched_off(const hooking *h);
/** The active session of the agent's own session, in h->session_id; @p ended: or one that has
 * ended, which is not started anew. */
PAWL_MUST_CHECK pawl_status hook_find_session(hooking *h, bool *ended);
/** The active session of the agent's own session, begun where it is not. */
PAWL_MUST_CHECK pawl_status hook_start_session(hooking *h);
/** What the model gets to read. */
void hook_reply_context(hooking *h, pawl_text text);

/** What the events ask for. PAWL_DONE: nothing was to be done. */
pawl_status hook_before_tool(hooking *h);
pawl_status hook_session_start(hooking *h);
pawl_status hook_before_compaction(hooking *h);
pawl_status hook_turn_end(hooking *h);
pawl_status hook_session_end(hooking *h);

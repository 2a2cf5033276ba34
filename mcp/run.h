/**
 * @file mcp/run.h
 * @brief Calls of run and resume: each is a process of its own, told of as it goes, and asked
 * about.
 *
 * A run that is blocked has open conflicts. Where the client can put a question to the person, each
 * is put, the answers are recorded, and the run is resumed.
 */
#pragma once

#include "mcp/server.h"

/** Begin a call; it is answered later. */
void mcp_run_start(mcp_server *server, const mcp_request *request, const mcp_tool *tool,
        const mcp_words *words, const mcp_turn *turn);
/** A retry of a call that wanted answers (2026-07-28): record them, and resume. False: it is none.
 */
bool mcp_run_retry(mcp_server *server, const mcp_request *request, const mcp_turn *turn);
/** The client's answer to a request of ours. False: it is none. */
bool mcp_run_answer(mcp_server *server, pawl_text id, const pawl__json_tree *tree);
/** The client wants no answer any more: the process gets TERM. */
void mcp_run_cancel(mcp_server *server, pawl_text id);
/** Processes that ended, and progress. */
void mcp_runs_tick(mcp_server *server);
void mcp_runs_stop(mcp_server *server);
/** Does a process work, and not wait for what the client answers? */
bool mcp_runs_at_work(const mcp_server *server);

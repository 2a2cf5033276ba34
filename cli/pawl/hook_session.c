/* The session of an agent: its beginning, what it did, and its end. */
#include "base/error.h"
#include "cli/pawl/hook.h"
#include "command/find.h"
#include "events/log.h"
#include "mission/mission.h"
#include "session/handoff.h"
#include "session/session.h"
#include <stdio.h>

enum { HANDOFF_ENTRIES = 20, SUMMARY_MAX = 2000 };

pawl_status hook_find_session(hooking *h, bool *ended)
{
        pawl__state *state;
        pawl__row *newest;
        size_t n = 0;

        *ended = false;
        TRY(pawl__state_of(&state, h->log, &h->err));
        TRY(pawl__state_sessions(&newest, &n, state, pawl__buf_text(&h->mission), NULL,
                &(pawl__page){.limit = 1}, &h->arena, &h->err));
        if (!n)
                return PAWL_OK;
        *ended = !pawl__text_is(newest->v[PAWL__SES_STATUS].text, "active");
        if (*ended)
                return PAWL_OK;
        snprintf(h->session_id, sizeof h->session_id, "%.*s",
                PAWL__FMT(newest->v[PAWL__SES_ID].text));
        h->kept_seq = (uint64_t)newest->v[PAWL__SES_CHECKPOINT_SEQ].integer;
        return PAWL_OK;
}

/* Some agents do not report that a session ends: then it has when the next one begins in the same
 * work tree. */
static pawl_status end_others(hooking *h)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;
        pawl__state *state;
        pawl_status status = PAWL_OK;

        if (pawl__agent_reports_end(h->call.agent))
                return PAWL_OK;
        filter.status = "active";
        TRY(pawl__state_of(&state, h->log, &h->err));
        filter.worktree = pawl__state_worktree(state, NULL);
        status = pawl_session_list(&list, h->log, &filter, &h->err);
        for (size_t i = 0; !status && i < list->n; i++)
                if (pawl__text_eq(list->items[i].actor, pawl__buf_text(&h->actor)))
                        status = pawl_session_end(h->log, list->items[i].session_id.data,
                                h->actor.data, "interrupted", "another session began", NULL,
                                &h->err);
        pawl_sessions_free(list);
        return status;
}

pawl_status hook_start_session(hooking *h)
{
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        bool ended;
        pawl_status status = hook_find_session(h, &ended);

        if (status || *h->session_id)
                return status;
        status = end_others(h);
        options.actor = h->actor.data;
        if (!status)
                status = pawl_session_start(
                        h->session_id, h->log, h->mission.data, NULL, &options, &h->err);
        if (status == PAWL_EHELD) /* another hook has started it meanwhile */
                status = hook_find_session(h, &ended);
        return status;
}

/* ---- A session's events ---------------------------------------------------------------------- */

/* What the last session of the work tree left, before this one begins. */
pawl_status hook_session_start(hooking *h)
{
        char *text = NULL;
        size_t len;
        pawl_status status = hook_open_log(h, false);

        if (!status)
                status = cli_name_log(h->cli, h->log, &h->err);
        if (status)
                return status;
        status = pawl_session_handoff(&text, &len, h->log, NULL, HANDOFF_ENTRIES, &h->err);
        if (!status)
                hook_reply_context(h, (pawl_text){text, len});
        pawl_free(text);
        if (status == PAWL_ENOTFOUND)
                status = PAWL_OK;
        return status || hook_in_step(h) ? status : hook_start_session(h);
}

/* The workspace as the session leaves it, if it changed since the last checkpoint: its handoff
 * lists what differs. */
static pawl_status take_workspace(hooking *h, const char *description)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_capture *capture = NULL;

        request.description = description;
        request.automatic = request.only_if_changed = true;
        request.mission_id = h->mission.data;
        request.session_id = h->session_id;
        pawl_status status =
                pawl_workspace_checkpoint(&capture, h->log, &request, &h->workspace, &h->err);
        if (!status)
                h->left_out = capture->counts.over_budget;
        if (capture)
                h->n = capture->info.n;
        pawl_workspace_capture_free(capture);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static void ignore(const char *line, void *user)
{
        (void)line, (void)user;
}

/* Nobody reads what a hook says of it. */
static void prune(hooking *h)
{
        pawl_error ignored = PAWL_ERROR_INIT;
        pawl__config config;

        if (!pawl__config_load(&config, pawl__log_place(h->log), &ignored) &&
                pawl__retention_set(&config.retention))
                pawl__retention_at_end(h->log, &config.retention, h->actor.data, ignore, NULL);
}

/* A session that was kept by the last event there is has nothing to keep; some agents tell of a
 * compaction before each of their requests. */
static pawl_status keep_session(hooking *h, bool ends)
{
        const char *const reason = pawl__arena_copy(&h->arena, h->call.reason).data;
        unsigned char hash[32];
        uint64_t seq;
        bool ended = false;
        pawl_status status = hook_in_step(h) ? PAWL_DONE : hook_open_log(h, false);

        if (!status && ends)
                status = hook_find_session(h, &ended);
        if (!status && !ended)
                status = hook_start_session(h);
        if (!status && pawl_log_head(&seq, hash, h->log))
                status = pawl__log_failed(h->log, PAWL_EIO, &h->err);
        if (status || !*h->session_id || (!ends && seq == h->kept_seq))
                return status;
        status = take_workspace(
                h, ends ? "at the session's end" : "at the compaction of its context");
        if (!status && ends)
                status = pawl_session_end(
                        h->log, h->session_id, h->actor.data, "completed", reason, NULL, &h->err);
        else if (!status)
                status = pawl_session_checkpoint(&seq, h->log, h->session_id, h->actor.data,
                        "context_warning", NULL, &h->err);
        if (!status && ends)
                prune(h);
        return status;
}

pawl_status hook_before_compaction(hooking *h)
{
        return keep_session(h, false);
}

pawl_status hook_session_end(hooking *h)
{
        return keep_session(h, true);
}

/* What was done, in the agent's own words, and the workspace as the turn leaves it. */
pawl_status hook_turn_end(hooking *h)
{
        pawl_text said = h->call.message;
        pawl_error second = PAWL_ERROR_INIT;

        if (hook_in_step(h))
                return PAWL_OK;
        pawl_status status = hook_open_log(h, false);
        if (!status)
                status = hook_start_session(h);
        if (status)
                return status;
        said.len = pawl__utf8_cut(said.data, said.len, SUMMARY_MAX);
        const char *const summary = pawl__arena_copy(&h->arena, said).data;
        TRY(pawl__arena_check(&h->arena, &h->err));
        if (!hook_switched_off(h))
                status = take_workspace(h, "at the end of a turn");
        if (!said.len && !h->n)
                return status;
        const pawl_status kept = pawl__session_turn(h->log, h->session_id, h->actor.data,
                said.len ? summary : NULL, h->n, status ? &second : &h->err);
        return status ? status : kept;
}

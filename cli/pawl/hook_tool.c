/* Before a tool of an agent runs: a checkpoint, where it may change files. */
#include "base/error.h"
#include "cli/pawl/hook.h"
#include "cli/pawl/workspace.h"
#include "events/log.h"
#include "workspace/checkpoint.h"
#include "workspace/log_record.h"
#include <errno.h>
#include <fcntl.h>
#include <pawl/toolcalls.h>
#include <sys/file.h>
#include <unistd.h>

/* Two hooks of one batch of calls come at once: the second waits, and finds nothing changed. Hooks
 * that look for a change share the lock. Closing the file ends it. -1: there is no such file. */
static int lock(const hooking *h, int how)
{
        pawl__buf path = PAWL__BUF_INIT;
        int fd = -1;

        pawl__buf_addf(&path, "%s-lock", pawl__log_place(h->log));
        if (!path.failed)
                fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        pawl__buf_free(&path);
        while (fd >= 0 && flock(fd, how) != 0 && errno == EINTR)
                ;
        return fd;
}

static bool is_listed(pawl_text tool, const char *list)
{
        for (; list && *list; list += strcspn(list, ","), list += *list == ',')
                if (pawl__text_eq(tool, (pawl_text){list, strcspn(list, ",")}))
                        return true;
        return false;
}

/* By the log's settings. */
static bool is_set(const hooking *h)
{
        for (size_t i = 0; i < h->edit_tools.n; i++)
                if (pawl__text_is(h->call.tool, h->edit_tools.items[i]))
                        return true;
        return false;
}

static pawl_status write_batch(pawl__json_writer *w, const hooking *h)
{
        const pawl__hook_call *call = &h->call;

        pawl__json_open_object(w);
        if (call->message_id.len)
                pawl__json_member_text(w, "messageId", call->message_id);
        pawl__json_name(w, "calls");
        pawl__json_open_array(w);
        pawl__json_open_object(w);
        pawl__json_member_text(w, "callId", call->call_id.len ? call->call_id : pawl__text("call"));
        pawl__json_member_text(w, "name", call->tool);
        if (call->arguments.len)
                pawl__json_member_raw(w, "args", call->arguments);
        pawl__json_close_object(w);
        pawl__json_close_array(w);
        pawl__json_close_object(w);
        return pawl__json_end_writer(w);
}

static pawl_status take_before(hooking *h, pawl_text batch_json)
{
        pawl_toolcalls_options options = PAWL_TOOLCALLS_OPTIONS_INIT;
        const char *const tool = pawl__arena_copy(&h->arena, h->call.tool).data;
        pawl_toolcalls *batch = NULL;
        pawl_status status = pawl__arena_check(&h->arena, &h->err);

        if (status)
                return status;
        options.edit_tools = &tool;
        options.n_edit_tools = 1;
        options.files = cli_variable(h->cli, "PAWL_TOOL_CHECKPOINT_FILES");
        options.workspace = &h->workspace;
        options.only_if_changed = true;
        options.session_id = h->session_id;
        options.mission_id = h->mission.data;
        if (hook_in_step(h)) {
                options.mission_id = cli_variable(h->cli, "PAWL_MISSION_ID");
                options.run_id = cli_variable(h->cli, "PAWL_RUN_ID");
                options.step_id = cli_variable(h->cli, "PAWL_STEP_ID");
                options.session_id = cli_variable(h->cli, "PAWL_SESSION_ID");
        }
        status = pawl_toolcalls_checkpoint(
                &batch, h->log, batch_json.data, batch_json.len, &options, &h->err);
        if (!status) {
                const pawl_toolcall_outcome *outcome = pawl_toolcalls_at(batch, 0);
                if (outcome->status)
                        status = pawl__fail(&h->err, outcome->status, "%s", outcome->error);
                h->left_out = outcome->over_budget;
                h->n = outcome->n;
        }
        pawl_toolcalls_free(batch);
        return status;
}

/* Are the files as in the current checkpoint, and is that of a call in this turn? */
static bool is_unchanged(const hooking *h)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        bool goes_on = false;
        pawl__workspace ws;
        pawl__taking taking = {.ws = &ws, .request = &request};

        if (pawl__workspace_open(&ws, h->log, &h->workspace, &err))
                return false;
        request.only_if_changed = true;
        const bool same = pawl__checkpoint_prepare(&taking, &err) == PAWL_DONE &&
                          pawl__log_record_goes_on(
                                  &goes_on, h->log, &ws.current, h->session_id, &err) == PAWL_OK &&
                          goes_on;
        pawl__taking_free(&taking);
        pawl__workspace_close(&ws);
        return same;
}

/* Has the session begun, and nothing changed? Agents' hooks that come at once look at the same
 * time. A failure is found again under the lock, and reported there. */
static bool has_nothing_to_write(hooking *h, bool edits)
{
        bool ended;

        if (hook_in_step(h) || cli_variable(h->cli, "PAWL_TOOL_CHECKPOINT_FILES"))
                return false;
        const int fd = lock(h, LOCK_SH);
        const bool nothing =
                !hook_find_session(h, &ended) && *h->session_id && (!edits || is_unchanged(h));
        if (fd >= 0)
                close(fd);
        return nothing;
}

pawl_status hook_before_tool(hooking *h)
{
        pawl__json_writer batch = PAWL__JSON_WRITER_INIT;
        const bool known = pawl__tool_changes_files(h->call.tool) ||
                           is_listed(h->call.tool, cli_variable(h->cli, "PAWL_EDIT_TOOLS"));
        pawl_status status;

        if (!h->call.tool.len || hook_switched_off(h))
                return PAWL_OK;
        status = hook_open_log(h, known);
        if (status)
                return status;
        const bool edits = known || is_set(h);
        if (!edits && hook_in_step(h))
                return PAWL_OK;
        if (has_nothing_to_write(h, edits))
                return PAWL_OK;
        const int fd = lock(h, LOCK_EX);
        if (!hook_in_step(h))
                status = hook_start_session(h);
        if (!status && edits && write_batch(&batch, h))
                status = pawl__nomem(&h->err);
        if (!status && edits)
                status = take_before(h, pawl__buf_text(&batch.buf));
        if (fd >= 0)
                close(fd);
        pawl__json_writer_free(&batch);
        return status;
}

/* What a hook's handlers share: its log, whether it is in a step of a run, and the reply. */
#include "base/error.h"
#include "base/system.h"
#include "cli/pawl/hook.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { CONTEXT_MAX = 8000 }; /* bytes; agents cut what is longer than 10,000 characters */

/* No log is made of a whole home directory. */
static pawl_status check_here(hooking *h)
{
        char here[PATH_MAX], real[PATH_MAX];
        const char *home = h->cli->in->home;

        if (!getcwd(here, sizeof here))
                return pawl__fail_errno(&h->err, errno, ".", "find the working directory");
        if (home && realpath(home, real)) /* as the working directory is */
                home = real;
        if (strcmp(here, "/") != 0 && !(home && strcmp(here, home) == 0))
                return PAWL_OK;
        return pawl__fail(&h->err, PAWL_EINVAL,
                "%s: is %s, of which no checkpoints are taken; start the agent in the "
                "directory of a project, or make a log for this one: pawl init --db FILE",
                here, here[1] ? "the home directory" : "the root of the file system");
}

/* PAWL_DONE: there is none, and none is to be made. */
pawl_status hook_open_log(hooking *h, bool make)
{
        char directory[PATH_MAX];
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (h->call.directory.len >= sizeof directory)
                return pawl__fail(&h->err, PAWL_EINVAL, "cwd: is longer than any path");
        if (h->call.directory.len) {
                memcpy(directory, h->call.directory.data, h->call.directory.len);
                directory[h->call.directory.len] = '\0';
                if (chdir(directory) != 0)
                        return pawl__fail_errno(&h->err, errno, directory, "go there");
        }
        if (!cli_named_log(h->cli)) {
                status = cli_find_log(&path, h->cli, &h->err);
                pawl__buf_free(&path);
                if (status == PAWL_ENOTFOUND && !make)
                        return PAWL_DONE;
                if (status == PAWL_ENOTFOUND)
                        status = check_here(h);
        }
        if (!status)
                status = cli_open_log(&h->log, h->cli, make ? CLI_MAKE : CLI_WRITE, &h->err);
        if (!status)
                status = cli_workspace_patterns(
                        &h->workspace, pawl__log_place(h->log), &h->arena, &h->err);
        if (!status)
                status = pawl__config_edit_tools(
                        &h->edit_tools, pawl__log_place(h->log), &h->arena, &h->err);
        return status;
}

/* In the command of a step, checkpoints are of the step, its run and its session. */
bool hook_in_step(const hooking *h)
{
        return cli_variable(h->cli, "PAWL_RUN_ID") != NULL;
}

bool hook_switched_off(const hooking *h)
{
        const char *word = cli_variable(h->cli, "PAWL_TOOL_CHECKPOINTS");

        return word && strcmp(word, "off") == 0;
}

void hook_reply_context(hooking *h, pawl_text text)
{
        static const char rest[] = "\n(The rest: `pawl handoff`.)\n";
        pawl__buf cut = PAWL__BUF_INIT;

        pawl__buf_add(&cut, text.data, pawl__utf8_cut(text.data, text.len, CONTEXT_MAX));
        if (cut.len < text.len)
                pawl__buf_adds(&cut, rest);
        h->reply.buf.failed |= cut.failed;
        if (h->call.agent->form == PAWL__HOOK_PLAIN) {
                pawl__json_member_text(&h->reply, "additional_context", pawl__buf_text(&cut));
        } else {
                pawl__json_name(&h->reply, "hookSpecificOutput");
                pawl__json_open_object(&h->reply);
                pawl__json_member_text(&h->reply, "hookEventName", h->call.event_name);
                pawl__json_member_text(&h->reply, "additionalContext", pawl__buf_text(&cut));
                pawl__json_close_object(&h->reply);
        }
        pawl__buf_free(&cut);
}

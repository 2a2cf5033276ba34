/* What `pawl status` says of a rollback that is half done. */
#include "base/error.h"
#include "cli/pawl/status.h"
#include "command/fields.h"
#include "command/find.h"
#include "workspace/workspace.h"
#include <inttypes.h>
#include <stdlib.h>

#define ROLLBACK(member) CLI_AT(cli_half_done, member)

static const cli_field rollback_fields[] = {
        {"target", CLI_AS_INTEGER, ROLLBACK(it.target)},
        {"safety", CLI_AS_INTEGER, ROLLBACK(it.safety)},
        {"undo", CLI_AS_BOOL, ROLLBACK(it.undo)},
        {"redo", CLI_AS_BOOL, ROLLBACK(it.redo)},
        {"seq", CLI_AS_INTEGER, ROLLBACK(it.seq)},
        {"status", CLI_AS_TEXT, ROLLBACK(status)},
        {"finish", CLI_AS_TEXT, ROLLBACK(finish)},
        {"give_up", CLI_AS_TEXT, ROLLBACK(undo)},
        CLI_NO_FIELD,
};

/* Is somebody at it now? Only who can look at the workspace's root can tell. */
static bool is_at_work(const cli_call *cli, pawl_log *log)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl__workspace ws;

        options.root = cli->in->workspace;
        if (pawl__workspace_open(&ws, log, &options, NULL))
                return false;
        const bool held = pawl__workspace_own(&ws, NULL) == PAWL_EHELD;
        pawl__workspace_close(&ws);
        return held;
}

pawl_status cli_half_done_find(
        cli_half_done *out, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        *out = (cli_half_done){.status = {NULL, 0}};
        const pawl_status status = pawl_workspace_pending(&out->it, log, err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        out->status = pawl__text(is_at_work(cli, log) ? "running" : "interrupted");
        return PAWL_OK;
}

void cli_half_done_print(const cli_half_done *rollback, const cli_call *cli)
{
        FILE *out = cli->in->out;

        fprintf(out, "%-12.*s %s to checkpoint %" PRIu64 ": the files are half-way\n",
                PAWL__FMT(rollback->status),
                rollback->it.redo   ? "redo"
                : rollback->it.undo ? "undo"
                                    : "rollback",
                rollback->it.target);
        if (!pawl__text_is(rollback->status, "interrupted"))
                return;
        fprintf(out, "%13s", "");
        cli_say(cli, out,
                "`pawl rollback --finish` goes on with it, `pawl undo` goes back to where it began");
        fputc('\n', out);
}

static pawl_status say_command(
        pawl_text *command, const cli_call *cli, const char *words, pawl_error *err)
{
        char *text = NULL;
        size_t len = 0;
        FILE *stream = open_memstream(&text, &len);

        if (!stream)
                return pawl__nomem(err);
        fputs(words, stream);
        cli_say_log(cli, stream);
        if (fclose(stream))
                return pawl__nomem(err);
        *command = pawl__arena_copy(cli->arena, pawl__text_n(text, len));
        free(text);
        return pawl__arena_check(cli->arena, err);
}

pawl_status cli_half_done_json(
        pawl__json_writer *w, cli_half_done *rollback, const cli_call *cli, pawl_error *err)
{
        if (!rollback->status.data)
                return PAWL_OK;
        if (pawl__text_is(rollback->status, "interrupted")) {
                TRY(say_command(&rollback->finish, cli, "pawl rollback --finish", err));
                TRY(say_command(&rollback->undo, cli, "pawl undo", err));
        }
        cli_object_json(w, "rollback", rollback_fields, rollback);
        return PAWL_OK;
}

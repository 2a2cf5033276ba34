#include "cli/pawl/workspace.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/sources.h"
#include "cli/pawl/actor.h"
#include "command/printable.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pawl_status cli_workspace_options(
        pawl_workspace_options *out, pawl__buf *actor, const cli_call *cli, pawl_error *err)
{
        pawl_status status = cli_actor(actor, cli, err);

        if (status)
                return status;
        *out = (pawl_workspace_options)PAWL_WORKSPACE_OPTIONS_INIT;
        out->root = cli->in->workspace ? cli->in->workspace : cli_value(cli, "root");
        out->home = cli->in->home;
        out->config_home = cli->in->config_home;
        out->force_root = cli_given(cli, "force-root");
        out->max_file = cli_size(cli, "max-file");
        out->actor = actor->data;
        return PAWL_OK;
}

/* The path from the root of the file system on, without "..". NULL: no memory, or no working
 * directory. */
static const char *absolute(const char *path, pawl__arena *arena)
{
        char here[PATH_MAX] = "";

        if (*path != '/' && !getcwd(here, sizeof here)) /* it is not served */
                return NULL;
        char *all = pawl__arena_alloc(arena, strlen(here) + strlen(path) + 2);
        if (!all)
                return NULL;
        size_t len = (size_t)(stpcpy(all, here) - all);
        while (*(path += strspn(path, "/"))) {
                const size_t n = strcspn(path, "/");
                if (n == 2 && memcmp(path, "..", 2) == 0) {
                        while (len && all[--len] != '/')
                                ;
                } else {
                        all[len++] = '/';
                        memcpy(all + len, path, n);
                        len += n;
                }
                path += n;
        }
        all[len] = '\0';
        return all;
}

int cli_before_paths(const cli_call *cli)
{
        return cli->ended && cli->n_before > 0 ? cli->n_before : cli->n_args;
}

pawl_status cli_take_paths(
        pawl_workspace_options *options, pawl__arena *arena, const cli_call *cli, pawl_error *err)
{
        const int first = cli_before_paths(cli);
        const char **paths = pawl__arena_array(arena, CLI_ARGS_MAX, sizeof *paths);

        if (!paths)
                return pawl__nomem(err);
        options->paths = paths;
        for (int i = first; i < cli->n_args; i++) {
                const char *path = cli->in->served ? cli->args[i] : absolute(cli->args[i], arena);
                if (!path)
                        return pawl__fail(err, PAWL_EINVAL,
                                "path %.300s: cannot be found from the working directory; name it "
                                "from / on",
                                cli->args[i]);
                paths[options->n_paths++] = path;
        }
        return PAWL_OK;
}

const char *cli_variable(const cli_call *cli, const char *name)
{
        const char *value = cli->in->served ? NULL : getenv(name);

        return value && *value ? value : NULL;
}

void cli_checkpoint_members(pawl__json_writer *w, const pawl_workspace_checkpoint_info *info)
{
        char time[28];

        pawl__time_format(time, info->created_us);
        pawl__json_member_integer(w, "n", (int64_t)info->n);
        pawl__json_member_text(w, "id", info->id);
        pawl__json_member_text(w, "step_id", info->step_id);
        pawl__json_member_text(w, "trigger", info->trigger);
        pawl__json_member_text(w, "description", info->description);
        pawl__json_member_integer(w, "files", (int64_t)info->files);
        pawl__json_member_integer(w, "bytes", (int64_t)info->bytes);
        pawl__json_member_string(w, "created_at", time);
        pawl__json_member_bool(w, "valid", info->valid);
        pawl__json_member_bool(w, "current", info->current);
        pawl__json_member_integer(w, "seq", (int64_t)info->seq);
        pawl__json_member_text(w, "mission_id", info->mission_id);
        pawl__json_member_text(w, "run_id", info->run_id);
        pawl__json_member_text(w, "session_id", info->session_id);
        pawl__json_member_text(w, "root", info->root);
        pawl__json_member_text(w, "tree", info->tree);
        pawl__json_member_text(w, "state_hash", info->state_hash);
        pawl__json_member_text(w, "outputs_hash", info->outputs_hash);
        pawl__json_name(w, "git");
        if (info->git_head.data) {
                pawl__json_open_object(w);
                pawl__json_member_text(w, "head", info->git_head);
                pawl__json_member_text(w, "branch", info->git_branch);
                pawl__json_close_object(w);
        } else {
                pawl__json_null(w);
        }
        pawl__json_name(w, "base");
        if (info->base)
                pawl__json_integer(w, (int64_t)info->base);
        else
                pawl__json_null(w);
        pawl__json_member_integer(w, "skipped", (int64_t)info->not_captured);
        pawl__json_member_bool(w, "safety", info->safety);
        pawl__json_member_bool(w, "pinned", info->pinned);
        pawl__json_member_bool(w, "pruned", info->pruned);
        pawl__json_member_bool(w, "imported", info->imported);
        pawl__json_member_text(w, "why_invalid", info->why_invalid);
        pawl__json_member_text(w, "given_up", info->given_up);
}

void cli_missed_print(FILE *out, const pawl_not_captured *missed, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                fputs("  not captured: ", out);
                cli_put(out, missed[i].path);
                fprintf(out, " (%s)\n", missed[i].why);
        }
}

void cli_missed_member(pawl__json_writer *w, const pawl_not_captured *missed, size_t n)
{
        pawl__json_name(w, "not_captured");
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++) {
                pawl__json_open_object(w);
                cli_path_member(w, missed[i].path);
                pawl__json_member_string(w, "why", missed[i].why);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* Wrong bytes as \xNN; what the writer cannot take otherwise. Out of memory is the writer's to
 * tell. */
static void shown(pawl__buf *out, pawl_text path)
{
        for (size_t at = 0; at < path.len;) {
                size_t good = pawl__utf8_span(path.data + at, path.len - at);
                if (pawl__buf_add(out, path.data + at, good))
                        return;
                at += good;
                if (at < path.len && pawl__buf_addf(out, "\\x%02x", (unsigned char)path.data[at++]))
                        return;
        }
}

void cli_text_member(pawl__json_writer *w, const char *name, pawl_text bytes)
{
        pawl__buf text = PAWL__BUF_INIT;
        char hex_name[40], two[3];

        if (!bytes.data || pawl__utf8_valid(bytes.data, bytes.len)) {
                pawl__json_member_text(w, name, bytes);
                return;
        }
        shown(&text, bytes);
        pawl__json_member_text(w, name, pawl__buf_text(&text));
        pawl__buf_clear(&text);
        for (size_t i = 0; i < bytes.len; i++) {
                pawl__hex(two, (const unsigned char *)bytes.data + i, 1);
                pawl__buf_adds(&text, two);
        }
        w->buf.failed |= text.failed;
        snprintf(hex_name, sizeof hex_name, "%s_hex", name);
        pawl__json_member_text(w, hex_name, pawl__buf_text(&text));
        pawl__buf_free(&text);
}

#include "cli/pawl/workspace.h"
#include "base/error.h"
#include "cli/pawl/actor.h"
#include "command/find.h"
#include "command/printable.h"
#include "mission/mission.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

pawl_status cli_workspace_options(pawl_workspace_options *out, const cli_call *cli, pawl_error *err)
{
        *out = (pawl_workspace_options)PAWL_WORKSPACE_OPTIONS_INIT;
        out->root = cli->in->workspace ? cli->in->workspace : cli_value(cli, "root");
        out->home = cli->in->home;
        out->config_home = cli->in->config_home;
        out->force_root = cli_given(cli, "force-root");
        out->max_file = cli_size(cli, "max-file");
        return cli_actor(&out->actor, cli, err);
}

pawl_status cli_workspace_patterns(
        pawl_workspace_options *out, const char *log_path, pawl__arena *arena, pawl_error *err)
{
        pawl__patterns include, exclude;

        TRY(pawl__config_patterns(&include, &exclude, log_path, arena, err));
        out->include = include.items;
        out->n_include = include.n;
        out->exclude = exclude.items;
        out->n_exclude = exclude.n;
        return PAWL_OK;
}

pawl_status cli_checkpoint_options(
        pawl_workspace_options *out, const cli_call *cli, pawl_error *err)
{
        pawl_status status = cli_workspace_options(out, cli, err);
        pawl__buf place = PAWL__BUF_INIT;
        pawl_error none = PAWL_ERROR_INIT;

        /* without a log there are no settings either */
        if (!status && !cli_find_place(&place, cli, &none))
                status = cli_workspace_patterns(out, place.data, cli->arena, err);
        pawl__buf_free(&place);
        out->max_files = cli_number(cli, "max-files", 0);
        out->max_bytes = cli_size(cli, "max-bytes");
        out->budget_ms = cli_duration_ms(cli, "budget");
        return status;
}

/* Often enough to be seen moving. */
static void show_scan(uint64_t files, uint64_t bytes, void *user)
{
        enum { EVERY_MS = 200 };
        cli_scan *scan = user;
        struct timespec now;
        char size[32];

        clock_gettime(CLOCK_BOOTTIME, &now);
        const int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
        if (now_ms < scan->told_ms + EVERY_MS)
                return;
        scan->told_ms = now_ms;
        cli_size_text(size, bytes);
        fprintf(stderr, "\r%" PRIu64 " files, %s \033[K", files, size);
}

void cli_scan_show(cli_scan *scan, pawl_workspace_options *options, const cli_call *cli)
{
        if (cli->in->served || !isatty(STDERR_FILENO))
                return;
        options->progress = show_scan;
        options->progress_user = scan;
}

void cli_scan_end(const cli_scan *scan)
{
        if (scan->told_ms)
                fputs("\r\033[K", stderr);
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
        /* a service puts "--" before all of them */
        return cli->ended && (cli->n_before > 0 || !cli->in->served) ? cli->n_before : cli->n_args;
}

pawl_status cli_take_paths(pawl_workspace_options *options, const cli_call *cli, pawl_error *err)
{
        const int first = cli_before_paths(cli);
        const char **paths = pawl__arena_array(cli->arena, CLI_ARGS_MAX, sizeof *paths);

        if (!paths)
                return pawl__nomem(err);
        options->paths = paths;
        for (int i = first; i < cli->n_args; i++) {
                const bool as_it_is = cli->in->served || !*cli->args[i];
                const char *path = as_it_is ? cli->args[i] : absolute(cli->args[i], cli->arena);
                if (!path)
                        return pawl__fail(err, PAWL_EINVAL,
                                "path %.300s: cannot be found from the working directory; name it "
                                "from / on",
                                cli->args[i]);
                paths[options->n_paths++] = path;
        }
        return PAWL_OK;
}

/* What whoever starts a service sets for all that it serves: no request says it. */
static bool is_setting(const char *name)
{
        static const char *const settings[] = {"PAWL_TOOL_CHECKPOINTS", "PAWL_EDIT_TOOLS",
                "PAWL_TOOL_CHECKPOINT_FILES", "PAWL_TOOL_CHECKPOINT_REPOSITORY"};

        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
                if (strcmp(name, settings[i]) == 0)
                        return true;
        return false;
}

const char *cli_variable(const cli_call *cli, const char *name)
{
        const char *value = cli->in->served && !is_setting(name) ? NULL : getenv(name);

        return value && *value ? value : NULL;
}

#define AT(member) CLI_AT(pawl_workspace_checkpoint_info, member)

static const char *standing(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_workspace_checkpoint_info *info = item;

        snprintf(buf, CLI_WORD_MAX, "%s%s",
                info->pruned          ? "✗ pruned"
                : !info->valid        ? "✗ damaged"
                : info->current       ? ""
                : info->given_up.data ? "✓ given up"
                                      : "✓",
                !info->current ? ""
                : info->valid  ? "← current"
                               : " ← current");
        return buf;
}

static bool has_changed(const void *item)
{
        return ((const pawl_workspace_checkpoint_info *)item)->has_changed;
}

static bool has_turn(const void *item)
{
        return ((const pawl_workspace_checkpoint_info *)item)->turn != 0;
}

/* "+2 -1 ~3": files. */
static const char *changes(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_workspace_checkpoint_info *info = item;
        const struct {
                char sign;
                uint64_t n;
        } parts[] = {{'+', info->added}, {'-', info->removed}, {'~', info->modified}};
        int len = 0;

        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
                if (parts[i].n)
                        len += snprintf(buf + len, (size_t)(CLI_WORD_MAX - len), "%s%c%" PRIu64,
                                len ? " " : "", parts[i].sign, parts[i].n);
        return !info->has_changed ? NULL : len ? buf : "=";
}

static const char *turn_number(const void *item, char buf[CLI_WORD_MAX])
{
        snprintf(buf, CLI_WORD_MAX, "%" PRIu64,
                ((const pawl_workspace_checkpoint_info *)item)->turn);
        return has_turn(item) ? buf : NULL;
}

static const cli_field changed_fields[] = {
        {"added", CLI_AS_INTEGER, AT(added)},
        {"removed", CLI_AS_INTEGER, AT(removed)},
        {"modified", CLI_AS_INTEGER, AT(modified)},
        CLI_NO_FIELD,
};

static const cli_field turn_fields[] = {
        {"session_id", CLI_AS_TEXT, AT(turn_session)},
        {"n", CLI_AS_INTEGER, AT(turn)},
        {"text", CLI_AS_TEXT, AT(turn_text)},
        CLI_NO_FIELD,
};

static bool has_commit(const void *item)
{
        return ((const pawl_workspace_checkpoint_info *)item)->git_head.data != NULL;
}

static bool has_worktree(const void *item)
{
        return ((const pawl_workspace_checkpoint_info *)item)->worktree.data != NULL;
}

static const cli_field worktree_fields[] = {
        {"id", CLI_AS_TEXT, AT(worktree)},
        {"path", CLI_AS_TEXT, AT(root)},
        CLI_NO_FIELD,
};

static const cli_field git_fields[] = {
        {"head", CLI_AS_TEXT, AT(git_head)},
        {"branch", CLI_AS_TEXT, AT(git_branch)},
        CLI_NO_FIELD,
};

const cli_field cli_checkpoint_fields[] = {
        {"n", CLI_AS_INTEGER, AT(n), .title = "n"},
        {"id", CLI_AS_ID, AT(id), .title = "id", .table = PAWL__WORKSPACE},
        {"step_id", CLI_AS_TEXT, AT(step_id), .title = "step", .cut = CLI_CUT_NAME},
        {"trigger", CLI_AS_TEXT, AT(trigger)},
        {"description", CLI_AS_TEXT, AT(description), .title = "description", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, AT(trigger), .title = "trigger"},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "changes", .word = changes},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "turn", .word = turn_number},
        {NULL, CLI_AS_TEXT, AT(turn_text), .title = "said", .cut = CLI_CUT},
        {"files", CLI_AS_INTEGER, AT(files), .title = "files"},
        {"bytes", CLI_AS_SIZE, AT(bytes), .title = "size"},
        {"created_at", CLI_AS_TIME, AT(created_us), .title = "when", .cut = CLI_CUT_LAST},
        {NULL, CLI_AS_WORD, CLI_ITSELF, .title = "state", .word = standing},
        {"valid", CLI_AS_BOOL, AT(valid)},
        {"current", CLI_AS_BOOL, AT(current)},
        {"seq", CLI_AS_INTEGER, AT(seq)},
        {"mission_id", CLI_AS_TEXT, AT(mission_id)},
        {"run_id", CLI_AS_TEXT, AT(run_id)},
        {"session_id", CLI_AS_TEXT, AT(session_id)},
        {"root", CLI_AS_TEXT, AT(root)},
        {"tree", CLI_AS_TEXT, AT(tree)},
        {"state_hash", CLI_AS_TEXT, AT(state_hash)},
        {"outputs_hash", CLI_AS_TEXT, AT(outputs_hash)},
        {"git", CLI_AS_PART, .has = has_commit, .fields = git_fields},
        {"base", CLI_AS_INTEGER, AT(base), .or_null = true},
        {"skipped", CLI_AS_INTEGER, AT(not_captured)},
        {"safety", CLI_AS_BOOL, AT(safety)},
        {"pinned", CLI_AS_BOOL, AT(pinned)},
        {"pruned", CLI_AS_BOOL, AT(pruned)},
        {"imported", CLI_AS_BOOL, AT(imported)},
        {"why_invalid", CLI_AS_TEXT, AT(why_invalid)},
        {"given_up", CLI_AS_TEXT, AT(given_up)},
        {"changed", CLI_AS_PART, .has = has_changed, .fields = changed_fields},
        {"turn", CLI_AS_PART, .has = has_turn, .fields = turn_fields},
        {"worktree", CLI_AS_PART, .has = has_worktree, .fields = worktree_fields},
        CLI_NO_FIELD,
};

const cli_field cli_missed_fields[] = {
        {"path", CLI_AS_BYTES, CLI_AT(pawl_not_captured, path)},
        {"why", CLI_AS_STRING, CLI_AT(pawl_not_captured, why)},
        CLI_NO_FIELD,
};

void cli_missed_print(FILE *out, const pawl_not_captured *missed, size_t n)
{
        for (size_t i = 0; i < n; i++)
                cli_putf(
                        out, "  not captured: %.*s (%s)\n", CLI_FMT(missed[i].path), missed[i].why);
}

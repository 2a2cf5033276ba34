/* pawl diff: what lies between two checkpoints, or one and the workspace as it is. */
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- As JSON ------------------------------------------------------------------------------------
 */

static void write_side(
        pawl__json_writer *w, const char *name, const pawl_workspace_checkpoint_info *info)
{
        pawl__json_name(w, name);
        if (info) {
                pawl__json_open_object(w);
                cli_checkpoint_members(w, info);
                pawl__json_close_object(w);
        } else {
                pawl__json_null(w); /* the workspace */
        }
}

static void member_mode(pawl__json_writer *w, const char *name, char kind, uint32_t mode)
{
        char text[16];

        snprintf(text, sizeof text, "%04o", (unsigned)mode);
        if (kind == 'f' || kind == 'd')
                pawl__json_member_string(w, name, text);
        else
                pawl__json_member_text(w, name, (pawl_text){NULL, 0});
}

const char *cli_kind_name(char kind)
{
        return kind == 'f' ? "file" : kind == 'd' ? "folder" : kind == 'l' ? "link" : NULL;
}

static const char *what_name(char what)
{
        switch (what) {
        case 'A':
                return "added";
        case 'D':
                return "removed";
        default:
                return "modified";
        }
}

void cli_change_json(pawl__json_writer *w, const pawl_file_change *file)
{
        pawl__json_open_object(w);
        cli_path_member(w, file->path);
        pawl__json_member_string(w, "change", what_name(file->what));
        pawl__json_member_text(w, "kind_before", pawl__text(cli_kind_name(file->kind_before)));
        pawl__json_member_text(w, "kind_after", pawl__text(cli_kind_name(file->kind_after)));
        member_mode(w, "mode_before", file->kind_before, file->mode_before);
        member_mode(w, "mode_after", file->kind_after, file->mode_after);
        pawl__json_member_integer(w, "bytes_before", (int64_t)file->size_before);
        pawl__json_member_integer(w, "bytes_after", (int64_t)file->size_after);
        pawl__json_member_integer(w, "lines_added", (int64_t)file->lines_added);
        pawl__json_member_integer(w, "lines_removed", (int64_t)file->lines_removed);
        pawl__json_member_bool(w, "binary", file->binary);
        pawl__json_close_object(w);
}

static void member_value(pawl__json_writer *w, const char *name, pawl_text json)
{
        if (json.data)
                pawl__json_member_raw(w, name, json);
}

static void write_members(pawl__json_writer *w, const pawl_comparison *c)
{
        pawl__json_name(w, "members");
        pawl__json_open_array(w);
        for (size_t i = 0; i < pawl_comparison_members(c); i++) {
                const pawl_member_change *member = pawl_comparison_member(c, i);
                pawl__json_open_object(w);
                pawl__json_member_text(w, "path", member->path);
                pawl__json_member_string(w, "change",
                        !member->before.data  ? "added"
                        : !member->after.data ? "removed"
                                              : "changed");
                member_value(w, "before", member->before);
                member_value(w, "after", member->after);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void write_git(pawl__json_writer *w, const pawl_git_between *git)
{
        pawl__json_name(w, "git");
        if (!git) {
                pawl__json_null(w);
                return;
        }
        pawl__json_open_object(w);
        pawl__json_member_string(w, "from", git->from);
        pawl__json_member_string(w, "to", git->to);
        pawl__json_member_integer(w, "commits", (int64_t)git->commits);
        pawl__json_member_integer(w, "given_up", (int64_t)git->given_up);
        pawl__json_name(w, "newest");
        pawl__json_open_array(w);
        for (size_t i = 0; i < git->n_newest; i++) {
                pawl__json_open_object(w);
                pawl__json_member_string(w, "id", git->newest[i].id);
                cli_text_member(w, "subject", git->newest[i].subject);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
        pawl__json_member_integer(w, "files", (int64_t)git->files);
        pawl__json_member_integer(w, "lines_added", (int64_t)git->lines_added);
        pawl__json_member_integer(w, "lines_removed", (int64_t)git->lines_removed);
        pawl__json_close_object(w);
}

static int print_json(const cli_call *cli, const pawl_comparison *c, const pawl__buf *patch)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        write_side(&w, "a", pawl_comparison_a(c));
        write_side(&w, "b", pawl_comparison_b(c));
        write_members(&w, c);
        pawl__json_name(&w, "files");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_comparison_files(c); i++)
                cli_change_json(&w, pawl_comparison_file(c, i));
        pawl__json_close_array(&w);
        write_git(&w, pawl_comparison_git(c));
        if (cli_given(cli, "patch"))
                cli_text_member(&w, "patch", pawl__buf_text(patch));
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

/* ---- As text ------------------------------------------------------------------------------------
 */

static void print_value(FILE *out, pawl_text json)
{
        cli_put_cut(out, json, 60);
}

static void print_members(FILE *out, const pawl_comparison *c)
{
        for (size_t i = 0; i < pawl_comparison_members(c); i++) {
                const pawl_member_change *member = pawl_comparison_member(c, i);
                cli_put(out, member->path);
                fputs(": ", out);
                if (member->before.data)
                        print_value(out, member->before);
                else
                        fputs("(none)", out);
                fputs(" → ", out);
                if (member->after.data)
                        print_value(out, member->after);
                else
                        fputs("(none)", out);
                fputc('\n', out);
        }
}

void cli_change_print(FILE *out, const pawl_file_change *file)
{
        fprintf(out, "%c  ", file->what);
        cli_put(out, file->path);
        if (file->kind_before == 'd' || file->kind_after == 'd')
                fputc('/', out);
        if (file->binary)
                fputs("  binary", out);
        else if (file->lines_added || file->lines_removed)
                fprintf(out, "  +%" PRIu64 " -%" PRIu64, file->lines_added, file->lines_removed);
        if (file->what == 'T')
                fprintf(out, "  %s → %s", cli_kind_name(file->kind_before),
                        cli_kind_name(file->kind_after));
        if (file->what == 'M' && file->mode_before != file->mode_after)
                fprintf(out, "  mode %04o → %04o", (unsigned)file->mode_before,
                        (unsigned)file->mode_after);
        fputc('\n', out);
}

static void print_sum(FILE *out, const pawl_comparison *c)
{
        uint64_t n[3] = {0, 0, 0}, added = 0, removed = 0;

        for (size_t i = 0; i < pawl_comparison_files(c); i++) {
                const pawl_file_change *file = pawl_comparison_file(c, i);
                n[file->what == 'A' ? 0 : file->what == 'D' ? 2 : 1]++;
                added += file->lines_added;
                removed += file->lines_removed;
        }
        fprintf(out,
                "%" PRIu64 " added, %" PRIu64 " modified, %" PRIu64 " removed; +%" PRIu64
                " -%" PRIu64 " lines\n",
                n[0], n[1], n[2], added, removed);
}

static void print_git(FILE *out, const pawl_git_between *git)
{
        if (!git)
                return;
        fprintf(out, "git: %.12s → %.12s, %" PRIu64 " commit%s", git->from, git->to, git->commits,
                git->commits == 1 ? "" : "s");
        if (git->given_up)
                fprintf(out, ", %" PRIu64 " given up", git->given_up);
        fprintf(out, "; %" PRIu64 " file%s, +%" PRIu64 " -%" PRIu64 " lines\n", git->files,
                git->files == 1 ? "" : "s", git->lines_added, git->lines_removed);
        for (size_t i = 0; i < git->n_newest; i++) {
                fprintf(out, "  %.12s ", git->newest[i].id);
                cli_put(out, git->newest[i].subject);
                fputc('\n', out);
        }
        if (git->commits > git->n_newest)
                fprintf(out, "  and %" PRIu64 " more\n", git->commits - git->n_newest);
}

static void print_text(FILE *out, const pawl_comparison *c)
{
        const pawl_workspace_checkpoint_info *b = pawl_comparison_b(c);

        fprintf(out, "checkpoint %" PRIu64 " → ", pawl_comparison_a(c)->n);
        if (b)
                fprintf(out, "checkpoint %" PRIu64 "\n", b->n);
        else
                fputs("the workspace\n", out);
        print_members(out, c);
        for (size_t i = 0; i < pawl_comparison_files(c); i++)
                cli_change_print(out, pawl_comparison_file(c, i));
        if (pawl_comparison_files(c))
                print_sum(out, c);
        else if (!pawl_comparison_members(c) && !pawl_comparison_git(c))
                fputs("no difference\n", out);
        print_git(out, pawl_comparison_git(c));
}

/* ---- The command --------------------------------------------------------------------------------
 */

static pawl_status keep_patch(const char *data, size_t len, void *user)
{
        return pawl__buf_add(user, data, len);
}

/* A patch is bytes, and goes out as it is to other programs. */
static pawl_status print_patch(const char *data, size_t len, void *user)
{
        return fwrite(data, 1, len, user) == len ? PAWL_OK : PAWL_EIO;
}

/* To a terminal it goes as any text from outside: nobody applies it from there. */
static void show_patch(FILE *out, pawl_text rest)
{
        pawl_text part;

        while (rest.len) {
                part = pawl__text_n(rest.data, 0);
                while (part.len < rest.len && rest.data[part.len] != '\n' &&
                        rest.data[part.len] != '\t')
                        part.len++;
                cli_put(out, part);
                if (part.len < rest.len)
                        fputc(rest.data[part.len++], out);
                rest = pawl__text_n(rest.data + part.len, rest.len - part.len);
        }
}

static int compare(const cli_call *cli, const pawl_workspace_options *options, const char *b)
{
        FILE *out = cli->in->out;
        bool json = cli_given(cli, "json"), patch = cli_given(cli, "patch");
        bool keep = json || cli_is_terminal(out);
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        pawl_comparison *c = NULL;
        pawl_log *log;
        int code = CLI_DONE;

        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (pawl_workspace_compare(&c, log, cli->args[0], b, options,
                    !patch ? NULL
                    : keep ? keep_patch
                           : print_patch,
                    keep ? (void *)&text : out, &err))
                code = cli_fail(cli, &err);
        else if (json)
                code = print_json(cli, c, &text);
        else if (patch)
                show_patch(out, pawl__buf_text(&text));
        else
                print_text(out, c);
        pawl_comparison_free(c);
        pawl__buf_free(&text);
        cli_close_log(cli, log);
        return code;
}

static int diff_run(cli_call *cli)
{
        pawl_workspace_options options;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf actor = PAWL__BUF_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        int code;

        if (cli_before_paths(cli) > 2)
                return cli_usage(
                        cli, "one argument too many: \"%s\"; paths come after --", cli->args[2]);
        if (cli_workspace_options(&options, &actor, cli, &err) ||
                cli_take_paths(&options, &arena, cli, &err))
                code = cli_fail(cli, &err);
        else
                code = compare(cli, &options, cli_before_paths(cli) > 1 ? cli->args[1] : NULL);
        pawl__buf_free(&actor);
        pawl__arena_free(&arena);
        return code;
}

static const cli_option diff_options[] = {
        {"patch", 'p', 0, CLI_FLAG, NULL, NULL, "a unified diff, for `git apply` or `patch -p1`"},
        CLI_WORKSPACE_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_diff_cmd = {
        .name = "diff",
        .args = "A [B] [PATH...]",
        .min_args = 1,
        .max_args = CLI_ARGS_MAX,
        .arg_help = {"the checkpoint to start from",
                "the checkpoint to end at (default: the workspace as it is)",
                "after --: these files and directories alone"},
        .traits = CLI_SERVED | CLI_WORKSPACE,
        .options = diff_options,
        .help = "Show what lies between checkpoint A and checkpoint B, or the workspace as it is",
        .run = diff_run,
};

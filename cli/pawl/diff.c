/* pawl diff: what lies between two checkpoints, or one and the workspace as it is. */
#include "cli/pawl/commands.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- As JSON --------------------------------------------------------------------------------- */

const char *cli_kind_word(const void *value, char buf[CLI_WORD_MAX])
{
        const char kind = *(const char *)value;

        (void)buf;
        return kind == 'f' ? "file" : kind == 'd' ? "folder" : kind == 'l' ? "link" : NULL;
}

static const char *change_word(const void *value, char buf[CLI_WORD_MAX])
{
        const char what = *(const char *)value;

        (void)buf;
        return what == 'A' ? "added" : what == 'D' ? "removed" : "modified";
}

static const char *mode(char kind, uint32_t bits, char buf[CLI_WORD_MAX])
{
        snprintf(buf, CLI_WORD_MAX, "%04o", (unsigned)bits);
        return kind == 'f' || kind == 'd' ? buf : NULL;
}

static const char *mode_before(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_file_change *file = item;

        return mode(file->kind_before, file->mode_before, buf);
}

static const char *mode_after(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_file_change *file = item;

        return mode(file->kind_after, file->mode_after, buf);
}

#define FILE_AT(member) CLI_AT(pawl_file_change, member)

const cli_field cli_change_fields[] = {
        {"path", CLI_AS_BYTES, FILE_AT(path)},
        {"change", CLI_AS_WORD, FILE_AT(what), .word = change_word},
        {"kind_before", CLI_AS_WORD, FILE_AT(kind_before), .word = cli_kind_word},
        {"kind_after", CLI_AS_WORD, FILE_AT(kind_after), .word = cli_kind_word},
        {"mode_before", CLI_AS_WORD, CLI_ITSELF, .word = mode_before},
        {"mode_after", CLI_AS_WORD, CLI_ITSELF, .word = mode_after},
        {"bytes_before", CLI_AS_INTEGER, FILE_AT(size_before)},
        {"bytes_after", CLI_AS_INTEGER, FILE_AT(size_after)},
        {"lines_added", CLI_AS_INTEGER, FILE_AT(lines_added)},
        {"lines_removed", CLI_AS_INTEGER, FILE_AT(lines_removed)},
        {"binary", CLI_AS_BOOL, FILE_AT(binary)},
        CLI_NO_FIELD,
};

static bool is_of_checkpoint(const void *item)
{
        return ((const pawl_unknown_file *)item)->checkpoint != 0;
}

static const cli_field unknown_fields[] = {
        {"path", CLI_AS_BYTES, CLI_AT(pawl_unknown_file, path)},
        {"why", CLI_AS_STRING, CLI_AT(pawl_unknown_file, why)},
        {"checkpoint", CLI_AS_INTEGER, CLI_AT(pawl_unknown_file, checkpoint),
                .has = is_of_checkpoint},
        CLI_NO_FIELD,
};

static const char *member_word(const void *item, char buf[CLI_WORD_MAX])
{
        const pawl_member_change *member = item;

        (void)buf;
        return !member->before.data ? "added" : !member->after.data ? "removed" : "changed";
}

const cli_field cli_member_fields[] = {
        {"path", CLI_AS_TEXT, CLI_AT(pawl_member_change, path)},
        {"change", CLI_AS_WORD, CLI_ITSELF, .word = member_word},
        {"before", CLI_AS_RAW, CLI_AT(pawl_member_change, before), .or_none = true},
        {"after", CLI_AS_RAW, CLI_AT(pawl_member_change, after), .or_none = true},
        CLI_NO_FIELD,
};

static const cli_field commit_fields[] = {
        {"id", CLI_AS_STRING, CLI_AT(pawl_git_commit, id)},
        {"subject", CLI_AS_BYTES, CLI_AT(pawl_git_commit, subject)},
        CLI_NO_FIELD,
};

#define GIT(member) CLI_AT(pawl_git_between, member)

static const cli_field git_fields[] = {
        {"from", CLI_AS_STRING, GIT(from)},
        {"to", CLI_AS_STRING, GIT(to)},
        {"commits", CLI_AS_INTEGER, GIT(commits)},
        {"given_up", CLI_AS_INTEGER, GIT(given_up)},
        {"newest", CLI_AS_LIST, CLI_ITEMS(pawl_git_between, newest, n_newest),
                .fields = commit_fields},
        {"files", CLI_AS_INTEGER, GIT(files)},
        {"lines_added", CLI_AS_INTEGER, GIT(lines_added)},
        {"lines_removed", CLI_AS_INTEGER, GIT(lines_removed)},
        CLI_NO_FIELD,
};

#define AT(member) CLI_AT(pawl_comparison, member)

static const cli_field fields[] = {
        {"a", CLI_AS_POINTER, AT(a), .fields = cli_checkpoint_fields},
        {"b", CLI_AS_POINTER, AT(b), .fields = cli_checkpoint_fields}, /* null: the workspace */
        {"members", CLI_AS_LIST, CLI_ITEMS(pawl_comparison, members, n_members),
                .fields = cli_member_fields},
        {"files", CLI_AS_LIST, CLI_ITEMS(pawl_comparison, files, n_files),
                .fields = cli_change_fields},
        {"not_captured", CLI_AS_LIST, CLI_ITEMS(pawl_comparison, unknown, n_unknown),
                .fields = unknown_fields},
        {"git", CLI_AS_POINTER, AT(git), .fields = git_fields},
        CLI_NO_FIELD,
};

static pawl_status print_json(
        const cli_call *cli, const pawl_comparison *c, const pawl__buf *patch, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_fields_json(&w, fields, c);
        if (cli_given(cli, "patch"))
                cli_bytes_json(&w, "patch", pawl__buf_text(patch));
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

/* ---- As text --------------------------------------------------------------------------------- */

static void print_value(FILE *out, pawl_text json)
{
        cli_put_cut(out, json, 60);
}

void cli_members_print(FILE *out, const pawl_member_change *members, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                const pawl_member_change *member = &members[i];
                cli_putf(out, "%.*s: ", CLI_FMT(member->path));
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
                fprintf(out, "  %s → %s", cli_kind_word(&file->kind_before, NULL),
                        cli_kind_word(&file->kind_after, NULL));
        if (file->what == 'M' && file->mode_before != file->mode_after)
                fprintf(out, "  mode %04o → %04o", (unsigned)file->mode_before,
                        (unsigned)file->mode_after);
        fputc('\n', out);
}

void cli_unknown_print(FILE *out, const pawl_unknown_file *unknown)
{
        cli_putf(out, "  not captured: %.*s (%s) in ", CLI_FMT(unknown->path), unknown->why);
        if (unknown->checkpoint)
                fprintf(out, "checkpoint %" PRIu64 "\n", unknown->checkpoint);
        else
                fputs("the workspace\n", out);
}

static void print_sum(FILE *out, const pawl_comparison *c)
{
        uint64_t n[3] = {0, 0, 0}, added = 0, removed = 0;

        for (size_t i = 0; i < c->n_files; i++) {
                const pawl_file_change *file = &c->files[i];
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
                cli_putf(out, "%.*s\n", CLI_FMT(git->newest[i].subject));
        }
        if (git->commits > git->n_newest)
                fprintf(out, "  and %" PRIu64 " more\n", git->commits - git->n_newest);
}

static void print_text(FILE *out, const pawl_comparison *c)
{
        const pawl_workspace_checkpoint_info *b = c->b;

        fprintf(out, "checkpoint %" PRIu64 " → ", c->a->n);
        if (b)
                fprintf(out, "checkpoint %" PRIu64 "\n", b->n);
        else
                fputs("the workspace\n", out);
        cli_members_print(out, c->members, c->n_members);
        for (size_t i = 0; i < c->n_files; i++)
                cli_change_print(out, &c->files[i]);
        if (c->n_files)
                print_sum(out, c);
        else if (!c->n_members && !c->git)
                fputs("no difference\n", out);
        for (size_t i = 0; i < c->n_unknown; i++)
                cli_unknown_print(out, &c->unknown[i]);
        print_git(out, c->git);
}

/* ---- The command ----------------------------------------------------------------------------- */

static pawl_status keep_patch(const char *data, size_t len, void *user)
{
        return pawl__buf_add(user, data, len);
}

/* A patch is bytes, and goes out as it is to other programs. */
static pawl_status print_patch(const char *data, size_t len, void *user)
{
        return fwrite(data, 1, len, user) == len ? PAWL_OK : PAWL_EIO;
}

static pawl_status diff(cli_call *cli, pawl_log *log, pawl_error *err)
{
        const bool json = cli_given(cli, "json"), patch = cli_given(cli, "patch");
        const char *a = cli_before_paths(cli) > 0 ? cli->args[0] : "current";
        const char *b = cli_before_paths(cli) > 1 ? cli->args[1] : NULL;
        FILE *out = cli->in->out;
        const bool keep = json || cli_is_terminal(out);
        pawl_workspace_options options;
        pawl__buf text = PAWL__BUF_INIT;
        pawl_comparison *c = NULL;
        pawl_status status = cli_workspace_options(&options, cli, err);

        if (!status)
                status = cli_take_paths(&options, cli, err);
        if (!status)
                status = pawl_workspace_compare(&c, log, a, b, &options,
                        !patch ? NULL
                        : keep ? keep_patch
                               : print_patch,
                        keep ? (void *)&text : out, err);
        if (!status && json)
                status = print_json(cli, c, &text, err);
        else if (!status && patch)
                cli_put_lines(out, pawl__buf_text(&text));
        else if (!status)
                print_text(out, c);
        pawl_comparison_free(c);
        pawl__buf_free(&text);
        return status;
}

static int diff_run(cli_call *cli)
{
        if (cli_before_paths(cli) > 2)
                return cli_usage(
                        cli, "one argument too many: \"%s\"; paths come after --", cli->args[2]);
        return cli_with_log(cli, CLI_LOOK, diff);
}

static const cli_option diff_options[] = {
        {"patch", 'p', 0, CLI_FLAG, NULL, NULL, "a unified diff, for `git apply` or `patch -p1`"},
        CLI_WORKSPACE_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_diff_cmd = {
        .name = "diff",
        .args = "[A] [B] [PATH...]",
        .arg_help = {"the checkpoint to start from (default: the current one)",
                "the checkpoint to end at (default: the workspace as it is)",
                "after --: these files and directories alone"},
        .traits = CLI_SERVED | CLI_WORKSPACE,
        .options = diff_options,
        .help = "Show what lies between checkpoint A and checkpoint B, or the workspace as it is",
        .run = diff_run,
};

/* By which rules a workspace is read: the bounds and the patterns that are given, or those of its
 * newest checkpoint. */
#include "base/error.h"
#include "workspace/workspace.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FILE = 64 << 20 };

/* What its event says; nothing where that was pruned. */
static pawl_status read_event_at(
        pawl__json_tree *tree, pawl_log *log, uint64_t seq, pawl__arena *arena, pawl_error *err)
{
        pawl_event event;
        const pawl_status status = pawl__log_event(&event, arena, log, seq);

        if (status)
                return pawl__log_failed(log, status, err);
        return event.payload.data
                       ? pawl__json_tree_read(tree, event.payload.data, event.payload.len, err)
                       : PAWL_OK;
}

static pawl_status read_event(
        pawl__json_tree *tree, pawl__workspace *ws, const pawl__row *row, pawl_error *err)
{
        return read_event_at(
                tree, ws->log, (uint64_t)row->v[PAWL__WCP_SEQ].integer, &ws->arena, err);
}

pawl_status pawl__workspace_imported(
        bool *imported, pawl__workspace *ws, const pawl__row *row, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = read_event(&tree, ws, row, err);

        *imported = (!row->v[PAWL__WCP_ROOT].text.data && !pawl__row_of_run(row)) ||
                    (tree.n && pawl__json_get(&tree, 0, "origin") != PAWL__NO_NODE);
        pawl__json_tree_free(&tree);
        return status;
}

/* Where it is not known yet. */
static void take_number(uint64_t *out, const pawl__json_tree *tree, const char *name)
{
        const pawl__node node = pawl__json_get(tree, 0, name);
        int64_t value;

        if (!*out && node != PAWL__NO_NODE && pawl__json_int(pawl__json_at(tree, node), &value) &&
                value > 0)
                *out = (uint64_t)value;
}

/* A list of the event, in @p list. Not there: nothing. */
static pawl_status take_list(const pawl_text **list, size_t *n, pawl__arena *arena,
        const pawl__json_tree *tree, const char *name, pawl_error *err)
{
        const pawl__node node = pawl__json_get(tree, 0, name);
        bool ok = true;

        if (node == PAWL__NO_NODE)
                return PAWL_OK;
        pawl_text *patterns =
                pawl__arena_array(arena, pawl__json_at(tree, node)->count + 1, sizeof *patterns);
        if (!patterns)
                return pawl__nomem(err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE && ok;
                m = pawl__json_after(tree, node, m))
                patterns[(*n)++] = pawl__arena_text(arena, pawl__json_at(tree, m)->value, &ok);
        *list = patterns;
        return ok ? PAWL_OK : pawl__nomem(err);
}

/* The blob that the event names, if the log has it. */
static pawl_status take_git_rules(pawl_text *out, pawl_log *log, const pawl__json_tree *tree,
        pawl__arena *arena, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        unsigned char hash[32];
        pawl_status status = PAWL_ENOTFOUND;

        if (pawl__unhex32(hash, pawl__json_get_text(tree, 0, "git_rules")))
                status = pawl__log_blob(&text, log, hash);
        if (!status)
                *out = pawl__arena_copy(arena, pawl__buf_text(&text));
        pawl__buf_free(&text);
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return PAWL_OK;
        return status ? pawl__log_failed(log, status, err) : pawl__arena_check(arena, err);
}

pawl_status pawl__workspace_lists_of(pawl__workspace_lists *out, pawl_log *log, uint64_t seq,
        pawl__arena *arena, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = read_event_at(&tree, log, seq, arena, err);

        if (!status && tree.n)
                status = take_list(&out->include, &out->n_include, arena, &tree, "include", err);
        if (!status && tree.n)
                status = take_list(&out->exclude, &out->n_exclude, arena, &tree, "exclude", err);
        if (!status && tree.n)
                status = take_git_rules(&out->git_rules, log, &tree, arena, err);
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status take_rules(pawl__workspace *ws, const pawl__json_tree *tree,
        const pawl_workspace_options *options, pawl_error *err)
{
        take_number(&ws->max_file, tree, "max_file");
        take_number(&ws->max_files, tree, "max_files");
        take_number(&ws->max_bytes, tree, "max_bytes");
        if (!options->exclude)
                TRY(take_list(&ws->exclude, &ws->n_exclude, &ws->arena, tree, "exclude", err));
        if (!options->include)
                TRY(take_list(&ws->include, &ws->n_include, &ws->arena, tree, "include", err));
        return PAWL_OK;
}

/* Those that the newest checkpoint was taken by: members of its event, which may be pruned. What an
 * archive brought has none that count. */
static pawl_status inherit_rules(
        pawl__workspace *ws, const pawl_workspace_options *options, pawl_error *err)
{
        pawl__row row = ws->newest;
        bool imported = true;
        pawl_status status = PAWL_OK;

        while (imported && !status) {
                pawl__json_tree tree = PAWL__JSON_TREE_INIT;
                status = read_event(&tree, ws, &row, err);
                imported = tree.n && pawl__json_get(&tree, 0, "origin") != PAWL__NO_NODE;
                if (!status && tree.n && !imported)
                        status = take_rules(ws, &tree, options, err);
                pawl__json_tree_free(&tree);
                if (!imported || row.v[PAWL__WCP_N].integer == 1)
                        break;
                row = (pawl__row){.v[PAWL__WCP_N].integer = row.v[PAWL__WCP_N].integer - 1};
                if (!status)
                        status = pawl__state_get(ws->state, PAWL__WORKSPACE, &row, &ws->arena, err);
        }
        return status;
}

static pawl_status set_list(const pawl_text **list, size_t *n, pawl__workspace *ws,
        const char *const *given, size_t n_given, pawl_error *err)
{
        pawl_text *patterns = pawl__arena_array(&ws->arena, n_given + 1, sizeof *patterns);
        bool ok = true;

        for (size_t i = 0; i < n_given && patterns && ok; i++) {
                const pawl_text pattern = pawl__text(given[i]);
                if (!pawl__utf8_valid(pattern.data, pattern.len))
                        return pawl__fail(err, PAWL_EINVAL,
                                "exclude: %.*s is not UTF-8; put the pattern into .pawlignore",
                                PAWL__FMT(pattern));
                patterns[i] = pawl__arena_text(&ws->arena, pattern, &ok);
        }
        if (!patterns || !ok)
                return pawl__nomem(err);
        *list = patterns;
        *n = n_given;
        return PAWL_OK;
}

pawl_status pawl__workspace_set_rules(
        pawl__workspace *ws, const pawl_workspace_options *options, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        ws->max_file = options->max_file;
        ws->max_files = options->max_files;
        ws->max_bytes = options->max_bytes;
        if (ws->any)
                status = inherit_rules(ws, options, err);
        if (!ws->max_file)
                ws->max_file = MAX_FILE;
        if (!ws->max_files)
                ws->max_files = PAWL__WORKSPACE_MAX_FILES;
        if (!ws->max_bytes)
                ws->max_bytes = PAWL__WORKSPACE_MAX_BYTES;
        if (!status && options->exclude)
                status = set_list(&ws->exclude, &ws->n_exclude, ws, options->exclude,
                        options->n_exclude, err);
        if (!status && options->include)
                status = set_list(&ws->include, &ws->n_include, ws, options->include,
                        options->n_include, err);
        return status;
}

/* The absolute path of a directory that may not be there yet. PAWL_DONE: its parent is not, either.
 */
static pawl_status resolve(char out[PATH_MAX], const char *directory)
{
        char parent[PATH_MAX];
        size_t len = strlen(directory);

        if (realpath(directory, out))
                return PAWL_OK;
        while (len > 1 && directory[len - 1] == '/')
                len--;
        const char *slash = memrchr(directory, '/', len);
        size_t parent_len = slash ? (size_t)(slash - directory) : 0;
        const char *name = slash ? slash + 1 : directory;
        size_t name_len = len - (size_t)(name - directory);
        if (len >= PATH_MAX || pawl__text_eq(pawl__text_n(name, name_len), pawl__text("..")))
                return PAWL_DONE;
        snprintf(parent, sizeof parent, "%.*s", (int)parent_len, directory);
        if (!realpath(slash ? (parent_len ? parent : "/") : ".", out) ||
                strlen(out) + name_len + 2 > PATH_MAX)
                return PAWL_DONE;
        len = strlen(out);
        snprintf(out + len, PATH_MAX - len, "%s%.*s", len > 1 ? "/" : "", (int)name_len, name);
        return PAWL_OK;
}

/* "/a/b/", as a line of a .gitignore of the root. NULL: no memory. */
static const char *rule_of(pawl__arena *arena, const char *below)
{
        char *rule = pawl__arena_alloc(arena, 2 * strlen(below) + 3);
        char *to = rule;

        if (!rule)
                return NULL;
        *to++ = '/';
        for (; *below; below++) {
                if (strchr("\\*?[", *below))
                        *to++ = '\\';
                *to++ = *below;
        }
        *to = '/';
        return rule;
}

pawl_status pawl__workspace_leave_out(pawl__workspace *ws, const char *directory, pawl_error *err)
{
        const size_t root_len = strlen(ws->root) == 1 ? 0 : strlen(ws->root);
        char real[PATH_MAX];

        if (resolve(real, directory) || strncmp(real, ws->root, root_len) != 0 ||
                (real[root_len] != '/' && real[root_len] != '\0'))
                return PAWL_OK;
        const char *below = real + root_len + strspn(real + root_len, "/");
        if (!*below)
                return pawl__fail(err, PAWL_EINVAL,
                        "%.300s: is the root of the workspace; name a directory in it, or elsewhere",
                        directory);
        if (strncmp(below, ".pawl/", 6) == 0) /* is never part of it */
                return PAWL_OK;
        if (!pawl__utf8_valid(below, strlen(below)) || strpbrk(below, "\r\n"))
                return pawl__fail(err, PAWL_EINVAL,
                        "%.300s: its path is not UTF-8, or has a line break, so that no rule could "
                        "name it; rename it, or name another",
                        directory);
        const char *rule = rule_of(&ws->arena, below);
        pawl_text *patterns = pawl__arena_array(&ws->arena, ws->n_exclude + 1, sizeof *patterns);
        if (!rule || !patterns)
                return pawl__nomem(err);
        for (size_t i = 0; i < ws->n_exclude; i++) {
                patterns[i] = ws->exclude[i];
                if (pawl__text_is(patterns[i], rule))
                        return PAWL_OK;
        }
        patterns[ws->n_exclude++] = pawl__text(rule);
        ws->exclude = patterns;
        return PAWL_OK;
}

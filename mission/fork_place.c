/* Where a fork's files are, and with which parameters it begins. */
#include "base/error.h"
#include "base/system.h"
#include "mission/ask.h"
#include "mission/fork.h"
#include "mission/graph.h"
#include "mission/inputs.h"
#include "mission/param_text.h"
#include "mission/params.h"
#include "mission/runner.h"
#include "state/step_plan.h"
#include "workspace/rollback/set_up.h"
#include "workspace/rollback/tracked_paths.h"
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RUN(f) PAWL__FMT((f)->now.v[PAWL__RUN_ID].text)

/* ---- Parameters ------------------------------------------------------------------------------ */

pawl_status pawl__fork_mission(pawl_mission **out, pawl__fork *f, pawl_error *err)
{
        const pawl_text path = pawl__arena_copy(&f->arena, f->now.v[PAWL__RUN_MISSION_PATH].text);
        pawl__buf text = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = pawl__arena_check(&f->arena, err);

        if (!status && !f->submitted) {
                status = pawl_mission_load(out, path.data, err);
        } else if (!status) {
                status = PAWL_ENOTFOUND;
                if (pawl__unhex32(hash, pawl__json_get_text(&f->begun, 0, "mission_file")))
                        status = pawl__log_blob(&text, f->log, hash);
                status = status ? pawl__log_failed(f->log, status, err)
                                : pawl__mission_parse(out, "/mission", pawl__buf_text(&text), err);
        }
        pawl__buf_free(&text);
        if (status)
                return status;
        status = pawl__params_of_run(*out, f->log, &f->now, err);
        if (status)
                pawl_mission_free(*out);
        return status;
}

static bool text_takes(pawl_text text, const pawl_mission_param *param)
{
        pawl_text name;

        while (pawl__text_next_param(&name, &text))
                if (pawl__text_is(name, param->name))
                        return true;
        return false;
}

/* A word, as it is written; NULL: it takes none. */
static bool word_takes(const char *text, const pawl_mission_param *param)
{
        return text && text_takes(pawl__text(text), param);
}

/* Does this node, or one in it, take the parameter? */
static bool takes(const pawl_mission *mission, pawl__node root, const pawl_mission_param *param)
{
        const pawl__json_tree *tree = &mission->document.tree;
        const pawl__node end = root == PAWL__NO_NODE ? 0 : pawl__json_at(tree, root)->next;

        for (pawl__node n = root; n < end; n++)
                if (pawl__param_at(mission, tree, n) == param ||
                        (pawl__json_at(tree, n)->type == PAWL__JSON_STRING &&
                                text_takes(pawl__json_at(tree, n)->value, param)))
                        return true;
        return false;
}

static bool step_takes(
        const pawl_mission *mission, const pawl__step *step, const pawl_mission_param *param)
{
        bool found = takes(mission, step->inputs, param) ||
                     (step->ask && text_takes(step->ask->question, param)) ||
                     word_takes(step->how->cwd_text, param);

        for (size_t i = 0; step->argv && step->argv[i]; i++)
                found = found || word_takes(step->word_texts[i], param);
        for (size_t i = 0; i < step->how->env.n; i++)
                found = found || word_takes(step->how->env.items[i].text, param);
        for (size_t i = 0; i < mission->env.n; i++)
                found = found || word_takes(mission->env.items[i].text, param);
        return found;
}

static bool is_same(const pawl__fork *f, const pawl_mission_param *param)
{
        const pawl__node params = pawl__json_get(&f->begun, 0, "params");
        const pawl__node was = params == PAWL__NO_NODE
                                       ? PAWL__NO_NODE
                                       : pawl__json_get(&f->begun, params, param->name);
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (was == PAWL__NO_NODE)
                return true;
        pawl__json_node_value(&w, pawl__json_at(&f->begun, was));
        const bool same =
                pawl__json_end_writer(&w) || pawl__text_is(pawl__buf_text(&w.buf), param->value);
        pawl__json_writer_free(&w);
        return same;
}

typedef struct taking {
        pawl__fork *f;
        pawl_mission *mission;
        void (*tell)(const char *line, void *user);
        void *user;
} taking;

/* The first parameter that the step takes and that is another now; NULL: there is none. */
static const pawl_mission_param *takes_other(const taking *t, const pawl__step *step)
{
        for (size_t i = 0; i < t->mission->n_params; i++)
                if (!is_same(t->f, &t->mission->params[i]) &&
                        step_takes(t->mission, step, &t->mission->params[i]))
                        return &t->mission->params[i];
        return NULL;
}

/* The step's place in the mission; SIZE_MAX: it is not there, or has not completed. */
static size_t completed_at(const taking *t, size_t k)
{
        const pawl__value *v = t->f->steps[k].v;

        return pawl__text_is(v[PAWL__STEP_STATUS].text, "completed")
                       ? pawl__mission_find(t->mission, v[PAWL__STEP_ID].text)
                       : SIZE_MAX;
}

/* Does the step need one that asks again, itself or by way of others? */
static pawl_status needs_asked(bool *out, const taking *t, size_t step, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        *out = false;
        for (size_t k = 0; k < t->f->n_steps && !status && !*out; k++)
                if (t->f->asks_again[k])
                        status = pawl__graph_needs(out, t->mission, step, completed_at(t, k), err);
        return status;
}

static void tell_of(const taking *t, const pawl__step *step, bool behind)
{
        const pawl_mission_param *param = takes_other(t, step);
        char line[400];

        if (behind)
                snprintf(line, sizeof line,
                        "step %.*s: runs again, as it needs the answer to what is asked again",
                        PAWL__FMT(step->id));
        else if (param && step->ask)
                snprintf(line, sizeof line,
                        "step %.*s: asks again, as it was answered with the former value of %s",
                        PAWL__FMT(step->id), param->name);
        else if (param)
                snprintf(line, sizeof line,
                        "step %.*s: completed with the former value of %s, and is not run again; "
                        "fork from it to have it run with the new one",
                        PAWL__FMT(step->id), param->name);
        else
                return;
        t->tell(line, t->user);
}

pawl_status pawl__fork_params(pawl__fork *f, pawl_mission *mission,
        void (*tell)(const char *line, void *user), void *user, pawl_error *err)
{
        const taking t = {f, mission, tell, user};
        char hash[65];
        pawl_status status = pawl__params_complete(mission, err);

        f->mission = mission;
        f->asks_again = pawl__arena_array(&f->arena, f->n_steps, sizeof *f->asks_again);
        if (!f->asks_again)
                return pawl__nomem(err);
        for (size_t k = 0; k < f->n_steps; k++) {
                const size_t at = completed_at(&t, k);
                f->asks_again[k] = at != SIZE_MAX && mission->steps[at].ask &&
                                   takes_other(&t, &mission->steps[at]);
                const pawl_text was = pawl__plan_ask(f->steps[k].v[PAWL__STEP_PLAN].text);
                if (status || !was.data || at == SIZE_MAX || !mission->steps[at].ask)
                        continue;
                status = pawl__ask_hash(hash, mission, &mission->steps[at], f->log, err);
                f->asks_again[k] = f->asks_again[k] || !pawl__text_is(was, hash);
        }
        for (size_t k = 0; k < f->n_steps && !status; k++) {
                const size_t at = completed_at(&t, k);
                bool behind = false;
                if (at == SIZE_MAX)
                        continue;
                status = needs_asked(&behind, &t, at, err);
                tell_of(&t, &mission->steps[at], behind);
                f->asks_again[k] = f->asks_again[k] || behind;
        }
        return status;
}

/* ---- Where its files are --------------------------------------------------------------------- */

pawl_status pawl__fork_in_place(pawl__fork *f, pawl_error *err)
{
        if (f->submitted)
                return pawl__fail(err, PAWL_ESTATE,
                        "run %.*s: was submitted, and has no directory here; name one for the "
                        "fork's files",
                        RUN(f));
        if (f->root.data)
                return pawl__fail(err, PAWL_ESTATE,
                        "run %.*s: has the directory %.*s for itself; name another one for the "
                        "fork's files",
                        RUN(f), PAWL__FMT(f->root));
        f->path = pawl__arena_copy(&f->arena, f->now.v[PAWL__RUN_MISSION_PATH].text).data;
        return pawl__arena_check(&f->arena, err);
}

/* Is it empty, or not there? */
static pawl_status check_directory(const char *directory, pawl_error *err)
{
        const struct dirent *found;
        bool empty = true;

        DIR *open = opendir(directory);
        if (!open)
                return errno == ENOENT
                               ? PAWL_OK
                               : pawl__fail_errno(err, errno, directory,
                                         "name a directory that is empty, or not there yet");
        while (empty && (found = readdir(open)))
                empty = strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0;
        closedir(open);
        return empty ? PAWL_OK
                     : pawl__fail(err, PAWL_EINVAL,
                               "directory %.300s: is not empty; name one that is, or is not there "
                               "yet",
                               directory);
}

/* The mission's file, relative to the root of the run's files. */
static pawl_status find_below(
        pawl_text *below, pawl__fork *f, const pawl_workspace_options *options, pawl_error *err)
{
        const pawl_text path = f->now.v[PAWL__RUN_MISSION_PATH].text;
        char root[PATH_MAX];
        pawl__workspace ws;

        *below = path;
        if (f->submitted)
                return PAWL_OK;
        if (f->root.data) {
                *below = (pawl_text){path.data + f->root.len + 3, path.len - f->root.len - 3};
                return PAWL_OK;
        }
        pawl_status status = pawl__workspace_open(&ws, f->log, options, err);
        if (status)
                return status;
        if (!realpath(ws.root, root))
                status = pawl__fail_errno(err, errno, ws.root, "find it again");
        const size_t len = !status && strcmp(root, "/") != 0 ? strlen(root) : 0;
        if (!status &&
                (path.len <= len + 1 || memcmp(path.data, root, len) != 0 || path.data[len] != '/'))
                status = pawl__fail(err, PAWL_EINVAL,
                        "run %.*s: its mission %.*s lies outside the workspace %.200s, so that a "
                        "directory of the fork's own would not have it; fork in place",
                        RUN(f), PAWL__FMT(path), root);
        else if (!status)
                *below = (pawl_text){path.data + len + 1, path.len - len - 1};
        pawl__workspace_close(&ws);
        return status;
}

/* Would the directory have the mission? */
static pawl_status check_captured(const pawl__fork *f, pawl_text below, pawl_error *err)
{
        pawl__contents *contents = NULL;
        pawl__tracked_paths *tree = NULL;
        unsigned char hash[32];
        bool has = false;
        pawl_status status = PAWL_OK;

        if (!pawl__unhex32(hash, f->checkpoint.v[PAWL__WCP_TREE].text))
                return pawl__fail(err, PAWL_EDAMAGED,
                        "checkpoint %lld: its tree is no hash; check with `eventlog verify`",
                        (long long)f->checkpoint.v[PAWL__WCP_N].integer);
        status = pawl__contents_open(&contents, f->log, err);
        if (status)
                return status;
        const pawl__directories directories = pawl__contents_directories(contents);
        status = pawl__tracked_paths_new(&tree, &directories, hash, 1, err);
        if (!status)
                status = pawl__tracked_paths_has(&has, tree, below, err);
        pawl__tracked_paths_free(tree);
        pawl__contents_close(contents);
        if (!status && !has)
                status = pawl__fail(err, PAWL_EINVAL,
                        "checkpoint %lld: has not captured the mission %.*s, so that a directory "
                        "of the fork's own would not have it; fork in place",
                        (long long)f->checkpoint.v[PAWL__WCP_N].integer, PAWL__FMT(below));
        return status;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
        (void)st;
        if (at->level > 0 && type == FTW_DP)
                (void)rmdir(path);
        else if (at->level > 0)
                (void)unlink(path);
        return 0;
}

void pawl__fork_clean_up(const pawl__fork *f)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row run = {.v[PAWL__RUN_ID].text = pawl__text(f->run_id)};

        if (f->filled &&
                pawl__state_get(f->state, PAWL__RUNS, &run, &arena, NULL) == PAWL_ENOTFOUND)
                (void)nftw(f->filled, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
        pawl__arena_free(&arena);
}

static pawl_status fill_directory(pawl__fork *f, const char *directory, pawl_text below,
        const pawl_workspace_options *given, pawl_error *err)
{
        pawl_workspace_options options = *given;
        const uint64_t n = (uint64_t)f->checkpoint.v[PAWL__WCP_N].integer;
        char real[PATH_MAX];
        pawl__buf path = PAWL__BUF_INIT;
        pawl__workspace ws;
        pawl_status status = pawl__directory_make(real, directory, err);

        if (status)
                return status;
        f->filled = pawl__arena_copy(&f->arena, pawl__text(real)).data;
        options.root = real;
        status = pawl__workspace_open_run(&ws, f->log, pawl__text(f->run_id), n, &options, err);
        if (status)
                return status;
        status = pawl__workspace_set_up_once(&ws, err);
        pawl__workspace_close(&ws);
        pawl__buf_addf(&path, "%s/./", strcmp(real, "/") ? real : "");
        pawl__buf_add_text(&path, below);
        f->path = pawl__arena_copy(&f->arena, pawl__buf_text(&path)).data;
        f->from = n;
        if (!status)
                status = pawl__buf_check(&path, err);
        pawl__buf_free(&path);
        return status ? status : pawl__arena_check(&f->arena, err);
}

pawl_status pawl__fork_set_up(pawl__fork *f, const char *directory,
        const pawl_workspace_options *options, pawl_error *err)
{
        pawl_text below;
        pawl_status status = check_directory(directory, err);

        if (!status && f->no_checkpoint)
                status = pawl__fail(err, PAWL_ESTATE,
                        "step %.*s: %s, so that no directory can have its files; fork in "
                        "place, where they stay as they are",
                        PAWL__FMT(f->step_id), f->no_checkpoint);
        if (!status)
                status = find_below(&below, f, options, err);
        if (!status)
                status = check_captured(f, below, err);
        return status ? status : fill_directory(f, directory, below, options, err);
}

/* Putting a run in line: everything that a worker needs to carry it out goes into the log. */
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "mission/params.h"
#include "mission/runner.h"
#include "workspace/checkpoint.h"
#include "workspace/rollback/tracked_paths.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct submitting {
        pawl__runner *r;
        pawl__workspace ws;
        pawl__taking taking;
        pawl__seeds seeds;
        pawl__buf file;           /* the mission's bytes */
        char root[PATH_MAX];      /* the workspace's, without links */
        const char *path, *below; /* the mission's file and its directory, relative to that */
        uint64_t checkpoint;
} submitting;

/* ---- What must come with it ----------------------------------------------------------------- */

static pawl_status read_file(submitting *s)
{
        const pawl_mission *mission = s->r->mission;
        unsigned char hash[PAWL__HASH_LEN];
        char hex[65];
        const int fd = open(mission->path, O_RDONLY | O_CLOEXEC);
        int error = fd < 0 ? errno : pawl__read_all(&s->file, fd, PAWL__DOCUMENT_MAX);

        if (fd >= 0)
                close(fd);
        if (error)
                return pawl__fail_errno(&s->r->error, error, mission->path, "read it again");
        pawl_status status = pawl__sha256(
                pawl__log_hasher(s->r->log), hash, s->file.data, s->file.len, &s->r->error);
        if (status)
                return status;
        pawl__hex(hex, hash, sizeof hash);
        if (strcmp(hex, mission->hash) != 0)
                return pawl__fail(&s->r->error, PAWL_EINPUTS,
                        "mission %.300s: changed while it was submitted; submit it again",
                        mission->path);
        return PAWL_OK;
}

/* @p path without the root and the slash after it; NULL: it lies elsewhere. */
static const char *below_root(const submitting *s, const char *path)
{
        const size_t len = strcmp(s->root, "/") == 0 ? 0 : strlen(s->root);

        if (strncmp(path, s->root, len) != 0 || (path[len] != '/' && path[len] != '\0'))
                return NULL;
        return path[len] ? path + len + 1 : path + len;
}

static pawl_status find_mission(submitting *s)
{
        const pawl_mission *mission = s->r->mission;

        if (!realpath(s->ws.root, s->root))
                return pawl__fail_errno(&s->r->error, errno, s->ws.root, "find it again");
        s->path = below_root(s, mission->path);
        s->below = below_root(s, mission->directory);
        if (!s->path || !s->below)
                return pawl__fail(&s->r->error, PAWL_EINVAL,
                        "mission %.200s: lies outside the workspace %.200s, so that no worker would "
                        "have its files; move it there, or name a workspace that holds it "
                        "(workspace.root)",
                        mission->path, s->root);
        if (!pawl__utf8_valid(s->path, strlen(s->path)))
                return pawl__fail(&s->r->error, PAWL_EINVAL,
                        "mission %.300s: its path is not UTF-8; rename the file or its directory",
                        mission->path);
        return PAWL_OK;
}

/* Take "." and ".." and empty names out of it. False: it leads out of the root. */
static bool normal(char *path)
{
        char *to = path;

        for (char *from = path; *from;) {
                const size_t len = strcspn(from, "/");
                char *next = from + len + (from[len] == '/');
                if (len == 2 && memcmp(from, "..", 2) == 0) {
                        if (to == path)
                                return false;
                        for (to--; to > path && to[-1] != '/';)
                                to--;
                } else if (len && !(len == 1 && *from == '.')) {
                        const bool more = from[len] == '/';
                        memmove(to, from, len);
                        to += len;
                        if (more)
                                *to++ = '/';
                }
                from = next;
        }
        *to = '\0';
        return true;
}

static pawl_status captured(
        const submitting *s, pawl__tracked_paths *tree, const char *path, const char *what)
{
        bool has = false;
        pawl_status status = pawl__tracked_paths_has(&has, tree, pawl__text(path), &s->r->error);

        if (status || has)
                return status;
        return pawl__fail(&s->r->error, PAWL_EINVAL,
                "mission %.*s: %s %.200s is no part of what the workspace's checkpoint captures, so "
                "that no worker would have it; see what leaves it out (.gitignore, .pawlignore, "
                "exclude, its size)",
                PAWL__FMT(s->r->mission->id), what, path);
}

/* The mission's file, and the commands that it names by relative paths. */
static pawl_status check_captured(submitting *s)
{
        const pawl__scan *scan = s->taking.scan;
        pawl__directories directories = pawl__contents_directories(s->ws.contents);
        const pawl__directories beside = pawl__scan_directories(scan);
        const pawl_mission *mission = s->r->mission;
        pawl__tracked_paths *tree = NULL;
        char path[2 * PATH_MAX];

        pawl__contents_overlay(s->ws.contents, &beside);
        pawl_status status =
                pawl__tracked_paths_new(&tree, &directories, scan->tree, 1, &s->r->error);
        if (!status)
                status = captured(s, tree, s->path, "the file");
        for (size_t i = 0; i < mission->n_steps && !status; i++) {
                const char *command = mission->steps[i].argv ? mission->steps[i].argv[0] : "";
                if (*command == '/' || !strchr(command, '/'))
                        continue;
                const char *cwd = mission->steps[i].how->cwd;
                const int len =
                        snprintf(path, sizeof path, "%s/%s/%s", s->below, cwd ? cwd : ".", command);
                if (len < 0 || (size_t)len >= sizeof path || !normal(path))
                        status = pawl__fail(&s->r->error, PAWL_EINVAL,
                                "mission %.*s: the command %.200s leads out of the workspace; put "
                                "it there",
                                PAWL__FMT(mission->id), command);
                else
                        status = captured(s, tree, path, "the command");
        }
        pawl__tracked_paths_free(tree);
        pawl__contents_overlay(s->ws.contents, NULL);
        return status;
}

/* ---- The commit ----------------------------------------------------------------------------- */

static pawl_status emit_submitted(submitting *s)
{
        pawl__runner *r = s->r;
        pawl__batch *batch = pawl__pipeline_batch(r->pipeline);
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl_status status = pawl__runner_write_begin(r, &w);
        if (!status)
                status = pawl__batch_blob(
                        batch, r->mission->document.hash, pawl__buf_text(&s->file), &r->error);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        pawl__json_member_string(&w, "mission_file", r->mission->hash);
        pawl__json_member_string(&w, "mission_path", s->path);
        pawl__json_member_integer(&w, "checkpoint", (int64_t)s->checkpoint);
        return pawl__runner_emit(r, PAWL__RUN_SUBMITTED, (pawl_text){NULL, 0}, &w);
}

static pawl_status add_run(submitting *s)
{
        pawl_status status = pawl__runner_is_new(s->r);

        if (!status)
                status = emit_submitted(s);
        return status ? status : pawl__runner_activate_seeds(s->r, &s->seeds);
}

static pawl_status add_after(uint64_t n, pawl__batch *batch, void *user, pawl_error *err)
{
        submitting *s = user;

        (void)batch; /* the pipeline's, which the runner fills */
        s->checkpoint = n;
        const pawl_status status = add_run(s);
        if (status && err)
                *err = s->r->error;
        return status;
}

/* The workspace as it is now goes into the checkpoint with which the run is submitted: a new one,
 * or the current one where that has it. */
static pawl_status commit(submitting *s)
{
        pawl__runner *r = s->r;
        pawl__batch *batch = pawl__pipeline_batch(r->pipeline);
        pawl_status status = pawl__checkpoint_prepare(&s->taking, &r->error);
        const bool unchanged = status == PAWL_DONE;

        if (status && !unchanged)
                return status;
        status = check_captured(s);
        if (status)
                return status;
        pawl__batch_clear(batch);
        if (unchanged) {
                s->checkpoint = (uint64_t)s->ws.current.v[PAWL__WCP_N].integer;
                status = add_run(s);
        } else {
                pawl__checkpoint_arm(&s->taking, batch);
        }
        if (status)
                return status;
        status = pawl_pipeline_flush(r->pipeline);
        if (status) {
                pawl__checkpoint_disarm(batch);
                r->error = *pawl__pipeline_error(r->pipeline);
        } else if (!unchanged) {
                pawl__checkpoint_settle(&s->taking);
        }
        return status;
}

static pawl_status submit_workspace(submitting *s)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_status status = find_mission(s);

        request.automatic = true;
        request.only_if_changed = true;
        request.description = "submitted";
        s->taking = (pawl__taking){
                .ws = &s->ws, .request = &request, .then = add_after, .then_user = s};
        if (!status)
                status = PAWL_EINPUTS;
        for (int i = 0; i < PAWL__CHECKPOINT_TRIES && status == PAWL_EINPUTS; i++)
                status = commit(s);
        pawl__taking_free(&s->taking);
        return status;
}

static pawl_status submit(pawl__runner *r)
{
        submitting s = {.r = r, .file = PAWL__BUF_INIT};
        pawl_status status = pawl__params_complete(r->mission, &r->error);

        if (!status)
                status = read_file(&s);
        if (!status)
                status = pawl__runner_load_seeds(&s.seeds, r);
        if (!status)
                status = pawl__runner_choose_id(r);
        if (!status)
                status = pawl__runner_is_new(r);
        if (!status)
                status = pawl__runner_prepare(r);
        if (!status)
                status = pawl__runner_open_workspace(&s.ws, r, &r->error);
        if (!status) {
                status = submit_workspace(&s);
                pawl__workspace_close(&s.ws);
        }
        pawl__seeds_free(&s.seeds);
        pawl__buf_free(&s.file);
        return status;
}

pawl_status pawl_mission_submit(char run_id[129], pawl_mission *mission, pawl_log *log,
        const pawl_run_options *options, pawl_error *err)
{
        TRY(pawl__mission_usable(mission, err));
        TRY(pawl__log_usable(log, err));

        pawl__runner r;
        pawl_status status = pawl__runner_open(&r, log, options);

        r.mission = mission;
        if (!status)
                status = pawl__mission_whole(mission, &r.error);
        if (!status)
                status = pawl__runner_keep_log(&r, submit(&r));
        if (!status)
                snprintf(run_id, 129, "%.*s", PAWL__FMT(r.run_id));
        else if (err)
                *err = r.error;
        pawl__runner_free(&r);
        return status;
}

/* A run that was submitted: its mission is read from the log, its files are set up in a directory.
 */
#include "base/error.h"
#include "mission/runner.h"
#include "mission/runs.h"
#include "workspace/rollback/set_up.h"
#include "workspace/store/rootdir.h"

static pawl_status make_directory(pawl__runner *r)
{
        char path[PATH_MAX];
        pawl_status status = pawl__directory_make(path, r->options.directory, &r->error);

        if (status)
                return status;
        r->directory = pawl__arena_copy(&r->arena, pawl__text(path)).data;
        return pawl__arena_check(&r->arena, &r->error);
}

/* What RunSubmitted says beside what the run's row has. */
static pawl_status read_event(unsigned char file[32], pawl__runner *r, const pawl__row *run)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        int64_t from = 0;
        pawl_status status = pawl__log_event(
                &event, &r->arena, r->log, (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer);

        if (status)
                return pawl__log_failed(r->log, status, &r->error);
        if (event.payload.data)
                status = pawl__json_tree_read(
                        &tree, event.payload.data, event.payload.len, &r->error);
        if (!status && !pawl__rootdir_path_ok(run->v[PAWL__RUN_MISSION_PATH].text))
                status = pawl__fail(&r->error, PAWL_EDAMAGED,
                        "run %.*s: the path of its mission leads elsewhere; run `eventlog verify`",
                        PAWL__FMT(r->run_id));
        if (!status &&
                (!tree.n || !pawl__unhex32(file, pawl__json_get_text(&tree, 0, "mission_file")) ||
                        pawl__json_get(&tree, 0, "checkpoint") == PAWL__NO_NODE ||
                        !pawl__json_int(
                                pawl__json_at(&tree, pawl__json_get(&tree, 0, "checkpoint")),
                                &from)))
                status = pawl__fail(&r->error, PAWL_EDAMAGED,
                        "run %.*s: the event that submitted it says no mission; run `eventlog "
                        "verify`",
                        PAWL__FMT(r->run_id));
        r->from = (uint64_t)from;
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status parse(pawl__runner *r, const pawl__row *run, const unsigned char file[32])
{
        pawl__buf path = PAWL__BUF_INIT, text = PAWL__BUF_INIT;
        pawl_status status = pawl__log_blob(&text, r->log, file);

        if (status == PAWL_ENOTFOUND)
                status = pawl__fail(&r->error, PAWL_EDAMAGED,
                        "run %.*s: the log has lost its mission's file; run `eventlog verify`",
                        PAWL__FMT(r->run_id));
        else if (status)
                r->error = *pawl__log_error(r->log);
        pawl__buf_addf(&path, "%s/%.*s", strcmp(r->directory, "/") ? r->directory : "",
                PAWL__FMT(run->v[PAWL__RUN_MISSION_PATH].text));
        if (!status)
                status = pawl__buf_check(&path, &r->error);
        if (!status)
                status = pawl__mission_parse(
                        &r->own_mission, path.data, pawl__buf_text(&text), &r->error);
        pawl__buf_free(&path);
        pawl__buf_free(&text);
        return status;
}

pawl_status pawl__runner_load_submitted(pawl__runner *r, const pawl__row *run)
{
        static char off[] = "off";
        unsigned char file[32];

        if (!pawl__run_submitted(run))
                return pawl__fail(&r->error, PAWL_ESTATE,
                        "run %.*s: was not submitted, and goes on where it is; leave the directory "
                        "out",
                        PAWL__FMT(r->run_id));
        if (!r->options.directory)
                return pawl__fail(&r->error, PAWL_ESTATE,
                        "run %.*s: was submitted, and has no directory here; name one for its files, "
                        "or leave it to `pawl work`",
                        PAWL__FMT(r->run_id));
        pawl_status status = make_directory(r);
        if (!status)
                status = read_event(file, r, run);
        if (!status)
                status = parse(r, run, file);
        if (status)
                return status;
        r->mission = r->own_mission;
        status = pawl__runner_take_signers(r, run);
        if (status)
                return status;
        r->own_mission->tool_checkpoints = off; /* they are of the log's own workspace */
        return PAWL_OK;
}

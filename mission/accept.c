/* Comparing the mission of a resume with the one that its run began with. */
#include "base/error.h"
#include "base/printable.h"
#include "mission/params.h"
#include "mission/runner.h"
#include <stdio.h>

enum { SHOWN = 3 }; /* changes that the failure's line names */

/* Does an event of the run name a document of its mission? A run of an older log has none, and its
 * row then has the hash of the file. */
static pawl_status names_document(bool *out, pawl_log *log, const pawl__row *run, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(
                &event, &arena, log, (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer);

        *out = true;
        if (status)
                status = pawl__log_failed(log, status, err);
        else if (event.payload.data)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        if (!status && tree.n)
                *out = pawl__json_get_text(&tree, 0, "mission_document").data != NULL;
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__mission_recorded(
        pawl__buf *out, pawl_log *log, const pawl__row *run, pawl_error *err)
{
        const pawl_text hash = run->v[PAWL__RUN_MISSION_HASH].text;
        unsigned char bytes[PAWL__HASH_LEN];
        bool named = false;
        pawl_status status = PAWL_ENOTFOUND;

        if (hash.data && pawl__unhex32(bytes, hash))
                status = pawl__log_blob(out, log, bytes);
        if (status != PAWL_ENOTFOUND)
                return status ? pawl__log_failed(log, status, err) : PAWL_OK;
        TRY(names_document(&named, log, run, err));
        if (!named)
                return PAWL_OK;
        TRY(pawl__sha256(pawl__log_hasher(log), bytes, "", 0, err)); /* what it is compared by */
        return pawl__fail(err, PAWL_EDAMAGED,
                "run %.*s: the mission that it began with is not in the log any more; put back a "
                "copy of the log that has it, or start a new run",
                PAWL__FMT(run->v[PAWL__RUN_ID].text));
}

/* What the file's defaults are now does not count. */
pawl_status pawl__params_of_run(
        pawl_mission *mission, pawl_log *log, const pawl__row *run, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;

        if (!mission->n_params)
                return PAWL_OK;
        pawl_status status = pawl__log_event(
                &event, &arena, log, (uint64_t)run->v[PAWL__RUN_STARTED_SEQ].integer);
        if (status)
                status = pawl__log_failed(log, status, err);
        else if (event.payload.data)
                status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, err);
        else
                status = pawl__fail(err, PAWL_ENOTFOUND,
                        "run %.*s: the parameters that it began with were pruned; start a new run",
                        PAWL__FMT(run->v[PAWL__RUN_ID].text));
        if (!status)
                status = pawl__params_recorded(mission, &tree, err);
        pawl__json_tree_free(&tree);
        pawl__arena_free(&arena);
        return status;
}

pawl_status pawl__runner_write_mission(pawl__runner *r, pawl__json_writer *w)
{
        pawl__buf document = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        char hex[65];
        pawl_status status = pawl__mission_document(
                &document, hash, r->mission, pawl__log_hasher(r->log), &r->error);

        if (!status)
                status = pawl__batch_blob(pawl__pipeline_batch(r->pipeline), hash,
                        pawl__buf_text(&document), &r->error);
        pawl__buf_free(&document);
        if (status)
                return status;
        pawl__hex(hex, hash, PAWL__HASH_LEN);
        pawl__json_member_string(w, "mission_document", hex);
        pawl__json_member_string(w, "mission_hash", r->mission->hash);
        return pawl__runner_write_plan(r, w);
}

static pawl_status emit_changed(pawl__runner *r)
{
        const pawl__mission_changes *changes = &r->changes;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "changes");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < changes->n; i++) {
                pawl__json_open_object(&w);
                pawl__json_member_string(&w, "change", changes->items[i].change);
                pawl__json_member_string(&w, "step_id", changes->items[i].step_id);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        pawl__json_name(&w, "rerun");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < r->mission->n_steps && r->options.rerun_changed; i++)
                if (changes->rerun[i])
                        pawl__json_text(&w, r->mission->steps[i].id);
        pawl__json_close_array(&w);
        pawl_status status = pawl__runner_write_mission(r, &w);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        return pawl__runner_emit(r, PAWL__RUN_MISSION_CHANGED, (pawl_text){NULL, 0}, &w);
}

/* "step a was removed, step b has another command, and 2 more changes" */
static void describe(char *out, size_t size, const pawl__mission_changes *changes)
{
        static const struct {
                const char *change, *words;
        } known[] = {{"added", "is new"}, {"removed", "was removed"}, {"moved", "was moved"},
                {"inputs", "has other inputs"}, {"run", "has another command"},
                {"glossary", "was told what does not hold any more"}};
        size_t len = 0;

        for (size_t i = 0; i < changes->n && i < SHOWN; i++)
                for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
                        if (strcmp(changes->items[i].change, known[k].change) == 0)
                                len += (size_t)snprintf(out + len, size - len, "%sstep %.60s %s",
                                        i ? ", " : "", changes->items[i].step_id, known[k].words);
        if (changes->n > SHOWN)
                snprintf(out + len, size - len, ", and %zu more", changes->n - SHOWN);
}

static pawl_status refuse(pawl__runner *r)
{
        char what[400] = "";

        describe(what, sizeof what, &r->changes);
        return pawl__fail(&r->error, PAWL_EINPUTS,
                "run %.*s: its mission changed since: %s; put it back, keep what is completed with "
                "`pawl resume %s --accept-changed-mission`, or run what changed again with "
                "`pawl resume %s --rerun-changed`",
                PAWL__FMT(r->run_id), what, PAWL__WORD(r->run_id), PAWL__WORD(r->run_id));
}

static pawl_status decide(bool *yes, pawl__runner *r)
{
        const pawl_run_options *options = &r->options;

        *yes = r->mission_accepted || options->accept_changed_mission || options->rerun_changed ||
               (r->changes.at_resume && options->accept_changed_inputs);
        if (*yes || r->changes.at_resume || !options->confirm_mission)
                return PAWL_OK;
        pawl_status status = options->confirm_mission(
                yes, r->changes.items, r->changes.n, options->confirm_mission_user);
        if (status)
                return pawl__fail(&r->error, status < 0 ? status : PAWL_EINVAL,
                        "run %.*s: asking about the changed mission failed (%s); resume to be "
                        "asked again",
                        PAWL__FMT(r->run_id), pawl_status_name(status));
        return PAWL_OK;
}

static pawl_status compare(pawl__runner *r, const pawl__row *run, pawl_text recorded)
{
        pawl__row *rows = NULL;
        bool *outdated = NULL;
        size_t n = 0;
        pawl_status status =
                pawl__state_steps(&rows, &n, r->state, r->run_id, &r->arena, &r->error);

        if (!status && r->options.rerun_changed)
                status = pawl__runner_outdated(&outdated, r, run, rows, n);
        if (!status)
                status = pawl__mission_compare(&r->changes, &r->arena, r->mission, recorded,
                        outdated, rows, n, pawl__log_hasher(r->log), &r->error);
        return status;
}

/* Is it the very document that the run is compared with? */
static pawl_status is_same(bool *same, pawl__runner *r, pawl_text recorded)
{
        pawl__buf document = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        char hex[65];
        const pawl_status status = pawl__mission_document(
                &document, hash, r->mission, pawl__log_hasher(r->log), &r->error);

        pawl__buf_free(&document);
        if (!status)
                pawl__hex(hex, hash, PAWL__HASH_LEN);
        *same = !status && pawl__text_is(recorded, hex);
        return status;
}

static pawl_status find_changes(pawl__runner *r, const pawl__row *run, pawl_text recorded)
{
        const pawl_text hash = run->v[PAWL__RUN_MISSION_HASH].text;
        bool same = false;

        if (!r->options.rerun_changed && !recorded.data && pawl__text_is(hash, r->mission->hash))
                return PAWL_OK; /* of an older log: the file's own hash */
        pawl_status status = pawl__runner_hold_signers(r, run);
        if (!status && !r->options.rerun_changed)
                status = is_same(&same, r, hash);
        return status || same ? status : compare(r, run, recorded);
}

pawl_status pawl__runner_judge_mission(bool *yes, pawl__runner *r, const pawl__row *run)
{
        pawl__buf recorded = PAWL__BUF_INIT;
        pawl_status status = pawl__mission_recorded(&recorded, r->log, run, &r->error);

        r->changes = (pawl__mission_changes){NULL, 0, NULL, true};
        r->changes_open = false;
        if (!status)
                status = find_changes(
                        r, run, recorded.data ? pawl__buf_text(&recorded) : (pawl_text){NULL, 0});
        pawl__buf_free(&recorded);
        if (status || !r->changes.n)
                return status;
        status = decide(yes, r);
        if (status)
                return status;
        if (!*yes && !r->changes.at_resume)
                return refuse(r);
        r->mission_accepted = *yes;
        r->changes_open = !*yes;
        return PAWL_OK;
}

pawl_status pawl__runner_hold_mission(pawl__runner *r, const pawl__row *run)
{
        bool yes = false;
        pawl_status status = pawl__runner_judge_mission(&yes, r, run);

        if (status || yes)
                return status ? status : emit_changed(r);
        return pawl__runner_hold_plan(r, run);
}

pawl_status pawl__runner_confirm(bool *yes, const pawl_input_change *change, void *user)
{
        pawl__runner *r = user;
        pawl_status status = PAWL_OK;

        *yes = r->options.accept_changed_inputs || r->mission_accepted;
        if (!*yes && r->options.confirm && r->others_wait) {
                r->put_off = true;
                return PAWL_EINPUTS;
        }
        if (!*yes && r->options.confirm)
                status = r->options.confirm(yes, change, r->options.confirm_user);
        if (status || !*yes || !r->changes_open)
                return status;
        r->changes_open = false;
        return emit_changed(r);
}

pawl_status pawl__runner_passed(pawl__runner *r, pawl_text step_id)
{
        for (size_t i = 0; i < r->changes.n && r->changes_open; i++)
                if (pawl__text_is(step_id, r->changes.items[i].step_id)) {
                        r->changes_open = false;
                        return emit_changed(r);
                }
        return PAWL_OK;
}

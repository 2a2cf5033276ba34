/* Missions that take signed answers alone: whose, by the file that `require_signed` names. What it
 * said when the run began stands in the document that the run's first event names, and nothing
 * widens it; what it says now is looked at, too, so that a key that is taken out of it counts no
 * more. Such a run is read from verified events. */
#include "base/error.h"
#include "mission/ask.h"
#include "mission/checker.h"
#include "mission/runner.h"
#include "mission/ssh_keygen.h"
#include "pipeline/question.h"
#include <stdio.h>

static struct pawl__signers_kept kept(const pawl__signers *signers)
{
        return (struct pawl__signers_kept){signers->file, signers->recorded};
}

pawl_status pawl__runner_take_signers(pawl__runner *r, const pawl__row *run)
{
        pawl__signers signers;
        const pawl_status status =
                pawl__signers_recorded(&signers, &r->arena, r->log, run, &r->error);

        if (!status)
                r->own_mission->signers = r->own_mission->signers_now = kept(&signers);
        return status;
}

/* No change of the file, or of the mission, lifts or widens what the run requires. */
pawl_status pawl__runner_hold_signers(pawl__runner *r, const pawl__row *run)
{
        pawl_mission *mission = r->own_mission;
        pawl__signers signers;
        char line[400];
        const pawl_status status =
                pawl__signers_recorded(&signers, &r->arena, r->log, run, &r->error);

        if (status)
                return status;
        mission->signers = kept(&signers);
        if (pawl__text_eq(signers.recorded, mission->signers_now.text) || r->signers_told)
                return PAWL_OK;
        r->signers_told = true;
        snprintf(line, sizeof line,
                "run %.*s: whose answers it takes (require_signed) has changed since it began: an "
                "answer counts only if it did then, too; a new run takes it as it is",
                PAWL__FMT(r->run_id));
        pawl__runner_notice(r, line);
        return PAWL_OK;
}

pawl_status pawl__mission_trust(bool *required, pawl__trust *trust, pawl__sense_filter *filter,
        pawl__glossary *glossary, const pawl_mission *mission, pawl_log *log, pawl__state *state,
        pawl_error *err)
{
        trust->signers.present = mission->signers_now.text;
        if (!trust->signers.recorded.data)
                trust->signers.file = mission->signers_now.file;
        *required = pawl__signers_required(&trust->signers);
        if (!*required)
                return PAWL_OK;
        trust->log = log;
        trust->state = state;
        trust->verify = pawl__ssh_verify;
        trust->mission_id = mission->id;
        *filter = pawl__trust_filter(trust);
        pawl__glossary_filter(glossary, filter);
        return pawl__trust_begin(trust, err);
}

/* Read twice: the second time by verified events, where the first says that they are needed. */
pawl_status pawl__runner_believe(pawl__runner *r, pawl_text run_id)
{
        pawl__trust *trust = &r->trust;
        pawl_status status = PAWL_OK;

        for (int i = 0; i < 2 && !status; i++) {
                pawl__row run = {.v[PAWL__RUN_ID].text = run_id};
                status = pawl__state_get(r->state, PAWL__RUNS, &run, &r->arena, &r->error);
                if (!status)
                        status = pawl__signers_recorded(
                                &trust->signers, &r->arena, r->log, &run, &r->error);
                if (status || !trust->signers.recorded.data)
                        return status;
                trust->log = r->log;
                trust->state = r->state;
                trust->verify = pawl__ssh_verify;
                status = pawl__trust_begin(trust, &r->error);
        }
        return status;
}

pawl_status pawl__runner_require_signed(pawl__runner *r)
{
        bool required = false;
        pawl_status status = PAWL_OK;

        /* A run that begins here says in its mission what it requires. */
        if (r->resumes || r->mission->signers.text.data)
                status = pawl__runner_believe(r, r->run_id);
        if (!status)
                status = pawl__mission_trust(&required, &r->trust, &r->filter, r->glossary,
                        r->mission, r->log, r->state, &r->error);
        if (status || !required)
                return status;
        r->trusts = &r->trust;
        pawl__pipeline_require_signed(r->pipeline, &r->trust);
        return PAWL_OK;
}

/* ---- What has completed ---------------------------------------------------------------------- */

pawl_status pawl__step_counts(pawl__runner *r, size_t index, const pawl__row *row)
{
        const pawl__step *step = &r->mission->steps[index];
        const pawl__ask *ask = step->ask;
        const pawl__question asks = {.within_ms = ask ? ask->within_ms : 0,
                .otherwise = ask ? ask->otherwise : (pawl_text){NULL, 0}};
        bool left_out = false, runs = false;
        pawl_status status = PAWL_OK;

        if (!r->trusts)
                return PAWL_OK;
        status = pawl__trust_completed(&left_out, r->trusts, row, ask ? &asks : NULL, &r->error);
        if (!status && left_out)
                status = pawl__step_holds(&runs, r, index);
        if (!status && runs)
                status = pawl__fail(&r->error, PAWL_EDAMAGED,
                        "run %.*s: step %.*s was left out, although its `when` says that it runs; "
                        "put back a copy of the log, or start a new run",
                        PAWL__FMT(r->run_id), PAWL__FMT(step->id));
        return status;
}

/* A step of the mission's document. Whether a time was over is not known without its file. */
static pawl_status check_step(
        pawl__runner *r, const pawl__json_tree *tree, pawl__node step, pawl_text run_id)
{
        pawl__row row = {.v[PAWL__STEP_RUN].text = run_id,
                .v[PAWL__STEP_ID].text = pawl__json_get_text(tree, step, "id")};
        const pawl__node ask = pawl__json_get(tree, step, "ask");
        const pawl__question asks = {
                .within_ms = pawl__json_get(tree, ask, "within") != PAWL__NO_NODE,
                .otherwise = pawl__json_get_text(tree, ask, "otherwise")};
        bool left_out = false;
        pawl_status status = pawl__state_get(r->state, PAWL__STEPS, &row, &r->arena, &r->error);

        if (status == PAWL_ENOTFOUND ||
                (!status && !pawl__text_is(row.v[PAWL__STEP_STATUS].text, "completed")))
                return pawl__fail(&r->error, PAWL_EDAMAGED,
                        "run %.*s: has ended, but its step %.*s has not; put back a copy of the log, "
                        "or start a new run",
                        PAWL__FMT(run_id), PAWL__FMT(row.v[PAWL__STEP_ID].text));
        return status ? status
                      : pawl__trust_completed(&left_out, &r->trust, &row,
                                ask == PAWL__NO_NODE ? NULL : &asks, &r->error);
}

pawl_status pawl__runner_check_end(pawl__runner *r, const pawl__row *run, pawl_text step_id)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf document = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        if (!r->trust.begun)
                return PAWL_OK;
        status = pawl__mission_recorded(&document, r->log, run, &r->error);
        if (!status)
                status = pawl__json_tree_read(&tree, document.data, document.len, &r->error);
        const pawl__node steps = status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "steps");
        for (pawl__node s = steps == PAWL__NO_NODE ? steps : pawl__json_first(&tree, steps);
                s != PAWL__NO_NODE && !status; s = pawl__json_after(&tree, steps, s))
                if (!step_id.data || pawl__text_eq(step_id, pawl__json_get_text(&tree, s, "id")))
                        status = check_step(r, &tree, s, run->v[PAWL__RUN_ID].text);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&document);
        return status;
}

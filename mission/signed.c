/* Missions that take signed answers alone: whose, by the file that `require_signed` names. What it
 * said when the run began stands in the mission's document in the log, so that no step widens it;
 * and what it says now is looked at, too, so that a key that is taken out of it counts no more. */
#include "base/error.h"
#include "base/printable.h"
#include "mission/checker.h"
#include "mission/runner.h"
#include "mission/ssh_keygen.h"
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

/* A change of the file is accepted with one of the mission, and by that alone. */
pawl_status pawl__runner_hold_signers(bool *accepted, pawl__runner *r, const pawl__row *run)
{
        pawl_mission *mission = r->own_mission;
        const bool accepts = r->options.accept_changed_mission || r->options.rerun_changed;
        pawl__signers signers;
        char line[400];
        const pawl_status status =
                pawl__signers_recorded(&signers, &r->arena, r->log, run, &r->error);

        *accepted = false;
        if (status || pawl__text_eq(signers.recorded, mission->signers_now.text))
                return status;
        *accepted = accepts;
        mission->signers = accepts ? mission->signers_now : kept(&signers);
        if (r->signers_told)
                return PAWL_OK;
        r->signers_told = true;
        if (accepts)
                snprintf(line, sizeof line,
                        "run %.*s: whose answers it takes (require_signed) has changed since it "
                        "began, and is from now on as it is",
                        PAWL__FMT(r->run_id));
        else
                snprintf(line, sizeof line,
                        "run %.*s: whose answers it takes (require_signed) has changed since it "
                        "began: an answer counts only if it did then, too; `pawl resume %s "
                        "--accept-changed-mission` takes it as it is",
                        PAWL__FMT(r->run_id), PAWL__WORD(r->run_id));
        pawl__runner_notice(r, line);
        return PAWL_OK;
}

bool pawl__mission_trust(pawl__trust *trust, pawl__sense_filter *filter, pawl__glossary *glossary,
        const pawl_mission *mission, pawl_log *log, pawl__state *state)
{
        trust->signers.present = mission->signers_now.text;
        if (!trust->signers.recorded.data)
                trust->signers.file = mission->signers_now.file;
        if (!pawl__signers_required(&trust->signers))
                return false;
        trust->log = log;
        trust->state = state;
        trust->verify = pawl__ssh_verify;
        trust->mission_id = mission->id;
        *filter = pawl__trust_filter(trust);
        pawl__glossary_filter(glossary, filter);
        return true;
}

pawl_status pawl__runner_require_signed(pawl__runner *r)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = r->run_id};
        pawl__trust *trust = &r->trust;
        pawl_status status = pawl__state_get(r->state, PAWL__RUNS, &run, &r->arena, &r->error);

        if (!status)
                status =
                        pawl__signers_recorded(&trust->signers, &r->arena, r->log, &run, &r->error);
        if (status ||
                !pawl__mission_trust(trust, &r->filter, r->glossary, r->mission, r->log, r->state))
                return status;
        r->trusts = trust;
        pawl__pipeline_require_signed(r->pipeline, trust);
        return PAWL_OK;
}

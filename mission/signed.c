/* Missions with `require_signed`, which names a file of allowed signers. The document that the
 * run's first event names has the file as it was then, and nothing widens that. The file as it is
 * now counts too, so that a key that is removed from it counts no more. Such a run is read from
 * verified events. */
#include "base/error.h"
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

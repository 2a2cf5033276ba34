/* Missions that take signed answers alone: whose, by the file that `require_signed` names. What it
 * said when the run began stands in the mission's document in the log, so that no step widens it;
 * and what it says now is looked at, too, so that a key that is taken out of it counts no more. */
#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "mission/loader.h"
#include "mission/runner.h"
#include "mission/ssh_keygen.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static pawl_status read_signers(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        pawl__buf text = PAWL__BUF_INIT;
        const int fd = open(mission->signers_path, O_RDONLY | O_CLOEXEC);
        const int error = fd < 0 ? errno : pawl__read_all(&text, fd, PAWL__SIGNERS_MAX);
        pawl_status status = PAWL_OK;

        if (fd >= 0)
                close(fd);
        if (error)
                status = pawl__field_fail(place, node,
                        "%.200s cannot be read: %s; name a file of allowed signers, as ssh-keygen "
                        "has it",
                        mission->signers_path, strerrordesc_np(error));
        else if (!pawl__utf8_valid(text.data, text.len) || pawl__text_blank(pawl__buf_text(&text)))
                status = pawl__field_fail(place, node,
                        "%.200s names nobody; write a line for each signer: ACTOR KEYTYPE KEY",
                        mission->signers_path);
        else
                status = pawl__keep(place, &mission->signers.text, pawl__buf_text(&text));
        pawl__buf_free(&text);
        return status;
}

pawl_status pawl__require_signed_read(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        pawl_status status = pawl__keep_path(place, &mission->signers_path, node);

        if (!status)
                status = pawl__keep(
                        place, &mission->signers.file, pawl__value_at(place, node)->value);
        if (!status && !mission->from_log)
                status = read_signers(place, node);
        mission->signers_now = mission->signers;
        return status;
}

/* ---- A run ---------------------------------------------------------------------------------- */

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

pawl_status pawl__runner_require_signed(pawl__runner *r)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = r->run_id};
        pawl__signers *signers = &r->trust.signers;
        pawl_status status = pawl__state_get(r->state, PAWL__RUNS, &run, &r->arena, &r->error);

        if (!status)
                status = pawl__signers_recorded(signers, &r->arena, r->log, &run, &r->error);
        if (status)
                return status;
        signers->present = r->mission->signers_now.text;
        if (!signers->recorded.data)
                signers->file = r->mission->signers_now.file;
        if (!pawl__signers_required(signers))
                return PAWL_OK;
        r->trust.log = r->log;
        r->trust.state = r->state;
        r->trust.verify = pawl__ssh_verify;
        r->trust.mission_id = r->mission->id;
        r->trusts = &r->trust;
        r->filter = pawl__trust_filter(r->trusts);
        pawl__glossary_filter(r->glossary, &r->filter);
        pawl__pipeline_require_signed(r->pipeline, r->trusts);
        return PAWL_OK;
}

/* No memory at any allocation of keeping, listing and pruning sessions: a clear failure, and
 * nothing in the log. */
#include "support/pipeline.h"
#include "support/sweep.h"
#include <pawl/session.h>

/* What is there before: one session that ended, with a checkpoint, and one that is active. */
struct kept {
        struct piped *p;
        char ended[PAWL_SESSION_ID_MAX], active[PAWL_SESSION_ID_MAX], out[PAWL_SESSION_ID_MAX];
        uint64_t checkpoint;
        char *path;
};

static const char *const steps[] = {"a", "b"};
static const pawl_session_work work = {.current_step = "a",
        .summary = "words",
        .completed = steps,
        .n_completed = 1,
        .pending = steps,
        .n_pending = 2,
        .files = steps,
        .n_files = 1};

static void prepare(struct kept *k, struct piped *p)
{
        k->p = p;
        k->path = path_in(p->directory, "handoff.txt");
        assert_ok(pawl_session_start(k->ended, p->log, "m", &work, NULL, &p->err));
        assert_ok(pawl_session_checkpoint(
                &k->checkpoint, p->log, k->ended, NULL, "manual", &work, &p->err));
        assert_ok(pawl_session_end(p->log, k->ended, NULL, "completed", NULL, NULL, &p->err));
        assert_ok(pawl_session_start(k->active, p->log, "other", &work, NULL, &p->err));
}

/* ---- What is done under each failing allocation ---------------------------------------------- */

static pawl_status start(struct kept *k, pawl_error *err)
{
        return pawl_session_start(k->out, k->p->log, "third", &work, NULL, err);
}

static pawl_status update(struct kept *k, pawl_error *err)
{
        return pawl_session_update(k->p->log, k->active, "agent:x", &work, err);
}

static pawl_status checkpoint(struct kept *k, pawl_error *err)
{
        return pawl_session_checkpoint(
                NULL, k->p->log, k->active, NULL, "step_complete", &work, err);
}

static pawl_status end(struct kept *k, pawl_error *err)
{
        return pawl_session_end(k->p->log, k->active, NULL, "error", "why", &work, err);
}

static pawl_status resume(struct kept *k, pawl_error *err)
{
        return pawl_session_resume(k->out, k->p->log, k->ended, k->checkpoint, NULL, err);
}

static pawl_status pin(struct kept *k, pawl_error *err)
{
        return pawl_session_pin(k->p->log, k->ended, true, err);
}

static pawl_status list(struct kept *k, pawl_error *err)
{
        pawl_sessions *all = NULL;
        pawl_status status = pawl_session_list(&all, k->p->log, NULL, err);

        assert_true((all == NULL) == (status != PAWL_OK));
        pawl_sessions_free(all);
        return status;
}

static pawl_status prune(struct kept *k, pawl_error *err)
{
        pawl_prune_report *report = NULL;
        pawl_status status = pawl_session_prune(&report, k->p->log, 0, false, NULL, err);

        assert_true((report == NULL) == (status != PAWL_OK));
        pawl_prune_report_free(report);
        return status;
}

static pawl_status handoff(struct kept *k, pawl_error *err)
{
        char *text = NULL;
        size_t len;
        pawl_status status = pawl_session_handoff(&text, &len, k->p->log, k->active, 0, err);

        assert_true((text == NULL) == (status != PAWL_OK));
        pawl_free(text);
        return status;
}

static pawl_status handoff_write(struct kept *k, pawl_error *err)
{
        return pawl_session_handoff_write(k->p->log, k->active, k->path, 0, err);
}

/* Until none fails; the events that one success leaves are counted in @p appended. */
static void sweep_call(
        struct piped *p, pawl_status (*what)(struct kept *, pawl_error *), int appended)
{
        struct kept k;

        prepare(&k, p);
        uint64_t head = piped_head(p);
        for (sweep s = {.once = appended != 0, .keeps = true}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                if (sweep_done(&s, what(&k, &err), &err))
                        head += (uint64_t)appended;
                assert_int_equal(piped_head(p), head);
        }
}

#define SWEEP(name, appended)                                                                      \
        UNIT_TEST_OF(name##_survives_any_failed_allocation, piped_setup, piped_teardown, NULL)     \
        {                                                                                          \
                sweep_call(*state, name, appended);                                                \
        }

SWEEP(start, 1)
SWEEP(update, 1)
SWEEP(checkpoint, 1)
SWEEP(end, 2) /* with its checkpoint */
SWEEP(resume, 1)
SWEEP(pin, 1)
SWEEP(list, 0)
SWEEP(prune, 1)
SWEEP(handoff, 0)
SWEEP(handoff_write, 0)

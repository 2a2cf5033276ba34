/* What the events of a session change. */
#include "base/error.h"
#include "state/applying.h"
#include <inttypes.h>

pawl_status pawl__apply_session_started(pawl__applying *a)
{
        pawl__row session = {0};

        session.v[PAWL__SES_ID].text = a->event->session_id;
        pawl_status status = a->store->get(a->store, PAWL__SESSIONS, &session, a->err);
        if (status == PAWL_OK)
                return pawl__fail(a->err, PAWL_EEXISTS,
                        "session %.*s: started already at seq %" PRId64
                        "; take an id that the log does not have",
                        PAWL__FMT(a->event->session_id), session.v[PAWL__SES_SEQ].integer);
        if (status != PAWL_ENOTFOUND)
                return status;
        session.v[PAWL__SES_SEQ].integer = (int64_t)a->event->seq;
        session.v[PAWL__SES_MISSION].text = a->event->mission_id;
        session.v[PAWL__SES_RUN].text = a->event->run_id;
        session.v[PAWL__SES_STATUS].text = pawl__text("active");
        session.v[PAWL__SES_STARTED_US].integer = a->event->time_us;
        return pawl__apply_put(a, PAWL__SESSIONS, &session);
}

/* A session that was interrupted leaves its run interrupted, if that was running: a blocked or
 * completed one stays so. */
pawl_status pawl__apply_session_ended(pawl__applying *a)
{
        pawl_text status_text = pawl__apply_optional(a, "status");
        pawl__row session = {0}, run = {0};
        bool interrupts = false;

        session.v[PAWL__SES_ID].text = a->event->session_id;
        pawl_status status = a->store->get(a->store, PAWL__SESSIONS, &session, a->err);
        if (status == PAWL_ENOTFOUND)
                return pawl__fail(a->err, PAWL_ESTATE,
                        "seq %" PRIu64 " (SessionEnded): there is no session %.*s; append "
                        "SessionStarted first",
                        a->event->seq, PAWL__FMT(a->event->session_id));
        if (status)
                return status;

        run.v[PAWL__RUN_ID].text = session.v[PAWL__SES_RUN].text;
        if (run.v[PAWL__RUN_ID].text.data && pawl__text_is(status_text, "interrupted")) {
                status = a->store->get(a->store, PAWL__RUNS, &run, a->err);
                if (status && status != PAWL_ENOTFOUND)
                        return status;
                interrupts =
                        status == PAWL_OK && pawl__text_is(run.v[PAWL__RUN_STATUS].text, "running");
        }
        session.v[PAWL__SES_STATUS].text = status_text;
        session.v[PAWL__SES_ENDED_US].integer = a->event->time_us;
        session.v[PAWL__SES_REASON].text = pawl__apply_optional(a, "reason");
        status = pawl__apply_put(a, PAWL__SESSIONS, &session);
        if (status == PAWL_OK && interrupts)
                status = pawl__apply_put_run(a, &run, "interrupted");
        return status;
}

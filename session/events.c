/* The events that open, mark and close a session. */
#include "base/error.h"
#include "base/text.h"
#include "session/session.h"

/* An event with one or two members that are strings; NULL: not there. */
static pawl_status emit_strings(pawl__batch *batch, pawl__event_type type, const pawl_event *like,
        const char *name, const char *value, const char *reason, bool found, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_event envelope = *like;

        envelope.step_id = (pawl_text){NULL, 0};
        pawl__json_open_object(&w);
        if (name)
                pawl__json_member_string(&w, name, value);
        if (reason)
                pawl__json_member_string(&w, "reason", reason);
        if (found)
                pawl__json_member_bool(&w, "found", true);
        return pawl__batch_emit(batch, type, &envelope, &w, err);
}

pawl_status pawl__session_started(pawl__batch *batch, const pawl_event *like, pawl_error *err)
{
        return emit_strings(batch, PAWL__SESSION_STARTED, like, NULL, NULL, NULL, false, err);
}

pawl_status pawl__session_checkpointed(
        pawl__batch *batch, const pawl_event *like, const char *reason, pawl_error *err)
{
        return emit_strings(
                batch, PAWL__SESSION_CHECKPOINTED, like, NULL, NULL, reason, false, err);
}

pawl_status pawl__session_ended(pawl__batch *batch, const pawl_event *like, const char *status,
        const char *reason, pawl_error *err)
{
        return emit_strings(batch, PAWL__SESSION_ENDED, like, "status", status, reason, false, err);
}

pawl_status pawl__session_found_ended(
        pawl__batch *batch, const pawl__row *session, const char *reason, pawl_error *err)
{
        const pawl_event like = {.mission_id = session->v[PAWL__SES_MISSION].text,
                .run_id = session->v[PAWL__SES_RUN].text,
                .session_id = session->v[PAWL__SES_ID].text,
                .actor = session->v[PAWL__SES_ACTOR].text};

        return emit_strings(
                batch, PAWL__SESSION_ENDED, &like, "status", "interrupted", reason, true, err);
}

bool pawl__session_reason_known(const char *reason)
{
        static const char *const known[] = {"manual", "step_complete", "context_warning",
                "error_recovery", "time_limit", "task_complete", "session_end"};

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                if (strcmp(reason, known[i]) == 0)
                        return true;
        return false;
}

/* The events that open, mark and close a session. */
#include "session/session.h"
#include "workspace/worktree.h"

pawl_status pawl__session_emit(pawl__batch *batch, pawl__event_type type, const pawl_event *like,
        const pawl__session_report *told, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_event envelope = *like;

        envelope.step_id = (pawl_text){NULL, 0};
        pawl__json_open_object(&w);
        if (told->status)
                pawl__json_member_string(&w, "status", told->status);
        if (told->reason)
                pawl__json_member_string(&w, "reason", told->reason);
        if (told->run_status)
                pawl__json_member_string(&w, "run_status", told->run_status);
        if (told->turn_checkpoint)
                pawl__json_member_integer(&w, "turn_checkpoint", (int64_t)told->turn_checkpoint);
        if (told->found)
                pawl__json_member_bool(&w, "found", true);
        if (told->work)
                pawl__work_write(&w, told->work);
        const pawl_status status = told->in ? pawl__worktree_write(&w, told->in, err) : PAWL_OK;
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        return pawl__batch_emit(batch, type, &envelope, &w, err);
}

pawl_status pawl__session_found_ended(
        pawl__batch *batch, const pawl__row *session, const char *reason, pawl_error *err)
{
        const pawl_event like = {.mission_id = session->v[PAWL__SES_MISSION].text,
                .run_id = session->v[PAWL__SES_RUN].text,
                .session_id = session->v[PAWL__SES_ID].text,
                .actor = session->v[PAWL__SES_ACTOR].text};
        const pawl__session_report told = {
                .status = "interrupted", .reason = reason, .found = true};

        return pawl__session_emit(batch, PAWL__SESSION_ENDED, &like, &told, err);
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

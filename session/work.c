/* What an agent tells of its work, as members of an event. */
#include "base/error.h"
#include "base/ids.h"
#include "session/session.h"

static pawl_status check_text(const char *text, const char *what, pawl_error *err)
{
        if (!text || pawl__utf8_valid(text, strlen(text)))
                return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL, "%s: is not UTF-8; write it so", what);
}

static pawl_status check_list(
        const char *const *list, size_t n, const char *what, bool ids, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < n && !status; i++)
                status = ids ? pawl__id_check(pawl__text(list[i]), what, err)
                             : check_text(list[i], what, err);
        return status;
}

pawl_status pawl__work_check(const pawl_session_work *work, const pawl_event *like, pawl_error *err)
{
        pawl_status status = check_text(work->summary, "summary", err);

        if (!status && work->current_step && *work->current_step)
                status = pawl__id_check(pawl__text(work->current_step), "step", err);
        if (!status)
                status = check_list(work->completed, work->n_completed, "step", true, err);
        if (!status)
                status = check_list(work->pending, work->n_pending, "step", true, err);
        if (!status)
                status = check_list(work->files, work->n_files, "file", false, err);
        if (status || !like->run_id.data ||
                (!work->current_step && !work->n_completed && !work->pending))
                return status;
        return pawl__fail(err, PAWL_EINVAL,
                "session %.*s: is that of run %.*s, which says itself which steps are done; tell "
                "only a summary and files",
                PAWL__FMT(like->session_id), PAWL__FMT(like->run_id));
}

static void write_list(pawl__json_writer *w, const char *name, const char *const *list, size_t n)
{
        pawl__json_name(w, name);
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++)
                pawl__json_string(w, list[i]);
        pawl__json_close_array(w);
}

void pawl__work_write(pawl__json_writer *w, const pawl_session_work *work)
{
        if (work->current_step)
                pawl__json_member_string(w, "current_step", work->current_step);
        if (work->summary)
                pawl__json_member_string(w, "summary", work->summary);
        if (work->n_completed)
                write_list(w, "completed_steps", work->completed, work->n_completed);
        if (work->pending)
                write_list(w, "pending_steps", work->pending, work->n_pending);
        if (work->n_files)
                write_list(w, "files", work->files, work->n_files);
}

/* What the row says of the work, as members: a checkpoint that can be resumed from. */
void pawl__work_write_row(pawl__json_writer *w, const pawl__row *session)
{
        static const struct {
                const char *name;
                int column;
                bool list;
        } members[] = {
                {"current_step", PAWL__SES_CURRENT, false},
                {"summary", PAWL__SES_SUMMARY, false},
                {"completed_steps", PAWL__SES_COMPLETED, true},
                {"pending_steps", PAWL__SES_PENDING, true},
                {"files", PAWL__SES_FILES, true},
        };

        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
                pawl_text text = session->v[members[i].column].text;
                if (!text.data)
                        continue;
                if (members[i].list)
                        pawl__json_member_raw(w, members[i].name, text);
                else
                        pawl__json_member_text(w, members[i].name, text);
        }
}

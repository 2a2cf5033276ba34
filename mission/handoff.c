/* What a session leaves to the next: the document, the notes that people put into it,
 * retention. */
#include "mission/runner.h"
#include "session/session.h"
#include <stdio.h>

/* What people wrote into the mission's document since it was written last goes into the log before
 * the next one takes its place. */
static void keep_notes(pawl__runner *r)
{
        const pawl_event like = pawl__runner_envelope(r);
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        if (pawl__handoff_take_notes(&batch, &like, r->log, r->state, r->mission->handoff, &err))
                pawl__runner_notice(r, err.message);
        else if (batch.n && pawl__log_commit(r->log, &batch, 0, NULL))
                pawl__runner_notice(r, pawl_log_errmsg(r->log));
        pawl__batch_free(&batch);
}

static bool write_document(pawl__runner *r, const char *path, unsigned new_mode)
{
        pawl_error err = PAWL_ERROR_INIT;

        if (r->mission->handoff)
                keep_notes(r);

        if (!pawl__handoff_write(r->log, r->session_id.data, path, 0, new_mode, &err))
                return true;
        pawl__runner_notice(r, err.message);
        return false;
}

void pawl__runner_hand_over(pawl__runner *r)
{
        if (r->mission->handoff)
                write_document(r, r->mission->handoff, 0644);
}

/* Beside the log, for a mission that keeps no document: one a run, written at each resume. */
static const char *path_beside_log(const pawl__runner *r, pawl__arena *arena)
{
        const char *log = pawl__log_place(r->log);
        const char *slash = strrchr(log, '/');
        size_t directory = slash ? (size_t)(slash - log) + 1 : 0;
        size_t size = directory + r->run_id.len + sizeof "handoff-.txt";
        char *path = pawl__arena_alloc(arena, size);

        if (path)
                snprintf(path, size, "%.*shandoff-%s.txt", (int)directory, log, r->run_id.data);
        return path;
}

const char *pawl__runner_context(pawl__runner *r, pawl__arena *arena)
{
        const char *path = r->mission->handoff;
        bool resumes = r->resumes;

        if (!path && resumes)
                path = path_beside_log(r, arena);
        if (!r->mission->handoff)
                r->resumes = false; /* what it says is old when the next command starts */
        return path && write_document(r, path, r->mission->handoff ? 0644 : 0600) && resumes ? path
                                                                                             : NULL;
}

static void tell_notice(const char *line, void *user)
{
        pawl__runner_notice(user, line);
}

static void prune_sessions(pawl__runner *r)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_prune_report *report = NULL;
        char line[160];

        if (r->keep_sessions == PAWL__KEEP_ALL)
                return;
        if (pawl_session_prune(&report, r->log, r->keep_sessions, false, r->actor.data, &err)) {
                pawl__runner_notice(r, err.message);
                return;
        }
        if (report->going) {
                snprintf(line, sizeof line,
                        "pruned %zu old sessions, as retention in .pawl/config.yaml says; the newest "
                        "%u stay",
                        report->going, r->keep_sessions);
                pawl__runner_notice(r, line);
        }
        pawl_prune_report_free(report);
}

void pawl__runner_prune(pawl__runner *r)
{
        prune_sessions(r);
        pawl__retention_at_end(r->log, &r->retention, r->actor.data, tell_notice, r);
}

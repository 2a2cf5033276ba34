/* The notes that people leave in a handoff document, taken into the log. */
#include "base/error.h"
#include "base/printable.h"
#include "session/handoff_text.h"

enum { NOTES_MAX = 256 * 1024 }; /* bytes of all notes in force: a document has room for them */

/* A SessionNoted event that puts notes in force, in place of the ones before. */
static pawl_status emit_notes(pawl__batch *batch, const pawl_event *like, const pawl__notes *notes,
        const pawl__notes *done, const char *source, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf shown = PAWL__BUF_INIT;
        pawl_status status;

        pawl__printable(&shown, pawl__text(source)); /* a path need not be UTF-8 */
        pawl__json_open_object(&w);
        pawl__notes_json(&w, "notes", notes);
        if (done->n)
                pawl__notes_json(&w, "done", done);
        pawl__json_member_text(&w, "source", pawl__buf_text(&shown));
        w.buf.failed |= shown.failed;
        status = pawl__batch_emit(batch, PAWL__SESSION_NOTED, like, &w, err);
        pawl__buf_free(&shown);
        return status;
}

/* Those in force but for the done ones, and then the new ones. */
static pawl_status add_up(pawl__notes *notes, pawl__notes *done, const pawl__edits *edits,
        const char *path, pawl__arena *arena, pawl_error *err)
{
        size_t bytes = 0;

        *notes = *done = (pawl__notes){NULL, 0};
        notes->list =
                pawl__arena_array(arena, edits->in_force.n + edits->fresh.n, sizeof *notes->list);
        done->list = pawl__arena_array(arena, edits->in_force.n, sizeof *done->list);
        if (!notes->list || !done->list)
                return pawl__nomem(err);
        for (size_t i = 0; i < edits->in_force.n; i++) {
                pawl__notes *to = edits->is_done[i] ? done : notes;
                to->list[to->n++] = edits->in_force.list[i];
        }
        for (size_t i = 0; i < edits->fresh.n; i++)
                notes->list[notes->n++] = edits->fresh.list[i];
        for (size_t i = 0; i < notes->n; i++)
                bytes += notes->list[i].text.len;
        if (edits->fresh.n == 0 || bytes <= NOTES_MAX)
                return PAWL_OK;
        return pawl__fail(err, PAWL_EPARSE,
                "%s: its notes come to %zu bytes, and %d are kept; shorten them, or tick off those "
                "in NOTES that are done with [x]",
                path, bytes, (int)NOTES_MAX);
}

pawl_status pawl__handoff_session(pawl__row *session, const pawl__handoff_text *text,
        pawl__state *state, pawl_text mission_id, pawl__arena *arena, pawl_error *err)
{
        const pawl_text any = {NULL, 0};
        pawl_status status = PAWL_ENOTFOUND;

        if (text->session_id.data)
                status = pawl__session_find(session, state, text->session_id.data, any, arena, err);
        if (status == PAWL_ENOTFOUND)
                status = pawl__session_find(session, state, NULL, mission_id, arena, err);
        return status;
}

static pawl_status take(pawl__batch *batch, const pawl_event *like, pawl_log *log,
        pawl__state *state, const pawl__handoff_text *text, const char *path, pawl__arena *arena,
        pawl_error *err)
{
        pawl__notes notes, done;
        pawl__edits edits;
        pawl__row session;
        pawl_status status =
                pawl__handoff_session(&session, text, state, like->mission_id, arena, err);
        bool found = status == PAWL_OK;

        if (status == PAWL_ENOTFOUND)
                status = PAWL_OK;
        if (!status)
                status = pawl__handoff_edits(&edits, text, log, state, found ? &session : NULL,
                        like->mission_id, arena, err);
        if (!status)
                status = add_up(&notes, &done, &edits, path, arena, err);
        if (status || (!edits.fresh.n && !edits.n_done))
                return status;
        return emit_notes(batch, like, &notes, &done, path, err);
}

pawl_status pawl__handoff_take_notes(pawl__batch *batch, const pawl_event *like, pawl_log *log,
        pawl__state *state, const char *path, pawl_error *err)
{
        pawl__handoff_text text;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_status status = pawl__handoff_load(&text, path, err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        status = take(batch, like, log, state, &text, path, &arena, err);
        pawl__handoff_text_free(&text);
        pawl__arena_free(&arena);
        return status;
}

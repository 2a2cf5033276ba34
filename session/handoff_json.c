/* A handoff as members of a JSON object: what the document says, for programs. */
#include "base/error.h"
#include "base/printable.h"
#include "base/sources.h"
#include "session/handoff_text.h"

static void open_list(pawl__json_writer *w, const char *name)
{
        pawl__json_name(w, name);
        pawl__json_open_array(w);
}

void pawl__hand_steps_json(pawl__json_writer *w, const char *name, const pawl__hand_steps *steps,
        const pawl__handoff *h)
{
        if (name)
                open_list(w, name);
        for (size_t i = 0; i < steps->n; i++) {
                const pawl__hand_step *step = &steps->list[i];
                const pawl__value *v = step->row->v;
                pawl__json_open_object(w);
                pawl__json_member_text(w, "step_id", v[PAWL__STEP_ID].text);
                pawl__json_member_text(w, "status", pawl__step_status_word(step->status));
                pawl__json_member_bool(
                        w, "unfinished", pawl__text_is(step->status, PAWL__STEP_UNFINISHED));
                pawl__json_member_text(w, "retry_token", v[PAWL__STEP_TOKEN].text);
                pawl__json_member_text(w, "cursor", v[PAWL__STEP_CURSOR].text);
                pawl__json_name(w, "exit_code");
                if (v[PAWL__STEP_EXIT_CODE].integer < 0)
                        pawl__json_null(w);
                else
                        pawl__json_integer(w, v[PAWL__STEP_EXIT_CODE].integer);
                pawl__json_member_text(w, "reason", step->why.reason);
                open_list(w, "conflicts");
                for (size_t c = 0; c < h->n_conflicts; c++)
                        if (pawl__text_eq(
                                    h->conflicts[c].v[PAWL__CON_STEP].text, v[PAWL__STEP_ID].text))
                                pawl__json_text(w, h->conflicts[c].v[PAWL__CON_ID].text);
                pawl__json_close_array(w);
                pawl__json_name(w, "terms");
                pawl__terms_write(w, &step->terms);
                pawl__json_close_object(w);
        }
        if (name)
                pawl__json_close_array(w);
}

void pawl__hand_checkpoints_json(pawl__json_writer *w, const pawl__hand_checkpoint *list, size_t n)
{
        char time[28];

        open_list(w, "workspace_checkpoints");
        for (size_t i = 0; i < n; i++) {
                pawl__time_format(time, list[i].created_us);
                pawl__json_open_object(w);
                pawl__json_member_integer(w, "n", list[i].n);
                pawl__json_member_text(w, "id", list[i].id);
                pawl__json_member_text(w, "step_id", list[i].step_id);
                pawl__json_member_text(w, "description", list[i].description);
                pawl__json_member_string(w, "created_at", time);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* git's heads that its checkpoints saw, each where it was seen first. */
static void put_commits(pawl__json_writer *w, const pawl__hand_checkpoint *list, size_t n)
{
        open_list(w, "commits");
        for (size_t i = 0; i < n; i++) {
                if (!list[i].git_head.data ||
                        (i && pawl__text_eq(list[i].git_head, list[i - 1].git_head)))
                        continue;
                pawl__json_open_object(w);
                pawl__json_member_text(w, "commit", list[i].git_head);
                pawl__json_member_text(w, "branch", list[i].git_branch);
                pawl__json_member_integer(w, "checkpoint", list[i].n);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* A path is any bytes, and JSON is UTF-8: it is escaped as the document has it. */
static void put_file(pawl__json_writer *w, pawl__buf *shown, pawl_text path, const char *change)
{
        shown->len = 0;
        pawl__printable(shown, path);
        pawl__json_open_object(w);
        pawl__json_member_text(w, "path", pawl__buf_text(shown));
        pawl__json_member_string(w, "change", change);
        pawl__json_close_object(w);
}

static void put_files(pawl__json_writer *w, const pawl__handoff *h)
{
        pawl__buf shown = PAWL__BUF_INIT;

        open_list(w, "files");
        for (size_t i = 0; i < h->n_files; i++)
                put_file(w, &shown, h->files[i], NULL);
        for (size_t i = 0; i < h->n_changes; i++)
                put_file(w, &shown, h->changes[i].path, h->changes[i].how);
        pawl__json_close_array(w);
        w->buf.failed |= shown.failed;
        pawl__buf_free(&shown);
}

static void put_rollbacks(pawl__json_writer *w, const pawl__handoff *h)
{
        char time[28];

        open_list(w, "rollbacks");
        for (size_t i = 0; i < h->n_rollbacks; i++) {
                pawl__time_format(time, h->rollbacks[i].ended_us);
                pawl__json_open_object(w);
                pawl__json_member_string(w, "kind", h->rollbacks[i].kind);
                pawl__json_member_integer(w, "checkpoint", h->rollbacks[i].target);
                pawl__json_member_string(w, "at", time);
                pawl__json_member_bool(w, "in_part", h->rollbacks[i].in_part);
                pawl__json_member_text(w, "reason", h->rollbacks[i].reason);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void put_issues(pawl__json_writer *w, const pawl__handoff *h)
{
        open_list(w, "issues");
        for (size_t i = 0; i < h->n_conflicts; i++) {
                const pawl__value *v = h->conflicts[i].v;
                pawl__json_open_object(w);
                pawl__json_member_text(w, "conflict_id", v[PAWL__CON_ID].text);
                pawl__json_member_text(w, "step_id", v[PAWL__CON_STEP].text);
                pawl__json_member_text(w, "term", v[PAWL__CON_TERM].text);
                pawl__json_member_text(w, "conflict_type", v[PAWL__CON_TYPE].text);
                pawl__json_member_text(w, "severity", v[PAWL__CON_SEVERITY].text);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

void pawl__notes_json(pawl__json_writer *w, const char *name, const pawl__notes *notes)
{
        open_list(w, name);
        for (size_t i = 0; i < notes->n; i++) {
                pawl__json_open_object(w);
                pawl__json_member_text(w, "section", notes->list[i].section);
                pawl__json_member_text(w, "text", notes->list[i].text);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void put_worktree(pawl__json_writer *w, const pawl__worktree_place *place)
{
        pawl__json_name(w, "worktree");
        if (!place->worktree.data) {
                pawl__json_null(w);
                return;
        }
        pawl__json_open_object(w);
        pawl__json_member_text(w, "id", place->worktree);
        pawl__json_member_text(w, "path", place->root);
        pawl__json_close_object(w);
}

static pawl_status put_all(pawl__json_writer *w, pawl_log *log, pawl__state *state,
        const pawl__row *session, pawl__arena *arena, pawl_error *err)
{
        pawl__handoff h;
        pawl__hand_checkpoint *taken = NULL;
        pawl__buf command = PAWL__BUF_INIT;
        size_t n = 0;
        pawl_status status = pawl__handoff_gather(&h, log, state, session, arena, err);

        if (!status)
                status = pawl__session_captures(&taken, &n, state, session, arena, err);
        if (!status)
                status = pawl__handoff_command(&command, &h, err);
        if (!status) {
                pawl__json_member_text(w, "status", session->v[PAWL__SES_STATUS].text);
                put_worktree(w, &h.place);
                pawl__json_member_integer(w, "steps_completed", (int64_t)h.steps_completed);
                pawl__json_member_integer(w, "steps_total", (int64_t)h.steps_total);
                pawl__json_member_text(w, "current_step", h.current);
                pawl__hand_steps_json(w, "done", &h.done, &h);
                pawl__hand_steps_json(w, "in_progress", &h.at_hand, &h);
                pawl__hand_steps_json(w, "next", &h.next, &h);
                put_files(w, &h);
                put_rollbacks(w, &h);
                put_commits(w, taken, n);
                pawl__hand_checkpoints_json(w, taken, n);
                put_issues(w, &h);
                pawl__notes_json(w, "notes", &h.notes);
                pawl__json_member_text(
                        w, "go_on", command.len ? pawl__buf_text(&command) : (pawl_text){NULL, 0});
        }
        pawl__buf_free(&command);
        return status;
}

pawl_status pawl__handoff_json(
        pawl__json_writer *w, pawl_log *log, const char *session_id, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl__row session;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__session_find(
                        &session, state, session_id, (pawl_text){NULL, 0}, &arena, err);
        if (!status)
                status = put_all(w, log, state, &session, &arena, err);
        pawl__arena_free(&arena);
        return status;
}

/* ---- For programs ---------------------------------------------------------------------------- */

/* The text of a writer, handed out if @p status is PAWL_OK; the writer is freed. */
static pawl_status give(
        char **json, size_t *len, pawl__json_writer *w, pawl_status status, pawl_error *err)
{
        if (!status) {
                pawl__json_close_object(w);
                if (pawl__json_end_writer(w))
                        status = pawl__nomem(err);
        }
        if (!status) {
                *json = pawl__buf_take(&w->buf, len);
                if (!*json)
                        status = pawl__nomem(err);
        }
        pawl__json_writer_free(w);
        return status;
}

pawl_status pawl_session_handoff_json(
        char **json, size_t *len, pawl_log *log, const char *session_id, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        return give(json, len, &w, pawl__handoff_json(&w, log, session_id, err), err);
}

void pawl__handoff_text_json(
        pawl__json_writer *w, const pawl__handoff_text *text, const bool *fresh)
{
        pawl__json_member_text(w, "session_id", text->session_id);
        open_list(w, "sections");
        for (size_t i = 0; i < text->n;) {
                const pawl_text heading = text->list[i].heading;
                pawl__json_open_object(w);
                pawl__json_member_text(w, "name", heading);
                open_list(w, "entries");
                for (; i < text->n && pawl__text_eq(text->list[i].heading, heading); i++) {
                        pawl__json_open_object(w);
                        pawl__json_member_text(w, "text", text->list[i].text);
                        pawl__json_member_bool(w, "ticked", text->list[i].ticked);
                        if (fresh)
                                pawl__json_member_bool(w, "new", fresh[i]);
                        pawl__json_close_object(w);
                }
                pawl__json_close_array(w);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

pawl_status pawl_handoff_parse(
        char **json, size_t *out_len, const char *text, size_t len, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__handoff_text read = {.n = 0};
        pawl_status status = pawl__handoff_parse(&read, "handoff", text, len, err);

        pawl__json_open_object(&w);
        if (!status)
                pawl__handoff_text_json(&w, &read, NULL);
        status = give(json, out_len, &w, status, err);
        pawl__handoff_text_free(&read);
        return status;
}

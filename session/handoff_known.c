/*
 * What the log knows of a document. It is printed as a document of the log's own - every step,
 * every conflict of the run, the notes in force - and read by the reader that reads people's: so an
 * entry of theirs is known if it is found there, however the reader takes it.
 */
#include "session/handoff_known.h"
#include "base/error.h"
#include <stdlib.h>

/* ---- What is known -----------------------------------------------------------------------------
 */

pawl_status pawl__known_key(pawl_text *out, pawl__known *k, pawl_text text)
{
        pawl__buf buf = PAWL__BUF_INIT;
        bool ok = true;
        pawl_status status = pawl__collapse(&buf, text);

        if (!status)
                *out = pawl__arena_text(k->arena, pawl__buf_text(&buf), &ok);
        pawl__buf_free(&buf);
        return status || !ok ? pawl__nomem(k->err) : PAWL_OK;
}

pawl_status pawl__known_add(pawl__known *k, pawl_text text)
{
        pawl_text key = {NULL, 0};
        pawl_status status = pawl__known_key(&key, k, text);

        if (!status && pawl__map_put(&k->map, key, 0))
                status = pawl__nomem(k->err);
        return status;
}

bool pawl__next_line(pawl_text *line, pawl_text *rest)
{
        if (!rest->data)
                return false;
        const char *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
        size_t len = end ? (size_t)(end - rest->data) : rest->len;
        *line = pawl__text_n(rest->data, len);
        *rest = end ? pawl__text_n(end + 1, rest->len - len - 1) : (pawl_text){NULL, 0};
        return true;
}

/* Every entry of a document of the log's own, whole and line by line. */
static pawl_status know_document(pawl__known *k, const pawl__handoff *handoff)
{
        pawl__handoff_text text = {.n = 0};
        pawl__buf printed = PAWL__BUF_INIT;
        pawl_status status = pawl__handoff_print(&printed, handoff, k->err);

        if (!status)
                status = pawl__handoff_read(&text, pawl__buf_text(&printed), k->err);
        for (size_t i = 0; i < text.n && !status; i++) {
                pawl_text rest = text.list[i].text, line;
                status = pawl__known_add(k, rest);
                while (!status && pawl__next_line(&line, &rest))
                        status = pawl__known_add(k, line);
        }
        pawl__handoff_text_free(&text);
        pawl__buf_free(&printed);
        return status;
}

static pawl_status know_notes(pawl__known *k, const pawl__notes *notes)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < notes->n && !status; i++)
                status = pawl__known_add(k, notes->list[i].text);
        return status;
}

/* All steps as if they were to be done. */
static pawl_status all_next(pawl__handoff *h, pawl__known *k)
{
        const pawl__hand_steps parts[] = {h->next, h->at_hand, h->done};
        pawl__hand_steps all = {NULL, 0};

        all.list =
                pawl__arena_array(k->arena, h->next.n + h->at_hand.n + h->done.n, sizeof *all.list);
        if (!all.list)
                return pawl__nomem(k->err);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
                for (size_t s = 0; s < parts[i].n; s++)
                        all.list[all.n++] = parts[i].list[s];
        h->next = all;
        return PAWL_OK;
}

/* What a person writes where there is nothing, too. */
pawl_status pawl__known_present(pawl__known *k)
{
        static const char *const always[] = {"None", "None.", "none", "none.", "None blocking",
                "None blocking.", "none blocking", "Nothing is left to do: it is completed.",
                "When the issues above are answered:", "It was ended with steps still to be done:"};
        const pawl_text any_step = {NULL, 0};
        pawl__handoff *handoff = &k->handoff;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < sizeof always / sizeof always[0] && !status; i++)
                status = pawl__known_add(k, pawl__text(always[i]));
        if (!status && k->session) {
                status = pawl__handoff_gather(
                        handoff, k->log, k->state, k->session, k->arena, k->err);
                if (!status)
                        status = know_document(k, handoff); /* as it is now, whole */
                if (!status)
                        status = all_next(handoff, k);
                if (!status && k->session->v[PAWL__SES_RUN].text.data)
                        status = pawl__state_conflicts(&handoff->conflicts, &handoff->n_conflicts,
                                k->state, k->session->v[PAWL__SES_RUN].text, any_step, false,
                                k->arena, k->err);
                handoff->notes = k->in_force;
                if (!status)
                        status = know_document(k, handoff);
        }
        return status ? status : know_notes(k, &k->in_force);
}

/* ---- What was known ----------------------------------------------------------------------------
 */

typedef struct past {
        pawl__known *k;
        pawl__json_tree tree;
        pawl__hand_step *steps;
        size_t n_steps, cap_steps;
        pawl__row *conflicts;
        size_t n_conflicts, cap_conflicts;
        pawl__note *notes;
        size_t n_notes, cap_notes;
} past;

static pawl_status keep_step(past *p, pawl_text id)
{
        bool ok = true;

        if (!id.len)
                return PAWL_OK;
        if (pawl__grow(&p->steps, &p->cap_steps, p->n_steps + 1, sizeof *p->steps))
                return pawl__nomem(p->k->err);
        p->steps[p->n_steps++] = (pawl__hand_step){.id = pawl__arena_text(p->k->arena, id, &ok)};
        return ok ? PAWL_OK : pawl__nomem(p->k->err);
}

static pawl_status keep_work(past *p)
{
        static const char *const lists[] = {"completed_steps", "pending_steps"};
        pawl_status status = keep_step(p, pawl__json_get_text(&p->tree, 0, "current_step"));

        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
                pawl__node list = pawl__json_get(&p->tree, 0, lists[i]);
                if (list == PAWL__NO_NODE ||
                        pawl__json_at(&p->tree, list)->type != PAWL__JSON_ARRAY)
                        continue;
                for (pawl__node at = pawl__json_first(&p->tree, list);
                        at != PAWL__NO_NODE && !status; at = pawl__json_after(&p->tree, list, at))
                        status = keep_step(p, pawl__json_at(&p->tree, at)->value);
        }
        return status;
}

static pawl_status keep_conflict(past *p, const pawl_event *event)
{
        static const struct {
                const char *name;
                int column;
        } members[] = {{"conflict_id", PAWL__CON_ID}, {"term", PAWL__CON_TERM},
                {"conflict_type", PAWL__CON_TYPE}, {"severity", PAWL__CON_SEVERITY}};
        pawl__node options = pawl__json_get(&p->tree, 0, "options");
        pawl__arena *arena = p->k->arena;
        pawl__row row = {0};
        bool ok = true;

        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
                row.v[members[i].column].text = pawl__arena_text(
                        arena, pawl__json_get_text(&p->tree, 0, members[i].name), &ok);
        row.v[PAWL__CON_STEP].text = pawl__arena_text(arena, event->step_id, &ok);
        if (options != PAWL__NO_NODE)
                row.v[PAWL__CON_CANDIDATES].text =
                        pawl__arena_text(arena, pawl__json_at(&p->tree, options)->value, &ok);
        if (!ok || pawl__grow(&p->conflicts, &p->cap_conflicts, p->n_conflicts + 1,
                           sizeof *p->conflicts))
                return pawl__nomem(p->k->err);
        p->conflicts[p->n_conflicts++] = row;
        return PAWL_OK;
}

static pawl_status keep_notes(past *p, const char *member)
{
        pawl__notes notes;
        pawl_status status = pawl__notes_read(&notes, &p->tree, member, p->k->arena, p->k->err);

        if (status || notes.n == 0)
                return status;
        if (pawl__grow(&p->notes, &p->cap_notes, p->n_notes + notes.n, sizeof *p->notes))
                return pawl__nomem(p->k->err);
        memcpy(p->notes + p->n_notes, notes.list, notes.n * sizeof *notes.list);
        p->n_notes += notes.n;
        return PAWL_OK;
}

/* Does an event say what a document of this session could show? Then its payload is read. */
static pawl_status keep_event(past *p, const pawl_event *event)
{
        const pawl__value *v = p->k->session->v;
        pawl__event_type type = pawl__event_type_of(event->type);
        bool noted =
                type == PAWL__SESSION_NOTED && pawl__text_eq(event->mission_id, p->k->mission_id);
        bool asked = type == PAWL__CLARIFICATION_REQUESTED && v[PAWL__SES_RUN].text.data &&
                     pawl__text_eq(event->run_id, v[PAWL__SES_RUN].text);
        bool told = (type == PAWL__SESSION_STARTED || type == PAWL__SESSION_UPDATED ||
                            type == PAWL__SESSION_CHECKPOINTED || type == PAWL__SESSION_ENDED) &&
                    pawl__text_eq(event->session_id, v[PAWL__SES_ID].text);
        pawl_status status;

        if ((!noted && !asked && !told) || !event->payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&p->tree, event->payload.data, event->payload.len, p->k->err);
        if (status)
                return status;
        if (asked)
                return keep_conflict(p, event);
        if (told)
                return keep_work(p);
        status = keep_notes(p, "notes");
        return status ? status : keep_notes(p, "done");
}

static pawl_status read_past(past *p, const pawl__handoff *now)
{
        pawl__known *k = p->k;
        int64_t since = k->session->v[PAWL__SES_SEQ].integer;
        pawl_cursor *cursor = NULL;
        pawl_event event;
        pawl_status status;

        if (now->has_run && now->run.v[PAWL__RUN_STARTED_SEQ].integer < since)
                since = now->run.v[PAWL__RUN_STARTED_SEQ].integer;
        status = pawl_cursor_open(&cursor, k->log, since > 0 ? (uint64_t)since - 1 : 0);
        bool of_log = status != PAWL_OK;
        while (!status) {
                status = pawl_cursor_next(cursor, &event);
                of_log = status != PAWL_OK;
                if (!status)
                        status = keep_event(p, &event);
        }
        if (of_log && status != PAWL_DONE && k->err)
                *k->err = *pawl__log_error(k->log);
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status pawl__known_past(pawl__known *k)
{
        past p = {.k = k};
        pawl__handoff *now = &k->handoff;
        pawl_status status;

        if (!k->session)
                return PAWL_OK;
        status = read_past(&p, now);

        if (!status) {
                now->next = (pawl__hand_steps){p.steps, p.n_steps};
                now->conflicts = p.conflicts;
                now->n_conflicts = p.n_conflicts;
                now->notes = (pawl__notes){p.notes, p.n_notes};
                status = know_document(k, now);
        }
        if (!status)
                status = know_notes(k, &now->notes);
        free(p.steps);
        free(p.conflicts);
        free(p.notes);
        pawl__json_tree_free(&p.tree);
        return status;
}

pawl_status pawl__known_is(bool *known, pawl__known *k, pawl_text text)
{
        pawl_text key = {NULL, 0};
        pawl_status status = pawl__known_key(&key, k, text);

        if (!status)
                *known = pawl__map_get(&k->map, key) != PAWL__MAP_NONE;
        return status;
}

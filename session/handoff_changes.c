/*
 * What a session did to the workspace, as its checkpoints know it: from where the workspace was
 * before the first that the session took to the last. Checkpoints are numbered in the order of
 * their events, so that the first is looked for by halves.
 */
#include "base/error.h"
#include "session/handoff.h"
#include "workspace/checkpoint.h"
#include "workspace/store/contents.h"
#include <stdlib.h>

typedef struct finding {
        pawl__state *state;
        const pawl__row *session;
        pawl__arena *arena;
        pawl_error *err;
} finding;

static pawl_status get(pawl__row *row, const finding *f, int64_t n)
{
        *row = (pawl__row){.v[PAWL__WCP_N].integer = n};
        return pawl__state_get(f->state, PAWL__WORKSPACE, row, f->arena, f->err);
}

/* Those before a rollback are what the session found, not what it made. */
static bool is_of(const pawl__row *row, const finding *f)
{
        return pawl__text_eq(row->v[PAWL__WCP_SESSION].text, f->session->v[PAWL__SES_ID].text) &&
               !row->v[PAWL__WCP_SAFETY].integer;
}

/* The number of the first that came after the session's start; *newest + 1: none did. */
static pawl_status first_after(int64_t *first, int64_t *newest, const finding *f)
{
        int64_t low = 1;
        pawl__row row;
        pawl_status status = pawl__state_workspace_newest(&row, f->state, f->arena, f->err);

        *newest = status ? 0 : row.v[PAWL__WCP_N].integer;
        if (status == PAWL_ENOTFOUND)
                status = PAWL_OK;
        for (int64_t high = *newest + 1; low < high && !status;) {
                const int64_t middle = low + (high - low) / 2;
                status = get(&row, f, middle);
                if (row.v[PAWL__WCP_SEQ].integer > f->session->v[PAWL__SES_SEQ].integer)
                        high = middle;
                else
                        low = middle + 1;
        }
        *first = low;
        return status;
}

/* The first and the last that the session took. PAWL_DONE: it took none. */
static pawl_status find_ends(pawl__row *first, pawl__row *last, const finding *f)
{
        int64_t n, newest;
        pawl_status status = first_after(&n, &newest, f);

        for (; !status && n <= newest; n++)
                if ((status = get(first, f, n)) || is_of(first, f))
                        break;
        if (status || n > newest)
                return status ? status : PAWL_DONE;
        for (; !status && newest >= n; newest--)
                if ((status = get(last, f, newest)) || is_of(last, f))
                        break;
        return status;
}

/* Where the session's work begins: at its first checkpoint, if that is of what it found, else at
 * the one before. Without one before, what it did before its first is not known. */
static pawl_status find_found(pawl__row *found, const pawl__row *first, const finding *f)
{
        const pawl__value *v = first->v;

        *found = *first;
        if (!v[PAWL__WCP_BASE].integer ||
                (pawl__text_is(v[PAWL__WCP_TRIGGER].text, "auto") &&
                        pawl__text_is(v[PAWL__WCP_DESCRIPTION].text, PAWL__AT_SESSION_START)))
                return PAWL_OK;
        return get(found, f, v[PAWL__WCP_BASE].integer);
}

/* ---- The files ------------------------------------------------------------------------------- */

typedef struct listing {
        pawl__arena *arena;
        pawl__hand_change *list;
        size_t n, cap;
} listing;

static bool is_directory(const pawl__entry *entry)
{
        return !entry || entry->kind == PAWL__ENTRY_DIRECTORY;
}

static pawl_status add(const pawl__change *change, void *user, pawl_error *err)
{
        listing *l = user;
        bool ok = true;

        if (is_directory(change->from) && is_directory(change->to))
                return PAWL_OK;
        if (pawl__grow(&l->list, &l->cap, l->n + 1, sizeof *l->list))
                return pawl__nomem(err);
        l->list[l->n++] = (pawl__hand_change){
                pawl__arena_text(l->arena, change->path, &ok), !change->from ? "added"
                                                               : change->to  ? "changed"
                                                                             : "removed"};
        return ok ? PAWL_OK : pawl__nomem(err);
}

static pawl_status diff(
        listing *l, pawl_log *log, const pawl__row *from, const pawl__row *to, pawl_error *err)
{
        unsigned char before[32], after[32];
        pawl__contents *contents = NULL;
        pawl_error why = PAWL_ERROR_INIT;

        if (!pawl__unhex32(before, from->v[PAWL__WCP_TREE].text) ||
                !pawl__unhex32(after, to->v[PAWL__WCP_TREE].text))
                return PAWL_OK;
        pawl_status status = pawl__contents_open(&contents, log, &why);
        if (!status) {
                const pawl__directories directories = pawl__contents_directories(contents);
                status = pawl__diff_trees(&directories, before, after, add, l, &why);
                pawl__contents_close(contents);
        }
        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED) { /* they were pruned, say */
                l->n = 0;
                return PAWL_OK;
        }
        if (status && err)
                *err = why;
        return status;
}

pawl_status pawl__handoff_changes(
        pawl__handoff *out, pawl_log *log, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        const finding f = {state, &out->session, arena, err};
        listing l = {.arena = arena};
        pawl__row first, last, from;
        pawl_status status = find_ends(&first, &last, &f);

        if (status)
                return status == PAWL_DONE ? PAWL_OK : status;
        status = find_found(&from, &first, &f);
        if (!status)
                status = diff(&l, log, &from, &last, err);
        if (!status && l.n) {
                out->changes = pawl__arena_array(arena, l.n, sizeof *out->changes);
                if (out->changes) {
                        memcpy(out->changes, l.list, l.n * sizeof *l.list);
                        out->n_changes = l.n;
                        out->from_n = from.v[PAWL__WCP_N].integer;
                        out->to_n = last.v[PAWL__WCP_N].integer;
                } else {
                        status = pawl__nomem(err);
                }
        }
        free(l.list);
        return status;
}

pawl_status pawl__session_captures(pawl__hand_checkpoint **out, size_t *n, pawl__state *state,
        const pawl__row *session, pawl__arena *arena, pawl_error *err)
{
        const finding f = {state, session, arena, err};
        pawl__row first, last, row;
        pawl_status status = find_ends(&first, &last, &f);

        *n = 0;
        *out = NULL;
        if (status)
                return status == PAWL_DONE ? PAWL_OK : status;
        const int64_t from = first.v[PAWL__WCP_N].integer, to = last.v[PAWL__WCP_N].integer;
        *out = pawl__arena_array(arena, (size_t)(to - from) + 1, sizeof **out);
        if (!*out)
                return pawl__nomem(err);
        for (int64_t at = from; at <= to && !status; at++) {
                const pawl__value *v = row.v;
                status = get(&row, &f, at);
                if (status || !is_of(&row, &f))
                        continue;
                (*out)[(*n)++] = (pawl__hand_checkpoint){.n = v[PAWL__WCP_N].integer,
                        .created_us = v[PAWL__WCP_CREATED_US].integer,
                        .id = v[PAWL__WCP_ID].text,
                        .step_id = v[PAWL__WCP_STEP].text,
                        .description = v[PAWL__WCP_DESCRIPTION].text,
                        .git_head = v[PAWL__WCP_GIT_HEAD].text,
                        .git_branch = v[PAWL__WCP_GIT_BRANCH].text};
        }
        return status;
}

pawl_status pawl__session_before(
        uint64_t *n, pawl_log *log, const char *session_id, pawl_error *err)
{
        const pawl_text any = {NULL, 0};
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row session, first, last, found = {0};
        pawl__state *state;
        pawl_status status = pawl__state_of(&state, log, err);

        *n = 0;
        if (!status)
                status = pawl__session_find(&session, state, session_id, any, &arena, err);
        if (!status) {
                const finding f = {state, &session, &arena, err};
                status = find_ends(&first, &last, &f);
                if (!status)
                        status = find_found(&found, &first, &f);
                if (!status)
                        *n = (uint64_t)found.v[PAWL__WCP_N].integer;
        }
        pawl__arena_free(&arena);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/*
 * What of a session's files is so now: from where its work tree was when it began to where that is.
 * Checkpoints are numbered in the order of their events, so that the first is looked for by halves.
 */
#include "base/error.h"
#include "base/map.h"
#include "session/file_changes.h"
#include "workspace/checkpoint.h"
#include "workspace/store/paths.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct finding {
        pawl__state *state;
        const pawl__row *session;
        const char *worktree; /* its own; "": the log's */
        pawl__arena *arena;
        pawl_error *err;
} finding;

static const char *worktree_of(const pawl__row *session, pawl__arena *arena)
{
        const pawl_text id = session->v[PAWL__SES_WORKTREE].text;

        return id.data ? pawl__arena_copy(arena, id).data : "";
}

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

/* Did it take the files as the session found them: before its first command or change? */
static bool is_as_found(const pawl__value *v)
{
        return pawl__text_is(v[PAWL__WCP_TRIGGER].text, "auto") &&
               (pawl__text_is(v[PAWL__WCP_DESCRIPTION].text, PAWL__AT_SESSION_START) ||
                       pawl__text_starts(v[PAWL__WCP_DESCRIPTION].text, "before "));
}

/* Where the workspace was before the checkpoint; without one before, what it found is not known. */
static pawl_status find_base(pawl__row *found, const pawl__row *row, const finding *f)
{
        *found = *row;
        return row->v[PAWL__WCP_BASE].integer ? get(found, f, row->v[PAWL__WCP_BASE].integer)
                                              : PAWL_OK;
}

/* Where the work tree was when the session began: before the first checkpoint of it since, by
 * whomever. PAWL_DONE: there is none. */
static pawl_status find_before(pawl__row *found, const finding *f)
{
        int64_t n, newest;
        pawl__row row;

        TRY(first_after(&n, &newest, f));
        for (; n <= newest; n++) {
                TRY(get(&row, f, n));
                if (row.v[PAWL__WCP_ROOT].text.data &&
                        pawl__same_worktree(row.v[PAWL__WCP_WORKTREE].text, f->worktree))
                        return find_base(found, &row, f);
        }
        return PAWL_DONE;
}

/* Where the session's work begins, by its own first checkpoint. */
static pawl_status find_found(pawl__row *found, const pawl__row *first, const finding *f)
{
        *found = *first;
        if (is_as_found(first->v))
                return PAWL_OK;
        if (!first->v[PAWL__WCP_ROOT].text.data)
                return find_base(found, first, f);
        return find_before(found, f);
}

/* ---- The ends -------------------------------------------------------------------------------- */

/* The checkpoint that the session's work tree is at; one in a worker's directory has no such place,
 * and its last counts. */
static pawl_status find_now(
        pawl__row *now, pawl__row *by, bool *put_back, const pawl__row *last, const finding *f)
{
        const char *root;
        char here[PAWL__WORKTREE_ID_MAX + 1];

        *put_back = false;
        *now = *last;
        if (!last->v[PAWL__WCP_ROOT].text.data)
                return PAWL_OK;
        snprintf(here, sizeof here, "%s", pawl__state_worktree(f->state, &root));
        if (strcmp(here, f->worktree) == 0)
                return pawl__workspace_current(now, by, put_back, f->state, f->arena, f->err);
        const char *const kept = root ? pawl__arena_copy(f->arena, pawl__text(root)).data : NULL;
        TRY(pawl__state_set_worktree(f->state, f->worktree, NULL, f->err));
        const pawl_status status =
                pawl__workspace_current(now, by, put_back, f->state, f->arena, f->err);
        const pawl_status back = pawl__state_set_worktree(f->state, here, kept, f->err);
        return status ? status : back;
}

/* Did another session begin in its work tree since? What that one did is not this one's. */
static pawl_status is_latest(bool *latest, const finding *f)
{
        pawl__row *rows = NULL;
        size_t n = 0;

        TRY(pawl__state_sessions(&rows, &n, f->state, (pawl_text){NULL, 0}, f->worktree,
                &(pawl__page){.limit = 1}, f->arena, f->err));
        *latest = !n || pawl__text_eq(rows->v[PAWL__SES_ID].text, f->session->v[PAWL__SES_ID].text);
        return PAWL_OK;
}

/* What is listed: all changes of the latest session's time; else the session's own paths. */
static void keep_own(pawl__file_changes *now, const pawl__file_changes *own)
{
        size_t kept = 0;

        for (size_t i = 0; i < now->n; i++)
                if (pawl__file_changes_find(own, now->list[i].path))
                        now->list[kept++] = now->list[i];
        now->n = kept;
}

typedef struct ends {
        pawl__row from, last, now, by;
        bool put_back; /* by that rollback; else the place is a checkpoint's own */
} ends;

/* The directory that paths of checkpoints are relative to. */
static const char *root_of(const ends *e, const finding *f, const pawl__worktree_place *place)
{
        const pawl_text name = e->from.v[PAWL__WCP_ROOT].text;
        pawl_text top = pawl__state_top(f->state, place);
        pawl__buf path = PAWL__BUF_INIT;

        if (name.len && *name.data == '/')
                return pawl__arena_copy(f->arena, name).data;
        pawl__buf_addf(&path, "%.*s", PAWL__FMT(top));
        if (name.len && !pawl__text_is(name, "."))
                pawl__buf_addf(&path, "/%.*s", PAWL__FMT(name));
        const char *const root = pawl__arena_copy(f->arena, pawl__buf_text(&path)).data;
        pawl__buf_free(&path);
        return root;
}

/* A file that the session told is listed once, however it was written, and not where a rollback
 * took its change back. */
static pawl_status list_once(pawl__handoff *out, const char *root, const pawl__file_changes *now,
        const pawl__file_changes *own, const finding *f)
{
        pawl__map known = PAWL__MAP_INIT;
        size_t kept = 0;
        pawl_status status = root ? PAWL_OK : pawl__nomem(f->err);

        for (size_t i = 0; i < out->n_files && !status; i++) {
                pawl_text path = out->files[i];
                const char *const told = pawl__arena_copy(f->arena, path).data;
                if (!told || pawl__paths_normal(&path, root, told, f->arena, NULL) == PAWL_ENOMEM)
                        status = pawl__nomem(f->err);
                if (status || pawl__map_get(&known, path) != PAWL__MAP_NONE ||
                        pawl__file_changes_find(now, path) ||
                        (out->n_rollbacks && pawl__file_changes_find(own, path)))
                        continue;
                if (pawl__map_put(&known, path, 0))
                        status = pawl__nomem(f->err);
                out->files[kept++] = out->files[i];
        }
        out->n_files = kept;
        pawl__map_free(&known);
        return status;
}

static pawl_status list_changes(pawl__handoff *out, const pawl__file_changes *now, const finding *f)
{
        out->changes = pawl__arena_array(f->arena, now->n, sizeof *out->changes);
        if (!out->changes)
                return pawl__nomem(f->err);
        for (size_t i = 0; i < now->n; i++) {
                const char *how = pawl__file_change_how(&now->list[i]);
                if (how)
                        out->changes[out->n_changes++] =
                                (pawl__hand_change){now->list[i].path, how};
        }
        return PAWL_OK;
}

/* PAWL_DONE: nothing was taken since the session began. */
static pawl_status find_all_ends(ends *e, const finding *f)
{
        pawl__row first;
        pawl_status status = find_ends(&first, &e->last, f);

        if (status == PAWL_DONE) {
                TRY(find_before(&e->from, f));
                e->last = e->from;
        } else {
                TRY(status);
                TRY(find_found(&e->from, &first, f));
        }
        return find_now(&e->now, &e->by, &e->put_back, &e->last, f);
}

static pawl_status compare(pawl__file_changes *now, pawl__file_changes *own, pawl__handoff *out,
        pawl_log *log, const ends *e, const finding *f)
{
        bool latest;

        TRY(pawl__file_changes_between(now, log, &e->from, &e->now, f->err));
        if (now->unknown)
                return PAWL_OK;
        TRY(pawl__file_changes_rolled_back(now, out, log, f->state,
                e->now.v[PAWL__WCP_WORKTREE].text,
                e->put_back ? e->by.v[PAWL__RB_ENDED_SEQ].integer : e->now.v[PAWL__WCP_SEQ].integer,
                f->err));
        TRY(is_latest(&latest, f));
        if (!latest || out->n_rollbacks)
                TRY(pawl__file_changes_between(own, log, &e->from, &e->last, f->err));
        if (!latest)
                keep_own(now, own);
        return list_changes(out, now, f);
}

pawl_status pawl__handoff_changes(
        pawl__handoff *out, pawl_log *log, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        const finding f = {state, &out->session, worktree_of(&out->session, arena), arena, err};
        pawl__file_changes now = {.arena = arena}, own = {.arena = arena};
        ends e = {.put_back = false};
        pawl_status status = find_all_ends(&e, &f);

        if (!status) {
                out->from_n = e.from.v[PAWL__WCP_N].integer;
                out->to_n = e.now.v[PAWL__WCP_N].integer;
                status = compare(&now, &own, out, log, &e, &f);
        }
        if (!status || status == PAWL_DONE)
                status = list_once(out, root_of(&e, &f, &out->place), &now, &own, &f);
        free(now.list);
        free(own.list);
        return status;
}

pawl_status pawl__session_captures(pawl__hand_checkpoint **out, size_t *n, pawl__state *state,
        const pawl__row *session, pawl__arena *arena, pawl_error *err)
{
        const finding f = {state, session, worktree_of(session, arena), arena, err};
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

#include "workspace/turns.h"
#include "base/error.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_MAX = 300 };

typedef struct turn {
        int64_t checkpoint;
        uint64_t seq; /* of the event that ended it */
} turn;

/* The next of a session's turns, as state/tables.h says they are written. */
static bool next_turn(turn *out, const char **at)
{
        int used = 0;

        if (!*at || sscanf(*at, "%*[][,]%" SCNd64 ",%" SCNu64 "]%n", &out->checkpoint, &out->seq,
                            &used) != 2)
                return false;
        *at += used;
        return true;
}

/* ---- A turn's checkpoint --------------------------------------------------------------------- */

static pawl_status find_session(
        pawl__row *out, pawl__state *state, pawl_text id, pawl__arena *arena, pawl_error *err)
{
        pawl__row rows[PAWL__CANDIDATES] = {{{{{NULL, 0}}}}};
        size_t found = 0;

        if (!id.len)
                return pawl__state_session_of_turns(out, state, arena, err);
        TRY(pawl__state_by_prefix(rows, &found, state, PAWL__SESSIONS, id, arena, err));
        if (found > 1 && !pawl__text_eq(rows[0].v[PAWL__SES_ID].text, id))
                return pawl__fail(err, PAWL_EINVAL,
                        "session %.*s: is the start of %.*s and %.*s; give more of it",
                        PAWL__FMT(id), PAWL__FMT(rows[0].v[PAWL__SES_ID].text),
                        PAWL__FMT(rows[1].v[PAWL__SES_ID].text));
        *out = rows[0];
        return found ? PAWL_OK : PAWL_ENOTFOUND;
}

pawl_status pawl__workspace_of_turn(
        pawl__row *out, pawl__state *state, const char *which, pawl__arena *arena, pawl_error *err)
{
        const char *const colon = strrchr(which, ':'), *const number = colon ? colon + 1 : which;
        const pawl_text id = pawl__text_n(which, colon ? (size_t)(colon - which) : 0);
        const size_t digits = strspn(number, "0123456789");
        pawl__row session = {0};
        bool ok = true;
        turn at;

        if (!digits || digits > 9 || number[digits] || (colon && id.len < PAWL__PREFIX_MIN))
                return PAWL_DONE;
        TRY(find_session(&session, state, id, arena, err));
        const char *list = pawl__arena_text(arena, session.v[PAWL__SES_TURNS].text, &ok).data;
        if (!ok)
                return pawl__nomem(err);
        unsigned long n = strtoul(number, NULL, 10);
        do {
                if (!n || !next_turn(&at, &list))
                        return PAWL_ENOTFOUND;
        } while (n-- > 1);
        *out = (pawl__row){.v[PAWL__WCP_N].integer = at.checkpoint};
        return pawl__state_get(state, PAWL__WORKSPACE, out, arena, err);
}

/* ---- What a listing says of each ------------------------------------------------------------- */

typedef struct detailing {
        pawl__state *state;
        pawl__contents *contents; /* NULL: not needed yet */
        const pawl__paths *paths;
        pawl__arena *arena, scratch; /* the second until the next checkpoint */
        pawl__buf buf;
        pawl__directories directories;
        pawl_workspace_checkpoint_info *info;
        bool touched;
        pawl__row session; /* of the one before */
        turn at;           /* its turn that was read last, number @p turn */
        uint64_t turn;
        const char *rest; /* of its turns */
        pawl_text text;
} detailing;

static pawl_status count(const pawl__change *change, void *user, pawl_error *err)
{
        detailing *d = user;
        bool counts;

        TRY(pawl__change_counts(&counts, &d->directories, change, &d->buf, err));
        if (!counts)
                return PAWL_OK;
        d->touched = d->touched || (d->paths && pawl__paths_have(d->paths, change->path));
        if (change->kind == PAWL__CHANGE_ADDED)
                d->info->added++;
        else if (change->kind == PAWL__CHANGE_REMOVED)
                d->info->removed++;
        else
                d->info->modified++;
        return PAWL_OK;
}

/* A tree that lacks contents says nothing of what changed, and fails no listing. */
static pawl_status compare(detailing *d, pawl_text before, pawl_error *err)
{
        pawl_workspace_checkpoint_info *const info = d->info;
        unsigned char from[32], to[32];
        pawl_error why = PAWL_ERROR_INIT;

        if (!pawl__unhex32(to, info->tree) || (before.data && !pawl__unhex32(from, before)))
                return PAWL_OK;
        if (!d->contents) {
                TRY(pawl__contents_open(&d->contents, pawl__state_log(d->state), err));
                d->directories = pawl__contents_directories(d->contents);
        }
        const pawl_status status =
                pawl__diff_trees(&d->directories, before.data ? from : NULL, to, count, d, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        info->has_changed = !status && before.data;
        if (!info->has_changed)
                info->added = info->removed = info->modified = 0;
        return PAWL_OK;
}

static bool same_workspace(
        const pawl_workspace_checkpoint_info *a, const pawl_workspace_checkpoint_info *b)
{
        return a->root.data && b->root.data && pawl__text_eq(a->worktree, b->worktree);
}

/* @p last is the one of the listing before this, or NULL. */
static pawl_status set_changed(
        detailing *d, const pawl_workspace_checkpoint_info *last, pawl_error *err)
{
        const pawl_workspace_checkpoint_info *const info = d->info;
        const pawl_text worktree = info->worktree.data ? info->worktree : pawl__text("");
        pawl__row row = {0};

        if (info->pruned || info->imported)
                return PAWL_OK;
        if (last && last->n + 1 == info->n && same_workspace(last, info))
                return last->pruned ? PAWL_OK : compare(d, last->tree, err);
        const pawl_status status = pawl__state_workspace_before(&row, d->state, info->n,
                info->root.data ? pawl__text(NULL) : info->run_id, worktree, &d->scratch, err);
        if (status == PAWL_ENOTFOUND) /* the first */
                return d->paths ? compare(d, pawl__text(NULL), err) : PAWL_OK;
        TRY(status);
        return row.v[PAWL__WCP_PRUNED_SEQ].integer ? PAWL_OK
                                                   : compare(d, row.v[PAWL__WCP_TREE].text, err);
}

/* What the agent said at the end of the turn that was read last. */
static pawl_status read_text(detailing *d, pawl_error *err)
{
        pawl_log *const log = pawl__state_log(d->state);
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, &d->scratch, log, d->at.seq);

        d->text = pawl__text(NULL);
        if (status && status != PAWL_ENOTFOUND)
                return pawl__log_failed(log, status, err);
        if (status || !event.payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, NULL);
        if (!status) {
                pawl_text said = pawl__json_get_text(&tree, 0, "summary");
                said.len = pawl__utf8_cut(said.data, said.len, TEXT_MAX);
                d->text = pawl__arena_copy(d->arena, said);
        }
        pawl__json_tree_free(&tree);
        return status == PAWL_ENOMEM ? pawl__nomem(err) : pawl__arena_check(d->arena, err);
}

/* The turn that ended first after the checkpoint. */
static pawl_status set_turn(detailing *d, pawl_error *err)
{
        pawl_workspace_checkpoint_info *const info = d->info;
        pawl_text *const id = &d->session.v[PAWL__SES_ID].text;
        bool ok = true;

        if (!info->session_id.data)
                return PAWL_OK;
        if (!pawl__text_eq(*id, info->session_id)) {
                d->session = (pawl__row){.v[PAWL__SES_ID].text = info->session_id};
                d->turn = d->at.seq = 0;
                d->rest = NULL;
                const pawl_status status =
                        pawl__state_get(d->state, PAWL__SESSIONS, &d->session, &d->scratch, err);
                if (status)
                        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
                *id = info->session_id;
                d->rest = pawl__arena_text(d->arena, d->session.v[PAWL__SES_TURNS].text, &ok).data;
                if (!ok)
                        return pawl__nomem(err);
        }
        while (d->at.seq < info->seq) {
                if (!next_turn(&d->at, &d->rest))
                        return PAWL_OK;
                d->turn++;
                if (d->at.seq > info->seq)
                        TRY(read_text(d, err));
        }
        info->turn = d->turn;
        info->turn_session = info->session_id;
        info->turn_text = d->text;
        return PAWL_OK;
}

pawl_status pawl__checkpoint_details(pawl_workspace_checkpoint_info *items, size_t n,
        pawl__state *state, const pawl__paths *paths, bool *touched, pawl__arena *arena,
        pawl_error *err)
{
        detailing d = {.state = state,
                .paths = paths,
                .arena = arena,
                .scratch = PAWL__ARENA_INIT,
                .buf = PAWL__BUF_INIT};
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < n && !status; i++) {
                pawl__arena_clear(&d.scratch);
                d.info = &items[i];
                d.touched = false;
                status = set_changed(&d, i ? &items[i - 1] : NULL, err);
                if (!status)
                        status = set_turn(&d, err);
                if (touched)
                        touched[i] = d.touched;
        }
        pawl__contents_close(d.contents);
        pawl__arena_free(&d.scratch);
        pawl__buf_free(&d.buf);
        return status;
}

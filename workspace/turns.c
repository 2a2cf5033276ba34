#include "workspace/turns.h"
#include "base/error.h"
#include "base/map.h"
#include "workspace/ignored_then.h"
#include <stdlib.h>

enum { TEXT_MAX = 300 };

typedef struct turn {
        int64_t checkpoint;
        uint64_t seq; /* of the event that ended it */
} turn;

/* The turns of a session, as state/tables.h says they are written: [[checkpoint,seq],...]. */
static pawl_status read_turns(
        turn **out, size_t *n, pawl_text list, pawl__arena *arena, pawl_error *err)
{
        const char *at = pawl__arena_copy(arena, list).data;
        char *end;

        *n = 0;
        for (size_t i = 0; i < list.len; i++)
                *n += list.data[i] == ',';
        *out = pawl__arena_array(arena, *n / 2 + 1, sizeof **out);
        if (!*out || (list.len && !at))
                return pawl__nomem(err);
        for (*n = 0; at && (at += strspn(at, "[],")) && *at; at = end) {
                turn *const one = &(*out)[(*n)++];
                one->checkpoint = strtoll(at, &end, 10);
                one->seq = strtoull(end + (*end == ','), &end, 10);
        }
        return PAWL_OK;
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
        turn *turns;
        size_t n_turns;

        if (!digits || digits > 9 || number[digits] || (colon && id.len < PAWL__PREFIX_MIN))
                return PAWL_DONE;
        TRY(find_session(&session, state, id, arena, err));
        TRY(read_turns(&turns, &n_turns, session.v[PAWL__SES_TURNS].text, arena, err));
        const unsigned long n = strtoul(number, NULL, 10);
        if (!n || n > n_turns)
                return PAWL_ENOTFOUND;
        *out = (pawl__row){.v[PAWL__WCP_N].integer = turns[n - 1].checkpoint};
        return pawl__state_get(state, PAWL__WORKSPACE, out, arena, err);
}

/* ---- What a listing says of each ------------------------------------------------------------- */

/* A session's turns, each read once, in the order of the checkpoints of a listing. */
typedef struct session_turns {
        turn *list;
        size_t n, at;   /* the first that may have ended after the next checkpoint */
        pawl_text text; /* of that */
} session_turns;

typedef struct detailing {
        pawl__state *state;
        pawl__contents *contents; /* NULL: not needed yet */
        const pawl__paths *paths;
        pawl__arena *arena, scratch; /* the second until the next checkpoint */
        pawl__buf buf;
        pawl__directories directories;
        pawl__ignored_then then[2]; /* what the one before and this one leave out */
        pawl_workspace_checkpoint_info *info;
        bool touched;
        pawl__map sessions; /* from an id to its place in the list */
        struct session_turns *list;
        size_t n_list, cap_list;
} detailing;

static pawl_status count(const pawl__change *change, void *user, pawl_error *err)
{
        detailing *d = user;
        bool counts, ignored = false;

        TRY(pawl__change_counts(&counts, &d->directories, change, &d->buf, err));
        if (counts)
                TRY(pawl__ignored_then_change(&ignored, d->then, change, err));
        if (!counts || ignored)
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
static pawl_status compare(detailing *d, pawl_text before, uint64_t before_seq, pawl_error *err)
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
        const pawl__ignored_then then = {.contents = d->contents, .directories = &d->directories};
        d->then[0] = d->then[1] = then;
        if (before.data) { /* else all of it came */
                d->then[0].tree = from;
                d->then[0].seq = before_seq;
                d->then[1].tree = to;
                d->then[1].seq = info->seq;
        }
        const pawl_status status =
                pawl__diff_trees(&d->directories, before.data ? from : NULL, to, count, d, &why);
        pawl__ignored_then_free(&d->then[0]);
        pawl__ignored_then_free(&d->then[1]);
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
                return last->pruned ? PAWL_OK : compare(d, last->tree, last->seq, err);
        const pawl_status status = pawl__state_workspace_before(&row, d->state, info->n,
                info->root.data ? pawl__text(NULL) : info->run_id, worktree, &d->scratch, err);
        if (status == PAWL_ENOTFOUND) /* the first */
                return d->paths ? compare(d, pawl__text(NULL), 0, err) : PAWL_OK;
        TRY(status);
        return row.v[PAWL__WCP_PRUNED_SEQ].integer
                       ? PAWL_OK
                       : compare(d, row.v[PAWL__WCP_TREE].text,
                                 (uint64_t)row.v[PAWL__WCP_SEQ].integer, err);
}

/* What the agent said at the end of the turn that the session is at. */
static pawl_status read_text(detailing *d, session_turns *of, pawl_error *err)
{
        pawl_log *const log = pawl__state_log(d->state);
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, &d->scratch, log, of->list[of->at].seq);

        of->text = pawl__text(NULL);
        if (status && status != PAWL_ENOTFOUND)
                return pawl__log_failed(log, status, err);
        if (status || !event.payload.data)
                return PAWL_OK;
        status = pawl__json_tree_read(&tree, event.payload.data, event.payload.len, NULL);
        if (!status) {
                pawl_text said = pawl__json_get_text(&tree, 0, "summary");
                said.len = pawl__utf8_cut(said.data, said.len, TEXT_MAX);
                of->text = pawl__arena_copy(d->arena, said);
        }
        pawl__json_tree_free(&tree);
        return status == PAWL_ENOMEM ? pawl__nomem(err) : pawl__arena_check(d->arena, err);
}

/* Those of a session; one that is not there has none. */
static pawl_status turns_of(session_turns **out, detailing *d, pawl_text id, pawl_error *err)
{
        pawl__row session = {.v[PAWL__SES_ID].text = id};
        uint32_t at = pawl__map_get(&d->sessions, id);

        if (at == PAWL__MAP_NONE) {
                at = (uint32_t)d->n_list;
                if (pawl__grow(&d->list, &d->cap_list, d->n_list + 1, sizeof *d->list) ||
                        pawl__map_put_copy(&d->sessions, d->arena, id, at))
                        return pawl__nomem(err);
                session_turns *const one = &d->list[d->n_list++];
                *one = (session_turns){.n = 0};
                const pawl_status status =
                        pawl__state_get(d->state, PAWL__SESSIONS, &session, &d->scratch, err);
                if (status != PAWL_ENOTFOUND)
                        TRY(status);
                TRY(read_turns(
                        &one->list, &one->n, session.v[PAWL__SES_TURNS].text, d->arena, err));
                if (one->n)
                        TRY(read_text(d, one, err));
        }
        *out = &d->list[at];
        return PAWL_OK;
}

/* The turn that ended first after the checkpoint. */
static pawl_status set_turn(detailing *d, pawl_error *err)
{
        pawl_workspace_checkpoint_info *const info = d->info;
        session_turns *of;

        if (!info->session_id.data)
                return PAWL_OK;
        TRY(turns_of(&of, d, info->session_id, err));
        const size_t before = of->at;
        while (of->at < of->n && of->list[of->at].seq < info->seq)
                of->at++;
        if (of->at == of->n)
                return PAWL_OK;
        if (of->at > before)
                TRY(read_text(d, of, err));
        info->turn = of->at + 1;
        info->turn_session = info->session_id;
        info->turn_text = of->text;
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
                .buf = PAWL__BUF_INIT,
                .sessions = PAWL__MAP_INIT};
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
        pawl__map_free(&d.sessions);
        free(d.list);
        return status;
}

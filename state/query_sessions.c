/* Sessions, and the run of a mission that could go on. */
#include "base/error.h"
#include "state/forked.h"
#include "state/projection.h"
#include <string.h>

/* Schemas before this one have no column of it, and logs of theirs no linked work tree. */
enum { WORKTREE_SINCE = 6 };

pawl_status pawl__state_sessions(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text mission_id, const char *worktree, const pawl__page *page, pawl__arena *arena,
        pawl_error *err)
{
#define NEWEST(where)                                                                              \
        "FROM {sessions} WHERE status <> 'pruned' AND seq < ?1" where " ORDER BY seq DESC LIMIT ?2"
        static const char *const queries[2][2] = {
                {NEWEST(""), NEWEST(" AND COALESCE(worktree, '') = ?3")},
                {NEWEST(" AND mission_id = ?3"),
                        NEWEST(" AND mission_id = ?3 AND COALESCE(worktree, '') = ?4")}};
        const bool by_mission = mission_id.data != NULL;
        const bool by_worktree = worktree && pawl__log_version(state->log) >= WORKTREE_SINCE;
        const pawl_text texts[2] = {
                by_mission ? mission_id : pawl__text(worktree), pawl__text(worktree)};

        return pawl__query_page(rows, n, state, PAWL__SESSIONS, queries[by_mission][by_worktree],
                page, texts, (size_t)by_mission + by_worktree, arena, err);
}

pawl_text pawl__state_top(const pawl__state *state, const pawl__worktree_place *place)
{
        const char *const log = pawl__log_place(state->log), *const end = strrchr(log, '/');
        size_t len = (size_t)(end - log);

        if (place->root.data)
                return place->root;
        if (len >= 6 && memcmp(log + len - 6, "/.pawl", 6) == 0)
                len -= 6;
        return pawl__text_n(log, len ? len : 1);
}

void pawl__state_find_worktrees(pawl__state *state, pawl__worktree_find_fn find)
{
        state->find_worktree = find;
}

pawl__worktree_place pawl__state_place(
        const pawl__state *state, pawl_text worktree, pawl_text root, pawl__arena *arena)
{
        pawl__worktree_place place = {.elsewhere = {NULL, 0}};
        pawl__buf now = PAWL__BUF_INIT;

        if (worktree.len) {
                place.worktree = worktree;
                place.root = place.was = root;
        }
        if (worktree.len && root.data && state->find_worktree)
                place.gone = !state->find_worktree(&now, state->log, worktree.data, root.data);
        if (now.len)
                place.root = pawl__arena_copy(arena, pawl__buf_text(&now));
        pawl__buf_free(&now);
        if (!pawl__same_worktree(worktree, state->worktree))
                place.elsewhere = pawl__state_top(state, &place);
        return place;
}

pawl_status pawl__state_run_place(pawl__worktree_place *out, pawl__state *state,
        const pawl__row *run, pawl__arena *arena, pawl_error *err)
{
        const pawl__checkpoint_filter newest = {
                .run_id = run->v[PAWL__RUN_ID].text, .page.limit = 1};
        pawl__row session = {.v[PAWL__SES_ID].text = run->v[PAWL__RUN_SESSION].text}, *rows;
        pawl__value *v = session.v;
        size_t n = 0;
        pawl_status status = PAWL_ENOTFOUND;

        *out = (pawl__worktree_place){.elsewhere = {NULL, 0}};
        if (pawl__run_submitted(run) || pawl__run_root(run).data)
                return PAWL_OK;
        if (v[PAWL__SES_ID].text.data)
                status = pawl__state_get(state, PAWL__SESSIONS, &session, arena, err);
        if (status != PAWL_ENOTFOUND) {
                if (!status)
                        *out = pawl__state_place(
                                state, v[PAWL__SES_WORKTREE].text, v[PAWL__SES_ROOT].text, arena);
                return status ? status : pawl__arena_check(arena, err);
        }
        TRY(pawl__state_workspace_page(&rows, &n, state, &newest, arena, err));
        if (n && rows->v[PAWL__WCP_ROOT].text.data)
                *out = pawl__state_place(state, rows->v[PAWL__WCP_WORKTREE].text,
                        rows->v[PAWL__WCP_ROOT].text, arena);
        return pawl__arena_check(arena, err);
}

pawl_status pawl__run_mission_path(pawl_text *out, pawl__state *state, const pawl__row *run,
        pawl__arena *arena, pawl_error *err)
{
        const pawl_text path = run->v[PAWL__RUN_MISSION_PATH].text;
        pawl__worktree_place place;
        pawl__buf moved = PAWL__BUF_INIT;

        TRY(pawl__state_run_place(&place, state, run, arena, err));
        const size_t len = place.was.data ? place.was.len : 0;
        if (len && path.len > len && memcmp(path.data, place.was.data, len) == 0 &&
                path.data[len] == '/') {
                pawl__buf_add_text(&moved, place.root);
                pawl__buf_add(&moved, path.data + len, path.len - len);
        }
        *out = pawl__arena_copy(arena, moved.len ? pawl__buf_text(&moved) : path);
        pawl__buf_free(&moved);
        return pawl__arena_check(arena, err);
}

pawl_status pawl__state_noted_session(pawl__row *session, pawl__state *state, pawl_text mission_id,
        pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {mission_id, {NULL, 0}};

        /* The condition is that of the index sessions_noted. */
        return pawl__query_row(session, state, PAWL__SESSIONS,
                "FROM {sessions} WHERE mission_id = ?1 AND notes_seq > 0 ORDER BY seq DESC LIMIT 1",
                texts, arena, err);
}

pawl_status pawl__state_active_sessions(
        pawl__row **rows, size_t *n, pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        const pawl_text none[2] = {{NULL, 0}, {NULL, 0}};

        /* The condition is that of the index sessions_active. */
        return pawl__query_rows(rows, n, state, PAWL__SESSIONS,
                "FROM {sessions} WHERE status = 'active' ORDER BY seq", none, 0, arena, err);
}

pawl_status pawl__state_not_notified(pawl__row **rows, size_t *n, pawl__state *state,
        pawl_text mission_id, pawl__arena *arena, pawl_error *err)
{
        const pawl_text texts[2] = {mission_id, {NULL, 0}};

        /* The condition is that of the index runs_untold. */
        return pawl__query_rows(rows, n, state, PAWL__RUNS,
                "FROM {runs} WHERE untold > 0 AND mission_id = ?1 ORDER BY untold", texts, 0, arena,
                err);
}

pawl_status pawl__state_unfinished(pawl__row *run, pawl__state *state, pawl_text mission_id,
        pawl__arena *arena, pawl_error *err)
{
#define UNFINISHED(where)                                                                          \
        "FROM {runs} WHERE status <> 'completed' AND status <> 'cancelled' AND mission_id = ?1"    \
        " AND substr(mission_path, 1, 1) = '/'" where " ORDER BY started_seq DESC LIMIT 1"
        const pawl_text texts[2] = {mission_id, pawl__text(state->worktree)}, none = {NULL, 0};

        return pawl__log_version(state->log) < WORKTREE_SINCE
                       ? pawl__query_row(run, state, PAWL__RUNS, UNFINISHED(""),
                                 (pawl_text[]){mission_id, none}, arena, err)
                       : pawl__query_row(run, state, PAWL__RUNS,
                                 UNFINISHED(
                                         " AND COALESCE((SELECT sessions.worktree FROM {sessions}"
                                         " WHERE sessions.session_id = runs.session_id), '') = ?2"),
                                 texts, arena, err);
}

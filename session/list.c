/* Listing sessions for a caller. */
#include "base/error.h"
#include "session/session.h"
#include <stdlib.h>

/* What a caller gets, and what it lies in. */
typedef struct sessions {
        pawl_sessions list;
        pawl__arena arena; /* all texts */
        pawl_session *items;
        size_t cap;
} sessions;

enum { BATCH = 256 }; /* rows read at once, when a status is looked for */

void pawl_sessions_free(pawl_sessions *list)
{
        sessions *all = (sessions *)list;

        if (!all)
                return;
        pawl__arena_free(&all->arena);
        free(all->items);
        free(all);
}

typedef struct listing {
        sessions *out;
        pawl_log *log;
        pawl__state *state;
        const pawl_session_filter *filter;
        pawl__page page;
        pawl_error *err;
} listing;

static bool is_full(const listing *l)
{
        return l->filter->limit && l->out->list.n >= l->filter->limit;
}

static pawl_status take(listing *l, const pawl__row *row)
{
        sessions *out = l->out;
        const char *wanted = l->filter->status;
        pawl_session session;
        pawl_status status =
                pawl__session_view(&session, l->log, l->state, row, &out->arena, l->err);

        if (status || (wanted && !pawl__text_is(session.status, wanted)))
                return status;
        if (pawl__grow(&out->items, &out->cap, out->list.n + 1, sizeof *out->items))
                return pawl__nomem(l->err);
        out->items[out->list.n++] = session;
        out->list.items = out->items;
        return PAWL_OK;
}

/* One by its id; or all, newest first, in batches until as many as wanted are found. */
static pawl_status fill(listing *l)
{
        const pawl_session_filter *f = l->filter;
        const size_t at_once = f->status || !f->limit ? BATCH : f->limit;
        pawl__row *rows;
        size_t n = 0;
        pawl_status status;

        if (f->session_id) {
                pawl__row row;
                status = pawl__session_find(&row, l->state, f->session_id, (pawl_text){NULL, 0},
                        &l->out->arena, l->err);
                if (!status && f->mission_id &&
                        !pawl__text_is(row.v[PAWL__SES_MISSION].text, f->mission_id))
                        return PAWL_OK;
                return status ? status : take(l, &row);
        }
        l->page.limit = at_once;
        do {
                status = pawl__state_sessions(&rows, &n, l->state, pawl__text(f->mission_id),
                        f->worktree, &l->page, &l->out->arena, l->err);
                for (size_t i = 0; i < n && !status && !is_full(l); i++)
                        status = take(l, &rows[i]);
                if (!status && n)
                        l->page.before = (uint64_t)rows[n - 1].v[PAWL__SES_SEQ].integer;
        } while (!status && n == at_once && !is_full(l));
        return status;
}

static pawl_status check_filter(const pawl_session_filter *f, pawl_error *err)
{
        static const char *const known[] = {"active", "completed", "interrupted", "error"};

        if (f->version != PAWL_SESSION_FILTER_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "session filter: version %u is not known; start from "
                        "PAWL_SESSION_FILTER_INIT",
                        f->version);
        if (!f->status)
                return PAWL_OK;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                if (strcmp(f->status, known[i]) == 0)
                        return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL,
                "status %.40s: is not known; give active, completed, interrupted or error",
                f->status);
}

pawl_status pawl__session_list(pawl_sessions **out, pawl_log *log,
        const pawl_session_filter *filter, uint64_t before, pawl_error *err)
{
        listing l = {NULL, log, NULL, filter, {.before = before}, err};
        pawl_status status = check_filter(l.filter, err);

        if (!status)
                status = pawl__state_of(&l.state, log, err);
        if (!status)
                status = pawl__sessions_settle_if_room(log, l.state, err);
        if (status)
                return status;
        l.out = calloc(1, sizeof *l.out);
        if (!l.out)
                return pawl__nomem(err);
        status = fill(&l);
        if (status)
                pawl_sessions_free(&l.out->list);
        else
                *out = &l.out->list;
        return status;
}

pawl_status pawl_session_list(
        pawl_sessions **out, pawl_log *log, const pawl_session_filter *filter, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        static const pawl_session_filter all = PAWL_SESSION_FILTER_INIT;

        return pawl__session_list(out, log, filter ? filter : &all, 0, err);
}

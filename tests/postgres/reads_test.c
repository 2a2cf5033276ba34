/* Needs PAWL_WITH_POSTGRES. */
/* What is known to hold is not asked for again, and what may not hold any more is. */
#include "events/postgres/server.h"
#include "state/state.h"
#include "support/event_log.h"

static const pawl__postgres_library *real;
static pawl__postgres_library counting;
static int asked; /* the last checkpoint of the workspace */

static void count(const char *sql)
{
        asked += strstr(sql, "workspace_checkpoints ORDER BY n DESC") != NULL;
}

static const char *named; /* the name that it was prepared by */

static int send_prepare(PGconn *conn, const char *name, const char *sql, int n, const Oid *types)
{
        if (strstr(sql, "workspace_checkpoints ORDER BY n DESC"))
                named = name;
        return real->PQsendPrepare(conn, name, sql, n, types);
}

static int send_params(PGconn *conn, const char *sql, int n, const Oid *types,
        const char *const *values, const int *lengths, const int *formats, int format)
{
        count(sql);
        return real->PQsendQueryParams(conn, sql, n, types, values, lengths, formats, format);
}

static int send_prepared(PGconn *conn, const char *name, int n, const char *const *values,
        const int *lengths, const int *formats, int format)
{
        asked += named && strcmp(name, named) == 0;
        return real->PQsendQueryPrepared(conn, name, n, values, lengths, formats, format);
}

static pawl__state *tables;

static void look(void)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__row row;

        assert_int_equal(pawl__state_workspace_newest(&row, tables, &arena, &err), PAWL_ENOTFOUND);
        pawl__arena_free(&arena);
}

static int written; /* by another, before the hook's look */

static pawl_status look_within(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        (void)log, (void)batch, (void)user, (void)err;
        look();
        look();
        return PAWL_OK;
}

static void append_and_look(event_log *f)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);
        pawl_error err = PAWL_ERROR_INIT;

        for (; written > 0; written--) {
                pawl__state *folded;
                pawl_log *other = event_log_another(f);
                assert_ok(pawl__state_of(&folded, other, &err));
                assert_ok(append_one(other, event_scope(NULL), 0));
                pawl_log_close(other);
        }
        assert_ok(pawl__batch_event(&batch, &event, &err));
        batch.prepare = look_within;
        asked = 0;
        assert_ok(pawl__log_commit(f->log, &batch, 0, NULL));
        pawl__batch_free(&batch);
}

OPEN_LOG_TEST(what_holds_is_asked_once)
{
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__state_of(&tables, f->log, &err));
        assert_ok(append_one(f->log, event_scope(NULL), 0));
        real = f->log->server->pq;
        counting = *real;
        counting.PQsendPrepare = send_prepare;
        counting.PQsendQueryParams = send_params;
        counting.PQsendQueryPrepared = send_prepared;
        f->log->server->pq = &counting;
        named = NULL;

        append_and_look(f); /* twice in one transaction */
        assert_int_equal(asked, 1);
        asked = 0;
        look(); /* outside of one others may have written */
        look();
        assert_int_equal(asked, 2);
        append_and_look(f); /* nobody did */
        assert_int_equal(asked, 0);
        look();
        written = 1; /* somebody did */
        append_and_look(f);
        assert_int_equal(asked, 1);
        append_and_look(f); /* this handle itself did, since */
        assert_int_equal(asked, 1);
        f->log->server->pq = real;
        assert_ok(pawl__replay_check(f->log, &err));
}

/*
 * Who may put code where Pawl's statements run into it.
 *
 * A statement executes triggers, rules, policies, defaults, checks and index expressions of its
 * tables with the rights of the role that connects (as in CVE-2018-1058 and CVE-2022-2625). So all
 * that is in the schema pawl, and every function that such an object of its tables calls, must be
 * controlled by a role that is trusted with those rights: the role itself, a superuser, and, but
 * for a superuser, the owner of the database. A role that it is a member of is not, as others can
 * act as that one, too. Tables that inherit from or refer to Pawl's, event triggers and casts
 * between the server's own types count as well.
 *
 * Whether a role that may be none of these owns anything in the database is cheap to see in
 * pg_shdepend, which has the owners of all that the server did not come with. That is asked with
 * what each connection asks first, and with the lock of a transaction that begins PAWL__TRUST_MS
 * later. Only if so, and before a transaction commits that makes tables, it is looked at what these
 * things are, which takes the server some 15 ms in a new session.
 */
#include "events/postgres/server.h"

const char pawl__trust_sql[] =
        "SELECT EXISTS (SELECT FROM pg_database b JOIN pg_shdepend d ON d.dbid = b.oid "
        "WHERE b.datname = current_database() AND d.deptype = 'o' "
        "AND d.refobjid <> to_regrole(quote_ident(current_user)) "
        "AND (d.refobjid <> b.datdba OR current_setting('is_superuser') = 'on'))";

/* What of a catalog runs a function of a stranger. */
#define RUNS(catalog, join)                                                                        \
        "UNION ALL SELECT '" catalog "'::regclass, x.oid, f.proowner FROM untrusted f "            \
        "JOIN " catalog " x ON " join " "
/* What lies in the schema. */
#define LIES(catalog, owner, schema)                                                               \
        "UNION ALL SELECT '" catalog "'::regclass, x.oid, x." owner " FROM " catalog " x "         \
        "JOIN place p ON p.oid = x." schema " "

static const char strangers_sql[] =
        "WITH me AS (SELECT r.oid, r.rolsuper, d.datdba FROM pg_roles r, pg_database d "
        "WHERE r.rolname = current_user AND d.datname = current_database()), "
        "strangers AS (SELECT r.oid, r.rolname FROM pg_roles r, me WHERE NOT r.rolsuper "
        "AND r.oid <> me.oid AND (me.rolsuper OR r.oid <> me.datdba)), "
        "place AS (SELECT oid, nspowner FROM pg_namespace WHERE nspname = 'pawl'), "
        "tables AS (SELECT c.oid FROM pg_class c JOIN place p ON p.oid = c.relnamespace), "
        "untrusted AS (SELECT f.oid, f.proowner FROM pg_proc f "
        "JOIN strangers s ON s.oid = f.proowner), "
        "builtin AS (SELECT oid FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace), "
        "found (catalog, oid, owner) AS ("
        "SELECT 'pg_namespace'::regclass, oid, nspowner FROM place "
        /* clang-format off */
        LIES("pg_class", "relowner", "relnamespace")
        LIES("pg_proc", "proowner", "pronamespace")
        LIES("pg_type", "typowner", "typnamespace")
        LIES("pg_operator", "oprowner", "oprnamespace")
        RUNS("pg_trigger", "x.tgfoid = f.oid JOIN tables ON tables.oid = x.tgrelid")
        RUNS("pg_event_trigger", "x.evtfoid = f.oid AND x.evtenabled <> 'D'")
        RUNS("pg_cast", "x.castfunc = f.oid JOIN builtin a ON a.oid = x.castsource "
                "JOIN builtin b ON b.oid = x.casttarget")
        /* clang-format on */
        "UNION ALL SELECT uses.classid, uses.objid, f.proowner FROM untrusted f "
        "JOIN pg_depend uses ON uses.refclassid = 'pg_proc'::regclass AND uses.refobjid = f.oid "
        "JOIN pg_depend part ON part.classid = uses.classid AND part.objid = uses.objid "
        "AND part.refclassid = 'pg_class'::regclass AND part.deptype IN ('a', 'i') "
        "JOIN tables ON tables.oid = part.refobjid "
        "UNION ALL SELECT 'pg_class'::regclass, c.oid, c.relowner FROM tables "
        "JOIN pg_inherits i ON tables.oid IN (i.inhparent, i.inhrelid) "
        "JOIN pg_class c ON c.oid IN (i.inhparent, i.inhrelid) "
        "UNION ALL SELECT 'pg_constraint'::regclass, k.oid, c.relowner FROM tables "
        "JOIN pg_constraint k ON k.confrelid = tables.oid JOIN pg_class c ON c.oid = k.conrelid) "
        "SELECT regexp_replace(pg_describe_object(found.catalog, found.oid, 0), '[[:cntrl:]]', "
        "'.', 'g'), regexp_replace(CAST(s.rolname AS text), '[[:cntrl:]]', '.', 'g') "
        "FROM found JOIN strangers s ON s.oid = found.owner LIMIT 1";

pawl_status pawl__trust_look(pawl_log *log, pawl_error *err)
{
        struct pawl__server *server = log->server;
        PGresult *result = NULL;
        pawl_status status =
                pawl__server_execute(&result, log, strangers_sql, NULL, 0, "look at owners", err);

        if (status)
                return status;
        pawl__postgres_query found = {
                .base.engine = &pawl__postgres_engine, .log = log, .result = result};
        if (server->pq->PQntuples(result)) {
                const pawl_text what = pawl__query_text(&found.base, 0),
                                role = pawl__query_text(&found.base, 1);
                status = pawl__fail(err, PAWL_EACCESS,
                        "%s: %.*s is controlled by role %.*s, and would act with the rights of "
                        "this connection's role; drop it, or connect as a role that trusts %.*s",
                        log->path, PAWL__FMT(what), PAWL__FMT(role), PAWL__FMT(role));
        }
        server->pq->PQclear(result);
        pawl__arena_free(&found.escaped);
        server->trusted_ms = status ? 0 : pawl__now_ms();
        return status;
}

pawl_status pawl__trust_check(pawl_log *log, pawl__postgres_query *answer, pawl_error *err)
{
        if (pawl__query_integer(&answer->base, 0))
                return pawl__trust_look(log, err);
        log->server->trusted_ms = pawl__now_ms();
        return PAWL_OK;
}

/*
 * Who may put code where Pawl's statements run into it.
 *
 * A statement executes triggers, rules, policies, defaults, checks and index expressions of its
 * tables with the rights of the role that connects (as in CVE-2018-1058 and CVE-2022-2625). So all
 * that is in the schema pawl, and every function that such an object of its tables calls, must be
 * controlled by a role that is trusted with those rights: the role itself, a superuser, and, but
 * for a superuser, the owner of the database and the roles that it is a member of. Tables that
 * inherit or refer to Pawl's, event triggers and casts between the server's own types count too.
 *
 * The query goes with what each connection asks first, with the lock of a transaction that begins
 * PAWL__TRUST_MS later, and once more before a transaction commits that makes tables.
 */
#include "events/postgres/server.h"

#define FUNCTIONS_OF(catalog, oid)                                                                 \
        "SELECT '" catalog "'::regclass, " oid ", f.proowner FROM untrusted f "

const char pawl__trust_sql[] =
        "WITH me AS (SELECT r.oid, r.rolsuper, d.datdba FROM pg_roles r, pg_database d "
        "WHERE r.rolname = current_user AND d.datname = current_database()), "
        "strangers AS (SELECT r.oid, r.rolname FROM pg_roles r, me WHERE NOT r.rolsuper "
        "AND r.oid <> me.oid AND (me.rolsuper OR (r.oid <> me.datdba "
        "AND NOT pg_has_role(me.oid, r.oid, 'MEMBER')))), "
        "place AS (SELECT oid, nspowner FROM pg_namespace WHERE nspname = 'pawl'), "
        "tables AS (SELECT c.oid, c.relowner FROM pg_class c, place p "
        "WHERE c.relnamespace = p.oid), "
        "untrusted AS (SELECT f.oid, f.proowner FROM pg_proc f, strangers s "
        "WHERE f.proowner = s.oid), "
        "found (catalog, oid, owner) AS ("
        "SELECT 'pg_namespace'::regclass, oid, nspowner FROM place "
        "UNION ALL SELECT 'pg_class'::regclass, oid, relowner FROM tables "
        "UNION ALL SELECT 'pg_proc'::regclass, f.oid, f.proowner FROM pg_proc f, place p "
        "WHERE f.pronamespace = p.oid "
        "UNION ALL SELECT 'pg_type'::regclass, t.oid, t.typowner FROM pg_type t, place p "
        "WHERE t.typnamespace = p.oid "
        "UNION ALL SELECT 'pg_operator'::regclass, o.oid, o.oprowner FROM pg_operator o, place p "
        "WHERE o.oprnamespace = p.oid "
        "UNION ALL " FUNCTIONS_OF("pg_trigger",
                "t.oid") "JOIN pg_trigger t ON t.tgfoid = f.oid JOIN tables ON tables.oid = t.tgrelid "
                         "UNION ALL " FUNCTIONS_OF("pg_event_trigger",
                                 "e.oid") "JOIN pg_event_trigger e ON e.evtfoid = f.oid WHERE e.evtenabled <> 'D' "
                                          "UNION ALL " FUNCTIONS_OF("pg_cast",
                                                  "k.oid") "JOIN pg_cast k ON k.castfunc = f.oid JOIN pg_type a ON a.oid = k.castsource "
                                                           "JOIN pg_type b ON b.oid = k.casttarget WHERE a.typnamespace = 'pg_catalog'::regnamespace "
                                                           "AND b.typnamespace = 'pg_catalog'::regnamespace "
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

pawl_status pawl__trust_check(pawl_log *log, pawl__postgres_query *found, pawl_error *err)
{
        if (log->server->pq->PQntuples(found->result) == 0) {
                log->server->trusted_ms = pawl__now_ms();
                return PAWL_OK;
        }
        const pawl_text what = pawl__query_text(&found->base, 0),
                        role = pawl__query_text(&found->base, 1);
        return pawl__fail(err, PAWL_EACCESS,
                "%s: %.*s is controlled by role %.*s, and would act with the rights of this "
                "connection's role; drop it, or connect as a role that trusts %.*s",
                log->path, PAWL__FMT(what), PAWL__FMT(role), PAWL__FMT(role));
}

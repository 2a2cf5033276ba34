/* What a server says, in the library's terms: the one place where its codes are known. */
#include "events/postgres/server.h"

enum { RETRY = 1, CONTENDED = 2 };

static const struct {
        const char *code; /* an SQLSTATE, or the beginning of one */
        pawl_status status;
        unsigned flags;
        const char *fix;
} meanings[] = {
        {"53100", PAWL_EFULL, 0, "free some space on the server and try again"},
        {"53200", PAWL_EIO, 0, "the server is out of memory: give it more, and try again"},
        {"53300", PAWL_EBUSY, 0, "try again later, or raise the server's max_connections"},
        {"53", PAWL_EBUSY, 0, "try again later"},
        {"25006", PAWL_EREADONLY, 0,
                "the server takes no writes, as a standby does: name the primary (several hosts "
                "and target_session_attrs=read-write in the URL do)"},
        {"42501", PAWL_EACCESS, 0,
                "grant the role what docs/how-to/run-on-postgresql.md lists, or use another"},
        {"28", PAWL_EACCESS, 0,
                "check user and password (~/.pgpass or PGPASSWORD), and the server's pg_hba.conf"},
        {"3D000", PAWL_ENOTFOUND, 0, "make it with `createdb`, or name another in the URL"},
        {"40", PAWL_EBUSY, RETRY | CONTENDED, "try again"},
        {"26000", PAWL_EBUSY, RETRY | CONTENDED, "try again"},
        {"55P03", PAWL_EBUSY, 0, "try again later"},
        {"57014", PAWL_EBUSY, 0, "try again, or raise the server's statement_timeout"},
        {"57P", PAWL_EIO, RETRY, "try again when the server is up"},
        {"25P03", PAWL_EIO, RETRY, "try again"},
        {"08", PAWL_EIO, RETRY, "try again when the server can be reached"},
        {"54", PAWL_ETOOBIG, 0, "make it smaller"},
        {"22012", PAWL_EDAMAGED, 0, "drop the trigger on pawl.events that stores other rows"},
        {"22021", PAWL_EINVAL, 0, "write it in UTF-8"},
        {"23", PAWL_EDAMAGED, 0,
                "run `eventlog verify`, and put back a copy of the log if that fails"},
        {"42", PAWL_EDAMAGED, 0,
                "its tables are not those of a log: put them back from a copy, or name another "
                "database"},
        {"3F000", PAWL_EDAMAGED, 0, "put back the schema pawl from a copy, or run `pawl init`"},
        {"XX00", PAWL_EDAMAGED, 0, "the server's own files are damaged: put back a copy"},
};

/* Server and libpq say several lines; the first says what. */
static void first_line(char out[PAWL_ERROR_MAX], const char *message)
{
        const size_t len = strcspn(message, "\n");
        const size_t cut = pawl__utf8_cut(message, len, PAWL_ERROR_MAX - 200);

        memcpy(out, message, cut);
        out[cut] = '\0';
}

pawl_status pawl__server_fail(pawl_log *log, const char *sqlstate, const char *message,
        const char *doing, pawl_error *err)
{
        struct pawl__server *server = log->server;
        pawl_status status = PAWL_EIO;
        const char *fix = "look at the server's log";
        char what[PAWL_ERROR_MAX];

        if (!*sqlstate && message && strstr(message, "out of memory")) /* libpq's only word of it */
                return pawl__nomem(err);
        first_line(what, message && *message ? message : "no reason given");
        pawl__address_strike(&server->address, what);
        server->retry = server->contended = false;
        for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
                if (*sqlstate &&
                        strncmp(sqlstate, meanings[i].code, strlen(meanings[i].code)) == 0) {
                        status = meanings[i].status;
                        fix = meanings[i].fix;
                        server->retry = meanings[i].flags & RETRY;
                        server->contended = meanings[i].flags & CONTENDED;
                        break;
                }
        return pawl__fail(err, status, "%s: cannot %s: %s%s%s%s; %s", log->path, doing, what,
                *sqlstate ? " (" : "", sqlstate, *sqlstate ? ")" : "", fix);
}

const char *pawl__sqlstate(const pawl_log *log, const PGresult *result)
{
        const char *state = log->server->pq->PQresultErrorField(result, 'C');

        return state && strlen(state) == 5 ? state : "";
}

pawl_status pawl__server_fail_result(
        pawl_log *log, const PGresult *result, const char *doing, pawl_error *err)
{
        const pawl__postgres_library *pq = log->server->pq;
        const char *state = pawl__sqlstate(log, result);
        const char *message = pq->PQresultErrorField(result, 'M');

        if (strcmp(state, "57014") == 0 && pawl__interrupt_waits(log))
                return pawl__interrupt_fail(log, err);
        if (strcmp(state, "55P03") == 0) {
                log->server->retry = log->server->assumed = false;
                return log->engine->busy(log, doing, err);
        }
        if (strcmp(state, "22P02") == 0 && log->server->assumed) {
                log->server->refused = true;
                return pawl__fail(err, PAWL_EBUSY,
                        "%s: cannot %s: another writer was first; try again", log->path, doing);
        }
        const char *constraint = pq->PQresultErrorField(result, 'n');
        if (strcmp(state, "23505") == 0 && constraint &&
                strcmp(constraint, "checkpoints_pkey") == 0)
                return pawl__fail(err, PAWL_ESTATE,
                        "%s: cannot %s: rule token-once: a checkpoint has that retry token already; "
                        "take a new one",
                        log->path, doing);
        if (strcmp(state, "26000") == 0) /* somebody between us and the server changes sessions */
                log->server->pooled = true;
        return pawl__server_fail(
                log, state, message ? message : pq->PQresultErrorMessage(result), doing, err);
}

pawl_status pawl__server_lost(pawl_log *log, const char *why, const char *doing, pawl_error *err)
{
        log->server->lost = true;
        return pawl__server_fail(log, "08000", why, doing, err);
}

pawl_status pawl__server_give_up(pawl_log *log, const char *doing, pawl_error *err)
{
        log->server->lost = true;
        log->server->retry = false;
        if (pawl__now_ms() - log->server->given_up_ms >= PAWL__GIVEN_UP_MS)
                log->server->given_up_ms = pawl__now_ms();
        return pawl__fail(err, PAWL_EINTERRUPTED,
                "%s: cannot %s: a signal came while the server did not answer; try again when it "
                "does",
                log->path, doing);
}

pawl_status pawl__server_unexpected(pawl_log *log, const char *what, pawl_error *err)
{
        log->server->lost = true;
        log->server->retry = false;
        return pawl__fail(err, PAWL_EDAMAGED,
                "%s: the server's answer is none: %s; check that it is PostgreSQL, and whether "
                "`eventlog verify` passes",
                log->path, what);
}

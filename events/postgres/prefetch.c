/*
 * What a transaction is sure to read goes with the lock of the log's row: the log's last events,
 * which are verified, what others appended behind the event that it depends on, the leases of the
 * handle, and the rows of state that its first events change. The server answers these behind the
 * lock, and so as it is for as long as nothing of it is written.
 */
#include "events/postgres/server.h"

/* The parameters, each ended by a NUL; 0: that is too long, or one is absent. */
static size_t key_of(char key[PAWL__PREFETCH_KEY], const pawl__postgres_query *q)
{
        size_t len = 0;

        for (int i = 0; i < q->n; i++) {
                const size_t more = (size_t)q->lengths[i];
                if (!q->values[i] || more >= PAWL__PREFETCH_KEY - len)
                        return 0;
                memcpy(key + len, q->values[i], more);
                len += more;
                key[len++] = '\0';
        }
        return len;
}

static void drop(struct pawl__server *server, pawl__prefetched *one)
{
        if (one->result)
                server->pq->PQclear(one->result);
        one->result = NULL;
        server->n_prefetched -= one->query != NULL;
        one->query = NULL;
}

void pawl__prefetch_drop(pawl_log *log, const pawl__postgres_query *of)
{
        for (int i = 0; i < PAWL__PREFETCHED && log->server->n_prefetched; i++)
                if (!of || log->server->prefetched[i].query == of)
                        drop(log->server, &log->server->prefetched[i]);
}

PGresult *pawl__prefetch_take(const pawl__postgres_query *q)
{
        char key[PAWL__PREFETCH_KEY];
        struct pawl__server *server = q->log->server;

        if (!server->n_prefetched)
                return NULL;
        const size_t len = key_of(key, q);
        for (int i = 0; i < PAWL__PREFETCHED; i++) {
                pawl__prefetched *one = &server->prefetched[i];
                if (one->query != q || one->len != len || memcmp(one->key, key, len) != 0)
                        continue;
                PGresult *result = one->result;
                one->result = NULL;
                drop(server, one);
                return result;
        }
        return NULL;
}

pawl_status pawl__postgres_prefetch(pawl__query *self, pawl_error *err)
{
        pawl__postgres_query *q = (pawl__postgres_query *)self;
        pawl__prefetched *one = q->log->server->prefetched, *end = one + PAWL__PREFETCHED;
        pawl_status status = PAWL_OK;

        while (one < end && one->query)
                one++;
        if (one < end && (one->len = key_of(one->key, q)) > 0) {
                one->query = q;
                q->log->server->n_prefetched++;
                status = pawl__send(q, &one->result, "append", err);
        }
        pawl__postgres_reset(self);
        return status;
}

pawl_status pawl__prefetch(pawl_log *log, pawl_error *err)
{
        pawl__prefetch_drop(log, NULL);
        pawl_status status = pawl__tx_prefetch(log, err);
        for (size_t i = 0; i < log->n_leases && !status; i++) {
                pawl__query *query;
                status = pawl__log_query(&query, log, PAWL__STMT_LEASE_GET, err);
                if (status)
                        break;
                pawl__query_bind_text(
                        query, 1, pawl__text_n(log->leases[i].run_id, log->leases[i].run_len));
                status = pawl__postgres_prefetch(query, err);
        }
        return status;
}

/* Renewing and releasing claims (events/lease.c). */
#include "events/group.h"
#include "events/handle.h"

/* Change the lease of a claim, in the transaction that is open or in one of its own. */
static pawl_status change_lease(
        pawl_log *log, pawl__stmt which, pawl_text run_id, uint64_t fence, const char *doing)
{
        pawl__query *change;
        int64_t changes;
        pawl_status status = pawl__log_query(&change, log, which, &log->err);

        if (status)
                return status;
        pawl__query_bind(change, which == PAWL__STMT_LEASE_RENEW ? "tiii" : "ti", run_id,
                (int64_t)fence, pawl__boot_ms(log) + log->lease_ms, (int64_t)log->lease_ms);
        status = pawl__query_run(change, &changes, doing, &log->err);
        if (status || changes == 1)
                return status;
        /* Of a log that is another, nothing holds. What a transaction has appended so far may yet
         * be taken back, and is no head to go by. */
        status = log->writing ? PAWL_OK : pawl__log_check_head(log, &log->err);
        if (status)
                return status;
        return pawl__fail(&log->err, PAWL_EFENCED,
                "run %.*s: fence %llu does not hold it any more; claim the run again",
                PAWL__FMT(run_id), (unsigned long long)fence);
}

/* In a transaction of its own. It need not outlive a power cut, after which no holder is alive, so
 * it does not wait for the disk. */
static pawl_status change_alone(
        pawl_log *log, pawl__stmt which, pawl_text run_id, uint64_t fence, const char *doing)
{
        pawl__waiter waiter = {.log = log};
        pawl_status status;

        if (log->flags & PAWL_LOG_READONLY)
                return pawl__fail(&log->err, PAWL_EREADONLY,
                        "%s: the log was opened for reading only; open it for writing", log->path);
        status = pawl__log_keep(log);
        if (!status)
                status = pawl__waiter_take(&waiter, doing);
        if (status)
                return status;
        if (log->engine->durable)
                status = log->engine->durable(log, false, doing);
        if (!status)
                do
                        status = change_lease(log, which, run_id, fence, doing);
                while (pawl__tx_again(log, status));
        pawl__waiter_end(&waiter, NULL, status);
        if (status == PAWL_EFENCED)
                pawl__lease_forget(log, run_id, fence);
        return status;
}

pawl_status pawl__tx_release(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        return change_lease(log, PAWL__STMT_LEASE_RELEASE, run_id, fence, "release the run");
}

static pawl_status renew(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        pawl_status status =
                change_alone(log, PAWL__STMT_LEASE_RENEW, run_id, fence, "renew the claim");

        for (size_t i = 0; i < log->n_leases; i++)
                if (pawl__lease_is(&log->leases[i], run_id, fence)) {
                        log->leases[i].due_ms =
                                pawl__boot_ms(log) + log->lease_ms / (status ? 12 : 3);
                        if (log->engine->lock_keep)
                                log->engine->lock_keep(log, &log->leases[i]);
                }
        return status;
}

pawl_status pawl_log_renew(pawl_log *log, const char *run_id, uint64_t fence)
{
        TRY(pawl__log_usable(log, NULL));

        return renew(log, pawl__text(run_id), fence);
}

/* Those that are due by then. From the end: a claim that is lost is forgotten, and the last one
 * takes its place. */
static pawl_status renew_due(pawl_log *log, int64_t by_ms)
{
        pawl_status first = PAWL_OK;
        pawl_error why = PAWL_ERROR_INIT;

        for (size_t i = log->n_leases; i-- > 0;) {
                const pawl__lease h = log->leases[i];
                if (h.due_ms > by_ms)
                        continue;
                pawl_status status = renew(log, pawl__text_n(h.run_id, h.run_len), h.fence);
                if (status && first != PAWL_EFENCED) {
                        first = status == PAWL_EFENCED || !first ? status : first;
                        why = log->err;
                }
        }
        if (first)
                log->err = why;
        return first;
}

pawl_status pawl_log_renew_all(pawl_log *log)
{
        TRY(pawl__log_usable(log, NULL));

        return renew_due(log, INT64_MAX);
}

pawl_status pawl__log_keep_claims(pawl_log *log)
{
        if (log->n_leases == 0 || log->writing)
                return PAWL_OK;
        return renew_due(log, pawl__boot_ms(log)) == PAWL_EFENCED ? PAWL_EFENCED : PAWL_OK;
}

pawl_status pawl_log_release(pawl_log *log, const char *run_id, uint64_t fence)
{
        TRY(pawl__log_usable(log, NULL));

        pawl_status status = change_alone(
                log, PAWL__STMT_LEASE_RELEASE, pawl__text(run_id), fence, "release the run");

        if (!status)
                pawl__lease_forget(log, pawl__text(run_id), fence);
        return status;
}

void pawl__lease_release(pawl_log *log)
{
        while (log->n_leases > 0) {
                pawl__lease h = log->leases[--log->n_leases];
                (void)change_alone(log, PAWL__STMT_LEASE_RELEASE, pawl__text_n(h.run_id, h.run_len),
                        h.fence, "release the run");
                pawl__lease_unlock(log, &h);
        }
}

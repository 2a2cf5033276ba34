/* Claiming a run: one transaction that refuses while somebody alive holds it, and else takes it. */
#include "base/json_write.h"
#include "events/group.h"
#include "events/handle.h"
#include "events/lease.h"

/* The greatest fence that the events give the run: what its row in runs says, and what is after
 * the last event that row has seen. */
static pawl_status fence_of_events(uint64_t *out, pawl_log *log, pawl_text run_id)
{
        static const char doing[] = "read the run's fence";
        pawl__query *row;
        int64_t applied = 0, fence = 0;
        pawl_status status =
                pawl__log_row(&row, log, PAWL__STMT_FENCE_STATE, doing, &log->err, "t", run_id);

        if (!status && row) {
                applied = pawl__query_integer(row, 0);
                fence = pawl__query_integer(row, 1);
        }
        pawl__query_reset(row);
        if (!status)
                status = pawl__log_row(&row, log, PAWL__STMT_FENCE_EVENTS, doing, &log->err, "ti",
                        run_id, applied);
        if (status)
                return status;
        if (row && pawl__query_integer(row, 0) > fence)
                fence = pawl__query_integer(row, 0);
        pawl__query_reset(row);
        *out = fence > 0 ? (uint64_t)fence : 0;
        return PAWL_OK;
}

static pawl_status put_lease(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        const pawl__identity *self = &log->self;

        return pawl__log_run(log, PAWL__STMT_LEASE_PUT, "claim the run", "tittiiiii", run_id,
                (int64_t)fence, pawl__text(self->host), pawl__text(self->boot_id), self->pid,
                self->pid_start, self->pid_ns, pawl__boot_ms(log) + log->lease_ms,
                (int64_t)log->lease_ms);
}

static pawl_status claimed_payload(pawl__json_writer *w, const pawl__identity *self, uint64_t fence)
{
        pawl__json_open_object(w);
        pawl__json_member_integer(w, "fence", (int64_t)fence);
        pawl__json_name(w, "owner");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "host", self->host);
        pawl__json_member_integer(w, "pid", self->pid);
        pawl__json_member_integer(w, "pid_start", self->pid_start);
        pawl__json_member_string(w, "boot_id", self->boot_id);
        pawl__json_close_object(w);
        pawl__json_close_object(w);
        return pawl__json_end_writer(w);
}

static pawl_status append_claimed(pawl_log *log, pawl_event *claimed, uint64_t fence)
{
        static const pawl_event none;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_status status = claimed_payload(&w, &log->self, fence);

        if (status)
                status = pawl__nomem(&log->err);
        claimed->type = pawl__text("RunClaimed");
        claimed->payload = pawl__buf_text(&w.buf);
        if (!status)
                status = pawl__tx_event(log, claimed, &none);
        pawl__json_writer_free(&w);
        return status;
}

/* Inside the transaction: refuse while somebody alive holds it, else take it, with a fence that is
 * greater than that of any lease and of any event. */
static pawl_status claim(uint64_t *fence, pawl__lease_row *holder, pawl_log *log,
        pawl_event *claimed, pawl__batch *batch)
{
        pawl_text run_id = claimed->run_id;
        uint64_t last = 0;
        bool found;
        pawl_status status = pawl__lease_read(holder, &found, log, run_id);

        if (status)
                return status;
        if (found && !(batch && batch->takes_over) &&
                !pawl__lease_is_ours(log, run_id, holder->fence) &&
                pawl__lease_is_alive(log, run_id, holder))
                return pawl__fail(&log->err, PAWL_EHELD,
                        "run %.*s: process %lld on %s holds it; wait until it ends or gives the "
                        "run back",
                        PAWL__FMT(run_id), (long long)holder->owner.pid, holder->owner.host);
        status = fence_of_events(&last, log, run_id);
        if (found && holder->fence > last)
                last = holder->fence;
        if (!status && batch && batch->after_fence &&
                batch->after_fence != (found ? holder->fence : last))
                return pawl__fail(&log->err, PAWL_EEXISTS,
                        "run %.*s: was claimed by another process since it was looked at; look "
                        "again",
                        PAWL__FMT(run_id));
        if (!status && last >= INT64_MAX) /* a negative one is greater still */
                return pawl__fail(&log->err, PAWL_EDAMAGED,
                        "run %.*s: it was claimed with fence %llu, and there is none after it; put "
                        "back a copy of the log",
                        PAWL__FMT(run_id), (unsigned long long)last);
        *fence = last + 1;
        if (!status)
                status = put_lease(log, run_id, *fence);
        if (!status)
                status = append_claimed(log, claimed, *fence);
        if (!status && batch)
                status = pawl__tx_prepared(log, batch, *fence);
        return status;
}

/* The lock is had, and its mark on disk, before the claim is: who finds the claim after a power cut
 * finds the mark too, and nobody who has it. */
static pawl_status try_claim(pawl__lease *own, pawl__lease_row *holder, pawl_log *log,
        pawl_event *claimed, pawl__batch *batch)
{
        uint64_t fence = 0;
        pawl_status status = pawl__tx_begin(log, !(batch && batch->prepare));

        if (status)
                return status;
        status = claim(&fence, holder, log, claimed, batch);
        if (status)
                return pawl__tx_rollback(log, status, batch && batch->prepare);
        pawl__lease_set(own, claimed->run_id, fence, pawl__boot_ms(log) + log->lease_ms / 3);
        if (log->engine->lock_take)
                log->engine->lock_take(log, own);
        status = pawl__tx_commit(log);
        if (status)
                pawl__lease_unlock(log, own);
        return status;
}

static pawl_status claim_alone(pawl__lease *own, pawl__lease_row *holder, pawl_log *log,
        pawl_event *claimed, pawl__batch *batch)
{
        const pawl__batch none = PAWL__BATCH_INIT;
        const pawl__batch_mark mark = pawl__batch_marked(batch ? batch : &none);
        pawl__waiter waiter = {.log = log};
        pawl_status status = pawl__tx_may_begin(log);

        if (!status)
                status = pawl__waiter_take(&waiter, "claim the run");
        if (status)
                return status;
        do {
                status = try_claim(own, holder, log, claimed, batch);
                if (status && batch)
                        pawl__batch_cut(batch, &mark);
        } while (pawl__tx_again(log, status));
        pawl__waiter_end(&waiter, NULL, status);
        return status;
}

pawl_status pawl__log_claim(uint64_t *fence, pawl_log *log, pawl_text mission_id, pawl_text run_id,
        pawl_text session_id, pawl_text actor, pawl__batch *batch, pawl_owner *owner)
{
        pawl_event claimed = {.mission_id = mission_id,
                .run_id = run_id,
                .session_id = session_id,
                .actor = actor};
        pawl__lease own = {0};
        pawl__lease_row holder = {.fence = 0};
        pawl_status status = pawl__id_check(run_id, "run id", &log->err);

        if (status)
                return status;
        if (pawl__grow(&log->leases, &log->cap_leases, log->n_leases + 1, sizeof *log->leases))
                return pawl__nomem(&log->err);
        pawl__lease_await_watcher(log, run_id);
        status = claim_alone(&own, &holder, log, &claimed, batch);
        if (status == PAWL_EHELD && pawl__lease_tell_owner(owner, log, &holder))
                return PAWL_ENOMEM;
        if (status)
                return status;
        pawl__lease_forget(log, run_id, 0);
        log->leases[log->n_leases++] = own;
        if (batch)
                pawl__batch_clear(batch);
        *fence = own.fence;
        return PAWL_OK;
}

pawl_status pawl_log_claim(uint64_t *fence, pawl_log *log, const char *mission_id,
        const char *run_id, const char *actor, pawl_owner *owner)
{
        TRY(pawl__log_usable(log, NULL));

        return pawl__log_claim(fence, log, pawl__text(mission_id), pawl__text(run_id),
                (pawl_text){NULL, 0}, pawl__text(actor), NULL, owner);
}

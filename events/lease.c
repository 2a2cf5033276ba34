/*
 * Claims: who may append for a run.
 *
 * A lease is one row a run. Its fence only ever grows: it outlives the claim in the row, and where
 * there is no row it starts above the run's last RunClaimed event. Whether a holder lives is asked
 * of the first of these that knows:
 *
 *  - the kernel's lock that the holder has on the run as long as it lives, or anything of its
 *    command (events/sqlite/run_lock.c); by it alone a holder can be dead that has another boot id,
 *    pid namespace or clock than this process;
 *  - the process, where boot id and pid namespace are ours: it is there, or it is gone, or another
 *    has its pid;
 *  - the lease, by the engine's own clock, where it has one; else it is over when this handle has
 *    seen it unchanged for as long as it was given, by our own clock. No clock of another process
 *    is compared with ours.
 */
#include "base/json_write.h"
#include "events/group.h"
#include "events/handle.h"
#include <time.h>

typedef struct lease {
        uint64_t fence;
        bool held;
        pawl__identity owner;
        int64_t until_ms, lease_ms;
        bool timed;      /* the engine's clock says ... */
        int64_t left_ms; /* ... in how long it is over */
} lease;

static void copy_text(char *out, size_t size, pawl_text text)
{
        size_t len = text.len < size - 1 ? text.len : size - 1;

        memset(out, 0, size);
        if (len)
                memcpy(out, text.data, len);
}

static void take_lease(lease *out, pawl__query *row)
{
        memset(out, 0, sizeof *out);
        out->fence = (uint64_t)pawl__query_integer(row, 0);
        out->held = pawl__query_integer(row, 1) != 0;
        copy_text(out->owner.host, sizeof out->owner.host, pawl__query_text(row, 2));
        copy_text(out->owner.boot_id, sizeof out->owner.boot_id, pawl__query_text(row, 3));
        out->owner.pid = pawl__query_integer(row, 4);
        out->owner.pid_start = pawl__query_integer(row, 5);
        out->owner.pid_ns = pawl__query_integer(row, 6);
        out->until_ms = pawl__query_integer(row, 7);
        out->lease_ms = pawl__query_integer(row, 8);
        out->timed = pawl__query_value(row, 9).type == PAWL__SQL_INTEGER;
        out->left_ms = pawl__query_integer(row, 9);
}

/* *found false: nobody ever claimed the run, as far as the leases know. */
static pawl_status read_lease(lease *out, bool *found, pawl_log *log, pawl_text run_id)
{
        pawl__query *row;
        pawl_status status = pawl__log_row(
                &row, log, PAWL__STMT_LEASE_GET, "read who holds the run", &log->err, "t", run_id);

        if (status)
                return status;
        *found = row != NULL;
        if (row)
                take_lease(out, row);
        pawl__query_reset(row);
        return PAWL_OK;
}

bool pawl__lease_is(const pawl__lease *own, pawl_text run_id, uint64_t fence)
{
        return own->fence == fence &&
               pawl__text_eq(pawl__text_n(own->run_id, own->run_len), run_id);
}

static void set_lease(pawl__lease *out, pawl_text run_id, uint64_t fence, int64_t due_ms)
{
        memcpy(out->run_id, run_id.data, run_id.len); /* at most PAWL__ID_MAX: ids are checked */
        out->run_len = run_id.len;
        out->fence = fence;
        out->due_ms = due_ms;
        out->lock_fd = -1;
}

enum { WATCHED = 4096 }; /* leases that are watched at once */

/* What is known of the run's lease; one that is new, in place of the oldest where they are many.
 * NULL: no memory. */
static pawl__watched *watched(pawl_log *log, pawl_text run_id)
{
        pawl__watched *oldest = log->watched;

        for (size_t i = 0; i < log->n_watched; i++) {
                pawl__watched *w = &log->watched[i];
                if (pawl__lease_is(&w->lease, run_id, w->lease.fence))
                        return w;
                if (w->since_ms < oldest->since_ms)
                        oldest = w;
        }
        if (log->n_watched == WATCHED)
                return memset(oldest, 0, sizeof *oldest);
        if (pawl__grow(&log->watched, &log->cap_watched, log->n_watched + 1, sizeof *log->watched))
                return NULL;
        return memset(&log->watched[log->n_watched++], 0, sizeof *log->watched);
}

/* The same, of that lease; what it says is noted. */
static pawl__watched *watch(pawl_log *log, pawl_text run_id, const lease *l)
{
        pawl__watched *w = run_id.len > PAWL__ID_MAX ? NULL : watched(log, run_id);

        if (w && (!pawl__lease_is(&w->lease, run_id, l->fence) || w->until_ms != l->until_ms)) {
                set_lease(&w->lease, run_id, l->fence, 0);
                w->until_ms = l->until_ms;
                w->since_ms = pawl__boot_ms(log);
        }
        return w;
}

/* Has it stood unchanged, before our eyes, for as long as it was given? */
static bool seen_to_expire(pawl_log *log, pawl_text run_id, const lease *l)
{
        const pawl__watched *w = watch(log, run_id, l);

        return w && pawl__boot_ms(log) - w->since_ms > l->lease_ms;
}

/* Are its processes those that this one sees? */
static bool is_here(const pawl_log *log, const pawl__identity *owner)
{
        const pawl__identity *self = &log->self;

        return self->boot_id[0] && strcmp(self->boot_id, owner->boot_id) == 0 && self->pid_ns &&
               self->pid_ns == owner->pid_ns;
}

/* By a pid of this machine. */
static pawl__life life_of_pid(const pawl_log *log, int64_t pid, int64_t pid_start)
{
        const int64_t start = log->self.start_of(pid, log->self.user);

        if (start == PAWL__START_GONE)
                return PAWL__LIFE_OVER;
        if (start <= 0 || pid_start <= 0)
                return PAWL__LIFE_UNKNOWN;
        return start == pid_start ? PAWL__LIFE_LIVES : PAWL__LIFE_OVER;
}

/* By its pid, where that says something here. */
static pawl__life life_of_process(const pawl_log *log, const lease *l)
{
        return is_here(log, &l->owner) ? life_of_pid(log, l->owner.pid, l->owner.pid_start)
                                       : PAWL__LIFE_UNKNOWN;
}

/* By the kernel's lock on the run. */
static pawl__life look(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        return log->engine->life ? log->engine->life(log, run_id, fence) : PAWL__LIFE_UNKNOWN;
}

static bool is_alive(pawl_log *log, pawl_text run_id, const lease *l)
{
        if (!l->held)
                return false;
        pawl__life life = look(log, run_id, l->fence);
        if (life == PAWL__LIFE_UNKNOWN)
                life = life_of_process(log, l);
        if (life == PAWL__LIFE_UNKNOWN)
                return l->timed ? l->left_ms >= 0 : !seen_to_expire(log, run_id, l);
        return life == PAWL__LIFE_LIVES;
}

/* A holder that just died may leave its step's command to its watcher, which has the lock until
 * nothing of the command is left: mostly some milliseconds. */
static void await_watcher(pawl_log *log, pawl_text run_id)
{
        static const struct timespec pause = {0, 2000000};
        lease l;
        bool found;

        for (int i = 0; i < 500; i++) {
                if (read_lease(&l, &found, log, run_id) || !found || !l.held ||
                        life_of_process(log, &l) != PAWL__LIFE_OVER ||
                        look(log, run_id, l.fence) != PAWL__LIFE_LIVES)
                        return;
                nanosleep(&pause, NULL);
        }
}

static bool held_here(const pawl_log *log, pawl_text run_id, uint64_t fence)
{
        for (size_t i = 0; i < log->n_leases; i++)
                if (pawl__lease_is(&log->leases[i], run_id, fence))
                        return true;
        return false;
}

void pawl__lease_forget(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        for (size_t i = log->n_leases; i-- > 0;)
                if (pawl__lease_is(&log->leases[i], run_id, fence ? fence : log->leases[i].fence)) {
                        pawl__lease_unlock(log, &log->leases[i]);
                        log->leases[i] = log->leases[--log->n_leases];
                }
}

int pawl__log_lock_fd(const pawl_log *log, pawl_text run_id)
{
        for (size_t i = 0; i < log->n_leases; i++)
                if (pawl__lease_is(&log->leases[i], run_id, log->leases[i].fence))
                        return log->leases[i].lock_fd > 0 ? log->leases[i].lock_fd : 0;
        return 0;
}

static pawl_status tell_owner(pawl_owner *owner, pawl_log *log, const lease *l)
{
        if (!owner)
                return PAWL_OK;
        pawl__buf_clear(&log->owner_host);
        if (pawl__buf_adds(&log->owner_host, l->owner.host))
                return pawl__nomem(&log->err);
        owner->fence = l->fence;
        owner->pid = l->owner.pid;
        owner->host = pawl__buf_text(&log->owner_host);
        return PAWL_OK;
}

pawl_status pawl__fence_check(pawl_log *log, pawl_text run_id, uint64_t fence, bool released_passes)
{
        lease l;
        bool found;
        pawl_status status = read_lease(&l, &found, log, run_id);

        if (status)
                return status;
        if (!found)
                return pawl__fail(&log->err, PAWL_EFENCED,
                        "run %.*s: fence %llu, but nobody claimed the run; claim it first",
                        PAWL__FMT(run_id), (unsigned long long)fence);
        if (l.fence != fence)
                return pawl__fail(&log->err, PAWL_EFENCED,
                        "run %.*s: fence %llu, but %llu holds %.*s; claim the run again",
                        PAWL__FMT(run_id), (unsigned long long)fence, (unsigned long long)l.fence,
                        PAWL__FMT(run_id));
        if (!l.held && !released_passes)
                return pawl__fail(&log->err, PAWL_EFENCED,
                        "run %.*s: fence %llu was given back; claim the run again",
                        PAWL__FMT(run_id), (unsigned long long)fence);
        return PAWL_OK;
}

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

/* Inside the transaction: refuse while somebody alive holds it, else take it. */
static pawl_status claim(
        uint64_t *fence, lease *holder, pawl_log *log, pawl_event *claimed, pawl__batch *batch)
{
        pawl_text run_id = claimed->run_id;
        uint64_t last = 0;
        bool found;
        pawl_status status = read_lease(holder, &found, log, run_id);

        if (status)
                return status;
        if (found && !(batch && batch->takes_over) && !held_here(log, run_id, holder->fence) &&
                is_alive(log, run_id, holder))
                return pawl__fail(&log->err, PAWL_EHELD,
                        "run %.*s: process %lld on %s holds it; wait until it ends or gives the "
                        "run back",
                        PAWL__FMT(run_id), (long long)holder->owner.pid, holder->owner.host);
        if (found)
                last = holder->fence;
        else
                status = fence_of_events(&last, log, run_id);
        if (!status && batch && batch->after_fence && batch->after_fence != last)
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
static pawl_status try_claim(
        pawl__lease *own, lease *holder, pawl_log *log, pawl_event *claimed, pawl__batch *batch)
{
        uint64_t fence = 0;
        pawl_status status = pawl__tx_begin(log, !(batch && batch->prepare));

        if (status)
                return status;
        status = claim(&fence, holder, log, claimed, batch);
        if (status)
                return pawl__tx_rollback(log, status, batch && batch->prepare);
        set_lease(own, claimed->run_id, fence, pawl__boot_ms(log) + log->lease_ms / 3);
        if (log->engine->lock_take)
                log->engine->lock_take(log, own);
        status = pawl__tx_commit(log);
        if (status)
                pawl__lease_unlock(log, own);
        return status;
}

static pawl_status claim_alone(
        pawl__lease *own, lease *holder, pawl_log *log, pawl_event *claimed, pawl__batch *batch)
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
        lease holder = {.fence = 0};
        pawl_status status = pawl__id_check(run_id, "run id", &log->err);

        if (status)
                return status;
        if (pawl__grow(&log->leases, &log->cap_leases, log->n_leases + 1, sizeof *log->leases))
                return pawl__nomem(&log->err);
        await_watcher(log, run_id);
        status = claim_alone(&own, &holder, log, &claimed, batch);
        if (status == PAWL_EHELD && tell_owner(owner, log, &holder))
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
        return pawl__log_claim(fence, log, pawl__text(mission_id), pawl__text(run_id),
                (pawl_text){NULL, 0}, pawl__text(actor), NULL, owner);
}

pawl_status pawl__log_holds(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        pawl_status status = pawl__view_refresh(log, &log->err);

        return status ? status : pawl__fence_check(log, run_id, fence, false);
}

/* What pawl__log_holder_seen() goes by. Where only our own eyes can see a lease expire, it must be
 * looked at again and again. */
static void note_alive(pawl_log *log, pawl_text run_id, const lease *l)
{
        pawl__watched *w = watch(log, run_id, l);

        if (!w)
                return;
        w->pid = is_here(log, &l->owner) ? l->owner.pid : 0;
        w->pid_start = l->owner.pid_start;
        const int64_t left_ms = l->timed ? l->left_ms : w->pid ? l->lease_ms : 0;
        w->alive_until_ms = pawl__boot_ms(log) + (left_ms < INT32_MAX ? left_ms : INT32_MAX);
}

bool pawl__log_holder_seen(pawl_log *log, pawl_text run_id)
{
        for (size_t i = 0; i < log->n_watched; i++) {
                const pawl__watched *w = &log->watched[i];
                if (!pawl__lease_is(&w->lease, run_id, w->lease.fence))
                        continue;
                return pawl__boot_ms(log) < w->alive_until_ms &&
                       look(log, run_id, w->lease.fence) != PAWL__LIFE_OVER &&
                       (!w->pid || life_of_pid(log, w->pid, w->pid_start) == PAWL__LIFE_LIVES);
        }
        return false;
}

pawl_status pawl__log_holder(bool *held, pawl_owner *owner, pawl_log *log, pawl_text run_id)
{
        lease l;
        bool found;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status)
                await_watcher(log, run_id);
        if (!status)
                status = read_lease(&l, &found, log, run_id);
        if (status)
                return status;
        bool alive = found && is_alive(log, run_id, &l);
        if (alive)
                note_alive(log, run_id, &l);
        if (!found)
                memset(&l, 0, sizeof l);
        status = tell_owner(owner, log, &l);
        if (!status)
                *held = alive;
        return status;
}

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
#include "events/lease.h"
#include <time.h>

static void copy_text(char *out, size_t size, pawl_text text)
{
        size_t len = text.len < size - 1 ? text.len : size - 1;

        memset(out, 0, size);
        if (len)
                memcpy(out, text.data, len);
}

static void take_lease(pawl__lease_row *out, pawl__query *row)
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

pawl_status pawl__lease_read(pawl__lease_row *out, bool *found, pawl_log *log, pawl_text run_id)
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

void pawl__lease_set(pawl__lease *out, pawl_text run_id, uint64_t fence, int64_t due_ms)
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
static pawl__watched *watch(pawl_log *log, pawl_text run_id, const pawl__lease_row *l)
{
        pawl__watched *w = run_id.len > PAWL__ID_MAX ? NULL : watched(log, run_id);

        if (w && (!pawl__lease_is(&w->lease, run_id, l->fence) || w->until_ms != l->until_ms)) {
                pawl__lease_set(&w->lease, run_id, l->fence, 0);
                w->until_ms = l->until_ms;
                w->since_ms = pawl__boot_ms(log);
        }
        return w;
}

/* Has it stood unchanged, before our eyes, for as long as it was given? */
static bool seen_to_expire(pawl_log *log, pawl_text run_id, const pawl__lease_row *l)
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
static pawl__life life_of_process(const pawl_log *log, const pawl__lease_row *l)
{
        return is_here(log, &l->owner) ? life_of_pid(log, l->owner.pid, l->owner.pid_start)
                                       : PAWL__LIFE_UNKNOWN;
}

/* By the kernel's lock on the run. */
static pawl__life look(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        return log->engine->life ? log->engine->life(log, run_id, fence) : PAWL__LIFE_UNKNOWN;
}

bool pawl__lease_is_alive(pawl_log *log, pawl_text run_id, const pawl__lease_row *l)
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

void pawl__lease_await_watcher(pawl_log *log, pawl_text run_id)
{
        static const struct timespec pause = {0, 2000000};
        pawl__lease_row l;
        bool found;

        for (int i = 0; i < 500; i++) {
                if (pawl__lease_read(&l, &found, log, run_id) || !found || !l.held ||
                        life_of_process(log, &l) != PAWL__LIFE_OVER ||
                        look(log, run_id, l.fence) != PAWL__LIFE_LIVES)
                        return;
                nanosleep(&pause, NULL);
        }
}

bool pawl__lease_is_ours(const pawl_log *log, pawl_text run_id, uint64_t fence)
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

pawl_status pawl__lease_tell_owner(pawl_owner *owner, pawl_log *log, const pawl__lease_row *l)
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
        pawl__lease_row l;
        bool found;
        pawl_status status = pawl__lease_read(&l, &found, log, run_id);

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

pawl_status pawl__log_holds(pawl_log *log, pawl_text run_id, uint64_t fence)
{
        pawl_status status = pawl__view_refresh(log, &log->err);

        return status ? status : pawl__fence_check(log, run_id, fence, false);
}

/* What pawl__log_holder_seen() goes by. Where only our own eyes can see a lease expire, it must be
 * looked at again and again. */
static void note_alive(pawl_log *log, pawl_text run_id, const pawl__lease_row *l)
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

pawl_status pawl__log_holder_died(bool *died, pawl_log *log, pawl_text run_id)
{
        pawl__lease_row l;
        bool found;
        const pawl_status status = pawl__lease_read(&l, &found, log, run_id);

        if (!status)
                *died = found && l.held;
        return status;
}

pawl_status pawl__log_holder(bool *held, pawl_owner *owner, pawl_log *log, pawl_text run_id)
{
        pawl__lease_row l;
        bool found;
        pawl_status status = pawl__view_refresh(log, &log->err);

        if (!status)
                pawl__lease_await_watcher(log, run_id);
        if (!status)
                status = pawl__lease_read(&l, &found, log, run_id);
        if (status)
                return status;
        bool alive = found && pawl__lease_is_alive(log, run_id, &l);
        if (alive)
                note_alive(log, run_id, &l);
        if (!found)
                memset(&l, 0, sizeof l);
        status = pawl__lease_tell_owner(owner, log, &l);
        if (!status)
                *held = alive;
        return status;
}

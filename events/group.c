/* The queue of waiting writers, and the groups that have one. See events/group.h. */
#include "events/group.h"
#include "events/handle.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* How often a waiter asks whether it was interrupted. */
enum { LOOK_US = 20 * 1000 };

struct pawl__group {
        pawl__group *next;
        dev_t device;
        _Atomic(ino_t) inode; /* both may change: the registry's mutex guards them */
        size_t handles;       /* that joined; the registry's mutex guards it */
        pthread_mutex_t mutex;
        atomic_uint served; /* leaders that had their transaction */
        bool led;
        pawl__waiter *first, **end; /* the queue */
        const char *vfs;            /* NULL: the system's */
        char path[];                /* and behind its NUL what vfs points to */
};

/* ---- The registry ---------------------------------------------------------------------------- */

static struct {
        pthread_mutex_t mutex;
        pthread_once_t once;
        pawl__group *groups;
} registry = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_ONCE_INIT, NULL};

/* A child begins with groups of its own: in those of its parent, threads that it does not have may
 * be leaders or waiters. */
static void before_fork(void)
{
        pthread_mutex_lock(&registry.mutex);
}

static void in_parent(void)
{
        pthread_mutex_unlock(&registry.mutex);
}

static void in_child(void)
{
        registry.groups = NULL;
        pthread_mutex_unlock(&registry.mutex);
}

static void watch_forks(void)
{
        (void)pthread_atfork(before_fork, in_parent, in_child);
}

static bool is_group_of(const pawl__group *group, const pawl_log *log)
{
        bool same_vfs = group->vfs && log->vfs ? strcmp(group->vfs, log->vfs) == 0
                                               : !group->vfs && !log->vfs;

        return same_vfs && group->device == log->device && group->inode == log->inode &&
               strcmp(group->path, log->path) == 0;
}

static pawl__group *make_group(const pawl_log *log)
{
        size_t path = strlen(log->path) + 1, vfs = log->vfs ? strlen(log->vfs) + 1 : 0;
        pawl__group *group = calloc(1, sizeof *group + path + vfs);

        if (!group)
                return NULL;
        if (pthread_mutex_init(&group->mutex, NULL) != 0) {
                free(group);
                return NULL;
        }
        group->device = log->device;
        group->inode = log->inode;
        group->end = &group->first;
        memcpy(group->path, log->path, path);
        if (log->vfs)
                group->vfs = memcpy(group->path + path, log->vfs, vfs);
        return group;
}

pawl_status pawl__group_join(pawl_log *log, pawl_error *err)
{
        pawl__group *group;

        (void)pthread_once(&registry.once, watch_forks);
        pthread_mutex_lock(&registry.mutex);
        for (group = registry.groups; group && !is_group_of(group, log);)
                group = group->next;
        if (!group) {
                group = make_group(log);
                if (group) {
                        group->next = registry.groups;
                        registry.groups = group;
                }
        }
        if (group)
                group->handles++;
        pthread_mutex_unlock(&registry.mutex);
        log->group = group;
        return group ? PAWL_OK : pawl__nomem(err);
}

void pawl__group_leave(pawl_log *log)
{
        pawl__group *group = log->group;

        if (!group)
                return;
        log->group = NULL;
        pthread_mutex_lock(&registry.mutex);
        bool last = --group->handles == 0;
        for (pawl__group **at = &registry.groups; last && *at; at = &(*at)->next)
                if (*at == group) {
                        *at = group->next;
                        break;
                }
        pthread_mutex_unlock(&registry.mutex);
        if (!last)
                return;
        pthread_mutex_destroy(&group->mutex);
        free(group);
}

void pawl__group_moved(const pawl_log *log)
{
        pthread_mutex_lock(&registry.mutex);
        log->group->device = log->device;
        log->group->inode = log->inode;
        pthread_mutex_unlock(&registry.mutex);
}

bool pawl__group_is_at(const pawl_log *log)
{
        return atomic_load_explicit(&log->group->inode, memory_order_relaxed) == log->inode;
}

/* ---- The queue: under the group's mutex ------------------------------------------------------ */

static void put_last(pawl__group *group, pawl__waiter *waiter)
{
        waiter->next = NULL;
        waiter->queued = true;
        *group->end = waiter;
        group->end = &waiter->next;
}

static void take_out(pawl__group *group, pawl__waiter **at)
{
        pawl__waiter *waiter = *at;

        *at = waiter->next;
        if (group->end == &waiter->next)
                group->end = at;
        waiter->next = NULL;
        waiter->queued = false;
}

size_t pawl__group_waiting(const pawl_log *log)
{
        size_t n = 0;

        pthread_mutex_lock(&log->group->mutex);
        for (const pawl__waiter *waiter = log->group->first; waiter; waiter = waiter->next)
                n++;
        pthread_mutex_unlock(&log->group->mutex);
        return n;
}

/* ---- Waiting and waking ---------------------------------------------------------------------- */

/* By a clock that does not step. */
static bool make_waiter(pawl__waiter *waiter)
{
        pthread_condattr_t attr;
        bool made = false;

        if (pthread_condattr_init(&attr) != 0)
                return false;
        if (pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
                pthread_mutex_init(&waiter->mutex, NULL) == 0) {
                made = pthread_cond_init(&waiter->woken, &attr) == 0;
                if (!made)
                        pthread_mutex_destroy(&waiter->mutex);
        }
        pthread_condattr_destroy(&attr);
        return made;
}

/* After this the waiter may be gone. */
static void wake(pawl__waiter *waiter, pawl__waiter_state state)
{
        pthread_mutex_lock(&waiter->mutex);
        waiter->state = state;
        pthread_cond_signal(&waiter->woken);
        pthread_mutex_unlock(&waiter->mutex);
}

/* Until it is woken, or until @p until_us (0: without an end). Was it woken? */
static bool sleep_until(pawl__waiter *waiter, int64_t until_us)
{
        const struct timespec until = {
                (time_t)(until_us / 1000000), (long)(until_us % 1000000) * 1000};
        int rc = 0;

        pthread_mutex_lock(&waiter->mutex);
        while (waiter->state == PAWL__WAITER_QUEUED && rc != ETIMEDOUT)
                rc = until_us ? pthread_cond_timedwait(&waiter->woken, &waiter->mutex, &until)
                              : pthread_cond_wait(&waiter->woken, &waiter->mutex);
        bool woken = waiter->state != PAWL__WAITER_QUEUED;
        pthread_mutex_unlock(&waiter->mutex);
        return woken;
}

/* A waiter that waited for too long leaves the queue, unless a leader took it meanwhile. */
static bool give_up(pawl__group *group, pawl__waiter *waiter)
{
        pthread_mutex_lock(&group->mutex);
        bool queued = waiter->queued;
        for (pawl__waiter **at = &group->first; queued && *at; at = &(*at)->next)
                if (*at == waiter) {
                        take_out(group, at);
                        break;
                }
        pthread_mutex_unlock(&group->mutex);
        return queued;
}

/* ---- Leaders and waiters --------------------------------------------------------------------- */

/* Become the leader if there is none; otherwise, if @p made, join the queue. */
static bool try_lead(pawl__group *group, pawl__waiter *waiter, bool made)
{
        pthread_mutex_lock(&group->mutex);
        bool leader = !group->led;
        if (leader) {
                group->led = true;
                waiter->state = PAWL__WAITER_LEADER;
        } else if (made) {
                put_last(group, waiter);
        }
        pthread_mutex_unlock(&group->mutex);
        return leader;
}

/* Until it is woken; false: it waited for too long, or was interrupted, which nobody wakes it for.
 * As long as others have their transactions, it will have its own. */
static bool sleep_in_queue(pawl__group *group, pawl__waiter *waiter)
{
        pawl_log *log = waiter->log;
        const int64_t most_us = (int64_t)log->busy_ms * 1000;
        pawl__patience patience = pawl__patience_of(most_us);
        unsigned served = atomic_load(&group->served);
        bool woken = false;

        while (!woken && !pawl__interrupt_waits(log) && !pawl__patience_over(&patience)) {
                const int64_t left = patience.left_us;
                woken = sleep_until(waiter, patience.seen_us + (left < LOOK_US ? left : LOOK_US));
                if (served != atomic_load(&group->served)) {
                        served = atomic_load(&group->served);
                        patience = pawl__patience_of(most_us);
                }
        }
        log->waited_us = most_us - patience.left_us;
        return woken || sleep_until(waiter, patience.seen_us);
}

/* In the queue, until it is woken or gives up: then false. */
static bool wait_in_queue(pawl__group *group, pawl__waiter *waiter)
{
        if (sleep_in_queue(group, waiter))
                return true;
        if (give_up(group, waiter))
                return false;
        return sleep_until(waiter, 0);
}

pawl_status pawl__waiter_take(pawl__waiter *waiter, const char *doing)
{
        pawl_log *log = waiter->log;
        bool woken = true;

        waiter->state = PAWL__WAITER_QUEUED;
        if (try_lead(log->group, waiter, false))
                return PAWL_OK;
        waiter->wall_us = pawl__wall_us(log);
        if (!make_waiter(waiter))
                return pawl__nomem(&log->err);
        if (!try_lead(log->group, waiter, true))
                woken = wait_in_queue(log->group, waiter);
        pthread_cond_destroy(&waiter->woken);
        pthread_mutex_destroy(&waiter->mutex);
        if (waiter->state != PAWL__WAITER_LEADER)
                log->waited_us = 0;
        if (woken)
                return PAWL_OK;
        return pawl__interrupt_waits(log) ? pawl__interrupt_fail(log, &log->err)
                                          : log->engine->busy(log, doing, &log->err);
}

static size_t size_of(const pawl__batch *batch)
{
        size_t size = batch->n * sizeof *batch->events;

        for (size_t i = 0; i < batch->n; i++)
                size += batch->events[i].payload.len;
        for (size_t i = 0; i < batch->n_blobs; i++)
                size += batch->blobs[i].content.len;
        return size;
}

/* A leader commits only for handles whose projector refuses the same events as its own. */
static bool same_projector(const pawl_log *a, const pawl_log *b)
{
        return a->projecting == b->projecting &&
               (!a->projecting || a->projector.apply == b->projector.apply);
}

pawl__waiter *pawl__waiter_next(const pawl__waiter *leader, size_t *space_left)
{
        pawl__group *group = leader->log->group;
        pawl__waiter *waiter = NULL;

        pthread_mutex_lock(&group->mutex);
        pawl__waiter *first = group->first;
        if (first && first->batch && !first->refused && same_projector(first->log, leader->log)) {
                size_t size = size_of(first->batch);
                if (size <= *space_left) {
                        *space_left -= size;
                        waiter = first;
                        take_out(group, &group->first);
                }
        }
        pthread_mutex_unlock(&group->mutex);
        return waiter;
}

void pawl__waiter_put_back(const pawl__waiter *leader, pawl__waiter *first)
{
        pawl__group *group = leader->log->group;
        pawl__waiter *last = first;

        if (!first)
                return;
        pthread_mutex_lock(&group->mutex);
        for (last->queued = true; last->next; last->queued = true)
                last = last->next;
        last->next = group->first;
        if (group->end == &group->first)
                group->end = &last->next;
        group->first = first;
        pthread_mutex_unlock(&group->mutex);
}

void pawl__waiter_end(pawl__waiter *leader, pawl__waiter *committed, pawl_status status)
{
        pawl__group *group = leader->log->group;

        if (status != PAWL_EBUSY)
                atomic_fetch_add(&group->served, 1);
        pthread_mutex_lock(&group->mutex);
        pawl__waiter *next = group->first;
        if (next)
                take_out(group, &group->first);
        else
                group->led = false;
        pthread_mutex_unlock(&group->mutex);
        leader->log->waited_us = 0;
        if (next) /* first: the others are woken while it begins */
                wake(next, PAWL__WAITER_LEADER);
        for (pawl__waiter *waiter = committed; waiter; waiter = committed) {
                committed = waiter->next;
                wake(waiter, PAWL__WAITER_COMMITTED);
        }
}

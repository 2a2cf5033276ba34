/*
 * Ending what a log is at, from another thread. A flag is asked: before each of the
 * log's statements, by the engine while one is at work, and by whatever waits for a lock or in the
 * queue of writers.
 *
 * Not while events are written, since others' batches may be in that transaction, and since a
 * statement that was interrupted as it ended has done its work all the same: what reports a failure
 * has written nothing. A batch's prepare hook may be long, is in a transaction of its own, and
 * is interrupted.
 */
#include "events/handle.h"
#include <poll.h>

void pawl_log_interrupt(pawl_log *log, bool on)
{
        if (log)
                atomic_store(&log->interrupted, on);
}

bool pawl__interrupt_waits(const pawl_log *log)
{
        return atomic_load_explicit(&log->interrupted, memory_order_relaxed) &&
               (!log->writing || log->preparing);
}

pawl_status pawl__interrupt_fail(const pawl_log *log, pawl_error *err)
{
        return pawl__fail(err, PAWL_EINTERRUPTED,
                "%s: was interrupted, and nothing was written; try again", log->path);
}

pawl_status pawl__log_interrupted(const pawl_log *log, pawl_error *err)
{
        return pawl__interrupt_waits(log) ? pawl__interrupt_fail(log, err) : PAWL_OK;
}

void pawl__log_watch_signals(pawl_log *log, int fd)
{
        log->signal_fd = fd;
}

void pawl__log_impatient(pawl_log *log)
{
        log->impatient = true;
}

void pawl__log_hurry(pawl_log *log)
{
        log->hurried = true;
}

bool pawl__log_hurries(pawl_log *log)
{
        struct pollfd signal = {log->signal_fd, POLLIN, 0};

        log->hurried = log->hurried || (log->signal_fd >= 0 && poll(&signal, 1, 0) > 0);
        return log->hurried;
}

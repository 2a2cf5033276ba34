#include "support/group.h"
#include "support/vfs.h"
#include <unistd.h>

/* The first sync after it is armed stands still until the gate is opened. */
static struct {
        pthread_mutex_t mutex;
        pthread_cond_t moved;
        bool armed, reached, open;
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void stand_still(void *user)
{
        (void)user;
        pthread_mutex_lock(&gate.mutex);
        if (gate.armed) {
                gate.armed = false;
                gate.reached = true;
                pthread_cond_broadcast(&gate.moved);
                while (!gate.open)
                        pthread_cond_wait(&gate.moved, &gate.mutex);
        }
        pthread_mutex_unlock(&gate.mutex);
}

int group_setup(void **state)
{
        fault_reset();
        if (event_log_setup(state))
                return -1;
        event_log *f = *state;
        f->vfs = FAULT_VFS;
        event_log_open(f);
        event_log_fill(f, 1); /* the first one syncs the write-ahead log's header too */
        fault_at(FAULT_NONE, 0, false);
        fault_on_sync(stand_still, NULL);
        return 0;
}

int group_teardown(void **state)
{
        fault_reset();
        return event_log_teardown(state);
}

pawl_log *group_with_state(pawl_log *log)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__state *state;

        if (pawl__state_of(&state, log, &err))
                fail_msg("%s", err.message);
        return log;
}

writer group_appending(pawl_log *log, pawl_event event)
{
        return (writer){.log = log, .event = event};
}

static void *write_once(void *user)
{
        writer *w = user;

        w->status = w->claims ? pawl_log_claim(&w->seq, w->log, "mission", w->claims, NULL, NULL)
                              : pawl__log_append(&w->seq, w->log, &w->event, 1, w->fence);
        return NULL;
}

void group_start(writer *w)
{
        assert_int_equal(pthread_create(&w->thread, NULL, write_once, w), 0);
}

/* w[0] syncs and stands still there; the others wait, in this order. */
void group_write_all(writer *w, size_t n)
{
        pthread_mutex_lock(&gate.mutex);
        gate.armed = true;
        gate.reached = gate.open = false;
        group_start(&w[0]);
        while (!gate.reached)
                pthread_cond_wait(&gate.moved, &gate.mutex);
        pthread_mutex_unlock(&gate.mutex);
        for (size_t i = 1; i < n; i++) {
                group_start(&w[i]);
                while (pawl__group_waiting(w[0].log) < i)
                        usleep(100);
        }
}

void group_join_all(writer *w, size_t n)
{
        pthread_mutex_lock(&gate.mutex);
        gate.open = true;
        pthread_cond_broadcast(&gate.moved);
        pthread_mutex_unlock(&gate.mutex);
        for (size_t i = 0; i < n; i++)
                assert_int_equal(pthread_join(w[i].thread, NULL), 0);
}

void group_close_all(writer *w, size_t n)
{
        for (size_t i = 0; i < n; i++)
                pawl_log_close(w[i].log);
}

/* The nth event after that of the setup. */
void group_check_in(const writer *w, uint64_t nth)
{
        if (w->status)
                fail_msg("%s", pawl_log_errmsg(w->log));
        assert_int_equal(w->seq, nth + (w->claims ? 0 : 1));
}

void group_check_refused(const writer *w, pawl_status status, const char *says)
{
        assert_int_equal(w->status, status);
        assert_int_equal(w->seq, 0);
        assert_says(pawl_log_errmsg(w->log), says);
}

/* The chain is whole, so many events longer than after the setup, and the state tables are what it
 * means. */
void group_check_log(event_log *f, uint64_t events)
{
        pawl_verify_result result;
        pawl_error err = PAWL_ERROR_INIT;

        if (pawl_log_verify(&result, f->log, 0, NULL))
                fail_msg("%s", result.why.message);
        assert_int_equal(result.events, events + 1);
        group_with_state(f->log);
        if (pawl__replay_check(f->log, &err))
                fail_msg("%s", err.message);
}

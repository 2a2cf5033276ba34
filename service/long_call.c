#include "service/long_call.h"
#include "base/error.h"
#include "service/connections.h"
#include <stdlib.h>

struct service_long_calls {
        service_site *site;
        pthread_mutex_t lock;
        pthread_cond_t ended;
        service_long_call *first;
        unsigned n;
        bool stopping;
};

/* ---- Its stream ------------------------------------------------------------------------------ */

static void wake(service_long_call *call)
{
        if (call->asleep)
                call->sleep(call->user, false);
        call->asleep = false;
}

/* Under the lock. */
static void stop(service_long_call *call)
{
        call->stopping = true;
        pthread_cond_signal(&call->changed);
        if (call->reads && !call->ending)
                service_worker_interrupt(&call->worker);
}

static void free_call(service_long_call *call)
{
        pawl__buf_free(&call->in);
        pawl__buf_free(&call->out);
        pthread_cond_destroy(&call->changed);
        call->free(call);
}

static void start_stream(service_stream *stream, void (*sleep)(void *user, bool asleep), void *user)
{
        service_long_call *call = (service_long_call *)stream;

        pthread_mutex_lock(&call->all->lock);
        call->sleep = sleep;
        call->user = user;
        pthread_mutex_unlock(&call->all->lock);
}

static ssize_t read_stream(service_stream *stream, char *out, size_t max)
{
        service_long_call *call = (service_long_call *)stream;
        ssize_t n = SERVICE_STREAM_END;

        pthread_mutex_lock(&call->all->lock);
        const size_t left = call->out.len - call->sent;
        if (left) {
                n = (ssize_t)(left < max ? left : max);
                memcpy(out, call->out.data + call->sent, (size_t)n);
                call->sent += (size_t)n;
                if (call->sent == call->out.len)
                        call->sent = call->out.len = 0;
                pthread_cond_signal(&call->changed);
        } else if (call->out.failed) {
                n = SERVICE_STREAM_CUT;
        } else if (!call->over) {
                n = 0;
                call->asleep = true;
                call->sleep(call->user, true);
        }
        pthread_mutex_unlock(&call->all->lock);
        return n;
}

static void close_stream(service_stream *stream)
{
        service_long_call *call = (service_long_call *)stream;

        pthread_mutex_lock(&call->all->lock);
        const bool over = call->over;
        call->closed = true;
        call->asleep = false;
        pawl__buf_clear(&call->out);
        call->sent = 0;
        if (call->goes)
                stop(call);
        pthread_cond_signal(&call->changed);
        pthread_mutex_unlock(&call->all->lock);
        if (over)
                free_call(call);
}

/* Under the lock. What was sent goes, for a reader who never has it all; no byte is moved more
 * often than one is sent. */
static void drop_sent(service_long_call *call)
{
        if (!call->sent || call->sent < call->out.len - call->sent)
                return;
        call->out.len -= call->sent;
        memmove(call->out.data, call->out.data + call->sent, call->out.len);
        call->sent = 0;
}

void service_long_call_send(service_long_call *call, pawl_text event)
{
        pthread_mutex_lock(&call->all->lock);
        if (!call->closed && !call->out.failed) {
                drop_sent(call);
                pawl__buf_add_text(&call->out, event);
                call->sent_ms = service_now_ms();
                wake(call);
        }
        pthread_mutex_unlock(&call->all->lock);
}

bool service_long_call_accepts(service_long_call *call)
{
        service_long_calls *all = call->all;
        const unsigned given = all->site->options->answer_ms;
        const int64_t most = given ? given : SERVICE_ANSWER_MS;

        pthread_mutex_lock(&all->lock);
        while (!call->closed && !call->stopping && !call->out.failed &&
                call->out.len - call->sent > SERVICE_UNSENT_MAX && call->waited_ms < most) {
                const int64_t begun = service_now_ms();
                const struct timespec until = service_in_ms((unsigned)(most - call->waited_ms));
                pthread_cond_timedwait(&call->changed, &all->lock, &until);
                call->waited_ms += service_now_ms() - begun;
        }
        const bool accepts = !call->closed && !call->stopping && !call->out.failed &&
                             call->out.len - call->sent <= SERVICE_UNSENT_MAX;
        pthread_mutex_unlock(&all->lock);
        return accepts;
}

void service_long_calls_beat(service_long_calls *all, int64_t now_ms)
{
        if (!all)
                return;
        pthread_mutex_lock(&all->lock);
        for (service_long_call *call = all->first; call; call = call->next) {
                if (call->asleep && now_ms - call->sent_ms >= call->beat_ms) {
                        pawl__buf_adds(&call->out, ": keep-alive\n\n");
                        call->sent_ms = now_ms;
                        wake(call);
                }
        }
        pthread_mutex_unlock(&all->lock);
}

/* ---- Its thread ------------------------------------------------------------------------------ */

bool service_long_call_wait(service_long_call *call, unsigned ms, pawl__buf *in)
{
        const struct timespec until = service_in_ms(ms);

        pthread_mutex_lock(&call->all->lock);
        if (!call->stopping && !call->in.len && ms)
                pthread_cond_timedwait(&call->changed, &call->all->lock, &until);
        const bool goes_on = !call->stopping;
        *in = call->in;
        call->in = (pawl__buf)PAWL__BUF_INIT;
        pthread_mutex_unlock(&call->all->lock);
        return goes_on;
}

size_t service_long_calls_notify(service_long_calls *all,
        bool (*its)(const service_long_call *call, const void *user), const void *user,
        pawl_text text)
{
        size_t n = 0;

        pthread_mutex_lock(&all->lock);
        for (service_long_call *call = all->first; call; call = call->next) {
                if (call->ending || !its(call, user))
                        continue;
                n++;
                if (!text.data)
                        continue;
                pawl__buf_add_text(&call->in, text);
                pawl__buf_addc(&call->in, '\0');
                pthread_cond_signal(&call->changed);
        }
        pthread_mutex_unlock(&all->lock);
        return n;
}

static void forget(service_long_calls *all, service_long_call *call)
{
        service_long_call **at = &all->first;

        while (*at != call)
                at = &(*at)->next;
        *at = call->next;
        all->n--;
        pthread_cond_broadcast(&all->ended);
}

static void *go_on(void *user)
{
        service_long_call *call = user;
        service_long_calls *all = call->all;

        call->run(call);
        pthread_mutex_lock(&all->lock);
        call->ending = true;
        pthread_mutex_unlock(&all->lock);
        service_worker_free(&call->worker);
        pthread_mutex_lock(&all->lock);
        call->over = true;
        wake(call);
        const bool closed = call->closed;
        forget(all, call);
        pthread_mutex_unlock(&all->lock);
        if (closed)
                free_call(call);
        return NULL;
}

pawl_status service_long_call_start(
        service_answer *answer, service_long_call *call, service_site *site, pawl_error *err)
{
        service_long_calls *all = site->long_calls;
        pawl_status status = PAWL_OK;
        pthread_attr_t detached;
        pthread_t thread;

        call->stream = (service_stream){start_stream, read_stream, close_stream};
        call->all = all;
        call->sent_ms = service_now_ms();
        service_cond_init(&call->changed);
        service_worker_init(&call->worker, site);
        pthread_attr_init(&detached);
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
        pthread_mutex_lock(&all->lock);
        if (all->stopping)
                status = pawl__fail(err, PAWL_EBUSY,
                        "the service: is being stopped; ask again when it is back");
        else if (all->n == SERVICE_LONG_CALLS)
                status = pawl__fail(err, PAWL_EBUSY,
                        "the service: has %u calls that go on already; wait for one, or try again",
                        all->n);
        call->next = all->first;
        all->first = call;
        all->n++;
        if (!status && pthread_create(&thread, &detached, go_on, call) != 0)
                status = pawl__fail(err, PAWL_EIO, "a thread: cannot be started; try again");
        if (status)
                forget(all, call);
        pthread_mutex_unlock(&all->lock);
        pthread_attr_destroy(&detached);
        if (!status) {
                service_answer_stream(answer, &call->stream);
                return PAWL_OK;
        }
        service_worker_free(&call->worker);
        pthread_cond_destroy(&call->changed);
        pawl__buf_free(&call->out);
        return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

pawl_status service_long_calls_open(service_long_calls **out, service_site *site, pawl_error *err)
{
        service_long_calls *all = calloc(1, sizeof *all);

        if (!all)
                return pawl__nomem(err);
        all->site = site;
        pthread_mutex_init(&all->lock, NULL);
        pthread_cond_init(&all->ended, NULL);
        *out = all;
        return PAWL_OK;
}

void service_long_calls_stop(service_long_calls *all)
{
        if (!all)
                return;
        pthread_mutex_lock(&all->lock);
        all->stopping = true;
        for (service_long_call *call = all->first; call; call = call->next)
                stop(call);
        while (all->n)
                pthread_cond_wait(&all->ended, &all->lock);
        pthread_mutex_unlock(&all->lock);
}

void service_long_calls_free(service_long_calls *all)
{
        if (!all)
                return;
        pthread_cond_destroy(&all->ended);
        pthread_mutex_destroy(&all->lock);
        free(all);
}

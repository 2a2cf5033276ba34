/**
 * @file service/long_call.h
 * @brief Calls that go on after their route has answered: each with a thread, a log and a stream of
 * its own.
 *
 * There are at most SERVICE_LONG_CALLS of them at once, whatever they are for, beside the streams
 * of events (service/feed.h), which need no thread each.
 */
#pragma once

#include "service/worker.h"

#define SERVICE_LONG_CALLS   64
#define SERVICE_UNSENT_MAX   (64 * 1024) /* bytes that wait for the client; then the call waits */
#define SERVICE_BEAT_MS      15000       /* a comment so often, where nothing else is sent */
#define SERVICE_GOES_BEAT_MS 1000        /* the same where the call ends with its client */

typedef struct service_long_calls service_long_calls;
typedef struct service_long_call service_long_call;

/** The beginning of what makes one. Its maker fills the first members, the rest is zero. */
struct service_long_call {
        service_stream stream;
        /** In its thread. It ends soon after call->stopping is set. */
        void (*run)(service_long_call *call);
        /** After both its thread and its stream ended. */
        void (*free)(service_long_call *call);
        bool goes;             /**< it ends when its client goes */
        unsigned beat_ms;      /**< a comment so often, where nothing else is sent */
        bool reads;            /**< it only reads: its log is interrupted when it is to end */
        service_worker worker; /**< whose log it uses; the thread's own */

        service_long_calls *all;
        service_long_call *next;
        pthread_cond_t changed;
        /* under the lock of all of them: */
        bool stopping; /**< it is to end */
        bool over, closed, ending, asleep;
        pawl__buf in;  /**< for it, by service_long_calls_notify() */
        pawl__buf out; /* to be sent: whole events */
        size_t sent;
        int64_t sent_ms, waited_ms;
        void (*sleep)(void *user, bool asleep);
        void *user;
};

PAWL_MUST_CHECK pawl_status service_long_calls_open(
        service_long_calls **out, service_site *site, pawl_error *err);
/** End them, and wait until their threads have. Their streams may be read to their end. NULL is
 *  allowed, here and below. */
void service_long_calls_stop(service_long_calls *all);
/** After the last stream was closed. */
void service_long_calls_free(service_long_calls *all);
/** A comment on each stream that was silent too long: so a client that has gone is noticed. */
void service_long_calls_beat(service_long_calls *all, int64_t now_ms);

/**
 * Start @p call, whose stream becomes the answer.
 * @return PAWL_EBUSY where there are SERVICE_LONG_CALLS, or the service is stopping; PAWL_EIO: no
 *         thread. Then @p call is as it was, and still the caller's.
 */
PAWL_MUST_CHECK pawl_status service_long_call_start(
        service_answer *answer, service_long_call *call, service_site *site, pawl_error *err);

/** Send a whole event. Never waits; without a client it is dropped. From any thread. */
void service_long_call_send(service_long_call *call, pawl_text event);
/** In its thread: wait until there is room for more. False: nobody will read it, since the client
 * went, has taken too long (in all, the time that an answer has), or the call is to end. */
bool service_long_call_accepts(service_long_call *call);
/** In its thread: wait @p ms, unless it is told something or is to end. What it was told is moved
 *  into @p in. False: it is to end. */
bool service_long_call_wait(service_long_call *call, unsigned ms, pawl__buf *in);

/** Tell those that @p its says, which is called under the lock, something: @p text and a NUL; the
 *  absent text tells nothing. Returns how many there are. */
size_t service_long_calls_notify(service_long_calls *all,
        bool (*its)(const service_long_call *call, const void *user), const void *user,
        pawl_text text);

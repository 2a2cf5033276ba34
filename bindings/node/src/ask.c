/* Questions of a call to JavaScript, for whose answers its thread waits. */
#include "task.h"
#include <errno.h>
#include <time.h>

static void free_question(question *q)
{
        pthread_cond_destroy(&q->answered);
        pthread_mutex_destroy(&q->lock);
        free(q->json.data);
        free(q);
}

/* A third of a lease from now. */
static struct timespec next_renewal(const handle *log)
{
        struct timespec at;
        const int64_t third_ms = log->lease_ms / 3 + 1;

        clock_gettime(CLOCK_MONOTONIC, &at);
        at.tv_sec += third_ms / 1000;
        at.tv_nsec += third_ms % 1000 * 1000000;
        if (at.tv_nsec >= 1000000000) {
                at.tv_sec++;
                at.tv_nsec -= 1000000000;
        }
        return at;
}

/* Until it is answered, or JavaScript leaves without having seen it. A claim that is lost meanwhile
 * is refused by the next append. */
static bool wait_for_answer(question *q, const handle *log)
{
        pthread_mutex_lock(&q->lock);
        while (!q->done && !q->leaving) {
                const struct timespec until = next_renewal(log);
                if (pthread_cond_timedwait(&q->answered, &q->lock, &until) != ETIMEDOUT)
                        continue;
                pthread_mutex_unlock(&q->lock);
                (void)(pawl_log_renew_all(log->pointer) == PAWL_OK);
                pthread_mutex_lock(&q->lock);
        }
        q->left = !q->done;
        pthread_mutex_unlock(&q->lock);
        return !q->left;
}

const char *task_ask(task *t, question *asked)
{
        handle *on = t->on;
        pthread_condattr_t monotonic;
        question *q = t->ask && !asked->json.failed ? malloc(sizeof *q) : NULL;

        if (!q)
                return NULL;
        *q = *asked;
        pthread_mutex_init(&q->lock, NULL);
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&q->answered, &monotonic);
        pthread_condattr_destroy(&monotonic);
        pthread_mutex_lock(&on->lock);
        const bool sent = !on->leaving &&
                          napi_call_threadsafe_function(t->ask, q, napi_tsfn_blocking) == napi_ok;
        on->asks = sent ? q : NULL;
        pthread_mutex_unlock(&on->lock);
        const bool answered = sent && wait_for_answer(q, on->log ? on->log : on);
        pthread_mutex_lock(&on->lock); /* leave() does not look at it from now on */
        on->asks = NULL;
        pthread_mutex_unlock(&on->lock);
        if (sent && !answered)
                return NULL;
        free(t->answers);
        t->answers = answered ? q->answer : NULL;
        asked->len = q->len;
        free_question(q);
        return t->answers;
}

/* The answer of JavaScript: answer(text). */
static napi_value take_answer(napi_env env, napi_callback_info info)
{
        napi_value argument;
        size_t argc = 1;
        void *data;
        question *q;

        if (napi_get_cb_info(env, info, &argc, &argument, NULL, &data) != napi_ok)
                return NULL;
        q = data;
        pthread_mutex_lock(&q->lock);
        if (argc && napi_get_value_string_utf8(env, argument, NULL, 0, &q->len) == napi_ok &&
                (q->answer = malloc(q->len + 1)))
                napi_get_value_string_utf8(env, argument, q->answer, q->len + 1, &q->len);
        q->done = true;
        pthread_cond_signal(&q->answered);
        pthread_mutex_unlock(&q->lock);
        return NULL;
}

void put_question(napi_env env, napi_value function, void *context, void *data)
{
        question *q = data;
        napi_value arguments[3], undefined;

        (void)context;
        if (env &&
                napi_create_string_utf8(env, q->what, NAPI_AUTO_LENGTH, &arguments[0]) == napi_ok &&
                napi_create_string_utf8(env, q->json.data, q->json.len, &arguments[1]) == napi_ok &&
                napi_create_function(env, NULL, 0, take_answer, q, &arguments[2]) == napi_ok &&
                napi_get_undefined(env, &undefined) == napi_ok &&
                napi_call_function(env, undefined, function, 3, arguments, NULL) == napi_ok)
                return; /* index.js answers in any case, once */
        pthread_mutex_lock(&q->lock);
        const bool left = q->left;
        q->done = true;
        pthread_cond_signal(&q->answered);
        pthread_mutex_unlock(&q->lock);
        if (left)
                free_question(q);
}

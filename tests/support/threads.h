/**
 * @file tests/support/threads.h
 * @brief A log with threads, put and read as tests write them.
 */
#pragma once

#include "state/state.h"
#include "support/event_log.h"
#include <pawl/threads.h>
#include <pawl/validate.h>

typedef struct threads {
        event_log *f;
        bool damaged; /* its log is not to be looked at in the end */
        pawl_threads *threads;
        pawl_error err;
} threads;

static inline void threads_open(threads *t)
{
        t->f->flags = PAWL_LOG_CREATE;
        event_log_open(t->f);
        assert_ok(pawl_threads_open(&t->threads, t->f->log, NULL, &t->err));
}

static inline void threads_close(threads *t)
{
        pawl_threads_close(t->threads);
        t->threads = NULL;
}

/** Nothing is cached, nor remembered. */
static inline void threads_open_again(threads *t)
{
        threads_close(t);
        event_log_close(t->f);
        threads_open(t);
}

static inline int threads_setup(void **state)
{
        static threads t;

        t = (threads){.err = PAWL_ERROR_INIT};
        event_log_setup(state);
        t.f = *state;
        threads_open(&t);
        *state = &t;
        return 0;
}

/** The fold is what the tables have, and the chain verifies. */
static inline void threads_check(threads *t)
{
        pawl_verify_result result;

        if (pawl__replay_check(t->f->log, &t->err))
                fail_msg("%s", t->err.message);
        assert_ok(pawl_log_verify(&result, t->f->log, 0, NULL));
}

static inline int threads_teardown(void **state)
{
        threads *t = *state;

        if (!t->damaged)
                threads_check(t);
        threads_close(t);
        *state = t->f;
        return event_log_teardown(state);
}

#define THREADS_TEST(name) UNIT_TEST_WITH(name, threads *t, threads_setup, threads_teardown)

/* "parent<id" or "id"; the channels: "a1=text b2" (b's version 2 as it was). The data of a text
 * that begins with '+' is 1,000 times that letter, which is in the event that put it, of '*'
 * 10,000 times, which is a content. */
#define T(text) pawl__text(text)
enum { CHANNELS = 4, LARGE = 10000 };

static inline pawl_status threads_put_at(threads *t, const char *thread, const char *ns,
        const char *parent, const char *id, const char *channels)
{
        static char large[CHANNELS][LARGE + 1];
        pawl_thread_channel list[CHANNELS];
        char words[200], *save = NULL;
        size_t n = 0;

        snprintf(words, sizeof words, "%s", channels);
        for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
                list[n] = (pawl_thread_channel){{word, 1}, {word + 1, 1}, {NULL, 0}, {NULL, 0}};
                if (word[2] == '=') {
                        list[n].type = T("json");
                        list[n].data = T(word + 3);
                }
                if (word[2] == '=' && (word[3] == '*' || word[3] == '+')) {
                        memset(large[n], word[4], LARGE);
                        list[n].data = (pawl_text){large[n], word[3] == '*' ? LARGE : 1000};
                }
                n++;
        }
        const pawl_thread_checkpoint item = {.thread_id = T(thread),
                .checkpoint_ns = T(ns),
                .checkpoint_id = T(id),
                .parent_id = parent ? T(parent) : (pawl_text){NULL, 0},
                .checkpoint = T("{\"v\":4}"),
                .metadata = T("{\"source\":\"loop\",\"step\":1}"),
                .channels = list,
                .n_channels = n};
        return pawl_thread_put(t->threads, &item, 1, &t->err);
}

static inline void threads_put(
        threads *t, const char *thread, const char *parent, const char *id, const char *channels)
{
        if (threads_put_at(t, thread, "", parent, id, channels))
                fail_msg("%s", t->err.message);
}

static inline pawl_status threads_write(threads *t, const char *thread, const char *id,
        const char *task, const char *path, int64_t index, const char *value)
{
        const pawl_thread_write write = {
                T(task), path ? T(path) : (pawl_text){NULL, 0}, T("c"), index, T("json"), T(value)};
        const pawl_thread_checkpoint item = {
                .thread_id = T(thread), .checkpoint_id = T(id), .writes = &write, .n_writes = 1};
        return pawl_thread_put(t->threads, &item, 1, &t->err);
}

/* What is there, as a line a checkpoint: "THREAD NS ID<PARENT a=text [TASK INDEX VALUE]", in static
 * memory. Of a large text only its first letter and its length. */
static inline const char *threads_text(threads *t, const pawl_thread_filter *filter)
{
        static char out[8192];
        pawl_thread_checkpoints *list = NULL;
        size_t at = 0;

        if (pawl_thread_list(&list, t->threads, filter, &t->err))
                fail_msg("%s", t->err.message);
        *out = '\0';
        for (size_t i = 0; i < list->n; i++) {
                const pawl_thread_checkpoint *c = &list->items[i];
                at += (size_t)snprintf(out + at, sizeof out - at, "%s%s%s %s<%s", i ? "\n" : "",
                        c->thread_id.data, c->checkpoint_ns.data, c->checkpoint_id.data,
                        c->parent_id.data ? c->parent_id.data : "");
                for (size_t k = 0; k < c->n_channels; k++)
                        if (c->channels[k].data.len < 100)
                                at += (size_t)snprintf(out + at, sizeof out - at, " %s=%s",
                                        c->channels[k].name.data, c->channels[k].data.data);
                        else
                                at += (size_t)snprintf(out + at, sizeof out - at, " %s=%c*%zu",
                                        c->channels[k].name.data, *c->channels[k].data.data,
                                        c->channels[k].data.len);
                for (size_t k = 0; k < c->n_writes; k++)
                        at += (size_t)snprintf(out + at, sizeof out - at, " [%s %d %s]",
                                c->writes[k].task_id.data, (int)c->writes[k].index,
                                c->writes[k].data.data);
        }
        pawl_thread_checkpoints_free(list);
        return out;
}

static inline const char *threads_of(threads *t, const char *thread)
{
        pawl_thread_filter filter = PAWL_THREAD_FILTER_INIT;

        filter.thread_id = thread;
        return threads_text(t, &filter);
}

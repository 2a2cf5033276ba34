/**
 * @file tests/service/feed_reader.h
 * @brief A reader of the feed's streams in place of a connection: it keeps all that came.
 */
#pragma once

#include "service/feed.h"
#include <pthread.h>

struct reader {
        service_stream *stream;
        pthread_mutex_t lock;
        pthread_cond_t woken;
        bool asleep;
        pawl__buf text;        /* all that came */
        size_t looked, events; /* so far into it, and how many began before */
        bool over;
};

void open_reader(
        struct reader *r, service_feed *feed, const char *type, const char *run, uint64_t since);
void close_reader(struct reader *r);

/** Read once, so many bytes at most; false when there was nothing. */
bool read_once(struct reader *r, size_t max);
/** Sleep until it is woken: at most 20 s, in which a machine that is busy comes to its turn. */
void sleep_until_woken(struct reader *r);
/** Read until so many events came, the last one whole, so many bytes at once. */
void read_events(struct reader *r, size_t n, size_t max);
void read_to_the_end(struct reader *r);

/** How often it came. */
size_t how_often(const struct reader *r, const char *part);
/** The ids that came are these, each once, in order. */
void ids_are(const struct reader *r, uint64_t first, uint64_t last);

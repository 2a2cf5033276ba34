#include "service/feed_reader.h"
#include "support/test.h"
#include <time.h>

static void sleeps(void *user, bool asleep)
{
        struct reader *r = user;

        pthread_mutex_lock(&r->lock);
        assert_int_equal(r->asleep, !asleep);
        r->asleep = asleep;
        pthread_cond_signal(&r->woken);
        pthread_mutex_unlock(&r->lock);
}

void open_reader(
        struct reader *r, service_feed *feed, const char *type, const char *run, uint64_t since)
{
        const service_feed_filter filter = {pawl__text(type), pawl__text(run)};
        pawl_error err = PAWL_ERROR_INIT;

        *r = (struct reader){.over = false};
        pthread_mutex_init(&r->lock, NULL);
        pthread_cond_init(&r->woken, NULL);
        assert_ok(service_feed_stream(&r->stream, feed, &filter, since, &err));
        service_stream_start(r->stream, sleeps, r);
}

void close_reader(struct reader *r)
{
        service_stream_close(r->stream);
        pthread_cond_destroy(&r->woken);
        pthread_mutex_destroy(&r->lock);
        pawl__buf_free(&r->text);
}

static bool is_asleep(struct reader *r)
{
        pthread_mutex_lock(&r->lock);
        const bool asleep = r->asleep;
        pthread_mutex_unlock(&r->lock);
        return asleep;
}

bool read_once(struct reader *r, size_t max)
{
        char bytes[65536];
        ssize_t n;

        if (is_asleep(r)) /* as a connection that is suspended */
                return false;
        n = service_stream_read(r->stream, bytes, max);
        r->over = n < 0;
        if (n > 0)
                assert_ok(pawl__buf_add(&r->text, bytes, (size_t)n));
        return n > 0;
}

void sleep_until_woken(struct reader *r)
{
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 20;
        pthread_mutex_lock(&r->lock);
        while (r->asleep)
                if (pthread_cond_timedwait(&r->woken, &r->lock, &until))
                        fail_msg("the reader sleeps for too long, after: %s",
                                r->text.data ? r->text.data : "nothing");
        pthread_mutex_unlock(&r->lock);
}

size_t how_often(const struct reader *r, const char *part)
{
        size_t n = 0;

        for (const char *at = r->text.data; at && (at = strstr(at, part)); at++)
                n++;
        return n;
}

/* The next event's id. Under the sanitizers strstr() goes to the end of the text each time. */
static const char *next_id(const char *at)
{
        while ((at = strchr(at, '\n')) && strncmp(at, "\n\nid: ", 6) != 0)
                at++;
        return at ? at + 6 : NULL;
}

/* Has it got so many events, the last one whole? */
static bool has_events(struct reader *r, size_t n)
{
        if (r->text.len < 2 || memcmp(r->text.data + r->text.len - 2, "\n\n", 2) != 0)
                return false;
        for (const char *at; (at = next_id(r->text.data + r->looked)); r->events++)
                r->looked = (size_t)(at - r->text.data);
        return r->events >= n;
}

void read_events(struct reader *r, size_t n, size_t max)
{
        while (!has_events(r, n) && !r->over)
                if (!read_once(r, max) && !r->over)
                        sleep_until_woken(r);
}

void ids_are(const struct reader *r, uint64_t first, uint64_t last)
{
        const char *at = r->text.data;

        for (uint64_t seq = first; seq <= last; seq++) {
                char *end;
                at = next_id(at);
                assert_non_null(at);
                assert_int_equal(strtoull(at, &end, 10), seq);
                at = end;
        }
        assert_null(next_id(at));
}

void read_to_the_end(struct reader *r)
{
        while (!r->over)
                if (!read_once(r, 4096) && !r->over)
                        sleep_until_woken(r);
}

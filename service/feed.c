#include "service/feed.h"
#include "base/error.h"
#include "events/log.h"
#include "service/worker.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
        LOOK_EVERY_MS = 200, /* while there are streams */
        BEAT_MS = 15000,
        SCAN = 4096 /* events that are read for a page, at most */
};

/* The events from @from to before @next that a stream shows, as they are sent. */
typedef struct page {
        unsigned users;
        struct page *older; /* in feed->pages */
        uint64_t from, next;
        pawl__buf text;
} page;

/* One of them. */
typedef struct feed_stream feed_stream;
struct feed_stream {
        service_stream base;
        service_feed *feed;
        feed_stream *before, *after; /* all of the feed's */
        service_feed_filter filter;
        uint64_t next;  /* the first event after the page */
        page *page;     /* NULL: nothing to send */
        size_t sent;    /* bytes of it that were sent */
        pawl__buf note; /* sent before a page is begun; empty: nothing */
        size_t note_at;
        int64_t sent_ms; /* when something was last sent */
        void (*sleep)(void *user, bool asleep);
        void *user;
        bool asleep; /* the last read had nothing */
        bool busy;   /* the thread reads a page for it */
        bool ended;  /* nothing comes after the page, if it was begun, and the note */
        bool closed; /* while it was busy: the thread frees it */
};

struct service_feed {
        pthread_t thread;
        pthread_mutex_t reading; /* held by the user of the log; taken before the lock */
        service_worker worker;   /* its log is the one that is kept */
        pthread_mutex_t lock;    /* of what follows; never held while waiting for a disk */
        pthread_cond_t look;
        uint64_t head; /* of the log, when it was last read */
        feed_stream *streams;
        page *pages;       /* those that streams share, while pages are given */
        pawl_error broken; /* why the log cannot be followed; status PAWL_OK: it can */
        unsigned users;    /* the feed's owner, and each stream */
        bool poked, stopping;
};

/* ---- Pages ------------------------------------------------------------------------------- */

static void release(page *p)
{
        if (!p || --p->users)
                return;
        pawl__buf_free(&p->text);
        free(p);
}

/* A type that another program wrote into the table may be any text. */
static bool is_word(pawl_text type)
{
        for (size_t i = 0; i < type.len; i++)
                if ((unsigned char)type.data[i] <= ' ' || type.data[i] == 0x7f)
                        return false;
        return type.len > 0;
}

pawl_status service_feed_write(
        pawl__buf *out, pawl_log *log, const pawl_event *event, pawl_error *err)
{
        const size_t len = out->len;

        pawl__buf_addf(out, "id: %" PRIu64 "\n", event->seq);
        if (is_word(event->type))
                pawl__buf_addf(out, "event: %.*s\n", PAWL__FMT(event->type));
        pawl__buf_adds(out, "data: ");
        pawl_status status = pawl__log_event_json(out, log, event, err);
        pawl__buf_adds(out, "\n\n");
        if (!status)
                status = pawl__buf_check(out, err);
        if (status)
                out->len = len;
        return status;
}

static pawl_status read_page(
        page *p, pawl_log *log, const service_feed_filter *filter, pawl_error *err)
{
        unsigned looked = 0;
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status = pawl__cursor_open(&cursor, log, p->from - 1, SCAN);

        if (status)
                return pawl__log_failed(log, status, err);
        while (!status && p->text.len < SERVICE_PAGE_BYTES && looked++ < SCAN) {
                status = pawl_cursor_next(cursor, &event);
                if (status < 0)
                        pawl__log_failed(log, status, err);
                if (!status && service_lets_pass(filter->type, event.type) &&
                        service_lets_pass(filter->run_id, event.run_id))
                        status = service_feed_write(&p->text, log, &event, err);
                if (!status)
                        p->next = event.seq + 1;
        }
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* ---- Streams, under the lock ------------------------------------------------------------- */

static void wake(feed_stream *s)
{
        if (s->asleep)
                s->sleep(s->user, false);
        s->asleep = false;
}

/* Some bytes of a text, of which *sent were sent. */
static size_t copy(char *out, size_t max, const char *text, size_t len, size_t *sent)
{
        const size_t n = max < len - *sent ? max : len - *sent;

        memcpy(out, text + *sent, n);
        *sent += n;
        return n;
}

static size_t take(feed_stream *s, char *out, size_t max)
{
        size_t n = 0;

        if (s->note.len && !s->sent) {
                n = copy(out, max, s->note.data, s->note.len, &s->note_at);
                if (s->note_at == s->note.len) {
                        pawl__buf_free(&s->note);
                        s->note_at = 0;
                }
        } else if (s->page && (s->sent || !s->ended)) {
                n = copy(out, max, s->page->text.data, s->page->text.len, &s->sent);
                if (s->sent == s->page->text.len) {
                        release(s->page);
                        s->page = NULL;
                        s->sent = 0;
                }
        }
        return n;
}

/* "event: error" and the message */
static void add_error(pawl__buf *out, const pawl_error *why)
{
        service_answer answer = {.status = 0};

        service_answer_fail(&answer, why);
        const pawl_text body = service_answer_bytes(&answer);
        pawl__buf_adds(out, "event: error\ndata: ");
        pawl__buf_add_text(out, body);
        pawl__buf_addc(out, '\n');
        service_answer_free(&answer);
}

static void end(feed_stream *s, const pawl_error *why)
{
        if (why && !s->ended)
                add_error(&s->note, why);
        s->ended = true;
        wake(s);
}

void service_feed_beat(service_feed *feed, int64_t now_ms)
{
        pthread_mutex_lock(&feed->lock);
        for (feed_stream *s = feed->streams; s; s = s->after)
                if (s->asleep && now_ms - s->sent_ms >= BEAT_MS) {
                        pawl__buf_adds(&s->note, ": keep-alive\n\n");
                        wake(s);
                }
        pthread_mutex_unlock(&feed->lock);
}

static void free_stream(feed_stream *s)
{
        *(s->before ? &s->before->after : &s->feed->streams) = s->after;
        if (s->after)
                s->after->before = s->before;
        s->feed->users--;
        release(s->page);
        pawl__buf_free(&s->note);
        free(s);
}

/* ---- The thread -------------------------------------------------------------------------- */

/* Give the stream its next page, if it needs one and there are events. */
static pawl_status give_page(service_feed *feed, feed_stream *s, uint64_t head, pawl_error *err)
{
        const bool shares = !s->filter.type.data && !s->filter.run_id.data;
        page *p = shares ? feed->pages : NULL;
        pawl_status status = PAWL_OK;

        if (s->page || s->ended || s->next > head)
                return PAWL_OK;
        while (p && p->from != s->next)
                p = p->older;
        if (p) {
                p->users++;
        } else {
                if (!(p = calloc(1, sizeof *p)))
                        return pawl__nomem(err);
                p->users = 1;
                p->from = p->next = s->next;
                s->busy = true;
                pthread_mutex_unlock(&feed->lock);
                status = read_page(p, feed->worker.log, &s->filter, err);
                pthread_mutex_lock(&feed->lock);
                s->busy = false;
                if (!status && shares) {
                        p->users++;
                        p->older = feed->pages;
                        feed->pages = p;
                }
        }
        s->next = p->next;
        if (p->text.len) {
                s->page = p;
                wake(s);
        } else {
                release(p);
                feed->poked |= !status && s->next <= head; /* nothing to show, and there is more */
        }
        return status;
}

static pawl_status give_pages(service_feed *feed, uint64_t head, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (feed_stream *s = feed->streams, *after; s && !status; s = after) {
                status = give_page(feed, s, head, err);
                after = s->after;
                if (s->closed)
                        free_stream(s);
        }
        for (page *p; (p = feed->pages) != NULL; release(p))
                feed->pages = p->older;
        return status;
}

/* Another program may lock the log for a while: nothing is lost by waiting. */
static bool passes(pawl_status status)
{
        return !status || status == PAWL_EBUSY || status == PAWL_EINTERRUPTED;
}

/* What the last look at the log found, and what is new. */
static void show(service_feed *feed, uint64_t head, bool replaced, pawl_error *err)
{
        const service_options *options = feed->worker.site->options;
        const char *path = options->log_shown ? options->log_shown : options->log_path;

        if (!err->status && replaced)
                pawl__fail(err, PAWL_ENOTFOUND,
                        "%.300s: the log that was followed is not there any more; ask again", path);
        else if (!err->status && head < feed->head)
                pawl__fail(err, PAWL_ESTATE,
                        "%.300s: the log ends at %" PRIu64 " now, before what was shown; ask again",
                        path, head);
        else if (!err->status)
                (void)give_pages(feed, head, err);
        if (head)
                feed->head = head;
        if (passes(err->status))
                return;
        for (feed_stream *s = feed->streams; s; s = s->after)
                end(s, err);
}

static void look(service_feed *feed)
{
        service_worker *worker = &feed->worker;
        service_health *health = &worker->site->health;
        pawl_error err = PAWL_ERROR_INIT;
        unsigned char hash[32];
        uint64_t head = 0;

        service_health_begin(health, service_now_ms());
        pthread_mutex_lock(&feed->reading);
        const unsigned opened = worker->opened;
        pawl_status status = service_worker_keep(worker, &err);
        if (!status && (status = pawl_log_head(&head, hash, worker->log)))
                pawl__log_failed(worker->log, status, &err);
        if (!status) { /* that another log was saved is no failure of this one */
                err = (pawl_error)PAWL_ERROR_INIT;
                service_worker_settle(worker);
        }
        service_health_read(health, status ? &err : NULL);
        service_health_begin(health, 0);
        pthread_mutex_lock(&feed->lock);
        feed->broken = passes(status) ? (pawl_error)PAWL_ERROR_INIT : err;
        show(feed, head, worker->opened != opened, &err);
        pthread_mutex_unlock(&feed->lock);
        pthread_mutex_unlock(&feed->reading);
}

static void *follow(void *user)
{
        service_feed *feed = user;

        pthread_mutex_lock(&feed->lock);
        while (!feed->stopping) {
                pthread_mutex_unlock(&feed->lock);
                look(feed);
                service_feed_beat(feed, service_now_ms());
                pthread_mutex_lock(&feed->lock);
                const struct timespec until =
                        service_in_ms(feed->streams ? LOOK_EVERY_MS : SERVICE_PULSE_MS);
                while (!feed->poked && !feed->stopping &&
                        !pthread_cond_timedwait(&feed->look, &feed->lock, &until))
                        ;
                feed->poked = false;
        }
        pthread_mutex_unlock(&feed->lock);
        return NULL;
}

pawl_status service_feed_keep(service_feed *feed, pawl_error *err)
{
        if (!feed)
                return PAWL_OK;
        pthread_mutex_lock(&feed->reading);
        const pawl_status status = service_worker_keep(&feed->worker, err);
        if (!status) /* whatever the last look found */
                service_health_read(&feed->worker.site->health, NULL);
        pthread_mutex_unlock(&feed->reading);
        return status;
}

/* Read the log now. */
static void poke(service_feed *feed)
{
        feed->poked = feed->streams != NULL;
        pthread_cond_signal(&feed->look);
}

void service_feed_poke(service_feed *feed)
{
        if (!feed)
                return;
        pthread_mutex_lock(&feed->lock);
        poke(feed);
        pthread_mutex_unlock(&feed->lock);
}

/* ---- From other threads ------------------------------------------------------------------ */

static void start_stream(service_stream *base, void (*sleep)(void *user, bool asleep), void *user)
{
        feed_stream *s = (feed_stream *)base;

        s->sleep = sleep;
        s->user = user;
}

static ssize_t read_stream(service_stream *base, char *out, size_t max)
{
        feed_stream *s = (feed_stream *)base;
        size_t n = 0, more;

        pthread_mutex_lock(&s->feed->lock);
        while (n < max && (more = take(s, out + n, max - n)) > 0)
                n += more;
        const bool over = n == 0 && s->ended;
        if (n) {
                s->sent_ms = service_now_ms();
        } else if (!over) {
                s->asleep = true;
                s->sleep(s->user, true);
                if (s->next <= s->feed->head)
                        poke(s->feed);
        }
        pthread_mutex_unlock(&s->feed->lock);
        return over ? -1 : (ssize_t)n;
}

/* Release the lock, and a user of the feed with it. */
static void leave(service_feed *feed)
{
        const bool last = feed->users == 0;

        pthread_mutex_unlock(&feed->lock);
        if (!last)
                return;
        service_worker_free(&feed->worker);
        pthread_cond_destroy(&feed->look);
        pthread_mutex_destroy(&feed->lock);
        pthread_mutex_destroy(&feed->reading);
        free(feed);
}

static void close_stream(service_stream *base)
{
        feed_stream *s = (feed_stream *)base;
        service_feed *feed = s->feed;

        pthread_mutex_lock(&feed->lock);
        s->closed = s->ended = true;
        s->asleep = false;
        if (!s->busy)
                free_stream(s);
        leave(feed);
}

pawl_status service_feed_stream(service_stream **out, service_feed *feed,
        const service_feed_filter *filter, uint64_t since, pawl_error *err)
{
        feed_stream *s = calloc(1, sizeof *s + filter->type.len + filter->run_id.len);
        pawl_status status = PAWL_OK;

        if (!s)
                return pawl__nomem(err);
        char *texts = (char *)(s + 1);
        s->filter = *filter;
        if (filter->type.data)
                s->filter.type.data = memcpy(texts, filter->type.data, filter->type.len);
        if (filter->run_id.data)
                s->filter.run_id.data =
                        memcpy(texts + filter->type.len, filter->run_id.data, filter->run_id.len);
        s->base = (service_stream){start_stream, read_stream, close_stream};
        s->feed = feed;
        s->next = since + 1;
        s->sent_ms = service_now_ms();
        pawl__buf_adds(&s->note, "retry: 2000\n\n");
        pthread_mutex_lock(&feed->lock);
        s->after = feed->streams;
        if (s->after)
                s->after->before = s;
        feed->streams = s;
        feed->users++;
        if (feed->stopping)
                status = pawl__fail(err, PAWL_ESTATE, "events: the service is stopping; ask again");
        else if ((status = feed->broken.status) && err)
                *err = feed->broken;
        if (status)
                free_stream(s);
        else
                poke(feed);
        pthread_mutex_unlock(&feed->lock);
        *out = status ? NULL : &s->base;
        return status;
}

pawl_status service_feed_open(service_feed **out, service_site *site, pawl_error *err)
{
        service_feed *feed = calloc(1, sizeof *feed);

        if (!feed)
                return pawl__nomem(err);
        pthread_mutex_init(&feed->lock, NULL);
        pthread_mutex_init(&feed->reading, NULL);
        service_cond_init(&feed->look);
        service_worker_init(&feed->worker, site);
        pawl_status status = service_worker_keep(&feed->worker, err);
        if (!status)
                status = service_thread_start(&feed->thread, follow, feed, err);
        pthread_mutex_lock(&feed->lock);
        feed->users = status ? 0 : 1;
        *out = status ? NULL : feed;
        leave(feed);
        return status;
}

void service_feed_stop(service_feed *feed)
{
        if (!feed)
                return;
        service_worker_interrupt(&feed->worker);
        pthread_mutex_lock(&feed->lock);
        feed->stopping = true;
        pthread_cond_signal(&feed->look);
        pthread_mutex_unlock(&feed->lock);
        pthread_join(feed->thread, NULL);
        pthread_mutex_lock(&feed->lock);
        for (feed_stream *s = feed->streams; s; s = s->after)
                end(s, NULL);
        feed->users--;
        leave(feed);
}

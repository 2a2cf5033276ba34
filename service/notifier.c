#include "service/notifier.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "events/log.h"
#include "mission/notify.h"
#include "service/worker.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
        LOOK_EVERY_MS = 1000,
        RETRY_MS = 1000, /* after a failure; doubled each time, */
        RETRY_MOST_MS = 60000,
        SCAN = 1024,      /* events that are read at once */
        KEEP_EVERY = 4096 /* events without news, after which the place is kept all the same */
};

struct service_notifier {
        pthread_t thread;
        service_worker worker;
        pthread_mutex_t lock;
        pthread_cond_t wake;
        bool stopping;
        char *argv[4];
        char *directory;
        uint64_t told, kept; /* how far it is, and what the file says; UINT64_MAX: not known */
        unsigned wait_ms;    /* after the last failure; 0: it did not fail */
};

static bool stops(void *user)
{
        service_notifier *n = user;

        pthread_mutex_lock(&n->lock);
        const bool stopping = n->stopping;
        pthread_mutex_unlock(&n->lock);
        return stopping;
}

/* ---- How far it has told --------------------------------------------------------------------- */

static pawl_status read_place(service_notifier *n, pawl_error *err)
{
        const char *path = n->worker.site->options->notify_file;
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;
        char *end;
        const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        const int error = fd < 0 ? errno : pawl__read_all(&text, fd, 64);

        if (fd >= 0)
                close(fd);
        if (error && error != ENOENT)
                status = pawl__fail_errno(err, error, path, "read how far was told");
        if (!error) {
                errno = 0;
                n->told = strtoull(text.data ? text.data : "", &end, 10);
                if (!text.len || errno || *end != '\n')
                        status = pawl__fail(err, PAWL_EPARSE,
                                "%.300s: does not say how far was told; remove it, and what happened "
                                "before that is not told of",
                                path);
                n->kept = n->told;
        }
        pawl__buf_free(&text);
        return status;
}

static pawl_status keep_place(service_notifier *n, pawl_error *err)
{
        const char *path = n->worker.site->options->notify_file;
        char text[32];

        if (n->kept == n->told)
                return PAWL_OK;
        snprintf(text, sizeof text, "%" PRIu64 "\n", n->told);
        const int error = pawl__replace_file(path, text, strlen(text), 0600);
        if (error)
                return pawl__fail_errno(err, error, path, "keep how far was told");
        n->kept = n->told;
        return PAWL_OK;
}

/* ---- What is told ---------------------------------------------------------------------------- */

/* The block that a session ended with: the run's newest before that. 0: there is none. */
static pawl_status find_block(uint64_t *seq, pawl_log *log, pawl_text run_id, uint64_t before)
{
        for (uint64_t reach = 64; !*seq; reach *= 8) {
                const uint64_t from = before > reach ? before - reach : 0;
                pawl_cursor *cursor = NULL;
                pawl_event event;
                pawl_status status = pawl__cursor_open(&cursor, log, from, before - from);
                while (!status && (status = pawl_cursor_next(cursor, &event)) == PAWL_OK)
                        if (pawl__event_type_of(event.type) == PAWL__GENERATION_BLOCKED &&
                                pawl__text_eq(event.run_id, run_id))
                                *seq = event.seq;
                pawl_cursor_close(cursor);
                if (status != PAWL_DONE)
                        return status;
                if (!from)
                        break;
        }
        return PAWL_OK;
}

static bool ended_blocked(const pawl_event *event)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        const bool blocked =
                event->run_id.data && event->payload.data &&
                !pawl__json_tree_read(&tree, event->payload.data, event->payload.len, NULL) &&
                pawl__text_is(pawl__json_get_text(&tree, 0, "reason"), "blocked");

        pawl__json_tree_free(&tree);
        return blocked;
}

static pawl_status tell_of(service_notifier *n, const pawl_event *event, pawl_error *err)
{
        pawl_log *log = n->worker.log;
        const pawl__notify_command teller = {
                .log = log, .argv = n->argv, .directory = n->directory, .stops = stops, .user = n};
        const pawl__event_type type = pawl__event_type_of(event->type);
        uint64_t seq = 0;
        pawl_status status = PAWL_OK;

        if (type == PAWL__RUN_COMPLETED || type == PAWL__RUN_FAILED)
                seq = event->seq;
        else if (type == PAWL__SESSION_ENDED && ended_blocked(event))
                status = find_block(&seq, log, event->run_id, event->seq);
        if (status)
                return pawl__log_failed(log, status, err);
        if (seq)
                status = pawl__notify_run(&teller, seq, err);
        if (!status)
                n->told = event->seq;
        return !status && (seq || n->told - n->kept >= KEEP_EVERY) ? keep_place(n, err) : status;
}

/* What is new in the log. */
static pawl_status look(service_notifier *n, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        uint64_t head = 0;
        pawl_status status = service_worker_ready(&n->worker, err);

        if (status)
                return status;
        pawl_log *log = n->worker.log;
        status = pawl_log_head(&head, hash, log);
        if (status)
                return pawl__log_failed(log, status, err);
        if (n->told > head) /* the first time, or it is another log */
                n->told = head;
        while (!status && n->told < head && !stops(n)) {
                pawl_cursor *cursor = NULL;
                pawl_event event;
                status = pawl__cursor_open(&cursor, log, n->told, SCAN);
                if (status)
                        return pawl__log_failed(log, status, err);
                while (!status && !stops(n) &&
                        (status = pawl_cursor_next(cursor, &event)) == PAWL_OK)
                        status = tell_of(n, &event, err);
                pawl_cursor_close(cursor);
                status = status == PAWL_DONE ? PAWL_OK : status;
        }
        return status ? status : n->kept == UINT64_MAX ? keep_place(n, err) : PAWL_OK;
}

/* ---- The thread ------------------------------------------------------------------------------ */

static void *follow(void *user)
{
        service_notifier *n = user;
        const service_options *options = n->worker.site->options;
        pawl_error err = PAWL_ERROR_INIT;

        pthread_mutex_lock(&n->lock);
        while (!n->stopping) {
                pthread_mutex_unlock(&n->lock);
                const pawl_status status = look(n, &err);
                pthread_mutex_lock(&n->lock);
                if (status && !n->stopping && options->warn)
                        options->warn(err.message);
                n->wait_ms = !status                          ? 0
                             : !n->wait_ms                    ? RETRY_MS
                             : 2 * n->wait_ms < RETRY_MOST_MS ? 2 * n->wait_ms
                                                              : RETRY_MOST_MS;
                const struct timespec until =
                        service_in_ms(n->wait_ms ? n->wait_ms : (unsigned)LOOK_EVERY_MS);
                while (!n->stopping && !pthread_cond_timedwait(&n->wake, &n->lock, &until))
                        ;
        }
        pthread_mutex_unlock(&n->lock);
        if (n->told != UINT64_MAX && keep_place(n, &err) && options->warn)
                options->warn(err.message);
        return NULL;
}

static void free_notifier(service_notifier *n)
{
        service_worker_free(&n->worker);
        pthread_cond_destroy(&n->wake);
        pthread_mutex_destroy(&n->lock);
        free(n->directory);
        free(n->argv[2]);
        free(n);
}

pawl_status service_notifier_start(service_notifier **out, service_site *site, pawl_error *err)
{
        static char shell[] = "/bin/sh", command[] = "-c";
        service_notifier *n;

        *out = NULL;
        if (!site->options->notify)
                return PAWL_OK;
        n = calloc(1, sizeof *n);
        if (!n)
                return pawl__nomem(err);
        pthread_mutex_init(&n->lock, NULL);
        service_cond_init(&n->wake);
        service_worker_init(&n->worker, site);
        n->told = n->kept = UINT64_MAX;
        n->argv[0] = shell;
        n->argv[1] = command;
        n->argv[2] = strdup(site->options->notify);
        n->directory = getcwd(NULL, 0);
        pawl_status status = n->argv[2] && n->directory ? read_place(n, err) : pawl__nomem(err);
        if (!status)
                status = service_thread_start(&n->thread, follow, n, err);
        if (status)
                free_notifier(n);
        else
                *out = n;
        return status;
}

void service_notifier_stop(service_notifier *n)
{
        if (!n)
                return;
        pthread_mutex_lock(&n->lock);
        n->stopping = true;
        pthread_cond_signal(&n->wake);
        pthread_mutex_unlock(&n->lock);
        service_worker_interrupt(&n->worker);
        pthread_join(n->thread, NULL);
        free_notifier(n);
}

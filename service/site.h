/**
 * @file service/site.h
 * @brief What all requests of one service share: its options, secrets, counts and health.
 */
#pragma once

#include "command/registry.h"
#include "service/host.h"
#include "service/route.h"
#include "service/token.h"
#include <pthread.h>
#include <stdatomic.h>

/** The options of a service. Texts and arrays are the caller's, and outlive the service. */
typedef struct service_options {
        const char *log_path;  /**< what opens it: a URL may have a password */
        const char *log_shown; /**< what people are shown; NULL: log_path */
        const char *
                workspace; /**< the root directory; NULL: none, and commands that need one refuse */
        const char *actor; /**< of requests that name none: "user:ana" */
        const cli_registry *registry; /**< the commands that it may offer */
        const char *address;          /**< that it listens at */
        uint16_t port;                /**< 0: any that is free */
        const char *const *hosts;     /**< other names that Host may have */
        size_t n_hosts;
        const char *token_file;
        const char
                *key_file; /**< where the key of the log's chain is; NULL: the environment says */
        const char *tls_cert, *tls_key; /**< PEM, ended by a NUL; NULL: no TLS */
        const void *key;                /**< of the log's chain; NULL: none */
        size_t key_len;
        unsigned threads;     /**< workers; 0: four */
        unsigned request_ms;  /**< for a whole request from its first byte; 0: 15,000 */
        unsigned answer_ms;   /**< for an answer to be received; 0: 300,000; not of a stream */
        unsigned idle_s;      /**< without a byte either way; 0: 60 */
        unsigned grace_ms;    /**< for what runs when it is stopped; 0: 5,000 */
        unsigned connections; /**< at most; 0: 2,048 */
        unsigned streams;     /**< at most; 0: 1,024 */
        const service_route *const *tables; /**< ended by NULL; NULL: service_route_tables */
        const char *home;        /**< the home directory of the owner of the service, or NULL */
        const char *config_home; /**< see cli_context */
        const char *notify;      /**< told what becomes of runs, by sh -c; NULL: nobody is */
        const char *notify_file; /**< where it stands how far */
        void (*warn)(const char *line);  /**< what fails beside any request; from any thread, and
                                            NULL  where nobody is told */
        const char *mcp_tools;           /**< which tools /mcp lists: mcp/tools.h; NULL: core */
        const struct mcp_more *mcp_more; /**< methods beside those of mcp/server.h; NULL: none */
        bool read_only;
} service_options;

#define SERVICE_THREADS     4
#define SERVICE_THREADS_MAX 64
#define SERVICE_STREAMS_MAX 1024
#define SERVICE_LIMIT_MAX   100000 /* the highest that connections and streams are set to */

/*
 * Whether the log can be read and written, as far as is known. The thread of the feed reads the
 * log's head once a second: where the disk hangs, only that thread hangs, and GET /healthz says
 * since when. Whether writing works is known from the last command that wrote: the service does not
 * write for a test.
 */
#define SERVICE_PULSE_MS 1000
#define SERVICE_HANGS_MS 10000 /* a read that takes longer hangs */
#define SERVICE_AWAY_MS  3000  /* the same of one that asks a server */

typedef struct service_health {
        pthread_mutex_t lock;
        pawl_error reading, writing; /**< why the last one failed; PAWL_OK: it did not */
        int64_t begun_ms;            /**< when the present read began; 0: none */
        bool on_server;              /**< the log is on one */
} service_health;

/** A read of the log begins; 0: it ended. What it found: @p err says why it failed; NULL: it did
 * not.
 */
void service_health_begin(service_health *health, int64_t now_ms);
void service_health_read(service_health *health, const pawl_error *err);
/** A command that changes something ended. Failures of the request itself are ignored. */
void service_health_wrote(service_health *health, const pawl_error *err);

/** Is the log healthy? Else @p why is the reason, in one line. */
bool service_health_ok(service_health *health, int64_t now_ms, pawl_error *why);
/** Is the log's server there, as far as the last read knows? Else @p why. True of a log in a file.
 */
bool service_health_reached(service_health *health, int64_t now_ms, pawl_error *why);

/* What is counted, and its text for Prometheus (exposition format 0.0.4). Counting is allowed from
 * any thread, and never waits. */
typedef struct service_metrics service_metrics;

/** Gauges, and counters that belong to no route. */
typedef struct service_gauges {
        atomic_long connections, streams, busy, queued;
        atomic_size_t body_bytes; /**< of requests that are queued or running */
        atomic_ullong unauthorized, timeouts;
} service_gauges;

/** @param tables  the routes, each of which is counted separately. */
PAWL_MUST_CHECK pawl_status service_metrics_new(
        service_metrics **out, const service_route *const *tables, pawl_error *err);
void service_metrics_free(service_metrics *metrics);

/** One request was answered. @p route NULL: there was none for it. */
void service_metrics_count(
        service_metrics *metrics, const service_route *route, unsigned status, uint64_t us);

/** Append the lines of what was counted. */
void service_metrics_write(pawl__buf *out, const service_site *site);

/** One gauge: its help, type and value, each on a line. */
void service_metrics_gauge(pawl__buf *out, const char *name, const char *help, uint64_t value);

/** Of what looks after the log, and feeds the streams: service/feed.h. */
typedef struct service_feed service_feed;

struct service_site {
        const service_options *options;
        service_token program_token, page_token;
        const service_route *const *tables;
        service_hosts hosts;
        service_metrics *metrics;
        service_gauges gauges;
        service_health health;
        service_feed *feed;                    /**< NULL: none runs */
        struct service_notifier *notifier;     /**< NULL: nobody is told */
        struct service_long_calls *long_calls; /**< service/long_call.h */
        struct mcp_pages *pages;               /**< of long results: mcp/pages.h */
        pawl__buf document;                    /**< service/api_document.c; empty: not made yet */
};

/** Make it ready: the token file is read or made. service_site_close() also after a failure. */
PAWL_MUST_CHECK pawl_status service_site_open(
        service_site *site, const service_options *options, pawl_error *err);
void service_site_close(service_site *site);

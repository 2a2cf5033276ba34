#include "service/exchange.h"
#include "base/error.h"
#include "base/sources.h"
#include "service/server.h"
#include "service/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Bytes that are read of a refused body before the answer, so that the client sees the answer. */
#define DRAIN_MAX (4U << 20)

#define STREAM_BLOCK 4096 /* bytes, at most, of one read */

typedef enum phase {
        HEADERS,  /* the first line has been read */
        BODY,     /* it was admitted */
        REFUSED,  /* the answer is ready; the body is read and dropped */
        WORKING,  /* the connection sleeps, or was just woken with the answer */
        ANSWERED, /* the library has the answer */
} phase;

typedef struct exchange {
        service_job job;
        service_parts *parts;
        struct MHD_Connection *connection;
        service_connection *client;
        service_request request;
        service_call call;
        service_answer answer;
        phase phase;
        bool place;  /* it is counted as a stream */
        size_t held; /* bytes of its body that are counted */
        size_t drained;
        int64_t begun_us;
        pawl_error err; /* of its first line */
} exchange;

static service_connection *client_of(service_parts *parts, struct MHD_Connection *connection)
{
        const union MHD_ConnectionInfo *info =
                parts->mhd->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

        return info ? info->socket_context : NULL;
}

void service_exchange_connection(void *user, struct MHD_Connection *connection, void **client,
        enum MHD_ConnectionNotificationCode what)
{
        service_parts *parts = user;

        if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
                service_connection_close(*client);
                *client = NULL;
                return;
        }
        const union MHD_ConnectionInfo *info =
                parts->mhd->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *client = info ? service_connection_open(parts->connections, info->connect_fd) : NULL;
}

void *service_exchange_begin(void *user, const char *target, struct MHD_Connection *connection)
{
        service_parts *parts = user;
        exchange *of = calloc(1, sizeof *of);

        if (!of)
                return NULL;
        of->parts = parts;
        of->connection = connection;
        of->client = client_of(parts, connection);
        of->begun_us = pawl__monotonic_us();
        service_connection_set(of->client, SERVICE_READING);
        /* the method comes later */
        if (service_request_target(&of->request, pawl__text(""), pawl__text(target), &of->err))
                service_answer_fail(&of->answer, &of->err);
        return of;
}

/* Free the request; the bytes of its body are not counted any more. */
static void forget_request(exchange *of)
{
        atomic_fetch_sub(&of->parts->site->gauges.body_bytes, of->held);
        of->held = 0;
        service_request_free(&of->request);
}

void service_exchange_end(void *user, struct MHD_Connection *connection, void **place,
        enum MHD_RequestTerminationCode why)
{
        exchange *of = *place;

        (void)user;
        (void)connection;
        (void)why;
        if (!of)
                return;
        *place = NULL;
        service_connection_set(of->client, SERVICE_KEEPALIVE);
        forget_request(of);
        service_answer_free(&of->answer);
        atomic_fetch_sub(&of->parts->site->gauges.streams, of->place);
        free(of);
}

/* What is known of the headers so far. */
typedef struct gathering {
        exchange *of;
        size_t bytes;
        uint64_t length; /* of the body, by Content-Length; UINT64_MAX: without one */
        bool chunked, sized;
        bool unclear; /* where the request ends: a proxy may have read it differently */
        pawl_status status;
} gathering;

static bool holds_space(const char *name, size_t len)
{
        for (size_t i = 0; i < len; i++)
                if ((unsigned char)name[i] <= ' ')
                        return true;
        return false;
}

/*
 * The library appends a folded line to the header's name, and ends a value at its first NUL; the
 * rest of the line follows in its buffer. After a whole line a NUL or a line feed follows there.
 */
static const char *folded_or_cut(const char *name, size_t len, pawl_text value)
{
        static const char *const framing[] = {"Transfer-Encoding", "Content-Length"};
        const char *known = service_header_prefix(name);

        for (size_t i = 0; i < 2 && !known; i++)
                if (strncasecmp(name, framing[i], strlen(framing[i])) == 0)
                        known = framing[i];
        if (!known)
                return NULL;
        if (strlen(known) != len)
                return "a line is folded, or a name goes on after that of another header; send each header "
                       "in one line";
        if (value.len && value.data[value.len + 1] && value.data[value.len + 1] != '\n')
                return "a value holds a NUL, or its line has no CR at its end; leave the NUL out";
        return NULL;
}

/* The end of the request: by one length, or by chunks, and nothing else. */
static pawl_status take_framing(gathering *all, const char *name, size_t len, pawl_text value)
{
        const char *wrong = folded_or_cut(name, len, value);

        if (wrong) {
                /* refused */
        } else if (holds_space(name, len)) {
                wrong = "a name holds white space; leave it out";
        } else if (strcasecmp(name, "Transfer-Encoding") == 0) {
                if (all->chunked || value.len != 7 || strncasecmp(value.data, "chunked", 7) != 0)
                        wrong = "Transfer-Encoding is not chunked, once; send it so";
                all->chunked = true;
        } else if (strcasecmp(name, "Content-Length") == 0) {
                if (all->sized)
                        wrong = "Content-Length is given twice; give it once";
                all->sized = true;
                all->length = strtoull(value.data, NULL, 10);
        }
        if (!wrong && all->chunked && all->sized)
                wrong = "give the body a length and chunks; leave one of them out";
        if (!wrong)
                return PAWL_OK;
        all->unclear = true;
        return pawl__fail(&all->of->err, PAWL_EINVAL, "the headers: %s", wrong);
}

static enum MHD_Result gather(void *user, enum MHD_ValueKind kind, const char *name,
        size_t name_len, const char *value, size_t value_len)
{
        gathering *all = user;
        const pawl_text text = {value ? value : "", value ? value_len : 0};

        (void)kind;
        all->bytes += name_len + text.len + 4;
        if (all->bytes > SERVICE_HEADERS_BYTES) {
                all->status = pawl__fail(&all->of->err, PAWL_ETOOBIG,
                        "the headers: are longer than %d bytes; send fewer", SERVICE_HEADERS_BYTES);
                return MHD_NO;
        }
        all->status = take_framing(all, name, name_len, text);
        if (!all->status)
                all->status = service_request_header(&all->of->request, name, text, &all->of->err);
        return all->status ? MHD_NO : MHD_YES;
}

static void sleep_on(void *user, bool asleep)
{
        const exchange *of = user;

        if (asleep)
                of->parts->mhd->MHD_suspend_connection(of->connection);
        else
                of->parts->mhd->MHD_resume_connection(of->connection);
}

static ssize_t read_stream(void *user, uint64_t at, char *out, size_t max)
{
        const ssize_t n = service_stream_read(user, out, max);

        (void)at;
        return n == SERVICE_STREAM_END   ? MHD_CONTENT_READER_END_OF_STREAM
               : n == SERVICE_STREAM_CUT ? MHD_CONTENT_READER_END_WITH_ERROR
                                         : n;
}

/* The response of an answer, whose body stays where it is until the exchange ends. NULL: no memory.
 */
static struct MHD_Response *respond(exchange *of)
{
        const service_mhd *mhd = of->parts->mhd;

        if (of->answer.stream) {
                if (!of->place) /* of a call that goes on, which has a limit of its own */
                        atomic_fetch_add(&of->parts->site->gauges.streams, 1);
                of->place = true;
                service_stream_start(of->answer.stream, sleep_on, of);
                return mhd->MHD_create_response_from_callback(
                        MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, of->answer.stream, NULL);
        }
        const pawl_text bytes = service_answer_bytes(&of->answer);
        /* the library does not write to it */
        return mhd->MHD_create_response_from_buffer(
                bytes.len, (void *)(uintptr_t)bytes.data, MHD_RESPMEM_PERSISTENT);
}

static bool add_headers(const service_mhd *mhd, struct MHD_Response *response,
        const service_fixed_header *headers, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (headers[i].value && mhd->MHD_add_response_header(response, headers[i].name,
                                                headers[i].value) != MHD_YES)
                        return false;
        return true;
}

/* Hand the answer to the library. MHD_NO: no memory, and the connection is closed. */
static enum MHD_Result send_answer(exchange *of)
{
        const service_mhd *mhd = of->parts->mhd;
        const service_answer *answer = &of->answer;
        const bool close = answer->close || atomic_load(&of->parts->stopping);
        const unsigned status = answer->status;
        enum MHD_Result result = MHD_NO;
        char seconds[16];

        snprintf(seconds, sizeof seconds, "%u", answer->retry_after_s);
        const service_fixed_header own[] = {
                {"Content-Type", answer->content_type},
                {"Cache-Control", answer->cache ? answer->cache : "no-store"},
                {"ETag", answer->etag},
                {"Mcp-Session-Id", *answer->session ? answer->session : NULL},
                {"Link", answer->link.len ? answer->link.data : NULL},
                {"Allow", *answer->allow ? answer->allow : NULL},
                {"Retry-After", answer->retry_after_s ? seconds : NULL},
                {"WWW-Authenticate", answer->challenge ? "Bearer realm=\"pawl\"" : NULL},
                {"Connection", close ? "close" : NULL},
        };
        struct MHD_Response *response = respond(of);
        if (!response)
                return MHD_NO;
        if (add_headers(mhd, response, own, sizeof own / sizeof own[0]) &&
                add_headers(mhd, response, service_fixed_headers, SERVICE_FIXED_HEADERS)) {
                service_connection_set(
                        of->client, answer->stream ? SERVICE_STREAMING : SERVICE_ANSWERING);
                result = mhd->MHD_queue_response(of->connection, status, response);
        }
        mhd->MHD_destroy_response(response);
        of->phase = ANSWERED;
        service_metrics_count(of->parts->site->metrics, of->call.route, status,
                (uint64_t)(pawl__monotonic_us() - of->begun_us));
        forget_request(of);
        return result;
}

/* The headers have been read: is the request admitted? */
static enum MHD_Result take_headers(exchange *of, const char *method)
{
        gathering all = {.of = of, .length = UINT64_MAX};
        bool ok = true;

        of->request.method = pawl__arena_text(&of->request.arena, pawl__text(method), &ok);
        if (!ok)
                return MHD_NO;
        of->parts->mhd->MHD_get_connection_values_n(of->connection, MHD_HEADER_KIND, gather, &all);
        of->phase = REFUSED;
        if (of->answer.status || all.status) {
                if (!of->answer.status) /* its first line was not refused */
                        service_answer_error(&of->answer,
                                all.status == PAWL_ETOOBIG ? 431 : service_http_status(all.status),
                                &of->err);
                of->answer.close = true;
        } else if (service_admit(&of->answer, &of->call, of->parts->site, &of->request)) {
                of->phase = BODY;
                if (!(of->call.route->traits & SERVICE_OPEN))
                        service_connection_known(of->client);
                if (of->call.route->traits & SERVICE_LARGE)
                        of->request.body_max = SERVICE_LARGE_MAX;
                if (all.sized && all.length > service_request_body_max(&of->request)) {
                        of->phase = REFUSED;
                        service_answer_refuse(&of->answer, 413, PAWL_ETOOBIG,
                                "the body: is larger than %zu bytes; send less at once",
                                service_request_body_max(&of->request));
                }
        }
        /* a body that is long, or whose end is unclear, is not read; the connection ends with the
         * answer */
        if (of->phase == REFUSED && (all.unclear || (all.sized && all.length > DRAIN_MAX)))
                return send_answer(of);
        return MHD_YES;
}

static enum MHD_Result take_body(exchange *of, const char *data, size_t *len)
{
        const size_t n = *len;

        *len = 0;
        if (of->phase == REFUSED) {
                of->drained += n;
                return of->drained > DRAIN_MAX ? MHD_NO : MHD_YES;
        }
        of->held += n;
        if (atomic_fetch_add(&of->parts->site->gauges.body_bytes, n) + n > SERVICE_BODIES_BYTES)
                service_answer_refuse(&of->answer, 503, PAWL_EBUSY,
                        "the body: the service holds as much as it can; try again soon");
        else if (service_request_body(&of->request, data, n, &of->err))
                service_answer_fail(&of->answer, &of->err);
        if (of->answer.status) {
                of->answer.close = true;
                of->phase = REFUSED;
        }
        return MHD_YES;
}

/* In a worker's thread. */
static void run(service_job *job, service_worker *worker)
{
        exchange *of = (exchange *)job;

        service_run(&of->answer, &of->call, worker);
        of->parts->mhd->MHD_resume_connection(of->connection);
}

/* The request is complete. */
static enum MHD_Result take_end(exchange *of)
{
        service_parts *parts = of->parts;
        atomic_long *streams = &parts->site->gauges.streams;
        const unsigned given = parts->site->options->streams;
        const long most = given ? given : SERVICE_STREAMS_MAX;

        of->begun_us = pawl__monotonic_us();
        if (!service_connection_set(of->client, SERVICE_HANDLING))
                return MHD_NO;
        if (of->phase == REFUSED)
                return send_answer(of);
        of->phase = WORKING;
        of->place = of->call.route->traits & SERVICE_STREAM;
        if (atomic_fetch_add(streams, of->place) >= most && of->place) {
                service_answer_refuse(&of->answer, 503, PAWL_EBUSY,
                        "the stream: there are %ld already; close one, or try again", most);
        } else if (atomic_load(&parts->stopping)) {
                service_answer_refuse(&of->answer, 503, PAWL_EBUSY,
                        "the service: is being stopped; ask again when it is back");
        } else if (of->call.route->traits & SERVICE_NO_LOG) {
                service_run(&of->answer, &of->call, NULL);
        } else if (!service_pool_reserve(parts->pool)) {
                service_answer_refuse(&of->answer, 503, PAWL_EBUSY,
                        "the service: has as many requests as it can hold; try again soon");
        } else {
                of->job.run = run;
                of->job.changes = service_route_posts(of->call.route);
                parts->mhd->MHD_suspend_connection(of->connection);
                service_pool_put(parts->pool, &of->job);
                return MHD_YES;
        }
        return send_answer(of);
}

enum MHD_Result service_exchange_go_on(void *user, struct MHD_Connection *connection,
        const char *url, const char *method, const char *version, const char *data, size_t *len,
        void **place)
{
        exchange *of = *place;

        (void)user;
        (void)connection;
        (void)url;
        (void)version;
        if (!of)
                return MHD_NO;
        switch (of->phase) {
        case HEADERS:
                return take_headers(of, method);
        case BODY:
        case REFUSED:
                return *len ? take_body(of, data, len) : take_end(of);
        case WORKING:
                return send_answer(of);
        case ANSWERED:
                break;
        }
        return MHD_YES;
}

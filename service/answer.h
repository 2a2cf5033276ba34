/**
 * @file service/answer.h
 * @brief What the service answers: a status, a few headers, and a body or a stream.
 */
#pragma once

#include "base/json_write.h"
#include "base/text.h"
#include <sys/types.h>

#define SERVICE_JSON "application/json"

typedef struct service_stream service_stream;

/** A body without an end: the server reads it as fast as the client receives it. The beginning of
 *  what makes one. */
struct service_stream {
        void (*start)(service_stream *stream, void (*sleep)(void *user, bool asleep), void *user);
        ssize_t (*read)(service_stream *stream, char *out, size_t max);
        void (*close)(service_stream *stream);
};

/** Before the first read: @p sleep is called with true when a read has nothing, and then with false
 *  when there is more. It is called under the stream's lock, and must not wait. */
static inline void service_stream_start(
        service_stream *stream, void (*sleep)(void *user, bool asleep), void *user)
{
        stream->start(stream, sleep, user);
}

/** What a read returns at the end, and where the stream had to stop before it: then the client is
 *  to see that something is missing. */
enum { SERVICE_STREAM_END = -1, SERVICE_STREAM_CUT = -2 };

/** At most @p max bytes; 0: nothing yet. Never waits for the disk. */
static inline ssize_t service_stream_read(service_stream *stream, char *out, size_t max)
{
        return stream->read(stream, out, max);
}

/** NULL is allowed. */
static inline void service_stream_close(service_stream *stream)
{
        if (stream)
                stream->close(stream);
}

/** An answer. Zero-initialised is none; a route fills it by the functions below. */
typedef struct service_answer {
        unsigned status;          /**< of HTTP; 0: none yet */
        const char *content_type; /**< static */
        pawl__buf body;
        const void *fixed; /**< where not NULL: the body, static, in place of it */
        size_t fixed_len;
        service_stream *stream; /**< where not NULL: the body, in place of both */
        const char *cache;      /**< Cache-Control, static; NULL: "no-store" */
        const char *etag;       /**< static; NULL: none */
        char allow[64];         /**< with 405: the methods that there are */
        char session[160];      /**< Mcp-Session-Id; empty: none */
        pawl__buf link;         /**< Link: of a page, the next one; empty: none */
        unsigned retry_after_s; /**< 0: not said */
        bool challenge;         /**< 401: WWW-Authenticate */
        bool close;             /**< the connection ends with it */
        pawl_status failure;    /**< what failed, or PAWL_OK; for the metrics and /healthz */
} service_answer;

/** Take over what @p w holds (one whole value) as a JSON body. The writer is ended and freed. A
 *  writer that ran out of memory makes it a 500. */
void service_answer_json(service_answer *answer, unsigned status, pawl__json_writer *w);
/** The same with a body that is JSON text already, or another type. Takes over the buffer. */
void service_answer_body(
        service_answer *answer, unsigned status, const char *content_type, pawl__buf *body);
/** A body that stays where it is. */
void service_answer_fixed(service_answer *answer, unsigned status, const char *content_type,
        const void *data, size_t len);
/** A stream of events: 200. The answer closes it. */
void service_answer_stream(service_answer *answer, service_stream *stream);

/** {"status","code","message"}: the code is the status of HTTP, or of a command that ran its exit
 *  code. */
void service_error_object(pawl__json_writer *w, const pawl_error *err, int code);
/** {"error":{"status","code","message"}} with this status of HTTP. The previous answer is freed. */
void service_answer_error(service_answer *answer, unsigned status, const pawl_error *err);
/** The same with the status of HTTP that @p err->status has: service_http_status(). */
void service_answer_fail(service_answer *answer, const pawl_error *err);
/** The same, with the JSON that a command printed before it failed, as `output`; empty: none. */
void service_answer_fail_with(service_answer *answer, const pawl_error *err, pawl_text output);
/** The same, in one line: WHERE: WHAT; HOW TO FIX IT. */
void service_answer_refuse(service_answer *answer, unsigned status, pawl_status failure,
        const char *format, ...) PAWL_PRINTF(4, 5);

/** PAWL_ENOTFOUND 404; PAWL_EINVAL, PAWL_EPARSE 400; PAWL_EHELD, PAWL_EEXISTS, PAWL_ESTATE,
 *  PAWL_EFENCED, PAWL_EINPUTS 409; PAWL_EBUSY, PAWL_EINTERRUPTED 503; PAWL_EFULL 507;
 *  PAWL_EACCESS, PAWL_EREADONLY 403; PAWL_ETOOBIG 413; any other failure 500. */
unsigned service_http_status(pawl_status status);

/** The headers of every answer. */
typedef struct service_fixed_header {
        const char *name, *value;
} service_fixed_header;
#define SERVICE_FIXED_HEADERS 6
extern const service_fixed_header service_fixed_headers[SERVICE_FIXED_HEADERS];

/** Its body's bytes, wherever they are; not of a stream. */
pawl_text service_answer_bytes(const service_answer *answer);
/** Free what it holds; a stream is closed. It is none again. */
void service_answer_free(service_answer *answer);

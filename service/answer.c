#include "service/answer.h"
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>

const service_fixed_header service_fixed_headers[SERVICE_FIXED_HEADERS] = {
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                "require-trusted-types-for 'script'; trusted-types 'none'"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"X-Frame-Options", "DENY"},
};

void service_answer_free(service_answer *answer)
{
        service_stream_close(answer->stream);
        pawl__buf_free(&answer->body);
        pawl__buf_free(&answer->link);
        *answer = (service_answer){.status = 0};
}

/* Replace the answer; the previous one is freed. */
static void begin(service_answer *answer, unsigned status, const char *content_type)
{
        service_answer_free(answer);
        answer->status = status;
        answer->content_type = content_type;
}

void service_answer_body(
        service_answer *answer, unsigned status, const char *content_type, pawl__buf *body)
{
        begin(answer, status, content_type);
        answer->body = *body;
        *body = (pawl__buf)PAWL__BUF_INIT;
}

void service_answer_fixed(service_answer *answer, unsigned status, const char *content_type,
        const void *data, size_t len)
{
        begin(answer, status, content_type);
        answer->fixed = data;
        answer->fixed_len = len;
}

/* The answer that needs no memory. */
static void no_memory(service_answer *answer)
{
        static const char text[] = "{\"error\":{\"status\":\"PAWL_ENOMEM\",\"code\":500,"
                                   "\"message\":\"out of memory\"}}\n";

        service_answer_fixed(answer, 500, SERVICE_JSON, text, sizeof text - 1);
        answer->failure = PAWL_ENOMEM;
}

void service_answer_json(service_answer *answer, unsigned status, pawl__json_writer *w)
{
        if (pawl__json_end_writer(w) || pawl__buf_addc(&w->buf, '\n'))
                no_memory(answer);
        else
                service_answer_body(answer, status, SERVICE_JSON, &w->buf);
        pawl__json_writer_free(w);
}

void service_answer_stream(service_answer *answer, service_stream *stream)
{
        begin(answer, 200, "text/event-stream");
        answer->stream = stream;
}

unsigned service_http_status(pawl_status status)
{
        static const struct {
                pawl_status status;
                unsigned http;
        } known[] = {{PAWL_ENOTFOUND, 404}, {PAWL_EINVAL, 400}, {PAWL_EPARSE, 400},
                {PAWL_EHELD, 409}, {PAWL_EEXISTS, 409}, {PAWL_ESTATE, 409}, {PAWL_EFENCED, 409},
                {PAWL_EINPUTS, 409}, {PAWL_EBUSY, 503}, {PAWL_EINTERRUPTED, 503}, {PAWL_EFULL, 507},
                {PAWL_EACCESS, 403}, {PAWL_EREADONLY, 403}, {PAWL_ETOOBIG, 413}};

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                if (known[i].status == status)
                        return known[i].http;
        return 500;
}

void service_error_object(pawl__json_writer *w, const pawl_error *err, int code)
{
        pawl__json_open_object(w);
        pawl__json_member_string(w, "status", pawl_status_name(err->status));
        pawl__json_member_integer(w, "code", code);
        pawl__json_member_string(
                w, "message", err->message[0] ? err->message : pawl_status_name(err->status));
        pawl__json_close_object(w);
}

/* With what the command printed all the same, which says more; empty: nothing. */
static void answer_error(
        service_answer *answer, unsigned status, const pawl_error *err, pawl_text output)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "error");
        service_error_object(&w, err, (int)status);
        if (output.len)
                pawl__json_member_raw(&w, "output", output);
        pawl__json_close_object(&w);
        service_answer_json(answer, status, &w);
        answer->failure = err->status;
        if (status == 503)
                answer->retry_after_s = 1;
}

void service_answer_error(service_answer *answer, unsigned status, const pawl_error *err)
{
        answer_error(answer, status, err, pawl__text(""));
}

void service_answer_fail(service_answer *answer, const pawl_error *err)
{
        service_answer_error(answer, service_http_status(err->status), err);
}

void service_answer_fail_with(service_answer *answer, const pawl_error *err, pawl_text output)
{
        answer_error(answer, service_http_status(err->status), err, output);
}

void service_answer_refuse(
        service_answer *answer, unsigned status, pawl_status failure, const char *format, ...)
{
        pawl_error err = PAWL_ERROR_INIT;
        char message[PAWL_ERROR_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(message, sizeof message, format, args);
        va_end(args);
        pawl__fail(&err, failure, "%s", message);
        service_answer_error(answer, status, &err);
}

pawl_text service_answer_bytes(const service_answer *answer)
{
        if (answer->fixed)
                return pawl__text_n(answer->fixed, answer->fixed_len);
        return pawl__buf_text(&answer->body);
}

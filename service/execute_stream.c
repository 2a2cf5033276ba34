/*
 * The lines of a command as they are printed: server-sent events, each with a JSON-RPC response
 * whose result is an event of the Agent2Agent protocol, as the clients of agent servers read them.
 * Source: a2a-protocol.org, version 0.3, TaskStatusUpdateEvent and TaskArtifactUpdateEvent; Gemini
 * CLI, packages/a2a-server, handleExecuteCommand.
 */
#include "base/error.h"
#include "events/log.h"
#include "service/execute.h"
#include <stdio.h>
#include <stdlib.h>

/* While it runs. */
typedef struct streaming {
        service_execution *of;
        char id[37];    /* of the task: the run of this command */
        pawl__buf line; /* without its end, so far */
        bool begun;     /* a line was sent */
        pawl_error why; /* the lines ended before the command did; PAWL_OK: they did not */
} streaming;

/* {"jsonrpc","id","result":{"kind","taskId","contextId": the event is open in it */
static void open_event(pawl__json_writer *w, const streaming *s, const char *kind)
{
        pawl__json_open_object(w);
        pawl__json_member_string(w, "jsonrpc", "2.0");
        pawl__json_member_string(w, "id", s->id);
        pawl__json_name(w, "result");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "kind", kind);
        pawl__json_member_string(w, "taskId", s->id);
        pawl__json_member_string(w, "contextId", s->id);
}

/* Ends it, and sends it. False: no memory. */
static bool send_event(pawl__json_writer *w, const streaming *s)
{
        pawl__buf event = PAWL__BUF_INIT;

        pawl__json_close_object(w);
        pawl__json_close_object(w);
        if (!pawl__json_end_writer(w)) {
                pawl__buf_adds(&event, "data: ");
                pawl__buf_add_text(&event, pawl__buf_text(&w->buf));
                pawl__buf_adds(&event, "\n\n");
        }
        const bool sent = event.len && !event.failed;
        if (sent)
                service_long_call_send(&s->of->base, pawl__buf_text(&event));
        pawl__buf_free(&event);
        pawl__json_writer_free(w);
        return sent;
}

/* A part of a message or an artifact: an object as data, all else as text. */
static void write_parts(pawl__json_writer *w, pawl_text line)
{
        const bool data = line.len && *line.data == '{' && service_is_json(line);

        pawl__json_name(w, "parts");
        pawl__json_open_array(w);
        pawl__json_open_object(w);
        pawl__json_member_string(w, "kind", data ? "data" : "text");
        if (data)
                pawl__json_member_raw(w, "data", line);
        else
                pawl__json_member_text(w, "text", line);
        pawl__json_close_object(w);
        pawl__json_close_array(w);
}

/* False: the command need print no more. */
static bool send_line(streaming *s)
{
        const pawl_text line = pawl__buf_text(&s->line);
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (!pawl__utf8_valid(line.data, line.len)) {
                pawl__fail(&s->why, PAWL_EIO,
                        "the output: is no UTF-8; ask for it on the command line");
                return false;
        }
        if (!service_long_call_accepts(&s->of->base))
                return false;
        open_event(&w, s, "artifact-update");
        pawl__json_member_bool(&w, "append", s->begun);
        pawl__json_name(&w, "artifact");
        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "artifactId", "output");
        write_parts(&w, line);
        pawl__json_close_object(&w);
        s->begun = true;
        pawl__buf_clear(&s->line);
        return send_event(&w, s);
}

static ssize_t take_output(void *cookie, const char *data, size_t size)
{
        streaming *s = cookie;
        bool goes_on = !s->why.status;

        for (size_t at = 0; at < size && goes_on;) {
                const char *end = memchr(data + at, '\n', size - at);
                const size_t len = end ? (size_t)(end - data) - at : size - at;
                if (len > SERVICE_OUTPUT_MAX - s->line.len) {
                        pawl__fail(&s->why, PAWL_ETOOBIG,
                                "the output: has a line of more than %d bytes; ask for less",
                                SERVICE_OUTPUT_MAX);
                        goes_on = false;
                        break;
                }
                pawl__buf_add(&s->line, data + at, len);
                goes_on = !s->line.failed && (!end || send_line(s));
                at += len + (end != NULL);
        }
        if (!goes_on) /* the rest is dropped: the command can stop */
                service_worker_cancel(&s->of->base.worker, true);
        return goes_on ? (ssize_t)size : 0;
}

static void send_state(const streaming *s, const char *state, bool final)
{
        const service_execution *of = s->of;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        open_event(&w, s, "status-update");
        pawl__json_name(&w, "status");
        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "state", state);
        if (final && of->failure.status) {
                pawl__json_name(&w, "message");
                pawl__json_open_object(&w);
                pawl__json_member_string(&w, "kind", "message");
                pawl__json_member_string(&w, "role", "agent");
                pawl__json_member_string(&w, "messageId", s->id);
                write_parts(&w, pawl__text(of->failure.message));
                pawl__json_close_object(&w);
        }
        pawl__json_close_object(&w);
        pawl__json_member_bool(&w, "final", final);
        if (final) {
                pawl__json_name(&w, "metadata");
                pawl__json_open_object(&w);
                pawl__json_member_string(&w, "name", of->name);
                pawl__json_member_integer(&w, "exit_code", of->code);
                if (of->failure.status) {
                        pawl__json_name(&w, "error");
                        service_error_object(&w, &of->failure, of->code);
                }
                pawl__json_close_object(&w);
        }
        (void)send_event(&w, s);
}

static void print(streaming *s)
{
        static const cookie_io_functions_t io = {.write = take_output};
        service_execution *of = s->of;

        of->in.out = fopencookie(s, "w", io);
        if (!of->in.out) {
                pawl__nomem(&of->failure);
                return;
        }
        setvbuf(of->in.out, NULL, _IOLBF, BUFSIZ);
        of->code = of->code ? of->code : cli_run(&of->cli);
        fclose(of->in.out);
        if (s->line.len && !s->why.status)
                (void)send_line(s);
        if (s->why.status) {
                of->failure = s->why;
                of->code = CLI_FAILED;
        }
}

static void run(service_long_call *base)
{
        service_execution *of = (service_execution *)base;
        streaming s = {.of = of};
        const pawl_status status = service_worker_ready(&base->worker, &of->failure);

        if (!status) {
                const pawl_sources *sources = pawl__log_sources(base->worker.log);
                sources->uuid(s.id, sources->user);
                send_state(&s, "working", false);
                of->in.log = base->worker.log;
                print(&s);
        }
        if (of->failure.status && !of->code)
                of->code = CLI_FAILED;
        service_execution_note(of);
        send_state(&s, of->failure.status ? "failed" : "completed", true);
        pawl__buf_free(&s.line);
}

static void free_execution(service_long_call *base)
{
        service_execution *of = (service_execution *)base;

        service_execution_free(of);
        free(of);
}

bool service_execution_streams(const service_execution *of)
{
        return (of->cli.cmd->traits & CLI_LINES) && !cli_changes(&of->cli);
}

pawl_status service_execution_stream(
        service_answer *answer, service_execution *of, const service_call *call, pawl_error *err)
{
        of->base.run = run;
        of->base.free = free_execution;
        of->base.goes = of->base.reads = true;
        of->base.beat_ms = SERVICE_GOES_BEAT_MS;
        of->in.actor = pawl__arena_copy(&of->arena, pawl__text(call->actor)).data;
        const pawl_status status = pawl__arena_check(&of->arena, err);
        return status ? status : service_long_call_start(answer, &of->base, call->site, err);
}

/* eventlog trace: a run as OTLP/JSON traces. The run is a span, below it each session, below
 * these each time that a step was at work, and beside them each wait for an answer. Every event of
 * the log is an event of the innermost span that it happened in. Ids are cut from the hashes of the
 * events that begin the spans, so that the same log gives the same bytes. */
#include "base/error.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "command/json.h"
#include "events/types.h"
#include <stdlib.h>

/* The numbers of opentelemetry/proto/trace/v1/trace.proto. */
enum { KIND_INTERNAL = 1 };
typedef enum span_status { UNSET = 0, DONE = 1, FAILED = 2 } span_status;
enum { TRACE_ID_LEN = 16, SPAN_ID_LEN = 8 };

typedef enum span_kind { RUN, SESSION, STEP, ANSWER } span_kind;

/* One that has not ended. */
typedef struct span {
        span_kind kind;
        pawl_text key; /* the id of the session, step or conflict */
        pawl_text session_id;
        unsigned char id[SPAN_ID_LEN], parent[SPAN_ID_LEN];
        int64_t start_us, last_us;
        span_status status;
        pawl_text message;
        pawl__json_writer attributes, events; /* each an array that is open */
} span;

typedef struct trace {
        unsigned char id[TRACE_ID_LEN];
        bool begun;
        span root;  /* the run's */
        span *open; /* the others' */
        size_t n, cap;
        pawl__json_writer out; /* the document, its array of spans open */
        pawl__arena arena;
        pawl__json_tree payload; /* of the current event; without nodes where it was pruned */
} trace;

/* ---- Attributes ------------------------------------------------------------------------------ */

/* One attribute: a text, or an integer, which OTLP has as a string where it may take 64 bits. */
static void attribute(pawl__json_writer *w, const char *name, const char *type, pawl_text value)
{
        if (!value.data)
                return;
        pawl__json_open_object(w);
        pawl__json_member_string(w, "key", name);
        pawl__json_name(w, "value");
        pawl__json_open_object(w);
        pawl__json_member_text(w, type, value);
        pawl__json_close_object(w);
        pawl__json_close_object(w);
}

static void text_attribute(pawl__json_writer *w, const char *name, pawl_text value)
{
        attribute(w, name, "stringValue", value);
}

static pawl_text payload_text(const trace *t, const char *name)
{
        return t->payload.n ? pawl__json_get_text(&t->payload, 0, name) : (pawl_text){NULL, 0};
}

/* What is short of the event's payload: its texts and integers of these names. */
static void payload_attributes(pawl__json_writer *w, const trace *t)
{
        static const char *const names[] = {"attempt", "conflict_id", "cursor", "exit_code",
                "fence", "input_hash", "n", "output_hash", "reason", "retry_at", "retry_token",
                "status", "term"};
        char name[32];

        for (size_t i = 0; i < sizeof names / sizeof names[0] && t->payload.n; i++) {
                const pawl__node at = pawl__json_get(&t->payload, 0, names[i]);
                if (at == PAWL__NO_NODE)
                        continue;
                const pawl__json_node *value = pawl__json_at(&t->payload, at);
                snprintf(name, sizeof name, "pawl.%s", names[i]);
                if (value->type == PAWL__JSON_STRING)
                        text_attribute(w, name, value->value);
                else if (value->type == PAWL__JSON_NUMBER)
                        attribute(w, name, "intValue", value->value);
        }
}

/* ---- Spans ----------------------------------------------------------------------------------- */

/* The one of that kind and key that has not ended; NULL: there is none. */
static span *open_span(const trace *t, span_kind kind, pawl_text key)
{
        for (size_t i = t->n; i-- > 0;)
                if (t->open[i].kind == kind && pawl__text_eq(t->open[i].key, key))
                        return &t->open[i];
        return NULL;
}

static void start(span *s, trace *t, const pawl_event *event, span_kind kind, pawl_text key)
{
        *s = (span){kind, pawl__arena_copy(&t->arena, key),
                pawl__arena_copy(&t->arena, event->session_id), {0}, {0}, event->time_us,
                event->time_us, UNSET, {NULL, 0}, PAWL__JSON_WRITER_INIT, PAWL__JSON_WRITER_INIT};
        memcpy(s->id, event->hash, sizeof s->id);
        pawl__json_open_array(&s->attributes);
        pawl__json_open_array(&s->events);
        text_attribute(&s->attributes, "pawl.actor", event->actor);
}

static pawl_status begin(
        span **out, trace *t, const pawl_event *event, span_kind kind, pawl_text key)
{
        if (pawl__grow(&t->open, &t->cap, t->n + 1, sizeof *t->open))
                return PAWL_ENOMEM;
        const span *parent = kind == STEP ? open_span(t, SESSION, event->session_id) : NULL;
        span *s = &t->open[t->n++];
        start(s, t, event, kind, key);
        memcpy(s->parent, parent ? parent->id : t->root.id, sizeof s->parent);
        *out = s;
        return PAWL_OK;
}

static void time_member(pawl__json_writer *w, const char *name, int64_t time_us)
{
        char ns[32];

        snprintf(ns, sizeof ns, "%lld000", (long long)time_us);
        pawl__json_member_string(w, name, ns);
}

static void id_member(pawl__json_writer *w, const char *name, const unsigned char *id, size_t len)
{
        char hex[2 * TRACE_ID_LEN + 1];

        pawl__hex(hex, id, len);
        pawl__json_member_string(w, name, hex);
}

/* A list that was written apart: its writer is closed and freed. */
static pawl_status list_member(pawl__json_writer *w, const char *name, pawl__json_writer *list)
{
        pawl__json_close_array(list);
        const pawl_status status = pawl__json_end_writer(list);
        if (!status)
                pawl__json_member_raw(w, name, pawl__buf_text(&list->buf));
        pawl__json_writer_free(list);
        return status;
}

/* A clock may have stepped back: a span does not end before it begins. */
static pawl_status end(trace *t, span *s, int64_t end_us)
{
        static const char *const names[] = {"run", "session", "step ", "wait for an answer"};
        static const char *const keys[] = {
                "pawl.run_id", "pawl.session_id", "pawl.step_id", "pawl.conflict_id"};
        pawl__json_writer *w = &t->out;
        pawl__buf name = PAWL__BUF_INIT;

        pawl__buf_adds(&name, names[s->kind]);
        if (s->kind == STEP)
                pawl__buf_add(&name, s->key.data, s->key.len);
        text_attribute(&s->attributes, keys[s->kind], s->key);
        pawl__json_open_object(w);
        id_member(w, "traceId", t->id, sizeof t->id);
        id_member(w, "spanId", s->id, sizeof s->id);
        if (s->kind != RUN)
                id_member(w, "parentSpanId", s->parent, sizeof s->parent);
        pawl__json_member_text(w, "name", pawl__buf_text(&name));
        pawl__json_member_integer(w, "kind", KIND_INTERNAL);
        time_member(w, "startTimeUnixNano", s->start_us);
        time_member(w, "endTimeUnixNano", end_us > s->start_us ? end_us : s->start_us);
        pawl_status status = list_member(w, "attributes", &s->attributes);
        const pawl_status listed = list_member(w, "events", &s->events);
        pawl__json_name(w, "status");
        pawl__json_open_object(w);
        if (s->status != UNSET)
                pawl__json_member_integer(w, "code", s->status);
        if (s->message.data)
                pawl__json_member_text(w, "message", s->message);
        pawl__json_close_object(w);
        pawl__json_close_object(w);
        status = status ? status : listed;
        status = status ? status : pawl__buf_check(&name, NULL);
        pawl__buf_free(&name);
        if (s->kind != RUN) {
                t->n--;
                memmove(s, s + 1, (size_t)(t->open + t->n - s) * sizeof *s);
        }
        return status;
}

static void add_event(span *s, const trace *t, const pawl_event *event)
{
        pawl__json_writer *w = &s->events;
        char seq[24];

        s->last_us = event->time_us;
        snprintf(seq, sizeof seq, "%llu", (unsigned long long)event->seq);
        pawl__json_open_object(w);
        time_member(w, "timeUnixNano", event->time_us);
        pawl__json_member_text(w, "name", event->type);
        pawl__json_name(w, "attributes");
        pawl__json_open_array(w);
        attribute(w, "pawl.seq", "intValue", pawl__text(seq));
        text_attribute(w, "pawl.step_id", event->step_id);
        text_attribute(w, "pawl.actor", event->actor);
        payload_attributes(w, t);
        pawl__json_close_array(w);
        pawl__json_close_object(w);
}

static void judge(span *s, trace *t, span_status status)
{
        s->status = status;
        s->message = status == FAILED ? pawl__arena_copy(&t->arena, payload_text(t, "reason"))
                                      : (pawl_text){NULL, 0};
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* A process that died ended with the last that it wrote, not when somebody found it. */
static pawl_status end_session(trace *t, const pawl_event *event)
{
        const pawl_text as = payload_text(t, "status");
        const pawl__node found =
                t->payload.n ? pawl__json_get(&t->payload, 0, "found") : PAWL__NO_NODE;
        const bool died = found != PAWL__NO_NODE &&
                          pawl__json_at(&t->payload, found)->type == PAWL__JSON_TRUE;
        pawl_status status = PAWL_OK;

        for (size_t i = t->n; i-- > 0 && !status;) {
                span *s = &t->open[i];
                if (s->kind == STEP && pawl__text_eq(s->session_id, event->session_id))
                        status = end(t, s, died ? s->last_us : event->time_us);
        }
        span *session = open_span(t, SESSION, event->session_id);
        if (status || !session)
                return status;
        const int64_t last_us = session->last_us;
        add_event(session, t, event);
        judge(session, t,
                pawl__text_is(as, "completed") ? DONE
                : pawl__text_is(as, "error")   ? FAILED
                                               : UNSET);
        return end(t, session, died ? last_us : event->time_us);
}

static pawl_status put(trace *t, const pawl_event *event)
{
        const pawl__event_type type = pawl__event_type_of(event->type);
        const pawl_text conflict = payload_text(t, "conflict_id");
        pawl_status status = PAWL_OK;
        span *at = NULL;

        if (!t->begun) {
                t->begun = true;
                memcpy(t->id, event->hash, sizeof t->id);
                start(&t->root, t, event, RUN, event->run_id);
                text_attribute(&t->root.attributes, "pawl.mission_id", event->mission_id);
        }
        t->root.last_us = event->time_us;
        switch ((int)type) {
        case PAWL__SESSION_STARTED:
                status = begin(&at, t, event, SESSION, event->session_id);
                break;
        case PAWL__SESSION_ENDED:
                return end_session(t, event);
        case PAWL__STEP_STARTED:
        case PAWL__STEP_RESUMED:
        case PAWL__STEP_COMPLETED:
        case PAWL__STEP_FAILED: /* these two also of a step that never started */
                at = open_span(t, STEP, event->step_id);
                if (!at)
                        status = begin(&at, t, event, STEP, event->step_id);
                break;
        case PAWL__CLARIFICATION_REQUESTED:
                status = begin(&at, t, event, ANSWER, conflict);
                break;
        case PAWL__CLARIFICATION_RESOLVED:
                at = open_span(t, ANSWER, conflict);
                break;
        case PAWL__RUN_CLAIMED:
                judge(&t->root, t, UNSET);
                break;
        case PAWL__RUN_COMPLETED:
                judge(&t->root, t, DONE);
                break;
        case PAWL__RUN_FAILED:
        case PAWL__RUN_CANCELLED:
                judge(&t->root, t, FAILED);
                break;
        default:
                break;
        }
        if (status)
                return status;
        span *session = event->session_id.data ? open_span(t, SESSION, event->session_id) : NULL;
        if (session)
                session->last_us = event->time_us;
        if (!at && event->step_id.data)
                at = open_span(t, STEP, event->step_id);
        at = at ? at : session;
        at = at ? at : &t->root;
        add_event(at, t, event);
        if (at->kind == ANSWER && type == PAWL__CLARIFICATION_RESOLVED) {
                at->status = DONE;
                return end(t, at, event->time_us);
        }
        if (at->kind != STEP || (type != PAWL__STEP_COMPLETED && type != PAWL__STEP_FAILED))
                return PAWL_OK;
        judge(at, t, type == PAWL__STEP_COMPLETED ? DONE : FAILED);
        payload_attributes(&at->attributes, t);
        return end(t, at, event->time_us);
}

static pawl_status put_event(const pawl_event *event, void *user, pawl_error *err)
{
        trace *t = user;
        pawl_status status = PAWL_OK;

        t->payload.n = 0;
        if (event->payload.data)
                status = pawl__json_tree_read(
                        &t->payload, event->payload.data, event->payload.len, err);
        if (!status && put(t, event))
                status = pawl__nomem(err);
        return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static void open_document(pawl__json_writer *w)
{
        pawl__json_open_object(w);
        pawl__json_name(w, "resourceSpans");
        pawl__json_open_array(w);
        pawl__json_open_object(w);
        pawl__json_name(w, "resource");
        pawl__json_open_object(w);
        pawl__json_name(w, "attributes");
        pawl__json_open_array(w);
        text_attribute(w, "service.name", pawl__text("pawl"));
        text_attribute(w, "service.version", pawl__text(pawl_version()));
        pawl__json_close_array(w);
        pawl__json_close_object(w);
        pawl__json_name(w, "scopeSpans");
        pawl__json_open_array(w);
        pawl__json_open_object(w);
        pawl__json_name(w, "scope");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "name", "pawl");
        pawl__json_close_object(w);
        pawl__json_name(w, "spans");
        pawl__json_open_array(w);
}

static void close_document(pawl__json_writer *w)
{
        pawl__json_close_array(w); /* spans */
        pawl__json_close_object(w);
        pawl__json_close_array(w); /* scopeSpans */
        pawl__json_close_object(w);
        pawl__json_close_array(w); /* resourceSpans */
        pawl__json_close_object(w);
}

static pawl_status print_trace(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_event_filter filter = {.run_id = pawl__text(cli->args[0]), .since = 1};
        trace t = {.out = PAWL__JSON_WRITER_INIT};
        pawl_status status = cli_known_run(&filter.run_id, log, cli->arena, err);

        open_document(&t.out);
        if (!status)
                status = cli_each_event(NULL, log, &filter, put_event, &t, err);
        while (!status && t.begun) {
                span *last = t.n ? &t.open[t.n - 1] : &t.root;
                t.begun = t.n > 0;
                if (end(&t, last, t.root.last_us))
                        status = pawl__nomem(err);
        }
        close_document(&t.out);
        if (!status && (pawl__json_end_writer(&t.out) || pawl__arena_check(&t.arena, NULL)))
                status = pawl__nomem(err);
        if (!status)
                cli_print_line(cli, pawl__buf_text(&t.out.buf));
        for (size_t i = 0; i <= t.n; i++) {
                span *left = i < t.n ? &t.open[i] : &t.root;
                pawl__json_writer_free(&left->attributes);
                pawl__json_writer_free(&left->events);
        }
        free(t.open);
        pawl__json_tree_free(&t.payload);
        pawl__json_writer_free(&t.out);
        pawl__arena_free(&t.arena);
        return status;
}

const cli_cmd eventlog_trace_cmd = {
        .name = "trace",
        .args = "RUN",
        .arg_help = {"the run's id, or 4 characters or more of it"},
        .traits = CLI_SERVED,
        .access = CLI_READ,
        .on_log = print_trace,
        .help = "Print a run as OTLP/JSON traces, for any OpenTelemetry collector",
};

/* The service's own routes: its health, what it counts, and the commands of the registry. */
#include "base/error.h"
#include "events/log.h"
#include "service/site.h"
#include "service/worker.h"
#include "state/state.h"

static void health(service_answer *answer, service_call *call)
{
        static const char fine[] = "{\"status\":\"ok\"}\n";
        pawl_error why = PAWL_ERROR_INIT;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (service_health_ok(&call->site->health, service_now_ms(), &why)) {
                service_answer_fixed(answer, 200, SERVICE_JSON, fine, sizeof fine - 1);
                return;
        }
        pawl__json_open_object(&w);
        pawl__json_member_string(&w, "status", "failing");
        pawl__json_member_string(&w, "why", why.message);
        pawl__json_close_object(&w);
        service_answer_json(answer, 503, &w);
}

/* Of the log: its head, its conflicts and its size. */
static pawl_status write_log(pawl__buf *out, service_call *call, pawl_error *err)
{
        const pawl_text all = pawl__text(NULL);
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl__row *open, *line, *active;
        unsigned char hash[32];
        uint64_t head = 0, bytes = 0, unused;
        size_t n = 0, n_line = 0, n_active = 0;
        pawl_status status = pawl_log_head(&head, hash, call->log);

        if (!status)
                status = pawl__log_space(&bytes, &unused, call->log);
        if (status)
                status = pawl__log_failed(call->log, status, err);
        if (!status)
                status = pawl__state_of(&state, call->log, err);
        if (!status)
                status = pawl__state_conflicts(&open, &n, state, all, all, true, &arena, err);
        if (!status)
                status = pawl__state_in_line(&line, &n_line, state, INT64_MAX, &arena, err);
        if (!status)
                status = pawl__state_active_sessions(&active, &n_active, state, &arena, err);
        pawl__arena_free(&arena);
        if (status)
                return status;
        service_metrics_gauge(out, "pawl_log_head_seq", "Seq of the last event.", head);
        service_metrics_gauge(out, "pawl_conflicts_open", "Conflicts without an answer.", n);
        service_metrics_gauge(out, "pawl_runs_in_line", "Runs that wait for a worker.", n_line);
        service_metrics_gauge(
                out, "pawl_sessions_active", "Sessions that have not ended.", n_active);
        service_metrics_gauge(out, "pawl_log_bytes", "Size of the log's files.", bytes);
        return pawl__buf_check(out, err);
}

static void metrics(service_answer *answer, service_call *call)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        service_metrics_write(&out, call->site);
        if (write_log(&out, call, &err))
                service_answer_fail(answer, &err);
        else
                service_answer_body(answer, 200, "text/plain; version=0.0.4; charset=utf-8", &out);
        pawl__buf_free(&out);
}

const service_route service_core_routes[] = {
        {"GET", "/healthz", SERVICE_OPEN | SERVICE_NO_LOG, NULL, health,
                SERVICE_OPERATION(.id = "health", .tag = "service",
                        .summary = "Is the service well?", .answer = "Health",
                        .failing = "The log cannot be read or written.")},
        {"GET", "/metrics", 0, NULL, metrics,
                SERVICE_OPERATION(.id = "metrics", .tag = "service",
                        .summary = "Counts and gauges, in the form that Prometheus reads.",
                        .description = "docs/reference/service.md names them.",
                        .type = "text/plain")},
        {"GET", "/listCommands", SERVICE_NO_LOG, NULL, service_list_commands,
                SERVICE_OPERATION(.id = "listCommands", .tag = "commands",
                        .summary = "The commands that executeCommand knows.",
                        .answer = "Commands")},
        {"POST", "/executeCommand", 0,
                SERVICE_FIELDS({.name = "command",
                                       .about = "A name of listCommands.",
                                       .required = "GET /listCommands has the names"},
                        {.name = "args",
                                .type = SERVICE_TEXTS,
                                .about = "Its options and arguments, as on the command line."}),
                service_execute_command,
                SERVICE_OPERATION(.id = "executeCommand", .tag = "commands",
                        .summary = "Run a command of the registry.",
                        .description = "A command that runs and fails is an answer too: 200, and "
                                       "data.error says status, exit code and message.",
                        .events = "Of a command with `streaming`, where the request accepts it: "
                                  "each line that it prints as it comes, and its exit code last.",
                        .answer = "Result")},
        {"GET", "/mcp", SERVICE_AGENTS, NULL, service_mcp_get, NULL},
        {"POST", "/mcp", SERVICE_LARGE | SERVICE_AGENTS, NULL, service_mcp_post, NULL},
        SERVICE_ROUTES_END,
};

const service_route *const service_route_tables[] = {
        service_core_routes,
        service_api_routes,
        service_page_routes,
        NULL,
};

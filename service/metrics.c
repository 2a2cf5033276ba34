/* What is counted of each route, and its text. */
#include "base/error.h"
#include "service/site.h"
#include <stdlib.h>

static const unsigned statuses[] = {200, 201, 204, 304, 400, 401, 403, 404, 405, 409, 413, 415, 421,
        431, 500, 503, 507, 0 /* any other */};
static const struct {
        uint64_t us;
        const char *name;
} bounds[] = {{250, "0.00025"}, {1000, "0.001"}, {2500, "0.0025"}, {5000, "0.005"}, {10000, "0.01"},
        {25000, "0.025"}, {100000, "0.1"}, {500000, "0.5"}, {2500000, "2.5"}, {10000000, "10"}};

enum { STATUSES = sizeof statuses / sizeof statuses[0], BOUNDS = sizeof bounds / sizeof bounds[0] };

/* Of one route. */
typedef struct counts {
        atomic_ullong by_status[STATUSES];
        atomic_ullong buckets[BOUNDS + 1]; /* each by itself, not cumulative */
        atomic_ullong us;
} counts;

struct service_metrics {
        const service_route *const *tables;
        counts counts[]; /* of each route, and of requests without one */
};

pawl_status service_metrics_new(
        service_metrics **out, const service_route *const *tables, pawl_error *err)
{
        const size_t n = service_route_place(tables, NULL) + 1;
        service_metrics *metrics = calloc(1, sizeof *metrics + n * sizeof metrics->counts[0]);

        if (!metrics)
                return pawl__nomem(err);
        metrics->tables = tables;
        *out = metrics;
        return PAWL_OK;
}

void service_metrics_free(service_metrics *metrics)
{
        free(metrics);
}

void service_metrics_count(
        service_metrics *metrics, const service_route *route, unsigned status, uint64_t us)
{
        counts *of = &metrics->counts[service_route_place(metrics->tables, route)];
        size_t i = 0, bucket = 0;

        while (statuses[i] && statuses[i] != status)
                i++;
        while (bucket < BOUNDS && us > bounds[bucket].us)
                bucket++;
        atomic_fetch_add_explicit(&of->by_status[i], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&of->buckets[bucket], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&of->us, us, memory_order_relaxed);
}

static unsigned long long now(const atomic_ullong *value)
{
        return atomic_load_explicit(value, memory_order_relaxed);
}

/* route="GET /api/v1/runs" */
static void write_label(pawl__buf *out, const service_route *route)
{
        if (route)
                pawl__buf_addf(out, "{route=\"%s %s\"", route->method, route->path);
        else
                pawl__buf_adds(out, "{route=\"none\"");
}

static void write_requests(pawl__buf *out, const service_route *route, const counts *of)
{
        for (size_t i = 0; i < STATUSES; i++) {
                const unsigned long long n = now(&of->by_status[i]);
                if (!n)
                        continue;
                pawl__buf_adds(out, "pawl_http_requests_total");
                write_label(out, route);
                if (statuses[i])
                        pawl__buf_addf(out, ",status=\"%u\"} %llu\n", statuses[i], n);
                else
                        pawl__buf_addf(out, ",status=\"other\"} %llu\n", n);
        }
}

static void write_seconds(pawl__buf *out, const service_route *route, const counts *of)
{
        const unsigned long long us = now(&of->us);
        unsigned long long n = 0;

        for (size_t i = 0; i <= BOUNDS; i++)
                n += now(&of->buckets[i]);
        if (!n)
                return;
        n = 0;
        for (size_t i = 0; i <= BOUNDS; i++) {
                n += now(&of->buckets[i]);
                pawl__buf_adds(out, "pawl_http_request_seconds_bucket");
                write_label(out, route);
                pawl__buf_addf(out, ",le=\"%s\"} %llu\n", i < BOUNDS ? bounds[i].name : "+Inf", n);
        }
        pawl__buf_adds(out, "pawl_http_request_seconds_sum");
        write_label(out, route);
        pawl__buf_addf(out, "} %llu.%06llu\n", us / 1000000, us % 1000000);
        pawl__buf_adds(out, "pawl_http_request_seconds_count");
        write_label(out, route);
        pawl__buf_addf(out, "} %llu\n", n);
}

/* Each route's lines, and those of requests without a route. */
static void write_routes(pawl__buf *out, const service_metrics *metrics,
        void (*write)(pawl__buf *out, const service_route *route, const counts *of))
{
        const counts *of = metrics->counts;

        for (const service_route *const *table = metrics->tables; *table; table++)
                for (const service_route *route = *table; route->method; route++)
                        write(out, route, of++);
        write(out, NULL, of);
}

static void write_one(pawl__buf *out, const char *name, const char *help, const char *type,
        unsigned long long value)
{
        pawl__buf_addf(
                out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, type, name, value);
}

void service_metrics_gauge(pawl__buf *out, const char *name, const char *help, uint64_t value)
{
        write_one(out, name, help, "gauge", value);
}

void service_metrics_write(pawl__buf *out, const service_site *site)
{
        const service_gauges *gauges = &site->gauges;

        const struct {
                const char *name, *help;
                const atomic_long *value;
        } longs[] = {
                {"pawl_connections", "Connections open.", &gauges->connections},
                {"pawl_streams", "Event streams open.", &gauges->streams},
                {"pawl_workers_busy", "Workers with a request.", &gauges->busy},
                {"pawl_queue_length", "Requests that wait for a worker.", &gauges->queued},
        };

        pawl__buf_adds(out,
                "# HELP pawl_http_requests_total Requests answered, by route and status.\n"
                "# TYPE pawl_http_requests_total counter\n");
        write_routes(out, site->metrics, write_requests);
        pawl__buf_adds(out,
                "# HELP pawl_http_request_seconds From the end of a request to its answer, by "
                "route.\n"
                "# TYPE pawl_http_request_seconds histogram\n");
        write_routes(out, site->metrics, write_seconds);
        for (size_t i = 0; i < sizeof longs / sizeof longs[0]; i++) {
                const long value = atomic_load(longs[i].value);
                service_metrics_gauge(
                        out, longs[i].name, longs[i].help, value > 0 ? (uint64_t)value : 0);
        }
        service_metrics_gauge(out, "pawl_body_bytes", "Bytes of request bodies in memory.",
                atomic_load(&gauges->body_bytes));
        write_one(out, "pawl_unauthorized_total",
                "Requests without a token, or with one that is none.", "counter",
                now(&gauges->unauthorized));
        write_one(out, "pawl_timeouts_total",
                "Connections closed since a request or answer took too long.", "counter",
                now(&gauges->timeouts));
}

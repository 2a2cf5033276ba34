#include "service/metrics.h"
#include "base/error.h"
#include "service/router.h"
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
        size_t n; /* routes, and one for requests without a route */
        counts counts[];
};

pawl_status service_metrics_new(
        service_metrics **out, const service_route *const *tables, pawl_error *err)
{
        const size_t n = service_route_place(tables, NULL) + 1;
        service_metrics *metrics = calloc(1, sizeof *metrics + n * sizeof metrics->counts[0]);

        if (!metrics)
                return pawl__nomem(err);
        metrics->tables = tables;
        metrics->n = n;
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

/* "GET /api/v1/runs"; "none" for requests without a route. */
static const service_route *route_at(const service_metrics *metrics, size_t place)
{
        for (const service_route *const *table = metrics->tables; *table; table++)
                for (const service_route *route = *table; route->method; route++)
                        if (place-- == 0)
                                return route;
        return NULL;
}

static pawl_status write_label(pawl__buf *out, const service_metrics *metrics, size_t place)
{
        const service_route *route = route_at(metrics, place);

        if (!route)
                return pawl__buf_adds(out, "route=\"none\"");
        return pawl__buf_addf(out, "route=\"%s %s\"", route->method, route->path);
}

static pawl_status write_requests(pawl__buf *out, const service_metrics *metrics)
{
        pawl_status status = pawl__buf_adds(out,
                "# HELP pawl_http_requests_total Requests answered, by route and status.\n"
                "# TYPE pawl_http_requests_total counter\n");

        for (size_t place = 0; !status && place < metrics->n; place++)
                for (size_t i = 0; !status && i < STATUSES; i++) {
                        const unsigned long long n = now(&metrics->counts[place].by_status[i]);
                        if (!n)
                                continue;
                        status = pawl__buf_adds(out, "pawl_http_requests_total{");
                        if (!status)
                                status = write_label(out, metrics, place);
                        if (!status && statuses[i])
                                status = pawl__buf_addf(
                                        out, ",status=\"%u\"} %llu\n", statuses[i], n);
                        else if (!status)
                                status = pawl__buf_addf(out, ",status=\"other\"} %llu\n", n);
                }
        return status;
}

static pawl_status write_seconds_of(pawl__buf *out, const service_metrics *metrics, size_t place)
{
        static const char name[] = "pawl_http_request_seconds";
        const counts *of = &metrics->counts[place];
        pawl__buf label = PAWL__BUF_INIT;
        unsigned long long n = 0;

        for (size_t i = 0; i <= BOUNDS; i++)
                n += now(&of->buckets[i]);
        if (!n)
                return PAWL_OK;
        pawl_status status = write_label(&label, metrics, place);
        n = 0;
        for (size_t i = 0; !status && i <= BOUNDS; i++) {
                n += now(&of->buckets[i]);
                status = pawl__buf_addf(out, "%s_bucket{%s,le=\"%s\"} %llu\n", name, label.data,
                        i < BOUNDS ? bounds[i].name : "+Inf", n);
        }
        if (!status) {
                const unsigned long long us = now(&of->us);
                status = pawl__buf_addf(out, "%s_sum{%s} %llu.%06llu\n%s_count{%s} %llu\n", name,
                        label.data, us / 1000000, us % 1000000, name, label.data, n);
        }
        pawl__buf_free(&label);
        return status;
}

static pawl_status write_seconds(pawl__buf *out, const service_metrics *metrics)
{
        pawl_status status = pawl__buf_adds(out,
                "# HELP pawl_http_request_seconds From the end of a request to its answer, by "
                "route.\n"
                "# TYPE pawl_http_request_seconds histogram\n");

        for (size_t place = 0; !status && place < metrics->n; place++)
                status = write_seconds_of(out, metrics, place);
        return status;
}

static pawl_status write_one(pawl__buf *out, const char *name, const char *help, const char *type,
        unsigned long long value)
{
        return pawl__buf_addf(
                out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, type, name, value);
}

pawl_status service_metrics_gauge(
        pawl__buf *out, const char *name, const char *help, uint64_t value)
{
        return write_one(out, name, help, "gauge", value);
}

static pawl_status write_gauges(pawl__buf *out, const service_gauges *gauges)
{
        const struct {
                const char *name, *help;
                const atomic_long *value;
        } longs[] = {
                {"pawl_connections", "Connections open.", &gauges->connections},
                {"pawl_streams", "Event streams open.", &gauges->streams},
                {"pawl_workers_busy", "Workers with a request.", &gauges->busy},
                {"pawl_queue_length", "Requests that wait for a worker.", &gauges->queued},
        };
        pawl_status status = PAWL_OK;

        for (size_t i = 0; !status && i < sizeof longs / sizeof longs[0]; i++) {
                const long value = atomic_load(longs[i].value);
                status = write_one(out, longs[i].name, longs[i].help, "gauge",
                        value > 0 ? (unsigned long long)value : 0);
        }
        if (!status)
                status = write_one(out, "pawl_body_bytes", "Bytes of request bodies in memory.",
                        "gauge", atomic_load(&gauges->body_bytes));
        if (!status)
                status = write_one(out, "pawl_unauthorized_total",
                        "Requests without a token, or with one that is none.", "counter",
                        now(&gauges->unauthorized));
        if (!status)
                status = write_one(out, "pawl_timeouts_total",
                        "Connections closed since a request or answer took too long.", "counter",
                        now(&gauges->timeouts));
        return status;
}

pawl_status service_metrics_write(
        pawl__buf *out, service_metrics *metrics, const service_gauges *gauges)
{
        pawl_status status = write_requests(out, metrics);

        if (!status)
                status = write_seconds(out, metrics);
        return status ? status : write_gauges(out, gauges);
}

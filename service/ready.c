/* The log of a thread, ready for a request: the feed keeps it, and each thread opens it anew. */
#include "service/feed.h"
#include "service/worker.h"

pawl_status service_worker_ready(service_worker *worker, pawl_error *err)
{
        /* The feed asks a server again and again; while it gets no answer, nobody else waits for
         * one. */
        if (!service_health_reached(&worker->site->health, service_now_ms(), err))
                return PAWL_EIO;
        const pawl_status status = service_worker_has_log(worker)
                                           ? PAWL_OK
                                           : service_feed_keep(worker->site->feed, err);
        return status ? status : service_worker_open(worker, err);
}

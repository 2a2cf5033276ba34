/* Whether the log can be read and written: what the feed and the commands found last. */
#include "base/error.h"
#include "service/site.h"

void service_health_begin(service_health *health, int64_t now_ms)
{
        pthread_mutex_lock(&health->lock);
        health->begun_ms = now_ms;
        pthread_mutex_unlock(&health->lock);
}

void service_health_read(service_health *health, const pawl_error *err)
{
        pthread_mutex_lock(&health->lock);
        health->reading = err ? *err : (pawl_error)PAWL_ERROR_INIT;
        if (!err && health->on_server && health->writing.status == PAWL_EIO)
                health->writing.status = PAWL_OK; /* the server is back */
        pthread_mutex_unlock(&health->lock);
}

/* Is this a failure of the log, not of the request? */
static bool of_the_log(pawl_status status)
{
        return status == PAWL_EFULL || status == PAWL_EIO || status == PAWL_EREADONLY ||
               status == PAWL_EDAMAGED || status == PAWL_EKEY;
}

void service_health_wrote(service_health *health, const pawl_error *err)
{
        pthread_mutex_lock(&health->lock);
        if (!err)
                health->writing.status = PAWL_OK;
        else if (of_the_log(err->status))
                health->writing = *err;
        pthread_mutex_unlock(&health->lock);
}

/* Under the lock. */
static bool hangs(const service_health *health, int64_t now_ms, pawl_error *why)
{
        const int64_t ms = health->begun_ms ? now_ms - health->begun_ms : 0;

        if (ms <= (health->on_server ? SERVICE_AWAY_MS : SERVICE_HANGS_MS))
                return false;
        pawl__fail(why, PAWL_EIO, "the log%s: has not answered for %lld s; look at %s",
                health->on_server ? "'s server" : "", (long long)(ms / 1000),
                health->on_server ? "whether it runs, and at the network"
                                  : "its disk, and at what holds it locked");
        return true;
}

bool service_health_reached(service_health *health, int64_t now_ms, pawl_error *why)
{
        if (!health->on_server)
                return true;
        pthread_mutex_lock(&health->lock);
        const bool away = health->reading.status == PAWL_EIO;
        if (away)
                *why = health->reading;
        const bool reached = !away && !hangs(health, now_ms, why);
        pthread_mutex_unlock(&health->lock);
        return reached;
}

bool service_health_ok(service_health *health, int64_t now_ms, pawl_error *why)
{
        bool ok = false;

        pthread_mutex_lock(&health->lock);
        if (hangs(health, now_ms, why))
                ;
        else if (health->reading.status)
                *why = health->reading;
        else if (health->writing.status)
                *why = health->writing;
        else
                ok = true;
        pthread_mutex_unlock(&health->lock);
        return ok;
}

#include "service/health.h"
#include "base/error.h"

void service_health_init(service_health *health)
{
        *health = (service_health){.begun_ms = 0};
        pthread_mutex_init(&health->lock, NULL);
}

void service_health_free(service_health *health)
{
        pthread_mutex_destroy(&health->lock);
}

void service_health_begin(service_health *health, int64_t now_ms)
{
        pthread_mutex_lock(&health->lock);
        health->begun_ms = now_ms;
        pthread_mutex_unlock(&health->lock);
}

void service_health_read(service_health *health, const pawl_error *err)
{
        pthread_mutex_lock(&health->lock);
        health->begun_ms = 0;
        if (err)
                health->reading = *err;
        else
                health->reading.status = PAWL_OK;
        pthread_mutex_unlock(&health->lock);
}

/* Is this a failure of the log, not of the request? */
static bool of_the_log(pawl_status status)
{
        switch (status) {
        case PAWL_EFULL:
        case PAWL_EIO:
        case PAWL_EREADONLY:
        case PAWL_EDAMAGED:
        case PAWL_EKEY:
                return true;
        default:
                return false;
        }
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

bool service_health_ok(service_health *health, int64_t now_ms, pawl_error *why)
{
        bool ok = false;

        pthread_mutex_lock(&health->lock);
        if (health->begun_ms && now_ms - health->begun_ms > SERVICE_HANGS_MS)
                pawl__fail(why, PAWL_EIO,
                        "the log: has not answered for %lld s; look at its disk, and at what "
                        "holds it locked",
                        (long long)((now_ms - health->begun_ms) / 1000));
        else if (health->reading.status)
                *why = health->reading;
        else if (health->writing.status)
                *why = health->writing;
        else
                ok = true;
        pthread_mutex_unlock(&health->lock);
        return ok;
}

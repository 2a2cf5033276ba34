#include "service/site.h"
#include "base/error.h"
#include "base/mac.h"
#include "events/log.h"
#include <string.h>

pawl_status service_site_open(service_site *site, const service_options *options, pawl_error *err)
{
        memset(site, 0, sizeof *site);
        site->options = options;
        site->hosts = (service_hosts){
                options->address, options->hosts, options->n_hosts, options->tls_cert != NULL};
        site->tables = options->tables ? options->tables : service_route_tables;
        pthread_mutex_init(&site->health.lock, NULL);
        site->health.on_server = pawl__log_is_url(options->log_path);
        pawl_status status = service_metrics_new(&site->metrics, site->tables, err);
        if (!status)
                status = service_token_make(&site->page_token, err);
        if (!status)
                status = service_token_file(&site->program_token, options->token_file, err);
        return status;
}

void service_site_close(service_site *site)
{
        pthread_mutex_destroy(&site->health.lock);
        service_metrics_free(site->metrics);
        pawl__buf_free(&site->document);
        pawl__cleanse(&site->program_token, sizeof site->program_token);
        pawl__cleanse(&site->page_token, sizeof site->page_token);
        site->metrics = NULL;
}

/* ---- Health ---------------------------------------------------------------------------------- */

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

#include "service/site.h"
#include "base/error.h"
#include "base/mac.h"
#include "events/log.h"
#include "mcp/pages.h"
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
        site->pages = mcp_pages_new();
        if (!status && !site->pages)
                status = pawl__nomem(err);
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
        mcp_pages_free(site->pages);
        pawl__buf_free(&site->document);
        pawl__cleanse(&site->program_token, sizeof site->program_token);
        pawl__cleanse(&site->page_token, sizeof site->page_token);
        site->metrics = NULL;
}

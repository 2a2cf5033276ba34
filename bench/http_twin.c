#include "bench/http_twin.h"
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>

static struct MHD_Daemon *the_daemon;
static struct MHD_Response *the_answer;

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url,
        const char *method, const char *version, const char *data, size_t *len, void **state)
{
        static int begun;

        (void)user, (void)url, (void)method, (void)version, (void)data;
        *len = 0;
        if (!*state) {
                *state = &begun;
                return MHD_YES;
        }
        return MHD_queue_response(connection, MHD_HTTP_OK, the_answer);
}

unsigned http_twin_start(pawl_text body)
{
        const struct sockaddr_in at = {
                .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

        the_answer = MHD_create_response_from_buffer(
                body.len, (void *)(uintptr_t)body.data, MHD_RESPMEM_MUST_COPY);
        the_daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL,
                MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_END);
        if (!the_answer || !the_daemon ||
                MHD_add_response_header(the_answer, "Content-Type", "application/json") != MHD_YES)
                bench_die("libmicrohttpd does not start");
        return MHD_get_daemon_info(the_daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

void http_twin_stop(void)
{
        MHD_stop_daemon(the_daemon);
        MHD_destroy_response(the_answer);
}

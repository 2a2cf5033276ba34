#include "service/server_fixture.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

test_service s;
service_server *server;
atomic_bool gate_open;
atomic_int at_gate;

void rest_ms(int ms)
{
        nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

void reaches(atomic_int *count, int n)
{
        for (int i = 0; i < 20000 && *count < n; i++)
                rest_ms(1);
        if (*count < n)
                fail_msg("%d of %d came", *count, n);
}

void tell(const char *mission)
{
        const pawl_event event = {.type = pawl__text("GlossaryScopeActivated"),
                .actor = pawl__text("user:ana"),
                .mission_id = pawl__text(mission),
                .payload = pawl__text("{\"glossary_version_id\":\"v\",\"scope_id\":\"core\"}")};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        assert_ok(pawl_log_open(&log, s.log_path, NULL, &err));
        if (pawl_log_append(NULL, log, &event, 1, 0))
                fail_msg("%s", pawl_log_errmsg(log));
        pawl_log_close(log);
}

/* ---- The routes -------------------------------------------------------------------------- */

static void quick(service_answer *answer, service_call *call)
{
        (void)call;
        service_answer_fixed(answer, 200, "text/plain", "quick", 5);
}

static void gated(service_answer *answer, service_call *call)
{
        at_gate++;
        while (!gate_open)
                rest_ms(1);
        at_gate--;
        quick(answer, call);
}

/* A command that would go on for ever, but for the log, which it asks now and then. */
static void endless(service_answer *answer, service_call *call)
{
        unsigned char hash[32];
        pawl_status status;
        uint64_t seq;

        at_gate++;
        while ((status = pawl_log_head(&seq, hash, call->log)) == PAWL_OK)
                rest_ms(1);
        at_gate--;
        service_answer_refuse(answer, service_http_status(status), status, "endless: ended; -");
}

static void large(service_answer *answer, service_call *call)
{
        static const char much[32 << 20];

        (void)call;
        service_answer_fixed(answer, 200, "application/octet-stream", much, sizeof much);
}

static const service_route routes[] = {
        {"GET", "/quick", 0, NULL, quick, NULL},
        {"GET", "/gated", 0, NULL, gated, NULL},
        {"POST", "/gated", 0, NULL, gated, NULL},
        {"GET", "/large", 0, NULL, large, NULL},
        {"GET", "/endless", 0, NULL, endless, NULL},
        {"GET", "/stream", SERVICE_STREAM, NULL, service_api_stream, NULL},
        SERVICE_ROUTES_END,
};
static const service_route *const tables[] = {routes, NULL};
static const cli_program *const no_programs[] = {NULL};
static const cli_registry no_commands = {no_programs};

/* ---- The server -------------------------------------------------------------------------- */

int server_setup(void **state)
{
        (void)state;
        test_service_prepare(&s, &no_commands);
        s.options.tables = tables;
        s.options.grace_ms = 300;
        s.options.threads = 2;
        gate_open = false;
        return 0;
}

void start(void)
{
        pawl_error err = PAWL_ERROR_INIT;

        test_service_open(&s);
        if (service_server_start(&server, &s.site, &err))
                fail_msg("%s", err.message);
}

void stop(void)
{
        service_server_stop(server);
        server = NULL;
}

int server_teardown(void **state)
{
        (void)state;
        gate_open = true;
        stop();
        test_service_close(&s);
        return 0;
}

/* ---- Connections ------------------------------------------------------------------------- */

/* A socket, and 0 where it is connected, or why it is not. */
static int try_to_connect(int *fd)
{
        const struct sockaddr_in to = {.sin_family = AF_INET,
                .sin_port = htons(service_server_port(server)),
                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

        *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(*fd >= 0);
        return connect(*fd, (const struct sockaddr *)&to, sizeof to) == 0 ? 0 : errno;
}

int connect_to(void)
{
        const struct timeval patience = {20, 0};
        int fd;

        assert_int_equal(try_to_connect(&fd), 0);
        assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
        return fd;
}

bool refuses_to_connect(void)
{
        int fd;
        const int why = try_to_connect(&fd);

        close(fd);
        return why == ECONNREFUSED;
}

void put(int fd, const char *text)
{
        const size_t len = strlen(text);

        assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), len);
}

void dribble(int fd)
{
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

        for (int i = 0; i < 1000; i++) {
                if (send(fd, "a", 1, MSG_NOSIGNAL) != 1 || poll(&poll_fd, 1, 0) > 0)
                        return;
                rest_ms(20);
        }
        fail_msg("a slow sender is never ended");
}

void ask(int fd, const char *method, const char *path, const char *rest)
{
        char head[512];

        snprintf(head, sizeof head,
                "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n%s\r\n", method, path,
                s.program_token, rest);
        put(fd, head);
}

int asked(const char *method, const char *path, const char *rest)
{
        const int fd = connect_to();

        ask(fd, method, path, rest);
        return fd;
}

const char *takes(int fd, const char *end)
{
        static char answer[4096];
        size_t len = 0;

        answer[0] = '\0';
        while (!*end || !strstr(answer, end)) {
                assert_true(len + 1 < sizeof answer);
                const ssize_t n = recv(fd, answer + len, sizeof answer - len - 1, 0);
                if (n < 0 && errno != ECONNRESET)
                        fail_msg("nothing comes after: %s", answer);
                if (n <= 0)
                        break;
                len += (size_t)n;
                answer[len] = '\0';
        }
        if (*end && !strstr(answer, end))
                fail_msg("\"%s\" is not in: %s", end, answer);
        return answer;
}

void answers(const char *path, const char *says)
{
        const int fd = asked("GET", path, "Connection: close\r\n");

        assert_says(takes(fd, ""), says);
        close(fd);
}

#include "bench/served.h"
#include "bench/spawn.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The process ----------------------------------------------------------------------------- */

/* The text of a member of the line that it says when it is ready. */
static void member(char *out, size_t size, const char *line, const char *name)
{
        char what[40];

        snprintf(what, sizeof what, "\"%s\":\"", name);
        const char *at = strstr(line, what);
        if (!at)
                bench_die("pawl serve did not say where it is");
        at += strlen(what);
        snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
}

void served_start(served *s)
{
        char line[2048], text[1024];
        int ends[2];
        size_t len = 0;

        if (pipe(ends))
                bench_die("cannot make a pipe");
        s->pid = fork();
        if (s->pid == 0) {
                prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends with a benchmark that failed */
                dup2(ends[1], 1);
                close(ends[0]);
                execl(bench_tool("pawl"), "pawl", "serve", "--db", "events.db", "--json",
                        "--listen", "127.0.0.1:0", (char *)NULL);
                _exit(127);
        }
        close(ends[1]);
        s->out = ends[0];
        for (ssize_t n = 1; n > 0 && len < sizeof line - 1 && !memchr(line, '\n', len);
                len += (size_t)n) {
                n = read(s->out, line + len, sizeof line - 1 - len);
                if (n <= 0)
                        bench_die("pawl serve did not start");
        }
        line[len] = '\0';
        member(text, sizeof text, line, "url");
        s->port = (unsigned)strtoul(strrchr(text, ':') + 1, NULL, 10);
        member(text, sizeof text, line, "token_file");
        FILE *file = fopen(text, "r");
        if (!file || !fgets(s->token, sizeof s->token, file))
                bench_die("cannot read the token");
        fclose(file);
        s->token[strcspn(s->token, "\n")] = '\0';
}

void served_stop(served *s)
{
        int status;

        kill(s->pid, SIGTERM);
        if (waitpid(s->pid, &status, 0) != s->pid || status != 0)
                bench_die("pawl serve did not end well");
        close(s->out);
}

double served_memory(const served *s)
{
        char path[64], line[256];
        unsigned long kib = 0;

        snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
        FILE *file = fopen(path, "r");
        if (!file)
                bench_die("cannot read /proc");
        while (fgets(line, sizeof line, file))
                (void)sscanf(line, "RssAnon: %lu", &kib); /* NOLINT(cert-err34-c) */
        fclose(file);
        return (double)kib * 1024;
}

/* ---- A client -------------------------------------------------------------------------------- */

int http_connect(unsigned port)
{
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
        const struct sockaddr_in to = {.sin_family = AF_INET,
                .sin_port = htons((uint16_t)port),
                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

        if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to))
                bench_die("cannot connect");
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return fd;
}

void http_send(int fd, const served *s, const char *method, const char *path, const char *body)
{
        char text[2048];
        const int len = snprintf(text, sizeof text,
                "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n"
                "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                method, path, s->port, s->token, body ? strlen(body) : 0, body ? body : "");

        if (len < 0 || len >= (int)sizeof text || write(fd, text, (size_t)len) != len)
                bench_die("cannot send a request");
}

int http_receive(int fd, pawl__buf *out)
{
        pawl__buf all = PAWL__BUF_INIT;
        const char *end = NULL, *length = NULL;
        char piece[65536];
        size_t whole = SIZE_MAX;

        while (all.len < whole) {
                const ssize_t n = read(fd, piece, sizeof piece);
                if (n <= 0 || pawl__buf_add(&all, piece, (size_t)n))
                        bench_die("an answer was cut");
                if (!end && (end = memmem(all.data, all.len, "\r\n\r\n", 4))) {
                        length = strcasestr(all.data, "\r\nContent-Length:");
                        if (!length)
                                bench_die("an answer has no length");
                        whole = (size_t)(end - all.data) + 4 + strtoul(length + 17, NULL, 10);
                }
        }
        const int status = atoi(all.data + strlen("HTTP/1.1 ")); /* NOLINT(cert-err34-c) */
        const size_t head =
                (size_t)((const char *)memmem(all.data, all.len, "\r\n\r\n", 4) + 4 - all.data);
        pawl__buf_clear(out);
        if (pawl__buf_add(out, all.data + head, all.len - head))
                bench_die("out of memory");
        pawl__buf_free(&all);
        return status;
}

#include "bench/peer.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const bench_peer *p, const char *line)
{
        fprintf(p->out, "%s\n", line);
        fflush(p->out);
}

/* False when it is gone. */
static bool hear(bench_peer *p)
{
        return fgets(p->said, sizeof p->said, p->in) != NULL;
}

bool bench_peer_start(bench_peer *p, char *const argv[])
{
        int to[2], from[2];

        signal(SIGPIPE, SIG_IGN); /* a peer that is gone is seen when it says nothing */
        if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) /* no other peer keeps them open */
                bench_die("cannot make a pipe");
        p->pid = fork();
        if (p->pid == 0) {
                dup2(to[0], 0);
                dup2(from[1], 1);
                execvp(argv[0], argv);
                _exit(127);
        }
        close(to[0]);
        close(from[1]);
        p->out = fdopen(to[1], "w");
        p->in = fdopen(from[0], "r");
        if (p->pid < 0 || !p->out || !p->in)
                bench_die("cannot start a peer");
        p->said[0] = '\0';
        tell(p, "settings");
        return hear(p);
}

void bench_peer_stop(bench_peer *p)
{
        fclose(p->out);
        fclose(p->in);
        waitpid(p->pid, NULL, 0);
}

double bench_peer_ns(bench_peer *p, const char *line)
{
        tell(p, line);
        if (!hear(p))
                bench_die("a peer failed");
        return strtod(p->said, NULL);
}

double bench_peers_ns(bench_peer *peers, size_t n, const char *line)
{
        const double began = bench_now_ns();

        for (size_t i = 0; i < n; i++)
                tell(&peers[i], line);
        for (size_t i = 0; i < n; i++)
                if (!hear(&peers[i]))
                        bench_die("a peer failed");
        return bench_now_ns() - began;
}

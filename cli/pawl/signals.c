#include "cli/pawl/signals.h"
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* A handler has nothing else to reach them by. */
static volatile sig_atomic_t write_end = -1, last;

static void note(int number)
{
        int saved = errno;
        unsigned char byte = (unsigned char)number;

        last = number;
        /* A full pipe holds signals enough already. */
        ssize_t n = write((int)write_end, &byte, 1);
        (void)n;
        errno = saved;
}

static void pass_over(int number)
{
        (void)number;
}

static bool ignored(int number)
{
        struct sigaction now;

        return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

pawl_status cli_signals_catch(int *fd, pawl_error *err)
{
        static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
        struct sigaction action = {.sa_handler = note};
        int ends[2];

        if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
                return pawl__fail(err, PAWL_EIO, "signals: %s; close some files", strerror(errno));
        write_end = ends[1];
        sigfillset(&action.sa_mask);
        for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
                if (caught[i] != SIGHUP || !ignored(SIGHUP))
                        sigaction(caught[i], &action, NULL);
        action.sa_handler = pass_over;
        action.sa_flags = SA_RESTART;
        sigaction(SIGPIPE, &action, NULL);
        *fd = ends[0];
        return PAWL_OK;
}

int cli_signals_last(void)
{
        return last;
}

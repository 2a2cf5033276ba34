#include "cli/main.h"
#include "base/digest.h"
#include "base/error.h"
#include "events/address.h"
#include "events/log.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file opened where a standard stream should be would be written to by whatever prints. */
static void fill_standard_streams(void)
{
        for (int fd = 0; fd < 3; fd++)
                if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
                        if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
                                return;
}

/* What was printed is done only when it is out. */
static int finish_output(const cli_program *program, const cli_context *in, int code)
{
        const cli_call cli = {.in = in, .program = program};
        pawl_error err = PAWL_ERROR_INIT;

        errno = 0;
        bool failed = ferror(stdout) != 0;
        if (fclose(stdout) != 0)
                failed = true;
        if (!failed || errno == EPIPE)
                return code;
        pawl__fail(&err, PAWL_EIO, "standard output: %s; see that it can be written and has room",
                errno ? strerror(errno) : "a write failed");
        int failure = cli_fail(&cli, &err);
        return code ? code : failure;
}

/* Arguments can be read by everybody in the list of processes: a password in a URL among them is
 * taken out of what is seen there. */
static void hide_passwords(char **argv)
{
        for (; *argv; argv++) {
                char *url = strstr(*argv, "postgres");
                pawl__address address = {.server = NULL};

                if (!url || !pawl__log_is_url(url))
                        continue;
                char *copy = strdup(*argv);
                if (!copy)
                        continue;
                if (pawl__address_parse(&address, url, NULL)) { /* what it is nobody knows */
                        char *rest = strstr(url, "://") + 3;
                        memset(rest, '*', strlen(rest));
                }
                for (size_t i = 0; i < address.n_secrets; i++) {
                        const size_t len = strlen(address.secret[i]);
                        for (char *at = url; (at = strstr(at, address.secret[i])); at += len)
                                memset(at, '*', len);
                }
                *argv = copy; /* lives as long as the process */
                pawl__address_free(&address);
        }
}

int cli_main(const cli_program *program, const cli_registry *commands, int argc, char **argv)
{
        const char *config_home = getenv("XDG_CONFIG_HOME");
        const cli_context in = {.commands = commands,
                .out = stdout,
                .err = stderr,
                .home = getenv("HOME"),
                .config_home = config_home && *config_home ? config_home : NULL};
        size_t n = argc > 1 ? (size_t)argc - 1 : 0;

        fill_standard_streams();
        hide_passwords(argv);
        umask(umask(0) & 077); /* what is made can be opened again by its owner */
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_IGN); /* a write past the limit of a file fails, and is reported */
        pawl__digest_start_lean();
        pawl__log_start_lean();
        int code = cli_execute(program, (const char *const *)(argv + 1), n, &in);
        return finish_output(program, &in, code);
}

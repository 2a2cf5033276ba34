#include "cli/pawl/agree.h"
#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

bool cli_can_ask(const cli_call *cli)
{
        return !cli->in->served && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool cli_is_yes(const char *answer, size_t len)
{
        return (len == 1 || len == 3) && strncasecmp(answer, "yes", len) == 0;
}

bool cli_agrees(const char *question)
{
        char line[16] = "";
        size_t len = 0;
        ssize_t n;
        char c;

        fprintf(stderr, "%s [y/N] ", question);
        fflush(stderr);
        while ((n = read(STDIN_FILENO, &c, 1)) != 0 && c != '\n') {
                if (n < 0 && errno != EINTR)
                        return false;
                if (n > 0 && len < sizeof line - 1)
                        line[len++] = c;
        }
        return cli_is_yes(line, len);
}

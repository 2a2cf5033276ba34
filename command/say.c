/* Messages that name commands. */
#include "command/find.h"
#include "command/printable.h"
#include <stdarg.h>

enum { LONGEST = 4096 };

/* Of a command in backquotes that begins at @p at: the backquote that ends it, or NULL. */
static const char *command_end(const char *at)
{
        if (strncmp(at, "`pawl ", 6) != 0 && strncmp(at, "`eventlog ", 10) != 0)
                return NULL;
        return strchr(at + 1, '`');
}

void cli_say_log(const cli_call *cli, FILE *out)
{
        const char *named = cli->in->log ? NULL : cli_named_log(cli);

        if (!named)
                return;
        fputs(" --db ", out);
        cli_put_word(out, pawl__text(named));
}

void cli_say(const cli_call *cli, FILE *out, const char *message)
{
        const char *at = message;

        while ((at = strchr(at, '`'))) {
                const char *end = command_end(at);
                if (end) {
                        cli_put(out, pawl__text_n(message, (size_t)(end - message)));
                        cli_say_log(cli, out);
                        message = end;
                }
                at = end ? end + 1 : at + 1;
        }
        cli_puts(out, message);
}

void cli_sayf(const cli_call *cli, FILE *out, const char *format, ...)
{
        char message[LONGEST];
        va_list args;

        va_start(args, format);
        vsnprintf(message, sizeof message, format, args);
        va_end(args);
        cli_say(cli, out, message);
}

void cli_notice(const cli_call *cli, const char *line)
{
        fprintf(cli->in->err, "%s: ", cli->program->name);
        cli_say(cli, cli->in->err, line);
        fputc('\n', cli->in->err);
}

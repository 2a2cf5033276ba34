/* Messages that name commands. */
#include "base/error.h"
#include "command/find.h"
#include "command/printable.h"
#include "command/values.h"
#include "events/log.h"
#include "state/state.h"
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>

enum { LONGEST = 4096, LOOK_EVERY_MS = 200 };

/* Of a command in backquotes that begins at @p at: the backquote that ends it, or NULL. */
static const char *command_end(const char *at)
{
        if (strncmp(at, "`pawl ", 6) != 0 && strncmp(at, "`eventlog ", 10) != 0)
                return NULL;
        return strchr(at + 1, '`');
}

static void say_path(const cli_call *cli, FILE *out)
{
        const char *named = cli->in->log ? NULL : cli_named_log(cli);
        pawl__buf shown = PAWL__BUF_INIT;

        if (named && !pawl__log_shown(&shown, named, NULL)) {
                fputs(" --db ", out);
                cli_put_word(out, pawl__buf_text(&shown));
        }
        pawl__buf_free(&shown);
}

void cli_say_log(const cli_call *cli, FILE *out)
{
        static const char option[] = "key-file";
        const bool known = cli_option_place(cli->program->shared, option, sizeof option - 1) >= 0;
        const char *key = known ? cli_value(cli, option) : NULL;

        say_path(cli, out);
        if (key) {
                fputs(" --key-file ", out);
                cli_put_word(out, pawl__text(key));
        }
}

pawl_status cli_name_log(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__state *state;
        char *text = NULL;
        size_t len = 0;

        TRY(pawl__state_of(&state, log, err));
        FILE *stream = open_memstream(&text, &len);
        if (!stream)
                return pawl__nomem(err);
        cli_say_log(cli, stream);
        const pawl_status status =
                fclose(stream) ? pawl__nomem(err)
                               : pawl__state_set_named(state, pawl__text_n(text, len), err);
        free(text);
        return status;
}

void cli_say(const cli_call *cli, FILE *out, const char *message)
{
        const char *at = message;

        while ((at = strchr(at, '`'))) {
                const char *end = command_end(at);
                if (end) {
                        cli_put(out, pawl__text_n(message, (size_t)(end - message)));
                        if (at[1] == 'p')
                                cli_say_log(cli, out);
                        else /* eventlog reads without a key */
                                say_path(cli, out);
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
        cli_wrap wrap;
        FILE *err = cli_wrap_begin(&wrap, cli->in->err);

        fprintf(err, "%s: ", cli->program->name);
        cli_say(cli, err, line);
        fputc('\n', err);
        cli_wrap_end(&wrap);
}

void cli_print_problem(const char *line, void *user)
{
        cli_notice(user, line);
}

void cli_noticef(const cli_call *cli, const char *format, ...)
{
        char line[LONGEST];
        va_list args;

        va_start(args, format);
        vsnprintf(line, sizeof line, format, args);
        va_end(args);
        cli_notice(cli, line);
}

bool cli_wait_a_little(FILE *stream)
{
        struct pollfd out = {.fd = fileno(stream), .events = 0};

        return poll(&out, 1, LOOK_EVERY_MS) <= 0 || !(out.revents & (POLLERR | POLLNVAL));
}

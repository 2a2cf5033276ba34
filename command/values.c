#include "command/values.h"
#include "base/similar.h"
#include "events/log.h"
#include <assert.h>
#include <stdlib.h>

bool cli_parse_number(uint64_t *out, const char *text)
{
        uint64_t n = 0;

        if (!*text)
                return false;
        for (; *text; text++) {
                if (*text < '0' || *text > '9')
                        return false;
                unsigned digit = (unsigned)(*text - '0');
                if (n > ((uint64_t)INT64_MAX - digit) / 10)
                        return false;
                n = n * 10 + digit;
        }
        *out = n;
        return true;
}

/* A number and its unit, at most a hundred years, as milliseconds. */
typedef struct unit {
        char letter; /* 0: the last of its table */
        uint64_t worth;
} unit;

static const unit durations[] = {
        {'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}, {0, 0}};
static const unit sizes[] = {{'K', 1U << 10}, {'M', 1U << 20}, {'G', 1U << 30}, {0, 0}};

#define LONGEST_DURATION UINT64_C(3153600000000) /* a hundred years */

/* A number above 0 and a unit, worth @p most at most. */
static bool parse_units(uint64_t *out, const char *text, const unit *units, uint64_t most)
{
        size_t len = strlen(text);
        char digits[24];
        uint64_t n;

        if (len < 2 || len > sizeof digits)
                return false;
        memcpy(digits, text, len - 1);
        digits[len - 1] = '\0';
        if (!cli_parse_number(&n, digits) || n == 0)
                return false;
        while (units->letter && units->letter != text[len - 1])
                units++;
        if (!units->letter || n > most / units->worth)
                return false;
        *out = n * units->worth;
        return true;
}

static bool parse_size(uint64_t *bytes, const char *text)
{
        return (cli_parse_number(bytes, text) && *bytes > 0) ||
               parse_units(bytes, text, sizes, INT64_MAX);
}

static bool choice_fits(const char *choices, const char *value)
{
        size_t len = strlen(value);

        for (const char *at = choices; at;) {
                const char *end = strchr(at, '|');
                size_t n = end ? (size_t)(end - at) : strlen(at);
                if (n == len && memcmp(at, value, n) == 0)
                        return true;
                at = end ? end + 1 : NULL;
        }
        return false;
}

static int no_choice(const cli_call *cli, const cli_option *option, const char *value)
{
        pawl__similar similar = {.typed = pawl__text(value)};
        char names[128], *rest = names;

        snprintf(names, sizeof names, "%s", option->choices);
        for (const char *name; (name = strsep(&rest, "|"));)
                pawl__similar_try(&similar, name);
        return cli_usage(cli, "--%s: there is no \"%s\"; %s%s%sgive one of %s", option->name, value,
                similar.found ? "did you mean " : "", similar.found ? similar.found : "",
                similar.found ? "? " : "", option->choices);
}

int cli_check_value(const cli_call *cli, const cli_option *option, const char *value)
{
        uint64_t n;

        switch (option->kind) {
        case CLI_FLAG:
        case CLI_LOCAL:
        case CLI_DRY_RUN:
        case CLI_TEXT:
        case CLI_TEXTS:
                return CLI_DONE;
        case CLI_FILE:
                if (*value)
                        return CLI_DONE;
                return cli_usage(cli, "--%s: the name is empty; give a path", option->name);
        case CLI_NUMBER:
                if (cli_parse_number(&n, value) && n > 0)
                        return CLI_DONE;
                return cli_usage(cli, "--%s: \"%s\" is not a number from 1 up; give digits alone",
                        option->name, value);
        case CLI_COUNT:
                if (cli_parse_number(&n, value))
                        return CLI_DONE;
                return cli_usage(cli, "--%s: \"%s\" is not a number from 0 up; give digits alone",
                        option->name, value);
        case CLI_SECONDS:
                if (!*value || (cli_parse_number(&n, value) && n <= 4000000))
                        return CLI_DONE;
                return cli_usage(cli, "--%s: \"%s\" is not a number of seconds; give 0 to 4000000",
                        option->name, value);
        case CLI_DURATION:
                if (parse_units(&n, value, durations, LONGEST_DURATION))
                        return CLI_DONE;
                return cli_usage(cli,
                        "--%s: \"%s\" is not a time; give a number and s, m, h or d, such as 30m",
                        option->name, value);
        case CLI_SIZE:
                if (parse_size(&n, value))
                        return CLI_DONE;
                return cli_usage(cli,
                        "--%s: \"%s\" is not a size; give a number of bytes, or one with K, M or "
                        "G, such as 64M",
                        option->name, value);
        case CLI_CHOICE:
                if (choice_fits(option->choices, value))
                        return CLI_DONE;
                return no_choice(cli, option, value);
        }
        return CLI_DONE;
}

/* Does the name, which ends at len, stand for this option? */
static bool named(const cli_option *option, const char *name, size_t len)
{
        return strlen(option->name) == len && memcmp(option->name, name, len) == 0;
}

int cli_option_place(const cli_option *options, const char *name, size_t len)
{
        for (int i = 0; options && options[i].name; i++)
                if (named(&options[i], name, len))
                        return i;
        return -1;
}

const char *cli_value(const cli_call *cli, const char *option)
{
        int place = cli_option_place(cli->cmd->options, option, strlen(option));

        if (place >= 0)
                return cli->values[place];
        place = cli_option_place(cli->program->shared, option, strlen(option));
        assert(place >= 0);
        return cli->shared[place];
}

size_t cli_texts(const char **out, const cli_call *cli, const char *option)
{
        const cli_option *wanted =
                &cli->cmd->options[cli_option_place(cli->cmd->options, option, strlen(option))];
        size_t n = 0;

        for (size_t i = 0; i < cli->n_repeated; i++)
                if (cli->repeated[i].option == wanted)
                        out[n++] = cli->repeated[i].value;
        return n;
}

bool cli_given(const cli_call *cli, const char *option)
{
        return cli_value(cli, option) != NULL;
}

bool cli_changes(const cli_call *cli)
{
        const cli_option *options = cli->cmd->options;

        for (int i = 0; options && options[i].name; i++)
                if (options[i].kind == CLI_DRY_RUN && cli->values[i])
                        return false;
        return (cli->cmd->traits & CLI_CHANGES) != 0;
}

uint64_t cli_number(const cli_call *cli, const char *option, uint64_t otherwise)
{
        const char *value = cli_value(cli, option);
        uint64_t n = otherwise;

        if (value)
                cli_parse_number(&n, value);
        return n;
}

uint64_t cli_duration_ms(const cli_call *cli, const char *option)
{
        const char *value = cli_value(cli, option);
        uint64_t ms = 0;

        if (value)
                parse_units(&ms, value, durations, LONGEST_DURATION);
        return ms;
}

uint64_t cli_size(const cli_call *cli, const char *option)
{
        const char *value = cli_value(cli, option);
        uint64_t bytes = 0;

        if (value)
                parse_size(&bytes, value);
        return bytes;
}

const char *cli_arg(const cli_call *cli, int index)
{
        return index < cli->n_args ? cli->args[index] : NULL;
}

const char *cli_named_log(const cli_call *cli)
{
        const char *named = cli->in->log ? pawl__log_path(cli->in->log) : cli->db;

        if (!named)
                named = getenv("PAWL_DB");
        return named && *named ? named : NULL;
}

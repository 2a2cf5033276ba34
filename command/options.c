/* Finding the subcommand and reading its options, wherever among the arguments they stand. */
#include "base/text.h"
#include "command/command.h"
#include <assert.h>
#include <stdio.h>

const cli_option cli_globals[] = {
        {"db", 0, 0, CLI_FILE, "PATH", NULL,
                "the log, in place of $PAWL_DB or the nearest .pawl/events.db"},
        {"help", 'h', 0, CLI_FLAG, NULL, NULL, "say how this is used, and exit"},
        {"version", 0, 0, CLI_FLAG, NULL, NULL, "print the version, and exit"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

enum { GLOBAL_DB, GLOBAL_HELP, GLOBAL_VERSION };

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

/* Does the name, which ends at len, stand for this option? */
static bool named(const cli_option *option, const char *name, size_t len)
{
        return strlen(option->name) == len && memcmp(option->name, name, len) == 0;
}

static int place_of(const cli_option *options, const char *name, size_t len)
{
        for (int i = 0; options && options[i].name; i++)
                if (named(&options[i], name, len))
                        return i;
        return -1;
}

/* The place of the very option, not of one that has its name. */
static int place_in(const cli_option *options, const cli_option *option)
{
        int place = place_of(options, option->name, strlen(option->name));

        return place >= 0 && &options[place] == option ? place : -1;
}

static int place_of_letter(const cli_option *options, char letter)
{
        for (int i = 0; options && options[i].name; i++)
                if (options[i].letter == letter)
                        return i;
        return -1;
}

const char *cli_value(const cli_call *cli, const char *option)
{
        int place = place_of(cli->cmd->options, option, strlen(option));

        if (place >= 0)
                return cli->values[place];
        place = place_of(cli->program->shared, option, strlen(option));
        assert(place >= 0);
        return cli->shared[place];
}

struct cli_repeated {
        const cli_option *option;
        const char *value;
};

size_t cli_texts(const char **out, const cli_call *cli, const char *option)
{
        const cli_option *wanted =
                &cli->cmd->options[place_of(cli->cmd->options, option, strlen(option))];
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

/* An option of any subcommand: whether it takes a value is the same in all of them (a test holds
 * the tables to that), so that options may also stand before the subcommand. */
static const cli_option *any_option(
        const cli_program *program, const char *name, size_t len, char letter)
{
        int place =
                letter ? place_of_letter(cli_globals, letter) : place_of(cli_globals, name, len);

        if (place >= 0)
                return &cli_globals[place];
        place = letter ? place_of_letter(program->shared, letter)
                       : place_of(program->shared, name, len);
        if (place >= 0)
                return &program->shared[place];
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                const cli_option *options = (*cmd)->options;
                place = letter ? place_of_letter(options, letter) : place_of(options, name, len);
                if (place >= 0)
                        return &options[place];
        }
        return NULL;
}

static bool takes_next(const cli_option *option)
{
        return option && option->kind != CLI_FLAG && option->kind != CLI_SECONDS;
}

/* Is the word after this option its value? */
static bool value_follows(const cli_program *program, const char *word)
{
        if (word[1] == '-')
                return !strchr(word, '=') &&
                       takes_next(any_option(program, word + 2, strlen(word + 2), 0));
        for (const char *letter = word + 1; *letter; letter++)
                if (takes_next(any_option(program, NULL, 0, *letter)))
                        return !letter[1];
        return false;
}

/* The places of the first two words that are neither options nor their values. */
static int find_words(
        const cli_program *program, const char *const *words, size_t n_words, size_t places[2])
{
        int n = 0;
        bool ended = false;

        for (size_t i = 0; i < n_words && n < 2; i++) {
                const char *word = words[i];
                if (!ended && strcmp(word, "--") == 0)
                        ended = true;
                else if (!ended && word[0] == '-' && word[1])
                        i += value_follows(program, word);
                else
                        places[n++] = i;
        }
        return n;
}

const cli_cmd *cli_find(const cli_program *program, const char *const *words, int n, int *used)
{
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                const char *space = strchr((*cmd)->name, ' ');
                if (!space) {
                        if (n >= 1 && strcmp((*cmd)->name, words[0]) == 0) {
                                *used = 1;
                                return *cmd;
                        }
                } else if (n >= 2 && strlen(words[0]) == (size_t)(space - (*cmd)->name) &&
                           memcmp(words[0], (*cmd)->name, strlen(words[0])) == 0 &&
                           strcmp(space + 1, words[1]) == 0) {
                        *used = 2;
                        return *cmd;
                }
        }
        return NULL;
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

static int check_value(const cli_call *cli, const cli_option *option, const char *value)
{
        uint64_t n;

        switch (option->kind) {
        case CLI_FLAG:
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
                return cli_usage(cli, "--%s: there is no \"%s\"; give one of %s", option->name,
                        value, option->choices);
        }
        return CLI_DONE;
}

/* Where an option's value is kept: by its place in the subcommand's table or among the globals. */
static int keep(cli_call *cli, const cli_option *option, const char *value)
{
        int code = check_value(cli, option, value);
        int place;

        if (code)
                return code;
        if (option == &cli_globals[GLOBAL_DB])
                cli->db = value;
        else if (option == &cli_globals[GLOBAL_HELP])
                cli->help = true;
        else if (option == &cli_globals[GLOBAL_VERSION])
                cli->version = true;
        else if ((place = place_in(cli->program->shared, option)) >= 0)
                cli->shared[place] = value;
        else if (cli->cmd)
                cli->values[option - cli->cmd->options] = value;
        if (option->kind != CLI_TEXTS)
                return CLI_DONE;
        if (pawl__grow(&cli->repeated, &cli->cap_repeated, cli->n_repeated + 1,
                    sizeof *cli->repeated)) {
                fprintf(cli->in->err, "%s: out of memory\n", cli->program->name);
                return CLI_FAILED;
        }
        cli->repeated[cli->n_repeated++] = (struct cli_repeated){option, value};
        return CLI_DONE;
}

static const cli_option *option_of(const cli_call *cli, const char *name, size_t len, char letter)
{
        const cli_option *tables[] = {
                cli->cmd ? cli->cmd->options : NULL, cli->program->shared, cli_globals};

        for (int i = 0; i < 3; i++) {
                int place = letter ? place_of_letter(tables[i], letter)
                                   : place_of(tables[i], name, len);
                if (place >= 0)
                        return &tables[i][place];
        }
        return NULL;
}

/* The words of an invocation without those that name the subcommand. */
struct words {
        const char *const *all;
        size_t n, next;
        size_t skip[2]; /* n: none */
};

static const char *next_word(struct words *words)
{
        while (words->next < words->n &&
                (words->next == words->skip[0] || words->next == words->skip[1]))
                words->next++;
        return words->next < words->n ? words->all[words->next++] : NULL;
}

static int read_long(cli_call *cli, const char *word, struct words *words)
{
        const char *name = word + 2;
        const char *value = strchr(name, '=');
        size_t len = value ? (size_t)(value - name) : strlen(name);
        const cli_option *option = option_of(cli, name, len, 0);

        if (!option)
                return cli_usage(cli, "unknown option --%.*s", (int)len, name);
        if (value) {
                if (option->kind == CLI_FLAG)
                        return cli_usage(cli, "--%s takes no value", option->name);
                if (option->kind == CLI_SECONDS && !value[1])
                        return cli_usage(cli,
                                "--%s= names no seconds; leave = out to wait without an end",
                                option->name);
                return keep(cli, option, value + 1);
        }
        value = "";
        if (takes_next(option)) {
                value = next_word(words);
                if (!value)
                        return cli_usage(
                                cli, "--%s needs a value: %s", option->name, option->value);
        }
        return keep(cli, option, value);
}

static int read_letters(cli_call *cli, const char *word, struct words *words)
{
        for (const char *letter = word + 1; *letter; letter++) {
                const cli_option *option = option_of(cli, NULL, 0, *letter);
                if (!option)
                        return cli_usage(cli, "unknown option -%s", letter);
                const char *value = "";
                bool whole = takes_next(option);
                if (whole) {
                        value = letter[1] ? letter + 1 : next_word(words);
                        if (!value)
                                return cli_usage(
                                        cli, "-%c needs a value: %s", *letter, option->value);
                }
                int code = keep(cli, option, value);
                if (code || whole)
                        return code;
        }
        return CLI_DONE;
}

static int check_groups(const cli_call *cli)
{
        const cli_option *options = cli->cmd->options;

        for (int i = 0; options && options[i].name; i++) {
                const char *names[2] = {NULL, NULL};
                int members = 0, given = 0;
                for (int j = 0; options[i].group && options[j].name; j++) {
                        if (options[j].group != options[i].group)
                                continue;
                        names[members++ > 0] = options[j].name;
                        given += cli->values[j] != NULL;
                }
                if (members == 0 || given == 1)
                        continue;
                if (members == 1)
                        return cli_usage(cli, "--%s is needed", names[0]);
                return cli_usage(cli, "give exactly one of --%s and --%s", names[0], names[1]);
        }
        return CLI_DONE;
}

static int check_args(const cli_call *cli)
{
        if (cli->n_args < cli->cmd->min_args)
                return cli_usage(cli, "an argument is missing: %s", cli->cmd->args);
        return check_groups(cli);
}

static int read_words(cli_call *cli, struct words *words)
{
        bool ended = false;
        const char *word;

        while ((word = next_word(words))) {
                int code = CLI_DONE;
                if (!ended && strcmp(word, "--") == 0)
                        ended = true;
                else if (!ended && word[0] == '-' && word[1] == '-')
                        code = read_long(cli, word, words);
                else if (!ended && word[0] == '-' && word[1])
                        code = read_letters(cli, word, words);
                else if (cli->n_args == (cli->cmd ? cli->cmd->max_args : 0))
                        code = cli_usage(cli, "one argument too many: \"%s\"", word);
                else
                        cli->args[cli->n_args++] = word;
                if (code)
                        return code;
        }
        return CLI_DONE;
}

int cli_parse(cli_call *cli, const cli_program *program, const char *const *all, size_t n_all,
        const cli_context *in)
{
        struct words words = {all, n_all, 0, {n_all, n_all}};
        const char *found[2] = {NULL, NULL};
        size_t places[2] = {0, 0};
        int used = 0;

        *cli = (cli_call){.in = in, .program = program};
        int n = find_words(program, all, n_all, places);
        for (int i = 0; i < n; i++)
                found[i] = all[places[i]];
        cli->cmd = cli_find(program, found, n, &used);
        if (!cli->cmd && n > 0)
                return cli_usage(cli, "unknown command \"%s%s%s\"", found[0], n > 1 ? " " : "",
                        n > 1 ? found[1] : "");
        for (int i = 0; i < used; i++)
                words.skip[i] = places[i];
        int code = read_words(cli, &words);
        if (code || cli->help || cli->version)
                return code;
        if (!cli->cmd)
                return cli_usage(cli, "a command is missing");
        return check_args(cli);
}

/* Finding the subcommand and reading its options, wherever among the arguments they stand. */
#include "base/error.h"
#include "base/similar.h"
#include "command/values.h"
#include <stdio.h>

const cli_option cli_globals[] = {
        {"db", 0, 0, CLI_FILE, "PATH", NULL,
                "the log, in place of $PAWL_DB or the nearest .pawl/events.db"},
        {"help", 'h', 0, CLI_LOCAL, NULL, NULL, "say how this is used, and exit"},
        {"version", 0, 0, CLI_LOCAL, NULL, NULL, "print the version, and exit"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_option cli_json_option[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

enum { GLOBAL_DB, GLOBAL_HELP, GLOBAL_VERSION };

/* The place of the very option, not of one that has its name. */
static int place_in(const cli_option *options, const cli_option *option)
{
        int place = cli_option_place(options, option->name, strlen(option->name));

        return place >= 0 && &options[place] == option ? place : -1;
}

static int place_of_letter(const cli_option *options, char letter)
{
        for (int i = 0; options && options[i].name; i++)
                if (options[i].letter == letter)
                        return i;
        return -1;
}

/* An option of any subcommand: whether it takes a value is the same in all of them (a test holds
 * the tables to that), so that options may also be before the subcommand. */
static const cli_option *any_option(
        const cli_program *program, const char *name, size_t len, char letter)
{
        int place = letter ? place_of_letter(cli_globals, letter)
                           : cli_option_place(cli_globals, name, len);

        if (place >= 0)
                return &cli_globals[place];
        place = letter ? place_of_letter(program->shared, letter)
                       : cli_option_place(program->shared, name, len);
        if (place >= 0)
                return &program->shared[place];
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                const cli_option *options = (*cmd)->options;
                place = letter ? place_of_letter(options, letter)
                               : cli_option_place(options, name, len);
                if (place >= 0)
                        return &options[place];
        }
        return NULL;
}

static bool takes_next(const cli_option *option)
{
        return option && !cli_is_flag(option) && option->kind != CLI_SECONDS;
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
        const cli_cmd *found = NULL;

        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                const char *space = strchr((*cmd)->name, ' ');
                if (!space) {
                        if (n >= 1 && strcmp((*cmd)->name, words[0]) == 0) {
                                *used = 1;
                                found = *cmd;
                        }
                } else if (n >= 2 && strlen(words[0]) == (size_t)(space - (*cmd)->name) &&
                           memcmp(words[0], (*cmd)->name, strlen(words[0])) == 0 &&
                           strcmp(space + 1, words[1]) == 0) {
                        *used = 2;
                        return *cmd;
                }
        }
        return found;
}

/* Where an option's value is kept: by its place in the subcommand's table or among the globals. */
static int keep(cli_call *cli, const cli_option *option, const char *value)
{
        int place;

        if (cli->in->served && cli_is_local(option))
                return cli_usage(cli, "--%s: is for the machine of the log alone; leave it out",
                        option->name);
        int code = cli_check_value(cli, option, value);
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
                                   : cli_option_place(tables[i], name, len);
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

static int unknown_option(const cli_call *cli, pawl_text name)
{
        const cli_option *tables[] = {
                cli->cmd ? cli->cmd->options : NULL, cli->program->shared, cli_globals};
        pawl__similar similar = {.typed = name};

        for (int i = 0; i < 3; i++)
                for (const cli_option *option = tables[i]; option && option->name; option++)
                        pawl__similar_try(&similar, option->name);
        return cli_usage(cli, "unknown option --%.*s%s%s%s", PAWL__FMT(name),
                similar.found ? "; did you mean --" : "", similar.found ? similar.found : "",
                similar.found ? "?" : "");
}

static int read_long(cli_call *cli, const char *word, struct words *words)
{
        const char *name = word + 2;
        const char *value = strchr(name, '=');
        size_t len = value ? (size_t)(value - name) : strlen(name);
        const cli_option *option = option_of(cli, name, len, 0);

        if (!option)
                return unknown_option(cli, pawl__text_n(name, len));
        if (value) {
                if (cli_is_flag(option))
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

/* "--one, --two and --three" */
static void name_group(pawl__buf *out, const cli_option *options, char group, int members)
{
        for (int i = 0; options[i].name; i++)
                if (options[i].group == group) {
                        const char *before = out->len == 0 ? "" : members == 1 ? " and " : ", ";
                        pawl__buf_addf(out, "%s--%s", before, options[i].name);
                        members--;
                }
}

static int check_groups(const cli_call *cli)
{
        const cli_option *options = cli->cmd->options;

        for (int i = 0; options && options[i].name; i++) {
                int members = 0, given = 0;
                for (int j = 0; options[i].group && options[j].name; j++) {
                        members += options[j].group == options[i].group;
                        given += options[j].group == options[i].group && cli->values[j];
                }
                if (members == 0 || given == 1)
                        continue;
                pawl__buf names = PAWL__BUF_INIT;
                name_group(&names, options, options[i].group, members);
                const int code = cli_usage(cli,
                        members == 1 ? "%s is needed" : "give exactly one of %s",
                        names.data && !names.failed ? names.data : "the options of a group");
                pawl__buf_free(&names);
                return code;
        }
        return CLI_DONE;
}

bool cli_next_arg(cli_arg_name *out, const char **at)
{
        const char *word = *at;

        if (!word || !*word)
                return false;
        const size_t len = strcspn(word, " ");
        *at = word + len + (word[len] == ' ');
        out->required = *word != '[';
        out->name = out->required ? pawl__text_n(word, len) : pawl__text_n(word + 1, len - 2);
        out->repeated =
                out->name.len > 3 && memcmp(out->name.data + out->name.len - 3, "...", 3) == 0;
        out->name.len -= out->repeated ? 3 : 0;
        return true;
}

/* How many arguments it takes. */
static void count_args(int *least, int *most, const cli_cmd *cmd)
{
        const char *at = cmd->args;
        cli_arg_name arg;

        *least = 0;
        *most = cmd->more_args;
        while (cli_next_arg(&arg, &at)) {
                *least += arg.required;
                *most = arg.repeated ? CLI_ARGS_MAX : *most + 1;
        }
}

static int check_args(const cli_call *cli)
{
        int least, most;

        count_args(&least, &most, cli->cmd);
        if (cli->n_args < least)
                return cli_usage(cli, "an argument is missing: %s", cli->cmd->args);
        return check_groups(cli);
}

static int read_words(cli_call *cli, struct words *words)
{
        const char *word;
        int least, most = 0;

        if (cli->cmd)
                count_args(&least, &most, cli->cmd);
        while ((word = next_word(words))) {
                int code = CLI_DONE;
                if (!cli->ended && strcmp(word, "--") == 0) {
                        cli->ended = true;
                        cli->n_before = cli->n_args;
                } else if (!cli->ended && word[0] == '-' && word[1] == '-')
                        code = read_long(cli, word, words);
                else if (!cli->ended && word[0] == '-' && word[1])
                        code = read_letters(cli, word, words);
                else if (cli->n_args == most)
                        code = cli_usage(cli, "one argument too many: \"%s\"", word);
                else
                        cli->args[cli->n_args++] = word;
                if (code)
                        return code;
        }
        return CLI_DONE;
}

/* Nobody who is served reads a table. */
static void ask_for_json(cli_call *cli)
{
        int place = cli_option_place(cli->cmd->options, "json", strlen("json"));

        if (place >= 0)
                cli->values[place] = "";
}

static int read_all(cli_call *cli, struct words *words)
{
        if (cli->in->served && cli->cmd && !(cli->cmd->traits & CLI_SERVED))
                return cli_usage(cli, "is for the machine of the log alone; run it there");
        int code = read_words(cli, words);
        if (code || cli->help || cli->version)
                return code;
        if (!cli->cmd)
                return cli_usage(cli, "a command is missing");
        if (cli->in->served)
                ask_for_json(cli);
        return check_args(cli);
}

/* Among words that belong to no command. */
static bool asks_for_help(const struct words *words)
{
        for (size_t i = 0; i < words->n; i++)
                if (strcmp(words->all[i], "--help") == 0 || strcmp(words->all[i], "-h") == 0)
                        return true;
        return false;
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
        if (!cli->cmd && n == 1 && cli_begins(program, found[0]) && asks_for_help(&words)) {
                cli->help = true;
                cli->args[cli->n_args++] = found[0];
                return CLI_DONE;
        }
        if (!cli->cmd && n > 0)
                return cli_unknown(cli, found, n);
        for (int i = 0; i < 2 && i < used; i++)
                words.skip[i] = places[i];
        return read_all(cli, &words);
}

int cli_parse_cmd(cli_call *cli, const cli_program *program, const cli_cmd *cmd,
        const char *const *all, size_t n_all, const cli_context *in)
{
        struct words words = {all, n_all, 0, {n_all, n_all}};

        *cli = (cli_call){.in = in, .program = program, .cmd = cmd};
        return read_all(cli, &words);
}

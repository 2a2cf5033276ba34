/* Bash completion, written out from the tables: `PROGRAM completion bash`; and what its script asks
 * for while somebody types: `PROGRAM completion ids KIND`. */
#include "command/find.h"
#include "state/state.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_choices(FILE *out, const char *choices)
{
        for (; *choices; choices++)
                fputc(*choices == '|' ? ' ' : *choices, out);
}

/* The kind of id that an option takes, or NULL. */
static const char *kind_of_option(const char *name)
{
        return strcmp(name, "run") == 0 ? "RUN" : strcmp(name, "session") == 0 ? "SESSION" : NULL;
}

/* The kind of id that an argument of this name is, or NULL. */
static const char *kind_of_arg(pawl_text name)
{
        static const char *const kinds[] = {"RUN", "CONFLICT", "SESSION", "CHECKPOINT", "STEP"};

        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
                if (name.len && memmem(name.data, name.len, kinds[i], strlen(kinds[i])))
                        return kinds[i];
        return name.len && strchr("AB", *name.data) ? "CHECKPOINT" : NULL;
}

/* The first two arguments of a command, where they are ids. */
static void put_id_cases(FILE *out, const cli_program *program, const cli_cmd *cmd)
{
        const char *at = cmd->args;
        cli_arg_name arg;

        for (int i = 0; i < 2 && cli_next_arg(&arg, &at); i++) {
                const char *kind = kind_of_arg(arg.name);
                if (kind)
                        fprintf(out,
                                "                '%s%s) _%s_ids %s \"${cmd##* }\"; return ;;\n",
                                cmd->name, i ? " '*" : "'", program->name, kind);
        }
}

/* What may be after an option that takes a value. */
static void put_value_case(FILE *out, const cli_program *program, const cli_option *option)
{
        if (cli_is_flag(option) || option->kind == CLI_SECONDS)
                return;
        fprintf(out, "        --%s", option->name);
        if (option->letter)
                fprintf(out, "|-%c", option->letter);
        fprintf(out, ")\n                ");
        if (option->kind == CLI_CHOICE) {
                fprintf(out, "COMPREPLY=($(compgen -W '");
                put_choices(out, option->choices);
                fprintf(out, "' -- \"$cur\"))\n                ");
        } else if (kind_of_option(option->name)) {
                fprintf(out, "_%s_ids %s\n                ", program->name,
                        kind_of_option(option->name));
        } else if (option->kind == CLI_FILE) {
                fprintf(out, "COMPREPLY=($(compgen -f -- \"$cur\"))\n                ");
        }
        fprintf(out, "return\n                ;;\n");
}

/* Has an earlier subcommand an option of this name? It takes the same values. */
static bool seen_before(const cli_program *program, const cli_cmd *const *upto, const char *name)
{
        for (const cli_cmd *const *cmd = program->cmds; cmd != upto; cmd++)
                for (int i = 0; (*cmd)->options && (*cmd)->options[i].name; i++)
                        if (strcmp((*cmd)->options[i].name, name) == 0)
                                return true;
        return false;
}

static void put_option_names(FILE *out, const cli_option *options)
{
        for (int i = 0; options && options[i].name; i++)
                fprintf(out, " --%s", options[i].name);
}

/* The names of the subcommands, first words once; or the second words after @p first. */
static void put_words(FILE *out, const cli_program *program, const char *first)
{
        const char *last = "";
        size_t last_len = 0;

        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                const char *name = (*cmd)->name;
                const char *space = strchr(name, ' ');
                size_t len = space ? (size_t)(space - name) : strlen(name);
                if (first) {
                        if (space && strlen(first) == len && memcmp(first, name, len) == 0)
                                fprintf(out, " %s", space + 1);
                } else if (len != last_len || memcmp(name, last, len) != 0) {
                        fprintf(out, " %.*s", (int)len, name);
                        last = name;
                        last_len = len;
                }
        }
}

static void put_pairs(FILE *out, const cli_program *program)
{
        char done[32] = "";

        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                const char *space = strchr((*cmd)->name, ' ');
                char first[32];
                if (!space)
                        continue;
                snprintf(first, sizeof first, "%.*s", (int)(space - (*cmd)->name), (*cmd)->name);
                if (strcmp(first, done) == 0)
                        continue;
                memcpy(done, first, sizeof done);
                fprintf(out, "        %s)\n                COMPREPLY=($(compgen -W '", first);
                put_words(out, program, first);
                fprintf(out, "' -- \"$cur\"))\n                return\n                ;;\n");
        }
}

/* The ids are put together by hand: compgen -W would run what is in them. */
static void put_ids_function(FILE *out, const char *name)
{
        fprintf(out,
                "_%s_ids()\n{\n        local i id db=()\n"
                "        for ((i = 1; i < COMP_CWORD; i++)); do\n"
                "                [[ ${COMP_WORDS[i]} != --db ]] || db=(--db \"${COMP_WORDS[i + 1]}\")\n"
                "        done\n        while IFS= read -r id; do\n"
                "                [[ $id != \"$cur\"* ]] || COMPREPLY+=(\"$id\")\n"
                "        done < <(%s completion ids \"$1\" ${2:+\"$2\"} \"${db[@]}\" 2>/dev/null "
                "</dev/null)\n}\n",
                name, name);
}

static void put_script(FILE *out, const cli_program *program)
{
        fprintf(out, "# bash completion for %s, written by `%s completion bash`\n", program->name,
                program->name);
        put_ids_function(out, program->name);
        fprintf(out,
                "_%s()\n{\n"
                "        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                "        local i cmd=\n        COMPREPLY=()\n\n        case $prev in\n",
                program->name);
        put_value_case(out, program, &cli_globals[0]);
        for (int i = 0; program->shared && program->shared[i].name; i++)
                put_value_case(out, program, &program->shared[i]);
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++)
                for (int i = 0; (*cmd)->options && (*cmd)->options[i].name; i++)
                        if (!seen_before(program, cmd, (*cmd)->options[i].name))
                                put_value_case(out, program, &(*cmd)->options[i]);
        fprintf(out, "        esac\n\n"
                     "        for ((i = 1; i < COMP_CWORD; i++)); do\n"
                     "                case ${COMP_WORDS[i]} in\n"
                     "                --db|--key-file) ((i++)) ;;\n"
                     "                -*) ;;\n"
                     "                *) cmd+=${cmd:+ }${COMP_WORDS[i]} ;;\n"
                     "                esac\n        done\n\n        case $cmd in\n"
                     "        '')\n                COMPREPLY=($(compgen -W '");
        put_words(out, program, NULL);
        put_option_names(out, program->shared);
        put_option_names(out, cli_globals);
        fprintf(out, "' -- \"$cur\"))\n                return\n                ;;\n");
        put_pairs(out, program);
        fprintf(out, "        esac\n\n        if [[ $cur != -* ]]; then\n"
                     "                case $cmd in\n");
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++)
                put_id_cases(out, program, *cmd);
        fprintf(out,
                "                esac\n"
                "                COMPREPLY=($(compgen -f -- \"$cur\"))\n                return\n"
                "        fi\n\n        case $cmd in\n");
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++) {
                fprintf(out, "        '%s' | '%s '*)\n                COMPREPLY=($(compgen -W '",
                        (*cmd)->name, (*cmd)->name);
                put_option_names(out, (*cmd)->options);
                put_option_names(out, program->shared);
                put_option_names(out, cli_globals);
                fprintf(out, "' -- \"$cur\"))\n                ;;\n");
        }
        fprintf(out, "        esac\n}\ncomplete -o filenames -F _%s %s\n", program->name,
                program->name);
}

/* ---- Ids, a line each ------------------------------------------------------------------------ */

enum { MOST = 500 };

/* Only what a shell takes as it is: an id is somebody's text. */
static void put_id(FILE *out, pawl_text id)
{
        static const char plain[] =
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@";

        for (size_t i = 0; i < id.len; i++)
                if (!memchr(plain, id.data[i], sizeof plain - 1))
                        return;
        if (id.len)
                fprintf(out, "%.*s\n", (int)id.len, id.data);
}

static pawl_status read_ids(pawl__row **rows, size_t *n, int *column, const cli_call *cli,
        pawl__state *state, pawl__arena *arena, pawl_error *err)
{
        const char *kind = cli->args[1], *of = cli_arg(cli, 2);
        const pawl_text none = {NULL, 0};
        pawl_text run = pawl__text(of);
        const pawl__table runs = PAWL__RUNS;

        if (strcmp(kind, "CONFLICT") == 0) {
                *column = PAWL__CON_ID;
                return pawl__state_conflicts(rows, n, state, none, none, true, arena, err);
        }
        if (strcmp(kind, "SESSION") == 0) {
                *column = PAWL__SES_ID;
                return pawl__state_sessions(
                        rows, n, state, none, NULL, &(pawl__page){.limit = MOST}, arena, err);
        }
        if (strcmp(kind, "CHECKPOINT") == 0) {
                *column = PAWL__WCP_N;
                return pawl__state_workspace_all(rows, n, state, arena, err);
        }
        if (strcmp(kind, "STEP") == 0 && of) {
                *column = PAWL__STEP_ID;
                pawl_status status = pawl__state_whole_id(&run, state, &runs, 1, "run", arena, err);
                return status ? status : pawl__state_steps(rows, n, state, run, arena, err);
        }
        *column = PAWL__RUN_ID;
        return pawl__state_runs(rows, n, state, PAWL__RUNS_ALL, 0, MOST, arena, err);
}

static int print_ids(const cli_call *cli)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__row *rows = NULL;
        pawl__state *state;
        pawl_log *log;
        size_t n = 0;
        int column = 0;

        if (cli_open_log(&log, cli, CLI_READ, &err))
                return cli_fail(cli, &err);
        pawl_status status = pawl__state_of(&state, log, &err);
        if (!status)
                status = read_ids(&rows, &n, &column, cli, state, &arena, &err);
        for (size_t i = 0; !status && i < n; i++)
                if (column == PAWL__WCP_N && strcmp(cli->args[1], "CHECKPOINT") == 0)
                        fprintf(cli->in->out, "%" PRId64 "\n", rows[i].v[column].integer);
                else
                        put_id(cli->in->out, rows[i].v[column].text);
        pawl__arena_free(&arena);
        cli_close_log(cli, log);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static int completion_run(cli_call *cli)
{
        if (strcmp(cli->args[0], "ids") == 0 && cli->n_args > 1)
                return print_ids(cli);
        if (cli->n_args > 1)
                return cli_usage(cli, "one argument too many: \"%s\"", cli->args[1]);
        if (strcmp(cli->args[0], "bash") != 0)
                return cli_usage(cli, "there is no completion for \"%s\"; give bash", cli->args[0]);
        put_script(cli->in->out, cli->program);
        return CLI_DONE;
}

const cli_cmd cli_completion_cmd = {
        .name = "completion",
        .args = "bash",
        .more_args = 2,
        .help = "Print the completion script of a shell",
        .run = completion_run,
};

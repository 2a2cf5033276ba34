/**
 * @file command/command.h
 * @brief A program as a table of subcommands: what drives dispatch, help, completion and man pages.
 */
#pragma once

#include "base/memory.h"
#include <pawl/events.h>
#include <stdbool.h>
#include <stdio.h>

/** Exit codes of both programs (128 + signal beside them). */
enum {
        CLI_DONE = 0,
        CLI_FAILED = 1,
        CLI_USAGE = 2,
        CLI_BLOCKED = 3,
        CLI_INPUTS_CHANGED = 4,
        CLI_DAMAGED = 5,
        CLI_BUSY = 6
};

#define CLI_OPTIONS_MAX 16 /* of one subcommand */
#define CLI_SHARED_MAX  2  /* of one program, for all its subcommands */
#define CLI_ARGS_MAX    64 /* of one subcommand */

/** What an option's value must be. Checked while parsing, so that a wrong one is wrong usage. */
typedef enum cli_kind {
        CLI_FLAG,     /**< there is none */
        CLI_LOCAL,    /**< there is none, and a service refuses it: it is about this machine */
        CLI_DRY_RUN,  /**< there is none; with it a command that writes only looks */
        CLI_TEXT,     /**< any text */
        CLI_TEXTS,    /**< any text; may be given again and again: cli_texts() */
        CLI_FILE,     /**< the name of a file of this machine: a service refuses it */
        CLI_NUMBER,   /**< 1 to 2^63 - 1 */
        CLI_COUNT,    /**< 0 to 2^63 - 1 */
        CLI_SECONDS,  /**< "--wait", or "--wait=SECONDS": 0 to 4,000,000 */
        CLI_DURATION, /**< a number and s, m, h or d: "30m" */
        CLI_SIZE,     /**< bytes from 1 up; "64M": K, M and G are powers of 1,024 */
        CLI_CHOICE    /**< one of choices */
} cli_kind;

typedef struct cli_option {
        const char *name; /**< without the dashes */
        char letter;      /**< of the short form; 0: none */
        char group;       /**< of the options of one group exactly one is given; 0: free */
        cli_kind kind;
        const char *value;   /**< how help names the value; NULL for a flag */
        const char *choices; /**< CLI_CHOICE: "off|medium|max" */
        const char *help;
} cli_option;

typedef struct cli_call cli_call;

/** What a command does with the log. */
typedef enum cli_access {
        CLI_READ,   /**< change nothing, not even to catch up or migrate */
        CLI_VERIFY, /**< as CLI_READ, with the key */
        CLI_LOOK,  /**< as CLI_WRITE where the log can be written, else as CLI_READ; appends nothing
                    */
        CLI_WRITE, /**< with the key; as CLI_LOOK where the call changes nothing: cli_changes() */
        CLI_MAKE   /**< make ./.pawl/events.db, or the one that was named, where there is none */
} cli_access;

/** What a command does with a log that is open; cli->code is what it exits with on PAWL_OK. */
typedef pawl_status cli_log_fn(cli_call *cli, pawl_log *log, pawl_error *err);

/** What a subcommand does, and where it may be run. */
enum {
        /** A service offers it too: it needs no terminal, starts no program, reads and writes no
         *  file that its arguments name, and with --json (or always) prints one JSON value. */
        CLI_SERVED = 1,
        CLI_CHANGES = 2,   /**< it writes, but for an option of CLI_DRY_RUN; without this, it reads
                              only */
        CLI_WORKSPACE = 4, /**< it works on the files of the workspace */
        CLI_LINES = 8,     /**< in place of one JSON value it prints JSON Lines */
        CLI_REPLACES = 16, /**< what it changes does not only add: files or old data go, or what was
                              recorded holds no longer */
        CLI_ADDS = 32      /**< what it changes only adds; each command of CLI_CHANGES that is a
                              tool has one of these two */
};

#define CLI_ARG_HELP_MAX 3

typedef struct cli_cmd {
        const char *name; /**< one word, or two with a space between them */
        const char
                *args; /**< the arguments, as help names them: "A [B]" or "[NAME...]"; NULL: none */
        int more_args; /**< that it takes beside them */
        const char *arg_help[CLI_ARG_HELP_MAX]; /**< of each argument, in order */
        unsigned traits;                        /**< CLI_SERVED and others, or'ed */
        const cli_option *options;              /**< ended by a NULL name; NULL: none of its own */
        const char *help;                       /**< one line without a full stop */
        int (*run)(cli_call *cli);              /**< returns the exit code; NULL: */
        cli_log_fn *on_log; /**< called with the log, which is opened for it and closed, */
        cli_access access;  /**< in this way */
        void (*more_help)(const cli_call *cli); /**< what --help adds for these arguments; or NULL
                                                 */
} cli_cmd;

typedef struct cli_program {
        const char *name;
        const char *help;           /**< one line */
        const cli_cmd *const *cmds; /**< ended by NULL */
        const cli_option *shared;   /**< that its subcommands have too; NULL: none */
} cli_program;

/**
 * What an invocation runs in. A program makes one of its process, a service one of each request.
 * All of it is borrowed, and lasts as long as the call.
 */
typedef struct cli_context {
        FILE *out, *err; /**< where the command prints */
        pawl_log *log;   /**< the log that it uses; NULL: it finds and opens its own */
        const struct cli_registry *commands; /**< what a command serves that serves any; or NULL */
        const char *workspace;   /**< the root directory; NULL: --root, or as the log says */
        const char *actor;       /**< who asks, where --actor does not say; NULL: user:NAME */
        const char *home;        /**< the home directory of who runs the process, or NULL */
        const char *config_home; /**< $XDG_CONFIG_HOME, in place of ~/.config; or NULL */
        bool served;         /**< there is no terminal, no standard input, no environment: commands
                                that are not served and options that are local are refused, and
                                --json is given where the command has it */
        pawl_error *failure; /**< gets what cli_fail() and cli_usage() tell; NULL: not wanted */
} cli_context;

/** How an invocation ends, beside what the command itself returns. */
struct cli_ending {
        bool told;      /**< a failure was */
        int close_code; /**< what closing the log came to */
};

/** One invocation, parsed. */
struct cli_call {
        const cli_context *in;
        const cli_program *program;
        const cli_cmd *cmd;
        const char *args[CLI_ARGS_MAX];
        int n_args;
        bool ended;   /**< "--" was given ... */
        int n_before; /**< ... after so many of them */
        const char *
                values[CLI_OPTIONS_MAX]; /**< by the option's place in its table; NULL: not given */
        const char *shared[CLI_SHARED_MAX]; /**< the same, of the program's */
        struct cli_repeated *repeated;      /**< what options of CLI_TEXTS were given, in order */
        size_t n_repeated, cap_repeated;
        const char *db;            /**< --db, or NULL */
        int code;                  /**< CLI_DONE, unless the command says otherwise */
        pawl__arena *arena;        /**< for whatever is to live as long as the command runs */
        struct cli_ending *ending; /**< while the command runs */
        bool help, version;
};

/** Has the option no value? */
static inline bool cli_is_flag(const cli_option *option)
{
        return option->kind == CLI_FLAG || option->kind == CLI_LOCAL || option->kind == CLI_DRY_RUN;
}
/** Is it refused by a service? */
static inline bool cli_is_local(const cli_option *option)
{
        return option->kind == CLI_FILE || option->kind == CLI_LOCAL;
}

/** One of the words of a command's args. */
typedef struct cli_arg_name {
        pawl_text name;
        bool required, repeated;
} cli_arg_name;

/** The argument at *at, which begins as the command's args and moves on. False: there is none left.
 */
bool cli_next_arg(cli_arg_name *out, const char **at);

/** The options that every subcommand has; ended by a NULL name. */
extern const cli_option cli_globals[];
/** --json of an object, for commands that have no other option. */
extern const cli_option cli_json_option[];

/** Was this option, the subcommand's or the program's, given? Asking for one that neither has is a
 * bug here. */
bool cli_given(const cli_call *cli, const char *option);
/** Its value ("" for a flag), or NULL. */
const char *cli_value(const cli_call *cli, const char *option);
/** The value of a CLI_NUMBER, CLI_COUNT or CLI_SECONDS, or @p otherwise. */
uint64_t cli_number(const cli_call *cli, const char *option, uint64_t otherwise);
/** The values of a CLI_TEXTS, in the order given, into @p out, which has room for cli->n_repeated.
 */
size_t cli_texts(const char **out, const cli_call *cli, const char *option);
/** The milliseconds of a CLI_DURATION; 0: not given. */
uint64_t cli_duration_ms(const cli_call *cli, const char *option);
/** The bytes of a CLI_SIZE; 0: not given. */
uint64_t cli_size(const cli_call *cli, const char *option);
/** Does this invocation change something: a command that writes, and no option of CLI_DRY_RUN? */
bool cli_changes(const cli_call *cli);
/** The argument, or NULL. */
const char *cli_arg(const cli_call *cli, int index);
/** Decimal digits alone, 0 to 2^63 - 1. */
bool cli_parse_number(uint64_t *out, const char *text);

/**
 * Find the subcommand that the words name, wherever among its options it stands, and run it in a
 * context.
 *
 * Always returns, with an exit code; what went wrong is told on in->err, and in in->failure.
 * Threads: several may run commands at once, each in a context and with a log of its own.
 */
int cli_execute(
        const cli_program *program, const char *const *words, size_t n, const cli_context *in);
/** The first half of cli_execute(): find the subcommand and read the options into @p cli. Returns
 * CLI_DONE, or CLI_USAGE after saying what is wrong. cli->cmd stays NULL where --help or --version
 * were given without a subcommand; the word that it would begin with is then its argument.
 * cli->repeated is the caller's to free, also after a failure. */
int cli_parse(cli_call *cli, const cli_program *program, const char *const *words, size_t n,
        const cli_context *in);
/** The same with a subcommand that is known: all the words are its arguments. */
int cli_parse_cmd(cli_call *cli, const cli_program *program, const cli_cmd *cmd,
        const char *const *words, size_t n, const cli_context *in);
/** The second half: run what was read. Returns the exit code. */
int cli_run(cli_call *cli);

/** The subcommand of these words, of which *used were its name; one of two words goes before one of
 *  the first alone. NULL: there is none. */
const cli_cmd *cli_find(const cli_program *program, const char *const *words, int n, int *used);

/** What names the log: the context's own, --db, else $PAWL_DB. NULL: it is to be found. */
const char *cli_named_log(const cli_call *cli);
/** Say what is wrong with the usage, then the usage line. Returns CLI_USAGE. */
int cli_usage(const cli_call *cli, const char *format, ...) PAWL_PRINTF(2, 3);
/** Wrong usage: the program has no command of these @p n words, the first of which may begin
 * others. */
int cli_unknown(const cli_call *cli, const char *const *words, int n);

/** The one line for a failure; returns the exit code that its status maps to. */
int cli_fail(const cli_call *cli, const pawl_error *err);

/** The subcommands that both programs have. */
extern const cli_cmd cli_help_cmd, cli_completion_cmd;

/** Is this the name of a command of two words whose first one is @p first? */
bool cli_begins_with(const char *name, const char *first);
/** Is it the first word of commands of two? */
bool cli_begins(const cli_program *program, const char *first);

/** The usage line of the command; @p cmd NULL: of the program. */
void cli_print_usage(FILE *out, const cli_program *program, const cli_cmd *cmd);
void cli_print_program_help(FILE *out, const cli_program *program);
void cli_print_cmd_help(FILE *out, const cli_program *program, const cli_cmd *cmd);
/** That of each command that begins with the word. */
void cli_print_word_help(FILE *out, const cli_program *program, const char *first);

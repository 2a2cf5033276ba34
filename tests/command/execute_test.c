/*
 * Every served command in a context, as a service runs it: it prints one JSON value (or lines of
 * them) into the context, or says what is wrong there, and nothing anywhere else. Several threads
 * at once too, each with a log of its own.
 */
#include "base/json_read.h"
#include "cli/registry.h"
#include "support/mission.h"
#include <pthread.h>
#include <unistd.h>

static const char mission[] = "mission: refund\n"
                              "glossary: {team_domain: team.yaml}\n"
                              "steps:\n"
                              "  - {id: research, run: [sh, -c, 'echo 1 >made']}\n"
                              "  - id: specify\n"
                              "    critical: true\n"
                              "    inputs: {description: Refunds land in the workspace.}\n"
                              "    run: [cat]\n";
static const char seed[] = "terms:\n"
                           "  - {surface: workspace, definition: A folder.}\n"
                           "  - {surface: workspace, definition: An account., confidence: 0.9}\n";

/* ---- Invocations ----------------------------------------------------------------------------- */

enum { ARGS = 6, PARALLEL = 4 };

/* A command and its arguments, in which RUN, CONFLICT, SESSION, CALL and NAME stand for those of
 * the log. */
typedef struct invocation {
        const char *name;
        const char *args[ARGS];
        int code;
        pawl_status status; /* of the failure, where the code is not 0 */
        bool alone;         /* not by threads at once: it wants the workspace, or says too much */
} invocation;

static const invocation reading[] = {
        {"conflicts", {NULL}, 0, 0, false},
        {"conflicts", {"--all", "--json"}, 0, 0, false},
        {"status", {NULL}, 0, 0, false},
        {"runs", {NULL}, 0, 0, false},
        {"runs", {"--status", "queued"}, 0, 0, false},
        {"workers", {NULL}, 0, 0, false},
        {"plan", {"cancel", "RUN"}, 0, 0, false},
        {"plan", {"resume", "RUN"}, 0, 0, false},
        {"plan", {"cancel", "RUN", "research"}, 2, PAWL_EINVAL, false},
        {"logs", {"RUN", "research"}, 0, 0, false},
        {"logs", {"RUN", "nothing"}, 1, PAWL_ENOTFOUND, false},
        {"output", {"RUN", "research"}, 0, 0, false},
        {"compare", {"RUN", "RUN"}, 0, 0, true},
        {"compare", {"RUN", "nothing"}, 1, PAWL_ENOTFOUND, false},
        {"output", {"RUN", "specify"}, 1, PAWL_ENOTFOUND, false},
        {"sessions", {"--latest"}, 0, 0, false},
        {"glossary list", {"--at", "1"}, 0, 0, false},
        {"glossary log", {"workspace"}, 0, 0, false},
        {"glossary log", {"nothing"}, 1, PAWL_ENOTFOUND, false},
        {"handoff", {NULL}, 0, 0, false},
        {"checkpoints", {NULL}, 0, 0, false},
        {"rollbacks", {NULL}, 0, 0, false},
        {"show", {"1"}, 0, 0, false},
        {"diff", {"1"}, 0, 0, false},
        {"diff", {"1", "--patch"}, 0, 0, false},
        {"du", {NULL}, 0, 0, false},
        {"validate", {"--dry-run"}, 0, 0, false},
        {"rollback", {"1", "--plan"}, 0, 0, false},
        {"prune sessions", {"--keep", "0", "--dry-run"}, 0, 0, false},
        {"prune threads", {"--keep", "0", "--dry-run"}, 0, 0, false},
        {"restore list", {NULL}, 0, 0, false},
        {"eventlog replay", {"--check"}, 0, 0, false},
        {"eventlog list", {"-n", "2"}, 0, 0, false},
        {"eventlog list", {"--type", "Nothing"}, 0, 0, false},
        {"eventlog show", {"1"}, 0, 0, false},
        {"eventlog verify", {NULL}, 0, 0, false},
        {"eventlog head", {NULL}, 0, 0, false},
        {"eventlog stats", {NULL}, 0, 0, false},
        {"eventlog export", {NULL}, 0, 0, false},
        {"eventlog trace", {"RUN"}, 0, 0, false},
        {"eventlog trace", {"none"}, 1, PAWL_ENOTFOUND, false},
        /* Refused, with nothing printed. */
        {"show", {"99"}, 1, PAWL_ENOTFOUND, false},
        {"conflicts", {"more"}, 2, PAWL_EINVAL, false},
        {"conflicts", {"--db", "x.db"}, 2, PAWL_EINVAL, false},
        {"conflicts", {"--key-file", "x"}, 2, PAWL_EINVAL, false},
        {"conflicts", {"--help"}, 2, PAWL_EINVAL, false},
        {"conflicts", {"--version"}, 2, PAWL_EINVAL, false},
        {"diff", {"1", "--root", "/"}, 2, PAWL_EINVAL, false},
        {"checkpoint", {"--force-root"}, 2, PAWL_EINVAL, false},
        {"handoff", {"--write", "x"}, 2, PAWL_EINVAL, false},
        {"task done", {"x", "--commit"}, 2, PAWL_EINVAL, false},
        {"eventlog verify", {"--anchor", "x"}, 2, PAWL_EINVAL, false},
        {"resolve", {"abcd"}, 2, PAWL_EINVAL, false},
        {"resolve", {"abcd", "--pick", "1"}, 1, PAWL_ENOTFOUND, false},
        {"rollback", {"1"}, 1, PAWL_ESTATE, false},      /* there is nobody to ask */
        {"restore", {"list"}, 1, PAWL_ENOTFOUND, false}, /* it is no "restore list" */
        {"glossary edit", {"workspace", "--define", "x", "--dry-run"}, 1, PAWL_EINVAL, false},
        {"glossary import", {"team.yaml", "--scope", "core"}, 2, PAWL_EINVAL, false},
        {"run", {"mission.yaml"}, 2, PAWL_EINVAL, false},
        {"resume", {NULL}, 2, PAWL_EINVAL, false},
        {"init", {NULL}, 2, PAWL_EINVAL, false},
        {"serve", {NULL}, 2, PAWL_EINVAL, false},
        {"submit", {"mission.yaml"}, 2, PAWL_EINVAL, false},
        {"work", {"--once"}, 2, PAWL_EINVAL, false},
        {"help", {NULL}, 2, PAWL_EINVAL, false},
        {"eventlog tail", {NULL}, 2, PAWL_EINVAL, false},
};

static const invocation changing[] = {
        {"session start", {"--mission", "paper"}, 0, 0, false},
        {"session start", {"--mission", "paper"}, 6, PAWL_EHELD, false},
        {"session update", {"--mission", "paper", "--step", "one"}, 0, 0, false},
        {"session checkpoint", {"--mission", "paper"}, 0, 0, false},
        {"session pin", {"SESSION"}, 0, 0, false},
        {"task done", {"one"}, 0, 0, false},
        {"session end", {NULL}, 0, 0, false},
        {"session resume", {"SESSION"}, 0, 0, false},
        {"skip", {"RUN", "research"}, 1, PAWL_ESTATE, false},
        {"resolve", {"CONFLICT", "--pick", "1"}, 0, 0, false},
        {"resolve", {"CONFLICT", "--pick", "1"}, 1, PAWL_EEXISTS, false},
        {"glossary edit", {"workspace", "--pick", "2", "--define", "Another."}, 0, 0, false},
        {"glossary edit", {"workspace", "--pick", "9", "--define", "Another."}, 1, PAWL_EINVAL,
                false},
        {"glossary deprecate", {"workspace", "--pick", "1"}, 0, 0, true},
        {"glossary ignore", {"workspace", "--scope", "core"}, 0, 0, false},
        {"glossary import", {"--text", "terms: [{surface: a, definition: b}]", "--scope", "core"},
                0, 0, false},
        {"glossary import", {"--text", "terms: 1", "--scope", "core"}, 1, PAWL_EPARSE, false},
        {"checkpoint", {"by hand"}, 0, 0, false},
        {"pin", {"1"}, 0, 0, false},
        {"tool checkpoint", {"CALL"}, 0, 0, false},
        {"restore", {"NAME"}, 0, 0, true},
        {"rollback", {"2", "--yes"}, 0, 0, true},
        {"undo", {"--plan"}, 0, 0, true},
        {"undo", {NULL}, 1, PAWL_ESTATE, false}, /* there is nobody to ask */
        {"undo", {"--yes"}, 0, 0, true},
        {"redo", {"--plan"}, 0, 0, true},
        {"redo", {"--yes"}, 0, 0, true},
        {"rebuild", {"1"}, 0, 0, true},
        {"validate", {NULL}, 0, 0, false},
        {"prune checkpoints", {"--keep", "9"}, 0, 0, false},
        {"prune sessions", {"--keep", "9"}, 0, 0, false},
        {"prune threads", {"--keep", "9"}, 0, 0, false},
        {"fork", {"RUN", "--from", "specify", "--yes"}, 0, 0, true},
        {"fork", {"RUN", "--from", "nothing"}, 1, PAWL_ENOTFOUND, false},
        {"fork", {"RUN", "--from", "specify", "--dir", "x"}, 2, PAWL_EINVAL, false},
        {"cancel", {"RUN"}, 0, 0, false},
        {"cancel", {"RUN"}, 1, PAWL_ESTATE, false},
};

#define CALL_JSON                                                                                  \
        "[{\"callId\":\"c1\",\"name\":\"write_file\",\"args\":{\"path\":\"a\",\"content\":\"x\"}}]"

/* ---- A log to ask ---------------------------------------------------------------------------- */

typedef struct served {
        struct mission_fixture *f;
        char conflict[80], session[80], name[80];
        int out, err;  /* the process's own streams */
        char *seen[2]; /* where they go meanwhile */
} served;

static int served_setup(void **state)
{
        served *s = test_alloc(sizeof *s);
        mission_setup((void **)&s->f);
        mission_file(s->f, "team.yaml", seed);
        mission_write(s->f, mission);
        assert_int_equal(mission_run(s->f), PAWL_BLOCKED);
        snprintf(s->conflict, sizeof s->conflict, "%s", s->f->result->conflicts[0].id);
        *state = s;
        return 0;
}

static int served_teardown(void **state)
{
        served *s = *state;

        mission_teardown((void **)&s->f);
        return 0;
}

#define SERVED_TEST(name) UNIT_TEST_WITH(name, served *s, served_setup, served_teardown)

/* The process's own streams into files, which must then be empty. */
static int send_to(const char *path, int fd)
{
        FILE *file = fopen(path, "w");
        int kept = dup(fd);

        assert_non_null(file);
        assert_true(kept >= 0 && dup2(fileno(file), fd) == fd);
        fclose(file);
        return kept;
}

static void listen_in(served *s)
{
        s->seen[0] = path_in(s->f->directory, ".pawl/stdout");
        s->seen[1] = path_in(s->f->directory, ".pawl/stderr");
        fflush(NULL);
        s->out = send_to(s->seen[0], STDOUT_FILENO);
        s->err = send_to(s->seen[1], STDERR_FILENO);
}

/* Before anything is told of a failure. */
static void stop_listening(served *s)
{
        if (!s->seen[0])
                return;
        fflush(NULL);
        dup2(s->out, STDOUT_FILENO);
        dup2(s->err, STDERR_FILENO);
        close(s->out);
        close(s->err);
}

static void nothing_was_heard(served *s)
{
        stop_listening(s);
        for (int i = 0; i < 2; i++) {
                size_t len;
                char *text = file_read(s->seen[i], &len);
                if (len)
                        fail_msg("printed by the process itself: %s", text);
                s->seen[i] = NULL;
        }
}

/* ---- Running one ----------------------------------------------------------------------------- */

/* What one invocation came to. */
typedef struct outcome {
        int code;
        char *out, *err;
        size_t out_len, err_len;
        pawl_error failure;
        unsigned traits;
} outcome;

static const char *filled_in(const served *s, const char *arg)
{
        if (strcmp(arg, "CONFLICT") == 0)
                return s->conflict;
        if (strcmp(arg, "RUN") == 0)
                return s->f->result->run_id;
        if (strcmp(arg, "SESSION") == 0)
                return s->session;
        if (strcmp(arg, "NAME") == 0)
                return s->name;
        return strcmp(arg, "CALL") == 0 ? CALL_JSON : arg;
}

/* False: the command is not there. */
static bool run(outcome *o, const served *s, pawl_log *log, const invocation *i)
{
        cli_context in = {.log = log,
                .workspace = s->f->directory,
                .actor = "user:ana",
                .served = true,
                .failure = &o->failure};
        const char *args[ARGS];
        cli_entry entry;
        cli_call cli;
        size_t n = 0;

        *o = (outcome){.failure = PAWL_ERROR_INIT};
        if (!cli_registry_find(&entry, &cli_commands, i->name))
                return false;
        o->traits = entry.cmd->traits;
        for (; n < ARGS && i->args[n]; n++)
                args[n] = filled_in(s, i->args[n]);
        in.out = open_memstream(&o->out, &o->out_len);
        in.err = open_memstream(&o->err, &o->err_len);
        o->code = cli_parse_cmd(&cli, entry.program, entry.cmd, args, n, &in);
        if (!o->code)
                o->code = cli_run(&cli);
        free(cli.repeated);
        fclose(in.out);
        fclose(in.err);
        return true;
}

static void outcome_free(outcome *o)
{
        free(o->out);
        free(o->err);
}

static bool is_json(const char *text, size_t len)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__json_reader reader;
        pawl__json_token token;

        pawl__json_reader_init(&reader, text, len);
        do {
                if (pawl__json_next(&reader, &token, &err))
                        return false;
        } while (token.type != PAWL__JSON_FINISHED);
        return true;
}

/* One value and a newline; or lines of them, also none. */
static bool is_answer(const outcome *o)
{
        const char *at = o->out, *end;

        if (!(o->traits & CLI_LINES))
                return o->out_len > 1 && o->out[o->out_len - 1] == '\n' &&
                       is_json(o->out, o->out_len - 1);
        for (; at < o->out + o->out_len; at = end + 1) {
                end = strchr(at, '\n');
                if (!end || !is_json(at, (size_t)(end - at)))
                        return false;
        }
        return true;
}

/* What is wrong with it as an answer, or NULL. */
static const char *wrong_with(const outcome *o)
{
        if (o->code == CLI_DONE && o->failure.status)
                return "it succeeds, and tells a failure";
        if (o->code == CLI_DONE && o->err_len)
                return "it succeeds, and says something beside";
        if (o->code == CLI_DONE && !is_answer(o))
                return "it does not print JSON";
        if (o->code != CLI_DONE && (!o->failure.status || !o->failure.message[0]))
                return "it fails without a word";
        if (o->code != CLI_DONE && o->out_len && !is_answer(o))
                return "it fails, and prints something that is not JSON";
        return NULL;
}

/* A text of the first answer of a command, for those that come later. */
static void note(
        char out[80], const char *name, const invocation *i, const outcome *o, const char *before)
{
        if (strcmp(i->name, name) != 0 || o->code != CLI_DONE)
                return;
        const char *at = strstr(o->out, before);
        assert_non_null(at);
        at += strlen(before);
        snprintf(out, 80, "%.*s", (int)strcspn(at, "\""), at);
}

static void runs_as_said(served *s, pawl_log *log, const invocation *i)
{
        outcome o;

        if (!run(&o, s, log, i)) {
                stop_listening(s);
                fail_msg("%s: is not in the registry", i->name);
        }
        const char *wrong = wrong_with(&o);
        if (o.code != i->code || o.failure.status != i->status)
                wrong = "another outcome";
        if (wrong) {
                stop_listening(s);
                fail_msg("%s %s: %s: exit code %d, %s: %s\n%s%s", i->name,
                        i->args[0] ? i->args[0] : "", wrong, o.code,
                        pawl_status_name(o.failure.status), o.failure.message, o.out, o.err);
        }
        note(s->session, "session start", i, &o, "\"session_id\":\"");
        note(s->name, "tool checkpoint", i, &o, "\"checkpoint\":\"");
        outcome_free(&o);
}

/* ---- The tests ------------------------------------------------------------------------------- */

SERVED_TEST(every_served_command_answers_in_its_context)
{
        listen_in(s);
        for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++)
                runs_as_said(s, s->f->log, &reading[i]);
        for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++)
                runs_as_said(s, s->f->log, &changing[i]);
        for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++)
                runs_as_said(s, s->f->log, &reading[i]);
        nothing_was_heard(s);
}

/* A dry run of a command that changes something is a look too. */
SERVED_TEST(what_only_looks_does_so_in_a_log_that_cannot_be_written)
{
        static const invocation rollback = {"rollback", {"2", "--yes"}, 0, 0, false};
        static const invocation plan = {"undo", {"--plan"}, 0, 0, false};
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;

        runs_as_said(s, s->f->log, &rollback);
        options.flags = PAWL_LOG_READONLY;
        assert_ok(pawl_log_open(&log, s->f->db, &options, &err));
        listen_in(s);
        for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++)
                runs_as_said(s, log, &reading[i]);
        runs_as_said(s, log, &plan);
        nothing_was_heard(s);
        pawl_log_close(log);
}

static bool is_tried(const char *name)
{
        for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++)
                if (strcmp(reading[i].name, name) == 0 && reading[i].code == 0)
                        return true;
        for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++)
                if (strcmp(changing[i].name, name) == 0)
                        return true;
        return false;
}

UNIT_TEST(no_served_command_is_left_out_here)
{
        for (const cli_program *const *program = cli_commands.programs; *program; program++)
                for (const cli_cmd *const *cmd = (*program)->cmds; *cmd; cmd++) {
                        char name[64];
                        bool first = program == cli_commands.programs;
                        snprintf(name, sizeof name, "%s%s%s", first ? "" : (*program)->name,
                                first ? "" : " ", (*cmd)->name);
                        if ((*cmd)->traits & CLI_SERVED && !is_tried(name))
                                fail_msg("%s: is served, and not tried here", name);
                }
}

SERVED_TEST(what_is_written_says_who_asked)
{
        static const invocation answer = {"resolve", {"CONFLICT", "--pick", "1"}, 0, 0, false};
        static const invocation by_name = {
                "session start", {"--mission", "m", "--actor", "agent:7"}, 0, 0, false};

        runs_as_said(s, s->f->log, &answer);
        mission_payload_says(s->f, "GlossaryClarificationResolved", "user:ana");
        runs_as_said(s, s->f->log, &by_name);
        outcome o;
        static const invocation list = {
                "eventlog list", {"--type", "SessionStarted", "-n", "1"}, 0, 0, false};
        assert_true(run(&o, s, s->f->log, &list));
        assert_non_null(strstr(o.out, "\"actor\":\"agent:7\""));
        outcome_free(&o);
}

SERVED_TEST(a_log_that_is_interrupted_is_told_as_a_failure)
{
        static const invocation stopped = {"conflicts", {NULL}, 1, PAWL_EINTERRUPTED, false};
        static const invocation again = {"conflicts", {NULL}, 0, 0, false};

        pawl_log_interrupt(s->f->log, true);
        runs_as_said(s, s->f->log, &stopped);
        pawl_log_interrupt(s->f->log, false);
        runs_as_said(s, s->f->log, &again);
}

/* ---- At once --------------------------------------------------------------------------------- */

typedef struct asker {
        served *s;
        pthread_t thread;
        pawl_log *log;
        const char *failed; /* the name of an invocation that did not answer as it should */
        const char *wrong;
        char told[600]; /* what it answered in place of that */
} asker;

static void ask(asker *a, const invocation *i, bool exactly)
{
        outcome o;

        if (!i->alone && !a->failed && run(&o, a->s, a->log, i)) {
                a->wrong = wrong_with(&o);
                bool held =
                        o.failure.status == PAWL_EHELD; /* by one that cancels the run already */
                if (!a->wrong && exactly && o.code != i->code && !held)
                        a->wrong = "another exit code";
                a->failed = a->wrong ? i->name : NULL;
                snprintf(a->told, sizeof a->told, "%d, %s", o.code, o.failure.message);
                outcome_free(&o);
        }
}

static void *ask_all(void *user)
{
        asker *a = user;

        for (size_t i = 0; i < sizeof reading / sizeof reading[0]; i++)
                ask(a, &reading[i], true);
        for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++)
                ask(a, &changing[i], false); /* whoever comes first has it */
        return NULL;
}

SERVED_TEST(threads_ask_at_once)
{
        asker askers[PARALLEL];
        pawl_verify_result verified = {.why = PAWL_ERROR_INIT};
        pawl_error err = PAWL_ERROR_INIT;

        snprintf(s->session, sizeof s->session, "nobody");
        listen_in(s);
        for (int i = 0; i < PARALLEL; i++) {
                askers[i] = (asker){.s = s};
                assert_ok(pawl_log_open(&askers[i].log, s->f->db, NULL, &err));
        }
        for (int i = 0; i < PARALLEL; i++)
                assert_int_equal(pthread_create(&askers[i].thread, NULL, ask_all, &askers[i]), 0);
        for (int i = 0; i < PARALLEL; i++)
                pthread_join(askers[i].thread, NULL);
        nothing_was_heard(s);
        for (int i = 0; i < PARALLEL; i++) {
                if (askers[i].failed)
                        fail_msg("%s: %s: %s", askers[i].failed, askers[i].wrong, askers[i].told);
                pawl_log_close(askers[i].log);
        }
        assert_ok(pawl_log_verify(&verified, s->f->log, 0, NULL));
        assert_int_equal(mission_events(s->f, "GlossaryClarificationResolved"), 1);
}

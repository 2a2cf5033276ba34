/* pawl status: what is queued, blocked, failed, interrupted or running here, why, and what to type;
 * a rollback that is half done too, as nothing goes on before it is ended.
 */
#include "cli/pawl/status.h"
#include "base/error.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "mission/runs.h"
#include "pipeline/question.h"
#include "state/answer_way.h"
#include "state/run_way.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 12 }; /* runs on one screen; JSON has them all */

/* A failed step. */
typedef struct failure {
        pawl_text step_id, reason;
        int64_t exit_code;
} failure;

typedef struct listing {
        const cli_call *cli;
        pawl_log *log;
        pawl__state *state;
        pawl__json_writer *w; /* NULL: for people */
        pawl__arena arena;    /* of one run */
        char retry[64];       /* "attempt 2 of 3 ..." at its step, or "" */
        pawl__row *open;      /* its open conflicts */
        size_t n_open;
        failure *failures; /* of a run that failed */
        size_t n_failures;
        pawl_text blocked_by, layer_reason; /* a program's own layer; absent: none */
        pawl__expired expired;
        uint64_t n;
} listing;

static pawl_text value(const pawl__run_view *run, int column)
{
        return run->row.v[column].text;
}

/* ---- Why ------------------------------------------------------------------------------------ */

/* How the session ended in which it was interrupted. */
static pawl_status interruption(
        pawl_text *reason, listing *l, const pawl__run_view *run, pawl_error *err)
{
        pawl__row session = {.v[PAWL__SES_ID].text = value(run, PAWL__RUN_SESSION)};

        if (!session.v[PAWL__SES_ID].text.data)
                return PAWL_OK;
        pawl_status status = pawl__state_get(l->state, PAWL__SESSIONS, &session, &l->arena, err);
        if (!status)
                *reason = session.v[PAWL__SES_REASON].text;
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Each failed step with its own reason; without one, the run's. */
static void put_failures(FILE *out, const listing *l, pawl_text reason)
{
        for (size_t i = 0; i < l->n_failures; i++) {
                const failure *one = &l->failures[i];
                cli_putf(out, "%sstep %.*s: %.*s", i ? "; " : "", CLI_FMT(one->step_id),
                        CLI_FMT(one->reason.data ? one->reason : pawl__text("failed")));
        }
        if (!l->n_failures)
                cli_put(out, reason);
}

static void put_why(FILE *out, const listing *l, const pawl__run_view *run, pawl_text reason)
{
        if (run->held) {
                cli_putf(out, "pid %" PRId64 " on %.*s%s%s", run->owner.pid,
                        CLI_FMT(run->owner.host), *l->retry ? "; " : "", l->retry);
        } else if (l->n_open) {
                const pawl_text failed = pawl__text_is(run->status, "failed")
                                                 ? value(run, PAWL__RUN_REASON)
                                                 : pawl__text(NULL);
                if (failed.data) {
                        put_failures(out, l, failed);
                        fputs("; ", out);
                }
                const bool asks = pawl__is_question(l->open[0].v[PAWL__CON_TYPE].text);
                cli_putf(out, "%s%.*s%s", asks ? "asks \"" : "\"",
                        CLI_FMT(l->open[0].v[PAWL__CON_TERM].text), asks ? "\"" : "\" is ");
                if (!asks)
                        cli_put(out, l->open[0].v[PAWL__CON_TYPE].text);
                if (l->n_open > 1)
                        fprintf(out, ", and %zu more question%s", l->n_open - 1,
                                l->n_open == 2 ? "" : "s");
        } else if (l->blocked_by.data) {
                cli_putf(out, "held by layer %.*s", CLI_FMT(l->blocked_by));
                if (l->layer_reason.data)
                        cli_putf(out, ": %.*s", CLI_FMT(l->layer_reason));
        } else if (l->expired.question.data) {
                cli_putf(out, "nobody answered \"%.*s\" in time, ", CLI_FMT(l->expired.question));
                if (l->expired.otherwise.data) {
                        cli_putf(out, "so that \"%.*s\" counts", CLI_FMT(l->expired.otherwise));
                } else {
                        fputs("so that its step fails", out);
                }
        } else if (pawl__text_is(run->status, "blocked")) {
                fputs("its answers are in", out);
        } else if (pawl__text_is(run->status, "queued")) {
                fputs("waits for a worker", out);
        } else if (run->forked.run_id.data && !value(run, PAWL__RUN_SESSION).data) {
                fputs("forked from ", out);
                cli_put(out, run->forked.run_id);
                fputs(", not run yet", out);
        } else {
                if (!reason.data)
                        reason = value(run, PAWL__RUN_REASON);
                if (!reason.data) /* that it died cannot be recorded in every log */
                        reason = pawl__text(!pawl__text_is(value(run, PAWL__RUN_STATUS), "running")
                                                    ? "rolled back"
                                            : run->died ? "process died"
                                                        : "its program ended, and left it open");
                put_failures(out, l, reason);
                fprintf(out, "%s%s", *l->retry ? "; " : "", l->retry);
        }
}

/* ---- What to type --------------------------------------------------------------------------- */

/* The command, with an id that is whole in JSON, and short for people. */
static pawl_status add_command(
        pawl__buf *out, listing *l, const pawl__run_view *run, pawl_error *err)
{
        pawl__answer_way way = {.id = value(run, PAWL__RUN_ID)};

        if (l->n_open)
                TRY(pawl__answer_way_of(&way, l->log, &l->open[0], NULL, &l->arena, err));
        if (!l->w)
                TRY(pawl__state_short_id(&way.id, l->state,
                        l->n_open ? PAWL__CONFLICTS : PAWL__RUNS, &l->arena, err));
        if (l->n_open)
                pawl__answer_add(out, &way, "");
        else
                pawl__run_command_add(out, &(pawl__run_next){.run = &run->row,
                                                   .shown = way.id,
                                                   .place = &run->place,
                                                   .named = ""});
        return pawl__buf_check(out, err);
}

static pawl_status put_next(FILE *out, listing *l, const pawl__run_view *run, pawl_error *err)
{
        pawl__buf command = PAWL__BUF_INIT;
        const pawl_status status = run->held ? PAWL_OK : add_command(&command, l, run, err);

        if (command.len) {
                fputs(command.data, out);
                cli_say_log(l->cli, out);
        } else if (!status && !run->held && !l->w && run->place.gone) {
                cli_sayf(l->cli, out, "its " PAWL__GONE, PAWL__FMT(run->place.root),
                        PAWL__WORD(value(run, PAWL__RUN_ID)));
        } else if (!status && !run->held && !l->w) {
                fputs("run the program that began it again", out);
        }
        pawl__buf_free(&command);
        return status;
}

static pawl_status find_open(listing *l, const pawl__run_view *run, pawl_error *err)
{
        l->n_open = 0;
        return run->conflicts_open ? pawl__state_conflicts(&l->open, &l->n_open, l->state,
                                             value(run, PAWL__RUN_ID), (pawl_text){NULL, 0}, true,
                                             &l->arena, err)
                                   : PAWL_OK;
}

pawl_status cli_run_next(
        FILE *out, const cli_call *cli, pawl_log *log, const pawl__run_view *run, pawl_error *err)
{
        listing l = {.cli = cli, .log = log};

        TRY(pawl__state_of(&l.state, log, err));
        pawl_status status = find_open(&l, run, err);
        if (!status)
                status = put_next(out, &l, run, err);
        pawl__arena_free(&l.arena);
        return status;
}

/* ---- One run -------------------------------------------------------------------------------- */

static pawl_status print_run(
        listing *l, const pawl__run_view *run, pawl_text reason, pawl_error *err)
{
        FILE *out = l->cli->in->out;
        pawl_text id = value(run, PAWL__RUN_ID);
        pawl_status status = pawl__state_short_id(&id, l->state, PAWL__RUNS, &l->arena, err);

        if (status)
                return status;
        fprintf(out, "%-12.*s ", PAWL__FMT(run->status));
        cli_putf(out, "%.*s, run %.*s: %" PRId64 "/%" PRId64 " steps",
                CLI_FMT(value(run, PAWL__RUN_MISSION)), CLI_FMT(id),
                run->row.v[PAWL__RUN_DONE].integer, run->row.v[PAWL__RUN_STEPS].integer);
        if (value(run, PAWL__RUN_CURRENT).data)
                cli_putf(out, ", at %.*s", CLI_FMT(value(run, PAWL__RUN_CURRENT)));
        if (run->place.elsewhere.data)
                cli_putf(out, ", in work tree %.*s", CLI_FMT(run->place.elsewhere));
        fprintf(out, "\n%13s", "");
        put_why(out, l, run, reason);
        fputc('\n', out);
        if (run->held)
                return PAWL_OK;
        fprintf(out, "%13s", "");
        status = put_next(out, l, run, err);
        fputc('\n', out);
        return status;
}

static pawl_status take_text(pawl_text *out, listing *l, char *text, size_t len, pawl_error *err)
{
        bool ok = text != NULL;

        *out = len ? pawl__arena_text(&l->arena, pawl__text_n(text, len), &ok)
                   : (pawl_text){NULL, 0};
        free(text);
        return ok ? PAWL_OK : pawl__nomem(err);
}

/* The same words as people read, as texts; absent where there are none. */
static pawl_status words(pawl_text *why, pawl_text *next, listing *l, const pawl__run_view *run,
        pawl_text reason, pawl_error *err)
{
        char *text = NULL;
        size_t len = 0;
        FILE *stream = open_memstream(&text, &len);

        if (!stream)
                return pawl__nomem(err);
        put_why(stream, l, run, reason);
        fclose(stream);
        pawl_status status = take_text(why, l, text, len, err);
        text = NULL;
        if (status || !(stream = open_memstream(&text, &len)))
                return status ? status : pawl__nomem(err);
        status = put_next(stream, l, run, err);
        fclose(stream);
        pawl_status taken = take_text(next, l, text, len, err);
        return status ? status : taken;
}

/* A run as JSON has it. */
typedef struct told {
        pawl__run_view run;
        pawl__row *open;
        size_t n_open;
        failure *failures;
        size_t n_failures;
        pawl_text why, next;
} told;

#define COLUMN(name) CLI_AT(told, run.row.v[name].text)
#define NUMBER(name) CLI_AT(told, run.row.v[name].integer)

static const cli_field conflict_ids[] = {
        {NULL, CLI_AS_TEXT, CLI_AT(pawl__row, v[PAWL__CON_ID].text)},
        CLI_NO_FIELD,
};

#define FAILURE(name) CLI_AT(failure, name)

static const cli_field failure_fields[] = {
        {"step_id", CLI_AS_TEXT, FAILURE(step_id)},
        {"exit_code", CLI_AS_INTEGER, FAILURE(exit_code)},
        {"reason", CLI_AS_TEXT, FAILURE(reason)},
        CLI_NO_FIELD,
};

static bool has_worktree(const void *item)
{
        return ((const told *)item)->run.place.worktree.data != NULL;
}

static const cli_field worktree_fields[] = {
        {"id", CLI_AS_TEXT, CLI_AT(told, run.place.worktree)},
        {"path", CLI_AS_TEXT, CLI_AT(told, run.place.root)},
        CLI_NO_FIELD,
};

static const cli_field fields[] = {
        {"run_id", CLI_AS_TEXT, COLUMN(PAWL__RUN_ID)},
        {"mission_id", CLI_AS_TEXT, COLUMN(PAWL__RUN_MISSION)},
        {"status", CLI_AS_TEXT, CLI_AT(told, run.status)},
        {"steps_completed", CLI_AS_INTEGER, NUMBER(PAWL__RUN_DONE)},
        {"steps_total", CLI_AS_INTEGER, NUMBER(PAWL__RUN_STEPS)},
        {"current_step", CLI_AS_TEXT, COLUMN(PAWL__RUN_CURRENT)},
        {"retry_token", CLI_AS_TEXT, CLI_AT(told, run.retry_token)},
        {"session_id", CLI_AS_TEXT, COLUMN(PAWL__RUN_SESSION)},
        {"conflicts", CLI_AS_LIST, CLI_ITEMS(told, open, n_open), .fields = conflict_ids},
        {"failures", CLI_AS_LIST, CLI_ITEMS(told, failures, n_failures), .fields = failure_fields},
        {"updated_at", CLI_AS_TIME, NUMBER(PAWL__RUN_UPDATED_US)},
        {"why", CLI_AS_TEXT, CLI_AT(told, why)},
        {"next", CLI_AS_TEXT, CLI_AT(told, next)},
        {"worktree", CLI_AS_PART, .has = has_worktree, .fields = worktree_fields},
        CLI_NO_FIELD,
};

static pawl_status write_run(
        listing *l, const pawl__run_view *run, pawl_text reason, pawl_error *err)
{
        told t = {.run = *run,
                .open = l->open,
                .n_open = l->n_open,
                .failures = l->failures,
                .n_failures = l->n_failures};
        pawl_status status = words(&t.why, &t.next, l, run, reason, err);

        if (!status)
                cli_object_json(l->w, NULL, fields, &t);
        return status;
}

static pawl_status find_failures(listing *l, const pawl__run_view *run, pawl_error *err)
{
        pawl__run_steps steps;

        l->n_failures = 0;
        if (!pawl__text_is(run->status, "failed"))
                return PAWL_OK;
        TRY(pawl__run_steps_read(&steps, l->state, &run->row, false, &l->arena, err));
        TRY(pawl__run_steps_why(&steps, l->log, &run->row, &l->arena, err));
        l->failures = pawl__arena_array(&l->arena, steps.n, sizeof *l->failures);
        if (!l->failures)
                return pawl__nomem(err);
        for (size_t i = 0; i < steps.n; i++) {
                const pawl__value *v = steps.rows[i].v;
                if (pawl__text_is(v[PAWL__STEP_STATUS].text, "failed"))
                        l->failures[l->n_failures++] = (failure){v[PAWL__STEP_ID].text,
                                steps.why[i].reason, v[PAWL__STEP_EXIT_CODE].integer};
        }
        return PAWL_OK;
}

static pawl_status show(const pawl__run_view *run, void *user, pawl_error *err)
{
        listing *l = user;
        const pawl_sources sources = pawl__sources_complete(NULL);
        pawl_text reason = {NULL, 0};
        pawl__retry retry;

        l->n++;
        pawl__arena_clear(&l->arena);
        pawl_status status = find_open(l, run, err);
        if (!status)
                status = find_failures(l, run, err);
        if (!status)
                status = pawl__step_retry(&retry, l->log, run, value(run, PAWL__RUN_CURRENT), err);
        if (!status)
                pawl__retry_say(l->retry, &retry, sources.wall_us(sources.user));
        l->blocked_by = l->layer_reason = (pawl_text){NULL, 0};
        if (!status && !l->n_open && pawl__text_is(run->status, "blocked"))
                status = pawl__step_blocked_by(&l->blocked_by, &l->layer_reason, l->log,
                        value(run, PAWL__RUN_ID), value(run, PAWL__RUN_CURRENT), &l->arena, err);
        l->expired = (pawl__expired){.question = {NULL, 0}};
        if (!status && !l->n_open && pawl__text_is(run->status, "blocked"))
                status = pawl__question_expired(&l->expired, l->log, l->state,
                        value(run, PAWL__RUN_ID), (pawl_text){NULL, 0}, &l->arena, err);
        if (!status && pawl__text_is(run->status, "interrupted"))
                status = interruption(&reason, l, run, err);
        if (status)
                return status;
        return l->w ? write_run(l, run, reason, err) : print_run(l, run, reason, err);
}

/* ---- The list ------------------------------------------------------------------------------- */

/* *n: how many are not shown. */
static pawl_status list(uint64_t *n, listing *l, pawl_error *err)
{
        uint64_t next = 0;
        pawl_status status = pawl__state_of(&l->state, l->log, err);

        *n = 0;
        if (!status)
                status = pawl__runs_list(&next, l->log, pawl__text("unfinished"), 0,
                        l->w ? UINT64_MAX : SHOWN, show, l, err);
        if (!status && next)
                status = pawl__runs_unfinished(n, l->log, next, err);
        pawl__arena_free(&l->arena);
        return status;
}

pawl_status cli_status_list(uint64_t *n, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        listing l = {.cli = cli, .log = log};
        cli_half_done rollback;
        uint64_t more = 0;
        pawl_status status = cli_half_done_find(&rollback, cli, log, err);

        if (status)
                return status;
        if (rollback.status.data)
                cli_half_done_print(&rollback, cli);
        status = list(&more, &l, err);
        if (!status && more) {
                fprintf(cli->in->out, "and %" PRIu64 " more, see ", more);
                cli_say(cli, cli->in->out, "`pawl runs`");
                fputc('\n', cli->in->out);
        }
        if (!status && n)
                *n = l.n + more + (rollback.status.data != NULL);
        return status;
}

/* The top of the linked work tree that it is about, or NULL. */
static const char *worktree_of(pawl_log *log)
{
        pawl__state *state;
        const char *root = NULL;

        if (!pawl__state_of(&state, log, NULL))
                (void)pawl__state_worktree(state, &root);
        return root;
}

static pawl_status status_json(const cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        listing l = {.cli = cli, .log = log, .w = &w};
        cli_half_done rollback;
        uint64_t more;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "runs");
        pawl__json_open_array(&w);
        pawl_status status = list(&more, &l, err);
        pawl__json_close_array(&w);
        if (!status)
                status = cli_half_done_find(&rollback, cli, log, err);
        if (!status)
                status = cli_half_done_json(&w, &rollback, cli, err);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        pawl__json_member_string(&w, "sqlite_version", pawl_sqlite_version());
        pawl__json_member_string(&w, "worktree", worktree_of(log));
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static pawl_status tell_status(cli_call *cli, pawl_log *log, pawl_error *err)
{
        uint64_t n = 0;

        if (cli_given(cli, "json"))
                return status_json(cli, log, err);
        pawl_status status = cli_status_list(&n, cli, log, err);
        if (!status && n == 0)
                fputs("nothing is queued, blocked, failed, interrupted or running\n", cli->in->out);
        if (!status)
                fprintf(cli->in->out, "SQLite %s\n", pawl_sqlite_version());
        if (!status && worktree_of(log))
                fprintf(cli->in->out, "work tree %s\n", worktree_of(log));
        return status;
}

const cli_cmd pawl_status_cmd = {
        .name = "status",
        .traits = CLI_SERVED,
        .options = cli_json_option,
        .help = "Say what is queued, blocked, failed, interrupted or running, why, and what to type",
        .on_log = tell_status,
        .access = CLI_LOOK,
};

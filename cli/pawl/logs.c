/* pawl logs and pawl output: what the command of a step wrote, to standard error and as its output.
 */
#include "base/error.h"
#include "base/json_tree.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "command/fields.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "mission/attempts.h"
#include "mission/runs.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Any bytes as a string: what is not UTF-8 becomes U+FFFD. */
static pawl_status member_bytes(pawl__json_writer *w, const char *name, pawl_text text)
{
        pawl__buf valid = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        while (text.len && !status) {
                size_t n = pawl__utf8_span(text.data, text.len);
                status = pawl__buf_add(&valid, text.data, n);
                if (!status && n < text.len)
                        status = pawl__buf_adds(&valid, "\xef\xbf\xbd");
                n += n < text.len;
                text = pawl__text_n(text.data + n, text.len - n);
        }
        if (!status)
                pawl__json_member_text(w, name, pawl__buf_text(&valid));
        pawl__buf_free(&valid);
        return status;
}

/* ---- logs ------------------------------------------------------------------------------------ */

typedef struct looking {
        const cli_call *cli;
        pawl_log *log;
        pawl_text run_id, step_id;
        uint64_t number; /* of the attempt that was asked for; 0: the newest */
        pawl__arena arena;
        pawl__attempts attempts;
        pawl_error err;
} looking;

static pawl_status read_attempts(looking *l)
{
        free(l->attempts.list);
        l->attempts = (pawl__attempts){NULL, 0, 0};
        pawl__arena_clear(&l->arena);
        return pawl__attempts_read(&l->attempts, l->log, l->run_id, l->step_id, &l->arena, &l->err);
}

/* NULL: there is none of that number, or none at all. */
static const pawl__attempt_view *attempt_of(const looking *l)
{
        for (size_t i = l->attempts.n; i-- > 0;)
                if (!l->number || l->attempts.list[i].number == l->number)
                        return &l->attempts.list[i];
        return NULL;
}

/* The run that a fork has the completed step from, which was at no gate here; absent: it is none
 * such. */
static pawl_status find_source(pawl_text *run_id, looking *l)
{
        pawl__run_view run;
        pawl__run_steps steps = {.n = 0};
        pawl_status status = pawl__run_get(&run, &steps, l->log, l->run_id, &l->arena, &l->err);

        *run_id = pawl__text(NULL);
        for (size_t i = 0; i < steps.n && !status; i++)
                if (pawl__text_eq(steps.rows[i].v[PAWL__STEP_ID].text, l->step_id) &&
                        !steps.rows[i].v[PAWL__STEP_TOKEN].text.data &&
                        pawl__text_is(pawl__row_step_status(&steps.rows[i]), "completed"))
                        *run_id = run.forked.run_id;
        return status;
}

static pawl_status none(looking *l)
{
        pawl_text source = {NULL, 0};
        pawl_status status = l->attempts.n ? PAWL_OK : find_source(&source, l);

        if (status)
                return status;
        if (source.data)
                return pawl__fail(&l->err, PAWL_ENOTFOUND,
                        "step %.*s: ran in run %.*s, which run %.*s was forked from; "
                        "`pawl logs %s %s` prints what it wrote",
                        PAWL__FMT(l->step_id), PAWL__FMT(source), PAWL__FMT(l->run_id),
                        PAWL__WORD(source), PAWL__WORD(l->step_id));
        if (l->attempts.n == 0)
                return pawl__fail(&l->err, PAWL_ENOTFOUND,
                        "step %.*s: nothing of what it wrote is kept in run %.*s; it was not "
                        "started, or by an older pawl",
                        PAWL__FMT(l->step_id), PAWL__FMT(l->run_id));
        return pawl__fail(&l->err, PAWL_ENOTFOUND,
                "step %.*s: has no attempt %" PRIu64 "; its last is %" PRIu64,
                /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): n of them */
                PAWL__FMT(l->step_id), l->number, l->attempts.list[l->attempts.n - 1].number);
}

/* One that ended between the two looks is in the log by now. */
static pawl_status read_log(
        pawl__buf *out, uint64_t *before, looking *l, const pawl__attempt_view *one)
{
        const uint64_t number = one->number;
        pawl_status status =
                pawl__attempt_log(out, before, l->log, l->run_id, l->step_id, one, &l->err);

        if (status != PAWL_ENOTFOUND || one->seq)
                return status;
        status = read_attempts(l);
        for (size_t i = 0; i < l->attempts.n && !status; i++)
                if (l->attempts.list[i].number == number)
                        return pawl__attempt_log(out, before, l->log, l->run_id, l->step_id,
                                &l->attempts.list[i], &l->err);
        return status ? status : PAWL_ENOTFOUND;
}

static pawl_status write_attempt(pawl__json_writer *w, looking *l, const pawl__attempt_view *one)
{
        pawl__buf text = PAWL__BUF_INIT;
        uint64_t before = 0;
        char time[28];
        pawl_status status =
                pawl__attempt_log(&text, &before, l->log, l->run_id, l->step_id, one, &l->err);
        bool gone = status == PAWL_ENOTFOUND;

        if (status && !gone) {
                pawl__buf_free(&text);
                return status;
        }
        pawl__json_open_object(w);
        pawl__json_member_integer(w, "attempt", (int64_t)one->number);
        pawl__json_member_text(w, "status", one->status);
        pawl__json_name(w, "exit_code");
        if (one->exit_code < 0)
                pawl__json_null(w);
        else
                pawl__json_integer(w, one->exit_code);
        pawl__json_member_text(w, "reason", one->reason);
        if (one->seq)
                pawl__time_format(time, one->time_us);
        pawl__json_member_string(w, "ended_at", one->seq ? time : NULL);
        pawl__json_member_integer(w, "bytes", (int64_t)(one->seq ? one->bytes : before + text.len));
        pawl__json_member_integer(w, "kept", (int64_t)text.len);
        if (gone)
                pawl__json_member_string(w, "text", NULL);
        else if (member_bytes(w, "text", pawl__buf_text(&text)))
                status = pawl__nomem(&l->err);
        pawl__json_close_object(w);
        pawl__buf_free(&text);
        return gone ? PAWL_OK : status;
}

/* Every attempt, or the one that was asked for. */
static pawl_status logs_json(looking *l)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_status status = PAWL_OK;

        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "run_id", l->run_id);
        pawl__json_member_text(&w, "step_id", l->step_id);
        pawl__json_name(&w, "attempts");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < l->attempts.n && !status; i++)
                if (!l->number || l->attempts.list[i].number == l->number)
                        status = write_attempt(&w, l, &l->attempts.list[i]);
        pawl__json_close_array(&w);
        pawl__json_close_object(&w);
        if (!status)
                return cli_print_json(l->cli, &w, &l->err);
        pawl__json_writer_free(&w);
        return status;
}

static void say_left_out(const looking *l, uint64_t bytes)
{
        fprintf(l->cli->in->err,
                "%s: the %" PRIu64 " bytes before these are not kept (max_log_bytes)\n",
                l->cli->program->name, bytes);
}

/* What of the attempt was not shown yet: *shown bytes of it were. */
static pawl_status show(looking *l, const pawl__attempt_view *one, uint64_t *shown)
{
        FILE *out = l->cli->in->out;
        pawl__buf text = PAWL__BUF_INIT;
        uint64_t before = 0;
        pawl_status status = read_log(&text, &before, l, one);

        if (!status) {
                if (before > *shown) {
                        fflush(out);
                        say_left_out(l, before - *shown);
                        *shown = before;
                }
                size_t from = *shown - before < text.len ? (size_t)(*shown - before) : text.len;
                pawl_text fresh = pawl__text_n(pawl__buf_text(&text).data + from, text.len - from);
                cli_put_lines(out, fresh);
                *shown += fresh.len;
                if (fflush(out))
                        status = pawl__fail(&l->err, PAWL_EIO,
                                "standard output: %s; see that it can be written and has room",
                                strerror(errno));
        }
        pawl__buf_free(&text);
        return status;
}

/* Has the run an owner, so that an attempt may continue or begin? */
static pawl_status at_work(bool *is, looking *l)
{
        pawl_owner owner;
        pawl_status status = pawl__log_holder(is, &owner, l->log, l->run_id);

        return status ? pawl__log_failed(l->log, status, &l->err) : PAWL_OK;
}

/* The newest; once that was shown, the first one after it. */
static const pawl__attempt_view *attempt_after(const looking *l, uint64_t last)
{
        for (size_t i = 0; i < l->attempts.n && last; i++)
                if (l->attempts.list[i].number > last)
                        return &l->attempts.list[i];
        return last ? NULL : attempt_of(l);
}

/* Until the attempt has ended and none is to follow, or that which was asked for; where none runs,
 * until the step has one that does, or the run is left. */
static pawl_status follow(looking *l)
{
        const bool one_alone = l->number != 0;
        uint64_t shown = 0, last = 0;
        bool held = true;

        for (;;) {
                pawl_status status = at_work(&held, l); /* before the look at what there is */
                if (!status)
                        status = read_attempts(l);
                if (status)
                        return status;
                const pawl__attempt_view *one = attempt_after(l, last);
                if (one) {
                        const uint64_t number = one->number;
                        const bool ended = one->seq || !held, again = one->again && !one_alone;
                        l->number = number;
                        status = show(l, one, &shown);
                        if (status || (ended && !again))
                                return status;
                        if (ended) {
                                last = number;
                                shown = 0;
                                continue;
                        }
                } else if (!held) {
                        return last ? PAWL_OK : none(l);
                }
                if (!cli_wait_a_little(l->cli->in->out))
                        return PAWL_OK;
        }
}

static pawl_status show_one(looking *l)
{
        const pawl__attempt_view *one = attempt_of(l);
        uint64_t shown = 0;

        return one ? show(l, one, &shown) : none(l);
}

static pawl_status logs(cli_call *cli, pawl_log *log, pawl_error *err)
{
        looking l = {.cli = cli,
                .log = log,
                .run_id = pawl__text(cli_arg(cli, 0)),
                .step_id = pawl__text(cli_arg(cli, 1)),
                .number = cli_number(cli, "attempt", 0)};
        pawl_status status = cli_whole_run(&l.run_id, log, cli->arena, &l.err);

        if (!status)
                status = read_attempts(&l);
        if (!status && cli_given(cli, "follow"))
                status = follow(&l);
        else if (!status && cli_given(cli, "json") && (!l.number || attempt_of(&l)))
                status = logs_json(&l);
        else if (!status)
                status = show_one(&l);
        *err = l.err;
        free(l.attempts.list);
        pawl__arena_free(&l.arena);
        return status;
}

static int logs_run(cli_call *cli)
{
        if (cli_given(cli, "follow") && cli_given(cli, "json"))
                return cli_usage(cli, "give --follow or --json, not both");
        return cli_with_log(cli, CLI_LOOK, logs);
}

/* ---- output ---------------------------------------------------------------------------------- */

/* A step's output as --json has it. */
typedef struct output {
        const char *run_id, *step_id;
        pawl_text hash, json;
} output;

static const cli_field output_fields[] = {
        {"run_id", CLI_AS_STRING, CLI_AT(output, run_id)},
        {"step_id", CLI_AS_STRING, CLI_AT(output, step_id)},
        {"output_hash", CLI_AS_TEXT, CLI_AT(output, hash)},
        {"output", CLI_AS_RAW, CLI_AT(output, json)},
        CLI_NO_FIELD,
};

static pawl_status read_output(
        pawl__buf *text, output *out, const cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__row run, step;
        unsigned char bytes[32];
        pawl_status status = pawl__step_find(&run, &step, log, pawl__text(out->run_id),
                pawl__text(out->step_id), cli->arena, err);

        if (status)
                return status;
        out->hash = step.v[PAWL__STEP_OUTPUT_HASH].text;
        if (!out->hash.data || !pawl__unhex32(bytes, out->hash)) {
                const bool failed = pawl__text_is(step.v[PAWL__STEP_STATUS].text, "failed");
                pawl_owner owner;
                bool held;
                TRY(pawl__log_failed(
                        log, pawl__log_holder(&held, &owner, log, pawl__text(out->run_id)), err));
                pawl__step_stand(&step, held);
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "step %s: has no output in run %s, it is %.*s; `pawl %s %s%s%s` shows %s",
                        out->step_id, out->run_id, PAWL__FMT(pawl__row_step_status(&step)),
                        failed ? "logs" : "runs --id", PAWL__WORD(pawl__text(out->run_id)),
                        failed ? " " : "", failed ? PAWL__WORD(pawl__text(out->step_id)) : "",
                        failed ? "what it wrote to standard error" : "how far the run is");
        }
        status = pawl__log_blob(text, log, bytes);
        out->json = pawl__buf_text(text);
        return status ? pawl__log_failed(log, status, err) : PAWL_OK;
}

/* A string is its text and nothing more, unless a terminal would go on right behind it. */
static pawl_status output_text(const cli_call *cli, pawl_text json, pawl_error *err)
{
        FILE *out = cli->in->out;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = pawl__json_tree_read(&tree, json.data, json.len, err);

        if (status)
                return status;
        const pawl__json_node *root = pawl__json_at(&tree, 0);
        const bool is_text = root->type == PAWL__JSON_STRING;
        const pawl_text text = is_text ? root->value : json;
        cli_put_lines(out, text);
        if (!is_text || (cli_is_terminal(out) && text.len && text.data[text.len - 1] != '\n'))
                fputc('\n', out);
        pawl__json_tree_free(&tree);
        return PAWL_OK;
}

static pawl_status show_output(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_text run_id = pawl__text(cli_arg(cli, 0));
        pawl_status status = cli_whole_run(&run_id, log, cli->arena, err);
        output out = {.run_id = run_id.data, .step_id = cli_arg(cli, 1)};

        if (!status)
                status = read_output(&text, &out, cli, log, err);
        if (!status)
                status = cli_given(cli, "json") ? cli_print_object(cli, output_fields, &out, err)
                                                : output_text(cli, out.json, err);
        pawl__buf_free(&text);
        return status;
}

static const cli_option logs_options[] = {
        {"attempt", 'n', 0, CLI_NUMBER, "N", NULL, "this attempt (default: the newest)"},
        {"follow", 'f', 0, CLI_LOCAL, NULL, NULL,
                "go on with what it writes, and those that follow"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object with all attempts"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};
const cli_cmd pawl_logs_cmd = {
        .name = "logs",
        .args = "RUN STEP",
        .arg_help = {"the run", "its step"},
        .traits = CLI_SERVED,
        .options = logs_options,
        .help = "Print what the command of a step wrote to standard error",
        .run = logs_run,
};

const cli_cmd pawl_output_cmd = {
        .name = "output",
        .args = "RUN STEP",
        .arg_help = {"the run", "its step"},
        .traits = CLI_SERVED,
        .options = cli_json_option,
        .help = "Print the recorded output of a step: a string as its text, else JSON",
        .on_log = show_output,
        .access = CLI_LOOK,
};

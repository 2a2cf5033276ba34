/* pawl sessions: newest first, and how to go on with the latest. */
#include "base/error.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/session_json.h"
#include "cli/pawl/status.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "session/handoff.h"
#include "state/run_way.h"
#include <inttypes.h>
#include <pawl/session.h>
#include <stdio.h>

/* ---- One ------------------------------------------------------------------------------------- */

/* A session with its steps and its checkpoints. */
typedef struct detail {
        pawl__handoff hand;
        pawl__session_mark *marks;
        pawl__hand_checkpoint *captures;
        size_t n_marks, n_captures;
} detail;

static pawl_status read_detail(
        detail *d, const cli_call *cli, pawl_log *log, const pawl_session *session, pawl_error *err)
{
        pawl__state *state;
        pawl__row row;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__session_find(&row, state, session->session_id.data,
                        (pawl_text){NULL, 0}, cli->arena, err);
        if (!status)
                status = pawl__handoff_gather(&d->hand, log, state, &row, cli->arena, err);
        if (!status)
                status = pawl__session_marks(&d->marks, &d->n_marks, log, &row, cli->arena, err);
        if (!status)
                status = pawl__session_captures(
                        &d->captures, &d->n_captures, state, &row, cli->arena, err);
        return status;
}

static const cli_field mark_fields[] = {
        {"seq", CLI_AS_INTEGER, CLI_AT(pawl__session_mark, seq)},
        {"reason", CLI_AS_TEXT, CLI_AT(pawl__session_mark, reason)},
        {"created_at", CLI_AS_TIME, CLI_AT(pawl__session_mark, time_us)},
        CLI_NO_FIELD,
};

static pawl_status detail_json(
        const cli_call *cli, const detail *d, const pawl_session *session, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        pawl__json_open_object(&w);
        cli_fields_json(&w, cli_session_fields, session);
        pawl__json_name(&w, "steps");
        pawl__json_open_array(&w);
        pawl__hand_steps_json(&w, NULL, &d->hand.done, &d->hand);
        pawl__hand_steps_json(&w, NULL, &d->hand.at_hand, &d->hand);
        pawl__hand_steps_json(&w, NULL, &d->hand.next, &d->hand);
        pawl__json_close_array(&w);
        cli_list_json(
                &w, "session_checkpoints", mark_fields, d->marks, d->n_marks, sizeof *d->marks);
        pawl__hand_checkpoints_json(&w, d->captures, d->n_captures);
        pawl__json_close_object(&w);
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w, err);
}

static void print_steps(FILE *out, const pawl__hand_steps *steps)
{
        for (size_t i = 0; i < steps->n; i++) {
                const pawl__hand_step *step = &steps->list[i];
                cli_putf(out, "  %.*s: %.*s", CLI_FMT(step->row->v[PAWL__STEP_ID].text),
                        CLI_FMT(step->status));
                if (step->why.reason.data) {
                        cli_putf(out, ", %.*s", CLI_FMT(step->why.reason));
                }
                fputc('\n', out);
        }
}

static void print_time(FILE *out, int64_t us)
{
        char time[28];

        pawl__time_format(time, us);
        time[10] = ' ';
        fprintf(out, ", %.19s\n", time);
}

/* Below the session's line in the table. */
static void print_detail(FILE *out, const detail *d)
{
        const pawl__handoff *h = &d->hand;

        fputs(h->done.n + h->at_hand.n + h->next.n ? "\nsteps\n" : "", out);
        print_steps(out, &h->done);
        print_steps(out, &h->at_hand);
        print_steps(out, &h->next);
        fputs(d->n_marks ? "\ncheckpoints of the session\n" : "", out);
        for (size_t i = 0; i < d->n_marks; i++) {
                fprintf(out, "  seq %" PRIu64 ": ", d->marks[i].seq);
                cli_put(out, d->marks[i].reason.data ? d->marks[i].reason : pawl__text("pruned"));
                print_time(out, d->marks[i].time_us);
        }
        fputs(d->n_captures ? "\ncheckpoints of the workspace\n" : "", out);
        for (size_t i = 0; i < d->n_captures; i++) {
                const pawl__hand_checkpoint *c = &d->captures[i];
                fprintf(out, "  %" PRId64 ": ", c->n);
                cli_put(out, c->step_id.data ? c->step_id : c->id);
                if (c->description.data) {
                        cli_putf(out, ", %.*s", CLI_FMT(c->description));
                }
                print_time(out, c->created_us);
        }
}

static void say_over(const cli_call *cli, const pawl_session *s, pawl_text status)
{
        FILE *out = cli->in->out;

        cli_putf(out, "\nThe latest is %.*s; `pawl handoff ", CLI_FMT(status));
        cli_put_word(out, s->session_id);
        cli_say_log(cli, out);
        fputs("` tells what was done\n", out);
}

/* What continues it, as its handoff says it; a run's questions first, as `pawl status` says them.
 */
static pawl_status print_next(
        const cli_call *cli, pawl_log *log, const pawl_session *s, pawl_error *err)
{
        FILE *out = cli->in->out;
        pawl__buf command = PAWL__BUF_INIT;
        pawl__handoff h;
        pawl__run_view run = {.held = false};
        pawl__row row;
        pawl__state *state;
        pawl_status status = cli_name_log(cli, log, err);

        if (!status)
                status = pawl__state_of(&state, log, err);
        if (!status)
                status = pawl__session_find(
                        &row, state, s->session_id.data, pawl__text(NULL), cli->arena, err);
        if (!status)
                status = pawl__handoff_gather(&h, log, state, &row, cli->arena, err);
        if (!status)
                status = pawl__handoff_command(&command, &h, err);
        if (!status && h.has_run)
                status = pawl__run_get(&run, NULL, log, s->run_id, cli->arena, err);
        if (status) {
                pawl__buf_free(&command);
                return status;
        }
        if (pawl__handoff_is_over(&h)) {
                say_over(cli, s, h.has_run ? run.status : s->status);
        } else if (run.held || (!h.has_run && pawl__text_is(s->status, "active"))) {
                cli_putf(out, "\nThe latest is at work now: %.*s\n", CLI_FMT(s->actor));
        } else {
                fputc('\n', out);
                if (run.conflicts_open) {
                        fputs("Answer first: ", out);
                        status = cli_run_next(out, cli, log, &run, err);
                        fputc('\n', out);
                }
                if (command.len)
                        fprintf(out, "Resume the latest: %s\n", command.data);
                else if (h.run_place.gone)
                        cli_putf(out, "The latest cannot be resumed: its " PAWL__GONE "\n",
                                CLI_FMT(h.run_place.root), PAWL__WORD(s->run_id));
                else
                        fputs("To resume the latest, run the program that began it again\n", out);
        }
        pawl__buf_free(&command);
        return status;
}

static pawl_status show(const cli_call *cli, pawl_log *log, const pawl_sessions *list,
        const detail *d, pawl_error *err)
{
        const bool json = cli_given(cli, "json");

        if (json && d)
                return detail_json(cli, d, list->items, err);
        if (list->n == 0 && !json) {
                cli_say(cli, cli->in->out,
                        "no sessions; `pawl run MISSION` or `pawl session start --mission M` begins one");
                fputc('\n', cli->in->out);
                return PAWL_OK;
        }
        pawl_status status = cli_print_list(
                cli, log, cli_session_fields, list->items, list->n, sizeof *list->items, err);
        if (status || json)
                return status;
        if (d)
                print_detail(cli->in->out, d);
        return print_next(cli, log, list->items, err);
}

static pawl_status sessions(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list = NULL;
        pawl__state *state;
        detail d = {.n_marks = 0};

        filter.mission_id = cli_value(cli, "mission");
        filter.session_id = cli_value(cli, "id");
        filter.status = cli_value(cli, "status");
        TRY(pawl__state_of(&state, log, err));
        if (cli_given(cli, "latest") && !filter.session_id)
                filter.worktree = pawl__state_worktree(state, NULL);
        filter.limit = cli_given(cli, "latest") ? 1 : (size_t)cli_number(cli, "limit", 0);
        pawl_status status =
                pawl__session_list(&list, log, &filter, cli_number(cli, "before", 0), err);
        const bool one = !status && filter.session_id && list->n == 1;
        if (one)
                status = read_detail(&d, cli, log, list->items, err);
        if (!status)
                status = show(cli, log, list, one ? &d : NULL, err);
        pawl_sessions_free(list);
        return status;
}

static const cli_option sessions_options[] = {
        {"mission", 0, 0, CLI_TEXT, "MISSION", NULL, "those of this mission"},
        {"latest", 0, 0, CLI_FLAG, NULL, NULL, "the newest of this work tree alone"},
        {"id", 0, 0, CLI_TEXT, "ID", NULL, "this one, with its steps and checkpoints"},
        {"status", 0, 0, CLI_CHOICE, "STATUS", "active|completed|interrupted|error",
                "those that are active, completed, interrupted or error"},
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "the newest N"},
        {"before", 0, 0, CLI_NUMBER, "SEQ", NULL, "those that began before this event"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_sessions_cmd = {
        .name = "sessions",
        .traits = CLI_SERVED,
        .options = sessions_options,
        .help = "List the sessions, newest first, and say how to go on with the latest",
        .on_log = sessions,
        .access = CLI_LOOK,
};

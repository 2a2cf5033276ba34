/* pawl sessions: the sittings at missions, newest first, and how to go on with the latest. */
#include "base/error.h"
#include "base/json_write.h"
#include "base/sources.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/session_json.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "command/table.h"
#include "session/handoff.h"
#include <inttypes.h>
#include <pawl/session.h>
#include <stdio.h>

/* ---- One ----------------------------------------------------------------------------------------
 */

/* A session with its steps and its checkpoints. */
typedef struct detail {
        pawl__arena arena;
        pawl__handoff hand;
        pawl__session_mark *marks;
        pawl__hand_checkpoint *captures;
        size_t n_marks, n_captures;
} detail;

static pawl_status read_detail(
        detail *d, pawl_log *log, const pawl_session *session, pawl_error *err)
{
        pawl__state *state;
        pawl__row row;
        pawl_status status = pawl__state_of(&state, log, err);

        if (!status)
                status = pawl__session_find(&row, state, session->session_id.data,
                        (pawl_text){NULL, 0}, &d->arena, err);
        if (!status)
                status = pawl__handoff_gather(&d->hand, log, state, &row, &d->arena, err);
        if (!status)
                status = pawl__session_marks(&d->marks, &d->n_marks, log, &row, &d->arena, err);
        if (!status)
                status = pawl__session_captures(
                        &d->captures, &d->n_captures, state, &row, &d->arena, err);
        return status;
}

static int detail_json(const cli_call *cli, const detail *d, const pawl_session *session)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        char time[28];

        pawl__json_open_array(&w);
        pawl__json_open_object(&w);
        cli_session_members(&w, session);
        pawl__json_name(&w, "steps");
        pawl__json_open_array(&w);
        pawl__hand_steps_json(&w, NULL, &d->hand.done, &d->hand);
        pawl__hand_steps_json(&w, NULL, &d->hand.at_hand, &d->hand);
        pawl__hand_steps_json(&w, NULL, &d->hand.next, &d->hand);
        pawl__json_close_array(&w);
        pawl__json_name(&w, "session_checkpoints");
        pawl__json_open_array(&w);
        for (size_t i = 0; i < d->n_marks; i++) {
                pawl__time_format(time, d->marks[i].time_us);
                pawl__json_open_object(&w);
                pawl__json_member_integer(&w, "seq", (int64_t)d->marks[i].seq);
                pawl__json_member_text(&w, "reason", d->marks[i].reason);
                pawl__json_member_string(&w, "created_at", time);
                pawl__json_close_object(&w);
        }
        pawl__json_close_array(&w);
        pawl__hand_checkpoints_json(&w, d->captures, d->n_captures);
        pawl__json_close_object(&w);
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

static void print_steps(FILE *out, const pawl__hand_steps *steps)
{
        for (size_t i = 0; i < steps->n; i++) {
                fputs("  ", out);
                cli_put(out, steps->list[i].id);
                fputs(": ", out);
                cli_put(out, steps->list[i].status);
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
                        fputs(", ", out);
                        cli_put(out, c->description);
                }
                print_time(out, c->created_us);
        }
}

/* ---- As JSON ------------------------------------------------------------------------------------
 */

static int print_json(const cli_call *cli, const pawl_sessions *list)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_array(&w);
        for (size_t i = 0; i < pawl_sessions_count(list); i++)
                cli_session_json(&w, pawl_sessions_at(list, i));
        pawl__json_close_array(&w);
        return cli_print_json(cli, &w);
}

/* ---- As a table ---------------------------------------------------------------------------------
 */

/* "2d 4h", "3h 05m", "12m 08s", "45s": the two greatest units. A clock that stepped back gives
 * "0s".
 */
static void format_duration(char out[32], int64_t us)
{
        int64_t s = us > 0 ? us / 1000000 : 0;

        if (s >= 86400)
                snprintf(out, 32, "%" PRId64 "d %" PRId64 "h", s / 86400, s % 86400 / 3600);
        else if (s >= 3600)
                snprintf(out, 32, "%" PRId64 "h %02" PRId64 "m", s / 3600, s % 3600 / 60);
        else if (s >= 60)
                snprintf(out, 32, "%" PRId64 "m %02" PRId64 "s", s / 60, s % 60);
        else
                snprintf(out, 32, "%" PRId64 "s", s);
}

static void format_progress(char out[64], const pawl_session *s)
{
        if (s->steps_total == 0)
                snprintf(out, 64, "-");
        else
                snprintf(out, 64, "%" PRIu64 "/%" PRIu64 " (%" PRIu64 "%%)", s->steps_completed,
                        s->steps_total, s->steps_completed * 100 / s->steps_total);
}

static const cli_column columns[] = {
        {"id", CLI_CELL_TEXT, CLI_WHOLE},
        {"mission", CLI_CELL_TEXT, CLI_CUT},
        {"started", CLI_CELL_TIME, CLI_CUT_LAST},
        {"duration", CLI_CELL_TEXT, CLI_WHOLE},
        {"status", CLI_CELL_TEXT, CLI_WHOLE},
        {"progress", CLI_CELL_TEXT, CLI_WHOLE},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static pawl_status add_row(cli_table *table, const void *list, size_t i, pawl_error *err)
{
        const cli_listed *listed = list;
        const pawl_session *s = pawl_sessions_at(listed->list, i);
        pawl_text id = s->session_id;
        char duration[32], progress[64];
        int64_t until = s->ended_us ? s->ended_us : s->updated_us;

        if (cli_short_id(&id, listed->log, PAWL__SESSIONS, err))
                return err->status;
        format_duration(duration, until - s->started_us);
        format_progress(progress, s);
        const cli_cell cells[COLUMNS] = {{.text = id}, {.text = s->mission_id},
                {.integer = s->started_us}, {.text = pawl__text(duration)}, {.text = s->status},
                {.text = pawl__text(progress)}};
        return cli_table_row(table, cells, err);
}

/* The command that goes on with it; nothing for one that is at work or done. */
static void print_next(const cli_call *cli, const pawl_session *s)
{
        FILE *out = cli->in->out;

        if (pawl__text_is(s->status, "active")) {
                fputs("\nThe latest is at work now: ", out);
                cli_put(out, s->actor);
                fputs("\n", out);
        } else if (pawl__text_is(s->status, "completed") &&
                   (s->run_id.data || s->steps_completed == s->steps_total)) {
                fputs("\nThe latest is completed; `pawl handoff ", out);
                cli_put_word(out, s->session_id);
                cli_say_log(cli, out);
                fputs("` tells what was done\n", out);
        } else {
                fputs(s->run_id.data ? "\nResume the latest: pawl resume "
                                     : "\nResume the latest: pawl session resume ",
                        out);
                cli_put_word(out, s->run_id.data ? s->run_id : s->session_id);
                cli_say_log(cli, out);
                fputs("\n", out);
        }
}

static int print_table(
        const cli_call *cli, pawl_log *log, const pawl_sessions *list, const detail *d)
{
        const cli_listed listed = {list, log};
        size_t n = pawl_sessions_count(list);
        pawl_error err = PAWL_ERROR_INIT;

        if (n == 0) {
                cli_say(cli, cli->in->out,
                        "no sessions; `pawl run MISSION` or `pawl session start` begins one");
                fputc('\n', cli->in->out);
                return CLI_DONE;
        }
        if (cli_table_print(cli->in->out, columns, COLUMNS, add_row, &listed, n, &err))
                return cli_fail(cli, &err);
        if (d)
                print_detail(cli->in->out, d);
        print_next(cli, pawl_sessions_at(list, 0));
        return CLI_DONE;
}

/* The one that --id names. */
static int show_one(const cli_call *cli, pawl_log *log, const pawl_sessions *list)
{
        detail d = {.n_marks = 0};
        pawl_error err = PAWL_ERROR_INIT;
        int code;

        if (read_detail(&d, log, pawl_sessions_at(list, 0), &err))
                code = cli_fail(cli, &err);
        else if (cli_given(cli, "json"))
                code = detail_json(cli, &d, pawl_sessions_at(list, 0));
        else
                code = print_table(cli, log, list, &d);
        pawl__arena_free(&d.arena);
        return code;
}

static int sessions_run(cli_call *cli)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_sessions *list = NULL;
        pawl_log *log;
        int code;

        filter.mission_id = cli_value(cli, "mission");
        filter.session_id = cli_value(cli, "id");
        filter.status = cli_value(cli, "status");
        filter.limit = cli_given(cli, "latest") ? 1 : (size_t)cli_number(cli, "limit", 0);
        if (cli_open_log(&log, cli, CLI_LOOK, &err))
                return cli_fail(cli, &err);
        if (pawl_session_list(&list, log, &filter, &err))
                code = cli_fail(cli, &err);
        else if (filter.session_id && pawl_sessions_count(list) == 1)
                code = show_one(cli, log, list);
        else
                code = cli_given(cli, "json") ? print_json(cli, list)
                                              : print_table(cli, log, list, NULL);
        pawl_sessions_free(list);
        cli_close_log(cli, log);
        return code;
}

static const cli_option sessions_options[] = {
        {"mission", 0, 0, CLI_TEXT, "MISSION", NULL, "those of this mission"},
        {"latest", 0, 0, CLI_FLAG, NULL, NULL, "the newest alone"},
        {"id", 0, 0, CLI_TEXT, "ID", NULL, "this one, with its steps and checkpoints"},
        {"status", 0, 0, CLI_CHOICE, "STATUS", "active|completed|interrupted|error",
                "those that are active, completed, interrupted or error"},
        {"limit", 'n', 0, CLI_NUMBER, "N", NULL, "the newest N"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_sessions_cmd = {
        .name = "sessions",
        .args = "",
        .traits = CLI_SERVED,
        .options = sessions_options,
        .help = "List the sessions, newest first, and say how to go on with the latest",
        .run = sessions_run,
};

/* pawl handoff: what is done, what was being done, what is next, and the command to go on with. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "session/handoff_text.h"
#include <pawl/session.h>
#include <stdio.h>

typedef struct telling {
        const cli_call *cli;
        pawl_log *log;
        pawl_sessions *found;
        const pawl_session *session; /* in found */
        pawl_error *err;
} telling;

/* The session that was named, or the latest of this work tree; of a mission, else of any. */
static pawl_status find(telling *t)
{
        const char *mission = cli_value(t->cli, "mission");
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl__state *state;
        pawl_status status;

        filter.session_id = cli_arg(t->cli, 0);
        filter.mission_id = mission;
        filter.limit = 1;
        TRY(pawl__state_of(&state, t->log, t->err));
        filter.worktree = filter.session_id ? NULL : pawl__state_worktree(state, NULL);
        status = pawl_session_list(&t->found, t->log, &filter, t->err);
        if (!status && !t->found->n && mission && filter.worktree) {
                pawl_sessions_free(t->found);
                t->found = NULL;
                filter.worktree = NULL;
                status = pawl_session_list(&t->found, t->log, &filter, t->err);
        }
        if (status)
                return status;
        if (t->found->n) {
                t->session = &t->found->items[0];
                return PAWL_OK;
        }
        if (!mission)
                return pawl__fail(t->err, PAWL_ENOTFOUND,
                        "handoff: no session yet in this work tree; `pawl run MISSION` or `pawl session start "
                        "--mission M` begins one, `pawl handoff SESSION` prints that of another");
        return filter.session_id
                       ? pawl__fail(t->err, PAWL_ENOTFOUND,
                                 "session %.128s: is not of mission %.128s; leave one of them out",
                                 filter.session_id, mission)
                       : pawl__fail(t->err, PAWL_ENOTFOUND,
                                 "mission %.128s: has no session; `pawl sessions` lists them all",
                                 mission);
}

static pawl_status tell(telling *t, const char *name, pawl_text value)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        if (!cli_given(t->cli, "json")) {
                fwrite(value.data, 1, value.len, t->cli->in->out);
                return PAWL_OK;
        }
        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "session_id", t->session->session_id);
        pawl__json_member_text(&w, "mission_id", t->session->mission_id);
        pawl__json_member_text(&w, "run_id", t->session->run_id);
        pawl__json_member_text(&w, name, value);
        pawl_status status = pawl__handoff_json(&w, t->log, t->session->session_id.data, t->err);
        if (status) {
                pawl__json_writer_free(&w);
                return status;
        }
        pawl__json_close_object(&w);
        return cli_print_json(t->cli, &w, t->err);
}

static pawl_status print_document(telling *t)
{
        char *text;
        size_t len;
        pawl_status status = pawl_session_handoff(&text, &len, t->log, t->session->session_id.data,
                cli_number(t->cli, "summary", 0), t->err);

        if (status)
                return status;
        status = tell(t, "text", pawl__text_n(text, len));
        pawl_free(text);
        return status;
}

static pawl_status write_document(telling *t)
{
        const char *path = cli_value(t->cli, "write");
        pawl_status status = pawl_session_handoff_write(t->log, t->session->session_id.data, path,
                cli_number(t->cli, "summary", 0), t->err);

        return status || !cli_given(t->cli, "json") ? status : tell(t, "path", pawl__text(path));
}

/* ---- Reading what people edited -------------------------------------------------------------- */

typedef struct reading {
        telling *t;
        pawl__handoff_text text;
        pawl__edits edits;
} reading;

static bool is_fresh(const reading *r, size_t entry)
{
        for (size_t i = 0; i < r->edits.fresh.n; i++)
                if (r->edits.entry[i] == entry)
                        return true;
        return false;
}

static pawl_status print_understood_json(const reading *r)
{
        const pawl__handoff_text *text = &r->text;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        bool *fresh = pawl__arena_array(r->t->cli->arena, text->n, sizeof *fresh);

        if (!fresh)
                return pawl__nomem(r->t->err);
        pawl__json_open_object(&w);
        for (size_t i = 0; i < text->n; i++)
                fresh[i] = is_fresh(r, i);
        pawl__handoff_text_json(&w, text, fresh);
        pawl__notes_json(&w, "new_notes", &r->edits.fresh);
        pawl__json_member_integer(&w, "done_notes", (int64_t)r->edits.n_done);
        pawl__json_close_object(&w);
        return cli_print_json(r->t->cli, &w, r->t->err);
}

/* Each entry on lines of its own, those that are new with a "+". */
static void print_understood(const reading *r)
{
        const pawl__handoff_text *text = &r->text;
        pawl_text heading = {NULL, 0};

        for (size_t i = 0; i < text->n; i++) {
                const pawl__handoff_entry *entry = &text->list[i];
                pawl_text rest = entry->text, line;
                const char *before = is_fresh(r, i) ? "+ " : "  ";
                if (!heading.data || !pawl__text_eq(entry->heading, heading)) {
                        heading = entry->heading;
                        cli_put(r->t->cli->in->out,
                                heading.len ? heading : pawl__text("(no heading)"));
                        fputc('\n', r->t->cli->in->out);
                }
                for (size_t len; rest.len; before = "    ") {
                        line = pawl__first_line(rest, &len);
                        rest = pawl__text_n(rest.data + len, rest.len - len);
                        cli_putf(r->t->cli->in->out, "%s%.*s\n", before, CLI_FMT(line));
                }
        }
        cli_sayf(r->t->cli, r->t->cli->in->out,
                "%zu new note%s, %zu done; a resume of a run whose mission has this file as its "
                "`handoff` takes them into the log",
                r->edits.fresh.n, r->edits.fresh.n == 1 ? "" : "s", r->edits.n_done);
        fputc('\n', r->t->cli->in->out);
}

/* The file is of the session that is named, or else of the one that its title names. */
static pawl_status understand(reading *r)
{
        telling *t = r->t;
        const char *named = cli_arg(t->cli, 0);
        pawl_text mission = pawl__text(cli_value(t->cli, "mission"));
        pawl_text title = r->text.session_id;
        pawl__state *state;
        pawl__row session;
        pawl_status status = pawl__state_of(&state, t->log, t->err);

        if (status)
                return status;
        if (named)
                r->text.session_id = pawl__text(named);
        status =
                pawl__handoff_session(&session, &r->text, state, mission, r->t->cli->arena, t->err);
        r->text.session_id = title;
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status)
                mission = session.v[PAWL__SES_MISSION].text;
        return pawl__handoff_edits(&r->edits, &r->text, t->log, state, status ? NULL : &session,
                mission, r->t->cli->arena, t->err);
}

/* A file that is no text is told of, and the log's own document shown in its place. */
static pawl_status read_document(telling *t)
{
        reading r = {.t = t};
        pawl_error why;
        pawl_status status = pawl__handoff_load(&r.text, cli_value(t->cli, "read"), t->err);

        if (status == PAWL_EPARSE) {
                why = *t->err;
                if (!find(t) && !print_document(t))
                        fflush(t->cli->in->out);
                *t->err = why;
        }
        if (status)
                return status;
        status = understand(&r);
        if (!status && cli_given(t->cli, "json"))
                status = print_understood_json(&r);
        else if (!status)
                print_understood(&r);
        pawl__handoff_text_free(&r.text);
        return status;
}

static pawl_status handoff(cli_call *cli, pawl_log *log, pawl_error *err)
{
        telling t = {.cli = cli, .log = log, .err = err};
        pawl_status status;

        TRY(cli_name_log(cli, log, err));
        if (cli_given(cli, "read"))
                status = read_document(&t);
        else if (!(status = find(&t)))
                status = cli_given(cli, "write") ? write_document(&t) : print_document(&t);
        pawl_sessions_free(t.found);
        return status;
}

static int handoff_run(cli_call *cli)
{
        if (cli_given(cli, "read") && cli_given(cli, "write"))
                return cli_usage(cli, "--read and --write do not go together");
        return cli_with_log(cli, CLI_LOOK, handoff);
}

static const cli_option handoff_options[] = {
        {"write", 0, 0, CLI_FILE, "FILE", NULL, "write it into a file, whole or not at all"},
        {"summary", 0, 0, CLI_NUMBER, "N", NULL,
                "list the last N steps that are done, count others"},
        {"read", 0, 0, CLI_FILE, "FILE", NULL, "say what is understood of a file that was edited"},
        {"mission", 0, 0, CLI_TEXT, "MISSION", NULL, "the latest session of this mission"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_handoff_cmd = {
        .name = "handoff",
        .args = "[SESSION]",
        .arg_help = {"the session (default: the latest)"},
        .traits = CLI_SERVED,
        .options = handoff_options,
        .help = "Print what a session leaves to whoever comes next",
        .run = handoff_run,
};

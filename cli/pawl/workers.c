/* pawl workers: who carries out which run now. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "command/table.h"
#include "mission/runs.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct worker {
        pawl_text owner, host, run_id, mission_id, step_id, session_id;
        int64_t pid, since_us;
} worker;

#define AT(member) CLI_AT(worker, member)

static const cli_field fields[] = {
        {"host", CLI_AS_TEXT, AT(host), .title = "host", .cut = CLI_CUT},
        {"pid", CLI_AS_INTEGER, AT(pid), .title = "pid"},
        {"run_id", CLI_AS_ID, AT(run_id), .title = "run", .table = PAWL__RUNS},
        {"mission_id", CLI_AS_TEXT, AT(mission_id), .title = "mission", .cut = CLI_CUT},
        {"step_id", CLI_AS_TEXT, AT(step_id), .title = "step", .cut = CLI_CUT},
        {"session_id", CLI_AS_TEXT, AT(session_id)},
        {"since", CLI_AS_TIME, AT(since_us), .title = "since", .cut = CLI_CUT_LAST},
        {"owner", CLI_AS_TEXT, AT(owner), .title = "owner", .cut = CLI_CUT},
        CLI_NO_FIELD,
};

typedef struct listing {
        pawl__state *state;
        pawl__arena *arena;
        worker *items;
        size_t n, cap;
} listing;

/* The owner of a run is at work on it, in the session that the run names. */
static pawl_status take(const pawl__run_view *run, void *user, pawl_error *err)
{
        listing *l = user;
        const pawl__value *v = run->row.v;
        pawl__row session = {.v[PAWL__SES_ID].text = v[PAWL__RUN_SESSION].text};
        pawl_status status = PAWL_ENOTFOUND;

        if (!run->held)
                return PAWL_OK;
        if (pawl__grow(&l->items, &l->cap, l->n + 1, sizeof *l->items))
                return pawl__nomem(err);
        if (session.v[PAWL__SES_ID].text.data)
                status = pawl__state_get(l->state, PAWL__SESSIONS, &session, l->arena, err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        l->items[l->n++] = (worker){.owner = session.v[PAWL__SES_ACTOR].text,
                .host = pawl__arena_copy(l->arena, run->owner.host),
                .run_id = pawl__arena_copy(l->arena, v[PAWL__RUN_ID].text),
                .mission_id = pawl__arena_copy(l->arena, v[PAWL__RUN_MISSION].text),
                .step_id = pawl__arena_copy(l->arena, v[PAWL__RUN_CURRENT].text),
                .session_id = pawl__arena_copy(l->arena, v[PAWL__RUN_SESSION].text),
                .pid = run->owner.pid,
                .since_us = session.v[PAWL__SES_STARTED_US].integer};
        return pawl__arena_check(l->arena, err);
}

static pawl_status list_workers(cli_call *cli, pawl_log *log, pawl_error *err)
{
        listing l = {.arena = cli->arena};
        uint64_t next;
        pawl_status status = pawl__state_of(&l.state, log, err);

        if (!status)
                status = pawl__runs_list(
                        &next, log, pawl__text("running"), 0, UINT64_MAX, take, &l, err);
        if (!status)
                status = cli_print_list(cli, log, fields, l.items, l.n, sizeof *l.items, err);
        if (!status && l.n == 0 && !cli_given(cli, "json"))
                fputs("nobody is at work\n", cli->in->out);
        free(l.items);
        return status;
}

static const cli_option workers_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_workers_cmd = {
        .name = "workers",
        .traits = CLI_SERVED,
        .options = workers_options,
        .help = "Say who carries out which run: host, process, run, step, since when",
        .on_log = list_workers,
        .access = CLI_LOOK,
};

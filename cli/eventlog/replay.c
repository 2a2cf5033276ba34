/* eventlog replay: fold the events, from nothing, into the state they mean. */
#include "base/error.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/fold.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "events/log.h"
#include "glossary/glossary.h"
#include <stdio.h>

struct printing {
        pawl__element_fn fn;
        cli_fold fold;
        pawl__buf event;
};

static pawl_status print_event(const pawl_event *event, void *user, pawl_error *err)
{
        struct printing *p = user;

        pawl__buf_clear(&p->event);
        TRY(pawl__event_json(&p->event, event, NULL, err));
        return p->fn("events", pawl__buf_text(&p->event), &p->fold, err);
}

/* One array more, "events": those that the filter names. */
static pawl_status print_events(
        struct printing *p, pawl_log *log, const pawl__replay_filter *filter, pawl_error *err)
{
        cli_event_filter named = {
                .mission_id = filter->mission_id,
                .run_id = filter->run_id,
                .step_id = filter->step_id,
                .since = 1,
                .until = filter->until,
        };

        TRY(p->fn("events", pawl__text(NULL), &p->fold, err));
        return cli_each_event(NULL, log, &named, print_event, p, err);
}

static pawl_status print(struct printing *p, pawl_log *log, const pawl__replay_filter *filter,
        bool events, pawl_error *err)
{
        unsigned char head_hash[32];
        pawl__store *store;
        uint64_t head;

        TRY(pawl__replay(&store, &head, head_hash, log, filter, err));
        pawl_status status = pawl__replay_each(
                store, log, head, head_hash, pawl__sense_is_alias, p->fn, &p->fold, err);
        store->free(store);
        if (!status && events)
                status = print_events(p, log, filter, err);
        return status ? status : p->fn(NULL, pawl__text(NULL), &p->fold, err);
}

static pawl_status replay(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__replay_filter filter = {
                .mission_id = pawl__text(cli_value(cli, "mission")),
                .run_id = pawl__text(cli_value(cli, "run")),
                .step_id = pawl__text(cli_value(cli, "step")),
                .until = cli_number(cli, "until", 0),
        };
        const bool as_json = cli_given(cli, "json");
        struct printing p = {.fn = as_json ? cli_fold_print_json : cli_fold_print,
                .fold = {.out = cli->in->out, .object = {.out = &p.fold.json}}};

        pawl_status status = cli_known_run(&filter.run_id, log, cli->arena, err);
        if (!status)
                status = print(&p, log, &filter, cli_given(cli, "events"), err);
        pawl__json_tree_free(&p.fold.tree);
        pawl__buf_free(&p.fold.json);
        pawl__buf_free(&p.event);
        if (status || !cli_given(cli, "check"))
                return status;
        status = pawl__replay_check(log, err);
        if (!status && !as_json)
                fputs("\ncheck: the state tables say the same\n", cli->in->out);
        return status;
}

static const cli_option replay_options[] = {
        {"mission", 0, 0, CLI_TEXT, "ID", NULL, "show this mission alone"},
        {"run", 0, 0, CLI_TEXT, "ID", NULL, "show this run alone"},
        {"step", 0, 0, CLI_TEXT, "ID", NULL, "show this step alone"},
        {"until", 0, 0, CLI_NUMBER, "SEQ", NULL, "fold the events up to this one"},
        {"events", 0, 0, CLI_FLAG, NULL, NULL, "also list the events"},
        {"check", 0, 0, CLI_FLAG, NULL, NULL,
                "also compare a fold of everything with the state tables"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_replay_cmd = {
        .name = "replay",
        .traits = CLI_SERVED,
        .options = replay_options,
        .help = "Fold the events, from nothing, into the state they mean",
        .on_log = replay,
        .access = CLI_READ,
};

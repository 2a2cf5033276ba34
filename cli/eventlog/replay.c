/* eventlog replay: fold the events, from nothing, into the state they mean. */
#include "base/error.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/fold.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "command/json.h"
#include "events/log.h"
#include "glossary/glossary.h"
#include <stdio.h>

/* The events that were folded, as elements of a JSON array. */
struct listing {
        pawl__buf *json;
        size_t n;
};

static pawl_status list_event(const pawl_event *event, void *user, pawl_error *err)
{
        struct listing *listing = user;

        if (listing->n++ && pawl__buf_addc(listing->json, ','))
                return pawl__nomem(err);
        return pawl__event_json(listing->json, event, NULL, err);
}

/* One member more for the object that *json is: "events", those that the filter names. */
static pawl_status add_events(
        pawl__buf *json, pawl_log *log, const pawl__replay_filter *filter, pawl_error *err)
{
        cli_event_filter named = {
                .mission_id = filter->mission_id,
                .run_id = filter->run_id,
                .step_id = filter->step_id,
                .since = 1,
                .until = filter->until,
        };
        struct listing listing = {json, 0};

        json->len--;
        if (pawl__buf_adds(json, ",\"events\":["))
                return pawl__nomem(err);
        pawl_status status = cli_each_event(NULL, log, &named, list_event, &listing, err);
        if (!status && pawl__buf_adds(json, "]}"))
                status = pawl__nomem(err);
        return status;
}

static pawl_status fold(pawl__buf *json, pawl_log *log, const pawl__replay_filter *filter,
        bool events, pawl_error *err)
{
        unsigned char head_hash[32];
        pawl__store *store;
        uint64_t head;

        pawl_status status = pawl__replay(&store, &head, head_hash, log, filter, err);
        if (status)
                return status;
        status = pawl__replay_json(json, store, head, head_hash, pawl__sense_is_alias, err);
        store->free(store);
        return status || !events ? status : add_events(json, log, filter, err);
}

static pawl_status replay(cli_call *cli, pawl_log *log, pawl_error *err)
{
        pawl__replay_filter filter = {
                .mission_id = pawl__text(cli_value(cli, "mission")),
                .run_id = pawl__text(cli_value(cli, "run")),
                .step_id = pawl__text(cli_value(cli, "step")),
                .until = cli_number(cli, "until", 0),
        };
        bool as_json = cli_given(cli, "json");
        pawl__buf json = PAWL__BUF_INIT;

        pawl_status status = cli_known_run(&filter.run_id, log, cli->arena, err);
        if (!status)
                status = fold(&json, log, &filter, cli_given(cli, "events"), err);
        if (!status && as_json)
                cli_print_line(cli, pawl__buf_text(&json));
        else if (!status)
                status = cli_fold_print(cli->in->out, pawl__buf_text(&json), err);
        pawl__buf_free(&json);
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

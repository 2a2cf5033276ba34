/* eventlog stats: counts and bytes by type, mission and run. */
#include "base/digest.h"
#include "base/error.h"
#include "base/map.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/table.h"
#include <stdio.h>
#include <stdlib.h>

/* What is counted under one name. Bytes are those of the payloads. */
struct tally {
        pawl_text name;
        int64_t count, bytes;
};

/* The tallies of one kind, in the order of their first events. */
struct tallies {
        struct tally *items;
        size_t n, cap;
        pawl__map map;
};

enum { BY_TYPE, BY_MISSION, BY_RUN, KINDS };

struct stats {
        pawl__arena *arena;
        struct tallies by[KINDS];
        int64_t events, bytes;
        cli_head head;
        unsigned char hash[PAWL__HASH_LEN];
};

#define TALLY(kind)                                                                                \
        {(kind), CLI_AS_TEXT, CLI_AT(struct tally, name), .title = (kind), .cut = CLI_CUT},        \
                {"count", CLI_AS_INTEGER, CLI_AT(struct tally, count), .title = "count"},          \
                {"bytes", CLI_AS_INTEGER, CLI_AT(struct tally, bytes), .title = "bytes"},          \
                CLI_NO_FIELD
/* NOLINTNEXTLINE(bugprone-macro-parentheses): members of a struct */
#define TALLIES(by_kind) CLI_ITEMS(struct stats, by_kind.items, by_kind.n)

static const cli_field kinds[KINDS][4] = {
        [BY_TYPE] = {TALLY("type")},
        [BY_MISSION] = {TALLY("mission_id")},
        [BY_RUN] = {TALLY("run_id")},
};

static const cli_field fields[] = {
        {"events", CLI_AS_INTEGER, CLI_AT(struct stats, events)},
        {"bytes", CLI_AS_INTEGER, CLI_AT(struct stats, bytes)},
        {"types", CLI_AS_LIST, TALLIES(by[BY_TYPE]), .fields = kinds[BY_TYPE]},
        {"missions", CLI_AS_LIST, TALLIES(by[BY_MISSION]), .fields = kinds[BY_MISSION]},
        {"runs", CLI_AS_LIST, TALLIES(by[BY_RUN]), .fields = kinds[BY_RUN]},
        {"head", CLI_AS_OBJECT, CLI_AT(struct stats, head), .fields = cli_head_fields},
        CLI_NO_FIELD,
};

static pawl_status count(struct stats *stats, int kind, pawl_text name, size_t bytes)
{
        struct tallies *tallies = &stats->by[kind];
        bool ok = true;

        if (!name.data)
                return PAWL_OK;
        uint32_t at = pawl__map_get(&tallies->map, name);
        if (at == PAWL__MAP_NONE) {
                at = (uint32_t)tallies->n;
                pawl_text kept = pawl__arena_text(stats->arena, name, &ok);
                if (!ok ||
                        pawl__grow(&tallies->items, &tallies->cap, tallies->n + 1,
                                sizeof *tallies->items) ||
                        pawl__map_put(&tallies->map, kept, at))
                        return PAWL_ENOMEM;
                tallies->items[tallies->n++] = (struct tally){kept, 0, 0};
        }
        tallies->items[at].count++;
        tallies->items[at].bytes += (int64_t)bytes;
        return PAWL_OK;
}

static pawl_status count_event(const pawl_event *event, void *user, pawl_error *err)
{
        struct stats *stats = user;
        size_t bytes = event->payload.len;

        stats->events++;
        stats->bytes += (int64_t)bytes;
        stats->head.seq = event->seq;
        memcpy(stats->hash, event->hash, sizeof stats->hash);
        if (count(stats, BY_TYPE, event->type, bytes) ||
                count(stats, BY_MISSION, event->mission_id, bytes) ||
                count(stats, BY_RUN, event->run_id, bytes))
                return pawl__nomem(err);
        return PAWL_OK;
}

static int cmp_name(const void *a, const void *b)
{
        return pawl__text_cmp(((const struct tally *)a)->name, ((const struct tally *)b)->name);
}

static pawl_status print_tables(const cli_call *cli, const struct stats *stats, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        fprintf(cli->in->out, "%lld events, %lld bytes of payloads\n", (long long)stats->events,
                (long long)stats->bytes);
        for (int kind = 0; kind < KINDS && !status; kind++) {
                const struct tallies *by = &stats->by[kind];
                fputs(by->n ? "\n" : "", cli->in->out);
                status = cli_table_print(
                        cli->in->out, kinds[kind], NULL, by->items, by->n, sizeof *by->items, err);
        }
        return status;
}

static pawl_status stats(cli_call *cli, pawl_log *log, pawl_error *err)
{
        cli_event_filter filter = {.since = 1};
        struct stats all = {.arena = cli->arena};
        struct tallies *types = &all.by[BY_TYPE];
        pawl_status status = cli_each_event(NULL, log, &filter, count_event, &all, err);

        if (!status && types->n)
                qsort(types->items, types->n, sizeof *types->items, cmp_name);
        pawl__hex(all.head.hex, all.hash, sizeof all.hash);
        if (!status)
                status = cli_given(cli, "json") ? cli_print_object(cli, fields, &all, err)
                                                : print_tables(cli, &all, err);
        for (int kind = 0; kind < KINDS; kind++) {
                free(all.by[kind].items);
                pawl__map_free(&all.by[kind].map);
        }
        return status;
}

const cli_cmd eventlog_stats_cmd = {
        .name = "stats",
        .traits = CLI_SERVED,
        .options = cli_json_option,
        .help = "Count events and bytes by type, mission and run",
        .on_log = stats,
        .access = CLI_READ,
};

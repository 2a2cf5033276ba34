/* eventlog stats: counts and bytes by type, mission and run. */
#include "base/digest.h"
#include "base/error.h"
#include "base/map.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "command/json.h"
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

static const struct {
        const char *plural, *name;
} kinds[KINDS] = {
        [BY_TYPE] = {"types", "type"},
        [BY_MISSION] = {"missions", "mission_id"},
        [BY_RUN] = {"runs", "run_id"},
};

struct stats {
        pawl__arena arena;
        struct tallies by[KINDS];
        int64_t events, bytes;
        uint64_t head;
        unsigned char hash[PAWL__HASH_LEN];
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
                pawl_text kept = pawl__arena_text(&stats->arena, name, &ok);
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
        stats->head = event->seq;
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

static int print_json(const cli_call *cli, const struct stats *stats)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        char hex[2 * PAWL__HASH_LEN + 1];

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "events", stats->events);
        pawl__json_member_integer(&w, "bytes", stats->bytes);
        for (int kind = 0; kind < KINDS; kind++) {
                const struct tallies *tallies = &stats->by[kind];
                pawl__json_name(&w, kinds[kind].plural);
                pawl__json_open_array(&w);
                for (size_t i = 0; i < tallies->n; i++) {
                        pawl__json_open_object(&w);
                        pawl__json_member_text(&w, kinds[kind].name, tallies->items[i].name);
                        pawl__json_member_integer(&w, "count", tallies->items[i].count);
                        pawl__json_member_integer(&w, "bytes", tallies->items[i].bytes);
                        pawl__json_close_object(&w);
                }
                pawl__json_close_array(&w);
        }
        pawl__hex(hex, stats->hash, sizeof stats->hash);
        pawl__json_name(&w, "head");
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "seq", (int64_t)stats->head);
        pawl__json_member_string(&w, "hash", hex);
        pawl__json_close_object(&w);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

static pawl_status print_kind(FILE *out, const struct stats *stats, int kind, pawl_error *err)
{
        const cli_column columns[] = {
                {kinds[kind].name, CLI_CELL_TEXT, CLI_CUT},
                {"count", CLI_CELL_INTEGER, CLI_WHOLE},
                {"bytes", CLI_CELL_INTEGER, CLI_WHOLE},
        };
        const struct tallies *tallies = &stats->by[kind];
        cli_table *table;

        if (tallies->n == 0)
                return PAWL_OK;
        fputc('\n', out);
        pawl_status status = cli_table_new(&table, out, columns, 3, false, err);
        if (status)
                return status;
        for (size_t i = 0; !status && i < tallies->n; i++) {
                const cli_cell cells[] = {
                        {.text = tallies->items[i].name},
                        {.integer = tallies->items[i].count},
                        {.integer = tallies->items[i].bytes},
                };
                status = cli_table_row(table, cells, err);
        }
        if (!status)
                status = cli_table_end(table, err);
        cli_table_free(table);
        return status;
}

static int print_tables(const cli_call *cli, const struct stats *stats)
{
        pawl_error err = PAWL_ERROR_INIT;

        fprintf(cli->in->out, "%lld events, %lld bytes of payloads\n", (long long)stats->events,
                (long long)stats->bytes);
        for (int kind = 0; kind < KINDS; kind++)
                if (print_kind(cli->in->out, stats, kind, &err))
                        return cli_fail(cli, &err);
        return CLI_DONE;
}

static void free_stats(struct stats *stats)
{
        for (int kind = 0; kind < KINDS; kind++) {
                free(stats->by[kind].items);
                pawl__map_free(&stats->by[kind].map);
        }
        pawl__arena_free(&stats->arena);
}

static int stats_run(cli_call *cli)
{
        cli_event_filter filter = {.since = 1};
        struct stats stats = {.arena = PAWL__ARENA_INIT};
        pawl_error err = PAWL_ERROR_INIT;
        pawl_log *log;
        int code;

        if (cli_open_log(&log, cli, CLI_READ, &err))
                return cli_fail(cli, &err);
        if (cli_each_event(NULL, log, &filter, count_event, &stats, &err)) {
                code = cli_fail(cli, &err);
        } else {
                struct tallies *types = &stats.by[BY_TYPE];
                if (types->n)
                        qsort(types->items, types->n, sizeof *types->items, cmp_name);
                code = cli_given(cli, "json") ? print_json(cli, &stats) : print_tables(cli, &stats);
        }
        free_stats(&stats);
        cli_close_log(cli, log);
        return code;
}

static const cli_option stats_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_stats_cmd = {
        .name = "stats",
        .args = "",
        .traits = CLI_SERVED,
        .options = stats_options,
        .help = "Count events and bytes by type, mission and run",
        .run = stats_run,
};

#include "cli/eventlog/rows.h"
#include "base/error.h"
#include "base/sources.h"
#include "command/find.h"
#include "events/log.h"
#include "state/run_range.h"
#include <stdio.h>
#include <stdlib.h>

/* An event for people. */
typedef struct row {
        uint64_t seq;
        char time[28];
        pawl_text type, run_id, step_id;
} row;

#define AT(member) CLI_AT(row, member)

static const cli_field fields[] = {
        {NULL, CLI_AS_INTEGER, AT(seq), .title = "seq"},
        {NULL, CLI_AS_CHARS, AT(time), .title = "time", .cut = CLI_CUT_LAST},
        {NULL, CLI_AS_TEXT, AT(type), .title = "type"},
        {NULL, CLI_AS_TEXT, AT(run_id), .title = "run", .cut = CLI_CUT},
        {NULL, CLI_AS_TEXT, AT(step_id), .title = "step", .cut = CLI_CUT},
        CLI_NO_FIELD,
};

pawl_status cli_rows_open(cli_rows *rows, pawl_error *err)
{
        return rows->json ? PAWL_OK
                          : cli_table_new(&rows->table, rows->out, fields, rows->log, err);
}

pawl_status cli_print_envelope(
        FILE *out, pawl__buf *line, pawl_log *log, const pawl_event *event, pawl_error *err)
{
        pawl__buf_clear(line);
        TRY(pawl__log_event_json(line, log, event, err));
        if (pawl__buf_addc(line, '\n'))
                return pawl__nomem(err);
        fwrite(line->data, 1, line->len, out);
        return PAWL_OK;
}

/* As much of a run's id as names it. Rows of one run mostly follow each other. */
static pawl_status short_run(cli_rows *rows, pawl_text run_id, pawl_error *err)
{
        if (run_id.data && pawl__text_eq(run_id, rows->run_id))
                return PAWL_OK;
        pawl__arena_clear(&rows->arena);
        rows->run_id = rows->shown = pawl__arena_copy(&rows->arena, run_id);
        pawl_status status = pawl__arena_check(&rows->arena, err);
        return status || !run_id.data
                       ? status
                       : cli_short_id(&rows->shown, rows->log, PAWL__RUNS, &rows->arena, err);
}

pawl_status cli_rows_event(const pawl_event *event, void *user, pawl_error *err)
{
        cli_rows *rows = user;
        row r = {.seq = event->seq, .type = event->type, .step_id = event->step_id};

        if (rows->json)
                return cli_print_envelope(rows->out, &rows->line, rows->log, event, err);
        TRY(short_run(rows, event->run_id, err));
        r.run_id = rows->shown;
        pawl__time_format(r.time, event->time_us);
        return cli_table_row(rows->table, &r, err);
}

pawl_status cli_rows_flush(cli_rows *rows, pawl_error *err)
{
        return rows->json ? PAWL_OK : cli_table_flush(rows->table, err);
}

void cli_rows_close(cli_rows *rows)
{
        pawl__arena_free(&rows->arena);
        cli_table_free(rows->table);
        pawl__buf_free(&rows->line);
}

const cli_field cli_head_fields[] = {
        {"seq", CLI_AS_INTEGER, CLI_AT(cli_head, seq)},
        {"hash", CLI_AS_CHARS, CLI_AT(cli_head, hex)},
        CLI_NO_FIELD,
};

pawl_status cli_read_head(cli_head *out, pawl_log *log, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN] = {0};
        pawl_status status = pawl_log_head(&out->seq, hash, log);

        if (status)
                return pawl__log_failed(log, status, err);
        pawl__hex(out->hex, hash, sizeof hash);
        return PAWL_OK;
}

static bool fits(pawl_text wanted, pawl_text is)
{
        return !wanted.data || pawl__text_eq(wanted, is);
}

static bool passes(const cli_event_filter *filter, const pawl_event *event)
{
        return fits(filter->type, event->type) && fits(filter->run_id, event->run_id) &&
               fits(filter->step_id, event->step_id) && fits(filter->mission_id, event->mission_id);
}

/* Every event from a seq on that passes; *head is the last seq seen. */
static pawl_status scan(uint64_t *head, pawl_log *log, const cli_event_filter *filter,
        uint64_t from, cli_event_fn fn, void *user, pawl_error *err)
{
        pawl__event_filter range = {.since = 0};
        pawl_cursor *cursor;
        pawl_event event;
        pawl_status status = PAWL_OK;

        if (filter->run_id.data)
                status = pawl__run_range(&range, log, filter->run_id, err);
        if (status)
                return status;
        if (from > range.since)
                range.since = from - 1;
        if (filter->until && (!range.before || filter->until < range.before))
                range.before = filter->until + 1;
        status = pawl__cursor_find(&cursor, log, &range);
        if (status)
                return pawl__log_failed(log, status, err);
        while ((status = pawl_cursor_next(cursor, &event)) == PAWL_OK) {
                *head = event.seq;
                if (passes(filter, &event) && (status = fn(&event, user, err)))
                        break;
        }
        if (status < 0 && err->status == PAWL_OK)
                pawl__log_failed(log, status, err);
        pawl_cursor_close(cursor);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* The seqs of the newest events that pass, a ring of at most n. */
struct newest {
        uint64_t *seqs;
        size_t n, cap;
        uint64_t seen, max;
};

static pawl_status note_seq(const pawl_event *event, void *user, pawl_error *err)
{
        struct newest *newest = user;

        if (newest->n < newest->max) {
                if (pawl__grow(&newest->seqs, &newest->cap, newest->n + 1, sizeof *newest->seqs))
                        return pawl__nomem(err);
                newest->n++;
        }
        newest->seqs[newest->seen++ % newest->max] = event->seq;
        return PAWL_OK;
}

/* Where the last so many events that pass begin; one past the head when there are none. */
static pawl_status find_start(
        uint64_t *from, pawl_log *log, const cli_event_filter *filter, pawl_error *err)
{
        struct newest newest = {NULL, 0, 0, 0, filter->last};
        unsigned char hash[32];
        uint64_t head = 0;

        pawl_status status = pawl_log_head(&head, hash, log);
        if (status)
                return pawl__log_failed(log, status, err);
        if (filter->until && filter->until < head)
                head = filter->until;
        *from = filter->since;
        if (filter->last == 0) {
                *from = head + 1;
                return PAWL_OK;
        }
        if (!filter->type.data && !filter->run_id.data && !filter->step_id.data &&
                !filter->mission_id.data) {
                if (head > filter->last && *from < head - filter->last + 1)
                        *from = head - filter->last + 1;
                return PAWL_OK;
        }
        status = scan(&head, log, filter, filter->since, note_seq, &newest, err);
        if (!status && newest.n)
                *from = newest.seqs[newest.n < newest.max ? 0 : newest.seen % newest.max];
        else if (!status)
                *from = head + 1;
        free(newest.seqs);
        return status;
}

pawl_status cli_each_event(uint64_t *head, pawl_log *log, const cli_event_filter *given,
        cli_event_fn fn, void *user, pawl_error *err)
{
        cli_event_filter filter = *given;
        pawl__arena arena = PAWL__ARENA_INIT;
        uint64_t from = filter.since;
        pawl_status status = cli_whole_run(&filter.run_id, log, &arena, err);

        if (!status && filter.newest)
                status = find_start(&from, log, &filter, err);
        uint64_t seen = from ? from - 1 : 0;
        if (!status)
                status = scan(&seen, log, &filter, from, fn, user, err);
        pawl__arena_free(&arena);
        if (!status && head)
                *head = seen;
        return status;
}

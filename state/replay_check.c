/* Is the fold of the events equal to the state tables? */
#include "base/error.h"
#include "events/log.h"
#include "state/projection.h"
#include <inttypes.h>

struct checking {
        pawl__table table;
        int version; /* of the tables: an older one has not all of them, nor all columns */
        pawl__store *events, *tables;
};

/* "conflicts c1f0" or "steps run-1 specify": the row, as a message names it. */
static void name_row(pawl__buf *out, pawl__table table, const pawl__row *row)
{
        const pawl__table_def *def = &pawl__tables[table];

        pawl__buf_adds(out, def->name);
        for (int c = 0; c < def->keys; c++)
                if (def->column[c].type == PAWL__INT)
                        pawl__buf_addf(out, " %" PRId64, row->v[c].integer);
                else if (row->v[c].text.len)
                        pawl__buf_addf(out, " %.*s", PAWL__FMT(row->v[c].text));
}

static void name_value(pawl__buf *out, const pawl__column *column, const pawl__value *value)
{
        if (column->type == PAWL__INT)
                pawl__buf_addf(out, "%" PRId64, value->integer);
        else if (column->type == PAWL__REAL)
                pawl__buf_addf(out, "%.17g", value->real);
        else if (value->text.data)
                pawl__buf_addf(out, "\"%.*s\"", PAWL__FMT(value->text));
        else
                pawl__buf_adds(out, "absent");
}

/* Report what @p text says, and free it. */
static pawl_status report(pawl__buf *text, const char *what, pawl_error *err)
{
        pawl_status status = pawl__buf_check(text, err);

        if (!status)
                status = pawl__fail(err, PAWL_EDAMAGED, "%s%s; rebuild with `pawl init --rebuild`",
                        text->data, what);
        pawl__buf_free(text);
        return status;
}

static pawl_status differ(pawl__table table, const pawl__row *by_table, const pawl__row *by_events,
        int column, pawl_error *err)
{
        const pawl__column *def = &pawl__tables[table].column[column];
        pawl__buf text = PAWL__BUF_INIT;

        name_row(&text, table, by_table);
        pawl__buf_addf(&text, ": %s is ", def->name);
        name_value(&text, def, &by_table->v[column]);
        pawl__buf_adds(&text, " in the table, ");
        name_value(&text, def, &by_events->v[column]);
        return report(&text, " by the events", err);
}

static pawl_status one_sided(
        pawl__table table, const pawl__row *row, const char *what, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;

        name_row(&text, table, row);
        return report(&text, what, err);
}

static pawl_status in_the_table(const pawl__row *by_events, void *user, pawl_error *err)
{
        const struct checking *check = user;
        const pawl__table_def *def = &pawl__tables[check->table];
        pawl__row wanted = *by_events, found = *by_events;
        pawl_status status = check->tables->get(check->tables, check->table, &found, err);

        if (status == PAWL_ENOTFOUND)
                return one_sided(check->table, by_events,
                        ": is missing in the table, but the events make it", err);
        if (status)
                return status;
        for (int c = 0; c < def->columns; c++)
                if (c >= def->stored || def->column[c].since > check->version)
                        memset(&wanted.v[c], 0, sizeof wanted.v[c]);
        for (int c = def->stored; c < def->columns; c++) /* what a step's row joins */
                memset(&found.v[c], 0, sizeof found.v[c]);
        int column = pawl__row_diff(check->table, &found, &wanted);
        return column < 0 ? PAWL_OK : differ(check->table, &found, &wanted, column, err);
}

static pawl_status in_the_events(const pawl__row *by_table, void *user, pawl_error *err)
{
        const struct checking *check = user;
        pawl__row found = *by_table;
        pawl_status status = check->events->get(check->events, check->table, &found, err);

        if (status == PAWL_ENOTFOUND)
                return one_sided(
                        check->table, by_table, ": is in the table, but no event makes it", err);
        return status;
}

static pawl_status compare(pawl__store *events, pawl__store *tables, int version, pawl_error *err)
{
        struct checking check = {.version = version, .events = events, .tables = tables};
        pawl_status status = PAWL_OK;

        for (int t = 0; t < PAWL__TABLES && status == PAWL_OK; t++) {
                if (pawl__tables[t].since > version)
                        continue;
                check.table = (pawl__table)t;
                status = events->each(events, check.table, in_the_table, &check, err);
                if (status == PAWL_OK)
                        status = tables->each(tables, check.table, in_the_events, &check, err);
        }
        return status;
}

/* Fold as far as the tables have come, and compare: all of it in one snapshot. */
static pawl_status check_snapshot(uint64_t most, pawl_log *log, pawl_error *err)
{
        pawl__store *events = NULL, *tables = NULL;
        uint64_t applied, head, seq;
        unsigned char hash[32];
        pawl_status status = pawl__projection_place(&applied, &head, log, err);

        if (status)
                return status;
        status = applied ? pawl__replay_within(most, &events, &seq, hash, log,
                                   &(pawl__replay_filter){.until = applied}, err)
                         : pawl__store_memory(&events, err);
        if (status == PAWL_OK)
                status = pawl__store_sql(&tables, log, err);
        if (status == PAWL_OK)
                status = compare(events, tables, pawl__log_version(log), err);
        if (events)
                events->free(events);
        if (tables)
                tables->free(tables);
        return status;
}

pawl_status pawl__replay_check(pawl_log *log, pawl_error *err)
{
        return pawl__replay_check_within(PAWL__EVENTS_IN_MEMORY, log, err);
}

pawl_status pawl__replay_check_within(uint64_t events, pawl_log *log, pawl_error *err)
{
        enum { TRIES = 3 };

        for (int i = 1;; i++) {
                pawl_status status = pawl__log_snapshot_begin(log, err);
                if (status)
                        return status;
                status = check_snapshot(events, log, err);
                if (pawl__log_snapshot_end(log) ||
                        (i >= TRIES && !pawl__log_view_again(log, status)))
                        return status;
        }
}

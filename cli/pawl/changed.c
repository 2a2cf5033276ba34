#include "cli/pawl/changed.h"
#include "base/error.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "events/log.h"
#include <stdlib.h>

static const cli_field sense_fields[] = {
        {"scope", CLI_AS_TEXT, CLI_AT(cli_changed_sense, scope)},
        {"surface", CLI_AS_TEXT, CLI_AT(cli_changed_sense, surface)},
        {"alias", CLI_AS_TEXT, CLI_AT(cli_changed_sense, alias)},
        {"definition", CLI_AS_TEXT, CLI_AT(cli_changed_sense, definition)},
        {"confidence", CLI_AS_NUMBER, CLI_AT(cli_changed_sense, confidence)},
        {"status", CLI_AS_TEXT, CLI_AT(cli_changed_sense, status)},
        {"mission_id", CLI_AS_TEXT, CLI_AT(cli_changed_sense, mission)},
        CLI_NO_FIELD,
};

static const cli_field step_fields[] = {
        {"run_id", CLI_AS_TEXT, CLI_AT(cli_affected_step, run_id)},
        {"mission_id", CLI_AS_TEXT, CLI_AT(cli_affected_step, mission_id)},
        {"step_id", CLI_AS_TEXT, CLI_AT(cli_affected_step, step_id)},
        {"rerun", CLI_AS_BOOL, CLI_AT(cli_affected_step, rerun)},
        CLI_NO_FIELD,
};

static const cli_field fields[] = {
        {"changed", CLI_AS_BOOL, CLI_AT(cli_changed, changed)},
        {"dry_run", CLI_AS_BOOL, CLI_AT(cli_changed, dry_run)},
        {"seq", CLI_AS_INTEGER, CLI_AT(cli_changed, seq), .or_null = true},
        {"senses", CLI_AS_LIST, CLI_ITEMS(cli_changed, now, n_now), .fields = sense_fields},
        {"former", CLI_AS_LIST, CLI_ITEMS(cli_changed, former, n_former), .fields = sense_fields},
        {"steps", CLI_AS_LIST, CLI_ITEMS(cli_changed, affected.items, affected.n),
                .fields = step_fields},
        CLI_NO_FIELD,
};

static bool is_active(pawl_text status)
{
        return pawl__text_is(status, pawl__sense_status_name(PAWL__ACTIVE));
}

/* Its normal form, if that is not the surface's. */
static pawl_status note_alias(cli_changed_sense *sense, pawl_text normal, pawl_error *err)
{
        const pawl__row row = {.v[PAWL__SENSE_SURFACE] = {.text = sense->surface},
                .v[PAWL__SENSE_NORMAL] = {.text = normal}};
        pawl__buf buf = PAWL__BUF_INIT;
        bool alias = false;
        const pawl_status status = pawl__sense_is_alias(&alias, &buf, &row, err);

        sense->alias = alias ? normal : pawl__text(NULL);
        pawl__buf_free(&buf);
        return status;
}

pawl_status cli_changed_retire(
        cli_changed *c, const pawl__row *row, pawl_text mission, pawl_error *err)
{
        pawl__arena *arena = c->cli->arena;
        const pawl_text own = row->v[PAWL__SENSE_MISSION].text;

        for (size_t i = 0; i < c->n_former; i++)
                if (c->retired[i].row == row)
                        return PAWL_OK;
        if (pawl__grow(&c->former, &c->cap_former, c->n_former + 1, sizeof *c->former) ||
                pawl__grow(&c->retired, &c->cap_retired, c->n_former + 1, sizeof *c->retired))
                return pawl__nomem(err);
        cli_changed_sense *of = &c->former[c->n_former];
        *of = (cli_changed_sense){.scope = pawl__arena_copy(arena, row->v[PAWL__SENSE_SCOPE].text),
                .surface = pawl__arena_copy(arena, row->v[PAWL__SENSE_SURFACE].text),
                .definition = pawl__arena_copy(arena, row->v[PAWL__SENSE_DEFINITION].text),
                .confidence = row->v[PAWL__SENSE_CONFIDENCE].real,
                .status = pawl__arena_copy(arena, row->v[PAWL__SENSE_STATUS].text),
                .mission = own.len ? pawl__arena_copy(arena, own) : pawl__text(NULL)};
        c->retired[c->n_former++] = (cli_retired_sense){row, mission};
        return note_alias(of, pawl__arena_copy(arena, row->v[PAWL__SENSE_NORMAL].text), err);
}

/* Does the sense that is now take away what this row, an active one, said? What a mission was
 * answered has one place a term; any other sense is one by what it says. */
static bool takes_away(const cli_changed_sense *now, pawl_text normal, const pawl__row *row)
{
        const pawl_text mission = row->v[PAWL__SENSE_MISSION].text;
        const bool same = pawl__text_eq(row->v[PAWL__SENSE_DEFINITION].text, now->definition);

        if (!is_active(row->v[PAWL__SENSE_STATUS].text) ||
                !pawl__text_eq(row->v[PAWL__SENSE_NORMAL].text, normal) ||
                !pawl__text_eq(row->v[PAWL__SENSE_SCOPE].text, now->scope) ||
                !pawl__text_eq(mission, now->mission.data ? now->mission : pawl__text("")))
                return false;
        return is_active(now->status) ? mission.len && !same : mission.len || same;
}

static pawl_status take_event(cli_changed *c, const pawl_event *event, pawl_error *err)
{
        pawl__arena *arena = c->cli->arena;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        cli_changed_sense sense = {.confidence = 1};
        pawl_text normal = {NULL, 0};
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);

        if (!status) {
                const pawl__node of = pawl__json_get(&tree, 0, "new_sense");
                const pawl__node confidence = pawl__json_get(&tree, of, "confidence");
                normal = pawl__arena_copy(arena, pawl__json_get_text(&tree, 0, "normal"));
                sense.scope = pawl__arena_copy(arena, pawl__json_get_text(&tree, of, "scope"));
                sense.surface = pawl__arena_copy(arena, pawl__json_get_text(&tree, of, "surface"));
                sense.definition =
                        pawl__arena_copy(arena, pawl__json_get_text(&tree, of, "definition"));
                sense.status = pawl__arena_copy(arena, pawl__json_get_text(&tree, of, "status"));
                if (confidence != PAWL__NO_NODE)
                        sense.confidence = pawl__json_double(pawl__json_at(&tree, confidence));
                if (pawl__text_is(sense.scope, "mission_local"))
                        sense.mission = pawl__arena_copy(arena, event->mission_id);
                status = note_alias(&sense, normal, err);
        }
        pawl__json_tree_free(&tree);
        if (!status && pawl__grow(&c->now, &c->cap_now, c->n_now + 1, sizeof *c->now))
                status = pawl__nomem(err);
        if (status)
                return status;
        c->now[c->n_now++] = sense;
        for (size_t i = 0; i < c->senses.n && !status; i++)
                if (takes_away(&sense, normal, &c->senses.rows[i]))
                        status = cli_changed_retire(c, &c->senses.rows[i],
                                c->senses.rows[i].v[PAWL__SENSE_MISSION].text, err);
        return status ? status : pawl__arena_check(arena, err);
}

/* Within the transaction, and from the beginning where that is tried again. */
static pawl_status prepare(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        cli_changed *c = user;

        cli_senses_free(&c->senses);
        c->n_now = c->n_former = 0;
        pawl_status status = cli_senses_read(&c->senses, log, 0, err);
        if (!status)
                status = c->make(c, batch, err);
        for (size_t i = 0; i < batch->n && !status; i++)
                status = take_event(c, &batch->events[i], err);
        c->changed = batch->n > 0;
        return status;
}

pawl_status cli_change(cli_changed *c, pawl_error *err)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        uint64_t seq = 0;
        pawl_status status = pawl__state_of(&c->state, c->log, err);

        c->dry_run = !cli_changes(c->cli);
        if (!status && c->dry_run) {
                status = prepare(c->log, &batch, c, err);
        } else if (!status) {
                batch.prepare = prepare;
                batch.prepare_user = c;
                status = pawl__log_failed(c->log, pawl__log_commit(c->log, &batch, 0, &seq), err);
                c->seq = c->changed ? seq : 0;
        }
        pawl__batch_free(&batch);
        for (size_t i = 0; i < c->n_former && !status; i++)
                status = cli_affected_add(&c->affected, c->cli, c->log, &c->senses,
                        c->retired[i].row, c->retired[i].mission, err);
        return status;
}

pawl_status cli_changed_json(
        const cli_changed *c, const cli_field *head, const void *item, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_fields_json(&w, head, item);
        cli_fields_json(&w, fields, c);
        pawl__json_close_object(&w);
        return cli_print_json(c->cli, &w, err);
}

const char *cli_changed_note(const cli_changed *c)
{
        return c->dry_run && c->changed ? " (a dry run: nothing was changed)\n" : "\n";
}

void cli_changed_print_steps(const cli_changed *c)
{
        enum { MOST = 20 };
        FILE *out = c->cli->in->out;

        for (size_t i = 0; i < c->affected.n && i < MOST; i++) {
                const cli_affected_step *step = &c->affected.items[i];
                cli_putf(out, "step %.*s of run %.*s completed with the former sense",
                        CLI_FMT(step->step_id), CLI_FMT(step->run_id));
                if (step->rerun)
                        cli_sayf(c->cli, out, "; `pawl resume %s --rerun-changed` runs it again",
                                PAWL__WORD(step->run_id));
                fputc('\n', out);
        }
        if (c->affected.n > MOST)
                fprintf(out, "and %zu more\n", c->affected.n - MOST);
}

void cli_changed_free(cli_changed *c)
{
        cli_senses_free(&c->senses);
        free(c->now);
        free(c->former);
        free(c->retired);
        free(c->affected.items);
}

/* pawl glossary log: who changed what a term means, and when. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/senses.h"
#include "command/fields.h"
#include "events/log.h"
#include "events/types.h"
#include "glossary/normal.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct entry {
        uint64_t seq;
        int64_t time_us;
        pawl_text actor, change, scope, status, definition, source, mission;
} entry;

typedef struct history {
        pawl__arena *arena;
        pawl_text normal;
        pawl__buf room;
        entry *items;
        size_t n, cap;
} history;

static const cli_field fields[] = {
        {"seq", CLI_AS_INTEGER, CLI_AT(entry, seq), .title = "seq"},
        {"time", CLI_AS_TIME, CLI_AT(entry, time_us), .title = "time"},
        {"actor", CLI_AS_TEXT, CLI_AT(entry, actor), .title = "actor"},
        {"change", CLI_AS_TEXT, CLI_AT(entry, change), .title = "change"},
        {"scope", CLI_AS_TEXT, CLI_AT(entry, scope), .title = "scope"},
        {"status", CLI_AS_TEXT, CLI_AT(entry, status), .title = "status"},
        {"definition", CLI_AS_TEXT, CLI_AT(entry, definition), .title = "definition",
                .cut = CLI_CUT},
        {"source", CLI_AS_TEXT, CLI_AT(entry, source)},
        {"mission_id", CLI_AS_TEXT, CLI_AT(entry, mission), .title = "mission_id", .cut = CLI_CUT},
        CLI_NO_FIELD,
};

/* An event of an older log may have no normal form: then its surface's. */
static bool is_term(history *h, const pawl__json_tree *tree)
{
        const pawl_text normal = pawl__json_get_text(tree, 0, "normal");

        if (normal.data)
                return pawl__text_eq(normal, h->normal);
        pawl__buf_clear(&h->room);
        h->room.failed |= pawl__normal_form(&h->room,
                                  pawl__json_get_text(tree, 0, "term_surface")) != PAWL_OK;
        return pawl__text_eq(pawl__buf_text(&h->room), h->normal);
}

static pawl_status add(history *h, const pawl_event *event, const pawl__json_tree *tree,
        bool answer, pawl_error *err)
{
        const pawl__node sense = pawl__json_get(tree, 0, answer ? "selected_sense" : "new_sense");
        const pawl_text status = pawl__json_get_text(tree, sense, "status");
        pawl_text scope = pawl__json_get_text(tree, 0, "scope");

        if (pawl__grow(&h->items, &h->cap, h->n + 1, sizeof *h->items))
                return pawl__nomem(err);
        if (answer)
                scope = pawl__text("mission_local");
        h->items[h->n++] = (entry){.seq = event->seq,
                .time_us = event->time_us,
                .actor = pawl__arena_copy(h->arena, event->actor),
                .change = answer ? pawl__text("answer")
                                 : pawl__arena_copy(
                                           h->arena, pawl__json_get_text(tree, 0, "update_type")),
                .scope = pawl__arena_copy(h->arena, scope),
                .status = pawl__arena_copy(h->arena, status.data ? status : pawl__text("active")),
                .definition =
                        pawl__arena_copy(h->arena, pawl__json_get_text(tree, sense, "definition")),
                .source = pawl__arena_copy(h->arena,
                        pawl__json_get_text(tree, pawl__json_get(tree, 0, "provenance"), "source")),
                .mission = pawl__arena_copy(h->arena, event->mission_id)};
        return pawl__arena_check(h->arena, err);
}

static pawl_status take(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        history *h = user;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        if ((type != PAWL__SENSE_UPDATED && type != PAWL__CLARIFICATION_RESOLVED) ||
                !event->payload.data)
                return PAWL_OK;
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
        const pawl__node selected =
                status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "selected_sense");
        const bool reply = selected != PAWL__NO_NODE && /* to a question, about no term */
                           pawl__json_at(&tree, selected)->type == PAWL__JSON_NULL;
        if (!status && !reply && is_term(h, &tree))
                status = add(h, event, &tree, type == PAWL__CLARIFICATION_RESOLVED, err);
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status show(cli_call *cli, pawl_log *log, pawl_error *err)
{
        history h = {.arena = cli->arena};
        pawl_status status = cli_term_read(&h.normal, cli, err);

        if (!status)
                status = pawl__log_each(log, 0, take, &h, err);
        if (!status)
                status = pawl__buf_check(&h.room, err);
        if (!status && h.n == 0)
                status = pawl__fail(err, PAWL_ENOTFOUND,
                        "term \"%s\": no glossary ever had it; see `pawl glossary list`",
                        cli->args[0]);
        if (!status)
                status = cli_print_list(cli, log, fields, h.items, h.n, sizeof *h.items, err);
        free(h.items);
        pawl__buf_free(&h.room);
        return status;
}

static const cli_option log_options[] = {
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_glossary_log_cmd = {
        .name = "glossary log",
        .args = "TERM",
        .arg_help = {"the term"},
        .traits = CLI_SERVED,
        .options = log_options,
        .help = "Who changed what a term means, and when, oldest first",
        .on_log = show,
        .access = CLI_READ,
};

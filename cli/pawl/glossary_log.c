/* pawl glossary log: who changed what a term means, and when. */
#include "base/error.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/senses.h"
#include "command/table.h"
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

/* A version of a seed when it came into force: what the term means in it is known when all of its
 * senses were read. */
typedef struct version {
        pawl_text scope, id;
        size_t before; /* the version that it follows; NONE */
        entry at;
} version;

/* A definition of the term in a version. */
typedef struct meaning {
        size_t version;
        pawl_text definition;
} meaning;

#define NONE SIZE_MAX

typedef struct history {
        pawl__arena *arena;
        pawl_text normal;
        pawl__buf buf;
        entry *items;
        size_t n, cap;
        version *versions;
        size_t n_versions, versions_cap;
        meaning *meanings;
        size_t n_meanings, meanings_cap;
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
        pawl__buf_clear(&h->buf);
        h->buf.failed |=
                pawl__normal_form(&h->buf, pawl__json_get_text(tree, 0, "term_surface")) != PAWL_OK;
        return pawl__text_eq(pawl__buf_text(&h->buf), h->normal);
}

/* ---- Versions of seeds: one names what it has, or what is other than in the one it depends on
 * ------ */

static size_t version_of(const history *h, pawl_text scope, pawl_text id)
{
        for (size_t i = h->n_versions; i-- > 0;)
                if (pawl__text_eq(h->versions[i].scope, scope) &&
                        (!id.data || pawl__text_eq(h->versions[i].id, id)))
                        return i;
        return NONE;
}

static bool means(const history *h, size_t in, pawl_text definition)
{
        for (size_t i = 0; i < h->n_meanings; i++)
                if (h->meanings[i].version == in &&
                        pawl__text_eq(h->meanings[i].definition, definition))
                        return true;
        return false;
}

static pawl_status add_meaning(history *h, size_t in, pawl_text definition, pawl_error *err)
{
        if (pawl__grow(&h->meanings, &h->meanings_cap, h->n_meanings + 1, sizeof *h->meanings))
                return pawl__nomem(err);
        h->meanings[h->n_meanings++] = (meaning){in, definition};
        return PAWL_OK;
}

static bool is_removed(const history *h, const pawl__json_tree *tree, pawl_text definition)
{
        const pawl__node removed = pawl__json_get(tree, 0, "removed");

        for (pawl__node n = removed == PAWL__NO_NODE ? removed : pawl__json_first(tree, removed);
                n != PAWL__NO_NODE; n = pawl__json_after(tree, removed, n))
                if (pawl__text_eq(pawl__json_get_text(tree, n, "normal"), h->normal) &&
                        pawl__text_eq(pawl__json_get_text(tree, n, "definition"), definition))
                        return true;
        return false;
}

static pawl_status add_version(
        history *h, const pawl_event *event, const pawl__json_tree *tree, pawl_error *err)
{
        const pawl_text scope = pawl__json_get_text(tree, 0, "scope_id");
        const pawl_text base = pawl__json_get_text(tree, 0, "base_version_id");
        const size_t before = version_of(h, scope, base), known = h->n_meanings;
        pawl_status status = PAWL_OK;

        if (pawl__text_is(scope, "mission_local")) /* its senses are each mission's own */
                return PAWL_OK;
        if (pawl__grow(&h->versions, &h->versions_cap, h->n_versions + 1, sizeof *h->versions))
                return pawl__nomem(err);
        version *added = &h->versions[h->n_versions];
        *added = (version){pawl__arena_copy(h->arena, scope),
                pawl__arena_copy(h->arena, pawl__json_get_text(tree, 0, "glossary_version_id")),
                before,
                {.seq = event->seq,
                        .time_us = event->time_us,
                        .actor = pawl__arena_copy(h->arena, event->actor),
                        .change = pawl__text("remove"),
                        .source = pawl__text("seed_file"),
                        .mission = pawl__arena_copy(h->arena, event->mission_id)}};
        added->at.scope = added->scope;
        for (size_t i = 0; i < known && base.data && before != NONE && !status; i++)
                if (h->meanings[i].version == before &&
                        !is_removed(h, tree, h->meanings[i].definition))
                        status = add_meaning(h, h->n_versions, h->meanings[i].definition, err);
        h->n_versions++;
        return status ? status : pawl__arena_check(h->arena, err);
}

/* What a version does not have any more. */
static pawl_status add_removed(history *h, pawl_error *err)
{
        for (size_t i = 0; i < h->n_meanings; i++)
                for (size_t v = 0; v < h->n_versions; v++) {
                        if (h->versions[v].before != h->meanings[i].version ||
                                means(h, v, h->meanings[i].definition))
                                continue;
                        if (pawl__grow(&h->items, &h->cap, h->n + 1, sizeof *h->items))
                                return pawl__nomem(err);
                        h->items[h->n] = h->versions[v].at;
                        h->items[h->n++].definition = h->meanings[i].definition;
                }
        return PAWL_OK;
}

static int by_seq(const void *a, const void *b)
{
        const entry *x = a, *y = b;

        return x->seq != y->seq ? (x->seq > y->seq) - (x->seq < y->seq)
                                : pawl__text_cmp(x->definition, y->definition);
}

/* ---- Changes --------------------------------------------------------------------------------- */

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
        const pawl_text id = pawl__json_get_text(tree, 0, "version_id");
        const size_t at = id.data ? version_of(h, scope, id) : NONE;
        const pawl_text definition = h->items[h->n - 1].definition;
        pawl_status checked = pawl__arena_check(h->arena, err);
        return checked || at == NONE || means(h, at, definition)
                       ? checked
                       : add_meaning(h, at, definition, err);
}

static pawl_status take(const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        history *h = user;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        if ((type != PAWL__SENSE_UPDATED && type != PAWL__CLARIFICATION_RESOLVED &&
                    type != PAWL__SCOPE_ACTIVATED) ||
                !event->payload.data)
                return PAWL_OK;
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
        const pawl__node selected =
                status ? PAWL__NO_NODE : pawl__json_get(&tree, 0, "selected_sense");
        const bool reply = selected != PAWL__NO_NODE && /* to a question, about no term */
                           pawl__json_at(&tree, selected)->type == PAWL__JSON_NULL;
        if (!status && type == PAWL__SCOPE_ACTIVATED)
                status = add_version(h, event, &tree, err);
        else if (!status && !reply && is_term(h, &tree))
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
                status = pawl__buf_check(&h.buf, err);
        if (!status)
                status = add_removed(&h, err);
        if (!status && h.n)
                qsort(h.items, h.n, sizeof *h.items, by_seq);
        if (!status && h.n == 0)
                status = pawl__fail(err, PAWL_ENOTFOUND,
                        "term \"%s\": no glossary ever had it; see `pawl glossary list`",
                        cli->args[0]);
        if (!status)
                status = cli_print_list(cli, log, fields, h.items, h.n, sizeof *h.items, err);
        free(h.items);
        free(h.versions);
        free(h.meanings);
        pawl__buf_free(&h.buf);
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

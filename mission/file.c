/* The mission file (docs/reference/mission-file.md): a table a level says which keys there are. */
#include "base/error.h"
#include "base/ids.h"
#include "base/system.h"
#include "document/fields.h"
#include "glossary/extract.h"
#include "mission/ask.h"
#include "mission/graph.h"
#include "mission/param_text.h"
#include "mission/params.h"
#include "mission/references.h"
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pawl_status keep_id(
        const pawl__place *place, pawl_text *out, pawl__node node, const char *what)
{
        pawl_error why = PAWL_ERROR_INIT;

        if (pawl__id_check(pawl__value_at(place, node)->value, what, &why))
                return pawl__field_fail(place, node, "%s", why.message);
        return pawl__keep(place, out, pawl__value_at(place, node)->value);
}

/* A number of bytes from least to most. */
static pawl_status read_bytes(
        const pawl__place *place, size_t *out, pawl__node node, unsigned least, unsigned most)
{
        int64_t bytes;

        if (!pawl__json_int(pawl__value_at(place, node), &bytes) || bytes < least || bytes > most)
                return pawl__field_fail(place, node,
                        "%.*s is out of range; write a whole number of bytes from %u to %u",
                        PAWL__FMT(pawl__value_at(place, node)->value), least, most);
        *out = (size_t)bytes;
        return PAWL_OK;
}

/* ---- Settings of a project, a mission or a step ---------------------------------------------- */

pawl_status pawl__set_strictness(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl_text value = pawl__value_at(place, node)->value;

        if (!pawl__strictness_of(&loader->settings->strictness, value))
                return pawl__field_fail(place, node,
                        "\"%.*s\" is not known; write off, medium or max", PAWL__FMT(value));
        return PAWL_OK;
}

static pawl_status set_check(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl_text value = pawl__value_at(place, node)->value;
        const bool enabled = pawl__text_is(value, "enabled");

        if (!enabled && !pawl__text_is(value, "disabled"))
                return pawl__field_fail(place, node,
                        "\"%.*s\" is not known; write enabled or disabled", PAWL__FMT(value));
        loader->settings->check_enabled = enabled;
        loader->settings->check_disabled = !enabled;
        return PAWL_OK;
}

static pawl_status set_output_max(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return read_bytes(place, &loader->settings->output_max, node, 1, UINT32_MAX);
}

pawl_status pawl__set_log_max(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return read_bytes(place, &loader->settings->log_max, node, 0, PAWL__LOG_MAX_MOST);
}

/* ---- glossary: ------------------------------------------------------------------------------ */

static pawl_status set_seed(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        pawl__scope scope = PAWL__CORE;
        char *path = NULL;

        bool known = pawl__scope_of(&scope, pawl__text(place->key));
        assert(known); /* the table below names scopes alone */
        (void)known;
        for (size_t i = 0; i < mission->n_seeds; i++)
                if (mission->seeds[i].scope == scope)
                        return pawl__field_fail(place, node,
                                "names the scope %s again; keep one of the two",
                                pawl__scope_name(scope));
        pawl_status status = pawl__keep_path(place, &path, node);
        if (status)
                return status;
        mission->seeds[mission->n_seeds++] = (struct pawl__seed_ref){scope, path};
        return PAWL_OK;
}

static const pawl__field glossary_fields[] = {
        {"mission_local", PAWL__ENTRY_TEXT, NULL, set_seed},
        {"team_domain", PAWL__ENTRY_TEXT, NULL, set_seed},
        {"audience_domain", PAWL__ENTRY_TEXT, NULL, set_seed},
        {"core", PAWL__ENTRY_TEXT, NULL, set_seed},
        {"spec_kitty_core", PAWL__ENTRY_TEXT, NULL, set_seed},
};

/* ---- steps: --------------------------------------------------------------------------------- */

static pawl_status set_step_id(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        size_t index = (size_t)(loader->step - loader->mission->steps);
        pawl_text id = {NULL, 0};
        pawl_status status = keep_id(place, &id, node, "step id");

        if (status)
                return status;
        uint32_t first = pawl__map_get(&loader->ids, id);
        if (first != PAWL__MAP_NONE)
                return pawl__field_fail(place, node,
                        "\"%.*s\" is the id of the step on line %u too; rename one", PAWL__FMT(id),
                        (unsigned)pawl__document_line(place->document, loader->id_at[first]));
        if (pawl__map_put(&loader->ids, id, (uint32_t)index))
                return pawl__nomem(place->err);
        loader->id_at[index] = node;
        loader->step->id = id;
        return PAWL_OK;
}

static pawl_status set_critical(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;

        loader->step->critical = pawl__value_at(place, node)->type == PAWL__JSON_TRUE;
        return PAWL_OK;
}

/* Where a value is in its document's text. */
static pawl__span span_of(const pawl__place *place, pawl__node node)
{
        const char *text = place->document->tree.text;
        const pawl__json_node *value = pawl__value_at(place, node);
        size_t end = value->offset + value->value.len;

        if (value->type == PAWL__JSON_STRING) {
                end = value->offset + 1;
                while (text[end] != '"')
                        end += text[end] == '\\' ? 2 : 1;
                end++;
        }
        return (pawl__span){value->offset, (uint32_t)(end - value->offset)};
}

static pawl_status set_inputs(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;

        loader->step->inputs = node;
        loader->step->inputs_at = span_of(place, node);
        return PAWL_OK;
}

static pawl_status set_when(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        loader->step->when_at = span_of(place, node);
        return pawl__when_read(place, node);
}

static pawl_status set_metadata(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_text json = pawl__value_at(place, node)->value;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        pawl__metadata metadata;
        pawl_status status = pawl__metadata_read(&metadata, &arena, json, &why);

        pawl__arena_free(&arena);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(place->err);
        if (status) /* it starts with the key: "metadata.NAME: ..." */
                return pawl__document_fail(
                        place->document, node, place->err, "%s%s", place->where, why.message);
        loader->step->metadata = json;
        return PAWL_OK;
}

/* The words of a command. *texts: those that take parameters; NULL: they may not. */
static pawl_status read_words(
        const pawl__place *place, char ***out, const char ***texts, pawl__node node)
{
        pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        const pawl__node command = pawl__json_first(tree, node);
        const size_t count = pawl__value_at(place, node)->count + (size_t)1;
        size_t n = 0;
        char **argv = pawl__arena_array(&loader->mission->arena, count, sizeof *argv);

        if (argv && texts)
                *texts = pawl__arena_array(&loader->mission->arena, count, sizeof **texts);
        if (!argv || (texts && !*texts))
                return pawl__nomem(place->err);
        if (command == PAWL__NO_NODE || pawl__value_at(place, command)->value.len == 0)
                return pawl__field_fail(
                        place, node, "names no command; write [COMMAND, ARGUMENT, ...]");
        for (pawl__node m = command; m != PAWL__NO_NODE; m = pawl__json_after(tree, node, m), n++) {
                pawl__place at = *place;
                char key[32];
                snprintf(key, sizeof key, "%s[%zu]", place->key, n);
                at.key = key;
                pawl_status status = texts ? pawl__word_read(&at, m, &argv[n], &(*texts)[n])
                                           : pawl__keep_c_string(&at, &argv[n], m);
                if (status)
                        return status;
        }
        *out = argv;
        return PAWL_OK;
}

static pawl_status set_run(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        if (pawl__value_at(place, node)->type != PAWL__JSON_ARRAY)
                return pawl__field_fail(place, node, "must be a list; " PAWL__GIVE_COMMAND);
        return read_words(place, &loader->step->argv, &loader->step->word_texts, node);
}

static pawl_status set_notify(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;

        return read_words(place, &loader->mission->notify, NULL, node);
}

static const pawl__field step_fields[] = {
        {"id", PAWL__ENTRY_TEXT, "give the step a name of its own: id: NAME", set_step_id},
        {"critical", PAWL__ENTRY_BOOL, NULL, set_critical},
        {"strictness", PAWL__ENTRY_TEXT, NULL, pawl__set_strictness},
        {"glossary_check", PAWL__ENTRY_TEXT, NULL, set_check},
        {"inputs", PAWL__ENTRY_ANY, NULL, set_inputs},
        {"metadata", PAWL__ENTRY_MAPPING, NULL, set_metadata},
        {"run", PAWL__ENTRY_ANY, NULL, set_run},
        {"ask", PAWL__ENTRY_MAPPING, NULL, pawl__ask_read},
        {"max_output_bytes", PAWL__ENTRY_NUMBER, NULL, set_output_max},
        {"max_log_bytes", PAWL__ENTRY_NUMBER, NULL, pawl__set_log_max},
        {"env", PAWL__ENTRY_MAPPING, NULL, pawl__env_read},
        {"cwd", PAWL__ENTRY_TEXT, NULL, pawl__cwd_read},
        {"timeout", PAWL__ENTRY_ANY, NULL, pawl__timeout_read},
        {"retry", PAWL__ENTRY_MAPPING, NULL, pawl__retry_rule_read},
        {"needs", PAWL__ENTRY_LIST, NULL, pawl__needs_read},
        {"when", PAWL__ENTRY_MAPPING, NULL, set_when},
};

/* ---- The mission ---------------------------------------------------------------------------- */

static pawl_status set_id(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;

        return keep_id(place, &loader->mission->id, node, "mission id");
}

static pawl_status set_glossary(const pawl__place *place, pawl__node node)
{
        pawl__place inside = *place;

        inside.where = "glossary.";
        return pawl__fields_read(PAWL__FIELDS(glossary_fields), &inside, node);
}

static pawl_status set_store_inputs(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;

        loader->mission->store_inputs = pawl__value_at(place, node)->type == PAWL__JSON_TRUE;
        return PAWL_OK;
}

static pawl_status set_handoff(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;

        return pawl__keep_path(place, &loader->mission->handoff, node);
}

static pawl_status read_step(const pawl__place *place, pawl__node node, size_t index)
{
        pawl__loader *loader = place->target;
        pawl__place inside = *place;
        char where[40];

        snprintf(where, sizeof where, "steps[%zu].", index);
        if (pawl__value_at(place, node)->type != PAWL__JSON_OBJECT)
                return pawl__document_fail(place->document, node, place->err,
                        "steps[%zu]: must be a mapping; write its members as KEY: VALUE", index);
        loader->step = &loader->mission->steps[index];
        loader->step->inputs = PAWL__NO_NODE;
        loader->step->needs_at = PAWL__NO_NODE;
        loader->step->when = PAWL__NO_NODE;
        loader->step->how = &loader->mission->plain;
        loader->step->settings =
                (pawl__settings){.output_max = loader->mission->settings.output_max,
                        .log_max = loader->mission->settings.log_max};
        loader->settings = &loader->step->settings;
        inside.where = where;
        const pawl_status status = pawl__fields_read(PAWL__FIELDS(step_fields), &inside, node);
        return status ? status : pawl__ask_or_run(&inside, node);
}

static pawl_status set_steps(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        const pawl__json_tree *tree = &place->document->tree;
        size_t count = pawl__value_at(place, node)->count;

        if (count == 0)
                return pawl__field_fail(place, node, "is empty; give the mission a step");
        mission->steps = pawl__arena_array(&mission->arena, count, sizeof *mission->steps);
        loader->id_at = calloc(count, sizeof *loader->id_at);
        if (!mission->steps || !loader->id_at)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, node, m)) {
                pawl_status status = read_step(place, m, mission->n_steps);
                if (status)
                        return status;
                mission->n_steps++;
        }
        pawl_status status = pawl__graph_make(mission, &loader->ids, place->err);
        if (!status)
                status = pawl__references_check(mission, &loader->ids, place->err);
        return status ? status : pawl__params_put_words(mission, place->err);
}

/* steps are last: their setter depends on the others'. */
static const pawl__field mission_fields[] = {
        {"mission", PAWL__ENTRY_TEXT, "give the mission a name: mission: NAME", set_id},
        {"strictness", PAWL__ENTRY_TEXT, NULL, pawl__set_strictness},
        {"glossary_check", PAWL__ENTRY_TEXT, NULL, set_check},
        {"glossary", PAWL__ENTRY_MAPPING, NULL, set_glossary},
        {"store_inputs", PAWL__ENTRY_BOOL, NULL, set_store_inputs},
        {"max_output_bytes", PAWL__ENTRY_NUMBER, NULL, set_output_max},
        {"max_log_bytes", PAWL__ENTRY_NUMBER, NULL, pawl__set_log_max},
        {"handoff", PAWL__ENTRY_TEXT, NULL, set_handoff},
        {"workspace", PAWL__ENTRY_MAPPING, NULL, pawl__workspace_settings_read},
        {"params", PAWL__ENTRY_MAPPING, NULL, pawl__params_read},
        {"secrets", PAWL__ENTRY_LIST, NULL, pawl__secrets_read},
        {"env", PAWL__ENTRY_MAPPING, NULL, pawl__env_read},
        {"notify", PAWL__ENTRY_LIST, NULL, set_notify},
        {"require_signed", PAWL__ENTRY_TEXT, NULL, pawl__require_signed_read},
        {"parallel", PAWL__ENTRY_NUMBER, NULL, pawl__parallel_read},
        {"steps", PAWL__ENTRY_LIST, "list the mission's steps: steps: [...]", set_steps},
};

/* @p path is absolute and without links. */
static pawl_status set_paths(pawl_mission *mission, const char *path, pawl_error *err)
{
        bool ok = true;
        size_t len = (size_t)(strrchr(path, '/') - path);
        pawl_text whole = pawl__arena_text(&mission->arena, pawl__text(path), &ok);
        pawl_text directory =
                pawl__arena_text(&mission->arena, pawl__text_n(path, len ? len : 1), &ok);

        mission->path = (char *)whole.data; /* the arena's own, which no one else holds */
        mission->directory = (char *)directory.data;
        return ok ? PAWL_OK : pawl__nomem(err);
}

static pawl_status read_mission(pawl_mission *mission, pawl_error *err)
{
        pawl__loader loader = {.settings = &mission->settings, .mission = mission};
        pawl__place place = {&mission->document, "", "", &loader, err, NULL};

        if (pawl__value_at(&place, 0)->type != PAWL__JSON_OBJECT)
                return pawl__document_fail(place.document, 0, err,
                        "mission: is missing; start the file with mission: NAME and steps:");
        pawl_status status = pawl__fields_read(PAWL__FIELDS(mission_fields), &place, 0);
        pawl__map_free(&loader.ids);
        free(loader.id_at);
        return status;
}

static pawl_mission *new_mission(void)
{
        pawl_mission *mission = calloc(1, sizeof *mission);

        if (!mission)
                return NULL;
        mission->store_inputs = true;
        mission->parallel = 1;
        mission->settings.output_max = PAWL__OUTPUT_MAX_DEFAULT;
        mission->settings.log_max = PAWL__LOG_MAX_UNSET;
        return mission;
}

/* From the document that it has, or the failure to read that. */
static pawl_status finish(pawl_mission **out, pawl_mission *mission, const char *path,
        pawl_status status, pawl_error *err)
{
        if (!status)
                status = set_paths(mission, path, err);
        if (!status)
                status = read_mission(mission, err);
        if (status) {
                pawl_mission_free(mission);
                return status;
        }
        pawl__hex(mission->hash, mission->document.hash, PAWL__HASH_LEN);
        *out = mission;
        return PAWL_OK;
}

pawl_status pawl_mission_load(pawl_mission **out, const char *path, pawl_error *err)
{
        char real[PATH_MAX]; /* a longer path could be named, but not used */
        pawl_mission *mission = new_mission();

        if (!mission)
                return pawl__nomem(err);
        mission->process = getpid();
        pawl_status status = pawl__document_load(&mission->document, path, err);
        if (!status && !realpath(path, real))
                status = pawl__fail_errno(err, errno, path, "find it again");
        return finish(out, mission, real, status, err);
}

pawl_status pawl__mission_parse(
        pawl_mission **out, const char *path, pawl_text text, pawl_error *err)
{
        pawl_mission *mission = new_mission();

        if (!mission)
                return pawl__nomem(err);
        mission->from_log = true;
        return finish(out, mission, path,
                pawl__document_parse(&mission->document, path, text.data, text.len, err), err);
}

pawl_status pawl__mission_whole(pawl_mission *mission, pawl_error *err)
{
        return pawl__document_reread(&mission->document, err);
}

void pawl_mission_free(pawl_mission *mission)
{
        if (!mission)
                return;
        pawl__document_free(&mission->document);
        pawl__arena_free(&mission->arena);
        free(mission);
}

const char *pawl_mission_id(const pawl_mission *mission)
{
        return mission ? mission->id.data : NULL;
}

size_t pawl_mission_steps(const pawl_mission *mission)
{
        return mission ? mission->n_steps : 0;
}

const char *pawl_mission_step_id(const pawl_mission *mission, size_t index)
{
        return index < pawl_mission_steps(mission) ? mission->steps[index].id.data : NULL;
}

size_t pawl__mission_find(const pawl_mission *mission, pawl_text step_id)
{
        for (size_t i = 0; i < mission->n_steps; i++)
                if (pawl__text_eq(mission->steps[i].id, step_id))
                        return i;
        return SIZE_MAX;
}

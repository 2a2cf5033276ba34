#include "mission/params.h"
#include "base/error.h"
#include "base/json_canon.h"
#include "mission/param_text.h"
#include <stdio.h>

static const char *const types[] = {"string", "number", "boolean", "json"};
enum { STRING, NUMBER, BOOLEAN, ANY, TYPES };

static size_t type_of(const pawl_mission_param *param)
{
        return pawl__text_index(pawl__text(param->type), types, TYPES);
}

static bool fits(size_t type, const pawl__json_node *value)
{
        switch (type) {
        case STRING:
                return value->type == PAWL__JSON_STRING;
        case NUMBER:
                return value->type == PAWL__JSON_NUMBER;
        case BOOLEAN:
                return value->type == PAWL__JSON_TRUE || value->type == PAWL__JSON_FALSE;
        default:
                return true;
        }
}

static const char *wanted(const pawl_mission_param *param)
{
        static const char *const what[] = {"is no string; quote it",
                "is no number; write one, such as 1.5", "is no boolean; write true or false", ""};

        return what[type_of(param)];
}

static pawl_status keep_value(const pawl_mission_param *param, const char **out,
        pawl_mission *mission, pawl_text json, pawl_error *err)
{
        pawl__buf canonical = PAWL__BUF_INIT;
        bool ok = true;
        pawl_status status = pawl__json_canon(&canonical, json.data, json.len, err);

        if (status == PAWL_EPARSE || status == PAWL_ETOOBIG)
                pawl__fail_prefix(err, status, "parameter %s", param->name);
        if (!status)
                *out = pawl__arena_text(&mission->arena, pawl__buf_text(&canonical), &ok).data;
        pawl__buf_free(&canonical);
        return ok ? status : pawl__nomem(err);
}

/* The value at a node of a document. A string may be any word that JSON would write the same. */
static pawl_status take_node(const pawl_mission_param *param, const char **out,
        pawl_mission *mission, const pawl__place *place, pawl__node node)
{
        const pawl__json_node *value = pawl__value_at(place, node);
        pawl__buf json = PAWL__BUF_INIT;
        pawl_text word = {NULL, 0};

        if (type_of(param) == STRING)
                word = pawl__document_word(place->document, node);
        if (word.data)
                pawl__json_quote(&json, word);
        else if (fits(type_of(param), value))
                pawl__json_node_text(&json, value);
        else
                return pawl__field_fail(place, node, "%s", wanted(param));
        pawl_status status = pawl__buf_check(&json, place->err);
        if (!status)
                status = keep_value(param, out, mission, pawl__buf_text(&json), place->err);
        pawl__buf_free(&json);
        return status;
}

/* ---- params: --------------------------------------------------------------------------------- */

static pawl_status set_type(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl_text word = pawl__value_at(place, node)->value;
        const size_t type = pawl__text_index(word, types, TYPES);

        if (type == TYPES)
                return pawl__field_fail(place, node,
                        "\"%.*s\" is not known; write string, number, boolean or json",
                        PAWL__FMT(word));
        loader->param->type = types[type];
        return PAWL_OK;
}

static pawl_status set_default(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return take_node(loader->param, &loader->param->value, loader->mission, place, node);
}

static pawl_status set_description(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        pawl_text kept = {NULL, 0};
        const pawl_status status = pawl__keep(place, &kept, pawl__value_at(place, node)->value);

        loader->param->description = kept.data;
        return status;
}

/* The type is first: the default's form depends on it. */
static const pawl__field param_fields[] = {
        {"type", PAWL__ENTRY_TEXT, NULL, set_type},
        {"default", PAWL__ENTRY_ANY, NULL, set_default},
        {"description", PAWL__ENTRY_TEXT, NULL, set_description},
};

/* As a variable of a shell may be called, and with dashes: --set NAME=VALUE ends at the '='. */
static bool is_name(pawl_text name)
{
        static const char digits[] = "0123456789-";
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

        for (size_t i = 0; i < name.len; i++)
                if (!memchr(letters, name.data[i], sizeof letters - 1) &&
                        (i == 0 || !memchr(digits, name.data[i], sizeof digits - 1)))
                        return false;
        return name.len > 0 && name.len <= 64;
}

static pawl_status read_param(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        const pawl__json_node *value = pawl__value_at(place, node);
        pawl__place inside = *place;
        pawl_text kept = {NULL, 0};
        char where[80];

        if (!is_name(value->name))
                return pawl__field_fail(place, node,
                        "\"%.*s\" is no name; write 1 to 64 letters, digits, - and _, beginning "
                        "with a letter or _",
                        PAWL__FMT(value->name));
        pawl_status status = pawl__keep(place, &kept, value->name);
        if (status)
                return status;
        loader->param = &loader->mission->params[loader->mission->n_params++];
        *loader->param = (pawl_mission_param){.name = kept.data, .type = types[STRING]};
        snprintf(where, sizeof where, "params.%s.", kept.data);
        if (value->type != PAWL__JSON_OBJECT)
                return pawl__document_fail(place->document, node, place->err,
                        "params.%s: must be a mapping; write {type: string, default: VALUE}",
                        kept.data);
        inside.where = where;
        return pawl__fields_read(PAWL__FIELDS(param_fields), &inside, node);
}

pawl_status pawl__params_read(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        pawl_status status = PAWL_OK;

        loader->mission->params = pawl__arena_array(&loader->mission->arena,
                pawl__value_at(place, node)->count, sizeof *loader->mission->params);
        if (!loader->mission->params)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, node, m))
                status = read_param(place, m);
        return status;
}

/* ---- Values that are given ------------------------------------------------------------------- */

static pawl_status refuse_unknown(const pawl_mission *mission, pawl_text name, pawl_error *err)
{
        const pawl_text shown = pawl__yaml_shown_key(name);
        char others[400];

        pawl__param_others(others, sizeof others, mission, name);
        return pawl__fail(err, PAWL_EINVAL,
                "parameter %.*s: mission %.*s has none of that name; %s", PAWL__FMT(shown),
                PAWL__FMT(mission->id), others);
}

pawl_status pawl_mission_set_param(
        pawl_mission *mission, const char *name, const char *text, pawl_error *err)
{
        TRY(pawl__mission_usable(mission, err));

        pawl_mission_param *param = pawl__param_find(mission, pawl__text(name));
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf json = PAWL__BUF_INIT;

        if (!param)
                return refuse_unknown(mission, pawl__text(name), err);
        if (!pawl__utf8_valid(text, strlen(text)))
                return pawl__fail(err, PAWL_EINVAL,
                        "parameter %s: its value is not UTF-8; give text that is", name);
        if (type_of(param) == STRING)
                pawl__json_quote(&json, pawl__text(text));
        else
                pawl__buf_adds(&json, text);
        pawl_status status = pawl__buf_check(&json, err);
        if (!status)
                status = pawl__json_tree_read(&tree, json.data, json.len, err);
        if (status == PAWL_EPARSE && type_of(param) == ANY)
                pawl__fail_prefix(err, PAWL_EINVAL, "parameter %s", name);
        else if (status == PAWL_EPARSE ||
                 (!status && !fits(type_of(param), pawl__json_at(&tree, 0))))
                status = pawl__fail(
                        err, PAWL_EINVAL, "parameter %s: \"%.100s\" %s", name, text, wanted(param));
        if (status == PAWL_EPARSE)
                status = PAWL_EINVAL;
        if (!status)
                status = keep_value(param, &param->value, mission, pawl__buf_text(&json), err);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&json);
        return status ? status : pawl__params_put_words(mission, err);
}

static pawl_status take_file(pawl_mission *mission, const pawl__document *document, pawl_error *err)
{
        const pawl__json_tree *tree = &document->tree;
        pawl_status status = PAWL_OK;

        if (pawl__json_at(tree, 0)->type != PAWL__JSON_OBJECT)
                return pawl__document_fail(
                        document, 0, err, "must be a mapping; write NAME: VALUE");
        for (pawl__node m = pawl__json_first(tree, 0); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, 0, m)) {
                pawl_mission_param *param = pawl__param_find(mission, pawl__json_at(tree, m)->name);
                if (!param) {
                        pawl_error why = PAWL_ERROR_INIT;
                        refuse_unknown(mission, pawl__json_at(tree, m)->name, &why);
                        return pawl__document_fail(document, m, err, "%s", why.message);
                }
                const pawl__place place = {document, "", param->name, NULL, err, NULL};
                status = take_node(param, &param->value, mission, &place, m);
        }
        return status ? status : pawl__params_put_words(mission, err);
}

pawl_status pawl_mission_load_params(pawl_mission *mission, const char *path, pawl_error *err)
{
        TRY(pawl__mission_usable(mission, err));

        pawl__document document;
        pawl_status status = pawl__document_load(&document, path, err);

        if (status)
                return status;
        status = take_file(mission, &document, err);
        pawl__document_free(&document);
        return status;
}

size_t pawl_mission_params(const pawl_mission *mission, const pawl_mission_param **out)
{
        *out = mission ? mission->params : NULL;
        return mission ? mission->n_params : 0;
}

pawl_status pawl__params_complete(const pawl_mission *mission, pawl_error *err)
{
        for (size_t i = 0; i < mission->n_params; i++)
                if (!mission->params[i].value)
                        return pawl__fail(err, PAWL_EINVAL,
                                "parameter %s: has no value; set %s=VALUE, or write a "
                                "default in %s",
                                mission->params[i].name, mission->params[i].name, mission->path);
        return PAWL_OK;
}

/* ---- In the log ------------------------------------------------------------------------------ */

void pawl__params_write(pawl__json_writer *w, const pawl_mission *mission)
{
        if (!mission->n_params)
                return;
        pawl__json_name(w, "params");
        pawl__json_open_object(w);
        for (size_t i = 0; i < mission->n_params; i++)
                pawl__json_member_raw(
                        w, mission->params[i].name, pawl__text(mission->params[i].value));
        pawl__json_close_object(w);
}

pawl_status pawl__params_recorded(
        pawl_mission *mission, const pawl__json_tree *payload, pawl_error *err)
{
        const pawl__node recorded =
                payload->n ? pawl__json_get(payload, 0, "params") : PAWL__NO_NODE;
        pawl__buf json = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < mission->n_params && !status; i++) {
                pawl_mission_param *param = &mission->params[i];
                const pawl__node node = recorded == PAWL__NO_NODE
                                                ? PAWL__NO_NODE
                                                : pawl__json_get(payload, recorded, param->name);
                if (node == PAWL__NO_NODE)
                        continue;
                pawl__buf_clear(&json);
                pawl__json_node_text(&json, pawl__json_at(payload, node));
                status = pawl__buf_check(&json, err);
                if (!status)
                        status = keep_value(
                                param, &param->value, mission, pawl__buf_text(&json), err);
        }
        pawl__buf_free(&json);
        if (!status)
                status = pawl__params_put_words(mission, err);
        return status;
}

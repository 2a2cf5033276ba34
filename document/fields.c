#include "document/fields.h"
#include "base/error.h"
#include "base/similar.h"
#include <stdarg.h>
#include <stdio.h>

pawl_status pawl__field_fail(const pawl__place *place, pawl__node node, const char *format, ...)
{
        char what[PAWL_ERROR_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        return pawl__document_fail(
                place->document, node, place->err, "%s%s: %s", place->where, place->key, what);
}

/* The tenth may be the last; of more than ten the last line says how many they are. */
void pawl__problems_add(pawl__problems *p, const pawl_error *err)
{
        if (p->n > 0 && p->n <= PAWL__PROBLEMS_MOST)
                p->tell(p->last.message, p->user);
        p->last = *err;
        p->n++;
}

pawl_status pawl__problems_close(const pawl__problems *p, const char *name, pawl_error *err)
{
        if (p->n == 0)
                return PAWL_OK;
        *err = p->last;
        if (p->n <= PAWL__PROBLEMS_MOST)
                return err->status;
        return pawl__fail(err, p->last.status,
                "%s: %zu more error%s; fix those that are named first", name,
                p->n - PAWL__PROBLEMS_MOST, p->n - PAWL__PROBLEMS_MOST == 1 ? "" : "s");
}

pawl_status pawl__problem(const pawl__place *place, pawl_status status)
{
        if (status != PAWL_EPARSE || !place->problems)
                return status;
        pawl__problems_add(place->problems, place->err);
        return PAWL_OK;
}

pawl_status pawl__problems_end(const pawl__place *place, pawl_status status)
{
        return status || !place->problems
                       ? status
                       : pawl__problems_close(place->problems, place->document->path, place->err);
}

static bool is_type(const pawl__json_node *node, pawl__entry_type type)
{
        switch (type) {
        case PAWL__ENTRY_TEXT:
                return node->type == PAWL__JSON_STRING;
        case PAWL__ENTRY_BOOL:
                return node->type == PAWL__JSON_TRUE || node->type == PAWL__JSON_FALSE;
        case PAWL__ENTRY_NUMBER:
                return node->type == PAWL__JSON_NUMBER;
        case PAWL__ENTRY_MAPPING:
                return node->type == PAWL__JSON_OBJECT;
        case PAWL__ENTRY_LIST:
                return node->type == PAWL__JSON_ARRAY;
        default:
                return true;
        }
}

/* A required list has a message that says what is in it; this also says how to fix it. */
static pawl_status refuse_type(const pawl__field *field, const pawl__place *place, pawl__node node)
{
        static const char *const fix[] = {
                [PAWL__ENTRY_ANY] = "must be a value",
                [PAWL__ENTRY_TEXT] = "must be a string; quote it",
                [PAWL__ENTRY_BOOL] = "must be a boolean; write true or false",
                [PAWL__ENTRY_NUMBER] = "must be a number; write it without quotes or unit",
                [PAWL__ENTRY_MAPPING] = "must be a mapping; write its members as KEY: VALUE",
                [PAWL__ENTRY_LIST] = "must be a list",
        };

        if (field->type != PAWL__ENTRY_LIST)
                return pawl__field_fail(place, node, "%s", fix[field->type]);
        return pawl__field_fail(place, node, "%s; %s", fix[field->type],
                field->missing ? field->missing : "write [A, B], or a dash before each element");
}

/* "x-" stands for every key that begins so. */
static bool is_prefix(const char *name)
{
        return name[strlen(name) - 1] == '-';
}

/* What other tools call the same. */
static const char *const synonyms[][2] = {
        {"cmd", "run"},
        {"command", "run"},
        {"exec", "run"},
        {"script", "run"},
        {"argv", "run"},
        {"name", "id"},
        {"name", "mission"},
        {"input", "inputs"},
        {"with", "inputs"},
        {"meaning", "definition"},
        {"description", "definition"},
        {"tasks", "steps"},
        {"jobs", "steps"},
        {"ignore", "exclude"},
        {NULL, NULL},
};

static pawl_status refuse_key(
        const pawl__field *fields, size_t n, const pawl__place *place, pawl__node node)
{
        pawl_text name = pawl__json_at(&place->document->tree, node)->name;
        const pawl_text shown = pawl__yaml_shown_key(name);
        pawl__similar similar = {.typed = name, .synonyms = synonyms};
        size_t used = 0;
        char known[256] = "";

        for (size_t i = 0; i < n; i++) {
                if (is_prefix(fields[i].name))
                        continue;
                pawl__similar_try(&similar, fields[i].name);
                int more = snprintf(
                        known + used, sizeof known - used, "%s%s", i ? ", " : "", fields[i].name);
                if (more > 0 && (size_t)more < sizeof known - used)
                        used += (size_t)more;
        }
        return pawl__fail(place->err, PAWL_EPARSE, "%s: line %u: %s%.*s: unknown key; %s%s%s",
                place->document->path, (unsigned)pawl__document_key_line(place->document, node),
                place->where, PAWL__FMT(shown),
                similar.found ? "did you mean " : "the keys here are ",
                similar.found ? similar.found : known, similar.found ? "?" : "");
}

static bool known(const pawl__field *fields, size_t n, pawl_text name)
{
        for (size_t i = 0; i < n; i++)
                if (pawl__text_is(name, fields[i].name) ||
                        (is_prefix(fields[i].name) && name.len >= strlen(fields[i].name) &&
                                memcmp(name.data, fields[i].name, strlen(fields[i].name)) == 0))
                        return true;
        return false;
}

static pawl_status read_field(const pawl__field *field, const pawl__place *at, pawl__node mapping)
{
        const pawl__json_tree *tree = &at->document->tree;
        const pawl__node m = pawl__json_get(tree, mapping, field->name);

        if (m == PAWL__NO_NODE)
                return field->missing
                               ? pawl__field_fail(at, mapping, "is missing; %s", field->missing)
                               : PAWL_OK;
        const pawl__json_node *value = pawl__json_at(tree, m);
        if (field->type == PAWL__ENTRY_TEXT && value->type == PAWL__JSON_NULL)
                return pawl__field_fail(at, m, "is empty; write a string");
        return is_type(value, field->type) ? field->set(at, m) : refuse_type(field, at, m);
}

pawl_status pawl__fields_read(
        const pawl__field *fields, size_t n, const pawl__place *place, pawl__node mapping)
{
        const pawl__json_tree *tree = &place->document->tree;
        pawl__place at = *place;
        pawl_status status = PAWL_OK;

        for (pawl__node m = pawl__json_first(tree, mapping); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, mapping, m))
                if (!known(fields, n, pawl__json_at(tree, m)->name))
                        status = pawl__problem(place, refuse_key(fields, n, place, m));
        for (size_t i = 0; i < n && !status; i++) {
                at.key = fields[i].name;
                status = pawl__problem(place, read_field(&fields[i], &at, mapping));
        }
        return status;
}

#include "document/fields.h"
#include "base/error.h"
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

/* A list that must be there says what is in it; that is the way to mend it, too. */
static pawl_status refuse_type(const pawl__field *field, const pawl__place *place, pawl__node node)
{
        static const char *const mend[] = {
                [PAWL__ENTRY_ANY] = "must be a value",
                [PAWL__ENTRY_TEXT] = "must be a string; quote it",
                [PAWL__ENTRY_BOOL] = "must be a boolean; write true or false",
                [PAWL__ENTRY_NUMBER] = "must be a number; write it without quotes or unit",
                [PAWL__ENTRY_MAPPING] = "must be a mapping; write its members as KEY: VALUE",
                [PAWL__ENTRY_LIST] = "must be a list",
        };

        if (field->type != PAWL__ENTRY_LIST)
                return pawl__field_fail(place, node, "%s", mend[field->type]);
        return pawl__field_fail(place, node, "%s; %s", mend[field->type],
                field->missing ? field->missing : "write [A, B], or a dash before each element");
}

/* How many letters must be added, left out or changed to make b of a (Levenshtein's distance, a row
 * at a time); n for names that are too long to be mistaken for one another. */
static size_t distance(pawl_text a, const char *b, size_t n)
{
        enum { LONGEST = 40 };
        size_t row[LONGEST + 1], b_len = strlen(b);

        if (a.len > LONGEST || b_len > LONGEST)
                return n;
        for (size_t j = 0; j <= b_len; j++)
                row[j] = j;
        for (size_t i = 1; i <= a.len; i++) {
                size_t diagonal = row[0];
                row[0] = i;
                for (size_t j = 1; j <= b_len; j++) {
                        size_t change = diagonal + (a.data[i - 1] != b[j - 1]);
                        diagonal = row[j];
                        size_t least = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
                        row[j] = change < least ? change : least;
                }
        }
        return row[b_len];
}

static pawl_status refuse_key(
        const pawl__field *fields, size_t n, const pawl__place *place, pawl__node node)
{
        enum { SIMILAR = 4 };
        pawl_text name = pawl__json_at(&place->document->tree, node)->name;
        const char *nearest = NULL;
        size_t least = SIMILAR, used = 0;
        char known[256] = "";

        for (size_t i = 0; i < n; i++) {
                size_t d = distance(name, fields[i].name, SIMILAR);
                if (d < least && d < name.len) {
                        least = d;
                        nearest = fields[i].name;
                }
                int more = snprintf(
                        known + used, sizeof known - used, "%s%s", i ? ", " : "", fields[i].name);
                if (more > 0 && (size_t)more < sizeof known - used)
                        used += (size_t)more;
        }
        if (nearest)
                return pawl__document_fail(place->document, node, place->err,
                        "%s%.*s: unknown key; did you mean %s?", place->where, PAWL__FMT(name),
                        nearest);
        return pawl__document_fail(place->document, node, place->err,
                "%s%.*s: unknown key; the keys here are %s", place->where, PAWL__FMT(name), known);
}

static bool known(const pawl__field *fields, size_t n, pawl_text name)
{
        for (size_t i = 0; i < n; i++)
                if (pawl__text_is(name, fields[i].name))
                        return true;
        return false;
}

pawl_status pawl__fields_read(
        const pawl__field *fields, size_t n, const pawl__place *place, pawl__node mapping)
{
        const pawl__json_tree *tree = &place->document->tree;
        pawl__place at = *place;

        for (pawl__node m = pawl__json_first(tree, mapping); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, mapping, m))
                if (!known(fields, n, pawl__json_at(tree, m)->name))
                        return refuse_key(fields, n, place, m);
        for (size_t i = 0; i < n; i++) {
                pawl__node m = pawl__json_get(tree, mapping, fields[i].name);
                at.key = fields[i].name;
                if (m == PAWL__NO_NODE && !fields[i].missing)
                        continue;
                if (m == PAWL__NO_NODE)
                        return pawl__field_fail(&at, mapping, "is missing; %s", fields[i].missing);
                const pawl__json_node *value = pawl__json_at(tree, m);
                if (fields[i].type == PAWL__ENTRY_TEXT && value->type == PAWL__JSON_NULL)
                        return pawl__field_fail(&at, m, "is empty; write a string");
                if (!is_type(value, fields[i].type))
                        return refuse_type(&fields[i], &at, m);
                pawl_status status = fields[i].set(&at, m);
                if (status)
                        return status;
        }
        return PAWL_OK;
}

/* Structs as JSON objects (fields.h). */
#include "fields.h"

enum { LONGEST_NAME = 40 };

/* run_id is runId. */
static void camel_case(char out[LONGEST_NAME], const char *name)
{
        size_t n = 0;
        bool upper = false;

        for (; *name && n < LONGEST_NAME - 1; name++) {
                if (*name != '_')
                        out[n++] = upper ? (char)(*name - 'a' + 'A') : *name;
                upper = *name == '_';
        }
        out[n] = '\0';
}

static void write_field(json_out *o, const json_field *field, const void *at)
{
        char member[LONGEST_NAME];

        camel_case(member, field->name);
        switch (field->kind) {
        case FIELD_TEXT:
                json_text(o, member, *(const pawl_text *)at);
                break;
        case FIELD_MEMBER:
                if (!((const pawl_text *)at)->data)
                        break;
                /* fall through */
        case FIELD_JSON:
                json_raw(o, member, *(const pawl_text *)at);
                break;
        case FIELD_STRING:
                json_string(o, member, *(const char *const *)at);
                break;
        case FIELD_CHARS:
                json_string(o, member, at);
                break;
        case FIELD_CHAR:
                json_text(o, member, (pawl_text){*(const char *)at ? at : NULL, 1});
                break;
        case FIELD_BOOLEAN:
                json_boolean(o, member, *(const bool *)at);
                break;
        case FIELD_INT:
                json_number(o, member, *(const int *)at);
                break;
        case FIELD_UNSIGNED:
                json_number(o, member, *(const unsigned *)at);
                break;
        case FIELD_INT64:
                json_number(o, member, (double)*(const int64_t *)at);
                break;
        case FIELD_UINT64:
                json_number(o, member, (double)*(const uint64_t *)at);
                break;
        case FIELD_DOUBLE:
                json_number(o, member, *(const double *)at);
                break;
        case FIELD_HASH:
                json_hex(o, member, at);
                break;
        }
}

void json_fields(json_out *o, const json_field *fields, size_t n, const void *object)
{
        for (size_t i = 0; i < n; i++)
                write_field(o, &fields[i], (const char *)object + fields[i].offset);
}

void json_array(json_out *o, const char *member, const json_field *fields, size_t n_fields,
        const void *items, size_t n, size_t size)
{
        json_open(o, member, "[");
        for (size_t i = 0; i < n; i++) {
                json_open(o, NULL, "{");
                json_fields(o, fields, n_fields, (const char *)items + i * size);
                json_close(o, "}");
        }
        json_close(o, "]");
}

#include "command/fields.h"
#include "base/digest.h"
#include "base/sources.h"
#include "command/json.h"
#include <assert.h>
#include <stdio.h>

const cli_field cli_numbers[] = {
        {NULL, CLI_AS_INTEGER, .at = 0, .size = sizeof(uint64_t)},
        CLI_NO_FIELD,
};

static const void *value_of(const cli_field *field, const void *item)
{
        return (const char *)item + field->at;
}

static const void *pointer_of(const cli_field *field, const void *item)
{
        return *(const void *const *)value_of(field, item);
}

int64_t cli_field_integer(const cli_field *field, const void *item)
{
        const void *value = value_of(field, item);

        assert(field->size == sizeof(int32_t) || field->size == sizeof(int64_t));
        return field->size == sizeof(int32_t) ? *(const int32_t *)value : *(const int64_t *)value;
}

pawl_text cli_field_text(const cli_field *field, const void *item, char space[CLI_WORD_MAX])
{
        const void *value = value_of(field, item);

        if (field->type == CLI_AS_STRING)
                return pawl__text(*(const char *const *)value);
        if (field->type == CLI_AS_CHARS)
                return pawl__text(value);
        return field->type == CLI_AS_WORD ? pawl__text(field->word(value, space))
                                          : *(const pawl_text *)value;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* Wrong bytes as \xNN; what the writer cannot take otherwise. */
static void shown(pawl__buf *out, pawl_text bytes)
{
        for (size_t at = 0; at < bytes.len;) {
                size_t good = pawl__utf8_span(bytes.data + at, bytes.len - at);
                pawl__buf_add(out, bytes.data + at, good);
                at += good;
                if (at < bytes.len)
                        pawl__buf_addf(out, "\\x%02x", (unsigned char)bytes.data[at++]);
        }
}

void cli_bytes_json(pawl__json_writer *w, const char *name, pawl_text bytes)
{
        pawl__buf text = PAWL__BUF_INIT;
        char hex_name[40], two[3];

        if (!bytes.data || pawl__utf8_valid(bytes.data, bytes.len)) {
                pawl__json_member_text(w, name, bytes);
                return;
        }
        shown(&text, bytes);
        pawl__json_member_text(w, name, pawl__buf_text(&text));
        pawl__buf_clear(&text);
        for (size_t i = 0; i < bytes.len; i++) {
                pawl__hex(two, (const unsigned char *)bytes.data + i, 1);
                pawl__buf_adds(&text, two);
        }
        w->buf.failed |= text.failed;
        snprintf(hex_name, sizeof hex_name, "%s_hex", name);
        pawl__json_member_text(w, hex_name, pawl__buf_text(&text));
        pawl__buf_free(&text);
}

/* ---- As JSON --------------------------------------------------------------------------------- */

static void write_integer(pawl__json_writer *w, const cli_field *field, int64_t value)
{
        char time[28];

        if (!value && field->or_null) {
                pawl__json_null(w);
        } else if (field->type == CLI_AS_TIME) {
                pawl__time_format(time, value);
                pawl__json_string(w, time);
        } else {
                pawl__json_integer(w, value);
        }
}

static void write_object(pawl__json_writer *w, const cli_field *fields, const void *item)
{
        if (!item) {
                pawl__json_null(w);
                return;
        }
        pawl__json_open_object(w);
        cli_fields_json(w, fields, item);
        pawl__json_close_object(w);
}

static void write_value(pawl__json_writer *w, const cli_field *field, const void *item)
{
        const void *value = value_of(field, item);
        char space[CLI_WORD_MAX];

        switch (field->type) {
        case CLI_AS_NUMBER:
                pawl__json_number(w, *(const double *)value);
                break;
        case CLI_AS_BOOL:
                pawl__json_bool(w, *(const bool *)value);
                break;
        case CLI_AS_NULL:
                pawl__json_bool(w, !pointer_of(field, item));
                break;
        case CLI_AS_INTEGER:
        case CLI_AS_SIZE:
        case CLI_AS_TIME:
                write_integer(w, field, cli_field_integer(field, item));
                break;
        case CLI_AS_RAW:
                if (((const pawl_text *)value)->data)
                        pawl__json_raw(w, *(const pawl_text *)value);
                else
                        pawl__json_null(w);
                break;
        case CLI_AS_OBJECT:
                write_object(w, field->fields, value);
                break;
        case CLI_AS_PART:
                write_object(w, field->fields, item);
                break;
        case CLI_AS_POINTER:
                write_object(w, field->fields, pointer_of(field, item));
                break;
        case CLI_AS_LIST:
                cli_list_json(w, NULL, field->fields, pointer_of(field, item),
                        *(const size_t *)((const char *)item + field->n_at), field->each);
                break;
        default:
                pawl__json_text(w, cli_field_text(field, item, space));
        }
}

void cli_fields_json(pawl__json_writer *w, const cli_field *fields, const void *item)
{
        for (const cli_field *field = fields; field->type != CLI_AS_NOTHING; field++) {
                const bool has = !field->has || field->has(item);
                if (!field->name ||
                        (field->or_none && !((const pawl_text *)value_of(field, item))->data))
                        continue;
                if (has && field->type == CLI_AS_BYTES) {
                        cli_bytes_json(w, field->name, *(const pawl_text *)value_of(field, item));
                        continue;
                }
                pawl__json_name(w, field->name);
                if (has)
                        write_value(w, field, item);
                else
                        pawl__json_null(w);
        }
}

void cli_object_json(
        pawl__json_writer *w, const char *name, const cli_field *fields, const void *item)
{
        if (name)
                pawl__json_name(w, name);
        write_object(w, fields, item);
}

void cli_list_json(pawl__json_writer *w, const char *name, const cli_field *fields,
        const void *items, size_t n, size_t each)
{
        const bool bare = !fields[0].name && fields[1].type == CLI_AS_NOTHING;

        if (name)
                pawl__json_name(w, name);
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++) {
                const void *item = (const char *)items + i * each;
                if (bare)
                        write_value(w, fields, item);
                else
                        write_object(w, fields, item);
        }
        pawl__json_close_array(w);
}

/* ---- Printed --------------------------------------------------------------------------------- */

pawl_status cli_print_object(
        const cli_call *cli, const cli_field *fields, const void *item, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        write_object(&w, fields, item);
        return cli_print_json(cli, &w, err);
}

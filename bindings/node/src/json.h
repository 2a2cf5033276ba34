/**
 * @file bindings/node/src/json.h
 * @brief JSON, written piece by piece.
 */
#pragma once

#include <pawl/pawl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_out {
        char *data;
        size_t len, cap;
        bool failed, comma;
} json_out;

static inline void json_put(json_out *o, const char *data, size_t len)
{
        if (o->failed)
                return;
        if (o->cap - o->len < len + 1) {
                const size_t cap = 2 * (o->cap + len) + 64;
                char *grown = realloc(o->data, cap);
                if (!grown) {
                        o->failed = true;
                        return;
                }
                o->data = grown;
                o->cap = cap;
        }
        memcpy(o->data + o->len, data, len);
        o->len += len;
        o->data[o->len] = '\0';
}

static inline void json_puts(json_out *o, const char *text)
{
        json_put(o, text, strlen(text));
}

/* Text that is UTF-8; what is none has U+FFFD for each wrong byte. */
static inline void json_quote(json_out *o, const char *data, size_t len)
{
        json_puts(o, "\"");
        for (size_t i = 0; i < len;) {
                const size_t from = i;
                while (i < len && data[i] >= 0x20 && data[i] < 0x7f && data[i] != '"' &&
                        data[i] != '\\')
                        i++;
                json_put(o, data + from, i - from);
                if (i == len)
                        break;
                const unsigned char c = (unsigned char)data[i];
                const size_t n = c < 0x80                ? 1
                                 : c >= 0xc2 && c < 0xe0 ? 2
                                 : c >= 0xe0 && c < 0xf0 ? 3
                                 : c >= 0xf0 && c < 0xf5 ? 4
                                                         : 0;
                bool whole = n && i + n <= len;
                for (size_t k = 1; whole && k < n; k++)
                        whole = ((unsigned char)data[i + k] & 0xc0) == 0x80;
                if (!whole) {
                        json_puts(o, "\\ufffd");
                        i++;
                        continue;
                }
                if (c < 0x20 || c == '"' || c == '\\') {
                        char escape[8];
                        snprintf(escape, sizeof escape, "\\u%04x", c);
                        json_puts(o, escape);
                } else {
                        json_put(o, data + i, n);
                }
                i += n;
        }
        json_puts(o, "\"");
}

static inline void json_name(json_out *o, const char *member)
{
        if (o->comma)
                json_puts(o, ",");
        o->comma = true;
        if (member) {
                json_quote(o, member, strlen(member));
                json_puts(o, ":");
        }
}

static inline void json_open(json_out *o, const char *member, const char *bracket)
{
        json_name(o, member);
        json_puts(o, bracket);
        o->comma = false;
}

static inline void json_close(json_out *o, const char *bracket)
{
        json_puts(o, bracket);
        o->comma = true;
}

static inline void json_text(json_out *o, const char *member, pawl_text value)
{
        json_name(o, member);
        if (value.data)
                json_quote(o, value.data, value.len);
        else
                json_puts(o, "null");
}

static inline void json_string(json_out *o, const char *member, const char *value)
{
        json_text(o, member, (pawl_text){value, value ? strlen(value) : 0});
}

static inline void json_number(json_out *o, const char *member, double value)
{
        char digits[40];

        snprintf(digits, sizeof digits, "%.17g", value);
        json_name(o, member);
        json_puts(o, digits);
}

static inline void json_boolean(json_out *o, const char *member, bool value)
{
        json_name(o, member);
        json_puts(o, value ? "true" : "false");
}

static inline void json_raw(json_out *o, const char *member, pawl_text json)
{
        json_name(o, member);
        json_put(o, json.data ? json.data : "null", json.data ? json.len : 4);
}

static inline void json_hex(json_out *o, const char *member, const unsigned char *bytes)
{
        char digits[65];

        for (int i = 0; i < 32; i++)
                snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
        json_string(o, member, digits);
}

/**
 * @file bindings/node/src/json.h
 * @brief JSON, written piece by piece.
 */
#pragma once

#include <pawl/pawl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct out {
        char *data;
        size_t len, cap;
        bool failed, comma;
} out;

static inline void put(out *o, const char *data, size_t len)
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

static inline void puts_(out *o, const char *text)
{
        put(o, text, strlen(text));
}

/* Text that is UTF-8; what is none has U+FFFD for each wrong byte. */
static inline void quote(out *o, const char *data, size_t len)
{
        puts_(o, "\"");
        for (size_t i = 0; i < len;) {
                const size_t from = i;
                while (i < len && data[i] >= 0x20 && data[i] < 0x7f && data[i] != '"' &&
                        data[i] != '\\')
                        i++;
                put(o, data + from, i - from);
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
                        puts_(o, "\\ufffd");
                        i++;
                        continue;
                }
                if (c < 0x20 || c == '"' || c == '\\') {
                        char escape[8];
                        snprintf(escape, sizeof escape, "\\u%04x", c);
                        puts_(o, escape);
                } else {
                        put(o, data + i, n);
                }
                i += n;
        }
        puts_(o, "\"");
}

static inline void name(out *o, const char *member)
{
        if (o->comma)
                puts_(o, ",");
        o->comma = true;
        if (member) {
                quote(o, member, strlen(member));
                puts_(o, ":");
        }
}

static inline void open(out *o, const char *member, const char *bracket)
{
        name(o, member);
        puts_(o, bracket);
        o->comma = false;
}

static inline void close_(out *o, const char *bracket)
{
        puts_(o, bracket);
        o->comma = true;
}

static inline void text(out *o, const char *member, pawl_text value)
{
        name(o, member);
        if (value.data)
                quote(o, value.data, value.len);
        else
                puts_(o, "null");
}

static inline void string(out *o, const char *member, const char *value)
{
        text(o, member, (pawl_text){value, value ? strlen(value) : 0});
}

static inline void number(out *o, const char *member, double value)
{
        char digits[40];

        snprintf(digits, sizeof digits, "%.17g", value);
        name(o, member);
        puts_(o, digits);
}

static inline void boolean(out *o, const char *member, bool value)
{
        name(o, member);
        puts_(o, value ? "true" : "false");
}

static inline void raw(out *o, const char *member, pawl_text json)
{
        name(o, member);
        put(o, json.data ? json.data : "null", json.data ? json.len : 4);
}

static inline void hex(out *o, const char *member, const unsigned char *bytes)
{
        char digits[65];

        for (int i = 0; i < 32; i++)
                snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
        string(o, member, digits);
}

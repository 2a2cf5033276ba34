#include "toolcalls/name.h"
#include "base/sources.h"
#include <limits.h>
#include <stdio.h>

static bool is_plain(char c)
{
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
}

void pawl__toolcall_part(char out[PAWL__TOOLCALL_PART_MAX], pawl_text text)
{
        size_t n = 0;

        for (size_t i = 0; i < text.len && n < PAWL__TOOLCALL_PART_MAX - 1; i++) {
                char c = text.data[i];
                if (!is_plain(c) && (c != '.' || n == 0 || out[n - 1] == '.'))
                        c = '_';
                out[n++] = c;
        }
        if (n == 0)
                out[n++] = '_';
        if (out[n - 1] == '.')
                out[n - 1] = '_';
        out[n] = '\0';
}

void pawl__toolcall_name(
        char out[PAWL__TOOLCALL_NAME_MAX], int64_t wall_ms, const char *call_id, const char *tool)
{
        char time[28];

        pawl__time_format(time, wall_ms * 1000); /* 2026-01-20T14:30:00.123000Z */
        snprintf(out, PAWL__TOOLCALL_NAME_MAX, "%.13s-%.2s-%.2s-%.3sZ-%.64s-%.64s.json", time,
                time + 14, time + 17, time + 20, call_id, tool);
}

const char *pawl__toolcall_name_wrong(pawl_text name)
{
        static const char end[] = ".json";

        if (!name.data || !pawl__utf8_valid(name.data, name.len))
                return "is not UTF-8";
        for (size_t i = 0; i < name.len; i++) {
                unsigned char c = (unsigned char)name.data[i];
                if (c == '/' || c == '\\')
                        return "holds a separator";
                if (c < 0x20 || c == 0x7f)
                        return "holds a control character";
                if (c == '.' && i + 1 < name.len && name.data[i + 1] == '.')
                        return "holds \"..\"";
        }
        if (name.len > NAME_MAX)
                return "is longer than any file's name";
        if (name.len < sizeof end || memcmp(name.data + name.len - 5, end, 5) != 0)
                return "does not end in .json";
        return NULL;
}

#include "agents/jsonc.h"
#include <string.h>

enum { DEPTH = 64 };

const pawl__jsonc_span pawl__jsonc_none = {NULL, NULL};

const char *pawl__jsonc_skip_blank(const char *p, const char *end)
{
        while (p < end) {
                if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') {
                        p++;
                } else if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
                        while (p < end && *p != '\n')
                                p++;
                } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
                        const char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
                        if (!close)
                                return p;
                        p = close + 2;
                } else {
                        break;
                }
        }
        return p;
}

/* Past the string that begins at p. NULL: it does not end. */
static const char *skip_string(const char *p, const char *end)
{
        for (p++; p < end && *p != '"'; p++)
                if ((unsigned char)*p < 0x20 || (*p == '\\' && ++p == end))
                        return NULL;
        return p < end ? p + 1 : NULL;
}

static const char *skip_word(const char *p, const char *end)
{
        const char *const from = p;

        while (p < end && (strchr("+-.", *p) ? *p
                                             : (*p >= '0' && *p <= '9') ||
                                                       (*p >= 'a' && *p <= 'z') || *p == 'E'))
                p++;
        const pawl_text word = {from, (size_t)(p - from)};
        const bool number = word.len && (*from == '-' || (*from >= '0' && *from <= '9'));
        return number || pawl__text_is(word, "true") || pawl__text_is(word, "false") ||
                               pawl__text_is(word, "null")
                       ? p
                       : NULL;
}

/* The next member or element of a container, from just after its bracket or a comma: its name's
 * span, its value's. At the end of the container value->from is NULL. Returns where the next one is
 * to be looked for, or the closing bracket; NULL: it is no JSON. */
static const char *next_child(pawl__jsonc_span *name, pawl__jsonc_span *value, const char *p,
        const char *end, bool object, unsigned depth)
{
        *name = *value = pawl__jsonc_none;
        p = pawl__jsonc_skip_blank(p, end);
        if (p < end && *p == (object ? '}' : ']'))
                return p;
        if (object) {
                name->from = p;
                if (p == end || *p != '"' || !(p = skip_string(p, end)))
                        return NULL;
                name->to = p;
                p = pawl__jsonc_skip_blank(p, end);
                if (p == end || *p != ':')
                        return NULL;
                p = pawl__jsonc_skip_blank(p + 1, end);
        }
        value->from = p;
        value->to = p = pawl__jsonc_skip_value(p, end, depth + 1);
        if (!p)
                return NULL;
        p = pawl__jsonc_skip_blank(p, end);
        if (p < end && *p == ',')
                return p + 1;
        return p < end && *p == (object ? '}' : ']') ? p : NULL;
}

const char *pawl__jsonc_skip_value(const char *p, const char *end, unsigned depth)
{
        pawl__jsonc_span name, value = {p, p};

        if (p == end || depth > DEPTH)
                return NULL;
        if (*p == '"')
                return skip_string(p, end);
        if (*p != '{' && *p != '[')
                return skip_word(p, end);
        const bool object = *p++ == '{';
        while (p && value.from)
                p = next_child(&name, &value, p, end, object, depth);
        return p ? p + 1 : NULL;
}

bool pawl__jsonc_is_object(pawl__jsonc_span value)
{
        return value.from && *value.from == '{';
}

bool pawl__jsonc_is_array(pawl__jsonc_span value)
{
        return value.from && *value.from == '[';
}

/* One child after another: begin with p just after the bracket. The text was checked as a whole. */
bool pawl__jsonc_child(
        pawl__jsonc_span *name, pawl__jsonc_span *value, const char **p, pawl__jsonc_span container)
{
        *p = next_child(name, value, *p, container.to, *container.from == '{', 0);
        return *p && value->from;
}

/* Of several of one name the last, as those do who read the settings. */
pawl__jsonc_span pawl__jsonc_get(
        pawl__jsonc_span *whole, pawl__jsonc_span object, const char *wanted)
{
        pawl__jsonc_span name, value, found = pawl__jsonc_none;
        const size_t len = strlen(wanted);

        if (!pawl__jsonc_is_object(object))
                return pawl__jsonc_none;
        for (const char *p = object.from + 1; pawl__jsonc_child(&name, &value, &p, object);)
                if ((size_t)(name.to - name.from) == len + 2 &&
                        memcmp(name.from + 1, wanted, len) == 0) {
                        if (whole)
                                *whole = (pawl__jsonc_span){name.from, value.to};
                        found = value;
                }
        return found;
}

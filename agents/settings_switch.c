/* Whether an agent's settings switch its hooks off. */
#include "agents/jsonc.h"
#include "agents/settings.h"
#include <stdio.h>
#include <string.h>

/* ---- TOML ------------------------------------------------------------------------------------ */

enum { KEY_MAX = 64 };

static const char *skip_space(const char *p)
{
        return p + strspn(p, " \t");
}

/* Append the dotted key at @p p to @p path, its parts in quotes or not. @return what follows it. */
static const char *toml_key(char path[KEY_MAX], const char *p)
{
        for (p = skip_space(p);; p = skip_space(p + 1)) {
                const char quote = *p == '"' || *p == '\'' ? *p : '\0';
                const char *const from = p + (quote != '\0');
                const size_t len = quote ? strcspn(from, (const char[]){quote, '\n', '\0'})
                                         : strcspn(from, " \t\r\n.=]{},#\"'");
                const size_t used = strlen(path);
                snprintf(path + used, KEY_MAX - used, "%s%.*s", used ? "." : "", (int)len, from);
                p = skip_space(from + len + (quote && from[len] == quote));
                if (*p != '.')
                        return p;
        }
}

/* The end of the line on which the value at @p p, which may be a text of several lines, ends. */
static const char *toml_line_end(const char *p)
{
        const char quotes[4] = {*p, *p, *p, '\0'};

        if ((*p == '"' || *p == '\'') && strncmp(p, quotes, 3) == 0) {
                const char *const end = strstr(p + 3, quotes);
                p = end ? end + 3 : p + strlen(p);
        }
        return p + strcspn(p, "\n");
}

/* The value of @p key, "a.b", in the inline table at @p p, which is @p table. */
static const char *toml_inline(const char *p, const char *table, const char *key)
{
        char path[KEY_MAX];

        do {
                snprintf(path, sizeof path, "%s", table);
                p = toml_key(path, p + 1);
                if (*p != '=')
                        return NULL;
                p = skip_space(p + 1);
                if (strcmp(path, key) == 0)
                        return p;
                p += strcspn(p, ",}\n");
        } while (*p == ',');
        return NULL;
}

/* The same in a whole document; NULL: it says nothing of it. */
static const char *toml_value(const char *line, const char *key)
{
        char table[KEY_MAX] = "", path[KEY_MAX];

        for (; *line; line += *line == '\n') {
                const char *p = skip_space(line);
                if (*p == '[') {
                        *table = '\0';
                        p = toml_key(table, p + 1 + (p[1] == '['));
                } else if (*p && !strchr("#\r\n", *p)) {
                        snprintf(path, sizeof path, "%s", table);
                        p = toml_key(path, p);
                        p = *p == '=' ? skip_space(p + 1) : p;
                        const char *const found = strcmp(path, key) == 0 ? p
                                                  : *p == '{'            ? toml_inline(p, path, key)
                                                                         : NULL;
                        if (found)
                                return found;
                }
                line = toml_line_end(p);
        }
        return NULL;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The value of a member, in an object that is a member itself unless @p table is empty. */
static const char *json_value(pawl_text text, const char *table, const char *key)
{
        const char *const end = text.data + text.len;
        const char *const from = pawl__jsonc_skip_blank(text.data, end);
        pawl__jsonc_span at = {from, pawl__jsonc_skip_value(from, end, 0)};

        if (!at.to)
                return NULL;
        if (*table)
                at = pawl__jsonc_get(NULL, at, table);
        return pawl__jsonc_get(NULL, at, key).from;
}

bool pawl__settings_switch(bool off, pawl_text text, const pawl__agent *agent)
{
        const char *const key = agent->switch_key ? agent->switch_key : "";
        const size_t dot = strcspn(key, ".");
        char table[32] = "";

        if (!*key || !text.len)
                return off;
        if (key[dot])
                snprintf(table, sizeof table, "%.*s", (int)dot, key);
        const bool json = *pawl__jsonc_skip_blank(text.data, text.data + text.len) == '{';
        const char *const name = key[dot] ? key + dot + 1 : key;
        const char *const value = json ? json_value(text, table, name) : toml_value(text.data, key);
        if (!value || (strncmp(value, "true", 4) != 0 && strncmp(value, "false", 5) != 0))
                return off;
        return strncmp(value, agent->switch_off, strlen(agent->switch_off)) == 0;
}

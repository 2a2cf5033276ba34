/* Whether an agent's settings switch its hooks off. */
#include "agents/jsonc.h"
#include "agents/settings.h"
#include <stdio.h>
#include <string.h>

/* What follows `KEY =` in the table of that name, to the end of the text; NULL: nothing does. */
static const char *toml_value(const char *line, const char *table, const char *key)
{
        const size_t table_len = strlen(table), key_len = strlen(key);
        bool inside = false;

        for (const char *end; line; line = end ? end + 1 : NULL) {
                end = strchr(line, '\n');
                line += strspn(line, " \t");
                if (*line == '[')
                        inside = strncmp(line + 1, table, table_len) == 0 &&
                                 line[1 + table_len] == ']';
                if (!inside || strncmp(line, key, key_len) != 0)
                        continue;
                const char *value = line + key_len + strspn(line + key_len, " \t");
                if (*value == '=')
                        return value + 1 + strspn(value + 1, " \t");
        }
        return NULL;
}

/* The same of a member, in an object that is a member itself unless @p table is empty. */
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
        const char *const value =
                json ? json_value(text, table, name) : toml_value(text.data, table, name);
        if (!value || (strncmp(value, "true", 4) != 0 && strncmp(value, "false", 5) != 0))
                return off;
        return strncmp(value, agent->switch_off, strlen(agent->switch_off)) == 0;
}

/* Lists of patterns, as gitignore(5) has them. */
#include "workspace/scan/ignore.h"
#include "base/error.h"
#include "workspace/scan/glob.h"
#include <stdlib.h>

typedef enum way {
        WHOLE,  /* the text is it */
        ENDING, /* the text ends so */
        GLOB    /* it begins with the text, and what follows matches the wildcards */
} way;

struct pawl__ignore_rule {
        way way;
        bool negated, directory_only, own;
        bool fold;    /* text is in small letters, and what it is compared with is taken so */
        bool by_name; /* the last name is looked at alone, not the path */
        size_t base;
        pawl_text text; /* malloc'd */
        pawl__glob glob;
};

static void rule_free(struct pawl__ignore_rule *rule)
{
        free((char *)(uintptr_t)rule->text.data);
        pawl__glob_free(&rule->glob);
}

static pawl_status compile(struct pawl__ignore_rule *rule, pawl_text pattern)
{
        const size_t plain = pawl__glob_plain(pattern);
        pawl_text text = {pattern.data, plain}, rest = {pattern.data + plain, pattern.len - plain};

        rule->way = plain == pattern.len ? WHOLE : GLOB;
        if (rule->by_name && plain == 0 && pattern.len > 0 && pattern.data[0] == '*') {
                pawl_text ending = {pattern.data + 1, pattern.len - 1};
                if (pawl__glob_plain(ending) == ending.len) {
                        rule->way = ENDING;
                        text = ending;
                }
        }
        char *copy = malloc(text.len + 1);
        if (!copy)
                return PAWL_ENOMEM;
        for (size_t i = 0; i < text.len; i++)
                copy[i] = rule->fold ? pawl__glob_small(text.data[i]) : text.data[i];
        rule->text = (pawl_text){copy, text.len};
        if (rule->way == GLOB && pawl__glob_compile(&rule->glob, rest, rule->fold)) {
                rule_free(rule);
                return PAWL_ENOMEM;
        }
        return PAWL_OK;
}

/* Spaces at the end do not count, unless a backslash is before them. */
static size_t without_trailing_spaces(pawl_text line)
{
        size_t end = 0;

        for (size_t i = 0; i < line.len; i++) {
                if (line.data[i] == '\\')
                        i++;
                else if (line.data[i] == ' ')
                        continue;
                end = i + 1;
        }
        return end < line.len ? end : line.len;
}

static pawl_status add_line(pawl__ignore *ignore, pawl_text line, size_t base, pawl_error *err)
{
        struct pawl__ignore_rule rule = {.base = base, .fold = ignore->fold};

        if (line.len == 0 || line.data[0] == '#')
                return PAWL_OK;
        line.len = without_trailing_spaces(line);
        if (line.len > 0 && line.data[0] == '!') {
                rule.negated = true;
                line.data++;
                line.len--;
        }
        if (line.len > 0 && line.data[line.len - 1] == '/') {
                rule.directory_only = true;
                line.len--;
        }
        if (line.len == 0)
                return PAWL_OK;
        rule.by_name = !memchr(line.data, '/', line.len);
        if (line.data[0] == '/') {
                line.data++;
                line.len--;
        }
        if (pawl__grow(&ignore->rules, &ignore->cap, ignore->n + 1, sizeof *ignore->rules) ||
                compile(&rule, line))
                return pawl__nomem(err);
        ignore->rules[ignore->n++] = rule;
        return PAWL_OK;
}

/* The next line, without its end; a NUL ends what counts of it. */
static pawl_text take_line(pawl_text *text)
{
        const char *end = memchr(text->data, '\n', text->len);
        const size_t len = end ? (size_t)(end - text->data) : text->len;
        pawl_text line = {text->data, len};

        text->data += len + (end != NULL);
        text->len -= len + (end != NULL);
        if (line.len > 0 && line.data[line.len - 1] == '\r')
                line.len--;
        const char *nul = memchr(line.data, '\0', line.len);
        if (nul)
                line.len = (size_t)(nul - line.data);
        return line;
}

pawl_status pawl__ignore_add(pawl__ignore *ignore, pawl_text patterns, size_t base, pawl_error *err)
{
        const size_t before = ignore->n;

        if (patterns.len >= 3 && memcmp(patterns.data, "\xef\xbb\xbf", 3) == 0) {
                patterns.data += 3;
                patterns.len -= 3;
        }
        while (patterns.len > 0) {
                const pawl_status status = add_line(ignore, take_line(&patterns), base, err);
                if (status) {
                        pawl__ignore_cut(ignore, before);
                        return status;
                }
        }
        return PAWL_OK;
}

void pawl__ignore_own(pawl__ignore *ignore, size_t n)
{
        for (; n < ignore->n; n++)
                ignore->rules[n].own = true;
}

void pawl__ignore_cut(pawl__ignore *ignore, size_t n)
{
        while (ignore->n > n)
                rule_free(&ignore->rules[--ignore->n]);
}

void pawl__ignore_free(pawl__ignore *ignore)
{
        pawl__ignore_cut(ignore, 0);
        free(ignore->rules);
        *ignore = (pawl__ignore){NULL, 0, 0, false};
}

/* Are the rule's text and as many bytes at @p at the same? */
static bool same(const struct pawl__ignore_rule *rule, const char *at)
{
        if (!rule->fold)
                return memcmp(at, rule->text.data, rule->text.len) == 0;
        for (size_t i = 0; i < rule->text.len; i++)
                if (pawl__glob_small(at[i]) != rule->text.data[i])
                        return false;
        return true;
}

static bool rule_matches(struct pawl__ignore_rule *rule, pawl_text path, size_t name_at)
{
        const size_t from = rule->by_name ? name_at : rule->base;
        const pawl_text text = {path.data + from, path.len - from};

        if (text.len < rule->text.len)
                return false;
        switch (rule->way) {
        case WHOLE:
                return text.len == rule->text.len && same(rule, text.data);
        case ENDING:
                return same(rule, text.data + text.len - rule->text.len);
        case GLOB:
                break;
        }
        return same(rule, text.data) &&
               pawl__glob_match(&rule->glob,
                       (pawl_text){text.data + rule->text.len, text.len - rule->text.len});
}

pawl__ignore_verdict pawl__ignore_match(
        pawl__ignore *ignore, pawl_text path, size_t name_at, bool directory)
{
        for (size_t i = ignore->n; i-- > 0;) {
                struct pawl__ignore_rule *rule = &ignore->rules[i];
                if ((directory || !rule->directory_only) && rule_matches(rule, path, name_at))
                        return rule->negated ? PAWL__IGNORE_TAKE
                               : rule->own   ? PAWL__IGNORE_LEAVE_OWN
                                             : PAWL__IGNORE_LEAVE;
        }
        return PAWL__IGNORE_SILENT;
}

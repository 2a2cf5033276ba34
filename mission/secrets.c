#include "mission/secrets.h"
#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include <unistd.h>

enum {
        LEAST = 4, /* bytes of a secret: fewer could not be told from any other text */
        FORMS = 16 /* of one secret: as it is, in JSON, and three alignments by two alphabets; and
                      all these with CR LF as line ends */
};

static const char *value_of(const char *name)
{
        const size_t len = strlen(name);

        for (char **entry = environ; entry && *entry; entry++)
                if (strncmp(*entry, name, len) == 0 && (*entry)[len] == '=')
                        return *entry + len + 1;
        return NULL;
}

static void add(pawl__secrets *s, pawl_text form)
{
        for (size_t i = 0; i < s->n; i++)
                if (pawl__text_eq(s->forms[i], form))
                        return;
        s->forms[s->n++] = form;
        s->starts[(unsigned char)*form.data] = true;
}

/* Those digits of base64 that the secret alone decides, where @p before bytes of a group of three
 * stand before it. */
static pawl_status add_base64(
        pawl__secrets *s, pawl__arena *arena, pawl_text value, size_t before, const char *last)
{
        static const char first[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        const size_t end = (before + value.len) * 8 / 6, from = (before * 8 + 5) / 6;
        char *digits = pawl__arena_alloc(arena, end - from);

        if (!digits)
                return PAWL_ENOMEM;
        for (size_t i = from; i < end; i++) {
                unsigned digit = 0;
                for (size_t bit = i * 6 - before * 8; bit < i * 6 - before * 8 + 6; bit++)
                        digit = digit << 1 |
                                ((unsigned char)value.data[bit / 8] >> (7 - bit % 8) & 1U);
                digits[i - from] = digit < 62 ? first[digit] : last[digit - 62];
        }
        add(s, pawl__text_n(digits, end - from));
        return PAWL_OK;
}

static pawl_status add_value(pawl__secrets *s, pawl__arena *arena, pawl_text value)
{
        static const char *const last[] = {"+/", "-_"};
        pawl__buf json = PAWL__BUF_INIT;
        bool ok = true;
        pawl_text kept = pawl__arena_text(arena, value, &ok);
        pawl_status status = ok ? PAWL_OK : PAWL_ENOMEM;

        if (!status && pawl__utf8_valid(value.data, value.len)) {
                status = pawl__json_quote(&json, value);
                if (!status)
                        add(s, pawl__arena_text(
                                       arena, pawl__text_n(json.data + 1, json.len - 2), &ok));
                pawl__buf_free(&json);
        }
        if (!ok || status)
                return PAWL_ENOMEM;
        add(s, kept);
        for (size_t i = 0; i < 6 && !status; i++)
                status = add_base64(s, arena, kept, i % 3, last[i / 3]);
        return status;
}

static pawl_status add_secret(pawl__secrets *s, pawl__arena *arena, const char *value)
{
        pawl__buf lines = PAWL__BUF_INIT;
        pawl_status status = add_value(s, arena, pawl__text(value));

        if (status || !strchr(value, '\n'))
                return status;
        for (const char *at = value; *at && !status; at++) {
                if (*at == '\n')
                        status = pawl__buf_add(&lines, "\r", 1);
                if (!status)
                        status = pawl__buf_add(&lines, at, 1);
        }
        if (!status)
                status = add_value(s, arena, pawl__buf_text(&lines));
        pawl__buf_free(&lines);
        return status;
}

pawl_status pawl__secrets_load(
        pawl__secrets *out, pawl__arena *arena, const pawl_mission *mission, pawl_error *err)
{
        *out = (pawl__secrets){.n = 0};
        if (!mission->n_secrets)
                return PAWL_OK;
        out->forms = pawl__arena_array(arena, mission->n_secrets * FORMS, sizeof *out->forms);
        if (!out->forms)
                return pawl__nomem(err);
        for (size_t i = 0; i < mission->n_secrets; i++) {
                const char *name = mission->secrets[i], *value = value_of(name);
                if (!value || !*value)
                        return pawl__fail(err, PAWL_EINVAL,
                                "secret %s: is not set; set the variable of that name, and start "
                                "again",
                                name);
                if (strlen(value) < LEAST)
                        return pawl__fail(err, PAWL_EINVAL,
                                "secret %s: has fewer than %d bytes, too few to be told from other "
                                "text; give a longer one",
                                name, LEAST);
                if (add_secret(out, arena, value))
                        return pawl__nomem(err);
        }
        return PAWL_OK;
}

/* Go past a line break, as it is or in a string of JSON. *open: the text may go on as one. */
static void pass_break(const char *text, size_t len, size_t *at, bool *open)
{
        static const char *const breaks[] = {"\n", "\r\n", "\\n", "\\r\\n"};

        for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
                const size_t size = strlen(breaks[i]), left = len - *at;
                if (memcmp(text + *at, breaks[i], size < left ? size : left) != 0)
                        continue;
                if (size <= left) {
                        *at += size;
                        return;
                }
                *open = true;
        }
}

/* How many bytes at the start of a text are this form, with line breaks in it or not; 0: none.
 * *open: they may be, when the text goes on. */
static size_t match(pawl_text form, const char *text, size_t len, bool *open)
{
        size_t at = 0;

        for (size_t i = 0; i < form.len; i++) {
                if (i && at < len && text[at] != form.data[i])
                        pass_break(text, len, &at, open);
                if (at == len)
                        *open = true;
                if (at == len || text[at++] != form.data[i])
                        return 0;
        }
        return at;
}

/* Until where one may begin that the text does not end, unless it @p ended. Returns how many bytes
 * of what is left come before that. */
static size_t strike(const pawl__secrets *s, char *text, size_t *len, bool ended)
{
        size_t to = 0, at = 0;

        while (at < *len) {
                size_t longest = 0;
                bool open = false;
                for (size_t i = 0; i < s->n && s->starts[(unsigned char)text[at]]; i++) {
                        const size_t n = match(s->forms[i], text + at, *len - at, &open);
                        longest = n > longest ? n : longest;
                }
                if (open && !ended)
                        break;
                if (longest) {
                        memcpy(text + to, "***", 3);
                        to += 3;
                        at += longest;
                } else {
                        text[to++] = text[at++];
                }
        }
        memmove(text + to, text + at, *len - at);
        *len -= at - to;
        return to;
}

size_t pawl__secrets_strike_begun(const pawl__secrets *secrets, pawl__buf *text, bool ended)
{
        if (!secrets->n || !text->len)
                return text->len;
        const size_t decided = strike(secrets, text->data, &text->len, ended);
        text->data[text->len] = '\0';
        return decided;
}

void pawl__secrets_strike(const pawl__secrets *secrets, pawl__buf *text)
{
        pawl__secrets_strike_begun(secrets, text, true);
}

void pawl__secrets_strike_string(const pawl__secrets *secrets, char *string)
{
        size_t len = strlen(string);

        if (!secrets->n)
                return;
        strike(secrets, string, &len, true);
        string[len] = '\0';
}

/* A string of JSON may have any byte escaped: the canonical form has one way. */
pawl_status pawl__secrets_strike_output(
        const pawl__secrets *secrets, pawl__buf *output, pawl_error *err)
{
        pawl__buf canonical = PAWL__BUF_INIT;

        if (!secrets->n)
                return PAWL_OK;
        pawl__secrets_strike(secrets, output);
        pawl_status status = pawl__json_canon(&canonical, output->data, output->len, err);
        if (!status) {
                pawl__secrets_strike(secrets, &canonical);
                pawl__buf_free(output);
                *output = canonical;
                return PAWL_OK;
        }
        pawl__buf_free(&canonical);
        return status == PAWL_ENOMEM ? status : PAWL_OK;
}

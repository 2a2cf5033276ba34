#include "mission/secrets.h"
#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include <unistd.h>

enum {
        LEAST = 4, /* bytes of a secret: fewer could not be told from any other text */
        FORMS = 8  /* of one secret: as it is, in JSON, and three alignments by two alphabets */
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
        if (3 * form.len > s->longest) /* a line break may be after each byte */
                s->longest = 3 * form.len;
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

static pawl_status add_secret(pawl__secrets *s, pawl__arena *arena, pawl_text value)
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
                if (add_secret(out, arena, pawl__text(value)))
                        return pawl__nomem(err);
        }
        return PAWL_OK;
}

/* How many bytes at the start of a text are this form, with line breaks in it or not; 0: none. */
static size_t match(pawl_text form, const char *text, size_t len)
{
        size_t at = 0;

        for (size_t i = 0; i < form.len; i++) {
                if (i && at < len && text[at] != form.data[i]) {
                        at += text[at] == '\r' && at + 1 < len && text[at + 1] == '\n';
                        at += at < len && text[at] == '\n';
                }
                if (at >= len || text[at++] != form.data[i])
                        return 0;
        }
        return at;
}

static size_t strike(const pawl__secrets *s, char *text, size_t len)
{
        size_t to = 0;

        for (size_t at = 0; at < len;) {
                size_t longest = 0;
                for (size_t i = 0; i < s->n && s->starts[(unsigned char)text[at]]; i++) {
                        const size_t n = match(s->forms[i], text + at, len - at);
                        longest = n > longest ? n : longest;
                }
                if (longest) {
                        memcpy(text + to, "***", 3);
                        to += 3;
                        at += longest;
                } else {
                        text[to++] = text[at++];
                }
        }
        return to;
}

void pawl__secrets_strike(const pawl__secrets *secrets, pawl__buf *text)
{
        if (!secrets->n || !text->len)
                return;
        text->len = strike(secrets, text->data, text->len);
        text->data[text->len] = '\0';
}

void pawl__secrets_strike_string(const pawl__secrets *secrets, char *string)
{
        if (secrets->n)
                string[strike(secrets, string, strlen(string))] = '\0';
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

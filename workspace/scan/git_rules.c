#include "workspace/scan/git_rules.h"
#include "base/error.h"

static const char head[] = "rules\1";
enum { HEAD = sizeof head - 1, FOLD = 1 };

static void put_number(pawl__buf *out, size_t number)
{
        for (unsigned i = 0; i < 4; i++)
                pawl__buf_addc(out, (char)(unsigned char)(number >> (8 * i)));
}

static void put_text(pawl__buf *out, pawl_text text)
{
        put_number(out, text.len);
        pawl__buf_add_text(out, text);
}

void pawl__git_rules_begin(pawl__buf *out, bool fold, pawl_text prefix)
{
        pawl__buf_clear(out);
        pawl__buf_add(out, head, HEAD);
        pawl__buf_addc(out, fold ? FOLD : 0);
        put_text(out, prefix);
}

void pawl__git_rules_add(pawl__buf *out, size_t base, pawl_text patterns)
{
        put_number(out, base);
        put_text(out, patterns);
}

/* ---- Out of it ------------------------------------------------------------------------------- */

static bool take_number(size_t *out, pawl_text *rest)
{
        if (rest->len < 4)
                return false;
        *out = 0;
        for (unsigned i = 0; i < 4; i++)
                *out |= (size_t)(unsigned char)rest->data[i] << (8 * i);
        *rest = pawl__text_n(rest->data + 4, rest->len - 4);
        return true;
}

static bool take_text(pawl_text *out, pawl_text *rest)
{
        size_t len;

        if (!take_number(&len, rest) || len > rest->len)
                return false;
        *out = pawl__text_n(rest->data, len);
        *rest = pawl__text_n(rest->data + len, rest->len - len);
        return true;
}

static bool take_head(bool *fold, pawl_text *prefix, pawl_text *rest)
{
        if (rest->len < HEAD + 1 || memcmp(rest->data, head, HEAD) != 0)
                return false;
        *fold = rest->data[HEAD] & FOLD;
        *rest = pawl__text_n(rest->data + HEAD + 1, rest->len - HEAD - 1);
        return take_text(prefix, rest);
}

void pawl__git_rules_end(pawl__buf *out)
{
        pawl_text rest = pawl__buf_text(out), prefix;
        bool fold = false;

        if (take_head(&fold, &prefix, &rest) && !fold && !rest.len)
                pawl__buf_clear(out);
}

pawl_status pawl__git_rules_read(
        pawl__ignore *rules, pawl_text *prefix, pawl_text encoded, pawl_error *err)
{
        pawl_text rest = encoded, patterns;
        size_t base;
        bool ok = take_head(&rules->fold, prefix, &rest);

        while (ok && rest.len) {
                ok = take_number(&base, &rest) && take_text(&patterns, &rest) &&
                     base <= prefix->len;
                if (ok)
                        TRY(pawl__ignore_add(rules, patterns, base, err));
        }
        return ok ? PAWL_OK
                  : pawl__fail(err, PAWL_EDAMAGED,
                            "the lists of git that a checkpoint was taken with: are not of their "
                            "form; check with `eventlog verify`");
}

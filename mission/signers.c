/* The member "require_signed" of a mission: a file of allowed signers. */
#include "base/error.h"
#include "base/file.h"
#include "base/sign.h"
#include "mission/loader.h"
#include "pipeline/signed.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The next word of a line, where what is between double quotes is no end of one. */
static pawl_text next_word(pawl_text *line)
{
        bool quoted = false;
        size_t from = 0, end;

        while (from < line->len && (line->data[from] == ' ' || line->data[from] == '\t'))
                from++;
        for (end = from; end < line->len; end++) {
                const char c = line->data[end];
                if (c == '"')
                        quoted = !quoted;
                else if ((c == ' ' || c == '\t') && !quoted)
                        break;
        }
        const pawl_text word = pawl__text_n(line->data + from, end - from);
        *line = pawl__text_n(line->data + end, line->len - end);
        return word;
}

static pawl_status decode(bool *good, pawl__buf *out, pawl_text base64, pawl_error *err)
{
        enum { PIECE = PAWL__BASE64_MAX / 3 * 3 };
        unsigned char bytes[PIECE];

        *good = base64.len > 0 && base64.len % 4 == 0;
        for (size_t at = 0; at < base64.len && *good; at += PIECE / 3 * 4) {
                const size_t left = base64.len - at;
                const pawl_text piece =
                        pawl__text_n(base64.data + at, left < PIECE / 3 * 4 ? left : PIECE / 3 * 4);
                size_t len = piece.len / 4 * 3;
                for (size_t i = 1; i <= 2 && piece.data[piece.len - i] == '='; i++)
                        len--;
                TRY(pawl__base64_read(good, bytes, len, piece, err));
                if (*good && pawl__buf_add(out, bytes, len))
                        return pawl__nomem(err);
        }
        return PAWL_OK;
}

/* Is it the base64 of a key of that type? A key is fields, each behind its length in four bytes;
 * the first is the type (RFC 4253, section 6.6). */
static pawl_status check_key(bool *good, pawl_text type, pawl_text base64, pawl_error *err)
{
        pawl__buf key = PAWL__BUF_INIT;
        size_t at = 0, fields = 0;
        const pawl_status status = decode(good, &key, base64, err);

        while (!status && *good && at < key.len) {
                const unsigned char *p = (const unsigned char *)key.data + at;
                const size_t left = key.len - at;
                const size_t len = left < 4 ? left
                                            : (size_t)p[0] << 24 | (size_t)p[1] << 16 |
                                                      (size_t)p[2] << 8 | p[3];
                *good = left >= 4 && len <= left - 4 &&
                        (fields++ || pawl__text_eq(type, pawl__text_n((const char *)p + 4, len)));
                at += 4 + len;
        }
        *good = *good && fields > 1;
        pawl__buf_free(&key);
        return status;
}

/* ACTOR[,ACTOR...] [OPTION[,OPTION...]] KEYTYPE KEY, as ssh-keygen(1) has it. */
static pawl_status check_line(bool *good, pawl_text line, pawl_error *err)
{
        const pawl_text actors = next_word(&line);
        pawl_text type = next_word(&line), key = next_word(&line);

        *good = false;
        for (size_t i = 0; i < 2 && !*good && actors.len && key.len; i++) {
                TRY(check_key(good, type, key, err));
                type = key;
                key = next_word(&line);
        }
        return PAWL_OK;
}

/* The first line that gives nobody a key; 0: there is none. @p n: how many do. */
static pawl_status first_bad_line(size_t *bad, size_t *n, pawl_text text, pawl_error *err)
{
        bool good = true;

        *bad = *n = 0;
        for (size_t at = 1; text.len && good; at++) {
                const char *end = memchr(text.data, '\n', text.len);
                pawl_text line =
                        pawl__text_n(text.data, end ? (size_t)(end - text.data) : text.len);
                const size_t past = line.len + (end != NULL);
                text = pawl__text_n(text.data + past, text.len - past);
                if (line.len && line.data[line.len - 1] == '\r')
                        line.len--;
                if (pawl__text_blank(line) || *line.data == '#')
                        continue;
                TRY(check_line(&good, line, err));
                if (good)
                        ++*n;
                else
                        *bad = at;
        }
        return PAWL_OK;
}

static pawl_status read_signers(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        pawl__buf text = PAWL__BUF_INIT;
        const int fd = open(mission->signers_path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        const int error = fd < 0 ? errno : pawl__read_all(&text, fd, PAWL__SIGNERS_MAX);
        pawl_status status = PAWL_OK;
        size_t n = 0, bad = 0;

        if (fd >= 0)
                close(fd);
        if (error)
                status = pawl__field_fail(place, node,
                        "%.200s cannot be read: %s; name a file of allowed signers, as ssh-keygen "
                        "has it",
                        mission->signers_path, strerrordesc_np(error));
        else if (pawl__utf8_valid(text.data, text.len))
                status = first_bad_line(&bad, &n, pawl__buf_text(&text), place->err);
        if (!status && bad)
                status = pawl__field_fail(place, node,
                        "%.200s: line %zu: gives nobody a key; write ACTOR KEYTYPE KEY, with the "
                        "key as ssh-keygen wrote it",
                        mission->signers_path, bad);
        else if (!status && !n)
                status = pawl__field_fail(place, node,
                        "%.200s names nobody; write a line for each signer: ACTOR KEYTYPE KEY",
                        mission->signers_path);
        else if (!status)
                status = pawl__keep(place, &mission->signers.text, pawl__buf_text(&text));
        pawl__buf_free(&text);
        return status;
}

pawl_status pawl__require_signed_read(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        pawl_status status = pawl__keep_path(place, &mission->signers_path, node);

        if (!status)
                status = pawl__keep(
                        place, &mission->signers.file, pawl__value_at(place, node)->value);
        if (!status && !mission->from_log)
                status = read_signers(place, node);
        mission->signers_now = mission->signers;
        return status;
}

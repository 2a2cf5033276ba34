#include "base/error.h"
#include "base/unicode.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
        pawl_status status;
        const char *name;
} names[] = {
        {PAWL_OK, "PAWL_OK"},
        {PAWL_DONE, "PAWL_DONE"},
        {PAWL_BLOCKED, "PAWL_BLOCKED"},
        {PAWL_JUMP, "PAWL_JUMP"},
        {PAWL_ENOMEM, "PAWL_ENOMEM"},
        {PAWL_EINVAL, "PAWL_EINVAL"},
        {PAWL_EPARSE, "PAWL_EPARSE"},
        {PAWL_ENOTFOUND, "PAWL_ENOTFOUND"},
        {PAWL_EIO, "PAWL_EIO"},
        {PAWL_EFULL, "PAWL_EFULL"},
        {PAWL_EBUSY, "PAWL_EBUSY"},
        {PAWL_EHELD, "PAWL_EHELD"},
        {PAWL_EFENCED, "PAWL_EFENCED"},
        {PAWL_EINPUTS, "PAWL_EINPUTS"},
        {PAWL_EDAMAGED, "PAWL_EDAMAGED"},
        {PAWL_ENEWER, "PAWL_ENEWER"},
        {PAWL_EFORMAT, "PAWL_EFORMAT"},
        {PAWL_EREADONLY, "PAWL_EREADONLY"},
        {PAWL_EEXISTS, "PAWL_EEXISTS"},
        {PAWL_ESTEP, "PAWL_ESTEP"},
        {PAWL_EINTERRUPTED, "PAWL_EINTERRUPTED"},
        {PAWL_ETOOBIG, "PAWL_ETOOBIG"},
        {PAWL_EACCESS, "PAWL_EACCESS"},
        {PAWL_ESTATE, "PAWL_ESTATE"},
        {PAWL_EKEY, "PAWL_EKEY"},
};

const char *pawl_status_name(pawl_status status)
{
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
                if (names[i].status == status)
                        return names[i].name;
        return "unknown status";
}

/* The character at @p at as a message shows it; returns its bytes. What would break the line
 * (control characters, line separators) or is not UTF-8 becomes an escape, as in
 * command/printable.h.
 */
static size_t show(char shown[8], const char *at, size_t left)
{
        uint32_t character = (unsigned char)*at;

        if (character >= 0x80 && pawl__utf8_span(at, left < 4 ? left : 4) == 0) {
                snprintf(shown, 8, "\\x%02x", (unsigned)character);
                return 1;
        }
        const size_t bytes = pawl__unicode_decode(&character, at, left);
        const bool plain = character < 0x7f
                                   ? character >= 0x20
                                   : character > 0x9f && character != 0x2028 && character != 0x2029;
        if (plain) {
                memcpy(shown, at, bytes);
                shown[bytes] = '\0';
        } else {
                snprintf(shown, 8, character < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)character);
        }
        return bytes;
}

/* Texts that are quoted come from files and people. */
static void make_one_line(char message[PAWL_ERROR_MAX])
{
        const size_t len = strlen(message);
        char line[PAWL_ERROR_MAX], shown[8];
        size_t n = 0;

        while (n < len && message[n] >= 0x20 && message[n] < 0x7f) /* as most are, to their end */
                n++;
        memcpy(line, message, n);
        for (size_t at = n; at < len;) {
                at += show(shown, message + at, len - at);
                const size_t add = strlen(shown);
                if (n + add >= sizeof line)
                        break;
                memcpy(line + n, shown, add);
                n += add;
        }
        memcpy(message, line, n);
        message[n] = '\0';
}

/* The longest part of a message, as WHERE: WHAT; HOW has parts: *start and the length. */
static size_t longest_part(size_t *start, const char *text)
{
        size_t longest = 0;

        for (const char *at = text; *at;) {
                const size_t len = strcspn(at, ":;");
                if (len > longest) {
                        longest = len;
                        *start = (size_t)(at - text);
                }
                at += len;
                at += strspn(at, ":; ");
        }
        return longest;
}

/* Leave out the middle of the longest parts until it fits, between two characters. */
static size_t shorten(char *text, size_t len)
{
        static const char left_out[] = "\xe2\x80\xa6"; /* an ellipsis */
        const size_t mark = sizeof left_out - 1;

        while (len >= PAWL_ERROR_MAX) {
                size_t start = 0;
                const size_t part = longest_part(&start, text), least = part / 4;
                size_t drop = len + mark + 1 - PAWL_ERROR_MAX;
                if (part < 64) /* there are too many of them */
                        return pawl__utf8_cut(text, len, PAWL_ERROR_MAX - 1);
                if (drop > part - least)
                        drop = part - least;
                char *at = text + start;
                const size_t before = pawl__utf8_cut(at, part, (part - drop) / 2);
                size_t after = before + drop;
                while (after < part && ((unsigned char)at[after] & 0xc0) == 0x80)
                        after++;
                memcpy(at + before, left_out, mark);
                memmove(at + before + mark, at + after, len - start - after + 1);
                len -= after - before - mark;
        }
        return len;
}

enum { FORMATTED_MAX = 16 * PAWL_ERROR_MAX };

/* Format into a full-length buffer. What names something and is empty is shown as ''. */
static void PAWL_PRINTF(2, 0)
        format_message(char out[PAWL_ERROR_MAX], const char *format, va_list args)
{
        char text[FORMATTED_MAX + 2], *begin = text + 2;
        const int n = vsnprintf(begin, FORMATTED_MAX, format, args);
        size_t len = n < 0 ? 0 : (size_t)n;

        if (len >= FORMATTED_MAX)
                len = pawl__utf8_cut(begin, FORMATTED_MAX - 1, FORMATTED_MAX - 2);
        begin[len] = '\0';
        if (begin[0] == ':' && begin[1] == ' ') {
                begin = memset(text, '\'', 2);
                len += 2;
        }
        len = shorten(begin, len);
        memcpy(out, begin, len);
        out[len] = '\0';
        make_one_line(out);
}

pawl_status pawl__fail(pawl_error *err, pawl_status status, const char *format, ...)
{
        va_list args;

        if (!err)
                return status;
        char message[PAWL_ERROR_MAX]; /* an argument may be the message in err */
        va_start(args, format);
        format_message(message, format, args);
        va_end(args);
        memcpy(err->message, message, sizeof message);
        err->status = status;
        return status;
}

pawl_status pawl__fail_prefix(pawl_error *err, pawl_status status, const char *format, ...)
{
        va_list args;

        if (!err)
                return status;
        char prefix[PAWL_ERROR_MAX], message[PAWL_ERROR_MAX];
        va_start(args, format);
        format_message(prefix, format, args);
        va_end(args);
        memcpy(message, err->message, sizeof message);
        return pawl__fail(err, status, "%s: %s", prefix, message);
}

pawl_status pawl__handle_usable(
        const void *handle, const pid_t *opened_by, const char *what, pawl_error *err)
{
        if (!handle)
                return pawl__fail(err, PAWL_EINVAL, "%s: " PAWL__NO_HANDLE, what);
        if (*opened_by == getpid())
                return PAWL_OK;
        return pawl__fail(err, PAWL_ESTATE,
                "%s: process %ld opened it, and this one was forked since; open it here again",
                what, (long)*opened_by);
}

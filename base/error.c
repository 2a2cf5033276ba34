#include "base/error.h"
#include "base/unicode.h"
#include <stdarg.h>
#include <stdio.h>

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

/* Format into a full-length buffer, cutting what does not fit between two characters. */
static void PAWL_PRINTF(2, 0)
        format_message(char out[PAWL_ERROR_MAX], const char *format, va_list args)
{
        int n = vsnprintf(out, PAWL_ERROR_MAX, format, args);

        if (n >= PAWL_ERROR_MAX)
                out[pawl__utf8_cut(out, PAWL_ERROR_MAX - 1, PAWL_ERROR_MAX - 1)] = '\0';
        else if (n < 0)
                out[0] = '\0';
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

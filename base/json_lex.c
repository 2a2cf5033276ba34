/* Backslash escapes: checking, decoding and writing them. */
#include "base/json_lex.h"

/* The value of four hex digits, or -1. */
static int hex4(const char *p, const char *end)
{
        int value = 0;

        if (end - p < 4)
                return -1;
        for (int i = 0; i < 4; i++) {
                const int letter = p[i] | 0x20;
                if (p[i] >= '0' && p[i] <= '9')
                        value = value << 4 | (p[i] - '0');
                else if (letter >= 'a' && letter <= 'f')
                        value = value << 4 | (letter - 'a' + 10);
                else
                        return -1;
        }
        return value;
}

static bool is_high_surrogate(int unit)
{
        return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low_surrogate(int unit)
{
        return unit >= 0xdc00 && unit <= 0xdfff;
}

size_t pawl__lex_unicode_escape(const char *p, const char *end)
{
        const int unit = hex4(p + 2, end);
        if (unit < 0 || is_low_surrogate(unit))
                return 0;
        if (!is_high_surrogate(unit))
                return 6;
        if (end - p < 12 || p[6] != '\\' || p[7] != 'u' || !is_low_surrogate(hex4(p + 8, end)))
                return 0;
        return 12;
}

/* One character as UTF-8; returns its length. */
static size_t encode(char out[4], unsigned c)
{
        if (c < 0x80) {
                out[0] = (char)c;
                return 1;
        }
        if (c < 0x800) {
                out[0] = (char)(0xc0 | c >> 6);
                out[1] = (char)(0x80 | (c & 0x3f));
                return 2;
        }
        if (c < 0x10000) {
                out[0] = (char)(0xe0 | c >> 12);
                out[1] = (char)(0x80 | (c >> 6 & 0x3f));
                out[2] = (char)(0x80 | (c & 0x3f));
                return 3;
        }
        out[0] = (char)(0xf0 | c >> 18);
        out[1] = (char)(0x80 | (c >> 12 & 0x3f));
        out[2] = (char)(0x80 | (c >> 6 & 0x3f));
        out[3] = (char)(0x80 | (c & 0x3f));
        return 4;
}

/* The character of an escape of two bytes, by the second. */
static inline char short_escape(char c)
{
        switch (c) {
        case 'b':
                return '\b';
        case 'f':
                return '\f';
        case 'n':
                return '\n';
        case 'r':
                return '\r';
        case 't':
                return '\t';
        default:
                return c;
        }
}

size_t pawl__lex_escaped_character(char out[4], const char **at)
{
        const char *const p = *at;

        *at += 2;
        if (p[1] != 'u') {
                *out = short_escape(p[1]);
                return 1;
        }
        unsigned code = (unsigned)hex4(p + 2, p + 6);
        *at += 4;
        if (is_high_surrogate((int)code)) {
                const unsigned low = (unsigned)hex4(p + 8, p + 12);
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                *at += 6;
        }
        return encode(out, code);
}

size_t pawl__lex_write_escape(char out[6], char c)
{
        static const char letters[] = "btn.fr"; /* for 0x08 to 0x0d, of which 0x0b has none */

        out[0] = '\\';
        if (c == '"' || c == '\\') {
                out[1] = c;
        } else if (c >= 0x08 && c <= 0x0d && c != 0x0b) {
                out[1] = letters[c - 0x08];
        } else {
                memcpy(out + 1, "u00", 3);
                out[4] = (char)('0' + (c >> 4));
                out[5] = "0123456789abcdef"[c & 15];
                return 6;
        }
        return 2;
}

bool pawl__lex_canonical(const char *raw, size_t raw_len)
{
        const char *const end = raw + raw_len;

        for (const char *p = raw; (p = pawl__lex_run(p, end, NULL)) < end;) {
                const char *const escape = p;
                char character[4], shortest[6];
                if (p[1] != 'u' && p[1] != '/') {
                        p += 2;
                        continue;
                }
                const size_t len = pawl__lex_escaped_character(character, &p);
                const unsigned char c = (unsigned char)character[0];
                if (len > 1 || (c >= 0x20 && c != '"' && c != '\\') ||
                        pawl__lex_write_escape(shortest, character[0]) != (size_t)(p - escape) ||
                        memcmp(shortest, escape, (size_t)(p - escape)) != 0)
                        return false;
        }
        return true;
}

/* The canonical form of the escape at p; returns the end of it. */
static char *copy_escape(char *out, const char *p)
{
        char character[4];

        if (p[1] != 'u') { /* of the short ones, that of the slash alone is not needed */
                *out = '\\';
                out += p[1] != '/';
                *out++ = p[1];
                return out;
        }
        const size_t len = pawl__lex_escaped_character(character, &p);
        const unsigned char c = (unsigned char)character[0];
        if (c < 0x20 || c == '"' || c == '\\')
                return out + pawl__lex_write_escape(out, character[0]);
        memcpy(out, character, sizeof character);
        return out + len;
}

pawl__lex_place pawl__lex_string_rest(pawl__lex_place at, const char *end)
{
        const char *p = at.p;
        char *to = at.to;

        while (p < end && *p == '\\') {
                const size_t n = pawl__lex_escape(p, end);
                if (n == 0)
                        return (pawl__lex_place){NULL, NULL};
                if (to)
                        to = copy_escape(to, p);
                const char *const run = p + n;
                p = pawl__lex_run(run, end, to);
                if (to)
                        to += p - run;
        }
        return p < end && *p == '"' ? (pawl__lex_place){p, to} : (pawl__lex_place){NULL, NULL};
}

size_t pawl__json_unescape(char *out, const char *raw, size_t raw_len)
{
        const char *p = raw, *const end = raw + raw_len;
        char *to = out;

        for (;;) {
                const char *const run = p;
                p = pawl__lex_run(run, end, to);
                to += p - run;
                if (p == end)
                        return (size_t)(to - out);
                if (p[1] != 'u') {
                        *to++ = short_escape(p[1]);
                        p += 2;
                } else {
                        to += pawl__lex_escaped_character(to, &p);
                }
        }
}

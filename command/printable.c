#include "command/printable.h"
#include <assert.h>
#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

void cli_put(FILE *stream, pawl_text text)
{
        char escape[PAWL__ESCAPE_MAX] = "";
        size_t skip = 0;

        while (text.len) {
                size_t n = pawl__printable_span(text, escape, &skip);
                fwrite(text.data, 1, n, stream);
                if (n == text.len)
                        break;
                fputs(escape, stream);
                text = pawl__text_n(text.data + n + skip, text.len - n - skip);
        }
}

void cli_puts(FILE *stream, const char *string)
{
        cli_put(stream, pawl__text(string));
}

void cli_putf(FILE *stream, const char *format, ...)
{
        va_list args;

        va_start(args, format);
        for (size_t n; *format; format += n) {
                n = strcspn(format, "%");
                if (n) {
                        fwrite(format, 1, n, stream);
                        continue;
                }
                n = strcspn(format + 1, "%sdu") + 2;
                const pawl_text what = pawl__text_n(format, n);
                if (pawl__text_is(what, "%%")) {
                        fputc('%', stream);
                } else if (pawl__text_is(what, "%s")) {
                        cli_puts(stream, va_arg(args, const char *));
                } else if (pawl__text_is(what, "%.*s")) {
                        const int len = va_arg(args, int);
                        cli_put(stream, pawl__text_n(va_arg(args, const char *), (size_t)len));
                } else if (pawl__text_is(what, "%d")) {
                        fprintf(stream, "%d", va_arg(args, int));
                } else if (pawl__text_is(what, "%zu")) {
                        fprintf(stream, "%zu", va_arg(args, size_t));
                } else if (pawl__text_is(what, "%" PRIu64)) {
                        fprintf(stream, "%" PRIu64, va_arg(args, uint64_t));
                } else {
                        assert(pawl__text_is(what, "%" PRId64));
                        fprintf(stream, "%" PRId64, va_arg(args, int64_t));
                }
        }
        va_end(args);
}

void cli_put_word(FILE *stream, pawl_text text)
{
        char escape[PAWL__ESCAPE_MAX];
        size_t skip = 0;

        if (pawl__is_plain_word(text)) {
                cli_put(stream, text);
                return;
        }
        /* What is not shown as it is, is an escape between $' and ', and a backslash is two. */
        const bool escapes = pawl__printable_span(text, escape, &skip) < text.len;
        const char *const special = escapes ? "'\\" : "'";
        fputs(escapes ? "$'" : "'", stream);
        while (text.len) {
                size_t n = 0;
                while (n < text.len && (!text.data[n] || !strchr(special, text.data[n])))
                        n++;
                cli_put(stream, pawl__text_n(text.data, n));
                if (n == text.len)
                        break;
                fputs(!escapes ? "'\\''" : text.data[n] == '\'' ? "\\'" : "\\\\", stream);
                text = pawl__text_n(text.data + n + 1, text.len - n - 1);
        }
        fputc('\'', stream);
}

void cli_put_line(FILE *stream, const char *name, pawl_text value)
{
        if (!value.data)
                return;
        fprintf(stream, "%-12s ", name);
        cli_put(stream, value);
        fputc('\n', stream);
}

size_t cli_measure(pawl_text text, size_t most, size_t *cut)
{
        mbstate_t state = {0};
        size_t width = 0;

        *cut = 0;
        for (size_t at = 0, n; at < text.len; at += n) {
                wchar_t c = L'?';
                n = mbrtowc(&c, text.data + at, text.len - at, &state);
                if (n == 0 || n > text.len - at) { /* NUL, or no UTF-8 */
                        state = (mbstate_t){0};
                        n = 1;
                }
                const int columns = wcwidth(c);
                width += columns < 0 ? 1 : (size_t)columns;
                if (width <= most)
                        *cut = at + n;
        }
        return width;
}

size_t cli_put_cut(FILE *stream, pawl_text text, size_t max)
{
        const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        const locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
        size_t at;

        const size_t width = cli_measure(text, max, &at);
        if (utf8) {
                uselocale(before);
                freelocale(utf8);
        }
        cli_put(stream, pawl__text_n(text.data, at));
        if (at < text.len)
                fputs("…", stream);
        return at < text.len ? max + 1 : width;
}

/* Of a word with what is before it: bytes, and the columns that it takes. */
static size_t word_of(const char *at, size_t *columns)
{
        size_t n = strspn(at, " ");
        char until = 0;

        *columns = n;
        for (; at[n] && at[n] != '\n' && (at[n] != ' ' || until); n++) {
                const char *end = at[n] == '`' ? "`" : at[n] == '[' ? "]" : NULL;
                if (until)
                        until = at[n] == until ? '\0' : until;
                else if (end && memchr(at + n + 1, *end, strcspn(at + n + 1, "\n")))
                        until = *end;
                *columns += ((unsigned char)at[n] & 0xc0) != 0x80;
        }
        return n;
}

void cli_put_wrapped(FILE *stream, const char *lines, size_t width)
{
        size_t column = 0, indent = 2;

        while (*lines) {
                size_t columns, n = word_of(lines, &columns), spaces = strspn(lines, " ");
                if (*lines == '\n') {
                        n = 1;
                        column = 0;
                        indent = 2;
                } else if (column > indent && column + columns > width && spaces < n) {
                        lines += spaces;
                        n -= spaces;
                        fprintf(stream, "\n%*s", (int)indent, "");
                        column = indent + columns - spaces;
                } else {
                        if (spaces > 1 && column + spaces <= width / 2)
                                indent = column + spaces;
                        column += columns;
                }
                fwrite(lines, 1, n, stream);
                lines += n;
        }
}

bool cli_is_terminal(FILE *stream)
{
        return isatty(fileno(stream));
}

size_t cli_terminal_width(FILE *stream)
{
        struct winsize size = {.ws_col = 0};

        if (!cli_is_terminal(stream))
                return 0;
        return ioctl(fileno(stream), TIOCGWINSZ, &size) || size.ws_col == 0 ? 80 : size.ws_col;
}

FILE *cli_wrap_begin(cli_wrap *wrap, FILE *out)
{
        *wrap = (cli_wrap){.out = out, .width = cli_terminal_width(out)};
        if (wrap->width)
                wrap->text = open_memstream(&wrap->lines, &wrap->len);
        return wrap->text ? wrap->text : out;
}

void cli_wrap_end(cli_wrap *wrap)
{
        if (wrap->text && fclose(wrap->text) == 0)
                cli_put_wrapped(wrap->out, wrap->lines, wrap->width);
        free(wrap->lines);
}

bool cli_colours(FILE *stream)
{
        const char *no = getenv("NO_COLOR");
        const char *term = getenv("TERM");

        return !(no && *no) && term && strcmp(term, "dumb") != 0 && cli_is_terminal(stream);
}

void cli_size_text(char out[32], uint64_t bytes)
{
        static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
        double n = (double)bytes;
        size_t unit = 0;

        while (n >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
                n /= 1000;
                unit++;
        }
        if (unit == 0 || n >= 99.95)
                snprintf(out, 32, "%.0f %s", n, units[unit]);
        else
                snprintf(out, 32, n >= 9.995 ? "%.1f %s" : "%.2f %s", n, units[unit]);
}

void cli_put_lines(FILE *stream, pawl_text text)
{
        if (!cli_is_terminal(stream)) {
                fwrite(text.data, 1, text.len, stream);
                return;
        }
        for (size_t at = 0, n; at < text.len; at += n) {
                for (n = 0; at + n < text.len && text.data[at + n] != '\n' &&
                            text.data[at + n] != '\t';)
                        n++;
                cli_put(stream, pawl__text_n(text.data + at, n));
                if (at + n < text.len)
                        fputc(text.data[at + n++], stream);
        }
}

/* The canonical form of numbers (RFC 8785, section 3.2.2.3), with as little work as they need. */
#include "base/number_canon.h"
#include "base/json_canon.h"
#include "base/number.h"
#include <math.h>
#include <string.h>

enum {
        SHORT = 15,   /* digits that are the shortest form of what they are read as (DBL_DIG) ... */
        MIDDLE = 300, /* ... where doubles are normal */
        HELD = 19,    /* digits that 64 bits hold */
        LONGEST = 32
};

/* Is the literal, without an exponent, laid out as ECMAScript does it, so that it is canonical if
 * its digits are? It then ends in a digit of the fraction other than 0, and is not so small as to
 * want an exponent. (One so large has more digits than are ever canonical.) */
static bool laid_out(const char *raw, size_t raw_len)
{
        const char *const first = raw + (raw[0] == '-');

        return raw[raw_len - 1] != '0' && (first[0] != '0' || first[2] != '0');
}

size_t pawl__number_canon(char *out, const char *raw, size_t raw_len, pawl__lex_marks marks)
{
        const bool plain =
                marks.exponent == raw_len && raw_len <= HELD + 1; /* the point is no digit */
        const bool in_form = plain && laid_out(raw, raw_len);

        if (in_form && raw_len <= SHORT + 1) {
                memcpy(out, raw, raw_len);
                return raw_len;
        }
        const pawl__decimal d = plain ? pawl__decimal_read_plain(raw, raw_len, marks.point)
                                      : pawl__decimal_read(raw, raw_len);
        const int64_t magnitude = d.exponent + d.count;
        if (d.count <= SHORT && magnitude > -MIDDLE && magnitude < MIDDLE)
                return pawl__decimal_format(out, &d);
        const double value = pawl__decimal_double(&d, raw, raw_len);
        if (isinf(value))
                return 0;
        const pawl__decimal least = pawl__decimal_shortest(value);
        if (in_form && least.digits == d.digits && least.exponent == d.exponent) {
                memcpy(out, raw, raw_len);
                return raw_len;
        }
        return pawl__decimal_format(out, &least);
}

pawl_status pawl__json_canon_number(pawl__buf *out, const char *raw, size_t raw_len)
{
        pawl__lex_marks marks = {0, 0};

        pawl__lex_number(raw, raw + raw_len, &marks);
        if (marks.point == raw_len) {
                const size_t sign = raw_len == 2 && memcmp(raw, "-0", 2) == 0; /* goes */
                return pawl__buf_add(out, raw + sign, raw_len - sign);
        }
        const pawl_status status = pawl__buf_reserve(out, LONGEST);
        if (!status) {
                out->len += pawl__number_canon(out->data + out->len, raw, raw_len, marks);
                out->data[out->len] = '\0';
        }
        return status;
}

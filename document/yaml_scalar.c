/* The core schema of YAML 1.2.2 (section 10.3.2): which unquoted scalars are not strings, and how
 * JSON writes them. */
#include "base/json_read.h"
#include "document/yaml.h"

/* 0x and 0o literals are turned to decimal in quadratic time; past this many digits they are
 * refused. */
enum { RADIX_DIGITS_MAX = 256 };

static const struct {
        const char *text;
        pawl__yaml_kind kind;
} words[] = {
        {"", PAWL__YAML_NULL},
        {"~", PAWL__YAML_NULL},
        {"null", PAWL__YAML_NULL},
        {"Null", PAWL__YAML_NULL},
        {"NULL", PAWL__YAML_NULL},
        {"true", PAWL__YAML_BOOL},
        {"True", PAWL__YAML_BOOL},
        {"TRUE", PAWL__YAML_BOOL},
        {"false", PAWL__YAML_BOOL},
        {"False", PAWL__YAML_BOOL},
        {"FALSE", PAWL__YAML_BOOL},
        {".nan", PAWL__YAML_NOT_FINITE},
        {".NaN", PAWL__YAML_NOT_FINITE},
        {".NAN", PAWL__YAML_NOT_FINITE},
        {".inf", PAWL__YAML_NOT_FINITE},
        {".Inf", PAWL__YAML_NOT_FINITE},
        {".INF", PAWL__YAML_NOT_FINITE},
};

static bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

static size_t digits(pawl_text s, size_t at)
{
        while (at < s.len && is_digit(s.data[at]))
                at++;
        return at;
}

/* The value of a digit in base 16 or less; 16: it is none. */
static unsigned digit_value(char c)
{
        if (is_digit(c))
                return (unsigned)(c - '0');
        if (c >= 'a' && c <= 'f')
                return (unsigned)(c - 'a') + 10;
        return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

/* 16 for 0x1F, 8 for 0o17, else 0. The core schema gives these no sign. */
static unsigned radix(pawl_text s)
{
        if (s.len < 3 || s.data[0] != '0' || (s.data[1] != 'x' && s.data[1] != 'o'))
                return 0;
        unsigned base = s.data[1] == 'x' ? 16 : 8;
        for (size_t i = 2; i < s.len; i++)
                if (digit_value(s.data[i]) >= base)
                        return 0;
        return base;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static pawl__yaml_kind number_kind(pawl_text s)
{
        size_t at = s.data[0] == '-' || s.data[0] == '+';
        size_t end = digits(s, at);
        bool whole = end > at;
        pawl__yaml_kind kind = PAWL__YAML_INT;

        at = end;
        if (at < s.len && s.data[at] == '.') {
                kind = PAWL__YAML_FLOAT;
                end = digits(s, at + 1);
                if (!whole && end == at + 1)
                        return PAWL__YAML_STRING;
                at = end;
        } else if (!whole) {
                return PAWL__YAML_STRING;
        }
        if (at < s.len && (s.data[at] == 'e' || s.data[at] == 'E')) {
                kind = PAWL__YAML_FLOAT;
                at++;
                at += at < s.len && (s.data[at] == '-' || s.data[at] == '+');
                end = digits(s, at);
                if (end == at)
                        return PAWL__YAML_STRING;
                at = end;
        }
        return at == s.len ? kind : PAWL__YAML_STRING;
}

static pawl__yaml_kind plain_kind(pawl_text scalar)
{
        pawl_text unsigned_part = scalar;

        if (scalar.len > 0 && (scalar.data[0] == '+' || scalar.data[0] == '-')) {
                unsigned_part = (pawl_text){scalar.data + 1, scalar.len - 1};
                if (pawl__text_is(unsigned_part, ".inf") || pawl__text_is(unsigned_part, ".Inf") ||
                        pawl__text_is(unsigned_part, ".INF"))
                        return PAWL__YAML_NOT_FINITE;
        } else if (scalar.len <= 5) {
                for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
                        if (pawl__text_is(scalar, words[i].text))
                                return words[i].kind;
        }
        if (unsigned_part.len == 0 ||
                !(is_digit(unsigned_part.data[0]) || unsigned_part.data[0] == '.'))
                return PAWL__YAML_STRING;
        return radix(scalar) ? PAWL__YAML_INT : number_kind(scalar);
}

bool pawl__yaml_kind_of(pawl__yaml_kind *kind, pawl_text scalar, bool plain, const char *tag)
{
        static const char own[] = "tag:yaml.org,2002:";
        static const struct {
                const char *tag;
                unsigned takes; /* a bit a kind */
        } tags[] = {
                {"null", 1u << PAWL__YAML_NULL},
                {"bool", 1u << PAWL__YAML_BOOL},
                {"int", 1u << PAWL__YAML_INT},
                {"float", 1u << PAWL__YAML_INT | 1u << PAWL__YAML_FLOAT |
                                  1u << PAWL__YAML_NOT_FINITE},
        };

        if (!tag) {
                *kind = plain ? plain_kind(scalar) : PAWL__YAML_STRING;
                return true;
        }
        if (strncmp(tag, own, sizeof own - 1) != 0)
                return false;
        tag += sizeof own - 1;
        if (strcmp(tag, "str") == 0) {
                *kind = PAWL__YAML_STRING;
                return true;
        }
        for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
                if (strcmp(tag, tags[i].tag) == 0 && tags[i].takes & 1u << plain_kind(scalar)) {
                        *kind = plain_kind(scalar);
                        return true;
                }
        return false;
}

/* Schoolbook conversion over limbs of nine decimal digits, the lowest first. */
static pawl_status add_radix(pawl__buf *json, unsigned base, pawl_text s)
{
        uint32_t limbs[RADIX_DIGITS_MAX * 4 / 29 + 2] = {0}; /* a limb holds 29.9 bits */
        size_t n = 1;

        for (size_t i = 2; i < s.len; i++) {
                uint64_t carry = digit_value(s.data[i]);
                if (n == 1 && limbs[0] == 0 && carry == 0)
                        continue;
                if (s.len - 2 > RADIX_DIGITS_MAX)
                        return PAWL_EPARSE;
                for (size_t k = 0; k < n; k++) {
                        carry += (uint64_t)limbs[k] * base;
                        limbs[k] = (uint32_t)(carry % 1000000000);
                        carry /= 1000000000;
                }
                if (carry)
                        limbs[n++] = (uint32_t)carry;
        }
        pawl__buf_addf(json, "%u", (unsigned)limbs[n - 1]);
        while (n-- > 1)
                pawl__buf_addf(json, "%09u", (unsigned)limbs[n - 1]);
        return PAWL_OK;
}

/* JSON wants no plus sign, no leading zeros, and a digit on either side of the point. */
static void add_decimal(pawl__buf *json, pawl_text s)
{
        size_t at = s.data[0] == '-' || s.data[0] == '+';

        if (s.data[0] == '-')
                pawl__buf_addc(json, '-');
        while (at + 1 < s.len && s.data[at] == '0' && is_digit(s.data[at + 1]))
                at++;
        if (s.data[at] == '.')
                pawl__buf_addc(json, '0');
        size_t point = at;
        while (point < s.len && s.data[point] != '.')
                point++;
        size_t end = point < s.len ? point + 1 : point;
        pawl__buf_add(json, s.data + at, end - at);
        if (point < s.len && (end == s.len || !is_digit(s.data[end])))
                pawl__buf_addc(json, '0');
        pawl__buf_add(json, s.data + end, s.len - end);
}

pawl_status pawl__yaml_literal(pawl__buf *json, pawl__yaml_kind kind, pawl_text scalar)
{
        size_t start = json->len;

        if (kind == PAWL__YAML_NULL)
                return pawl__buf_adds(json, "null");
        if (kind == PAWL__YAML_BOOL)
                return pawl__buf_adds(
                        json, scalar.data[0] == 't' || scalar.data[0] == 'T' ? "true" : "false");
        unsigned base = radix(scalar);
        pawl_status status = PAWL_OK;
        if (base) {
                status = add_radix(json, base, scalar);
        } else { /* the strict reader knows what overflows a double */
                pawl__json_reader reader;
                pawl__json_token token;
                add_decimal(json, scalar);
                pawl__json_reader_init(&reader, json->data + start, json->len - start);
                status = pawl__json_next(&reader, &token, NULL);
        }
        if (json->failed)
                status = PAWL_ENOMEM;
        if (status && json->data) {
                json->len = start;
                json->data[start] = '\0';
        }
        return status;
}

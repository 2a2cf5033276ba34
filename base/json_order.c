#include "base/json_order.h"
#include "base/json_canon.h"
#include "base/json_lex.h"

enum {
        FEW = 16,              /* so many are sorted by insertion */
        SURROGATE_LEAD = 0xf0, /* first byte of a character that takes two UTF-16 units */
        LATE_LEAD = 0xee       /* first byte of U+E000 and above */
};

/* UTF-8 orders by code points. UTF-16 puts what takes two units, which begin with 0xd800, before
 * U+E000 to U+FFFF. Only these two kinds of first bytes change places: */
static unsigned rank(unsigned char c)
{
        if (c < LATE_LEAD)
                return c;
        return c < SURROGATE_LEAD ? c + 8U : c - 2U;
}

int pawl__utf16_cmp(const char *a, size_t a_len, const char *b, size_t b_len)
{
        const size_t n = a_len < b_len ? a_len : b_len;

        for (size_t i = 0; i < n; i++)
                if (a[i] != b[i])
                        return rank((unsigned char)a[i]) < rank((unsigned char)b[i]) ? -1 : 1;
        return (a_len > b_len) - (a_len < b_len);
}

/* The next byte of the name that a canonical text stands for; -1 at its end. */
static int next_byte(const char **at)
{
        char character[4];

        if (**at == '"')
                return -1;
        if (**at != '\\')
                return (int)rank((unsigned char)*(*at)++);
        pawl__lex_escaped_character(character, at);
        return (unsigned char)character[0]; /* canonical escapes are for single bytes only */
}

static int compare_escaped(const char *a, const char *b)
{
        int x, y;

        do {
                x = next_byte(&a);
                y = next_byte(&b);
        } while (x == y && x >= 0);
        return (x > y) - (x < y);
}

int pawl__member_cmp(const char *text, const pawl__member *a, const pawl__member *b)
{
        if (a->prefix != b->prefix)
                return a->prefix < b->prefix ? -1 : 1;
        const char *const x = text + a->start + 1, *const y = text + b->start + 1;
        size_t i = 0;
        while (x[i] == y[i] && x[i] != '"' && x[i] != '\\')
                i++;
        if (x[i] == '\\' || y[i] == '\\')
                return compare_escaped(x + i, y + i);
        if (x[i] == y[i])
                return 0;
        if (x[i] == '"' || y[i] == '"')
                return x[i] == '"' ? -1 : 1;
        return rank((unsigned char)x[i]) < rank((unsigned char)y[i]) ? -1 : 1;
}

uint64_t pawl__member_prefix_any(const char *name)
{
        uint64_t prefix = 0;

        for (int i = 0; i < 8; i++) {
                const int c = next_byte(&name);
                if (c < 0)
                        return prefix << (8 - i) * 8 % 64;
                prefix = prefix << 8 | (unsigned)c;
        }
        return prefix;
}

/* The order of the sort: equal names by their place, so that the second of them comes second. */
static bool before(const char *text, const pawl__member *a, const pawl__member *b, bool *twice)
{
        if (a->prefix != b->prefix)
                return a->prefix < b->prefix;
        if (a->start == b->start) /* a member against its own copy */
                return false;
        const int order = pawl__member_cmp(text, a, b);
        if (order)
                return order < 0;
        *twice = true;
        return a->start < b->start;
}

static void sort_few(const char *text, pawl__member *m, size_t n, bool *twice)
{
        for (size_t i = 1; i < n; i++) {
                const pawl__member moving = m[i];
                size_t at = i;
                for (; at > 0 && before(text, &moving, &m[at - 1], twice); at--)
                        m[at] = m[at - 1];
                m[at] = moving;
        }
}

static void swap(pawl__member *a, pawl__member *b)
{
        const pawl__member other = *a;

        *a = *b;
        *b = other;
}

static void sift(const char *text, pawl__member *m, size_t at, size_t n, bool *twice)
{
        for (size_t child; (child = 2 * at + 1) < n; at = child) {
                if (child + 1 < n && before(text, &m[child], &m[child + 1], twice))
                        child++;
                if (!before(text, &m[at], &m[child], twice))
                        return;
                swap(&m[at], &m[child]);
        }
}

static void sort_heap(const char *text, pawl__member *m, size_t n, bool *twice)
{
        for (size_t i = n / 2; i-- > 0;)
                sift(text, m, i, n, twice);
        for (size_t i = n; i-- > 1;) {
                swap(&m[0], &m[i]);
                sift(text, m, 0, i, twice);
        }
}

/* Part around the median of three: what is before it, it, what is after it. */
static size_t part(const char *text, pawl__member *m, size_t n, bool *twice)
{
        pawl__member *const low = &m[0], *const middle = &m[n / 2], *const high = &m[n - 1];

        if (before(text, middle, low, twice))
                swap(low, middle);
        if (before(text, high, middle, twice)) {
                swap(middle, high);
                if (before(text, middle, low, twice))
                        swap(low, middle);
        }
        swap(middle, &m[n - 2]);
        const pawl__member pivot = m[n - 2];
        size_t i = 0, j = n - 2;
        for (;;) {
                while (before(text, &m[++i], &pivot, twice))
                        ;
                while (before(text, &pivot, &m[--j], twice))
                        ;
                if (i >= j)
                        break;
                swap(&m[i], &m[j]);
        }
        swap(&m[i], &m[n - 2]);
        return i;
}

/* D. Musser, "Introspective Sorting and Selection Algorithms" (1997): quicksort, until the parts
 * get out of proportion, which input can bring about; then heapsort. */
bool pawl__members_sort(const char *text, pawl__member *m, size_t n)
{
        struct {
                pawl__member *members;
                size_t n;
                unsigned budget;
        } todo[64]; /* the larger part waits here, so each is at most half of the one before */
        size_t waiting = 0;
        unsigned budget = 2 * (64 - (unsigned)__builtin_clzll(n | 1));
        bool twice = false;

        for (;;) {
                while (n > FEW && budget > 0) {
                        const size_t pivot = part(text, m, n, &twice), rest = n - pivot - 1;
                        budget--;
                        todo[waiting].budget = budget;
                        if (pivot > rest) {
                                todo[waiting].members = m;
                                todo[waiting++].n = pivot;
                                m += pivot + 1;
                                n = rest;
                        } else {
                                todo[waiting].members = m + pivot + 1;
                                todo[waiting++].n = rest;
                                n = pivot;
                        }
                }
                if (n > FEW)
                        sort_heap(text, m, n, &twice);
                else
                        sort_few(text, m, n, &twice);
                if (waiting == 0)
                        return !twice;
                waiting--;
                m = todo[waiting].members;
                n = todo[waiting].n;
                budget = todo[waiting].budget;
        }
}

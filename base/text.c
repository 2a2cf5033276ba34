#include "base/text.h"
#include <stdlib.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

int pawl__text_cmp(pawl_text a, pawl_text b)
{
        if (!a.data || !b.data)
                return (a.data != NULL) - (b.data != NULL);
        size_t n = a.len < b.len ? a.len : b.len;
        int order = n ? memcmp(a.data, b.data, n) : 0;

        return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool pawl__text_blank(pawl_text text)
{
        while (text.len && text.data[text.len - 1] && strchr(" \t\r\n", text.data[text.len - 1]))
                text.len--;
        return text.len == 0;
}

size_t pawl__text_index(pawl_text text, const char *const *names, size_t n)
{
        size_t i = 0;

        while (i < n && !pawl__text_is(text, names[i]))
                i++;
        return i;
}

/* Length of the character at p, of which left bytes are there; 0: not valid UTF-8. */
static inline size_t character(const unsigned char *p, size_t left)
{
        if (p[0] < 0x80)
                return 1;
        if (p[0] < 0xe0)
                return left >= 2 && p[0] >= 0xc2 && (p[1] & 0xc0) == 0x80 ? 2 : 0;
        if (left < 3 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
                return 0;
        if (p[0] < 0xf0) { /* the bits that tell an overlong form (0) and a surrogate (0x1b) */
                const unsigned top = (p[0] & 15U) << 1 | (p[1] >> 5 & 1U);
                return top != 0 && top != 0x1b ? 3 : 0;
        }
        const unsigned plane = (p[0] & 15U) << 2 | (p[1] >> 4 & 3U);
        return left >= 4 && (p[3] & 0xc0) == 0x80 && plane >= 1 && plane <= 16 ? 4 : 0;
}

static inline bool is_ascii(const unsigned char *eight)
{
        uint64_t word;

        memcpy(&word, eight, sizeof word);
        return !(word & UINT64_C(0x8080808080808080));
}

/* How many ASCII bytes there are at p, as far as many at a time tell. */
static inline size_t ascii(const unsigned char *p, size_t left)
{
        size_t n = 0;

#if defined(__SSE2__)
        for (; left - n >= 16; n += 16) {
                const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + n));
                const unsigned tops = (unsigned)_mm_movemask_epi8(bytes);
                if (tops)
                        return n + (size_t)__builtin_ctz(tops);
        }
#endif
        for (; left - n >= 8; n += 8)
                if (!is_ascii(p + n))
                        return n;
        return left >= 8 && is_ascii(p + left - 8) ? left : n;
}

size_t pawl__utf8_span(const char *data, size_t len)
{
        const unsigned char *p = (const unsigned char *)data;
        size_t at = 0;

        if (len == 0)
                return 0;
        while ((at += ascii(p + at, len - at)) < len) {
                do { /* a run of what is not ASCII is often one script: stay here */
                        const size_t n = character(p + at, len - at);
                        if (n == 0)
                                return at;
                        at += n;
                } while (at < len && (p[at] >= 0x80 || len - at < 8));
        }
        return len;
}

bool pawl__utf8_valid(const char *data, size_t len)
{
        return pawl__utf8_span(data, len) == len;
}

size_t pawl__utf8_cut(const char *data, size_t len, size_t max)
{
        if (len <= max) /* the end may be inside a character that was cut before */
                max = len;
        size_t start = max;
        while (start > 0 && max - start < 4 && ((unsigned char)data[start - 1] & 0xc0) == 0x80)
                start--;
        if (start == 0)
                return max;
        size_t n = character((const unsigned char *)data + start - 1, max - start + 1);
        return n ? start - 1 + n : start - 1;
}

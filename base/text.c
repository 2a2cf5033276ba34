#include "base/text.h"
#include <stdlib.h>

int pawl__text_cmp(pawl_text a, pawl_text b)
{
        if (!a.data || !b.data)
                return (a.data != NULL) - (b.data != NULL);
        size_t n = a.len < b.len ? a.len : b.len;
        int order = n ? memcmp(a.data, b.data, n) : 0;

        return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* Length of the character at p, of which left bytes are there; 0: not valid UTF-8. */
static size_t character(const unsigned char *p, size_t left)
{
        if (p[0] < 0x80)
                return 1;
        size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
        if (p[0] < 0xc2 || p[0] > 0xf4 || left < n)
                return 0;
        for (size_t i = 1; i < n; i++)
                if ((p[i] & 0xc0) != 0x80)
                        return 0;
        if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
                (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
                return 0;
        return n;
}

size_t pawl__utf8_span(const char *data, size_t len)
{
        const unsigned char *p = (const unsigned char *)data;
        size_t at = 0;

        while (at < len) {
                uint64_t word;
                if (len - at >= sizeof word) { /* eight ASCII bytes at once */
                        memcpy(&word, p + at, sizeof word);
                        if (!(word & UINT64_C(0x8080808080808080))) {
                                at += sizeof word;
                                continue;
                        }
                }
                size_t n = character(p + at, len - at);
                if (n == 0)
                        return at;
                at += n;
        }
        return len;
}

bool pawl__utf8_valid(const char *data, size_t len)
{
        return pawl__utf8_span(data, len) == len;
}

size_t pawl__utf8_cut(const char *data, size_t len, size_t max)
{
        if (len <= max) /* the end itself may stand inside a character that was cut before */
                max = len;
        size_t start = max;
        while (start > 0 && max - start < 4 && ((unsigned char)data[start - 1] & 0xc0) == 0x80)
                start--;
        if (start == 0)
                return max;
        size_t n = character((const unsigned char *)data + start - 1, max - start + 1);
        return n ? start - 1 + n : start - 1;
}

/* git's binary patches (apply.c, base85.c, RFC 1950, RFC 1951), and its ids of blobs (FIPS 180-4).
 */
#include "workspace/diff/binary_patch.h"
#include <stdio.h>
#include <string.h>

/* ---- SHA-1: names contents for git, and secures nothing ----------------------------------------
 */

typedef struct sha1 {
        uint32_t state[5];
        unsigned char block[64];
        size_t n; /* bytes in the block */
        uint64_t len;
} sha1;

static uint32_t rotate(uint32_t x, int by)
{
        return x << by | x >> (32 - by);
}

static uint32_t choose(int round, const uint32_t v[5])
{
        switch (round / 20) {
        case 0:
                return ((v[1] & v[2]) | (~v[1] & v[3])) + 0x5a827999;
        case 1:
                return (v[1] ^ v[2] ^ v[3]) + 0x6ed9eba1;
        case 2:
                return ((v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])) + 0x8f1bbcdc;
        default:
                return (v[1] ^ v[2] ^ v[3]) + 0xca62c1d6;
        }
}

static void sha1_block(sha1 *s)
{
        uint32_t w[80], v[5];

        for (int i = 0; i < 16; i++)
                w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
                       (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
        for (int i = 16; i < 80; i++)
                w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        memcpy(v, s->state, sizeof v);
        for (int i = 0; i < 80; i++) {
                const uint32_t next = rotate(v[0], 5) + choose(i, v) + v[4] + w[i];
                v[4] = v[3];
                v[3] = v[2];
                v[2] = rotate(v[1], 30);
                v[1] = v[0];
                v[0] = next;
        }
        for (int i = 0; i < 5; i++)
                s->state[i] += v[i];
        s->n = 0;
}

static void sha1_add(sha1 *s, const void *data, size_t len)
{
        const unsigned char *at = data;

        s->len += len;
        for (size_t i = 0; i < len; i++) {
                s->block[s->n++] = at[i];
                if (s->n == sizeof s->block)
                        sha1_block(s);
        }
}

static void sha1_end(sha1 *s, char hex[41])
{
        const uint64_t bits = s->len * 8;
        unsigned char end[8];

        for (int i = 0; i < 8; i++)
                end[i] = (unsigned char)(bits >> (56 - 8 * i));
        sha1_add(s, "\x80", 1);
        while (s->n != 56)
                sha1_add(s, "", 1);
        sha1_add(s, end, sizeof end);
        for (int i = 0; i < 5; i++)
                snprintf(hex + 8 * i, 9, "%08x", (unsigned)s->state[i]);
}

static void add_id(pawl__buf *out, pawl_text content)
{
        sha1 s = {.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
        char head[40], hex[41];

        if (!content.data) {
                pawl__buf_addf(out, "%040d", 0);
                return;
        }
        sha1_add(&s, head, (size_t)snprintf(head, sizeof head, "blob %zu", content.len) + 1);
        sha1_add(&s, content.data, content.len);
        sha1_end(&s, hex);
        pawl__buf_adds(out, hex);
}

void pawl__binary_index(pawl__buf *out, pawl_text before, pawl_text after)
{
        pawl__buf_adds(out, "index ");
        add_id(out, before);
        pawl__buf_adds(out, "..");
        add_id(out, after);
        pawl__buf_addc(out, '\n');
}

/* ---- Lines of base 85 ------------------------------------------------------------------------ */

typedef struct line {
        pawl__buf *out;
        unsigned char bytes[52];
        size_t n;
} line;

static void line_end(line *l)
{
        static const char digits[] =
                "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

        if (l->n == 0)
                return;
        memset(l->bytes + l->n, 0, sizeof l->bytes - l->n);
        pawl__buf_addc(l->out, (char)(l->n <= 26 ? 'A' + l->n - 1 : 'a' + l->n - 27));
        for (size_t i = 0; i < l->n; i += 4) {
                uint32_t word = (uint32_t)l->bytes[i] << 24 | (uint32_t)l->bytes[i + 1] << 16 |
                                (uint32_t)l->bytes[i + 2] << 8 | l->bytes[i + 3];
                char five[5];
                for (int k = 4; k >= 0; k--, word /= 85)
                        five[k] = digits[word % 85];
                pawl__buf_add(l->out, five, sizeof five);
        }
        pawl__buf_addc(l->out, '\n');
        l->n = 0;
}

static void line_add(line *l, const void *data, size_t len)
{
        const unsigned char *at = data;

        while (len > 0) {
                const size_t room = sizeof l->bytes - l->n, n = len < room ? len : room;
                memcpy(l->bytes + l->n, at, n);
                l->n += n;
                at += n;
                len -= n;
                if (l->n == sizeof l->bytes)
                        line_end(l);
        }
}

/* ---- One side -------------------------------------------------------------------------------- */

static uint32_t adler32(pawl_text content)
{
        uint32_t a = 1, b = 0;

        for (size_t i = 0; i < content.len; i++) {
                a = (a + (unsigned char)content.data[i]) % 65521;
                b = (b + a) % 65521;
        }
        return b << 16 | a;
}

static void add_literal(pawl__buf *out, pawl_text content)
{
        enum { BLOCK = 65535 };
        const uint32_t sum = adler32(content);
        const unsigned char end[] = {(unsigned char)(sum >> 24), (unsigned char)(sum >> 16),
                (unsigned char)(sum >> 8), (unsigned char)sum};
        line l = {.out = out};
        size_t at = 0;

        pawl__buf_addf(out, "literal %zu\n", content.len);
        line_add(&l, "\x78\x01", 2);
        do {
                const size_t left = content.len - at, n = left < BLOCK ? left : BLOCK;
                const unsigned char head[] = {n == left, (unsigned char)n, (unsigned char)(n >> 8),
                        (unsigned char)~n, (unsigned char)(~n >> 8)};
                line_add(&l, head, sizeof head);
                if (n > 0)
                        line_add(&l, content.data + at, n);
                at += n;
        } while (at < content.len);
        line_add(&l, end, sizeof end);
        line_end(&l);
        pawl__buf_addc(out, '\n');
}

void pawl__binary_patch(pawl__buf *out, pawl_text before, pawl_text after)
{
        pawl__buf_adds(out, "GIT binary patch\n");
        add_literal(out, after);
        add_literal(out, before);
}

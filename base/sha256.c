#include "base/sha256.h"
#include <string.h>

/* FIPS 180-4, 4.2.2 */
static const uint32_t K[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
        0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
        0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6,
        0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
        0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
        0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
        0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
        0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t rotr(uint32_t x, unsigned n)
{
        return x >> n | x << (32 - n);
}

static inline uint32_t load(const unsigned char *p)
{
        return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The next word of the schedule, in the place of the one that is no longer needed. */
static inline uint32_t schedule(uint32_t w[16], unsigned t)
{
        const uint32_t w15 = w[(t + 1) & 15], w2 = w[(t + 14) & 15];

        return w[t & 15] += w[(t + 9) & 15] + (rotr(w15, 7) ^ rotr(w15, 18) ^ w15 >> 3) +
                            (rotr(w2, 17) ^ rotr(w2, 19) ^ w2 >> 10);
}

/* 6.2.2 */
static void compress(uint32_t h[8], const unsigned char block[64])
{
        uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], i = h[7];
        uint32_t w[16];

        for (unsigned t = 0; t < 64; t++) {
                const uint32_t next =
                        t < 16 ? (w[t] = load(block + (size_t)4 * t)) : schedule(w, t);
                const uint32_t t1 = i + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                                    ((e & f) ^ (~e & g)) + K[t] + next;
                const uint32_t t2 =
                        (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
                i = g;
                g = f;
                f = e;
                e = d + t1;
                d = c;
                c = b;
                b = a;
                a = t1 + t2;
        }
        h[0] += a;
        h[1] += b;
        h[2] += c;
        h[3] += d;
        h[4] += e;
        h[5] += f;
        h[6] += g;
        h[7] += i;
}

void pawl__sha256_begin(pawl__sha256_state *s)
{
        *s = (pawl__sha256_state){{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                          0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                0, {0}};
}

void pawl__sha256_add(pawl__sha256_state *s, const void *data, size_t len)
{
        const unsigned char *p = data;
        size_t waiting = s->len % 64;

        s->len += len;
        while (len) {
                if (!waiting && len >= 64) {
                        compress(s->h, p);
                        p += 64;
                        len -= 64;
                        continue;
                }
                const size_t n = len < 64 - waiting ? len : 64 - waiting;
                memcpy(s->block + waiting, p, n);
                p += n;
                len -= n;
                waiting = (waiting + n) % 64;
                if (!waiting)
                        compress(s->h, s->block);
        }
}

void pawl__sha256_end(pawl__sha256_state *s, unsigned char out[32])
{
        static const unsigned char padding[64] = {0x80};
        const uint64_t bits = s->len * 8;
        unsigned char length[8];

        for (unsigned i = 0; i < 8; i++)
                length[i] = (unsigned char)(bits >> (56 - 8 * i));
        pawl__sha256_add(s, padding, 1 + (119 - s->len % 64) % 64);
        pawl__sha256_add(s, length, sizeof length);
        for (unsigned i = 0; i < 32; i++)
                out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

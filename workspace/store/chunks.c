/* Where a large content is cut, and the list of its chunks (workspace/store/chunks.h). */
#include "workspace/store/chunks.h"

static const char magic[PAWL__CHUNKS_MAGIC] = {'P', 'W', 'L', 1};

/* ---- Boundaries ------------------------------------------------------------------------------ */

enum { WINDOW = 64 }; /* bytes that h depends on */

static const uint64_t BELOW_NORMAL = UINT64_C(0xfffff) << 44, ABOVE_NORMAL = UINT64_C(0x1ffff)
                                                                             << 47;

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
void pawl__chunk_cutter_init(pawl__chunk_cutter *cutter)
{
        uint64_t state = 0;

        for (size_t i = 0; i < 256; i++) {
                uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
                z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
                z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
                cutter->gear[i] = z ^ (z >> 31);
        }
}

size_t pawl__chunk_cut(const pawl__chunk_cutter *cutter, const char *data, size_t len)
{
        const unsigned char *bytes = (const unsigned char *)data;
        const size_t end = len < PAWL__CHUNK_MAX ? len : PAWL__CHUNK_MAX;
        uint64_t h = 0;
        size_t i = PAWL__CHUNK_MIN - WINDOW;

        if (end <= PAWL__CHUNK_MIN)
                return end;
        while (i < PAWL__CHUNK_MIN - 1)
                h = (h << 1) + cutter->gear[bytes[i++]];
        for (const size_t normal = end < PAWL__CHUNK_NORMAL - 1 ? end : PAWL__CHUNK_NORMAL - 1;
                i < normal;) {
                h = (h << 1) + cutter->gear[bytes[i++]];
                if (!(h & BELOW_NORMAL))
                        return i;
        }
        while (i < end) {
                h = (h << 1) + cutter->gear[bytes[i++]];
                if (!(h & ABOVE_NORMAL))
                        return i;
        }
        return end;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

bool pawl__chunks_is_list(pawl_text data)
{
        return data.len >= sizeof magic && memcmp(data.data, magic, sizeof magic) == 0;
}

size_t pawl__chunks_count(pawl_text list)
{
        return list.len < sizeof magic ? 0 : (list.len - sizeof magic) / PAWL__CHUNKS_ENTRY;
}

pawl__chunk pawl__chunks_at(pawl_text list, size_t i)
{
        const char *at = list.data + sizeof magic + i * PAWL__CHUNKS_ENTRY;
        pawl__chunk chunk = {.len = 0};

        memcpy(chunk.hash, at, 32);
        for (size_t byte = 0; byte < 4; byte++)
                chunk.len |= (uint32_t)(unsigned char)at[32 + byte] << 8 * byte;
        return chunk;
}

bool pawl__chunks_valid(pawl_text list, uint64_t size)
{
        uint64_t sum = 0;

        if (!pawl__chunks_is_list(list) || list.len < sizeof magic + PAWL__CHUNKS_SUM ||
                (list.len - sizeof magic - PAWL__CHUNKS_SUM) % PAWL__CHUNKS_ENTRY != 0)
                return false;
        list.len -= PAWL__CHUNKS_SUM;
        const size_t n = pawl__chunks_count(list);
        for (size_t i = 0; i < n; i++) {
                const uint32_t len = pawl__chunks_at(list, i).len;
                if (len > PAWL__CHUNK_MAX || len == 0 || (len < PAWL__CHUNK_MIN && i + 1 < n))
                        return false;
                sum += len;
        }
        return sum == size;
}

void pawl__chunks_begin(pawl__buf *list)
{
        pawl__buf_clear(list);
        pawl__buf_add(list, magic, sizeof magic);
}

void pawl__chunks_add(pawl__buf *list, const pawl__chunk *chunk)
{
        pawl__buf_add(list, chunk->hash, 32);
        for (size_t byte = 0; byte < 4; byte++)
                pawl__buf_addc(list, (char)(unsigned char)(chunk->len >> 8 * byte));
}

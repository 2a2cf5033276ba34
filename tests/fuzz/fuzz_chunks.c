/* Any bytes as a list of chunks. One that is valid has chunks of the sizes that the format allows,
 * which add up, and encodes to the same bytes. Any bytes are cut, too. */
#include "fuzz/fuzzing.h"
#include "workspace/store/chunks.h"

static uint64_t add_up(pawl_text list, size_t n)
{
        uint64_t size = 0;

        for (size_t i = 0; i < n; i++)
                size += pawl__chunks_at(list, i).len;
        return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const pawl_text list = {(const char *)data, size};
        const size_t n = pawl__chunks_count(list);
        const uint64_t sum = add_up(list, n);
        pawl__buf again = PAWL__BUF_INIT;
        pawl__chunk_cutter cutter;

        require(n * PAWL__CHUNKS_ENTRY <= size);
        require(!pawl__chunks_valid(list, sum + 1));
        if (pawl__chunks_valid(list, sum)) {
                require(pawl__chunks_is_list(list));
                pawl__chunks_begin(&again);
                for (size_t i = 0; i < n; i++) {
                        const pawl__chunk chunk = pawl__chunks_at(list, i);
                        require(chunk.len > 0 && chunk.len <= PAWL__CHUNK_MAX);
                        require(chunk.len >= PAWL__CHUNK_MIN || i == n - 1);
                        pawl__chunks_add(&again, &chunk);
                }
                require(!again.failed && again.len + PAWL__CHUNKS_SUM == size &&
                        memcmp(again.data, data, again.len) == 0);
                pawl__buf_free(&again);
        }
        pawl__chunk_cutter_init(&cutter);
        const size_t len = pawl__chunk_cut(&cutter, list.data, size);
        require(len <= size && (len > 0 || size == 0) && len <= PAWL__CHUNK_MAX);
        return 0;
}

/* Any bytes as the heads of a pack. What is read is of its form and encodes to the same bytes; what
 * is refused stays refused. */
#include "fuzz/fuzzing.h"
#include "workspace/store/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        pawl__pack_reader reader = {.heads = {(const char *)data, size}};
        pawl__buf again = PAWL__BUF_INIT;
        pawl__pack_member member, same;
        pawl_status status;
        size_t frame = 0;
        int64_t n = 0;

        while ((status = pawl__pack_next(&member, &reader)) == PAWL_OK) {
                require(member.step <= PAWL__PACK_STEPS && member.at == frame);
                require(n < PAWL__PACK_MEMBERS);
                frame += member.len;
                pawl__pack_add(&again, &member);
                require(pawl__pack_at(&same, reader.heads, n++) == PAWL_OK);
                require(same.size == member.size && same.len == member.len && same.at == member.at);
        }
        require(pawl__pack_at(&same, reader.heads, n) == PAWL_EDAMAGED);
        require(!again.failed && again.len <= size &&
                (!again.len || memcmp(again.data, data, again.len) == 0));
        if (status == PAWL_DONE) {
                require(again.len == size);
        } else {
                require(status == PAWL_EDAMAGED);
                require(pawl__pack_next(&member, &reader) == PAWL_EDAMAGED);
        }
        pawl__buf_free(&again);
        return 0;
}

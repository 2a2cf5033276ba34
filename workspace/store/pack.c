/* The heads of a pack, as workspace/store/pack.h gives them. */
#include "workspace/store/pack.h"

static void add_number(pawl__buf *heads, uint64_t number)
{
        for (; number > 0x7f; number >>= 7)
                pawl__buf_addc(heads, (char)(unsigned char)(number | 0x80));
        pawl__buf_addc(heads, (char)(unsigned char)number);
}

void pawl__pack_add(pawl__buf *heads, const pawl__pack_member *member)
{
        pawl__buf_addc(heads, (char)(unsigned char)member->step);
        add_number(heads, member->size);
        add_number(heads, member->len);
        if (member->step)
                pawl__buf_add(heads, member->base, PAWL__PACK_BASE);
}

/* Up to 2^56 - 1, in as few bytes as it takes. */
static bool read_number(uint64_t *out, pawl_text heads, size_t *at)
{
        uint64_t number = 0;

        for (unsigned shift = 0; shift < 56 && *at < heads.len; shift += 7) {
                const unsigned char byte = (unsigned char)heads.data[(*at)++];
                number |= (uint64_t)(byte & 0x7f) << shift;
                if (byte & 0x80)
                        continue;
                *out = number;
                return byte || !shift;
        }
        return false;
}

pawl_status pawl__pack_next(pawl__pack_member *out, pawl__pack_reader *reader)
{
        const pawl_text heads = reader->heads;
        pawl__pack_member member = {.at = reader->frame};
        uint64_t len;
        size_t at = reader->at;

        if (at == heads.len)
                return PAWL_DONE;
        member.step = (unsigned char)heads.data[at++];
        if (member.step > PAWL__PACK_STEPS || reader->n == PAWL__PACK_MEMBERS ||
                !read_number(&member.size, heads, &at) || !read_number(&len, heads, &at) ||
                len > SIZE_MAX - reader->frame)
                return PAWL_EDAMAGED;
        member.len = (size_t)len;
        if (member.step) {
                if (heads.len - at < PAWL__PACK_BASE)
                        return PAWL_EDAMAGED;
                memcpy(member.base, heads.data + at, PAWL__PACK_BASE);
                at += PAWL__PACK_BASE;
        }
        reader->at = at;
        reader->frame += member.len;
        reader->n++;
        *out = member;
        return PAWL_OK;
}

pawl_status pawl__pack_at(pawl__pack_member *out, pawl_text heads, int64_t at)
{
        pawl__pack_reader reader = {.heads = heads};
        pawl__pack_member member;
        pawl_status status = PAWL_OK;

        for (int64_t i = 0; i <= at && !status; i++)
                status = pawl__pack_next(&member, &reader);
        if (status)
                return PAWL_EDAMAGED;
        *out = member;
        return PAWL_OK;
}

/* Contents as differences from others: which one a content is best compressed with. */
#include "base/error.h"
#include "workspace/store/contents_internal.h"

/* A content below is not worth the hash of its base. */
enum { LEAST = 128 };

/* ---- What a content is a difference from ----------------------------------------------------- */

/* A content's step, and where it is. PAWL_DONE: it is not there. */
static pawl_status look_up(pawl__pack_member *out, pawl__delta *found, pawl__contents *c,
        const unsigned char hash[32], pawl_error *err)
{
        const pawl__cached_pack *pack;
        bool has;
        pawl_status status =
                pawl__log_failed(c->log, pawl__log_packed_get(&found->place, c->log, hash), err);

        if (status)
                return status;
        memcpy(found->base, hash, PAWL__PACK_BASE);
        if (found->place.pack) {
                status = pawl__contents_cached(&pack, c, found->place.pack, err);
                return status ? status
                              : pawl__pack_at(out, pawl__buf_text(&pack->heads), found->place.at);
        }
        *out = (pawl__pack_member){.step = 0};
        status = pawl__contents_has(&has, c, hash, err);
        return status || has ? status : PAWL_DONE;
}

/* To the whole one that the current content is a difference from, by way of others. */
static pawl_status go_to_whole(pawl__pack_member *member, pawl__delta *found,
        unsigned char hash[32], pawl__contents *c, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (int i = 0; member->step && !status; i++) {
                pawl__pack_place place;
                if (i == PAWL__PACK_WAY)
                        return PAWL_DONE;
                status = pawl__log_failed(
                        c->log, pawl__log_content_find(hash, &place, c->log, member->base), err);
                if (!status)
                        status = look_up(member, found, c, hash, err);
        }
        return status;
}

/* Let c->base be the content that one which resembles @p like is to be a difference from. */
static pawl_status find_base(
        pawl__delta *out, pawl__contents *c, const unsigned char like[32], pawl_error *err)
{
        pawl__delta found = {.step = 0};
        pawl__pack_member member;
        unsigned char hash[32];

        memcpy(hash, like, 32);
        pawl_status status = look_up(&member, &found, c, hash, err);
        if (status)
                return status;
        const unsigned step = member.step + 1;
        if (step > PAWL__PACK_STEPS)
                return PAWL_DONE;
        if (step % PAWL__PACK_RUN == 1)
                status = go_to_whole(&member, &found, hash, c, err);
        if (!status)
                status = pawl__contents_load(&c->base, c, hash, err);
        if (status)
                return status;
        found.step = step;
        *out = found;
        return PAWL_OK;
}

/* A difference is kept where it is less than half of the whole one; how much that would
 * be is found out unless the difference is an eighth of the content itself. */
static pawl_status compare(bool *worth, pawl__buf *out, size_t start, pawl__contents *c,
        pawl_text content, pawl_error *err)
{
        const size_t delta = out->len - start + PAWL__PACK_BASE;

        *worth = delta < content.len / 8;
        if (*worth)
                return PAWL_OK;
        pawl__buf_clear(&c->other);
        pawl_status status =
                pawl__contents_compress(&c->other, c, content, (pawl_text){NULL, 0}, err);
        if (status)
                return status;
        *worth = delta < c->other.len / 2;
        if (*worth)
                return PAWL_OK;
        out->len = start;
        return pawl__buf_add(out, c->other.data, c->other.len) ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__contents_encode(pawl__buf *out, pawl__delta *delta, pawl__contents *c,
        pawl_text content, const unsigned char *like, pawl_error *err)
{
        const size_t start = out->len;
        pawl__delta found = {.step = 0};
        pawl_error why = PAWL_ERROR_INIT;
        pawl_status status = PAWL_DONE;
        bool worth = false;

        *delta = found;
        if (like && content.len >= LEAST && content.len <= PAWL__PART_SIZE)
                status = find_base(&found, c, like, &why);
        if (status == PAWL_DONE || status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                return pawl__contents_compress(out, c, content, (pawl_text){NULL, 0}, err);
        if (status) {
                if (err)
                        *err = why;
                return status;
        }
        status = pawl__contents_compress(out, c, content, pawl__buf_text(&c->base), err);
        if (!status)
                status = compare(&worth, out, start, c, content, err);
        if (!status && worth)
                *delta = found;
        return status;
}

pawl_status pawl__contents_base_valid(
        bool *stands, pawl__contents *c, const pawl__delta *delta, pawl_error *err)
{
        unsigned char hash[32];
        pawl__pack_place place;

        *stands = true;
        if (!delta->step)
                return PAWL_OK;
        const pawl_status status = pawl__log_content_find(hash, &place, c->log, delta->base);
        *stands = !status && place.pack == delta->place.pack && place.at == delta->place.at;
        return status == PAWL_ENOTFOUND ? PAWL_OK : pawl__log_failed(c->log, status, err);
}

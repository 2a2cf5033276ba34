/* Contents in packs: read by way of what they are a difference from; put until a pack is full. */
#include "base/error.h"
#include "workspace/store/contents_internal.h"

static const char magic[4] = {'\x28', '\xb5', '\x2f', '\xfd'};

/* ---- Packs that were read lately ------------------------------------------------------------- */

void pawl__contents_forget(pawl__contents *c)
{
        for (size_t i = 0; i < PAWL__PACKS_CACHED; i++)
                c->cache[i].pack = 0;
        for (size_t i = 0; i < PAWL__DIRECTORIES_CACHED; i++)
                c->directories[i].used = 0;
        free(c->verified);
        c->verified = NULL;
}

pawl_status pawl__contents_cached(
        const pawl__cached_pack **out, pawl__contents *c, int64_t pack, pawl_error *err)
{
        pawl__cached_pack *slot = &c->cache[0];

        for (size_t i = 0; i < PAWL__PACKS_CACHED; i++) {
                if (c->cache[i].pack == pack) {
                        slot = &c->cache[i];
                        break;
                }
                if (c->cache[i].used < slot->used)
                        slot = &c->cache[i];
        }
        slot->used = ++c->uses;
        *out = slot;
        if (slot->pack == pack)
                return PAWL_OK;
        slot->pack = 0;
        pawl__buf_clear(&slot->heads);
        pawl__buf_clear(&slot->data);
        const pawl_status status = pawl__log_failed(
                c->log, pawl__log_pack_get(&slot->heads, &slot->data, c->log, pack), err);
        if (!status)
                slot->pack = pack;
        return status == PAWL_ENOTFOUND ? PAWL_EDAMAGED : status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The frame of a content with its magic, into c->packed, and what it is. */
static pawl_status read_frame(pawl__pack_member *out, pawl__contents *c, pawl__pack_place place,
        const unsigned char hash[32], pawl_error *err)
{
        static const char what[] = "its pack is damaged";
        const pawl__cached_pack *pack;
        pawl__pack_member member;
        pawl_status status = pawl__contents_cached(&pack, c, place.pack, err);

        if (status)
                return status == PAWL_EDAMAGED ? pawl__contents_damaged(hash, what, err) : status;
        if (pawl__pack_at(&member, pawl__buf_text(&pack->heads), place.at) ||
                member.size > PAWL__PART_SIZE || member.at > pack->data.len ||
                member.len > pack->data.len - member.at)
                return pawl__contents_damaged(hash, what, err);
        pawl__buf_clear(&c->packed);
        pawl__buf_add(&c->packed, magic, sizeof magic);
        pawl__buf_add(&c->packed, pack->data.data + member.at, member.len);
        *out = member;
        return pawl__buf_check(&c->packed, err);
}

pawl_status pawl__contents_frame(pawl__delta *delta, uint64_t *size, pawl__contents *c,
        pawl__pack_place place, const unsigned char hash[32], pawl_error *err)
{
        pawl__pack_member member = {.step = 0}; /* gcc -O3 does not see that it is set */
        const pawl_status status = read_frame(&member, c, place, hash, err);

        if (status)
                return status;
        *delta = (pawl__delta){.step = member.step};
        memcpy(delta->base, member.base, PAWL__PACK_BASE);
        *size = member.size;
        return PAWL_OK;
}

/* The way from a content to a whole one: where each on it is. */
struct way {
        pawl__pack_place places[PAWL__PACK_WAY];
        size_t n;
        bool in_parts; /* the whole one, which is not among them, is in parts: */
        unsigned char whole[32];
};

static pawl_status find_way(
        struct way *way, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        pawl__pack_member member = {.step = 0};
        pawl__pack_place place;
        pawl_status status =
                pawl__log_failed(c->log, pawl__log_packed_get(&place, c->log, hash), err);

        way->n = 0;
        memcpy(way->whole, hash, 32);
        while (!status && place.pack) {
                if (way->n == PAWL__PACK_WAY)
                        return pawl__contents_damaged(
                                hash, "it is a difference from too many others", err);
                way->places[way->n++] = place;
                status = read_frame(&member, c, place, hash, err);
                if (status || !member.step)
                        break;
                status = pawl__log_content_find(way->whole, &place, c->log, member.base);
                if (status == PAWL_ENOTFOUND)
                        return pawl__contents_damaged(
                                hash, "what it is a difference from is not in the log", err);
                status = pawl__log_failed(c->log, status, err);
        }
        way->in_parts = !status && !place.pack;
        return status;
}

/* The whole content that the way leads to, which is in one part. */
static pawl_status load_part(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        uint64_t size = 0;

        pawl__buf_clear(&c->packed);
        pawl_status status = pawl__log_failed(
                c->log, pawl__log_content_get(&c->packed, &size, c->log, hash, 0), err);
        if (!status && size > PAWL__PART_SIZE)
                return pawl__contents_damaged(hash, "it is larger than a part", err);
        if (!status)
                status = pawl__contents_decompress(out, c, pawl__buf_text(&c->packed),
                        (pawl_text){NULL, 0}, (size_t)size, err);
        return status;
}

static pawl_status unpack(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        static const char what[] = "it, or what it is a difference from, cannot be unpacked";
        struct way way;
        pawl__buf *from = &c->other, *to = out;
        pawl_status status = find_way(&way, c, hash, err);

        pawl__buf_clear(from);
        pawl__buf_clear(to);
        if (!status && way.in_parts) {
                status = load_part(way.n % 2 ? from : to, c, way.whole, err);
        }
        for (size_t i = way.n; i-- > 0 && !status;) {
                pawl__pack_member member = {.step = 0};
                from = i % 2 ? out : &c->other;
                to = i % 2 ? &c->other : out;
                status = read_frame(&member, c, way.places[i], hash, err);
                if (!status)
                        status = pawl__contents_decompress(to, c, pawl__buf_text(&c->packed),
                                member.step ? pawl__buf_text(from) : (pawl_text){NULL, 0},
                                (size_t)member.size, err);
        }
        return status == PAWL_EDAMAGED && (!err || !*err->message)
                       ? pawl__contents_damaged(hash, what, err)
                       : status;
}

pawl_status pawl__contents_load(
        pawl__buf *out, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        pawl_status status = PAWL_EDAMAGED;

        /* What was read lately may be of a transaction that failed, or of a pack that went. */
        for (int i = 0; i < 2 && status == PAWL_EDAMAGED; i++) {
                unsigned char found[32];
                pawl_error why = PAWL_ERROR_INIT;
                status = unpack(out, c, hash, &why);
                if (!status)
                        status = pawl__sha256(c->hasher, found, out->data, out->len, &why);
                if (!status && memcmp(found, hash, 32) != 0)
                        status = pawl__contents_damaged(hash, "it is not what its hash says", &why);
                if (status && err)
                        *err = why;
                if (status == PAWL_EDAMAGED)
                        pawl__contents_forget(c);
        }
        return status;
}

/* ---- Putting --------------------------------------------------------------------------------- */

void pawl__contents_reset(pawl__contents *c)
{
        pawl__buf_clear(&c->heads);
        pawl__buf_clear(&c->frames);
        pawl__buf_clear(&c->hashes);
        c->last_pack = 0;
}

bool pawl__contents_waits(const pawl__contents *c, const unsigned char hash[32])
{
        for (size_t i = 0; i < c->hashes.len; i += 32)
                if (memcmp(c->hashes.data + i, hash, 32) == 0)
                        return true;
        return false;
}

/* A pack of what is in these buffers, with a number of its own. */
static pawl_status put_pack(
        int64_t *pack, pawl__contents *c, pawl_text heads, pawl_text frames, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (!c->last_pack)
                status = pawl__log_pack_last(&c->last_pack, c->log);
        if (!status)
                status = pawl__log_pack_put(c->log, ++c->last_pack, heads, frames);
        *pack = c->last_pack;
        return pawl__log_failed(c->log, status, err);
}

pawl_status pawl__contents_flush(pawl__contents *c, pawl_error *err)
{
        pawl__pack_place place = {0, 0};

        if (c->hashes.len == 0)
                return PAWL_OK;
        pawl_status status = put_pack(
                &place.pack, c, pawl__buf_text(&c->heads), pawl__buf_text(&c->frames), err);
        for (size_t i = 0; i < c->hashes.len && !status; i += 32, place.at++)
                status = pawl__log_failed(c->log,
                        pawl__log_packed_put(
                                c->log, (const unsigned char *)c->hashes.data + i, place),
                        err);
        pawl__buf_clear(&c->heads);
        pawl__buf_clear(&c->frames);
        pawl__buf_clear(&c->hashes);
        return status;
}

/* A pack of one content. */
static pawl_status put_alone(pawl__contents *c, const unsigned char hash[32],
        const pawl__pack_member *member, pawl_text frame, pawl_error *err)
{
        pawl__pack_place place = {0, 0};
        pawl__buf head = PAWL__BUF_INIT;

        pawl__pack_add(&head, member);
        pawl_status status = pawl__buf_check(&head, err);
        if (!status)
                status = put_pack(&place.pack, c, pawl__buf_text(&head), frame, err);
        if (!status)
                status = pawl__log_failed(c->log, pawl__log_packed_put(c->log, hash, place), err);
        pawl__buf_free(&head);
        return status;
}

pawl_status pawl__contents_add(pawl__contents *c, const unsigned char hash[32], uint64_t size,
        pawl_text frame, const pawl__delta *delta, pawl_error *err)
{
        const pawl_text stored = {frame.data + sizeof magic, frame.len - sizeof magic};
        pawl__pack_member member = {.step = delta->step, .size = size, .len = stored.len};

        if (size > PAWL__PART_SIZE || (!delta->step && frame.len > PAWL__FRAME_LARGE))
                return pawl__contents_put(c, hash, 0, size, frame, err);
        memcpy(member.base, delta->base, PAWL__PACK_BASE);
        if (frame.len < PAWL__FRAME_SMALL)
                return put_alone(c, hash, &member, stored, err);
        pawl__pack_add(&c->heads, &member);
        pawl__buf_add_text(&c->frames, stored);
        pawl__buf_add(&c->hashes, hash, 32);
        pawl_status status = pawl__buf_check(&c->heads, err);
        if (!status)
                status = pawl__buf_check(&c->frames, err);
        if (!status)
                status = pawl__buf_check(&c->hashes, err);
        if (!status && (c->frames.len >= PAWL__FRAMES_FULL ||
                               c->hashes.len == (size_t)32 * PAWL__PACK_MEMBERS))
                status = pawl__contents_flush(c, err);
        return status;
}

pawl_status pawl__contents_damaged(const unsigned char hash[32], const char *what, pawl_error *err)
{
        char hex[65];

        pawl__hex(hex, hash, 32);
        return pawl__fail(err, PAWL_EDAMAGED,
                "content %.16s: %s; import an archive that has it, or put back a copy of the log",
                hex, what);
}

pawl_status pawl__contents_has(
        bool *has, pawl__contents *c, const unsigned char hash[32], pawl_error *err)
{
        pawl__pack_place place;

        *has = pawl__contents_waits(c, hash);
        if (*has)
                return PAWL_OK;
        pawl_status status = pawl__log_packed_get(&place, c->log, hash);
        if (!status && place.pack)
                *has = true;
        else if (!status)
                status = pawl__log_content_has(has, c->log, hash);
        return pawl__log_failed(c->log, status, err);
}

pawl_status pawl__contents_put(pawl__contents *c, const unsigned char hash[32], uint32_t part,
        uint64_t size, pawl_text packed, pawl_error *err)
{
        return pawl__log_failed(c->log,
                pawl__log_content_put(c->log, hash, part, size, packed.data, packed.len), err);
}

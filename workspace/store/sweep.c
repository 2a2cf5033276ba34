/* Contents in packs and in rows of their own, all of them. See workspace/store/sweep.h. */
#include "workspace/store/sweep.h"
#include "base/error.h"
#include "workspace/store/contents_internal.h"
#include <stdlib.h>

/* A content in a pack. */
struct member {
        unsigned char hash[32];
        uint32_t at;
        bool stays, lost; /* lost: what it is a difference from goes */
        bool difference;
        unsigned char base[PAWL__PACK_BASE];
};

struct pack {
        int64_t number;
        size_t first, n;                /* members */
        unsigned heads;                 /* how many contents its heads name */
        bool damaged, rewritten, stays; /* stays: some of its members do */
};

struct sweep {
        pawl__contents *contents;
        pawl__keeps_fn keeps;
        pawl__content_fn fn; /* of pawl__contents_each() */
        void *user;
        struct pack *packs;
        size_t n_packs, cap_packs;
        struct member *members;
        size_t n, cap;
        pawl__buf stay, drops; /* hashes, 32 bytes each, of contents in parts */
        pawl__map halves;      /* the first halves of all hashes that stay */
        pawl__buf heads;       /* of the current pack */
        pawl__pack_reader reader;
        int64_t pack; /* its number; 0: none yet */
        bool damaged; /* its heads cannot be read from here on */
        pawl__swept out;
};

/* ---- Through the packs ----------------------------------------------------------------------- */

/* The head of the content at that place, of the current pack. */
static pawl_status find_head(
        pawl__pack_member *out, struct sweep *s, pawl__pack_place place, pawl_error *err)
{
        pawl_log *log = s->contents->log;
        pawl__pack_member member = {.step = 0};

        if (place.pack != s->pack) {
                pawl__buf_clear(&s->heads);
                const pawl_status status = pawl__log_pack_get(&s->heads, NULL, log, place.pack);
                if (status && status != PAWL_ENOTFOUND && status != PAWL_EDAMAGED)
                        return pawl__log_failed(log, status, err);
                s->reader = (pawl__pack_reader){.heads = pawl__buf_text(&s->heads)};
                s->pack = place.pack;
                s->damaged = status != PAWL_OK;
        }
        while (!s->damaged && (int64_t)s->reader.n <= place.at)
                s->damaged = pawl__pack_next(&member, &s->reader) != PAWL_OK;
        if (s->damaged || member.size > PAWL__PART_SIZE || member.len > UINT32_MAX)
                member = (pawl__pack_member){.step = 0};
        *out = member;
        return PAWL_OK;
}

static pawl_status tell(const unsigned char hash[32], pawl__pack_place place, void *user)
{
        struct sweep *s = user;
        pawl__pack_member member = {.step = 0};
        const pawl_status status = find_head(&member, s, place, pawl__log_error(s->contents->log));

        return status ? status : s->fn(hash, member.size, member.len, 1, s->user);
}

pawl_status pawl__contents_each(pawl__contents *c, pawl__content_fn fn, void *user, pawl_error *err)
{
        struct sweep s = {.contents = c, .fn = fn, .user = user};
        pawl_status status = pawl__log_packed_each(c->log, tell, &s);

        if (!status)
                status = pawl__log_content_each(c->log, fn, user);
        pawl__buf_free(&s.heads);
        return pawl__log_failed(c->log, status, err);
}

/* ---- What goes ------------------------------------------------------------------------------- */

/* All heads of the last pack were gone through. */
static void end_pack(struct sweep *s)
{
        struct pack *pack = s->n_packs ? &s->packs[s->n_packs - 1] : NULL;
        pawl__pack_member rest;
        pawl_status status = PAWL_OK;

        if (!pack)
                return;
        while (!s->damaged && (status = pawl__pack_next(&rest, &s->reader)) == PAWL_OK)
                ;
        pack->damaged = s->damaged || status == PAWL_EDAMAGED;
        pack->n = s->n - pack->first;
        pack->rewritten = s->reader.n != pack->n;
}

static pawl_status begin_pack(struct sweep *s, int64_t number, pawl_error *err)
{
        end_pack(s);
        if (pawl__grow(&s->packs, &s->cap_packs, s->n_packs + 1, sizeof *s->packs))
                return pawl__nomem(err);
        s->packs[s->n_packs++] = (struct pack){.number = number, .first = s->n};
        return PAWL_OK;
}

static pawl_status collect(const unsigned char hash[32], pawl__pack_place place, void *user)
{
        struct sweep *s = user;
        pawl_error *err = pawl__log_error(s->contents->log);
        pawl__pack_member member = {.step = 0};
        pawl_status status = PAWL_OK;

        if (place.pack != s->pack)
                status = begin_pack(s, place.pack, err);
        if (!status)
                status = find_head(&member, s, place, err);
        if (status)
                return status;
        if (pawl__grow(&s->members, &s->cap, s->n + 1, sizeof *s->members))
                return pawl__nomem(err);
        struct member *it = &s->members[s->n++];
        *it = (struct member){.at = (uint32_t)place.at,
                .stays = s->keeps(hash, s->user),
                .difference = member.step > 0};
        memcpy(it->hash, hash, 32);
        memcpy(it->base, member.base, sizeof it->base);
        if (!it->stays) {
                s->out.contents++;
                s->out.bytes += member.len;
        }
        return PAWL_OK;
}

static pawl_status take_out(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        struct sweep *s = user;

        (void)size, (void)parts;
        const bool stays = s->keeps(hash, s->user);
        if (!stays) {
                s->out.contents++;
                s->out.bytes += stored;
        }
        return pawl__buf_add(stays ? &s->stay : &s->drops, hash, 32)
                       ? pawl__nomem(pawl__log_error(s->contents->log))
                       : PAWL_OK;
}

static bool knows(const struct sweep *s, const unsigned char half[PAWL__PACK_BASE])
{
        return pawl__map_get(&s->halves, pawl__text_n((const char *)half, PAWL__PACK_BASE)) !=
               PAWL__MAP_NONE;
}

static pawl_status add_half(struct sweep *s, const void *hash, pawl_error *err)
{
        return pawl__map_put(&s->halves, pawl__text_n(hash, PAWL__PACK_BASE), 1) ? pawl__nomem(err)
                                                                                 : PAWL_OK;
}

/* What loses its base, and which packs are made anew. */
static pawl_status decide(struct sweep *s, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < s->stay.len && !status; i += 32)
                status = add_half(s, s->stay.data + i, err);
        for (size_t i = 0; i < s->n && !status; i++)
                if (s->members[i].stays)
                        status = add_half(s, s->members[i].hash, err);
        for (size_t i = 0; i < s->n_packs && !status; i++) {
                struct pack *pack = &s->packs[i];
                for (size_t at = 0; at < pack->n; at++) {
                        struct member *it = &s->members[pack->first + at];
                        it->lost = it->difference && !knows(s, it->base);
                        pack->rewritten = pack->rewritten || !it->stays || it->lost;
                        pack->stays = pack->stays || it->stays;
                }
                /* Of a damaged one it is not known what else is in it. */
                pack->rewritten = pack->rewritten && (!pack->damaged || !pack->stays);
        }
        return status;
}

/* ---- Letting go ------------------------------------------------------------------------------ */

/* The content whole, in place of a difference. PAWL_DONE: it cannot be read. */
static pawl_status make_whole(struct sweep *s, const struct member *it, pawl_error *err)
{
        pawl__contents *c = s->contents;
        pawl_error why = PAWL_ERROR_INIT;
        pawl__delta delta;
        pawl_status status = pawl__contents_load(&c->part, c, it->hash, &why);

        if (status == PAWL_EDAMAGED || status == PAWL_ENOTFOUND)
                return PAWL_DONE;
        if (status) {
                if (err)
                        *err = why;
                return status;
        }
        pawl__buf_clear(&c->whole);
        status = pawl__contents_encode(&c->whole, &delta, c, pawl__buf_text(&c->part), NULL, err);
        if (!status && c->whole.len > PAWL__FRAME_LARGE) /* it goes into no pack */
                status = pawl__log_failed(c->log, pawl__log_packed_drop(c->log, it->hash), err);
        return status ? status
                      : pawl__contents_add(
                                c, it->hash, c->part.len, pawl__buf_text(&c->whole), &delta, err);
}

static pawl_status move(
        struct sweep *s, const struct pack *pack, const struct member *it, pawl_error *err)
{
        pawl__contents *c = s->contents;
        pawl__delta delta = {.step = 0};
        uint64_t size;

        pawl_status status = it->lost ? make_whole(s, it, err) : PAWL_DONE;
        if (status != PAWL_DONE)
                return status;
        status = pawl__contents_frame(
                &delta, &size, c, (pawl__pack_place){pack->number, it->at}, it->hash, err);
        return status ? status
                      : pawl__contents_add(
                                c, it->hash, size, pawl__buf_text(&c->packed), &delta, err);
}

/* Before anything goes: what stays may be a difference from it. */
static pawl_status move_all(struct sweep *s, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < s->n_packs && !status; i++) {
                const struct pack *pack = &s->packs[i];
                for (size_t at = 0; at < pack->n && pack->rewritten && !status; at++) {
                        const struct member *it = &s->members[pack->first + at];
                        if (it->stays)
                                status = move(s, pack, it, err);
                }
        }
        return status ? status : pawl__contents_flush(s->contents, err);
}

static pawl_status let_go(struct sweep *s, pawl_error *err)
{
        pawl_log *log = s->contents->log;
        pawl_status status = move_all(s, err);

        if (status)
                return status;
        for (size_t i = 0; i < s->n_packs && !status; i++)
                if (s->packs[i].rewritten)
                        status = pawl__log_pack_drop(log, s->packs[i].number);
        for (size_t i = 0; i < s->n && !status; i++)
                if (!s->members[i].stays)
                        status = pawl__log_packed_drop(log, s->members[i].hash);
        for (size_t i = 0; i < s->drops.len && !status; i += 32)
                status = pawl__log_content_drop(log, (const unsigned char *)s->drops.data + i);
        pawl__contents_forget(s->contents);
        return pawl__log_failed(log, status, err);
}

pawl_status pawl__contents_sweep(pawl__swept *out, pawl__contents *c, pawl__keeps_fn keeps,
        void *user, bool dry_run, pawl_error *err)
{
        struct sweep s = {.contents = c, .keeps = keeps, .user = user};
        pawl_status status = pawl__log_packed_each(c->log, collect, &s);

        if (!status)
                end_pack(&s);
        if (!status)
                status = pawl__log_content_each(c->log, take_out, &s);
        status = pawl__log_failed(c->log, status, err);
        if (!status && !dry_run)
                status = decide(&s, err);
        if (!status && !dry_run)
                status = let_go(&s, err);
        if (!status)
                *out = s.out;
        free(s.packs);
        free(s.members);
        pawl__map_free(&s.halves);
        pawl__buf_free(&s.stay);
        pawl__buf_free(&s.drops);
        pawl__buf_free(&s.heads);
        return status;
}

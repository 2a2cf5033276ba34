/* A plan as bytes: what the log keeps of it, and what its hash is of. */
#include "base/digest.h"
#include "base/error.h"
#include "workspace/rollback/plan.h"
#include "workspace/store/rootdir.h"

static const char head[] = "plan\1";
enum { HEAD_LEN = 5, UNDO = 1, DROP_DECISIONS = 2, IN_PART = 4, GIT_OTHER_WAY = 8 };

/* ---- Out ------------------------------------------------------------------------------------ */

static void put_number(pawl__buf *out, uint64_t number, unsigned bytes)
{
        for (unsigned i = 0; i < bytes; i++)
                pawl__buf_addc(out, (char)(unsigned char)(number >> (8 * i)));
}

static void put_text(pawl__buf *out, pawl_text text, unsigned bytes)
{
        put_number(out, text.len, bytes);
        pawl__buf_add_text(out, text);
}

static void put_entry(pawl__buf *out, const pawl__entry *entry)
{
        put_number(out, (uint64_t)entry->kind, 1);
        if (entry->kind == PAWL__ENTRY_FILE || entry->kind == PAWL__ENTRY_DIRECTORY)
                put_number(out, entry->mode, 2);
        if (entry->kind == PAWL__ENTRY_FILE) {
                put_number(out, entry->size, 8);
                pawl__buf_add(out, entry->hash, 32);
        }
        if (entry->kind == PAWL__ENTRY_LINK)
                put_text(out, entry->target, 2);
}

static void put_head(pawl__buf *out, const pawl__plan *plan)
{
        unsigned flags = (plan->undo ? UNDO : 0U) | (plan->drop_decisions ? DROP_DECISIONS : 0U) |
                         (plan->in_part ? IN_PART : 0U) |
                         (plan->git_to.len && plan->git_forward != plan->undo ? GIT_OTHER_WAY : 0U);

        pawl__buf_add(out, head, HEAD_LEN);
        put_number(out, plan->target, 8);
        pawl__buf_add(out, plan->target_tree, 32);
        pawl__buf_add(out, plan->now, 32);
        put_number(out, plan->head_seq, 8);
        pawl__buf_add(out, plan->head_hash, 32);
        put_number(out, flags, 1);
        put_text(out, plan->git_from, 1);
        put_text(out, plan->git_to, 1);
}

static void put_step(pawl__buf *out, const pawl__plan_step *step)
{
        pawl__buf_addc(out, 's');
        put_text(out, step->path, 4);
        put_entry(out, &step->from);
        put_entry(out, &step->to);
}

static void put_left(pawl__buf *out, const pawl__plan_left *left)
{
        pawl__buf_addc(out, 'x');
        put_text(out, left->path, 4);
        put_number(out, (uint64_t)left->why, 1);
        put_number(out, (uint64_t)left->skip, 1);
        put_number(out, left->wanted, 1);
}

static pawl_status hash_of(unsigned char out[32], const void *data, size_t len, pawl_error *err)
{
        pawl__hasher *hasher = NULL;
        pawl_status status = pawl__hasher_new(&hasher, err);

        if (!status)
                status = pawl__sha256(hasher, out, data, len, err);
        pawl__hasher_free(hasher);
        return status;
}

pawl_status pawl__plan_encode(pawl__buf *out, pawl__plan *plan, pawl_error *err)
{
        size_t from = out->len;

        put_head(out, plan);
        for (size_t i = 0; i < plan->n_steps; i++)
                put_step(out, &plan->steps[i]);
        for (size_t i = 0; i < plan->n_left; i++)
                put_left(out, &plan->left[i]);
        pawl_status status = pawl__buf_check(out, err);
        return status ? status : hash_of(plan->hash, out->data + from, out->len - from, err);
}

/* ---- In ------------------------------------------------------------------------------------- */

typedef struct decoder {
        pawl_text rest;
        pawl__plan *plan;
        pawl_text last; /* path of the step, or of what is left alone, before this one */
        bool ok;        /* so far, all was of its form */
        bool memory;    /* and there was memory for it */
} decoder;

static const char *take(decoder *d, size_t len)
{
        const char *at = d->rest.data;

        if (!d->ok || len > d->rest.len) {
                d->ok = false;
                return NULL;
        }
        d->rest = (pawl_text){at + len, d->rest.len - len};
        return at;
}

static uint64_t take_number(decoder *d, unsigned bytes)
{
        const char *at = take(d, bytes);
        uint64_t number = 0;

        for (unsigned i = 0; at && i < bytes; i++)
                number |= (uint64_t)(unsigned char)at[i] << (8 * i);
        return number;
}

static void take_bytes(decoder *d, unsigned char out[32])
{
        const char *at = take(d, 32);

        if (at)
                memcpy(out, at, 32);
}

static pawl_text take_text(decoder *d, unsigned bytes)
{
        size_t len = (size_t)take_number(d, bytes);
        const char *at = take(d, len);
        bool ok = true;
        pawl_text text = {"", 0};

        if (at)
                text = pawl__arena_text(&d->plan->arena, (pawl_text){at, len}, &ok);
        if (!ok)
                d->ok = d->memory = false;
        return text;
}

/* A path, which must come after the one before it. */
static pawl_text take_path(decoder *d)
{
        pawl_text path = take_text(d, 4);

        if (!d->ok || !pawl__rootdir_path_ok(path) ||
                (d->last.data && pawl__path_cmp(d->last, path) >= 0))
                d->ok = false;
        d->last = path;
        return path;
}

static pawl__entry take_entry(decoder *d)
{
        pawl__entry entry = {.kind = (pawl__entry_kind)take_number(d, 1)};

        switch ((int)entry.kind) {
        case PAWL__ENTRY_NONE:
                break;
        case PAWL__ENTRY_FILE:
                entry.mode = (uint32_t)take_number(d, 2);
                entry.size = take_number(d, 8);
                take_bytes(d, entry.hash);
                break;
        case PAWL__ENTRY_DIRECTORY:
                entry.mode = (uint32_t)take_number(d, 2);
                break;
        case PAWL__ENTRY_LINK:
                entry.target = take_text(d, 2);
                d->ok = d->ok && entry.target.len &&
                        !memchr(entry.target.data, '\0', entry.target.len);
                break;
        default:
                d->ok = false;
        }
        d->ok = d->ok && entry.mode <= 07777;
        return entry;
}

static void take_head(decoder *d)
{
        const char *at = take(d, HEAD_LEN);

        d->ok = at && memcmp(at, head, HEAD_LEN) == 0;
        d->plan->target = take_number(d, 8);
        take_bytes(d, d->plan->target_tree);
        take_bytes(d, d->plan->now);
        d->plan->head_seq = take_number(d, 8);
        take_bytes(d, d->plan->head_hash);
        uint64_t flags = take_number(d, 1);
        d->plan->undo = (flags & UNDO) != 0;
        d->plan->drop_decisions = (flags & DROP_DECISIONS) != 0;
        d->plan->in_part = (flags & IN_PART) != 0;
        d->plan->git_forward = d->plan->undo != ((flags & GIT_OTHER_WAY) != 0);
        d->plan->git_from = take_text(d, 1);
        d->plan->git_to = take_text(d, 1);
        d->ok = d->ok && flags <= (UNDO | DROP_DECISIONS | IN_PART | GIT_OTHER_WAY) &&
                (d->plan->git_to.len || !(flags & GIT_OTHER_WAY));
}

static void take_step(decoder *d)
{
        pawl__plan *plan = d->plan;
        pawl__plan_step step = {.path = take_path(d)};

        d->ok = d->ok && !pawl__own_files_named(NULL, step.path);
        step.from = take_entry(d);
        step.to = take_entry(d);
        if (!d->ok)
                return;
        if (pawl__grow(&plan->steps, &plan->cap_steps, plan->n_steps + 1, sizeof step))
                d->ok = d->memory = false;
        else
                plan->steps[plan->n_steps++] = step;
}

static void take_left(decoder *d)
{
        pawl__plan *plan = d->plan;
        pawl__plan_left left = {.path = take_path(d)};
        uint64_t why = take_number(d, 1), skip = take_number(d, 1), wanted = take_number(d, 1);

        left.why = (pawl__left_why)why;
        left.skip = (pawl__skip)skip;
        left.wanted = wanted != 0;
        d->ok = d->ok && why >= PAWL__LEFT_UNRECORDED && why <= PAWL__LEFT_OTHERS &&
                skip <= PAWL__SKIP_WORKTREE && wanted <= 1;
        if (!d->ok)
                return;
        if (pawl__grow(&plan->left, &plan->cap_left, plan->n_left + 1, sizeof left))
                d->ok = d->memory = false;
        else
                plan->left[plan->n_left++] = left;
}

pawl_status pawl__plan_decode(pawl__plan *out, pawl_text encoded, pawl_error *err)
{
        decoder d = {.rest = encoded, .plan = out, .ok = true, .memory = true};
        char kind = 's';

        take_head(&d);
        while (d.ok && d.rest.len) {
                char next = *take(&d, 1);
                if (next != kind) {
                        d.ok = kind == 's' && next == 'x';
                        d.last = (pawl_text){NULL, 0};
                        kind = next;
                }
                if (kind == 's')
                        take_step(&d);
                else
                        take_left(&d);
        }
        if (d.ok)
                return hash_of(out->hash, encoded.data, encoded.len, err);
        pawl__plan_free(out);
        if (!d.memory)
                return pawl__nomem(err);
        return pawl__fail(err, PAWL_EDAMAGED,
                "plan of a rollback: byte %zu is of no plan; check the log with `eventlog verify`",
                encoded.len - d.rest.len);
}

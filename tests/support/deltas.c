#include "support/deltas.h"
#include "support/vfs.h"

void deltas_open_log(deltas *t)
{
        event_log_open(t->f);
        assert_ok(pawl__contents_open(&t->contents, t->f->log, &t->err));
}

void deltas_close_log(deltas *t)
{
        pawl__contents_close(t->contents);
        t->contents = NULL;
        event_log_close(t->f);
}

int deltas_setup(void **state)
{
        deltas *t = test_alloc(sizeof *t);
        assert_int_equal(event_log_setup(state), 0);
        t->f = *state;
        t->f->flags = PAWL_LOG_CREATE;
        assert_ok(pawl__hasher_new(&t->hasher, &t->err));
        fault_reset();
        *state = t;
        return 0;
}

int deltas_teardown(void **state)
{
        deltas *t = *state;

        fault_reset();
        pawl__contents_close(t->contents);
        pawl__hasher_free(t->hasher);
        *state = t->f;
        return event_log_teardown(state);
}

/* Lines of which each version has one other than the version before. */
void deltas_make_version(pawl__buf *out, int version)
{
        pawl__buf_clear(out);
        for (int line = 0; line < LINES; line++) {
                const int last = version - (version - line % LINES + LINES) % LINES;
                pawl__buf_addf(out, "line %d, as version %d has it: %d\n", line,
                        last > 0 ? last : 0, (line * 7919 + (last > 0 ? last : 0)) % 100003);
        }
        assert_false(out->failed);
}

void deltas_hash_version(deltas *t, unsigned char hash[32], int version)
{
        pawl__buf text = PAWL__BUF_INIT;

        deltas_make_version(&text, version);
        assert_ok(pawl__sha256(t->hasher, hash, text.data, text.len, &t->err));
        pawl__buf_free(&text);
}

pawl_status deltas_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const deltas_putting *p = user;

        (void)log, (void)batch;
        return pawl__contents_put_whole(p->t->contents, p->hash, pawl__buf_text(&p->text),
                p->like >= 0 ? p->former : NULL, err);
}

deltas_putting deltas_prepare(deltas *t, int version, int like)
{
        deltas_putting p = {.t = t, .version = version, .like = like};

        deltas_make_version(&p.text, version);
        deltas_hash_version(t, p.hash, version);
        if (like >= 0)
                deltas_hash_version(t, p.former, like);
        return p;
}

/* Put a version as one that resembles another; like -1: as none. */
pawl_status deltas_try_put(deltas *t, int version, int like)
{
        deltas_putting p = deltas_prepare(t, version, like);
        const pawl_status status = pawl__contents_commit(t->contents, deltas_fill, &p, &t->err);

        pawl__buf_free(&p.text);
        return status;
}

void deltas_put_all(deltas *t)
{
        for (int i = 0; i < VERSIONS; i++)
                assert_ok(deltas_try_put(t, i, i - 1));
}

pawl_status deltas_read_version(deltas *t, int version)
{
        pawl__buf text = PAWL__BUF_INIT, out = PAWL__BUF_INIT;
        unsigned char hash[32];

        deltas_make_version(&text, version);
        deltas_hash_version(t, hash, version);
        const pawl_status status = pawl__contents_read(
                t->contents, hash, text.len, pawl__content_to_buf, &out, &t->err);
        if (!status) {
                assert_int_equal(out.len, text.len);
                assert_memory_equal(out.data, text.data, text.len);
        } else {
                assert_int_equal(out.len, 0);
        }
        pawl__buf_free(&text);
        pawl__buf_free(&out);
        return status;
}

void deltas_check_read(deltas *t, int from, int to)
{
        for (int i = from; i < to; i++)
                if (deltas_read_version(t, i))
                        fail_msg("version %d: %s", i, t->err.message);
}

pawl_status deltas_find_place(const unsigned char hash[32], pawl__pack_place place, void *user)
{
        deltas_pack_of *it = user;

        if (memcmp(hash, it->hash, 32) == 0)
                it->place = place;
        return PAWL_OK;
}

/* The step of a version. */
unsigned deltas_step_of(deltas *t, int version)
{
        deltas_pack_of it = {.place = {0, 0}};
        pawl__buf heads = PAWL__BUF_INIT;
        pawl__pack_member member;

        deltas_hash_version(t, it.hash, version);
        assert_ok(pawl__log_packed_each(t->f->log, deltas_find_place, &it));
        assert_true(it.place.pack > 0);
        assert_ok(pawl__log_pack_get(&heads, NULL, t->f->log, it.place.pack));
        assert_ok(pawl__pack_at(&member, pawl__buf_text(&heads), it.place.at));
        pawl__buf_free(&heads);
        return member.step;
}

static bool keeps(const unsigned char hash[32], void *user)
{
        const deltas_keeping *k = user;

        for (int i = 0; i < VERSIONS; i++)
                if (memcmp(hash, k->hashes[i], 32) == 0)
                        return k->stays[i];
        return false;
}

pawl_status deltas_sweep_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        deltas_keeping *k = user;

        (void)log, (void)batch;
        return pawl__contents_sweep(&k->out, k->t->contents, keeps, k, k->dry_run, err);
}

deltas_keeping deltas_keep(deltas *t, int from, int to, int step)
{
        deltas_keeping k = {.t = t};

        for (int i = 0; i < VERSIONS; i++) {
                deltas_hash_version(t, k.hashes[i], i);
                k.stays[i] = i >= from && i < to && (i - from) % step == 0;
        }
        return k;
}

void deltas_check_kept(deltas *t, const deltas_keeping *k)
{
        for (int i = 0; i < VERSIONS; i++) {
                const pawl_status status = deltas_read_version(t, i);
                if (status != (k->stays[i] ? PAWL_OK : PAWL_ENOTFOUND))
                        fail_msg("version %d: %d, %s", i, status, t->err.message);
        }
}

#include "support/contents.h"

void content_hash(unsigned char hash[32], unsigned char which)
{
        memset(hash, which, 32);
}

/* What zstd would leave: bytes that do not repeat. */
static void data_of(unsigned char *data, size_t len, uint32_t seed)
{
        for (size_t i = 0; i < len; i++) {
                seed = seed * 1664525 + 1013904223;
                data[i] = (unsigned char)(seed >> 24);
        }
}

static pawl_status put_content(pawl_log *log, unsigned char which, size_t part_len)
{
        unsigned char hash[32];
        unsigned char *data = malloc(part_len ? part_len : 1);
        pawl_status status = data ? PAWL_OK : PAWL_ENOMEM;

        content_hash(hash, which);
        for (uint32_t part = 0; part < CONTENT_PARTS && !status; part++) {
                data_of(data, part_len, which * 16U + part);
                status = pawl__log_content_put(
                        log, hash, part, 1000U + which, part_len ? data : NULL, part_len);
        }
        free(data);
        return status;
}

pawl_status contents_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        content_work *w = user;
        pawl_status status = PAWL_OK;

        w->calls++;
        if (w->drops)
                status = pawl__log_content_drop(log, w->drops);
        for (int i = 0; i < w->contents && !status; i++)
                status = put_content(log, (unsigned char)(w->first + i), w->part_len);
        for (int i = 0; i < w->events && !status; i++) {
                pawl_event event = w->event ? *w->event : event_scope(NULL);
                status = pawl__batch_event(batch, &event, err);
        }
        if (w->meanwhile)
                w->meanwhile(w->user);
        if (!status && w->fails)
                return pawl__fail(err, w->fails, "a file: changed while it was read; try again");
        return status;
}

pawl_status contents_commit(pawl_log *log, content_work *w, pawl__batch *batch, uint64_t *seq)
{
        batch->prepare = contents_fill;
        batch->prepare_user = w;
        return pawl__log_commit(log, batch, 0, seq);
}

pawl_status contents_commit_one(pawl_log *log, content_work *w)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_event event = event_scope(NULL);
        pawl_status status = pawl__batch_event(&batch, &event, pawl__log_error(log));

        if (!status)
                status = contents_commit(log, w, &batch, NULL);
        pawl__batch_free(&batch);
        return status;
}

int64_t contents_rows(event_log *f)
{
        return event_log_integer(f, "SELECT count(*) FROM contents");
}

void content_check(pawl_log *log, unsigned char which, size_t part_len)
{
        unsigned char hash[32], *data = malloc(part_len ? part_len : 1);
        uint64_t size = 0;
        bool has = false;

        assert_non_null(data);
        content_hash(hash, which);
        assert_ok(pawl__log_content_has(&has, log, hash));
        assert_true(has);
        for (uint32_t part = 0; part < CONTENT_PARTS; part++) {
                pawl__buf out = PAWL__BUF_INIT;
                assert_ok(pawl__buf_adds(&out, "before"));
                assert_ok(pawl__log_content_get(&out, &size, log, hash, part));
                data_of(data, part_len, which * 16U + part);
                assert_int_equal(out.len, 6 + part_len);
                assert_memory_equal(out.data + 6, data, part_len);
                assert_int_equal(size, 1000U + which);
                pawl__buf_free(&out);
        }
        free(data);
}

pawl_status contents_list(
        const unsigned char hash[32], uint64_t size, uint64_t stored, uint64_t parts, void *user)
{
        content_listing *l = user;

        if (l->n == l->stop_at)
                return PAWL_EEXISTS;
        memcpy(l->hash[l->n], hash, 32);
        l->size[l->n] = size;
        l->stored[l->n] = stored;
        l->parts[l->n++] = parts;
        return PAWL_OK;
}

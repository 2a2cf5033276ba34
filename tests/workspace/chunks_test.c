/* Large contents: cut where their bytes say so, stored once a chunk, and what damage does. */
#include "support/deltas.h"
#include "support/sweep.h"
#include "workspace/store/chunk_writer.h"
#include "workspace/store/contents_internal.h"
#include "workspace/store/mark.h"

enum { LARGE = 9 << 20 };

/* Letters that do not pack well. */
static pawl__buf make(size_t len, uint64_t seed)
{
        pawl__buf out = PAWL__BUF_INIT;

        assert_int_equal(pawl__buf_reserve(&out, len + 1000), PAWL_OK);
        for (; out.len < len; out.len++) {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                out.data[out.len] = (char)('0' + (seed >> 58));
        }
        return out;
}

static pawl__buf insert(const pawl__buf *from, size_t at, const char *what)
{
        pawl__buf out = PAWL__BUF_INIT;

        pawl__buf_add(&out, from->data, at);
        pawl__buf_adds(&out, what);
        pawl__buf_add(&out, from->data + at, from->len - at);
        assert_false(out.failed);
        return out;
}

struct put {
        deltas *t;
        const pawl__buf *content;
        unsigned char hash[32];
        const unsigned char *like;
};

static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const struct put *p = user;

        (void)log, (void)batch;
        return pawl__contents_put_whole(
                p->t->contents, p->hash, pawl__buf_text(p->content), p->like, err);
}

static pawl_status try_put(
        deltas *t, unsigned char hash[32], const pawl__buf *content, const unsigned char *like)
{
        struct put p = {.t = t, .content = content, .like = like};

        assert_ok(pawl__sha256(t->hasher, p.hash, content->data, content->len, &t->err));
        memcpy(hash, p.hash, 32);
        return pawl__contents_commit(t->contents, fill, &p, &t->err);
}

static void put(
        deltas *t, unsigned char hash[32], const pawl__buf *content, const unsigned char *like)
{
        if (try_put(t, hash, content, like))
                fail_msg("%s", t->err.message);
}

static pawl_status read_back(deltas *t, const unsigned char hash[32], const pawl__buf *content)
{
        pawl__buf out = PAWL__BUF_INIT;
        const pawl_status status = pawl__contents_read(
                t->contents, hash, content->len, pawl__content_to_buf, &out, &t->err);

        if (!status) {
                assert_int_equal(out.len, content->len);
                assert_memory_equal(out.data, content->data, out.len);
        }
        pawl__buf_free(&out);
        return status;
}

static int64_t stored(deltas *t)
{
        return event_log_integer(t->f, "SELECT coalesce(sum(length(data)), 0) FROM contents") +
               event_log_integer(t->f, "SELECT coalesce(sum(length(data)), 0) FROM packs");
}

static pawl__buf list_of(deltas *t, const unsigned char hash[32])
{
        pawl__buf list = PAWL__BUF_INIT;

        assert_ok(pawl__contents_list(&list, t->contents, hash, &t->err));
        assert_true(list.len > 0);
        return list;
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

/* They are part of the format: other ones would store everything again. */
DELTA_TEST(boundaries_are_those_of_the_format)
{
        static const uint32_t lens[] = {166951, 801659, 610826, 551930, 619570, 655712, 662962,
                276523, 669282, 328532, 559454, 423955, 575253, 147409, 703944, 958972, 724250};
        pawl__buf content = make(LARGE, 88172645463325252);
        pawl__chunk_cutter cutter;

        (void)t;
        pawl__chunk_cutter_init(&cutter);
        assert_true(cutter.gear[0] == UINT64_C(0xe220a8397b1dcdaf));
        for (size_t at = 0, i = 0; at < content.len; i++) {
                const size_t len = pawl__chunk_cut(&cutter, content.data + at, content.len - at);
                assert_true(i < sizeof lens / sizeof lens[0]);
                assert_int_equal(len, lens[i]);
                at += len;
        }
        pawl__buf_free(&content);
}

DELTA_TEST(a_change_moves_the_boundaries_near_it_alone)
{
        pawl__buf content = make(LARGE, 5), other = insert(&content, LARGE / 2, "a line more\n");
        unsigned char hash[32], changed[32];
        size_t shared = 0;

        deltas_open_log(t);
        put(t, hash, &content, NULL);
        put(t, changed, &other, NULL);
        pawl__buf a = list_of(t, hash), b = list_of(t, changed);
        const size_t n = pawl__chunks_count(pawl__buf_text(&b));
        for (size_t i = 0; i < n; i++) {
                const pawl__chunk chunk = pawl__chunks_at(pawl__buf_text(&b), i);
                for (size_t k = 0; k < pawl__chunks_count(pawl__buf_text(&a)); k++)
                        shared += memcmp(pawl__chunks_at(pawl__buf_text(&a), k).hash, chunk.hash,
                                          32) == 0;
        }
        assert_true(n >= 9 && shared + 2 >= n);
        pawl__buf_free(&a);
        pawl__buf_free(&b);
        pawl__buf_free(&content);
        pawl__buf_free(&other);
        deltas_close_log(t);
}

/* ---- What is stored -------------------------------------------------------------------------- */

DELTA_TEST(what_did_not_change_is_stored_once)
{
        pawl__buf version[4] = {make(LARGE, 7)};
        unsigned char hash[4][32];

        version[1] = insert(&version[0], LARGE, "one line more\n");
        version[2] = insert(&version[1], LARGE / 3, "one line between\n");
        version[3] = insert(&version[2], 0, "one line before all\n");
        deltas_open_log(t);
        put(t, hash[0], &version[0], NULL);
        for (int i = 1; i < 4; i++) {
                const int64_t before = stored(t);
                put(t, hash[i], &version[i], hash[i - 1]);
                assert_true(stored(t) - before < 4096);
        }
        for (int i = 0; i < 4; i++) {
                assert_ok(read_back(t, hash[i], &version[i]));
                pawl__buf_free(&version[i]);
        }
        deltas_close_log(t);
}

/* A file that grows beyond a part, line by line, is stored whole now and then, not each time. */
DELTA_TEST(a_content_that_grows_beyond_a_part_stays_cheap)
{
        pawl__buf small = make((4 << 20) - 5, 9), large = insert(&small, small.len, "beyond\n");
        unsigned char hash[32], grown[32];

        deltas_open_log(t);
        put(t, hash, &small, NULL);
        const int64_t before = stored(t);
        put(t, grown, &large, hash);
        assert_true(stored(t) - before < 16384);
        assert_ok(read_back(t, grown, &large));
        pawl__buf_free(&small);
        pawl__buf_free(&large);
        deltas_close_log(t);
}

DELTA_TEST(a_chunk_that_repeats_is_stored_once)
{
        pawl__buf zeros = PAWL__BUF_INIT;
        unsigned char hash[32];

        assert_int_equal(pawl__buf_reserve(&zeros, 64 << 20), PAWL_OK);
        memset(zeros.data, 0, 64 << 20);
        zeros.len = 64 << 20;
        deltas_open_log(t);
        put(t, hash, &zeros, NULL);
        assert_true(stored(t) < 32768);
        assert_ok(read_back(t, hash, &zeros));
        pawl__buf_free(&zeros);
        deltas_close_log(t);
}

/* ---- What is let go -------------------------------------------------------------------------- */

struct keep {
        deltas *t;
        pawl__mark *marks;
        pawl__swept out;
};

static bool keeps(const unsigned char hash[32], void *user)
{
        return pawl__mark_has(NULL, ((const struct keep *)user)->marks, hash);
}

static pawl_status sweep_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct keep *k = user;

        (void)log, (void)batch;
        return pawl__contents_sweep(&k->out, k->t->contents, keeps, k, false, err);
}

static void sweep_all_but(deltas *t, const unsigned char hash[32])
{
        struct keep k = {.t = t};

        assert_ok(pawl__mark_new(&k.marks, t->contents, &t->err));
        assert_ok(pawl__mark_content(k.marks, hash, 0, &t->err));
        assert_ok(pawl__contents_commit(t->contents, sweep_fill, &k, &t->err));
        pawl__mark_free(k.marks);
}

DELTA_TEST(a_chunk_stays_as_long_as_a_list_names_it)
{
        static const unsigned char none[32] = {1};
        pawl__buf first = make(LARGE, 11), second = insert(&first, LARGE / 2, "a line\n");
        unsigned char hash[2][32];

        deltas_open_log(t);
        put(t, hash[0], &first, NULL);
        put(t, hash[1], &second, hash[0]);
        sweep_all_but(t, hash[1]);
        assert_int_equal(read_back(t, hash[0], &first), PAWL_ENOTFOUND);
        assert_ok(read_back(t, hash[1], &second));
        sweep_all_but(t, none);
        assert_int_equal(stored(t), 0);
        pawl__buf_free(&first);
        pawl__buf_free(&second);
        deltas_close_log(t);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void damage_is_seen_and_mended(deltas *t, const char *sql, const char *message)
{
        pawl__buf content = make(LARGE, 13);
        unsigned char hash[32];
        bool intact = true;

        deltas_open_log(t);
        put(t, hash, &content, NULL);
        event_log_sql(t->f, sql);
        pawl__contents_forget(t->contents);
        const pawl_status status = read_back(t, hash, &content);
        assert_true(status == PAWL_EDAMAGED || status == PAWL_ENOTFOUND);
        assert_says(t->err.message, message);
        assert_ok(pawl__contents_intact(&intact, NULL, t->contents, hash, &t->err));
        assert_false(intact);
        put(t, hash, &content, NULL);
        assert_ok(read_back(t, hash, &content));
        pawl__buf_free(&content);
        deltas_close_log(t);
}

#define LIST "size > 4194304"

DELTA_TEST(a_damaged_chunk_is_replaced)
{
        damage_is_seen_and_mended(t,
                "UPDATE contents SET data = substr(data, 1, 50) "
                "WHERE hash = (SELECT min(hash) FROM contents WHERE NOT " LIST ")",
                "content ");
}

DELTA_TEST(a_missing_chunk_is_replaced)
{
        damage_is_seen_and_mended(t,
                "DELETE FROM contents "
                "WHERE hash = (SELECT max(hash) FROM contents WHERE NOT " LIST ")",
                "not in the log");
}

DELTA_TEST(a_damaged_list_is_refused_and_replaced)
{
        damage_is_seen_and_mended(t,
                "UPDATE contents SET data = substr(data, 1, length(data) - 1) WHERE " LIST,
                "the list of its chunks is damaged");
}

DELTA_TEST(a_list_of_another_content_is_refused)
{
        pawl__buf content = make(LARGE, 15), other = make(LARGE, 17);
        unsigned char hash[32], second[32];

        deltas_open_log(t);
        put(t, hash, &content, NULL);
        put(t, second, &other, NULL);
        event_log_sql(t->f, "UPDATE contents SET data = (SELECT max(data) FROM contents WHERE " LIST
                            ") WHERE " LIST);
        const pawl_status first = read_back(t, hash, &content);
        assert_int_equal(first ? first : read_back(t, second, &other), PAWL_EDAMAGED);
        assert_says(t->err.message, "the list of its chunks is damaged");
        pawl__buf_free(&content);
        pawl__buf_free(&other);
        deltas_close_log(t);
}

struct row {
        deltas *t;
        unsigned char hash[32];
        uint64_t size;
        pawl__buf list;
};

static pawl_status put_row(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const struct row *row = user;

        (void)log, (void)batch;
        return pawl__contents_put(
                row->t->contents, row->hash, 0, row->size, pawl__buf_text(&row->list), err);
}

/* A list whose sum is right, of chunks that are not. */
static void put_list(
        struct row *row, unsigned char hash, uint64_t size, const pawl__chunk *chunk, size_t n)
{
        unsigned char sum[32];

        memset(row->hash, hash, 32);
        row->size = size;
        pawl__chunks_begin(&row->list);
        for (size_t i = 0; i < n; i++)
                pawl__chunks_add(&row->list, chunk);
        assert_ok(pawl__contents_list_sum(
                sum, row->t->contents, row->hash, pawl__buf_text(&row->list), &row->t->err));
        pawl__buf_add(&row->list, sum, 32);
        assert_ok(pawl__contents_commit(row->t->contents, put_row, row, &row->t->err));
}

static pawl_status read_row(const struct row *row, uint64_t size)
{
        return pawl__contents_read(
                row->t->contents, row->hash, size, pawl__content_to_nothing, NULL, &row->t->err);
}

DELTA_TEST(a_list_is_not_trusted)
{
        pawl__buf content = make(1 << 20, 19);
        struct row row = {.t = t};
        pawl__chunk chunk = {.len = 1 << 20}, list;

        deltas_open_log(t);
        put(t, chunk.hash, &content, NULL);
        put_list(&row, 'a', 9 << 20, &chunk, 9); /* of nine chunks, whose whole has another hash */
        assert_int_equal(read_row(&row, 9 << 20), PAWL_EDAMAGED);
        assert_says(t->err.message, "not what its hash says");
        assert_int_equal(read_row(&row, 8 << 20), PAWL_EDAMAGED);
        assert_says(t->err.message, "another size");
        list = (pawl__chunk){.len = 1 << 20};
        memcpy(list.hash, row.hash, 32);
        put_list(&row, 'b', 9 << 20, &list, 9); /* of lists */
        assert_int_equal(read_row(&row, 9 << 20), PAWL_EDAMAGED);
        assert_says(t->err.message, "larger than a part");
        chunk.len--;
        put_list(&row, 'c', 9 * chunk.len, &chunk, 9); /* of another size */
        assert_int_equal(read_row(&row, 9 * chunk.len), PAWL_EDAMAGED);
        assert_says(t->err.message, "another size than its list says");
        put_list(&row, 'd', 8 << 20, &chunk, 9); /* which do not add up */
        assert_int_equal(read_row(&row, 8 << 20), PAWL_EDAMAGED);
        assert_says(t->err.message, "list of its chunks is damaged");
        chunk.len = 1 << 19;
        put_list(&row, 'e', 1 << 20, &chunk, 2); /* that none needs */
        assert_int_equal(read_row(&row, 1 << 20), PAWL_EDAMAGED);
        assert_says(t->err.message, "list of its chunks is damaged");
        pawl__buf_free(&row.list);
        pawl__buf_free(&content);
        deltas_close_log(t);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

DELTA_TEST(without_memory_nothing_is_put)
{
        pawl__buf content = make((4 << 20) + 1, 21);
        unsigned char hash[32];

        deltas_open_log(t);
        for (sweep s = {.step = 3, .once = true, .keeps = true}; sweep_next(&s);) {
                assert_int_equal(stored(t), 0);
                sweep_arm(&s);
                (void)sweep_done(&s, try_put(t, hash, &content, NULL), NULL);
        }
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                (void)sweep_done(&s, read_back(t, hash, &content), NULL);
        }
        assert_ok(read_back(t, hash, &content));
        pawl__buf_free(&content);
        deltas_close_log(t);
}

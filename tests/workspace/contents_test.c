/* Contents: packed in parts, read back and hashed, and what damage does. */
#include "support/event_log.h"
#include "support/sweep.h"
#include "workspace/store/contents_internal.h"

typedef struct fixture {
        event_log *f;
        pawl__contents *contents;
        pawl__hasher *hasher;
        pawl_error err;
} fixture;

static int set_up(void **state)
{
        fixture *t = test_alloc(sizeof *t);
        assert_int_equal(event_log_setup(state), 0);
        t->f = *state;
        t->f->flags = PAWL_LOG_CREATE;
        event_log_open(t->f);
        assert_ok(pawl__contents_open(&t->contents, t->f->log, &t->err));
        assert_ok(pawl__hasher_new(&t->hasher, &t->err));
        *state = t;
        return 0;
}

static int tear_down(void **state)
{
        fixture *t = *state;

        pawl__contents_close(t->contents);
        pawl__hasher_free(t->hasher);
        *state = t->f;
        return event_log_teardown(state);
}

#define CONTENTS_TEST(name) UNIT_TEST_WITH(name, fixture *t, set_up, tear_down)

/* Bytes that repeat now and then, the same for the same seed. */
static char *make(size_t len, uint32_t seed)
{
        char *data = test_alloc(len);

        for (size_t i = 0; i < len; i++) {
                seed = seed * 1664525 + 1013904223;
                data[i] = (char)(seed >> 28);
        }
        return data;
}

static void hash_of(fixture *t, unsigned char hash[32], const char *data, size_t len)
{
        assert_ok(pawl__sha256(t->hasher, hash, data, len, &t->err));
}

/* What a prepare hook puts. */
typedef struct putting {
        pawl__contents *contents;
        const unsigned char *hash;
        const char *data;
        size_t len;
} putting;

static pawl_status put_all(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const putting *p = user;
        pawl_event event = event_scope(NULL);
        pawl__buf packed = PAWL__BUF_INIT;
        uint32_t parts = 0;
        pawl_status status = pawl__contents_parts(&parts, p->len, err);

        (void)log;
        for (uint32_t i = 0; i < parts && !status; i++) {
                size_t at = i * PAWL__PART_SIZE, left = p->len - at;
                pawl__buf_clear(&packed);
                status = pawl__contents_compress(&packed, p->contents,
                        pawl__text_n(p->data + at, left < PAWL__PART_SIZE ? left : PAWL__PART_SIZE),
                        (pawl_text){NULL, 0}, err);
                if (!status)
                        status = pawl__contents_put(
                                p->contents, p->hash, i, p->len, pawl__buf_text(&packed), err);
        }
        pawl__buf_free(&packed);
        return status ? status : pawl__batch_event(batch, &event, err);
}

static pawl_status try_put(fixture *t, const unsigned char hash[32], const char *data, size_t len)
{
        putting p = {t->contents, hash, data, len};
        pawl__batch batch = PAWL__BATCH_INIT;

        batch.prepare = put_all;
        batch.prepare_user = &p;
        pawl_status status = pawl__log_commit(t->f->log, &batch, 0, NULL);
        pawl__batch_free(&batch);
        return status;
}

static void put(fixture *t, unsigned char hash[32], const char *data, size_t len)
{
        hash_of(t, hash, data, len);
        assert_ok(try_put(t, hash, data, len));
}

static pawl_status gather(const void *data, size_t len, void *user, pawl_error *err)
{
        (void)err;
        return pawl__buf_add(user, data, len);
}

static pawl_status read_back(
        fixture *t, pawl__buf *out, const unsigned char hash[32], uint64_t size)
{
        pawl__buf_clear(out);
        return pawl__contents_read(t->contents, hash, size, gather, out, &t->err);
}

CONTENTS_TEST(what_was_put_is_read_back)
{
        static const size_t sizes[] = {0, 1, 4096, PAWL__PART_SIZE - 1, PAWL__PART_SIZE,
                PAWL__PART_SIZE + 1, 3 * PAWL__PART_SIZE, 3 * PAWL__PART_SIZE + 17};
        pawl__buf out = PAWL__BUF_INIT;
        unsigned char hash[32];
        bool has = true;

        memset(hash, 7, sizeof hash);
        assert_ok(pawl__contents_has(&has, t->contents, hash, &t->err));
        assert_false(has);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                char *data = make(sizes[i], (uint32_t)i);
                put(t, hash, data, sizes[i]);
                assert_ok(pawl__contents_has(&has, t->contents, hash, &t->err));
                assert_true(has);
                assert_ok(read_back(t, &out, hash, sizes[i]));
                assert_int_equal(out.len, sizes[i]);
                assert_memory_equal(out.data ? out.data : "", data, sizes[i]);
        }
        pawl__buf_free(&out);
}

CONTENTS_TEST(damage_is_seen)
{
        const size_t len = PAWL__PART_SIZE + 100;
        char *data = make(len, 3), *other = make(len, 4);
        pawl__buf out = PAWL__BUF_INIT;
        unsigned char hash[32], wrong[32];

        put(t, hash, data, len);
        assert_int_equal(read_back(t, &out, hash, len + 1), PAWL_EDAMAGED);
        assert_says(t->err.message, "another size");
        memset(wrong, 1, sizeof wrong);
        assert_ok(try_put(t, wrong, other, len));
        assert_int_equal(read_back(t, &out, wrong, len), PAWL_EDAMAGED);
        assert_says(t->err.message, "not what its hash says");
        event_log_sql(t->f, "UPDATE contents SET data = substr(data, 1, 50) WHERE part = 1");
        assert_int_equal(read_back(t, &out, hash, len), PAWL_EDAMAGED);
        assert_says(t->err.message, "cannot be unpacked");
        event_log_sql(t->f, "DELETE FROM contents WHERE part = 1");
        assert_int_equal(read_back(t, &out, hash, len), PAWL_ENOTFOUND);
        pawl__buf_free(&out);
}

/* A frame that unpacks to more than its part may hold does not get to. */
CONTENTS_TEST(a_part_of_too_much_is_damage)
{
        char *data = make(1 << 20, 5);
        pawl__buf out = PAWL__BUF_INIT;
        unsigned char hash[32];

        put(t, hash, data, 1 << 20);
        event_log_sql(t->f, "UPDATE contents SET size = 10");
        assert_int_equal(read_back(t, &out, hash, 10), PAWL_EDAMAGED);
        assert_int_equal(out.len, 0);
        pawl__buf_free(&out);
}

static pawl_status beside(pawl__buf *out, const unsigned char hash[32], void *user, pawl_error *err)
{
        (void)err;
        return hash[0] == 9 ? pawl__buf_adds(out, user) : PAWL_ENOTFOUND;
}

CONTENTS_TEST(directories_come_from_beside_first)
{
        char mine[] = "mine";
        const pawl__directories directories = {beside, mine};
        pawl__buf out = PAWL__BUF_INIT;
        unsigned char hash[32], theirs[32] = {9};

        put(t, hash, "tree\1", 5);
        assert_ok(pawl__contents_directory(&out, t->contents, hash, &t->err));
        assert_text(pawl__buf_text(&out), "tree\1");
        assert_int_equal(
                pawl__contents_directory(&out, t->contents, theirs, &t->err), PAWL_ENOTFOUND);
        assert_text(pawl__buf_text(&out), "tree\1");
        pawl__contents_overlay(t->contents, &directories);
        const pawl__directories both = pawl__contents_directories(t->contents);
        pawl__buf_clear(&out);
        assert_ok(both.get(&out, theirs, both.user, &t->err));
        assert_ok(both.get(&out, hash, both.user, &t->err));
        assert_text(pawl__buf_text(&out), "minetree\1");
        pawl__contents_overlay(t->contents, NULL);
        assert_int_equal(
                pawl__contents_directory(&out, t->contents, theirs, &t->err), PAWL_ENOTFOUND);
        event_log_sql(t->f, "UPDATE contents SET size = 1 << 40");
        pawl__contents_close(t->contents); /* which remembers what it has verified */
        assert_ok(pawl__contents_open(&t->contents, t->f->log, &t->err));
        assert_int_equal(pawl__contents_directory(&out, t->contents, hash, &t->err), PAWL_EDAMAGED);
        pawl__buf_free(&out);
}

CONTENTS_TEST(without_memory_nothing_is_put)
{
        char *data = make(10000, 6);
        pawl__buf out = PAWL__BUF_INIT;
        unsigned char hash[32];
        bool has;

        hash_of(t, hash, data, 10000);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                assert_ok(pawl__contents_has(&has, t->contents, hash, &t->err));
                assert_false(has);
                sweep_arm(&s);
                (void)sweep_done(&s, try_put(t, hash, data, 10000), NULL);
        }
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                (void)sweep_done(&s, read_back(t, &out, hash, 10000), NULL);
        }
        assert_memory_equal(out.data, data, 10000);
        pawl__buf_free(&out);
}

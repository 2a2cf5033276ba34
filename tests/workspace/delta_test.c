/* Contents as differences from others: how far one is from a whole one, what damage damages, and
 * that letting a base go keeps what is a difference from it. */
#include "support/event_log.h"
#include "support/sweep.h"
#include "support/vfs.h"
#include "workspace/store/pack.h"
#include "workspace/store/sweep.h"
#include <sys/wait.h>
#include <unistd.h>

enum { VERSIONS = 55, LINES = 100, SWEEP_MAX = 400 };

typedef struct fixture {
        event_log *f;
        pawl__contents *contents;
        pawl__hasher *hasher;
        pawl_error err;
} fixture;

static void open_log(fixture *t)
{
        event_log_open(t->f);
        assert_int_equal(pawl__contents_open(&t->contents, t->f->log, &t->err), PAWL_OK);
}

static void close_log(fixture *t)
{
        pawl__contents_close(t->contents);
        t->contents = NULL;
        event_log_close(t->f);
}

static int set_up(void **state)
{
        fixture *t = calloc(1, sizeof *t);

        assert_non_null(t);
        assert_int_equal(event_log_setup(state), 0);
        t->f = *state;
        t->f->flags = PAWL_LOG_CREATE;
        assert_int_equal(pawl__hasher_new(&t->hasher, &t->err), PAWL_OK);
        fault_reset();
        *state = t;
        return 0;
}

static int tear_down(void **state)
{
        fixture *t = *state;

        fault_reset();
        pawl__contents_close(t->contents);
        pawl__hasher_free(t->hasher);
        *state = t->f;
        free(t);
        return event_log_teardown(state);
}

#define DELTA_TEST(name) UNIT_TEST_WITH(name, set_up, tear_down)

/* Lines of which each version has one other than the version before. */
static void make_version(pawl__buf *out, int version)
{
        pawl__buf_clear(out);
        for (int line = 0; line < LINES; line++) {
                const int last = version - (version - line % LINES + LINES) % LINES;
                pawl__buf_addf(out, "line %d, as version %d has it: %d\n", line,
                        last > 0 ? last : 0, (line * 7919 + (last > 0 ? last : 0)) % 100003);
        }
        assert_false(out->failed);
}

static void hash_version(fixture *t, unsigned char hash[32], int version)
{
        pawl__buf text = PAWL__BUF_INIT;

        make_version(&text, version);
        assert_int_equal(pawl__sha256(t->hasher, hash, text.data, text.len, &t->err), PAWL_OK);
        pawl__buf_free(&text);
}

struct putting {
        fixture *t;
        int version, like;
        pawl__buf text;
        unsigned char hash[32], former[32];
};

static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const struct putting *p = user;

        (void)log, (void)batch;
        return pawl__contents_put_whole(p->t->contents, p->hash, pawl__buf_text(&p->text),
                p->like >= 0 ? p->former : NULL, err);
}

static struct putting prepare(fixture *t, int version, int like)
{
        struct putting p = {.t = t, .version = version, .like = like};

        make_version(&p.text, version);
        hash_version(t, p.hash, version);
        if (like >= 0)
                hash_version(t, p.former, like);
        return p;
}

/* Put a version as one that resembles another; like -1: as none. */
static pawl_status try_put(fixture *t, int version, int like)
{
        struct putting p = prepare(t, version, like);
        const pawl_status status = pawl__contents_commit(t->contents, fill, &p, &t->err);

        pawl__buf_free(&p.text);
        return status;
}

static void put_all(fixture *t)
{
        for (int i = 0; i < VERSIONS; i++)
                assert_int_equal(try_put(t, i, i - 1), PAWL_OK);
}

static pawl_status read_version(fixture *t, int version)
{
        pawl__buf text = PAWL__BUF_INIT, out = PAWL__BUF_INIT;
        unsigned char hash[32];

        make_version(&text, version);
        hash_version(t, hash, version);
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

static void check_read(fixture *t, int from, int to)
{
        for (int i = from; i < to; i++)
                if (read_version(t, i))
                        fail_msg("version %d: %s", i, t->err.message);
}

struct pack_of {
        unsigned char hash[32];
        pawl__pack_place place;
};

static pawl_status find_place(const unsigned char hash[32], pawl__pack_place place, void *user)
{
        struct pack_of *it = user;

        if (memcmp(hash, it->hash, 32) == 0)
                it->place = place;
        return PAWL_OK;
}

/* The step of a version. */
static unsigned step_of(fixture *t, int version)
{
        struct pack_of it = {.place = {0, 0}};
        pawl__buf heads = PAWL__BUF_INIT;
        pawl__pack_member member;

        hash_version(t, it.hash, version);
        assert_int_equal(pawl__log_packed_each(t->f->log, find_place, &it), PAWL_OK);
        assert_true(it.place.pack > 0);
        assert_int_equal(pawl__log_pack_get(&heads, NULL, t->f->log, it.place.pack), PAWL_OK);
        assert_int_equal(pawl__pack_at(&member, pawl__buf_text(&heads), it.place.at), PAWL_OK);
        pawl__buf_free(&heads);
        return member.step;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

DELTA_TEST(versions_are_differences_until_one_is_whole_again)
{
        fixture *t = *state;
        open_log(t);
        put_all(t);
        for (int i = 0; i < VERSIONS; i++)
                assert_int_equal(step_of(t, i), i % (PAWL__PACK_STEPS + 1));
        check_read(t, 0, VERSIONS);
        assert_int_equal(read_version(t, VERSIONS), PAWL_ENOTFOUND);
        /* What resembles nothing that is there, or resembles it too little, is whole. */
        assert_int_equal(try_put(t, VERSIONS, VERSIONS + 50), PAWL_OK);
        assert_int_equal(step_of(t, VERSIONS), 0);
        assert_int_equal(try_put(t, 500, 0), PAWL_OK);
        check_read(t, 500, 501);
}

DELTA_TEST(differences_are_small)
{
        fixture *t = *state;

        open_log(t);
        assert_int_equal(try_put(t, 0, -1), PAWL_OK);
        needs_file();
        const int64_t whole = event_log_integer(t->f, "SELECT sum(length(data)) FROM packs");
        for (int i = 1; i <= PAWL__PACK_RUN; i++)
                assert_int_equal(try_put(t, i, i - 1), PAWL_OK);
        const int64_t all = event_log_integer(t->f, "SELECT sum(length(data)) FROM packs");
        assert_true(all - whole < PAWL__PACK_RUN * 80);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void spoil(fixture *t, int version, const char *sql)
{
        struct pack_of it = {.place = {0, 0}};
        char command[200];

        hash_version(t, it.hash, version);
        assert_int_equal(pawl__log_packed_each(t->f->log, find_place, &it), PAWL_OK);
        snprintf(command, sizeof command, "%s WHERE pack = %d", sql, (int)it.place.pack);
        event_log_sql(t->f, command);
        close_log(t);
        open_log(t);
}

/* All that is a difference from it, and nothing else. */
DELTA_TEST(a_damaged_base_damages_a_bounded_number)
{
        static const struct {
                int version, from, to;
        } cases[] = {{0, 0, 48}, {5, 5, 12}, {12, 12, 12}, {13, 13, 24}, {48, 48, 48},
                {49, 49, VERSIONS - 1}};
        fixture *t = *state;

        open_log(t);
        put_all(t);
        event_log_sql(t->f, "CREATE TABLE kept AS SELECT * FROM packs");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                spoil(t, cases[i].version, "UPDATE packs SET data = zeroblob(length(data))");
                for (int v = 0; v < VERSIONS; v++) {
                        const bool damaged = v >= cases[i].from && v <= cases[i].to;
                        const pawl_status status = read_version(t, v);
                        if (status != (damaged ? PAWL_EDAMAGED : PAWL_OK))
                                fail_msg("%d of %d: %s", v, cases[i].version, t->err.message);
                        if (damaged)
                                assert_says(t->err.message, "cannot be unpacked");
                }
                event_log_sql(t->f, "DELETE FROM packs; INSERT INTO packs SELECT * FROM kept");
        }
}

DELTA_TEST(what_is_put_back_heals_what_is_a_difference_from_it)
{
        fixture *t = *state;

        open_log(t);
        put_all(t);
        spoil(t, 0, "UPDATE packs SET data = zeroblob(length(data))");
        /* No new version is a difference from what cannot be read. */
        assert_int_equal(try_put(t, VERSIONS, 1), PAWL_OK);
        assert_int_equal(step_of(t, VERSIONS), 0);
        check_read(t, VERSIONS, VERSIONS + 1);
        spoil(t, 0, "DELETE FROM packed");
        assert_int_equal(read_version(t, 1), PAWL_EDAMAGED);
        assert_says(t->err.message, "is not in the log");
        assert_int_equal(read_version(t, 0), PAWL_ENOTFOUND);
        assert_int_equal(try_put(t, 0, -1), PAWL_OK);
        check_read(t, 0, VERSIONS + 1);
}

DELTA_TEST(rows_that_are_none_are_damage)
{
        static const char *const statements[] = {"UPDATE packs SET heads = x'ff'",
                "UPDATE packs SET heads = x'00'", "UPDATE packs SET heads = x''",
                "UPDATE packs SET data = x''", "DELETE FROM packs", "UPDATE packed SET at = 7",
                "UPDATE packed SET at = -1", "UPDATE packed SET pack = 99",
                "UPDATE packed SET pack = 0"};
        fixture *t = *state;

        for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
                open_log(t);
                assert_int_equal(try_put(t, 0, -1), PAWL_OK);
                close_log(t);
                event_log_sql(t->f, statements[i]);
                open_log(t);
                assert_int_equal(read_version(t, 0), PAWL_EDAMAGED);
                assert_true(*t->err.message);
                close_log(t);
                event_log_sql(t->f, "DELETE FROM packs; DELETE FROM packed");
        }
}

/* ---- Letting go ------------------------------------------------------------------------------ */

struct keeping {
        fixture *t;
        unsigned char hashes[VERSIONS][32];
        bool stays[VERSIONS];
        bool dry_run;
        pawl__swept out;
};

static bool keeps(const unsigned char hash[32], void *user)
{
        const struct keeping *k = user;

        for (int i = 0; i < VERSIONS; i++)
                if (memcmp(hash, k->hashes[i], 32) == 0)
                        return k->stays[i];
        return false;
}

static pawl_status sweep_fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct keeping *k = user;

        (void)log, (void)batch;
        return pawl__contents_sweep(&k->out, k->t->contents, keeps, k, k->dry_run, err);
}

static struct keeping keep(fixture *t, int from, int to, int step)
{
        struct keeping k = {.t = t};

        for (int i = 0; i < VERSIONS; i++) {
                hash_version(t, k.hashes[i], i);
                k.stays[i] = i >= from && i < to && (i - from) % step == 0;
        }
        return k;
}

static void check_kept(fixture *t, const struct keeping *k)
{
        for (int i = 0; i < VERSIONS; i++) {
                const pawl_status status = read_version(t, i);
                if (status != (k->stays[i] ? PAWL_OK : PAWL_ENOTFOUND))
                        fail_msg("version %d: %d, %s", i, status, t->err.message);
        }
}

DELTA_TEST(what_stays_is_whole_when_its_base_went)
{
        static const int cases[][3] = {{0, VERSIONS, 1}, {1, VERSIONS, 1}, {5, 9, 1}, {12, 14, 1},
                {13, 14, 1}, {0, VERSIONS, 2}, {3, VERSIONS, 5}, {54, 55, 1}, {0, 0, 1}};
        fixture *t = *state;

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                struct keeping k = keep(t, cases[i][0], cases[i][1], cases[i][2]);
                open_log(t);
                put_all(t);
                k.dry_run = true;
                assert_int_equal(
                        pawl__contents_commit(t->contents, sweep_fill, &k, &t->err), PAWL_OK);
                const pawl__swept told = k.out;
                check_read(t, 0, VERSIONS);
                k.dry_run = false;
                assert_int_equal(
                        pawl__contents_commit(t->contents, sweep_fill, &k, &t->err), PAWL_OK);
                assert_int_equal(k.out.contents, told.contents);
                assert_int_equal(k.out.bytes, told.bytes);
                check_kept(t, &k);
                /* Versions go on from what stays. */
                put_all(t);
                check_read(t, 0, VERSIONS);
                k = keep(t, 0, 0, 1);
                assert_int_equal(
                        pawl__contents_commit(t->contents, sweep_fill, &k, &t->err), PAWL_OK);
                check_kept(t, &k);
                close_log(t);
                if (!on_server())
                        assert_int_equal(
                                event_log_integer(t->f, "SELECT (SELECT count(*) FROM packs) + "
                                                        "(SELECT count(*) FROM packed) + "
                                                        "(SELECT count(*) FROM contents)"),
                                0);
        }
}

/* One that cannot be read stays as it is, and keeps nothing else from going. */
DELTA_TEST(what_cannot_be_read_keeps_nothing_else)
{
        fixture *t = *state;
        struct keeping k = keep(t, 4, VERSIONS, 1);
        struct pack_of it = {.place = {0, 0}};
        char sql[200];

        open_log(t);
        put_all(t);
        hash_version(t, it.hash, 2);
        assert_int_equal(pawl__log_packed_each(t->f->log, find_place, &it), PAWL_OK);
        snprintf(sql, sizeof sql, "UPDATE packs SET data = x'00' WHERE pack = %d",
                (int)it.place.pack);
        event_log_sql(t->f, sql);
        close_log(t);
        open_log(t);
        assert_int_equal(pawl__contents_commit(t->contents, sweep_fill, &k, &t->err), PAWL_OK);
        assert_int_equal(k.out.contents, 4);
        for (int i = 0; i < VERSIONS; i++)
                assert_int_equal(read_version(t, i), i < 4     ? PAWL_ENOTFOUND
                                                     : i <= 12 ? PAWL_EDAMAGED
                                                               : PAWL_OK);
}

/* What a pack has beside what goes is put together anew: not a byte of that is left. */
DELTA_TEST(no_byte_of_what_goes_is_left)
{
        fixture *t = *state;
        struct keeping k = keep(t, 0, VERSIONS, 2);

        open_log(t);
        for (int i = 0; i < VERSIONS; i++)
                assert_int_equal(try_put(t, i, -1), PAWL_OK);
        assert_int_equal(pawl__contents_commit(t->contents, sweep_fill, &k, &t->err), PAWL_OK);
        check_kept(t, &k);
        needs_file();
        assert_int_equal(
                event_log_integer(t->f, "SELECT count(*) FROM packs WHERE pack NOT IN (SELECT "
                                        "pack FROM packed)"),
                0);
        assert_int_equal(
                event_log_integer(t->f, "SELECT count(*) FROM packed"), (VERSIONS + 1) / 2);
}

/* A difference that was made before its base went, or moved, is not put. */
DELTA_TEST(a_difference_stands_only_while_its_base_does)
{
        fixture *t = *state;
        struct keeping k = keep(t, 1, 3, 1);
        pawl__buf text = PAWL__BUF_INIT, frame = PAWL__BUF_INIT;
        unsigned char like[32];
        pawl__delta delta;
        bool stands;

        open_log(t);
        for (int i = 0; i < 3; i++)
                assert_int_equal(try_put(t, i, i - 1), PAWL_OK);
        make_version(&text, 3);
        hash_version(t, like, 2);
        assert_int_equal(pawl__contents_encode(
                                 &frame, &delta, t->contents, pawl__buf_text(&text), like, &t->err),
                PAWL_OK);
        assert_int_equal(delta.step, 3);
        assert_int_equal(pawl__contents_stands(&stands, t->contents, &delta, &t->err), PAWL_OK);
        assert_true(stands);
        k.stays[2] = false;
        assert_int_equal(pawl__contents_commit(t->contents, sweep_fill, &k, &t->err), PAWL_OK);
        assert_int_equal(pawl__contents_stands(&stands, t->contents, &delta, &t->err), PAWL_OK);
        assert_false(stands);
        pawl__buf_free(&text);
        pawl__buf_free(&frame);
}

static pawl_status put_in_parts(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const struct putting *p = user;
        pawl__buf packed = PAWL__BUF_INIT;
        pawl_status status =
                pawl__contents_pack(&packed, p->t->contents, p->text.data, p->text.len, err);

        (void)log, (void)batch;
        if (!status)
                status = pawl__contents_put(
                        p->t->contents, p->hash, 0, p->text.len, pawl__buf_text(&packed), err);
        pawl__buf_free(&packed);
        return status;
}

/* As older logs have them: a row each. */
DELTA_TEST(one_in_a_row_of_its_own_is_a_base_too)
{
        fixture *t = *state;
        struct putting p = prepare(t, 0, -1);
        struct keeping k = keep(t, 1, 3, 1);

        open_log(t);
        assert_int_equal(pawl__contents_commit(t->contents, put_in_parts, &p, &t->err), PAWL_OK);
        for (int i = 1; i < 3; i++)
                assert_int_equal(try_put(t, i, i - 1), PAWL_OK);
        assert_int_equal(step_of(t, 2), 2);
        check_read(t, 0, 3);
        assert_int_equal(pawl__contents_commit(t->contents, sweep_fill, &k, &t->err), PAWL_OK);
        check_read(t, 1, 3);
        assert_int_equal(read_version(t, 0), PAWL_ENOTFOUND);
        assert_int_equal(step_of(t, 1), 0);
        pawl__buf_free(&p.text);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* At every operation of the disk while old versions go and a new one comes: either none of it, or
 * all. */
static void sweep_faults(fixture *t, fault_kind kind, bool stays)
{
        char wal[4096];
        size_t len;
        int n, failures = 0;

        needs_file();
        t->f->vfs = FAULT_VFS;
        fault_reset();
        (void)unlink(t->f->path);
        open_log(t);
        put_all(t);
        close_log(t);
        char *image = file_read(t->f->path, &len);
        snprintf(wal, sizeof wal, "%s-wal", t->f->path);
        for (n = 1; n < SWEEP_MAX; n++) {
                struct keeping k = keep(t, 11, VERSIONS, 3);
                int status = 0;

                (void)unlink(wal);
                file_write(t->f->path, image, len);
                pid_t child = process_fork();
                if (child == 0) {
                        open_log(t);
                        fault_at(kind, n, stays);
                        pawl_status is =
                                pawl__contents_commit(t->contents, sweep_fill, &k, &t->err);
                        bool reached = fault_count() >= n;
                        if (is && is != PAWL_EIO && is != PAWL_EFULL)
                                _exit(2);
                        _exit(reached ? is ? 3 : 1 : 0);
                }
                assert_int_equal(waitpid(child, &status, 0), child);
                if (WIFEXITED(status))
                        assert_int_not_equal(WEXITSTATUS(status), 2);
                failures += WIFSIGNALED(status) || WEXITSTATUS(status) == 3;
                open_log(t);
                if (read_version(t, 0) == PAWL_OK)
                        check_read(t, 0, VERSIONS);
                else
                        check_kept(t, &k);
                close_log(t);
                if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
                        break;
        }
        assert_true(n < SWEEP_MAX);
        assert_true(failures >= 3);
        free(image);
}

DELTA_TEST(a_process_killed_meanwhile_leaves_all_or_what_stays)
{
        sweep_faults(*state, FAULT_KILL, false);
}

DELTA_TEST(a_power_cut_meanwhile_leaves_all_or_what_stays)
{
        sweep_faults(*state, FAULT_POWER_CUT, false);
}

DELTA_TEST(a_disk_that_fails_or_is_full_leaves_all_or_what_stays)
{
        sweep_faults(*state, FAULT_EIO, false);
        sweep_faults(*state, FAULT_SHORT, true);
}

DELTA_TEST(without_memory_nothing_is_put_or_let_go)
{
        fixture *t = *state;

        open_log(t);
        put_all(t);
        struct putting p = prepare(t, VERSIONS, VERSIONS - 1);
        struct keeping k = keep(t, 11, VERSIONS, 3);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                const pawl_status status = pawl__contents_commit(t->contents, fill, &p, &t->err);
                if (!sweep_done(&s, status, NULL))
                        assert_int_equal(read_version(t, VERSIONS), PAWL_ENOTFOUND);
        }
        check_read(t, 0, VERSIONS + 1);
        for (sweep s = {.once = true, .keeps = true}; sweep_next(&s);) {
                sweep_arm(&s);
                const pawl_status status =
                        pawl__contents_commit(t->contents, sweep_fill, &k, &t->err);
                if (!sweep_done(&s, status, NULL))
                        check_read(t, 0, VERSIONS);
                else
                        check_kept(t, &k);
        }
        pawl__buf_free(&p.text);
}

TESTS_MAIN(NULL, NULL)

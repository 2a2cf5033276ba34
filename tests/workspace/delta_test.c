/* Contents as differences from others: how far one is from a whole one, what damage damages, and
 * that letting a base go keeps what is a difference from it. */
#include "support/deltas.h"
#include "workspace/store/contents_internal.h"

/* ---- Steps ----------------------------------------------------------------------------------- */

DELTA_TEST(versions_are_differences_until_one_is_whole_again)
{
        deltas_open_log(t);
        deltas_put_all(t);
        for (int i = 0; i < VERSIONS; i++)
                assert_int_equal(deltas_step_of(t, i), i % (PAWL__PACK_STEPS + 1));
        deltas_check_read(t, 0, VERSIONS);
        assert_int_equal(deltas_read_version(t, VERSIONS), PAWL_ENOTFOUND);
        /* What resembles nothing that is there, or resembles it too little, is whole. */
        assert_ok(deltas_try_put(t, VERSIONS, VERSIONS + 50));
        assert_int_equal(deltas_step_of(t, VERSIONS), 0);
        assert_ok(deltas_try_put(t, 500, 0));
        deltas_check_read(t, 500, 501);
}

DELTA_TEST(differences_are_small)
{
        deltas_open_log(t);
        assert_ok(deltas_try_put(t, 0, -1));
        needs_file();
        const int64_t whole = event_log_integer(t->f, "SELECT sum(length(data)) FROM packs");
        for (int i = 1; i <= PAWL__PACK_RUN; i++)
                assert_ok(deltas_try_put(t, i, i - 1));
        const int64_t all = event_log_integer(t->f, "SELECT sum(length(data)) FROM packs");
        assert_true(all - whole < PAWL__PACK_RUN * 80);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void spoil(deltas *t, int version, const char *sql)
{
        deltas_pack_of it = {.place = {0, 0}};
        char command[200];

        deltas_hash_version(t, it.hash, version);
        assert_ok(pawl__log_packed_each(t->f->log, deltas_find_place, &it));
        snprintf(command, sizeof command, "%s WHERE pack = %d", sql, (int)it.place.pack);
        event_log_sql(t->f, command);
        deltas_close_log(t);
        deltas_open_log(t);
}

/* All that is a difference from it, and nothing else. */
DELTA_TEST(a_damaged_base_damages_a_bounded_number)
{
        static const struct {
                int version, from, to;
        } cases[] = {{0, 0, 48}, {5, 5, 12}, {12, 12, 12}, {13, 13, 24}, {48, 48, 48},
                {49, 49, VERSIONS - 1}};

        deltas_open_log(t);
        deltas_put_all(t);
        event_log_sql(t->f, "CREATE TABLE kept AS SELECT * FROM packs");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                spoil(t, cases[i].version, "UPDATE packs SET data = zeroblob(length(data))");
                for (int v = 0; v < VERSIONS; v++) {
                        const bool damaged = v >= cases[i].from && v <= cases[i].to;
                        const pawl_status status = deltas_read_version(t, v);
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
        deltas_open_log(t);
        deltas_put_all(t);
        spoil(t, 0, "UPDATE packs SET data = zeroblob(length(data))");
        /* No new version is a difference from what cannot be read. */
        assert_ok(deltas_try_put(t, VERSIONS, 1));
        assert_int_equal(deltas_step_of(t, VERSIONS), 0);
        deltas_check_read(t, VERSIONS, VERSIONS + 1);
        spoil(t, 0, "DELETE FROM packed");
        assert_int_equal(deltas_read_version(t, 1), PAWL_EDAMAGED);
        assert_says(t->err.message, "is not in the log");
        assert_int_equal(deltas_read_version(t, 0), PAWL_ENOTFOUND);
        assert_ok(deltas_try_put(t, 0, -1));
        deltas_check_read(t, 0, VERSIONS + 1);
}

DELTA_TEST(rows_that_are_none_are_damage)
{
        static const char *const statements[] = {"UPDATE packs SET heads = x'ff'",
                "UPDATE packs SET heads = x'00'", "UPDATE packs SET heads = x''",
                "UPDATE packs SET data = x''", "DELETE FROM packs", "UPDATE packed SET at = 7",
                "UPDATE packed SET at = -1", "UPDATE packed SET pack = 99",
                "UPDATE packed SET pack = 0"};

        for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
                deltas_open_log(t);
                assert_ok(deltas_try_put(t, 0, -1));
                deltas_close_log(t);
                event_log_sql(t->f, statements[i]);
                deltas_open_log(t);
                assert_int_equal(deltas_read_version(t, 0), PAWL_EDAMAGED);
                assert_true(*t->err.message);
                deltas_close_log(t);
                event_log_sql(t->f, "DELETE FROM packs; DELETE FROM packed");
        }
}

/* ---- Letting go ------------------------------------------------------------------------------ */

DELTA_TEST(what_stays_is_whole_when_its_base_went)
{
        static const int cases[][3] = {{0, VERSIONS, 1}, {1, VERSIONS, 1}, {5, 9, 1}, {12, 14, 1},
                {13, 14, 1}, {0, VERSIONS, 2}, {3, VERSIONS, 5}, {54, 55, 1}, {0, 0, 1}};

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                deltas_keeping k = deltas_keep(t, cases[i][0], cases[i][1], cases[i][2]);
                deltas_open_log(t);
                deltas_put_all(t);
                k.dry_run = true;
                assert_ok(pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err));
                const pawl__swept told = k.out;
                deltas_check_read(t, 0, VERSIONS);
                k.dry_run = false;
                assert_ok(pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err));
                assert_int_equal(k.out.contents, told.contents);
                assert_int_equal(k.out.bytes, told.bytes);
                deltas_check_kept(t, &k);
                /* Versions go on from what stays. */
                deltas_put_all(t);
                deltas_check_read(t, 0, VERSIONS);
                k = deltas_keep(t, 0, 0, 1);
                assert_ok(pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err));
                deltas_check_kept(t, &k);
                deltas_close_log(t);
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
        deltas_keeping k = deltas_keep(t, 4, VERSIONS, 1);
        deltas_pack_of it = {.place = {0, 0}};
        char sql[200];

        deltas_open_log(t);
        deltas_put_all(t);
        deltas_hash_version(t, it.hash, 2);
        assert_ok(pawl__log_packed_each(t->f->log, deltas_find_place, &it));
        snprintf(sql, sizeof sql, "UPDATE packs SET data = x'00' WHERE pack = %d",
                (int)it.place.pack);
        event_log_sql(t->f, sql);
        deltas_close_log(t);
        deltas_open_log(t);
        assert_ok(pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err));
        assert_int_equal(k.out.contents, 4);
        for (int i = 0; i < VERSIONS; i++)
                assert_int_equal(deltas_read_version(t, i), i < 4     ? PAWL_ENOTFOUND
                                                            : i <= 12 ? PAWL_EDAMAGED
                                                                      : PAWL_OK);
}

/* What a pack has beside what goes is put together anew: not a byte of that is left. */
DELTA_TEST(no_byte_of_what_goes_is_left)
{
        deltas_keeping k = deltas_keep(t, 0, VERSIONS, 2);

        deltas_open_log(t);
        for (int i = 0; i < VERSIONS; i++)
                assert_ok(deltas_try_put(t, i, -1));
        assert_ok(pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err));
        deltas_check_kept(t, &k);
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
        deltas_keeping k = deltas_keep(t, 1, 3, 1);
        pawl__buf text = PAWL__BUF_INIT, frame = PAWL__BUF_INIT;
        unsigned char like[32];
        pawl__delta delta;
        bool stands;

        deltas_open_log(t);
        for (int i = 0; i < 3; i++)
                assert_ok(deltas_try_put(t, i, i - 1));
        deltas_make_version(&text, 3);
        deltas_hash_version(t, like, 2);
        assert_ok(pawl__contents_encode(
                &frame, &delta, t->contents, pawl__buf_text(&text), like, &t->err));
        assert_int_equal(delta.step, 3);
        assert_ok(pawl__contents_base_valid(&stands, t->contents, &delta, &t->err));
        assert_true(stands);
        k.stays[2] = false;
        assert_ok(pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err));
        assert_ok(pawl__contents_base_valid(&stands, t->contents, &delta, &t->err));
        assert_false(stands);
        pawl__buf_free(&text);
        pawl__buf_free(&frame);
}

static pawl_status put_in_parts(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const deltas_putting *p = user;
        pawl__buf packed = PAWL__BUF_INIT;
        pawl_status status = pawl__contents_compress(&packed, p->t->contents,
                pawl__text_n(p->text.data, p->text.len), (pawl_text){NULL, 0}, err);

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
        deltas_putting p = deltas_prepare(t, 0, -1);
        deltas_keeping k = deltas_keep(t, 1, 3, 1);

        deltas_open_log(t);
        assert_ok(pawl__contents_commit(t->contents, put_in_parts, &p, &t->err));
        for (int i = 1; i < 3; i++)
                assert_ok(deltas_try_put(t, i, i - 1));
        assert_int_equal(deltas_step_of(t, 2), 2);
        deltas_check_read(t, 0, 3);
        assert_ok(pawl__contents_commit(t->contents, deltas_sweep_fill, &k, &t->err));
        deltas_check_read(t, 1, 3);
        assert_int_equal(deltas_read_version(t, 0), PAWL_ENOTFOUND);
        assert_int_equal(deltas_step_of(t, 1), 0);
        pawl__buf_free(&p.text);
}

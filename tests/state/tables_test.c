#include "events/sqlite/sqlite.h"
#include "support/history.h"

/* What PRAGMA table_info says of a table is what the column table says. */
static void columns_match(struct history *h, const pawl__table_def *def)
{
        static const char *const types[] = {
                [PAWL__TEXT] = "TEXT", [PAWL__INT] = "INTEGER", [PAWL__REAL] = "REAL"};
        sqlite3_stmt *stmt;
        int c = 0;

        assert_int_equal(sqlite3_prepare_v2(pawl__log_db(h->log),
                                 "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)",
                                 -1, &stmt, NULL),
                SQLITE_OK);
        sqlite3_bind_text(stmt, 1, def->name, -1, SQLITE_STATIC);
        for (; sqlite3_step(stmt) == SQLITE_ROW; c++) {
                assert_in_range(c, 0, def->stored - 1);
                const pawl__column *column = &def->column[c];
                assert_string_equal((const char *)sqlite3_column_text(stmt, 0), column->name);
                assert_string_equal(
                        (const char *)sqlite3_column_text(stmt, 1), types[column->type]);
                if (column->type != PAWL__TEXT) /* numbers are never absent */
                        assert_int_equal(sqlite3_column_int(stmt, 2), 1);
                assert_int_equal(sqlite3_column_int(stmt, 3), c < def->keys ? c + 1 : 0);
        }
        sqlite3_finalize(stmt);
        assert_int_equal(c, def->stored);
}

HISTORY_TEST(the_schema_has_the_columns_of_the_column_table)
{
        needs_file();
        for (int t = 0; t < PAWL__TABLES; t++)
                columns_match(h, &pawl__tables[t]);
}

UNIT_TEST(a_table_is_whole)
{
        for (int t = 0; t < PAWL__TABLES; t++) {
                const pawl__table_def *def = &pawl__tables[t];
                assert_in_range(def->columns, def->stored, PAWL__COLUMNS_MAX);
                assert_in_range(def->keys, 1, def->stored);
                assert_int_equal(def->column[def->order].type, PAWL__INT);
                if (def->then >= 0)
                        assert_int_equal(def->column[def->then].type, PAWL__INT);
                for (int c = 0; c < def->columns; c++)
                        assert_non_null(def->column[c].name);
                for (int c = 0; c < def->keys; c++) /* texts, or one integer */
                        assert_int_equal(def->column[c].type,
                                def->keys == 1 ? def->column[c].type : PAWL__TEXT);
                assert_int_not_equal(def->column[0].type, PAWL__REAL);
        }
}

static pawl__row step(const char *run, const char *id, int64_t order, int64_t number)
{
        pawl__row row = {0};

        row.v[PAWL__STEP_RUN].text = pawl__text(run);
        row.v[PAWL__STEP_ID].text = pawl__text(id);
        row.v[PAWL__STEP_ORDER_SEQ].integer = order;
        row.v[PAWL__STEP_NUMBER].integer = number;
        return row;
}

UNIT_TEST(rows_are_ordered_by_key_bytes)
{
        pawl__row a = step("r", "a", 9, 9), b = step("r", "b", 1, 1), other = step("q", "z", 1, 1);
        pawl__row absent = step(NULL, "a", 0, 0);

        assert_true(pawl__row_cmp_key(PAWL__STEPS, &a, &b) < 0);
        assert_true(pawl__row_cmp_key(PAWL__STEPS, &b, &a) > 0);
        assert_int_equal(pawl__row_cmp_key(PAWL__STEPS, &a, &a), 0);
        assert_true(pawl__row_cmp_key(PAWL__STEPS, &other, &a) < 0);
        assert_true(pawl__row_cmp_key(PAWL__STEPS, &absent, &other) < 0);
}

UNIT_TEST(rows_are_listed_by_order_then_number_then_key)
{
        pawl__row first = step("z", "z", 1, 2), second = step("a", "a", 2, 1);
        pawl__row later_number = step("a", "a", 1, 3), same = step("a", "a", 1, 2);

        assert_true(pawl__row_cmp_order(PAWL__STEPS, &first, &second) < 0);
        assert_true(pawl__row_cmp_order(PAWL__STEPS, &first, &later_number) < 0);
        assert_true(pawl__row_cmp_order(PAWL__STEPS, &first, &same) > 0);
}

UNIT_TEST(the_first_differing_column_is_named)
{
        pawl__row a = {0}, b = {0};

        assert_int_equal(pawl__row_diff(PAWL__CONFLICTS, &a, &b), -1);
        b.v[PAWL__CON_RESOLVED_SEQ].integer = 1;
        assert_int_equal(pawl__row_diff(PAWL__CONFLICTS, &a, &b), PAWL__CON_RESOLVED_SEQ);
        b.v[PAWL__CON_CONFIDENCE].real = 0.5;
        assert_int_equal(pawl__row_diff(PAWL__CONFLICTS, &a, &b), PAWL__CON_CONFIDENCE);
        b.v[PAWL__CON_TERM].text = pawl__text("");
        assert_int_equal(pawl__row_diff(PAWL__CONFLICTS, &a, &b), PAWL__CON_TERM);
        a.v[PAWL__CON_TERM].text = pawl__text("");
        assert_int_equal(pawl__row_diff(PAWL__CONFLICTS, &a, &b), PAWL__CON_CONFIDENCE);
}

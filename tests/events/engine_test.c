/* What all engines' statements have in common. */
#include "events/engine.h"
#include "support/test.h"

/* One text for all engines: what differs is in braces. */
UNIT_TEST(braces_are_expanded_for_a_file_and_for_a_server)
{
        static const struct {
                const char *sql, *file, *server;
        } cases[] = {
                {"SELECT a FROM {runs} WHERE b = ?1 AND c = ?12",
                        "SELECT a FROM runs WHERE b = ?1 AND c = ?12",
                        "SELECT a FROM (SELECT * FROM pawl.runs WHERE log_id = 7) AS runs "
                        "WHERE b = $1 AND c = $12"},
                {"INSERT INTO {=runs} ({log_id,}a) VALUES ({log,}?1) ON CONFLICT ({log_id,}a) DO NOTHING",
                        "INSERT INTO runs (a) VALUES (?1) ON CONFLICT (a) DO NOTHING",
                        "INSERT INTO pawl.runs (log_id,a) VALUES (7,$1) ON CONFLICT (log_id,a) DO "
                        "NOTHING"},
                {"DELETE FROM {=steps} WHERE {log AND} true", "DELETE FROM steps WHERE  true",
                        "DELETE FROM pawl.steps WHERE log_id = 7 AND true"},
                {"{x} {CROSS JOIN} {y}", "x CROSS JOIN y",
                        "(SELECT * FROM pawl.x WHERE log_id = 7) AS x JOIN "
                        "(SELECT * FROM pawl.y WHERE log_id = 7) AS y"},
                {"BEGIN", "BEGIN", "BEGIN"},
        };
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl__buf_clear(&out);
                assert_ok(pawl__sql_expand(&out, cases[i].sql, NULL, &err));
                assert_string_equal(out.data, cases[i].file);
                pawl__buf_clear(&out);
                assert_ok(pawl__sql_expand(&out, cases[i].sql, "7", &err));
                assert_string_equal(out.data, cases[i].server);
        }
        pawl__buf_free(&out);
}

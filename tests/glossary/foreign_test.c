/* Taking over another tool's events: what the programs' tests do not see. */
#include "events/log.h"
#include "glossary/foreign.h"
#include "support/sweep.h"
#include "support/test.h"

static pawl_status take_all(pawl__foreign *f, const char *text, size_t len, pawl_error *err)
{
        pawl_status status = PAWL_OK;
        size_t line = 1;

        for (const char *p = text, *end; p < text + len && !status; p = end + 1, line++) {
                end = memchr(p, '\n', (size_t)(text + len - p));
                status = pawl__foreign_take(f, pawl__text("m.events.jsonl"), line,
                        pawl__text_n(p, (size_t)(end - p)), err);
        }
        return status;
}

UNIT_TEST(every_failing_allocation_is_said_and_nothing_is_written)
{
        size_t len;
        char *text = file_read(GOLDEN_DIR "/041-billing.events.jsonl", &len);

        for (sweep s = {.least = 60, .spread = 40}; sweep_next(&s);) {
                pawl__foreign *f = NULL;
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                pawl_status status = pawl__foreign_new(&f, pawl__text("user:ana"), &err);
                if (!status)
                        status = take_all(f, text, len, &err);
                if (sweep_done(&s, status, &err))
                        assert_int_equal(pawl__foreign_events(f), 15);
                pawl__foreign_free(f);
        }
}

UNIT_TEST(only_an_empty_log_takes_them)
{
        size_t len;
        char *text = file_read(GOLDEN_DIR "/041-billing.events.jsonl", &len);
        char *directory = directory_make(), *db = path_in(directory, "events.db");
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log;
        pawl__foreign *f;
        pawl_error err = PAWL_ERROR_INIT;

        options.flags = PAWL_LOG_CREATE;
        assert_ok(pawl_log_open(&log, db, &options, &err));
        for (int again = 0; again < 2; again++) {
                assert_ok(pawl__foreign_new(&f, pawl__text("user:ana"), &err));
                assert_ok(take_all(f, text, len, &err));
                assert_int_equal(
                        pawl__foreign_commit(f, log, &err), again ? PAWL_EEXISTS : PAWL_OK);
                pawl__foreign_free(f);
        }
        assert_says(err.message, "has 15 events already; name a log that has none");
        pawl_log_close(log);
}

UNIT_TEST(an_actor_that_is_none_is_refused)
{
        pawl__foreign *f;
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(pawl__foreign_new(&f, pawl__text("a\nb"), &err), PAWL_EINVAL);
        assert_says(err.message, "actor");
}

/* Copies from log to log beside a writer. */
#include "events/copy.h"
#include "support/backup.h"

typedef struct writing {
        pawl_log *log;
        int times;
} writing;

/* Somebody else appends while it is copied. */
static bool append_more(uint64_t done, uint64_t total, void *user)
{
        writing *w = user;

        (void)done;
        assert_int_equal(total, 3);
        w->times++;
        return append_one(w->log, event_scope(NULL), 0) == PAWL_OK;
}

BACKUP_TEST(what_is_appended_meanwhile_is_not_copied_without_what_it_names)
{
        event_log *f = b->f;
        pawl_error err = PAWL_ERROR_INIT;
        uint64_t events = 0;

        event_log_open(f);
        event_log_fill(f, 3);
        pawl_log *to = open_at(b->copy, PAWL_LOG_CREATE);
        writing w = {.log = f->log};
        assert_ok(pawl__log_copy(&events, to, f->log, append_more, &w, &err));
        assert_int_equal(events, 3);
        assert_true(w.times > 1);
        pawl_log_close(to);
        assert_int_equal(event_log_count(f), 3 + w.times);
}

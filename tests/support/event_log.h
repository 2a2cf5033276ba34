/**
 * @file tests/support/event_log.h
 * @brief A log in a fresh directory, with clocks and processes that a test sets.
 */
#pragma once

#include "events/sqlite/sqlite.h"
#include "support/test.h"

enum { PROCESSES = 4 };

typedef struct event_log {
        char *directory, *path;      /* FOLDER/.pawl/events.db, not yet made */
        pawl_log *log;               /* NULL until event_log_open(); closed by the teardown */
        const char *vfs;             /* NULL: the system's */
        const char *key;             /* NULL: none */
        const pawl__wal_limits *wal; /* NULL: as they are */
        unsigned flags, busy_ms, lease_ms;
        int event_v; /* 1, unless a test sets it: its events are made by hand, and no rule judges
                        their order */
        int64_t wall_us, boot_ms;
        pawl__identity self; /* pid 100, started at 7, on host-a, boot-1 */
        struct {
                int64_t pid, start;
        } alive[PROCESSES]; /* the processes that run; pid 0: no such row */
} event_log;

/** cmocka's setup and teardown: a directory, no log yet. */
int event_log_setup(void **state);
/** The same with the log open. */
int event_log_setup_open(void **state);
int event_log_teardown(void **state);

#define LOG_TEST(name) UNIT_TEST_WITH(name, event_log *f, event_log_setup, event_log_teardown)
#define OPEN_LOG_TEST(name)                                                                        \
        UNIT_TEST_WITH(name, event_log *f, event_log_setup_open, event_log_teardown)

/** Another handle on the same file, as the fixture's clocks and identity now stand. */
pawl_status event_log_try(pawl_log **out, event_log *f, pawl_error *err);
/** The same, which must succeed. */
pawl_log *event_log_another(event_log *f);
/** The fixture's own handle: made (with flags) or opened again. */
pawl_log *event_log_open(event_log *f);
void event_log_close(event_log *f);

/** SQL by a plain connection of its own, which must succeed. */
void event_log_sql(event_log *f, const char *sql);
int64_t event_log_integer(event_log *f, const char *sql);
/** How many events a plain connection sees. */
int64_t event_log_count(event_log *f);
/** Let SQL change events: drops the triggers. */
void event_log_unguard(event_log *f);

/** An event of a type that no run owns: GlossaryScopeActivated of that scope. Borrowed. */
pawl_event event_scope(const char *scope_payload);
/** n of these, one append each, which must succeed. */
void event_log_fill(event_log *f, int n);

/** Append one event; the status. */
pawl_status append_one(pawl_log *log, pawl_event event, uint64_t fence);
/** The same, in a batch with a blob of that content. */
pawl_status append_blob(pawl_log *log, const char *content, pawl_event event);

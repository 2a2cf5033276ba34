/**
 * @file tests/support/mission.h
 * @brief A directory with a mission, its log and the journal that its commands write.
 */
#pragma once

#include "state/state.h"
#include "support/test.h"
#include <pawl/mission.h>

struct mission_fixture {
        char *directory, *db, *file;
        pawl_log_options log_options;
        pawl_log *log;
        pawl_mission *mission;
        pawl_run_options options; /**< for run and resume */
        char run_id[40];          /**< options.run_id: "run-1" */
        pawl_run_result *result;  /**< of the last run or resume */
        pawl_error err;
};

int mission_setup(void **state);
int mission_teardown(void **state);
#define MISSION_TEST(name)                                                                         \
        UNIT_TEST_WITH(name, struct mission_fixture *f, mission_setup, mission_teardown)

/** Write FOLDER/NAME. */
void mission_file(struct mission_fixture *f, const char *name, const char *text);
/** Write FOLDER/mission.yaml and read it. */
void mission_write(struct mission_fixture *f, const char *yaml);

pawl_status mission_run(struct mission_fixture *f);
pawl_status mission_resume(struct mission_fixture *f, const char *what);

void mission_open_log(struct mission_fixture *f);
void mission_close_log(struct mission_fixture *f);
/** With the log open: resume the run of f->run_id; or run, if there is none. */
pawl_status mission_go_on(struct mission_fixture *f);
/** With the log closed: it verifies, and folding it from nothing gives what its tables say. */
void mission_check_log(struct mission_fixture *f);

/** Run, or resume @p what, in another process, which ends with the status, made positive, as its
 * exit code. In a session of its own. Returns its pid. */
pid_t mission_fork(struct mission_fixture *f, bool resume, const char *what);
/** Wait for FOLDER/NAME; fails the test after 10 seconds. */
void mission_await(struct mission_fixture *f, const char *name);

/** What the commands wrote into FOLDER/journal; "" when none did. */
char *mission_journal(struct mission_fixture *f);
void mission_journal_is(struct mission_fixture *f, const char *text);

/** Events of a type; all of them for NULL. */
size_t mission_events(struct mission_fixture *f, const char *type);
/** The payload of the last event of a type, malloc'd; "" when there is none. */
char *mission_payload(struct mission_fixture *f, const char *type);
/** That payload holds this. */
void mission_payload_says(struct mission_fixture *f, const char *type, const char *part);
/** The types of all events since @p seq, as "A B C". */
char *mission_types(struct mission_fixture *f, uint64_t since);

/** Give a definition for the open conflict of the last result, as another process would. */
void mission_resolve(struct mission_fixture *f);

/** A step's status, token and cursor, as the last result has them. */
const char *mission_status(struct mission_fixture *f, const char *step_id);
const char *mission_token(struct mission_fixture *f, const char *step_id);
const char *mission_cursor(struct mission_fixture *f, const char *step_id);
bool mission_unfinished(struct mission_fixture *f, const char *step_id);

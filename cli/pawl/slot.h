/**
 * @file cli/pawl/slot.h
 * @brief A worker's slots: a directory each, and the process that carries out a run in it.
 */
#pragma once

#include "command/command.h"
#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct cli_slot {
        char directory[PATH_MAX];
        int lock;         /**< of the directory, while this process lives */
        pid_t pid;        /**< of who carries out a run here; 0: nobody */
        int watch;        /**< readable once that has ended; -1 */
        char run_id[129]; /**< which run */
        int64_t since_ms; /**< by the boot clock */
} cli_slot;

/** Where the slots are: --dir, or beside a log that is a file, or in the user's home. */
PAWL_MUST_CHECK pawl_status cli_slots_directory(
        char out[PATH_MAX], const cli_call *cli, pawl_log *log, pawl_error *err);
/** The next directory, DIR/1, DIR/2, ..., that no worker uses; DIR is made. */
PAWL_MUST_CHECK pawl_status cli_slot_take(
        cli_slot *slot, unsigned *number, const char *directory, pawl_error *err);
/** Let another worker have it. */
void cli_slot_drop(cli_slot *slot);

/** Start `pawl resume RUN` in the slot, with @p more, ended by NULL. It gets TERM if this process
 *  dies, and no signal of the terminal. */
PAWL_MUST_CHECK pawl_status cli_slot_start(
        cli_slot *slot, const char *run_id, const char *const *more, pawl_error *err);
/** Has it ended? Then its exit code, or 128 and its signal. */
bool cli_slot_ended(int *code, cli_slot *slot);
/** Say what happened to its run: a line, or an object. @p status: what became of it; NULL: it
 * began. */
void cli_slot_tell(
        FILE *out, bool as_json, const cli_slot *slot, const char *event, const char *status);

/** A path as it is from everywhere; what it names need not be there. */
PAWL_MUST_CHECK pawl_status cli_absolute(char out[PATH_MAX], const char *path, pawl_error *err);

/** Milliseconds by a clock that does not step. */
int64_t cli_now_ms(void);

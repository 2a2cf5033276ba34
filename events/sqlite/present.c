/*
 * The log that was opened is the log that is written.
 *
 * A step may tidy up with git, or a person with rm, while the log is open. SQLite would go on
 * writing to files that no path leads to. So each transaction looks, once it holds the write lock,
 * whether the path still names the files that are open: three calls, beside a sync.
 *
 * Gone is the log where there is no database, or one without its -wal or -shm. It is put back from
 * this handle, which still has all of it: the pages are copied into a new file in the same
 * directory, which gets the log's name when it is whole, verified and on disk; then this handle
 * goes on with the new file.
 *
 * Another file may be the same log, gone on with, if it holds our last event at its place: another
 * process put it back, or it was taken away and brought back. This handle goes on with that file.
 * If it is not, the transaction is committed to the files that are open, all of it is saved beside
 * the path, and the commit fails: nobody takes what it says for done, and nothing of it is lost.
 *
 * Of two processes that find it gone at once each has held the write lock of the old files since,
 * so that neither has written there after that, and both copy the same. The name is given without
 * replacing anything, or, where the database stands alone, under a lock on the directory. The
 * second writer finds the log in use again.
 *
 * A database without its -wal is replaced rather than repaired: whoever opened it meanwhile took it
 * for a whole log, and connections of one process share the index of the -wal by the file that they
 * have open.
 */
#include "base/file.h"
#include "events/group.h"
#include "events/sqlite/sqlite.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The same log, gone on with -------------------------------------------------------------- */

static pawl_status open_there(pawl_log **out, pawl_log *log, unsigned flags)
{
        const pawl__log_setup setup = {.vfs = log->vfs,
                .identity = &log->self,
                .schema = log->file->schema,
                .wal = &log->file->wal.limits};
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;

        options.flags = flags;
        options.busy_ms = log->busy_ms;
        options.lease_ms = log->lease_ms;
        options.sources = log->sources;
        return pawl__log_open_on(log->engine, out, log->path, &options, &setup, &log->err);
}

/* Does the log hold this event? One that is not read as a log does not. */
static pawl_status holds(bool *out, pawl_log *log, uint64_t seq, const unsigned char hash[32])
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, &arena, log, seq);

        *out = !status && memcmp(event.hash, hash, 32) == 0;
        pawl__arena_free(&arena);
        return status == PAWL_ENOMEM || status == PAWL_EBUSY ? status : PAWL_OK;
}

/* Has the file at the path all events that this handle has? @p whole: and is it whole? */
static pawl_status goes_on(bool *out, pawl_log *log, bool whole)
{
        unsigned char hash[32];
        pawl_verify_result verified;
        pawl_log *there = NULL;
        uint64_t seq;
        pawl_status status = pawl__head_read(&seq, hash, log, &log->err);

        *out = false;
        if (status == PAWL_EDAMAGED && whole)
                return PAWL_OK;
        if (status)
                return status;
        status = open_there(&there, log, PAWL_LOG_READONLY);
        if (!status && strcmp(there->path, log->path) == 0) {
                if (whole)
                        status = pawl__pages_check(there, &there->err);
                if (!status && whole)
                        status = pawl__chain_verify(&verified, there, 0, NULL, NULL, NULL);
                *out = !status && seq == 0;
                if (!status && seq)
                        status = holds(out, there, seq, hash);
                if (status)
                        log->err = there->err;
        }
        pawl_log_close(there);
        return status == PAWL_ENOMEM || status == PAWL_EBUSY ? status : PAWL_OK;
}

/* Replace the connection to the old files by one to the file that is at the path now. */
static pawl_status exchange(pawl_log *log)
{
        pawl_log *fresh = NULL;
        pawl_status status = open_there(&fresh, log, 0);

        if (status)
                return status;
        fresh->key = log->key;
        status = pawl__key_open(fresh, &log->err);
        fresh->key = NULL;
        if (status) {
                pawl_log_close(fresh);
                return status;
        }
        if (log->projecting && log->projector.release)
                log->projector.release(log->projector.user);
        pawl__queries_finalize(log);
        pawl__queries_finalize(fresh);
        struct pawl__file *old = log->file;
        log->file = fresh->file;
        log->file->wal = old->wal;
        log->device = fresh->device;
        log->inode = fresh->inode;
        log->version = fresh->version;
        pawl__connection_adopt(log);
        fresh->file = old;
        (void)sqlite3_db_config(old->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        pawl_log_close(fresh);
        pawl__group_moved(log);
        for (size_t i = 0; i < log->n_leases; i++)
                pawl__run_lock_keep(log, &log->leases[i]);
        return PAWL_OK;
}

void pawl__files_follow(pawl_log *log)
{
        const pawl_error kept = log->err;

        if (!log->group || log->writing || pawl__group_is_at(log))
                return;
        if (exchange(log))
                log->err = kept;
}

/* ---- Saving it elsewhere --------------------------------------------------------------------- */

/* A whole copy under @p path and a name that says up to which event; in *name. */
static pawl_status save_as(pawl__buf *name, bool *whole, pawl_log *log, const char *path)
{
        unsigned char hash[32];
        char hex[65], *made = NULL;
        uint64_t seq;
        pawl_status status = pawl__head_read(&seq, hash, log, &log->err);

        if (status)
                return status;
        pawl__hex(hex, hash, 32);
        pawl__buf_clear(name);
        if (pawl__buf_addf(name, "%s-saved-%llu-%.8s", path, (unsigned long long)seq, hex))
                return pawl__nomem(&log->err);
        status = pawl__copy_make(&made, log, name->data, true, &log->err);
        *whole = status != PAWL_EDAMAGED;
        if (!*whole)
                status = pawl__copy_make(&made, log, name->data, false, &log->err);
        if (status)
                return status;
        if (pawl__rename(AT_FDCWD, made, name->data, false) !=
                0) { /* somebody has that name: its own will do */
                pawl__buf_clear(name);
                status = pawl__buf_adds(name, made) ? pawl__nomem(&log->err) : PAWL_OK;
        }
        free(made);
        made = strndup(name->data, (size_t)(strrchr(name->data, '/') - name->data));
        if (made)
                (void)pawl__sync_directory(*made ? made : "/");
        free(made);
        return status;
}

/* Beside the log, beside its directory where that is none any more or takes nothing, or where
 * temporary files outlive a restart. */
static pawl_status save(pawl__buf *name, bool *whole, pawl_log *log)
{
        char *directory = pawl__directory_of(log), elsewhere[300];
        pawl_status status = PAWL_ENOTFOUND;

        if (!directory)
                return pawl__nomem(&log->err);
        snprintf(elsewhere, sizeof elsewhere, "/var/tmp%s", strrchr(log->path, '/'));
        const char *const places[] = {log->path, directory, elsewhere};
        for (size_t i = pawl__is_directory(directory) ? 0 : 1; i < 3 && status; i++)
                status = save_as(name, whole, log, places[i]);
        free(directory);
        return status;
}

static pawl_status give_up(pawl_log *log, pawl_status status, const char *what, const char *why)
{
        pawl__buf name = PAWL__BUF_INIT;
        bool whole = true;

        if (save(&name, &whole, log)) {
                const pawl_error not_saved = log->err;
                pawl__fail(&log->err, status,
                        "%s: %s, and what was recorded cannot be saved elsewhere (%s); make room and try again while "
                        "this process, which alone has it, goes on",
                        log->path, what, not_saved.message);
        } else {
                pawl__fail(&log->err, status, "%s: %s%s; what %s is saved in %s: %s", log->path,
                        what, why, whole ? "was recorded" : "can still be read of it", name.data,
                        whole ? "put that in its place, or open that"
                              : "see `eventlog verify`, and put back a copy");
                log->lost = log->err;
        }
        pawl__buf_free(&name);
        return status;
}

/* Do not write to the file at the path, not even in a checkpoint of the -wal. */
static void leave_alone(pawl_log *log)
{
        log->file->displaced = true;
        (void)sqlite3_wal_hook(log->file->db, NULL, NULL);
        (void)sqlite3_db_config(log->file->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

pawl_status pawl__files_save(pawl_log *log)
{
        return give_up(log, PAWL_EDAMAGED,
                "is not the log that was opened any more: something else was put there", "");
}

/* ---- Putting it back ------------------------------------------------------------------------- */

/* The directory, and what is missing above it. */
static pawl_status make_directories(pawl_log *log)
{
        char *directory = pawl__directory_of(log);
        int error = 0;

        if (!directory)
                return pawl__nomem(&log->err);
        for (char *at = directory + 1; !error && at[-1]; at++) {
                const char end = *at;
                if (end != '/' && end != '\0')
                        continue;
                *at = '\0';
                if (mkdir(directory, 0700) == 0)
                        error = chmod(directory, 0700) == 0 ? 0 : errno;
                else if (errno != EEXIST)
                        error = errno;
                *at = end;
        }
        free(directory);
        return error ? pawl__fail_errno(&log->err, error, log->path, "make its directory again")
                     : PAWL_OK;
}

/* The -wal and -shm at the path are those of the old files, or empty. */
static void remove_beside(const pawl_log *log)
{
        struct stat st;

        if (pawl__inode_at(log, "-wal", &st) == log->file->wal_inode || st.st_size == 0)
                (void)unlink(log->file->side);
        (void)pawl__inode_at(log, "-shm", &st);
        (void)unlink(log->file->side);
}

/* Give the copy the log's name, if the place is as it was. *done: it has it. */
static pawl_status name_copy(bool *done, pawl_log *log, const char *made, pawl__presence was)
{
        pawl__presence now;
        pawl_status status = pawl__files_presence(&now, log);
        char *directory;

        *done = false;
        if (status || now != was)
                return status;
        if (was == PAWL__FILES_GONE)
                remove_beside(log);
        int error = pawl__rename(AT_FDCWD, made, log->path, was == PAWL__FILES_SIDE_GONE);
        if (error == EEXIST)
                return PAWL_OK;
        if (!error && was == PAWL__FILES_SIDE_GONE)
                remove_beside(log);
        *done = !error;
        directory = pawl__directory_of(log);
        if (!directory)
                return pawl__nomem(&log->err);
        if (!error)
                error = pawl__sync_directory(directory);
        free(directory);
        return error && error != EACCES
                       ? pawl__fail_errno(&log->err, error, log->path, "put the log back")
                       : PAWL_OK;
}

static pawl_status put_back(pawl_log *log, pawl__presence was)
{
        char *made = NULL;
        bool done = false;
        pawl_status status = make_directories(log);

        if (!status)
                status = pawl__copy_make(&made, log, log->path, true, &log->err);
        if (!status) {
                pawl__writer_queue_close(log); /* the old directory */
                pawl__writer_queue_open(log);
                pawl__turn_begin(log);
                status = name_copy(&done, log, made, was);
                pawl__turn_end(log);
                if (!done)
                        (void)unlink(made);
        }
        free(made);
        if (status && !done) {
                const pawl_error why = log->err;
                char reason[PAWL_ERROR_MAX + 4];
                snprintf(reason, sizeof reason, " (%s)", why.message);
                return give_up(log, status, "was removed, and cannot be put back", reason);
        }
        if (done) {
                (void)pawl__log_path_ignore(log);
                pawl__fail(&log->warning, PAWL_ENOTFOUND,
                        "%s: was removed while it was open, and was put back whole; keep what tidies up away from "
                        "its directory",
                        log->path);
        }
        return status;
}

/* The file at the path is not the one that was opened. */
static pawl_status look_into(pawl_log *log, pawl__presence where)
{
        const bool overwritten = where == PAWL__FILES_OVERWRITTEN;
        pawl__presence now = where;
        bool same_log = false;
        struct stat before, st;

        /* Of our own file by another name, or with another -wal, a second connection of this
         * process would not see what is there: they share the index of the -wal. */
        const bool stands = stat(log->path, &before) == 0;
        const bool own = stands && before.st_dev == log->device && before.st_ino == log->inode;
        pawl_status status = PAWL_OK;
        if (!own || (overwritten && pawl__side_files_presence(log) == PAWL__FILES_SAME))
                status = goes_on(&same_log, log, overwritten);
        if (!status && !same_log)
                status = pawl__files_presence(&now, log);
        if (status)
                return status;
        if (!same_log) {
                /* It may have been removed, or put back by another, while it was looked at. */
                if (now == where &&
                        (!stands || (stat(log->path, &st) == 0 && st.st_dev == before.st_dev &&
                                            st.st_ino == before.st_ino)))
                        leave_alone(log);
        } else if (overwritten) {
                pawl__files_note_time(log); /* by what it had already, or merely touched */
        } else {
                return exchange(log);
        }
        return PAWL_OK;
}

pawl_status pawl__files_fix(pawl_log *log)
{
        pawl__presence where = PAWL__FILES_SAME;
        pawl_status status = pawl__files_presence(&where, log);

        if (status || where == PAWL__FILES_SAME)
                return status;
        log->file->whole = true;
        status = where == PAWL__FILES_GONE || where == PAWL__FILES_SIDE_GONE
                         ? put_back(log, where)
                         : look_into(log, where);
        log->file->whole = false;
        return status;
}

pawl_status pawl__files_keep(pawl_log *log)
{
        pawl__waiter waiter = {.log = log};

        if (pawl__files_same(log))
                return PAWL_OK;
        pawl_status status = pawl__waiter_take(&waiter, "look for the log");
        if (status)
                return status;
        status = pawl__tx_begin(log, false);
        if (!status)
                (void)pawl__tx_rollback(log, status, false);
        if (log->file->displaced)
                status = pawl__files_save(log);
        pawl__waiter_end(&waiter, NULL, status);
        return status;
}

pawl_status pawl__sqlite_refresh(pawl_log *log, pawl_error *err)
{
        pawl__files_follow(log);
        if (log->projecting || (log->file->db && !pawl__sqlite_stale(log)))
                return PAWL_OK;
        pawl__disconnect(log);
        pawl_status status = pawl__connect(log, err);
        if (status)
                pawl__disconnect(log);
        return status;
}

/*
 * A copy of the log in one file, while others write.
 *
 * SQLite's online backup reads the pages of one state: the read transaction is opened here and
 * stays open from the first page to the last, in pieces between which the caller is asked whether
 * to go on. (Without it, each piece would be a transaction of its own, and the whole copy begin
 * anew whenever another process has written: beside a busy writer it would never end.) Meanwhile
 * the write-ahead log is pinned: it grows by what is appended while the copy is made.
 *
 * The copy is written to a temporary file in its directory, and renamed when it is whole, verified
 * and on disk; that replaces nothing. A process that dies before leaves a file FILE-backup-XXXXXX,
 * which is not taken for a log and does not disturb other copies.
 *
 * A lease says which process has a run of the log that it is in. No process has a run of the copy:
 * its leases are released there; their fences stay.
 */
#include "base/file.h"
#include "events/own_files.h"
#include "events/sqlite/sqlite.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNNAMED "-backup-XXXXXX" /* after the copy's own name; the end is mkostemp()'s */

enum { PAGES = 1024 }; /* in one piece: 4 MiB */

typedef struct copying {
        pawl_log *log;
        pawl_error *err;
        const char *path;              /* as the caller named it, for messages */
        char *directory, *name, *made; /* absolute; made: the copy, until it has its name */
        size_t size;                   /* of name and made */
        bool as_is;                    /* leases and all, whatever has the name */
        bool there;                    /* is there a file of the name made? */
        pawl_log to; /* what pawl__db_fail() needs of the copy: its name, and its connection */
        struct pawl__file to_file;
        uint64_t pages;
        pawl_backup_fn go_on;
        void *user;
} copying;

static pawl_status fail_to(copying *c, int rc, const char *doing)
{
        c->to.path = (char *)(uintptr_t)c->path;
        c->to.file = &c->to_file;
        return pawl__db_fail(&c->to, rc, doing, c->err);
}

/* ---- Its place ------------------------------------------------------------------------------- */

/* Nothing may have the name, nor one that SQLite would take for a part of the copy. */
static pawl_status check_free(copying *c)
{
        static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
        struct stat st;

        TRY(pawl__own_files_spare(c->log->path, c->path, c->err));
        for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
                snprintf(c->made, c->size, "%s%s", c->name, suffixes[i]);
                /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): it has room */
                int error = lstat(c->made, &st) == 0 ? 0 : errno;
                if (error == ENOENT)
                        continue;
                if (error)
                        return pawl__fail_errno(c->err, error, c->path, "make the copy");
                if (i > 0)
                        return pawl__fail(c->err, PAWL_EEXISTS,
                                "%s%s: is there already and would be taken for a part of the copy; "
                                "move it away or name another file",
                                c->path, suffixes[i]);
                if (S_ISDIR(st.st_mode))
                        return pawl__fail(c->err, PAWL_EEXISTS,
                                "%s: is a directory; add the name of a file", c->path);
                return pawl__fail(c->err, PAWL_EEXISTS,
                        "%s: is there already; move it away or name another file", c->path);
        }
        return PAWL_OK;
}

/* The absolute names: SQLite might take a relative one for a URI. */
static pawl_status find_directory(copying *c)
{
        const char *slash = strrchr(c->path, '/'), *name = slash ? slash + 1 : c->path;
        char *directory = slash ? strndup(c->path, slash == c->path ? 1 : (size_t)(slash - c->path))
                                : strdup(".");

        if (!directory)
                return pawl__nomem(c->err);
        c->directory = realpath(directory, NULL);
        int error = errno;
        free(directory);
        if (!c->directory)
                return pawl__fail_errno(c->err, error, c->path, "make the copy");
        c->size = strlen(c->directory) + strlen(name) + 1 + sizeof UNNAMED;
        c->name = malloc(c->size);
        c->made = malloc(c->size);
        if (!c->name || !c->made)
                return pawl__nomem(c->err);
        snprintf(c->name, c->size, "%s/%s", c->directory, name);
        return PAWL_OK;
}

static pawl_status find_place(copying *c)
{
        if (!c->path || !*c->path)
                return pawl__fail(c->err, PAWL_EINVAL, "copy: the path is empty; name a file");
        if (c->path[strlen(c->path) - 1] == '/')
                return pawl__fail(
                        c->err, PAWL_EINVAL, "%s: is a directory; add the name of a file", c->path);
        pawl_status status = find_directory(c);
        if (!status && !c->as_is)
                status = check_free(c);
        if (status)
                return status;
        snprintf(c->made, c->size, "%s" UNNAMED, c->name);
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): it has room */
        int fd = mkostemp(c->made, O_CLOEXEC);
        if (fd < 0)
                return pawl__fail_errno(c->err, errno, c->path, "make the copy");
        c->there = true;
        int error = fchmod(fd, 0600) == 0 ? 0 : errno;
        close(fd);
        return error ? pawl__fail_errno(c->err, error, c->path, "make the copy") : PAWL_OK;
}

static pawl_status publish(copying *c)
{
        int error = pawl__rename(AT_FDCWD, c->made, c->name, false);

        if (error == EEXIST)
                return pawl__fail(c->err, PAWL_EEXISTS,
                        "%s: was made by another while the copy was; name another file", c->path);
        if (error)
                return pawl__fail_errno(c->err, error, c->path, "name the copy");
        c->there = false;
        error = pawl__sync_directory(c->directory);
        if (!error)
                return PAWL_OK;
        (void)unlink(c->name);
        return pawl__fail_errno(c->err, error, c->path, "write the copy");
}

/* ---- The pages ------------------------------------------------------------------------------- */

/* The connection to the copy needs no journal and syncs nothing: it is thrown away if it fails. Nor
 * does it need locks, which not every file system has that a copy may be on. */
static pawl_status connect_copy(copying *c)
{
        sqlite3 *db = NULL;
        int rc = sqlite3_open_v2(c->made, &db,
                SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                        SQLITE_OPEN_PRIVATECACHE,
                c->log->vfs ? c->log->vfs : "unix-none");

        c->to_file.db = db;
        if (rc == SQLITE_OK)
                rc = sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL,
                        NULL, NULL);
        return fail_to(c, rc, "make the copy");
}

static void disconnect_copy(copying *c)
{
        sqlite3_close_v2(c->to_file.db);
        c->to_file.db = NULL;
}

/* A failure of the copy's disk, or of the log's? */
static bool is_reading(int rc)
{
        switch (rc & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_NOTADB:
                return true;
        default:
                return rc == SQLITE_IOERR_READ || rc == SQLITE_IOERR_SHORT_READ ||
                       rc == SQLITE_IOERR_CORRUPTFS;
        }
}

static pawl_status ask(copying *c, uint64_t done, uint64_t pages)
{
        if (!c->go_on || c->go_on(done, pages, c->user))
                return PAWL_OK;
        return pawl__fail(c->err, PAWL_EINTERRUPTED,
                "%s: the copy was interrupted; nothing of it is left: make it again", c->path);
}

static pawl_status copy_pages(copying *c)
{
        sqlite3_backup *backup =
                sqlite3_backup_init(c->to_file.db, "main", c->log->file->db, "main");
        pawl_status status = PAWL_OK;
        int rc = SQLITE_OK;

        if (!backup)
                return fail_to(c, sqlite3_errcode(c->to_file.db), "make the copy");
        while (!status && rc == SQLITE_OK) {
                rc = sqlite3_backup_step(backup, PAGES);
                int pages = sqlite3_backup_pagecount(backup);
                int left = sqlite3_backup_remaining(backup);
                c->pages = (uint64_t)pages;
                status = ask(c, (uint64_t)(pages - left), c->pages);
        }
        (void)sqlite3_backup_finish(backup);
        if (status || rc == SQLITE_DONE)
                return status;
        return is_reading(rc) ? pawl__db_fail(c->log, rc, "copy it", c->err)
                              : fail_to(c, rc, "write the copy");
}

/* One state of the log, from the first page to the last. */
static pawl_status copy_state(copying *c)
{
        int64_t objects;
        pawl_status status = pawl__db_exec(c->log, "BEGIN", "copy it", c->err);

        if (status)
                return status;
        status = pawl__db_integer(
                &objects, c->log, "SELECT count(*) FROM main.sqlite_schema", c->err);
        if (!status)
                status = connect_copy(c);
        if (!status)
                status = copy_pages(c);
        disconnect_copy(c);
        (void)sqlite3_exec(c->log->file->db, "ROLLBACK", NULL, NULL, NULL);
        if (!status && pawl__sqlite_stale(c->log))
                status = pawl__fail(c->err, PAWL_EBUSY,
                        "%s: a writer came while it was copied; try again", c->log->path);
        return status;
}

/* ---- Finishing the copy ---------------------------------------------------------------------- */

/* "File format version numbers" of the database's header: 2 for a write-ahead log, 1 for none. The
 * pages bring the log's 2 along; with 1, the copy is changed without a -wal beside it. */
static pawl_status set_journal(copying *c, unsigned char version, bool sync)
{
        const unsigned char bytes[2] = {version, version};
        int fd = open(c->made, O_WRONLY | O_CLOEXEC), error = 0;

        if (fd < 0)
                return pawl__fail_errno(c->err, errno, c->path, "write the copy");
        errno = EIO; /* of a write that is too short */
        if (pwrite(fd, bytes, sizeof bytes, 18) != (ssize_t)sizeof bytes ||
                (sync && fsync(fd) != 0))
                error = errno;
        if (close(fd) != 0 && !error)
                error = errno;
        return error ? pawl__fail_errno(c->err, error, c->path, "write the copy") : PAWL_OK;
}

static pawl_status give_leases_back(copying *c)
{
        pawl_status status = connect_copy(c);

        if (!status)
                status = fail_to(c,
                        sqlite3_exec(c->to_file.db, "UPDATE leases SET held = 0 WHERE held <> 0",
                                NULL, NULL, NULL),
                        "write the copy");
        disconnect_copy(c);
        return status;
}

pawl_status pawl__pages_check(pawl_log *log, pawl_error *err)
{
        int64_t sound = 0;
        pawl_status status = pawl__db_integer(
                &sound, log, "SELECT quick_check = 'ok' FROM pragma_quick_check(1)", err);

        if (!status && !sound)
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%s: pages of it are not what they should be; put back a copy", log->path);
        return status;
}

static pawl_status verify_copy(pawl_backup *result, copying *c)
{
        const pawl__log_setup setup = {.vfs = c->log->vfs, .identity = &c->log->self};
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_verify_result verified;
        pawl_log *copy = NULL;
        struct stat st;

        options.flags = PAWL_LOG_READONLY;
        pawl_status status =
                pawl__log_open_on(c->log->engine, &copy, c->made, &options, &setup, c->err);
        if (!status && c->as_is)
                status = pawl__pages_check(copy, c->err);
        if (!status && (status = pawl__chain_verify(&verified, copy, 0, NULL, NULL, NULL)))
                *c->err = copy->err;
        if (!status && (status = pawl_log_head(&result->head_seq, result->head_hash, copy)))
                *c->err = copy->err;
        pawl_log_close(copy);
        if (status == PAWL_EDAMAGED)
                return pawl__fail_prefix(
                        c->err, status, "%s: cannot be copied as it is", c->log->path);
        if (status)
                return status;
        if (stat(c->made, &st) != 0)
                return pawl__fail_errno(c->err, errno, c->path, "write the copy");
        result->events = verified.events;
        result->bytes = (uint64_t)st.st_size;
        return PAWL_OK;
}

static pawl_status make_copy(pawl_backup *result, copying *c)
{
        pawl_status status = find_place(c);

        if (!status)
                status = copy_state(c);
        if (!status)
                status = set_journal(c, 1, false);
        if (!status)
                status = give_leases_back(c);
        if (!status)
                status = set_journal(c, 2, true);
        if (!status)
                status = verify_copy(result, c);
        if (!status)
                status = ask(c, c->pages, c->pages);
        if (!status)
                status = publish(c);
        if (c->there)
                (void)unlink(c->made);
        return status;
}

pawl_status pawl__sqlite_backup(
        pawl_backup *result, pawl_log *log, const char *path, pawl_backup_fn go_on, void *user)
{
        copying c = {.log = log, .err = &log->err, .path = path, .go_on = go_on, .user = user};
        pawl_status status = make_copy(result, &c);

        free(c.directory);
        free(c.name);
        free(c.made);
        return status;
}

pawl_status pawl__copy_make(
        char **made, pawl_log *log, const char *path, bool verified, pawl_error *err)
{
        pawl_backup result;
        copying c = {.log = log, .err = err, .path = path, .as_is = true};
        pawl_status status = find_place(&c);

        if (!status)
                status = copy_state(&c);
        if (!status)
                status = set_journal(&c, 2, true);
        if (!status && verified)
                status = verify_copy(&result, &c);
        if (status && c.there)
                (void)unlink(c.made);
        if (!status) {
                *made = c.made;
                c.made = NULL;
        }
        free(c.directory);
        free(c.name);
        free(c.made);
        return status;
}

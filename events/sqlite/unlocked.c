/*
 * A VFS that locks nothing, for a view of a log that nobody writes (connect.c).
 *
 * SQLite has one, "unix-none", which closes its file at once. But a process that closes any
 * descriptor of a file loses every lock that it has on it, those of its other connections too. A
 * writer in the same process would then be unprotected: another program that closes the log would
 * believe to be the last one, and delete the -wal with acknowledged events. Here the file belongs
 * to the system's VFS, which knows all connections of the process and closes it when none of them
 * has a lock; only the requests for locks are removed.
 */
#include "events/sqlite/sqlite.h"
#include <pthread.h>

static int no_lock(sqlite3_file *file, int level)
{
        (void)file, (void)level;
        return SQLITE_OK;
}

static int none_reserved(sqlite3_file *file, int *reserved)
{
        (void)file;
        *reserved = 0;
        return SQLITE_OK;
}

static int open_file(
        sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out);

/* Made at the first opening, and the same from then on. The mutex guards that, and the name, which
 * is SQLite's no longer than an opening takes. */
static struct {
        pthread_mutex_t mutex;
        sqlite3_vfs vfs;            /* zName NULL: not there yet */
        sqlite3_io_methods methods; /* of a database's file; iVersion 0: not there yet */
} unlocked = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int open_file(
        sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
        sqlite3_vfs *system = vfs->pAppData;
        int rc = system->xOpen(system, name, file, flags, flags_out);

        if (rc != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB))
                return rc;
        if (unlocked.methods.iVersion == 0) { /* within pawl__unlocked_open() */
                unlocked.methods = *file->pMethods;
                unlocked.methods.iVersion = 1; /* and so without shared memory */
                unlocked.methods.xLock = no_lock;
                unlocked.methods.xUnlock = no_lock;
                unlocked.methods.xCheckReservedLock = none_reserved;
        }
        file->pMethods = &unlocked.methods;
        return SQLITE_OK;
}

/* The VFS under a name of its own. */
static bool make_vfs(void)
{
        sqlite3_vfs *system = sqlite3_vfs_find("unix");

        if (unlocked.vfs.zName || !system)
                return system != NULL;
        unlocked.vfs = *system;
        unlocked.vfs.zName = "pawl-unlocked";
        unlocked.vfs.pNext = NULL;
        unlocked.vfs.pAppData = system;
        unlocked.vfs.xOpen = open_file;
        return true;
}

int pawl__unlocked_open(const char *uri, sqlite3 **db, int flags)
{
        int rc = SQLITE_ERROR;

        pthread_mutex_lock(&unlocked.mutex);
        if (make_vfs())
                rc = sqlite3_vfs_register(&unlocked.vfs, 0);
        if (rc == SQLITE_OK) {
                rc = sqlite3_open_v2(uri, db, flags, unlocked.vfs.zName);
                (void)sqlite3_vfs_unregister(&unlocked.vfs);
        }
        pthread_mutex_unlock(&unlocked.mutex);
        return rc;
}

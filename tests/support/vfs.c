#include "support/vfs.h"
#include "support/test.h"
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
        WRITE_LOCK = 1 << 0,
        CHECKPOINT_LOCK = 1 << 1
}; /* of the -shm: SQLite's WAL-mode file format */

typedef struct fault_file {
        sqlite3_file base;
        char name[512];     /* "" for a temporary file */
        bool has_wal;       /* a database whose -shm is mapped */
        int lock;           /* SQLite's on the file */
        unsigned shm_locks; /* those that are exclusive, as bits */
        sqlite3_file *real; /* lies behind this struct */
} fault_file;

/* A write or truncation that was not synced yet: what was there before. */
typedef struct unsynced {
        struct unsynced *older;
        char name[512];
        sqlite3_int64 offset, old_size;
        int len;
        char old[];
} unsynced;

static struct {
        sqlite3_vfs vfs;
        sqlite3_io_methods methods;
        fault_kind kind;
        int at, count;
        int syncs;
        bool stays, registered;
        unsynced *journal; /* the newest first */
        void (*on_sync)(void *user);
        void *sync_user;
        void (*on_checkpoint)(fault_checkpoint at, void *user);
        void *checkpoint_user;
} disk;

/* Over all of disk but the VFS itself: threads may write at once. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static sqlite3_vfs *real_vfs(void)
{
        return disk.vfs.pAppData;
}

static sqlite3_file *real_file(sqlite3_file *file)
{
        return ((fault_file *)file)->real;
}

static void power_cut(void)
{
        for (unsynced *u = disk.journal; u; u = u->older) {
                FILE *file = fopen(u->name, "r+b");
                if (!file)
                        continue;
                fseek(file, (long)u->offset, SEEK_SET);
                fwrite(u->old, 1, (size_t)u->len, file);
                fclose(file);
                if (truncate(u->name, u->old_size) != 0)
                        abort();
        }
}

/* Count one operation; does it go wrong? A process that is to die does not return. */
static bool goes_wrong(void)
{
        pthread_mutex_lock(&mutex);
        disk.count++;
        bool wrong = disk.kind != FAULT_NONE && disk.count >= disk.at &&
                     (disk.count == disk.at || disk.stays);
        if (wrong && disk.kind == FAULT_POWER_CUT) {
                power_cut();
                raise(SIGKILL);
        }
        pthread_mutex_unlock(&mutex);
        return wrong;
}

static fault_kind kind_now(void)
{
        pthread_mutex_lock(&mutex);
        fault_kind kind = disk.kind;
        pthread_mutex_unlock(&mutex);
        return kind;
}

static void remember(fault_file *file, sqlite3_int64 offset, int len)
{
        struct stat st;

        if (kind_now() != FAULT_POWER_CUT || stat(file->name, &st) != 0)
                return;
        unsynced *u = calloc(1, sizeof *u + (size_t)len);
        assert_non_null(u);
        memcpy(u->name, file->name, sizeof u->name);
        u->old_size = st.st_size;
        u->offset = offset;
        if (offset + len > st.st_size)
                len = offset < st.st_size ? (int)(st.st_size - offset) : 0;
        u->len = len;
        if (len && file->real->pMethods->xRead(file->real, u->old, len, offset) != SQLITE_OK)
                abort();
        pthread_mutex_lock(&mutex);
        u->older = disk.journal;
        disk.journal = u;
        pthread_mutex_unlock(&mutex);
}

static void forget(const char *name)
{
        pthread_mutex_lock(&mutex);
        for (unsynced **at = &disk.journal; *at;) {
                unsynced *u = *at;
                if (!name || strcmp(u->name, name) == 0) {
                        *at = u->older;
                        free(u);
                } else {
                        at = &u->older;
                }
        }
        pthread_mutex_unlock(&mutex);
}

/* In WAL mode a checkpoint alone writes the database: beside no commit, and beside no other. */
static void check_alone(const fault_file *file)
{
        const unsigned both = WRITE_LOCK | CHECKPOINT_LOCK;

        if (!file->has_wal || file->lock == SQLITE_LOCK_EXCLUSIVE ||
                (file->shm_locks & both) == both)
                return;
        fprintf(stderr, "%s: a checkpoint writes it beside others\n", file->name);
        abort();
}

static int fault_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset)
{
        sqlite3_file *real = real_file(file);

        check_alone((fault_file *)file);
        if (goes_wrong()) {
                if (kind_now() == FAULT_SHORT || kind_now() == FAULT_KILL)
                        (void)real->pMethods->xWrite(real, data, len / 2, offset);
                if (kind_now() == FAULT_KILL)
                        raise(SIGKILL);
                return kind_now() == FAULT_EIO ? SQLITE_IOERR_WRITE : SQLITE_FULL;
        }
        remember((fault_file *)file, offset, len);
        return real->pMethods->xWrite(real, data, len, offset);
}

static int fault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
        sqlite3_file *real = real_file(file);
        struct stat st;

        check_alone((fault_file *)file);
        if (goes_wrong()) {
                if (kind_now() == FAULT_KILL)
                        raise(SIGKILL);
                return SQLITE_IOERR_TRUNCATE;
        }
        if (stat(((fault_file *)file)->name, &st) == 0 && st.st_size > size)
                remember((fault_file *)file, size, (int)(st.st_size - size));
        return real->pMethods->xTruncate(real, size);
}

static int fault_sync(sqlite3_file *file, int flags)
{
        (void)flags;
        if (goes_wrong()) {
                if (kind_now() == FAULT_KILL)
                        raise(SIGKILL);
                return SQLITE_IOERR_FSYNC;
        }
        pthread_mutex_lock(&mutex);
        void (*on_sync)(void *user) = disk.on_sync;
        void *user = disk.sync_user;
        disk.syncs++;
        pthread_mutex_unlock(&mutex);
        if (on_sync)
                on_sync(user);
        forget(((fault_file *)file)->name);
        return SQLITE_OK; /* the power is only ever cut by this VFS: nothing real need be synced */
}

static int fault_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
        sqlite3_file *real = real_file(file);

        if (extend && goes_wrong()) {
                if (kind_now() == FAULT_KILL)
                        raise(SIGKILL);
                return SQLITE_IOERR_SHMSIZE;
        }
        ((fault_file *)file)->has_wal = true;
        return real->pMethods->xShmMap(real, page, size, extend, out);
}

/* What only passes through. */
static int fault_close(sqlite3_file *file)
{
        return real_file(file)->pMethods->xClose(real_file(file));
}

static int fault_read(sqlite3_file *file, void *data, int len, sqlite3_int64 offset)
{
        return real_file(file)->pMethods->xRead(real_file(file), data, len, offset);
}

static int fault_file_size(sqlite3_file *file, sqlite3_int64 *size)
{
        return real_file(file)->pMethods->xFileSize(real_file(file), size);
}

static int fault_lock(sqlite3_file *file, int lock)
{
        const int rc = real_file(file)->pMethods->xLock(real_file(file), lock);

        if (rc == SQLITE_OK)
                ((fault_file *)file)->lock = lock;
        return rc;
}

static int fault_unlock(sqlite3_file *file, int lock)
{
        ((fault_file *)file)->lock = lock;
        return real_file(file)->pMethods->xUnlock(real_file(file), lock);
}

static int fault_check_lock(sqlite3_file *file, int *out)
{
        return real_file(file)->pMethods->xCheckReservedLock(real_file(file), out);
}

static int fault_control(sqlite3_file *file, int op, void *argument)
{
        return real_file(file)->pMethods->xFileControl(real_file(file), op, argument);
}

static int fault_sector_size(sqlite3_file *file)
{
        return real_file(file)->pMethods->xSectorSize(real_file(file));
}

static int fault_characteristics(sqlite3_file *file)
{
        return real_file(file)->pMethods->xDeviceCharacteristics(real_file(file));
}

static void tell_checkpoint(fault_checkpoint at)
{
        pthread_mutex_lock(&mutex);
        void (*on_checkpoint)(fault_checkpoint at, void *user) = disk.on_checkpoint;
        void *user = disk.checkpoint_user;
        pthread_mutex_unlock(&mutex);
        if (on_checkpoint)
                on_checkpoint(at, user);
}

static int fault_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
        const unsigned bits = ((1u << n) - 1) << offset;
        const bool exclusive = flags & SQLITE_SHM_EXCLUSIVE, locks = flags & SQLITE_SHM_LOCK;
        fault_file *f = (fault_file *)file;

        if (exclusive && locks && bits == CHECKPOINT_LOCK)
                tell_checkpoint(FAULT_CHECKPOINT_BEGINS);
        int rc = f->real->pMethods->xShmLock(f->real, offset, n, flags);
        if (rc == SQLITE_OK && exclusive)
                f->shm_locks = locks ? f->shm_locks | bits : f->shm_locks & ~bits;
        return rc;
}

/* No file is mapped: mmap_size is 0. */
static int fault_fetch(sqlite3_file *file, sqlite3_int64 offset, int len, void **out)
{
        (void)file, (void)offset, (void)len;
        *out = NULL;
        return SQLITE_OK;
}

/* Of what others may have changed, by who has read the header of the -wal's index. */
static int fault_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page)
{
        (void)offset, (void)page;
        if (((fault_file *)file)->shm_locks & CHECKPOINT_LOCK)
                tell_checkpoint(FAULT_CHECKPOINT_HAS_READ);
        return SQLITE_OK;
}

static void fault_shm_barrier(sqlite3_file *file)
{
        real_file(file)->pMethods->xShmBarrier(real_file(file));
}

static int fault_shm_unmap(sqlite3_file *file, int remove)
{
        return real_file(file)->pMethods->xShmUnmap(real_file(file), remove);
}

static int fault_open(
        sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
        fault_file *f = (fault_file *)file;
        sqlite3_vfs *real = real_vfs();

        (void)vfs;
        memset(f, 0, sizeof *f);
        f->real = (sqlite3_file *)(f + 1);
        if (name)
                snprintf(f->name, sizeof f->name, "%s", name);
        if ((flags & SQLITE_OPEN_CREATE) && name && access(name, F_OK) != 0 && goes_wrong()) {
                if (kind_now() == FAULT_KILL)
                        raise(SIGKILL);
                return SQLITE_CANTOPEN;
        }
        int rc = real->xOpen(real, name, f->real, flags, out_flags);
        if (rc == SQLITE_OK)
                f->base.pMethods = &disk.methods;
        return rc;
}

static int fault_delete(sqlite3_vfs *vfs, const char *name, int sync_dir)
{
        (void)vfs;
        if (goes_wrong()) {
                if (kind_now() == FAULT_KILL)
                        raise(SIGKILL);
                return SQLITE_IOERR_DELETE;
        }
        forget(name);
        return real_vfs()->xDelete(real_vfs(), name, sync_dir);
}

static void fault_register(void)
{
        sqlite3_vfs *real = sqlite3_vfs_find(NULL);

        disk.vfs = *real; /* what is not replaced below takes no file and calls the system's own */
        disk.vfs.pNext = NULL;
        disk.vfs.zName = FAULT_VFS;
        disk.vfs.pAppData = real;
        disk.vfs.szOsFile = (int)sizeof(fault_file) + real->szOsFile;
        disk.vfs.xOpen = fault_open;
        disk.vfs.xDelete = fault_delete;
        disk.methods = (sqlite3_io_methods){.iVersion = 3,
                .xClose = fault_close,
                .xRead = fault_read,
                .xWrite = fault_write,
                .xTruncate = fault_truncate,
                .xSync = fault_sync,
                .xFileSize = fault_file_size,
                .xLock = fault_lock,
                .xUnlock = fault_unlock,
                .xCheckReservedLock = fault_check_lock,
                .xFileControl = fault_control,
                .xSectorSize = fault_sector_size,
                .xDeviceCharacteristics = fault_characteristics,
                .xShmMap = fault_shm_map,
                .xShmLock = fault_shm_lock,
                .xShmBarrier = fault_shm_barrier,
                .xShmUnmap = fault_shm_unmap,
                .xFetch = fault_fetch,
                .xUnfetch = fault_unfetch};
        assert_int_equal(sqlite3_vfs_register(&disk.vfs, 0), SQLITE_OK);
        disk.registered = true;
}

void fault_reset(void)
{
        if (!disk.registered)
                fault_register();
        fault_on_sync(NULL, NULL);
        fault_on_checkpoint(NULL, NULL);
        fault_at(FAULT_NONE, 0, false);
}

void fault_at(fault_kind kind, int n, bool stays)
{
        pthread_mutex_lock(&mutex);
        disk.kind = kind;
        disk.at = n;
        disk.stays = stays;
        disk.count = 0;
        disk.syncs = 0;
        pthread_mutex_unlock(&mutex);
        forget(NULL);
}

void fault_on_sync(void (*fn)(void *user), void *user)
{
        pthread_mutex_lock(&mutex);
        disk.on_sync = fn;
        disk.sync_user = user;
        pthread_mutex_unlock(&mutex);
}

void fault_on_checkpoint(void (*fn)(fault_checkpoint at, void *user), void *user)
{
        pthread_mutex_lock(&mutex);
        disk.on_checkpoint = fn;
        disk.checkpoint_user = user;
        pthread_mutex_unlock(&mutex);
}

static int locked(const int *count)
{
        pthread_mutex_lock(&mutex);
        int now = *count;
        pthread_mutex_unlock(&mutex);
        return now;
}

int fault_count(void)
{
        return locked(&disk.count);
}

int fault_syncs(void)
{
        return locked(&disk.syncs);
}

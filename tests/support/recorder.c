#include "support/recorder.h"
#include "events/sqlite/sqlite.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOG "events.db" /* every file of a log begins so */

enum { OPEN_MAX = 32, KINDS = 4, SYSTEM_PAGE = 4096 };

/* The system has one set of methods for files that are locked and one for those that are not. */
typedef struct methods {
        const sqlite3_io_methods *system;
        sqlite3_io_methods own; /* the same, with three of ours */
} methods;

static struct {
        recording *into; /* NULL: nothing is recorded */
        bool registered;
        sqlite3_vfs vfs;
        methods kinds[KINDS];
        struct open_file {
                sqlite3_file *file; /* NULL: free */
                int node;
        } open[OPEN_MAX];
} rec;

/* ---- Writing down --------------------------------------------------------------------------- */

static void *more(void *items, size_t n, size_t *cap, size_t size)
{
        assert_ok(pawl__grow(items, cap, n + 1, size));
        return *(char **)items + n * size;
}

/* The name below the recorded directory; NULL for anything else. */
static const char *below(const char *path)
{
        size_t len = rec.into ? strlen(rec.into->directory) : 0;

        if (!rec.into || !path || strncmp(path, rec.into->directory, len) != 0)
                return NULL;
        if (path[len] == '\0')
                return "";
        return path[len] == '/' ? path + len + 1 : NULL;
}

/* The newest of that name; -1: none. */
static int find(const char *name)
{
        for (size_t i = rec.into->n_nodes; i-- > 0;)
                if (strcmp(rec.into->nodes[i].name, name) == 0)
                        return (int)i;
        return -1;
}

static int add_node(const char *name, bool directory, bool at_start)
{
        recording *r = rec.into;
        char parent[RECORDER_NAME] = "";
        const char *slash = strrchr(name, '/');

        assert_true(strlen(name) < RECORDER_NAME);
        if (slash)
                memcpy(parent, name, (size_t)(slash - name));
        recorder_node *node = more(&r->nodes, r->n_nodes, &r->cap_nodes, sizeof *node);
        memset(node, 0, sizeof *node);
        strcpy(node->born, name);
        strcpy(node->name, name);
        node->directory = directory;
        node->at_start = at_start;
        node->parent = *name ? find(parent) : -1;
        assert_true(!*name || node->parent >= 0);
        return (int)r->n_nodes++;
}

static void add_op(recorder_kind kind, int node, int64_t offset, const void *data, size_t len)
{
        recording *r = rec.into;
        recorder_op *op = more(&r->ops, r->n_ops, &r->cap_ops, sizeof *op);

        *op = (recorder_op){.kind = kind, .node = node, .offset = offset, .len = len};
        if (len) {
                op->data = malloc(len);
                assert_non_null(op->data);
                memcpy(op->data, data, len);
        }
        r->n_ops++;
}

static void made(const char *name, bool directory)
{
        add_op(RECORDER_MAKE, add_node(name, directory, false), 0, NULL, 0);
}

/* ---- Files, through SQLite ------------------------------------------------------------------ */

static struct open_file *slot_of(const sqlite3_file *file)
{
        for (int i = 0; i < OPEN_MAX; i++)
                if (rec.open[i].file == file)
                        return &rec.open[i];
        fail_msg("recorder: no room, or a file that is not open");
        return NULL;
}

static int node_of(const sqlite3_file *file)
{
        return slot_of(file)->node;
}

static const sqlite3_io_methods *system_methods(const sqlite3_file *file)
{
        return ((const methods *)(const void *)((const char *)file->pMethods -
                                                offsetof(methods, own)))
                ->system;
}

/* The system keeps a file by its pages, and writes each to the disk when it likes: an operation a
 * page. */
static int recorder_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset)
{
        int rc = system_methods(file)->xWrite(file, data, len, offset);

        for (int at = 0, n; at < len && rc == SQLITE_OK; at += n) {
                n = SYSTEM_PAGE - (int)((offset + at) % SYSTEM_PAGE);
                n = n < len - at ? n : len - at;
                add_op(RECORDER_WRITE, node_of(file), offset + at, (const char *)data + at,
                        (size_t)n);
        }
        return rc;
}

static int recorder_truncate(sqlite3_file *file, sqlite3_int64 size)
{
        int rc = system_methods(file)->xTruncate(file, size);

        if (rc == SQLITE_OK)
                add_op(RECORDER_TRUNCATE, node_of(file), size, NULL, 0);
        return rc;
}

static int recorder_close(sqlite3_file *file)
{
        slot_of(file)->file = NULL;
        return system_methods(file)->xClose(file);
}

/* The file itself stays the system's. Its xSync() calls fsync() or fdatasync() below, for the file
 * and, where that was made, for its directory. */
static void put_own_methods(sqlite3_file *file)
{
        int kind = 0;

        while (rec.kinds[kind].system && rec.kinds[kind].system != file->pMethods)
                kind++;
        assert_true(kind < KINDS - 1);
        methods *m = &rec.kinds[kind];
        m->system = file->pMethods;
        m->own = *m->system;
        m->own.xWrite = recorder_write;
        m->own.xTruncate = recorder_truncate;
        m->own.xClose = recorder_close;
        file->pMethods = &m->own;
}

static int recorder_open(
        sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
        const char *below_name = below(name);
        bool there = name && access(name, F_OK) == 0;
        int rc = sqlite3_vfs_find(NULL)->xOpen(vfs, name, file, flags, out_flags);

        if (rc != SQLITE_OK || !below_name)
                return rc;
        if (!there)
                made(below_name, false);
        struct open_file *slot = slot_of(NULL);
        slot->file = file;
        slot->node = find(below_name);
        assert_true(slot->node >= 0);
        put_own_methods(file);
        return rc;
}

/* ---- The rest, by anybody ------------------------------------------------------------------- */

static bool concerns(const char *name)
{
        const char *slash = name ? strrchr(name, '/') : NULL;

        return name && strncmp(slash ? slash + 1 : name, LOG, sizeof LOG - 1) == 0;
}

/* The node that a descriptor is open on; -1: none. */
static int node_of_fd(int fd)
{
        char link[40], path[4096];

        if (!rec.into)
                return -1;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t len = readlink(link, path, sizeof path - 1);
        path[len > 0 ? len : 0] = '\0';
        const char *name = below(path);
        return name ? find(name) : -1;
}

static int sync_fd(int fd, long number)
{
        int node = node_of_fd(fd);

        if (node < 0)
                return (int)syscall(number, fd);
        add_op(RECORDER_SYNC, node, 0, NULL, 0);
        return 0;
}

static int unlink_name(const char *path, int result)
{
        const char *name = result == 0 ? below(path) : NULL;

        if (concerns(name) && find(name) >= 0)
                add_op(RECORDER_DELETE, find(name), 0, NULL, 0);
        return result;
}

/* The shared libraries must find them too, whatever is hidden otherwise. */
#pragma GCC visibility push(default)

int fsync(int fd)
{
        return sync_fd(fd, SYS_fsync);
}

int fdatasync(int fd)
{
        return sync_fd(fd, SYS_fdatasync);
}

/* The library makes the directory of a log before it knows its real path: it is asked for after. */
int mkdir(const char *path, mode_t mode)
{
        int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
        char *real = result == 0 && rec.into ? realpath(path, NULL) : NULL;

        if (real && below(real))
                made(below(real), true);
        free(real);
        return result;
}

int mknod(const char *path, mode_t mode, dev_t dev)
{
        int result = (int)syscall(SYS_mknodat, AT_FDCWD, path, mode, (unsigned)dev);

        if (result == 0 && concerns(below(path)))
                made(below(path), false);
        return result;
}

int mkostemp(char *path, int flags)
{
        size_t end = strlen(path) - 6;
        int fd;

        for (unsigned i = 0; i < 1000000; i++) {
                snprintf(path + end, 7, "%06u", ((unsigned)getpid() * 1000 + i) % 1000000);
                fd = open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
                if (fd >= 0 || errno != EEXIST)
                        break;
        }
        if (fd >= 0 && concerns(below(path)))
                made(below(path), false);
        return fd;
}

ssize_t write(int fd, const void *data, size_t len)
{
        int node = node_of_fd(fd);
        off_t offset = node < 0 ? 0 : lseek(fd, 0, SEEK_CUR);
        ssize_t n = syscall(SYS_write, fd, data, len);

        if (n > 0 && node >= 0)
                add_op(RECORDER_WRITE, node, offset, data, (size_t)n);
        return n;
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
        int result = (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
        const char *old_name = result == 0 ? below(from) : NULL, *name = below(to);

        if (old_name && concerns(name)) {
                int node = find(old_name);
                add_op(RECORDER_RENAME, node, 0, name, strlen(name) + 1);
                strcpy(rec.into->nodes[node].name, name);
        }
        return result;
}

int unlink(const char *path)
{
        return unlink_name(path, (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int rmdir(const char *path)
{
        return unlink_name(path, (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

int unlinkat(int fd, const char *path, int flags)
{
        int directory = *path == '/' ? -1 : node_of_fd(fd), result;
        char whole[4096];

        if (directory >= 0)
                snprintf(whole, sizeof whole, "%s/%s/%s", rec.into->directory,
                        rec.into->nodes[directory].name, path);
        result = (int)syscall(SYS_unlinkat, fd, path, flags);
        return directory < 0 ? result : unlink_name(whole, result);
}

#pragma GCC visibility pop

/* ---- Beginning and end ---------------------------------------------------------------------- */

static int scan_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        const char *name = below(path), *last = path + ftw->base;
        size_t len = strlen(path);

        (void)st;
        if (type == FTW_D) {
                add_node(name, true, true);
        } else if (strncmp(last, LOG, sizeof LOG - 1) == 0 && strcmp(path + len - 4, "-shm") != 0) {
                char *data = file_read(path, &len);
                recorder_node *node = &rec.into->nodes[add_node(name, false, true)];
                node->data = malloc(len + 1);
                assert_non_null(node->data);
                memcpy(node->data, data, len);
                node->len = len;
        }
        return 0;
}

static void register_vfs(void)
{
        rec.vfs = *sqlite3_vfs_find(NULL);
        rec.vfs.pNext = NULL;
        rec.vfs.zName = RECORDER_VFS;
        rec.vfs.xOpen = recorder_open;
        assert_int_equal(sqlite3_vfs_register(&rec.vfs, 0), SQLITE_OK);
        rec.registered = true;
}

void recorder_start(recording *r, const char *directory)
{
        assert_null(rec.into);
        if (!rec.registered)
                register_vfs();
        memset(r, 0, sizeof *r);
        r->directory = realpath(directory, NULL);
        assert_non_null(r->directory);
        rec.into = r;
        assert_int_equal(nftw(r->directory, scan_one, 16, FTW_PHYS), 0);
}

void recorder_stop(void)
{
        for (int i = 0; i < OPEN_MAX; i++)
                assert_null(rec.open[i].file);
        rec.into = NULL;
}

void recording_free(recording *r)
{
        for (size_t i = 0; i < r->n_nodes; i++)
                free(r->nodes[i].data);
        for (size_t i = 0; i < r->n_ops; i++)
                free(r->ops[i].data);
        free(r->directory);
        free(r->nodes);
        free(r->ops);
        free(r->heads);
        free(r->promises);
        memset(r, 0, sizeof *r);
}

/* ---- What is promised ----------------------------------------------------------------------- */

static void possible(uint64_t seq, const unsigned char hash[32])
{
        recording *r = rec.into;

        if (r->n_heads && r->heads[r->n_heads - 1].seq == seq)
                return;
        recorder_head *head = more(&r->heads, r->n_heads, &r->cap_heads, sizeof *head);
        head->at = r->n_ops;
        head->seq = seq;
        memcpy(head->hash, hash, 32);
        r->n_heads++;
}

static void promised(void)
{
        recording *r = rec.into;

        if (r->n_promises && r->promises[r->n_promises - 1].head + 1 == r->n_heads)
                return;
        recorder_promise *promise =
                more(&r->promises, r->n_promises, &r->cap_promises, sizeof *promise);
        *promise = (recorder_promise){r->n_ops, r->n_heads - 1};
        r->n_promises++;
}

/* Just before a transaction is written; a lease that is changed alone is none of the log's. */
static int before_commit(void *user)
{
        const pawl_log *log = user;

        if (log->writing)
                possible(log->head_seq, log->head_hash);
        return 0;
}

/* A statement has ended. */
static int after_statement(unsigned what, void *user, void *stmt, void *ns)
{
        pawl_log *log = user;

        (void)what, (void)ns;
        if (strcmp(sqlite3_sql(stmt), "COMMIT") == 0 && sqlite3_get_autocommit(pawl__log_db(log)))
                promised();
        return 0;
}

void recorder_promise_head(pawl_log *log)
{
        unsigned char hash[32];
        uint64_t seq;

        assert_ok(pawl_log_head(&seq, hash, log));
        possible(seq, hash);
        promised();
}

void recorder_watch(pawl_log *log)
{
        recorder_promise_head(log);
        sqlite3_commit_hook(pawl__log_db(log), before_commit, log);
        assert_int_equal(
                sqlite3_trace_v2(pawl__log_db(log), SQLITE_TRACE_PROFILE, after_statement, log),
                SQLITE_OK);
}

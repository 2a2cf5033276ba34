#include "workspace/store/rootdir.h"
#include "base/file.h"
#include "workspace/store/acl.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIECE_MAX = PATH_MAX - 1, RACES = 16 };

static int fail(int error)
{
        errno = error;
        return -1;
}

int pawl__rootdir_open(pawl__rootdir *out, const char *root)
{
        int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0)
                return errno;
        *out = (pawl__rootdir)PAWL__ROOTDIR_INIT;
        out->root = fd;
        return 0;
}

void pawl__rootdir_forget(pawl__rootdir *b)
{
        if (b->directory >= 0)
                close(b->directory);
        b->directory = -1;
}

void pawl__rootdir_close(pawl__rootdir *b)
{
        pawl__rootdir_forget(b);
        if (b->root >= 0)
                close(b->root);
        pawl__buf_free(&b->path);
        b->root = -1;
}

/* ---- Paths ---------------------------------------------------------------------------------- */

/* The length of the path's first name. */
static size_t first_name(pawl_text path)
{
        const char *slash = memchr(path.data, '/', path.len);

        return slash ? (size_t)(slash - path.data) : path.len;
}

bool pawl__rootdir_path_ok(pawl_text path)
{
        if (!path.data || path.len == 0 || memchr(path.data, '\0', path.len))
                return false;
        for (;;) {
                size_t len = first_name(path);
                if (len == 0 || (len == 1 && path.data[0] == '.') ||
                        (len == 2 && path.data[0] == '.' && path.data[1] == '.'))
                        return false;
                if (len == path.len)
                        return true;
                path = (pawl_text){path.data + len + 1, path.len - len - 1};
        }
}

pawl_text pawl__rootdir_parent(pawl_text path)
{
        const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;

        return (pawl_text){path.data, slash ? (size_t)(slash - path.data) : 0};
}

/* ---- Reaching a directory -------------------------------------------------------------------- */

/* As many whole names as one call may take. */
static size_t next_piece(const pawl__rootdir *b, pawl_text rest)
{
        size_t len = first_name(rest);

        if (b->by_component || rest.len <= PIECE_MAX)
                return b->by_component ? len : rest.len;
        while (len < rest.len) {
                size_t more = first_name((pawl_text){rest.data + len + 1, rest.len - len - 1});
                if (len + 1 + more > PIECE_MAX)
                        break;
                len += 1 + more;
        }
        return len;
}

static int open_strictly(int at, const char *piece)
{
        const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
        long fd = -1;

        for (int i = 0; i < RACES; i++) { /* EAGAIN: something was renamed just then */
                fd = syscall(SYS_openat2, at, piece, &how, sizeof how);
                if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
                        break;
        }
        return (int)fd;
}

/* One name. A link is told from what else is no directory, as openat2() does; where it is a
 * directory when it is looked at again, so it is opened again. */
static int open_component(int at, const char *name)
{
        struct stat found = {0};

        for (int i = 0; i < RACES; i++) {
                int fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (fd >= 0 || errno != ENOTDIR)
                        return fd;
                if (fstatat(at, name, &found, AT_SYMLINK_NOFOLLOW) != 0)
                        return -1;
                if (!S_ISDIR(found.st_mode))
                        break;
        }
        return fail(S_ISLNK(found.st_mode) ? ELOOP : ENOTDIR);
}

static int open_piece(pawl__rootdir *b, int at, pawl_text rest, size_t *len)
{
        char piece[PATH_MAX];

        for (;;) {
                *len = next_piece(b, rest);
                if (*len > PIECE_MAX || (b->by_component && *len > NAME_MAX))
                        return fail(ENAMETOOLONG);
                memcpy(piece, rest.data, *len);
                piece[*len] = '\0';
                if (b->by_component)
                        return open_component(at, piece);
                int fd = open_strictly(at, piece);
                if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
                        return fd;
                b->by_component = true; /* no such call, or a sandbox that refuses it */
        }
}

/* On from the directory @p at, which stays open, along @p path. */
static int walk(pawl__rootdir *b, int from, pawl_text path)
{
        int at = from;
        size_t len;

        for (pawl_text rest = path; rest.len; rest = (pawl_text){rest.data + len, rest.len - len}) {
                int next = open_piece(b, at, rest, &len);
                int error = errno;
                if (at != from)
                        close(at);
                if (next < 0)
                        return fail(error);
                at = next;
                len += len < rest.len; /* the slash */
        }
        return at;
}

/* Is @p path below the directory reached last? */
static bool lies_below(const pawl__rootdir *b, pawl_text path)
{
        return b->directory >= 0 && path.len > b->path.len && path.data[b->path.len] == '/' &&
               memcmp(path.data, b->path.data, b->path.len) == 0;
}

/* A handle for calls on names in the directory @p path; it stays the room's own. */
static int reach(pawl__rootdir *b, pawl_text path)
{
        size_t known = 0;
        int from = b->root;

        if (path.len == 0)
                return b->root;
        if (b->directory >= 0 && pawl__text_eq(pawl__buf_text(&b->path), path))
                return b->directory;
        if (lies_below(b, path)) {
                known = b->path.len + 1;
                from = b->directory;
        }
        int fd = walk(b, from, (pawl_text){path.data + known, path.len - known});
        if (fd < 0)
                return -1;
        pawl__rootdir_forget(b);
        pawl__buf_clear(&b->path);
        if (pawl__buf_add(&b->path, path.data, path.len)) {
                close(fd);
                return fail(ENOMEM);
        }
        return b->directory = fd;
}

/* The directory that holds @p path, and its last name. */
static int hold(pawl__rootdir *b, pawl_text path, char name[NAME_MAX + 1])
{
        if (!pawl__rootdir_path_ok(path))
                return fail(EINVAL);
        pawl_text parent = pawl__rootdir_parent(path);
        size_t from = parent.len ? parent.len + 1 : 0, len = path.len - from;
        if (len > NAME_MAX)
                return fail(ENAMETOOLONG);
        memcpy(name, path.data + from, len);
        name[len] = '\0';
        return reach(b, parent);
}

/* ---- Calls on one name ---------------------------------------------------------------------- */

int pawl__rootdir_stat(pawl__rootdir *b, pawl_text path, struct stat *out)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        return at < 0 ? -1 : fstatat(at, name, out, AT_SYMLINK_NOFOLLOW);
}

int pawl__rootdir_file(pawl__rootdir *b, pawl_text path, int flags, mode_t mode)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        if (at < 0)
                return -1;
        return openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
}

/* A directory's own handle, with which it can be read. */
static int reopen(int at)
{
        return at < 0 ? -1 : openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int pawl__rootdir_directory(pawl__rootdir *b, pawl_text path)
{
        if (path.len && !pawl__rootdir_path_ok(path))
                return fail(EINVAL);
        return reopen(reach(b, path));
}

int pawl__rootdir_writable(pawl__rootdir *b, pawl_text path)
{
        if (path.len && !pawl__rootdir_path_ok(path))
                return fail(EINVAL);
        int at = reach(b, path);
        return at < 0 ? -1 : faccessat(at, ".", W_OK | X_OK, AT_EACCESS);
}

int pawl__rootdir_mkdir(pawl__rootdir *b, pawl_text path, mode_t mode)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        return at < 0 ? -1 : mkdirat(at, name, mode);
}

static int remove_name(pawl__rootdir *b, pawl_text path, int flags)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        return at < 0 ? -1 : unlinkat(at, name, flags);
}

int pawl__rootdir_rmdir(pawl__rootdir *b, pawl_text path)
{
        return remove_name(b, path, AT_REMOVEDIR);
}

int pawl__rootdir_unlink(pawl__rootdir *b, pawl_text path)
{
        return remove_name(b, path, 0);
}

int pawl__rootdir_symlink(pawl__rootdir *b, pawl_text path, const char *target)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        return at < 0 ? -1 : symlinkat(target, at, name);
}

ssize_t pawl__rootdir_readlink(pawl__rootdir *b, pawl_text path, char *target, size_t cap)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        return at < 0 ? -1 : readlinkat(at, name, target, cap);
}

int pawl__rootdir_rename(pawl__rootdir *b, const char *from, pawl_text path, bool replace)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        assert(!strchr(from, '/'));
        if (at < 0)
                return -1;
        const int error = pawl__rename(at, from, name, replace);
        errno = error ? error : errno;
        return error ? -1 : 0;
}

int pawl__rootdir_chmod(pawl__rootdir *b, pawl_text path, mode_t mode)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        return at < 0 ? -1 : fchmodat(at, name, mode, AT_SYMLINK_NOFOLLOW);
}

static int open_place(pawl__rootdir *b, pawl_text path)
{
        char name[NAME_MAX + 1];
        int at = hold(b, path, name);

        return at < 0 ? -1 : openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int pawl__rootdir_drop_acl(pawl__rootdir *b, pawl_text path)
{
        const int fd = open_place(b, path);
        if (fd < 0)
                return -1;
        const int done = pawl__acl_drop(fd), error = errno;
        close(fd);
        errno = error;
        return done;
}

int pawl__rootdir_give(pawl__rootdir *b, pawl_text path, uid_t uid, gid_t gid)
{
        struct stat st;
        const int fd = open_place(b, path);
        if (fd < 0)
                return -1;
        int done = fstat(fd, &st);
        const bool differs = !done && (st.st_uid != uid || st.st_gid != gid);
        if (differs && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
                done = fail(ESTALE);
        else if (differs && st.st_uid != geteuid()) /* the file system chose the owner */
                done = fail(EPERM);
        else if (differs)
                done = fchownat(fd, "", uid, gid, AT_EMPTY_PATH);
        const int error = errno;
        close(fd);
        errno = error;
        return done;
}

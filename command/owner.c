#include "command/owner.h"
#include "base/error.h"
#include "base/system.h"
#include "events/own_files.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whom the kernel names as the owner of a file whose owner has no number here, as in a user
 * namespace. */
enum { OVERFLOW_UID = 65534 };

/* As sudo writes it: decimal digits. */
static bool sudo_user(uid_t *out)
{
        const char *text = getenv("SUDO_UID");
        unsigned long long uid = 0;

        if (!text || !*text)
                return false;
        for (; *text; text++) {
                if (*text < '0' || *text > '9' || uid > UINT32_MAX)
                        return false;
                uid = uid * 10 + (unsigned)(*text - '0');
        }
        *out = (uid_t)uid;
        return uid < UINT32_MAX;
}

/* The group of sudo's user, or the one that the file has. */
static gid_t sudo_group(void)
{
        const char *text = getenv("SUDO_GID");
        char *end = NULL;
        const unsigned long gid = text && *text ? strtoul(text, &end, 10) : 0;

        return end && !*end && gid < UINT32_MAX ? (gid_t)gid : (gid_t)-1;
}

/* Only root's own, of one name, and by a handle: nobody puts another file in its place. */
static void give(int directory, const char *name, uid_t uid)
{
        struct stat st;
        const int fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

        if (fd < 0)
                return;
        if (fstat(fd, &st) == 0 && st.st_uid == 0 &&
                (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_nlink == 1)))
                (void)!fchownat(fd, "", uid, sudo_group(), AT_EMPTY_PATH);
        close(fd);
}

void cli_give_to_sudo_user(const char *path, bool made)
{
        const char *name = strrchr(path, '/');
        pawl__buf parent = PAWL__BUF_INIT;
        const struct dirent *found;
        struct stat st;
        uid_t uid;

        if (geteuid() != 0 || !sudo_user(&uid) || uid == 0 || !name)
                return;
        name++;
        pawl__buf_add(&parent, path, (size_t)(name - path));
        DIR *directory = parent.failed ? NULL : opendir(parent.data);
        pawl__buf_free(&parent);
        if (!directory)
                return;
        const int fd = dirfd(directory);
        if (fstat(fd, &st) == 0 && (made || st.st_uid == uid)) {
                while ((found = readdir(directory)))
                        if (strcmp(found->d_name, ".gitignore") == 0 ||
                                pawl__own_file_name(pawl__text(name), pawl__text(found->d_name)))
                                give(fd, found->d_name, uid);
                if (made)
                        give(fd, ".", uid);
        }
        closedir(directory);
}

bool cli_is_own(uid_t uid)
{
        uid_t sudo;

        return uid == geteuid() || (geteuid() == 0 && sudo_user(&sudo) && uid == sudo);
}

static pawl_status refuse_owner(const char *path, uid_t uid, pawl_error *err)
{
        const struct passwd *entry = getpwuid(uid);

        return pawl__fail(err, PAWL_EACCESS,
                "%.300s: belongs to %.64s%s%lu%s, and not to you, so that a log found there is not "
                "used; if it is to be, name it on purpose with --db",
                path, entry ? entry->pw_name : "", entry ? " (uid " : "uid ", (unsigned long)uid,
                entry ? ")" : "");
}

static pawl_status cannot_look(const char *path, int error, pawl_error *err)
{
        if (error != EACCES)
                return pawl__fail_errno(err, error, path, "look at it");
        return pawl__fail(err, PAWL_EACCESS,
                "%.300s: may not be looked into; give yourself permission, or name another log "
                "with --db",
                path);
}

/* What has that name in the directory, and what it leads to. */
static pawl_status check_name(int directory, const char *name, const char *path, pawl_error *err)
{
        static const int flags[] = {AT_SYMLINK_NOFOLLOW, 0};
        struct stat st;

        for (size_t i = 0; i < 2; i++) {
                if (fstatat(directory, name, &st, flags[i]) != 0)
                        return errno == ENOENT ? PAWL_OK : cannot_look(path, errno, err);
                if (!cli_is_own(st.st_uid))
                        return refuse_owner(path, st.st_uid, err);
        }
        if (st.st_mode & 022)
                return pawl__fail(err, PAWL_EACCESS,
                        "%.300s: others may write it (mode %04o), so that a log found there is not "
                        "used; run `chmod go-w` on it, or name the log on purpose with --db",
                        path, (unsigned)st.st_mode & 07777);
        if (st.st_uid == OVERFLOW_UID && faccessat(directory, name, W_OK, AT_EACCESS) != 0)
                return refuse_owner(path, st.st_uid, err);
        return PAWL_OK;
}

/* The same of NAME and SUFFIX in the directory that the first @p len bytes of @p path name. */
static pawl_status check_inside(int directory, pawl__buf *path, size_t len, const char *name,
        const char *suffix, pawl_error *err)
{
        path->len = len;
        if (pawl__buf_addc(path, '/') || pawl__buf_addf(path, "%s%s", name, suffix))
                return pawl__nomem(err);
        return check_name(directory, path->data + len + 1, path->data, err);
}

/* The directory, and the log of that name with what belongs to it there, by the directory's handle:
 * nobody exchanges it in between. */
static pawl_status check_directory(pawl__buf *path, const char *name, pawl_error *err)
{
        static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
        const size_t len = path->len;
        pawl_status status = check_name(AT_FDCWD, path->data, path->data, err);
        const int directory = status ? -1 : open(path->data, O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (status)
                return status;
        if (directory < 0)
                return errno == ENOENT ? PAWL_OK : cannot_look(path->data, errno, err);
        status = check_name(directory, ".", path->data, err);
        for (size_t i = 0; i < sizeof beside / sizeof beside[0] && !status; i++)
                status = check_inside(directory, path, len, name, beside[i], err);
        if (!status)
                status = check_inside(directory, path, len, "config.yaml", "", err);
        close(directory);
        return status;
}

static pawl_status check_place(const char *path, pawl_error *err)
{
        const char *slash = strrchr(path, '/');
        pawl__buf directory = PAWL__BUF_INIT;
        pawl_status status = pawl__buf_add(
                &directory, slash > path ? path : "/", slash > path ? (size_t)(slash - path) : 1);

        status = status ? pawl__nomem(err) : check_directory(&directory, slash + 1, err);
        pawl__buf_free(&directory);
        return status;
}

pawl_status cli_check_owner(const char *path, pawl_error *err)
{
        char *real;
        pawl_status status = check_place(path, err);

        if (status)
                return status;
        real = realpath(path, NULL);
        if (!real)
                return errno == ENOENT ? PAWL_OK : cannot_look(path, errno, err);
        status = check_place(real, err); /* where a link leads */
        free(real);
        return status;
}

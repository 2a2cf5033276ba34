#include "mission/within.h"
#include "base/error.h"
#include "base/system.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The part of an absolute path that is below the root; NULL: it is not below it. */
static const char *below(const char *path, const char *root)
{
        const size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);

        if (strncmp(path, root, len) != 0 || path[len] != '/')
                return NULL;
        path += len + strspn(path + len, "/");
        return *path ? path : NULL;
}

static pawl_status leads_out(const char *path, const char *root, pawl_error *err)
{
        return pawl__fail(
                err, PAWL_EACCESS, "%.200s: leads out of %.200s; name a file in it", path, root);
}

/* Opens the file's name alone: a FIFO does not block, a device is not touched. */
static int open_below(const char *path, const char *root)
{
        const struct open_how how = {
                .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
        const int outer = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (outer < 0)
                return -1;
        const int fd = (int)syscall(SYS_openat2, outer, path, &how, sizeof how);
        const int error = errno;
        close(outer);
        errno = error;
        return fd;
}

pawl_status pawl__file_within(
        char real[PATH_MAX], const char *path, const char *root, pawl_error *err)
{
        char whole[2 * PATH_MAX], here[PATH_MAX], link[40];
        struct stat st;

        if (*path != '/' && !getcwd(here, sizeof here))
                return pawl__fail_errno(err, errno, path, "find it");
        if (*path == '/')
                snprintf(whole, sizeof whole, "%s", path);
        else
                snprintf(whole, sizeof whole, "%s/%s", here, path);
        const char *name = strlen(path) < PATH_MAX ? below(whole, root) : NULL;
        if (!name)
                return leads_out(path, root, err);
        const int fd = open_below(name, root);
        if (fd < 0 && (errno == EXDEV || errno == ELOOP))
                return leads_out(path, root, err);
        if (fd < 0)
                return pawl__fail_errno(err, errno, path, "open it");
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        const ssize_t len = readlink(link, real, PATH_MAX - 1);
        const bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
        close(fd);
        if (len < 0 || len == PATH_MAX - 1)
                return pawl__fail(err, PAWL_EIO, "%.200s: has no path that can be read", path);
        real[len] = '\0';
        return regular ? PAWL_OK
                       : pawl__fail(
                                 err, PAWL_EINVAL, "%.200s: is not a regular file; name one", path);
}

#include "workspace/store/acl.h"
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static const char attribute[] = "system.posix_acl_access";

/* linux/posix_acl_xattr.h: a header of 4 bytes, then the entries. */
typedef struct acl_entry {
        uint16_t tag, rights; /* little-endian, as the id is */
        uint32_t id;
} acl_entry;

enum { USER = 0x02, GROUP_OBJ = 0x04, GROUP = 0x08, MASK = 0x10, ENTRIES = 511 };

uint32_t pawl__acl_mode(int fd, uint32_t mode)
{
        struct {
                uint32_t version;
                acl_entry entries[ENTRIES];
        } list;
        uint32_t group = 7, mask = 7, users = 7, groups = 7; /* those of names: of all of them */
        bool user_named = false, group_named = false;

        if (!(mode & 077))
                return mode;
        const ssize_t len = fgetxattr(fd, attribute, &list, sizeof list);
        if (len < 0)
                return errno == ERANGE ? mode & ~(uint32_t)077 : mode;
        for (size_t i = 0; sizeof list.version + (i + 1) * sizeof *list.entries <= (size_t)len;
                i++) {
                const uint32_t rights = le16toh(list.entries[i].rights);
                switch (le16toh(list.entries[i].tag)) {
                case USER:
                        users &= rights;
                        user_named = true;
                        break;
                case GROUP_OBJ:
                        group = rights;
                        break;
                case GROUP:
                        groups &= rights;
                        group_named = true;
                        break;
                case MASK:
                        mask = rights;
                        break;
                default:
                        break;
                }
        }
        if (user_named) /* the mask limits what names have */
                users &= mask;
        if (group_named)
                groups &= mask;
        return mode & (~(uint32_t)077 | (group & mask & users) << 3 | (users & groups));
}

int pawl__acl_drop(int fd)
{
        char path[32];
        struct stat st;

        snprintf(path, sizeof path, "/proc/self/fd/%d", fd); /* for O_PATH */
        ssize_t len = fgetxattr(fd, attribute, NULL, 0);
        if (len < 0 && errno == EBADF)
                len = getxattr(path, attribute, NULL, 0);
        if (len < 0)
                return errno == ENODATA || errno == EOPNOTSUPP || errno == ENOENT ? 0 : -1;
        if (fstat(fd, &st) != 0 || chmod(path, st.st_mode & 07707) != 0) /* the mask: nothing */
                return -1;
        return removexattr(path, attribute);
}

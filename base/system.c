#include "base/system.h"
#include "base/error.h"
#include <errno.h>
#include <string.h>

enum { SHOWN = 350 /* bytes of a path: the rest of the message fits beside them */ };

typedef struct meaning {
        int error;
        pawl_status status;
        const char *fix;
} meaning;

static const meaning *meaning_of(int error)
{
        static const meaning known[] = {
                {ENOMEM, PAWL_ENOMEM, "free some and try again"},
                {ENOENT, PAWL_ENOTFOUND, "check the path"},
                {ENOTDIR, PAWL_ENOTFOUND, "check the path"},
                {EACCES, PAWL_EACCESS, "check the permissions"},
                {EPERM, PAWL_EACCESS, "check the permissions"},
                {EROFS, PAWL_EREADONLY, "use a file system that can be written"},
                {ENOSPC, PAWL_EFULL, "free some space and try again"},
                {EDQUOT, PAWL_EFULL, "free some space and try again"},
                {EFBIG, PAWL_EFULL, "free some space, or raise the limit of a file, and try again"},
                {ENAMETOOLONG, PAWL_EINVAL, "use a shorter path"},
                {ELOOP, PAWL_EINVAL, "fix the symbolic links"},
        };
        static const meaning other = {0, PAWL_EIO, "check the disk"};

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                if (known[i].error == error)
                        return &known[i];
        return &other;
}

pawl_status pawl__errno_status(int error)
{
        return meaning_of(error)->status;
}

pawl_status pawl__fail_errno_at(pawl_error *err, int error, pawl_text path, const char *doing)
{
        const meaning *is = meaning_of(error);
        const char *why = strerrordesc_np(error); /* which, unlike strerror(), threads may share */

        if (is->status == PAWL_ENOMEM)
                return pawl__nomem(err);
        return pawl__fail(err, is->status, "%.*s: cannot %s: %s; %s",
                (int)pawl__utf8_cut(path.data, path.len, SHOWN), path.data ? path.data : "", doing,
                why ? why : "unknown error", is->fix);
}

pawl_status pawl__fail_errno(pawl_error *err, int error, const char *path, const char *doing)
{
        return pawl__fail_errno_at(err, error, pawl__text(path), doing);
}

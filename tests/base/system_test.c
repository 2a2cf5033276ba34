/* What the errnos of system calls are told as. */
#include "base/system.h"
#include "support/test.h"
#include <errno.h>

static void check(int error, pawl_status status, const char *message)
{
        pawl_error err = PAWL_ERROR_INIT;

        assert_int_equal(pawl__errno_status(error), status);
        assert_int_equal(pawl__fail_errno(&err, error, "a/b", "read it"), status);
        assert_int_equal(err.status, status);
        assert_string_equal(err.message, message);
        assert_int_equal(pawl__fail_errno(NULL, error, "a/b", "read it"), status);
}

UNIT_TEST(every_errno_has_a_status_and_a_fix)
{
        check(ENOENT, PAWL_ENOTFOUND,
                "a/b: cannot read it: No such file or directory; check the path");
        check(ENOTDIR, PAWL_ENOTFOUND, "a/b: cannot read it: Not a directory; check the path");
        check(EACCES, PAWL_EACCESS,
                "a/b: cannot read it: Permission denied; check the permissions");
        check(EPERM, PAWL_EACCESS,
                "a/b: cannot read it: Operation not permitted; check the permissions");
        check(EROFS, PAWL_EREADONLY,
                "a/b: cannot read it: Read-only file system; use a file system that can be written");
        check(ENOSPC, PAWL_EFULL,
                "a/b: cannot read it: No space left on device; free some space and try again");
        check(EDQUOT, PAWL_EFULL,
                "a/b: cannot read it: Disk quota exceeded; free some space and try again");
        check(EFBIG, PAWL_EFULL,
                "a/b: cannot read it: File too large; free some space, or raise the limit of a file, and try again");
        check(ENAMETOOLONG, PAWL_EINVAL,
                "a/b: cannot read it: File name too long; use a shorter path");
        check(ELOOP, PAWL_EINVAL,
                "a/b: cannot read it: Too many levels of symbolic links; fix the symbolic links");
        check(ENOMEM, PAWL_ENOMEM, "out of memory; free some and try again");
}

UNIT_TEST(any_other_is_a_failure_of_the_disk)
{
        check(EIO, PAWL_EIO, "a/b: cannot read it: Input/output error; check the disk");
        check(99999, PAWL_EIO, "a/b: cannot read it: unknown error; check the disk");
}

UNIT_TEST(a_long_path_leaves_room_for_the_mend)
{
        char path[4096];
        pawl_error err = PAWL_ERROR_INIT;

        memset(path, 'x', sizeof path);
        pawl__fail_errno_at(&err, EACCES, (pawl_text){path, sizeof path}, "write the handoff");
        assert_int_equal(strspn(err.message, "x"), 350);
        assert_string_equal(err.message + 350,
                ": cannot write the handoff: Permission denied; check the permissions");
}

UNIT_TEST(a_path_needs_no_end)
{
        pawl_error err = PAWL_ERROR_INIT;

        pawl__fail_errno_at(&err, ENOENT, (pawl_text){"a/bc", 3}, "read it");
        assert_string_equal(
                err.message, "a/b: cannot read it: No such file or directory; check the path");
}

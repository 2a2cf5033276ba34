#include "workspace/git/git_library.h"
#include "base/error.h"

static pawl__git_library library;

#define SYMBOL(name) PAWL__LAZY_SYMBOL(pawl__git_library, name),
static const pawl__lazy_symbol symbols[] = {PAWL__GIT_FUNCTIONS(SYMBOL)};

static bool start(void)
{
        return library.git_libgit2_init() > 0;
}

PAWL__LAZY_NOTE("git", "Moving a branch with the workspace; comparing by lines", "recommended",
        LIBGIT2_SONAME);

static pawl__lazy lazy = {LIBGIT2_SONAME, "libgit2", symbols, sizeof symbols / sizeof symbols[0],
        &library, start, PTHREAD_MUTEX_INITIALIZER, false};

pawl_status pawl__git_load(const pawl__git_library **out, pawl_error *err)
{
        pawl_status status = pawl__lazy_load(&lazy, err);

        if (status == PAWL_OK)
                *out = &library;
        return status;
}

pawl_status pawl__git_fail(pawl_error *err, int code, const char *where, const char *doing)
{
        const git_error *last = library.git_error_last();
        const char *what = last && last->message ? last->message : "no reason given";

        if (last && last->klass == GIT_ERROR_NOMEMORY)
                return pawl__nomem(err);
        switch (code) {
        case GIT_ENOTFOUND:
                return pawl__fail(err, PAWL_ENOTFOUND, "%s: %s: %s; look with `git fsck`", where,
                        doing, what);
        case GIT_EOWNER:
                return pawl__fail(err, PAWL_EACCESS,
                        "%s: %s: the repository belongs to somebody else; `git config --global "
                        "--add safe.directory DIRECTORY` trusts it",
                        where, doing);
        case GIT_ELOCKED:
                return pawl__fail(err, PAWL_EBUSY,
                        "%s: %s: %s; let the git command that is at work end, then try again",
                        where, doing, what);
        default:
                return pawl__fail(err, PAWL_EIO,
                        "%s: %s: %s; look with `git status` and `git fsck`", where, doing, what);
        }
}

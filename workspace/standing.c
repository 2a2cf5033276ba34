/* Where git stands around a workspace. */
#include "base/error.h"
#include "workspace/workspace.h"
#include <unistd.h>

/* Is there a .git in the root or above it? libgit2 is not loaded to find out that there is none. */
static bool has_repository(pawl__buf *path, const char *root)
{
        size_t len = strlen(root);

        for (;;) {
                pawl__buf_clear(path);
                if (pawl__buf_add(path, root, len) || pawl__buf_adds(path, "/.git"))
                        return true; /* no memory to look: let it be asked */
                if (access(path->data, F_OK) == 0)
                        return true;
                while (len > 0 && root[len - 1] != '/')
                        len--;
                if (len == 0)
                        return false;
                len--;
        }
}

static pawl_status open_git(pawl__workspace *ws, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT;
        pawl_error why = PAWL_ERROR_INIT;
        bool there = has_repository(&path, ws->root);

        pawl__buf_free(&path);
        ws->git_asked = true;
        if (!there)
                return PAWL_DONE;
        pawl_status status = pawl__git_open(&ws->git, ws->root, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        return status ? PAWL_DONE : PAWL_OK;
}

pawl_status pawl__workspace_git(
        pawl__git_head *out, pawl__workspace *ws, pawl__arena *arena, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (!ws->git_asked)
                status = open_git(ws, err);
        if (status)
                return status;
        return ws->git ? pawl__git_head_read(out, ws->git, arena, err) : PAWL_DONE;
}

/* Where git stands around a workspace. */
#include "base/error.h"
#include "workspace/git/git_plain.h"
#include "workspace/workspace.h"

static pawl_status open_git(pawl__workspace *ws, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;

        ws->git_asked = true;
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

pawl_status pawl__workspace_head(
        pawl__git_head *out, pawl__workspace *ws, pawl__arena *arena, pawl_error *err)
{
        pawl_status status = pawl__git_head_plain(out, ws->root, arena, err);

        return status == PAWL_ENOTFOUND ? pawl__workspace_git(out, ws, arena, err) : status;
}

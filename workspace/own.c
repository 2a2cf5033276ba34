/* Whether somebody is at a rollback of the workspace, now or before it was interrupted. */
#include "base/error.h"
#include "base/system.h"
#include "state/undo_stacks.h"
#include "workspace/workspace.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

pawl_status pawl__workspace_own(pawl__workspace *ws, pawl_error *err)
{
        if (ws->owned >= 0)
                return PAWL_OK;
        const int fd = open(ws->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return pawl__fail_errno(err, errno, ws->root, "open it");
        ws->owned = fd;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
                return PAWL_OK;
        close(fd);
        ws->owned = -1;
        if (ws->run_id.data)
                return pawl__fail(err, PAWL_EHELD,
                        "directory %.200s: another run is carried out in it; name another",
                        ws->root);
        return pawl__fail(err, PAWL_EHELD,
                "workspace %.200s: somebody else is at a rollback of it; wait for that to end",
                ws->root);
}

pawl_status pawl__workspace_check_idle(pawl__workspace *ws, pawl_error *err)
{
        pawl__reversal is;
        pawl__row row;
        if (ws->run_id.data) /* whose root no rollback is of */
                return PAWL_OK;
        pawl_status status = pawl__state_rollback_pending(&row, ws->state, &ws->arena, err);

        if (status)
                return status == PAWL_ENOTFOUND ? PAWL_OK : status;
        TRY(pawl__workspace_own(ws, err));
        TRY(pawl__reversal_of(&is, &row, ws->state, &ws->arena, err));
        return pawl__fail(err, PAWL_ESTATE,
                "workspace %.200s: %s %s to checkpoint %lld was interrupted; `pawl rollback --finish` "
                "goes on with it, `pawl undo` goes back to where it began",
                ws->root, is == PAWL__IS_UNDO ? "an" : "a", pawl__reversal_word(is),
                (long long)row.v[PAWL__RB_TARGET].integer);
}

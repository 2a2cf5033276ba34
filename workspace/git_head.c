/* Where git stands around a workspace. */
#include "base/error.h"
#include "workspace/git/git_plain.h"
#include "workspace/workspace.h"

/* "ROOT: opening its git repository: WHAT; FIX", in plain words. */
static pawl_text why_unread(const char *message)
{
        const char *what = strstr(message, "repository: "), *fix = strstr(message, "; ");

        if (strstr(message, "sha256"))
                return pawl__text(
                        "its objects have names of SHA-256, which this libgit2 does not read");
        if (strstr(message, "refstorage"))
                return pawl__text(
                        "its branches are in a reftable, which this libgit2 does not read");
        if (!what || !fix || fix < what)
                return pawl__text(message);
        what += sizeof "repository: " - 1;
        return pawl__text_n(what, (size_t)(fix - what));
}

static pawl_status open_git(pawl__workspace *ws, pawl_error *err)
{
        pawl_error why = PAWL_ERROR_INIT;

        ws->git_asked = true;
        pawl_status status = pawl__git_open(&ws->git, ws->root, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (status && status != PAWL_ENOTFOUND) {
                ws->git_unread = pawl__arena_copy(&ws->arena, why_unread(why.message));
                TRY(pawl__arena_check(&ws->arena, err));
        }
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

pawl_status pawl_workspace_checkpoint_subject(
        char **out, size_t *len, pawl_log *log, const char *which, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        pawl__workspace ws;
        pawl__row row;
        pawl__git_head now;
        pawl__buf text = PAWL__BUF_INIT;
        pawl_text commit, subject = {NULL, 0};
        bool ok = true;
        pawl_status status = pawl__workspace_open(&ws, log, NULL, err);

        if (status)
                return status;
        status = pawl__workspace_find(&row, ws.state, which, &ws.arena, err);
        if (!status)
                status = pawl__workspace_git(&now, &ws, &ws.arena, err);
        if (!status) {
                commit = pawl__arena_text(&ws.arena, row.v[PAWL__WCP_GIT_HEAD].text, &ok);
                status = !ok ? pawl__nomem(err)
                         : !commit.data
                                 ? PAWL_DONE
                                 : pawl__git_subject(&subject, ws.git, commit.data, &ws.arena, err);
        }
        if (status == PAWL_DONE)
                status = pawl__fail(err, PAWL_ENOTFOUND,
                        "checkpoint %.100s: no commit of git is known for it; see `pawl show CHECKPOINT`",
                        which);
        char *taken = NULL;
        if (!status && (pawl__buf_add(&text, subject.data, subject.len) ||
                               !(taken = pawl__buf_take(&text, len))))
                status = pawl__nomem(err);
        if (!status)
                *out = taken;
        pawl__buf_free(&text);
        pawl__workspace_close(&ws);
        return status;
}

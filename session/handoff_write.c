/*
 * A document into its file: written beside it under a name of its own, synced, renamed over it, and
 * the folder synced. Whenever this ends, by a full disk or a kill, the file is the old one or the
 * new one. What a kill can leave is a file ".pawl-handoff-UUID" beside it.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "session/session.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS = 40 }; /* that lead one to another, as many as the kernel follows */

typedef struct place {
        pawl__buf target, folder, beside;
        mode_t mode; /* of the file that is there, with has_mode */
        bool has_mode;
} place;

/* ---- Where -------------------------------------------------------------------------------------
 */

static pawl_status set_folder(place *at)
{
        const char *slash = strrchr(at->target.data, '/');
        size_t len = slash ? (size_t)(slash - at->target.data) + 1 : 0;

        pawl__buf_clear(&at->folder);
        return slash ? pawl__buf_add(&at->folder, at->target.data, len)
                     : pawl__buf_adds(&at->folder, "./");
}

/* Follow links from the target until it is none: what they lead to need not be there. */
static pawl_status follow(place *at, const char *path, pawl_error *err)
{
        char link[PATH_MAX];

        if (pawl__buf_adds(&at->target, path) || set_folder(at))
                return pawl__nomem(err);
        for (int i = 0; i < LINKS; i++) {
                ssize_t len = readlink(at->target.data, link, sizeof link - 1);
                if (len < 0) /* none, or nothing there: opening says what is wrong */
                        return PAWL_OK;
                link[len] = '\0';
                pawl__buf_clear(&at->target);
                if ((*link != '/' && pawl__buf_adds(&at->target, at->folder.data)) ||
                        pawl__buf_adds(&at->target, link) || set_folder(at))
                        return pawl__nomem(err);
        }
        return pawl__fail_errno(err, ELOOP, path, "write the handoff");
}

static pawl_status find_place(place *at, pawl_log *log, const char *path, pawl_error *err)
{
        const pawl_sources *sources = pawl__log_sources(log);
        struct stat st;
        char uuid[37];
        pawl_status status;

        if (stat(path, &st) == 0) {
                if (!S_ISREG(st.st_mode))
                        return pawl__fail(err, PAWL_EINVAL,
                                "%s: is not a regular file; name one, or one that there is not",
                                path);
                at->mode = st.st_mode & 07777;
                at->has_mode = true;
        } else if (!*path || path[strlen(path) - 1] == '/') {
                return pawl__fail(err, PAWL_EINVAL, "%s: names no file; add the name of one", path);
        }
        status = follow(at, path, err);
        if (status)
                return status;
        sources->uuid(uuid, sources->user);
        return pawl__buf_addf(&at->beside, "%s.pawl-handoff-%s", at->folder.data, uuid)
                       ? pawl__nomem(err)
                       : PAWL_OK;
}

static void free_place(place *at)
{
        pawl__buf_free(&at->target);
        pawl__buf_free(&at->folder);
        pawl__buf_free(&at->beside);
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

/* The file beside the target, on disk. Returns errno. */
static int write_beside(const place *at, const char *data, size_t len, mode_t new_mode)
{
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a full buffer has data */
        int fd = open(at->beside.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, new_mode);

        return fd < 0 ? errno : pawl__fill_file(fd, at->has_mode ? at->mode : 0, data, len, true);
}

static int put_in_place(const place *at, const char *data, size_t len, mode_t new_mode)
{
        int error = write_beside(at, data, len, new_mode);

        if (!error && rename(at->beside.data, at->target.data) != 0)
                error = errno;
        if (error) {
                if (error != EEXIST)
                        unlink(at->beside.data);
                return error;
        }
        return pawl__sync_directory(at->folder.data);
}

pawl_status pawl__handoff_write(pawl_log *log, const char *session_id, const char *path,
        size_t summary, unsigned new_mode, pawl_error *err)
{
        place at = {PAWL__BUF_INIT, PAWL__BUF_INIT, PAWL__BUF_INIT, 0, false};
        char *text = NULL;
        size_t len;
        pawl_status status = pawl_session_handoff(&text, &len, log, session_id, summary, err);

        if (!status)
                status = find_place(&at, log, path, err);
        if (!status) {
                int error = put_in_place(&at, text, len, (mode_t)new_mode);
                if (error)
                        status = pawl__fail_errno(err, error, path, "write the handoff");
        }
        free_place(&at);
        free(text);
        return status;
}

pawl_status pawl_session_handoff_write(
        pawl_log *log, const char *session_id, const char *path, size_t summary, pawl_error *err)
{
        return pawl__handoff_write(log, session_id, path, summary, 0644, err);
}

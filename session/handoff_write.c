/*
 * A document into its file: written beside it under a name of its own, synced, renamed over it, and
 * the directory synced. Whenever this ends, by a full disk or a kill, the file is the old one or
 * the new one. What a kill can leave is a file ".pawl-handoff-UUID" beside it.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/sources.h"
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
        pawl__buf target, beside;
        size_t directory; /* bytes of the target before its name */
        mode_t mode;      /* of the file that is there; 0: there is none */
} place;

static size_t directory_len(const char *path)
{
        const char *slash = strrchr(path, '/');

        return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Follow links from the target until it is none: what they lead to need not be there. */
static pawl_status follow(pawl__buf *target, const char *path, pawl_error *err)
{
        char link[PATH_MAX];

        pawl__buf_adds(target, path);
        for (int i = 0; !target->failed; i++) {
                ssize_t len = readlink(target->data, link, sizeof link - 1);
                if (len < 0) /* none, or nothing there: opening says what is wrong */
                        return PAWL_OK;
                if (i == LINKS)
                        return pawl__fail_errno(err, ELOOP, path, "write the handoff");
                link[len] = '\0';
                target->len = *link == '/' ? 0 : directory_len(target->data);
                pawl__buf_adds(target, link);
        }
        return pawl__nomem(err);
}

static pawl_status find_place(place *at, pawl_log *log, const char *path, pawl_error *err)
{
        const pawl_sources *sources = pawl__log_sources(log);
        struct stat st;
        char uuid[37];

        if (stat(path, &st) == 0) {
                if (!S_ISREG(st.st_mode))
                        return pawl__fail(err, PAWL_EINVAL,
                                "%s: is not a regular file; name one, or one that there is not",
                                path);
                at->mode = st.st_mode;
        } else if (!*path || path[strlen(path) - 1] == '/') {
                return pawl__fail(err, PAWL_EINVAL, "%s: names no file; add the name of one", path);
        }
        pawl_status status = follow(&at->target, path, err);
        if (status)
                return status;
        sources->uuid(uuid, sources->user);
        at->directory = directory_len(at->target.data);
        pawl__buf_add(&at->beside, at->target.data, at->directory);
        pawl__buf_addf(&at->beside, ".pawl-handoff-%s", uuid);
        return pawl__buf_check(&at->beside, err);
}

/* Write beside the target, and rename. Returns errno. */
static int put_in_place(place *at, const char *data, size_t len, mode_t new_mode)
{
        int fd = open(at->beside.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, new_mode);

        if (fd < 0)
                return errno;
        int error = pawl__fill_file(fd, at->mode, data, len, true);
        if (!error)
                error = pawl__rename(AT_FDCWD, at->beside.data, at->target.data, true);
        if (error) {
                unlink(at->beside.data);
                return error;
        }
        at->target.data[at->directory] = '\0';
        return pawl__sync_directory(at->directory ? at->target.data : ".");
}

pawl_status pawl__handoff_write(pawl_log *log, const char *session_id, const char *path,
        size_t summary, unsigned new_mode, pawl_error *err)
{
        place at = {PAWL__BUF_INIT, PAWL__BUF_INIT, 0, 0};
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
        pawl__buf_free(&at.target);
        pawl__buf_free(&at.beside);
        free(text);
        return status;
}

pawl_status pawl_session_handoff_write(
        pawl_log *log, const char *session_id, const char *path, size_t summary, pawl_error *err)
{
        return pawl__handoff_write(log, session_id, path, summary, 0644, err);
}

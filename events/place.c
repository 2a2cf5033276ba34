/* Where on this machine the files lie that belong to a log and are not in it. */
#include "base/file.h"
#include "base/system.h"
#include "events/address.h"
#include "events/log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char directory_name[] = "/.pawl", file_name[] = "/events.db";

/* Also that of a server that Pawl does not know: taken for a path it would make directories. */
bool pawl__log_is_url(const char *name)
{
        const size_t scheme = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz"
                                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-")
                                   : 0;

        return scheme && strncmp(name + scheme, "://", 3) == 0;
}

pawl_status pawl__log_shown(pawl__buf *out, const char *name, pawl_error *err)
{
        pawl__address address;

        if (!pawl__log_is_url(name)) {
                pawl__buf_adds(out, name);
                return pawl__buf_check(out, err);
        }
        pawl_status status = pawl__address_parse(&address, name, err);
        if (!status)
                pawl__buf_adds(out, address.shown);
        pawl__address_free(&address);
        return status ? status : pawl__buf_check(out, err);
}

static bool has_directory(pawl__buf *path, size_t len)
{
        struct stat st;

        path->len = len;
        pawl__buf_adds(path, directory_name);
        return !path->failed && stat(path->data, &st) == 0 && S_ISDIR(st.st_mode);
}

pawl_status pawl__log_place_find(pawl__buf *out, const char *name, pawl_error *err)
{
        if (!pawl__log_is_url(name)) {
                pawl__buf_adds(out, name);
                return pawl__buf_check(out, err);
        }
        char *here = getcwd(NULL, 0);
        if (!here)
                return pawl__fail_errno(err, errno, "the working directory", "find it");
        pawl__buf_adds(out, here);
        for (size_t len = strlen(here);; len--) {
                const size_t directory = len == 1 ? 0 : len; /* "/" and "/.pawl", not "//.pawl" */
                if (has_directory(out, directory))
                        break;
                while (len > 1 && here[len - 1] != '/')
                        len--;
                if (directory == 0) { /* there is none: here */
                        const size_t whole = strlen(here);
                        pawl__buf_clear(out);
                        pawl__buf_adds(out, whole == 1 ? "" : here);
                        pawl__buf_adds(out, directory_name);
                        break;
                }
                if (len == 1)
                        len = 2; /* the root is next */
        }
        free(here);
        pawl__buf_adds(out, file_name);
        return pawl__buf_check(out, err);
}

pawl_status pawl__log_place_make(const pawl_log *log, pawl_error *err)
{
        const char *place = pawl__log_place(log);
        pawl__buf path = PAWL__BUF_INIT;

        if (place == pawl__log_path(log)) /* its directory was made with it */
                return PAWL_OK;
        pawl__buf_add(&path, place, (size_t)(strrchr(place, '/') - place));
        pawl_status status = pawl__buf_check(&path, err);
        if (!status && mkdir(path.data, 0700) == 0) {
                pawl__buf_adds(&path, "/.gitignore");
                if (!path.failed)
                        (void)pawl__ignore_beside(AT_FDCWD, path.data); /* not worth a failure */
        } else if (!status && errno != EEXIST) {
                status = pawl__fail_errno(err, errno, path.data, "make the directory");
        }
        pawl__buf_free(&path);
        return status;
}

#include "command/key.h"
#include "base/error.h"
#include "base/mac.h"
#include "base/system.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name of the key's file, or NULL. */
static const char *file_name(const cli_call *cli)
{
        const char *name = cli_value(cli, "key-file");

        if (!name)
                name = getenv("PAWL_KEY_FILE");
        return name && *name ? name : NULL;
}

static pawl_status fail(const char *name, pawl_error *err)
{
        return pawl__fail(err, pawl__errno_status(errno),
                "key file %.300s: %s; name a file with the key that can be read", name,
                strerror(errno));
}

/* Of the file that is open, so that what is looked at is what is read. */
static pawl_status check_file(int fd, const char *name, pawl_error *err)
{
        struct stat st;

        if (fstat(fd, &st) != 0)
                return fail(name, err);
        if (S_ISDIR(st.st_mode))
                return pawl__fail(err, PAWL_EINVAL,
                        "key file %.300s: is a directory; name the file that holds the key", name);
        if (st.st_mode & 077)
                return pawl__fail(err, PAWL_EACCESS,
                        "key file %.150s: others can get at it (mode %04o); run `chmod 600 "
                        "%.150s`, and make a new key if somebody may have read it",
                        name, (unsigned)st.st_mode & 07777, name);
        return PAWL_OK;
}

static pawl_status read_bytes(cli_key *out, int fd, const char *name, pawl_error *err)
{
        ssize_t n;

        do {
                n = read(fd, out->bytes + out->len, sizeof out->bytes - out->len);
                if (n > 0)
                        out->len += (size_t)n;
        } while (n > 0 ? out->len < sizeof out->bytes : n < 0 && errno == EINTR);
        if (n < 0)
                return fail(name, err);
        if (out->len < PAWL_KEY_MIN || out->len > PAWL_KEY_MAX)
                return pawl__fail(err, PAWL_EINVAL,
                        "key file %.300s: holds %s; a key is %d to %d bytes: `head -c 32 "
                        "/dev/urandom` makes one",
                        name,
                        out->len == 0             ? "nothing"
                        : out->len < PAWL_KEY_MIN ? "too little"
                                                  : "too much",
                        PAWL_KEY_MIN, PAWL_KEY_MAX);
        return PAWL_OK;
}

pawl_status cli_key_read(cli_key *out, const cli_call *cli, pawl_error *err)
{
        const char *name = file_name(cli);

        out->len = 0;
        if (!name)
                return PAWL_OK;
        int fd = open(name, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return fail(name, err);
        pawl_status status = check_file(fd, name, err);
        if (!status)
                status = read_bytes(out, fd, name, err);
        close(fd);
        return status;
}

void cli_key_forget(cli_key *key)
{
        pawl__cleanse(key->bytes, sizeof key->bytes);
        key->len = 0;
}

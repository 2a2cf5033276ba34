#include "service/token.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mac.h"
#include "base/system.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

pawl_status service_token_make(service_token *out, pawl_error *err)
{
        size_t n = 0;

        while (n < sizeof out->bytes) {
                const ssize_t got = getrandom(out->bytes + n, sizeof out->bytes - n, 0);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got <= 0)
                        return pawl__fail(err, PAWL_EIO,
                                "random bytes: the system gives none; a token cannot be made "
                                "without them");
                n += (size_t)got;
        }
        return PAWL_OK;
}

void service_token_format(char out[SERVICE_TOKEN_HEX + 1], const service_token *token)
{
        pawl__hex(out, token->bytes, sizeof token->bytes);
}

bool service_token_is(const service_token *token, pawl_text hex)
{
        service_token given;
        const bool formed = pawl__unhex32(given.bytes, hex);
        const bool same = formed && pawl__mac_same(given.bytes, token->bytes);

        pawl__cleanse(&given, sizeof given);
        return same;
}

static pawl_status fail(const char *path, pawl_error *err)
{
        const int code = errno;
        const char *why = code == ELOOP ? "is a link" : strerrordesc_np(code);

        return pawl__fail(err, code == ELOOP ? PAWL_EACCESS : pawl__errno_status(code),
                "token file %.300s: %s; name another with --token-file", path,
                why ? why : "unknown error");
}

/* Of the open file, so that the file that is checked is the file that is read. */
static pawl_status check(int fd, const char *path, pawl_error *err)
{
        struct stat st;

        if (fstat(fd, &st) != 0)
                return fail(path, err);
        if (!S_ISREG(st.st_mode))
                return pawl__fail(err, PAWL_EINVAL,
                        "token file %.300s: is no regular file; name another with --token-file",
                        path);
        if (st.st_uid != geteuid())
                return pawl__fail(err, PAWL_EACCESS,
                        "token file %.300s: belongs to somebody else; remove it, or name another "
                        "with --token-file",
                        path);
        if (st.st_mode & 077)
                return pawl__fail(err, PAWL_EACCESS,
                        "token file %.300s: others can get at it (mode %04o); remove it, and a new "
                        "one is made",
                        path, (unsigned)st.st_mode & 07777);
        return PAWL_OK;
}

static pawl_status read_file(service_token *out, const char *path, pawl_error *err)
{
        const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        pawl__buf text = PAWL__BUF_INIT;

        if (fd < 0)
                return fail(path, err);
        pawl_status status = check(fd, path, err);
        if (!status) {
                errno = pawl__read_all(&text, fd, SERVICE_TOKEN_HEX + 1);
                if (errno && errno != EFBIG)
                        status = fail(path, err);
                else if (text.len != SERVICE_TOKEN_HEX + 1 ||
                         text.data[SERVICE_TOKEN_HEX] != '\n' ||
                         !pawl__unhex32(out->bytes, pawl__text_n(text.data, SERVICE_TOKEN_HEX)))
                        status = pawl__fail(err, PAWL_EINVAL,
                                "token file %.300s: holds no token; remove it, and a new one is "
                                "made",
                                path);
        }
        close(fd);
        if (text.data)
                pawl__cleanse(text.data, text.len);
        pawl__buf_free(&text);
        return status;
}

/* Written under another name first, then linked: the file is always complete. */
static pawl_status make_file(const char *path, pawl_error *err)
{
        const size_t len = strlen(path);
        char text[SERVICE_TOKEN_HEX + 1], *made = malloc(len + 8);
        service_token token;

        if (!made)
                return pawl__nomem(err);
        memcpy(made, path, len);
        memcpy(made + len, ".XXXXXX", 8);
        pawl_status status = service_token_make(&token, err);
        const int fd = status ? -1 : mkostemp(made, O_CLOEXEC);
        if (!status && fd < 0)
                status = fail(path, err);
        if (!status) {
                service_token_format(text, &token);
                text[SERVICE_TOKEN_HEX] = '\n';
                errno = pawl__fill_file(fd, 0, text, sizeof text, true);
                if (errno || (link(made, path) != 0 && errno != EEXIST))
                        status = fail(path, err);
                unlink(made);
        }
        pawl__cleanse(text, sizeof text);
        pawl__cleanse(&token, sizeof token);
        free(made);
        return status;
}

pawl_status service_token_file(service_token *out, const char *path, pawl_error *err)
{
        pawl_status status = read_file(out, path, err);

        if (status != PAWL_ENOTFOUND)
                return status;
        status = make_file(path, err);
        return status ? status : read_file(out, path, err);
}

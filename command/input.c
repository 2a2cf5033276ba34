#include "command/input.h"
#include "base/error.h"
#include "base/system.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK   ((size_t)64 << 10)
#define TOO_BIG ((size_t)UINT32_MAX)

static pawl_status io_fail(const char *name, const char *remedy, pawl_error *err)
{
        return pawl__fail(
                err, pawl__errno_status(errno), "%.300s: %s; %s", name, strerror(errno), remedy);
}

pawl_status cli_input_open(cli_input *input, const char *name, pawl_error *err)
{
        struct stat st;

        *input = (cli_input){.fd = STDIN_FILENO, .name = "standard input"};
        if (name && strcmp(name, "-") != 0) {
                input->name = name;
                input->fd = open(name, O_RDONLY | O_CLOEXEC);
                if (input->fd < 0)
                        return io_fail(
                                name, "name a file that can be read, or - for standard input", err);
        }
        /* A regular file is read into memory of its size; what it says is a hint, no more. */
        if (fstat(input->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
                (uint64_t)st.st_size < TOO_BIG &&
                pawl__buf_reserve(&input->buf, (size_t)st.st_size + 1)) {
                cli_input_close(input);
                return pawl__nomem(err);
        }
        return PAWL_OK;
}

void cli_input_close(cli_input *input)
{
        if (input->fd > STDERR_FILENO)
                close(input->fd);
        pawl__buf_free(&input->buf);
}

/* Read once more behind what is there. */
static pawl_status fill(cli_input *input, pawl_error *err)
{
        size_t free_len =
                input->buf.cap > input->buf.len + 1 ? input->buf.cap - input->buf.len - 1 : 0;
        ssize_t n;

        if (free_len == 0) {
                if (input->buf.len >= TOO_BIG)
                        return pawl__fail(err, PAWL_ETOOBIG,
                                "%.300s: 4 GiB or more; give it in smaller parts", input->name);
                if (pawl__buf_reserve(&input->buf, CHUNK))
                        return pawl__nomem(err);
                free_len = input->buf.cap - input->buf.len - 1;
        }
        do {
                n = read(input->fd, input->buf.data + input->buf.len, free_len);
        } while (n < 0 && errno == EINTR);
        if (n < 0)
                return io_fail(input->name, "see that it is a file and can be read", err);
        input->ended = n == 0;
        input->buf.len += (size_t)n;
        return PAWL_OK;
}

pawl_status cli_input_all(pawl_text *out, cli_input *input, pawl_error *err)
{
        return cli_input_until(out, input, NULL, NULL, err);
}

pawl_status cli_input_until(
        pawl_text *out, cli_input *input, cli_whole_fn whole, void *user, pawl_error *err)
{
        while (!input->ended && !(whole && whole(pawl__buf_text(&input->buf), user))) {
                pawl_status status = fill(input, err);
                if (status)
                        return status;
        }
        if (input->buf.len >= TOO_BIG)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "%.300s: 4 GiB or more; give it in smaller parts", input->name);
        *out = pawl__buf_text(&input->buf);
        return PAWL_OK;
}

/* Forget the lines that were given out, so that memory holds a chunk and the longest line. */
static void forget_read(cli_input *input)
{
        size_t left = input->buf.len - input->at;

        if (left)
                memmove(input->buf.data, input->buf.data + input->at, left);
        input->buf.len = left;
        input->at = 0;
}

pawl_status cli_input_line(pawl_text *out, cli_input *input, pawl_error *err)
{
        size_t seen = 0; /* bytes behind at in which there is no newline */

        for (;;) {
                size_t left = input->buf.len - input->at;
                const char *start = left ? input->buf.data + input->at : "";
                const char *end = left > seen ? memchr(start + seen, '\n', left - seen) : NULL;
                if (end) {
                        *out = pawl__text_n(start, (size_t)(end - start));
                        input->at += out->len + 1;
                        return PAWL_OK;
                }
                if (input->ended) {
                        if (left == 0)
                                return PAWL_DONE;
                        *out = pawl__text_n(start, left);
                        input->at += left;
                        return PAWL_OK;
                }
                seen = left;
                if (input->at)
                        forget_read(input);
                if (input->answers)
                        fflush(input->answers);
                pawl_status status = fill(input, err);
                if (status)
                        return status;
        }
}

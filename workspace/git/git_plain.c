#include "workspace/git/git_plain.h"
#include "base/error.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEX = 40, HEAD_MAX = 512, PACKED_MAX = 4 << 20 };

static const char branches[] = "ref: refs/heads/";

/* The whole of a small file below a directory; -1 where it is none, is larger, or is a link. */
static ssize_t read_small(char *out, size_t cap, int directory, const char *name)
{
        int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        struct stat st;
        ssize_t n = -1;

        if (fd < 0)
                return -1;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
                n = read(fd, out, cap);
        close(fd);
        return n < (ssize_t)cap ? n : -1;
}

/* 40 digits and a newline. */
static bool take_commit(char out[PAWL__COMMIT_ID], const char *text, ssize_t len)
{
        if (len != HEX + 1 || text[HEX] != '\n' || strspn(text, "0123456789abcdef") != (size_t)HEX)
                return false;
        memcpy(out, text, HEX);
        out[HEX] = '\0';
        return true;
}

/* The commit that a file of packed references has for a name, as `git pack-refs` writes it: lines
 * of commit, space and name. */
static bool find_packed(char out[PAWL__COMMIT_ID], pawl_text refs, const char *name)
{
        const size_t name_len = strlen(name), len = HEX + 1 + name_len + 1;

        for (const char *line = refs.data, *end = line + refs.len; line < end;) {
                const char *next = memchr(line, '\n', (size_t)(end - line));
                if (!next)
                        return false;
                next++;
                if ((size_t)(next - line) == len && line[HEX] == ' ' &&
                        memcmp(line + HEX + 1, name, name_len) == 0) {
                        char commit[HEX + 1];
                        memcpy(commit, line, HEX);
                        commit[HEX] = '\n';
                        return take_commit(out, commit, HEX + 1);
                }
                line = next;
        }
        return false;
}

static pawl_status read_packed(
        char out[PAWL__COMMIT_ID], int git, const char *name, pawl_error *err)
{
        pawl__buf refs = PAWL__BUF_INIT;
        struct stat st;
        const int fd = openat(git, "packed-refs", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        int error = ENOENT;

        if (fd < 0)
                return PAWL_ENOTFOUND;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= PACKED_MAX)
                error = pawl__read_all(&refs, fd, PACKED_MAX);
        close(fd);
        const bool found = !error && refs.len && find_packed(out, pawl__buf_text(&refs), name);
        pawl__buf_free(&refs);
        if (error == ENOMEM)
                return pawl__nomem(err);
        return found ? PAWL_OK : PAWL_ENOTFOUND;
}

/* The branch's file has its commit, unless git has packed it away. */
static pawl_status take_branch(
        pawl__git_head *out, int git, char *head, size_t len, pawl__arena *arena, pawl_error *err)
{
        const size_t prefix = sizeof branches - 1;
        char commit[HEX + 2];

        head[len - 1] = '\0'; /* the newline */
        const char *name = head + prefix;
        if (strlen(name) != len - 1 - prefix || strstr(name, "..") || strstr(name, "//"))
                return PAWL_ENOTFOUND;
        const char *ref = head + sizeof "ref: " - 1;
        errno = 0;
        const ssize_t n = read_small(commit, sizeof commit, git, ref);
        pawl_status status = PAWL_OK;
        if (n < 0 && errno == ENOENT)
                status = read_packed(out->commit, git, ref, err);
        else if (!take_commit(out->commit, commit, n))
                status = PAWL_ENOTFOUND;
        if (status)
                return status;
        out->branch = pawl__arena_copy(arena, pawl__text(name));
        return pawl__arena_check(arena, err);
}

static pawl_status read_head(pawl__git_head *out, int git, pawl__arena *arena, pawl_error *err)
{
        char head[HEAD_MAX];
        const size_t prefix = sizeof branches - 1;
        ssize_t len = read_small(head, sizeof head, git, "HEAD");

        out->branch = (pawl_text){NULL, 0};
        if (take_commit(out->commit, head, len))
                return PAWL_OK;
        if (len <= (ssize_t)prefix + 1 || head[len - 1] != '\n' ||
                memcmp(head, branches, prefix) != 0)
                return PAWL_ENOTFOUND;
        return take_branch(out, git, head, (size_t)len, arena, err);
}

/* Of this user, as libgit2 wants it too. */
static bool is_own(int git)
{
        struct stat st;

        return fstat(git, &st) == 0 && st.st_uid == geteuid();
}

pawl_status pawl__git_head_plain(
        pawl__git_head *out, const char *root, pawl__arena *arena, pawl_error *err)
{
        pawl__buf path = PAWL__BUF_INIT;
        size_t len = strlen(root);
        pawl_status status = PAWL_DONE;

        for (;;) {
                pawl__buf_clear(&path);
                if (pawl__buf_add(&path, root, len) || pawl__buf_adds(&path, "/.git")) {
                        status = pawl__nomem(err);
                        break;
                }
                int git = open(path.data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (git >= 0) {
                        status = is_own(git) ? read_head(out, git, arena, err) : PAWL_ENOTFOUND;
                        close(git);
                        break;
                }
                if (errno != ENOENT) {
                        status = PAWL_ENOTFOUND;
                        break;
                }
                while (len > 0 && root[len - 1] != '/')
                        len--;
                if (len == 0)
                        break;
                len--;
        }
        pawl__buf_free(&path);
        return status;
}

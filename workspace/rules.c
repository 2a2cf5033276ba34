/* What a scan leaves out (workspace/scan.h says what). */
#include "base/error.h"
#include "workspace/scanning.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A file of rules larger than that is none. */
enum { RULES_MAX = 16 << 20 };

static bool begins(const char *name, const char *with)
{
        return strncmp(name, with, strlen(with)) == 0;
}

bool pawl__scan_never(const pawl__scanner *s, const pawl__listed *listed)
{
        const char *name = listed->name;

        if (name[0] == '.' && (strcmp(name, ".git") == 0 || strcmp(name, ".pawl") == 0 ||
                                      begins(name, ".pawl-tmp-")))
                return true;
        if (!s->root_has_log || s->depth != 1)
                return false;
        if (begins(name, "workspace.index"))
                return true;
        if (!begins(name, s->log_name))
                return false;
        name += strlen(s->log_name);
        return *name == '\0' || strcmp(name, "-wal") == 0 || strcmp(name, "-shm") == 0 ||
               strcmp(name, "-journal") == 0;
}

bool pawl__scan_left_out(pawl__scanner *s, size_t name_at, bool folder)
{
        const pawl_text path = pawl__buf_text(&s->path);
        pawl__ignore_verdict verdict = pawl__ignore_look(&s->exclude, path, name_at, folder);

        if (verdict == PAWL__IGNORE_SILENT)
                verdict = pawl__ignore_look(&s->ignore, path, name_at, folder);
        return verdict == PAWL__IGNORE_LEAVE;
}

static pawl_status too_large(pawl__scanner *s, const char *name, pawl_error *err)
{
        const pawl_text folder = pawl__buf_text(&s->path);

        return pawl__fail(err, PAWL_ETOOBIG, "%.*s%s: has more than %d bytes of rules; shorten it",
                PAWL__FMT(folder), name, RULES_MAX);
}

/* A file of rules that cannot be read has none: it is in the tree, or listed as not captured, like
 * any other. A link is not followed. */
static pawl_status add_file(pawl__scanner *s, int folder, const char *name, pawl_error *err)
{
        const size_t base = s->depth ? s->levels[s->depth - 1].path_len : 0;
        const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
        int fd = openat(folder, name, flags);
        pawl_status status = PAWL_OK;
        struct stat st;
        ssize_t n = 1;

        while (fd < 0 && pawl__scan_lacks(errno) && pawl__scan_spare(s))
                fd = openat(folder, name, flags);
        if (fd < 0)
                return pawl__scan_lacks(errno) ? pawl__scan_lack(s, errno, err) : PAWL_OK;
        pawl__buf_clear(&s->rules);
        if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
                n = 0;
        while (n > 0 && !status) {
                if (s->rules.len > RULES_MAX)
                        status = too_large(s, name, err);
                else if (pawl__buf_reserve(&s->rules, 65536))
                        status = pawl__nomem(err);
                else if ((n = read(fd, s->rules.data + s->rules.len, 65536)) > 0)
                        s->rules.len += (size_t)n;
                else if (n < 0 && errno == EINTR)
                        n = 1;
        }
        close(fd);
        if (!status && n == 0 && s->rules.len > 0)
                status = pawl__ignore_add(&s->ignore, pawl__buf_text(&s->rules), base, err);
        return status;
}

pawl_status pawl__scan_rules(pawl__scanner *s, pawl_error *err)
{
        static const char *const names[] = {".gitignore", ".pawlignore"};
        const int folder = s->levels[s->depth - 1].fd;
        pawl_status status = PAWL_OK;

        for (size_t k = 0; k < 2 && !status; k++)
                for (size_t i = 0; i < s->listing.n && !status; i++)
                        if (s->listing.items[i].len == strlen(names[k]) &&
                                strcmp(s->listing.items[i].name, names[k]) == 0)
                                status = add_file(s, folder, names[k], err);
        return status;
}

pawl_status pawl__scan_root_rules(pawl__scanner *s, int root, pawl_error *err)
{
        const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        const int git = openat(root, ".git", flags);
        pawl_status status = PAWL_OK;

        if (git >= 0) {
                const int info = openat(git, "info", flags);
                close(git);
                if (info >= 0) {
                        status = add_file(s, info, "exclude", err);
                        close(info);
                }
        }
        for (size_t i = 0; i < s->options->n_exclude && !status; i++)
                status = pawl__ignore_add(&s->exclude, s->options->exclude[i], 0, err);
        return status;
}

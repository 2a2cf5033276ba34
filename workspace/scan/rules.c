/* What a scan leaves out (workspace/scan/scan.h says what). */
#include "base/error.h"
#include "base/file.h"
#include "workspace/scan/scan_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool pawl__scan_never(const pawl__scanner *s, const pawl__listed *listed)
{
        const pawl_text name = {listed->name, listed->len};

        if (pawl__reserved_name(name) || (name.data[0] == '.' && pawl__tree_name_never(name)))
                return true;
        return s->depth == 1 && s->own.in_root && pawl__own_file_name(s->own.log, name);
}

/* The path from the top of git's work tree, where that is not the root. */
static pawl_status whole_path(pawl_text *out, pawl__scanner *s, pawl_error *err)
{
        *out = pawl__buf_text(&s->path);
        if (s->prefix_len == 0)
                return PAWL_OK;
        s->full.len = s->prefix_len;
        if (pawl__buf_add(&s->full, s->path.data, s->path.len))
                return pawl__nomem(err);
        *out = pawl__buf_text(&s->full);
        return PAWL_OK;
}

static pawl_status by_rules(
        pawl__verdict *out, pawl__scanner *s, size_t name_at, bool directory, pawl_error *err)
{
        const bool within = s->depth > 0 && s->levels[s->depth - 1].tracked_alone;
        const pawl__ignore_verdict ours =
                pawl__ignore_match(&s->exclude, pawl__buf_text(&s->path), name_at, directory);
        pawl_text path;
        const pawl_status status = whole_path(&path, s, err);

        if (status)
                return status;
        *out = PAWL__LEFT_OUT;
        if (ours == PAWL__IGNORE_LEAVE)
                return PAWL_OK;
        const pawl__ignore_verdict theirs =
                ours == PAWL__IGNORE_TAKE
                        ? ours
                        : pawl__ignore_match(&s->ignore, path, s->prefix_len + name_at, directory);
        if (theirs == PAWL__IGNORE_LEAVE_OWN)
                return PAWL_OK;
        *out = PAWL__TAKEN;
        if (!within && theirs != PAWL__IGNORE_LEAVE)
                return PAWL_OK;
        switch (pawl__scan_tracking(s, path, directory)) {
        case PAWL__UNTRACKED:
                *out = PAWL__LEFT_OUT;
                break;
        case PAWL__TRACKED_WITHIN:
                *out = PAWL__TRACKED_ALONE;
                break;
        case PAWL__TRACKED:
                break;
        }
        return PAWL_OK;
}

/* Is a name that the rules leave out asked for all the same? */
static pawl__verdict by_asking(const pawl__scanner *s, bool directory)
{
        const pawl__paths *also = s->options->also;
        const pawl_text path = pawl__buf_text(&s->path);

        if (!also)
                return PAWL__LEFT_OUT;
        if (directory)
                return pawl__paths_below(also, path) ? PAWL__ASKED_ALONE : PAWL__LEFT_OUT;
        return pawl__paths_have(also, path) ? PAWL__TAKEN : PAWL__LEFT_OUT;
}

pawl_status pawl__scan_verdict(
        pawl__verdict *out, pawl__scanner *s, size_t name_at, bool directory, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        *out = PAWL__LEFT_OUT;
        if (s->depth == 0 || !s->levels[s->depth - 1].asked_alone)
                status = by_rules(out, s, name_at, directory, err);
        if (!status && *out == PAWL__LEFT_OUT)
                *out = by_asking(s, directory);
        return status;
}

static pawl_status too_large(pawl__scanner *s, const char *name, pawl_error *err)
{
        const pawl_text directory = pawl__buf_text(&s->path);

        return pawl__fail(err, PAWL_ETOOBIG, "%.*s%s: has more than %zu bytes of rules; shorten it",
                PAWL__FMT(directory), name, PAWL__RULES_MAX);
}

/* Nothing is there, or no file that git would read: it follows no link there. */
static bool has_none(int error)
{
        return error == ENOENT || error == ELOOP || error == ENXIO;
}

static pawl_status unreadable(pawl__scanner *s, const char *name, int error)
{
        s->no_rules = name;
        errno = error;
        return PAWL_DONE;
}

pawl_status pawl__scan_add_rules(
        pawl__scanner *s, int directory, const char *name, size_t base, pawl_error *err)
{
        const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
        int fd = openat(directory, name, flags);
        pawl_status status = PAWL_OK;
        struct stat st;
        int error = 0;

        pawl__buf_clear(&s->rules);

        while (fd < 0 && pawl__scan_lacks(errno) && pawl__scan_spare(s))
                fd = openat(directory, name, flags);
        if (fd < 0 && pawl__scan_lacks(errno))
                return pawl__scan_lack(s, errno, err);
        if (fd < 0)
                return has_none(errno) ? PAWL_OK : unreadable(s, name, errno);
        if (fstat(fd, &st) != 0)
                error = errno;
        else if (S_ISREG(st.st_mode))
                error = pawl__read_all(&s->rules, fd, PAWL__RULES_MAX);
        close(fd);
        errno = error;
        if (error)
                status = error == EFBIG    ? too_large(s, name, err)
                         : error == ENOMEM ? pawl__nomem(err)
                                           : unreadable(s, name, error);
        else if (s->rules.len > 0)
                status = pawl__ignore_add(&s->ignore, pawl__buf_text(&s->rules), base, err);
        return status;
}

static const char *const files[] = {".gitignore", ".pawlignore"};
enum { OURS = 1, FILES };

static const pawl__listed *listed(const pawl__scanner *s, const char *name)
{
        for (size_t i = 0; i < s->listing.n; i++) {
                const int order = strcmp(s->listing.items[i].name, name);
                if (order >= 0)
                        return order == 0 ? &s->listing.items[i] : NULL;
        }
        return NULL;
}

/* Is the file of rules that was just read, or is not there, as the former index has it? */
static pawl_status compare(pawl__scanner *s, const char *name, bool there, pawl_error *err)
{
        pawl__level *level = &s->levels[s->depth - 1];
        const pawl__index_entry *old =
                level->old_directory ? pawl__index_find(&s->old, level->old_directory, name) : NULL;
        unsigned char hash[32];

        if (!there || !old || old->kind != PAWL__ENTRY_FILE) {
                level->rules_same = level->rules_same && !there && !old;
                return PAWL_OK;
        }
        const pawl_status status = pawl__sha256(pawl__contents_hasher(s->contents), hash,
                pawl__buf_text(&s->rules).data, s->rules.len, err);
        level->rules_same = level->rules_same && !status && memcmp(hash, old->hash, 32) == 0;
        return status;
}

pawl_status pawl__scan_rules(pawl__scanner *s, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (s->depth > 1 && listed(s, ".git"))
                status = pawl__scan_enter_repository(s, err);
        for (size_t k = 0; k < FILES && !status; k++) {
                const bool there = listed(s, files[k]) != NULL;
                const size_t before = s->ignore.n;
                if (there)
                        status = pawl__scan_add_rules(s, s->levels[s->depth - 1].fd, files[k],
                                s->prefix_len + s->levels[s->depth - 1].path_len, err);
                if (k == OURS)
                        pawl__ignore_own(&s->ignore, before);
                if (!status)
                        status = compare(s, files[k], there, err);
        }
        return status;
}

bool pawl__scan_rules_plain(pawl__scanner *s)
{
        const size_t path_len = s->levels[s->depth - 1].path_len;
        pawl_error ignored;
        bool plain = true;

        for (size_t k = 0; k < FILES && plain; k++) {
                if (!listed(s, files[k]))
                        continue;
                pawl__verdict verdict;
                plain = !pawl__buf_adds(&s->path, files[k]) &&
                        !pawl__scan_verdict(&verdict, s, path_len, false, &ignored) &&
                        verdict == PAWL__TAKEN;
                s->path.len = path_len;
        }
        return plain;
}

pawl_status pawl__scan_no_rules(pawl__scanner *s, const char *name, int error, pawl_error *err)
{
        return pawl__fail(err, error == EACCES ? PAWL_EACCESS : PAWL_EIO,
                "%s%s%s: cannot be read: %s; let it be readable, so that what it leaves out is not "
                "captured",
                *name == '/' ? "" : s->options->root, *name == '/' ? "" : "/", name,
                strerrordesc_np(error));
}

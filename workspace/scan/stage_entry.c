/* One name in a directory: what it is, and its content if that is not known. */
#include "base/error.h"
#include "base/map.h"
#include "workspace/scan/preload.h"
#include "workspace/scan/read.h"
#include "workspace/scan/scan_internal.h"
#include "workspace/store/acl.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

/* How often a file is read that changes meanwhile; how often a file was not to be stored before it
 * is taken for one of these. */
enum { TRIES = 3, UNSTABLE = 2 };

bool pawl__scan_late(const pawl__scanner *s)
{
        return s->deadline_ms && pawl__boot_ms(pawl__contents_log(s->contents)) >= s->deadline_ms;
}

bool pawl__scan_lacks(int error)
{
        return error == EMFILE || error == ENFILE || error == ENOMEM;
}

pawl_status pawl__scan_lack(pawl__scanner *s, int error, pawl_error *err)
{
        const pawl_text path = pawl__buf_text(&s->path);

        if (error == ENOMEM)
                return pawl__nomem(err);
        return pawl__fail(err, PAWL_EIO, "%.*s: cannot be opened: %s; raise `ulimit -n`",
                PAWL__FMT(path), strerrordesc_np(error));
}

/* ---- Entries --------------------------------------------------------------------------------- */

static pawl_status add(pawl__scanner *s, const pawl__index_entry *entry, pawl_text name,
        pawl_text target, pawl_error *err)
{
        pawl__level *level = &s->levels[s->depth - 1];

        if (entry->kind != PAWL__ENTRY_FILE && entry->kind != PAWL__ENTRY_DIRECTORY)
                level->same = false;
        return pawl__index_add(&s->in->index, level->directory, entry, name, target, err);
}

static pawl_status keep_skipped(
        pawl__scanner *s, pawl_text name, pawl__skip why, int error, pawl_error *err)
{
        struct pawl__scan_inside *in = s->in;
        pawl__scan *scan = s->scan;
        const size_t n = scan->n_not_captured;
        bool ok = true;

        if (pawl__grow(
                    &scan->not_captured, &in->cap_not_captured, n + 1, sizeof *scan->not_captured))
                return pawl__nomem(err);
        const size_t len = s->levels[s->depth - 1].path_len;
        s->path.len = len;
        if (pawl__buf_add(&s->path, name.data, name.len))
                return pawl__nomem(err);
        scan->not_captured[n] = (pawl__not_captured){
                pawl__arena_text(&in->arena, pawl__buf_text(&s->path), &ok), why, error};
        s->path.len = len;
        if (!ok)
                return pawl__nomem(err);
        scan->n_not_captured++;
        return PAWL_OK;
}

pawl_status pawl__scan_skip(
        pawl__scanner *s, pawl_text name, pawl__skip why, int error, pawl_error *err)
{
        pawl__scan *scan = s->scan;
        uint64_t *const counts[] = {[PAWL__SKIP_TOO_LARGE] = &scan->too_large,
                [PAWL__SKIP_UNREADABLE] = &scan->unreadable,
                [PAWL__SKIP_SPECIAL] = &scan->special,
                [PAWL__SKIP_CHANGING] = &scan->changing,
                [PAWL__SKIP_RULES] = &scan->unreadable,
                [PAWL__SKIP_REPOSITORY] = &scan->repositories,
                [PAWL__SKIP_BUDGET] = &scan->over_budget,
                [PAWL__SKIP_RESERVED] = &scan->reserved,
                [PAWL__SKIP_FORK] = &scan->workspaces,
                [PAWL__SKIP_WORKTREE] = &scan->workspaces};

        ++*counts[why];
        return keep_skipped(s, name, why, error, err);
}

pawl_status pawl__scan_add_skipped(
        pawl__scanner *s, pawl_text name, pawl__skip why, int error, pawl_error *err)
{
        const pawl__index_entry entry = {.kind = PAWL__ENTRY_SKIPPED, .why = (uint8_t)why};
        const pawl_status status = pawl__scan_skip(s, name, why, error, err);

        return status ? status : add(s, &entry, name, (pawl_text){"", 0}, err);
}

pawl_status pawl__scan_add_repository(pawl__scanner *s, pawl_text name, pawl_error *err)
{
        pawl__index_entry entry = {
                .kind = PAWL__ENTRY_SKIPPED, .why = (uint8_t)PAWL__SKIP_REPOSITORY};
        const pawl_status status = pawl__scan_skip(s, name, PAWL__SKIP_REPOSITORY, 0, err);

        /* the next scan asks by it whether the rules are those of this one */
        memcpy(entry.hash, s->levels[s->depth - 1].repository, 32);
        return status ? status : add(s, &entry, name, (pawl_text){"", 0}, err);
}

/* Its status is read when it is entered (walk.c); until then what the former index tells
 * waits in the entry. */
static pawl_status add_directory(
        pawl__scanner *s, pawl_text name, const pawl__index_entry *old, pawl_error *err)
{
        pawl__index_entry entry = {.kind = PAWL__ENTRY_DIRECTORY};

        if (old && old->kind == PAWL__ENTRY_DIRECTORY) {
                entry = *old;
                entry.flags &= PAWL__INDEX_TRUSTED;
        } else {
                s->levels[s->depth - 1].same = false;
        }
        entry.flags |= s->directory_flags;
        return add(s, &entry, name, (pawl_text){"", 0}, err);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Time stamps that are whole seconds may come from a file system that has no others, or only even
 * ones. */
static bool before(const struct timespec *time, int64_t tick_ns, bool whole_seconds)
{
        const int64_t granule = whole_seconds ? 2000000000 : 0;

        return pawl__time_ns(time) < tick_ns - granule;
}

bool pawl__scan_trusts(const pawl__scanner *s, const struct stat *st)
{
        const bool whole = st->st_mtim.tv_nsec == 0 && st->st_ctim.tv_nsec == 0;

        return before(&st->st_mtim, s->tick_ns, whole) && before(&st->st_ctim, s->tick_ns, whole);
}

/* The same for the content of a file that was read, which a mapping may change unseen for a while:
 * not if all had been written back. The time of the last change of its status can't be set. */
static bool trusts_content(pawl__scanner *s, const struct stat *st, bool written_back)
{
        if (!pawl__scan_trusts(s, st))
                return false;
        if (written_back)
                return true;
        if (!s->write_back_ns)
                s->write_back_ns = pawl__write_back_ns();
        return before(&st->st_ctim, s->tick_ns - s->write_back_ns, false);
}

static pawl__index_entry entry_of(const struct stat *st)
{
        return (pawl__index_entry){.kind = PAWL__ENTRY_FILE,
                .mode = (uint16_t)(st->st_mode & 07777),
                .size = (uint64_t)st->st_size,
                .mtime_ns = pawl__time_ns(&st->st_mtim),
                .ctime_ns = pawl__time_ns(&st->st_ctim),
                .inode = (uint64_t)st->st_ino};
}

/* One file more: is the root still one that is taken? */
static pawl_status count_file(pawl__scanner *s, uint64_t size, pawl_error *err)
{
        enum { PROGRESS_FILES = 256 };
        const pawl__scan_options *options = s->options;
        pawl__scan *scan = s->scan;

        scan->files++;
        scan->bytes += size;
        if (options->max_files && scan->files > options->max_files)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "%s: has more than %" PRIu64 " files; leave out what need not be kept by "
                        ".pawlignore, name a directory in it as the root, or raise the bound: "
                        "`pawl checkpoint --max-files N`",
                        options->root, options->max_files);
        if (options->max_bytes && scan->bytes > options->max_bytes)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "%s: has files of more than %" PRIu64
                        " bytes together; leave out what need "
                        "not be kept by .pawlignore, name a directory in it as the root, or raise "
                        "the bound: `pawl checkpoint --max-bytes SIZE`",
                        options->root, options->max_bytes);
        if (options->progress && !s->measuring && scan->files % PROGRESS_FILES == 0)
                options->progress(scan->files, scan->bytes, options->progress_user);
        return PAWL_OK;
}

/* @p read: its content was read, so that a damaged copy in the log can be replaced. */
static pawl_status add_file(pawl__scanner *s, pawl_text name, pawl__index_entry *entry,
        const pawl__index_entry *old, bool read, pawl_error *err)
{
        const bool was_file = old && old->kind == PAWL__ENTRY_FILE;
        const bool same = was_file && memcmp(old->hash, entry->hash, 32) == 0;
        const bool found = pawl__new_objects_find(
                &s->in->new_objects, &s->in->index, PAWL__ENTRY_FILE, entry->hash);
        const bool large = s->large.begun;
        bool met = same || found, kept = false;
        pawl_status status = PAWL_OK;

        if (large && found)
                pawl__scan_large_drop(s);
        else if (large)
                TRY(pawl__scan_large_end(&kept, s, entry, err));
        if (large && same && !found) {
                met = kept;
                s->in->heals = s->in->heals || !met;
        } else if (same && read && !found && !s->measuring) {
                TRY(pawl__contents_intact(&met, NULL, s->contents, entry->hash, err));
                s->in->heals = s->in->heals || !met;
        }
        if (!met)
                entry->flags |= PAWL__INDEX_NEW | (kept ? PAWL__INDEX_KEPT : 0);
        if (!met && entry->size <= PAWL__PART_SIZE)
                status = pawl__scan_spool(s, entry,
                        pawl__text_n(pawl__contents_scratch(s->contents), (size_t)entry->size),
                        was_file ? old->hash : NULL, err);
        const size_t at = s->in->index.bytes.len;
        if (!status)
                status = add(s, entry, name, (pawl_text){"", 0}, err);
        if (!status && !met)
                status = pawl__new_objects_add(&s->in->new_objects, &s->in->index, at, err);
        if (same && old->mode == entry->mode) {
                s->scan->unchanged++;
        } else {
                s->levels[s->depth - 1].same = false;
                s->scan->captured++;
        }
        return status ? status : count_file(s, entry->size, err);
}

static int open_file(pawl__scanner *s, const char *name)
{
        const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
        const int directory = s->levels[s->depth - 1].fd;
        int fd = openat(directory, name, flags);

        while (fd < 0 && pawl__scan_lacks(errno) && pawl__scan_spare(s))
                fd = openat(directory, name, flags);
        return fd;
}

static bool is_unstable(pawl__scanner *s)
{
        pawl__map *unstable = pawl__contents_unstable(s->contents);

        if (unstable->count == 0)
                return false;
        const uint32_t times = pawl__map_get(unstable, pawl__buf_text(&s->path));
        return times != PAWL__MAP_NONE && times >= UNSTABLE;
}

/* A file, by its status before it is opened. PAWL_DONE: it is another by now, look again. */
static pawl_status take_file(pawl__scanner *s, const pawl__listed *listed, const struct stat *seen,
        const pawl__index_entry *old, pawl_error *err)
{
        const pawl_text name = {listed->name, listed->len};
        pawl__index_entry entry = entry_of(seen);
        pawl__reading what;
        struct stat st = {0};

        if (pawl__own_files_is(&s->own, seen)) /* whose locks would go when we close it */
                return pawl__scan_add_skipped(s, name, PAWL__SKIP_SPECIAL, 0, err);
        if ((uint64_t)seen->st_size > s->in->max_file)
                return pawl__scan_add_skipped(s, name, PAWL__SKIP_TOO_LARGE, 0, err);
        if (is_unstable(s))
                return pawl__scan_add_skipped(s, name, PAWL__SKIP_CHANGING, 0, err);
        if (old && pawl__index_untouched(old, seen)) {
                entry.flags = PAWL__INDEX_TRUSTED;
                entry.mode = old->mode;
                memcpy(entry.hash, old->hash, 32);
                return add_file(s, name, &entry, old, false, err);
        }
        if (s->measuring)
                return count_file(s, (uint64_t)seen->st_size, err);
        if (pawl__scan_late(s))
                return pawl__scan_add_skipped(s, name, PAWL__SKIP_BUDGET, 0, err);
        const int fd = open_file(s, listed->name);
        if (fd < 0 && pawl__scan_lacks(errno))
                return pawl__scan_lack(s, errno, err);
        if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO))
                return PAWL_DONE;
        if (fd < 0)
                return pawl__scan_add_skipped(s, name, PAWL__SKIP_UNREADABLE, errno, err);
        const bool written_back = pawl__read_write_back(fd);
        pawl__scan_large_begin(s, old && old->kind == PAWL__ENTRY_FILE ? old->hash : NULL);
        pawl_status status = pawl__read_file(&what, &st, entry.hash, s->contents, fd,
                s->in->max_file, pawl__scan_large_add, s, err);
        const int error = errno;
        const uint32_t mode = pawl__acl_mode(fd, st.st_mode & 07777);
        close(fd);
        if (status)
                return status;
        if (what != PAWL__READ_WHOLE)
                pawl__scan_large_drop(s);
        switch (what) {
        case PAWL__READ_CHANGED:
                return PAWL_DONE;
        case PAWL__READ_REFUSED:
                return pawl__scan_add_skipped(s, name, PAWL__SKIP_UNREADABLE, error, err);
        case PAWL__READ_WHOLE:
                break;
        }
        pawl__index_entry read = entry_of(&st);
        read.mode = (uint16_t)mode;
        read.flags = trusts_content(s, &st, written_back) ? PAWL__INDEX_TRUSTED : 0;
        memcpy(read.hash, entry.hash, 32);
        return add_file(s, name, &read, old, true, err);
}

/* ---- Links, and all of it -------------------------------------------------------------------- */

static pawl_status take_link(pawl__scanner *s, const pawl__listed *listed, pawl_error *err)
{
        const pawl_text name = {listed->name, listed->len};
        const pawl__index_entry entry = {.kind = PAWL__ENTRY_LINK};
        char target[PATH_MAX];
        const ssize_t n =
                readlinkat(s->levels[s->depth - 1].fd, listed->name, target, sizeof target);

        if (n < 0 && (errno == EINVAL || errno == ENOENT))
                return PAWL_DONE;
        if (n <= 0 || n == sizeof target)
                return pawl__scan_add_skipped(
                        s, name, PAWL__SKIP_UNREADABLE, n < 0 ? errno : 0, err);
        return add(s, &entry, name, (pawl_text){target, (size_t)n}, err);
}

/* What a preloading thread has looked at, and is still what has that name. */
static bool was_seen(pawl__scanner *s, const pawl__listed *listed, const pawl__index_entry *old)
{
        return old && pawl__preload_seen(old) && listed->type == DT_REG &&
               listed->inode == old->inode && old->size <= s->in->max_file && !is_unstable(s) &&
               !pawl__own_files_is(&s->own,
                       &(struct stat){.st_dev = s->own.directory.device, .st_ino = listed->inode});
}

pawl_status pawl__scan_stage_entry(
        pawl__scanner *s, const pawl__listed *listed, const pawl__index_entry *old, pawl_error *err)
{
        const pawl_text name = {listed->name, listed->len};
        const int directory = s->levels[s->depth - 1].fd;
        struct stat st;

        if (was_seen(s, listed, old)) {
                pawl__index_entry entry = *old;
                entry.flags = PAWL__INDEX_TRUSTED;
                return add_file(s, name, &entry, old, false, err);
        }
        if (listed->type == DT_DIR)
                return add_directory(s, name, old, err);
        for (int i = 0; i < TRIES; i++) {
                pawl_status status;
                if (fstatat(directory, listed->name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
                        s->levels[s->depth - 1].same = false;
                        if (errno == ENOENT)
                                return PAWL_OK;
                        return pawl__scan_add_skipped(s, name, PAWL__SKIP_UNREADABLE, errno, err);
                }
                if (S_ISREG(st.st_mode))
                        status = take_file(s, listed, &st, old, err);
                else if (S_ISLNK(st.st_mode))
                        status = take_link(s, listed, err);
                else if (!S_ISDIR(st.st_mode))
                        status = pawl__scan_add_skipped(s, name, PAWL__SKIP_SPECIAL, 0, err);
                else
                        status = add_directory(s, name, old, err);
                if (status != PAWL_DONE)
                        return status;
        }
        return pawl__scan_add_skipped(s, name, PAWL__SKIP_CHANGING, 0, err);
}

bool pawl__scan_spare(pawl__scanner *s)
{
        if (s->depth == 0 || s->held >= s->depth - 1)
                return false;
        close(s->levels[s->held].fd);
        s->levels[s->held++].fd = -1;
        return true;
}

/* Directory after directory, through handles, without recursion: as deep as there is memory for a
 * level.
 */
#include "base/error.h"
#include "workspace/scan/preload.h"
#include "workspace/scan/read.h"
#include "workspace/scan/scan_internal.h"
#include "workspace/store/acl.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* So many handles are held; above them they are closed, and opened again on the way back. */
enum { HELD_MAX = 64, DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK };

static pawl__level *top(pawl__scanner *s)
{
        return &s->levels[s->depth - 1];
}

static int open_directory(pawl__scanner *s, const char *name)
{
        int fd = openat(top(s)->fd, name, DIRECTORY);

        while (fd < 0 && pawl__scan_lacks(errno) && pawl__scan_spare(s))
                fd = openat(top(s)->fd, name, DIRECTORY);
        return fd;
}

static pawl_status moved(pawl__scanner *s, pawl_error *err)
{
        const pawl_text path = pawl__buf_text(&s->path);

        return pawl__fail(err, PAWL_EINPUTS,
                "%.*s: was moved while the workspace was scanned; try again when nothing moves it",
                PAWL__FMT(path));
}

/* ---- Names of a directory -------------------------------------------------------------------- */

/* The former entry of that name; the cursor never goes back, as both go in the order of names. */
static const pawl__index_entry *former(
        const pawl__scanner *s, pawl__index_cursor *cursor, pawl_text name)
{
        while (cursor->left > 0) {
                const pawl__index_entry *entry = pawl__index_entry_at(&s->old, cursor->at);
                const int order = pawl__text_cmp(pawl__index_name(entry), name);
                if (order > 0)
                        return NULL;
                (void)pawl__index_next(&s->old, cursor);
                if (order == 0)
                        return entry;
        }
        return NULL;
}

static bool is_directory(const pawl__scanner *s, const pawl__listed *listed)
{
        struct stat st;

        if (listed->type != DT_UNKNOWN)
                return listed->type == DT_DIR;
        return fstatat(s->levels[s->depth - 1].fd, listed->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISDIR(st.st_mode);
}

/* What is never taken is listed, unless it is the root's own, the log's, or what a restore left. */
static bool is_listed(const pawl__scanner *s, const pawl__listed *listed)
{
        static const char *const own[] = {".git", ".pawl"};
        const int fd = s->levels[s->depth - 1].fd;
        const pawl_text name = {listed->name, listed->len};
        struct stat st, other;

        if (!pawl__reserved_name(name) || (s->depth == 1 && pawl__tree_name_never(name)))
                return false;
        if (fstatat(fd, listed->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
                return true;
        for (size_t i = 0; i < 2 && s->depth == 1;
                i++) /* by another case, where that is the same */
                if (fstatat(fd, own[i], &other, AT_SYMLINK_NOFOLLOW) == 0 &&
                        other.st_dev == st.st_dev && other.st_ino == st.st_ino)
                        return false;
        return !pawl__own_files_is(&s->own, &st);
}

static pawl_status take_name(
        pawl__scanner *s, const pawl__listed *listed, const pawl__index_entry *old, pawl_error *err)
{
        const size_t path_len = top(s)->path_len;
        pawl_log *log = pawl__contents_log(s->contents);
        pawl__verdict verdict = PAWL__TAKEN;
        pawl_status status = pawl__log_interrupted(log, err), lost = pawl__log_keep_claims(log);

        (void)lost; /* the next commit of that run tells */
        if (status)
                return status;
        if (s->depth > 1 && strcmp(listed->name, ".git") == 0)
                return pawl__scan_add_repository(s, (pawl_text){listed->name, listed->len}, err);
        const bool never = pawl__scan_never(s, listed);
        if (never && !is_listed(s, listed))
                return PAWL_OK;
        if (s->depth == 1 && s->git_root)
                return pawl__scan_add_of_git(s, listed, err);
        if (pawl__buf_add(&s->path, listed->name, listed->len))
                return pawl__nomem(err);
        if (!top(s)->names_same && (s->ignore.n || s->exclude.n))
                status = pawl__scan_verdict(&verdict, s, path_len, is_directory(s, listed), err);
        else if (top(s)->names_same && old &&
                 __atomic_load_n(&old->flags, __ATOMIC_RELAXED) &
                         PAWL__INDEX_TRACKED) /* threads mark it */
                verdict = PAWL__TRACKED_ALONE;
        s->directory_flags = verdict == PAWL__TRACKED_ALONE ? PAWL__INDEX_TRACKED
                             : verdict == PAWL__ASKED_ALONE ? PAWL__INDEX_ASKED
                                                            : 0;
        if (!status && verdict == PAWL__LEFT_OUT)
                s->scan->ignored++;
        else if (!status && never)
                status = pawl__scan_add_skipped(
                        s, (pawl_text){listed->name, listed->len}, PAWL__SKIP_RESERVED, 0, err);
        else if (!status)
                status = pawl__scan_stage_entry(s, listed, old, err);
        s->path.len = path_len;
        return status;
}

/* The names of the topmost level, which was listed, into the index. */
static pawl_status take_names(pawl__scanner *s, pawl_error *err)
{
        pawl__index_cursor cursor = {0, 0};
        const uint64_t ignored = s->scan->ignored;
        size_t directory;
        pawl_status status = pawl__index_begin(&directory, &s->in->index, err);

        if (status)
                return status;
        top(s)->directory = directory;
        if (top(s)->old_directory)
                pawl__preload_advance(s->preload, top(s)->old_directory);
        if (top(s)->old_directory)
                cursor = pawl__index_open(&s->old, top(s)->old_directory);
        for (size_t i = 0; i < s->listing.n && !status; i++) {
                const pawl__listed *listed = &s->listing.items[i];
                const pawl_text name = {listed->name, listed->len};
                status = take_name(s, listed, former(s, &cursor, name), err);
        }
        if (top(s)->names_same)
                s->scan->ignored += pawl__index_ignored(&s->old, top(s)->old_directory);
        pawl__index_set_ignored(&s->in->index, directory, (uint32_t)(s->scan->ignored - ignored));
        top(s)->cursor = pawl__index_open(&s->in->index, directory);
        return status;
}

/* ---- Down and up ----------------------------------------------------------------------------- */

/* The directory named by an entry cannot be gone through after all. */
static pawl_status give_up(pawl__scanner *s, size_t at, pawl__skip why, int error, pawl_error *err)
{
        pawl__index_entry *entry = pawl__index_entry_at(&s->in->index, at);

        top(s)->same = false;
        entry->kind = PAWL__ENTRY_SKIPPED;
        entry->why = (uint8_t)why;
        entry->mode = 0;
        entry->size = 0;
        memset(entry->hash, 0, sizeof entry->hash);
        return pawl__scan_skip(s, pawl__index_name(entry), why, error, err);
}

static pawl_status not_there(pawl__scanner *s, size_t at)
{
        pawl__index_entry *entry = pawl__index_entry_at(&s->in->index, at);

        top(s)->same = false;
        entry->kind = PAWL__INDEX_GONE;
        entry->mode = 0;
        entry->size = 0;
        return PAWL_OK;
}

static pawl_status not_opened(pawl__scanner *s, size_t at, int error, pawl_error *err)
{
        if (pawl__scan_lacks(error))
                return pawl__scan_lack(s, error, err);
        if (error == ENOENT)
                return not_there(s, at);
        return give_up(s, at,
                error == ELOOP || error == ENOTDIR ? PAWL__SKIP_CHANGING : PAWL__SKIP_UNREADABLE,
                error, err);
}

/* Those of the topmost level. */
static void forget_rules(pawl__scanner *s)
{
        pawl__ignore_cut(&s->ignore, top(s)->rules);
        pawl__scan_leave_repositories(s, top(s)->repositories);
}

static void pop(pawl__scanner *s)
{
        pawl__level *level = top(s);

        if (level->fd >= 0)
                close(level->fd);
        forget_rules(s);
        s->depth--;
        if (s->held > s->depth)
                s->held = s->depth;
        s->path.len = s->depth ? top(s)->path_len : 0;
}

/* Of a directory with the status that it had, the names are those that it had. */
static bool names_same(const pawl__index_entry *old, const struct stat *st)
{
        return __atomic_load_n(&old->flags, __ATOMIC_RELAXED) & PAWL__INDEX_TRUSTED &&
               old->inode == (uint64_t)st->st_ino && old->mtime_ns == pawl__time_ns(&st->st_mtim) &&
               old->ctime_ns == pawl__time_ns(&st->st_ctim);
}

/* The level of a directory whose handle is @p fd, which becomes the level's, and which @p entry
 * names. PAWL_DONE: it is that of the log. */
static pawl_status push(pawl__scanner *s, int fd, size_t entry, pawl_error *err)
{
        pawl__level level = {
                .fd = fd, .entry = entry, .rules = s->ignore.n, .repositories = s->n_repositories};
        struct stat st;

        if (fstat(fd, &st) != 0 ||
                pawl__grow(&s->levels, &s->cap_levels, s->depth + 1, sizeof *s->levels)) {
                close(fd);
                return pawl__nomem(err);
        }
        level.device = st.st_dev;
        level.inode = st.st_ino;
        if (entry && pawl__own_files_is(&s->own, &st)) {
                close(fd);
                return PAWL_DONE;
        }
        if (entry) {
                pawl__index_entry *named = pawl__index_entry_at(&s->in->index, entry);
                const pawl_text name = pawl__index_name(named);
                const bool same = names_same(named, &st);
                const uint32_t mode = same ? named->mode : pawl__acl_mode(fd, st.st_mode & 07777);
                if (named->mode != mode)
                        top(s)->same = false;
                level.old_directory = (size_t)named->size;
                level.rules_same = top(s)->rules_same && level.old_directory;
                level.names_same = level.rules_same && same;
                named->mode = (uint16_t)mode;
                level.tracked_alone = named->flags & PAWL__INDEX_TRACKED;
                level.asked_alone = named->flags & PAWL__INDEX_ASKED;
                named->flags &= PAWL__INDEX_TRACKED;
                if (pawl__scan_trusts(s, &st))
                        named->flags |= PAWL__INDEX_TRUSTED;
                named->mtime_ns = pawl__time_ns(&st.st_mtim);
                named->ctime_ns = pawl__time_ns(&st.st_ctim);
                named->inode = (uint64_t)st.st_ino;
                if (pawl__buf_add(&s->path, name.data, name.len) || pawl__buf_addc(&s->path, '/')) {
                        close(fd);
                        return pawl__nomem(err);
                }
        } else if (s->old.bytes.data) {
                level.old_directory = PAWL__INDEX_HEAD;
                level.rules_same = /* what else is asked for is no rule that an index knows */
                        !s->options->also &&
                        memcmp(s->old.of.rules, s->in->index.of.rules, sizeof s->old.of.rules) == 0;
        }
        level.path_len = s->path.len;
        s->levels[s->depth++] = level;
        if (s->depth - s->held > HELD_MAX)
                (void)pawl__scan_spare(s);
        return PAWL_OK;
}

/* The names of the topmost level, and the rules among them. What the former index says counts only
 * under the rules that it was made under. PAWL_DONE: the directory cannot be listed, or its rules
 * cannot be read; errno says why. */
static pawl_status list(pawl__scanner *s, pawl_error *err)
{
        pawl__level *level = top(s);

        if (level->names_same) {
                pawl_status status =
                        pawl__list_former(&s->listing, &s->old, level->old_directory, err);
                if (!status)
                        status = pawl__scan_rules(s, err);
                level->same = true;
                if (status || level->rules_same)
                        return status;
                level->same = false;
                forget_rules(s);
                level->names_same = false;
        }
        const pawl_status status = pawl__list_directory(&s->listing, level->fd, err);
        if (status == PAWL_EIO)
                return PAWL_DONE;
        return status ? status : pawl__scan_rules(s, err);
}

static pawl_status enter(pawl__scanner *s, int fd, size_t entry, pawl_error *err)
{
        pawl_status status = push(s, fd, entry, err);

        if (status == PAWL_DONE)
                return not_there(s, entry);
        if (status)
                return status;
        status = list(s, err);
        if (status == PAWL_DONE) {
                const int error = errno;
                const char *rules = s->no_rules;
                s->no_rules = NULL;
                pop(s);
                if (!entry && rules)
                        return pawl__scan_no_rules(s, rules, error, err);
                if (!entry)
                        return pawl__fail(err, PAWL_EIO, "%s: cannot be listed: %s; fix that",
                                s->options->root, strerrordesc_np(error));
                return give_up(
                        s, entry, rules ? PAWL__SKIP_RULES : PAWL__SKIP_UNREADABLE, error, err);
        }
        pawl__skip other = 0;
        if (!status && entry)
                status = pawl__scan_belongs(&other, s, err);
        else if (!status)
                s->git_root = pawl__scan_is_git(s);
        if (!status && other) {
                pop(s);
                return give_up(s, entry, other, 0, err);
        }
        if (!status)
                status = take_names(s, err);
        if (status || !entry)
                return status;
        pawl__index_entry *named = pawl__index_entry_at(&s->in->index, entry);
        named->size = top(s)->directory;
        if (!pawl__scan_rules_plain(s)) /* one that is left out could change unseen */
                named->flags &= PAWL__INDEX_TRACKED;
        return PAWL_OK;
}

/* The handle of the level above the topmost, if it was closed: by way of "..", if that is still
 * where we came from. */
static pawl_status open_again(pawl__scanner *s, pawl_error *err)
{
        pawl__level *above = &s->levels[s->depth - 2];
        struct stat st;

        if (above->fd >= 0)
                return PAWL_OK;
        const int fd = openat(top(s)->fd, "..", DIRECTORY);
        if (fd < 0)
                return pawl__scan_lacks(errno) ? pawl__scan_lack(s, errno, err) : moved(s, err);
        if (fstat(fd, &st) != 0 || st.st_dev != above->device || st.st_ino != above->inode) {
                close(fd);
                return moved(s, err);
        }
        above->fd = fd;
        s->held = s->depth - 2;
        return PAWL_OK;
}

/* The hash of the topmost level, of which all is known. The root's names are always read anew. */
static pawl_status hash_level(unsigned char hash[32], pawl__scanner *s, pawl_error *err)
{
        const pawl__level *level = top(s);

        if (level->same) {
                memcpy(hash, pawl__index_entry_at(&s->in->index, level->entry)->hash, 32);
                return PAWL_OK;
        }
        const pawl_status status =
                pawl__index_encode(&s->encoding, &s->in->index, level->directory, err);
        return status ? status
                      : pawl__sha256(pawl__contents_hasher(s->contents), hash, s->encoding.data,
                                s->encoding.len, err);
}

/* A directory whose hash is not its former one. */
static pawl_status take_changed(pawl__scanner *s, const unsigned char hash[32], pawl_error *err)
{
        const pawl__level *level = top(s);
        struct pawl__scan_inside *in = s->in;
        pawl__index_entry *entry = pawl__index_entry_at(&in->index, level->entry);
        unsigned char former[32];

        s->levels[s->depth - 2].same = false;
        memcpy(former, entry->hash, 32);
        memcpy(entry->hash, hash, 32);
        if (pawl__new_objects_find(&in->new_objects, &in->index, PAWL__ENTRY_DIRECTORY, hash))
                return PAWL_OK;
        entry->flags |= PAWL__INDEX_NEW;
        const pawl_status status = pawl__scan_spool_any(
                s, entry, pawl__buf_text(&s->encoding), level->old_directory ? former : NULL, err);
        return status ? status
                      : pawl__new_objects_add(&in->new_objects, &in->index, level->entry, err);
}

/* The root's hash is the tree's. */
static pawl_status leave_root(pawl__scanner *s, const unsigned char hash[32], pawl_error *err)
{
        struct pawl__scan_inside *in = s->in;
        pawl__index_entry root = {.kind = PAWL__ENTRY_DIRECTORY};
        pawl_status status = PAWL_OK;

        memcpy(s->scan->tree, hash, 32);
        memcpy(root.hash, hash, 32);
        if (!in->based || memcmp(hash, in->base_tree, 32) != 0)
                status = pawl__scan_spool_any(s, &root, pawl__buf_text(&s->encoding),
                        in->based ? in->base_tree : NULL, err);
        in->root_spooled = root.flags & PAWL__INDEX_SPOOLED;
        pop(s);
        return status;
}

/* All below the topmost level is known: so is its hash. */
static pawl_status leave(pawl__scanner *s, pawl_error *err)
{
        const pawl__level *level = top(s);
        unsigned char hash[32];
        pawl_status status = hash_level(hash, s, err);

        if (status)
                return status;
        if (s->depth == 1)
                return leave_root(s, hash, err);
        const pawl__index_entry *entry = pawl__index_entry_at(&s->in->index, level->entry);
        if (!level->old_directory || memcmp(entry->hash, hash, 32) != 0)
                status = take_changed(s, hash, err);
        if (!status)
                status = open_again(s, err);
        if (!status)
                pop(s);
        return status;
}

/* Into the next directory of the topmost level; PAWL_DONE: there is none. */
static pawl_status go_down(pawl__scanner *s, pawl_error *err)
{
        const pawl__index_entry *entry;
        char name[PAWL__TREE_NAME_MAX + 1];
        size_t at;

        do {
                at = top(s)->cursor.at;
                entry = pawl__index_next(&s->in->index, &top(s)->cursor);
                if (!entry)
                        return PAWL_DONE;
        } while (entry->kind != PAWL__ENTRY_DIRECTORY);
        if (!entry->size && pawl__scan_late(s)) /* the former index does not have it */
                return give_up(s, at, PAWL__SKIP_BUDGET, 0, err);
        const pawl_text text = pawl__index_name(entry);
        memcpy(name, text.data, text.len);
        name[text.len] = '\0';
        const int fd = open_directory(s, name);
        return fd < 0 ? not_opened(s, at, errno, err) : enter(s, fd, at, err);
}

pawl_status pawl__scan_walk(pawl__scanner *s, int root, pawl_error *err)
{
        pawl_status status = enter(s, root, 0, err);

        while (!status && s->depth > 0) {
                status = go_down(s, err);
                if (status == PAWL_DONE)
                        status = leave(s, err);
        }
        while (s->depth > 0)
                pop(s);
        return status;
}

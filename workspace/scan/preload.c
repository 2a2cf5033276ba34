/* See workspace/scan/preload.h. */
#include "workspace/scan/preload.h"
#include "workspace/scan/read.h"
#include "workspace/store/rootdir.h"
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Threads at most; bytes of an index below which none is worth its start. */
enum { THREADS_MAX = 4, WORTH = 150000 };

typedef struct part {
        struct pawl__preload *preload;
        size_t from, to; /* the directories that begin there, in the index */
        pthread_t thread;
} part;

typedef struct directory {
        size_t at, named; /* where it begins in the index; the entry that names it, 0: the root */
        size_t above;     /* the directory that holds it, among these */
} directory;

typedef struct directories {
        directory *items;
        size_t n, cap;
} directories;

struct pawl__preload {
        const pawl__index *index;
        int root;
        pthread_mutex_t mutex; /* of all; the first thread collects them */
        directories all;
        size_t reached; /* where the scan is */
        size_t n;
        part parts[THREADS_MAX];
};

bool pawl__index_untouched(const pawl__index_entry *entry, const struct stat *st)
{
        return entry->kind == PAWL__ENTRY_FILE && S_ISREG(st->st_mode) &&
               __atomic_load_n(&entry->flags, __ATOMIC_RELAXED) & PAWL__INDEX_TRUSTED &&
               entry->size == (uint64_t)st->st_size && entry->inode == (uint64_t)st->st_ino &&
               ((entry->mode ^ st->st_mode) & 07700) == 0 && /* the rest may be a list's */
               entry->mtime_ns == pawl__time_ns(&st->st_mtim) &&
               entry->ctime_ns == pawl__time_ns(&st->st_ctim);
}

static void look_at(const pawl__index *index, size_t at, int fd)
{
        pawl__index_cursor cursor = pawl__index_open(index, at);
        char name[PAWL__TREE_NAME_MAX + 1];
        pawl__index_entry *entry;
        struct stat st;

        while ((entry = pawl__index_next(index, &cursor))) {
                if (entry->kind != PAWL__ENTRY_FILE)
                        continue;
                const pawl_text text = pawl__index_name(entry);
                memcpy(name, text.data, text.len);
                name[text.len] = '\0';
                if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                        pawl__index_untouched(entry, &st))
                        __atomic_fetch_or(&entry->flags, PAWL__INDEX_SEEN, __ATOMIC_RELEASE);
        }
}

/* ---- The directories, from the last to the first
 * ------------------------------------------------- */

/* A directory is right behind the first that names it, or behind what that one's directories
 * hold: so the one that comes next is always the first, in the deepest directory, that was not met
 * yet. */
static bool collect(directories *all, const pawl__index *index)
{
        struct level {
                pawl__index_cursor cursor;
                size_t directory;
        } *levels = NULL;
        size_t depth = 1, cap = 0;
        bool ok = !pawl__grow(&levels, &cap, 1, sizeof *levels) &&
                  !pawl__grow(&all->items, &all->cap, 1, sizeof *all->items);

        if (ok) {
                all->items[all->n++] = (directory){PAWL__INDEX_HEAD, 0, 0};
                levels[0] = (struct level){pawl__index_open(index, PAWL__INDEX_HEAD), 0};
        }
        while (ok && depth > 0) {
                const size_t named = levels[depth - 1].cursor.at;
                const pawl__index_entry *entry = pawl__index_next(index, &levels[depth - 1].cursor);
                if (!entry)
                        depth--;
                if (!entry || entry->kind != PAWL__ENTRY_DIRECTORY)
                        continue;
                ok = !pawl__grow(&levels, &cap, depth + 1, sizeof *levels) &&
                     !pawl__grow(&all->items, &all->cap, all->n + 1, sizeof *all->items);
                if (!ok)
                        break;
                const size_t at = (size_t)entry->size;
                all->items[all->n] = (directory){at, named, levels[depth - 1].directory};
                levels[depth++] = (struct level){pawl__index_open(index, at), all->n++};
        }
        free(levels);
        return ok;
}

/* The path of a directory, from its end to its beginning. */
static bool path_of(pawl__buf *path, const directories *all, const pawl__index *index, size_t i)
{
        size_t len = 0;

        for (size_t k = i; all->items[k].named; k = all->items[k].above)
                len += pawl__index_entry_at(index, all->items[k].named)->name_len + 1U;
        pawl__buf_clear(path);
        if (pawl__buf_reserve(path, len))
                return false;
        path->len = len > 0 ? len - 1 : 0;
        char *end = path->data + path->len;
        *end = '\0';
        for (size_t k = i; all->items[k].named; k = all->items[k].above) {
                const pawl_text name =
                        pawl__index_name(pawl__index_entry_at(index, all->items[k].named));
                end -= name.len;
                memcpy(end, name.data, name.len);
                if (end > path->data)
                        *--end = '/';
        }
        return true;
}

static const directories *all_of(struct pawl__preload *preload)
{
        directories *all = &preload->all;

        pthread_mutex_lock(&preload->mutex);
        if (!all->n && !collect(all, preload->index))
                all->n = 0;
        pthread_mutex_unlock(&preload->mutex);
        return all;
}

static void *run(void *user)
{
        const part *p = user;
        struct pawl__preload *preload = p->preload;
        pawl__rootdir root = PAWL__ROOTDIR_INIT;
        pawl__buf path = PAWL__BUF_INIT;

        root.root = fcntl(preload->root, F_DUPFD_CLOEXEC, 0);
        const directories *all = root.root >= 0 ? all_of(preload) : NULL;
        if (all)
                for (size_t i = all->n; i-- > 0;) {
                        const size_t at = all->items[i].at;
                        if (at < p->from ||
                                at < __atomic_load_n(&preload->reached, __ATOMIC_RELAXED))
                                break;
                        if (at >= p->to)
                                continue;
                        if (!path_of(&path, all, preload->index, i))
                                break;
                        const int fd = pawl__rootdir_directory(&root, pawl__buf_text(&path));
                        if (fd < 0)
                                continue;
                        look_at(preload->index, at, fd);
                        close(fd);
                }
        pawl__rootdir_close(&root);
        pawl__buf_free(&path);
        return NULL;
}

static size_t processors(void)
{
        cpu_set_t set;

        return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

pawl__preload *pawl__preload_start(const pawl__index *index, int root)
{
        const size_t len = index->bytes.len;
        sigset_t all, was;

        if (len < WORTH)
                return NULL;
        const size_t cpus = processors(), n = cpus - 1 < THREADS_MAX ? cpus - 1 : THREADS_MAX;
        if (n == 0)
                return NULL;
        pawl__preload *preload = calloc(1, sizeof *preload);
        if (!preload)
                return NULL;
        preload->index = index;
        preload->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        preload->root = fcntl(root, F_DUPFD_CLOEXEC, 0);
        const size_t step = len / (n + 1); /* the scan itself does one of n + 1 */
        sigfillset(&all);
        if (pthread_sigmask(SIG_SETMASK, &all, &was) == 0) {
                for (size_t i = 0; i < n; i++) {
                        part *p = &preload->parts[preload->n];
                        *p = (part){.preload = preload,
                                .from = i > 0 ? (i + 1) * step : 0,
                                .to = i + 1 < n ? (i + 2) * step : len};
                        if (pthread_create(&p->thread, NULL, run, p) == 0)
                                preload->n++;
                }
                pthread_sigmask(SIG_SETMASK, &was, NULL);
        }
        if (preload->n == 0) {
                close(preload->root);
                free(preload);
                return NULL;
        }
        return preload;
}

void pawl__preload_advance(pawl__preload *preload, size_t at)
{
        if (preload)
                __atomic_store_n(&preload->reached, at, __ATOMIC_RELAXED);
}

void pawl__preload_end(pawl__preload *preload)
{
        if (!preload)
                return;
        __atomic_store_n(&preload->reached, SIZE_MAX, __ATOMIC_RELAXED);
        for (size_t i = 0; i < preload->n; i++)
                pthread_join(preload->parts[i].thread, NULL);
        close(preload->root);
        free(preload->all.items);
        free(preload);
}

#include "support/trees.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES = 4096 };

typedef struct line {
        char kind;
        uint32_t number; /* mode or why */
        pawl_text path, data;
} line;

const pawl__buf *trees_find(const trees *t, const unsigned char hash[32])
{
        for (size_t i = 0; i < t->n; i++)
                if (memcmp(t->items[i].hash, hash, 32) == 0)
                        return &t->items[i].data;
        return NULL;
}

static void keep(trees *t, unsigned char hash[32], const void *data, size_t len)
{
        if (!t->hasher)
                assert_ok(pawl__hasher_new(&t->hasher, NULL));
        assert_ok(pawl__sha256(t->hasher, hash, data, len, NULL));
        if (trees_find(t, hash))
                return;
        assert_ok(pawl__grow(&t->items, &t->cap, t->n + 1, sizeof *t->items));
        struct trees_item *item = &t->items[t->n++];
        *item = (struct trees_item){.data = PAWL__BUF_INIT};
        memcpy(item->hash, hash, 32);
        assert_ok(pawl__buf_add(&item->data, data, len));
}

static line read_line(const char *text)
{
        line l = {.kind = text[0]};
        const char *at = text + 2;

        if (l.kind != 'l') {
                char *end;
                l.number = (uint32_t)strtoul(at, &end, l.kind == 'x' ? 10 : 8);
                at = end + 1;
        }
        const char *equals = l.kind == 'f' || l.kind == 'l' ? strchr(at, '=') : NULL;
        l.path = equals ? pawl__text_n(at, (size_t)(equals - at)) : pawl__text(at);
        if (equals)
                l.data = pawl__text(equals + 1);
        return l;
}

static bool below(pawl_text path, pawl_text directory)
{
        return directory.len == 0 || (path.len > directory.len && path.data[directory.len] == '/' &&
                                             memcmp(path.data, directory.data, directory.len) == 0);
}

static int by_name(const void *a, const void *b)
{
        return pawl__text_cmp(((const pawl__entry *)a)->name, ((const pawl__entry *)b)->name);
}

static void directory_of(
        trees *t, unsigned char hash[32], pawl_text directory, const line *lines, size_t n)
{
        pawl__entry *entries = calloc(n + 1, sizeof *entries);
        size_t found = 0, skip = directory.len ? directory.len + 1 : 0;
        pawl__buf out = PAWL__BUF_INIT;

        assert_non_null(entries);
        for (size_t i = 0; i < n; i++) {
                pawl_text path = lines[i].path;
                if (!below(path, directory))
                        continue;
                pawl_text rest = {path.data + skip, path.len - skip};
                const char *slash = memchr(rest.data, '/', rest.len);
                pawl_text name = {rest.data, slash ? (size_t)(slash - rest.data) : rest.len};
                pawl__entry *entry = NULL;
                for (size_t k = 0; k < found && !entry; k++)
                        if (pawl__text_eq(entries[k].name, name))
                                entry = &entries[k];
                if (!entry) {
                        entry = &entries[found++];
                        *entry = (pawl__entry){
                                .kind = PAWL__ENTRY_DIRECTORY, .name = name, .mode = 0755};
                        directory_of(
                                t, entry->hash, pawl__text_n(path.data, skip + name.len), lines, n);
                }
                if (slash)
                        continue;
                entry->kind = (pawl__entry_kind)lines[i].kind;
                if (lines[i].kind == 'f') {
                        entry->size = lines[i].data.len;
                        keep(t, entry->hash, lines[i].data.data, lines[i].data.len);
                }
                entry->target = lines[i].kind == 'l' ? lines[i].data : (pawl_text){NULL, 0};
                entry->mode = lines[i].kind == 'f' || lines[i].kind == 'd' ? lines[i].number : 0;
                if (lines[i].kind == 'x')
                        entry->why = (pawl__skip)lines[i].number;
        }
        qsort(entries, found, sizeof *entries, by_name);
        assert_ok(pawl__tree_encode(&out, entries, found, NULL));
        keep(t, hash, out.data, out.len);
        pawl__buf_free(&out);
        free(entries);
}

tree_hash tree_of_lines(trees *t, const char *const *lines, size_t n)
{
        line *read = calloc(n + 1, sizeof *read);
        tree_hash hash;

        assert_non_null(read);
        for (size_t i = 0; i < n; i++)
                read[i] = read_line(lines[i]);
        directory_of(t, hash.bytes, pawl__text(""), read, n);
        free(read);
        return hash;
}

tree_hash tree_of(trees *t, ...)
{
        const char *lines[LINES];
        size_t n = 0;
        va_list list;

        va_start(list, t);
        for (const char *l = va_arg(list, const char *); l; l = va_arg(list, const char *)) {
                assert_true(n < LINES);
                lines[n++] = l;
        }
        va_end(list);
        return tree_of_lines(t, lines, n);
}

void trees_free(trees *t)
{
        for (size_t i = 0; i < t->n; i++)
                pawl__buf_free(&t->items[i].data);
        free(t->items);
        pawl__hasher_free(t->hasher);
        *t = (trees){0};
}

/* ---- On disk --------------------------------------------------------------------------------- */

static pawl__entry entry_on_disk(trees *t, const char *path, const char *name)
{
        pawl__entry entry = {.kind = PAWL__ENTRY_SKIPPED, .name = pawl__text(name)};
        struct stat st;
        char *target;
        ssize_t len;
        size_t size;

        assert_int_equal(lstat(path, &st), 0);
        switch (st.st_mode & S_IFMT) {
        case S_IFREG:
                target = file_read(path, &size);
                entry.kind = PAWL__ENTRY_FILE;
                entry.size = size;
                keep(t, entry.hash, target, size);
                break;
        case S_IFDIR:
                entry.kind = PAWL__ENTRY_DIRECTORY;
                memcpy(entry.hash, tree_on_disk(t, path).bytes, 32);
                break;
        case S_IFLNK:
                entry.kind = PAWL__ENTRY_LINK;
                target = test_alloc(PAWL__TREE_TARGET_MAX + 1);
                len = readlink(path, target, PAWL__TREE_TARGET_MAX);
                assert_true(len > 0);
                entry.target = pawl__text_n(target, (size_t)len);
                return entry;
        default:
                entry.why = PAWL__SKIP_SPECIAL;
                return entry;
        }
        entry.mode = st.st_mode & 07777;
        return entry;
}

tree_hash tree_on_disk(trees *t, const char *directory)
{
        struct stat st;
        const struct dirent *found;
        pawl__entry *entries = NULL;
        pawl__buf out = PAWL__BUF_INIT;
        size_t n = 0, cap = 0;
        tree_hash hash;

        /* who is not root looks into a directory that is closed to its owner by opening it
         * meanwhile
         */
        assert_int_equal(stat(directory, &st), 0);
        const bool closed = (st.st_mode & 0500) != 0500;
        if (closed)
                assert_int_equal(chmod(directory, 0700), 0);
        DIR *names = opendir(directory);
        assert_non_null(names);
        while ((found = readdir(names))) {
                if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0 ||
                        strcmp(found->d_name, ".pawl") == 0)
                        continue;
                char *path = path_in(directory, found->d_name), *name = test_copy(found->d_name);
                if (pawl__tree_name_never(pawl__text(name))) /* .git, which no tree has */
                        name[0] = '_';
                assert_ok(pawl__grow(&entries, &cap, n + 1, sizeof *entries));
                entries[n++] = entry_on_disk(t, path, name);
        }
        closedir(names);
        if (closed)
                assert_int_equal(chmod(directory, st.st_mode & 07777), 0);
        if (n)
                qsort(entries, n, sizeof *entries, by_name);
        assert_ok(pawl__tree_encode(&out, entries, n, NULL));
        keep(t, hash.bytes, out.data, out.len);
        free(entries);
        pawl__buf_free(&out);
        return hash;
}

static void put_entry(const trees *t, const pawl__entry *entry, const char *path)
{
        const pawl__buf *data;
        char *target;

        switch (entry->kind) {
        case PAWL__ENTRY_FILE:
                data = trees_find(t, entry->hash);
                assert_non_null(data);
                file_write(path, data->data ? data->data : "", data->len);
                assert_int_equal(chmod(path, entry->mode), 0);
                break;
        case PAWL__ENTRY_DIRECTORY:
                assert_int_equal(mkdir(path, 0700), 0);
                tree_put(t, entry->hash, path);
                assert_int_equal(chmod(path, entry->mode), 0);
                break;
        case PAWL__ENTRY_LINK:
                target = test_text(entry->target.data, entry->target.len);
                assert_int_equal(symlink(target, path), 0);
                break;
        case PAWL__ENTRY_SKIPPED:
                assert_int_equal(mkfifo(path, 0600), 0);
        }
}

void tree_put(const trees *t, const unsigned char hash[32], const char *directory)
{
        const pawl__buf *encoded = trees_find(t, hash);
        pawl__tree_reader reader;
        pawl__entry entry;
        pawl_status status;

        assert_non_null(encoded);
        assert_ok(pawl__tree_open(&reader, pawl__buf_text(encoded), NULL));
        while ((status = pawl__tree_next(&entry, &reader, NULL)) == PAWL_OK) {
                char *name = test_text(entry.name.data, entry.name.len);
                char *path = path_in(directory, name);
                put_entry(t, &entry, path);
        }
        assert_int_equal(status, PAWL_DONE);
}

static pawl_status get(pawl__buf *out, const unsigned char hash[32], void *user, pawl_error *err)
{
        const pawl__buf *found = trees_find(user, hash);

        (void)err;
        return found ? pawl__buf_add(out, found->data, found->len) : PAWL_ENOTFOUND;
}

pawl__directories trees_directories(trees *t)
{
        return (pawl__directories){get, t};
}

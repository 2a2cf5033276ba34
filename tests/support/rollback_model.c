#include "support/rollback_model.h"

/* A tree as entries by path. */
typedef struct item {
        char path[1280];
        pawl__entry entry; /* target: in the trees' own data */
} item;

typedef struct list {
        item *items;
        size_t n, cap;
} list;

static void flatten(model *m, list *out, const unsigned char hash[32], const char *directory)
{
        const pawl__buf *encoded = trees_find(&m->t, hash);
        pawl__tree_reader reader;
        pawl__entry entry;

        assert_non_null(encoded);
        pawl_text text = pawl__buf_text(encoded);
        assert_ok(pawl__tree_open(&reader, text, NULL));
        while (pawl__tree_next(&entry, &reader, NULL) == PAWL_OK) {
                assert_ok(pawl__grow(&out->items, &out->cap, out->n + 1, sizeof *out->items));
                item *it = &out->items[out->n++];
                snprintf(it->path, sizeof it->path, "%s%s%.*s", directory, *directory ? "/" : "",
                        (int)entry.name.len, entry.name.data);
                it->entry = entry;
                char path[1280];
                strcpy(path, it->path);
                if (entry.kind == PAWL__ENTRY_DIRECTORY)
                        flatten(m, out, entry.hash, path);
        }
}

static list flat(model *m, tree_hash tree)
{
        list out = {NULL, 0, 0};

        flatten(m, &out, tree.bytes, "");
        return out;
}

static const item *find(const list *l, const char *path)
{
        for (size_t i = 0; i < l->n; i++)
                if (strcmp(l->items[i].path, path) == 0)
                        return &l->items[i];
        return NULL;
}

bool model_is_within(const char *path, const char *directory)
{
        size_t len = strlen(directory);

        return strncmp(path, directory, len) == 0 && path[len] == '/';
}

/* Was there ever something at the path, in a checkpoint that is no safety copy? */
static bool recorded(model *m, const char *path)
{
        for (uint64_t n = 1; n <= m->n; n++) {
                if (m->checkpoints[n].safety || m->checkpoints[n].pruned)
                        continue;
                list l = flat(m, m->checkpoints[n].tree);
                bool found = find(&l, path) != NULL;
                free(l.items);
                if (found)
                        return true;
        }
        return false;
}

static void add_line(char **lines, size_t *n, const item *it, const model *m)
{
        char *line = test_alloc(8192);
        const pawl__buf *data;
        int len = 0;

        assert_non_null(line);
        switch (it->entry.kind) {
        case PAWL__ENTRY_FILE:
                data = trees_find(&m->t, it->entry.hash);
                assert_non_null(data);
                len = snprintf(line, 8192, "f %o %s=%s", it->entry.mode, it->path,
                        data->data ? data->data : "");
                break;
        case PAWL__ENTRY_DIRECTORY:
                len = snprintf(line, 8192, "d %o %s", it->entry.mode, it->path);
                break;
        case PAWL__ENTRY_LINK:
                len = snprintf(line, 8192, "l %s=%.*s", it->path, (int)it->entry.target.len,
                        it->entry.target.data);
                break;
        case PAWL__ENTRY_SKIPPED:
                len = snprintf(line, 8192, "x %d %s", it->entry.why, it->path);
        }
        assert_true(len > 0 && len < 8192);
        lines[(*n)++] = line;
}

tree_hash model_expected(model *m, tree_hash now, tree_hash target)
{
        list from = flat(m, now), to = flat(m, target);
        bool *stays = test_alloc((from.n + 1) * sizeof *stays);
        char **lines = test_alloc((from.n + to.n + 1) * sizeof *lines);
        size_t n = 0;

        assert_true(stays && lines);
        for (size_t i = from.n; i-- > 0;) { /* what is in a directory comes after it */
                const item *it = &from.items[i], *wanted = find(&to, it->path);
                stays[i] = stays[i] || (!wanted && !recorded(m, it->path));
                for (size_t k = 0; k < i && stays[i]; k++)
                        if (model_is_within(it->path, from.items[k].path))
                                stays[k] = true;
        }
        for (size_t i = 0; i < to.n; i++) {
                const item *stood = find(&from, to.items[i].path);
                bool blocked = stood && stood->entry.kind == PAWL__ENTRY_DIRECTORY &&
                               to.items[i].entry.kind != PAWL__ENTRY_DIRECTORY &&
                               stays[stood - from.items];
                if (blocked)
                        continue;
                if (stood)
                        stays[stood - from.items] = false; /* it is there as the target has it */
                add_line(lines, &n, &to.items[i], m);
        }
        for (size_t i = 0; i < from.n; i++)
                if (stays[i]) {
                        add_line(lines, &n, &from.items[i], m);
                        m->left_alone++;
                }
        tree_hash tree = tree_of_lines(&m->t, (const char *const *)lines, n);
        free(from.items);
        free(to.items);
        return tree;
}

tree_hash model_in_part(model *m, tree_hash now, tree_hash target, const char *name)
{
        list from = flat(m, now), to = flat(m, target);
        char **lines = test_alloc((from.n + to.n + 1) * sizeof *lines);
        size_t n = 0;

        for (size_t i = 0; i < from.n; i++)
                if (strcmp(from.items[i].path, name) != 0 &&
                        !model_is_within(from.items[i].path, name))
                        add_line(lines, &n, &from.items[i], m);
        for (size_t i = 0; i < to.n; i++)
                if (strcmp(to.items[i].path, name) == 0 || model_is_within(to.items[i].path, name))
                        add_line(lines, &n, &to.items[i], m);
        tree_hash tree = tree_of_lines(&m->t, (const char *const *)lines, n);
        free(from.items);
        free(to.items);
        return tree;
}

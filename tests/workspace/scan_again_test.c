/* A scan that goes by the former index, with threads ahead of it, comes to what one without comes
 * to, whatever was changed between. */
#include "support/workspace.h"
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FOLDERS = 120, FILES = 20 };

static uint64_t seed;

static size_t choice(size_t n)
{
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        return (size_t)(seed >> 16) % n;
}

static void random_path(char path[64], bool file)
{
        const size_t directory = choice(FOLDERS);
        const int n = snprintf(path, 64, "p%zu/m%zu", directory / 10, directory);

        if (file)
                snprintf(path + n, (size_t)(64 - n), "/f%zu.%c", choice(FILES), "co"[choice(2)]);
}

static void change_rules(workspace *w)
{
        static const char *const rules[] = {"*.o\n", "f1*\n", "!f3.o\n", ".gitignore\n*.c\n", "\n"};
        char path[64];

        if (choice(4) == 0)
                strcpy(path, "p3");
        else
                random_path(path, false);
        strcat(path, choice(2) ? "/.gitignore" : "/.pawlignore");
        workspace_write(w, path, rules[choice(5)]);
}

static void change(workspace *w, size_t round)
{
        char path[64], other[64], content[32];

        random_path(path, true);
        char *whole = path_in(w->f->directory, path);
        snprintf(content, sizeof content, "round %zu", round);
        switch (choice(7)) {
        case 0:
        case 1: /* as it comes: now, that is */
                (void)unlink(whole);
                (void)rmdir(whole);
                workspace_write(w, path, content);
                break;
        case 2:
                (void)unlink(whole);
                break;
        case 3:
                (void)chmod(whole, 0600);
                break;
        case 4:
                change_rules(w);
                break;
        case 5: /* a file becomes a directory, or a link */
                if (unlink(whole) == 0 && choice(2))
                        assert_int_equal(mkdir(whole, 0755), 0);
                else if (symlink("elsewhere", whole) != 0)
                        assert_int_equal(errno, EEXIST);
                break;
        default: { /* two directories change places */
                random_path(other, false);
                *strrchr(path, '/') = '\0';
                char *a = path_in(w->f->directory, path), *b = path_in(w->f->directory, other);
                char *c = path_in(w->f->directory, "between");
                if (strcmp(path, other) != 0) {
                        assert_int_equal(rename(a, c), 0);
                        assert_int_equal(rename(b, a), 0);
                        assert_int_equal(rename(c, b), 0);
                }
        }
        }
}

WORKSPACE_TEST(the_index_changes_nothing_but_the_time)
{
        const size_t rounds = test_full() ? 500 : 25;
        uint64_t unchanged = 0, ignored = 0;
        char path[64];

        seed = 4711;
        for (size_t i = 0; i < FOLDERS; i++)
                for (size_t k = 0; k < FILES; k++) {
                        snprintf(path, sizeof path, "p%zu/m%zu/f%zu.%c", i / 10, i, k, "co"[k % 2]);
                        workspace_write(w, path, path);
                }
        for (size_t round = 0; round < rounds; round++) {
                static const pawl_text exclude = {"f7.c\n", 5};
                w->options.exclude = &exclude;
                w->options.n_exclude = choice(3) == 0; /* the lists beside the files change too */
                if (choice(3))
                        nanosleep(&(struct timespec){0, 10000000}, NULL);
                workspace_take(w);
                for (size_t i = choice(12); i > 0; i--)
                        change(w, round);
                if (choice(3))
                        nanosleep(&(struct timespec){0, 10000000}, NULL);
                assert_ok(workspace_scan(w));
                const pawl__scan by_index = *w->scan;
                w->taken = false;
                assert_ok(workspace_scan(w));
                w->taken = true;
                assert_memory_equal(by_index.tree, w->scan->tree, 32);
                assert_int_equal(by_index.files, w->scan->files);
                assert_int_equal(by_index.bytes, w->scan->bytes);
                assert_int_equal(by_index.ignored, w->scan->ignored);
                unchanged += by_index.unchanged;
                ignored += by_index.ignored;
        }
        printf("%zu rounds, %llu unchanged, %llu ignored\n", rounds, (unsigned long long)unchanged,
                (unsigned long long)ignored);
        assert_true(unchanged > rounds * FOLDERS * FILES / 4);
        assert_true(ignored > rounds);
}

#include "support/test.h"
#include "workspace/diff/patch.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The text -------------------------------------------------------------------------------- */

static pawl__patch_side file(const char *content, uint32_t mode)
{
        return (pawl__patch_side){'f', mode, strlen(content), pawl__text(content)};
}

static pawl__patch_side link_to(const char *target)
{
        return (pawl__patch_side){'l', 0, 0, pawl__text(target)};
}

static const pawl__patch_side nothing;

static void patch_is(
        const char *path, pawl__patch_side before, pawl__patch_side after, const char *is)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl__patch_counts counts;
        pawl_error err = PAWL_ERROR_INIT;

        assert_ok(pawl__patch_add(&counts, &out, pawl__text(path), &before, &after, &err));
        assert_text(pawl__buf_text(&out), is);
        pawl__buf_free(&out);
}

UNIT_TEST(headers_are_those_of_git)
{
        patch_is("a", file("1\n", 0644), file("2\n", 0600),
                "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n");
        patch_is("a", file("1\n", 0644), file("1\n", 0755),
                "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n");
        patch_is("a", file("1\n", 0644), file("1\n", 0640), "");
        patch_is("a", nothing, nothing, "");
        patch_is("a", nothing, file("", 0644),
                "diff --git a/a b/a\nnew file mode 100644\nindex 0000000..e69de29\n");
        patch_is("a", file("", 0755), nothing,
                "diff --git a/a b/a\ndeleted file mode 100755\nindex e69de29..0000000\n");
        patch_is("a", file("x\n", 0755), nothing,
                "diff --git a/a b/a\ndeleted file mode 100755\n--- a/a\n+++ /dev/null\n"
                "@@ -1 +0,0 @@\n-x\n");
        patch_is("l", nothing, link_to("to"),
                "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n"
                "@@ -0,0 +1 @@\n+to\n\\ No newline at end of file\n");
        patch_is("a", file("to", 0644), link_to("to"),
                "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n"
                "@@ -1 +0,0 @@\n-to\n\\ No newline at end of file\n"
                "diff --git a/a b/a\nnew file mode 120000\n--- /dev/null\n+++ b/a\n"
                "@@ -0,0 +1 @@\n+to\n\\ No newline at end of file\n");
}

UNIT_TEST(names_are_quoted_as_git_quotes_them)
{
        patch_is("a b", file("1\n", 0644), file("2\n", 0644),
                "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n-1\n+2\n");
        patch_is("\a\n\"\\\xc3\xa4\x01z", file("1\n", 0644), file("1\n", 0755),
                "diff --git \"a/\\a\\n\\\"\\\\\\303\\244\\001z\" "
                "\"b/\\a\\n\\\"\\\\\\303\\244\\001z\"\nold mode 100644\nnew mode 100755\n");
}

UNIT_TEST(what_is_binary_is_a_git_binary_patch_and_what_is_large_is_said_to_differ)
{
        pawl__patch_side binary = {'f', 0644, 3, {"a\0b", 3}}, large = {'f', 0644, 0, {NULL, 0}};
        pawl__patch_counts counts = {{9, 9}, false};
        const pawl__patch_side text = file("a\n", 0644);

        large.size = PAWL__PATCH_MAX + 1;
        patch_is("a", binary, file("x\n", 0644),
                "diff --git a/a b/a\nindex 20b5be91886d0b6f26dc98a225c0dac05fe2c86e..587be6b4c3f93f93c489c0111bba5596147a26cb\nGIT binary patch\nliteral 2\nMcmV+d0R8`X3IO~7g8%>k\n\nliteral 3\nNcmV+e0Q~=90Ac}%0K@<Q\n\n");
        patch_is("a", nothing, binary,
                "diff --git a/a b/a\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..20b5be91886d0b6f26dc98a225c0dac05fe2c86e\nGIT binary patch\nliteral 3\nNcmV+e0Q~=90Ac}%0K@<Q\n\nliteral 0\nKcmV+b0RR6000031\n\n");
        patch_is("a", binary, binary, "");
        patch_is("a b", file("x", 0644), large,
                "diff --git a/a b b/a b\nindex 0000001..0000002\nBinary files a/a b and b/a b differ\n");
        assert_ok(pawl__patch_add(&counts, NULL, pawl__text("a"), &text, &large, NULL));
        assert_true(counts.binary && counts.lines.added == 0 && counts.lines.removed == 0);
}

/* ---- Applied by git and by patch ------------------------------------------------------------- */

static const char *const names[] = {"plain", "with space", "sub/deep/er/file", "sub/x\ty",
        "line\nbreak", "quote\"s\\", "\xc3\xa4\xf0\x9f\x90\xbe", "not\xff\xfeutf8", " lead",
        "trail ", "-dash", "a b/c d"};
enum { NAMES = sizeof names / sizeof names[0] };

static unsigned random_below(unsigned *seed, unsigned n)
{
        *seed = *seed * 1103515245u + 12345u;
        return *seed / 65536u % n;
}

/* Lines of a small alphabet, so that there is much to match; at times without a newline at the end,
 * with CR, empty lines, bytes that are no UTF-8. */
static void random_text(pawl__buf *out, unsigned *seed)
{
        static const char *const lines[] = {"a", "b", "c", "", "\r", "{", "}", "\xff\xfe", "-- x",
                "++ y", "@@ -1 +1 @@", "\\ No newline", " indented", "diff --git a/x b/x"};
        const unsigned n = random_below(seed, 40);

        for (unsigned i = 0; i < n; i++) {
                assert_ok(pawl__buf_adds(out, lines[random_below(seed, 14)]));
                if (i + 1 < n || random_below(seed, 4))
                        assert_ok(pawl__buf_addc(out, '\n'));
        }
}

/* The same with a few lines taken out, put in, or others. */
static void edited(pawl__buf *out, const pawl__buf *text, unsigned *seed)
{
        for (size_t at = 0; at < text->len;) {
                const char *newline = memchr(text->data + at, '\n', text->len - at);
                size_t end = newline ? (size_t)(newline + 1 - text->data) : text->len;
                switch (random_below(seed, 8)) {
                case 0:
                        break;
                case 1:
                        assert_ok(pawl__buf_adds(out, "new\n"));
                        /* fall through */
                default:
                        assert_ok(pawl__buf_add(out, text->data + at, end - at));
                }
                at = end;
        }
        if (random_below(seed, 5) == 0)
                assert_ok(pawl__buf_adds(out, "end"));
}

struct world {
        char *directory; /* two of them are made in it: git, patch */
        pawl__buf before[NAMES], after[NAMES];
        pawl__patch_side from[NAMES], to[NAMES];
};

static char *place(const struct world *w, const char *tool, const char *name)
{
        pawl__buf path = PAWL__BUF_INIT;

        assert_ok(pawl__buf_addf(&path, "%s/%s/%s", w->directory, tool, name));
        return test_take(&path);
}

static void make_directories(char *path)
{
        for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                if (mkdir(path, 0755) != 0)
                        assert_int_equal(errno, EEXIST);
                *slash = '/';
        }
}

static void put(
        const struct world *w, const char *tool, const char *name, const pawl__patch_side *side)
{
        char *path = place(w, tool, name);

        make_directories(path);
        if (side->kind == 'l') {
                char *target = test_text(side->content.data, side->content.len);
                assert_int_equal(symlink(target, path), 0);
        } else if (side->kind == 'f') {
                file_write(path, side->content.data, side->content.len);
                assert_int_equal(chmod(path, side->mode), 0);
        }
}

static void is_there(
        const struct world *w, const char *tool, const char *name, const pawl__patch_side *side)
{
        char *path = place(w, tool, name), target[200];
        struct stat st;
        const int rc = lstat(path, &st);
        size_t len = 0;

        if (!side->kind) {
                assert_int_equal(rc, -1);
        } else if (side->kind == 'l') {
                assert_true(rc == 0 && S_ISLNK(st.st_mode));
                const ssize_t got = readlink(path, target, sizeof target);
                assert_int_equal(got, side->content.len);
                assert_memory_equal(target, side->content.data, side->content.len);
        } else {
                assert_true(rc == 0 && S_ISREG(st.st_mode));
                char *content = file_read(path, &len);
                assert_int_equal(len, side->content.len);
                assert_true(len == 0 || memcmp(content, side->content.data, len) == 0);
                assert_int_equal(st.st_mode & 0100, side->mode & 0100);
        }
}

static pawl__patch_side random_side(pawl__buf *content, bool may_be_link, unsigned *seed)
{
        pawl__patch_side side = {
                'f', random_below(seed, 3) ? 0644 : 0755, content->len, pawl__buf_text(content)};

        if (random_below(seed, 6) == 0) {
                side = nothing;
        } else if (may_be_link && random_below(seed, 5) == 0) {
                pawl__buf_clear(content);
                assert_ok(pawl__buf_addf(content, "to/%u", random_below(seed, 9)));
                side = (pawl__patch_side){'l', 0, 0, pawl__buf_text(content)};
        }
        return side;
}

/* patch does not take what git itself writes of a link, or of a name with spaces where there are no
 * hunks; nor does it touch files with a newline in their names. */
static bool for_patch(const struct world *w, size_t i)
{
        return w->from[i].kind != 'l' && w->to[i].kind != 'l' && !strpbrk(names[i], " \n");
}

static void apply(
        const struct world *w, const char *tool, const char *command, const pawl__buf *patch)
{
        char *name = place(w, tool, "../diff");
        pawl__buf line = PAWL__BUF_INIT;

        file_write(name, patch->data ? patch->data : "", patch->len);
        assert_ok(pawl__buf_addf(&line,
                "cd '%s/%s' && %s ../diff >../said 2>&1 || { cat ../said; false; }", w->directory,
                tool, command));
        assert_int_equal(system(line.data), 0);
        pawl__buf_free(&line);
}

static void one_round(struct world *w, unsigned *seed)
{
        pawl__buf all = PAWL__BUF_INIT, some = PAWL__BUF_INIT;
        char *git = place(w, "git", "x"), *other = place(w, "patch", "x");

        make_directories(git);
        make_directories(other);
        for (size_t i = 0; i < NAMES; i++) {
                pawl__patch_counts counts;
                pawl__buf_clear(&w->before[i]);
                pawl__buf_clear(&w->after[i]);
                random_text(&w->before[i], seed);
                if (random_below(seed, 3))
                        edited(&w->after[i], &w->before[i], seed);
                else
                        random_text(&w->after[i], seed);
                w->from[i] = random_side(&w->before[i], true, seed);
                w->to[i] = random_side(&w->after[i], true, seed);
                put(w, "git", names[i], &w->from[i]);
                assert_ok(pawl__patch_add(
                        &counts, &all, pawl__text(names[i]), &w->from[i], &w->to[i], NULL));
                if (!for_patch(w, i))
                        continue;
                put(w, "patch", names[i], &w->from[i]);
                assert_ok(pawl__patch_add(
                        &counts, &some, pawl__text(names[i]), &w->from[i], &w->to[i], NULL));
        }
        if (all.len > 0)
                apply(w, "git", "git apply --whitespace=nowarn", &all);
        if (some.len > 0)
                apply(w, "patch", "patch -s --binary -p1 -i", &some);
        for (size_t i = 0; i < NAMES; i++) {
                is_there(w, "git", names[i], &w->to[i]);
                if (for_patch(w, i))
                        is_there(w, "patch", names[i], &w->to[i]);
        }
        pawl__buf_free(&all);
        pawl__buf_free(&some);
}

UNIT_TEST(git_and_patch_make_the_same_bytes_of_it)
{
        unsigned seed = 20261121;
        const int rounds = test_full() ? 400 : 40;
        struct world w;

        memset(&w, 0, sizeof w);
        for (int round = 0; round < rounds; round++) {
                void *mark = test_mark();
                w.directory = directory_make();
                one_round(&w, &seed);
                test_release(mark);
        }
        for (size_t i = 0; i < NAMES; i++) {
                pawl__buf_free(&w.before[i]);
                pawl__buf_free(&w.after[i]);
        }
        print_message("%d rounds of %d files each, applied by git and by patch\n", rounds, NAMES);
}

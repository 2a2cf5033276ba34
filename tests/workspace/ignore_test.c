/* The rules of gitignore: each one by example, and all of them beside what git itself says of
 * random patterns. */
#include "support/sweep.h"
#include "support/test.h"
#include "workspace/scan/ignore.h"
#include <sys/stat.h>

/* What the lists say of "a/b/c": of each directory above it first, as nobody looks into one that is
 * left out. A '/' at the end says that it is a directory. */
static bool left_out(pawl__ignore *ignore, const char *path)
{
        bool out = false;

        for (size_t at = 0, end; path[at] && !out; at = end + (path[end] == '/')) {
                end = at + strcspn(path + at, "/");
                out = pawl__ignore_match(ignore, pawl__text_n(path, end), at, path[end] == '/') ==
                      PAWL__IGNORE_LEAVE;
        }
        return out;
}

UNIT_TEST(each_rule_says_what_git_says)
{
        static const struct {
                const char *patterns, *path;
                bool out;
        } rows[] = {
                {"", "a", false},
                {"a", "a", true},
                {"a", "b/a", true},
                {"a", "a/b", true},
                {"a", "ab", false},
                {"# a", " a", false},
                {"#a", "#a", false},
                {"\\#a", "#a", true},
                {"\\!a", "!a", true},
                {"a  ", "a", true},
                {"a\\ ", "a ", true},
                {"a\\  ", "a ", true},
                {"a\t", "a", false},
                {"a\r\nb\r", "a", true},
                {"a\r\nb\r", "b", true},
                {"\xef\xbb\xbf"
                 "a",
                        "a", true},
                {"a\n!a", "a", false},
                {"!a\na", "a", true},
                {"a/\n!a/b", "a/b", true},
                {"*.o", "x/y.o", true},
                {"*.o", ".o", true},
                {"*.o", "y.oo", false},
                {"/a", "a", true},
                {"/a", "b/a", false},
                {"a/b", "a/b", true},
                {"a/b", "c/a/b", false},
                {"a/*", "a/b", true},
                {"a/*", "a/b/c", true},
                {"a/*/c", "a/b/c", true},
                {"a/*/c", "a/b/b/c", false},
                {"a/", "a", false},
                {"a/", "a/", true},
                {"a/", "b/a/c", true},
                {"**/a", "a", true},
                {"**/a", "b/c/a", true},
                {"a/**", "a", false},
                {"a/**", "a/b", true},
                {"a/**/b", "a/b", true},
                {"a/**/b", "a/c/d/b", true},
                {"a/**/b", "ab", false},
                {"a**/b", "a/b", true},
                {"a**/b", "ax/y/b", true},
                {"x[a]**/b", "xac/y/b", false},
                {"?", "a", true},
                {"?", "ab", false},
                {"a?b", "a/b", false},
                {"a/?/b", "a/c/b", true},
                {"[ab]c", "bc", true},
                {"[a-c]", "b", true},
                {"[!a-c]", "b", false},
                {"[!a-c]", "d", true},
                {"[^a]", "b", true},
                {"[]-]", "]", true},
                {"[]-]", "-", true},
                {"[a-]", "-", true},
                {"[\\]]", "]", true},
                {"[\\a-c]", "b", true},
                {"[[:digit:]]", "7", true},
                {"[[:digit:]]", "a", false},
                {"[[:alpha:]-z]", "-", true},
                {"[[:none:]]", "n", false},
                {"[[:digit]", ":", true},
                {"[a", "[a", false},
                {"a[/]b", "a/b", false},
                {"a\\", "a\\", false},
                {"a\\b", "ab", true},
                {"\xff*", "\xff\xfe", true},
                {"/", "a", false},
                {"!", "a", false},
                {"*", "a", true},
                {"*\n!*/\n!*.c", "x/y.c", false},
                {"*\n!*/\n!*.c", "x/y.o", true},
        };

        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                pawl__ignore ignore = {NULL, 0, 0, false};
                assert_ok(pawl__ignore_add(&ignore, pawl__text(rows[i].patterns), 0, NULL));
                if (left_out(&ignore, rows[i].path) != rows[i].out)
                        fail_msg("\"%s\" on \"%s\"", rows[i].patterns, rows[i].path);
                pawl__ignore_free(&ignore);
        }
}

UNIT_TEST(a_deeper_list_goes_before)
{
        pawl__ignore ignore = {NULL, 0, 0, false};

        assert_ok(pawl__ignore_add(&ignore, pawl__text("*.o\n/x"), 0, NULL));
        const size_t outer = ignore.n;
        assert_ok(pawl__ignore_add(&ignore, pawl__text("!keep.o\n/x"), 4, NULL));
        assert_int_equal(
                pawl__ignore_match(&ignore, pawl__text("sub/keep.o"), 4, false), PAWL__IGNORE_TAKE);
        assert_int_equal(
                pawl__ignore_match(&ignore, pawl__text("sub/x"), 4, false), PAWL__IGNORE_LEAVE);
        assert_int_equal(
                pawl__ignore_match(&ignore, pawl__text("sub/y/x"), 6, false), PAWL__IGNORE_SILENT);
        pawl__ignore_cut(&ignore, outer);
        assert_int_equal(pawl__ignore_match(&ignore, pawl__text("sub/keep.o"), 4, false),
                PAWL__IGNORE_LEAVE);
        pawl__ignore_free(&ignore);
}

/* A pattern that makes others go back and forth for hours. */
UNIT_TEST(no_pattern_takes_long)
{
        enum { STARS = 2000, NAME = 4000 };
        pawl__buf pattern = PAWL__BUF_INIT, path = PAWL__BUF_INIT;
        pawl__ignore ignore = {NULL, 0, 0, false};

        for (int i = 0; i < STARS; i++)
                assert_ok(pawl__buf_adds(&pattern, i % 2 ? "**/a*/" : "*a*a"));
        assert_ok(pawl__buf_adds(&pattern, "b"));
        for (int i = 0; i < NAME; i++)
                assert_ok(pawl__buf_adds(&path, i % 9 ? "a" : "a/"));
        assert_ok(pawl__ignore_add(&ignore, pawl__buf_text(&pattern), 0, NULL));
        assert_int_equal(pawl__ignore_match(&ignore, pawl__buf_text(&path), path.len - 1, false),
                PAWL__IGNORE_SILENT);
        pawl__ignore_free(&ignore);
        pawl__buf_free(&pattern);
        pawl__buf_free(&path);
}

UNIT_TEST(without_memory_no_rule_is_added)
{
        static const char patterns[] = "plain\n*.o\na/**/[b-c]?\n!x*y*\n/z/\n"
                                       "a\nb\nc\nd\ne\nf\n";
        pawl__ignore ignore = {NULL, 0, 0, false};

        assert_ok(pawl__ignore_add(&ignore, pawl__text("first"), 0, NULL));
        for (sweep s = {.once = true}; sweep_next(&s);) {
                pawl_error err = PAWL_ERROR_INIT;
                sweep_arm(&s);
                const pawl_status status = pawl__ignore_add(&ignore, pawl__text(patterns), 0, &err);
                const bool ok = sweep_done(&s, status, &err);
                assert_int_equal(ok, !s.failed);
                assert_int_equal(ignore.n, s.failed ? 1 : 12);
                s.live = status ? s.live : allocator_live(); /* the rules stay */
        }
        pawl__ignore_free(&ignore);
}

/* ---- Beside git ------------------------------------------------------------------------------ */

static const char *const names[] = {"a", "b", "ab", "foo", "foo.c", "!a", "#b", " a", "a ", "[a]",
        "]", "a-b", "\\b", "*", "\xc3\xa9", "a\nb", ".x", "**", "A", "B", "Foo.C"};
enum { NAMES = sizeof names / sizeof names[0], PATHS_MAX = 1000 };

static uint64_t next_random(uint64_t *seed)
{
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        return *seed;
}

static size_t choice(uint64_t *seed, size_t n)
{
        return (size_t)(next_random(seed) >> 20) % n;
}

/* Lines of pieces that patterns are made of, whether that makes sense or not. */
static void random_patterns(pawl__buf *out, uint64_t *seed)
{
        static const char *const pieces[] = {"*", "**", "?", "/", "/", "**/", "/**", "[a-f]",
                "[!a]", "[^b]", "[", "]", "[[:alpha:]]", "[[:punct:]o]", "[[:x:]]", "\\", "\\a",
                "\\/", " ", "!", "#", "-", "[]a]", "[a-]", "[\\]b]", "a*", "*b", "[--a]", "[!]]",
                "f?o", "oo", "[A-F]", "[AB]", "[^A]", "[Z-b]", "[[:upper:]]", "[![:lower:]]", "\\A",
                "FO", "*.C"};
        enum { PIECES = sizeof pieces / sizeof pieces[0] };
        const size_t lines = 1 + choice(seed, 5);

        for (size_t line = 0; line < lines; line++) {
                const size_t parts = 1 + choice(seed, 5);
                if (choice(seed, 5) == 0)
                        assert_ok(pawl__buf_adds(out, "!"));
                for (size_t i = 0; i < parts; i++) {
                        const char *piece = choice(seed, 2) ? pieces[choice(seed, PIECES)]
                                                            : names[choice(seed, NAMES)];
                        if (!strchr(piece, '\n'))
                                assert_ok(pawl__buf_adds(out, piece));
                }
                if (choice(seed, 6) == 0)
                        assert_ok(pawl__buf_adds(out, "/"));
                static const char *const ends[] = {"\n", "\n", "\n", "\n", " \n", "\r\n", "\n\n"};
                assert_ok(pawl__buf_adds(out, ends[choice(seed, 7)]));
        }
}

/* Names, names within "foo", "a" and "b", and within "foo/ab", "a/ab", "b/ab"; a directory ends in
 * '/'. */
static size_t make_tree(char *paths[PATHS_MAX], const char *directory)
{
        static const char *const directories[] = {
                "", "foo/", "a/", "b/", "foo/ab/", "a/ab/", "b/ab/", "foo/ab/foo/"};
        size_t n = 0;

        for (size_t f = 0; f < sizeof directories / sizeof directories[0]; f++)
                for (size_t i = 0; i < NAMES; i++) {
                        char path[64];
                        bool is_directory = false;
                        snprintf(path, sizeof path, "%s%s/", directories[f], names[i]);
                        for (size_t k = 1; k < sizeof directories / sizeof directories[0]; k++)
                                is_directory = is_directory || strcmp(path, directories[k]) == 0;
                        if (!is_directory)
                                path[strlen(path) - 1] = '\0';
                        char *whole = path_in(directory, path);
                        if (is_directory)
                                assert_int_equal(mkdir(whole, 0700), 0);
                        else
                                file_write(whole, "", 0);
                        paths[n++] = test_copy(path);
                }
        return n;
}

/* The output of git, malloc'd; the paths go in ended by NULs, and come out so. */
static char *ask_git(const char *directory, char *const paths[], size_t n, bool fold, size_t *len)
{
        char *asked = path_in(directory, ".git/asked"), *said = path_in(directory, ".git/said");
        pawl__buf input = PAWL__BUF_INIT;
        char command[512];

        for (size_t i = 0; i < n; i++) {
                size_t path_len = strlen(paths[i]);
                path_len -= paths[i][path_len - 1] == '/';
                assert_ok(pawl__buf_add(&input, paths[i], path_len));
                assert_ok(pawl__buf_addc(&input, '\0'));
        }
        file_write(asked, input.data, input.len);
        snprintf(command, sizeof command,
                "cd '%s' && git -c core.excludesFile=/dev/null -c core.ignoreCase=%d check-ignore "
                "--no-index --stdin -z <'%s' >'%s'; [ $? -le 1 ]",
                directory, fold, asked, said);
        assert_int_equal(system(command), 0);
        char *answer = file_read(said, len);
        pawl__buf_free(&input);
        return answer;
}

typedef struct lists {
        pawl__buf exclude, root, foo, foo_ab;
        bool fold; /* core.ignoreCase */
} lists;

static void write_list(const char *directory, const char *name, pawl__buf *list, uint64_t *seed)
{
        char *path = path_in(directory, name);

        pawl__buf_clear(list);
        random_patterns(list, seed);
        file_write(path, list->data, list->len);
}

/* What a scan would do: go down name by name, and let the lists of foo and foo/ab come into force
 * where it enters them. */
static bool we_leave_out(const lists *l, const char *path)
{
        pawl__ignore ignore = {NULL, 0, 0, l->fold};
        bool out = false;

        assert_ok(pawl__ignore_add(&ignore, pawl__buf_text(&l->exclude), 0, NULL));
        assert_ok(pawl__ignore_add(&ignore, pawl__buf_text(&l->root), 0, NULL));
        for (size_t at = 0, end; path[at] && !out; at = end + (path[end] == '/')) {
                end = at + strcspn(path + at, "/");
                out = pawl__ignore_match(&ignore, pawl__text_n(path, end), at, path[end] == '/') ==
                      PAWL__IGNORE_LEAVE;
                const pawl__buf *list = strncmp(path, "foo/ab/", end + 1) == 0 && end == 6
                                                ? &l->foo_ab
                                        : strncmp(path, "foo/", end + 1) == 0 && end == 3 ? &l->foo
                                                                                          : NULL;
                if (list)
                        assert_ok(pawl__ignore_add(&ignore, pawl__buf_text(list), end + 1, NULL));
        }
        pawl__ignore_free(&ignore);
        return out;
}

static bool among(const char *answer, size_t len, const char *path)
{
        size_t path_len = strlen(path);

        path_len -= path[path_len - 1] == '/';
        for (size_t at = 0; at < len; at += strlen(answer + at) + 1)
                if (strlen(answer + at) == path_len && memcmp(answer + at, path, path_len) == 0)
                        return true;
        return false;
}

static void compare_with_git(bool fold)
{
        const int rounds = test_full() ? 20000 : 300;
        char *directory = directory_make(), *paths[PATHS_MAX], command[512];
        lists l = {PAWL__BUF_INIT, PAWL__BUF_INIT, PAWL__BUF_INIT, PAWL__BUF_INIT, fold};
        uint64_t seed = 20261121, out = 0;

        snprintf(command, sizeof command, "git init -q '%s'", directory);
        assert_int_equal(system(command), 0);
        const size_t n = make_tree(paths, directory);
        for (int round = 0; round < rounds; round++) {
                size_t len;
                write_list(directory, ".git/info/exclude", &l.exclude, &seed);
                write_list(directory, ".gitignore", &l.root, &seed);
                write_list(directory, "foo/.gitignore", &l.foo, &seed);
                write_list(directory, "foo/ab/.gitignore", &l.foo_ab, &seed);
                char *answer = ask_git(directory, paths, n, fold, &len);
                for (size_t i = 0; i < n; i++) {
                        const bool git = among(answer, len, paths[i]);
                        out += git;
                        if (we_leave_out(&l, paths[i]) == git)
                                continue;
                        fail_msg("round %d, \"%s\": git leaves it out: %d\nexclude:\n%sroot:\n%s"
                                 "foo:\n%sfoo/ab:\n%s",
                                round, paths[i], git, l.exclude.data, l.root.data, l.foo.data,
                                l.foo_ab.data);
                }
        }
        printf("%d rounds of %zu paths, %llu left out\n", rounds, n, (unsigned long long)out);
        assert_true(out > (uint64_t)rounds * 10);
        for (size_t i = 0; i < n; i++)
                pawl__buf_free(&l.exclude);
        pawl__buf_free(&l.root);
        pawl__buf_free(&l.foo);
        pawl__buf_free(&l.foo_ab);
}

UNIT_TEST(random_patterns_match_what_git_matches)
{
        compare_with_git(false);
}

UNIT_TEST(and_so_they_do_where_the_case_of_letters_does_not_count)
{
        compare_with_git(true);
}

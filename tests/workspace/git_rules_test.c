/* What a scan takes is what git would take: `git ls-files -co --exclude-standard`, over random
 * trees with random rules in every place that git has for them, some files tracked in spite of
 * them. */
#include "support/sweep.h"
#include "support/workspace.h"
#include "workspace/git/git_index.h"
#include "workspace/scan/git_rules.h"
#include <sys/stat.h>
#include <unistd.h>

static uint64_t seed = 20261122;
static size_t in_spite; /* rounds in which git tracks what it ignores */

static size_t choice(size_t n)
{
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        return (size_t)(seed >> 20) % n;
}

/* In the root of the workspace; the user is one with a home directory of its own. */
static void shell(const char *directory, const char *script)
{
        char command[4096];

        snprintf(command, sizeof command,
                "cd '%s' && export HOME=\"$PWD/.pawl/home\" GIT_CONFIG_NOSYSTEM=1 && "
                "unset XDG_CONFIG_HOME && { %s\n} >/dev/null 2>&1",
                directory, script);
        if (system(command) != 0)
                fail_msg("%s", script);
}

static int setup(void **state)
{
        assert_int_equal(workspace_setup(state), 0);
        workspace *w = *state;
        char *home = path_in(w->f->directory, ".pawl/home");
        assert_int_equal(mkdir(home, 0755), 0);
        w->options.home = home;
        shell(w->f->directory,
                "git config --global user.name a; git config --global user.email b@c.d");
        return 0;
}

#define GIT_TEST(name) UNIT_TEST_WITH(name, workspace *w, setup, workspace_teardown)

/* ---- Both sides, as lines -------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The paths of an output of git, ended by NULs, in the order of their bytes, a line each. */
static void in_order(pawl__buf *out, char *text, size_t len)
{
        char *lines[4096];
        size_t n = 0;

        for (size_t at = 0; at < len; at += strlen(text + at) + 1)
                lines[n++] = text + at;
        qsort(lines, n, sizeof *lines, by_text);
        for (size_t i = 0; i < n; i++)
                if (i == 0 || strcmp(lines[i - 1], lines[i]) != 0)
                        assert_ok(pawl__buf_addf(out, "%s\n", lines[i]));
}

/* Files and links that are there and that git would take. */
static void what_git_takes(pawl__buf *out, const char *directory)
{
        size_t len;

        shell(directory, "git ls-files -co --exclude-standard -z -- . ':!.pawl' >.pawl/all && "
                         "xargs -0 sh -c 'for f; do if [ -f \"$f\" ] || [ -L \"$f\" ]; then printf "
                         "\"%s\\0\" \"$f\"; fi; done' sh <.pawl/all >.pawl/said");
        char *said = file_read(path_in(directory, ".pawl/said"), &len);
        in_order(out, said, len);
}

static void what_is_taken(pawl__buf *out, workspace *w)
{
        pawl__buf paths = PAWL__BUF_INIT;

        workspace_take(w);
        char *tree = test_copy(workspace_tree(w)), *rest = tree, *line;
        while ((line = strsep(&rest, "\n")))
                if (line[0] == 'f' || line[0] == 'l') {
                        char *path = line[0] == 'f' ? strchr(line + 2, ' ') + 1 : line + 2;
                        path[strcspn(path, "=")] = '\0';
                        assert_ok(pawl__buf_add(&paths, path, strlen(path) + 1));
                }
        in_order(out, paths.data, paths.len);
        pawl__buf_free(&paths);
}

static void same_as_git(workspace *w, const char *directory, size_t round)
{
        pawl__buf git = PAWL__BUF_INIT, ours = PAWL__BUF_INIT;

        what_git_takes(&git, directory);
        what_is_taken(&ours, w);
        shell(directory, "git ls-files -ci --exclude-standard >.pawl/all");
        struct stat st;
        assert_int_equal(stat(path_in(directory, ".pawl/all"), &st), 0);
        in_spite += st.st_size > 0;
        pawl_text all = pawl__buf_text(&git), mine = pawl__buf_text(&ours);
        size_t from = 0;
        while (from < all.len && from < mine.len && all.data[from] == mine.data[from])
                from++;
        if (!pawl__text_eq(all, mine)) {
                while (from > 0 && all.data[from - 1] != '\n')
                        from--;
                fail_msg("round %zu: git takes first\n%.80s\nand we\n%.80s", round, all.data + from,
                        mine.data + from);
        }
        pawl__buf_free(&git);
        pawl__buf_free(&ours);
}

/* ---- Random trees ---------------------------------------------------------------------------- */

static const char *const names[] = {"a", "b", "c.o", "d.log", "build", "x"};
enum { NAMES = sizeof names / sizeof names[0] };

static void random_path(char out[64], size_t depth)
{
        size_t len = 0;

        for (size_t i = 0; i < depth; i++)
                len += (size_t)snprintf(
                        out + len, 64 - len, "%s%s", i ? "/" : "", names[choice(NAMES)]);
}

static void random_rules(workspace *w, const char *path)
{
        static const char *const rules[] = {"*.o\n", "build/\n", "/a\n", "!c.o\n", "x\n", "*\n",
                "!*/\n", "b/*\n", "!/b/a\n", "*.log\n", "a/**/x\n", "!build\n", "#\n", "d*\n"};
        pawl__buf text = PAWL__BUF_INIT;

        for (size_t i = choice(4); i > 0; i--)
                assert_ok(pawl__buf_adds(&text, rules[choice(sizeof rules / sizeof rules[0])]));
        workspace_write(w, path, text.data ? text.data : "");
        pawl__buf_free(&text);
}

static bool is_directory(const workspace *w, const char *path)
{
        char *whole = path_in(w->f->directory, path);
        struct stat st;
        const bool is = lstat(whole, &st) == 0 && S_ISDIR(st.st_mode);

        return is;
}

/* A file, unless a directory is there, or a file where one should be. */
static void random_file(workspace *w)
{
        char path[64];

        random_path(path, 1 + choice(4));
        for (char *slash = path; (slash = strchr(slash, '/')); slash++) {
                *slash = '\0';
                char *whole = path_in(w->f->directory, path);
                const bool stands = access(whole, F_OK) == 0 && !is_directory(w, path);
                *slash = '/';
                if (stands)
                        return;
        }
        if (!is_directory(w, path))
                workspace_write(w, path, path);
}

static void change_rules(workspace *w)
{
        char path[96];

        switch (choice(5)) {
        case 0:
                random_rules(w, ".git/info/exclude");
                break;
        case 1:
                random_rules(w, ".pawl/home/.config/git/ignore");
                break;
        case 2:
                random_rules(w, ".pawl/home/excludes");
                shell(w->f->directory,
                        choice(2) ? "git config --global core.excludesFile '~/excludes'"
                                  : "git config --global --unset-all core.excludesFile || true");
                break;
        default:
                random_path(path, 1 + choice(2));
                if (choice(3) == 0)
                        random_rules(w, ".gitignore");
                else if (is_directory(w, path)) {
                        snprintf(path + strlen(path), sizeof path - strlen(path), "/.gitignore");
                        random_rules(w, path);
                }
        }
}

static void change_index(workspace *w)
{
        static const char *const scripts[] = {"git add -A", "git add -f .",
                "git rm -qr --cached . || true", "git update-index --index-version 4",
                "git update-index --index-version 2",
                "git ls-files -o | head -n 3 | xargs -r git add -f",
                "git ls-files -oi --exclude-standard | tail -n 2 | xargs -r git add -fN",
                "git ls-files | head -n 4 | xargs -r git rm -qf --cached",
                "git ls-files | tail -n 1 | xargs -r rm -rf", "git update-index --split-index",
                "git update-index --no-split-index", "git commit -qm x || true"};

        shell(w->f->directory, "git config gc.auto 0; echo .pawl >>.git/info/exclude");
        shell(w->f->directory, scripts[choice(sizeof scripts / sizeof scripts[0])]);
}

GIT_TEST(a_scan_takes_what_git_would_take)
{
        const size_t rounds = test_full() ? 2000 : 40;

        shell(w->f->directory, "git init -q .; git config --local feature.manyFiles false");
        for (size_t i = 0; i < 60; i++)
                random_file(w);
        for (size_t round = 0; round < rounds; round++) {
                for (size_t i = choice(4); i > 0; i--)
                        random_file(w);
                if (choice(2))
                        change_rules(w);
                if (choice(2))
                        change_index(w);
                same_as_git(w, w->f->directory, round);
        }
        printf("%zu rounds, %zu with files that are tracked and ignored\n", rounds, in_spite);
        assert_true(in_spite > rounds / 4);
}

/* ---- Where the repository lies --------------------------------------------------------------- */

GIT_TEST(a_root_in_a_work_tree_goes_by_what_lies_above_it)
{
        char *sub = path_in(w->f->directory, "sub/deep");

        workspace_write(w, ".gitignore", "*.o\n/sub/deep/top\n");
        workspace_write(w, "sub/.gitignore", "!keep.o\n*.log\n/deep/here\n");
        workspace_write(w, "sub/deep/.gitignore", "/own\n");
        workspace_write(w, "sub/deep/a.o", "");
        workspace_write(w, "sub/deep/keep.o", "");
        workspace_write(w, "sub/deep/top", "");
        workspace_write(w, "sub/deep/here", "");
        workspace_write(w, "sub/deep/own", "");
        workspace_write(w, "sub/deep/x.log", "");
        workspace_write(w, "sub/deep/tracked.log", "");
        workspace_write(w, "sub/deep/secret", "");
        shell(w->f->directory, "git init -q .; git add -f sub/deep/tracked.log; "
                               "echo secret >>.git/info/exclude");
        w->options.root = sub;
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 .gitignore=/own\n\n"
                                               "f 644 keep.o=\n"
                                               "f 644 tracked.log=\n");
        /* what git ignores as a whole is none of its business */
        workspace_write(w, "sub/.gitignore", "deep/\n");
        workspace_take(w);
        assert_int_equal(w->scan->files, 8);
}

GIT_TEST(another_work_tree_has_its_own_index_and_the_common_rules)
{
        char *other = path_in(w->f->directory, ".pawl/other");

        workspace_write(w, ".gitignore", "*.o\n");
        shell(w->f->directory, "git init -q .; git add .gitignore; git commit -qm x; "
                               "git worktree add -q .pawl/other; echo secret >>.git/info/exclude; "
                               "cd .pawl/other; touch a a.o b.o secret; git add -f a.o");
        w->options.root = other;
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 .gitignore=*.o\n\n"
                                               "f 644 a=\n"
                                               "f 644 a.o=\n");
}

GIT_TEST(names_of_objects_may_be_longer)
{
        workspace_write(w, ".gitignore", "*.o\n");
        workspace_write(w, "a.o", "");
        workspace_write(w, "b.o", "");
        shell(w->f->directory, "git init -q --object-format=sha256 .; git add -f a.o; "
                               "git update-index --split-index; git add -f b.o");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 .gitignore=*.o\n\nf 644 a.o=\nf 644 b.o=\n");
        shell(w->f->directory, "git rm -q --cached a.o");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 .gitignore=*.o\n\nf 644 b.o=\n");
}

/* A submodule is tracked with all that is in it, but by its own rules. */
GIT_TEST(a_submodule_is_taken_whole)
{
        workspace_write(w, ".gitignore", "build/\n");
        workspace_write(w, "build/sub/file", "");
        workspace_write(w, "build/sub/out.o", "");
        workspace_write(w, "build/sub/.gitignore", "*.o\n");
        workspace_write(w, "build/other", "");
        shell(w->f->directory, "git init -q .; cd build/sub; git init -q .; git commit -qm x "
                               "--allow-empty; cd ../..; git add -f build/sub");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 .gitignore=build/\n\n"
                                               "d 755 build\n"
                                               "d 755 build/sub\n"
                                               "x repository build/sub/.git\n"
                                               "f 644 build/sub/.gitignore=*.o\n\n"
                                               "f 644 build/sub/file=\n");
}

/* What a repository within tracks is taken, as in the root's; its index alone tells when that
 * changes. */
GIT_TEST(a_repository_within_says_what_it_tracks)
{
        workspace_write(w, "in/nest/.gitignore", "*.k\n");
        workspace_write(w, "in/nest/t.k", "");
        workspace_write(w, "in/nest/d/u.k", "");
        workspace_write(w, "in/nest/d/v.k", "");
        workspace_write(w, "in/t.k", "");
        shell(w->f->directory, "git init -q .; echo '*.k' >.git/info/exclude; "
                               "cd in/nest; git init -q .; touch -d '-1 hour' . d .. ../..");
        workspace_take(w);
        assert_int_equal(w->scan->files, 1);
        shell(w->f->directory, "cd in/nest; git add -f t.k d/u.k; touch -d '-1 hour' .");
        workspace_take(w);
        assert_int_equal(w->scan->files, 3);
        assert_says(workspace_tree(w), "f 644 in/nest/d/u.k=\n");
        assert_says(workspace_tree(w), "f 644 in/nest/t.k=\n");
        workspace_take(w);
        assert_int_equal(w->scan->files, 3);
        shell(w->f->directory, "cd in/nest; git rm -qf --cached d/u.k; touch -d '-1 hour' .");
        workspace_take(w);
        assert_int_equal(w->scan->files, 2);
        shell(w->f->directory, "mv in/nest/.git .pawl/elsewhere; "
                               "echo 'gitdir: ../../.pawl/elsewhere' >in/nest/.git");
        workspace_take(w);
        assert_says(workspace_tree(w), "f 644 in/nest/t.k=\n");
        shell(w->f->directory, "echo no >.pawl/elsewhere/index");
        workspace_take(w); /* what cannot be read tracks nothing */
        assert_null(strstr(workspace_tree(w), "t.k"));
}

/* What the user says to pawl goes before what git tracks. */
GIT_TEST(our_own_rules_go_before_git)
{
        static const pawl_text exclude = {"no", 2};

        workspace_write(w, ".pawlignore", "*.o\n");
        workspace_write(w, ".gitignore", "kept\n");
        workspace_write(w, "a.o", "");
        workspace_write(w, "kept", "");
        workspace_write(w, "no", "");
        shell(w->f->directory, "git init -q .; git add -f .");
        w->options.exclude = &exclude;
        w->options.n_exclude = 1;
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 .gitignore=kept\n\n"
                                               "f 644 .pawlignore=*.o\n\n"
                                               "f 644 kept=\n");
}

/* As on file systems where names of either case are one. */
GIT_TEST(rules_go_by_letters_of_either_case_where_git_is_told_so)
{
        static const pawl_text excluded = {"EXCLUDED", 8};

        workspace_write(w, ".gitignore", "*.LOG\nBuild/\n/Dir/X\n");
        workspace_write(w, ".pawlignore", "Ours\n");
        workspace_write(w, "a.log", "");
        workspace_write(w, "build/x", "");
        workspace_write(w, "dir/x", "");
        workspace_write(w, "dir/y", "");
        workspace_write(w, "excluded", "");
        workspace_write(w, "ours", "");
        w->options.exclude = &excluded;
        w->options.n_exclude = 1;
        shell(w->f->directory, "git init -q .");
        workspace_take(w);
        assert_int_equal(w->scan->files, 8);
        shell(w->f->directory, "git config core.ignoreCase true");
        workspace_take(w); /* what the former scan saw is no excuse */
        assert_int_equal(w->scan->files, 3);
        assert_says(workspace_tree(w), "f 644 dir/y=\n");
        shell(w->f->directory, "git config core.ignoreCase false");
        workspace_take(w);
        assert_int_equal(w->scan->files, 8);
}

/* ---- What cannot be read --------------------------------------------------------------------- */

static void refused(workspace *w, pawl_status status, const char *says)
{
        pawl__scan *was = w->scan;

        assert_int_equal(workspace_scan(w), status);
        assert_says(w->err.message, says);
        assert_ptr_equal(w->scan, was);
}

GIT_TEST(what_is_no_index_is_refused)
{
        char *path = path_in(w->f->directory, ".git/index");
        size_t len;

        workspace_write(w, "a/b", "");
        workspace_write(w, "c", "");
        shell(w->f->directory, "git init -q .; git add .");
        char *index = file_read(path, &len);
        file_write(path, index, len / 2);
        refused(w, PAWL_EPARSE, "/.git/index, byte ");
        assert_says(w->err.message, "; look with `git status`");
        file_write(path, "", 0);
        refused(w, PAWL_EPARSE, "is no index of git");
        index[7] = 9;
        file_write(path, index, len);
        refused(w, PAWL_EPARSE, "is of a version that is not known");
        index[7] = 2;
        /* no change to it makes it read beyond its end */
        for (size_t i = 0; i < len * 4; i++) {
                pawl__tracked tracked = {PAWL__BUF_INIT, NULL, 0, 0};
                index[choice(len)] ^= (char)(1 << choice(8));
                file_write(path, index, len);
                if (!pawl__tracked_read(
                            &tracked, path_in(w->f->directory, ".git"), choice(2) ? 20 : 32, NULL))
                        pawl__tracked_free(&tracked);
        }
        assert_int_equal(unlink(path), 0);
        workspace_take(w);
}

GIT_TEST(a_list_that_cannot_be_read_refuses_the_scan)
{
        workspace_write(w, "a", "");
        shell(w->f->directory, "git init -q .; git config core.excludesFile .pawl/loop; "
                               "ln -s loop .pawl/loop");
        refused(w, PAWL_EINVAL, "/.pawl/loop: cannot read it");
        shell(w->f->directory, "rm .pawl/loop");
        workspace_take(w);
        shell(w->f->directory, "echo '[core' >>.git/config");
        refused(w, PAWL_EPARSE, "/.git/config, line ");
}

GIT_TEST(without_memory_nothing_is_left_unsaid)
{
        workspace_write(w, ".gitignore", "*.o\n");
        workspace_write(w, "sub/.gitignore", "x\n");
        workspace_write(w, "sub/in/a.o", "");
        workspace_write(w, "sub/in/b.o", "");
        shell(w->f->directory,
                "git init -q .; git add -f sub/in/a.o; git update-index --split-index; "
                "git add -f sub/in/b.o; git rm -q --cached sub/in/a.o; "
                "printf '[include]\\npath = ~/more\\n' >>.git/config; "
                "printf '[core]\\nexcludesFile = ~/list\\n' >~/more; echo y >~/list; "
                "mkdir sub/in/nest; cd sub/in/nest; git init -q .; echo 1 >a.o; git add -f a.o");
        w->options.root = path_in(w->f->directory, "sub/in");
        workspace_take(w);
        assert_string_equal(workspace_tree(w), "f 644 b.o=\nd 755 nest\nx repository nest/.git\n"
                                               "f 644 nest/a.o=1\n\n");
        unsigned char tree[32];
        memcpy(tree, w->scan->tree, sizeof tree);
        w->taken = false;
        for (sweep s = {0}; sweep_next(&s);) {
                pawl__scan *scan = NULL;
                w->options.base = NULL;
                sweep_arm(&s);
                if (sweep_done(&s, pawl__scan_run(&scan, w->contents, &w->options, &w->err),
                            &w->err)) {
                        assert_memory_equal(scan->tree, tree, sizeof tree);
                        pawl__scan_free(scan);
                }
        }
}

/* The lists that a checkpoint keeps come back as they were; a beginning of them is not taken for
 * them, and none says nothing. */
UNIT_TEST(kept_lists_are_read_whole_or_not_at_all)
{
        pawl__buf kept = PAWL__BUF_INIT;
        pawl__ignore rules = {.n = 0};
        pawl_text prefix = {NULL, 0};

        pawl__git_rules_begin(&kept, true, pawl__text("sub/in/"));
        pawl__git_rules_add(&kept, 0, pawl__text("*.o\nmore\n"));
        const size_t first = kept.len;
        pawl__git_rules_add(&kept, 4, pawl__text("/x\n"));
        pawl__git_rules_end(&kept);
        for (size_t len = 0; len < kept.len; len++) {
                pawl_error err = PAWL_ERROR_INIT;
                if (len == first || len == first - 4 - 4 - 9) /* a list less */
                        continue;
                assert_int_equal(
                        pawl__git_rules_read(&rules, &prefix, pawl__text_n(kept.data, len), &err),
                        PAWL_EDAMAGED);
                assert_non_null(strstr(err.message, "check with `eventlog verify`"));
                pawl__ignore_free(&rules);
        }
        assert_ok(pawl__git_rules_read(&rules, &prefix, pawl__buf_text(&kept), NULL));
        assert_true(rules.fold && pawl__text_is(prefix, "sub/in/"));
        assert_int_equal(rules.n, 3);
        assert_int_equal(
                pawl__ignore_match(&rules, pawl__text("sub/X"), 4, false), PAWL__IGNORE_LEAVE);
        assert_int_equal(
                pawl__ignore_match(&rules, pawl__text("sub/in/x"), 7, false), PAWL__IGNORE_SILENT);
        pawl__ignore_free(&rules);
        pawl__git_rules_begin(&kept, false, pawl__text("sub/in/"));
        pawl__git_rules_end(&kept);
        assert_int_equal(kept.len, 0);
        pawl__buf_free(&kept);
}

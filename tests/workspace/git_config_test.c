/* The configuration of git, as far as a scan goes by it. */
#include "support/workspace.h"
#include "workspace/scan/git_config.h"

#define CONFIG_TEST(name) UNIT_TEST_WITH(name, workspace *w, workspace_setup, workspace_teardown)

static size_t choice(uint64_t *seed, size_t n)
{
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        return (size_t)(*seed >> 20) % n;
}

CONFIG_TEST(a_configuration_is_read_as_git_reads_it)
{
        static const struct {
                const char *text, *excludes; /* NULL: it is refused */
        } rows[] = {
                {"[core]\n\texcludesFile = /a\n", "/a"},
                {"[Core]EXCLUDESFILE=/a b  # no\n", "/a b"},
                {"[core]\nexcludesfile = \"/a # b \" ; no\n", "/a # b "},
                {"[core]\nexcludesfile = /a\\\nb\n", "/ab"},
                {"[core]\r\nexcludesfile = /a\r\n", "/a"},
                {"[core]\nexcludesfile = \"/a\\tb\\\\c\\\"\"\n", "/a\tb\\c\""},
                {"[core \"x\"]\nexcludesfile = /a\n[core]\nexcludesfile = /b\n", "/b"},
                {"[core]\nexcludesfile = /a\nexcludesfile = /b\n[core]excludesfile=/c", "/c"},
                {"# none\n; none\n[core]\nbare\nexcludesfile = rel/x\n", "/top/rel/x"},
                {"[core]\nexcludesfile = ~/x\n", "HOME/x"},
                {"[core]\nexcludesfile =\n", ""},
                {"[a]\nb = c\n", "HOME/.config/git/ignore"},
                {"[include]\npath = other\n", "/other"},
                {"[includeIf \"gitdir:**/.git\"]\npath = other\n", "/other"},
                {"[includeIf \"gitdir:nowhere/\"]\npath = other\n", "HOME/.config/git/ignore"},
                {"[includeIf \"gitdir/i:**/.GIT\"]\npath = other\n", "/other"},
                {"[core]\nexcludesfile = ~ana/x\n", NULL},
                {"[core\nexcludesfile = /a\n", NULL},
                {"[core]\nexcludesfile = \"/a\n", NULL},
                {"[core]\nexcludesfile = /a\\x\n", NULL},
                {"[core]\n= /a\n", NULL},
                {"excludesfile = /a\n", NULL},
                {"[include]\npath = config\n", NULL},
        };
        char *git = path_in(w->f->directory, ".git");
        const pawl__git_user user = {w->f->directory, NULL};
        uint64_t seed = 20261122;

        workspace_write(w, ".git/other", "[core]\nexcludesFile = /other\n");
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                pawl__git_config config;
                pawl_error err = PAWL_ERROR_INIT;
                char expected[512];
                const char *excludes = rows[i].excludes ? rows[i].excludes : "";
                const bool at_home = strncmp(excludes, "HOME", 4) == 0;
                snprintf(expected, sizeof expected, "%s%s", at_home ? user.home : "",
                        excludes + 4 * at_home);
                workspace_write(w, ".git/config", rows[i].text);
                const pawl_status status =
                        pawl__git_config_read(&config, &user, git, git, "/top", &err);
                if (status != (rows[i].excludes ? PAWL_OK : PAWL_EPARSE))
                        fail_msg("%s: %d %s", rows[i].text, status, err.message);
                if (!status)
                        assert_string_equal(
                                config.excludes.data ? config.excludes.data : "", expected);
                else
                        assert_says(err.message, "/.git/config, line ");
                pawl__git_config_free(&config);
        }
        /* no change to one makes more of it than a message */
        for (size_t i = 0; i < 2000; i++) {
                const char *text = rows[choice(&seed, 16)].text;
                pawl__git_config config;
                char *path = path_in(git, "config"), *changed = test_copy(text);
                changed[choice(&seed, strlen(text))] = "\0\"\\\n[]=#~\r"[choice(&seed, 10)];
                file_write(path, changed, strlen(text));
                const pawl_status status =
                        pawl__git_config_read(&config, &user, git, git, "/top", NULL);
                assert_true(status == PAWL_OK || status == PAWL_EPARSE);
                pawl__git_config_free(&config);
        }
}

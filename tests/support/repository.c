#include "support/repository.h"

void repository_line(struct repository *f, const char *script, char *line, size_t size)
{
        pawl__buf command = PAWL__BUF_INIT;

        assert_ok(pawl__buf_addf(&command, "cd '%s' && { %s\n} 2>said.log", f->directory, script));
        FILE *pipe = popen(command.data, "r");
        assert_non_null(pipe);
        if (!fgets(line, (int)size, pipe))
                line[0] = '\0';
        line[strcspn(line, "\n")] = '\0';
        if (pclose(pipe) != 0)
                fail_msg("%s", script);
        pawl__buf_free(&command);
}

void repository_shell(struct repository *f, const char *script)
{
        char line[200];

        repository_line(f, script, line, sizeof line);
}

void repository_prints(struct repository *f, const char *script, const char *is)
{
        char line[200];

        repository_line(f, script, line, sizeof line);
        assert_string_equal(line, is);
}

int repository_setup(void **state)
{
        struct repository *f = test_alloc(sizeof *f);

        f->directory = directory_make();
        repository_shell(f,
                "mkdir repo && cd repo && git init -q -b main && git config user.name T && "
                "git config user.email t@example.org && mkdir sub && "
                "printf '1\\n2\\n' >a && printf 'b\\n' >sub/b && printf 'x\\0y' >bin && "
                "git add . && git commit -qm 'The first'");
        repository_line(f, "git -C repo rev-parse HEAD", f->first, sizeof f->first);
        repository_shell(f,
                "cd repo && printf '1\\nzwei\\n3\\n' >a && printf 'z\\0y' >bin && git rm -q sub/b && "
                "echo n >new && git add . && git commit -qm 'The second\n\nwith more'");
        repository_line(f, "git -C repo rev-parse HEAD", f->second, sizeof f->second);
        repository_shell(f, "cd repo && echo 4 >>a && git commit -qam 'The third'");
        repository_line(f, "git -C repo rev-parse HEAD", f->third, sizeof f->third);
        *state = f;
        return 0;
}

int repository_teardown(void **state)
{
        struct repository *f = *state;

        pawl__git_close(f->git);
        pawl__arena_free(&f->arena);
        return 0;
}

pawl_status repository_open(struct repository *f, const char *name)
{
        char *root = path_in(f->directory, name);

        pawl__git_close(f->git);
        f->git = NULL;
        const pawl_status status = pawl__git_open(&f->git, root, &f->err);
        return status;
}

int repository_alone(void **state __attribute__((unused)))
{
        char *home = directory_make();

        setenv("HOME", home, 1);
        setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
        unsetenv("XDG_CONFIG_HOME");
        unsetenv("GIT_DIR");
        unsetenv("SUDO_UID");
        return 0;
}

#include "support/command.h"
#include <dirent.h>
#include <signal.h>
#include <time.h>

int command_setup(void **state)
{
        struct command_fixture *f = test_alloc(sizeof *f);

        f->directory = directory_make();
        f->command = (pawl__command){.directory = f->directory,
                .input = {"", 0},
                .output_max = 1 << 20,
                .signal_fd = -1};
        *state = f;
        return 0;
}

int command_teardown(void **state)
{
        struct command_fixture *f = *state;

        free(f->result.output.data);
        return 0;
}

pawl_status command_run(struct command_fixture *f, char *const *argv)
{
        pawl__buf_free(&f->result.output);
        f->err = (pawl_error)PAWL_ERROR_INIT;
        f->command.argv = argv;
        return pawl__command_run(&f->result, &f->command, &f->err);
}

pawl_status command_shell(struct command_fixture *f, const char *script)
{
        char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};

        return command_run(f, argv);
}

double seconds(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int open_files(void)
{
        DIR *directory = opendir("/proc/self/fd");
        int n = 0;

        assert_non_null(directory);
        while (readdir(directory))
                n++;
        closedir(directory);
        return n;
}

void command_gone(struct command_fixture *f, const char *name)
{
        char *path = path_in(f->directory, name), *text;
        size_t len;

        text = file_read(path, &len);
        pid_t pid = (pid_t)atol(text);
        assert_true(pid > 1);
        for (int i = 0; kill(pid, 0) == 0; i++) {
                char stat_path[64];
                snprintf(stat_path, sizeof stat_path, "/proc/%ld/stat", (long)pid);
                FILE *file = fopen(stat_path, "r");
                char proc_state = 'X';
                if (file && fscanf(file, "%*d %*s %c", &proc_state) != 1)
                        proc_state = 'X';
                if (file)
                        fclose(file);
                if (proc_state == 'Z' || proc_state == 'X')
                        break;
                nanosleep(&(struct timespec){0, 10000000}, NULL);
                assert_true(i < 6000);
        }
}

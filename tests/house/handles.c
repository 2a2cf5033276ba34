/* Made by handles.py, which fills in a case for each function of the headers. */
#include <pawl/pawl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pawl_log *lg;
static pawl_cursor *cu;
static pawl_pipeline *pl;
static pawl_context *cx;
static pawl_mission *mi;
static pawl_threads *th;
static pawl_error err = PAWL_ERROR_INIT;

static int check(const char *name, pawl_status status, pawl_status wanted)
{
        if (status == wanted)
                return 0;
        printf("%s: %s, not %s\n", name, pawl_status_name(status), pawl_status_name(wanted));
        return 1;
}

static int null_case(int n)
{
        switch (n) {
                /* NULL_CASES */
        default:
                return -1;
        }
}

static int forked_case(int n)
{
        switch (n) {
                /* FORKED_CASES */
        default:
                return -1;
        }
}

static int text_case(int n)
{
        switch (n) {
                /* TEXT_CASES */
        default:
                return -1;
        }
}

static void open_all(const char *directory, int n)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        char path[4096];

        options.flags = PAWL_LOG_CREATE;
        snprintf(path, sizeof path, "%s/%d.db", directory, n);
        if (pawl_log_open(&lg, path, &options, &err) || pawl_pipeline_new(&pl, lg, NULL, &err) ||
                pawl_context_new(&cx, "m", "r", "s", &err) || pawl_pipeline_run(pl, cx) ||
                pawl_cursor_open(&cu, lg, 0) || pawl_threads_open(&th, lg, "t", &err) ||
                pawl_mission_load(&mi, "mission.yaml", &err)) {
                printf("the handles cannot be opened: %s\n", err.message);
                exit(1);
        }
}

static void close_all(void)
{
        pawl_threads_close(th);
        pawl_cursor_close(cu);
        pawl_context_free(cx);
        pawl_pipeline_free(pl);
        pawl_mission_free(mi);
        pawl_log_close(lg);
}

/* Each case in a process of its own, until there is none. */
static int each(int (*one)(int n), const char *directory, int opens)
{
        int bad = 0, status = 0;

        for (int n = 0;; n++) {
                fflush(stdout);
                const pid_t child = fork();
                if (child == 0) {
                        if (opens)
                                open_all(directory, n);
                        const int code = one(n);
                        if (opens && code >= 0)
                                close_all();
                        fflush(stdout);
                        _exit(code < 0 ? 77 : code);
                }
                waitpid(child, &status, 0);
                if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
                        return bad;
                if (!WIFEXITED(status) || WEXITSTATUS(status))
                        bad = 1;
                if (WIFSIGNALED(status))
                        printf("case %d: signal %d\n", n, WTERMSIG(status));
        }
}

static int close_in_child(int n)
{
        if (n > 4)
                return -1;
        close_all();
        return 0;
}

int main(int argc, char **argv)
{
        const char *mode = argc > 2 ? argv[1] : "";
        int bad;

        if (strcmp(mode, "null") == 0)
                return each(null_case, argv[2], 0);
        if (strcmp(mode, "texts") == 0)
                return each(text_case, argv[2], 1);
        open_all(argv[2], 0);
        bad = each(strcmp(mode, "forked") == 0 ? forked_case : close_in_child, argv[2], 0);
        /* the parent has its claim, and what it holds is its own */
        if (pawl_pipeline_renew(pl, "r") || pawl_pipeline_complete(pl, cx, "1", 1) ||
                pawl_pipeline_end_run(pl, "r", NULL)) {
                printf("the parent: %s\n", pawl_pipeline_errmsg(pl));
                bad = 1;
        }
        close_all();
        return bad;
}

/* Checkpoints of a workspace beside git, which keeps files by content too, in the same tree: each a
 * process, or git's two, from start to exit, in turn, medians. git has its default settings, but
 * for gc.auto = 0: it would pack in the background while the next one is measured.
 *
 *   build/bench/bench_workspace [FILES]     (default 20000, about 400 MB; needs git) */
#include "bench/source_tree.h"
#include "bench/spawn.h"
#include "events/log.h"
#include "workspace/scan.h"
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_ROUNDS = 3, ROUNDS = 15, CHECKPOINTS = 100, CHANGED = 10 };

#define GIT "git -C tree -c user.name=bench -c user.email=bench@example.org -c gc.auto=0 "

static size_t files;

static double shell_ns(const char *command)
{
        return bench_spawn_ns((char *[]){"sh", "-c", (char *)(uintptr_t)command, NULL});
}

static double git_commit_ns(void)
{
        return shell_ns(GIT "add -A && " GIT "commit -q --allow-empty -m checkpoint");
}

/* ---- Ours, in a process of its own ----------------------------------------------------------- */

static void require(pawl_status status, const pawl_error *err)
{
        if (status)
                bench_die(err->message);
}

typedef struct taking {
        pawl__scan *scan;
        pawl__contents *contents;
} taking;

static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const taking *t = user;
        const pawl_event event = {.type = pawl__text("GlossaryScopeActivated"),
                .payload = pawl__text("{\"glossary_version_id\":\"v\",\"scope_id\":\"s\"}")};
        const pawl_status status = pawl__scan_store(t->scan, t->contents, err);

        (void)log;
        return status ? status : pawl__batch_event(batch, &event, err);
}

/* What `bench_workspace --checkpoint` does, in the folder that has the tree. */
static int checkpoint(void)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__scan_options scan = {.root = "tree", .log_path = "tree/.pawl/events.db"};
        unsigned char hash[32];
        taking t = {NULL, NULL};
        uint64_t head;
        pawl_log *log;

        options.flags = PAWL_LOG_CREATE;
        require(pawl_log_open(&log, scan.log_path, &options, &err), &err);
        require(pawl_log_head(&head, hash, log), pawl__log_error(log));
        if (head)
                scan.base = hash;
        require(pawl__contents_open(&t.contents, log, &err), &err);
        require(pawl__scan_run(&t.scan, t.contents, &scan, &err), &err);
        batch.fill = fill;
        batch.fill_user = &t;
        require(pawl__log_commit(log, &batch, 0, NULL), pawl__log_error(log));
        require(pawl_log_head(&head, hash, log), pawl__log_error(log));
        require(pawl__scan_keep_index(t.scan, hash, &err), &err);
        pawl__batch_free(&batch);
        pawl__scan_free(t.scan);
        pawl__contents_close(t.contents);
        pawl_log_close(log);
        return 0;
}

static double ours_ns(double *memory)
{
        struct rusage usage;
        int status;
        const double start = bench_now_ns();
        const pid_t pid = fork();

        if (pid == 0) {
                execl("/proc/self/exe", "bench_workspace", "--checkpoint", (char *)NULL);
                _exit(127);
        }
        if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
                bench_die("a checkpoint failed");
        const double ns = bench_now_ns() - start;
        if (memory)
                *memory = (double)usage.ru_maxrss * 1024;
        return ns;
}

/* ---- Questions ------------------------------------------------------------------------------- */

static void answer(const char *what, double target, bench_series *ours, bench_series *git)
{
        bench_answer(&(bench_question){.what = what,
                             .beside = "git add -A && git commit, the processes",
                             .target = target},
                ours, git);
        bench_clear(ours);
        bench_clear(git);
}

static void first(void)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0}, memory = {NULL, 0, 0},
                     bound = {NULL, 0, 0};

        for (int i = 0; i < FIRST_ROUNDS; i++) {
                double bytes;
                shell_ns("rm -rf tree/.git tree/.pawl; git init -q tree; "
                         "echo .pawl/ >>tree/.git/info/exclude");
                bench_add(&git, git_commit_ns());
                bench_add(&ours, ours_ns(&bytes));
                bench_add(&memory, bytes);
                bench_add(&bound, (double)((size_t)64 << 20) + 200 * (double)files);
        }
        answer("the first checkpoint", 1.0, &ours, &git);
        bench_answer(&(bench_question){.what = "memory of the first checkpoint",
                             .beside = "64 MiB and 200 bytes a file",
                             .unit = "bytes",
                             .target = 1.0},
                &memory, &bound);
        bench_clear(&memory);
        bench_clear(&bound);
}

static void again(const char *what, size_t changed)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0};

        for (size_t i = 0; i < ROUNDS; i++) {
                if (changed)
                        source_tree_change("tree", files, changed, i);
                usleep(20000); /* beyond the tick in which the files were changed */
                bench_add(&git, git_commit_ns());
                bench_add(&ours, ours_ns(NULL));
        }
        answer(what, 0.5, &ours, &git);
}

static double disk_bytes(const char *command)
{
        FILE *out = popen(command, "r");
        double kib = 0;

        if (!out || fscanf(out, "%lf", &kib) != 1 || pclose(out) != 0)
                bench_die("cannot ask for a size");
        return kib * 1024;
}

static void size_after_many(void)
{
        bench_series ours = {NULL, 0, 0}, git = {NULL, 0, 0};

        for (size_t i = 0; i < CHECKPOINTS; i++) {
                source_tree_change("tree", files, CHANGED, 1000 + i);
                git_commit_ns();
                ours_ns(NULL);
        }
        shell_ns(GIT "gc -q");
        bench_add(&git, disk_bytes("du -sk tree/.git"));
        bench_add(&ours, disk_bytes("du -sk tree/.pawl"));
        bench_answer(&(bench_question){.what = "size after 100 checkpoints of ten changed files",
                             .beside = "git's, after gc",
                             .unit = "bytes"},
                &ours, &git);
        bench_clear(&ours);
        bench_clear(&git);
}

int main(int argc, char **argv)
{
        if (argc == 2 && strcmp(argv[1], "--checkpoint") == 0)
                return checkpoint();
        files = bench_count(argc, argv, SOURCE_TREE_FILES);
        bench_folder();
        bench_note("%zu files, %.0f MB", files, (double)source_tree_make("tree", files) / 1e6);
        first();
        again("a checkpoint, nothing changed", 0);
        again("a checkpoint, ten files changed", CHANGED);
        size_after_many();
        return 0;
}

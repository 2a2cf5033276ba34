#include "cli/pawl/slot.h"
#include "base/error.h"
#include "base/json_write.h"
#include "base/system.h"
#include "command/printable.h"
#include "events/log.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NUMBERS = 10000, WORDS = 24 };

int64_t cli_now_ms(void)
{
        struct timespec time;

        clock_gettime(CLOCK_BOOTTIME, &time);
        return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

pawl_status cli_absolute(char out[PATH_MAX], const char *path, pawl_error *err)
{
        char here[PATH_MAX] = "";

        if (*path != '/' && !getcwd(here, sizeof here))
                return pawl__fail_errno(err, errno, ".", "find the working directory");
        const int len = snprintf(out, PATH_MAX, "%s%s%s", here, *here ? "/" : "", path);
        if (len < 0 || len >= PATH_MAX)
                return pawl__fail(err, PAWL_EINVAL, "directory %.300s: is too long a path", path);
        return PAWL_OK;
}

pawl_status cli_slots_directory(
        char out[PATH_MAX], const cli_call *cli, pawl_log *log, pawl_error *err)
{
        const char *path = pawl__log_path(log), *home = cli->in->home;
        char chosen[PATH_MAX];
        int len;

        if (cli_given(cli, "dir"))
                return cli_absolute(out, cli_value(cli, "dir"), err);
        if (*path != '/' && !home)
                return pawl__fail(err, PAWL_EINVAL,
                        "%s: no directory is known for the runs' files; name one with --dir",
                        cli->cmd->name);
        if (*path == '/')
                len = snprintf(
                        chosen, sizeof chosen, "%.*s/work", (int)(strrchr(path, '/') - path), path);
        else
                len = snprintf(chosen, sizeof chosen, "%s/.local/state/pawl/work", home);
        return cli_absolute(out, len < 0 || len >= PATH_MAX ? path : chosen, err);
}

static pawl_status make_directories(const char *path, pawl_error *err)
{
        char part[PATH_MAX];

        for (size_t i = 1; i <= strlen(path); i++) {
                if (path[i] != '/' && path[i] != '\0')
                        continue;
                snprintf(part, sizeof part, "%.*s", (int)i, path);
                if (mkdir(part, 0700) && errno != EEXIST)
                        return pawl__fail_errno(err, errno, part, "make it");
        }
        return PAWL_OK;
}

pawl_status cli_slot_take(cli_slot *slot, unsigned *number, const char *directory, pawl_error *err)
{
        char lock[PATH_MAX + 8];
        pawl_status status = make_directories(directory, err);

        if (status)
                return status;
        while (++*number <= NUMBERS) {
                const int len = snprintf(
                        slot->directory, sizeof slot->directory, "%s/%u", directory, *number);
                if (len < 0 || (size_t)len >= sizeof slot->directory)
                        return pawl__fail(err, PAWL_EINVAL, "directory %.300s: is too long a path",
                                directory);
                snprintf(lock, sizeof lock, "%s.lock", slot->directory);
                slot->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
                if (slot->lock < 0)
                        return pawl__fail_errno(err, errno, lock, "open it");
                if (flock(slot->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
                        return PAWL_OK;
                close(slot->lock);
        }
        return pawl__fail(err, PAWL_EHELD,
                "directory %.300s: %d workers' slots are in use there; name another with --dir",
                directory, NUMBERS);
}

void cli_slot_drop(cli_slot *slot)
{
        close(slot->lock);
}

/* In the child: nothing but what a handler may do, too. */
static void become(char *const *argv, pid_t parent)
{
        const int null = open("/dev/null", O_RDWR);

        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
                _exit(128 + SIGTERM);
        if (null >= 0) {
                dup2(null, STDIN_FILENO);
                dup2(null, STDOUT_FILENO);
                if (null > STDERR_FILENO)
                        close(null);
        }
        execv("/proc/self/exe", argv);
        _exit(127);
}

pawl_status cli_slot_start(
        cli_slot *slot, const char *run_id, const char *const *more, pawl_error *err)
{
        const char *words[WORDS] = {
                "pawl", "resume", run_id, "--dir", slot->directory, "--no-input", "--unless-held"};
        size_t n = 7;
        const pid_t parent = getpid();

        while (*more && n < WORDS - 1)
                words[n++] = *more++;
        slot->pid = fork();
        if (slot->pid == 0)
                become((char *const *)(uintptr_t)words, parent);
        if (slot->pid < 0) {
                slot->pid = 0;
                return pawl__fail(err, PAWL_EIO,
                        "run %.128s: cannot start a process: %s; stop some", run_id,
                        strerrordesc_np(errno));
        }
        slot->watch = pidfd_open(slot->pid, 0);
        slot->since_ms = cli_now_ms();
        snprintf(slot->run_id, sizeof slot->run_id, "%s", run_id);
        return PAWL_OK;
}

bool cli_slot_ended(int *code, cli_slot *slot)
{
        int how;

        if (!slot->pid || waitpid(slot->pid, &how, WNOHANG) != slot->pid)
                return false;
        *code = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
        if (slot->watch >= 0)
                close(slot->watch);
        slot->watch = -1;
        slot->pid = 0;
        return true;
}

void cli_slot_tell(
        FILE *out, bool as_json, const cli_slot *slot, const char *event, const char *status)
{
        pawl__json_writer json = PAWL__JSON_WRITER_INIT;

        if (!as_json) {
                cli_putf(out, "run %s: %s in %s", slot->run_id, status ? status : event,
                        slot->directory);
                if (status)
                        fprintf(out, " after %.1f s",
                                (double)(cli_now_ms() - slot->since_ms) / 1e3);
                fputc('\n', out);
        } else {
                pawl__json_open_object(&json);
                pawl__json_member_string(&json, "event", event);
                pawl__json_member_string(&json, "run_id", slot->run_id);
                pawl__json_member_string(&json, "directory", slot->directory);
                if (status) {
                        pawl__json_member_string(&json, "status", status);
                        pawl__json_member_integer(
                                &json, "duration_ms", cli_now_ms() - slot->since_ms);
                }
                pawl__json_close_object(&json);
                if (!pawl__json_end_writer(&json))
                        fprintf(out, "%.*s\n", (int)json.buf.len, json.buf.data);
                pawl__json_writer_free(&json);
        }
        fflush(out);
}

#include "events/identity.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Field 22 of /proc/PID/stat (proc(5)): clock ticks after boot. The second field, the program's
 * name in parentheses, may itself hold blanks and parentheses, so the fields are counted from its
 * end. */
static int64_t system_start_of(int64_t pid, void *user)
{
        char path[64], line[1024], state;
        int64_t start;

        (void)user;
        snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
        FILE *file = fopen(path, "re");
        if (file) {
                size_t len = fread(line, 1, sizeof line - 1, file);
                fclose(file);
                line[len] = '\0';
                const char *rest = strrchr(line, ')');
                if (rest &&
                        sscanf(rest + 1,
                                " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                "%*s %*s %*s %" SCNd64,
                                &state, &start) == 2)
                        return state == 'Z' || state == 'X' ? PAWL__START_GONE : start;
        }
        if (pid > 0 && pid <= INT32_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
                return PAWL__START_GONE;
        return PAWL__START_UNKNOWN;
}

static void read_boot_id(char out[37])
{
        FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

        out[0] = '\0';
        if (!file)
                return;
        if (fread(out, 1, 36, file) != 36)
                out[0] = '\0';
        out[36] = '\0';
        fclose(file);
}

void pawl__identity_system(pawl__identity *out)
{
        struct stat ns;

        memset(out, 0, sizeof *out);
        if (gethostname(out->host, sizeof out->host - 1) != 0)
                out->host[0] = '\0';
        read_boot_id(out->boot_id);
        out->pid = getpid();
        out->start_of = system_start_of;
        int64_t start = system_start_of(out->pid, NULL);
        out->pid_start = start > 0 ? start : PAWL__START_UNKNOWN;
        out->pid_ns = stat("/proc/self/ns/pid", &ns) == 0 ? (int64_t)ns.st_ino : 0;
}

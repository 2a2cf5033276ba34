/* pawl hooks install: into an agent's settings; or a small script that agents and programs call
 * when a task is done. */
#include "cli/pawl/hooks.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/printable.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char script[] =
        "#!/bin/sh\n"
        "# Marks a task of the mission at hand complete, in the log beside this folder.\n"
        "# Usage: task-done TASK [pawl task done's options]\n"
        "PAWL_DB=$(cd \"$(dirname \"$0\")/..\" && pwd)/events.db exec pawl task done \"$@\"\n";

/* Make the file; PAWL_EEXISTS when there is one. */
static pawl_status make(const char *path, pawl_error *err)
{
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

        if (fd < 0 && errno == EEXIST)
                return PAWL_EEXISTS;
        if (fd < 0)
                return pawl__fail_errno(err, errno, path, "make it");
        const int error = pawl__fill_file(fd, 0, script, sizeof script - 1, false);
        if (!error)
                return PAWL_OK;
        unlink(path);
        return pawl__fail_errno(err, error, path, "write it");
}

static pawl_status check_same(const char *path, pawl_error *err)
{
        char there[sizeof script + 1];
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        ssize_t n = fd < 0 ? -1 : read(fd, there, sizeof there);

        if (fd >= 0)
                close(fd);
        if (n == (ssize_t)(sizeof script - 1) && memcmp(there, script, sizeof script - 1) == 0)
                return PAWL_OK;
        return pawl__fail(err, PAWL_EEXISTS,
                "%.300s: is there and differs, so it is left as it is; move it away and install "
                "again",
                path);
}

static pawl_status install(const char *path, bool *made, pawl_error *err)
{
        pawl_status status = make(path, err);

        *made = status == PAWL_OK;
        return status == PAWL_EEXISTS ? check_same(path, err) : status;
}

static int hooks_run(cli_call *cli)
{
        if (cli_given(cli, "agent"))
                return cli_hooks_install_agent(cli);
        if (cli_given(cli, "user"))
                return cli_usage(cli, "--user wants --agent NAME");
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf path = PAWL__BUF_INIT;
        bool made = false;
        pawl_status status = cli_find_place(&path, cli, &err);

        if (!status) {
                path.len =
                        (size_t)(strrchr(path.data, '/') ? strrchr(path.data, '/') + 1 - path.data
                                                         : 0);
                if (pawl__buf_adds(&path, "hooks"))
                        status = pawl__nomem(&err);
                else if (mkdir(path.data, 0700) != 0 && errno != EEXIST)
                        status = pawl__fail_errno(&err, errno, path.data, "make the directory");
                else if (pawl__buf_adds(&path, "/task-done"))
                        status = pawl__nomem(&err);
        }
        if (!status)
                status = install(path.data, &made, &err);
        if (!status)
                cli_putf(cli->in->out,
                        "%s: %s\n"
                        "Connect it where your agent or program says that a task is done, such as:\n"
                        "    %s TASK --mission MISSION --commit\n",
                        path.data, made ? "installed" : "is installed already", path.data);
        pawl__buf_free(&path);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option options[] = {CLI_AGENT_OPTIONS, {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL}};

const cli_cmd pawl_hooks_install_cmd = {
        .name = "hooks install",
        .traits = CLI_CHANGES,
        .options = options,
        .help = "Let an agent call pawl by its hooks; or write a script that marks tasks done",
        .run = hooks_run,
};

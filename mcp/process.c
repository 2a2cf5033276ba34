#include "mcp/process.h"
#include "base/error.h"
#include "base/file.h"
#include "events/identity.h"
#include "events/log.h"
#include "events/types.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MAX = 16 << 20 };

/* That of this process, with the log's name, which may have a password in it: others see what a
 * process is called with. NULL: no memory. */
static char **environment_of(const mcp_log *log, pawl__arena *arena)
{
        const size_t len = log->db ? strlen(log->db) : 0;
        size_t n = 0, to = 0;

        while (environ[n])
                n++;
        char **list = pawl__arena_array(arena, n + 2, sizeof *list);
        char *name = pawl__arena_alloc(arena, len + sizeof "PAWL_DB=");
        if (!list || !name)
                return NULL;
        for (size_t i = 0; i < n; i++)
                if (!log->db || strncmp(environ[i], "PAWL_DB=", 8) != 0)
                        list[to++] = environ[i];
        if (log->db) {
                snprintf(name, len + sizeof "PAWL_DB=", "PAWL_DB=%s", log->db);
                list[to++] = name;
        }
        list[to] = NULL;
        return list;
}

pawl_status mcp_process_start(mcp_process *p, const mcp_log *log, const char *command,
        const char *actor, const mcp_words *words, bool apart, pawl_error *err)
{
        const char *argv[2 * CLI_ARGS_MAX + 12];
        const char *const key = log->key_file;
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t none;
        size_t n = 0;

        if (log->read_only)
                return pawl__fail(err, PAWL_EREADONLY,
                        "%s: changes something, and the service only reads; start it without --read-only",
                        command);
        if (log->needs_workspace && !log->workspace)
                return pawl__fail(err, PAWL_EINVAL,
                        "%s: needs a workspace, and the service has none; start it with "
                        "--workspace DIR",
                        command);
        if (words->n > 2 * CLI_ARGS_MAX)
                return pawl__fail(err, PAWL_EINVAL, "arguments: are too many; give fewer");
        argv[n++] = "pawl";
        argv[n++] = command;
        argv[n++] = "--no-input";
        argv[n++] = "--actor";
        argv[n++] = actor;
        if (key) {
                argv[n++] = "--key-file";
                argv[n++] = key;
        }
        if (log->needs_workspace) { /* missions of it, or of the log, alone */
                argv[n++] = "--within";
                argv[n++] = log->workspace;
        }
        for (size_t i = 0; i < words->n; i++)
                argv[n++] = words->list[i];
        argv[n] = NULL;
        p->out = memfd_create("output", MFD_CLOEXEC);
        p->err = memfd_create("messages", MFD_CLOEXEC);
        if (p->out < 0 || p->err < 0 || posix_spawn_file_actions_init(&actions) != 0)
                return pawl__nomem(err);
        pawl__arena arena = PAWL__ARENA_INIT;
        char **environment = environment_of(log, &arena);
        int error = environment ? 0 : ENOMEM;
        if (!error)
                error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!error && log->needs_workspace && log->workspace)
                error = posix_spawn_file_actions_addchdir_np(&actions, log->workspace);
        if (!error)
                error = posix_spawn_file_actions_adddup2(&actions, p->out, 1);
        if (!error)
                error = posix_spawn_file_actions_adddup2(&actions, p->err, 2);
        sigemptyset(&none); /* those that the server waits for end the command */
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(
                &attributes, (short)(POSIX_SPAWN_SETSIGMASK | (apart ? POSIX_SPAWN_SETPGROUP : 0)));
        if (!error) /* the strings are only read */
                error = posix_spawn(&p->pid, "/proc/self/exe", &actions, &attributes,
                        (char **)(uintptr_t)argv, environment);
        pawl__arena_free(&arena);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        return error ? pawl__fail(err, PAWL_EIO, "%s: could not be started: %s; try again", command,
                               strerror(error))
                     : PAWL_OK;
}

/* Is it the process that claims a run with this event? It is on this machine. */
static pawl_status claims(bool *out, const mcp_process *p, const pawl_event *claim, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__identity self;
        char pid[24];
        pawl_status status =
                pawl__json_tree_read(&tree, claim->payload.data, claim->payload.len, err);

        if (!status) {
                const pawl__node owner = pawl__json_get(&tree, 0, "owner");
                const pawl__node number = pawl__json_get(&tree, owner, "pid");
                snprintf(pid, sizeof pid, "%d", (int)p->pid);
                pawl__identity_system(&self);
                *out = number != PAWL__NO_NODE &&
                       pawl__text_is(pawl__json_at(&tree, number)->value, pid) &&
                       pawl__text_is(pawl__json_get_text(&tree, owner, "host"), self.host) &&
                       pawl__text_is(pawl__json_get_text(&tree, owner, "boot_id"), self.boot_id);
        }
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status count_step(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        mcp_process *p = user;
        bool own = false;
        pawl_status status = PAWL_OK;

        if (type == PAWL__RUN_CLAIMED && event->payload.data)
                status = claims(&own, p, event, err);
        if (own)
                snprintf(p->run_id, sizeof p->run_id, "%.*s", PAWL__FMT(event->run_id));
        p->steps += type == PAWL__STEP_COMPLETED && pawl__text_is(event->run_id, p->run_id);
        p->seq = event->seq;
        return status;
}

pawl_status mcp_process_follow(mcp_process *p, pawl_log *log, pawl_error *err)
{
        return pawl__log_each(log, p->seq, count_step, p, err);
}

/* From the start of a file in memory. */
static void read_file(pawl__buf *out, int fd)
{
        if (lseek(fd, 0, SEEK_SET) == 0)
                (void)!pawl__read_all(out, fd, OUTPUT_MAX);
}

void mcp_process_ended(mcp_outcome *out, mcp_process *p, int status)
{
        pawl__buf said = PAWL__BUF_INIT;

        mcp_outcome_free(out);
        out->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        read_file(&out->output, p->out);
        read_file(&said, p->err);
        if (out->code != CLI_DONE && said.len) {
                const char *last = said.data;
                for (const char *c = said.data; *c; c++)
                        if (*c == '\n' && c[1])
                                last = c + 1;
                pawl__fail(&out->failure, PAWL_ESTATE, "%.*s", (int)strcspn(last, "\n"), last);
        }
        pawl__buf_free(&said);
        mcp_process_close(p);
        p->pid = 0;
}

void mcp_process_close(mcp_process *p)
{
        if (p->out >= 0)
                close(p->out);
        if (p->err >= 0)
                close(p->err);
        p->out = p->err = -1;
}

/* Going on with a run over HTTP: `pawl resume` in a process of its own. It outlives the service. */
#include "mcp/process.h"
#include "base/error.h"
#include "base/json_tree.h"
#include "events/log.h"
#include "mission/runs.h"
#include "service/worker.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum {
        LOOK_EVERY_MS = 20,
        WAIT_MS = 20000 /* for the claim: reading a large workspace takes long */
};

/* A process that has the run by now. */
typedef struct resumed {
        mcp_process process;
        const service_options *options;
        pawl_text run_id; /* whole, in the arena */
        pawl__arena arena;
} resumed;

static void free_resumed(resumed *r)
{
        mcp_process_close(&r->process);
        pawl__arena_free(&r->arena);
        free(r);
}

/* The line without the program's name; NULL: it said none. */
static const char *said(const mcp_outcome *outcome)
{
        const char *message = outcome->failure.message;

        if (strncmp(message, "pawl: ", 6) == 0)
                message += 6;
        return *message ? message : NULL;
}

/* The client is gone by the time it ends: an error is printed where the service runs. */
static void *await_end(void *user)
{
        resumed *r = user;
        mcp_outcome outcome = {.code = CLI_DONE};
        int status = 0;

        if (waitpid(r->process.pid, &status, 0) == r->process.pid)
                mcp_process_ended(&outcome, &r->process, status);
        if (outcome.code != CLI_BLOCKED && said(&outcome) && r->options->warn)
                r->options->warn(said(&outcome));
        mcp_outcome_free(&outcome);
        free_resumed(r);
        return NULL;
}

static void tell(pawl__buf *out, pawl_text run_id, pawl_text state, pid_t pid, const char *message)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_text(&w, "run_id", run_id);
        pawl__json_member_text(&w, "status", state);
        pawl__json_name(&w, "pid");
        if (pid)
                pawl__json_integer(&w, pid);
        else
                pawl__json_null(&w);
        pawl__json_member_string(&w, "message", message);
        pawl__json_close_object(&w);
        pawl__buf_free(out);
        *out = w.buf;
}

/* It ended before it was seen to have the run: with an outcome of the run, or refused. */
static pawl_status take_end(pawl__buf *out, resumed *r, int how, pawl_error *err)
{
        static const pawl_status by_code[] = {[CLI_USAGE] = PAWL_EINVAL,
                [CLI_INPUTS_CHANGED] = PAWL_EINPUTS,
                [CLI_DAMAGED] = PAWL_EDAMAGED,
                [CLI_BUSY] = PAWL_EHELD};
        mcp_outcome outcome = {.code = CLI_DONE};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        mcp_process_ended(&outcome, &r->process, how);
        const size_t n = sizeof by_code / sizeof by_code[0], code = (size_t)outcome.code;
        const bool read = outcome.output.len && !pawl__json_tree_read(&tree, outcome.output.data,
                                                        outcome.output.len, NULL);
        const pawl_text state =
                read ? pawl__json_get_text(&tree, 0, "status") : (pawl_text){NULL, 0};
        pawl_status status = PAWL_OK;
        if (code < n && by_code[code])
                status = by_code[code];
        else if (!state.data)
                status = PAWL_ESTATE;
        if (status)
                pawl__fail(err, status, "%s",
                        said(&outcome) ? said(&outcome) : "resume: its process died; try again");
        else
                tell(out, r->run_id, state, 0, said(&outcome));
        pawl__json_tree_free(&tree);
        mcp_outcome_free(&outcome);
        return status;
}

/* Until the process has the run, or has ended. *has: it has. */
static pawl_status await_claim(
        bool *has, pawl__buf *out, resumed *r, service_call *call, pawl_error *err)
{
        const struct timespec pause = {0, LOOK_EVERY_MS * 1000000L};
        const int64_t until = service_now_ms() + WAIT_MS;
        int how;

        while (!*has) {
                const pid_t ended = waitpid(r->process.pid, &how, WNOHANG);
                if (ended == r->process.pid)
                        return take_end(out, r, how, err);
                pawl_owner owner = {0};
                bool held = false;
                if (pawl__log_holder(&held, &owner, call->log, r->run_id))
                        held = false; /* asked again */
                *has = (held && owner.pid == r->process.pid) || service_now_ms() > until;
                if (!*has)
                        nanosleep(&pause, NULL);
        }
        tell(out, r->run_id, pawl__text("running"), r->process.pid, NULL);
        return PAWL_OK;
}

static pawl_status start(
        resumed *r, const service_call *call, const char *const *args, size_t n, pawl_error *err)
{
        const service_options *options = call->site->options;
        const mcp_log log = {.workspace = options->workspace,
                .needs_workspace = true,
                .read_only = options->read_only,
                .db = options->log_path,
                .key_file = options->key_file};
        const char *list[12] = {"--json"};
        mcp_words words = {.list = list, .n = 1, .cap = sizeof list / sizeof list[0]};

        for (size_t i = 0; i < n && words.n < words.cap; i++)
                list[words.n++] = args[i];
        return mcp_process_start(&r->process, &log, "resume", call->actor, &words, true, err);
}

pawl_status service_resume(
        pawl__buf *out, service_call *call, const char *const *args, size_t n, pawl_error *err)
{
        resumed *r = calloc(1, sizeof *r);
        pawl__run_view run;
        bool has = false;
        pthread_t thread;

        if (!r)
                return pawl__nomem(err);
        *r = (resumed){.process = MCP_PROCESS_INIT, .options = call->site->options};
        pawl_status status = pawl__run_get(&run, NULL, call->log, call->params[0], &r->arena, err);
        if (!status)
                status = start(r, call, args, n, err);
        if (!status) {
                r->run_id = run.row.v[PAWL__RUN_ID].text;
                status = await_claim(&has, out, r, call, err);
        }
        if (has && !service_thread_start(&thread, await_end, r, NULL))
                pthread_detach(thread);
        else
                free_resumed(r); /* without a thread its end is not awaited */
        return status;
}

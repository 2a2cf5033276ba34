#include "mcp/run.h"
#include "base/error.h"
#include "events/log.h"
#include "mcp/process.h"
#include "mcp/question.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

struct mcp_run {
        mcp_run *next;
        pawl__buf id, token; /* JSON; token empty: no progress is wanted */
        pawl__buf actor;
        mcp_turn turn; /* of the call, for the pages of its result */
        bool modern, can_elicit, cancelled;
        mcp_process process;
        char run_id[PAWL__ID_MAX + 1]; /* empty: not known */
        mcp_outcome outcome;           /* once it has ended */
        pawl__json_tree told;          /* its output, when it blocks */
        pawl__node conflict;           /* the one that the client is asked about */
        char asked[64];                /* the id of that request; empty: none waits */
        bool answered, others;         /* since it was blocked; and some wait for other people */
};

static void free_run(mcp_run *run)
{
        mcp_process_close(&run->process);
        pawl__buf_free(&run->id);
        pawl__buf_free(&run->token);
        pawl__buf_free(&run->actor);
        pawl__json_tree_free(&run->told);
        mcp_outcome_free(&run->outcome);
        free(run);
}

static void drop(mcp_server *server, mcp_run *run)
{
        for (mcp_run **at = &server->runs; *at; at = &(*at)->next)
                if (*at == run) {
                        *at = run->next;
                        break;
                }
        free_run(run);
}

/* What a request looks like to those who answer it later. */
static mcp_request request_of(const mcp_run *run)
{
        return (mcp_request){.params = PAWL__NO_NODE,
                .id = pawl__buf_text(&run->id),
                .modern = run->modern,
                .can_elicit = run->can_elicit,
                .actor = run->actor.data};
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void send_outcome(mcp_server *server, mcp_run *run)
{
        const mcp_request request = request_of(run);

        if (!run->cancelled)
                mcp_send_outcome(server, &request, &run->outcome, &run->turn);
        drop(server, run);
}

static void fail(mcp_server *server, mcp_run *run, const pawl_error *err)
{
        mcp_outcome_free(&run->outcome);
        run->outcome.code = CLI_FAILED;
        run->outcome.failure = *err;
        send_outcome(server, run);
}

/* ---- Putting a conflict to the person -------------------------------------------------------- */

/* All is answered: the run goes on. */
static pawl_status resume(mcp_server *server, mcp_run *run, pawl_error *err)
{
        mcp_words words = {.n = 0};
        pawl_status status = mcp_words_add(&words, pawl__text("--json"), err);

        if (!status)
                status = mcp_words_add(&words, pawl__text(run->run_id), err);
        if (!status)
                status = mcp_process_start(
                        &run->process, &server->log, "resume", run->actor.data, &words, false, err);
        mcp_words_free(&words);
        return status;
}

/* By a request of ours, one conflict after the other. */
static pawl_status ask(mcp_server *server, mcp_run *run, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        mcp_outcome conflicts = {.code = CLI_DONE};
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__node conflict;
        pawl_status status = mcp_question_find(&tree, &conflict, &conflicts, &run->others, server,
                pawl__json_at(&run->told, run->conflict)->value, err);

        if (!status && conflict == PAWL__NO_NODE) {
                status = PAWL_DONE; /* somebody else has answered */
        } else if (!status) {
                snprintf(run->asked, sizeof run->asked, "\"pawl-%s%u\"", server->prefix,
                        ++server->last_request);
                mcp_begin_message(&w, "elicitation/create", run->asked);
                mcp_question_write(&w, &tree, conflict,
                        server->takes_names ? MCP_FORM_NAMED : MCP_FORM_TITLED);
                mcp_send_result(server, &w);
        }
        pawl__json_tree_free(&tree);
        mcp_outcome_free(&conflicts);
        return status;
}

/* The seal of a state "RUN.SEAL", which shows that this client was asked about the run. */
static pawl_status seal_run(
        char out[MCP_SEAL_LEN + 1], const mcp_server *server, const mcp_run *run, pawl_error *err)
{
        return mcp_seal(
                out, server, "state", pawl__text(run->run_id), pawl__buf_text(&run->actor), err);
}

/* In the result, all of them. PAWL_DONE: they are to other people. */
static pawl_status want_answers(mcp_server *server, mcp_run *run, pawl_error *err)
{
        const mcp_request request = request_of(run);
        const pawl__node list = mcp_get(&run->told, 0, "conflicts");
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf state = PAWL__BUF_INIT;
        char seal[MCP_SEAL_LEN + 1];
        pawl_status status = seal_run(seal, server, run, err);
        size_t n = 0;

        pawl__json_open_object(&w);
        /* the others are asked with the next call */
        for (pawl__node at = pawl__json_first(&run->told, list);
                at != PAWL__NO_NODE && !status && w.buf.len < MCP_RESULT_MAX / 2;
                at = pawl__json_after(&run->told, list, at)) {
                const pawl_text id = pawl__json_at(&run->told, at)->value;
                pawl__json_tree tree = PAWL__JSON_TREE_INIT;
                mcp_outcome conflicts = {.code = CLI_DONE};
                pawl__node conflict;
                status = mcp_question_find(
                        &tree, &conflict, &conflicts, &run->others, server, id, err);
                if (!status && conflict != PAWL__NO_NODE) {
                        n++;
                        pawl__json_name_text(&w, id);
                        pawl__json_open_object(&w);
                        pawl__json_member_string(&w, "method", "elicitation/create");
                        pawl__json_name(&w, "params");
                        pawl__json_open_object(&w);
                        mcp_question_write(&w, &tree, conflict, MCP_FORM_MODAL);
                        pawl__json_close_object(&w);
                        pawl__json_close_object(&w);
                }
                pawl__json_tree_free(&tree);
                mcp_outcome_free(&conflicts);
        }
        pawl__json_close_object(&w);
        if (!status && pawl__json_end_writer(&w))
                status = pawl__nomem(err);
        if (!status && !n && run->others)
                status = PAWL_DONE;
        if (!status) {
                pawl__json_writer out = PAWL__JSON_WRITER_INIT;
                mcp_begin_result(&out, &request);
                pawl__json_member_string(&out, "resultType", "input_required");
                pawl__json_member_raw(&out, "inputRequests", pawl__buf_text(&w.buf));
                pawl__buf_addf(&state, "%s.%s", run->run_id, seal);
                pawl__json_member_text(&out, "requestState", pawl__buf_text(&state));
                out.buf.failed |= state.failed;
                mcp_send_result(server, &out);
        }
        pawl__buf_free(&state);
        pawl__json_writer_free(&w);
        return status;
}

/* Is the run blocked by conflicts that the person could be asked about? Keeps what it told. */
static bool can_ask(mcp_run *run)
{
        const pawl_text output = pawl__buf_text(&run->outcome.output);
        pawl_error err = PAWL_ERROR_INIT;
        pawl_text id;

        if (run->outcome.code != CLI_BLOCKED || !run->can_elicit || run->cancelled ||
                pawl__json_tree_read(&run->told, output.data, output.len, &err))
                return false;
        const pawl__node list = mcp_get(&run->told, 0, "conflicts");
        id = pawl__json_get_text(&run->told, 0, "run_id");
        if (list == PAWL__NO_NODE || pawl__json_at(&run->told, list)->type != PAWL__JSON_ARRAY ||
                id.len >= sizeof run->run_id)
                return false;
        snprintf(run->run_id, sizeof run->run_id, "%.*s", (int)id.len, id.data ? id.data : "");
        run->conflict = pawl__json_first(&run->told, list);
        run->answered = run->others = false;
        return run->conflict != PAWL__NO_NODE;
}

/* The next conflict; after the last one the run goes on. */
static void go_on(mcp_server *server, mcp_run *run)
{
        const pawl__node list = mcp_get(&run->told, 0, "conflicts");
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = PAWL_DONE;

        *run->asked = '\0';
        while (status == PAWL_DONE && run->conflict != PAWL__NO_NODE) {
                status = ask(server, run, &err);
                if (status == PAWL_DONE)
                        run->conflict = pawl__json_after(&run->told, list, run->conflict);
        }
        if (status == PAWL_DONE && run->others && !run->answered)
                send_outcome(server, run);
        else if (status == PAWL_DONE)
                status = resume(server, run, &err);
        if (status && status != PAWL_DONE)
                fail(server, run, &err);
}

static void end(mcp_server *server, mcp_run *run, int status)
{
        pawl_error err = PAWL_ERROR_INIT;

        mcp_process_ended(&run->outcome, &run->process, status);
        if (!can_ask(run)) {
                send_outcome(server, run);
        } else if (!run->modern) {
                go_on(server, run);
        } else {
                const pawl_status asked = want_answers(server, run, &err);
                if (asked == PAWL_DONE)
                        send_outcome(server, run);
                else if (asked)
                        fail(server, run, &err);
                else
                        drop(server, run);
        }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static mcp_run *begin(mcp_server *server, const mcp_request *request, const mcp_turn *turn)
{
        const pawl__node meta = mcp_get(request->tree, request->params, "_meta");
        const pawl__node token = mcp_get(request->tree, meta, "progressToken");
        unsigned char hash[32];
        pawl_error none = PAWL_ERROR_INIT; /* of a log that is not there yet */
        mcp_run *run = calloc(1, sizeof *run);

        if (!run)
                return NULL;
        run->process = (mcp_process)MCP_PROCESS_INIT;
        run->turn = *turn;
        run->modern = request->modern;
        run->can_elicit = request->can_elicit;
        run->conflict = PAWL__NO_NODE;
        pawl__buf_add_text(&run->id, request->id);
        pawl__buf_adds(&run->actor, request->actor);
        if (token != PAWL__NO_NODE &&
                (pawl__json_at(request->tree, token)->type == PAWL__JSON_STRING ||
                        pawl__json_at(request->tree, token)->type == PAWL__JSON_NUMBER))
                pawl__json_node_text(&run->token, pawl__json_at(request->tree, token));
        if (run->token.len && !mcp_log_open(&server->log, CLI_WRITE, &none) &&
                pawl_log_head(&run->process.seq, hash, server->log.log))
                run->process.seq = 0;
        if (run->id.failed || run->actor.failed || run->token.failed) {
                free_run(run);
                return NULL;
        }
        run->next = server->runs;
        server->runs = run;
        return run;
}

void mcp_run_start(mcp_server *server, const mcp_request *request, const mcp_tool *tool,
        const mcp_words *words, const mcp_turn *turn)
{
        pawl_error err = PAWL_ERROR_INIT;
        mcp_run *run = begin(server, request, turn);

        if (!run)
                mcp_send_error(server, request->id, MCP_INTERNAL, "out of memory");
        else if (mcp_process_start(&run->process, &server->log, tool->cmd->name, request->actor,
                         words, false, &err))
                fail(server, run, &err);
}

/* Is the conflict open, of this run, and to the person whom the client can ask? */
static pawl_status is_open(
        bool *open, mcp_server *server, const mcp_run *run, pawl_text id, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        mcp_outcome conflicts = {.code = CLI_DONE};
        bool others = false;
        pawl__node conflict;
        pawl_status status =
                mcp_question_find(&tree, &conflict, &conflicts, &others, server, id, err);

        *open = conflict != PAWL__NO_NODE &&
                pawl__text_is(pawl__json_get_text(&tree, conflict, "run_id"), run->run_id);
        pawl__json_tree_free(&tree);
        mcp_outcome_free(&conflicts);
        return status;
}

/* The run of a state that this client was given; PAWL_EINVAL: it was given none such. */
static pawl_status read_state(mcp_server *server, mcp_run *run, pawl_text state, pawl_error *err)
{
        char seal[MCP_SEAL_LEN + 1];
        const size_t len = state.len > MCP_SEAL_LEN ? state.len - MCP_SEAL_LEN - 1 : 0;

        if (len && len < sizeof run->run_id && state.data[len] == '.') {
                snprintf(run->run_id, sizeof run->run_id, "%.*s", (int)len, state.data);
                const pawl_status status = seal_run(seal, server, run, err);
                if (status || mcp_seal_same(state.data + len + 1, seal))
                        return status;
        }
        return pawl__fail(err, PAWL_EINVAL,
                "requestState: is not one that this client was given; call again without it");
}

/* Record what was said. What is not asked, or no longer, is passed over. */
static pawl_status take_responses(mcp_server *server, mcp_run *run, const pawl__json_tree *tree,
        pawl__node answers, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (pawl__node at = pawl__json_first(tree, answers); at != PAWL__NO_NODE && !status;
                at = pawl__json_after(tree, answers, at)) {
                const pawl_text conflict = pawl__json_at(tree, at)->name;
                bool open = false;
                if (pawl__json_at(tree, at)->type != PAWL__JSON_NULL)
                        status = is_open(&open, server, run, conflict, err);
                if (status || !open)
                        continue;
                status = mcp_question_record(server, conflict, tree, at, err);
                if (status == PAWL_DONE) { /* declined: the run stays blocked, and is not asked
                                              about */
                        run->can_elicit = false;
                        status = PAWL_OK;
                }
        }
        return status;
}

bool mcp_run_retry(mcp_server *server, const mcp_request *request, const mcp_turn *turn)
{
        const pawl__json_tree *tree = request->tree;
        const pawl__node answers = mcp_get(tree, request->params, "inputResponses");
        const pawl_text state = pawl__json_get_text(tree, request->params, "requestState");
        pawl_error err = PAWL_ERROR_INIT;

        if (!request->modern || answers == PAWL__NO_NODE ||
                pawl__json_at(tree, answers)->type != PAWL__JSON_OBJECT || !state.len)
                return false;
        mcp_run *run = begin(server, request, turn);
        if (!run) {
                mcp_send_error(server, request->id, MCP_INTERNAL, "out of memory");
                return true;
        }
        pawl_status status = read_state(server, run, state, &err);
        if (!status && !run->can_elicit)
                status = pawl__fail(&err, PAWL_EINVAL,
                        "inputResponses: this client asks no person; leave them out");
        if (!status)
                status = take_responses(server, run, tree, answers, &err);
        if (!status)
                status = resume(server, run, &err);
        if (status)
                fail(server, run, &err);
        return true;
}

bool mcp_run_answer(mcp_server *server, pawl_text id, const pawl__json_tree *tree)
{
        const pawl__node result = mcp_get(tree, 0, "result");
        pawl_error err = PAWL_ERROR_INIT;
        mcp_run *run = server->runs;

        while (run && !pawl__text_is(id, run->asked))
                run = run->next;
        if (!run || !*run->asked)
                return false;
        pawl_status status = mcp_question_record(
                server, pawl__json_at(&run->told, run->conflict)->value, tree, result, &err);
        if (status == PAWL_DONE) { /* the run stays blocked */
                *run->asked = '\0';
                send_outcome(server, run);
        } else if (status) {
                fail(server, run, &err);
        } else {
                run->conflict = pawl__json_after(
                        &run->told, mcp_get(&run->told, 0, "conflicts"), run->conflict);
                run->answered = true;
                go_on(server, run);
        }
        return true;
}

static void withdraw(mcp_server *server, const mcp_run *run)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        mcp_begin_message(&w, "notifications/cancelled", NULL);
        pawl__json_member_raw(&w, "requestId", pawl__text(run->asked));
        mcp_send_result(server, &w);
}

void mcp_run_cancel(mcp_server *server, pawl_text id)
{
        for (mcp_run *run = server->runs; run; run = run->next) {
                if (!pawl__text_eq(pawl__buf_text(&run->id), id))
                        continue;
                run->cancelled = true;
                if (*run->asked) /* the person need not answer any more */
                        withdraw(server, run);
                if (run->process.pid)
                        kill(run->process.pid, SIGTERM);
                else
                        drop(server, run);
                return;
        }
}

/* ---- As time goes by ------------------------------------------------------------------------- */

static void tell_progress(mcp_server *server, mcp_run *run)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        const int64_t before = run->process.steps;

        if (!run->token.len || mcp_log_open(&server->log, CLI_WRITE, &err) ||
                mcp_process_follow(&run->process, server->log.log, &err) ||
                run->process.steps == before)
                return;
        mcp_begin_message(&w, "notifications/progress", NULL);
        pawl__json_member_raw(&w, "progressToken", pawl__buf_text(&run->token));
        pawl__json_member_integer(&w, "progress", run->process.steps);
        pawl__json_member_string(&w, "message", "steps completed");
        mcp_send_result(server, &w);
}

void mcp_runs_tick(mcp_server *server)
{
        for (mcp_run *run = server->runs, *next; run; run = next) {
                int status;
                next = run->next;
                if (!run->process.pid)
                        continue;
                const bool ended = waitpid(run->process.pid, &status, WNOHANG) == run->process.pid;
                if (!run->cancelled) /* of its last step, too */
                        tell_progress(server, run);
                if (ended)
                        end(server, run, status);
        }
}

bool mcp_runs_at_work(const mcp_server *server)
{
        const mcp_run *run = server->runs;

        while (run && !run->process.pid)
                run = run->next;
        return run != NULL;
}

void mcp_runs_stop(mcp_server *server)
{
        for (mcp_run *run = server->runs; run; run = run->next)
                if (run->process.pid)
                        kill(run->process.pid, SIGTERM);
        while (server->runs) {
                if (server->runs->process.pid)
                        while (waitpid(server->runs->process.pid, NULL, 0) < 0 && errno == EINTR)
                                ;
                drop(server, server->runs);
        }
}

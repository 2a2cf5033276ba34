/*
 * The resource API: what the registry's commands answer, by paths. service/openapi.json describes
 * it, and tests hold the one against the other.
 */
#include "service/api.h"
#include "base/error.h"
#include "service/api_argv.h"

enum { RUNS_MAX = 500, SESSIONS_MAX = 500 };

/* ---- Parts of what a command printed ------------------------------------------------------------
 */

/* The element or member at this pointer (RFC 6901) of a value, in its place. PAWL_ENOTFOUND. */
static pawl_status part_of(pawl__buf *value, const char *pointer, bool decoded, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf part = PAWL__BUF_INIT;
        pawl_status status = pawl__json_tree_read(&tree, value->data, value->len, err);

        if (!status) {
                const pawl__node n = pawl__json_pointer(&tree, pawl__text(pointer));
                const pawl__json_node *node = n == PAWL__NO_NODE ? NULL : pawl__json_at(&tree, n);
                if (!node || (decoded && node->type != PAWL__JSON_STRING))
                        status = pawl__fail(err, PAWL_ENOTFOUND,
                                "the answer: has no such part; ask for the whole");
                else if (pawl__buf_add(&part, node->value.data, node->value.len))
                        status = pawl__nomem(err);
        }
        pawl__json_tree_free(&tree);
        if (status) {
                pawl__buf_free(&part);
                return status;
        }
        pawl__buf_free(value);
        *value = part;
        return PAWL_OK;
}

/* Answer with that part, as JSON or as the text that it is. */
static void answer_part(
        service_answer *answer, service_argv *words, const char *pointer, const char *type)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = service_argv_run(&out, words, &err);

        if (!status)
                status = part_of(&out, pointer, type != NULL, &err);
        if (status)
                service_answer_fail(answer, &err);
        else
                service_answer_body(answer, 200, type ? type : SERVICE_JSON, &out);
        pawl__buf_free(&out);
}

/* ---- Runs and sessions --------------------------------------------------------------------------
 */

static void runs(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "runs");
        service_argv_number(&words, "limit", "limit", 1, RUNS_MAX);
        service_argv_number(&words, "before", "before", 1, INT64_MAX);
        service_argv_query(&words, "status");
        service_argv_answer(answer, &words);
}

static void run(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "runs");
        service_argv_option(&words, "id", service_param(call, "run_id"));
        service_argv_answer(answer, &words);
}

static void steps(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "runs");
        service_argv_option(&words, "id", service_param(call, "run_id"));
        answer_part(answer, &words, "/steps", NULL);
}

static void log_of_step(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "logs");
        service_argv_number(&words, "attempt", "attempt", 1, INT64_MAX);
        service_argv_argument(&words, service_param(call, "run_id"));
        service_argv_more(&words, service_param(call, "step_id"));
        service_argv_answer(answer, &words);
}

static void output_of_step(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "output");
        service_argv_argument(&words, service_param(call, "run_id"));
        service_argv_more(&words, service_param(call, "step_id"));
        service_argv_answer(answer, &words);
}

static void sessions(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "sessions");
        service_argv_query(&words, "mission");
        service_argv_query(&words, "status");
        service_argv_number(&words, "limit", "limit", 1, SESSIONS_MAX);
        if (!service_query(call->request, "limit").data)
                service_argv_add(&words, "--limit=50");
        service_argv_answer(answer, &words);
}

static void session(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "sessions");
        service_argv_option(&words, "id", service_param(call, "session_id"));
        answer_part(answer, &words, "/0", NULL);
}

static void handoff(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "handoff");
        service_argv_number(&words, "summary", "summary", 1, INT64_MAX);
        service_argv_argument(&words, service_param(call, "session_id"));
        answer_part(answer, &words, "/text", "text/plain; charset=utf-8");
}

/* ---- Conflicts and the glossary -----------------------------------------------------------------
 */

static void conflicts(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "conflicts");
        service_argv_flag(&words, "all");
        service_argv_answer(answer, &words);
}

static void conflict(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "conflicts");
        service_argv_option(&words, "id", service_param(call, "conflict_id"));
        service_argv_answer(answer, &words);
}

static void glossary(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "glossary list");
        service_argv_number(&words, "at", "at", 1, INT64_MAX);
        service_argv_answer(answer, &words);
}

/* ---- Checkpoints --------------------------------------------------------------------------------
 */

static void checkpoints(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "checkpoints");
        service_argv_query(&words, "run");
        service_argv_query(&words, "session");
        service_argv_query(&words, "step");
        service_argv_answer(answer, &words);
}

static void checkpoint(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "show");
        service_argv_argument(&words, service_param(call, "n"));
        service_argv_answer(answer, &words);
}

static void diff(service_answer *answer, service_call *call)
{
        const pawl_text to = service_query(call->request, "to");
        service_argv words;

        service_argv_begin(&words, call, "diff");
        service_argv_flag(&words, "patch");
        service_argv_argument(&words, service_param(call, "n"));
        if (to.data)
                service_argv_more(&words, to);
        service_argv_answer(answer, &words);
}

static void rollback_plan(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "rollback");
        service_argv_add(&words, "--plan");
        service_argv_flag(&words, "git");
        service_argv_query(&words, "decisions");
        service_argv_argument(&words, service_param(call, "n"));
        service_argv_answer(answer, &words);
}

static void undo_plan(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "undo");
        service_argv_add(&words, "--plan");
        service_argv_answer(answer, &words);
}

/* ---- The log ------------------------------------------------------------------------------------
 */

/* A log that does not verify is an answer, not a failure of the request. */
static void verify(service_answer *answer, service_call *call)
{
        pawl__buf out = PAWL__BUF_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        service_argv words;

        service_argv_begin(&words, call, "eventlog verify");
        if (service_argv_run(&out, &words, &err) && (err.status != PAWL_EDAMAGED || !out.len))
                service_answer_fail(answer, &err);
        else
                service_answer_body(answer, 200, SERVICE_JSON, &out);
        pawl__buf_free(&out);
}

static void stats(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "eventlog stats");
        service_argv_answer(answer, &words);
}

static void head(service_answer *answer, service_call *call)
{
        service_argv words;

        service_argv_begin(&words, call, "eventlog head");
        service_argv_answer(answer, &words);
}

/* ---- The table ----------------------------------------------------------------------------------
 */

#define V1 "/api/v1"

enum { CHANGES = SERVICE_CHANGES | SERVICE_WORKSPACE };

const service_route service_api_routes[] = {
        {"GET", V1 "/runs", 0, "limit before status", runs},
        {"GET", V1 "/runs/{run_id}", 0, NULL, run},
        {"GET", V1 "/runs/{run_id}/steps", 0, NULL, steps},
        {"GET", V1 "/runs/{run_id}/steps/{step_id}/log", 0, "attempt", log_of_step},
        {"GET", V1 "/runs/{run_id}/steps/{step_id}/output", 0, NULL, output_of_step},
        {"GET", V1 "/events", 0, "since before limit type run step", service_api_events},
        {"GET", V1 "/events/stream", SERVICE_STREAM, "since last_event_id type run",
                service_api_stream},
        {"GET", V1 "/events/{seq}", 0, NULL, service_api_event},
        {"GET", V1 "/conflicts", 0, "all", conflicts},
        {"GET", V1 "/conflicts/{conflict_id}", 0, NULL, conflict},
        {"POST", V1 "/conflicts/{conflict_id}/answer", SERVICE_CHANGES, NULL,
                service_api_answer_conflict},
        {"GET", V1 "/sessions", 0, "mission status limit", sessions},
        {"GET", V1 "/sessions/{session_id}", 0, NULL, session},
        {"GET", V1 "/sessions/{session_id}/handoff", 0, "summary", handoff},
        {"GET", V1 "/checkpoints", 0, "run session step", checkpoints},
        {"POST", V1 "/checkpoints", CHANGES, NULL, service_api_take_checkpoint},
        {"GET", V1 "/checkpoints/{n}", 0, NULL, checkpoint},
        {"GET", V1 "/checkpoints/{n}/diff", SERVICE_WORKSPACE, "to patch", diff},
        {"GET", V1 "/checkpoints/{n}/rollback", SERVICE_WORKSPACE, "git decisions", rollback_plan},
        {"POST", V1 "/checkpoints/{n}/rollback", CHANGES, NULL, service_api_roll_back},
        {"GET", V1 "/undo", SERVICE_WORKSPACE, NULL, undo_plan},
        {"POST", V1 "/undo", CHANGES, NULL, service_api_undo},
        {"GET", V1 "/glossary", 0, "at", glossary},
        {"GET", V1 "/verify", 0, NULL, verify},
        {"GET", V1 "/stats", 0, NULL, stats},
        {"GET", V1 "/head", 0, NULL, head},
        {"GET", V1 "/openapi.json", SERVICE_NO_LOG, NULL, service_api_document},
        {"GET", "/openapi.json", SERVICE_NO_LOG, NULL, service_api_document},
        {NULL, NULL, 0, NULL, NULL},
};

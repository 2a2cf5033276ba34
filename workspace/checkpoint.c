/* A checkpoint of the workspace: what is read before the lock is taken, and what the commit does.
 */
#include "workspace/checkpoint.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/json_write.h"
#include "events/mask.h"
#include "events/types.h"
#include "state/sql.h"
#include "workspace/documents.h"
#include "workspace/name.h"

/* ---- Before the lock ------------------------------------------------------------------------- */

static pawl_status keep_document(pawl_text *out, unsigned char hash[32], pawl__taking *t,
        pawl_text canonical, pawl_error *err)
{
        bool ok = true;

        *out = pawl__arena_text(&t->arena, canonical, &ok);
        if (!ok)
                return pawl__nomem(err);
        return pawl__sha256(pawl__log_hasher(t->ws->log), hash, out->data, out->len, err);
}

static pawl_status keep_given(pawl_text *out, unsigned char hash[32], pawl__taking *t,
        pawl_text given, const char *what, pawl_error *err)
{
        char *canonical;
        size_t len;

        if (!given.data)
                return PAWL_OK;
        pawl_status status = pawl_json_canonical(&canonical, &len, given.data, given.len, err);
        if (status)
                return pawl__fail_prefix(err, status, "%s", what);
        pawl_text document = pawl__text_n(canonical, len);
        status = pawl__document_mask(&document, pawl__log_mask(t->ws->log), &t->arena)
                         ? pawl__nomem(err)
                         : keep_document(out, hash, t, document, err);
        pawl_free(canonical);
        return status;
}

static bool same_hash(pawl_text hex, pawl_text document, const unsigned char hash[32])
{
        char own[65];

        if (!document.data)
                return !hex.data;
        pawl__hex(own, hash, 32);
        return pawl__text_is(hex, own);
}

static pawl_status keep_git_rules(pawl__taking *t, pawl_error *err)
{
        const pawl_text rules = t->scan->git_rules;

        return rules.data ? pawl__sha256(pawl__log_hasher(t->ws->log), t->git_rules_hash,
                                    rules.data, rules.len, err)
                          : PAWL_OK;
}

static pawl_status keep_git(pawl__taking *t, pawl_error *err)
{
        pawl_status status = pawl__workspace_head(&t->git, t->ws, &t->arena, err);

        t->has_git = !status;
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* "" and the absent text are both no commit. */
static bool same_git(const pawl__taking *t, const pawl__value *v)
{
        pawl_text head = v[PAWL__WCP_GIT_HEAD].text;

        if (!t->has_git)
                return !head.data;
        return (head.data ? pawl__text_is(head, t->git.commit) : !*t->git.commit) &&
               pawl__text_eq(v[PAWL__WCP_GIT_BRANCH].text, t->git.branch);
}

/* The step that waits is news, unless the tables have it so already. */
static pawl_status last_is_known(bool *known, const pawl__taking *t, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__row step = {.v[PAWL__STEP_RUN].text = pawl__text(t->request->run_id)};
        const pawl__value *v = step.v;

        *known = !t->last.step_id.data;
        if (*known)
                return PAWL_OK;
        step.v[PAWL__STEP_ID].text = t->last.step_id;
        pawl_status status = pawl__state_get(t->ws->state, PAWL__STEPS, &step, &arena, err);
        *known = !status && pawl__text_is(v[PAWL__STEP_STATUS].text, "completed") &&
                 pawl__text_eq(v[PAWL__STEP_INPUT_HASH].text, t->last.input_hash) &&
                 pawl__text_eq(v[PAWL__STEP_OUTPUT_HASH].text, t->last.output_hash);
        pawl__arena_free(&arena);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* Is the run's state now what the current checkpoint has? */
static pawl_status same_run_state(bool *same, const pawl__taking *t, pawl_error *err)
{
        const pawl__value *v = t->ws->current.v;
        const pawl_text run_id = pawl__text(t->request->run_id);
        pawl__buf now = PAWL__BUF_INIT, then = PAWL__BUF_INIT;
        pawl_status status = last_is_known(same, t, err);

        *same = *same && pawl__text_eq(v[PAWL__WCP_RUN].text, run_id);
        if (status || !*same)
                return status;
        status = pawl__run_state(&now, t->ws->state, run_id, UINT64_MAX, err);
        if (!status || status == PAWL_ENOTFOUND)
                status = pawl__checkpoint_document(
                        &then, t->ws->log, &t->ws->current, PAWL__DOCUMENT_STATE, err);
        *same = pawl__text_eq(pawl__buf_text(&now), pawl__buf_text(&then));
        pawl__buf_free(&now);
        pawl__buf_free(&then);
        return status == PAWL_DONE || status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

static pawl_status unchanged(bool *same, const pawl__taking *t, pawl_error *err)
{
        const pawl__value *v = t->ws->current.v;
        char tree[65];

        *same = false;
        if (!t->ws->any)
                return PAWL_OK;
        pawl__hex(tree, t->scan->tree, 32);
        if (!pawl__text_is(v[PAWL__WCP_TREE].text, tree) || !same_git(t, v))
                return PAWL_OK;
        if (t->files_only) {
                *same = true;
                return PAWL_OK;
        }
        if (!same_hash(v[PAWL__WCP_OUTPUTS_HASH].text, t->outputs, t->outputs_hash))
                return PAWL_OK;
        if (t->request->run_id && !t->state.data)
                return same_run_state(same, t, err);
        *same = (t->state.data || !v[PAWL__WCP_RUN].text.data) &&
                same_hash(v[PAWL__WCP_STATE_HASH].text, t->state, t->state_hash);
        return PAWL_OK;
}

static pawl_status check_request(const pawl_workspace_checkpoint_request *request, pawl_error *err)
{
        const struct {
                const char *text, *what;
        } ids[] = {{request->mission_id, "mission id"}, {request->run_id, "run id"},
                {request->step_id, "step id"}, {request->session_id, "session id"}};

        if (request->version != PAWL_CHECKPOINT_REQUEST_VERSION)
                return pawl__fail(err, PAWL_EINVAL,
                        "checkpoint request: version %u is not known; start from "
                        "PAWL_CHECKPOINT_REQUEST_INIT",
                        request->version);
        for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
                pawl_status status = PAWL_OK;
                if (ids[i].text)
                        status = pawl__id_check(pawl__text(ids[i].text), ids[i].what, err);
                if (status)
                        return status;
        }
        if (request->description &&
                !pawl__utf8_valid(request->description, strlen(request->description)))
                return pawl__fail(
                        err, PAWL_EINVAL, "description: is not UTF-8; write it in that encoding");
        return PAWL_OK;
}

/* The run may be one of another log, whose step's command asks for the checkpoint. */
static pawl_status check_run(pawl__taking *t, pawl_error *err)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = pawl__text(t->request->run_id)};

        if (!t->request->run_id || t->begins)
                return PAWL_OK;
        const pawl_status status = pawl__state_get(t->ws->state, PAWL__RUNS, &run, &t->arena, err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status && run.v[PAWL__RUN_SCOPE_REFS].text.data)
                return PAWL_OK;
        t->of_no_run = *t->request;
        t->of_no_run.run_id = t->of_no_run.step_id = NULL;
        t->request = &t->of_no_run;
        return PAWL_OK;
}

pawl_status pawl__checkpoint_prepare(pawl__taking *t, pawl_error *err)
{
        pawl_status status = check_request(t->request, err);

        pawl__scan_free(t->scan);
        t->scan = NULL;
        pawl__arena_clear(&t->arena);
        t->state = t->outputs = (pawl_text){NULL, 0};
        t->ws->bounded = !t->safety;
        t->description = pawl__text(t->request->description);
        if (!status && pawl__mask_text(&t->description, pawl__log_mask(t->ws->log), &t->arena))
                status = pawl__nomem(err);
        if (!status)
                status = check_run(t, err);
        if (!status)
                status = pawl__workspace_check_idle(t->ws, err);
        if (!status)
                status = pawl__workspace_keep_id(t->ws, err);
        if (!status)
                status = keep_given(&t->state, t->state_hash, t, t->request->state, "state", err);
        if (!status)
                status = keep_given(
                        &t->outputs, t->outputs_hash, t, t->request->outputs, "outputs", err);
        if (!status)
                status = keep_git(t, err);
        if (!status)
                status = pawl__workspace_scan(&t->scan, t->ws, true, err);
        if (!status)
                status = keep_git_rules(t, err);
        t->ws->bounded = false;
        bool same = false;
        if (!status && t->request->only_if_changed && !pawl__scan_heals(t->scan))
                status = unchanged(&same, t, err);
        return !status && same ? PAWL_DONE : status;
}

/* ---- Inside the transaction ------------------------------------------------------------------ */

static void write_patterns(
        pawl__json_writer *w, const char *name, const pawl_text *patterns, size_t n)
{
        if (n == 0)
                return;
        pawl__json_name(w, name);
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++)
                pawl__json_text(w, patterns[i]);
        pawl__json_close_array(w);
}

static void write_rules(pawl__json_writer *w, const pawl__taking *t)
{
        const pawl__workspace *ws = t->ws;

        pawl__json_member_integer(w, "max_file", (int64_t)ws->max_file);
        if (ws->max_files != PAWL__WORKSPACE_MAX_FILES)
                pawl__json_member_integer(w, "max_files", (int64_t)ws->max_files);
        if (ws->max_bytes != PAWL__WORKSPACE_MAX_BYTES)
                pawl__json_member_integer(w, "max_bytes", (int64_t)ws->max_bytes);
        write_patterns(w, "exclude", ws->exclude, ws->n_exclude);
        write_patterns(w, "include", ws->include, ws->n_include);
        if (t->scan->git_rules.data)
                pawl__json_member_hash(w, "git_rules", t->git_rules_hash);
}

/* A branch may be called by bytes that are no UTF-8; then only the commit is told. */
static void write_git(pawl__json_writer *w, const pawl__taking *t)
{
        const pawl__git_head *git = &t->git;

        if (!t->has_git && !t->ws->git_unread.data)
                return;
        pawl__json_name(w, "git");
        pawl__json_open_object(w);
        if (!t->has_git)
                pawl__json_member_text(w, "unread", t->ws->git_unread);
        else if (*git->commit)
                pawl__json_member_string(w, "head", git->commit);
        if (t->has_git && git->branch.data && pawl__utf8_valid(git->branch.data, git->branch.len))
                pawl__json_member_text(w, "branch", git->branch);
        pawl__json_close_object(w);
}

static void write_running(pawl__json_writer *w, const pawl__taking *t)
{
        pawl__json_name(w, "steps_running");
        pawl__json_open_array(w);
        for (size_t i = 0; i < t->n_running; i++)
                pawl__json_text(w, t->running[i]);
        pawl__json_close_array(w);
}

static void write_payload(pawl__json_writer *w, const pawl__taking *t, const char *id)
{
        const pawl__workspace *ws = t->ws;
        const pawl__scan *scan = t->scan;

        pawl__json_open_object(w);
        pawl__json_member_integer(w, "n", (int64_t)t->n);
        pawl__json_member_string(w, "id", id);
        pawl__json_member_string(w, "trigger", t->request->automatic ? "auto" : "manual");
        pawl__json_member_text(w, "root", ws->root_name);
        if (*ws->worktree)
                pawl__json_member_string(w, "worktree", ws->worktree);
        pawl__json_member_hash(w, "tree", scan->tree);
        pawl__json_member_integer(w, "files", (int64_t)scan->files);
        pawl__json_member_integer(w, "bytes", (int64_t)scan->bytes);
        pawl__json_member_integer(w, "skipped", (int64_t)scan->n_not_captured);
        pawl__json_member_integer(w, "ignored", (int64_t)scan->ignored);
        if (t->description.data)
                pawl__json_member_text(w, "description", t->description);
        if (t->state.data)
                pawl__json_member_hash(w, "state_hash", t->state_hash);
        if (t->outputs.data)
                pawl__json_member_hash(w, "outputs_hash", t->outputs_hash);
        if (ws->any)
                pawl__json_member_integer(w, "base", ws->current.v[PAWL__WCP_N].integer);
        if (ws->run_id.data)
                pawl__json_member_bool(w, "of_run", true);
        write_git(w, t);
        if (t->safety)
                pawl__json_member_bool(w, "safety", true);
        if (t->n_running)
                write_running(w, t);
        write_rules(w, t);
        pawl__json_close_object(w);
}

/* The row that the event will be in the tables, made while there may still be too little memory for
 * it: after the commit nothing may fail. */
static pawl_status make_row(
        pawl__taking *t, const pawl_event *event, const char *id, pawl_error *err)
{
        const pawl__scan *scan = t->scan;
        char tree[65], state[65], outputs[65];

        pawl__hex(tree, scan->tree, 32);
        pawl__hex(state, t->state_hash, 32);
        pawl__hex(outputs, t->outputs_hash, 32);
        const struct {
                int column;
                pawl_text text;
        } texts[] = {{PAWL__WCP_ID, pawl__text(id)}, {PAWL__WCP_MISSION, event->mission_id},
                {PAWL__WCP_RUN, event->run_id}, {PAWL__WCP_STEP, event->step_id},
                {PAWL__WCP_SESSION, event->session_id},
                {PAWL__WCP_TRIGGER, pawl__text(t->request->automatic ? "auto" : "manual")},
                {PAWL__WCP_DESCRIPTION, t->description},
                {PAWL__WCP_ROOT, t->ws->run_id.data ? pawl__text(NULL) : t->ws->root_name},
                {PAWL__WCP_WORKTREE, pawl__text(t->ws->worktree)},
                {PAWL__WCP_TREE, pawl__text(tree)},
                {PAWL__WCP_STATE_HASH, pawl__text(t->state.data ? state : NULL)},
                {PAWL__WCP_OUTPUTS_HASH, pawl__text(t->outputs.data ? outputs : NULL)},
                {PAWL__WCP_GIT_HEAD,
                        pawl__text(t->has_git && *t->git.commit ? t->git.commit : NULL)},
                {PAWL__WCP_GIT_BRANCH, t->has_git ? t->git.branch : (pawl_text){NULL, 0}}};
        pawl__value *v = t->row.v;

        t->row = (pawl__row){0};
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
                v[texts[i].column].text = pawl__arena_copy(&t->arena, texts[i].text);
        v[PAWL__WCP_N].integer = (int64_t)t->n;
        v[PAWL__WCP_FILES].integer = (int64_t)scan->files;
        v[PAWL__WCP_BYTES].integer = (int64_t)scan->bytes;
        v[PAWL__WCP_SKIPPED].integer = (int64_t)scan->n_not_captured;
        v[PAWL__WCP_BASE].integer = t->ws->any ? t->ws->current.v[PAWL__WCP_N].integer : 0;
        v[PAWL__WCP_SAFETY].integer = t->safety;
        v[PAWL__WCP_CREATED_US].integer = event->time_us;
        return pawl__arena_check(&t->arena, err);
}

static pawl_status add_event(pawl__taking *t, pawl__batch *batch, pawl_error *err)
{
        const pawl_workspace_checkpoint_request *request = t->request;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        char id[PAWL__CHECKPOINT_ID_MAX];
        const pawl_event event = {.time_us = pawl__wall_us(t->ws->log),
                .mission_id = pawl__text(request->mission_id),
                .run_id = pawl__text(request->run_id),
                .step_id = pawl__text(request->step_id),
                .session_id = pawl__text(request->session_id),
                .actor = t->ws->actor};

        pawl__checkpoint_id(id, t->n,
                request->step_id ? pawl__text(request->step_id) : t->description, event.time_us);
        write_payload(&w, t, id);
        pawl_status status = pawl__batch_emit(batch, PAWL__WORKSPACE_CHECKPOINTED, &event, &w, err);
        return status ? status : make_row(t, &event, id, err);
}

static pawl_status add_documents(const pawl__taking *t, pawl__batch *batch, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        if (t->state.data)
                status = pawl__batch_blob(batch, t->state_hash, t->state, err);
        if (!status && t->outputs.data)
                status = pawl__batch_blob(batch, t->outputs_hash, t->outputs, err);
        if (!status && t->scan->git_rules.data)
                status = pawl__batch_blob(batch, t->git_rules_hash, t->scan->git_rules, err);
        return status;
}

/* What others did since prepare looked: a rollback that is half done, or other numbers. */
static pawl_status look_again(pawl__taking *t, pawl_error *err)
{
        pawl_status status = pawl__workspace_locate(t->ws, err);

        if (!status)
                status = pawl__workspace_check_idle(t->ws, err);
        if (!status)
                t->n = t->ws->last + 1;
        return status;
}

static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        pawl__taking *t = user;
        pawl_status status = look_again(t, err);

        (void)log;
        if (!status)
                status = pawl__scan_store(t->scan, t->ws->contents, err);
        if (!status)
                status = add_documents(t, batch, err);
        if (!status)
                status = add_event(t, batch, err);
        if (!status && t->then)
                status = t->then(t->n, batch, t->then_user, err);
        return status;
}

void pawl__checkpoint_arm(pawl__taking *t, pawl__batch *batch)
{
        t->n = 0;
        batch->prepare = fill;
        batch->prepare_user = t;
        batch->prepare_between = true;
        batch->n_before = batch->n;
}

void pawl__checkpoint_disarm(pawl__batch *batch)
{
        batch->prepare = NULL;
        batch->prepare_user = NULL;
        batch->prepare_between = false;
}

bool pawl__checkpoint_armed(const pawl__batch *batch)
{
        return batch->prepare == fill;
}

/* ---- After it -------------------------------------------------------------------------------- */

void pawl__checkpoint_settle(pawl__taking *t)
{
        pawl__workspace *ws = t->ws;
        pawl_error ignored = PAWL_ERROR_INIT;
        pawl__row row = {.v[PAWL__WCP_N].integer = (int64_t)t->n};

        if (ws->run_id.data) {
                pawl__arena_clear(&ws->located);
                if (!pawl__state_get(ws->state, PAWL__WORKSPACE, &row, &ws->located, &ignored)) {
                        ws->newest = ws->current = row;
                        pawl__workspace_keep_index(
                                ws, t->scan, (uint64_t)row.v[PAWL__WCP_SEQ].integer);
                        return;
                }
        } else if (!pawl__workspace_locate(ws, &ignored)) {
                pawl__workspace_keep_index(
                        ws, t->scan, (uint64_t)ws->newest.v[PAWL__WCP_SEQ].integer);
                return;
        }
        /* What is known without asking; the index will not be believed. */
        ws->last = t->n;
        ws->put_back = false;
        row = t->row;
        ws->any = !pawl__row_copy(&row, PAWL__WORKSPACE, &ws->located, &ignored);
        ws->newest = ws->current = row;
}

void pawl__taking_free(pawl__taking *t)
{
        pawl__scan_free(t->scan);
        pawl__arena_free(&t->arena);
        t->scan = NULL;
}

pawl_status pawl__checkpoint_take(pawl__taking *t, uint64_t fence, pawl_error *err)
{
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl_status status = PAWL_EINPUTS;

        for (int i = 0; i < PAWL__CHECKPOINT_TRIES && status == PAWL_EINPUTS; i++) {
                status = pawl__checkpoint_prepare(t, err);
                if (status)
                        break;
                pawl__checkpoint_arm(t, &batch);
                status = pawl__log_failed(
                        t->ws->log, pawl__log_commit(t->ws->log, &batch, fence, NULL), err);
        }
        pawl__batch_free(&batch);
        if (!status)
                pawl__checkpoint_settle(t);
        return status;
}

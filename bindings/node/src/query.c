/* The contents of a log: runs and their steps, conflicts, senses, checkpoints of steps, sessions.
 */
#include "task.h"

static const json_field sense_fields[] = {FIELD(pawl_sense, surface), FIELD(pawl_sense, scope),
        FIELD(pawl_sense, definition), FIELD(pawl_sense, confidence)};

static const json_field conflict_fields[] = {FIELD(pawl_conflict, conflict_id),
        FIELD(pawl_conflict, term), FIELD(pawl_conflict, conflict_type),
        FIELD(pawl_conflict, severity), FIELD(pawl_conflict, confidence),
        FIELD(pawl_conflict, context)};

void write_conflict_members(json_out *o, const pawl_conflict *c)
{
        JSON_FIELDS(o, conflict_fields, c);
        JSON_ARRAY(o, "candidates", sense_fields, c->candidates, c->n_candidates);
}

void write_conflict(json_out *o, const pawl_conflict *c)
{
        json_open(o, NULL, "{");
        write_conflict_members(o, c);
        json_close(o, "}");
}

static const json_field run_fields[] = {FIELD(pawl_run, run_id), FIELD(pawl_run, mission_id),
        FIELD(pawl_run, session_id), FIELD(pawl_run, status), FIELD(pawl_run, reason),
        FIELD(pawl_run, current_step), FIELD(pawl_run, retry_token),
        FIELD(pawl_run, steps_completed), FIELD(pawl_run, steps_total),
        FIELD(pawl_run, open_conflicts), FIELD(pawl_run, started_seq), FIELD(pawl_run, updated_seq),
        FIELD(pawl_run, started_us), FIELD(pawl_run, updated_us), FIELD(pawl_run, owner_pid),
        FIELD(pawl_run, owner_host)};

void op_runs(task *t)
{
        pawl_runs *runs;

        t->status = pawl_run_list(&runs, task_log(t), t->arg[0], task_natural(t, 1), &t->err);
        if (t->status)
                return;
        JSON_ARRAY(&t->json, NULL, run_fields, runs->items, runs->n);
        pawl_runs_free(runs);
}

/* arg: 0 run, or the beginning of its id */
void op_run_find(task *t)
{
        pawl_runs *found;

        t->status = pawl_run_find(&found, task_log(t), t->arg[0], &t->err);
        if (t->status)
                return;
        JSON_OBJECT(&t->json, NULL, run_fields, &found->items[0]);
        pawl_runs_free(found);
}

static const json_field step_info_fields[] = {FIELD(pawl_step_info, step_id),
        FIELD(pawl_step_info, status), FIELD(pawl_step_info, retry_token),
        FIELD(pawl_step_info, cursor), FIELD(pawl_step_info, input_hash),
        FIELD(pawl_step_info, output_hash), FIELD_AS(pawl_step_info, inputs, FIELD_JSON),
        FIELD_AS(pawl_step_info, output, FIELD_JSON), FIELD(pawl_step_info, checkpoint_seq),
        FIELD(pawl_step_info, exit_code), FIELD(pawl_step_info, blocked_by),
        FIELD(pawl_step_info, reason)};

/* arg: 0 run, 1 with inputs and outputs */
void op_steps(task *t)
{
        pawl_steps *list;

        t->status = pawl_step_list(&list, task_log(t), t->arg[0], task_natural(t, 1) != 0, &t->err);
        if (t->status)
                return;
        JSON_ARRAY(&t->json, NULL, step_info_fields, list->items, list->n);
        pawl_steps_free(list);
}

static const json_field conflict_info_fields[] = {FIELD(pawl_conflict_info, mission_id),
        FIELD(pawl_conflict_info, run_id), FIELD(pawl_conflict_info, step_id),
        FIELD(pawl_conflict_info, retry_token), FIELD(pawl_conflict_info, status),
        FIELD(pawl_conflict_info, requested_us), FIELD(pawl_conflict_info, resolved_seq),
        FIELD(pawl_conflict_info, answer), FIELD(pawl_conflict_info, otherwise),
        FIELD(pawl_conflict_info, due_us)};

void op_conflicts(task *t)
{
        pawl_conflicts *list;

        t->status = pawl_conflict_list(&list, task_log(t), t->arg[0], task_natural(t, 1), &t->err);
        if (t->status)
                return;
        json_open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                json_open(&t->json, NULL, "{");
                write_conflict_members(&t->json, &list->items[i].conflict);
                JSON_FIELDS(&t->json, conflict_info_fields, &list->items[i]);
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
        pawl_conflicts_free(list);
}

/* arg: 0 conflict, 1 pick, 2 definition, 3 scope, 4 actor, 5 answer, 6 dismiss, 7 replace */
void op_resolve(task *t)
{
        const pawl_answer answer = {.pick = (size_t)task_natural(t, 1),
                .define = {t->arg[2], t->len[2]},
                .scope = {t->arg[3], t->len[3]},
                .answer = {t->arg[5], t->len[5]},
                .dismiss = task_natural(t, 6) != 0,
                .replace = task_natural(t, 7) != 0};

        t->status = pawl_conflict_resolve(task_log(t), t->arg[0], &answer, t->arg[4], &t->err);
}

static const json_field sense_info_fields[] = {FIELD(pawl_sense_info, status),
        FIELD(pawl_sense_info, source), FIELD(pawl_sense_info, actor), FIELD(pawl_sense_info, seq)};

/* arg: 0 run, or none: the newest version of each scope */
void op_senses(task *t)
{
        pawl_senses *list;

        t->status = pawl_sense_list(&list, task_log(t), t->arg[0], &t->err);
        if (t->status)
                return;
        json_open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                json_open(&t->json, NULL, "{");
                JSON_FIELDS(&t->json, sense_fields, &list->items[i].sense);
                JSON_FIELDS(&t->json, sense_info_fields, &list->items[i]);
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
        pawl_senses_free(list);
}

static const json_field step_checkpoint_fields[] = {FIELD(pawl_step_checkpoint, mission_id),
        FIELD(pawl_step_checkpoint, run_id), FIELD(pawl_step_checkpoint, step_id),
        FIELD(pawl_step_checkpoint, retry_token), FIELD(pawl_step_checkpoint, input_hash),
        FIELD(pawl_step_checkpoint, cursor), FIELD(pawl_step_checkpoint, strictness),
        FIELD(pawl_step_checkpoint, seq), FIELD(pawl_step_checkpoint, time_us)};
static const json_field scope_ref_fields[] = {
        FIELD(pawl_scope_ref, scope), FIELD(pawl_scope_ref, version_id)};

/* The checkpoint is the call's, and freed. */
static void write_step_checkpoint(task *t, pawl_step_checkpoint *c)
{
        if (t->status)
                return;
        json_open(&t->json, NULL, "{");
        JSON_FIELDS(&t->json, step_checkpoint_fields, c);
        JSON_ARRAY(&t->json, "scopeRefs", scope_ref_fields, c->scope_refs, c->n_scope_refs);
        json_close(&t->json, "}");
        pawl_step_checkpoint_free(c);
}

/* arg: 0 retry token */
void op_step_checkpoint(task *t)
{
        pawl_step_checkpoint *c = NULL;

        t->status = pawl_step_checkpoint_load(&c, task_log(t), t->arg[0], &t->err);
        write_step_checkpoint(t, c);
}

/* arg: 0 run, 1 step */
void op_step_checkpoint_latest(task *t)
{
        pawl_step_checkpoint *c = NULL;

        t->status = pawl_step_checkpoint_latest(&c, task_log(t), t->arg[0], t->arg[1], &t->err);
        write_step_checkpoint(t, c);
}

/* arg: 0 payload */
void op_step_checkpoint_parse(task *t)
{
        pawl_step_checkpoint *c = NULL;

        t->status = pawl_step_checkpoint_parse(&c, t->arg[0], t->len[0], &t->err);
        write_step_checkpoint(t, c);
}

static const json_field session_fields[] = {FIELD(pawl_session, session_id),
        FIELD(pawl_session, mission_id), FIELD(pawl_session, run_id), FIELD(pawl_session, actor),
        FIELD(pawl_session, status), FIELD(pawl_session, reason), FIELD(pawl_session, current_step),
        FIELD(pawl_session, summary), FIELD(pawl_session, started_us),
        FIELD(pawl_session, updated_us), FIELD(pawl_session, ended_us),
        FIELD(pawl_session, steps_completed), FIELD(pawl_session, steps_total),
        FIELD(pawl_session, checkpoints), FIELD(pawl_session, checkpoint_seq),
        FIELD(pawl_session, seq), FIELD(pawl_session, pinned), FIELD(pawl_session, worktree),
        FIELD(pawl_session, worktree_path)};

/* arg: 0 mission, 1 session, 2 status, 3 how many */
void op_sessions(task *t)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list;

        filter.mission_id = t->arg[0];
        filter.session_id = t->arg[1];
        filter.status = t->arg[2];
        filter.limit = (size_t)task_natural(t, 3);
        t->status = pawl_session_list(&list, task_log(t), &filter, &t->err);
        if (t->status)
                return;
        JSON_ARRAY(&t->json, NULL, session_fields, list->items, list->n);
        pawl_sessions_free(list);
}

static const json_field session_step_fields[] = {
        FIELD(pawl_session_step, step_id), FIELD(pawl_session_step, status)};
static const json_field session_checkpoint_fields[] = {FIELD(pawl_session_checkpoint_info, seq),
        FIELD(pawl_session_checkpoint_info, time_us), FIELD(pawl_session_checkpoint_info, reason)};
static const json_field capture_fields[] = {FIELD(pawl_session_capture, n),
        FIELD(pawl_session_capture, id), FIELD(pawl_session_capture, step_id),
        FIELD(pawl_session_capture, description), FIELD(pawl_session_capture, git_head),
        FIELD(pawl_session_capture, git_branch), FIELD(pawl_session_capture, created_us)};
static const json_field detail_fields[] = {
        FIELD(pawl_session_details, commit), FIELD(pawl_session_details, branch)};

/* arg: 0 session, or none: the latest */
void op_session(task *t)
{
        pawl_session_details *d;

        t->status = pawl_session_find(&d, task_log(t), t->arg[0], &t->err);
        if (t->status)
                return;
        json_open(&t->json, NULL, "{");
        JSON_OBJECT(&t->json, "session", session_fields, &d->session);
        JSON_ARRAY(&t->json, "steps", session_step_fields, d->steps, d->n_steps);
        JSON_ARRAY(&t->json, "checkpoints", session_checkpoint_fields, d->checkpoints,
                d->n_checkpoints);
        JSON_ARRAY(&t->json, "captures", capture_fields, d->captures, d->n_captures);
        JSON_FIELDS(&t->json, detail_fields, d);
        json_close(&t->json, "}");
        pawl_session_details_free(d);
}

/* Checkpoints of the workspace. */
#include "task.h"

static const json_field checkpoint_fields[] = {FIELD(pawl_workspace_checkpoint_info, n),
        FIELD(pawl_workspace_checkpoint_info, seq), FIELD(pawl_workspace_checkpoint_info, id),
        FIELD(pawl_workspace_checkpoint_info, mission_id),
        FIELD(pawl_workspace_checkpoint_info, run_id),
        FIELD(pawl_workspace_checkpoint_info, step_id),
        FIELD(pawl_workspace_checkpoint_info, session_id),
        FIELD(pawl_workspace_checkpoint_info, trigger),
        FIELD(pawl_workspace_checkpoint_info, description),
        FIELD(pawl_workspace_checkpoint_info, root), FIELD(pawl_workspace_checkpoint_info, tree),
        FIELD(pawl_workspace_checkpoint_info, files), FIELD(pawl_workspace_checkpoint_info, bytes),
        FIELD(pawl_workspace_checkpoint_info, not_captured),
        FIELD(pawl_workspace_checkpoint_info, state_hash),
        FIELD(pawl_workspace_checkpoint_info, outputs_hash),
        FIELD(pawl_workspace_checkpoint_info, git_head),
        FIELD(pawl_workspace_checkpoint_info, git_branch),
        FIELD(pawl_workspace_checkpoint_info, created_us),
        FIELD(pawl_workspace_checkpoint_info, base), FIELD(pawl_workspace_checkpoint_info, valid),
        FIELD(pawl_workspace_checkpoint_info, current),
        FIELD(pawl_workspace_checkpoint_info, safety),
        FIELD(pawl_workspace_checkpoint_info, pinned),
        FIELD(pawl_workspace_checkpoint_info, pruned),
        FIELD(pawl_workspace_checkpoint_info, imported),
        FIELD(pawl_workspace_checkpoint_info, why_invalid),
        FIELD(pawl_workspace_checkpoint_info, given_up),
        FIELD(pawl_workspace_checkpoint_info, worktree),
        FIELD(pawl_workspace_checkpoint_info, has_changed),
        FIELD(pawl_workspace_checkpoint_info, added),
        FIELD(pawl_workspace_checkpoint_info, removed),
        FIELD(pawl_workspace_checkpoint_info, modified),
        FIELD(pawl_workspace_checkpoint_info, turn),
        FIELD(pawl_workspace_checkpoint_info, turn_session),
        FIELD(pawl_workspace_checkpoint_info, turn_text)};
static const json_field count_fields[] = {FIELD(pawl_workspace_capture_counts, files),
        FIELD(pawl_workspace_capture_counts, bytes), FIELD(pawl_workspace_capture_counts, captured),
        FIELD(pawl_workspace_capture_counts, unchanged),
        FIELD(pawl_workspace_capture_counts, ignored),
        FIELD(pawl_workspace_capture_counts, too_large),
        FIELD(pawl_workspace_capture_counts, unreadable),
        FIELD(pawl_workspace_capture_counts, special),
        FIELD(pawl_workspace_capture_counts, changing),
        FIELD(pawl_workspace_capture_counts, repositories),
        FIELD(pawl_workspace_capture_counts, over_budget),
        FIELD(pawl_workspace_capture_counts, reserved),
        FIELD(pawl_workspace_capture_counts, workspaces)};
static const json_field missed_fields[] = {
        FIELD(pawl_not_captured, path), FIELD(pawl_not_captured, why)};

/* arg: 0 description, 1 only if changed, 2 root, 3 actor */
void op_checkpoint(task *t)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_workspace_capture *capture;

        request.description = t->arg[0];
        request.only_if_changed = task_natural(t, 1);
        options.root = t->arg[2];
        options.actor = t->arg[3];
        t->status = pawl_workspace_checkpoint(&capture, task_log(t), &request, &options, &t->err);
        if (t->status < 0)
                return;
        json_open(&t->json, NULL, "{");
        JSON_OBJECT(&t->json, "info", checkpoint_fields, &capture->info);
        json_boolean(&t->json, "taken", t->status == PAWL_OK);
        JSON_OBJECT(&t->json, "counts", count_fields, &capture->counts);
        JSON_ARRAY(&t->json, "missed", missed_fields, capture->missed, capture->n_missed);
        json_close(&t->json, "}");
        pawl_workspace_capture_free(capture);
        t->status = PAWL_OK;
}

void op_checkpoints(task *t)
{
        pawl_workspace_checkpoints *list;

        t->status = pawl_workspace_checkpoint_list(&list, task_log(t), &t->err);
        if (t->status)
                return;
        JSON_ARRAY(&t->json, NULL, checkpoint_fields, list->items, list->n);
        pawl_workspace_checkpoints_free(list);
}

static pawl_status take_patch(const char *data, size_t len, void *user)
{
        json_put(user, data, len);
        return PAWL_OK;
}

static const json_field file_fields[] = {FIELD(pawl_file_change, path),
        FIELD(pawl_file_change, what), FIELD(pawl_file_change, kind_before),
        FIELD(pawl_file_change, kind_after), FIELD(pawl_file_change, mode_before),
        FIELD(pawl_file_change, mode_after), FIELD(pawl_file_change, size_before),
        FIELD(pawl_file_change, size_after), FIELD(pawl_file_change, lines_added),
        FIELD(pawl_file_change, lines_removed), FIELD(pawl_file_change, binary)};
static const json_field unknown_fields[] = {FIELD(pawl_unknown_file, path),
        FIELD(pawl_unknown_file, why), FIELD(pawl_unknown_file, checkpoint)};
static const json_field member_fields[] = {FIELD(pawl_member_change, path),
        FIELD_AS(pawl_member_change, before, FIELD_MEMBER),
        FIELD_AS(pawl_member_change, after, FIELD_MEMBER)};
static const json_field git_fields[] = {FIELD(pawl_git_between, from), FIELD(pawl_git_between, to),
        FIELD(pawl_git_between, commits), FIELD(pawl_git_between, given_up),
        FIELD(pawl_git_between, files), FIELD(pawl_git_between, lines_added),
        FIELD(pawl_git_between, lines_removed)};
static const json_field commit_fields[] = {
        FIELD(pawl_git_commit, id), FIELD(pawl_git_commit, subject)};

static void write_git(json_out *o, const pawl_git_between *git)
{
        if (!git) {
                json_string(o, "git", NULL);
                return;
        }
        json_open(o, "git", "{");
        JSON_FIELDS(o, git_fields, git);
        JSON_ARRAY(o, "newest", commit_fields, git->newest, git->n_newest);
        json_close(o, "}");
}

static void write_comparison(json_out *o, const pawl_comparison *c)
{
        JSON_OBJECT(o, "a", checkpoint_fields, c->a);
        if (c->b)
                JSON_OBJECT(o, "b", checkpoint_fields, c->b);
        else
                json_string(o, "b", NULL);
        JSON_ARRAY(o, "files", file_fields, c->files, c->n_files);
        JSON_ARRAY(o, "unknown", unknown_fields, c->unknown, c->n_unknown);
        JSON_ARRAY(o, "members", member_fields, c->members, c->n_members);
        write_git(o, c->git);
}

/* arg: 0 a, 1 b or the workspace, 2 root, 3 with a patch */
void op_diff(task *t)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_comparison *c;
        json_out patch = {.failed = false};

        options.root = t->arg[2];
        t->status = pawl_workspace_compare(&c, task_log(t), t->arg[0], t->arg[1], &options,
                task_natural(t, 3) ? take_patch : NULL, &patch, &t->err);
        if (!t->status) {
                json_open(&t->json, NULL, "{");
                write_comparison(&t->json, c);
                if (task_natural(t, 3))
                        json_text(&t->json, "patch",
                                (pawl_text){patch.data ? patch.data : "", patch.len});
                json_close(&t->json, "}");
                t->json.failed = t->json.failed || patch.failed;
                pawl_comparison_free(c);
        }
        free(patch.data);
}

/* arg: 0 which, 1 pinned, 2 actor */
void op_pin(task *t)
{
        t->status = pawl_workspace_checkpoint_pin(
                task_log(t), t->arg[0], task_natural(t, 1) != 0, t->arg[2], &t->err);
}

/* arg: 0 which, 1 root, 2 actor, 3 redo; without which: undo, or redo */
void op_rollback(task *t)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_rollback_plan *plan;

        options.root = t->arg[1];
        options.actor = t->arg[2];
        t->status = t->arg[0] ? pawl_workspace_rollback(
                                        &plan, task_log(t), t->arg[0], NULL, &options, &t->err)
                    : t->arg[3] ? pawl_workspace_redo(&plan, task_log(t), NULL, &options, &t->err)
                                : pawl_workspace_undo(&plan, task_log(t), NULL, &options, &t->err);
        if (t->status)
                return;
        json_number(&t->json, NULL, (double)pawl_rollback_plan_look(plan).safety);
        pawl_rollback_plan_free(plan);
}

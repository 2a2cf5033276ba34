/* A log: its events, its sessions, the checkpoints of its workspace. */
#include "task.h"

static void write_checkpoint(out *o, const char *member, const pawl_workspace_checkpoint_info *i)
{
        open(o, member, "{");
        number(o, "n", (double)i->n);
        number(o, "seq", (double)i->seq);
        text(o, "id", i->id);
        text(o, "missionId", i->mission_id);
        text(o, "runId", i->run_id);
        text(o, "stepId", i->step_id);
        text(o, "sessionId", i->session_id);
        text(o, "trigger", i->trigger);
        text(o, "description", i->description);
        text(o, "root", i->root);
        text(o, "tree", i->tree);
        number(o, "files", (double)i->files);
        number(o, "bytes", (double)i->bytes);
        number(o, "notCaptured", (double)i->not_captured);
        text(o, "stateHash", i->state_hash);
        text(o, "outputsHash", i->outputs_hash);
        text(o, "gitHead", i->git_head);
        text(o, "gitBranch", i->git_branch);
        number(o, "createdUs", (double)i->created_us);
        number(o, "base", (double)i->base);
        boolean(o, "valid", i->valid);
        boolean(o, "current", i->current);
        boolean(o, "safety", i->safety);
        boolean(o, "pinned", i->pinned);
        boolean(o, "pruned", i->pruned);
        boolean(o, "imported", i->imported);
        text(o, "whyInvalid", i->why_invalid);
        text(o, "givenUp", i->given_up);
        close_(o, "}");
}

static void write_event(out *o, const pawl_event *e)
{
        open(o, NULL, "{");
        number(o, "seq", (double)e->seq);
        text(o, "type", e->type);
        number(o, "v", e->v);
        number(o, "timeUs", (double)e->time_us);
        text(o, "missionId", e->mission_id);
        text(o, "runId", e->run_id);
        text(o, "stepId", e->step_id);
        text(o, "sessionId", e->session_id);
        text(o, "actor", e->actor);
        raw(o, "payload", e->payload);
        hex(o, "prev", e->prev);
        hex(o, "hash", e->hash);
        close_(o, "}");
}

void op_log_open(task *t)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log;

        options.flags = (unsigned)natural(t, 1);
        t->status = pawl_log_open(&log, t->arg[0], &options, &t->err);
        if (!t->status)
                make(t, LOG, log);
}

void op_close(task *t)
{
        close_handle(t->on);
}

void op_head(task *t)
{
        unsigned char hash[32];
        uint64_t seq;

        t->status = pawl_log_head(&seq, hash, log_of(t));
        from_log(t);
        if (t->status)
                return;
        open(&t->json, NULL, "{");
        number(&t->json, "seq", (double)seq);
        hex(&t->json, "hash", hash);
        close_(&t->json, "}");
}

/* arg: 0 after, 1 how many */
void op_events(task *t)
{
        const uint64_t most = natural(t, 1);
        pawl_cursor *cursor;
        pawl_event event;

        t->status = pawl_cursor_open(&cursor, log_of(t), natural(t, 0));
        from_log(t);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (uint64_t n = 0; n < most && !t->status; n++) {
                t->status = pawl_cursor_next(cursor, &event);
                from_log(t);
                if (!t->status)
                        write_event(&t->json, &event);
        }
        close_(&t->json, "]");
        pawl_cursor_close(cursor);
        if (t->status == PAWL_DONE)
                t->status = PAWL_OK;
}

void op_verify(task *t)
{
        pawl_verify_result result;

        t->status = pawl_log_verify(&result, log_of(t), 0, NULL);
        from_log(t);
        if (t->status)
                return;
        open(&t->json, NULL, "{");
        number(&t->json, "events", (double)result.events);
        boolean(&t->json, "keyed", result.keyed);
        close_(&t->json, "}");
}

void op_sessions(task *t)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list;

        filter.mission_id = t->arg[0];
        filter.status = t->arg[1];
        filter.limit = (size_t)natural(t, 2);
        t->status = pawl_session_list(&list, log_of(t), &filter, &t->err);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                const pawl_session *s = &list->items[i];
                open(&t->json, NULL, "{");
                text(&t->json, "sessionId", s->session_id);
                text(&t->json, "missionId", s->mission_id);
                text(&t->json, "runId", s->run_id);
                text(&t->json, "actor", s->actor);
                text(&t->json, "status", s->status);
                text(&t->json, "reason", s->reason);
                text(&t->json, "currentStep", s->current_step);
                text(&t->json, "summary", s->summary);
                number(&t->json, "startedUs", (double)s->started_us);
                number(&t->json, "updatedUs", (double)s->updated_us);
                number(&t->json, "endedUs", (double)s->ended_us);
                number(&t->json, "stepsCompleted", (double)s->steps_completed);
                number(&t->json, "stepsTotal", (double)s->steps_total);
                number(&t->json, "checkpoints", (double)s->checkpoints);
                number(&t->json, "checkpointSeq", (double)s->checkpoint_seq);
                number(&t->json, "seq", (double)s->seq);
                boolean(&t->json, "pinned", s->pinned);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        pawl_sessions_free(list);
}

/* What an agent tells of its work: arg 3 the step, 4 a summary. */
static pawl_session_work work(const task *t)
{
        return (pawl_session_work){.current_step = t->arg[3], .summary = t->arg[4]};
}

/* arg: 0 mission, 1 actor, 2 take over */
void op_session_start(task *t)
{
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        const pawl_session_work told = work(t);
        char id[PAWL_SESSION_ID_MAX];

        options.actor = t->arg[1];
        options.take_over = natural(t, 2);
        t->status = pawl_session_start(id, log_of(t), t->arg[0], &told, &options, &t->err);
        if (!t->status)
                string(&t->json, NULL, id);
}

/* arg: 0 session, 1 actor */
void op_session_update(task *t)
{
        const pawl_session_work told = work(t);

        t->status = pawl_session_update(log_of(t), t->arg[0], t->arg[1], &told, &t->err);
}

/* arg: 0 session, 1 actor, 2 reason */
void op_session_checkpoint(task *t)
{
        const pawl_session_work told = work(t);
        uint64_t seq;

        t->status = pawl_session_checkpoint(&seq, log_of(t), t->arg[0], t->arg[1],
                t->arg[2] ? t->arg[2] : "manual", &told, &t->err);
        if (!t->status)
                number(&t->json, NULL, (double)seq);
}

/* arg: 0 session, 1 actor, 2 status */
void op_session_end(task *t)
{
        const pawl_session_work told = work(t);

        t->status = pawl_session_end(log_of(t), t->arg[0], t->arg[1],
                t->arg[2] ? t->arg[2] : "completed", NULL, &told, &t->err);
}

/* arg: 0 path */
void op_backup(task *t)
{
        pawl_backup copy;

        t->status = pawl_log_backup(&copy, log_of(t), t->arg[0], NULL, NULL);
        from_log(t);
        if (t->status)
                return;
        open(&t->json, NULL, "{");
        number(&t->json, "events", (double)copy.events);
        number(&t->json, "headSeq", (double)copy.head_seq);
        hex(&t->json, "headHash", copy.head_hash);
        number(&t->json, "bytes", (double)copy.bytes);
        close_(&t->json, "}");
}

void op_handoff(task *t)
{
        char *document;
        size_t len;

        t->status = pawl_session_handoff(&document, &len, log_of(t), t->arg[0], 0, &t->err);
        if (t->status)
                return;
        text(&t->json, NULL, (pawl_text){document, len});
        pawl_free(document);
}

static void write_counts(out *o, const pawl_workspace_capture_counts *c)
{
        open(o, "counts", "{");
        number(o, "files", (double)c->files);
        number(o, "bytes", (double)c->bytes);
        number(o, "captured", (double)c->captured);
        number(o, "unchanged", (double)c->unchanged);
        number(o, "ignored", (double)c->ignored);
        number(o, "tooLarge", (double)c->too_large);
        number(o, "unreadable", (double)c->unreadable);
        number(o, "special", (double)c->special);
        number(o, "changing", (double)c->changing);
        number(o, "repositories", (double)c->repositories);
        number(o, "overBudget", (double)c->over_budget);
        close_(o, "}");
}

/* arg: 0 description, 1 only if changed, 2 root, 3 actor */
void op_checkpoint(task *t)
{
        pawl_workspace_checkpoint_request request = PAWL_CHECKPOINT_REQUEST_INIT;
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_workspace_capture *capture;

        request.description = t->arg[0];
        request.only_if_changed = natural(t, 1);
        options.root = t->arg[2];
        options.actor = t->arg[3];
        t->status = pawl_workspace_checkpoint(&capture, log_of(t), &request, &options, &t->err);
        if (t->status < 0)
                return;
        open(&t->json, NULL, "{");
        write_checkpoint(&t->json, "info", &capture->info);
        boolean(&t->json, "taken", t->status == PAWL_OK);
        write_counts(&t->json, &capture->counts);
        open(&t->json, "missed", "[");
        for (size_t i = 0; i < capture->n_missed; i++) {
                open(&t->json, NULL, "{");
                text(&t->json, "path", capture->missed[i].path);
                string(&t->json, "why", capture->missed[i].why);
                close_(&t->json, "}");
        }
        close_(&t->json, "]");
        close_(&t->json, "}");
        pawl_workspace_capture_free(capture);
        t->status = PAWL_OK;
}

void op_checkpoints(task *t)
{
        pawl_workspace_checkpoints *list;

        t->status = pawl_workspace_checkpoint_list(&list, log_of(t), &t->err);
        if (t->status)
                return;
        open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++)
                write_checkpoint(&t->json, NULL, &list->items[i]);
        close_(&t->json, "]");
        pawl_workspace_checkpoints_free(list);
}

static pawl_status take_patch(const char *data, size_t len, void *user)
{
        put(user, data, len);
        return PAWL_OK;
}

static void write_file(out *o, const pawl_file_change *f)
{
        const char kinds[4] = {f->kind_before, 0, f->kind_after, 0};

        open(o, NULL, "{");
        text(o, "path", f->path);
        text(o, "what", (pawl_text){&f->what, 1});
        string(o, "kindBefore", kinds[0] ? &kinds[0] : NULL);
        string(o, "kindAfter", kinds[2] ? &kinds[2] : NULL);
        number(o, "modeBefore", f->mode_before);
        number(o, "modeAfter", f->mode_after);
        number(o, "sizeBefore", (double)f->size_before);
        number(o, "sizeAfter", (double)f->size_after);
        number(o, "linesAdded", (double)f->lines_added);
        number(o, "linesRemoved", (double)f->lines_removed);
        boolean(o, "binary", f->binary);
        close_(o, "}");
}

static void write_members(out *o, const pawl_comparison *c)
{
        open(o, "members", "[");
        for (size_t i = 0; i < c->n_members; i++) {
                open(o, NULL, "{");
                text(o, "path", c->members[i].path);
                if (c->members[i].before.data)
                        raw(o, "before", c->members[i].before);
                if (c->members[i].after.data)
                        raw(o, "after", c->members[i].after);
                close_(o, "}");
        }
        close_(o, "]");
}

static void write_git(out *o, const pawl_git_between *git)
{
        if (!git) {
                string(o, "git", NULL);
                return;
        }
        open(o, "git", "{");
        string(o, "from", git->from);
        string(o, "to", git->to);
        number(o, "commits", (double)git->commits);
        number(o, "givenUp", (double)git->given_up);
        open(o, "newest", "[");
        for (size_t i = 0; i < git->n_newest; i++) {
                open(o, NULL, "{");
                string(o, "id", git->newest[i].id);
                text(o, "subject", git->newest[i].subject);
                close_(o, "}");
        }
        close_(o, "]");
        number(o, "files", (double)git->files);
        number(o, "linesAdded", (double)git->lines_added);
        number(o, "linesRemoved", (double)git->lines_removed);
        close_(o, "}");
}

/* arg: 0 a, 1 b or the workspace, 2 root, 3 with a patch */
void op_diff(task *t)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_comparison *c;
        out patch = {.failed = false};

        options.root = t->arg[2];
        t->status = pawl_workspace_compare(&c, log_of(t), t->arg[0], t->arg[1], &options,
                natural(t, 3) ? take_patch : NULL, &patch, &t->err);
        if (!t->status) {
                open(&t->json, NULL, "{");
                write_checkpoint(&t->json, "a", c->a);
                if (c->b)
                        write_checkpoint(&t->json, "b", c->b);
                else
                        string(&t->json, "b", NULL);
                open(&t->json, "files", "[");
                for (size_t i = 0; i < c->n_files; i++)
                        write_file(&t->json, &c->files[i]);
                close_(&t->json, "]");
                write_members(&t->json, c);
                write_git(&t->json, c->git);
                if (natural(t, 3))
                        text(&t->json, "patch",
                                (pawl_text){patch.data ? patch.data : "", patch.len});
                close_(&t->json, "}");
                t->json.failed = t->json.failed || patch.failed;
                pawl_comparison_free(c);
        }
        free(patch.data);
}

/* arg: 0 which, 1 pinned, 2 actor */
void op_pin(task *t)
{
        t->status = pawl_workspace_checkpoint_pin(
                log_of(t), t->arg[0], natural(t, 1) != 0, t->arg[2], &t->err);
}

/* arg: 0 which, 1 root, 2 actor; without which: undo */
void op_rollback(task *t)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_rollback_plan *plan;

        options.root = t->arg[1];
        options.actor = t->arg[2];
        t->status = t->arg[0] ? pawl_workspace_rollback(
                                        &plan, log_of(t), t->arg[0], NULL, &options, &t->err)
                              : pawl_workspace_undo(&plan, log_of(t), NULL, &options, &t->err);
        if (t->status)
                return;
        number(&t->json, NULL, (double)pawl_rollback_plan_look(plan).safety);
        pawl_rollback_plan_free(plan);
}

void op_hash(task *t)
{
        char digits[65];

        t->status = pawl_json_hash(digits, t->arg[0], t->len[0], &t->err);
        if (!t->status)
                string(&t->json, NULL, digits);
}

void op_canonical(task *t)
{
        char *canonical;
        size_t len;

        t->status = pawl_json_canonical(&canonical, &len, t->arg[0], t->len[0], &t->err);
        if (t->status)
                return;
        text(&t->json, NULL, (pawl_text){canonical, len});
        pawl_free(canonical);
}

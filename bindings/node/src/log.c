/* A log: its events, its sessions, the checkpoints of its workspace. */
#include "task.h"

static void write_checkpoint(
        json_out *o, const char *member, const pawl_workspace_checkpoint_info *i)
{
        json_open(o, member, "{");
        json_number(o, "n", (double)i->n);
        json_number(o, "seq", (double)i->seq);
        json_text(o, "id", i->id);
        json_text(o, "missionId", i->mission_id);
        json_text(o, "runId", i->run_id);
        json_text(o, "stepId", i->step_id);
        json_text(o, "sessionId", i->session_id);
        json_text(o, "trigger", i->trigger);
        json_text(o, "description", i->description);
        json_text(o, "root", i->root);
        json_text(o, "tree", i->tree);
        json_number(o, "files", (double)i->files);
        json_number(o, "bytes", (double)i->bytes);
        json_number(o, "notCaptured", (double)i->not_captured);
        json_text(o, "stateHash", i->state_hash);
        json_text(o, "outputsHash", i->outputs_hash);
        json_text(o, "gitHead", i->git_head);
        json_text(o, "gitBranch", i->git_branch);
        json_number(o, "createdUs", (double)i->created_us);
        json_number(o, "base", (double)i->base);
        json_boolean(o, "valid", i->valid);
        json_boolean(o, "current", i->current);
        json_boolean(o, "safety", i->safety);
        json_boolean(o, "pinned", i->pinned);
        json_boolean(o, "pruned", i->pruned);
        json_boolean(o, "imported", i->imported);
        json_text(o, "whyInvalid", i->why_invalid);
        json_text(o, "givenUp", i->given_up);
        json_close(o, "}");
}

static void write_event(json_out *o, const pawl_event *e)
{
        json_open(o, NULL, "{");
        json_number(o, "seq", (double)e->seq);
        json_text(o, "type", e->type);
        json_number(o, "v", e->v);
        json_number(o, "timeUs", (double)e->time_us);
        json_text(o, "missionId", e->mission_id);
        json_text(o, "runId", e->run_id);
        json_text(o, "stepId", e->step_id);
        json_text(o, "sessionId", e->session_id);
        json_text(o, "actor", e->actor);
        json_raw(o, "payload", e->payload);
        json_hex(o, "prev", e->prev);
        json_hex(o, "hash", e->hash);
        json_close(o, "}");
}

void op_log_open(task *t)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log;

        options.flags = (unsigned)task_natural(t, 1);
        t->status = pawl_log_open(&log, t->arg[0], &options, &t->err);
        if (!t->status)
                task_make(t, LOG, log);
}

void op_close(task *t)
{
        close_handle(t->on);
}

enum { EVENT_FIELDS = 9, PAGE_BYTES = 8 << 20 };

/* The next field of an event, up to its NUL: absent where it is empty, else behind a "=". */
static pawl_text next_field(const char **at)
{
        const char *from = *at;
        const size_t len = strlen(from);

        *at = from + len + 1;
        return len ? (pawl_text){from + 1, len - 1} : (pawl_text){NULL, 0};
}

static pawl_event next_event(const char **at)
{
        pawl_event event = {.type = next_field(at)};
        const pawl_text v = next_field(at), time_us = next_field(at);

        event.v = v.data ? (int)strtol(v.data, NULL, 10) : 0;
        event.time_us = time_us.data ? strtoll(time_us.data, NULL, 10) : 0;
        event.mission_id = next_field(at);
        event.run_id = next_field(at);
        event.step_id = next_field(at);
        event.session_id = next_field(at);
        event.actor = next_field(at);
        event.payload = next_field(at);
        return event;
}

/* arg: 0 the fields of all events, each with a NUL behind it, 1 fence */
void op_append(task *t)
{
        const char *at = t->arg[0];
        pawl_event *events;
        uint64_t seq;
        size_t fields = 0, n;

        for (size_t i = 0; i < t->len[0]; i++)
                fields += t->arg[0][i] == '\0';
        n = fields / EVENT_FIELDS;
        events = calloc(n + 1, sizeof *events);
        if (!events) {
                t->status = PAWL_ENOMEM;
                return;
        }
        for (size_t i = 0; i < n; i++)
                events[i] = next_event(&at);
        t->status = pawl_log_append(&seq, task_log(t), events, n, task_natural(t, 1));
        task_from_log(t);
        free(events);
        if (!t->status)
                json_number(&t->json, NULL, (double)seq);
}

void op_head(task *t)
{
        unsigned char hash[32];
        uint64_t seq;

        t->status = pawl_log_head(&seq, hash, task_log(t));
        task_from_log(t);
        if (t->status)
                return;
        json_open(&t->json, NULL, "{");
        json_number(&t->json, "seq", (double)seq);
        json_hex(&t->json, "hash", hash);
        json_close(&t->json, "}");
}

/* arg: 0 after, 1 how many at most; none: there are no more */
void op_events(task *t)
{
        const uint64_t most = task_natural(t, 1);
        pawl_cursor *cursor;
        pawl_event event;

        t->status = pawl_cursor_open(&cursor, task_log(t), task_natural(t, 0));
        task_from_log(t);
        if (t->status)
                return;
        json_open(&t->json, NULL, "[");
        for (uint64_t n = 0; n < most && t->json.len < PAGE_BYTES && !t->status; n++) {
                t->status = pawl_cursor_next(cursor, &event);
                task_from_log(t);
                if (!t->status)
                        write_event(&t->json, &event);
        }
        json_close(&t->json, "]");
        pawl_cursor_close(cursor);
        if (t->status == PAWL_DONE)
                t->status = PAWL_OK;
}

void op_verify(task *t)
{
        pawl_verify_result result;

        t->status = pawl_log_verify(&result, task_log(t), 0, NULL);
        task_from_log(t);
        if (t->status)
                return;
        json_open(&t->json, NULL, "{");
        json_number(&t->json, "events", (double)result.events);
        json_boolean(&t->json, "keyed", result.keyed);
        json_close(&t->json, "}");
}

void op_sessions(task *t)
{
        pawl_session_filter filter = PAWL_SESSION_FILTER_INIT;
        pawl_sessions *list;

        filter.mission_id = t->arg[0];
        filter.status = t->arg[1];
        filter.limit = (size_t)task_natural(t, 2);
        t->status = pawl_session_list(&list, task_log(t), &filter, &t->err);
        if (t->status)
                return;
        json_open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++) {
                const pawl_session *s = &list->items[i];
                json_open(&t->json, NULL, "{");
                json_text(&t->json, "sessionId", s->session_id);
                json_text(&t->json, "missionId", s->mission_id);
                json_text(&t->json, "runId", s->run_id);
                json_text(&t->json, "actor", s->actor);
                json_text(&t->json, "status", s->status);
                json_text(&t->json, "reason", s->reason);
                json_text(&t->json, "currentStep", s->current_step);
                json_text(&t->json, "summary", s->summary);
                json_number(&t->json, "startedUs", (double)s->started_us);
                json_number(&t->json, "updatedUs", (double)s->updated_us);
                json_number(&t->json, "endedUs", (double)s->ended_us);
                json_number(&t->json, "stepsCompleted", (double)s->steps_completed);
                json_number(&t->json, "stepsTotal", (double)s->steps_total);
                json_number(&t->json, "checkpoints", (double)s->checkpoints);
                json_number(&t->json, "checkpointSeq", (double)s->checkpoint_seq);
                json_number(&t->json, "seq", (double)s->seq);
                json_boolean(&t->json, "pinned", s->pinned);
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
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
        options.take_over = task_natural(t, 2);
        t->status = pawl_session_start(id, task_log(t), t->arg[0], &told, &options, &t->err);
        if (!t->status)
                json_string(&t->json, NULL, id);
}

/* arg: 0 session, 1 actor */
void op_session_update(task *t)
{
        const pawl_session_work told = work(t);

        t->status = pawl_session_update(task_log(t), t->arg[0], t->arg[1], &told, &t->err);
}

/* arg: 0 session, 1 actor, 2 reason */
void op_session_checkpoint(task *t)
{
        const pawl_session_work told = work(t);
        uint64_t seq;

        t->status = pawl_session_checkpoint(&seq, task_log(t), t->arg[0], t->arg[1],
                t->arg[2] ? t->arg[2] : "manual", &told, &t->err);
        if (!t->status)
                json_number(&t->json, NULL, (double)seq);
}

/* arg: 0 session, 1 actor, 2 status */
void op_session_end(task *t)
{
        const pawl_session_work told = work(t);

        t->status = pawl_session_end(task_log(t), t->arg[0], t->arg[1],
                t->arg[2] ? t->arg[2] : "completed", NULL, &told, &t->err);
}

/* arg: 0 path */
void op_backup(task *t)
{
        pawl_backup copy;

        t->status = pawl_log_backup(&copy, task_log(t), t->arg[0], NULL, NULL);
        task_from_log(t);
        if (t->status)
                return;
        json_open(&t->json, NULL, "{");
        json_number(&t->json, "events", (double)copy.events);
        json_number(&t->json, "headSeq", (double)copy.head_seq);
        json_hex(&t->json, "headHash", copy.head_hash);
        json_number(&t->json, "bytes", (double)copy.bytes);
        json_close(&t->json, "}");
}

void op_handoff(task *t)
{
        char *document;
        size_t len;

        t->status = pawl_session_handoff(&document, &len, task_log(t), t->arg[0], 0, &t->err);
        if (t->status)
                return;
        json_text(&t->json, NULL, (pawl_text){document, len});
        pawl_free(document);
}

static void write_counts(json_out *o, const pawl_workspace_capture_counts *c)
{
        json_open(o, "counts", "{");
        json_number(o, "files", (double)c->files);
        json_number(o, "bytes", (double)c->bytes);
        json_number(o, "captured", (double)c->captured);
        json_number(o, "unchanged", (double)c->unchanged);
        json_number(o, "ignored", (double)c->ignored);
        json_number(o, "tooLarge", (double)c->too_large);
        json_number(o, "unreadable", (double)c->unreadable);
        json_number(o, "special", (double)c->special);
        json_number(o, "changing", (double)c->changing);
        json_number(o, "repositories", (double)c->repositories);
        json_number(o, "overBudget", (double)c->over_budget);
        json_number(o, "reserved", (double)c->reserved);
        json_close(o, "}");
}

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
        write_checkpoint(&t->json, "info", &capture->info);
        json_boolean(&t->json, "taken", t->status == PAWL_OK);
        write_counts(&t->json, &capture->counts);
        json_open(&t->json, "missed", "[");
        for (size_t i = 0; i < capture->n_missed; i++) {
                json_open(&t->json, NULL, "{");
                json_text(&t->json, "path", capture->missed[i].path);
                json_string(&t->json, "why", capture->missed[i].why);
                json_close(&t->json, "}");
        }
        json_close(&t->json, "]");
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
        json_open(&t->json, NULL, "[");
        for (size_t i = 0; i < list->n; i++)
                write_checkpoint(&t->json, NULL, &list->items[i]);
        json_close(&t->json, "]");
        pawl_workspace_checkpoints_free(list);
}

static pawl_status take_patch(const char *data, size_t len, void *user)
{
        json_put(user, data, len);
        return PAWL_OK;
}

static void write_file(json_out *o, const pawl_file_change *f)
{
        const char kinds[4] = {f->kind_before, 0, f->kind_after, 0};

        json_open(o, NULL, "{");
        json_text(o, "path", f->path);
        json_text(o, "what", (pawl_text){&f->what, 1});
        json_string(o, "kindBefore", kinds[0] ? &kinds[0] : NULL);
        json_string(o, "kindAfter", kinds[2] ? &kinds[2] : NULL);
        json_number(o, "modeBefore", f->mode_before);
        json_number(o, "modeAfter", f->mode_after);
        json_number(o, "sizeBefore", (double)f->size_before);
        json_number(o, "sizeAfter", (double)f->size_after);
        json_number(o, "linesAdded", (double)f->lines_added);
        json_number(o, "linesRemoved", (double)f->lines_removed);
        json_boolean(o, "binary", f->binary);
        json_close(o, "}");
}

static void write_members(json_out *o, const pawl_comparison *c)
{
        json_open(o, "members", "[");
        for (size_t i = 0; i < c->n_members; i++) {
                json_open(o, NULL, "{");
                json_text(o, "path", c->members[i].path);
                if (c->members[i].before.data)
                        json_raw(o, "before", c->members[i].before);
                if (c->members[i].after.data)
                        json_raw(o, "after", c->members[i].after);
                json_close(o, "}");
        }
        json_close(o, "]");
}

static void write_git(json_out *o, const pawl_git_between *git)
{
        if (!git) {
                json_string(o, "git", NULL);
                return;
        }
        json_open(o, "git", "{");
        json_string(o, "from", git->from);
        json_string(o, "to", git->to);
        json_number(o, "commits", (double)git->commits);
        json_number(o, "givenUp", (double)git->given_up);
        json_open(o, "newest", "[");
        for (size_t i = 0; i < git->n_newest; i++) {
                json_open(o, NULL, "{");
                json_string(o, "id", git->newest[i].id);
                json_text(o, "subject", git->newest[i].subject);
                json_close(o, "}");
        }
        json_close(o, "]");
        json_number(o, "files", (double)git->files);
        json_number(o, "linesAdded", (double)git->lines_added);
        json_number(o, "linesRemoved", (double)git->lines_removed);
        json_close(o, "}");
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
                write_checkpoint(&t->json, "a", c->a);
                if (c->b)
                        write_checkpoint(&t->json, "b", c->b);
                else
                        json_string(&t->json, "b", NULL);
                json_open(&t->json, "files", "[");
                for (size_t i = 0; i < c->n_files; i++)
                        write_file(&t->json, &c->files[i]);
                json_close(&t->json, "]");
                write_members(&t->json, c);
                write_git(&t->json, c->git);
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

/* arg: 0 which, 1 root, 2 actor; without which: undo */
void op_rollback(task *t)
{
        pawl_workspace_options options = PAWL_WORKSPACE_OPTIONS_INIT;
        pawl_rollback_plan *plan;

        options.root = t->arg[1];
        options.actor = t->arg[2];
        t->status = t->arg[0] ? pawl_workspace_rollback(
                                        &plan, task_log(t), t->arg[0], NULL, &options, &t->err)
                              : pawl_workspace_undo(&plan, task_log(t), NULL, &options, &t->err);
        if (t->status)
                return;
        json_number(&t->json, NULL, (double)pawl_rollback_plan_look(plan).safety);
        pawl_rollback_plan_free(plan);
}

void op_hash(task *t)
{
        char digits[65];

        t->status = pawl_json_hash(digits, t->arg[0], t->len[0], &t->err);
        if (!t->status)
                json_string(&t->json, NULL, digits);
}

void op_canonical(task *t)
{
        char *canonical;
        size_t len;

        t->status = pawl_json_canonical(&canonical, &len, t->arg[0], t->len[0], &t->err);
        if (t->status)
                return;
        json_text(&t->json, NULL, (pawl_text){canonical, len});
        pawl_free(canonical);
}

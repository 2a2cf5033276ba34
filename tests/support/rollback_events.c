#include "support/rollback_events.h"

pawl__row history_row_of(struct history *h, pawl__table table, int64_t key)
{
        pawl__row row = {.v[0].integer = key};
        pawl_status status = pawl__state_get(h->state, table, &row, &h->arena, &h->err);

        if (status)
                fail_msg("%s %d: %s", pawl__tables[table].name, (int)key, pawl_status_name(status));
        return row;
}

void history_check(struct history *h)
{
        if (pawl__replay_check(h->log, &h->err))
                fail_msg("%s", h->err.message);
}

void history_take(struct history *h, int n, const char *more)
{
        history_append(h, "WorkspaceCheckpointed", CHECKPOINTED, n, n, more);
}

int history_roll_back(struct history *h, int target, int n, const char *undo)
{
        history_add(h, "WorkspaceCheckpointed", CHECKPOINTED, n, n, ",\"safety\":true");
        history_add(h, "WorkspaceRollbackStarted", STARTED, target, n, undo, "");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        return (int)history_head(h);
}

void history_rolled_back(struct history *h, int seq, const char *outcome, const char *invalidated,
        const char *revalidated, const char *steps)
{
        history_append(
                h, "WorkspaceRolledBack", ENDED, seq, outcome, invalidated, revalidated, steps);
}

void history_run_all(struct history *h)
{
        history_start(h, "[\"one\",\"two\",\"three\"]");
        check_ok(h, history_claim(h), __FILE__, __LINE__);
        static const char *const steps[] = {"one", "two", "three"};
        for (int i = 0; i < 3; i++) {
                h->step = steps[i];
                history_step_started(h);
                history_evaluated(h);
                history_checkpointed(h, "post_gate", i == 2 ? TOKEN(3) : i ? TOKEN(2) : TOKEN(1));
                history_completed(h);
                check_ok(h, history_commit(h), __FILE__, __LINE__);
                history_take(h, i + 1, "");
        }
        h->step = NULL;
        history_append(h, "RunCompleted", "{}");
}

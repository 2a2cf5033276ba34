#include "state/apply.h"
#include "base/error.h"
#include "state/rules.h"

/* The ids that an envelope must have for its event to mean something. */
enum { MISSION = 1, RUN = 2, STEP = 4, SESSION = 8 };

/* The types that change what is; the others are only checked. */
static const struct {
        pawl__apply_fn *apply;
        unsigned ids;
        bool prunable; /* without its payload it still says that it happened */
} types[PAWL__EVENT_TYPES] = {
        [PAWL__RUN_STARTED] = {pawl__apply_run_started, MISSION | RUN, false},
        [PAWL__RUN_SUBMITTED] = {pawl__apply_run_submitted, MISSION | RUN, false},
        [PAWL__RUN_CLAIMED] = {pawl__apply_run_claimed, MISSION | RUN, false},
        [PAWL__RUN_CANCELLED] = {pawl__apply_run_cancelled, RUN, false},
        [PAWL__RUN_NOTIFIED] = {pawl__apply_run_notified, RUN, false},
        [PAWL__RUN_COMPLETED] = {pawl__apply_run_completed, RUN, false},
        [PAWL__RUN_FAILED] = {pawl__apply_run_failed, RUN, false},
        [PAWL__RUN_MISSION_CHANGED] = {pawl__apply_run_mission_changed, RUN, false},
        [PAWL__STEP_STARTED] = {pawl__apply_step_started, RUN | STEP, false},
        [PAWL__STEP_COMPLETED] = {pawl__apply_step_completed, RUN | STEP, false},
        [PAWL__STEP_FAILED] = {pawl__apply_step_failed, RUN | STEP, false},
        [PAWL__STEP_ATTEMPT_FAILED] = {pawl__apply_step_attempt_failed, RUN | STEP, true},
        [PAWL__SCOPE_ACTIVATED] = {pawl__apply_scope_activated, 0, false},
        [PAWL__CHECK_EVALUATED] = {pawl__apply_check_evaluated, RUN | STEP, false},
        [PAWL__STEP_CHECKPOINTED] = {pawl__apply_step_checkpointed, RUN | STEP, false},
        [PAWL__GENERATION_BLOCKED] = {pawl__apply_generation_blocked, RUN | STEP, false},
        [PAWL__CLARIFICATION_REQUESTED] = {pawl__apply_clarification_requested,
                MISSION | RUN | STEP, false},
        [PAWL__CLARIFICATION_RESOLVED] = {pawl__apply_clarification_resolved, 0, false},
        [PAWL__SENSE_UPDATED] = {pawl__apply_sense_updated, 0, false},
        [PAWL__STEP_RESUMED] = {pawl__apply_step_resumed, RUN | STEP, false},
        [PAWL__SESSION_STARTED] = {pawl__apply_session_started, SESSION, true},
        [PAWL__SESSION_UPDATED] = {pawl__apply_session_updated, SESSION, true},
        [PAWL__SESSION_CHECKPOINTED] = {pawl__apply_session_checkpointed, SESSION, true},
        [PAWL__SESSION_NOTED] = {pawl__apply_session_noted, SESSION, true},
        [PAWL__PRUNED] = {pawl__apply_pruned, 0, false},
        [PAWL__SESSION_ENDED] = {pawl__apply_session_ended, SESSION, true},
        [PAWL__WORKSPACE_CHECKPOINTED] = {pawl__apply_workspace_checkpointed, 0, false},
        [PAWL__TOOL_CALL_CHECKPOINTED] = {pawl__apply_tool_call_checkpointed, 0, false},
        [PAWL__ROLLBACK_STARTED] = {pawl__apply_rollback_started, 0, false},
        [PAWL__ROLLED_BACK] = {pawl__apply_rolled_back, 0, false},
        [PAWL__CHECKPOINT_INVALIDATED] = {pawl__apply_checkpoint_invalidated, 0, false},
        [PAWL__CHECKPOINT_UPDATED] = {pawl__apply_checkpoint_updated, 0, false},
        [PAWL__THREAD_CHECKPOINTED] = {pawl__apply_thread_checkpointed, MISSION | RUN | STEP, true},
        [PAWL__THREAD_WRITES_PUT] = {pawl__apply_thread_writes_put, MISSION | RUN | STEP, true},
};

bool pawl__applies(pawl__event_type type)
{
        return type != PAWL__EVENT_OTHER && types[type].apply;
}

static pawl_status check_ids(const pawl__apply_ctx *a, unsigned ids)
{
        const pawl_event *event = a->event;
        const unsigned there = (event->mission_id.data ? MISSION : 0) |
                               (event->run_id.data ? RUN : 0) | (event->step_id.data ? STEP : 0) |
                               (event->session_id.data ? SESSION : 0);
        static const struct {
                unsigned bit;
                const char *name;
        } all[] = {
                {MISSION, "mission_id"},
                {RUN, "run_id"},
                {STEP, "step_id"},
                {SESSION, "session_id"},
        };

        for (size_t i = 0; i < sizeof all / sizeof all[0] && ids & ~there; i++)
                if (ids & ~there & all[i].bit)
                        return pawl__apply_refuse(a, PAWL_EINVAL, all[i].name,
                                "is missing; an event of this type needs it in its envelope");
        return PAWL_OK;
}

/* Readers of a run look at the events in its range alone, so each of them counts, also one that
 * changes nothing else. */
static pawl_status reach(const pawl__apply_ctx *a)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = a->event->run_id};

        if (*a->run_put || !a->event->run_id.data)
                return PAWL_OK;
        const pawl_status status = a->store->get(a->store, PAWL__RUNS, &run, a->err);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status ? status : pawl__apply_reach(a, &run);
}

static pawl_status apply_as(pawl__event_type type, pawl__apply_ctx *a, bool judges)
{
        pawl_status status = check_ids(a, types[type].ids);

        if (!status && judges)
                status = pawl__rules_check(a, type);
        return status || !types[type].apply ? status : types[type].apply(a);
}

static pawl_status apply_tree(pawl__event_type type, pawl__applier *applier,
        const pawl_event *event, const pawl__json_tree *payload, bool in_log, pawl_error *err)
{
        bool run_put = false;
        pawl__apply_ctx a;

        memset(&a, 0, offsetof(pawl__apply_ctx, run)); /* the rows are large */
        a.store = applier->store;
        a.arena = &applier->arena;
        a.tree = payload;
        a.event = event;
        a.err = err;
        a.log = applier->log;
        a.in_log = in_log;
        a.past_rules = in_log ? applier->past_rules : NULL;
        a.past = &applier->past;
        a.run_put = &run_put;

        pawl__arena_clear(&applier->arena);
        /* Without a payload: of a type that is not known, or one that was pruned and changed
         * nothing. */
        const pawl_status status = payload ? apply_as(type, &a, applier->judges) : PAWL_OK;
        return status ? status : reach(&a);
}

pawl_status pawl__apply(pawl__applier *applier, const pawl_event *event, pawl_error *err)
{
        const pawl__apply_ctx a = {.event = event, .err = err};
        pawl__event_type type = pawl__event_type_of(event->type);
        pawl_error why;

        if (type == PAWL__EVENT_OTHER || (!event->payload.data && !types[type].apply))
                return apply_tree(type, applier, event, NULL, true, err);
        if (!event->payload.data) {
                if (!types[type].prunable)
                        return pawl__apply_refuse(&a, PAWL_EINVAL, "payload",
                                "was pruned, but says what is; restore the log from a copy");
                pawl_status status = pawl__json_tree_read(&applier->tree, "{}", 2, err);
                return status ? status
                              : apply_tree(type, applier, event, &applier->tree, true, err);
        }
        pawl_status status = pawl__json_tree_read_canonical(
                &applier->canonical, &applier->tree, event->payload.data, event->payload.len, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (status)
                return pawl__apply_refuse(&a, PAWL_EINVAL, "payload", why.message);
        status = pawl__event_check(event, type, &applier->tree, err);
        return status ? status : apply_tree(type, applier, event, &applier->tree, true, err);
}

pawl_status pawl__apply_checked(pawl__applier *applier, const pawl_event *event,
        pawl__event_type type, const pawl__json_tree *payload, pawl_error *err)
{
        return apply_tree(
                type, applier, event, type == PAWL__EVENT_OTHER ? NULL : payload, false, err);
}

void pawl__applier_free(pawl__applier *applier)
{
        pawl__json_tree_free(&applier->tree);
        pawl__arena_free(&applier->arena);
        if (applier->past)
                applier->past_rules->free(applier->past);
}

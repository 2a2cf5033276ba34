#include "state/apply.h"
#include "base/error.h"
#include "state/apply_ctx.h"
#include <inttypes.h>

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

static pawl_status refuse(const pawl_event *event, pawl_status status, const char *field,
        const char *what, pawl_error *err)
{
        return pawl__fail(err, status, "seq %" PRIu64 " (%.*s): %s: %s", event->seq,
                PAWL__FMT(event->type), field, what);
}

pawl_status pawl__apply_refuse(
        const pawl__apply_ctx *a, pawl_status status, const char *field, const char *what)
{
        return refuse(a->event, status, field, what, a->err);
}

static pawl_status check_ids(const pawl_event *event, unsigned ids, pawl_error *err)
{
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
                        return refuse(event, PAWL_EINVAL, all[i].name,
                                "is missing; an event of this type needs it in its envelope", err);
        return PAWL_OK;
}

static pawl_status apply_as(pawl__event_type type, pawl__applier *applier, const pawl_event *event,
        const pawl__json_tree *payload, pawl_error *err)
{
        pawl_status status = check_ids(event, types[type].ids, err);

        if (status || !types[type].apply)
                return status;
        pawl__arena_clear(&applier->arena);
        pawl__apply_ctx a = {applier->store, &applier->arena, payload, event, err};
        return types[type].apply(&a);
}

pawl_status pawl__apply(pawl__applier *applier, const pawl_event *event, pawl_error *err)
{
        pawl__event_type type = pawl__event_type_of(event->type);
        pawl_error why;

        if (type == PAWL__EVENT_OTHER)
                return PAWL_OK;
        if (!event->payload.data) {
                if (!types[type].apply)
                        return PAWL_OK;
                if (types[type].prunable) {
                        pawl_status status = pawl__json_tree_read(&applier->tree, "{}", 2, err);
                        return status ? status
                                      : apply_as(type, applier, event, &applier->tree, err);
                }
                return refuse(event, PAWL_EINVAL, "payload",
                        "was pruned, but says what is; restore the log from a copy", err);
        }
        pawl_status status =
                pawl__json_tree_read(&applier->tree, event->payload.data, event->payload.len, &why);
        if (status == PAWL_ENOMEM)
                return pawl__nomem(err);
        if (status)
                return refuse(event, PAWL_EINVAL, "payload", why.message, err);
        status = pawl__event_check(event, type, &applier->tree, err);
        return status ? status : apply_as(type, applier, event, &applier->tree, err);
}

pawl_status pawl__apply_checked(pawl__applier *applier, const pawl_event *event,
        const pawl__json_tree *payload, pawl_error *err)
{
        pawl__event_type type = pawl__event_type_of(event->type);

        return type == PAWL__EVENT_OTHER ? PAWL_OK : apply_as(type, applier, event, payload, err);
}

/* ---- Members --------------------------------------------------------------------------------- */

/* "PATH.NAME" in a message; both are ours and short. */
static pawl_status refuse_member(
        const pawl__apply_ctx *a, const char *path, const char *name, const char *what)
{
        return pawl__fail(a->err, PAWL_EINVAL, "seq %" PRIu64 " (%.*s): %s.%s: %s", a->event->seq,
                PAWL__FMT(a->event->type), path, name, what);
}

pawl_status pawl__apply_text(pawl_text *out, const pawl__apply_ctx *a, pawl__node object,
        const char *path, const char *name)
{
        pawl_text text = pawl__json_get_text(a->tree, object, name);

        if (!text.data)
                return refuse_member(
                        a, path, name, "is missing or no text; its writer must give a text");
        *out = text;
        return PAWL_OK;
}

pawl_status pawl__apply_confidence(
        double *out, const pawl__apply_ctx *a, pawl__node object, const char *path)
{
        pawl__node node = pawl__json_get(a->tree, object, "confidence");

        if (node != PAWL__NO_NODE && pawl__json_at(a->tree, node)->type == PAWL__JSON_NUMBER) {
                double value = pawl__json_double(pawl__json_at(a->tree, node));
                if (value >= 0 && value <= 1) {
                        *out = value;
                        return PAWL_OK;
                }
        }
        return refuse_member(a, path, "confidence",
                "is missing or no number from 0 to 1; its writer must give one");
}

pawl_status pawl__apply_integer(int64_t *out, const pawl__apply_ctx *a, pawl__node object,
        const char *path, const char *name)
{
        pawl__node node = pawl__json_get(a->tree, object, name);

        if (node != PAWL__NO_NODE && pawl__json_at(a->tree, node)->type == PAWL__JSON_NUMBER &&
                pawl__json_int(pawl__json_at(a->tree, node), out))
                return PAWL_OK;
        return refuse_member(
                a, path, name, "is missing or no integer; its writer must give an integer");
}

/* ---- The event's run and step ---------------------------------------------------------------- */

pawl_status pawl__apply_run(pawl__row *run, const pawl__apply_ctx *a)
{
        run->v[PAWL__RUN_ID].text = a->event->run_id;
        pawl_status status = a->store->get(a->store, PAWL__RUNS, run, a->err);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(a->err, PAWL_ESTATE,
                        "seq %" PRIu64 " (%.*s): there is no run %.*s; claim and start it first",
                        a->event->seq, PAWL__FMT(a->event->type), PAWL__FMT(a->event->run_id));
        return status;
}

pawl_status pawl__apply_step(pawl__row *step, const pawl__apply_ctx *a)
{
        step->v[PAWL__STEP_RUN].text = a->event->run_id;
        step->v[PAWL__STEP_ID].text = a->event->step_id;
        pawl_status status = a->store->get(a->store, PAWL__STEPS, step, a->err);

        if (status == PAWL_ENOTFOUND)
                return pawl__fail(a->err, PAWL_ESTATE,
                        "seq %" PRIu64 " (%.*s): run %.*s has no step %.*s; append StepStarted "
                        "first",
                        a->event->seq, PAWL__FMT(a->event->type), PAWL__FMT(a->event->run_id),
                        PAWL__FMT(a->event->step_id));
        return status;
}

pawl_status pawl__apply_put_run(const pawl__apply_ctx *a, pawl__row *run, const char *status)
{
        if (status)
                run->v[PAWL__RUN_STATUS].text = pawl__text(status);
        run->v[PAWL__RUN_UPDATED_SEQ].integer = (int64_t)a->event->seq;
        run->v[PAWL__RUN_UPDATED_US].integer = a->event->time_us;
        return pawl__apply_put(a, PAWL__RUNS, run);
}

/* The event types and the fields their payloads must have: docs/reference/event-log.md as a table.
 */
#include "events/types.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/sources.h"

#define FIELD(name, kind)                                                                          \
        {                                                                                          \
                name, PAWL__FIELD_##kind, sizeof(name) - 1                                         \
        }
#define TEXT(name)         FIELD(name, TEXT)
#define INTEGER(name)      FIELD(name, INTEGER)
#define NUMBER(name)       FIELD(name, NUMBER)
#define BOOL(name)         FIELD(name, BOOL)
#define HASH(name)         FIELD(name, HASH)
#define UUID(name)         FIELD(name, UUID)
#define OBJECT(name)       FIELD(name, OBJECT)
#define MAYBE_OBJECT(name) FIELD(name, MAYBE_OBJECT)
#define ARRAY(name)        FIELD(name, ARRAY)
#define NAME(name)         name, sizeof(name) - 1

/* name and its length, v, needs_fence, max_len, required */
static const pawl__event_def forms[PAWL__EVENT_TYPES] = {
        [PAWL__RUN_STARTED] = {NAME("RunStarted"), 1, true, 0,
                {ARRAY("steps"), ARRAY("scope_refs")}},
        [PAWL__RUN_SUBMITTED] = {NAME("RunSubmitted"), 1, false, 0,
                {ARRAY("steps"), ARRAY("scope_refs"), TEXT("mission_path"), HASH("mission_file"),
                        INTEGER("checkpoint")}},
        [PAWL__RUN_CLAIMED] = {NAME("RunClaimed"), 1, true, 0, {INTEGER("fence"), OBJECT("owner")}},
        [PAWL__RUN_COMPLETED] = {NAME("RunCompleted"), 1, true, 0, {{NULL, 0, 0}}},
        [PAWL__RUN_FAILED] = {NAME("RunFailed"), 1, true, 0, {TEXT("reason")}},
        [PAWL__RUN_CANCELLED] = {NAME("RunCancelled"), 1, true, 0, {TEXT("reason")}},
        [PAWL__RUN_NOTIFIED] = {NAME("RunNotified"), 1, false, 0, {INTEGER("seq")}},
        [PAWL__RUN_MISSION_CHANGED] = {NAME("RunMissionChanged"), 1, true, 0,
                {ARRAY("steps"), ARRAY("changes"), ARRAY("rerun")}},
        [PAWL__STEP_STARTED] = {NAME("StepStarted"), 1, true, 0, {HASH("input_hash")}},
        [PAWL__STEP_COMPLETED] = {NAME("StepCompleted"), 1, true, 0,
                {HASH("input_hash"), HASH("output_hash")}},
        [PAWL__STEP_FAILED] = {NAME("StepFailed"), 1, true, 0,
                {TEXT("reason"), INTEGER("exit_code")}},
        [PAWL__STEP_ATTEMPT_FAILED] = {NAME("StepAttemptFailed"), 1, true, 0,
                {INTEGER("attempt"), INTEGER("exit_code"), TEXT("reason")}},
        [PAWL__SCOPE_ACTIVATED] = {NAME("GlossaryScopeActivated"), 1, false, 0,
                {TEXT("scope_id"), TEXT("glossary_version_id")}},
        [PAWL__TERM_OBSERVED] = {NAME("TermCandidateObserved"), 1, true, 0,
                {TEXT("term"), TEXT("source_step"), TEXT("actor_id"), NUMBER("confidence"),
                        TEXT("extraction_method"), TEXT("context")}},
        [PAWL__CHECK_EVALUATED] = {NAME("SemanticCheckEvaluated"), 1, true, 0,
                {ARRAY("findings"), TEXT("overall_severity"), NUMBER("confidence"),
                        TEXT("effective_strictness"), TEXT("recommended_action"), BOOL("blocked")}},
        [PAWL__STEP_CHECKPOINTED] = {NAME("StepCheckpointed"), 1, true, 1024,
                {TEXT("strictness"), ARRAY("scope_refs"), HASH("input_hash"),
                        TEXT("input_hash_alg"), TEXT("cursor"), UUID("retry_token")}},
        [PAWL__GENERATION_BLOCKED] = {NAME("GenerationBlockedBySemanticConflict"), 1, true, 0,
                {ARRAY("conflicts"), TEXT("strictness_mode"), TEXT("effective_strictness")}},
        [PAWL__CLARIFICATION_REQUESTED] = {NAME("GlossaryClarificationRequested"), 1, true, 0,
                {TEXT("conflict_id"), TEXT("question"), TEXT("term"), ARRAY("options"),
                        TEXT("urgency"), UUID("retry_token"), HASH("input_hash")}},
        [PAWL__CLARIFICATION_RESOLVED] = {NAME("GlossaryClarificationResolved"), 1, false, 0,
                {TEXT("conflict_id"), TEXT("term_surface"), MAYBE_OBJECT("selected_sense"),
                        OBJECT("actor"), TEXT("resolution_mode"), OBJECT("provenance")}},
        [PAWL__SENSE_UPDATED] = {NAME("GlossarySenseUpdated"), 1, false, 0,
                {TEXT("term_surface"), TEXT("scope"), OBJECT("new_sense"), OBJECT("actor"),
                        TEXT("update_type"), OBJECT("provenance")}},
        [PAWL__STEP_RESUMED] = {NAME("StepResumed"), 1, true, 0,
                {UUID("retry_token"), TEXT("cursor"), BOOL("inputs_changed")}},
        [PAWL__RESUME_ABORTED] = {NAME("StepResumeAborted"), 1, true, 0,
                {UUID("retry_token"), TEXT("cursor"), BOOL("inputs_changed")}},
        [PAWL__SESSION_STARTED] = {NAME("SessionStarted"), 1, false, 0, {{NULL, 0, 0}}},
        [PAWL__SESSION_UPDATED] = {NAME("SessionUpdated"), 1, false, 0, {{NULL, 0, 0}}},
        [PAWL__SESSION_CHECKPOINTED] = {NAME("SessionCheckpointed"), 1, false, 0, {TEXT("reason")}},
        [PAWL__SESSION_NOTED] = {NAME("SessionNoted"), 1, false, 0, {ARRAY("notes")}},
        [PAWL__SESSION_ENDED] = {NAME("SessionEnded"), 1, false, 0, {TEXT("status")}},
        [PAWL__PRUNED] = {NAME("Pruned"), 1, false, 0, {TEXT("kind"), ARRAY("pruned")}},
        [PAWL__WORKSPACE_CHECKPOINTED] = {NAME("WorkspaceCheckpointed"), 1, false, 0,
                {INTEGER("n"), TEXT("id"), TEXT("trigger"), TEXT("root"), HASH("tree"),
                        INTEGER("files"), INTEGER("bytes"), INTEGER("skipped")}},
        [PAWL__TOOL_CALL_CHECKPOINTED] = {NAME("ToolCallCheckpointed"), 1, false, 0,
                {TEXT("call_id"), TEXT("tool"), TEXT("name"), HASH("document"),
                        INTEGER("checkpoint"), TEXT("checkpoint_id")}},
        [PAWL__ROLLBACK_STARTED] = {NAME("WorkspaceRollbackStarted"), 1, false, 0,
                {INTEGER("target"), INTEGER("safety"), HASH("tree"), HASH("plan_hash"),
                        BOOL("undo")}},
        /* Of a run, it makes steps pending again: that is its owner's to do. */
        [PAWL__ROLLED_BACK] = {NAME("WorkspaceRolledBack"), 1, true, 0,
                {INTEGER("started_seq"), TEXT("outcome"), ARRAY("invalidated"),
                        ARRAY("revalidated"), ARRAY("steps")}},
        [PAWL__CHECKPOINT_INVALIDATED] = {NAME("CheckpointInvalidated"), 1, false, 0,
                {INTEGER("n"), TEXT("reason")}},
        [PAWL__CHECKPOINT_UPDATED] = {NAME("CheckpointUpdated"), 1, false, 0, {INTEGER("n")}},
        [PAWL__WORKSPACE_CHECKPOINT_FAILED] = {NAME("WorkspaceCheckpointFailed"), 1, true, 0,
                {TEXT("reason"), TEXT("trigger")}},
        [PAWL__THREAD_CHECKPOINTED] = {NAME("ThreadCheckpointed"), 1, false, 0,
                {ARRAY("channels"), TEXT("checkpoint"), TEXT("metadata")}},
        [PAWL__THREAD_WRITES_PUT] = {NAME("ThreadWritesPut"), 1, false, 0,
                {TEXT("task_id"), ARRAY("writes")}},
};

static const char *const kind_name[] = {
        [PAWL__FIELD_TEXT] = "text",
        [PAWL__FIELD_INTEGER] = "an integer",
        [PAWL__FIELD_NUMBER] = "a number",
        [PAWL__FIELD_BOOL] = "true or false",
        [PAWL__FIELD_HASH] = "a hash of 64 lower-case hex digits",
        [PAWL__FIELD_UUID] = "a UUID in lower case",
        [PAWL__FIELD_OBJECT] = "an object",
        [PAWL__FIELD_MAYBE_OBJECT] = "an object or null",
        [PAWL__FIELD_ARRAY] = "an array",
};

const pawl__event_def *pawl__event_def_of(pawl__event_type type)
{
        return &forms[type];
}

pawl__event_type pawl__event_type_of(pawl_text name)
{
        for (int i = 0; i < PAWL__EVENT_TYPES; i++)
                if (name.len == forms[i].len &&
                        pawl__same_bytes(name.data, forms[i].name, name.len))
                        return (pawl__event_type)i;
        return PAWL__EVENT_OTHER;
}

static bool is_of_kind(const pawl__json_node *node, pawl__field_kind kind)
{
        unsigned char hash[32];
        int64_t integer;

        switch (kind) {
        case PAWL__FIELD_TEXT:
                return node->type == PAWL__JSON_STRING;
        case PAWL__FIELD_INTEGER:
                return node->type == PAWL__JSON_NUMBER && pawl__json_int(node, &integer);
        case PAWL__FIELD_NUMBER:
                return node->type == PAWL__JSON_NUMBER;
        case PAWL__FIELD_BOOL:
                return node->type == PAWL__JSON_TRUE || node->type == PAWL__JSON_FALSE;
        case PAWL__FIELD_HASH:
                return node->type == PAWL__JSON_STRING && pawl__unhex32(hash, node->value);
        case PAWL__FIELD_UUID:
                return node->type == PAWL__JSON_STRING && pawl__uuid_valid(node->value);
        case PAWL__FIELD_OBJECT:
                return node->type == PAWL__JSON_OBJECT;
        case PAWL__FIELD_MAYBE_OBJECT:
                return node->type == PAWL__JSON_OBJECT || node->type == PAWL__JSON_NULL;
        case PAWL__FIELD_ARRAY:
                return node->type == PAWL__JSON_ARRAY;
        }
        return false;
}

/* "seq 7 (StepCheckpointed): ", or without the seq where there is none yet. */
static pawl_status refuse(const pawl_event *event, pawl_status status, pawl_error *err)
{
        if (event->seq)
                return pawl__fail_prefix(err, status, "seq %llu (%.*s)",
                        (unsigned long long)event->seq, PAWL__FMT(event->type));
        return pawl__fail_prefix(err, status, "%.*s", PAWL__FMT(event->type));
}

static pawl_status check(const pawl_event *event, const pawl__event_def *form,
        const pawl__json_tree *payload, pawl_error *err)
{
        const size_t most = sizeof form->required / sizeof form->required[0];

        if (event->v > form->v)
                return pawl__fail(err, PAWL_ENEWER,
                        "its payload has version %d, and this program knows %d; use a newer pawl",
                        event->v, form->v);
        if (event->v < 1)
                return pawl__fail(err, PAWL_EINVAL, "v: is %d; versions count from 1", event->v);
        if (form->max_len && payload->len > form->max_len)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "payload: has %zu bytes; at most %zu are allowed: shorten the ids",
                        payload->len, form->max_len);
        if (pawl__json_at(payload, 0)->type != PAWL__JSON_OBJECT)
                return pawl__fail(err, PAWL_EINVAL, "payload: is no JSON object; write one");
        for (size_t i = 0; i < most && form->required[i].name; i++) {
                const pawl__event_field *field = &form->required[i];
                const pawl__node node =
                        pawl__json_get_n(payload, 0, pawl__text_n(field->name, field->len));

                if (node == PAWL__NO_NODE)
                        return pawl__fail(err, PAWL_EINVAL, "payload.%s: is missing; it must be %s",
                                field->name, kind_name[field->kind]);
                if (!is_of_kind(pawl__json_at(payload, node), field->kind))
                        return pawl__fail(err, PAWL_EINVAL, "payload.%s: is not %s; write it so",
                                field->name, kind_name[field->kind]);
        }
        return PAWL_OK;
}

pawl_status pawl__event_check(const pawl_event *event, pawl__event_type type,
        const pawl__json_tree *payload, pawl_error *err)
{
        if (type == PAWL__EVENT_OTHER)
                return PAWL_OK;
        pawl_status status = check(event, &forms[type], payload, err);
        return status ? refuse(event, status, err) : PAWL_OK;
}

/* The event types and the fields their payloads must have: docs/reference/event-log.md as a table.
 */
#include "events/types.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/sources.h"

#define FIELD(name, kind)                                                                          \
        {                                                                                          \
                name, PAWL__FIELD_##kind, sizeof(name) - 1, NULL, 0                                \
        }
#define CHOICE(name, choices)                                                                      \
        {                                                                                          \
                name, PAWL__FIELD_CHOICE, sizeof(name) - 1, choices, sizeof(choices) - 1           \
        }
#define TEXT(name)         FIELD(name, TEXT)
#define INTEGER(name)      FIELD(name, INTEGER)
#define COUNT(name)        FIELD(name, COUNT)
#define NUMBER(name)       FIELD(name, NUMBER)
#define BOOL(name)         FIELD(name, BOOL)
#define HASH(name)         FIELD(name, HASH)
#define UUID(name)         FIELD(name, UUID)
#define OBJECT(name)       FIELD(name, OBJECT)
#define MAYBE_OBJECT(name) FIELD(name, MAYBE_OBJECT)
#define ARRAY(name)        FIELD(name, ARRAY)
#define REFS               FIELD("scope_refs", REFS)
#define CURSOR                                                                                     \
        CHOICE("cursor", "pre_generation_gate, post_clarification, post_gate, post_generation")
#define STRICTNESS(name) CHOICE(name, "off, medium, max")
#define NAME(name)       name, sizeof(name) - 1

/* name and its length, v, needs_fence, max_len, required */
static const pawl__event_def forms[PAWL__EVENT_TYPES] = {
        [PAWL__RUN_STARTED] = {NAME("RunStarted"), 2, true, 0, {ARRAY("steps"), REFS}},
        [PAWL__RUN_SUBMITTED] = {NAME("RunSubmitted"), 2, false, 0,
                {ARRAY("steps"), REFS, TEXT("mission_path"), HASH("mission_file"),
                        COUNT("checkpoint")}},
        [PAWL__RUN_CLAIMED] = {NAME("RunClaimed"), 2, true, 0, {COUNT("fence"), OBJECT("owner")}},
        [PAWL__RUN_COMPLETED] = {NAME("RunCompleted"), 2, true, 0, {{NULL, 0, 0, NULL, 0}}},
        [PAWL__RUN_FAILED] = {NAME("RunFailed"), 2, true, 0, {TEXT("reason")}},
        [PAWL__RUN_CANCELLED] = {NAME("RunCancelled"), 2, true, 0, {TEXT("reason")}},
        [PAWL__RUN_NOTIFIED] = {NAME("RunNotified"), 2, false, 0, {COUNT("seq")}},
        [PAWL__RUN_MISSION_CHANGED] = {NAME("RunMissionChanged"), 2, true, 0,
                {ARRAY("steps"), ARRAY("changes"), ARRAY("rerun")}},
        [PAWL__STEP_STARTED] = {NAME("StepStarted"), 2, true, 0, {HASH("input_hash")}},
        [PAWL__STEP_COMPLETED] = {NAME("StepCompleted"), 2, true, 0,
                {HASH("input_hash"), HASH("output_hash")}},
        [PAWL__STEP_FAILED] = {NAME("StepFailed"), 2, true, 0,
                {TEXT("reason"), INTEGER("exit_code")}},
        [PAWL__STEP_ATTEMPT_FAILED] = {NAME("StepAttemptFailed"), 2, true, 0,
                {COUNT("attempt"), INTEGER("exit_code"), TEXT("reason")}},
        [PAWL__SCOPE_ACTIVATED] = {NAME("GlossaryScopeActivated"), 2, false, 0,
                {TEXT("scope_id"), TEXT("glossary_version_id")}},
        [PAWL__TERM_OBSERVED] = {NAME("TermCandidateObserved"), 2, true, 0,
                {TEXT("term"), TEXT("source_step"), TEXT("actor_id"), NUMBER("confidence"),
                        TEXT("extraction_method"), TEXT("context")}},
        [PAWL__CHECK_EVALUATED] = {NAME("SemanticCheckEvaluated"), 2, true, 0,
                {ARRAY("findings"), CHOICE("overall_severity", "none, low, medium, high"),
                        NUMBER("confidence"), STRICTNESS("effective_strictness"),
                        CHOICE("recommended_action", "proceed, warn, block"), BOOL("blocked")}},
        [PAWL__STEP_CHECKPOINTED] = {NAME("StepCheckpointed"), 2, true, 1024,
                {STRICTNESS("strictness"), REFS, HASH("input_hash"),
                        CHOICE("input_hash_alg", "jcs-sha256, python-json-sha256"), CURSOR,
                        UUID("retry_token")}},
        [PAWL__GENERATION_BLOCKED] = {NAME("GenerationBlockedBySemanticConflict"), 2, true, 0,
                {ARRAY("conflicts"), STRICTNESS("strictness_mode"),
                        STRICTNESS("effective_strictness")}},
        [PAWL__CLARIFICATION_REQUESTED] = {NAME("GlossaryClarificationRequested"), 2, true, 0,
                {TEXT("conflict_id"), TEXT("question"), TEXT("term"), ARRAY("options"),
                        TEXT("urgency"), UUID("retry_token"), HASH("input_hash")}},
        [PAWL__CLARIFICATION_RESOLVED] = {NAME("GlossaryClarificationResolved"), 2, false, 0,
                {TEXT("conflict_id"), TEXT("term_surface"), MAYBE_OBJECT("selected_sense"),
                        OBJECT("actor"), CHOICE("resolution_mode", "interactive, async, timeout"),
                        OBJECT("provenance")}},
        [PAWL__SENSE_UPDATED] = {NAME("GlossarySenseUpdated"), 2, false, 0,
                {TEXT("term_surface"), TEXT("scope"), OBJECT("new_sense"), OBJECT("actor"),
                        CHOICE("update_type", "create, update"), OBJECT("provenance")}},
        [PAWL__STEP_RESUMED] = {NAME("StepResumed"), 2, true, 0,
                {UUID("retry_token"), CURSOR, BOOL("inputs_changed")}},
        [PAWL__RESUME_ABORTED] = {NAME("StepResumeAborted"), 2, true, 0,
                {UUID("retry_token"), CURSOR, BOOL("inputs_changed")}},
        [PAWL__SESSION_STARTED] = {NAME("SessionStarted"), 2, false, 0, {{NULL, 0, 0, NULL, 0}}},
        [PAWL__SESSION_UPDATED] = {NAME("SessionUpdated"), 2, false, 0, {{NULL, 0, 0, NULL, 0}}},
        [PAWL__SESSION_CHECKPOINTED] = {NAME("SessionCheckpointed"), 2, false, 0,
                {CHOICE("reason",
                        "manual, step_complete, context_warning, error_recovery, time_limit, "
                        "task_complete, session_end")}},
        [PAWL__SESSION_NOTED] = {NAME("SessionNoted"), 2, false, 0, {ARRAY("notes")}},
        [PAWL__SESSION_ENDED] = {NAME("SessionEnded"), 2, false, 0,
                {CHOICE("status", "completed, interrupted, error")}},
        [PAWL__PRUNED] = {NAME("Pruned"), 2, false, 0,
                {CHOICE("kind", "sessions, checkpoints, threads"), ARRAY("pruned")}},
        [PAWL__WORKSPACE_CHECKPOINTED] = {NAME("WorkspaceCheckpointed"), 2, false, 0,
                {COUNT("n"), TEXT("id"), CHOICE("trigger", "auto, manual"), TEXT("root"),
                        HASH("tree"), COUNT("files"), COUNT("bytes"), COUNT("skipped")}},
        [PAWL__TOOL_CALL_CHECKPOINTED] = {NAME("ToolCallCheckpointed"), 2, false, 0,
                {TEXT("call_id"), TEXT("tool"), TEXT("name"), HASH("document"), COUNT("checkpoint"),
                        TEXT("checkpoint_id")}},
        [PAWL__ROLLBACK_STARTED] = {NAME("WorkspaceRollbackStarted"), 2, false, 0,
                {COUNT("target"), COUNT("safety"), HASH("tree"), HASH("plan_hash"), BOOL("undo")}},
        /* Of a run, it makes steps pending again: that is its owner's to do. */
        [PAWL__ROLLED_BACK] = {NAME("WorkspaceRolledBack"), 2, true, 0,
                {COUNT("started_seq"), CHOICE("outcome", "done, abandoned"), ARRAY("invalidated"),
                        ARRAY("revalidated"), ARRAY("steps")}},
        [PAWL__CHECKPOINT_INVALIDATED] = {NAME("CheckpointInvalidated"), 2, false, 0,
                {COUNT("n"), TEXT("reason")}},
        [PAWL__CHECKPOINT_UPDATED] = {NAME("CheckpointUpdated"), 2, false, 0, {COUNT("n")}},
        [PAWL__WORKSPACE_CHECKPOINT_FAILED] = {NAME("WorkspaceCheckpointFailed"), 2, true, 0,
                {TEXT("reason"), CHOICE("trigger", "auto, manual")}},
        [PAWL__THREAD_CHECKPOINTED] = {NAME("ThreadCheckpointed"), 2, false, 0,
                {ARRAY("channels"), TEXT("checkpoint"), TEXT("metadata")}},
        [PAWL__THREAD_WRITES_PUT] = {NAME("ThreadWritesPut"), 2, false, 0,
                {TEXT("task_id"), ARRAY("writes")}},
};

static const char *const kind_name[] = {
        [PAWL__FIELD_TEXT] = "text",
        [PAWL__FIELD_INTEGER] = "an integer",
        [PAWL__FIELD_COUNT] = "an integer of at least 0",
        [PAWL__FIELD_NUMBER] = "a number",
        [PAWL__FIELD_BOOL] = "true or false",
        [PAWL__FIELD_HASH] = "a hash of 64 lower-case hex digits",
        [PAWL__FIELD_UUID] = "a UUID in lower case",
        [PAWL__FIELD_OBJECT] = "an object",
        [PAWL__FIELD_MAYBE_OBJECT] = "an object or null",
        [PAWL__FIELD_ARRAY] = "an array",
        [PAWL__FIELD_REFS] = "an array of {scope, version_id}",
        [PAWL__FIELD_CHOICE] = "text",
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

/* Is it one of the words of "off, medium, max"? */
static bool is_choice(pawl_text word, const pawl__event_field *field)
{
        const char *at = field->choices, *const end = at + field->choices_len;

        while (at && word.len && word.len <= (size_t)(end - at)) {
                if ((at + word.len == end || at[word.len] == ',') &&
                        pawl__same_bytes(at, word.data, word.len))
                        return true;
                at = memchr(at, ',', (size_t)(end - at));
                at = at ? at + 2 : NULL;
        }
        return false;
}

static bool has_text(const pawl__json_tree *tree, pawl__node object, pawl_text name)
{
        const pawl__node node = pawl__json_get_n(tree, object, name);

        return node != PAWL__NO_NODE && pawl__json_at(tree, node)->type == PAWL__JSON_STRING;
}

static bool is_refs(const pawl__json_tree *tree, pawl__node refs)
{
        for (pawl__node n = pawl__json_first(tree, refs); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, refs, n))
                if (!has_text(tree, n, (pawl_text){NAME("scope")}) ||
                        !has_text(tree, n, (pawl_text){NAME("version_id")}))
                        return false;
        return pawl__json_at(tree, refs)->type == PAWL__JSON_ARRAY;
}

static bool is_of_kind(
        const pawl__json_tree *tree, pawl__node at, const pawl__event_field *field, int v)
{
        const pawl__json_node *node = pawl__json_at(tree, at);
        unsigned char hash[32];
        int64_t integer;

        switch (field->kind) {
        case PAWL__FIELD_TEXT:
                return node->type == PAWL__JSON_STRING;
        case PAWL__FIELD_INTEGER:
                return node->type == PAWL__JSON_NUMBER && pawl__json_int(node, &integer);
        case PAWL__FIELD_COUNT:
                return node->type == PAWL__JSON_NUMBER && pawl__json_int(node, &integer) &&
                       (v < 2 || integer >= 0);
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
        case PAWL__FIELD_REFS:
                return v < 2 ? node->type == PAWL__JSON_ARRAY : is_refs(tree, at);
        case PAWL__FIELD_CHOICE:
                return node->type == PAWL__JSON_STRING && (v < 2 || is_choice(node->value, field));
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
                const bool fits = is_of_kind(payload, node, field, event->v);
                if (!fits && field->choices && event->v > 1)
                        return pawl__fail(err, PAWL_EINVAL,
                                "payload.%s: is not one of %s; write one", field->name,
                                field->choices);
                if (!fits)
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

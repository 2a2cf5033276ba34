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
#define END                                                                                        \
        {                                                                                          \
                NULL, 0, 0, NULL, 0                                                                \
        }
#define OPTIONAL(name, ...) static const pawl__event_field name[] = {__VA_ARGS__, END}

/* The first ones a run that was submitted must have, or has not. */
enum { STARTED_ALONE = 3 };
OPTIONAL(of_start, OBJECT("forked_from"), COUNT("checkpoint"), TEXT("mission_path"),
        HASH("mission_document"), HASH("mission_hash"), STRICTNESS("strictness"), OBJECT("params"),
        BOOL("notify"), ARRAY("plan"));
OPTIONAL(of_change, HASH("mission_document"), HASH("mission_hash"), ARRAY("plan"));
OPTIONAL(of_completion, BOOL("skipped"), BOOL("forked"), INTEGER("exit_code"));
OPTIONAL(of_attempt, FIELD("retry_at", TIME), COUNT("tries"), COUNT("of"));
OPTIONAL(of_check, CHOICE("phase", "inputs, output"));
OPTIONAL(of_checkpoint, HASH("output_hash"));
OPTIONAL(of_request, TEXT("conflict_type"), FIELD("due_at", TIME), TEXT("otherwise"), ARRAY("to"),
        COUNT("unverified"));
OPTIONAL(of_answer, TEXT("answer"), COUNT("replaces"), TEXT("normal"), HASH("input_hash"),
        HASH("question_hash"), HASH("replaces_hash"), TEXT("signature"));
OPTIONAL(of_session, CHOICE("run_status", "blocked, interrupted"));

/* name and its length, v, needs_fence, max_len, required */
static const pawl__event_def forms[PAWL__EVENT_TYPES] = {
        [PAWL__RUN_STARTED] = {NAME("RunStarted"), 2, true, 0, {ARRAY("steps"), REFS}, of_start},
        [PAWL__RUN_SUBMITTED] = {NAME("RunSubmitted"), 2, false, 0,
                {ARRAY("steps"), REFS, TEXT("mission_path"), HASH("mission_file"),
                        COUNT("checkpoint")},
                of_start + STARTED_ALONE},
        [PAWL__RUN_CLAIMED] = {NAME("RunClaimed"), 2, true, 0,
                {COUNT("fence"), FIELD("owner", OWNER)}, NULL},
        [PAWL__RUN_COMPLETED] = {NAME("RunCompleted"), 2, true, 0, {END}, NULL},
        [PAWL__RUN_FAILED] = {NAME("RunFailed"), 2, true, 0, {TEXT("reason")}, NULL},
        [PAWL__RUN_CANCELLED] = {NAME("RunCancelled"), 2, true, 0, {TEXT("reason")}, NULL},
        [PAWL__RUN_NOTIFIED] = {NAME("RunNotified"), 2, false, 0, {COUNT("seq")}, NULL},
        [PAWL__RUN_MISSION_CHANGED] = {NAME("RunMissionChanged"), 2, true, 0,
                {ARRAY("steps"), ARRAY("changes"), ARRAY("rerun")}, of_change},
        [PAWL__STEP_STARTED] = {NAME("StepStarted"), 2, true, 0, {HASH("input_hash")}, NULL},
        [PAWL__STEP_COMPLETED] = {NAME("StepCompleted"), 2, true, 0,
                {HASH("input_hash"), HASH("output_hash")}, of_completion},
        [PAWL__STEP_FAILED] = {NAME("StepFailed"), 2, true, 0,
                {TEXT("reason"), INTEGER("exit_code")}, NULL},
        [PAWL__STEP_ATTEMPT_FAILED] = {NAME("StepAttemptFailed"), 2, true, 0,
                {COUNT("attempt"), INTEGER("exit_code"), TEXT("reason")}, of_attempt},
        [PAWL__SCOPE_ACTIVATED] = {NAME("GlossaryScopeActivated"), 2, false, 0,
                {TEXT("scope_id"), TEXT("glossary_version_id")}, NULL},
        [PAWL__TERM_OBSERVED] = {NAME("TermCandidateObserved"), 2, true, 0,
                {TEXT("term"), TEXT("source_step"), TEXT("actor_id"), NUMBER("confidence"),
                        TEXT("extraction_method"), TEXT("context")},
                NULL},
        [PAWL__CHECK_EVALUATED] = {NAME("SemanticCheckEvaluated"), 2, true, 0,
                {FIELD("findings", FINDINGS), CHOICE("overall_severity", "none, low, medium, high"),
                        NUMBER("confidence"), STRICTNESS("effective_strictness"),
                        CHOICE("recommended_action", "proceed, warn, block"), BOOL("blocked")},
                of_check},
        [PAWL__STEP_CHECKPOINTED] = {NAME("StepCheckpointed"), 2, true, 1024,
                {STRICTNESS("strictness"), REFS, HASH("input_hash"),
                        CHOICE("input_hash_alg", "jcs-sha256, python-json-sha256"), CURSOR,
                        UUID("retry_token")},
                of_checkpoint},
        [PAWL__GENERATION_BLOCKED] = {NAME("GenerationBlockedBySemanticConflict"), 2, true, 0,
                {FIELD("conflicts", CONFLICTS), STRICTNESS("strictness_mode"),
                        STRICTNESS("effective_strictness")},
                NULL},
        [PAWL__CLARIFICATION_REQUESTED] = {NAME("GlossaryClarificationRequested"), 2, true, 0,
                {TEXT("conflict_id"), TEXT("question"), TEXT("term"), ARRAY("options"),
                        TEXT("urgency"), UUID("retry_token"), HASH("input_hash")},
                of_request},
        [PAWL__CLARIFICATION_RESOLVED] = {NAME("GlossaryClarificationResolved"), 2, false, 0,
                {TEXT("conflict_id"), TEXT("term_surface"), MAYBE_OBJECT("selected_sense"),
                        OBJECT("actor"), CHOICE("resolution_mode", "interactive, async, timeout"),
                        OBJECT("provenance")},
                of_answer},
        [PAWL__SENSE_UPDATED] = {NAME("GlossarySenseUpdated"), 2, false, 0,
                {TEXT("term_surface"), TEXT("scope"), OBJECT("new_sense"), OBJECT("actor"),
                        CHOICE("update_type", "create, update"), OBJECT("provenance")},
                NULL},
        [PAWL__STEP_RESUMED] = {NAME("StepResumed"), 2, true, 0,
                {UUID("retry_token"), CURSOR, BOOL("inputs_changed")}, NULL},
        [PAWL__RESUME_ABORTED] = {NAME("StepResumeAborted"), 2, true, 0,
                {UUID("retry_token"), CURSOR, BOOL("inputs_changed")}, NULL},
        [PAWL__SESSION_STARTED] = {NAME("SessionStarted"), 2, false, 0, {END}, NULL},
        [PAWL__SESSION_UPDATED] = {NAME("SessionUpdated"), 2, false, 0, {END}, NULL},
        [PAWL__SESSION_CHECKPOINTED] = {NAME("SessionCheckpointed"), 2, false, 0,
                {CHOICE("reason",
                        "manual, step_complete, context_warning, error_recovery, time_limit, "
                        "task_complete, session_end")},
                NULL},
        [PAWL__SESSION_NOTED] = {NAME("SessionNoted"), 2, false, 0, {ARRAY("notes")}, NULL},
        [PAWL__SESSION_ENDED] = {NAME("SessionEnded"), 2, false, 0,
                {CHOICE("status", "completed, interrupted, error")}, of_session},
        [PAWL__PRUNED] = {NAME("Pruned"), 2, false, 0,
                {CHOICE("kind", "sessions, checkpoints, threads"), ARRAY("pruned")}, NULL},
        [PAWL__WORKSPACE_CHECKPOINTED] = {NAME("WorkspaceCheckpointed"), 2, false, 0,
                {COUNT("n"), TEXT("id"), CHOICE("trigger", "auto, manual"), TEXT("root"),
                        HASH("tree"), COUNT("files"), COUNT("bytes"), COUNT("skipped")},
                NULL},
        [PAWL__TOOL_CALL_CHECKPOINTED] = {NAME("ToolCallCheckpointed"), 2, false, 0,
                {TEXT("call_id"), TEXT("tool"), TEXT("name"), HASH("document"), COUNT("checkpoint"),
                        TEXT("checkpoint_id")},
                NULL},
        [PAWL__ROLLBACK_STARTED] = {NAME("WorkspaceRollbackStarted"), 2, false, 0,
                {COUNT("target"), COUNT("safety"), HASH("tree"), HASH("plan_hash"), BOOL("undo")},
                NULL},
        /* Of a run, it makes steps pending again: that is its owner's to do. */
        [PAWL__ROLLED_BACK] = {NAME("WorkspaceRolledBack"), 2, true, 0,
                {COUNT("started_seq"), CHOICE("outcome", "done, abandoned"), ARRAY("invalidated"),
                        ARRAY("revalidated"), ARRAY("steps")},
                NULL},
        [PAWL__CHECKPOINT_INVALIDATED] = {NAME("CheckpointInvalidated"), 2, false, 0,
                {COUNT("n"), TEXT("reason")}, NULL},
        [PAWL__CHECKPOINT_UPDATED] = {NAME("CheckpointUpdated"), 2, false, 0, {COUNT("n")}, NULL},
        [PAWL__WORKSPACE_CHECKPOINT_FAILED] = {NAME("WorkspaceCheckpointFailed"), 2, true, 0,
                {TEXT("reason"), CHOICE("trigger", "auto, manual")}, NULL},
        [PAWL__THREAD_CHECKPOINTED] = {NAME("ThreadCheckpointed"), 2, false, 0,
                {ARRAY("channels"), TEXT("checkpoint"), TEXT("metadata")}, NULL},
        [PAWL__THREAD_WRITES_PUT] = {NAME("ThreadWritesPut"), 2, false, 0,
                {TEXT("task_id"), ARRAY("writes")}, NULL},
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
        [PAWL__FIELD_OWNER] = "an object with boot_id, host, pid and pid_start",
        [PAWL__FIELD_FINDINGS] = "an array of findings, each with term and severity",
        [PAWL__FIELD_CONFLICTS] = "an array of findings, each with its conflict_id",
        [PAWL__FIELD_TIME] = "a time in RFC 3339",
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

static bool has_count(const pawl__json_tree *tree, pawl__node object, pawl_text name)
{
        const pawl__node node = pawl__json_get_n(tree, object, name);
        int64_t integer;

        return node != PAWL__NO_NODE && pawl__json_at(tree, node)->type == PAWL__JSON_NUMBER &&
               pawl__json_int(pawl__json_at(tree, node), &integer) && integer >= 0;
}

static bool is_owner(const pawl__json_tree *tree, pawl__node owner)
{
        return pawl__json_at(tree, owner)->type == PAWL__JSON_OBJECT &&
               has_text(tree, owner, (pawl_text){NAME("boot_id")}) &&
               has_text(tree, owner, (pawl_text){NAME("host")}) &&
               has_count(tree, owner, (pawl_text){NAME("pid")}) &&
               has_count(tree, owner, (pawl_text){NAME("pid_start")});
}

/* Findings, or the conflicts that they are. */
static bool are_findings(const pawl__json_tree *tree, pawl__node list, bool conflicts)
{
        static const pawl__event_field severity = CHOICE("severity", "none, low, medium, high");

        if (pawl__json_at(tree, list)->type != PAWL__JSON_ARRAY)
                return false;
        for (pawl__node n = pawl__json_first(tree, list); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, list, n)) {
                if (pawl__json_at(tree, n)->type != PAWL__JSON_OBJECT)
                        return false;
                if (conflicts ? !has_text(tree, n, (pawl_text){NAME("conflict_id")})
                              : !has_text(tree, n, (pawl_text){NAME("term")}) ||
                                        !is_choice(pawl__json_get_text(tree, n, "severity"),
                                                &severity))
                        return false;
        }
        return true;
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
        case PAWL__FIELD_OWNER:
                return v < 2 ? node->type == PAWL__JSON_OBJECT : is_owner(tree, at);
        case PAWL__FIELD_FINDINGS:
        case PAWL__FIELD_CONFLICTS:
                return v < 2 ? node->type == PAWL__JSON_ARRAY
                             : are_findings(tree, at, field->kind == PAWL__FIELD_CONFLICTS);
        case PAWL__FIELD_TIME:
                return node->type == PAWL__JSON_STRING && pawl__time_parse(&integer, node->value);
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

/* An event that was taken over keeps what its log had. */
static bool is_loose(const pawl__event_field *field, bool required)
{
        return !required || field->kind == PAWL__FIELD_FINDINGS ||
               field->kind == PAWL__FIELD_CONFLICTS;
}

static pawl_status check_field(const pawl_event *event, const pawl__event_field *field,
        bool required, const pawl__json_tree *payload, pawl_error *err)
{
        const pawl__node node = pawl__json_get_n(payload, 0, pawl__text_n(field->name, field->len));

        if (node == PAWL__NO_NODE && required)
                return pawl__fail(err, PAWL_EINVAL, "payload.%s: is missing; it must be %s",
                        field->name, kind_name[field->kind]);
        if (!required &&
                (node == PAWL__NO_NODE || pawl__json_at(payload, node)->type == PAWL__JSON_NULL))
                return PAWL_OK;
        if (is_of_kind(payload, node, field, event->v) ||
                (is_loose(field, required) &&
                        pawl__json_get(payload, 0, "origin") != PAWL__NO_NODE &&
                        (!required || is_of_kind(payload, node, field, 1))))
                return PAWL_OK;
        if (field->choices && event->v > 1)
                return pawl__fail(err, PAWL_EINVAL, "payload.%s: is not one of %s; write one",
                        field->name, field->choices);
        return pawl__fail(err, PAWL_EINVAL, "payload.%s: is not %s; write it so", field->name,
                kind_name[field->kind]);
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
        for (size_t i = 0; i < most && form->required[i].name; i++)
                TRY(check_field(event, &form->required[i], true, payload, err));
        for (const pawl__event_field *f = form->optional; f && f->name && event->v > 1; f++)
                TRY(check_field(event, f, false, payload, err));
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

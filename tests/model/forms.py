"""The forms of payloads, by docs/reference/event-log.md, for the judge of histories (judge.py)."""
import datetime
import re

# type -> [(field, kind)], of the section "The types"
TYPES = {"RunCompleted": [], "SessionStarted": [], "SessionUpdated": []}
for line in """
RunClaimed fence:count owner:owner
RunSubmitted steps:text* scope_refs:ref* mission_path:text mission_file:hash checkpoint:count
RunSubmitted plan:plan*? strictness:level? mission_document:hash? mission_hash:hash? params:object? notify:boolean?
RunStarted steps:text* scope_refs:ref* forked_from:object? checkpoint:count?
RunStarted plan:plan*? strictness:level? mission_document:hash? mission_hash:hash? params:object? notify:boolean?
RunStarted mission_path:text?
RunFailed reason:text
RunCancelled reason:text
RunNotified seq:count
RunMissionChanged steps:text* changes:change* rerun:text* plan:plan*? mission_document:hash? mission_hash:hash?
StepStarted input_hash:hash
StepCompleted input_hash:hash output_hash:hash skipped:boolean? forked:boolean? exit_code:integer?
StepFailed reason:text exit_code:integer
StepAttemptFailed attempt:count exit_code:integer reason:text retry_at:time? tries:count? of:count?
GlossaryScopeActivated scope_id:text glossary_version_id:text
TermCandidateObserved term:text source_step:text actor_id:text confidence:number extraction_method:text context:text
SemanticCheckEvaluated findings:finding* overall_severity:severity confidence:number effective_strictness:level
SemanticCheckEvaluated recommended_action:proceed|warn|block blocked:boolean phase:inputs|output?
StepCheckpointed strictness:level scope_refs:ref* input_hash:hash cursor:cursor retry_token:text
StepCheckpointed input_hash_alg:jcs-sha256|python-json-sha256 output_hash:hash?
GenerationBlockedBySemanticConflict conflicts:conflict* strictness_mode:level effective_strictness:level
GlossaryClarificationRequested conflict_id:text question:text term:text options:sense* urgency:text retry_token:text
GlossaryClarificationRequested input_hash:hash conflict_type:text? due_at:time? otherwise:text? unverified:count?
GlossaryClarificationRequested to:list?
GlossaryClarificationResolved conflict_id:text term_surface:text selected_sense:sense? actor:actor answer:text?
GlossaryClarificationResolved resolution_mode:interactive|async|timeout provenance:object replaces:count?
GlossaryClarificationResolved normal:text? input_hash:hash? question_hash:hash? replaces_hash:hash? signature:text?
GlossarySenseUpdated term_surface:text scope:text new_sense:sense actor:actor provenance:object
GlossarySenseUpdated update_type:create|update
StepResumed retry_token:text cursor:cursor inputs_changed:boolean
StepResumeAborted retry_token:text cursor:cursor inputs_changed:boolean
SessionCheckpointed reason:manual|step_complete|context_warning|error_recovery|time_limit|task_complete|session_end
SessionNoted notes:list
SessionEnded status:completed|interrupted|error run_status:blocked|interrupted?
WorkspaceCheckpointed n:count id:text trigger:auto|manual root:text tree:hash files:count bytes:count skipped:count
WorkspaceCheckpointed base:count? safety:boolean? of_run:boolean? imported:boolean? git_rules:hash?
ToolCallCheckpointed call_id:text tool:text name:text document:hash checkpoint:count checkpoint_id:text
WorkspaceRollbackStarted target:count safety:count tree:hash plan_hash:hash undo:boolean finishes:count?
WorkspaceRolledBack started_seq:count outcome:done|abandoned invalidated:count* revalidated:count* steps:step*
WorkspaceRolledBack restored:object?
CheckpointInvalidated n:count reason:text
CheckpointUpdated n:count pinned:boolean? valid:boolean?
WorkspaceCheckpointFailed reason:text trigger:text
Pruned kind:sessions|checkpoints|threads pruned:list
ThreadCheckpointed channels:object* checkpoint:text metadata:text
ThreadWritesPut task_id:text writes:object*
""".strip().splitlines():
    name, *fields = line.split()
    TYPES.setdefault(name, []).extend(tuple(field.split(":")) for field in fields)

HASH = re.compile(r"[0-9a-f]{64}\Z")
IDS = re.compile(r"(?![- ])[^/\\\x00-\x1f\x7f-\x9f]+(?<! )\Z")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z")
JSON_TYPES = {"text": [str], "object": [dict], "boolean": [bool], "integer": [int], "number": [int, float],
              "list": [list]}
LEVELS = {"off": 0, "medium": 1, "max": 2}
NAMES = {"level": "off|medium|max", "severity": "none|low|medium|high",
         "cursor": "pre_generation_gate|post_gate|post_clarification|post_generation"}
OBJECTS = {"ref": "scope:text version_id:text", "sense": "surface:text scope:text definition:text confidence:number",
           "actor": "actor_id:text", "step": "run_id:text step_id:text", "change": "step_id:text change:text",
           "owner": "boot_id:text host:text pid:count pid_start:count", "finding": "term:text severity:severity",
           "conflict": "conflict_id:text", "plan": "ask?:hash needs?:text* strictness?:level when?:boolean"}


def time_of(text):
    return datetime.datetime.fromisoformat(text[:-1])


def is_time(value):
    try:
        return TIME.match(value) is not None and bool(time_of(value))
    except (TypeError, ValueError):
        return False


def ID(text):
    """Is it one that a step can have?"""
    return len(text.encode()) <= 128 and text not in (".", "..") and IDS.match(text) is not None


def fits(value, kind):
    """Is the JSON value of that kind? With a `?` it may be absent; with a `*` it is a list of such."""
    if kind.endswith("?"):
        return value is None or fits(value, kind[:-1])
    if kind.endswith("*"):
        return type(value) is list and all(fits(item, kind[:-1]) for item in value)
    if kind == "count":
        return type(value) is int and value >= 0
    if kind == "hash":
        return type(value) is str and HASH.match(value) is not None
    if kind in OBJECTS:
        members = [member.split(":") for member in OBJECTS[kind].split()]
        return type(value) is dict and all(name[-1] == "?" and name[:-1] not in value or
                                           fits(value.get(name.rstrip("?")), of) for name, of in members)
    if kind == "time":
        return is_time(value)
    return type(value) in JSON_TYPES[kind] if kind in JSON_TYPES else value in NAMES.get(kind, kind).split("|")

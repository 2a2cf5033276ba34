"""Histories that cannot have been: each is a good one with one change, its hashes made again behind it.

    mutations.py JUDGE EXPORT [DB EVENTLOG]

Fails if the judge, or `eventlog verify` of a copy of the log DB that has the changed events, finds another rule broken
than the mutation breaks, or none. The events are those of tests/model/mutations_test.sh.
"""
import hashlib
import importlib.util
import json
import sys

spec = importlib.util.spec_from_file_location("judge", sys.argv[1])
judge = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(judge)
from history import History, verified  # noqa: E402

MUTATIONS = []
# Where `eventlog verify` sees another of the rules first that the event breaks.
ALSO = {"it_is_cancelled_behind_its_end": "state", "a_rollback_leads_to_no_checkpoint": "rollback-order",
        "a_run_is_submitted_with_no_checkpoint": "run-phase"}
ZERO = "00000000-0000-4000-8000-000000000000"
HASH = "ab" * 32


def restored(log):
    """A step that comes back by a rollback, completed."""
    return next(step for event in log.events if event["type"] == "WorkspaceRolledBack"
                for step in (event["payload"].get("restored") or {}).get("steps", []) if step["status"] == "completed")


def start(log):
    """What the fork says of its origin."""
    return log.get("RunStarted", log.get("StepCompleted", forked=True)["run_id"])["payload"]["forked_from"]


def changes(rule, name, which, **fields):
    def mutation(log):
        log.get(*which)["payload"].update(fields)
    mutation.__name__ = name
    MUTATIONS.append((rule, mutation))


def breaks(rule):
    def add(mutation):
        MUTATIONS.append((rule, mutation))
        return mutation
    return add


# ---- Runs ------------------------------------------------------------------------------------------------------------

@breaks("run-phase")
def the_run_starts_twice(log):
    log.put(log.find("RunStarted", "terms") + 1, log.get("RunStarted", "terms"))


@breaks("run-phase")
def it_is_submitted_behind_its_claim(log):
    log.move(log.find("RunClaimed", "queued"), log.find("RunSubmitted", "queued"))


@breaks("run-phase")
def a_session_begins_before_its_run(log):
    log.move(log.find("SessionStarted", "terms"), log.find("RunStarted", "terms"))


@breaks("run-phase")
def a_step_starts_in_a_cancelled_run(log):
    log.put(log.find("RunCancelled") + 1, log.get("StepStarted", "cancelled", "early"))


@breaks("run-phase")
def a_step_starts_in_a_failed_run_that_nobody_claimed(log):
    log.put(log.find("RunFailed", "failed") + 1, log.get("StepStarted", "failed", "fails"))


@breaks("run-phase")
def a_step_starts_in_a_cancelled_run_that_was_claimed_again(log):
    at = log.find("RunCancelled")
    log.put(at + 1, log.get("RunClaimed", "cancelled"), fence=99)
    log.put(at + 2, log.get("StepStarted", "cancelled", "early"))


@breaks("run-phase")
def a_step_completes_in_a_completed_run_that_was_claimed_again(log):
    log.put(log.find("RunClaimed", "terms", nth=2) + 1, log.get("StepCompleted", "terms", "publish"))


@breaks("run-phase")
def a_step_starts_in_the_queue(log):
    log.put(log.find("RunSubmitted") + 1, log.get("StepStarted", "queued"))


@breaks("thread")
def a_run_of_a_mission_becomes_a_thread(log):
    log.put(log.find("RunCompleted", "terms") + 1, log.get("StepStarted", "terms"), type="ThreadWritesPut", task_id="t",
            writes=[])


@breaks("thread")
def a_thread_is_claimed_as_a_run(log):
    write = log.get("StepStarted", "terms")
    log.put(len(log.events), write, type="ThreadWritesPut", run_id="t", task_id="t", writes=[])
    log.put(len(log.events), log.get("RunClaimed", "terms"), run_id="t")


@breaks("run-phase")
def it_fails_behind_its_end(log):
    log.put(log.find("RunCompleted", "terms") + 1, log.get("RunFailed", "failed"), run_id="terms")


@breaks("run-phase")
def it_is_cancelled_behind_its_end(log):
    log.put(log.find("RunCompleted", "terms") + 1, log.get("RunCancelled"), run_id="terms")


@breaks("run-phase")
def its_mission_changes_behind_its_end(log):
    log.put(log.find("RunCompleted", "changes") + 1, log.get("RunMissionChanged"))


@breaks("run-phase")
def it_is_rolled_back_without_a_claim(log):
    log.events.pop(log.find("RunClaimed", "terms", nth=2))


@breaks("run-phase")
def it_is_answered_behind_its_end(log):
    log.put(log.find("RunCompleted", "output") + 1, log.get("GlossaryClarificationResolved", "output"),
            replaces=log.get("GlossaryClarificationResolved", "output")["seq"])


@breaks("run-phase")
def somebody_is_told_of_a_run_that_is_not_there(log):
    log.put(len(log.events), log.get("RunCompleted", "terms"), type="RunNotified", run_id="nowhere", seq=1)


@breaks("all-steps-done")
def it_is_completed_with_steps_to_come(log):
    log.move(log.find("RunCompleted", "terms"), log.find("StepCompleted", "terms", "research") + 1)


@breaks("all-steps-done")
def it_is_completed_over_a_blocked_step(log):
    log.put(log.find("GlossaryClarificationRequested", "terms") + 1, log.get("RunCompleted", "terms"))


@breaks("all-steps-done")
def a_step_that_was_added_never_ran(log):
    log.put(log.find("RunMissionChanged") + 1, log.get("RunCompleted", "changes"))


@breaks("version")
def version_1_follows_version_2(log):
    log.events[len(log.events) // 2]["v"] = 1


@breaks("version")
def a_run_of_version_1_follows_version_2(log):
    for event in log.events:
        event["v"] = 1 if event["run_id"] == "queued" else 2


@breaks("version")
def a_checkpoint_of_version_1_follows_version_2(log):
    log.get("WorkspaceCheckpointed", nth=-1)["v"] = 1


# ---- Steps -----------------------------------------------------------------------------------------------------------

@breaks("step-status")
def a_blocked_step_completes(log):
    log.put(log.find("GlossaryClarificationRequested", "terms") + 1, log.get("StepCompleted", "terms", "specify"))


@breaks("step-status")
def a_step_completes_twice(log):
    log.put(log.find("StepCompleted", "terms", "research") + 1, log.get("StepCompleted", "terms", "research"))


@breaks("step-status")
def it_completes_before_it_starts(log):
    log.put(log.find("StepStarted", "terms", "research"), log.get("StepCompleted", "terms", "research"))


@breaks("step-status")
def it_completes_behind_its_rollback(log):
    log.put(log.find("WorkspaceRolledBack", "terms") + 1, log.get("StepCompleted", "terms", "publish"))


@breaks("step-status")
def a_blocked_step_has_a_checkpoint_behind_the_gate(log):
    log.put(log.find("GlossaryClarificationRequested", "terms") + 1,
            log.get("StepCheckpointed", "terms", "specify", cursor="post_gate"), retry_token=ZERO)


@breaks("step-status")
def a_completed_step_starts_again(log):
    log.put(log.find("StepCompleted", "terms", "research") + 1, log.get("StepStarted", "terms", "research"))


@breaks("step-status")
def a_step_that_was_removed_starts(log):
    log.put(log.find("RunMissionChanged") + 1, log.get("RunMissionChanged"), steps=["blocks"], rerun=[], changes=[])
    log.put(log.find("StepStarted", "changes", "blocks", 1), log.get("StepStarted", "changes", "first"))


@breaks("step-status")
def a_pending_step_is_resumed(log):
    log.put(log.find("StepStarted", "failed", "last"), log.get("StepResumed", "failed"), step_id="last")


@breaks("step-status")
def a_running_step_is_gone_past(log):
    log.move(log.find("StepCompleted", "skipped", "fails"), log.find("StepAttemptFailed", "skipped"))


@breaks("step-status")
def an_attempt_fails_behind_the_end(log):
    log.move(log.find("StepAttemptFailed", "failed"), log.find("StepCompleted", "failed", "fails") + 1)


@breaks("step-status")
def a_step_asks_that_is_not_blocked(log):
    log.move(log.find("GlossaryClarificationRequested", "terms"),
             log.find("GenerationBlockedBySemanticConflict", "terms"))


@breaks("gate-open")
def the_gate_lets_pass_before_the_answer(log):
    log.drop("GlossaryClarificationResolved", "terms")


@breaks("gate-open")
def a_blocked_output_is_completed_before_the_answer(log):
    log.drop("GlossaryClarificationResolved", "output")


@breaks("gate-open")
def an_undo_of_a_rollback_opens_the_gate(log):
    log.drop("GlossaryClarificationResolved", "again")


@breaks("gate-open")
def a_question_is_passed_before_its_answer(log):
    log.move(log.find("GlossaryClarificationResolved", "asks", "approve"), log.find("StepCompleted", "asks", "approve"))


@breaks("gate-passed")
def it_starts_again_and_completes_without_the_gate(log):
    log.put(log.find("StepCompleted", "terms", "publish"), log.get("StepStarted", "terms", "publish"))


@breaks("fork-first")
def a_step_of_a_run_that_is_no_fork_is_forked(log):
    log.get("RunStarted", log.get("StepCompleted", forked=True)["run_id"])["payload"].pop("forked_from")


@breaks("fork-first")
def a_step_is_forked_late(log):
    late = log.find("StepCompleted", forked=True, nth=1)
    log.move(late, log.find("SessionStarted", log.events[late]["run_id"]) + 1)


@breaks("token-once")
def another_step_has_its_token(log):
    log.get("StepCheckpointed", "terms", "publish")["payload"]["retry_token"] = \
        log.get("StepCheckpointed", "terms", "research")["payload"]["retry_token"]


@breaks("token-once")
def other_inputs_have_its_token(log):
    at = log.find("StepCheckpointed", "terms", "research")
    log.put(at + 1, log.events[at], input_hash=HASH)


@breaks("token-once")
def a_step_of_another_run_has_its_token(log):
    log.get("StepCheckpointed", "failed", "early")["payload"]["retry_token"] = \
        log.get("StepCheckpointed", "skipped", "early")["payload"]["retry_token"]


@breaks("token-of-step")
def it_is_resumed_by_the_token_of_another(log):
    log.get("StepResumed", "failed", "fails")["payload"]["retry_token"] = \
        log.get("StepCheckpointed", "failed", "early")["payload"]["retry_token"]


# ---- Answers ---------------------------------------------------------------------------------------------------------

@breaks("asked-first")
def it_is_answered_for_another_step(log):
    log.get("GlossaryClarificationResolved", "asks", "approve")["step_id"] = "in-time"


@breaks("asked-when-blocked")
def a_step_asks_about_what_does_not_block_it(log):
    log.get("GlossaryClarificationRequested", "terms")["payload"]["conflict_id"] = "0123456789abcdef"


@breaks("asked-first")
def it_is_answered_before_it_is_asked(log):
    log.move(log.find("GlossaryClarificationResolved", "output"), log.find("GlossaryClarificationRequested", "output"))


@breaks("answered-once")
def it_is_answered_twice(log):
    log.get("GlossaryClarificationResolved", "terms", nth=1)["payload"].pop("replaces")


@breaks("answered-once")
def an_answer_takes_the_place_of_none(log):
    log.get("GlossaryClarificationResolved", "terms", nth=1)["payload"]["replaces"] = \
        log.get("GlossaryClarificationRequested", "terms")["seq"]


@breaks("in-time")
def a_person_says_that_its_time_is_over(log):
    log.get("GlossaryClarificationResolved", "asks", "in-time")["actor"] = "user:ana"


@breaks("in-time")
def a_question_without_a_time_runs_out(log):
    log.get("GlossaryClarificationRequested", "asks", "in-time")["payload"].pop("due_at")


# ---- Sessions, checkpoints of the workspace, rollbacks ---------------------------------------------------------------

@breaks("session-known")
def a_session_starts_twice(log):
    log.put(log.find("SessionStarted", "terms") + 1, log.get("SessionStarted", "terms"))


@breaks("session-known")
def a_session_ends_that_never_began(log):
    log.get("SessionEnded", "terms")["session_id"] = "session-none"


@breaks("session-known")
def a_session_goes_on_before_it_starts(log):
    log.move(log.find("SessionUpdated"), log.find("SessionStarted", None, None, summary="begins"))


@breaks("checkpoint-number")
def a_checkpoint_is_missing(log):
    log.events.pop(log.find("WorkspaceCheckpointed", nth=2))


@breaks("call-behind-checkpoint")
def something_is_between_a_call_and_its_checkpoint(log):
    log.move(log.find("SessionUpdated"), log.find("ToolCallCheckpointed"))


@breaks("form")
def a_rollback_gives_up_steps_of_another_run(log):
    log.get("WorkspaceRolledBack")["payload"]["steps"][0]["run_id"] = "output"


@breaks("rollback-order")
def a_rollback_has_no_safety_copy(log):
    log.get("WorkspaceCheckpointed", safety=True)["payload"].pop("safety")


@breaks("rollback-order")
def a_rollback_ends_twice(log):
    log.put(log.find("WorkspaceRolledBack") + 1, log.get("WorkspaceRolledBack"))


@breaks("checkpoint-number")
def a_checkpoint_is_taken_during_a_rollback(log):
    at = log.find("WorkspaceRollbackStarted")
    log.put(at + 1, log.events[at - 1], n=log.events[at - 1]["payload"]["n"] + 1)


@breaks("rollback-order")
def a_rollback_restores_a_step_that_never_ran(log):
    step = restored(log)
    step.update(step_id="specify" if step["step_id"] != "specify" else "research", status="completed", output_hash=HASH)


@breaks("rollback-order")
def a_rollback_restores_another_output(log):
    restored(log)["output_hash"] = HASH


@breaks("rollback-order")
def a_rollback_restores_an_output_that_is_none(log):
    restored(log)["output_hash"] = None


@breaks("fork-first")
def a_fork_has_another_output_than_its_origin(log):
    log.get("StepCompleted", forked=True)["payload"]["output_hash"] = HASH


@breaks("fork-first")
def a_fork_is_of_a_place_before_its_step_completed(log):
    start(log)["seq"] = log.get("StepCompleted", "terms", "research")["seq"] - 1


def changes_origin(name, **fields):
    def mutation(log):
        start(log).update(fields)
    mutation.__name__ = name
    MUTATIONS.append(("fork-first", mutation))


changes_origin("a_fork_is_of_no_run", run_id="nowhere")
changes_origin("a_fork_is_of_another_run", run_id="failed")
changes_origin("a_fork_is_of_what_comes_later", seq=10**6)


@breaks("fork-first")
def a_fork_is_of_itself(log):
    start(log)["run_id"] = log.get("StepCompleted", forked=True)["run_id"]


# ---- A field of one event is another --------------------------------------------------------------------------------

changes("form", "a_checkpoint_has_no_such_cursor", ("StepCheckpointed", "terms"), cursor="execute")
changes("form", "a_checkpoint_has_no_strictness", ("StepCheckpointed", "terms"), strictness=None)
changes("form", "a_completion_has_no_output", ("StepCompleted", "terms"), output_hash="")
changes("form", "the_versions_of_a_run_are_no_list", ("RunStarted", "terms"), scope_refs={})
changes("fence-grows", "the_first_fence_is_none", ("RunClaimed", "terms"), fence=0)
changes("rollback-order", "a_rollback_restores_another_tree", ("WorkspaceRollbackStarted",), tree=HASH)
changes("fence-grows", "the_fence_does_not_grow", ("RunClaimed", "terms", None, 1), fence=1)
changes("no-origin", "an_event_of_a_mission_has_an_origin", ("StepStarted", "terms"),
        origin={"file": "there", "line": 1})
changes("gate-open", "the_gate_lets_pass_what_the_check_blocked", ("SemanticCheckEvaluated", "terms", "research"),
        blocked=True)
changes("gate-passed", "a_step_completes_that_has_not_passed_the_gate", ("StepCheckpointed", "terms", "research"),
        cursor="pre_generation_gate")
changes("gate-passed", "it_has_generated_before_the_gate", ("StepCheckpointed", "output"), cursor="pre_generation_gate")
changes("gate-passed", "its_inputs_changed_behind_the_gate", ("StepResumed", "failed", "fails"), inputs_changed=True)
changes("input-hash", "it_completes_with_other_inputs", ("StepCompleted", "terms", "research"), input_hash=HASH)
changes("output-held", "it_completes_with_another_output_than_was_asked_about", ("StepCompleted", "output", "says"),
        output_hash=HASH)
changes("question-answer", "the_output_of_a_question_is_not_its_answer", ("StepCompleted", "asks", "approve"),
        output_hash=hashlib.sha256(b'"no"').hexdigest())
changes("question-answer", "the_answer_is_another_one", ("GlossaryClarificationResolved", "asks", "approve"),
        answer="no")
changes("token-of-step", "it_is_resumed_where_it_never_was", ("StepResumed", "terms"), cursor="post_gate")
changes("asked-first", "what_nobody_asked_is_answered", ("GlossaryClarificationResolved", "asks"),
        conflict_id="0123456789abcdef")
changes("in-time", "its_time_is_over_too_early", ("GlossaryClarificationRequested", "asks", "in-time"),
        due_at="2999-01-01T00:00:00.000000Z")
changes("in-time", "what_holds_then_is_not_what_was_said", ("GlossaryClarificationRequested", "asks", "in-time"),
        otherwise="yes")
changes("in-time", "a_person_gives_no_answer", ("GlossaryClarificationResolved", "asks", "approve"), answer=None)
changes("checkpoint-number", "a_rollback_leads_to_no_checkpoint", ("WorkspaceRollbackStarted",), target=99)
changes("checkpoint-number", "a_run_is_submitted_with_no_checkpoint", ("RunSubmitted",), checkpoint=99)
changes("call-behind-checkpoint", "a_call_names_another_checkpoint", ("ToolCallCheckpointed",), checkpoint=1)
changes("rollback-order", "its_safety_copy_is_an_older_one", ("WorkspaceRollbackStarted",), safety=1)
changes("rollback-order", "a_rollback_ends_that_never_began", ("WorkspaceRolledBack",), started_seq=1)


# ---- What is run over them ----------------------------------------------------------------------------------------

def judged(log):
    found = judge.judge(map(json.dumps, log.events))
    return found and found[1]


def main(export, db=None, eventlog=None):
    with open(export, encoding="utf-8") as lines:
        good = [json.loads(line, parse_float=judge.number) for line in lines]
    wrong = 0
    for rule, mutation in MUTATIONS:
        log = History(good)
        mutation(log)
        log.chain()
        found = judged(log)
        if found != rule:
            wrong += 1
            print(f"{mutation.__name__}: the judge says {found}, not {rule}")
        if db:
            code, said = verified(log, db, eventlog)
            if code != 5 or not any(f"rule {name}: " in said for name in (rule, ALSO.get(mutation.__name__))):
                wrong += 1
                print(f"{mutation.__name__}: eventlog verify exits with {code} and says {said}, not {rule}")
    print(f"{len(MUTATIONS)} mutations")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[2:]))

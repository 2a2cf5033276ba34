"""Histories that cannot have been: each is a good one with one change, its hashes made again behind it.

    mutations.py JUDGE EXPORT [DB EVENTLOG]

Fails if the judge, or `eventlog verify` of a copy of the log DB that has the changed events, finds another rule broken
than the mutation breaks, or none. The events are those of tests/model/mutations_test.sh.
"""
import importlib.util
import json
import sys

spec = importlib.util.spec_from_file_location("judge", sys.argv[1])
judge = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(judge)
import mutations_answers  # noqa: E402,F401
import mutations_plan  # noqa: E402,F401
from history import HASH, MUTATIONS, ZERO, History, breaks, verified  # noqa: E402

# Where `eventlog verify` sees another of the rules first that the event breaks.
ALSO = {"it_is_cancelled_behind_its_end": "state", "a_rollback_leads_to_no_checkpoint": "rollback-order",
        "a_run_is_submitted_with_no_checkpoint": "run-phase"}


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


@breaks("fence-grows")
def a_claim_uses_up_all_fences(log):
    log.get("RunClaimed", "failed", nth=1)["payload"]["fence"] = 2 ** 53 - 1


@breaks("step-status")
def a_step_starts_that_its_mission_does_not_have(log):
    at = log.find("StepStarted", "failed")
    log.put(at, log.events[at], step_id="another")


@breaks("form")
def an_attempt_counts_below_0(log):
    log.get("StepAttemptFailed")["payload"]["attempt"] = -1


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
    log.put(log.find("RunCompleted", "terms") + 1, log.get("RunCancelled"), run_id="terms", mission_id=None)


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


@breaks("mission")
def a_step_is_of_another_mission(log):
    log.get("StepStarted", "terms")["mission_id"] = "other"


@breaks("mission")
def its_mission_is_another_without_a_document(log):
    log.get("RunMissionChanged")["payload"]["mission_document"] = \
        log.get("RunStarted", "changes")["payload"]["mission_document"]


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
    gone = [{"step_id": step, "change": "removed"} for step in ("first", "added")]
    log.put(log.find("RunMissionChanged") + 1, log.get("RunMissionChanged"), steps=["blocks"], rerun=[], changes=gone,
            plan=[{}], mission_document=HASH)
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

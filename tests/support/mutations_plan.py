"""Histories that do not agree with what their missions say of the steps, and those whose forms are wrong."""
from history import HASH, breaks, changes
from mutations_answers import restored


def plan(log, run, step):
    """What the run began with of that step of it."""
    return log.get("RunStarted", run)["payload"]["plan"][step]


def forked(log):
    return log.get("StepCompleted", forked=True)


# ---- What comes before what ------------------------------------------------------------------------------------------

@breaks("needs-done")
def a_step_starts_before_the_one_before_it_is_completed(log):
    log.put(log.find("StepCompleted", "terms", "research"), log.get("StepStarted", "terms", "specify"))


@breaks("needs-done")
def a_step_starts_behind_the_failure_of_one_that_it_needs(log):
    failed = log.find("StepFailed", "failed", "fails")
    log.put(failed + 1, log.get("StepStarted", "failed", "last"), session_id=log.events[failed]["session_id"])


@breaks("needs-done")
def a_step_needs_one_that_comes_later(log):
    plan(log, "terms", 0)["needs"] = ["publish"]


@breaks("needs-done")
def a_step_is_left_out_before_what_decides_it(log):
    log.move(log.find("StepCompleted", "when", "if-so"), log.find("StepCompleted", "when", "looks"))


@breaks("needs-done")
def a_step_goes_on_without_what_its_mission_added(log):
    changed = log.get("RunMissionChanged")["payload"]
    changed["plan"][changed["steps"].index("blocks")]["needs"] = ["added"]


# ---- What is left out ------------------------------------------------------------------------------------------------

@breaks("when")
def a_step_without_a_when_is_left_out(log):
    plan(log, "when", 1).pop("when")


@breaks("when")
def somebody_goes_past_a_step_that_has_not_failed(log):
    log.get("StepCompleted", "when", "if-so")["payload"].pop("reason")


@breaks("when")
def a_step_that_failed_is_left_out_by_no_when(log):
    log.get("StepCompleted", "skipped", "fails")["payload"]["reason"] = "when"


@breaks("fork-first")
def a_fork_goes_past_a_step_with_another_output(log):
    forked(log)["payload"].update(skipped=True, output_hash=HASH)


# ---- How strictly ----------------------------------------------------------------------------------------------------

@breaks("strictness")
def a_mission_that_changes_lets_a_step_at_work_pass(log):
    at = log.find("SemanticCheckEvaluated", "terms", "specify")
    start = log.get("RunStarted", "terms")["payload"]
    log.put(at, log.get("RunMissionChanged"), run_id="terms", mission_id="refund-service", steps=start["steps"],
            changes=[], rerun=[], plan=[{"strictness": "off"}] * len(start["steps"]),
            mission_document=start["mission_document"])
    log.events[at + 1]["payload"].update(effective_strictness="off", blocked=False, recommended_action="warn")


@breaks("rollback-order")
def a_rollback_lowers_the_strictness_of_a_step(log):
    restored(log)["strictness"] = 0


changes("strictness", "what_blocks_is_let_pass_by_a_check_that_is_off", ("SemanticCheckEvaluated", "terms", "specify"),
        effective_strictness="off", blocked=False, recommended_action="warn")
changes("strictness", "a_checkpoint_is_less_strict_than_its_mission", ("StepCheckpointed", "output"), strictness="medium")
changes("strictness", "a_block_is_less_strict_than_its_mission", ("GenerationBlockedBySemanticConflict", "output"),
        effective_strictness="medium")

# ---- The mission and its steps ---------------------------------------------------------------------------------------


@breaks("mission")
def a_step_is_added_that_nobody_names(log):
    changed = log.get("RunMissionChanged")["payload"]
    changed["changes"] = [change for change in changed["changes"] if change["change"] != "added"]


@breaks("mission")
def a_step_is_removed_that_nobody_names(log):
    changed = log.get("RunMissionChanged")["payload"]
    at = changed["steps"].index("first")
    changed["steps"].pop(at)
    changed["plan"].pop(at)
    changed["rerun"] = [step for step in changed["rerun"] if step != "first"]


@breaks("mission")
def a_step_is_removed_that_stays(log):
    log.get("RunMissionChanged")["payload"]["changes"].append({"step_id": "first", "change": "removed"})


@breaks("mission")
def a_step_is_added_without_a_plan(log):
    log.get("RunMissionChanged")["payload"].pop("plan")


@breaks("form")
def a_plan_is_not_of_all_steps(log):
    log.get("RunStarted", "terms")["payload"]["plan"].pop()


@breaks("form")
def a_step_needs_what_the_mission_does_not_have(log):
    plan(log, "terms", 1)["needs"] = ["nothing"]


@breaks("form")
def a_step_has_no_such_strictness(log):
    plan(log, "terms", 1)["strictness"] = "some"


@breaks("checkpoint-number")
def a_fork_begins_with_no_checkpoint(log):
    log.get("RunStarted", forked(log)["run_id"])["payload"]["checkpoint"] = 99


# ---- Who is told, by whom, and of what -------------------------------------------------------------------------------

def tells_of(name, seq):
    @breaks("told-of")
    def mutation(log):
        log.put(len(log.events), log.get("RunCompleted", "terms"), type="RunNotified", seq=seq)
    mutation.__name__ = name


tells_of("somebody_is_told_of_what_comes_later", 10**6)
tells_of("somebody_is_told_of_what_ended_nothing", 1)


@breaks("told-of")
def somebody_is_told_of_another_run(log):
    log.put(len(log.events), log.get("RunCompleted", "terms"), type="RunNotified",
            seq=log.get("RunCompleted", "output")["seq"])


changes("scope-refs", "a_checkpoint_has_other_versions_than_its_run", ("StepCheckpointed", "terms"),
        scope_refs=[{"scope": "core", "version_id": HASH}])
changes("form", "a_run_is_claimed_by_nobody", ("RunClaimed", "terms"), owner={})
changes("form", "a_step_is_skipped_by_a_word", ("StepCompleted", "terms"), skipped="yes")
changes("form", "a_question_is_due_at_no_time", ("GlossaryClarificationRequested", "asks", "in-time"), due_at="soon")
changes("form", "a_finding_is_of_no_severity", ("SemanticCheckEvaluated", "terms", "specify"),
        findings=[{"term": "workspace", "severity": "huge"}])
changes("form", "a_run_has_no_such_strictness", ("RunStarted", "terms"), strictness="some")

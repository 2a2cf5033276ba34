"""Histories with wrong answers, sessions, checkpoints, rollbacks and forks, and with one wrong field."""
import hashlib

from history import HASH, MUTATIONS, breaks, changes


def restored(log):
    """A step that comes back by a rollback, completed."""
    return next(step for event in log.events if event["type"] == "WorkspaceRolledBack"
                for step in (event["payload"].get("restored") or {}).get("steps", []) if step["status"] == "completed")


def start(log):
    """What the fork says of its origin."""
    return log.get("RunStarted", log.get("StepCompleted", forked=True)["run_id"])["payload"]["forked_from"]


# ---- Answers ---------------------------------------------------------------------------------------------------------

@breaks("asked-first")
def it_is_answered_for_another_step(log):
    log.get("GlossaryClarificationResolved", "asks", "approve")["step_id"] = "in-time"


@breaks("asked-when-blocked")
def a_step_asks_about_what_does_not_block_it(log):
    log.get("GlossaryClarificationRequested", "terms")["payload"]["conflict_id"] = "0123456789abcdef"


@breaks("asked-when-blocked")
def a_step_asks_about_what_blocks_another_run(log):
    conflict = log.get("GlossaryClarificationRequested", "terms")["payload"]["conflict_id"]
    blocked = log.get("GenerationBlockedBySemanticConflict", "output")
    blocked["payload"]["conflicts"][0]["conflict_id"] = conflict
    log.get("GlossaryClarificationRequested", "output")["payload"]["conflict_id"] = conflict


@breaks("gate-open")
def an_answer_to_another_run_opens_its_gate(log):
    conflict = log.get("GlossaryClarificationRequested", "terms")["payload"]["conflict_id"]
    at = log.find("GlossaryClarificationRequested", "changes", "blocks")
    blocked = log.get("GenerationBlockedBySemanticConflict", "changes", "blocks")
    blocked["payload"]["conflicts"] = [{**blocked["payload"]["conflicts"][0], "conflict_id": conflict}]
    log.put(at, log.get("StepCheckpointed", "changes", "blocks"), cursor="post_clarification")


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


@breaks("answer-fits")
def somebody_answers_who_is_not_asked(log):
    answer = log.get("GlossaryClarificationResolved", "asks", "approve")
    answer["actor"] = answer["payload"]["actor"]["actor_id"] = "user:eve"


@breaks("answer-fits")
def an_answer_is_by_another_than_its_envelope_says(log):
    log.get("GlossaryClarificationResolved", "terms")["actor"] = "user:eve"


@breaks("asked-when-blocked")
def an_open_question_gets_another_time(log):
    at = log.find("GlossaryClarificationRequested", "asks", "in-time")
    log.put(at + 1, log.events[at], due_at="2020-01-01T00:00:00.000000Z")


@breaks("asked-when-blocked")
def a_question_is_asked_again_in_other_words(log):
    at = log.find("GlossaryClarificationRequested", "asks", "approve")
    log.put(at + 1, log.events[at], question="Delete it?", term="Delete it?")


@breaks("mission")
def a_question_is_another_in_the_same_mission(log):
    start = log.get("RunStarted", "asks")["payload"]
    log.put(log.find("GlossaryClarificationRequested", "asks", "approve") + 1, log.get("RunMissionChanged"),
            run_id="asks", mission_id="asks", steps=start["steps"], changes=[], rerun=[], plan=[{"ask": HASH}] * 2,
            mission_document=start["mission_document"])


@breaks("mission")
def a_mission_begins_without_a_plan(log):
    log.get("RunStarted", "terms")["payload"].pop("plan")


@breaks("question-answer")
def a_step_that_asks_ends_without_having_asked(log):
    log.get("RunStarted", "output")["payload"]["plan"][0]["ask"] = HASH


@breaks("fork-first")
def a_fork_is_of_another_mission(log):
    fork = log.get("StepCompleted", forked=True)["run_id"]
    for event in log.events:
        event["mission_id"] = "other" if event["run_id"] == fork else event["mission_id"]


@breaks("fork-first")
def a_fork_takes_over_the_answer_to_another_question(log):
    fork = log.get("StepCompleted", forked=True)
    plan = log.get("RunStarted", fork["run_id"])["payload"]
    plan["plan"][plan["steps"].index(fork["step_id"])]["ask"] = HASH


@breaks("question-answer")
def a_question_is_lifted_by_word_alone(log):
    log.put(log.find("GlossaryClarificationRequested", "asks", "approve") + 1, log.get("RunMissionChanged"),
            run_id="asks", mission_id="asks", steps=["approve", "in-time"], rerun=[],
            plan=log.get("RunStarted", "asks")["payload"]["plan"],
            mission_document=log.get("RunStarted", "asks")["payload"]["mission_document"],
            changes=[{"step_id": "approve", "change": "inputs"}])
    log.get("StepResumed", "asks", "approve")["payload"]["inputs_changed"] = True
    log.get("StepCompleted", "asks", "approve")["payload"]["output_hash"] = HASH


@breaks("in-time")
def its_time_is_over_too_early(log):
    log.get("GlossaryClarificationResolved", "asks", "in-time")["time"] = \
        log.get("GlossaryClarificationRequested", "asks", "in-time")["time"]


@breaks("in-time")
def a_person_says_that_its_time_is_over(log):
    log.get("GlossaryClarificationResolved", "asks", "in-time")["actor"] = "user:ana"


@breaks("asked-when-blocked")
def a_question_without_a_time_runs_out(log):
    log.get("GlossaryClarificationRequested", "asks", "in-time")["payload"].pop("due_at")


# ---- Sessions, checkpoints of the workspace, rollbacks ---------------------------------------------------------------

@breaks("session-known")
def a_session_starts_twice(log):
    log.put(log.find("SessionStarted", "terms") + 1, log.get("SessionStarted", "terms"))


@breaks("session-known")
def a_session_ends_for_another_run(log):
    log.get("SessionEnded", "output").update(run_id="terms", mission_id="refund-service")


@breaks("session-known")
def a_step_starts_in_the_session_of_another_run(log):
    log.get("StepStarted", "skipped")["session_id"] = log.get("SessionStarted", "failed")["session_id"]


@breaks("session-known")
def a_session_ends_twice(log):
    log.put(log.find("SessionEnded", "terms") + 1, log.get("SessionEnded", "terms"))


@breaks("session-known")
def a_session_ends_that_never_began(log):
    log.get("SessionEnded", "terms")["session_id"] = "session-none"


@breaks("session-known")
def a_session_goes_on_before_it_starts(log):
    log.move(log.find("SessionUpdated"), log.find("SessionStarted", None, None, summary="begins"))


@breaks("checkpoint-number")
def a_checkpoint_is_missing(log):
    log.events.pop(log.find("WorkspaceCheckpointed", nth=2))


@breaks("checkpoint-number")
def a_checkpoint_is_of_another_root(log):
    log.get("WorkspaceCheckpointed", nth=2)["payload"]["root"] = "/etc"


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
        blocked=True, recommended_action="block")
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
changes("asked-when-blocked", "a_question_is_about_other_inputs", ("GlossaryClarificationRequested", "asks"),
        input_hash=HASH)
changes("answer-fits", "an_answer_is_about_another_term", ("GlossaryClarificationResolved", "terms"),
        term_surface="other")
changes("answer-fits", "an_answer_is_none_of_the_options", ("GlossaryClarificationResolved", "asks", "approve"),
        answer="maybe")
changes("check-agrees", "what_blocks_does_not_block", ("SemanticCheckEvaluated", "terms", "specify"),
        blocked=False, recommended_action="warn")
changes("check-agrees", "it_is_not_so_severe", ("SemanticCheckEvaluated", "terms", "specify"), overall_severity="low")
changes("token-of-step", "it_is_resumed_where_it_never_was", ("StepResumed", "terms"), cursor="post_gate")
changes("asked-first", "what_nobody_asked_is_answered", ("GlossaryClarificationResolved", "asks"),
        conflict_id="0123456789abcdef")
for field, value in {"due_at": "2999-01-01T00:00:00.000000Z", "otherwise": "yes", "to": ["user:eve"], "options": [],
                     "question": "Later?", "term": "Later?"}.items():
    changes("asked-when-blocked", f"a_question_has_another_{field}", ("GlossaryClarificationRequested", "asks", "in-time"),
            **{field: value})
changes("asked-when-blocked", "a_term_is_asked_about_as_another", ("GlossaryClarificationRequested", "terms"),
        term="banana")
changes("in-time", "what_holds_then_is_not_what_was_said", ("GlossaryClarificationResolved", "asks", "in-time"),
        answer="yes")
changes("in-time", "a_person_gives_no_answer", ("GlossaryClarificationResolved", "asks", "approve"), answer=None)
changes("checkpoint-number", "a_rollback_leads_to_no_checkpoint", ("WorkspaceRollbackStarted",), target=99)
changes("checkpoint-number", "a_run_is_submitted_with_no_checkpoint", ("RunSubmitted",), checkpoint=99)
changes("call-behind-checkpoint", "a_call_names_another_checkpoint", ("ToolCallCheckpointed",), checkpoint=1)
changes("rollback-order", "its_safety_copy_is_an_older_one", ("WorkspaceRollbackStarted",), safety=1)
changes("rollback-order", "a_rollback_ends_that_never_began", ("WorkspaceRolledBack",), started_seq=1)

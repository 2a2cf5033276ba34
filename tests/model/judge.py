#!/usr/bin/env python3
"""Decides whether exported logs tell a legal history, by docs/reference/event-log.md alone.

    judge.py [FILE...]    read `eventlog export` from the files, or from standard input

Prints `FILE: seq N: rule NAME: what` for the first event of a log that breaks a rule, and exits with 1. It shares no
code with the library and was written without a look at the code that enforces the rules.
"""
import collections
import hashlib
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from asking import Conflict, conflict_id, request_id, what_is_asked  # noqa: E402
from canonical import canonical, number  # noqa: E402
from forms import ID, LEVELS, TYPES, fits  # noqa: E402
from phases import (AGAIN, AT_WORK, ENDS, NAMED_CHECKPOINTS, NEEDED, NEW, OF_NO_RUN, PHASES, SESSION_TYPES, STEP_TYPES,  # noqa: E402
                    STEPS, THREAD_TYPES, UNBEGUN)

class Step:
    def __init__(self):
        self.status, self.passed_gate = NEW, False
        self.open = set()  # conflicts; None is one that is not named yet
        self.checkpoint = {}  # the payload of the last one, or what a rollback restored of it
        self.checkpoints = set()  # (retry_token, cursor)
        self.held_output = None
        self.question = None  # the conflict_id of its newest request, if that asks people
        self.output_hash = None
        self.plan, self.strictness = {}, 0  # what the mission says of it; that with which it started last
        self.past = []  # (seq, status, output_hash, strictness) after each event that changed it

    def make_pending(self, status="pending"):
        self.status, self.passed_gate, self.held_output, self.output_hash = status, False, None, None
        self.strictness = 0

    def note(self, seq):
        self.past.append((seq, self.status, self.output_hash, self.strictness, self.plan.get("ask")))

    def at(self, seq):
        """(status, output_hash, strictness, what it asks) at that place of the log."""
        return next((tuple(was) for then, *was in reversed(self.past) if then <= seq), (NEW, None, 0, None))


class Run:
    def __init__(self, first):
        self.id, self.mission, self.document = first["run_id"], first["mission_id"], None
        self.thread = first["type"] in THREAD_TYPES
        imported = first["type"] == "RunStarted" and "origin" in (first["payload"] or {})
        self.judged = first["v"] == 2 and not self.thread and not imported
        self.phase, self.session = "unknown", None
        self.fence = 0
        self.order = []  # the ids of the steps that count
        self.planned, self.scope_refs = False, None
        self.tells = set()  # the seqs of the events that somebody is told of
        self.steps = collections.defaultdict(Step)
        self.conflicts = collections.defaultdict(Conflict)
        self.forking = False  # nothing but forked steps came since its RunStarted
        self.forked_from, self.started = None, 0

    def take_plan(self, payload):
        self.planned |= "plan" in payload
        for at, step in enumerate(payload.get("plan", ())):
            self.steps[payload["steps"][at]].plan = {"needs": payload["steps"][max(at - 1, 0):at], **step}

    def note_all(self, seq):
        for step in self.steps.values():
            step.note(seq)


class Illegal(Exception):
    pass


class Judge:
    def __init__(self):
        self.seq, self.prev = 0, bytes(32)
        self.before = {}  # the payload of the event before, if that is a WorkspaceCheckpointed
        self.version = 1  # the newest yet; of an event of the first one, only chain and form are judged
        self.runs = {}
        self.tokens = set()
        self.sessions, self.ended = {}, set()  # the run of each
        self.trees, self.taken = {}, {}  # of each checkpoint of the workspace, and its seq
        self.rollbacks, self.root = {}, None  # the seq of the one under way, by work tree; the root of the log's own

    def require(self, holds, rule, what):
        if not holds and (self.version == 2 or rule in ("chain", "form")):
            raise Illegal(self.seq, rule, what)

    def read(self, line):
        """Judge one line of the export."""
        self.seq += 1
        event = json.loads(line, parse_float=number)
        self.check_chain(event)
        self.check_form(event)
        kind, payload = event["type"], event["payload"] or {}
        self.check_log(event, kind, payload)
        if event["run_id"] is not None and kind not in OF_NO_RUN and not payload.get("imported"):
            self.check_run(event, kind, payload)
        self.before = payload if kind == "WorkspaceCheckpointed" else {}
        if kind == "StepCheckpointed":
            self.tokens.add(payload.get("retry_token"))

    def check_chain(self, event):
        self.require(event["seq"] == self.seq, "chain", f"its seq is {event['seq']}")
        self.require(event["prev"] == self.prev.hex(), "chain", "its prev is not the hash of the event before it")
        pruned = event["payload"] is None
        self.require(("payload_hash" in event) == pruned, "chain", "either payload or payload_hash is there")
        payload_hash = bytes.fromhex(event["payload_hash"]) if pruned else \
            hashlib.sha256(canonical(event["payload"])).digest()
        outside = ("payload", "payload_hash", "prev", "hash", "mac")
        envelope = canonical({name: event[name] for name in event if name not in outside})
        digest = hashlib.sha256(self.prev + payload_hash + envelope).hexdigest()
        self.require(event["hash"] == digest, "chain", "its hash does not fit")
        self.prev = bytes.fromhex(event["hash"])

    def check_form(self, event):
        kind, payload = event["type"], event["payload"]
        self.require(kind in TYPES, "form", f"there is no type {kind}")
        self.require(event["v"] in (1, 2), "form", f"v is {event['v']}")
        self.require(event["v"] >= self.version, "version", "v 1 follows v 2")
        self.version = max(self.version, event["v"])
        self.require(fits(event["time"], "time"), "form", "time")
        for name in ("mission_id", "run_id", "step_id", "session_id", "actor"):
            absent = event[name] is None and kind not in NEEDED.get(name, ())
            self.require(absent or fits(event[name], "text"), "form", f"{kind} with the {name} {event[name]}")
        if payload is None:
            return
        self.require(fits(payload, "object"), "form", "the payload is no object")
        if "origin" in payload:  # it keeps what the log had that it comes from
            return
        for name, form in TYPES[kind]:
            value = payload.get(name)
            if not fits(value, form) and (self.version == 2 or value is None):
                self.require(False, "form", f"{kind}.{name} is {json.dumps(value)[:60]}")
        if self.version == 2 and "plan" in payload:
            needs = {need for step in payload["plan"] for need in step.get("needs", ())}
            ids = payload["steps"]
            self.require(len(payload["plan"]) == len(ids), "form", "the plan is not of its steps")
            self.require(needs <= set(ids) and all(map(ID, ids)), "form", f"the plan needs {needs}")
        if kind == "StepCheckpointed":
            self.require(len(canonical(payload)) <= 1024, "form", "a checkpoint of more than 1,024 bytes")
        if kind == "WorkspaceRolledBack":
            runs = {of["run_id"] for of in [*payload["steps"], payload.get("restored")] if of}
            self.require(runs <= {event["run_id"]}, "form", f"it gives up steps of {runs}")

    def check_log(self, event, kind, payload):
        if kind in SESSION_TYPES:
            known = event["session_id"] in self.sessions
            self.require(known != (kind == "SessionStarted"), "session-known",
                         f"{kind} of session {event['session_id']}, which has {'' if known else 'not '}started before")
            run_id = self.sessions.setdefault(event["session_id"], event["run_id"])
            self.require(event["run_id"] == run_id, "session-known", f"the session is of run {run_id}")
            self.require(kind != "SessionEnded" or event["session_id"] not in self.ended, "session-known", "it ended before")
            self.ended |= {event["session_id"]} if kind == "SessionEnded" else set()
        elif kind == "WorkspaceCheckpointed":
            self.require(payload["n"] == len(self.trees) + 1, "checkpoint-number",
                         f"{payload['n']} follows {len(self.trees)}")
            tree = payload.get("worktree", "")
            self.require(tree not in self.rollbacks or payload.get("of_run"), "checkpoint-number",
                         f"a checkpoint during the rollback of seq {self.rollbacks.get(tree)}")
            if not (tree or payload.get("of_run") or payload.get("imported")):
                self.root = self.root or payload["root"]
                self.require(payload["root"] == self.root, "checkpoint-number", f"the root was {self.root}")
            self.trees[payload["n"]], self.taken[payload["n"]] = payload["tree"], event["seq"]
        elif kind == "ToolCallCheckpointed":
            behind = (payload["checkpoint"], payload["checkpoint_id"]) == (self.before.get("n"), self.before.get("id"))
            self.require(behind, "call-behind-checkpoint", f"checkpoint {payload['checkpoint']} is not right before it")
        elif kind == "WorkspaceRollbackStarted":
            tree = self.before.get("worktree", "")
            self.require(tree not in self.rollbacks, "rollback-order", f"the rollback of seq {self.rollbacks.get(tree)} is under way")
            self.require(payload["safety"] == self.before.get("n") and self.before.get("safety"), "rollback-order",
                         f"its safety copy {payload['safety']} is not right before it")
            self.rollbacks[tree] = event["seq"]
        elif kind == "WorkspaceRolledBack":
            under_way = [tree for tree, seq in self.rollbacks.items() if seq == payload["started_seq"]]
            self.require(under_way, "rollback-order", f"the rollback of seq {payload['started_seq']} is not under way")
            for tree in under_way:
                del self.rollbacks[tree]
        named = [payload.get(field, []) for field in NAMED_CHECKPOINTS.get(kind, ())]
        if kind == "Pruned" and payload["kind"] == "checkpoints":
            named = [payload["pruned"]]
        for n in [n for some in named for n in (some if isinstance(some, list) else [some])]:
            self.require(n in self.trees, "checkpoint-number", f"{kind} names {n}, which is not there")
        if kind == "WorkspaceRollbackStarted":
            tree = self.trees[payload["target"]]
            self.require(payload["tree"] == tree, "rollback-order", "the target's tree is another")
            self.rolled_back_to = self.taken[payload["target"]]

    def check_run(self, event, kind, payload):
        if event["run_id"] not in self.runs:
            self.runs[event["run_id"]] = Run(event)
        run = self.runs[event["run_id"]]
        self.require(run.thread == (kind in THREAD_TYPES), "thread",
                     f"{kind} in the run of a {'thread' if run.thread else 'mission'}")
        if not run.judged:
            return
        self.require("origin" not in payload, "no-origin", f"{kind} has an origin")
        self.require(run.phase in PHASES.get(kind, AT_WORK), "run-phase", f"{kind} while the run is {run.phase}")
        self.require(event["mission_id"] in (None, run.mission), "mission", f"the run is of {run.mission}")
        if event["payload"] is None:
            if kind in STEPS and kind != "StepCompleted":  # the type alone decides
                status = run.steps[event["step_id"]].status
                self.require(status in STEPS[kind][0], "step-status", f"{kind} while it is {status}")
            return
        if kind == "RunNotified":
            self.require(payload["seq"] in run.tells, "told-of", f"{payload['seq']} is not its end")
        elif kind == "RunClaimed":
            self.require(0 < payload["fence"] - run.fence <= 1_000_000, "fence-grows", f"it follows {run.fence}")
        elif kind in ("RunStarted", "RunSubmitted"):
            self.require("plan" in payload or not payload.get("mission_document"), "mission", "it has no plan")
        if payload.get("forked_from") and kind == "RunStarted":
            origin, seq = payload["forked_from"]["run_id"], payload["forked_from"]["seq"]
            there = origin != event["run_id"] and origin in self.runs and self.runs[origin].phase not in UNBEGUN and \
                self.runs[origin].mission == run.mission and self.runs[origin].planned <= ("plan" in payload)
            self.require(there and 0 < seq < event["seq"], "fork-first", f"it is forked from {origin} at {seq}")
        elif kind == "WorkspaceRolledBack":
            for step in (payload.get("restored") or {}).get("steps") or []:
                then = run.steps[step["step_id"]].at(self.rolled_back_to)
                is_it = (step["status"], step.get("output_hash"), step.get("strictness") or 0)
                self.require(is_it == then[:3], "rollback-order",
                             f"restored has another {step['step_id']} than the target, {then}")
        elif kind == "RunCompleted":
            for step_id in run.order:
                status = run.steps[step_id].status
                self.require(status in ("completed", "skipped"), "all-steps-done", f"step {step_id} is {status}")
        elif kind == "GlossaryClarificationResolved":
            self.check_answer(event, run.conflicts[payload["conflict_id"]], payload)
        elif kind in STEP_TYPES:
            self.check_step(run, run.steps[event["step_id"]], event, kind, payload)
        has_it = kind not in STEP_TYPES or not run.session or event["session_id"] in (None, run.session)
        self.require(has_it, "session-known", f"session {run.session} has the run")
        self.apply_run(run, event, kind, payload)
        if kind in STEP_TYPES:
            self.apply_step(run, run.steps[event["step_id"]], event, kind, payload)

    def apply_run(self, run, event, kind, payload):
        run.tells |= {event["seq"]} if kind in ("RunCompleted", "RunFailed", "GenerationBlockedBySemanticConflict") else set()
        if kind in ("RunStarted", "RunSubmitted"):
            run.forked_from, run.started = payload.get("forked_from"), event["seq"]
        run.forking = kind == "RunStarted" and "forked_from" in payload or \
            run.forking and kind == "StepCompleted" and payload.get("forked") is True
        if kind == "RunClaimed":
            run.fence, run.session = payload["fence"], event["session_id"]
            run.phase = {"unknown": "claimed", "queued": "open"}.get(run.phase, run.phase)
            if run.phase + "+" in AGAIN:
                run.phase += "+"
        elif kind in ENDS:
            run.phase = ENDS[kind]
        elif kind in ("RunStarted", "RunSubmitted"):
            run.phase = "open" if kind == "RunStarted" else "queued"
            run.order = list(payload["steps"])
            for step_id in run.order:
                run.steps[step_id].make_pending()
            run.take_plan(payload)
            run.scope_refs = payload["scope_refs"]
            run.note_all(event["seq"])
            run.document = payload.get("mission_document") or payload.get("mission_hash")
        elif kind == "RunMissionChanged":
            self.apply_mission_change(run, payload)
            run.note_all(event["seq"])
        elif kind == "WorkspaceRolledBack" and (payload["steps"] or payload.get("restored")):
            self.apply_rollback(run, payload["steps"], payload.get("restored") or {})
            run.note_all(event["seq"])
        elif kind == "GlossaryClarificationResolved":
            conflict = run.conflicts[payload["conflict_id"]]
            conflict.answer, conflict.answered = payload, event["seq"]
        if kind in ("StepStarted", "StepResumed", "RunMissionChanged"):
            run.phase = "open"

    def apply_mission_change(self, run, payload):
        had, has = set(run.order), set(payload["steps"])
        named = sorted((change["change"], change["step_id"]) for change in payload["changes"]
                       if change["change"] in ("added", "removed"))
        are = sorted([("added", step_id) for step_id in has - had] + [("removed", step_id) for step_id in had - has])
        self.require(named == are, "mission", f"{are} is not {named}")
        self.require("plan" in payload or not run.planned or has <= had, "mission", "it adds a step without a plan")
        for step_id in had - has:
            if run.steps[step_id].status != "completed":
                run.steps[step_id].make_pending("skipped")
        run.order = list(payload["steps"])
        for step_id in run.order:
            if step_id in payload["rerun"] or run.steps[step_id].status in (NEW, "skipped"):
                run.steps[step_id].make_pending()
        document = payload.get("mission_document") or payload.get("mission_hash") or run.document
        for at, step in enumerate(payload.get("plan", ())):
            was = run.steps[payload["steps"][at]].plan
            self.require(document != run.document or not was or was.get("ask") == step.get("ask"), "mission",
                         f"{payload['steps'][at]} asks something else")
        run.take_plan(payload)
        for change in payload["changes"]:
            is_other = document != run.document or run.document is None or change["change"] in ("inputs", "glossary")
            self.require(is_other, "mission", f"the document is the same: {change}")
            if document != run.document:
                run.steps[change["step_id"]].question = None
        run.document = document

    def apply_rollback(self, run, steps, restored):
        run.phase = restored["status"] + "+" if restored.get("status") in ENDS.values() else "open"
        for step in steps:
            run.steps[step["step_id"]].make_pending()
        for step in restored.get("steps") or []:
            was = run.steps[step["step_id"]]
            was.status, was.checkpoint = step["status"], step
            was.passed_gate = bool(step.get("gate_passed"))
            names = step.get("open_conflicts")
            was.open = set() if names is None else {name or None for name in names.split(" ")}
            was.question, was.held_output = step.get("question"), step.get("held_output")
            was.output_hash, was.strictness = step.get("output_hash"), step.get("strictness") or 0

    def check_answer(self, event, conflict, payload):
        request, replaces = conflict.request, payload.get("replaces")
        self.require(request, "asked-first", f"nobody asked {payload['conflict_id']}")
        self.require(event["step_id"] == conflict.step_id, "asked-first", f"step {conflict.step_id} asked")
        self.require(not conflict.is_resolved() or replaces == conflict.answered, "answered-once",
                     f"it replaces {replaces}; the answer in force is {conflict.answered}")
        question = request.get("conflict_type") == "question"
        self.require(question or payload["selected_sense"], "form", "the answer has no sense")
        fits = payload["term_surface"] == request["term"] and payload["actor"]["actor_id"] == event["actor"]
        if not question:
            surfaces = [request["term"]] + [option["surface"] for option in request["options"]]
            fits &= payload.get("normal", request["term"]) == request["term"]
            fits &= payload["selected_sense"]["surface"] in surfaces
        elif payload["resolution_mode"] != "timeout":
            options = [option["definition"] for option in request["options"]]
            fits &= event["actor"] in (request.get("to") or [event["actor"]])
            fits &= payload.get("answer") is None or not options or payload["answer"] in options
        if payload["resolution_mode"] != "timeout":
            self.require(not question or payload.get("answer") is not None, "in-time", "a person answers null")
            self.require(fits, "answer-fits", "it is no answer to that, or not by its actor")
            return
        actors = {event["actor"], payload["actor"].get("actor_id")}
        due_at, otherwise = request.get("due_at"), request.get("otherwise")
        self.require(actors == {"system:timeout"}, "in-time", "its actor is not system:timeout")
        self.require(due_at and event["time"] >= due_at, "in-time", f"it was due at {due_at}")
        self.require(payload.get("answer") == otherwise, "in-time", f"the answer is not {otherwise}")
        self.require(fits, "answer-fits", "it is no answer to that")

    def variant(self, kind, payload):
        if kind == "StepCheckpointed":
            return f"{kind} at {payload['cursor']}"
        with_ = [name for name in ("forked", "skipped") if kind == "StepCompleted" and payload.get(name) is True]
        return f"{kind} with {with_[0]}" if with_ else kind

    def check_step(self, run, step, event, kind, payload):
        case, step_id = self.variant(kind, payload), event["step_id"]
        self.require(kind != "StepStarted" or step.status != NEW or not run.document, "step-status", "no step of its mission")
        left_out = case == "StepCompleted with skipped" and payload.get("reason") == "when" and step.question is None
        apart = step.status == "blocked" and (left_out or case == "StepStarted" and not step.open - {None})
        self.require(apart or step.status in STEPS[case][0], "step-status", f"{case} while it is {step.status}")
        if case in ("StepCheckpointed at post_gate", "StepCheckpointed at post_clarification", "StepCompleted"):
            self.require(not self.unanswered(run, step), "gate-open", f"{self.unanswered(run, step)} is open")
        if case in ("StepCheckpointed at post_generation", "StepCompleted"):
            self.require(step.passed_gate, "gate-passed", f"{case} of a step that has not passed the gate")
        last, plan = step.checkpoint, step.plan or {"needs": []}
        by_when = case == "StepCompleted with skipped" and payload.get("reason") == "when"
        if case == "StepCompleted with skipped" and step.plan:
            self.require(plan.get("when") if by_when else step.status == "failed", "when", "nothing leaves it out")
        if kind in ("StepStarted", "StepResumed") or by_when:
            for need in plan["needs"]:
                status = run.steps[need].status
                self.require(status in ("completed", "skipped"), "needs-done", f"{need} is {status}")
        for name in ("strictness", "effective_strictness"):
            less = LEVELS.get(payload.get(name), 2) < step.strictness
            self.require(not less, "strictness", f"it began with {step.strictness}")
        refs = payload["scope_refs"] if kind == "StepCheckpointed" else run.scope_refs
        self.require(refs == run.scope_refs, "scope-refs", f"the run has {run.scope_refs}")
        if case == "StepCompleted":
            self.require(payload["input_hash"] == last.get("input_hash"), "input-hash", "the checkpoint's is another")
            self.require(step.held_output in (None, payload["output_hash"]), "output-held",
                         "the last checkpoint's output_hash is another")
            asked = run.conflicts[step.question].request.get("input_hash")
            if plan.get("ask") or step.question is not None and asked == payload["input_hash"]:
                answer = run.conflicts[step.question].answer.get("answer")
                is_it = fits(answer, "text") and payload["output_hash"] == hashlib.sha256(canonical(answer)).hexdigest()
                self.require(is_it, "question-answer", f"the output is not the answer to {step.question}")
        elif kind == "GlossaryClarificationRequested":
            self.require(payload["conflict_id"] in step.open, "asked-when-blocked",
                         f"the step is not blocked by {payload['conflict_id']}")
            at = {name: last.get(name) for name in ("retry_token", "input_hash")}
            self.require(at.items() <= payload.items(), "asked-when-blocked", f"the last checkpoint is {at}")
            conflict = run.conflicts[payload["conflict_id"]]
            right = request_id(run.id, step_id, payload)
            self.require(payload["conflict_id"] == right, "asked-when-blocked", f"the conflict about that is {right}")
            if payload.get("conflict_type") == "question" and step.plan:
                is_it = what_is_asked(payload, conflict.opened(event["time"])) == plan.get("ask")
                self.require(is_it, "asked-when-blocked", "its mission does not have the step ask that")
        elif kind == "SemanticCheckEvaluated":
            self.check_evaluation(run, step_id, payload)
        elif case == "StepCompleted with skipped" and step.status == "failed":
            self.require(not self.unanswered(run, step), "gate-open", f"{self.unanswered(run, step)} is open")
        elif case == "StepCompleted with forked":
            self.require(run.forking, "fork-first", "it is not right behind the RunStarted of its fork")
            origin, seq = run, run.forked_from["seq"]
            while origin and origin.started > seq:
                origin = self.runs.get((origin.forked_from or {}).get("run_id"))
            then = origin.steps[step_id].at(seq) if origin else None
            is_it = then and then[:2] + then[3:] == ("completed", payload["output_hash"], step.plan.get("ask"))
            self.require(is_it, "fork-first", f"there it was {then}")
        elif kind == "StepCheckpointed":
            again = all(payload[name] == last.get(name) for name in ("retry_token", "input_hash"))
            self.require(again or payload["retry_token"] not in self.tokens, "token-once",
                         f"{payload['retry_token']} is a token of another step or of other inputs")
        elif kind in ("StepResumed", "StepResumeAborted"):
            place = payload["retry_token"], payload["cursor"]
            places = step.checkpoints
            if payload["cursor"] in ("post_gate", "post_generation"):
                places = [(last.get("retry_token"), last.get("cursor"))]
            self.require(place in places, "token-of-step", f"{place} is not the place of a checkpoint of the step")

    def unanswered(self, run, step):
        return [conflict for conflict in step.open if not (conflict and run.conflicts[conflict].is_resolved())]

    def check_evaluation(self, run, step_id, payload):
        ranks, phase = ["none", "low", "medium", "high"], payload.get("phase") or "inputs"
        least = {"max": 1, "medium": 3 if phase == "inputs" else 4, "off": 4}[payload["effective_strictness"]]
        agrees = payload["blocked"] == (payload["recommended_action"] == "block")
        highest = max((ranks.index(finding["severity"]) for finding in payload["findings"]), default=0)
        for finding in payload["findings"]:
            resolved = run.conflicts[conflict_id(run.id, step_id, phase, finding["term"])].is_resolved()
            agrees &= payload["blocked"] or ranks.index(finding["severity"]) < least or resolved
        self.require(agrees and payload["overall_severity"] == ranks[highest], "check-agrees",
                     "what it says of all is not what its findings are")

    def apply_step(self, run, step, event, kind, payload):
        status = STEPS[self.variant(kind, payload)][1]
        if status and event["step_id"] not in run.order:
            run.order.append(event["step_id"])
        step.status = status or step.status
        if status in ("running", "completed"):
            step.output_hash = payload.get("output_hash", step.output_hash if kind != "StepStarted" else None)
        if kind == "StepStarted":
            step.passed_gate, step.held_output = False, None
            step.strictness = LEVELS[step.plan.get("strictness", "medium")] if step.plan else 0
            step.open.discard(None)
        elif kind == "StepCompleted":
            step.passed_gate, step.open, step.question, step.held_output = False, set(), None, None
        elif kind == "StepCheckpointed":
            step.checkpoint, cursor = payload, payload["cursor"]
            step.checkpoints.add((payload["retry_token"], cursor))
            step.passed_gate |= cursor == "post_gate"
            step.held_output = payload.get("output_hash") if cursor == "post_generation" else step.held_output
        elif kind == "StepResumed":
            same = not payload["inputs_changed"]
            step.passed_gate = same and payload["cursor"] in ("post_gate", "post_generation")
            step.held_output = step.held_output if same and payload["cursor"] == "post_generation" else None
        elif kind == "SemanticCheckEvaluated":
            step.open = step.open | {None} if payload["blocked"] else set()
        elif kind == "GenerationBlockedBySemanticConflict":
            step.open = {finding["conflict_id"] for finding in payload["conflicts"]} or step.open
            step.passed_gate &= step.checkpoint.get("cursor") != "pre_generation_gate"
        elif kind == "GlossaryClarificationRequested":
            conflict = run.conflicts[payload["conflict_id"]]
            asks_people = payload.get("conflict_type") == "question"
            conflict.since = conflict.opened(event["time"])
            if not conflict.request or asks_people or payload.get("unverified") == conflict.answered:
                conflict.reopened = event["seq"]
            conflict.request, conflict.step_id = payload, event["step_id"]
            step.question = payload["conflict_id"] if asks_people else None
        step.note(event["seq"])


def judge(lines, kind=Judge):
    """What is illegal in the lines of an export, (seq, rule, what), or None."""
    court = kind()
    try:
        for line in lines:
            court.read(line)
    except Illegal as illegal:
        return illegal.args
    except (AttributeError, KeyError, TypeError, ValueError) as error:  # it is not of an event's form at all
        return court.seq, "form", repr(error)
    return None


def main(names):
    code = 0
    for name in names or ["/dev/stdin"]:
        with open(name, encoding="utf-8") as lines:
            found = judge(lines)
        if found:
            print("{}: seq {}: rule {}: {}".format(name, *found))
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

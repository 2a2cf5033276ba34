#!/usr/bin/env python3
"""A log of glossary events in spec-kitty's form: foreign_events.py > 041-billing.events.jsonl.

One mission: a word with two senses blocks a step, is asked about, answered, and defined; the step goes on.
"""
import hashlib
import json
import sys
import uuid

IDS = (str(uuid.UUID(int=(4 << 76) | (2 << 62) | n)) for n in range(1, 1000))
ACTOR = {"actor_id": "user:alice", "actor_type": "human", "display_name": "Alice"}
INPUTS = {"description": "Refunds land in the workspace \u2014 na\u00efve", "limits": [1.0, 1e16, 3]}
WORKSPACE = [
    {"surface": "workspace", "scope": "team_domain", "definition": "Git worktree directory", "confidence": 0.9},
    {"surface": "workspace", "scope": "spec_kitty_core", "definition": "VS Code workspace file", "confidence": 0.7},
]
second = 0


def event(event_type, step=True, run=True, **members):
    global second
    second += 1
    made = {"event_type": event_type, "event_id": next(IDS),
            "timestamp": f"2026-02-16T12:00:{second:02}.000{second:03}+00:00", **members}
    if run:
        made |= {"mission_id": "041-billing", "run_id": "run-2026-02-16-001"}
    if step:
        made["step_id"] = "step-specify-001"
    return made


def conflict():
    return {"term": {"surface_text": "workspace"}, "conflict_type": "ambiguous", "severity": "high", "confidence": 0.9,
            "candidate_senses": WORKSPACE, "context": "description field"}


def provenance():
    return {"source": "user_clarification", "timestamp": "2026-02-16T12:00:30+00:00", "actor_id": "user:alice"}


def input_hash():
    return hashlib.sha256(json.dumps(INPUTS, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def checkpointed(cursor, **more):
    return event("StepCheckpointed", strictness="medium", scope_refs=[{"scope": "team_domain", "version_id": "v3"}],
                 input_hash=input_hash(), cursor=cursor, retry_token=next(IDS), **more)


def log():
    conflict_id = next(IDS)
    yield event("GlossaryScopeActivated", step=False, scope_id="team_domain", glossary_version_id="v3")
    yield event("GlossaryScopeActivated", step=False, scope_id="spec_kitty_core", glossary_version_id="v1")
    for sense in WORKSPACE:
        yield event("GlossarySenseUpdated", step=False, run=False, term_surface="workspace", scope=sense["scope"],
                    new_sense={**sense, "status": "active"}, actor=ACTOR, update_type="create", provenance=provenance())
    yield event("TermCandidateObserved", step=False, term="workspace", source_step="step-specify-001",
                actor_id="llm:claude", confidence=0.8, extraction_method="casing_pattern", context="source: casing_pattern")
    yield event("SemanticCheckEvaluated", findings=[conflict()], overall_severity="high", confidence=0.9,
                effective_strictness="medium", recommended_action="block", blocked=True)
    yield checkpointed("pre_generation_gate", inputs=INPUTS)
    yield event("GenerationBlockedBySemanticConflict", conflicts=[conflict()], strictness_mode="medium",
                effective_strictness="medium")
    yield event("GlossaryClarificationRequested", conflict_id=conflict_id, term="workspace",
                question="What does 'workspace' mean in this context?", options=[s["definition"] for s in WORKSPACE],
                urgency="high", semantic_check_event_id="a-check")
    yield event("GlossaryClarificationResolved", step=False, run=False, conflict_id=conflict_id, term_surface="workspace",
                selected_sense=WORKSPACE[0], actor=ACTOR, resolution_mode="interactive", provenance=provenance())
    yield event("GlossarySenseUpdated", step=False, run=False, term_surface="refunds", scope="mission_local",
                new_sense={"surface": "refunds", "scope": "mission_local", "definition": "Money that goes back.",
                           "confidence": 1.0, "status": "active"},
                actor=ACTOR, update_type="create", provenance=provenance())
    yield checkpointed("post_gate")
    # an event that says its own hash, over all but that
    hashed = checkpointed("post_clarification", note="caf\u00e9")
    hashed["hash"] = hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()
    yield hashed


for each in log():
    sys.stdout.write(json.dumps(each, sort_keys=True, default=str) + "\n")

"""When each event may come, by docs/reference/event-log.md, for the judge of histories (judge.py)."""

SESSION_TYPES = {"SessionStarted", "SessionUpdated", "SessionCheckpointed", "SessionNoted", "SessionEnded"}
THREAD_TYPES = {"ThreadCheckpointed", "ThreadWritesPut"}
OF_NO_RUN = {"Pruned", "CheckpointUpdated", "CheckpointInvalidated"}
NAMED_CHECKPOINTS = {  # the fields that name a checkpoint of the workspace
    "CheckpointInvalidated": ["n"], "CheckpointUpdated": ["n"], "ToolCallCheckpointed": ["checkpoint"],
    "WorkspaceRollbackStarted": ["target", "safety"], "WorkspaceRolledBack": ["invalidated", "revalidated"],
    "RunSubmitted": ["checkpoint"], "RunStarted": ["checkpoint"],
}
# The phases of a run; one with a "+" is of a run that was claimed again behind its end.
AGAIN = {"completed+", "failed+", "cancelled+"}
AT_WORK = {"open", "failed+"}
UNBEGUN = {"unknown", "claimed"}
BEGUN = {"queued", "open", "completed", "failed", "cancelled"} | AGAIN
ENDS = {"RunCompleted": "completed", "RunFailed": "failed", "RunCancelled": "cancelled"}
PHASES = {  # each other event of a run: AT_WORK
    "RunClaimed": BEGUN | {"unknown", "claimed"},
    "RunStarted": {"claimed"}, "RunSubmitted": {"unknown"},
    "RunMissionChanged": AT_WORK | {"completed+"},
    "WorkspaceRolledBack": {"open"} | AGAIN,
}
for name in "GlossaryClarificationResolved GlossarySenseUpdated GlossaryScopeActivated TermCandidateObserved".split():
    PHASES[name] = AT_WORK | {"queued", "failed"}
for name in "SessionEnded RunNotified WorkspaceCheckpointed ToolCallCheckpointed WorkspaceRollbackStarted".split():
    PHASES[name] = BEGUN
NEW = "not named yet"
STEPS = {  # event -> (allowed while the step is, then it is)
    "StepStarted": ({NEW, "pending", "failed", "running"}, "running"),
    "StepResumed": ({"blocked", "failed", "running"}, "running"),
    "StepResumeAborted": ({"blocked", "failed", "running", "completed"}, None),
    "StepAttemptFailed": ({"running"}, None),
    "SemanticCheckEvaluated": ({"running"}, None),
    "TermCandidateObserved": ({"running", NEW}, None),
    "StepCheckpointed at pre_generation_gate": ({"running"}, None),
    "StepCheckpointed at post_gate": ({"running"}, None),
    "StepCheckpointed at post_clarification": ({"blocked"}, None),
    "StepCheckpointed at post_generation": ({"running", "blocked"}, None),
    "GenerationBlockedBySemanticConflict": ({"running"}, "blocked"),
    "GlossaryClarificationRequested": ({"blocked"}, None),
    "StepCompleted": ({"running"}, "completed"),
    "StepCompleted with skipped": ({"pending", "failed"}, "completed"),
    "StepCompleted with forked": ({"pending"}, "completed"),
    "StepFailed": ({"pending", "running", "blocked", "failed"}, "failed"),
}
STEP_TYPES = {event.split()[0] for event in STEPS}
MISSION_TYPES = {"RunClaimed", "RunStarted", "RunSubmitted", "GlossaryClarificationRequested"}
NEEDED = {  # in the envelope
    "mission_id": MISSION_TYPES, "session_id": SESSION_TYPES, "step_id": STEP_TYPES | THREAD_TYPES,
    "run_id": {"RunNotified", "RunMissionChanged", *ENDS} | MISSION_TYPES | STEP_TYPES | THREAD_TYPES,
}

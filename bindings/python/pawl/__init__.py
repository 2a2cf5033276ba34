"""Pawl: checkpoints and resume for long missions.

    with pawl.Log.open(".pawl/events.db") as log:
        result = pawl.Mission.load("mission.yaml").run(log)
        if result.status == "blocked":
            for conflict in log.conflicts(result.run_id): ...

Failures raise pawl.Error, which carries `status` and `message`. A run that is blocked, failed or was
interrupted is no failure of the call: its result says so. What the library gives is copied, and stays.
"""

from pawl._json import canonical, hash
from pawl._lib import Error, Record, ffi, lib
from pawl._log import Log, parse_checkpoint
from pawl._mission import Mission
from pawl._pipeline import Context, Pipeline
from pawl._sessions import parse_handoff

__all__ = ["Context", "Error", "Log", "Mission", "Pipeline", "Record", "canonical", "hash", "parse_checkpoint", "parse_handoff", "version"]


def version() -> str:
    return ffi.string(lib.pawl_version()).decode()

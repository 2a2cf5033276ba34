#!/usr/bin/env python3
"""Prints the hashes that tests/events/append_test.c expects, from docs/reference/event-log.md alone."""
import hashlib
import json


def canonical(value):
    # Enough of RFC 8785 for these values: ASCII names, no fractions.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


events = [
    dict(type="GlossaryScopeActivated", actor="user:ana", mission_id="m\u00e9", run_id=None,
         step_id=None, session_id=None, v=1, time="2026-11-20T12:35:00.000000Z",
         payload={"scope_id": "core", "glossary_version_id": "v1"}),
    dict(type="SessionStarted", actor=None, mission_id='m "2"', run_id="r", step_id="s",
         session_id="x", v=1, time="1969-12-31T23:59:59.999999Z", payload={}),
]
prev = bytes(32)
for seq, event in enumerate(events, 1):
    payload = canonical(event.pop("payload"))
    envelope = canonical(dict(event, seq=seq))
    prev = hashlib.sha256(prev + hashlib.sha256(payload).digest() + envelope).digest()
    print(prev.hex())

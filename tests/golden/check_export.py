#!/usr/bin/env python3
"""Verifies the output of `eventlog export` on stdin, from docs/reference/event-log.md alone: every hash, and that each
event follows the one before it. Prints how many events there were, and of how many the payload was pruned."""
import hashlib
import json
import sys

OUTSIDE = {"payload", "payload_hash", "prev", "hash", "mac"}


def canonical(value):
    # Enough of RFC 8785 for a log whose names and numbers are plain: ASCII names, no fractions that print otherwise.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


prev, pruned, seq = bytes(32), 0, 0
for seq, line in enumerate(sys.stdin, 1):
    event = json.loads(line)
    if event["seq"] != seq or event["prev"] != prev.hex():
        sys.exit(f"seq {event['seq']}: does not follow the event before it")
    if event["payload"] is None:
        payload_hash = bytes.fromhex(event["payload_hash"])
        pruned += 1
    else:
        if "payload_hash" in event:
            sys.exit(f"seq {seq}: has both a payload and its hash")
        payload_hash = hashlib.sha256(canonical(event["payload"])).digest()
    envelope = canonical({name: value for name, value in event.items() if name not in OUTSIDE})
    prev = hashlib.sha256(prev + payload_hash + envelope).digest()
    if prev.hex() != event["hash"]:
        sys.exit(f"seq {seq}: its hash does not fit")
print(seq, pruned)

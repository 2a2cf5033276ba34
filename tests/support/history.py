"""The events of a log, to be changed, with their hashes made again (tests/support/mutations.py)."""
import copy
import datetime
import hashlib
import shutil
import sqlite3
import subprocess

from canonical import canonical

MUTATIONS = []  # (rule, what breaks it)
ZERO = "00000000-0000-4000-8000-000000000000"
HASH = "ab" * 32


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


class History:
    def __init__(self, events):
        self.events = copy.deepcopy(events)

    def find(self, kind, run=None, step=None, nth=0, **payload):
        """The place of the nth such event."""
        found = [at for at, event in enumerate(self.events) if event["type"] == kind and run in (None, event["run_id"])
                 and step in (None, event["step_id"]) and payload.items() <= event["payload"].items()]
        return found[nth]

    def get(self, *which, **payload):
        return self.events[self.find(*which, **payload)]

    def put(self, at, event, **changes):
        """A copy of the event at that place, with these fields of its payload or its envelope."""
        event = copy.deepcopy(event)
        for name, value in changes.items():
            (event if name in event and name != "seq" else event["payload"])[name] = value
        self.events.insert(at, event)

    def move(self, at, to):
        event = self.events.pop(at)
        self.events.insert(to - (at < to), event)

    def drop(self, kind, run):
        self.events = [event for event in self.events if (event["type"], event["run_id"]) != (kind, run)]

    def chain(self):
        """Count again, name by the new numbers what is named by seq, and make every hash again."""
        seqs = {event["seq"]: seq for seq, event in reversed(list(enumerate(self.events, 1)))}
        prev = bytes(32)
        for seq, event in enumerate(self.events, 1):
            for name in ("started_seq", "replaces"):
                if name in event["payload"]:
                    event["payload"][name] = seqs.get(event["payload"][name], event["payload"][name])
            event["seq"], event["prev"] = seq, prev.hex()
            envelope = {name: event[name] for name in event if name not in ("payload", "prev", "hash")}
            payload_hash = hashlib.sha256(canonical(event["payload"])).digest()
            prev = hashlib.sha256(prev + payload_hash + canonical(envelope)).digest()
            event["hash"] = prev.hex()


def verified(log, db, eventlog):
    """Does `eventlog verify` say the same of the log with these events in place of its own? Returns what it says."""
    shutil.copy(db, "mutated.db")
    with sqlite3.connect("mutated.db") as connection:
        for (trigger,) in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            connection.execute(f"drop trigger {trigger}")
        connection.execute("delete from events")
        for event in log.events:
            time = datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00"))
            since = time - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
            row = {**event, "time": since // datetime.timedelta(microseconds=1), "prev": bytes.fromhex(event["prev"]),
                   "hash": bytes.fromhex(event["hash"]), "payload": canonical(event["payload"]).decode()}
            connection.execute(f"insert into events ({','.join(row)}) values ({','.join('?' * len(row))})",
                               list(row.values()))
    connection.close()
    done = subprocess.run([eventlog, "verify", "--db", "mutated.db"], capture_output=True, text=True)
    return done.returncode, done.stderr.strip()

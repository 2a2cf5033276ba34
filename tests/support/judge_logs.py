"""Judges the logs that a test left behind (tests/support/judged): judge_logs.py DIRECTORY EVENTLOG"""
import contextlib
import datetime
import glob
import json
import os
import sqlite3
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "model"))
from judge import Judge, judge  # noqa: E402

left, eventlog = sys.argv[1:]
ENVELOPE = ["seq", "type", "v", "time", "mission_id", "run_id", "step_id", "session_id", "actor"]


class JudgeOfForm(Judge):
    """Of a log whose events are by hand and of version 1, beside events of today that the program adds."""

    def require(self, holds, rule, what):
        super().require(holds or rule not in ("chain", "form"), rule, what)


def names(kind):
    """The lines of the files of that kind: scripts have one, of a C test each process has its own."""
    found = []
    for path in glob.glob(os.path.join(left, kind)) + glob.glob(os.path.join(left, kind + "-*")):
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            found += lines.read().split("\n")[:-1]
    return found


def is_log(path):
    """Is it a file of SQLite that says in its header that it is a log?"""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False  # to open a FIFO would wait for a writer
        with open(path, "rb") as file:
            header = file.read(72)
    except OSError:
        return False
    return header.startswith(b"SQLite format 3\0") and header[68:] == b"Pawl"


def logs():
    """(where it is, what it was called) of each."""
    for line in names("kept"):
        yield tuple(line.split("\t"))
    for name in os.listdir(left):
        if name.startswith("export-"):
            yield os.path.join(left, name), name
    for url in dict.fromkeys(names("servers")):
        yield url, url
    forgotten = [os.path.join(left, name) for name in os.listdir(left) if name.startswith("forgotten-")]
    for directory in names("directories") + forgotten:
        for folder, _, files in os.walk(directory):
            for name in files:
                path = os.path.join(folder, name)
                if is_log(path):
                    yield path, path


def rows(path):
    """The lines of `eventlog export`, out of a file's tables, which any client of SQLite may read."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        if not connection.execute("select 1 from sqlite_master where name = 'events'").fetchone():
            return  # it was never made whole
        pruned = {}
        for seq, payload_hash in connection.execute("select seq, payload_hash from pruned"):
            pruned[seq] = payload_hash.hex()
        for row in connection.execute(f"select {','.join(ENVELOPE)}, payload, hash, prev from events order by seq"):
            event = dict(zip(ENVELOPE, row))
            time = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=event["time"])
            event["time"] = time.isoformat(timespec="microseconds") + "Z"
            payload, event["hash"], event["prev"] = row[-3], row[-2].hex(), row[-1].hex()
            if payload is None:
                event["payload_hash"] = pruned.get(event["seq"])
            yield json.dumps(event)[:-1] + f', "payload": {"null" if payload is None else payload}}}'


def out_of_range(log):
    """An event that the range in its run's row leaves out, so that what reads the run would miss it."""
    if log.startswith("postgres") or os.path.basename(log).startswith("export-"):
        return None
    with contextlib.closing(sqlite3.connect(log)) as connection:
        if "last_seq" not in [row[1] for row in connection.execute("pragma table_info(runs)")]:
            return None  # of an older version
        found = connection.execute(
            "select seq from events join runs using (run_id) where seq <= (select applied_seq from projection) and "
            "(seq > last_seq or (seq < first_seq and rules & 9))").fetchone()
        return found and (*found, "range", "is not in the range of its run's row")


def lines_of(log):
    if os.path.basename(log).startswith("export-"):
        with open(log, encoding="utf-8") as lines:
            yield from lines
        return
    if not log.startswith("postgres"):
        yield from rows(log)
        return
    export = subprocess.run([eventlog, "export", "--db", log], capture_output=True, text=True, encoding="utf-8")
    yield from export.stdout.split("\n")[:-1]  # of a log that the test never began there are none


damaged, by_hand = set(names("damaged")), set(names("by_hand"))
wrong = 0
for log, name in logs():
    if name in damaged or os.path.realpath(name) in damaged:
        continue
    try:
        found = judge(lines_of(log), JudgeOfForm if name in by_hand else Judge) or out_of_range(log)
    except sqlite3.Error as error:
        found = 0, "chain", f"it cannot be read: {error}"
    if found:
        wrong += 1
        print("{}: seq {}: rule {}: {}".format(name, *found))
if wrong:
    print("A log that a test damages on purpose is marked: CONTRIBUTING.md, \"Tests\"")
sys.exit(1 if wrong else 0)

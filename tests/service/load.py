"""What a service goes through while it is at work: slow senders, a full disk, a kill, a stop. An answer that
was acknowledged is in the log, whatever came after it: see load_test.sh."""

import http.client
import json
import os
import resource
import shutil
import signal
import subprocess
import threading
import time

from engine import ON_SERVER, Writer, of_files
from serving import Service, ask_on, run, same, statuses, take_all, wait_for

STEPS = 48
BLOCKED = os.environ.get("PAWL_DB")  # where it stands on a server
HEALTHY = {"status": "ok"}


def tool(*words, code=0):
    """Run a program; its standard output."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    same(done.returncode, code, (words, done.stdout, done.stderr))
    return done.stdout


def fresh():
    """A log with many open conflicts; their ids."""
    if ON_SERVER:
        os.environ["PAWL_DB"] += "-"
        tool("pawl", "copy", BLOCKED, os.environ["PAWL_DB"])
    else:
        shutil.rmtree(".pawl", ignore_errors=True)
        shutil.copytree("blocked", ".pawl")
    return list(CONFLICTS)


def answered():
    """The conflicts whose answers are in the log, each once; the log is sound."""
    tool("eventlog", "verify")
    tool("eventlog", "replay", "--check")
    ids = [json.loads(line)["payload"]["conflict_id"] for line in
           tool("eventlog", "list", "--type", "GlossaryClarificationResolved", "-n", "10000",
                "--json").splitlines()]
    same(len(ids), len(set(ids)), "answered twice")
    return set(ids)


class Answers:
    """Clients that answer conflicts, at once, until none is left or the service is gone. What became of
    each: acknowledged (200), refused (another status), or open (no answer came)."""

    def __init__(self, service, conflicts, clients=4):
        self.service, self.todo = service, conflicts
        self.acknowledged, self.refused, self.lost = [], [], []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.work) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def work(self):
        connection = http.client.HTTPConnection(self.service.host, self.service.port, timeout=30)
        while True:
            with self.lock:
                if not self.todo:
                    break
                conflict = self.todo.pop()
            try:
                status, _, body = ask_on(connection, self.service, "POST",
                                         f"/api/v1/conflicts/{conflict}/answer",
                                         {"define": f"What {conflict} means.", "actor": "user:ana"})
            except (OSError, http.client.HTTPException):
                self.lost.append(conflict)
                break
            if status == 200:
                self.acknowledged.append(conflict)
            else:
                self.refused.append((conflict, status, body["error"]))
        connection.close()

    def wait(self):
        for thread in self.threads:
            thread.join(60)
            assert not thread.is_alive(), "a client waits for ever"


def slow_senders():
    """500 of them, byte by byte: others are answered as if they were not there."""
    conflicts = fresh()
    with Service() as s:
        head = s.head("POST", "/executeCommand", "Content-Type: application/json",
                      "Content-Length: 100000")
        ends = [s.socket() for _ in range(500)]
        over = threading.Event()

        def drip():
            at = 0
            while not over.is_set():
                for end in ends:
                    end.send((head + b" " * 100000)[at:at + 1])
                at += 1
                over.wait(0.05)
        dripping = threading.Thread(target=drip)
        dripping.start()
        wait_for(lambda: s.metric("pawl_connections") > 500)
        answers = Answers(s, conflicts)
        for _ in range(50):
            same(s.get("/healthz", token=False)[2], HEALTHY)
            same(s.get("/api/v1/runs")[0], 200)
        answers.wait()
        over.set()
        dripping.join()
        same(answers.refused, [])
        same(len(answers.acknowledged), STEPS)
        for end in ends:
            end.close()
        wait_for(lambda: s.metric("pawl_connections") <= 1)
    same(answered(), set(CONFLICTS))


def a_full_disk():
    """No file may grow beyond a bound that is met amid the answers, and then none at all; then they may."""
    conflicts = fresh()
    tool("eventlog", "head")
    room = os.path.getsize(".pawl/events.db-wal") if os.path.exists(".pawl/events.db-wal") else 0
    with Service(preexec=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN)) as s:
        full = max(room, os.path.getsize(".pawl/events.db")) + 40000
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
        answers = Answers(s, conflicts)
        answers.wait()
        assert answers.refused, "the disk was never full"
        for _, status, error in answers.refused:
            same((status, error["status"]), (507, "PAWL_EFULL"), error)
            assert "free some space" in error["message"], error
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        none = Answers(s, [answers.refused[0][0]])
        none.wait()
        same([status for _, status, _ in none.refused], [507])
        same(s.get("/healthz", token=False)[0], 503)
        same(s.get("/api/v1/conflicts")[0], 200)  # reading goes on
        same(answered(), set(answers.acknowledged))
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE,
                         (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        again = Answers(s, [conflict for conflict, _, _ in answers.refused])
        again.wait()
        same(again.refused + again.lost, [])
        same(s.get("/healthz", token=False)[2], HEALTHY)
    same(answered(), set(CONFLICTS))


def killed():
    """At any moment: what was acknowledged is there, and of the rest each is there whole or not."""
    for moment in (1, 5, 12):
        conflicts = fresh()
        s = Service()
        answers = Answers(s, conflicts)
        wait_for(lambda: len(answers.acknowledged) >= moment)
        s.process.kill()
        s.process.communicate()
        answers.wait()
        same(answers.refused, [])
        there = answered()
        assert set(answers.acknowledged) <= there <= set(answers.acknowledged + answers.lost), (
            there, answers.acknowledged, answers.lost)
        with Service() as s:
            rest = Answers(s, [conflict for conflict in CONFLICTS if conflict not in there])
            rest.wait()
            same(rest.refused + rest.lost, [])
        same(answered(), set(CONFLICTS))


def stop(service):
    """Until each of its threads stands still."""
    service.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, service.process.pid, os.WSTOPPED)


def stopped():
    """Stopped amid answers and continued: it goes on with what it was at. Others can use the log meanwhile."""
    conflicts = fresh()
    mine = conflicts.pop()
    with Service() as s:
        late = s.socket()
        answers = Answers(s, conflicts)
        wait_for(lambda: len(answers.acknowledged) >= 3)
        stop(s)
        while not Writer().end():  # nobody else could write
            s.process.send_signal(signal.SIGCONT)
            time.sleep(0.005)
            stop(s)
        tool("pawl", "resolve", mine, "--define", "Mine.")
        late.sendall(s.head("GET", "/healthz", token=False))
        s.process.send_signal(signal.SIGCONT)
        same(statuses(take_all(late)), [200])
        answers.wait()
        same(answers.refused + answers.lost, [])
        same(s.ask("POST", f"/api/v1/conflicts/{mine}/answer", {"define": "Again."})[0], 409)
    same(answered(), set(CONFLICTS))


CONFLICTS = [conflict["conflict_id"] for conflict in json.loads(tool("pawl", "conflicts", "--json"))]
same(len(CONFLICTS), STEPS)
if not ON_SERVER:
    shutil.copytree(".pawl", "blocked")
run(slow_senders, *of_files(a_full_disk), killed, stopped)

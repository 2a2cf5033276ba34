"""What the handoff, `status`, `runs`, `sessions`, a plan, the page and MCP say after random histories of runs, sessions,
edits, checkpoints, ways back, answers, skipped steps, other missions and processes that die: all the same, and what the
files and the exit codes were."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

from mcp_client import Client
from serving import Service, run as main

HISTORIES, SEED = 200, 28
NAMES = [f"w/{name}" for name in "abc"]
STEPS = ["one", "two", "three"]
ASKS = "  - {id: approve, needs: [], ask: {question: Go on?, to: [\"user:ana b\", \"user:ben\"]}}\n"


def pawl(*words, codes=(0,)):
    done = subprocess.run(("pawl",) + words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode in codes, (words, done.returncode, done.stdout, done.stderr)
    return done


def files():
    found = {}
    for name in NAMES:
        if os.path.exists(name):
            with open(name, encoding="ascii") as file:
                found[name] = file.read()
    return found


def changes(before, after):
    """[[path, how]] as the handoff has them."""
    how = lambda name: "added" if name not in before else "removed" if name not in after else "changed"
    return [[name, how(name)] for name in NAMES if before.get(name) != after.get(name)]


class History:
    def __init__(self, number, chance, service, world):
        self.number, self.chance, self.service, self.world = number, chance, service, world
        self.done = []  # what was done, for a failure
        self.codes = {}  # step -> the exit codes that it ever had
        self.last = {}  # step -> the one that it has, until something goes back
        self.went_back = []
        self.run = self.session = None

    # ---- What happens ----

    def edit(self):
        for name in self.chance.sample(NAMES, self.chance.randint(1, 2)):
            if self.chance.random() < 0.3 and os.path.exists(name):
                os.remove(name)
            else:
                with open(name, "w", encoding="ascii") as file:
                    file.write(str(self.chance.random()))

    def begin_run(self):
        self.mission = f"../m{self.number}.yaml"
        self.asks = self.chance.random() < 0.3
        self.write_mission(STEPS)
        self.run = f"r{self.number}"
        self.start = files()  # as it finds them
        self.launch("run", self.mission, "--run", self.run)

    def write_mission(self, of):
        steps = [f"  - {{id: {step}, needs: [], run: [sh, {os.path.abspath('../step.sh')}, {step}, {self.number}]}}" for step in of]
        with open(self.mission, "w", encoding="ascii") as file:
            file.write(f"mission: m{self.number}\nparallel: {self.chance.randint(1, 3)}\nsteps:\n{ASKS * self.asks}" + "\n".join(steps) + "\n")

    def launch(self, *words):
        for step in STEPS:
            self.world["code"] += 1
            code = 0 if self.chance.random() < 0.5 else 20 + self.world["code"] % 90
            with open(f"../code-{step}-{self.number}", "w", encoding="ascii") as file:
                file.write(str(code))
            self.codes.setdefault(step, set()).add(code)
        pawl(*words, "--no-input", codes=(0, 1, 3))
        self.kept()

    def resume(self, *options):
        if self.over():
            return
        self.start = files()
        self.went_back = []
        self.launch("resume", self.run, *options)

    def change_mission(self):
        self.write_mission(self.chance.sample(STEPS, self.chance.randint(1, 3)))
        self.resume("--accept-changed-mission")

    def die(self):
        """A process of the run is killed while one of its steps is at work."""
        failed = [s["step_id"] for s in self.ask(f"runs/{self.run}")["steps"] if s["status"] == "failed"]
        if self.over() or not failed:
            return
        self.start = files()
        self.went_back = []
        for step in failed:
            with open(f"../code-{step}-{self.number}", "w", encoding="ascii") as file:
                file.write("hang")
        process = subprocess.Popen(("pawl", "resume", self.run, "--no-input"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not any(s["status"] == "running" for s in self.ask(f"runs/{self.run}")["steps"]):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.checkpoint()

    def skip(self):
        failed = [s["step_id"] for s in self.ask(f"runs/{self.run}")["steps"] if s["status"] == "failed"]
        if failed and self.status() == "failed":
            pawl("skip", self.run, self.chance.choice(failed))

    def answer(self):
        """As `status` suggests it."""
        asked = [r for r in json.loads(pawl("status", "--json").stdout)["runs"] if r["run_id"] == self.run and r["conflicts"]]
        for view in asked:
            subprocess.run(view["next"], shell=True, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def begin_session(self):
        self.start = dict(self.world["kept"])
        self.session = pawl("session", "start", "--mission", f"m{self.number}",
                            *self.chance.choice([[], ["--step", "one", "--pending", "two"]])).stdout.strip()

    def update(self):
        if self.session_json()["status"] == "active":
            pawl("session", "update", "--id", self.session, "--done", "one", "--step", "two")

    def end_session(self):
        if self.session_json()["status"] == "active":
            pawl("session", "end", "--id", self.session, *self.chance.choice([[], ["--status", "interrupted"]]))

    def checkpoint(self):
        pawl("checkpoint")
        self.kept()

    def kept(self):
        self.world["kept"] = files()

    def go_back(self, kind, *words, codes=(0,)):
        done = pawl(*words, codes=codes)
        if done.returncode == 0:
            self.went_back.append(kind)
            self.kept()

    def rollback(self):
        numbers = [c["n"] for c in json.loads(pawl("checkpoints", "--json").stdout)]
        self.go_back("rollback", "rollback", str(self.chance.choice(numbers[-6:])), "--clean", "--yes")

    def undo(self):
        if self.went_back and self.went_back[-1] in ("rollback", "redo"):
            self.go_back("undo", "undo", "--yes")

    def redo(self):
        if self.went_back and self.went_back[-1] == "undo":
            self.go_back("redo", "redo", "--yes")

    def restore(self):
        name = self.chance.choice(NAMES)
        calls = json.dumps([{"callId": "c", "name": "write_file", "args": {"file_path": name}}])
        made = json.loads(pawl("tool", "checkpoint", calls, "--json").stdout)["calls"][0]["checkpoint"]
        self.kept()
        with open(name, "w", encoding="ascii") as file:
            file.write("to be taken back")
        if made and pawl("restore", made, codes=(0, 1)).returncode == 0:
            self.went_back.append("rollback")
            self.kept()

    def cancel(self):
        if not self.over():
            pawl("cancel", self.run)

    def over(self):
        return self.status() in ("completed", "cancelled")

    # ---- What is said of it ----

    def ask(self, path):
        status, _, body = self.service.get("/api/v1/" + path)
        assert status == 200, (path, status, body)
        return body

    def status(self):
        return self.ask(f"runs/{self.run}")["status"]

    def session_json(self):
        return json.loads(pawl("sessions", "--id", self.session, "--json").stdout)[0]

    def check(self):
        newest = json.loads(pawl("sessions", "--latest", "--json").stdout)[0]
        self.session = newest["session_id"]
        handoff = json.loads(pawl("handoff", "--json").stdout)
        listed = self.session_json()
        page = self.ask(f"sessions/{self.session}")
        same(page, listed)
        same(self.ask(f"sessions/{self.session}/handoff"), handoff["text"])
        same(handoff["session_id"], self.session)
        for member in ("steps_completed", "steps_total", "current_step"):
            same((member, handoff[member]), (member, listed[member]))
        steps = handoff["done"] + handoff["in_progress"] + handoff["next"]
        same([[s["step_id"], s["status"], s["exit_code"], s["reason"]] for s in steps],
             [[s["step_id"], s["status"], s["exit_code"], s["reason"]] for s in listed["steps"]])
        self.check_files(handoff)
        self.check_issues(handoff)
        if self.run:
            self.check_run(handoff, steps)

    def check_files(self, handoff):
        same([[f["path"], f["change"]] for f in handoff["files"] if f["change"]], changes(self.start, self.world["kept"]))
        paths = [f["path"] for f in handoff["files"]]
        same(len(paths), len(set(paths)))
        same([r["kind"] for r in handoff["rollbacks"]], self.went_back)
        same(len(re.findall(r"^Files .* to checkpoint \d+, 20", handoff["text"], re.M)), min(5, len(self.went_back)))

    def check_issues(self, handoff):
        failed = [s for s in handoff["in_progress"] if s["status"] == "failed"]
        issues = handoff["text"].split("\nISSUES\n")[1].split("\nGO ON\n")
        same("None blocking" in issues[0], not failed and not handoff["issues"])
        for step in failed:
            assert f"- step {step['step_id']} failed: {step['reason']}\n" in issues[0], issues[0]
        over = handoff["go_on"] is None
        same("Nothing is left to do" in issues[1], over)
        if over:
            same(handoff["in_progress"] == [] or self.status() == "cancelled", True)

    def check_run(self, handoff, steps):
        run = self.ask(f"runs/{self.run}")
        same(json.loads(pawl("runs", "--id", self.run, "--json").stdout), run)
        same(self.world["mcp"].call("runs", id=self.run)["result"]["structuredContent"], run)
        same([run[m] for m in ("steps_completed", "steps_total", "current_step", "go_on")],
             [handoff[m] for m in ("steps_completed", "steps_total", "current_step", "go_on")])
        here = {s["step_id"] for s in steps}
        how = lambda step: [step[m] for m in ("step_id", "status", "unfinished", "exit_code", "reason", "retry_token", "cursor")]
        same(sorted(how(s) for s in run["steps"] if s["step_id"] in here), sorted(how(s) for s in steps))
        same({s["status"] for s in run["steps"] if s["step_id"] not in here} - {"skipped"}, set())
        same(run["steps_completed"], sum(s["status"] in ("completed", "skipped") for s in steps))
        same(run["steps_total"], len(steps))
        if not self.over():
            plan = json.loads(pawl("plan", "resume", self.run, "--accept-changed-mission", "--json").stdout)
            same(run["status"], plan["status"])
            same({s["step_id"]: s["status"] for s in run["steps"]}, {s["step_id"]: s["status"] for s in plan["steps"]})
        failed = [[s["step_id"], s["exit_code"], s["reason"]] for s in run["steps"] if s["status"] == "failed"]
        for step, code, reason in failed:
            same(reason, f"exit code {code}")
            assert code in self.codes[step] - {0}, (step, code, self.codes)
        self.check_status(run, failed, handoff)

    def check_status(self, run, failed, handoff):
        status = json.loads(pawl("status", "--json").stdout)
        same(self.world["mcp"].call("status")["result"]["structuredContent"], status)
        mine = [r for r in status["runs"] if r["run_id"] == self.run]
        same(bool(mine), not self.over())
        for view in mine:
            same([view[m] for m in ("status", "steps_completed", "steps_total", "current_step", "retry_token")],
                 [run[m] for m in ("status", "steps_completed", "steps_total", "current_step", "retry_token")])
            same([[f["step_id"], f["exit_code"], f["reason"]] for f in view["failures"]],
                 failed if run["status"] == "failed" else [])
            same(len(view["conflicts"]), len(handoff["issues"]))
            if view["conflicts"]:
                same(view["next"], f"pawl resolve {view['conflicts'][0]} --answer TEXT --actor 'user:ana b'")
                assert f"\n  {view['next']}\n" in handoff["text"], handoff["text"]
            else:
                same(view["next"], handoff["go_on"])


def same(a, b):
    assert a == b, f"\n  {a}\n  {b}"


def histories():
    chance = random.Random(SEED)
    os.mkdir("w")
    with open("../step.sh", "w", encoding="ascii") as file:
        file.write(f'cd "{os.getcwd()}"; case $(cat ../code-$1-$2) in hang) exec sleep 100 ;; esac\necho $1-$2-$(cat ../code-$1-$2) >w/$(echo $1 | cut -c1 | tr ot ab); exit $(cat ../code-$1-$2)\n')
    pawl("init")
    world = {"kept": {}, "code": 0}
    with open("w/a", "w", encoding="ascii") as file:
        file.write("first")
    pawl("checkpoint")
    world["kept"] = files()
    with Service() as service:
        world["mcp"] = Client(service)
        for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else HISTORIES):
            history(History(number, chance, service, world))


def history(one):
    of_run = one.chance.random() < 0.5
    more = [one.resume, one.resume, one.cancel, one.skip, one.skip, one.answer, one.change_mission, one.die] if of_run else [one.update, one.end_session]
    ways = [one.edit, one.checkpoint, one.rollback, one.rollback, one.undo, one.redo, one.restore] + more
    try:
        for step in [one.begin_run if of_run else one.begin_session] + one.chance.choices(ways, k=one.chance.randint(1, 4)):
            one.done.append(step.__name__)
            step()
        one.check()
        (one.cancel if of_run else one.end_session)()
    except AssertionError:
        print(f"history {one.number}: {', '.join(one.done)}")
        raise


if __name__ == "__main__":
    main(histories)

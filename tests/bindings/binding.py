"""The binding as programs use it. Run in an empty directory."""

import asyncio
import json
import os
import signal
import threading
import time
import unittest
from pathlib import Path

import pawl

MISSION = """
mission: refunds
glossary: {team_domain: team.yaml}
steps:
  - id: research
    inputs: {topic: refunds}
    run: [sh, -c, 'echo "{\\"summary\\": \\"three days\\"}"']
  - id: specify
    critical: true
    inputs: {description: Refunds land in the workspace., earlier: {$from: "research#/summary"}}
    run: [cat]
"""
TEAM = """
terms:
  - {surface: workspace, definition: A directory in which a step works.}
  - {surface: workspace, definition: The account that people share., confidence: 0.9}
"""


class Binding(unittest.TestCase):
    def setUp(self):
        self.directory = Path(f"case-{self.id().split('.')[-1]}").absolute()
        self.directory.mkdir()
        (self.directory / "mission.yaml").write_text(MISSION)
        (self.directory / "team.yaml").write_text(TEAM)
        self.path = str(self.directory / ".pawl" / "events.db")
        self.log = pawl.Log.open(self.path)
        self.mission = pawl.Mission.load(str(self.directory / "mission.yaml"))

    def tearDown(self):
        self.log.close()
        self.mission.close()

    def test_a_blocked_run_is_answered_and_resumed(self):
        result = self.mission.run(self.log, run_id="r1")
        self.assertEqual((result.status, result.run_id, len(result.conflicts)), ("blocked", "r1", 1))
        self.assertEqual([step.status for step in result.steps], ["completed", "blocked"])
        conflict = self.log.conflicts("r1")[0]
        self.assertEqual(conflict.conflict.term, "workspace")
        self.assertEqual(len(conflict.conflict.candidates), 2)
        self.log.resolve(result.conflicts[0], pick=1, actor="user:ana")
        with self.assertRaises(pawl.Error) as again:
            self.log.resolve(result.conflicts[0], pick=2)
        self.assertEqual(again.exception.status, "PAWL_EEXISTS")
        token = result.steps[1].retry_token
        self.assertEqual(self.log.step_checkpoint(token).step_id, "specify")
        self.assertEqual(self.log.resume(token).status, "completed")
        self.assertEqual([run.status for run in self.log.runs()], ["completed"])

    def test_questions_and_progress_come_to_functions(self):
        asked, stages = [], []

        def clarify(conflict):
            asked.append(conflict.term)
            return {"define": "Where a team works."}

        result = self.mission.run(self.log, clarify=clarify, progress=lambda *stage: stages.append(stage))
        self.assertEqual((result.status, asked), ("completed", ["workspace"]))
        self.assertIn(("completed", "specify", 2, 2), stages)

    def test_results_have_all_that_the_library_tells(self):
        first = "- {id: a, inputs: {who: {$param: who}, go: false}, run: [cat]}\n- {id: no, when: {$from: a#/go}, run: [cat]}\n"
        mission_file = self.directory / "mission.yaml"

        def write(steps):
            mission_file.write_text("mission: m\nparams: {who: {type: string, default: ana}, n: {type: number}}\n"
                                    "glossary: {team_domain: team.yaml}\nsteps:\n" + first + steps)

        write("- {id: b, critical: true, inputs: {description: Refunds land in the workspace.}, run: [cat]}\n")
        (self.directory / "params.yaml").write_text("who: bea\n")
        with pawl.Mission.load(str(mission_file)) as mission:
            self.assertEqual([(one.name, one.type, one.value) for one in mission.params], [("who", "string", '"ana"'), ("n", "number", None)])
            with self.assertRaises(pawl.Error):
                mission.set_param("none", 1)
            mission.set_param("n", 3)
            mission.load_params(str(self.directory / "params.yaml"))
            self.assertEqual([one.value for one in mission.params], ['"bea"', "3"])
            stages = []
            result = mission.run(self.log, run_id="r1", progress=lambda stage, step, number, of: stages.append((stage, step)))
        self.assertIn(("left out", "no"), stages)
        self.assertEqual([(step.status, step.unfinished, step.removed) for step in result.steps],
                         [("completed", False, False), ("skipped", False, False), ("blocked", False, False)])
        self.assertEqual((result.changes, result.inputs.step_id, result.signal), ([], None, 0))
        self.log.resolve(result.conflicts[0], pick=1)
        self.log.resolve(result.conflicts[0], dismiss=True, replace=True)
        write("- {id: c, run: [cat]}\n")
        result = self.log.resume("r1", confirm_mission=lambda changes: True)
        self.assertEqual([(one.step_id, one.change) for one in result.changes], [("c", "added"), ("b", "removed")])
        self.assertEqual([(step.status, step.removed) for step in result.steps if step.step_id == "b"], [("skipped", True)])

    def test_a_term_is_dismissed_by_a_function(self):
        result = self.mission.run(self.log, clarify=lambda conflict: {"dismiss": True})
        self.assertEqual(result.status, "completed")
        self.assertIn("ignored", [one.status for one in self.log.senses(result.run_id)])

    def test_what_a_step_asks_people_is_answered(self):
        (self.directory / "mission.yaml").write_text(
            "mission: m\nsteps:\n- {id: a, ask: {question: Publish?, options: [yes, no]}}\n- {id: b, ask: {question: Why?}}\n")
        with pawl.Mission.load(str(self.directory / "mission.yaml")) as mission:
            result = mission.run(self.log, run_id="r1")
            self.assertEqual((result.status, self.log.conflicts("r1")[0].conflict.conflict_type), ("blocked", "question"))
            with self.assertRaises(pawl.Error) as wrong:
                self.log.resolve(result.conflicts[0], answer="maybe")
            self.assertEqual(wrong.exception.status, "PAWL_EINVAL")
            self.log.resolve(result.conflicts[0], answer="yes")
            self.assertEqual(self.log.resume("r1", clarify=lambda conflict: {"answer": "So: é"}).status, "completed")
        self.assertEqual([c.answer for c in self.log.conflicts("r1", resolved=True)], ["yes", "So: é"])
        answers = [e.payload for e in self.log.events() if e.type == "GlossaryClarificationResolved"]
        self.assertEqual([json.loads(a)["answer"] if isinstance(a, str) else a["answer"] for a in answers], ["yes", "So: é"])

    def test_what_a_function_raises_comes_out_and_the_run_can_go_on(self):
        with self.assertRaises(ZeroDivisionError):
            self.mission.run(self.log, run_id="r1", clarify=lambda conflict: 1 // 0)
        self.assertEqual(self.log.resume("r1", clarify=lambda conflict: 1).status, "completed")

    def test_events_are_read_and_verify(self):
        self.mission.run(self.log, run_id="r1")
        events = list(self.log.events())
        self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
        self.assertEqual(self.log.head(), (events[-1].seq, events[-1].hash))
        self.assertEqual(self.log.verify(self.log.head()).events, len(events))
        self.assertIsInstance(events[0].payload, dict)

        async def first(n):
            out = []
            async for event in self.log.follow():
                out.append(event.seq)
                if len(out) == n:
                    return out

        self.assertEqual(asyncio.run(first(3)), [1, 2, 3])

    def test_sessions_and_the_handoff(self):
        session = self.log.start_session("work", actor="agent:x", current_step="one", pending=["two"])
        self.log.update_session(session, completed=["one"], files=["a"])
        self.assertGreater(self.log.checkpoint_session(session, summary="half"), 0)
        self.log.end_session(session)
        self.assertEqual([(s.mission_id, s.status) for s in self.log.sessions(mission_id="work")], [("work", "completed")])
        self.assertIn("half", self.log.handoff(session))
        with self.assertRaises(TypeError):
            self.log.start_session("work", nonsense=1)

    def test_the_workspace_goes_back(self):
        file = self.directory / "a"
        file.write_text("one")
        first = self.log.checkpoint("first")
        self.assertEqual((first.info.n, first.info.description), (1, "first"))
        file.write_text("two")
        pieces = []
        changes = self.log.diff("1", patch=pieces.append)
        self.assertEqual([(c.path, c.what) for c in changes.files], [("a", "M")])
        self.assertIn(b"+two", b"".join(pieces))
        self.assertGreater(self.log.rollback("1"), 1)
        self.assertEqual(file.read_text(), "one")
        self.log.undo()
        self.assertEqual(file.read_text(), "two")
        self.assertGreaterEqual(len(self.log.checkpoints()), 2)
        again = self.log.checkpoint(only_if_changed=True)
        self.assertEqual((first.taken, again.taken), (True, False))
        self.log.pin(1)
        self.assertTrue(self.log.checkpoints()[0].pinned)
        self.log.pin("1", False)
        self.assertFalse(self.log.checkpoints()[0].pinned)

    def test_runs_are_steered(self):
        (self.directory / "mission.yaml").write_text(
            "mission: m\nsteps:\n- {id: a, run: [sh, -c, 'exit 3']}\n- {id: b, inputs: {a: {$from: a}}, run: [cat]}\n")
        with pawl.Mission.load(str(self.directory / "mission.yaml")) as mission:
            self.assertEqual(mission.run(self.log, run_id="r1").status, "failed")
            with self.assertRaises(pawl.Error) as refused:
                self.log.skip("r1", "b")
            self.assertEqual(refused.exception.status, "PAWL_ESTATE")
            self.log.skip("r1", "a", "é", actor="user:ana")
            self.assertEqual(self.log.resume("r1").status, "completed")
            self.assertEqual(mission.submit(self.log, "r2", actor="user:ana"), "r2")
            self.assertEqual(self.log.runs()[0].status, "queued")
            self.log.cancel("r2", actor="user:ana")
            self.assertEqual(self.log.runs()[0].status, "cancelled")

    def test_json_is_hashed_as_the_programs_do(self):
        self.assertEqual(pawl.canonical('{"b":1.0,"a":"é"}'), '{"a":"é","b":1}')
        self.assertEqual(pawl.hash("{}"), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
        with self.assertRaises(pawl.Error) as refused:
            pawl.hash('{"a":1,"a":2}')
        self.assertEqual(refused.exception.status, "PAWL_EPARSE")

    def test_a_pipeline_of_ones_own(self):
        with pawl.Pipeline(self.log, actor="agent:x") as pipeline:
            pipeline.seed("team_domain", str(self.directory / "team.yaml"))
            with pawl.Context("refunds", "r9", "say", {"text": "a plain text"}) as context:
                self.assertEqual(pipeline.run(context), "ok")
                self.assertEqual(context.input_hash, pawl.hash('{"text":"a plain text"}'))
                self.assertEqual(pipeline.complete(context, {"said": 1}), "ok")
                self.assertEqual(context.output, {"said": 1})
            with pawl.Context("refunds", "r9", "ask", {"description": 'the "workspace"'}, critical=True) as context:
                self.assertEqual(pipeline.run(context), "blocked")
                self.assertEqual([c.term for c in context.conflicts], ["workspace"])
                token = context.retry_token
            self.log.resolve(self.log.conflicts("r9")[0].conflict.conflict_id, pick=2)
            with pawl.Context("refunds", "r9", "ask", {"description": 'the "workspace"'}, critical=True, retry_token=token) as context:
                self.assertEqual(context.terms, [])
                self.assertEqual(pipeline.run(context), "ok")
                self.assertEqual([(t.term, t.source, t.definition) for t in context.terms],
                                 [("workspace", "answer", "The account that people share.")])
                pipeline.complete(context, "done")
            watched = pawl.Context("refunds", "r9", "watch", {"text": "a workspace"}, metadata={"glossary_watch_terms": ["workspace"]}, critical=True)
            self.assertEqual(pipeline.run(watched), "ok")
            self.assertEqual([t.term for t in watched.terms], ["workspace"])
            with self.assertRaises(pawl.Error):
                pawl.Context("refunds", "r9", "watch", metadata=7)
            pipeline.failed(watched, 1, "no")
            pipeline.end_run("r9", "a step failed")
        with self.assertRaises(ValueError):
            watched.terms
        watched.close()
        self.assertEqual((self.log.runs()[0].status, self.log.runs()[0].reason), ("failed", "a step failed"))

    def test_misuse_raises_and_does_not_crash(self):
        events = self.log.events()
        self.mission.run(self.log, run_id="r1")
        next(events)
        other = pawl.Pipeline(self.log)
        self.log.close()
        self.log.close()
        for use in (self.log.head, lambda: next(events), self.log.runs, lambda: other.renew("r1"), lambda: self.mission.run(self.log)):
            with self.assertRaises(ValueError):
                use()
        other.close()
        self.mission.close()
        with self.assertRaises(ValueError):
            self.mission.steps
        with self.assertRaises(TypeError):
            pawl.Log.open(self.path, nonsense=1)
        with self.assertRaises(ValueError):
            pawl.Log.open("a\0b")
        with self.assertRaises(pawl.Error) as missing:
            pawl.Log.open(str(self.directory / "none.db"), create=False)
        self.assertEqual(missing.exception.status, "PAWL_ENOTFOUND")

    def test_what_is_no_value_is_refused(self):
        head, before = self.log.head(), self.log.checkpoint("one").info.n
        for use in (lambda: self.log.diff(None), lambda: self.log.rollback(None), lambda: self.log.pin(None), lambda: pawl.Mission.load(None),
                    lambda: self.mission.set_param(None, 1), lambda: self.mission.load_params(None),
                    lambda: self.log.append([{"type": "SessionStarted", "seq": 1}]), lambda: self.log.append([{"type": b"SessionStarted"}])):
            with self.assertRaises(TypeError):
                use()
        with self.assertRaises(ValueError):
            self.log.verify((head[0], "00"))
        self.assertEqual(self.log.verify(head).events, self.log.head()[0])
        self.assertEqual((self.log.diff(before).files, len(self.log.checkpoints())), ([], 1))
        self.assertEqual(self.log.rollback(before), before + 1)

    def test_clarify_gives_an_answer_or_raises(self):
        for n, said in enumerate((True, "1", 1.5, [1], {"pik": 1}, {"define": 5}, {"pick": 1.5}, {"define": "\ud800"})):
            with self.assertRaises((TypeError, ValueError)):
                self.mission.run(self.log, run_id=f"r{n}", clarify=lambda conflict: said)
            self.assertEqual(self.log.conflicts(f"r{n}", resolved=True)[0].status, "open", said)

    def test_what_a_function_raises_is_raised_once(self):
        asked = []

        def clarify(conflict):
            asked.append(conflict)
            return 1 if len(asked) > 1 else 1 // 0

        with pawl.Pipeline(self.log, clarify=clarify) as pipeline:
            pipeline.seed("team_domain", str(self.directory / "team.yaml"))
            with pawl.Context("refunds", "r1", "a", {"description": 'the "workspace"'}, critical=True) as context:
                with self.assertRaises(ZeroDivisionError):
                    pipeline.run(context)
                self.assertEqual(pipeline.run(context), "ok")
                deep = 1
                for _ in range(600):
                    deep = [deep]
                for output in (float("nan"), {"a": float("inf")}, {"a": "\ud800"}, deep):
                    with self.assertRaises(pawl.Error) as refused:
                        pipeline.complete(context, output)
                    self.assertEqual(refused.exception.status, "PAWL_EPARSE")
                self.assertEqual(pipeline.complete(context, 1), "ok")
            pipeline.end_run("r1")
        self.assertEqual(self.log.runs()[0].status, "completed")

    def test_progress_that_raises_ends_the_run(self):
        def progress(stage, step, number, of):
            raise KeyError(step)

        with self.assertRaises(KeyError):
            self.mission.run(self.log, run_id="r1", progress=progress)
        self.assertEqual(self.log.runs()[0].status, "interrupted")
        self.assertEqual(self.log.resume("r1", clarify=lambda conflict: 1).status, "completed")

    def test_what_is_at_work_is_not_closed_by_its_own_functions(self):
        refused = []

        def clarify(conflict):
            self.assertEqual(len(self.log.conflicts()), 1)
            for use in (self.log.close, self.mission.close, lambda: self.mission.set_param("n", 1), lambda: self.mission.run(self.log)):
                with self.assertRaises(pawl.Error) as error:
                    use()
                refused.append(error.exception.status)
            return 1

        self.assertEqual(self.mission.run(self.log, clarify=clarify).status, "completed")
        self.assertEqual(refused, ["PAWL_ESTATE"] * 4)

    def test_a_context_is_closed_after_its_pass(self):
        seen = []
        with pawl.Pipeline(self.log, clarify=lambda conflict: (time.sleep(0.3), seen.append("asked"))[0]) as pipeline:
            pipeline.seed("team_domain", str(self.directory / "team.yaml"))
            context = pawl.Context("refunds", "r1", "a", {"description": 'the "workspace"'}, critical=True)
            thread = threading.Timer(0.1, lambda: (context.close(), seen.append("closed")))
            thread.start()
            self.assertEqual(pipeline.run(context), "blocked")
            thread.join()
            self.assertEqual(seen, ["asked", "closed"])
            with self.assertRaises(ValueError):
                pipeline.run(context)

    def run_slowly(self, before):
        """Start a step of a minute; before() is called in a thread when it runs."""
        (self.directory / "slow.yaml").write_text(f"mission: slow\nsteps:\n  - id: wait\n    run: [sh, -c, 'touch {self.directory}/ready; exec sleep 60']\n")

        def when_ready():
            give_up = time.monotonic() + 30
            while not (self.directory / "ready").exists() and time.monotonic() < give_up:
                time.sleep(0.01)
            before()

        thread = threading.Thread(target=when_ready)
        thread.start()
        try:
            with pawl.Mission.load(str(self.directory / "slow.yaml")) as mission:
                return mission.run(self.log, run_id="r1")
        finally:
            thread.join()

    def test_ctrl_c_interrupts_a_run(self):
        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.run_slowly(lambda: os.kill(os.getpid(), signal.SIGINT))
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual([(run.status, run.owner_pid) for run in self.log.runs()], [("interrupted", 0)])
        self.assertEqual(signal.set_wakeup_fd(-1), -1)
        self.assertEqual(self.log.verify().events, self.log.head()[0])

    def test_interrupt_ends_a_run_from_another_thread(self):
        began = time.monotonic()
        result = self.run_slowly(self.log.interrupt)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual((result.status, result.signal), ("interrupted", signal.SIGINT))
        self.assertEqual(self.log.runs()[0].status, "interrupted")

    def test_a_fork_beside_a_run_does_not_hang(self):
        def fork():
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                try:
                    self.log.head()
                except pawl.Error as error:
                    self.log.close()
                    os._exit(0 if error.status == "PAWL_ESTATE" else 1)
                os._exit(2)
            ended.append(os.waitpid(child, 0)[1])
            self.log.interrupt()

        ended = []
        self.assertEqual(self.run_slowly(fork).status, "interrupted")
        self.assertEqual(ended, [0])

    def test_threads_wait_for_each_other_and_a_fork_must_open_again(self):
        seen = []

        def take():
            for _ in range(20):
                seen.append(self.log.head()[0])

        self.mission.run(self.log, run_id="r1")
        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(seen), 80)
        child = os.fork()
        if child == 0:
            try:
                self.log.head()
            except pawl.Error as error:
                os._exit(0 if error.status == "PAWL_ESTATE" else 1)
            os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertGreater(self.log.head()[0], 0)

    def test_the_interpreter_is_free_while_a_run_waits(self):
        (self.directory / "slow.yaml").write_text("mission: slow\nsteps:\n  - id: wait\n    run: [sleep, '1']\n")
        ticks, done = [], threading.Event()

        def tick():
            while not done.wait(0.01):
                ticks.append(1)

        thread = threading.Thread(target=tick)
        thread.start()
        with pawl.Mission.load(str(self.directory / "slow.yaml")) as mission:
            self.assertEqual(mission.run(self.log).status, "completed")
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 30)


if __name__ == "__main__":
    unittest.main()

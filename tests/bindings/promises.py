"""What the binding promises beyond its functions: claims, options, values, handles. Run in an empty directory."""

import asyncio
import inspect
import json
import multiprocessing
import os
import signal
import sqlite3
import sys
import threading
import time
import unittest
from pathlib import Path

import pawl

TEAM = """
terms:
  - {surface: workspace, definition: A directory in which a step works.}
  - {surface: workspace, definition: The account that people share., confidence: 0.9}
"""
MISSION = """
mission: refunds
glossary: {team_domain: team.yaml}
params: {who: {type: string, default: ana}, n: {type: number, default: 1}, any: {type: json, default: null}}
steps:
  - {id: specify, critical: true, inputs: {description: Refunds land in the workspace., who: {$param: who}, any: {$param: any}}, run: [cat]}
"""
VALUES = ["42", "null", "true", '{"a":1}', '"quoted"', "", "plain text", "é\n", 42, 1.5, None, True, [], {}, {"a": ["1", 1]}]


def in_a_fork(function):
    """Whether the function raises PAWL_ESTATE in a child, which then ends as Python ends."""
    child = os.fork()
    if child == 0:
        try:
            function()
        except pawl.Error as error:
            os._exit(0 if error.status == "PAWL_ESTATE" and "fork" in error.message else 1)
        except BaseException:
            os._exit(2)
        os._exit(3)
    return os.waitpid(child, 0)[1] == 0


def use(log):
    try:
        log.head()
    except pawl.Error as error:
        return error.status


def interrupt_itself():
    """As Ctrl-C would, and without a word of it."""
    sys.stderr = open(os.devnull, "w")
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)


class Promises(unittest.TestCase):
    def setUp(self):
        self.directory = Path(f"case-{self.id().split('.')[-1]}").absolute()
        self.directory.mkdir()
        (self.directory / "mission.yaml").write_text(MISSION)
        (self.directory / "team.yaml").write_text(TEAM)
        self.path = str(self.directory / ".pawl" / "events.db")
        self.log = pawl.Log.open(self.path, lease_ms=300)
        self.mission = pawl.Mission.load(str(self.directory / "mission.yaml"))

    def tearDown(self):
        self.log.close()
        self.mission.close()

    # ---- Claims ----

    def lease(self):
        with sqlite3.connect(self.path) as db:
            return db.execute("SELECT until_ms FROM leases WHERE held").fetchone()[0]

    def wait(self, *_):
        """A person who takes four leases, during which the log is also read."""
        before = self.lease()
        for _ in range(6):
            self.log.runs()
            time.sleep(0.2)
        self.renewed.append(self.lease() - before >= 600)
        return 1

    def test_claims_are_renewed_while_a_function_waits(self):
        self.renewed = []
        result = self.mission.run(self.log, clarify=self.wait, progress=lambda stage, *_: stage != "running" or self.wait())
        self.assertEqual((result.status, self.renewed), ("completed", [True, True]))

    def test_claims_are_renewed_while_a_pipeline_asks(self):
        self.renewed = []
        with pawl.Pipeline(self.log, clarify=self.wait, confirm=lambda change: bool(self.wait())) as pipeline:
            pipeline.seed("team_domain", str(self.directory / "team.yaml"))
            with pawl.Context("m", "r1", "a", {"description": 'the "workspace"'}, critical=True) as context:
                self.assertEqual(pipeline.run(context), "ok")
                token = context.retry_token
            with pawl.Context("m", "r1", "a", {"description": "another"}, retry_token=token) as context:
                self.assertEqual((pipeline.run(context), pipeline.complete(context, 1)), ("ok", "ok"))
        self.assertEqual(self.renewed, [True, True])
        with pawl.Pipeline(self.log) as strict, pawl.Context("m", "r1", "a", {"description": "a third"}) as context:
            with self.assertRaises(pawl.Error) as changed:
                strict.run(context)
            self.assertEqual(changed.exception.status, "PAWL_EINPUTS")
            self.assertRegex(context.input_change.diff, "another.*a third")

    # ---- Options ----

    def test_an_option_that_does_not_exist_is_refused_and_the_others_are_named(self):
        context = pawl.Context("m", "r", "s")
        functions = [pawl.Log.open, pawl.Mission.load, pawl.Context, pawl.Pipeline]
        for handle in (self.log, self.mission, context, pawl.Pipeline(self.log)):
            functions += [getattr(handle, name) for name in dir(type(handle))
                          if not name.startswith("_") and name != "close" and inspect.isroutine(getattr(type(handle), name))]
        self.assertGreater(len(functions), 40)
        for function in functions:
            with self.assertRaises(TypeError) as refused:
                function(readOnly=True)
            self.assertRegex(str(refused.exception), "has no option readOnly; its options are ", function)
        for name, function, wrong in (("readonly, key", pawl.Log.open, "readOnly"), ("confirm_mission", self.log.resume, "confirmMission"),
                                      ("strictness", self.mission.run, "signal_fd"), ("session_id, status", self.log.sessions, "version"),
                                      ("pending, files", self.log.start_session, "step")):
            with self.assertRaisesRegex(TypeError, name):
                function("x", **{wrong: 1})
        with self.assertRaisesRegex(TypeError, "clarify: is not a function"):
            self.mission.run(self.log, clarify=1)
        with self.assertRaisesRegex(TypeError, "give a list"):
            self.log.start_session("m", pending="two")
        self.assertEqual(self.log.head()[0], 0)

    # ---- Values ----

    def test_values_come_back_as_they_went_in(self):
        def context(step, token=None):
            return pawl.Context("m", "r1", step, {"n": 1}, retry_token=token)

        tokens = []
        with pawl.Pipeline(self.log) as pipeline:
            for n, value in enumerate(VALUES):
                with context(f"s{n}") as one:
                    self.assertEqual(pipeline.run(one), "ok")
                    pipeline.complete(one, value)
                    self.assertEqual((one.output, type(one.output)), (value, type(value)))
                    tokens.append(one.retry_token)
        self.log.close()
        self.log = pawl.Log.open(self.path)
        with pawl.Pipeline(self.log) as pipeline:
            for n, value in enumerate(VALUES):
                with context(f"s{n}", tokens[n]) as one:
                    self.assertEqual(pipeline.run(one), "done")
                    self.assertEqual((one.output, type(one.output)), (value, type(value)))

    def test_inputs_are_values_and_none_are_an_empty_object(self):
        for inputs in VALUES:
            with pawl.Context("m", "r", "s", inputs) as context:
                self.assertEqual(context.input_hash, pawl.hash(json.dumps({} if inputs is None else inputs)), inputs)
        with pawl.Context("m", "r", "s") as context:
            self.assertEqual(context.input_hash, pawl.hash("{}"))

    def test_a_parameter_takes_values_of_its_type_alone(self):
        for name, wrong in (("who", 3), ("who", None), ("n", "3"), ("n", None), ("who", ["ana"])):
            with self.assertRaises(pawl.Error) as refused:
                self.mission.set_param(name, wrong)
            self.assertEqual(refused.exception.status, "PAWL_EINVAL")
        for who, any_ in (("3", "42"), ("null", "null"), ("x", {"a": "1"})):
            self.mission.set_param("who", who)
            self.mission.set_param("any", any_)
            result = self.mission.run(self.log, clarify=lambda conflict: 1)
            started = [e.payload for e in self.log.events() if e.type == "StepCompleted" and e.run_id == result.run_id]
            self.assertEqual(len(started), 1)
            self.assertEqual([json.loads(one.value) for one in self.mission.params if one.name != "n"], [who, any_])

    # ---- What a log holds ----

    def run_steps(self):
        """A run of three steps: one gave a text, one a value, and one was left while it ran."""
        with pawl.Pipeline(self.log) as pipeline:
            for step, output in (("a", "42"), ("b", {"x": ["1"]}), ("c", None)):
                with pawl.Context("m", "run-one", step, {"of": step}) as context:
                    self.assertEqual(pipeline.run(context), "ok")
                    if output is not None:
                        pipeline.complete(context, output)

    def test_a_run_is_listed_with_its_steps_inputs_and_outputs(self):
        self.run_steps()
        steps = self.log.steps("run-one")
        self.assertEqual([(s.step_id, s.inputs, s.output) for s in steps], [("a", {"of": "a"}, "42"), ("b", {"of": "b"}, {"x": ["1"]}), ("c", {"of": "c"}, None)])
        self.assertEqual([s.status for s in steps[:2]], ["completed"] * 2)
        self.assertNotEqual(steps[2].status, "completed")
        self.assertEqual([(s.inputs, s.output) for s in self.log.steps("run-one", contents=False)], [(None, None)] * 3)
        self.assertEqual((self.log.find_run("run-one").mission_id, self.log.find_run("run-").run_id), ("m", "run-one"))
        for use in (lambda: self.log.find_run("none"), lambda: self.log.steps("none"), lambda: self.log.latest_step_checkpoint("run-one", "none")):
            with self.assertRaises(pawl.Error) as missing:
                use()
            self.assertEqual(missing.exception.status, "PAWL_ENOTFOUND")
        latest = self.log.latest_step_checkpoint("run-one", "a")
        self.assertEqual((latest.retry_token, latest.seq), (steps[0].retry_token, steps[0].checkpoint_seq))
        event = [e for e in self.log.events(type="StepCheckpointed", step_id="a")][-1]
        parsed = pawl.parse_checkpoint(event.payload)
        self.assertEqual((parsed.retry_token, parsed.cursor, parsed.input_hash), (latest.retry_token, latest.cursor, latest.input_hash))
        with self.assertRaises(pawl.Error):
            pawl.parse_checkpoint({"cursor": 1})

    def test_a_run_is_ended_by_a_later_session_and_not_over_open_steps(self):
        self.run_steps()
        with pawl.Pipeline(self.log) as pipeline:
            with self.assertRaisesRegex(pawl.Error, r"\bc \(") as open_steps:
                pipeline.end_run("run-one")
            self.assertEqual(open_steps.exception.status, "PAWL_ESTATE")
            with pawl.Context("m", "run-one", "c", {"of": "c"}) as context:
                self.assertEqual((pipeline.run(context), pipeline.complete(context, "42")), ("ok", "ok"))
        with pawl.Log.open(self.path) as log, pawl.Pipeline(log) as pipeline:
            for _ in range(2):  # it claims the run; the second does nothing
                pipeline.end_run("run-one")
            self.assertEqual((log.find_run("run-one").status, [step.output for step in log.steps("run-one")]), ("completed", ["42", {"x": ["1"]}, "42"]))

    def test_events_are_filtered_and_waited_for(self):
        self.run_steps()
        found = list(self.log.events(type="StepCompleted", run_id="run-one"))
        self.assertEqual([(e.type, e.step_id) for e in found], [("StepCompleted", "a"), ("StepCompleted", "b")])
        self.assertEqual([e.step_id for e in self.log.events(found[0].seq, type="StepCompleted")], ["b"])
        self.assertEqual(list(self.log.events(run_id="other", wait=0.2)), [])
        with self.assertRaises(pawl.Error):
            list(self.log.events(type="Nothing"))
        head = self.log.head()[0]
        other = pawl.Log.open(self.path)
        timer = threading.Timer(0.3, lambda: other.start_session("work", actor="agent:x"))
        timer.start()
        self.assertEqual([e.type for e in self.log.events(head, wait=1)], ["SessionStarted"])

        async def follow():
            async for event in self.log.follow(head, type="SessionUpdated", every=0.05):
                return event.payload["summary"]

        timer = threading.Timer(0.2, lambda: other.update_session(other.sessions()[0].session_id, summary="half"))
        timer.start()
        self.assertEqual(asyncio.run(follow()), "half")
        timer.join()
        other.close()

    def test_a_session_has_its_steps_checkpoints_and_handoff(self):
        session = self.log.start_session("work", actor="agent:x", current_step="two", completed=["one"], pending=["three"], summary="half")
        seq = self.log.checkpoint_session(session)
        self.log.checkpoint("of the files")
        found = self.log.session(session)
        self.assertEqual((found.session.session_id, {s.step_id: s.status for s in found.steps}["one"]), (session, "completed"))
        self.assertEqual([s.step_id for s in found.steps], ["one", "two", "three"])
        self.assertEqual([(c.seq, c.reason) for c in found.checkpoints], [(seq, "manual")])
        self.assertIsNone(found.commit)
        self.assertEqual(self.log.session().session.session_id, session)
        said = self.log.handoff_data(session)
        self.assertEqual([step["step_id"] for step in said["done"]], ["one"])
        parsed = pawl.parse_handoff(self.log.handoff(session))
        self.assertEqual(parsed["session_id"], session)
        self.assertIn("one", json.dumps(parsed["sections"]))

    # ---- Handles ----

    def handles(self):
        pipeline = pawl.Pipeline(self.log)
        context = pawl.Context("m", "r1", "s")
        pipeline.run(context)
        return [self.log, self.mission, pipeline, context]

    def calls(self, handle):
        """Each of its functions, with values that fit or None."""
        for name, member in inspect.getmembers(type(handle), inspect.isfunction):
            if name.startswith("_") or name in ("close", "follow"):
                continue
            function = getattr(handle, name)
            parameters = inspect.signature(function).parameters.values()
            required = [p for p in parameters if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]
            yield name, function, [None] * len(required)
        for name, member in inspect.getmembers(type(handle), lambda member: isinstance(member, property)):
            yield name, lambda member=member: member.fget(handle), []

    def test_none_in_place_of_a_value_does_not_crash(self):
        for handle in self.handles():
            for _, function, arguments in self.calls(handle):
                try:
                    result = function(*arguments)
                    if inspect.isgenerator(result):
                        list(result)
                except (pawl.Error, TypeError, ValueError, AttributeError) as error:
                    self.assertTrue(str(error))
        for function in (pawl.Log.open, pawl.Mission.load, pawl.Pipeline, pawl.hash, pawl.canonical, lambda it: pawl.Context(it, it, it)):
            with self.assertRaises((pawl.Error, TypeError, AttributeError)):
                function(None)

    def test_what_is_closed_is_refused(self):
        handles = self.handles()
        for handle in reversed(handles):
            handle.close()
        for handle in handles:
            for name, function, arguments in self.calls(handle):
                with self.assertRaises((ValueError, TypeError), msg=name):
                    result = function(*arguments)
                    if inspect.isgenerator(result):
                        next(result)
                    elif name == "terms":
                        raise ValueError("closed before its pipeline had it")

    def test_what_another_process_opened_is_refused(self):
        handles = self.handles()
        events = self.log.events()
        next(events)
        self.assertTrue(in_a_fork(lambda: next(events)))
        uses = [self.log.head, self.log.interrupt, lambda: list(self.log.events()), lambda: self.mission.run(self.log), lambda: self.mission.id,
                lambda: self.mission.check(), lambda: pawl.Pipeline(self.log), lambda: handles[2].run(handles[3]),
                lambda: handles[2].complete(handles[3], 1), lambda: handles[3].output, lambda: handles[3].input_hash]
        for n, one in enumerate(uses):
            self.assertTrue(in_a_fork(one), n)
        child = os.fork()
        if child == 0:  # ... and closing it takes nothing from the parent
            for handle in reversed(handles):
                handle.close()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(target=lambda: theirs.send(use(self.log)))
        process.start()
        self.assertEqual(ours.recv(), "PAWL_ESTATE")
        process.join()
        self.assertEqual(handles[2].complete(handles[3], "parent"), "ok")
        with self.assertRaises(TypeError):
            multiprocessing.get_context("spawn").Process(target=use, args=(self.log,)).start()

    def test_a_child_that_returns_from_a_function_ends_there(self):
        def clarify(conflict):
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                return 1
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            return 2

        codes = []
        self.assertEqual(self.mission.run(self.log, clarify=clarify).status, "completed")
        self.assertEqual(codes, [1])
        self.assertEqual(len(list(self.log.events(type="GlossaryClarificationResolved"))), 1)

    def test_a_child_that_exits_leaves_the_run_to_its_parent(self):
        def own():
            with pawl.Log.open(self.path) as log:
                log.start_session("child")

        def clarify(conflict):
            for target, args in ((use, (self.log,)), (own, ()), (interrupt_itself, ())):
                process = multiprocessing.get_context("fork").Process(target=target, args=args)
                process.start()
                process.join(20)
                codes.append(process.exitcode)
            return 1

        codes = []
        self.assertEqual(self.mission.run(self.log, clarify=clarify).status, "completed")
        self.assertEqual(codes[:2], [0, 0])
        self.assertNotEqual(codes[2], 0)
        self.assertEqual(self.log.sessions(mission_id="child")[0].status, "active")
        self.assertEqual(self.log.verify().events, self.log.head()[0])


if __name__ == "__main__":
    unittest.main()

"""Every path of the service, with good and bad arguments."""

import json
import os
import subprocess
import threading

import served
from engine import change_event
from served import Served, main, pawl
from serving import eventually

V1 = "/api/v1"


def refused(status, name, part):
    """The error answer of a request that was not answered with 200."""

    def held(value):
        assert value["error"]["status"] == name, value
        assert part in value["error"]["message"], value

    return status, held


def refuses(service, method, path, wanted, body=None):
    status, held = wanted
    held(service.ask(method, path, body, status=status))


# The log of api_test.sh: runs "done" (completed), "held" (blocked by one conflict), "two" (blocked, by
# the same word), and checkpoints of the workspace.
service = None


def head():
    return service.get(V1 + "/head")["seq"]


def a_token_is_asked_for():
    for headers in ({"Authorization": None}, {"Authorization": "Bearer " + "0" * 64}):
        value = service.ask("GET", V1 + "/head", headers=headers, status=401)
        assert value["error"]["status"], value
    assert service.raw("GET", "/healthz", headers={"Authorization": None}).value == {"status": "ok"}


def runs_come_in_pages_newest_first():
    runs = service.get(V1 + "/runs")["runs"]
    assert [run["run_id"] for run in runs] == ["two", "held", "done"], runs
    assert [run["status"] for run in runs] == ["blocked", "blocked", "completed"]
    seen, before = [], {}
    while True:
        page = service.get(V1 + "/runs", limit=1, **before)
        seen += [run["run_id"] for run in page["runs"]]
        if page["next"] is None:
            break
        before = {"before": page["next"]}
    assert seen == ["two", "held", "done"], seen
    assert [run["run_id"] for run in service.get(V1 + "/runs", status="completed")["runs"]] == ["done"]
    assert service.get(V1 + "/runs", status="running") == {"runs": [], "next": None}
    for query in ("limit=0", "limit=501", "limit=x", "limit=", "before=0", "status=sleeping", "colour=red",
                  "limit=1&limit=2"):
        refuses(service, "GET", V1 + "/runs?" + query, refused(400, "PAWL_EINVAL", ""))


def a_run_has_its_steps():
    run = service.get(V1 + "/runs/held")
    assert [(step["step_id"], step["status"]) for step in run["steps"]] == [
        ("research", "completed"), ("specify", "blocked"), ("publish", "pending")], run
    assert run["conflicts_open"] == 1 and run["retry_token"] == run["steps"][1]["retry_token"]
    assert service.get(V1 + "/runs/held/steps") == run["steps"]
    log = service.get(V1 + "/runs/held/steps/research/log")
    assert [(one["attempt"], one["status"], one["text"]) for one in log["attempts"]] == [(1, "completed", "")], log
    assert service.get(V1 + "/runs/held/steps/research/log", attempt=1) == log
    assert service.get(V1 + "/runs/held/steps/specify/log")["attempts"] == []
    output = service.get(V1 + "/runs/held/steps/research/output")
    assert output["output"] == {"summary": "three days"}, output
    assert output["output_hash"] == run["steps"][0]["output_hash"]
    for path in ("/runs/none", "/runs/none/steps", "/runs/--help", "/runs/%20", "/runs/held/steps/none/log",
                 "/runs/held/steps/research/log?attempt=2", "/runs/held/steps/specify/output"):
        assert service.ask("GET", V1 + path, status=404)["error"]["message"]


def only_a_step_that_failed_is_skipped():
    refused = service.ask("POST", V1 + "/runs/held/steps/research/skip", {}, status=409)
    assert "only a step that failed" in refused["error"]["message"], refused
    pawl("run", "fails.yaml", "--run", "fails", code=1)
    skipped = service.post(V1 + "/runs/fails/steps/one/skip", {"actor": "user:ana"})
    assert skipped == {"run_id": "fails", "step_id": "one", "status": "skipped"}, skipped
    assert service.get(V1 + "/runs/fails/steps/one/output")["output"] is None
    assert service.get(V1 + "/events", type="StepCompleted", run="fails")["events"][0]["actor"] == "user:ana"


def what_skipping_means_is_said_before():
    pawl("run", "fails.yaml", "--run", "stuck", code=1)
    before = head()
    plan = service.get(V1 + "/runs/stuck/steps/one/skip")
    assert plan["steps"] == [{"step_id": "one", "status": "failed", "then": "skipped", "why": None}], plan
    assert plan["refused"] is None and plan["owner"] is None and plan["status"] == "failed", plan
    refused = service.get(V1 + "/runs/done/steps/research/skip")["refused"]
    assert refused["status"] == "PAWL_ESTATE" and "only a step that failed" in refused["message"], refused
    assert service.ask("POST", V1 + "/runs/stuck/steps/one/skip", {"output": "{"}, status=400)["error"]["message"]
    assert head() == before
    service.post(V1 + "/runs/stuck/steps/one/skip", {"output": '{"n": 7}'})
    assert service.get(V1 + "/runs/stuck/steps/one/output")["output"] == {"n": 7}


def a_run_is_resumed_in_a_process_of_its_own():
    plan = service.get(V1 + "/runs/stuck/resume")
    assert [(step["step_id"], step["then"]) for step in plan["steps"]] == [("one", "stays")], plan
    did = service.post(V1 + "/runs/stuck/resume", {"actor": "user:ana"})
    assert did["run_id"] == "stuck" and did["status"] in ("running", "completed"), did
    eventually(lambda: service.get(V1 + "/runs/stuck")["status"], "completed")
    resumed = service.get(V1 + "/events", type="RunCompleted", run="stuck")["events"][-1]
    assert resumed["actor"] == "user:ana", resumed
    plan = service.get(V1 + "/runs/stuck/resume")
    assert "nothing to resume" in plan["refused"]["message"], plan
    pawl("run", "asks.yaml", "--run", "asked", "--no-input", code=3)
    plan = service.get(V1 + "/runs/asked/resume")
    assert [(step["step_id"], step["then"], step["why"]) for step in plan["steps"]] == [
        ("look", "stays", None), ("which", "asks", "a question of it is open"), ("take", "waits", "for which")], plan
    did = service.post(V1 + "/runs/asked/resume", {})
    assert did["status"] in ("running", "blocked"), did
    eventually(lambda: service.get(V1 + "/runs/asked")["status"], "blocked")
    for path in ("/runs/none/resume", "/runs/none/cancel", "/runs/held/steps/none/skip"):
        assert service.ask("GET", V1 + path, status=404)["error"]["message"]
    service.ask("POST", V1 + "/runs/none/resume", {}, status=404)


def what_changed_since_is_refused_until_it_is_accepted():
    pawl("run", "fails.yaml", "--run", "changed", code=1)
    text = open("fails.yaml").read()
    open("fails.yaml", "w").write(text.replace("run: [false]", "run: [true]"))
    plan = service.get(V1 + "/runs/changed/resume")
    assert plan["changes"] == [{"step_id": "one", "change": "run"}], plan
    assert plan["refused"]["status"] == "PAWL_EINPUTS" and "--rerun-changed" in plan["refused"]["message"], plan
    before = head()
    refused = service.ask("POST", V1 + "/runs/changed/resume", {}, status=409)
    assert refused["error"]["status"] == "PAWL_EINPUTS" and head() == before, refused
    assert service.get(V1 + "/runs/changed/resume", rerun_changed=1)["refused"] is None
    service.post(V1 + "/runs/changed/resume", {"rerun_changed": True})
    eventually(lambda: service.get(V1 + "/runs/changed")["status"], "completed")
    open("fails.yaml", "w").write(text)


def a_run_that_somebody_holds_says_whose_it_is():
    owner = subprocess.Popen(["pawl", "run", "long.yaml", "--run", "owned", "--no-input"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    eventually(lambda: [step["status"] for step in service.get(V1 + "/runs", status="running")["runs"]], ["running"])
    eventually(lambda: service.get(V1 + "/runs/owned")["steps"][0]["status"], "running")
    plan = service.get(V1 + "/runs/owned/cancel")
    assert plan["owner"]["pid"] == owner.pid and plan["refused"] is None, plan
    assert [(step["step_id"], step["then"]) for step in plan["steps"]] == [("one", "ends"), ("two", "never")], plan
    plan = service.get(V1 + "/runs/owned/resume")
    assert plan["refused"]["status"] == "PAWL_EHELD" and str(owner.pid) in plan["refused"]["message"], plan
    refused = service.ask("POST", V1 + "/runs/owned/resume", {}, status=409)
    assert refused["error"]["status"] == "PAWL_EHELD" and str(owner.pid) in refused["error"]["message"], refused
    service.post(V1 + "/runs/owned/cancel", {})
    assert owner.wait(30) == 1
    assert "only a run that has not ended" in service.get(V1 + "/runs/owned/cancel")["refused"]["message"]


def a_run_is_cancelled_for_good():
    pawl("run", "fails.yaml", "--run", "given-up", code=1)
    assert service.post(V1 + "/runs/given-up/cancel", {"actor": "user:ana"}) == {"run_id": "given-up", "status": "cancelled"}
    assert service.get(V1 + "/runs/given-up")["status"] == "cancelled"
    refused = service.ask("POST", V1 + "/runs/given-up/cancel", {}, status=409)
    assert "is cancelled" in refused["error"]["message"], refused


def events_come_in_pages_without_gaps_or_repeats():
    last = head()
    whole = service.get(V1 + "/events", limit=1000)
    assert [event["seq"] for event in whole["events"]] == list(range(1, last + 1))
    assert whole["next"] is None and whole["head"] == last
    for limit in (1, 7, last - 1, last):
        seen, query = [], {}
        while True:
            page = service.get(V1 + "/events", limit=limit, **query)
            seen += page["events"]
            if page["next"] is None:
                break
            query = {"since": page["next"]}
        assert seen == whole["events"], limit
        seen, query = [], {"before": last + 1}
        while True:
            page = service.get(V1 + "/events", limit=limit, **query)
            seen = page["events"] + seen
            if page["next"] is None:
                break
            query = {"before": page["next"]}
        assert seen == whole["events"], limit
    assert service.get(V1 + "/events", since=last) == {"events": [], "next": None, "head": last}
    assert service.get(V1 + "/events", since=last + 5)["events"] == []
    assert service.get(V1 + "/events", before=1) == {"events": [], "next": None, "head": last}


def last_of(events):
    return events[-1]["seq"]


def events_are_narrowed_to_a_run_a_step_or_a_type():
    whole = service.get(V1 + "/events", limit=1000)["events"]
    for name, member, value in (("run", "run_id", "held"), ("step", "step_id", "specify"),
                                ("type", "type", "StepCompleted"), ("run", "run_id", "none")):
        wanted = [event for event in whole if event[member] == value]
        assert service.get(V1 + "/events", limit=1000, **{name: value})["events"] == wanted
        newest = service.get(V1 + "/events", limit=2, before=10 ** 6, **{name: value})
        assert newest["events"] == wanted[-2:], newest
        assert (newest["next"] is None) == (len(wanted) <= 2), newest
        for since, before in ((3, 12), (0, last_of(whole) + 1), (5, 6), (6, 6), (7, 3), (last_of(whole), 10 ** 6)):
            between = [event for event in wanted if since < event["seq"] < before]
            page = service.get(V1 + "/events", limit=1000, since=since, before=before, **{name: value})
            assert page["events"] == between and page["next"] is None, (since, before, page)
    assert service.get(V1 + "/events/3") == whole[2]
    for query in ("since=-1", "limit=1001", "before=0"):
        refuses(service, "GET", V1 + "/events?" + query, refused(400, "PAWL_EINVAL", ""))
    for seq in ("0", "99999", "x", "-1", "1x"):
        service.get(V1 + "/events/" + seq, code=404)


def sessions_and_what_they_leave():
    sessions = service.get(V1 + "/sessions")
    assert [session["run_id"] for session in sessions] == ["two", "held", "done"], sessions
    assert service.get(V1 + "/sessions", limit=1) == sessions[:1]
    assert service.get(V1 + "/sessions", status="completed") == sessions[2:]
    assert service.get(V1 + "/sessions", mission="none") == []
    one = sessions[1]["session_id"]
    session = service.get(V1 + "/sessions/" + one)
    assert session | sessions[1] == session
    assert [(step["step_id"], step["status"]) for step in session["steps"]] == [
        ("research", "completed"), ("specify", "blocked"), ("publish", "pending")], session
    assert [mark["reason"] for mark in session["session_checkpoints"]] == ["step_complete"], session
    for options, query in ((), {}), (("--summary", "1"), {"summary": 1}):
        text = pawl("handoff", *options, one).replace(f" --db '{os.environ.get('PAWL_DB')}'", "") # which a client does not name
        assert service.get(V1 + "/sessions/" + one + "/handoff", **query) == text
    service.get(V1 + "/sessions/none", code=404)
    service.get(V1 + "/sessions/none/handoff", code=404)
    service.get(V1 + "/sessions?status=done", code=400)


def a_conflict_is_answered_once_and_says_by_whom():
    conflicts = service.get(V1 + "/conflicts")
    assert [conflict["run_id"] for conflict in conflicts] == ["held", "two"], conflicts
    held = conflicts[0]["conflict_id"]
    assert service.get(V1 + "/conflicts/" + held) == conflicts[0]
    path = V1 + "/conflicts/" + held + "/answer"
    before = head()
    for body in ({}, {"pick": 1, "define": "A thing."}, {"pick": 0}, {"pick": "1"}, {"pick": 1.5}, {"pick": 99},
                 {"pick": -1}, {"pick": 1, "dismiss": True}, {"dismiss": 1}, {"define": 7}, {"define": ""}, {"pick": 1, "scope": "moon"}, {"pick": 1, "actor": ""},
                 {"pick": 1, "actor": "a\nb"}, {"pick": 1, "actor": 3}, {"picks": 1}, {"define": "a\0b"}, [], "x", "",
                 "{\"pick\":1,\"pick\":2}", "{\"pick\":1"):
        value = service.ask("POST", path, body if body != "x" else "\"x\"", status=400)
        assert value["error"]["message"], body
    service.ask("POST", path, "pick=1", {"Content-Type": "text/plain"}, 400)
    service.post(V1 + "/conflicts/0123456789abcdef/answer", {"pick": 1}, 404)
    assert head() == before

    answered = service.post(path, {"pick": 2, "actor": "user:Zoë"})
    assert answered["conflict_id"] == held and answered["open"] == 0
    assert answered["retry_token"] == conflicts[0]["retry_token"]
    after = head()
    refuses(service, "POST", path, refused(409, "PAWL_EEXISTS", "answered"), {"pick": 1})
    assert head() == after
    event = service.get(V1 + "/events/%d" % service.get(V1 + "/conflicts/" + held)["resolved_seq"])
    assert event["type"] == "GlossaryClarificationResolved" and event["actor"] == "user:Zoë", event
    assert event["payload"]["actor"]["actor_id"] == "user:Zoë"
    assert event["payload"]["provenance"]["actor_id"] == "user:Zoë"

    other = conflicts[1]["conflict_id"]
    service.post(V1 + "/conflicts/" + other + "/answer",
                 {"define": "A desk.\n<b>\"'&", "scope": "mission_local"}, headers={"X-Pawl-Actor": "agent:builder"})
    event = service.get(V1 + "/events/%d" % service.get(V1 + "/conflicts/" + other)["resolved_seq"])
    assert event["actor"] == "agent:builder", event
    assert service.get(V1 + "/conflicts") == []
    assert [c["conflict_id"] for c in service.get(V1 + "/conflicts", all=1)] == [held, other]
    service.get(V1 + "/conflicts", all="yes", code=400)
    senses = service.get(V1 + "/glossary")
    assert any(sense["definition"] == "A desk.\n<b>\"'&" for sense in senses), senses
    assert len(service.get(V1 + "/glossary", at=before)) < len(senses)
    pawl("resume", "held", "--no-input")
    assert service.get(V1 + "/runs/held")["status"] == "completed"


def many_are_answered_at_once_or_none_is():
    with open("again.yaml") as again, open("both.yaml", "w") as both:
        both.write(again.read().replace("mission: ", "mission: both-"))
    for run in ("three", "four"):
        pawl("run", "both.yaml", "--run", run, "--no-input", "--fresh", code=3)
    three, four = [c["conflict_id"] for c in service.get(V1 + "/conflicts")]
    before = head()
    for body in ({}, {"answers": {}}, {"answers": "x"}, {"answers": [{"conflict_id": three}, 7]},
                 {"answers": [{"conflict_id": three, "pick": 99}]}, {"answers": [{"conflict_id": three, "picks": 1}]}):
        service.ask("POST", V1 + "/answers", body, status=400)
    refuses(service, "POST", V1 + "/answers", refused(404, "PAWL_ENOTFOUND", "answer 2: conflict 0123456789abcdef"),
            {"answers": [{"conflict_id": three, "pick": 1}, {"conflict_id": "0123456789abcdef", "pick": 1}]})
    for body in ({}, {"dismiss": True, "pick_first": True}, {"all": True}):
        service.ask("POST", V1 + "/runs/three/answers", body, status=400)
    service.post(V1 + "/runs/nowhere/answers", {"dismiss": True}, 404)
    assert head() == before
    answered = service.post(V1 + "/answers", {"answers": [{"conflict_id": three, "pick": 1}], "actor": "user:Zoë"})
    assert answered == {"answered": 1, "conflicts": [three], "run_id": None, "open": 1}, answered
    answered = service.post(V1 + "/runs/four/answers", {"dismiss": True, "scope": "mission_local"})
    assert answered == {"answered": 1, "conflicts": [four], "run_id": "four", "open": 0}, answered
    event = service.get(V1 + "/events/%d" % service.get(V1 + "/conflicts/" + four)["resolved_seq"])
    assert event["payload"]["selected_sense"]["status"] == "ignored", event


def the_glossary_is_changed_and_says_what_that_takes_away():
    seed = "terms:\n  - {surface: TCP/IP, definition: A protocol., aliases: [tcp]}\n"
    edit, log = V1 + "/glossary/edit", V1 + "/glossary/log"
    before = head()
    refuses(service, "POST", V1 + "/glossary/import", refused(400, "PAWL_EINVAL", "no \"seed\""), {"scope": "core"})
    refuses(service, "POST", V1 + "/glossary/import", refused(400, "PAWL_EINVAL", "no \"scope\""), {"seed": seed})
    value = service.ask("POST", V1 + "/glossary/import",
                        {"seed": "terms: [{surface: a}, {definition: b}]", "scope": "core"}, status=400)
    assert value["error"]["message"].startswith("the seed: line 1: terms[1].surface: is missing"), value
    assert [line[:30] for line in value["output"]["problems"]] == ["the seed: line 1: terms[0].def",
                                                                   "the seed: line 1: terms[1].sur"], value
    looked = service.post(V1 + "/glossary/import", {"seed": seed, "scope": "core", "dry_run": True})
    assert looked["dry_run"] and looked["changed"] and looked["seq"] is None and head() == before, looked
    did = service.post(V1 + "/glossary/import", {"seed": seed, "scope": "spec_kitty_core", "actor": "user:Zoë"})
    assert (did["scope"], did["added"], did["aliases_added"], did["seq"]) == ("core", 1, 1, head()), did
    assert service.post(V1 + "/glossary/import", {"seed": seed, "scope": "core"})["changed"] is False

    before = head()
    (sense,) = [s for s in service.get(V1 + "/glossary") if s["surface"] == "TCP/IP"]
    refuses(service, "POST", edit, refused(400, "PAWL_EINVAL", "no \"define\""), {"term": "TCP/IP"})
    refuses(service, "POST", edit, refused(400, "PAWL_EINVAL", "no \"term\""), {"define": "x"})
    refuses(service, "POST", edit, refused(404, "PAWL_ENOTFOUND", "no such sense"), {"term": "../x", "define": "x"})
    refuses(service, "POST", edit, refused(400, "PAWL_EINVAL", "empty"), {"term": "tcp/ip", "define": " "})
    refuses(service, "POST", edit, refused(409, "PAWL_ESTATE", "not in force any more"),
            {"term": "TCP/IP", "define": "x", "since_seq": before + 1})
    refuses(service, "POST", edit, refused(400, "PAWL_EINVAL", "mission"),
            {"term": "TCP/IP", "define": "x", "scope": "core", "mission": "m"})
    say = {"term": "tcp/ip", "define": "Two protocols.\n--x", "since_seq": sense["since_seq"], "actor": "user:Zoë"}
    looked = service.post(edit, {**say, "dry_run": True})
    assert head() == before and [s["definition"] for s in looked["former"]] == ["A protocol."] * 2, looked
    did = service.post(edit, say)
    assert did["senses"] == looked["senses"] and did["seq"] == head(), did
    refuses(service, "POST", edit, refused(409, "PAWL_ESTATE", ""), say)
    did = service.post(V1 + "/glossary/ignore", {"term": "--help", "scope": "audience_domain"})
    assert did["senses"][0]["status"] == "ignored" and did["term"] == "--help", did
    did = service.post(V1 + "/glossary/deprecate", {"term": "tcp"})
    assert {s["status"] for s in did["senses"]} == {"deprecated"} and len(did["former"]) == 2, did
    assert [(e["change"], e["status"], e["actor"]) for e in service.get(log, term="TCP/IP")] == [
        ("create", "active", "user:Zoë"), ("update", "deprecated", "user:Zoë"), ("create", "active", "user:Zoë"),
        ("update", "deprecated", did_actor())], service.get(log, term="TCP/IP")
    refuses(service, "GET", log, refused(400, "PAWL_EINVAL", "the query: has no \"term\""))
    refuses(service, "GET", log + "?term=nowhere", refused(404, "PAWL_ENOTFOUND", "no glossary ever had it"))
    for headers in ({"Authorization": None}, {"Origin": "http://elsewhere.example"}):
        before = head()
        assert service.raw("POST", edit, json.dumps(say).encode(), headers).status in (401, 403)
        assert head() == before


def did_actor():
    return service.get(V1 + "/events/%d" % head())["actor"]


def of_two_that_answer_at_once_one_is_refused():
    pawl("run", "again.yaml", "--run", "again", "--no-input", code=3)
    # a run is named by what it alone begins with, here too
    assert service.get(V1 + "/runs/agai") == service.get(V1 + "/runs/again")
    assert service.get(V1 + "/events?run=agai&limit=3") == service.get(V1 + "/events?run=again&limit=3")
    conflict = service.get(V1 + "/conflicts")[0]["conflict_id"]
    codes = []

    def answer(pick):
        connection = service.connect()
        connection.request("POST", V1 + "/conflicts/" + conflict + "/answer", json.dumps({"pick": pick}),
                           {"Authorization": "Bearer " + service.token, "Content-Type": "application/json"})
        codes.append(connection.getresponse().status)
        connection.close()

    threads = [threading.Thread(target=answer, args=(1 + n % 2,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [200] + [409] * 7, codes


def checkpoints_are_taken_compared_and_gone_back_to():
    first = service.post(V1 + "/checkpoints", {"description": "--before the change"})
    assert first["description"] == "--before the change"
    listed = service.get(V1 + "/checkpoints")
    assert listed[-1]["n"] == first["n"] and listed[-1]["current"]
    one = V1 + "/checkpoints/%d" % first["n"]
    assert service.get(one)["id"] == service.get(V1 + "/checkpoints/current")["id"] == first["id"]
    with open("notes.txt", "w") as notes:
        notes.write("changed\n")
    diff = service.get(one + "/diff", patch=1)
    assert [(file["path"], file["change"]) for file in diff["files"]] == [("notes.txt", "modified")], diff
    assert "+changed" in diff["patch"] and diff["b"] is None
    assert "patch" not in service.get(one + "/diff")
    assert service.get(one + "/diff", to=1)["b"]["n"] == 1
    for path in ("/checkpoints/9999", "/checkpoints/9999/diff", "/checkpoints/9999/rollback"):
        service.get(V1 + path, code=404)
    service.get(one + "/diff", patch=2, code=400)

    before = head()
    plan = service.get(one + "/rollback")
    assert not plan["applied"] and plan["writes"] == 1
    assert head() == before and open("notes.txt").read() == "changed\n"
    service.post(one + "/rollback", {}, 400)
    service.post(one + "/rollback", {"expect": "yes"}, 400)
    service.post(one + "/rollback", {"expect": "0" * 64}, 409)
    with open("notes.txt", "w") as notes:
        notes.write("changed again\n")
    with open("more.txt", "w") as more:
        more.write("another plan\n")
    at = service.post(V1 + "/checkpoints", {"actor": "agent:builder"})
    assert service.get(V1 + "/events/%d" % at["seq"])["actor"] == "agent:builder"
    before = head()
    refuses(service, "POST", one + "/rollback", refused(409, "PAWL_ESTATE", "plan"), {"expect": plan["plan"]})
    assert head() == before and open("notes.txt").read() == "changed again\n"

    plan = service.get(one + "/rollback", decisions="keep")
    done = service.post(one + "/rollback", {"expect": plan["plan"], "reason": "--it went wrong", "actor": "user:ana"})
    assert done["applied"] and done["plan"] == plan["plan"] and done["safety"]
    assert open("notes.txt").read() == "first\n"
    event = service.get(V1 + "/events", type="WorkspaceRollbackStarted")["events"][-1]
    assert event["actor"] == "user:ana", event

    plan = service.get(V1 + "/undo")
    assert plan["undo"] and not plan["applied"]
    service.post(V1 + "/undo", {"expect": "0" * 64}, 409)
    assert open("notes.txt").read() == "first\n"
    assert service.post(V1 + "/undo", {"expect": plan["plan"]})["applied"]
    assert open("notes.txt").read() == "changed again\n"
    plan = service.get(V1 + "/redo")
    assert plan["undo"] and plan["redo"] and plan["given_up"] == [at["n"]], plan
    service.post(V1 + "/redo", {"expect": plan["plan"]})
    assert open("notes.txt").read() == "first\n"
    plan = service.get(V1 + "/undo")
    assert plan["taken_up"] == [at["n"]], plan
    service.post(V1 + "/undo", {"expect": plan["plan"]})
    assert open("notes.txt").read() == "changed again\n"


def a_run_is_forked_and_compared():
    alike = service.get(V1 + "/runs/done/compare", **{"with": "done"})
    assert alike["same"] and alike["a"] == alike["b"] and alike["a"]["run_id"] == "done", alike
    before = head()
    for path, code in (("/runs/done/compare", 400), ("/runs/done/compare?with=none", 404), ("/runs/none/compare?with=done", 404),
                       ("/runs/done/compare?with=--help", 404)):
        assert service.ask("GET", V1 + path, status=code)["error"]["message"]
    for path, body, code in (("done", {}, 400), ("done", {"from": "none"}, 404), ("none", {"from": "specify"}, 404),
                             ("done", {"from": "specify", "dir": "/tmp/x"}, 400)):
        assert service.ask("POST", f"{V1}/runs/{path}/fork", body, status=code)["error"]["message"]
    open("notes.txt", "w").write("neither\n")
    refused = service.ask("POST", V1 + "/runs/done/fork", {"from": "specify"}, status=409)["error"]
    assert refused["status"] == "PAWL_ESTATE" and "there is nobody to ask" in refused["message"], refused
    assert head() == before and open("notes.txt").read() == "neither\n"
    forked = service.post(V1 + "/runs/done/fork", {"from": "specify", "yes": True, "actor": "user:ana"})
    assert forked["forked_from"]["run_id"] == "done" and forked["forked_from"]["step_id"] == "specify", forked
    assert open("notes.txt").read() != "neither\n"
    run = service.get(V1 + "/runs/" + forked["run_id"])
    assert run["forked_from"] == forked["forked_from"] and run["steps"][0]["status"] == "completed", run
    assert service.get(V1 + "/events", type="RunStarted", run=forked["run_id"])["events"][0]["actor"] == "user:ana"
    lies = service.get(V1 + "/runs/done/compare", **{"with": forked["run_id"]})
    assert not lies["same"] and [step["same"] for step in lies["steps"]][:2] == [True, False], lies
    assert lies["steps"][1]["status"] == {"a": "completed", "b": "pending"}, lies
    service.post(V1 + "/runs/" + forked["run_id"] + "/cancel", {})


def the_log_is_verified_counted_and_named():
    last = service.get(V1 + "/head")
    verified = service.get(V1 + "/verify")
    assert verified.pop("contents") > 0 and verified.pop("blobs") > 0
    assert verified == {
        "events": last["seq"], "head": last, "ok": True, "keyed": False, "macs_checked": False}
    stats = service.get(V1 + "/stats")
    assert stats["events"] == last["seq"] and stats["head"] == last
    assert "pawl_log_head_seq %d\n" % last["seq"] in service.get("/metrics")
    assert service.get(V1 + "/openapi.json") == service.get("/openapi.json") == served.DOCUMENT


def commands_are_listed_and_run():
    names = set()

    def take(commands):
        for command in commands:
            if command["runs"]:
                names.add(command["name"])
            take(command["sub_commands"])
            assert command["subCommands"] == command["sub_commands"], command["name"]

    take(service.get("/listCommands")["commands"])
    assert {"runs", "resolve", "eventlog show", "glossary list"} <= names, names
    assert not {"run", "serve", "completion", "import"} & names, names
    for name in ("runs", "conflicts", "checkpoints", "eventlog head"):
        assert service.post("/executeCommand", {"command": name})["name"] == name
    failed = service.post("/executeCommand", {"command": "show", "args": ["9999"]})
    assert failed["data"]["error"]["status"] == "PAWL_ENOTFOUND", failed
    for name in ("run", "none", ""):
        service.post("/executeCommand", {"command": name}, 404)
    for body in ({"command": "runs", "args": "x"}, {"command": "runs", "args": [1]}, {"args": []}, []):
        service.post("/executeCommand", body, 400)


def what_is_not_there_is_404_and_other_methods_405():
    for path in ("/api/v1", "/api/v1/", "/api/v1/run", "/api/v2/runs", V1 + "/runs/", V1 + "/head/x"):
        service.ask("GET", path, status=404)
    for method, path in (("DELETE", V1 + "/runs/held"), ("PUT", V1 + "/head"), ("POST", V1 + "/runs"),
                         ("OPTIONS", V1 + "/runs"), ("GET", V1 + "/conflicts/x/answer")):
        answer = service.raw(method, path, "{}" if method == "POST" else None)
        assert answer.status == 405 and answer.headers["Allow"], (method, path, answer.status)
    answer = service.raw("HEAD", V1 + "/head")
    assert answer.status == 200 and answer.text == ""


def lists_come_in_pages_without_gaps_or_repeats():
    # each with what "before" takes; the newest first, or last
    for path, place, first, query in (("/runs", "started_seq", True, {}), ("/sessions", "seq", True, {}),
                                      ("/sessions", "seq", True, {"status": "completed"}),
                                      ("/conflicts", "seq", False, {"all": 1}), ("/rollbacks", "seq", False, {}),
                                      ("/checkpoints", "n", False, {}), ("/checkpoints", "n", False, {"run": "held"}),
                                      ("/checkpoints", "n", False, {"step": "research"})):
        items = lambda value: value["runs"] if isinstance(value, dict) else value
        whole = items(service.get(V1 + path, **query))
        assert whole, path
        places = [item[place] for item in whole]
        assert places == sorted(set(places), reverse=first), (path, places)
        for limit in (1, 2, len(whole), len(whole) + 1):
            seen, at = [], "?" + "&".join("%s=%s" % one for one in (query | {"limit": limit}).items())
            while at:
                answer = service.raw("GET", V1 + path + at)
                page = items(json.loads(answer.text))
                assert len(page) <= limit, (path, at)
                seen = seen + page if first else page + seen
                link = answer.headers["Link"]
                assert not link or (link.startswith("<?") and link.endswith('>; rel="next"')), link
                at = link and link[1:link.index(">")]
            assert seen == whole, (path, limit)
        assert items(service.get(V1 + path, before=1, **query)) == [], path
        for wrong in ("limit=0", "limit=1001", "limit=x", "before=0", "before=-1"):
            refuses(service, "GET", V1 + path + "?" + wrong, refused(400, "PAWL_EINVAL", ""))


def every_operation_of_the_document_was_answered():
    every = {known["operationId"] for known in operations()}
    missing = every - service.asked - {"streamEvents", "health"}
    assert not missing, missing


def operations():
    for path in served.DOCUMENT["paths"].values():
        yield from path.values()


def a_service_that_only_reads_changes_nothing():
    with Served("--read-only") as reading:
        before = reading.get(V1 + "/head")
        for path, body in (("/checkpoints", {}), ("/undo", {"expect": "0" * 64}), ("/conflicts/0123/answer", {"pick": 1}),
                           ("/checkpoints/1/rollback", {"expect": "0" * 64}), ("/runs/done/fork", {"from": "specify"}),
                           ("/glossary/ignore", {"term": "x"}), ("/glossary/import", {"seed": "", "scope": "core"})):
            reading.post(V1 + path, body, 403)
        for path in ("/runs", "/runs/held", "/conflicts", "/sessions", "/events", "/checkpoints", "/verify"):
            reading.get(V1 + path)
        plan = V1 + "/checkpoints/1/rollback"
        assert reading.get(plan) == service.get(plan)
        assert reading.get(V1 + "/undo") == service.get(V1 + "/undo")
        data = reading.post("/executeCommand", {"command": "rollback", "args": ["1", "--plan"]})["data"]
        assert data == service.get(plan), data
        assert reading.post("/executeCommand", {"command": "prune sessions", "args": ["--keep", "0", "--dry-run"]})["data"]
        reading.post("/executeCommand", {"command": "rollback", "args": ["1", "--yes"]}, 403)
        reading.post("/executeCommand", {"command": "rollback", "args": ["--finish"]}, 403)
        assert reading.get(V1 + "/head") == before


def without_a_workspace_what_needs_one_does_not_start():
    with Served(workspace=False) as bare:
        before = bare.get(V1 + "/head")
        bare.post(V1 + "/checkpoints", {}, 400)
        bare.get(V1 + "/checkpoints/1/rollback", code=400)
        bare.get(V1 + "/checkpoints/1/diff", code=400)
        assert bare.get(V1 + "/checkpoints/1")["n"] == 1
        assert bare.get(V1 + "/head") == before


def a_log_that_does_not_verify_is_an_answer():
    change_event(5, '{"a":1}')
    verified = service.get(V1 + "/verify")
    assert not verified["ok"] and verified["bad_seq"] == 5 and verified["why"], verified


if __name__ == "__main__":
    with Served() as service:
        main(a_token_is_asked_for,
              runs_come_in_pages_newest_first,
              a_run_has_its_steps,
              events_come_in_pages_without_gaps_or_repeats,
              events_are_narrowed_to_a_run_a_step_or_a_type,
              sessions_and_what_they_leave,
              a_conflict_is_answered_once_and_says_by_whom,
              of_two_that_answer_at_once_one_is_refused, many_are_answered_at_once_or_none_is, the_glossary_is_changed_and_says_what_that_takes_away,
              checkpoints_are_taken_compared_and_gone_back_to,
              the_log_is_verified_counted_and_named,
              commands_are_listed_and_run,
              what_is_not_there_is_404_and_other_methods_405,
              lists_come_in_pages_without_gaps_or_repeats,
              only_a_step_that_failed_is_skipped, what_skipping_means_is_said_before,
              a_run_is_resumed_in_a_process_of_its_own,
              what_changed_since_is_refused_until_it_is_accepted,
              a_run_that_somebody_holds_says_whose_it_is, a_run_is_cancelled_for_good,
              a_run_is_forked_and_compared,
              every_operation_of_the_document_was_answered,
              a_service_that_only_reads_changes_nothing,
              without_a_workspace_what_needs_one_does_not_start,
              a_log_that_does_not_verify_is_an_answer)

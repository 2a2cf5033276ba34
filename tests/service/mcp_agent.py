"""What an agent cannot do over the Model Context Protocol, on standard input and over HTTP: see mcp_agent_test.sh."""

import json
import os
import subprocess

from mcp_client import META, NEW, Client, Stdio, code, log, messages
from serving import Service, same

USER = "user:" + os.environ["USER"]


def pawl(*words):
    return subprocess.run(["pawl", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def conflict_of(run):
    return [c["conflict_id"] for c in json.loads(pawl("conflicts", "--json").stdout) if c["run_id"] == run][0]


def answers_of(run):
    return [e["actor"] for e in log("list", "--run", run, "--type", "GlossaryClarificationResolved")]


class Http(Client):
    """A client whose answers are those of Stdio."""

    def call(self, tool, /, **arguments):
        body = super().call(tool, **arguments)
        return (body[-1] if isinstance(body, list) else body)["result"]


def agents(service):
    with Stdio(name="evil") as stdio:
        yield "stdio", stdio
    yield "old", Http(service, elicits=False)
    yield "new", Http(service, new=True, elicits=False)


def nobody_else_is_named(service):
    """No tool takes an actor, and a question to a person is that person's."""
    for name, agent in agents(service):
        run = "asks-" + name
        ran = agent.call("run", mission="asks.yaml", run=run, fresh=True)
        same((ran["isError"], ran["structuredContent"]["status"]), (False, "blocked"), ran)
        conflict = conflict_of(run)
        for arguments in ({"answer": "yes"}, {"answer": "yes", "actor": "user:ana"}, {"answer": "yes", "Actor": "user:ana"},
                          {"answer": "yes", "--actor": "user:ana"}, {"answer": "yes", "sign": "key"}, {"dismiss": True},
                          {"answer": "yes", "_meta": {"actor": "user:ana"}}, {"answer": "yes", "params": {"actor": "user:ana"}}):
            result = agent.call("resolve", conflict=conflict, **arguments)
            same(result["isError"], True, (name, arguments, result))
        result = agent.call("resolve", **{"answers-json": json.dumps([{"conflict": conflict, "answer": "yes",
                                                                       "actor": "user:ana"}])})
        same(result["isError"], True, result)
        same(agent.call("skip", run=run, step="g", **{"output-json": "\"yes\""})["isError"], True)
        same(answers_of(run), [])
        started = log("list", "--run", run, "--type", "RunStarted")[0]["actor"]
        same(started.split(":")[0], "agent", started)
    same(log("list", "--run", "asks-stdio", "--type", "RunStarted")[0]["actor"], "agent:evil")


def names_are_made_safe():
    for given, name in (("user:ana", "userana"), ("Claude Code", "ClaudeCode"), ("a\u0000b\n", "ab"), ("\u00e9", "mcp"), (None, "mcp"),
                        ("../x", "..x")):
        with Stdio(name=given) as agent:
            same(agent.call("pin", checkpoint="1")["isError"], False)
        same(log("list")[-1]["actor"], "agent:" + name)
        with Stdio() as agent:
            agent.call("pin", checkpoint="1", off=True)


def the_header_does_not_count(service):
    for client in (Client(service), Client(service, new=True)):
        message = client.message("tools/call", {"name": "checkpoint", "arguments": {"text": "by whom"}})
        status, _, body = client.send(message, {**client.headers(message), "X-Pawl-Actor": "user:ana"})
        same((status, body["result"]["isError"]), (200, False))
        with open("changed", "a", encoding="utf-8") as file:
            file.write("more")
    same([e["actor"] for e in log("list", "--type", "WorkspaceCheckpointed")][-2:], ["agent:tester", "agent:mcp"])


def answers_are_to_what_was_asked(service):
    """A retry counts only with a state that this client was given, and for questions of that run."""
    pawl("run", "open.yaml", "--run", "open", "--no-input", "--fresh")
    pawl("run", "open.yaml", "--run", "other", "--no-input", "--fresh")
    conflict = conflict_of("open")
    yes = {"action": "accept", "content": {"answer": "yes"}}
    forger = Http(service, new=True)

    def retry(client, state, responses):
        body = client.ask("tools/call", {"name": "resume", "arguments": {"token": "open"}, "requestState": state,
                                         "inputResponses": responses})[2]
        return (body[-1] if isinstance(body, list) else body)["result"]

    wanted = forger.call("resume", token="other")
    same(wanted["resultType"], "input_required")
    state = wanted["requestState"]
    for forged in ("open", "open." + "0" * 32, state.replace("other", "open"), "." + "0" * 32, state[:-1]):
        result = retry(forger, forged, {conflict: yes})
        same((result["isError"], "requestState: is not one" in result["content"][0]["text"]), (True, True), result)
    retry(forger, state, {conflict: yes})  # of another run
    same(answers_of("open"), [])
    mute = Http(service, new=True, elicits=False)
    same(retry(mute, state, {conflict_of("other"): yes})["isError"], True)
    same(answers_of("other"), [])
    same(retry(forger, state, {conflict_of("other"): None})["resultType"], "input_required")
    same(answers_of("other"), [])
    same(retry(forger, state, {conflict_of("other"): yes})["structuredContent"]["status"], "completed")
    same(answers_of("other"), [USER])  # the person at the client


def sessions_are_the_services_own(service):
    client = Client(service)
    session = client.session
    parts = session.rsplit(".", 1)
    for edited in (parts[0].replace("agent:tester", "agent:other") + "." + parts[1], parts[0], session[:-1], session + "0",
                   session.replace(".e.", ".-."), "0" * 8 + session[8:], session.upper()):
        for ask in (lambda h: client.send(client.message("ping", {}), h)[0],
                    lambda h: service.get("/mcp", headers={"Accept": "text/event-stream", **h})[0]):
            same(ask({"Mcp-Session-Id": edited}), 404, edited)
    same(client.ask("ping")[0], 200)
    same(len({Client(service).session.split(".")[0] for _ in range(5)}), 5)


def questions_are_the_sessions_own(service):
    """Another session's answer to a question that it was not asked is nobody's."""
    client, other = Client(service), Client(service)
    answer = client.open(client.message("tools/call", {"name": "run", "arguments": {"mission": "open.yaml", "run": "mine",
                                                                                    "fresh": True}}))
    seen = {}
    while seen.get("method") != "elicitation/create":
        seen = next(messages([answer.readline().decode().rstrip("\n")]), {})
    said = {"jsonrpc": "2.0", "id": seen["id"], "result": {"action": "accept", "content": {"answer": "no"}}}
    same(other.send(said)[0], 202)
    same(other.send(said, {})[0], 202)
    same(client.send({**said, "result": {"action": "accept", "content": {"answer": "yes"}}})[0], 202)
    text = answer.read().decode()
    answer.connection.close()
    same(list(messages(text.splitlines()))[-1]["result"]["structuredContent"]["status"], "completed")
    same([e["payload"]["answer"] for e in log("list", "--run", "mine", "--type", "GlossaryClarificationResolved")], ["yes"])


def nulls(service):
    """A member that is null counts as absent."""
    for name, agent in agents(service):
        ask = (lambda *a, agent=agent: agent.ask(*a)) if name == "stdio" else (lambda *a, agent=agent: agent.ask(*a)[2])
        for method, params in (("tools/list", {"cursor": None}), ("resources/list", {"cursor": None, "_meta": None}),
                               ("tools/call", {"name": "conflicts", "arguments": None, "inputResponses": None,
                                               "requestState": None}),
                               ("tools/call", {"name": "conflicts", "arguments": {"id": None, "all": None, "limit": None}}),
                               ("tools/call", {"name": "diff", "arguments": {"a": "1", "b": None, "path": None, "patch": None}}),
                               ("prompts/get", {"name": "resolve", "arguments": None})):
            if name == "new" and "_meta" in params:
                del params["_meta"]
            answer = ask(method, params)
            assert "result" in answer and not answer["result"].get("isError"), (name, method, params, answer)
        result = agent.call("show", checkpoint=None)
        same((result["isError"], result["content"][0]["text"][:30]), (True, "arguments.checkpoint: is missi"), result)
        same(agent.call("show", checkpoint="1", nope=None)["isError"], True)
    with Stdio() as agent:
        same("result" in agent.ask("tools/list", None), True)
        same("result" in agent.ask("initialize", {"protocolVersion": None, "capabilities": None, "clientInfo": None}), True)
    old = Client(service)
    same("result" in old.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": None})[2], True)
    new = Client(service, new=True)
    message = new.message("tools/list", {})
    message["params"]["_meta"][META + "clientCapabilities"] = None
    status, _, body = new.send(message)
    same((status, code(body)), (400, -32602))


def without_its_meta(service):
    new = Client(service, new=True)
    headers = {"MCP-Protocol-Version": NEW, "Mcp-Method": "tools/list"}
    full = new.message("tools/list", {})["params"]["_meta"]
    for params in ({}, {"_meta": {}}, *({"_meta": {k: v for k, v in full.items() if k != gone}} for gone in full)):
        status, _, body = new.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}, headers)
        same((status, code(body)), (400, -32602), params)


with open("changed", "w", encoding="utf-8") as changed:
    changed.write("some")
pawl("checkpoint")
with Service("--mcp-tools", "all") as one:
    nobody_else_is_named(one)
    the_header_does_not_count(one)
    answers_are_to_what_was_asked(one)
    sessions_are_the_services_own(one)
    questions_are_the_sessions_own(one)
    nulls(one)
    without_its_meta(one)
    kept = Client(one)
names_are_made_safe()
with Service() as one:  # a session holds after a restart, too
    kept.service = one
    same(kept.ask("ping")[0], 200)

"""An agent at POST /mcp, in both eras of the protocol: see mcp_test.sh."""

import base64
import http.client
import json
import subprocess
import time

from mcp_client import NEW, Client, code, log, read_message, run_status
from serving import Service, eventually, same


def both_eras(service):
    for new in (False, True):
        client = Client(service, new)
        tools = client.ask("tools/list")[2]["result"]["tools"]
        names = [tool["name"] for tool in tools]
        assert {"checkpoint", "run", "resume", "eventlog_verify"} <= set(names) and "serve" not in names
        body = client.call("checkpoint")
        same(body["result"]["isError"], False)
        same(body["result"]["structuredContent"]["valid"], True)
        same(client.call("show", checkpoint="99")["result"]["isError"], True)
        status, _, body = client.ask("resources/read", {"uri": "pawl://checkpoints"})
        same((status, len(json.loads(body["result"]["contents"][0]["text"]))), (200, 2 if new else 1))
        same(client.ask("prompts/get", {"name": "resolve"})[0], 200)
        status, _, body = client.ask("nope")
        same((status, code(body)), (404 if new else 200, -32601))
        status, _, body = client.ask("tools/call", {"name": "nope"})
        same((status, code(body)), (200, -32602))
    same([e["actor"] for e in log("list", "--type", "WorkspaceCheckpointed")], ["agent:tester", "agent:mcp"])


def headers(service):
    old, new = Client(service), Client(service, True)
    message = new.message("tools/call", {"name": "checkpoints", "arguments": {}})
    right = new.headers(message)
    for name, value in (("MCP-Protocol-Version", "2025-11-25"), ("MCP-Protocol-Version", None),
                        ("Mcp-Method", "tools/list"), ("Mcp-Method", None), ("Mcp-Name", "undo"), ("Mcp-Name", None)):
        wrong = {k: v for k, v in {**right, name: value}.items() if v is not None}
        status, _, body = new.send(message, wrong)
        same((status, code(body), body["id"]), (400, -32020, message["id"]), wrong)
    for name in ("undo", "checkpoints"):
        for value in (base64.b64encode(name.encode()).decode(), base64.b64encode(name.encode()).decode().rstrip("=")):
            status, _, body = new.send(message, {**right, "Mcp-Name": f"=?base64?{value}?="})
            whole = name == "checkpoints" and len(value) == 16
            same(status, 200 if whole else 400, (name, value))
    for name in ("a", "ab", "abc", "caf\u00e9", ""):
        encoded = base64.b64encode(name.encode()).decode()
        of = new.message("tools/call", {"name": name})
        status, _, body = new.send(of, {**new.headers(of), "Mcp-Name": f"=?base64?{encoded}?="})
        same((status, code(body)), (200, -32602), name)  # there is no such tool
    unknown = json.loads(json.dumps(message).replace(NEW, "2031-01-01"))
    status, _, body = new.send(unknown, {**right, "MCP-Protocol-Version": "2031-01-01"})
    same((status, code(body), NEW in body["error"]["data"]["supported"]), (400, -32022, True))
    status, _, body = old.send(old.message("ping", {}), {"MCP-Protocol-Version": "1999-01-01"})
    same((status, code(body)), (400, -32022))
    same(old.send(old.message("ping", {}), {"Mcp-Session-Id": "of-another"})[0], 404)
    same(old.send(old.message("ping", {}), {})[0], 200)  # without a session, too
    same(old.send(old.message("ping", {}), token=False)[0], 401)
    same(old.send(old.message("ping", {}), {"Origin": "http://example.org"})[0], 403)
    same(old.send(old.message("ping", {}), {"Host": "example.org"})[0], 421)
    same(old.send("{}", {"Content-Type": "text/plain"})[0], 415)
    for wrong, status in (({}, 400), ({"Mcp-Session-Id": "of-another"}, 404), ({"Accept": "application/json"}, 406),
                          ({"Mcp-Session-Id": old.session, "Accept": "*/*"}, 406)):
        same(service.get("/mcp", headers={"Accept": "text/event-stream", **wrong})[0], status, wrong)
    same(service.ask("HEAD", "/mcp", headers={"Accept": "text/event-stream"})[0], 405)
    same(service.get("/mcp", headers={"Accept": "text/event-stream", "Mcp-Session-Id": old.session}, token=False)[0], 401)
    same(service.ask("DELETE", "/mcp")[0], 405)
    for wrong, number in (("nope", -32700), ("[]", -32600), ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600)):
        status, _, body = old.send(wrong, {})
        same((status, code(body)), (400, number))


def bounds(service):
    client = Client(service)
    message = client.message("ping", {"x": "x" * ((16 << 20) - 200)})
    same(client.send(message)[0], 200)
    # what is too long is refused by its length, before it is read
    head = service.head("POST", "/mcp", "Content-Type: application/json", f"Content-Length: {(16 << 20) + 1}")
    same(service.raw(head), [413])
    same(client.ask("ping")[0], 200)


def questions(service):
    client = Client(service)
    answer = client.open(client.message("tools/call", {
        "name": "run", "arguments": {"mission": "mission.yaml", "run": "asked"}, "_meta": {"progressToken": "p"}}))
    same(answer.headers["Content-Type"], "text/event-stream")
    seen = [read_message(answer)]
    while seen[-1]["method"] != "elicitation/create":
        seen.append(read_message(answer))
    same({m["params"].get("progressToken") for m in seen[:-1]}, {"p"})
    said = {"jsonrpc": "2.0", "id": seen[-1]["id"], "result": {"action": "accept", "content": {"sense": "2"}}}
    same(client.send({**said, "id": "pawl-of-nobody"}, {"Mcp-Session-Id": client.session})[0], 202)
    same(client.send(said, {"Mcp-Session-Id": client.session})[0], 202)
    last = read_message(answer)
    while "method" in last:
        last = read_message(answer)
    same((last["result"]["isError"], last["result"]["structuredContent"]["status"]), (False, "completed"))
    same(read_message(answer), None)
    answer.connection.close()
    # without a handshake: in the result, and again with the answers
    client = Client(service, True)
    wanted = client.call("run", mission="other.yaml", run="asked-too")[-1]["result"]
    same((wanted["resultType"], wanted["requestState"].split(".")[0]), ("input_required", "asked-too"))
    responses = {key: {"action": "accept", "content": {"definition": "Where a team works."}}
                 for key in wanted["inputRequests"]}
    body = client.ask("tools/call", {"name": "run", "arguments": {"mission": "other.yaml"},
                                     "requestState": wanted["requestState"], "inputResponses": responses})[2]
    same(body[-1]["result"]["structuredContent"]["status"], "completed")


def begin_slow(client, run):
    answer = client.open(client.message("tools/call", {
        "name": "run", "arguments": {"mission": "slow.yaml", "run": run, "fresh": True}}))
    eventually(lambda: run_status(run), ["running"])
    return answer


def endings(service):
    # by handshake, a notification of the same session cancels a call, and its stream ends
    client, other = Client(service), Client(service)
    answer = begin_slow(client, "cancelled")
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": client.n}}
    same(other.send(message)[0], 202)
    time.sleep(0.3)
    same(run_status("cancelled"), ["running"])
    same(client.send(message)[0], 202)
    same(read_message(answer), None)
    same(run_status("cancelled"), ["interrupted"])
    # without one, whoever goes wants no answer any more
    answer = begin_slow(Client(service, True), "left")
    same(Client(service).call("checkpoints")["result"]["isError"], False)  # others are answered meanwhile
    answer.connection.sock.close() if answer.connection.sock else None
    answer.close()
    eventually(lambda: run_status("left"), ["interrupted"])


def subscriptions(service):
    client = Client(service, True)
    answer = client.open(client.message("subscriptions/listen", {
        "notifications": {"resourceSubscriptions": ["pawl://checkpoints", "pawl://nothing"]}}))
    first = read_message(answer)
    same(first["method"], "notifications/subscriptions/acknowledged")
    same(first["params"]["notifications"]["resourceSubscriptions"], ["pawl://checkpoints"])
    with open("changed", "w", encoding="utf-8") as file:
        file.write("more")
    subprocess.run(["pawl", "checkpoint"], check=True, capture_output=True)
    told = read_message(answer)
    same((told["method"], told["params"]["uri"]), ("notifications/resources/updated", "pawl://checkpoints"))
    answer.close()


def listen(client):
    """What the session is told beside the answers to its requests."""
    connection = http.client.HTTPConnection(client.service.host, client.service.port, timeout=60)
    connection.request("GET", "/mcp", headers={"Accept": "text/event-stream", "Mcp-Session-Id": client.session,
                                               "Authorization": "Bearer " + client.service.token})
    answer = connection.getresponse()
    answer.connection = connection
    return answer


def change(name):
    """One checkpoint more."""
    with open("changed", "w", encoding="utf-8") as file:
        file.write(name)
    subprocess.run(["pawl", "checkpoint"], check=True, capture_output=True)


def one_run(run):
    subprocess.run(["pawl", "run", "mission.yaml", "--run", run, "--no-input", "--fresh"], capture_output=True, check=False)


def told(answer):
    message = read_message(answer)
    same(message["method"], "notifications/resources/updated")
    return message["params"]["uri"]


def subscriptions_by_handshake(service):
    client, other = Client(service), Client(service)
    same(client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})[2]["result"]["capabilities"]
         ["resources"], {"subscribe": True})
    answer, beside = listen(client), listen(other)
    same((answer.status, answer.headers["Content-Type"]), (200, "text/event-stream"))
    for uri in ("pawl://checkpoints", "pawl://runs", "pawl://checkpoints"):
        same(client.ask("resources/subscribe", {"uri": uri})[2], {"jsonrpc": "2.0", "id": client.n, "result": {}})
    same(code(client.ask("resources/subscribe", {"uri": "pawl://nothing"})[2]), -32002)
    change("one")
    same(told(answer), "pawl://checkpoints")
    same(client.ask("resources/unsubscribe", {"uri": "pawl://checkpoints"})[2]["result"], {})
    same(other.ask("resources/subscribe", {"uri": "pawl://runs"})[2]["result"], {})
    change("two")  # nobody is told, but for what the listener was at when it heard of that
    one_run("told")
    first = told(answer)
    same((told(answer) if first == "pawl://checkpoints" else first, told(beside)), ("pawl://runs", "pawl://runs"))
    same(client.call("checkpoints")["result"]["isError"], False)
    answer.connection.close()
    answer.close()
    beside.connection.close()
    beside.close()
    # where the session does not listen, the answer goes on
    client = Client(service)
    answer = client.open(client.message("resources/subscribe", {"uri": "pawl://checkpoints"}))
    same(answer.headers["Content-Type"], "text/event-stream")
    same(read_message(answer), {"jsonrpc": "2.0", "id": client.n, "result": {}})
    change("three")
    same(told(answer), "pawl://checkpoints")
    same(client.ask("resources/unsubscribe", {"uri": "pawl://checkpoints"})[2]["result"], {})
    same(read_message(answer), None)
    answer.connection.close()


def listeners_leave_room_for_calls(service):
    clients = [Client(service) for _ in range(33)]
    answers = [listen(client) for client in clients]
    same([answer.status for answer in answers], [200] * 32 + [503])
    answer = clients[0].open(clients[0].message("tools/call", {
        "name": "run", "arguments": {"mission": "mission.yaml", "run": "beside", "fresh": True}}))
    same(answer.status, 200)
    answer.connection.close()
    for answer in answers:
        answer.connection.close()


with Service("--mcp-tools", "all") as service:
    both_eras(service)
    headers(service)
    bounds(service)
    questions(service)
    endings(service)
    subscriptions(service)
    subscriptions_by_handshake(service)
with Service() as service:
    listeners_leave_room_for_calls(service)
with Service() as service:  # what goes on ends with the service
    begin_slow(Client(service), "stopped")
same(run_status("stopped"), ["interrupted"])
with Service("--read-only", workspace=None) as service:
    client = Client(service)
    for tool, arguments in (("pin", {"checkpoint": "1"}), ("run", {"mission": "slow.yaml"})):
        result = client.call(tool, **arguments)["result"]
        same((result["isError"], "only reads" in result["content"][0]["text"]), (True, True), result)
    result = client.call("diff", a="1")["result"]
    same((result["isError"], "needs a workspace" in result["content"][0]["text"]), (True, True), result)
    same(client.call("checkpoints")["result"]["isError"], False)

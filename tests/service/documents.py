"""Documents of other programs, restored by the service: see documents_test.sh."""

import json
import os

from mcp_client import Client
from serving import Service, same

FILES, REPOSITORY = os.path.realpath("../documents"), os.path.realpath("../history")
SETTINGS = {"PAWL_TOOL_CHECKPOINT_FILES": FILES, "PAWL_TOOL_CHECKPOINT_REPOSITORY": REPOSITORY}


def text(name="a.txt"):
    with open(name, encoding="utf-8") as file:
        return file.read()


def by_command(service, name):
    return service.run("restore", name)


def by_tool(service, name):
    result = Client(service).call("restore", name=name)["result"]
    return {"error": result["content"][0]["text"]} if result["isError"] else result["structuredContent"]


with Service(env=SETTINGS) as one:
    same(one.run("restore list"), ["own.json", "plain.json"])
    commands = {c["name"]: c for c in one.get("/listCommands")[2]["commands"]}
    same([c["name"] for c in commands["restore"]["subCommands"]], ["restore list"])
    for restore in (by_command, by_tool):
        for document in ("own.json", "own"):
            with open("a.txt", "w", encoding="utf-8") as changed:
                changed.write("changed")
            told = restore(one, document)
            same((told["restored"], told["toolCall"]["name"], text()), (True, "write_file", "one\n"), told)
        same(restore(one, "plain")["restored"], False)
        for wrong in ("../own", "nothing", "/etc/shadow", "link", "own.json/"):
            assert "error" in restore(one, wrong), wrong
        assert "error" in one.run("restore", "own", "--files", FILES)
        assert "error" in one.run("restore", "own", "--repository", REPOSITORY)
with Service(env={**SETTINGS, "PAWL_TOOL_CHECKPOINTS": "off"}) as one:
    for restore in (by_command, by_tool):
        assert "switched off" in json.dumps(restore(one, "own")), restore
    client = Client(one)
    for arguments in ({}, {"tool": ["replace"]}, {"off": False}):
        result = client.call("tool_checkpoint", calls='[{"callId":"c","name":"replace","args":{}}]', **arguments)["result"]
        same(result["structuredContent"]["calls"], [{"callId": "c", "name": "replace", "args": {}}])
    ran = client.ask("tools/call", {"name": "run", "arguments": {"mission": "on.yaml", "fresh": True}})[2]
    same((ran[-1] if isinstance(ran, list) else ran)["result"]["structuredContent"]["status"], "completed")
    same(text("told"), "off\n")

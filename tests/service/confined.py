"""What a client of the service cannot have it run, read or quote: see confined_test.sh."""

import json
import os
import subprocess

from mcp_client import Client
from serving import Service, same

OUTSIDE = os.path.realpath("../outside")


class Agent(Client):
    def call(self, tool, /, **arguments):
        body = super().call(tool, **arguments)
        return (body[-1] if isinstance(body, list) else body)["result"]


def refused(result, *words):
    text = json.dumps(result)
    same(result["isError"], True, result)
    for word in words:
        assert word in text, (word, text)
    for secret in ("root:*", "20000", "99999", "hidden value"):
        assert secret not in text, text


def missions(agent):
    """A mission is one of the workspace, whatever leads to it."""
    for mission in (f"{OUTSIDE}/m.yaml", "../outside/m.yaml", "link.yaml", "way/m.yaml", "sub/../../outside/m.yaml", f"{OUTSIDE}/shadow",
                    "shadow", "../outside/nothing", "/etc/shadow", "/proc/self/environ", "/dev/stdin", "/", "..", ".",
                    f"{os.getcwd()}/link.yaml", f"{os.getcwd()}x/m.yaml", "/dev/fd/0", "fifo", "-", ""):
        refused(agent.call("run", mission=mission, run="r", fresh=True))
    # there is no telling what is outside
    same(agent.call("run", mission="../outside/m.yaml")["content"][0]["text"].replace("m.yaml", ""),
         agent.call("run", mission="../outside/nothing")["content"][0]["text"].replace("nothing", ""))
    for option in ({"db": "x"}, {"key-file": "x"}, {"within": "/"}, {"--within": "/"}, {"config": "x"}):
        refused(agent.call("run", mission="m.yaml", **option), "is not known")
    refused(agent.call("run", mission="--within=/"))
    refused(agent.call("run", mission="--db=/tmp/x"))
    same(os.path.exists("ran"), False)
    for good in ("m.yaml", "sub/n.yaml", f"{os.getcwd()}/m.yaml", "./m.yaml", "sub/../m.yaml", "inner.yaml"):
        same(agent.call("run", mission=good, fresh=True)["structuredContent"]["status"], "completed", good)
    os.remove("ran")


def other_files(agent):
    for params in (f"{OUTSIDE}/shadow", "../outside/shadow", "shadow", "/etc/shadow", "fifo", "../outside/nothing"):
        refused(agent.call("run", mission="p.yaml", params=params, fresh=True))
    refused(agent.call("run", mission="p.yaml", params="odd.yaml", fresh=True))
    same(agent.call("run", mission="p.yaml", params="good.yaml", fresh=True)["structuredContent"]["status"], "completed")
    refused(agent.call("resume", token="kept", dir="/tmp/elsewhere"), "--dir")
    for tool, arguments in (("resolve", {"answers": "x"}), ("resolve", {"conflict": "c", "sign": "x", "dismiss": True}),
                            ("glossary_import", {"file": "/etc/shadow", "scope": "team_domain"}), ("skip", {"run": "r", "step": "s", "output": "x"}),
                            ("checkpoint", {"state": "x"}), ("checkpoint", {"outputs": "x"}), ("checkpoint", {"root": "/"}),
                            ("tool_checkpoint", {"calls": "@x", "files": "/tmp"}), ("restore", {"name": "../x"}),
                            ("restore", {"name": "x", "files": "/tmp"}), ("restore", {"name": "x", "repository": "/tmp"}),
                            ("handoff", {"write": "x"}), ("handoff", {"read": "/etc/shadow"}), ("fork", {"run": "r", "from": "s", "dir": "/tmp"}),
                            ("eventlog_verify", {"anchor": "x"}), ("eventlog_verify", {"key-file": "x"}), ("diff", {"a": "1", "path": ["../outside/shadow"], "patch": True}),
                            ("rollback", {"checkpoint": "1", "path": ["/etc/shadow"]}), ("runs", {"db": "/tmp/x"})):
        refused(agent.call(tool, **arguments))


def resumes(service, agent):
    """A run is resumed whose mission is in the workspace, or in the log."""
    for run in ("away", "swapped"):
        refused(agent.call("resume", token=run), "not in")
        refused(agent.call("resume", token=run, **{"accept-changed-mission": True}), "not in")
        status, _, body = service.ask("POST", f"/api/v1/runs/{run}/resume", {"accept_changed_mission": True})
        assert status >= 400 and "root:*" not in json.dumps(body), (status, body)
        status, _, body = service.ask("GET", f"/api/v1/runs/{run}/resume")
        assert "root:*" not in json.dumps(body), body
    # nor does a mission of the workspace lead to another's unfinished run
    refused(agent.call("run", mission="away.yaml", resume=True), "not in")
    same(os.path.exists("ran"), False)
    same(agent.call("resume", token="kept")["structuredContent"]["status"], "completed")
    same(service.ask("POST", "/executeCommand", {"command": "run", "args": ["m.yaml"]})[0], 404)


def pawl(*words, code=0):
    done = subprocess.run(["pawl", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    same(done.returncode, code, done.stderr)
    return done.stderr


# on the command line, too, no message quotes a line of another file
for words in (("run", "../outside/shadow"), ("run", "p.yaml", "--fresh", "--params", "../outside/shadow"), ("check", "../outside/shadow"),
              ("glossary", "import", "../outside/shadow", "--scope", "core"), ("terms", "--metadata", "../outside/shadow", "m.yaml")):
    assert "root" not in pawl(*words, code=1), words
with Service("--mcp-tools", "all") as one:
    for asked in (Agent(one), Agent(one, new=True)):
        missions(asked)
        other_files(asked)
    resumes(one, Agent(one))
with Service(workspace=None) as one:
    refused(Agent(one).call("run", mission="m.yaml"), "needs a workspace")
    refused(Agent(one).call("resume", token="kept"), "needs a workspace")

"""Long results come in pages, on standard input and over HTTP: see mcp_pages_test.sh."""

import json
import subprocess

from mcp_client import Client, Stdio, log
from serving import Service, same

MOST = 100_000
RUN = "big"


class Http:
    def __init__(self, service, new):
        self.client = Client(service, new)

    def ask(self, method, params):
        return self.client.ask(method, params)[2]


def agents(service):
    with Stdio() as stdio:
        yield "stdio", stdio
    yield "old", Http(service, False)
    yield "new", Http(service, True)


def result(agent, method, **params):
    answer = agent.ask(method, params)
    assert len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()) <= MOST, method
    return answer["result"]


def call(agent, tool, **arguments):
    return result(agent, "tools/call", name=tool, arguments=arguments)


def pages(agent, tool, **arguments):
    """Each page of a result; the same call with `next` gives the one after."""
    page = call(agent, tool, **arguments)
    while True:
        same(page["isError"], False, page)
        if "structuredContent" in page and "next" in page:
            same(page["structuredContent"]["next"], page["next"])
        yield page
        if "next" not in page:
            return
        assert page["next"] in page["content"][-1]["text"]
        page = call(agent, tool, **arguments, next=page["next"])


def a_text_is_cut_at_a_character(agent):
    got = list(pages(agent, "output", run=RUN, step="text"))
    assert len(got) > 20, len(got)
    same("".join(page["structuredContent"]["output"] for page in got), ("x\u00e9\"" * 400_000)[:1_200_000])
    for page in got[:3]:
        value = dict(page["structuredContent"])
        same(json.loads(page["content"][0]["text"]), value)
        same((value["run_id"], value["step_id"]), (RUN, "text"))


def a_list_is_cut_at_an_element(agent):
    got = [page["structuredContent"] for page in pages(agent, "output", run=RUN, step="list")]
    assert len(got) > 2
    same([row for page in got for row in page["output"]["rows"]], [{"n": n, "name": f"row {n}"} for n in range(10_000)])
    same({page["output"]["more"] for page in got}, {"in each page"})
    # what the command itself calls next, a number, is on the last page alone
    got = [page["structuredContent"] for page in pages(agent, "runs", limit=120)]
    same([isinstance(page["next"], str) for page in got[:-1]], [True] * (len(got) - 1))
    assert len(got) > 1 and not isinstance(got[-1].get("next"), str)
    same(sum(len(page["runs"]) for page in got), 120)


def lines_stay_whole(agent):
    got = list(pages(agent, "eventlog_list"))
    assert len(got) > 1
    same([page.get("structuredContent") for page in got], [None] * len(got))
    for page in got[:-1]:
        assert page["content"][0]["text"].endswith("\n")
    events = [json.loads(line) for page in got for line in page["content"][0]["text"].splitlines()]
    assert len(events) > 1000


def what_changes_is_not_repeated(agent):
    calls = [{"callId": f"c{n}", "name": "replace" if n == 0 else "read_file", "args": {"text": "t" * 1000}} for n in range(300)]
    before = len(log("list", "--type", "WorkspaceCheckpointed"))
    got = [page["structuredContent"] for page in pages(agent, "tool_checkpoint", calls=json.dumps(calls))]
    assert len(got) > 3
    same([one["callId"] for page in got for one in page["calls"]], [one["callId"] for one in calls])
    same(len(log("list", "--type", "WorkspaceCheckpointed")), before + 1)


def another_next_is_refused(agent):
    first = call(agent, "output", run=RUN, step="list")["next"]
    digest, output, place = first.split(".")
    for wrong in ("", "x", first + "0" * 30, f"{digest}.{output}.-1", f"{digest}.{output}.0", f"{digest}.{output}.99999999",
                  f"{digest}.{'0' * 32}.{place}", f"{'0' * 16}.{output}.{place}", 5, ["x"], {}):
        page = call(agent, "output", run=RUN, step="list", next=wrong)
        same((page["isError"], "next" in page["content"][0]["text"]), (True, True), (wrong, page))
    for arguments in ({"run": RUN, "step": "text"}, {"run": RUN, "step": "list", "no": None}):
        same(call(agent, "output", **arguments, next=first)["isError"], True)
    same(call(agent, "output", run=RUN, step="list", next=None)["next"], first)


def resources_and_prompts_are_bounded(agent):
    whole, params = [], {"uri": "pawl://conflicts"}
    while True:
        page = result(agent, "resources/read", **params)
        whole.append(json.loads(page["contents"][0]["text"]))
        if "next" not in page:
            break
        params["next"] = page["next"]
    assert len(whole) > 1
    same(sorted(asked["run_id"] for page in whole for asked in page), sorted(f"asks-{n}" for n in range(60)))
    assert len(result(agent, "prompts/get", name="resolve")["messages"][0]["content"]["text"]) > 10_000
    assert len(result(agent, "tools/list")["tools"]) > 10


def pages_outlive_the_server():
    with Service() as service:
        first = call(Http(service, True), "output", run=RUN, step="list")
    with Service() as service:  # what only reads is asked again, and must be the same
        again = Http(service, True)
        rows = first["structuredContent"]["output"]["rows"]
        page = first
        while "next" in page:
            page = call(again, "output", run=RUN, step="list", next=page["next"])
            rows += page["structuredContent"]["output"]["rows"]
        same(len(rows), 10_000)
    with Service() as service:
        old = call(Http(service, True), "runs", limit=120)["next"]
    subprocess.run(["pawl", "run", "one.yaml", "--fresh", "--run", "new"], check=True, capture_output=True)
    with Service() as service:
        page = call(Http(service, True), "runs", limit=120, next=old)
        same((page["isError"], "has changed" in page["content"][0]["text"]), (True, True), page)


def long_messages_are_taken(agent):
    same(call(agent, "session_update", id="none", summary="s" * 15_000_000)["isError"], True)


with Service("--mcp-tools", "all") as one:
    for kind, asked in agents(one):
        a_text_is_cut_at_a_character(asked)
        a_list_is_cut_at_an_element(asked)
        lines_stay_whole(asked)
        what_changes_is_not_repeated(asked)
        another_next_is_refused(asked)
        resources_and_prompts_are_bounded(asked)
        long_messages_are_taken(asked)
pages_outlive_the_server()

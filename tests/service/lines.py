"""Commands that are streamed by POST /executeCommand: see lines_test.sh."""

import http.client
import json
import os
import socket
import struct
import subprocess

from engine import ON_SERVER, change_event
from serving import Service, run, same, wait_for

service = None
EVENTS = "text/event-stream"
CALLS = 64  # that go on at once, at most


class Lines:
    """A command that is streamed: its events, one at a time."""

    def __init__(self, of, command, *args, accept=EVENTS, headers=None, buffer=None, body=None):
        self.connection = http.client.HTTPConnection(of.host, of.port, timeout=60)
        if buffer:
            self.connection.sock = socket.socket()
            self.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            self.connection.sock.settimeout(60)
            self.connection.sock.connect((of.host, of.port))
        self.socket = self.connection.sock
        sent = {"Authorization": "Bearer " + of.token, "Content-Type": "application/json", **(headers or {})}
        if accept:
            sent["Accept"] = accept
        self.connection.request("POST", "/executeCommand",
                                body or json.dumps({"command": command, "args": list(args)}), sent)
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        self.status, self.type = self.answer.status, self.answer.getheader("Content-Type")
        self.last, self.ids, self.comments = None, set(), 0

    def next(self):
        """The result of the next event, after it was looked at; None at the end."""
        while True:
            line = self.answer.readline().decode()
            if not line:
                return None
            if line.startswith(":"):
                self.comments += 1
                same(self.answer.readline(), b"\n")
                continue
            assert line.startswith("data: ") and line.endswith("}\n"), line[:200]
            same(self.answer.readline(), b"\n")
            message = json.loads(line[6:])
            same(sorted(message), ["id", "jsonrpc", "result"])
            same(message["jsonrpc"], "2.0")
            result = message["result"]
            self.ids |= {message["id"], result["taskId"], result["contextId"]}
            return result

    def all(self):
        """The lines, and what the last event says."""
        first = self.next()
        same((first["kind"], first["status"], first["final"]), ("status-update", {"state": "working"}, False))
        lines = []
        for event in iter(self.next, None):
            if event["kind"] == "status-update":
                same(event["final"], True)
                same(self.next(), None)
                same(len(self.ids), 1)
                self.connection.close()
                return lines, event
            same((event["kind"], event["append"]), ("artifact-update", bool(lines)))
            same(event["artifact"]["artifactId"], "output")
            (part,) = event["artifact"]["parts"]
            lines.append(part[part["kind"]])
        raise AssertionError("no last event")

    def reset(self):
        """Gone, without a word."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.answer.close()
        self.connection.close()
        self.socket.close()


def streams():
    return service.metric("pawl_streams")


def threads():
    with open(f"/proc/{service.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


def commands_say_whether_they_are_streamed():
    names, todo = {}, list(service.get("/listCommands")[2]["commands"])
    for command in todo:
        names[command["name"]] = command["streaming"]
        todo.extend(command["subCommands"])
    same({name for name, streaming in names.items() if streaming}, {"eventlog list", "eventlog export"})


def lines_are_those_of_the_answer_in_one_piece():
    for command, args in (("eventlog export", []), ("eventlog list", []), ("eventlog list", ["-n", "2"]),
                          ("eventlog list", ["--type", "Nothing"])):
        lines = Lines(service, command, *args)
        same((lines.status, lines.type), (200, EVENTS))
        lines, last = lines.all()
        same(lines, service.run(command, *args))
        same(last["status"], {"state": "completed"})
        same(last["metadata"], {"name": command, "exit_code": 0})
    wait_for(lambda: streams() == 0)


def the_header_accept_decides():
    def kind(*accept, command="eventlog list"):
        connection = http.client.HTTPConnection(service.host, service.port, timeout=30)
        connection.putrequest("POST", "/executeCommand")
        body = json.dumps({"command": command}).encode()
        for name, value in [("Authorization", "Bearer " + service.token), ("Content-Length", str(len(body)))]:
            connection.putheader(name, value)
        for value in accept:
            connection.putheader("Accept", value)
        connection.putheader("Accept-Encoding", "identity")
        connection.putheader("Accept-Language", "en")
        connection.endheaders(body)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        same(answer.status, 200)
        return answer.getheader("Content-Type")

    for accept in ([EVENTS], ["application/json, " + EVENTS], ["application/json", EVENTS],
                   ["TEXT/Event-Stream;q=0.5"], [" text/event-stream ; q=1"], [EVENTS + ", " + "x/y, " * 400]):
        same(kind(*accept), EVENTS, accept)
    for accept in ([], ["*/*"], ["application/json"], ["text/*"], ["text/event-streams"], [EVENTS + ";q=0"],
                   [EVENTS + ";q=0.00, application/json"], ["x/" + EVENTS], [""], [","], [";"]):
        same(kind(*accept), "application/json", accept)
    same(kind(EVENTS, command="runs"), "application/json")


def what_does_not_start_is_refused_by_a_status():
    for body, status in (('{"command":"eventlog nothing"}', 404), ("{", 400), ('{"args":[]}', 400),
                         ('{"command":"run"}', 404), ('{"command":"eventlog list","args":[1]}', 400)):
        lines = Lines(service, "", body=body)
        same((lines.status, lines.type), (status, "application/json"), body)
        same(json.loads(lines.answer.read())["error"]["code"], status)
        lines.connection.close()
    lines, last = Lines(service, "eventlog list", "--nothing").all()
    same((lines, last["status"]["state"], last["metadata"]["exit_code"]), ([], "failed", 2))
    same(last["metadata"]["error"]["status"], "PAWL_EINVAL")
    same(last["status"]["message"]["parts"], [{"kind": "text", "text": last["metadata"]["error"]["message"]}])


def a_failure_after_the_first_line_is_the_last_event():
    damaged = os.environ["PAWL_DB"] + "-damaged" if ON_SERVER else "damaged.db"
    subprocess.run(["pawl", "copy", os.environ.get("PAWL_DB", ".pawl/events.db"), damaged], capture_output=True, check=True)
    change_event(3, "{", damaged)
    code = subprocess.run(["eventlog", "export", "--db", damaged], capture_output=True, check=False)
    assert code.returncode and len(code.stdout.splitlines()) == 2, code
    with Service("--db", damaged, "--read-only") as other:
        lines, last = Lines(other, "eventlog export").all()
    same(lines, [json.loads(line) for line in code.stdout.splitlines()])
    same((last["status"]["state"], last["metadata"]["exit_code"]), ("failed", code.returncode))
    same("pawl: " + last["metadata"]["error"]["message"], code.stderr.decode().strip().replace("eventlog: ", "pawl: "))


def fill():
    """More than a command may print for one answer, and than sockets hold."""
    def done(data):
        assert "error" not in data, data
        return data

    done(service.run("session start", "--mission", "long"))
    for _ in range(40):
        done(service.run("session checkpoint", "--mission", "long", "--summary", "x" * 900000))
    same(service.run("eventlog export")["error"]["status"], "PAWL_ETOOBIG")


def any_number_of_lines_come_to_a_slow_reader_too():
    lines = Lines(service, "eventlog export", buffer=65536)
    before = service.metric("pawl_log_head_seq")
    service.run("session checkpoint", "--mission", "long", "--summary", "meanwhile")  # writers do not wait
    lines, last = lines.all()
    same([line["seq"] for line in lines[:int(before)]], list(range(1, int(before) + 1)))
    assert sum(len(line["payload"].get("summary") or "") for line in lines) > 32 << 20
    same(last["metadata"]["exit_code"], 0)


def who_goes_is_let_go():
    wait_for(lambda: streams() == 0 and threads() == few)
    lines = [Lines(service, "eventlog export", buffer=65536) for _ in range(10)]
    for each in lines:
        same(each.next()["kind"], "status-update")
    wait_for(lambda: streams() == 10)
    wait_for(lambda: threads() == few + 10)
    for each in lines:
        each.reset()
    wait_for(lambda: streams() == 0, 30)
    wait_for(lambda: threads() == few, 30)


def who_hangs_keeps_nobody_from_anything():
    hanging = [Lines(service, "eventlog export", buffer=65536) for _ in range(CALLS)]
    same({each.status for each in hanging}, {200})
    wait_for(lambda: streams() == CALLS)
    more = Lines(service, "eventlog list")
    same((more.status, more.answer.getheader("Retry-After")), (503, "1"))
    same(json.loads(more.answer.read())["error"]["status"], "PAWL_EBUSY")
    more.connection.close()
    same(len(service.run("eventlog list", "-n", "3")), 3)  # in one piece
    service.run("session checkpoint", "--mission", "long", "--summary", "beside them")
    stream = http.client.HTTPConnection(service.host, service.port, timeout=30)
    stream.request("GET", "/api/v1/events/stream?since=0", headers={"Authorization": "Bearer " + service.token})
    same(stream.getresponse().readline(), b"retry: 2000\n")
    hanging[0].reset()

    def place():
        one = Lines(service, "eventlog list", "-n", "1")
        if one.status == 200:
            return one
        one.connection.close()
        return None

    same(wait_for(place, 30).all()[1]["metadata"]["exit_code"], 0)
    service.stop()  # does not wait until they have taken too long
    for each in hanging:
        each.connection.close()


subprocess.run(["pawl", "run", "mission.yaml", "--run", "held", "--no-input"], capture_output=True, check=False)
service = Service()
few = threads()
try:
    run(commands_say_whether_they_are_streamed, lines_are_those_of_the_answer_in_one_piece, the_header_accept_decides,
        what_does_not_start_is_refused_by_a_status, a_failure_after_the_first_line_is_the_last_event, fill,
        any_number_of_lines_come_to_a_slow_reader_too, who_goes_is_let_go, who_hangs_keeps_nobody_from_anything)
except BaseException:
    print("the service ended with", service.process.poll())  # None: it has not
    service.process.kill()
    raise

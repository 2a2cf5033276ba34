"""A client of the Model Context Protocol, for the scripts of this folder: over HTTP, in both eras of the protocol, and
over the standard input and output of `pawl mcp`."""

import http.client
import json
import subprocess

from serving import same

NEW = "2026-07-28"
META = "io.modelcontextprotocol/"


class Client:
    """`new`: without a handshake, so that each request says what the client can do."""

    def __init__(self, service, new=False, elicits=True):
        self.service, self.new, self.session, self.n = service, new, None, 0
        self.can = {"elicitation": {}} if elicits else {}
        if not new:
            status, headers, body = self.ask("initialize", {
                "protocolVersion": "2025-11-25", "capabilities": self.can,
                "clientInfo": {"name": "tester", "version": "1"}})
            same(status, 200, body)
            same(body["result"]["protocolVersion"], "2025-11-25")
            self.session = headers["Mcp-Session-Id"]
            same(self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})[0], 202)

    def message(self, method, params):
        self.n += 1
        if self.new:
            meta = {META + "protocolVersion": NEW, META + "clientCapabilities": self.can}
            params = {**params, "_meta": {**params.get("_meta", {}), **meta}}
        return {"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}

    def headers(self, message):
        if not self.new:
            return {"Mcp-Session-Id": self.session} if self.session else {}
        params = message.get("params", {})
        headers = {"MCP-Protocol-Version": NEW, "Mcp-Method": message["method"]}
        if message["method"] in ("tools/call", "prompts/get", "resources/read"):
            headers["Mcp-Name"] = params.get("name") or params.get("uri")
        return headers

    def open(self, message, headers=None, token=True):
        """The answer, still to be read."""
        connection = http.client.HTTPConnection(self.service.host, self.service.port, timeout=60)
        all_headers = {"Content-Type": "application/json",
                       "Accept": "application/json, text/event-stream"}
        if token:
            all_headers["Authorization"] = "Bearer " + self.service.token
        all_headers.update(self.headers(message) if headers is None else headers)
        body = message if isinstance(message, (bytes, str)) else json.dumps(message)
        connection.request("POST", "/mcp", body, all_headers)
        answer = connection.getresponse()
        answer.connection = connection
        return answer

    def send(self, message, headers=None, token=True):
        answer = self.open(message, headers, token)
        text = answer.read()
        answer.connection.close()
        if answer.headers["Content-Type"] == "text/event-stream":
            return answer.status, answer.headers, list(messages(text.decode().splitlines()))
        return answer.status, answer.headers, json.loads(text) if text else None

    def ask(self, method, params=None):
        return self.send(self.message(method, params or {}))

    def call(self, tool, /, **arguments):
        status, _, body = self.ask("tools/call", {"name": tool, "arguments": arguments})
        same(status, 200, body)
        return body


def messages(lines):
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line[6:])


def read_message(answer):
    """The next one of a stream."""
    for line in iter(answer.readline, b""):
        for message in messages([line.decode().rstrip("\n")]):
            return message
    return None


def log(*words):
    out = subprocess.run(["eventlog", *words, "--json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in out.stdout.splitlines()]


def run_status(run):
    out = subprocess.run(["pawl", "runs", "--json"], capture_output=True, text=True, check=True)
    return [r["status"] for r in json.loads(out.stdout)["runs"] if r["run_id"] == run]


def code(body):
    return body["error"]["code"]


class Stdio:
    """`pawl mcp` of the working directory."""

    def __init__(self, *options, name="tester", can=None, env=None):
        self.process = subprocess.Popen(["pawl", "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=env)
        self.n = 0
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": can or {},
                                "clientInfo": {"name": name, "version": "1"}})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, params=None):
        self.n += 1
        self.send({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params})
        while True:
            answer = self.read()
            if answer.get("id") == self.n and "method" not in answer:
                return answer

    def call(self, tool, /, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()

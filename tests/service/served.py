"""A `pawl serve` over the log of the working directory, asked as a program asks it. Every answer is
checked against its OpenAPI document, and so is every body that is sent and not refused."""

import http.client
import json
import socket
import subprocess
import urllib.parse
import warnings

from serving import Service, run as main

warnings.simplefilter("ignore", DeprecationWarning)
import jsonschema  # noqa: E402

DOCUMENT = {}  # as the first service serves it


def pawl(*words, code=0):
    """Run pawl; its standard output."""
    done = subprocess.run(("pawl",) + words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def resolved(node):
    """What a $ref of the document stands for."""
    while "$ref" in node:
        target = DOCUMENT
        for part in node["$ref"].lstrip("#/").split("/"):
            target = target[part]
        node = target
    return node


def check(schema, value, what):
    """The value is as the schema says."""
    whole = dict(schema, components=DOCUMENT["components"])
    errors = list(jsonschema.Draft202012Validator(whole).iter_errors(value))
    assert not errors, "%s: %s: %s" % (what, errors[0].json_path, errors[0].message)


def operation(method, path):
    """The operation of the document that is asked for, or None."""
    asked = path.split("/")
    for known, operations in sorted(DOCUMENT["paths"].items(), key=lambda entry: "{" in entry[0]):
        parts = known.split("/")
        if len(parts) == len(asked) and all(
                p == a or p.startswith("{") for p, a in zip(parts, asked)):
            if method.lower() in operations:
                return operations[method.lower()]
    return None


class Answer:
    """status, headers, and the body as text or as the value that it is."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.type = response.headers.get("Content-Type", "").split(";")[0]
        self.text = response.read().decode()
        self.value = json.loads(self.text) if self.text and self.type == "application/json" else None


class Served(Service):
    """The service: with Served() as service: service.get("/api/v1/runs")."""

    def __init__(self, *options, **more):
        super().__init__(*options, **more)
        self.asked = set()  # operationIds that were answered with 200
        self.kept = None
        if not DOCUMENT:
            DOCUMENT.update(self.raw("GET", "/openapi.json").value)

    def connect(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def raw(self, method, path, body=None, headers=None):
        """Ask, over a connection that is kept; the answer, unchecked."""
        sent = {"Authorization": "Bearer " + self.token}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        for again in (True, False):
            self.kept = self.kept or self.connect()
            try:
                self.kept.request(method, path, body,
                                  {name: value for name, value in sent.items() if value is not None})
                return Answer(self.kept.getresponse())
            except (http.client.RemoteDisconnected, ConnectionError):
                self.kept = None
                if not again:
                    raise

    def ask(self, method, path, body=None, headers=None, status=200):
        """Ask, and hold the answer against the document; its value, or text."""
        sent = body if body is None or isinstance(body, str) else json.dumps(body)
        what = "%s %s" % (method, path)
        answer = self.raw(method, path, sent, headers)
        assert answer.status == status, (what, body, answer.status, answer.text)
        known = operation(method, path.split("?")[0])
        if known is None:
            assert status in (401, 404, 405), "%s is not in the document" % what
            check({"$ref": "#/components/schemas/Error"}, answer.value, what)
            assert answer.value["error"]["code"] == status, (what, answer.text)
            return answer.value
        self.compare(known, answer, what)
        if status == 200:
            self.asked.add(known["operationId"])
            if body is not None and not isinstance(body, str):
                check(known["requestBody"]["content"]["application/json"]["schema"], body, what)
        return answer.text if answer.value is None else answer.value

    @staticmethod
    def compare(known, answer, what):
        responses = known["responses"]
        assert answer.status >= 400 or str(answer.status) in responses, (what, answer.status)
        content = resolved(responses.get(str(answer.status), responses.get("default")))["content"]
        assert answer.type in content, (what, answer.status, answer.type)
        if answer.status >= 400 and known["operationId"] != "health":
            assert answer.value["error"]["code"] == answer.status, (what, answer.text)
        if answer.value is not None:
            check(content[answer.type]["schema"], answer.value, what)

    def get(self, path, code=200, **query):
        text = urllib.parse.urlencode(query)
        return self.ask("GET", path + ("?" + text if text else ""), status=code)

    def post(self, path, body, status=200, headers=None):
        return self.ask("POST", path, body, headers, status)


class Stream:
    """Server-sent events, read one at a time."""

    def __init__(self, service, query="", last=None, buffer=None):
        self.connection = service.connect()
        if buffer:  # before it is open: later the window would shrink, and TCP wait for its timers
            self.connection.sock = socket.socket()
            self.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            self.connection.sock.settimeout(30)
            self.connection.sock.connect(("127.0.0.1", service.port))
        headers = {"Authorization": "Bearer " + service.token}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        self.connection.request("GET", "/api/v1/events/stream" + query, headers=headers)
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.comments = 0

    def next(self):
        """The next one as {"id", "event", "data"}; None at the end."""
        fields = {}
        while True:
            line = self.response.readline()
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if line.startswith(":"):
                self.comments += 1
            elif line:
                name, _, value = line.partition(": ")
                fields[name] = value
            elif "data" in fields:
                fields["data"] = json.loads(fields["data"])
                return fields
            else:
                fields = {}

    def close(self):
        self.response.close()
        self.connection.close()

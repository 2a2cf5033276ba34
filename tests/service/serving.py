"""A service to ask, for the scripts of this folder: started, asked, stopped. The standard library alone."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.parse


class Service:
    """`pawl serve` on a free port of loopback, in the working directory."""

    def __init__(self, *options, env=None, scheme="http", workspace=".", preexec=None):
        words = ["pawl", "serve", "--json"]
        if "--listen" not in options and "--port" not in options:
            words += ["--listen", "127.0.0.1:0"]
        if workspace:
            words += ["--workspace", workspace]
        self.process = subprocess.Popen(
            words + list(options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})}, preexec_fn=preexec)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"did not start: {self.process.stderr.read()}")
        self.ready = json.loads(line)
        self.url = self.ready["url"]
        assert self.url.startswith(scheme + "://"), self.url
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port
        with open(self.ready["token_file"], encoding="ascii") as file:
            self.token = file.read().strip()
        self.page_token = self.ready["page"].split("#token=")[1]
        self.stopped = False

    def ask(self, method, path, body=None, headers=None, token=True, timeout=30):
        """(status, headers, body): the body parsed where it is JSON."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            return ask_on(connection, self, method, path, body, headers, token)
        finally:
            connection.close()

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def run(self, command, *args, **more):
        """A command's data; what fails is data too."""
        status, _, body = self.ask("POST", "/executeCommand",
                                   {"command": command, "args": list(args)}, **more)
        same(status, 200, body)
        same(body["name"], command)
        return body["data"]

    def metric(self, name):
        _, _, body = self.get("/metrics")
        for line in body.splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        raise AssertionError(f"no metric {name} in:\n{body}")

    def socket(self, timeout=30):
        return socket.create_connection((self.host, self.port), timeout=timeout)

    def head(self, method, path, *lines, token=True, last=True):
        """The head of a request, to be sent by hand; the connection ends with it if it is the last."""
        all_lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        if last:
            all_lines.append("Connection: close")
        if token:
            all_lines.append(f"Authorization: Bearer {self.token}")
        return "\r\n".join(all_lines + list(lines) + ["", ""]).encode()

    def raw(self, data, timeout=30):
        """Send bytes, and take all that comes until the service closes. The answers' statuses."""
        with self.socket(timeout) as s:
            try:
                s.sendall(data)
            except (ConnectionResetError, BrokenPipeError):
                pass
            return statuses(take_all(s))

    def throw(self, data, wait=0.0):
        """Send bytes, and go."""
        with self.socket() as s:
            s.sendall(data)
            time.sleep(wait)

    def stop(self, number=signal.SIGTERM, expect=0):
        """Stop it; what it said on standard error."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        self.stopped = True
        same(out, "")
        same(self.process.returncode, expect, err)
        return err

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None and kind:
            self.process.kill()
            self.process.communicate()
        elif self.process.poll() is None:
            self.stop()
        elif not self.stopped:
            raise AssertionError(f"the service has ended by itself: {self.process.returncode}, "
                                 f"{self.process.stderr.read()}")


def ask_on(connection, service, method, path, body=None, headers=None, token=True):
    sent = dict(headers or {})
    if token:
        sent.setdefault("Authorization", "Bearer " + (token if token is not True else service.token))
    if body is not None and not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    if body is not None:
        sent.setdefault("Content-Type", "application/json")
    connection.request(method, path, body, sent)
    answer = connection.getresponse()
    data = answer.read()
    kind = answer.getheader("Content-Type", "")
    if kind.startswith("application/json"):
        return answer.status, answer.headers, json.loads(data) if data else None
    return answer.status, answer.headers, data.decode()


def take_all(s):
    """What comes until the other end closes, or resets."""
    data = b""
    try:
        while True:
            more = s.recv(65536)
            if not more:
                break
            data += more
    except ConnectionResetError:
        pass
    return data


def statuses(data):
    """The statuses of the answers in a run of bytes."""
    return [int(status) for status in re.findall(rb"(?m)^HTTP/1\.1 (\d{3}) ", data)]


def same(a, b, more=""):
    if a != b:
        raise AssertionError(f"not the same: {a!r} and {b!r} {more}")


def wait_for(what, seconds=60):
    """Until what() holds: its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = what()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("waited for in vain")


def eventually(ask, wanted):
    """Until that is what there is."""
    found = None

    def is_so():
        nonlocal found
        found = ask()
        return found == wanted

    try:
        wait_for(is_so)
    except AssertionError:
        same(found, wanted)


def run(*tests):
    """Run the tests in turn, each under its name."""
    for test in tests:
        begun = time.monotonic()
        try:
            test()
        except BaseException:
            print(f"failed: {test.__name__}", file=sys.stderr)
            raise
        print(f"{test.__name__}: {time.monotonic() - begun:.2f} s")

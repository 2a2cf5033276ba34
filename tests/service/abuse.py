"""Requests that are none, too large, too slow or too many, on raw sockets: see abuse_test.sh."""

import resource
import socket
import struct
import threading

from engine import Writer
from serving import Service, run, same, statuses, take_all, wait_for

HEALTHY = {"status": "ok"}


def fine(service):
    same(service.get("/healthz", token=False)[2], HEALTHY)
    same(service.run("eventlog head")["seq"], 0)


def malformed():
    with Service() as s:
        head = s.head
        # what is never a request, or not the whole of one
        for data in [b"", b"\r\n\r\n", b"G", b"nonsense\r\n\r\n", b"GET\r\n\r\n", bytes(5000),
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
                     bytes(range(256)) * 40, head("GET", "/metrics")[:-2],
                     head("POST", "/executeCommand", "Content-Type: application/json",
                          "Content-Length: 100") + b"{"]:
            s.throw(data, wait=0.05)
        for data, status in [
                (b"GET / HTTP/9.9\r\n\r\n", 505),
                (b"GET /metrics HTTP/1.1\r\n\r\n", 400),
                (b"GET /metrics HTTP/1.0\r\n\r\n", 421),
                (head("GET", "/metrics", "Host: localhost"), 400),
                (head("GET", "/metrics", "Authorization: Bearer x"), 400),
                (head("GET", "/a%2fb"), 400),
                (head("GET", "/%00"), 400),
                (head("GET", "/../etc/passwd"), 400),
                (head("GET", "http://evil.example/metrics"), 400),
                (head("GET", "/metrics", "no colon"), 400),
                (head("GET", "/metrics", "Content-Length: -1"), 400),
                (head("GET", "/metrics", "Content-Length: 99999999999999999999"), 413),
                (head("BREW", "/metrics"), 405),
                (head("POST", "/metrics"), 405),
                (head("OPTIONS", "/metrics"), 405),
                (head("CONNECT", "example.org:443"), 400),
                (head("POST", "/executeCommand", "Content-Type: application/json",
                      "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n", 400)]:
            same(s.raw(data)[:1], [status], data[:200])
        fine(s)


def where_it_ends():
    """What somebody in front of us may have read as another number of requests is answered once."""
    with Service() as s:
        good = b'{"command":"eventlog head"}'
        length, chunks = b"%d" % len(good), b"%x\r\n%s\r\n0\r\n\r\n" % (len(good), good)
        for headers, body in [
                (["Content-Length: 3", "Content-Length: " + length.decode()], good),
                (["Content-Length: " + length.decode()] * 2, good),
                (["Content-Length : " + length.decode()], good),
                (["Transfer-Encoding : chunked"], chunks),
                (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], chunks),
                (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], chunks),
                (["Transfer-Encoding: chunked, identity"], chunks),
                (["Transfer-Encoding: xchunked"], chunks),
                (["Transfer-Encoding: identity"], good),
                (["Transfer-Encoding:"], good)]:
            data = s.head("POST", "/executeCommand", *headers) + body
            same(s.raw(data + s.head("GET", "/metrics")), [400], headers)
        same(s.raw(s.head("POST", "/executeCommand", "Transfer-Encoding: Chunked",
                          "Connection: close") + chunks), [200])
        fine(s)


def malformed_chunks():
    with Service() as s:
        head = s.head("POST", "/executeCommand", "Content-Type: application/json",
                      "Transfer-Encoding: chunked")
        for body in [b"xyz\r\n", b"-5\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloX\r\n0\r\n\r\n",
                     b"ffffffffffffffffffff\r\n", b"0x5\r\nhello\r\n0\r\n\r\n"]:
            got = s.raw(head + body)
            assert got and got[0] in (400, 413), (body[:40], got)
        for body in [b"5", b"5\r\nhel", b"5;" + b"a" * 30000, b"7fffffffffffffff\r\nhello"]:
            s.throw(head + body, wait=0.05)
        good = b'{"command":"eventlog head"}'
        same(s.raw(head + b"%x;extension=1\r\n%s\r\n0\r\n\r\n" % (len(good), good)), [200])
        fine(s)


def too_large():
    with Service() as s:
        command = '{"command":"checkpoints","args":["%s"]}'
        # a mebibyte is taken, one byte more is not: with its length said, and in chunks
        spaces = b" " * (1024 * 1024 - 27) + b'{"command":"eventlog head"}'
        same(s.ask("POST", "/executeCommand", spaces)[0], 200)
        same(s.ask("POST", "/executeCommand", spaces + b" ")[0], 413)
        head = s.head("POST", "/executeCommand", "Content-Type: application/json",
                      "Transfer-Encoding: chunked")
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        same(s.raw(head + chunk * 17 + b"0\r\n\r\n"), [413])
        # an end without an end is cut
        with s.socket() as end:
            end.sendall(head)
            try:
                for _ in range(2000):
                    end.sendall(chunk)
                raise AssertionError("130 MB were taken")
            except (ConnectionResetError, BrokenPipeError):
                pass
        # a length that nobody will send
        same(s.raw(s.head("POST", "/executeCommand", "Content-Type: application/json",
                          "Content-Length: 1099511627776")), [413])
        # headers: 16 KiB in all
        for header in ["X: " + "a" * 16384, "X: " + "a" * 300000]:
            same(s.raw(s.head("GET", "/metrics", header))[:1], [431])
        same(s.raw(s.head("GET", "/metrics", *["a: b"] * 3000))[:1], [431])
        same(s.raw(s.head("GET", "/metrics", "X: " + "a" * 10000))[:1], [200])
        same(s.raw(s.head("GET", "/" + "a" * 8192))[:1], [413])
        same(s.ask("POST", "/executeCommand", command % ("x" * 1000))[0], 200)
        fine(s)
        same(s.metric("pawl_body_bytes"), 0)


def strangers_send_no_body():
    """Without a token not a byte of a body is held."""
    with Service() as s:
        ends = []
        for _ in range(50):
            end = s.socket()
            end.sendall(s.head("POST", "/executeCommand", "Content-Type: application/json",
                               "Content-Length: 1000000", token=False) + b" " * 900000)
            ends.append(end)
        same(s.metric("pawl_body_bytes"), 0)
        for end in ends:
            end.sendall(b" " * 100000)
            same(statuses(end.recv(65536)), [401])
            end.close()
        fine(s)


def floods_of_bad_tokens():
    with Service() as s:
        def flood():
            for i in range(250):
                same(s.get("/metrics", token="%064x" % i)[0], 401)
        threads = [threading.Thread(target=flood) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            fine(s)
        for thread in threads:
            thread.join()
        same(s.metric("pawl_unauthorized_total"), 1000)


def half_closed_and_reset():
    with Service() as s:
        # the end of what the client sends is not the end of what it wants
        with s.socket() as end:
            end.sendall(s.head("GET", "/metrics", last=False))
            end.shutdown(socket.SHUT_WR)
            same(statuses(take_all(end)), [200])
        ask = s.head("GET", "/metrics")
        for data in [b"", b"G", ask[:-2], ask, s.head("POST", "/executeCommand",
                     "Content-Type: application/json", "Content-Length: 100") + b"{"]:
            for _ in range(20):
                end = s.socket()
                # close with a reset
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.sendall(data)
                end.close()
        wait_for(lambda: s.metric("pawl_connections") <= 1)
        # who closes its half in the middle of a request is not waited for
        ends = []
        for data in [b"", b"\r\n\r\n", ask[:-2], b"GET / HTTP/1.1\r\nHo", s.head(
                "POST", "/executeCommand", "Transfer-Encoding: chunked") + b"ff\r\nabc"] * 10:
            end = s.socket()
            end.sendall(data)
            end.shutdown(socket.SHUT_WR)
            ends.append(end)
        wait_for(lambda: s.metric("pawl_connections") <= 1)
        for end in ends:
            end.close()
        fine(s)
        same(s.metric("pawl_body_bytes"), 0)
        same(s.metric("pawl_timeouts_total"), 0)


def pipelined():
    with Service() as s:
        one = b'{"command":"eventlog head"}'
        post = s.head("POST", "/executeCommand", "Content-Type: application/json",
                      f"Content-Length: {len(one)}", last=False) + one
        same(s.raw((s.head("GET", "/metrics", last=False) + post) * 10 + s.head("GET", "/healthz")),
             [200] * 21)


def many_connections():
    """More of them than fit a default limit of files, all idle: the next is answered."""
    with Service() as s: # which asks for more files itself; we do for our own ends of them
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most % 2**63, 4096), most))
        ends = [s.socket() for _ in range(1200)]
        wait_for(lambda: s.metric("pawl_connections") >= 1200)
        fine(s)
        for end in ends:
            end.close()
        wait_for(lambda: s.metric("pawl_connections") <= 1)


def more_than_there_may_be():
    """At the bound the oldest that showed no token make room; one that did stays."""
    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))
    with Service(preexec=few_files) as s:
        friend = s.socket()
        friend.sendall(s.head("GET", "/metrics", last=False))
        friend.settimeout(30)
        assert friend.recv(65536).startswith(b"HTTP/1.1 200")
        ends = [s.socket() for _ in range(250)]
        wait_for(lambda: s.metric("pawl_connections") < 120)
        same(ends[0].recv(1), b"")
        late = s.socket()
        late.sendall(s.head("GET", "/healthz"))
        late.settimeout(30)
        same(statuses(take_all(late)), [200])
        friend.sendall(s.head("GET", "/metrics"))
        got = b""
        while data := friend.recv(65536):
            got += data
        assert b"HTTP/1.1 200" in got, got[:200]
        for end in ends:
            end.close()
        fine(s)


def folded_and_cut():
    """Framing or guard headers in folded lines, or with a NUL, are refused, and the connection ends."""
    with Service() as s:
        inner = s.head("GET", "/healthz")
        chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(inner), inner)
        for header, body in [
                (b"Content-Length:\r\n %d" % len(inner), inner),
                (b"Content-Length: 5\r\n 3", inner),
                (b"Content-Length: 5\0" + b"3", inner),
                (b"Content-Length-X: 5", inner),
                (b"Transfer-Encoding:\r\n chunked", chunks),
                (b"Transfer-Encoding:\r\n\tchunked", chunks),
                (b"Transfer-Encoding: chunked\0x", chunks),
                (b"Origin:\r\n http://evil.example", b""),
                (b"Origin: http://localhost\0.evil.example", b""),
                (b"Sec-Fetch-Site:\r\n cross-site", b""),
                (b"X-Pawl-Actor: user:ana\0b", b"")]:
            data = s.head("GET", "/metrics", last=False)[:-2] + header + b"\r\n\r\n" + body
            same(s.raw(data), [400], header)
        fine(s)


def held_lock():
    """While somebody else writes for long, reads go on, and writes are told to come again."""
    with Service("--threads", "2") as s:
        s.run("checkpoint")
        other = Writer()
        answers = []
        writers = [threading.Thread(target=lambda: answers.append(
            s.ask("POST", "/executeCommand", {"command": "checkpoint"}))) for _ in range(2)]
        writers[0].start()
        wait_for(lambda: s.metric("pawl_workers_busy") >= 2)
        for _ in range(20):
            same(s.get("/api/v1/head")[2]["seq"], 1)
        writers[0].join()
        same(answers[0][2]["data"]["error"]["status"], "PAWL_EBUSY", answers)
        assert other.end()
        writers[1].start()
        writers[1].join()
        same(answers[1][2]["data"]["n"], 2, answers)
        same(s.get("/healthz", token=False)[2], HEALTHY)


run(malformed, where_it_ends, malformed_chunks, too_large, strangers_send_no_body, floods_of_bad_tokens,
    half_closed_and_reset, pipelined, many_connections, more_than_there_may_be,
    folded_and_cut, held_lock)

"""Event streams over HTTP: order, resuming, readers that are slow or go away, a thousand at once."""

import ctypes
import random
import resource
import shutil
import socket
import subprocess
import threading
import time

from engine import of_files
from served import Served, Stream, main, pawl
from serving import wait_for

V1 = "/api/v1"
service = None


def head():
    return service.get(V1 + "/head")["seq"]


def append():
    """One event or more; the new head."""
    pawl("session", "start", "--mission", "m%d" % random.getrandbits(40))
    return head()


def seqs(stream, last):
    """The seqs that come, up to this one."""
    seen = []
    while not seen or seen[-1] < last:
        event = stream.next()
        assert event is not None, "it ended after %s" % seen[-3:]
        assert int(event["id"]) == event["data"]["seq"] and event["event"] == event["data"]["type"], event
        seen.append(event["data"]["seq"])
    return seen


def open_streams():
    """How many the service counts."""
    for line in service.get("/metrics").splitlines():
        if line.startswith("pawl_streams "):
            return int(line.split()[1])
    raise AssertionError("no pawl_streams")


def exchange(a, b):
    """Two names change places at once: renameat2() with RENAME_EXCHANGE."""
    assert ctypes.CDLL(None).renameat2(-100, a.encode(), -100, b.encode(), 2) == 0


def memory(of=None):
    """The resident set of the service, kB."""
    for line in open("/proc/%d/status" % (of or service).process.pid):
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def a_stream_begins_after_the_head_or_where_it_is_told():
    last = head()
    live, whole, later = Stream(service), Stream(service, "?since=0"), Stream(service, last=last - 2)
    assert live.response.headers["Content-Type"] == "text/event-stream"
    assert live.response.headers["Cache-Control"] == "no-store"
    assert seqs(whole, last) == list(range(1, last + 1))
    assert seqs(later, last) == [last - 1, last]
    over = Stream(service, "?since=0&last_event_id=%d" % (last - 1))
    assert seqs(over, last) == [last]
    now = append()
    for stream in (live, whole, later, over):
        assert seqs(stream, now) == list(range(last + 1, now + 1))
        stream.close()
    for query, last, status in (("?since=x", None, 400), ("?since=%d" % (now + 1), None, 409),
                                ("", now + 1, 409), ("", "x", 400), ("", -1, 400), ("?colour=red", None, 400)):
        stream = Stream(service, query, last)
        assert stream.status == status, (query, last, stream.status)
        stream.close()


def a_stream_is_narrowed_to_a_run_or_a_type():
    stream = Stream(service, "?since=0&run=held&type=StepStarted")
    events = [event for event in service.get(V1 + "/events", limit=1000, run="held")["events"]
              if event["type"] == "StepStarted"]
    assert events
    for event in events:
        assert stream.next()["data"] == event
    stream.close()


def an_event_comes_as_the_page_of_events_has_it():
    stream = Stream(service, "?since=2")
    assert stream.next()["data"] == service.get(V1 + "/events/3")
    stream.close()


def each_event_comes_once_while_runs_append_and_readers_come_back():
    first = head()
    at_work = [subprocess.Popen(["pawl", "run", "many.yaml", "--run", "many-%d" % n, "--no-input"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for n in range(3)]
    seen = [[] for _ in range(6)]
    over = threading.Event()
    failures = []

    def read(mine, seed):
        luck = random.Random(seed)
        try:
            while not (over.is_set() and mine and mine[-1] >= over.head):
                stream = Stream(service, "", last=mine[-1] if mine else first)
                for _ in range(luck.choice((1, 3, 40, 400))):
                    mine.append(int(stream.next()["id"]))
                    if over.is_set() and mine[-1] >= over.head:
                        break
                stream.close()
        except Exception as failure:
            failures.append(failure)

    readers = [threading.Thread(target=read, args=(mine, n)) for n, mine in enumerate(seen)]
    for reader in readers:
        reader.start()
    for process in at_work:
        assert process.wait() == 0
    over.head = append()
    over.set()
    append()  # so that who waits in a stream comes back once more
    for reader in readers:
        reader.join(60)
        assert not reader.is_alive()
    assert not failures, failures
    for mine in seen:
        assert mine[: over.head - first] == list(range(first + 1, over.head + 1)), mine[:20]


def a_reader_that_stands_still_gets_all_of_it_later():
    slow = [Stream(service, "?since=0", buffer=2048) for _ in range(40)]
    now = append()
    stream = Stream(service, last=now - 1)
    assert seqs(stream, now) == [now]
    stream.close()
    for stream in slow[:5]:
        assert seqs(stream, now) == list(range(1, now + 1))
    for stream in slow:
        stream.close()


def readers_that_go_away_are_let_go():
    streams = [Stream(service) for _ in range(20)]
    assert open_streams() >= 20
    for stream in streams:
        stream.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        stream.close()

    def gone():
        append()
        return open_streams() == 0

    wait_for(gone)


def a_thousand_read_at_once():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2600:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(2600, hard), hard))
    many = 1000 if hard >= 2600 else hard - 200  # where the machine gives no more files
    before = memory()
    streams = [Stream(service) for _ in range(many)]
    assert open_streams() == many
    opened = memory()
    now = append()
    for stream in streams:
        assert seqs(stream, now)[-1] == now
    print("         %d streams: %d kB more when open, %d kB after an event"
          % (many, opened - before, memory() - before))
    if many == 1000:
        more = [Stream(service) for _ in range(25)]
        assert [stream.status for stream in more] == [200] * 24 + [503], [stream.status for stream in more]
        streams += more
    for stream in streams:
        stream.close()

    def gone():
        append()
        return open_streams() == 0

    wait_for(gone)


def limits_are_options():
    """5,000 streams at once; what they took is given back when they are gone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    many = min(5000, hard - 600)  # where the machine gives no more files
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(many + 600, hard), hard))
    large = Served("--connections", str(many + 100), "--streams", str(many))
    before = memory(large)
    streams = [Stream(large) for _ in range(many)]
    assert [stream.status for stream in streams] == [200] * many
    more = Stream(large)
    assert more.status == 503, more.status
    more.close()
    opened = memory(large)
    for stream in streams:
        stream.close()

    with open(shutil.which("pawl"), "rb") as program:
        keeps = b"AddressSanitizer" in program.read()  # what is freed, for a while

    def fell():
        append()
        return keeps or memory(large) - before < (opened - before) / 2

    wait_for(fell)
    print("         %d streams: %d kB more, %d kB after" % (many, opened - before, memory(large) - before))
    large.stop()


def streams_go_on_when_the_log_was_away():
    stream = Stream(service)
    last = head()
    subprocess.run("mv .pawl/events.db away && cp away .pawl/events.db", shell=True, check=True)
    now = append()
    assert seqs(stream, now) == list(range(last + 1, now + 1))
    stream.close()


def streams_end_when_another_log_is_there():
    subprocess.run(["pawl", "init", "other"], check=True, stdout=subprocess.DEVNULL)
    stream = Stream(service)
    seqs(stream, append())
    exchange(".pawl", "other/.pawl")
    event = stream.next()
    assert event["event"] == "error" and event["data"]["error"]["status"] == "PAWL_ENOTFOUND", event
    assert stream.next() is None
    stream.close()
    exchange(".pawl", "other/.pawl")

    def again():
        stream = Stream(service, last=3)
        if stream.status == 200:
            assert stream.next()["id"] == "4"
        stream.close()
        return stream.status == 200

    wait_for(again)


def streams_end_when_the_service_stops():
    streams = [Stream(service) for _ in range(10)] + [Stream(service, "?since=0")]
    service.stop()
    for stream in streams:
        while stream.next() is not None:
            pass
        stream.close()


if __name__ == "__main__":
    with Served() as service:
        main(a_stream_begins_after_the_head_or_where_it_is_told,
              an_event_comes_as_the_page_of_events_has_it,
              each_event_comes_once_while_runs_append_and_readers_come_back,
              a_reader_that_stands_still_gets_all_of_it_later,
              readers_that_go_away_are_let_go,
              a_thousand_read_at_once,
              limits_are_options,
              a_stream_is_narrowed_to_a_run_or_a_type,
              *of_files(streams_go_on_when_the_log_was_away, streams_end_when_another_log_is_there),
              streams_end_when_the_service_stops)

"""A service whose disk is full, whose log is replaced, beside another: see faults_test.sh."""

import ctypes
import glob
import http.client
import os
import resource
import shutil
import signal
import ssl
import subprocess
import threading
import warnings

from serving import Service, ask_on, run, same, wait_for

LOG = ".pawl/events.db"


def fresh():
    shutil.rmtree(".pawl", ignore_errors=True)


def head(service):
    return service.run("eventlog head")["seq"]


def sound():
    subprocess.run(["eventlog", "verify"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["eventlog", "replay", "--check"], check=True, stdout=subprocess.DEVNULL)


def healthy(service):
    status, _, body = service.get("/healthz", token=False)
    return status == 200 and body == {"status": "ok"}


def full_disk():
    """It says so, stays up, and goes on when there is room."""
    fresh()
    with Service() as s:
        s.run("checkpoint", "room")
        size = os.path.getsize(LOG) + os.path.getsize(LOG + "-wal")
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE,
                         (size // 4096 * 4096, resource.RLIM_INFINITY))
        with open("large", "wb") as file:
            file.write(os.urandom(1 << 20))
        seq = head(s)
        error = s.run("checkpoint", "no room")["error"]
        same(error["status"], "PAWL_EFULL", error)
        same(error["code"], 1)
        status, _, body = s.get("/healthz", token=False)
        same((status, body["status"]), (503, "failing"))
        assert "; " in body["why"], body
        same(head(s), seq)
        # as a resource it is a status of HTTP
        status, _, body = s.ask("POST", "/api/v1/checkpoints", {"description": "no room"})
        same((status, body["error"]["status"]), (507, "PAWL_EFULL"), body)
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE,
                         (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        same(s.run("checkpoint", "room again")["n"], 2)
        assert healthy(s)
    os.unlink("large")
    sound()


def exchange(a, b):
    """Two names change places at once: renameat2() with RENAME_EXCHANGE."""
    libc = ctypes.CDLL(None, use_errno=True)
    same(libc.renameat2(-100, a.encode(), -100, b.encode(), 2), 0, os.strerror(ctypes.get_errno()))


def removed_log():
    """The service may be the last that has it: the next request puts it back, or the next second."""
    fresh()
    with Service() as s:
        for n in range(1, 4):
            same(s.run("checkpoint")["n"], n)
            shutil.rmtree(".pawl")
            same(head(s), n)
            sound()
        shutil.rmtree(".pawl")
        same(s.run("checkpoint")["n"], 4)
        shutil.rmtree(".pawl")
        wait_for(lambda: os.path.exists(LOG))
        os.rename(".pawl", "aside")  # moved away by hand is no less gone
        same(head(s), 4)
        assert healthy(s)
        with Service("--read-only") as reader:
            same(head(reader), 4)
        same(s.run("checkpoint")["n"], 5)
    sound()
    same([name for name in os.listdir(".pawl") if "saved" in name or "tmp" in name], [])
    shutil.rmtree("aside")


def removed_log_of_a_reader():
    """It writes nothing, so that it waits until somebody puts the log back."""
    fresh()
    subprocess.run(["pawl", "checkpoint", "one"], check=True, stdout=subprocess.DEVNULL)
    with Service("--read-only") as s:
        same(head(s), 1)
        os.rename(".pawl", "aside")
        status, _, body = s.get("/metrics")
        same((status, body["error"]["status"]), (503, "PAWL_ENOTFOUND"), body)
        wait_for(lambda: not healthy(s))
        assert not os.path.exists(".pawl")
        os.rename("aside", ".pawl")
        same(head(s), 1)
        wait_for(lambda: healthy(s))


def replaced_log():
    """The log at the path is the one that is served; what stood there is saved beside it, once."""
    fresh()
    subprocess.run(["pawl", "init", "other"], check=True, stdout=subprocess.DEVNULL)
    with Service() as s:
        s.run("checkpoint")
        s.run("checkpoint")
        exchange(".pawl", "other/.pawl")
        same(head(s), 0)
        wait_for(lambda: healthy(s))
        saved = glob.glob(LOG + "-saved-2-*")
        wait_for(lambda: len(glob.glob(LOG + "-saved-*")) == 1)
        for _ in range(20):
            same(head(s), 0)
        same(glob.glob(LOG + "-saved-*"), saved)
        subprocess.run(["eventlog", "verify", "--db", saved[0]], check=True, stdout=subprocess.DEVNULL)
        same(s.run("checkpoint")["n"], 1)
        exchange(".pawl", "other/.pawl")
        same(head(s), 2)
        s.run("checkpoint")
        wait_for(lambda: healthy(s))
    sound()
    shutil.rmtree("other")


def two_services():
    """Both write to one log; they share the token of its folder, and no page's."""
    fresh()
    with Service() as a, Service() as b:
        same(a.token, b.token)
        assert a.page_token != b.page_token
        origin = {"Origin": f"http://{b.host}:{b.port}"}
        same(b.get("/metrics", headers=origin, token=b.page_token)[0], 200)
        same(b.get("/metrics", headers=origin, token=a.page_token)[0], 401)

        def write(service):
            for _ in range(10):
                assert "n" in service.run("checkpoint")
        threads = [threading.Thread(target=write, args=(service,)) for service in (a, b, a, b)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same(head(a), head(b))
        same(head(a), 40)
    sound()


def read_only():
    fresh()
    subprocess.run(["pawl", "checkpoint", "one"], check=True, stdout=subprocess.DEVNULL)
    before = open(LOG, "rb").read()
    with Service("--read-only") as s:
        same(head(s), 1)
        same(s.ask("POST", "/executeCommand", {"command": "checkpoint"})[0], 403)
        same(s.ask("POST", "/api/v1/checkpoints", {"description": "x"})[0], 403)
        same(head(s), 1)
    same(open(LOG, "rb").read(), before)


def tls():
    """With a certificate it speaks TLS alone, from 1.2 on."""
    fresh()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, stderr=subprocess.DEVNULL)
    with Service("--tls-cert", "cert.pem", "--tls-key", "key.pem", scheme="https") as s:
        trust = ssl.create_default_context(cafile="cert.pem")
        connection = http.client.HTTPSConnection(s.host, s.port, context=trust, timeout=30)
        same(ask_on(connection, s, "GET", "/metrics")[0], 200)
        origin = {"Origin": f"https://{s.host}:{s.port}"}
        same(ask_on(connection, s, "GET", "/metrics", headers=origin, token=s.page_token)[0], 200)
        plain = {"Origin": f"http://{s.host}:{s.port}"}
        same(ask_on(connection, s, "GET", "/metrics", headers=plain, token=s.page_token)[0], 403)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it is too old is the point
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        for talk in (lambda end: old.wrap_socket(end), lambda end: end.sendall(s.head("GET", "/"))):
            with s.socket() as end:
                try:
                    talk(end)
                    same(end.recv(1000)[:5] == b"HTTP/", False)
                except (ssl.SSLError, ConnectionError):
                    pass
        same(ask_on(connection, s, "GET", "/healthz", token=False)[0], 200)
        connection.close()


def refused(says, *options, code=1):
    """It does not start, and says why in one line."""
    got = subprocess.run(["pawl", "serve", *options], capture_output=True, text=True, timeout=30)
    same(got.returncode, code, got)
    assert says in got.stderr and got.stderr.startswith("pawl: "), got.stderr
    same(got.stdout, "")


def refusals():
    fresh()
    refused("is reached from other machines", "--listen", "0.0.0.0:0", code=2)
    refused("is reached from other machines", "--listen", "[::]:0", code=2)
    refused("go together", "--tls-cert", "cert.pem", code=2)
    refused("is no address and port", "--listen", "localhost", code=2)
    refused("give 1 to 64", "--threads", "65", code=2)
    refused("give 0 to 65535", "--port", "65536", code=2)
    refused("or --port alone", "--port", "0", "--listen", "127.0.0.1:0", code=2)
    os.chmod("cert.pem", 0o600)
    refused("TLS: does not start", "--listen", "127.0.0.1:0", "--tls-cert", "cert.pem",
            "--tls-key", "cert.pem")
    os.chmod("key.pem", 0o644)
    refused("everybody can get at this key", "--listen", "127.0.0.1:0", "--tls-cert", "cert.pem",
            "--tls-key", "key.pem")
    refused("none/events.db", "--db", "none/events.db", "--read-only", "--listen", "127.0.0.1:0")
    refused("is no directory", "--workspace", "cert.pem", "--listen", "127.0.0.1:0")
    with Service("--insecure", "--listen", "0.0.0.0:0") as s:
        same(s.get("/metrics")[0], 200)
        # the token was made for its owner alone, and is kept
        same(os.stat(s.ready["token_file"]).st_mode & 0o777, 0o600)
        token = s.token
        os.chmod(s.ready["token_file"], 0o640)
        refused("others can get at it", "--listen", "127.0.0.1:0")
        os.chmod(s.ready["token_file"], 0o600)
        refused("another program listens there", "--listen", f"127.0.0.1:{s.port}")
    with Service("--port", "0") as s:
        same(s.token, token)
        same(s.host, "127.0.0.1")


def workspace_by_environment():
    fresh()
    os.makedirs("elsewhere/inner", exist_ok=True)
    with Service(workspace=None) as s:
        same(s.ask("POST", "/executeCommand", {"command": "checkpoint"})[0], 400)
    fresh()  # a log above the workspace would be its log
    with Service(workspace=None, env={"CODER_AGENT_WORKSPACE_PATH": "elsewhere"}) as s:
        same(s.run("checkpoint")["files"], 0)
    assert os.path.exists("elsewhere/.pawl/events.db")
    with Service(workspace="elsewhere/inner") as s:
        same(head(s), 1)
    shutil.rmtree("elsewhere")


def signals():
    """Each of them ends it in peace, whatever is open."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        fresh()
        s = Service()
        ends = [s.socket() for _ in range(10)]
        ends[0].sendall(s.head("GET", "/api/v1/events/stream", last=False))
        ends[1].sendall(s.head("GET", "/metrics", last=False)[:-2])
        wait_for(lambda: s.metric("pawl_streams") == 1)
        same(s.stop(number), "")
        for end in ends:
            end.close()


run(full_disk, removed_log, removed_log_of_a_reader, replaced_log, two_services, read_only, tls, refusals,
    workspace_by_environment, signals)

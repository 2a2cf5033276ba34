"""Where the log of these scripts stands: in a file of the working directory or, where tests/CMakeLists.txt lists the
script for both, on a server, as PAWL_DB names it."""

import os
import sqlite3
import subprocess

ON_SERVER = bool(os.environ.get("PAWL_TEST_LOGS_ON_SERVER"))


def of_files(*tests):
    """Those of what only a file goes through."""
    return () if ON_SERVER else tests


def psql(*words, url=None):
    return ("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", *words, (url or os.environ["PAWL_DB"]).split("#")[0])


def change_event(seq, payload, log=None):
    """As who can write its tables does; log: its path or URL, without one the script's own. It is not judged then."""
    if "PAWL_TEST_LOGS" in os.environ:
        with open(os.path.join(os.environ["PAWL_TEST_LOGS"], "damaged"), "a", encoding="utf-8") as damaged:
            where = (log or os.environ["PAWL_DB"]) if ON_SERVER else os.path.abspath(log or ".pawl/events.db")
            print(where, file=damaged)
    change = f"UPDATE %s SET payload = '{payload}' WHERE seq = {seq}"
    if ON_SERVER:
        name = (log or os.environ["PAWL_DB"]).split("#")[1]
        mine = f" AND log_id = (SELECT log_id FROM pawl.logs WHERE name = '{name}')"
        subprocess.run(psql("-c", change % "pawl.events" + mine, url=log), check=True)
        return
    with sqlite3.connect(log or ".pawl/events.db") as file:
        for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            file.execute(f"DROP TRIGGER {name}")
        file.execute(change % "events")


class Writer:
    """Another writer, which has the log locked from here on, unless somebody else has."""

    def __init__(self):
        if ON_SERVER:
            name = os.environ["PAWL_DB"].split("#")[1]
            self.process = subprocess.Popen(psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
            self.process.stdin.write(f"BEGIN; SELECT 'locked' FROM pawl.logs WHERE name = '{name}' FOR UPDATE NOWAIT;\n")
            self.process.stdin.flush()
            self.locked = self.process.stdout.readline() == "locked\n"
            return
        self.file = sqlite3.connect(".pawl/events.db", timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self.file.execute("BEGIN IMMEDIATE")
            self.locked = True
        except sqlite3.OperationalError:
            self.locked = False

    def end(self):
        """Nothing was written."""
        if ON_SERVER:
            self.process.communicate()
        else:
            self.file.close()
        return self.locked

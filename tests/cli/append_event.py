"""append_event.py LOG: append the event on standard input, a line of `eventlog export`, as any program can that knows
the format of docs/reference/event-log.md: with right hashes, past the state tables, without the library. LOG is a file,
or URL#NAME of a log on a server. The line's seq, time, session_id, prev and hash are made anew. Two members that no
event has: `us`, its time, and `text`, what the payload is, whatever that says."""
import hashlib, json, os, sqlite3, subprocess, sys, time, datetime

COLUMNS = 'seq, type, v, time, mission_id, run_id, step_id, session_id, actor, payload, prev, hash'


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False).encode()


def chained(event, seq, prev, us):
    payload = event['text'].encode() if 'text' in event else canonical(event['payload'])
    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=us)
    envelope = {name: event[name] for name in ('type', 'v', 'mission_id', 'run_id', 'step_id', 'actor')}
    envelope |= {'session_id': None, 'seq': seq, 'time': at.strftime('%Y-%m-%dT%H:%M:%S.%fZ')}
    digest = hashlib.sha256(prev + hashlib.sha256(payload).digest() + canonical(envelope)).digest()
    return payload.decode(), digest


def quoted(value):
    if value is None:
        return 'NULL'
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return "decode('" + value.hex() + "', 'hex')"
    return "'" + value.replace("'", "''") + "'"


def on_server(url, statement):
    out = subprocess.run(['psql', '-qAtX', '-v', 'ON_ERROR_STOP=1', url], input=statement, text=True, check=True,
                         capture_output=True).stdout
    return out.strip()


def mark_damaged(log):
    """It is not judged when the test ends (tests/support/judged)."""
    if 'PAWL_TEST_LOGS' in os.environ:
        with open(os.path.join(os.environ['PAWL_TEST_LOGS'], 'damaged'), 'a') as damaged:
            print(log if '://' in log else os.path.abspath(log), file=damaged)


def main():
    log, event = sys.argv[1], json.loads(sys.stdin.readline())
    mark_damaged(log)
    us = event.get('us') or int(time.time() * 1e6)
    ids = [event['mission_id'], event['run_id'], event['step_id'], None, event['actor']]
    if '://' not in log:
        db = sqlite3.connect(log)
        seq, prev = db.execute('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1').fetchone()
        payload, digest = chained(event, seq + 1, prev, us)
        db.execute(f'INSERT INTO events ({COLUMNS}) VALUES ({", ".join("?" * 12)})',
                   (seq + 1, event['type'], event['v'], us, *ids, payload, prev, digest))
        db.commit()
        return
    url, _, name = log.partition('#')
    here = f"log_id = (SELECT log_id FROM pawl.logs WHERE name = {quoted(name)})"
    seq, prev = on_server(url, f"SELECT head_seq, encode(head_hash, 'hex') FROM pawl.logs WHERE {here};").split('|')
    seq, prev = int(seq), bytes.fromhex(prev)
    payload, digest = chained(event, seq + 1, prev, us)
    values = ', '.join(quoted(v) for v in (seq + 1, event['type'], event['v'], us, *ids, payload, prev, digest))
    on_server(url, f"""BEGIN;
        INSERT INTO pawl.events (log_id, {COLUMNS}) SELECT log_id, {values} FROM pawl.logs WHERE {here};
        UPDATE pawl.logs SET head_seq = {seq + 1}, head_hash = {quoted(digest)} WHERE {here};
        COMMIT;""")


main()

# eventlog verify: whatever is changed in the log's events is found, and the first bad seq named.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
runs 3 pawl run mission.yaml --run one
n=$(events)
sqlite3 .pawl/events.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp .pawl/events.db good.db
log_damaged bad.db

# tampered SQL SEQ: after this change, verification fails at this seq.
tampered() {
        cp good.db bad.db
        sqlite3 bad.db "DROP TRIGGER IF EXISTS events_no_update; DROP TRIGGER IF EXISTS events_no_delete; $1"
        runs 5 eventlog verify --db bad.db
        is_empty out
        [ "$(wc -l <err)" -eq 1 ]
        says "^eventlog: .*seq $2[^0-9]" err
}

it "the triggers refuse to change events"
for change in "UPDATE events SET type = 'x' WHERE seq = 1" "DELETE FROM events WHERE seq = $n"; do
        sqlite3 .pawl/events.db "$change" 2>err || true
        says 'events are never (changed|deleted)' err
done
runs 0 eventlog verify
says "^ok: $n events, head $(eventlog head)$" out

it "a changed member of an event is found"
triggers=$(sqlite3 good.db "SELECT group_concat('DROP TRIGGER ' || name, ';') FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")
[ -n "$triggers" ]
used=$(sqlite3 good.db "SELECT max(seq) FROM events WHERE payload LIKE '%the workspace%'")
tampered "$triggers; UPDATE events SET payload = replace(payload, 'workspace', 'worksqace') WHERE seq = $used" "$used"
tampered "$triggers; UPDATE events SET time = time + 1 WHERE seq = 3" 3
tampered "$triggers; UPDATE events SET actor = 'user:eve' WHERE seq = 2" 2
tampered "$triggers; UPDATE events SET step_id = NULL WHERE seq = (SELECT min(seq) FROM events WHERE step_id IS NOT NULL)" \
        "$(sqlite3 good.db 'SELECT min(seq) FROM events WHERE step_id IS NOT NULL')"
tampered "$triggers; UPDATE events SET hash = zeroblob(32) WHERE seq = 4" 4
tampered "$triggers; UPDATE events SET prev = zeroblob(32) WHERE seq = 5" 5

it "an event that was taken out is found"
tampered "$triggers; DELETE FROM events WHERE seq = 6" 6

it "an event put before the first, which no reader shows, is found"
cols=type,v,time,mission_id,run_id,step_id,session_id,actor,payload,prev,hash
tampered "$triggers; INSERT INTO events SELECT 0, $cols FROM events WHERE seq = 2" 0
tampered "$triggers; INSERT INTO events SELECT -7, $cols FROM events WHERE seq = 2" -7

it "a cut tail verifies alone, and is seen by an anchor"
eventlog head >anchor
cp good.db bad.db
sqlite3 bad.db "$triggers; DELETE FROM events WHERE seq > $((n - 2))"
runs 0 eventlog verify --db bad.db
runs 5 eventlog verify --db bad.db --anchor anchor
says "^eventlog: .*$n" err
[ "$(wc -l <err)" -eq 1 ]

it "anchors that still hold are no error, however many"
eventlog verify --anchor anchor >/dev/null
printf 'terms: [{surface: refund, definition: Money that goes back.}]' >seed.yaml
runs 0 pawl glossary import seed.yaml --scope core
eventlog head >>anchor
printf '0 %064d\n' 0 >>anchor
runs 0 eventlog verify --anchor anchor

it "an earlier anchor that does not hold is named"
printf '2 %064d\n' 7 >>anchor
runs 5 eventlog verify --anchor anchor
says "seq 2[^0-9]" err

it "an anchor file that is none is refused, naming the line"
printf 'what?\n' >anchor
fails 1 "^eventlog: anchor: line 1: " eventlog verify --anchor anchor
fails 1 "^eventlog: nowhere: " eventlog verify --anchor nowhere

it "an anchor file without an anchor does not pass for one that holds"
: >anchor
fails 1 "^eventlog: anchor: no anchor in it" eventlog verify --anchor anchor
printf '\n \r\n' >anchor
fails 1 "^eventlog: anchor: no anchor in it" eventlog verify --anchor anchor

it "blanks and blank lines around an anchor do not matter"
printf '\n%s \r\n\n' "$(eventlog head)" >anchor
runs 0 eventlog verify --anchor anchor

it "what is no log is refused, by both programs, and left alone"
printf 'not SQLite, but long enough to be looked at as if it were a database file\n' >text.db
cp text.db text.before
fails 1 "^eventlog: .*text.db: " eventlog --db text.db head
fails 1 "^pawl: .*text.db: " pawl --db text.db conflicts
fails 1 "^pawl: .*text.db: " pawl --db text.db run mission.yaml
cmp text.db text.before
sqlite3 other.db 'CREATE TABLE events(seq); PRAGMA application_id = 7'
fails 1 "^eventlog: .*other.db: " eventlog --db other.db head
cp good.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 9999'
fails 1 "^eventlog: .*newer.db: .*newer" eventlog --db newer.db head
fails 1 "^pawl: .*newer.db: .*newer" pawl --db newer.db conflicts

it "whatever is done to the events of a log is found: exit 5, one line that begins with the first bad seq"
golden=$SOURCE_DIR/tests/golden
first=
while IFS=$'\t' read -r seq anchor why sql; do
        case $seq in
        '#'*) continue ;;
        =)
                first=$sql
                continue
                ;;
        esac
        rm -f bad.db-wal bad.db-shm
        cp "$golden/logs/v1.db" bad.db
        sqlite3 bad.db "$first$sql" >/dev/null
        options=()
        [ "$anchor" != anchor ] || options=(--anchor "$golden/logs/v1.head")
        sentence="found: $sql"
        if [ "$seq" = - ]; then
                runs 0 eventlog verify --db bad.db "${options[@]}"
                continue
        fi
        runs 5 eventlog verify --db bad.db "${options[@]}"
        is_empty out
        same "$(wc -l <err)" 1
        says "^eventlog: seq $seq: " err
        grep -qF -- "$why" err
done <"$golden/tamperings.tsv"

it "a content that was changed or deleted is found, with the event or the checkpoint that needs it; --chain leaves it out"
mkdir contents
cd contents
own_log
for i in $(seq 40); do
        for line in $(seq 50); do echo "file $i, line $line, $((i * line * 7919 % 1000))"; done >"f$i"
done
head -c 9000000 /dev/urandom >large
printf 'mission: m\nsteps:\n  - {id: a, run: [sh, -c, "echo output-of-a; echo log-of-a >&2; sleep 0.3"]}\n  - {id: b, run: [sh, -c, "echo more >>f1"]}\n' >m.yaml
runs 0 pawl run m.yaml --run r1
runs 0 eventlog verify --json
same "$(jq -c '[.ok, .contents > 40, .blobs > 3]' out)" '[true,true,true]'
sqlite3 .pawl/events.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp .pawl/events.db whole.db
# damaged PATTERN SQL: after this change verification fails so, and that of the chain does not.
damaged() {
        cp whole.db bad.db
        sqlite3 bad.db "$2"
        if cmp -s whole.db bad.db; then echo "nothing was changed: $2" && return 1; fi
        runs 5 eventlog verify --db bad.db
        is_empty out
        same "$(wc -l <err)" 1
        says "$1" err
        runs 5 eventlog verify --db bad.db --json
        same "$(jq '.bad_seq > 0' out)" true
        runs 0 eventlog verify --db bad.db --chain
}
output="hash = (SELECT hash FROM blobs WHERE CAST(content AS TEXT) LIKE 'output-of-a%' OR CAST(content AS TEXT) LIKE '\"output-of-a%' LIMIT 1)"
damaged '^eventlog: seq [0-9]+: StepC[a-z]+: its output_hash, blob [0-9a-f]{16}, is not what its hash says; ' \
        "UPDATE blobs SET content = CAST('\"FORGED\"' AS BLOB) WHERE $output"
damaged 'its output_hash, blob [0-9a-f]{16}, is not in the log' "DELETE FROM blobs WHERE $output"
damaged 'its log_hash, blob [0-9a-f]{16}, is not in the log' "DELETE FROM blobs WHERE CAST(content AS TEXT) LIKE 'log-of-a%'"
damaged 'its mission_document, blob [0-9a-f]{16}, is not what its hash says' \
        "UPDATE blobs SET content = CAST('{}' AS BLOB) WHERE CAST(content AS TEXT) LIKE '{%\"steps\"%output-of-a%'"
list="substr(data, 1, 4) = x'50574c01'" # of the chunks of the large file
damaged '^eventlog: seq [0-9]+: checkpoint [0-9]+: content [0-9a-f]{16}: ' \
        "UPDATE contents SET data = (SELECT data FROM contents WHERE NOT $list ORDER BY hash LIMIT 1) WHERE hash = (SELECT max(hash) FROM contents WHERE NOT $list)"
damaged '^eventlog: seq [0-9]+: checkpoint [0-9]+: content [0-9a-f]{16}: ' "DELETE FROM contents WHERE hash = (SELECT max(hash) FROM contents WHERE NOT $list)"
damaged '^eventlog: seq [0-9]+: checkpoint [0-9]+: content [0-9a-f]{16}: ' "UPDATE contents SET data = CAST(substr(data, 1, length(data) - 8) || zeroblob(8) AS BLOB) WHERE $list"
damaged '^eventlog: seq [0-9]+: checkpoint [0-9]+: content [0-9a-f]{16}: ' "DELETE FROM contents WHERE $list"
damaged '^eventlog: seq [0-9]+: checkpoint [0-9]+: content [0-9a-f]{16}: ' "DELETE FROM contents"
damaged '^eventlog: seq [0-9]+: checkpoint [0-9]+: content [0-9a-f]{16}: ' "DELETE FROM packs"
damaged '^eventlog: seq [0-9]+: checkpoint [0-9]+: content [0-9a-f]{16}: ' \
        "UPDATE packs SET data = CAST(substr(data, 1, length(data) - 40) || zeroblob(40) AS BLOB)"
damaged '^eventlog: seq [0-9]+: checkpoint [0-9]+: content [0-9a-f]{16}: ' "DELETE FROM packed WHERE hash = (SELECT max(hash) FROM packed)"
cd ..

it "a large content or output is verified part by part, in little memory"
mkdir large
cd large
own_log
head -c 150000000 /dev/zero | tr '\0' x >file
runs 0 pawl checkpoint --max-file 1G
printf 'mission: m\nworkspace: {checkpoint: off}\nsteps: [{id: a, run: [sh, -c, "head -c 60000000 file"]}]\n' >m.yaml
runs 0 pawl run m.yaml
most=$(python3 -c 'import resource, subprocess
subprocess.run(["eventlog", "verify"], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)')
# a sanitizer's own memory is beside it
nm "$BIN/eventlog" | grep -q __asan_init || [ "$most" -lt 65536 ]
cd ..

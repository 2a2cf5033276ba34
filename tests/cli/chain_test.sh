# The chain as others meet it: who verifies an export, and who put an event into the table by hand.
. "$SOURCE_DIR/tests/cli/shared.sh"

# The export verifies by the documentation alone: "EVENTS PRUNED".
checked() {
        eventlog export >export.jsonl
        "$SOURCE_DIR/tests/golden/check_export.py" <export.jsonl
}

# plant [PREV]: an event after the last one, by any SQLite client, whose hash is made up; PREV is an SQL expression.
plant() {
        sqlite3 "${LOG:-.pawl/events.db}" "INSERT INTO events SELECT seq + 1, type, v, time, mission_id, run_id, step_id,
                session_id, actor, payload, ${1:-hash}, randomblob(32) FROM events ORDER BY seq DESC LIMIT 1"
}

# The run of mission.yaml is refused with exit 5, and nothing is written.
refused() {
        local before
        before=$(sqlite3 .pawl/events.db "SELECT count(*), (SELECT applied_seq FROM projection) FROM events")
        fails 5 "$@"
        same "$(sqlite3 .pawl/events.db "SELECT count(*), (SELECT applied_seq FROM projection) FROM events")" "$before"
}

it "a stranger verifies an export whose payloads were pruned"
cat >plain.yaml <<'END'
mission: plain
steps:
  - {id: a, run: [echo, a]}
END
runs 0 pawl run plain.yaml --run one
same "$(checked | cut -d' ' -f2)" 0
for n in 1 2 3; do
        pawl session start --mission paper --summary "secret words $n" >/dev/null
        pawl session end >/dev/null
done
runs 0 pawl prune sessions --keep 1
lacks 'secret words 1' <(eventlog export)
[ "$(checked | cut -d' ' -f2)" -ge 4 ]
same "$(jq -c 'select(.payload == null) | (.payload_hash | length)' export.jsonl | sort -u)" 64
same "$(jq -c 'select(.payload != null and has("payload_hash"))' export.jsonl)" ""
seq=$(jq -s 'map(select(.payload == null))[0].seq' export.jsonl)
same "$(eventlog show "$seq" | jq -r .payload_hash)" "$(jq -r "select(.seq == $seq).payload_hash" export.jsonl)"

it "a stranger sees an export that was changed"
jq -c 'if .seq == 3 then .actor = "user:eve" else . end' export.jsonl >changed.jsonl
runs 1 sh -c "\"$SOURCE_DIR/tests/golden/check_export.py\" <changed.jsonl"

it "a payload that is gone and was not pruned is damage"
cp -r .pawl kept
sqlite3 .pawl/events.db "DELETE FROM pruned WHERE seq = $seq"
runs 5 eventlog export
says "seq $seq: its payload is gone and was not pruned" err
rm -r .pawl
mv kept .pawl

it "nothing is built on an event that was put in with a wrong hash"
write_mission
runs 3 pawl run mission.yaml --run held --no-input
head=$(eventlog head | cut -d' ' -f1)
cp -r .pawl kept
plant
bad="seq $((head + 1)): its hash does not fit"
refused "$bad" pawl run plain.yaml --run two
refused "$bad" pawl run mission.yaml --resume --no-input
refused "$bad" pawl resume held --no-input
refused "$bad" pawl checkpoint
refused "$bad" pawl session start --mission paper

it "nor on one that does not follow the event before it"
rm -r .pawl
cp -r kept .pawl
plant 'zeroblob(32)'
refused "seq $((head + 1)): its prev is not the hash of the event before" pawl run plain.yaml --run two

it "nor in a keyed log, by who has the key"
rm -r .pawl
head -c 32 /dev/urandom >key
chmod 600 key
export PAWL_KEY_FILE=$PWD/key
runs 0 pawl run plain.yaml --run one
runs 3 pawl run mission.yaml --run held --no-input
head=$(eventlog head | cut -d' ' -f1)
plant
bad="seq $((head + 1)): its hash does not fit"
refused "$bad" pawl run plain.yaml --run two
refused "$bad" pawl resume held --no-input
refused "$bad" pawl checkpoint

it "nor, in a keyed log, on one whose hash fits and whose MAC is missing"
rm -r .pawl
runs 0 pawl run plain.yaml --run one
head=$(eventlog head | cut -d' ' -f1)
sqlite3 .pawl/events.db "DELETE FROM macs WHERE seq = $head"
refused "seq $head: its MAC is missing" pawl run plain.yaml --run two

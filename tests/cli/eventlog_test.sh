# eventlog: list, tail, show, head, stats, export and replay over a log that a mission wrote.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
runs 3 pawl run mission.yaml --run one
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl resume
runs 0 pawl run mission.yaml --run two
n=$(events)

it "export prints every event as an envelope in seq order, ids that do not apply as null"
runs 0 eventlog export
same "$(jq -s 'map(.seq) == [range(1; length + 1)]' out)" true
same "$(jq -sc 'map(keys_unsorted) | unique' out)" \
        '[["seq","type","v","time","mission_id","run_id","step_id","session_id","actor","payload","prev","hash"]]'
same "$(jq -sr 'all(.[]; .time | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{6}Z$"))' out)" true
same "$(jq -r .prev out | head -1)" "$(printf '0%.0s' {1..64})"
same "$(jq -r .prev out | tail -n +2)" "$(jq -r .hash out | head -n -1)"
cp out all

it "the chain is what the contract says: an independent program recomputes it"
tail -1 all >last
# unhex: digits on stdin as bytes.
unhex() {
        printf '%b' "$(sed 's/../\\x&/g')"
}
{
        jq -r .prev last | unhex
        sqlite3 .pawl/events.db "SELECT payload FROM events WHERE seq = $n" | head -c -1 | sha256sum | cut -d' ' -f1 | unhex
        jq -c 'del(.payload, .prev, .hash)' last | pawl hash --canonical | head -c -1
} | sha256sum | cut -d' ' -f1 >hash
same "$(cat hash)" "$(jq -r .hash last)"

it "export --run gives the events of that run alone"
runs 0 eventlog export --run two
same "$(jq -sr 'map(.run_id) | unique | join(" ")' out)" two
for command in "list" "list --json" "export" "replay" "replay --json"; do
        # shellcheck disable=SC2086
        fails 1 'run nobody: is not in this log; `pawl runs` lists them' eventlog $command --run nobody
done

it "head prints seq and hash of the last event"
runs 0 eventlog head
same "$(cat out)" "$n $(jq -r .hash last)"

it "list has a line an event under a header, whole where it is no terminal"
runs 0 eventlog list
says '^ *SEQ TIME +TYPE +RUN +STEP$' out
same "$(wc -l <out)" "$((n + 1))"
says 'GenerationBlockedBySemanticConflict one +specify$' out

it "list filters by type, run, step and seq, and keeps the newest"
same "$(eventlog list --json --type StepCompleted | jq -r '.run_id + "/" + .step_id' | tr '\n' ' ')" \
        "one/research one/specify one/publish two/research two/specify two/publish "
same "$(eventlog list --json --run two --step publish | jq -sr 'map(.run_id + .step_id) | unique[]')" twopublish
same "$(eventlog list --json --since "$((n - 1))" | jq .seq | tr '\n' ' ')" "$((n - 1)) $n "
same "$(eventlog list --json -n 2 | jq .seq | tr '\n' ' ')" "$((n - 1)) $n "
same "$(eventlog list --json -n 2 --type StepCompleted | jq -r '.run_id + "/" + .step_id' | tr '\n' ' ')" \
        "two/specify two/publish "
same "$(eventlog list --json -n 1000000 | wc -l)" "$n"
same "$(eventlog list --json --since 999999999)" ""
same "$(eventlog list --type Nothing)" ""

it "none of the newest are none, and from 0 on are all"
same "$(eventlog list --json -n 0)" ""
same "$(eventlog list --json -n 0 --type StepCompleted)" ""
same "$(eventlog tail -n 0)" ""
same "$(eventlog list --json --since 0 | wc -l)" "$n"
same "$(eventlog list --json --since 0 -n 1 | jq .seq)" "$n"

it "tail lists the newest ten"
same "$(eventlog tail --json | jq .seq | head -1)" "$((n - 9))"
same "$(eventlog tail -n 3 | tail -n +2 | wc -l)" 3

has_lines() { [ "$(wc -l <"$2")" -ge "$1" ]; }
switches() { sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$1/status"; }
# follows PID LOG: it has the log open, and has slept several times since, as it does while it waits.
follows() {
        local before
        readlink "/proc/$1/fd/"* | grep -qxF "$2" || return 1
        before=$(switches "$1")
        until [ "$(switches "$1")" -gt $((before + 4)) ]; do sleep 0.05; done
}

it "tail -f goes on with what is appended, and ends quietly on a signal"
eventlog tail -f -n 1 --json >followed 2>followed_err &
follower=$!
until_it test -s followed
printf 'terms: [{surface: refund, definition: Money that goes back.}]' >seed.yaml
runs 0 pawl glossary import seed.yaml --scope core
until_it has_lines 2 followed
kill -TERM "$follower"
wait "$follower" || true
same "$(jq .seq followed | tr '\n' ' ')" "$n $((n + 1)) "
is_empty followed_err
n=$((n + 1))

it "tail -n 0 -f shows only what comes"
cp -r .pawl coming
eventlog tail -n 0 -f --json --db coming/events.db >followed 2>followed_err &
follower=$!
until_it follows "$follower" "$PWD/coming/events.db"
runs 0 pawl glossary import seed.yaml --scope team_domain --db coming/events.db
until_it test -s followed
kill -TERM "$follower"
wait "$follower" || true
same "$(jq .seq followed | head -1)" "$((n + 1))"

it "a path that can name no log is said to be that, and nobody is told to make one there"
fails 1 '^eventlog: none/: names a directory, not a log; add the name of a file$' eventlog head --db none/

it "tail -f waits for a log that is not there yet, and then shows it whole"
eventlog tail -n 1 -f --json --db later/events.db >followed 2>followed_err &
follower=$!
until_it test -s followed_err
same "$(cat followed_err)" "eventlog: waiting for a log: later/events.db: there is no log; make one with \`pawl init --db 'later/events.db'\`, or name another"
mkdir later
runs 0 pawl init --db later/events.db
runs 0 pawl glossary import seed.yaml --scope core --db later/events.db
runs 0 pawl glossary import seed.yaml --scope team_domain --db later/events.db
until_it has_lines 2 followed
same "$(jq .seq followed | tr '\n' ' ')" "1 2 "

it "tail -f says so when the log is replaced, instead of waiting for ever"
mv later/events.db later/moved.db
code=0
wait "$follower" || code=$?
same "$code" 1
same "$(tail -n 1 followed_err)" "eventlog: $PWD/later/events.db: the log that was followed is not there any more; start again"
fails 1 "^eventlog: later/events.db: there is no log" eventlog tail --db later/events.db

it "tail -f ends when its reader goes away, also while there is no log"
timeout 60 eventlog tail -f --db never/events.db 2>err | true
same "${PIPESTATUS[0]}" 0

it "tail -f ends when its reader goes away"
timeout 60 eventlog tail -f | head -1 >/dev/null

it "show prints one event, whole, laid out"
runs 0 eventlog show 1
same "$(jq -c . out)" "$(head -1 all)"
says '^  "seq": 1,$' out
fails 1 "^eventlog: .*999" eventlog show 999

it "stats counts by type, mission and run"
runs 0 eventlog stats --json
jq -e --argjson n "$n" '.events == $n and (.types | map(.count) | add) == $n and
        (.types | map(.bytes) | add) == .bytes and (.types == (.types | sort_by(.type))) and
        (.missions | map(.mission_id)) == ["refund-service"] and (.runs | map(.run_id)) == ["one", "two"] and
        .head.seq == $n and (.head.hash | length) == 64' out >/dev/null
runs 0 eventlog stats
says "^$n events" out
says '^StepCompleted +6 ' out

it "replay prints the state that the events mean, the same bytes each time and anywhere"
runs 0 eventlog replay --json
cp out first
jq -e '(.runs | map(.run_id + " " + .status)) == ["one completed", "two completed"] and
        (.runs[0].steps | map(.step_id)) == ["research", "specify", "publish"] and
        (.runs[0].steps[0] | keys_unsorted) == ["step_id","status","input_hash","output_hash","retry_token","cursor"] and
        (.conflicts | length) == 1 and (.glossary | length) == 4 and (.sessions | length) == 3' first >/dev/null
same "$(jq -c keys_unsorted first)" '["head","runs","checkpoints","conflicts","glossary","sessions","workspace_checkpoints","rollbacks"]'
mkdir elsewhere
pawl backup elsewhere/copy.db >/dev/null # what was followed above may stand in the write-ahead log still
(cd elsewhere && TZ=Asia/Tokyo LC_ALL=C COLUMNS=20 runs 0 eventlog replay --json --db copy.db && cmp out ../first)
runs 0 eventlog replay
cp out first
(cd elsewhere && TZ=Asia/Tokyo LC_ALL=C COLUMNS=20 runs 0 eventlog replay --db copy.db && cmp out ../first)

it "replay --until shows it as it was"
blocked=$(jq -r 'select(.type == "GenerationBlockedBySemanticConflict").seq' all | head -1)
runs 0 eventlog replay --json --until "$blocked"
jq -e --argjson seq "$blocked" '.head.seq == $seq and (.runs | length) == 1 and .runs[0].status == "blocked"' out >/dev/null
runs 0 eventlog replay --json --until 999999
same "$(jq .head.seq out)" "$n"

it "replay takes a mission, a run, a step, and lists the events"
same "$(eventlog replay --json --run two | jq -r '.runs | map(.run_id) | join(" ")')" two
same "$(eventlog replay --json --mission nobody | jq '.runs | length')" 0
same "$(eventlog replay --json --run one --step specify | jq -r '.runs[0].steps | map(.step_id) | join(" ")')" specify
runs 0 eventlog replay --json --events --run two
same "$(jq -r '.events | map(.run_id) | unique | join(" ")' out)" two
runs 0 eventlog replay --events
says "^  $n  GlossarySenseUpdated" out

it "replay --check finds what the state tables have otherwise, and init --rebuild mends it"
runs 0 eventlog replay --check
says "^check: the state tables say the same$" out
sqlite3 .pawl/events.db "UPDATE runs SET status = 'failed' WHERE run_id = 'one'"
runs 5 eventlog replay --check
[ "$(wc -l <err)" -eq 1 ]
says "^eventlog: .*runs.*one.*status" err
runs 0 pawl init --rebuild
runs 0 eventlog replay --check

it "a copy in a directory that cannot be written is read"
mkdir frozen
cp .pawl/events.db frozen/
chmod 500 frozen
chmod 400 frozen/events.db
for cmd in "head" "verify" "list" "tail" "stats" "export" "replay" "replay --json --check" "show 1"; do
        if [ "$(id -u)" -eq 0 ]; then
                # shellcheck disable=SC2086
                runs 0 setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all \
                        "$(command -v eventlog)" $cmd --db frozen/events.db
        else
                # shellcheck disable=SC2086
                runs 0 eventlog $cmd --db frozen/events.db
        fi
done
same "$(ls frozen)" events.db

it "a listing of any length keeps its columns"
{
        echo "terms:"
        for i in $(seq 300); do echo "  - {surface: term $i, definition: The number $i.}"; done
} >many.yaml
runs 0 pawl glossary import many.yaml --scope core
runs 0 eventlog list
same "$(wc -l <out)" "$((n + 301))"
same "$(tail -n 250 out | awk '{print index($0, "Glossary")}' | sort -u | wc -l)" 1
runs 0 pawl glossary list
same "$(wc -l <out)" 305

it "an empty log is no error"
remove_log
runs 0 pawl init
for cmd in "head" "verify" "list" "tail" "stats" "export" "replay" "replay --check"; do
        # shellcheck disable=SC2086
        runs 0 eventlog $cmd
done
fails 1 "^eventlog: " eventlog show 1

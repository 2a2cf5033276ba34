# What is unfinished, why, and what to type; a resume without a name; ids by their beginnings; suggestions with --db.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
cat >fails.yaml <<'END'
mission: fails
steps:
  - {id: one, run: [test, -e, mended]}
END

it "in a log without runs nothing is unfinished"
runs 0 pawl init
runs 0 pawl status
sqlite=$(pkg-config --modversion sqlite3)
same "$(cat out)" "nothing is queued, blocked, failed, interrupted or running
SQLite $sqlite"
same "$(pawl status --json)" '{"runs":[],"sqlite_version":"'"$sqlite"'","worktree":null}'
fails 1 'nothing to resume: no run is interrupted' pawl resume

it "what is blocked and what failed says why and what to type"
runs 3 pawl run mission.yaml --run 22a9f3b1-0000-4000-8000-000000000001 --no-input
runs 1 pawl run fails.yaml --run bad
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl status
is_empty err
same "$(cat out)" "failed       fails, run bad: 0/1 steps, at one
             step one: exit code 1
             pawl resume bad
blocked      refund-service, run 22a9f3b1: 1/3 steps, at specify
             \"workspace\" is ambiguous
             pawl resolve ${conflict:0:8} --pick N
SQLite $sqlite"
same "$(pawl status --json | jq -c '.runs[] | [.run_id, .mission_id, .status, .steps_completed, .steps_total, .current_step, .conflicts, .why, .next]' | unnamed)" \
        '["bad","fails","failed",0,1,"one",[],"step one: exit code 1","pawl resume bad"]
["22a9f3b1-0000-4000-8000-000000000001","refund-service","blocked",1,3,"specify",["'"$conflict"'"],"\"workspace\" is ambiguous","pawl resolve '"$conflict"' --pick N"]'

it "without a name the one run that failed is resumed, and what waits for an answer is not"
runs 1 pawl resume
says '^pawl: going on with mission fails, run bad$' err
runs 0 pawl cancel bad
before=$(eventlog head)
runs 1 pawl resume
says '^blocked +refund-service' out
same "$(wc -l <err)" 1
says '^pawl: nothing to resume: no run is interrupted, failed, or blocked with its answers in; `pawl status` lists' err
same "$(eventlog head)" "$before"

it "ids are taken by what they alone begin with, from four characters on"
runs 0 pawl runs --id 22a9 --json
same "$(jq -r .run_id out)" 22a9f3b1-0000-4000-8000-000000000001
fails 1 'run 22a: is not in this log' pawl runs --id 22a
runs 3 pawl resume 22a9
runs 0 eventlog list --run 22a9 --type RunStarted --json
same "$(jq -r .run_id out)" 22a9f3b1-0000-4000-8000-000000000001
same "$(eventlog export --run 22a9 | wc -l)" "$(eventlog export --run 22a9f3b1-0000-4000-8000-000000000001 | wc -l)"
same "$(eventlog replay --run 22a9 --json | jq -r '.runs[].run_id')" 22a9f3b1-0000-4000-8000-000000000001
same "$(pawl output 22a9 research --json | jq -r .run_id)" 22a9f3b1-0000-4000-8000-000000000001
runs 0 pawl logs 22a9 research --json
fails 1 'session sess: is more than one \(session-[^ ]*, session-[^ ]*' pawl sessions --id sess
mkdir elsewhere
runs 1 pawl run fails.yaml --db elsewhere/events.db
same "$(pawl sessions --id sess --json --db elsewhere/events.db | jq length)" 1
runs 3 pawl run mission.yaml --run 22a9f3b1-0000-4000-8000-000000000002 --no-input
before=$(eventlog head)
fails 1 'resume 22a9: is more than one \(22a9f3b1-0000-4000-8000-000000000001, 22a9f3b1-0000-4000-8000-000000000002\); give more of it' \
        pawl resume 22a9
fails 1 'run 22a9: is more than one' pawl runs --id 22a9
fails 1 'run 22a9: is more than one' eventlog export --run 22a9
same "$(eventlog head)" "$before"

it "tables show as much of an id as names it"
runs 0 pawl runs
says '^bad ' out
says '^22a9f3b1-0000-4000-8000-000000000001 ' out
runs 3 pawl run mission.yaml --run 4711aaaa-0000-4000-8000-000000000003 --no-input
runs 0 pawl runs
says '^4711aaaa ' out
runs 0 pawl conflicts
says "^${conflict:0:8}  \"workspace\"" out
runs 0 eventlog list --type RunStarted
says ' 4711aaaa ' out

it "the one run whose answers are in goes on, and it is said which it is"
runs 0 pawl resolve "${conflict:0:4}" --pick 1
says '^ *(22a9|pawl)' <(pawl status | grep -A2 22a9f3b1-0000-4000-8000-000000000001)
says 'its answers are in' <(pawl status)
runs 0 pawl resume
says '^pawl: going on with mission refund-service, run 22a9f3b1-0000-4000-8000-000000000001$' err
same "$(tail -1 out)" "run 22a9f3b1-0000-4000-8000-000000000001: completed, 3 of 3 steps completed"

it "a run whose process died is interrupted, not running"
cat >slow.yaml <<'END'
mission: slow
steps:
  - {id: one, run: [sh, -c, "touch at-work; exec sleep 60"]}
END
pawl run slow.yaml --run busy >/dev/null 2>&1 </dev/null &
pid=$!
await at-work
says "^running +slow, run busy: 0/1 steps, at one\$" <(pawl status)
says "^ +pid $pid on " <(pawl status)
lacks '^ *$' <(pawl status)
kill -KILL "$pid"
wait "$pid" || true
says '^interrupted +slow, run busy' <(pawl status)
same "$(pawl status --json | jq -r '.runs[] | select(.run_id == "busy") | .next' | unnamed)" "pawl resume busy"

it "a run that failed while a question of it is open says both"
cat >both.yaml <<'END'
mission: both
steps:
  - {id: ask, ask: {question: "Go on?", options: [yes, no]}}
  - {id: fail, needs: [], run: [sh, -c, "exit 4"]}
END
runs 1 pawl run both.yaml --run both --no-input
same "$(pawl status --json | jq -r '.runs[] | select(.run_id == "both") | .why')" 'step fail: exit code 4; asks "Go on?"'

it "a run whose steps were rolled back says so"
printf 'mission: back\nsteps:\n  - {id: one, run: [touch, a]}\n  - {id: two, run: [touch, b]}\n' >back.yaml
runs 0 pawl run back.yaml --run back
runs 0 pawl rollback @one --yes
same "$(pawl status --json | jq -r '.runs[] | select(.run_id == "back") | .why')" "rolled back"

it "suggestions quote ids where a shell would read more into them"
printf "mission: quoted\nsteps:\n  - {id: \"it's step one\", run: [sh, -c, \"echo no >&2; test -e ready\"]}\n" >quoted.yaml
runs 1 pawl run quoted.yaml --run "run's one"
# shellcheck disable=SC2016
eval "$(sed -nE 's/.*`(pawl logs [^`]*)`.*/\1/p' err)" >out
same "$(cat out)" no
touch ready
# shellcheck disable=SC2016
eval "$(sed -nE 's/.*`(pawl resume [^`]*)`.*/\1/p' err)" >out
same "$(tail -1 out)" "run run's one: completed, 1 of 1 steps completed"

! on_server || exit 0 # a path is named from here on

it "suggestions name the log where the command did, and work as they are printed"
mv .pawl "log of mine"
runs 1 pawl --db "log of mine/events.db" run fails.yaml --run again --fresh
says "go on with \`pawl resume again --db 'log of mine/events.db'\` after" err
touch mended
eval "$(sed -nE 's/.*`(pawl resume [^`]*)`.*/\1/p' err)" >out
same "$(tail -1 out)" "run again: completed, 1 of 1 steps completed"
runs 0 env PAWL_DB="log of mine/events.db" pawl status
says "^ +pawl resume busy --db 'log of mine/events.db'\$" out
sed 's/^mission: .*/mission: another/' mission.yaml >another.yaml
runs 3 env PAWL_DB="log of mine/events.db" pawl run another.yaml --no-input
says "answer with \`pawl resolve [0-9a-f]{16} --pick N --db 'log of mine/events.db'\`" err

it "where the log has no room for what a look finds, the look tells it all the same"
rm -rf "log of mine" tight && mkdir tight && cd tight
cat >due.yaml <<'SUB'
mission: due
steps:
  - {id: ask, ask: {question: "Go on?", within: 2s, otherwise: no}}
SUB
printf 'mission: dies\nsteps:\n  - {id: one, run: [sh, -c, "touch began; sleep 60"]}\n' >dies.yaml
head -c 100000 /dev/urandom >file
pawl run dies.yaml --run dies >/dev/null 2>&1 &
await began
runs 3 pawl run due.yaml --run due # the -wal is longer by now than what follows may write
kill -KILL $!
wait $! 2>/dev/null || true
before=$(eventlog head)
sleep 2
limit=$(($(stat -c %s .pawl/events.db-wal) / 1024))
for look in status runs sessions handoff "runs --id dies" conflicts checkpoints workers; do
        # shellcheck disable=SC2086
        runs 0 sh -c "ulimit -f $limit; exec pawl $look"
        is_empty err
        [ "$look" != status ] || same "$(tail -3 out | head -2)" "             process died
             pawl resume dies"
done
same "$(eventlog head)" "$before"
runs 0 pawl status
same "$(events SessionEnded)" 2

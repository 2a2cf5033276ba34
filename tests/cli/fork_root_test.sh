# The directory that a fork has for itself finds the fork's log, where that lies elsewhere.
. "$SOURCE_DIR/tests/cli/shared.sh"
unset PAWL_DB
mkdir main
cd main
cat >m.yaml <<'END'
mission: m
steps:
  - id: one
    run: [sh, -c, 'echo 1 >one']
  - id: two
    run: [sh, -c, 'echo 2 >two']
END
runs 0 pawl run m.yaml --run r
runs 0 pawl fork r --from two --dir ../fork
fork=$(cat out)
cd ../fork
mkdir deep

it "the log is named there, for its user alone"
same "$(cat .pawl/log)" "$(realpath ../main/.pawl/events.db)"
same "$(stat -c %a .pawl .pawl/log)" "700
600"

it "status, checkpoints and resume are about the fork's log, and its run"
runs 0 pawl status --json
same "$(jq -r '[.runs[].run_id] | join(" ")' out)" "$fork"
runs 0 pawl runs --json
same "$(jq length out)" 2
runs 0 pawl checkpoints --json
same "$(jq -c . out)" "[]"
runs 0 pawl checkpoints --all --json
same "$(jq length out)" 3
cd deep
runs 0 pawl resume
cd ..
same "$(cat two)" 2
runs 0 pawl checkpoints --json
same "$(jq -r '[.[].run_id] | unique | join(" ")' out)" "$fork"

it "what works on files is about those of the log, and is refused here: no second log begins"
for command in "checkpoint mine" "run m.yaml" "rollback 1 --yes" "undo --yes" "diff 1"; do
        fails 1 "^pawl: directory .*/fork: is run $fork's own, of the log .*/main/.pawl/events.db; .pawl resume $fork. continues it, .pawl init. makes a log for other work here\$" pawl $command
done
echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Write","tool_input":{"file_path":"x"}}' >../call
pawl hook --agent claude <../call >../out 2>../err
says '^pawl: directory ' ../err
[ ! -e .pawl/events.db ]
runs 0 pawl diff 1 2
same "$(pawl checkpoints --run r --json | jq length)" 3

it "it is believed only if nobody else can have written it, and the log knows the directory"
chmod 666 .pawl/log
fails 1 '/fork/\.pawl/log: others may write it' pawl status
chmod 600 .pawl/log
mv ../fork ../moved
cd ../moved
fails 1 "^pawl: .*/moved/.pawl/log: names the log .*, which has no run $fork there; name the log with --db\$" pawl status
runs 0 pawl status --db ../main/.pawl/events.db
cd ..
mv moved fork
mkdir other
(cd other && pawl init >/dev/null)
realpath other/.pawl/events.db >fork/.pawl/log
cd fork
fails 1 "which has no run $fork there" pawl checkpoints
realpath ../main/.pawl/events.db >.pawl/log
runs 0 pawl status

it "a log that is gone: 1, naming --db, and no other one is used or made"
mv ../main ../away
fails 1 '^pawl: .*/fork/\.pawl/log: names the log .*/main/\.pawl/events\.db, which is not there; name where it is now with --db$' pawl status
fails 1 'name where it is now with --db$' pawl checkpoint
fails 1 'name where it is now with --db$' pawl resume
[ ! -e .pawl/events.db ]
runs 0 pawl runs --db ../away/.pawl/events.db

it "a log that lies in the directory itself comes first"
runs 0 pawl init
runs 0 pawl checkpoint mine
same "$(pawl checkpoints --json | jq length)" 1
mv ../away ../main

it "within the workspace of the log, commands are about that, as in any directory of it"
cd ../main
runs 0 pawl fork r --from two --dir inside
cd inside
runs 0 pawl checkpoint here --json
jq -e '.root == "."' out >/dev/null

# Which run's steps go back with a workspace, where the checkpoint was taken in no run.
. "$SOURCE_DIR/tests/cli/shared.sh"

printf '%s\n' out err >.pawlignore
cat >one.yaml <<'M'
mission: one
steps:
  - {id: s, run: [sh, -c, "echo x >>one.txt"]}
M
sed 's/one/two/g' one.yaml >two.yaml
cat >fails.yaml <<'M'
mission: fails
steps:
  - {id: s, run: [sh, -c, "echo x >>s.txt"]}
  - {id: t, run: [sh, -c, "test -e may && echo x >>t.txt"]}
M
cat >asks.yaml <<'M'
mission: asks
steps:
  - {id: s, run: [sh, -c, "echo x >>s.txt"]}
  - {id: approve, ask: {question: "Go on?", options: [yes, no]}}
M
# steps: each run, its status, and those of its steps.
steps() {
        eventlog replay --json | jq -c '[.runs[] | [.run_id, .status, (.steps[] | .status)]] | sort'
}
begin() {
        forget_log
        rm -f ./*.txt may
        pawl init >/dev/null
        runs 0 pawl checkpoint before
}
# safety: the number of the safety copy of the last rollback.
safety() {
        pawl rollbacks --json | jq '.[-1].safety'
}
# there_and_back: to the checkpoint that was taken before the run; back by undos, and by the numbers of safety copies.
there_and_back() {
        local before after files
        before=$(steps) files=$(cat ./*.txt)
        runs 0 pawl rollback 1 --yes
        after=$(steps)
        [ "$after" != "$before" ]
        runs 0 pawl undo --yes
        same "$(steps)" "$before"
        same "$(cat ./*.txt)" "$files"
        runs 0 pawl redo --yes
        same "$(steps)" "$after"
        runs 0 pawl undo --yes
        same "$(steps)" "$before"
        runs 0 pawl rollback 1 --yes
        same "$(steps)" "$after"
        runs 0 pawl rollback "$(safety)" --yes
        says '^  step    .* of run .* is .* again$' out
        same "$(steps)" "$before"
        same "$(cat ./*.txt)" "$files"
        runs 0 pawl rollback "$(safety)" --yes
        same "$(steps)" "$after"
        runs 0 pawl undo --yes
        same "$(steps)" "$before"
        runs 0 eventlog replay --check
}

it "the steps of a run that began after the checkpoint come back with an undo, and by the safety copy"
begin
runs 0 pawl run one.yaml --run r1
there_and_back
runs 0 pawl resume r1
same "$(cat one.txt)" x

it "so they do where the run failed, and where it was resumed"
begin
runs 1 pawl run fails.yaml --run r1
there_and_back
touch may
runs 0 pawl resume r1
there_and_back

it "and where it waits for an answer"
begin
runs 3 pawl run asks.yaml --run r1
there_and_back

it "of two runs the later one goes back, and both are what they were"
begin
runs 0 pawl run one.yaml --run r1
runs 0 pawl run two.yaml --run r2
there_and_back

it "an agent's checkpoint is as good"
begin
runs 0 pawl tool checkpoint '{"calls":[{"callId":"c","name":"replace","args":{}}]}'
name=$(sed -n 's/^c (replace): //p' out)
runs 0 pawl run one.yaml --run r1
before=$(steps)
runs 0 pawl restore "$name"
runs 0 pawl undo --yes
same "$(steps)" "$before"
there_and_back

it "a run that went on since is what it was at the copy"
begin
runs 0 pawl run one.yaml --run r1
runs 0 pawl rollback 1 --yes
copy=$(safety)
echo more >more.txt
runs 0 pawl checkpoint
runs 0 pawl resume r1
echo x >>one.txt
runs 0 pawl rollback "$copy" --yes
same "$(steps)" '[["r1","completed","completed"]]'
same "$(cat one.txt)" x

it "a checkpoint on another line than the run has its steps, too"
runs 0 pawl rollback 4 --yes
same "$(steps)" '[["r1","interrupted","pending"]]'
[ ! -e one.txt ]
runs 0 pawl undo --yes
same "$(steps)" '[["r1","completed","completed"]]'
runs 0 eventlog replay --check

it "a rollback of some paths names no other run"
begin
runs 0 pawl run one.yaml --run r1
runs 0 pawl rollback 1 --yes -- one.txt
copy=$(safety)
before=$(steps)
runs 0 pawl rollback 1 --yes
runs 0 pawl rollback "$copy" --yes
same "$(steps)" "$before"

it "a step that the mission has no more is skipped again"
begin
runs 1 pawl run fails.yaml --run r1
cp fails.yaml kept.yaml
sed -i '/id: t/d' fails.yaml
runs 0 pawl resume r1 --accept-changed-mission
before=$(steps)
runs 0 pawl rollback 1 --yes
runs 0 pawl undo --yes
same "$(steps)" "$before"
runs 0 eventlog replay --check
mv kept.yaml fails.yaml

if ! on_server; then
it "an undo that was interrupted goes on, and its steps come back"
begin
runs 0 pawl run one.yaml --run r1
before=$(steps)
runs 0 pawl rollback 1 --yes
can_be_killed
cp -r .pawl "$kept/"
at=$(first_call 'renameat2 one.txt' pawl undo --yes)
remove_log
rm -rf one.txt && cp -r "$kept/.pawl" .
killed_at "$at" pawl undo --yes
fails 1 'was interrupted' pawl checkpoint
runs 0 pawl rollback --finish --yes
same "$(steps)" "$before"
same "$(cat one.txt)" x
runs 0 eventlog replay --check
fi

it "each run is replayed alone as in the whole log"
runs_replay_alone

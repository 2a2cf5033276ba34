# Needs PAWL_WITH_ARCHIVE.
# Checkpoints of the workspace: taken by hand and by runs, listed, shown, compared.
. "$SOURCE_DIR/tests/cli/shared.sh"

# checkpoint FIELD [PICK]: of the newest, or of what PICK picks, as `checkpoints --json` has it.
checkpoint() {
        pawl checkpoints --json | jq -r "${2:-.[-1]} | .$1"
}

it "without a checkpoint there is a helpful line"
runs 0 pawl init
runs 0 pawl checkpoints
says '^no checkpoints of the workspace; `pawl checkpoint` takes one, and `pawl run MISSION` one after each step$' out
same "$(pawl checkpoints --json)" "[]"
fails 1 'checkpoint 1: there is none; `pawl checkpoints` lists them' pawl show 1

it "one by hand keeps every file, and says what it did not keep"
mkdir -p src/deep build empty
echo one >src/one.c
echo two >'src/deep/a name
of two lines'
ln -s nowhere src/link
mkfifo src/pipe
echo built >build/out
echo build/ >.gitignore
printf '%s\n' out err patch elsewhere >.pawlignore
head -c 2000 /dev/zero >large
runs 0 pawl checkpoint "Before the great change" --max-file 1K
says '^checkpoint 1 \(cp-01-before-the-great-change-[0-9]{8}-[0-9]{6}\): 4 files, ' out
says '4 captured, 0 unchanged, 3 ignored, 1 too large, 1 special$' out
says '^  not captured: large \(too large\)$' out
says '^  not captured: src/pipe \(special\)$' out
says '`pawl rollback 1` comes back$' out
same "$(checkpoint trigger) $(checkpoint n) $(checkpoint files) $(checkpoint valid) $(checkpoint current)" \
        "manual 1 4 true true"
same "$(checkpoint description)" "Before the great change"

it "the next one reads only what changed, and keeps to the size that was given"
sleep 0.1
runs 0 pawl checkpoint --json
same "$(jq -r '"\(.n) \(.captured) \(.unchanged) \(.too_large)"' out)" "2 0 4 1"
same "$(jq -c '.not_captured' out)" \
        '[{"path":"large","why":"too large"},{"path":"src/pipe","why":"special"}]'
same "$(checkpoint tree '.[0]')" "$(checkpoint tree '.[1]')"
echo more >>src/one.c
runs 0 pawl checkpoint --json --actor agent:builder
same "$(jq -r '"\(.captured) \(.unchanged)"' out)" "1 3"
same "$(eventlog list --json | jq -r .actor | tail -n 1)" agent:builder

it "they are listed with the one that the workspace stands at"
runs 0 pawl checkpoints
says '^ *N +ID +STEP +DESCRIPTION +TRIGGER +CHANGES +FILES +SIZE +WHEN +STATE$' out
says '^ *1 +cp-01 +- +Before the great change +manual +- +4 .* ✓$' out
says '^ *3 +cp-03 .* ← current$' out

it "one is shown by number, by the start of its id, and as current"
runs 0 pawl show 1
says '^description +Before the great change$' out
says '^files +4, .*, 2 not captured$' out
says '^  not captured: src/pipe \(special\)$' out
same "$(pawl show 2 --json | jq -c '[.not_captured[].path]')" '["large","src/pipe"]'
same "$(pawl show cp-01 --json | jq .n) $(pawl show current --json | jq .n)" "1 3"
fails 1 'is the start of cp-0. and cp-0.|is the start of cp' pawl show cp-0
fails 1 'checkpoint 9: there is none' pawl show 9
fails 1 'was taken without state; give them with `pawl checkpoint --state FILE`' \
        pawl show 1 --document state

it "an empty name, as of a variable that is not set, and less than four characters name none, were it the only one"
(
        mkdir lone && cd lone
        own_log
        echo one >file
        runs 0 pawl checkpoint
        echo two >file
        for name in "" c cp cp-; do
                fails 1 "checkpoint ('')?$name: there is none; \`pawl checkpoints\` lists them" pawl rollback "$name" --yes
        done
        same "$(cat file)" two
        runs 0 pawl rollback cp-0 --yes
        same "$(cat file)" one
)
rm -rf lone

it "with the files that changed since the one before it, or without where there is none to compare"
same "$(pawl show 3 --json | jq -c '[.base, [.changes[] | [.change, .path, .lines_added]]]')" \
        '[2,[["modified","src/one.c",1]]]'
same "$(pawl show 1 --json | jq -c '[.base, .changes, .state, .outputs, .subject]')" "[null,null,null,null,null]"
runs 0 pawl show 3
says '^changed +1 since checkpoint 2$' out
says '^  M  src/one.c  \+1 -0$' out
runs 0 pawl show 2
says '^changed +0 since checkpoint 1$' out

it "what changed is told by path, with lines, and as a patch that git applies"
runs 0 pawl diff 1 3
says '^checkpoint 1 → checkpoint 3$' out
says '^M  src/one.c  \+1 -0$' out
says '^0 added, 1 modified, 0 removed; \+1 -0 lines$' out
rm src/one.c
echo three >src/three.c
chmod 700 src/deep
runs 0 pawl diff 3
says '^checkpoint 3 → the workspace$' out
says '^D  src/one.c  \+0 -2$' out
says '^A  src/three.c  \+1 -0$' out
says '^M  src/deep/  mode 0... → 0700$' out
pawl diff 3 --patch >patch
mkdir elsewhere
(cd elsewhere && mkdir src && printf 'one\nmore\n' >src/one.c && git apply --unsafe-paths ../patch 2>why || patch -s -p1 <../patch)
[ -f elsewhere/src/three.c ]
[ ! -e elsewhere/src/one.c ]
rm -r elsewhere patch
same "$(pawl diff 3 --json | jq -c '[.files[] | [.change, .path, .lines_added, .lines_removed]]')" \
        '[["modified","src/deep",0,0],["removed","src/one.c",0,2],["added","src/three.c",1,0]]'
runs 0 pawl diff 1 2
says '^no difference$' out

it "state and outputs are kept with it, and compared by member"
echo '{"a": 1, "list": [1, 2]}' >state.json
echo '{"out": "x"}' >outputs.json
runs 0 pawl checkpoint --state state.json --outputs outputs.json
echo '{"a": 2, "list": [1]}' >state.json
runs 0 pawl checkpoint --state state.json --outputs outputs.json
same "$(pawl show current --document state)" '{"a":2,"list":[1]}'
same "$(pawl show 4 --document outputs)" '{"out":"x"}'
same "$(pawl show 4 --json | jq -c '[.state, .outputs]')" '[{"a":1,"list":[1,2]},{"out":"x"}]'
runs 0 pawl show 4
says '^state +\{"a":1,"list":\[1,2\]\}$' out
says '^outputs +\{"out":"x"\}$' out
runs 0 pawl diff 4 5
says '^state.a: 1 → 2$' out
says '^state.list\[1\]: 2 → \(none\)$' out
same "$(pawl diff 4 5 --json | jq -c '[.members[] | [.path, .change]]')" \
        '[["state.a","changed"],["state.list[1]","removed"]]'
echo '{"a": 1, "a": 2}' >state.json
fails 1 'state: .*' pawl checkpoint --state state.json
same "$(checkpoint n)" 5

it "a pinned one says so, and a directory that is nobody's workspace is refused"
runs 0 pawl pin 1
same "$(checkpoint pinned '.[0]')" true
runs 0 pawl pin 1 --off
same "$(checkpoint pinned '.[0]')" false
fails 1 'this log keeps the checkpoints of another root, \.' pawl checkpoint --root /tmp
HOME=$PWD fails 1 'force this one' pawl checkpoint
misused 'is not a size' pawl checkpoint --max-file 1X

it "a run takes one before its first command and after each step, in the transaction that records it"
forget_log
rm -rf src build empty large state.json outputs.json .gitignore
cat >mission.yaml <<'END'
mission: build
steps:
  - {id: first, run: [sh, -c, "echo 1 >first.txt; echo '{\"made\": 1}'"]}
  - {id: second, run: [sh, -c, "echo 2 >second.txt"]}
  - {id: third, run: ["true"]}
END
runs 0 pawl run mission.yaml --run one
same "$(cat out)" "checkpoint 1 (session start)
[1/3] first: completed
checkpoint 2 (@first)
[2/3] second: completed
checkpoint 3 (@second)
[3/3] third: completed
checkpoint 4 (@third)
run one: completed, 3 of 3 steps completed"
same "$(pawl checkpoints --json | jq -c '[.[] | [.n, .step_id, .trigger, .run_id]]')" \
        '[[1,null,"auto","one"],[2,"first","auto","one"],[3,"second","auto","one"],[4,"third","auto","one"]]'
same "$(eventlog export | jq -r .type | head -n 4 | tr '\n' ' ')" "RunClaimed RunStarted SessionStarted WorkspaceCheckpointed "
same "$(pawl diff 2 3 --json | jq -c '[.files[].path]')" '["second.txt"]'
same "$(pawl diff 2 3 --json | jq -r '.members[].path')" 'state.steps.second
outputs.second'
same "$(pawl show 2 --document outputs)" '{"first":{"made":1}}'
runs 0 eventlog replay --check
runs 0 eventlog verify
same "$(eventlog export | jq -r .type | tail -n 5 | tr '\n' ' ')" \
        "StepCompleted SessionCheckpointed WorkspaceCheckpointed RunCompleted SessionEnded "

it "the next run takes none before its first command, as nothing changed; they are told apart by run, session and step"
runs 0 pawl run mission.yaml --run other-one --json
same "$(jq -c '[.checkpoints[] | [.n, .step_id]]' out)" '[[5,"first"],[6,"second"],[7,"third"]]'
same "$(jq -c '[.checkpoints[].id]' out)" "$(pawl checkpoints --json --run other-one | jq -c '[.[].id]')"
session=$(checkpoint session_id)
numbers() {
        pawl checkpoints --json "$@" | jq -c '[.[].n]'
}
same "$(numbers --run one) $(numbers --run othe) $(numbers --step second) $(numbers --session "$session")" \
        "[1,2,3,4] [5,6,7] [3,6] [5,6,7]"
same "$(numbers --run one --step second) $(numbers --step none)" "[3] []"
runs 0 pawl checkpoints --run one --step second
same "$(wc -l <out)" 2
says '^ *3 +cp-03 +second ' out
runs 0 pawl checkpoints --run one --step none
is_empty out
fails 1 'run none: is not in the log; `pawl runs` lists those there are' pawl checkpoints --run none
fails 1 'session none: is not in the log; `pawl sessions`' pawl checkpoints --session none --json

it "a step names its newest checkpoint, wherever one is named"
same "$(pawl show @second --json | jq .n) $(pawl show @first --json | jq .n)" "6 5"
same "$(pawl diff @first @second --json | jq -c '[.a.n, .b.n]')" "[5,6]"
runs 0 pawl pin @first
same "$(checkpoint pinned '.[4]')" true
runs 0 pawl rollback @second --plan --json
same "$(jq .target.n out)" 6
runs 0 pawl validate @second
runs 0 pawl export @second -o second.tar.zst
mkdir -p import && (cd import && pawl init --db .pawl/events.db >/dev/null && pawl import ../second.tar.zst --db .pawl/events.db >/dev/null)
fails 1 '^pawl: checkpoint @second: there is none of that step; .* lists them' \
        pawl show @second --db import/.pawl/events.db
fails 1 '^pawl: checkpoint @: there is none of that step' pawl show @
rm -r import second.tar.zst

it "what the first step removes, or a hand changed since the last run, can be restored"
echo precious >data.txt
printf 'mission: removes\nsteps: [{id: a, run: [rm, data.txt]}]\n' >removes.yaml
runs 0 pawl run removes.yaml
[ ! -e data.txt ]
runs 0 pawl rollback "$(pawl checkpoints --json | jq '.[-2].n')" --yes
same "$(cat data.txt)" precious
same "$(checkpoint 'description, .step_id, .run_id != null' '.[-3]' | xargs)" "session start null true"
rm removes.yaml data.txt

it "a mission may say that it takes none, what is no part of it, and where it is"
forget_log
rm -rf first.txt second.txt
printf 'workspace: {checkpoint: manual}\n' >>mission.yaml
runs 0 pawl run mission.yaml
same "$(pawl checkpoints --json)" "[]"
sed -i 's/^workspace:.*/workspace: {root: ., exclude: ["*.log", mission.yaml]}/' mission.yaml
echo noise >a.log
runs 0 pawl run mission.yaml --fresh
same "$(checkpoint files)" 3
runs 0 pawl checkpoint
same "$(checkpoint files)" 3
sed -i 's/^workspace:.*/workspace: {checkpoint: often}/' mission.yaml
fails 1 'workspace.checkpoint: .*each_step, manual or off' pawl run mission.yaml --fresh

if ! on_server; then
it "where .pawl is a link, the workspace is what holds the link, and not what it leads to"
mkdir linked linked/here linked/there
(cd linked/there && pawl init --db .pawl/events.db >/dev/null)
ln -s ../there/.pawl linked/here/.pawl
echo mine >linked/here/mine
same "$(cd linked/here && pawl checkpoint --json | jq -r '.files, .root')" "1
$PWD/linked/here"
echo other >linked/here/mine
(cd linked/here && pawl rollback 1 --yes >/dev/null)
same "$(cat linked/here/mine) $(cd linked/there && pawl show 1 --json | jq -r .root)" "mine $PWD/linked/here"
rm -r linked
fi

it "one that cannot be taken stops no step, and is said once"
sed -i '/^workspace:/d' mission.yaml
forget_log
HOME=$PWD runs 0 pawl run mission.yaml
same "$(grep -c 'no checkpoint of the workspace was taken: .*force this one' err)" 1
runs 0 pawl checkpoints --json
same "$(cat out)" "[]"

it "and stays in the log, with its reason, as long as no later one was taken"
same "$(eventlog export | jq -r 'select(.type == "WorkspaceCheckpointFailed") | .step_id' | tr '\n' ' ')" \
        "null first second third "
same "$(eventlog export | jq -r 'select(.type == "WorkspaceCheckpointFailed") | .payload.reason' | grep -c "force this one")" 4
says '^pawl: 4 could not be taken since, the last at seq [0-9]+: .*force this one' err
runs 0 eventlog replay --check
runs 0 pawl checkpoint after
runs 0 pawl checkpoints
is_empty err

it "a step's own checkpoint is that step's"
cat >own.yaml <<'END'
mission: own
workspace: {checkpoint: manual}
steps:
  - {id: only, run: [sh, -c, "pawl checkpoint inside --json"]}
END
runs 0 pawl run own.yaml --run own-run
same "$(checkpoint step_id) $(checkpoint run_id) $(checkpoint trigger)" "only own-run manual"

it "where git stands is kept, and the commits between are told"
forget_log
git init -q -b main . && git config user.email a@b && git config user.name c
git add -A && git commit -qm 'The first one'
runs 0 pawl checkpoint
same "$(checkpoint git.branch) $(checkpoint git.head)" "main $(git rev-parse HEAD)"
echo more >more.txt && git add more.txt && git commit -qm 'The second one'
runs 0 pawl diff 1
says "^git: $(git rev-parse --short=12 HEAD~1) → $(git rev-parse --short=12 HEAD), 1 commit; 1 file, \+1 -0 lines$" out
says 'The second one$' out
same "$(pawl show 1 --json | jq -r .subject)" "The first one"
runs 0 pawl show 1
says '^subject +The first one$' out
rm -rf .git
same "$(pawl show 1 --json | jq -r .subject)" null
runs 0 pawl show 1
lacks '^subject' out


it "each run is replayed alone as in the whole log"
runs_replay_alone

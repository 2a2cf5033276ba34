# Sessions and runs belong to the work tree that they began in: what is chosen is this one's, and another's is named.
. "$SOURCE_DIR/tests/cli/shared.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
top=$PWD
printf 'mission: m\nsteps:\n  - {id: a, run: [touch, a]}\n  - {id: b, run: [test, -e, go]}\n' >m.yaml
git init -q main
cp m.yaml main/
git -C main add .
git -C main -c user.name=A -c user.email=a@example.com commit -qm first
git -C main worktree add -q "$top/side" -b side
hook() { jq -nc --arg e "$1" --arg s "$2" '{hook_event_name: $e, session_id: $s, source: "startup"}' | pawl hook --agent "${3:-claude}"; }
newest() { pawl sessions --latest --json | jq -r '.[0].session_id'; }

it "a session's start tells of the last session of its own work tree"
cd main
runs 0 pawl session start --mission of-main --step one
main=$(newest)
cd ../side
hook SessionStart first >out
lacks "$main" out
runs 0 pawl session start --mission of-side --step two
side=$(newest)
[ "$side" != "$main" ]
hook SessionStart second >out
says "HANDOFF $side" out
cd ../main
hook SessionStart third >out
says "HANDOFF $main" out

it "the session that is meant is this work tree's"
runs 0 pawl session end --mission claude:third
runs 0 pawl session update --step three
same "$(pawl sessions --id "$main" --json | jq -r '.[0].current_step')" three
runs 0 pawl checkpoint --json
same "$(pawl checkpoints --json | jq -r '.[0].session_id')" "$main"

it "a session of an agent that does not report its end ends those of its own work tree alone"
(cd ../side && hook SessionStart codex-side codex >/dev/null)
hook SessionStart codex-main codex >/dev/null
same "$(pawl sessions --mission codex:codex-side --json | jq -r '.[0].status')" active
hook SessionStart codex-next codex >/dev/null
same "$(pawl sessions --mission codex:codex-main --json | jq -r '.[0].status')" interrupted

it "the handoff without a name is of this work tree; one of another says which"
runs 0 pawl handoff --mission of-side
says "^HANDOFF $side" out
says "^Work tree: $top/side\$" out
same "$(pawl handoff "$side" --json | jq -r '.worktree.path')" "$top/side"
same "$(pawl handoff "$main" --json | jq -r '.worktree')" null
(cd ../side && runs 0 pawl handoff "$main" && says "^Work tree: $top/main\$" out)
git worktree add -q ../bare -b bare
(cd ../bare && runs 1 pawl handoff && says 'no session yet in this work tree' err)
same "$(pawl sessions --json | jq -r --arg s "$side" '.[] | select(.session_id == $s).worktree.path')" "$top/side"

it "status and runs say which work tree a run is of, and how to continue there"
cd ../side
runs 1 pawl run m.yaml --run of-side
cd ../main
runs 0 pawl status
says "work tree $top/side" out
command=$(sed -n 's/^ *\(cd .* pawl resume .*\)$/\1/p' out)
same "$command" "cd '$top/side' && pawl resume of-side"
same "$(pawl status --json | jq -r '.runs[0] | .worktree.path, .next')" "$top/side
cd '$top/side' && pawl resume of-side"
pawl handoff "$(pawl runs --id of-side --json | jq -r .session_id)" >out
same "$(tail -1 out)" "cd '$top/side' && pawl resume of-side"
same "$(pawl runs --id of-side --json | jq -r .worktree.path)" "$top/side"

it "nothing is resumed, and nothing asked about, that is another work tree's"
runs 1 pawl resume
says '^pawl: nothing to resume' err
runs 1 pawl resume of-side
says "its files are in another work tree, $top/side" err
runs 1 pawl run m.yaml --run of-main

touch ../side/go
(eval "$command") >out 2>err || { cat err; false; }
same "$(pawl runs --id of-side --json | jq -r .status)" completed
touch go
runs 0 pawl resume of-main

it "what is suggested names a work tree that was moved by its place now"
rm go ../side/go
runs 1 pawl run m.yaml --run here --fresh
(cd ../side && runs 1 pawl run m.yaml --run moved --fresh && runs 0 pawl session start --mission stays --step s)
stays=$(pawl sessions --mission stays --json | jq -r '.[0].session_id')
git worktree move ../side "../a place"
now="$top/a place"
runs 0 pawl status
says "moved: .*, in work tree $now\$" out
command=$(sed -n 's/^ *\(cd .* pawl resume .*\)$/\1/p' out)
same "$command" "cd '$now' && pawl resume moved"
same "$(pawl status --json | jq -r '.runs[] | select(.run_id == "moved") | .worktree.path, .next')" "$now
$command"
same "$(pawl runs --id moved --json | jq -r '.worktree.path, .go_on')" "$now
$command"
session=$(pawl runs --id moved --json | jq -r .session_id)
same "$(pawl handoff "$session" | tail -1)" "$command"
same "$(pawl handoff "$session" --json | jq -r '.worktree.path, .go_on')" "$now
$command"
same "$(pawl sessions --id "$session" --json | jq -r '.[0].worktree.path')" "$now"
runs 1 pawl resume moved
says "its files are in another work tree, $now" err
touch "../a place/go"
(eval "$command") >out 2>err || { cat err; false; }
same "$(pawl runs --id moved --json | jq -r .status)" completed
(eval "$(pawl handoff "$stays" | tail -1)") >out 2>err || { cat err; false; }
rm "../a place/go"

it "and says that one is gone that was removed"
(cd "../a place" && runs 1 pawl run m.yaml --run gone --fresh)
session=$(pawl runs --id gone --json | jq -r .session_id)
git worktree remove --force "../a place"
runs 0 pawl status
says "its work tree $now was removed; \`pawl cancel gone\` ends it\$" out
same "$(pawl status --json | jq '.runs[] | select(.run_id == "gone").next')" null
same "$(pawl handoff "$session" --json | jq .go_on)" null
pawl handoff "$session" >out
says "^Its work tree $now was removed; \`pawl cancel gone\` ends it\.\$" out
runs 1 pawl resume gone
says "run gone: its work tree $now was removed; \`pawl cancel gone" err
runs 0 pawl cancel gone
touch go
runs 0 pawl resume here

it "the log verifies and replays"
runs 0 eventlog verify
runs 0 eventlog replay --check

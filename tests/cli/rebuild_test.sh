# Needs PAWL_WITH_GIT.
# pawl rebuild: contents that are gone come back from git and from the workspace, by their hashes.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1
mkdir home work
cd work
git init -q -b main
git config user.name T
git config user.email t@example.org
mkdir sub
echo committed >sub/in-git
git add .
git commit -qm one
pawl init >/dev/null
echo here >in-workspace
echo nowhere >lost
runs 0 pawl checkpoint before
echo changed >sub/in-git
echo other >lost

# forget TEXT: the content of that line is gone from the log.
forget() {
        sqlite3 .pawl/events.db "DELETE FROM packed WHERE hash = x'$(echo "$1" | sha256sum | cut -d' ' -f1)'"
}

it "what git and the workspace have comes back, and the checkpoint is valid again"
forget committed
forget here
runs 5 pawl validate
same "$(events CheckpointInvalidated)" 1
runs 0 pawl rebuild 1
same "$(cat out)" "checkpoint 1: 1 from git, 1 from the workspace, 0 missing: valid"
same "$(events CheckpointUpdated)" 1
runs 0 pawl validate 1
says '✓ .*✓ .*✓ .*- .*✓' out
runs 0 eventlog replay --check
same "$(cat sub/in-git lost)" "$(printf 'changed\nother')"

it "what nobody has stays gone, and is not replaced by something else"
forget nowhere
forget here
runs 5 pawl validate
runs 5 pawl rebuild 1 --json
same "$(jq -c '[.from_git, .from_workspace, .missing, .good, .valid]' out)" '[0,1,1,false,false]'
runs 5 pawl rebuild 1
same "$(events CheckpointUpdated)" 1
echo nowhere >lost
runs 0 pawl rebuild 1
says '1 from the workspace, 0 missing: valid$' out

it "a whole checkpoint is left as it is"
n=$(events)
runs 0 pawl rebuild 1
says ': 0 from git, 0 from the workspace, 0 missing: valid$' out
same "$(events)" "$n"

it "every other one that shares what came back is valid again as well"
runs 0 pawl checkpoint another
runs 0 pawl checkpoint third
forget here
runs 5 pawl validate
same "$(pawl checkpoints --json | jq -c '[.[].valid]')" '[false,false,false]'
says '✗ damaged ← current' <(pawl checkpoints)
n=$(events CheckpointUpdated)
runs 0 pawl rebuild 2 --json
same "$(jq -c '[.n, .good, .valid, .others]' out)" '[2,true,true,2]'
same "$(events CheckpointUpdated)" $((n + 3))
same "$(pawl checkpoints --json | jq -c '[.[].valid]')" '[true,true,true]'
runs 0 eventlog replay --check

it "a checkpoint that there is not is refused"
fails 1 '^pawl: checkpoint 9: there is none; `pawl checkpoints` lists them$' pawl rebuild 9
cd ..

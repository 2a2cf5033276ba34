# examples/agent-tasks, as its page tells it: a word is asked about before a model writes by it, the answer reaches the
# model, and each edit can be taken back.
. "$SOURCE_DIR/tests/cli/shared.sh"
cp -r "$SOURCE_DIR/examples/agent-tasks/." .

it "the model is told what a word means, and nothing is written by one that means two things"
runs 3 pawl run --no-input mission.yaml
says 'A note: A line that begins with a date' NOTES.md
[ ! -e archive.sh ]
same "$(pawl conflicts --json | jq -r '.[0].term')" archive

it "the answer reaches the model"
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl resume
says '^mkdir -p archive$' archive.sh
lacks 'rm -r' archive.sh

it "an edit is taken back by its name, and that by undo"
runs 0 pawl restore list
name=$(head -n 1 out)
runs 0 pawl restore "$name"
[ ! -e NOTES.md ]
runs 0 pawl undo --yes
[ -s NOTES.md ]

it "the other answer makes another program"
rm -rf second
cp -r "$SOURCE_DIR/examples/agent-tasks" second
cd second
runs 0 pawl init
runs 3 pawl run --no-input mission.yaml
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 2
runs 0 pawl resume
says 'rm -r notes' archive.sh
runs 0 eventlog replay --check

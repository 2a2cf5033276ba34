# Bash completion, which the programs write from their own tables.
. "$SOURCE_DIR/tests/cli/shared.sh"
for program in pawl eventlog; do
        runs 0 $program completion bash
        cp out $program.bash
        bash -n $program.bash
done

# completes PROGRAM WORDS...: the replies for the last word, in one line.
completes() {
        bash -c '. "./$1.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"; echo "${COMPREPLY[*]}"' bash "$@"
}

it "the built files are what the programs print"
for program in pawl eventlog; do
        cmp $program.bash "$BUILD_DIR/cli/completions/$program"
done

it "commands are completed, two-word ones a word at a time"
same "$(completes pawl re)" "resume resolve redo restore rebuild"
same "$(completes pawl glossary "")" "list propose lint import edit deprecate ignore log"
same "$(completes eventlog --db x ve)" verify

it "ids are completed, where they are named: runs, their steps, conflicts, checkpoints, sessions"
mkdir log
cd log
write_mission
cp ../*.bash .
runs 3 pawl run mission.yaml --run first
runs 3 pawl run mission.yaml --run second --fresh
same "$(completes pawl resume "" | tr ' ' '\n' | sort | xargs)" "first second"
same "$(completes pawl resume f)" first
same "$(completes eventlog replay --run s)" second
same "$(completes pawl output first "")" "research specify publish"
same "$(completes pawl resolve "" | wc -w)" 2
same "$(completes pawl rollback "")" "$(pawl checkpoints --json | jq -r '.[].n' | xargs)"
same "$(completes pawl handoff "" | wc -w)" 2
cd ..
same "$(completes pawl output --db log/.pawl/events.db first sp)" specify

it "an id that a shell would not take as it is is not offered, and nothing of it is run"
cd log
runs 3 pawl run mission.yaml --run 'third-$(touch ran)' --fresh
same "$(completes pawl resume t)" ""
[ ! -e ran ]
cd ..

it "outside a log nothing is offered, without a word"
completes pawl resume "" >said 2>&1
same "$(cat said)" ""
fails 1 'no log here' pawl completion ids RUN

it "options, choices and files are completed"
same "$(completes pawl resolve abcd --p)" "--pick --pick-first"
same "$(completes pawl glossary import --s)" --scope
same "$(completes pawl run m --strictness m)" "medium max"
touch mission.yaml
same "$(completes pawl run mis)" mission.yaml
same "$(completes eventlog verify --anchor mis)" mission.yaml

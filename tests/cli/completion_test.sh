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
same "$(completes pawl re)" "resume resolve restore rebuild"
same "$(completes pawl glossary "")" "list import"
same "$(completes eventlog --db x ve)" verify

it "options, choices and files are completed"
same "$(completes pawl resolve abcd --p)" --pick
same "$(completes pawl glossary import --s)" --scope
same "$(completes pawl run m --strictness m)" "medium max"
touch mission.yaml
same "$(completes pawl run mis)" mission.yaml
same "$(completes eventlog verify --anchor mis)" mission.yaml

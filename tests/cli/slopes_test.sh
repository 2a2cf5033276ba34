# What a command costs at ten times the size, in rows and bytes that SQLite reads: figures that do not depend on time.
. "$SOURCE_DIR/tests/cli/shared.sh"
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

# steps COMMAND..., bytes COMMAND...: what SQLite did for it.
work() {
        LD_PRELOAD=$BUILD_DIR/tests/count_sqlite.so SQLITE_WORK=$PWD/work "$@" >out 2>err </dev/null
}
steps() {
        work "$@"
        cut -d' ' -f1 work
}
bytes() {
        work "$@"
        cut -d' ' -f2 work
}
# at_most N WHAT LIMIT
at_most() {
        [ "$1" -le "$3" ] || { echo "$2: $1, more than $3"; return 1; }
}

# asking N: a run of a mission whose step has so many words that no glossary knows.
asking() {
        cat >"ask-$1.yaml" <<END
mission: ask-$1
strictness: max
steps:
  - id: write
    inputs: {description: '$(for i in $(seq "$1"); do printf '"word%dof" ' "$i"; done)'}
    run: [cat]
END
        runs 3 pawl run "ask-$1.yaml" --run "ask-$1" --no-input
}

it "an answer of many does not read the mission's document again"
asking 40
asking 400
few=$(bytes pawl resolve --run ask-40 --all --dismiss)
says '^40 conflicts answered' out
many=$(bytes pawl resolve --run ask-400 --all --dismiss)
says '^400 conflicts answered' out
at_most "$many" "bytes that 400 answers read" $((few * 14))

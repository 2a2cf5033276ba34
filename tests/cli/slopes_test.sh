# What a command costs at ten times the size, in rows and bytes that SQLite reads: figures that do not depend on time.
. "$SOURCE_DIR/tests/cli/shared.sh"
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

# steps COMMAND..., bytes COMMAND...: what SQLite did for it.
work() {
        LD_PRELOAD=$BUILD_DIR/tests/count_sqlite.so SQLITE_WORK=$PWD/work "$@" >out 2>err </dev/null || [ $? -le 3 ]
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

# A run with all that a run can have, in a log that grows behind it: what reads it looks at its events alone.
cat >old.yaml <<'END'
mission: old
glossary: {team_domain: team.yaml}
steps:
  - {id: one, inputs: {description: The term 1 is used.}, run: [echo, one]}
  - {id: two, ask: {question: "Publish?", options: [yes, no]}}
  - {id: three, run: [sh, -c, 'test ! -e fail'], retry: {attempts: 2, delay: 10ms}}
END
printf 'terms:\n  - {surface: term 1, definition: A term.}\n' >team.yaml
# later N: so many runs of nothing, of many steps each, behind it.
later() {
        {
                printf 'mission: later\nworkspace: {checkpoint: manual}\nsteps:\n  - {id: no, run: [echo, "false"]}\n'
                for i in $(seq 150); do echo "  - {id: s$i, when: {\$from: no}, run: [cat]}"; done
        } >later.yaml
        for _ in $(seq "$1"); do runs 0 pawl run later.yaml --fresh --no-input; done
}
all_of_old() {
        for run in old failed waits; do
                for command in "pawl runs --id $run --json" "pawl compare $run old" "pawl status $run" "pawl logs $run" \
                        "eventlog list --run $run --json" "eventlog list --run $run -n 3" "eventlog export --run $run" \
                        "eventlog trace $run" "eventlog replay --run $run --json"; do
                        echo "$(steps $command) $command"
                done
        done
}

it "an old run is read as fast in a log that has grown: its own range, and nothing behind it"
forget_log
runs 3 pawl run old.yaml --run waits --no-input
runs 3 pawl run old.yaml --run old --no-input
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[] | select(.run_id == "old").conflict_id')" --pick 1
runs 0 pawl resume old
touch fail
runs 3 pawl run old.yaml --run failed --no-input --fresh
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[] | select(.run_id == "failed").conflict_id')" --pick 1
runs 1 pawl resume failed
runs 0 pawl glossary edit "term 1" --define "Another."
later 1
few=$(all_of_old)
eventlog export --run old >before
later 8
many=$(all_of_old)
eventlog export --run old | cmp - before
paste -d' ' <(echo "$few" | cut -d' ' -f1) <(echo "$many") | while read -r a b command; do
        at_most "$b" "$command: steps with many events behind, instead of $a" $((a * 11 / 10 + 200))
done

it "each run is replayed alone as in the whole log"
runs_replay_alone

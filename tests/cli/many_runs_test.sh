# Many processes that start runs on one log at once.
. "$SOURCE_DIR/tests/cli/shared.sh"
PROCESSES=30 RUNS=3
cat >mission.yaml <<'END'
mission: small
steps:
  - id: one
    run: ["true"]
END

start_runs() {
        for run in $(seq $RUNS); do
                "$BIN/pawl" run mission.yaml --fresh >/dev/null 2>>"$elsewhere/errors" ||
                        echo "$1, run $run: $?" >>"$elsewhere/failed"
        done
}

it "each of $PROCESSES processes ends each of its $RUNS runs"
elsewhere=$(mktemp -d)
for process in $(seq $PROCESSES); do
        start_runs "$process" &
done
wait
cat "$elsewhere"/* 2>/dev/null
[ ! -e "$elsewhere/failed" ] || exit 1
rm -r "$elsewhere"
runs 0 "$BIN/pawl" runs --status completed --limit 1000 --json
same "$(grep -o '"status":"completed"' out | wc -l)" $((PROCESSES * RUNS))
runs 0 "$BIN/eventlog" verify

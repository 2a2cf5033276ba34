# Signals and kills, from outside: what a person at a terminal, or a machine that dies, does to a run.
. "$SOURCE_DIR/tests/cli/shared.sh"

cat >mission.yaml <<'END'
mission: long
steps:
  - { id: first, run: [sh, -c, "echo first >>journal"] }
  - { id: second, run: [sh, -c, "echo $PAWL_RETRY_TOKEN >>tokens; echo $$ >pid; test -e go || exec sleep 60"] }
END

# begin COMMAND...: in the background, until the second step's command runs; its pid is in $runner.
begin() {
        rm -f pid
        "$@" >out 2>err </dev/null &
        runner=$!
        until_it test -s pid
}

# ended CODE: the background command ended with this code.
ended() {
        local code=0
        wait "$runner" || code=$?
        [ "$code" -eq "$1" ] || { echo "exit code $code, not $1"; return 1; }
}

for signal in INT TERM; do
        it "SIG$signal ends the command and the run, which can go on"
        rm -f go
        [ "$signal" = INT ] && number=2 || number=15
        # A background job of a script ignores SIGINT unless it has a process group of its own.
        set -m
        begin pawl run mission.yaml --run "run-$signal"
        set +m
        kill "-$signal" "$runner"
        ended $((128 + number))
        says "^pawl: .*interrupted by SIG$signal" err
        [ "$(wc -l <err)" -eq 1 ]
        gone "$(cat pid)"
        runs 0 eventlog replay --run "run-$signal" --json
        same "$(jq -r '.runs[0].status' out)" interrupted
        same "$(jq -r '.runs[0].steps[1].status' out)" running

        touch go
        runs 0 pawl resume "run-$signal"
        same "$(sort -u tokens | wc -l)" 1
        same "$(wc -l <tokens)" 2
        rm tokens
done
same "$(grep -c first journal)" 2
same "$(events StepFailed)" 0

it "a run that was killed goes on at its command, under the same key"
rm -f go
begin pawl run mission.yaml --run run-kill
kill -KILL "$runner"
ended 137 2>/dev/null
kill -KILL "$(cat pid)" 2>/dev/null || true
touch go
runs 0 pawl resume
says 'run run-kill: completed, 2 of 2' out
same "$(sort -u tokens | wc -l)" 1
same "$(wc -l <tokens)" 2

it "a second process is told who owns the run, at once, and exits 6"
rm -f go tokens
begin pawl run mission.yaml --run run-two
cp err first-err
fails 6 "^pawl: run run-two: is held by pid $runner on " pawl resume run-two
kill -TERM "$runner"
ended 143
runs 0 eventlog verify
runs 0 eventlog replay --check

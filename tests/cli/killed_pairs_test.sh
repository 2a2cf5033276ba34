# A run that is begun in one program and killed in a step goes on in another: pawl, Python and Node, each with each.
. "$SOURCE_DIR/tests/cli/shared.sh"
. "$SOURCE_DIR/tests/support/bindings.sh"
programs=pawl
if bindings_fit Python; then programs="$programs python"; fi
if bindings_fit Node; then programs="$programs node"; fi
if [ "$programs" = pawl ]; then
        echo "skipped: $why_not"
        exit 77
fi
install_library
for program in $programs; do
        [ "$program" = pawl ] || "build_$program"
done
tools=$PWD

begin_in() {
        case $1 in
        pawl) exec pawl run slow.yaml --run r1 --no-input ;;
        python) exec "$tools/environment/bin/python" -c '
import pawl
pawl.Mission.load("slow.yaml").run(pawl.Log.open(".pawl/events.db"), run_id="r1")' ;;
        node) exec node -e '
const { Log, Mission } = require(process.argv[1]);
(async () => (await Mission.load("slow.yaml")).run(await Log.open(".pawl/events.db"), { runId: "r1" }))();' \
                "$tools/node_modules/pawl" ;;
        esac
}

# Prints the run's status.
go_on_in() {
        case $1 in
        pawl) pawl resume r1 --no-input --json | jq -r .status ;;
        python) "$tools/environment/bin/python" -c '
import pawl
with pawl.Log.open(".pawl/events.db") as log:
    print(log.resume("r1").status)' ;;
        node) node -e '
const { Log } = require(process.argv[1]);
(async () => { const log = await Log.open(".pawl/events.db"); console.log((await log.resume("r1")).status); await log.close(); })();' \
                "$tools/node_modules/pawl" ;;
        esac
}

for from in $programs; do
        for to in $programs; do
                [ "$from" != "$to" ] || continue
                it "a run that is killed in $from goes on in $to"
                mkdir "$tools/$from-$to"
                cd "$tools/$from-$to"
                pawl init >/dev/null
                cat >slow.yaml <<'END'
mission: slow
steps:
  - id: one
    run: [sh, -c, 'echo one >>journal; echo 1']
  - id: wait
    inputs: {earlier: {$from: one}}
    run: [sh, -c, 'cat >>inputs; echo wait "$PAWL_RETRY_TOKEN" >>journal; [ -e go ] || { touch ready; exec sleep 60; }; echo 2']
  - id: last
    inputs: {earlier: {$from: wait}}
    run: [sh, -c, 'cat >>inputs; echo last >>journal']
END
                (begin_in "$from") >begun 2>&1 &
                until [ -e ready ]; do
                        kill -0 $! || { cat begun; exit 1; }
                        sleep 0.05
                done
                kill -KILL $!
                wait $! || true
                touch go
                same "$(go_on_in "$to")" completed
                same "$(cut -d ' ' -f 1 journal | paste -sd ' ')" "one wait wait last"
                same "$(grep -c wait journal) $(grep wait journal | sort -u | wc -l)" "2 1" # under one key
                same "$(cat inputs)" '{"earlier":1}{"earlier":1}{"earlier":2}'
                same "$(eventlog list --json | jq -r 'select(.type == "RunStarted" or .type == "StepCompleted" or .type == "RunCompleted").type' | sort | uniq -c | xargs)" \
                        "1 RunCompleted 1 RunStarted 3 StepCompleted"
                runs 0 eventlog replay --check
        done
done

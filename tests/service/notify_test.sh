# `pawl serve --notify COMMAND` tells of every run of the log, at least once, in order, however the service ends.
. "$SOURCE_DIR/tests/cli/shared.sh"

mission() { printf 'mission: %s\nstrictness: max\nglossary: {core: seed.yaml}\nsteps:\n  - %s\n' "$1" "$2" >"$1.yaml"; }
cat >seed.yaml <<'END'
terms:
  - {surface: workspace, definition: Where a step works.}
  - {surface: workspace, definition: The account that people share.}
END
mission done '{id: one, run: ["true"]}'
mission fails '{id: one, run: ["false"]}'
mission asks '{id: one, inputs: {description: the workspace}, run: ["true"]}'
serve() { # COMMAND: a service, until stop
        rm -f ready
        pawl serve --listen 127.0.0.1:0 --json --notify "$1" >ready 2>warned &
        service=$!
        until_it test -s ready
        [ -s ready ]
}
stop() { kill "-${1:-TERM}" "$service"; wait "$service" 2>/dev/null || true; }
trap 'kill -9 "$service" 2>/dev/null || true' EXIT
seqs() { jq -r .seq told.jsonl 2>/dev/null | sort -un | wc -l; }
await() { # N: so many events, each told once or more often
        for _ in $(seq 750); do [ "$(seqs)" -lt "$1" ] || break; sleep 0.02; done
        same "$(seqs)" "$1"
}
told() { jq -r "$@" told.jsonl; }

it "what happened before the first time is not told of; what happens then is, each by its event"
runs 0 pawl run done.yaml
serve 'cat >>told.jsonl'
until_it test -s .pawl/serve.notified
same "$(stat -c %a .pawl/serve.notified)" 600
runs 1 pawl run fails.yaml
await 1
runs 3 pawl run --no-input asks.yaml
await 2
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
runs 0 pawl resume --no-input "$(told -s '.[1].run_id')"
await 3
same "$(told .type | tr '\n' ' ')" "RunFailed GenerationBlockedBySemanticConflict RunCompleted "
same "$(told .mission_id | tr '\n' ' ')" "fails asks asks "
stop

it "what happened while there was no service is told of by the next one"
runs 0 pawl run --fresh done.yaml
serve 'cat >>told.jsonl'
await 4
runs 0 pawl run --fresh done.yaml
await 5

it "one that is killed is followed by one that goes on there: nothing is lost"
stop KILL
runs 0 pawl run --fresh done.yaml
serve 'cat >>told.jsonl'
await 6
# At least once: the service may have been killed between the fifth command's end and the note of it.
[ "$(told .seq | uniq -d | wc -l)" -le 1 ]
same "$(told .seq)" "$(told .seq | sort -n)"
stop

it "a command that fails is tried again, and said once each time"
rm told.jsonl
serve 'test -e mended && cat >>told.jsonl'
runs 0 pawl run --fresh done.yaml
until_it test -s warned
says '^pawl: /bin/sh: ended with exit code 1$' warned
touch mended
await 1

it "at its stop a command that is at work is ended, and the event told by the next one"
stop
rm told.jsonl
serve 'echo $$ >slow.pid; exec sleep 300'
runs 0 pawl run --fresh done.yaml
until_it test -s slow.pid
stop
if kill -0 "$(cat slow.pid)" 2>/dev/null; then
        echo "it still runs"
        exit 1
fi
serve 'cat >>told.jsonl'
await 1
stop

it "an empty name is no host's"
misused '--host: a name is empty; give one' timeout 10 pawl serve --listen 127.0.0.1:0 --host ""

it "a file that does not say how far is refused"
echo nonsense >.pawl/serve.notified
fails 1 'serve\.notified: does not say how far was told' pawl serve --listen 127.0.0.1:0 --notify true

# Each form of a secret, in each place that keeps, prints or sends what a step wrote or told.
. "$SOURCE_DIR/tests/cli/shared.sh"
export ONE=$' one/"secret"-1\n' MANY=$'-----BEGIN-----\nline-of-a-key-1\nshort\nline-of-a-key-2\n'

# What none of them may have, one a line.
cat >forms <<'FORMS'
one/"secret"-1
one/\"secret\"-1
one\/\"secret\"-1
one/\\\"secret\\\"-1
one\/\u0022secret\u0022-1
\u006fne/
line-of-a-key-1
line-of-a-key-2
line\u002dof
FORMS
for value in "$ONE" 'one/"secret"-1' "$MANY" line-of-a-key-1 line-of-a-key-2; do
        for before in "" a ab; do
                printf %s "$before$value" | base64 -w 0 | cut -c$((${#before} * 2 + 1))-$((${#before} * 2 + 12)) >>forms
        done
done
# clean PLACE...: no form is in these files.
clean() {
        local found
        found=$(grep -raoFf forms "$@" | sort | uniq -c | head -20) || :
        [ -z "$found" ] || { echo "$found"; return 1; }
}
clean /dev/null

# What writes each form to its standard output.
cat >forms.sh <<'SH'
plain=$(printf '%s' "$ONE" | tr -d ' \n')
json=$(printf '%s' "$plain" | sed 's/"/\\"/g')
printf '[%s]\n%s' "$plain" "$ONE"
printf '{"a":"%s","b":"\\\\n%s"}\n' "$json" "$(printf '%s' "$json" | sed 's/[\\"]/\\&/g')"
printf '{"c":"one\\/\\u0022secret\\u0022-1 \\u006fne/\\"secret\\"-1"}\n'
printf '%s' "$MANY"
printf '%s' "$MANY" | sed 's/$/\r/'
printf '%s' "$MANY" | sed -n 2p
printf '{"d":"%s"}\n' "$(printf '%s' "$MANY" | sed ':a;N;$!ba;s/\n/\\n/g')"
printf '{"e":"line\\u002dof-a-key-2"}\n'
for before in "" a ab; do
        for value in "$ONE" "$plain" "$MANY" line-of-a-key-1; do
                printf '%s%s' "$before" "$value" | base64
                printf '%s%s' "$before" "$value" | base64 -w 0
                echo
        done
done
SH
cat >mission.yaml <<'MISSION'
mission: secret
secrets: [ONE, MANY]
handoff: handoff.txt
workspace: {exclude: [forms, forms.sh, out, err]}
notify: [sh, -c, 'cat >>told; cat told >&2']
steps:
  - id: text
    run: [sh, -c, '. ./forms.sh; . ./forms.sh >&2']
  - id: lines
    inputs: {earlier: {$from: text}}
    run: [sh, -c, 'cat >&2; for i in 1 2 3; do . ./forms.sh; done | sed "s/^/x /" ']
  - id: pieces
    run: [sh, -c, '. ./forms.sh | while IFS= read -r line; do printf "%s" "${line%??}" >&2; sleep 0.01; printf "%s\n" "${line#"${line%??}"}" >&2; done']
  - id: fails
    run: [sh, -c, '. ./forms.sh >&2; printf "bad: %s" "$ONE" >&2; test -e fixed']
MISSION

it "masks them in outputs, standard error, events, the handoff, messages, traces and what notify gets"
runs 1 pawl run mission.yaml --run r1 --no-input
cp out live-out
cp err live-err
says 'bad: +\*\*\*' live-err
look() {
        eventlog export >exported
        eventlog trace r1 >traced
        eventlog show 5 --json >shown
        pawl status --json >status
        pawl runs --json >runs
        pawl handoff >handed
        pawl handoff --json >handed-json
        for step in text lines pieces fails; do
                pawl output r1 $step >"output-$step" 2>&1 || :
                pawl logs r1 $step >"log-$step" 2>&1 || :
        done
        clean live-out live-err exported traced shown status runs handed handed-json handoff.txt told output-* log-*
        on_server || clean .pawl
}
look
says '\*\*\*' output-text
touch fixed
runs 0 pawl resume r1 --no-input
clean out err
look
runs 0 eventlog verify
runs 0 eventlog replay --check

it "gives one output the same hash in each run"
runs 0 pawl run mission.yaml --run r2 --no-input
hash() { eventlog export --run "$1" | jq -r 'select(.type == "StepCompleted" and .step_id == "text") | .payload.output_hash'; }
same "$(hash r1)" "$(hash r2)"

it "masks them in what a pawl records that a step starts, which has the names alone"
cat >nested.sh <<'SH'
. ./forms.sh >forms.out
forms=$(cat forms.out)
rm forms.out
test "$PAWL_SECRETS" = ONE,MANY
env >environment
pawl session update --summary "used $forms" --file "f $ONE"
printf '{"state":"%s"}' line-of-a-key-1 >"$STATE"
pawl checkpoint "with $forms" --state "$STATE" --outputs "$STATE"
session=$(pawl session start --mission agent --pending "do line-of-a-key-1" --pending other --summary "$forms" | tail -n 1)
pawl session checkpoint --id "$session" --reason manual --summary "again $forms"
pawl session update --id "$session" --done "do line-of-a-key-1" --step other
pawl task done other --mission agent >&2
pawl session end --id "$session" --reason "ended $MANY" >&2
pawl tool checkpoint "[{\"callId\":\"c\",\"name\":\"write_file\",\"args\":{\"file_path\":\"a\",\"content\":\"$(printf %s "$forms" | sed ':a;N;$!ba;s/[\\"]/\\&/g;s/\n/\\n/g;s/\r/\\r/g')\"}}]" --files calls --json >&2
printf '{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Write","tool_use_id":"t1","cwd":"%s","tool_input":{"file_path":"a","content":"one/\\"secret\\"-1"}}' "$PWD" | pawl hook >&2
pawl handoff >handed.txt
pawl run inner.yaml --run inner --no-input >&2
SH
printf 'mission: inner\nsteps: [{id: a, run: [sh, -c, ". ./forms.sh; printenv PAWL_SECRETS"]}]\n' >inner.yaml
cat >outer.yaml <<'MISSION'
mission: outer
secrets: [ONE, MANY]
handoff: handoff.txt
workspace: {exclude: [forms, forms.sh, environment, out, err]}
steps: [{id: a, run: [sh, -eu, nested.sh]}]
MISSION
export STATE=$(mktemp)
runs 0 pawl run outer.yaml --run outer --no-input
rm "$STATE"
clean out err
pawl sessions --json >sessions
pawl checkpoints --json >checkpoints
says 'with .*\*\*\*' checkpoints
says 'used .*\*\*\*' sessions
pawl output inner a >inner
says 'ONE,MANY$' inner
clean sessions checkpoints inner handed.txt calls handoff.txt
eventlog export >exported
clean exported
on_server || clean .pawl
same "$(grep -c '^PAWL_SECRETS=' environment)" 1
grep -v -e '^ONE=' -e '^MANY=' environment | grep -vF -e line-of -e short -e '-----' >others
clean others
runs 0 eventlog verify
runs 0 eventlog replay --check

it "masks them in what the service answers"
pawl serve --port 0 --json >served &
server=$!
trap 'kill "$server"' EXIT
until_it test -s served
get() {
        curl -s -H "Authorization: Bearer $(cat "$(jq -r .token_file served)")" -H 'Content-Type: application/json' "${@:2}" "$(jq -r .url served)$1" >>answers
}
get api/v1/events
get api/v1/runs
get api/v1/runs/r1
get api/v1/runs/outer
get api/v1/sessions
get api/v1/checkpoints
rm fixed
runs 1 pawl run mission.yaml --run r3 --no-input
get api/v1/runs/r3
get api/v1/runs/r3/resume -d '{}'
get executeCommand -d '{"command": "logs r3 fails"}'
get executeCommand -d '{"command": "output r3 text"}' -H 'Accept: text/event-stream'
get api/v1/runs/r3/steps/text/output
get api/v1/runs/r3/steps/fails/log
says '\*\*\*' answers
clean answers

# Variables, directories and secrets of a mission's commands: what they get, and what is kept.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=$PWD/.pawl/events.db

mkdir -p sub/deeper elsewhere
ln -s / sub/out
ln -s ../elsewhere sub/beside
cat >mission.yaml <<'MISSION'
mission: m
params: {mode: {default: fast}}
env: {LANG: C.UTF-8, MODE: slow, LEVEL: 3}
steps:
  - id: a
    env: {MODE: {$param: mode}, OWN: "x y"}
    cwd: sub/deeper
    run: [sh, -c, 'echo "$LANG $MODE $LEVEL $OWN"; pwd >&2']
  - id: b
    cwd: sub/beside
    run: [sh, -c, 'echo "$MODE ${OWN-unset}"; pwd -P >&2']
MISSION

it "gives a step its variables before the mission's, and its directory"
runs 0 pawl run mission.yaml --run r1 --set mode=quick
same "$(pawl output r1 a)" 'C.UTF-8 quick 3 x y'
same "$(pawl output r1 b)" 'slow unset'
same "$(pawl logs r1 a | grep deeper)" "$PWD/sub/deeper"
same "$(pawl logs r1 b | grep elsewhere)" "$PWD/elsewhere"

it "takes a command by a path from that directory"
printf '#!/bin/sh\necho here\n' >sub/command
chmod +x sub/command
printf 'mission: c\nsteps: [{id: a, cwd: sub, run: [./command]}]\n' >command.yaml
runs 0 pawl check command.yaml
runs 0 pawl run command.yaml --run c1
same "$(pawl output c1 a)" here
runs 0 pawl submit command.yaml --run c2

it "refuses a directory that is not beneath the mission's, by path or by link"
for cwd in .. / sub/../../x ''; do
        printf 'mission: c\nsteps: [{id: a, cwd: "%s", run: [true]}]\n' "$cwd" >out.yaml
        fails 1 "steps\[0\].cwd: leads out of the mission file's directory" pawl run out.yaml
done
printf 'mission: c\nsteps: [{id: a, cwd: sub/out, run: [true]}]\n' >out.yaml
fails 1 "cwd sub/out leads out of" pawl check out.yaml
runs 1 pawl run out.yaml --fresh
says 'cwd sub/out leads out of' err
printf 'mission: c\nsteps: [{id: a, cwd: none, run: [true]}]\n' >out.yaml
fails 1 "cannot run in directory none of .*No such file" pawl check out.yaml

it "takes another variable or directory for another command"
cat >changed.yaml <<'MISSION'
mission: changed
env: {A: 1}
steps: [{id: a, run: [sh, -c, 'test -e go']}]
MISSION
runs 1 pawl run changed.yaml --run k1
sed -i 's/A: 1/A: 2/' changed.yaml
runs 4 pawl resume k1
says 'step a.*command|run' err
touch go
runs 0 pawl resume k1 --accept-changed-mission

it "refuses variables of the wrong form"
printf 'mission: c\nenv: {PAWL_X: 1}\nsteps: [{id: a, run: [true]}]\n' >e.yaml
fails 1 'line 2: env.*PAWL_X is one that a command is told by' pawl check e.yaml
printf 'mission: c\nsteps: [{id: a, env: {1A: x}, run: [true]}]\n' >e.yaml
fails 1 "steps\[0\].env: \"1A\" is no variable's name" pawl check e.yaml
printf 'mission: c\nsecrets: [KEY]\nsteps: [{id: a, env: {KEY: x}, run: [true]}]\n' >e.yaml
fails 1 'KEY is a secret, which has its value from the environment' pawl check e.yaml

# ---- Secrets ------------------------------------------------------------------------------------

cat >secret.yaml <<'MISSION'
mission: secret
secrets: [API_TOKEN, OTHER]
handoff: handoff.txt
workspace: {checkpoint: off} # which would have what the commands print into this directory
steps:
  - id: text
    run: [sh, -c, 'echo "got $API_TOKEN and $OTHER"; echo "log $API_TOKEN" >&2']
  - id: json
    run: [sh, -c, 'printf "{\"a\": \"%s\", \"b\": [\"\\u0053uperSecret-42+/Value\"]}" "$OTHER"']
  - id: base64
    run: [sh, -c, 'for before in "" a ab abc; do printf "%s%sz" "$before" "$API_TOKEN" | base64; printf "%s%sz" "$before" "$API_TOKEN" | base64 -w 20; printf "%s%s" "$before" "$API_TOKEN" | base64 | tr +/ -_ >&2; done']
  - id: slow
    run: [sh, -c, 'printf "%s" Super >&2; sleep 0.4; printf "%s" Secret-42 >&2; sleep 0.1; echo "+/Value" >&2; cat "$PAWL_DB-logs/$PAWL_RUN_ID/slow.1" 2>/dev/null; :']
  - id: fails
    run: [sh, -c, 'echo "bad: $API_TOKEN" >&2; test -e fixed']
MISSION

it "refuses a run whose secret is not set, or too short, and writes nothing"
before=$(events)
fails 1 'secret API_TOKEN: is not set' env -u API_TOKEN OTHER=whatever pawl run secret.yaml
fails 1 'secret OTHER: is not set' env API_TOKEN=whatever OTHER= pawl run secret.yaml
fails 1 'secret OTHER: has fewer than 4 bytes' env API_TOKEN=whatever OTHER=abc pawl run secret.yaml
same "$(events)" "$before"

it "refuses a parameter that holds a secret, which would be recorded"
printf 'mission: p\nsecrets: [OTHER]\nparams: {a: {default: x}}\nsteps: [{id: a, run: [echo, {$param: a}]}]\n' >param.yaml
OTHER=whatever fails 1 'parameter a: holds the value of a secret' pawl run param.yaml --set a=is-whatever
same "$(events)" "$before"

it "gives them to commands, and keeps them nowhere"
export API_TOKEN=SuperSecret-42+/Value OTHER='pass"word\x'
runs 1 pawl run secret.yaml --run s1
lacks 'SuperSecret' err
lacks SuperSecret out
same "$(pawl output s1 text)" 'got *** and ***'
same "$(pawl output s1 json)" '{"a":"***","b":["***"]}'
runs 1 pawl resume s1
touch fixed
eventlog export >exported
for step in text json base64 slow fails; do
        pawl output s1 $step 2>/dev/null >>exported || :
        pawl logs s1 $step >>exported
done
pawl handoff >>exported
eventlog trace s1 >>exported
says '^log \*\*\*$' exported
says 'bad: \*\*\*' exported
says '^\*\*\*$' exported
for search in exported handoff.txt .pawl; do
        for form in SuperSecret-42 'pass"word' 'pass\"word' "$(printf %s "$API_TOKEN" | base64 | cut -c1-24)" \
                "$(printf a%s "$API_TOKEN" | base64 | cut -c3-24)" "$(printf ab%s "$API_TOKEN" | base64 | cut -c4-24)" \
                "$(printf %s "$API_TOKEN" | base64 | cut -c1-12)"; do
                if grep -raqF -- "$form" "$search"; then
                        echo "$search has $form"
                        false
                fi
        done
done

it "refuses a resume without them, and goes on with them"
fails 1 'secret API_TOKEN: is not set' env -u API_TOKEN pawl resume s1
runs 0 pawl resume s1
runs 0 eventlog replay --check

it "strikes them out where lines of base64 are a string of JSON, where one begins as another does and comes in two writes, and with other line ends"
cat >more.yaml <<'MISSION'
mission: more
secrets: [LONG, SHORT, KEY]
workspace: {checkpoint: off}
steps:
  - id: json
    run: [sh, -c, 'lines() { printf "%sz%s" "$1" "$LONG" | base64 | sed ":a;N;\$!ba;s/\n/\\\\n/g"; }; for before in "" a ab; do printf "\"%s\"\n" "$(lines "$before")"; done >&2; printf "{\"a\": \"%s\"}" "$(lines x)"']
  - id: writes
    run: [sh, -c, 'printf %s "$SHORT" >&2; sleep 0.4; echo "${LONG#"$SHORT"}" >&2']
  - id: ends
    run: [sh, -c, 'echo "$KEY" | sed "s/\$/\r/" | tee /dev/stderr']
MISSION
export SHORT=Head-1234 LONG KEY
LONG=$SHORT$(printf 'Tail%02d+/' $(seq 20))
KEY=$(printf -- '-----BEGIN KEY-----\n%s\n%s\n-----END KEY-----' MIIEabcdQWERTY MIIEzzzzFFFFdd)
runs 0 pawl run more.yaml --run m1
runs 0 pawl logs m1 writes
same "$(cat out)" '***'
eventlog export >exported
for step in json writes ends; do
        pawl output m1 $step >>exported
        pawl logs m1 $step >>exported
done
for search in exported .pawl; do
        if grep -raqE -- "Head-1234|Tail07|MIIEabcd|MIIEzzzz" "$search"; then
                echo "$search has a secret"
                false
        fi
        for before in "" x ab abc; do
                digits=$(printf %s "$before$LONG" | base64 -w 0)
                for at in 8 48 88 128; do
                        if grep -raqF -- "${digits:at:12}" "$search"; then
                                echo "$search has ${digits:at:12}"
                                false
                        fi
                done
        done
done

it "shows what no secret can begin in while the command runs"
cat >live.yaml <<'MISSION'
mission: live
secrets: [KEY]
workspace: {checkpoint: off}
steps: [{id: a, run: [sh, -c, 'echo at work >&2; until test -e ended; do sleep 0.05; done']}]
MISSION
pawl run live.yaml --run l1 >/dev/null 2>&1 &
shown() { [ "$(pawl logs l1 a)" = "at work" ]; }
until_it shown
touch ended
wait

it "masks a secret that is typed as an answer or an output, and keeps the words that Pawl itself reads"
cat >asked.yaml <<'MISSION'
mission: asked
secrets: [TYPED, WORD]
steps:
  - {id: key, ask: {question: "Which key?"}}
  - {id: fails, run: [sh, -c, 'exit 1']}
  - {id: manual, when: {$from: fails}, run: ["true"]}
MISSION
export TYPED=typed-secret-1
for WORD in step_complete manual when post_gate interactive session_end fails; do
        export WORD
        runs 3 pawl run asked.yaml --run "asked-$WORD" --no-input
        runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --answer "it is $TYPED"
        runs 1 pawl resume "asked-$WORD"
        runs 0 pawl skip "asked-$WORD" fails --output-json "[\"$TYPED\"]"
        runs 0 pawl resume "asked-$WORD"
        same "$(pawl output "asked-$WORD" key)" 'it is ***'
        same "$(pawl output "asked-$WORD" fails)" '["***"]'
done
eventlog export | grep typed-secret && false
runs 0 eventlog replay --check
runs 0 eventlog verify

it "masks the names of members too, which stay apart, and a call's id, which stays its own"
mkdir named-apart && cd named-apart && unset PAWL_DB
own_log
export TOK=ghp/ABCDEF0123456789 OTHER=other-secret-22 PAWL_SECRETS=TOK,OTHER
echo '{"a":1,"'$TOK'":{"name":"'$TOK'"},"'$OTHER'" : [{"'$TOK'":"x"}]}' >../outputs.json
runs 0 pawl checkpoint named --outputs ../outputs.json --json
runs 0 pawl show current --json
same "$(jq -c .outputs out)" '{"***":{"name":"***"},"***-2":[{"***":"x"}],"a":1}'
cat >skipped.yaml <<'MISSION'
mission: skipped
steps: [{id: z, run: ["false"]}]
MISSION
runs 1 pawl run skipped.yaml --run skipped
runs 0 pawl skip skipped z --output-json '{"z":0,"'$TOK'":"'$TOK'"}'
same "$(pawl output skipped z)" '{"***":"***","z":0}'
call() { echo '{"callId" : "'"$1"'","name":"write_file","args":{"'$TOK'" : 1,"'$OTHER'":"'$TOK'","file_path":"f"}}'; }
runs 0 pawl tool checkpoint --json "[$(call "one-$TOK"),$(call "two-$TOK")]"
lacks 'ghp' out
jq -c '[.calls[].callId]' out | grep -Eq '^\["one-\*\*\*-[0-9a-f]{8}","two-\*\*\*-[0-9a-f]{8}"\]$'
echo '{"***":1,"'$TOK'":2}' >../twice.json
runs 0 pawl checkpoint twice --outputs ../twice.json
same "$(pawl show current --json | jq -c .outputs)" '{"***":1,"***-2":2}'
runs 0 pawl tool checkpoint --json "{\"history\":[{\"***\":0,\"$TOK\":1}],\"messageId\":\"m-$TOK\",\"calls\":[$(call "$TOK")]}"
lacks 'ghp' out
runs 0 pawl restore list
same "$(grep -c write_file out)" 3
lacks 'ghp' out
for name in $(cat out); do
        case $name in *write_file*) ;; *) continue ;; esac
        runs 0 pawl restore "$name" --plan --json
        lacks 'ghp' out
done
runs 0 pawl hook --agent claude <<END
{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"$PWD","tool_use_id":"use-$TOK","tool_name":"Write","tool_input":{"$TOK":1,"file_path":"f","content":"$OTHER"}}
END
for word in history callId name args write_file call_id document; do # Pawl's own names stay what they are
        OTHER=$word runs 0 pawl tool checkpoint --json "{\"history\":[],\"calls\":[$(OTHER=x call own)]}"
        same "$(jq -r '.calls[0].callId' out)" own
done
cat "$PWD"/.pawl/events.db* >../all 2>/dev/null || true
eventlog export >>../all
grep -aq 'ghp[/_]ABC\|other-secret-22' ../all && { echo "a secret is in the log"; exit 1; }
runs 0 eventlog replay --check
runs 0 eventlog verify

it "what notify's command writes to standard error is masked"
cat >notify.yaml <<'END'
mission: notifies
secrets: [TOK]
notify: [sh, -c, 'printf %s "a ${TOK%??????}" >&2; sleep 0.1; echo "${TOK#"${TOK%??????}"} b" >&2']
steps:
  - {id: one, run: ["true"]}
END
TOK=$TOK runs 0 pawl run notify.yaml
says "^a \*\*\* b\$" err

# "By hand" is said of files alone that neither Pawl nor a step wrote.
. "$SOURCE_DIR/tests/cli/shared.sh"
printf '%s\n' /out /err /go >.pawlignore

# by_hand CHECKPOINT: the paths that a rollback to it says so of
by_hand() {
        pawl rollback "$1" --plan --json | jq -r '[.items[] | select(.by_hand).path] | join(" ")'
}
# newest: the number of the newest checkpoint
newest() {
        pawl checkpoints --json | jq '.[-1].n'
}

it "what was written before a run began is by hand, what its steps wrote is not"
echo 1 | tee hand step failed >/dev/null
pawl checkpoint one >/dev/null
cat >m.yaml <<'END'
mission: m
steps:
  - id: good
    run: [sh, -c, 'echo 2 >step']
  - id: bad
    run: [sh, -c, 'echo 2 >failed; exit 1']
END
echo 2 >hand
runs 1 pawl run m.yaml --run r
same "$(by_hand 1)" "hand m.yaml"
echo 3 >failed
same "$(by_hand 1)" "failed hand m.yaml"

it "what a killed step wrote is not, and what came before it is"
cat >k.yaml <<'END'
mission: k
steps:
  - id: slow
    run: [sh, -c, 'echo 3 >step; : >go; exec sleep 100']
END
pawl checkpoint k >/dev/null
n=$(newest)
pawl run k.yaml --run k >/dev/null 2>&1 &
until [ -e go ]; do sleep 0.02; done
kill -KILL $!
wait $! || true
same "$(by_hand "$n")" ""
runs 0 pawl cancel k

it "nor is what steps wrote that left no checkpoint"
sed 's/^mission: m/mission: n\nworkspace: {checkpoint: manual}/; s/exit 1/exit 0/; s/echo 2/echo 4/g' m.yaml >n.yaml
pawl checkpoint n >/dev/null
n=$(newest)
runs 0 pawl run n.yaml --run n
same "$(by_hand "$n")" ""

it "nor is what Pawl wrote, by a rollback of some paths or of all"
pawl checkpoint all >/dev/null
n=$(newest)
runs 0 pawl rollback 1 --yes -- hand
same "$(by_hand "$n")" ""
echo 9 >hand
same "$(by_hand "$n")" hand
pawl checkpoint again >/dev/null
runs 0 pawl rollback "$n" --yes
same "$(by_hand "$(($(newest) - 1))")" ""
echo 10 >step
same "$(by_hand "$n")" step

it "it stays by hand when a checkpoint captures it since, by whomever"
pawl checkpoint before >/dev/null
n=$(newest)
echo 11 >hand
echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Write","tool_input":{"file_path":"x"}}' | pawl hook
[ "$(newest)" -gt "$n" ]
same "$(by_hand "$n")" hand
pawl checkpoint after >/dev/null
same "$(by_hand "$n")" hand
echo '{"hook_event_name":"Stop","session_id":"s"}' | pawl hook
echo 12 >step
pawl checkpoint once-more >/dev/null
same "$(by_hand "$n")" "hand step"
runs 1 pawl run m.yaml --run r3 --fresh
same "$(by_hand "$n")" hand
runs 0 eventlog verify

# hook EVENT MEMBERS: of the agent's session a
hook() {
        jq -nc --arg event "$1" "{session_id:\"a\",hook_event_name:\$event} + {$2}" | pawl hook --agent claude >/dev/null
}
# call TOOL: the hooks before a tool's call and what they come with
call() {
        hook PreToolUse "tool_name:\"$1\",tool_use_id:\"$((calls += 1))\",tool_input:{command:\"x\"}"
}
calls=0
# whose CHECKPOINT: the paths of each agent, run and of nobody, in the plan of a rollback to it
whose() {
        pawl rollback "$1" --plan --json |
                jq -r '[.items[] | {path, of: (if .by_hand then "hand" else .agent // .run_id // "own" end)}] | group_by(.of) | map(.[0].of + ": " + (map(.path) | join(" "))) | join(", ")'
}

it "what an agent changed in its turns is the agent's, what was changed between them is by hand"
mkdir turns
cd turns
own_log
printf '%s\n' /out /err >.pawlignore
echo 0 >base
hook SessionStart 'source:"startup"'
for turn in 1 2 3 4 5 6; do
        hook UserPromptSubmit 'prompt:"next"'
        call Write
        echo $turn >w$turn
        hook PostToolUse 'tool_name:"Write"'
        call Bash
        echo $turn >b$turn
        hook Stop "last_assistant_message:\"turn $turn\""
        if [ $turn = 1 ]; then echo 1 >mine; fi
done
same "$(whose @turn:3)" "agent:claude: b4 b5 b6 w4 w5 w6"
same "$(whose @turn:1)" "agent:claude: b2 b3 b4 b5 b6 w2 w3 w4 w5 w6, hand: mine"
same "$(pawl rollback @turn:1 --plan --json | jq -c .others)" \
        '[{"run_id":null,"agent":"agent:claude","paths":10},{"run_id":null,"agent":null,"paths":1}]'
runs 0 pawl rollback @turn:1 --plan
says '^  agent   claude changed b2, b3, b4, b5, b6, w2, w3, w4 and 2 more$' out
says '^  by hand mine$' out
echo 2 >>mine
same "$(whose @turn:6)" "hand: mine"

it "also after turns that changed nothing, in the middle of one, and after its session"
hook UserPromptSubmit 'prompt:"look"'
call Bash
hook Stop 'last_assistant_message:"looked"'
call Bash
hook Stop 'last_assistant_message:"looked again"'
echo 3 >>mine
call Bash
echo 1 >b7
pawl checkpoint "in the middle" >/dev/null
n=$(newest)
echo 2 >>b1
same "$(whose "$n")" "agent:claude: b1"
hook SessionEnd 'reason:"exit"'
same "$(whose @turn:6)" "agent:claude: b1 b7, hand: mine"
echo 4 >>b2
same "$(whose "$n")" "agent:claude: b1, hand: b2"
runs 0 pawl rollback "$n" --yes
same "$(pawl undo --plan --json | jq '[.items[] | select(.by_hand)] | length')" 0

it "a call that another session's call went before has its own beginning"
session() {
        jq -nc "{session_id:\"$1\",hook_event_name:\"$2\"} + {$3}" | pawl hook --agent claude >/dev/null
}
session b PreToolUse 'tool_name:"Bash",tool_use_id:"1",tool_input:{}'
session c PreToolUse 'tool_name:"Bash",tool_use_id:"2",tool_input:{}'
session b Stop 'last_assistant_message:"b is done"'
n=$(newest)
echo 1 >>w1
same "$(whose "$n")" "agent:claude: w1"
runs 0 eventlog verify
cd ..

it "what is changed while a run waits for an answer, or was interrupted, is by hand"
mkdir waits
cd waits
own_log
printf '%s\n' /out /err /go /go-on /resumed >.pawlignore
cat >m.yaml <<'END'
mission: m
steps:
  - id: one
    run: [sh, -c, 'echo 1 >one']
  - id: ask
    ask: {question: "Go on?", options: [yes, no]}
  - id: two
    run: [sh, -c, 'echo 2 >two; : >go; [ -e go-on ] || sleep 100']
END
runs 3 pawl run m.yaml --run r --no-input
n=$(newest)
echo 1 >waiting
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --answer yes
pawl resume r >/dev/null 2>resumed &
until [ -e go ]; do sleep 0.02; done
kill -TERM $!
wait $! || true
says "^pawl: 1 file changed since checkpoint $n before the run was resumed; see .pawl diff $n $((n + 1))." resumed
echo 2 >interrupted
rm waiting
: >go-on
runs 0 pawl resume r
says '^pawl: 2 files changed since checkpoint ' err
echo 3 >>one
same "$(whose "$n")" "hand: interrupted one, own: two"
runs 0 eventlog verify
cd ..

it "a handoff that Pawl wrote is not, until somebody writes into it"
mkdir handoffs
cd handoffs
own_log
printf '%s\n' /out /err >.pawlignore
sed 's/^mission: m/&\nhandoff: HANDOFF.txt/; /id: two/,$d' ../waits/m.yaml >h.yaml
pawl checkpoint begin >/dev/null
runs 3 pawl run h.yaml --run h --no-input
same "$(whose 1)" "own: HANDOFF.txt one"
same "$(pawl rollback 1 --plan --json | jq -c '[.items[] | select(.path == "HANDOFF.txt").by_hand]')" "[false]"
runs 0 pawl handoff --write ANOTHER.txt
pawl checkpoint kept >/dev/null
same "$(by_hand 1)" ""
echo "- mine" >>ANOTHER.txt
same "$(by_hand 1)" "ANOTHER.txt"
echo "- mine" >>HANDOFF.txt
same "$(by_hand 1)" "ANOTHER.txt HANDOFF.txt"
cd ..

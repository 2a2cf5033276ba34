# What a step's command is told of the glossary: the terms of its inputs and the answers given for it.
. "$SOURCE_DIR/tests/cli/shared.sh"

# told FILTER: of the last PAWL_GLOSSARY that was seen.
told() {
        jq -c "$1" seen.json
}

cat >team.yaml <<'YAML'
terms:
  - {surface: workspace, definition: A folder in which one step does its work.}
  - {surface: workspace, definition: The account that people share., confidence: 0.9}
  - {surface: Refund, definition: "Money that goes\nback.", confidence: 0.7}
  - {surface: invoice, definition: A bill.}
  - {surface: tenant, definition: One who rents., status: draft}
YAML
cat >core.yaml <<'YAML'
terms:
  - {surface: refund, definition: Hidden by the team's own.}
YAML
cat >look <<'SH'
#!/bin/sh
cp "$PAWL_GLOSSARY" seen.json
cp "$PAWL_GLOSSARY_TEXT" seen.md
stat -c %a "$PAWL_GLOSSARY" "$PAWL_GLOSSARY_TEXT" >modes
printf '%s\n' "$PAWL_GLOSSARY" "$PAWL_GLOSSARY_TEXT" >paths
[ ! -e fail ] || exit 9
SH
chmod +x look
cat >mission.yaml <<'YAML'
mission: m
glossary: {team_domain: team.yaml, core: core.yaml}
steps:
  - id: easy
    inputs: {description: A refund of the workspace for a tenant., note: The invoice is in no field that is read.}
    run: [./look]
  - id: hard
    critical: true
    inputs: {description: Refunds land in the workspace. REFUND again.}
    run: [./look]
  - id: later
    inputs: {description: A workspace.}
    run: [./look]
  - id: none
    run: [./look]
YAML

it "a command finds the terms of its inputs, each once with the sense that decides; not what is ambiguous or a draft"
runs 3 pawl run mission.yaml --run one --no-input
same "$(told .terms)" '[{"term":"Refund","definition":"Money that goes\nback.","scope":"team_domain","confidence":0.7,"source":"seed","conflict_id":null}]'
same "$(cat seen.md)" '- **Refund**: Money that goes back.'
same "$(sort -u modes)" 600

it "the files are gone when it has ended, and their directory with them"
while read -r path; do [ ! -e "$path" ] || { echo "$path is there"; false; }; done <paths
[ ! -e .pawl/events.db-logs ]

it "an answer is told with its conflict, to the step and to those after it"
conflict=$(pawl conflicts --json | jq -r '.[].conflict_id')
pawl resolve "$conflict" --pick 1 >/dev/null
touch fail
runs 1 pawl resume one
same "$(told '[.terms[] | [.term, .source, .scope, .conflict_id]]')" \
        "[[\"Refund\",\"seed\",\"team_domain\",null],[\"workspace\",\"answer\",\"mission_local\",\"$conflict\"]]"
same "$(tail -1 seen.md)" '- **workspace**: A folder in which one step does its work.'
[ ! -e .pawl/events.db-logs ]

it "the handoff lists them, and the run's step"
runs 0 pawl handoff
says '^  term: "workspace" means A folder in which one step does its work. \(answer\)$' out
same "$(pawl handoff --json | jq -c '.in_progress[0].terms | map(.term)')" '["Refund","workspace"]'
same "$(pawl runs --id one --json | jq -c '.steps[] | select(.step_id == "hard").terms')" "$(told .terms)"

it "a resume at the command tells the same again; the next steps know of the answer; one without terms finds an empty list"
rm fail
runs 0 pawl resume one
same "$(told .)" '{"terms":[]}'
same "$(cat seen.md)" ''
same "$(pawl runs --id one --json | jq -c '.steps[] | select(.step_id == "later").terms | map([.source, .conflict_id])')" \
        "[[\"answer\",\"$conflict\"]]"

it "in another run of the mission the answer still names its conflict"
runs 0 pawl run mission.yaml --run two --no-input
same "$(pawl runs --id two --json | jq -c '.steps[] | select(.step_id == "hard").terms[1].conflict_id')" "\"$conflict\""

it "what somebody wrote is a definition, also where a later mission takes it from the scope"
sed 's/mission: m/mission: other/; s/draft/active/' mission.yaml >other.yaml
runs 3 pawl run other.yaml --run three --no-input
conflict=$(pawl conflicts --json | jq -r '.[] | select(.run_id == "three").conflict_id')
pawl resolve "$conflict" --define "Where we are." --scope core >/dev/null
sed -i '/surface: workspace/d' team.yaml
touch fail
runs 1 pawl resume three
same "$(told '.terms[1] | [.definition, .source, .conflict_id]')" "[\"Where we are.\",\"definition\",\"$conflict\"]"
rm fail
sed 's/mission: m/mission: third/' mission.yaml >third.yaml
runs 0 pawl run third.yaml --run four --no-input
same "$(pawl runs --id four --json | jq -c '.steps[] | select(.step_id == "later").terms | map([.scope, .source])')" '[["core","definition"]]'

it "with the check off they are told all the same"
runs 0 pawl run third.yaml --run five --strictness off --no-input
same "$(pawl runs --id five --json | jq -c '.steps[0].terms | map(.term)')" '["Refund","workspace"]'

it "a step is not started without them"
mkdir -p .pawl/events.db-logs/six/terms-1.json
runs 1 pawl run third.yaml --run six --fresh --no-input
says 'terms-1.json: cannot replace what a command is told: Is a directory; ' err
same "$(pawl runs --id six --json | jq -r .steps_completed)" 0
rmdir .pawl/events.db-logs/six/terms-1.json
runs 0 pawl resume six

it "what a pawl that was killed left of them goes when its run ends, though fewer are at work at once then"
cat >many.yaml <<'YAML'
mission: many
parallel: 3
workspace: {checkpoint: off}
steps:
  - {id: a, needs: [], run: [sh, -c, "touch at-a; until test -e go; do sleep 0.05; done"]}
  - {id: b, needs: [], run: [sh, -c, "touch at-b; until test -e go; do sleep 0.05; done"]}
  - {id: c, needs: [], run: [sh, -c, "touch at-c; until test -e go; do sleep 0.05; done"]}
YAML
pawl run many.yaml --run seven >/dev/null 2>&1 </dev/null &
pid=$!
for step in a b c; do await "at-$step"; done
kill -KILL "$pid"
wait "$pid" || true
same "$(find .pawl/events.db-logs -name 'terms-*' | wc -l)" 6
touch go
sed -i 's/parallel: 3/parallel: 1/' many.yaml
runs 0 pawl resume seven
[ ! -e .pawl/events.db-logs ]

it "what each step was told is known afterwards, however often the glossary changed between them"
mkdir changing
cd changing
cat >team.yaml <<'YAML'
terms:
  - {surface: account, definition: What a customer signs in to.}
  - {surface: account, definition: What money is booked on., confidence: 0.9}
  - {surface: refund, definition: Money that goes back.}
  - {surface: invoice, definition: A bill.}
YAML
cat >change <<'SH'
#!/bin/sh -e
cp "$PAWL_GLOSSARY" "told-$PAWL_STEP_ID.json"
case $PAWL_STEP_ID in
*2) pawl glossary edit refund --define "Money back, said after $PAWL_STEP_ID." --scope team_domain ;;
*3) pawl glossary edit account --mission changing --define "A ledger, said after $PAWL_STEP_ID." ;;
*04) pawl glossary deprecate invoice --scope team_domain ;;
esac >&2
SH
chmod +x change
{
        printf 'mission: changing\nstrictness: max\nglossary: {team_domain: team.yaml}\nsteps:\n'
        for i in 01 02 03 04 05 12 13 14 15 22 23 24 25; do
                printf '  - {id: s%s, inputs: {description: The refund and the invoice of "account" %s.}, run: [./change]}\n' "$i" "$i"
        done
} >m.yaml
code=3
runs 3 pawl run m.yaml --run changing --no-input
while [ "$code" = 3 ]; do
        for conflict in $(pawl conflicts --json | jq -r '.[].conflict_id'); do
                pawl resolve "$conflict" --pick 1 >/dev/null 2>&1 || runs 0 pawl resolve "$conflict" --define "A bill, said again."
        done
        code=0
        pawl resume changing --no-input >out 2>err || code=$?
done
same "$code" 0
pawl runs --id changing --json >run.json
for step in $(jq -r '.steps[].step_id' run.json); do
        same "$(jq -c --arg step "$step" '.steps[] | select(.step_id == $step).terms' run.json)" "$(jq -c .terms "told-$step.json")"
done
same "$(cat told-*.json | jq -c .terms | sort -u | wc -l)" 8
runs 0 eventlog replay --check
cd ..

it "the how-to works, with a program in the model's place"
awk '/^```yaml$/ {on = 1; next} /^```$/ {on = 0} on' "$SOURCE_DIR/docs/how-to/tell-a-model.md" >notes.yaml
awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$SOURCE_DIR/docs/how-to/tell-a-model.md" >ask
chmod +x ask
cat >team.yaml <<'YAML'
terms:
  - {surface: checkpoint, definition: The files of a working directory as they were after a step.}
  - {surface: checkpoint, definition: A place where one is stopped.}
YAML
MODEL=cat runs 3 pawl run notes.yaml --run notes --no-input
pawl resolve "$(pawl conflicts --json | jq -r '.[] | select(.run_id == "notes").conflict_id')" --pick 1 >/dev/null
MODEL='tee given' runs 0 pawl resume notes
sed -n '/^Use these/,/^```$/p' "$SOURCE_DIR/docs/how-to/tell-a-model.md" | sed '$d' | diff given -
runs 0 eventlog verify
runs 0 eventlog replay --check

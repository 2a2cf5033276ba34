# Steps that ask people: what a mission says of them, answers from elsewhere, and what becomes of those.
. "$SOURCE_DIR/tests/cli/shared.sh"

# write_ask MEMBERS: a mission whose second step asks so.
write_ask() {
        cat >mission.yaml <<END
mission: release
params: {version: {type: string, default: "1.0"}}
steps:
  - id: build
    run: [sh, -c, "echo '{\"size\": 12}'"]
  - id: approve
    inputs: {built: {\$from: build}}
    ask: {$1}
  - id: publish
    inputs: {said: {\$from: approve}}
    run: [sh, -c, "cat >>journal; echo >>journal"]
END
}

# conflict FILTER: of the one that is open.
conflict() {
        pawl conflicts --json | jq -c ".[] | $1"
}

# payload TYPE FILTER: of the last event of that type.
payload() {
        eventlog export | jq -c "select(.type == \"$1\").payload | $2" | tail -1
}

# refused LINE PATTERN ASK: the mission is.
refused() {
        write_ask "$3"
        fails 1 "mission.yaml: line $1: steps\[1\].$2" pawl check mission.yaml
}

it "a mission says what it asks, or is refused by line and key"
refused 8 'ask.question: is missing; say what is asked' 'options: [yes]'
refused 8 'ask.question: is empty; write what is asked' 'question: " "'
refused 8 'ask.question: no parameter is called "verison"; did you mean version\?' 'question: "Publish {$param: verison}?"'
refused 8 'ask.question: takes no output, but parameters' 'question: "Publish {$from: build}?"'
refused 8 'ask.question: takes a parameter as' 'question: "Publish {$param version}?"'
refused 8 'ask.options: is empty' 'question: Q?, options: []'
refused 8 'ask.options\[1\]: "yes" is there already' 'question: Q?, options: [yes, "yes"]'
refused 8 'ask.options\[0\]: is no text; quote it' 'question: Q?, options: [[a]]'
refused 8 'ask.options\[0\]: is empty' 'question: Q?, options: [" "]'
refused 8 'ask.to\[0\]: actor' 'question: Q?, to: ["a b\tc"]'
refused 8 'ask.within: "soon" is not a time' 'question: Q?, within: soon'
refused 8 'ask.otherwise: is for when a time is over' 'question: Q?, options: [yes, no], otherwise: no'
refused 8 'ask.otherwise: "maybe" is none of the options' 'question: Q?, options: [yes, no], within: 2d, otherwise: maybe'
refused 8 'ask.colour: unknown key' 'question: Q?, colour: red'
write_ask 'question: Q?'
sed -i 's/^    ask: .*/&\n    timeout: 10s/' mission.yaml
fails 1 'line 9: steps\[1\].timeout: is about a command, but the step asks people' pawl check mission.yaml
sed -i 's/timeout: 10s/run: [date]/' mission.yaml
fails 1 'line 9: steps\[1\].run: is about a command, but the step asks people' pawl check mission.yaml

it "it blocks, saying what is asked and what to type; options are the words of the file"
write_ask 'question: "Publish {$param: version}?", options: [yes, no, 1.10, true], to: ["user:ana", "user:ben"], within: 2d, otherwise: no'
begin_log
runs 0 pawl check mission.yaml
runs 3 pawl run mission.yaml --run one --set version=1.4 --no-input
says '^pawl: step approve: waits for an answer to "Publish 1.4\?"; `pawl resolve [0-9a-f]{16} --answer TEXT --actor user:ana` gives one, then `pawl resume one`$' err
same "$(conflict '[.term, .conflict_type, .step_id, .status, [.candidates[].definition], .to, .otherwise, .answer]')" \
        '["Publish 1.4?","question","approve","open",["yes","no","1.10","true"],["user:ana","user:ben"],"no",null]'
id=$(conflict .conflict_id | tr -d '"')
runs 0 pawl conflicts
says "^${id:0:8}  \"Publish 1.4\?\": question$" out
says '^    3  1.10$' out
says '^    to user:ana, user:ben$' out
says '^    until [0-9T:-]{19}Z, then no$' out
runs 0 pawl status
says 'asks "Publish 1.4\?"' out
says "pawl resolve ${id:0:8} --answer TEXT" out
runs 0 pawl handoff
says "pawl resolve $id --pick 1 --actor user:ana  # yes" out

it "the events are those of a term that blocks, and say whom, until when, and what then"
same "$(eventlog export | jq -r .type | grep -v Workspace | tail -4 | tr '\n' ' ')" \
        "StepCheckpointed GenerationBlockedBySemanticConflict GlossaryClarificationRequested SessionEnded "
same "$(payload GlossaryClarificationRequested '[.question, .phase, .to, .otherwise, .conflict_type]')" \
        '["Publish 1.4?","ask",["user:ana","user:ben"],"no","question"]'
same "$(eventlog export | jq 'select(.type == "GlossaryClarificationRequested")
        | ((.payload.due_at[0:19] + "Z" | fromdate) - (.time[0:19] + "Z" | fromdate) - 172800 | fabs) < 2')" true

it "a run that goes on without an answer is blocked as before; its time runs on"
due=$(payload GlossaryClarificationRequested .due_at)
runs 3 pawl resume one --no-input
same "$(conflict .conflict_id)" "\"$id\""
same "$(conflict '.due_at[0:18]')" "\"${due:1:18}\""
runs 0 eventlog replay --check

it "what is no answer, or comes from one who is not asked, is refused and changes nothing"
before=$(eventlog head)
fails 1 "conflict $id: user:eve is not asked; it is user:ana, user:ben who may answer" pawl resolve "$id" --answer yes --actor user:eve
fails 1 "conflict $id: \"maybe\" is none of its options; answer yes, no, 1.10, true" pawl resolve "$id" --answer maybe --actor user:ana
fails 1 "conflict $id: has no option 5" pawl resolve "$id" --pick 5 --actor user:ana
fails 1 "conflict $id: is a question; answer it with a text alone" pawl resolve "$id" --define x --actor user:ana
fails 1 "conflict $id: is a question; answer it with a text alone" pawl resolve "$id" --dismiss --actor user:ana
fails 1 "run one: no open conflict is about a term" pawl resolve --run one --all --dismiss --actor user:ana
fails 1 "run one: no open conflict has a candidate" pawl resolve --run one --all --pick-first --actor user:ana
misused "" pawl resolve "$id" --answer yes --pick 1 --actor user:ana
same "$(eventlog head)" "$before"

it "the first answer counts, until another says that it replaces it"
runs 0 pawl resolve "$id" --answer 1.10 --actor user:ana
says "^$id: \"Publish 1.4\?\" is answered; continue with" out
fails 1 "was answered already" pawl resolve "$id" --answer no --actor user:ben
runs 0 pawl resolve "$id" --pick 1 --replace --actor user:ben
same "$(payload GlossaryClarificationResolved '[.answer, .selected_sense, .resolution_mode, .actor.actor_id]')" '["yes",null,"async","user:ben"]'
runs 0 pawl conflicts --all
says '^    answered by user:ben: yes$' out

it "the answer is the step's output, and no sense of any glossary"
runs 0 pawl resume one --no-input
same "$(cat journal)" '{"said":"yes"}'
same "$(pawl glossary list --json)" '[]'
fails 1 'no glossary ever had it' pawl glossary log 'Publish 1.4?'
same "$(pawl handoff --json | jq -c '[.. | .terms? // empty | .[]]')" '[]'
fails 1 "step approve of run one has completed with the former answer" pawl resolve "$id" --answer no --replace --actor user:ana
runs 0 eventlog replay --check
runs 0 eventlog verify

it "without options any text is an answer, but an empty one; it stays a text"
write_ask 'question: Which version?'
runs 3 pawl run mission.yaml --run two --no-input --fresh
id=$(conflict .conflict_id | tr -d '"')
runs 0 pawl status
runs 0 pawl handoff
says "pawl resolve $id --answer TEXT" out
fails 1 "conflict $id: the answer is empty" pawl resolve "$id" --answer ' '
fails 1 "conflict $id: has no option 1; answer in words" pawl resolve "$id" --pick 1
printf '{"conflict_id":"%s","answer":"2.50"}\n' "$id" >answers
runs 0 pawl resolve --answers answers --actor user:ana
runs 0 pawl resume two --no-input
same "$(tail -1 journal)" '{"said":"2.50"}'

it "an answer to a term is none to a question, and the other way round"
cat >team.yaml <<'END'
terms:
  - {surface: workspace, definition: A folder.}
  - {surface: workspace, definition: An account.}
END
cat >both.yaml <<'END'
mission: both
glossary: {team_domain: team.yaml}
steps:
  - id: approve
    critical: true
    inputs: {description: Refunds land in the workspace.}
    ask: {question: "Which one?", options: [yes, no]}
END
runs 3 pawl run both.yaml --run three --no-input
id=$(conflict .conflict_id | tr -d '"')
same "$(conflict .term)" '"workspace"'
fails 1 "conflict $id: is about a term, and no question" pawl resolve "$id" --answer yes

it "terms are asked about first, then the question"
runs 0 pawl resolve "$id" --pick 1
runs 3 pawl resume three --no-input
same "$(conflict .term)" '"Which one?"'
runs 0 pawl resolve "$(conflict .conflict_id | tr -d '"')" --answer no
runs 0 pawl resume three --no-input

it "other inputs, or another question, are another question, which is asked"
write_ask 'question: Publish?, options: [yes, no]'
runs 3 pawl run mission.yaml --run four --no-input --fresh
id=$(conflict .conflict_id | tr -d '"')
runs 0 pawl resolve "$id" --answer yes
sed -i 's/Publish?/Publish now?/' mission.yaml
runs 4 pawl resume four --no-input
runs 3 pawl resume four --no-input --accept-changed-mission
same "$(conflict .term)" '"Publish now?"'
runs 0 pawl resolve "$(conflict .conflict_id | tr -d '"')" --answer no
runs 0 pawl resume four --no-input
same "$(tail -1 journal)" '{"said":"no"}'
runs 0 eventlog replay --check

it "after a rollback to before it, it is asked again: the former answer was about what there was then"
write_ask 'question: Publish?, options: [yes, no]'
sed -i 's/^mission: .*/mission: rolled-back/' mission.yaml
runs 3 pawl run mission.yaml --run five --no-input
checkpoint=$(pawl checkpoints --run five --json | jq '.[0].n')
id=$(conflict .conflict_id | tr -d '"')
runs 0 pawl resolve "$id" --answer yes
runs 0 pawl resume five --no-input
runs 0 pawl rollback "$checkpoint" --yes
runs 3 pawl resume five --no-input
same "$(conflict '[.conflict_id, .answer]')" "[\"$id\",null]"
runs 0 pawl resolve "$id" --answer no
runs 0 pawl resume five --no-input
same "$(tail -1 journal)" '{"said":"no"}'
runs 0 eventlog replay --check

it "a question that a changed mission puts to others is asked again"
printf '%s\n' 'mission: others' steps: '  - {id: q, ask: {question: "Go?", options: [yes, no], to: ["user:mal"]}}' >others.yaml
runs 3 pawl run others.yaml --run others --no-input
runs 0 pawl resolve "$(conflict .conflict_id | tr -d '"')" --answer yes --actor user:mal
sed -i s/mal/ana/ others.yaml
runs 3 pawl resume others --no-input --accept-changed-mission
fails 1 'user:ana' pawl resolve "$(conflict .conflict_id | tr -d '"')" --answer yes --actor user:mal
runs 0 pawl resolve "$(conflict .conflict_id | tr -d '"')" --answer no --actor user:ana
runs 0 pawl resume others --no-input
same "$(pawl output others q)" no

it "a question that a changed mission leaves out is skipped, whatever else changed, answered or not"
# changed NAME SED: a run waits for an answer, or has it in $answer, and its mission is another now.
changed() {
        forget_log
        printf '%s\n' 'mission: changed' steps: '  - {id: a, run: [echo, "0"]}' \
                '  - {id: q, ask: {question: "Go?", options: [yes, no]}}' '  - {id: z, run: [echo, z]}' >changed.yaml
        runs 3 pawl run changed.yaml --run "$1" --no-input
        [ -z "${answer-}" ] || runs 0 pawl resolve "$(conflict .conflict_id | tr -d '"')" --answer "$answer"
        sed -i "$2" changed.yaml
}
when_no='s/{id: q, /{id: q, when: {$from: a}, /'
new_no='s/^  - {id: q, /  - {id: b, run: [echo, "0"]}\n  - {id: q, when: {$from: b}, /'
new_yes='s/^  - {id: q, /  - {id: b, run: [echo, "1"]}\n  - {id: q, when: {$from: b}, /'
moved='/id: z/d; s/^  - {id: q/  - {id: z, run: [echo, z]}\n&/'
for option in --accept-changed-mission --accept-changed-mission=answered --rerun-changed; do
        answer=
        [ $option != --accept-changed-mission=answered ] || answer=yes
        option=${option%=answered}
        for change in "$when_no" "$new_no" '/id: q/d' 's/{id: q.*/{id: q, run: [echo, hi]}/'; do
                changed left-out "$change"
                runs 0 pawl resume left-out --no-input $option
                same "$(pawl conflicts --json)" '[]'
                runs 0 eventlog replay --check
        done
        for change in "$new_yes" "$moved" 's/Go?/Really?/' 's/yes, no/yes, no, later/' \
                's/{id: q, /{id: q, inputs: {x: {$from: a}}, /'; do
                changed asked "$change"
                pawl resume asked --no-input $option >out 2>err || [ $? = 3 ]
                if [ "$(pawl conflicts --json)" != '[]' ]; then
                        runs 0 pawl resolve "$(conflict .conflict_id | tr -d '"')" --answer yes
                        runs 0 pawl resume asked --no-input
                fi
                same "$(pawl output asked q)" yes
                runs 0 eventlog replay --check
        done
done

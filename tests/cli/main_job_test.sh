# The main job: run, blocked, resolved elsewhere, resumed, completed; nothing runs twice.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission

it "a run whose critical step uses an ambiguous word is blocked: exit 3, one line that says how to go on"
runs 3 pawl run mission.yaml
[ "$(wc -l <err)" -eq 1 ]
says '^pawl: step specify: generation is blocked by 1 unresolved conflict; answer with `pawl resolve [0-9a-f]+ --pick N`, or --define TEXT \(see `pawl conflicts`\), then `pawl resume [0-9a-f-]{36}`$' err
says '^\[1/3\] research: completed$' out
says '^\[2/3\] specify: blocked$' out
says '^run .*: blocked, 1 of 3 steps completed$' out
same "$(cat journal)" research
same "$(stat -c %a .pawl .pawl/events.db | tr '\n' ' ')" "700 600 "

it "the checkpoint stands before the event of the block, and in one transaction with the question"
same "$(eventlog export | jq -r .type | grep -v Workspace | tail -5 | tr '\n' ' ')" \
        "SemanticCheckEvaluated StepCheckpointed GenerationBlockedBySemanticConflict GlossaryClarificationRequested SessionEnded "

it "the conflict is listed with its numbered candidates"
runs 0 pawl conflicts --json
jq -e 'length == 1 and (.[0] | .term == "workspace" and .conflict_type == "ambiguous" and
        .severity == "high" and .status == "open" and .step_id == "specify" and
        (.candidates | length == 2 and (.[0].n == 1) and .[0].scope == "team_domain" and
        (.[0].definition | startswith("A folder")) and .[1].confidence == 0.9))' out >/dev/null
same "$(jq -c '.[0] | keys_unsorted' out)" \
        '["conflict_id","run_id","step_id","retry_token","term","conflict_type","severity","confidence","context","candidates","status","requested_at","resolved_seq","to","due_at","otherwise","answer","answered_by","seq","undone"]'
conflict=$(jq -r '.[0].conflict_id' out)
token=$(jq -r '.[0].retry_token' out)
run=$(jq -r '.[0].run_id' out)
runs 0 pawl conflicts
says '"workspace": ambiguous, high' out
says '^    2  team_domain  0.9  The account' out

it "a resume before the answer is blocked again, and nothing runs"
runs 3 pawl resume "$token"
same "$(cat journal)" research

it "the answer comes from another process, and says how to go on"
runs 0 pawl resolve "$conflict" --pick 2 --actor user:ana
says "continue with \`pawl resume [0-9a-f]{8}\`" out
same "$(eventlog export | jq -r 'select(.type == "GlossaryClarificationResolved") | .payload.actor.actor_id')" user:ana
runs 0 pawl conflicts
same "$(cat out)" "no open conflicts"
same "$(pawl conflicts --json)" '[]'
same "$(pawl conflicts --all --json | jq -r '.[0].status')" resolved

it "a second answer is refused and changes nothing"
before=$(eventlog head)
fails 1 "^pawl: .*$conflict" pawl resolve "$conflict" --define "Something else."
same "$(eventlog head)" "$before"

it "the resume goes on at the gate, and the run completes; earlier steps are not run again"
runs 0 pawl resume "$token" --json
jq -e --arg run "$run" '.status == "completed" and .run_id == $run and .mission_id == "refund-service" and
        (.steps | map(.status) == ["completed", "completed", "completed"]) and .conflicts == []' out >/dev/null
same "$(jq -c keys_unsorted out)" '["mission_id","run_id","session_id","status","steps","conflicts","cancelled","checkpoints"]'
same "$(jq -c '.steps[0] | keys_unsorted' out)" '["step_id","status","retry_token","cursor","unfinished"]'
same "$(tr '\n' ' ' <journal)" "research specify publish "
is_empty err

it "a token or a run that has completed is told again: exit 0, nothing runs, nothing is written"
before=$(eventlog head)
for what in "$token" "$run"; do
        runs 0 pawl resume "$what"
        says "completed, 3 of 3" out
        runs 0 pawl resume "$what" --json
        same "$(jq -r .status out)" completed
done
same "$(tr '\n' ' ' <journal)" "research specify publish "
same "$(eventlog head)" "$before"

it "the log verifies, and the state tables say what the events say"
runs 0 eventlog verify
runs 0 eventlog replay --check

it "the picked sense holds for the mission: a second run asks nothing"
runs 0 pawl run mission.yaml --run again
same "$(wc -l <journal)" 6

it "there is nothing left to resume"
fails 1 "^pawl: .*nothing" pawl resume

it "a token that nobody gave is an error, never a fresh start"
fails 1 "^pawl: " pawl resume 00000000-0000-4000-8000-000000000000
fails 1 "^pawl: " pawl resume "no such run"
same "$(wc -l <journal)" 6

it "a run id that exists is refused, and one that is no id"
fails 1 "^pawl: run again: .*exists" pawl run mission.yaml --run again
fails 1 "^pawl: run id" pawl run mission.yaml --run a/b
fails 1 "^pawl: run id" pawl run mission.yaml --run "$(printf 'a\nb')"
fails 1 "^pawl: run id" pawl run mission.yaml --run "$(printf 'x%.0s' {1..300})"
same "$(wc -l <journal)" 6

it "a run that is blocked prints one JSON object all the same"
remove_log
runs 3 pawl run --json mission.yaml --run one
jq -se 'length == 1 and (.[0] | .status == "blocked" and .run_id == "one" and (.conflicts | length == 1) and
        (.steps | map(.status) == ["completed", "blocked", "pending"]) and
        .steps[1].cursor == "pre_generation_gate" and .steps[2].retry_token == null)' out >/dev/null

it "a definition of one's own is an answer too, and resume without an argument takes the newest run"
runs 0 pawl resolve "$(jq -r '.conflicts[0]' out | cut -c1-6)" --define "Where a refund lands." --scope audience_domain
runs 0 pawl glossary list --json
jq -e 'any(.[]; .scope == "audience_domain" and .definition == "Where a refund lands.")' out >/dev/null
runs 0 pawl resume
says "^run one: completed" out

it "strictness off lets the step pass"
runs 0 pawl run mission.yaml --strictness off --run off

it "a step that fails exits 1, is told with its exit code, and can be resumed at that step"
cat >fails.yaml <<'END'
mission: fails
steps:
  - {id: first, run: [sh, -c, "echo first >>steps"]}
  - {id: second, run: [sh, -c, "echo second >>steps; test -e mended || exit 7"]}
END
runs 1 pawl run fails.yaml --json
[ "$(wc -l <err)" -eq 1 ]
says "^pawl: step second: .*7" err
jq -e '.status == "failed" and (.steps | map(.status) == ["completed", "failed"])' out >/dev/null
touch mended
runs 0 pawl resume "$(jq -r .run_id out)"
same "$(tr '\n' ' ' <steps)" "first second second "

it "a mission that cannot be read exits 1, naming the line, and makes no log"
mkdir none
cd none
printf 'mission: m\nsteps:\n  - {id: a, run: [true], colour: red}\n' >bad.yaml
fails 1 "^pawl: .*bad.yaml: line 3: .*colour" pawl run bad.yaml --db log/events.db
fails 1 "^pawl: .*nowhere.yaml" pawl run nowhere.yaml --db log/events.db
[ ! -e log ]

it "where there is no candidate, none is to be picked"
cat >unknown.yaml <<'END'
mission: unknown
strictness: max
steps:
  - id: only
    critical: true
    inputs: {text: "Frobozz is near."}
    metadata: {glossary_watch_terms: [frobozz]}
    run: ["true"]
END
mkdir new
runs 3 pawl run unknown.yaml --no-input --db new/events.db
says 'answer with `pawl resolve [0-9a-f]+ --define TEXT --db .new/events.db.` \(see' err
for command in "conflicts" "conflicts --json" "status" "status --json" "handoff" "resume --no-input"; do
        # shellcheck disable=SC2086
        pawl $command --db new/events.db >>said 2>&1 || true
done
says frobozz said
says '--define' said
lacks '--pick' said

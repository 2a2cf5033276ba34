# pawl check: what the gate would say, with nothing run and nothing written.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission

it "without a log, the mission's own seeds are in force; exit 3 when a step would be held; no log is made"
runs 3 pawl check mission.yaml --json
jq -e 'map(.step_id + " " + .recommended_action) == ["research proceed", "specify block", "publish proceed"] and
        (.[1] | .overall_severity == "high" and .blocked and .findings[0].term == "workspace" and
        (.findings[0].candidate_senses | length) == 2)' out >/dev/null
[ "$(wc -l <err)" -eq 1 ]
says "^pawl: step specify: generation would be held" err
[ ! -e .pawl ] && [ ! -e journal ]

it "people get a table of the steps and one of the findings"
runs 3 pawl check mission.yaml
says '^STEP +STRICTNESS +TERMS +FINDINGS +SEVERITY +VERDICT$' out
says '^specify +medium +1 +1 +high +block$' out
says '^specify +workspace +ambiguous +high +2 +Refunds land' out

it "and the verdict comes last, wherever both go"
code=0
pawl check mission.yaml >both 2>&1 || code=$?
same "$code $(tail -n 1 both | cut -d: -f1-2)" "3 pawl: step specify"

it "one step alone: exit 0 when it would pass, 1 when there is none of that id"
runs 0 pawl check mission.yaml --step research
fails 1 "^pawl: step nobody: " pawl check mission.yaml --step nobody

it "with a log, what was answered counts, and no event is written"
runs 3 pawl run mission.yaml
runs 0 pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --pick 1
before=$(eventlog head)
runs 0 pawl check mission.yaml
same "$(eventlog head)" "$before"

it "the verdict is the one that the run comes to"
runs 0 pawl resume

it "what is wrong with a mission is said with file and line"
printf 'mission: m\nsteps:\n  - {id: a, run: ["true"]}\n  - {id: a, run: ["true"]}\n' >twice.yaml
fails 1 "^pawl: .*twice.yaml: line 4: " pawl check twice.yaml
sed 's/team.yaml/nowhere.yaml/' mission.yaml >seedless.yaml
fails 1 "^pawl: glossary.team_domain: .*/nowhere.yaml: there is no such file; " pawl check seedless.yaml
fails 1 "^pawl: glossary.team_domain: .*/nowhere.yaml: there is no such file; " pawl run seedless.yaml
fails 1 "^pawl: nowhere.yaml: |^pawl: .*/nowhere.yaml: " pawl check nowhere.yaml

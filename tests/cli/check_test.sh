# pawl check: what the gate would say, with nothing run and nothing written.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission

it "without a log, the mission's own seeds are in force; exit 3 when a step would be held; no log is made"
runs 3 pawl check mission.yaml --json
jq -e 'map(.step_id + " " + .recommended_action) == ["research proceed", "specify block", "publish depends on specify"] and
        (.[1] | .overall_severity == "high" and .blocked and .findings[0].term == "workspace" and
        (.findings[0].candidate_senses | length) == 2)' out >/dev/null
[ "$(wc -l <err)" -eq 1 ]
says "^pawl: step specify: generation would be blocked" err
[ ! -e .pawl ]
[ ! -e journal ]

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

it "a program that is not there is refused, looked for as run would: from the mission's directory, or by PATH"
mkdir -p sub/bin
one_step() {
        printf 'mission: m\nsteps:\n  - {id: first, run: ["true"]}\n  - {id: a, run: [%s]}\n' "$1" >sub/m.yaml
}
one_step frobnicate
fails 1 '^pawl: step a: frobnicate: no such command; check run and PATH$' pawl check sub/m.yaml
runs 0 pawl check sub/m.yaml --step first
one_step ./bin/tool
fails 1 "^pawl: step a: ./bin/tool: no such command; check run and the mission's directory$" pawl check sub/m.yaml --json
echo '#!/bin/sh' >sub/bin/tool
fails 1 '^pawl: step a: ./bin/tool: is not executable; chmod \+x it$' pawl check sub/m.yaml
chmod +x sub/bin/tool
runs 0 pawl check sub/m.yaml
(cd / && pawl check "$OLDPWD/sub/m.yaml" >/dev/null)
echo '#!/no/such/interpreter -x' >sub/bin/tool
fails 1 "^pawl: step a: ./bin/tool: its interpreter is not there; fix the file's #! line$" pawl check sub/m.yaml
runs 1 pawl run sub/m.yaml --db new/events.db
says "^pawl: step a: ./bin/tool: its interpreter is not there; fix the file's #! line" err
one_step ./bin
fails 1 '^pawl: step a: ./bin: is a directory; name a command in it$' pawl check sub/m.yaml
one_step tool
echo '#!/bin/sh' >sub/bin/tool
fails 1 '^pawl: step a: tool: no such command' pawl check sub/m.yaml
PATH=bin:$PATH runs 0 pawl check sub/m.yaml
[ ! -e .pawl ]
[ ! -e sub/.pawl ]

it "so is a pointer that cannot resolve, whatever the steps print"
for from in later nobody 'first#summary' 'first#/a~2' a; do
        printf 'mission: m\nsteps:\n  - {id: first, run: ["true"]}\n  - {id: a, inputs: {x: {$from: "%s"}}, run: ["true"]}\n  - {id: later, run: ["true"]}\n' \
                "$from" >sub/m.yaml
        fails 1 "^pawl: .*sub/m.yaml: line 4: steps\[1\].inputs.x[.:]" pawl check sub/m.yaml
done

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

it "says whose outputs a step's verdict depends on, unless nothing would be checked"
cat >open.yaml <<'MISSION'
mission: open
steps:
  - {id: a, run: [echo, a]}
  - {id: b, run: [echo, b]}
  - {id: c, inputs: {x: {$from: b}, y: [{$from: "a#/z"}, {$from: b}]}, run: [cat]}
  - {id: d, strictness: off, inputs: {x: {$from: b}}, run: [cat]}
  - {id: e, glossary_check: disabled, inputs: {x: {$from: b}}, run: [cat]}
MISSION
runs 0 pawl check open.yaml
says '^c +medium .* depends on a, b$' out
says '^d +off .* proceed$' out
says '^e .* proceed$' out

# pawl check --against: which steps of a recorded run a mission would run again, with nothing run and nothing written.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
sed -i 's/^steps:/params: {topic: {type: string, default: refunds}, way: {type: string, default: fast}}\nsteps:/
        s/topic: refunds }/topic: {$param: topic} }/; s/\[sh, -c, "echo publish >>journal; echo done"\]/[sh, -c, "echo publish >>journal; echo done", {$param: way}]/' mission.yaml
runs 3 pawl run mission.yaml --run yesterday --set topic=returns
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')

# against CODE WANTED OPTION...: what it says, a step a word.
against() {
        local code=$1 wanted=$2
        shift 2
        runs "$code" pawl check mission.yaml --against yesterday --json "$@"
        same "$(jq -r '[.[] | .step_id + "=" + .verdict + ([.reasons[] | "," + .] | join(""))] | join(" ")' out)" "$wanted"
        if [ "$code" = 0 ]; then is_empty err; else same "$(wc -l <err)" 1; fi
}

it "a step that is held is blocked; nothing else has changed"
against 4 "research=same specify=blocked,glossary publish=again,\$from specify"
says "^pawl: mission refund-service: would not go as run yesterday did: specify, publish; " err

runs 0 pawl resolve "$conflict" --pick 1
runs 0 pawl resume yesterday
before=$(eventlog head)
runs=$(sort journal)

it "the mission and glossary that the run had, with its parameters: all is the same; exit 0"
against 0 "research=same specify=same publish=same"
runs 0 pawl check mission.yaml --against yest
says '^STEP +VERDICT +REASONS$' out
says '^publish +same *$' out

it "other inputs, and what takes from them; one step alone"
cp mission.yaml first.yaml
sed -i 's/Refunds land in/They land in/' mission.yaml
against 4 "research=same specify=again,inputs publish=again,\$from specify"
against 0 "research=same" --step research
against 4 "publish=again,\$from specify" --step publish
fails 1 '^pawl: step nobody: mission refund-service has none of that id; ' pawl check mission.yaml --against yesterday --step nobody
cp first.yaml mission.yaml

it "another parameter counts where it is taken: in inputs, or in a command"
against 4 "research=again,inputs specify=again,\$from research publish=again,\$from specify" --set topic=refunds
against 4 "research=same specify=same publish=again,command" --set way=slow

it "another command, another environment"
sed -i 's/echo done/echo ready/' mission.yaml
against 4 "research=same specify=same publish=again,command"
cp first.yaml mission.yaml
sed -i 's/^steps:/env: {MODE: fast}\nsteps:/' mission.yaml
against 4 "research=again,command specify=again,command,\$from research publish=again,command,\$from specify"
cp first.yaml mission.yaml

it "order; a new step; one that is gone"
awk '/- id: research/{hold=1} /- id: specify/{hold=0} hold{held=held $0 "\n"; next} {print} END{printf "%s", held}' first.yaml |
        sed '/earlier:/d' >mission.yaml
against 4 "specify=again,inputs publish=again,\$from specify research=again,order"
{ cat first.yaml; printf '  - {id: tell, run: ["true"]}\n'; } >mission.yaml
against 4 "research=same specify=same publish=same tell=again,added"
sed '/- id: publish/,$d' first.yaml >mission.yaml
against 0 "research=same specify=same publish=same,removed"
cp first.yaml mission.yaml

it "a glossary edit: a definition that a step was told and does not hold any more"
cp team.yaml team.first
sed -i 's/The account that/An account which/' team.yaml
against 0 "research=same specify=same publish=same" # what a person answered goes before
cat >>team.yaml <<'END'
  - {surface: refund, definition: Money that goes back.}
  - {surface: refund, definition: A credit note.}
END
sed -i 's/    critical: true/    critical: true\n    strictness: max/' mission.yaml
against 4 "research=same specify=blocked,glossary publish=again,\$from specify"
cp team.first team.yaml
cp first.yaml mission.yaml

it "a mission of another id, a run that is not there, no log: exit 1"
sed 's/refund-service/other/' first.yaml >other.yaml
fails 1 '^pawl: .*other.yaml: is mission other, but run yesterday is one of refund-service; ' pawl check other.yaml --against yesterday
fails 1 '^pawl: run nowhere: ' pawl check mission.yaml --against nowhere
mkdir elsewhere
(cd elsewhere && on_server || fails 1 '^pawl: ' pawl check ../mission.yaml --against yesterday --db no.db)

it "nothing was run, and nothing written"
same "$(eventlog head)" "$before"
same "$(sort journal)" "$runs"
runs 0 eventlog replay --check

it "what people changed since counts for a fork too, in steps that it has from the other run"
forked=$(pawl fork yesterday --from publish --yes --json 2>/dev/null | jq -r .run_id)
terms=$(pawl runs --id yesterday --json | jq -c '.steps[1].terms')
[ "$(jq length <<<"$terms")" -gt 0 ]
same "$(pawl runs --id "$forked" --json | jq -c '.steps[1].terms')" "$terms"
again=$(pawl fork "$forked" --from publish --yes --json 2>/dev/null | jq -r .run_id)
same "$(pawl runs --id "$again" --json | jq -c '.steps[1].terms')" "$terms"
runs 0 pawl check mission.yaml --against "$forked"
runs 0 pawl glossary edit workspace --mission refund-service --define "Where refunds land."
says "^step specify of run $forked completed with the former sense" out
against 4 "research=same specify=again,glossary publish=again,\$from specify"
runs 4 pawl check mission.yaml --against "$forked" --json
same "$(jq -c '.[1]' out)" '{"step_id":"specify","verdict":"again","reasons":["glossary"]}'
same "$(pawl runs --id "$forked" --json | jq -c '.steps[1].terms')" "$terms"
same "$(pawl runs --id "$again" --json | jq -c '.steps[1].terms')" "$terms"
runs 0 pawl resume "$forked" --rerun-changed
same "$(eventlog list --type StepStarted --run "$forked" --json | jq -rs 'map(.step_id) | join(" ")')" "specify publish"

it "a definition that a step was told, in seeds alone"
forget_log
cat >plain.yaml <<'END'
mission: plain
glossary: {team_domain: desk.yaml}
steps:
  - {id: a, inputs: {description: Refunds land on the desk.}, run: [echo, one]}
  - {id: b, inputs: {text: {$from: a}}, run: [echo, two]}
  - {id: c, inputs: {text: Nothing.}, run: [echo, three]}
END
printf 'terms:\n  - {surface: desk, definition: A table.}\n' >desk.yaml
runs 0 pawl run plain.yaml --run plain
runs 0 pawl check plain.yaml --against plain
printf 'terms:\n  - {surface: desk, definition: A counter.}\n' >desk.yaml
runs 4 pawl check plain.yaml --against plain --json
same "$(jq -c '[.[] | [.step_id, .verdict, .reasons]]' out)" '[["a","again",["glossary"]],["b","again",["$from a"]],["c","same",[]]]'

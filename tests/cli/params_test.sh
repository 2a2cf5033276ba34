# A mission's parameters: given, refused, recorded, and the same after a resume.
. "$SOURCE_DIR/tests/cli/shared.sh"
export PAWL_DB=$PWD/.pawl/events.db

cat >mission.yaml <<'MISSION'
mission: release
params:
  version: {type: string, description: what is released}
  count: {type: number, default: 2}
steps:
  - id: build
    inputs: {version: {$param: version}, again: {$param: count}}
    run: [sh, -c, 'echo "$0 $1" >>built; cat', {$param: version}, {$param: count}]
  - id: publish
    inputs: {$param: version}
    run: [sh, -c, 'test -e fixed || exit 3; cat >published']
MISSION

it "prints the parameters with --help"
runs 0 pawl run mission.yaml --help
says '^  --set version=string +what is released \(required\)$' out
says '^  --set count=number +\(default: 2\)$' out

it "refuses a run whose parameter has no value, or that lacks another thing, and leaves no log"
fails 1 'parameter version: has no value; set version=VALUE' pawl run mission.yaml
fails 1 'run id "x/y": holds a slash' pawl run mission.yaml --set version=1 --run x/y
printf 'mission: m\nsecrets: [NOT_SET]\nsteps: [{id: a, run: ["true"]}]\n' >secret.yaml
fails 1 'secret NOT_SET: is not set' pawl run secret.yaml
printf 'mission: m\nglossary: {team_domain: seed.yaml}\nsteps: [{id: a, run: ["true"]}]\n' >seeded.yaml
fails 1 'glossary.team_domain: .*seed.yaml: there is no such file' pawl run seeded.yaml
printf 'terms:\n- {surface: word}\n' >seed.yaml
fails 1 'seed.yaml: line 2' pawl submit seeded.yaml
cp seeded.yaml $'\xff.yaml'
fails 1 'mission m: the path of its file is not UTF-8' pawl run $'\xff.yaml'
rm $'\xff.yaml'
[ ! -e .pawl ]
begin_log

it "refuses what is not declared, or not of the type"
fails 1 'parameter vers: .*did you mean version' pawl run mission.yaml --set vers=1
fails 1 'parameter count: "x" is no number' pawl run mission.yaml --set version=1 --set count=x
misused '--set version: is no NAME=VALUE' pawl run mission.yaml --set version
misused '--set =1.0: is no NAME=VALUE' pawl run mission.yaml --set =1.0
same "$(events RunStarted)" 0
[ ! -e built ]

it "runs with what was given, --set before --params"
printf 'version: "0.9"\ncount: 5\n' >p.yaml
runs 1 pawl run mission.yaml --run r1 --params p.yaml --set 'version=1.4 "x"=y'
same "$(cat built)" '1.4 "x"=y 5'
same "$(pawl output r1 build)" '{"again":5,"version":"1.4 \"x\"=y"}'

it "records them"
same "$(eventlog export | jq -c 'select(.type == "RunStarted") | .payload.params')" '{"count":5,"version":"1.4 \"x\"=y"}'

it "goes on with the recorded ones, whatever the defaults are now"
sed -i 's/default: 2/default: 9/' mission.yaml
fails 1 'run r1: goes on with the parameters that it began with' pawl run mission.yaml --resume --set version=2
touch fixed
runs 0 pawl resume r1
same "$(cat published)" '"1.4 \"x\"=y"'
same "$(wc -l <built)" 1
runs 0 eventlog replay --check

it "hashes inputs with them: the same values alike, others not"
for version in 7 7 8; do runs 0 pawl run mission.yaml --fresh --set version=$version; done
same "$(eventlog export | jq -r 'select(.type == "StepStarted" and .step_id == "build") | .payload.input_hash' | tail -3 | uniq -c | awk '{print $1}' | xargs)" "2 1"

it "submits with them, and a worker has them"
rm -f published
runs 0 pawl submit mission.yaml --run s1 --set version=s
fails 1 'parameter version: has no value' pawl submit mission.yaml --run s2
runs 0 pawl work --once --dir "$PWD.work"
same "$(pawl output s1 build)" '{"again":9,"version":"s"}'
rm -rf "$PWD.work"

it "refuses an unknown parameter in check, and checks one without values"
runs 0 pawl check mission.yaml
sed 's/{$param: count}]/{$param: cuont}]/' mission.yaml >wrong.yaml
fails 1 'steps\[0\].run\[4\].\$param: no parameter is called "cuont"; did you mean count' pawl check wrong.yaml

it "checks one with values: inputs as a run would hash them, and the command that they name"
wanted=$(echo '{"version":"8","again":9}' | pawl hash)
eventlog export | grep -q "\"input_hash\":\"$wanted\""
printf 'version: "8"\n' >p.yaml
for given in '--set version=8' '--params p.yaml'; do
	runs 0 pawl check mission.yaml --json $given
	same "$(jq -r '.[0].input_hash' out)" "$wanted"
done
runs 0 pawl check mission.yaml --help
says '^  --set version=string +what is released \(required\)$' out
printf 'mission: tool\nparams: {tool: {type: string}}\nsteps:\n- {id: a, run: [{$param: tool}]}\n' >tool.yaml
runs 0 pawl check tool.yaml
runs 0 pawl check tool.yaml --set tool=true
fails 1 'step a: no-such-tool: no such command' pawl check tool.yaml --set tool=no-such-tool

it "refuses in check what a run refuses, and writes nothing"
before=$(eventlog head)
fails 1 'parameter vers: .*did you mean version' pawl check mission.yaml --set vers=1
fails 1 'parameter count: "x" is no number' pawl check mission.yaml --set count=x
fails 1 'nowhere.yaml' pawl check mission.yaml --params nowhere.yaml
misused '--set version: is no NAME=VALUE' pawl check mission.yaml --set version
same "$(eventlog head)" "$before"

it "puts parameters into texts: of commands, variables, directories, inputs and questions"
mkdir -p d1.4
cat >texts.yaml <<'MISSION'
mission: texts
params: {v: {type: string}, n: {type: json, default: {a: "{$param: v}"}}}
env: {ALL: "all-{$param: v}"}
steps:
  - id: word
    inputs: {t: "v{$param: v}", list: ["{$param:v}-{$param: n}", "{$$param: v}", "{$params: v}"]}
    env: {ONE: "one-{$param: v}"}
    cwd: "d{$param: v}"
    run: [sh, -c, 'cat; printf "|%s|%s|%s|%s" "$0" "$ALL" "$ONE" "${PWD##*/}"', "V={$param: v} {$$param: v} {$paramount}"]
  - {id: text, inputs: "only {$param: v}", run: [cat]}
  - {id: asks, ask: {question: "Publish {$param: v}, {$$param: v}?"}}
MISSION
runs 3 pawl run texts.yaml --run t1 --set v=1.4 --no-input
same "$(pawl output t1 word)" '{"list":["1.4-{\"a\":\"{$param: v}\"}","{$param: v}","{$params: v}"],"t":"v1.4"}|V=1.4 {$param: v} {$paramount}|all-1.4|one-1.4|d1.4'
same "$(pawl output t1 text)" 'only 1.4'
says 'Publish 1.4, \{.param: v\}' err

it "keeps them as they are written in the recorded mission"
runs 0 pawl check texts.yaml --against t1 --set v=1.4
document=$(eventlog export --run t1 | jq -r 'select(.type == "RunStarted") | .payload.mission_document')
sqlite3 "$PAWL_DB" "SELECT content FROM blobs WHERE hash = x'$document'" >document
says 'V=\{.param: v\} ' document
says '"cwd":"d\{.param: v\}"' document

it "notices in a fork who takes another value in a text"
runs 0 pawl fork t1 --from text --dir fork --set v=2
says 'step word: completed with the former value of v' err

it "refuses values that lead out, names that are not declared and texts without an end"
fails 1 'leads out of the mission file.s directory as "d/../.."' pawl run texts.yaml --run t2 --set v=/../.. --no-input
misses='no parameter is called "nope"'
printf 'mission: m\nsteps:\n  - {id: a, run: [echo, "v{$param: nope}"]}\n' >m2.yaml
fails 1 "line 3: .*$misses" pawl check m2.yaml
printf 'mission: m\nparams: {v: {}}\nsteps:\n  - id: a\n    inputs: {t: [x, "a {$param: nope}"]}\n    run: [cat]\n' >m3.yaml
fails 1 "line 5: steps\[0\].inputs.*t\[1\].*$misses" pawl run m3.yaml --set v=1
printf 'mission: m\nsteps:\n  - {id: a, cwd: "{$param: nope}", run: [cat]}\n' >m4.yaml
fails 1 "line 3: .*$misses" pawl check m4.yaml
printf 'mission: m\nsteps:\n  - {id: a, env: {A: "{$param: v"}, run: [cat]}\n' >m5.yaml
fails 1 'line 3: .*takes a parameter as {.param: NAME} alone' pawl check m5.yaml

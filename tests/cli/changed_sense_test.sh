# A sense that changed after a step had completed with it: who was told what, and running it again.
. "$SOURCE_DIR/tests/cli/shared.sh"
cat >team.yaml <<'END'
terms:
  - {surface: workspace, definition: A folder.}
  - {surface: desk, definition: A table.}
END
cat >mission.yaml <<'END'
mission: refunds
glossary: {team_domain: team.yaml}
steps:
  - id: research
    inputs: { description: Refunds land on the desk. }
    run: [sh, -c, "echo research >>journal; cat $PAWL_GLOSSARY_TEXT >>told; echo 1"]
  - id: specify
    inputs: { description: They land in the workspaces. }
    run: [sh, -c, "echo specify >>journal; cat $PAWL_GLOSSARY_TEXT >>told; echo '{\"a\": 2}'"]
  - id: derive
    inputs: { text: { $from: "specify#/a" } }
    run: [sh, -c, "echo derive >>journal"]
  - id: publish
    inputs: { description: The workspace it is. }
    run: [sh, -c, "echo publish >>journal; test -e go && cat $PAWL_GLOSSARY_TEXT >>told"]
END
terms() { pawl runs --id "$1" --json | jq -r '.steps[] | "\(.step_id):\([.terms[].definition] | join(","))"' | tr '\n' ' '; }
journal() { tr '\n' ' ' <journal; rm journal; }
runs 1 pawl run mission.yaml --run one
journal >/dev/null

it "who changes a sense is told which steps completed with it, and how to run them again"
runs 0 pawl glossary edit workspace --define "An account."
same "$(head -1 out)" '"workspace" means that'
says '^step specify of run one completed with the former sense; `pawl resume one --rerun-changed` runs it again$' out
lacks 'research|derive|publish' out

it "a completed step was told what it was told; one that is to run is told what holds"
same "$(terms one)" "research:A table. specify:A folder. derive: publish:An account. "
pawl handoff --json >handoff.json
same "$(jq -r '[.. | .definition? // empty] | unique | join(" ")' handoff.json)" "An account."

it "a resume that is not asked to goes on as it is"
rm told
touch go
runs 0 pawl resume one
same "$(journal)" "publish "
same "$(cat told)" "- **workspace**: An account."
same "$(events RunMissionChanged)" 0
same "$(terms one)" "research:A table. specify:A folder. derive: publish:An account. "

it "--rerun-changed runs again what was told otherwise, and what takes from it; recorded as a change"
rm go told
runs 1 pawl run mission.yaml --run two --fresh
same "$(journal)" "research specify derive publish "
runs 0 pawl glossary edit workspace --define "Where customers work."
says '^step specify of run one completed with' out && false
says '^step publish of run one completed with the former sense$' out
says '^step specify of run two completed with the former sense; `pawl resume two --rerun-changed` runs it again$' out
touch go
rm told
runs 0 pawl resume two --rerun-changed --json
same "$(jq -c '[.status, .mission_changed]' out)" '["completed",[{"step_id":"specify","change":"glossary"}]]'
same "$(journal)" "specify derive publish "
same "$(cat told)" "$(printf -- '- **workspace**: Where customers work.\n%.0s' 1 2)"
same "$(eventlog export | jq -c 'select(.type == "RunMissionChanged") | [.run_id, .payload.changes, .payload.rerun]')" \
        '["two",[{"change":"glossary","step_id":"specify"}],["specify","derive"]]'
same "$(terms two)" "research:A table. specify:Where customers work. derive: publish:Where customers work. "
runs 0 eventlog replay --check
before=$(eventlog head)
runs 0 pawl resume two --rerun-changed
same "$(eventlog head)" "$before"

it "with nothing told otherwise, --rerun-changed runs nothing again; a new term is no change"
rm go
runs 1 pawl run mission.yaml --run three --fresh
journal >/dev/null
printf 'terms:\n  - {surface: refund, definition: Money back.}\n' >more.yaml
runs 0 pawl glossary import more.yaml --scope core
touch go
runs 0 pawl resume three --rerun-changed
same "$(journal)" "publish "
same "$(events RunMissionChanged)" 1

it "where no step has completed there is none to run again"
sed 's/>>journal; cat $PAWL_GLOSSARY_TEXT >>told; echo 1"/; test -e first"/; s/^mission: refunds/mission: nothing/' mission.yaml >nothing.yaml
runs 1 pawl run nothing.yaml --run none
touch first
runs 0 pawl resume none --rerun-changed
rm journal

it "a sense that is retired or ignored is a change too; of a changed mission both are said"
rm go
runs 1 pawl run mission.yaml --run four --fresh
journal >/dev/null
runs 0 pawl glossary deprecate desk
says '^step research of run four completed with the former sense; `pawl resume four --rerun-changed`' out
sed -i 's/The workspace it is/The workspaces they are/; s/>>told; echo 1"/>>told; echo 3"/' mission.yaml
touch go
runs 0 pawl resume four --rerun-changed --json
same "$(jq -c '[.mission_changed[] | .step_id + ":" + .change]' out)" '["research:run","research:glossary","publish:inputs"]'
same "$(journal)" "research publish "
runs 0 eventlog replay --check

it "who ignores a word is told which steps completed with a sense of it, by an alias too, and of the mission alone where it is the mission's"
forget_log
rm -f go
printf 'terms:\n  - {surface: lamp, definition: A light., aliases: [lantern]}\n' >lamps.yaml
cat >lamps_mission.yaml <<'END'
mission: lamps
glossary: {core: lamps.yaml}
steps:
  - {id: look, inputs: {description: A lantern., prompt: Nothing else.}, run: [sh, -c, "echo look >>journal"]}
  - {id: wait, run: [test, -e, go]}
END
sed 's/^mission: lamps/mission: others/' lamps_mission.yaml >others.yaml
runs 1 pawl run lamps_mission.yaml --run lamps
runs 1 pawl run others.yaml --run others
journal >/dev/null
runs 0 pawl glossary ignore lantern --mission lamps
says '^step look of run lamps completed with the former sense; `pawl resume lamps --rerun-changed` runs it again$' out
lacks 'run others' out
runs 0 pawl glossary ignore lamp
says '^step look of run others completed with the former sense' out
runs 0 pawl glossary ignore lamp
same "$(cat out)" '"lamp" already is ignored'
touch go
runs 0 pawl resume others --rerun-changed
same "$(journal)" "look "
runs 0 eventlog replay --check

it "a definition that another term has too does not hide the change"
forget_log
rm -rf go
printf 'terms:\n  - {surface: lamp, definition: A thing.}\n  - {surface: kettle, definition: A thing.}\n' >things.yaml
cat >things_mission.yaml <<'END'
mission: things
glossary: {core: things.yaml}
steps:
  - {id: look, inputs: {description: Lamps and a kettle.}, run: [sh, -c, "echo look >>journal"]}
  - {id: wait, run: [test, -e, go]}
END
runs 1 pawl run things_mission.yaml --run things
runs 0 pawl glossary edit lamp --define "A light."
touch go
runs 0 pawl resume things --rerun-changed --json
same "$(jq -c .mission_changed out)" '[{"step_id":"look","change":"glossary"}]'
same "$(journal)" "look look "

it "--replace names the steps that completed with the first answer, and that they can be run again"
forget_log
rm -rf go
cat >team.yaml <<'END'
terms:
  - {surface: workspace, definition: A folder.}
  - {surface: workspace, definition: An account.}
END
sed -i 's/^  - id: specify/  - id: specify\n    critical: true/' mission.yaml
runs 3 pawl run mission.yaml --run one --no-input
conflict=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl resolve "$conflict" --pick 1
runs 1 pawl resume one
before=$(eventlog head)
fails 1 'step specify of run one has completed with the former answer' pawl resolve "$conflict" --pick 2 --replace
same "$(eventlog head)" "$before"
journal >/dev/null
runs 0 pawl glossary edit workspace --mission refunds --define "Both."
says '^step specify of run one completed with the former sense; `pawl resume one --rerun-changed`' out
touch go
runs 0 pawl resume one --rerun-changed
same "$(journal)" "specify derive publish "
same "$(terms one)" "research: specify:Both. derive: publish:Both. "

it "each run is replayed alone as in the whole log"
runs_replay_alone

# examples/release, as its page tells it: looked over side by side, asked, packed, told.
. "$SOURCE_DIR/tests/cli/shared.sh"
cp -r "$SOURCE_DIR/examples/release/." .
answer() { pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --answer "$1" >/dev/null; }

it "the run is held until somebody answers, and that is told"
runs 3 pawl run --no-input --set version=1.1.0 mission.yaml
same "$(pawl conflicts --json | jq -r '.[0].term')" 'Release greet 1.1.0?'
[ ! -e dist ]
same "$(awk '{print $2}' told.txt)" GenerationBlockedBySemanticConflict

it "an answer that is no option is refused"
fails 1 'yes' pawl resolve "$(pawl conflicts --json | jq -r '.[0].conflict_id')" --answer perhaps

it "yes packs and announces it, once"
answer yes
runs 0 pawl resume
tar -tzf dist/greet-1.1.0.tar.gz >files
same "$(sort files | tr '\n' ' ')" "greet-1.1.0/ greet-1.1.0/greet greet-1.1.0/manual.txt "
same "$(wc -l <dist/ANNOUNCED)" 1
(cd dist && awk '{print $3 "  " $2}' ANNOUNCED | sed 's|dist/||' | sha256sum -c --quiet)
same "$(awk '{print $2}' told.txt | tail -n 1)" RunCompleted

it "a version that was released is refused, before anybody is asked"
runs 1 pawl run --no-input --fresh --set version=1.1.0 mission.yaml
says 'dist/greet-1\.1\.0\.tar\.gz is there; give a later version' err
same "$(pawl conflicts --json | jq length)" 0

it "no packs nothing: what comes of it is skipped"
runs 3 pawl run --no-input --fresh --set version=1.2.0 mission.yaml
answer no
run=$(pawl runs --json | jq -r '[.runs[] | select(.status == "blocked")][0].run_id')
runs 0 pawl resume "$run"
[ ! -e dist/greet-1.2.0.tar.gz ]
same "$(pawl output "$run" announce)" null

it "the same bytes come out on another day"
sha256sum dist/greet-1.1.0.tar.gz >before
rm dist/greet-1.1.0.tar.gz
runs 3 pawl run --no-input --fresh --set version=1.1.0 mission.yaml
answer yes
runs 0 pawl resume "$(pawl runs --json | jq -r '[.runs[] | select(.status == "blocked")][0].run_id')"
sha256sum -c --quiet before
runs 0 eventlog replay --check

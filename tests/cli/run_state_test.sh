# Needs PAWL_WITH_ARCHIVE.
# The state of a run's checkpoints: what the log says at their place, in the log of another machine what its
# archive says, and in a log of an earlier version the copy that it kept.
. "$SOURCE_DIR/tests/cli/shared.sh"

# states COMMAND...: the steps that are completed at each checkpoint, and the hashes of their outputs.
states() {
        pawl checkpoints --json | jq -r '.[].n' | while read -r n; do
                "$@" show "$n" --document state 2>/dev/null | jq -c '[.run_id, (.steps | map_values(.output_hash[:8]))]'
        done
}

cat >mission.yaml <<'END'
mission: build
steps:
  - {id: first, run: [sh, -c, "echo 1 >first.txt; echo '{\"made\": 1}'"]}
  - {id: second, run: [sh, -c, "echo 2 >second.txt; date +%N"]}
  - {id: third, run: ["true"]}
END

it "is what its steps were right then, and the log keeps no copy of it"
runs 0 pawl init
runs 0 pawl run mission.yaml --run one
same "$(pawl checkpoints --json | jq -c '[.[] | [.n, .state_hash]]')" '[[1,null],[2,null],[3,null],[4,null]]'
same "$(pawl show 1 --document state | jq -c '.steps | keys')" '[]'
same "$(pawl show 2 --document state | jq -c '.steps | keys')" '["first"]'
same "$(pawl show 3 --document state | jq -c '.steps | keys')" '["first","second"]'
same "$(pawl show 4 --document state | jq -c '[.mission_id, .run_id, (.steps | keys)]')" \
        '["build","one",["first","second","third"]]'
same "$(pawl show 4 --document state | jq -r .steps.first.status)" completed
before=$(states pawl)

it "stays what it was when the run goes back and on"
runs 0 pawl rollback 2 --yes
runs 0 pawl resume one
states pawl >after
same "$(head -n 4 after)" "$before"
[ "$(tail -n 1 after | jq -r '.[1].second')" != "$(sed -n 4p after | jq -r '.[1].second')" ]
runs 0 eventlog replay --check

it "is carried by an archive into a log that has no such run"
runs 0 pawl export 1 2 3 4 -o run.tar.zst --json
digest=$(jq -r .digest out)
runs 0 pawl export 1 -o one.tar.zst
mkdir other
(
        cd other
        own_log
        runs 0 pawl checkpoint own
        runs 0 pawl import ../run.tar.zst --json
        same "$(jq -r .digest out)" "$digest"
        same "$(pawl checkpoints --json | jq -c '[.[] | .run_id]')" '[null,null,null,null,null]'
        for n in 2 3 4 5; do pawl show $n --document state; done |
                jq -c '[.run_id, (.steps | map_values(.output_hash[:8]))]' >states
        same "$(cat states)" "$before"
        same "$(pawl diff 3 4 --json | jq -c '[.members[].path]')" '["state.steps.second"]'
        runs 0 pawl validate
        runs 0 eventlog verify
        runs 0 eventlog replay --check
)

it "and on from there"
mkdir third
(
        cd other
        own_log
        runs 0 pawl export 2 3 4 5 -o ../again.tar.zst --json
        same "$(jq -r .digest out)" "$digest"
)
(
        cd third
        own_log
        runs 0 pawl import ../again.tar.zst
        for n in 1 2 3 4; do pawl show $n --document state; done |
                jq -c '[.run_id, (.steps | map_values(.output_hash[:8]))]' >states
        same "$(cat states)" "$before"
)

! on_server || exit 0 # of files

it "a log of an earlier version has its copies, and is gone back in by them"
mkdir old
(
        cd old
        mkdir .pawl
        cp "$SOURCE_DIR/tests/golden/logs/v4.db" .pawl/events.db
        same "$(pawl checkpoints --json | jq -r '.[0].state_hash | length')" 64
        same "$(pawl show 1 --document state | jq -c '[.mission_id, .run_id, (.steps | keys)]')" \
                '["refund-service","one",["research"]]'
        runs 0 pawl export 1 -o ../old.tar.zst
        runs 0 pawl validate 1
        sqlite3 .pawl/events.db 'UPDATE leases SET held = 0' # the machine is gone
        runs 0 pawl rollback 1 --yes
        [ -s mission.yaml ]
        same "$(eventlog replay --json | jq -c '.runs[] | select(.run_id == "one") | [.steps[].status]')" \
                '["completed","pending","pending"]'
        runs 0 eventlog replay --check
)
zstd -dc old.tar.zst | tar xOf - manifest.json | jq -e '.version == 1'

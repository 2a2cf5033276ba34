# --json of commands that answer in one line: what a program reads in place of it.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
sed -i 's/in the workspace/in the workspace of the ledger/' mission.yaml
cat >>team.yaml <<'END'
  - surface: ledger
    definition: A book.
  - surface: ledger
    definition: A table.
    confidence: 0.9
END
runs 3 pawl run mission.yaml --run one --no-input

it "resolve tells which conflict, and how many more answers the step needs"
mapfile -t conflicts < <(pawl conflicts --json | jq -r '.[].conflict_id')
[ ${#conflicts[@]} -eq 2 ]
runs 0 pawl resolve "${conflicts[0]:0:6}" --pick 1 --json
same "$(jq -c keys_unsorted out)" '["conflict_id","term","run_id","step_id","retry_token","open"]'
same "$(jq -r '"\(.conflict_id) \(.run_id) \(.step_id) \(.open)"' out)" "${conflicts[0]} one specify 1"
runs 0 pawl resolve "${conflicts[1]}" --define "What is owed." --json
same "$(jq -c .open out)" 0
token=$(jq -r .retry_token out)
runs 1 pawl resolve "${conflicts[1]}" --pick 1 --json
is_empty out
runs 0 pawl resume "$token" --json
same "$(jq -r .status out)" completed

it "head gives what its line says"
runs 0 eventlog head --json
same "$(jq -r '"\(.seq) \(.hash)"' out)" "$(eventlog head)"

it "verify says what it found, also of a log that is damaged"
runs 0 eventlog verify --json
same "$(jq -c '[keys_unsorted, .ok, .keyed, .macs_checked]' out)" \
        '[["events","head","ok","keyed","macs_checked","contents","blobs"],true,false,false]'
same "$(jq -r '"\(.head.seq) \(.head.hash)"' out)" "$(eventlog head)"
same "$(jq .events out)" "$(events)"
eventlog head >anchor
triggers=$(sqlite3 .pawl/events.db "SELECT group_concat('DROP TRIGGER ' || name, ';') FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")
log_damaged bad.db
cp .pawl/events.db bad.db
[ ! -e .pawl/events.db-wal ] || cp .pawl/events.db-wal bad.db-wal
sqlite3 bad.db "$triggers; UPDATE events SET actor = 'user:eve' WHERE seq = 4"
runs 5 eventlog verify --db bad.db --json
same "$(jq -c '[.ok, .bad_seq, .events]' out)" '[false,4,3]'
same "eventlog: $(jq -r .why out)" "$(cat err)"
sqlite3 .pawl/events.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
cp .pawl/events.db cut.db
sqlite3 cut.db "$triggers; DELETE FROM events WHERE seq > 5"
runs 5 eventlog verify --db cut.db --anchor anchor --json
same "$(jq -c '[.ok, .head.seq, .bad_seq > 5]' out)" '[false,5,true]'

it "verify says whether the MACs were checked"
head -c 32 /dev/urandom >key
chmod 600 key
mkdir keyed
cd keyed
runs 0 pawl init --key-file ../key
runs 0 pawl session start --mission paper --key-file ../key
runs 0 eventlog verify --json
same "$(jq -c '[.keyed, .macs_checked]' out)" '[true,false]'
runs 0 eventlog verify --json --key-file ../key
same "$(jq -c '[.keyed, .macs_checked]' out)" '[true,true]'
cd ..

it "what is told of a session gives the session as it then is"
listed() {
        same "$(jq -cS . out)" "$(pawl sessions --id "$(jq -r .session_id out)" --json |
                jq -cS '.[0] | del(.steps, .session_checkpoints, .workspace_checkpoints)')"
}
runs 0 pawl session start --mission paper --step intro --pending intro --json
listed
same "$(jq -r '"\(.mission_id) \(.status) \(.current_step)"' out)" "paper active intro"
id=$(jq -r .session_id out)
runs 0 pawl session update --done intro --step body --json
listed
same "$(jq -r '"\(.session_id) \(.steps_completed)"' out)" "$id 1"
runs 0 pawl session checkpoint --json
listed
same "$(jq -c .checkpoint out)" "$(eventlog list --type SessionCheckpointed -n 1 --json | jq .seq)"
runs 0 pawl session pin "$id" --json
listed
same "$(jq -c .pinned out)" true
runs 0 pawl session end --json
listed
same "$(jq -r .status out)" completed
runs 0 pawl session resume "$id" --json
listed
[ "$(jq -r .session_id out)" != "$id" ]
runs 1 pawl session pin nobody --json
is_empty out

it "a task that is done, with its checkpoint and the document"
runs 0 pawl task done body --json
same "$(jq -c keys_unsorted out)" '["task","session_id","mission_id","seq","handoff"]'
same "$(jq -r '"\(.task) \(.mission_id)"' out)" "body paper"
same "$(jq .seq out)" "$(eventlog head --json | jq .seq)"
pawl handoff | cmp - "$(jq -r .handoff out)"

it "with --commit, what git says stays out of the object"
git init -q .
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
runs 0 pawl task done end --commit --json
same "$(jq -r .task out)" end
says '^git: nothing is staged' err

it "a checkpoint that is pinned, as it is shown"
rm -rf .git
runs 0 pawl checkpoint one
runs 0 pawl pin 1 --json
same "$(jq -cS . out)" "$(pawl show 1 --json | jq -cS 'del(.not_captured, .changes, .state, .outputs, .subject, .include, .git_unread)')"
same "$(jq -c .pinned out)" true
runs 0 pawl pin 1 --off --json
same "$(jq -c .pinned out)" false

# Ways past `require_signed` without a key, by whoever can append events with right hashes, and change rows of the state
# tables: the gate stays shut.
. "$SOURCE_DIR/tests/cli/shared.sh"
command -v ssh-keygen >/dev/null || { echo "ssh-keygen is not installed"; exit 77; }
! on_server || command -v psql >/dev/null || { echo "psql is not installed"; exit 77; }

append() {
        python3 "$SOURCE_DIR/tests/cli/append_event.py" "${PAWL_DB:-.pawl/events.db}"
}

# change SQL: of the tables, whose names are in braces.
change() {
        if on_server; then
                psql -qAtX -v ON_ERROR_STOP=1 "${PAWL_DB%#*}" -c "$(sed -E "s/\{([a-z_]+)\} /pawl.\1 /; s/ WHERE / WHERE log_id = (SELECT log_id FROM pawl.logs WHERE name = '${PAWL_DB#*#}') AND /" <<<"$1")"
        else
                python3 -c 'import sqlite3, sys; c = sqlite3.connect(".pawl/events.db"); c.execute(sys.argv[1]); c.commit()' "$(tr -d '{}' <<<"$1")"
        fi
}

# keep TEXT: as a content of the log.
keep() {
        local hash hex
        hash=$(printf %s "$1" | sha256sum | cut -c 1-64)
        hex=$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')
        if on_server; then
                psql -qAtX "${PAWL_DB%#*}" -c "INSERT INTO pawl.blobs (log_id, hash, content) SELECT log_id, decode('$hash', 'hex'), decode('$hex', 'hex') FROM pawl.logs WHERE name = '${PAWL_DB#*#}' ON CONFLICT DO NOTHING"
        else
                change "INSERT OR IGNORE INTO blobs (hash, content) VALUES (x'$hash', x'$hex')"
        fi
        echo "$hash"
}

# last TYPE [FILTER]: the last event of that type, and what becomes of it.
last() {
        eventlog export | jq -c --arg type "$1" 'select(.type == $type)' | tail -n 1 | jq -c "${2:-.}"
}

ssh-keygen -q -t ed25519 -N '' -C '' -f ana
echo "user:ana $(cat ana.pub)" >allowed

# write_ask [STEP]: a mission that asks, then publishes; STEP is one before that.
write_ask() {
        cat >mission.yaml <<YAML
mission: release
require_signed: allowed
steps:
${1:-}
  - id: approve
    inputs: {version: "1.0"}
    ask: {question: "Publish?", options: ["yes", "no"]}
  - id: publish
    inputs: {said: {\$from: approve}}
    run: [sh, -c, "cat >>journal"]
YAML
}

write_term() {
        cat >team.yaml <<'YAML'
terms:
  - {surface: workspace, definition: A folder in which one step does its work.}
  - {surface: workspace, definition: The account that a customer's people share., confidence: 0.9}
YAML
        cat >mission.yaml <<'YAML'
mission: refund
require_signed: allowed
glossary: {team_domain: team.yaml}
steps:
  - id: specify
    critical: true
    inputs: {description: Refunds land in the workspace.}
    run: [sh, -c, "echo specified >>journal"]
  - id: publish
    run: [sh, -c, "echo published >>journal"]
YAML
}

begin() {
        forget_log
        rm -f journal
        runs 3 pawl run mission.yaml --run r1 --no-input
        id=$(pawl conflicts --json | jq -r '.[0].conflict_id')
}

# shut [PATTERN]: the run does not go on, whoever resumes it, and nothing behind the gate has run.
shut() {
        local code=0
        pawl resume r1 --no-input >out 2>err </dev/null || code=$?
        [ "$code" != 0 ] || { echo "it ended well"; return 1; }
        [ ! -e journal ] || { echo "it ran: $(cat journal)"; return 1; }
        [ -z "${1:-}" ] || says "$1" err
}

open_it() {
        runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
        runs 0 pawl resume r1 --no-input
        same "$(cat journal)" '{"said":"yes"}'
}

write_ask
begin
yes=$(keep '"yes"')
done_by=".type = \"StepCompleted\" | .payload = {output_hash: \"$yes\", exit_code: 0, input_hash: .payload.input_hash}"

it "a completion of the step that asks, which somebody appended"
last GlossaryClarificationRequested "$done_by" | append
shut 'seq [0-9]+'
for more in '.payload.skipped = true' '.payload.forked = true' '.payload += {skipped: true, reason: "when", exit_code: -1}' \
        '.payload += {skipped: true, exit_code: -1}'; do
        begin
        keep '"yes"' >/dev/null
        last GlossaryClarificationRequested "$done_by | $more" | append
        shut
done

it "the same, behind a beginning of the step"
for start in StepStarted StepResumed; do
        begin
        keep '"yes"' >/dev/null
        last GlossaryClarificationRequested ".type = \"$start\" | .payload = {input_hash: .payload.input_hash, retry_token: .payload.retry_token, cursor: \"pre_generation_gate\", inputs_changed: false}" | append
        last StepCheckpointed '.payload += {cursor: "post_gate", retry_token: "11111111-1111-4111-8111-111111111111"}' | append
        last GlossaryClarificationRequested "$done_by" | append
        shut
done

it "the same, with an answer that nobody signed, and with the end of the run"
begin
keep '"yes"' >/dev/null
resolved='.type = "GlossaryClarificationResolved" | .actor = "user:ana" | .payload |= {conflict_id, term_surface: .term, selected_sense: null, answer: "yes", input_hash, actor: {actor_id: "user:ana", actor_type: "human", display_name: "user:ana"}, resolution_mode: "async", provenance: {source: "answer", timestamp: "", actor_id: "user:ana"}}'
last GlossaryClarificationRequested "$resolved" | append
last GlossaryClarificationRequested '.type = "StepResumed" | .payload = {retry_token: .payload.retry_token, cursor: "pre_generation_gate", inputs_changed: false}' | append
last GlossaryClarificationRequested "$done_by" | append
shut
last RunStarted '.type = "StepStarted" | .step_id = "publish" | .payload = {input_hash: "'"$yes"'"}' | append
last RunStarted ".type = \"StepCompleted\" | .step_id = \"publish\" | .payload = {output_hash: \"$yes\", exit_code: 0, input_hash: \"$yes\"}" | append
last RunStarted '.type = "RunCompleted" | .payload = {}' | append
runs 5 pawl resume r1 --no-input
begin
last RunStarted '.type = "RunCompleted" | .payload = {}' | append
runs 5 pawl resume r1 --no-input

it "a checkpoint behind the gate, which somebody appended"
for cursor in post_gate post_clarification post_generation; do
        begin
        keep '"yes"' >/dev/null
        last StepCheckpointed ".payload += {cursor: \"$cursor\", retry_token: \"11111111-1111-4111-8111-111111111111\"} | if \"$cursor\" == \"post_generation\" then .payload.output_hash = \"$yes\" else . end" | append
        shut
        [ "$(pawl conflicts --json | jq length)" = 1 ] || [ "$(cat err)" != "" ]
done

it "an answer's signature is of no use in another log, nor for another question in this one"
begin
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
last GlossaryClarificationResolved >signed
begin
append <signed
shut "does not count: user:ana's signature is not good"
open_it

it "an answer's signature is of no use after a rollback past its question"
write_ask '  - {id: first, run: [touch, file]}'
forget_log
rm -f journal file
runs 3 pawl run mission.yaml --run r1 --no-input
id=$(pawl conflicts --json | jq -r '.[0].conflict_id')
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
last GlossaryClarificationResolved >signed
runs 0 pawl resume r1 --no-input
same "$(cat journal)" '{"said":"yes"}'
target=$(pawl checkpoints --json | jq '[.[] | select(.step_id == "first")][0].n')
runs 0 pawl rollback "$target" --yes
rm -f journal
runs 3 pawl resume r1 --no-input
append <signed
shut "does not count: user:ana's signature is not good"
open_it
write_ask

it "an earlier answer is not put back in force"
begin
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
last GlossaryClarificationResolved >signed
runs 0 pawl resolve "$id" --answer no --actor user:ana --sign ana --replace
same "$(last GlossaryClarificationResolved '.payload.replaces_hash')" "$(jq -c .hash signed)"
same "$(jq -c .payload.replaces_hash signed)" null
same "$(last GlossaryClarificationResolved '.payload.question_hash')" "$(last GlossaryClarificationRequested .hash)"
jq -c ".payload.replaces = $(last GlossaryClarificationResolved .seq)" signed | append
shut "does not count: user:ana's signature is not good"
begin
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
last GlossaryClarificationResolved >signed
runs 0 pawl resolve "$id" --answer no --actor user:ana --sign ana --replace
append <signed
shut 'seq [0-9]+ breaks a rule'

it "what the run requires is what the event says that it began with"
for what in "UPDATE {runs} SET mission_hash = NULL WHERE run_id = 'r1'" "UPDATE {runs} SET mission_hash = '$yes' WHERE run_id = 'r1'" \
        "UPDATE {runs} SET started_seq = 1 WHERE run_id = 'r1'" "UPDATE {runs} SET started_seq = 1, scope_refs = NULL WHERE run_id = 'r1'" \
        "UPDATE {runs} SET mission_path = 'other.yaml' WHERE run_id = 'r1'"; do
        begin
        change "$what"
        sed '/require_signed/d' mission.yaml >other.yaml
        pawl resolve "$id" --answer yes --actor user:ana >out 2>err && { echo "it was taken: $what"; exit 1; }
        shut
done
begin
document=$(last RunStarted | jq -r .payload.mission_document)
if on_server; then
        change "DELETE FROM {blobs} WHERE hash = decode('$document', 'hex')"
else
        change "DELETE FROM blobs WHERE hash = x'$document'"
fi
for file in with without; do
        [ $file = with ] || sed -i /require_signed/d mission.yaml
        fails 5 'run r1: the mission that it began with is not in the log any more; put back' pawl resolve "$id" --answer yes --actor user:ana
        shut 'the mission that it began with is not in the log'
        runs 5 pawl resume r1 --no-input --accept-changed-mission
done
write_ask

it "another beginning of the run, or another mission for it, lifts nothing"
sed '/require_signed/d' mission.yaml >plain.yaml
begin
runs 3 pawl run plain.yaml --run plain --no-input --fresh
plain=$(last RunStarted | jq -r .payload.mission_document)
runs 0 pawl cancel plain
for type in RunStarted RunMissionChanged; do
        eventlog export --run r1 | jq -c 'select(.type == "RunStarted")' |
                jq -c ".type = \"$type\" | .payload += {mission_document: \"$plain\", changes: [], rerun: []}" | append
        pawl status >out 2>err || true
        change "UPDATE {runs} SET started_seq = $(eventlog head | cut -d ' ' -f 1), mission_hash = '$plain', rules = rules & 31 WHERE run_id = 'r1'"
        cp mission.yaml kept.yaml
        cp plain.yaml mission.yaml
        pawl resolve "$id" --answer yes --actor user:ana >out 2>err && { echo "it was taken behind $type"; exit 1; }
        shut
        cp kept.yaml mission.yaml
done

it "rows of the state tables are not believed"
for what in "UPDATE {steps} SET status = 'completed', output_hash = '$yes', exit_code = 0 WHERE step_id = 'approve'" \
        "UPDATE {steps} SET cursor = 'post_gate' WHERE step_id = 'approve'" \
        "UPDATE {steps} SET status = 'pending', retry_token = NULL, cursor = NULL WHERE step_id = 'approve'" \
        "UPDATE {conflicts} SET status = 'resolved', resolved_seq = 1 WHERE step_id = 'approve'" \
        "DELETE FROM {conflicts} WHERE step_id = 'approve'" \
        "UPDATE {runs} SET status = 'completed' WHERE run_id = 'r1'"; do
        begin
        keep '"yes"' >/dev/null
        change "$what"
        shut
done

it "a mission's term that nobody answered with a good signature"
write_term
begin
null=$(keep 'null')
last GlossaryClarificationRequested ".type = \"StepCompleted\" | .payload = {output_hash: \"$null\", exit_code: 0, input_hash: .payload.input_hash}" | append
shut
begin
keep 'null' >/dev/null
last GlossaryClarificationRequested '.type = "StepResumed" | .payload = {retry_token: .payload.retry_token, cursor: "pre_generation_gate", inputs_changed: false}' | append
last SemanticCheckEvaluated '.payload += {blocked: false, findings: [], recommended_action: "proceed"}' | append
last StepCheckpointed '.payload += {cursor: "post_gate", retry_token: "11111111-1111-4111-8111-111111111111"}' | append
shut
begin
keep 'null' >/dev/null
last GlossaryClarificationRequested '.type = "StepResumed" | .payload = {retry_token: .payload.retry_token, cursor: "pre_generation_gate", inputs_changed: false}' | append
last SemanticCheckEvaluated '.payload += {blocked: false, findings: [], recommended_action: "proceed"}' | append
last StepCheckpointed '.payload += {cursor: "post_gate", retry_token: "11111111-1111-4111-8111-111111111111"}' | append
last GlossaryClarificationRequested ".type = \"StepCompleted\" | .payload = {output_hash: \"$null\", exit_code: 0, input_hash: .payload.input_hash}" | append
shut 'seq [0-9]+'
begin
change "UPDATE {senses} SET status = 'ignored' WHERE normal = 'workspace'"
shut
begin
runs 0 pawl resolve "$id" --pick 1 --actor user:ana --sign ana
runs 0 pawl resume r1 --no-input
same "$(tr '\n' ' ' <journal)" 'specified published '
runs 0 pawl resume r1 --no-input

it "a fork's answers are verified in the run that it was forked from"
cat >mission.yaml <<'YAML'
mission: release
require_signed: allowed
steps:
  - {id: first, run: [touch, file]}
  - {id: approve, ask: {question: "Publish?", options: ["yes", "no"]}}
  - {id: publish, inputs: {said: {$from: approve}}, run: [sh, -c, "cat >>journal"]}
  - {id: confirm, ask: {question: "Announce?"}}
  - {id: announce, run: [sh, -c, "echo announced >>journal"]}
YAML
begin
runs 0 pawl resolve "$id" --answer yes --actor user:ana --sign ana
runs 3 pawl resume r1 --no-input
same "$(cat journal)" '{"said":"yes"}'
rm journal
fork=$(pawl fork r1 --from publish --yes --json 2>/dev/null | jq -r .run_id) # the files out and err go back, too
rm -f journal
runs 3 pawl resume "$fork" --no-input
same "$(cat journal)" '{"said":"yes"}'
keep '"yes"' >/dev/null
rm journal
eventlog export | jq -c --arg run "$fork" 'select(.type == "GlossaryClarificationRequested" and .run_id == $run)' | tail -n 1 |
        jq -c "$done_by | .payload.forked = true" | append
runs 5 pawl resume "$fork" --no-input
[ ! -e journal ]

it "a time is not over because an older one stands in the log"
write_ask
sed -i 's/options: .*\]}/options: ["yes", "no"], within: 1d, otherwise: "yes"}/' mission.yaml
begin
last GlossaryClarificationRequested "$resolved" | append
last GlossaryClarificationRequested ".us = 1700000000000000 | .payload.unverified = $(last GlossaryClarificationResolved .seq) | .payload.due_at = \"2023-11-15T22:13:20.000000Z\"" | append
shut 'does not count: it is not signed'
same "$(last GlossaryClarificationResolved '[.actor, .payload.answer]')" '["system:timeout","yes"]'
shut
write_ask

it "a worker believes nothing else either"
forget_log
rm -f journal
runs 0 pawl submit mission.yaml --run r1
runs 0 pawl work --once --dir "$PWD.work"
id=$(pawl conflicts --json | jq -r '.[0].conflict_id')
keep '"yes"' >/dev/null
change "UPDATE {steps} SET status = 'completed', output_hash = '$yes', exit_code = 0 WHERE step_id = 'approve'"
change "UPDATE {runs} SET status = 'interrupted' WHERE run_id = 'r1'"
pawl work --once --dir "$PWD.work" >out 2>err </dev/null || true
same "$(find "$PWD.work" -name journal)" ''
rm -rf "$PWD.work"

if ! on_server; then
        it "a log with a key is no other: its rows are not believed, and events without a MAC neither"
        (umask 077; head -c 32 /dev/urandom >key)
        export PAWL_KEY_FILE=key
        for what in "UPDATE {steps} SET status = 'completed', output_hash = '$yes', exit_code = 0 WHERE step_id = 'approve'" \
                "UPDATE {conflicts} SET status = 'resolved', resolved_seq = 1 WHERE step_id = 'approve'" \
                "UPDATE {runs} SET mission_hash = NULL WHERE run_id = 'r1'"; do
                begin
                keep '"yes"' >/dev/null
                change "$what"
                shut
        done
        begin
        keep '"yes"' >/dev/null
        last GlossaryClarificationRequested "$done_by" | append
        shut
        unset PAWL_KEY_FILE
fi
